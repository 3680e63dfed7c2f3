//! Worked numbers and edge cases of the density ratio.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::fixtures::{dr10, near};
use crate::reference_files::heart_proximity;
use proptest::prelude::*;

fn fitted(c: &[f64], d: &[f64], t: &[u8], options: DensityRatioOptions) -> (DensityRatio, Densities) {
    let (learned, densities) = fit(c, d, t, options).unwrap().parameters;
    (learned, densities.unwrap())
}

fn applied(densities: &Densities, c: &[f64], d: &[f64]) -> Vec<f64> {
    densities.apply(c, d, &mut |_| ()).unwrap().score
}

#[test]
fn worked_values() {
    let (c, d, t) = dr10();
    let (learned, densities) = fitted(&c, &d, &t, DensityRatioOptions::default());
    let h = [&learned.bandwidth_happened[..], &learned.bandwidth_missed].concat();
    for (got, expected) in h.iter().zip([0.067_147_12, 0.110_625_48, 0.120_367_21, 0.047_031_36]) {
        near(Some(*got), expected, 6e-9);
    }
    near(Some(learned.ratio), 0.666_666_67, 4e-9);
    let queries = [(0.8, 0.3), (0.8, 0.8), (0.6, 0.5), (0.1, 0.1)];
    let expected = [
        (0.713_962_61, 6.742_961_68, 0.137_056_16),
        (4.029_288_26, 0.0, 1.0),
        (1.387_027_25, 0.011_764_21, 0.994_377_39),
        (0.0, 0.000_040_24, 0.0),
    ];
    for ((c, d), (happened, missed, score)) in queries.into_iter().zip(expected) {
        let [f1, f0] = densities.at(c, d);
        near(Some(f1), happened, 6e-9);
        near(Some(f0), missed, 6e-9);
        near(Some(applied(&densities, &[c], &[d])[0]), score, 6e-9);
    }
    let paper = DensityRatioOptions { exponent: Exponent::Paper, ..Default::default() };
    let (wider, _) = fitted(&c, &d, &t, paper);
    let shrunk = 6f64.powf(-1.0 / 30.0);
    near(Some(wider.bandwidth_happened[0]), learned.bandwidth_happened[0] * shrunk, 1e-15);
}

#[test]
fn far_from_every_row_the_ratio_is_still_one() {
    let (c, d, t) = dr10();
    let (_, densities) = fitted(&c, &d, &t, DensityRatioOptions::default());
    let far = densities.apply(&[0.5, 0.5], &[40.0, f64::MAX], &mut |_| ()).unwrap();
    assert_eq!(densities.at(0.5, 40.0), [0.0, 0.0]);
    assert_eq!((far.score[0], far.score[1], far.kept), (1.0, 0.5, 1));
    let floor = DensityRatioOptions { floor: true, ..Default::default() };
    let (_, densities) = fitted(&c, &d, &t, floor);
    assert_eq!(applied(&densities, &[0.5], &[40.0]), [0.0]);
}

#[test]
fn too_little_to_go_by_leaves_scores_alone() {
    let warned = |c: &[f64], d: &[f64], t: &[u8]| {
        let fit = fit(c, d, t, DensityRatioOptions::default()).unwrap();
        assert!(fit.parameters.1.is_none());
        fit.warnings[0].clone()
    };
    let (c, d) = ([0.5, 0.6, 0.7], [0.1, 0.2, 0.3]);
    assert_eq!(warned(&c, &d, &[1, 1, 0]), "Scores are unchanged: 1 calibration rows have outcome 0.");
    assert_eq!(warned(&c, &d, &[0, 0, 0]), "Scores are unchanged: 0 calibration rows have outcome 1.");
    let (c, d) = ([0.1, 0.1, 0.1, 0.5], [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(warned(&c, &d, &[1, 1, 0, 0]), "Scores are unchanged: all rows with outcome 1 have the same score.");
    let error = fit(&c, &d[1..], &[1, 1, 0, 0], DensityRatioOptions::default()).unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), ("length_mismatch", "3 scores against 4 targets"));
    let (c, d, t) = dr10();
    let (_, densities) = fitted(&c, &d, &t, DensityRatioOptions::default());
    let error = densities.apply(&c, &d[1..], &mut |_| ()).unwrap_err();
    assert_eq!(error.to_string(), "10 scores against 9 proximities");
}

#[test]
fn heart_reference_numbers() {
    let Some((c, a, ln_d)) = heart_proximity() else {
        return;
    };
    let d: Vec<f64> = ln_d.iter().map(|v| v.exp()).collect();
    let (_, densities) = fitted(&c, &d, &a, DensityRatioOptions::default());
    let score = applied(&densities, &c, &d);
    for (got, expected) in score.iter().zip([0.774_153_687_1, 0.488_497_474_3, 0.701_927_755]) {
        near(Some(*got), expected, 6e-10);
    }
    near(Some(score.iter().sum::<f64>() / 918.0), 0.741_967_173, 6e-10);
    near(Some(squared_error(&c, &a)), 0.177_319_413_8, 6e-11);
    near(Some(squared_error(&score, &a)), 0.165_831_652_9, 6e-11);
}

proptest! {
    #[test]
    fn scores_stay_in_the_unit_interval_and_only_differences_of_proximity_count(
        rows in proptest::collection::vec((0.0..=1.0_f64, 0.0..1.0_f64, any::<bool>()), 4..60), shift in -4.0..4.0_f64,
    ) {
        let c: Vec<f64> = rows.iter().map(|r| r.0).collect();
        let d: Vec<f64> = rows.iter().map(|r| r.1).collect();
        let t: Vec<u8> = rows.iter().map(|r| u8::from(r.2)).collect();
        let found = fit(&c, &d, &t, DensityRatioOptions::default()).unwrap();
        if let Some(densities) = found.parameters.1 {
            let score = applied(&densities, &c, &d);
            prop_assert!(score.iter().all(|c| (0.0..=1.0).contains(c)));
            let moved: Vec<f64> = d.iter().map(|d| d + shift).collect();
            let (_, densities) = fitted(&c, &moved, &t, DensityRatioOptions::default());
            for (a, b) in score.iter().zip(applied(&densities, &c, &moved)) {
                prop_assert!((a - b).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn equal_densities_give_the_base_rate(
        rows in proptest::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 3..40), times in 1..4_usize,
    ) {
        // Each place once where it happened, and once where it did not: f₊ = f₋.
        let c: Vec<f64> = rows.iter().chain(&rows).map(|r| r.0).collect();
        let d: Vec<f64> = rows.iter().chain(&rows).map(|r| r.1).collect();
        let t: Vec<u8> = (0..c.len()).map(|i| u8::from(i < rows.len())).collect();
        let (_, densities) = fitted(&c, &d, &t, DensityRatioOptions::default());
        let queries: Vec<f64> = (0..times).map(|k| k as f64 * 0.4).collect();
        for score in applied(&densities, &queries, &queries) {
            prop_assert!((score - 0.5).abs() < 1e-12);
        }
    }
}
