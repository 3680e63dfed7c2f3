//! Several models beside each other: each scored as the last run was, on its own rows.

use crate::support::draws::park_miller;
use crate::support::pipeline::{self, Opened, Ran, asked, carried_out, near, planned, try_open};
use crate::support::sheet::{reading, tables};
use localcal::analysis::models::{ModelPoint, ModelVerdict, ModelsOutcome, PairedModels, PairedValue};
use localcal::error::Result;
use localcal::feature::FeatureChoice;
use localcal::job::{Call, Job, JobInputs, Outcome, execute_after};
use localcal::metric::clinical::weighted_intercept_slope;
use localcal::num::quantile::quantile_sorted;
use localcal::num::rng::Lanes;
use localcal::report::sheet::{Block, Tone};
use serde_json::{Value, json};
use statrs::distribution::{ContinuousCDF, Normal};

fn beside(data: &Opened, ran: &Ran, others: &[&Opened], options: Value) -> Result<ModelsOutcome> {
    match data.try_analyse_beside(ran, others, json!({ "models": options }))? {
        Outcome::Models(found) => Ok(found),
        _ => panic!("not models"),
    }
}

/// `n` predictions of which the far third promises `less` too much; places are called after `place`.
fn model(name: &str, n: usize, less: f64, place: &str) -> Opened {
    let mut next = park_miller(21 + n as u64);
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
        reading(&found.sheet),
        "Before recalibration, 2 of 3 models have a significant proximity bias (adjusted for 3 models): resnet, \
         bert."
    );
    let table = tables(&found.sheet)[0];
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
    assert_eq!((point.p, tables(&found.sheet)[0].columns.len()), (None, 5));
    assert!(
        reading(&found.sheet).starts_with("Mean LCE of 2 models before recalibration: best a"),
        "{}",
        reading(&found.sheet)
    );
    let named = json!({ "y": "group_mce_max", "names": ["old", "new"] });
    let found = beside(&first, &ran, &[&second], named).expect("models");
    assert_eq!(reading(&found.sheet), "Group MCE (largest) is unavailable for all 2 models: groups_missing.");
    assert_eq!(found.points[3].model, "new");
    let alone = beside(&first, &ran, &[], json!({})).expect("a model");
    assert_eq!(alone.points.len(), 3);
    assert!(reading(&alone.sheet).starts_with("One model is open"));
}

