//! What ridge-local recalibration does to rows that no fit saw: in worlds whose truth is known, and on public files.
//!
//! Reads AHS_2019_Cleaned.csv, heart.csv and compas-scores-two-years.csv from the folder named by `LOCALCAL_DATA`; an argument
//! names predictions of a forest as `examples/compas_forest.py` writes them. Optimized (`--release`) it takes a minute.

#![allow(clippy::unwrap_used)]

use std::time::Instant;

use localcal::kernel::{Kernel, Part, Points};
use localcal::local::{LocalQueries, LocalSample, signed_local_error, weighted_summary};
use localcal::metric::binning::BinOptions;
use localcal::num::logistic::logistic;
use localcal::num::moments::mean_and_sd;
use localcal::num::order::ascending;
use localcal::num::rng::Lanes;
use localcal::num::special::sigmoid;
use localcal::read::read;
use localcal::recalibrate::inner::{FOLDS, InnerValidation, loss_of};
use localcal::recalibrate::lore::lore;
use localcal::recalibrate::lore_ridge::{Base, Grid, RidgeRows, Setting, Space, cross_validated, recalibrated};
use localcal::sample::synthetic;
use localcal::table::{NamedColumn, Values};

#[path = "../tests/support/public.rs"]
mod public;

/// Divisions of each file.
const DIVISIONS: u64 = 5;

/// Rows with scores, outcomes and two coordinates; of a world also the truth.
#[derive(Default, Clone)]
struct Rows {
    s: Vec<f64>,
    t: Vec<u8>,
    x: Vec<f64>,
    truth: Vec<f64>,
}

impl Rows {
    fn n(&self) -> usize {
        self.s.len()
    }

    fn pick(&self, rows: &[u32]) -> Self {
        let of = |values: &[f64]| rows.iter().map(|&i| values[i as usize]).collect();
        Self {
            s: of(&self.s),
            t: rows.iter().map(|&i| self.t[i as usize]).collect(),
            x: rows.iter().flat_map(|&i| self.x[2 * i as usize..][..2].to_vec()).collect(),
            truth: if self.truth.is_empty() { Vec::new() } else { of(&self.truth) },
        }
    }

    fn scaled(&self, [mean, sd]: &[[f64; 2]; 2]) -> Vec<f64> {
        self.x.iter().enumerate().map(|(i, x)| (x - mean[i % 2]) / sd[i % 2]).collect()
    }

    /// Mean and standard deviation of the coordinates.
    fn scale(&self) -> [[f64; 2]; 2] {
        let of = |axis: usize| {
            let values: Vec<f64> = self.x.iter().skip(axis).step_by(2).copied().collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
        };
        let (a, b) = (of(0), of(1));
        [[a.0, b.0], [a.1, b.1]]
    }

    fn losses(&self, s: &[f64]) -> Vec<f64> {
        s.iter().zip(&self.t).map(|(s, t)| loss_of(*s, *t)).collect()
    }

    /// RMSE to the truth; −1 where nobody knows it.
    fn error(&self, s: &[f64]) -> f64 {
        if self.truth.is_empty() {
            return -1.0;
        }
        let squares: f64 = s.iter().zip(&self.truth).map(|(s, p)| (s - p).powi(2)).sum();
        (squares / s.len() as f64).sqrt()
    }

    /// The largest local error where 20 rows are near, of scores `s`.
    fn worst(&self, s: &[f64], at: &[f64]) -> f64 {
        let bin = BinOptions::equal_width(15).binning(s).unwrap().assignment;
        let sample = LocalSample::new(s, &self.t, &bin, Points::row_major(2, at).unwrap()).unwrap();
        let own = LocalQueries::Sample { leave_one_out: false };
        let found = signed_local_error(&sample, &own, Kernel::Laplacian { gamma: 0.4 }, Part::WHOLE).unwrap();
        weighted_summary(&found.slce, &found.n_eff, None).mlce_supported
    }
}

