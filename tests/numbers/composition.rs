//! Methods written with a plus, from file to report, calibrator and predictions.

use crate::support::draws::park_miller;
use crate::support::pipeline::{Opened, csv, near, open, try_open};
use localcal::data::folds::Split;
use localcal::evaluation::method::{MethodKind, fit};
use localcal::job::{Call, DataSet, Outcome};
use localcal::metric::Reason;
use localcal::recalibrate::isotonic::IsotonicRegression;
use localcal::recalibrate::registry::AnyRecalibrator;
use serde_json::{Value, json};

/// Two classes; far from the middle of the plane the scores promise too much.
fn opened(rows: usize, view: &str) -> Opened {
    let mut next = park_miller(5);
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
    open(&text, json!({ "roles": roles, "view": view, "split": { "half": true } }))
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
        let apart = one.score.iter().zip(two.score.iter()).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 0.03);
        assert_eq!(ran.rows("none+isotonic").score, one.score);
        assert_eq!(ran.rows("still").score, ran.rows("none").score);
        assert_eq!(ran.method("temperature+isotonic").id, "temperature+isotonic");
        for method in &ran.outcome().report.methods {
            for id in ["ece", "brier", "nll", "piece"] {
                assert!(method.metrics[id].value.is_some(), "{view}: {} {id}", method.name);
            }
            assert_eq!(method.metrics["accuracy"], ran.method("none").metrics["accuracy"]);
        }
        // What is wrong far out is what methods of proximity correct.
        let brier = |name: &str| ran.value(name, "brier_top");
        for (name, than) in [
            ("temperature+density_ratio", "temperature"),
            ("none+density_ratio", "isotonic"),
            ("isotonic+proximity_stratified", "isotonic"),
        ] {
            let (ours, theirs) = (brier(name), brier(than));
            assert!(ours < theirs, "{view}: {name} {ours} against {than} {theirs}");
        }
        let base = &ran.method("temperature").parameters;
        let composed = &ran.method("temperature+density_ratio").parameters;
        assert_eq!(composed["base"], *base);
        assert_eq!(composed["bandwidth_happened"].as_array().map(Vec::len), Some(2));
        assert_eq!((&composed["neighbours"], &composed["exponent"]), (&json!(10), &json!("code")));
        let shift = &ran.method("none+bin_mean_shift").parameters;
        assert_eq!((&shift["lambda"], shift["gaps"].as_array().map(Vec::len)), (&json!(0.5), Some(10)));
        let groups = &ran.method("histogram+proximity_stratified").parameters["groups"];
        assert_eq!(groups.as_array().map(Vec::len), Some(5));
        assert_eq!(groups[0]["values"].as_array().map(Vec::len), Some(10));
        // Sentences, not ids.
        let words = serde_json::to_string(&ran.outcome().presentation).expect("words");
        assert!(
            words.contains("one factor on all logits, then the event rate of rows with similar score and proximity")
        );
    }
}

#[test]
fn exports_hold_what_is_needed_to_apply_them_again() {
    let opened = opened(300, "top_label");
    let ran = opened.run(request(json!(["none", "temperature+density_ratio", "platt+bin_mean_shift"])));
    let calibrators = opened.calibrators(&ran);
    let ratio = &calibrators["temperature+density_ratio"];
    let length = |value: &Value| value.as_array().map(Vec::len);
    assert_eq!(
        (length(&ratio["score"]), length(&ratio["proximity"]), length(&ratio["x"])),
        (Some(150), Some(150), Some(300))
    );
    assert!(ratio["base"]["temperature"].as_f64().is_some());
    let shift = &calibrators["platt+bin_mean_shift"];
    assert_eq!((length(&shift["x"]), &shift["score"]), (Some(300), &Value::Null));
    assert!(shift["base"]["a"].as_f64().is_some());
    let csv = opened.export(Call::ExportPredictions { identifiers: None }, &ran);
    let header = csv.lines().next().expect("a header");
    assert!(
        header.ends_with("confidence,confidence_temperature+density_ratio,confidence_platt+bin_mean_shift"),
        "{header}"
    );
}

