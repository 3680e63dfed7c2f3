//! The report as a document, in every format, for files of six kinds.

use std::fmt::Write as _;

use localcal::experiment::Begun;
use localcal::job::Outcome;
use localcal::report::sheet::Block;
use serde_json::{Value, json};

use crate::support::draws::uniform;
use crate::support::pipeline::{Opened, Ran, finding, open, text as text_of};

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
        let _ = writeln!(text, "{},{:.3},{class}", hot.join(","), uniform());
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
        let _ = writeln!(text, "{p:.4},{},{weight}{label}", ["north", "south"][i % 2]);
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

/// Every row of a patient is there four times: the interval of the share of events is that of a fourth of the rows.
#[test]
fn the_observed_share_is_no_more_certain_than_its_clusters() {
    let mut uniform = uniform(12);
    let mut text = "prob_yes,patient_id,label\n".to_owned();
    for patient in 0..100 {
        let p = uniform();
        let row = format!("{p:.4},P{patient},{}\n", u8::from(uniform() < p));
        text += &row.repeat(4);
    }
    let width = |options: Value| -> f64 {
        let data = open(&text, options);
        let ran = data.run(json!({ "resamples": 20 }));
        let found = data.try_analyse(&ran, json!({ "document": { "format": "markdown" } }));
        let document = text_of(found.unwrap_or_else(|error| panic!("{error}")));
        let line = document.lines().find(|line| line.starts_with("| Observed proportion")).expect("a line");
        let ends = line.split([' ', '|']).filter_map(|word| word.strip_suffix('%')?.parse::<f64>().ok());
        match ends.collect::<Vec<f64>>()[..] {
            [_, low, high] => high - low,
            _ => panic!("{line}"),
        }
    };
    let (clustered, alone) = (width(json!({ "clusters": "patient_id" })), width(json!({ "clusters": null })));
    assert!(clustered > 1.8 * alone && clustered < 2.2 * alone, "{clustered} {alone}");
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
    // what may scroll takes the focus under the name of its table
    let scrolling = html.matches("<div class=\"scroll").count();
    assert!(scrolling > 0);
    assert_eq!(html.matches("tabindex=\"0\" role=\"group\" aria-label").count(), scrolling);
    let named = html.matches("aria-labelledby=\"table-").count();
    assert!(named > 0);
    assert_eq!(html.matches("<caption id=\"table-").count(), named);
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

/// The checklist refers to no section that is not there.
#[test]
fn the_checklist_refers_to_what_is_in_the_report() {
    let mut draws = uniform(21);
    let mut text = "risk,ward,label\n".to_owned();
    for i in 0..1200 {
        let p = 0.05 + 0.9 * draws();
        let _ = writeln!(text, "{p:.4},{},{}", ["north", "south", "west"][i % 3], u8::from(draws() < p));
    }
    let data = open(&text, json!({ "roles": { "ward": "group" } }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 20 }));
    let of = |asked: Value| text_of(data.try_analyse(&ran, json!({ "document": asked })).unwrap());
    let whole = of(json!({ "format": "markdown" }));
    assert!(!whole.contains("## Subgroups") && !whole.contains("see Subgroups"), "{whole}");
    assert!(
        whole.contains("tested by ward, no group is significant; estimates by group are not in this report"),
        "{whole}"
    );
    let alone = of(json!({ "format": "markdown", "sections": ["checklist"] }));
    for section in ["Summary", "Data", "Methods", "Overall calibration", "Subgroups", "Limits"] {
        assert!(!alone.contains(&format!("see {section}")), "{section}: {alone}");
    }
    // wherever the checklist stands
    let first = of(json!({ "format": "markdown", "sections": ["checklist", "data"] }));
    assert!(first.contains("see Data") && first.find("see Data") < first.find("## Data"), "{first}");
}

