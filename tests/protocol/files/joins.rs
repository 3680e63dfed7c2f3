//! Several files.

use crate::support::bytes::*;
use localcal::data::{Division, OpenOptions, Role, SplitOption};

fn both(a: (&str, &str), b: (&str, &str)) -> localcal::Result<Opened> {
    open_with(&[(a.0, a.1.as_bytes()), (b.0, b.1.as_bytes())], &OpenOptions::default())
}

#[test]
fn same_rows_add_columns() {
    let (predictions, summary) =
        both(("s.csv", "p\n0.5\n0.25\n0.75\n"), ("l.csv", "label,age\n1,30.5\n0,40\n1,50\n")).unwrap();
    assert_eq!(roles_of(&summary), "p probability, label label, age feature");
    assert_eq!(y(&predictions), [1, 0, 1]);
    assert_eq!(summary.columns[1].file, "l.csv");
}

#[test]
fn ids_put_rows_in_order() {
    let (predictions, _) =
        both(("s.csv", "id,p\na,0.5\nb,0.25\nc,0.75\n"), ("l.csv", "id,label\nc,1\na,0\nb,1\n")).unwrap();
    assert_eq!(y(&predictions), [0, 1, 1]);
    let error = both(("s.csv", "id,p\na,0.5\nb,0.25\nc,0.75\n"), ("l.csv", "id,label\nc,1\ne,0\nd,1\n")).unwrap_err();
    assert_eq!(error.code(), "ids_do_not_match");
    assert_eq!(error.to_string(), "Data row 1: id `a` has no unique match in the other file (3 rows each).");
}

#[test]
fn rows_without_a_partner_are_excluded_and_counted() {
    let scores = "id,p\na,0.5\nb,0.25\nc,0.75\nd,0.125\n";
    for (labels, expected, excluded) in [
        ("id,label\nc,1\na,0\nd,1\nx,0\n", "[0.5, 0.75, 0.125] [0, 1, 1]", "1 row of `s.csv`, 1 row of `l.csv`"),
        ("id,label\nc,1\nd,1\na,0\n", "[0.5, 0.75, 0.125] [0, 1, 1]", "1 row of `s.csv`"),
        ("id,label\ny,1\nd,1\nc,1\na,0\nb,1\nx,0\n", "[0.5, 0.25, 0.75, 0.125] [0, 1, 1, 1]", "2 rows of `l.csv`"),
    ] {
        let (predictions, summary) = both(("s.csv", scores), ("l.csv", labels)).unwrap();
        assert_eq!(format!("{:?} {:?}", p(&predictions), y(&predictions)), expected, "{labels}");
        let told = summary.warnings.iter().find(|w| w.code == "rows_without_partner");
        let message =
            format!("The rows of `s.csv` and `l.csv` were joined by `id`; excluded for lack of a partner: {excluded}.");
        assert_eq!(told.map(|w| w.message.as_str()), Some(message.as_str()));
    }
    // names without the role id, of equally many rows: not by position
    let (predictions, _) = both(
        ("s.csv", "scan,p\na.png,0.5\nb.png,0.25\nc.png,0.75\n"),
        ("l.csv", "scan,label\nc.png,1\na.png,0\nd.png,1\n"),
    )
    .unwrap();
    assert_eq!((p(&predictions), y(&predictions)), (vec![0.5, 0.75], vec![0, 1]));
    // padded with zeros in one file, and read as numbers by the program that wrote the other
    let (predictions, _) =
        both(("s.csv", "mrn,p\n0311,0.5\n0024,0.25\n0407,0.75\n"), ("l.csv", "mrn,died\n407,1\n311,0\n24,1\n"))
            .unwrap();
    assert_eq!(y(&predictions), [0, 1, 1]);
    // one name, other rows: not by position
    let error = both(("s.csv", "mrn,p\n311,0.5\n24,0.25\n407,0.75\n"), ("l.csv", "mrn,died\n906,1\n417,0\n25,1\n"));
    assert_eq!(error.unwrap_err().code(), "ids_do_not_match");
    // row numbers say nothing
    let error = both(("s.csv", ",p\n0,0.5\n1,0.25\n2,0.75\n"), ("l.csv", ",label\n0,1\n1,0\n")).unwrap_err();
    assert_eq!(error.code(), "length_mismatch");
    let error = both(("s.csv", "id,p\n0,0.5\n1,0.25\n2,0.75\n"), ("l.csv", "id,label\n1,1\n2,0\n3,1\n")).unwrap_err();
    assert_eq!(error.code(), "ids_do_not_match");
}

