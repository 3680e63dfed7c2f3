//! Several models beside each other: each scored as the last run was, on its own rows.

use crate::support::pipeline::{Opened, Ran, near, try_open};
use localcal::analysis::AnalysisRequest;
use localcal::analysis::models::{ModelPoint, ModelsOutcome};
use localcal::error::Result;
use localcal::feature::FeatureChoice;
use localcal::feature::projection::ProjectionRequest;
use localcal::job::{Call, Given, Job, Node, Outcome, Plan, execute_after, run};
use localcal::report::sheet::{Block, SheetTable, Tone};
use serde_json::{Value, json};
use statrs::distribution::{ContinuousCDF, Normal};

fn planned<'a>(given: impl Into<Given<'a>>, options: Value) -> Result<Vec<Node>> {
    let request: AnalysisRequest = serde_json::from_value(json!({ "models": options })).expect("a request");
    match run(&Job::Call(Call::PlanAnalysis { request }), given, vec![], &mut |_| ())? {
        Outcome::Plan(Plan { nodes, .. }) => Ok(nodes),
        _ => panic!("not a plan"),
    }
}

fn beside(data: &Opened, ran: &Ran, others: &[&Opened], options: Value) -> Result<ModelsOutcome> {
    match data.try_analyse_beside(ran, others, json!({ "models": options }))? {
        Outcome::Models(found) => Ok(found),
        _ => panic!("not models"),
    }
}

/// `n` predictions of which the far third promises `less` too much; places are called after `place`.
fn model(name: &str, n: usize, less: f64, place: &str) -> Opened {
    let mut state = 21 + n as u64;
    let mut next = || {
        state = state * 48_271 % 2_147_483_647;
        state as f64 / 2_147_483_647.0
    };
    let mut text = format!("confidence,correct,{place}1,{place}2\n");
    for _ in 0..n {
        let (c, far) = (0.5 + next() / 2.0, next() > 0.7);
        let spread = if far { 12.0 } else { 1.0 };
        let right = u8::from(next() < if far { c - less } else { c });
        text += &format!("{c},{right},{},{}\n", spread * (next() - 0.5), spread * (next() - 0.5));
    }
    let roles = json!({
        "confidence": "confidence", "correct": "correct", format!("{place}1"): "feature",
        format!("{place}2"): "feature",
    });
    let options = json!({ "roles": roles, "split": { "folds": 4 } });
    try_open(&[(name, text.as_bytes())], options).expect("opened")
}

fn request() -> Value {
    json!({
        "methods": ["none", "platt", "platt+density_ratio"], "metrics": ["accuracy", "ece", "bias_index", "bias_z"],
        "resamples": 0, "seed": 7, "bins": 10, "local": { "features": ["x1", "x2"], "gamma": 0.5 },
        "proximity": { "neighbours": 7 },
    })
}

fn point<'a>(found: &'a ModelsOutcome, model: &str, method: &str) -> &'a ModelPoint {
    let asked = |point: &&ModelPoint| point.model == model && point.method == method;
    found.points.iter().find(asked).expect("a point")
}

fn reading(found: &ModelsOutcome) -> &str {
    match found.sheet.blocks.first() {
        Some(Block::Reading(text)) => text,
        _ => panic!("the reading comes first"),
    }
}

fn table(found: &ModelsOutcome) -> &SheetTable {
    let table = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    table.expect("a table")
}

