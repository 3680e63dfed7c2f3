//! The finding of a run: it claims nothing of calibrated files, and agrees with every number beneath it.

use localcal::report::RunOutcome;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;
use serde_json::json;

use super::Draws;
use crate::support::pipeline::{csv, open};

/// Outcomes drawn from the file's own probabilities, those of two classes moved by `shift` first.
fn drawn(n: usize, m: usize, shift: f64, seed: u64) -> String {
    let mut draws = Draws(Pcg64::seed_from_u64(seed));
    let names: Vec<String> = (0..m).map(|k| format!("p_{k}")).collect();
    let mut columns = vec![Vec::with_capacity(n); m + 1];
    for _ in 0..n {
        let e: Vec<f64> = (0..m).map(|_| (4.0 * draws.uniform()).exp()).collect();
        let p: Vec<f64> = e.iter().map(|v| v / e.iter().sum::<f64>()).collect();
        let mut left = draws.uniform() - shift;
        let class = p.iter().position(|p| {
            left -= p;
            left < 0.0
        });
        for (column, p) in columns.iter_mut().zip(&p) {
            column.push(*p);
        }
        columns[m].push(class.unwrap_or(m - 1) as f64);
    }
    let label = columns.pop().unwrap();
    let mut named: Vec<(&str, Vec<f64>)> = Vec::new();
    if m == 2 {
        named.push(("p", columns.swap_remove(1)));
    } else {
        named.extend(names.iter().map(String::as_str).zip(columns));
    }
    named.push(("label", label));
    csv(&named)
}

/// Whether the headline claims that something is off; every sentence is held against its numbers.
fn claims(run: &RunOutcome) -> bool {
    let metrics = &run.report.methods[0].metrics;
    let (gap, ece) = (&metrics["mean_gap"], &metrics["ece"]);
    let (gap_out, ece_out) = (gap.outside_floor(), ece.above_floor());
    let words = &run.presentation;
    let text = &words.headline;
    let state = format!("{text} {} {gap:?} {ece:?}", words.floor);
    if text.starts_with("No significant mean error or ECE") {
        assert!(!gap_out && !ece_out, "{state}");
        return false;
    }
    if text.contains(": calibration cannot be assessed (") {
        assert!(text.starts_with("No "), "{state}");
        return false;
    }
    if text.starts_with("Inconclusive: ") {
        assert!(gap_out || ece_out, "{state}");
        assert_eq!(text.contains("mean error"), gap_out, "{state}");
        assert_eq!(text.contains("ECE"), ece_out, "{state}");
        return false;
    }
    match text.split(' ').next().unwrap() {
        "Miscalibrated:" => assert!(ece_out, "{state}"),
        "Probabilities" | "Confidence" => {
            let high = text.contains(" overestimated by ");
            assert!(gap_out && high == (gap.value.unwrap() > 0.0), "{state}");
        }
        _ => panic!("{state}"),
    }
    // The row of the scorecard stands out where the sentence speaks of bins.
    let row = words.scorecard.iter().find(|row| row.id == "ece").unwrap();
    assert_eq!(row.beyond, ece_out, "{state}");
    true
}

#[test]
fn calibrated_files_are_rarely_said_to_be_off() {
    let (mut said, mut files) = (0, 0);
    for m in [2, 3, 10] {
        for n in [1, 8, 30, 120, 400] {
            let (before, of) = (said, 40);
            for k in 0..of {
                let text = drawn(n + m, m, 0.0, 1_000 * m as u64 + 100 * n as u64 + k);
                let data = open(&text, json!({}));
                let ran = data.run(json!({
                    "evaluate_on": "all", "resamples": 200, "seed": k,
                    "metrics": ["mean_gap", "ece"],
                }));
                said += u32::from(claims(ran.outcome()));
                files += 1;
            }
            println!("{m} classes, {} rows: {} of {of} claim", n + m, said - before);
        }
    }
    println!("{said} of {files} calibrated files are said to be off");
    assert!(files >= 200 && said * 20 <= files, "{said} of {files}");
}

/// Not one event of 150 expected is no file that cannot be assessed; of one that expects 0.2 the same proves nothing.
#[test]
fn a_file_without_events_is_assessed_by_its_mean_error() {
    let says = |risk: f64, n: usize| {
        let data = open(&csv(&[("p", vec![risk; n]), ("label", vec![0.0; n])]), json!({}));
        data.run(json!({ "evaluate_on": "all", "resamples": 200 })).outcome().presentation.headline.clone()
    };
    let off = says(0.3, 500);
    assert!(off.starts_with("Probabilities are overestimated by 30.0 percentage points on average ("), "{off}");
    let none = says(0.01, 20);
    assert!(none.starts_with("No events: calibration cannot be assessed (predicted 1.0%"), "{none}");
}

