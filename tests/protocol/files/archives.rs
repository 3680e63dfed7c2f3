//! NPY and NPZ layouts.

use crate::support::bytes::*;
use localcal::data::{OpenOptions, Role, Scores, View};

const P: [f64; 6] = [0.25, 0.75, 0.5, 0.5, 0.875, 0.125];
const Z: [f64; 9] = [1.0, -2.0, 3.0, 0.5, 2.0, -1.0, 0.0, 1.0, -4.0];

#[test]
fn known_names() {
    for (scores, labels) in [
        ("probs", "labels"),
        ("predictions", "ground_truth"),
        ("y_prob", "y_true"),
        ("p", "y"),
        ("y_pred", "targets"),
        ("probabilities", "ys"),
    ] {
        for shape in ["(3,)", "(3, 1)"] {
            let (predictions, summary) =
                open_npz(&[(scores, floats("(3, 2)", &P)), (labels, integers(shape, &[1, 0, 1]))]);
            assert_eq!(roles_of(&summary), format!("{scores} probabilities, {labels} label"));
            assert_eq!(y(&predictions), [1, 0, 1]);
            assert_eq!(predictions.predicted.unwrap().to_vec(), [1, 0, 0]);
            assert_eq!(summary.columns[1].shape, [3]);
        }
    }
}

#[test]
fn shape_decides_for_nameless_arrays() {
    let (predictions, summary) = open_npz(&[("arr_0", floats("(3, 3)", &Z)), ("arr_1", integers("(3,)", &[2, 1, 0]))]);
    assert_eq!(roles_of(&summary), "arr_0 logits, arr_1 label");
    assert!(matches!(predictions.scores, Some(Scores::Logits(_))));
    assert_eq!(predictions.predicted.unwrap().to_vec(), [2, 1, 1]);
    let (_, summary) = open_npz(&[("arr_0", floats("(3, 2)", &P)), ("arr_1", integers("(3,)", &[1, 1, 0]))]);
    assert_eq!(roles_of(&summary), "arr_0 probabilities, arr_1 label");
}

#[test]
fn logits_with_features_confidences_and_predictions() {
    let (_, summary) = open_npz(&[
        ("logits", floats("(3, 3)", &Z)),
        ("preds", integers("(3,)", &[2, 1, 1])),
        ("zs", floats("(3, 2)", &P)),
        ("confs", floats("(3,)", &[0.8, 0.7, 0.6])),
        ("ys", integers("(3,)", &[2, 1, 0])),
    ]);
    assert_eq!(roles_of(&summary), "logits logits, preds predicted, zs features, confs ignore, ys label");
}

#[test]
fn hugging_face() {
    let (_, summary) = open_npz(&[("predictions", floats("(3, 3)", &Z)), ("label_ids", integers("(3,)", &[2, 1, 0]))]);
    assert_eq!(roles_of(&summary), "predictions logits, label_ids label");
}

#[test]
fn one_hot_label_arrays() {
    let (predictions, summary) = open_npz(&[
        ("labels", floats("(3, 2)", &[1.0, 0.0, 0.0, 1.0, 0.0, 1.0])),
        ("probs", singles("(3, 2)", &[0.25, 0.75, 0.5, 0.5, 0.875, 0.125])),
    ]);
    assert_eq!(roles_of(&summary), "labels label, probs probabilities");
    assert_eq!(y(&predictions), [0, 1, 1]);
    let Some(Scores::Probabilities(matrix)) = predictions.scores else { panic!() };
    assert!(matches!(matrix.values, localcal::table::Reals::F32(_)), "single precision stays");
}

#[test]
fn labels_from_1_and_text_labels() {
    let (predictions, summary) = open_npz(&[("probs", floats("(3, 2)", &P)), ("labels", integers("(3,)", &[2, 1, 1]))]);
    assert_eq!(summary.labels, ["1", "2"]);
    assert_eq!(y(&predictions), [1, 0, 0]);
    assert!(codes(&summary).contains(&"labels_shifted"));
    let (predictions, summary) =
        open_npz(&[("probs", floats("(3, 2)", &P)), ("labels", npy("|S3", "(3,)", b"dogcatcat"))]);
    assert_eq!(summary.labels, ["cat", "dog"]);
    assert_eq!(y(&predictions), [1, 0, 0]);
    assert!(codes(&summary).contains(&"classes_in_sorted_order"));
}

#[test]
fn two_npy_files_are_one_data_set() {
    let scores = floats("(3, 2)", &P);
    let labels = integers("(3,)", &[1, 0, 1]);
    for files in [
        [("scores.npy", &scores[..]), ("labels.npy", &labels[..])],
        [("test_labels.npy", &labels[..]), ("test_probs.npy", &scores[..])],
        [("a.npy", &labels[..]), ("b.npy", &scores[..])],
    ] {
        let (predictions, summary) = open_with(&files, &OpenOptions::default()).unwrap();
        assert!(predictions.correct.is_some(), "{}", roles_of(&summary));
        assert_eq!(summary.rows, 3);
    }
}

