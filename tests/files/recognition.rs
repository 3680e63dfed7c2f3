//! What columns are taken for when no tool's layout settles it.

use crate::make::*;
use localcal::data::{Role, Scores, View};

#[test]
fn one_hot_labels() {
    let (predictions, summary) = open(
        "label_a,label_b,label_c,prob_a,prob_b,prob_c\n0,1,0,0.25,0.5,0.25\n1,0,0,0.5,0.25,0.25\n0,0,1,0.5,0.25,0.25\n",
    );
    assert_eq!(
        roles_of(&summary),
        "label_a label, label_b label, label_c label, prob_a probability, prob_b probability, prob_c probability"
    );
    assert_eq!(summary.labels, ["a", "b", "c"]);
    assert_eq!(y(&predictions), [1, 0, 2]);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 1, 0]);
}

#[test]
fn labels_from_1_against_columns_from_0() {
    let (predictions, summary) =
        open("p0,p1,p2,label\n0.5,0.25,0.25,1\n0.25,0.5,0.25,2\n0.25,0.25,0.5,3\n");
    assert_eq!(summary.labels, ["1", "2", "3"]);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 1, 1]);
    assert_eq!(
        summary.warnings[0].message,
        "Labels are 1 … 3 and score columns are 0 … 2: they were matched in order, 1 with 0. Check that this is meant."
    );
    let (predictions, summary) =
        open("p1,p2,p3,label\n0.5,0.25,0.25,0\n0.25,0.5,0.25,1\n0.25,0.25,0.5,2\n");
    assert_eq!(summary.labels, ["0", "1", "2"]);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 1, 1]);
    assert_eq!(codes(&summary)[0], "labels_shifted");
}

#[test]
fn booleans_and_words() {
    let (predictions, summary) = open("outcome,p\nTrue,0.9\nFalse,0.25\nTrue,0.5\n");
    assert_eq!(summary.labels, ["False", "True"]);
    assert_eq!(summary.positive.as_deref(), Some("True"));
    assert_eq!(y(&predictions), [1, 0, 1]);
    let (_, summary) = open("outcome,p\n1.0,0.9\n0.0,0.25\n1.0,0.5\n");
    assert_eq!(summary.labels, ["0", "1"]);
    let (_, summary) = open("outcome,p\ncat,0.9\ndog,0.25\ncat,0.5\n");
    assert_eq!(summary.positive.as_deref(), Some("dog"));
    assert!(codes(&summary).contains(&"positive_guessed"));
}

#[test]
fn compas_scores_are_not_probabilities() {
    let mut text = String::from("id,sex,decile_score,two_year_recid\n");
    for i in 0..40 {
        text.push_str(&format!(
            "{},{},{},{}\n",
            i + 1,
            ["Male", "Female"][i % 2],
            i % 10 + 1,
            i % 3 % 2
        ));
    }
    let (predictions, summary) = open(&text);
    assert_eq!(
        roles_of(&summary),
        "id id, sex group, decile_score ignore, two_year_recid label"
    );
    assert_eq!(codes(&summary), ["score_not_probability", "score_missing"]);
    assert_eq!(predictions.scores, None);
}

#[test]
fn percent_is_not_used_silently() {
    let (predictions, summary) = open("y,prob\n1,85.5\n0,12.25\n1,99\n");
    assert_eq!(roles_of(&summary), "y label, prob ignore");
    assert!(codes(&summary).contains(&"scores_in_percent"));
    assert_eq!(predictions.scores, None);
}

#[test]
fn features_groups_weights_and_rest() {
    let mut text = String::from("patient_id,x1,x2,site,sex,weight,note,const,y,risk\n");
    for i in 0..60 {
        text.push_str(&format!(
            "P{i},{}.5,{},{},{},{}.25,text {i},7,{},0.{}\n",
            i,
            i * i,
            i % 4,
            ["f", "m"][i % 2],
            i % 7,
            i % 2,
            i + 10
        ));
    }
    let (_, summary) = open(&text);
    assert_eq!(
        roles_of(&summary),
        "patient_id id, x1 feature, x2 feature, site group, sex group, weight weight, note ignore, const ignore, y label, risk probability"
    );
    assert!(
        summary
            .columns
            .iter()
            .all(|c| c.sure && !c.reason.is_empty())
    );
    assert_eq!(
        summary.columns[1].preview,
        ["0.5", "1.5", "2.5", "3.5", "4.5"]
    );
}

