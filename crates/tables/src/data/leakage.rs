//! Columns that determine the outcome (leakage): no test may condition on them.
//!
//! A perfectly calibrated model that says .7 is right about seven rows of ten. Looked at among the rows of one outcome it
//! is wrong about every single one. Whatever is grouped, mapped or matched by the outcome itself, by whether the
//! prediction was right, or by a column that says either, therefore differs from its scores although the scores are
//! right: there is no null distribution, and nothing may be called more than chance.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::predictions::Predictions;
use super::roles::{ColumnRole, Role};
use crate::table::values::{MISSING, Table, Values};

/// Fewer rows cannot tell a copy of the outcome from a coincidence.
const FEWEST: usize = 20;
/// As many rows of the second outcome there must be.
const OF_EACH: usize = 5;
/// Cells that are filled for one outcome only are no coincidence where they were one this seldom.
const CHANCE: f64 = 1e-6;
/// Rows a value has on average at least, where it is values that tell.
const A_VALUE: usize = 4;
/// Arrays with more columns are embeddings, of which no single coordinate is looked at.
const WIDEST: usize = 8;

/// How a column tells the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leakage {
    /// it is the label
    Label,
    /// it says which predictions were right
    Correct,
    /// each of its values, or each stretch of them, goes with one outcome
    Values,
}

impl Leakage {
    /// Why there is no p-value for what is looked at by the column `name`.
    pub fn sentence(self, name: &str) -> String {
        match self {
            Self::Label => format!(
                "“{name}” is the outcome itself. Groups defined by the outcome differ from their scores even if \
                 calibrated, so there is no p-value"
            ),
            Self::Correct => format!(
                "“{name}” indicates correct predictions. Groups defined by correctness differ from their scores \
                 even if calibrated, so there is no p-value"
            ),
            Self::Values => format!(
                "“{name}” reveals the outcome: each of its values occurs with one outcome only. Groups defined by \
                 the outcome differ from their scores even if calibrated, so there is no p-value"
            ),
        }
    }
}

/// Codes of every row as far as they tell the outcome: each code that occurs goes with one outcome, and there are four
/// rows a code or more, or it is one outcome alone that has codes. O(n + largest code).
fn codes_determine(codes: &[u32], outcome: &[u32]) -> bool {
    let mut of: Vec<Option<u32>> = Vec::new();
    let mut known = 0;
    for (code, outcome) in codes.iter().zip(outcome) {
        if *code == MISSING {
            continue;
        }
        known += 1;
        let place = *code as usize;
        if place >= of.len() {
            of.resize(place + 1, None);
        }
        if of.get_mut(place).is_some_and(|of| *of.get_or_insert(*outcome) != *outcome) {
            return false;
        }
    }
    let present = || of.iter().flatten();
    if !several(present()) {
        return present().next().is_some_and(|one| filled_by_outcome(known, *one, outcome));
    }
    enough(known) && present().count() * A_VALUE <= known
}

/// Whether cells are filled for one outcome alone, and by chance would be so less than once in a million: a cause of death.
/// O(n).
fn filled_by_outcome(known: usize, one: u32, outcome: &[u32]) -> bool {
    let with = outcome.iter().filter(|outcome| **outcome == one).count();
    known as f64 * (with as f64 / outcome.len().max(1) as f64).ln() < CHANCE.ln()
}

/// Numbers as far as they tell one of the outcomes: each distinct number goes with one outcome, the outcomes lie on
/// stretches that do not meet, or one outcome alone has numbers. O(n).
///
/// * `outcomes`: as [`outcomes`] gives them
fn numbers_determine(values: &[f64], outcomes: &[Vec<u32>]) -> bool {
    let known = values.iter().map(|value| usize::from(value.is_finite())).sum();
    let mut undecided = Vec::new();
    for outcome in outcomes {
        match stretches(values, outcome) {
            Stretches::None => {}
            Stretches::OfOne(one) if filled_by_outcome(known, one, outcome) => return true,
            Stretches::OfOne(_) => {}
            Stretches::Apart { large } if enough(known) && large >= 2 => return true,
            Stretches::Apart { .. } | Stretches::Meet => undecided.push(outcome.as_slice()),
        }
    }
    enough(known) && each_has_one_outcome(values, known, undecided)
}

