#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use crate::figure::{Axis, Bar, Point, Rect, Symbol};
use crate::palette::Ink;
use crate::scale::Scale;
use crate::table::TextTable;

fn point(x: f64, y: f64, index: u32, hover: &[&str]) -> Point {
    Point {
        x,
        y,
        radius: 5.0,
        symbol: Symbol::Circle,
        ink: Ink::Ink,
        filled: true,
        index,
        hover: hover.iter().map(|s| s.to_string()).collect(),
    }
}

fn bar(x0: f64, index: u32, y1: f64) -> Bar {
    Bar { x0, x1: x0 + 0.5, y0: 0.0, y1, ink: Ink::Ink, opacity: 1.0, index, hover: vec![format!("bar {index}")] }
}

fn figure() -> Figure {
    let panel = |y: f64, low: f64, marks| Panel {
        rect: Rect::new(20.0, y, 100.0, 100.0),
        x: Axis::bare(Scale::UNIT),
        y: Axis::bare(Scale::linear(low, 1.0)),
        marks,
    };
    let points = vec![
        point(0.9, 0.5, 3, &["c"]),
        point(0.1, 0.5, 1, &["a"]),
        point(0.3, 0.5, 2, &["b"]),
        point(0.5, 0.5, 9, &[]),
    ];
    let bars = vec![bar(0.0, 0, 0.2), bar(0.0, 5, -0.2), bar(0.5, 1, 0.9)];
    Figure {
        width: 140.0,
        height: 240.0,
        title: String::new(),
        caption: String::new(),
        alt: String::new(),
        panels: vec![panel(10.0, 0.0, vec![Mark::Points { points }]), panel(120.0, -1.0, vec![Mark::Bars { bars }])],
        table: TextTable::default(),
    }
}

#[test]
fn the_nearest_point_answers() {
    let figure = figure();
    // Points a and b stand at x = 30 and 50, y = 60.
    assert_eq!(hit(&figure, 32.0, 62.0).map(|h| h.index), Some(1));
    assert_eq!(hit(&figure, 42.0, 62.0).map(|h| h.index), Some(2));
    let card = hit(&figure, 51.0, 60.0).expect("a card");
    assert_eq!((card.x, card.y, card.panel), (50.0, 60.0, 0));
    assert_eq!(card.lines, ["b"]);
}

#[test]
fn nothing_answers_where_nothing_is() {
    let figure = figure();
    assert_eq!(hit(&figure, 30.0, 100.0), None);
    // The point at x = 70 has no card.
    assert_eq!(hit(&figure, 80.0, 60.0), None);
    assert_eq!(hit(&figure, f64::NAN, 60.0), None);
}

#[test]
fn bars_answer_over_their_whole_column() {
    let figure = figure();
    // The panel's zero is at y = 170; the upper bar of the left column ends at 160, the lower at 180.
    assert_eq!(hit(&figure, 40.0, 125.0).map(|h| h.index), Some(0));
    assert_eq!(hit(&figure, 40.0, 215.0).map(|h| h.index), Some(5));
    assert_eq!(hit(&figure, 100.0, 215.0).map(|h| h.index), Some(1));
}

#[test]
fn arrow_keys_run_from_left_to_right() {
    let order: Vec<(u32, u32)> = cursor_order(&figure()).iter().map(|h| (h.panel, h.index)).collect();
    assert_eq!(order, [(0, 1), (0, 2), (0, 3), (1, 0), (1, 5), (1, 1)]);
}

#[test]
fn nearest_agrees_with_looking_at_every_point() {
    let n = 500;
    let at = |i: usize, k: usize| ((i * k) % 997) as f32 * 0.3;
    let x: Vec<f32> = (0..n).map(|i| at(i, 311)).collect();
    let y: Vec<f32> = (0..n).map(|i| at(i, 577)).collect();
    let index = Nearest::new(x.clone(), y.clone(), 300.0, 300.0);
    for q in 0..400 {
        let (qx, qy) = (f64::from(at(q, 113)) - 5.0, f64::from(at(q, 211)) + 5.0);
        let slow = (0..n)
            .map(|i| ((f64::from(x[i]) - qx).hypot(f64::from(y[i]) - qy), i as u32))
            .filter(|c| c.0 <= 14.0)
            .min_by(|a, b| a.partial_cmp(b).expect("numbers"))
            .map(|c| c.1);
        assert_eq!(index.nearest(qx, qy, 14.0), slow, "{qx} {qy}");
    }
    assert_eq!(index.nearest(f64::NAN, 0.0, 5.0), None);
    assert_eq!(index.nearest(-900.0, 0.0, 5.0), None);
    let strange = Nearest::new(vec![f32::NAN, -4.0], vec![1.0, 1.0], 10.0, 10.0);
    assert_eq!(strange.nearest(1.0, 1.0, 100.0), None);
}
