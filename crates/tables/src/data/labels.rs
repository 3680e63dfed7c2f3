//! Labels as codes: the distinct values of a label column, and the class each of them means.

use std::collections::HashMap;

use super::names;
use crate::num::order;
use crate::table::Warning;
use crate::table::values::{MISSING, Matrix, Values};
use crate::words::text::{listed, plain, thousands};

/// Distinct labels in order (by number if all are numbers, else by text) and one code a row.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Labels {
    /// distinct labels
    pub names: Vec<String>,
    /// index into `names`; [`MISSING`] where there is none
    pub codes: Vec<u32>,
}

impl Labels {
    /// Labels of a column; a matrix must be one-hot (its labels are the column numbers).
    pub fn of(values: &Values) -> Labels {
        match values {
            Values::Numbers(v) => of_numbers(v),
            Values::Text { codes, levels } => {
                let names: Vec<String> = levels.iter().map(str::to_owned).collect();
                Labels { names, codes: codes.to_vec() }.sorted()
            }
            Values::Matrix(matrix) => of_one_hot(matrix),
        }
    }

    /// Labels of one-hot columns, named by their classes.
    pub fn of_columns(columns: &[&[f64]], classes: Vec<String>) -> Labels {
        let rows = columns.first().map_or(0, |column| column.len());
        let codes = (0..rows).map(|i| one_hot(columns.iter().filter_map(|column| column.get(i).copied()))).collect();
        Labels { names: classes, codes }
    }

    /// The same with the names that an outcome has for them, where only a word before their numbers differs (`LABEL_1`, as
    /// Hugging Face names the second class, beside 1), or each is the same answer in other words (`POSITIVE` beside 1).
    pub fn named_as(self, outcome: &Labels) -> Labels {
        if self.names.iter().any(|name| outcome.names.contains(name)) {
            return self;
        }
        let by_number = || {
            let others = numbered(&outcome.names)?;
            let name = |number: u64| outcome.names.get(others.iter().position(|other| *other == number)?).cloned();
            numbered(&self.names)?.into_iter().map(name).collect::<Option<Vec<String>>>()
        };
        let by_answer = || {
            let same = |name: &String| {
                let answer = names::answers(name)?;
                outcome.names.iter().find(|other| names::answers(other) == Some(answer)).cloned()
            };
            let two = self.names.len() == 2 && outcome.names.len() == 2;
            let found = self.names.iter().map(same).collect::<Option<Vec<String>>>().filter(|_| two)?;
            (found.first() != found.last()).then_some(found)
        };
        match by_number().or_else(by_answer) {
            Some(names) => Labels { names, codes: self.codes }.sorted(),
            None => self,
        }
    }

    fn sorted(self) -> Labels {
        let numbers: Option<Vec<f64>> = self.names.iter().map(|n| n.parse().ok()).collect();
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        match &numbers {
            Some(numbers) => order::sort(&mut order, &|&a, &b| {
                let at = |k: usize| numbers.get(k).copied().unwrap_or(f64::NAN);
                at(a).total_cmp(&at(b))
            }),
            None => order::sort(&mut order, &|&a, &b| self.names.get(a).cmp(&self.names.get(b))),
        }
        let mut place = vec![MISSING; order.len()];
        for (new, &old) in order.iter().enumerate() {
            if let Some(place) = place.get_mut(old) {
                *place = new as u32;
            }
        }
        Labels {
            codes: self.recoded(&place),
            names: order.iter().filter_map(|&old| self.names.get(old).cloned()).collect(),
        }
    }

    /// The codes after renaming code k to `place[k]`.
    pub fn recoded(&self, place: &[u32]) -> Vec<u32> {
        self.codes.iter().map(|&code| place.get(code as usize).copied().unwrap_or(MISSING)).collect()
    }
}

fn of_numbers(values: &[f64]) -> Labels {
    const SMALL: usize = 4096;
    let mut seen = vec![MISSING; SMALL];
    let mut others: HashMap<u64, u32> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    let mut codes = Vec::with_capacity(values.len());
    let add = |names: &mut Vec<String>, x: f64| {
        names.push(plain(x));
        names.len() as u32 - 1
    };
    for &x in values {
        if x.is_nan() {
            codes.push(MISSING);
            continue;
        }
        let index = x as usize;
        let code = match seen.get_mut(index) {
            Some(code) if index as f64 == x => {
                if *code == MISSING {
                    *code = add(&mut names, x);
                }
                *code
            }
            _ => *others.entry(x.to_bits()).or_insert_with(|| add(&mut names, x)),
        };
        codes.push(code);
    }
    Labels { names, codes }.sorted()
}

fn of_one_hot(matrix: &Matrix) -> Labels {
    let mut row = vec![0.0; matrix.width];
    let codes = (0..matrix.rows())
        .map(|i| {
            matrix.row_into(i, &mut row);
            one_hot(row.iter().copied())
        })
        .collect();
    Labels { names: (0..matrix.width).map(|k| k.to_string()).collect(), codes }
}

