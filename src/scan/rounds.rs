//! Naming: the slice that stands out most is named, put among what is known, and everything is looked at again.

use serde::{Deserialize, Serialize};

use super::fit::{Design, Fit, Singles};
use super::ground::{Family, Ground};
use super::look::Looked;
use super::overall::score_test;
use super::{MOST_NAMED, Named, REDRAWS, Scanned, Unlooked};
use crate::local::{NORMAL_975, at_least};
use crate::num::quantile::median;
use crate::num::special::sigmoid;
use crate::table::Column;

/// At most this share of files where nothing but what is known is off gets a further name; of the first together with the
/// question whether all rows are off, by Holm.
pub(super) const LEVEL: f64 = 0.05;
/// One of the two conditions of a pair is told alone where its |z| is this share of the pair's.
pub const ALONE: f64 = 0.9;
/// A further slice is told where its gap is at least this.
const TOLD_GAP: f64 = 0.02;
/// And its harm this share of the largest.
const TOLD_HARM: f64 = 0.01;
/// Fewer rows beside the slices that were found say nothing about being right.
const TOLD_ROWS: usize = 30;
/// Stream of the test of the rows beside the slices that were found.
const ELSEWHERE: u64 = 1;

/// What is known after some rounds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Round {
    /// rounds that were looked at
    pub number: usize,
    /// nothing more is looked for
    pub over: bool,
    /// what is known
    pub fit: Fit,
    /// β̂ of the score alone: what mends the scores overall
    mending: Column<f64>,
    /// chance of as much as the slice that stands out most shows before anything is named
    first_p: Option<f64>,
    /// slices that were found, in this order
    named: Vec<Named>,
    /// the same by the places of their conditions
    slices: Vec<Singles>,
    looked_at: usize,
    critical: f64,
    row_variance: f64,
    p_of_rest: Option<f64>,
}

impl Round {
    /// Before anything was looked at: what the score alone knows.
    pub fn first(ground: &Ground) -> Self {
        if unlooked(ground).is_some() {
            return Self { over: true, ..Self::default() };
        }
        let fit = Fit::new(ground, Vec::new(), &[]);
        Self { mending: fit.beta.clone(), fit, ..Self::default() }
    }

    /// After a further look at all slices.
    ///
    /// * `looked`: at every slice, in the order of their numbers
    /// * `overall_p`: chance of as much as all rows together show
    ///
    /// The slice of the largest |z| is named if p = (1 + #{max |z*| ≥ |z|}) / (B + 1) ≤ .05, the first one's with that of all rows
    /// together by [`holm`]; of a pair, that of its two
    /// conditions alone that has 90 % of its |z|, if one has.
    pub fn next(&self, ground: &Ground, looked: &[&Looked], overall_p: f64) -> Self {
        if self.over {
            return self.clone();
        }
        let mut after = Self { number: self.number + 1, ..self.clone() };
        let z: Vec<f64> = looked.iter().flat_map(|part| part.z.iter().copied()).collect();
        let mut maxima = vec![0.0_f64; REDRAWS];
        for part in looked {
            for (most, found) in maxima.iter_mut().zip(part.maxima.iter()) {
                *most = most.max(*found);
            }
        }
        if self.number == 0 {
            after.looked_at = z.iter().filter(|z| !z.is_nan()).count();
            let mut variances: Vec<f64> = looked.iter().flat_map(|part| part.row_variance.iter().copied()).collect();
            variances.retain(|v| !v.is_nan());
            after.row_variance = median(&mut variances).unwrap_or(0.0);
        }
        let best = (0..z.len()).filter(|&k| !z[k].is_nan()).reduce(|a, b| if z[b].abs() > z[a].abs() { b } else { a });
        let Some(best) = best else {
            return Self { over: true, ..after };
        };
        let reached = maxima.iter().filter(|most| **most >= z[best].abs()).count();
        let p = (1 + reached) as f64 / (REDRAWS + 1) as f64;
        let level = if self.number == 0 && overall_p > LEVEL / 2.0 { LEVEL / 2.0 } else { LEVEL };
        maxima.sort_unstable_by(|a, b| b.total_cmp(a));
        let allowed = (level * (REDRAWS + 1) as f64 + 1e-9) as usize;
        after.critical = maxima.get(allowed - 1).copied().unwrap_or(f64::INFINITY);
        let p = match self.named.last() {
            None => {
                after.first_p = Some(p);
                holm(p, overall_p)
            }
            Some(before) => p.max(before.p),
        };
        if p > LEVEL {
            after.p_of_rest = Some(p);
            after.over = true;
            return after;
        }
        let families = ground.families();
        let (singles, number) = simplest(ground, &families, best, &z);
        let found = named(ground, &self.mending, &singles, z[number], p);
        let mut slices = self.fit.slices.clone();
        slices.push(singles.clone());
        after.slices.push(singles);
        after.named.push(found);
        after.over = after.named.len() >= MOST_NAMED;
        if !after.over {
            after.fit = Fit::new(ground, slices, &self.fit.beta);
        }
        after
    }

