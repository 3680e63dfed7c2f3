//! The report as a document, in every format, for files of six kinds.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::draws::uniform;
use crate::support::pipeline::{open, text as text_of};

/// A file with the options of opening and of a run.
struct File {
    name: &'static str,
    text: String,
    options: Value,
    run: Value,
}

/// A hospital's export: one ward is too low by far, body mass is missing in places, risks are in percent.
fn hospital(rows: usize) -> String {
    let mut uniform = uniform(3);
    let mut text = "patient_id,date,age,sex,ward,bmi,risk,died\n".to_owned();
    for i in 0..rows {
        let age = 20.0 + 70.0 * uniform();
        let ward = ["Medicine", "Surgery", "ICU", "Cardiology", "Oncology"][(uniform() * 5.0) as usize % 5];
        let sex = ["f", "m"][usize::from(uniform() < 0.5)];
        let bmi = if uniform() < 0.17 { String::new() } else { format!("{:.1}", 18.0 + 17.0 * uniform()) };
        let risk = 1.0 / (1.0 + (3.6 - 0.03 * age - 1.2 * (uniform() - 0.5)).exp());
        let truth = if ward == "ICU" { (risk + 0.2).min(0.95) } else { risk };
        let died = ["N", "Y"][usize::from(uniform() < truth)];
        let _ = write!(
            text,
            "P{i},2023-{:02}-{:02},{age:.0},{sex},{ward},{bmi},{:.1}%,{died}\n",
            1 + i % 12,
            1 + i % 28,
            100.0 * risk
        );
    }
    text
}

/// Logits of `m` classes, too far apart.
fn classes(rows: usize, m: usize) -> String {
    let mut uniform = uniform(5);
    let names: Vec<String> = (0..m).map(|k| format!("logit_{k}")).collect();
    let mut text = format!("{},x1,label\n", names.join(","));
    for _ in 0..rows {
        let z: Vec<f64> = (0..m).map(|_| 4.0 * uniform()).collect();
        let total: f64 = z.iter().map(|z| z.exp()).sum();
        let (draw, mut reached, mut class) = (uniform() * total, z[0].exp(), 0);
        while reached < draw && class + 1 < m {
            class += 1;
            reached += z[class].exp();
        }
        let hot: Vec<String> = z.iter().map(|z| format!("{:.3}", 1.5 * z)).collect();
        let _ = write!(text, "{},{:.3},{class}\n", hot.join(","), uniform());
    }
    text
}

fn calibrated(rows: usize, weights: bool) -> String {
    let mut uniform = uniform(9);
    let mut text = format!("prob_yes,site,{}label\n", if weights { "weight," } else { "" });
    for i in 0..rows {
        let p = uniform();
        let weight = if weights { format!("{:.2},", 0.5 + uniform()) } else { String::new() };
        let label = usize::from(uniform() < p);
        let _ = write!(text, "{p:.4},{},{weight}{label}\n", ["north", "south"][i % 2]);
    }
    text
}

fn files() -> Vec<File> {
    let tiny = "prob_yes,site,label\n0.1,a,0\n0.3,a,0\n0.4,b,1\n0.6,b,0\n0.7,a,1\n0.9,b,1\n";
    let binary = json!({ "methods": ["none", "platt", "isotonic"], "resamples": 200, "metrics": ["all"] });
    let file = |name, text, run| File { name, text, options: json!({}), run };
    vec![
        file("tiny", tiny.to_owned(), json!({ "resamples": 20 })),
        file("hospital", hospital(1500), binary.clone()),
        file("ten", classes(600, 10), json!({ "methods": ["none", "temperature"], "resamples": 100 })),
        file("hundred", classes(300, 100), json!({ "resamples": 50 })),
        file("noise", calibrated(800, false), json!({ "methods": ["none", "temperature"], "resamples": 100 })),
        file("weights", calibrated(400, true), binary),
    ]
}

/// Every file in every format; `LOCALCAL_DOCUMENTS`: a folder in which they are left to be looked at.
#[test]
fn every_kind_of_file_has_its_document() {
    let folder = std::env::var("LOCALCAL_DOCUMENTS").ok();
    for File { name, text, options, run } in files() {
        let data = open(&text, options);
        let ran = data.run(run);
        for (format, ending) in [("html", "html"), ("latex", "tex"), ("markdown", "md"), ("tables", "tables.html")] {
            for suppress in [None, Some(10)] {
                let extra = json!([{ "decide": {} }, { "libraries": {} }]);
                let asked = json!({
                    "format": format, "date": "23 November 2026", "suppress": suppress,
                    "extra": if suppress.is_some() { extra } else { json!([]) },
                    "files": [{ "name": format!("{name}.csv"), "bytes": text.len(), "sha256": "0".repeat(64) }],
                });
                let found = data.try_analyse(&ran, json!({ "document": asked }));
                if name == "tiny" && suppress.is_some() {
                    assert_eq!(found.unwrap_err().code(), "too_few_rows");
                    continue;
                }
                let document = text_of(found.unwrap_or_else(|error| panic!("{name}: {error}")));
                assert!(document.len() > 500, "{name}.{ending} holds {} bytes", document.len());
                assert!(!document.contains("NaN") && !document.contains("inf "), "{name}.{ending}");
                if let Some(folder) = &folder {
                    let small = if suppress.is_some() { "-suppressed" } else { "" };
                    std::fs::write(format!("{folder}/{name}{small}.{ending}"), document).expect("a folder");
                }
            }
        }
    }
}