/// The numbers 0..n in a seeded order.
fn shuffled(n: usize, seed: u64) -> Vec<u32> {
    let mut lanes = Lanes::seeded(seed, 0);
    let keys: Vec<f64> = (0..n.div_ceil(4)).flat_map(|_| lanes.uniform()).collect();
    ascending(&keys[..n])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean and half an interval of differences of the same rows.
fn paired(a: &[f64], b: &[f64]) -> [f64; 2] {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let (mean, sd) = mean_and_sd(&differences);
    [mean, 1.96 * sd / (differences.len() as f64).sqrt()]
}

fn inner(on: &Rows, at: &[f64]) -> InnerValidation<Setting> {
    let spaces = [Space { features: None, d: 2, at: at.to_vec(), codes: Vec::new() }];
    let order = shuffled(on.n(), 99);
    let mut fold = vec![0; on.n()];
    order.iter().enumerate().for_each(|(place, &row)| fold[row as usize] = (place % FOLDS) as u8);
    cross_validated(&on.s, &on.t, &spaces, &fold, &Grid::default(), &mut |_| ()).unwrap().unwrap()
}

/// What one division of the rows showed.
struct Shown {
    setting: Setting,
    /// NLL as they are, Platt, LoRe at its best of three γ, ridge
    nll: [f64; 4],
    /// NLL with the ridge less that of its baseline: mean and half an interval
    more: [f64; 2],
    /// RMSE to the truth, as NLL
    error: [f64; 4],
    /// largest local error of rows with 20 neighbors, as NLL
    worst: [f64; 4],
}

fn shown(on: &Rows, new: &Rows) -> Shown {
    let scale = on.scale();
    let (at, there) = (on.scaled(&scale), new.scaled(&scale));
    let (known, places) = (Points::row_major(2, &at).unwrap(), Points::row_major(2, &there).unwrap());
    let setting = inner(on, &at).setting().unwrap().clone();
    let applied = |base: Base, gamma: f64, kappa: f64| {
        let base = base.fit(&on.s, &on.t).unwrap();
        let rows = RidgeRows { score: &on.s, target: &on.t, at: known, base };
        recalibrated(&rows, &new.s, places, gamma, kappa).unwrap()
    };
    let alone = |base: Base| match base {
        Base::None => new.s.clone(),
        Base::Platt => applied(Base::Platt, 1.0, f64::INFINITY),
    };
    let ridge = match setting.gamma.zip(setting.kappa) {
        Some((gamma, kappa)) => applied(setting.baseline, gamma, kappa),
        None => alone(setting.baseline),
    };
    let bins = BinOptions::equal_width(15).binning(&on.s).unwrap();
    let sample = LocalSample::new(&on.s, &on.t, &bins.assignment, known).unwrap();
    let each = [0.1, 0.4, 1.6].map(|gamma| {
        let kernel = Kernel::Laplacian { gamma };
        let bins = bins.edges.assignment(&new.s);
        lore(&sample, &bins, &new.s, places, kernel, Part::WHOLE, &mut |_| ()).unwrap().score
    });
    let least = |a: &Vec<f64>, b: &Vec<f64>| mean(&new.losses(a)).total_cmp(&mean(&new.losses(b)));
    let best = each.into_iter().min_by(least).unwrap();
    let all = [new.s.clone(), alone(Base::Platt), best, ridge];
    Shown {
        more: paired(&new.losses(&all[3]), &new.losses(&alone(setting.baseline))),
        nll: all.each_ref().map(|s| mean(&new.losses(s))),
        error: all.each_ref().map(|s| new.error(s)),
        worst: all.each_ref().map(|s| new.worst(s, &there)),
        setting,
    }
}

fn told(name: &str, each: &[Shown]) {
    let over = |of: &dyn Fn(&Shown) -> f64| mean(&each.iter().map(of).collect::<Vec<f64>>());
    let four = |of: &dyn Fn(&Shown, usize) -> f64| {
        let written: Vec<String> = (0..4).map(|k| format!("{:.3}", over(&|one| of(one, k)))).collect();
        written.join(" | ")
    };
    let truth = if each[0].error[0].is_sign_negative() {
        "– | – | – | –".to_owned()
    } else {
        four(&|one, k| one.error[k])
    };
    let beyond = |side: f64| each.iter().filter(|one| side * one.more[0] > one.more[1]).count();
    let settings: Vec<String> = each
        .iter()
        .map(|Shown { setting: Setting { baseline, gamma, kappa, .. }, .. }| match gamma.zip(*kappa) {
            Some((gamma, kappa)) => format!("{} γ {gamma} κ {kappa}", baseline.name()),
            None => format!("{} alone", baseline.name()),
        })
        .collect();
    println!(
        "| {name} | {} | {:+.4} ± {:.4} | {}, {} | {truth} | {} |",
        four(&|one, k| one.nll[k]),
        over(&|one| one.more[0]),
        over(&|one| one.more[1]),
        beyond(-1.0),
        beyond(1.0),
        four(&|one, k| one.worst[k]),
    );
    eprintln!("  {name}: {}", settings.join("; "));
}

/// Halves of the rows, by seed.
fn halves(name: &str, rows: &Rows) {
    let each = (0..DIVISIONS).map(|seed| {
        let order = shuffled(rows.n(), seed);
        let (on, new) = order.split_at(rows.n() / 2);
        shown(&rows.pick(on), &rows.pick(new))
    });
    told(name, &each.collect::<Vec<_>>());
}

/// A third trains a logistic regression of all columns, a third calibrates it, a third is scored.
fn trained(name: &str, columns: &[Vec<f64>], t: &[u8], axes: [&[f64]; 2]) {
    let each = (0..DIVISIONS).map(|seed| {
        let order = shuffled(t.len(), seed);
        let (train, rest) = order.split_at(t.len() / 3);
        let own: Vec<Vec<f64>> = columns.iter().map(|c| train.iter().map(|&i| c[i as usize]).collect()).collect();
        let own: Vec<&[f64]> = own.iter().map(Vec::as_slice).collect();
        let outcomes: Vec<u8> = train.iter().map(|&i| t[i as usize]).collect();
        let b = logistic(&own, None, &outcomes).unwrap().coefficients;
        let score = |i: usize| sigmoid(b[0] + columns.iter().zip(&b[1..]).map(|(c, b)| c[i] * b).sum::<f64>());
        let rows = Rows {
            s: (0..t.len()).map(score).collect(),
            t: t.to_vec(),
            x: (0..t.len()).flat_map(|i| [axes[0][i], axes[1][i]]).collect(),
            truth: Vec::new(),
        };
        let (on, new) = rest.split_at(rest.len() / 2);
        shown(&rows.pick(on), &rows.pick(new))
    });
    told(name, &each.collect::<Vec<_>>());
}

/// A world of two coordinates whose log-odds are off by `off`.
fn world(n: usize, seed: u64, off: impl Fn(f64, f64, f64) -> f64) -> Rows {
    let mut lanes = Lanes::seeded(seed, 5);
    let mut rows = Rows::default();
    for _ in 0..n {
        let [a, b, z, _] = lanes.normal();
        let p = sigmoid(z + off(a, b, z));
        rows.s.push(sigmoid(z));
        rows.t.push(u8::from(lanes.uniform()[0] < p));
        rows.x.extend([a, b]);
        rows.truth.push(p);
    }
    rows
}

fn worlds(name: &str, n: usize, off: impl Fn(f64, f64, f64) -> f64 + Copy) {
    let one = |seed: u64| shown(&world(n, seed, off), &world(n, 1000 + seed, off));
    told(name, &(0..DIVISIONS).map(one).collect::<Vec<_>>());
}

/// Rows spread over [−3, 3]² whose log-odds are too small in one region and too large in another, by as much as 1.7.
fn regions(n: usize, seed: u64) -> Rows {
    let mut lanes = Lanes::seeded(seed, 6);
    let mut rows = Rows::default();
    for _ in 0..n {
        let ([a, b, u, _], [z, ..]) = (lanes.uniform(), lanes.normal());
        let (a, b) = (6.0 * a - 3.0, 6.0 * b - 3.0);
        let bump = |c: f64| (-((a - c).powi(2) + (b - c).powi(2)) / 2.88).exp();
        let p = sigmoid(z + 1.7 * (bump(1.5) - bump(-1.5)));
        rows.s.push(sigmoid(z));
        rows.t.push(u8::from(u < p));
        rows.x.extend([a, b]);
        rows.truth.push(p);
    }
    rows
}

/// The synthetic example: right in every bin, wrong in two places by as much as 0.9 · min(p, 1 − p).
fn example(n: usize, seed: u64) -> Rows {
    let found = synthetic(n, seed);
    let x = found.x1.iter().zip(&found.x2).flat_map(|(a, b)| [*a, *b]).collect();
    Rows { s: found.p, t: found.y, x, truth: found.truth }
}

fn table(name: &str) -> Option<Vec<NamedColumn>> {
    Some(read(name, &public::public(name)?, &mut |_| ()).unwrap().columns)
}

/// A column as numbers: categories by the place of their first appearance.
fn column(table: &[NamedColumn], name: &str) -> Vec<f64> {
    match &table.iter().find(|column| column.name == name).unwrap().values {
        Values::Numbers(numbers) => numbers.to_vec(),
        Values::Text { codes, .. } => codes.iter().map(|&code| f64::from(code)).collect(),
        Values::Matrix(_) => Vec::new(),
    }
}

fn outcomes(values: &[f64]) -> Vec<u8> {
    values.iter().map(|v| u8::from(*v > 0.5)).collect()
}

fn two(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).flat_map(|(a, b)| [*a, *b]).collect()
}

