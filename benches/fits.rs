//! Recalibrators on a wide file: 25,000 rows of 1,000 logits in single precision, milliseconds of one fit on one core.
#![allow(missing_docs, clippy::expect_used)]

use std::time::Instant;

use localcal::kernel::Points;
use localcal::proximity::neighbors::{Metric, Search};
use localcal::recalibrate::affine::{self, Penalty, Shape};
use localcal::recalibrate::pts::{self, PtsOptions};
use localcal::recalibrate::temperature::{self, Loss, TemperatureOptions};
use localcal::recalibrate::{ets, mir};
use localcal::table::{Matrix, Reals};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// Labels drawn from softmax(z); the file holds over-confident logits in which classes differ in scale and offset, as
/// those of networks do.
fn logits(n: usize, m: usize) -> (Matrix, Vec<u32>) {
    let mut rng = Pcg64::new(5, 6);
    let mut uniform = move || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let own: Vec<(f64, f64)> = (0..m).map(|_| (1.5 + 0.6 * uniform(), uniform() - 0.5)).collect();
    let mut values = Vec::with_capacity(n * m);
    let mut y = Vec::with_capacity(n);
    let mut z = vec![0.0; m];
    for _ in 0..n {
        for z in &mut z {
            let noise = uniform() + uniform() + uniform() + uniform() - 2.0;
            *z = 1.7 * noise + if uniform() < 2.0 / m as f64 { 7.0 } else { 0.0 };
        }
        z[(uniform() * m as f64) as usize] += 7.0 + 4.0 * uniform();
        let mut left = uniform() * z.iter().map(|z| z.exp()).sum::<f64>();
        let label = z.iter().position(|z| {
            left -= z.exp();
            left <= 0.0
        });
        for (z, (scale, offset)) in z.iter().zip(&own) {
            values.push((scale * z + offset) as f32);
        }
        y.push(label.unwrap_or(0) as u32);
    }
    let matrix = Matrix { width: m, values: Reals::F32(values.into()) };
    (matrix, y)
}

fn timed(name: &str, body: impl FnOnce() -> String) {
    let start = Instant::now();
    let told = body();
    println!("| {name} | {:.1} | {told} |", start.elapsed().as_secs_f64());
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|a| a == name);
    let n = std::env::var("ROWS").ok().and_then(|n| n.parse().ok()).unwrap_or(25_000);
    let m = std::env::var("CLASSES").ok().and_then(|m| m.parse().ok()).unwrap_or(1000);
    let (z, y) = logits(n, m);
    let z = z.to_array();
    println!("{n} × {m} logits\n\n| method | s | loss before → after |\n|---|---:|---|");
    if wanted("temperature") {
        timed("temperature", || {
            let fit = temperature::fit(z.view(), &y, &TemperatureOptions::default()).expect("fits");
            format!("{} → {}", fit.objective_before, fit.objective_after)
        });
    }
    if wanted("ets") {
        timed("ets", || {
            let fit = ets::fit(z.view(), &y, Loss::Mse).expect("fits");
            format!("{} → {}", fit.objective_before, fit.objective_after)
        });
    }
    if wanted("vector") {
        timed("vector", || {
            let fit = affine::fit(z.view(), &y, Shape::Vector, Penalty::None).expect("fits");
            format!("{} → {} {:?}", fit.objective_before, fit.objective_after, fit.warnings)
        });
    }
    if wanted("mir") {
        let t = temperature::Temperature { temperature: 1.0 };
        let p = t.apply(z.view());
        timed("mir", || {
            let fit = mir::fit(p.view(), &y).expect("fits");
            format!("{} → {}", fit.objective_before, fit.objective_after)
        });
    }
    if wanted("pts") {
        timed("pts", || {
            let fit = pts::fit(z.view(), &y, None, &PtsOptions::default(), &mut |_| ()).expect("fits");
            format!("{} → {}", fit.objective_before, fit.objective_after)
        });
    }
    if wanted("ptsk") {
        timed("ptsk", || {
            let mut rng = Pcg64::new(7, 8);
            let x: Vec<f64> = (0..n * 50).map(|_| (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64).collect();
            let x = Points::row_major(50, &x).expect("places");
            let found = Search::new(&x, Metric::Euclidean)
                .and_then(|search| search.nearest(None, 0..x.n(), 5, &mut |_| ()))
                .expect("near");
            let distances = Matrix { width: found.k, values: Reals::F64(found.distance.into()) };
            let near = pts::neighbor_proximities(&distances, 5);
            let options = PtsOptions::with_neighbors();
            let fit = pts::fit(z.view(), &y, Some(near.to_array().view()), &options, &mut |_| ()).expect("fits");
            format!("{} → {}", fit.objective_before, fit.objective_after)
        });
    }
}
