//! Calibration over time: predicted and observed in moving windows of dated rows, with simultaneous intervals, and a test of
//! whether the relation between score and outcome changes.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use self::overall_fit::{OverallFit, Row};
use self::redraws::Redraws;
use crate::data::{ClusterIds, PresentClusters};
use crate::metric::gap::Gap;
use crate::num::special::NORMAL_975;
use crate::num::weight::Sampling;
use crate::table::Column;

mod overall_fit;
mod redraws;

/// Rows in the order of time, with the calibration fitted to all of them. Of counts, each entry is a number of rows of one
/// date, score and outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InTime {
    /// days since 1970-01-01, rising
    pub day: Column<f64>,
    /// s
    pub score: Column<f64>,
    /// t
    pub target: Column<u8>,
    /// w > 0; empty where every row counts once
    pub weight: Column<f64>,
    /// whether each weight is a number of rows
    #[serde(default)]
    pub counted: bool,
    /// clusters of the rows
    #[serde(default)]
    clusters: ClusterIds,
    /// none where there are no windows to compare
    fit: Option<OverallFit>,
    /// approximate number of rows of a window
    window: usize,
    /// of the draws
    seed: u64,
}

/// Simulated Σ w (t − p̂) of every window, draw by draw.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DrawnWindows {
    /// with p̂ as it is
    residual: Column<f64>,
    /// with p̂ fitted to the simulated outcomes, by one step of Fisher scoring
    refitted: Column<f64>,
}

/// A window of consecutive rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// its entries, in the order of time
    pub entries: Range<usize>,
    /// number of its rows
    pub rows: u64,
    /// mean day
    pub day: f64,
    /// mean score
    pub predicted: f64,
    /// proportion of events
    pub observed: f64,
    /// ends of the 95% interval of mean score − share, simultaneous over all windows
    pub interval: [f64; 2],
    /// mean p̂ − proportion of events: error beyond that of all rows
    pub beyond: f64,
    /// standard error of `beyond`
    pub beyond_error: f64,
}

/// All windows, and the test of whether they differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// by time
    pub windows: Vec<Window>,
    /// critical value of the simultaneous 95% intervals, in standard errors; at least 1.96
    pub band: f64,
    /// index of the window with the largest |`beyond`| in standard errors
    pub furthest: usize,
    /// p-value of that deviation, adjusted for all windows
    pub p: f64,
    /// critical value of the test at 0.05, in standard errors
    pub needed: f64,
    /// ends of the 95% interval of expected minus observed proportion of events in that window, expected from rows with equal
    /// scores at the other dates; simultaneous over all windows, so that it allows for the choice of the window. It excludes 0
    /// exactly where the deviation exceeds `needed`
    pub change: [f64; 2],
    /// number of simulations
    pub draws: usize,
}

/// Most blocks of about equally many rows from which windows are put together.
const MOST_BLOCKS: u64 = 2_000;
/// Draws: this many, fewer where there are many rows, never less than [`LEAST_DRAWS`].
const MOST_DRAWS: usize = 999;
const LEAST_DRAWS: usize = 199;
/// Rows times draws.
const MOST_WORK: usize = 200_000_000;
/// Rows of the rarer outcome that a window should have.
const RARER: f64 = 25.0;
/// Windows begin so many times within the length of one.
const STEPS: usize = 12;

/// Default number of rows of a window: an eighth of `n`, more where few have the rarer outcome, a third at most.
///
/// * `share`: proportion of events
pub fn usual_window(n: usize, share: f64) -> usize {
    let rarer = share.min(1.0 - share).max(1e-9);
    ((RARER / rarer) as usize).max(n / 8).max(20).min(n / 3).max(1)
}

/// Draws of the outcomes of `n` rows.
pub fn draws(n: usize) -> usize {
    (MOST_WORK / n.max(1)).clamp(LEAST_DRAWS, MOST_DRAWS)
}

/// How rows are put into windows: blocks of about equally many rows, a number of which make a window. No block parts the
/// rows of a date, whose order in the file says nothing about time.
struct Blocks {
    /// first entry of each block, and where the last one ends; a block within a longer date is empty
    bounds: Vec<usize>,
    per_window: usize,
    /// windows that differ: first block, and number of rows
    windows: Vec<(usize, u64)>,
}

