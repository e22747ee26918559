//! What a role asks a person about, and what it may do, or never does, without asking: `approve`, `allow` and `deny`.

use std::fmt;

use ignore::gitignore::GitignoreBuilder;
use remit_sandbox::CommandPattern;

use super::effect::{EffectKind, Target};
use super::pattern::check_pattern;
use super::problem::Problem;
use super::reader::{Reader, Section};
use super::section::Placed;
use super::shown::{shown, shown_words};
use super::suggest::nearest;
use super::url_pattern::UrlPattern;

/// What stands for every kind.
const ALL: &str = "all";

/// What stands for every command, and for every role of `delegates`, in a rule.
const ANY: &str = "*";

/// `approve`, `allow` and `deny` of one role. The default asks nothing and denies nothing: what the role was granted, it
/// may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ApproveRules {
    approve: Vec<EffectKind>,
    allow: Vec<Rule>,
    deny: Vec<Rule>,
}

/// An element of `allow` or `deny`: a kind, and what it is about.
///
/// `write PATTERN` is about the files that a gitignore pattern matches, `network URL` about requests to an origin, or below a
/// path of it, `command PATTERN` about the commands that a pattern as in `commands` matches, and `delegate ROLE` about one
/// role. `*` is every request, command or role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    about: About,
    pattern: String,
    line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum About {
    /// Files that the pattern matches.
    Files,
    Requests(UrlPattern),
    /// Nothing stands for every command.
    Commands(Option<CommandPattern>),
    /// The role that the pattern names, or every one.
    Role,
}

/// What a role's rules say to an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<'r> {
    /// It may not be, whatever else is said.
    Denied {
        /// The rule that says so.
        rule: &'r Rule,
        /// What the rule is about, of all that the effect would touch.
        target: String,
    },
    /// A person is asked first.
    Ask,
    /// It may be: a rule says so, or nobody wants to be asked.
    Granted,
}

impl Rule {
    /// The kind of effect that it is about.
    #[must_use]
    pub fn kind(&self) -> EffectKind {
        match self.about {
            About::Files => EffectKind::Write,
            About::Requests(_) => EffectKind::Network,
            About::Commands(_) => EffectKind::Command,
            About::Role => EffectKind::Delegate,
        }
    }

    /// The pattern of files, requests or commands, or the name of a role.
    #[must_use]
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Its line in the file.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    fn parse(text: &Placed<String>, delegates: &[Placed<String>]) -> Result<Rule, Problem> {
        let trimmed = text.value.trim();
        let Some((word, pattern)) = trimmed.split_once(char::is_whitespace) else {
            return Err(Problem::BadRule(shown(trimmed)));
        };
        let (kind, pattern) = (EffectKind::parse(word)?, pattern.trim());
        let about = match kind {
            EffectKind::Write => {
                check_pattern(pattern)
                    .map_err(|problem| Problem::Pattern { pattern: shown(pattern), problem })?;
                About::Files
            }
            EffectKind::Network => About::Requests(
                UrlPattern::parse(pattern).map_err(|problem| Problem::Host(shown_words(&problem)))?,
            ),
            EffectKind::Command if pattern == ANY => About::Commands(None),
            EffectKind::Command => {
                let parsed = CommandPattern::parse(pattern);
                About::Commands(Some(parsed.map_err(|problem| Problem::command(&problem))?))
            }
            EffectKind::Delegate => {
                let names = || delegates.iter().map(|name| name.value.as_str());
                if pattern != ANY && !names().any(|name| name == pattern) {
                    let nearest = nearest(pattern, names()).map(|name| shown(&name));
                    return Err(Problem::NoDelegate { name: shown(pattern), nearest });
                }
                About::Role
            }
        };
        Ok(Rule { about, pattern: pattern.to_owned(), line: text.at.line })
    }

