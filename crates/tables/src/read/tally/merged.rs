//! Counts in which no line tells of few rows, for who passes them on.
//!
//! Groups, months and quantized values of few rows become one group, [`WITHHELD`], and neighboring cells of the score are merged
//! until each counts enough events and non-events. Sums of scores and of events are kept, so that predicted and
//! observed are exact for all rows and for every group that is left; what is lost is where within a merged cell a score was.
//!
//! Which groups are left, and where a merged cell ends, is decided by the events that the scores imply, before the observed ones.
//! Of calibrated groups with about `least` events each, those in which fewer occurred would else be withheld, and the rest would
//! look too low; cells without an event would stay apart, and low scores would look too high.

use std::collections::BTreeMap;

use super::{End, Line, Sums, Tally};
use crate::counts::statement::Unused;
use crate::error::{Error, Result};

/// The value of every grouping column of rows whose own values would tell of few rows.
pub const WITHHELD: &str = "(withheld)";

/// Least events and non-events that the scores of a group or cell imply, in multiples of the smallest count: with that many an
/// observed count is rarely too small to be told.
const IMPLIED: f64 = 2.0;

/// What is no longer told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Merged {
    /// combinations of grouping columns that became one
    pub groups: usize,
    /// their rows that are used
    pub rows: u64,
    /// rows that are not used and of which nothing is told, as too few have the same reason
    pub dropped: u64,
}

/// A combination of grouping columns: the place of groups and month, cells of quantized columns.
type Key = (u32, [Option<u32>; 2]);

/// What is known of the rows of a combination.
#[derive(Default)]
struct Stratum {
    /// cells of the score, ascending
    cells: BTreeMap<i32, Sums>,
    /// by the place of the reason why rows are not used
    unused: BTreeMap<Unused, u64>,
}

impl Tally {
    /// The counts without lines of few rows.
    ///
    /// * `least`: the smallest count that may be told
    /// * `left_out`: which combinations may not be told, by their rows, those with the event and those without, beside those flagged
    ///   already; none where all may not
    ///
    /// # Errors
    /// `too_few_rows` where nothing may be told.
    ///
    /// # Cost
    /// O(lines).
    pub fn merged(
        &self,
        least: u64,
        left_out: impl FnOnce(&[Vec<u64>], Vec<bool>) -> Option<Vec<bool>>,
    ) -> Result<(Self, Merged)> {
        let mut told = Self { groups: self.groups.clone(), lines: Default::default(), rows: 0, ..self.clone() };
        let (by, months) = (self.request.by.len(), usize::from(self.request.month.is_some()));
        let values = std::iter::repeat_n(Some(WITHHELD.to_owned()), by).chain(std::iter::repeat_n(None, months));
        let withheld: Key = (told.place_of(values.collect()), [None; 2]);
        let mut strata = self.strata();
        // in the order of the values: which further ones are left out depends on it alone
        let keys: Vec<Key> = self.in_order(strata.keys().copied());
        let counts: Vec<Vec<u64>> = keys.iter().map(|key| strata.get(key).map_or_else(Vec::new, counts)).collect();
        let too_few = || {
            Error::new(
                "too_few_rows",
                format!(
                    "These counts cannot be merged until each is of at least {least} rows with and without the event."
                ),
                "Group by fewer columns, or suppress smaller counts only.",
            )
        };
        let few = |key: &Key| {
            let sums = strata.get(key).map(Stratum::sums);
            sums.is_some_and(|sums| sums.n > 0 && implies_few(&sums, least))
        };
        // a single combination has nothing to merge with
        let implied = keys.iter().map(|key| keys.len() > 1 && *key != withheld && few(key)).collect();
        let out = left_out(&counts, implied).ok_or_else(too_few)?;
        let mut merged = Merged::default();
        let mut rest = Stratum::default();
        for (key, out) in keys.iter().zip(&out) {
            let Some(stratum) = strata.get_mut(key) else { continue };
            if *out {
                merged.groups += 1;
                merged.rows += stratum.sums().n;
                rest.take(std::mem::take(stratum));
                continue;
            }
            let few: Vec<Unused> =
                stratum.unused.iter().filter(|(_, rows)| **rows < least).map(|(reason, _)| *reason).collect();
            for reason in few {
                *rest.unused.entry(reason).or_default() += stratum.unused.remove(&reason).unwrap_or_default();
            }
        }
        rest.unused.retain(|_, rows| {
            merged.dropped += if *rows < least { *rows } else { 0 };
            *rows >= least
        });
        // nothing in it where nothing was withheld; a group of this name may have been counted, as in counts that were merged before
        strata.entry(withheld).or_default().take(rest);
        for (key, stratum) in strata {
            let lines = grouped(stratum.cells, least).ok_or_else(too_few)?;
            for sums in lines {
                let mean = sums.others[0] / sums.n as f64;
                let cell = self.request.grid().cell(mean).ok_or_else(too_few)?;
                told.line(key, End::Cell(cell)).merge(&sums);
            }
            for (reason, rows) in stratum.unused {
                told.line(key, End::Unused(reason)).n += rows;
            }
        }
        told.rows = told.lines.values().map(|sums| sums.n).sum();
        told.least = Some(self.least.map_or(least, |before| before.max(least)));
        Ok((told, merged))
    }

