//! The groups of a file, their gaps and tests, through the whole pipeline.

use crate::support::pipeline::{Opened, Ran, open, try_open};
use crate::support::public::public;
use crate::support::sheet::reading;
use localcal::analysis::groups::GroupsOutcome;
use localcal::analysis::multiples::MultiplesOutcome;
use localcal::job::{DataSet, Outcome};
use localcal::metric::Reason;
use localcal::report::verdict::Finding;
use serde_json::{Value, json};

fn groups(data: &Opened, ran: &Ran, request: Value) -> GroupsOutcome {
    match data.try_analyse(ran, json!({ "groups": request })) {
        Ok(Outcome::Groups(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no groups"),
    }
}

fn multiples(data: &Opened, ran: &Ran, request: Value) -> MultiplesOutcome {
    match data.try_analyse(ran, json!({ "multiples": request })) {
        Ok(Outcome::Multiples(found)) => found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no diagrams"),
    }
}

/// 400 rows that say 0.5: women happen half the time, men in three quarters; five rows of others.
fn two_groups() -> Opened {
    let mut text = "p,y,sex,age\n".to_owned();
    for i in 0..200 {
        text += &format!("0.5,{},women,{}\n", i % 2, 20 + i % 40);
        text += &format!("0.5,{},men,{}\n", u8::from(i % 4 != 0), 20 + i % 40);
    }
    for i in 0..5 {
        text += &format!("0.5,{},others,{}\n", i % 2, 30 + i);
    }
    open(&text, json!({ "split": { "folds": 5 } }))
}

#[test]
fn the_group_that_is_wronged_stands_first() {
    let data = two_groups();
    let ran = data.run(json!({ "methods": ["none", "platt"], "resamples": 0 }));
    let found = groups(&data, &ran, json!({ "columns": ["sex"] }));
    let names: Vec<&str> = found.groups.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["men", "others", "women"]);
    let men = &found.groups[0];
    assert_eq!((men.n, men.events), (200, 150));
    assert!((men.gap + 0.25).abs() < 1e-12 && (men.excess_events - 50.0).abs() < 1e-9);
    assert!(men.interval[0] < -0.25 && men.interval[1] > -0.25 && men.interval[1] < 0.0);
    // 2 Φ(−0.25 / √(.25/200)), since twice the tail of 150 or more of 200 fair coins is smaller (8.4e-13); then of
    // three tests
    assert!((men.p / 1.537_459_794_428_018e-12 - 1.0).abs() < 1e-6, "{}", men.p);
    assert!((men.p_holm - 3.0 * men.p).abs() < 1e-20);
    assert_eq!(found.groups[2].p, 1.0);
    // (z(1 − .025/3) + z(.8)) √(.25/200)
    assert!((men.detectable - (2.393_980_1 + 0.841_621_2) * 0.035_355_339).abs() < 1e-6);
    let words = format!("{:?}", found.sheet.blocks[0]);
    assert!(words.contains("Probabilities are underestimated by 25.0 percentage points for sex = men"), "{words}");
    // an export says nothing of five rows
    assert!(found.csv.contains("\nothers,<10,"), "{}", found.csv);
    assert!(found.csv.contains("\nmen,200,150,0.5,0.75,"));
    assert_eq!(found.methods.len(), 2);
    assert_eq!(found.methods[0].mce_max, 0.25);
}

#[test]
fn numbers_are_cut_and_columns_are_crossed() {
    let data = two_groups();
    let ran = data.run(json!({ "resamples": 0 }));
    let by_age = groups(&data, &ran, json!({ "columns": ["age"], "quantiles": 2 }));
    assert_eq!(by_age.groups.len(), 2);
    assert_eq!(by_age.groups.iter().map(|g| g.n).sum::<usize>(), 405);
    let pairs = groups(&data, &ran, json!({ "columns": ["sex", "age"], "quantiles": 2 }));
    assert!(pairs.groups.iter().any(|g| g.name.starts_with("men, 20 to ")));
    assert_eq!(pairs.title, "sex × age");
    let error = data.try_analyse(&ran, json!({ "groups": { "columns": ["sexx"] } })).unwrap_err();
    assert_eq!(error.code(), "unknown_column");
    assert!(error.to_string().contains("Unknown column “sexx”"));
    let error = data.try_analyse(&ran, json!({ "groups": { "columns": ["age"], "quantiles": 1 } })).unwrap_err();
    assert!(error.to_string().contains("quantiles is 1; it must be"), "{error}");
    let three = json!({ "groups": { "columns": ["sex", "age", "sex"] } });
    let error = data.try_analyse(&ran, three).unwrap_err();
    assert!(error.to_string().contains("one or two columns, not by 3"));
}

/// F8: eight rows, confidence and correctness, two groups.
fn f8(group: &str) -> Opened {
    let c = [0.90, 0.80, 0.85, 0.55, 0.45, 0.60, 0.40, 0.95];
    let (a, g) = ([1, 1, 0, 1, 1, 0, 1, 1], ["A", "A", "B", "B", "A", "B", "A", "B"]);
    let mut text = "confidence,correct,g,half\n".to_owned();
    for i in 0..8 {
        text += &format!("{},{},{},{}\n", c[i], a[i], g[i], i % 2);
    }
    let roles = json!({ "confidence": "confidence", "correct": "correct", "g": group, "half": group });
    open(&text, json!({ "roles": roles, "split": { "half": true } }))
}

const OF_GROUPS: [&str; 4] = ["mce", "group_ece_max", "group_ece_mean", "group_mce_max"];

#[test]
fn a_run_knows_the_worst_group() {
    let data = f8("group");
    let request = |groups: Value, resamples: usize| {
        json!({
            "metrics": OF_GROUPS, "bins": 5, "evaluate_on": "all", "resamples": resamples, "groups": groups,
        })
    };
    let ran = data.run(request(json!(null), 200));
    for (id, value) in OF_GROUPS.into_iter().zip([0.6, 0.4625, 0.4125, 0.6]) {
        assert!((ran.value("none", id) - value).abs() < 1e-12, "{id}");
    }
    assert_eq!(ran.outcome().report.settings.groups, Some(vec!["g".to_owned()]));
    let metric = |id: &str| ran.method("none").metrics[id].clone();
    for id in ["group_ece_max", "group_mce_max"] {
        let found = metric(id);
        assert_eq!((found.low, found.reason.as_ref().map(Reason::text).as_deref()), (None, Some("maximum")), "{id}");
        assert!(found.floor_low < found.floor_mean && found.floor_mean < found.floor_high);
    }
    let mean = metric("group_ece_mean");
    assert!(mean.low.is_some() && mean.floor_mean.is_some() && mean.reason.is_none());
    // as the analysis of the same groups says
    for columns in [json!(["g"]), json!(["half"]), json!(["g", "half"])] {
        let ran = data.run(request(columns.clone(), 0));
        let found = groups(&data, &ran, json!({ "columns": columns }));
        let worst = (found.methods[0].ece_max, found.methods[0].mce_max);
        let ours = (ran.value("none", "group_ece_max"), ran.value("none", "group_mce_max"));
        assert_eq!(ours, worst);
        assert!(ours.1 >= ran.value("none", "mce") - 1e-12);
    }
}

#[test]
fn metrics_of_groups_need_groups() {
    let data = f8("ignore");
    let ran = data.run(json!({ "metrics": OF_GROUPS, "evaluate_on": "all", "resamples": 50 }));
    for id in &OF_GROUPS[1..] {
        let found = &ran.method("none").metrics[*id];
        assert_eq!((found.value, found.reason.as_ref().map(Reason::text).as_deref()), (None, Some("groups_missing")));
    }
    let told = |groups: Value| {
        let asked = json!({ "metrics": ["group_mce_max"], "groups": groups });
        let error = data.try_run(asked).expect_err("an error");
        assert!(!error.hint().is_empty());
        format!("{}: {error}", error.code())
    };
    assert_eq!(told(json!(["gg"])), "unknown_column: Unknown column “gg”.");
    assert_eq!(told(json!(["g", "half", "g"])), "invalid_option: Groups are defined by one or two columns, not by 3.");
    // One group that holds every row is the whole; rows without a group are left out.
    let text = "confidence,correct,g\n0.9,1,A\n0.7,0,A\n0.6,1,A\n0.2,1,\n";
    let roles = json!({ "confidence": "confidence", "correct": "correct", "g": "group" });
    let data = open(text, json!({ "roles": roles, "split": { "half": true } }));
    let ran = data.run(json!({ "metrics": OF_GROUPS, "evaluate_on": "all", "resamples": 0 }));
    assert!((ran.value("none", "mce") - 0.8).abs() < 1e-12);
    assert!((ran.value("none", "group_mce_max") - 0.7).abs() < 1e-12);
    assert_eq!(ran.value("none", "group_ece_max"), ran.value("none", "group_ece_mean"));
}

#[test]
fn a_file_without_groups_says_so() {
    let data = open("p,y\n0.2,0\n0.7,1\n0.6,0\n", json!({ "split": { "half": true } }));
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let error = data.try_analyse(&ran, json!({ "groups": {} })).unwrap_err();
    assert_eq!(error.code(), "groups_missing");
    assert!(error.to_string().contains("No group column"));
}

#[test]
fn compas_by_race() {
    let name = "compas-scores-two-years.csv";
    let Some(bytes) = public(name) else { return };
    let roles = json!({ "two_year_recid": "label", "decile_score": "probability", "race": "group" });
    let options = json!({ "view": "top_label", "roles": roles, "positive": "1", "rows": "drop" });
    let data = try_open(&[(name, &bytes)], options).unwrap();
    let ran = data.run(json!({ "evaluate_on": "all", "bins": { "count": 5 }, "resamples": 0 }));
    let found = groups(&data, &ran, json!({ "columns": ["race"] }));
    for (race, n, ece, mce) in [
        ("African-American", 3696, 0.10438312, 0.15775566),
        ("Asian", 32, 0.046875, 0.1125),
        ("Caucasian", 2454, 0.10028525, 0.16436877),
        ("Hispanic", 637, 0.14293564, 0.19771429),
        ("Native American", 18, 0.02222222, 0.05),
        ("Other", 377, 0.14469496, 0.15517241),
    ] {
        let group = found.groups.iter().find(|g| g.name == race).expect(race);
        assert_eq!(group.n, n, "{race}");
        assert!((group.ece - ece).abs() < 5e-9, "{race}: {}", group.ece);
        assert!((group.mce - mce).abs() < 5e-9, "{race}: {}", group.mce);
    }
    assert!((found.methods[0].mce_max - 0.19771429).abs() < 5e-9);
}

#[test]
fn a_diagram_for_every_class() {
    let mut text = "p_a,p_b,p_c,y\n".to_owned();
    for i in 0..60 {
        text += ["0.8,0.1,0.1,a\n", "0.2,0.6,0.2,c\n", "0.1,0.1,0.8,c\n"][i % 3];
    }
    let data = open(&text, json!({ "split": { "folds": 3 } }));
    let ran = data.run(json!({ "resamples": 0 }));
    let found = multiples(&data, &ran, json!({ "by": "class" }));
    let of: Vec<(&str, usize)> = found.of.iter().map(|one| (one.name.as_str(), one.n)).collect();
    // c is off by .1, .8 and .2; b, which never happens, by its own .1, .6 and .1
    assert_eq!(of, [("c", 60), ("b", 60), ("a", 60)]);
    assert!((found.of[0].ece.unwrap() - 1.1 / 3.0).abs() < 1e-12);
    assert!((found.of[1].gap - 0.8 / 3.0).abs() < 1e-12);
    let few = open("p,y\n0.2,0\n0.7,1\n0.6,0\n", json!({ "split": { "half": true } }));
    let ran = few.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let two = multiples(&few, &ran, json!({ "by": "class" }));
    assert_eq!(two.of.len(), 2);
    let only = open("confidence,correct\n0.8,1\n0.6,0\n", json!({}));
    let ran = only.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let error = only.try_analyse(&ran, json!({ "multiples": { "by": "class" } })).unwrap_err();
    assert_eq!(error.code(), "classes_missing");
}

/// Outcomes drawn from the probabilities of a ten-class model.
fn ten_classes(rows: usize, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f64 + 0.5) / (1_u64 << 31) as f64
    };
    let names: Vec<String> = (0..10).map(|k| format!("prob_{k}")).collect();
    let mut text = names.join(",") + ",label,x,copy,right\n";
    for _ in 0..rows {
        let z: Vec<f64> = (0..10).map(|_| (6.0 * uniform()).exp()).collect();
        let total: f64 = z.iter().sum();
        let p: Vec<f64> = z.iter().map(|z| z / total).collect();
        let (u, mut below, mut class) = (uniform(), 0.0, 9);
        for (k, p) in p.iter().enumerate() {
            below += p;
            if u < below {
                class = k;
                break;
            }
        }
        let top = (0..10).max_by(|&a, &b| p[a].total_cmp(&p[b])).unwrap();
        let cells: Vec<String> = p.iter().map(f64::to_string).collect();
        let right = if top == class { "hit" } else { "miss" };
        text += &format!("{},{class},{},kind {class},{right}\n", cells.join(","), uniform());
    }
    text
}

