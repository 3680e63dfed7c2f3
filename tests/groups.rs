//! For whom: the groups of a file, their gaps and tests, through the whole pipeline.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

#[path = "golden_run/pipeline.rs"]
mod pipeline;

use localcal::job::Outcome;
use localcal::report::groups::GroupsOutcome;
use localcal::report::multiples::MultiplesOutcome;
use pipeline::{Opened, Ran, open, try_open};
use serde_json::{Value, json};

fn groups(data: &Opened, ran: &Ran, request: Value) -> GroupsOutcome {
    match data.try_analyse(ran, json!({ "groups": request })) {
        Ok(Outcome::Groups(found)) => *found,
        Err(error) => panic!("{}: {error}", error.code()),
        _ => panic!("no groups"),
    }
}

fn multiples(data: &Opened, ran: &Ran, request: Value) -> MultiplesOutcome {
    match data.try_analyse(ran, json!({ "multiples": request })) {
        Ok(Outcome::Multiples(found)) => *found,
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
    assert!((men.gap + 0.25).abs() < 1e-12 && (men.harm - 50.0).abs() < 1e-9);
    assert!(men.interval[0] < -0.25 && men.interval[1] > -0.25 && men.interval[1] < 0.0);
    // twice the tail of 150 or more of 200 fair coins, then of three tests
    assert!(
        (men.p / 8.393_020_875_604_775e-13 - 1.0).abs() < 1e-6,
        "{}",
        men.p
    );
    assert!((men.p_holm - 3.0 * men.p).abs() < 1e-20);
    assert_eq!(found.groups[2].p, 1.0);
    // (z(1 − .025/3) + z(.8)) √(.25/200)
    assert!((men.detectable - (2.393_980_1 + 0.841_621_2) * 0.035_355_339).abs() < 1e-6);
    let words = format!("{:?}", found.sheet.blocks[0]);
    assert!(
        words.contains("sex = men: the predicted probability is too low by 25.0"),
        "{words}"
    );
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
    let pairs = groups(
        &data,
        &ran,
        json!({ "columns": ["sex", "age"], "quantiles": 2 }),
    );
    assert!(pairs.groups.iter().any(|g| g.name.starts_with("men, 20–")));
    assert_eq!(pairs.title, "sex × age");
    let error = data
        .try_analyse(&ran, json!({ "groups": { "columns": ["sexx"] } }))
        .unwrap_err();
    assert_eq!(error.code(), "unknown_column");
    assert!(error.to_string().contains("There is no column “sexx”"));
    let error = data
        .try_analyse(
            &ran,
            json!({ "groups": { "columns": ["age"], "quantiles": 1 } }),
        )
        .unwrap_err();
    assert!(error.to_string().contains("cut into 1 groups"));
    let three = json!({ "groups": { "columns": ["sex", "age", "sex"] } });
    let error = data.try_analyse(&ran, three).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("of one column or of two, not of 3")
    );
}

/// F8: eight rows, confidence and correctness, two groups.
fn f8(group: &str) -> Opened {
    let c = [0.90, 0.80, 0.85, 0.55, 0.45, 0.60, 0.40, 0.95];
    let (a, g) = (
        [1, 1, 0, 1, 1, 0, 1, 1],
        ["A", "A", "B", "B", "A", "B", "A", "B"],
    );
    let mut text = "confidence,correct,g,half\n".to_owned();
    for i in 0..8 {
        text += &format!("{},{},{},{}\n", c[i], a[i], g[i], i % 2);
    }
    let roles =
        json!({ "confidence": "confidence", "correct": "correct", "g": group, "half": group });
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
    assert_eq!(
        ran.outcome().report.settings.groups,
        Some(vec!["g".to_owned()])
    );
    let metric = |id: &str| ran.method("none").metrics[id].clone();
    for id in ["group_ece_max", "group_mce_max"] {
        let found = metric(id);
        assert_eq!(
            (found.low, found.reason.as_deref()),
            (None, Some("maximum")),
            "{id}"
        );
        assert!(found.floor_low < found.floor_mean && found.floor_mean < found.floor_high);
    }
    let mean = metric("group_ece_mean");
    assert!(mean.low.is_some() && mean.floor_mean.is_some() && mean.reason.is_none());
    // as the analysis of the same groups says
    for columns in [json!(["g"]), json!(["half"]), json!(["g", "half"])] {
        let ran = data.run(request(columns.clone(), 0));
        let found = groups(&data, &ran, json!({ "columns": columns }));
        let worst = (found.methods[0].ece_max, found.methods[0].mce_max);
        let ours = (
            ran.value("none", "group_ece_max"),
            ran.value("none", "group_mce_max"),
        );
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
        assert_eq!(
            (found.value, found.reason.as_deref()),
            (None, Some("groups_missing"))
        );
    }
    let told = |groups: Value| {
        let asked = json!({ "metrics": ["group_mce_max"], "groups": groups });
        let error = data.try_run(asked).err().expect("an error");
        assert!(!error.hint().is_empty());
        format!("{}: {error}", error.code())
    };
    assert_eq!(
        told(json!(["gg"])),
        "unknown_column: There is no column “gg”."
    );
    assert_eq!(
        told(json!(["g", "half", "g"])),
        "invalid_option: Groups are of one column or of two, not of 3."
    );
    // One group that holds every row is the whole; rows without a group are left out.
    let text = "confidence,correct,g\n0.9,1,A\n0.7,0,A\n0.6,1,A\n0.2,1,\n";
    let roles = json!({ "confidence": "confidence", "correct": "correct", "g": "group" });
    let data = open(text, json!({ "roles": roles, "split": { "half": true } }));
    let ran = data.run(json!({ "metrics": OF_GROUPS, "evaluate_on": "all", "resamples": 0 }));
    assert!((ran.value("none", "mce") - 0.8).abs() < 1e-12);
    assert!((ran.value("none", "group_mce_max") - 0.7).abs() < 1e-12);
    assert_eq!(
        ran.value("none", "group_ece_max"),
        ran.value("none", "group_ece_mean")
    );
}

