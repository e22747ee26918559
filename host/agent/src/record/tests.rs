use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;

fn event(seq: u64, agent: &str) -> Arc<Event> {
    Arc::new(Event { seq, time: 5, agent: agent.into(), kind: EventKind::Warning { text: "w".into() } })
}

#[test]
fn a_session_is_its_owners_alone_and_git_ignores_it() {
    let workspace = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(workspace.path()).unwrap();
    recorder.accept(&event(1, "root")).unwrap();
    let home = workspace.path().join(FOLDER);
    assert_eq!(fs::read_to_string(home.join(".gitignore")).unwrap(), "*\n");
    for (path, mode) in [
        (home.clone(), 0o700),
        (recorder.folder().to_owned(), 0o700),
        (recorder.folder().join(EVENTS_FILE), 0o600),
    ] {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
}

#[test]
fn a_folder_that_is_there_already_is_ignored_by_git_too_and_an_own_rule_is_kept() {
    let workspace = tempfile::tempdir().unwrap();
    let home = workspace.path().join(FOLDER);
    fs::create_dir(&home).unwrap();
    Recorder::create(workspace.path()).unwrap();
    assert_eq!(fs::read_to_string(home.join(".gitignore")).unwrap(), "*\n");
    fs::write(home.join(".gitignore"), "sessions/\n").unwrap();
    Recorder::create(workspace.path()).unwrap();
    assert_eq!(fs::read_to_string(home.join(".gitignore")).unwrap(), "sessions/\n");
}

#[test]
fn a_line_is_in_its_agents_file_when_the_recorder_returns() {
    let workspace = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(workspace.path()).unwrap();
    let main = recorder.folder().join(EVENTS_FILE);
    let child = recorder.folder().join("traces/root.explorer#1.jsonl");
    for seq in [1, 3] {
        recorder.accept(&event(seq, "root")).unwrap();
        recorder.accept(&event(seq + 1, "root/explorer#1")).unwrap();
        assert!(
            fs::read_to_string(&main)
                .unwrap()
                .ends_with(&format!("{}\n", event(seq, "root").to_line().unwrap()))
        );
    }
    assert_eq!(fs::read_to_string(&main).unwrap().lines().count(), 2);
    assert_eq!(fs::read_to_string(&child).unwrap().lines().count(), 2);
}

#[test]
fn what_is_only_for_watching_is_in_no_file() {
    let workspace = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(workspace.path()).unwrap();
    let kind = EventKind::TextDelta { text: "t".into() };
    recorder.accept(&Arc::new(Event { seq: 1, time: 1, agent: "root".into(), kind })).unwrap();
    assert!(!recorder.folder().join(EVENTS_FILE).exists());
}

#[test]
fn every_run_has_a_session_of_its_own() {
    let workspace = tempfile::tempdir().unwrap();
    let recorders: Vec<Recorder> = (0..5).map(|_| Recorder::create(workspace.path()).unwrap()).collect();
    let mut ids: Vec<&str> = recorders.iter().map(Recorder::id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

#[test]
fn a_second_writer_is_refused_and_told_who_the_first_is() {
    let workspace = tempfile::tempdir().unwrap();
    let first = Recorder::create(workspace.path()).unwrap();
    let again = || Recorder::open(first.folder().to_owned(), first.id().to_owned());
    let error = again().err().unwrap().to_string();
    let expected = format!(
        "session {} is being written by process {}; wait for it to end, or start another session",
        first.id(),
        std::process::id()
    );
    assert_eq!(error, expected);
}

#[test]
fn a_link_in_place_of_the_folder_is_not_followed() {
    let workspace = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), workspace.path().join(FOLDER)).unwrap();
    assert!(matches!(Recorder::create(workspace.path()), Err(RecordError::NotAFolder(_))));
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);

    fs::remove_file(workspace.path().join(FOLDER)).unwrap();
    fs::create_dir(workspace.path().join(FOLDER)).unwrap();
    symlink(elsewhere.path(), workspace.path().join(FOLDER).join(SESSIONS)).unwrap();
    assert!(matches!(Recorder::create(workspace.path()), Err(RecordError::NotAFolder(_))));
    assert_eq!(fs::metadata(elsewhere.path()).unwrap().nlink(), 2, "nothing was made in it");
}

#[test]
fn a_full_disk_is_reported_and_nothing_is_written_behind_the_torn_line() {
    let workspace = tempfile::tempdir().unwrap();
    let recorder = Recorder::create(workspace.path()).unwrap();
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    recorder.files.lock().unwrap().open.insert("root".into(), full);
    let error = recorder.accept(&event(1, "root")).unwrap_err();
    assert!(error.0.contains("cannot record to") && error.0.contains("No space left"), "{error}");
    assert_eq!(recorder.accept(&event(2, "root/explorer#1")).unwrap_err(), error);
    assert!(!recorder.folder().join("traces/root.explorer#1.jsonl").exists());
}