/// A perfectly calibrated model is wrong about every row of one outcome: groups by it prove nothing.
#[test]
fn groups_by_the_outcome_have_no_test() {
    let roles = json!({ "copy": "group", "right": "group" });
    let mut by_class = 0;
    for seed in 0..20 {
        let data = open(&ten_classes(600, seed), json!({ "roles": roles }));
        let ran = data.run(json!({ "resamples": 0 }));
        for column in ["label", "copy", "right"] {
            let found = groups(&data, &ran, json!({ "columns": [column] }));
            assert_eq!(found.verdict.finding, Finding::Untested, "{column}");
            assert!(found.groups.iter().all(|group| group.p.is_nan() && group.p_holm.is_nan()));
            let words = reading(&found.sheet);
            assert!(words.starts_with(&format!("“{column}”")) && words.contains("there is no p-value"), "{words}");
            assert!(words.ends_with("Use the predicted class instead."), "{words}");
            assert!(!found.csv.contains("NaN"), "{}", found.csv);
        }
        let both = groups(&data, &ran, json!({ "columns": ["x", "label"] }));
        assert_eq!(both.verdict.finding, Finding::Untested);
        let found = groups(&data, &ran, json!({ "columns": ["predicted class"] }));
        assert_eq!(found.groups.len(), 10);
        by_class += u32::from(found.verdict.is_supported());
    }
    // 1 is expected at most; the level is that of all ten groups
    assert!(by_class <= 2, "{by_class} of 20");
}

