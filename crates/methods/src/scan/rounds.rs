//! Rounds of detection: the most significant candidate is added to the fit, and all candidates are tested again.

use serde::{Deserialize, Serialize};

use super::candidate::{Candidate, Singles};
use super::fit::{Design, Fit};
use super::input::{Family, Of, ScanInput};
use super::overall::{mean_error, score_test, score_test_of_counts};
use super::part::{refined, z_beside};
use super::score::ScanStatistics;
use super::tested::Tested;
use super::{
    DetectedPlace, DetectedSubgroup, Kinds, MOST_DETECTED, NotReported, NotScanned, Remainder, RowsOutside, Scanned,
    TimeTest,
};
use crate::data::subgroup::Subgroup;
use crate::hypothesis::LEVEL;
use crate::hypothesis::multiplicity::holm;
use crate::local::at_least;
use crate::num::cluster::{RowClusters, cluster_size};
use crate::num::quantile::quantile_sorted;
use crate::num::special::{NORMAL_975, sigmoid};
use crate::num::weight::{weighted_mean, weighted_share};
use crate::table::Column;

/// A simpler description with at least this share of |z| is preferred: one condition of a pair, or conditions instead of
/// a region.
const ALONE: f64 = 0.9;
/// A region that conditions do not explain is preferred if its |z| is at least this share of theirs.
const FOCUSED: f64 = 0.8;
/// In further rounds a candidate that does not adjoin a detected one is preferred if its |z| exceeds c* and is at least
/// this share of the largest. A second ball around a known one would absorb rows with the same scores, and mask other
/// errors among them.
const APART: f64 = 0.75;
/// Minimum gap of a further reported subgroup, and as a share of the proportion of the rarer outcome, if that is less: where
/// 1% default, 1 percentage point doubles them.
const REPORTED_GAP: f64 = 0.02;
const REPORTED_SHARE: f64 = 0.2;
/// Minimum excess or missing events of a further reported subgroup, as a share of the largest.
const REPORTED_EVENTS: f64 = 0.01;
/// Minimum number of rows outside the detected subgroups for a test of these rows.
const REPORTED_ROWS: usize = 30;
/// Random stream of the test of the rows outside the detected subgroups.
const OUTSIDE: u64 = 1;

/// State of the scan after some rounds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Round {
    /// number of rounds done
    pub number: usize,
    /// whether the search has ended
    pub over: bool,
    /// fit with the subgroups detected so far
    pub fit: Fit,
    /// β̂ of the score alone, for the recalibration overall
    of_score: Column<f64>,
    /// p-value of the most significant candidate before any detection
    first_p: Option<f64>,
    /// name and p-value of the date column with the most significant candidate about time
    time: Option<(String, f64)>,
    /// detected subgroups, in order of detection
    named: Vec<DetectedSubgroup>,
    /// their descriptions: a trend is described by its most significant period
    described: Vec<Candidate>,
    looked_at: Kinds,
    critical: f64,
    row_variance: f64,
    correlation: f64,
    p_of_rest: Option<f64>,
}

impl Round {
    /// Before the first round: the fit of the score alone.
    pub fn first(input: &ScanInput) -> Self {
        if not_scanned(input).is_some() {
            return Self { over: true, ..Self::default() };
        }
        let fit = Fit::new(input, Vec::new(), &[]);
        Self { of_score: fit.beta.clone(), fit, ..Self::default() }
    }

