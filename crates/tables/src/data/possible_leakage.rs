//! Columns that may follow from the outcome (possible leakage): a later measurement, a date that only events have, another
//! coding of the outcome with errors.
//!
//! What a model was fitted to adds little to its scores, and a column that it ignores rarely explains as much of the outcome
//! as is asked about here. One that does is known after the outcome as a rule. A copy without errors is
//! [`leakage`](super::leakage): it needs no scores to be recognized, and has no tests.

use super::join::setting_for;
use super::pair::{scores, targets};
use super::predictions::Predictions;
use super::roles::Role;
use crate::num::quantile::quantile_sorted;
use crate::table::values::{MISSING, Values};
use crate::words::number::percent;
use crate::words::text::listed;

/// Increase of R² from which on a column is asked about. On COMPAS a second coding of recidivism adds .77 to the scores, and the
/// end of follow-up .52; dates that only a second arrest has add .39 and are not asked about. No covariate adds more than .03
/// there; a model of tumors without their size lacks .32 of it, and a constant .35 of the best covariate of heart disease.
const SHARE: f64 = 0.4;
/// Fewer rows show no share of a variance.
const FEWEST: usize = 100;
/// Rows that are looked at, evenly spaced: the standard error of a share is then below .02.
const MOST: usize = 4_000;
/// Intervals of equally many rows by the score.
const OF_SCORE: usize = 5;
/// The same by a column of numbers.
const OF_NUMBERS: usize = 10;
/// Texts of more values are told by whether there is one.
const VALUES: usize = 20;

impl Predictions {
    /// Names of the columns that are used, and explain much of the outcome's variance in addition to the scores, with the share
    /// that each explains: (V(score) − V(score and column)) / V of all rows, V the variance within cells, corrected for degrees
    /// of freedom. A column whose role was given by a person is none of them.
    ///
    /// # Cost
    /// O(n), and O(k log k) a column, k = 4,000 rows looked at.
    pub fn possible_leakage(&self) -> Vec<(String, f64)> {
        let (Ok(scores), Ok(targets)) = (scores(self), targets(self)) else { return Vec::new() };
        let rows: Vec<usize> = (0..self.rows).step_by(self.rows.div_ceil(MOST).max(1)).collect();
        let weight =
            |row: usize| self.weights.as_ref().map_or(1.0, |weights| weights.values.get(row).copied().unwrap_or(0.0));
        let outcomes: Vec<(f64, f64)> =
            rows.iter().filter_map(|&row| Some((weight(row), f64::from(*targets.get(row)?)))).collect();
        let of_score = by_number(&rows, &scores, OF_SCORE);
        let (Some(all), Some(left)) =
            (variance_within(&vec![0; rows.len()], &outcomes), variance_within(&of_score, &outcomes))
        else {
            return Vec::new();
        };
        if rows.len() < FEWEST || all <= 0.0 {
            return Vec::new();
        }
        let used = (0u32..).zip(self.table.columns.iter().zip(&self.roles)).filter(|(place, (column, role))| {
            matches!(role.role, Role::Feature | Role::Group | Role::Date)
                && !self.leakage.contains(place)
                && setting_for(&self.opened.roles, column).is_none()
        });
        used.filter_map(|(_, (column, _))| {
            let of_column = match &column.values {
                Values::Numbers(numbers) => by_number(&rows, numbers, OF_NUMBERS),
                Values::Text { codes, levels } => by_value(&rows, codes, levels.len()),
                Values::Matrix(_) => return None,
            };
            let both: Vec<usize> = of_score.iter().zip(&of_column).map(|(a, b)| a + (OF_SCORE + 1) * b).collect();
            let share = (left - variance_within(&both, &outcomes)?) / all;
            (share >= SHARE).then(|| (column.name.clone(), share))
        })
        .collect()
    }
}

/// Says what the columns explain, and asks; none where there are none.
pub fn possible_leakage_sentence(found: &[(String, f64)]) -> Option<String> {
    let least = found.iter().map(|(_, share)| *share).reduce(f64::min)?;
    let names = listed(found.iter().map(|(name, _)| name));
    let of = format!("{} of the variance of the outcome", percent(least));
    Some(match found.len() {
        1 => format!(
            "In addition to the scores, {names} explains {of}. If it is known only after the outcome, it should be ignored."
        ),
        _ => format!(
            "In addition to the scores, each of {names} explains at least {of}. Those that are known only after the outcome \
             should be ignored."
        ),
    })
}