#[test]
fn a_file_without_groups_says_so() {
    let data = open(
        "p,y\n0.2,0\n0.7,1\n0.6,0\n",
        json!({ "split": { "half": true } }),
    );
    let ran = data.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let error = data.try_analyse(&ran, json!({ "groups": {} })).unwrap_err();
    assert_eq!(error.code(), "groups_missing");
    assert!(error.to_string().contains("No column says which group"));
}

#[test]
fn compas_by_race() {
    let name = "compas-scores-two-years.csv";
    let folder = std::env::var_os("LOCALCAL_DATA").unwrap_or_default();
    let Ok(bytes) = std::fs::read(std::path::Path::new(&folder).join(name)) else {
        println!("skipped: {name} not found (set LOCALCAL_DATA)");
        return;
    };
    let roles =
        json!({ "two_year_recid": "label", "decile_score": "probability", "race": "group" });
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
    let of: Vec<(&str, usize)> = found
        .of
        .iter()
        .map(|one| (one.name.as_str(), one.n))
        .collect();
    // c is off by .1, .8 and .2; b, which never happens, by its own .1, .6 and .1
    assert_eq!(of, [("c", 60), ("b", 60), ("a", 60)]);
    assert!((found.of[0].ece.unwrap() - 1.1 / 3.0).abs() < 1e-12);
    assert!((found.of[1].gap - 0.8 / 3.0).abs() < 1e-12);
    let few = open(
        "p,y\n0.2,0\n0.7,1\n0.6,0\n",
        json!({ "split": { "half": true } }),
    );
    let ran = few.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let two = multiples(&few, &ran, json!({ "by": "class" }));
    assert_eq!(two.of.len(), 2);
    let only = open("confidence,correct\n0.8,1\n0.6,0\n", json!({}));
    let ran = only.run(json!({ "evaluate_on": "all", "resamples": 0 }));
    let error = only
        .try_analyse(&ran, json!({ "multiples": { "by": "class" } }))
        .unwrap_err();
    assert_eq!(error.code(), "classes_missing");
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
    let together = found
        .groups
        .iter()
        .find(|group| group.name == "4,700 groups of fewer than 10 rows, together")
        .unwrap();
    assert_eq!(together.n, 9400);
    assert_eq!(
        found.groups.iter().map(|group| group.n).sum::<usize>(),
        300 * 40 + 60 + 9400
    );
    // the top of the list is shown, the file has all
    let words = format!("{:?}", found.sheet.blocks);
    assert!(
        words.contains("Only the 24 of 302 groups that do most harm are drawn."),
        "unsaid"
    );
    assert!(
        words.contains(
            "Only the 100 of 302 groups that do most harm are listed. groups.csv has all."
        )
    );
    assert_eq!(found.csv.lines().count(), 303);
    let lines = found.sheet.blocks.iter().filter_map(|block| match block {
        localcal::report::sheet::Block::Table(table) => {
            Some((table.rows.len(), table.columns.len()))
        }
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
    let error = data
        .try_analyse(&ran, json!({ "groups": { "columns": ["name"] } }))
        .unwrap_err();
    assert_eq!(error.code(), "invalid_option");
}
