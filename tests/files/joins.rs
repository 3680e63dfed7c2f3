//! Several files.

use crate::make::*;
use localcal::data::{Division, OpenOptions, Role};

fn both(a: (&str, &str), b: (&str, &str)) -> localcal::Result<Opened> {
    open_with(
        &[(a.0, a.1.as_bytes()), (b.0, b.1.as_bytes())],
        &OpenOptions::default(),
    )
}

#[test]
fn same_rows_add_columns() {
    let (predictions, summary) = both(
        ("s.csv", "p\n0.5\n0.25\n0.75\n"),
        ("l.csv", "label,age\n1,30.5\n0,40\n1,50\n"),
    )
    .unwrap();
    assert_eq!(
        roles_of(&summary),
        "p probability, label label, age feature"
    );
    assert_eq!(y(&predictions), [1, 0, 1]);
    assert_eq!(summary.columns[1].file, "l.csv");
}

#[test]
fn ids_put_rows_in_order() {
    let (predictions, _) = both(
        ("s.csv", "id,p\na,0.5\nb,0.25\nc,0.75\n"),
        ("l.csv", "id,label\nc,1\na,0\nb,1\n"),
    )
    .unwrap();
    assert_eq!(y(&predictions), [0, 1, 1]);
    let error = both(
        ("s.csv", "id,p\na,0.5\nb,0.25\nc,0.75\n"),
        ("l.csv", "id,label\nc,1\na,0\nd,1\n"),
    )
    .unwrap_err();
    assert_eq!(error.code(), "ids_do_not_match");
    assert_eq!(
        error.to_string(),
        "Row 2: the id `b` of one file is not (or not once more) in the other; both have 3 rows."
    );
}

#[test]
fn kaggle_scores_and_one_hot_truth() {
    let (predictions, summary) = both(
        (
            "submission.csv",
            "id,oak,elm,ash\n7,0.5,0.25,0.25\n3,0.25,0.5,0.25\n5,0.125,0.125,0.75\n",
        ),
        ("truth.csv", "id,oak,elm,ash\n3,0,1,0\n5,1,0,0\n7,1,0,0\n"),
    )
    .unwrap();
    assert_eq!(
        roles_of(&summary),
        "id id, oak probability, elm probability, ash probability, id ignore, oak label, elm label, ash label"
    );
    assert_eq!(summary.labels, ["oak", "elm", "ash"]);
    assert_eq!(y(&predictions), [0, 1, 0]);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 1, 0]);
}

#[test]
fn a_second_file_with_its_own_labels_and_scores_is_scored() {
    let (predictions, summary) = both(
        ("a.csv", "y,p,x\n1,0.5,1.5\n0,0.25,2.5\n"),
        ("b.csv", "x,y,p\n3.5,1,0.75\n4.5,1,0.5\n5.5,0,0.125\n"),
    )
    .unwrap();
    assert_eq!(p(&predictions), [0.5, 0.25, 0.75, 0.5, 0.125]);
    assert_eq!(y(&predictions), [1, 0, 1, 1, 0]);
    assert_eq!(predictions.sets.to_vec(), [0, 0, 1, 1, 1]);
    assert_eq!(
        predictions.division,
        Division::Given {
            by: "second file".into()
        }
    );
    assert_eq!(
        summary.split,
        "second file: 2 calibrate, 3 are scored (`a.csv` calibrates, `b.csv` is scored)"
    );
    assert_eq!(predictions.row_numbers.to_vec(), [1, 2, 3, 4, 5]);
}

#[test]
fn equally_long_files_are_two_sets_if_each_is_complete() {
    let (predictions, _) = both(
        ("a.csv", "y,p\n1,0.5\n0,0.25\n"),
        ("b.csv", "y,p\n1,0.75\n0,0.5\n"),
    )
    .unwrap();
    assert_eq!(predictions.sets.to_vec(), [0, 0, 1, 1]);
    // What is called test is scored, whatever comes first.
    let (predictions, summary) = both(
        ("test.csv", "y,p\n1,0.5\n0,0.25\n"),
        ("val.csv", "label,p\n1,0.75\n0,0.5\n1,0.3\n"),
    )
    .unwrap();
    assert_eq!(p(&predictions), [0.75, 0.5, 0.3, 0.5, 0.25]);
    assert_eq!(predictions.sets.to_vec(), [0, 0, 0, 1, 1]);
    assert!(summary.split.contains("`val.csv` calibrates"));
}

#[test]
fn four_arrays_of_two_sets() {
    for n in [2usize, 3] {
        let scores = |rows: usize| {
            floats(
                &format!("({rows}, 2)"),
                &[0.25, 0.75, 0.5, 0.5, 0.875, 0.125][..2 * rows],
            )
        };
        let labels = |rows: usize| integers(&format!("({rows},)"), &[1, 0, 1][..rows]);
        let (s, l, s2, l2) = (scores(n), labels(n), scores(3), labels(3));
        let files = [
            ("test_labels.npy", &l[..]),
            ("test_probs.npy", &s[..]),
            ("val_labels.npy", &l2[..]),
            ("val_probs.npy", &s2[..]),
        ];
        let (predictions, summary) = open_with(&files, &OpenOptions::default()).unwrap();
        assert_eq!(summary.rows, n + 3, "{}", roles_of(&summary));
        assert_eq!(predictions.sets.iter().filter(|&&s| s == 0).count(), 3);
        assert!(predictions.correct.is_some());
    }
}

#[test]
fn different_counts_are_named() {
    let error = both(
        ("s.csv", "p\n0.5\n0.25\n0.75\n"),
        ("l.csv", "label\n1\n0\n"),
    )
    .unwrap_err();
    assert_eq!(error.code(), "length_mismatch");
    assert_eq!(
        error.to_string(),
        "3 and 2 rows do not go together: `p` in `s.csv` and `label` in `l.csv`."
    );
}

#[test]
fn names_can_be_written_with_the_file() {
    let options = roles(&[("b.csv:label", Role::Ignore), ("a.csv:label", Role::Label)]);
    let (predictions, summary) = open_with(
        &[
            ("a.csv", b"label,p\n1,0.5\n0,0.25\n1,0.75\n"),
            ("b.csv", b"label,x\n0,1.5\n0,2.5\n1,3.5\n"),
        ],
        &options,
    )
    .unwrap();
    assert_eq!(
        roles_of(&summary),
        "label label, p probability, label ignore, x feature"
    );
    assert_eq!(y(&predictions), [1, 0, 1]);
}
