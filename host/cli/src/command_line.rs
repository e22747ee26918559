//! What can be typed. The documentation of each item is its help text.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A WebAssembly plugin host for LLM agents: every tool is a sandboxed component, every agent has a role, and a role
/// can touch what roles.toml grants it and nothing else. Without a command, on a terminal, it is a conversation.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(flatten, next_help_heading = "Conversation (as in `remit run`)")]
    pub(crate) work: Work,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  remit                        a conversation; /help shows what can be typed beside prompts
  remit run \"Which test framework does this project use?\"
  remit roles                  who the agents are, and what each may touch
  remit inspect tool.wasm      what a component offers, and what it could ever touch

`remit help COMMAND` shows examples of each command.";

const WHERE: &str = "Where to work";

/// Where a command works.
#[derive(Args, Debug)]
pub(crate) struct Place {
    /// The directory that agents work in; all paths are relative to it
    #[arg(long, global = true, value_name = "DIR", default_value = ".", help_heading = WHERE)]
    pub(crate) workspace: PathBuf,
    /// The roles to use, in place of the workspace's roles.toml or the built-in ones
    #[arg(long, global = true, value_name = "FILE", help_heading = WHERE)]
    pub(crate) roles: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(Run),
    Init(Init),
    Trust(Trust),
    Roles(Roles),
    Explain(Explain),
    Check(Check),
    Tools(Tools),
    Inspect(Inspect),
    Call(Call),
    Trace(Trace),
}

/// Answer a question about the workspace
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  remit run \"Where is the turn limit enforced?\"
  remit run --pin \"Answer in German\" --workspace ../shop \"What is tested?\" > answer.txt
  git diff | remit run --role explorer
  remit run --json \"Which license is it?\" | jq -r 'select(.kind == \"outcome\").answer'

The answer goes to standard output, what happens meanwhile to standard error.
Without --model it is OpenAI's where OPENAI_API_KEY is set, Anthropic's where ANTHROPIC_API_KEY is,
else `offline`, a keyword planner that needs no key and is no language model. OPENAI_BASE_URL and
ANTHROPIC_BASE_URL name another server of the same kind; with _FILE behind, a key's variable names
a file that holds the key.
Exit codes: 0 completed, 2 usage, configuration or trust, 3 a limit was reached, 4 failed,
5 refused, 130 cancelled.")]
pub(crate) struct Run {
    /// What to ask; without it, or with `-`, standard input is read
    pub(crate) prompt: Option<String>,
    #[command(flatten)]
    pub(crate) work: Work,
    /// Write every event to standard output as a line of JSON, the answer in the last one
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who works on prompts, and how.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// The role that answers [default: root]
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Something that every agent has to keep to, in your words; may be repeated
    #[arg(long = "pin", value_name = "TEXT")]
    pub(crate) pins: Vec<String>,
    /// The model: `offline`, `script:FILE`, or `openai:`, `anthropic:` or `responses:` with a name, and `@URL` for another server
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// What to do where a role asks before it does something [default: ask, on the terminal; where there is none it is a no]
    #[arg(long, value_name = "POLICY", value_enum)]
    pub(crate) approve: Option<Approve>,
    /// Leave the project's notes (AGENTS.md, else CLAUDE.md) out of the prompt
    #[arg(long)]
    pub(crate) no_notes: bool,
    /// Let agents read your home directory, or everything
    #[arg(long)]
    pub(crate) force: bool,
}

impl Work {
    /// The role that answers.
    pub(crate) fn role(&self) -> &str {
        self.role.as_deref().unwrap_or(ROOT)
    }
}

/// What is done with the questions of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approve {
    /// A person is asked
    Ask,
    /// Every answer is no
    Deny,
    /// Every answer is yes; what a role denies stays denied
    Allow,
}

/// The role that is meant where none is named.
pub(crate) const ROOT: &str = "root";

/// Trust the workspace's roles.toml, after saying what it grants
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  remit trust                  shows what roles.toml grants, and asks
  remit trust --yes            the same without asking
  remit trust --revoke         trusts nothing of this workspace any more