fn one_hot(row: impl Iterator<Item = f64>) -> u32 {
    let mut hot = MISSING;
    for (k, x) in row.enumerate() {
        if x == 1.0 && hot == MISSING {
            hot = k as u32;
        } else if x != 0.0 {
            return MISSING;
        }
    }
    hot
}

/// Whole, non-negative numbers of all names.
fn numbers(names: &[String]) -> Option<Vec<u64>> {
    names.iter().map(|name| name.parse().ok()).collect()
}

/// Classes of a matrix of scores, and the class of each distinct label (`MISSING` where it names none).
pub(super) struct Classes {
    /// class names in class order
    pub names: Vec<String>,
    /// class of each of the labels
    pub of_label: Vec<u32>,
}

/// Matches labels with the classes that score columns are named after.
///
/// Labels 1 … m against columns 0 … m−1, and the reverse, are taken in order with a warning; where columns
/// have no names of their own (`named` = false), m labels of any kind are taken in sorted order with one.
pub(super) fn matched(classes: Vec<String>, labels: &[String], named: bool, warnings: &mut Vec<Warning>) -> Classes {
    let find = |label: &String| {
        let same = |class: &String| class == label || names::snake(class) == names::snake(label);
        classes
            .iter()
            .position(|class| class == label)
            .or_else(|| classes.iter().position(same))
            .map_or(MISSING, |k| k as u32)
    };
    let direct: Vec<u32> = labels.iter().map(find).collect();
    if direct.iter().all(|&k| k != MISSING) {
        return Classes { names: classes, of_label: direct };
    }
    let m = classes.len();
    if let Some(shift) = shifted(&classes, labels) {
        let (from, first, up) = match shift {
            Shift::Up => (0, 1, true),
            Shift::Down => (1, 0, false),
        };
        let (to, last) = (from + m - 1, first + m - 1);
        let name = |k: usize| if up { k + 1 } else { k - 1 }.to_string();
        warnings.push(Warning {
            code: "labels_shifted".into(),
            message: format!(
                "Labels are {first} to {last} and score columns {from} to {to}; they were matched in order, {first} \
                 with {from}. Check that this is correct."
            ),
            row: None,
            column: None,
        });
        let names: Vec<String> =
            classes.iter().map(|class| class.parse().map_or_else(|_| class.clone(), name)).collect();
        let of_label = labels
            .iter()
            .map(|label| names.iter().position(|name| name == label).map_or(MISSING, |k| k as u32))
            .collect();
        return Classes { names, of_label };
    }
    if !named && labels.len() == m && !marks_missing(labels, &direct) {
        warnings.push(Warning {
            code: "classes_in_sorted_order".into(),
            message: format!(
                "The {} score columns have no names; they were matched with the labels in sorted order: {}.",
                thousands(m),
                listed(labels)
            ),
            row: None,
            column: None,
        });
        return Classes { names: labels.to_vec(), of_label: (0..m as u32).collect() };
    }
    Classes { names: classes, of_label: direct }
}

/// Most classes whose numbers may be a coding of their own: −1 and 1, or −1, 0 and 1.
const MOST_CODED: usize = 3;

/// Whether all labels but one are numbers of columns, and that one is a number by which rows without a class are marked: −1 or
/// another below 0, or 255, as in masks of images.
fn marks_missing(labels: &[String], direct: &[u32]) -> bool {
    let mut others = labels.iter().zip(direct).filter(|(_, class)| **class == MISSING);
    let (Some((only, _)), None) = (others.next(), others.next()) else { return false };
    labels.len() > MOST_CODED && only.parse::<f64>().is_ok_and(|number| number < 0.0 || number == 255.0)
}

enum Shift {
    /// labels 1 … m, columns 0 … m−1
    Up,
    /// labels 0 … m−1, columns 1 … m
    Down,
}

fn shifted(classes: &[String], labels: &[String]) -> Option<Shift> {
    let m = classes.len() as u64;
    let mut columns = numbers(classes)?;
    columns.sort_unstable();
    let labels = numbers(labels)?;
    let (low, high) = (labels.iter().min()?, labels.iter().max()?);
    let first = *columns.first()?;
    if !columns.iter().copied().eq(first..first + m) {
        return None;
    }
    match first {
        0 if *low >= 1 && *high == m => Some(Shift::Up),
        1 if *low == 0 && *high < m => Some(Shift::Down),
        _ => None,
    }
}

/// Whether each row's text or number says that something is so; `None` where it says neither.
pub(super) fn truths(values: &Values) -> Vec<Option<bool>> {
    let word = |text: &str| match text.trim().to_lowercase().as_str() {
        "1" | "true" | "yes" | "t" | "y" | "correct" | "right" => Some(true),
        "0" | "false" | "no" | "f" | "n" | "incorrect" | "wrong" => Some(false),
        _ => None,
    };
    match values {
        Values::Numbers(v) => v
            .iter()
            .map(|&x| match x {
                1.0 => Some(true),
                0.0 => Some(false),
                _ => None,
            })
            .collect(),
        Values::Text { codes, levels } => {
            let known: Vec<Option<bool>> = levels.iter().map(word).collect();
            codes.iter().map(|&code| known.get(code as usize).copied().flatten()).collect()
        }
        Values::Matrix(_) => Vec::new(),
    }
}

