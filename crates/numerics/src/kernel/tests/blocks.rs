//! Blocked sums, their shared distances and their dropped tiles, against plain pairs.

use super::*;

/// Blocked sums against pairs in `d` dimensions; returns the largest error of mean and relative error of mass.
fn blocked(kernel: Kernel, queries: Queries, sources: Points, w: &[f64], k: usize) -> (f64, f64) {
    let parts = 3;
    let part = |index| {
        crate::kernel::blocks::sums(&queries, sources, w, k, &[kernel], true, Part { index, of: parts })
            .swap_remove(0)
            .unwrap()
    };
    let mut found = part(0);
    (1..parts).for_each(|index| found.merge(&part(index)));
    let expected = pairwise::sums(&queries, sources, w, k, kernel, true, Part::WHOLE);
    let largest = |a: &[f64], b: &[f64], relative: bool| {
        let error = |(a, b): (&f64, &f64)| (a - b).abs() / if relative { b.abs() } else { 1.0 };
        // A number that is none is the largest error of all.
        a.iter().zip(b).map(error).map(|e| if e.is_nan() { f64::INFINITY } else { e }).fold(0.0, f64::max)
    };
    let n_eff = largest(&found.n_eff.unwrap(), &expected.n_eff.unwrap(), true);
    assert!(n_eff < 1e-4, "{n_eff}");
    assert!(found.mean.iter().all(|m| !m.is_nan()));
    let log_mass = largest(&found.log_mass, &expected.log_mass, false);
    (largest(&found.mean, &expected.mean, false), log_mass)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn blocks_agree_with_pairs(
        seed in any::<u64>(), n in 2usize..500, d in 1usize..60, kind in 0usize..7, m in 1usize..60, k in 1usize..10,
        log_gamma in -1.5f64..1.5, mode in 0usize..3, which in 0usize..3,
    ) {
        let mut rng = Pcg64::new(seed.into(), 6);
        let values = layout(kind, n, d, 1.0, &mut rng);
        let others = layout(kind, m, d, 1.0, &mut rng);
        let weights: Vec<f64> = (0..n * k).map(|_| uniform(&mut rng) * 2.0 - 1.0).collect();
        let sources = Points::row_major(d, &values).unwrap();
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::row_major(d, &others).unwrap()),
        };
        let gamma = 10f64.powf(log_gamma);
        let kernel = match which {
            0 => Kernel::Laplacian { gamma },
            1 => Kernel::Gaussian { gamma: gamma * (d as f64).sqrt() },
            _ => Kernel::Rbf { gamma: 1.0 / gamma / d as f64 },
        };
        let frame_ok = crate::kernel::blocks::sums(&queries, sources, &weights, k, &[kernel], true, Part::WHOLE)[0].is_some();
        // One far outlier may reach beyond what scaled distances can hold: then pairs are used.
        if !frame_ok {
            return Ok(());
        }
        let (mean, mass) = blocked(kernel, queries, sources, &weights, k);
        prop_assert!(mean < 1e-5, "mean {mean}");
        prop_assert!(mass < 1e-4, "mass {mass}");
    }
}

/// Clusters so far apart that narrow kernels reach no other: whole tiles are dropped.
fn clusters(n: usize, d: usize, apart: f64, rng: &mut Pcg64) -> Vec<f64> {
    let mut values = layout(0, n, d, 1.0, rng);
    for (i, row) in values.chunks_exact_mut(d).enumerate() {
        row.iter_mut().for_each(|v| *v += apart * (i / 40) as f64);
    }
    values
}

/// Six bandwidths at once in the engine that `sums_at` chooses, and what they are asked of.
#[derive(Debug)]
struct Bandwidths {
    seed: u64,
    n: usize,
    d: usize,
    kind: usize,
    k: usize,
    of: usize,
    which: usize,
    mode: usize,
    n_eff: bool,
}

