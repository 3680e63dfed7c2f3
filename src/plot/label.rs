//! Words at a place in pixels, as both pictorial writers take them.

use super::figure::Anchor;
use super::palette::Ink;

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
