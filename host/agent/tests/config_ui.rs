//! What a user reads when a `roles.toml` is wrong: every `tests/ui/NAME.toml` with its answer, `NAME.err`.
//!
//! An empty answer is a file without errors and warnings. After a change that is meant, `REMIT_BLESS=1` writes the
//! answers anew; read the difference before committing it.

#![expect(clippy::unwrap_used, reason = "the helpers belong to tests")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use remit_agent::roles::{BuiltIn, KnownTools, Roles, RolesSource};

/// The text of the built-in roles is not what is tested here.
const BUILT_IN: BuiltIn<'static> =
    BuiltIn { roles: "", plugins: &["command", "edit", "fetch", "files", "search"] };

#[test]
fn every_mistake_has_its_answer() {
    let cases = cases();
    assert!(cases.len() > 50, "only {} cases were found", cases.len());
    let bless = std::env::var_os("REMIT_BLESS").is_some();
    let mut wrong = Vec::new();
    for case in cases {
        let answer = answer(&case);
        let expected = case.with_extension("err");
        if bless {
            fs::write(&expected, &answer).unwrap();
        } else if fs::read_to_string(&expected).ok().as_deref() != Some(&answer) {
            wrong.push(format!("{} answered:\n{answer}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The file that ships is as sound as any.
#[test]
fn the_built_in_roles_have_no_error_and_no_warning() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../roles.toml");
    assert_eq!(answer(&shipped), "");
}

/// Half a file, as an editor or a full disk leaves it, is answered like any other.
#[test]
fn a_file_that_is_cut_anywhere_is_answered() {
    let dir = workspace();
    for case in ["ok-everything", "many-problems", "circle-of-three", "patterns-bad"] {
        let text = fs::read_to_string(folder().join(case).with_extension("toml")).unwrap();
        for (cut, _) in text.char_indices() {
            let built_in = BuiltIn { roles: &text[..cut], ..BUILT_IN };
            if let Err(error) = Roles::load(RolesSource::BuiltIn, &built_in, dir.path()) {
                assert!(
                    error.to_string().starts_with("built-in roles.toml:"),
                    "{case} cut at {cut}: {error}"
                );
            }
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

fn cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    cases.sort();
    cases
}

/// What is said about the file, put into a workspace as its `roles.toml`.
fn answer(case: &Path) -> String {
    let dir = workspace();
    let own = dir.path().join("roles.toml");
    fs::copy(case, &own).unwrap();
    let roles = match Roles::load(RolesSource::choose(dir.path(), None), &BUILT_IN, dir.path()) {
        Ok(roles) => roles,
        Err(error) => return format!("{error}\n"),
    };
    let plugins = roles.read_plugins(dir.path(), 1000);
    let tools = roles.check_tools(&known_tools());
    let errors = [plugins.err(), tools.err()].into_iter().flatten().map(|error| format!("{error}\n"));
    let warnings = roles.warnings().iter().map(|warning| format!("{}\n", warning.as_warning()));
    errors.chain(warnings).collect()
}

fn workspace() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for directory in ["src/parser", "docs", "private", "prompts", "plugins/archive/wit"] {
        fs::create_dir_all(dir.path().join(directory)).unwrap();
    }
    for (file, text) in [
        ("README.md", "Hello.\n".to_owned()),
        ("prompts/explorer.md", "Find things.\n".to_owned()),
        ("prompts/empty.md", "\n".to_owned()),
        ("plugins/archive.wasm", "a component".to_owned()),
        ("plugins/large.wasm", "x".repeat(1001)),
        ("plugins/archive/wit/archive.wit", "package archive:archive;\n".to_owned()),
    ] {
        fs::write(dir.path().join(file), text).unwrap();
    }
    fs::write(dir.path().join("prompts/latin1.md"), b"na\xefve\n").unwrap();
    symlink("../private", dir.path().join("src/linked")).unwrap();
    symlink("/etc/hostname", dir.path().join("prompts/outside.md")).unwrap();
    dir
}

fn known_tools() -> KnownTools {
    let mut known = KnownTools::new();
    let edit = ["edit.write_file", "edit.edit_file", "edit.move", "edit.delete", "edit.apply_patch"];
    known.add("edit", edit, [] as [(&str, &str); 0]);
    known.add("files", ["files.list_files", "files.find_files", "files.read_file"], [] as [(&str, &str); 0]);
    known.add("search", ["search.grep"], [] as [(&str, &str); 0]);
    known.add("fetch", ["fetch.get"], [] as [(&str, &str); 0]);
    known.add("command", ["command.run"], [] as [(&str, &str); 0]);
    known.add("archive", ["archive.list"], [("archive.open", "its result holds a resource")]);
    known
}