#[test]
fn a_feature_map_stays_with_its_file() {
    let (first, second) = (model("a.csv", 200, 0.3, "x"), model("b.csv", 150, 0.0, "x"));
    let projection = pipeline::request(json!({ "name": "map", "scale": "standardise", "pca": 2 }));
    let map = asked(Call::Project { projection }, &[&first.0]).expect("a map");
    // What the pool does: every job gets the maps, too.
    let with_map = Call::Plan { request: pipeline::request(json!({ "resamples": 0, "local": { "features": "map" } })) };
    let ran = carried_out(with_map, JobInputs { needs: &[&first.0], maps: &[&map] }).expect("a run");
    let given = JobInputs { needs: &[&first.0, &ran, &second.0], maps: &[&map] };
    let nodes =
        planned(Call::PlanAnalysis { request: pipeline::request(json!({ "models": {} })) }, given).expect("a plan");
    for node in &nodes {
        if let Job::SearchProximity(search) = &node.job {
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
    assert_eq!(
        told(&other, json!({ "y": "p_code" })),
        "invalid_option: The KLCE test is not available here: `p_code`."
    );
    assert_eq!(told(&other, json!({ "names": ["one"] })), "invalid_option: 1 names for 2 files.");
    assert!(told(&other, json!({ "x": "size" })).starts_with("unknown_metric: "));
    assert!(told(&other, json!({ "methods": ["size"] })).starts_with("unknown_method: "));
    assert_eq!(told(&model("b.csv", 200, 0.3, "z"), json!({})), "unknown_column: In b: Unknown column or array `x1`.");
    let open =
        |text: &str| try_open(&[("c.csv", text.as_bytes())], json!({ "split": { "half": true } })).expect("opened");
    let probabilities = open("p,y,x1,x2\n0.2,0,1,1\n0.7,1,2,1\n0.6,0,3,1\n0.9,1,4,1\n");
    assert_eq!(
        told(&probabilities, json!({ "y": "ece" })),
        "unsupported_view: Results for a probability and for the confidence of the predicted class are not comparable: c."
    );
    assert_eq!(
        told(&open("confidence\n0.8\n0.7\n0.6\n"), json!({ "y": "ece" })).split(": ").next(),
        Some("label_missing")
    );
}

/// `n` rows of a common cause, their outcomes, and what each of two models that saw it with noise of its own says: right
/// for what it saw.
fn of_one_cohort(n: usize, seed: u64) -> [Vec<f64>; 3] {
    let mut next = park_miller(seed);
    let mut normal = || (-2.0 * next().max(1e-12).ln()).sqrt() * (std::f64::consts::TAU * next()).cos();
    let probit = Normal::standard();
    let (mut y, mut first, mut second) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..n {
        let (x, a, b, noise) = (normal(), normal(), normal(), normal());
        // y = 1 where x + noise > 0.5; of x + a, of variance 2, is known: x = (x + a)/2 and variance 1/2 around it
        y.push(f64::from(u8::from(x + noise > 0.5)));
        let said = |seen: f64| probit.cdf((0.5 * seen - 0.5) / 1.5_f64.sqrt());
        first.push(said(x + a));
        second.push(said(x + b));
    }
    [y, first, second]
}

fn written(name: &str, y: &[f64], p: &[f64], more: &[(&str, Vec<String>)]) -> Opened {
    let heads: String = more.iter().map(|(head, _)| format!(",{head}")).collect();
    let mut text = format!("p,y{heads}\n");
    for (i, (p, y)) in p.iter().zip(y).enumerate() {
        let cells: String = more.iter().map(|(_, cells)| format!(",{}", cells[i])).collect();
        text += &format!("{p},{y}{cells}\n");
    }
    let mut roles = json!({ "p": "probability", "y": "label" });
    for (head, _) in more {
        roles[*head] = if *head == "row_id" { json!("id") } else { json!("group") };
    }
    try_open(&[(name, text.as_bytes())], json!({ "roles": roles })).expect("opened")
}

fn paired(found: &ModelsOutcome) -> &PairedModels {
    found.paired.as_ref().expect("pairs")
}

fn of<'a>(found: &'a PairedModels, id: &str, model: usize) -> &'a PairedValue {
    &found.metrics.iter().find(|metric| metric.id == id).expect("a metric").values[model]
}

