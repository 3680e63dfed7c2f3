//! The row nearest to a place on the map, in words.

use super::MapState;
use crate::data::{Predictions, Role};
use crate::table::Values;
use crate::words::number::{count, percent, points, significant};
use crate::words::text::shortened;

/// Characters of the text of a row that a card shows.
const TEXT: usize = 160;

/// Lines of text about the row nearest to a place on the map, and where it is.
pub fn locate(data: &Predictions, map: &MapState, x: f64, y: f64) -> (Vec<String>, Option<[f64; 2]>) {
    let spread = |values: &[f64]| {
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
        if high > low { high - low } else { 1.0 }
    };
    let (wide, tall) = (spread(&map.x), spread(&map.y));
    // Above a single feature stands the error.
    let one = map.features.len() == 1;
    let up = |i: usize| if one { 100.0 * (map.near_score[i] - map.near_target[i]) } else { map.y[i] };
    let rise = |i: usize| if one { 0.0 } else { (up(i) - y) / tall };
    let distance = |i: usize| ((map.x[i] - x) / wide).powi(2) + rise(i).powi(2);
    let Some(i) = (0..map.x.len()).min_by(|&i, &j| distance(i).total_cmp(&distance(j))) else {
        return (Vec::new(), None);
    };
    let row = map.rows[i] as usize;
    let (score, target) = (map.near_score[i], map.near_target[i]);
    let (predicted, observed) = data.view.terms();
    let direction = if score >= target { "▲ overestimated" } else { "▼ underestimated" };
    let gap = points((score - target).abs());
    // a log without identifiers names its questions by their texts
    let mut lines = vec![shortened(&title(data, row), TEXT)];
    let text = data.text_of(row).map(|text| shortened(text, TEXT));
    lines.extend(text.filter(|text| !lines.contains(text)));
    lines.extend([
        format!("{direction} by {}", gap.trim_start_matches('+')),
        format!("neighborhood: {predicted} {}, {observed} {}", percent(score), percent(target)),
        format!("{} effective neighbors", significant(map.n_eff[i])),
    ]);
    if let Some(c) = data.confidence.as_ref().and_then(|c| c.get(row)) {
        let right = data.correct.as_ref().and_then(|a| a.get(row));
        let outcome = right.map_or(String::new(), |&a| format!(", {}", if a == 1 { "correct" } else { "incorrect" }));
        lines.push(format!("this row: confidence {}{outcome}", percent(*c)));
    }
    (lines, Some([map.x[i], up(i)]))
}

/// The row's id, or its number.
fn title(data: &Predictions, row: usize) -> String {
    let number = data.row_numbers.get(row).copied().unwrap_or(row as u32 + 1);
    let id = data.roles.iter().position(|column| column.role == Role::Id);
    match id.and_then(|id| data.table.columns.get(id)).map(|column| &column.values) {
        Some(Values::Text { codes, levels }) => {
            codes.get(row).map_or_else(String::new, |&code| levels.text(code).to_owned())
        }
        Some(Values::Numbers(numbers)) => numbers.get(row).map_or_else(String::new, |id| format!("id {id}")),
        _ => format!("row {}", count(u64::from(number))),
    }
}