#[test]
fn each_is_what_its_own_run_says() {
    let models = [
        ("resnet.csv", model("resnet.csv", 1500, 0.3, "x")),
        ("vit.csv", model("vit.csv", 900, 0.0, "x")),
        ("bert.v2.csv", model("bert.v2.csv", 1200, 0.25, "x")),
    ];
    let [(_, first), (_, second), (_, third)] = &models;
    let ran = first.run(request());
    let found = beside(first, &ran, &[second, third], json!({})).expect("models");
    assert_eq!(found.points.len(), 9);
    let names = ["resnet", "vit", "bert"];
    for ((_, data), name) in models.iter().zip(names) {
        let own = data.run(request());
        for method in ["none", "platt", "platt+density_ratio"] {
            let point = point(&found, name, method);
            assert_eq!(point.x, Some(own.value(method, "accuracy")), "{name} {method}");
            assert_eq!(point.y, Some(own.value(method, "bias_index")), "{name} {method}");
            assert_eq!(point.rows, own.rows(method).rows.len());
            // p of the rank-sum test, three models
            let p = point.p.expect("a test");
            let z = own.value(method, "bias_z");
            near(p, 2.0 * Normal::standard().sf(z.abs()), 1e-12);
            assert_eq!(point.p_bonferroni, Some((3.0 * p).min(1.0)));
        }
    }
    assert_eq!(
        reading(&found),
        "Before any repair, 2 of 3 models show a proximity bias that is hardly chance (corrected for 3 models): resnet, bert."
    );
    let table = table(&found);
    assert_eq!(table.columns.len(), 7);
    let tone = |row: usize| table.rows[row][6].tone;
    assert_eq!([tone(0), tone(3), tone(6)], [Tone::Over, Tone::Plain, Tone::Over]);
    let csv = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Download { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let csv = csv.expect("a file");
    assert!(csv.starts_with("model,method,rows,accuracy,bias_index,p,p_bonferroni\nresnet,none,1500,"));
    let figures = found.sheet.blocks.iter().find_map(|block| match block {
        Block::Figures(figures) => figures.first(),
        _ => None,
    });
    let figure = figures.expect("a figure");
    assert_eq!(figure.table.rows.len(), 9);
    assert!(figure.table.rows[0][0].contains("resnet"), "{:?}", figure.table.rows[0]);
}

#[test]
fn any_metric_against_any_other() {
    let (first, second) = (model("a.csv", 400, 0.3, "x"), model("a.csv", 300, 0.0, "x"));
    let ran = first.run(request());
    let asked = json!({ "x": "ece", "y": "mean_lce", "methods": ["platt"] });
    let found = beside(&first, &ran, &[&second], asked).expect("models");
    let mut own = request();
    own["metrics"] = json!(["ece", "mean_lce"]);
    let own = second.run(own);
    // two files of one name are two models
    let point = point(&found, "a (2)", "platt");
    assert_eq!(point.x, Some(own.value("platt", "ece")));
    near(point.y.expect("known"), own.value("platt", "mean_lce"), 1e-15);
    assert_eq!((point.p, table(&found).columns.len()), (None, 5));
    assert!(reading(&found).starts_with("Mean LCE of 2 models before any repair: best a"), "{}", reading(&found));
    let named = json!({ "y": "group_mce_max", "names": ["old", "new"] });
    let found = beside(&first, &ran, &[&second], named).expect("models");
    assert_eq!(reading(&found), "Group MCE (largest) is not known of any of the 2 models: groups_missing.");
    assert_eq!(found.points[3].model, "new");
    let alone = beside(&first, &ran, &[], json!({})).expect("a model");
    assert_eq!(alone.points.len(), 3);
    assert!(reading(&alone).starts_with("One model so far"));
}

#[test]
fn a_feature_map_stays_with_its_file() {
    let (first, second) = (model("a.csv", 200, 0.3, "x"), model("b.csv", 150, 0.0, "x"));
    let projection: ProjectionRequest =
        serde_json::from_value(json!({ "name": "map", "scale": "standardise", "pca": 2 })).expect("a map");
    let map = run(&Job::Call(Call::Project { projection }), &[&first.0], vec![], &mut |_| ()).expect("a map");
    let asked = serde_json::from_value(json!({ "resamples": 0, "local": { "features": "map" } }));
    let job = Job::Call(Call::Plan { request: asked.expect("a request") });
    let Ok(Outcome::Plan(Plan { nodes, .. })) =
        run(&job, Given { needs: &[&first.0], maps: &[&map] }, vec![], &mut |_| ())
    else {
        panic!("not a plan")
    };
    // What the pool does: every job gets the maps, too.
    let ran = execute_after(&nodes, Given { needs: &[&first.0], maps: &[&map] }).expect("a run");
    let given = Given { needs: &[&first.0, &ran, &second.0], maps: &[&map] };
    let nodes = planned(given, json!({})).expect("a plan");
    for node in &nodes {
        if let Job::SearchNear(search) = &node.job {
            let columns = FeatureChoice::Many(vec!["x1".to_owned(), "x2".to_owned()]);
            assert_eq!(search.proximity.features, Some(columns));
        }
    }
    let Ok(Outcome::Models(found)) = execute_after(&nodes, given) else { panic!("not models") };
    assert!(found.points.iter().all(|point| point.y.is_some()));
}

#[test]
fn what_cannot_stand_beside_is_said() {
    let first = model("a.csv", 200, 0.3, "x");
    let ran = first.run(request());
    let told = |other: &Opened, options: Value| {
        let error = beside(&first, &ran, &[other], options).expect_err("an error");
        assert!(!error.hint().is_empty());
        format!("{}: {error}", error.code())
    };
    let other = model("b.csv", 200, 0.3, "x");
    assert_eq!(told(&other, json!({ "y": "p_code" })), "invalid_option: The trust test is not made here: `p_code`.");
    assert_eq!(told(&other, json!({ "names": ["one"] })), "invalid_option: 1 names for 2 files.");
    assert!(told(&other, json!({ "x": "size" })).starts_with("unknown_metric: "));
    assert!(told(&other, json!({ "methods": ["size"] })).starts_with("unknown_method: "));
    assert_eq!(
        told(&model("b.csv", 200, 0.3, "z"), json!({})),
        "unknown_column: In b: No column or array is called `x1`."
    );
    let open =
        |text: &str| try_open(&[("c.csv", text.as_bytes())], json!({ "split": { "half": true } })).expect("opened");
    let probabilities = open("p,y,x1,x2\n0.2,0,1,1\n0.7,1,2,1\n0.6,0,3,1\n0.9,1,4,1\n");
    assert_eq!(
        told(&probabilities, json!({ "y": "ece" })),
        "unsupported_view: Numbers of a probability do not compare with numbers of the confidence of the predicted class: c."
    );
    assert_eq!(
        told(&open("confidence\n0.8\n0.7\n0.6\n"), json!({ "y": "ece" })).split(": ").next(),
        Some("label_missing")
    );
}