/// Fairness is examined by all columns that were searched, ranges of numbers among them; other columns are not claimed.
#[test]
fn the_checklist_names_the_columns_that_were_searched() {
    let mut draws = uniform(22);
    let mut text = "risk,ward,age,note,label\n".to_owned();
    for i in 0..1200 {
        let p = 0.05 + 0.9 * draws();
        let age = 40.0 + (40.0 * draws()).floor();
        let _ = writeln!(
            text,
            "{p:.4},{},{age},seen {i} times,{}",
            ["north", "south", "west"][i % 3],
            u8::from(draws() < p)
        );
    }
    let data = open(&text, json!({ "roles": { "ward": "group", "age": "feature", "note": "group" } }));
    let ran = data.run(json!({ "methods": ["none"], "resamples": 20 }));
    let asked = json!({ "document": { "format": "markdown" } });
    let report = text_of(data.try_analyse(&ran, asked).unwrap());
    let item = |number: &str| report.lines().find(|line| line.starts_with(&format!("| {number} |"))).unwrap();
    assert!(item("14").contains("tested by ward, age,"), "{}", item("14"));
    assert!(item("23b").contains("tested by ward,"), "{}", item("23b"));
    assert!(item("12d").contains("errors by ward,"), "{}", item("12d"));
}

/// What opening the file warns of is a limitation of the report, in the same words, and qualifies the outcome.
#[test]
fn a_follow_up_time_is_a_limitation() {
    let mut draws = uniform(27);
    let mut with = "risk,followup_days,died\n".to_owned();
    let mut without = "risk,age,died\n".to_owned();
    for _ in 0..300 {
        let p = 0.1 + 0.6 * draws();
        let line = format!("{p:.4},{:.0},{}\n", 40.0 + 300.0 * draws(), u8::from(draws() < p));
        with += &line;
        without += &line;
    }
    let of = |text: &str| {
        let data = open(text, json!({}));
        let ran = data.run(json!({ "methods": ["none"], "resamples": 20 }));
        let asked = json!({ "document": { "format": "markdown", "sections": ["checklist", "limits"] } });
        let Outcome::Data(opened) = &data.0 else { panic!("no data") };
        let warned = opened.summary.warnings.iter().find(|warning| warning.code == "follow_up");
        (warned.map(|warning| warning.message.clone()), text_of(data.try_analyse(&ran, asked).unwrap()))
    };
    let (warned, said) = of(&with);
    let warned = warned.expect("a warning").replace('`', "");
    let plain = said.replace(['`', '\\'], "");
    assert!(plain.contains(&warned), "{said}");
    assert!(plain.contains("censoring is not modeled; see Limits"), "{said}");
    let (warned, said) = of(&without);
    assert!(warned.is_none() && !said.contains("censoring") && !said.contains("follow-up"), "{said}");
}

/// One group of 203 is three rows larger than the other; three of its rows have the outcome.
#[test]
fn no_small_count_can_be_read() {
    let mut text = "risk,ward,label\n".to_owned();
    for i in 0..400 {
        let (ward, observed) = match i {
            0..40 => ("Burns", i < 4),
            40..200 => ("Surgery", i % 2 == 0),
            _ => ("Medicine", i % 3 == 0),
        };
        let _ = writeln!(text, "{},{ward},{}", 0.2 + f64::from(i % 50) / 100.0, u8::from(observed));
    }
    let data = open(&text, json!({}));
    let ran = data.run(json!({ "methods": ["none", "isotonic", "histogram"], "resamples": 20 }));
    let asked = json!({ "document": { "suppress": 10, "format": "markdown", "extra": [{ "groups": { "columns": ["ward"] } }] } });
    let document = text_of(data.try_analyse(&ran, asked).unwrap());
    assert!(document.contains("Values computed from fewer than 10 rows"), "{document}");
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
        "One line for each of 4 rows, with identifier `patient`. Anyone who has this file can identify the rows."
    );
    assert!(!about("report").unwrap().about_rows);
    assert!(about("session").unwrap().sentence.contains("fewer than ten cannot be derived"));
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

/// Counts in a cell: whole numbers that stand alone, in brackets, or behind a share.
fn counts(cell: &str) -> Vec<u64> {
    let whole = |text: &str| text.replace(',', "").parse::<u64>().ok();
    let inside = cell.split('(').skip(1).filter_map(|rest| whole(rest.split(')').next()?.trim()));
    whole(cell.trim()).into_iter().chain(inside).collect()
}

