//! Disclosure control: what every value that leaves was computed from, and whether it may.
//!
//! A value states its [`Basis`]: what it is, and of how many rows. Where nobody has stated it, the [gate](super::gate)
//! cannot judge it and withholds it. Which further lines of a table go, so that totals do not reveal those that are withheld, is the
//! rule of [`small_cells`](super::small_cells).

use serde::{Deserialize, Serialize};

use super::small_cells::{ColumnCounts, Overlaps, is_small, left_out, sets_left_out};
use crate::data::View;
use crate::metric::entry::Discloses;
use crate::metric::observed_expected::OBSERVED_EXPECTED;
use crate::metric::registry;
use crate::metric::reliability::ReliabilityBin;
use crate::plot::chart::Chart;
use crate::report::RunOutcome;
use crate::words::number::count;
use crate::words::text::{counted, enumerated};

/// What a value was computed from, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Basis {
    /// nobody has stated it: cannot be judged, and is withheld
    #[default]
    Unknown,
    /// no row is behind it: names, settings, definitions
    Setting,
    /// computed from all scored rows, of which there are enough with and without the outcome
    /// ([`enough`](super::small_cells::enough))
    AllRows,
    /// a number of rows
    Count(u64),
    /// computed from some rows, and their outcomes could be counted from it
    Share {
        /// those rows
        rows: u64,
        /// of them with the outcome
        events: u64,
    },
    /// a statistic of some rows, such as a largest error, from which nothing can be counted
    Statistic(u64),
    /// names rows
    Identifier,
    /// a statistic of one of several picked subgroups: what one leaves of all rows, or of another, counts, too
    Picked {
        /// all of them
        of: Overlaps,
        /// which of them
        place: usize,
    },
    /// of one of several sets of the same rows, such as those that each of some methods acts on: what an earlier one that is shown
    /// leaves of it counts, too
    Set {
        /// counts of every set
        of: Vec<Vec<u64>>,
        /// which of them
        place: usize,
    },
    /// of the values of a column at these places, one after the other: as so many parts of a table or chart. Each is shown or
    /// withheld in every table of the column
    Values {
        /// the rows of all values
        of: ColumnCounts,
        /// which of them
        places: Vec<usize>,
    },
    /// of the rows of several values of a column together: nothing that is withheld is left of it where the others are shown
    Union {
        /// the rows of all values
        of: ColumnCounts,
        /// which of them
        places: Vec<usize>,
    },
    /// of sums over bins of the score, of those that are overestimated and of those that are not: the sum over the bins that the
    /// diagram withholds remains of each
    Sides {
        /// rows, those with the outcome and those without, of every bin
        bins: Vec<Vec<u64>>,
        /// which bins are overestimated
        over: Vec<bool>,
    },
    /// enough rows, but what they leave of others that are shown is few
    Reveals,
    /// what was of few rows has been taken out already
    Thinned(Audit),
    /// computed from all of these
    All(Vec<Basis>),
    /// of a table, a list or a chart of rows, line by line; one more is that of the rows of which no line tells, so that
    /// totals do not reveal them
    Lines(Vec<Basis>),
    /// of a table, column by column behind the first, which names the lines
    Columns(Vec<Basis>),
    /// of a table, line by line and, behind the first, column by column
    Grid {
        /// of every line; one more is that of the rows of which no line tells
        lines: Vec<Basis>,
        /// of every column behind the first
        columns: Vec<Basis>,
    },
}

/// A value with what it was computed from.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated<T> {
    /// the value
    pub what: T,
    /// what it was computed from
    pub basis: Basis,
}

impl<T> Stated<T> {
    /// Both.
    pub fn new(what: T, basis: Basis) -> Self {
        Self { what, basis }
    }

    /// A value behind which is no row.
    pub fn setting(what: T) -> Self {
        Self::new(what, Basis::Setting)
    }

    /// A value of all scored rows.
    pub fn all_rows(what: T) -> Self {
        Self::new(what, Basis::AllRows)
    }
}

/// What was withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Audit {
    /// values in tables, lists and reports
    pub values: u64,
    /// of them those that would reveal others by their totals
    pub complementary: u64,
    /// sentences
    pub sentences: u64,
    /// figures
    pub figures: u64,
}

impl Audit {
    /// Both.
    pub fn add(&mut self, other: Self) {
        self.values += other.values;
        self.complementary += other.complementary;
        self.sentences += other.sentences;
        self.figures += other.figures;
    }

