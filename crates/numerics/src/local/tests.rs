#![allow(clippy::unwrap_used)]

use super::*;
use crate::fixtures::{BIN, SCORE, TARGET, assert_close, eight, laplacian};
use crate::kernel::{Kernel, Part, Points};
use crate::local::summary;
use proptest::prelude::*;

const GROUP: [f64; 8] = [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0];
const OWN: LocalQueries = LocalQueries::Sample { leave_one_out: false };

fn check(kernel: Kernel, sample: &LocalSample, slce: [f64; 8], mlce: f64, mean: f64) {
    let found = signed_local_error(sample, &OWN, kernel, Part::WHOLE).unwrap();
    for (found, expected) in found.slce.iter().zip(slce) {
        assert_close(*found, expected, 5.1e-7);
    }
    assert_close(summary(&found.slce, &found.n_eff).mlce, mlce, 5.1e-9);
    assert_close(summary(&found.slce, &found.n_eff).mean_lce, mean, 5.1e-9);
}

#[test]
fn eight_rows_by_bandwidth() {
    let sample = eight();
    check(laplacian(1e-6), &sample, [-0.1, -0.2, 0.85, -0.45, -0.55, 0.6, -0.6, -0.05], 0.85, 0.425);
    check(
        laplacian(0.2),
        &sample,
        [-0.040067, -0.185963, 0.771880, -0.457659, -0.542417, 0.6, -0.599915, -0.049997],
        0.77188018,
        0.40598716,
    );
    check(
        laplacian(1.0),
        &sample,
        [0.128933, 0.023312, 0.346058, -0.501443, -0.519064, 0.6, -0.570381, -0.001337],
        0.6,
        0.33631596,
    );
    let third = -0.533_333_333;
    check(laplacian(1e9), &sample, [0.125, 0.125, 0.125, third, third, 0.6, third, 0.125], 0.6, 0.3375);
    let found = signed_local_error(&sample, &OWN, Kernel::Gaussian { gamma: 1.0 }, Part::WHOLE).unwrap();
    let expected = [0.132948, 0.026301, 0.362210, -0.494665, -0.513018, 0.6, -0.585243, -0.048882];
    for (found, expected) in found.slce.iter().zip(expected) {
        assert_close(*found, expected, 5.1e-7);
    }
    // exp(−‖Δ‖²/(2·1²)) is the radial basis function of γ = 1/2.
    let other = signed_local_error(&sample, &OWN, Kernel::Rbf { gamma: 0.5 }, Part::WHOLE).unwrap();
    for (a, b) in found.slce.iter().zip(&other.slce) {
        assert_close(*a, *b, 1e-14);
    }
}

#[test]
fn eight_rows_by_group() {
    let sample = LocalSample::new(&SCORE, &TARGET, &BIN, Points::row_major(1, &GROUP).unwrap()).unwrap();
    let found = signed_local_error(&sample, &OWN, Kernel::Group, Part::WHOLE).unwrap();
    let expected = [-0.15, -0.15, 0.4, -0.45, -0.575, 0.6, -0.575, 0.4];
    for (found, expected) in found.slce.iter().zip(expected) {
        assert_close(*found, expected, 1e-12);
    }
    assert_close(summary(&found.slce, &found.n_eff).mlce, 0.6, 1e-12);
}

#[test]
fn eight_rows_guidance() {
    let sample = eight();
    let found = signed_local_error(&sample, &OWN, laplacian(0.5), Part::WHOLE).unwrap();
    let expected = [2.377843, 1.976219, 1.976219, 1.76635, 1.691984, 1.0, 1.137642, 1.032064];
    for (found, expected) in found.n_eff.iter().zip(expected) {
        assert_close(*found, expected, 5.1e-7);
    }
    let found = guidance(&sample, &found.mass, &found.n_eff).unwrap();
    assert_close(found.alpha, 0.125, 1e-12);
    assert_close(found.n_eff[3], 1.691984, 5.1e-7);
    // an Õ bound has no number of rows
    assert_eq!(
        found.sentence(),
        "Half of the rows have fewer than 1.7 effective neighbors, one in twenty fewer than 1.0."
    );
    assert!(guidance(&sample, &[f64::NAN; 8], &[8.0; 8]).is_none());
}

