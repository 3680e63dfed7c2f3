//! The studies of Vashistha and Farahi (2025) that need no random forest, repeated on the public files.
//!
//! Reads AHS_2019_Cleaned.csv and heart.csv from the folder named by `LOCALCAL_DATA`; an argument sets the repeats of the first
//! two studies (500 and 200). Divisions are drawn by this crate's generator, so numbers agree with the published ones in
//! distribution, not digit by digit.

#![allow(clippy::unwrap_used)]

use localcal::hypothesis::inference::Task;
use localcal::hypothesis::witness::{SCALED, WitnessForm, WitnessKernel};
use localcal::kernel::{Part, Points, Queries, sums};
use localcal::metric::binning::BinOptions;
use localcal::metric::ece::{ece, ece_unweighted};
use localcal::metric::reliability::reliability_table;
use localcal::num::logistic::logistic;
use localcal::num::moments::mean_and_sd;
use localcal::num::order::ascending;
use localcal::num::rng::Lanes;
use localcal::num::special::sigmoid;

#[path = "../tests/support/public.rs"]
mod public;

/// A CSV file's text, if it is there.
fn text_of(name: &str) -> Option<String> {
    String::from_utf8(public::public(name)?).ok()
}

/// The numbers 0..n in a seeded order.
fn shuffled(n: usize, seed: u64) -> Vec<u32> {
    let mut lanes = Lanes::seeded(seed, 0);
    let keys: Vec<f64> = (0..n.div_ceil(4)).flat_map(|_| lanes.uniform()).collect();
    ascending(&keys[..n])
}

fn pick<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|&row| values[row as usize]).collect()
}

/// P(y = 1) of `new` rows by a logistic regression on `fit` rows.
fn predicted(columns: &[&[f64]], y: &[u8], fit: &[u32], new: &[u32]) -> Option<Vec<f64>> {
    let own: Vec<Vec<f64>> = columns.iter().map(|column| pick(column, fit)).collect();
    let own: Vec<&[f64]> = own.iter().map(Vec::as_slice).collect();
    let b = logistic(&own, None, &pick(y, fit))?.coefficients;
    let at = |&row: &u32| {
        let of = columns.iter().zip(&b[1..]);
        sigmoid(b[0] + of.map(|(x, b)| x[row as usize] * b).sum::<f64>())
    };
    Some(new.iter().map(at).collect())
}

fn told(name: &str, values: &[f64], published: &str) {
    let (mean, sd) = mean_and_sd(values);
    println!("  {name}: {mean:.4} (sd {sd:.4} over {} divisions); published: {published}", values.len());
}

/// Motivations 1 and 2: the age of home owners, and the gap in home ownership.
fn housing(repeats: Option<usize>) {
    let Some(text) = text_of("AHS_2019_Cleaned.csv") else {
        return;
    };
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').skip(1).collect();
    let mut table = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, cell) in table.iter_mut().zip(line.split(',').skip(1)) {
            column.push(cell.parse::<f64>().unwrap());
        }
    }
    let of = |name: &str| table[names.iter().position(|n| *n == name).unwrap()].as_slice();
    let y: Vec<u8> = of("OWNER").iter().map(|&y| y as u8).collect();
    let n = y.len();

    let others = names.iter().filter(|name| !["OWNER", "HHAGE"].contains(name));
    let without_age: Vec<&[f64]> = others.map(|name| of(name)).collect();
    let with_age = ["HHAGE", "METRO", "NUMPEOPLE", "DIVISION", "BLACK"].map(of);
    let truth = Task::Mean(of("HHAGE").to_vec()).of(of("OWNER"), &y, &[]);
    println!("Motivation 1, mean age of home owners; truth {:.6}", truth.unwrap().0);
    let repeats_1 = repeats.unwrap_or(500);
    for (name, columns, published) in [
        ("M1, nine covariates, no age", without_age.as_slice(), "too low, off the truth"),
        ("M2, five covariates, age among them", with_age.as_slice(), "at the truth"),
    ] {
        let mut found = Vec::new();
        for seed in 0..repeats_1 as u64 {
            let order = shuffled(n, seed);
            let (fit, test) = order.split_at(n / 2);
            if let Some(p) = predicted(columns, &y, fit, test) {
                let task = Task::Mean(pick(of("HHAGE"), test));
                found.extend(task.of(&p, &pick(&y, test), &[]).map(|f| f.1));
            }
        }
        told(name, &found, published);
    }

    let side: Vec<u8> = of("BLACK").iter().map(|&b| b as u8).collect();
    let truth = Task::Gap(side.clone()).of(of("OWNER"), &y, &[]).unwrap().0;
    println!("Motivation 2, ownership gap; truth {truth:.6}");
    let named = names.iter().filter(|name| **name != "OWNER");
    let all: Vec<&[f64]> = named.clone().map(|name| of(name)).collect();
    let blind: Vec<&[f64]> = named.filter(|name| **name != "BLACK").map(|name| of(name)).collect();
    for (name, columns, published) in [
        ("logistic regression without BLACK", &blind, "smaller than the truth"),
        ("logistic regression with BLACK", &all, "−0.2441 on one division (seed 42)"),
    ] {
        let mut found = Vec::new();
        for seed in 0..repeats.unwrap_or(200) as u64 {
            let order = shuffled(n, seed);
            let (fit, test) = order.split_at(n * 7 / 10);
            if let Some(p) = predicted(columns, &y, fit, test) {
                let task = Task::Gap(pick(&side, test));
                found.extend(task.of(&p, &pick(&y, test), &[]).map(|f| f.1));
            }
        }
        told(name, &found, published);
    }
}