    fn line(&mut self, (groups, features): Key, end: End) -> &mut Sums {
        self.lines.entry(Line { groups, features, end }).or_default()
    }

    /// The lines of every combination.
    fn strata(&self) -> BTreeMap<Key, Stratum> {
        let mut strata: BTreeMap<Key, Stratum> = BTreeMap::new();
        for (line, sums) in &self.lines {
            let of = strata.entry((line.groups, line.features)).or_default();
            match line.end {
                End::Cell(cell) => of.cells.entry(cell).or_default().merge(sums),
                End::Unused(reason) => *of.unused.entry(reason).or_default() += sums.n,
            }
        }
        strata
    }

    /// By the values rather than by the order in which rows came.
    fn in_order(&self, keys: impl Iterator<Item = Key>) -> Vec<Key> {
        let texts: BTreeMap<u32, &Vec<Option<String>>> = self.groups.iter().map(|(texts, at)| (*at, texts)).collect();
        let mut keys: Vec<Key> = keys.collect();
        keys.sort_by_key(|(groups, features)| (texts.get(groups).copied(), *features));
        keys
    }
}

impl Stratum {
    /// Of all rows that are used.
    fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        self.cells.values().for_each(|of| sums.merge(of));
        sums
    }

    fn take(&mut self, other: Self) {
        for (cell, sums) in other.cells {
            self.cells.entry(cell).or_default().merge(&sums);
        }
        for (reason, rows) in other.unused {
            *self.unused.entry(reason).or_default() += rows;
        }
    }
}

/// Rows that are used, those with the event, those without.
fn counts(stratum: &Stratum) -> Vec<u64> {
    let Sums { n, events, .. } = stratum.sums();
    vec![n, events, n - events]
}

/// Whether few events, or few non-events, are expected by the scores.
fn implies_few(of: &Sums, least: u64) -> bool {
    let events = of.others[0];
    events.min(of.n as f64 - events) < IMPLIED * least as f64
}

