//! Miscalibration, discrimination and uncertainty: a split of the Brier score without bins.

use std::rc::Rc;

use super::brier::weighted_brier_pair;
use super::entry::{Better, Cost, Discloses, Interval, Metric, Replicates, ValueOf, Weights};
use super::rows::Pair;
use crate::error::Result;
use crate::num::isotonic::weighted_isotonic_blocks;
use crate::num::weight::{RowWeights, total_weight};

/// Brier score = miscalibration − discrimination + uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corp {
    /// score − score of the isotonic recalibration; at least 0
    pub miscalibration: f64,
    /// score of the base rate − score of the isotonic recalibration; at least 0
    pub discrimination: f64,
    /// score of the base rate, t̄(1 − t̄)
    pub uncertainty: f64,
}

/// The split of the Brier score of (s, t) by isotonic regression on the same rows.
///
/// Source: Dimitriadis, Gneiting and Jordan (2021), equation 4. Errors: `empty`, `length_mismatch`. One sort.
pub fn corp(s: &[f64], t: &[u8]) -> Result<Corp> {
    weighted_corp(s, t, None)
}

/// [`corp`] of rows with weights: every score is a weighted mean. Errors as there.
pub fn weighted_corp(s: &[f64], t: &[u8], w: RowWeights) -> Result<Corp> {
    let score = weighted_brier_pair(s, t, w)?;
    let blocks = weighted_isotonic_blocks(s, t, w)?;
    let n = total_weight(w, s.len());
    let recalibrated = blocks.iter().map(|b| b.sum * (1.0 - b.mean())).sum::<f64>() / n;
    let base = blocks.iter().map(|b| b.sum).sum::<f64>() / n;
    let uncertainty = base * (1.0 - base);
    Ok(Corp {
        miscalibration: (score - recalibrated).max(0.0),
        discrimination: (uncertainty - recalibrated).max(0.0),
        uncertainty,
    })
}

/// Miscalibration (Brier): the part of the Brier score that recalibration can remove.
pub static MISCALIBRATION: Metric = Metric {
    id: "miscalibration",
    name: "Miscalibration (Brier)",
    plain: "the component of the Brier score that recalibration can remove",
    definition: "Brier score minus that of the isotonically recalibrated scores, in-sample.",
    formula: "B(s) − B(s̃), s̃ the isotonic recalibration",
    source: "Dimitriadis, Gneiting and Jordan 2021",
    unit: "squared probability",
    value: ValueOf::Pair(|pair| Ok(Some(corp_of(pair)?.miscalibration))),
    weights: Weights::Form("weighted isotonic regression, weighted Brier scores"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// Discrimination (Brier): what the scores know.
pub static DISCRIMINATION: Metric = Metric {
    id: "discrimination",
    name: "Discrimination (Brier)",
    plain: "the component of the Brier score due to discrimination",
    definition: "Brier score of the mean outcome minus that of the isotonically recalibrated scores.",
    formula: "B(t̄) − B(s̃)",
    source: "Dimitriadis, Gneiting and Jordan 2021",
    better: Better::Higher,
    unit: "squared probability",
    value: ValueOf::Pair(|pair| Ok(Some(corp_of(pair)?.discrimination))),
    weights: Weights::Form("weighted isotonic regression, weighted Brier scores"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Basic,
    floor: false,
    order_only: true,
    bar: false,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// Uncertainty (Brier): what there is to know.
pub static UNCERTAINTY: Metric = Metric {
    id: "uncertainty",
    name: "Uncertainty (Brier)",
    plain: "the component of the Brier score due to the outcome variance",
    definition: "Brier score of the mean outcome.",
    formula: "t̄(1 − t̄)",
    source: "Dimitriadis, Gneiting and Jordan 2021",
    better: Better::Neither,
    unit: "squared probability",
    value: ValueOf::Pair(|pair| Ok(Some(corp_of(pair)?.uncertainty))),
    weights: Weights::Form("t̄ = Σ w t / Σ w"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Percentile,
    floor: false,
    bar: false,
    discloses: Discloses::All,
    from_counts: true,
    ..Metric::PLAIN
};

fn corp_of(pair: &Pair) -> Result<Rc<Corp>> {
    pair.shared(|| weighted_corp(pair.score, pair.target, pair.weights))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{b12, close};
    use crate::metric::brier::brier_pair;
    use crate::metric::properties::{rows, split};
    use proptest::prelude::*;

    #[test]
    fn agrees_with_scikit_learn() {
        // IsotonicRegression().fit_transform, then the three Brier scores
        let (p, y) = b12();
        let split = corp(&p, &y).expect("valid");
        close(Some(split.miscalibration), 0.052_777_777_777_777_785);
        close(Some(split.discrimination), 0.094_444_444_444_444_41);
        close(Some(split.uncertainty), 0.25);
    }

    proptest! {
        #[test]
        fn the_split_is_exact(rows in rows()) {
            let (s, t, _) = split(&rows);
            let c = corp(&s, &t).expect("valid");
            let score = brier_pair(&s, &t).expect("valid");
            prop_assert!((c.miscalibration - c.discrimination + c.uncertainty - score).abs() < 1e-12);
        }
    }
}
