//! From a URL to what is shown of it.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::de::IgnoredAny;
use url::Url;
use workspace::text::{MAX_RESULT, character_before};
use workspace::wording;

use crate::exchange::{Answer, MAX_BODY, Web};
use crate::html;
use crate::media::{Media, decode, essence};

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 10;

/// How the host begins what it writes in the place of a secret.
const REDACTED: &str = "[secret ";

/// How much of the text of an error's answer is shown, in bytes.
const SHOWN_OF_ERROR: usize = 1000;

/// The longest URL that is repeated, in bytes.
const MAX_URL: usize = 500;

/// How much room a result keeps for what is said beside the text, in bytes.
const ROOM: usize = 3000;

/// How an answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// To be read.
    Text,
    /// As it came.
    Raw,
    /// As JSON, which it has to be.
    Json,
}

impl Form {
    /// What the server is asked for. Many that have their pages as Markdown give that to whoever wants it.
    fn accept(self) -> &'static str {
        match self {
            Self::Text => {
                "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5"
            }
            Self::Raw => "*/*",
            Self::Json => "application/json, application/*+json;q=0.9, */*;q=0.1",
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Get {
    /// Where it is.
    pub url: String,
    /// How it is shown.
    pub form: Form,
    /// Where in its text to begin, in bytes.
    pub start: usize,
}

/// What an answer has to read.
struct Shown<'a> {
    /// What it is, in words.
    what: String,
    title: String,
    text: Cow<'a, str>,
    /// Where the part begins that the URL names.
    anchor: Option<usize>,
}

impl Get {
    /// Gets it, redirects followed.
    ///
    /// # Errors
    /// What is to be told to the model.
    pub fn run(&self, web: &impl Web) -> Result<String, String> {
        let asked = parse(&self.url)?;
        let (url, answer) = self.follow(web, &asked)?;
        let from = if url == asked { String::new() } else { format!("\nredirected from {}", shown(&asked)) };
        let failed = |why: &str| Err(format!("{}: {why}{from}", shown(&url)));
        if let Some(coding) =
            answer.header("content-encoding").filter(|coding| !coding.eq_ignore_ascii_case("identity"))
        {
            let coding = wording::name(coding);
            return failed(&format!("the server packs its answer as `{coding}`, which it was not asked to"));
        }
        if !(200..300).contains(&answer.status) {
            return failed(&refusal(&answer, &url));
        }
        if answer.body.is_empty() {
            return Ok(format!("{} · {} · empty{from}", shown(&url), answer.status));
        }
        let shown_text = match self.read(&answer, &url) {
            Ok(text) => text,
            Err(why) => return failed(&why),
        };
        let page = self.page(shown(&url), &from, &answer, &shown_text);
        page.or_else(|why| failed(&why))
    }

    /// The answer that is no redirect, and where it is.
    fn follow(&self, web: &impl Web, asked: &Url) -> Result<(Url, Answer), String> {
        let mut url = asked.clone();
        for _ in 0..=MAX_REDIRECTS {
            let answer = web.get(&url, self.form.accept()).map_err(|why| match url == *asked {
                true => why,
                false => format!("{why}\nredirected from {}", shown(asked)),
            })?;
            let Some(location) = answer.location() else { return Ok((url, answer)) };
            if location.contains(REDACTED) {
                return Err(format!(
                    "{}: it redirects to a URL with a secret of this role in it",
                    shown(&url)
                ));
            }
            let next = url.join(location).map_err(|error| error.to_string()).and_then(checked);
            let mut next = next.map_err(|why| {
                format!("{}: redirected to `{}`: {why}", shown(&url), short(&wording::name(location)))
            })?;
            if next.fragment().is_none() {
                next.set_fragment(url.fragment());
            }
            url = next;
        }
        Err(format!("{}: more than {MAX_REDIRECTS} redirects, the last to {}", shown(asked), shown(&url)))
    }

