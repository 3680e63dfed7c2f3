//! Bad values: the sentence, and leaving the rows out.

use crate::support::bytes::*;
use localcal::data::{OpenOptions, Role, RowPolicy, SplitOption};

fn is(text: &str, code: &str, message: &str) {
    assert_eq!(failure(text), (code.to_owned(), message.to_owned()), "{text}");
}

fn drop() -> OpenOptions {
    OpenOptions { rows: RowPolicy::Drop, ..OpenOptions::default() }
}

#[test]
fn nothing_inside() {
    is("", "empty", "The file is empty: 0 bytes (file `a.csv`).");
    is(" \n\n", "empty", "The file contains only white space (file `a.csv`).");
    is("y,p\n", "empty", "The table has a header and no rows (file `a.csv`).");
    is(
        "<!DOCTYPE html><html><body>not found</body></html>",
        "file_unknown",
        "This is a web page (HTML), not a table, despite its name (file `a.csv`).",
    );
    is("[]", "empty", "The JSON contains no records (file `a.csv`).");
    is("{\"p\": 0.5}\n{\"p\": NaN}\n", "not_a_number", "Data row 2, column `p`: the value is missing.");
}

#[test]
fn rows_of_different_lengths() {
    is("y,p\n1,0.5\n0\n", "table_unreadable", "Data row 2 has 1 cell, expected 2 (file `a.csv`).");
    is("y,p\n1,0.5\n0,0.5,3\n", "table_unreadable", "Data row 2 has 3 cells, expected 2 (file `a.csv`).");
}

#[test]
fn values_that_are_not_numbers() {
    let mut text = String::from("y,risk\n");
    for i in 0..1_203 {
        text.push_str(&format!("{},0.{}\n", i % 2, i + 1));
    }
    is(&format!("{text}1,abc\n"), "not_a_number", "Data row 1,204, column `risk`: `abc` is not a number.");
    is(&format!("{text}1,n/a\n"), "not_a_number", "Data row 1,204, column `risk`: the value is missing.");
    is("y,p\n1,0.5\n0,inf\n", "not_a_number", "Data row 2, column `p`: the value is infinite.");
    is("y,p\n1,0.5\n0,0.25\n,0.5\n", "not_a_number", "Data row 3, column `y`: the value is missing.");
}

#[test]
fn probabilities_out_of_range() {
    let mut text = String::from("y,prob\n");
    for i in 0..40 {
        text.push_str(&format!("{},0.5\n", i % 2));
    }
    is(
        &format!("{text}1,1.25\n0,7\n"),
        "probability_out_of_range",
        "Data row 41, column `prob`: 1.25 is not between 0 and 1.",
    );
    let (predictions, summary) = open(&format!("{text}1,1.0000005\n0,-0.0000001\n"));
    assert_eq!(&p(&predictions)[40..], [1.0, 0.0]);
    assert_eq!(summary.warnings[0].code, "probability_clipped");
    assert!(summary.warnings[0].message.starts_with("2 probabilities were outside"), "{}", summary.warnings[0].message);
}

#[test]
fn rows_that_do_not_sum_to_one() {
    let text = "label,prob_0,prob_1\n0,0.75,0.25\n1,0.5,0.25\n1,0.25,0.75\n";
    is(text, "rows_do_not_sum_to_one", "Data row 2: the probabilities sum to 0.75, not to 1.");
    let options = OpenOptions { renormalise: true, ..OpenOptions::default() };
    let (predictions, summary) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
    assert_eq!(row(&predictions, 1), [0.5 / 0.75, 0.25 / 0.75]);
    assert_eq!(summary.warnings[0].code, "renormalised");
    let (predictions, summary) = open_with(&[("a.csv", text.as_bytes())], &drop()).unwrap();
    assert_eq!(predictions.row_numbers.to_vec(), [1, 3]);
    assert_eq!(summary.dropped[0].reason, "the probabilities sum to 0.75, not to 1");
    let (predictions, summary) = open("label,prob_0,prob_1\n0,0.75,0.25\n1,0.5,0.4995\n1,0.25,0.75\n");
    assert_eq!(row(&predictions, 1), [0.5, 0.4995], "used unchanged");
    assert_eq!(
        summary.warnings[0].message,
        "Rows of probabilities sum to 1 only within 0.000500 (row 2); they are used unchanged."
    );
}

