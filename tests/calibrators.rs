//! Calibrators travel: fitted on one file, written, read, applied to another, they give the numbers of the run.

#![allow(clippy::expect_used, clippy::panic)]

#[path = "calibrators/make.rs"]
mod make;

use localcal::evaluation::method::METHODS;
use localcal::job::run::run;
use localcal::job::{Call, Job, Outcome};
use make::*;
use serde_json::{Value, json};

/// An export as the page hands it over.
fn object(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Fits on the calibration rows of a whole file, applies to a file of the scored rows without labels, and compares with
/// what the run gave to those rows, bit for bit; one method after another to 1e-12.
fn comes_back(kind: Kind, view: &str, methods: Value) -> String {
    let whole = opened(&csv(kind, Part::Whole), json!({ "view": view }));
    let run = ran(&whole, json!({ "methods": methods, "resamples": 0 }));
    let text = exported(&Job::Call(Call::ExportCalibrator {}), &[&whole, &run]);
    let other = unlabelled(&csv(kind, Part::Scored), json!(view));
    let applied = applied(&other, object(&text), None).expect("applied");
    let Outcome::Report(run) = &run else {
        panic!("a report")
    };
    let columns = columns(&applied);
    let within: Vec<String> = object(&text)["methods"]
        .as_array()
        .expect("methods")
        .iter()
        .filter(|method| !method["parameters"]["base"].is_null())
        .map(|method| method["name"].as_str().expect("a name").to_owned())
        .collect();
    let mut compared = 0;
    for rows in &run.rows {
        if rows.method.name == "none" {
            continue;
        }
        let (_, column) = columns
            .iter()
            .find(|(name, _)| name.ends_with(&format!("_{}", rows.method.name)))
            .unwrap_or_else(|| panic!("no column for {}", rows.method.name));
        assert_eq!(column.len(), rows.score.len());
        for (i, (there, here)) in column.iter().zip(rows.score.iter()).enumerate() {
            let there: f64 = there.parse().expect("a number");
            // Sums of near rows may end in another digit where the second method sees them.
            let near = match within.contains(&rows.method.name) {
                true => (there - here).abs() < 1e-12,
                false => there.to_bits() == here.to_bits(),
            };
            let name = &rows.method.name;
            assert!(near, "{kind:?} {view} {name} row {i}: {there} {here}");
        }
        compared += 1;
    }
    assert!(compared > 0);
    text
}

#[test]
fn every_method_of_three_classes() {
    for kind in [Kind::Probabilities, Kind::Logits] {
        let text = comes_back(
            kind,
            "top_label",
            json!(methods(&json!(["x1", "x2", "site"]))),
        );
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["classes"], 3);
        let listed = value["methods"].as_array().expect("methods");
        assert_eq!(listed.len(), METHODS.len() - 1);
        let input = |id: &str| {
            let method = listed.iter().find(|method| method["id"] == id);
            method.expect("there")["input"].clone()
        };
        assert_eq!(input("vector"), "logits");
        assert_eq!(input("isotonic"), "score");
        assert_eq!(input("lore"), "score and features");
        assert_eq!(input("ptsk"), "logits and features");
        assert_eq!(input("group_temperature"), "logits and groups");
        assert_eq!(input("multicalibration"), "score and groups");
        assert_eq!(input("lcb"), "score and features");
    }
}

#[test]
fn every_method_of_two_classes_in_both_views() {
    for view in ["positive", "top_label"] {
        comes_back(Kind::Binary, view, json!(methods(&json!(["x1", "x2"]))));
    }
}

#[test]
fn confidence_and_correctness_alone() {
    let of_score = [
        "temperature",
        "mmce_temperature",
        "platt",
        "isotonic",
        "histogram",
        "beta",
        "bbq",
        "venn_abers",
    ];
    comes_back(Kind::Confidence, "top_label", json!(of_score));
}

