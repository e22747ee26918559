//! What a role asks a person about, and what it may do, or never does, without asking: `approve`, `allow` and `deny`.

use std::fmt;

use ignore::gitignore::GitignoreBuilder;

use super::effect::EffectKind;
use super::pattern::check_pattern;
use super::problem::Problem;
use super::reader::{Reader, Section};
use super::section::Placed;
use super::shown::shown;
use super::suggest::nearest;

/// What stands for every kind, those of later versions included.
const ALL: &str = "all";

/// What stands for every role of `delegates` in a rule.
const ANY_ROLE: &str = "*";

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
/// `write PATTERN` is about the files that a gitignore pattern matches; `delegate ROLE` about one role, `delegate *`
/// about every.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    kind: EffectKind,
    pattern: String,
    line: u32,
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
        self.kind
    }

    /// The pattern of files, or the name of a role.
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
            return Err(match EffectKind::parse(trimmed) {
                Err(later @ Problem::LaterEffect(_)) => later,
                _ => Problem::BadRule(shown(trimmed)),
            });
        };
        let (kind, pattern) = (EffectKind::parse(word)?, pattern.trim());
        match kind {
            EffectKind::Write => check_pattern(pattern)
                .map_err(|problem| Problem::Pattern { pattern: shown(pattern), problem })?,
            EffectKind::Delegate => {
                let names = || delegates.iter().map(|name| name.value.as_str());
                if pattern != ANY_ROLE && !names().any(|name| name == pattern) {
                    let nearest = nearest(pattern, names()).map(|name| shown(&name));
                    return Err(Problem::NoDelegate { name: shown(pattern), nearest });
                }
            }
        }
        Ok(Rule { kind, pattern: pattern.to_owned(), line: text.at.line })
    }

    /// Whether it is about `target`. A deny also holds for a name in other letters, which some file systems take for the
    /// same file; an allow does not reach so far.
    fn matches(&self, target: &str, any_case: bool) -> bool {
        match self.kind {
            EffectKind::Delegate => self.pattern == ANY_ROLE || self.pattern == target,
            EffectKind::Write => {
                let mut builder = GitignoreBuilder::new("");
                let built = builder
                    .case_insensitive(any_case)
                    .and_then(|builder| builder.add_line(None, &self.pattern))
                    .and_then(|builder| builder.build());
                // It was checked when it was read. If it can't be matched all the same, a deny denies.
                let Ok(rules) = built else { return any_case };
                rules.matched_path_or_any_parents(target.trim_start_matches('/'), false).is_ignore()
            }
        }
    }
}

/// As the file would say it: `write **/*.lock`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.pattern)
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

    pub(super) fn allow(&self) -> &[Rule] {
        &self.allow
    }

    pub(super) fn deny(&self) -> &[Rule] {
        &self.deny
    }

    /// A deny beats every allow, and an allow spares the question only if it holds for all of `targets`.
    pub(super) fn judge(&self, kind: EffectKind, targets: &[&str]) -> Verdict<'_> {
        for rule in self.deny.iter().filter(|rule| rule.kind == kind) {
            if let Some(target) = targets.iter().find(|target| rule.matches(target, true)) {
                return Verdict::Denied { rule, target: (*target).to_owned() };
            }
        }
        if !self.asks_before(kind) {
            return Verdict::Granted;
        }
        let allow = || self.allow.iter().filter(|rule| rule.kind == kind);
        let is_allowed = |target: &&str| allow().any(|rule| rule.matches(target, false));
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

    fn role(approve: &[EffectKind], allow: &[&str], deny: &[&str]) -> ApproveRules {
        ApproveRules { approve: approve.to_vec(), allow: rules(allow), deny: rules(deny) }
    }

    #[test]
    fn without_rules_what_was_granted_is_granted() {
        let rules = ApproveRules::default();
        assert_eq!(rules.judge(EffectKind::Write, &["src/a.rs"]), Verdict::Granted);
        assert_eq!(rules.judge(EffectKind::Delegate, &["editor"]), Verdict::Granted);
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
            assert!(matches!(rules.judge(EffectKind::Write, paths), Verdict::Denied { .. }), "{paths:?}");
        }
        assert_eq!(rules.judge(EffectKind::Write, &["src/a.rs", "sub/docs/api/x"]), Verdict::Granted);
    }

    #[test]
    fn an_allow_spares_the_question_only_if_it_covers_everything() {
        let rules = role(&[EffectKind::Write], &["write /docs/", "write *.md"], &[]);
        assert_eq!(rules.judge(EffectKind::Write, &["docs/a", "src/b.md"]), Verdict::Granted);
        for paths in [&["docs/a", "src/b.rs"][..], &["Docs/a"], &["b.MD"], &[]] {
            assert_eq!(rules.judge(EffectKind::Write, paths), Verdict::Ask, "{paths:?}");
        }
    }

    #[test]
    fn rules_about_delegating_name_roles() {
        let asks = role(&[EffectKind::Delegate], &["delegate explorer"], &[]);
        assert_eq!(asks.judge(EffectKind::Delegate, &["explorer"]), Verdict::Granted);
        assert_eq!(asks.judge(EffectKind::Delegate, &["editor"]), Verdict::Ask);
        let never = role(&[], &[], &["delegate *"]);
        assert!(matches!(never.judge(EffectKind::Delegate, &["editor"]), Verdict::Denied { .. }));
        assert_eq!(never.judge(EffectKind::Write, &["editor"]), Verdict::Granted);
    }
}
