//! Agreement with probmetrics, cir-model and splinecalib on seeded data (`tests/golden/make_probmetrics.py`).

use serde_json::Value;

use crate::fixtures::{matrix, near};
use crate::num::special::PROB_CLIP;
use crate::recalibrate::affine::Shape;
use crate::recalibrate::{centered_isotonic, quadratic, spline, structured};

fn golden() -> Value {
    serde_json::from_str(include_str!("../../../../tests/golden/probmetrics.json")).expect("JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
}

#[track_caller]
fn all_near(found: &[f64], expected: &Value, tolerance: f64) {
    let expected = numbers(expected);
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(found, expected)| near(Some(*found), expected, tolerance));
}

#[test]
fn curves_of_two_classes() {
    let golden = golden();
    let binary = &golden["binary"];
    let (p, queries) = (numbers(&binary["p"]), numbers(&binary["queries"]));
    let t: Vec<u8> = numbers(&binary["y"]).iter().map(|&y| y as u8).collect();
    let found = quadratic::fit(&p, &t).expect("valid").parameters;
    all_near(&[found.a, found.b, found.c], &golden["quadratic"]["coefficients"], 1e-8);
    all_near(&found.apply(&queries), &golden["quadratic"]["fitted"], 1e-9);
    let found = centered_isotonic::fit(&p, &t).expect("valid").parameters;
    all_near(&found.apply(&queries), &golden["centered_isotonic"]["fitted"], 1e-9);
    for case in golden["spline"].as_array().expect("a list") {
        let strength = case["strength"].as_f64().expect("a number");
        let found = spline::fit_at(&p, &t, None, &numbers(&case["knots"]), strength).expect("valid");
        all_near(&found.apply(&queries), &case["fitted"], 1e-6);
    }
}

#[test]
fn structured_scaling_of_four_classes() {
    let golden = golden();
    let classes = &golden["classes"];
    let m = classes["m"].as_u64().expect("a number") as usize;
    let z = matrix(m, numbers(&classes["z"]));
    let y: Vec<u32> = numbers(&classes["y"]).iter().map(|&y| y as u32).collect();
    for (key, shape) in [("structured_vector", Shape::Vector), ("structured_matrix", Shape::Matrix)] {
        let found = structured::fit(&z, &y, None, shape).expect("valid").parameters;
        let expected = &golden[key]["fitted"];
        let mut rows = numbers(&classes["z"]);
        rows.truncate(numbers(expected).len());
        rows.chunks_exact_mut(m).for_each(|row| found.apply_row(row));
        all_near(&rows, expected, 1e-6);
        assert!(found.mixture > PROB_CLIP);
    }
}