    /// "23 values, 2 figures and 1 sentence withheld (…); 4 of the values so that totals do not reveal others."
    pub fn words(&self, least: u64) -> String {
        let of = |n: u64, one: &str| (n > 0).then(|| counted(n as usize, one));
        let what = [of(self.values, "value"), of(self.figures, "figure"), of(self.sentences, "sentence")];
        let what: Vec<String> = what.into_iter().flatten().collect();
        if what.is_empty() {
            return format!(
                "Disclosure control: no value was computed from fewer than {least} rows; none is withheld."
            );
        }
        let what = enumerated(what);
        let totals = match self.complementary {
            0 => String::new(),
            n => format!("; {} of the values so that totals do not reveal others", count(n)),
        };
        format!(
            "Disclosure control: {} withheld, computed from fewer than {least} rows or from an unknown number{totals}.",
            what
        )
    }
}

/// Why a value may not leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    Shown,
    Withheld,
    Reveals,
}

impl Basis {
    /// Of a share or mean of rows, of which so many have the outcome.
    pub fn share(rows: usize, events: usize) -> Self {
        Self::Share { rows: rows as u64, events: events as u64 }
    }

    /// Of lines about parts of all rows that share none, each with its rows and those of them with the outcome, and of the
    /// rows of which no line tells. `all`: number of all rows, and of those with the outcome.
    pub fn of_parts(parts: impl Iterator<Item = (usize, usize)>, all: (usize, usize)) -> Self {
        let mut rest = all;
        let mut lines = Vec::new();
        for (rows, events) in parts {
            rest = (rest.0.saturating_sub(rows), rest.1.saturating_sub(events));
            lines.push(Self::share(rows, events));
        }
        if rest.0 > 0 {
            lines.push(Self::share(rest.0, rest.1));
        }
        Self::Lines(lines)
    }

    /// Of the value of a metric over all scored rows, by which of them it tells of. An unknown metric is not judged.
    pub fn of_metric(id: &str, view: View) -> Self {
        // a ratio of two sums over all rows, which no metric of the registry is
        if id == OBSERVED_EXPECTED {
            return Self::AllRows;
        }
        match registry::metric(id).map(|metric| metric.discloses) {
            Some(Discloses::All) => Self::AllRows,
            // by outcomes at one half, rows that are classified wrongly can be counted; by confidence it is a mean of targets
            Some(Discloses::Countable) if view == View::TopLabel => Self::AllRows,
            Some(Discloses::Countable | Discloses::Few | Discloses::Sides | Discloses::Unstated) | None => {
                Self::Unknown
            }
        }
    }

    /// Of the value of a metric of the methods of a run. Of the ECE the bins are known: it is released if, of those that the
    /// diagram withholds, the overestimated and the underestimated ones have enough rows together.
    pub fn of_metric_of(id: &str, run: &RunOutcome) -> Self {
        if registry::metric(id).map(|metric| metric.discloses) != Some(Discloses::Sides) {
            return Self::of_metric(id, run.report.data.view);
        }
        let sides = run.rows.iter().chain(&run.common).map(|rows| sides(&rows.bins));
        Self::all_of(std::iter::once(Self::AllRows).chain(sides))
    }

    /// Of a figure, sentence or cell that shows all of these: withheld where one of them is.
    pub fn all_of(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::All(parts.into_iter().collect())
    }

    /// Counts that can be read off it.
    fn counts(&self) -> Vec<u64> {
        match self {
            Self::Count(n) | Self::Statistic(n) => vec![*n],
            Self::Share { rows, events } => vec![*rows, *events, rows.saturating_sub(*events)],
            _ => Vec::new(),
        }
    }

