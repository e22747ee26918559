use std::cell::RefCell;

use super::*;

/// Gives what a test says for each URL, and keeps what was asked for.
struct Pages {
    pages: Vec<(&'static str, Answer)>,
    asked: RefCell<Vec<String>>,
}

impl Web for Pages {
    fn get(&self, url: &Url, _accept: &str) -> Result<Answer, String> {
        self.asked.borrow_mut().push(url.to_string());
        let page = self.pages.iter().find(|(known, _)| *known == shown(url));
        page.map(|(_, answer)| answer.clone()).ok_or_else(|| format!("`GET {url}`: not granted"))
    }
}

impl Pages {
    fn new(pages: &[(&'static str, Answer)]) -> Self {
        Self { pages: pages.to_vec(), asked: RefCell::default() }
    }

    fn get(&self, url: &str, form: Form, start: usize) -> Result<String, String> {
        Get { url: url.to_owned(), form, start }.run(self)
    }
}

fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Answer { status, headers, body: body.into(), is_cut: false }
}

fn page(kind: &str, body: &str) -> Answer {
    answer(200, &[("content-type", kind)], body)
}

fn redirect(to: &str) -> Answer {
    answer(302, &[("location", to)], "moved")
}

const A: &str = "https://a.org/";
const B: &str = "https://b.org/x";

#[test]
fn a_page_is_shown_with_its_title_and_in_the_form_that_was_asked_for() {
    let html = "<title>T</title><p>Hi <a href=/b>b</a>";
    let pages = Pages::new(&[(A, page("text/html", html))]);
    assert_eq!(
        pages.get("https://a.org#part", Form::Text, 0).unwrap(),
        "https://a.org/ · text/html as text · 23 B\ntitle: T\n\nHi [b](https://a.org/b)"
    );
    assert_eq!(pages.get(A, Form::Raw, 0).unwrap(), format!("https://a.org/ · text/html · 38 B\n\n{html}"));
    let error = pages.get(A, Form::Json, 0).unwrap_err();
    assert!(error.starts_with("https://a.org/: no JSON, but text/html: expected value"), "{error}");
}

#[test]
fn a_fragment_leads_to_its_place_also_after_a_redirect() {
    let pages =
        Pages::new(&[(A, redirect(B)), (B, page("text/html", "<h1>one</h1><h2 id=two>two</h2>three"))]);
    assert_eq!(
        pages.get("https://a.org/#two", Form::Text, 0).unwrap(),
        "https://b.org/x · text/html as text · 20 B · from 5\nredirected from https://a.org/\n\n## two\n\nthree"
    );
    let shown = pages.get("https://b.org/x#none", Form::Text, 0).unwrap();
    assert!(shown.ends_with("20 B\n\n# one\n\n## two\n\nthree"), "{shown}");
    assert!(pages.get("https://b.org/x#two", Form::Text, 15).unwrap().ends_with("\n\nthree"));
}

#[test]
fn json_is_checked_and_shown_as_it_came() {
    let pages = Pages::new(&[(A, page("application/json", "{\"a\": 12345678901234567890123}"))]);
    for form in [Form::Json, Form::Text, Form::Raw] {
        let shown = pages.get(A, form, 0).unwrap();
        assert!(shown.ends_with("application/json · 30 B\n\n{\"a\": 12345678901234567890123}"), "{shown}");
    }
    let deep = Pages::new(&[(A, page("application/json", &"[".repeat(100_000)))]);
    assert!(deep.get(A, Form::Json, 0).unwrap_err().contains("no JSON"));
}

#[test]
fn redirects_are_followed_one_by_one_and_named() {
    let pages = Pages::new(&[(A, redirect("//b.org/x#y")), (B, page("text/plain", "here"))]);
    assert_eq!(
        pages.get(A, Form::Text, 0).unwrap(),
        "https://b.org/x · text/plain · 4 B\nredirected from https://a.org/\n\nhere"
    );
    assert_eq!(*pages.asked.borrow(), [A, "https://b.org/x#y"]);
}

#[test]
fn a_redirect_that_is_not_granted_or_leads_nowhere_is_an_error() {
    for (to, words) in [
        (B, "`GET https://b.org/x`: not granted\nredirected from https://a.org/"),
        ("file:///etc/passwd", "its scheme is `file`"),
        ("https://me:word@b.org/", "a user or a password"),
        ("https://b.org/?[secret key]", "a URL with a secret of this role"),
        ("https://", "redirected to `https://`: "),
        (A, "more than 10 redirects, the last to https://a.org/"),
    ] {
        let pages = Pages::new(&[(A, redirect(to))]);
        let error = pages.get(A, Form::Text, 0).unwrap_err();
        assert!(error.contains(words), "{to}: {error}");
    }
    let pages = Pages::new(&[(A, redirect(A))]);
    pages.get(A, Form::Text, 0).unwrap_err();
    assert_eq!(pages.asked.borrow().len(), 11);
}

#[test]
fn what_is_no_url_is_not_asked_for() {
    let pages = Pages::new(&[]);
    for (url, words) in [
        ("docs.rs/serde", "give it whole"),
        ("", "give it whole"),
        ("ftp://a.org/", "its scheme is `ftp`"),
        ("file:///etc/passwd", "its scheme is `file`"),
        ("https://me:word@a.org/", "never sent"),
        ("a\nb", "`a\\nb`"),
    ] {
        let error = pages.get(url, Form::Text, 0).unwrap_err();
        assert!(error.contains(words), "{url}: {error}");
    }
    assert!(pages.asked.borrow().is_empty());
}

#[test]
fn a_long_text_is_shown_in_parts_that_lead_on_to_each_other() {
    let whole: String = (0..9000).map(|n| format!("line {n} é\n")).collect();
    let pages = Pages::new(&[(A, page("text/plain", &whole))]);
    let (mut text, mut start) = (String::new(), 0);
    loop {
        let shown = pages.get(A, Form::Text, start).unwrap();
        assert!(shown.len() <= MAX_RESULT, "{}", shown.len());
        let (_, part) = shown.split_once("\n\n").unwrap();
        let Some((part, next)) = part.split_once("\n… ") else {
            text += part;
            break;
        };
        text += part;
        start = next.rsplit_once('=').unwrap().1.parse().unwrap();
    }
    assert_eq!(text, whole);
    let error = pages.get(A, Form::Text, whole.len()).unwrap_err();
    assert!(error.contains("is past its end"), "{error}");
    // In the middle of a character.
    assert!(pages.get(A, Form::Text, 8).unwrap().contains("\n\né\nline 1"));
}

#[test]
fn what_is_cut_says_so() {
    let cut = Answer { is_cut: true, ..page("text/plain", "begin") };
    let pages = Pages::new(&[(A, cut.clone()), (B, Answer { body: vec![0; 9], ..cut })]);
    let shown = pages.get(A, Form::Text, 0).unwrap();
    assert!(shown.contains(" · cut: only the first 8.0 MB of the answer were read\n"), "{shown}");
    assert!(pages.get(A, Form::Json, 0).unwrap_err().contains("larger than 8.0 MB"));
    assert!(pages.get(B, Form::Text, 0).unwrap_err().contains("more than 9 B: not text"));
}

#[test]
fn what_has_no_text_says_what_it_is() {
    let pages = Pages::new(&[
        (A, page("image/png", "\u{1}PNG")),
        (B, page("text/html", "<script>render()</script>")),
        ("https://c.org/", answer(204, &[], "")),
    ]);
    assert_eq!(
        pages.get(A, Form::Raw, 0).unwrap_err(),
        "https://a.org/: image/png · 4 B: not text, and not shown"
    );
    let shown = pages.get(B, Form::Text, 0).unwrap();
    assert!(shown.contains("no text: scripts may make it"), "{shown}");
    assert_eq!(pages.get("https://c.org", Form::Text, 0).unwrap(), "https://c.org/ · 204 · empty");
}

#[test]
fn a_status_that_is_no_success_is_an_error_with_what_the_server_says() {
    let busy = answer(429, &[("retry-after", "30"), ("content-type", "text/html")], "<p>Too <b>many</b>");
    let long = answer(500, &[("content-type", "text/plain")], &"é".repeat(5000));
    let pages = Pages::new(&[(A, busy), (B, long), ("https://c.org/", answer(304, &[], ""))]);
    assert_eq!(
        pages.get(A, Form::Text, 0).unwrap_err(),
        "https://a.org/: the server answers with status 429, and to try again after `30`\nToo many"
    );
    let error = pages.get(B, Form::Text, 0).unwrap_err();
    assert!(error.ends_with("é…") && error.len() < 1200, "{error}");
    assert!(pages.get("https://c.org/", Form::Text, 0).unwrap_err().ends_with("status 304"));
}

#[test]
fn a_packed_answer_is_not_unpacked() {
    let packed = answer(200, &[("content-type", "text/html"), ("content-encoding", "gzip")], "\u{1f}");
    let pages = Pages::new(&[(A, packed)]);
    let error = pages.get(A, Form::Text, 0).unwrap_err();
    assert!(error.contains("packs its answer as `gzip`"), "{error}");
}
