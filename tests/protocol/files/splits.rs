//! How rows are divided.

use crate::support::bytes::*;
use localcal::data::{Division, OpenOptions, SplitOption};

const TEXT: &str =
    "y,p,set,site\n1,0.5,train,1\n0,0.25,val,1\n1,0.75,test,2\n0,0.5,test,2\n1,0.9,val,3\n0,0.1,test,3\n";

fn opened(split: SplitOption) -> Opened {
    let options = OpenOptions { split: Some(split), ..OpenOptions::default() };
    open_with(&[("a.csv", TEXT.as_bytes())], &options).unwrap()
}

#[test]
fn training_rows_beside_one_other_part_are_left_out() {
    for other in ["val", "test"] {
        let text = TEXT.replace("val", other).replace("test", other);
        let (predictions, summary) = open(&text);
        assert_eq!((predictions.rows, predictions.row_numbers[0]), (5, 2));
        assert_eq!(predictions.division, Division::Folds { folds: 5 });
        let warning = summary.warnings.iter().find(|w| w.code == "rows_outside_split").unwrap();
        assert_eq!(
            warning.message,
            "1 row excluded from both calibration and evaluation (`train` in the split column)."
        );
        assert!(summary.told.iter().any(|part| part.text == "1 row excluded: training rows in set"));
    }
    // and where something else divides the rows
    assert_eq!(opened(SplitOption::Folds { folds: 2 }).0.rows, 5);
    assert_eq!(opened(SplitOption::First { first: 3 }).0.sets.to_vec(), [0, 0, 1, 1, 1]);
}

#[test]
fn a_split_column_with_training_rows() {
    let (predictions, summary) = open(TEXT);
    assert_eq!(predictions.sets.to_vec(), [2, 0, 1, 1, 0, 1]);
    assert_eq!(summary.split, "split column `set`: 2 for calibration, 3 for evaluation, 1 excluded");
    let warning = summary.warnings.iter().find(|w| w.code == "rows_outside_split").unwrap();
    assert_eq!(warning.message, "1 row excluded from both calibration and evaluation (`train` in the split column).");
    assert_eq!(predictions.division, Division::Given { by: "split column `set`".into() });
}

#[test]
fn chosen_columns_and_values() {
    let by = |column: &str, values: &[&str]| SplitOption::Column {
        column: column.into(),
        calibration: values.iter().map(|v| (*v).into()).collect(),
        before: None,
    };
    assert_eq!(opened(by("set", &["train"])).0.sets.to_vec(), [0, 2, 1, 1, 2, 1]);
    assert_eq!(opened(by("site", &["1"])).0.sets.to_vec(), [0, 1, 1, 1, 1]);
    let options = OpenOptions { split: Some(by("site", &["9"])), ..OpenOptions::default() };
    assert_eq!(
        failure_with(TEXT, &options),
        ("invalid_option".into(), "split: `9` does not occur in column `site`.".into())
    );
    let options = OpenOptions { split: Some(by("site", &[])), ..OpenOptions::default() };
    assert_eq!(failure_with(TEXT, &options).0, "split_empty");
}

#[test]
fn first_rows_halves_and_folds() {
    let (predictions, summary) = opened(SplitOption::First { first: 4 });
    assert_eq!(predictions.sets.to_vec(), [0, 0, 0, 1, 1]);
    assert_eq!(summary.split, "first 4 rows: 3 for calibration, 2 for evaluation");
    assert_eq!(opened(SplitOption::Half { half: true }).0.division, Division::Half);
    let (predictions, summary) = opened(SplitOption::Folds { folds: 3 });
    assert_eq!(predictions.division, Division::Folds { folds: 3 });
    assert!(predictions.sets.is_empty());
    assert_eq!(summary.split, "3-fold cross-fitting");
}

#[test]
fn dates_divide_at_the_middle_and_other_columns_are_not_offered() {
    let mut text = String::from("y,p,seen,site,part,year\n");
    for i in 0..40 {
        text.push_str(&format!(
            "{},0.{},2021-{:02}-{:02},{},{},{}\n",
            i % 2,
            10 + i,
            1 + i % 4,
            1 + i / 4,
            ["a", "b"][i % 2],
            ["val", "test"][i / 20],
            2015 + i % 5
        ));
    }
    let (_, summary) = open(&text);
    // a site or a number of any kind says nothing about calibration
    assert_eq!(summary.divisions, ["seen", "part", "year"]);
    let by = |column: &str| OpenOptions {
        split: Some(SplitOption::Column { column: column.into(), calibration: Vec::new(), before: None }),
        ..OpenOptions::default()
    };
    let (predictions, summary) = open_with(&[("a.csv", text.as_bytes())], &by("seen")).unwrap();
    assert_eq!(
        summary.split,
        "dates in column `seen`: 20 for calibration, 20 for evaluation (rows up to 2021-02-10 calibrate)"
    );
    assert_eq!(predictions.sets[..4], [0, 0, 1, 1]);
    let (_, summary) = open_with(&[("a.csv", text.as_bytes())], &by("year")).unwrap();
    assert_eq!(
        summary.split,
        "dates in column `year`: 24 for calibration, 16 for evaluation (rows up to 2017 calibrate)"
    );
    let error = open_with(&[("a.csv", text.as_bytes())], &by("site")).unwrap_err();
    assert_eq!(error.code(), "split_empty");
    assert_eq!(error.hint(), "Specify which values of the column calibrate (`a`, `b`), or choose folds.");
    // A day for all rows but the last: both sides have rows.
    let late = "y,p,when\n1,0.5,03.02.2020\n0,0.25,04.02.2020\n1,0.75,04.02.2020\n0,0.5,04.02.2020\n";
    let (predictions, _) = open_with(&[("a.csv", late.as_bytes())], &by("when")).unwrap();
    assert_eq!(predictions.sets.to_vec(), [0, 1, 1, 1]);
}