    fn judged(&self, least: u64) -> Judged {
        match self {
            Self::Setting | Self::AllRows | Self::Thinned(_) => Judged::Shown,
            Self::Unknown | Self::Identifier => Judged::Withheld,
            Self::Reveals => Judged::Reveals,
            Self::Count(_) | Self::Share { .. } => match self.counts().iter().any(|n| is_small(*n, least)) {
                true => Judged::Withheld,
                false => Judged::Shown,
            },
            Self::Picked { of, place } => match (of.left_out(least).get(*place), of.rows(*place) < least) {
                (_, true) => Judged::Withheld,
                (Some(false), false) => Judged::Shown,
                _ => Judged::Reveals,
            },
            Self::Set { of, place } => match (sets_left_out(of, least).get(*place), of.get(*place)) {
                (Some(false), _) => Judged::Shown,
                (Some(true), Some(set)) if !set.iter().any(|count| is_small(*count, least)) => Judged::Reveals,
                _ => Judged::Withheld,
            },
            Self::Values { .. } => all_of(self.each(least)),
            Self::Union { of, places } => {
                let out = of.left_out(least);
                let inside = places.iter().filter(|place| out.get(**place) != Some(&false)).count();
                match inside == 0 || inside == out.iter().filter(|out| **out).count() && places.len() > 1 {
                    true => Judged::Shown,
                    false if places.iter().any(|place| of.is_small(*place, least)) => Judged::Withheld,
                    false => Judged::Reveals,
                }
            }
            Self::Sides { bins, over } => {
                let out = left_out(bins, least).unwrap_or_else(|| vec![true; bins.len()]);
                let withheld = || bins.iter().zip(over).zip(&out).filter(|(_, out)| **out).map(|(bin, _)| bin);
                let rows = |side: bool| {
                    let bins = withheld().filter(|(_, over)| **over == side);
                    bins.filter_map(|(bin, _)| bin.first()).sum::<u64>()
                };
                match [true, false].into_iter().any(|side| is_small(rows(side), least)) {
                    true => Judged::Withheld,
                    false => Judged::Shown,
                }
            }
            // of no row there is no statistic: nobody has counted
            Self::Statistic(n) if *n < least => Judged::Withheld,
            Self::Statistic(_) => Judged::Shown,
            Self::All(parts) | Self::Lines(parts) | Self::Columns(parts) => {
                all_of(parts.iter().map(|part| part.judged(least)))
            }
            Self::Grid { lines, columns } => match lines.iter().chain(columns).all(|part| part.may_leave(least)) {
                true => Judged::Shown,
                false => Judged::Withheld,
            },
        }
    }

    /// One judgment a part of a table, a list or a chart: one of each value of a column, else one.
    pub(super) fn each(&self, least: u64) -> Vec<Judged> {
        let Self::Values { of, places } = self else { return vec![self.judged(least)] };
        let out = of.left_out(least);
        let judged = |place: &usize| match out.get(*place) {
            Some(false) => Judged::Shown,
            Some(true) if !of.is_small(*place, least) => Judged::Reveals,
            _ => Judged::Withheld,
        };
        places.iter().map(judged).collect()
    }

    /// Of how many parts of a table, a list or a chart these tell.
    pub(super) fn parts(bases: &[Self]) -> usize {
        let parts = |basis: &Self| match basis {
            Self::Values { places, .. } => places.len(),
            _ => 1,
        };
        bases.iter().map(parts).sum()
    }

    /// Whether what shows all of it may leave.
    pub fn may_leave(&self, least: u64) -> bool {
        self.judged(least) == Judged::Shown
    }

    /// A chart of rows without those that may not leave, judged as the lines of a table are, and what was withheld of it; none
    /// where that is all of it or cannot be judged row by row. Of `parts` beyond its rows none is drawn.
    pub fn thinned(&self, chart: &Chart, least: u64) -> Option<(Chart, Audit)> {
        let Self::Lines(parts) = self else { return None };
        let rows = chart.rows().filter(|rows| *rows <= Self::parts(parts))?;
        let judged = judged_parts(parts, least)?;
        let out: Vec<bool> = judged.iter().take(rows).map(|judged| *judged != Judged::Shown).collect();
        let reveals = judged.iter().take(rows).filter(|judged| **judged == Judged::Reveals).count() as u64;
        let withheld = out.iter().filter(|out| **out).count() as u64;
        if withheld == rows as u64 {
            return None;
        }
        let said = if withheld == 0 { String::new() } else { format!(" ({} withheld)", counted(withheld, "row")) };
        let chart = if withheld == 0 { chart.clone() } else { chart.without_rows(&out, &said) };
        Some((chart, Audit { values: withheld, complementary: reveals, ..Audit::default() }))
    }
}

/// Of what shows all of these; withheld where it shows nothing.
fn all_of(judged: impl IntoIterator<Item = Judged>) -> Judged {
    judged.into_iter().reduce(|a, b| if a == Judged::Shown { b } else { a }).unwrap_or(Judged::Withheld)
}

/// Of what is summed over bins by the sign of their error.
pub(crate) fn sides(bins: &[ReliabilityBin]) -> Basis {
    let line = |bin: &ReliabilityBin| vec![bin.n as u64, bin.events as u64, bin.n.saturating_sub(bin.events) as u64];
    Basis::Sides { bins: bins.iter().map(line).collect(), over: bins.iter().map(|bin| bin.gap > 0.0).collect() }
}

