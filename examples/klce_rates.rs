//! How often the KLCE test is wrong: type-I and type-II rates by simulation, beside the published ones.
//!
//! ```text
//! cargo run --release --example klce_rates -- --replicates 200
//! ```
//! Type I: x ~ N(0, 1), p = σ(−1 + x/2), y ~ Bern(p), kernel on p only. Type II: x ~ N(0, I_d), y ~ Bern(σ(Σ x)), the
//! audited model leaves the last coordinate out. Null `permute`, 1,000 permutations, level 5 %. Source: Vashistha and Farahi
//! (2025), section 5. Each rate stands beside the published one with the 99 % interval of a binomial share around that.

use std::process::ExitCode;

use localcal::hypothesis::{KlceKernel, KlceSample, KlceWork, Null};
use localcal::kernel::Points;
use localcal::num::rng::Lanes;
use localcal::num::special::sigmoid;
use statrs::distribution::{Binomial, DiscreteCDF};

const PERMUTATIONS: usize = 1000;
/// Type-II rates by d, for N = 1,000, 500 and 100.
const DIMENSIONS: [usize; 5] = [10, 20, 30, 40, 50];
const MISSED: [(usize, [f64; 5]); 3] = [
    (1000, [0.0, 0.001, 0.012, 0.051, 0.150]),
    (500, [0.006, 0.069, 0.242, 0.426, 0.534]),
    (100, [0.595, 0.770, 0.851, 0.877, 0.896]),
];

fn main() -> ExitCode {
    let Some(replicates) = replicates() else {
        eprintln!("usage: klce_rates [--replicates N]");
        return ExitCode::FAILURE;
    };
    println!("{replicates} replicates each; published: mean over widths 0.0488 to 0.0508 (4,000 replicates)");
    println!("type I, N = 50");
    for step in 0..11 {
        let width = 0.01 + 0.098 * f64::from(step);
        let rejected = count(replicates, |seed| Some(p_of(&calibrated(50, width, seed)?, seed)? <= 0.05));
        line(&format!("  w_p = {width:.3}"), rejected, replicates, 0.05);
    }
    println!("type I, w_p = 0.2");
    for n in (20..=100).step_by(20) {
        let rejected = count(replicates, |seed| Some(p_of(&calibrated(n, 0.2, seed)?, seed)? <= 0.05));
        line(&format!("  N = {n}"), rejected, replicates, 0.05);
    }
    println!("type II");
    for (n, rates) in MISSED {
        for (d, published) in DIMENSIONS.into_iter().zip(rates) {
            let missed = count(replicates, |seed| Some(p_of(&incomplete(n, d, seed)?, seed)? > 0.05));
            line(&format!("  N = {n}, d = {d}"), missed, replicates, published);
        }
    }
    ExitCode::SUCCESS
}

fn replicates() -> Option<u64> {
    let mut words = std::env::args().skip(1);
    match (words.next().as_deref(), words.next()) {
        (None, _) => Some(200),
        (Some("--replicates"), Some(count)) => count.parse().ok().filter(|count| *count > 0),
        _ => None,
    }
}

/// How many seeds answer yes.
fn count(replicates: u64, yes: impl Fn(u64) -> Option<bool>) -> u64 {
    (0..replicates).filter(|seed| yes(*seed) == Some(true)).count() as u64
}

/// The rate, the published one, and whether a share of so many replicates would fall so near it 99 times of 100.
fn line(name: &str, found: u64, replicates: u64, published: f64) {
    let rate = found as f64 / replicates as f64;
    // A published 0 is at most a few in a thousand.
    let Ok(binomial) = Binomial::new(published.max(5e-4), replicates) else {
        return;
    };
    let (low, high) = (binomial.inverse_cdf(0.005), binomial.inverse_cdf(0.995));
    let inside = if (low..=high).contains(&found) { "inside" } else { "OUTSIDE" };
    let ends = [low, high].map(|end| end as f64 / replicates as f64);
    println!("{name}: {rate:.3}, published {published:.3}, {inside} {:.3}-{:.3}", ends[0], ends[1]);
}

fn p_of(sample: &KlceSample, seed: u64) -> Option<f64> {
    let kernel = KlceKernel::usual(1);
    let work = KlceWork::new(sample.clone(), kernel, &[Null::Permute], PERMUTATIONS, seed);
    work.run().under(Null::Permute)?.p
}

fn normals(lanes: &mut Lanes, count: usize) -> Vec<f64> {
    std::iter::repeat_with(|| lanes.normal()).flatten().take(count).collect()
}

fn outcomes(lanes: &mut Lanes, p: &[f64]) -> Vec<u8> {
    let u = std::iter::repeat_with(|| lanes.uniform()).flatten();
    p.iter().zip(u).map(|(p, u)| u8::from(u < *p)).collect()
}

fn calibrated(n: usize, width_p: f64, seed: u64) -> Option<KlceSample> {
    let mut lanes = Lanes::seeded(seed, 1);
    let x = normals(&mut lanes, n);
    let p: Vec<f64> = x.iter().map(|x| sigmoid(0.5 * x - 1.0)).collect();
    let y = outcomes(&mut lanes, &p);
    let kernel = KlceKernel { width_p, gamma: 0.0 };
    KlceSample::pairs(&p, &y, Points::row_major(1, &x).ok()?, kernel).ok()
}

fn incomplete(n: usize, d: usize, seed: u64) -> Option<KlceSample> {
    let mut lanes = Lanes::seeded(seed, 2);
    let x = normals(&mut lanes, n * d);
    let share = |row: &[f64]| sigmoid(row.iter().sum());
    let truth: Vec<f64> = x.chunks_exact(d).map(share).collect();
    let y = outcomes(&mut lanes, &truth);
    let said: Vec<f64> = x.chunks_exact(d).map(|row| share(&row[..d - 1])).collect();
    let kernel = KlceKernel { width_p: 5.0, gamma: 1.0 / 25.0 };
    KlceSample::pairs(&said, &y, Points::row_major(d, &x).ok()?, kernel).ok()
}
