//! Each engine where it can answer: measured against the expected milliseconds of `kernel::cost`, the engine that was
//! chosen and the one that would have been fastest. Then bandwidths one by one against all in one pass.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Instant;

use localcal::kernel::{Engine, Kernel, Part, Points, Queries, cost, engine, sums_at, sums_by};
use localcal_benches::uniform;

fn drawn(n: usize, width: f64) -> Vec<f64> {
    uniform().take(n).map(|u| u * width).collect()
}

/// Least of a few runs, in milliseconds.
fn least(mut body: impl FnMut()) -> f64 {
    let (mut best, mut spent, mut runs) = (f64::INFINITY, 0.0, 0);
    while runs < 3 || (spent < 100.0 && runs < 200) {
        let start = Instant::now();
        body();
        let took = start.elapsed().as_secs_f64() * 1e3;
        best = best.min(took);
        spent += took;
        runs += 1;
        if spent > 3000.0 {
            break;
        }
    }
    best
}

const ENGINES: [(Engine, &str); 3] = [(Engine::Exact, "exact"), (Engine::Blocks, "blocks"), (Engine::Pairs, "pairs")];

fn main() {
    println!("engine: measured ms (expected ms); * fastest, > chosen\n");
    println!("| queries | sources | d | kernel | exact | blocks | pairs |");
    println!("|---:|---:|---:|---|---:|---:|---:|");
    let own = Queries::Sources { leave_one_out: false };
    let laplacian = Kernel::Laplacian { gamma: 0.4 };
    let gaussian = Kernel::Gaussian { gamma: 0.4 };
    for (d, kernel) in [(1, laplacian), (2, laplacian), (3, laplacian), (2, gaussian), (5, laplacian), (50, laplacian)]
    {
        for (q, n) in [
            (0, 20),
            (0, 60),
            (0, 200),
            (0, 500),
            (0, 1_000),
            (0, 3_000),
            (0, 10_000),
            (0, 30_000),
            (10, 30_000),
            (1_000, 30_000),
        ] {
            if n >= 30_000 && q == 0 && (d > 3 || kernel == gaussian) {
                continue;
            }
            let (values, weights) = (drawn(n * d, 1.0), drawn(n, 1.0));
            let places = drawn(q * d, 1.0);
            let (Ok(sources), Ok(at)) = (Points::row_major(d, &values), Points::row_major(d, &places)) else {
                continue;
            };
            let queries = if q == 0 { own } else { Queries::At(at) };
            let asked = if q == 0 { n } else { q };
            let chosen = engine(&queries, sources, kernel);
            let took = ENGINES.map(|(one, _)| {
                let expected = cost(one, kernel, asked, n, d, q == 0);
                let slow = one == Engine::Pairs && asked * n > 20_000_000;
                if !expected.is_finite() || slow {
                    return (f64::NAN, expected);
                }
                let run = || {
                    black_box(sums_by(one, queries, sources, &weights, 1, &[kernel], true, Part::WHOLE));
                };
                (least(run), expected)
            });
            let best = took.iter().map(|t| t.0).fold(f64::INFINITY, f64::min);
            let cell = |i: usize| {
                let (measured, expected) = took[i];
                if measured.is_nan() {
                    return String::new();
                }
                format!(
                    "{}{}{measured:.3} ({expected:.3})",
                    if ENGINES[i].0 == chosen { ">" } else { "" },
                    if measured == best { "*" } else { "" }
                )
            };
            let name = if kernel == gaussian { "gaussian" } else { "laplacian" };
            println!("| {asked} | {n} | {d} | {name} | {} | {} | {} |", cell(0), cell(1), cell(2));
        }
    }

    println!("\n25 bandwidths from 0.01 to 100, in units of the median distance\n");
    println!("| rows | d | one by one | one pass |\n|---:|---:|---:|---:|");
    for (n, d) in [(25_000, 2), (25_000, 3), (5_000, 50)] {
        let (values, weights) = (drawn(n * d, 3.0), drawn(n, 1.0));
        let kernels: Vec<Kernel> =
            (0..25).map(|i| Kernel::Laplacian { gamma: 0.01 * 10f64.powf(f64::from(i) / 6.0) }).collect();
        let Ok(sources) = Points::row_major(d, &values) else {
            continue;
        };
        let pass =
            |kernels: &[Kernel]| black_box(sums_at(own, sources, &weights, 1, kernels, false, Part::WHOLE)).is_ok();
        let apart = least(|| kernels.iter().for_each(|k| assert!(pass(&[*k]))));
        let together = least(|| assert!(pass(&kernels)));
        println!("| {n} | {d} | {apart:.0} ms | {together:.0} ms |");
    }
}
