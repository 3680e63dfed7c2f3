//! Selective prediction: the risk of answering only the most confident rows, over all coverages.
//!
//! Of the i most confident rows eᵢ are wrong. Coverage is i/n, selective risk eᵢ/i, generalized risk eᵢ/n. Inside a block of
//! equal confidences eᵢ grows by the block's error rate a row, which is its expected value over the orders of the block: the
//! order of tied rows does not matter.

use super::entry::{Discloses, Interval, Metric, Replicates, ValueOf};
use super::reason::Reason;
use crate::error::Result;
use crate::num::{check_lengths, order, ties};

/// The areas under curves of risk over coverage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskCoverage {
    /// (1/n) Σ eᵢ/i, in [0, 1]
    pub aurc: f64,
    /// AURC minus that of an order with all errors last, in [0, 1]
    pub excess: f64,
    /// area under generalized risk over coverage, by trapezoids through (0, 0), in [0, 1/2]
    pub augrc: f64,
}

/// Areas under the risk–coverage curves.
///
/// * `c`: confidences, n; `correct`: 1 where the prediction is right, n
///
/// Sources: Geifman, Uziel and El-Yaniv, ICLR 2019 (AURC, E-AURC); Traub et al., NeurIPS 2024 (AUGRC).
/// Errors: `empty`, `length_mismatch`. One sort.
///
/// ```
/// use localcal_numerics::metric::risk_coverage::risk_coverage;
///
/// // the more confident of two is the wrong one: risks 1 and 1/2, where 0 and 1/2 were possible
/// let areas = risk_coverage(&[0.9, 0.6], &[0, 1])?;
/// assert_eq!((areas.aurc, areas.excess, areas.augrc), (0.75, 0.5, 0.375));
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn risk_coverage(c: &[f64], correct: &[u8]) -> Result<RiskCoverage> {
    check_lengths(c.len(), correct.len())?;
    let ascending = order::ascending(c);
    let blocks: Vec<_> = ties::tie_blocks(c, &ascending).collect();
    let n = c.len() as f64;
    let (mut answered, mut wrong, mut selective, mut generalized) = (0.0, 0.0, 0.0, 0.0);
    for block in blocks.into_iter().rev() {
        let rows = block.len() as f64;
        let right: u32 = ascending[block.clone()].iter().map(|&i| u32::from(correct[i as usize].min(1))).sum();
        let errors = rows - f64::from(right);
        for row in 1..=block.len() {
            selective += (wrong + errors * row as f64 / rows) / (answered + row as f64);
        }
        generalized += rows * (wrong + errors / 2.0);
        answered += rows;
        wrong += errors;
    }
    // with all errors last, the first n − E rows have none
    let first = n - wrong;
    let best: f64 = (1..=wrong as usize).map(|k| k as f64 / (first + k as f64)).sum();
    let aurc = selective / n;
    Ok(RiskCoverage { aurc, excess: (aurc - best / n).max(0.0), augrc: generalized / (n * n) })
}

/// AURC: the mean risk over all coverages.
pub static AURC: Metric = Metric {
    id: "aurc",
    name: "AURC",
    plain: "mean risk over all coverages",
    definition: "Area under the risk–coverage curve: the error rate among the i most confident rows, averaged over i; ties \
                 averaged.",
    formula: "(1/n) Σ eᵢ / i",
    source: "Geifman et al. 2019",
    value: ValueOf::Prediction(|rows| Ok(Ok(risk_coverage(&rows.confidence, &rows.correct)?.aurc))),
    discloses: Discloses::Countable,
    ..AREA
};

/// E-AURC: what an ideal ranking of the errors would gain.
pub static E_AURC: Metric = Metric {
    id: "e_aurc",
    name: "E-AURC",
    plain: "mean risk over all coverages, minus the smallest possible",
    definition: "AURC minus the AURC of a ranking with all errors last.",
    formula: "AURC − AURC*",
    source: "Geifman et al. 2019",
    value: ValueOf::Prediction(|rows| Ok(Ok(risk_coverage(&rows.confidence, &rows.correct)?.excess))),
    discloses: Discloses::Countable,
    ..AREA
};