/// The whole numbers that names end in, where what is before them is the same in all.
fn numbered(names: &[String]) -> Option<Vec<u64>> {
    let word = |name: &String| name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let before = names.first().and_then(|name| name.get(..word(name)))?;
    let number = |name: &String| name.strip_prefix(before)?.parse().ok();
    if before.ends_with(['-', '.']) { None } else { names.iter().map(number).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Reals};

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| (*s).to_owned()).collect()
    }

    #[test]
    fn numbers_are_sorted_by_size() {
        let labels = Labels::of(&Values::Numbers(Column::from(vec![10.0, 9.0, f64::NAN, -1.0, 10.0])));
        assert_eq!(labels.names, ["-1", "9", "10"]);
        assert_eq!(labels.codes, [2, 1, MISSING, 0, 2]);
    }

    #[test]
    fn predicted_classes_are_named_as_the_outcome() {
        let of = |names: &[&str], outcome: &[&str]| {
            let labels = |names: &[&str]| Labels { names: strings(names), codes: vec![1, 0] };
            labels(names).named_as(&labels(outcome)).names
        };
        assert_eq!(of(&["LABEL_0", "LABEL_1"], &["0", "1"]), ["0", "1"]);
        assert_eq!(of(&["0", "1"], &["LABEL_0", "LABEL_1"]), ["LABEL_0", "LABEL_1"]);
        assert_eq!(of(&["LABEL_0", "LABEL_10"], &["0", "2", "10"]), ["0", "10"]);
        assert_eq!(of(&["NEGATIVE", "POSITIVE"], &["0", "1"]), ["0", "1"]);
        assert_eq!(of(&["0", "1"], &["no", "yes"]), ["no", "yes"]);
        for (names, outcome) in
            [(["LABEL_0", "LABEL_3"], ["0", "1"]), (["a_0", "b_1"], ["0", "1"]), (["cat", "dog"], ["0", "1"])]
        {
            assert_eq!(of(&names, &outcome), names);
        }
    }

    #[test]
    fn one_hot_rows() {
        let matrix =
            Matrix { width: 3, values: Reals::F64(Column::from(vec![0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0])) };
        assert_eq!(Labels::of(&Values::Matrix(matrix)).codes, [1, 0, MISSING]);
    }

    #[test]
    fn labels_off_by_one_are_matched_in_order_with_a_warning() {
        let mut warnings = Vec::new();
        let found = matched(strings(&["0", "1", "2"]), &strings(&["1", "3"]), true, &mut warnings);
        assert_eq!(found.names, ["1", "2", "3"]);
        assert_eq!(found.of_label, [0, 2]);
        assert_eq!(warnings[0].code, "labels_shifted");
        let found = matched(strings(&["2", "1", "3"]), &strings(&["0", "1", "2"]), true, &mut warnings);
        assert_eq!(found.names, ["1", "0", "2"]);
        assert_eq!(found.of_label, [1, 0, 2]);
        assert_eq!(warnings.len(), 2);
        // Labels 1 and 2 of 0, 1, 2 are those classes: class 0 just never occurs.
        let found = matched(strings(&["0", "1", "2"]), &strings(&["1", "2"]), true, &mut warnings);
        assert_eq!(found.of_label, [1, 2]);
        assert_eq!(warnings.len(), 2);
    }

    #[test]
    fn a_number_that_marks_rows_without_a_class_is_none() {
        let mut warnings = Vec::new();
        let columns = strings(&["0", "1", "2", "3"]);
        for marked in [["-1", "0", "1", "2"], ["-1", "0", "1", "3"], ["0", "2", "3", "255"]] {
            let found = matched(columns.clone(), &strings(&marked), false, &mut warnings);
            assert_eq!(found.names, columns);
            assert_eq!(found.of_label.iter().filter(|&&class| class == MISSING).count(), 1, "{marked:?}");
        }
        assert!(warnings.is_empty(), "{warnings:?}");
        // codings of their own
        for coded in [vec!["-1", "1"], vec!["-1", "0", "1"], vec!["-2", "-1", "1", "2"], vec!["1", "2", "3", "5"]] {
            let columns: Vec<String> = (0..coded.len()).map(|k| k.to_string()).collect();
            let found = matched(columns, &strings(&coded), false, &mut warnings);
            assert_eq!(found.names, coded);
        }
        assert_eq!(warnings.len(), 4);
    }

    #[test]
    fn unnamed_columns_take_sorted_labels() {
        let mut warnings = Vec::new();
        let found = matched(strings(&["0", "1"]), &strings(&["cat", "dog"]), false, &mut warnings);
        assert_eq!(found.names, ["cat", "dog"]);
        assert_eq!(warnings[0].code, "classes_in_sorted_order");
        let found = matched(strings(&["a", "b"]), &strings(&["cat", "dog"]), true, &mut warnings);
        assert_eq!(found.of_label, [MISSING, MISSING]);
    }
}
