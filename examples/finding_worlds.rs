//! What the scan of the finding makes of files with repeated patients, dates, places and embeddings whose truth is known: the
//! tables "Level" and "Power" of docs/finding.md.
//!
//! `cargo run --release --example finding_worlds -- [files a kind] [part of a kind's name]`. A line is printed when its files
//! are through; seeds are the numbers of the files.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use std::fmt::Write;

use localcal::data::{Clusters, ColumnRole, Predictions, Role, assemble};
use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use localcal::read::read;
use localcal::sample::synthetic;
use localcal::scan::{
    DetectedSubgroup, Round, ScanInput, Scanned, Sought, scan_part, scanned_columns, scanned_dates, score_test,
};
use localcal::table::values::Reals;
use localcal::table::{Matrix, NamedColumn, Values};
use serde_json::json;
use statrs::distribution::{ContinuousCDF, Normal};

/// The rows of a file as they are opened.
fn opened(text: &str, options: serde_json::Value) -> Predictions {
    let file = read("a.csv", text.as_bytes(), &mut |_| ()).unwrap();
    assemble(&[file], &serde_json::from_value(options).unwrap()).unwrap().0
}

/// Rows that belong together.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// no patient comes twice
    Alone,
    /// so many patients with as many rows each
    Even(usize, usize),
    /// so many patients with 1 to twice as many rows, less one
    Uneven(usize, usize),
}

/// What is wrong, in log-odds.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// rows of the last months of 36
    Drift {
        months: f64,
        by: f64,
    },
    /// a drift that begins with the file and ends at this
    Slow(f64),
    /// one ward in the last months
    WardInPeriod {
        months: f64,
        by: f64,
    },
    /// one site of 20 patients' rows
    Site(f64),
    /// one of 20 topics of the embedding
    Topic(f64),
    /// two topics, one each way: right on average
    TwoTopics(f64),
}

#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    shape: Shape,
    /// of outcomes within a patient, as a Gaussian copula has it
    correlation: f64,
    rows: usize,
    /// log-odds of the mean risk
    level: f64,
    weighted: bool,
    dated: bool,
    /// coordinates of the embedding; 0: none
    embedding: usize,
    /// rows of a patient are looked at as such
    clustered: bool,
    fault: Fault,
}

const PLAIN: World = World {
    name: "",
    shape: Shape::Alone,
    correlation: 0.0,
    rows: 4000,
    level: -1.0,
    weighted: false,
    dated: true,
    embedding: 0,
    clustered: true,
    fault: Fault::None,
};

/// Topics of an embedding.
const TOPICS: usize = 20;
/// Days that a file spans.
const DAYS: f64 = 1096.0;