/// What nobody chose is known before anything happens.
#[test]
fn the_predicted_class_is_the_usual_group_of_many_classes() {
    let roles = json!({ "copy": "ignore", "right": "ignore" });
    let data = open(&ten_classes(400, 3), json!({ "roles": roles }));
    let ran = data.run(json!({ "resamples": 0 }));
    let found = groups(&data, &ran, json!({}));
    assert_eq!(found.title, "predicted class");
    let n: usize = found.groups.iter().map(|group| group.n).sum();
    assert_eq!(n, 400);
}

/// A feature that tells the outcome is said to, is left out of what nobody chose, and gives no p-value to who chose it.
#[test]
fn no_analysis_conditions_on_the_outcome_unnoticed() {
    let mut text = "p,y,x1,x2,leak,site\n".to_owned();
    for i in 0..200_usize {
        let p = ((i * 37) % 97) as f64 / 97.0;
        let y = u8::from(((i * 61) % 89) as f64 / 89.0 < p);
        let place = |k: usize| (1 + (i * k) % 101) as f64 / 102.0;
        text += &format!("{p},{y},{},{},{},{}\n", place(13), place(29), f64::from(y) + 0.3 * place(7), i % 3);
    }
    let roles = json!({ "x1": "feature", "x2": "feature", "leak": "feature", "site": "group" });
    let data = open(&text, json!({ "roles": roles, "split": { "folds": 3 } }));
    let Outcome::Data(DataSet { summary, .. }) = &data.0 else { panic!("no data") };
    let told = summary.warnings.iter().find(|w| w.code == "column_tells_outcome").expect("a warning");
    assert_eq!(told.column.as_deref(), Some("leak"));
    let run = |features: Value| {
        let local = json!({ "features": features, "gamma": 0.3 });
        data.run(json!({ "resamples": 0, "metrics": ["ece", "p_bernoulli", "mlce"], "local": local }))
    };
    let ran = run(Value::Null);
    let used = ran.outcome().report.settings.local.clone().expect("local").features;
    assert_eq!(serde_json::to_value(used).expect("JSON"), json!(["x1", "x2"]));
    assert!(ran.metric("none", "p_bernoulli").value.is_some());
    let leaky = run(json!(["x1", "leak"]));
    let p = leaky.metric("none", "p_bernoulli");
    assert_eq!((p.value, p.reason.as_ref().map(Reason::text).as_deref()), (None, Some("features_tell_outcome")));
    let features = json!(["x1", "leak"]);
    for question in [
        json!({ "neighbourhoods": { "features": features } }),
        json!({ "region": { "features": features, "rows": [1, 2, 3, 4, 5, 6] } }),
        json!({ "klce": { "features": features } }),
        json!({ "witness": { "features": features } }),
        json!({ "bias_plot": { "covariate": "leak" } }),
        json!({ "bias_plot": { "by": "leak" } }),
        json!({ "proximity": { "features": features } }),
        json!({ "proximity_sweep": { "features": features, "neighbours": [3, 5] } }),
        json!({ "inference": { "of": "leak" } }),
        json!({ "groups": { "columns": ["site", "leak"] } }),
        json!({ "multiples": { "by": "group", "columns": ["leak"] } }),
    ] {
        let found = match data.try_analyse(&ran, question.clone()) {
            Ok(found) => found,
            Err(error) => panic!("{question}: {} {error}", error.code()),
        };
        let (verdict, words) = match found {
            Outcome::Neighbourhoods(found) => (found.verdict.clone(), found.reading.clone()),
            Outcome::Region(found) => (found.verdict.clone(), found.reading.clone()),
            Outcome::Klce(found) => (found.verdict.clone(), reading(&found.sheet).to_owned()),
            Outcome::Witness(found) => (found.verdict.clone(), reading(&found.sheet).to_owned()),
            Outcome::BiasPlot(found) => (found.verdict.clone(), reading(&found.sheet).to_owned()),
            Outcome::ProximitySheet(found) => (found.verdict.clone(), reading(&found.sheet).to_owned()),
            Outcome::ProximitySweepSheet(found) => (found.verdict.clone(), reading(&found.sheet).to_owned()),
            Outcome::Inference(found) => (found.verdict.clone(), reading(&found.sheet).to_owned()),
            Outcome::Groups(found) => (found.verdict.clone(), reading(&found.sheet).to_owned()),
            Outcome::Multiples(found) => (found.verdict.clone(), reading(&found.sheet).to_owned()),
            other => panic!("{other:?}"),
        };
        assert_eq!(verdict.finding, Finding::Untested, "{question}: {words}");
        assert!(words.contains("“leak” reveals the outcome"), "{question}: {words}");
    }
}

