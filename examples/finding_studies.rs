//! How often the finding names somebody, on files whose truth is known: the tables of docs/finding.md.
//!
//! `cargo run --release --example finding_studies -- scan 1000 [part of a kind's name]` repeats level and power of the scan,
//! `-- advice 200` what is recommended, `-- bands 1000` how often bands about the curve of a diagram hold the truth. A line is printed when its files are through; seeds are the numbers of the files.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use std::collections::BTreeMap;
use std::fmt::Write;

use localcal::analysis::finding::FindingOutcome;
use localcal::job::Outcome;
use localcal::metric::curve::{Coverage, CurveKind, calibration_curve};
use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use localcal::scan::{Round, ScanInput, Scanned, Sought, scan_part, scanned_columns, score_test};
use serde_json::{Value, json};

#[path = "../tests/support/pipeline.rs"]
mod pipeline;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let files = given.get(1).and_then(|files| files.parse().ok());
    let only = given.get(2).map_or("", String::as_str);
    match given.first().map(String::as_str) {
        Some("scan") => scan_study(files.unwrap_or(60), only),
        Some("advice") => advice_study(files.unwrap_or(40), only),
        Some("bands") => bands_study(files.unwrap_or(100), only),
        _ => println!("scan, advice or bands, and how many files a kind"),
    }
}

/// What is made.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    /// what the first name should begin with; nothing: nobody is off
    wanted: &'static str,
    rows: usize,
    /// log-odds of the mean risk
    level: f64,
    /// further columns of noise
    noise: usize,
    /// a column of so many values
    values: usize,
    /// classes; 2: the probability of one
    classes: usize,
    weighted: bool,
    fault: Fault,
}

/// What is wrong: true log-odds are (score's + shift) / temperature, and more for some.
#[derive(Clone, Copy)]
struct Fault {
    temperature: f64,
    shift: f64,
    icu: f64,
    upper_third: f64,
    /// points by which outcomes of one site in twenty are more frequent than said
    site: f64,
}

const RIGHT: Fault = Fault { temperature: 1.0, shift: 0.0, icu: 0.0, upper_third: 0.0, site: 0.0 };
const PLAIN: Kind = Kind {
    name: "",
    wanted: "",
    rows: 4000,
    level: -1.0,
    noise: 0,
    values: 0,
    classes: 2,
    weighted: false,
    fault: RIGHT,
};

/// A hospital's file: risk, sex, ward (ICU: one row in ten), one of 20 sites, age, bmi with gaps, whether somebody died.
fn hospital(kind: Kind, seed: u64) -> String {
    let mut draws = Draws::seeded(seed, 77);
    let mut text = "risk,died,sex,ward,site,age,bmi".to_owned();
    (0..kind.noise).for_each(|k| write!(text, ",x{k}").unwrap());
    text += if kind.values > 0 { ",doctor" } else { "" };
    text += if kind.weighted { ",w\n" } else { "\n" };
    for _ in 0..kind.rows {
        let (sex, site) = (["f", "m"][draws.one_of(2)], draws.one_of(20));
        let (icu, other) = (draws.uniform() < 0.1, draws.one_of(5));
        let ward = if icu { "ICU" } else { ["A", "B", "C", "D", "E"][other] };
        let age = 18.0 + 70.0 * draws.uniform();
        let bmi = if draws.uniform() < 0.17 { String::new() } else { format!("{:.1}", 25.0 + 4.0 * draws.normal()) };
        let logit = kind.level + 1.2 * draws.normal() + 0.01 * (age - 50.0);
        let Fault { temperature, shift, icu: of_icu, upper_third, site: of_site } = kind.fault;
        let older = age > 18.0 + 70.0 * 2.0 / 3.0;
        let own = if icu { of_icu } else { 0.0 } + if older { upper_third } else { 0.0 };
        let truth = sigmoid((logit + shift) / temperature + own) + if site == 7 { of_site } else { 0.0 };
        let died = u8::from(draws.uniform() < truth);
        write!(text, "{:.6},{died},{sex},{ward},s{site},{age:.1},{bmi}", sigmoid(logit)).unwrap();
        (0..kind.noise).for_each(|_| write!(text, ",{:.3}", draws.normal()).unwrap());
        if kind.values > 0 {
            write!(text, ",d{}", draws.one_of(kind.values)).unwrap();
        }
        if kind.weighted {
            write!(text, ",{:.3}", 0.5 + draws.uniform()).unwrap();
        }
        text.push('\n');
    }
    text
}