/// A file, as it is opened.
fn made(world: World, seed: u64) -> Predictions {
    let mut draws = Draws::seeded(seed, 78);
    let normal = Normal::standard();
    let sizes: Vec<usize> = match world.shape {
        Shape::Alone => vec![1; world.rows],
        Shape::Even(patients, rows) => vec![rows; patients],
        Shape::Uneven(patients, rows) => (0..patients).map(|_| 1 + draws.one_of(2 * rows - 1)).collect(),
    };
    let centers: Vec<Vec<f64>> = (0..TOPICS).map(|_| (0..world.embedding).map(|_| draws.normal()).collect()).collect();
    let mut text = "risk,died,sex,ward,site,age,bmi,patient,admitted,w\n".to_owned();
    let mut embedding: Vec<f32> = Vec::new();
    for (patient, &size) in sizes.iter().enumerate() {
        let (sex, site) = (["f", "m"][draws.one_of(2)], draws.one_of(20));
        let age = 18.0 + 70.0 * draws.uniform();
        let (of_patient, health) = (draws.normal(), draws.normal());
        for _ in 0..size {
            let ward = if draws.uniform() < 0.1 { "ICU" } else { ["A", "B", "C", "D", "E"][draws.one_of(5)] };
            let bmi =
                if draws.uniform() < 0.17 { String::new() } else { format!("{:.1}", 25.0 + 4.0 * draws.normal()) };
            let (day, topic) = ((draws.uniform() * DAYS).floor(), draws.one_of(TOPICS));
            let logit = world.level + 0.9 * health + 0.8 * draws.normal() + 0.01 * (age - 50.0);
            let late = |months: f64| day >= DAYS - 30.4 * months;
            let own = match world.fault {
                Fault::None => 0.0,
                Fault::Drift { months, by } => {
                    if late(months) {
                        by
                    } else {
                        0.0
                    }
                }
                Fault::Slow(by) => by * day / DAYS,
                Fault::WardInPeriod { months, by } => {
                    if late(months) && ward == "ICU" {
                        by
                    } else {
                        0.0
                    }
                }
                Fault::Site(by) => {
                    if site == 7 {
                        by
                    } else {
                        0.0
                    }
                }
                Fault::Topic(by) => {
                    if topic == 3 {
                        by
                    } else {
                        0.0
                    }
                }
                Fault::TwoTopics(by) => [by, -by, 0.0][topic.min(2)],
            };
            let truth = sigmoid(logit + own);
            let z = world.correlation.sqrt() * of_patient + (1.0 - world.correlation).sqrt() * draws.normal();
            let died = u8::from(normal.cdf(z) < truth);
            let date = localcal::words::calendar::written(18_628.0 + day, localcal::data::dates::Exactness::Day);
            writeln!(
                text,
                "{:.6},{died},{sex},{ward},s{site},{age:.1},{bmi},{patient},{},{:.3}",
                sigmoid(logit),
                if world.dated { date.as_str() } else { "" },
                0.5 + draws.uniform()
            )
            .unwrap();
            embedding.extend(centers[topic].iter().map(|c| (c + 1.5 * draws.normal()) as f32));
        }
    }
    let weight = if world.weighted { "weight" } else { "ignore" };
    let date = if world.dated { "date" } else { "ignore" };
    let roles = json!({ "risk": "probability", "died": "label", "sex": "group", "ward": "group", "site": "group",
        "age": "feature", "bmi": "feature", "patient": "ignore", "admitted": date, "w": weight });
    let mut data = opened(&text, json!({ "roles": roles, "clusters": null }));
    if world.embedding > 0 {
        let matrix = Matrix { width: world.embedding, values: Reals::F32(embedding.into()) };
        let (file, name) = ("a.csv".to_owned(), "text_vectors".to_owned());
        data.table.columns.push(NamedColumn { file: file.clone(), name: name.clone(), values: Values::Matrix(matrix) });
        data.roles.push(ColumnRole { file, name, role: Role::Features, ..data.roles[0].clone() });
    }
    if world.clustered && world.shape != Shape::Alone {
        let of: Vec<u32> = (0..).zip(&sizes).flat_map(|(patient, &size)| vec![patient; size]).collect();
        data.clusters = Some(Clusters { column: "patient".to_owned(), of: of.into(), count: sizes.len() });
    }
    data
}

/// The scan as the finding makes it.
fn scanned(data: &Predictions, similarity: &[String], seed: u64) -> Scanned {
    let rows: Vec<u32> = (0..data.rows as u32).collect();
    let score = localcal::data::pair::scores(data).unwrap();
    let target = localcal::data::pair::targets(data).unwrap();
    let weights = data.weights.as_ref().map(|weights| weights.select(&rows));
    let of = data.clusters.as_ref().map(|clusters| clusters.among(&rows));
    let clusters = of.as_ref().map(|(of, count)| (of.as_slice(), *count));
    let overall = score_test(&score, &target, weights.as_deref(), clusters, seed, 0).p;
    let mut columns = scanned_columns(data, None, None).unwrap();
    columns.extend(scanned_dates(data));
    let sought = Sought { columns: &columns, similarity, least: 30 };
    let values = (rows.as_slice(), &score[..], &target[..], weights.as_deref());
    let input = ScanInput::new(data, values, sought, seed).unwrap();
    let mut round = Round::first(&input);
    while !round.over {
        round = round.next(&input, &[&scan_part(&input, &round.fit, (0, 1), round.number, seed)], overall);
    }
    round.scanned(&input, overall, seed)
}

fn words(named: &DetectedSubgroup) -> String {
    match &named.place {
        Some(place) => format!("place of {} ({})", named.rows, place.features.join(", ")),
        None => named.subgroup.description(),
    }
}