#[test]
fn calibration_and_evaluation_arrays_in_one_archive() {
    let (predictions, summary) = open_npz(&[
        ("logits_val", floats("(3, 3)", &Z)),
        ("y_val", integers("(3,)", &[2, 1, 0])),
        ("logits_test", floats("(2, 3)", &Z[..6])),
        ("y_test", integers("(2,)", &[2, 1])),
    ]);
    assert_eq!(summary.rows, 5);
    assert_eq!(predictions.sets.to_vec(), [0, 0, 0, 1, 1]);
    assert_eq!(y(&predictions), [2, 1, 0, 2, 1]);
}

/// Equally many rows do not make two parts of the data two models of the same rows; training rows are neither.
#[test]
fn parts_of_equal_length_are_told_by_the_names_of_arrays() {
    let (z, other) = (floats("(3, 3)", &Z), floats("(3, 3)", &[0.5, 2.0, 1.0, 3.0, 0.0, 1.0, 0.0, 1.0, 2.0]));
    let (labels, other_labels) = (integers("(3,)", &[2, 1, 0]), integers("(3,)", &[1, 0, 2]));
    let of_arrays = |arrays: &[(&str, &Vec<u8>)]| {
        open_npz(&arrays.iter().map(|(name, bytes)| (*name, bytes.to_vec())).collect::<Vec<_>>())
    };
    let pair = [("test_logits", &other), ("test_labels", &other_labels), ("val_logits", &z), ("val_labels", &labels)];
    let (predictions, summary) = of_arrays(&pair);
    assert_eq!((summary.rows, summary.models.len()), (6, 0));
    assert_eq!(predictions.sets.to_vec(), [0, 0, 0, 1, 1, 1]);
    assert_eq!(y(&predictions), [2, 1, 0, 1, 0, 2]);
    let short = floats("(2, 3)", &Z[..6]);
    let short_labels = integers("(2,)", &[2, 1]);
    for (train, of_train, rows) in [(&z, &labels, 3), (&short, &short_labels, 2)] {
        let (predictions, summary) =
            of_arrays(&[&pair[..], &[("train_logits", train), ("train_labels", of_train)]].concat());
        assert_eq!((summary.rows, predictions.sets.to_vec()), (6, vec![0, 0, 0, 1, 1, 1]));
        let excluded = format!("{rows} training rows excluded from both calibration and evaluation");
        assert!(
            summary.warnings.iter().any(|warning| warning.message.starts_with(&excluded)),
            "{:?}",
            summary.warnings
        );
    }
    // outcomes that both scores share, and models that are called otherwise, are of the same rows
    for names in [["val_logits", "test_logits", "labels"], ["resnet_logits", "vit_logits", "labels"]] {
        let [first, second, shared] = names;
        let (_, summary) = of_arrays(&[(first, &z), (second, &other), (shared, &labels)]);
        assert_eq!(summary.models, [first, second]);
    }
}

#[test]
fn soft_labels_say_what_they_are() {
    let archive = zip(
        &[("probs.npy", &floats("(3, 2)", &P)), ("labels.npy", &floats("(3, 2)", &[0.9, 0.1, 0.0, 1.0, 0.4, 0.6]))],
        0,
    );
    let roles = [("labels".to_owned(), Role::Label), ("probs".to_owned(), Role::Probabilities)];
    let options = OpenOptions { roles: roles.into_iter().collect(), ..OpenOptions::default() };
    let error = open_with(&[("a.npz", &archive)], &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Data row 1, array `labels`: the labels are soft (proportions of 2 classes), not one-hot."
    );
}

#[test]
fn class_names_beside_the_rows_are_passed_over() {
    let (_, summary) = open_npz(&[
        ("probs", floats("(3, 2)", &P)),
        ("labels", integers("(3,)", &[1, 0, 1])),
        ("class_names", npy("|S3", "(2,)", b"catdog")),
        ("temperature", floats("()", &[1.5])),
    ]);
    assert_eq!(roles_of(&summary), "probs probabilities, labels label");
    assert_eq!(codes(&summary), ["array_passed_over", "array_passed_over", "few_rows"]);
}

#[test]
fn views_of_two_classes() {
    let archive = zip(&[("probs.npy", &floats("(3, 2)", &P)), ("labels.npy", &integers("(3,)", &[1, 0, 1]))], 0);
    let options = OpenOptions { view: Some(View::Positive), ..OpenOptions::default() };
    let (predictions, summary) = open_with(&[("a.npz", &archive)], &options).unwrap();
    assert_eq!((summary.view, predictions.positive), (View::Positive, Some(1)));
    let archive = zip(&[("logits.npy", &floats("(3, 3)", &Z)), ("labels.npy", &integers("(3,)", &[1, 0, 2]))], 0);
    let error = open_with(&[("a.npz", &archive)], &options).unwrap_err();
    assert_eq!(error.code(), "unsupported_view");
    assert_eq!(error.to_string(), "The positive view needs two classes; there are 3.");
}

