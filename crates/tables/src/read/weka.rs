//! WEKA's prediction output: `1:name` labels, and `*` at the class that won.

use crate::table::{Dictionary, MISSING, NamedColumn, Values};

/// Rewrites WEKA's columns as anyone else would write them; other tables are left alone.
///
/// `actual` and `predicted` lose the class number; the cells of `distribution` become numbers and their
/// columns are named after their class.
pub(super) fn translate(columns: &mut [NamedColumn]) {
    let weka = columns.first().is_some_and(|column| column.name == "inst#")
        && columns.iter().any(|column| column.name == "actual");
    if !weka {
        return;
    }
    let mut classes: Vec<(usize, String)> = Vec::new();
    for column in columns.iter_mut() {
        if column.name == "actual" || column.name == "predicted" {
            strip_numbers(&mut column.values, &mut classes);
        }
    }
    for column in columns.iter_mut() {
        let Some(k) = column.name.strip_prefix("distribution ").and_then(|k| k.parse::<usize>().ok()) else {
            continue;
        };
        if let Some(values) = without_star(&column.values) {
            column.values = values;
        }
        let class = classes.iter().find(|(number, _)| *number == k);
        column.name = match class {
            Some((_, name)) => format!("distribution_{name}"),
            None => format!("distribution_class {k}"),
        };
    }
}

fn strip_numbers(values: &mut Values, classes: &mut Vec<(usize, String)>) {
    let Values::Text { codes, levels } = values else {
        return;
    };
    let mut names = Dictionary::default();
    let mut renamed: Vec<u32> = Vec::new();
    for level in levels.iter() {
        let (number, name) = match level.split_once(':') {
            Some((number, name)) => (number.parse().ok(), name),
            None => (None, level),
        };
        if name == "?" {
            renamed.push(MISSING);
            continue;
        }
        if let Some(number) = number
            && !classes.iter().any(|(known, _)| *known == number)
        {
            classes.push((number, name.to_owned()));
        }
        renamed.push(names.push(name));
    }
    for code in codes.iter_mut() {
        *code = renamed.get(*code as usize).copied().unwrap_or(MISSING);
    }
    *levels = names;
}

fn without_star(values: &Values) -> Option<Values> {
    let Values::Text { codes, levels } = values else {
        return None;
    };
    let numbers: Vec<f64> = levels
        .iter()
        .map(|level| super::decimal::number(level.trim_start_matches('*'), b'.'))
        .collect::<Option<_>>()?;
    let value = |&code: &u32| numbers.get(code as usize).copied().unwrap_or(f64::NAN);
    Some(Values::Numbers(codes.iter().map(value).collect()))
}
