use proptest::prelude::*;

use super::*;

fn page(html: &str) -> Page {
    read(html, &Url::parse("https://docs.example.org/guide/start?v=1").unwrap())
}

fn text(html: &str) -> String {
    page(html).text
}

#[test]
fn headings_paragraphs_and_spaces() {
    assert_eq!(
        text(
            "<title> A\n page </title><h1>One</h1>\n<p>a  <b>b</b>\nc</p><p>d<br>e<br><br>f</p><h3><p>Two</h3>g"
        ),
        "# One\n\na b c\n\nd\ne\n\nf\n\n### Two\n\ng"
    );
    assert_eq!(page("<title> A\n page </title>").title, "A page");
    assert_eq!(text("a<div>b<div>c</div></div>d<hr>e"), "a\nb\nc\nd\n\n---\n\ne");
}

#[test]
fn links_are_whole_and_those_within_the_page_are_text() {
    assert_eq!(
        text(
            "<a href='/a'>one</a>, <a href='b#c'>two </a><a href=?v=2><img src=x alt='a  picture'></a>
             <a href='#here'>three</a> <a href='javascript:x()'>four</a> <a href=mailto:a@b.org>five</a> <a>six</a>
             <a href='//other.org'></a>"
        ),
        "[one](https://docs.example.org/a), [two](https://docs.example.org/guide/b#c) \
         [[image: a picture]](https://docs.example.org/guide/start?v=2) three four [five](mailto:a@b.org) six"
    );
    assert_eq!(text("<base href='https://o.org/x/'><a href=y>z</a>"), "[z](https://o.org/x/y)");
    assert_eq!(
        text("<a href=/a>b<a href=/c>d"),
        "[b](https://docs.example.org/a)[d](https://docs.example.org/c)"
    );
}

#[test]
fn a_fragment_names_a_place_in_the_text() {
    let at = |fragment: &str, html: &str| {
        let mut url = Url::parse("https://docs.example.org/").unwrap();
        url.set_fragment(Some(fragment));
        let page = read(html, &url);
        page.anchor.map(|at| page.text[at..].trim_start().to_owned())
    };
    let html = "<p>a<h2 id=b>b</h2>c<p><a name='ü d'></a>d<p hidden id=e>no</p>";
    assert_eq!(at("b", html).unwrap(), "## b\n\nc\n\nd");
    assert_eq!(at("ü d", html).unwrap(), "d");
    assert_eq!(at("c", html), None);
    let long = "word ".repeat(100);
    assert_eq!(at("x", &format!("menu<main><p>{long}<p id=x>here</main>foot")).unwrap(), "here");
    assert_eq!(at("x", &format!("<p id=x>menu</p><main>{long}</main>foot")), None);
}

#[test]
fn lists_are_nested_and_numbered() {
    assert_eq!(
        text(
            "x<ul><li>a<li><p>b</p><p>c</p><ol start=3><li>d</li><li>e<ul><li>f</ul></ol><li></li><li>g</ul>y"
        ),
        "x\n\n- a\n- b\n\n  c\n\n  3. d\n  4. e\n    - f\n- g\n\ny"
    );
    assert_eq!(text("<dl><dt>a<dd>b<dt>c<dd>d</dl>"), "a\nb\nc\nd");
}

#[test]
fn code_keeps_its_spaces_and_quotes_their_mark() {
    assert_eq!(
        text("see <code>a_b</code>:<pre><code>\n  fn a() {\n\n    1\n  }\n</code></pre>z"),
        "see `a_b`:\n\n```\n  fn a() {\n\n    1\n  }\n```\n\nz"
    );
    assert_eq!(
        text("<blockquote><p>a</p><ul><li>b<pre>c\nd</pre></ul></blockquote>"),
        "> a\n\n> - b\n\n>   ```\n>   c\n>   d\n>   ```"
    );
}

