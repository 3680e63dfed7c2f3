#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

fn uniform(rng: &mut Pcg64) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Adversarial layouts: what the recursion could trip over.
fn layout(kind: usize, n: usize, d: usize, width: f64, rng: &mut Pcg64) -> Vec<f64> {
    let mut values: Vec<f64> = (0..n * d).map(|_| uniform(rng) * width).collect();
    match kind {
        0 => {}
        1 => values
            .iter_mut()
            .for_each(|v| *v = (*v / width * 6.0).floor() * width / 6.0),
        2 => values.fill(width),
        3 => {
            for row in values.chunks_exact_mut(d) {
                let first = row[0];
                row.fill(first);
            }
        }
        4 => values[..d].fill(1e6 * width),
        5 => values.chunks_exact_mut(d).for_each(|row| row[d - 1] *= 1e6),
        6 => {
            let half = n / 2 * d;
            values.copy_within(..half, n * d - half);
        }
        _ => values.iter_mut().for_each(|v| *v += 1e4 * width),
    }
    values
}

fn close(
    found: &KernelSums,
    expected: &KernelSums,
    spread: f64,
) -> std::result::Result<(), String> {
    for q in 0..expected.mass.len() {
        let (m, e) = (found.log_mass[q], expected.log_mass[q]);
        if e > -690.0 && ((m - e).exp() - 1.0).abs() > 1e-9
            || (m - e).abs() > 1e-9 * e.abs().max(1.0)
        {
            return Err(format!("log mass of {q}: {m} against {e}"));
        }
        for c in 0..found.k {
            let (m, e) = (found.mean[q * found.k + c], expected.mean[q * found.k + c]);
            if (m - e).abs() > spread || m.is_nan() != e.is_nan() {
                return Err(format!(
                    "mean {c} of {q}: {m} against {e}, log mass {}",
                    expected.log_mass[q]
                ));
            }
        }
        if let (Some(m), Some(e)) = (&found.n_eff, &expected.n_eff)
            && (m[q] / e[q] - 1.0).abs() > 1e-8
        {
            return Err(format!("n_eff of {q}: {} against {}", m[q], e[q]));
        }
    }
    Ok(())
}

