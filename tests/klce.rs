//! The kernel local calibration error against NumPy (tests/golden/make_klce.py).

use localcal::hypothesis::{Klce, TrustKernel, TrustSample, pair_sums};
use localcal::kernel::{Part, Points};
use serde_json::Value;

fn numbers(case: &Value, name: &str) -> Vec<f64> {
    let list = case[name].as_array().expect("a list");
    list.iter().map(|v| v.as_f64().expect("a number")).collect()
}

fn cases() -> Vec<(Value, TrustSample)> {
    let text = include_str!("golden/klce.json");
    let cases: Vec<Value> = serde_json::from_str(text).expect("golden numbers");
    let sample = |case: &Value| {
        let whole = |name: &str| case[name].as_u64().expect("a whole number") as usize;
        let kernel = TrustKernel {
            width_p: case["width_p"].as_f64().expect("a width"),
            gamma: case["gamma"].as_f64().expect("a width"),
        };
        let (p, y, x) = (numbers(case, "p"), numbers(case, "y"), numbers(case, "x"));
        let places = Points::new(whole("d"), &x).expect("places");
        if whole("m") == 2 {
            let y: Vec<u8> = y.iter().map(|&y| y as u8).collect();
            TrustSample::pairs(&p, &y, places, kernel)
        } else {
            let y: Vec<u32> = y.iter().map(|&y| y as u32).collect();
            TrustSample::vectors(&p, whole("m"), &y, places, kernel)
        }
    };
    cases
        .into_iter()
        .map(|case| (case.clone(), sample(&case).expect("a sample")))
        .collect()
}

#[test]
fn statistic_agrees_with_numpy() {
    for (case, sample) in cases() {
        let sums = pair_sums(&sample, Part::WHOLE);
        let own = sample.residuals().iter().map(|e| e * e).sum();
        let found = Klce::new(sample.n(), &sums, own);
        for (got, name) in [
            (sums.statistic, "statistic"),
            (sums.mass, "mass"),
            (sums.absolute, "absolute"),
            (found.normalised.expect("rows"), "normalised"),
            (found.unbiased.expect("rows"), "unbiased"),
        ] {
            let expected = case[name].as_f64().expect("a number");
            assert!(
                (got - expected).abs() <= 1e-11 * expected.abs().max(1e-3),
                "{name}: {got} against {expected}"
            );
        }
    }
}
