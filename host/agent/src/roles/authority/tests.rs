use super::super::load::BuiltIn;
use super::super::source::RolesSource;
use super::*;

struct Case {
    dir: tempfile::TempDir,
    roles: Roles,
}

fn case(text: &str) -> Case {
    let dir = tempfile::tempdir().unwrap();
    for path in ["src/a", "src/b", "docs", "private"] {
        std::fs::create_dir_all(dir.path().join(path)).unwrap();
    }
    std::fs::write(dir.path().join("src/main.rs"), "").unwrap();
    std::os::unix::fs::symlink("../private", dir.path().join("src/link")).unwrap();
    let roles =
        Roles::load(RolesSource::BuiltIn, &BuiltIn { roles: text, plugins: &[] }, dir.path()).unwrap();
    Case { dir, roles }
}

impl Case {
    fn narrow(&self, from: &Narrowing, role: &str, paths: &[&str]) -> Result<Narrowing, String> {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let role = self.roles.get(role).unwrap();
        from.narrow(&self.roles, role, &paths, self.dir.path()).map_err(|error| error.to_string())
    }

    fn read(&self, role: &str, narrowing: &Narrowing) -> Vec<String> {
        let authority = Authority::of(&self.roles, self.roles.get(role).unwrap(), narrowing);
        authority.read().iter().map(ToString::to_string).collect()
    }
}

const ROLES: &str = r#"
[roles.wide]
description = "Reads all."
read = ["."]

[roles.source]
description = "Reads sources."
read = ["src", "src/a"]

[roles.docs]
description = "Reads documents."
read = ["docs"]

[roles.blind]
description = "Reads nothing."
"#;

#[test]
fn a_role_alone_has_what_it_names() {
    let case = case(ROLES);
    let none = Narrowing::default();
    assert_eq!(case.read("wide", &none), ["."]);
    assert_eq!(case.read("source", &none), ["src"]);
    assert_eq!(case.read("blind", &none), [] as [&str; 0]);
}

#[test]
fn each_delegation_can_only_take_away() {
    let case = case(ROLES);
    let src = case.narrow(&Narrowing::default(), "wide", &["src", "./docs/", "src/b"]).unwrap();
    assert_eq!(case.read("wide", &src), ["src", "docs"]);
    let deeper = case.narrow(&src, "source", &["src/a"]).unwrap();
    assert_eq!(case.read("source", &deeper), ["src/a"]);
    assert_eq!(case.read("wide", &deeper), ["src/a"], "a wider role further down gets no more");
    assert_eq!(case.read("docs", &deeper), [] as [&str; 0], "nor does one that reads elsewhere");
    let error = case.narrow(&deeper, "wide", &["src/b"]).unwrap_err();
    let expected =
        "cannot narrow wide to `src/b`: it may read `src/a` and nothing else here (built-in roles.toml:4)";
    assert_eq!(error, expected);
}

#[test]
fn a_path_that_is_not_within_is_refused_by_role_path_and_line() {
    let case = case(ROLES);
    for path in ["docs", ".", "srcs", "docs/not-there"] {
        let error = case.narrow(&Narrowing::default(), "source", &[path]).unwrap_err();
        let expected = format!(
            "cannot narrow source to `{path}`: it may read `src` and nothing else here (built-in roles.toml:8)"
        );
        assert_eq!(error, expected);
    }
    let error = case.narrow(&Narrowing::default(), "blind", &["src"]).unwrap_err();
    assert!(error.contains("it may read nothing here (built-in roles.toml:14)"), "{error}");
}

#[test]
fn only_real_directories_narrow() {
    let case = case(ROLES);
    for (path, expected) in [
        (
            "src/main.rs",
            "`src/main.rs` is a file, not a directory; name the directory that holds it, \"src\"",
        ),
        ("src/c", "`src/c` does not exist in the workspace; paths are relative to the workspace"),
        (
            "src/link",
            "`src/link` is a symbolic link; name what it leads to, \"private\", if that is in the workspace",
        ),
        ("src/../private", "`..` may leave the workspace"),
        ("/etc", "an absolute path is outside of the workspace"),
        ("src\\a", "a backslash is no separator here"),
        ("", "an empty path names nothing"),
    ] {
        let error = case.narrow(&Narrowing::default(), "source", &[path]).unwrap_err();
        assert!(error.contains(expected), "{path}: {error}");
    }
    assert!(case.narrow(&Narrowing::default(), "source", &[]).unwrap_err().contains("`paths` is empty"));
}

