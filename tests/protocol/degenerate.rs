//! Small and awkward files: every one gives numbers or reasons, never a panic and never NaN.

mod named;
mod options;
use crate::support::pipeline::{Opened, Ran, open, try_open};
use localcal::evaluation::request::RunRequest;
use localcal::job::{Call, Job, Outcome, run};
use localcal::metric::Reason;
use localcal::report::MetricValue;
use serde_json::{Value, json};

/// What a metric that is null says.
fn assert_told(metric: &MetricValue, place: &str) {
    let numbers = [metric.value, metric.low, metric.high, metric.floor_mean, metric.floor_low, metric.floor_high];
    for number in numbers.into_iter().flatten() {
        assert!(number.is_finite(), "{place}: {metric:?}");
    }
    let whole = numbers.iter().all(Option::is_some);
    assert!(whole || metric.reason.is_some(), "{place}: null without a reason: {metric:?}");
    if let (Some(low), Some(high)) = (metric.low, metric.high) {
        let belongs = metric.corrected.or(metric.value);
        let held = belongs.is_some_and(|v| low <= v && v <= high);
        assert!(held, "{place}: {metric:?}");
    }
}

fn assert_sound(ran: &Ran, place: &str) {
    let report = &ran.outcome().report;
    for method in &report.methods {
        assert_eq!(method.metrics.len(), 13, "{place}");
        for (id, metric) in &method.metrics {
            let place = format!("{place}, {} {id}", method.name);
            assert_told(metric, &place);
            let unit = ["accuracy", "ece", "mce", "ace", "classwise_ece", "auroc", "mean_lce", "mlce", "brier_top"];
            if unit.contains(&id.as_str()) {
                assert!(metric.value.is_none_or(|v| (0.0..=1.0).contains(&v)), "{place}: {metric:?}");
            }
            if ["mce", "mlce", "mlce_supported"].contains(&id.as_str()) && metric.value.is_some() {
                assert_eq!(
                    (metric.low, metric.high, metric.reason.as_ref().map(Reason::text).as_deref()),
                    (None, None, Some("maximum")),
                    "{place}"
                );
            }
        }
        for (id, difference) in &method.differences {
            let numbers = [difference.value, difference.low, difference.high];
            assert!(numbers.iter().flatten().all(|v| v.is_finite()), "{place} {id}: {difference:?}");
            assert!(numbers.iter().all(Option::is_some) || difference.reason.is_some(), "{place} {id}: {difference:?}");
        }
        assert!(!method.parameters.to_string().contains("NaN"));
    }
    let words = serde_json::to_string(&ran.outcome().presentation).unwrap();
    assert!(!words.contains("NaN") && !words.contains("inf "), "{place}: {words}");
}

const FILES: &[(&str, &str)] = &[
    ("one row", "p,y\n0.3,1\n"),
    ("two rows", "p,y\n0.3,1\n0.6,0\n"),
    ("three rows, three classes", "prob_0,prob_1,prob_2,label\n1,0,0,0\n0,1,0,1\n0,0,1,1\n"),
    ("scores of 0 and 1, right", "p,y\n0,0\n1,1\n0,0\n1,1\n1,1\n0,0\n"),
    ("scores of 0 and 1, wrong", "p,y\n1,0\n0,1\n1,0\n0,1\n0,1\n1,0\n"),
    ("one class", "p,y\n0.1,1\n0.2,1\n0.5,1\n0.9,1\n1,1\n0,1\n"),
    ("all scores equal", "p,y\n0.5,0\n0.5,1\n0.5,1\n0.5,0\n0.5,0\n0.5,1\n"),
    ("all scores 1", "p,y\n1,0\n1,1\n1,1\n1,0\n1,0\n1,1\n1,1\n"),
    ("confidence only", "confidence,correct\n0.9,1\n0.4,0\n1,1\n0,0\n0.7,1\n0.6,0\n"),
    ("confidence, always right", "confidence,correct\n0.9,1\n0.8,1\n1,1\n0.5,1\n0.7,1\n0.6,1\n"),
    (
        "confidence with labels",
        "confidence,label,predicted\n0.9,cat,cat\n0.4,dog,cat\n1,cow,cow\n0.2,dog,dog\n0.7,cow,dog\n",
    ),
    (
        "text labels, first positive",
        "prob_cat,prob_dog,label\n.2,.8,cat\n.7,.3,cat\n.5,.5,dog\n.1,.9,dog\n.6,.4,dog\n.3,.7,cat\n",
    ),
    ("an absent class", "prob_0,prob_1,prob_2,label\n.5,.5,0,0\n.3,.3,.4,1\n.2,.2,.6,0\n.1,.9,0,1\n.7,.2,.1,1\n"),
    ("rows that nearly sum to 1", "prob_0,prob_1,label\n.5005,.5,0\n.2,.7995,1\n.9,.1,0\n.4,.6,1\n0.9995,0,1\n"),
    ("extreme logits", "logit_0,logit_1,logit_2,label\n1000,0,0,0\n-800,800,0,1\n0,0,0,2\n3,3,3,1\n0,0,-1e300,2\n"),
    ("tiny", "p,y\n1e-300,0\n1e-17,1\n0.9999999999999999,1\n5e-324,0\n0.5,1\n"),
];

