//! What runs leave, and how it is read back.

use std::fs::OpenOptions;
use std::io::Write;

use crate::stage::{Said, Stage, json_lines};

#[test]
fn runs_agents_and_conversations_are_shown() {
    let stage = Stage::shop();
    assert_eq!(stage.say(&["trace"]).fine(), "no runs in this workspace\n");
    let question = "Which test framework does this project use?";
    stage.say(&["run", question]).fine();
    let list = stage.say(&["trace"]).fine();
    assert!(list.contains("completed") && list.contains(question), "{list}");
    let id = list.split_whitespace().next().unwrap().to_owned();

    for run in ["last", &id, &id[..6]] {
        let tree = stage.say(&["trace", run]).fine();
        assert!(tree.starts_with("root  completed · "), "{tree}");
        assert!(tree.contains("\n  root/explorer#1  completed · "), "{tree}");
        assert!(tree.lines().all(|line| line.chars().count() <= 80), "{tree}");
    }
    let conversation = stage.say(&["trace", &id, "root/explorer#1"]).fine();
    for part in ["system\n", "user\n", "# Assignment", "→ search__grep", "search.grep · ", "end\n  completed"]
    {
        assert!(conversation.contains(part), "{part}: {conversation}");
    }
    let main = stage.say(&["trace", "last", "root"]).fine();
    assert!(main.contains("root/explorer#1\n  completed: ") && main.contains("answer\n"), "{main}");

    let runs = json_lines(&stage.say(&["trace", "--json"]).fine());
    assert_eq!((&runs[0]["run"], &runs[0]["status"]), (&id.clone().into(), &"completed".into()));
    let agents = json_lines(&stage.say(&["trace", "--json", "last"]).fine());
    assert_eq!(agents[1]["agent"], "root/explorer#1");
    assert_eq!(agents[1]["task"], question);
    let events = json_lines(&stage.say(&["trace", "--json", "last", "root"]).fine());
    let kept = std::fs::read_to_string(stage.session().join("events.jsonl")).unwrap();
    assert_eq!(events, json_lines(&kept));
}

#[test]
fn the_end_of_a_run_says_how_to_see_the_rest() {
    let stage = Stage::shop();
    let workspace = stage.workspace().display().to_string();
    let mut command = stage.remit(&["run", "--workspace", &workspace, "Which tests are there?"]);
    let said = Said::from(command.current_dir(stage.home()).output().unwrap());
    let rest = said.stderr.lines().find_map(|line| line.strip_prefix("all of it: remit ")).unwrap();
    let arguments: Vec<&str> = rest.split(' ').collect();
    let tree = Said::from(stage.remit(&arguments).current_dir(stage.home()).output().unwrap());
    assert!(tree.fine().starts_with("root  completed"));
}

#[test]
fn what_there_is_not_is_told_with_what_there_is() {
    let stage = Stage::shop();
    let error = stage.say(&["trace", "last"]).refused();
    assert!(error.contains("no run `last`"), "{error}");
    stage.say(&["run", "Which tests are there?"]).fine();
    let error = stage.say(&["trace", "last", "root/explorer"]).refused();
    assert!(error.contains("it has root, root/explorer#1"), "{error}");
}

#[test]
fn a_record_that_was_broken_off_is_read_as_far_as_it_goes() {
    let stage = Stage::shop();
    stage.say(&["run", "Which tests are there?"]).fine();
    let path = stage.session().join("events.jsonl");
    let kept = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = kept.lines().collect();
    // As a process leaves it that is killed in the middle of a line.
    std::fs::write(&path, lines[..4].join("\n") + "\n").unwrap();
    assert!(stage.say(&["trace"]).fine().contains("broken_off"));
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"no event\n{\"v\":1,\"seq\":9").unwrap();
    assert!(stage.say(&["trace"]).fine().contains("damaged"));
    let tree = stage.say(&["trace", "last"]).fine();
    assert!(tree.contains("root  broken off") && tree.contains("its process ended before it did"), "{tree}");
    let conversation = stage.say(&["trace", "last", "root"]).fine();
    assert!(
        conversation.contains("! line 5: not an event") && conversation.contains("torn"),
        "{conversation}"
    );
}

#[test]
fn what_cannot_be_recorded_is_not_begun() {
    let stage = Stage::shop();
    stage.write(".remit", "a file");
    let error = stage.say(&["run", "Which tests are there?"]).refused();
    assert!(error.contains(".remit is not a folder"), "{error}");
}