    /// After a further round of tested.
    ///
    /// * `looked`: results of all candidates, in the order of their numbers
    /// * `overall_p`: p-value of the overall test
    ///
    /// The candidate with the largest |z| is detected if p = (1 + #{max |z*| ≥ |z|}) / (B + 1) ≤ 0.05. In the first round
    /// its p-value is adjusted by Holm's method with those of the overall test and of time; if only that of time is
    /// significant, the most significant candidate about time is detected. A simpler candidate replaces it if it has 90%
    /// of its |z|.
    pub fn next(&self, input: &ScanInput, looked: &[&ScanStatistics], overall_p: f64) -> Self {
        if self.over {
            return self.clone();
        }
        let tested = Tested::new(input, looked);
        let mut after = Self { number: self.number + 1, ..self.clone() };
        if self.number == 0 {
            after.looked_at = Kinds::of(input, &tested.families, &tested.z);
            let mut variances: Vec<f64> = looked.iter().flat_map(|part| part.row_variance.iter().copied()).collect();
            variances.retain(|v| !v.is_nan());
            variances.sort_unstable_by(f64::total_cmp);
            after.row_variance = quantile_sorted(&variances, 0.5).unwrap_or(0.0);
            after.correlation = looked.first().map_or(0.0, |part| part.correlation);
        }
        let Some(most_significant) = tested.most_significant(0..tested.z.len()) else {
            return Self { over: true, ..after };
        };
        let Selected { number, p, level, critical } = match self.named.last() {
            None => after.select_first(&tested, most_significant, overall_p),
            Some(before) => self.select_further(&tested, most_significant, (before.p, overall_p)),
        };
        after.critical = tested.critical(level);
        if p > LEVEL {
            after.p_of_rest = Some(p);
            after.over = true;
            return after;
        }
        let chosen = chosen(input, &self.fit, &tested.families, number, &tested.z, after.critical);
        // a simpler description needs less than c*
        let critical = if chosen.z.abs() > critical { critical } else { ALONE * critical };
        after.named.push(detected(input, &self.of_score, &chosen.described, (chosen.z, p, critical)));
        after.described.push(chosen.described);
        after.over = after.named.len() >= MOST_DETECTED;
        if !after.over {
            let known = self.fit.named.iter().cloned().chain([chosen.known]).collect();
            after.fit = Fit::new(input, known, &self.fit.beta);
        }
        after
    }

    /// The candidate of the first round: the most significant one, or, where only the test of time is significant, that
    /// about time. The p-values of both are kept.
    fn select_first(&mut self, tested: &Tested, most_significant: usize, overall_p: f64) -> Selected {
        let about_time = tested.about_time();
        self.first_p = Some(tested.p(most_significant));
        self.time = about_time.as_ref().map(|one| (one.column.clone(), one.p));
        let [_, of_any, of_time] = self.corrected(overall_p);
        let unadjusted = about_time.as_ref().filter(|_| of_time.is_some()).map_or(1.0, |one| one.p);
        let level = level_of(&[overall_p, unadjusted], about_time.is_some());
        match (of_any.unwrap_or(1.0), of_time.zip(about_time)) {
            (any, Some((p, one))) if any > LEVEL && p <= LEVEL => {
                let level_of_time = level_of(&[overall_p, self.first_p.unwrap_or(1.0)], true);
                Selected { number: one.number, p, level, critical: tested.critical_of_time(level_of_time) }
            }
            (p, _) => Selected { number: most_significant, p, level, critical: tested.critical(level) },
        }
    }

    /// The candidate of a further round: the most significant one of those that do not adjoin a detected one, if it is large
    /// enough, see [`APART`]; its p-value is at least that of the one before. If none is significant, but the test of time was and
    /// no period has been detected, that about time, if it is significant among these.
    fn select_further(&self, tested: &Tested, most_significant: usize, (p_before, overall_p): (f64, f64)) -> Selected {
        let apart = |&number: &usize| {
            let large = tested.size(number) >= APART * tested.size(most_significant);
            let significant = tested.p(number) <= LEVEL;
            large
                && significant
                && !self.corrects_known(tested.input, &tested.input.candidate(&tested.families, number))
        };
        let number = tested.most_significant((0..tested.z.len()).filter(apart)).unwrap_or(most_significant);
        let of = |number, p: f64, critical| Selected { number, p: p.max(p_before), level: LEVEL, critical };
        let [_, _, of_time] = self.corrected(overall_p);
        let unexplained = of_time.is_some_and(|p| p <= LEVEL) && !self.has_period(tested.input);
        match tested.about_time().filter(|one| unexplained && one.p <= LEVEL) {
            Some(one) if tested.p(number) > LEVEL => of(one.number, one.p, tested.critical_of_time(LEVEL)),
            _ => of(number, tested.p(number), tested.critical(LEVEL)),
        }
    }

    /// Whether a detected subgroup is a period.
    fn has_period(&self, input: &ScanInput) -> bool {
        let dated = |&(column, _): &(usize, usize)| input.date_of(Of::Column(column)).is_some();
        self.described.iter().any(|one| matches!(one, Candidate::Columns(singles) if singles.iter().any(dated)))
    }