#[test]
fn queries_of_an_empty_bin_are_counted() {
    let sample = eight();
    let places = [0.0, 0.0, 1.0, 1.0, 2.0, 2.0];
    let queries = LocalQueries::At { bin: &[4, 1, NO_BIN], features: Points::row_major(2, &places).unwrap() };
    let found = signed_local_error(&sample, &queries, laplacian(0.2), Part::WHOLE).unwrap();
    assert_eq!(found.empty, 2);
    assert!(found.slce[0].is_finite() && found.slce[1].is_nan() && found.slce[2].is_nan());
    let found = summary(&found.slce, &found.n_eff);
    assert_eq!((found.n, found.excluded), (1, 2));
}

#[test]
fn distribution_within_bins() {
    let sample = eight();
    let found = signed_local_error(&sample, &OWN, laplacian(1e-6), Part::WHOLE).unwrap();
    let cdf = bin_cdf(&sample, &found.slce, 4).unwrap();
    assert_close(cdf.gap, 0.125, 1e-12);
    assert_close(cdf.mean_lce, 0.3, 1e-9);
    assert_eq!(cdf.lce.iter().filter(|lce| **lce <= 0.15).count(), cdf.lce.len() / 2);
    assert_eq!(extreme_bins(&sample, 1), Some(ExtremeBins { best: 4, worst: 3 }));
    assert_eq!(extreme_bins(&sample, 2), Some(ExtremeBins { best: 4, worst: 2 }));
    assert_eq!(extreme_bins(&sample, 9), None);
    assert_eq!(bin_cdf(&sample, &found.slce, 0), None);
}

#[test]
fn sweep_runs_between_its_limits() {
    let sample = eight();
    let grid = gamma_grid(1e-2, 1e2, 25);
    assert_eq!(grid.len(), 25);
    assert_close(grid[12], 1.0, 1e-12);
    let found = sweep(&sample, (laplacian(1.0), false), &[1e-6, 0.2, 1e9], 0, 0, &mut |_| ()).unwrap();
    assert_close(found.individual.0, 0.85, 1e-12);
    assert_close(found.individual.1, 0.425, 1e-12);
    assert_close(found.global.0, 0.6, 1e-12);
    assert_close(found.global.1, 0.3375, 1e-12);
    assert_close(found.points[0].mlce, found.individual.0, 1e-9);
    assert_close(found.points[1].mlce, 0.77188018, 5.1e-9);
    assert_close(found.points[2].mean_lce, found.global.1, 1e-7);
}

#[test]
fn redraws_do_not_depend_on_company() {
    let sample = eight();
    let whole = noise_floor(&sample, laplacian(0.5), (false, true), 3, 0..20).unwrap();
    let tail = noise_floor(&sample, laplacian(0.5), (false, true), 3, 13..20).unwrap();
    assert_eq!(whole.mean_lce[13..], tail.mean_lce[..]);
    assert_eq!(whole.mlce[13..], tail.mlce[..]);
    assert_ne!(whole.mean_lce, noise_floor(&sample, laplacian(0.5), (false, true), 4, 0..20).unwrap().mean_lce);
    let draws = mean_interval(&sample, laplacian(0.5), false, 3, 0..9).unwrap();
    let tail = mean_interval(&sample, laplacian(0.5), false, 3, 5..9).unwrap();
    assert_eq!(draws.mean_lce[5..], tail.mean_lce[..]);
}