#[test]
fn features_of_further_rows_are_joined_by_id() {
    let scored = "id,p,y\na,0.5,1\nb,0.25,0\nc,0.75,1\n";
    let (predictions, summary) = both(("s.csv", scored), ("f.csv", "id,age\nc,51.5\nx,33.5\na,40\nb,62\n")).unwrap();
    assert_eq!(predictions.rows, 3);
    assert_eq!(roles_of(&summary), "id id, p probability, y label, id ignore, age feature");
}

#[test]
fn predictions_without_features_stay() {
    let scored = "id,p,y\na,0.5,1\nb,0.25,0\nc,0.75,1\n";
    let said = |lacking: &str, [first, second]: [&str; 2], excluded: &str| {
        format!(
            "The rows of `{first}` and `{second}` were joined by `id`; {excluded}without values of `f.csv`: {lacking}."
        )
    };
    let first = ["s.csv", "f.csv"];
    for (features, excluded) in [
        ("id,age,ward\nc,51.5,X\na,40,Y\n", ""),
        ("id,age,ward\nx,33.5,X\nc,51.5,X\na,40,Y\n", "excluded for lack of a partner: 1 row of `f.csv`; "),
    ] {
        for order in [first, ["f.csv", "s.csv"]] {
            let files = order.map(|name| (name, if name == "s.csv" { scored } else { features }));
            let (predictions, summary) = both(files[0], files[1]).unwrap();
            assert_eq!((p(&predictions), y(&predictions)), (vec![0.5, 0.25, 0.75], vec![1, 0, 1]), "{order:?}");
            let missing = |name: &str| summary.columns.iter().find(|one| one.name == name).map(|one| one.missing);
            assert_eq!((missing("age"), missing("ward")), (Some(1), Some(1)), "{}", roles_of(&summary));
            let told = summary.warnings.iter().find(|w| w.code == "rows_without_partner").map(|w| w.message.as_str());
            assert_eq!(told, Some(said("1 row of `s.csv`", order, excluded).as_str()));
        }
    }
    // a table of places, each of many rows, is no table of their features
    let error = both(("s.csv", scored), ("f.csv", "id,age\nb,51.5\n")).unwrap_err();
    assert_eq!(error.code(), "length_mismatch");
}

