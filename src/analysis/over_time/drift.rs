//! Scores against outcomes in windows that move along rows in the order of time, with bands for all windows together,
//! and a test of whether the same scores mean the same at all times.

use std::ops::{Range, RangeInclusive};

use serde::{Deserialize, Serialize};

use crate::data::ClusterIds;
use crate::num::cluster::{ClusteredDraws, within_cluster_correlation};
use crate::num::logistic::weighted_logistic;
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::num::special::{PROB_CLIP, logit, sigmoid};
use crate::table::Column;

/// Rows in the order of time, and what scores mean over all times: what every draw needs.
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
    /// clusters of the rows
    #[serde(default)]
    clusters: ClusterIds,
    /// none where no windows can be held against each other
    fit: Option<Meaning>,
    /// rows of a window, about
    window: usize,
    /// of the draws
    seed: u64,
}

/// Drawn outcomes less what they mean, draw by draw, in every window.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DrawnWindows {
    /// as they were drawn
    plain: Column<f64>,
    /// after the fit is done again
    again: Column<f64>,
}

/// A window.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// its rows, in the order of time
    pub rows: Range<usize>,
    /// mean day
    pub day: f64,
    /// mean score
    pub predicted: f64,
    /// share of outcomes
    pub observed: f64,
    /// standard error of the share, if the same scores mean the same at all times
    pub error: f64,
    /// how many fewer events than the same scores mean over all times: mean p̂ − share
    pub beyond: f64,
    /// standard error of that
    pub beyond_error: f64,
}

/// What windows show.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// by time
    pub windows: Vec<Window>,
    /// so many standard errors on either side of a share hold all windows together in 19 of 20 cases
    pub band: f64,
    /// place of the window that is furthest from what its scores mean over all times
    pub furthest: usize,
    /// probability of a window that far or further, were there no drift
    pub p: f64,
    /// so many standard errors a window must be away
    pub needed: f64,
    /// outcomes that were drawn
    pub draws: usize,
}

/// Most pieces of about equally many rows from which windows are put together.
const MOST_PIECES: usize = 2_000;
/// Draws: this many, fewer where there are many rows, never less than [`LEAST_DRAWS`].
const MOST_DRAWS: usize = 999;
const LEAST_DRAWS: usize = 199;
/// Rows times draws.
const MOST_WORK: usize = 200_000_000;
/// Rows of the rarer outcome that a window should have.
const RARER: f64 = 25.0;
/// Windows begin so many times within the length of one.
const STEPS: usize = 12;

/// Rows of a window where nobody says so: an eighth of `n`, more where few have the rarer outcome, a third at most.
pub fn usual_window(n: usize, share: f64) -> usize {
    let rarer = share.min(1.0 - share).max(1e-9);
    ((RARER / rarer) as usize).max(n / 8).max(20).min(n / 3).max(1)
}

/// Draws of the outcomes of `n` rows.
pub fn draws(n: usize) -> usize {
    (MOST_WORK / n.max(1)).clamp(LEAST_DRAWS, MOST_DRAWS)
}

/// How rows are put into windows: pieces of about equally many rows, and how many of them make a window.
#[derive(Clone, Copy)]
struct Pieces {
    n: usize,
    count: usize,
    of_window: usize,
}

impl Pieces {
    /// First row of a piece.
    fn bound(&self, k: usize) -> usize {
        k * self.n / self.count
    }

    fn rows(&self, k: usize) -> Range<usize> {
        self.bound(k)..self.bound(k + 1)
    }

    /// First pieces of the windows.
    fn starts(&self) -> RangeInclusive<usize> {
        0..=self.count - self.of_window
    }

    fn windows(&self) -> usize {
        self.count - self.of_window + 1
    }

    /// A sum over the pieces of a window.
    fn over(&self, sums: &[Sums], of: impl Fn(&Sums) -> f64, start: usize) -> f64 {
        sums[start..start + self.of_window].iter().map(of).sum()
    }
}

