//! Metrics beyond the scorecard, computed when they are asked for by name.
//!
//! Their replicates repeat or redraw whole samples, because most of them are not sums over rows; there are as many
//! as fit into a few seconds, and the report says how many.

use std::collections::{BTreeMap, BTreeSet};

use super::group_error::{OF_GROUPS, of_groups};
use super::pair::confidence_of_predicted;
use super::proximity::metrics::{Arranged, OF_PROXIMITY};
use super::resample::Replicates;
use super::scored::{Scored, Value};
use super::weighted::has_weighted_form;
use crate::data::{Column, Predictions};
use crate::decision::unsure::Costs;
use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::metric::classical::{hosmer_lemeshow, spiegelhalter_z};
use crate::metric::clinical::weighted_intercept_slope;
use crate::metric::corp::weighted_corp;
use crate::metric::debiased_ece::{DiscreteBins, debiased_ece};
use crate::metric::ece;
use crate::metric::ici::calibration_index;
use crate::metric::ks::weighted_ks;
use crate::metric::mmce::weighted_mmce;
use crate::metric::prr::{RejectionArea, prr};
use crate::metric::reliability::weighted_reliability_table;
use crate::metric::smooth_ece::{smooth_ece_of, weighted_smooth_ece};
use crate::metric::weight::{NOT_WITH_WEIGHTS, RowWeights};
use crate::num::reflected_kernel::{ReflectedKernel, Spread};
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::report::catalogue::{Resampling, metric};
use of_vector::{OF_VECTOR, of_vector};

mod of_vector;

/// Bins of the debiased error and of the adaptive class-wise error.
const MASS_BINS: usize = 15;
/// Groups of the Hosmer–Lemeshow statistic.
const GROUPS: usize = 10;

/// Ids that look at the (score, target) pair.
const OF_PAIR: &[&str] = &[
    "ece_rms",
    "ece_unweighted",
    "mce_weighted",
    "smece",
    "debiased_ece_l1",
    "debiased_ece_l2",
    "ks",
    "mmce",
    "mmce_w",
    "miscalibration",
    "discrimination",
    "uncertainty",
    "intercept_large",
    "intercept_joint",
    "slope",
    "ici",
    "e50",
    "e90",
    "emax",
    "spiegelhalter_z",
    "hosmer_lemeshow",
];

/// Ids of the total reward with an answer “unsure”, and what a wrong answer costs against it.
const REWARDS: [(&str, f64); 3] = [("reward_2", 2.0), ("reward_5", 5.0), ("reward_10", 10.0)];

/// Whether an id belongs to this file.
pub fn is_further(id: &str) -> bool {
    id == "prr"
        || REWARDS.iter().any(|(known, _)| *known == id)
        || OF_PAIR.contains(&id)
        || OF_VECTOR.contains(&id)
        || OF_PROXIMITY.contains(&id)
        || OF_GROUPS.contains(&id)
}

/// Whether a metric has replicates here.
fn is_resampled(id: &str) -> bool {
    metric(id).is_some_and(|metric| metric.resampling == Resampling::Samples)
}

/// The ids that have replicates; those of proximity and of groups only where the run has them.
pub fn resampled(ids: &[String], with_proximity: bool, with_groups: bool) -> Vec<String> {
    let here = |id: &&String| {
        (with_proximity || !OF_PROXIMITY.contains(&id.as_str())) && (with_groups || !OF_GROUPS.contains(&id.as_str()))
    };
    ids.iter().filter(|id| is_resampled(id)).filter(here).cloned().collect()
}

/// Expected milliseconds of one replicate of `ids` on `n` rows, interval and floor together.
pub fn replicate_cost(ids: &[String], n: usize) -> f64 {
    let n = n as f64;
    let each = |id: &String| match id.as_str() {
        "ici" | "e50" | "e90" | "emax" => 2e-3,
        "intercept_large" | "intercept_joint" | "slope" => 4e-4,
        // Few rows cost less than the bisection on the grid.
        "smece" => 1e-4 + 0.03 / n.max(1.0),
        "piece" | "piece_code" | "bias_index" | "bias_z" => 3e-4,
        id if is_resampled(id) => 1.5e-4,
        _ => 0.0,
    };
    2.0 * n * ids.iter().map(each).fold(0.0, f64::max).max(ids.iter().map(each).sum::<f64>() * 0.4)
}

