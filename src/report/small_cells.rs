//! Small cells: which lines of a table are left out so that no count below a chosen one can be read or worked out.
//!
//! A count from 1 to `least` − 1 is small. A line with a small count is left out whole: its shares would give the count
//! away. Where the total is told, what is left out could be worked out from the rest, so further lines are left out until
//! at least two are, and what they hold together is nothing or at least twice `least`. Which line comes next depends on its
//! place, not on its counts: a rule that looked for the smallest would say something about it. A test goes through every
//! small table and finds for every count that is left out another one that would have been written the same.

mod crossing;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::View;
use crate::data::grouping::Grouping;
use crate::error::{Error, Result};
use crate::evaluation::method::MethodKind;
use crate::num::weight::{RowWeights, weight};
use crate::report::{MethodRows, RunOutcome};
use crate::table::MISSING;

use crossing::Crossing;

/// Whether a count may not be shown.
pub fn is_small(count: u64, least: u64) -> bool {
    count > 0 && count < least
}

/// A count, or that it is small.
pub fn count_or_small(count: u64, least: Option<u64>) -> String {
    match least {
        Some(least) if is_small(count, least) => format!("fewer than {least}"),
        _ => crate::words::number::count(count),
    }
}

/// Which lines of a table are left out.
///
/// * `lines`: of each, its counts: rows, those with the outcome, those without, say; they add up to totals that are told
/// * `least`: the smallest count that may be shown
/// * returns: one flag a line; none where the totals would have to go, too, and there is no table to show
///
/// O(lines · counts).
pub fn left_out(lines: &[Vec<u64>], least: u64) -> Option<Vec<bool>> {
    left_out_beside(lines, vec![false; lines.len()], least)
}

/// Which of several sets of the same rows, such as those that each of some methods acts on, are left out: those with a small count, and
/// those of which a count differs from that of an earlier one that is shown by a small number.
///
/// * `sets`: of each its counts
/// * returns: one flag a set
///
/// O(sets² · counts).
pub fn sets_left_out(sets: &[Vec<u64>], least: u64) -> Vec<bool> {
    let mut out: Vec<bool> = sets.iter().map(|set| set.iter().any(|count| is_small(*count, least))).collect();
    for (place, set) in sets.iter().enumerate() {
        let mut earlier = sets.iter().take(place).zip(&out).filter(|(_, out)| !**out).map(|(earlier, _)| earlier);
        let near = |other: &Vec<u64>| set.iter().zip(other).any(|(a, b)| is_small(a.abs_diff(*b), least));
        if earlier.any(near) {
            out[place] = true;
        }
    }
    out
}

/// Which lines of a table are left out beside some that are left out for another reason, as [`left_out`].
///
/// * `out`: one flag a line
pub fn left_out_beside(lines: &[Vec<u64>], mut out: Vec<bool>, least: u64) -> Option<Vec<bool>> {
    for (out, line) in out.iter_mut().zip(lines) {
        *out |= line.iter().any(|count| is_small(*count, least));
    }
    let lines: Vec<Line> = lines.iter().map(|line| line.iter().copied().enumerate().collect()).collect();
    completed(&lines, out, least)
}

/// The counts of a line, each with the total to which it adds.
type Line = Vec<(usize, u64)>;

/// Further lines beside those that are left out, until at least two are and what they add to every total is nothing or
/// at least twice `least`: the next ones, in a circle.
///
/// * returns: one flag a line; none where all lines do not suffice
///
/// O(lines · counts).
fn completed(lines: &[Line], mut out: Vec<bool>, least: u64) -> Option<Vec<bool>> {
    let Some(first) = out.iter().position(|out| *out) else {
        return Some(out);
    };
    // what the lines that are left out hold together, and how many of these sums are too small
    let (mut sums, mut few) = (BTreeMap::<usize, u64>::new(), 0);
    let mut with = |line: &Line| {
        for (total, count) in line {
            let sum = sums.entry(*total).or_default();
            few -= usize::from(is_small(*sum, 2 * least));
            *sum += count;
            few += usize::from(is_small(*sum, 2 * least));
        }
        few
    };
    let mut short = lines.iter().zip(&out).filter(|(_, out)| **out).fold(0, |_, (line, _)| with(line));
    let mut number = out.iter().filter(|out| **out).count();
    let mut places = (1..lines.len()).map(|step| (first + step) % lines.len());
    while number < 2 || short > 0 {
        let empty = |place: usize| lines.get(place).is_none_or(|line| line.iter().all(|(_, count)| *count == 0));
        let next = places.find(|&place| out.get(place) == Some(&false) && !empty(place))?;
        if let (Some(out), Some(line)) = (out.get_mut(next), lines.get(next)) {
            *out = true;
            short = with(line);
            number += 1;
        }
    }
    Some(out)
}

