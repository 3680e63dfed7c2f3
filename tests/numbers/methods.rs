//! Every method id, from file to report, in both views and for several classes.

use crate::support::pipeline::{Opened, open, try_open};
use localcal::evaluation::method::alone;
use localcal::metric::Reason;
use localcal::report::Report;
use serde_json::{Value, json};

fn sample(name: &str, options: Value) -> Opened {
    let bytes = std::fs::read(format!("{}/www/sample/{name}", env!("CARGO_MANIFEST_DIR")));
    try_open(&[(name, &bytes.expect("a sample of the page"))], options).expect("data")
}

fn report(data: &Opened, request: Value) -> Report {
    data.run(request).outcome().report.clone()
}

fn every_method(data: &Opened, features: Value) -> Report {
    let ids: Vec<&str> = alone().map(|entry| entry.id).collect();
    report(data, json!({ "methods": ids, "local": { "features": features, "gamma": 1 }, "resamples": 0 }))
}

/// A recalibration fitted on other rows may lose a little, never much; LoRe, histograms and matrices may lose more.
fn check(report: &Report, loss: &str, slack: f64) {
    let value = |id: &str| {
        let method = report.methods.iter().find(|method| method.id == id).expect("asked for");
        let metric = &method.metrics[loss];
        // These files have no column of groups.
        if metric.reason.as_ref().map(Reason::text).as_deref() == Some("groups_missing") {
            return None;
        }
        Some(metric.value.unwrap_or_else(|| panic!("{id} has no {loss}")))
    };
    let base = value("none").expect("always");
    for id in alone().map(|entry| entry.id) {
        let Some(ours) = value(id) else { continue };
        assert!(ours.is_finite() && ours <= base + slack, "{id}: {loss} {ours} against {base}");
    }
    for method in &report.methods {
        for (id, metric) in &method.metrics {
            assert!(metric.value.is_none_or(f64::is_finite), "{} {id}", method.id);
            assert!(metric.value.is_some() || metric.reason.is_some(), "{} {id}: null without a reason", method.id);
        }
        let parameters = serde_json::to_string(&method.parameters).expect("parameters");
        assert!(!parameters.contains("\"method\""), "{parameters}");
    }
}

#[test]
fn ten_classes() {
    let data = sample("digits.npz", json!({}));
    let report = every_method(&data, json!("features"));
    check(&report, "brier", 0.02);
    let classes = report.methods.iter().find(|method| method.id == "vector").expect("asked for");
    let weights = classes.parameters[0]["weights"].as_array().expect("one object per fold");
    assert_eq!(weights.len(), 10);
}

#[test]
fn two_classes_in_both_views() {
    for view in ["positive", "top_label"] {
        let data = sample("breast_cancer.csv", json!({ "view": view }));
        let report = every_method(&data, json!(["mean_radius", "mean_texture"]));
        check(&report, "brier_top", 0.02);
        let temperature = report.methods[1].parameters[0]["temperature"].as_f64().expect("a number");
        assert!((2.0..4.0).contains(&temperature), "{view}: the same T in both views, {temperature}");
    }
}

#[test]
fn confidence_alone_refuses_methods_of_the_whole_vector() {
    let mut csv = String::from("confidence,correct\n");
    for i in 0..200 {
        csv.push_str(&format!("{},{}\n", 0.5 + f64::from(i % 50) / 100.0, u8::from(i % 3 != 0)));
    }
    let data = open(&csv, json!({}));
    let methods = ["none", "temperature", "beta", "venn_abers", "bbq"];
    let simple = report(&data, json!({ "methods": methods, "resamples": 0 }));
    assert!(simple.methods.iter().all(|method| method.metrics["brier"].value.is_some()));
    let error = data.try_run(json!({ "methods": ["ets"], "resamples": 0 })).expect_err("there is no vector");
    assert_eq!(error.code(), "unsupported_view");
    assert!(error.to_string().contains("`ets` needs a probability or logit for every class"), "{error}");
}