/// How the numbers of each outcome, from the smallest to the largest, lie to those of the others.
enum Stretches {
    /// there are no numbers
    None,
    /// one outcome alone has numbers
    OfOne(u32),
    /// no two have a number between their ends in common; how many have [`OF_EACH`] rows
    Apart { large: usize },
    /// two have
    Meet,
}

/// Rows after which stretches are compared: those that meet in the first rows meet in all.
const BLOCK: usize = 1 << 12;

/// O(n), and as a rule over after the first block.
fn stretches(values: &[f64], outcome: &[u32]) -> Stretches {
    let mut ends: Vec<(f64, f64, usize)> = Vec::new();
    let mut found = Stretches::None;
    for (values, outcome) in values.chunks(BLOCK).zip(outcome.chunks(BLOCK)) {
        for (value, outcome) in values.iter().zip(outcome).filter(|(value, _)| value.is_finite()) {
            let place = *outcome as usize;
            if place >= ends.len() {
                ends.resize(place + 1, (f64::INFINITY, f64::NEG_INFINITY, 0));
            }
            if let Some((low, high, n)) = ends.get_mut(place) {
                (*low, *high, *n) = (low.min(*value), high.max(*value), *n + 1);
            }
        }
        let mut present: Vec<(f64, f64, usize, u32)> = (0u32..)
            .zip(&ends)
            .filter(|(_, (.., n))| *n > 0)
            .map(|(one, &(low, high, n))| (low, high, n, one))
            .collect();
        present.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        found = match present.as_slice() {
            [] => Stretches::None,
            [(.., one)] => Stretches::OfOne(*one),
            several if several.windows(2).all(|pair| pair[0].1 < pair[1].0) => {
                Stretches::Apart { large: several.iter().filter(|one| one.2 >= OF_EACH).count() }
            }
            _ => return Stretches::Meet,
        };
    }
    found
}

/// Whether each distinct number goes with one value of one of the outcomes, with four rows a number or more. O(n), and
/// as a rule over after as many distinct numbers as a quarter of the rows.
fn each_has_one_outcome(values: &[f64], known: usize, mut outcomes: Vec<&[u32]>) -> bool {
    let mut first_row: HashMap<u64, usize, FixedState> = HashMap::default();
    for (row, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
        let first = *first_row.entry(value.to_bits()).or_insert(row);
        outcomes.retain(|outcome| outcome.get(first) == outcome.get(row));
        if outcomes.is_empty() || first_row.len() * A_VALUE > known {
            return false;
        }
    }
    !outcomes.is_empty()
}

fn enough(known: usize) -> bool {
    known >= FEWEST
}

fn several<'a>(mut outcomes: impl Iterator<Item = &'a u32>) -> bool {
    let first = outcomes.next();
    outcomes.any(|other| Some(other) != first)
}

/// Outcomes that occur five times or more, as far as there are two of them: y, and whether the prediction was right. Those that
/// occur are numbered from 0. O(n log k), k outcomes.
fn outcomes(y: Option<&[u32]>, correct: Option<&[u8]>) -> Vec<Vec<u32>> {
    let y = y.map(<[u32]>::to_vec);
    let correct = correct.map(|a| a.iter().map(|&a| u32::from(a)).collect());
    let numbered = |mut outcome: Vec<u32>| {
        let mut classes = outcome.clone();
        classes.sort_unstable();
        classes.dedup();
        let mut counts = vec![0_usize; classes.len()];
        for class in &mut outcome {
            let place = classes.binary_search(class).ok()?;
            *counts.get_mut(place)? += 1;
            *class = place as u32;
        }
        (counts.into_iter().filter(|n| *n >= OF_EACH).count() >= 2).then_some(outcome)
    };
    [y, correct].into_iter().flatten().filter_map(numbered).collect()
}

