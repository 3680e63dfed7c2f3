//! The error of some rows in words: its direction, its size, its interval.

use crate::words::number::{bare_points, percentage_points, points};

/// "+12.0 pp (+3.1 to +20.9)".
pub fn gap_words(gap: f64, [low, high]: [f64; 2]) -> String {
    format!("{} ({} to {})", points(gap), bare_points(low), bare_points(high))
}

/// "overestimated by 12.0 percentage points".
pub fn direction(gap: f64) -> String {
    format!("{} by {}", side(gap), percentage_points(gap))
}

/// "overestimated"
pub fn side(gap: f64) -> &'static str {
    if gap >= 0.0 { "overestimated" } else { "underestimated" }
}
