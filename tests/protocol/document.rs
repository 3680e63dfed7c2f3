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
fn hospital() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/files/hospital.csv");
    std::fs::read_to_string(path).expect("a file of the corpus")
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
    let binary = json!({ "methods": ["none", "platt", "isotonic"], "resamples": 100, "metrics": ["nll", "brier", "ece", "auroc"] });
    let file = |name, text, run| File { name, text, options: json!({}), run };
    vec![
        file("tiny", tiny.to_owned(), json!({ "resamples": 20 })),
        file("hospital", hospital(), binary.clone()),
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

/// Marks that would do something if they were not words.
const HOSTILE: &[&str] = &[
    "</title><script>alert(1)</script>",
    "\" onmouseover=\"alert(1)",
    "<img src=x onerror=alert(1)>",
    "\\input{/etc/passwd} $x$ 50%",
    "| a | [b](javascript:alert(1)) `c`",
];

#[test]
fn names_and_remarks_stay_words() {
    let mut text = format!("\"{}\",\"{}\",label\n", "prob_<b>&", HOSTILE[0]);
    let mut uniform = uniform(2);
    for i in 0..200 {
        let p = uniform();
        let _ = writeln!(text, "{p:.3},\"{}\",{}", HOSTILE[i % 2 + 1].replace('"', "\"\""), u8::from(uniform() < p));
    }
    let data = open(&text, json!({ "roles": { "prob_<b>&": "probability", HOSTILE[0]: "group" } }));
    let ran = data.run(json!({ "resamples": 20 }));
    let remark = HOSTILE.join("\n");
    let written = |format: &str| {
        let asked = json!({
            "format": format, "title": HOSTILE[2], "date": HOSTILE[0], "remarks": { "summary": remark, "map": HOSTILE[2] },
            "files": [{ "name": HOSTILE[0] }], "page": HOSTILE[1], "without_finding": HOSTILE[2],
            "extra": [{ "groups": { "columns": [HOSTILE[0]] } }],
        });
        let found = data.try_analyse(&ran, json!({ "document": asked }));
        text_of(found.unwrap_or_else(|error| panic!("{format}: {error}")))
    };
    let html = written("html");
    for mark in ["<script", "<img", "onerror=\"", "onmouseover=\"alert", " style=", "<link", "src=\"http"] {
        assert!(!html.contains(mark), "{mark}");
    }
    assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;"));
    assert!(!written("tables").contains("<script"));
    let latex = written("latex");
    assert!(!latex.contains("\\input") && latex.contains("\\textbackslash{}input\\{"), "{latex}");
    let markdown = written("markdown");
    assert!(!markdown.contains("<script") && !markdown.contains("[b](") && markdown.contains("\\[b\\]("));
}

#[test]
fn a_document_is_one_file_without_scripts() {
    let data = open(&calibrated(300, false), json!({}));
    let ran = data.run(json!({ "resamples": 20 }));
    let written = |asked: Value| text_of(data.try_analyse(&ran, json!({ "document": asked })).unwrap());
    let html = written(json!({ "without_finding": "It was not asked for." }));
    assert!(html.contains("default-src 'none'; style-src 'sha256-") && !html.contains("<script"));
    for tag in ["html", "head", "body", "article", "header", "section", "table", "figure", "dl", "ul", "div", "svg"] {
        let times = |mark: String| html.matches(&mark).count();
        let (open, close) = (times(format!("<{tag}")), times(format!("</{tag}>")));
        let extra = if tag == "head" { html.matches("<header").count() } else { 0 };
        assert_eq!(open - extra, close, "{tag}");
    }
    // every table head and every chart has its name
    assert_eq!(html.matches("<th").count() - html.matches("<thead").count(), html.matches(" scope=\"").count());
    assert_eq!(html.matches("<svg").count(), html.matches("role=\"img\" aria-labelledby=\"figure-").count());
    assert!(html.contains("It was not asked for."));
    let headings = |html: &str| -> Vec<String> {
        let parts = html.split("<h2 id=\"").skip(1);
        parts.filter_map(|part| Some(part.split_once('-')?.0.to_owned())).collect()
    };
    let usual = [
        "summary",
        "overall",
        "decisions",
        "data",
        "methods",
        "limits",
        "checklist",
        "references",
        "provenance",
        "signature",
    ];
    assert_eq!(headings(&html), usual);
    let some = written(json!({
        "sections": ["limits", "summary", "references", "methods"], "remarks": { "limits": "Seen by the board." },
        "without_finding": "", "title": "Audit",
    }));
    assert_eq!(headings(&some), ["limits", "summary", "references", "methods"]);
    // what the methods cite is found though it stands before them
    assert!(some.contains("Seen by the board.") && some.contains("Wilson EB.") && some.contains("<h1>Audit</h1>"));
    let within = data.try_analyse(&ran, json!({ "document": { "extra": [{ "document": {} }] } }));
    assert_eq!(within.unwrap_err().code(), "invalid_option");
}

/// One group of 203 is three rows larger than the other; three of its rows have the outcome.
#[test]
fn no_small_count_can_be_read() {
    let mut text = "risk,ward,label\n".to_owned();
    for i in 0..400 {
        let (ward, happened) = match i {
            0..40 => ("Burns", i < 4),
            40..200 => ("Surgery", i % 2 == 0),
            _ => ("Medicine", i % 3 == 0),
        };
        let _ = writeln!(text, "{},{ward},{}", 0.2 + f64::from(i % 50) / 100.0, u8::from(happened));
    }
    let data = open(&text, json!({}));
    let ran = data.run(json!({ "methods": ["none", "isotonic", "histogram"], "resamples": 20 }));
    let asked = json!({ "document": { "suppress": 10, "format": "markdown", "extra": [{ "groups": { "columns": ["ward"] } }] } });
    let document = text_of(data.try_analyse(&ran, asked).unwrap());
    assert!(document.contains("Counts below 10"), "{document}");
    // Burns: 4 of 40 happened
    assert!(!document.contains("| 40 |") || !document.contains("10.0"), "{document}");
    let call = |suppress| localcal::job::Call::ExportReport { suppress };
    let report: Value = serde_json::from_str(&data.export(call(Some(10)), &ran)).unwrap();
    assert!(report["local"].is_null());
    let parameters = report["methods"].as_array().unwrap().iter().map(|method| method["parameters"].to_string());
    for parameters in parameters {
        assert!(!parameters.contains("[0") && !parameters.contains("counts\":["), "{parameters}");
    }
    assert!(
        serde_json::from_str::<Value>(&data.export(call(None), &ran)).unwrap()["methods"][1]["parameters"][0]["x"]
            .is_array()
    );
    let few = data.try_export(call(Some(1000)), &ran);
    assert_eq!(few.unwrap_err().code(), "too_few_rows");
}

#[test]
fn files_about_rows_say_so() {
    let data =
        open("patient,risk,died\nA7,0.2,0\nB8,0.7,1\nC9,0.4,0\nD1,0.9,1\n", json!({ "roles": { "patient": "id" } }));
    let about = |export: &str| {
        let call = localcal::job::Call::About { export: export.to_owned() };
        crate::support::pipeline::asked(call, &[&data.0]).map(|found| {
            let localcal::job::Outcome::About(found) = found else { panic!("not about a file") };
            found
        })
    };
    let predictions = about("predictions").unwrap();
    assert!(predictions.about_rows && predictions.identifiers == ["patient"]);
    assert_eq!(
        predictions.sentence,
        "A line for each of 4 rows, named by `patient`: who has it can tell whose they are."
    );
    assert!(!about("report").unwrap().about_rows);
    assert!(about("session").unwrap().sentence.contains("shares of the rows in them"));
    assert_eq!(about("everything").unwrap_err().code(), "invalid_option");
    let ran = data.run(json!({ "resamples": 0 }));
    let export = |identifiers| data.export(localcal::job::Call::ExportPredictions { identifiers }, &ran);
    assert!(export(None).starts_with("patient,set,fold,label,") && export(None).contains("\nA7,"));
    let without = export(Some(false));
    assert!(without.starts_with("set,fold,label,") && !without.contains("A7"), "{without}");
    assert_eq!(
        export(None).lines().map(|line| line.split_once(',').unwrap().1).collect::<Vec<_>>(),
        without.lines().collect::<Vec<_>>()
    );
}