/// Windows of about `window` rows along time, of n/166 at least: more than 2,000 say nothing more.
///
/// What the same scores mean over all times is p̂ = σ(a + b logit s), fitted to all rows, so that an error which is the
/// same at all times is no drift, and neither is a change in who comes. Statistic: the largest |Σ w (t − p̂)| of a window in
/// standard errors. Null: outcomes drawn from p̂ and the fit done again, by one step of Fisher scoring; p counts the
/// observed one among the draws. A draw hangs on the seed and its number alone.
impl InTime {
    /// Rows with their days, in the order of time; they have windows where there are two windows' rows and more, on more
    /// than one day, and both outcomes occur.
    pub fn new(
        day: Vec<f64>,
        score: Vec<f64>,
        target: Vec<u8>,
        weight: Option<Vec<f64>>,
        (window, seed): (usize, u64),
    ) -> Self {
        let n = day.len();
        let window = window.clamp(2, n.max(2));
        let moving = n >= 2 * window && day.first() != day.last();
        let fit = moving.then(|| Meaning::of(&score, &target, weight.as_deref())).flatten();
        let weight = weight.map(Column::from).unwrap_or_default();
        let clusters = ClusterIds::default();
        Self { day: day.into(), score: score.into(), target: target.into(), weight, clusters, fit, window, seed }
    }

    /// The same rows in clusters: outcomes are drawn with their correlation beyond p̂.
    pub fn with_clusters(self, clusters: ClusterIds) -> Self {
        Self { clusters, ..self }
    }

    fn w(&self, i: usize) -> f64 {
        self.weight.get(i).copied().unwrap_or(1.0)
    }

    /// A window holds a whole number of pieces.
    fn pieces(&self) -> Pieces {
        let n = self.day.len();
        let of_window = STEPS.min(self.window);
        Pieces { n, of_window, count: (n * of_window / self.window).clamp(2 * of_window, MOST_PIECES) }
    }

    fn sums(&self, fit: &Meaning, pieces: Pieces) -> Vec<Sums> {
        (0..pieces.count).map(|k| Sums::of(self, fit, pieces.rows(k))).collect()
    }

    /// Some of the [`draws`]; nothing where there are no windows.
    ///
    /// # Cost
    /// O(n) draws of a bit each, and the windows.
    pub fn drawn(&self, range: Range<usize>) -> DrawnWindows {
        let Some(fit) = &self.fit else { return DrawnWindows::default() };
        let pieces = self.pieces();
        let sums = self.sums(fit, pieces);
        // drawn outcomes less what they mean, piece by piece, before and after the fit is done again
        let thresholds: Vec<i32> = fit.p.iter().map(|&p| bernoulli_threshold(p)).collect();
        let present = self.clusters.present();
        let dependent = present.as_ref().map(|clusters| {
            let residual: Vec<f64> = fit.p.iter().zip(self.target.iter()).map(|(p, &t)| f64::from(t) - p).collect();
            let variance: Vec<f64> = fit.p.iter().map(|p| p * (1.0 - p)).collect();
            let rho = within_cluster_correlation(&residual, &variance, &clusters.of, clusters.count);
            ClusteredDraws::new(rho, &clusters.of, clusters.count)
        });
        let mut labels = vec![0_u8; self.day.len()];
        let mut found = DrawnWindows::default();
        for draw in range {
            let mut lanes = Lanes::seeded(self.seed, draw as u64);
            match &dependent {
                Some(draws) => draws.fill(&mut lanes, &thresholds, &mut labels),
                None => lanes.fill_bernoulli(&thresholds, &mut labels),
            }
            let mut residual = vec![0.0; pieces.count];
            let mut score = [0.0; 2];
            for (k, residual) in residual.iter_mut().enumerate() {
                for i in pieces.rows(k) {
                    let r = self.w(i) * (f64::from(labels[i]) - fit.p[i]);
                    *residual += r;
                    score[0] += r;
                    score[1] += r * fit.x[i];
                }
            }
            let step = fit.solved(score);
            for start in pieces.starts() {
                let raw: f64 = residual[start..start + pieces.of_window].iter().sum();
                let told = pieces.over(&sums, |s| s.slope[0], start) * step[0]
                    + pieces.over(&sums, |s| s.slope[1], start) * step[1];
                found.plain.push(raw);
                found.again.push(raw - told);
            }
        }
        found
    }