    /// Whether a candidate only shifts the limits of a detected one.
    fn corrects_known(&self, input: &ScanInput, candidate: &Candidate) -> bool {
        self.described.iter().any(|known| corrects(input, known, candidate))
    }

    /// p-values of the overall test, of the most significant candidate, and of time, adjusted for each other.
    fn corrected(&self, overall_p: f64) -> [Option<f64>; 3] {
        let time = self.time.as_ref().map(|(_, p)| *p);
        let corrected = holm(&[overall_p, self.first_p.unwrap_or(1.0), time.unwrap_or(f64::NAN)]);
        let at = |k: usize| corrected.get(k).copied().filter(|p| !p.is_nan());
        [at(0), at(1), at(2)]
    }

    /// Smallest adjusted p-value of the three questions. It decides whether any miscalibration is claimed.
    ///
    /// * `overall_p`: p-value of the overall test
    pub fn p_of_any(&self, overall_p: f64) -> f64 {
        self.corrected(overall_p).into_iter().flatten().fold(1.0, f64::min)
    }

    /// Result of the scan.
    ///
    /// * `overall_p`: p-value of the overall test
    /// * `seed`: of the test of the rows outside the detected subgroups
    ///
    /// # Cost
    /// That of [`score_test`], and O(n) per subgroup.
    pub fn scanned(&self, input: &ScanInput, overall_p: f64, seed: u64) -> Scanned {
        let [overall, _, time] = self.corrected(overall_p);
        let overall_p = overall.unwrap_or(1.0);
        let outside = self.outside(input, seed);
        let beyond = overall_p <= LEVEL && outside.is_none_or(|outside| outside.p <= LEVEL);
        let weight = (!input.weight.is_empty()).then_some(input.weight.as_slice());
        let events = weighted_share(&input.target, weight);
        let least_gap = REPORTED_GAP.min(REPORTED_SHARE * events.min(1.0 - events));
        let Reported { named, others, remainders } = self.reported(input, beyond, least_gap);
        Scanned {
            not_reported: others,
            remainders,
            least_gap,
            named,
            beyond,
            not_scanned: (self.looked_at.all() == 0).then(|| not_scanned(input).unwrap_or_else(|| input.too_little())),
            looked_at: self.looked_at.all(),
            kinds: self.looked_at,
            columns: input.cuts.iter().map(|cut| cut.column.clone()).collect(),
            similarity: input.places.as_ref().map_or_else(Vec::new, |places| places.features.clone()),
            critical: self.critical,
            row_variance: self.row_variance,
            correlation: self.correlation,
            cluster_size: cluster_size(&input.clusters, input.cluster_count),
            overall_p,
            p_of_rest: self.p_of_rest,
            outside,
            time: self.time.clone().zip(time).map(|((column, unadjusted), p)| TimeTest { column, p, unadjusted }),
        }
    }

    /// The subgroups to report: the first, and further ones with a gap of at least `least_gap` and at least 1% of the
    /// largest excess or missing events that do not only shift the limits of a reported one; and why each of the others is
    /// not reported. All by the reported gap. One whose error is hidden by a listed one, being opposite in its other rows, is
    /// stated for these.
    fn reported(&self, input: &ScanInput, beyond: bool, least_gap: f64) -> Reported {
        let mut told: Vec<(DetectedSubgroup, &Candidate)> = Vec::new();
        let (mut others, mut uncertain) = (Vec::new(), Vec::new());
        for (named, candidate) in self.named.iter().zip(&self.described) {
            let found = named.by_its_side(beyond);
            let Some(most) = told.iter().map(|(known, _)| known.excess_events()).reduce(f64::max) else {
                // z of the first refers to its gap after recalibration
                told.push((found.unwrap_or_else(|| DetectedSubgroup { beyond: true, ..named.clone() }), candidate));
                continue;
            };
            // with the opposite error it does not shift the limits of the listed one: it is the other end
            let adjoins =
                told.iter().any(|(listed, known)| listed.z * named.z > 0.0 && corrects(input, known, candidate));
            match found {
                None => uncertain.push((named, candidate)),
                Some(_) if adjoins => others.push(NotReported::Adjoins),
                Some(found) if found.gap().abs() < least_gap => others.push(NotReported::SmallGap),
                Some(found) if found.excess_events() < REPORTED_EVENTS * most => others.push(NotReported::FewEvents),
                Some(found) => told.push((found, candidate)),
            }
        }
        let mut remainders = Vec::new();
        for (named, candidate) in uncertain {
            let remainder = self.remainder(input, named, candidate).and_then(|one| one.by_its_side(beyond));
            let remainder = remainder.filter(|one| one.gap().abs() >= least_gap);
            others.push(remainder.as_ref().map_or(NotReported::Uncertain, |_| NotReported::Remainder));
            remainders.extend(remainder.map(|one| Remainder {
                description: named.description(),
                rows: one.rows,
                predicted: one.predicted,
                observed: one.observed,
                recalibrated: one.beyond.then_some(one.recalibrated),
            }));
        }
        Reported { named: told.into_iter().map(|(named, _)| named).collect(), others, remainders }
    }

