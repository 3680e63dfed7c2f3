//! Methods written with a plus, from file to report, calibrator and predictions.

#![allow(clippy::expect_used, clippy::panic)]

#[path = "golden_run/pipeline.rs"]
mod pipeline;

use localcal::job::{Call, Job};
use pipeline::{Opened, csv, near, open, try_open};
use serde_json::{Value, json};

/// Two classes; far from the middle of the plane the scores promise too much.
fn opened(rows: usize, view: &str) -> Opened {
    let mut state = 5u64;
    let mut next = || {
        state = state * 48_271 % 2_147_483_647;
        state as f64 / 2_147_483_647.0
    };
    let (mut p, mut y, mut x1, mut x2) = (vec![], vec![], vec![], vec![]);
    for _ in 0..rows {
        let (score, far) = (next(), next() > 0.7);
        let spread = if far { 9.0 } else { 1.0 };
        let truth = if far { 1.0 - score } else { score };
        p.push(score);
        y.push(f64::from(u8::from(next() < truth)));
        x1.push(spread * (next() - 0.5));
        x2.push(spread * (next() - 0.5));
    }
    let text = csv(&[("p", p), ("y", y), ("x1", x1), ("x2", x2)]);
    let roles = json!({ "p": "probability", "y": "label", "x1": "feature", "x2": "feature" });
    open(
        &text,
        json!({ "roles": roles, "view": view, "split": { "half": true } }),
    )
}

const NEAR: &str = r#"{ "features": ["x1", "x2"] }"#;

fn request(methods: Value) -> Value {
    let near: Value = serde_json::from_str(NEAR).expect("JSON");
    json!({ "methods": methods, "proximity": near, "resamples": 0, "metrics": ["ece", "brier", "brier_top", "nll", "piece", "accuracy"] })
}

#[test]
fn the_second_method_sees_what_the_first_one_gives() {
    for view in ["positive", "top_label"] {
        let opened = opened(1200, view);
        let ran = opened.run(request(json!([
            "none", "temperature", "isotonic", "none+isotonic", "temperature+isotonic", "platt+beta+histogram",
            "temperature+density_ratio", "histogram+bin_mean_shift", "none+bin_mean_shift",
            { "id": "none+bin_mean_shift", "name": "still", "parameters": { "lambda": 0 } },
            "isotonic+proximity_stratified", "histogram+proximity_stratified", "none+density_ratio",
        ])));
        // Temperature keeps the order of the scores, which is all that isotonic regression looks at: up to the
        // interpolation between them.
        let (one, two) = (ran.rows("isotonic"), ran.rows("temperature+isotonic"));
        let apart = one
            .score
            .iter()
            .zip(two.score.iter())
            .map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 0.03);
        assert_eq!(ran.rows("none+isotonic").score, one.score);
        assert_eq!(ran.rows("still").score, ran.rows("none").score);
        assert_eq!(
            ran.method("temperature+isotonic").id,
            "temperature+isotonic"
        );
        for method in &ran.outcome().report.methods {
            for id in ["ece", "brier", "nll", "piece"] {
                assert!(
                    method.metrics[id].value.is_some(),
                    "{view}: {} {id}",
                    method.name
                );
            }
            assert_eq!(
                method.metrics["accuracy"],
                ran.method("none").metrics["accuracy"]
            );
        }
        // What is wrong far out is what methods of proximity repair.
        let brier = |name: &str| ran.value(name, "brier_top");
        for (name, than) in [
            ("temperature+density_ratio", "temperature"),
            ("none+density_ratio", "isotonic"),
            ("isotonic+proximity_stratified", "isotonic"),
        ] {
            let (ours, theirs) = (brier(name), brier(than));
            assert!(
                ours < theirs,
                "{view}: {name} {ours} against {than} {theirs}"
            );
        }
        let base = &ran.method("temperature").parameters;
        let composed = &ran.method("temperature+density_ratio").parameters;
        assert_eq!(composed["base"], *base);
        assert_eq!(
            composed["bandwidth_happened"].as_array().map(Vec::len),
            Some(2)
        );
        assert_eq!(
            (&composed["neighbours"], &composed["exponent"]),
            (&json!(10), &json!("code"))
        );
        let shift = &ran.method("none+bin_mean_shift").parameters;
        assert_eq!(
            (&shift["lambda"], shift["gaps"].as_array().map(Vec::len)),
            (&json!(0.5), Some(10))
        );
        let groups = &ran.method("histogram+proximity_stratified").parameters["groups"];
        assert_eq!(groups.as_array().map(Vec::len), Some(5));
        assert_eq!(groups[0]["values"].as_array().map(Vec::len), Some(10));
        // Sentences, not ids.
        let words = serde_json::to_string(&ran.outcome().presentation).expect("words");
        assert!(words.contains(
            "one factor on all logits, then the share of right rows among those of like score"
        ));
    }
}

