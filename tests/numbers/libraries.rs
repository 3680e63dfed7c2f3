//! What other libraries would print, against the libraries themselves.

use crate::support::pipeline::{Opened, csv, open, try_open};
use crate::support::public::public;
use localcal::analysis::libraries::LibraryRow;
use localcal::job::Outcome;
use serde_json::{Value, json};

fn printed(data: &Opened) -> Vec<LibraryRow> {
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    match data.try_analyse(&ran, json!({ "libraries": {} })) {
        Ok(Outcome::Libraries(found)) => found.rows,
        _ => panic!("no rows"),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    let values = value.as_array().expect("numbers").iter();
    values.map(|v| v.as_f64().expect("a number")).collect()
}

#[test]
fn each_prints_what_it_prints() {
    let golden: Value = serde_json::from_str(include_str!("../golden/libraries.json")).expect("golden values");
    for (case, names, view) in [
        ("smooth", ["p", "y"], "positive"),
        ("votes", ["p", "y"], "positive"),
        ("confidence", ["confidence", "correct"], "top_label"),
    ] {
        let (s, t) = (numbers(&golden[case]["s"]), numbers(&golden[case]["t"]));
        let text = csv(&[(names[0], s), (names[1], t)]);
        let rows = printed(&open(&text, json!({ "view": view })));
        for (name, expected) in golden[case]["values"].as_object().expect("values") {
            let named = |row: &&LibraryRow| format!("{} {}", row.library, row.metric) == *name;
            let row = rows.iter().find(named).expect("a row for each");
            let (ours, theirs) = (row.value.expect("a value"), expected.as_f64());
            let tolerance = 1e-7;
            let theirs = theirs.expect("a number");
            assert!((ours - theirs).abs() <= tolerance, "{case}, {name}: {ours} against {theirs}");
        }
        assert!(rows.iter().all(|row| row.value.is_none_or(f64::is_finite) && row.reason.ends_with('.')));
    }
}

/// Fields of a line whose commas may be quoted.
fn fields(line: &str) -> Vec<String> {
    let mut quoted = false;
    let apart = |c: char| {
        quoted ^= c == '"';
        c == ',' && !quoted
    };
    line.split(apart).map(str::to_owned).collect()
}

/// Confident models, scores of exactly 0 and 1, few rows, public files: relplot's smooth calibration error to seven digits.
#[test]
fn smooth_errors_are_those_of_relplot() {
    let golden: Value = serde_json::from_str(include_str!("../golden/smooth_ece.json")).expect("golden values");
    let compare = |name: &str, data: &Opened, case: &Value| {
        let rows = printed(data);
        let row = rows.iter().find(|row| row.library == "relplot");
        let ours = row.and_then(|row| row.value).expect("a value");
        let theirs = case["value"].as_f64().expect("a number");
        assert!((ours - theirs).abs() <= 1e-7, "{name}: {ours} against {theirs}");
    };
    for (name, case) in golden["rows"].as_object().expect("cases") {
        let (s, t) = (numbers(&case["s"]), numbers(&case["t"]));
        let data = open(&csv(&[("p", s), ("y", t)]), json!({ "view": "positive" }));
        compare(name, &data, case);
    }
    let table = |name: &str, columns: &[&str]| {
        let text = String::from_utf8(public(name)?).expect("text");
        let mut lines = text.lines().map(fields);
        let header = lines.next().expect("a header");
        let at = |column: &&str| header.iter().position(|name| name == column);
        let at: Vec<usize> = columns.iter().map(|c| at(c).expect("the column")).collect();
        let whole = lines.filter(|row| row.len() == header.len());
        Some(whole.map(|row| at.iter().map(|&at| row[at].clone()).collect::<Vec<_>>()).collect::<Vec<_>>())
    };
    let number = |text: &String| text.parse::<f64>().expect("a number");
    if let Some(rows) = table("heart.csv", &["Age", "ExerciseAngina", "Oldpeak", "HeartDisease"]) {
        let p = |row: &Vec<String>| {
            let angina = f64::from(u8::from(row[1] == "Y"));
            let z = 0.05 * (number(&row[0]) - 54.0) + 1.2 * angina + number(&row[2]) - 0.6;
            (1e12 / (1.0 + (-z).exp())).round() / 1e12
        };
        let (p, y) = rows.iter().map(|row| (p(row), number(&row[3]))).unzip();
        let data = open(&csv(&[("p", p), ("y", y)]), json!({ "view": "positive" }));
        compare("heart", &data, &golden["public"]["heart"]);
    }
    if let Some(rows) = table("compas-scores-two-years.csv", &["decile_score", "two_year_recid"]) {
        let p = |row: &Vec<String>| (number(&row[0]) - 0.5) / 10.0;
        let (p, y) = rows.iter().map(|row| (p(row), number(&row[1]))).unzip();
        let data = open(&csv(&[("p", p), ("y", y)]), json!({ "view": "positive" }));
        compare("compas", &data, &golden["public"]["compas"]);
    }
    if let Some(bytes) = public("cifar10-wideresnet-16-4.npz") {
        let data = try_open(&[("cifar10.npz", &bytes)], json!({})).expect("opens");
        compare("cifar10", &data, &golden["public"]["cifar10"]);
    }
}

#[test]
fn clinical_libraries_need_probabilities_of_an_event() {
    let p: Vec<f64> = (0..40).map(|i| f64::from(i) / 40.0).collect();
    let y: Vec<f64> = (0..40).map(|i| f64::from(u8::from(i * 7 % 40 < i))).collect();
    let of = |view: &str| {
        let data = open(&csv(&[("p", p.clone()), ("y", y.clone())]), json!({ "view": view }));
        let rows = printed(&data).into_iter();
        rows.filter(|row| row.ours == "slope").collect::<Vec<_>>()
    };
    let (positive, top) = (of("positive"), of("top_label"));
    // A score of 0 is left out by the one and refused by the other.
    assert!(positive[0].value.is_some() && positive[1].value.is_none());
    assert!(top.iter().all(|row| row.value.is_none()));
}
