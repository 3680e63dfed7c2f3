//! What a chart of points says: names beside them, hover cards, its words and its table.

use super::{ScatterChart, ScatterPoint, ScatterSeries};
use crate::figure::{Anchor, Mark, Panel, Rect, Text};
use crate::palette::Ink;
use crate::place::{Obstacles, text_box};
use crate::table::TextTable;
use crate::text;
use crate::words::number;
use crate::words::text::counted;

/// Points with names at most; more are told apart by pointing at them.
const NAMED: usize = 16;

/// Where a name may stand beside its point, in steps to the right and down.
const PLACES: [(Anchor, f64, f64); 8] = [
    (Anchor::Start, 1.0, 0.0),
    (Anchor::End, -1.0, 0.0),
    (Anchor::Middle, 0.0, -1.0),
    (Anchor::Middle, 0.0, 1.0),
    (Anchor::Start, 1.0, -1.0),
    (Anchor::Start, 1.0, 1.0),
    (Anchor::End, -1.0, -1.0),
    (Anchor::End, -1.0, 1.0),
];

pub(super) fn card(chart: &ScatterChart, series: &ScatterSeries, point: &ScatterPoint) -> Vec<String> {
    let head = [&series.name, &point.name];
    let head: Vec<&str> = head.iter().map(|s| s.as_str()).filter(|s| !s.is_empty()).collect();
    let mut lines = vec![head.join(", ")];
    lines.push(format!("{}: {}", chart.x.title, number::significant(point.x)));
    lines.push(format!("{}: {}", chart.y.title, number::significant(point.y)));
    if let Some((low, high)) = point.interval {
        lines.push(format!("95% CI {}", number::interval(low, high)));
    }
    if !point.note.is_empty() {
        lines.push(point.note.clone());
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Each name where it covers least; none where there are too many to read, and not those that could only stand on
/// another name or on the numbers of the axis: the pointer and the table tell them.
pub(super) fn names(chart: &ScatterChart, panel: &mut Panel) {
    let all = || chart.series.iter().flat_map(|series| &series.points);
    if all().filter(|point| !point.name.is_empty()).count() > NAMED {
        return;
    }
    let mut taken = Obstacles::default();
    for point in all() {
        let (x, y) = panel.place(point.x, point.y);
        taken.add_box(Rect::new(x - 5.0, y - 5.0, 10.0, 10.0));
    }
    for series in chart.series.iter().filter(|series| series.line.is_some()) {
        let line: Vec<_> = series.points.iter().map(|p| panel.place(p.x, p.y)).collect();
        taken.add_line(&line);
    }
    let mut words = Vec::new();
    let mut said: Vec<Rect> = Vec::new();
    for point in all().filter(|point| !point.name.is_empty()) {
        let name = text::fitted(&point.name, text::SMALL, panel.rect.width / 2.0);
        let (px, py) = panel.place(point.x, point.y);
        let near = PLACES.map(|(anchor, dx, dy)| (anchor, 8.0 * dx, 12.5 * dy));
        let far = PLACES.map(|(anchor, dx, dy)| (anchor, 8.0 * dx, 25.0 * dy));
        let candidates: Vec<_> = near
            .into_iter()
            .chain(far)
            .map(|choice @ (anchor, dx, dy)| {
                let at = (px + dx, py + dy);
                (text_box(&name, text::SMALL, at, anchor), choice)
            })
            .filter(|(place, _)| said.iter().all(|word| !word.overlaps(place)))
            .filter(|(place, _)| panel.rect.x <= place.x && 0.0 <= place.y && place.bottom() <= panel.rect.bottom())
            .collect();
        if let Some((anchor, dx, dy)) = taken.settle(&candidates, &panel.rect) {
            said.push(text_box(&name, text::SMALL, (px + dx, py + dy), anchor));
            words.push(Mark::Text(
                Text::new(point.x, point.y, name).ink(Ink::Ink).anchor(anchor).shifted(dx, dy).with_halo(),
            ));
        }
    }
    panel.marks.extend(words);
}

pub(super) fn alt(chart: &ScatterChart) -> String {
    let count: usize = chart.series.iter().map(|series| series.points.len()).sum();
    let ends = chart.series.iter().take(4).filter_map(|series| {
        let (first, last) = (series.points.first()?, series.points.last()?);
        if series.line.is_none() && series.points.len() > 1 {
            return Some(extent(chart, series));
        }
        let at = |point: &ScatterPoint| {
            let name = if point.name.is_empty() { String::new() } else { format!("{} ", point.name) };
            format!("{name}({}, {})", number::significant(point.x), number::significant(point.y))
        };
        let name = if series.name.is_empty() { String::new() } else { format!("{}: ", series.name) };
        Some(if series.points.len() > 1 {
            format!("{name}from {} to {}", at(first), at(last))
        } else {
            format!("{name}{}", at(first))
        })
    });
    let ends: Vec<String> = ends.collect();
    let points = counted(count, "point");
    format!("{} against {}, {points}. {}.", chart.y.title, chart.x.title, ends.join("; "))
}

/// Where points that no line joins lie.
fn extent(chart: &ScatterChart, series: &ScatterSeries) -> String {
    let ends = |of: fn(&ScatterPoint) -> f64| {
        let values = || series.points.iter().map(of).filter(|value| value.is_finite());
        number::interval(values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let name = if series.name.is_empty() { String::new() } else { format!("{}: ", series.name) };
    format!("{name}{} {}, {} {}", chart.x.title, ends(|point| point.x), chart.y.title, ends(|point| point.y))
}

pub(super) fn table(chart: &ScatterChart) -> TextTable {
    let (x, y) = (format!("#{}", chart.x.title), format!("#{}", chart.y.title));
    let mut table = TextTable::new(&["", &x, &y, "#95% CI"]);
    for series in &chart.series {
        for (k, point) in series.points.iter().enumerate() {
            let head = [series.name.as_str(), point.name.as_str()];
            let head: Vec<&str> = head.into_iter().filter(|s| !s.is_empty()).collect();
            // a point without a name is told by its number
            let head = if head.is_empty() { (k + 1).to_string() } else { head.join(", ") };
            table.rows.push(vec![
                head,
                number::significant(point.x),
                number::significant(point.y),
                point.interval.map_or_else(String::new, |(low, high)| number::interval(low, high)),
            ]);
        }
    }
    if table.rows.iter().all(|row| row[3].is_empty()) {
        table.columns.pop();
        table.rows.iter_mut().for_each(|row| row.truncate(3));
    }
    table
}