/// How many rows have each value of a column, or each combination of the values of two: which of them are left out is
/// decided from it alone, for every table, chart and sentence, session and calibrator.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ColumnCounts {
    /// counts of every value in the order of the values, and last those of the rows without one
    lines: Vec<Vec<u64>>,
    /// the rows by both columns where the values are combinations of two
    crossing: Option<Crossing>,
}

impl ColumnCounts {
    /// Of the scored rows. Where methods differ in which rows have the outcome (in whether a prediction is right), the counts
    /// under each of them count, so that the same values are left out for all. O(n · methods).
    pub fn of(run: &RunOutcome, by: &Grouping) -> Self {
        let crossing = by.of_columns.as_deref();
        Self {
            lines: scored(run, by.names.len(), &by.code),
            crossing: crossing.map(|columns| Crossing::of(columns, by, |cells, codes| scored(run, cells, codes))),
        }
    }

    /// Of some rows. `codes`: of each the place of its value, in the order of the values; anything else where it has none.
    pub fn of_rows(values: usize, codes: impl Iterator<Item = u32>, target: &[u8], counts: RowWeights) -> Self {
        Self { lines: counted(values, codes, target, counts).into_iter().map(Vec::from).collect(), crossing: None }
    }

    /// Of rows and those of them with the outcome, of every value and last of the rows without one.
    pub fn of_counts(counts: &[[usize; 2]]) -> Self {
        let line =
            |[rows, events]: &[usize; 2]| vec![*rows as u64, *events as u64, rows.saturating_sub(*events) as u64];
        Self { lines: counts.iter().map(line).collect(), crossing: None }
    }

    /// The numbers of rows alone, without those of outcomes.
    pub fn of_rows_alone(&self) -> Self {
        let rows = |counts: &Vec<u64>| counts.iter().step_by(3).copied().collect();
        let crossing = self.crossing.as_ref().map(|crossing| crossing.with_counts(rows));
        Self { lines: self.lines.iter().map(rows).collect(), crossing }
    }

    /// The place of the rows without a value.
    pub fn missing(&self) -> usize {
        self.lines.len().saturating_sub(1)
    }

    /// Which values are left out, and last whether the rows without one are; all where totals would tell of them.
    pub fn left_out(&self, least: u64) -> Vec<bool> {
        let out = match &self.crossing {
            Some(crossing) => crossing.left_out(least),
            None => left_out(&self.lines, least),
        };
        out.unwrap_or_else(|| vec![true; self.lines.len()])
    }

    /// Those that are left out for one of several smallest counts.
    pub fn left_out_for_each(&self, least: &[u64]) -> Vec<bool> {
        let each: Vec<Vec<bool>> = least.iter().map(|least| self.left_out(*least)).collect();
        (0..self.lines.len()).map(|place| each.iter().any(|out| out.get(place) != Some(&false))).collect()
    }

    /// Whether a value has a small count itself.
    pub fn is_small(&self, place: usize, least: u64) -> bool {
        self.lines.get(place).is_none_or(|line| line.iter().any(|count| is_small(*count, least)))
    }
}

