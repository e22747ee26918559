use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use remit_agent::roles::Authority;
use remit_agent::{
    CallTerms, Change, ChangeKind, EffectSource, Entry, Outward, RoleRef, Staged, ToolInfo, ToolOutcome,
    Toolbox, ToolboxError, ToolboxFactory, Version,
};
use serde_json::json;
use tokio::sync::Notify;

/// A call that reached a toolbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) role: String,
    pub(crate) tool: String,
    pub(crate) arguments: String,
}

type Answer = Arc<dyn Fn(&str) -> ToolOutcome + Send + Sync>;

/// What a tool is said to have done.
type Effects = Arc<dyn Fn(&str) -> Vec<Entry> + Send + Sync>;

/// What a tool would change.
type Changes = Arc<dyn Fn(&str) -> Vec<Change> + Send + Sync>;

/// What a tool wants to do outside of the workspace.
type Outwards = Arc<dyn Fn(&str) -> Vec<Outward> + Send + Sync>;

/// All tools that there are. Each returns `NAME ARGUMENTS` unless a test says otherwise; `files.wait` never returns.
#[derive(Default)]
pub(crate) struct Props {
    answers: Mutex<HashMap<&'static str, Answer>>,
    effects: Mutex<HashMap<&'static str, Effects>>,
    changes: Mutex<HashMap<&'static str, Changes>>,
    outward: Mutex<HashMap<&'static str, Outwards>>,
    made: Mutex<Vec<String>>,
    pub(crate) used: Arc<Used>,
}

/// What was done with the tools.
#[derive(Default)]
pub(crate) struct Used {
    calls: Mutex<Vec<Call>>,
    /// Notified when `files.wait` is called.
    pub(crate) waiting: Notify,
    /// How many calls of `files.wait` were dropped.
    pub(crate) dropped: Mutex<u32>,
    /// The paths that were committed, in order.
    pub(crate) written: Mutex<Vec<String>>,
    /// Why a commit fails, if it does.
    pub(crate) conflict: Mutex<Option<String>>,
}

/// The ledger of a call of the props: what it is said to have done, and what was committed.
struct Book(Mutex<Vec<Entry>>);

impl EffectSource for Book {
    fn entries(&self) -> Vec<Entry> {
        self.0.lock().unwrap().clone()
    }
}

/// Changes whose commit is only noted.
struct Noted {
    files: Vec<Change>,
    used: Arc<Used>,
    book: Arc<Book>,
}

impl Staged for Noted {
    fn files(&self) -> &[Change] {
        &self.files
    }

    fn unified_diff(&self, max_bytes: usize) -> String {
        let lines: Vec<String> =
            self.files.iter().map(|file| format!("+++ {}\n+\u{1b}[2J\n", file.path)).collect();
        lines.concat().chars().take(max_bytes).collect()
    }

    fn commit(self: Box<Self>) -> Result<(), String> {
        if let Some(conflict) = self.used.conflict.lock().unwrap().clone() {
            return Err(conflict);
        }
        for file in &self.files {
            self.used.written.lock().unwrap().push(file.path.clone());
            let version = |is_there: bool| is_there.then(|| Version { sha256: file.path.clone(), bytes: 1 });
            self.book.0.lock().unwrap().push(Entry::Changed {
                path: file.path.clone(),
                kind: file.kind,
                from: file.from.clone(),
                added: file.added,
                removed: file.removed,
                before: None,
                after: version(file.kind != ChangeKind::Deleted),
            });
        }
        Ok(())
    }
}

/// A file that a tool would create or change.
pub(crate) fn change(path: &str, kind: ChangeKind, added: u64, removed: u64) -> Change {
    Change { path: path.into(), kind, from: None, added, removed, binary: false }
}

const TOOLS: [&str; 7] = [
    "files.read_file",
    "files.list_files",
    "files.wait",
    "search.grep",
    "edit.write_file",
    "fetch.get",
    "command.run",
];

impl Props {
    pub(crate) fn answer(
        &self,
        name: &'static str,
        answer: impl Fn(&str) -> ToolOutcome + Send + Sync + 'static,
    ) {
        self.answers.lock().unwrap().insert(name, Arc::new(answer));
    }

    pub(crate) fn effects(
        &self,
        name: &'static str,
        effects: impl Fn(&str) -> Vec<Entry> + Send + Sync + 'static,
    ) {
        self.effects.lock().unwrap().insert(name, Arc::new(effects));
    }

    pub(crate) fn changes(
        &self,
        name: &'static str,
        changes: impl Fn(&str) -> Vec<Change> + Send + Sync + 'static,
    ) {
        self.changes.lock().unwrap().insert(name, Arc::new(changes));
    }

    pub(crate) fn outward(
        &self,
        name: &'static str,
        outward: impl Fn(&str) -> Vec<Outward> + Send + Sync + 'static,
    ) {
        self.outward.lock().unwrap().insert(name, Arc::new(outward));
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.used.calls.lock().unwrap().clone()
    }

