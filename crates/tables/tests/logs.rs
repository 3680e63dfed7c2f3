//! Evaluation logs of language models, as their tools write them (`tests/logs/make_logs.py`), against what Python read in them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;

use localcal_tables::data::{About, LEXICAL, OpenOptions, Predictions, Role, Summary, Unanswered, assemble};
use localcal_tables::read::{ReadFile, ReadOptions, read, read_with};
use localcal_tables::table::Values;
use serde_json::{Value, json};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/logs/files")
}

fn bytes_of(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap()
}

fn log(name: &str) -> ReadFile {
    read(name, &bytes_of(name), &mut |_| ()).unwrap()
}

fn opened(name: &str, unanswered: Option<Unanswered>) -> (Predictions, Summary) {
    assemble(&[log(name)], &OpenOptions { unanswered, ..OpenOptions::default() }).unwrap()
}

fn refusal(name: &str, text: &str) -> String {
    let read = read(name, text.as_bytes(), &mut |_| ());
    let error = read.and_then(|file| assemble(&[file], &OpenOptions::default())).unwrap_err();
    format!("{}: {error} {}", error.code(), error.hint())
}

fn cell(file: &ReadFile, name: &str, row: usize) -> Value {
    let column = file.columns.iter().find(|column| column.name == name);
    match column.map(|column| &column.values) {
        None => Value::Null,
        Some(Values::Numbers(v)) => v.get(row).filter(|x| !x.is_nan()).map_or(Value::Null, |x| json!(x)),
        Some(Values::Text { codes, levels }) => match levels.text(codes[row]) {
            "" => Value::Null,
            text => text.into(),
        },
        Some(Values::Matrix(_)) => panic!("{name} is an array"),
    }
}

/// The part of what is told that is about a log or its attempts.
fn note_about(summary: &Summary, about: About) -> &str {
    summary.told.iter().find(|told| told.about == about).map_or("", |told| &told.text)
}

fn role(summary: &Summary, name: &str) -> Role {
    summary.columns.iter().find(|column| column.name == name).unwrap_or_else(|| panic!("no column {name}")).role
}

#[test]
fn every_log_is_what_python_reads() {
    let expected: Value = serde_json::from_slice(&bytes_of("expected.json")).unwrap();
    let mut cells = 0;
    for (name, rows) in expected.as_object().unwrap() {
        let file = log(name);
        let rows = rows.as_array().unwrap();
        for column in &file.columns {
            assert_eq!(column.values.shape(), [rows.len()], "{name}, {}", column.name);
        }
        for (place, wanted) in rows.iter().enumerate() {
            // an archive lists its samples in another order than the same log in JSON
            let same = |row: &usize| {
                ["question_id", "attempt"].iter().all(|column| cell(&file, column, *row) == wanted[*column])
            };
            let row = if name == "inspect.eval" { (0..rows.len()).find(same).unwrap() } else { place };
            for (column, wanted) in wanted.as_object().unwrap() {
                let found = cell(&file, column, row);
                match (found.as_f64(), wanted.as_f64()) {
                    (Some(found), Some(wanted)) => {
                        assert!((found - wanted).abs() < 1e-12, "{name}, row {row}, {column}: {found} is not {wanted}")
                    }
                    // an attempt that is the only one has no column
                    (None, Some(1.0)) if column == "attempt" => (),
                    _ => assert_eq!(&found, wanted, "{name}, row {row}, {column}"),
                }
                cells += 1;
            }
        }
    }
    assert!(cells > 3000, "{cells}");
}

