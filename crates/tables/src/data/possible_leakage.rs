//! Columns that may follow from the outcome (possible leakage): a later measurement, a date that only events have, another
//! coding of the outcome with errors.
//!
//! What a model was fitted to adds little to its scores, and a column that it ignores rarely explains as much of the outcome
//! as is asked about here, or determines it for a part of the rows. One that does is known after the outcome as a rule. A copy
//! without errors is [`leakage`](super::leakage): it needs no scores to be recognized, and has no tests.

use super::join::setting_for;
use super::pair::{scores, targets};
use super::predictions::Predictions;
use super::roles::Role;
use crate::num::proportion::clopper_pearson;
use crate::num::quantile::quantile_sorted;
use crate::table::values::{MISSING, Values};
use crate::words::number::percent;
use crate::words::text::{enumerated, quoted};

/// Increase of R² from which on a column is asked about. On COMPAS a second coding of recidivism adds .77 to the scores, and the
/// end of follow-up .52; no covariate adds more than .03 there; a model of tumors without their size lacks .32 of it, and a
/// constant .35 of the best covariate of heart disease.
const SHARE: f64 = 0.4;
/// Largest share of the other outcome in cells that determine the outcome: an upper limit at 97.5%. Of the rows with a date that
/// only a second arrest has on COMPAS, 5% have none within the two years that count.
const EXCEPTIONS: f64 = 0.1;
/// Least share of the other outcome that the scores imply there: 47% on COMPAS, 27% for tumors of the size that a model lacks.
const IMPLIED: f64 = 1.0 / 3.0;
/// Fewer rows show no share of a variance.
const FEWEST: usize = 100;
/// Rows that are looked at, evenly spaced: the standard error of a share is then below .02.
const MOST: usize = 4_000;
/// Intervals of equally many rows by the score.
const OF_SCORE: usize = 5;
/// The same by a column of numbers.
const OF_NUMBERS: usize = 10;
/// Of texts with more values, only whether there is one is looked at.
const VALUES: usize = 20;

/// A column that may follow from the outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct PossibleLeakage {
    /// its name
    pub column: String,
    /// why
    pub evidence: Evidence,
}

/// Why it may.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// it explains this share of the outcome's variance in addition to the scores: (V(score) − V(score and column)) / V of all
    /// rows, V the variance within cells, corrected for degrees of freedom
    Explains(f64),
    /// in cells with this share of the rows nearly all outcomes are the same
    Determines {
        /// share of the rows
        rows: f64,
        /// share of these that have the other outcome than their cell
        exceptions: f64,
        /// the same according to the scores
        implied: f64,
    },
}

impl Predictions {
    /// The columns that are used and explain much of the outcome's variance in addition to the scores, or determine the outcome
    /// in cells where the scores do not. A column whose role was given by a person is none of them.
    ///
    /// # Cost
    /// O(n), and O(k log k) a column, k = 4,000 rows looked at.
    pub fn possible_leakage(&self) -> Vec<PossibleLeakage> {
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
        let frequencies = frequencies(&of_score, &outcomes);
        let score = |row: usize| scores.get(row).copied().unwrap_or(f64::NAN);
        let implied: Vec<(bool, f64, f64)> = rows
            .iter()
            .zip(outcomes.iter().zip(&frequencies))
            .map(|(&row, ((_, t), frequency))| (*t > 0.5, score(row), *frequency))
            .collect();
        let used = (0u32..).zip(self.table.columns.iter().zip(&self.roles)).filter(|(place, (column, role))| {
            matches!(role.role, Role::Feature | Role::Group | Role::Date)
                && !self.leakage.contains(place)
                && setting_for(&self.opened.roles, column).is_none()
        });
        used.filter_map(|(_, (column, role))| {
            let (of_column, of_values, present) = match &column.values {
                Values::Numbers(numbers) => (
                    by_number(&rows, numbers, OF_NUMBERS),
                    by_distinct_number(&rows, numbers),
                    by_number(&rows, numbers, 1),
                ),
                Values::Text { codes, levels } => {
                    let of_values = by_value(&rows, codes, levels.len());
                    (of_values.clone(), Some(of_values), by_value(&rows, codes, VALUES + 1))
                }
                Values::Matrix(_) => return None,
            };
            let both: Vec<usize> = of_score.iter().zip(&of_column).map(|(a, b)| a + (OF_SCORE + 1) * b).collect();
            let share = variance_within(&both, &outcomes).map_or(0.0, |within| (left - within) / all);
            // a period in which all is different is a finding, not leakage
            let of_values = of_values.filter(|_| role.role != Role::Date);
            let evidence = match share >= SHARE {
                true => Some(Evidence::Explains(share)),
                false => determines(&present, &implied).or_else(|| determines(&of_values?, &implied)),
            };
            Some(PossibleLeakage { column: column.name.clone(), evidence: evidence? })
        })
        .collect()
    }
}

