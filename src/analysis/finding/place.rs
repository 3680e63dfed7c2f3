//! What distinguishes the rows of a place from all others.

use crate::analysis::region::{Texts, UNTOLD, differences, headline};
use crate::data::Predictions;
use crate::scan::DetectedPlace;
use crate::table::Values;

/// A word that distinguishes is in so many texts of the place at least.
const FEWEST: u32 = 10;

/// The columns that distinguish the rows of a place from the other scored rows: "the region around x1 0.1 to 1.4 and x2 0.9 to
/// 2.1"; where none does, the words of a text; where there is none, the features by which its rows are similar.
///
/// * `rows`: scored rows of the data, ascending
///
/// # Cost
/// O(n log n) a column, and O(length) a text.
pub(super) fn described(data: &Predictions, rows: &[u32], place: &DetectedPlace) -> String {
    let inside: Vec<bool> = rows.iter().map(|row| place.rows.binary_search(row).is_ok()).collect();
    let by_columns = headline(data, rows, &inside, &differences(data, rows, &inside)).what;
    if by_columns != UNTOLD {
        return format!("the region around {by_columns}");
    }
    match words(data, rows, &inside) {
        Some(words) => format!("the region where {words}"),
        None => of_similar(data, &place.features),
    }
}

/// "a region of similar age, bmi"; of an array "a region of rows similar in pixels", or of embeddings of texts "a region of similar
/// embeddings (emb_minilm)".
fn of_similar(data: &Predictions, features: &[String]) -> String {
    let array = |name: &String| {
        let column = data.table.columns.iter().find(|column| column.name == *name);
        column.is_some_and(|column| matches!(column.values, Values::Matrix(_)))
    };
    let called = |name: &String| name.to_lowercase().contains("emb");
    match features {
        [one] if data.is_lexical(one) => "a region of similar texts".to_owned(),
        [one] if array(one) && one.eq_ignore_ascii_case("embeddings") => "a region of similar embeddings".to_owned(),
        [one] if array(one) && (data.text_column().is_some() || called(one)) => {
            format!("a region of similar embeddings ({one})")
        }
        several if several.iter().any(array) => format!("a region of rows similar in {}", several.join(", ")),
        columns => format!("a region of similar {}", columns.join(", ")),
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

/// "question has words such as “dosage”, “renal”": of several texts, the one of which the words differ most.
fn words(data: &Predictions, rows: &[u32], inside: &[bool]) -> Option<String> {
    let named = Texts::all(data, rows).into_iter().filter_map(|texts| texts.named(inside, FEWEST));
    named.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, words)| words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_region_of_an_array_is_named_by_what_its_rows_have_in_common() {
        let named = |column: &str, text: &str| {
            let numbers = |k: usize| (0..20).map(|j| ((k * 7 + j * 3) % 11).to_string()).collect::<Vec<_>>().join(",");
            let line = |k: usize| {
                format!(
                    "{{\"id\": \"r{k}\", {text} \"confidence\": 0.{}, \"correct\": {}, \"{column}\": [{}]}}\n",
                    50 + k % 40,
                    k.is_multiple_of(3),
                    numbers(k)
                )
            };
            let text: String = (0..40).map(line).collect();
            let file = crate::read::read("rows.jsonl", text.as_bytes(), &mut |_| ()).unwrap();
            let (data, _) = crate::data::assemble(&[file], &crate::data::OpenOptions::default()).unwrap();
            of_similar(&data, &[column.to_owned()])
        };
        assert_eq!(named("emb_mini", ""), "a region of similar embeddings (emb_mini)");
        assert_eq!(named("pixels", ""), "a region of rows similar in pixels");
        assert_eq!(named("vector", "\"question\": \"Is it?\","), "a region of similar embeddings (vector)");
    }

    #[test]
    fn corners_of_a_square() {
        let points = [[0.0, 0.0], [0.0, 1.0], [0.5, 0.5], [1.0, 0.0], [1.0, 1.0]];
        let mut corners = half_hull(points.into_iter());
        corners.extend(half_hull(points.into_iter().rev()));
        assert_eq!(corners, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    }
}
