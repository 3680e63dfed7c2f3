//! Calibrators travel: fitted on one file, written, read, applied to another, they give the numbers of the run.

mod parts;
mod same;

use crate::support::kinds::*;
use crate::support::pipeline::{Opened, asked, open};
use localcal::evaluation::method::alone;
use localcal::job::{Call, Outcome};
use serde_json::{Value, json};

/// An export as the page hands it over.
fn object(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// Fits on the calibration rows of a whole file, applies to a file of the scored rows without labels, and compares with
/// what the run gave to those rows, bit for bit; one method after another to 1e-12.
fn comes_back(kind: Kind, view: &str, methods: Value) -> String {
    let whole = open(&csv(kind, Part::Whole), json!({ "view": view }));
    let run = whole.run(json!({ "methods": methods, "resamples": 0 }));
    let text = whole.export(Call::ExportCalibrator { suppress: None }, &run);
    let other = unlabeled(&csv(kind, Part::Scored), json!(view));
    let applied = other.applied(object(&text), None).expect("applied");
    let columns = columns(&applied);
    // What left the run: the same but for `mir`, whose rows are divided by their sums.
    let left = whole.export(Call::ExportPredictions { identifiers: None }, &run);
    let left = crate::support::kinds::columns(&left);
    let run = run.outcome();
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
        let (_, here) = left
            .iter()
            .find(|(name, _)| name.ends_with(&format!("_{}", rows.method.name)))
            .expect("a column that left");
        let here: Vec<f64> = here.iter().filter_map(|cell| cell.parse().ok()).collect();
        assert_eq!((column.len(), here.len()), (rows.score.len(), rows.score.len()));
        for (i, (there, (&here, &score))) in column.iter().zip(here.iter().zip(rows.score.iter())).enumerate() {
            assert!(here.to_bits() == score.to_bits() || rows.method.name == "mir");
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
        let text = comes_back(kind, "top_label", json!(methods(&json!(["x1", "x2", "site"]))));
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["classes"], 3);
        let listed = value["methods"].as_array().expect("methods");
        assert_eq!(listed.len(), alone().count() - 1);
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
    let of_score =
        ["temperature", "mmce_temperature", "platt", "isotonic", "histogram", "intercept", "beta", "bbq", "venn_abers"];
    comes_back(Kind::Confidence, "top_label", json!(of_score));
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
    let whole = open(&csv(Kind::Binary, Part::Whole), json!({}));
    let methods = json!([lore("text", json!({ "features": ["site", "x1"] }))]);
    let run = whole.run(json!({ "methods": methods, "resamples": 0 }));
    let text = whole.export(Call::ExportCalibrator { suppress: None }, &run);
    let other = csv(Kind::Binary, Part::Scored).replace("north", "elsewhere");
    let csv = unlabeled(&other, Value::Null).applied(object(&text), None).expect("applied");
    assert!(csv.lines().skip(1).all(|line| !line.ends_with(',')));
}

#[test]
fn one_method_and_every_class() {
    let whole = open(&csv(Kind::Probabilities, Part::Whole), json!({ "view": "top_label" }));
    let methods = json!(["temperature", "isotonic", "vector"]);
    let run = whole.run(json!({ "methods": methods, "resamples": 0 }));
    let text = whole.export(Call::ExportCalibrator { suppress: None }, &run);
    let other = unlabeled(&csv(Kind::Probabilities, Part::Scored), Value::Null);
    // The object that the text stands for does as well.
    let object: Value = serde_json::from_str(&text).expect("JSON");
    let one = other.applied(object.clone(), Some("vector")).expect("applied");
    assert_eq!(one.lines().next(), Some("row,predicted,confidence,confidence_vector"));
    let all = other.applied_to_classes(object).expect("applied");
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
            let sum: f64 = ["a", "b", "c"].iter().map(|k| number(&format!("{method}:{k}"), i)).sum();
            assert!((sum - 1.0).abs() < 1e-12);
            assert_eq!(number(&format!("{method}:{class}"), i), number(&format!("confidence_{method}"), i));
        }
    }
}

