//! Against NumPy (`tests/golden/make_lore_ridge.py`), limits, and what inner folds choose.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::Value;

use super::{Base, Grid, RidgeRows, Space, cross_validated, recalibrated};
use crate::fixtures::{f8_top, near};
use crate::kernel::Points;
use crate::num::Rows;
use crate::num::rng::Lanes;
use crate::num::special::{PROB_CLIP, logit, sigmoid};
use crate::project::{Scale, Scaled, Scaling};
use crate::recalibrate::inner::{FOLDS, InnerValidation};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn scaled(scale: &Scale, d: usize, x: &[f64]) -> Vec<f64> {
    let points = Points::row_major(d, x).unwrap();
    let mut out = vec![0.0; x.len()];
    let scaled = Scaled { of: &points, scale };
    out.chunks_exact_mut(d).enumerate().for_each(|(i, row)| scaled.read(i, row));
    out
}

fn standardized(d: usize, x: &[f64]) -> (Scale, Vec<f64>) {
    let scale = Scaling::Standardise.fit(&Points::row_major(d, x).unwrap(), 0);
    let at = scaled(&scale, d, x);
    (scale, at)
}

#[track_caller]
fn all_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(found, expected)| near(Some(*found), *expected, tolerance));
}

/// Everything that NumPy found: fixed settings, the table of what was tried, the choice, and new rows by it.
#[test]
fn agrees_with_numpy() {
    let golden: Value = serde_json::from_str(include_str!("../../../../../tests/golden/lore_ridge.json")).unwrap();
    for case in golden["cases"].as_array().unwrap() {
        let d = case["d"].as_u64().unwrap() as usize;
        let (s, x) = (numbers(&case["score"]), numbers(&case["x"]));
        let t: Vec<u8> = numbers(&case["target"]).iter().map(|&t| t as u8).collect();
        let fold: Vec<u8> = numbers(&case["fold"]).iter().map(|&f| f as u8).collect();
        let (scale, at) = standardized(d, &x);
        all_near(&scale.shift, &numbers(&case["mean"]), 1e-12);
        let sd: Vec<f64> = scale.factor.iter().map(|factor| 1.0 / factor).collect();
        all_near(&sd, &numbers(&case["sd"]), 1e-12);

        let (new_s, new) = (numbers(&case["new_score"]), scaled(&scale, d, &numbers(&case["new_x"])));
        let applied = |base: Base, gamma: f64, kappa: f64| {
            let base = base.fit(&s, &t).unwrap();
            let rows = RidgeRows { score: &s, target: &t, at: Points::row_major(d, &at).unwrap(), base };
            recalibrated(&rows, &new_s, Points::row_major(d, &new).unwrap(), gamma, kappa).unwrap()
        };
        for base in [Base::None, Base::Platt] {
            all_near(&applied(base, 0.4, 3.0), &numbers(&case["fixed"][base.name()]), 1e-9);
        }

        let spaces = [Space { features: None, d, at: at.clone(), codes: Vec::new() }];
        let found = cross_validated(&s, &t, &spaces, &fold, &Grid::default(), &mut |_| ()).unwrap().unwrap();
        let tried = case["tried"].as_array().unwrap();
        assert_eq!((found.tried.len(), found.rows), (tried.len(), s.len()));
        for (found, expected) in found.tried.iter().zip(tried) {
            assert_eq!(found.setting.baseline.name(), expected["base"].as_str().unwrap());
            assert_eq!(found.setting.gamma, expected["gamma"].as_f64());
            assert_eq!(found.setting.kappa, expected["kappa"].as_f64());
            near(Some(found.nll), expected["nll"].as_f64().unwrap(), 1e-9);
            near(Some(found.more), expected["more"].as_f64().unwrap(), 1e-9);
            near(Some(found.standard_error), expected["standard_error"].as_f64().unwrap(), 1e-9);
        }
        assert_eq!(found.chosen as u64, case["chosen"].as_u64().unwrap());
        let chosen = found.setting().unwrap();
        let curve = chosen.baseline.fit(&s, &t).unwrap();
        near(Some(curve.a), case["a"].as_f64().unwrap(), 1e-8);
        near(Some(curve.b), case["b"].as_f64().unwrap(), 1e-8);
        let found = match chosen.gamma.zip(chosen.kappa) {
            Some((gamma, kappa)) => applied(chosen.baseline, gamma, kappa),
            None => applied(chosen.baseline, 1.0, f64::INFINITY),
        };
        all_near(&found, &numbers(&case["found"]), 1e-9);
    }
}

#[test]
fn worked_values() {
    let golden: Value = serde_json::from_str(include_str!("../../../../../tests/golden/lore_ridge.json")).unwrap();
    let (s, t) = f8_top();
    let x = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 2.0, 0.5, 0.5, 3.0, 3.0];
    let (_, at) = standardized(2, &x);
    let at = Points::row_major(2, &at).unwrap();
    for base in [Base::None, Base::Platt] {
        let rows = RidgeRows { score: &s, target: &t, at, base: base.fit(&s, &t).unwrap() };
        all_near(&recalibrated(&rows, &s, at, 0.4, 3.0).unwrap(), &numbers(&golden["eight"][base.name()]), 1e-9);
        // κ → ∞ is the base
        let alone: Vec<f64> = s.iter().map(|&s| sigmoid(rows.base.a * logit(s, PROB_CLIP) + rows.base.b)).collect();
        all_near(&recalibrated(&rows, &s, at, 0.4, 1e15).unwrap(), &alone, 1e-12);
        // κ = 0 and γ → ∞: one Newton step of an intercept for all
        let residual: f64 = alone.iter().zip(&t).map(|(g, &t)| f64::from(t) - g).sum();
        let step = residual / alone.iter().map(|g| g * (1.0 - g)).sum::<f64>();
        let all: Vec<f64> = alone.iter().map(|&g| sigmoid(logit(g, PROB_CLIP) + step)).collect();
        all_near(&recalibrated(&rows, &s, at, 1e12, 0.0).unwrap(), &all, 1e-9);
    }
}