    fn read<'a>(&self, answer: &'a Answer, url: &Url) -> Result<Shown<'a>, String> {
        let essence = match essence(answer) {
            kind if kind.is_empty() => "of no type that it says".to_owned(),
            kind => short(&wording::name(&kind)).to_owned(),
        };
        let media = Media::of(answer);
        let as_it_is = |what: String, text| Shown { what, title: String::new(), text, anchor: None };
        match (self.form, media) {
            (Form::Json, _) => {
                if answer.is_cut {
                    return Err(format!(
                        "it is larger than {}, and so not known to be JSON",
                        wording::size(MAX_BODY as u64)
                    ));
                }
                let text = decode(answer, Media::Text);
                serde_json::from_str::<IgnoredAny>(&text)
                    .map_err(|error| format!("no JSON, but {essence}: {error}"))?;
                Ok(as_it_is(essence, text))
            }
            (_, Media::Binary) => {
                let size = wording::size(answer.body.len() as u64);
                let more = if answer.is_cut { "more than " } else { "" };
                Err(format!("{essence} · {more}{size}: not text, and not shown"))
            }
            (Form::Text, Media::Html) => {
                let page = html::read(&decode(answer, media), url);
                let part = if page.is_main_part { ", its main part; as=raw has the whole page" } else { "" };
                let what = format!("{essence} as text{part}");
                Ok(Shown { what, title: page.title, text: page.text.into(), anchor: page.anchor })
            }
            _ => Ok(as_it_is(essence, decode(answer, media))),
        }
    }

    /// The part of the text that was asked for, with what is to be known of it.
    fn page(&self, url: &str, from: &str, answer: &Answer, shown: &Shown<'_>) -> Result<String, String> {
        let text = &*shown.text;
        let size = wording::size(text.len() as u64);
        let mut result = format!("{url} · {} · {size}", shown.what);
        let asked = match (self.start, shown.anchor) {
            (0, Some(anchor)) => anchor,
            (start, _) => start,
        };
        if asked > 0 {
            let _ = write!(result, " · from {asked}");
        }
        if answer.is_cut {
            let read = wording::size(MAX_BODY as u64);
            let _ = write!(result, " · cut: only the first {read} of the answer were read");
        }
        result.push_str(from);
        if !shown.title.is_empty() {
            let _ = write!(result, "\ntitle: {}", wording::name(&shown.title));
        }
        if text.is_empty() {
            result.push_str("\n\n… no text: scripts may make it, or there is none; as=raw shows what came");
            return Ok(result);
        }
        if asked >= text.len() {
            return Err(format!("its text has {} bytes: start={asked} is past its end", text.len()));
        }
        let start = character_before(text.as_bytes(), asked);
        // A part that a URL names begins with the gap before it.
        let rest = if self.start == 0 { text[start..].trim_start_matches('\n') } else { &text[start..] };
        let start = text.len() - rest.len();
        let part = &rest[..end_of_part(rest, MAX_RESULT - ROOM)];
        let _ = write!(result, "\n\n{part}");
        if part.len() < rest.len() {
            let more = wording::size((rest.len() - part.len()) as u64);
            let _ = write!(result, "\n… {more} more: call again with start={}", start + part.len());
        }
        Ok(result)
    }
}

/// Where a part of at most so many bytes ends: at the end of a line, if there is one not long before.
fn end_of_part(text: &str, limit: usize) -> usize {
    if text.len() <= limit {
        return text.len();
    }
    let end = character_before(text.as_bytes(), limit);
    let earliest = character_before(text.as_bytes(), end - end / 8);
    match text[earliest..end].rfind('\n') {
        Some(at) => earliest + at + 1,
        None => end,
    }
}

fn parse(url: &str) -> Result<Url, String> {
    Url::parse(url.trim()).map_err(|error| error.to_string()).and_then(checked).map_err(|why| {
        let url = wording::name(url);
        format!("`{}` is no URL to fetch: {why}; give it whole, as in `https://docs.rs/serde`", short(&url))
    })
}

/// The URL, if it can be asked for.
fn checked(url: Url) -> Result<Url, String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("its scheme is `{}`, and not `http` or `https`", short(url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it has a user or a password in it, which are never sent".to_owned());
    }
    Ok(url)
}

/// A status that is no success, in words, with the beginning of what the server says of it.
fn refusal(answer: &Answer, url: &Url) -> String {
    let mut words = format!("the server answers with status {}", answer.status);
    if let Some(wait) = answer.header("retry-after") {
        let _ = write!(words, ", and to try again after `{}`", short(&wording::name(wait)));
    }
    let media = Media::of(answer);
    if media != Media::Binary && !answer.body.is_empty() {
        let text = decode(answer, media);
        let text = match media {
            Media::Html => Cow::Owned(html::read(&text, url).text),
            _ => text,
        };
        let cut = &text[..character_before(text.as_bytes(), SHOWN_OF_ERROR)];
        let more = if cut.len() < text.len() { "…" } else { "" };
        let _ = write!(words, "\n{}{more}", cut.trim());
    }
    words
}

fn shown(url: &Url) -> &str {
    let whole = url.as_str();
    short(whole.split_once('#').map_or(whole, |(url, _)| url))
}

fn short(text: &str) -> &str {
    &text[..character_before(text.as_bytes(), MAX_URL)]
}

#[cfg(test)]
mod tests;