/// Places of the columns, among those that describe rows, whose values tell the outcome.
///
/// # Cost
/// O(n) per column at most; nearly every column is given up after a few rows.
pub(super) fn leaking_columns(
    table: &Table,
    roles: &[ColumnRole],
    y: Option<&[u32]>,
    correct: Option<&[u8]>,
) -> Vec<u32> {
    let outcomes = outcomes(y, correct);
    let describes = |role: Role| {
        matches!(role, Role::Feature | Role::Features | Role::Group | Role::Ignore | Role::Split | Role::Date)
    };
    let columns = (0u32..).zip(table.columns.iter().zip(roles));
    columns
        .filter(|(_, (_, role))| describes(role.role))
        .filter(|(_, (column, _))| values_determine(&column.values, &outcomes))
        .map(|(place, _)| place)
        .collect()
}

fn values_determine(values: &Values, outcomes: &[Vec<u32>]) -> bool {
    match values {
        Values::Text { codes, .. } => outcomes.iter().any(|outcome| codes_determine(codes, outcome)),
        Values::Numbers(numbers) => numbers_determine(numbers, outcomes),
        Values::Matrix(matrix) => {
            matrix.width <= WIDEST
                && (0..matrix.width).any(|j| {
                    let column: Vec<f64> = (0..matrix.rows()).map(|i| matrix.value(i, j)).collect();
                    numbers_determine(&column, outcomes)
                })
        }
    }
}

impl Predictions {
    /// How the column called `name` (or `file:name`) tells the outcome; `None` for every column that may be
    /// conditioned on.
    pub fn leakage(&self, name: &str) -> Option<Leakage> {
        let column = |one: &ColumnRole| one.name == name || format!("{}:{}", one.file, one.name) == name;
        let place = self.roles.iter().position(column)?;
        match self.roles.get(place)?.role {
            Role::Label => Some(Leakage::Label),
            Role::Correct => Some(Leakage::Correct),
            _ if self.leakage.contains(&(place as u32)) => Some(Leakage::Values),
            _ => None,
        }
    }

    /// Why nothing that is looked at by these columns has a p-value; `None` where none of them tells the outcome.
    pub fn no_test_by(&self, names: &[String]) -> Option<String> {
        let mut found = names.iter();
        found.find_map(|name| Some(self.leakage(name)?.sentence(name)))
    }

