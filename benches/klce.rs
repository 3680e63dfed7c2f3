//! The KLCE test at the sizes of its budgets: 1,000 draws, three normal coordinates, one thread.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use localcal::hypothesis::{KlceKernel, KlceSample, KlceWork, Null};
use localcal::kernel::Points;
use localcal::num::rng::Lanes;

fn drawn(n: usize, kernel: KlceKernel) -> Option<KlceSample> {
    let mut lanes = Lanes::seeded(1, 2);
    let x: Vec<f64> = std::iter::repeat_with(|| lanes.normal()).flatten().take(3 * n).collect();
    let u: Vec<f64> = std::iter::repeat_with(|| lanes.uniform()).flatten().take(2 * n).collect();
    let p: Vec<f64> = (0..n).map(|i| u[2 * i]).collect();
    let y: Vec<u8> = (0..n).map(|i| u8::from(u[2 * i + 1] < p[i])).collect();
    KlceSample::pairs(&p, &y, Points::row_major(3, &x).ok()?, kernel).ok()
}

fn klce_test(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("klce");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for (n, gamma, null) in [
        (1_000, 0.5, Null::Bernoulli),
        (3_000, 0.5, Null::Bernoulli),
        (10_000, 0.5, Null::Bernoulli),
        (10_000, 25.0, Null::Bernoulli),
        (50_000, 0.5, Null::Bernoulli),
        (50_000, 25.0, Null::Bernoulli),
        (50_000, 0.05, Null::Bernoulli),
        (3_000, 0.5, Null::PermuteCentred),
        (10_000, 0.5, Null::PermuteCentred),
        (10_000, 0.05, Null::PermuteCentred),
    ] {
        let kernel = KlceKernel { width_p: 0.1, gamma };
        let sample = drawn(n, kernel);
        group.bench_function(format!("{n}, gamma {gamma}, {null:?}"), |bench| {
            bench.iter(|| {
                let sample = black_box(&sample).clone();
                sample.map(|sample| KlceWork::new(sample, kernel, &[null], 1000, 0).run())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, klce_test);
criterion_main!(benches);
