//! Rows that are copies of one another: a file that was appended to itself or to a part of itself, or joined with another that has
//! several rows for each.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use super::clusters::Clusters;
use super::roles::{ColumnRole, Role};
use crate::table::Warning;
use crate::table::values::{Table, Values};
use crate::words::text::{counted, thousands};

/// Distinct rows below which equal numbers of each may be chance.
const ENOUGH: usize = 50;
/// Rows that are looked at, about: of larger files those whose value of one column falls into a sample of its values, so that
/// all copies of a row are looked at or none.
const SAMPLED: usize = 1 << 17;
/// Rows by which the column of most different values is chosen.
const FIRST: usize = 1_000;
/// Coordinates of an array by which rows are compared, evenly spaced.
const COORDINATES: usize = 64;

/// Rows that occur several times, more often than independent rows would, as clusters of equal rows, and what is said of them. Two
/// rows are equal if all columns are, identifiers aside.
///
/// Each row may occur as often as every other, or a multiple of it. Else, of independent rows, the number of times that a
/// certain row occurs is a Poisson variable of mean λ, whatever its λ is. With fₖ, the number of different rows that occur k times,
/// k! fₖ estimates Σ λᵏ e^−λ over all possible rows, and by the inequality of Cauchy and Schwarz
/// fₖ² / fₖ₋₁ · k / (k + 1) ≤ fₖ₊₁ but for chance: where many rows occur twice, some do so three times, unless they were copied.
/// Rows of a few values, too, satisfy it.
///
/// * `together`: equal rows will be kept in one fold
///
/// # Cost
/// O(n); O(131,072) a column but one; O(n) a column where rows are repeated.
pub(super) fn copied_rows(table: &Table, roles: &[ColumnRole], together: bool) -> Option<(Clusters, Warning)> {
    let is_id = |role: &ColumnRole| role.role == Role::Id;
    let columns: Vec<&Values> =
        table.columns.iter().zip(roles).filter(|(_, role)| !is_id(role)).map(|(column, _)| &column.values).collect();
    if table.rows < 2 * ENOUGH {
        return None;
    }
    let mut times: HashMap<u64, usize, FixedState> = HashMap::default();
    hashes(&columns, &sampled(&columns, table.rows)?).into_iter().for_each(|hash| *times.entry(hash).or_default() += 1);
    let each = times.values().copied().reduce(common_divisor)?;
    if times.len() < ENOUGH || each == 1 && !more_than_chance(times.values().copied()) {
        return None;
    }
    let all: Vec<u32> = (0..table.rows as u32).collect();
    let mut numbers: HashMap<u64, u32, FixedState> = HashMap::default();
    let number = |hash: u64| {
        let next = numbers.len() as u32;
        *numbers.entry(hash).or_insert(next)
    };
    let of: Vec<u32> = hashes(&columns, &all).into_iter().map(number).collect();
    let different = numbers.len();
    let repeated = match each {
        1 => format!(
            "{} of {} equal an earlier row in every column but identifiers, more than of independent rows would.",
            thousands(table.rows - different),
            counted(table.rows, "row")
        ),
        each => format!(
            "Each row occurs {} times or a multiple of it: {}, of which {} differ.",
            thousands(each),
            counted(table.rows, "row"),
            thousands(different)
        ),
    };
    let fits = match together {
        true => "Equal rows are in one fold.",
        false => "Recalibrations may be evaluated on copies of the rows they were fitted to.",
    };
    let message = format!(
        "{repeated} Copies are no further cases, and make intervals too narrow. {fits} If they are copies, keep one of each."
    );
    let clusters = Clusters { column: "equal rows".to_owned(), of: of.into(), count: different };
    Some((clusters, Warning { code: "copied_rows".into(), message, row: None, column: None }))
}

/// Whether the numbers of times that rows occur are not those of independent rows: three standard errors beyond the inequality
/// of [`copied_rows`].
fn more_than_chance(times: impl Iterator<Item = usize>) -> bool {
    let mut rows: BTreeMap<usize, f64> = BTreeMap::new();
    times.for_each(|times| *rows.entry(times).or_default() += 1.0);
    // of none, seven or more are expected in less than one of a thousand samples
    let most = |times: usize| rows.get(&times).map_or(7.0, |rows| rows + 3.0 * rows.sqrt() + 7.0);
    rows.iter().filter(|(times, _)| **times > 1).any(|(times, rows)| {
        let (least, k) = ((rows - 3.0 * rows.sqrt()).max(0.0), *times as f64);
        least * least / most(times - 1) * k / (k + 1.0) > most(times + 1)
    })
}