#[test]
fn features_called_x_and_y_stay_features() {
    let (_, summary) = open(
        "x,y,label,p\n0.5,0.25,1,0.5\n0.25,0.125,0,0.25\n0.75,0.5,1,0.75\n0.1,0.2,0,0.3\n0.6,0.7,1,0.4\n",
    );
    assert_eq!(
        roles_of(&summary),
        "x feature, y feature, label label, p probability"
    );
    let (_, summary) = open("x1,x2,label,p\n0.5,1,1,0.5\n0.25,2,2,0.25\n0.75,3,1,0.75\n");
    assert_eq!(
        roles_of(&summary),
        "x1 feature, x2 feature, label label, p probability"
    );
}

#[test]
fn only_scores_or_only_labels_open() {
    let (predictions, summary) = open("prob\n0.5\n0.25\n0.75\n");
    assert_eq!(predictions.y, None);
    assert_eq!(summary.view, View::Positive);
    assert!(codes(&summary).contains(&"label_missing"));
    let (predictions, summary) = open("label\n1\n0\n1\n");
    assert_eq!(predictions.scores, None);
    assert_eq!(y(&predictions), [1, 0, 1]);
    assert!(codes(&summary).contains(&"score_missing"));
}

#[test]
fn roles_can_be_said() {
    let text = "a,b,c,d\n1,0.5,0.25,u\n0,0.25,0.5,v\n1,0.75,0.125,u\n0,0.5,1,v\n";
    let options = roles(&[
        ("a", Role::Label),
        ("a.csv:b", Role::Probability),
        ("c", Role::Feature),
        ("d", Role::Group),
    ]);
    let (_, summary) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
    assert_eq!(
        roles_of(&summary),
        "a label, b probability, c feature, d group"
    );
    assert_eq!(summary.columns[0].reason, "chosen");
    assert_eq!(
        failure_with(text, &roles(&[("e", Role::Label)])),
        (
            "unknown_column".into(),
            "roles: no column or array has the name `e`.".into()
        )
    );
    assert_eq!(
        failure_with(
            text,
            &roles(&[
                ("a", Role::Label),
                ("c", Role::Label),
                ("b", Role::Probability)
            ])
        )
        .0,
        "columns_ambiguous"
    );
    assert_eq!(
        failure_with(
            text,
            &roles(&[("c", Role::Logit), ("b", Role::Probability)])
        )
        .0,
        "columns_ambiguous"
    );
}

#[test]
fn scores_beside_the_used_ones_are_no_features() {
    let (_, summary) = open(
        "label,prob_0,prob_1,logit_0,logit_1,score\n0,0.75,0.25,1,-0.5,0.5\n1,0.5,0.5,0,0.25,0.25\n1,0.25,0.75,-1,0.5,0.75\n",
    );
    assert_eq!(
        roles_of(&summary),
        "label label, prob_0 probability, prob_1 probability, logit_0 ignore, logit_1 ignore, score ignore"
    );
    assert!(!summary.columns[5].sure);
}

#[test]
fn a_given_role_settles_the_rest() {
    let probabilities = floats("(3, 2)", &[0.25, 0.75, 0.5, 0.5, 0.875, 0.125]);
    let logits = floats("(3, 2)", &[-1.0, 1.0, 0.0, 0.0, 2.0, 0.5]);
    let labels = integers("(3,)", &[1, 0, 1]);
    let archive = zip(
        &[
            ("probs.npy", &probabilities),
            ("logits.npy", &logits),
            ("labels.npy", &labels),
        ],
        8,
    );
    let (_, summary) = open_with(&[("a.npz", &archive)], &roles(&[])).unwrap();
    assert_eq!(
        roles_of(&summary),
        "probs probabilities, logits ignore, labels label"
    );
    let options = roles(&[("logits", Role::Logits)]);
    let (_, summary) = open_with(&[("a.npz", &archive)], &options).unwrap();
    assert_eq!(
        roles_of(&summary),
        "probs ignore, logits logits, labels label"
    );
}

