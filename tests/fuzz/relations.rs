//! What must not change when the same thing is said in another way: relations that need no reference.

use localcal::metric::registry::METRICS;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseResult};
use serde_json::{Value, json};

use crate::support::pipeline::{Opened, Ran, csv, open};

/// Score (never ½, where a prediction would change sides), outcome, two places, group, whole weight.
type Row = (f64, u8, f64, f64, u8, u8);

fn rows(most: usize) -> impl Strategy<Value = Vec<Row>> {
    let score = prop_oneof![
        (0..=20_u32).prop_filter("no half", |k| *k != 10).prop_map(|k| f64::from(k) / 20.0),
        (0.0..=1.0_f64).prop_filter("no half", |p| (p - 0.5).abs() > 1e-3),
    ];
    let place = (-3..3_i32).prop_map(f64::from);
    prop::collection::vec((score, 0..2_u8, place.clone(), place, 0..3_u8, 1..4_u8), 8..most)
}

fn opened(rows: &[Row], split: Value) -> Opened {
    let column = |of: fn(&Row) -> f64| rows.iter().map(of).collect::<Vec<f64>>();
    let text = csv(&[
        ("p", column(|r| r.0)),
        ("y", column(|r| f64::from(r.1))),
        ("x1", column(|r| r.2)),
        ("x2", column(|r| r.3)),
        ("g", column(|r| f64::from(r.4))),
        ("w", column(|r| f64::from(r.5))),
    ]);
    let roles = json!({ "p": "probability", "y": "label", "x1": "feature", "x2": "feature",
        "g": "group", "w": "ignore" });
    open(&text, json!({ "roles": roles, "split": split, "positive": "1", "view": "positive" }))
}

fn ids() -> Vec<&'static str> {
    METRICS.iter().map(|metric| metric.id).collect()
}

/// Every metric of the file's own scores, on every row.
fn all_metrics(data: &Opened, gamma: f64, bins: Value) -> Ran {
    data.run(json!({
        "evaluate_on": "all", "metrics": ids(), "bins": bins, "resamples": 0,
        "local": { "features": ["x1", "x2"], "gamma": gamma }, "groups": ["g"],
        "klce": { "features": ["x1", "x2"], "resamples": 100 },
        "proximity": { "features": ["x1", "x2"], "neighbours": 3 },
    }))
}

fn same(a: &Ran, b: &Ran, but: &[&str]) -> TestCaseResult {
    for id in ids().into_iter().filter(|id| !but.contains(id)) {
        let (one, other) = (a.metric("none", id), b.metric("none", id));
        match (one.value, other.value) {
            (Some(a), Some(b)) => {
                prop_assert!((a - b).abs() <= 1e-7 * a.abs().max(1.0), "{id}: {a} {b}");
            }
            (a, b) => prop_assert_eq!(a, b, "{}: {:?} {:?}", id, one.reason, other.reason),
        }
    }
    Ok(())
}

/// They draw random numbers whose stream goes with the rows.
const DRAWN: [&str; 3] = ["p_bernoulli", "p_code", "debiased_ece_l1"];

