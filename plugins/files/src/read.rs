use std::fmt::Write as _;

use workspace::text::{self, MAX_RESULT};
use workspace::{Failure, File, Kind, Reason, Workspace, WorkspacePath, wording};

/// How many lines are shown where the caller does not say.
const DEFAULT_LINES: u64 = 400;

/// The longest line that is shown whole, in bytes: a file packed into one line would be the whole result.
const MAX_LINE: usize = 2000;

/// Up to this size, in bytes, a file is read to its end to say how many lines it has.
const MAX_COUNTED: u64 = 16 << 20;

/// How far into a file, in bytes, a range may begin: each line before it has to be read past.
const MAX_SKIPPED: u64 = 1 << 30;

/// `read-file` of the plugin's WIT.
///
/// # Errors
/// What is to be told to the model.
pub fn read_file(
    workspace: &Workspace,
    path: &str,
    start: Option<u32>,
    lines: Option<u32>,
) -> Result<String, String> {
    let path = WorkspacePath::parse(Some(path))?;
    let path = path.as_str();
    let start = u64::from(start.unwrap_or(1).max(1));
    let wanted = lines.map_or(DEFAULT_LINES, u64::from);
    if wanted == 0 {
        return Err("lines is at least 1".to_owned());
    }
    let failed = |reason| workspace.explain(&Failure { path: path.to_owned(), reason });
    let file = workspace.open(path).map_err(|failure| failed(failure.reason))?;
    let stat = file.stat().map_err(failed)?;
    if stat.kind == Kind::Directory {
        return Err(format!("{}; list_files shows what is in it", failed(Reason::IsDirectory)));
    }

    let name = wording::name(path);
    let size = wording::size(stat.size);
    let mut range = Range::new(start, wanted);
    match range.read(&file, stat.size).map_err(failed)? {
        Read::Empty => return Ok(format!("{name} · empty")),
        Read::Binary => return Ok(format!("{name} · binary · {size}: not shown")),
        Read::TooFar => {
            let far = wording::size(MAX_SKIPPED);
            return Err(format!(
                "{name}: line {start} is more than {far} into the file, and too far to read"
            ));
        }
        Read::Text => {}
    }
    if range.shown == 0 {
        let lines = wording::counted(range.line, "line", "lines");
        return Err(format!("{name} has {lines}: start={start} is past its end"));
    }

    let last = start + range.shown - 1;
    let total = if range.ended { range.line.to_string() } else { "many".to_owned() };
    let mut result = format!("{name} · lines {start}-{last} of {total} · {size}");
    if range.crlf {
        result.push_str(" · lines end in CRLF");
    }
    if range.invalid {
        result.push_str(" · not UTF-8: what can't be shown is �");
    }
    result.push_str(&range.text);
    if !range.ended {
        let _ = write!(result, "\n… more lines: call again with start={}", last + 1);
    } else if range.line > last {
        let more = wording::counted(range.line - last, "more line", "more lines");
        let _ = write!(result, "\n… {more}: call again with start={}", last + 1);
    }
    Ok(result)
}

/// How reading a range went.
enum Read {
    Text,
    Empty,
    Binary,
    TooFar,
}

/// The lines that were asked for, as they are found.
struct Range {
    start: u64,
    wanted: u64,
    /// How many lines are shown.
    shown: u64,
    text: String,
    /// No further line has a place in the result.
    full: bool,
    /// How many lines were seen; the last one may have no end.
    line: u64,
    /// Whether the file was read to its end, so that `line` is the number of its lines.
    ended: bool,
    crlf: bool,
    invalid: bool,
}

impl Range {
    fn new(start: u64, wanted: u64) -> Self {
        Self {
            start,
            wanted,
            shown: 0,
            text: String::new(),
            full: false,
            line: 0,
            ended: false,
            crlf: false,
            invalid: false,
        }
    }

    fn read(&mut self, file: &File, size: u64) -> Result<Read, Reason> {
        let mut parts = file.parts();
        // The start of a line whose end is in a later part, and how long it is: a line can be longer than memory.
        let (mut begun, mut begun_length) = (Vec::new(), 0);
        while let Some(part) = parts.next()? {
            if self.line == 0 && begun_length == 0 && text::is_binary(&part) {
                return Ok(Read::Binary);
            }
            let mut rest = part.as_slice();
            if !self.full {
                while let Some(end) = memchr::memchr(b'\n', rest) {
                    let (line, after) = rest.split_at(end + 1);
                    rest = after;
                    if begun_length == 0 {
                        self.take(line, line.len() as u64);
                    } else {
                        keep(&mut begun, line);
                        self.take(&begun, begun_length + line.len() as u64);
                        begun.clear();
                        begun_length = 0;
                    }
                    if self.full {
                        break;
                    }
                }
            }
            if self.full {
                if size > MAX_COUNTED {
                    return Ok(Read::Text);
                }
                self.line += memchr::memchr_iter(b'\n', rest).count() as u64;
                if let Some(end) = memchr::memrchr(b'\n', rest) {
                    rest = &rest[end + 1..];
                    begun.clear();
                    begun_length = 0;
                }
            }
            keep(&mut begun, rest);
            begun_length += rest.len() as u64;
            if self.shown == 0 && parts.offset() > MAX_SKIPPED {
                return Ok(Read::TooFar);
            }
        }
        self.ended = true;
        if begun_length > 0 {
            self.take(&begun, begun_length);
        }
        Ok(if self.line == 0 { Read::Empty } else { Read::Text })
    }

    /// Takes in the next line, of which at least as much is given as is shown.
    fn take(&mut self, line: &[u8], length: u64) {
        self.line += 1;
        if self.full || self.line < self.start {
            return;
        }
        let content = text::without_end(line);
        self.crlf |= line.ends_with(b"\r\n");
        let cut = length > MAX_LINE as u64 && content.len() > MAX_LINE;
        let content = if cut { &content[..text::character_before(content, MAX_LINE)] } else { content };
        let content = text::lossy(content);
        if self.shown > 0 && self.text.len() + content.len() > MAX_RESULT - 1000 {
            self.full = true;
            return;
        }
        self.invalid |= matches!(content, std::borrow::Cow::Owned(_));
        let _ = write!(self.text, "\n  {}\t{content}", self.line);
        if cut {
            let _ = write!(self.text, "… [line of {}, cut]", wording::size(length));
        }
        self.shown += 1;
        self.full = self.shown == self.wanted;
    }
}

/// Keeps as much of a line as may be shown, and a little more, so that it can be told from one that fits.
fn keep(begun: &mut Vec<u8>, more: &[u8]) {
    let room = (MAX_LINE + 8).saturating_sub(begun.len());
    begun.extend_from_slice(&more[..more.len().min(room)]);
}
