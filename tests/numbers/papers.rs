//! The prepared tables and figures of three papers: what they ask for is there, and their numbers are those of an
//! independent program (`tests/golden/make_papers.py`).

use std::collections::BTreeSet;

use crate::support::pipeline::{Opened, open};
use localcal::analysis::AnalysisRequest;
use localcal::experiment::papers::{Made, Part, papers};
use localcal::experiment::{AskedMethod, Spec};
use localcal::metric::registry;
use localcal::report::view::request::ChartRequest;
use serde_json::{Value, json};

/// Analyses that a part may name before they are there.
const AWAITED: &[&str] = &["bench"];

/// Rows of two classes with features and groups.
fn people() -> Opened {
    let mut text = "p,y,age,priors,race:group,sex:group\n".to_owned();
    for i in 0..400u32 {
        let (age, priors) = (20 + i * 7 % 45, i * 13 % 11);
        let p = 0.02 + 0.96 * f64::from(i * 37 % 400) / 400.0;
        let y = u32::from(f64::from(i * 61 % 400) / 400.0 < p);
        text += &format!("{p},{y},{age},{priors},{},{}\n", ["A", "B", "C"][i as usize % 3], ["m", "f"][i as usize % 2]);
    }
    open(
        &text,
        json!({ "roles": { "age": "feature", "priors": "feature", "race:group": "group", "sex:group": "group" } }),
    )
}

/// Rows of three classes without features.
fn classes() -> Opened {
    let mut text = "p_a,p_b,p_c,label\n".to_owned();
    for i in 0..300u32 {
        let (a, b) = (1 + i * 7 % 9, 1 + i * 11 % 5);
        let c = 10 + i % 3;
        let all = f64::from(a + b + c);
        let (pa, pb) = (f64::from(a) / all, f64::from(b) / all);
        text += &format!("{pa},{pb},{},{}\n", 1.0 - pa - pb, ["a", "b", "c"][i as usize % 3]);
    }
    open(&text, json!({}))
}

/// What a spec asks for as one run whose near rows are alike in the columns.
fn as_a_run(spec: &Spec, features: &[&str]) -> Value {
    let methods: Vec<Value> = spec
        .methods
        .iter()
        .map(|method| match method {
            AskedMethod::Id(id) => json!(id),
            AskedMethod::Named { id, name, parameters, .. } => {
                let parameters = if parameters.is_null() { json!({}) } else { parameters.clone() };
                json!({ "id": id, "name": name, "parameters": parameters })
            }
        })
        .collect();
    let metrics: Vec<&String> = spec.metrics.iter().filter(|id| registry::metric(id).is_some()).collect();
    json!({
        "methods": methods, "metrics": metrics, "bins": spec.bins, "groups": spec.groups, "resamples": 0,
        "local": { "features": features },
    })
}

/// Whether everything that a part names is there, and says of itself what it can.
fn holds(opened: &Opened, part: &Part, features: &[&str]) {
    let id = &part.id;
    assert!(!part.title.is_empty() && !part.title.ends_with('.'), "{id}: {}", part.title);
    let finished = part.note.is_empty() || part.note.ends_with(['.', '?']);
    assert!(finished && !part.note.contains("  "), "{id}: {}", part.note);
    match &part.made {
        Made::Cannot(why) => assert!(why.ends_with('.'), "{id}: {why}"),
        Made::Experiment(spec) => {
            let names: BTreeSet<&str> = spec.methods.iter().map(AskedMethod::name).collect();
            assert_eq!(names.len(), spec.methods.len(), "{id}: names of methods");
            assert!(!spec.metrics.is_empty(), "{id}");
            for metric in &spec.metrics {
                let known =
                    registry::metric(metric).is_some() || ["fit_seconds", "apply_seconds"].contains(&metric.as_str());
                assert!(known, "{id}: {metric}");
            }
            let spaces: BTreeSet<&str> = spec.spaces.iter().map(|space| space.name.as_str()).collect();
            assert_eq!(spaces.len(), spec.spaces.len(), "{id}: names of spaces");
            for method in &spec.methods {
                if let AskedMethod::Named { space: Some(space), .. } = method {
                    assert!(spaces.contains(space.as_str()), "{id}: {space}");
                }
            }
            let written = serde_json::to_string(spec).unwrap();
            let read: Spec = serde_json::from_str(&written).unwrap();
            assert_eq!(read, **spec, "{id}");
            opened.plan(as_a_run(spec, features)).unwrap_or_else(|e| panic!("{id}: {} {e}", e.code()));
        }
        Made::Analysis { before, kind, options } => {
            let asked = json!({ kind: options });
            match serde_json::from_value::<AnalysisRequest>(asked.clone()) {
                Ok(request) => assert_eq!(request.kind(), kind),
                Err(why) => assert!(AWAITED.contains(&kind.as_str()), "{id}: {asked} {why}"),
            }
            if before.project.is_empty() {
                let run = serde_json::to_value(&before.run).unwrap();
                opened.plan(run).unwrap_or_else(|e| panic!("{id}: {} {e}", e.code()));
            }
        }
        Made::Chart { chart, options, .. } => {
            let asked = json!({ chart: options });
            serde_json::from_value::<ChartRequest>(asked.clone()).unwrap_or_else(|why| panic!("{id}: {asked} {why}"));
        }
    }
}

#[test]
fn what_a_prepared_part_asks_for_is_there() {
    for (opened, features) in [(people(), vec!["age", "priors"]), (classes(), vec!["p_a", "p_b", "p_c"])] {
        let papers = papers(opened.predictions());
        assert_eq!(papers.len(), 3);
        for paper in &papers {
            let ids: BTreeSet<&str> = paper.parts.iter().map(|part| part.id.as_str()).collect();
            assert_eq!(ids.len(), paper.parts.len(), "{}: ids of parts", paper.title);
            for part in &paper.parts {
                holds(&opened, part, &features);
            }
        }
    }
}

#[test]
fn people_have_every_part_that_predictions_suffice_for() {
    let opened = people();
    let cannot: Vec<String> = papers(opened.predictions())
        .iter()
        .flat_map(|paper| &paper.parts)
        .filter(|part| matches!(part.made, Made::Cannot(_)))
        .map(|part| part.id.clone())
        .collect();
    assert_eq!(cannot, ["figures 10 to 13", "figures 14 and 15", "figure 4"]);
}

#[test]
fn without_columns_that_say_who_is_alike_little_is_left() {
    let opened = open("c,a\n0.9,1\n0.8,0\n0.7,1\n0.6,1\n", json!({ "roles": { "c": "confidence", "a": "correct" } }));
    for paper in papers(opened.predictions()) {
        assert!(paper.parts.iter().any(|part| matches!(part.made, Made::Cannot(_))), "{}", paper.title);
        for part in &paper.parts {
            holds(&opened, part, &[]);
        }
    }
}
