//! The order of the lines of a table that a person sorts by one of its columns.

use serde::Deserialize;

/// A line, as far as it says where it stands.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LineKey {
    /// by what the column is sorted, where that is a number
    pub number: Option<f64>,
    /// what the cell shows
    pub text: String,
    /// whether the line stays at the top, as what others are compared with
    pub stays: bool,
}

/// Places of the lines in order: those that stay, then numbers by their size, then lines without a number as they stood;
/// in a column without any number, texts by their letters, whatever their case. Lines that are alike keep their order.
///
/// # Cost
/// One sort.
///
/// ```
/// use localcal::report::line_order::{LineKey, line_order};
///
/// let line = |number| LineKey { number, ..LineKey::default() };
/// let lines = [line(Some(2.0)), line(None), line(Some(7.0))];
/// assert_eq!(line_order(&lines, false), [0, 2, 1]);
/// // what has no number stands last, whichever way
/// assert_eq!(line_order(&lines, true), [2, 0, 1]);
/// ```
pub fn line_order(lines: &[LineKey], falling: bool) -> Vec<u32> {
    let numbers = lines.iter().any(|line| !line.stays && line.number.is_some());
    let mut keyed: Vec<(bool, bool, f64, String, u32)> = (0..)
        .zip(lines)
        .map(|(place, line)| {
            let number = line.number.filter(|_| numbers && !line.stays);
            let text = if numbers || line.stays { String::new() } else { line.text.to_lowercase() };
            (!line.stays, numbers && number.is_none(), number.unwrap_or(0.0), text, place)
        })
        .collect();
    keyed.sort_by(|a, b| {
        let way = |order: std::cmp::Ordering| if falling { order.reverse() } else { order };
        (a.0.cmp(&b.0)).then(a.1.cmp(&b.1)).then(way(a.2.total_cmp(&b.2).then_with(|| a.3.cmp(&b.3))))
    });
    keyed.into_iter().map(|line| line.4).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> LineKey {
        LineKey { text: text.to_owned(), ..LineKey::default() }
    }

    #[test]
    fn words_go_by_letters_and_equal_ones_stay() {
        let lines = [text("women"), text("Men"), text("men"), text("all")];
        assert_eq!(line_order(&lines, false), [3, 1, 2, 0]);
        assert_eq!(line_order(&lines, true), [0, 1, 2, 3]);
    }

    #[test]
    fn what_others_are_compared_with_stays() {
        let line = |number: f64| LineKey { number: Some(number), ..LineKey::default() };
        let lines = [LineKey { stays: true, ..line(5.0) }, line(9.0), line(1.0), text("–")];
        assert_eq!(line_order(&lines, false), [0, 2, 1, 3]);
        assert_eq!(line_order(&lines, true), [0, 1, 2, 3]);
    }
}