fn exact(queries: &Queries, sources: Points, w: &[f64], k: usize, gamma: f64) -> KernelSums {
    let h = bandwidth(sources.d(), gamma);
    match sources.d() {
        1 => super::exact::laplacian::<1>(queries, sources, w, k, &[h], true, Part::WHOLE),
        2 => super::exact::laplacian::<2>(queries, sources, w, k, &[h], true, Part::WHOLE),
        _ => super::exact::laplacian::<3>(queries, sources, w, k, &[h], true, Part::WHOLE),
    }
    .swap_remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn divide_and_sweep_agrees_with_pairs(
        seed in any::<u64>(), n in 1usize..300, d in 1usize..4, kind in 0usize..8, m in 1usize..120,
        log_gamma in -3.0f64..3.0, k in 1usize..13, mode in 0usize..3, shift in prop::sample::select(vec![0.0, 1.0, 30.0, 1e3]),
    ) {
        let mut rng = Pcg64::new(seed.into(), 1);
        let (width, gamma) = (10.0, 10.0 * 10f64.powf(log_gamma));
        let values = layout(kind, n, d, width, &mut rng);
        let weights: Vec<f64> = (0..n * k).map(|_| uniform(&mut rng) * 2.0 - 1.0).collect();
        let sources = Points::new(d, &values).unwrap();
        let others: Vec<f64> = layout(kind, m, d, width, &mut rng).iter().map(|v| v + shift * gamma).collect();
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::new(d, &others).unwrap()),
        };
        let found = exact(&queries, sources, &weights, k, gamma);
        let expected = pairwise::sums(&queries, sources, &weights, k, Kernel::Laplacian { gamma }, true, Part::WHOLE);
        prop_assert!(close(&found, &expected, 1e-9).is_ok(), "{:?}", close(&found, &expected, 1e-9));
    }

    #[test]
    fn far_queries_keep_their_ratio(
        seed in any::<u64>(), n in 1usize..200, d in 1usize..4, distance in 500.0f64..100_000.0, k in 1usize..10,
    ) {
        let mut rng = Pcg64::new(seed.into(), 2);
        let values = layout(0, n, d, 20.0, &mut rng);
        let weights: Vec<f64> = (0..n * k).map(|_| uniform(&mut rng)).collect();
        let sources = Points::new(d, &values).unwrap();
        let others: Vec<f64> = layout(0, 50, d, 1200.0, &mut rng).iter().map(|v| v + distance).collect();
        let queries = Queries::At(Points::new(d, &others).unwrap());
        let found = exact(&queries, sources, &weights, k, 0.8);
        let expected = pairwise::sums(&queries, sources, &weights, k, Kernel::Laplacian { gamma: 0.8 }, true, Part::WHOLE);
        prop_assert!(close(&found, &expected, 1e-9).is_ok(), "{:?}", close(&found, &expected, 1e-9));
    }

    #[test]
    fn tiny_bandwidths_average_the_nearest(
        seed in any::<u64>(), n in 2usize..300, d in 1usize..4, kind in 0usize..8, mode in 0usize..3,
        scale in prop::sample::select(vec![1e-9, 1e-30, 1e-300]), width in prop::sample::select(vec![1.0, 1e150]),
    ) {
        let mut rng = Pcg64::new(seed.into(), 3);
        let values = layout(kind, n, d, width, &mut rng);
        let weights: Vec<f64> = (0..n).map(|_| uniform(&mut rng)).collect();
        let sources = Points::new(d, &values).unwrap();
        let others = layout(kind, 60, d, width, &mut rng);
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::new(d, &others).unwrap()),
        };
        let found = exact(&queries, sources, &weights, 1, scale);
        let expected = pairwise::sums(&queries, sources, &weights, 1, Kernel::Laplacian { gamma: scale }, false, Part::WHOLE);
        for q in 0..expected.mass.len() {
            prop_assert!((found.mean[q] - expected.mean[q]).abs() < 1e-9, "{q}: {} against {}", found.mean[q], expected.mean[q]);
        }
    }

    #[test]
    fn any_cut_gives_the_same_bits(seed in any::<u64>(), n in 1usize..400, d in 1usize..4, of in 1usize..8, mode in 0usize..3) {
        let mut rng = Pcg64::new(seed.into(), 4);
        let values = layout(0, n, d, 10.0, &mut rng);
        let others = layout(1, 70, d, 500.0, &mut rng);
        let weights: Vec<f64> = (0..n).map(|_| uniform(&mut rng)).collect();
        let sources = Points::new(d, &values).unwrap();
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::new(d, &others).unwrap()),
        };
        let kernel = Kernel::Laplacian { gamma: 0.3 };
        let whole = sums(queries, sources, &weights, 1, kernel, true, Part::WHOLE).unwrap();
        let mut joined = sums(queries, sources, &weights, 1, kernel, true, Part { index: 0, of }).unwrap();
        for index in 1..of {
            joined.merge(&sums(queries, sources, &weights, 1, kernel, true, Part { index, of }).unwrap());
        }
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert!(joined.answered.iter().all(|a| *a));
        prop_assert_eq!(bits(&joined.mean), bits(&whole.mean));
        prop_assert_eq!(bits(&joined.mass), bits(&whole.mass));
    }
}

#[test]
fn larger_lists_agree_too() {
    let mut rng = Pcg64::new(7, 5);
    for (d, n) in [(1, 4000), (2, 4000), (3, 3000)] {
        let values = layout(0, n, d, 100.0, &mut rng);
        let weights: Vec<f64> = (0..n).map(|_| uniform(&mut rng) - 0.5).collect();
        let sources = Points::new(d, &values).unwrap();
        for gamma in [0.02, 0.4, 25.0] {
            let queries = Queries::Sources {
                leave_one_out: true,
            };
            let found = exact(&queries, sources, &weights, 1, gamma);
            let kernel = Kernel::Laplacian { gamma };
            let expected =
                pairwise::sums(&queries, sources, &weights, 1, kernel, true, Part::WHOLE);
            close(&found, &expected, 1e-11).unwrap();
        }
    }
}