/// Point values of the ids asked for.
///
/// # Errors
/// As the metrics' own, for what a scored sample cannot be: of different lengths, or empty.
pub fn values(
    data: &Predictions,
    scored: &Scored,
    options: &BinOptions,
    ids: &BTreeSet<String>,
) -> Result<BTreeMap<String, Value>> {
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    let weights = scored.weights();
    let undefined = |id: &String| weights.is_some() && is_further(id) && !has_weighted_form(id);
    let (without, ids): (BTreeSet<String>, BTreeSet<String>) = ids.iter().cloned().partition(undefined);
    found.extend(without.into_iter().map(|id| (id, Err(NOT_WITH_WEIGHTS.to_owned()))));
    let ids = &ids;
    let pair = of_pair(&scored.score, &scored.target, weights, options, ids)?;
    found.extend(
        pair.into_iter()
            .map(|(id, value)| (id.to_owned(), value.ok_or_else(|| "not defined for these outcomes".to_owned()))),
    );
    let rewards: Vec<_> = (REWARDS.iter()).filter(|(id, _)| ids.contains(*id)).collect();
    let (confidence, correct) = if ids.contains("prr") || !rewards.is_empty() {
        confidence_of_predicted(data, &scored.rows, &scored.score, &scored.target)
    } else {
        Default::default()
    };
    for (id, ratio) in rewards {
        let costs = Costs::new(*ratio, 1.0)?;
        let reward = costs.reward(&confidence, &correct, costs.threshold())?;
        found.insert((*id).to_owned(), Ok(reward.total));
    }
    if ids.contains("prr") {
        let value = prr(&confidence, &correct, RejectionArea::Trapezoid)?;
        found.insert("prr".to_owned(), value.ok_or_else(|| "every prediction is right, or every one wrong".to_owned()));
    }
    if OF_VECTOR.iter().any(|id| ids.contains(*id)) {
        found.extend(of_vector(data, scored, options, ids)?);
    }
    Ok(found)
}

fn of_pair<'a>(
    s: &[f64],
    t: &[u8],
    w: RowWeights,
    options: &BinOptions,
    ids: &'a BTreeSet<String>,
) -> Result<Vec<(&'a str, Option<f64>)>> {
    let wanted = |id: &str| ids.contains(id);
    let any = |of: &[&str]| of.iter().any(|id| wanted(id));
    let mut found: Vec<(&'static str, Option<f64>)> = Vec::new();
    if any(&["ece_rms", "ece_unweighted", "mce_weighted"]) {
        let table = weighted_reliability_table(s, t, w, options)?;
        found.push(("ece_rms", ece::ece_lp(&table, 2.0)));
        found.push(("ece_unweighted", ece::ece_unweighted(&table)));
        found.push(("mce_weighted", ece::mce_weighted(&table)));
    }
    if wanted("smece") {
        found.push(("smece", Some(weighted_smooth_ece(s, t, w)?.value)));
    }
    if any(&["debiased_ece_l1", "debiased_ece_l2"]) {
        let debiased = debiased_ece(s, t, MASS_BINS, DiscreteBins::default())?;
        found.extend([("debiased_ece_l1", debiased.l1), ("debiased_ece_l2", Some(debiased.l2))]);
    }
    if wanted("ks") {
        found.push(("ks", Some(weighted_ks(s, t, w)?)));
    }
    if any(&["mmce", "mmce_w"]) {
        let mmce = weighted_mmce(s, t, w)?;
        found.extend([("mmce", Some(mmce.value())), ("mmce_w", Some(mmce.weighted()))]);
    }
    if any(&["miscalibration", "discrimination", "uncertainty"]) {
        let split = weighted_corp(s, t, w)?;
        found.push(("miscalibration", Some(split.miscalibration)));
        found.push(("discrimination", Some(split.discrimination)));
        found.push(("uncertainty", Some(split.uncertainty)));
    }
    if any(&["intercept_large", "intercept_joint", "slope"]) {
        let cox = weighted_intercept_slope(s, t, w)?;
        found.push(("intercept_large", cox.intercept_large.map(|e| e.value)));
        found.push(("intercept_joint", cox.intercept_joint.map(|e| e.value)));
        found.push(("slope", cox.slope.map(|e| e.value)));
    }
    if any(&["ici", "e50", "e90", "emax"]) {
        let index = calibration_index(s, t)?;
        found.extend([
            ("ici", Some(index.ici)),
            ("e50", Some(index.e50)),
            ("e90", Some(index.e90)),
            ("emax", Some(index.emax)),
        ]);
    }
    if wanted("spiegelhalter_z") {
        found.push(("spiegelhalter_z", spiegelhalter_z(s, t)?.map(|test| test.statistic)));
    }
    if wanted("hosmer_lemeshow") {
        found.push(("hosmer_lemeshow", hosmer_lemeshow(s, t, GROUPS)?.map(|test| test.statistic)));
    }
    let asked =
        found.into_iter().filter_map(|(id, value)| Some((ids.get(id)?.as_str(), value.filter(|v| v.is_finite()))));
    Ok(asked.collect())
}

/// Replicates `first..last` of the ids that have them: rows repeated by Poisson(1) weights, and targets redrawn from the
/// scores. The weights are those of the scorecard's replicates, so differences between methods are paired.
///
/// # Errors
/// As [`values`].
pub fn replicates(
    scored: &Scored,
    options: &BinOptions,
    ids: &BTreeSet<String>,
    seed: u64,
    range: std::ops::Range<usize>,
) -> Result<Replicates> {
    let mut out = Replicates::default();
    let weights = scored.weights();
    let here = |id: &&String| is_resampled(id) && (weights.is_none() || has_weighted_form(id));
    let mut ids: BTreeSet<String> = ids.iter().filter(here).cloned().collect();
    let n = scored.rows.len();
    let thresholds: Vec<i32> = scored.score.iter().map(|&s| bernoulli_threshold(s)).collect();
    let (near, groups) = (&scored.proximity, &scored.groups);
    let arranged =
        (!near.is_empty() && weights.is_none()).then(|| Arranged::new(&scored.score, near, &ids)).transpose()?;
    // What scores share is computed once: a replicate is another weight of the same rows.
    let smooth = ids.remove("smece").then(|| Smooth::new(scored));
    let (mut counts, mut redrawn) = (vec![0u8; n], vec![0u8; n]);
    for r in range {
        Lanes::seeded(seed, 2 * r as u64).fill_poisson(&mut counts);
        let repeated = || (0..n).flat_map(|i| std::iter::repeat_n(i, usize::from(counts[i])));
        let s: Vec<f64> = repeated().map(|i| scored.score[i]).collect();
        let t: Vec<u8> = repeated().map(|i| scored.target[i]).collect();
        if !s.is_empty() {
            let w: Option<Vec<f64>> = weights.map(|w| repeated().map(|i| w[i]).collect());
            let found = of_pair(&s, &t, w.as_deref(), options, &ids)?;
            keep(&mut out.bootstrap, found);
            if let Some(smooth) = &smooth {
                keep(&mut out.bootstrap, smooth.repeated(&counts));
            }
            if arranged.is_some() {
                let near: Vec<f64> = repeated().map(|i| near[i]).collect();
                let found = Arranged::new(&s, &near, &ids)?.values(&s, &t)?;
                keep(&mut out.bootstrap, found);
            }
            if !groups.is_empty() {
                let groups: Vec<u32> = repeated().map(|i| groups[i]).collect();
                let found = of_groups(&s, &t, &groups, options, &ids)?;
                keep(&mut out.bootstrap, found);
            }
        }
        Lanes::seeded(seed, 2 * r as u64 + 1).fill_bernoulli(&thresholds, &mut redrawn);
        keep(&mut out.floor, of_pair(&scored.score, &redrawn, weights, options, &ids)?);
        if let Some(smooth) = &smooth {
            keep(&mut out.floor, smooth.redrawn(&redrawn));
        }
        if let Some(arranged) = &arranged {
            keep(&mut out.floor, arranged.values(&scored.score, &redrawn)?);
        }
        if !groups.is_empty() {
            let found = of_groups(&scored.score, &redrawn, groups, options, &ids)?;
            keep(&mut out.floor, found);
        }
    }
    Ok(out)
}

/// The smooth calibration error of rows that are repeated, or whose targets are drawn anew.
struct Smooth<'a> {
    scored: &'a Scored,
    kernel: ReflectedKernel<'a>,
    masses: Spread,
}