#[test]
fn every_metric_has_a_value_or_a_reason() {
    use localcal::metric::registry::METRICS;
    let ids: Vec<&str> = METRICS.iter().map(|metric| metric.id).collect();
    for (name, view) in
        [("digits.npz", "top_label"), ("breast_cancer.csv", "positive"), ("breast_cancer.csv", "top_label")]
    {
        let data = sample(name, json!({ "view": view }));
        let report = report(&data, json!({ "metrics": ids, "methods": ["none", "isotonic"], "resamples": 30 }));
        let metrics = &report.methods[0].metrics;
        assert_eq!(metrics.len(), METRICS.len());
        for (id, metric) in metrics {
            match metric.value {
                Some(value) => assert!(value.is_finite(), "{id}"),
                None => assert!(
                    ["mlce", "mlce_supported", "mean_lce"].contains(&id.as_str())
                        || matches!(metric.reason, Some(Reason::FeaturesMissing | Reason::GroupsMissing)),
                    "{name} {view} {id}: {metric:?}"
                ),
            }
        }
        // Definitions that must agree with one another.
        let value = |id: &str| metrics[id].value.expect("checked above");
        assert!(value("mce_weighted") <= value("ece") && value("ece") <= value("mce"));
        assert!(value("ece") <= value("ece_rms") + 1e-12);
        let pair_brier = value("brier_top");
        let split = value("miscalibration") - value("discrimination") + value("uncertainty");
        assert!((split - pair_brier).abs() < 1e-9, "{name} {view}: {split} against {pair_brier}");
        assert!(metrics["smece"].resamples > 0 && metrics["smece"].floor_mean.is_some());
        assert!((value("prr") - (2.0 * value("auroc") - 1.0)).abs() < 0.2 || view == "positive");
    }
}

/// Rows of the first half, which calibrate, are easy; those of the second are overconfident and hard. `none` on every row
/// then looks better than temperature on the second half, although temperature helps on the same rows.
#[test]
fn methods_are_compared_on_the_same_rows() {
    let mut csv = String::from("p,y\n");
    for i in 0..4000_u32 {
        let second = i >= 2000;
        let (p, wrong) = match (second, i % 2 == 0) {
            // an easy row in four
            (false, true) => (0.995, i % 400 == 0),
            (false, false) => (0.97, i % 20 == 3),
            (true, _) => (0.97, i % 3 == 0),
        };
        let flip = (i / 7) % 2 == 0;
        let y = u32::from(flip ^ !wrong);
        csv += &format!("{},{y}\n", if flip { 1.0 - p } else { p });
    }
    let data = open(&csv, json!({ "split": { "first": 2000 } }));
    let ask = |on: &str| {
        data.run(json!({ "methods": ["none", "temperature"], "evaluate_on": on, "metrics": ["nll", "ece"], "resamples": 40 }))
    };
    let (whole, shared) = (ask("all"), ask("evaluation"));
    let nll = |ran: &crate::support::pipeline::Ran, method: &str| ran.value(method, "nll");
    let temperature = nll(&whole, "temperature");
    assert!(nll(&whole, "none") < temperature, "{} {temperature}", nll(&whole, "none"));
    assert!(nll(&shared, "none") > temperature, "{} {temperature}", nll(&shared, "none"));

    // The numbers of the report stay; what is compared is compared on the rows of both.
    let (outcome, of_both) = (whole.outcome(), shared.outcome());
    let difference = &whole.method("temperature").differences["nll"];
    assert_eq!(difference, &shared.method("temperature").differences["nll"]);
    assert!(difference.value.expect("a difference") < 0.0 && difference.high.expect("an interval") < 0.0);
    let common = outcome.report.common.as_ref().expect("rows that both have");
    assert_eq!((common.rows, &common.metrics), (2000, &shared.method("none").metrics));
    let warning = &whole.method("none").warnings[0];
    assert_eq!(warning.code, "rows_differ");
    assert!(
        warning.message.starts_with("Evaluated on 4,000 rows, the other methods on 2,000: "),
        "{}",
        warning.message
    );
    let rows = &outcome.presentation.recalibration.rows;
    assert!(rows[0].title.ends_with("(n = 2,000)"), "{}", rows[0].title);
    assert_eq!(rows[0].cells, of_both.presentation.recalibration.rows[0].cells);
    assert_eq!(rows[1].verdict, of_both.presentation.recalibration.rows[1].verdict);
    assert!(rows[1].verdict.contains("n = 2,000"), "{}", rows[1].verdict);
    assert!(outcome.presentation.basis.contains("Methods are compared on the 2,000 rows"));
    assert!(outcome.compared().all(|rows| rows.rows.len() == 2000));
    // Nothing is said twice where all rows are the same.
    assert!(of_both.report.common.is_none() && shared.method("none").warnings.is_empty());
    let folds = open(&csv, json!({ "split": { "folds": 5 } }));
    let ran = folds.run(json!({ "methods": ["none", "temperature"], "evaluate_on": "all", "resamples": 0 }));
    assert!(ran.outcome().report.common.is_none());
}