    pub(crate) fn made(&self) -> Vec<String> {
        self.made.lock().unwrap().clone()
    }
}

impl ToolboxFactory for Props {
    fn make<'a>(
        &'a self,
        role: &'a RoleRef,
        authority: &'a Authority,
    ) -> BoxFuture<'a, Result<Arc<dyn Toolbox>, ToolboxError>> {
        let reaches = authority.hosts_in_words().map(|hosts| format!(" reaches {hosts}")).unwrap_or_default();
        self.made.lock().unwrap().push(format!("{} reads {}{reaches}", role.name(), authority.in_words()));
        let tools = TOOLS.iter().filter(|name| role.get().permits(name)).map(|name| ToolInfo {
            name: (*name).to_owned(),
            wire_name: name.replace('.', "__"),
            description: format!("{name}, for tests."),
            input_schema: json!({ "type": "object" }),
        });
        let toolbox: Arc<dyn Toolbox> = Arc::new(PropBox {
            role: role.name().to_owned(),
            grants: format!("You may read {}.", authority.in_words()),
            tools: tools.collect(),
            answers: self.answers.lock().unwrap().clone(),
            effects: self.effects.lock().unwrap().clone(),
            changes: self.changes.lock().unwrap().clone(),
            outward: self.outward.lock().unwrap().clone(),
            used: self.used.clone(),
        });
        future::ready(Ok(toolbox)).boxed()
    }
}

/// Has an effect, if it may, and notes it as the sandbox would. Gives why it may not.
async fn have(effect: &Outward, terms: &CallTerms<'_>, book: &Book) -> Option<String> {
    let refused = terms.consent.ask(effect.clone()).await.err();
    let entry = match (effect, &refused) {
        (effect, Some(why)) => Entry::Refused {
            action: if matches!(effect, Outward::Request { .. }) { "request" } else { "run" }.to_owned(),
            path: effect.to_string(),
            reason: why.clone(),
        },
        (Outward::Request { method, url }, None) => Entry::Contacted {
            method: method.clone(),
            url: url.clone(),
            status: Some(200),
            sent: 0,
            received: 5,
        },
        (Outward::Command { argv, directory }, None) => Entry::Ran {
            argv: argv.clone(),
            directory: directory.clone(),
            exit_code: Some(1),
            ended_by: None,
            duration_ms: 7,
            output_bytes: 5,
            uncontained: None,
        },
    };
    book.0.lock().unwrap().push(entry);
    refused
}

struct PropBox {
    role: String,
    grants: String,
    tools: Vec<ToolInfo>,
    answers: HashMap<&'static str, Answer>,
    effects: HashMap<&'static str, Effects>,
    changes: HashMap<&'static str, Changes>,
    outward: HashMap<&'static str, Outwards>,
    used: Arc<Used>,
}

/// Counts itself when it is dropped.
struct Waiting(Arc<Used>);

impl Drop for Waiting {
    fn drop(&mut self) {
        *self.0.dropped.lock().unwrap() += 1;
    }
}

impl Toolbox for PropBox {
    fn tools(&self) -> &[ToolInfo] {
        &self.tools
    }

    fn grants(&self) -> String {
        self.grants.clone()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: &'a str,
        terms: CallTerms<'a>,
    ) -> BoxFuture<'a, ToolOutcome> {
        let call = Call { role: self.role.clone(), tool: tool.to_owned(), arguments: arguments.to_owned() };
        self.used.calls.lock().unwrap().push(call);
        let effects = self.effects.get(tool).map(|effects| effects(arguments)).unwrap_or_default();
        let book = Arc::new(Book(Mutex::new(effects)));
        terms.ledger.keep(book.clone());
        if let Some(outward) = self.outward.get(tool) {
            let effects = outward(arguments);
            return async move {
                for effect in effects {
                    if let Some(refused) = have(&effect, &terms, &book).await {
                        return ToolOutcome::error(refused);
                    }
                }
                ToolOutcome { text: "done".to_owned(), ..ToolOutcome::default() }
            }
            .boxed();
        }
        if tool == "files.wait" {
            let waiting = Waiting(self.used.clone());
            return async move {
                waiting.0.waiting.notify_one();
                future::pending::<()>().await;
                ToolOutcome::default()
            }
            .boxed();
        }
        let mut outcome = match self.answers.get(tool) {
            Some(answer) => answer(arguments),
            None => ToolOutcome { text: format!("{tool} {arguments}"), ..ToolOutcome::default() },
        };
        if let Some(changes) = self.changes.get(tool) {
            let files = changes(arguments);
            outcome.changes = Some(Box::new(Noted { files, used: self.used.clone(), book }));
        }
        future::ready(outcome).boxed()
    }
}
