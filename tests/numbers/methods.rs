//! Every method id, from file to report, in both views and for several classes.

use localcal::data::OpenOptions;
use localcal::evaluation::method::alone;
use localcal::evaluation::request::RunRequest;
use localcal::job::{Call, Job, Outcome, Plan, execute, run};
use localcal::report::Report;
use localcal::table::Array;

fn opened(name: &str, bytes: Vec<u8>, options: &str) -> Outcome {
    let options: OpenOptions = serde_json::from_str(options).expect("options");
    let file = run(
        &Job::Call(Call::Read { name: name.into(), header: None }),
        &[],
        vec![Array::U8(bytes.into())],
        &mut |_| (),
    )
    .expect("columns");
    run(&Job::Call(Call::Assemble { options }), &[&file], vec![], &mut |_| ()).expect("roles")
}

fn report(data: &Outcome, request: &str) -> Report {
    let request: RunRequest = serde_json::from_str(request).expect("a request");
    let Outcome::Plan(Plan { nodes, .. }) =
        run(&Job::Call(Call::Plan { request }), &[data], vec![], &mut |_| ()).expect("a plan")
    else {
        panic!("not a plan")
    };
    match execute(&nodes, data).expect("a report") {
        Outcome::Report(run) => run.report,
        _ => panic!("not a report"),
    }
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/www/sample/{name}", env!("CARGO_MANIFEST_DIR"))).expect("a sample of the page")
}

fn every_method(data: &Outcome, features: &str) -> Report {
    let ids: Vec<&str> = alone().map(|entry| entry.id).collect();
    let ids = serde_json::to_string(&ids).expect("ids");
    report(
        data,
        &format!(r#"{{ "methods": {ids}, "local": {{ "features": {features}, "gamma": 1 }}, "resamples": 0 }}"#),
    )
}

/// A repair fitted on other rows may lose a little, never much; LoRe, histograms and matrices may lose more.
fn check(report: &Report, loss: &str, slack: f64) {
    let value = |id: &str| {
        let method = report.methods.iter().find(|method| method.id == id).expect("asked for");
        let metric = &method.metrics[loss];
        // These files have no column of groups.
        if metric.reason.as_deref() == Some("groups_missing") {
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
    let data = opened("digits.npz", sample("digits.npz"), "{}");
    let report = every_method(&data, "\"features\"");
    check(&report, "brier", 0.02);
    let classes = report.methods.iter().find(|method| method.id == "vector").expect("asked for");
    let weights = classes.parameters[0]["weights"].as_array().expect("one object per fold");
    assert_eq!(weights.len(), 10);
}

#[test]
fn two_classes_in_both_views() {
    for view in ["positive", "top_label"] {
        let data = opened("breast_cancer.csv", sample("breast_cancer.csv"), &format!(r#"{{ "view": "{view}" }}"#));
        let report = every_method(&data, r#"["mean_radius", "mean_texture"]"#);
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
    let data = opened("pairs.csv", csv.into_bytes(), "{}");
    let simple =
        report(&data, r#"{ "methods": ["none", "temperature", "beta", "venn_abers", "bbq"], "resamples": 0 }"#);
    assert!(simple.methods.iter().all(|method| method.metrics["brier"].value.is_some()));
    let request = serde_json::from_str(r#"{ "methods": ["ets"], "resamples": 0 }"#).expect("a request");
    let Outcome::Plan(Plan { nodes, .. }) =
        run(&Job::Call(Call::Plan { request }), &[&data], vec![], &mut |_| ()).expect("a plan")
    else {
        panic!("not a plan")
    };
    let error = execute(&nodes, &data).expect_err("there is no vector");
    assert_eq!(error.code(), "unsupported_view");
    assert!(error.to_string().contains("`ets` needs a probability or logit for every class"), "{error}");
}

#[test]
fn every_metric_has_a_value_or_a_reason() {
    use localcal::metric::registry::METRICS;
    let ids: Vec<&str> = METRICS.iter().map(|metric| metric.id).collect();
    let ids = serde_json::to_string(&ids).expect("ids");
    for (name, options) in [
        ("digits.npz", "{}"),
        ("breast_cancer.csv", r#"{ "view": "positive" }"#),
        ("breast_cancer.csv", r#"{ "view": "top_label" }"#),
    ] {
        let data = opened(name, sample(name), options);
        let request = format!(r#"{{ "metrics": {ids}, "methods": ["none", "isotonic"], "resamples": 30 }}"#);
        let report = report(&data, &request);
        let metrics = &report.methods[0].metrics;
        assert_eq!(metrics.len(), METRICS.len());
        for (id, metric) in metrics {
            match metric.value {
                Some(value) => assert!(value.is_finite(), "{id}"),
                None => assert!(
                    ["mlce", "mean_lce"].contains(&id.as_str())
                        || ["features_missing", "groups_missing"]
                            .contains(&metric.reason.as_deref().unwrap_or_default()),
                    "{name} {options} {id}: {metric:?}"
                ),
            }
        }
        // Definitions that must agree with one another.
        let value = |id: &str| metrics[id].value.expect("checked above");
        assert!(value("mce_weighted") <= value("ece") && value("ece") <= value("mce"));
        assert!(value("ece") <= value("ece_rms") + 1e-12);
        let pair_brier = value("brier_top");
        let split = value("miscalibration") - value("discrimination") + value("uncertainty");
        assert!((split - pair_brier).abs() < 1e-9, "{name} {options}: {split} against {pair_brier}");
        assert!(metrics["smece"].resamples > 0 && metrics["smece"].floor_mean.is_some());
        assert!((value("prr") - (2.0 * value("auroc") - 1.0)).abs() < 0.2 || options.contains("positive"));
    }
}
