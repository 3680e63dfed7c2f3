//! Metrics, options and the report.

use serde_json::json;

use crate::core;
use crate::made::{Folder, patients};

#[test]
fn the_report_is_that_of_the_core_byte_for_byte() {
    let folder = Folder::with_patients();
    let options = json!({
        "split": { "folds": 3 }, "methods": ["none", "temperature", { "id": "lore", "name": "near" }], "resamples": 40,
        "seed": 5, "bins": { "count": 8, "scheme": "equal_mass_rank" }, "metrics": ["ece", "mlce", "klce2_unbiased"],
        "local": { "features": ["age"], "gamma": 0.3, "resamples": 10 },
    });
    folder.put("options.json", &options.to_string());
    let (mut open, mut run) = (json!({}), options.clone());
    open["split"] = options["split"].clone();
    run.as_object_mut().unwrap().remove("split");
    let expected = core::report("patients.csv", &patients(true), &open, &run);
    let by_file = folder.run("score patients.csv --options options.json --json").done();
    assert!(by_file.out == expected);
    let by_input =
        folder.run_with(&["report", "patients.csv", "--options", "-", "--json"], &options.to_string()).done();
    assert!(by_input.out == expected);
    let sections = json!({ "open": open, "run": run }).to_string();
    let by_sections = folder.run_with(&["score", "patients.csv", "--json", "--options", &sections], "").done();
    assert!(by_sections.out == expected);
    folder.run("report patients.csv --options options.json --out report.json").done();
    assert!(folder.bytes("report.json") == expected);
}

/// The article includes its figures; the files are beside it, one for every figure.
#[test]
fn an_article_has_its_figures_beside_it() {
    let folder = Folder::with_patients();
    let ended = folder.run("report patients.csv --group site --resamples 20 --out paper.tex").done();
    let article = folder.text("paper.tex");
    let figures = article.matches("\\chart{").count();
    assert!(figures > 0 && article.contains("\\chart{1}{fig:"), "{article}");
    for number in 1..=figures {
        assert!(folder.bytes(&format!("paper-figure-{number}.pdf")).starts_with(b"%PDF-"), "{number}");
        assert!(ended.err.contains(&format!("paper-figure-{number}.pdf")), "{}", ended.err);
    }
    assert!(!folder.has(&format!("paper-figure-{}.pdf", figures + 1)));
    assert!(article.contains("{paper-figure-#1.pdf}") && !article.contains("{figure-#1."), "{article}");
    // another article in the folder has its own
    let drawn = folder.bytes("paper-figure-1.pdf");
    folder.run("report patients.csv --group age --resamples 20 --out other_paper.tex").done();
    assert!(folder.has("other-paper-figure-1.pdf") && folder.bytes("paper-figure-1.pdf") == drawn);
    assert!(folder.text("other_paper.tex").contains("{other-paper-figure-#1.pdf}"));
}

#[test]
fn flags_say_what_json_says_and_override_it() {
    let folder = Folder::with_patients();
    let run = json!({
        "methods": ["none", "platt"], "metrics": ["ece", "nll"], "bins": 7, "resamples": 20, "seed": 3,
        "local": { "features": ["age"], "gamma": 0.5, "kernel": "gaussian" },
    });
    let open = json!({ "split": { "half": true }, "positive": "ill", "roles": { "site": "ignore" } });
    let expected = core::report("patients.csv", &patients(true), &open, &run);
    let flags = "--methods none,platt --metrics ece,nll --bins 7 --resamples 20 --seed 3 --features age --gamma 0.5 \
                 --kernel gaussian --split half --positive ill --ignore site --json";
    let by_flags = folder.run(&format!("score patients.csv {flags}")).done();
    // one feature by name is one coordinate either way, but a report says what was asked
    let mut one = run.clone();
    one["local"]["features"] = "age".into();
    assert!(by_flags.out == core::report("patients.csv", &patients(true), &open, &one));
    let json = json!({ "bins": 99, "seed": 99, "local": { "features": ["age"], "gamma": 99 } }).to_string();
    let flags = flags.replace("--features age ", "");
    let mut words: Vec<&str> = vec!["score", "patients.csv", "--options", &json];
    words.extend(flags.split_whitespace());
    assert!(folder.run_with(&words, "").done().out == expected);
}

#[test]
fn threads_do_not_change_a_bit() {
    let folder = Folder::with_patients();
    for asked in [
        "score patients.csv --features age --methods none,lore,isotonic --metrics ece,mlce,smece,nll --json",
        "analyse klce patients.csv --features age --resamples 100 --json",
        "analyse compare patients.csv --methods temperature,histogram --resamples 50 --json",
        "analyse sweep patients.csv --features age --json",
        "recalibrate patients.csv --methods beta --resamples 20 --out -",
    ] {
        let [one, four] = ["1", "4"].map(|threads| folder.run(&format!("{asked} --threads {threads}")).done().out);
        assert!(one == four, "{asked}");
    }
}