impl Blocks {
    fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    fn entries(&self, k: usize) -> Range<usize> {
        self.bounds[k]..self.bounds[k + 1]
    }

    /// Lines of a window, by its first block.
    fn of(&self, start: usize) -> Range<usize> {
        self.bounds[start]..self.bounds[start + self.per_window]
    }

    /// A sum over the blocks of a window.
    fn over(&self, sums: &[Sums], of: impl Fn(&Sums) -> f64, start: usize) -> f64 {
        sums[start..start + self.per_window].iter().map(of).sum()
    }
}

/// Windows of about `window` rows along time, of n/166 at least: more than 2,000 say nothing more. They consist of whole dates,
/// and are half as long at least: fewer rows would only raise what all windows must exceed.
///
/// p̂, a smooth function of the score, is fitted to all rows, so that an error which is the same at all times is no drift, and
/// neither is a change in the distribution of scores. Statistic: the largest |Σ w (t − p̂)| of a window in
/// standard errors. Null: outcomes drawn from p̂ and the fit done again, by one step of Fisher scoring; p counts the
/// observed one among the draws. A draw depends on the seed and its number alone. The n rows of a counted entry have
/// Binomial(n, p̂) events.
///
/// The interval of a window is that of its mean error ([`Gap::within`]) at c, the 95% quantile of the largest
/// |Σ w (t − p̂)| of a window in standard errors, without the refit: with few events that of Clopper and Pearson with a
/// probability of P(Z > c) on either side. Large deviations of few events are mostly upward, and make c larger than that of
/// normal shares, so that exact intervals at c hold all windows in more than 19 of 20 cases.
impl InTime {
    /// Rows with their days, in the order of time; they have windows where there are two windows' rows and more, on more
    /// than one day, and both outcomes occur.
    ///
    /// * `weight`: none, or w > 0 of each, and whether it is a number of rows
    pub fn new(
        day: Vec<f64>,
        score: Vec<f64>,
        target: Vec<u8>,
        (weight, counted): (Option<Vec<f64>>, bool),
        (window, seed): (usize, u64),
    ) -> Self {
        let moving = day.first() != day.last();
        let fit = moving.then(|| OverallFit::of(&score, &target, (weight.as_deref(), counted))).flatten();
        let weight = weight.map(Column::from).unwrap_or_default();
        let (day, score, target, clusters) = (day.into(), score.into(), target.into(), ClusterIds::default());
        let mut rows = Self { day, score, target, weight, counted, clusters, fit, window, seed };
        let n = rows.count(0..rows.day.len());
        rows.window = window.clamp(2, usize::try_from(n).unwrap_or(usize::MAX).max(2));
        // one window says nothing of time: nearly all rows may be of one date
        if n < 2 * rows.window as u64 || rows.fit.is_some() && rows.blocks().windows.len() < 2 {
            rows.fit = None;
        }
        rows
    }

    /// The same rows in clusters: outcomes are drawn with their correlation beyond p̂.
    pub fn with_clusters(self, clusters: ClusterIds) -> Self {
        Self { clusters, ..self }
    }

    fn w(&self, i: usize) -> f64 {
        self.weight.get(i).copied().unwrap_or(1.0)
    }

    /// Number of rows of some entries. O(entries) of counts.
    pub fn count(&self, entries: Range<usize>) -> u64 {
        if self.counted { self.weight[entries].iter().sum::<f64>().round() as u64 } else { entries.len() as u64 }
    }

