//! Which metric tells how the worst group fares, over repeats and methods.

use crate::support::draws::uniform;
use crate::support::pipeline::{Opened, Ran, open};
use localcal::analysis::correlation::CorrelationOutcome;
use localcal::error::Result;
use localcal::job::Outcome;
use localcal::num::pearson::pearson;
use localcal::report::sheet::Block;
use serde_json::{Value, json};

fn correlated(data: &Opened, ran: &Ran, options: Value) -> Result<CorrelationOutcome> {
    correlated_beside(data, ran, &[], options)
}

fn correlated_beside(data: &Opened, ran: &Ran, others: &[&Opened], options: Value) -> Result<CorrelationOutcome> {
    match data.try_analyse_beside(ran, others, json!({ "correlation": options }))? {
        Outcome::Correlated(found) => Ok(found),
        _ => panic!("no correlation"),
    }
}

/// Rows whose scores are too hot, most so in the north; `more` stands at the end of every line.
fn rows(n: usize, seed: u64, more: &str) -> String {
    let mut uniform = uniform(seed);
    let mut text = String::new();
    for i in 0..n {
        let site = ["north", "south", "west"][i % 3];
        let heat = if i % 3 == 0 { 3.0 } else { 1.3 };
        let z = 4.0 * uniform() - 2.0;
        let y = u8::from(uniform() < 1.0 / (1.0 + (-z).exp()));
        let p = 1.0 / (1.0 + (-heat * z).exp());
        text += &format!("{p},{y},{site},{},{}{more}\n", uniform(), uniform());
    }
    text
}

fn halves(n: usize) -> Opened {
    halves_of(n, 3)
}

fn halves_of(n: usize, seed: u64) -> Opened {
    let text = format!("p,y,site,x1,x2\n{}", rows(n, seed, ""));
    let roles = json!({ "site": "group", "x1": "feature", "x2": "feature" });
    open(&text, json!({ "roles": roles, "split": { "half": true } }))
}

const METHODS: [&str; 3] = ["none", "temperature", "histogram"];

fn request(seed: u64) -> Value {
    json!({
        "methods": METHODS, "bins": 5, "resamples": 0, "seed": seed,
        "metrics": ["ece", "mce", "nll", "brier", "mlce", "mlce_supported", "mean_lce", "group_mce_max_supported"],
        "local": { "features": ["x1", "x2"], "gamma": 0.4 },
    })
}

#[test]
fn every_observation_is_a_run() {
    let data = halves(900);
    let runs: Vec<Ran> = (4..8).map(|seed| data.run(request(seed))).collect();
    let found = correlated(&data, &runs[0], json!({ "repeats": 4 })).expect("correlated");
    let ids = ["ece", "mce", "nll", "brier", "mlce", "mlce_supported", "mean_lce"];
    let metrics: Vec<&str> = found.pooled.iter().map(|one| one.metric.as_str()).collect();
    assert_eq!(metrics, ids);
    assert_eq!(found.observations.len(), 12);
    for one in &found.observations {
        for id in ids.iter().chain(&["group_mce_max_supported"]) {
            let expected = runs[one.repeat].value(&one.method, id);
            assert_eq!(one.values[*id], Some(expected), "{} {id}", one.method);
        }
    }
    let column = |id: &str, method: Option<&str>| -> Vec<f64> {
        let kept = |one: &&localcal::analysis::correlation::Observation| method.is_none_or(|name| one.method == name);
        let kept = found.observations.iter().filter(kept);
        kept.map(|one| one.values[id].expect("defined")).collect()
    };
    for (k, id) in ids.iter().enumerate() {
        let r = pearson(&column(id, None), &column("group_mce_max_supported", None));
        assert_eq!((found.pooled[k].r, found.pooled[k].n), (r, 12), "{id}");
        for one in &found.per_method {
            let name = Some(one.method.as_str());
            let r = pearson(&column(id, name), &column("group_mce_max_supported", name));
            assert_eq!((one.metrics[k].r, one.metrics[k].n), (r, 4), "{id}");
        }
    }
    let Some(Block::Reading(words)) = found.sheet.blocks.first() else { panic!("the reading comes first") };
    assert!(
        words.contains(" has the highest correlation with Group MCE (largest), 20 rows or more (r = ")
            && words.contains(", 12 observations"),
        "{words}"
    );
    let table = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    let table = table.expect("a table");
    assert_eq!((table.columns.len(), table.rows.len()), (5, 7));
    assert!(table.rows.iter().all(|row| row[1].beneath == "n = 12"));
    let figures = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Figures(figures) => Some(figures.len()),
        _ => None,
    });
    assert_eq!(figures, Some(7));
    let csv = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Download { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let csv = csv.expect("a file");
    assert!(
        csv.starts_with(
            "repeat,method,ece,mce,nll,brier,mlce,mlce_supported,mean_lce,group_mce_max_supported\n1,none,"
        )
    );
    assert_eq!(csv.lines().count(), 13);
}

