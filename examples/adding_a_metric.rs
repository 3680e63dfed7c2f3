//! Adding a metric: this file would be `crates/numerics/src/metric/expected_brier.rs`, with `super::` for
//! `localcal::metric::`, and `&expected_brier::EXPECTED_BRIER,` its line in `crates/numerics/src/metric/registry.rs`.
//! A source that no other entry names is added to `src/markup/references.txt`. CONTRIBUTING.md lists the tests that
//! ask for more.

use localcal::Result;
use localcal::metric::entry::{Better, Cost, Discloses, Interval, Metric, Replicates, ValueOf, Weights};
use localcal::metric::rows::Pair;
use localcal::num::weight::{RowWeights, check_weighted, weighted_mean};

/// (1/n) Σ s (1 − s), with weights Σ w s (1 − s) / Σ w: the Brier score that scores would have if they were right.
///
/// * `s`: scores in [0, 1], n; returns a value in [0, ¼]
///
/// Errors: `empty`, `length_mismatch`. One pass.
pub fn expected_brier(s: &[f64], w: RowWeights) -> Result<f64> {
    check_weighted(s.len(), s.len(), w)?;
    let each: Vec<f64> = s.iter().map(|s| s * (1.0 - s)).collect();
    Ok(weighted_mean(&each, w))
}

/// Expected Brier score: the squared error that right scores would have.
pub static EXPECTED_BRIER: Metric = Metric {
    id: "expected_brier",
    name: "Expected Brier",
    plain: "squared error if the scores were right",
    definition: "Mean of s(1 − s): the Brier score that scores would have whose outcomes are drawn from them.",
    formula: "(1/n) Σ s(1 − s)",
    source: "Murphy 1973",
    better: Better::Zero,
    unit: "squared probability",
    value: ValueOf::Pair(|pair| Ok(Some(expected_brier(pair.score, pair.weights)?))),
    discloses: Discloses::All,
    weights: Weights::Form("Σ w x / Σ w"),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Percentile,
    floor: false,
    bar: false,
    ..Metric::PLAIN
};

fn main() -> Result<()> {
    // (0.5 · 0.5 + 0.75 · 0.25) / 2
    assert_eq!(expected_brier(&[0.5, 0.75], None)?, 0.21875);
    let bins = Default::default();
    let rows = Pair::new(&[0.5, 0.75], &[0, 1], Some(&[3.0, 1.0]), &bins);
    if let ValueOf::Pair(value) = EXPECTED_BRIER.value {
        println!("{}: {:?} with weights 3 and 1", EXPECTED_BRIER.name, value(&rows)?);
    }
    Ok(())
}