    /// The rows of a detected subgroup outside all others; `None` for a region, if it has none of theirs, or too few others.
    fn remainder(
        &self,
        input: &ScanInput,
        named: &DetectedSubgroup,
        candidate: &Candidate,
    ) -> Option<DetectedSubgroup> {
        let mut inside: Vec<bool> = input.membership(candidate).into_iter().map(|m| m > 0.0).collect();
        let rows = |inside: &[bool]| (0..inside.len()).filter(|&i| inside[i]).map(|i| input.count(i)).sum::<f64>();
        let all = rows(&inside);
        for other in self.described.iter().filter(|other| *other != candidate) {
            for (inside, other) in inside.iter_mut().zip(input.membership(other)) {
                *inside &= other == 0.0;
            }
        }
        let left = rows(&inside);
        let divided = named.place.is_none() && left < all && left >= input.least as f64;
        divided.then(|| of_rows(input, &self.of_score, &inside, (named.z, named.p, named.critical)))
    }

    /// The rows outside all detected subgroups; `None` if none was detected, or if too few rows are left for a test.
    fn outside(&self, input: &ScanInput, seed: u64) -> Option<RowsOutside> {
        if self.named.is_empty() {
            return None;
        }
        let mut outside = vec![true; input.rows()];
        for candidate in &self.described {
            for (outside, member) in outside.iter_mut().zip(input.membership(candidate)) {
                *outside &= member == 0.0;
            }
        }
        let rows: Vec<usize> = (0..outside.len()).filter(|&i| outside[i]).collect();
        let count = rows.iter().map(|&i| input.count(i)).sum::<f64>();
        if count < input.least.max(REPORTED_ROWS) as f64 {
            return None;
        }
        let s: Vec<f64> = rows.iter().map(|&i| input.score[i]).collect();
        let t: Vec<u8> = rows.iter().map(|&i| input.target[i]).collect();
        let weight: Vec<f64> = rows.iter().filter_map(|&i| input.weight.get(i).copied()).collect();
        let w = (!weight.is_empty()).then_some(weight.as_slice());
        let of: Vec<u32> = rows.iter().filter_map(|&i| input.clusters.get(i).copied()).collect();
        let clusters = (!of.is_empty()).then_some(RowClusters { of: &of, count: input.cluster_count });
        let p = match w.filter(|_| input.counted) {
            Some(counts) => score_test_of_counts(&s, &t, counts).p,
            None => {
                let clusters = clusters.map(|clusters| (clusters.of, clusters.count));
                score_test(&s, &t, w, clusters, seed, OUTSIDE).p
            }
        };
        Some(RowsOutside {
            rows: count as usize,
            predicted: weighted_mean(&s, w),
            observed: weighted_share(&t, w),
            mean_z: mean_error(&s, &t, w, input.counted, clusters).z,
            p,
        })
    }
}

impl DetectedSubgroup {
    /// With the gap to report: the original one, unless `beyond`, if its interval excludes 0 on the side of z; else the
    /// one after recalibration, on the same condition; `None` if neither qualifies.
    fn by_its_side(&self, beyond: bool) -> Option<Self> {
        [false, true].into_iter().filter(|recalibrated| *recalibrated || !beyond).find_map(|beyond| {
            let found = Self { beyond, ..self.clone() };
            let [low, high] = found.interval();
            let (gap, off) = (found.gap(), low > 0.0 || high < 0.0);
            (off && gap * self.z < 0.0).then_some(found)
        })
    }
}