#[test]
fn what_the_ceiling_and_the_role_hide_goes_along() {
    let case = case(
        "[ceiling]\nread = [\"src\"]\nhidden = [\"*.x\"]\nreveal = [\".env.example\"]\n\
         [roles.a]\ndescription = \"A.\"\nread = [\"src/a\"]\nhidden = [\"*.y\"]\n",
    );
    let authority = Authority::of(&case.roles, case.roles.get("a").unwrap(), &Narrowing::default());
    assert_eq!(authority.hidden(), ["*.x"]);
    assert_eq!(authority.reveal(), [".env.example"]);
    assert_eq!(authority.role_hidden(), ["*.y"]);
    assert_eq!(authority.in_words(), "`src/a`");
    assert_eq!(authority.writes_in_words(), None);
}

const WRITING: &str = r#"
[ceiling]
read = ["."]
write = ["src", "docs"]

[roles.editor]
description = "Edits."
read = ["."]
write = ["src"]

[roles.writer]
description = "Writes what it may not read otherwise."
write = ["docs"]
"#;

impl Case {
    fn touches(&self, role: &str, narrowing: &Narrowing) -> (String, Option<String>) {
        let authority = Authority::of(&self.roles, self.roles.get(role).unwrap(), narrowing);
        (authority.in_words(), authority.writes_in_words())
    }
}

#[test]
fn what_may_be_written_may_be_read_and_is_narrowed_with_it() {
    let case = case(WRITING);
    let words = |reads: &str, writes: Option<&str>| (reads.to_owned(), writes.map(str::to_owned));
    let none = Narrowing::default();
    assert_eq!(case.touches("editor", &none), words("`.`", Some("`src`")));
    assert_eq!(case.touches("writer", &none), words("`docs`", Some("`docs`")));
    let docs = case.narrow(&none, "writer", &["docs"]).unwrap();
    assert_eq!(case.touches("editor", &docs), words("`docs`", None), "nothing is left to write");
    let part = case.narrow(&none, "editor", &["src/a", "docs"]).unwrap();
    assert_eq!(case.touches("editor", &part), words("`src/a`, `docs`", Some("`src/a`")));
    assert_eq!(case.touches("writer", &part), words("`docs`", Some("`docs`")));
}

#[test]
fn the_files_that_say_what_agents_do_are_protected_from_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| std::fs::write(dir.path().join(path), text).unwrap();
    for folder in ["config", "prompts", "plugins/p/wit"] {
        std::fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    write("prompts/a.md", "Do.");
    write("plugins/p.wasm", "a component");
    let text = "plugins.p = { path = \"plugins/p.wasm\", wit = \"plugins/p/wit\" }\n\
                [roles.a]\ndescription = \"A.\"\nprompt_file = \"prompts/a.md\"\n";
    write("config/own.toml", text);
    std::os::unix::fs::symlink("config/own.toml", dir.path().join("roles.toml")).unwrap();
    let protected = |source| {
        let roles = Roles::load(source, &BuiltIn { roles: text, plugins: &[] }, dir.path()).unwrap();
        let authority = Authority::of(&roles, roles.get("a").unwrap(), &Narrowing::default());
        authority.protected().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let named = ["prompts/a.md", "plugins/p.wasm", "plugins/p/wit"];
    let with = |own: &[&'static str]| [own, &named[..]].concat();
    // A workspace's own file could be made where there is none yet, and would count in the next run.
    assert_eq!(protected(RolesSource::BuiltIn), with(&["roles.toml"]));
    let linked = with(&["roles.toml", "config/own.toml"]);
    assert_eq!(protected(RolesSource::Workspace(dir.path().join("roles.toml"))), linked);
    assert_eq!(protected(RolesSource::File(dir.path().join("config/../roles.toml"))), linked);
}
