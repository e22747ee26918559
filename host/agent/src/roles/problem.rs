mod help;

use remit_sandbox::CommandProblem;
use thiserror::Error;

use super::beneath::EntryProblem;
use super::digest::Digest;
use super::duration::DurationProblem;
use super::path::PathProblem;
use super::pattern::PatternProblem;
use super::shown::{shown, shown_words};

/// What is wrong at one place of a `roles.toml`.
///
/// Text of the file inside of these is already made safe to show: inert, on one line, cut where it is long.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is no TOML. The words are the parser's.
    #[error("{0}")]
    Syntax(String),
    /// A key, or a table's header, stands there a second time.
    #[error("`{0}` is already set above")]
    Duplicate(String),
    /// No table of this kind has such a key.
    #[error("unknown key")]
    UnknownKey {
        /// The nearest key that there is.
        nearest: Option<String>,
        /// The tables that do have it.
        belongs: Vec<&'static str>,
        /// All keys of this table.
        known: Vec<&'static str>,
    },
    /// The key is planned, and nothing would enforce it today.
    #[error("not supported by this version of remit")]
    LaterKey,
    /// A value of another type.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
        /// How to write it.
        example: Option<String>,
    },
    /// There is no `[roles.NAME]` at all.
    #[error("no role is defined")]
    NoRoles,
    /// A role's or a plugin's name with other characters, or too long.
    #[error("`{0}` is no name")]
    BadName(String),
    /// The name means something of remit's own.
    #[error("the name `{0}` is remit's own")]
    ReservedName(String),
    /// A plugin named as one that comes with remit.
    #[error("a plugin `{0}` comes with remit")]
    BuiltInName(String),
    /// A key that must be there is not.
    #[error("`{key}` is missing")]
    Missing {
        /// The key.
        key: &'static str,
        /// What it is for.
        why: &'static str,
    },
    /// A text that must say something says nothing.
    #[error("is empty")]
    Empty,
    /// A text that must be one short line is longer.
    #[error("must be one line of at most {0} characters, without control characters")]
    NotOneLine(usize),
    /// `prompt` and `prompt_file`.
    #[error("a role has `prompt` or `prompt_file`, not both")]
    TwoPrompts,
    /// A number out of its range.
    #[error("expected a whole number from {least} to {most}, found {found}")]
    Number {
        /// What is written.
        found: String,
        /// The smallest that is taken.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// A text that is no amount of money, or nothing.
    #[error("`{0}` is no limit on cost")]
    Cost(String),
    /// A text that is no duration.
    #[error("`{text}`: {problem}")]
    Duration {
        /// What is written.
        text: String,
        /// What is wrong with it.
        problem: DurationProblem,
    },
    /// A text that is no path of the workspace.
    #[error("`{path}`: {problem}")]
    Path {
        /// What is written.
        path: String,
        /// What is wrong with it.
        problem: PathProblem,
    },
    /// The path is sound, and what it names is not there or is something else.
    #[error(transparent)]
    Entry(#[from] EntryProblem),
    /// A role asks for a directory, host or command that the ceiling does not hold.
    #[error("`{asked}` is over the ceiling, which is {ceiling}")]
    OverCeiling {
        /// The ceiling's key that does not hold it.
        key: &'static str,
        /// What is asked for.
        asked: String,
        /// What the ceiling holds and where it says so, in words.
        ceiling: String,
    },
    /// A directory to read in one to write. Whoever may write the one may write all that is in it.
    #[error("`{read}` is read-only, and `{write}` around it may be written")]
    ReadOnlyInside {
        /// The directory of `read`.
        read: String,
        /// The directory of `write` that it lies in.
        write: String,
    },
    /// A text that names no host. The words are the sandbox's.
    #[error("{0}")]
    Host(String),
    /// A text that is no pattern of commands.
    #[error("`{pattern}`: {reason}")]
    Command {
        /// What is written.
        pattern: String,
        /// What is wrong with it, in the sandbox's words.
        reason: String,
    },
    /// What holds for commands, in a role that has none.
    #[error("the role runs no command")]
    NoCommands,
    /// Commands in a role that reads no directory to run them in.
    #[error("a command runs in a directory of the workspace, and the role reads none")]
    NowhereToRun,
    /// A directory of `scratch` that can't be one. The words are the sandbox's.
    #[error("{0}")]
    Scratch(String),
    /// A directory of `scratch` that the role does not see.
    #[error("`{0}` is not within what the role reads")]
    ScratchUnread(String),
    /// A name in `command_env` that can't be passed. The words are the sandbox's.
    #[error("{0}")]
    Variable(String),
    /// A word for `command_sandbox` that is none.
    #[error("`{0}` says nothing about a sandbox")]
    UnknownSandbox(String),
    /// A secret whose entry can't be used. The words are the sandbox's.
    #[error("{0}")]
    Secret(String),
    /// The variable that holds a secret's value is not set.
    #[error("the environment variable `{0}` is not set")]
    SecretUnset(String),
    /// A secret in a role that there is not.
    #[error("there is no secret `{name}`")]
    UnknownSecret {
        /// The secret.
        name: String,
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// A secret of a host that the role does not reach.
    #[error("`{name}` belongs to {host}, which is not among the role's hosts")]
    SecretElsewhere {
        /// The secret.
        name: String,
        /// The host that it belongs to.
        host: String,
    },
    /// A word in `approve`, `allow` or `deny` that is no kind of effect.
    #[error("`{text}` is no kind of effect")]
    UnknownEffect {
        /// What is written.
        text: String,
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// An element of `allow` or `deny` that does not say both what and about which.
    #[error("`{0}` is no rule")]
    BadRule(String),
    /// A rule about delegating to a role that is none of the role's `delegates`.
    #[error("`{name}` is not among the role's delegates")]
    NoDelegate {
        /// The role.
        name: String,
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// A pattern of `hidden` or `reveal`, or of a rule.
    #[error("`{pattern}`: {problem}")]
    Pattern {
        /// What is written.
        pattern: String,
        /// What is wrong with it.
        problem: PatternProblem,
    },
    /// A `sha256` that is not 64 hexadecimal digits.
    #[error("a sha256 is 64 hexadecimal digits")]
    BadDigest,
    /// The plugin's bytes are not the ones that the file vouches for.
    #[error("`{path}` does not match: its sha256 is {found}")]
    DigestMismatch {
        /// The plugin's path.
        path: String,
        /// What its bytes have.
        found: Digest,
    },
    /// A model that no provider offers, or a setting that none could be given. The words are the providers'.
    #[error("{0}")]
    Model(String),
    /// A text in `tools` or `disallowed_tools` that is neither a tool's name nor `plugin.*`.
    #[error("`{text}` is no tool and no pattern")]
    BadToolPattern {
        /// What is written.
        text: String,
        /// What it likely means.
        nearest: Option<String>,
    },
    /// A tool of a plugin that is neither built in nor listed under `[plugins]`.
    #[error("there is no plugin `{name}`")]
    UnknownPlugin {
        /// The plugin.
        name: String,
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// A tool that its plugin does not have.
    #[error("there is no tool `{name}`")]
    UnknownTool {
        /// The tool.
        name: String,
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// A function that the plugin has, and that cannot be a tool.
    #[error("`{name}` cannot be a tool: {reason}")]
    SkippedTool {
        /// The function.
        name: String,
        /// Why it was skipped when the plugin was loaded.
        reason: String,
    },
    /// `plugin.*` of a plugin that has no tool.
    #[error("`{0}` matches no tool: the plugin has none")]
    NothingMatches(String),
    /// A role in `delegates` that there is not.
    #[error("there is no role `{name}`")]
    UnknownRole {
        /// The role.
        name: String,
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// `delegates` without the tool to delegate with.
    #[error("the role has delegates, but not the tool to delegate with")]
    DelegatesWithoutTask,
    /// The tool to delegate with, and nobody to delegate to.
    #[error("the role has the tool `task`, but nobody to delegate to")]
    TaskWithoutDelegates,
    /// A role that could start itself again through those that it delegates to.
    #[error("roles delegate in a circle: {}", .0.join(" → "))]
    Circle(Vec<String>),
    /// A role that no other may start. Only told by [`Roles::lint`](super::Roles::lint), like those below.
    #[error("nobody delegates to the role")]
    Unreached(String),
    /// Directories, hosts or commands of a role without a tool that could use them: which reaches files, say.
    #[error("no tool of the role can use it")]
    UnusedGrant(&'static str),
    /// What a role reads can leave the machine with requests that nobody is asked about, and the pages that these get can ask
    /// for it.
    #[error("what {reader} reads can leave with requests to {hosts}, whose pages can ask for it: {}", .way.join(" → "))]
    OpenFlow {
        /// The role that reads.
        reader: String,
        /// The hosts, in words.
        hosts: String,
        /// The roles on the way, from the one that reads to the one that sends, in words.
        way: Vec<String>,
    },
    /// A role that gets pages and runs commands.
    #[error(
        "the role runs commands and reaches hosts: a page can say what is run, and what is printed can be sent"
    )]
    RunsAndReaches,
    /// A variable that is likely a secret, which every command could read.
    #[error("`{0}` looks like a secret, and every command of the role can read it")]
    SecretVariable(String),
    /// A directory to write with files in it that no role may write.
    #[error("`{path}` holds {}, which no role may write", .covered.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(", "))]
    CoversProtected {
        /// The directory.
        path: String,
        /// The files, and folders of such files.
        covered: Vec<String>,
    },
    /// What a ceiling's `reveal` takes from the built-in list. Only a warning: it may be meant so.
    #[error("it shows every role what is hidden otherwise: {0}")]
    Reveals(String),
    /// A rule or a question about what never comes up.
    #[error("`{rule}` changes nothing: {why}")]
    IdleRule {
        /// The rule, or the kind of effect.
        rule: String,
        /// Why.
        why: &'static str,
    },
    /// A chain of delegations that `max_depth` ends early. Only a warning: it takes nothing away that was granted.
    #[error("`{last}` is never reached on the way {}: max_depth is {max_depth}", .way.join(" → "))]
    TooDeep {
        /// The roles on the way, the first one at depth 0.
        way: Vec<String>,
        /// The first that is too deep.
        last: String,
        /// The budget's limit.
        max_depth: u32,
    },
}

impl Problem {
    /// What is wrong with a pattern of commands.
    pub(super) fn command(problem: &CommandProblem) -> Self {
        Self::Command { pattern: shown(&problem.pattern), reason: shown_words(&problem.reason) }
    }
}
