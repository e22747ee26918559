use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use remit_agent::roles::Authority;
use remit_agent::{CallLimits, RoleRef, ToolInfo, ToolOutcome, Toolbox, ToolboxError, ToolboxFactory};
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

/// All tools that there are. Each returns `NAME ARGUMENTS` unless a test says otherwise; `files.wait` never returns.
#[derive(Default)]
pub(crate) struct Props {
    answers: Mutex<HashMap<&'static str, Answer>>,
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
}

const TOOLS: [&str; 5] =
    ["files.read_file", "files.list_files", "files.wait", "search.grep", "edit.write_file"];

impl Props {
    pub(crate) fn answer(
        &self,
        name: &'static str,
        answer: impl Fn(&str) -> ToolOutcome + Send + Sync + 'static,
    ) {
        self.answers.lock().unwrap().insert(name, Arc::new(answer));
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
        self.made.lock().unwrap().push(format!("{} reads {}", role.name(), authority.in_words()));
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
            used: self.used.clone(),
        });
        future::ready(Ok(toolbox)).boxed()
    }
}

struct PropBox {
    role: String,
    grants: String,
    tools: Vec<ToolInfo>,
    answers: HashMap<&'static str, Answer>,
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
        _: &'a CallLimits,
    ) -> BoxFuture<'a, ToolOutcome> {
        let call = Call { role: self.role.clone(), tool: tool.to_owned(), arguments: arguments.to_owned() };
        self.used.calls.lock().unwrap().push(call);
        if tool == "files.wait" {
            let waiting = Waiting(self.used.clone());
            return async move {
                waiting.0.waiting.notify_one();
                future::pending::<()>().await;
                ToolOutcome::default()
            }
            .boxed();
        }
        let outcome = match self.answers.get(tool) {
            Some(answer) => answer(arguments),
            None => ToolOutcome { text: format!("{tool} {arguments}"), ..ToolOutcome::default() },
        };
        future::ready(outcome).boxed()
    }
}
