//! The bench of tests on generated files of known truth, with the time it takes: the numbers of docs/bench.md.
//!
//! `cargo run --release --example bench_studies -- level 3000 1000 [part of a kind's name]` repeats the levels,
//! `-- power 3000 400` the curves, `-- study type_2 1000` a study of the I-trustworthy paper, `-- speed 3000 1000` the time of
//! each test on two threads.

#![allow(clippy::unwrap_used, clippy::expect_used, dead_code)]

use std::time::Instant;

use localcal::analysis::bench::{BenchOutcome, BenchTest};
use localcal::job::{Call, Outcome, run as run_job};
use serde_json::{Value, json};

#[path = "../tests/support/calibrated.rs"]
mod calibrated;
#[path = "../tests/support/pipeline.rs"]
mod pipeline;

use calibrated::{Kind, opened};

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: usize| given.get(at).and_then(|n| n.parse().ok()).unwrap_or(usual);
    let only = given.get(3).map_or("", String::as_str);
    match given.first().map(String::as_str) {
        Some("level") => told(number(1, 3000), &json!({ "simulations": number(2, 1000) }), only),
        Some("power") => told(number(1, 3000), &json!({ "simulations": number(2, 400), "effect": "group" }), only),
        Some("study") => {
            let study = given.get(1).map_or("type_1_width", String::as_str);
            told(200, &json!({ "study": study, "simulations": number(2, 1000) }), "binary");
        }
        Some("speed") => speed(number(1, 3000), number(2, 1000)),
        _ => println!("level, power, study or speed; rows; simulations"),
    }
}

fn told(rows: usize, request: &Value, only: &str) {
    for kind in Kind::ALL.into_iter().filter(|kind| kind.name().contains(only)) {
        let (data, ran) = opened(kind, rows, 0);
        let start = Instant::now();
        let found = match data.try_analyse(&ran, json!({ "bench": request })).unwrap() {
            Outcome::Bench(found) => found,
            other => panic!("no bench: {other:?}"),
        };
        println!("{}, {rows} rows: {:.1} s", kind.name(), start.elapsed().as_secs_f64());
        lines(&found);
    }
}

fn lines(found: &BenchOutcome) {
    for setting in &found.settings {
        let study = setting
            .study
            .map_or(String::new(), |s| format!("d {} w_p {:.3} published {:?}", s.d, s.width_p, s.published));
        println!(
            "  n {} size {} planted {} moved {:.3} {study}",
            setting.rows, setting.size, setting.planted, setting.realised
        );
        for rate in &setting.tests {
            println!(
                "    {:32} {:5} files  {:6.2} %  ({:.2}-{:.2})  {:?} {}",
                rate.test.title(),
                rate.simulations,
                100.0 * rate.rate,
                100.0 * rate.low,
                100.0 * rate.high,
                rate.level,
                rate.without_p
            );
        }
    }
}

/// Milliseconds of the steps of each test alone, and of all of them on two threads.
fn speed(rows: usize, simulations: usize) {
    for kind in Kind::ALL {
        let (data, ran) = opened(kind, rows, 0);
        let time = |request: Value| {
            let start = Instant::now();
            data.try_analyse(&ran, json!({ "bench": request })).unwrap();
            start.elapsed().as_secs_f64()
        };
        println!("{}: {rows} rows, {simulations} files", kind.name());
        for test in BenchTest::ALL {
            println!("  {:32} {:.2} s", test.title(), time(json!({ "simulations": simulations, "tests": [test] })));
        }
        println!("  all on two threads: {:.1} s", on_two_threads(&data, &ran, simulations));
    }
}

/// Seconds of the whole plan: steps whose needs are met go to whichever thread is free.
fn on_two_threads(data: &pipeline::Opened, ran: &pipeline::Ran, simulations: usize) -> f64 {
    use std::sync::Mutex;
    let request = pipeline::request(json!({ "bench": { "simulations": simulations } }));
    let nodes = pipeline::planned(Call::PlanAnalysis { request }, &[&data.0, &ran.0]).unwrap();
    let start = Instant::now();
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; nodes.len()]);
    let taken = Mutex::new(vec![false; nodes.len()]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = {
                        let mut taken = taken.lock().unwrap();
                        let outcomes = outcomes.lock().unwrap();
                        let ready = |k: &usize| {
                            !taken[*k] && nodes[*k].needs.iter().all(|&need| need < 2 || outcomes[need - 2].is_some())
                        };
                        let next = (0..nodes.len()).find(ready);
                        if let Some(k) = next {
                            taken[k] = true;
                        }
                        (next, taken.iter().all(|taken| *taken))
                    };
                    let Some(k) = next.0 else {
                        if next.1 {
                            return;
                        }
                        std::thread::sleep(std::time::Duration::from_millis(2));
                        continue;
                    };
                    let needs: Vec<Outcome> = {
                        let outcomes = outcomes.lock().unwrap();
                        nodes[k]
                            .needs
                            .iter()
                            .map(|&need| match need {
                                0 => data.0.clone(),
                                1 => ran.0.clone(),
                                n => outcomes[n - 2].clone().unwrap(),
                            })
                            .collect()
                    };
                    let needs: Vec<&Outcome> = needs.iter().collect();
                    let found = run_job(&nodes[k].job, &needs, vec![], &mut |_| ()).unwrap();
                    outcomes.lock().unwrap()[k] = Some(found);
                }
            });
        }
    });
    start.elapsed().as_secs_f64()
}