#[test]
fn standard_input_and_several_files_are_data() {
    let folder = Folder::with_patients();
    let whole = folder.run("score patients.csv --resamples 0 --json").done().json();
    let piped = folder.run_with(&["score", "-", "--resamples", "0", "--json"], &patients(true)).done().json();
    assert_eq!(whole["methods"], piped["methods"]);
    let column = |places: &[usize]| -> String {
        let line = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            places.iter().map(|&c| cells[c]).collect::<Vec<_>>().join(",") + "\n"
        };
        patients(true).lines().map(line).collect()
    };
    folder.put("scores.csv", &column(&[0, 1]));
    folder.put("outcomes.csv", &column(&[0, 2, 3]));
    let joined = folder.run("score scores.csv outcomes.csv --resamples 0 --json").done().json();
    assert_eq!(whole["methods"], joined["methods"]);
}

#[test]
fn a_person_reads_eighty_columns_without_colors_in_a_pipe() {
    let folder = Folder::with_patients();
    for asked in ["score patients.csv", "report patients.csv --methods none,temperature", "list", "list --long"] {
        let ended = folder.run(asked).done();
        let widest = ended.text().lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80, "{asked}: {widest}");
        assert!(!ended.text().contains('\u{1b}') && !ended.err.contains('\u{1b}'), "{asked}");
        assert!(ended.text().lines().all(|line| !line.ends_with(' ')), "{asked}");
    }
    let ended = folder.run("score patients.csv --features age").done();
    for words in ["240 rows, 2 classes, P(y = ill)", "ECE (15)", "95% CI", "Expected if calibrated: ", "MLCE"] {
        assert!(ended.text().contains(words), "{words}: {}", ended.text());
    }
    assert!(
        folder
            .run("score patients.csv --text-width 150")
            .done()
            .text()
            .contains("average gap between confidence and accuracy across bins")
    );
}

#[test]
fn the_page_s_own_local_settings_can_be_asked_for() {
    let folder = Folder::with_patients();
    let report = folder.run("score patients.csv --local --resamples 0 --json").done().json();
    assert!(report["local"]["settings"]["gamma"].as_f64().unwrap() > 0.0);
    assert_eq!(report["local"]["settings"]["resamples"], 100);
}

#[test]
fn examples_are_what_they_say() {
    let folder = Folder::new();
    for (name, rows) in [("breast_cancer", 569), ("digits", 1797), ("synthetic", 4000)] {
        let report = folder.run(&format!("score --example {name} --resamples 0 --json")).done().json();
        assert_eq!(report["data"]["rows"], rows, "{name}");
    }
}

/// 400 rows of 100 patients.
fn visits() -> String {
    let mut text = "patient_id,p,y\n".to_owned();
    for i in 0..400_usize {
        text += &format!("P{},{},{}\n", i / 4, [0.2, 0.35, 0.6, 0.8][(i * 7) % 4], u8::from((i / 4) % 3 == 0));
    }
    text
}

#[test]
fn dependent_rows_are_told() {
    let folder = Folder::new();
    folder.put("visits.csv", &visits());
    for command in ["score", "report"] {
        let ended = folder.run(&format!("{command} visits.csv --resamples 0")).done();
        let told = "Clusters: 100 patients (patient_id), 4 rows each on average:";
        assert!(ended.text().contains(told), "{}", ended.text());
    }
    let report = folder.run("score visits.csv --resamples 0 --json").done().json();
    assert_eq!(report["data"]["clusters"], "patient_id");
    folder.put("rows.csv", &visits().replace("patient_id", "zz"));
    let report = folder.run("score rows.csv --resamples 0 --json --label y --probability p").done().json();
    assert!(report["data"].get("clusters").is_none());
}

#[test]
fn what_was_not_resampled_and_what_rounding_leaves_is_written_plainly() {
    let folder = Folder::new();
    let rows: String = (0..100).map(|i| if i % 2 == 0 { "0.02,0\n" } else { "0.98,1\n" }).collect();
    folder.put("perfect.csv", &format!("p,y\n{rows}"));
    let text = folder.run("report perfect.csv --resamples 0").done();
    let line = |name: &str| {
        let line = text.text().lines().find(|line| line.trim_start().starts_with(name));
        line.unwrap_or_else(|| panic!("{name}: {}", text.text())).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("resamples"), "resamples none");
    assert!(line("Mean error").starts_with("Mean error 0"), "{}", line("Mean error"));
    assert!(!text.text().contains("10⁻¹⁶"), "{}", text.text());
}

#[test]
fn an_outcome_that_was_guessed_is_said() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},0.{}\n", ["female", "male"][i % 2], 10 + i * 7 % 80);
    folder.put("rows.csv", &format!("sex,y_prob\n{}", (0..80).map(row).collect::<String>()));
    let said = "`sex` is taken as the outcome (the only possible outcome column). If another column holds it, name it with --label.";
    let guessed = folder.run("score rows.csv --resamples 0").done();
    assert!(guessed.err.contains(said), "{}", guessed.err);
    let named = folder.run("score rows.csv --resamples 0 --label sex").done();
    assert!(!named.err.contains("is taken as the outcome"), "{}", named.err);
}

#[test]
fn one_row_is_not_rows() {
    let folder = Folder::new();
    folder.put("one.csv", "y,p\n1,0.7\n");
    let ended = folder.run("score one.csv --resamples 0").done();
    assert!(ended.text().contains("one.csv: 1 row, 2 classes"), "{}", ended.text());
}
