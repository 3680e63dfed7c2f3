//! The smooth calibration error with its replicates: 1,000 reweighted samples and 1,000 of redrawn outcomes, milliseconds
//! in all on one core; and once over many rows.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Instant;

use localcal::metric::smooth_ece::{smooth_ece, smooth_ece_of};
use localcal::num::reflected_kernel::{ReflectedKernel, Spread};
use localcal::num::rng::{Lanes, bernoulli_threshold};

/// Scores and outcomes drawn from them; `power` above 1 gathers scores at 0.
fn drawn(n: usize, power: i32) -> (Vec<f64>, Vec<u8>) {
    let mut lanes = Lanes::seeded(1, 2);
    let uniform = std::iter::repeat_with(|| lanes.uniform()).flatten();
    let s: Vec<f64> = uniform.take(n).map(|u| u.powi(power)).collect();
    let t = redrawn(&s, 3);
    (s, t)
}

fn redrawn(s: &[f64], stream: u64) -> Vec<u8> {
    let thresholds: Vec<i32> = s.iter().map(|&s| bernoulli_threshold(s)).collect();
    let mut t = vec![0; s.len()];
    Lanes::seeded(1, stream).fill_bernoulli(&thresholds, &mut t);
    t
}

fn replicates(s: &[f64], t: &[u8]) -> f64 {
    let kernel = ReflectedKernel::new(s);
    let ones = Spread::new(vec![1.0; s.len()]);
    let errors = |t: &[u8], w: &[f64]| {
        let rows = s.iter().zip(t).zip(w);
        Spread::new(rows.map(|((s, t), w)| w * (s - f64::from(*t))).collect())
    };
    let (mut counts, mut sum) = (vec![0u8; s.len()], 0.0);
    for r in 0..1000 {
        Lanes::seeded(5, r).fill_poisson(&mut counts);
        let masses = Spread::new(counts.iter().map(|&c| f64::from(c)).collect());
        sum += smooth_ece_of(&kernel, &errors(t, masses.values()), &masses).value;
        sum += smooth_ece_of(&kernel, &errors(&redrawn(s, r + 9), ones.values()), &ones).value;
    }
    sum
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let timed = |name: &str, of: &dyn Fn() -> f64| {
        if !asked.is_empty() && !asked.iter().any(|part| name.contains(part.as_str())) {
            return;
        }
        let start = Instant::now();
        black_box(of());
        println!("| {name} | {:.1} |", 1e3 * start.elapsed().as_secs_f64());
    };
    println!("| what | ms |\n|---|---:|");
    for (n, power) in [(20, 1), (500, 1), (500, 6), (500, 40), (4_000, 1), (20_000, 1)] {
        let (s, t) = drawn(n, power);
        timed(&format!("{n} rows, u^{power}, 2,000 replicates"), &|| replicates(&s, &t));
    }
    // Nobody is wrong: the smallest widths there are.
    let s: Vec<f64> = (0..500).map(|i| f64::from(i % 2)).collect();
    let t: Vec<u8> = s.iter().map(|&s| s as u8).collect();
    timed("500 rows of 0 and 1, all right, 2,000 replicates", &|| replicates(&s, &t));
    let (s, t) = drawn(1_000_000, 1);
    timed("1,000,000 rows once", &|| smooth_ece(&s, &t).map_or(0.0, |found| found.value));
}
