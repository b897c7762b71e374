//! How long ago, in kubectl's words. A leaf: every room may use it.

use jiff::{SignedDuration, Timestamp};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// Time between two moments; a moment in the future (clocks differ) is `0s`.
#[must_use]
pub fn between(then: Timestamp, now: Timestamp) -> String {
    human(now.duration_since(then))
}

/// A number of minutes, as a stage's limits are given.
#[must_use]
pub fn minutes(minutes: f64) -> String {
    human(SignedDuration::try_from_secs_f64(minutes * 60.0).unwrap_or(SignedDuration::ZERO))
}

/// The steps at which the small unit goes are those of kubernetes/apimachinery
/// pkg/util/duration/duration.go, HumanDuration, so that ages here read as in `kubectl get`.
#[must_use]
pub fn human(age: SignedDuration) -> String {
    let all = age.as_secs().max(0);
    match all {
        _ if all < 2 * MINUTE => format!("{all}s"),
        _ if all < 10 * MINUTE => two(all, MINUTE, "m", 1, "s"),
        _ if all < 3 * HOUR => format!("{}m", all / MINUTE),
        _ if all < 8 * HOUR => two(all, HOUR, "h", MINUTE, "m"),
        _ if all < 2 * DAY => format!("{}h", all / HOUR),
        _ if all < 8 * DAY => two(all, DAY, "d", HOUR, "h"),
        _ if all < 2 * YEAR => format!("{}d", all / DAY),
        _ if all < 8 * YEAR => two(all, YEAR, "y", DAY, "d"),
        _ => format!("{}y", all / YEAR),
    }
}

fn two(all: i64, big: i64, big_unit: &str, small: i64, small_unit: &str) -> String {
    match all % big / small {
        0 => format!("{}{big_unit}", all / big),
        rest => format!("{}{big_unit}{rest}{small_unit}", all / big),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::{human, minutes};

    fn check(seconds: i64, text: &str) {
        assert_eq!(human(SignedDuration::from_secs(seconds)), text);
    }

    #[test]
    fn ages_as_kubectl_shows_them() {
        check(-3, "0s");
        check(45, "45s");
        check(119, "119s");
        check(120, "2m");
        check(204, "3m24s");
        check(725, "12m");
        check(179 * 60, "179m");
        check(5 * 3600 + 3 * 60 + 7, "5h3m");
        check(30 * 3600, "30h");
        check(52 * 3600, "2d4h");
        check(8 * 86400, "8d");
        check(800 * 86400, "2y70d");
        check(9 * 365 * 86400, "9y");
    }

    #[test]
    fn limits_of_a_stage() {
        assert_eq!(minutes(5.0), "5m");
        assert_eq!(minutes(2.5), "2m30s");
        assert_eq!(minutes(f64::NAN), "0s");
    }
}