#[test]
fn groups_near_rows_and_methods_within_others() {
    for (kind, view) in [
        (Kind::Binary, "positive"),
        (Kind::Probabilities, "top_label"),
        (Kind::Logits, "positive"),
        (Kind::Confidence, "top_label"),
    ] {
        let mut asked = forms();
        if kind != Kind::Confidence {
            let near =
                json!({ "features": ["x1"], "groups": 2, "base": { "features": ["x1", "x2"] } });
            asked.push(json!({ "id": "ptsk+proximity_stratified", "parameters": near }));
        }
        let text = comes_back(kind, view, json!(asked));
        let value = object(&text);
        let method = |name: &str| -> &Value {
            let listed = value["methods"].as_array().expect("methods");
            listed.iter().find(|m| m["name"] == name).expect("there")
        };
        let first = match kind {
            Kind::Confidence => "score",
            _ => "logits",
        };
        let ratio = method("temperature+density_ratio");
        assert_eq!(ratio["input"], format!("{first} and features"));
        assert_eq!(ratio["parameters"]["base"]["method"], "temperature");
        assert_eq!(ratio["parameters"]["base"]["looks_at"], first);
        assert_eq!(
            method("groups of near rows")["input"],
            format!("{first}, features and groups")
        );
        assert_eq!(method("chosen")["id"], "platt+density_ratio");
        let groups = &method("chosen by group")["parameters"]["groups"];
        assert_eq!(groups[1]["method"], "beta");
        let krr = &method("lcb krr")["parameters"];
        assert_eq!(krr["alpha"].as_array().map(Vec::len), Some(120));
    }
}

/// Groups are found by what they are called; those that did not calibrate take the fit to all rows, or stay.
#[test]
fn groups_that_the_fit_did_not_know() {
    let asked: Vec<Value> = methods(&json!(["x1"]))
        .into_iter()
        .filter(|method| method["parameters"]["groups"] == "site")
        .chain([json!({ "id": "multicalibration", "name": "both", "parameters": { "groups": ["site", "band"], "min_rows": 3 } })])
        .collect();
    let banded = |csv: String, last: &str| -> String {
        let mut lines = csv.lines();
        let head = format!("{},band\n", lines.next().expect("a header"));
        head + &lines
            .enumerate()
            .map(|(i, line)| format!("{line},{}\n", ["1", last][i / 7 % 2]))
            .collect::<String>()
    };
    let whole_banded = opened(
        &banded(csv(Kind::Binary, Part::Whole), "2.5"),
        json!({ "view": "positive" }),
    );
    let run = ran(&whole_banded, json!({ "methods": asked, "resamples": 0 }));
    let text = exported(
        &Job::Call(Call::ExportCalibrator {}),
        &[&whole_banded, &run],
    );
    let value = object(&text);
    let both = value["methods"].as_array().and_then(|m| m.last());
    let named = both.expect("one")["parameters"]["groups"].to_string();
    assert!(
        named.contains("site = ") && named.contains("band = 2.5"),
        "{named}"
    );
    // Every row in places and bands that nobody calibrated.
    let scored = banded(csv(Kind::Binary, Part::Scored), "7")
        .replace("north", "elsewhere")
        .replace("south", "")
        .replace("west", "elsewhere")
        .replace(",1\n", ",9\n");
    let roles = json!({ "site": "feature", "band": "feature" });
    let other = opened(&scored, json!({ "view": "positive", "roles": roles }));
    let told = applied(&other, value.clone(), None);
    let columns = columns(&told.expect("applied"));
    let column = |name: &str| -> Vec<f64> {
        let (_, cells) = columns.iter().find(|(n, _)| n == name).expect("there");
        cells
            .iter()
            .map(|cell| cell.parse().expect("a number"))
            .collect()
    };
    let p = column("p");
    for name in [
        "p_multicalibration",
        "p_proportional_multicalibration",
        "p_both",
    ] {
        assert_eq!(column(name), p);
    }
    let pooled = value["methods"].as_array().expect("methods");
    let pooled = pooled.iter().find(|m| m["id"] == "group_temperature");
    let t = pooled.expect("there")["parameters"]["pooled"]["temperature"].as_f64();
    for (p, q) in p.iter().zip(column("p_group_temperature")) {
        let z = (p / (1.0 - p)).ln() / t.expect("T");
        assert!((q - 1.0 / (1.0 + (-z).exp())).abs() < 1e-12);
    }
    // Without the column there is nothing to go by.
    let bare = csv(Kind::Binary, Part::Scored).replace("site", "place");
    let bare = opened(
        &bare,
        json!({ "view": "positive", "roles": { "place": "feature" } }),
    );
    for name in [
        "group_temperature",
        "group_histogram",
        "multicalibration",
        "both",
    ] {
        let error = applied(&bare, value.clone(), Some(name)).expect_err("no column");
        assert_eq!(
            format!("{}: {error} {}", error.code(), error.hint()),
            "features_missing: The calibrator looks at `site`, which this file does not have. \
             Add the column, under the same name as in the file that the calibrator was fitted on."
        );
    }
}