/// 300 sites of 40 rows that are right, one of 60 that is not, and 4,700 of two rows.
fn many_sites() -> Opened {
    let mut text = "p,y,site\n".to_owned();
    let mut site = |name: &str, rows: usize, every: usize| {
        for i in 0..rows {
            text += &format!("0.5,{},{name}\n", u8::from(i % every == 0));
        }
    };
    for k in 0..300 {
        site(&format!("middle {k}"), 40, 2);
    }
    site("wrong", 60, 20);
    for k in 0..4700 {
        site(&format!("tiny {k}"), 2, 2);
    }
    open(&text, json!({ "roles": { "site": "ignore" } }))
}

#[test]
fn five_thousand_sites_are_groups() {
    let data = many_sites();
    let ran = data.run(json!({ "methods": ["none", "platt"], "resamples": 0 }));
    // nobody gave the column a role: it stands among the choices, as the first
    let found = groups(&data, &ran, json!({}));
    assert_eq!(found.title, "site");
    assert_eq!(found.groups.len(), 302);
    assert_eq!(found.groups[0].name, "wrong");
    assert!(found.groups[0].p_holm < 0.001);
    let together =
        found.groups.iter().find(|group| group.name == "4,700 groups of fewer than 10 rows, together").unwrap();
    assert_eq!(together.n, 9400);
    assert_eq!(found.groups.iter().map(|group| group.n).sum::<usize>(), 300 * 40 + 60 + 9400);
    // the top of the list is shown, the file has all
    let words = format!("{:?}", found.sheet.blocks);
    assert!(words.contains("Only the 24 of 302 groups with the most excess or missing events are drawn."), "unsaid");
    assert!(words.contains(
        "Only the 100 of 302 groups with the most excess or missing events are listed. The file \
         groups.csv contains all."
    ));
    assert_eq!(found.csv.lines().count(), 303);
    let lines = found.sheet.blocks.iter().filter_map(|block| match block {
        localcal::report::sheet::Block::Table(table) => Some((table.rows.len(), table.columns.len())),
        _ => None,
    });
    assert_eq!(lines.collect::<Vec<_>>(), [(100, 11), (2, 22)]);
}