/// The curve of `mir` knows nothing of the sum of a row; what leaves is a distribution, in the run and applied.
#[test]
fn rows_of_one_curve_for_all_classes_leave_as_distributions() {
    for (name, file) in [
        (
            "three classes",
            "prob_0,prob_1,prob_2,label\n1,0,0,0\n0,1,0,1\n0.5,0.3,0.2,0\n1,0,0,0\n0.2,0.2,0.6,2\n0.6,0.3,0.1,1\n0.4,0.35,0.25,2\n",
        ),
        ("two classes", "prob_1,label\n1,1\n0,0\n0.4,1\n0.7,0\n0.65,1\n0.2,0\n0.8,1\n"),
    ] {
        let views: &[&str] = if name == "two classes" { &["top_label", "positive"] } else { &["top_label"] };
        for view in views {
            let data = open(file, json!({ "view": view, "split": { "first": 4 } }));
            let methods = json!(["none", "mir", "temperature"]);
            let run = data.run(json!({ "methods": methods, "resamples": 0 }));
            let text = data.export(Call::ExportCalibrator { suppress: None }, &run);
            let all = columns(&data.applied_to_classes(object(&text)).expect("applied"));
            let column = |name: &str| {
                let found = all.iter().find(|(own, _)| own == name);
                let cells = &found.unwrap_or_else(|| panic!("{name}")).1;
                let numbers = cells.iter().map(|cell| cell.parse::<f64>().expect("a number"));
                numbers.collect::<Vec<f64>>()
            };
            let labels: Vec<String> =
                all.iter().filter_map(|(own, _)| own.strip_prefix("mir:").map(str::to_owned)).collect();
            assert_eq!(labels.len(), if name == "two classes" { 2 } else { 3 });
            let each: Vec<Vec<f64>> = labels.iter().map(|k| column(&format!("mir:{k}"))).collect();
            for row in 0..7 {
                let sum: f64 = each.iter().map(|column| column[row]).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{name} {view} {row}: {sum}");
                assert!(each.iter().all(|column| (0.0..=1.0).contains(&column[row])));
            }
            let score = if *view == "positive" { "p_mir" } else { "confidence_mir" };
            let left = data.export(Call::ExportPredictions { identifiers: None }, &run);
            let left = columns(&left);
            let left = left.iter().find(|(own, _)| own == score).expect("there");
            for (row, there) in column(score).iter().enumerate().skip(4) {
                let here: f64 = left.1[row].parse().expect("a number");
                assert_eq!(here.to_bits(), there.to_bits(), "{name} {view} {row}");
                assert!(each.iter().any(|column| (column[row] - here).abs() < 1e-15));
            }
        }
    }
}

