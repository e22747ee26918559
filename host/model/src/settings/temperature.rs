use std::fmt;

use crate::SettingProblem;

/// How much of a reply is chance: 0 for as little as possible.
#[derive(Clone, Copy, Debug)]
pub struct Temperature(f64);

impl Temperature {
    /// The highest that any of the protocols takes. A server may take less, and says so.
    pub const MOST: f64 = 2.0;

    /// A temperature from 0 to [`MOST`](Temperature::MOST).
    ///
    /// # Errors
    ///
    /// For any other number, and for what is none.
    pub fn new(value: f64) -> Result<Temperature, SettingProblem> {
        if !(0.0..=Temperature::MOST).contains(&value) {
            return Err(SettingProblem::Temperature);
        }
        // There is one zero.
        Ok(Temperature(value + 0.0))
    }
}

/// It is never NaN.
impl PartialEq for Temperature {
    fn eq(&self, other: &Temperature) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Temperature {}

/// As JSON and TOML write it.
impl fmt::Display for Temperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_server_could_take_is_a_temperature() {
        for (value, shown) in [(0.0, "0"), (-0.0, "0"), (0.7, "0.7"), (2.0, "2")] {
            assert_eq!(Temperature::new(value).unwrap().to_string(), shown);
        }
        for value in [-0.1, 2.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Temperature::new(value), Err(SettingProblem::Temperature));
        }
    }
}
