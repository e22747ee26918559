use std::time::Duration;

use thiserror::Error;

/// The longest time that a limit may name. Longer is a slip of the pen, and adding a very long time to a clock
/// overflows it.
pub const MAX_DURATION: Duration = Duration::from_hours(30 * 24);

/// Why a text is no duration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DurationProblem {
    /// A number alone.
    #[error("a duration needs a unit")]
    NoUnit,
    /// Something else than `ms`, `s`, `m` or `h` behind a number.
    #[error("unknown unit `{0}`")]
    UnknownUnit(String),
    /// Not numbers, each with its unit, from the largest to the smallest.
    #[error("not a duration")]
    Malformed,
    /// No time at all.
    #[error("a duration of nothing would stop everything at once")]
    Zero,
    /// More than [`MAX_DURATION`].
    #[error("a duration is at most {}", format_duration(MAX_DURATION))]
    TooLong,
}

const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Reads `"30s"`, `"15m"`, `"500ms"` or `"1h30m"`: whole numbers, each with a unit, the largest first.
///
/// # Errors
///
/// When it is anything else, zero, or longer than [`MAX_DURATION`].
pub fn parse_duration(text: &str) -> Result<Duration, DurationProblem> {
    let mut rest = text.trim();
    let mut total: u64 = 0;
    let mut units = UNITS.iter();
    if rest.is_empty() {
        return Err(DurationProblem::Malformed);
    }
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            return Err(DurationProblem::Malformed);
        }
        let (number, behind) = rest.split_at(digits);
        let unit_end = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(unit_end);
        if unit.is_empty() {
            return Err(DurationProblem::NoUnit);
        }
        if !UNITS.iter().any(|(name, _)| *name == unit) {
            return Err(DurationProblem::UnknownUnit(super::shown::shown(unit.trim())));
        }
        // Only units smaller than the last one are left to find.
        let (_, millis) = units.find(|(name, _)| *name == unit).ok_or(DurationProblem::Malformed)?;
        let number: u64 = number.parse().map_err(|_| DurationProblem::TooLong)?;
        let part = number.checked_mul(*millis).ok_or(DurationProblem::TooLong)?;
        total = total.checked_add(part).ok_or(DurationProblem::TooLong)?;
        rest = behind;
    }
    match Duration::from_millis(total) {
        Duration::ZERO => Err(DurationProblem::Zero),
        long if long > MAX_DURATION => Err(DurationProblem::TooLong),
        duration => Ok(duration),
    }
}

/// Writes a duration as [`parse_duration`] reads it, to the millisecond.
#[must_use]
pub fn format_duration(duration: Duration) -> String {
    let mut left = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let mut text = String::new();
    for (unit, millis) in UNITS {
        if left >= millis {
            text += &format!("{}{unit}", left / millis);
            left %= millis;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_numbers_with_units() {
        for (text, millis) in [
            ("30s", 30_000),
            ("15m", 900_000),
            ("500ms", 500),
            ("1h30m", 5_400_000),
            (" 2h ", 7_200_000),
            ("1s5ms", 1005),
        ] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn anything_else_says_what_it_lacks() {
        for (text, problem) in [
            ("15", DurationProblem::NoUnit),
            ("1h30", DurationProblem::NoUnit),
            ("15 min", DurationProblem::UnknownUnit("min".into())),
            ("15M", DurationProblem::UnknownUnit("M".into())),
            ("1d", DurationProblem::UnknownUnit("d".into())),
            ("1.5h", DurationProblem::UnknownUnit(".".into())),
            ("", DurationProblem::Malformed),
            ("soon", DurationProblem::Malformed),
            ("-5s", DurationProblem::Malformed),
            ("5s1m", DurationProblem::Malformed),
            ("5s5s", DurationProblem::Malformed),
            ("0s", DurationProblem::Zero),
            ("0h0m", DurationProblem::Zero),
            ("721h", DurationProblem::TooLong),
            ("99999999999999999999s", DurationProblem::TooLong),
            ("9999999999999999999h", DurationProblem::TooLong),
        ] {
            assert_eq!(parse_duration(text), Err(problem), "{text:?}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["30s", "15m", "1h30m", "1s5ms", "720h"] {
            assert_eq!(format_duration(parse_duration(text).unwrap()), text);
        }
    }
}