fn main() {
    println!(
        "| rows (calibration rows, coordinates) | NLL as they are | Platt | LoRe | ridge | ridge − its baseline | better, worse | RMSE to the truth as they are | Platt | LoRe | ridge | largest local error as they are | Platt | LoRe | ridge |"
    );
    println!("|{}", "---|".repeat(15));
    worlds("calibrated (500)", 500, |_, _, _| 0.0);
    worlds("calibrated (5,000)", 5000, |_, _, _| 0.0);
    worlds("too sharp everywhere (5,000)", 5000, |_, _, z| -0.4 * z);
    worlds("a shift for a > 0 (500)", 500, |a, _, _| if a > 0.0 { 0.8 } else { -0.8 });
    worlds("a shift for a > 0 (5,000)", 5000, |a, _, _| if a > 0.0 { 0.8 } else { -0.8 });
    worlds("a smooth slope along b (5,000)", 5000, |_, b, _| 0.5 * b);
    let both = |of: fn(usize, u64) -> Rows, n: usize| {
        (0..DIVISIONS).map(|seed| shown(&of(n, seed), &of(n / 2, 1000 + seed))).collect::<Vec<_>>()
    };
    told("the synthetic example (4,000)", &both(example, 4000));
    told("two regions (6,000)", &both(regions, 6000));
    told("two regions (20,000)", &both(regions, 20_000));

    if let Some(path) = std::env::args().nth(1) {
        let table = read("forest.csv", &std::fs::read(path).unwrap(), &mut |_| ()).unwrap().columns;
        let x = two(&column(&table, "age"), &column(&table, "priors_count"));
        let t = outcomes(&column(&table, "y"));
        halves("COMPAS, forest (2,405; age, priors)", &Rows { s: column(&table, "p"), t, x, truth: Vec::new() });
    }
    if let Some(table) = table("compas-scores-two-years.csv") {
        let s = column(&table, "decile_score").iter().map(|d| (d - 0.5) / 10.0).collect();
        let x = two(&column(&table, "age"), &column(&table, "priors_count"));
        let t = outcomes(&column(&table, "two_year_recid"));
        halves("COMPAS, decile (3,607; age, priors)", &Rows { s, t, x, truth: Vec::new() });
    }
    if let Some(table) = table("AHS_2019_Cleaned.csv") {
        let t = outcomes(&column(&table, "OWNER"));
        let names = ["BLACK", "HHSEX", "METRO", "HHGRAD", "HHMAR", "HHCITSHP", "NUMPEOPLE", "HINCP", "DIVISION"];
        let mut columns: Vec<Vec<f64>> = names.iter().map(|name| column(&table, name)).collect();
        let (age, income) = (column(&table, "HHAGE"), column(&table, "HINCP"));
        trained("AHS, logistic without age (16,220; age, income)", &columns, &t, [&age, &income]);
        columns.push(age.clone());
        trained("AHS, logistic (16,220; age, income)", &columns, &t, [&age, &income]);
    }
    if let Some(table) = table("heart.csv") {
        let t = outcomes(&column(&table, "HeartDisease"));
        let (age, rate, old) = (column(&table, "Age"), column(&table, "MaxHR"), column(&table, "Oldpeak"));
        let angina: Vec<f64> = match &table.iter().find(|c| c.name == "ExerciseAngina").unwrap().values {
            Values::Text { codes, levels } => {
                let yes = |code: &u32| levels.iter().nth(*code as usize).is_some_and(|text| text == "Y");
                codes.iter().map(|code| f64::from(u8::from(yes(code)))).collect()
            }
            _ => column(&table, "ExerciseAngina"),
        };
        let z = |i: usize| 0.05 * (age[i] - 54.0) + 1.2 * angina[i] + old[i] - 0.6;
        let s = (0..t.len()).map(|i| sigmoid(z(i))).collect();
        halves(
            "heart, formula (459; age, heart rate)",
            &Rows { s, t: t.clone(), x: two(&age, &rate), truth: Vec::new() },
        );
        let columns =
            vec![age.clone(), rate.clone(), old, angina, column(&table, "FastingBS"), column(&table, "Cholesterol")];
        trained("heart, logistic (306; age, heart rate)", &columns, &t, [&age, &rate]);
    }

    println!("\nSeconds of a core:");
    for n in [10_000, 50_000] {
        let rows = world(n, 1, |a, _, _| 0.5 * a);
        let at = rows.scaled(&rows.scale());
        let start = Instant::now();
        let setting = inner(&rows, &at).setting().unwrap().clone();
        println!("  {n} calibration rows, two coordinates: {:.2} to choose", start.elapsed().as_secs_f64());
        let base = setting.baseline.fit(&rows.s, &rows.t).unwrap();
        let points = Points::row_major(2, &at).unwrap();
        let known = RidgeRows { score: &rows.s, target: &rows.t, at: points, base };
        let start = Instant::now();
        let (gamma, kappa) = setting.gamma.zip(setting.kappa).unwrap_or((0.4, 10.0));
        let found = recalibrated(&known, &rows.s, points, gamma, kappa).unwrap();
        println!("    {:.3} to apply to {} rows", start.elapsed().as_secs_f64(), found.len());
    }
}
