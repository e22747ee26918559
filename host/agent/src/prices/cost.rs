use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Millionths in a dollar.
const MICRO: u64 = 1_000_000;

/// How many digits stand behind the point.
const DIGITS: usize = 6;

/// An amount of money in whole millionths of a dollar. In text it is dollars with six digits behind the point, `0.012345`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(u64);

impl Cost {
    /// Nothing.
    pub const ZERO: Cost = Cost(0);

    pub(super) const fn from_micros(micros: u64) -> Cost {
        Cost(micros)
    }

    pub(super) const fn micros(self) -> u64 {
        self.0
    }

    /// What is left of this when `other` is taken away; never less than nothing.
    pub(crate) fn less(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }

    /// The `parts`th part.
    pub(crate) fn part(self, parts: u64) -> Cost {
        Cost(self.0 / parts.max(1))
    }

    /// Reads dollars as a file says them: digits, and up to six more behind a point.
    pub(crate) fn parse(text: &str) -> Option<Cost> {
        let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(rest) || rest.len() > DIGITS {
            return None;
        }
        let micros = format!("{rest:0<DIGITS$}").parse::<u64>().ok()?;
        whole.parse::<u64>().ok()?.checked_mul(MICRO)?.checked_add(micros).map(Cost)
    }
}

/// Saturating: absurd numbers must not wrap a budget round to nothing.
impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        *self = *self + other;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::ZERO, Add::add)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / MICRO, self.0 % MICRO)
    }
}

impl Serialize for Cost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cost, D::Error> {
        let text = String::deserialize(deserializer)?;
        Cost::parse(&text).ok_or_else(|| serde::de::Error::custom("expected dollars such as \"0.50\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_is_read() {
        for (text, shown) in
            [("0.50", "0.500000"), ("3", "3.000000"), ("0.000001", "0.000001"), ("12.3", "12.300000")]
        {
            let cost = Cost::parse(text).unwrap();
            assert_eq!(cost.to_string(), shown);
            assert_eq!(Cost::parse(shown), Some(cost));
        }
        for text in
            ["", ".5", "1.", "-1", "+1", "1e3", "0.0000001", "1,5", "$1", " 1", "99999999999999999999"]
        {
            assert_eq!(Cost::parse(text), None, "{text}");
        }
    }
}