/// What the tables of a document tell of few rows: small counts, and what could be worked out, as one line left out alone or
/// a column of counts that leaves few of all rows.
fn told_of_few(markdown: &str, rows: u64, least: u64) -> Vec<String> {
    let mut told = Vec::new();
    let mut table: Vec<Vec<&str>> = Vec::new();
    for line in markdown.lines().chain([""]) {
        if let Some(line) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) {
            table.push(line.split(" | ").collect());
            continue;
        }
        let table = std::mem::take(&mut table);
        let Some((heads, lines)) = table.split_first().filter(|(_, lines)| lines.len() > 1) else { continue };
        // beneath the heads stands the rule
        let lines = &lines[1..];
        let dashed = lines.iter().filter(|cells| cells.len() > 1 && cells[1..].iter().all(|cell| *cell == "–")).count();
        if dashed == 1 {
            told.push(format!("{heads:?}: one line alone is left out"));
        }
        for (place, head) in heads.iter().enumerate() {
            let cells = lines.iter().filter_map(|cells| cells.get(place));
            let small = cells.clone().flat_map(|cell| counts(cell)).filter(|count| (1..least).contains(count));
            told.extend(small.map(|count| format!("{head}: {count}")));
            let whole: Option<u64> =
                cells.filter(|cell| **cell != "–").map(|cell| cell.replace(',', "").parse::<u64>().ok()).sum();
            let left = whole.filter(|sum| *sum > 0).and_then(|sum| rows.checked_sub(sum));
            told.extend(left.filter(|left| (1..least).contains(left)).map(|left| format!("{head}: {left} are left")));
        }
    }
    told
}

#[test]
fn an_experiment_is_a_part_of_the_document() {
    let data = open(&hospital(), json!({}));
    let ran = data.run(json!({ "methods": ["none", "platt"], "resamples": 20 }));
    let spec = json!({
        "title": "Platt or isotonic?", "methods": ["none", "platt", "isotonic"],
        "metrics": ["nll", "ece", "accuracy"], "divisions": { "seeds": 3 },
    });
    let done = data.try_experiment(spec, &Begun::default()).unwrap();
    let written = |of: &Opened, ran: &Ran, format: &str, begun: &Begun, suppress: Option<u64>| {
        let asked = json!({
            "format": format, "sections": ["panels"], "without_finding": "Another question.", "experiment": begun,
            "suppress": suppress, "remarks": { "panels": "Three halves." },
        });
        text_of(of.try_analyse(ran, json!({ "document": asked })).unwrap())
    };
    for format in ["html", "latex", "markdown", "tables"] {
        let whole = written(&data, &ran, format, &done, None);
        assert!(whole.contains("Isotonic regression") && !whole.contains("NaN"), "{format}: {whole}");
    }
    let whole = written(&data, &ran, "markdown", &done, None);
    assert!(whole.contains("Platt or isotonic?") && whole.contains("Three halves."), "{whole}");
    // the headline of the experiment itself
    let concluded = localcal::experiment::conclude(&done.spec, &done.cells, &Default::default()).unwrap();
    let Some(Block::Reading(headline)) = concluded.sheet.blocks.first() else { panic!("no headline") };
    assert!(whole.contains(headline.as_str()), "{headline}\n{whole}");
    let few = written(&data, &ran, "markdown", &done, Some(10));
    assert!(told_of_few(&few, 4000, 10).is_empty() && whole.contains("Accuracy") && !few.contains("Accuracy"), "{few}");
    // numbers of another file, or that do not say of which they are, are none of this one's
    let mut unnamed = done.clone();
    unnamed.spec.data = None;
    assert!(written(&data, &ran, "markdown", &unnamed, None).contains("Not shown: "));
    let other = open(&calibrated(300, false), json!({}));
    let of_other = written(&other, &other.run(json!({ "resamples": 20 })), "markdown", &done, None);
    assert!(of_other.contains("Not shown: The existing results are for other data"), "{of_other}");
}

