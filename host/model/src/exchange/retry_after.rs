//! When a server wants to be asked again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Milliseconds, as OpenAI and some others say it beside the standard header.
const RETRY_AFTER_MS: &str = "retry-after-ms";

/// The wait that the headers of an answer ask for. A date that has passed, or is no date, asks for none.
pub(super) fn of(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let millis = headers.get(RETRY_AFTER_MS).and_then(|value| value.to_str().ok()).and_then(seconds);
    if let Some(millis) = millis {
        return Some(millis / 1000);
    }
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    seconds(value).or_else(|| date(value.trim())?.duration_since(now).ok())
}

/// A number of seconds. The standard knows whole ones only; some servers send fractions.
fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A date as HTTP writes it (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. Its two obsolete forms are of the same
/// parts in another order.
fn date(text: &str) -> Option<SystemTime> {
    let parts: Vec<&str> = text.split([' ', ',', '-']).filter(|part| !part.is_empty()).collect();
    let (day, month, year, time) = match parts[..] {
        [_, day, month, year, time, "GMT"] => (day, month, year, time),
        [_, month, day, time, year] => (day, month, year, time),
        _ => return None,
    };
    let month = MONTHS.iter().position(|name| *name == month)?;
    let day: u64 = day.parse().ok().filter(|day| (1..=31).contains(day))?;
    let year: u64 = match year.len() {
        4 => year.parse().ok()?,
        // A year of two digits is of this century: this is no way to say when something was.
        2 => year.parse::<u64>().ok()? + 2000,
        _ => return None,
    };
    if !(1970..=9999).contains(&year) {
        return None;
    }
    let mut clock = time.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    if clock.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Days from 1970 to this one. Months count from 0.
fn days(year: u64, month: usize, day: u64) -> u64 {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let whole_years = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    whole_years + BEFORE[month] + u64::from(is_leap && month > 1) + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 784_111_777;

    fn wait(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        of(&headers.collect(), UNIX_EPOCH + Duration::from_secs(NOW))
    }

    #[test]
    fn seconds_and_milliseconds_are_understood() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(wait(&[("retry-after", " 0.5 ")]), Some(Duration::from_millis(500)));
        assert_eq!(
            wait(&[("retry-after", "7"), ("retry-after-ms", "250")]),
            Some(Duration::from_millis(250))
        );
        for nonsense in ["soon", "-1", "NaN", "inf", "1e300", ""] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn a_date_is_understood_in_each_form_that_http_has() {
        for date in
            ["Sun, 06 Nov 1994 08:50:37 GMT", "Sun Nov  6 08:50:37 1994", "Sunday, 06-Nov-1994 08:50:37 GMT"]
        {
            assert_eq!(wait(&[("retry-after", date)]), Some(Duration::from_secs(60)), "{date}");
        }
        assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]), None, "it has passed");
        for nonsense in [
            "Sun, 06 Nov 1994 08:49:37 PST",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT",
        ] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
    }

    #[test]
    fn days_are_counted_through_leap_years() {
        for (year, month, day, count) in [
            (1970, 0, 1, 0),
            (1972, 2, 1, 790),
            (2000, 1, 29, 11_016),
            (2000, 2, 1, 11_017),
            (2024, 11, 31, 20_088),
            (2100, 2, 1, 47_541),
        ] {
            assert_eq!(days(year, month, day), count, "{year}-{month}-{day}");
        }
    }
}