/// Rows, those with the outcome and those without, of every value among the scored rows, one after the other under
/// every method under which they differ, and last of the rows without a value. `code`: of each row of the data.
fn scored(run: &RunOutcome, values: usize, code: &[u32]) -> Vec<Vec<u64>> {
    let mut columns: Vec<Vec<[u64; 3]>> = Vec::new();
    for rows in run.rows.iter().chain(&run.common) {
        let codes = rows.rows.iter().map(|row| code.get(*row as usize).copied().unwrap_or(MISSING));
        let counts = rows.weights().filter(|_| rows.counted);
        let column = counted(values, codes, &rows.target, counts);
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let line = |place: usize| columns.iter().filter_map(|column| column.get(place)).flatten().copied().collect();
    (0..=values).map(line).collect()
}

/// Rows, those with the outcome and those without, of every value, and last of the rows without one. O(n).
fn counted(values: usize, codes: impl Iterator<Item = u32>, target: &[u8], counts: RowWeights) -> Vec<[u64; 3]> {
    let mut lines = vec![[0.0; 2]; values + 1];
    for (i, (code, target)) in codes.zip(target).enumerate() {
        if let Some([with, without]) = lines.get_mut((code as usize).min(values)) {
            *(if *target == 1 { with } else { without }) += weight(counts, i);
        }
    }
    let line = |[with, without]: [f64; 2]| {
        let (with, without) = (with.round() as u64, without.round() as u64);
        [with + without, with, without]
    };
    lines.into_iter().map(line).collect()
}

/// Most subgroups whose unions are looked at.
const MOST_PICKED: usize = 12;

/// How some picked subgroups, which may overlap, share the rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Overlaps {
    /// subgroups
    picked: usize,
    /// of the rows that lie in the same subgroups, one bit a subgroup: those with and those without the outcome
    cells: Vec<(u16, [u64; 2])>,
}

impl Overlaps {
    /// `picked`: of each subgroup a flag a row; `target`: of each row whether it has the outcome; `counts`: how many rows each stands
    /// for, where rows were counted elsewhere. O(k n).
    pub fn of(picked: &[Vec<bool>], target: &[u8], counts: RowWeights) -> Self {
        let mut cells = BTreeMap::<u16, [u64; 2]>::new();
        let looked_at = picked.get(..picked.len().min(MOST_PICKED)).unwrap_or_default();
        for (row, target) in target.iter().enumerate() {
            let bit = |(k, flags): (usize, &Vec<bool>)| u16::from(flags.get(row) == Some(&true)) << k;
            let [with, without] = cells.entry(looked_at.iter().enumerate().map(bit).sum()).or_default();
            *(if *target == 1 { with } else { without }) += weight(counts, row) as u64;
        }
        // a list: a basis travels as JSON, too, whose keys are no numbers
        Self { picked: picked.len(), cells: cells.into_iter().collect() }
    }

    /// Rows, those with the outcome, those without, in the subgroups of which `inside` says so.
    fn counts(&self, inside: impl Fn(u16) -> bool) -> [u64; 3] {
        let cells = self.cells.iter().filter(|(subgroups, _)| inside(*subgroups));
        cells.fold([0; 3], |[rows, with, without], (_, more)| {
            [rows + more[0] + more[1], with + more[0], without + more[1]]
        })
    }

    /// Rows of the subgroup at `place`; none of one that was not evaluated.
    pub fn rows(&self, place: usize) -> u64 {
        if place < MOST_PICKED { self.counts(|subgroups| subgroups >> place & 1 == 1)[0] } else { 0 }
    }

    /// Which subgroups are left out: those with a small count, and those that leave a small one of all rows or of a subgroup that
    /// holds them, alone or with others that share no row with them.
    ///
    /// * returns: one flag a subgroup; all where there are more than 12, which were not evaluated
    ///
    /// O(k³ 2^k).
    pub fn left_out(&self, least: u64) -> Vec<bool> {
        let picked = self.picked;
        if picked > MOST_PICKED {
            return vec![true; picked];
        }
        let of: Vec<[u64; 3]> = (0..picked).map(|k| self.counts(|subgroups| subgroups >> k & 1 == 1)).collect();
        let both = |a: usize, b: usize| self.counts(|subgroups| subgroups >> a & subgroups >> b & 1 == 1)[0];
        let count = |k: usize| of.get(k).copied().unwrap_or_default();
        let mut out: Vec<bool> = of.iter().map(|counts| counts.iter().any(|count| is_small(*count, least))).collect();
        let shared: Vec<Vec<u64>> = (0..picked).map(|a| (0..picked).map(|b| both(a, b)).collect()).collect();
        let shared = |a: usize, b: usize| shared.get(a).and_then(|of| of.get(b)).copied().unwrap_or_default();
        // all rows, then every subgroup, less what lies within
        let wholes = std::iter::once((None, self.counts(|_| true))).chain((0..picked).map(|k| (Some(k), count(k))));
        for (whole, of_whole) in wholes {
            let within = |k: usize| whole.is_none_or(|whole| whole != k && shared(whole, k) == count(k)[0]);
            let inner: Vec<usize> = (0..picked).filter(|k| within(*k)).collect();
            for chosen in 1_usize..1 << inner.len() {
                let chosen: Vec<usize> =
                    inner.iter().enumerate().filter(|(place, _)| chosen >> place & 1 == 1).map(|(_, k)| *k).collect();
                let meets = |(place, a): (usize, &usize)| chosen.iter().skip(place + 1).any(|b| shared(*a, *b) > 0);
                if chosen.iter().enumerate().any(meets) {
                    continue;
                }
                let rest = |i: usize| of_whole[i].saturating_sub(chosen.iter().map(|k| count(*k)[i]).sum());
                if (0..3).any(|i| is_small(rest(i), least)) {
                    for k in &chosen {
                        out[*k] = true;
                    }
                }
            }
        }
        out
    }
}