#[test]
fn what_is_taken_as_what_is_told() {
    let name = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let name = name.into_iter().find(|name| name.starts_with("samples_toy_mc")).unwrap();
    let (data, summary) = opened(&name, None);
    assert_eq!(
        note_about(&summary, About::Log),
        "log of lm-evaluation-harness (task toy_mc): correct is acc, confidence is the largest softmax probability over the \
         choices"
    );
    assert_eq!((summary.rows, note_about(&summary, About::Unanswered)), (40, ""));
    assert!(data.clusters.is_none());
    let roles = [
        ("question_id", Role::Id),
        ("question", Role::Text),
        ("confidence", Role::Confidence),
        ("correct", Role::Correct),
        ("status", Role::Ignore),
        ("acc_norm", Role::Ignore),
        ("score of acc_norm", Role::Ignore),
        ("answer", Role::Ignore),
        ("subject", Role::Group),
        ("level", Role::Group),
    ];
    for (column, wanted) in roles {
        assert_eq!(role(&summary, column), wanted, "{column}");
    }

    for name in ["inspect.eval", "inspect.json"] {
        let (data, summary) = opened(name, None);
        assert_eq!(
            note_about(&summary, About::Log),
            "log of Inspect (task stated, model mockllm/model): correct and confidence are those of the scorer stated, in \
             percent"
        );
        assert_eq!(
            note_about(&summary, About::Unanswered),
            "24 attempts: 22 with confidence and judgment, 2 excluded (2 unparsed)"
        );
        assert_eq!((summary.rows, data.dropped), (22, 2));
        // attempts at one question are dependent; a field called `label` is no outcome
        assert_eq!(summary.clusters.as_ref().map(|c| (c.column.as_str(), c.count)), Some(("question_id", 12)));
        assert_eq!((role(&summary, "topic"), role(&summary, "label")), (Role::Group, Role::Ignore));
    }

    let (_, summary) = opened("per_instance_stats.json", None);
    assert_eq!(note_about(&summary, About::Log), "log of HELM: correct is exact_match, confidence is max_prob");
    assert_eq!(
        note_about(&summary, About::Unanswered),
        "20 attempts: 16 with confidence and judgment, 4 excluded (1 no confidence, 3 partly correct)"
    );
    assert!(summary.columns.iter().all(|column| column.name != "perturbation"));
    assert!(
        summary
            .warnings
            .iter()
            .any(|warning| warning.message == "20 perturbed copies (`typos`) were left out, as in HELM's statistics.")
    );

    let (_, summary) = opened("judged_hle_made-model.json", None);
    assert_eq!(
        note_about(&summary, About::Unanswered),
        "40 attempts: 35 with confidence and judgment, 5 excluded (5 not judged)"
    );
    assert!(summary.warnings.iter().any(|warning| warning.message
        == "The judge writes 100 where an answer states no confidence: 7 answers with 100 do not contain the word `confidence`."));

    let (_, summary) = opened("simpleqa.jsonl", None);
    assert_eq!(
        note_about(&summary, About::Log),
        "answers of a language model: correct is grade, confidence is confidence, in percent"
    );
}

#[test]
fn how_unanswered_questions_count_is_chosen_and_told() {
    let mean = |data: &Predictions| {
        let correct = data.correct.as_ref().unwrap();
        let confidence = data.confidence.as_ref().unwrap();
        let n = correct.len() as f64;
        (correct.iter().map(|a| f64::from(*a)).sum::<f64>(), confidence.iter().sum::<f64>() / n)
    };
    let (excluded, summary) = opened("simpleqa.jsonl", None);
    assert_eq!(
        note_about(&summary, About::Unanswered),
        "360 attempts: 341 with confidence and judgment, 19 excluded (6 no confidence, 9 not attempted, 4 unparsed)"
    );
    assert_eq!((summary.rows, excluded.dropped), (341, 19));

    let (stated, summary) = opened("simpleqa.jsonl", Some(Unanswered::Incorrect));
    assert_eq!(
        note_about(&summary, About::Unanswered),
        "360 attempts: 341 with confidence and judgment, 9 counted as incorrect at their stated confidence (9 not \
         attempted), 10 excluded (6 no confidence, 4 unparsed)"
    );
    assert_eq!((summary.rows, mean(&stated).0), (350, mean(&excluded).0));

    let (certain, summary) = opened("simpleqa.jsonl", Some(Unanswered::IncorrectAtOne));
    assert_eq!(
        note_about(&summary, About::Unanswered),
        "360 attempts: 341 with confidence and judgment, 9 counted as incorrect at 100% (9 not attempted), 6 without a stated \
         confidence at 100%, 4 as judged at 100% (4 unparsed)"
    );
    assert_eq!(summary.rows, 360);
    assert!(mean(&certain).1 > mean(&stated).1);
    // those without a stated confidence keep their judgment
    assert!(mean(&certain).0 > mean(&excluded).0);
}