#[test]
fn pairs_are_what_a_direct_computation_says() {
    let [y, first, good] = of_one_cohort(600, 5);
    // too extreme, and too high
    let second: Vec<f64> = good.iter().map(|p| 1.0 / (1.0 + ((1.0 - p) / p).powf(2.2) / 2.0)).collect();
    let ward: Vec<String> = (0..600).map(|i| ["north", "south"][i % 2].to_owned()).collect();
    let more = [("ward", ward)];
    let (open, other) = (written("a.csv", &y, &first, &more), written("b.csv", &y, &second, &more));
    let ids = ["intercept_large", "slope", "auroc", "brier", "scaled_brier", "nll"];
    let ran = open.run(json!({ "metrics": ids, "resamples": 0, "seed": 3 }));
    let own = other.run(json!({ "metrics": ids, "resamples": 0, "seed": 3 }));
    let found = beside(&open, &ran, &[&other], json!({ "y": "ece", "resamples": 400 })).expect("models");
    let pairs = paired(&found);
    assert_eq!((pairs.rows, pairs.resamples, pairs.comparisons, pairs.left_out.len()), (600, 400, 7, 0));
    for id in ids {
        near(of(pairs, id, 0).value.expect("known"), ran.value("none", id), 1e-9);
        near(of(pairs, id, 1).value.expect("known"), own.value("none", id), 1e-9);
    }
    let (observed, said): (f64, f64) = (y.iter().sum(), second.iter().sum());
    near(of(pairs, "observed_expected", 1).value.expect("known"), observed / said, 1e-12);

    // the same rows, drawn again by the same stream
    let t: Vec<u8> = y.iter().map(|y| u8::from(*y > 0.5)).collect();
    let (mut brier, mut slope) = (Vec::new(), Vec::new());
    for r in 0..400 {
        let mut counts = vec![0u8; 600];
        Lanes::seeded(3, 2 * r).fill_poisson(&mut counts);
        let w: Vec<f64> = counts.iter().map(|&w| f64::from(w)).collect();
        let of_model = |p: &[f64]| (0..600).map(|i| w[i] * (p[i] - y[i]).powi(2)).sum::<f64>() / w.iter().sum::<f64>();
        brier.push(of_model(&second) - of_model(&first));
        let of_model =
            |p: &[f64]| weighted_intercept_slope(p, &t, Some(&w)).expect("fits").slope.expect("a slope").value;
        slope.push(of_model(&second) - of_model(&first));
    }
    let ends = |mut draws: Vec<f64>| {
        draws.sort_by(f64::total_cmp);
        [0.025, 0.975].map(|q| quantile_sorted(&draws, q).expect("draws"))
    };
    let [low, high] = ends(brier);
    let difference = of(pairs, "brier", 1).difference.as_ref().expect("paired");
    near(difference.low, low, 1e-12);
    near(difference.high, high, 1e-12);
    // one Newton step instead of a whole fit
    let [low, high] = ends(slope);
    let difference = of(pairs, "slope", 1).difference.as_ref().expect("paired");
    near(difference.low, low, 0.06 * (high - low));
    near(difference.high, high, 0.06 * (high - low));
    // what is said is what the corrected intervals bear
    let differences =
        pairs.metrics.iter().flat_map(|metric| &metric.values).filter_map(|value| value.difference.as_ref());
    let told = differences.filter(|found| found.standing != ModelVerdict::Unclear).count();
    assert_eq!(found.verdict.is_supported(), told > 0);
    assert_eq!(
        pairs.sentence.starts_with("On the same 600 rows, there is no significant difference between a and b"),
        told == 0,
        "{}",
        pairs.sentence
    );
    assert_eq!(reading(&found.sheet), pairs.sentence);

    // groups by hand
    assert_eq!(pairs.groups.len(), 4);
    let south = pairs.groups.iter().find(|group| group.group == "south" && group.model == "b").expect("a group");
    let rows: Vec<usize> = (0..600).filter(|i| i % 2 == 1).collect();
    near(south.gap, rows.iter().map(|&i| second[i] - y[i]).sum::<f64>() / 300.0, 1e-12);
    // net benefit by hand: acting on everybody at 0 is worth the rate
    assert_eq!(pairs.decision.len(), 2);
    near(pairs.decision[1].curve[0][1].unwrap(), observed / 600.0, 1e-12);
    assert!(pairs.decision[0].difference.is_empty() && pairs.decision[1].difference.len() == 61);
}

/// Two models as good as each other: a claim is chance.
#[test]
fn noise_is_no_difference() {
    let files: u32 = 120;
    let mut claimed = 0;
    for seed in 0..files {
        let [y, first, second] = of_one_cohort(250, 1_000 + 77 * u64::from(seed));
        let (open, other) = (written("a.csv", &y, &first, &[]), written("b.csv", &y, &second, &[]));
        let ran = open.run(json!({ "resamples": 0, "seed": seed, "metrics": ["ece"] }));
        let found = beside(&open, &ran, &[&other], json!({ "y": "ece", "resamples": 200 })).expect("models");
        let unclear =
            |value: &PairedValue| value.difference.as_ref().is_none_or(|d| d.standing == ModelVerdict::Unclear);
        let none = paired(&found).metrics.iter().all(|metric| metric.values.iter().all(unclear));
        assert_eq!(none, !found.verdict.is_supported());
        assert_eq!(
            none,
            reading(&found.sheet)
                .starts_with("On the same 250 rows, there is no significant difference between a and b")
        );
        claimed += u32::from(!none);
    }
    // 5 % of 120 are 6; more than 11 would be seen once in a hundred times
    assert!(claimed <= 11, "{claimed} of {files}");
}

