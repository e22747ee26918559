use remit_agent::{Answer, Asked, Change, ChangeKind, Question};
use remit_pack::inert;
use remit_sandbox::command_line;

use crate::screen::{Screen, line};

/// The question, with what can be answered, and the cursor behind it.
pub(crate) fn question(question: &Question, screen: Screen) -> String {
    let (agent, role) = (line(&question.agent), line(&question.role));
    let (wants, mut effect) = match &question.effect {
        Asked::Write { files, more, diff } => {
            let mut lines: Vec<String> = files.iter().map(|file| format!("  {}", changed(file))).collect();
            if *more > 0 {
                lines.push(format!("  and {more} more"));
            }
            (
                format!("wants to write with {}", line(&question.tool)),
                format!("{}\n{}", lines.join("\n"), coloured(diff, screen)),
            )
        }
        Asked::Request { method, url } => (
            format!("wants to send a request with {}", line(&question.tool)),
            format!("  {} {}\n", line(method), line(url)),
        ),
        Asked::Command { argv, directory } => (
            format!("wants to run a command with {}", line(&question.tool)),
            format!("  {}\n  in {}\n", line(&command_line(argv)), place(directory)),
        ),
        Asked::Delegate { role, task, grants } => {
            let task = inert(task).lines().map(|line| format!("  │ {line}\n")).collect::<String>();
            (
                format!("wants to delegate to {}", line(role)),
                format!("{task}{}", screen.entry("", &line(grants), 2)),
            )
        }
    };
    if !effect.ends_with('\n') {
        effect.push('\n');
    }
    let what = question.effect.lasting().map(|what| format!("{} ", line(&what))).unwrap_or_default();
    format!(
        "\n{} {wants}\n{effect}{}",
        screen.careful(&agent),
        screen.strong(&format!(
            "y yes · a always {what}for {agent} · s always {what}for role {role} in this run · n no, and why: "
        )),
    )
}

fn place(directory: &str) -> String {
    if directory == "." { "the workspace".to_owned() } else { line(directory) }
}

/// What was meant by a line: whatever is no clear yes is a no, and its words are the reason.
pub(crate) fn answer(line: &str) -> Answer {
    let line = line.trim();
    match line.to_lowercase().as_str() {
        "y" | "yes" => Answer::Once,
        "a" => Answer::Agent,
        "s" => Answer::Session,
        _ => {
            let (first, rest) = line.split_once([' ', ',', ':']).unwrap_or((line, ""));
            let is_no = ["n", "no"].contains(&first.to_lowercase().as_str());
            Answer::No { reason: if is_no { rest.trim() } else { line }.to_owned() }
        }
    }
}

fn changed(file: &Change) -> String {
    let path = line(&file.path);
    match (file.kind, &file.from) {
        (ChangeKind::Created, _) => format!("create {path} +{}", file.added),
        (ChangeKind::Deleted, _) => format!("delete {path} −{}", file.removed),
        (ChangeKind::Moved, Some(from)) => {
            format!("move {} to {path} +{} −{}", line(from), file.added, file.removed)
        }
        _ => format!("change {path} +{} −{}", file.added, file.removed),
    }
}

fn coloured(diff: &str, screen: Screen) -> String {
    let colour = |line: &str| {
        let line = inert(line);
        match line.chars().next() {
            _ if line.starts_with("+++") || line.starts_with("---") => screen.strong(&line),
            Some('+') => screen.good(&line),
            Some('-') => screen.bad(&line),
            Some('@') => screen.faint(&line),
            _ => line.into_owned(),
        }
    };
    diff.lines().map(|line| format!("  {}\n", colour(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(effect: Asked) -> String {
        let question = Question {
            agent: "root/editor#1".into(),
            role: "editor".into(),
            tool: "edit.edit_file".into(),
            effect,
        };
        super::question(&question, Screen::plain(80))
    }

    #[test]
    fn the_question_shows_the_effect_and_what_can_be_answered() {
        let file = Change {
            path: "src/a.rs".into(),
            kind: ChangeKind::Modified,
            from: None,
            added: 1,
            removed: 1,
            binary: false,
        };
        let diff = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-old\n+new\u{1b}[2J\n".to_owned();
        let expected = "
root/editor#1 wants to write with edit.edit_file
  change src/a.rs +1 −1
  --- a/src/a.rs
  +++ b/src/a.rs
  @@ -1 +1 @@
  -old
  +new\\u{1b}[2J
y yes · a always for root/editor#1 · s always for role editor in this run · n no, and why: ";
        assert_eq!(asked(Asked::Write { files: vec![file], more: 0, diff }), expected);
        let delegate = Asked::Delegate {
            role: "explorer".into(),
            task: "Look.\nThen say.".into(),
            grants: "Finds things. Reads `.`.".into(),
        };
        let expected = "
root/editor#1 wants to delegate to explorer
  │ Look.
  │ Then say.
  Finds things. Reads `.`.
";
        assert!(asked(delegate).starts_with(expected));
    }

    #[test]
    fn a_request_and_a_command_are_shown_exactly_and_do_nothing_on_a_screen() {
        let url = "https://docs.rs/a?b=\u{1b}[2J\u{202e}".to_owned();
        let expected = "
root/editor#1 wants to send a request with edit.edit_file
  GET https://docs.rs/a?b=\\u{1b}[2J\\u{202e}
y yes · a always GET https://docs.rs for root/editor#1 · s always GET https://docs.rs for role editor in this run · \
                        n no, and why: ";
        assert_eq!(asked(Asked::Request { method: "GET".into(), url }), expected);
        let argv = ["cargo", "test", "a b", "it's", ""].map(str::to_owned).to_vec();
        let expected = "
root/editor#1 wants to run a command with edit.edit_file
  cargo test 'a b' 'it'\\''s' ''
  in the workspace
y yes · a always this command for root/editor#1 · s always this command for role editor in this run · n no, and why: ";
        assert_eq!(asked(Asked::Command { argv, directory: ".".into() }), expected);
    }

    #[test]
    fn whatever_is_no_clear_yes_is_a_no() {
        let no = |reason: &str| Answer::No { reason: reason.to_owned() };
        for (line, meant) in [
            ("y", Answer::Once),
            (" YES ", Answer::Once),
            ("a", Answer::Agent),
            ("s", Answer::Session),
            ("", no("")),
            ("n", no("")),
            ("No, use tabs", no("use tabs")),
            ("n use tabs", no("use tabs")),
            ("yy", no("yy")),
            ("yes please", no("yes please")),
        ] {
            assert_eq!(answer(line), meant, "{line}");
        }
    }
}
