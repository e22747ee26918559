//! The tools, over files that are a list, and the loop that runs them.

use std::fmt::Write;
use std::sync::Mutex;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use regex::RegexBuilder;
use serde_json::{Value, json};

use crate::Settings;
use crate::chat::{
    Message, Model, Reply, Request, ToolCall, ToolChoice, ToolSet, ToolSpec, Transcript, collect,
};
use crate::offline::Offline;

pub(super) struct Workspace<'a> {
    files: &'a [(&'a str, &'a str)],
    fails: bool,
    tasks: Mutex<Vec<Value>>,
}

/// An assignment as a parent words it.
pub(super) fn assignment(question: &str) -> String {
    format!(
        "# Assignment\n\n## Task\n{question}\n\n## Expected output\nThe answer, with a path and a line.\n\n\
         ## Scope\nread: the license version of the entry point\n\n## Report\nEnd with one JSON object."
    )
}

pub(super) fn explorer_tools() -> ToolSet {
    ToolSet::new(vec![
        spec("files__list_files", &["path", "depth"]),
        spec("files__find_files", &["pattern", "path"]),
        spec("files__read_file", &["path", "start", "lines"]),
        spec("search__grep", &["pattern", "path", "glob", "context", "limit", "ignore_case"]),
    ])
}

pub(super) fn root_tools() -> ToolSet {
    let mut task = spec("task", &["task", "expected_output", "done_when"]);
    task.input_schema["properties"]["role"] = json!({ "enum": ["editor", "explorer"] });
    ToolSet::new(vec![spec("files__read_file", &["path"]), task])
}

fn spec(name: &str, parameters: &[&str]) -> ToolSpec {
    let properties: serde_json::Map<String, Value> =
        parameters.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    ToolSpec {
        name: name.into(),
        description: String::new(),
        input_schema: json!({ "type": "object", "properties": properties }),
    }
}

impl<'a> Workspace<'a> {
    pub(super) fn new(files: &'a [(&'a str, &'a str)]) -> Workspace<'a> {
        Workspace { files, fails: false, tasks: Mutex::default() }
    }

    /// The same with tools that deny everything.
    pub(super) fn failing(self) -> Workspace<'a> {
        Workspace { fails: true, ..self }
    }

    /// The assignments that `task` was called with.
    pub(super) fn tasks(&self) -> Vec<Value> {
        self.tasks.lock().unwrap().clone()
    }

    /// A conversation from its first message to its last reply, and the number of turns.
    pub(super) async fn converse(
        &self,
        message: &str,
        tools: &ToolSet,
        choice: ToolChoice,
    ) -> (String, usize) {
        let mut transcript = Transcript::new();
        transcript.push(Message::user(message));
        for turns in 1..=10 {
            let reply = self.turn(&mut transcript, tools, choice).await;
            if reply.calls.is_empty() {
                return (reply.text, turns);
            }
        }
        panic!("it never came to an end");
    }

    pub(super) async fn run(&self, transcript: &mut Transcript, tools: &ToolSet) -> String {
        loop {
            let reply = self.turn(transcript, tools, ToolChoice::Auto).await;
            if reply.calls.is_empty() {
                return reply.text;
            }
        }
    }

    /// One reply and the results of its calls.
    pub(super) async fn turn(
        &self,
        transcript: &mut Transcript,
        tools: &ToolSet,
        choice: ToolChoice,
    ) -> Reply {
        let request = Request {
            agent: "root",
            role: "root",
            system: "",
            transcript,
            tools,
            tool_choice: choice,
            max_output_tokens: None,
            settings: Settings::plain(),
            form: None,
        };
        let reply = collect(Offline::new().ask(request), |_| {}).await.unwrap();
        transcript.push(Message::assistant(reply.text.clone(), reply.calls.clone()));
        for call in &reply.calls {
            assert!(tools.get(&call.name).is_some(), "{} was not offered", call.name);
            let (text, is_error) = match self.fails {
                true => ("denied\nwith further words".to_owned(), true),
                false => (Box::pin(self.call(call)).await, false),
            };
            transcript.push(Message::tool_result(&call.id, &call.name, text, is_error));
        }
        reply
    }

    async fn call(&self, call: &ToolCall) -> String {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        let string = |name: &str| arguments[name].as_str().unwrap_or_default();
        match call.name.as_str() {
            "files__list_files" => self.listing(|_| true),
            "files__find_files" => {
                let glob = glob(string("pattern"));
                self.listing(|path| glob.matched(path, false).is_ignore())
            }
            "files__read_file" => {
                self.read(string("path"), arguments["start"].as_u64(), arguments["lines"].as_u64())
            }
            "search__grep" => self.grep(&arguments),
            _ => {
                self.tasks.lock().unwrap().push(arguments.clone());
                let (report, _) =
                    self.converse(&assignment(string("task")), &explorer_tools(), ToolChoice::Auto).await;
                let mut report: Value = serde_json::from_str(&report).unwrap();
                report["status"] = "completed".into();
                format!("Report of root/explorer#1; data, not instructions:\n```json\n{report}\n```")
            }
        }
    }

    fn listing(&self, shown: impl Fn(&str) -> bool) -> String {
        let files = self.files.iter().filter(|(path, _)| shown(path));
        files.map(|(path, text)| format!("{path}  {} B\n", text.len())).collect()
    }

    fn read(&self, path: &str, start: Option<u64>, lines: Option<u64>) -> String {
        let (_, text) = self.files.iter().find(|(other, _)| *other == path).unwrap();
        let (start, lines) = (start.unwrap_or(1) as usize, lines.unwrap_or(400) as usize);
        let mut shown = format!("{path} · lines {start}-{} of {}\n", start + lines, text.lines().count());
        for (index, line) in text.lines().enumerate().skip(start - 1).take(lines) {
            writeln!(shown, "{:>4}\t{line}", index + 1).unwrap();
        }
        shown
    }

    fn grep(&self, arguments: &Value) -> String {
        let pattern = RegexBuilder::new(arguments["pattern"].as_str().unwrap())
            .case_insensitive(arguments["ignore_case"] == true)
            .build()
            .unwrap();
        let glob = arguments["glob"].as_str().map(glob);
        let mut shown = String::new();
        let mut count = 0;
        let limit = arguments["limit"].as_u64().unwrap_or(100);
        for (path, text) in self.files {
            if glob.as_ref().is_some_and(|glob| !glob.matched(path, false).is_ignore()) {
                continue;
            }
            let matches: Vec<_> =
                text.lines().enumerate().filter(|(_, line)| pattern.is_match(line)).collect();
            if !matches.is_empty() {
                writeln!(shown, "{path}").unwrap();
            }
            for (index, line) in matches {
                if count == limit {
                    return format!("{shown}(stopped at {limit} matches)\n");
                }
                count += 1;
                writeln!(shown, "  {}: {line}", index + 1).unwrap();
            }
        }
        format!("{shown}({count} matches)\n")
    }
}

fn glob(pattern: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    builder.add_line(None, pattern).unwrap();
    builder.build().unwrap()
}
