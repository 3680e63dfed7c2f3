//! Intervals: against independent software, and the same wherever they are printed.

use std::fmt::Write;

use crate::support::pipeline::{Opened, Ran, open};
use localcal::analysis::finding::FindingOutcome;
use localcal::job::Outcome;
use localcal::metric::BinOptions;
use localcal::metric::auroc::delong;
use localcal::metric::clinical::weighted_intercept_slope;
use localcal::metric::entry::IntervalKind;
use localcal::metric::observed_expected::log_ratio;
use localcal::metric::rows::Pair;
use localcal::metric::scaled_brier::SCALED_BRIER;
use localcal::num::rng::Draws;
use localcal::num::special::{NORMAL_975, sigmoid};
use localcal::num::weight::Sampling;
use serde_json::{Value, json};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("numbers").iter().map(|v| v.as_f64().expect("a number")).collect()
}

#[test]
fn analytic_intervals_are_those_of_other_software() {
    let golden: Value = serde_json::from_str(include_str!("../golden/intervals.json")).expect("JSON");
    for (name, file) in golden.as_object().expect("files") {
        let (s, w) = (numbers(&file["s"]), numbers(&file["w"]));
        let t: Vec<u8> = numbers(&file["t"]).iter().map(|&t| t as u8).collect();
        for (key, weights) in [("once", None), ("weighted", Some(w.as_slice()))] {
            let near = |id: &str, found: [f64; 2]| {
                let expected = numbers(&file[key][id]);
                let agree = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-8 * b.abs().max(1.0));
                assert!(agree, "{name}, {key}, {id}: {found:?} {expected:?}");
            };
            let (area, error) = delong(&s, &t, weights).expect("valid").expect("both outcomes");
            near("auroc", [area, error]);
            let fit = weighted_intercept_slope(&s, &t, weights).expect("valid");
            let both = [
                ("intercept_large", fit.intercept_large),
                ("intercept_joint", fit.intercept_joint),
                ("slope", fit.slope),
            ];
            for (id, found) in both {
                let found = found.expect("a maximum");
                near(id, [found.value, found.standard_error]);
            }
            let (ratio, error) = log_ratio(&s, &t, weights, Sampling::default()).expect("valid").expect("events");
            near("observed_expected", [-NORMAL_975, NORMAL_975].map(|z| (ratio + z * error).exp()));
            let bins = BinOptions::default();
            let order = localcal::num::order::ascending(&s);
            let ends = SCALED_BRIER.ends(&Pair::new(&s, &t, weights, &bins), &order).expect("valid").expect("ends");
            near("scaled_brier", ends);
        }
    }
}

fn hospital(rows: usize, seed: u64) -> Opened {
    let mut draws = Draws::seeded(seed, 5);
    let mut text = "risk,died,sex,w\n".to_owned();
    for _ in 0..rows {
        let logit = -1.0 + 1.4 * draws.normal();
        let died = u8::from(draws.uniform() < sigmoid(0.7 * logit + 0.1));
        let sex = ["f", "m"][draws.one_of(2)];
        writeln!(text, "{:.6},{died},{sex},{:.2}", sigmoid(logit), 0.5 + draws.uniform()).expect("text");
    }
    open(&text, json!({ "roles": { "sex": "group", "w": "ignore" } }))
}

fn finding(data: &Opened, ran: &Ran) -> FindingOutcome {
    match data.try_analyse(ran, json!({ "finding": { "parts": ["overall"] } })) {
        Ok(Outcome::Finding(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no finding"),
    }
}

/// Whatever was run before: the finding shows the interval that the scorecard shows when it is asked for the metric.
#[test]
fn one_number_has_one_interval() {
    let data = hospital(600, 3);
    let ids = ["intercept_large", "slope", "auroc", "brier", "scaled_brier"];
    let asked = data.run(json!({ "evaluate_on": "all", "metrics": ids }));
    let report = &asked.outcome().report.methods[0].metrics;
    let runs = [
        json!({ "evaluate_on": "all" }),
        json!({ "evaluate_on": "all", "metrics": ["ece"] }),
        json!({ "evaluate_on": "all", "metrics": ids }),
    ];
    for run in runs {
        let found = finding(&data, &data.run(run.clone())).overall;
        for id in ids {
            let (ours, theirs) = (&found[id], &report[id]);
            let near = |a: Option<f64>, b: Option<f64>| (a.expect("known") - b.expect("known")).abs() < 1e-5;
            let same = near(ours.value, theirs.value) && near(ours.low, theirs.low) && near(ours.high, theirs.high);
            assert!(same, "{run}, {id}: {ours:?} {theirs:?}");
            assert_eq!(ours.interval, theirs.interval, "{id}");
        }
        assert_eq!(found["observed_expected"].interval, Some(IntervalKind::ExactOrWald));
    }
    assert_eq!(report["auroc"].interval, Some(IntervalKind::Delong));
    assert_eq!(report["slope"].interval, Some(IntervalKind::Wald));
    assert_eq!(report["brier"].interval, Some(IntervalKind::BootstrapPercentile));
}
