//! Names of classes beside arrays of their scores.

use super::ReadFile;
use crate::table::{Column, MISSING, NamedColumn, Values};
use crate::words::text::plain;

/// Names of what lists the classes in the order of the scores, as attributes of scikit-learn and Keras are saved.
const CLASS_LISTS: [&str; 3] = ["classes", "class_names", "class_labels"];

/// Arrays of a column for each class as columns that are named after the classes, where the file lists these in another
/// order than the sorted one, by which an array is matched with outcomes; the list is not kept.
///
/// # Cost
/// O(rows × classes) where there is such a list, else O(columns).
pub(super) fn in_listed_order(mut file: ReadFile) -> ReadFile {
    let listed = file.columns.iter().enumerate().find_map(|(place, column)| Some((place, class_list(column)?)));
    let Some((place, classes)) = listed.filter(|(_, classes)| !is_sorted(classes)) else { return file };
    let outcome = |rows: usize| {
        let of_classes = |(at, column): (usize, &NamedColumn)| {
            at != place && column.values.shape() == [rows] && is_of(&column.values, &classes)
        };
        file.columns.iter().enumerate().any(of_classes)
    };
    let is_array = |column: &NamedColumn| match &column.values {
        Values::Matrix(matrix) => matrix.width == classes.len() && outcome(matrix.rows()),
        _ => false,
    };
    let arrays: Vec<bool> = file.columns.iter().map(is_array).collect();
    if !arrays.contains(&true) {
        return file;
    }
    let mut columns = Vec::new();
    for ((at, column), is_array) in file.columns.into_iter().enumerate().zip(arrays) {
        match column.values {
            Values::Matrix(matrix) if is_array => columns.extend(classes.iter().enumerate().map(|(k, class)| {
                let values: Vec<f64> = (0..matrix.rows()).map(|row| matrix.value(row, k)).collect();
                let name = format!("{}.{class}", column.name);
                NamedColumn { file: column.file.clone(), name, values: Values::Numbers(Column::from(values)) }
            })),
            values if at != place => columns.push(NamedColumn { values, ..column }),
            _ => {}
        }
    }
    file.columns = columns;
    file
}

/// The classes that a column lists: distinct values in its first rows, none in others.
fn class_list(column: &NamedColumn) -> Option<Vec<String>> {
    if !CLASS_LISTS.contains(&column.name.trim_end_matches('_')) {
        return None;
    }
    let (known, rows) = (values(&column.values)?, column.values.shape().first().copied()?);
    let count = known.iter().take_while(|value| value.is_some()).count();
    let mut distinct: Vec<&String> = known.iter().flatten().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let lists = count > 1 && known.iter().flatten().count() == count && distinct.len() == count && count <= rows;
    lists.then(|| known.into_iter().flatten().collect())
}

/// Texts of a column, one a row.
fn values(values: &Values) -> Option<Vec<Option<String>>> {
    match values {
        Values::Numbers(numbers) => Some(numbers.iter().map(|x| (!x.is_nan()).then(|| plain(*x))).collect()),
        Values::Text { codes, levels } => {
            let text = |code: &u32| (*code != MISSING).then(|| levels.text(*code).to_owned());
            Some(codes.iter().map(text).collect())
        }
        Values::Matrix(_) => None,
    }
}

/// Whether every value is one of the classes.
fn is_of(values: &Values, classes: &[String]) -> bool {
    match values {
        Values::Numbers(numbers) => numbers.iter().all(|x| x.is_nan() || classes.contains(&plain(*x))),
        Values::Text { levels, .. } => levels.iter().all(|text| classes.iter().any(|class| class == text)),
        Values::Matrix(_) => false,
    }
}

/// By number if all are numbers, else by text, as outcomes are sorted.
fn is_sorted(classes: &[String]) -> bool {
    match classes.iter().map(|class| class.parse::<f64>().ok()).collect::<Option<Vec<f64>>>() {
        Some(numbers) => numbers.is_sorted(),
        None => classes.is_sorted(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::read::read;

    #[test]
    fn classes_in_another_order_name_the_columns_of_their_scores() {
        let names = |classes: &str, outcome: &str| {
            let scores = "[[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]";
            let text = format!("{{\"classes\": {classes}, \"proba\": {scores}, \"y\": {outcome}}}");
            let file = read("rows.json", text.as_bytes(), &mut |_| ()).unwrap();
            file.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("[\"yes\", \"no\"]", "[\"yes\", \"no\", \"no\"]"), "proba.yes proba.no y");
        assert_eq!(names("[1, 0]", "[1, 0, 0]"), "proba.1 proba.0 y");
        // the order by which an array is matched anyway, and outcomes that are places in the list
        assert_eq!(names("[\"no\", \"yes\"]", "[\"yes\", \"no\", \"no\"]"), "classes proba y");
        assert_eq!(names("[\"yes\", \"no\"]", "[0, 1, 1]"), "classes proba y");
    }
}