#[test]
fn confidences_are_scaled_by_the_whole_file() {
    let shares = |stated: &[&str]| {
        let line = |stated: &&str| format!("{{\"question\": \"q\", \"correct\": true, \"confidence\": {stated}}}\n");
        let file = read("a.jsonl", stated.iter().map(line).collect::<String>().as_bytes(), &mut |_| ()).unwrap();
        let cells = (0..stated.len()).map(|row| (cell(&file, "confidence", row), cell(&file, "status", row)));
        let cells: Vec<String> = cells
            .map(|(share, status)| format!("{share} {}", status.as_str().unwrap().chars().next().unwrap()))
            .collect();
        (cells.join(", "), file.warnings.iter().map(|warning| warning.code.clone()).collect::<Vec<_>>().join(" "))
    };
    let is = |cells: &str, warnings: &str| (cells.to_owned(), warnings.to_owned());
    assert_eq!(shares(&["0.5", "\"0.25\"", "1"]), is("0.5 a, 0.25 a, 1.0 a", ""));
    assert_eq!(shares(&["50", "\"25%\"", "0"]), is("0.5 a, 0.25 a, 0.0 a", ""));
    // a value with the sign says nothing of those without it
    assert_eq!(shares(&["\"85%\"", "0.5", "1"]), is("0.85 a, 0.5 a, 1.0 a", ""));
    assert_eq!(shares(&["1", "0", "1"]), is("1.0 a, 0.0 a, 1.0 a", "confidence_of_ends"));
    assert_eq!(shares(&["50", "0.5"]), is("0.5 a, 0.005 a", "percent_and_fractions"));
    assert_eq!(shares(&["50", "101", "-3"]), is("0.5 a, null u, null u", "confidence_out_of_range"));
    assert_eq!(
        shares(&["0.5", "NaN", "null", "\"sure\"", "[1]"]),
        is("0.5 a, null n, null n, null u, null u", "confidence_unreadable")
    );
}

#[test]
fn probabilities_among_which_some_exceed_1_are_refused() {
    let line = |k: usize| {
        let confidence = if k % 10 == 3 { "85".to_owned() } else { format!("0.{}", 10 + k) };
        format!("{{\"question\": \"q{k}\", \"correct\": true, \"confidence\": {confidence}}}\n")
    };
    assert_eq!(
        refusal("a.jsonl", &(0..40).map(line).collect::<String>()),
        "probability_out_of_range: 36 of 40 confidences lie between 0 and 1, and 4 are above 1: the first is 85 (file \
         `a.jsonl`). Write all of them as probabilities from 0 to 1, or percentages with their sign (85%)."
    );
}

#[test]
fn ratings_are_refused_whatever_their_scale() {
    let of = |confidences: &[f64]| {
        let line =
            |confidence: &f64| format!("{{\"question\": \"q\", \"correct\": true, \"confidence\": {confidence}}}\n");
        refusal("a.jsonl", &confidences.iter().map(line).collect::<String>())
    };
    assert_eq!(
        of(&[7.5, 3.0, 10.0]),
        "probability_out_of_range: Every confidence is a number from 3 to 10: a rating rather than a percentage (file \
         `a.jsonl`). Divide ratings by 10, or write percentages with their sign (7%)."
    );
    assert_eq!(
        of(&[1.0, 5.0, 4.0, 3.0]),
        "probability_out_of_range: Every confidence is a whole number from 1 to 5: a rating rather than a percentage (file \
         `a.jsonl`). Divide ratings by the maximum of their scale (5 or 10, for instance), or write percentages with their \
         sign (4%)."
    );
}

#[test]
fn a_stray_value_among_probabilities_makes_no_percentages() {
    let line = |k: usize| {
        let confidence = if k == 60 { 1.5 } else { 0.3 + 0.005 * (k % 100) as f64 };
        format!("{{\"question\": \"q{k}\", \"correct\": {}, \"confidence\": {confidence}}}\n", !k.is_multiple_of(3))
    };
    let file = read("a.jsonl", (0..200).map(line).collect::<String>().as_bytes(), &mut |_| ()).unwrap();
    assert_eq!((cell(&file, "confidence", 0), cell(&file, "status", 60)), (json!(0.3), json!("unparsed")));
    assert_eq!(file.warnings.len(), 1, "{:?}", file.warnings);
    assert_eq!(file.warnings[0].message, "1 confidence outside 0 to 1 counts as unparsed: 1.5.");
}

