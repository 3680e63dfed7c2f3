//! Columns that determine the outcome (leakage): no test may condition on them.
//!
//! A perfectly calibrated model that says .7 is right about seven rows of ten. Looked at among the rows of one outcome it
//! is wrong about every single one. Whatever is grouped, mapped or matched by the outcome itself, by whether the
//! prediction was right, or by a column that says either, therefore differs from its scores although the scores are
//! right: there is no null distribution, and nothing may be called more than chance.

use std::collections::HashMap;

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
/// rows a code or more, or it is one outcome alone that has codes. O(n).
fn codes_determine(codes: &[u32], outcome: &[u32]) -> bool {
    let mut of: HashMap<u32, u32> = HashMap::new();
    let mut known = 0;
    for (code, outcome) in codes.iter().zip(outcome) {
        if *code == MISSING {
            continue;
        }
        known += 1;
        if *of.entry(*code).or_insert(*outcome) != *outcome {
            return false;
        }
    }
    if !several(of.values()) {
        return of.values().next().is_some_and(|one| filled_by_outcome(known, *one, outcome));
    }
    enough(known) && of.len() * A_VALUE <= known
}

/// Whether cells are filled for one outcome alone, and by chance would be so less than once in a million: a cause of death.
/// O(n).
fn filled_by_outcome(known: usize, one: u32, outcome: &[u32]) -> bool {
    let with = outcome.iter().filter(|outcome| **outcome == one).count();
    known as f64 * (with as f64 / outcome.len().max(1) as f64).ln() < CHANCE.ln()
}

/// Numbers as far as they tell the outcome: each distinct number goes with one outcome, the outcomes lie on stretches
/// that do not meet, or one outcome alone has numbers. O(n).
///
/// * `outcome`: as [`outcomes`] gives them
fn numbers_determine(values: &[f64], outcome: &[u32]) -> bool {
    let mut ends: Vec<(f64, f64, usize)> = Vec::new();
    let mut known = 0;
    let rows = || values.iter().zip(outcome).filter(|(v, _)| v.is_finite());
    for (value, outcome) in rows() {
        known += 1;
        let place = *outcome as usize;
        if place >= ends.len() {
            ends.resize(place + 1, (f64::INFINITY, f64::NEG_INFINITY, 0));
        }
        if let Some((low, high, n)) = ends.get_mut(place) {
            (*low, *high, *n) = (low.min(*value), high.max(*value), *n + 1);
        }
    }
    let mut present = (0u32..).zip(&ends).filter(|(_, (.., n))| *n > 0).map(|(place, _)| place);
    if let (Some(one), None) = (present.next(), present.next()) {
        return filled_by_outcome(known, one, outcome);
    }
    let mut stretches: Vec<(f64, f64, usize)> = ends.into_iter().filter(|(.., n)| *n > 0).collect();
    if !enough(known) || stretches.len() < 2 {
        return false;
    }
    stretches.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let apart = stretches.windows(2).all(|pair| pair[0].1 < pair[1].0);
    let large = stretches.iter().filter(|one| one.2 >= OF_EACH).count();
    if apart && large >= 2 {
        return true;
    }
    let mut of: HashMap<u64, u32> = HashMap::new();
    for (value, outcome) in rows() {
        if *of.entry(value.to_bits()).or_insert(*outcome) != *outcome || of.len() * A_VALUE > known {
            return false;
        }
    }
    true
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
        .filter(|(_, (column, _))| outcomes.iter().any(|y| values_determine(&column.values, y)))
        .map(|(place, _)| place)
        .collect()
}

fn values_determine(values: &Values, outcome: &[u32]) -> bool {
    match values {
        Values::Text { codes, .. } => codes_determine(codes, outcome),
        Values::Numbers(numbers) => numbers_determine(numbers, outcome),
        Values::Matrix(matrix) => {
            matrix.width <= WIDEST
                && (0..matrix.width).any(|j| {
                    let n = outcome.len();
                    let column: Vec<f64> = (0..n).map(|i| matrix.value(i, j)).collect();
                    numbers_determine(&column, outcome)
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
        assert!(numbers_determine(&numbers(&|i| f64::from(y[i]) + noise(i)), &y), "stretches that do not meet");
        assert!(numbers_determine(&numbers(&|i| [1.0, 3.0, 2.0][(2 * y[i] as usize) % 3]), &y), "value by value");
        assert!(!numbers_determine(&numbers(&|i| i as f64 * 0.7), &y), "a number of its own for each row");
        assert!(!numbers_determine(&numbers(&noise), &y));
        assert!(!numbers_determine(&numbers(&|i| f64::from(y[i]) + 3.0 * noise(i)), &y), "they overlap");
        // a cause of death: filled for one outcome alone, which three cells could be by chance
        assert!(codes_determine(&text(&|i| if y[i] == 1 { i as u32 } else { MISSING }), &y));
        assert!(!codes_determine(&text(&|i| if y[i] == 1 && i < 9 { 2 } else { MISSING }), &y));
        assert!(numbers_determine(&numbers(&|i| if y[i] == 1 { noise(i) } else { f64::NAN }), &y));
        // an outcome that hardly occurs tells nothing
        let rare: Vec<u32> = (0..40).map(|i| u32::from(i < 3)).collect();
        assert!(outcomes(Some(&rare), None).is_empty());
    }
}
