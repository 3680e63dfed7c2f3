//! Groups, near rows, and methods within others.

use super::*;

#[test]
fn groups_near_rows_and_methods_within_others() {
    for (kind, view) in [
        (Kind::Binary, "positive"),
        (Kind::Probabilities, "top_label"),
        (Kind::Logits, "top_label"),
        (Kind::Confidence, "top_label"),
    ] {
        let mut asked = forms();
        if kind != Kind::Confidence {
            let near = json!({ "features": ["x1"], "groups": 2, "base": { "features": ["x1", "x2"] } });
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
        assert_eq!(method("groups of near rows")["input"], format!("{first}, features and groups"));
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
        head + &lines.enumerate().map(|(i, line)| format!("{line},{}\n", ["1", last][i / 7 % 2])).collect::<String>()
    };
    let whole_banded = open(&banded(csv(Kind::Binary, Part::Whole), "2.5"), json!({ "view": "positive" }));
    let run = whole_banded.run(json!({ "methods": asked, "resamples": 0 }));
    let text = whole_banded.export(Call::ExportCalibrator { suppress: None }, &run);
    let value = object(&text);
    let both = value["methods"].as_array().and_then(|m| m.last());
    let named = both.expect("one")["parameters"]["groups"].to_string();
    assert!(named.contains("site = ") && named.contains("band = 2.5"), "{named}");
    // Every row in places and bands that nobody calibrated.
    let scored = banded(csv(Kind::Binary, Part::Scored), "7")
        .replace("north", "elsewhere")
        .replace("south", "")
        .replace("west", "elsewhere")
        .replace(",1\n", ",9\n");
    let roles = json!({ "site": "feature", "band": "feature" });
    let other = open(&scored, json!({ "view": "positive", "roles": roles }));
    let told = other.applied(value.clone(), None);
    let columns = columns(&told.expect("applied"));
    let column = |name: &str| -> Vec<f64> {
        let (_, cells) = columns.iter().find(|(n, _)| n == name).expect("there");
        cells.iter().map(|cell| cell.parse().expect("a number")).collect()
    };
    let p = column("p");
    for name in ["p_multicalibration", "p_proportional_multicalibration", "p_both"] {
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
    let bare = open(&bare, json!({ "view": "positive", "roles": { "place": "feature" } }));
    for name in ["group_temperature", "group_histogram", "multicalibration", "both"] {
        let error = bare.applied(value.clone(), Some(name)).expect_err("no column");
        assert_eq!(
            format!("{}: {error} {}", error.code(), error.hint()),
            "features_missing: The calibrator needs `site`, which this file does not have. Add the column under the name it had when the calibrator was fitted."
        );
    }
}

/// Every class, each method by its own groups; the vector of a row sums to one and holds the score.
#[test]
fn every_class_of_groups_and_methods_within_others() {
    let view = json!({ "view": "top_label" });
    let whole = open(&csv(Kind::Probabilities, Part::Whole), view);
    let run = whole.run(json!({ "methods": forms(), "resamples": 0 }));
    let text = whole.export(Call::ExportCalibrator { suppress: None }, &run);
    let other = unlabeled(&csv(Kind::Probabilities, Part::Scored), json!("top_label"));
    let columns = columns(&other.applied_to_classes(object(&text)).expect("applied"));
    let number = |name: &str, i: usize| -> f64 {
        let (_, cells) = columns.iter().find(|(n, _)| n == name).expect("there");
        cells[i].parse().expect("a number")
    };
    let (_, predicted) = &columns[1];
    for (i, class) in predicted.iter().enumerate() {
        for method in ["small groups", "temperature+density_ratio", "chosen", "groups of near rows"] {
            let of = |class: &str| number(&format!("{method}:{class}"), i);
            assert!((of("a") + of("b") + of("c") - 1.0).abs() < 1e-12);
            assert!((of(class) - number(&format!("confidence_{method}"), i)).abs() < 1e-12);
        }
    }
}

/// What is said about damage to what groups, near rows and methods within others need.
#[test]
fn what_is_damaged_in_parts() {
    let whole = open(&csv(Kind::Binary, Part::Whole), json!({ "view": "positive" }));
    let run = whole.run(json!({ "methods": forms(), "resamples": 0 }));
    let text = whole.export(Call::ExportCalibrator { suppress: None }, &run);
    let good = object(&text);
    let same = unlabeled(&csv(Kind::Binary, Part::Scored), json!("positive"));
    let listed = good["methods"].as_array().expect("methods");
    let told = |name: &str, path: &str, value: Option<Value>| {
        let place = listed.iter().position(|m| m["name"] == name).expect("there");
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
        let error = same.applied(bad, None).expect_err("an error");
        assert_eq!(error.code(), "calibrator_unreadable");
        let sentence = error.to_string();
        let start = format!("Invalid calibrator: `{name}`: ");
        sentence.strip_prefix(&start).unwrap_or(&sentence).to_owned()
    };
    let apart = "its numbers are damaged, or inconsistent with each other and 2 classes.";
    for (name, path, value) in [
        ("right", "/fit/steps", json!([[99, 0, 0.1]])),
        ("right", "/fit/edges", json!([0.5])),
        ("pmcboost", "/fit/rounds", json!([1_000_000])),
        ("lcb krr", "/alpha", json!([])),
        ("isotonic+bin_mean_shift", "/gaps/0", json!([0.1])),
        ("isotonic+bin_mean_shift", "/score_edges", json!([0.9, 0.1, 0.2])),
    ] {
        assert_eq!(told(name, path, Some(value)), apart, "{name} {path}");
    }
    for (name, path, value, sentence) in [
        ("none+density_ratio", "/base", None, "base does not say which `method` it is and what it `looks_at`."),
        ("isotonic+proximity_stratified", "/groups", None, "groups are missing."),
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
        ("isotonic+proximity_stratified", "/x", Some(json!([])), "x holds 0 numbers for 2 coordinates."),
        (
            "none+density_ratio",
            "/proximity",
            Some(json!([0.5])),
            "proximity must hold 120 numbers, as many as x has rows.",
        ),
        ("none+density_ratio", "/neighbours", Some(json!(0)), "it uses 0 neighbors."),
        ("none+density_ratio", "/target", None, "target is missing."),
        ("lcb krr", "/alpha", Some(json!([0.5])), "alpha must hold 120 numbers, as many as x has rows."),
        (
            "temperature+density_ratio",
            "/base/temperature",
            Some(json!("hot")),
            "expected a number, not the text \"hot\".",
        ),
    ] {
        assert_eq!(told(name, path, value), sentence, "{name} {path}");
    }
    assert!(told("small groups", "/pooled", None).contains("missing field `pooled`"));
    assert!(told("none+density_ratio", "/base/method", Some(json!("composed"))).len() > 10);
}