/// Every analysis in a document that leaves out counts below 10, on rows of whom few are in Burns and few events in Eyes.
#[test]
fn no_analysis_tells_a_small_count() {
    const LEAST: u64 = 10;
    const ROWS: u64 = 420;
    let mut uniform = uniform(21);
    let mut text = "risk,ward,sex,x1,x2,day,label\n".to_owned();
    for i in 0..ROWS as usize {
        let ward = match i {
            0..7 => "Burns",
            7..60 => "Eyes",
            60..200 => "Medicine",
            _ => "Surgery",
        };
        let (p, x1, x2) = (uniform(), uniform(), uniform());
        let observes = if ward == "Eyes" { i % 20 == 8 } else { uniform() < p };
        let _ = writeln!(
            text,
            "{p:.3},{ward},{},{x1:.3},{x2:.3},2024-{:02}-{:02},{}",
            ["f", "m"][i % 2],
            1 + i % 12,
            1 + i % 28,
            u8::from(observes)
        );
    }
    let data = open(&text, json!({ "roles": { "ward": "group", "sex": "group", "x1": "feature", "x2": "feature" } }));
    let ran = data.run(json!({
        "methods": ["none", "platt"], "resamples": 20, "local": { "features": ["x1", "x2"], "gamma": 0.5 },
    }));
    let written = |kind: &str, suppress: Option<u64>| {
        let asked = json!({
            "format": "markdown", "suppress": suppress, "without_finding": "Another question.", "sections": ["panels"],
            "extra": [{ (kind): {} }],
        });
        data.try_analyse(&ran, json!({ "document": asked })).map(text_of)
    };
    let mut looked_at = Vec::new();
    for described in localcal::analysis::descriptions() {
        // no sheet; longer than the others together; simulated files are counted, not rows
        if ["document", "region_rows", "klce", "inference", "proximity_sweep", "bench"].contains(&described.kind) {
            continue;
        }
        let Ok(written) = written(described.kind, Some(LEAST)) else { continue };
        let told = told_of_few(&written, ROWS, LEAST);
        assert!(told.is_empty(), "{}: {told:?}\n{written}", described.kind);
        // the steps of its curves are single rows
        assert!(described.kind != "decide" || !written.contains("net benefit per 100 rows against"), "{written}");
        looked_at.push(described.kind);
    }
    assert!(looked_at.len() >= 12, "{looked_at:?}");
    // small counts are there to be told
    assert!(!told_of_few(&written("groups", None).unwrap(), ROWS, LEAST).is_empty());
}

#[test]
fn limits_do_not_deny_that_repeated_rows_are_dependent() {
    let mut uniform = uniform(12);
    let mut text = "patient,p,label\n".to_owned();
    for row in 0..400 {
        let p = uniform();
        let _ = writeln!(text, "P{},{p:.3},{}", row / 4, u8::from(uniform() < p));
    }
    let limits = |clusters: Value| {
        let data = open(&text, json!({ "roles": { "patient": "id" }, "clusters": clusters }));
        let ran = data.run(json!({ "resamples": 20 }));
        let asked = json!({ "document": { "format": "markdown", "sections": ["limits"] } });
        text_of(data.try_analyse(&ran, asked).unwrap())
    };
    let independent = "patient repeats: 400 rows with 100 ids. Intervals and tests treat rows as independent";
    assert!(limits(Value::Null).contains(independent), "{}", limits(Value::Null));
    assert!(!limits(json!("patient")).contains("independent"), "{}", limits(json!("patient")));
}

#[test]
fn a_document_of_dated_rows_has_the_test_of_change_over_time() {
    let data = open(&hospital(), json!({}));
    let ran = data.run(json!({ "resamples": 20 }));
    let asked = json!({ "document": { "format": "markdown", "sections": ["overall"] } });
    let written = text_of(data.try_analyse(&ran, asked).unwrap());
    assert!(written.contains("in calibration over time (") || written.contains("changed over time ("), "{written}");
}

#[test]
fn rows_excluded_for_a_missing_value_are_not_denied() {
    let mut uniform = uniform(13);
    let mut text = "p,x1,label\n".to_owned();
    for row in 0..300 {
        let p = uniform();
        let score = if row % 30 == 0 { String::new() } else { format!("{p:.3}") };
        let _ = writeln!(text, "{score},{:.3},{}", uniform(), u8::from(uniform() < p));
    }
    let data = open(&text, json!({ "rows": "drop" }));
    let ran = data.run(json!({ "resamples": 20 }));
    let asked = json!({ "document": { "format": "markdown", "sections": ["data"] } });
    let written = text_of(data.try_analyse(&ran, asked).unwrap());
    assert!(written.contains("290 used, 10 more excluded on reading"), "{written}");
    assert!(written.contains("rows with a missing or unusable score or outcome were excluded on reading"), "{written}");
}