/// Says which columns may be known only after the outcome, and why; none where there are none.
pub fn possible_leakage_sentence(found: &[PossibleLeakage]) -> Option<String> {
    let close = match found {
        [] => return None,
        [_] => "Ignore it if it is known only after the outcome.",
        _ => "Ignore those that are known only after the outcome.",
    };
    let sentences = [explained(found), determined(found)];
    Some(sentences.into_iter().flatten().map(|sentence| sentence + " ").collect::<String>() + close)
}

/// What the columns explain that explain much.
fn explained(found: &[PossibleLeakage]) -> Option<String> {
    let explaining = found.iter().filter_map(|one| match one.evidence {
        Evidence::Explains(share) => Some((&one.column, share)),
        Evidence::Determines { .. } => None,
    });
    let (names, shares): (Vec<&String>, Vec<f64>) = explaining.unzip();
    let least = percent(shares.iter().copied().reduce(f64::min)?);
    let each = if names.len() == 1 { "it explains" } else { "each explains at least" };
    Some(format!(
        "{} may be known only after the outcome: {each} {least} of its variance in addition to the scores.",
        enumerated(names.iter().map(|name| quoted(name)))
    ))
}

/// For which rows the other columns determine the outcome.
fn determined(found: &[PossibleLeakage]) -> Option<String> {
    let determining: Vec<(&String, [f64; 3])> = found
        .iter()
        .filter_map(|one| match one.evidence {
            Evidence::Determines { rows, exceptions, implied } => Some((&one.column, [rows, exceptions, implied])),
            Evidence::Explains(_) => None,
        })
        .collect();
    let bound = |place: usize, of: fn(f64, f64) -> f64| {
        Some(percent(determining.iter().map(|(_, numbers)| numbers[place]).reduce(of)?))
    };
    let (rows, exceptions, implied) = (bound(0, f64::min)?, bound(1, f64::max)?, bound(2, f64::min)?);
    let names = enumerated(determining.iter().map(|(name, _)| quoted(name)));
    let too = if determining.len() < found.len() { ", too" } else { "" };
    Some(match determining.len() {
        1 => format!(
            "{names} may be known only after the outcome{too}: it determines the outcome in {rows} of the rows ({exceptions} \
             exceptions; according to the scores {implied})."
        ),
        _ => format!(
            "{names} may be known only after the outcome{too}: each determines the outcome in at least {rows} of the rows (at \
             most {exceptions} exceptions; according to the scores at least {implied})."
        ),
    })
}

/// Frequency of the outcome in the interval of each row by the score. O(k).
fn frequencies(of_score: &[usize], outcomes: &[(f64, f64)]) -> Vec<f64> {
    let mut counts = [(0.0, 0.0); OF_SCORE + 1];
    for (interval, (_, t)) in of_score.iter().zip(outcomes) {
        if let Some((n, events)) = counts.get_mut(*interval) {
            (*n, *events) = (*n + 1.0, *events + t);
        }
    }
    of_score.iter().map(|interval| counts.get(*interval).map_or(0.5, |(n, events)| events / n)).collect()
}

