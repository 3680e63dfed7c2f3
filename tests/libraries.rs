//! What other libraries would print, against the libraries themselves.

#![allow(clippy::expect_used, clippy::panic)]

#[path = "golden_run/pipeline.rs"]
mod pipeline;

use localcal::job::Outcome;
use localcal::report::libraries::LibraryRow;
use pipeline::{Opened, csv, open};
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
    let golden: Value =
        serde_json::from_str(include_str!("golden/libraries.json")).expect("golden values");
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
            let tolerance = if row.library == "relplot" { 5e-4 } else { 1e-7 };
            let theirs = theirs.expect("a number");
            assert!(
                (ours - theirs).abs() <= tolerance,
                "{case}, {name}: {ours} against {theirs}"
            );
        }
        assert!(
            rows.iter()
                .all(|row| row.value.is_none_or(f64::is_finite) && row.reason.ends_with('.'))
        );
    }
}

#[test]
fn clinical_libraries_need_probabilities_of_an_event() {
    let p: Vec<f64> = (0..40).map(|i| f64::from(i) / 40.0).collect();
    let y: Vec<f64> = (0..40)
        .map(|i| f64::from(u8::from(i * 7 % 40 < i)))
        .collect();
    let of = |view: &str| {
        let data = open(
            &csv(&[("p", p.clone()), ("y", y.clone())]),
            json!({ "view": view }),
        );
        let rows = printed(&data).into_iter();
        rows.filter(|row| row.ours == "slope").collect::<Vec<_>>()
    };
    let (positive, top) = (of("positive"), of("top_label"));
    // A score of 0 is left out by the one and refused by the other.
    assert!(positive[0].value.is_some() && positive[1].value.is_none());
    assert!(top.iter().all(|row| row.value.is_none()));
}