    /// A window holds a whole number of blocks, each of which ends where a date does, as near as can be to equal numbers of rows.
    /// O(entries).
    fn blocks(&self) -> Blocks {
        let per_window = STEPS.min(self.window);
        // entries at which a date begins, and how many rows are before it
        let mut dates: Vec<(usize, u64)> = Vec::new();
        let mut n = 0;
        for i in 0..self.day.len() {
            if i == 0 || self.day[i] != self.day[i - 1] {
                dates.push((i, n));
            }
            n += self.count(i..i + 1);
        }
        dates.push((self.day.len(), n));
        // n ≤ 2⁵³: no product below is too large
        let count = (n * per_window as u64 / self.window.max(1) as u64).clamp(2 * per_window as u64, MOST_BLOCKS);
        let nearest = |rows: u64| {
            let after = dates.partition_point(|date| date.1 < rows).min(dates.len() - 1);
            let before = after.saturating_sub(1);
            if rows.abs_diff(dates[before].1) <= rows.abs_diff(dates[after].1) { before } else { after }
        };
        let at: Vec<usize> = (0..=count).map(|k| nearest(k * n / count)).collect();
        let least = n * per_window as u64 / count / 2;
        let mut windows: Vec<(usize, u64)> = Vec::new();
        let mut last = (0, 0);
        for start in 0..=at.len() - 1 - per_window {
            let ends = (at[start], at[start + per_window]);
            let rows = dates[ends.1].1 - dates[ends.0].1;
            if ends != last && rows >= least.max(1) {
                windows.push((start, rows));
                last = ends;
            }
        }
        Blocks { bounds: at.into_iter().map(|date| dates[date].0).collect(), per_window, windows }
    }

    /// The mean error of some entries; `error`: its standard error where rows are clustered.
    fn gap(&self, entries: Range<usize>, error: f64) -> Gap {
        let clusters = self.clusters.present_in(entries.clone());
        let sampling = Sampling { clusters: clusters.as_ref().map(PresentClusters::rows), counted: self.counted };
        let weight = (!self.weight.is_empty()).then(|| &self.weight[entries.clone()]);
        let gap = Gap::of_rows(&self.score[entries.clone()], &self.target[entries], weight, sampling);
        if sampling.clusters.is_some() { gap.with_cluster_error(error) } else { gap }
    }

    fn sums(&self, fit: &OverallFit, x: &[Row], blocks: &Blocks) -> Vec<Sums> {
        (0..blocks.count()).map(|k| Sums::of(self, (fit, x), blocks.entries(k))).collect()
    }

    /// A range of the [`draws`]; empty where there are no windows.
    ///
    /// # Cost
    /// O(n) draws of a bit each, O(events) sums, and the windows.
    pub fn drawn(&self, range: Range<usize>) -> DrawnWindows {
        let Some(fit) = &self.fit else { return DrawnWindows::default() };
        let (blocks, x) = (self.blocks(), fit.rows(&self.score));
        let sums = self.sums(fit, &x, &blocks);
        let clusters = self.clusters.present();
        let mut redraws = Redraws::new(self, fit, clusters.as_ref());
        // Σ w p̂ x
        let mut expected = Row::default();
        (0..x.len()).for_each(|i| add(&mut expected, self.w(i) * fit.p[i], &x[i]));
        let mut found = DrawnWindows::default();
        for draw in range {
            redraws.draw(draw);
            // simulated residuals by block, before and after the fit is done again
            let mut residual = vec![0.0; blocks.count()];
            let mut score = expected.map(|sum| -sum);
            for (k, residual) in residual.iter_mut().enumerate() {
                *residual = -sums[k].expected;
                redraws.each_event(blocks.entries(k), |i, w| {
                    *residual += w;
                    add(&mut score, w, &x[i]);
                });
            }
            let step = fit.solved(&score);
            for &(start, _) in &blocks.windows {
                let raw: f64 = residual[start..start + blocks.per_window].iter().sum();
                let fitted = |s: &Sums| s.slope.iter().zip(&step).map(|(slope, step)| slope * step).sum();
                let fitted = blocks.over(&sums, fitted, start);
                found.residual.push(raw);
                found.refitted.push(raw - fitted);
            }
        }
        found
    }

