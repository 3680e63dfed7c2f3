#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

mod blocks;

fn uniform(rng: &mut Pcg64) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Adversarial layouts: what the recursion could trip over.
fn layout(kind: usize, n: usize, d: usize, width: f64, rng: &mut Pcg64) -> Vec<f64> {
    let mut values: Vec<f64> = (0..n * d).map(|_| uniform(rng) * width).collect();
    match kind {
        0 => {}
        1 => values.iter_mut().for_each(|v| *v = (*v / width * 6.0).floor() * width / 6.0),
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

fn close(found: &KernelSums, expected: &KernelSums, spread: f64) -> std::result::Result<(), String> {
    for q in 0..expected.mass.len() {
        let (m, e) = (found.log_mass[q], expected.log_mass[q]);
        if e > -690.0 && ((m - e).exp() - 1.0).abs() > 1e-9 || (m - e).abs() > 1e-9 * e.abs().max(1.0) {
            return Err(format!("log mass of {q}: {m} against {e}"));
        }
        for c in 0..found.k {
            let (m, e) = (found.mean[q * found.k + c], expected.mean[q * found.k + c]);
            if (m - e).abs() > spread || m.is_nan() != e.is_nan() {
                return Err(format!("mean {c} of {q}: {m} against {e}, log mass {}", expected.log_mass[q]));
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
        let sources = Points::row_major(d, &values).unwrap();
        let others: Vec<f64> = layout(kind, m, d, width, &mut rng).iter().map(|v| v + shift * gamma).collect();
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::row_major(d, &others).unwrap()),
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
        let sources = Points::row_major(d, &values).unwrap();
        let others: Vec<f64> = layout(0, 50, d, 1200.0, &mut rng).iter().map(|v| v + distance).collect();
        let queries = Queries::At(Points::row_major(d, &others).unwrap());
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
        let sources = Points::row_major(d, &values).unwrap();
        let others = layout(kind, 60, d, width, &mut rng);
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::row_major(d, &others).unwrap()),
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
        let sources = Points::row_major(d, &values).unwrap();
        let queries = match mode {
            0 => Queries::Sources { leave_one_out: false },
            1 => Queries::Sources { leave_one_out: true },
            _ => Queries::At(Points::row_major(d, &others).unwrap()),
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
        let sources = Points::row_major(d, &values).unwrap();
        for gamma in [0.02, 0.4, 25.0] {
            let queries = Queries::Sources { leave_one_out: true };
            let found = exact(&queries, sources, &weights, 1, gamma);
            let kernel = Kernel::Laplacian { gamma };
            let expected = pairwise::sums(&queries, sources, &weights, 1, kernel, true, Part::WHOLE);
            close(&found, &expected, 1e-11).unwrap();
        }
    }
}

#[test]
fn shapes_and_bandwidths_are_checked() {
    let points = Points::row_major(2, &[0.0, 1.0, 2.0, 3.0]).unwrap();
    let own = Queries::Sources { leave_one_out: false };
    for gamma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let kernel = Kernel::Laplacian { gamma };
        let error = sums(own, points, &[1.0, 1.0], 1, kernel, false, Part::WHOLE).unwrap_err();
        assert_eq!(error.code(), "invalid_option");
    }
    let error = sums(own, points, &[1.0], 1, Kernel::Constant, false, Part::WHOLE).unwrap_err();
    assert_eq!(error.code(), "length_mismatch");
    let one = Points::row_major(1, &[0.0]).unwrap();
    assert!(sums(Queries::At(one), points, &[1.0, 1.0], 1, Kernel::Constant, false, Part::WHOLE).is_err());
    assert_eq!(Points::row_major(2, &[1.0]).unwrap_err().code(), "length_mismatch");
    assert_eq!(Points::row_major(1, &[1.0, f64::NAN]).unwrap_err().code(), "not_a_number");
}

#[test]
fn the_engine_is_named() {
    let chosen = |n: usize, d: usize, kernel: Kernel| {
        let values = vec![0.0; n * d];
        let own = Queries::Sources { leave_one_out: false };
        engine(&own, Points::row_major(d, &values).unwrap(), kernel)
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
    let points = Points::row_major(4, &values).unwrap();
    let kernel = Kernel::Laplacian { gamma: 1e-300 };
    let own = Queries::Sources { leave_one_out: true };
    let found = sums(own, points, &[0.5; 100], 1, kernel, true, Part::WHOLE).unwrap();
    assert_eq!(found.engine, Engine::Pairs);
    assert!(found.mean.iter().all(|m| *m == 0.5));
}
