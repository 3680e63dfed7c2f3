//! Is a topic of confidently wrong answers among the worst neighborhoods of the map, and is one declared where there is none?
//! docs/logs.md has what it printed.
//!
//! `cargo run --release -p localcal-numerics --example question_maps -- [logs] [questions] [dimensions]`; with `texts`, how long the
//! lexical dimensions of as many made questions take.

#![allow(clippy::unwrap_used)]

use localcal_numerics::kernel::{Kernel, Points};
use localcal_numerics::local::{LocalSample, Neighborhood, Places, strata};
use localcal_numerics::metric::BinOptions;
use localcal_numerics::num::rng::Lanes;
use localcal_numerics::project::{Pca, median_distance, starting_gamma};
use localcal_numerics::text::{LexicalSpace, WordCounts};
use ndarray::Array2;
use std::time::Instant;

/// Entries of an embedding.
const WIDTH: usize = 384;
/// Topics, of equal size on average.
const TOPICS: usize = 20;
/// Standard deviation of the centers of topics, in units of that within a topic.
const APART: f64 = 0.5;
/// Permutations.
const PERMUTATIONS: usize = 200;
/// Listed in each direction.
const LISTED: usize = 5;

/// Questions with embeddings of Gaussian topics, a confidence, and whether the answer was correct: with the probability that is
/// stated, but in the planted topic with half of it.
struct Questions {
    embedding: Array2<f64>,
    topic: Vec<usize>,
    confidence: Vec<f64>,
    correct: Vec<u8>,
}

fn questions(n: usize, planted: bool, seed: u64) -> Questions {
    let mut lanes = Lanes::seeded(seed, u64::from(planted));
    let mut normals = std::iter::repeat_with(|| lanes.normal()).flatten();
    let centers = Array2::from_shape_simple_fn((TOPICS, WIDTH), || APART * normals.next().unwrap());
    let mut lanes = Lanes::seeded(seed, 2 + u64::from(planted));
    let mut uniform = std::iter::repeat_with(|| lanes.uniform()).flatten();
    let topic: Vec<usize> = (0..n).map(|_| (uniform.next().unwrap() * TOPICS as f64) as usize).collect();
    // stated confidences are a dozen values
    let confidence: Vec<f64> = (0..n).map(|_| 0.6 + 0.05 * (uniform.next().unwrap() * 8.0).floor()).collect();
    let right = |(topic, confidence): (&usize, &f64)| {
        let p = if planted && *topic == 0 { confidence / 2.0 } else { *confidence };
        u8::from(uniform.next().unwrap() < p)
    };
    let correct = topic.iter().zip(&confidence).map(right).collect();
    let mut embedding = Array2::from_shape_simple_fn((n, WIDTH), || normals.next().unwrap());
    for (mut row, topic) in embedding.rows_mut().into_iter().zip(&topic) {
        row += &centers.row(*topic);
    }
    Questions { embedding, topic, confidence, correct }
}

/// Whether a neighborhood is declared (p ≤ 0.05), and whether one of the worst overestimated ones consists of the planted topic
/// by half at least and is declared.
fn map(of: &Questions, dimensions: usize) -> (bool, bool) {
    let fit = Pca::fit(&of.embedding, dimensions, 0, &mut |_| ()).unwrap();
    let places = fit.transform(&of.embedding, &mut |_| ()).unwrap();
    let points = Points::new(places.view()).unwrap();
    let bins = BinOptions::default().binning(&of.confidence).unwrap().assignment;
    let gamma = starting_gamma(median_distance(&points, 0));
    let sample = LocalSample::new(&of.confidence, &of.correct, &bins, points).unwrap();
    let most = if dimensions <= 3 { 4_096 } else { 1_024 };
    let looked = Places::look(&sample, strata(&bins), Kernel::Laplacian { gamma }, most).unwrap();
    let found = looked.worst(&looked.maxima(0, 0..PERMUTATIONS).unwrap(), LISTED);
    let declared = |one: &Neighborhood| one.p <= 0.05;
    let of_topic = |rows: &[u32]| rows.iter().filter(|row| of.topic[**row as usize] == 0).count() * 2 >= rows.len();
    let planted = found.iter().any(|one| declared(one) && looked.slce[one.place] > 0.0 && of_topic(&one.heart));
    (found.iter().any(declared), planted)
}

/// Questions of 24 words on average, of a vocabulary in which frequencies fall as ranks rise.
fn texts(n: usize) -> Vec<String> {
    let mut lanes = Lanes::seeded(5, 0);
    let mut uniform = std::iter::repeat_with(|| lanes.uniform()).flatten();
    let word = |u: f64| format!("w{}", (20_000.0_f64.powf(u) - 1.0) as u32 * 7 + 10);
    let mut one = || {
        let words = 8 + (uniform.next().unwrap() * 33.0) as usize;
        (0..words).map(|_| word(uniform.next().unwrap())).collect::<Vec<_>>().join(" ")
    };
    (0..n).map(|_| one()).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: usize| arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(usual);
    if arguments.first().is_some_and(|first| first == "texts") {
        let made = texts(number(1, 15_000));
        let texts: Vec<&str> = made.iter().map(String::as_str).collect();
        let begin = Instant::now();
        let space = LexicalSpace::fit(&texts, 0).unwrap();
        let fitted = begin.elapsed();
        let placed: f64 = texts.iter().map(|text| space.place(text).iter().sum::<f64>()).sum();
        let (whole, begin) = (begin.elapsed(), Instant::now());
        let inside: Vec<bool> = (0..texts.len()).map(|i| i % 50 == 0).collect();
        let words = WordCounts::of(texts.iter().copied()).distinctive(&inside, 10).len();
        println!(
            "{} questions, {} terms: fitted in {:.2?}, with places {whole:.2?}; words of a region {:.2?} ({placed:.1}, {words})",
            texts.len(),
            space.terms,
            fitted,
            begin.elapsed()
        );
        return;
    }
    let (logs, n, dimensions) = (number(0, 100), number(1, 3_000), number(2, 10));
    let (mut declared, mut planted) = (0, 0);
    let begin = Instant::now();
    for seed in 0..logs as u64 {
        declared += usize::from(map(&questions(n, false, seed), dimensions).0);
        planted += usize::from(map(&questions(n, true, seed), dimensions).1);
    }
    println!(
        "{n} questions, {dimensions} components: planted topic among the worst in {planted} of {logs}; none declared in {} of {logs} \
         without one ({:.1?} a log)",
        logs - declared,
        begin.elapsed() / (2 * logs as u32).max(1)
    );
}