    /// Whether groups tell the outcome together, as two columns can that do not alone.
    pub fn groups_determine(&self, codes: &[u32]) -> bool {
        let outcomes = outcomes(self.y.as_deref().map(Vec::as_slice), self.correct.as_deref().map(Vec::as_slice));
        outcomes.iter().any(|outcome| codes_determine(codes, outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As [`numbers_determine`] is defined, of one outcome, without its short cuts.
    fn by_definition(values: &[f64], outcome: &[u32]) -> bool {
        let known: Vec<(f64, u32)> =
            values.iter().copied().zip(outcome.iter().copied()).filter(|(value, _)| value.is_finite()).collect();
        let mut present: Vec<u32> = known.iter().map(|(_, one)| *one).collect();
        present.sort_unstable();
        present.dedup();
        let rows_of = |one: u32| known.iter().filter(move |(_, other)| *other == one).map(|(value, _)| *value);
        match present.as_slice() {
            [] => return false,
            [one] => return filled_by_outcome(known.len(), *one, outcome),
            _ if known.len() < FEWEST => return false,
            _ => {}
        }
        let between = |one: u32, x: f64| rows_of(one).any(|low| low <= x) && rows_of(one).any(|high| high >= x);
        let apart =
            present.iter().all(|&one| present.iter().all(|&b| b == one || rows_of(b).all(|x| !between(one, x))));
        let large = present.iter().filter(|one| rows_of(**one).count() >= OF_EACH).count();
        let mut distinct: Vec<u64> = known.iter().map(|(value, _)| value.to_bits()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let one_each = known.iter().all(|(x, a)| known.iter().all(|(y, b)| x.to_bits() != y.to_bits() || a == b));
        apart && large >= 2 || one_each && distinct.len() * A_VALUE <= known.len()
    }

    proptest! {
        #[test]
        fn short_cuts_change_no_answer(
            rows in prop::collection::vec((0..9u8, 0..3u32, 0..3u32), 1..60),
            tells in 0..4u8,
        ) {
            let value = |&(value, y, _): &(u8, u32, u32)| match (tells, value) {
                (_, 8) => f64::NAN,
                (0, _) => f64::from(value),
                (1, _) => f64::from(y) * 10.0 + f64::from(value),
                (2, _) => f64::from(y),
                _ => if y == 1 { f64::from(value) } else { f64::INFINITY },
            };
            let values: Vec<f64> = rows.iter().map(value).collect();
            let outcomes = [rows.iter().map(|row| row.1).collect::<Vec<u32>>(), rows.iter().map(|row| row.2).collect()];
            let expected = outcomes.iter().any(|outcome| by_definition(&values, outcome));
            prop_assert_eq!(numbers_determine(&values, &outcomes), expected);
        }
    }

    #[test]
    fn copies_of_the_outcome_are_told_from_columns_that_go_with_it() {
        let y: Vec<u32> = (0..40).map(|i| u32::from(i % 3 == 0)).collect();
        let text = |of: &dyn Fn(usize) -> u32| (0..40).map(of).collect::<Vec<u32>>();
        assert!(codes_determine(&text(&|i| 7 + y[i]), &y), "a copy under other names");
        assert!(codes_determine(&text(&|i| 2 * y[i] + u32::from(i % 2 == 0)), &y), "finer than the outcome");
        assert!(!codes_determine(&text(&|i| if i == 5 { 1 - y[i] } else { y[i] }), &y), "one row is otherwise");
        assert!(!codes_determine(&text(&|i| i as u32), &y), "an id says nothing");
        assert!(!codes_determine(&y[..15], &y[..15]), "too few rows to tell");
        let numbers = |of: &dyn Fn(usize) -> f64| (0..40).map(of).collect::<Vec<f64>>();
        let noise = |i: usize| (i * 17 % 40) as f64 / 100.0;
        assert!(
            numbers_determine(&numbers(&|i| f64::from(y[i]) + noise(i)), std::slice::from_ref(&y)),
            "stretches that do not meet"
        );
        assert!(
            numbers_determine(&numbers(&|i| [1.0, 3.0, 2.0][(2 * y[i] as usize) % 3]), std::slice::from_ref(&y)),
            "value by value"
        );
        assert!(
            !numbers_determine(&numbers(&|i| i as f64 * 0.7), std::slice::from_ref(&y)),
            "a number of its own for each row"
        );
        assert!(!numbers_determine(&numbers(&noise), std::slice::from_ref(&y)));
        assert!(
            !numbers_determine(&numbers(&|i| f64::from(y[i]) + 3.0 * noise(i)), std::slice::from_ref(&y)),
            "they overlap"
        );
        // a cause of death: filled for one outcome alone, which three cells could be by chance
        assert!(codes_determine(&text(&|i| if y[i] == 1 { i as u32 } else { MISSING }), &y));
        assert!(!codes_determine(&text(&|i| if y[i] == 1 && i < 9 { 2 } else { MISSING }), &y));
        assert!(numbers_determine(
            &numbers(&|i| if y[i] == 1 { noise(i) } else { f64::NAN }),
            std::slice::from_ref(&y)
        ));
        // an outcome that hardly occurs tells nothing
        let rare: Vec<u32> = (0..40).map(|i| u32::from(i < 3)).collect();
        assert!(outcomes(Some(&rare), None).is_empty());
    }
}
