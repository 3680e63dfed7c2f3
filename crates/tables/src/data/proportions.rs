//! Scores written as proportions: `7/20`, `7 of 20`, `1 in 5`.

use super::names;
use crate::table::values::{NamedColumn, Values};
use crate::table::{Column, Warning};
use crate::words::text::{plain, quoted};

/// What may stand between the two numbers.
const BETWEEN: [&str; 4] = ["/", " in ", " out of ", " of "];

/// The numbers of a column of texts whose name says that it is a score, where all texts are numbers or proportions, and what is said
/// of it. O(n).
pub(super) fn of(column: &NamedColumn) -> Option<(NamedColumn, Warning)> {
    let Values::Text { codes, levels } = &column.values else { return None };
    if !names::suggests_score(&column.name) {
        return None;
    }
    let (example, value) = levels.iter().find_map(|text| Some((text, proportion(text)?)))?;
    let known =
        levels.iter().map(|text| proportion(text).or_else(|| text.parse().ok())).collect::<Option<Vec<f64>>>()?;
    let numbers: Column<f64> =
        codes.iter().map(|&code| known.get(code as usize).copied().unwrap_or(f64::NAN)).collect();
    let said = Warning {
        code: "numbers_in_other_notation".into(),
        message: format!("{} was read as numbers: {example} is {}.", quoted(&column.name), plain(value)),
        row: None,
        column: Some(column.name.clone()),
    };
    let values = Values::Numbers(numbers);
    Some((NamedColumn { file: column.file.clone(), name: column.name.clone(), values }, said))
}

/// One whole number of at least as many.
fn proportion(text: &str) -> Option<f64> {
    let (part, of) = BETWEEN.iter().find_map(|between| text.split_once(between))?;
    let whole = |digits: &str| {
        let digits = digits.trim();
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u32>().ok()).flatten()
    };
    let (part, of) = (whole(part)?, whole(of)?);
    (of > 0 && part <= of).then(|| f64::from(part) / f64::from(of))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    #[test]
    fn proportions_are_numbers() {
        for (text, value) in [("7/20", 0.35), ("1 in 5", 0.2), ("3 of 4", 0.75), ("3 out of 4", 0.75), ("0/9", 0.0)] {
            assert_eq!(proportion(text), Some(value), "{text}");
        }
        for text in ["120/80", "1/0", "a/b", "/", "1/2/3", "-1/2", "1.5/2", "7 20", ""] {
            assert_eq!(proportion(text), None, "{text}");
        }
    }

    #[test]
    fn a_score_of_proportions_is_read_and_said_and_other_columns_are_not() {
        let rows = (0..40).map(|i| format!("{}/20,{},{}/4\n", i % 21, i % 2, i % 5)).collect::<String>();
        let file = read("rows.csv", format!("risk,died,stage\n{rows}").as_bytes(), &mut |_| ()).unwrap();
        let (data, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        assert_eq!(crate::data::pair::scores(&data).unwrap()[7], 0.35);
        assert!(summary.warnings.iter().any(|one| one.message == "`risk` was read as numbers: 0/20 is 0."));
        assert!(summary.columns[2].text);
    }
}