/// What is said about a calibrator that cannot be used.
#[test]
fn what_cannot_be_applied() {
    let whole = open(&csv(Kind::Probabilities, Part::Whole), json!({ "view": "top_label" }));
    let methods = json!(["vector", "histogram", "pts", { "id": "lore", "parameters": { "features": ["x1"] } }]);
    let run = whole.run(json!({ "methods": methods, "resamples": 0 }));
    let text = whole.export(Call::ExportCalibrator { suppress: None }, &run);
    let good: Value = serde_json::from_str(&text).expect("JSON");
    let same = unlabeled(&csv(Kind::Probabilities, Part::Scored), json!("top_label"));
    let told = |data: &Opened, calibrator: Value, method: Option<&str>| {
        let error = data.applied(calibrator, method).expect_err("an error");
        assert!(!error.hint().is_empty());
        format!("{}: {error}", error.code())
    };
    let changed = |pointer: &str, value: Value| {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).expect("there") = value;
        bad
    };
    assert_eq!(told(&same, json!({}), None), "calibrator_unreadable: Invalid calibrator: it has no `schema`.");
    assert_eq!(
        told(&same, changed("/schema", json!("localcal-calibrator/9")), None),
        "calibrator_unreadable: The calibrator has the schema `localcal-calibrator/9`; `localcal-calibrator/1` is supported."
    );
    assert_eq!(
        told(&same, changed("/methods", json!([])), None),
        "calibrator_unreadable: Invalid calibrator: it contains no method."
    );
    assert_eq!(
        told(&same, changed("/methods/0/parameters/bias", json!([1, 2])), None),
        "calibrator_unreadable: Invalid calibrator: `vector`: its numbers are damaged, or inconsistent with each other and 3 classes."
    );
    assert_eq!(
        told(&same, changed("/methods/0/parameters/weights/1", json!("x")), None),
        "calibrator_unreadable: Invalid calibrator: `vector`: expected a number, not the text \"x\"."
    );
    assert!(
        told(&same, changed("/methods/0/id", json!("magic")), None)
            .starts_with("calibrator_unreadable: Invalid calibrator: `vector`: unknown variant `magic`")
    );
    assert_eq!(
        told(&same, changed("/methods/3/parameters/x/0", Value::Null), None),
        "calibrator_unreadable: Invalid calibrator: `lore`: x has no number at place 1."
    );
    assert!(
        told(&same, changed("/methods/3/parameters/target", json!([1])), None)
            .contains("`lore`: score and target must hold 120 numbers, as many as x has rows")
    );
    for (pointer, value) in [
        ("/methods/1/parameters/edges", json!([0.0, 1.0])),
        ("/methods/2/parameters/network/0", Value::Null),
        ("/methods/2/parameters/top", json!(4_000_000_000_u64)),
        ("/classes", json!(4)),
    ] {
        let told = told(&same, changed(pointer, value), None);
        assert!(told.contains("inconsistent with each other"), "{pointer}: {told}");
    }
    assert_eq!(
        told(&same, good.clone(), Some("isotonic")),
        "unknown_method: The calibrator contains no method named `isotonic`."
    );
    let two = unlabeled(&csv(Kind::Binary, Part::Scored), json!("top_label"));
    assert_eq!(
        told(&two, good.clone(), None),
        "calibrator_mismatch: The calibrator was fitted on 3 classes; this file has 2."
    );
    let positive = unlabeled(&csv(Kind::Binary, Part::Scored), json!("positive"));
    assert_eq!(
        told(&positive, good.clone(), None),
        "calibrator_mismatch: The calibrator recalibrates the confidence of the predicted class; the file is open for P(y = 1)."
    );
    let confidence = unlabeled(&csv(Kind::Confidence, Part::Scored), Value::Null);
    assert_eq!(
        told(&confidence, good.clone(), Some("vector")),
        "calibrator_mismatch: `vector` needs a score for each of 3 classes; this file has one score per row."
    );
    assert!(confidence.applied(good.clone(), Some("histogram")).is_ok());
    let turned = csv(Kind::Probabilities, Part::Scored).replace("p_a,p_b,p_c", "p_x,p_y,p_z").replacen(
        "p_x,p_y,p_z",
        "p_b,p_c,p_d",
        1,
    );
    let turned = unlabeled(&turned, Value::Null);
    // Other names, and no labels that would settle it: the number of classes has to do.
    assert!(turned.applied(good.clone(), Some("vector")).is_ok());
    let swapped = changed("/labels", json!(["c", "b", "a"]));
    assert_eq!(
        told(&same, swapped, Some("vector")),
        "calibrator_mismatch: The classes differ in name or order: c, b, a in the calibrator, a, b, c in this file."
    );
    let bare = csv(Kind::Probabilities, Part::Scored).replace("x1", "elsewhere");
    assert_eq!(
        told(&unlabeled(&bare, Value::Null), good.clone(), Some("lore")),
        "features_missing: The calibrator needs `x1`, which this file does not have."
    );
    let labels = open("label\na\nb\n", json!({}));
    assert_eq!(labels.applied(good, None).expect_err("no scores").code(), "score_missing");
}

