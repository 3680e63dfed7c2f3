//! Rows without any value, as a spreadsheet has between the parts of a table.

use crate::table::Warning;
use crate::table::values::{MISSING, Table, Values};
use crate::words::text::counted;

/// Which of the rows that were asked for have a value in some column: a spreadsheet has empty ones between its parts. O(n) per
/// column up to the first that is complete.
pub(super) fn without_empty_rows(
    asked: Option<Vec<bool>>,
    table: &Table,
    warnings: &mut Vec<Warning>,
) -> Option<Vec<bool>> {
    // of one column, a row without its value is an incomplete one
    if table.columns.len() < 2 {
        return asked;
    }
    let mut empty: Option<Vec<usize>> = None;
    for column in &table.columns {
        let is_missing = |row: &usize| match &column.values {
            Values::Numbers(values) => values.get(*row).is_none_or(|x| x.is_nan()),
            Values::Text { codes, .. } => codes.get(*row).is_none_or(|code| *code == MISSING),
            Values::Matrix(_) => false,
        };
        let left: Vec<usize> = match empty {
            None => (0..table.rows).filter(is_missing).collect(),
            Some(empty) => empty.into_iter().filter(is_missing).collect(),
        };
        if left.is_empty() {
            return asked;
        }
        empty = Some(left);
    }
    let Some(empty) = empty.filter(|empty| empty.len() < table.rows) else { return asked };
    let mut inside = asked.unwrap_or_else(|| vec![true; table.rows]);
    for row in &empty {
        if let Some(inside) = inside.get_mut(*row) {
            *inside = false;
        }
    }
    warnings.push(Warning {
        code: "empty_rows".into(),
        message: format!("{} without any value: ignored.", counted(empty.len(), "row")),
        row: None,
        column: None,
    });
    Some(inside)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    #[test]
    fn rows_without_any_value_are_ignored_and_counted() {
        let file = read("rows.csv", b"id,p,y\n1,0.2,0\n,,\n2,0.7,1\n,,\n3,0.4,0\n", &mut |_| ()).unwrap();
        let (data, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        assert_eq!((data.rows, data.row_numbers.to_vec()), (3, vec![1, 3, 5]));
        let said = summary.warnings.iter().find(|warning| warning.code == "empty_rows");
        assert_eq!(said.map(|warning| warning.message.as_str()), Some("2 rows without any value: ignored."));
        // one with an id is an incomplete one
        let file = read("rows.csv", b"id,p,y\n1,0.2,0\n2,,\n3,0.7,1\n", &mut |_| ()).unwrap();
        assert!(assemble(&[file], &OpenOptions::default()).is_err());
    }
}
