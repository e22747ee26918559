use remit_model::{Message, ToolCall};

use super::*;

fn read(path: &str) -> Entry {
    Entry::Read { path: path.into(), bytes: 1 }
}

fn at(path: &str, line: impl Into<Option<u64>>) -> Evidence {
    Evidence { path: Some(path.into()), line: line.into(), ..Evidence::default() }
}

fn observed(sight: &Sight, path: &str, line: impl Into<Option<u64>>) -> Observed {
    sight.observed(&at(path, line), &Transcript::new())
}

fn seen(text: &str, arguments: &str, entries: &[Entry]) -> Sight {
    let mut sight = Sight::default();
    sight.take_result(Seen { text, arguments, is_error: false, is_complete: true }, entries);
    sight
}

#[test]
fn lines_below_a_files_path_are_shown_and_others_only_opened() {
    let text = "src/a.rs\n41- before\n42: hit\n43-\n\n./docs/../src/b.rs:\n    7\tsome text\n3 matches";
    let sight = seen(text, "{}", &[read("src/a.rs"), read("src/b.rs"), read("c.rs")]);
    for (path, line) in [("src/a.rs", 41), ("./src/a.rs", 42), ("src/x/../a.rs", 43), ("src/b.rs", 7)] {
        assert_eq!(observed(&sight, path, line), Observed::Shown, "{path}:{line}");
    }
    for (path, line) in [("src/a.rs", 7), ("src/a.rs", 40), ("src/b.rs", 42), ("c.rs", 1)] {
        assert_eq!(observed(&sight, path, line), Observed::Opened, "{path}:{line}");
    }
    for (path, line) in [("d.rs", 1), ("../src/a.rs", 42), ("a.rs", 42), ("", 1)] {
        assert_eq!(observed(&sight, path, line), Observed::No, "{path}:{line}");
    }
}