/// AUGRC: the mean proportion of answered errors among all rows.
pub static AUGRC: Metric = Metric {
    id: "augrc",
    name: "AUGRC",
    plain: "errors answered, as a proportion of all rows, over all coverages",
    definition: "Area under the generalized risk–coverage curve: errors among the i most confident rows divided by n, over \
                 i/n, by trapezoids.",
    formula: "(1 − AUROC) r (1 − r) + r²/2, r = E/n",
    source: "Traub et al. 2024",
    value: ValueOf::Prediction(|rows| Ok(Ok(risk_coverage(&rows.confidence, &rows.correct)?.augrc))),
    discloses: Discloses::Countable,
    ..AREA
};

/// What the three areas have in common.
const AREA: Metric = Metric {
    id: "",
    name: "",
    plain: "",
    definition: "",
    formula: "",
    source: "",
    value: ValueOf::Prediction(|_| Ok(Err(Reason::undefined("")))),
    replicates: Replicates::Never,
    interval: Interval::None,
    floor: false,
    bar: false,
    ..Metric::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{STATED, close};
    use crate::metric::auroc;
    use crate::metric::properties::{rows, split};
    use proptest::prelude::*;

    #[test]
    fn the_numbers_of_numpy() {
        // tests/golden/make_selective.py
        let (c, a): (Vec<f64>, Vec<u8>) = STATED.iter().map(|(c, a)| (f64::from(*c) / 100.0, *a)).unzip();
        let areas = risk_coverage(&c, &a).expect("valid");
        close(Some(areas.aurc), 0.380_676_295_445_787_24);
        close(Some(areas.excess), 0.231_674_990_859_437);
        close(Some(areas.augrc), 0.198_487_712_665_406_43);
    }

    #[test]
    fn no_errors_and_nothing_but_errors() {
        let all = risk_coverage(&[0.2, 0.9, 0.9], &[0, 0, 0]).expect("valid");
        assert_eq!((all.aurc, all.excess, all.augrc), (1.0, 0.0, 0.5));
        let none = risk_coverage(&[0.2, 0.9, 0.9], &[1, 1, 1]).expect("valid");
        assert_eq!((none.aurc, none.excess, none.augrc), (0.0, 0.0, 0.0));
        assert_eq!(risk_coverage(&[], &[]).expect_err("no rows").code(), "empty");
    }

    /// (1/n) Σ eᵢ/i averaged over every order of the rows that never puts a less confident one first.
    fn over_all_orders(rows: &[(u8, u8)]) -> f64 {
        fn walk(left: &mut Vec<(u8, u8)>, taken: f64, wrong: f64, area: f64, areas: &mut Vec<f64>) {
            let Some(most) = left.iter().map(|(c, _)| *c).max() else {
                areas.push(area / taken);
                return;
            };
            for place in 0..left.len() {
                if left[place].0 == most {
                    let (c, a) = left.remove(place);
                    let wrong = wrong + f64::from(1 - a);
                    walk(left, taken + 1.0, wrong, area + wrong / (taken + 1.0), areas);
                    left.insert(place, (c, a));
                }
            }
        }
        let mut areas = Vec::new();
        walk(&mut rows.to_vec(), 0.0, 0.0, 0.0, &mut areas);
        areas.iter().sum::<f64>() / areas.len() as f64
    }

    proptest! {
        #[test]
        fn ties_are_averaged_over_their_orders(rows in prop::collection::vec((0..3u8, 0..2u8), 1..7)) {
            let (c, a): (Vec<f64>, Vec<u8>) = rows.iter().map(|(c, a)| (f64::from(*c) / 3.0, *a)).unzip();
            let found = risk_coverage(&c, &a).expect("valid").aurc;
            prop_assert!((found - over_all_orders(&rows)).abs() < 1e-12);
        }

        #[test]
        fn generalized_risk_follows_from_the_auroc(rows in rows()) {
            let (c, a, _) = split(&rows);
            let areas = risk_coverage(&c, &a).expect("valid");
            let r = a.iter().filter(|a| **a == 0).count() as f64 / a.len() as f64;
            let ranked = auroc(&c, &a).expect("valid").map_or(0.0, |area| (1.0 - area) * r * (1.0 - r));
            prop_assert!((areas.augrc - (ranked + r * r / 2.0)).abs() < 1e-10);
            prop_assert!((0.0..=1.0).contains(&areas.aurc) && areas.excess <= areas.aurc);
        }
    }
}