/// What is reported of the detected subgroups.
struct Reported {
    named: Vec<DetectedSubgroup>,
    /// why each of the others is not
    others: Vec<NotReported>,
    remainders: Vec<Remainder>,
}

/// Why no subgroup can be tested; `None` if one can.
fn not_scanned(input: &ScanInput) -> Option<NotScanned> {
    let events = input.target.iter().filter(|t| **t == 1).count();
    if events == 0 || events == input.rows() {
        Some(NotScanned::SameOutcomes)
    } else if input.cuts.is_empty() && input.places.is_none() {
        Some(if input.asked == 0 { NotScanned::NoColumns } else { NotScanned::Small { least: input.least } })
    } else if input.basis.is_empty() {
        Some(NotScanned::SureScores)
    } else {
        None
    }
}

/// The candidate that is tested in a round.
struct Selected {
    number: usize,
    /// adjusted p-value
    p: f64,
    /// level of the scan beside the other questions
    level: f64,
    /// that its |z| had to exceed
    critical: f64,
}

/// Level of the scan beside the other questions: that of its step in Holm's procedure.
fn level_of(others: &[f64], time: bool) -> f64 {
    let mut others: Vec<f64> = others.iter().copied().take(1 + usize::from(time)).collect();
    others.sort_unstable_by(f64::total_cmp);
    let mut left = others.len() + 1;
    for p in others {
        if p > LEVEL / left as f64 {
            break;
        }
        left -= 1;
    }
    LEVEL / left as f64
}

/// The candidate to detect.
#[derive(Default)]
struct Chosen {
    /// as it is described
    described: Candidate,
    /// as it enters the fit
    known: Candidate,
    /// z of the description, or of the trend
    z: f64,
}

/// The candidate to detect if `best` has the largest |z|.
///
/// A trend is described by the most significant period of its column. Otherwise the choice is between the best conditions
/// and the best region on the same side. Conditions are simpler, and are chosen if the region shows nothing beyond them
/// (|z| ≤ c* once they are in the fit) and they have 90% of its |z|. The region is chosen if conditions do not explain it
/// and it has 80% of their |z|.
fn chosen(input: &ScanInput, fit: &Fit, families: &[Family], best: usize, z: &[f64], critical: f64) -> Chosen {
    let of = |number: usize| z.get(number).copied().unwrap_or(f64::NAN);
    // the best of some families on the same side
    let best_of = |takes: &dyn Fn(Of) -> bool| {
        let numbers = families.iter().filter(|family| takes(family.of)).flat_map(|f| f.first..f.first + f.len);
        let same = numbers.filter(|&k| of(k) * of(best) > 0.0);
        same.reduce(|a, b| if of(b).abs() > of(a).abs() { b } else { a })
    };
    let best_candidate = input.candidate(families, best);
    if let Candidate::Trend(time) = best_candidate {
        let column = input.times.get(time).map(|(column, _)| *column);
        let period = best_of(&|of| column.is_some_and(|column| of == Of::Column(column)));
        let described = period.map(|number| input.candidate(families, number)).unwrap_or_default();
        return Chosen { described, known: best_candidate, z: of(best) };
    }
    let conditions = best_of(&|of| matches!(of, Of::Column(_) | Of::Pair(..))).map(|number| {
        let (described, z) = miscalibrated_side(input, simpler_condition(input, families, number, z));
        Chosen { known: described.clone(), described, z }
    });
    let place = best_of(&|of| matches!(of, Of::Place(_))).and_then(|number| match input.candidate(families, number) {
        Candidate::Place(rows) => Some(refined(input, fit, &rows, of(number))),
        _ => None,
    });
    let Some((rows, of_place)) = place else { return conditions.unwrap_or_default() };
    let wins = conditions.as_ref().is_none_or(|conditions| {
        let known = fit.named.iter().cloned().chain([conditions.known.clone()]).collect();
        let beside = z_beside(input, &Fit::new(input, known, &fit.beta), &rows).abs();
        match beside > critical {
            true => of_place.abs() >= FOCUSED * conditions.z.abs(),
            false => conditions.z.abs() < ALONE * of_place.abs(),
        }
    });
    match conditions.filter(|_| !wins) {
        Some(conditions) => conditions,
        None => {
            let place = Candidate::Place(rows.into());
            Chosen { described: place.clone(), known: place, z: of_place }
        }
    }
}