    /// Chance that either question finds as much on a file where every score is right: that of the smaller p-value, by
    /// [`holm`]. Whether anything at all is claimed goes by it.
    ///
    /// * `overall_p`: chance of as much as all rows together show
    pub fn p_of_any(&self, overall_p: f64) -> f64 {
        let first = self.first_p.unwrap_or(1.0);
        holm(first, overall_p).min(holm(overall_p, first))
    }

    /// What was found.
    ///
    /// * `overall_p`: chance of as much as all rows together show
    /// * `seed`: of the test of the rows beside all slices that were found
    ///
    /// # Cost
    /// That of [`score_test`], and O(n) a slice.
    pub fn scanned(&self, ground: &Ground, overall_p: f64, seed: u64) -> Scanned {
        let overall_p = holm(overall_p, self.first_p.unwrap_or(1.0));
        let elsewhere = self.elsewhere(ground, seed);
        let beyond = overall_p <= LEVEL && elsewhere.is_none_or(|p| p <= LEVEL);
        let named = self.told(ground, beyond);
        Scanned {
            untold: self.named.len() - named.len(),
            named,
            beyond,
            unlooked: (self.looked_at == 0).then(|| unlooked(ground).unwrap_or_else(|| ground.too_little())),
            looked_at: self.looked_at,
            columns: ground.cuts.iter().map(|cut| cut.column.clone()).collect(),
            critical: self.critical,
            row_variance: self.row_variance,
            overall_p,
            p_of_rest: self.p_of_rest,
            elsewhere,
        }
    }

    /// What a person would want to hear of: the first slice, and further ones whose gap is 2 points or more, whose harm is
    /// 1 % of the largest, and that do not correct the ends of a stretch that is told. All of that by the gap that is told.
    fn told(&self, ground: &Ground, beyond: bool) -> Vec<Named> {
        let mut told: Vec<(Named, &Singles)> = Vec::new();
        for (named, singles) in self.named.iter().zip(&self.slices) {
            let found = named.by_its_side(beyond);
            let Some(most) = told.iter().map(|(known, _)| known.harm()).reduce(f64::max) else {
                // z of the first is that of its mended gap
                told.push((found.unwrap_or_else(|| Named { beyond: true, ..named.clone() }), singles));
                continue;
            };
            let corrects = told.iter().any(|(_, known)| corrects(ground, known, singles));
            let large = |found: &Named| found.gap().abs() >= TOLD_GAP && found.harm() >= TOLD_HARM * most;
            told.extend(found.filter(|found| !corrects && large(found)).map(|found| (found, singles)));
        }
        told.into_iter().map(|(named, _)| named).collect()
    }

    /// Chance of as much as the rows beside all slices that were found show together; none where no slice was found, or
    /// fewer rows are left than could show anything.
    fn elsewhere(&self, ground: &Ground, seed: u64) -> Option<f64> {
        if self.named.is_empty() {
            return None;
        }
        let mut outside = vec![true; ground.rows()];
        for singles in &self.slices {
            for (outside, inside) in outside.iter_mut().zip(ground.inside(singles)) {
                *outside &= !inside;
            }
        }
        let rows: Vec<usize> = (0..outside.len()).filter(|&i| outside[i]).collect();
        if rows.len() < ground.least.max(TOLD_ROWS) {
            return None;
        }
        let score: Vec<f64> = rows.iter().map(|&i| ground.score[i]).collect();
        let target: Vec<u8> = rows.iter().map(|&i| ground.target[i]).collect();
        let weight: Vec<f64> = rows.iter().filter_map(|&i| ground.weight.get(i).copied()).collect();
        let w = (!weight.is_empty()).then_some(weight.as_slice());
        Some(score_test(&score, &target, w, seed, ELSEWHERE).p)
    }
}