#[test]
fn code_has_no_links() {
    assert_eq!(text("<pre>a: <a href=/t>T</a></pre>"), "```\na: T\n```");
}

#[test]
fn tables_have_a_line_for_each_row() {
    assert_eq!(
        text(
            "<table><caption>T</caption><thead><tr><th>a<th>b</thead><tr><td><p>1</p><td></td><td>3</tr>
             <tr><td><td></tr><tr><td></td><td>x</table>after"
        ),
        "T\na | b\n1 |  | 3\n | x\n\nafter"
    );
}

#[test]
fn what_nobody_sees_is_not_shown() {
    assert_eq!(
        text(
            "a<script>if (1 < 2) '<p>no</p>'</script><style>no</style><svg><title>no</title><path/></svg><noscript>no</noscript>
             <p hidden>no<p style='color: red; DISPLAY : none'>no <b>no</b></p><!-- no --><template><p>no</template>
             <select><option>no</select>b\u{200b}c\u{e0041}\u{202e}d"
        ),
        "a bcd"
    );
    assert_eq!(page("<svg><title>no</title></svg><title>yes</title><title>no</title>").title, "yes");
}

#[test]
fn the_main_part_is_shown_alone_where_there_is_enough_of_it() {
    let long = "word ".repeat(100);
    let whole = page(&format!("<nav>menu</nav><main><h1>T</h1><p>{long}</p></main><footer>foot</footer>"));
    assert!(
        whole.is_main_part && whole.text.starts_with("# T\n\nword") && whole.text.ends_with("word"),
        "{whole:?}"
    );
    let by_role = page(&format!("menu<div role=main>{long}</div>"));
    assert!(by_role.is_main_part && !by_role.text.contains("menu"));
    let short = page("<nav>menu</nav><main>loading</main>");
    assert!(!short.is_main_part && short.text == "menu\n\nloading", "{short:?}");
    assert!(!page(&format!("<main>{long}</main>")).is_main_part);
}

#[test]
fn a_page_without_an_end_is_read_to_where_it_stops() {
    assert_eq!(
        text("<ul><li>a<b>b<table><tr><td>c<a href=/d>e"),
        "- ab\n\n  c[e](https://docs.example.org/d)"
    );
    assert_eq!(text("</div></p>a</span></b><p>b</li>c"), "a\n\nbc");
}

#[test]
fn a_page_that_is_nested_deep_costs_no_more_than_its_length() {
    for (open, close) in [
        ("<a>", "</b>"),
        ("<b>", "</head>"),
        ("<h1>", "</h2>"),
        ("<pre>", "</i>"),
        ("<x>", "</x1>"),
        ("<span>", "</p>"),
        ("<dl><dt>x<dd>", "</dd>"),
        ("<ul><li>", "</i>"),
        ("<blockquote>x", "</p>"),
        ("<table><tr><td>", "</td>"),
    ] {
        let html = format!("{}needle{}", open.repeat(20_000), close.repeat(20_000));
        assert!(text(&html).contains("needle"));
    }
}

#[test]
fn what_no_text_holds_costs_nothing() {
    assert_eq!(
        text(&format!("<p>a{}b", "\0".repeat(200_000))).chars().filter(|c| c.is_alphabetic()).count(),
        2
    );
    let long = "\u{1}".repeat(200_000);
    assert_eq!(text(&format!("<a href='{long}'>a</a>")).chars().next(), Some('a'));
    assert!(page(&format!("<title>{}</title>", "é".repeat(200_000))).title.len() <= MAX_TITLE);
}

proptest! {
    #[test]
    fn any_page_is_read(html in "(<(/)?(a href=b|b|p|li|ul|ol|pre|td|tr|table|main|title|svg|p hidden|h2|br|code|blockquote)>|[a-c \n|`]){0,40}") {
        let page = page(&html);
        prop_assert!(html.contains("<pre>") || !page.text.contains("\n\n\n"));
        prop_assert_eq!(page.text.trim(), &page.text);
    }
}
