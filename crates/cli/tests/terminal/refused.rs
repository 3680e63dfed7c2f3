//! What is refused, how it is told, and with which exit status.

use crate::made::Folder;

#[track_caller]
fn refused(folder: &Folder, asked: &str, status: i32, words: &[&str]) {
    let ended = folder.run(asked);
    assert_eq!(ended.status, Some(status), "{asked}: {}", ended.err);
    assert!(ended.out.is_empty(), "{asked} leaves something on standard output");
    for word in words {
        assert!(ended.err.contains(word), "{asked}: `{word}` is not in {}", ended.err);
    }
}

#[test]
fn bad_input_gets_the_core_s_sentence_and_hint() {
    let folder = Folder::with_patients();
    folder.put("empty.csv", "");
    folder.put("labels.csv", "y\n0\n1\n1\n0\n");
    folder.put("gap.csv", "p,y\n0.1,0\n,1\n0.8,1\n0.3,0\n");
    folder.put("no.json", "{ not json");
    refused(&folder, "score none.csv", 1, &["error: ", "none.csv", "hint: "]);
    refused(&folder, "score empty.csv", 1, &["(empty)", "hint: "]);
    refused(&folder, "score labels.csv", 1, &["(score_missing)"]);
    refused(&folder, "score gap.csv", 1, &["(not_a_number)", "Data row 2, column `p`"]);
    refused(&folder, "score patients.csv --metrics eec", 1, &["(unknown_metric)", "`eec`", "Available: "]);
    refused(&folder, "recalibrate patients.csv --methods tmp", 1, &["(unknown_method)"]);
    refused(&folder, "score patients.csv --bins 0", 1, &["(invalid_option)", "bins"]);
    refused(&folder, "score patients.csv --label who", 1, &["(unknown_column)", "who"]);
    refused(&folder, "score patients.csv --options no.json", 1, &["(invalid_option)", "JSON"]);
    refused(&folder, "score patients.csv --options {\"colour\":1}", 1, &["`colour`", "Available: "]);
    refused(&folder, "apply no.json new.csv", 1, &["(calibrator_unreadable)"]);
    refused(&folder, "apply none.json new.csv", 1, &["none.json"]);
    refused(&folder, "analyse region patients.csv", 1, &["(invalid_option)", "polygon"]);
    refused(&folder, "score patients.csv --threads 1 --features who", 1, &["(unknown_column)"]);
    folder.run("score gap.csv --rows drop --resamples 0").done();
}

#[test]
fn threads_and_memory_have_bounds() {
    let folder = Folder::with_patients();
    refused(&folder, "score patients.csv --threads 100000", 2, &["--threads"]);
    refused(&folder, "score patients.csv --max-memory much", 2, &["--max-memory", "500M"]);
    refused(&folder, "score patients.csv --missing age", 2, &["COLUMN=VALUE"]);
    refused(&folder, "score patients.csv --max-memory 1K", 1, &["(too_large)", "1,024"]);
    folder.run("score patients.csv --max-memory 1G --resamples 0").done();
}

#[test]
fn with_json_failures_are_json() {
    let folder = Folder::with_patients();
    let ended = folder.run("score patients.csv --json --metrics eec");
    let told: serde_json::Value = serde_json::from_str(&ended.err).unwrap();
    assert_eq!(told["code"], "unknown_metric");
    assert!(told["hint"].as_str().unwrap().starts_with("Available: "));
}

#[test]
fn what_is_not_understood_is_usage() {
    let folder = Folder::with_patients();
    for asked in [
        "",
        "scroe patients.csv",
        "score",
        "score patients.csv --bin 3",
        "score patients.csv --view sideways",
        "score patients.csv --folds 3 --split half",
        "score patients.csv --example digits",
        "score patients.csv --resamples many",
        "score - --options -",
        "analyse grups patients.csv",
        "analyse groups patients.csv --metric colour",
        "analyse groups patients.csv --quantiles few",
        "score patients.csv --roles age",
    ] {
        let ended = folder.run(asked);
        assert_eq!(ended.status, Some(2), "{asked}: {}", ended.err);
        assert!(ended.out.is_empty() && ended.err.contains("--help"), "{asked}: {}", ended.err);
    }
}

#[test]
fn warnings_and_progress_stay_off_standard_output() {
    let folder = Folder::with_patients();
    let warned = folder.run("apply none.json new.csv");
    assert!(warned.out.is_empty());
    let stored = folder.run("recalibrate patients.csv --methods platt --out platt.json").done();
    assert!(!stored.text().contains("wrote"));
    let applied = folder.run("apply platt.json new.csv").done();
    assert!(applied.err.contains("warning:") && !applied.text().contains("warning"));
    assert!(folder.run("apply platt.json new.csv --quiet").done().err.is_empty());
}