#[test]
fn rows_are_the_same_by_ids_or_by_order_and_outcomes() {
    let [y, first, second] = of_one_cohort(200, 9);
    let ids: Vec<String> = (0..200).map(|i| format!("patient {}", (i * 37) % 200)).collect();
    let back = |values: &[f64]| values.iter().rev().copied().collect::<Vec<f64>>();
    let reversed: Vec<String> = ids.iter().rev().cloned().collect();
    let open = written("a.csv", &y, &first, &[("row_id", ids)]);
    let other = written("b.csv", &back(&y), &back(&second), &[("row_id", reversed)]);
    let plain = written("c.csv", &y, &second, &[]);
    let stranger = written("d.csv", &back(&y), &second, &[]);
    let ran = open.run(json!({ "resamples": 0, "metrics": ["ece"] }));
    let asked = json!({ "y": "ece", "resamples": 40 });
    let found = beside(&open, &ran, &[&other, &plain, &stranger], asked).expect("models");
    let pairs = paired(&found);
    assert_eq!(pairs.models, ["a", "b", "c"]);
    assert_eq!(pairs.left_out.len(), 1);
    assert!(pairs.left_out[0].model == "d" && pairs.left_out[0].reason.starts_with("the outcomes of "));
    // the same scores of the same rows, in another order
    for metric in &pairs.metrics {
        near(metric.values[1].value.expect("known"), metric.values[2].value.expect("known"), 1e-9);
    }
    let same = beside(&open, &ran, &[&open], json!({ "y": "ece", "resamples": 40 })).expect("models");
    assert!(
        paired(&same).metrics.iter().all(|metric| metric.values[1].difference.as_ref().is_some_and(|d| d.p == 1.0))
    );
}

/// Two files opened together are in the order of the open one: the other model's rows are found by their ids, also where each
/// has a confidence in other rows, and each has its own outcomes.
#[test]
fn rows_of_files_opened_together_are_the_same_in_any_order() {
    let n = 240;
    let mut next = park_miller(3);
    let mut answers = |missing: usize| -> Vec<String> {
        let answer = |i: usize| {
            let p = 0.3 + 0.6 * next();
            let right = u8::from(next() < p);
            let p = if i.is_multiple_of(missing) { String::new() } else { format!("{p:.6}") };
            format!("q{},{right},{},{p}\n", (i * 37) % n, ["law", "virology", "algebra"][i % 3])
        };
        (0..n).map(answer).collect()
    };
    let (first, second) = (answers(11), answers(7));
    let reversed: Vec<String> = second.iter().rev().cloned().collect();
    let text = |rows: &[String]| format!("id,correct,topic,p\n{}", rows.concat());
    let compared = |other: &[String]| {
        let (first, other) = (text(&first), text(other));
        let open = |model: &str| {
            let roles = json!({ "id": "id", "correct": "correct", "topic": "group", "p": "confidence" });
            let files = [("a.csv", first.as_bytes()), ("b.csv", other.as_bytes())];
            try_open(&files, json!({ "roles": roles, "rows": "drop", "model": model, "clusters": null }))
                .expect("opened")
        };
        let (a, b) = (open("a"), open("b"));
        let ran = a.run(json!({ "resamples": 0, "metrics": ["ece"] }));
        beside(&a, &ran, &[&b], json!({ "y": "ece", "resamples": 40 })).expect("models")
    };
    let (same, turned) = (compared(&second), compared(&reversed));
    let (same, turned) = (paired(&same), paired(&turned));
    assert_eq!((same.rows, &same.left_out), (turned.rows, &turned.left_out));
    assert!(same.rows > 180 && same.rows < n, "{}", same.rows);
    for (a, b) in same.metrics.iter().zip(&turned.metrics) {
        for (one, other) in a.values.iter().zip(&b.values) {
            near(one.value.expect("known"), other.value.expect("known"), 1e-12);
        }
    }
}
