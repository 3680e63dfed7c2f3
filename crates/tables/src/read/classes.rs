//! Names of classes beside arrays of their scores.

use super::ReadFile;
use crate::table::{Column, MISSING, Matrix, NamedColumn, Values};
use crate::words::text::plain;

/// Names of what lists the classes in the order of the scores, as attributes of scikit-learn and Keras are saved.
const CLASS_LISTS: [&str; 3] = ["classes", "class_names", "class_labels"];

/// Arrays of scores beside texts that list the classes of each row in an order of its own, as zero-shot classification of Hugging
/// Face writes them (`labels`, `scores`), as a column for each class; the lists are not kept.
///
/// # Cost
/// O(rows × classes²) where there are such lists, else O(columns).
pub(super) fn in_order_of_rows(mut file: ReadFile) -> ReadFile {
    let listed = file.columns.iter().enumerate().find_map(|(place, column)| Some((place, lists_of_rows(column)?)));
    let Some((place, (codes, lists))) = listed else { return file };
    let Some(mut classes) = lists.first().cloned() else { return file };
    classes.sort_unstable();
    let fits = |matrix: &Matrix| matrix.width == classes.len() && matrix.rows() == codes.len();
    if !file.columns.iter().any(|column| matches!(&column.values, Values::Matrix(matrix) if fits(matrix))) {
        return file;
    }
    let mut columns = Vec::new();
    for (at, column) in file.columns.into_iter().enumerate() {
        match column.values {
            Values::Matrix(matrix) if fits(&matrix) => columns.extend(classes.iter().map(|class| {
                let score = |(row, code): (usize, &u32)| {
                    let place = lists.get(*code as usize)?.iter().position(|other| other == class)?;
                    Some(matrix.value(row, place))
                };
                let values = codes.iter().enumerate().map(|cell| score(cell).unwrap_or(f64::NAN));
                let name = format!("{}.{class}", column.name);
                NamedColumn { file: column.file.clone(), name, values: Values::Numbers(values.collect()) }
            })),
            values if at != place => columns.push(NamedColumn { values, ..column }),
            _ => {}
        }
    }
    file.columns = columns;
    file
}

/// The list of each row, by the code of its text, where all have the same classes in several orders.
fn lists_of_rows(column: &NamedColumn) -> Option<(Column<u32>, Vec<Vec<String>>)> {
    let name = column.name.as_str();
    let Values::Text { codes, levels } = &column.values else { return None };
    if !CLASS_LISTS.contains(&name) && name != "labels" || levels.len() < 2 {
        return None;
    }
    let lists = levels.iter().map(list).collect::<Option<Vec<_>>>()?;
    let sorted = |list: &Vec<String>| {
        let mut list = list.clone();
        list.sort_unstable();
        list
    };
    let first = sorted(lists.first()?);
    let same = first.len() > 1 && first.windows(2).all(|pair| pair.first() != pair.last());
    (same && lists.iter().all(|list| sorted(list) == first)).then(|| (codes.clone(), lists))
}

/// The texts or numbers of a list as Python, NumPy or JSON write it: `['b', 'a']`, `['b' 'a']`, `["b", "a"]`.
fn list(text: &str) -> Option<Vec<String>> {
    let quoted = if text.contains('"') { text.to_owned() } else { text.replace("' '", "', '").replace('\'', "\"") };
    let items: Vec<serde_json::Value> = serde_json::from_str(quoted.trim()).ok()?;
    items.into_iter().map(|item| item.as_str().map(str::to_owned).or_else(|| Some(plain(item.as_f64()?)))).collect()
}