/// Refuses scored rows that are too few themselves, or that leave too few of those of another method: the metrics of both would
/// tell of what is between. So is a recalibration that was fitted to too few.
///
/// # Errors
/// `too_few_rows` where they, or those of them with or without the outcome, are fewer than `least`; in the view of the
/// predicted class the outcome is that it is right, by any method.
pub fn enough(view: View, run: &RunOutcome, least: u64) -> Result<()> {
    let few = |(n, events): (u64, u64)| n < least || is_small(events, least) || is_small(n - events, least);
    let tally = |rows: &MethodRows| {
        let (n, events) = rows.tally();
        (n as u64, events as u64)
    };
    let rest = |all: &MethodRows, some: &MethodRows| {
        let (all, some) = (tally(all), tally(some));
        let (n, events) = (all.0.saturating_sub(some.0), all.1.saturating_sub(some.1));
        n > 0 && few((n, events.min(n)))
    };
    let between = run.common.as_ref().is_some_and(|common| run.rows.iter().any(|rows| rest(rows, common)));
    let fitted = run.report.data.calibration_rows as u64;
    if fitted < least && run.rows.iter().any(|rows| rows.method.kind != MethodKind::NONE) {
        return Err(Error::new(
            "too_few_rows",
            format!("Fewer than {least} rows fit the recalibrations: their parameters would reveal them."),
            "Choose a smaller threshold, or evaluate the original predictions alone.",
        ));
    }
    if !between && !run.rows.iter().any(|rows| few(tally(rows))) {
        return Ok(());
    }
    let of_them = match view {
        View::Positive => "with or without the outcome",
        View::TopLabel => "predicted correctly or incorrectly",
    };
    Err(Error::new(
        "too_few_rows",
        format!(
            "Fewer than {least} rows, or fewer than {least} {of_them}, are scored: every value would be suppressed."
        ),
        "Choose a smaller threshold, or more rows.",
    ))
}

