//! One engine of the null's draws against another, and shares of the work against the whole.

use super::null_tests::{random_sample, run};
use super::pairs::gathered;
use super::tests::sample;
use super::*;
use crate::fixtures::near;
use crate::kernel::Part;
use crate::num::rng::Lanes;
use ndarray::ArrayView2;

/// Σ_{i≠j} 2 K² v_i v_j is the variance of T under the Bernoulli null; every engine draws from it.
#[test]
fn engines_agree_draw_by_draw() {
    let (n, draws) = (701, 90);
    let sample = random_sample(n, 3, 0.0, 0.1);
    let exact = product_draws(&sample, Draws::Labels, 9, draws, 0..draws + 1, true);
    let v: Vec<f64> = sample.p().iter().map(|p| p * (1.0 - p)).collect();
    let mut variance = 0.0;
    for i in 0..n {
        for j in (0..n).filter(|j| *j != i) {
            variance += 2.0 * sample.kernel(i, j).powi(2) * v[i] * v[j];
        }
    }
    let sd = variance.sqrt();
    let (_, spread) = crate::num::moments::mean_and_sd(&exact[..draws]);
    assert!((spread / sd - 1.0).abs() < 0.3, "{spread} {sd}");
    let (sums, subset) = label_draws(&sample, 9, draws, Part::WHOLE);
    let sums = gathered(n, &[sums]);
    assert!((sums.statistic - exact[draws]).abs() < 1e-12 * sd);
    let factor = Factor::find(&sample, 600).expect("a low rank");
    assert!(factor.trace <= GOOD_TRACE && factor.rank() < 500, "{}", factor.rank());
    let projected = projected_draws(&sample, &factor, Draws::Labels, 9, draws, Part::WHOLE);
    let low = statistics(&projected.sums, &projected.own);
    for b in 0..=draws {
        assert!((subset[b] - exact[b]).abs() < 1e-4 * sd, "{} {}", subset[b], exact[b]);
        assert!((low[b] - exact[b]).abs() < 5e-3 * sd, "{} {}", low[b], exact[b]);
    }
    for kind in [Draws::Permuted, Draws::Repeated] {
        let exact = product_draws(&sample, kind, 9, draws, 0..draws + 1, true);
        let single = product_draws(&sample, kind, 9, draws, 0..draws + 1, false);
        let projected = projected_draws(&sample, &factor, kind, 9, draws, Part::WHOLE);
        let low = statistics(&projected.sums, &projected.own);
        for b in 0..=draws {
            assert!((single[b] - exact[b]).abs() < 1e-4 * sd);
            assert!((low[b] - exact[b]).abs() < 5e-3 * sd);
        }
    }
}

#[test]
fn whole_vectors_agree_between_engines() {
    let (n, m, draws) = (530_usize, 3_usize, 40);
    let mut lanes = Lanes::seeded(4, 4);
    let x: Vec<f64> = std::iter::repeat_with(|| lanes.normal()).flatten().take(2 * n).collect();
    let mut p: Vec<f64> = std::iter::repeat_with(|| lanes.uniform()).flatten().take(m * n).collect();
    p.chunks_exact_mut(m).for_each(|row| {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
    });
    let y: Vec<u32> = (0..n).map(|i| (i % m) as u32).collect();
    let places = crate::kernel::Points::row_major(2, &x).expect("places");
    let kernel = KlceKernel { width_p: 0.5, gamma: 0.1 };
    let sample =
        KlceSample::vectors(ArrayView2::from_shape((n, m), &p).expect("rows"), &y, places, kernel).expect("a sample");
    let exact = product_draws(&sample, Draws::Labels, 2, draws, 0..draws + 1, true);
    let (sums, subset) = label_draws(&sample, 2, draws, Part::WHOLE);
    let sums = gathered(n, &[sums]);
    let factor = Factor::find(&sample, 400).expect("a low rank");
    let (_, sd) = crate::num::moments::mean_and_sd(&exact[..draws]);
    assert!((sums.statistic - exact[draws]).abs() < 1e-12 * sd);
    for kind in [Draws::Labels, Draws::Permuted] {
        let exact = product_draws(&sample, kind, 2, draws, 0..draws + 1, true);
        let projected = projected_draws(&sample, &factor, kind, 2, draws, Part::WHOLE);
        let low = statistics(&projected.sums, &projected.own);
        for b in 0..=draws {
            assert!((low[b] - exact[b]).abs() < 1e-2 * sd, "{kind:?} {} {}", low[b], exact[b]);
        }
    }
    for b in 0..=draws {
        assert!((subset[b] - exact[b]).abs() < 1e-4 * sd);
    }
}

/// Rows that differ by many kernel widths: only equal rows are similar, with kernel 1.
#[test]
fn equal_rows_stay_similar_however_wide_the_columns_are() {
    let (n, draws) = (600, 60);
    let p: Vec<f64> = (0..n).map(|i| 0.2 + 0.1 * (i % 7) as f64).collect();
    let y: Vec<u8> = (0..n).map(|i| u8::from(i % 3 == 0)).collect();
    let kernel = KlceKernel { width_p: f64::INFINITY, gamma: 1.0 };
    for widths in [10.0, 1e3, 3.3e6] {
        let x: Vec<f64> = (0..n).map(|i| widths * (i * i % 211) as f64).collect();
        let sample = sample(&p, &y, &x, 1, kernel);
        let exact = product_draws(&sample, Draws::Labels, 5, draws, 0..draws + 1, true);
        let (_, sd) = crate::num::moments::mean_and_sd(&exact[..draws]);
        let (sums, subset) = label_draws(&sample, 5, draws, Part::WHOLE);
        let sums = gathered(n, &[sums]);
        assert!((sums.statistic - exact[draws]).abs() < 1e-12 * sd, "{widths}");
        for (ours, exact) in subset.iter().zip(&exact) {
            assert!((ours - exact).abs() < 1e-5 * sd, "{widths}: {ours} {exact}");
        }
    }
}