/// One judgment a part; none where its totals would reveal what is withheld.
pub(super) fn judged_parts(parts: &[Basis], least: u64) -> Option<Vec<Judged>> {
    let (mut judged, mut places, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        // those that add up to totals
        if matches!(part, Basis::Count(_) | Basis::Share { .. }) {
            places.push(judged.len());
            lines.push(part.counts());
        }
        judged.extend(part.each(least));
    }
    for (place, out) in places.into_iter().zip(left_out(&lines, least)?) {
        if let Some(judged) = judged.get_mut(place).filter(|judged| out && **judged == Judged::Shown) {
            *judged = Judged::Reveals;
        }
    }
    Some(judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_few_rows_are_withheld() {
        let bin = |n: usize, gap: f64| ReliabilityBin {
            bin: 0,
            low: 0.0,
            high: 1.0,
            n,
            events: n / 2,
            weight: n as f64,
            effective: n as f64,
            mean_score: 0.5 + gap,
            mean_target: 0.5,
            gap,
            target_low: 0.0,
            target_high: 1.0,
        };
        let shown = |bins: &[ReliabilityBin]| sides(bins).may_leave(10);
        // 4 rows alone are overestimated: ECE and mean error give the sum of their errors
        assert!(!shown(&[bin(4996, -0.003), bin(4, 0.14)]));
        // the diagram withholds the first to protect them, and it is overestimated, too, or is not
        assert!(shown(&[bin(996, 0.01), bin(4000, -0.003), bin(4, 0.14)]));
        assert!(!shown(&[bin(996, -0.01), bin(4000, 0.003), bin(4, 0.14)]));
        assert!(shown(&[bin(4996, 0.003), bin(30, -0.14)]) && shown(&[bin(4996, 0.003), bin(0, 0.0)]));
    }

    #[test]
    fn a_value_is_withheld_in_every_table_alike() {
        let of = ColumnCounts::of_counts(&[[100, 40], [7, 3], [90, 30], [80, 20], [0, 0]]);
        // the second value is small, the third protects it
        let values = |places: &[usize]| Basis::Values { of: of.clone(), places: places.to_vec() };
        let union = |places: &[usize]| Basis::Union { of: of.clone(), places: places.to_vec() };
        let judged = |places: &[usize]| judged_parts(&[values(places)], 10);
        use Judged::{Reveals, Shown, Withheld};
        assert_eq!(judged(&[0, 1, 2, 3]), Some(vec![Shown, Withheld, Reveals, Shown]));
        assert_eq!(judged(&[3, 2, 1, 0]), Some(vec![Shown, Reveals, Withheld, Shown]));
        assert!(values(&[0]).may_leave(10) && !values(&[2]).may_leave(10) && !values(&[]).may_leave(10));
        // what the third and a shown one have together would tell the third
        assert!(union(&[0, 3]).may_leave(10) && !union(&[2]).may_leave(10) && !union(&[0, 2]).may_leave(10));
        assert!(union(&[1, 2]).may_leave(10) && union(&[0, 1, 2]).may_leave(10));
    }

    #[test]
    fn extremes_are_of_few_rows() {
        let of = |id: &str| Basis::of_metric(id, View::Positive);
        // sums over cells, and counts of rows
        for id in ["piece", "piece_code", "reward_2", "reward_5", "reward_10"] {
            assert_eq!(of(id), Basis::Unknown, "{id}");
        }
        for id in ["nll", "brier", "auroc", "slope", "ici", "mean_lce", "observed_expected"] {
            assert_eq!(of(id), Basis::AllRows, "{id}");
        }
        for id in
            ["mce", "emax", "mlce", "group_mce_max", "accuracy", "ece", "ece_rms", "ece_unweighted", "no such metric"]
        {
            assert_eq!(of(id), Basis::Unknown, "{id}");
        }
        let extreme = |metric: &&crate::metric::Metric| {
            let words = format!("{} {} {}", metric.name, metric.plain, metric.definition).to_lowercase();
            ["largest", "maximum", "worst"].iter().any(|word| words.contains(word))
        };
        for metric in registry::all().filter(extreme) {
            // the largest sum of rows, or one over pairs of all
            let of_all = ["ks", "mmce", "mmce_w"].contains(&metric.id);
            assert!(of_all || of(metric.id) == Basis::Unknown, "{}: {}", metric.id, metric.definition);
        }
        let of_parts = |metric: &&crate::metric::Metric| {
            let words = format!("{} {}", metric.plain, metric.definition).to_lowercase();
            [" bins", " groups"].iter().any(|word| words.contains(word))
        };
        for metric in registry::all().filter(of_parts) {
            assert_eq!(of(metric.id), Basis::Unknown, "{}: {}", metric.id, metric.definition);
        }
    }
}