/// Rows of one value of a column.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    rows: usize,
    events: usize,
    /// sum of the scores
    scores: f64,
    /// sum of the frequencies in the intervals of the score
    frequencies: f64,
}

impl Cell {
    /// Its rows with the rarer outcome, and as many as the scores imply, or their intervals, whichever is less: a column that
    /// repeats what a score says determines nothing in addition.
    fn exceptions(self) -> (usize, f64) {
        let all = self.rows as f64;
        match 2 * self.events < self.rows {
            true => (self.events, self.scores.min(self.frequencies)),
            false => (self.rows - self.events, (all - self.scores).min(all - self.frequencies)),
        }
    }
}

/// Whether there are cells with so few of the other outcome that its upper limit is below 10%, where the scores imply a third or
/// more. O(k), and a limit a cell.
///
/// * `cells`: of each row
/// * `rows`: t, score and frequency in the interval of the score, of each row
fn determines(cells: &[usize], rows: &[(bool, f64, f64)]) -> Option<Evidence> {
    let mut counts = vec![Cell::default(); cells.iter().max()? + 1];
    for (cell, (event, score, frequency)) in cells.iter().zip(rows) {
        if let Some(cell) = counts.get_mut(*cell) {
            cell.rows += 1;
            cell.events += usize::from(*event);
            cell.scores += score;
            cell.frequencies += frequency;
        }
    }
    let (mut of_rows, mut exceptions, mut implied) = (0, 0, 0.0);
    for cell in counts.into_iter().filter(|cell| cell.rows > 0) {
        let (other, expected) = cell.exceptions();
        if expected >= IMPLIED * cell.rows as f64 && clopper_pearson(other, cell.rows).1 < EXCEPTIONS {
            (of_rows, exceptions, implied) = (of_rows + cell.rows, exceptions + other, implied + expected);
        }
    }
    (of_rows > 0).then(|| Evidence::Determines {
        rows: of_rows as f64 / cells.len() as f64,
        exceptions: exceptions as f64 / of_rows as f64,
        implied: implied / of_rows as f64,
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

/// The value of each row, of at most 20 different ones; what is missing is one of its own. None of more: a measurement can
/// determine the outcome at its ends. O(k).
fn by_distinct_number(rows: &[usize], values: &[f64]) -> Option<Vec<usize>> {
    let mut distinct: Vec<f64> = Vec::new();
    let mut cells = Vec::with_capacity(rows.len());
    for row in rows {
        let value = values.get(*row).copied().filter(|value| value.is_finite());
        let place = value.map(|value| distinct.iter().position(|other| *other == value).unwrap_or(distinct.len()));
        if place == Some(distinct.len()) {
            distinct.extend(value);
        }
        if distinct.len() > VALUES {
            return None;
        }
        cells.push(place.map_or(0, |place| 1 + place));
    }
    Some(cells)
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
    fn suspected(
        rows: u64,
        columns: &str,
        options: &OpenOptions,
        of: impl Fn(f64, u32, &mut dyn FnMut() -> f64) -> String,
    ) -> Vec<PossibleLeakage> {
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

    fn names(found: &[PossibleLeakage]) -> Vec<&str> {
        found.iter().map(|one| one.column.as_str()).collect()
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
        let found = suspected(9_000, "status,lab,age", &OpenOptions::default(), rows);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].column, "status");
        assert!(matches!(found[0].evidence, Evidence::Explains(share) if (share - 0.59).abs() < 0.06), "{found:?}");
        let sentence = possible_leakage_sentence(&found).unwrap();
        assert!(
            sentence.starts_with("`status` may be known only after the outcome: it explains ")
                && possible_leakage_sentence(&[]).is_none(),
            "{sentence}"
        );
    }

    #[test]
    fn a_column_with_a_role_that_was_given_is_not_asked_about() {
        let copies =
            |_: f64, y: u32, uniform: &mut dyn FnMut() -> f64| format!("{}", if uniform() < 0.04 { 1 - y } else { y });
        let given = OpenOptions { roles: [("status".to_owned(), Role::Group)].into(), ..OpenOptions::default() };
        assert_eq!(suspected(900, "status", &given, copies), []);
        assert_eq!(suspected(900, "status", &OpenOptions::default(), copies).len(), 1);
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
        let found = suspected(1_500, "readmission_date,stay", &OpenOptions::default(), rows);
        assert_eq!(names(&found), ["readmission_date", "stay"]);
    }

    #[test]
    fn subgroups_that_are_far_off_and_few_rows_are_not() {
        // 20 percentage points too high and too low in two halves
        let rows = |p: f64, y: u32, uniform: &mut dyn FnMut() -> f64| {
            let moved = if y == 1 { uniform() < 0.5 + 0.2 / p.max(0.4) } else { uniform() < 0.3 };
            (if moved { "A" } else { "B" }).to_owned()
        };
        assert_eq!(suspected(3_000, "ward", &OpenOptions::default(), rows), []);
        let copies =
            |_: f64, y: u32, uniform: &mut dyn FnMut() -> f64| format!("{}", if uniform() < 0.04 { 1 - y } else { y });
        assert_eq!(suspected(60, "status", &OpenOptions::default(), copies), []);
    }

    #[test]
    fn a_measurement_that_few_rows_have_and_only_after_the_event_is_suspected() {
        // a fifth of the events has a date and a stay, and hardly another row
        let rows = |_: f64, y: u32, uniform: &mut dyn FnMut() -> f64| {
            let known = uniform() < if y == 1 { 0.2 } else { 0.002 };
            let [month, day, days] = [12.0, 28.0, 300.0].map(|most| 1.0 + (most * uniform()).floor());
            let ward = ["A", "B", "C"][(3.0 * uniform()) as usize];
            if known { format!("2023-{month:02}-{day:02},{days},1,{ward}") } else { format!(",,0,{ward}") }
        };
        let found = suspected(3_000, "readmission_date,stay,moved,ward", &OpenOptions::default(), rows);
        assert_eq!(names(&found), ["readmission_date", "stay", "moved"]);
        for one in &found {
            let Evidence::Determines { rows, exceptions, implied } = one.evidence else { panic!("{one:?}") };
            assert!((rows - 0.1).abs() < 0.02 && exceptions < 0.02 && (implied - 0.35).abs() < 0.05, "{one:?}");
        }
        let sentence = possible_leakage_sentence(&found).unwrap();
        assert!(
            sentence.starts_with(
                "`readmission_date`, `stay` and `moved` may be known only after the outcome: each determines "
            ),
            "{sentence}"
        );
    }

    #[test]
    fn what_the_scores_say_a_period_and_the_end_of_a_measurement_are_not_suspected() {
        // calibrated scores near the ends in a tenth of the rows, a month in which all have the event, and a measurement above
        // which all have it
        let rows = |p: f64, y: u32, uniform: &mut dyn FnMut() -> f64| {
            let end = if p > 0.9 {
                "high"
            } else if p < 0.1 {
                "low"
            } else {
                "middle"
            };
            let month = if y == 1 && uniform() < 0.2 { 12 } else { 1 + (uniform() * 11.0) as u32 };
            let size = uniform() * if y == 1 { 1.3 } else { 1.0 };
            format!("{end},2023-{month:02}-{:02},{size:.3}", 1 + (uniform() * 28.0) as u32)
        };
        assert_eq!(suspected(3_000, "band,admission_date,size", &OpenOptions::default(), rows), []);
    }
}