#[test]
fn percent_arrays_are_not_used_silently() {
    let (_, summary) = open_npz(&[
        (
            "probs",
            floats("(3, 2)", &[25.0, 75.0, 50.0, 50.0, 87.5, 12.5]),
        ),
        ("labels", integers("(3,)", &[1, 0, 1])),
    ]);
    assert_eq!(roles_of(&summary), "probs ignore, labels label");
    assert_eq!(
        summary.warnings[0].message,
        "Scores reach up to 87.5, which looks like percent: not used. Divide them by 100, or give a role: `probs`."
    );
}

#[test]
fn columns_that_no_label_names_are_refused_not_reordered() {
    let (code, message) = failure("truth,prob_cat,prob_dog\n0,0.75,0.25\n1,0.5,0.5\n1,0.25,0.75\n");
    assert_eq!(code, "label_out_of_range");
    assert_eq!(
        message,
        "Row 1, column `truth`: `0` is not one of the 2 classes."
    );
}

#[test]
fn ids_that_repeat_are_no_features() {
    let mut text = String::from("y,p,user_id\n");
    for i in 0..200 {
        text.push_str(&format!("{},0.5,{}\n", i % 2, i % 50));
    }
    assert_eq!(
        roles_of(&open(&text).1),
        "y label, p probability, user_id ignore"
    );
}

#[test]
fn weights_are_recognised_and_the_summary_says_what_they_do() {
    let csv = "y,p,sample_weight\n1,0.8,2\n0,0.3,1\n1,0.6,0\n0,0.1,1\n";
    let (predictions, summary) = open(csv);
    let column = summary
        .columns
        .iter()
        .find(|column| column.name == "sample_weight")
        .expect("it is there");
    assert_eq!(column.role, Role::Weight);
    let told = summary
        .warnings
        .iter()
        .find(|warning| warning.code == "weights_used")
        .expect("said");
    assert_eq!(
        told.message,
        "Rows are weighted by `sample_weight`, divided by its mean: only the ratios of weights matter. They tell as much \
         as 2.7 rows of equal weight, (Σ w)² / Σ w²; 1 row of weight 0 counts for nothing."
    );
    let weights = predictions.weights.expect("kept");
    assert_eq!(weights.column, "sample_weight");
    assert_eq!(weights.values.to_vec(), [1.5, 0.75, 0.0, 0.75]);
    let two = "y,p,w,weight\n1,0.8,2,1\n0,0.3,1,1.5\n1,0.6,1.5,2\n0,0.1,1,2\n";
    let both = roles(&[("w", Role::Weight), ("weight", Role::Weight)]);
    let (predictions, summary) = open_with(&[("a.csv", two.as_bytes())], &both).unwrap();
    assert_eq!(predictions.weights.expect("kept").column, "w");
    assert!(codes(&summary).contains(&"weights_ambiguous"));
}

#[test]
fn tenths_are_read_as_probabilities_only_when_a_person_says_so() {
    let csv = "y,risk_score\n1,10\n0,1\n1,7\n0,3\n";
    let options = roles(&[("risk_score", Role::Probability)]);
    let (predictions, summary) = open_with(&[("a.csv", csv.as_bytes())], &options).unwrap();
    let Some(Scores::Binary { p, .. }) = &predictions.scores else {
        panic!("{}", roles_of(&summary));
    };
    assert_eq!(p.to_vec(), [0.95, 0.05, 0.65, 0.25]);
    let told = summary
        .warnings
        .iter()
        .find(|w| w.code == "score_in_tenths")
        .unwrap();
    assert_eq!(
        told.message,
        "Whole numbers 1 to 10 were read as the probabilities (score − 0.5) / 10: `risk_score`."
    );
    let eleven = csv.replace("10", "11");
    assert!(open_with(&[("a.csv", eleven.as_bytes())], &options).is_err());
}

#[test]
fn the_column_whose_values_name_the_scores_is_the_label() {
    let rows = "setosa,0.8,0.1,0.1,north\nvirginica,0.1,0.2,0.7,south\nversicolor,0.2,0.5,0.3,west\nsetosa,0.6,0.3,0.1,north\n";
    let head = "species,prob_setosa,prob_versicolor,prob_virginica,site\n";
    let (predictions, summary) = open(&format!("{head}{}", rows.repeat(5)));
    assert_eq!(
        roles_of(&summary),
        "species label, prob_setosa probability, prob_versicolor probability, prob_virginica probability, site group"
    );
    assert!(!summary.unsure);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1; 20]);
}