/// Arrays of a column for each class as columns that are named after the classes, where the file lists these in another
/// order than the sorted one, by which an array is matched with outcomes, or lists one that is none of the outcomes; the list is not
/// kept.
///
/// # Cost
/// O(rows × classes) where there is such a list, else O(rows) a column of texts.
pub(super) fn in_listed_order(mut file: ReadFile) -> ReadFile {
    let under_any_name = || {
        let mut columns = file.columns.iter().enumerate();
        columns.find_map(|(place, column)| Some((place, class_texts(column, &file.columns)?)))
    };
    let listed = file.columns.iter().enumerate().find_map(|(place, column)| Some((place, class_list(column)?)));
    // `labels` would be taken for the outcome.
    let named = |place: usize| file.columns.get(place).is_some_and(|column| column.name == "labels");
    // without one of the classes, outcomes cannot be matched in their sorted order
    let lacks_some = |place: usize, classes: &[String]| {
        let fewer = |values: &Values| matches!(values, Values::Text { levels, .. } if levels.len() < classes.len());
        let mut others = file.columns.iter().enumerate().filter(|(at, _)| *at != place);
        others.any(|(_, column)| is_of(&column.values, classes) && fewer(&column.values))
    };
    let kept =
        |(place, classes): &(usize, Vec<String>)| named(*place) || !is_sorted(classes) || lacks_some(*place, classes);
    let Some((place, classes)) = listed.or_else(under_any_name).filter(kept) else { return file };
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
    let arrays: Vec<bool> =
        file.columns.iter().enumerate().map(|(at, column)| at != place && is_array(column)).collect();
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

/// The classes that a column lists: distinct values in its first rows and none in others, or the same list in every row.
fn class_list(column: &NamedColumn) -> Option<Vec<String>> {
    let same = same_list(&column.values);
    if !CLASS_LISTS.contains(&column.name.trim_end_matches('_')) {
        // Autopilot of SageMaker
        return same.filter(|_| column.name == "labels" && matches!(column.values, Values::Text { .. }));
    }
    if same.is_some() {
        return same;
    }
    let (known, rows) = (values(&column.values)?, column.values.shape().first().copied()?);
    let count = known.iter().take_while(|value| value.is_some()).count();
    let mut distinct: Vec<&String> = known.iter().flatten().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let lists = count > 1 && known.iter().flatten().count() == count && distinct.len() == count && count <= rows;
    lists.then(|| known.into_iter().flatten().collect())
}

/// Distinct texts under any name, as many as an array of more rows has columns, that are not one for each of its rows: `label_names`
/// or `categories` of a data set.
fn class_texts(column: &NamedColumn, all: &[NamedColumn]) -> Option<Vec<String>> {
    let Values::Text { codes, levels } = &column.values else { return None };
    let count = codes.iter().take_while(|code| **code != MISSING).count();
    let of_classes = |other: &NamedColumn| match &other.values {
        Values::Matrix(matrix) => matrix.width == count && matrix.rows() > count,
        _ => false,
    };
    if count < 2 || levels.len() != count || !all.iter().any(of_classes) {
        return None;
    }
    let known = codes.iter().filter(|code| **code != MISSING).count();
    (known == count).then(|| codes.iter().take(count).map(|code| levels.text(*code).to_owned()).collect())
}

/// The list of at least two distinct classes that every row has.
fn same_list(values: &Values) -> Option<Vec<String>> {
    let found = match values {
        Values::Text { codes, levels } if levels.len() == 1 && !codes.contains(&MISSING) => list(levels.text(0))?,
        Values::Matrix(matrix) => {
            let of_row = |row: usize| (0..matrix.width).map(move |k| matrix.value(row, k));
            let same = matrix.rows() > 0 && (1..matrix.rows()).all(|row| of_row(row).eq(of_row(0)));
            same.then(|| of_row(0).map(plain).collect())?
        }
        _ => return None,
    };
    let distinct = found.iter().enumerate().all(|(k, class)| !found.iter().skip(k + 1).any(|other| other == class));
    (found.len() > 1 && distinct).then_some(found)
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
    use super::*;
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
        let rows = |classes: &str, outcomes: [&str; 2]| {
            let [first, second] = outcomes.map(|y| format!("{y},\"{classes}\",\"[0.9, 0.1]\"\n"));
            let file = read("rows.csv", format!("y,classes,proba\n{first}{second}").as_bytes(), &mut |_| ()).unwrap();
            file.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>().join(" ")
        };
        for list in ["['yes', 'no']", "['yes' 'no']"] {
            assert_eq!(rows(list, ["yes", "no"]), "y proba.yes proba.no");
        }
        assert_eq!(rows("[1, 0]", ["1", "0"]), "y proba.1 proba.0");
        assert_eq!(rows("['no', 'yes']", ["yes", "no"]), "y classes proba");
        // the order by which an array is matched anyway, and outcomes that are places in the list
        assert_eq!(names("[\"no\", \"yes\"]", "[\"yes\", \"no\", \"no\"]"), "classes proba y");
        assert_eq!(names("[\"yes\", \"no\"]", "[0, 1, 1]"), "classes proba y");
    }

    #[test]
    fn texts_that_contain_every_outcome_name_the_columns_under_any_name() {
        let text = |texts: &[&str]| {
            let mut levels = crate::read::levels::Levels::default();
            texts.iter().for_each(|text| levels.push(text));
            levels.into_values()
        };
        let file = |key: &str, list: &[&str], outcomes: &[&str]| {
            let scores = [0.9, 0.1, 0.2, 0.8, 0.3, 0.7].to_vec();
            let matrix = Values::Matrix(Matrix { width: 2, values: crate::table::Reals::F64(Column::from(scores)) });
            let columns = [("logits", matrix), ("labels", text(outcomes)), (key, text(list))];
            let column =
                |(name, values): (&str, Values)| NamedColumn { file: "a.npz".into(), name: name.into(), values };
            in_listed_order(ReadFile { columns: columns.map(column).into(), ..ReadFile::default() })
        };
        let names = |file: ReadFile| file.columns.into_iter().map(|column| column.name).collect::<Vec<_>>().join(" ");
        for key in ["label_names", "fine_label_names", "categories", "names", "idx_to_class", "classnames"] {
            assert_eq!(
                names(file(key, &["dog", "cat"], &["cat", "dog", "cat"])),
                "logits.dog logits.cat labels",
                "{key}"
            );
        }
        // in sorted order, but without one of the classes among the outcomes
        assert_eq!(names(file("names", &["cat", "dog"], &["cat", "dog", "cat"])), "logits labels names");
        assert_eq!(names(file("names", &["cat", "dog"], &["dog", "dog", "dog"])), "logits.cat logits.dog labels");
        // an outcome that is not in the list, and texts that are one for each row
        assert_eq!(names(file("names", &["dog", "cat"], &["cat", "dog", "owl"])), "logits labels names");
        assert_eq!(names(file("names", &["dog", "cat", "owl"], &["cat", "dog", "cat"])), "logits labels names");
    }

    #[test]
    fn classes_in_the_order_of_each_row() {
        let text = "y,labels,scores\na,\"['b', 'a']\",\"[0.9, 0.1]\"\nb,\"['a', 'b']\",\"[0.8, 0.2]\"\n";
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let names: Vec<&str> = file.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["y", "scores.a", "scores.b"]);
        assert!(matches!(&file.columns[1].values, Values::Numbers(of_a) if of_a.to_vec() == [0.1, 0.8]));
        // without scores, or with other classes in another row, they are texts
        let other = text.replace("['a', 'b']", "['a', 'c']");
        assert_eq!(read("rows.csv", other.as_bytes(), &mut |_| ()).unwrap().columns[1].name, "labels");
    }
}
