//! A finding step by step, of each list of parts the milliseconds of every step beside those that its plan expects:
//! `cargo bench -p localcal-benches --bench finding -- file.csv whom overall,whom,advice`.
#![allow(missing_docs, dead_code, clippy::unwrap_used, clippy::expect_used)]

use std::time::Instant;

use localcal::job::{Call, JobInputs, Outcome, run};
use serde_json::json;

#[path = "../tests/support/pipeline.rs"]
mod pipeline;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|one| one != "--bench").collect();
    let Some((file, questions)) = given.split_first() else {
        println!("name a file of predictions, and parts of a finding: overall, whom, advice");
        return;
    };
    let bytes = std::fs::read(file).unwrap();
    let data = pipeline::try_open(&[("a.csv", &bytes)], json!({})).unwrap();
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let given = [&data.0, &ran.0];
    for parts in questions {
        println!("{parts}");
        let request = json!({ "finding": { "parts": parts.split(',').collect::<Vec<_>>() } });
        let nodes = pipeline::planned(Call::PlanAnalysis { request: pipeline::request(request) }, &given).unwrap();
        let mut found: Vec<Outcome> = Vec::new();
        let whole = Instant::now();
        for node in &nodes {
            let of = |need: &usize| given.get(*need).copied().unwrap_or_else(|| &found[*need - given.len()]);
            let needs: Vec<&Outcome> = node.needs.iter().map(of).collect();
            let start = Instant::now();
            let outcome = run(&node.job, JobInputs { needs: &needs, maps: &[] }, vec![], &mut |_| ()).unwrap();
            let took = start.elapsed().as_secs_f64() * 1e3;
            println!("{took:9.1} ms, expected {:9.1}: {}", node.cost, node.label);
            found.push(outcome);
        }
        println!("{:9.1} ms in all", whole.elapsed().as_secs_f64() * 1e3);
    }
}