/// As in handwritten digits: a mean gap that is no chance, while the ECE is what a calibrated model shows.
#[test]
fn a_gap_beyond_chance_is_told_where_the_ece_is_not() {
    let mut met = [0; 2];
    for seed in 0..60 {
        for view in ["positive", "top_label"] {
            let data = open(&drawn(600, 2, 0.05, seed), json!({ "view": view }));
            let ran = data.run(json!({
                "evaluate_on": "all", "resamples": 400, "seed": seed, "metrics": ["mean_gap", "ece"],
            }));
            let run = ran.outcome();
            let said = claims(run);
            let metrics = &run.report.methods[0].metrics;
            if metrics["mean_gap"].outside_floor() && !metrics["ece"].above_floor() {
                assert!(!run.presentation.headline.starts_with("No significant mean error or ECE"));
                met[usize::from(said)] += 1;
            }
        }
    }
    assert!(met[1] > 0, "no such file was met: {met:?}");
}

#[test]
fn without_enough_draws_nothing_is_claimed() {
    let data = open(&drawn(300, 2, 0.3, 1), json!({}));
    for resamples in [0, 30] {
        let ran = data.run(json!({ "evaluate_on": "all", "resamples": resamples }));
        let text = &ran.outcome().presentation.headline;
        assert!(text.starts_with("Calibration was not tested, which takes at least 99 simulations"), "{text}");
    }
}

/// The finding looks at both numbers whether or not they were asked for.
#[test]
fn the_headline_does_not_hang_on_what_is_shown() {
    let data = open(&drawn(400, 2, 0.2, 3), json!({}));
    let headline = |metrics: &[&str]| {
        let ran = data.run(json!({ "resamples": 200, "metrics": metrics }));
        ran.outcome().presentation.headline.clone()
    };
    assert_eq!(headline(&["nll"]), headline(&["ece", "mean_gap", "accuracy"]));
    assert!(headline(&["nll"]).starts_with("Probabilities are overestimated by "), "{}", headline(&["nll"]));
}

/// A tree's scores, 0 and 1, are wrong equally often on both sides: no calibrated model has any mean error then, and the interval of
/// this one includes 0.
#[test]
fn a_mean_error_whose_interval_includes_0_is_not_claimed() {
    let side = |s: f64, wrong: usize| (0..150).map(move |i| (s, if i < wrong { 1.0 - s } else { s }));
    let (p, y): (Vec<f64>, Vec<f64>) = side(1.0, 12).chain(side(0.0, 10)).unzip();
    let data = open(&csv(&[("p", p), ("label", y)]), json!({}));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 200 }));
    let outcome = ran.outcome();
    let gap = &outcome.report.methods[0].metrics["mean_gap"];
    assert!(gap.low < Some(0.0) && gap.high > Some(0.0) && gap.outside_floor(), "{gap:?}");
    let text = &outcome.presentation.headline;
    assert!(text.starts_with("Miscalibrated: ECE ") && text.contains("no significant error on average"), "{text}");
}

/// Of four classes one never occurs: it is predicted in vain, the others come true more often than stated, and the two cancel in
/// the confidence.
#[test]
fn errors_of_classes_that_cancel_are_stated() {
    let report = |text: &str| {
        let data = open(text, json!({}));
        data.run(json!({ "resamples": 200 })).outcome().presentation.clone()
    };
    let all = drawn(3000, 4, 0.0, 8);
    assert!(!report(&all).floor.contains("Class-wise"), "{}", report(&all).floor);
    let three: String = all.lines().filter(|line| !line.ends_with(",2")).map(|line| format!("{line}\n")).collect();
    let found = report(&three);
    assert!(found.headline.starts_with("No significant mean error or ECE of confidence"), "{}", found.headline);
    let row = found.scorecard.iter().find(|row| row.id == "classwise_ece").unwrap();
    assert!(found.floor.contains(&format!("Class-wise ECE, over all classes, is {};", row.value)), "{}", found.floor);
}

#[test]
fn the_headline_is_about_the_original_predictions_or_names_the_method() {
    let data = open(&drawn(1_500, 2, 0.12, 5), json!({}));
    let said = |methods: serde_json::Value| {
        data.run(json!({ "methods": methods, "resamples": 200 })).outcome().presentation.headline.clone()
    };
    let original = said(json!(["none", "platt"]));
    assert!(original.starts_with("Probabilities are "), "{original}");
    assert_eq!(said(json!(["platt", "none"])), original);
    let alone = said(json!(["platt"]));
    assert!(alone.starts_with("Platt scaling: "), "{alone}");
}

#[test]
fn a_verdict_names_only_what_was_computed() {
    let data = open(&drawn(3_000, 2, 0.12, 6), json!({}));
    let verdict = |metrics: serde_json::Value| {
        let ran = data.run(json!({ "methods": ["none", "platt"], "metrics": metrics, "resamples": 200 }));
        ran.outcome().presentation.recalibration.rows[1].verdict.clone()
    };
    assert_eq!(verdict(json!(["ece"])), "ECE decreases (n = 3,000).");
    assert_eq!(verdict(json!(["auroc"])), "Not judged, which takes NLL, Brier score or ECE.");
    assert_eq!(verdict(json!(["nll"])), "Significantly better than no recalibration by NLL (n = 3,000).");
    let all = verdict(json!(["nll", "brier", "ece"]));
    assert_eq!(all, "Significantly better than no recalibration by NLL and Brier score (n = 3,000).");
}