/// Whether a text holds a whole number from 1 to `least` − 1.
pub fn mentions_small_count(text: &str, least: u64) -> bool {
    let numbers = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','));
    let whole = numbers.filter_map(|digits| digits.trim_matches(['.', ',']).parse::<u64>().ok());
    whole.into_iter().any(|number| is_small(number, least))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every table of `lines` counts up to `most`.
    fn tables(lines: usize, most: u64) -> Vec<Vec<u64>> {
        (0..lines).fold(vec![Vec::new()], |before, _| {
            let longer = before.iter().flat_map(|table| (0..=most).map(move |count| (table, count)));
            longer.map(|(table, count)| [table.as_slice(), &[count]].concat()).collect()
        })
    }

    #[test]
    fn nothing_left_out_can_be_worked_out() {
        for (lines, most, least) in [(2, 24, 3), (2, 24, 5), (3, 20, 3), (3, 20, 5), (4, 13, 3)] {
            // everybody sees the total and what is not left out, and knows the rule
            type Published = (u64, Vec<Option<u64>>);
            let mut published: BTreeMap<Published, Vec<Vec<u64>>> = BTreeMap::new();
            for table in tables(lines, most) {
                let as_lines: Vec<Vec<u64>> = table.iter().map(|count| vec![*count]).collect();
                let Some(out) = left_out(&as_lines, least) else { continue };
                let seen = table.iter().zip(&out).map(|(count, out)| (!out).then_some(*count)).collect();
                published.entry((table.iter().sum(), seen)).or_default().push(table);
            }
            let mut checked = 0;
            for ((_, seen), tables) in &published {
                assert!(seen.iter().flatten().all(|count| !is_small(*count, least)), "{seen:?}");
                // near the largest count tables that would look the same were not written down
                if tables.iter().flatten().any(|count| count + least >= most) {
                    continue;
                }
                for place in (0..lines).filter(|place| seen[*place].is_none()) {
                    let values: BTreeSet<u64> = tables.iter().map(|table| table[place]).collect();
                    assert!(values.len() > 1, "least {least}: {seen:?} can only be {tables:?}");
                    checked += 1;
                }
            }
            assert!(checked > 5, "{checked}");
        }
    }

    #[test]
    fn what_sets_leave_of_each_other_counts() {
        let sets = [vec![100, 40], vec![103, 40], vec![100, 40], vec![120, 40], vec![7, 40]];
        assert_eq!(sets_left_out(&sets, 10), [false, true, false, false, true]);
        // one that is left out reveals nothing of the next
        assert_eq!(sets_left_out(&[vec![100], vec![108], vec![116]], 10), [false, true, false]);
        assert_eq!(sets_left_out(&[], 10), Vec::<bool>::new());
    }

    #[test]
    fn a_line_goes_with_its_outcomes() {
        // 200 rows with 2 outcomes: the share would tell
        let lines = [vec![200, 2, 198], vec![300, 60, 240], vec![400, 70, 330]];
        assert_eq!(left_out(&lines, 5), Some(vec![true, true, false]));
        assert_eq!(left_out(&lines[1..], 5), Some(vec![false, false]));
        // nobody is left to hide behind
        assert_eq!(left_out(&[vec![2], vec![3]], 5), None);
        assert_eq!(left_out(&[vec![2], vec![0]], 5), None);
        assert_eq!(left_out(&[], 5), Some(vec![]));
    }

    #[test]
    fn the_rows_without_a_value_are_a_line() {
        // 7 rows of the second value, 5 without a value
        let codes = [vec![0; 100], vec![1; 7], vec![2; 80], vec![u32::MAX; 5], vec![3; 60]].concat();
        let target: Vec<u8> = (0..codes.len()).map(|row| (row % 2) as u8).collect();
        let counts = ColumnCounts::of_rows(4, codes.into_iter(), &target, None);
        // those two have 12 rows together, fewer than twice ten: the third value goes, too
        assert_eq!(counts.left_out(10), [false, true, true, false, true]);
        assert_eq!((counts.missing(), counts.is_small(1, 10), counts.is_small(2, 10)), (4, true, false));
        assert_eq!(counts.of_rows_alone().lines, [[100], [7], [80], [60], [5]]);
    }

    #[test]
    fn the_rest_counts_too() {
        // every fourth row has the outcome
        let target: Vec<u8> = (0..1000).map(|row| u8::from(row % 4 == 0)).collect();
        let rows = |range: std::ops::Range<usize>| (0..1000).map(|row| range.contains(&row)).collect::<Vec<bool>>();
        let left_out = |picked: &[Vec<bool>]| Overlaps::of(picked, &target, None).left_out(5);
        assert_eq!(left_out(&[rows(0..400), rows(400..700)]), [false, false]);
        // all but three of the first; all rows but two; ten rows with two or three outcomes
        assert_eq!(left_out(&[rows(0..400), rows(0..397)]), [false, true]);
        assert_eq!(left_out(&[rows(0..400), rows(0..998)]), [false, true]);
        assert_eq!(left_out(&[rows(0..400), rows(500..510)]), [false, true]);
        // four rows are in neither of two wards; in neither of two of three parts of a subgroup
        assert_eq!(left_out(&[rows(0..500), rows(500..996), rows(0..700)]), [true, true, false]);
        assert_eq!(left_out(&[rows(0..700), rows(0..300), rows(300..697)]), [false, true, true]);
        // nobody has looked at so many
        assert_eq!(left_out(&vec![rows(0..400); MOST_PICKED + 1]), [true; MOST_PICKED + 1]);
    }

    #[test]
    fn sentences_with_small_numbers_are_known() {
        assert!(mentions_small_count("3 rows were cut", 5) && !mentions_small_count("1,203 rows of 0.4", 5));
    }
}
