//! LoRe by hand, against plain pairs, and within the labels of a bin.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::{LocalQueries, LoreScores, lore, recalibrated};
use crate::fixtures::{assert_close, eight, laplacian};
use crate::kernel::{Kernel, Part, Points};
use crate::local::LocalSample;

/// LoRe on the rows it was fitted on, each left out of its own sum.
fn leave_one_out(calibration: &LocalSample, kernel: Kernel) -> LoreScores {
    let queries = LocalQueries::Sample { leave_one_out: true };
    recalibrated(calibration, &queries, calibration.score, kernel, Part::WHOLE, &mut |_| ()).unwrap()
}

#[test]
fn five_queries_recalibrated() {
    let sample = eight();
    let places = [1.0, 1.0, 0.0, 0.0, 2.5, 2.5, 1.0, 1.0, 1.0, 1.0];
    let (score, bin) = ([0.9, 0.9, 0.5, 0.7, 0.1], [4, 4, 2, 3, 0]);
    let rows = [
        (0.2, [0.519840, 0.929491, 1.0, 0.0, 0.1]),
        (0.5, [0.586378, 0.788361, 1.0, 0.0, 0.1]),
        (1e9, [0.75, 0.75, 1.0, 0.0, 0.1]),
        (1e-4, [0.5, 1.0, 1.0, 0.0, 0.1]),
    ];
    for (gamma, expected) in rows {
        let places = Points::row_major(2, &places).unwrap();
        let found = lore(&sample, &bin, &score, places, laplacian(gamma), Part::WHOLE, &mut |_| ()).unwrap();
        for (found, expected) in found.score.iter().zip(expected) {
            assert_close(*found, expected, 5.1e-7);
        }
        assert_eq!(found.kept, 1);
        assert_eq!(found.mass[4], 0.0);
    }
    // Row 6 is alone in its bin: left out, nothing stands behind it and it keeps its score.
    let found = leave_one_out(&sample, laplacian(0.2));
    assert_eq!((found.kept, found.score[5]), (1, 0.60));
    assert_eq!(found.score[3], 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scores_stay_within_the_labels_of_their_bin(
        rows in prop::collection::vec((0u32..=100, 0u8..2, -3.0f64..3.0, -3.0f64..3.0), 1..200), repeat in 0usize..3,
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
        for gamma in [1e-300, 1e-9, 0.3, 1e9] {
            let new = lore(&sample, &bin, &score, sample.features, laplacian(gamma), Part::WHOLE, &mut |_| ()).unwrap();
            for (i, c) in new.score.iter().enumerate() {
                let labels: Vec<u8> = (0..rows.len()).filter(|j| bin[*j] == bin[i]).map(|j| target[j]).collect();
                let (low, high) = (labels.iter().min().unwrap(), labels.iter().max().unwrap());
                prop_assert!(*c >= f64::from(*low) && *c <= f64::from(*high), "{c}");
                if gamma == 1e9 {
                    let mean = labels.iter().map(|t| f64::from(*t)).sum::<f64>() / labels.len() as f64;
                    prop_assert!((c - mean).abs() < 1e-6);
                }
            }
            let left_out = leave_one_out(&sample, laplacian(gamma));
            prop_assert!(left_out.score.iter().all(|c| (0.0..=1.0).contains(c)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lore_agrees_with_pairs(
        seed in any::<u64>(), n in 1usize..400, m in 1usize..60, d in 1usize..7, kind in 0usize..4,
        log_gamma in -3.0f64..3.0, leave_out in any::<bool>(),
    ) {
        let mut state = seed | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut places = |rows: usize| -> Vec<f64> {
            (0..rows * d).map(|i| match kind {
                0 => next(),
                1 => (next() * 4.0).floor(),
                2 if i == 0 => 1e6,
                3 if i % d == 0 => 1e6 * next(),
                _ => next() - 0.5,
            }).collect()
        };
        let (x, new) = (places(n), places(m));
        let score: Vec<f64> = (0..n).map(|i| (i % 10) as f64 / 10.0).collect();
        let target: Vec<u8> = x.chunks_exact(d).map(|row| u8::from(row[d - 1] * 7.0 % 1.0 > 0.4)).collect();
        let bin: Vec<u32> = (0..n as u32).map(|i| i % 3).collect();
        let (new_bin, new_score): (Vec<u32>, Vec<f64>) = ((0..m as u32).map(|i| i % 4).collect(), vec![0.5; m]);
        let (sources, queries) = (Points::row_major(d, &x).unwrap(), Points::row_major(d, &new).unwrap());
        let sample = LocalSample::new(&score, &target, &bin, sources).unwrap();
        let kernel = laplacian(10f64.powf(log_gamma));
        let found = if leave_out {
            leave_one_out(&sample, kernel)
        } else {
            lore(&sample, &new_bin, &new_score, queries, kernel, Part::WHOLE, &mut |_| ()).unwrap()
        };
        let asked = if leave_out { n } else { m };
        for q in 0..asked {
            let (at, own_bin, old) = if leave_out {
                (sources.row(q), bin[q], score[q])
            } else {
                (queries.row(q), new_bin[q], 0.5)
            };
            let peers: Vec<usize> = (0..n).filter(|&i| bin[i] == own_bin && !(leave_out && i == q)).collect();
            let far: Vec<f64> = peers.iter().map(|&i| kernel.distance(at, sources.row(i))).collect();
            let least = far.iter().copied().fold(f64::INFINITY, f64::min);
            let k: Vec<f64> = far.iter().map(|t| (-kernel.fall(d, least, *t)).exp()).collect();
            let total: f64 = peers.iter().zip(&k).map(|(&i, k)| k * f64::from(target[i])).sum();
            let expected = if peers.is_empty() { old } else { total / k.iter().sum::<f64>() };
            let spread = if d > 3 { 1e-5 } else { 1e-9 };
            prop_assert!((found.score[q] - expected).abs() <= spread, "{} {expected}", found.score[q]);
        }
    }
}