#[test]
fn a_table_of_a_text_classifier_is_no_log() {
    for record in [
        "{\"prompt\": \"good\", \"prob\": 0.7, \"label\": 1}",
        "{\"input\": \"good\", \"confidence\": 0.7, \"label\": \"positive\"}",
        "{\"input\": \"good\", \"confidence\": 0.7, \"prediction\": 1, \"label\": 1}",
        "{\"input\": \"good\", \"confidence\": 0.7, \"score\": 2.5}",
        "{\"text\": \"good\", \"confidence\": 0.7, \"correct\": 1}",
    ] {
        let file = read("a.jsonl", format!("{record}\n{record}\n").as_bytes(), &mut |_| ()).unwrap();
        assert!(file.log.is_none(), "{record}");
    }
    let graded = "{\"input\": \"Why?\", \"confidence\": 70, \"label\": \"A\"}\n";
    assert!(read("a.jsonl", graded.as_bytes(), &mut |_| ()).unwrap().log.is_some());
}

#[test]
fn letters_of_grades_are_told_by_those_beside_them() {
    let correct = |grades: &[&str]| {
        let line = |grade: &&str| format!("{{\"question\": \"q\", \"grade\": \"{grade}\", \"confidence\": 0.5}}\n");
        let text: String = grades.iter().map(line).collect();
        read("a.jsonl", text.as_bytes(), &mut |_| ()).map(|file| {
            let status = |row| cell(&file, "status", row).as_str().unwrap().to_owned();
            let of = |row| match cell(&file, "correct", row).as_f64() {
                Some(correct) => correct.to_string(),
                None => status(row),
            };
            (0..grades.len()).map(of).collect::<Vec<_>>().join(" ")
        })
    };
    assert_eq!(correct(&["A", "B", "C"]).unwrap(), "1 0 not attempted");
    assert_eq!(correct(&["C", "I", "P", "N"]).unwrap(), "1 0 partly correct not attempted");
    assert_eq!(
        correct(&["CORRECT", "INCORRECT", "NOT_ATTEMPTED", "yes", "?"]).unwrap(),
        "1 0 not attempted 1 unparsed"
    );
    let line = |grade: &str| format!("{{\"question\": \"q\", \"grade\": \"{grade}\", \"confidence\": 0.5}}\n");
    assert_eq!(
        refusal("a.jsonl", &line("C")),
        "label_out_of_range: Every grade is `C`, which means correct in Inspect and not attempted in SimpleQA (file \
         `a.jsonl`). Write true or false for each answer."
    );
    assert!(
        refusal("a.jsonl", &(line("A") + &line("I"))).starts_with("label_out_of_range: The grades mix the letters")
    );
}

#[test]
fn the_normed_answer_is_never_judged_by_acc() {
    // the log-likelihood favors the short choice, its length the long one
    let line = |metrics: &str| {
        format!(
            "{{\"doc_id\": 0, \"doc\": {{\"choices\": [\"a\", \"a longer one\"]}}, \"target\": \"1\", \"filtered_resps\": \
             [[\"-2\", \"False\"], [\"-6\", \"False\"]], {metrics} \"filter\": \"none\"}}\n"
        )
    };
    let file = read("a.jsonl", line("\"acc\": 0.0, \"acc_norm\": 1.0,").as_bytes(), &mut |_| ()).unwrap();
    let softmax = |a: f64, b: f64| 1.0 / (1.0 + (b - a).exp());
    let near = |column: &str, wanted: f64| (cell(&file, column, 0).as_f64().unwrap() - wanted).abs() < 1e-15;
    assert!(near("confidence", softmax(-2.0, -6.0)) && near("correct", 0.0));
    assert!(near("score of acc_norm", softmax(-0.5, -2.0)) && near("acc_norm", 1.0));
    // without `acc` both are of the normed answer; without either the target judges
    let file = read("a.jsonl", line("\"acc_norm\": 1.0,").as_bytes(), &mut |_| ()).unwrap();
    assert!((cell(&file, "confidence", 0).as_f64().unwrap() - softmax(-0.5, -2.0)).abs() < 1e-15);
    assert!(file.log.unwrap().summary.contains("correct is acc_norm"));
    let file = read("a.jsonl", line("\"acc\": 1.0,").as_bytes(), &mut |_| ()).unwrap();
    assert_eq!(
        file.warnings[0].message,
        "In 1 line of 1, `acc` disagrees with the choice of the largest log-likelihood; `acc` is used."
    );
}

