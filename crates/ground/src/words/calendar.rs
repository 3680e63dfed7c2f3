//! Days of the Gregorian calendar, and how a person writes them.

use super::text::plain;

/// Names of the months, as far as they are told apart.
pub const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// How exactly it is said when something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// a year
    Year,
    /// a quarter
    Quarter,
    /// a month
    Month,
    /// a day
    Day,
    /// a time of the day
    Time,
}

/// The date `day` days after 1970-01-01: 2021, 2021 Q1, 2021-03, 2021-03-05, 2021-03-05 10:20.
pub fn written(day: f64, exactness: Exactness) -> String {
    let whole = day.floor();
    let (year, month, date) = civil(whole as i64);
    match exactness {
        Exactness::Year => plain(year as f64),
        Exactness::Quarter => format!("{year:04} Q{}", (month + 2) / 3),
        Exactness::Month => format!("{year:04}-{month:02}"),
        Exactness::Day => format!("{year:04}-{month:02}-{date:02}"),
        Exactness::Time => {
            let minutes = ((day - whole) * 1440.0).round() as i64;
            let (hour, minute) = (minutes.min(1439) / 60, minutes.min(1439) % 60);
            format!("{year:04}-{month:02}-{date:02} {hour:02}:{minute:02}")
        }
    }
}

/// Days since 1970-01-01 of a day of the Gregorian calendar: years of 365.2425 days that begin in March.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of the Gregorian calendar, `days` days after 1970-01-01.
pub fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_back() {
        assert_eq!((days(1970, 1, 1), days(2000, 3, 1), days(1969, 12, 31)), (0, 11_017, -1));
        for day in (-70_000..90_000).step_by(13) {
            let (y, m, d) = civil(day);
            assert_eq!(days(y, m, d), day);
        }
        assert_eq!(civil(days(2024, 2, 29)), (2024, 2, 29));
    }
}
