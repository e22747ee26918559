use std::fs;

use super::*;

const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

const WIT: &str = r#"
package remit:files@0.1.0;

/// Files of the workspace.
interface files {
    /// What an entry is.
    enum kind {
        /// An ordinary file.
        file,
        directory,
    }

    /// Narrows a listing.
    record options {
        /// How deep to go.
        depth: option<u32>,
        kinds: list<kind>,
        span: tuple<u8, kind>,
    }

    /// A path within the workspace.
    type path = string;

    resource cursor { next: func() -> u8; }

    /// Lists a directory.
    ///
    /// - `options`: taken from this list
    /// - returns: one path a line
    list-files: func(
        /// Where to begin.
        at: option<path>,
        path: path,
        options: options,
    ) -> result<string, kind>;

    bare: func(a: u8);
}

world plugin {
    export files;
    /// Says hello.
    export hello: func(name: string) -> string;
    export extra: interface {
        /// Runs.
        run: func();
    }
}
"#;

fn docs(wit: &str) -> Docs {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("world.wit"), wit).unwrap();
    Docs::from_wit_dir(folder.path()).unwrap()
}

#[test]
fn comments_are_found_from_the_function_down_to_each_case() {
    let docs = docs(WIT);
    let list = docs.function(Some("remit:files/files@0.1.0"), "list-files").unwrap();
    assert_eq!(list.description(), Some("Lists a directory."));
    assert_eq!(list.param("at").text(), Some("Where to begin."));
    assert_eq!(list.param("path").text(), Some("A path within the workspace."), "its type's comment");
    let options = list.param("options");
    assert_eq!(options.text(), Some("taken from this list"));
    assert_eq!(options.part("depth").text(), Some("How deep to go."));
    assert_eq!(options.part("kinds").text(), Some("What an entry is."));
    assert_eq!(options.part("kinds").part("file").text(), Some("An ordinary file."));
    assert_eq!(options.part("span").part("1").part("file").text(), Some("An ordinary file."));
    assert_eq!(options.part("kinds").part("directory").text(), None);
    assert_eq!(options.part("none").part("such").text(), None);
    assert_eq!(options.element().text(), Some("Narrows a listing."), "what the whole did not say");
    assert_eq!(options.element().element().text(), None);
    assert_eq!(options.element().part("depth").text(), Some("How deep to go."));
    assert_eq!(list.result().text(), Some("one path a line"));
    assert_eq!(list.result().part("err").part("file").text(), Some("An ordinary file."));

    assert_eq!(docs.function(None, "hello").unwrap().description(), Some("Says hello."));
    assert_eq!(docs.function(Some("extra"), "run").unwrap().description(), Some("Runs."));
    assert!(docs.function(Some("remit:files/files@0.1.0"), "bare").is_none());
    assert!(docs.function(Some("remit:files/files@0.1.0"), "[method]cursor.next").is_none());
}

#[test]
fn an_interface_of_another_version_will_do() {
    let docs = docs(WIT);
    for name in ["remit:files/files@0.2.0", "remit:files/files"] {
        assert!(docs.function(Some(name), "list-files").is_some(), "{name}");
    }
    assert!(docs.function(Some("other:files/files@0.1.0"), "list-files").is_none());
}

#[test]
fn a_component_carries_its_documentation() {
    let docs = docs(WIT);
    let packed = docs.append_to(EMPTY.to_vec()).unwrap();
    assert_eq!(Docs::from_component(&packed).unwrap().as_ref(), Some(&docs));
    let again = docs.append_to(packed.clone()).unwrap();
    assert_eq!(again, packed, "packing twice is packing once");
    assert_eq!(Docs::from_component(EMPTY).unwrap(), None);
}

#[test]
fn what_acts_on_a_terminal_is_inert_wherever_it_comes_from() {
    let hostile = "interface i { /// a\u{1b}[2Jb\u{202e}c\n f: func(); }";
    // The WIT parser refuses such characters, so only a section can bring them.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.wit"), format!("package a:b;\n{hostile}")).unwrap();
    assert!(matches!(Docs::from_wit_dir(folder.path()), Err(PackError::Wit { .. })));

    let json = br#"{"v":1,"functions":{"f":{"doc":"a\u001b[2J\u202eb\u0000"}}}"#;
    let packed = section::replace(EMPTY.to_vec(), SECTION, json).unwrap();
    let docs = Docs::from_component(&packed).unwrap().unwrap();
    assert_eq!(docs.function(None, "f").unwrap().description(), Some("a\\u{1b}[2J\\u{202e}b\\u{0}"));
}

#[test]
fn a_section_that_cannot_be_used_says_why() {
    let read = |data: &[u8]| {
        let packed = section::replace(EMPTY.to_vec(), SECTION, data).unwrap();
        Docs::from_component(&packed).unwrap_err().to_string()
    };
    insta::assert_snapshot!(read(br#"{"v":2,"later":[]}"#), @"the documentation is of version 2, and this program reads version 1");
    insta::assert_snapshot!(read(&vec![b' '; 10 << 20]), @"the documentation takes 10485760 bytes, and 1048576 are allowed: shorten the comments in the WIT");
    insta::assert_snapshot!(read(b"nonsense"), @"the section `remit:docs` is not valid: expected ident at line 1 column 2");
    insta::assert_snapshot!(read(br#"{"v":1,"other":1}"#), @"the section `remit:docs` is not valid: unknown field `other`, expected one of `v`, `interfaces`, `functions`, `types` at line 1 column 14");
}

#[test]
fn a_long_comment_is_cut_and_said_so() {
    let docs = docs(&format!("package a:b;\ninterface i {{\n/// {}\nf: func(); }}", "é".repeat(5000)));
    let text = docs.function(Some("a:b/i"), "f").unwrap().description().unwrap();
    assert!(text.len() <= MAX_DOCS_TEXT + '…'.len_utf8() && text.ends_with("é…"));
    assert_eq!(docs.warnings(), ["a comment is longer than 8192 bytes and was cut"]);
}

#[test]
fn a_foreign_section_is_read_where_it_decodes() {
    let read = |data: &[u8]| {
        let packed = section::replace(EMPTY.to_vec(), foreign::SECTION, data).unwrap();
        Docs::from_component(&packed).unwrap()
    };
    let first = b"\x00{\"interfaces\":{\"files\":{\"funcs\":{\"list\":\"Lists.\"}}}}";
    let docs = read(first).unwrap();
    assert_eq!(docs.function(Some("any:where/files@1.0.0"), "list").unwrap().description(), Some("Lists."));
    let second = b"\x01{\"worlds\":{\"w\":{\"docs\":\"x\",\"func_exports\":{\"go\":{\"docs\":\"Goes.\",\"stability\":{}}}}}}";
    assert_eq!(read(second).unwrap().function(None, "go").unwrap().description(), Some("Goes."));
    for broken in [&b""[..], b"\x09{}", b"\x01nonsense", b"\x01{\"interfaces\":3}"] {
        assert_eq!(read(broken), None);
    }
}

#[test]
fn a_package_that_does_not_parse_says_where() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.wit"), "package a:b;\ninterface i { f: fun(); }").unwrap();
    let error = Docs::from_wit_dir(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("a.wit:2:18") && error.starts_with(&folder.path().display().to_string()),
        "{error}"
    );
}