#[test]
fn logs_that_say_nothing_of_confidence_name_what_would() {
    let generated = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let generated = generated.into_iter().find(|path| path.to_string_lossy().contains("samples_toy_gen")).unwrap();
    assert_eq!(
        refusal("gen.jsonl", &std::fs::read_to_string(generated).unwrap()),
        "roles_unclear: This is a log of lm-evaluation-harness without a confidence (file `gen.jsonl`). Its task gives no \
         probability of the answer. Tasks with `output_type: multiple_choice` do; of generated answers, write one object per \
         line with `question`, `confidence` and `correct`."
    );
    assert!(
        refusal("a.json", "{\"score\": 0, \"metrics\": {}, \"htmls\": [], \"convos\": []}")
            .contains("simple-evals without")
    );
    let results = "{\"results\": {\"mc\": {\"acc,none\": 0.5}}, \"configs\": {}, \"versions\": {}, \"n-shot\": {}}";
    assert_eq!(
        refusal("results_2026.json", results),
        "file_unknown: This is the summary of a run of lm-evaluation-harness, which holds no single answers (file \
         `results_2026.json`). Drop samples_*.jsonl of the same folder, which the run writes with --log_samples."
    );
    assert!(
        refusal("a.json", "[{\"instance_id\": \"id1\", \"stats\": []}]")
            .starts_with("roles_unclear: This is a log of HELM without a confidence")
    );
    let sample = "{\"version\": 2, \"status\": \"success\", \"eval\": {}, \"samples\": [{\"id\": 1, \"scores\": {\"match\": \
                  {\"value\": \"C\"}}}]}";
    assert!(refusal("a.json", sample).contains("None of its scorers recorded one (`match`)"));
    // in `sycophancy` a confidence is an outcome
    let sample = sample.replace("\"C\"", "{\"confidence\": 1, \"truthfulness\": 0}");
    assert!(refusal("a.json", &sample).contains("None of its scorers recorded one"));
}

#[test]
fn faults_name_their_line_field_or_entry() {
    let line = "{\"doc_id\": 0, \"doc\": {}, \"target\": \"0\", \"filtered_resps\": [[\"-1\", \"False\"], [\"high\", \
                \"False\"]], \"acc\": 1}\n";
    assert_eq!(
        refusal("a.jsonl", &line.repeat(2)),
        "table_unreadable: Line 1, `filtered_resps[1][0]` is not a log-likelihood (file `a.jsonl`). Write a number such \
         as \"-0.26\", -inf, or NaN where it is missing."
    );
    let cut = "{\"doc_id\": 0, \"doc\": {}, \"target\": \"0\"}\n{\"doc_id\": 1, \"doc";
    assert!(refusal("a.jsonl", cut).starts_with("table_unreadable: Invalid JSON in line 2, column"));
    let deep = format!("{{\"doc_id\": 0, \"target\": \"0\", \"doc\": {}", "[".repeat(100_000));
    assert!(refusal("a.jsonl", &deep).starts_with("table_unreadable: Invalid JSON in line 1"));
    let helm = "[{\"instance_id\": \"a\", \"stats\": [{\"name\": 3}]}]";
    assert!(refusal("a.json", helm).starts_with("table_unreadable: Invalid JSON in line 1, column"));
    assert_eq!(
        refusal("a.json", "{\"version\": 2, \"status\": \"error\", \"eval\": {}}"),
        "empty: The log of Inspect contains no attempt (file `a.json`). Write the log again."
    );
}

