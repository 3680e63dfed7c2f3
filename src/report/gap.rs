//! The error of some rows in words: its direction, its size, its interval.

use crate::data::View;
use crate::words::number::{bare_points, percentage_points, points};

/// "+12.0 pp (+3.1 to +20.9)".
pub fn gap_words(gap: f64, [low, high]: [f64; 2]) -> String {
    format!("{} ({} to {})", points(gap), bare_points(low), bare_points(high))
}

/// "overestimated by 12.0 percentage points".
pub fn direction(gap: f64) -> String {
    format!("{} by {}", side(gap), percentage_points(gap))
}

/// "are underestimated", "is overestimated": what is said of [`View::subject`].
///
/// * `how`: an adverb with the space behind it, or nothing
pub fn predicate(view: View, how: &str, gap: f64) -> String {
    let verb = match view {
        View::Positive => "are",
        View::TopLabel => "is",
    };
    format!("{verb} {how}{}", side(gap))
}

/// "overestimated"
pub fn side(gap: f64) -> &'static str {
    if gap >= 0.0 { "overestimated" } else { "underestimated" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_direction_of_a_gap_is_the_predicate_of_its_view() {
        assert_eq!(predicate(View::TopLabel, "slightly ", -0.005), "is slightly underestimated");
        assert_eq!(predicate(View::Positive, "", 0.2), "are overestimated");
    }
}