#[test]
fn weights_that_are_none() {
    let text = |w: &str| format!("y,p,weight\n1,0.5,2\n0,0.25,1.5\n1,0.75,{w}\n0,0.5,1\n");
    let weight = |drop: bool| OpenOptions {
        rows: if drop { RowPolicy::Drop } else { RowPolicy::Error },
        ..roles(&[("weight", Role::Weight)])
    };
    for (w, code, message) in [
        ("", "not_a_number", "Data row 3, column `weight`: the value is missing."),
        ("inf", "not_a_number", "Data row 3, column `weight`: the value is infinite."),
        ("much", "not_a_number", "Data row 3, column `weight`: `much` is not a number."),
        ("-0.5", "weight_negative", "Data row 3, column `weight`: the weight -0.5 is below 0."),
    ] {
        let text = text(w);
        assert_eq!(failure_with(&text, &weight(false)), (code.to_owned(), message.to_owned()));
        let (predictions, summary) = open_with(&[("a.csv", text.as_bytes())], &weight(true)).unwrap();
        assert_eq!(predictions.row_numbers.to_vec(), [1, 2, 4]);
        let kept = predictions.weights.expect("weights").values.to_vec();
        assert_eq!(kept, [4.0 / 3.0, 1.0, 2.0 / 3.0]);
        assert_eq!(summary.dropped[0].row, 3);
    }
    assert_eq!(
        failure_with("y,p,weight\n1,0.5,0\n0,0.25,0\n", &weight(false)),
        ("weights_all_zero".to_owned(), "All weights in `weight` are 0.".to_owned())
    );
}

#[test]
fn labels_out_of_range() {
    is(
        "label,prob_0,prob_1\n0,0.75,0.25\n7,0.5,0.5\n1,0.25,0.75\n",
        "label_out_of_range",
        "Data row 2, column `label`: `7` is not one of the 2 classes.",
    );
    is(
        "y,p\n0,0.5\n1,0.25\n2,0.75\n1,0.5\n",
        "label_out_of_range",
        "Data row 3, column `y`: `2` is not one of the 2 classes.",
    );
    is(
        "y,p\ncat,0.5\ndog,0.25\nfish,0.75\ncat,0.25\n",
        "label_out_of_range",
        "3 outcome classes but one probability column, which supports 2: `cat`, `dog`, `fish`.",
    );
}

#[test]
fn one_row_and_one_class_open() {
    let (predictions, summary) = open("y,p\n1,0.5\n");
    assert_eq!(predictions.rows, 1);
    assert_eq!(summary.labels, ["0", "1"]);
    assert_eq!(codes(&summary), ["single_class", "few_rows"]);
    let (_, summary) = open("y,p\nyes,0.5\nyes,0.25\n");
    assert_eq!(summary.labels, ["no", "yes"]);
    let (_, summary) = open("y,p\n0,0.5\n0,0.25\n");
    assert_eq!((summary.labels.join(" "), summary.positive.as_deref()), ("0 1".into(), Some("1")));
}

#[test]
fn bad_rows_can_be_left_out() {
    let text = "y,p,x,sex\n1,0.5,1.5,f\n0,NA,2.5,m\n1,abc,3.5,f\n,0.25,4.5,m\n0,0.125,,f\n1,0.75,6.5,m\n";
    let (predictions, summary) = open_with(&[("a.csv", text.as_bytes())], &drop()).unwrap();
    assert_eq!(predictions.rows, 3);
    assert_eq!(p(&predictions), [0.5, 0.125, 0.75]);
    assert_eq!(y(&predictions), [1, 0, 1]);
    assert_eq!(predictions.row_numbers.to_vec(), [1, 5, 6]);
    let reasons: Vec<String> = summary.dropped.iter().map(|d| format!("{} {}", d.row, d.reason)).collect();
    assert_eq!(
        reasons,
        [
            "2 column `p`: the value is missing",
            "3 column `p`: `abc` is not a number",
            "4 column `y`: the value is missing"
        ]
    );
    assert!(summary.warnings[0].message.starts_with("3 of 6 rows were invalid and are excluded."));
    assert!(codes(&summary).contains(&"feature_incomplete"));
    for column in &predictions.table.columns {
        assert_eq!(column.values.shape()[0], 3);
    }
}

#[test]
fn only_used_columns_make_a_row_unusable() {
    let (predictions, summary) = open("y,p,x,sex\n1,0.5,,f\n0,0.25,2.5,\n1,0.75,3.5,m\n0,0.5,1,f\n");
    assert_eq!(predictions.rows, 4);
    let warning = summary.warnings.iter().find(|w| w.code == "feature_incomplete").unwrap();
    assert_eq!((warning.row, warning.column.as_deref()), (Some(1), Some("x")));
}

