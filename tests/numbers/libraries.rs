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

/// The 23 stated confidences of tests/golden/make_published.py, and each of them 15 times.
fn stated(times: usize) -> Opened {
    let one = "95,1 80,1 80,0 50,1 90,0 70,1 100,1 30,0 75,0 60,0 90,1 0,0 70,0 100,0 85,1 20,1 80,0 50,0 95,1 60,1 10,0 90,1 70,1";
    let line = |row: &str| {
        let (percent, right) = row.split_once(',').expect("two numbers");
        format!("{},{right}\n", percent.parse::<f64>().expect("a number") / 100.0)
    };
    let rows: String = (0..times).flat_map(|_| one.split(' ')).map(line).collect();
    open(&format!("confidence,correct\n{rows}"), json!({ "view": "top_label" }))
}

/// What the scripts themselves printed for these answers, to the last digit, tied rows in the order of the file.
#[test]
fn published_scripts_print_what_they_print() {
    let golden: Value = serde_json::from_str(include_str!("../golden/published.json")).expect("golden values");
    for times in [1, 15] {
        let rows = printed(&stated(times));
        for (name, expected) in golden[times.to_string()].as_object().expect("values") {
            let row = rows.iter().find(|row| row.script && format!("{} {}", row.library, row.metric) == *name);
            let row = row.expect("a row for each");
            match expected {
                Value::Null => assert_eq!(row.value, None, "{name}"),
                // the optimizer of HELM stops short of the optimum, within 1e-5 of the coefficients
                Value::Number(number) if name.contains("platt") => {
                    let value = row.value.expect("a value");
                    assert!((value - number.as_f64().expect("a number")).abs() < 1e-5, "{times}, {name}: {value}");
                }
                // added up by another function of numpy
                Value::Number(number) if name.contains("netcal") => {
                    let value = row.value.expect("a value");
                    assert!((value - number.as_f64().expect("a number")).abs() < 1e-14, "{times}, {name}: {value}");
                }
                Value::Number(number) => {
                    assert_eq!(row.value, number.as_f64(), "{times}, {name}");
                }
                text => assert_eq!(row.printed.as_deref(), text.as_str(), "{times}, {name}"),
            }
            assert!(row.range.is_none_or(|[low, high]| row.value.is_some_and(|value| low <= value && value <= high)));
            assert_eq!(row.floor.is_some(), row.value.is_some(), "{name}");
        }
        let omitted = rows.iter().find(|row| row.library == "HLE").expect("HLE");
        if let Some([low, high]) = omitted.range {
            assert!((low - 0.057_876_054_471_252_7).abs() < 1e-14 && (high - 0.199_859_552_135_268_5).abs() < 1e-14);
        }
    }
}

/// Scripts of language models take confidences; of probabilities of an event they have no number.
#[test]
fn probabilities_of_an_event_have_no_published_script() {
    let p: Vec<f64> = (0..40).map(|i| f64::from(i) / 40.0).collect();
    let y: Vec<f64> = (0..40).map(|i| f64::from(u8::from(i * 7 % 40 < i))).collect();
    let data = open(&csv(&[("p", p), ("y", y)]), json!({ "view": "positive" }));
    assert!(printed(&data).iter().all(|row| !row.script && row.printed.is_none() && row.floor.is_none()));
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