/// Probabilities of several classes, of a true one drawn from them at the temperature of the fault.
fn several_classes(kind: Kind, seed: u64) -> String {
    let mut draws = Draws::seeded(seed, 77);
    let mut text = (0..kind.classes).map(|k| format!("p_{k},")).collect::<String>() + "label,sex,age\n";
    for _ in 0..kind.rows {
        let z: Vec<f64> = (0..kind.classes).map(|_| 1.5 * draws.normal()).collect();
        let softmax = |by: f64| {
            let each: Vec<f64> = z.iter().map(|z| (z / by).exp()).collect();
            let total: f64 = each.iter().sum();
            each.iter().map(|e| e / total).collect::<Vec<f64>>()
        };
        softmax(1.0).iter().for_each(|p| write!(text, "{p:.6},").unwrap());
        let mut left = draws.uniform();
        let label = softmax(kind.fault.temperature).iter().position(|p| {
            left -= p;
            left < 0.0
        });
        let (sex, age) = (["f", "m"][draws.one_of(2)], 18.0 + 70.0 * draws.uniform());
        writeln!(text, "{},{sex},{age:.1}", label.unwrap_or(kind.classes - 1)).unwrap();
    }
    text
}

/// A file of this kind, and its last run.
fn opened(kind: Kind, seed: u64, split: &Value, run: Value) -> (pipeline::Opened, pipeline::Ran) {
    let mut roles = json!({ "sex": "group", "age": "feature" });
    let mut text = several_classes as fn(Kind, u64) -> String;
    if kind.classes == 2 {
        text = hospital;
        (roles["ward"], roles["site"], roles["bmi"]) = (json!("group"), json!("group"), json!("feature"));
        (0..kind.noise).for_each(|k| roles[format!("x{k}")] = json!("feature"));
    }
    if kind.values > 0 {
        roles["doctor"] = json!("group");
    }
    if kind.weighted {
        roles["w"] = json!("weight");
    }
    let data = pipeline::open(&text(kind, seed), json!({ "roles": roles, "split": split }));
    let ran = data.run(run);
    (data, ran)
}

/// The scan as the finding makes it.
fn scanned(kind: Kind, seed: u64) -> Scanned {
    let (data, ran) =
        opened(kind, seed, &json!("auto"), json!({ "evaluate_on": "all", "resamples": 0, "metrics": ["brier"] }));
    let rows = ran.rows("none");
    let (score, target, weights) = (&rows.score, &rows.target, rows.weights());
    let overall = score_test(score, target, weights, None, seed, 0).p;
    let columns = scanned_columns(data.predictions(), None, None).unwrap();
    let values = (rows.rows.as_slice(), score.as_slice(), target.as_slice(), weights);
    let sought = Sought { columns: &columns, least: 30, ..Sought::default() };
    let input = ScanInput::new(data.predictions(), values, sought, seed).unwrap();
    let mut round = Round::first(&input);
    while !round.over {
        round = round.next(&input, &[&scan_part(&input, &round.fit, (0, 1), round.number, seed)], overall);
    }
    round.scanned(&input, overall, seed)
}

fn scan_study(files: u64, only: &str) {
    let right = |name, rows| Kind { name, rows, ..PLAIN };
    let wrong = |name, wanted, fault| Kind { name, wanted, fault, ..PLAIN };
    let site = |name, site| wrong(name, "site = s7", Fault { site, ..RIGHT });
    let kinds = [
        right("right, 4,000 rows", 4000),
        right("right, 500 rows", 500),
        Kind { level: -4.2, rows: 3000, ..right("right, 3,000 rows, 2 % events", 0) },
        Kind {
            noise: 10,
            values: 40,
            rows: 3000,
            ..right("right, 3,000 rows, 10 numbers more, a column of 40 values", 0)
        },
        Kind { weighted: true, ..right("right, 4,000 rows, weights", 4000) },
        Kind { classes: 3, ..right("right, 4,000 rows, 3 classes", 4000) },
        Kind { classes: 10, ..right("right, 4,000 rows, 10 classes", 4000) },
        right("right, 60,000 rows (blocks)", 60_000),
        wrong("twice as extreme", "", Fault { temperature: 2.0, ..RIGHT }),
        wrong("all too low by .5 logit", "", Fault { shift: 0.5, ..RIGHT }),
        wrong("ICU too low by .6 logit", "ward = ICU", Fault { icu: 0.6, ..RIGHT }),
        wrong("ICU too low by 1.2", "ward = ICU", Fault { icu: 1.2, ..RIGHT }),
        wrong("ICU too low by 1.2, and twice as extreme", "ward = ICU", Fault { icu: 1.2, temperature: 2.0, ..RIGHT }),
        wrong("upper third of age too low by .8", "age", Fault { upper_third: 0.8, ..RIGHT }),
        site("one site of 200 rows too low by 8 points", 0.08),
        site("one site of 200 rows too low by 12 points", 0.12),
        site("one site of 200 rows too low by 14 points", 0.14),
        site("one site of 200 rows too low by 16 points", 0.16),
    ];
    println!(
        "| file | named | the right one first | further names | all rows off | any claim | subgroups | told: 200 rows |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for kind in kinds.into_iter().filter(|kind| kind.name.contains(only)) {
        let (mut named, mut first, mut further, mut off, mut any, mut subgroups) = (0, 0, 0, 0, 0, 0);
        let mut seen = 0.0;
        for seed in 0..files {
            let found = scanned(kind, seed);
            let of_first = found.named.first().map_or(String::new(), |named| named.subgroup.description());
            named += u64::from(!found.named.is_empty());
            first += u64::from(!kind.wanted.is_empty() && of_first.starts_with(kind.wanted));
            further += u64::from(found.named.len() > 1);
            off += u64::from(found.overall_p <= 0.05);
            any += u64::from(!found.named.is_empty() || found.overall_p <= 0.05);
            subgroups += found.looked_at as u64;
            seen += found.detectable(200, kind.rows, sigmoid(kind.level));
        }
        let share = |count: u64| format!("{:.1} %", 100.0 * count as f64 / files as f64);
        let first = if kind.wanted.is_empty() { String::new() } else { share(first) };
        println!(
            "| {} | {} | {first} | {} | {} | {} | {} | {:.1} points |",
            kind.name,
            share(named),
            share(further),
            share(off),
            share(any),
            subgroups / files,
            100.0 * seen / files as f64
        );
    }
}

