//! What is under the pointer, and the order in which the arrow keys visit it.

use serde::{Deserialize, Serialize};

use super::figure::{Figure, Mark, Panel};
use crate::num::order;

/// Something that can be pointed at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hit {
    /// index of the panel in the figure
    pub panel: u32,
    /// index of the mark in the panel
    pub mark: u32,
    /// index of the item that the point or bar represents, such as a bin
    pub index: u32,
    /// where the card points to, in CSS pixels
    pub x: f64,
    /// where the card points to
    pub y: f64,
    /// lines of the card
    pub lines: Vec<String>,
}

/// Points answer within this many pixels of their edge.
pub const REACH: f64 = 16.0;

/// The nearest point within [`REACH`] of (x, y), else the bar whose column holds it; `None` over nothing.
///
/// Cost: O(points + bars).
pub fn hit(figure: &Figure, x: f64, y: f64) -> Option<Hit> {
    let mut best: Option<(f64, Hit)> = None;
    for target in targets(figure) {
        let far = match target.column {
            Some((left, right, top, bottom)) => {
                let inside = x >= left && x < right && y >= top && y <= bottom;
                // Any point in reach comes before a bar; of two bars the one on the pointer's side.
                let side = (y - target.hit.y).abs() / (bottom - top).max(1.0);
                if inside { REACH + 1.0 + side } else { f64::INFINITY }
            }
            None => {
                let gap = (target.hit.x - x).hypot(target.hit.y - y) - target.radius;
                if gap <= REACH { gap.max(-1e3) } else { f64::INFINITY }
            }
        };
        if far.is_finite() && best.as_ref().is_none_or(|(least, _)| far < *least) {
            best = Some((far, target.hit));
        }
    }
    best.map(|(_, hit)| hit)
}

/// Everything hoverable in the order of the arrow keys: panel by panel, mark by mark, left to right.
pub fn cursor_order(figure: &Figure) -> Vec<Hit> {
    let mut hits: Vec<Hit> = targets(figure).into_iter().map(|t| t.hit).collect();
    order::sort(&mut hits, &|a, b| (a.panel, a.mark).cmp(&(b.panel, b.mark)).then(a.x.total_cmp(&b.x)));
    hits
}

struct Target {
    hit: Hit,
    radius: f64,
    /// left, right, top, bottom of the column of a bar
    column: Option<(f64, f64, f64, f64)>,
}

fn targets(figure: &Figure) -> Vec<Target> {
    let mut targets = Vec::new();
    for (p, panel) in figure.panels.iter().enumerate() {
        for (m, mark) in panel.marks.iter().enumerate() {
            let at = |index: u32, (x, y): (f64, f64), lines: &[String]| Hit {
                panel: p as u32,
                mark: m as u32,
                index,
                x,
                y,
                lines: lines.to_vec(),
            };
            match mark {
                Mark::Points { points } => {
                    for point in points.iter().filter(|point| !point.hover.is_empty()) {
                        let place = panel.place(point.x, point.y);
                        targets.push(Target {
                            hit: at(point.index, place, &point.hover),
                            radius: point.radius,
                            column: None,
                        });
                    }
                }
                Mark::Bars { bars } => {
                    for bar in bars.iter().filter(|bar| !bar.hover.is_empty()) {
                        let (x0, _) = panel.place(bar.x0, bar.y0);
                        let (x1, y1) = panel.place(bar.x1, bar.y1);
                        let place = ((x0 + x1) / 2.0, y1);
                        targets.push(Target {
                            hit: at(bar.index, place, &bar.hover),
                            radius: 0.0,
                            column: Some(column(panel, x0, x1)),
                        });
                    }
                }
                _ => {}
            }
        }
    }
    targets
}

fn column(panel: &Panel, x0: f64, x1: f64) -> (f64, f64, f64, f64) {
    (x0.min(x1), x0.max(x1), panel.rect.y, panel.rect.bottom())
}

/// Nearest of many points, for maps whose points are a picture.
///
/// Points are sorted into square cells; a look-up visits the cells in reach.
#[derive(Debug, Clone)]
pub struct Nearest {
    x: Vec<f32>,
    y: Vec<f32>,
    /// start of each cell in `order`
    starts: Vec<u32>,
    order: Vec<u32>,
    columns: usize,
    rows: usize,
    cell: f64,
}

impl Nearest {
    /// Index of the points at (`x`, `y`) pixels of an area `width` × `height`; points outside it are never found.
    ///
    /// Cost: O(n).
    pub fn new(x: Vec<f32>, y: Vec<f32>, width: f64, height: f64) -> Self {
        let cell = 12.0;
        let columns = (width.max(1.0) / cell).ceil() as usize;
        let rows = (height.max(1.0) / cell).ceil() as usize;
        let place = |x: f32, y: f32| -> Option<usize> {
            let (c, r) = (f64::from(x) / cell, f64::from(y) / cell);
            let inside = c >= 0.0 && r >= 0.0 && c < columns as f64 && r < rows as f64;
            inside.then(|| r as usize * columns + c as usize)
        };
        let mut starts = vec![0u32; columns * rows + 1];
        for (&x, &y) in x.iter().zip(&y) {
            if let Some(count) = place(x, y).and_then(|k| starts.get_mut(k + 1)) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; sum as usize];
        for (i, (&x, &y)) in x.iter().zip(&y).enumerate() {
            if let Some(slot) = place(x, y).and_then(|k| next.get_mut(k)) {
                if let Some(entry) = order.get_mut(*slot as usize) {
                    *entry = i as u32;
                }
                *slot += 1;
            }
        }
        Self { x, y, starts, order, columns, rows, cell }
    }

    /// The index of the point nearest to (x, y) within `reach` pixels; of equals the first.
    pub fn nearest(&self, x: f64, y: f64, reach: f64) -> Option<u32> {
        if !(x.is_finite() && y.is_finite() && reach >= 0.0) {
            return None;
        }
        let cells = |v: f64, end: usize| {
            let first = ((v - reach) / self.cell).floor().max(0.0) as usize;
            let last = ((v + reach) / self.cell).floor();
            let past = if last < 0.0 { 0 } else { last as usize + 1 };
            first.min(end)..past.min(end)
        };
        let mut best: Option<(f64, u32)> = None;
        for row in cells(y, self.rows) {
            for column in cells(x, self.columns) {
                let k = row * self.columns + column;
                let from = self.starts.get(k).copied().unwrap_or(0) as usize;
                let to = self.starts.get(k + 1).copied().unwrap_or(0) as usize;
                for &i in self.order.get(from..to).unwrap_or(&[]) {
                    let at = |v: &[f32]| v.get(i as usize).map_or(f64::NAN, |&v| f64::from(v));
                    let far = (at(&self.x) - x).hypot(at(&self.y) - y);
                    if far <= reach && best.is_none_or(|b| (far, i) < b) {
                        best = Some((far, i));
                    }
                }
            }
        }
        best.map(|(_, i)| i)
    }
}

#[cfg(test)]
mod tests;