/// Of 3,000 rows 1,200 have no outcome: more than a summary lists.
#[test]
fn excluded_rows_are_counted_beyond_those_that_are_listed() {
    let mut uniform = uniform(14);
    let mut text = "p,label\n".to_owned();
    for row in 0..3000 {
        let p = uniform();
        let label = if row % 5 < 2 { String::new() } else { u8::from(uniform() < p).to_string() };
        let _ = writeln!(text, "{p:.6},{label}");
    }
    let data = open(&text, json!({ "rows": "drop" }));
    assert_eq!((data.summary().dropped.len(), data.predictions().dropped), (1000, 1200));
    let ran = data.run(json!({ "resamples": 20 }));
    let asked = json!({ "document": { "format": "markdown", "sections": ["data", "checklist"] } });
    let written = text_of(data.try_analyse(&ran, asked).unwrap());
    assert!(written.contains("1,800 used, 1,200 more excluded on reading"), "{written}");
    assert!(written.contains("excluded on reading: 1,200"), "{written}");
    let found = finding(&data, &ran, json!({ "methods": [] }));
    let missing = " 1,200 of 3,000 rows (40.0%) are excluded because their outcome is missing.";
    assert!(found.sentence.ends_with(missing), "{}", found.sentence);
}

/// 240 questions in two attempts each; of 40 attempts no confidence is stated, and 1 or 20 are refused.
fn answers(refused: usize) -> String {
    let mut uniform = uniform(17);
    let mut text = String::new();
    for row in 0..480 {
        let confidence = 0.5 + uniform() / 2.0;
        let stated = if row % 12 == 1 { "null".to_owned() } else { format!("{confidence:.2}") };
        let _ = writeln!(
            text,
            "{{\"question_id\": \"q{}\", \"attempt\": {}, \"question\": \"What is {}?\", \"refused\": {}, \"confidence\": {stated}, \
             \"correct\": {}}}",
            row / 2,
            row % 2 + 1,
            row / 2,
            row % 24 == 0 && row / 24 < refused,
            uniform() < confidence - 0.2
        );
    }
    text
}

#[test]
fn excluded_answers_of_a_log_are_counted_wherever_its_rows_are_and_rows_can_be_joined_back() {
    let open = |refused| {
        let text = answers(refused);
        let data = crate::support::pipeline::try_open(&[("answers.jsonl", text.as_bytes())], json!({})).unwrap();
        let ran = data.run(json!({ "methods": ["none", "temperature"], "resamples": 20 }));
        (data, ran)
    };
    let said = "480 attempts: 420 with confidence and judgment, 60 excluded (40 no confidence, 20 refused)";
    let (data, ran) = open(20);
    let document = |(data, ran): (&Opened, &Ran), suppress: Option<u64>| {
        let asked = json!({ "document": { "format": "markdown", "sections": ["data"], "suppress": suppress } });
        text_of(data.try_analyse(ran, asked).unwrap())
    };
    let written = document((&data, &ran), None);
    assert!(written.contains(said) && !written.contains("more excluded on reading"), "{written}");
    let found = crate::support::pipeline::finding(&data, &ran, json!({ "parts": ["overall"] }));
    let stated = |block: &Block| matches!(block, Block::Text(text) if *text == format!("{said}."));
    assert!(found.parts[0].blocks.iter().any(stated), "{:?}", found.parts[0].blocks);

    let predictions = data.export(localcal::job::Call::ExportPredictions { identifiers: None }, &ran);
    let lines: Vec<&str> = predictions.lines().collect();
    assert!(lines[0].starts_with("row,question_id,attempt,question,set,"), "{}", lines[0]);
    // the first two attempts cannot be scored
    assert!(lines[1].starts_with("3,q1,1,What is 1?,"), "{}", lines[1]);
    let without = data.export(localcal::job::Call::ExportPredictions { identifiers: Some(false) }, &ran);
    assert!(without.starts_with("set,fold,"), "{without}");

    // where the count would be small, it is not stated
    let (data, ran) = open(1);
    assert!(document((&data, &ran), None).contains("41 excluded (40 no confidence, 1 refused)"));
    let withheld = document((&data, &ran), Some(5));
    assert!(!withheld.contains("1 refused") && withheld.contains("41 more excluded on reading"), "{withheld}");
}