fn found(kind: Kind, seed: u64) -> FindingOutcome {
    let (data, ran) = opened(kind, seed, &json!({ "folds": 5 }), json!({ "resamples": 0 }));
    match data.try_analyse(&ran, json!({ "finding": { "parts": ["advice"] } })).unwrap() {
        Outcome::Finding(found) => found,
        other => panic!("no finding: {other:?}"),
    }
}

fn advice_study(files: u64, only: &str) {
    let kind = |name, rows, fault| Kind { name, rows, fault, ..PLAIN };
    let kinds = [
        kind("right, 500 rows", 500, RIGHT),
        kind("right, 4,000 rows", 4000, RIGHT),
        kind("ICU too low by 1.2 logit", 4000, Fault { icu: 1.2, ..RIGHT }),
        kind("ICU too low by .6", 4000, Fault { icu: 0.6, ..RIGHT }),
        kind("ICU too low by 1.2, and twice as extreme", 4000, Fault { icu: 1.2, temperature: 2.0, ..RIGHT }),
        kind("all too low by .5", 4000, Fault { shift: 0.5, ..RIGHT }),
        kind("twice as extreme", 4000, Fault { temperature: 2.0, ..RIGHT }),
    ];
    for kind in kinds.into_iter().filter(|kind| kind.name.contains(only)) {
        let (mut counts, mut nobody) = (BTreeMap::<String, u64>::new(), 0);
        for seed in 0..files {
            let advice = found(kind, seed).advice.unwrap();
            let method = serde_json::to_value(&advice.method).unwrap();
            let id = method.as_str().or(method["id"].as_str()).unwrap();
            *counts.entry(id.to_owned()).or_default() += 1;
            nobody += u64::from(advice.stays_wrong.is_empty());
        }
        println!("{}: {counts:?}; nobody stays wrong in {nobody} of {files}", kind.name);
    }
}

/// Scores of a density that falls with `skew`, and outcomes that they are right about.
fn right_scores(n: usize, skew: f64, seed: u64) -> (Vec<f64>, Vec<u8>) {
    let mut draws = Draws::seeded(seed, 77);
    let row = |_| {
        let s = draws.uniform().powf(1.0 / skew);
        (s, u8::from(draws.uniform() < s))
    };
    (0..n).map(row).unzip()
}

fn bands_study(files: u64, only: &str) {
    println!(
        "| curve | rows | mean score | pointwise, at the middle | pointwise, everywhere | simultaneous, everywhere |"
    );
    println!("|---|---|---|---|---|---|");
    for kind in [CurveKind::Loess, CurveKind::Spline, CurveKind::Isotonic] {
        for (n, skew) in [(200, 1.0), (1000, 1.0), (500, 0.14), (3000, 0.14)] {
            if !format!("{kind:?}").contains(only) {
                continue;
            }
            let covered = |coverage: Coverage| {
                let (mut middle, mut whole) = (0, 0);
                for seed in 0..files {
                    let (s, t) = right_scores(n, skew, seed);
                    let curve = calibration_curve(&s, &t, None, kind, Some(coverage)).unwrap();
                    let holds = |&(x, low, high): &(f64, f64, f64)| (low..=high).contains(&x);
                    whole += u64::from(curve.band.iter().all(holds));
                    middle += u64::from(curve.band.get(curve.band.len() / 2).is_some_and(holds));
                }
                let share = |count: u64| format!("{:.1} %", 100.0 * count as f64 / files as f64);
                (share(middle), share(whole))
            };
            let ((middle, whole), (_, simultaneous)) = (covered(Coverage::Pointwise), covered(Coverage::Simultaneous));
            let mean = skew / (1.0 + skew);
            println!("| {kind:?} | {n} | {mean:.2} | {middle} | {whole} | {simultaneous} |");
        }
    }
}