#[test]
fn noise_floor_has_the_known_mean() {
    // One bin, γ → ∞: |Σ (s − t*)|/n with s = 1/2 has mean about √(1/(2πn)).
    let n = 400;
    let places: Vec<f64> = (0..n).map(f64::from).collect();
    let n = places.len();
    let (score, target, bin) = (vec![0.5; n], vec![1; n], vec![0; n]);
    let sample = LocalSample::new(&score, &target, &bin, Points::row_major(1, &places).unwrap()).unwrap();
    let floor = noise_floor(&sample, laplacian(1e9), (false, true), 1, 0..800).unwrap();
    let mean = floor.mean_lce.iter().sum::<f64>() / 800.0;
    assert_close(mean, (1.0 / (2.0 * std::f64::consts::PI * n as f64)).sqrt(), 0.0016);
    let boot = mean_interval(&sample, laplacian(1e9), false, 1, 0..100).unwrap();
    // All residuals equal −1/2: so is every weighted mean.
    boot.mean_lce.iter().for_each(|value| assert_close(*value, 0.5, 1e-9));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn limits_bounds_and_invariances(
        rows in prop::collection::vec((0u32..=100, 0u8..2, -3.0f64..3.0, -3.0f64..3.0, 0u8..4), 1..200),
        repeat in 0usize..3, shift in -50.0f64..50.0, scale in 0.01f64..100.0,
    ) {
        let mut rows = rows;
        for i in 0..rows.len() / 4 * repeat / 2 {
            let (x, y) = (rows[i].2, rows[i].3);
            let last = rows.len() - 1 - i;
            (rows[last].2, rows[last].3) = (x, y);
        }
        let score: Vec<f64> = rows.iter().map(|r| f64::from(r.0) / 100.0).collect();
        let target: Vec<u8> = rows.iter().map(|r| r.1).collect();
        let bin: Vec<u32> = rows.iter().map(|r| (r.0 * 5 / 100).min(4)).collect();
        let places: Vec<f64> = rows.iter().flat_map(|r| [r.2, r.3]).collect();
        let sample = LocalSample::new(&score, &target, &bin, Points::row_major(2, &places).unwrap()).unwrap();
        let slce = |sample: &LocalSample, kernel| signed_local_error(sample, &OWN, kernel, Part::WHOLE).unwrap().slce;

        // γ → ∞: the gap of the bin. γ → 0: the mean residual at the place.
        let limits = sweep(&sample, (laplacian(1.0), false), &[1e9], 0, 0, &mut |_| ()).unwrap();
        prop_assert!((limits.points[0].mlce - limits.global.0).abs() < 1e-6);
        prop_assert!((limits.points[0].mean_lce - limits.global.1).abs() < 1e-6);
        if repeat == 0 {
            let alone = slce(&sample, laplacian(1e-12));
            for (row, value) in alone.iter().enumerate() {
                prop_assert!((value - sample.residual(row)).abs() < 1e-9);
            }
        }

        // Translation, joint scaling, duplication.
        let base = slce(&sample, laplacian(0.3));
        let moved: Vec<f64> = places.iter().map(|v| v + shift).collect();
        let scaled: Vec<f64> = places.iter().map(|v| v * scale).collect();
        let moved = LocalSample { features: Points::row_major(2, &moved).unwrap(), ..sample };
        let scaled = LocalSample { features: Points::row_major(2, &scaled).unwrap(), ..sample };
        for (a, b) in base.iter().zip(slce(&moved, laplacian(0.3))) { prop_assert!((a - b).abs() < 1e-9); }
        for (a, b) in base.iter().zip(slce(&scaled, laplacian(0.3 * scale))) { prop_assert!((a - b).abs() < 1e-9); }
        let (s2, t2, b2, p2) = (score.repeat(2), target.repeat(2), bin.repeat(2), places.repeat(2));
        let twice = LocalSample::new(&s2, &t2, &b2, Points::row_major(2, &p2).unwrap()).unwrap();
        for (a, b) in base.iter().zip(slce(&twice, laplacian(0.3))) { prop_assert!((a - b).abs() < 1e-9); }

        // The group kernel gives per-group gaps.
        let group: Vec<f64> = rows.iter().map(|r| f64::from(r.4)).collect();
        let grouped = LocalSample { features: Points::row_major(1, &group).unwrap(), ..sample };
        for (i, value) in slce(&grouped, Kernel::Group).iter().enumerate() {
            let same: Vec<usize> = (0..rows.len()).filter(|j| bin[*j] == bin[i] && group[*j] == group[i]).collect();
            let gap = same.iter().map(|j| sample.residual(*j)).sum::<f64>() / same.len() as f64;
            prop_assert!((value - gap).abs() < 1e-12);
        }
        let huge: Vec<f64> = places.iter().map(|v| v * 1e150).collect();
        let huge = LocalSample { features: Points::row_major(2, &huge).unwrap(), ..sample };
        prop_assert!(slce(&huge, laplacian(1e-300)).iter().all(|v| v.is_finite()));
    }
}

/// A row that counts itself hides behind itself: without it the curve is that of the other rows alone, at every bandwidth.
#[test]
fn a_sweep_may_leave_each_row_out() {
    let sample = eight();
    let gammas = [0.2, 0.5, 3.0];
    let found = sweep(&sample, (laplacian(1.0), true), &gammas, 0, 0, &mut |_| ()).unwrap();
    for (point, gamma) in found.points.iter().zip(gammas) {
        let queries = LocalQueries::Sample { leave_one_out: true };
        let alone = signed_local_error(&sample, &queries, laplacian(gamma), Part::WHOLE).unwrap();
        let all = summary(&alone.slce, &alone.n_eff);
        assert_close(point.mlce, all.mlce, 1e-12);
        assert_close(point.mean_lce, all.mean_lce, 1e-12);
    }
    assert!(found.individual.0.is_nan() && found.global.1.is_nan(), "they are limits of rows that count themselves");
}