/// What is added to the cross-entropy of a batch.
#[derive(Clone, Copy, PartialEq)]
enum Penalty {
    Nothing,
    Mmce,
    Mmd,
}

/// Derivative of the weighted MMCE in the published, doubly normalized form by each p; pairs are (confidence, correct).
fn mmce_slope(p: &[f64], y: &[u8]) -> Vec<f64> {
    const SCALE: f64 = 0.4;
    let top = |i: usize| {
        let says = p[i] > 0.5;
        let c = if says { p[i] } else { 1.0 - p[i] };
        (c, says == (y[i] == 1), if says { 1.0 } else { -1.0 })
    };
    let each: Vec<(f64, bool, f64)> = (0..p.len()).map(top).collect();
    let right = each.iter().filter(|e| e.1).count() as f64;
    let wrong = each.len() as f64 - right;
    if right == 0.0 || wrong == 0.0 {
        return vec![0.0; p.len()];
    }
    // Each mean over pairs divided by the number of pairs once more.
    let norm = |a: bool, b: bool| match (a, b) {
        (true, true) => 1.0 / (right * right) / (right * right + 1e-5),
        (false, false) => 1.0 / (wrong * wrong) / (wrong * wrong + 1e-5),
        _ => -1.0 / (right * wrong) / (right * wrong + 1e-5),
    };
    let size = |(c, correct, _): (f64, bool, f64)| if correct { 1.0 - c } else { c };
    let mut value = 0.0;
    let mut slope = vec![0.0; p.len()];
    for (i, &a) in each.iter().enumerate() {
        for &b in &each {
            let kernel = (-(a.0 - b.0).abs() / SCALE).exp();
            let weight = norm(a.1, b.1) * kernel;
            value += weight * size(a) * size(b);
            let own = if a.1 { -1.0 } else { 1.0 };
            let apart = if a.0 == b.0 { 0.0 } else { (a.0 - b.0).signum() };
            slope[i] += 2.0 * weight * size(b) * (own - size(a) * apart / SCALE) * a.2;
        }
    }
    let root = value.max(1e-12).sqrt();
    slope.iter().map(|s| s / (2.0 * root)).collect()
}

/// Derivative of the MMD loss by each p: l = exp(−‖x − x′‖²/25), κ = exp(−‖onehot − onehot′‖²).
fn mmd_slope(p: &[f64], y: &[u8], x: &[&[f64]]) -> Vec<f64> {
    let n = p.len() as f64;
    let apart = 1.0 - (-2.0_f64).exp();
    let of = |i: usize| {
        let each = (0..p.len()).filter(|&j| j != i).map(|j| {
            let square: f64 = x[i].iter().zip(x[j]).map(|(a, b)| (a - b).powi(2)).sum();
            (-square / 25.0).exp() * (p[j] - f64::from(y[j]))
        });
        4.0 * apart / (n * (n - 1.0)) * each.sum::<f64>()
    };
    (0..p.len()).map(of).collect()
}

/// A linear model by Adam: rate 0.01, batches of 32, 100 passes.
fn trained(x: &[Vec<f64>], y: &[u8], penalty: Penalty, seed: u64) -> Vec<f64> {
    let d = x[0].len() + 1;
    let (mut w, mut first, mut second) = (vec![0.0; d], vec![0.0; d], vec![0.0; d]);
    let mut step = 0;
    let score = |w: &[f64], row: &[f64]| sigmoid(w[0] + row.iter().zip(&w[1..]).map(|(x, w)| x * w).sum::<f64>());
    for pass in 0..100 {
        for batch in shuffled(x.len(), seed * 1000 + pass).chunks(32) {
            if batch.len() < 2 {
                continue;
            }
            let rows: Vec<&[f64]> = batch.iter().map(|&i| x[i as usize].as_slice()).collect();
            let t = pick(y, batch);
            let p: Vec<f64> = rows.iter().map(|row| score(&w, row)).collect();
            let extra = match penalty {
                Penalty::Nothing => vec![0.0; p.len()],
                Penalty::Mmce => mmce_slope(&p, &t),
                Penalty::Mmd => mmd_slope(&p, &t, &rows),
            };
            let mut gradient = vec![0.0; d];
            for (i, row) in rows.iter().enumerate() {
                let entropy = (p[i] - f64::from(t[i])) / p.len() as f64;
                let slope = entropy + 0.7 * extra[i] * p[i] * (1.0 - p[i]);
                gradient[0] += slope;
                for (g, x) in gradient[1..].iter_mut().zip(*row) {
                    *g += slope * x;
                }
            }
            step += 1;
            for j in 0..d {
                first[j] = 0.9 * first[j] + 0.1 * gradient[j];
                second[j] = 0.999 * second[j] + 0.001 * gradient[j] * gradient[j];
                let m = first[j] / (1.0 - 0.9_f64.powi(step));
                let v = second[j] / (1.0 - 0.999_f64.powi(step));
                w[j] -= 0.01 * m / (v.sqrt() + 1e-8);
            }
        }
    }
    w
}