#[test]
fn the_lines_of_a_call_that_opened_one_file_are_that_files() {
    let sight = seen("a b.txt · lines 1-2 of 2\n1\tone\n2\ttwo", "{}", &[read("a b.txt")]);
    assert_eq!(observed(&sight, "a b.txt", 2), Observed::Shown);
    assert_eq!(observed(&sight, "a b.txt", 3), Observed::Opened);
    let beside = [read(".gitignore"), read("src/a.rs")];
    let sight = seen("5: x", r#"{"path": "./src/a.rs"}"#, &beside);
    assert_eq!(observed(&sight, "src/a.rs", 5), Observed::Shown, "an ignore file was opened beside it");
    let sight = seen("5: x", "{}", &beside);
    assert_eq!(observed(&sight, "src/a.rs", 5), Observed::Opened, "nobody knows whose line it is");
}

#[test]
fn a_place_counts_only_if_the_call_opened_the_file() {
    let text = "1\tSee src/secret.rs:42, or README.md:9.\n2\tsrc/secret.rs\n3\t42: spoofed";
    let sight = seen(text, "{}", &[read("README.md")]);
    assert_eq!(observed(&sight, "src/secret.rs", 42), Observed::No, "a mention shows nothing");
    assert_eq!(observed(&sight, "README.md", 9), Observed::Shown);
    let hits = seen(
        "src/a.rs:12:fn main\n(my dir/b.rs:3)\nmy dir/b.rs:4: x",
        "{}",
        &[read("src/a.rs"), read("my dir/b.rs")],
    );
    assert_eq!(observed(&hits, "src/a.rs", 12), Observed::Shown);
    assert_eq!(observed(&hits, "my dir/b.rs", 4), Observed::Shown);
}

#[test]
fn a_place_without_a_line_is_shown_if_its_path_stood_in_a_result() {
    let call =
        |id: &str, arguments: &str| ToolCall { id: id.into(), name: "t".into(), arguments: arguments.into() };
    let mut transcript = Transcript::new();
    transcript.push(Message::assistant(
        "",
        vec![call("1", "{}"), call("2", r#"{"p":"ghost.rs"}"#), call("3", "{}")],
    ));
    transcript.push(Message::tool_result("1", "t", "src/a.rs\nsrc/deep/\nhttps://docs.rs/x", false));
    transcript.push(Message::tool_result("2", "t", "(no matches for \"ghost.rs\")", false));
    transcript.push(Message::tool_result("3", "t", "there is no `gone.rs`", true));
    transcript.push(Message::tool_result("4", "task", "{\"path\":\"claimed.rs\"}", false));
    let sight = seen("", "{}", &[read("other.rs"), Entry::Listed { path: "lib".into() }]);
    let observed = |path: &str| sight.observed(&at(path, None), &transcript);
    for path in ["src/a.rs", "./src/deep"] {
        assert_eq!(observed(path), Observed::Shown, "{path}");
    }
    for path in ["other.rs", "lib/"] {
        assert_eq!(observed(path), Observed::Opened, "{path}");
    }
    for path in ["a.rs", "ghost.rs", "gone.rs", "claimed.rs"] {
        assert_eq!(observed(path), Observed::No, "{path}");
    }
    let mentioned = sight.observed(&page("https://docs.rs/x"), &transcript);
    assert_eq!(mentioned, Observed::No, "a link shows nothing of the page");
}

fn page(url: &str) -> Evidence {
    Evidence { url: Some(url.into()), ..Evidence::default() }
}

fn contacted(url: &str, status: u16) -> Entry {
    Entry::Contacted { method: "GET".into(), url: url.into(), status: Some(status), sent: 0, received: 9 }
}

#[test]
fn a_page_is_shown_if_a_request_got_it_and_a_result_told_of_it() {
    let mut sight = seen(
        "# Serde\nSee https://docs.rs/other.",
        "{}",
        &[contacted("https://docs.rs/serde", 302), contacted("https://docs.rs/serde/latest/", 200)],
    );
    let missing = [contacted("https://docs.rs/gone", 404)];
    sight.take_result(Seen { text: "404", arguments: "{}", is_error: false, is_complete: true }, &missing);
    let large = [contacted("https://docs.rs/large", 200)];
    sight.take_result(Seen { text: "too large", arguments: "{}", is_error: true, is_complete: true }, &large);
    for (url, expected) in [
        ("https://docs.rs/serde", Observed::Shown),
        ("https://DOCS.rs:443/serde/latest/#top", Observed::Shown),
        ("https://docs.rs/gone", Observed::Opened),
        ("https://docs.rs/large", Observed::Opened),
        ("https://docs.rs/other", Observed::No),
        ("", Observed::No),
    ] {
        assert_eq!(sight.observed(&page(url), &Transcript::new()), expected, "{url}");
    }
    let mut parent = Sight::default();
    let mut passed_on = page("https://docs.rs/serde");
    passed_on.observed = Some(Observed::Shown);
    parent.take_report(&[passed_on], &sight);
    let observed = |url| parent.observed(&page(url), &Transcript::new());
    assert_eq!(observed("https://docs.rs/serde"), Observed::Shown);
    assert_eq!(observed("https://docs.rs/serde/latest/"), Observed::Opened, "nobody passed it on");
}

#[test]
fn what_a_report_passes_on_was_seen_only_if_the_child_saw_it() {
    let child = seen("3: x", "{}", &[read("a.rs")]);
    let claim = |path: &str, line: u64| {
        let mut place = at(path, line);
        place.observed = Some(child.observed(&place, &Transcript::new()));
        place
    };
    let mut parent = Sight::default();
    parent.take_report(&[claim("a.rs", 3), claim("a.rs", 4), claim("b.rs", 1)], &child);
    assert_eq!(observed(&parent, "a.rs", 3), Observed::Shown);
    assert_eq!(observed(&parent, "a.rs", 4), Observed::Opened);
    assert_eq!(observed(&parent, "b.rs", 1), Observed::No);
}

#[test]
fn a_ledger_that_was_cut_is_not_held_against_a_place() {
    let mut sight = Sight::default();
    let seen = Seen { text: "z/late.rs:3: x", arguments: "{}", is_error: false, is_complete: false };
    sight.take_result(seen, &[read("a.rs")]);
    assert_eq!(observed(&sight, "z/late.rs", 3), Observed::Shown);
}