#[test]
fn shapes_and_bandwidths_are_checked() {
    let points = Points::new(2, &[0.0, 1.0, 2.0, 3.0]).unwrap();
    let own = Queries::Sources {
        leave_one_out: false,
    };
    for gamma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let kernel = Kernel::Laplacian { gamma };
        let error = sums(own, points, &[1.0, 1.0], 1, kernel, false, Part::WHOLE).unwrap_err();
        assert_eq!(error.code(), "invalid_option");
    }
    let error = sums(own, points, &[1.0], 1, Kernel::Constant, false, Part::WHOLE).unwrap_err();
    assert_eq!(error.code(), "length_mismatch");
    let one = Points::new(1, &[0.0]).unwrap();
    assert!(
        sums(
            Queries::At(one),
            points,
            &[1.0, 1.0],
            1,
            Kernel::Constant,
            false,
            Part::WHOLE
        )
        .is_err()
    );
    assert_eq!(
        Points::new(2, &[1.0]).unwrap_err().code(),
        "length_mismatch"
    );
    assert_eq!(
        Points::new(1, &[1.0, f64::NAN]).unwrap_err().code(),
        "not_a_number"
    );
}

/// Blocked sums against pairs in `d` dimensions; returns the largest error of mean and relative error of mass.
fn blocked(kernel: Kernel, queries: Queries, sources: Points, w: &[f64], k: usize) -> (f64, f64) {
    let parts = 3;
    let part = |index| {
        super::blocks::sums(
            &queries,
            sources,
            w,
            k,
            &[kernel],
            true,
            Part { index, of: parts },
        )
        .swap_remove(0)
        .unwrap()
    };
    let mut found = part(0);
    (1..parts).for_each(|index| found.merge(&part(index)));
    let expected = pairwise::sums(&queries, sources, w, k, kernel, true, Part::WHOLE);
    let largest = |a: &[f64], b: &[f64], relative: bool| {
        a.iter()
            .zip(b)
            .map(|(a, b)| (a - b).abs() / if relative { b.abs() } else { 1.0 })
            .fold(0.0, f64::max)
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
        let sources = Points::new(d, &values).unwrap();
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::new(d, &others).unwrap()),
        };
        let gamma = 10f64.powf(log_gamma);
        let kernel = match which {
            0 => Kernel::Laplacian { gamma },
            1 => Kernel::Gaussian { gamma: gamma * (d as f64).sqrt() },
            _ => Kernel::Rbf { gamma: 1.0 / gamma / d as f64 },
        };
        let frame_ok = super::blocks::sums(&queries, sources, &weights, k, &[kernel], true, Part::WHOLE)[0].is_some();
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_bandwidths_agree_with_pairs(
        seed in any::<u64>(), n in 2usize..300, d in 1usize..20, kind in 0usize..8, k in 1usize..4, of in 1usize..4,
        which in 0usize..3, mode in 0usize..3, n_eff in any::<bool>(),
    ) {
        let mut rng = Pcg64::new(seed.into(), 9);
        let values = layout(kind, n, d, 10.0, &mut rng);
        let others = layout(kind, 30, d, 10.0, &mut rng);
        let weights: Vec<f64> = (0..n * k).map(|_| uniform(&mut rng) * 2.0 - 1.0).collect();
        let sources = Points::new(d, &values).unwrap();
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::new(d, &others).unwrap()),
        };
        let kernels: Vec<Kernel> = [0.7, 1e-3, 0.05, 1e3, 4.0, 30.0].into_iter().map(|gamma| match which {
            0 => Kernel::Laplacian { gamma: 10.0 * gamma },
            1 => Kernel::Gaussian { gamma: 10.0 * gamma * (d as f64).sqrt() },
            _ => Kernel::Rbf { gamma: 0.01 / gamma / d as f64 },
        }).collect();
        let ask = |kernels: &[Kernel], index| {
            sums_at(queries, sources, &weights, k, kernels, n_eff, Part { index, of }).unwrap()
        };
        let mut found = ask(&kernels, 0);
        for index in 1..of {
            found.iter_mut().zip(ask(&kernels, index)).for_each(|(sums, later)| sums.merge(&later));
        }
        let spread = if d > 3 { 1e-5 } else { 1e-9 };
        for (kernel, found) in kernels.iter().zip(&found) {
            let expected = pairwise::sums(&queries, sources, &weights, k, *kernel, n_eff, Part::WHOLE);
            prop_assert!(found.answered.iter().all(|a| *a));
            for (a, b) in found.mean.iter().zip(&expected.mean) {
                prop_assert!((a - b).abs() <= spread || (a.is_nan() && b.is_nan()), "{kernel:?}: {a} {b}");
            }
            for (a, b) in found.mass.iter().zip(&expected.mass) {
                prop_assert!((a - b).abs() <= if d > 3 { 1e-4 } else { 1e-9 } * b.max(1e-270), "{kernel:?}: {a} {b}");
            }
        }
    }

    #[test]
    fn what_is_dropped_stays_below_its_bound(
        seed in any::<u64>(), n in 100usize..600, d in 4usize..30, apart in 1.0f64..60.0, gamma in 0.05f64..2.0,
    ) {
        let mut rng = Pcg64::new(seed.into(), 10);
        let values = clusters(n, d, apart, &mut rng);
        // Weights of one sign: nothing that is lost can cancel.
        let weights: Vec<f64> = (0..n).map(|_| uniform(&mut rng)).collect();
        let sources = Points::new(d, &values).unwrap();
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
    let sources = Points::new(3, &values).unwrap();
    let own = Queries::Sources {
        leave_one_out: false,
    };
    for gamma in [0.3, 0.8, 3.0] {
        let kernels = [Kernel::Gaussian { gamma }, Kernel::Laplacian { gamma }];
        for kernel in kernels {
            let found = sums_by(
                Engine::Blocks,
                own,
                sources,
                &weights,
                1,
                &[kernel],
                false,
                Part::WHOLE,
            );
            let expected = pairwise::sums(&own, sources, &weights, 1, kernel, false, Part::WHOLE);
            for q in 0..1000 {
                assert!((found[0].mass[q] / expected.mass[q] - 1.0).abs() < 1e-9);
                assert!((found[0].mean[q] - expected.mean[q]).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn the_engine_is_named() {
    let chosen = |n: usize, d: usize, kernel: Kernel| {
        let values = vec![0.0; n * d];
        let own = Queries::Sources {
            leave_one_out: false,
        };
        engine(&own, Points::new(d, &values).unwrap(), kernel)
    };
    let laplacian = Kernel::Laplacian { gamma: 1.0 };
    let gaussian = Kernel::Gaussian { gamma: 1.0 };
    assert_eq!(chosen(10, 2, laplacian), Engine::Pairs);
    assert_eq!(chosen(5000, 2, laplacian), Engine::Exact);
    assert_eq!(chosen(1000, 4, laplacian), Engine::Blocks);
    assert_eq!(chosen(1000, 1, gaussian), Engine::Blocks);
    assert_eq!(chosen(1000, 1, Kernel::Group), Engine::Cells);
    // Coordinates that no scaled distance can hold are answered pair by pair.
    let values: Vec<f64> = (0..400).map(|i| f64::from(i) * 1e150).collect();
    let points = Points::new(4, &values).unwrap();
    let kernel = Kernel::Laplacian { gamma: 1e-300 };
    let own = Queries::Sources {
        leave_one_out: true,
    };
    let found = sums(own, points, &[0.5; 100], 1, kernel, true, Part::WHOLE).unwrap();
    assert_eq!(found.engine, Engine::Pairs);
    assert!(found.mean.iter().all(|m| *m == 0.5));
}