    /// Whether it is about `target`. A deny also holds for a name in other letters, which some file systems take for the
    /// same file; an allow does not reach so far.
    fn matches(&self, target: Target<'_>, any_case: bool) -> bool {
        match (&self.about, target) {
            (About::Role, Target::Role(name)) => self.pattern == ANY || self.pattern == name,
            (About::Requests(pattern), Target::Request { url, .. }) => pattern.matches(url, any_case),
            (About::Commands(pattern), Target::Command(argv)) => {
                pattern.as_ref().is_none_or(|pattern| pattern.matches(argv))
            }
            (About::Files, Target::File(path)) => {
                let mut builder = GitignoreBuilder::new("");
                let built = builder
                    .case_insensitive(any_case)
                    .and_then(|builder| builder.add_line(None, &self.pattern))
                    .and_then(|builder| builder.build());
                // It was checked when it was read. If it can't be matched all the same, a deny denies.
                let Ok(rules) = built else { return any_case };
                rules.matched_path_or_any_parents(path.trim_start_matches('/'), false).is_ignore()
            }
            _ => false,
        }
    }
}

/// As the file would say it: `write **/*.lock`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind(), self.pattern)
    }
}

impl ApproveRules {
    pub(super) fn read(reader: &mut Reader<'_>, section: &Section<'_>, delegates: &[Placed<String>]) -> Self {
        let approve = kinds(reader, section);
        let mut rules = |key: &'static str| {
            let mut rules = Vec::new();
            for text in reader.strings(section, key) {
                match Rule::parse(&text, delegates) {
                    Ok(rule) => rules.push(rule),
                    Err(problem) => reader.report(text.at, section.key(key), problem),
                }
            }
            rules
        };
        Self { approve, allow: rules("allow"), deny: rules("deny") }
    }

    pub(super) fn asks_before(&self, kind: EffectKind) -> bool {
        self.approve.contains(&kind)
    }

    /// Whether a call's effects of this kind have to be held against the rules while it runs.
    pub(super) fn decides_about(&self, kind: EffectKind) -> bool {
        self.asks_before(kind) || self.deny.iter().any(|rule| rule.kind() == kind)
    }

    pub(super) fn allow(&self) -> &[Rule] {
        &self.allow
    }

    pub(super) fn deny(&self) -> &[Rule] {
        &self.deny
    }

    /// A deny beats every allow, and an allow spares the question only if it holds for all of `targets`.
    pub(super) fn judge(&self, kind: EffectKind, targets: &[Target<'_>]) -> Verdict<'_> {
        for rule in self.deny.iter().filter(|rule| rule.kind() == kind) {
            if let Some(target) = targets.iter().find(|target| rule.matches(**target, true)) {
                return Verdict::Denied { rule, target: target.to_string() };
            }
        }
        if !self.asks_before(kind) {
            return Verdict::Granted;
        }
        let allow = || self.allow.iter().filter(|rule| rule.kind() == kind);
        let is_allowed = |target: &Target<'_>| allow().any(|rule| rule.matches(*target, false));
        if !targets.is_empty() && targets.iter().all(is_allowed) { Verdict::Granted } else { Verdict::Ask }
    }
}

/// `approve = ["write"]`, or `"all"`.
fn kinds(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<EffectKind> {
    if section.is_text("approve", ALL) {
        return EffectKind::ALL.to_vec();
    }
    let mut kinds = Vec::new();
    for text in reader.strings(section, "approve") {
        match EffectKind::parse(&text.value) {
            Ok(kind) if kinds.contains(&kind) => {}
            Ok(kind) => kinds.push(kind),
            Err(problem) => reader.report(text.at, section.key("approve"), problem),
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::super::section::Position;
    use super::*;

    fn rules(texts: &[&str]) -> Vec<Rule> {
        let placed = |value: &str| Placed { value: value.to_owned(), at: Position::START };
        let delegates = [placed("editor"), placed("explorer")];
        texts.iter().map(|text| Rule::parse(&placed(text), &delegates).unwrap()).collect()
    }

    fn files<'a>(paths: &[&'a str]) -> Vec<Target<'a>> {
        paths.iter().map(|path| Target::File(path)).collect()
    }

    fn role(approve: &[EffectKind], allow: &[&str], deny: &[&str]) -> ApproveRules {
        ApproveRules { approve: approve.to_vec(), allow: rules(allow), deny: rules(deny) }
    }

    #[test]
    fn without_rules_what_was_granted_is_granted() {
        let rules = ApproveRules::default();
        assert_eq!(rules.judge(EffectKind::Write, &files(&["src/a.rs"])), Verdict::Granted);
        assert_eq!(rules.judge(EffectKind::Delegate, &[Target::Role("editor")]), Verdict::Granted);
    }

    #[test]
    fn a_deny_beats_every_allow_for_one_file_among_many_and_in_any_case() {
        let rules = role(&[EffectKind::Write], &["write **"], &["write **/*.lock", "write /docs/api/"]);
        for paths in [
            &["src/a.rs", "Cargo.lock"][..],
            &["deep/down/CARGO.LOCK"],
            &["docs/api/x/y.md"],
            &["Docs/API/x.md"],
        ] {
            assert!(
                matches!(rules.judge(EffectKind::Write, &files(paths)), Verdict::Denied { .. }),
                "{paths:?}"
            );
        }
        assert_eq!(rules.judge(EffectKind::Write, &files(&["src/a.rs", "sub/docs/api/x"])), Verdict::Granted);
    }

    #[test]
    fn an_allow_spares_the_question_only_if_it_covers_everything() {
        let rules = role(&[EffectKind::Write], &["write /docs/", "write *.md"], &[]);
        assert_eq!(rules.judge(EffectKind::Write, &files(&["docs/a", "src/b.md"])), Verdict::Granted);
        for paths in [&["docs/a", "src/b.rs"][..], &["Docs/a"], &["b.MD"], &[]] {
            assert_eq!(rules.judge(EffectKind::Write, &files(paths)), Verdict::Ask, "{paths:?}");
        }
    }

    #[test]
    fn rules_about_delegating_name_roles() {
        let asks = role(&[EffectKind::Delegate], &["delegate explorer"], &[]);
        assert_eq!(asks.judge(EffectKind::Delegate, &[Target::Role("explorer")]), Verdict::Granted);
        assert_eq!(asks.judge(EffectKind::Delegate, &[Target::Role("editor")]), Verdict::Ask);
        let never = role(&[], &[], &["delegate *"]);
        assert!(matches!(
            never.judge(EffectKind::Delegate, &[Target::Role("editor")]),
            Verdict::Denied { .. }
        ));
        assert_eq!(never.judge(EffectKind::Write, &files(&["editor"])), Verdict::Granted);
    }

    #[test]
    fn rules_about_requests_and_commands_are_about_the_effect_itself() {
        let get = |url| [Target::Request { method: "GET", url }];
        let network = EffectKind::Network;
        let asks = role(&[network], &["network https://docs.rs"], &["network https://docs.rs/admin*"]);
        assert_eq!(asks.judge(network, &get("https://docs.rs/serde")), Verdict::Granted);
        assert_eq!(asks.judge(network, &get("https://api.github.com/")), Verdict::Ask);
        assert!(matches!(asks.judge(network, &get("https://docs.rs/Admin/x")), Verdict::Denied { .. }));
        let argv = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (test, publish) = (argv("cargo test --lib"), argv("cargo publish"));
        let command = EffectKind::Command;
        let asks = role(&[command], &["command cargo test **"], &["command cargo publish **"]);
        assert_eq!(asks.judge(command, &[Target::Command(&test)]), Verdict::Granted);
        assert!(matches!(asks.judge(command, &[Target::Command(&publish)]), Verdict::Denied { .. }));
        assert!(asks.decides_about(command) && !asks.decides_about(network));
        let never = role(&[], &[], &["command *", "network *"]);
        assert!(matches!(never.judge(command, &[Target::Command(&test)]), Verdict::Denied { .. }));
        assert!(matches!(never.judge(network, &get("http://[::1]/")), Verdict::Denied { .. }));
        assert!(never.decides_about(command) && never.decides_about(network));
    }
}