What is trusted is the file as it is, with every prompt and component that it names. When one of them
changes, remit says which, and asks again.")]
pub(crate) struct Trust {
    /// Ask nothing
    #[arg(long)]
    pub(crate) yes: bool,
    /// Take the trust back
    #[arg(long, conflicts_with = "yes")]
    pub(crate) revoke: bool,
}

/// Show every role, with its grants and limits
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  remit roles
  remit roles --roles other.toml --json")]
pub(crate) struct Roles {
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what each tool of a role can touch, and what is asked about first
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  remit explain explorer
  remit explain --json root | jq '.tools[].writes'

What a tool can touch is what its component imports, within what the role is granted, within the ceiling.")]
pub(crate) struct Explain {
    /// The role
    #[arg(value_name = "ROLE")]
    pub(crate) role: String,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Look through roles.toml for errors, and for what is likely not meant so
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  remit check
  remit check --roles other.toml

Exit codes: 0, also with warnings, 2 if there are errors.")]
pub(crate) struct Check {}

/// Show the tools, as a model is told about them
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  remit tools                  of every plugin
  remit tools --role explorer  those that the explorer has
  remit tools --json           with the JSON Schema of their arguments")]
pub(crate) struct Tools {
    /// Only the tools of this role
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what a component offers, and what it could ever touch
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  remit inspect tool.wasm
  remit inspect --json tool.wasm
  remit inspect search         a plugin that comes with remit

Nothing of the component is run.")]
pub(crate) struct Inspect {
    /// The component, or the name of a built-in plugin
    #[arg(value_name = "FILE.wasm")]
    pub(crate) file: PathBuf,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Call one tool under a role's grants
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  remit call files.list_files
  remit call files.read_file '{\"path\": \"README.md\", \"lines\": 10}'
  remit call --role explorer search.grep '{\"pattern\": \"TODO\"}'
  remit call --role editor --dry-run edit.delete '{\"path\": \"src/old.rs\"}'
  remit call --role researcher --host https://example.org fetch.get '{\"url\": \"https://example.org/\"}'
  remit call --role verifier --command \"make **\" command.run '{\"argv\": [\"make\", \"check\"]}'

The result goes to standard output, what the component printed, changed and was refused to standard error.
What the role may do is done without a question: you asked for it. What it is denied is not.
Exit codes: 0, 1 if the result is an error, 2 usage, configuration or trust, 130 cancelled.")]
pub(crate) struct Call {
    /// The tool, as in `remit tools`
    #[arg(value_name = "PLUGIN.FUNCTION")]
    pub(crate) tool: String,
    /// Its arguments, a JSON object; `-` reads them from standard input
    #[arg(value_name = "JSON", default_value = "{}")]
    pub(crate) arguments: String,
    /// The role whose tools, grants and limits hold
    #[arg(long, value_name = "ROLE", default_value = ROOT)]
    pub(crate) role: String,
    /// A host that the call may read from, beside those of the role and whatever the ceiling says; may be repeated
    #[arg(long = "host", value_name = "URL")]
    pub(crate) hosts: Vec<String>,
    /// A command that the call may run, beside those of the role and whatever the ceiling says; may be repeated
    #[arg(long = "command", value_name = "PATTERN")]
    pub(crate) commands: Vec<String>,
    /// A directory that commands of the call may fill; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) scratch: Vec<String>,
    /// Show what the call would change, and change nothing; a request or a command is not held back
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Let the tool read your home directory, or everything
    #[arg(long)]
    pub(crate) force: bool,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what a run did
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  remit trace                  the runs in this workspace, the newest first
  remit trace last             the agents of the last run
  remit trace last root        its main conversation
  remit trace 20260731-14 'root/explorer#1'

The same is in .remit/sessions/ as JSON, one event a line.")]
pub(crate) struct Trace {
    /// The run: `last`, its id, or how its id begins
    pub(crate) run: Option<String>,
    /// The agent whose conversation to show, such as `root/explorer#1`
    pub(crate) agent: Option<String>,
    /// Write JSON, one object a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a roles.toml to change into the workspace
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  remit init --workspace ../shop

It writes the built-in roles with their comments, and trusts what it wrote. A roles.toml that is there
already stays as it is.")]
pub(crate) struct Init {}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_sound() {
        CommandLine::command().debug_assert();
    }
}
