//! What proximity costs: the search for near rows at the sizes of the budgets, and fitting and applying each method
//! of it, per 1,000 rows. With `-- --whole` it searches for every row in 2,048 dimensions too, instead of a tenth of them.
#![allow(missing_docs, clippy::expect_used)]

use std::hint::black_box;
use std::time::Instant;

use localcal::kernel::Points;
use localcal::metric::bias_index::{Replacement, bias_index, matched_pairs};
use localcal::metric::binning::BinOptions;
use localcal::metric::piece::piece;
use localcal::num::Rows;
use localcal::proximity::measure::log_proximities;
use localcal::proximity::{Form, Metric, Search};
use localcal::recalibrate::histogram::{self, EmptyBin};
use localcal::recalibrate::isotonic::{self, Interpolation};
use localcal::recalibrate::{bin_mean_shift, density_ratio};
use localcal_benches::uniform;

/// Rows in single precision, as a file of embeddings holds them.
struct Embeddings {
    d: usize,
    values: Vec<f32>,
}

impl Rows for Embeddings {
    fn n(&self) -> usize {
        self.values.len() / self.d
    }
    fn d(&self) -> usize {
        self.d
    }
    fn read(&self, i: usize, row: &mut [f64]) {
        let values = &self.values[i * self.d..(i + 1) * self.d];
        row.iter_mut().zip(values).for_each(|(to, from)| *to = f64::from(*from));
    }
}

/// Seconds.
fn timed<T>(body: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let found = body();
    (start.elapsed().as_secs_f64(), found)
}

fn main() {
    let whole = std::env::args().any(|argument| argument == "--whole");
    println!("ten nearest rows, one thread\n");
    println!("| rows | searched for | coordinates | laying out, s | searching, s |");
    println!("|---:|---:|---:|---:|---:|");
    for (n, d, queries) in
        [(25_000, 2, 25_000), (25_000, 50, 25_000), (25_000, 2_048, if whole { 25_000 } else { 2_500 })]
    {
        let rows = Embeddings { d, values: uniform().take(n * d).map(|v| v as f32).collect() };
        let (laid, search) = timed(|| Search::new(&rows, Metric::Euclidean).expect("rows"));
        let (searched, found) = timed(|| search.nearest(None, 0..queries, 10, &mut |_| ()).expect("rows"));
        black_box(found);
        println!("| {n} | {queries} | {d} | {laid:.2} | {searched:.2} |");
    }

    println!("\nfitted on n rows, applied to n others; milliseconds per 1,000 rows, one thread\n");
    println!("| n | method | fit | apply |");
    println!("|---:|---|---:|---:|");
    for n in [2_500, 25_000] {
        let values: Vec<f64> = uniform().take(6 * n).collect();
        let points = Points::row_major(2, &values[..2 * n]).expect("rows");
        let search = Search::new(&points, Metric::Euclidean).expect("rows");
        let found = search.nearest(None, 0..n, 10, &mut |_| ()).expect("rows");
        let ln_d = log_proximities(Form::Paper, Metric::Euclidean, &found, n);
        let d: Vec<f64> = ln_d.iter().map(|v| v.exp()).collect();
        let s: Vec<f64> = values[2 * n..3 * n].iter().map(|v| 0.5 + v / 2.0).collect();
        let t: Vec<u8> = s.iter().zip(&values[3 * n..]).map(|(s, u)| u8::from(u < s)).collect();
        let per = 1e6 / n as f64;
        let say = |name: &str, fit: f64, apply: f64| {
            println!("| {n} | {name} | {:.3} | {:.3} |", fit * per, apply * per);
        };
        let options = density_ratio::DensityRatioOptions::default();
        let (fit, found) = timed(|| density_ratio::fit(&s, &d, &t, options).expect("rows"));
        let densities = found.parameters.1.expect("two outcomes");
        let (apply, _) = timed(|| black_box(densities.apply(&s, &d, &mut |_| ())));
        say("density ratio", fit, apply);
        let options = bin_mean_shift::BinMeanShiftOptions::default();
        let (fit, found) = timed(|| bin_mean_shift::fit(&s, &t, &ln_d, &options).expect("rows"));
        let (apply, _) = timed(|| black_box(found.parameters.apply(&s, &ln_d)));
        say("bin mean shift", fit, apply);
        let (fit, found) = timed(|| isotonic::fit(&s, &t, Interpolation::Linear).expect("rows"));
        let (apply, _) = timed(|| black_box(found.parameters.apply(&s)));
        say("isotonic", fit, apply);
        let bins = BinOptions::equal_width(10);
        let (fit, found) = timed(|| histogram::fit(&s, &t, &bins, EmptyBin::Keep).expect("rows"));
        let (apply, _) = timed(|| black_box(found.parameters.apply(&s)));
        say("histogram", fit, apply);
        let (measured, _) = timed(|| black_box(piece(&s, &t, &ln_d, Form::Paper)));
        say("PIECE (no fit)", 0.0, measured);
        let (measured, _) = timed(|| {
            let pairs = matched_pairs(&s, &ln_d, Replacement::With, 0).expect("rows");
            black_box(bias_index(&pairs, &s, &t))
        });
        say("bias index (no fit)", 0.0, measured);
    }
}
