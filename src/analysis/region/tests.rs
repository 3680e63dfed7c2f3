#![allow(clippy::unwrap_used)]

use super::*;
use crate::data::OpenOptions;
use crate::evaluation::request::RunRequest;
use crate::job::{Call, DataSet, Job, Outcome, Plan, execute, run as run_job};
use crate::num::rng::Lanes;
use crate::table::{Array, Values};

/// A file as the page opens it, and a run without resampling.
fn opened(text: &str) -> (Outcome, Outcome) {
    opened_as("rows.csv", text)
}

fn opened_as(name: &str, text: &str) -> (Outcome, Outcome) {
    let job = |job: &Job, needs: &[&Outcome], columns| run_job(job, needs, columns, &mut |_| ()).unwrap();
    let name = name.to_owned();
    let file = job(
        &Job::Call(Call::Read { name, header: None, totals: None, most: None }),
        &[],
        vec![Array::U8(text.as_bytes().to_vec().into())],
    );
    let options = OpenOptions::default();
    let data = job(&Job::Call(Call::Assemble { options }), &[&file], vec![]);
    let request = RunRequest { resamples: Some(0), ..RunRequest::default() };
    let Outcome::Plan(Plan { nodes, .. }) = job(&Job::Call(Call::Plan { request }), &[&data], vec![]) else {
        unreachable!()
    };
    let report = execute(&nodes, &data).unwrap();
    (data, report)
}

/// Ages 20–59, a group that is commoner among the young, noise, and an id; the model promises too much below 30.
fn people() -> String {
    let mut text = "id,age,group,noise,flag,p,y\n".to_owned();
    let mut draws = Lanes::seeded(4, 0);
    for i in 0..2_000 {
        let [a, b, c, d] = draws.uniform();
        let age = 20 + (a * 40.0) as u32;
        let group = if b < if age < 30 { 0.7 } else { 0.3 } { "north" } else { "south" };
        let p = 0.3 + 0.4 * c;
        let truth = if age < 30 { p - 0.25 } else { p };
        let (y, flag) = (u8::from(d < truth), u8::from(c > 0.5));
        text += &format!("r{i},{age},{group},{:.4},{flag},{p:.4},{y}\n", (d * 977.0).fract());
    }
    text
}

fn both(outcomes: &(Outcome, Outcome)) -> (&Predictions, &RunOutcome) {
    match outcomes {
        (Outcome::Data(DataSet { predictions, .. }), Outcome::Report(run)) => (predictions, run),
        _ => unreachable!(),
    }
}

