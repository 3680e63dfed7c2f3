//! Kernel sums at the sizes of the budgets: one bandwidth, all rows in one bin, effective neighbors included.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use localcal::kernel::{Kernel, Part, Points, Queries, sums};
use localcal_benches::uniform;

fn drawn(n: usize, width: f64) -> Vec<f64> {
    uniform().take(n).map(|u| u * width).collect()
}

fn kernel_sums(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernel_sums");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for (n, d, gamma, n_eff) in [
        (25_000, 2, 0.4, false),
        (50_000, 2, 0.4, false),
        (50_000, 2, 0.4, true),
        (1_000_000, 2, 0.4, false),
        (1_000_000, 2, 0.4, true),
        (25_000, 3, 0.2, false),
        (25_000, 3, 0.2, true),
        (25_000, 50, 0.4, false),
    ] {
        let width = if d > 3 { 1.0 } else { 100.0 };
        let values = drawn(n * d, width);
        let weights = drawn(n, 1.0);
        let name = format!("{n} x {d}{}", if n_eff { ", n_eff" } else { "" });
        group.bench_function(name, |bench| {
            bench.iter(|| {
                let own = Queries::Sources { leave_one_out: false };
                let places = Points::row_major(d, black_box(&values));
                places
                    .and_then(|places| sums(own, places, &weights, 1, Kernel::Laplacian { gamma }, n_eff, Part::WHOLE))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, kernel_sums);
criterion_main!(benches);
