//! A command that has run, in words.

use std::fmt;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with an exit code.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// It was ended, and why.
    Stopped(&'static str),
}

/// What became of a command: how it ended, on the first line, and then what it printed.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// How it ended.
    pub ending: Ending,
    /// After how long.
    pub milliseconds: u64,
    /// What it ran without.
    pub warnings: &'a [String],
    /// What it printed to standard output.
    pub stdout: &'a str,
    /// What it printed to standard error.
    pub stderr: &'a str,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ending {
            Ending::Exited(code) => write!(f, "exit code {code}")?,
            Ending::Signalled(signal) => write!(f, "ended by signal {signal}")?,
            Ending::Stopped(why) => write!(f, "ended, with everything that it had started: {why}")?,
        }
        write!(f, ", after {}.{:03} s", self.milliseconds / 1000, self.milliseconds % 1000)?;
        for warning in self.warnings {
            write!(f, "\nwarning: {warning}")?;
        }
        for (name, text) in [("stdout", self.stdout), ("stderr", self.stderr)] {
            match text.trim_end_matches('\n') {
                "" => write!(f, "\n--- {name}: nothing")?,
                text => write!(f, "\n--- {name}:\n{text}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_comes_first_and_each_stream_under_its_name() {
        let report = Report {
            ending: Ending::Exited(101),
            milliseconds: 1024,
            warnings: &[],
            stdout: "a\nb\n",
            stderr: "",
        };
        assert_eq!(
            report.to_string(),
            "exit code 101, after 1.024 s\n--- stdout:\na\nb\n--- stderr: nothing"
        );
    }

    #[test]
    fn what_a_command_ran_without_is_said_before_what_it_printed() {
        let warnings = ["it is not contained".to_owned()];
        let report = Report {
            ending: Ending::Stopped("it ran for too long"),
            milliseconds: 7,
            warnings: &warnings,
            stdout: "",
            stderr: "x",
        };
        assert_eq!(
            report.to_string(),
            "ended, with everything that it had started: it ran for too long, after 0.007 s\n\
             warning: it is not contained\n--- stdout: nothing\n--- stderr:\nx"
        );
    }
}