impl Named {
    /// With the gap that is told: the plain one unless `beyond`, where it is off beyond chance towards the side that z found,
    /// else the mended one, where that is; none where neither is.
    fn by_its_side(&self, beyond: bool) -> Option<Self> {
        [false, true].into_iter().filter(|mended| *mended || !beyond).find_map(|beyond| {
            let found = Self { beyond, ..self.clone() };
            let [low, high] = found.interval();
            let (gap, off) = (found.gap(), low > 0.0 || high < 0.0);
            (off && gap * self.z < 0.0).then_some(found)
        })
    }
}

/// Why no slice can be looked at, if none can.
fn unlooked(ground: &Ground) -> Option<Unlooked> {
    let events = ground.target.iter().filter(|t| **t == 1).count();
    if events == 0 || events == ground.rows() {
        Some(Unlooked::SameOutcomes)
    } else if ground.cuts.is_empty() {
        Some(if ground.asked == 0 { Unlooked::NoColumns } else { Unlooked::Small { least: ground.least } })
    } else if ground.basis.is_empty() {
        Some(Unlooked::SureScores)
    } else {
        None
    }
}

/// A p-value corrected for one other question (Holm, 1979): of the two the smaller counts twice, and the other is no
/// smaller than that.
pub fn holm(p: f64, other: f64) -> f64 {
    if p <= other { (2.0 * p).min(1.0) } else { p.max(2.0 * other).min(1.0) }
}

/// A slice in the simplest words that lose nothing, and whose z that is.
fn simplest(ground: &Ground, families: &[Family], best: usize, z: &[f64]) -> (Singles, usize) {
    let singles = ground.singles_of(families, best);
    if singles.len() < 2 {
        return (singles, best);
    }
    let number = |(column, single): (usize, usize)| {
        families.iter().find(|family| family.a == column && family.b.is_none()).map(|family| family.first + single)
    };
    let alone = singles.iter().filter_map(|&one| Some((one, number(one)?)));
    let alone = alone.filter(|(_, k)| z.get(*k).is_some_and(|own| own * z[best] >= ALONE * z[best] * z[best]));
    match alone.reduce(|a, b| if z[b.1].abs() > z[a.1].abs() { b } else { a }) {
        Some((one, k)) => (vec![one], k),
        None => (singles, best),
    }
}

/// Whether a stretch of numbers overlaps or touches one of the same column that is known, other conditions being equal.
fn corrects(ground: &Ground, known: &Singles, new: &Singles) -> bool {
    let columns = |singles: &Singles| singles.iter().map(|one| one.0).collect::<Vec<_>>();
    if columns(known) != columns(new) {
        return false;
    }
    known.iter().zip(new).all(|(&(column, a), &(_, b))| {
        let cut = &ground.cuts[column];
        let cells = |single: usize| cut.singles.get(single).map_or(&[][..], |single| &single.cells);
        let (a, b) = (cells(a), cells(b));
        let near = |x: u8, y: u8| x == y || (cut.ordered && x.abs_diff(y) == 1);
        a.iter().any(|&x| b.iter().any(|&y| near(x, y)))
    })
}

/// The numbers of a slice. O(n).
fn named(ground: &Ground, mending: &[f64], singles: &Singles, z: f64, p: f64) -> Named {
    let inside = ground.inside(singles);
    let alone = Design::new(ground, &[]);
    let mut row = vec![0.0; alone.width()];
    let (mut rows, mut weight, mut weights2) = (0, 0.0, 0.0);
    let (mut says, mut happened, mut mends, mut squares, mut promised) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for i in (0..inside.len()).filter(|&i| inside[i]) {
        let (w, s, t) = (ground.weight(i), ground.score[i], f64::from(ground.target[i]));
        rows += 1;
        weight += w;
        weights2 += w * w;
        says += w * s;
        happened += w * t;
        mends += w * sigmoid(alone.log_odds(i, mending, &mut row));
        squares += w * (s - t) * (s - t);
        promised += w * s * (1.0 - s);
    }
    let weight = weight.max(f64::MIN_POSITIVE);
    let gap = (says - happened) / weight;
    let effective = weight * weight / weights2.max(f64::MIN_POSITIVE);
    let variance = at_least((squares / weight - gap * gap).max(0.0), promised / weight, effective);
    let half = NORMAL_975 * (variance / effective).sqrt();
    Named {
        slice: ground.slice(singles),
        rows,
        says: says / weight,
        happened: happened / weight,
        low: (gap - half).max(-1.0),
        high: (gap + half).min(1.0),
        mended: mends / weight,
        z,
        p,
        beyond: false,
    }
}
