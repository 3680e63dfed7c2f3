//! Rows that are copies of one another: a file that was appended to itself, or joined with another that has several rows for each.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use super::roles::{ColumnRole, Role};
use crate::table::Warning;
use crate::table::values::{Table, Values};
use crate::words::text::{counted, thousands};

/// Distinct rows below which equal numbers of each may be chance.
const ENOUGH: usize = 50;

/// Says that each row occurs as often as every other, more than once, whatever ids it has: as if each were several
/// cases. Rows of a few values occur in numbers of their own, without a common divisor.
///
/// # Cost
/// O(n) where a row is alone, as almost always; else O(n) per column.
pub(super) fn copied_rows(table: &Table, roles: &[ColumnRole]) -> Option<Warning> {
    let is_id = |role: &ColumnRole| role.role == Role::Id;
    let columns: Vec<&Values> =
        table.columns.iter().zip(roles).filter(|(_, role)| !is_id(role)).map(|(column, _)| &column.values).collect();
    // the most different column first: one value that stands there once is enough
    let alone = |values: &&Values| match values {
        Values::Numbers(values) => {
            let ends =
                values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
            [ends.0, ends.1].iter().any(|end| values.iter().filter(|x| *x == end).count() == 1)
        }
        _ => false,
    };
    if columns.is_empty() || table.rows < 2 * ENOUGH || columns.iter().any(alone) {
        return None;
    }
    let state = FixedState::default();
    let mut hashes = vec![0_u64; table.rows];
    for values in columns {
        for (row, hash) in hashes.iter_mut().enumerate() {
            let mut hasher = state.build_hasher();
            hasher.write_u64(*hash);
            match values {
                Values::Numbers(values) => hasher.write_u64(values.get(row).map_or(0, |x| x.to_bits())),
                Values::Text { codes, .. } => hasher.write_u32(codes.get(row).copied().unwrap_or_default()),
                Values::Matrix(matrix) => {
                    (0..matrix.width).for_each(|k| hasher.write_u64(matrix.value(row, k).to_bits()));
                }
            }
            *hash = hasher.finish();
        }
    }
    let mut copies: HashMap<u64, usize, FixedState> = HashMap::default();
    hashes.into_iter().for_each(|hash| *copies.entry(hash).or_default() += 1);
    let times = copies.values().copied().reduce(common_divisor).filter(|times| *times > 1 && copies.len() >= ENOUGH)?;
    let message = format!(
        "Each row occurs {} times or a multiple of it: {}, of which {} differ. Copies are no further cases: they make intervals too \
         narrow, and recalibrations are evaluated on copies of the rows they were fitted to. Keep one of each.",
        thousands(times),
        counted(table.rows, "row"),
        thousands(copies.len())
    );
    Some(Warning { code: "copied_rows".into(), message, row: None, column: None })
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    fn copied(rows: &[String]) -> bool {
        let text = format!(
            "id,age,p,y\n{}",
            rows.iter().enumerate().map(|(i, row)| format!("{i},{row}\n")).collect::<String>()
        );
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (_, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        summary.warnings.iter().any(|warning| warning.code == "copied_rows")
    }

    #[test]
    fn rows_that_all_stand_several_times_are_copies() {
        let row = |i: usize| format!("{},0.{:03},{}", 20 + i * 7 % 60, 100 + i * 37 % 800, i * 11 % 3 / 2);
        let once: Vec<String> = (0..100).map(row).collect();
        assert!(copied(&[once.clone(), once.clone()].concat()) && copied(&[&once[..], &once, &once].concat()));
        // some rows of few values are equal by chance
        let few: Vec<String> =
            (0..400).map(|i| format!("{},0.{},{}", i * i % 4, 1 + i * 7 % 8, i * i % 3 / 2)).collect();
        assert!(!copied(&once) && !copied(&few));
    }
}