/// KLCE² as published, X = (age, female), w = 0.1, γ = 25.
fn klce2(age_female: &[f64], p: &[f64], y: &[u8]) -> f64 {
    let kernel = WitnessKernel { form: WitnessForm::Product, width_p: 0.1, gamma: 25.0 };
    let places = kernel.places(Points::row_major(2, age_female).unwrap(), p).unwrap();
    let e: Vec<f64> = p.iter().zip(y).map(|(p, &y)| f64::from(y) - p).collect();
    let own = Queries::Sources { leave_one_out: false };
    let at = Points::new(places.view()).unwrap();
    let found = sums(own, at, &e, 1, SCALED, false, Part::WHOLE).unwrap();
    let pairs: f64 = (0..e.len()).map(|i| e[i] * (found.mean[i] * found.mass[i] - e[i])).sum();
    let n = e.len() as f64;
    pairs / ((n - 1.0) / n * found.mass.iter().sum::<f64>())
}

/// Table 2: what a penalty while training does to local calibration, heart disease.
fn heart() {
    let Some(text) = text_of("heart.csv") else {
        return;
    };
    let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let y: Vec<u8> = lines.iter().map(|cells| cells[11].parse().unwrap()).collect();
    // Numbers as they are, texts as flags, the first value of each left out.
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for j in 0..11 {
        if lines.iter().all(|cells| cells[j].parse::<f64>().is_ok()) {
            columns.push(lines.iter().map(|cells| cells[j].parse().unwrap()).collect());
        } else {
            let mut levels: Vec<&str> = lines.iter().map(|cells| cells[j]).collect();
            levels.sort_unstable();
            levels.dedup();
            for level in &levels[1..] {
                columns.push(lines.iter().map(|cells| f64::from(u8::from(cells[j] == *level))).collect());
            }
        }
    }
    for column in &mut columns {
        let (mean, sd) = mean_and_sd(column);
        column.iter_mut().for_each(|v| *v = (*v - mean) / sd);
    }
    println!("Table 2, heart disease, {} features, 184 of 918 rows for testing, 20 divisions", columns.len());
    for (name, penalty, published) in [
        ("cross-entropy", Penalty::Nothing, "Brier .1162, ECE .1014, KLCE² .0031567"),
        ("+ 0.7 MMCE_w", Penalty::Mmce, "KLCE² .0038518"),
        ("+ 0.7 MMD", Penalty::Mmd, "KLCE² .0028264"),
    ] {
        let mut found = [const { Vec::new() }; 4];
        for seed in 0..20 {
            let order = shuffled(918, 31 + seed);
            let (test, fit) = order.split_at(184);
            let rows = |rows: &[u32]| -> Vec<Vec<f64>> {
                let of = |&row: &u32| columns.iter().map(|c| c[row as usize]).collect();
                rows.iter().map(of).collect()
            };
            let w = trained(&rows(fit), &pick(&y, fit), penalty, seed);
            let p: Vec<f64> = rows(test)
                .iter()
                .map(|row| sigmoid(w[0] + row.iter().zip(&w[1..]).map(|(x, w)| x * w).sum::<f64>()))
                .collect();
            let t = pick(&y, test);
            let squares = p.iter().zip(&t).map(|(p, &t)| (p - f64::from(t)).powi(2));
            let table = reliability_table(&p, &t, &BinOptions::equal_width(10)).unwrap();
            let audit: Vec<f64> = test
                .iter()
                .flat_map(|&row| {
                    let cells = &lines[row as usize];
                    [cells[0].parse().unwrap(), f64::from(u8::from(cells[1] == "F"))]
                })
                .collect();
            let values =
                [Some(squares.sum::<f64>() / 184.0), ece(&table), ece_unweighted(&table), Some(klce2(&audit, &p, &t))];
            for (found, value) in found.iter_mut().zip(values) {
                found.extend(value);
            }
        }
        let [brier, ece, unweighted, klce2] = found.map(|values| mean_and_sd(&values));
        println!(
            "  {name}: Brier {:.4}, ECE {:.4}, unweighted ECE {:.4}, KLCE² {:.5} (sd {:.5}); published: {published}",
            brier.0, ece.0, unweighted.0, klce2.0, klce2.1
        );
    }
}

fn main() {
    let repeats = std::env::args().nth(1).and_then(|text| text.parse().ok());
    housing(repeats);
    heart();
}