/// One of the two conditions of a pair if it alone has 90% of the pair's |z|, else the pair itself; with its z.
fn simpler_condition(input: &ScanInput, families: &[Family], best: usize, z: &[f64]) -> (Candidate, f64) {
    let of = |number: usize| z.get(number).copied().unwrap_or(f64::NAN);
    let candidate = input.candidate(families, best);
    let singles = match &candidate {
        Candidate::Columns(singles) if singles.len() > 1 => singles.clone(),
        _ => return (candidate, of(best)),
    };
    let number = |(column, single): (usize, usize)| {
        families.iter().find(|family| family.of == Of::Column(column)).map(|family| family.first + single)
    };
    let alone = singles.into_iter().filter_map(|one| Some((one, number(one)?)));
    let alone = alone.filter(|(_, k)| of(*k) * of(best) >= ALONE * of(best) * of(best));
    match alone.reduce(|a, b| if of(b.1).abs() > of(a.1).abs() { b } else { a }) {
        Some((one, k)) => (Candidate::Columns(vec![one]), of(k)),
        None => (candidate, of(best)),
    }
}

/// Of a condition and its complement, which differ from each other and have the same |z| after recalibration overall, the one whose
/// original predictions are further from calibrated: where one half is calibrated, the error is of the other. O(n).
fn miscalibrated_side(input: &ScanInput, (candidate, z): (Candidate, f64)) -> (Candidate, f64) {
    let Candidate::Columns(singles) = &candidate else { return (candidate, z) };
    let &[(column, single)] = singles.as_slice() else { return (candidate, z) };
    let Some(other) = complement(input, column, single) else { return (candidate, z) };
    let inside = input.inside(singles);
    // Σ w (t − s) and Σ w² s(1 − s) of the rows inside and outside
    let mut sums = [(0.0, f64::MIN_POSITIVE); 2];
    for (i, &inside) in inside.iter().enumerate() {
        let (sum, variance) = &mut sums[usize::from(!inside)];
        let s = input.score[i];
        *sum += input.weight(i) * (f64::from(input.target[i]) - s);
        *variance += input.variance(i) * s * (1.0 - s);
    }
    let [own, others] = sums.map(|(sum, variance)| sum.abs() / variance.sqrt());
    if others > own { (Candidate::Columns(vec![(column, other)]), -z) } else { (candidate, z) }
}

/// The condition on a column that exactly the other rows meet. O(n).
fn complement(input: &ScanInput, column: usize, single: usize) -> Option<usize> {
    let cut = input.cuts.get(column)?;
    let mut occupied = vec![false; cut.cells];
    input.codes(column).iter().for_each(|&cell| occupied[usize::from(cell)] = true);
    let own = cut.has(single);
    let wanted: Vec<bool> = occupied.iter().zip(&own).map(|(occupied, own)| *occupied && !own).collect();
    (0..cut.singles.len()).find(|&other| {
        let has = cut.has(other);
        occupied.iter().zip(has).map(|(occupied, has)| *occupied && has).eq(wanted.iter().copied())
    })
}

/// Whether a candidate only shifts the limits of a detected one: an interval of numbers that overlaps or adjoins one of
/// the same column, other conditions being equal; a region that contains half of the rows of the other, or half of whose
/// rows are in it.
fn corrects(input: &ScanInput, known: &Candidate, new: &Candidate) -> bool {
    match (known, new) {
        (Candidate::Columns(known), Candidate::Columns(new)) => moves_ends(input, known, new),
        (Candidate::Place(known), Candidate::Place(new)) => {
            let both = new.iter().filter(|row| known.binary_search(row).is_ok()).count();
            2 * both >= known.len().min(new.len())
        }
        _ => false,
    }
}

/// Whether two subgroups are of the same columns, with conditions on each that overlap or adjoin.
fn moves_ends(input: &ScanInput, known: &Singles, new: &Singles) -> bool {
    let columns = |singles: &Singles| singles.iter().map(|one| one.0).collect::<Vec<_>>();
    if columns(known) != columns(new) {
        return false;
    }
    known.iter().zip(new).all(|(&(column, a), &(_, b))| {
        let cut = &input.cuts[column];
        let cells = |single: usize| cut.singles.get(single).map_or(&[][..], |single| &single.cells);
        let (a, b) = (cells(a), cells(b));
        let near = |x: u8, y: u8| x == y || (cut.ordered && x.abs_diff(y) == 1);
        a.iter().any(|&x| b.iter().any(|&y| near(x, y)))
    })
}