/// Neighboring cells together, until the scores of each imply enough events and non-events and as many are observed as may be told,
/// or none; all together where they do not. The events of one are taken to have its mean score, so that its cell contains every
/// mean that can be computed from it. `None` where too few are observed in all.
fn grouped(cells: BTreeMap<i32, Sums>, least: u64) -> Option<Vec<Sums>> {
    let told = |of: &Sums| [of.n, of.events, of.n - of.events].iter().all(|n| *n == 0 || *n >= least);
    let mut found: Vec<Sums> = Vec::new();
    let mut open = Sums::default();
    for sums in cells.into_values() {
        open.merge(&sums);
        if told(&open) && !implies_few(&open, least) {
            found.push(std::mem::take(&mut open));
        }
    }
    if open.n > 0 {
        if let Some(last) = found.pop() {
            open.merge(&last);
        }
        while !told(&open) {
            open.merge(&found.pop()?);
        }
        found.push(open);
    }
    for of in &mut found {
        let events = of.events as f64 / of.n as f64;
        let [p, pp, _, _, loss, _] = of.others;
        of.others = [p, pp, p * events, pp * events, loss, loss * events];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::{Field, Want};
    use super::*;
    use crate::counts::CountRequest;
    use crate::read::read;

    const LEAST: u64 = 10;

    /// Three wards of many rows, and five of 1 to 9 rows.
    fn tally() -> Tally {
        let request = CountRequest {
            table: "visits".into(),
            score: "risk".into(),
            outcome: "died".into(),
            by: vec!["ward".into()],
            ..CountRequest::default()
        };
        let mut tally = Tally::new(request).expect("a request");
        assert_eq!(tally.columns().last(), Some(&("ward", Want::Group)));
        let mut add = |p: f64, y: bool, ward: &str| {
            let fields = [Field::Number(p), Field::Number(f64::from(u8::from(y))), Field::Text(ward)];
            tally.add(&fields).expect("a row");
        };
        for i in 0..900_u32 {
            let p = f64::from(i * 37 % 900) / 900.0;
            add(p, i * 53 % 900 < i * 37 % 900, ["A", "B", "C"][(i % 3) as usize]);
        }
        for group in [1, 2, 4, 7, 9_u32] {
            (0..group).for_each(|i| add(0.11 + 0.07 * f64::from(i), (group + i) % 2 == 0, &format!("TINY{group}")));
        }
        // no score, of few and of enough rows
        for i in 0..17 {
            let ward = if i < 3 { "A" } else { "B" };
            tally.add(&[Field::Missing, Field::Number(1.0), Field::Text(ward)]).expect("a row");
        }
        tally
    }

    /// The rule of a table without totals, for these files: the next line is left out, too.
    fn small_and_next(lines: &[Vec<u64>], implied: Vec<bool>) -> Option<Vec<bool>> {
        let small = |line: &Vec<u64>| line.iter().any(|n| (1..LEAST).contains(n));
        Some((0..lines.len()).map(|k| implied[k] || small(&lines[k]) || k > 0 && small(&lines[k - 1])).collect())
    }

    #[test]
    fn no_line_is_of_few_rows_and_sums_are_kept() {
        let tally = tally();
        let (told, merged) = tally.merged(LEAST, small_and_next).expect("merged");
        assert_eq!(merged, Merged { groups: 5, rows: 23, dropped: 3 });
        for (line, sums) in &told.lines {
            let few = |n: u64| (1..LEAST).contains(&n);
            let counted = [sums.events, sums.n - sums.events].into_iter().filter(|_| matches!(line.end, End::Cell(_)));
            assert!(!few(sums.n) && !counted.into_iter().any(few), "{line:?} {sums:?}");
        }
        let csv = told.csv();
        assert!(!csv.contains("TINY") && csv.contains(WITHHELD) && csv.contains("&suppress=10"), "{csv}");
        // what is summed over a group is what it was
        let of = |tally: &Tally, ward: &str| {
            let place = tally.groups.get(&vec![Some(ward.to_owned())]).copied();
            let lines = tally.lines.iter().filter(|(line, _)| Some(line.groups) == place);
            let used = lines.filter(|(line, _)| matches!(line.end, End::Cell(_)));
            used.fold((0, 0, 0.0), |(n, y, p), (_, sums)| (n + sums.n, y + sums.events, p + sums.others[0]))
        };
        for ward in ["A", "B", "C"] {
            let (before, after) = (of(&tally, ward), of(&told, ward));
            assert_eq!((before.0, before.1), (after.0, after.1), "{ward}");
            assert!((before.2 - after.2).abs() < 1e-9, "{ward}");
        }
        // they open, and say what they are
        let file = read("counts.csv", csv.as_bytes(), &mut |_| ()).expect("counts");
        let counts = file.counts.expect("counts");
        assert!(counts.summary.contains("merged until each counts at least 10 rows"), "{}", counts.summary);
        // 14 of the 17 rows are told of
        let unused = "Rows not used: 14 no score; reasons of few rows are not stated.";
        assert!(counts.summary.contains(unused), "{}", counts.summary);
    }

    #[test]
    fn rare_events_are_merged_over_the_whole_range() {
        let cell =
            |n, events, p: f64| Sums { n, events, others: [p * n as f64, 0.0, p * events as f64, 0.0, 0.0, 0.0] };
        let merged = |cells: &[Sums]| {
            let cells = (0..).zip(cells.iter().copied()).collect();
            grouped(cells, LEAST).expect("enough").iter().map(|of| (of.n, of.events)).collect::<Vec<_>>()
        };
        // the first three imply 20 events, and have nine
        let cells = [cell(30, 0, 0.1), cell(30, 4, 0.2), cell(37, 5, 0.3), cell(30, 8, 0.4), cell(60, 0, 0.5)];
        assert_eq!(merged(&cells), [(127, 17), (60, 0)]);
        // what is left at the end implies few; three events of 70 rows may not be told
        assert_eq!(merged(&[cells.as_slice(), &[cell(10, 3, 0.6)]].concat()), [(197, 20)]);
        assert!(grouped(BTreeMap::from([(1, cell(30, 3, 0.1))]), LEAST).is_none());
    }

    /// As of counts that were merged before.
    #[test]
    fn a_group_that_is_named_as_what_is_withheld_keeps_its_rows() {
        let mut tally = tally();
        for i in 0..60 {
            let fields = [Field::Number(f64::from(i) / 60.0), Field::Number(f64::from(i % 2)), Field::Text(WITHHELD)];
            tally.add(&fields).expect("a row");
        }
        let (told, merged) = tally.merged(LEAST, small_and_next).expect("merged");
        assert_eq!((told.usable().0, merged.dropped), (tally.usable().0, 3));
        let (told, _) = tally.merged(1, |lines, _| Some(vec![false; lines.len()])).expect("merged");
        assert_eq!(told.usable().0, tally.usable().0);
    }

    #[test]
    fn where_nothing_may_be_told_it_is_said() {
        let error = tally().merged(LEAST, |_, _| None).expect_err("nothing");
        assert_eq!(error.code(), "too_few_rows");
    }
}