fn views(text: &str, options: &Value) -> Vec<(String, Opened)> {
    let mut out = Vec::new();
    for view in ["positive", "top_label"] {
        let mut options = options.clone();
        options["view"] = json!(view);
        match try_open(&[("a.csv", text.as_bytes())], options) {
            Ok(data) => out.push((view.to_owned(), data)),
            Err(error) => assert_eq!(error.code(), "unsupported_view", "{error}"),
        }
    }
    assert!(!out.is_empty());
    out
}

/// Every chart of the run is drawn, or says why not.
fn assert_drawn(data: &Opened, ran: &Ran, place: &str) {
    let last = ran.outcome().report.methods.last().unwrap().name.clone();
    for chart in [
        json!({ "reliability": {} }),
        json!({ "reliability": { "method": last, "smooth": true } }),
        json!({ "map": {} }),
        json!({ "map": { "bin": "worst", "method": last, "gamma": 1e-9 } }),
        json!({ "map": { "bin": 0 } }),
        json!({ "cdf": { "bin": "best" } }),
        json!({ "cdf": { "features": ["x2"], "bin": 400 } }),
    ] {
        let job = Job::Call(Call::View { request: serde_json::from_value(chart.clone()).unwrap() });
        match run(&job, &[&data.0, &ran.0], vec![], &mut |_| ()) {
            Ok(Outcome::View(view)) => {
                let figure = serde_json::to_string(&view.shown.facts).unwrap();
                assert!(!figure.contains("NaN"), "{place}, {chart}: {figure}");
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => {
                assert!(!error.hint().is_empty() && !error.to_string().contains("NaN"), "{place}, {chart}: {error}")
            }
        }
    }
}

const METHODS: [&str; 5] = ["none", "temperature", "platt", "isotonic", "histogram"];

#[test]
fn small_and_awkward_files() {
    for (name, text) in FILES {
        // A coordinate with ties and huge values beside every file.
        let places = ["0", "0", "1e150", "-3", "1e-300", "7", "8"];
        let mut lines = text.lines().enumerate();
        let mut text = lines.next().unwrap().1.to_owned() + ",x1,x2,set\n";
        for (i, line) in lines {
            let set = if i % 2 == 0 { "test" } else { "cal" };
            text += &format!("{line},{},{i},{set}\n", places[(i - 1) % 7]);
        }
        let roles = json!({ "x1": "feature", "x2": "feature", "set": "ignore" });
        let split = json!({ "x1": "feature", "x2": "feature", "set": "split" });
        for options in [
            json!({ "roles": roles, "split": { "folds": 5 } }),
            json!({ "roles": roles }),
            json!({ "roles": roles, "split": { "half": true } }),
            json!({ "roles": split }),
        ] {
            if text.lines().count() < 6 && options["split"]["folds"] == 5 {
                continue; // more folds than rows are refused when the file is opened
            }
            if *name == "one row" && options["roles"]["set"] == "split" {
                continue; // so is a split without a scored row
            }
            for (view, data) in views(&text, &options) {
                for (bins, kernel, features) in [
                    (json!(15), "laplacian", json!(["x1", "x2"])),
                    (json!({ "count": 3, "scheme": "equal_mass_rank" }), "group", json!("x1")),
                    (
                        json!({ "count": 2, "scheme": "equal_mass_quantile" }),
                        "gaussian",
                        json!({ "pca": 2, "of": ["x1", "x2"] }),
                    ),
                    (json!({ "count": 1, "closed": "right" }), "constant", json!(["x2"])),
                ] {
                    let local = json!({ "features": features, "kernel": kernel, "gamma": 0.3, "resamples": 3 });
                    let place = format!("{name}, {view}, {options}, {kernel}");
                    for (methods, evaluate_on) in [
                        (json!(["none"]), "all"),
                        (json!(["none"]), "evaluation"),
                        (json!(METHODS), "evaluation"),
                        (json!(["none", "lore"]), "all"),
                    ] {
                        let request = json!({
                            "methods": methods, "evaluate_on": evaluate_on, "bins": bins, "local": local,
                            "resamples": 20, "seed": 1,
                        });
                        match data.try_run(request) {
                            Ok(ran) => {
                                assert_sound(&ran, &place);
                                for call in [
                                    Call::ExportPredictions { identifiers: None },
                                    Call::ExportCalibrator { suppress: None },
                                    Call::ExportReport { suppress: None },
                                ] {
                                    let text = data.export(call, &ran);
                                    assert!(!text.contains("NaN"), "{place}");
                                }
                                if methods == json!(METHODS) && ["laplacian", "gaussian"].contains(&kernel) {
                                    assert_drawn(&data, &ran, &place);
                                }
                            }
                            // One row cannot be fitted on and scored, nor have components.
                            Err(error) => {
                                let few = ["split_empty", "too_few_rows"].contains(&error.code());
                                assert!(few && text.lines().count() <= 4, "{place}: {} {error}", error.code());
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_single_row_can_be_scored() {
    let ran = open("p,y\n0.3,1\n", json!({})).run(json!({ "resamples": 50 }));
    assert_sound(&ran, "one row");
    assert!((ran.value("none", "mean_gap") + 0.7).abs() < 1e-15);
    // Every draw that holds the row at all has the same mean, but for the rounding of single precision.
    let brier = ran.metric("none", "brier");
    assert!(brier.high.unwrap() - brier.low.unwrap() < 1e-7, "{brier:?}");
    assert_eq!(
        ran.metric("none", "auroc").reason.as_ref().map(Reason::text).as_deref(),
        Some("only one outcome occurs")
    );
}

#[test]
fn what_is_missing_is_named() {
    let code = |text: &str, request: Value| {
        let data = try_open(&[("a.csv", text.as_bytes())], json!({})).unwrap();
        data.try_run(request).map(|_| ()).unwrap_err().code()
    };
    assert_eq!(code("p\n0.3\n0.4\n0.1\n0.9\n0.2\n", json!({})), "label_missing");
    assert_eq!(code("label\ncat\ndog\ncat\ncat\ndog\n", json!({})), "score_missing");
    let text = "p,y,x1\n.1,0,1\n.2,1,2\n.3,0,\n.7,1,4\n.8,1,5\n.9,0,6\n";
    for wrong in [
        json!({ "metrics": ["ece", "klce2"] }),
        json!({ "methods": ["venn"] }),
        json!({ "methods": ["none", "none"] }),
        json!({ "methods": [] }),
        json!({ "methods": [{ "id": "platt", "parameters": { "smooth": true } }] }),
        json!({ "methods": [{ "id": "platt", "parameters": { "ridge": -1 } }] }),
        json!({ "methods": [{ "id": "temperature", "parameters": { "t": 1 } }] }),
        json!({ "methods": [{ "id": "lore", "parameters": { "features": ["x1"], "gamma": 0 } }] }),
        json!({ "local": { "features": ["x9"] } }),
        json!({ "local": { "features": ["x1"], "kernel": "cosine" } }),
        json!({ "local": { "features": { "pca": 0, "of": ["x1"] } } }),
    ] {
        let found = code(text, wrong.clone());
        let known = ["unknown_metric", "unknown_method", "invalid_option", "unknown_column", "not_a_number"];
        assert!(known.contains(&found), "{wrong}: {found}");
    }
    // A row without a number in a feature is left out, and that is said.
    let data = open(text, json!({ "roles": { "x1": "feature" } }));
    let ran = data.run(json!({ "local": { "features": ["x1"] } }));
    let said = ran.method("none").warnings.iter().find(|warning| warning.code == "rows_without_place");
    assert!(said.is_some_and(|said| said.message.starts_with("x1 is empty in 1 of ")), "{said:?}");
}

#[test]
fn lore_without_features_gives_reasons() {
    let data = open("p,y\n.1,0\n.2,1\n.3,0\n.7,1\n.8,1\n.9,0\n", json!({}));
    for methods in [json!(["lore"]), json!(["none", "lore"]), json!(["lore", "none"])] {
        let ran = data.run(json!({ "methods": methods, "resamples": 10 }));
        assert_sound(&ran, "lore without features");
        for metric in ran.method("lore").metrics.values() {
            assert_eq!(
                (metric.value, metric.reason.as_ref().map(Reason::text).as_deref()),
                (None, Some("features_missing"))
            );
        }
    }
    let ran = data.run(json!({ "resamples": 0 }));
    for id in ["mlce", "mean_lce"] {
        assert_eq!(ran.metric("none", id).value, None);
        assert_eq!(ran.metric("none", id).reason.as_ref().map(Reason::text).as_deref(), Some("no_local_settings"));
    }
}

#[test]
fn wrong_shapes_say_what_was_expected() {
    let refused = |request: Value| {
        serde_json::from_value::<RunRequest>(request.clone()).expect_err(&request.to_string()).to_string()
    };
    for (request, word) in [
        (json!({ "methods": [3] }), "a method is an id"),
        (json!({ "methods": [{ "name": "x" }] }), "a method is an id"),
        (json!({ "methods": [{ "id": "lore", "paramters": {} }] }), "a method is an id"),
        (json!({ "methods": "lore" }), "sequence"),
        (json!({ "local": { "features": 3 } }), "features are a name"),
        (json!({ "local": { "features": ["x1", 2] } }), "features are a name"),
        (json!({ "local": { "features": { "pca": 2, "off": ["x1"] } } }), "features are a name"),
        (json!({ "local": { "features": { "pca": "2" } } }), "features are a name"),
        (json!({ "local": { "gama": 3 } }), "gama"),
        (json!({ "bins": 0 }), "bins"),
        (json!({ "bins": 2.5 }), "bins"),
        (json!({ "bins": { "count": 5, "scheme": "equal" } }), ""),
        (json!({ "seeds": 3 }), "seeds"),
        (json!({ "evaluate_on": "test" }), "test"),
    ] {
        let message = refused(request.clone());
        assert!(message.contains(word), "{request}: {message}");
    }
    let split = |split: Value| serde_json::from_value::<localcal::data::OpenOptions>(json!({ "split": split }));
    for wrong in
        [json!("none"), json!({ "fold": 5 }), json!({ "folds": 5, "half": true }), json!(5), json!({ "first": -1 })]
    {
        assert!(split(wrong.clone()).expect_err("wrong").to_string().contains("split is"), "{wrong}");
    }
    for right in [
        json!("auto"),
        json!({ "folds": 3 }),
        json!({ "half": true }),
        json!({ "first": 9 }),
        json!({ "column": "set" }),
    ] {
        split(right).unwrap();
    }
    // More folds than a row's fold can number.
    let text = "p,y\n".to_owned() + &".3,1\n.6,0\n".repeat(200);
    let error = try_open(&[("a.csv", text.as_bytes())], json!({ "split": { "folds": 300 } })).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "invalid_option");
}

/// What travels between workers comes back as what it was, for every kind of calibrator.
#[test]
fn calibrators_survive_the_way_between_workers() {
    use localcal::packed::{pack, unpack};
    use localcal::table::column::{with_columns_in, with_columns_out};
    let text = "p,y,x1\n.1,0,1\n.2,1,2\n.3,0,3\n.7,1,4\n.8,1,5\n.9,0,6\n";
    let data = open(text, json!({}));
    let mut methods: Vec<Value> =
        ["temperature", "platt", "isotonic", "histogram"].iter().map(|id| json!(id)).collect();
    for kernel in ["laplacian", "gaussian", "rbf", "group", "constant"] {
        methods.push(json!({ "id": "lore", "name": kernel, "parameters": { "features": ["x1"], "kernel": kernel } }));
    }
    methods.push(json!({ "id": "platt", "name": "raw", "parameters": { "input": "raw_prob" } }));
    let right = json!({ "count": 4, "scheme": "equal_mass_quantile", "closed": "right" });
    methods.push(json!({ "id": "histogram", "name": "right", "parameters": { "bins": right } }));
    let ran = data.run(json!({ "methods": methods, "resamples": 0 }));
    let (bytes, cargo) = with_columns_out(|| pack(&ran.0).unwrap());
    let back: Outcome = with_columns_in(cargo, || unpack(&bytes).unwrap());
    let (Outcome::Report(sent), Outcome::Report(came)) = (&ran.0, &back) else {
        panic!("no report");
    };
    // what only the page reads is not read back
    assert!(sent.report == came.report && sent.rows == came.rows, "the report changed on its way");
    let again =
        run(&Job::Call(Call::ExportPredictions { identifiers: None }), &[&data.0, &back], vec![], &mut |_| ()).unwrap();
    assert!(matches!(again, Outcome::Bytes { .. }));
}

/// A matrix of two columns with the first label counted as 1 is the file that holds that column alone.
#[test]
fn the_first_label_may_be_the_positive_one() {
    let p = [0.05_f64, 0.5, 0.25, 0.75, 0.5, 0.875, 0.375, 0.625, 0.9375, 0.125, 0.5, 0.3];
    let y = [0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1];
    let (mut one, mut two, mut logits) =
        ("p,y,x1\n".to_owned(), "prob_cat,prob_dog,label,x1\n".to_owned(), "logit_cat,logit_dog,label,x1\n".to_owned());
    for (i, (p, y)) in p.iter().zip(y).enumerate() {
        let label = if y == 1 { "cat" } else { "dog" };
        let place = i % 5;
        one += &format!("{p},{y},{place}\n");
        two += &format!("{p},{},{label},{place}\n", 1.0 - p);
        logits += &format!("{},{},{label},{place}\n", (p / (1.0 - p)).ln() + 3.0, 3.0);
    }
    let request = json!({
        "methods": ["none", "temperature", "platt", "isotonic", "histogram", "lore"],
        "local": { "features": ["x1"], "resamples": 4 }, "resamples": 30,
    });
    let options = json!({ "view": "positive", "split": { "first": 6 }, "roles": { "x1": "feature" } });
    let theirs = open(&one, options.clone()).run(request.clone());
    let mut options = options;
    options["positive"] = json!("cat");
    for text in [two, logits] {
        let ours = open(&text, options.clone()).run(request.clone());
        assert_eq!(ours.outcome().report.data.positive.as_deref(), Some("cat"));
        for (a, b) in ours.outcome().report.methods.iter().zip(&theirs.outcome().report.methods) {
            for (id, metric) in &a.metrics {
                let other = &b.metrics[id];
                let close = |x: Option<f64>, y: Option<f64>| match (x, y) {
                    (Some(x), Some(y)) => (x - y).abs() < 1e-6,
                    (x, y) => x == y,
                };
                assert!(close(metric.value, other.value), "{} {id}: {metric:?} {other:?}", a.name);
                assert!(close(metric.low, other.low), "{} {id}: {metric:?} {other:?}", a.name);
                assert!(close(metric.floor_mean, other.floor_mean), "{} {id}: {metric:?} {other:?}", a.name);
            }
        }
    }
}

/// One replicate of the local error, one of the rest, or none: whatever is null says why, differences too.
#[test]
fn few_replicates_leave_no_null_without_a_reason() {
    let mut text = "p,y,x\n".to_owned();
    for i in 0..60 {
        let (p, y) = (0.02 + 0.016 * f64::from(i), u8::from(i * 7 % 60 < i));
        text += &format!("{p},{y},{}\n", i % 9);
    }
    let roles = json!({ "p": "probability", "y": "label", "x": "feature" });
    let data = open(&text, json!({ "roles": roles, "split": { "folds": 3 } }));
    for (all, local) in [(0, 1), (1, 1), (1, 0), (40, 1), (40, 2)] {
        let ran = data.run(json!({
            "methods": ["none", "platt", "histogram"], "resamples": all,
            "metrics": ["accuracy", "ece", "smece", "ici", "slope", "mean_lce", "mlce", "auroc"],
            "local": { "features": ["x"], "resamples": local },
        }));
        for method in &ran.outcome().report.methods {
            for (id, metric) in &method.metrics {
                assert_told(metric, &format!("{all} {local} {} {id}", method.name));
            }
            for (id, metric) in &method.differences {
                let place = format!("{all} {local} {} {id}", method.name);
                let numbers = [metric.value, metric.low, metric.high];
                assert!(numbers.iter().all(Option::is_some) || metric.reason.is_some(), "{place}: {metric:?}");
            }
        }
    }
}

/// Two rows: one replicate in seven has no row at all.
#[test]
fn a_difference_that_no_replicate_has_says_so() {
    let text = "p,y,x\n.2,0,1\n.8,1,2\n";
    let roles = json!({ "p": "probability", "y": "label", "x": "feature" });
    let data = open(text, json!({ "roles": roles, "view": "positive" }));
    let mut without = 0;
    for seed in 0..30 {
        let ran = data.run(json!({
            "methods": ["none", "platt"], "metrics": ["mean_lce"], "resamples": 0, "seed": seed,
            "evaluate_on": "all", "local": { "features": ["x"], "resamples": 1 },
        }));
        assert_told(ran.metric("none", "mean_lce"), &format!("seed {seed}"));
        let found = &ran.method("platt").differences["mean_lce"];
        let whole = [found.value, found.low, found.high].iter().all(Option::is_some);
        assert!(whole || found.reason.is_some(), "seed {seed}: {found:?}");
        without += usize::from(found.value.is_some() && !whole);
    }
    assert!(without > 0);
}

/// Scores of exactly 0 and 1: they are counted, the cut stands beside the numbers that depend on it, and a warning says how
/// far.
#[test]
fn scores_at_the_ends_are_counted() {
    let mut text = "p,y\n".to_owned();
    for i in 0..200 {
        let p = match i {
            0..10 => 0.0,
            10..20 => 1.0,
            _ => 0.004_5 * f64::from(i),
        };
        // One of the certain is wrong at each end.
        let y = u8::from(i == 0 || (11..20).contains(&i) || (i >= 20 && i * 37 % 200 < i));
        text += &format!("{p},{y}\n");
    }
    let data = open(&text, json!({ "view": "positive" }));
    let ids = ["nll", "brier", "slope", "intercept_joint", "intercept_large"];
    let ran = data.run(json!({
        "methods": ["none", "platt"], "metrics": ids, "resamples": 0, "evaluate_on": "all",
    }));
    let of = |id: &str| ran.metric("none", id).clipped.map(|cut| (cut.rows, cut.at));
    assert_eq!(of("nll"), Some((2, 1e-15)));
    assert_eq!(of("brier"), None);
    for id in ["slope", "intercept_joint", "intercept_large"] {
        assert_eq!(of(id), Some((20, f64::EPSILON)), "{id}");
    }
    let warning = |name: &str| {
        let found = ran.method(name).warnings.iter().find(|w| w.code == "scores_at_ends");
        found.map(|warning| warning.message.clone())
    };
    let told = warning("none").expect("a warning");
    for words in ["2 of 200 rows", "20 of 200 scores are exactly 0 or 1", "1e−15", "2.2e−16", "clipping at 0.01"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(warning("platt"), None);
    let shown = &ran.outcome().presentation.scorecard;
    let cut = |id: &str| shown.iter().find(|row| row.id == id).map(|row| row.cut.as_str());
    assert_eq!(cut("nll"), Some("depends on 2 rows clipped at 1e−15"));
    assert_eq!(cut("slope"), Some("depends on 20 rows clipped at 2.2e−16"));
    assert_eq!(cut("brier"), Some(""));
    // Nothing is said where no number that was asked for depends on it.
    let ran = data.run(json!({ "metrics": ["brier", "ece"], "resamples": 0, "evaluate_on": "all" }));
    assert!(ran.method("none").warnings.is_empty());
}

/// Weights and replicates leave a perfect ranking at 1.
#[test]
fn a_perfect_ranking_with_weights_is_one() {
    let mut text = "p,y,w\n".to_owned();
    for i in 0..90 {
        let p = (f64::from(i) + 0.5) / 90.0;
        text += &format!("{p},{},{}\n", u8::from(i >= 31), 0.1 + 0.37 * f64::from(i % 7));
    }
    let roles = json!({ "p": "probability", "y": "label", "w": "weight" });
    let data = open(&text, json!({ "roles": roles, "view": "positive" }));
    let ran = data.run(json!({ "metrics": ["auroc"], "resamples": 50, "evaluate_on": "all" }));
    let found = ran.metric("none", "auroc");
    // that these rows are ranked perfectly is no interval of width 0
    assert_eq!((found.value, found.low, found.high), (Some(1.0), None, None));
    assert_eq!(found.reason.as_ref().map(Reason::text).as_deref(), Some("no interval: the same in every resample"));
}