fn settings() -> ProptestConfig {
    ProptestConfig { cases: 40, rng_seed: RngSeed::Fixed(21), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn names_of_groups_do_not_matter(rows in rows(50)) {
        let named: Vec<Row> = rows.iter().map(|r| (r.0, r.1, r.2, r.3, [7, 2, 5][r.4 as usize], r.5)).collect();
        let run = |rows: &[Row]| all_metrics(&opened(rows, json!("auto")), 0.4, json!(5));
        same(&run(&rows), &run(&named), &[])?;
    }

    /// The Laplacian kernel sees ‖Δ‖₁ / γ. Powers of two scale without rounding.
    #[test]
    fn places_and_bandwidth_scale_together(rows in rows(50), power in -3..6_i32) {
        let by = 2_f64.powi(power);
        let scaled: Vec<Row> = rows.iter().map(|r| (r.0, r.1, r.2 * by, r.3 * by, r.4, r.5)).collect();
        let local = |rows: &[Row], gamma: f64| {
            let ran = all_metrics(&opened(rows, json!("auto")), gamma, json!(5));
            ["mlce", "mean_lce"].map(|id| ran.value("none", id))
        };
        let (ours, theirs) = (local(&rows, 0.4), local(&scaled, 0.4 * by));
        for (a, b) in ours.iter().zip(&theirs) {
            prop_assert!((a - b).abs() < 1e-9, "{ours:?} {theirs:?}");
        }
    }

    /// 1 − p and the other outcome say the same; bins closed on the one side become bins closed on the other.
    #[test]
    fn labels_may_be_mirrored(rows in rows(50)) {
        // twentieths and twentieths taken from one: their bins have the same rows, edges included
        let rows: Vec<Row> = rows.iter().map(|r| ((r.0 * 20.0).round() / 20.0, r.1, r.2, r.3, r.4, r.5)).collect();
        let mirrored: Vec<Row> = rows.iter().map(|r| ((20.0 - (r.0 * 20.0).round()) / 20.0, 1 - r.1, r.2, r.3, r.4, r.5)).collect();
        let run = |rows: &[Row], closed: &str| {
            all_metrics(&opened(rows, json!("auto")), 0.4, json!({ "count": 7, "closed": closed }))
        };
        let (a, b) = (run(&rows, "left"), run(&mirrored, "right"));
        for id in ["nll", "brier", "brier_top", "ece", "mce", "ece_rms", "ece_unweighted", "auroc", "smece",
            "kce_biased", "kce_unbiased", "klce2_normalised", "klce2_unbiased", "slope", "uncertainty",
            "group_ece_max", "group_mce_max", "mlce", "mean_lce", "spiegelhalter_z"] {
            let (one, other) = (a.metric("none", id), b.metric("none", id));
            match (one.value, other.value) {
                (Some(a), Some(b)) => prop_assert!((a - b).abs() <= 1e-7 * a.abs().max(1.0), "{id}: {a} {b}"),
                (a, b) => prop_assert_eq!(a, b, "{}: {:?} {:?}", id, one.reason, other.reason),
            }
        }
        for id in ["mean_gap", "intercept_large"] {
            if let (Some(a), Some(b)) = (a.metric("none", id).value, b.metric("none", id).value) {
                prop_assert!((a + b).abs() <= 1e-7 * a.abs().max(1.0), "{id}: {a} {b}");
            }
        }
    }

    /// Means do not know how often everything is said. Left out: what draws numbers, counts rows or neighbors, or
    /// corrects for the number of rows; bins of equal mass, whose interpolated edges lie elsewhere; and a kernel as wide as
    /// the median distance of two rows.
    #[test]
    fn repeated_rows_keep_every_mean(rows in rows(40)) {
        let twice: Vec<Row> = rows.iter().chain(&rows).copied().collect();
        let run = |rows: &[Row]| all_metrics(&opened(rows, json!("auto")), 0.4, json!(6));
        let counts = ["ace", "classwise_ace", "debiased_ece_l2", "kce_biased", "kce_unbiased", "kce_block", "klce2_unbiased", "klce2_normalised", "mmce", "mmce_w",
            "spiegelhalter_z", "hosmer_lemeshow", "piece", "piece_code", "bias_index", "bias_z", "reward_2", "reward_5", "reward_10",
            "aurc", "e_aurc", "augrc", "ici", "e50", "e90", "emax"];
        same(&run(&rows), &run(&twice), &[&DRAWN[..], &counts].concat())?;
    }

    /// One factor on the logits keeps the order of the rows, whatever it is.
    #[test]
    fn a_temperature_keeps_the_order(rows in rows(60)) {
        let data = opened(&rows, json!({ "first": rows.len() / 2 }));
        let ran = data.run(json!({ "methods": ["none", "temperature", "mmce_temperature"], "resamples": 0 }));
        let before = ran.metric("none", "auroc").value;
        for method in ["temperature", "mmce_temperature"] {
            if let (Some(before), Some(after)) = (before, ran.metric(method, "auroc").value) {
                prop_assert!((before - after).abs() < 1e-12, "{method}: {before} {after}");
            }
        }
    }
}
