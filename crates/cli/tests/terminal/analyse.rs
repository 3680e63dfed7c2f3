//! Every question, on a built-in example.

use serde_json::Value;

use crate::made::Folder;

/// What a question needs to be told before it can answer.
fn flags(kind: &str) -> &'static str {
    match kind {
        "region" | "region_rows" => "--features mean_radius,mean_texture --box 15,30,0,50",
        "neighbourhoods" => "--features mean_radius --resamples 50",
        "witness" => "--features mean_radius",
        "klce" => "--features mean_radius --resamples 100",
        "correlation" => "--methods temperature,histogram --repeats 3",
        "compare" => "--methods temperature,histogram --resamples 50",
        "groups" => "--columns size --method temperature",
        "multiples" => "--by group --columns size",
        "inference" => "--of mean_radius --group size --resamples 50",
        _ => "",
    }
}

/// What the example does not have, and is told.
fn lacks(kind: &str) -> Option<&'static str> {
    match kind {
        "over_time" => Some("No date column."),
        "changed" => Some("session"),
        _ => None,
    }
}

#[test]
fn every_question_is_answered_in_words_and_in_json() {
    let folder = Folder::new();
    let kinds = folder.run("list analyses --json").done().json();
    let kinds: Vec<&str> =
        kinds["analyses"].as_array().unwrap().iter().map(|kind| kind["id"].as_str().unwrap()).collect();
    assert!(kinds.len() >= 17);
    for kind in kinds {
        let asked = format!("analyse {kind} --example breast_cancer {}", flags(kind));
        if let Some(missing) = lacks(kind) {
            let refused = folder.run(&asked);
            assert_eq!(refused.status, Some(1));
            assert!(refused.err.contains(missing), "{kind}: {}", refused.err);
            continue;
        }
        let words = folder.run(&asked).done();
        assert!(words.text().lines().count() > 2, "{kind}: {}", words.text());
        let widest = words.text().lines().map(|line| line.chars().count()).max().unwrap();
        // a document is a file, written as it is
        assert!(widest <= 80 || kind == "document", "{kind}: {widest} columns\n{}", words.text());
        if kind == "region_rows" {
            assert!(words.text().starts_with("id,"));
            continue;
        }
        if kind == "document" {
            assert!(words.text().starts_with("<!doctype html>"));
            continue;
        }
        let answer = folder.run(&format!("{asked} --json")).done().json();
        assert!(answer.is_object() && answer["columns"].is_array(), "{kind}");
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = squeezed(words.text());
        // what was found stands before all else, and what to do about it after that
        let first = ["/headline", "/reading", "/sentence"].iter().find_map(|place| answer.pointer(place)?.as_str());
        let first =
            first.or_else(|| readings(&answer).first().copied()).unwrap_or_else(|| panic!("{kind} finds nothing"));
        assert!(told.starts_with(&squeezed(first)), "{kind}: {first}\n{}", words.text());
        if let Some(advice) = answer.pointer("/advice/sentence").and_then(Value::as_str) {
            assert!(told.starts_with(&squeezed(&format!("{first} {advice}"))), "{kind}: {advice}\n{}", words.text());
        }
        for reading in readings(&answer) {
            assert!(told.contains(&squeezed(reading)), "{kind}: {reading}");
        }
    }
}

fn readings(answer: &Value) -> Vec<&str> {
    let blocks = answer["sheet"]["blocks"].as_array().map_or(&[][..], Vec::as_slice);
    blocks.iter().filter_map(|block| block["reading"].as_str()).collect()
}

#[test]
fn options_of_a_question_stand_in_its_section_or_outside() {
    let folder = Folder::with_patients();
    let flags = folder.run("analyse groups patients.csv --columns site --least 5 --json").done();
    let inside = r#"{ "analyse": { "columns": ["site"], "least": 5 } }"#;
    let outside = r#"{ "columns": ["site"], "least": 5, "split": "auto" }"#;
    for options in [inside, outside] {
        let ended = folder.run_with(&["analyse", "groups", "patients.csv", "--options", options, "--json"], "").done();
        assert!(ended.out == flags.out);
    }
}

#[test]
fn models_of_the_same_rows_and_other_files_stand_beside_each_other() {
    let folder = Folder::with_patients();
    let second = folder.text("patients.csv").replace("p_ill", "q_ill");
    folder.put("other.csv", &second);
    let answer = folder.run("analyse models patients.csv --other other.csv --x ece --y nll --json").done().json();
    assert_eq!(answer["points"].as_array().unwrap().len(), 2);
}

#[test]
fn help_of_a_question_names_its_options() {
    let folder = Folder::new();
    let help = folder.run("analyse klce --help").done();
    for option in ["--width-p", "--nulls", "--alpha", "--simulate"] {
        assert!(help.text().contains(option), "{option}");
    }
    assert!(folder.run("analyse --help").done().text().contains("predicted, observed, adjusted p"));
    assert!(folder.run("recalibrate --help").done().text().contains("a logistic curve with two slopes"));
    assert!(
        folder.run("score --help").done().text().contains("average gap between confidence and accuracy across bins")
    );
    let methods = folder.run("list methods --long --text-width 200").done();
    assert!(methods.text().contains("Platt (1999)") && methods.text().contains("ridge: "), "{}", methods.text());
    assert!(folder.run("completions bash").done().text().contains("localcal"));
}

#[test]
fn a_reading_is_said_once() {
    let folder = Folder::new();
    for more in ["", "--gamma 1000"] {
        let asked =
            format!("analyse neighbourhoods --example breast_cancer --features mean_radius --resamples 50 {more}");
        let answer = folder.run(&format!("{asked} --json")).done().json();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (reading, text) = (words(answer["reading"].as_str().unwrap()), words(folder.run(&asked).done().text()));
        assert_eq!(text.matches(&reading).count(), 1, "{text}");
    }
}

#[test]
fn the_finding_takes_the_columns_of_similarity() {
    let folder = Folder::new();
    let asked = "analyse finding --example breast_cancer --resamples 0 --methods none --json";
    let of = |flags: &str| folder.run(&format!("{asked} {flags}")).done().json()["sentence"].clone();
    assert!(of("").is_string() && of("--features mean_radius,mean_texture").is_string());
}