fn request(text: &str) -> RegionRequest {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_box_says_who_is_in_it() {
    let outcomes = opened(&people());
    let (data, run) = both(&outcomes);
    let asked = request(r#"{"features":["age","noise"],"box":[15,29.5,-1,2]}"#);
    let found = region(data, run, &asked).unwrap();
    assert!(found.headline == "age 20 to 29", "{}", found.headline);
    // Nobody knows whether the map was looked at before.
    assert!(found.reading.contains("are not adjusted for a region selected"), "{}", found.reading);
    assert!(!found.reading.contains("statistically significant"), "{}", found.reading);
    assert_eq!(found.distinguished_by.rows.len(), 2, "noise and flag are not reported");
    assert_eq!(found.distinguished_by.rows[1][0], "group");
    assert!(
        found.distinguished_by.rows[1][1].starts_with("north, 7")
            || found.distinguished_by.rows[1][1].starts_with("north, 6")
    );
    // Elsewhere no one is in their twenties: the group adds nothing to that.
    assert!(!found.headline.contains(" and "));
    assert_eq!(found.n, found.rows.len());
    assert!(found.gap > 0.15 && found.interval[0] > 0.1 && found.interval[1] < 0.4);
    let [low, high] = found.interval;
    assert!((found.gap - (low + high) / 2.0).abs() < 1e-12);
    // Normal interval of the mean residual, by hand from the rows.
    let rows = &run.rows[0];
    let mine = |row: &u32| rows.rows.iter().position(|r| r == row).unwrap();
    let residual: Vec<f64> = found
        .rows
        .iter()
        .map(|row| {
            let i = mine(row);
            rows.score[i] - f64::from(rows.target[i])
        })
        .collect();
    let n = residual.len() as f64;
    let mean = residual.iter().sum::<f64>() / n;
    let variance = residual.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let binomial = found.rows.iter().map(|row| rows.score[mine(row)]).map(|s| s * (1.0 - s)).sum::<f64>() / n;
    let se = (variance.max(binomial) / n).sqrt();
    assert!((high - mean - 1.959_964 * se).abs() < 1e-6);
}

#[test]
fn a_second_column_is_named_where_it_adds_something() {
    let outcomes = opened(&people());
    let (data, run) = both(&outcomes);
    let Some(Values::Text { codes, levels }) = data.table.columns.iter().find(|c| c.name == "group").map(|c| &c.values)
    else {
        unreachable!()
    };
    let age = data.table.columns.iter().find(|c| c.name == "age").unwrap();
    let Values::Numbers(age) = &age.values else { unreachable!() };
    let rows: Vec<u32> = run.rows[0]
        .rows
        .iter()
        .copied()
        .filter(|&r| age[r as usize] < 27.0 && levels.text(codes[r as usize]) == "south")
        .collect();
    let asked = RegionRequest {
        features: Some(crate::feature::FeatureChoice::One("age".into())),
        rows: Some(rows.clone()),
        ..RegionRequest::default()
    };
    let found = region(data, run, &asked).unwrap();
    assert!(found.headline.contains("age 2") && found.headline.ends_with("and group = south"), "{}", found.headline);
    assert_eq!(found.rows.to_vec(), rows);
    let csv = String::from_utf8(region_rows_csv(data, run, &asked).unwrap()).unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("id,label,predicted,p,group"));
    let first = lines.next().unwrap();
    assert!(first.starts_with(&format!("r{},", rows[0])) && first.ends_with(",south"), "{first}");
    assert_eq!(first.split(',').nth(3).unwrap().parse(), Ok(run.rows[0].score[rows[0] as usize]));
    assert_eq!(lines.count() + 1, rows.len());
}

#[test]
fn noise_is_rarely_reported() {
    let outcomes = opened(&people());
    let (data, run) = both(&outcomes);
    let shown = &run.rows[0].rows;
    let mut reported = 0;
    for seed in 0..300 {
        let mut draws = Lanes::seeded(seed, 2);
        let size = [0.01, 0.05, 0.3][seed as usize % 3];
        let mut uniform = std::iter::repeat_with(|| draws.uniform()).flatten();
        let inside: Vec<bool> = shown.iter().zip(&mut uniform).map(|(_, u)| u < size).collect();
        reported += usize::from(!differences(data, shown, &inside).is_empty());
    }
    println!("{reported} of 300 regions made by chance are told apart");
    assert!(reported <= 9);
}

#[test]
fn polygons_boxes_and_what_is_neither() {
    let triangle = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];
    assert!(encloses(&triangle, [1.0, 1.0]) && !encloses(&triangle, [3.0, 3.0]));
    assert!(!encloses(&triangle, [-1.0, 1.0]) && !encloses(&[], [0.0, 0.0]));
    // A polygon that crosses itself holds what an odd number of edges separates from the outside.
    let bow = [[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
    assert!(encloses(&bow, [0.5, 2.0]) && !encloses(&bow, [2.0, 0.5]));

    let outcomes = opened(&people());
    let (data, run) = both(&outcomes);
    let square = request(r#"{"features":["age","noise"],"polygon":[[25,-1],[35,-1],[35,2],[25,2]]}"#);
    let same = request(r#"{"features":["age","noise"],"box":[34.99,25,2,-1]}"#);
    let (a, b) = (region(data, run, &square).unwrap(), region(data, run, &same).unwrap());
    assert_eq!((a.n, &a.rows, &a.headline), (b.n, &b.rows, &b.headline));
    let bad = |text: &str| region(data, run, &request(text)).unwrap_err().code();
    assert_eq!(bad(r#"{"features":["age"]}"#), "invalid_option");
    assert_eq!(bad(r#"{"features":["age"],"rows":[1],"box":[0,1,0,1]}"#), "invalid_option");
    assert_eq!(bad(r#"{"features":["age"],"rows":[]}"#), "too_few_rows");
    assert_eq!(bad(r#"{"features":["nothing"],"rows":[1]}"#), "unknown_column");
    let whole = request(r#"{"features":["age"],"box":[-1e9,1e9,-1e9,1e9]}"#);
    assert_eq!(region(data, run, &whole).unwrap().headline, "all displayed rows");
    assert!(serde_json::from_str::<RegionRequest>(r#"{"lasso":[]}"#).is_err());
}

#[test]
fn the_predicted_class_counts() {
    let mut text = "x,p_a,p_b,p_c,label\n".to_owned();
    let mut draws = Lanes::seeded(8, 0);
    for i in 0..600 {
        let [u, v, ..] = draws.uniform();
        let class = i % 3;
        let p: Vec<f64> = (0..3).map(|k| if k == class { 0.6 } else { 0.2 }).collect();
        let label = ["a", "b", "c"][if v < 0.6 { class } else { (class + 1) % 3 }];
        let x = if class == 1 { 0.5 + u } else { u };
        text += &format!("{x:.4},{},{},{},{label}\n", p[0], p[1], p[2]);
    }
    let outcomes = opened(&text);
    let (data, run) = both(&outcomes);
    let found = region(data, run, &request(r#"{"features":["x"],"box":[1,2,1,2]}"#)).unwrap();
    let names: Vec<&str> = found.distinguished_by.rows.iter().map(|row| row[0].as_str()).collect();
    assert!(names.contains(&"predicted") && names.contains(&"label"), "{names:?}");
    assert!(found.distinguished_by.rows.iter().any(|row| row[1].starts_with("b, 100")));
}

/// Questions about two matters; those about chemistry are answered with too much confidence.
fn questions() -> String {
    let mut draws = Lanes::seeded(11, 0);
    let one = |i: usize| {
        let [u, v, w, _] = draws.uniform();
        let chemistry = i.is_multiple_of(4);
        let pick = |words: [&'static str; 4], u: f64| words[(u * 4.0) as usize];
        let question = match chemistry {
            true => {
                let with = pick(["acid", "base", "salt", "oxygen"], v);
                format!(
                    "=Which {} reacts with the {with} at {i} degrees?",
                    pick(["molecule", "catalyst", "ion", "metal"], u)
                )
            }
            false => {
                let whose = pick(["empire", "dynasty", "colony", "crown"], v);
                format!("Who was the {} of the {whose} in {i}?", pick(["king", "queen", "regent", "heir"], u))
            }
        };
        let right = w < if chemistry { 0.3 } else { 0.8 };
        format!("{{\"id\":\"q{i}\",\"question\":\"{question}\",\"confidence\":{},\"correct\":{right}}}\n", 70 + i % 20)
    };
    (0..400).map(one).collect()
}

#[test]
fn a_region_lists_its_texts_and_their_words() {
    let outcomes = opened_as("answers.jsonl", &questions());
    let (data, run) = both(&outcomes);
    let rows: Vec<u32> = (0..400).filter(|row| row % 4 == 0).collect();
    let asked = RegionRequest { rows: Some(rows.clone()), ..RegionRequest::default() };
    let found = region(data, run, &asked).unwrap();
    assert!(found.headline.starts_with("question has words such as “"), "{}", found.headline);
    let words = found.words.as_ref().unwrap();
    let top: Vec<&str> = words.rows.iter().map(|row| row[0].as_str()).collect();
    assert!(["which", "reacts", "with", "degrees"].iter().all(|word| top.contains(word)), "{top:?}");
    assert!(!top.contains(&"king") && words.rows.len() <= 10 && words.rows[0][2] == "0.0%", "{words:?}");
    // Wrong answers of the largest confidence first, as the gap is.
    let texts = found.texts.as_ref().unwrap();
    assert_eq!((texts.rows.len(), texts.columns[0].title.as_str()), (20, "question"));
    assert!(texts.rows[0][0].starts_with("=Which ") && texts.rows[0][2] == "no", "{texts:?}");
    let shown = |row: &Vec<String>| row[1].trim_end_matches('%').parse::<f64>().unwrap();
    assert!(texts.rows.windows(2).all(|pair| shown(&pair[0]) >= shown(&pair[1])), "{texts:?}");
    // Its file contains the texts, and no spreadsheet runs them.
    let csv = |asked: &RegionRequest| String::from_utf8(region_rows_csv(data, run, asked).unwrap()).unwrap();
    let whole = csv(&asked);
    let mut lines = whole.lines();
    assert_eq!(lines.next(), Some("question_id,question,correct,confidence"));
    assert!(lines.next().is_some_and(|line| line.starts_with("q0,'=Which ")), "{whole}");
    // Without identifiers there is no text, in the answer or the file.
    let without = RegionRequest { identifiers: Some(false), ..asked };
    assert!(region(data, run, &without).unwrap().texts.is_none());
    assert!(!csv(&without).contains("Which"), "{}", csv(&without));
}
