#![allow(clippy::unwrap_used)]

use super::*;
use crate::fixtures::{f8_top, near};
use crate::kernel::Points;
use proptest::prelude::*;

/// φ of F8.
const PHI: [f64; 16] = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 2.0, 0.5, 0.5, 3.0, 3.0];

const OWN: LocalQueries = LocalQueries::Sample { leave_one_out: false };

fn lcb(kernel: &WitnessKernel, x: &[f64], d: usize, s: &[f64], t: &[u8]) -> Vec<f64> {
    let places = kernel.places(Points::row_major(d, x).unwrap(), s).unwrap();
    let bin = vec![0; s.len()];
    let sample = LocalSample::new(s, t, &bin, Points::new(places.view()).unwrap()).unwrap();
    witness(&sample, &OWN, Part::WHOLE).unwrap().lcb
}

/// The specification, 4.4, the values of F8.
#[test]
fn worked_values() {
    let (s, t) = f8_top();
    let product = |gamma: f64, width_p: f64| WitnessKernel { form: WitnessForm::Product, width_p, gamma };
    let concatenated = WitnessKernel { form: WitnessForm::Concatenated, width_p: 0.1, gamma: 0.5 };
    for (kernel, expected) in [
        (
            product(0.5, 0.1),
            [-0.15149909, -0.01412846, -0.42367729, 0.17342078, 0.49788121, -0.24203434, 0.59752039, 0.04952931],
        ),
        (
            product(0.5, f64::INFINITY),
            [0.06013609, 0.15548176, -0.07178787, 0.15678307, 0.239162, -0.03347223, 0.0629194, 0.07169856],
        ),
        (product(0.0, f64::INFINITY), [0.0625; 8]),
        (
            concatenated,
            [0.04313452, 0.14596093, -0.09095273, 0.15871728, 0.24618978, -0.03575084, 0.08036227, 0.06324115],
        ),
    ] {
        for (ours, theirs) in lcb(&kernel, &PHI, 2, &s, &t).iter().zip(expected) {
            near(Some(*ours), theirs, 6e-9);
        }
    }
}

#[test]
fn widths_that_are_none_are_refused() {
    for (width_p, gamma) in [(0.0, 1.0), (-1.0, 1.0), (0.1, -0.5), (f64::NAN, 1.0), (0.1, f64::NAN)] {
        let kernel = WitnessKernel { form: WitnessForm::Product, width_p, gamma };
        let error = kernel.check().unwrap_err();
        assert_eq!(error.code(), "invalid_option");
        assert!(error.to_string().contains(&format!("width_p is {width_p}")), "{error}");
    }
}

#[test]
fn medians_of_pairs() {
    let kernel = WitnessKernel { form: WitnessForm::Product, width_p: 0.1, gamma: 1.0 };
    let found = median_pair(&kernel, Points::row_major(1, &[0.0, 2.0]).unwrap(), &[0.5, 0.5]).unwrap();
    near(Some(found.kernel), (-4.0_f64).exp(), 1e-15);
    near(Some(found.squared_distance), 4.0, 1e-15);
    let one = Points::row_major(1, &[0.0]).unwrap();
    assert_eq!(median_pair(&kernel, one, &[0.5]), None);
    assert_eq!(kernel.places(one, &[0.5, 0.5]).unwrap_err().code(), "length_mismatch");
}

proptest! {
    /// The specification, 9, 12: constant kernels give the mean residual; as widths go to 0, a row alone at its place
    /// its own.
    #[test]
    fn limits(rows in proptest::collection::vec((0.0..=1.0_f64, 0..2_u8, -3.0..3.0_f64), 1..60)) {
        let s: Vec<f64> = rows.iter().map(|r| r.0).collect();
        let t: Vec<u8> = rows.iter().map(|r| r.1).collect();
        // no two equal
        let x: Vec<f64> = rows.iter().enumerate().map(|(i, r)| r.2 + 10.0 * i as f64).collect();
        let mean = s.iter().zip(&t).map(|(s, t)| f64::from(*t) - s).sum::<f64>() / s.len() as f64;
        let wide = WitnessKernel { form: WitnessForm::Product, width_p: f64::INFINITY, gamma: 0.0 };
        for found in lcb(&wide, &x, 1, &s, &t) {
            prop_assert!((found - mean).abs() < 1e-12);
        }
        for narrow in [1e-6, 1e-200, 1e-310] {
            let kernel = WitnessKernel { form: WitnessForm::Product, width_p: narrow, gamma: 1.0 / narrow.min(1e-300).max(narrow * narrow) };
            for ((found, s), t) in lcb(&kernel, &x, 1, &s, &t).iter().zip(&s).zip(&t) {
                prop_assert!((found - (f64::from(*t) - s)).abs() < 1e-9, "{} at {}", found, narrow);
            }
        }
    }
}
