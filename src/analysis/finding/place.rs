//! What distinguishes the rows of a place from all others.

use std::collections::HashMap;

use crate::analysis::region::{UNTOLD, differences, headline};
use crate::data::{Predictions, Role};
use crate::scan::DetectedPlace;
use crate::table::{MISSING, Values};

/// Text columns with fewer different values are categories, of which columns tell.
const FREE_TEXT: usize = 200;
/// A word that distinguishes stands in so many rows of the place at least.
const FEWEST: usize = 10;
/// Words that are told.
const MOST_WORDS: usize = 3;
/// Shorter words say nothing.
const SHORTEST: usize = 4;
/// A word is told where it is so many times as frequent as elsewhere.
const TIMES: f64 = 3.0;

/// The columns that distinguish the rows of a place from the other scored rows: "the region around x1 0.1 to 1.4 and x2 0.9 to
/// 2.1"; where none does, the words of a text; where there is none, the features by which its rows are similar.
///
/// * `rows`: scored rows of the data, ascending
///
/// # Cost
/// O(n log n) a column, and O(length) a text.
pub(super) fn described(data: &Predictions, rows: &[u32], place: &DetectedPlace) -> String {
    let inside: Vec<bool> = rows.iter().map(|row| place.rows.binary_search(row).is_ok()).collect();
    let by_columns = headline(data, rows, &inside, &differences(data, rows, &inside));
    if by_columns != UNTOLD {
        return format!("the region around {by_columns}");
    }
    match words(data, rows, &inside) {
        Some(words) => format!("the region where {words}"),
        None => format!("a region of similar {}", place.features.join(", ")),
    }
}

/// Corners of the convex hull of the rows of a place, where two columns of numbers define similarity. O(n log n).
pub(super) fn outline(data: &Predictions, place: &DetectedPlace) -> Vec<[f64; 2]> {
    let numbers = |name: &String| match data.table.columns.iter().find(|column| column.name == *name).map(|c| &c.values)
    {
        Some(Values::Numbers(numbers)) => Some(numbers),
        _ => None,
    };
    let [first, second] = place.features.as_slice() else { return Vec::new() };
    let Some((x, y)) = numbers(first).zip(numbers(second)) else { return Vec::new() };
    let at = |&row: &u32| Some([*x.get(row as usize)?, *y.get(row as usize)?]);
    let mut points: Vec<[f64; 2]> = place.rows.iter().filter_map(at).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut corners = half_hull(points.iter().copied());
    corners.extend(half_hull(points.iter().rev().copied()));
    corners
}

/// Half of a convex hull, of points along it; its last corner is left out, with which the other half begins (Andrew, 1979).
fn half_hull(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut corners: Vec<[f64; 2]> = Vec::new();
    for point in points {
        while let [.., a, b] = corners.as_slice()
            && (b[0] - a[0]) * (point[1] - a[1]) <= (b[1] - a[1]) * (point[0] - a[0])
        {
            corners.pop();
        }
        corners.push(point);
    }
    corners.pop();
    corners
}

/// "question contains “dosage”, “renal”": words at least three times as frequent as elsewhere, the most telling first.
fn words(data: &Predictions, rows: &[u32], inside: &[bool]) -> Option<String> {
    let free = data.table.columns.iter().zip(&data.roles).filter(|(_, role)| role.role != Role::Label);
    free.filter_map(|(column, _)| match &column.values {
        Values::Text { codes, levels } if levels.len() > FREE_TEXT => {
            let texts: Vec<&str> = levels.iter().collect();
            let mut counts: HashMap<String, [usize; 2]> = HashMap::new();
            for (row, inside) in rows.iter().zip(inside) {
                let code = codes.get(*row as usize).copied().unwrap_or(MISSING);
                let Some(text) = texts.get(code as usize) else { continue };
                for word in distinct(text) {
                    counts.entry(word).or_default()[usize::from(*inside)] += 1;
                }
            }
            let here = inside.iter().filter(|inside| **inside).count().max(1) as f64;
            let elsewhere = (inside.len() as f64 - here).max(1.0);
            let share = |[other, own]: [usize; 2]| (own as f64 / here, (other as f64 + 0.5) / elsewhere);
            let mut telling: Vec<(f64, String)> = counts
                .into_iter()
                .filter(|(_, counts)| counts[1] >= FEWEST && share(*counts).0 > TIMES * share(*counts).1)
                .map(|(word, counts)| (share(counts).0 - share(counts).1, word))
                .collect();
            telling.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let most = telling.first()?.0;
            let told: Vec<String> = telling.iter().take(MOST_WORDS).map(|(_, word)| format!("“{word}”")).collect();
            Some((most, format!("{} contains {}", column.name, told.join(", "))))
        }
        _ => None,
    })
    .reduce(|a, b| if b.0 > a.0 { b } else { a })
    .map(|(_, words)| words)
}

/// The words of a text, each once, in lower case.
fn distinct(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let mut words: Vec<String> = parts.filter(|word| word.chars().count() >= SHORTEST).map(str::to_lowercase).collect();
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_of_a_square() {
        let points = [[0.0, 0.0], [0.0, 1.0], [0.5, 0.5], [1.0, 0.0], [1.0, 1.0]];
        let mut corners = half_hull(points.into_iter());
        corners.extend(half_hull(points.into_iter().rev()));
        assert_eq!(corners, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert_eq!(distinct("Dosage of the dosage, RENAL"), ["dosage", "renal"]);
    }
}