#[test]
fn what_does_not_vary_is_said() {
    // Five folds score every row: what is left alone is the same every time.
    let text = format!("p,y,site,x1,x2\n{}", rows(600, 9, ""));
    let data = open(&text, json!({ "roles": { "site": "group" }, "split": { "folds": 5 } }));
    let ran = data.run(json!({ "resamples": 0, "bins": 5 }));
    let found = correlated(&data, &ran, json!({ "repeats": 3 })).expect("correlated");
    assert_eq!(found.settings.groups, Some(vec!["site".to_owned()]));
    for one in found.pooled.iter().chain(&found.per_method[0].metrics) {
        assert_eq!((one.r, one.n), (None, 3));
        assert_eq!(one.reason.as_deref(), Some("the same in every observation"));
    }
    assert!(matches!(&found.sheet.blocks[0], Block::Reading(words)
        if words == "No correlation with Group MCE (largest), 20 rows or more can be computed: the same in every observation."));
    let few = correlated(&data, &ran, json!({ "repeats": 2, "metrics": ["nll", "mlce"] }));
    let few = few.expect("correlated").pooled;
    assert_eq!(few[0].reason.as_deref(), Some("fewer than three observations"));
    assert_eq!((few[1].n, few[1].reason.as_deref()), (0, Some("no_local_settings")));
}

#[test]
fn a_column_may_name_the_repeats() {
    let mut text = "p,y,site,x1,x2,split,seed\n".to_owned();
    for seed in [1, 2, 3] {
        for (set, n) in [("calibration", 60), ("test", 90)] {
            text += &rows(n, seed * 7 + n as u64, &format!(",{set},{seed}"));
        }
    }
    let data = open(&text, json!({ "roles": { "site": "group" } }));
    let ran = data.run(json!({ "methods": ["none", "platt"], "resamples": 0, "bins": 5 }));
    let found = correlated(&data, &ran, json!({ "against": "group_mce_max" })).expect("correlated");
    assert_eq!(found.settings.by.as_deref(), Some("seed"));
    // No bin of a group holds 20 of 90 rows: nothing is held against what is not defined, and that is said.
    let unasked = correlated(&data, &ran, json!({})).expect("correlated");
    assert!(unasked.pooled.iter().all(|one| one.r.is_none() && one.reason.is_some()));
    assert!(found.pooled.iter().all(|one| one.n == 6 && one.r.is_some()));
    assert!(found.per_method.iter().all(|one| one.metrics.iter().all(|one| one.n == 3)));
}

#[test]
fn each_file_is_a_repeat() {
    let files = [3, 4, 5].map(|seed| halves_of(900, seed));
    let runs = files.each_ref().map(|data| data.run(request(6)));
    let others = [&files[1], &files[2]];
    let names = ["one", "two", "three"];
    let found = correlated_beside(&files[0], &runs[0], &others, json!({ "names": names, "repeats": 5 }));
    let found = found.expect("correlated");
    assert_eq!(found.observations.len(), 9);
    for one in &found.observations {
        for (id, value) in &one.values {
            let expected = runs[one.repeat].value(&one.method, id);
            assert_eq!(*value, Some(expected), "{} {id}", one.method);
        }
    }
    assert!(found.pooled.iter().all(|one| one.n == 9 && one.r.is_some()));
    assert_eq!(found.settings.repeats, Some(3));
    // The five that were asked for are not passed over without a word.
    let told = "5 repeats were requested; with several files, each of the 3 is one repeat, split once.";
    assert_eq!(found.warnings[0].code, "repeats_ignored");
    assert_eq!(found.warnings[0].message, told);
    let said = |block: &Block| matches!(block, Block::Note(text) if text == told);
    assert!(found.sheet.blocks.iter().any(said));
    let fields = &found.sheet.fields;
    assert!(fields.iter().all(|field| field.option != "repeats"));
    let csv = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Download { text, .. } => Some(text.as_str()),
        _ => None,
    });
    assert!(csv.is_some_and(|text| text.contains("\none,none,") && text.contains("\nthree,histogram,")));

    let told = |others: &[&Opened], options: Value| {
        let error = correlated_beside(&files[0], &runs[0], others, options).expect_err("an error");
        format!("{}: {error}", error.code())
    };
    assert_eq!(
        told(&others, json!({ "by": "site" })),
        "invalid_option: With several files, each of them is one repeat."
    );
    let bare = open("p,y,x1,x2\n0.8,1,1,2\n0.6,0,2,1\n0.7,1,3,1\n0.9,0,1,1\n", json!({ "split": { "half": true } }));
    assert_eq!(told(&[&bare], json!({ "names": ["one", "bare"] })), "unknown_column: In bare: Unknown column “site”.");
}

#[test]
fn what_cannot_be_correlated_is_said() {
    let data = halves(60);
    let ran = data.run(json!({ "resamples": 0 }));
    let told = |options: Value| {
        let error = correlated(&data, &ran, options).expect_err("an error");
        assert!(!error.hint().is_empty());
        format!("{}: {error}", error.code())
    };
    assert_eq!(
        told(json!({ "metrics": ["p_code"] })),
        "invalid_option: The KLCE test is not available here: `p_code`."
    );
    assert_eq!(told(json!({ "against": "nothing" })), "unknown_metric: Unknown metric `nothing`.");
    assert!(told(json!({ "methods": ["platt"] })).starts_with("unknown_method: "));
    assert_eq!(told(json!({ "groups": ["where"] })), "unknown_column: Unknown column “where”.");
    assert_eq!(
        told(json!({ "repeats": 101 })),
        "invalid_option: repeats is 101; it must be a whole number from 1 to 100."
    );
    let bare = open("confidence,correct\n0.8,1\n0.6,0\n0.7,1\n0.9,0\n", json!({ "split": { "half": true } }));
    let ran = bare.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let error = correlated(&bare, &ran, json!({})).expect_err("an error");
    assert_eq!(format!("{}: {error}", error.code()), "groups_missing: No group column.");
}