#[test]
fn in_sample_scores_are_what_the_exported_density_ratio_gives() {
    let opened = opened(200, "top_label");
    let ran = opened.run(request(json!(["none", "none+density_ratio"])));
    let fitted = &opened.calibrators(&ran)["none+density_ratio"];
    let numbers = |name: &str| -> Vec<f64> {
        fitted[name].as_array().expect(name).iter().map(|v| v.as_f64().expect("a number")).collect()
    };
    let (c, d, t) = (numbers("score"), numbers("proximity"), numbers("target"));
    let (h1, h0, ratio) =
        (numbers("bandwidth_happened"), numbers("bandwidth_missed"), fitted["ratio"].as_f64().expect("r"));
    // A new row, by hand: exp of minus its mean distance to ten rows, then two sums.
    let x = numbers("x");
    let rows = ran.rows("none+density_ratio");
    let all = ran.rows("none");
    let table = match &opened.0 {
        localcal::job::Outcome::Data(DataSet { predictions, .. }) => &predictions.table.columns,
        _ => panic!("not data"),
    };
    let column = |name: &str, row: u32| match &table.iter().find(|c| c.name == name).expect("a column").values {
        localcal::table::Values::Numbers(values) => values[row as usize],
        _ => panic!("not numbers"),
    };
    for (i, &row) in rows.rows.iter().enumerate().take(20) {
        let here = [column("x1", row), column("x2", row)];
        let mut far: Vec<f64> = x.chunks(2).map(|x| (x[0] - here[0]).hypot(x[1] - here[1])).collect();
        far.sort_by(f64::total_cmp);
        let nearness = (-far[..10].iter().sum::<f64>() / 10.0).exp();
        let density = |outcome: f64, h: &[f64]| {
            let mine = (0..c.len()).filter(|&j| t[j] == outcome);
            let kernels = mine
                .map(|j| (-0.5 * (((c[j] - all.score[i]) / h[0]).powi(2) + ((d[j] - nearness) / h[1]).powi(2))).exp());
            let n = t.iter().filter(|t| **t == outcome).count() as f64;
            kernels.sum::<f64>() / (n * h[0] * h[1])
        };
        let (f1, f0) = (density(1.0, &h1), density(0.0, &h0));
        near(rows.score[i], f1 / (f1 + ratio * f0), 1e-10);
    }
}

/// The second method sees scores of rows that the first had not seen; the first that is applied has seen them all.
#[test]
fn a_cross_fit_shows_the_second_method_scores_of_rows_held_back() {
    let opened = opened(400, "positive");
    let named = |id: &str, name: &str, cross_fit: Value| json!({ "id": id, "name": name, "parameters": { "cross_fit": cross_fit } });
    let ran = opened.run(request(json!([
        "none",
        "isotonic",
        "isotonic+density_ratio",
        "isotonic+bin_mean_shift",
        "none+density_ratio",
        named("isotonic+density_ratio", "off", json!(false)),
        named("isotonic+density_ratio", "apart", json!(true)),
        named("isotonic+density_ratio", "three", json!(3)),
        named("isotonic+bin_mean_shift", "shift apart", json!(true)),
        named("none+density_ratio", "nothing to fit", json!(true)),
    ])));
    let score = |name: &str| &ran.rows(name).score;
    assert_eq!(score("off"), score("isotonic+density_ratio"));
    assert_eq!(score("nothing to fit"), score("none+density_ratio"));
    assert_ne!(score("apart"), score("off"));
    assert_ne!(score("apart"), score("three"));
    assert_ne!(score("shift apart"), score("isotonic+bin_mean_shift"));
    let parameters = |name: &str| &ran.method(name).parameters;
    assert_eq!(parameters("apart")["cross_fit"], 5);
    assert_eq!(parameters("three")["cross_fit"], 3);
    assert_eq!(parameters("off")["cross_fit"], Value::Null);
    // The base that is applied is fitted on all calibration rows.
    assert_eq!(&parameters("apart")["base"], parameters("isotonic"));
    // What the second was fitted on, by hand.
    let fitted = opened.calibrators(&ran);
    let numbers = |name: &str, field: &str| -> Vec<f64> {
        let values = fitted[name][field].as_array().expect("numbers");
        values.iter().map(|v| v.as_f64().expect("a number")).collect()
    };
    let Outcome::Data(DataSet { predictions, .. }) = &opened.0 else { panic!("not data") };
    let rows = Split::new(predictions, 0).expect("halves").all_calibration_rows();
    for (name, folds) in [("apart", 5), ("three", 3)] {
        let found = numbers(name, "score");
        let inner = Split::within(predictions, &rows, folds, 0);
        let isotonic = MethodKind::Single(AnyRecalibrator::Isotonic(IsotonicRegression {}));
        for fold in 0..folds {
            let (others, held) = inner.rows_of(fold).expect("rows");
            let base = fit(predictions, &isotonic, &others, &held, None, &mut |_| ());
            let base = base.expect("a fit").score;
            assert!(held.len() * folds > rows.len() - folds);
            for (row, score) in held.iter().zip(base.iter()) {
                let place = rows.binary_search(row).expect("a calibration row");
                near(found[place], *score, 0.0);
            }
        }
    }
    // On its own rows isotonic regression is right on average, on others only nearly.
    let off = |name: &str| {
        let pairs = numbers(name, "score").into_iter().zip(numbers(name, "target"));
        pairs.map(|(score, target)| score - target).sum::<f64>().abs()
    };
    assert!(off("off") < 1e-9 && off("apart") > 1e-3, "{}", off("apart"));
    // The near rows are the same.
    assert_eq!(numbers("off", "proximity"), numbers("apart", "proximity"));
}