#[test]
fn what_names_every_row_is_no_group() {
    let mut text = "p,y,name\n".to_owned();
    for i in 0..500 {
        text += &format!("0.5,{},person {i}\n", i % 2);
    }
    let data = open(&text, json!({ "roles": { "name": "ignore" } }));
    let ran = data.run(json!({ "resamples": 0 }));
    let error = data.try_analyse(&ran, json!({ "groups": { "columns": ["name"] } })).unwrap_err();
    assert_eq!(error.code(), "invalid_option");
}

/// A ward whose rows all calibrate has values of the original predictions, which are evaluated on all rows, and of no other.
#[test]
fn a_group_without_evaluated_rows_has_no_values_of_other_methods() {
    let mut text = "p,y,ward,part\n".to_owned();
    for i in 0..300 {
        let part = if i % 3 == 0 { "calibration" } else { "test" };
        let ward = if i % 6 == 0 { "C" } else { ["A", "B"][i % 2] };
        text += &format!("0.{}5,{},{ward},{part}\n", 1 + i % 8, u8::from(i % 8 > 2 + i % 3));
    }
    let data = open(&text, json!({ "split": { "column": "part" } }));
    let ran = data.run(json!({ "methods": ["none", "platt"], "evaluate_on": "all", "resamples": 0 }));
    let found = groups(&data, &ran, json!({ "columns": ["ward"] }));
    let place = found.groups.iter().position(|group| group.name == "C").unwrap();
    assert_eq!(found.groups[place].n, 50);
    assert!(found.methods.iter().all(|method| method.values[place].is_none() && method.ece_max.is_finite()));
}

/// 176 rows with a predicted probability of 2%: more events than expected vary more than the expected ones, and no event at all has
/// p = 0.06 before any adjustment.
#[test]
fn rare_events_are_detected_as_far_as_the_test_allows() {
    let mut text = "p,y,ward\n".to_owned();
    for ward in ["A", "B", "C", "D", "E", "F"] {
        for row in 0..176 {
            text += &format!("0.02,{},{ward}\n", u8::from(row % 50 == 0));
        }
    }
    let data = open(&text, json!({ "split": { "folds": 5 } }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 0 }));
    let found = groups(&data, &ran, json!({ "columns": ["ward"] }));
    let size = found.groups[0].detectable;
    // twice P(X ≥ k) is at most 0.05/6 from k = 10 on; SciPy: binom.sf(9, 176, 0.070415) = 0.8
    assert!((size - 0.050_415).abs() < 1e-5, "{size}");
    let words = format!("{:?}", found.sheet.blocks);
    assert!(
        words.contains("it reaches 80% where they are underestimated by 5.0 percentage points or more. No overestimation is detectable"),
        "{words}"
    );
}