    /// The windows, from every draw, in order; `None` where there are no windows.
    ///
    /// # Cost
    /// O(n + draws · n / window).
    pub fn drift(&self, drawn: &[&DrawnWindows]) -> Option<Drift> {
        let fit = self.fit.as_ref()?;
        let blocks = self.blocks();
        let sums = self.sums(fit, &fit.rows(&self.score), &blocks);
        let count = blocks.windows.len();
        let residual: Vec<f64> = drawn.iter().flat_map(|part| part.residual.iter().copied()).collect();
        let refitted: Vec<f64> = drawn.iter().flat_map(|part| part.refitted.iter().copied()).collect();
        let draws = residual.len().checked_div(count).filter(|draws| *draws > 0)?;
        let deviation = |of: &[f64], k: usize| {
            let squares: f64 = (0..draws).map(|draw| of[draw * count + k].powi(2)).sum();
            (squares / draws as f64).sqrt()
        };
        let largest = |of: &[f64], errors: &[f64]| -> Vec<f64> {
            let one = |draw: usize| {
                let each =
                    (0..count).map(|k| if errors[k] > 0.0 { (of[draw * count + k] / errors[k]).abs() } else { 0.0 });
                each.fold(0.0, f64::max)
            };
            let mut all: Vec<f64> = (0..draws).map(one).collect();
            all.sort_unstable_by(f64::total_cmp);
            all
        };
        let (errors, beyond_errors): (Vec<f64>, Vec<f64>) =
            (0..count).map(|k| (deviation(&residual, k), deviation(&refitted, k))).unzip();
        let (of_band, of_test) = (largest(&residual, &errors), largest(&refitted, &beyond_errors));
        let at_95 = |sorted: &[f64]| sorted.get((0.95 * draws as f64).ceil() as usize - 1).copied().unwrap_or(f64::NAN);
        let band = at_95(&of_band).max(NORMAL_975);
        let windows: Vec<Window> = (blocks.windows.iter().enumerate())
            .map(|(k, &(start, rows))| {
                let mass = blocks.over(&sums, |s| s.mass, start);
                let gap = self.gap(blocks.of(start), errors[k] / mass);
                Window {
                    entries: blocks.of(start),
                    rows,
                    day: blocks.over(&sums, |s| s.day, start) / mass,
                    predicted: gap.score,
                    observed: gap.observed,
                    interval: gap.within(band),
                    beyond: blocks.over(&sums, |s| s.expected, start) / mass - gap.observed,
                    beyond_error: beyond_errors[k] / mass,
                }
            })
            .collect();
        let away = |one: &Window| if one.beyond_error > 0.0 { (one.beyond / one.beyond_error).abs() } else { 0.0 };
        let furthest = (0..windows.len()).max_by(|&a, &b| away(&windows[a]).total_cmp(&away(&windows[b])))?;
        let seen = away(&windows[furthest]);
        let as_large = of_test.len() - of_test.partition_point(|drawn| *drawn < seen);
        let (needed, worst) = (at_95(&of_test), &windows[furthest]);
        let from_others = against_others(fit, &blocks, &sums, blocks.windows[furthest].0);
        // the expected value is a proportion, between 0 and 1
        let possible = |end: f64| end.max(-worst.observed).min(1.0 - worst.observed);
        let change = [-needed, needed].map(|c| possible(from_others * (worst.beyond + c * worst.beyond_error)));
        Some(Drift { band, needed, change, p: (1 + as_large) as f64 / (1 + draws) as f64, furthest, windows, draws })
    }
}

/// sums + w x.
#[inline]
fn add(sums: &mut Row, w: f64, x: &Row) {
    sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += w * x);
}

/// How many times the deviation of a window from the fit to all dates, which include it, is its deviation from the other dates:
/// v / (v − aᵀ I⁻¹ a), v = Σ w p̂ (1 − p̂) and a = Σ w p̂ (1 − p̂) x over the window, I the information of all rows. For a shift of
/// the log-odds in the window alone, E Σ w (t − p̂) is the shift times v − aᵀ I⁻¹ a (one step of Fisher scoring). O(blocks).
fn against_others(fit: &OverallFit, blocks: &Blocks, sums: &[Sums], start: usize) -> f64 {
    let mut slope = Row::default();
    sums[start..start + blocks.per_window].iter().for_each(|s| add(&mut slope, 1.0, &s.slope));
    // the first column is 1
    let whole = slope[0];
    let rest = whole - slope.iter().zip(fit.solved(&slope)).map(|(a, solved)| a * solved).sum::<f64>();
    let times = whole / rest;
    // where the window holds all that is known of a column, nothing is left to compare it with
    if times.is_finite() && times >= 1.0 { times } else { 1.0 }
}

