use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

struct Case {
    dir: tempfile::TempDir,
    store: TrustStore,
    workspace: PathBuf,
}

fn case() -> Case {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("workspace");
    fs::create_dir(&workspace).unwrap();
    let store = TrustStore::at(dir.path().join("config/remit"));
    Case { dir, store, workspace }
}

fn manifest(text: &str) -> Manifest {
    Manifest::from_files([("roles.toml".to_owned(), Digest::of(text.as_bytes()))])
}

impl Case {
    fn standing(&self, text: &str) -> Standing {
        self.store.standing(&self.workspace, &manifest(text)).unwrap()
    }

    fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.dir.path().join(path)).unwrap().permissions().mode() & 0o777
    }

    fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.dir.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[test]
fn only_what_was_trusted_is_trusted() {
    let case = case();
    assert_eq!(case.standing("a"), Standing::Unknown);
    assert!(!case.dir.path().join("config").exists(), "asking writes nothing");
    case.store.trust(&case.workspace, &manifest("a")).unwrap();
    assert_eq!(case.standing("a"), Standing::Trusted);
    assert_eq!(case.standing("b"), Standing::Changed(vec![Change::Changed("roles.toml".into())]));
}

#[test]
fn the_same_file_elsewhere_is_not_trusted() {
    let case = case();
    case.store.trust(&case.workspace, &manifest("a")).unwrap();
    let other = case.dir.path().join("other");
    fs::create_dir(&other).unwrap();
    assert_eq!(case.store.standing(&other, &manifest("a")).unwrap(), Standing::Unknown);
}

#[test]
fn a_workspace_is_the_same_by_another_name() {
    let case = case();
    let link = case.dir.path().join("link");
    symlink(&case.workspace, &link).unwrap();
    case.store.trust(&link, &manifest("a")).unwrap();
    assert_eq!(case.standing("a"), Standing::Trusted);
}

#[test]
fn earlier_states_stay_trusted_and_the_newest_are_kept() {
    let case = case();
    for i in 0..=MAX_PER_WORKSPACE {
        case.store.trust(&case.workspace, &manifest(&i.to_string())).unwrap();
    }
    assert_ne!(case.standing("0"), Standing::Trusted);
    for i in 1..=MAX_PER_WORKSPACE {
        assert_eq!(case.standing(&i.to_string()), Standing::Trusted, "{i}");
    }
    // Trusting one anew makes it the newest.
    case.store.trust(&case.workspace, &manifest("1")).unwrap();
    case.store.trust(&case.workspace, &manifest("new")).unwrap();
    assert_eq!(case.standing("1"), Standing::Trusted);
    assert_ne!(case.standing("2"), Standing::Trusted);
}

#[test]
fn what_is_revoked_is_unknown() {
    let case = case();
    assert!(!case.store.revoke(&case.workspace).unwrap());
    case.store.trust(&case.workspace, &manifest("a")).unwrap();
    case.store.trust(&case.workspace, &manifest("b")).unwrap();
    assert!(case.store.revoke(&case.workspace).unwrap());
    assert_eq!(case.standing("a"), Standing::Unknown);
}

#[test]
fn nobody_else_can_read_or_write_it() {
    let case = case();
    case.store.trust(&case.workspace, &manifest("a")).unwrap();
    assert_eq!(case.mode("config/remit"), 0o700);
    assert_eq!(case.mode("config/remit/trust.toml"), 0o600);
    let names = fs::read_dir(case.dir.path().join("config/remit")).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["trust.lock", "trust.toml"]);
}

#[test]
fn a_store_that_others_can_write_is_not_believed() {
    let case = case();
    case.store.trust(&case.workspace, &manifest("a")).unwrap();
    for path in ["config/remit/trust.toml", "config/remit"] {
        let mode = case.mode(path);
        case.set_mode(path, mode | 0o022);
        let error = case.store.standing(&case.workspace, &manifest("a")).unwrap_err();
        assert!(matches!(error, TrustError::OpenToOthers { .. }), "{error}");
        assert!(case.store.trust(&case.workspace, &manifest("b")).is_err());
        case.set_mode(path, mode);
    }
    assert_eq!(case.standing("a"), Standing::Trusted);
}

#[test]
fn a_damaged_store_trusts_nothing_and_is_not_overwritten() {
    let case = case();
    case.store.trust(&case.workspace, &manifest("a")).unwrap();
    let file = case.dir.path().join("config/remit/trust.toml");
    let good = fs::read_to_string(&file).unwrap();
    for (text, reason) in [
        ("version = 1\n[[trusted]]\nworkspace = 3".to_owned(), "is damaged: "),
        (good.replace("version = 1", "version = 2"), "it has the form 2, this version of remit knows 1"),
        (good.replace("sha256 = \"", "sha256 = \"x"), "a sha256 is not one"),
        (format!("{good}\nmore = 1\n"), "is damaged: "),
        (good[..good.len() / 2].to_owned(), "is damaged: "),
    ] {
        fs::write(&file, &text).unwrap();
        let error = case.store.standing(&case.workspace, &manifest("a")).unwrap_err().to_string();
        assert!(error.contains(reason) && error.contains("trust.toml"), "{error}");
        case.store.trust(&case.workspace, &manifest("b")).unwrap_err();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn what_a_dead_process_left_is_in_nobodys_way() {
    let case = case();
    case.store.trust(&case.workspace, &manifest("a")).unwrap();
    fs::write(case.dir.path().join("config/remit/trust.toml.new"), "half").unwrap();
    case.store.trust(&case.workspace, &manifest("b")).unwrap();
    assert_eq!(case.standing("a"), Standing::Trusted);
    assert_eq!(case.standing("b"), Standing::Trusted);
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let case = case();
    let workspaces: Vec<PathBuf> = (0..16).map(|i| case.dir.path().join(format!("w{i}"))).collect();
    std::thread::scope(|scope| {
        for workspace in &workspaces {
            fs::create_dir(workspace).unwrap();
            scope.spawn(|| case.store.trust(workspace, &manifest("a")).unwrap());
        }
    });
    for workspace in &workspaces {
        assert_eq!(case.store.standing(workspace, &manifest("a")).unwrap(), Standing::Trusted);
    }
}