#[test]
fn kaggle_scores_and_one_hot_truth() {
    let (predictions, summary) = both(
        ("submission.csv", "id,oak,elm,ash\n7,0.5,0.25,0.25\n3,0.25,0.5,0.25\n5,0.125,0.125,0.75\n"),
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
    let (predictions, summary) =
        both(("a.csv", "y,p,x\n1,0.5,1.5\n0,0.25,2.5\n"), ("b.csv", "x,y,p\n3.5,1,0.75\n4.5,1,0.5\n5.5,0,0.125\n"))
            .unwrap();
    assert_eq!(p(&predictions), [0.5, 0.25, 0.75, 0.5, 0.125]);
    assert_eq!(y(&predictions), [1, 0, 1, 1, 0]);
    assert_eq!(predictions.sets.to_vec(), [0, 0, 1, 1, 1]);
    assert_eq!(predictions.division, Division::Given { by: "second file".into() });
    assert_eq!(
        summary.split,
        "second file: 2 for calibration, 3 for evaluation (`a.csv` calibrates, `b.csv` is evaluated)"
    );
    assert_eq!(predictions.row_numbers.to_vec(), [1, 2, 3, 4, 5]);
}

#[test]
fn equally_long_files_are_two_sets_if_each_is_complete() {
    let (predictions, _) = both(("a.csv", "y,p\n1,0.5\n0,0.25\n"), ("b.csv", "y,p\n0,0.75\n1,0.5\n")).unwrap();
    assert_eq!(predictions.sets.to_vec(), [0, 0, 1, 1]);
    // Ids that only number the rows do not make them the same.
    let (predictions, summary) =
        both(("a.csv", "id,y,p\n0,1,0.5\n1,0,0.25\n2,0,0.3\n"), ("b.csv", "id,y,p\n0,0,0.75\n1,1,0.5\n2,0,0.3\n"))
            .unwrap();
    assert_eq!(predictions.sets.to_vec(), [0, 0, 0, 1, 1, 1]);
    assert!(summary.models.is_empty());
    // What is called test is scored, whatever comes first.
    let (predictions, summary) =
        both(("test.csv", "y,p\n1,0.5\n0,0.25\n"), ("val.csv", "label,p\n1,0.75\n0,0.5\n1,0.3\n")).unwrap();
    assert_eq!(p(&predictions), [0.75, 0.5, 0.3, 0.5, 0.25]);
    assert_eq!(predictions.sets.to_vec(), [0, 0, 0, 1, 1]);
    assert!(summary.split.contains("`val.csv` calibrates"));
}

#[test]
fn four_arrays_of_two_sets() {
    for n in [2usize, 3] {
        let scores = |rows: usize| floats(&format!("({rows}, 2)"), &[0.25, 0.75, 0.5, 0.5, 0.875, 0.125][..2 * rows]);
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
    let error = both(("s.csv", "p\n0.5\n0.25\n0.75\n"), ("l.csv", "label\n1\n0\n")).unwrap_err();
    assert_eq!(error.code(), "length_mismatch");
    assert_eq!(error.to_string(), "3 and 2 rows do not match: `p` in `s.csv` and `label` in `l.csv`.");
}

#[test]
fn names_can_be_written_with_the_file() {
    let options = roles(&[("b.csv:label", Role::Ignore), ("a.csv:label", Role::Label)]);
    let (predictions, summary) = open_with(
        &[("a.csv", b"label,p\n1,0.5\n0,0.25\n1,0.75\n"), ("b.csv", b"label,x\n0,1.5\n0,2.5\n1,3.5\n")],
        &options,
    )
    .unwrap();
    assert_eq!(roles_of(&summary), "label label, p probability, label ignore, x feature");
    assert_eq!(y(&predictions), [1, 0, 1]);
}

#[test]
fn files_of_the_same_rows_are_models_of_one_cohort() {
    let a = "id,y,p,age\nu,1,0.5,30.5\nv,0,0.25,40\nw,1,0.75,50\nx,0,0.125,60\n";
    // the same ids in another order
    let b = "id,y,p\nx,0,0.5\nw,1,0.875\nv,0,0.375\nu,1,0.625\n";
    // no ids: the same outcomes in the same order
    let c = "y,prob\n1,0.25\n0,0.5\n1,0.75\n0,0.375\n";
    let open = |files: &[(&str, &str)], options: &OpenOptions| {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(n, t)| (*n, t.as_bytes())).collect();
        open_with(&files, options)
    };
    let auto = OpenOptions::default();
    let (predictions, summary) = open(&[("a.csv", a), ("b.csv", b)], &auto).unwrap();
    assert_eq!(summary.models, ["a.csv", "b.csv"]);
    assert_eq!(summary.rows, 4);
    assert_eq!(summary.split, "5-fold cross-fitting");
    assert_eq!(p(&predictions), [0.5, 0.25, 0.75, 0.125]);
    assert_eq!(roles_of(&summary), "id id, y label, p probability, age feature, id ignore, y ignore, p ignore");
    assert_eq!(summary.columns[6].reason, "score of the model `b.csv`");
    let told = summary.warnings.iter().find(|w| w.code == "models_of_one_cohort");
    assert_eq!(
        told.map(|w| w.message.as_str()),
        Some("2 files are models of the same 4 rows (the same ids): `a.csv` is open; also available: `b.csv`.")
    );
    // Another one is picked by its file's name, and finds what the first says besides.
    for name in ["b.csv", "b"] {
        let options = OpenOptions { model: Some(name.into()), ..OpenOptions::default() };
        let (predictions, summary) = open(&[("a.csv", a), ("b.csv", b)], &options).unwrap();
        assert_eq!(summary.models, ["b.csv", "a.csv"]);
        assert_eq!(predictions.model.as_deref(), Some("b.csv"));
        assert_eq!(p(&predictions), [0.5, 0.875, 0.375, 0.625]);
        assert_eq!(y(&predictions), [0, 1, 0, 1]);
        let age = predictions.table.columns.iter().find(|c| c.name == "age");
        let Some(localcal::table::Values::Numbers(age)) = age.map(|c| &c.values) else {
            panic!("{}", roles_of(&summary))
        };
        assert_eq!(age.to_vec(), [60.0, 50.0, 40.0, 30.5]);
    }
    let (predictions, summary) = open(&[("a.csv", a), ("b.csv", b), ("c.csv", c)], &auto).unwrap();
    assert_eq!(summary.models, ["a.csv", "b.csv", "c.csv"]);
    assert_eq!(predictions.rows, 4);
    let told = summary.warnings.iter().find(|w| w.code == "models_of_one_cohort");
    assert!(told.unwrap().message.contains("the same outcomes in the same order"));
    // Two parts only where someone says so: by the names of the files, or by the option.
    let (predictions, _) = open(&[("val.csv", c), ("test.csv", c)], &auto).unwrap();
    assert_eq!(predictions.sets.to_vec(), [0, 0, 0, 0, 1, 1, 1, 1]);
    let asked = OpenOptions { split: Some(SplitOption::Files { files: true }), ..OpenOptions::default() };
    let (predictions, _) = open(&[("a.csv", c), ("b.csv", c)], &asked).unwrap();
    assert_eq!(predictions.sets.to_vec(), [0, 0, 0, 0, 1, 1, 1, 1]);
    let (_, summary) = open(&[("val.csv", a), ("test.csv", b)], &auto).unwrap();
    assert_eq!(summary.models, ["val.csv", "test.csv"], "the ids name the same rows");
    let wrong = OpenOptions { model: Some("z".into()), ..OpenOptions::default() };
    let error = open(&[("a.csv", a), ("b.csv", b)], &wrong).unwrap_err();
    assert_eq!((error.code(), error.hint().as_str()), ("invalid_option", "There are `a.csv`, `b.csv`."));
}

#[test]
fn the_same_ids_with_other_outcomes_are_told() {
    let (_, summary) =
        both(("a.csv", "id,y,p\nu,1,0.5\nv,0,0.25\nw,1,0.75\n"), ("b.csv", "id,y,p\nu,1,0.5\nv,1,0.25\nw,1,0.75\n"))
            .unwrap();
    assert_eq!(summary.models, ["a.csv", "b.csv"]);
    let told = summary.warnings.iter().find(|w| w.code == "outcomes_differ");
    assert_eq!(
        told.map(|w| w.message.as_str()),
        Some(
            "1 of 3 rows have a different outcome in `b.csv` (first: row 2); each model is evaluated on the outcomes of its own file."
        )
    );
}

#[test]
fn one_file_of_labels_and_two_of_scores_are_two_models() {
    let labels = integers("(4,)", &[1, 0, 1, 0]);
    let a = floats("(4, 2)", &[0.25, 0.75, 0.5, 0.5, 0.125, 0.875, 1.0, 0.0]);
    let b = floats("(4, 2)", &[0.5, 0.5, 0.75, 0.25, 0.25, 0.75, 0.5, 0.5]);
    let files = [("labels.npy", &labels[..]), ("resnet_probs.npy", &a[..]), ("vit_probs.npy", &b[..])];
    let (predictions, summary) = open_with(&files, &OpenOptions::default()).unwrap();
    assert_eq!(summary.models, ["resnet_probs", "vit_probs"]);
    assert_eq!(row(&predictions, 0), [0.25, 0.75]);
    let options = OpenOptions { model: Some("vit_probs".into()), ..OpenOptions::default() };
    let (predictions, _) = open_with(&files, &options).unwrap();
    assert_eq!(row(&predictions, 0), [0.5, 0.5]);
}

#[test]
fn keys_in_another_order_match_the_rows() {
    let told = |summary: &localcal::data::Summary, code: &str| summary.warnings.iter().any(|w| w.code == code);
    for (scores, labels) in [
        ("MRN,risk\n701,0.5\n702,0.25\n704,0.75\n", "MRN,died\n704,1\n701,0\n702,1\n"),
        ("stay,risk\na7,0.5\nb2,0.25\nc1,0.75\n", "stay,died\nc1,1\na7,0\nb2,1\n"),
        ("encounter,risk\n81,0.5\n92,0.25\n55,0.75\n", "encounter,died\n55,1\n81,0\n92,1\n"),
        ("patient_id,risk\n71,0.5\n92,0.25\n55,0.75\n", "mrn,died\n55,1\n71,0\n92,1\n"),
        (",risk,age\n0,0.5,40\n2,0.25,40\n1,0.75,51\n", ",died,sex\n1,1,f\n0,0,m\n2,1,m\n"),
    ] {
        let (predictions, summary) = both(("s.csv", scores), ("l.csv", labels)).unwrap();
        assert_eq!(y(&predictions), [0, 1, 1], "{labels}");
        assert!(told(&summary, "rows_matched"), "{labels}");
        let features = summary.columns.iter().filter(|column| column.role == Role::Feature && column.name != "age");
        assert_eq!(features.count(), 0, "{}", roles_of(&summary));
    }
    // ranks are no keys, but may be: said
    let ranked = (("s.csv", "rank,risk\n1,0.5\n2,0.25\n3,0.75\n"), ("l.csv", "rank,died\n3,1\n1,0\n2,1\n"));
    let (predictions, summary) = both(ranked.0, ranked.1).unwrap();
    assert_eq!(y(&predictions), [1, 0, 1]);
    assert!(told(&summary, "joined_by_order"));
    // a test set keeps the shuffled numbers of its rows, and its predictions are numbered afresh
    let drawn = (("s.csv", ",risk,age\n0,0.5,40\n1,0.25,40\n2,0.75,51\n"), ("l.csv", ",died\n2,1\n0,0\n1,1\n"));
    let (predictions, summary) = both(drawn.0, drawn.1).unwrap();
    assert_eq!(y(&predictions), [1, 0, 1]);
    assert!(told(&summary, "joined_by_order"));
    // the same order, or a person's word: nothing to say
    let (_, summary) = both(("s.csv", "stay,risk\na,0.5\nb,0.25\n"), ("l.csv", "stay,died\na,1\nb,0\n")).unwrap();
    assert!(!told(&summary, "rows_matched") && !told(&summary, "joined_by_order"));
    let files: [(&str, &[u8]); 2] = [("s.csv", b"stay,risk\na,0.5\nb,0.25\n"), ("l.csv", b"stay,died\nb,1\na,0\n")];
    let (predictions, _) = open_with(&files, &roles(&[("stay", Role::Ignore)])).unwrap();
    assert_eq!(y(&predictions), [1, 0]);
}

/// pandas writes its row numbers into every file that it is not told otherwise: an id that has a name is what joins.
#[test]
fn row_numbers_of_pandas_do_not_join_what_ids_tell_apart() {
    let scores = ",patient_id,p\n0,907,0.5\n1,905,0.25\n2,906,0.75\n";
    let labels = ",patient_id,y\n0,905,1\n1,906,0\n2,907,1\n";
    for (left, right) in [
        (scores, labels),
        // the index in one of both
        (scores, "patient_id,y\n905,1\n906,0\n907,1\n"),
        ("patient_id,p\n907,0.5\n905,0.25\n906,0.75\n", labels),
    ] {
        let (predictions, summary) = both(("s.csv", left), ("l.csv", right)).unwrap();
        assert_eq!((p(&predictions), y(&predictions)), (vec![0.5, 0.25, 0.75], vec![1, 1, 0]), "{left} {right}");
        let id = summary.columns.iter().find(|column| column.role == Role::Id).map(|column| column.name.as_str());
        assert_eq!(id, Some("patient_id"));
        assert!(!roles_of(&summary).contains("column 1 feature"), "{}", roles_of(&summary));
        let told = summary.warnings.iter().find(|warning| warning.code == "rows_matched");
        assert!(told.is_some_and(|told| told.message.contains("matched by `patient_id`")), "{:?}", summary.warnings);
    }
}

#[test]
fn columns_of_one_name_match_the_rows_together() {
    let told = |summary: &localcal::data::Summary, code: &str| {
        let warning = summary.warnings.iter().find(|warning| warning.code == code);
        warning.map_or_else(String::new, |warning| warning.message.clone())
    };
    // nine rows, in the second file those at places 4 k
    let row = |i: usize, last: String| format!("{},{},{last}\n", 70 + i / 3, i % 3);
    let scores: String = (0..9).map(|i| row(i, format!("0.{}", 1 + i))).collect();
    let labels: String = (0..9).map(|k| k * 4 % 9).map(|i| row(i, usize::from(i > 4).to_string())).collect();
    let (scores, labels) = (format!("patient_id,visit,risk\n{scores}"), format!("patient_id,visit,died\n{labels}"));
    let (predictions, summary) = both(("s.csv", &scores), ("l.csv", &labels)).unwrap();
    assert_eq!(y(&predictions), [0, 0, 0, 0, 0, 1, 1, 1, 1]);
    assert!(told(&summary, "rows_matched").contains("`patient_id`, `visit`"), "{:?}", summary.warnings);
    let visits = summary.columns.iter().filter(|column| column.name == "visit" && column.role != Role::Ignore);
    assert_eq!(visits.count(), 1, "{}", roles_of(&summary));
    // days name the rows, too
    let scores = "day,risk\n2024-01-05,0.5\n2024-01-06,0.25\n2024-01-07,0.75\n";
    let labels = "day,died\n2024-01-07,1\n2024-01-05,0\n2024-01-06,0\n";
    let (predictions, summary) = both(("s.csv", scores), ("l.csv", labels)).unwrap();
    assert_eq!((y(&predictions), told(&summary, "rows_matched").is_empty()), ([0, 0, 1].into(), false));
    // what names no row may contradict the order: said, with how often
    let file = |name: &str, sites: &str, last: &dyn Fn(usize) -> String| {
        let lines = sites.chars().enumerate().map(|(i, site)| format!("{site},{}\n", last(i)));
        format!("site,{name}\n{}", lines.collect::<String>())
    };
    let scores = file("risk", "ABCABCABC", &|i| format!("0.{}", 1 + i));
    let labels = |sites: &str| file("died", sites, &|i| (i % 2).to_string());
    let (_, summary) = both(("s.csv", &scores), ("l.csv", &labels("BACABCABC"))).unwrap();
    let message = told(&summary, "joined_by_order");
    assert!(message.contains("`site` differs between them in 2 of 9 rows"), "{message}: {:?}", summary.warnings);
    let (_, summary) = both(("s.csv", &scores), ("l.csv", &labels("ABCABCABC"))).unwrap();
    assert_eq!(told(&summary, "joined_by_order"), "");
}

#[test]
fn more_than_two_tables_of_predictions_are_parts_to_be_joined() {
    let part = |k: usize| {
        let rows = (0..4 + k).map(|i| format!("0.{},{}\n", 1 + i + k, (i * i + k) % 3 % 2));
        format!("p,y\n{}", rows.collect::<String>())
    };
    let texts: Vec<String> = (0..3).map(part).collect();
    let names = ["fold0.csv", "fold1.csv", "fold2.csv"];
    let files: Vec<(&str, &[u8])> = names.iter().zip(&texts).map(|(name, text)| (*name, text.as_bytes())).collect();
    let error = open_with(&files, &OpenOptions::default()).unwrap_err();
    assert_eq!(error.code(), "length_mismatch");
    let message = error.to_string();
    assert!(
        message.contains("3 tables have outcomes and scores each: `fold0.csv`, `fold1.csv`, `fold2.csv`"),
        "{message}"
    );
}

#[test]
fn models_in_files_of_one_name_are_not_the_same_model() {
    let rows = |scores: [f64; 6]| {
        let row = |(i, p): (usize, f64)| format!("q{i},{p},{}\n", i % 2);
        format!("id,p,label\n{}", scores.into_iter().enumerate().map(row).collect::<String>())
    };
    let (good, poor) = (rows([0.1, 0.9, 0.2, 0.8, 0.3, 0.7]), rows([0.6, 0.4, 0.7, 0.3, 0.8, 0.2]));
    let files = [("preds.csv", good.as_bytes()), ("preds.csv", poor.as_bytes())];
    let (first, summary) = open_with(&files, &OpenOptions::default()).unwrap();
    assert_eq!(summary.models, ["preds.csv", "preds (2).csv"]);
    let options = OpenOptions { model: Some("preds (2)".into()), ..OpenOptions::default() };
    let (second, _) = open_with(&files, &options).unwrap();
    assert_eq!((p(&first)[0], p(&second)[0]), (0.1, 0.6));
}