/// Every class, each method by its own groups; the vector of a row sums to one and holds the score.
#[test]
fn every_class_of_groups_and_methods_within_others() {
    let view = json!({ "view": "top_label" });
    let whole = opened(&csv(Kind::Probabilities, Part::Whole), view);
    let run = ran(&whole, json!({ "methods": forms(), "resamples": 0 }));
    let text = exported(&Job::Call(Call::ExportCalibrator {}), &[&whole, &run]);
    let job = Job::Call(Call::ExportApplied {
        calibrator: object(&text),
        method: None,
        classes: true,
    });
    let other = unlabelled(&csv(Kind::Probabilities, Part::Scored), json!("top_label"));
    let columns = columns(&exported(&job, &[&other]));
    let number = |name: &str, i: usize| -> f64 {
        let (_, cells) = columns.iter().find(|(n, _)| n == name).expect("there");
        cells[i].parse().expect("a number")
    };
    let (_, predicted) = &columns[1];
    for (i, class) in predicted.iter().enumerate() {
        for method in [
            "small groups",
            "temperature+density_ratio",
            "chosen",
            "groups of near rows",
        ] {
            let of = |class: &str| number(&format!("{method}:{class}"), i);
            assert!((of("a") + of("b") + of("c") - 1.0).abs() < 1e-12);
            assert!((of(class) - number(&format!("confidence_{method}"), i)).abs() < 1e-12);
        }
    }
}

