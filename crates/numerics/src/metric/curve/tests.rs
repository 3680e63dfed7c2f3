//! Coverage of the bands by simulation (more files: `examples/finding_studies.rs`); agreement with other software.

use super::*;
use crate::num::rng::Lanes;

/// Scores with density (1 − s)^(1/skew − 1), outcomes by `truth`.
fn file(n: usize, skew: f64, seed: u64, truth: impl Fn(f64) -> f64) -> (Vec<f64>, Vec<u8>) {
    let mut lanes = Lanes::seeded(77, seed);
    (0..n)
        .map(|_| {
            let [u, v, ..] = lanes.uniform();
            let s = 1.0 - (1.0 - u).powf(skew);
            (s, u8::from(v < truth(s)))
        })
        .unzip()
}

/// Of `files` calibrated files, how many bands hold the diagonal: everywhere, and at the middle of the scores.
fn covered(kind: CurveKind, coverage: Coverage, n: usize, skew: f64, files: u64) -> (u64, u64) {
    let (mut whole, mut middle) = (0, 0);
    for seed in 0..files {
        let (s, t) = file(n, skew, seed, |s| s);
        let curve = calibration_curve(&s, &t, None, kind, Some(coverage)).expect("a curve");
        let holds = |&(x, low, high): &(f64, f64, f64)| (low..=high).contains(&x);
        whole += u64::from(curve.band.iter().all(holds));
        middle += u64::from(curve.band.get(curve.band.len() / 2).is_some_and(holds));
    }
    (whole, middle)
}

/// `tests/golden/make_curves.py`: statsmodels and NumPy.
#[test]
fn curves_and_bands_are_those_of_other_software() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../../../../../tests/golden/curves.json")).expect("JSON");
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect()
    };
    let mut compared = 0;
    for case in golden["cases"].as_array().expect("cases") {
        let s = numbers(&case["score"]);
        let t: Vec<u8> = numbers(&case["outcome"]).iter().map(|y| *y as u8).collect();
        for (name, kind, tolerance) in [("loess", CurveKind::Loess, 1e-6), ("spline", CurveKind::Spline, 1e-6)] {
            let curve = calibration_curve(&s, &t, None, kind, Some(Coverage::Pointwise)).expect("a curve");
            let [value, low, high] = ["value", "low", "high"].map(|end| numbers(&case[name][end]));
            assert!(curve.points.len() > 50 && curve.points.len() == curve.band.len());
            for (point, band) in curve.points.iter().zip(&curve.band) {
                let i = s.iter().position(|x| *x == point.0).expect("a place of the curve is a score");
                for (got, expected) in [(point.1, value[i]), (band.1, low[i]), (band.2, high[i])] {
                    assert!((got - expected).abs() < tolerance, "{name} at {}: {got}, not {expected}", point.0);
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 300);
}

/// In 40 calibrated files each: the whole of a simultaneous band, and a place of a pointwise one, hold the diagonal as
/// often as 95 % allow (binomial limits), and pointwise bands are not simultaneous ones.
#[test]
fn bands_cover_what_they_promise() {
    const FILES: u64 = 40;
    // 38 in the mean; 32 or fewer come 1 time in 300
    const LEAST: u64 = 33;
    for (kind, n) in [(CurveKind::Loess, 120), (CurveKind::Spline, 150)] {
        let (whole, _) = covered(kind, Coverage::Simultaneous, n, 1.0, FILES);
        assert!(whole >= LEAST, "{kind:?}: {whole} of {FILES} simultaneous bands hold the diagonal");
        let (whole, middle) = covered(kind, Coverage::Pointwise, n, 1.0, FILES);
        assert!(middle >= LEAST, "{kind:?}: {middle} of {FILES} pointwise bands hold the diagonal in the middle");
        assert!(whole < 38, "{kind:?}: pointwise bands are too wide, {whole} of {FILES} hold all of it");
    }
}

#[test]
fn anything_has_a_curve_or_none_and_never_a_band_beyond_0_and_1() {
    let all_equal: (Vec<f64>, Vec<u8>) = (vec![0.3; 40], (0..40).map(|i| u8::from(i % 3 == 0)).collect());
    let one_row = (vec![0.7], vec![1]);
    let never: (Vec<f64>, Vec<u8>) = ((0..50).map(|i| f64::from(i) / 49.0).collect(), vec![0; 50]);
    let parted: (Vec<f64>, Vec<u8>) = (never.0.clone(), (0..50).map(|i| u8::from(i > 25)).collect());
    let many = file(5_000, 0.2, 1, |s| s);
    let ends: (Vec<f64>, Vec<u8>) =
        ((0..60).map(|i| f64::from(i % 2)).collect(), (0..60).map(|i| (i % 3 == 0) as u8).collect());
    // log-odds so far out that the share is 1 in floating point
    let crowded = (0..6).map(|seed| {
        let (s, t) = file(500, 1.0, seed, |s| s.powi(7));
        (s.iter().map(|s| s.powi(7)).collect(), t)
    });
    for (s, t) in [all_equal, one_row, never, parted, many, ends].into_iter().chain(crowded) {
        for kind in [CurveKind::Loess, CurveKind::Spline, CurveKind::Kernel, CurveKind::Isotonic] {
            for coverage in [Coverage::Pointwise, Coverage::Simultaneous] {
                let curve = calibration_curve(&s, &t, None, kind, Some(coverage)).expect("a curve or none");
                for (x, low, high) in curve.band {
                    assert!(0.0 <= low && low <= high && high <= 1.0, "{kind:?} at {x}: {low} … {high}");
                }
                assert!(curve.points.iter().all(|(_, y)| (0.0..=1.0).contains(y)), "{kind:?}");
            }
        }
    }
    assert!(calibration_curve(&[], &[], None, CurveKind::Loess, None).is_err());
}

#[test]
fn weights_stand_for_repeated_rows() {
    let (s, t) = file(120, 1.0, 3, |s| s * s);
    let twice: (Vec<f64>, Vec<u8>) = (s.repeat(2), t.repeat(2));
    let heavy = vec![2.0; 120];
    for kind in [CurveKind::Spline, CurveKind::Kernel, CurveKind::Isotonic] {
        let (a, b) = (
            calibration_curve(&twice.0, &twice.1, None, kind, None).expect("a curve"),
            calibration_curve(&s, &t, Some(&heavy), kind, None).expect("a curve"),
        );
        for (a, b) in a.points.iter().zip(&b.points) {
            assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-6, "{kind:?}: {a:?} {b:?}");
        }
    }
}
