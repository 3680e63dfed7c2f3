//! A finding step by step: `cargo bench --bench finding -- file.csv [part …]`, milliseconds of every step of its plan
//! against those that the plan expects.
#![allow(missing_docs)]

use std::time::Instant;

use localcal::job::{Call, Given, Job, Outcome, run};
use localcal::table::Array;
use serde_json::json;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|one| one != "--bench").collect();
    let Some((file, parts)) = given.split_first() else {
        println!("name a file of columns risk, died and others");
        return;
    };
    let bytes = std::fs::read(file).expect("a file");
    let read = Job::Call(Call::Read { name: "a.csv".to_owned(), header: None });
    let table = run(&read, &[], vec![Array::U8(bytes.into())], &mut |_| ()).expect("a table");
    let roles = ["ward", "sex", "site", "stage"].map(|name| (name.to_owned(), json!("group")));
    let options = json!({ "roles": serde_json::Map::from_iter(roles) });
    let options = std::env::var("OPTIONS").map_or(options, |text| serde_json::from_str(&text).expect("options"));
    let assemble = Job::Call(Call::Assemble { options: serde_json::from_value(options).expect("options") });
    let data = run(&assemble, &[&table], vec![], &mut |_| ()).expect("data");
    let request = json!({ "evaluate_on": "all", "resamples": 0 });
    let request = std::env::var("RUN").map_or(request, |text| serde_json::from_str(&text).expect("a run"));
    let plan = Call::Plan { request: serde_json::from_value(request).expect("a run") };
    let ran = carried_out(plan, &[&data], false);
    for part in parts {
        let request = json!({ "finding": { "parts": part.split(',').collect::<Vec<_>>() } });
        let plan = Call::PlanAnalysis { request: serde_json::from_value(request).expect("a request") };
        println!("{part}");
        let start = Instant::now();
        let found = carried_out(plan, &[&data, &ran], true);
        println!("{part}: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
        if let Ok(to) = std::env::var("ANSWER") {
            std::fs::write(format!("{to}.{part}"), format!("{found:#?}")).expect("written");
        }
    }
}

fn carried_out(call: Call, given: &[&Outcome], tell: bool) -> Outcome {
    let planned = run(&Job::Call(call), given, vec![], &mut |_| ()).expect("a plan");
    let Outcome::Plan(plan) = planned else { panic!("no plan") };
    let mut outcomes: Vec<Outcome> = Vec::new();
    for node in &plan.nodes {
        let of = |need: &usize| given.get(*need).copied().unwrap_or_else(|| &outcomes[*need - given.len()]);
        let needs: Vec<&Outcome> = node.needs.iter().map(of).collect();
        let start = Instant::now();
        let found = run(&node.job, Given { needs: &needs, maps: &[] }, vec![], &mut |_| ()).expect("an outcome");
        if tell {
            let took = start.elapsed().as_secs_f64() * 1e3;
            println!("{took:9.1} ms, expected {:9.1}: {} {}", node.cost, node.job.name(), node.label);
        }
        outcomes.push(found);
    }
    outcomes.pop().expect("an outcome")
}
