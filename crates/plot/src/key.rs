//! The key of a chart: a symbol and a few words each, broken into rows that fit.

use super::figure::{Bar, Dash, Mark, Point, Symbol, Text};
use super::palette::Ink;
use super::row_labels::distinct;
use super::text;

/// One entry of a key.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// what is drawn before the words
    pub sign: Sign,
    /// what it means
    pub words: String,
}

/// What a key entry shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sign {
    /// a point
    Point {
        /// form
        symbol: Symbol,
        /// color
        ink: Ink,
        /// filled or hollow
        filled: bool,
    },
    /// a short line
    Line {
        /// color
        ink: Ink,
        /// solid or broken
        dash: Dash,
    },
    /// a patch of color
    Patch(Ink),
}

impl Sign {
    /// Pixels from its left edge to the words.
    fn width(self) -> f64 {
        match self {
            Self::Point { .. } => 14.0,
            Self::Line { .. } => 28.0,
            Self::Patch(_) => 18.0,
        }
    }
}

impl Entry {
    /// `sign` means `words`.
    pub fn new(sign: Sign, words: impl Into<String>) -> Self {
        Self { sign, words: words.into() }
    }
}

const ROW: f64 = 19.0;
const GAP: f64 = 16.0;

/// Marks in pixels for a key whose upper left corner is (x, y), and the height it takes.
pub fn key(entries: &[Entry], x: f64, y: f64, width: f64) -> (Vec<Mark>, f64) {
    let mut marks = Vec::new();
    let (mut left, mut row) = (x, 0.0);
    let widest = entries.iter().map(|entry| entry.sign.width()).fold(0.0, f64::max);
    let names: Vec<&str> = entries.iter().map(|entry| entry.words.as_str()).collect();
    for (entry, words) in entries.iter().zip(distinct(&names, text::SMALL, width - widest)) {
        let sign_width = entry.sign.width();
        let length = sign_width + text::width(&words, text::SMALL);
        if left > x && left + length > x + width {
            left = x;
            row += 1.0;
        }
        let middle = y + row * ROW + ROW / 2.0;
        marks.push(sign_mark(entry.sign, left, middle));
        marks.push(Mark::Text(Text::new(left + sign_width, middle, words)));
        left += length + GAP;
    }
    let height = if entries.is_empty() { 0.0 } else { (row + 1.0) * ROW };
    (marks, height)
}

fn sign_mark(sign: Sign, left: f64, middle: f64) -> Mark {
    match sign {
        Sign::Point { symbol, ink, filled } => Mark::Points {
            points: vec![Point {
                x: left + 5.0,
                y: middle,
                radius: 4.0,
                symbol,
                ink,
                filled,
                index: 0,
                hover: Vec::new(),
            }],
        },
        Sign::Line { ink, dash } => {
            Mark::Line { points: vec![(left, middle), (left + 22.0, middle)], ink, width: 2.0, dash }
        }
        Sign::Patch(ink) => Mark::Bars {
            bars: vec![Bar {
                x0: left,
                x1: left + 12.0,
                y0: middle + 5.0,
                y1: middle - 5.0,
                ink,
                opacity: 1.0,
                index: 0,
                hover: Vec::new(),
            }],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_break_into_rows_that_fit() {
        let patch = Sign::Patch(Ink::Band);
        let entries: Vec<Entry> =
            ["one entry", "another entry", "a third entry"].iter().map(|words| Entry::new(patch, *words)).collect();
        let (_, wide) = key(&entries, 0.0, 0.0, 600.0);
        let (marks, narrow) = key(&entries, 10.0, 0.0, 200.0);
        assert_eq!(wide, ROW);
        assert!(narrow > ROW);
        for mark in marks {
            if let Mark::Text(words) = mark {
                assert!(words.x + text::width(&words.text, words.size) <= 210.0);
            }
        }
    }

    #[test]
    fn entries_that_differ_at_their_end_remain_distinct() {
        let entry = |k: u32| {
            let line = Sign::Line { ink: Ink::Band, dash: Dash::Solid };
            Entry::new(line, format!("a model with a name of many words, version {k}"))
        };
        let (marks, _) = key(&[entry(1), entry(2)], 0.0, 0.0, 200.0);
        let words = |mark: &Mark| if let Mark::Text(words) = mark { Some(words.text.clone()) } else { None };
        let words: Vec<String> = marks.iter().filter_map(words).collect();
        assert_ne!(words[0], words[1]);
    }
}
