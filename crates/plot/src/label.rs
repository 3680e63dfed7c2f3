//! Words at a place in pixels, as both pictorial writers take them.

use super::figure::{Anchor, Rect};
use super::palette::Ink;
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
    /// color
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
