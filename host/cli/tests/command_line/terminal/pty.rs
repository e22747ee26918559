//! A terminal with a person at it.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::stage::Stage;

/// How long is waited for what must come. Nothing depends on it but how soon a broken test ends.
const DEADLINE: Duration = Duration::from_secs(60);

/// What the terminal was sent, without what only moves the cursor or changes colours.
#[derive(Default)]
struct Screen {
    text: Mutex<Text>,
    changed: Condvar,
}

#[derive(Default)]
struct Text {
    shown: String,
    /// How much of it was waited for already.
    read: usize,
    is_over: bool,
}

/// remit at a terminal of 80 columns, and whoever types there.
pub(crate) struct Terminal {
    keyboard: File,
    screen: Arc<Screen>,
    pub(crate) child: Child,
}

impl Terminal {
    /// Starts remit with these arguments at a terminal of its own.
    pub(crate) fn start(stage: &Stage, arguments: &[&str], environment: &[(&str, &str)]) -> Terminal {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&controller, size).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let user = rustix::fs::open(name, flags, Mode::empty()).unwrap();
        let copy = |fd: &OwnedFd| fd.try_clone().unwrap();
        let mut command = stage.remit(arguments);
        command.env("TERM", "xterm").env("NO_COLOR", "1").envs(environment.iter().copied());
        command.stdin(copy(&user)).stdout(copy(&user)).stderr(user);
        let child = command.spawn().unwrap();
        // Holds the terminal's other side open, which would keep it from ever ending.
        drop(command);
        let screen = Arc::new(Screen::default());
        let output = File::from(controller);
        let keyboard = output.try_clone().unwrap();
        let shown = screen.clone();
        thread::spawn(move || shown.show(output));
        Terminal { keyboard, screen, child }
    }

    /// Types, without Enter.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Types a line once there is a prompt, and waits until it stands there before Enter is pressed.
    pub(crate) fn line(&mut self, line: &str) {
        self.types(line);
        self.sees(line);
        self.types("\r");
    }

    /// Waits until these words stand on the screen, behind those that were waited for before. Gives what stands between.
    #[track_caller]
    pub(crate) fn sees(&mut self, words: &str) -> String {
        let end = Instant::now() + DEADLINE;
        let mut text = self.screen.text.lock().unwrap();
        loop {
            let new = &text.shown[text.read..];
            if let Some(at) = new.find(words) {
                let between = new[..at].to_owned();
                text.read += at + words.len();
                return between;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !text.is_over, "no {words:?} in {new:?} of\n{}", text.shown);
            text = self.screen.changed.wait_timeout(text, left).unwrap().0;
        }
    }

    /// Waits for its end. Gives how it ended, and everything that was shown.
    pub(crate) fn ends(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        let end = Instant::now() + DEADLINE;
        let mut text = self.screen.text.lock().unwrap();
        while !text.is_over {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "somebody still holds the terminal");
            text = self.screen.changed.wait_timeout(text, left).unwrap().0;
        }
        (status, text.shown.clone())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that failed leaves nobody behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Screen {
    fn show(&self, mut output: File) {
        let mut bytes = [0; 4096];
        let mut pending = Vec::new();
        // A terminal that nobody holds any more can't be read.
        while let Ok(length @ 1..) = output.read(&mut bytes) {
            pending.extend_from_slice(&bytes[..length]);
            let whole = complete(&pending);
            let part: Vec<u8> = pending.drain(..whole).collect();
            self.text.lock().unwrap().show(&String::from_utf8_lossy(&part));
            self.changed.notify_all();
        }
        self.text.lock().unwrap().is_over = true;
        self.changed.notify_all();
    }
}

/// How much of the bytes ends with no half character and no half sequence.
fn complete(bytes: &[u8]) -> usize {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap(),
    };
    match text.rfind('\u{1b}') {
        Some(at) if !text[at..].contains(|c: char| c.is_ascii_alphabetic()) => at,
        _ => text.len(),
    }
}

impl Text {
    /// Adds what a terminal would show: a line that is cleared is gone, and no other control sequence matters here.
    fn show(&mut self, text: &str) {
        let mut chars = text.chars();
        let mut is_at_start = false;
        while let Some(c) = chars.next() {
            match c {
                '\u{1b}' => {
                    let last = chars.find(char::is_ascii_alphabetic);
                    if last == Some('K') && is_at_start {
                        let line = self.shown.rfind('\n').map_or(0, |at| at + 1);
                        self.shown.truncate(line);
                        self.read = self.read.min(line);
                    }
                }
                '\r' => is_at_start = true,
                c => {
                    is_at_start = false;
                    self.shown.push(c);
                }
            }
        }
    }
}