#[test]
fn shares_add_up_with_every_engine() {
    for (n, nulls) in [(90, &Null::ALL[..]), (700, &Null::ALL[..])] {
        let work = KlceWork::new(random_sample(n, 8, 0.0, 0.5), KlceKernel::usual(3), nulls, 50, 3);
        let whole = work.run();
        for of in [3, 17] {
            let shares: Vec<KlceShare> = (0..of).map(|index| work.share(Part { index, of })).collect();
            let found = work.merged(&shares.iter().collect::<Vec<_>>());
            for (a, b) in found.nulls.iter().zip(&whole.nulls) {
                assert_eq!(a.draws.len(), 50);
                for (x, y) in a.draws.iter().zip(b.draws.iter()) {
                    assert!((x - y).abs() < 1e-4 * a.sd, "{:?} {x} {y}", a.null);
                }
            }
        }
    }
    let sample = random_sample(700, 8, 0.0, 0.05);
    let mut work = KlceWork::new(sample, KlceKernel::usual(3), &Null::ALL, 50, 3);
    work.factor = Factor::find(&work.sample, 500);
    work.tasks.iter_mut().for_each(|task| task.engine = KlceEngine::LowRank);
    let whole = work.run();
    let shares: Vec<KlceShare> = (0..5).map(|index| work.share(Part { index, of: 5 })).collect();
    let found = work.merged(&shares.iter().collect::<Vec<_>>());
    for (a, b) in found.nulls.iter().zip(&whole.nulls) {
        assert!(a.trace.is_some_and(|trace| trace <= 1.5 * GOOD_TRACE), "{:?}", a.trace);
        for (x, y) in a.draws.iter().zip(b.draws.iter()) {
            assert!((x - y).abs() < 1e-4 * a.sd, "{:?} {x} {y}", a.null);
        }
    }
}

/// With a constant score and no covariates T depends on the count of events alone: ties are the rule, not the
/// exception.
#[test]
fn ties_count_alike_in_both_precisions() {
    for n in [300_usize, 1500] {
        let y: Vec<u8> = (0..n).map(|i| u8::from(i < n / 2)).collect();
        let wide = KlceKernel { width_p: f64::INFINITY, gamma: 0.0 };
        let flat = sample(&vec![0.5; n], &y, &vec![0.0; n], 1, wide);
        // Exactly half of the events: no draw can be below.
        near(run(&flat, &[Null::Bernoulli], 400, 3).nulls[0].p, 1.0, 0.0);
    }
}

/// T, ΣK and what follows are those of a loop over all pairs, whatever is drawn beside them and in however many parts.
#[test]
fn the_statistic_is_exact_whatever_else_is_asked() {
    let n = 1_200;
    let sample = random_sample(n, 3, 0.0, 0.1);
    let e = sample.residuals();
    let (mut statistic, mut mass) = (0.0, 0.0);
    for i in 0..n {
        for j in (0..n).filter(|j| *j != i) {
            let k = sample.kernel(i, j);
            statistic += k * e[i] * e[j];
            mass += k;
        }
    }
    let kernel = KlceKernel::usual(3);
    let alone = KlceWork::new(sample.clone(), kernel, &[], 0, 1).run();
    let scale = mass / (n * (n - 1)) as f64;
    let expected = statistic / (n * (n - 1)) as f64;
    near(alone.unbiased, expected, 1e-13 * scale);
    near(alone.normalized, statistic / ((n - 1) as f64 / n as f64 * (mass + n as f64)), 1e-13);
    for nulls in [&Null::ALL[..], &[Null::Bernoulli], &[Null::Permute]] {
        let work = KlceWork::new(sample.clone(), kernel, nulls, 40, 1);
        for of in [1, 3, 8] {
            let shares: Vec<KlceShare> = (0..of).map(|index| work.share(Part { index, of })).collect();
            let found = work.merged(&shares.iter().collect::<Vec<_>>());
            assert_eq!(found.statistic.to_bits(), alone.statistic.to_bits(), "{nulls:?} {of}");
            assert_eq!(found.mass.to_bits(), alone.mass.to_bits(), "{nulls:?} {of}");
        }
    }
}

/// The documented bound: what single precision does to T is below a thousandth of the spread of its draws.
#[test]
fn the_error_of_an_engine_is_within_its_promise() {
    for n in [600, 2_500] {
        for gamma in [0.005, 0.5, 25.0] {
            let kernel = KlceKernel { width_p: 0.1, gamma };
            let sample = random_sample(n, 3, 0.0, gamma);
            let nulls = [Null::Bernoulli, Null::Permute, Null::Bootstrap];
            let found = KlceWork::new(sample, kernel, &nulls, 60, 1).run();
            for null in &found.nulls {
                println!("{n} {gamma} {:?} {:?} {:e}", null.null, null.engine, null.error);
                assert!(null.error < 1e-3, "{n} {gamma} {:?}: {}", null.null, null.error);
            }
        }
    }
}