/// A column of two values, or of as many texts as there are classes, is no outcome of new rows.
#[test]
fn new_rows_without_outcomes_keep_their_other_columns() {
    let binary = |with: bool| {
        let mut text = format!("sex,y_prob{}\n", if with { ",y_true" } else { "" });
        for i in 0..80 {
            let outcome = if with { format!(",{}", i * 7 % 3 / 2) } else { String::new() };
            text += &format!("{},0.{}{outcome}\n", ["female", "male"][i % 2], 10 + i);
        }
        text
    };
    let animals = |with: bool| {
        let mut text = format!("breed,p_cat,p_dog,p_owl{}\n", if with { ",animal" } else { "" });
        for i in 0..90 {
            let shares = [[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]][i % 3];
            let outcome = if with { format!(",{}", ["cat", "dog", "owl"][i * 5 % 7 % 3]) } else { String::new() };
            text += &format!("{},{},{},{}{outcome}\n", ["x", "y", "z"][i / 3 % 3], shares[0], shares[1], shares[2]);
        }
        text
    };
    for (fitted, new, method) in
        [(binary(true), binary(false), "platt"), (animals(true), animals(false), "temperature")]
    {
        let fitted = open(&fitted, json!({}));
        let run = fitted.run(json!({ "methods": [method], "resamples": 0 }));
        let calibrator = object(&fitted.export(Call::ExportCalibrator { suppress: None }, &run));
        let applied =
            open(&new, json!({})).applied(calibrator, None).unwrap_or_else(|error| panic!("{method}: {error}"));
        assert_eq!(applied.lines().count(), new.lines().count());
    }
}

/// A group that the calibrator has no fit of is named, with its rows; a small one as well as a new one.
#[test]
fn groups_without_a_fit_are_named() {
    let rows = |wards: &[(&str, usize)]| {
        let of_ward = |&(ward, rows): &(&str, usize)| {
            let row = |i: usize| format!("{ward},0.{},{}\n", 20 + i % 60, i * 7 % 5 / 3);
            (0..rows).map(row).collect::<String>()
        };
        format!("ward,p,y\n{}", wards.iter().map(of_ward).collect::<String>())
    };
    let groups = json!({ "roles": { "ward": "group" } });
    let fitted = open(&rows(&[("A", 90), ("B", 80), ("few", 4)]), groups.clone());
    let methods = json!(["platt", "group_temperature", "group_histogram", "group_intercept"]);
    let run = fitted.run(json!({ "methods": methods, "evaluate_on": "all", "resamples": 0 }));
    let calibrator = object(&fitted.export(Call::ExportCalibrator { suppress: None }, &run));
    let notes = |wards: &[(&str, usize)]| {
        let new = open(&rows(wards), groups.clone());
        let calibrator = calibrator.clone();
        let call = Call::ExportApplied { calibrator, method: None, classes: false, identifiers: None };
        let Outcome::Bytes(found) = asked(call, &[&new.0]).expect("applied") else { panic!("a file") };
        found.notes
    };
    assert_eq!(notes(&[("A", 9), ("B", 8)]), [""; 0]);
    let said = |method: &str, rows: &str, wards: &str| {
        format!(
            "`p_{method}`: the fit to all rows was used for {rows}, as the calibrator has no fit of the group: `ward` = \
             {wards}."
        )
    };
    let new = [("A", 5), ("few", 3), ("new", 2), ("", 1)];
    assert_eq!(
        notes(&new),
        [
            said("group_temperature", "6 rows", "few, new, empty"),
            said("group_histogram", "3 rows", "new, empty"),
            said("group_intercept", "3 rows", "new, empty"),
        ]
    );
    let many = [("A", 5), ("q", 1), ("r", 1), ("s", 1), ("t", 1), ("u", 1), ("v", 1), ("w", 1)];
    assert_eq!(notes(&many)[0], said("group_temperature", "7 rows", "q, r, s, t, u and 2 more"));
}

