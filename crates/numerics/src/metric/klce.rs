//! What a run says of the KLCE test: squared kernel local calibration error and its p-values.
//!
//! The test itself is [`hypothesis`](crate::hypothesis).

use super::entry::Value;
use super::entry::{Better, Discloses, Interval, Metric, Range, Replicates, ValueOf, Written};
use super::reason::Reason;
use crate::hypothesis::{KlceTestOutcome, Null};

fn too_few() -> Reason {
    Reason::undefined("too_few_rows")
}

/// The p-value under a null, or why there is none.
fn p_under(found: &KlceTestOutcome, null: Null) -> Value {
    match found.under(null) {
        Some(under) => under.p.ok_or_else(|| Reason::undefined(under.reason.clone().unwrap_or_default())),
        None if found.n < 2 => Err(too_few()),
        None => Err(Reason::undefined("no_draws")),
    }
}

/// What right scores would show: T of every draw of the outcomes from the scores, over `by`.
fn over(found: &KlceTestOutcome, by: f64) -> Vec<f64> {
    let draws = found.under(Null::Bernoulli).map(|null| null.draws.clone()).unwrap_or_default();
    draws.iter().map(|t| t / by).collect()
}

/// KLCE²: mean calibration error of rows that are similar in score and covariates.
pub static KLCE2_NORMALIZED: Metric = Metric {
    id: "klce2_normalised",
    name: "KLCE²",
    plain: "squared calibration error among rows similar in score and covariates",
    definition: "Σ_{i≠j} e_i K_ij e_j over ((n − 1)/n) Σ_ij K_ij: squared kernel local calibration error, e = outcome − score, K a Gaussian kernel on score and covariates. May be negative.",
    formula: "Σ_{i≠j} e_i K_ij e_j / ((n − 1)/n Σ_ij K_ij), e = y − p",
    source: "Vashistha and Farahi 2025, as every number of their tables",
    range: Range::Any,
    unit: "squared probability",
    value: ValueOf::KlceTest(|found, _| found.normalized.ok_or_else(too_few)),
    replicates: Replicates::Test(Some(|found| {
        let n = found.n as f64;
        over(found, (n - 1.0) / n * (found.mass + n))
    })),
    interval: Interval::Tested,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// KLCE² (unbiased): the same over all pairs, similar or not.
pub static KLCE2_UNBIASED: Metric = Metric {
    id: "klce2_unbiased",
    name: "KLCE² (unbiased)",
    plain: "the same over all pairs",
    definition: "Σ_{i≠j} e_i K_ij e_j / (n(n − 1)). May be negative.",
    formula: "Σ_{i≠j} e_i K_ij e_j / (n(n − 1))",
    source: "Vashistha and Farahi 2025",
    range: Range::Any,
    unit: "squared probability",
    value: ValueOf::KlceTest(|found, _| found.unbiased.ok_or_else(too_few)),
    replicates: Replicates::Test(Some(|found| {
        let n = found.n as f64;
        over(found, n * (n - 1.0))
    })),
    interval: Interval::Tested,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// p (KLCE test): how often right scores would look as bad.
pub static P_BERNOULLI: Metric = Metric {
    id: "p_bernoulli",
    name: "p (KLCE test)",
    plain: "p-value of the KLCE calibration test",
    definition: "(1 + draws with KLCE² at least as large) / (draws + 1), outcomes drawn from the scores. Small: \
                 calibration is rejected. Large: not rejected, which is no evidence of calibration.",
    formula: "(1 + #{draws: T* ≥ T}) / (draws + 1), y* ~ Bernoulli(p)",
    source: "Monte Carlo test of Vashistha and Farahi's 2025 hypothesis",
    better: Better::Neither,
    written: Written::PValue,
    unit: "probability",
    value: ValueOf::KlceTest(|found, _| p_under(found, Null::Bernoulli)),
    replicates: Replicates::Test(None),
    interval: Interval::Tested,
    floor: false,
    bar: false,
    discloses: Discloses::All,
    ..Metric::PLAIN
};

/// p (permutations): the same by shuffled residuals, draws centered, as published.
pub static P_CODE: Metric = Metric {
    id: "p_code",
    name: "p (permutations)",
    plain: "the same with permuted residuals and centered draws, as published",
    definition: "Proportion of permutations of the residuals with a larger KLCE² after subtraction of the mean over \
                 permutations, at least 1 / draws. Exceeds its level if residual variance differs between rows.",
    formula: "max(#{draws: T* − mean T* > T}, 1) / draws, residuals permuted",
    source: "Vashistha and Farahi 2025, as their package computes it",
    better: Better::Neither,
    written: Written::PValue,
    unit: "probability",
    value: ValueOf::KlceTest(p_under),
    replicates: Replicates::Test(None),
    interval: Interval::Tested,
    floor: false,
    bar: false,
    discloses: Discloses::All,
    ..Metric::PLAIN
};