/// Rows of a world: scores, outcomes and places of two coordinates, where the log-odds are off by `off` of the place.
fn world(n: usize, seed: u64, off: impl Fn([f64; 2]) -> f64) -> (Vec<f64>, Vec<u8>, Vec<f64>, Vec<f64>) {
    let mut lanes = Lanes::seeded(seed, 3);
    let (mut s, mut t, mut x, mut truth) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let [a, b, z, _] = lanes.normal();
        let p = sigmoid(z + off([a, b]));
        s.push(sigmoid(z));
        t.push(u8::from(lanes.uniform()[0] < p));
        x.extend([a, b]);
        truth.push(p);
    }
    (s, t, x, truth)
}

fn chosen(s: &[f64], t: &[u8], x: &[f64]) -> InnerValidation<super::Setting> {
    let spaces = [Space { features: None, d: 2, at: standardized(2, x).1, codes: Vec::new() }];
    let fold: Vec<u8> = (0..s.len()).map(|i| (i % FOLDS) as u8).collect();
    cross_validated(s, t, &spaces, &fold, &Grid::default(), &mut |_| ()).unwrap().unwrap()
}

/// Where the scores are right, little is put on them: in most of 40 worlds of 400 rows the score stays exactly as it is, and
/// over all of them what is chosen is off by little.
#[test]
fn calibrated_rows_are_left_alone() {
    let (mut untouched, mut squares) = (0, 0.0);
    for seed in 0..40 {
        let (s, t, x, truth) = world(400, seed, |_| 0.0);
        let inner = chosen(&s, &t, &x);
        let setting = inner.setting().unwrap();
        untouched += usize::from(setting.baseline == Base::None && setting.kappa.is_none());
        if let Some((gamma, kappa)) = setting.gamma.zip(setting.kappa) {
            let (_, at) = standardized(2, &x);
            let at = Points::row_major(2, &at).unwrap();
            let rows = RidgeRows { score: &s, target: &t, at, base: setting.baseline.fit(&s, &t).unwrap() };
            let moved = recalibrated(&rows, &s, at, gamma, kappa).unwrap();
            let error = moved.iter().zip(&truth).map(|(s, p)| (s - p).powi(2)).sum::<f64>() / 400.0;
            squares += error / 40.0;
        }
    }
    assert!(untouched >= 26, "{untouched} of 40");
    assert!(squares.sqrt() < 0.03, "{}", squares.sqrt());
}

/// Two regions, off in opposite directions up to a sharp edge: both are found, and the error to the truth is more than halved.
#[test]
fn two_regions_are_mended() {
    let off = |[a, _]: [f64; 2]| if a > 0.0 { 0.9 } else { -0.9 };
    let (s, t, x, _) = world(3000, 7, off);
    let (s_new, _, x_new, truth) = world(2000, 8, off);
    let inner = chosen(&s, &t, &x);
    let setting = inner.setting().unwrap();
    let (gamma, kappa) = setting.gamma.zip(setting.kappa).unwrap();
    let (scale, at) = standardized(2, &x);
    let new = scaled(&scale, 2, &x_new);
    let base = setting.baseline.fit(&s, &t).unwrap();
    let rows = RidgeRows { score: &s, target: &t, at: Points::row_major(2, &at).unwrap(), base };
    let mended = recalibrated(&rows, &s_new, Points::row_major(2, &new).unwrap(), gamma, kappa).unwrap();
    let error = |s: &[f64]| (s.iter().zip(&truth).map(|(s, p)| (s - p).powi(2)).sum::<f64>() / 2000.0).sqrt();
    assert!(error(&mended) < error(&s_new) / 2.0, "{} of {}", error(&mended), error(&s_new));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Scores stay probabilities, and a row far from all keeps the base's, whatever the rows.
    #[test]
    fn scores_are_probabilities(
        rows in prop::collection::vec((0u32..=100, 0u8..2, -3.0f64..3.0), 2..80),
        gamma in 1e-3f64..1e3, kappa in 0.0f64..40.0,
    ) {
        let s: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 100.0).collect();
        let t: Vec<u8> = rows.iter().map(|row| row.1).collect();
        let x: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let at = Points::row_major(1, &x).unwrap();
        for base in [Base::None, Base::Platt] {
            let rows = RidgeRows { score: &s, target: &t, at, base: base.fit(&s, &t).unwrap() };
            let found = recalibrated(&rows, &s, at, gamma, kappa).unwrap();
            prop_assert!(found.iter().all(|p| (0.0..=1.0).contains(p)));
            let far = recalibrated(&rows, &[0.3], Points::row_major(1, &[1e9]).unwrap(), gamma.min(1e3), kappa).unwrap();
            let alone = sigmoid(rows.base.a * logit(0.3, PROB_CLIP) + rows.base.b);
            prop_assert!((far[0] - alone).abs() < 1e-12);
        }
    }
}