#[test]
fn several_classes_are_lifted_from_the_first_method_s_vector() {
    let bytes = std::fs::read(format!("{}/www/sample/digits.npz", env!("CARGO_MANIFEST_DIR"))).expect("a sample");
    let opened = try_open(&[("digits.npz", &bytes)], json!({ "split": { "folds": 3 } })).expect("opens");
    let ran = opened.run(json!({
        "methods": ["none", "temperature", "temperature+density_ratio", { "id": "ptsk+density_ratio", "parameters": { "base": { "features": "features" } } }, "mir+proximity_stratified", "mir+bin_mean_shift"],
        "proximity": { "features": "features" }, "metrics": ["nll", "brier", "ece", "piece", "classwise_ece", "bias_index"], "resamples": 20,
    }));
    for method in &ran.outcome().report.methods {
        for (id, metric) in &method.metrics {
            assert!(metric.value.is_some_and(f64::is_finite), "{} {id}: {metric:?}", method.name);
        }
    }
    // Three coordinates are no embedding: rows keep their length.
    let settings = ran.outcome().report.settings.proximity.clone().expect("settings");
    assert_eq!(settings.row_normalise, Some(false));
    assert!((ran.value("temperature+density_ratio", "nll") - ran.value("temperature", "nll")).abs() < 0.2);
    assert_eq!(ran.method("temperature+density_ratio").parameters.as_array().map(Vec::len), Some(3));
}