#[test]
fn an_archive_that_is_damaged_anywhere_is_an_error_or_the_same_log() {
    let whole = bytes_of("inspect.eval");
    let wanted = format!("{:?}", log("inspect.eval").columns);
    for place in (0..whole.len()).step_by(211) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x55;
        match read("inspect.eval", &damaged, &mut |_| ()) {
            // a sample, which is not read, or its time
            Ok(file) => assert!(format!("{:?}", file.columns) == wanted, "{place}"),
            Err(error) => assert!(
                ["archive_unreadable", "file_unknown", "table_unreadable", "too_large"].contains(&error.code()),
                "{place}: {error}"
            ),
        }
    }
    for length in (0..whole.len()).step_by(977) {
        assert!(read("inspect.eval", &whole[..length], &mut |_| ()).is_err(), "{length}");
    }
    // entries that would need more than they may
    let options = ReadOptions { most: Some(1000), ..ReadOptions::default() };
    let error = read_with("inspect.eval", &whole, options, &mut |_| ()).unwrap_err();
    assert_eq!(error.code(), "too_large", "{error}");
}

/// Questions about two matters, with what `more` adds to the fields of each.
fn questions(n: usize, more: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = String::new();
    for i in 0..n {
        let (subject, question) = match i % 2 {
            0 => ("law", format!("Which clause of the contract binds the tenant of house {i}?")),
            _ => ("physics", format!("Which force accelerates the electron in field {i}?")),
        };
        let (confidence, correct) = (50 + i % 50, i % 3 != 0);
        text += &format!(
            "{{\"id\":\"q{i}\",\"question\":\"{question}\",\"subject\":\"{subject}\",\"confidence\":{confidence},\"correct\":{correct}{}}}\n",
            more(i)
        );
    }
    text.into_bytes()
}

#[test]
fn the_text_of_a_log_makes_lexical_dimensions_where_there_are_no_embeddings() {
    let open = |bytes: &[u8]| {
        let file = read("answers.jsonl", bytes, &mut |_| ()).unwrap();
        assemble(&[file], &OpenOptions::default()).unwrap()
    };
    let (data, summary) = open(&questions(60, |_| String::new()));
    assert_eq!((role(&summary, "question"), role(&summary, LEXICAL)), (Role::Text, Role::Features));
    assert_eq!(data.text_of(1), Some("Which force accelerates the electron in field 1?"));
    assert!(data.is_lexical(LEXICAL) && data.columns_of_files() + 1 == data.roles.len());
    let column = data.table.columns.last().unwrap();
    let Values::Matrix(places) = &column.values else { panic!("an array") };
    let far = |i: usize, j: usize| {
        (0..places.width).map(|k| (places.value(i, k) - places.value(j, k)).powi(2)).sum::<f64>().sqrt()
    };
    assert!(far(0, 2) < 0.5 * far(0, 1), "questions about the same are nearer: {} {}", far(0, 2), far(0, 1));
    assert!(summary.columns.last().unwrap().reason.starts_with("lexical similarity: "));
    // A person who ignores the text has no lexical dimensions.
    let file = read("answers.jsonl", &questions(60, |_| String::new()), &mut |_| ()).unwrap();
    let roles = [("question".to_owned(), Role::Ignore)].into();
    let (data, _) = assemble(&[file], &OpenOptions { roles, ..OpenOptions::default() }).unwrap();
    assert!(!data.lexical && data.text_of(1).is_none());
    // An embedding of each question is used in their place; a few numbers are none.
    let list = |width: usize| move |i: usize| format!(",\"embedding\":{:?}", vec![i as f64; width]);
    let (data, summary) = open(&questions(60, list(32)));
    assert!(!data.lexical && summary.columns.iter().all(|column| column.name != LEXICAL));
    assert_eq!(role(&summary, "embedding"), Role::Features);
    assert!(open(&questions(60, list(4))).0.lexical);
    // A question without a text is nowhere.
    let (data, _) = open(
        &[questions(60, |_| String::new()), br#"{"id":"r","question":null,"confidence":90,"correct":true}"#.to_vec()]
            .concat(),
    );
    let Values::Matrix(places) = &data.table.columns.last().unwrap().values else { panic!("an array") };
    assert!(places.value(60, 0).is_nan() && places.value(59, 0).is_finite() && data.text_of(60).is_none());
}
