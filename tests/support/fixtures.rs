//! Small worked examples that many tests share.

use crate::kernel::{Kernel, Points};
use crate::local::LocalSample;
use crate::table::{Matrix, Reals};

/// Confidences of [`f8`].
pub const F8_C: [f64; 8] = [0.90, 0.80, 0.85, 0.55, 0.45, 0.60, 0.40, 0.95];
/// Groups of [`f8`].
pub const F8_G: [u32; 8] = [0, 0, 1, 1, 0, 1, 0, 1];

/// Confidences in percent and verdicts of 23 answers, with ties; `tests/golden/make_selective.py` has the same.
pub const STATED: [(u8, u8); 23] = [
    (95, 1),
    (80, 1),
    (80, 0),
    (50, 1),
    (90, 0),
    (70, 1),
    (100, 1),
    (30, 0),
    (75, 0),
    (60, 0),
    (90, 1),
    (0, 0),
    (70, 0),
    (100, 0),
    (85, 1),
    (20, 1),
    (80, 0),
    (50, 0),
    (95, 1),
    (60, 1),
    (10, 0),
    (90, 1),
    (70, 1),
];

/// Eight rows of three classes.
pub fn f8() -> (Matrix, Vec<u32>) {
    let p = vec![
        0.90, 0.07, 0.03, 0.80, 0.15, 0.05, 0.10, 0.85, 0.05, 0.20, 0.55, 0.25, 0.30, 0.25, 0.45, 0.05, 0.35, 0.60,
        0.40, 0.35, 0.25, 0.02, 0.03, 0.95,
    ];
    (matrix(3, p), vec![0, 0, 2, 1, 2, 1, 0, 2])
}

/// Confidence and correctness of [`f8`].
pub fn f8_top() -> (Vec<f64>, Vec<u8>) {
    (F8_C.to_vec(), vec![1, 1, 0, 1, 1, 0, 1, 1])
}

/// Logits of [`f8`].
pub fn f8_logits() -> Matrix {
    let (p, _) = f8();
    let z = (0..8).flat_map(|i| (0..3).map(move |k| (i, k))).map(|(i, k)| p.value(i, k).ln()).collect();
    matrix(3, z)
}

/// Ten confidences, proximities and outcomes.
pub fn dr10() -> (Vec<f64>, Vec<f64>, Vec<u8>) {
    (
        vec![0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.90, 0.60, 0.55, 0.80],
        vec![0.90, 0.80, 0.70, 0.60, 0.50, 0.55, 0.20, 0.30, 0.25, 0.35],
        vec![1, 1, 1, 1, 1, 1, 0, 0, 0, 0],
    )
}

/// Twelve rows of two classes.
pub fn b12() -> (Vec<f64>, Vec<u8>) {
    (
        vec![0.05, 0.15, 0.20, 0.30, 0.35, 0.45, 0.50, 0.60, 0.65, 0.75, 0.85, 0.95],
        vec![0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1],
    )
}

/// A matrix of these values.
pub fn matrix(width: usize, values: Vec<f64>) -> Matrix {
    Matrix { width, values: Reals::F64(values.into()) }
}

/// Asserts agreement to 1e-12.
#[track_caller]
pub fn close(got: Option<f64>, expected: f64) {
    near(got, expected, 1e-12);
}

/// Asserts agreement to `tolerance`.
#[track_caller]
pub fn near(got: Option<f64>, expected: f64, tolerance: f64) {
    let got = got.expect("a value");
    assert!((got - expected).abs() <= tolerance, "{got} against {expected}");
}

/// Values with their ties taken apart in the order of the rows, by less than any tolerance: reference numbers of code that
/// cuts ties where they happen to stand in the file are those of such values.
pub fn apart(values: &[f64]) -> Vec<f64> {
    let step = 2.0 * crate::num::ties::SAME;
    let rows = values.iter().enumerate();
    rows.map(|(i, value)| value + i as f64 * step).collect()
}

/// Scores of [`eight`].
pub const SCORE: [f64; 8] = [0.90, 0.80, 0.85, 0.55, 0.45, 0.60, 0.40, 0.95];
/// Targets of [`eight`].
pub const TARGET: [u8; 8] = [1, 1, 0, 1, 1, 0, 1, 1];
/// Bins of [`eight`].
pub const BIN: [u32; 8] = [4, 4, 4, 2, 2, 3, 2, 4];
/// Two coordinates a row of [`eight`].
pub const PLACE: [f64; 16] = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 2.0, 0.5, 0.5, 3.0, 3.0];

/// Eight rows in five bins of the score.
pub fn eight() -> LocalSample<'static> {
    LocalSample::new(&SCORE, &TARGET, &BIN, Points::row_major(2, &PLACE).unwrap()).unwrap()
}

/// The Laplacian kernel of this bandwidth.
pub fn laplacian(gamma: f64) -> Kernel {
    Kernel::Laplacian { gamma }
}

/// Asserts agreement to `tolerance`.
#[track_caller]
pub fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} against {expected}");
}