/// A matrix of eight coordinates is an embedding, named alone or in a list.
#[test]
fn a_matrix_in_a_list_is_what_it_is_alone() {
    let n = 120;
    let p: Vec<f64> = (0..n).map(|i| 0.02 + 0.96 * f64::from(i * 37 % n) / f64::from(n)).collect();
    let y: Vec<i64> = (0..n).zip(&p).map(|(i, p)| i64::from(f64::from(i * 53 % n) < p * f64::from(n))).collect();
    let x: Vec<f64> = (0..8 * n).map(|i| f64::from(i * 7919 % 1009) / 300.0 - 1.0).collect();
    let npz = crate::support::bytes::zip(
        &[
            ("probs.npy", &crate::support::bytes::floats("(120,)", &p)),
            ("labels.npy", &crate::support::bytes::integers("(120,)", &y)),
            ("features.npy", &crate::support::bytes::floats("(120, 8)", &x)),
        ],
        0,
    );
    let opened = try_open(&[("a.npz", &npz)], json!({})).expect("opens");
    let run = |features: Value| {
        let parameters = json!({ "features": features });
        opened.run(json!({
            "methods": ["none", { "id": "none+density_ratio", "parameters": parameters }, { "id": "none+bin_mean_shift", "parameters": parameters }],
            "proximity": { "features": features }, "metrics": ["ece", "piece"], "resamples": 0,
        }))
    };
    let (alone, listed) = (run(json!("features")), run(json!(["features"])));
    for ran in [&alone, &listed] {
        let settings = ran.outcome().report.settings.proximity.clone();
        assert_eq!(settings.expect("settings").row_normalise, Some(true));
    }
    for method in &alone.outcome().report.methods {
        for (id, metric) in &method.metrics {
            assert_eq!(metric.value, listed.metric(&method.name, id).value, "{} {id}", method.name);
        }
        assert_eq!(alone.rows(&method.name).score, listed.rows(&method.name).score);
    }
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
            "`density_ratio` must follow another method. | Write none+density_ratio, or another method in place of none.",
        ),
        (
            json!("proximity_stratified"),
            "`proximity_stratified` must follow another method. | Write isotonic+proximity_stratified, or another method in place of isotonic.",
        ),
        (
            json!("none+proximity_stratified"),
            "`none+proximity_stratified` has no method to fit in each group of rows. | Put one method before it, such as isotonic+proximity_stratified.",
        ),
        (
            json!("platt+beta+proximity_stratified"),
            "`platt+beta+proximity_stratified` would fit several methods in each group of rows. | Put one method before it, such as isotonic+proximity_stratified.",
        ),
        (json!("platt+none"), "`none` does not recalibrate, so it cannot come second. | Write platt alone."),
        (
            json!("platt+ets"),
            "`ets` needs a probability for every class, but `platt` returns one score per row. | Use ets first, or alone.",
        ),
        (
            json!({ "id": "none+bin_mean_shift", "parameters": { "lambda": 2 } }),
            "lambda is 2; it must be a number from 0 to 1. | Omit it for the default, if it is optional.",
        ),
        (
            json!({ "id": "platt+density_ratio", "parameters": { "cross_fit": 1 } }),
            "cross_fit is 1; it must be a whole number from 2 to 20. | Omit it for the default, if it is optional.",
        ),
        (
            json!({ "id": "platt+bin_mean_shift", "parameters": { "cross_fit": "yes" } }),
            "cross_fit is \"yes\". | Use true (5 inner folds), false, or a number of folds from 2 to 20.",
        ),
        (
            json!({ "id": "platt+bin_mean_shift", "parameters": { "cross_fit": 20 } }),
            "Too few calibration rows (30) for cross-fitting by 20 inner folds. | Omit cross_fit, or request fewer folds.",
        ),
        (
            json!({ "id": "platt+beta", "parameters": [] }),
            "The parameters of `platt+beta` are not an object. | Write { id: \"platt+beta\", parameters: { base: { … }, … } }.",
        ),
        (
            json!({ "id": "platt+proximity_stratified", "parameters": { "groups": 1 } }),
            "groups is 1; it must be a whole number from 2 to 100. | Omit it for the default, if it is optional.",
        ),
        (
            json!({ "id": "none+density_ratio+bin_mean_shift", "parameters": { "neighbours": 5 } }),
            "`none+density_ratio+bin_mean_shift` would use two kinds of proximity. | Use the same features, neighbours, distance and form for both.",
        ),
    ];
    for (method, sentence) in expected {
        assert_eq!(told(method), sentence);
    }
    assert!(told(json!("platt+nothing")).starts_with("Unknown recalibration method `nothing`."));
    assert!(told(json!("+platt")).starts_with("Unknown recalibration method ``."));
    assert!(
        told(json!({ "id": "none+density_ratio", "parameters": { "lambda": 1 } })).contains("unknown field `lambda`")
    );
    assert!(
        told(json!({ "id": "platt+proximity_stratified", "parameters": { "lambda": 1 } }))
            .contains("unknown field `lambda`")
    );
    assert!(
        told(json!({ "id": "platt+beta", "parameters": { "cross_fit": true } })).contains("unknown field `cross_fit`")
    );
    // Nothing says which rows are near each other.
    let ran = opened.run(json!({ "methods": ["none", "platt+density_ratio"], "metrics": ["ece"], "resamples": 0 }));
    let metric = ran.metric("platt+density_ratio", "ece");
    assert_eq!((metric.value, metric.reason.as_ref().map(Reason::text).as_deref()), (None, Some("features_missing")));
}