#[test]
fn all_rows_bad_is_empty() {
    let options = OpenOptions { rows: RowPolicy::Drop, ..roles(&[("p", Role::Probability)]) };
    let (code, message) = failure_with("y,p\n1,17\n0,18\n", &options);
    assert_eq!(code, "empty");
    assert_eq!(message, "None of the 2 rows is valid. Data row 1, column `p`: 17 is not between 0 and 1.");
}

#[test]
fn many_dropped_rows_are_counted_and_the_first_listed() {
    let mut text = String::from("y,p\n");
    for i in 0..3_000 {
        text.push_str(if i % 2 == 0 { "1,\n" } else { "0,0.5\n" });
    }
    let (predictions, summary) = open_with(&[("a.csv", text.as_bytes())], &drop()).unwrap();
    assert_eq!((predictions.rows, summary.dropped.len()), (1_500, 1_000));
    assert!(
        summary.warnings[0]
            .message
            .starts_with("1,500 of 3,000 rows were invalid and are excluded; the first 1,000 are listed.")
    );
}

#[test]
fn nothing_recognized() {
    let (code, message) = failure("colour,size\nred,1\ngreen,2\nblue,3\n");
    assert_eq!(code, "roles_unclear");
    assert_eq!(message, "No outcome or prediction column was recognized among 2 columns: `colour`, `size`.");
}

#[test]
fn labels_that_are_measurements() {
    let mut text = String::from("target,p\n");
    for i in 0..50 {
        text.push_str(&format!("{}.5,0.5\n", i));
    }
    let options = roles(&[("target", Role::Label)]);
    assert_eq!(
        failure_with(&text, &options),
        (
            "label_out_of_range".into(),
            "Data row 1, column `target`: 0.5 is not a class; the column contains measurements.".into()
        )
    );
}

#[test]
fn options_are_named_when_wrong() {
    let text = "y,p\n1,0.5\n0,0.25\n";
    let split = |split| OpenOptions { split: Some(split), ..OpenOptions::default() };
    assert_eq!(failure_with(text, &split(SplitOption::Folds { folds: 1 })).0, "invalid_option");
    assert_eq!(failure_with(text, &split(SplitOption::Half { half: false })).0, "invalid_option");
    assert_eq!(failure_with(text, &split(SplitOption::First { first: 2 })).0, "split_empty");
    assert_eq!(
        failure_with(text, &split(SplitOption::Column { column: "z".into(), calibration: vec![], before: None })).0,
        "unknown_column"
    );
}

#[test]
fn a_value_just_outside_is_named_even_in_a_small_file() {
    for value in ["1.2", "-0.4"] {
        let (code, message) = failure(&format!("y,p\n1,0.8\n0,{value}\n1,0.6\n"));
        assert_eq!(code, "probability_out_of_range", "{value}");
        assert!(message.contains("row 2") && message.contains(value.trim_start_matches('-')), "{message}");
    }
}

#[test]
fn a_value_just_outside_is_named_in_columns_of_several_classes_too() {
    let text = "y,p_0,p_1\n0,0.5,0.5\n1,1.2,-0.2\n1,0.3,0.7\n";
    let (code, message) = failure(text);
    assert_eq!(code, "probability_out_of_range");
    assert!(message.contains("row 2"), "{message}");
}

#[test]
fn an_outcome_that_is_one_label_or_empty_is_asked_about() {
    let rows = |label: fn(usize) -> &'static str| {
        format!("id,readmitted,p\n{}", (0..30).map(|i| format!("{i},{},0.{}\n", label(i), 10 + i)).collect::<String>())
    };
    is(
        &rows(|i| if i % 3 == 0 { "x" } else { "" }),
        "not_a_number",
        "`readmitted` is `x` in 10 rows and empty in 20 rows.",
    );
    // Stata and SAS write a point where there is no value
    is(&rows(|i| ["1", "0", "."][i % 3]), "not_a_number", "Data row 3, column `readmitted`: the value is missing.");
    let (predictions, _) = open_with(&[("a.csv", rows(|i| ["1", "0", "."][i % 3]).as_bytes())], &drop()).unwrap();
    assert_eq!(predictions.rows, 20);
}

#[test]
fn a_text_that_is_no_table_is_said_to_be_one_column() {
    let error = open_with(&[("a.txt", b"some words\nand more\nof a letter\n")], &OpenOptions::default()).unwrap_err();
    assert_eq!(error.code(), "roles_unclear");
    assert!(error.hint().starts_with("The file was read as one column."), "{}", error.hint());
}
