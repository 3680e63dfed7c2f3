//! Words of a figure that overlap or that a line crosses: what the tests of every chart look for.

use super::figure::{At, Figure, Mark, Rect};
use super::place::{Obstacles, text_box};
use super::shape::{Shape, shapes};

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

/// Words within a panel that a line or a rule of the same panel crosses. O(words × lines).
pub fn crossings(figure: &Figure) -> Vec<String> {
    let mut wrong = Vec::new();
    for panel in &figure.panels {
        let mut lines = Obstacles::default();
        for mark in &panel.marks {
            match mark {
                Mark::Line { points, .. } => {
                    let points: Vec<_> = points.iter().map(|&(x, y)| panel.place(x, y)).collect();
                    lines.add_line(&points);
                }
                Mark::Rule { at: At::X(value), .. } => {
                    let x = panel.rect.x + panel.x.scale.position(*value) * panel.rect.width;
                    lines.add_line(&[(x, panel.rect.y), (x, panel.rect.bottom())]);
                }
                Mark::Rule { at: At::Y(value), .. } => {
                    let y = panel.rect.bottom() - panel.y.scale.position(*value) * panel.rect.height;
                    lines.add_line(&[(panel.rect.x, y), (panel.rect.right(), y)]);
                }
                _ => {}
            }
        }
        for mark in &panel.marks {
            let Mark::Text(words) = mark else { continue };
            let (x, y) = panel.place(words.x, words.y);
            let area = text_box(&words.text, words.size, (x + words.dx, y + words.dy), words.anchor);
            if lines.cost(&area) > 0.0 {
                wrong.push(format!("a line crosses “{}”", words.text));
            }
        }
    }
    wrong
}