impl<'a> Smooth<'a> {
    fn new(scored: &'a Scored) -> Self {
        let ones = || vec![1.0; scored.score.len()];
        let masses = scored.weights().map_or_else(ones, <[f64]>::to_vec);
        Self { scored, kernel: ReflectedKernel::new(&scored.score), masses: Spread::new(masses) }
    }

    fn repeated(&self, counts: &[u8]) -> Vec<(&'static str, Option<f64>)> {
        let weights = self.masses.values().iter().zip(counts);
        let masses: Vec<f64> = weights.map(|(w, c)| w * f64::from(*c)).collect();
        let masses = Spread::new(masses);
        self.value(&self.scored.target, &masses)
    }

    fn redrawn(&self, target: &[u8]) -> Vec<(&'static str, Option<f64>)> {
        self.value(target, &self.masses)
    }

    fn value(&self, target: &[u8], masses: &Spread) -> Vec<(&'static str, Option<f64>)> {
        let rows = self.scored.score.iter().zip(target).zip(masses.values());
        let errors = rows.map(|((s, t), w)| w * (s - f64::from(*t))).collect();
        let found = smooth_ece_of(&self.kernel, &Spread::new(errors), masses).value;
        vec![("smece", Some(found).filter(|v| v.is_finite()))]
    }
}

/// Undefined draws keep their place as NaN: replicate by replicate methods stand beside each other.
fn keep(into: &mut BTreeMap<String, Column<f64>>, found: Vec<(&str, Option<f64>)>) {
    for (id, value) in found {
        let draws = into.entry(id.to_owned()).or_default();
        draws.push(value.unwrap_or(f64::NAN));
    }
}