/// What is said about damage to what groups, near rows and methods within others need.
#[test]
fn what_is_damaged_in_parts() {
    let whole = opened(
        &csv(Kind::Binary, Part::Whole),
        json!({ "view": "positive" }),
    );
    let run = ran(&whole, json!({ "methods": forms(), "resamples": 0 }));
    let text = exported(&Job::Call(Call::ExportCalibrator {}), &[&whole, &run]);
    let good = object(&text);
    let same = unlabelled(&csv(Kind::Binary, Part::Scored), json!("positive"));
    let listed = good["methods"].as_array().expect("methods");
    let told = |name: &str, path: &str, value: Option<Value>| {
        let place = listed
            .iter()
            .position(|m| m["name"] == name)
            .expect("there");
        let mut bad = good.clone();
        let (parent, key) = path.rsplit_once('/').expect("a path");
        let parent = bad.pointer_mut(&format!("/methods/{place}/parameters{parent}"));
        let parent = parent.expect("there");
        match (value, parent) {
            (Some(value), Value::Array(items)) => {
                items[key.parse::<usize>().expect("a place")] = value;
            }
            (Some(value), parent) => parent[key] = value,
            (None, parent) => {
                parent.as_object_mut().expect("fields").remove(key);
            }
        }
        let error = applied(&same, bad, None).expect_err("an error");
        assert_eq!(error.code(), "calibrator_unreadable");
        let sentence = error.to_string();
        let start = format!("This calibrator cannot be used: `{name}`: ");
        sentence
            .strip_prefix(&start)
            .unwrap_or(&sentence)
            .to_owned()
    };
    let apart = "its numbers are damaged, or do not fit together with each other and 2 classes.";
    for (name, path, value) in [
        ("small groups", "/pooled/temperature", json!(-1)),
        ("right", "/fit/steps", json!([[99, 0, 0.1]])),
        ("right", "/fit/edges", json!([0.5])),
        ("pmcboost", "/fit/rounds", json!([1_000_000])),
        ("lcb krr", "/alpha", json!([])),
        ("lcb concatenated", "/gamma", json!(-2)),
        ("isotonic+bin_mean_shift", "/gaps/0", json!([0.1])),
        (
            "isotonic+bin_mean_shift",
            "/score_edges",
            json!([0.9, 0.1, 0.2]),
        ),
    ] {
        assert_eq!(told(name, path, Some(value)), apart, "{name} {path}");
    }
    for (name, path, value, sentence) in [
        (
            "none+density_ratio",
            "/base",
            None,
            "base does not say which `method` it is and what it `looks_at`.",
        ),
        (
            "isotonic+proximity_stratified",
            "/groups",
            None,
            "groups are missing.",
        ),
        (
            "isotonic+proximity_stratified",
            "/groups/1",
            Some(json!({})),
            "a group does not say which `method` it is and what it `looks_at`.",
        ),
        (
            "isotonic+proximity_stratified",
            "/log_proximity_edges",
            Some(json!([0.1])),
            "5 groups do not fit together with 1 inner edges.",
        ),
        (
            "isotonic+proximity_stratified",
            "/x",
            Some(json!([])),
            "x holds 0 numbers for 2 coordinates.",
        ),
        (
            "none+density_ratio",
            "/proximity",
            Some(json!([0.5])),
            "proximity must hold 120 numbers, as many as x has rows.",
        ),
        (
            "none+density_ratio",
            "/neighbours",
            Some(json!(0)),
            "it looks at 0 neighbours.",
        ),
        ("none+density_ratio", "/target", None, "target is missing."),
        (
            "lcb krr",
            "/alpha",
            Some(json!([0.5])),
            "alpha must hold 120 numbers, as many as x has rows.",
        ),
        (
            "temperature+density_ratio",
            "/base/temperature",
            Some(json!("hot")),
            "invalid type: string \"hot\", expected f64.",
        ),
    ] {
        assert_eq!(told(name, path, value), sentence, "{name} {path}");
    }
    assert!(told("small groups", "/pooled", None).contains("missing field `pooled`"));
    assert!(
        told(
            "none+density_ratio",
            "/base/method",
            Some(json!("composed"))
        )
        .len()
            > 10
    );
}

#[test]
fn coordinates_are_found_again() {
    let lore = |name: &str, parameters: Value| json!({ "id": "lore", "name": name, "parameters": parameters });
    comes_back(
        Kind::Binary,
        "positive",
        json!([
            lore("text", json!({ "features": ["site"], "gamma": 1 })),
            lore("groups", json!({ "features": ["site"], "kernel": "group" })),
            lore(
                "components",
                json!({ "features": { "pca": 2, "of": ["x1", "x2", "x3", "site"] }, "kernel": "gaussian", "gamma": 0.7 })
            ),
            lore(
                "equal mass",
                json!({ "features": ["x1"], "bins": { "count": 7, "scheme": "equal_mass_rank" } })
            ),
            { "id": "ptsk", "parameters": { "features": { "pca": 2, "of": ["x1", "x2", "x3"] } } },
        ]),
    );
    // Values of a text column that the fit did not know are no error: such a row is far from all.
    let whole = opened(&csv(Kind::Binary, Part::Whole), json!({}));
    let methods = json!([lore("text", json!({ "features": ["site", "x1"] }))]);
    let run = ran(&whole, json!({ "methods": methods, "resamples": 0 }));
    let text = exported(&Job::Call(Call::ExportCalibrator {}), &[&whole, &run]);
    let other = csv(Kind::Binary, Part::Scored).replace("north", "elsewhere");
    let csv = applied(&unlabelled(&other, Value::Null), object(&text), None).expect("applied");
    assert!(csv.lines().skip(1).all(|line| !line.ends_with(',')));
}