/// Sums of a block.
struct Sums {
    mass: f64,
    day: f64,
    /// Σ w p̂
    expected: f64,
    /// Σ w p̂ (1 − p̂) x
    slope: Row,
}

impl Sums {
    fn of(rows: &InTime, (fit, x): (&OverallFit, &[Row]), range: Range<usize>) -> Self {
        let mut sums = Sums { mass: 0.0, day: 0.0, expected: 0.0, slope: Row::default() };
        for i in range {
            let (w, p) = (rows.w(i), fit.p[i]);
            sums.mass += w;
            sums.day += w * rows.day[i];
            sums.expected += w * p;
            add(&mut sums.slope, w * p * (1.0 - p), &x[i]);
        }
        sums
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::num::rng::Lanes;
    use crate::num::special::{PROB_CLIP, logit, sigmoid};

    /// Rows of `n` days whose outcomes follow `truth(score, place in time)`.
    fn made(n: usize, seed: u64, truth: impl Fn(f64, f64) -> f64) -> (Vec<f64>, Vec<f64>, Vec<u8>) {
        let mut lanes = Lanes::seeded(seed, 7);
        let mut numbers = std::iter::repeat_with(|| lanes.uniform()).flatten();
        let mut rows = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..n {
            let score = 0.05 + 0.9 * numbers.next().unwrap();
            let t = numbers.next().unwrap() < truth(score, i as f64 / n as f64);
            rows.0.push(i as f64);
            rows.1.push(score);
            rows.2.push(u8::from(t));
        }
        rows
    }

    fn drift(rows: &InTime) -> Option<Drift> {
        rows.drift(&[&rows.drawn(0..draws(rows.day.len()))])
    }

    fn of(n: usize, seed: u64, truth: impl Fn(f64, f64) -> f64) -> Drift {
        let (day, score, target) = made(n, seed, truth);
        drift(&InTime::new(day, score, target, (None, false), (n / 8, seed))).unwrap()
    }

    #[test]
    fn an_error_that_is_the_same_at_all_times_is_no_drift() {
        // the same wrong scores: too high by a level and a slope
        let wrong = |s: f64, _: f64| sigmoid(-0.7 + 0.6 * logit(s, PROB_CLIP));
        let said = (0..200).filter(|&seed| of(600, seed, wrong).p <= 0.05).count();
        // 5 % of 200, and three standard errors
        assert!(said <= 10 + 9, "{said}");
        let few = of(600, 3, wrong);
        assert!(few.windows.len() > 20 && few.windows[0].predicted > few.windows[0].observed);
    }

    #[test]
    fn a_step_is_seen_where_it_is() {
        let step = |s: f64, at: f64| if at > 0.8 { (s + 0.2).min(0.98) } else { s };
        let seen = of(2_000, 1, step);
        assert!(seen.p < 0.01, "{}", seen.p);
        let worst = &seen.windows[seen.furthest];
        assert!(worst.entries.end > 1_700 && worst.beyond < -0.08, "{worst:?}");
        // shares and means are those of its rows
        let (_, score, target) = made(2_000, 1, step);
        let mean = score[worst.entries.clone()].iter().sum::<f64>() / worst.rows as f64;
        let share = target[worst.entries.clone()].iter().map(|t| f64::from(*t)).sum::<f64>() / worst.rows as f64;
        assert!((worst.predicted - mean).abs() < 1e-12 && (worst.observed - share).abs() < 1e-12);
    }

    /// 60 files with a step that never ended and 60 with a slow drift: the most extreme window overstates the change, by about 40%;
    /// its simultaneous interval, against the other dates, holds it.
    #[test]
    fn the_interval_of_the_most_extreme_window_holds_the_change() {
        let shifted = |s: f64, by: f64| sigmoid(logit(s, PROB_CLIP) + by);
        let step = |at: f64| if at > 0.6 { 0.6 } else { 0.0 };
        let slow = |at: f64| 0.9 * (at - 0.5);
        for (name, by) in [("step", &step as &dyn Fn(f64) -> f64), ("slow", &slow)] {
            let (mut claimed, mut held, mut seen, mut true_size) = (0, 0, 0.0, 0.0);
            for seed in 0..60 {
                let n = 1_600;
                let (day, score, target) = made(n, 400 + seed, |s, at| shifted(s, by(at)));
                let rows = InTime::new(day, score.clone(), target, (None, false), (200, seed));
                let found = rows.drift(&[&rows.drawn(0..299)]).unwrap();
                let worst = &found.windows[found.furthest];
                let [low, high] = found.change;
                assert_eq!((worst.beyond / worst.beyond_error).abs() > found.needed, low > 0.0 || high < 0.0);
                if low <= 0.0 && high >= 0.0 {
                    continue;
                }
                let at = |i: usize| i as f64 / n as f64;
                let others: Vec<usize> = (0..n).filter(|i| !worst.entries.contains(i)).step_by(7).collect();
                let expected =
                    |s: f64| others.iter().map(|&i| shifted(s, by(at(i)))).sum::<f64>() / others.len() as f64;
                let gaps = worst.entries.clone().map(|i| expected(score[i]) - shifted(score[i], by(at(i))));
                let truth = gaps.sum::<f64>() / worst.entries.len() as f64;
                claimed += 1;
                held += usize::from(low <= truth && truth <= high);
                seen += worst.beyond.abs();
                true_size += truth * worst.beyond.signum();
            }
            println!("{name}: {claimed} claimed, interval holds {held}, stated/true {}", seen / true_size);
            assert!(claimed >= 20 && seen > 1.1 * true_size, "{name}: {claimed} {seen} {true_size}");
            // 5% of 60, and three standard errors
            assert!(held + 3 + 5 >= claimed, "{name}: {held} of {claimed}");
        }
    }

    /// By hand: with the same score everywhere, the deviation from the other dates is that from all, times n / (n − rows).
    #[test]
    fn the_change_is_against_the_other_dates() {
        let n = 800;
        let target: Vec<u8> = (0..n).map(|i| u8::from(if i < 100 { i % 2 == 0 } else { i % 10 < 3 })).collect();
        let day = (0..n).map(|i| i as f64).collect();
        let rows = InTime::new(day, vec![0.3; n], target.clone(), (None, false), (100, 1));
        let found = drift(&rows).unwrap();
        let worst = &found.windows[found.furthest];
        assert_eq!(worst.entries, 0..100);
        let rate = |range: Range<usize>| range.clone().map(|i| f64::from(target[i])).sum::<f64>() / range.len() as f64;
        let middle = 0.5 * (found.change[0] + found.change[1]);
        assert!((middle - (rate(100..800) - rate(0..100))).abs() < 1e-3, "{middle}");
        assert!((worst.beyond - (rate(0..800) - rate(0..100))).abs() < 1e-3, "{worst:?}");
    }

    #[test]
    fn windows_are_as_long_as_was_asked() {
        let (day, score, target) = made(3_000, 2, |s, _| s);
        for (window, least, most) in [(2, 2, 4), (30, 29, 31), (100, 98, 102), (375, 374, 376), (1_000, 999, 1_001)] {
            let rows = InTime::new(day.clone(), score.clone(), target.clone(), (None, false), (window, 1));
            let found = drift(&rows).unwrap();
            let length = |one: &Window| (least..=most).contains(&one.rows);
            assert!(found.windows.iter().all(length), "{window}: {:?}", found.windows[0].rows);
        }
    }

    #[test]
    fn weights_of_one_change_nothing_and_too_few_rows_say_nothing() {
        let (day, score, target) = made(400, 5, |s, _| s);
        let rows = |target: &[u8], weight: Option<Vec<f64>>, window: usize| {
            InTime::new(day.clone(), score.clone(), target.to_vec(), (weight, false), (window, 1))
        };
        let (a, b) = (rows(&target, None, 50), rows(&target, Some(vec![1.0; 400]), 50));
        let (a, b) = (drift(&a).unwrap(), drift(&b).unwrap());
        assert_eq!(a.p, b.p);
        assert!((a.band - b.band).abs() < 1e-9);
        assert!(drift(&rows(&target, None, 201)).is_none());
        assert!(drift(&rows(&[0; 400], None, 50)).is_none());
    }

    /// Outcomes in the order of the file within each date: as they come, and the events first.
    fn by_month(n: usize, seed: u64, sorted: bool) -> InTime {
        let (day, score, target) = made(n, seed, |s, _| s);
        let month = |day: f64| (day * 12.0 / n as f64).floor();
        let mut order: Vec<usize> = (0..n).collect();
        if sorted {
            order.sort_by(|&a, &b| month(day[a]).total_cmp(&month(day[b])).then(target[b].cmp(&target[a])));
        }
        let of = |values: &[f64]| order.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        let days = of(&day).into_iter().map(month).collect();
        InTime::new(days, of(&score), order.iter().map(|&i| target[i]).collect(), (None, false), (n / 8, 1))
    }

    #[test]
    fn the_order_of_rows_within_a_date_is_no_drift() {
        let (as_they_come, sorted) =
            (drift(&by_month(1_200, 1, false)).unwrap(), drift(&by_month(1_200, 1, true)).unwrap());
        assert!(sorted.p > 0.05, "{}", sorted.p);
        assert_eq!(as_they_come.windows.len(), sorted.windows.len());
        for (a, b) in as_they_come.windows.iter().zip(&sorted.windows) {
            assert_eq!(a.entries, b.entries);
            assert!(a.rows == 100 || a.rows == 200, "whole months: {a:?}");
            assert!((a.observed - b.observed).abs() < 1e-12 && (a.beyond - b.beyond).abs() < 1e-9, "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_date_of_many_rows_and_one_of_few() {
        // 90 of 100 rows on one date; a window holds whole dates, and at least half of what was asked for
        let (_, score, target) = made(1_000, 4, |s, _| s);
        let day: Vec<f64> = (0..1_000).map(|i| if i < 900 { 0.0 } else { (i / 2) as f64 }).collect();
        let found = drift(&InTime::new(day.clone(), score, target, (None, false), (50, 1))).unwrap();
        assert!(found.windows.iter().all(|one| one.rows >= 25), "{:?}", found.windows);
        assert!(found.windows.iter().any(|one| one.entries == (0..900)), "{:?}", found.windows);
        for one in &found.windows {
            let begins = |i: usize| i == 0 || i == 1_000 || day[i] != day[i - 1];
            assert!(begins(one.entries.start) && begins(one.entries.end), "{one:?}");
        }
    }

    #[test]
    fn numbers_of_rows_are_the_rows() {
        let rows = by_month(1_200, 6, false);
        let rounded = |s: f64| (s * 20.0).round() / 20.0;
        let score: Vec<f64> = rows.score.iter().copied().map(rounded).collect();
        let mut counts = std::collections::BTreeMap::<(u64, u64, u8), f64>::new();
        for (i, score) in score.iter().enumerate() {
            *counts.entry((rows.day[i] as u64, (score * 20.0).round() as u64, rows.target[i])).or_default() += 1.0;
        }
        let of = |of: &dyn Fn(&(u64, u64, u8)) -> f64| counts.keys().map(of).collect::<Vec<f64>>();
        let counted = InTime::new(
            of(&|key| key.0 as f64),
            of(&|key| key.1 as f64 / 20.0),
            counts.keys().map(|key| key.2).collect(),
            (Some(counts.values().copied().collect()), true),
            (150, 1),
        );
        let rows = InTime::new(rows.day.to_vec(), score, rows.target.to_vec(), (None, false), (150, 1));
        let (a, b) = (drift(&rows).unwrap(), drift(&counted).unwrap());
        assert_eq!((a.windows.len(), a.draws), (b.windows.len(), b.draws));
        for (a, b) in a.windows.iter().zip(&b.windows) {
            assert_eq!(a.rows, b.rows);
            for (a, b) in [(a.day, b.day), (a.predicted, b.predicted), (a.observed, b.observed), (a.beyond, b.beyond)] {
                assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
            // quantile and standard errors of 999 draws
            let width = |one: &Window| one.interval[1] - one.interval[0];
            assert!((width(a) / width(b) - 1.0).abs() < 0.12 && (a.beyond_error / b.beyond_error - 1.0).abs() < 0.12);
        }
        assert!((a.p - b.p).abs() < 0.07 && (a.band / b.band - 1.0).abs() < 0.08, "{a:?} {b:?}");
    }

    /// 600 rows with scores of 1% on average, in windows of 200.
    fn rare(seed: u64, truth: impl Fn(f64, f64) -> f64) -> Option<Drift> {
        let (day, score, target) = made(600, seed, |s, at| truth(0.02 * s, at));
        let score = score.iter().map(|s| 0.02 * s).collect();
        let rows = InTime::new(day, score, target, (None, false), (200, seed));
        rows.drift(&[&rows.drawn(0..199)])
    }

    #[test]
    fn windows_of_calibrated_files_with_rare_events_are_rarely_outside() {
        let outside = |one: &Window| one.interval[0] > 0.0 || one.interval[1] < 0.0;
        let (mut files, mut out, mut none) = (0, 0, 0);
        for found in (0..100).filter_map(|seed| rare(seed, |s, _| s)) {
            files += 1;
            out += usize::from(found.windows.iter().any(outside));
            for one in &found.windows {
                let [low, high] = one.interval;
                assert!(low >= one.predicted - 1.0 && high <= one.predicted && low < high, "{one:?}");
                // none where two are expected: consistent with the scores, and with no share below 0
                if one.observed == 0.0 {
                    none += 1;
                    assert!(high == one.predicted && low < 0.0, "{one:?}");
                }
            }
        }
        assert!(files > 80 && none > 50, "{files} files, {none} windows without an event");
        // 5 % of 100, and three standard errors
        assert!(out <= 5 + 6, "{out} of {files}");
        // 20 events in a window where two are expected are seen
        let often = rare(3, |s, at| if at > 2.0 / 3.0 { s + 0.1 } else { s }).unwrap();
        assert!(often.windows.last().is_some_and(|one| one.interval[1] < 0.0), "{often:?}");
        assert!(!outside(&often.windows[0]), "{:?}", often.windows[0]);
    }

    /// 300 patients with four visits each, and one outcome for all of them: a window has its own, numbered anew.
    #[test]
    fn windows_of_clustered_rows_are_wider() {
        let (day, score, target) = made(1_200, 11, |s, _| s);
        let patient: Vec<u32> = (0..1_200).map(|i| i / 4).collect();
        let target = (0..1_200).map(|i| target[i / 4 * 4]).collect();
        let rows = InTime::new(day, score, target, (None, false), (150, 1));
        let clustered = rows.clone().with_clusters(ClusterIds { of: patient.into(), count: 300 });
        let (alone, together) = (drift(&rows).unwrap(), drift(&clustered).unwrap());
        for (alone, together) in alone.windows.iter().zip(&together.windows) {
            let width = |one: &Window| one.interval[1] - one.interval[0];
            assert_eq!((alone.predicted, alone.observed), (together.predicted, together.observed));
            assert!(width(together) > 1.3 * width(alone), "{alone:?} {together:?}");
        }
    }

    #[test]
    fn draws_in_parts_are_those_in_one() {
        let (day, score, target) = made(500, 9, |s, at| (s + 0.2 * at).min(0.98));
        let rows = InTime::new(day, score, target, (None, false), (60, 3));
        let each: Vec<DrawnWindows> = [0..1, 1..400, 400..999].map(|range| rows.drawn(range)).into();
        let parts: Vec<&DrawnWindows> = each.iter().collect();
        assert_eq!(draws(500), 999);
        assert_eq!(rows.drift(&parts), rows.drift(&[&rows.drawn(0..999)]));
    }
}
