//! What can be typed beside prompts.

use remit_agent::roles::nearest;

/// What a line means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said<'a> {
    /// Nothing.
    Nothing,
    /// Words for the agent.
    Words(&'a str),
    Roles,
    Tools,
    Budget,
    /// What is pinned, or something more.
    Pin(Option<&'a str>),
    /// Which model is asked, or another one.
    Model(Option<&'a str>),
    /// The agents, or what one of them did.
    Trace(Option<&'a str>),
    Help,
    Quit,
    /// A command that there is not, or not so; why.
    Wrong(String),
}

/// Each command, what it takes, and what it does.
pub(crate) const COMMANDS: [(&str, &str, &str); 8] = [
    ("/roles", "", "who the agents are, and what each may touch"),
    ("/tools", "", "the tools of the role that answers"),
    ("/budget", "", "what a prompt may use, and what was used"),
    ("/pin", "[TEXT]", "something that every agent has to keep to from now on; alone: all that is pinned"),
    ("/model", "[MODEL]", "another model from the next prompt on; alone: the one that is asked"),
    ("/trace", "[AGENT]", "the agents so far, or what one of them did"),
    ("/help", "", "this"),
    ("/quit", "", "the end, as is Ctrl-D on an empty line"),
];

/// Whether a line is no words, whatever else it is.
pub(crate) fn is_command(line: &str) -> bool {
    line.starts_with('/') && !line.starts_with("//")
}

/// What `line` means.
pub(crate) fn parse(line: &str) -> Said<'_> {
    let line = line.trim();
    if line.is_empty() {
        return Said::Nothing;
    }
    if !is_command(line) {
        // `//x` is the text `/x`.
        return Said::Words(line.strip_prefix('/').unwrap_or(line));
    }
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = Some(rest.trim()).filter(|rest| !rest.is_empty());
    match (name, rest) {
        ("/roles", None) => Said::Roles,
        ("/tools", None) => Said::Tools,
        ("/budget", None) => Said::Budget,
        ("/help", None) => Said::Help,
        ("/quit", None) => Said::Quit,
        ("/pin", text) => Said::Pin(text),
        ("/model", choice) => Said::Model(choice),
        ("/trace", agent) => Said::Trace(agent),
        (name, Some(_)) if COMMANDS.iter().any(|(known, ..)| *known == name) => {
            Said::Wrong(format!("{name} takes nothing behind it"))
        }
        (name, _) => {
            let near = nearest(name, COMMANDS.iter().map(|(known, ..)| *known));
            let near = near.map(|near| format!(": did you mean {near}?")).unwrap_or_default();
            Said::Wrong(format!("there is no {name}{near} (/help lists them; //… sends text that begins so)"))
        }
    }
}

/// The commands that `begun` may be the beginning of, each as far as it can be completed.
pub(crate) fn completions(begun: &str) -> Vec<String> {
    let fits = COMMANDS.iter().filter(|(name, ..)| is_command(begun) && name.starts_with(begun));
    fits.map(|(name, takes, _)| if takes.is_empty() { (*name).to_owned() } else { format!("{name} ") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_words_unless_it_begins_with_one_slash() {
        for (line, meant) in [
            ("", Said::Nothing),
            ("  \n", Said::Nothing),
            (" what is / here? ", Said::Words("what is / here?")),
            ("//roles", Said::Words("/roles")),
            ("///x", Said::Words("//x")),
            ("/roles", Said::Roles),
            (" /tools ", Said::Tools),
            ("/pin", Said::Pin(None)),
            ("/pin  Be short. ", Said::Pin(Some("Be short."))),
            ("/model offline", Said::Model(Some("offline"))),
            ("/trace root/explorer#1", Said::Trace(Some("root/explorer#1"))),
            ("/quit", Said::Quit),
        ] {
            assert_eq!(parse(line), meant, "{line}");
        }
    }

    #[test]
    fn an_unknown_command_names_the_nearest() {
        let wrong = |line| match parse(line) {
            Said::Wrong(why) => why,
            other => panic!("{other:?}"),
        };
        assert!(wrong("/role").starts_with("there is no /role: did you mean /roles?"));
        assert!(wrong("/modle x").starts_with("there is no /modle: did you mean /model?"));
        assert!(wrong("/zzz").starts_with("there is no /zzz (/help"));
        assert_eq!(wrong("/quit now"), "/quit takes nothing behind it");
    }

    #[test]
    fn commands_are_completed_and_words_are_not() {
        assert_eq!(completions("/t"), ["/tools", "/trace "]);
        assert_eq!(completions("/").len(), COMMANDS.len());
        for begun in ["", "t", "//t", "/roles x"] {
            assert_eq!(completions(begun), [] as [String; 0], "{begun}");
        }
    }
}