    /// What windows show, from every draw, in order; `None` where there are no windows.
    ///
    /// # Cost
    /// O(draws · n / window).
    pub fn drift(&self, drawn: &[&DrawnWindows]) -> Option<Drift> {
        let fit = self.fit.as_ref()?;
        let pieces = self.pieces();
        let sums = self.sums(fit, pieces);
        let count = pieces.windows();
        let plain: Vec<f64> = drawn.iter().flat_map(|part| part.plain.iter().copied()).collect();
        let again: Vec<f64> = drawn.iter().flat_map(|part| part.again.iter().copied()).collect();
        let draws = plain.len() / count;
        if draws == 0 {
            return None;
        }
        let deviation = |of: &[f64], start: usize| {
            let squares: f64 = (0..draws).map(|draw| of[draw * count + start].powi(2)).sum();
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
            pieces.starts().map(|start| (deviation(&plain, start), deviation(&again, start))).unzip();
        let (of_band, of_test) = (largest(&plain, &errors), largest(&again, &beyond_errors));
        let at_95 = |sorted: &[f64]| sorted.get((0.95 * draws as f64).ceil() as usize - 1).copied().unwrap_or(f64::NAN);
        let windows: Vec<Window> = pieces
            .starts()
            .map(|start| {
                let mass = pieces.over(&sums, |s| s.mass, start);
                let observed = pieces.over(&sums, |s| s.observed, start) / mass;
                Window {
                    rows: pieces.bound(start)..pieces.bound(start + pieces.of_window),
                    day: pieces.over(&sums, |s| s.day, start) / mass,
                    predicted: pieces.over(&sums, |s| s.predicted, start) / mass,
                    observed,
                    error: errors[start] / mass,
                    beyond: pieces.over(&sums, |s| s.meant, start) / mass - observed,
                    beyond_error: beyond_errors[start] / mass,
                }
            })
            .collect();
        let away = |one: &Window| if one.beyond_error > 0.0 { (one.beyond / one.beyond_error).abs() } else { 0.0 };
        let furthest = (0..windows.len()).max_by(|&a, &b| away(&windows[a]).total_cmp(&away(&windows[b])))?;
        let seen = away(&windows[furthest]);
        let as_far = of_test.len() - of_test.partition_point(|drawn| *drawn < seen);
        Some(Drift {
            band: at_95(&of_band),
            needed: at_95(&of_test),
            p: (1 + as_far) as f64 / (1 + draws) as f64,
            furthest,
            windows,
            draws,
        })
    }
}

/// Sums of a piece.
struct Sums {
    mass: f64,
    day: f64,
    predicted: f64,
    observed: f64,
    /// Σ w p̂
    meant: f64,
    /// Σ w p̂ (1 − p̂) (1, x)
    slope: [f64; 2],
}

impl Sums {
    fn of(rows: &InTime, fit: &Meaning, range: Range<usize>) -> Self {
        let mut sums = Sums { mass: 0.0, day: 0.0, predicted: 0.0, observed: 0.0, meant: 0.0, slope: [0.0; 2] };
        for i in range {
            let (w, p) = (rows.w(i), fit.p[i]);
            sums.mass += w;
            sums.day += w * rows.day[i];
            sums.predicted += w * rows.score[i];
            sums.observed += w * f64::from(rows.target[i]);
            sums.meant += w * p;
            sums.slope[0] += w * p * (1.0 - p);
            sums.slope[1] += w * p * (1.0 - p) * fit.x[i];
        }
        sums
    }
}

/// What scores mean over all times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Meaning {
    /// p̂
    p: Column<f64>,
    /// logit s; 0 where only the level was fitted
    x: Column<f64>,
    /// inverse of Σ w p̂ (1 − p̂) (1, x)(1, x)ᵀ
    inverse: [f64; 3],
}