/// Percentages below 1 look like fractions, and the challenger's column may stand first.
#[test]
fn a_calibrator_is_applied_to_the_scores_that_it_was_fitted_to() {
    let rows = |head: &str, largest: usize| {
        let row = |i: usize| {
            let (risk, other) = (1 + i * 7 % largest, 1 + i * 31 % largest);
            format!("{}.{:02},0.{:02},{}\n", risk / 100, risk % 100, other % 100, i * 13 % 7 / 5)
        };
        format!("{head}\n{}", (0..120).map(row).collect::<String>())
    };
    let fitted = |data: Opened| {
        let run = data.run(json!({ "methods": ["platt"], "resamples": 0 }));
        object(&data.export(Call::ExportCalibrator { suppress: None }, &run))
    };
    let applied = |data: &Opened, calibrator: &Value| {
        let calibrator = calibrator.clone();
        let call = Call::ExportApplied { calibrator, method: None, classes: false, identifiers: None };
        match asked(call, &[&data.0]) {
            Ok(Outcome::Bytes(found)) => Ok(found.notes),
            Ok(_) => panic!("a file"),
            Err(error) => Err(error.to_string()),
        }
    };
    let of_risk = json!({ "roles": { "risk": "percent", "other": "ignore", "died": "label" } });
    let in_percent = fitted(open(&rows("risk,other,died", 4_000), of_risk.clone()));
    assert_eq!(in_percent["score_columns"], json!([{ "name": "risk", "role": "percent" }]));
    let later = rows("risk,other,died", 99);
    assert_eq!(applied(&open(&later, of_risk), &in_percent), Ok(vec![]));
    let unsaid = json!({ "roles": { "other": "ignore", "died": "label" } });
    assert_eq!(
        applied(&open(&later, unsaid), &in_percent),
        Err("`risk` was read as percentages (0.5 as 0.5%) when the calibrator was fitted, and is read as fractions \
             (0.5 as 50%) in this file."
            .to_owned())
    );
    let fractions = json!({ "roles": { "risk": "probability", "other": "ignore", "died": "label" } });
    assert_eq!(applied(&open(&later, fractions), &in_percent), Ok(vec![]), "a person said so");

    let of_models = |model: &str| json!({ "model": model });
    let champion = fitted(open(&rows("pd_a,pd_b,died", 99), of_models("pd_a")));
    let turned = rows("pd_b,pd_a,died", 99);
    assert_eq!(
        applied(&open(&turned, json!({})), &champion),
        Err("The calibrator was fitted to `pd_a`; in this file, `pd_b` is open.".to_owned())
    );
    assert_eq!(applied(&open(&turned, of_models("pd_a")), &champion), Ok(vec![]));
    let other = "The calibrator was fitted to `pd_a`; applied to `pd_b`.".to_owned();
    assert_eq!(applied(&open(&turned, of_models("pd_b")), &champion), Ok(vec![other]));
    let renamed = rows("score,x,died", 99);
    let said = applied(&open(&renamed, json!({ "roles": { "x": "feature" } })), &champion);
    assert_eq!(said, Ok(vec!["The calibrator was fitted to `pd_a`; applied to `score`.".to_owned()]));
}

/// A covariate of two values beside new rows: the open file takes it for the outcome, the stored fit does not.
#[test]
fn an_outcome_that_only_its_values_suggest_is_not_used() {
    let whole = open(&csv(Kind::Binary, Part::Whole), json!({}));
    let run = whole.run(json!({ "methods": ["platt", "group_intercept"], "resamples": 0 }));
    let text = whole.export(Call::ExportCalibrator { suppress: None }, &run);
    let bare = csv(Kind::Binary, Part::Scored).replace("prob_yes", "risk");
    let with = |name: &str, values: [&str; 2]| -> String {
        let value = |i: usize| if i == 0 { name } else { values[usize::from(i.is_multiple_of(3))] };
        bare.lines().enumerate().map(|(i, line)| format!("{line},{}\n", value(i))).collect()
    };
    let scores = |csv: &str| columns(csv).into_iter().filter(|(name, _)| name.starts_with("p_")).collect::<Vec<_>>();
    let alone = open(&bare, json!({ "roles": { "site": "group" } })).applied(object(&text), None).expect("applied");
    for (name, values) in [("sex", ["F", "M"]), ("icu", ["0", "1"]), ("smoker", ["no", "yes"])] {
        let opened = open(&with(name, values), json!({ "roles": { "site": "group" } }));
        let applied = opened.applied(object(&text), None).expect("applied");
        assert!(!applied.lines().next().expect("a header").contains("label"), "{name}: {applied}");
        assert!(!applied.contains(",F,") && !applied.contains(",M,"), "{name}");
        assert_eq!(scores(&applied), scores(&alone), "{name}");
    }
    // a person says that it is the outcome
    let chosen = open(&with("ill", ["no", "yes"]), json!({ "roles": { "ill": "label" } }));
    assert!(chosen.applied(object(&text), None).expect("applied").lines().next().expect("a header").contains("label"));
}