#[test]
fn exports_hold_what_is_needed_to_apply_them_again() {
    let opened = opened(300, "top_label");
    let ran = opened.run(request(json!([
        "none",
        "temperature+density_ratio",
        "platt+bin_mean_shift"
    ])));
    let calibrators = opened.calibrators(&ran);
    let ratio = &calibrators["temperature+density_ratio"];
    let length = |value: &Value| value.as_array().map(Vec::len);
    assert_eq!(
        (
            length(&ratio["score"]),
            length(&ratio["proximity"]),
            length(&ratio["x"])
        ),
        (Some(150), Some(150), Some(300))
    );
    assert!(ratio["base"]["temperature"].as_f64().is_some());
    let shift = &calibrators["platt+bin_mean_shift"];
    assert_eq!(
        (length(&shift["x"]), &shift["score"]),
        (Some(300), &Value::Null)
    );
    assert!(shift["base"]["a"].as_f64().is_some());
    let csv = String::from_utf8(opened.export(Job::Call(Call::ExportPredictions {}), &ran))
        .expect("text");
    let header = csv.lines().next().expect("a header");
    assert!(
        header.ends_with(
            "confidence,confidence_temperature+density_ratio,confidence_platt+bin_mean_shift"
        ),
        "{header}"
    );
}

#[test]
fn in_sample_scores_are_what_the_exported_density_ratio_gives() {
    let opened = opened(200, "top_label");
    let ran = opened.run(request(json!(["none", "none+density_ratio"])));
    let fitted = &opened.calibrators(&ran)["none+density_ratio"];
    let numbers = |name: &str| -> Vec<f64> {
        fitted[name]
            .as_array()
            .expect(name)
            .iter()
            .map(|v| v.as_f64().expect("a number"))
            .collect()
    };
    let (c, d, t) = (numbers("score"), numbers("proximity"), numbers("target"));
    let (h1, h0, ratio) = (
        numbers("bandwidth_happened"),
        numbers("bandwidth_missed"),
        fitted["ratio"].as_f64().expect("r"),
    );
    // A new row, by hand: exp of minus its mean distance to ten rows, then two sums.
    let x = numbers("x");
    let rows = ran.rows("none+density_ratio");
    let all = ran.rows("none");
    let table = match &opened.0 {
        localcal::job::Outcome::Data { predictions, .. } => &predictions.table.columns,
        _ => panic!("not data"),
    };
    let column = |name: &str, row: u32| match &table
        .iter()
        .find(|c| c.name == name)
        .expect("a column")
        .values
    {
        localcal::data::Values::Numbers(values) => values[row as usize],
        _ => panic!("not numbers"),
    };
    for (i, &row) in rows.rows.iter().enumerate().take(20) {
        let here = [column("x1", row), column("x2", row)];
        let mut far: Vec<f64> = x
            .chunks(2)
            .map(|x| (x[0] - here[0]).hypot(x[1] - here[1]))
            .collect();
        far.sort_by(f64::total_cmp);
        let nearness = (-far[..10].iter().sum::<f64>() / 10.0).exp();
        let density = |outcome: f64, h: &[f64]| {
            let mine = (0..c.len()).filter(|&j| t[j] == outcome);
            let kernels = mine.map(|j| {
                (-0.5
                    * (((c[j] - all.score[i]) / h[0]).powi(2) + ((d[j] - nearness) / h[1]).powi(2)))
                .exp()
            });
            let n = t.iter().filter(|t| **t == outcome).count() as f64;
            kernels.sum::<f64>() / (n * h[0] * h[1])
        };
        let (f1, f0) = (density(1.0, &h1), density(0.0, &h0));
        near(rows.score[i], f1 / (f1 + ratio * f0), 1e-10);
    }
}