impl Meaning {
    fn of(score: &[f64], target: &[u8], weight: Option<&[f64]>) -> Option<Self> {
        let line: Vec<f64> = score.iter().map(|&s| logit(s, PROB_CLIP)).collect();
        let whole = weighted_logistic(&[&line], None, target, weight);
        // Where the slope cannot be told, the level alone.
        let (x, a, b) = match whole.as_ref().map(|fit| fit.coefficients.as_slice()) {
            Some(&[a, b]) => (line, a, b),
            _ => {
                let level = weighted_logistic(&[], Some(&line), target, weight)?;
                let a = *level.coefficients.first()?;
                let p: Vec<f64> = line.iter().map(|z| sigmoid(a + z)).collect();
                return Some(Self::with(p, vec![0.0; score.len()], weight));
            }
        };
        let p = x.iter().map(|z| sigmoid(a + b * z)).collect();
        Some(Self::with(p, x, weight))
    }

    fn with(p: Vec<f64>, x: Vec<f64>, weight: Option<&[f64]>) -> Self {
        let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
        for (i, (p, x)) in p.iter().zip(&x).enumerate() {
            let v = weight.map_or(1.0, |w| w[i]) * p * (1.0 - p);
            a += v;
            b += v * x;
            c += v * x * x;
        }
        let determinant = a * c - b * b;
        let inverse = if determinant > 1e-12 * a * c && c > 0.0 {
            [c / determinant, -b / determinant, a / determinant]
        } else {
            [if a > 0.0 { 1.0 / a } else { 0.0 }, 0.0, 0.0]
        };
        Self { p: p.into(), x: x.into(), inverse }
    }

    fn solved(&self, [u, v]: [f64; 2]) -> [f64; 2] {
        let [a, b, c] = self.inverse;
        [a * u + b * v, b * u + c * v]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
        drift(&InTime::new(day, score, target, None, (n / 8, seed))).unwrap()
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
        assert!(worst.rows.end > 1_700 && worst.beyond < -0.08, "{worst:?}");
        // shares and means are those of its rows
        let (_, score, target) = made(2_000, 1, step);
        let mean = score[worst.rows.clone()].iter().sum::<f64>() / worst.rows.len() as f64;
        let share = target[worst.rows.clone()].iter().map(|t| f64::from(*t)).sum::<f64>() / worst.rows.len() as f64;
        assert!((worst.predicted - mean).abs() < 1e-12 && (worst.observed - share).abs() < 1e-12);
    }

    #[test]
    fn windows_are_as_long_as_was_asked() {
        let (day, score, target) = made(3_000, 2, |s, _| s);
        for (window, least, most) in [(2, 2, 4), (30, 29, 31), (100, 98, 102), (375, 374, 376), (1_000, 999, 1_001)] {
            let rows = InTime::new(day.clone(), score.clone(), target.clone(), None, (window, 1));
            let found = drift(&rows).unwrap();
            let length = |one: &Window| (least..=most).contains(&one.rows.len());
            assert!(found.windows.iter().all(length), "{window}: {:?}", found.windows[0].rows);
        }
    }

    #[test]
    fn weights_of_one_change_nothing_and_too_few_rows_say_nothing() {
        let (day, score, target) = made(400, 5, |s, _| s);
        let rows = |target: &[u8], weight: Option<Vec<f64>>, window: usize| {
            InTime::new(day.clone(), score.clone(), target.to_vec(), weight, (window, 1))
        };
        let (a, b) = (rows(&target, None, 50), rows(&target, Some(vec![1.0; 400]), 50));
        let (a, b) = (drift(&a).unwrap(), drift(&b).unwrap());
        assert_eq!(a.p, b.p);
        assert!((a.band - b.band).abs() < 1e-9);
        assert!(drift(&rows(&target, None, 201)).is_none());
        assert!(drift(&rows(&[0; 400], None, 50)).is_none());
    }

    #[test]
    fn draws_in_parts_are_those_in_one() {
        let (day, score, target) = made(500, 9, |s, at| (s + 0.2 * at).min(0.98));
        let rows = InTime::new(day, score, target, None, (60, 3));
        let each: Vec<DrawnWindows> = [0..1, 1..400, 400..999].map(|range| rows.drawn(range)).into();
        let parts: Vec<&DrawnWindows> = each.iter().collect();
        assert_eq!(draws(500), 999);
        assert_eq!(rows.drift(&parts), rows.drift(&[&rows.drawn(0..999)]));
    }
}