#[test]
fn one_method_and_every_class() {
    let whole = opened(
        &csv(Kind::Probabilities, Part::Whole),
        json!({ "view": "top_label" }),
    );
    let methods = json!(["temperature", "isotonic", "vector"]);
    let run = ran(&whole, json!({ "methods": methods, "resamples": 0 }));
    let text = exported(&Job::Call(Call::ExportCalibrator {}), &[&whole, &run]);
    let other = unlabelled(&csv(Kind::Probabilities, Part::Scored), Value::Null);
    // The object that the text stands for does as well.
    let object: Value = serde_json::from_str(&text).expect("JSON");
    let one = applied(&other, object.clone(), Some("vector")).expect("applied");
    assert_eq!(
        one.lines().next(),
        Some("row,predicted,confidence,confidence_vector")
    );
    let job = Job::Call(Call::ExportApplied {
        calibrator: object,
        method: None,
        classes: true,
    });
    let all = exported(&job, &[&other]);
    assert!(all.starts_with(
        "row,predicted,confidence,confidence_temperature,confidence_isotonic,confidence_vector,\
         temperature:a,temperature:b,temperature:c,isotonic:a"
    ));
    let columns = columns(&all);
    let number = |name: &str, i: usize| -> f64 {
        let (_, cells) = columns.iter().find(|(n, _)| n == name).expect("there");
        cells[i].parse().expect("a number")
    };
    let (_, predicted) = &columns[1];
    for (i, class) in predicted.iter().enumerate() {
        for method in ["temperature", "isotonic", "vector"] {
            let sum: f64 = ["a", "b", "c"]
                .iter()
                .map(|k| number(&format!("{method}:{k}"), i))
                .sum();
            assert!((sum - 1.0).abs() < 1e-12);
            assert_eq!(
                number(&format!("{method}:{class}"), i),
                number(&format!("confidence_{method}"), i)
            );
        }
    }
}

