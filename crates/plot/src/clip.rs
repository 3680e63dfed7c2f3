//! Cutting lines and polygons at the edge of a panel.

use super::figure::Rect;

/// The pieces of a line inside `rect` (Liang & Barsky 1984); points that are not numbers break the line.
pub fn line(points: impl Iterator<Item = (f64, f64)>, rect: &Rect) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut open = false;
    let mut last: Option<(f64, f64)> = None;
    for point in points {
        if !(point.0.is_finite() && point.1.is_finite()) {
            last = None;
            open = false;
            continue;
        }
        if let Some(from) = last {
            match segment(from, point, rect) {
                Some((a, b)) => {
                    match pieces.last_mut() {
                        Some(piece) if open => piece.push(b),
                        _ => pieces.push(vec![a, b]),
                    }
                    open = b == point;
                }
                None => open = false,
            }
        }
        last = Some(point);
    }
    pieces
}

/// The part of the segment from `a` to `b` inside `rect`.
pub fn segment(a: (f64, f64), b: (f64, f64), rect: &Rect) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let sides = [(-dx, a.0 - rect.x), (dx, rect.right() - a.0), (-dy, a.1 - rect.y), (dy, rect.bottom() - a.1)];
    for (slope, room) in sides {
        if slope == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if slope < 0.0 {
            enter = enter.max(room / slope);
        } else {
            leave = leave.min(room / slope);
        }
    }
    if enter > leave {
        return None;
    }
    let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
    let from = if enter == 0.0 { a } else { at(enter) };
    let to = if leave == 1.0 { b } else { at(leave) };
    Some((from, to))
}

/// The part of a polygon inside `rect` (Sutherland & Hodgman 1974).
pub fn polygon(mut points: Vec<(f64, f64)>, rect: &Rect) -> Vec<(f64, f64)> {
    points.retain(|(x, y)| x.is_finite() && y.is_finite());
    type Depth = fn(&Rect, (f64, f64)) -> f64;
    let sides: [Depth; 4] = [|r, p| p.0 - r.x, |r, p| r.right() - p.0, |r, p| p.1 - r.y, |r, p| r.bottom() - p.1];
    for depth in sides {
        let mut kept = Vec::with_capacity(points.len() + 4);
        let mut last = points.last().copied();
        for &point in &points {
            if let Some(from) = last {
                let (a, b) = (depth(rect, from), depth(rect, point));
                if (a < 0.0) != (b < 0.0) {
                    let t = a / (a - b);
                    kept.push((from.0 + t * (point.0 - from.0), from.1 + t * (point.1 - from.1)));
                }
                if b >= 0.0 {
                    kept.push(point);
                }
            }
            last = Some(point);
        }
        points = kept;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: Rect = Rect { x: 0.0, y: 0.0, width: 10.0, height: 10.0 };

    #[test]
    fn lines_are_cut_at_the_edge() {
        let path = [(-5.0, 5.0), (5.0, 5.0), (15.0, 5.0), (15.0, 20.0)];
        assert_eq!(line(path.into_iter(), &SQUARE), vec![vec![(0.0, 5.0), (5.0, 5.0), (10.0, 5.0)]]);
    }

    #[test]
    fn a_line_that_leaves_and_returns_is_two_pieces() {
        let path = [(5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, 5.0)];
        let pieces = line(path.into_iter(), &SQUARE);
        assert_eq!(pieces, vec![vec![(5.0, 5.0), (5.0, 10.0)], vec![(8.0, 10.0), (8.0, 5.0)]]);
    }

    #[test]
    fn numbers_that_are_none_break_a_line() {
        let path = [(1.0, 1.0), (2.0, 2.0), (f64::NAN, 3.0), (4.0, 4.0), (5.0, 5.0)];
        assert_eq!(line(path.into_iter(), &SQUARE).len(), 2);
    }

    #[test]
    fn polygons_are_cut_at_the_edge() {
        let diamond = vec![(5.0, -5.0), (15.0, 5.0), (5.0, 15.0), (-5.0, 5.0)];
        let cut = polygon(diamond, &SQUARE);
        assert!(cut.iter().all(|&(x, y)| SQUARE.contains(x, y)), "{cut:?}");
        // The diamond |x−5| + |y−5| ≤ 10 holds the whole square.
        let area: f64 = (0..cut.len())
            .map(|i| {
                let (a, b) = (cut[i], cut[(i + 1) % cut.len()]);
                (a.0 * b.1 - b.0 * a.1) / 2.0
            })
            .sum();
        assert!((area.abs() - 100.0).abs() < 1e-9, "{area}");
    }
}
