//! Where words may stand: the candidate that covers the fewest marks.

use super::figure::{Anchor, Rect};
use super::text;

/// The box that `words` take at `size` when their anchor is at (x, y), y being the middle of the line.
pub fn text_box(words: &str, size: f64, (x, y): (f64, f64), anchor: Anchor) -> Rect {
    let width = text::width(words, size);
    let left = match anchor {
        Anchor::Start => x,
        Anchor::Middle => x - width / 2.0,
        Anchor::End => x - width,
    };
    Rect::new(left, y - size * 0.7, width, size * 1.4)
}

/// Words over words cannot be read at all: more than any number of marks that they could cover instead.
const UNREADABLE: f64 = 100.0;

/// What labels should not cover, in pixels.
#[derive(Debug, Clone, Default)]
pub struct Obstacles {
    boxes: Vec<Rect>,
    words: Vec<Rect>,
    lines: Vec<((f64, f64), (f64, f64))>,
}

impl Obstacles {
    /// A symbol.
    pub fn add_box(&mut self, rect: Rect) {
        self.boxes.push(rect);
    }

    /// A line through points.
    pub fn add_line(&mut self, points: &[(f64, f64)]) {
        for pair in points.windows(2) {
            if let (Some(&a), Some(&b)) = (pair.first(), pair.last()) {
                self.lines.push((a, b));
            }
        }
    }

    /// How much of what is there `rect` would cover: boxes count one each, words `UNREADABLE`, lines
    /// their length inside over 20 px.
    pub fn cost(&self, rect: &Rect) -> f64 {
        let boxes = self.boxes.iter().filter(|b| b.overlaps(rect)).count() as f64;
        let lines: f64 = self
            .lines
            .iter()
            .filter_map(|&(a, b)| super::clip::segment(a, b, rect))
            .map(|(a, b)| (b.0 - a.0).hypot(b.1 - a.1) / 20.0)
            .sum();
        let words = self.words.iter().filter(|b| b.overlaps(rect)).count() as f64;
        boxes + lines + UNREADABLE * words
    }

    /// The first of `candidates` with the lowest cost that lies inside `bounds`; it becomes an obstacle itself.
    pub fn settle<T: Copy>(&mut self, candidates: &[(Rect, T)], bounds: &Rect) -> Option<T> {
        let mut best: Option<(f64, Rect, T)> = None;
        for &(rect, choice) in candidates {
            let inside = rect.x >= bounds.x
                && rect.right() <= bounds.right()
                && rect.y >= bounds.y
                && rect.bottom() <= bounds.bottom();
            let cost = self.cost(&rect) + if inside { 0.0 } else { 1e3 };
            if best.is_none_or(|(least, _, _)| cost < least) {
                best = Some((cost, rect, choice));
            }
        }
        let (_, rect, choice) = best?;
        // Some air, or two labels read as one.
        self.words.push(Rect::new(rect.x - 8.0, rect.y - 6.0, rect.width + 16.0, rect.height + 12.0));
        Some(choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_covers_marks_rather_than_another_label() {
        let bounds = Rect::new(0.0, 0.0, 100.0, 100.0);
        let candidates = [(Rect::new(10.0, 0.0, 30.0, 10.0), 0), (Rect::new(10.0, 30.0, 30.0, 10.0), 1)];
        let mut obstacles = Obstacles::default();
        assert_eq!(obstacles.settle(&candidates, &bounds), Some(0));
        // the other place is full of marks
        for k in 0..5 {
            obstacles.add_box(Rect::new(10.0 + 6.0 * f64::from(k), 30.0, 4.0, 4.0));
            obstacles.add_line(&[(12.0 + 6.0 * f64::from(k), 0.0), (12.0 + 6.0 * f64::from(k), 100.0)]);
        }
        assert_eq!(obstacles.settle(&candidates, &bounds), Some(1));
    }

    #[test]
    fn a_label_avoids_marks_and_earlier_labels() {
        let bounds = Rect::new(0.0, 0.0, 100.0, 100.0);
        let at = |y: f64| Rect::new(10.0, y, 30.0, 10.0);
        let candidates = [(at(0.0), 0), (at(20.0), 1), (at(40.0), 2), (at(95.0), 3)];
        let mut obstacles = Obstacles::default();
        obstacles.add_line(&[(0.0, 5.0), (100.0, 5.0)]);
        assert_eq!(obstacles.settle(&candidates, &bounds), Some(1));
        assert_eq!(obstacles.settle(&candidates, &bounds), Some(2));
    }
}