/// What is said about a calibrator that cannot be used.
#[test]
fn what_cannot_be_applied() {
    let whole = opened(
        &csv(Kind::Probabilities, Part::Whole),
        json!({ "view": "top_label" }),
    );
    let methods = json!(["vector", "histogram", "pts", { "id": "lore", "parameters": { "features": ["x1"] } }]);
    let run = ran(&whole, json!({ "methods": methods, "resamples": 0 }));
    let text = exported(&Job::Call(Call::ExportCalibrator {}), &[&whole, &run]);
    let good: Value = serde_json::from_str(&text).expect("JSON");
    let same = unlabelled(&csv(Kind::Probabilities, Part::Scored), json!("top_label"));
    let told = |data: &Outcome, calibrator: Value, method: Option<&str>| {
        let error = applied(data, calibrator, method).expect_err("an error");
        assert!(!error.hint().is_empty());
        format!("{}: {error}", error.code())
    };
    let changed = |pointer: &str, value: Value| {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).expect("there") = value;
        bad
    };
    assert_eq!(
        told(&same, json!({}), None),
        "calibrator_unreadable: This calibrator cannot be used: it has no `schema`."
    );
    assert_eq!(
        told(
            &same,
            changed("/schema", json!("localcal-calibrator/9")),
            None
        ),
        "calibrator_unreadable: The calibrator is written in `localcal-calibrator/9`; what is read is `localcal-calibrator/1`."
    );
    assert_eq!(
        told(&same, changed("/methods", json!([])), None),
        "calibrator_unreadable: This calibrator cannot be used: it holds no method."
    );
    assert_eq!(
        told(
            &same,
            changed("/methods/0/parameters/bias", json!([1, 2])),
            None
        ),
        "calibrator_unreadable: This calibrator cannot be used: `vector`: its numbers are damaged, or do not fit together with each other and 3 classes."
    );
    assert_eq!(
        told(
            &same,
            changed("/methods/0/parameters/weights/1", json!("x")),
            None
        ),
        "calibrator_unreadable: This calibrator cannot be used: `vector`: invalid type: string \"x\", expected f64."
    );
    assert!(
        told(
            &same,
            changed("/methods/0/id", json!("magic")),
            None
        )
        .starts_with("calibrator_unreadable: This calibrator cannot be used: `vector`: unknown variant `magic`")
    );
    assert_eq!(
        told(
            &same,
            changed("/methods/3/parameters/x/0", Value::Null),
            None
        ),
        "calibrator_unreadable: This calibrator cannot be used: `lore`: x holds no number at place 1."
    );
    assert!(
        told(
            &same,
            changed("/methods/3/parameters/target", json!([1])),
            None
        )
        .contains("`lore`: score and target must hold 120 numbers, as many as x has rows")
    );
    for (pointer, value) in [
        ("/methods/1/parameters/edges", json!([0.0, 1.0])),
        ("/methods/2/parameters/network/0", Value::Null),
        ("/methods/2/parameters/top", json!(4_000_000_000_u64)),
        ("/classes", json!(4)),
    ] {
        let told = told(&same, changed(pointer, value), None);
        assert!(told.contains("do not fit together"), "{pointer}: {told}");
    }
    assert_eq!(
        told(&same, good.clone(), Some("isotonic")),
        "unknown_method: The calibrator holds no method called `isotonic`."
    );
    let two = unlabelled(&csv(Kind::Binary, Part::Scored), json!("top_label"));
    assert_eq!(
        told(&two, good.clone(), None),
        "calibrator_mismatch: The calibrator was fitted on 3 classes; this file has 2."
    );
    let positive = unlabelled(&csv(Kind::Binary, Part::Scored), json!("positive"));
    assert_eq!(
        told(&positive, good.clone(), None),
        "calibrator_mismatch: The calibrator repairs the confidence of the predicted class; the file is opened to look at P(y = 1)."
    );
    let confidence = unlabelled(&csv(Kind::Confidence, Part::Scored), Value::Null);
    assert_eq!(
        told(&confidence, good.clone(), Some("vector")),
        "calibrator_mismatch: A score for each of 3 classes is needed by `vector`; this file has one score a row."
    );
    assert!(applied(&confidence, good.clone(), Some("histogram")).is_ok());
    let turned = csv(Kind::Probabilities, Part::Scored)
        .replace("p_a,p_b,p_c", "p_x,p_y,p_z")
        .replacen("p_x,p_y,p_z", "p_b,p_c,p_d", 1);
    let turned = unlabelled(&turned, Value::Null);
    // Other names, and no labels that would settle it: the number of classes has to do.
    assert!(applied(&turned, good.clone(), Some("vector")).is_ok());
    let swapped = changed("/labels", json!(["c", "b", "a"]));
    assert_eq!(
        told(&same, swapped, Some("vector")),
        "calibrator_mismatch: The classes have other names or another order: c, b, a in the calibrator, a, b, c in this file."
    );
    let bare = csv(Kind::Probabilities, Part::Scored).replace("x1", "elsewhere");
    assert_eq!(
        told(&unlabelled(&bare, Value::Null), good.clone(), Some("lore")),
        "features_missing: The calibrator looks at `x1`, which this file does not have."
    );
    let error = run_error(&Job::Call(Call::ExportApplied {
        calibrator: good,
        method: None,
        classes: false,
    }));
    assert_eq!(error, "score_missing");
}

/// The code of what is said about a file of labels alone.
fn run_error(job: &Job) -> String {
    let labels = opened("label\na\nb\n", json!({}));
    run(job, &[&labels], vec![], &mut |_| ())
        .expect_err("no scores")
        .code()
        .to_owned()
}
