//! Words at a place in pixels, as both pictorial writers take them, and which of them stand in each other's way.

use super::figure::{Anchor, Figure, Rect};
use super::palette::Ink;
use super::shape::{Shape, shapes};
use super::text;

/// Words in pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// the anchor
    pub x: f64,
    /// the middle of the line
    pub y: f64,
    /// what is written
    pub text: String,
    /// em height
    pub size: f64,
    /// heavier strokes
    pub bold: bool,
    /// colour
    pub ink: Ink,
    /// which part stands at x
    pub anchor: Anchor,
    /// read from bottom to top
    pub upward: bool,
    /// a rim of paper
    pub halo: bool,
}

impl Label {
    /// Muted words, read from left to right.
    pub fn muted(x: f64, y: f64, text: &str, size: f64, anchor: Anchor) -> Self {
        Self { x, y, text: text.to_string(), size, bold: false, ink: Ink::Muted, anchor, upward: false, halo: false }
    }
}

impl Label {
    /// The box that the letters take, from the top of a capital to the foot of a p.
    pub fn extent(&self) -> Rect {
        let bolder = if self.bold { text::BOLDER } else { 1.0 };
        let (length, height) = (text::width(&self.text, self.size) * bolder, self.size);
        let before = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5 * length,
            Anchor::End => length,
        };
        if self.upward {
            return Rect::new(self.x - 0.5 * height, self.y + before - length, height, length);
        }
        Rect::new(self.x - before, self.y - 0.5 * height, length, height)
    }
}

/// What is wrong with the words of a figure: pairs that overlap, and words that reach beyond its edges. O(words²).
pub fn collisions(figure: &Figure) -> Vec<String> {
    let labels = shapes(figure).into_iter().filter_map(|shape| match shape {
        Shape::Label(label) if !label.text.is_empty() => Some((label.extent(), label.text)),
        _ => None,
    });
    let labels: Vec<(Rect, String)> = labels.collect();
    let mut wrong = Vec::new();
    for (i, (extent, words)) in labels.iter().enumerate() {
        for (other, beside) in &labels[i + 1..] {
            if extent.overlaps(other) {
                wrong.push(format!("“{words}” and “{beside}” overlap"));
            }
        }
        // A pixel beyond is the table of widths, which errs on the wide side.
        let outside = extent.x < -1.0
            || extent.right() > figure.width + 1.0
            || extent.y < -1.0
            || extent.bottom() > figure.height + 1.0;
        if outside {
            wrong.push(format!("“{words}” reaches beyond the figure"));
        }
    }
    wrong
}