impl Bandwidths {
    /// Compares means, masses and effective neighbors with those of plain pairs.
    fn agree_with_pairs(&self) -> std::result::Result<(), TestCaseError> {
        let Self { seed, n, d, kind, k, of, which, mode, n_eff } = *self;
        let mut rng = Pcg64::new(seed.into(), 9);
        let values = layout(kind, n, d, 10.0, &mut rng);
        let others = layout(kind, 30, d, 10.0, &mut rng);
        let weights: Vec<f64> = (0..n * k).map(|_| uniform(&mut rng) * 2.0 - 1.0).collect();
        let sources = Points::row_major(d, &values).unwrap();
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::row_major(d, &others).unwrap()),
        };
        let kernels: Vec<Kernel> = [0.7, 1e-3, 0.05, 1e3, 4.0, 30.0]
            .into_iter()
            .map(|gamma| match which {
                0 => Kernel::Laplacian { gamma: 10.0 * gamma },
                1 => Kernel::Gaussian { gamma: 10.0 * gamma * (d as f64).sqrt() },
                _ => Kernel::Rbf { gamma: 0.01 / gamma / d as f64 },
            })
            .collect();
        let ask = |kernels: &[Kernel], index| {
            sums_at(queries, sources, &weights, k, kernels, n_eff, Part { index, of }).unwrap()
        };
        let mut found = ask(&kernels, 0);
        for index in 1..of {
            found.iter_mut().zip(ask(&kernels, index)).for_each(|(sums, later)| sums.merge(&later));
        }
        let (spread, share) = if d > 3 { (1e-5, 1e-4) } else { (1e-9, 1e-9) };
        for (kernel, found) in kernels.iter().zip(&found) {
            let expected = pairwise::sums(&queries, sources, &weights, k, *kernel, n_eff, Part::WHOLE);
            // A fit that travels answers the same at other places.
            let traveled = match queries {
                Queries::At(at) => Some(sums_of_fit(at, sources, &weights, k, *kernel, n_eff, Part::WHOLE).unwrap()),
                Queries::Sources { .. } => None,
            };
            for found in [found].into_iter().chain(&traveled) {
                prop_assert!(found.answered.iter().all(|a| *a));
                for (a, b) in found.mean.iter().zip(&expected.mean) {
                    prop_assert!((a - b).abs() <= spread || (a.is_nan() && b.is_nan()), "{kernel:?}: {a} {b}");
                }
                for (a, b) in found.mass.iter().zip(&expected.mass) {
                    prop_assert!((a - b).abs() <= share * b.max(1e-270), "{kernel:?}: {a} {b}");
                }
                for (a, b) in found.n_eff.iter().flatten().zip(expected.n_eff.iter().flatten()) {
                    prop_assert!((a - b).abs() <= share * b, "{kernel:?}: {a} {b} effective neighbors");
                }
            }
        }
        Ok(())
    }
}

#[test]
fn padding_of_the_last_block_is_no_neighbor() {
    // 86 rows fill ten blocks and six lanes of another. In sixteen dimensions the padding, at the center, is nearer to
    // every row than any other row is, and under a narrow kernel beyond what an exponential can hold.
    let found =
        Bandwidths { seed: 12386777642610538730, n: 86, d: 16, kind: 1, k: 1, of: 1, which: 1, mode: 1, n_eff: false };
    found.agree_with_pairs().unwrap();
    for (which, mode) in [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (2, 2)] {
        let all = Bandwidths { seed: 1, n: 86, d: 16, kind: 0, k: 1, of: 1, which, mode, n_eff: true };
        all.agree_with_pairs().unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_bandwidths_agree_with_pairs(
        seed in any::<u64>(), n in 2usize..300, d in 1usize..20, kind in 0usize..8, k in 1usize..4, of in 1usize..4,
        which in 0usize..3, mode in 0usize..3, n_eff in any::<bool>(),
    ) {
        Bandwidths { seed, n, d, kind, k, of, which, mode, n_eff }.agree_with_pairs()?;
    }

    #[test]
    fn what_is_dropped_stays_below_its_bound(
        seed in any::<u64>(), n in 100usize..600, d in 4usize..30, apart in 1.0f64..60.0, gamma in 0.05f64..2.0,
    ) {
        let mut rng = Pcg64::new(seed.into(), 10);
        let values = clusters(n, d, apart, &mut rng);
        // Weights of one sign: nothing that is lost can cancel.
        let weights: Vec<f64> = (0..n).map(|_| uniform(&mut rng)).collect();
        let sources = Points::row_major(d, &values).unwrap();
        let own = Queries::Sources { leave_one_out: false };
        let kernels = [gamma, gamma / 10.0, gamma / 100.0].map(|gamma| Kernel::Laplacian { gamma });
        let found = sums_by(Engine::Blocks, own, sources, &weights, 1, &kernels, true, Part::WHOLE);
        for (kernel, found) in kernels.iter().zip(&found) {
            let expected = pairwise::sums(&own, sources, &weights, 1, *kernel, true, Part::WHOLE);
            for q in 0..n {
                prop_assert!((found.mean[q] - expected.mean[q]).abs() < 1e-5);
                prop_assert!(found.mass[q] >= 1.0 - 1e-6 && (found.mass[q] / expected.mass[q] - 1.0).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn cutting_by_reach_pays_with_no_more_than_its_bound() {
    // 1,000 rows in f64, three coordinates: exponents beyond ln(n / 1e-10) may go, 1e-10 of the mass with them.
    let mut rng = Pcg64::new(3, 11);
    let values = clusters(1000, 3, 25.0, &mut rng);
    let weights: Vec<f64> = (0..1000).map(|_| uniform(&mut rng)).collect();
    let sources = Points::row_major(3, &values).unwrap();
    let own = Queries::Sources { leave_one_out: false };
    for gamma in [0.3, 0.8, 3.0] {
        let kernels = [Kernel::Gaussian { gamma }, Kernel::Laplacian { gamma }];
        for kernel in kernels {
            let found = sums_by(Engine::Blocks, own, sources, &weights, 1, &[kernel], false, Part::WHOLE);
            let expected = pairwise::sums(&own, sources, &weights, 1, kernel, false, Part::WHOLE);
            for q in 0..1000 {
                assert!((found[0].mass[q] / expected.mass[q] - 1.0).abs() < 1e-9);
                assert!((found[0].mean[q] - expected.mean[q]).abs() < 1e-9);
            }
        }
    }
}
