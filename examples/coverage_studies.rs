//! How often the 95 % intervals that are printed hold the truth, on files whose truth is known: the table of docs/finding.md.
//!
//! `cargo run --release --example coverage_studies -- 1000 [part of a world's name]`: files a world. The truth is the value of
//! the same metric on a file of 1,000,000 rows, and 0 for errors of calibrated scores. A line is printed when the files of a
//! world are through; seeds are the numbers of the files.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use std::collections::BTreeMap;
use std::fmt::Write;

use localcal::analysis::finding::FindingOutcome;
use localcal::job::Outcome;
use localcal::metric::Interval;
use localcal::metric::registry;
use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use serde_json::json;

#[path = "../tests/support/pipeline.rs"]
mod pipeline;

/// Rows behind the truth.
const TRUTH: usize = 1_000_000;

/// What is made: true log-odds are the score's log-odds / temperature.
#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    rows: usize,
    level: f64,
    temperature: f64,
    weighted: bool,
}

const WORLDS: [World; 5] = [
    World { name: "calibrated, 2,000 rows", rows: 2000, level: -1.0, temperature: 1.0, weighted: false },
    World { name: "over-confident (T = 2), 2,000 rows", rows: 2000, level: -1.0, temperature: 2.0, weighted: false },
    World { name: "3% events, 2,000 rows", rows: 2000, level: -4.1, temperature: 1.0, weighted: false },
    World { name: "weights, 2,000 rows", rows: 2000, level: -1.0, temperature: 1.0, weighted: true },
    World { name: "calibrated, 200 rows", rows: 200, level: -1.0, temperature: 1.0, weighted: false },
];

/// Rows, and weights that know of the score.
fn file(world: World, rows: usize, seed: u64) -> String {
    let mut draws = Draws::seeded(seed, 28);
    let mut text = format!("risk,died{}\n", if world.weighted { ",w" } else { "" });
    for _ in 0..rows {
        let logit = world.temperature * (world.level + 1.2 * draws.normal());
        let died = u8::from(draws.uniform() < sigmoid(logit / world.temperature));
        write!(text, "{:.7},{died}", sigmoid(logit)).unwrap();
        if world.weighted {
            let weight = (0.6 * draws.normal() - 0.3 * (logit - world.level)).exp();
            write!(text, ",{weight:.4}").unwrap();
        }
        text.push('\n');
    }
    text
}

/// Every metric of the scorecard and of the finding.
fn ids() -> Vec<&'static str> {
    let shown = registry::all().filter(|metric| metric.scorecard).map(|metric| metric.id);
    let mut ids: Vec<&str> = shown.collect();
    for id in ["intercept_large", "intercept_joint", "slope", "scaled_brier"] {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// Value and interval of every number of a file, by id.
fn found(world: World, rows: usize, seed: u64, resamples: usize) -> BTreeMap<String, (f64, Option<[f64; 2]>)> {
    let roles = if world.weighted { json!({ "w": "weight" }) } else { json!({}) };
    let data = pipeline::open(&file(world, rows, seed), json!({ "roles": roles }));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": resamples, "metrics": ids(), "seed": seed }));
    let ends = |low: Option<f64>, high: Option<f64>| low.zip(high).map(|(low, high)| [low, high]);
    let mut all = BTreeMap::new();
    for (id, value) in &ran.outcome().report.methods[0].metrics {
        all.extend(value.value.map(|v| (id.clone(), (v, ends(value.low, value.high)))));
    }
    if resamples > 0 {
        let finding = data.try_analyse(&ran, json!({ "finding": { "parts": ["overall"] } })).unwrap();
        let Outcome::Finding(FindingOutcome { overall, .. }) = finding else { panic!("no finding") };
        for (id, number) in overall {
            let Some(value) = number.value else { continue };
            let told = (value, ends(number.low, number.high));
            // one number, one interval
            let same = all.get(&id).is_none_or(|known| *known == told);
            assert!(same, "{id}: {told:?} {:?}", all.get(&id));
            all.insert(id, told);
        }
    } else {
        let rows = ran.rows("none");
        let w = rows.weights();
        let ratio =
            localcal::metric::observed_expected::observed_expected(&rows.score, &rows.target, w, Default::default())
                .unwrap();
        all.insert("observed_expected".to_owned(), (ratio.unwrap().0, None));
    }
    all
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let files: u64 = given.first().and_then(|files| files.parse().ok()).unwrap_or(100);
    let only = given.get(1).map_or("", String::as_str);
    for world in WORLDS.into_iter().filter(|world| world.name.contains(only)) {
        let mut truth: BTreeMap<String, f64> = BTreeMap::new();
        for (id, (value, _)) in found(world, TRUTH, u64::MAX, 0) {
            let pushed = registry::metric(&id).is_some_and(|metric| metric.interval == Interval::Basic);
            truth.insert(id, if pushed && world.temperature == 1.0 { 0.0 } else { value });
        }
        // held, above the truth, below it, files with an interval, sum of widths
        let mut tally: BTreeMap<String, (u64, u64, u64, u64, f64)> = BTreeMap::new();
        for seed in 0..files {
            for (id, (_, ends)) in found(world, world.rows, seed, 1000) {
                let (Some([low, high]), Some(truth)) = (ends, truth.get(&id)) else { continue };
                let of = tally.entry(id).or_default();
                of.0 += u64::from(low <= *truth && *truth <= high);
                of.1 += u64::from(low > *truth);
                of.2 += u64::from(high < *truth);
                of.3 += 1;
                of.4 += high - low;
            }
        }
        println!("{} ({files} files)", world.name);
        for (id, (held, above, below, all, width)) in tally {
            println!(
                "  {id}: {:.1}% of {all} (above {above}, below {below}), truth {:.5}, mean width {:.4}",
                100.0 * held as f64 / all as f64,
                truth[&id],
                width / all as f64
            );
        }
    }
}
