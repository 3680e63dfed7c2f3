//! Agreement with betacal and uncertainty-calibration on the seeded sets (`tests/golden/make_calibrators.py`).

use serde_json::Value;

use crate::metric::binning::{BinOptions, Closed};
use crate::metric::debiased_ece::{DiscreteBins, debiased_ece};
use crate::metric::ece::ece;
use crate::metric::reliability::reliability_table;
use crate::num::special::{PROB_CLIP, argmax};
use crate::recalibrate::platt::PlattOptions;
use crate::recalibrate::{beta, platt};

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

#[track_caller]
fn check(entry: &Value, got: &[f64]) {
    let expected = match &entry["value"] {
        Value::Array(_) => numbers(&entry["value"]),
        one => vec![one.as_f64().expect("a number")],
    };
    let tolerance = entry["tolerance"].as_f64().expect("a number");
    assert_eq!(got.len(), expected.len(), "{}", entry["by"]);
    for (got, expected) in got.iter().zip(&expected) {
        let apart = (got - expected).abs();
        assert!(apart <= tolerance, "{got}, not {expected}: {}", entry["by"]);
    }
}

/// Rows of p, and classes.
fn matrix(inputs: &Value) -> (Vec<Vec<f64>>, Vec<usize>) {
    let units = inputs["units"].as_f64().expect("a number");
    let rows = inputs["probabilities"].as_array().expect("rows");
    let row = |row: &Value| numbers(row).iter().map(|k| k / units).collect();
    let y = numbers(&inputs["y"]).iter().map(|y| *y as usize).collect();
    (rows.iter().map(row).collect(), y)
}

fn pair(name: &str, golden: &Value, s: &[f64], t: &[u8]) {
    let golden = &golden[name];
    let queries = numbers(&golden["queries"]);
    let fit = beta::fit(s, t).expect("fits");
    let found = fit.parameters;
    let map = numbers(&golden["beta"]["map"]["value"]);
    let tolerance = golden["beta"]["map"]["tolerance"].as_f64().expect("a number");
    assert!(
        (found.a - map[0]).abs() < tolerance && (found.b - map[1]).abs() < tolerance,
        "{name}: {found:?}, not {map:?}"
    );
    // Theirs is written with the score that becomes one half.
    let half = found.apply(&[map[2]])[0];
    assert!((half - 0.5).abs() < 5e-3, "{name}: {half}");
    check(&golden["beta"]["queries"], &found.apply(&queries));
    check(&golden["beta"]["nll"], &[fit.objective_after]);
    // Their search stops early; ours is never behind it.
    let theirs = golden["beta"]["nll"]["value"].as_f64().expect("a number");
    assert!(fit.objective_after <= theirs + 1e-9, "{name}");

    let plain = PlattOptions { smoothing: false, prob_clip: PROB_CLIP, ..PlattOptions::default() };
    let fit = platt::fit(s, t, &plain).expect("fits");
    check(&golden["platt"], &fit.parameters.apply(&queries));

    let errors = debiased_ece(s, t, 15, DiscreteBins::Never).expect("bins");
    check(&golden["error_l1"], &[errors.plug_in_l1]);
    check(&golden["error_l2"], &[errors.plug_in_l2]);
    check(&golden["error_l2_debiased"], &[errors.l2]);
    let right = BinOptions { closed: Closed::Right, ..BinOptions::default() };
    let table = reliability_table(s, t, &right).expect("bins");
    check(&golden["ece_15"], &[ece(&table).expect("rows")]);
}

#[test]
fn binary_ten_and_a_hundred_classes() {
    let golden = json(include_str!("../../../../tests/golden/calibrators.json"));
    let binary = json(include_str!("../../../../tests/golden/binary.json"));
    let y: Vec<u8> = numbers(&binary["inputs"]["y"]).iter().map(|y| *y as u8).collect();
    pair("binary", &golden, &numbers(&binary["inputs"]["p"]), &y);
    for (name, text) in [
        ("digits", include_str!("../../../../tests/golden/digits.json")),
        ("hundred_classes", include_str!("../../../../tests/golden/hundred_classes.json")),
    ] {
        let (rows, y) = matrix(&json(text)["inputs"]);
        let top: Vec<usize> = rows.iter().map(|row| argmax(row)).collect();
        let c: Vec<f64> = rows.iter().zip(&top).map(|(row, &k)| row[k]).collect();
        let a: Vec<u8> = top.iter().zip(&y).map(|(k, y)| u8::from(k == y)).collect();
        pair(name, &golden, &c, &a);
        let m = rows[0].len();
        let squares: f64 = (0..m)
            .map(|k| {
                let p: Vec<f64> = rows.iter().map(|row| row[k]).collect();
                let t: Vec<u8> = y.iter().map(|y| u8::from(*y == k)).collect();
                debiased_ece(&p, &t, 15, DiscreteBins::Never).expect("bins").l2_squared.max(0.0)
            })
            .sum();
        check(&golden[name]["marginal_l2_debiased"], &[(squares / m as f64).sqrt()]);
    }
}