#[test]
fn several_classes_are_lifted_from_the_first_method_s_vector() {
    let bytes = std::fs::read(format!(
        "{}/www/sample/digits.npz",
        env!("CARGO_MANIFEST_DIR")
    ))
    .expect("a sample");
    let opened = try_open(
        &[("digits.npz", &bytes)],
        json!({ "split": { "folds": 3 } }),
    )
    .expect("opens");
    let ran = opened.run(json!({
        "methods": ["none", "temperature", "temperature+density_ratio", { "id": "ptsk+density_ratio", "parameters": { "base": { "features": "features" } } }, "mir+proximity_stratified", "mir+bin_mean_shift"],
        "proximity": { "features": "features" }, "metrics": ["nll", "brier", "ece", "piece", "classwise_ece", "bias_index"], "resamples": 20,
    }));
    for method in &ran.outcome().report.methods {
        for (id, metric) in &method.metrics {
            assert!(
                metric.value.is_some_and(f64::is_finite),
                "{} {id}: {metric:?}",
                method.name
            );
        }
    }
    // Three coordinates are no embedding: rows keep their length.
    let settings = ran
        .outcome()
        .report
        .settings
        .proximity
        .clone()
        .expect("settings");
    assert_eq!(settings.row_normalise, Some(false));
    assert!(
        (ran.value("temperature+density_ratio", "nll") - ran.value("temperature", "nll")).abs()
            < 0.2
    );
    assert_eq!(
        ran.method("temperature+density_ratio")
            .parameters
            .as_array()
            .map(Vec::len),
        Some(3)
    );
}

#[test]
fn what_makes_no_sense_is_told() {
    let opened = opened(60, "positive");
    let told = |method: Value| match opened.try_run(request(json!([method]))) {
        Err(error) => format!("{} | {}", error, error.hint()),
        Ok(_) => panic!("an error"),
    };
    let expected = [
        (
            json!("density_ratio"),
            "`density_ratio` comes after another method. | Write none+density_ratio, or another method in place of none.",
        ),
        (
            json!("proximity_stratified"),
            "`proximity_stratified` comes after another method. | Write isotonic+proximity_stratified, or another method in place of isotonic.",
        ),
        (
            json!("none+proximity_stratified"),
            "`none+proximity_stratified` would fit nothing in each group of rows. | Write one method before it, such as isotonic+proximity_stratified.",
        ),
        (
            json!("platt+beta+proximity_stratified"),
            "`platt+beta+proximity_stratified` would fit several methods in each group of rows. | Write one method before it, such as isotonic+proximity_stratified.",
        ),
        (
            json!("platt+none"),
            "`none` repairs nothing, so it cannot come second. | Write platt alone.",
        ),
        (
            json!("platt+ets"),
            "`ets` needs a probability for every class, and `platt` hands on one score a row. | Let ets come first, or alone.",
        ),
        (
            json!({ "id": "none+bin_mean_shift", "parameters": { "lambda": 2 } }),
            "lambda is 2. | It is the share of the gap that is taken away, a number from 0 to 1.",
        ),
        (
            json!({ "id": "platt+beta", "parameters": [] }),
            "The parameters of `platt+beta` are not an object. | Write { id: \"platt+beta\", parameters: { base: { … }, … } }.",
        ),
        (
            json!({ "id": "platt+proximity_stratified", "parameters": { "groups": 1 } }),
            "1 groups by proximity were asked for. | groups is a whole number from 2 to 100; 5 is usual.",
        ),
        (
            json!({ "id": "none+density_ratio+bin_mean_shift", "parameters": { "neighbours": 5 } }),
            "`none+density_ratio+bin_mean_shift` would look at two kinds of proximity. | Give both the same features, neighbours, distance and form.",
        ),
    ];
    for (method, sentence) in expected {
        assert_eq!(told(method), sentence);
    }
    assert!(
        told(json!("platt+nothing")).starts_with("No recalibration method has the id `nothing`.")
    );
    assert!(told(json!("+platt")).starts_with("No recalibration method has the id ``."));
    assert!(
        told(json!({ "id": "none+density_ratio", "parameters": { "lambda": 1 } }))
            .contains("unknown field `lambda`")
    );
    assert!(
        told(json!({ "id": "platt+proximity_stratified", "parameters": { "lambda": 1 } }))
            .contains("unknown field `lambda`")
    );
    // Nothing says which rows are near each other.
    let ran = opened.run(
        json!({ "methods": ["none", "platt+density_ratio"], "metrics": ["ece"], "resamples": 0 }),
    );
    let metric = ran.metric("platt+density_ratio", "ece");
    assert_eq!(
        (metric.value, metric.reason.as_deref()),
        (None, Some("features_missing"))
    );
}
