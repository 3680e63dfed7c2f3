//! Total reward of answering, or asking where the confidence is too low.

use super::entry::Value;
use super::entry::{Better, Discloses, Interval, Metric, Range, Replicates, ValueOf};
use super::rows::Prediction;
use crate::decision::unsure::Costs;
use crate::error::Result;

/// −#(rows asked about) − `cost` · #(rows answered wrongly), asking below a confidence of 1 − 1/`cost`.
fn total_reward(rows: &Prediction, cost: f64) -> Result<Value> {
    let costs = Costs::new(cost, 1.0)?;
    let reward = costs.reward(&rows.confidence, &rows.correct, costs.threshold())?;
    Ok(Ok(reward.total))
}

/// Reward at 2 : 1: what answering or asking brings when an error costs 2 questions.
pub static REWARD_2: Metric = Metric {
    id: "reward_2",
    name: "Reward at 2 : 1",
    plain: "reward of answering or deferring if an error costs 2 deferrals",
    definition: "−(rows deferred) − 2 × (errors), deferring below a confidence of 1 − 1/2; at most 0.",
    formula: "−#{c < 1 − 1/2} − 2 · #{c ≥ 1 − 1/2, a = 0}",
    source: "Luo et al. 2022, section 5.3",
    better: Better::Higher,
    range: Range::Negative,
    unit: "questions",
    value: ValueOf::Prediction(|rows| total_reward(rows, 2.0)),
    replicates: Replicates::Never,
    interval: Interval::None,
    floor: false,
    bar: false,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

/// Reward at 5 : 1: what answering or asking brings when an error costs 5 questions.
pub static REWARD_5: Metric = Metric {
    id: "reward_5",
    name: "Reward at 5 : 1",
    plain: "reward of answering or deferring if an error costs 5 deferrals",
    definition: "−(rows deferred) − 5 × (errors), deferring below a confidence of 1 − 1/5; at most 0.",
    formula: "−#{c < 1 − 1/5} − 5 · #{c ≥ 1 − 1/5, a = 0}",
    source: "Luo et al. 2022, section 5.3",
    better: Better::Higher,
    range: Range::Negative,
    unit: "questions",
    value: ValueOf::Prediction(|rows| total_reward(rows, 5.0)),
    replicates: Replicates::Never,
    interval: Interval::None,
    floor: false,
    bar: false,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

/// Reward at 10 : 1: what answering or asking brings when an error costs 10 questions.
pub static REWARD_10: Metric = Metric {
    id: "reward_10",
    name: "Reward at 10 : 1",
    plain: "reward of answering or deferring if an error costs 10 deferrals",
    definition: "−(rows deferred) − 10 × (errors), deferring below a confidence of 1 − 1/10; at most 0.",
    formula: "−#{c < 1 − 1/10} − 10 · #{c ≥ 1 − 1/10, a = 0}",
    source: "Luo et al. 2022, section 5.3",
    better: Better::Higher,
    range: Range::Negative,
    unit: "questions",
    value: ValueOf::Prediction(|rows| total_reward(rows, 10.0)),
    replicates: Replicates::Never,
    interval: Interval::None,
    floor: false,
    bar: false,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};
