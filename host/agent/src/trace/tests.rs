use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Arc;

use super::*;
use crate::event::EventSink;
use crate::record::Recorder;

fn event(seq: u64, agent: &str, text: &str) -> Arc<Event> {
    Arc::new(Event { seq, time: 5, agent: agent.into(), kind: EventKind::Warning { text: text.into() } })
}

fn started(prompt: &str) -> Arc<Event> {
    let kind = EventKind::RunStarted {
        version: "1".into(),
        prompt: prompt.into(),
        pins: vec![],
        role: "root".into(),
    };
    Arc::new(Event { seq: 1, time: 5, agent: "root".into(), kind })
}

#[test]
fn what_was_recorded_is_read_back_agent_by_agent() {
    let workspace = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(workspace.path()).unwrap();
    for event in [
        started("why?"),
        event(2, "root/explorer#2", "child"),
        event(3, "root/explorer#1", "a"),
        event(4, "root", "main"),
    ] {
        recorder.accept(&event).unwrap();
    }
    let session = session(workspace.path(), recorder.id()).unwrap();
    assert_eq!(session.agents().unwrap(), ["root", "root/explorer#2", "root/explorer#1"]);
    assert_eq!(
        session.trace("root").unwrap().events,
        [(*started("why?")).clone(), (*event(4, "root", "main")).clone()]
    );
    let child = session.trace("root/explorer#2").unwrap();
    assert_eq!(child.events, [(*event(2, "root/explorer#2", "child")).clone()]);
    let running =
        Summary { prompt: "why?".into(), time: 5, status: None, is_running: true, is_damaged: false };
    assert_eq!(session.summary().unwrap(), running);
    drop(recorder);
    assert!(!session.is_running());
}

#[test]
fn a_conversation_is_told_by_its_first_prompt_and_the_end_of_its_last() {
    let workspace = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(workspace.path()).unwrap();
    let outcome = crate::outcome::Outcome {
        status: Status::Completed,
        limit: None,
        reason: None,
        answer: String::new(),
        warnings: vec![],
        unfinished: vec![],
        changes: vec![],
        verification: vec![],
        hosts: vec![],
        figures: crate::outcome::Figures::default(),
    };
    let ended = Event { seq: 2, time: 6, agent: "root".into(), kind: EventKind::Outcome(outcome) };
    let summary = || session(workspace.path(), recorder.id()).unwrap().summary().unwrap();
    recorder.accept(&started("why?")).unwrap();
    recorder.accept(&Arc::new(ended)).unwrap();
    assert_eq!(summary().status, Some(Status::Completed));
    recorder.accept(&started("and how?")).unwrap();
    assert_eq!((summary().prompt.as_str(), summary().status), ("why?", None), "its last prompt has no end");
}

#[test]
fn runs_are_listed_newest_first_and_found_by_the_beginning_of_their_id() {
    let workspace = tempfile::tempdir().unwrap();
    assert_eq!(sessions(workspace.path()).unwrap(), []);
    let folder = sessions_folder(workspace.path());
    for id in ["20260101-000000", "20260101-000000-2", "20260101-000000-10", "20260730-120000", "empty"] {
        fs::create_dir_all(folder.join(id)).unwrap();
        if id != "empty" {
            fs::write(folder.join(id).join(EVENTS_FILE), "").unwrap();
        }
    }
    let ids: Vec<String> =
        sessions(workspace.path()).unwrap().into_iter().map(|session| session.id).collect();
    assert_eq!(ids, ["20260730-120000", "20260101-000000-10", "20260101-000000-2", "20260101-000000"]);
    assert_eq!(session(workspace.path(), "202607").unwrap().id(), "20260730-120000");
    assert_eq!(session(workspace.path(), "20260101-000000").unwrap().id(), "20260101-000000");
    for none in ["../x", "20260731-120000"] {
        assert!(matches!(session(workspace.path(), none), Err(TraceError::NoSession { .. })), "{none}");
    }
    let error = session(workspace.path(), "2026").unwrap_err().to_string();
    assert_eq!(error, "more than one run's id begins with `2026`: 20260730-120000, 20260101-000000-10 …");
}

#[test]
fn pipes_in_place_of_records_are_not_waited_for() {
    let workspace = tempfile::tempdir().unwrap();
    let folder = sessions_folder(workspace.path());
    let pipe = |path: &Path| {
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    };
    for id in ["20260101-000000", "20260101-000001"] {
        fs::create_dir_all(folder.join(id)).unwrap();
        pipe(&folder.join(id).join(LOCK_FILE));
    }
    pipe(&folder.join("20260101-000000").join(EVENTS_FILE));
    let kept = started("why?").to_line().unwrap();
    fs::write(folder.join("20260101-000001").join(EVENTS_FILE), kept + "\n").unwrap();
    let all = sessions(workspace.path()).unwrap();
    assert_eq!(all.iter().map(Session::id).collect::<Vec<_>>(), ["20260101-000001"]);
    let summary = all[0].summary().unwrap();
    assert_eq!((summary.prompt.as_str(), summary.is_running), ("why?", false));
}

#[test]
fn a_line_longer_than_any_event_is_passed_over_and_not_held() {
    let workspace = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(workspace.path()).unwrap();
    let mut file = File::create(recorder.folder().join(EVENTS_FILE)).unwrap();
    // Zeros that take no room on the disk.
    file.set_len((64 << 20) + 5).unwrap();
    io::Seek::seek(&mut file, io::SeekFrom::End(0)).unwrap();
    writeln!(file, "\n{}", started("why?").to_line().unwrap()).unwrap();
    let session = session(workspace.path(), recorder.id()).unwrap();
    let trace = session.trace("root").unwrap();
    assert_eq!(trace.events, [(*started("why?")).clone()]);
    assert_eq!(trace.problems[0].1.to_string(), "not an event: longer than 67108864 bytes");
    let summary = session.summary().unwrap();
    assert_eq!((summary.prompt.as_str(), summary.is_damaged), ("why?", true));
}

#[test]
fn a_torn_tail_and_a_bad_line_are_told_and_cost_no_other_line() {
    let workspace = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(workspace.path()).unwrap();
    recorder.accept(&started("why?")).unwrap();
    let path = recorder.folder().join(EVENTS_FILE);
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    writeln!(file, "edited by hand\n{}", event(3, "root", "after").to_line().unwrap()).unwrap();
    write!(file, "{{\"v\":1,\"seq\":4").unwrap();
    let trace = session(workspace.path(), recorder.id()).unwrap().trace("root").unwrap();
    assert_eq!(trace.events.len(), 2);
    assert_eq!(trace.problems.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2]);
    assert!(trace.is_torn);
}

#[test]
fn an_agent_that_was_not_there_is_told_who_was() {
    let workspace = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(workspace.path()).unwrap();
    recorder.accept(&event(2, "root/explorer#1", "a")).unwrap();
    recorder.accept(&started("why?")).unwrap();
    let session = session(workspace.path(), recorder.id()).unwrap();
    let error = session.trace("root/editor#1").unwrap_err().to_string();
    assert!(error.ends_with("has no agent `root/editor#1`; it has root, root/explorer#1"), "{error}");
}
