//! Arrays whose names say to which part of the data they belong: `val_logits` and `val_labels` beside `test_logits` and
//! `test_labels` are other rows, also where both are equally many.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use super::super::names::{DataPart, words};
use crate::read::ReadFile;
use crate::table::Warning;
use crate::words::text::{counted, listed};

use super::Unit;

/// The part that one word of a name says, and the name without that word.
fn named(name: &str) -> Option<(DataPart, String)> {
    let part_of = |word: &String| DataPart::named(word);
    let (of_parts, rest): (Vec<String>, Vec<String>) =
        words(name).into_iter().partition(|word| part_of(word).is_some());
    match of_parts.as_slice() {
        [one] if !rest.is_empty() => Some((part_of(one)?, rest.join("_"))),
        _ => None,
    }
}

/// The parts of arrays by their names, where the parts that calibrate and that are evaluated have the same arrays, two or more
/// (scores and outcomes); one alone, the same as the training part. Else none: a model called `test`, or outcomes that all
/// scores share. Tables of text have one row for all of their columns.
pub(super) fn parts_of_arrays<F: Borrow<ReadFile>>(files: &[F]) -> BTreeMap<String, DataPart> {
    let arrays = files.iter().map(Borrow::borrow).filter(|file| file.header.is_none());
    let named: Vec<(String, DataPart, String)> = arrays
        .flat_map(|file| &file.columns)
        .filter_map(|column| named(&column.name).map(|(part, rest)| (column.name.clone(), part, rest)))
        .collect();
    let mut arrays_of: BTreeMap<DataPart, BTreeSet<&str>> = BTreeMap::new();
    for (_, part, rest) in &named {
        arrays_of.entry(*part).or_default().insert(rest);
    }
    let training = arrays_of.remove(&DataPart::Training);
    let others: Vec<&BTreeSet<&str>> = arrays_of.values().collect();
    let complete = match others.as_slice() {
        [only] => only.len() >= 2 && training.as_ref() == Some(only),
        [first, second] => first.len() >= 2 && first == second,
        _ => false,
    };
    if !complete {
        return BTreeMap::new();
    }
    named.into_iter().map(|(name, part, _)| (name, part)).collect()
}

/// Leaves out training arrays, where others are there.
pub(super) fn without_training(units: &mut Vec<Unit>, warnings: &mut Vec<Warning>) {
    let is_training = |unit: &Unit| unit.of_arrays == Some(DataPart::Training);
    for unit in units.extract_if(.., |unit| is_training(unit)) {
        let names = listed(unit.table.columns.iter().map(|column| &column.name));
        warnings.push(Warning {
            code: "rows_outside_split".into(),
            message: format!(
                "{} excluded from both calibration and evaluation (arrays {names}).",
                counted(unit.table.rows, "training row")
            ),
            row: None,
            column: unit.table.columns.first().map(|column| column.name.clone()),
        });
    }
}