/// The rows that are looked at: all, or those with certain values of the most different column.
fn sampled(columns: &[&Values], rows: usize) -> Option<Vec<u32>> {
    let all: Vec<u32> = (0..rows as u32).collect();
    let every = rows.div_ceil(SAMPLED).next_power_of_two() as u64;
    let different = |values: &&&Values| match values {
        Values::Numbers(values) => values.iter().take(FIRST).map(|x| x.to_bits()).collect::<HashSet<_>>().len(),
        Values::Text { codes, .. } => codes.iter().take(FIRST).collect::<HashSet<_>>().len(),
        Values::Matrix(_) => 0,
    };
    let column = columns.iter().max_by_key(different)?;
    if every == 1 {
        return Some(all);
    }
    let by_value = hashes(&[*column], &all);
    Some(all.into_iter().zip(by_value).filter(|(_, hash)| (hash >> 20) % every == 0).map(|(row, _)| row).collect())
}

/// A number for each of some rows that is the same where these columns are.
fn hashes(columns: &[&Values], rows: &[u32]) -> Vec<u64> {
    let state = FixedState::default();
    let mut hashes = vec![0_u64; rows.len()];
    for values in columns {
        for (row, hash) in rows.iter().map(|row| *row as usize).zip(&mut hashes) {
            let mut hasher = state.build_hasher();
            hasher.write_u64(*hash);
            match values {
                Values::Numbers(values) => hasher.write_u64(values.get(row).map_or(0, |x| x.to_bits())),
                Values::Text { codes, .. } => hasher.write_u32(codes.get(row).copied().unwrap_or_default()),
                Values::Matrix(matrix) => (0..matrix.width)
                    .step_by(matrix.width.div_ceil(COORDINATES).max(1))
                    .for_each(|k| hasher.write_u64(matrix.value(row, k).to_bits())),
            }
            *hash = hasher.finish();
        }
    }
    hashes
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::folds::Split;
    use crate::data::{OpenOptions, Predictions, assemble};
    use crate::read::read;

    fn opened(rows: &[String]) -> (Predictions, Option<String>) {
        let text = format!(
            "id,age,p,y\n{}",
            rows.iter().enumerate().map(|(i, row)| format!("{i},{row}\n")).collect::<String>()
        );
        let file = read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let (data, summary) = assemble(&[file], &OpenOptions::default()).unwrap();
        let warning = summary.warnings.into_iter().find(|warning| warning.code == "copied_rows");
        (data, warning.map(|warning| warning.message))
    }

    fn copied(rows: &[String]) -> bool {
        opened(rows).1.is_some()
    }

    /// Numbers below `most` that do not repeat in a pattern.
    fn numbers(seed: u64, most: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        }
    }

    #[test]
    fn rows_that_all_stand_several_times_are_copies() {
        let row = |i: usize| format!("{},0.{:03},{}", 20 + i * 7 % 60, 100 + i * 37 % 800, i * 11 % 3 / 2);
        let once: Vec<String> = (0..100).map(row).collect();
        assert!(copied(&[once.clone(), once.clone()].concat()) && copied(&[&once[..], &once, &once].concat()));
        assert!(!copied(&once));
    }

    #[test]
    fn rows_of_which_some_stand_twice_are_copies_and_in_one_fold() {
        let mut draw = numbers(3, 1_000_000);
        let once: Vec<String> = (0..2000)
            .map(|_| format!("{},0.{:06},{}", 20 + draw() % 60, draw().clamp(1, 999_998), draw() % 2))
            .collect();
        assert!(!copied(&once));
        let (data, said) = opened(&[&once[..], &once[..600]].concat());
        let said = said.unwrap();
        assert!(said.starts_with("600 of 2,600 rows equal an earlier row in every column but identifiers"), "{said}");
        let split = Split::new(&data, 0).unwrap();
        let mut folds = (0..600).map(|row| (split.fold.get(row), split.fold.get(2000 + row)));
        assert!(folds.all(|(one, copy)| one.is_some() && one == copy));
        // those of a part of the rows, too
        let all: Vec<u32> = (0..2600).collect();
        let inner = Split::within(&data, &all, 5, 1);
        assert!((0..600).all(|row| inner.fold.get(row) == inner.fold.get(2000 + row)));
        // some joined with three rows each
        assert!(copied(&[&once[..], &once[..300], &once[..300]].concat()));
    }

    /// Of independent rows of few values many are equal.
    #[test]
    fn rows_of_few_values_are_equal_by_chance() {
        for (seed, ages, scores) in [(1, 4, 8), (2, 20, 10), (3, 40, 20), (4, 60, 100), (5, 90, 900)] {
            let mut draw = numbers(seed, 1 << 31);
            let rows: Vec<String> = (0..3000)
                .map(|_| {
                    // values of different frequency
                    let (a, b) = (draw() % ages * (draw() % ages) / ages, draw() % scores * (draw() % scores) / scores);
                    format!("{a},0.{:03},{}", 1 + b, draw() % 3 / 2)
                })
                .collect();
            assert!(!copied(&rows), "{ages} × {scores}");
            // equally frequent: the inequality is an equality
            let rows: Vec<String> =
                (0..3000).map(|_| format!("{},0.{:03},{}", draw() % ages, 1 + draw() % scores, draw() % 2)).collect();
            assert!(!copied(&rows), "{ages} × {scores}, equally frequent");
        }
    }
}