/// The interval of each row, of at most `count` with equally many rows; what is missing is one of its own. O(k log k).
fn by_number(rows: &[usize], values: &[f64], count: usize) -> Vec<usize> {
    let of_row = |row: &usize| values.get(*row).copied().unwrap_or(f64::NAN);
    let mut sorted: Vec<f64> = rows.iter().map(of_row).filter(|value| value.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let cuts: Vec<f64> = (1..count).filter_map(|cut| quantile_sorted(&sorted, cut as f64 / count as f64)).collect();
    let interval = |value: f64| match value.is_finite() {
        true => cuts.partition_point(|cut| *cut <= value),
        false => count,
    };
    rows.iter().map(|row| interval(of_row(row))).collect()
}

/// The value of each row, or, of many different ones, whether there is one. O(k).
fn by_value(rows: &[usize], codes: &[u32], levels: usize) -> Vec<usize> {
    let value = |code: u32| match code {
        MISSING => 0,
        _ if levels > VALUES => 1,
        code => 1 + code as usize,
    };
    rows.iter().map(|row| codes.get(*row).map_or(0, |code| value(*code))).collect()
}

/// Σ w (t − mean of its cell)², over the rows less the cells; none where cells are more than half as many. O(k).
///
/// * `cells`: of each row
/// * `outcomes`: w and t, 0 or 1, of each row
fn variance_within(cells: &[usize], outcomes: &[(f64, f64)]) -> Option<f64> {
    let mut sums = vec![(0.0, 0.0, false); cells.iter().max()? + 1];
    for (cell, (w, t)) in cells.iter().zip(outcomes) {
        if let Some((all, of_event, occurs)) = sums.get_mut(*cell) {
            (*all, *of_event, *occurs) = (*all + w, *of_event + w * t, true);
        }
    }
    let occurring = sums.iter().filter(|(.., occurs)| *occurs).count();
    let freedom = outcomes.len().checked_sub(occurring).filter(|freedom| 2 * freedom >= outcomes.len())?;
    let within =
        |(all, of_event, _): &(f64, f64, bool)| if *all > 0.0 { of_event * (all - of_event) / all } else { 0.0 };
    Some(sums.iter().map(within).sum::<f64>() / freedom as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{OpenOptions, assemble};
    use crate::read::read;

    /// The suspected columns of rows with a score, an outcome of that probability and two other columns.
    fn found(
        rows: u64,
        columns: &str,
        options: &OpenOptions,
        of: impl Fn(f64, u32, &mut dyn FnMut() -> f64) -> String,
    ) -> Vec<(String, f64)> {
        let mut state = 7u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut file = format!("p,y,{columns}\n");
        for _ in 0..rows {
            let p = 0.05 + 0.9 * uniform();
            let y = u32::from(uniform() < p);
            let further = of(p, y, &mut uniform);
            file.push_str(&format!("{p:.4},{y},{further}\n"));
        }
        let file = read("rows.csv", file.as_bytes(), &mut |_| ()).unwrap();
        let (data, _) = assemble(&[file], options).unwrap();
        data.possible_leakage()
    }

    #[test]
    fn another_coding_with_errors_is_distinguished_from_what_the_score_knows() {
        let rows = |p: f64, y: u32, uniform: &mut dyn FnMut() -> f64| {
            let coded = if uniform() < 0.04 { 1 - y } else { y };
            format!(
                "{},{:.3},{}",
                ["stayed", "readmitted"][coded as usize],
                p + 0.02 * uniform(),
                (uniform() * 90.0) as u32
            )
        };
        let found = found(9_000, "status,lab,age", &OpenOptions::default(), rows);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, "status");
        assert!((found[0].1 - 0.59).abs() < 0.06, "{found:?}");
        let sentence = possible_leakage_sentence(&found).unwrap();
        assert!(
            sentence.starts_with("In addition to the scores, `status` explains ")
                && possible_leakage_sentence(&[]).is_none(),
            "{sentence}"
        );
    }

    #[test]
    fn a_column_with_a_role_that_was_given_is_not_asked_about() {
        let copies =
            |_: f64, y: u32, uniform: &mut dyn FnMut() -> f64| format!("{}", if uniform() < 0.04 { 1 - y } else { y });
        let given = OpenOptions { roles: [("status".to_owned(), Role::Group)].into(), ..OpenOptions::default() };
        assert_eq!(found(900, "status", &given, copies), []);
        assert_eq!(found(900, "status", &OpenOptions::default(), copies).len(), 1);
    }

    #[test]
    fn dates_and_numbers_of_events_alone_are_suspected() {
        let rows = |_: f64, y: u32, uniform: &mut dyn FnMut() -> f64| {
            let known = y == 1 || uniform() < 0.05;
            let date = if known {
                format!("2023-{:02}-{:02}", 1 + (uniform() * 12.0) as u32, 1 + (uniform() * 28.0) as u32)
            } else {
                String::new()
            };
            let days = if known { format!("{:.0}", 300.0 * uniform()) } else { String::new() };
            format!("{date},{days}")
        };
        let found = found(1_500, "readmission_date,stay", &OpenOptions::default(), rows);
        assert_eq!(found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["readmission_date", "stay"]);
    }

    #[test]
    fn subgroups_that_are_far_off_and_few_rows_are_not() {
        // 20 percentage points too high and too low in two halves
        let rows = |p: f64, y: u32, uniform: &mut dyn FnMut() -> f64| {
            let moved = if y == 1 { uniform() < 0.5 + 0.2 / p.max(0.4) } else { uniform() < 0.3 };
            (if moved { "A" } else { "B" }).to_owned()
        };
        assert_eq!(found(3_000, "ward", &OpenOptions::default(), rows), []);
        let copies =
            |_: f64, y: u32, uniform: &mut dyn FnMut() -> f64| format!("{}", if uniform() < 0.04 { 1 - y } else { y });
        assert_eq!(found(60, "status", &OpenOptions::default(), copies), []);
    }
}