/// A detected subgroup with its means and the interval of its error. O(n).
///
/// * `of_score`: coefficients of the fit of the score alone
fn detected(input: &ScanInput, of_score: &[f64], candidate: &Candidate, tested: (f64, f64, f64)) -> DetectedSubgroup {
    let inside: Vec<bool> = input.membership(candidate).into_iter().map(|m| m > 0.0).collect();
    let place = match (candidate, &input.places) {
        (Candidate::Place(rows), Some(places)) => {
            let of_data = rows.iter().filter_map(|&row| places.rows.get(row as usize).copied());
            let mut rows: Vec<u32> = of_data.collect();
            rows.sort_unstable();
            Some(DetectedPlace { features: places.features.clone(), rows: rows.into(), ..DetectedPlace::default() })
        }
        _ => None,
    };
    let subgroup = match candidate {
        Candidate::Columns(singles) => input.subgroup(singles),
        Candidate::Place(_) | Candidate::Trend(_) => Subgroup::default(),
    };
    DetectedSubgroup { subgroup, place, ..of_rows(input, of_score, &inside, tested) }
}

/// Means of some rows and the interval of their error, without a description. O(n).
fn of_rows(
    input: &ScanInput,
    of_score: &[f64],
    inside: &[bool],
    (z, p, critical): (f64, f64, f64),
) -> DetectedSubgroup {
    let alone = Design::new(input, &[]);
    let mut row = vec![0.0; alone.width()];
    let (mut rows, mut weight, mut spread) = (0.0, 0.0, 0.0);
    let (mut predicted, mut observed, mut recalibrated, mut squares, mut promised) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for i in (0..inside.len()).filter(|&i| inside[i]) {
        let (w, s, t) = (input.weight(i), input.score[i], f64::from(input.target[i]));
        rows += input.count(i);
        weight += w;
        spread += input.variance(i);
        predicted += w * s;
        observed += w * t;
        recalibrated += w * sigmoid(alone.log_odds(i, of_score, &mut row));
        squares += w * (s - t) * (s - t);
        promised += w * s * (1.0 - s);
    }
    let weight = weight.max(f64::MIN_POSITIVE);
    let gap = (predicted - observed) / weight;
    let effective = weight * weight / spread.max(f64::MIN_POSITIVE);
    let variance = at_least((squares / weight - gap * gap).max(0.0), promised / weight, effective);
    let half = NORMAL_975 * (variance / effective * spread_by_clusters(input, inside)).sqrt();
    DetectedSubgroup {
        subgroup: Subgroup::default(),
        place: None,
        critical,
        rows: rows as usize,
        share: weight / (0..input.rows()).map(|i| input.weight(i)).sum::<f64>(),
        predicted: predicted / weight,
        observed: observed / weight,
        low: (gap - half).max(-1.0),
        high: (gap + half).min(1.0),
        recalibrated: recalibrated / weight,
        z,
        p,
        beyond: false,
    }
}

/// Design effect of the mean over some rows: Σ_c (Σ r)² relative to Σ r², r = t − s about its mean, at least 1; 1 without
/// clusters.
fn spread_by_clusters(input: &ScanInput, inside: &[bool]) -> f64 {
    if input.clusters.is_empty() {
        return 1.0;
    }
    let rows: Vec<usize> = (0..inside.len()).filter(|&i| inside[i]).collect();
    let (total, sum) = rows.iter().fold((0.0, 0.0), |(total, sum), &i| {
        let w = input.weight(i);
        (total + w, sum + w * (f64::from(input.target[i]) - input.score[i]))
    });
    let mean = sum / f64::max(total, f64::MIN_POSITIVE);
    let mut sums = vec![0.0; input.cluster_count];
    let mut squares = 0.0;
    for &i in &rows {
        let r = input.weight(i) * (f64::from(input.target[i]) - input.score[i] - mean);
        sums[input.clusters[i] as usize] += r;
        squares += r * r;
    }
    let clustered: f64 = sums.iter().map(|sum| sum * sum).sum();
    if squares > 0.0 { (clustered / squares).max(1.0) } else { 1.0 }
}