/// Of the built-in example, whether a place was named in each of its two regions, on the side that it is off to.
fn two_regions(rows: usize, seed: u64) -> (Scanned, usize) {
    let of = synthetic::synthetic(rows, seed);
    let roles = json!({ "x1": "feature", "x2": "feature", "p": "probability", "y": "label" });
    let data = opened(&of.to_csv(), json!({ "roles": roles }));
    let found = scanned(&data, &["x1".to_owned(), "x2".to_owned()], seed);
    let hit = |center: [f64; 2], over: bool| {
        found.named.iter().any(|named| {
            let Ok(inside) = named.inside(&data) else { return false };
            let mean = |x: &[f64]| {
                let own: Vec<f64> = x.iter().zip(&inside).filter(|(_, inside)| **inside).map(|(x, _)| *x).collect();
                own.iter().sum::<f64>() / own.len() as f64
            };
            let off = ((mean(&of.x1) - center[0]).powi(2) + (mean(&of.x2) - center[1]).powi(2)).sqrt();
            named.place.is_some() && off < 0.8 && (named.gap() > 0.0) == over
        })
    };
    let hits = usize::from(hit(synthetic::OVER_CONFIDENT, true)) + usize::from(hit(synthetic::UNDER_CONFIDENT, false));
    (found, hits)
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let files: u64 = given.first().and_then(|files| files.parse().ok()).unwrap_or(20);
    let only = given.get(1).map_or("", String::as_str);
    let share = |count: u64| format!("{:.1}%", 100.0 * count as f64 / files as f64);
    let right = |name| World { name, ..PLAIN };
    let patients = |name, shape, correlation| World { name, shape, correlation, ..PLAIN };
    let wrong = |name, fault| World { name, fault, ..PLAIN };
    let kinds = [
        right("calibrated, dates"),
        patients("calibrated, 400 × 8, .35", Shape::Even(400, 8), 0.35),
        patients("calibrated, 400 unequal, .35", Shape::Uneven(400, 8), 0.35),
        patients("calibrated, 120 × 25, .2", Shape::Even(120, 25), 0.2),
        patients("calibrated, 1,500 × 2, .35", Shape::Even(1500, 2), 0.35),
        patients("calibrated, 400 × 8, 0", Shape::Even(400, 8), 0.0),
        World { clustered: false, ..patients("as if independent, 400 × 8, .35", Shape::Even(400, 8), 0.35) },
        World { weighted: true, ..right("calibrated, dates, weights") },
        World { embedding: 64, dated: false, ..right("calibrated, embedding") },
        World { embedding: 64, weighted: true, ..patients("calibrated, all together", Shape::Even(400, 8), 0.35) },
        wrong("drift, last 5 months, 0.5", Fault::Drift { months: 5.0, by: 0.5 }),
        wrong("drift, last 5 months, 0.8", Fault::Drift { months: 5.0, by: 0.8 }),
        wrong("slow drift to 0.8", Fault::Slow(0.8)),
        wrong("ICU in the last 12 months, 1.2", Fault::WardInPeriod { months: 12.0, by: 1.2 }),
        World { fault: Fault::Site(1.2), ..patients("a site, 400 × 8, .35", Shape::Even(400, 8), 0.35) },
        World { embedding: 384, rows: 3000, dated: false, ..wrong("one topic, 1.2", Fault::Topic(1.2)) },
        World { embedding: 50, rows: 3000, dated: false, ..wrong("two topics, 1.0", Fault::TwoTopics(1.0)) },
    ];
    println!("| file | named | of them about time | places | all rows off | time | any claim | candidates |");
    println!("|---|---|---|---|---|---|---|---|");
    for world in kinds.into_iter().filter(|world| world.name.contains(only)) {
        let (mut named, mut period, mut place, mut off, mut time, mut any, mut looked) = (0, 0, 0, 0, 0, 0, 0);
        let mut firsts = std::collections::BTreeMap::<String, u64>::new();
        for seed in 0..files {
            let data = made(world, seed);
            let similarity = if world.embedding > 0 {
                vec!["text_vectors".to_owned()]
            } else {
                vec!["age".to_owned(), "bmi".to_owned()]
            };
            let found = scanned(&data, &similarity, seed);
            let is = |takes: &dyn Fn(&DetectedSubgroup) -> bool| u64::from(found.named.iter().any(takes));
            named += u64::from(!found.named.is_empty());
            period += is(&|named| named.subgroup.columns().contains(&"admitted".to_owned()));
            place += is(&|named| named.place.is_some());
            off += u64::from(found.overall_p <= 0.05);
            time += u64::from(found.time.as_ref().is_some_and(|time| time.p <= 0.05));
            any += u64::from(!found.named.is_empty() || found.overall_p <= 0.05);
            looked += found.looked_at as u64;
            for named in found.named.iter().take(2) {
                *firsts.entry(words(named)).or_default() += 1;
            }
        }
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            world.name,
            share(named),
            share(period),
            share(place),
            share(off),
            share(time),
            share(any),
            looked / files
        );
        if files <= 40 {
            println!("    {firsts:?}");
        }
    }
    if "two regions".contains(only) {
        for rows in [4000, 1500] {
            let (mut both, mut claims) = (0, 0);
            for seed in 0..files {
                let (found, hits) = two_regions(rows, seed);
                both += u64::from(hits == 2);
                claims += u64::from(!found.named.is_empty());
                if files <= 40 {
                    println!(
                        "    {hits} {:?} {:?}",
                        found.named.iter().map(|one| (words(one), one.gap(), one.z)).collect::<Vec<_>>(),
                        found.not_reported
                    );
                }
            }
            println!(
                "| two regions, {rows} rows: both named as places | {} of {} with a claim |",
                share(both),
                share(claims)
            );
        }
    }
}