#[test]
fn mismatched_counts() {
    let archive = zip(&[("probs.npy", &floats("(3, 2)", &P)), ("labels.npy", &integers("(2,)", &[1, 0]))], 8);
    let error = open_with(&[("a.npz", &archive)], &OpenOptions::default()).unwrap_err();
    assert_eq!(error.code(), "length_mismatch");
    assert_eq!(error.to_string(), "3 and 2 rows do not match: `probs` in `a.npz` and `labels` in `a.npz`.");
    let options = roles(&[("labels", Role::Ignore)]);
    assert!(open_with(&[("a.npz", &archive)], &options).is_err() || options.roles.len() == 1);
}

fn refusal(name: &str, bytes: &[u8]) -> (String, String) {
    let error = open_with(&[(name, bytes)], &OpenOptions::default()).unwrap_err();
    assert!(!error.hint().is_empty());
    (error.code().to_owned(), error.to_string())
}

#[test]
fn archives_that_are_refused() {
    let good = zip(&[("probs.npy", &floats("(3, 2)", &P))], 8);
    assert_eq!(
        refusal("a.npz", &good[..good.len() - 30]),
        (
            "archive_unreadable".into(),
            format!(
                "The archive is truncated: its directory is missing at the end of {} bytes (file `a.npz`).",
                good.len() - 30
            )
        )
    );
    let pickled = zip(&[("labels.npy", &npy("|O", "(3,)", b"\x80\x04"))], 0);
    assert_eq!(
        refusal("a.npz", &pickled),
        ("array_pickled".into(), "The array contains Python objects, which run code when read and are never opened, array `labels` (file `a.npz`).".into())
    );
    let promising = zip(&[("probs.npy", &npy("<f8", "(1000000, 10)", &[0; 64]))], 8);
    assert_eq!(
        refusal("a.npz", &promising),
        ("array_unreadable".into(), "The array's shape (1,000,000 × 10) needs 80,000,000 bytes, but 64 are present, array `probs` (file `a.npz`).".into())
    );
    let unknown = zip(&[("probs.npy", b"xyz")], 93);
    assert_eq!(refusal("a.npz", &unknown).0, "archive_unreadable");
    let mut bomb = zip(&[("probs.npy", b"xyz")], 8);
    let at = bomb.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    bomb[at + 24..at + 28].copy_from_slice(&0xffff_fff0u32.to_le_bytes());
    let (code, message) = refusal("a.npz", &bomb);
    assert_eq!(code, "archive_unreadable");
    assert!(
        message.starts_with("The archive declares 4,294,967,280 bytes but contains 5 compressed bytes"),
        "{message}"
    );
    let mut flipped = zip(&[("probs.npy", &floats("(3, 2)", &P))], 0);
    let at = flipped.windows(8).position(|w| w == 0.75f64.to_le_bytes()).unwrap();
    flipped[at] ^= 1;
    assert_eq!(
        refusal("a.npz", &flipped).1,
        "The archive is damaged: the checksum of `probs.npy` is wrong (file `a.npz`)."
    );
    assert_eq!(
        refusal("b.xlsx", &zip(&[("xl/workbook.xml", b"")], 0)).1,
        "Excel workbooks are read in the page and the terminal only (file `b.xlsx`)."
    );
    assert_eq!(refusal("m.pt", &zip(&[("m/data.pkl", b"")], 0)).0, "array_pickled");
    assert_eq!(refusal("a.zip", &zip(&[], 0)).0, "file_unknown");
    assert_eq!(refusal("a.pkl", b"\x80\x04\x95...").0, "array_pickled");
    assert_eq!(refusal("a.npz", &zip(&[("probs.npy", &floats("(0, 2)", &[]))], 0)).0, "empty");
    let nested = gzip(&gzip(b"p,y\n0.5,1\n"));
    assert_eq!(refusal("a.csv.gz", &nested).0, "file_unknown");
    let mut broken = gzip(b"p,y\n0.5,1\n");
    broken.truncate(broken.len() - 3);
    assert_eq!(refusal("a.csv.gz", &broken).1, "The gzip file is damaged or truncated (file `a.csv.gz`).");
}

#[test]
fn bad_cells_of_arrays_are_named() {
    for (bad, code, message) in [
        (f64::NAN, "not_a_number", "Data row 2, column 1 of `probs`: the value is not a number (NaN)."),
        (f64::INFINITY, "not_a_number", "Data row 2, column 1 of `probs`: the value is infinite."),
        (1.5, "probability_out_of_range", "Data row 2, column 1 of `probs`: 1.5 is not between 0 and 1."),
    ] {
        let mut values = [0.25, 0.75].repeat(40);
        values[2] = bad;
        let archive = zip(
            &[("probs.npy", &floats("(40, 2)", &values)), ("labels.npy", &integers("(40,)", &[0, 1].repeat(20)))],
            8,
        );
        assert_eq!(refusal("a.npz", &archive), (code.to_owned(), message.to_owned()));
    }
}
