//! What columns are taken for when no tool's layout settles it.

use crate::support::bytes::*;
use localcal::data::assemble::recognize;
use localcal::data::{OpenOptions, Reading, Role, Scores, View};
use localcal::read::read;

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
    let (predictions, summary) = open("p0,p1,p2,label\n0.5,0.25,0.25,1\n0.25,0.5,0.25,2\n0.25,0.25,0.5,3\n");
    assert_eq!(summary.labels, ["1", "2", "3"]);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 1, 1]);
    assert_eq!(
        summary.warnings[0].message,
        "Labels are 1 to 3 and score columns 0 to 2; they were matched in order, 1 with 0. Check that this is correct."
    );
    let (predictions, summary) = open("p1,p2,p3,label\n0.5,0.25,0.25,0\n0.25,0.5,0.25,1\n0.25,0.25,0.5,2\n");
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
fn the_event_is_told_from_its_words_or_said_to_be_a_guess() {
    let (predictions, summary) = open("y;p;alter\nnein;0,71;66\nja;0,115;76\nja;0,21;21\n");
    assert_eq!(summary.positive.as_deref(), Some("ja"));
    assert_eq!(y(&predictions), [0, 1, 1]);
    assert!(!codes(&summary).contains(&"positive_guessed"));
    // 1 and 2 stand for yes and no in some programs and for no and yes in others
    let (_, summary) = open("y,p,age\n1,0.71,66\n2,0.11,76\n1,0.21,21\n");
    assert_eq!(summary.positive.as_deref(), Some("2"));
    assert!(codes(&summary).contains(&"positive_guessed"));
    let (predictions, summary) = open("survived,p_death,age\n1,0.71,66\n0,0.11,76\n1,0.21,21\n");
    assert_eq!(summary.positive.as_deref(), Some("0"));
    assert_eq!(y(&predictions), [0, 1, 0]);
    let guess = summary.warnings.iter().find(|warning| warning.code == "positive_guessed");
    assert_eq!(
        guess.map(|warning| warning.message.as_str()),
        Some("`p_death` is read as the probability of survived = 0, which is used as the event.")
    );
    // words are compared as 0 and 1 are, and what they deny counts
    for (text, event, told) in [
        ("survived,p_death,age\nYes,0.71,66\nNo,0.11,76\nYes,0.21,21\n", "No", true),
        ("status,survival_prob,age\nalive,0.71,66\ndead,0.11,76\nalive,0.21,21\n", "alive", true),
        ("status,p_death,age\nalive,0.71,66\ndead,0.11,76\nalive,0.21,21\n", "dead", false),
        ("died,p_no_death,age\n1,0.71,66\n0,0.11,76\n1,0.21,21\n", "0", true),
        ("y,risk,age\n1=Yes,0.71,66\n2=No,0.11,76\n1=Yes,0.21,21\n", "1=Yes", false),
    ] {
        let (_, summary) = open(text);
        assert_eq!(summary.positive.as_deref(), Some(event), "{text}");
        assert_eq!(codes(&summary).contains(&"positive_guessed"), told, "{text}");
    }
}

#[test]
fn compas_scores_are_not_probabilities() {
    let mut text = String::from("id,sex,decile_score,two_year_recid\n");
    for i in 0..40 {
        text.push_str(&format!("{},{},{},{}\n", i + 1, ["Male", "Female"][i % 2], i % 10 + 1, i % 3 % 2));
    }
    let (predictions, summary) = open(&text);
    assert_eq!(roles_of(&summary), "id id, sex group, decile_score ignore, two_year_recid label");
    assert_eq!(codes(&summary), ["score_not_probability", "score_missing"]);
    assert_eq!(predictions.scores, None);
}

/// Opens `text` and gives p and the column's reading.
fn shares(text: &str, options: &OpenOptions) -> (Vec<f64>, Option<Reading>) {
    let (predictions, summary) =
        open_with(&[("a.csv", text.as_bytes())], options).unwrap_or_else(|e| panic!("{}: {e}\n{text}", e.code()));
    let score = summary
        .columns
        .iter()
        .find(|c| c.role == Role::Probability)
        .unwrap_or_else(|| panic!("{}", roles_of(&summary)));
    assert_eq!(codes(&summary).contains(&"read_as_percent"), score.reading.is_some());
    (p(&predictions), score.reading)
}

fn reading(column: &str) -> OpenOptions {
    OpenOptions { readings: [(column.to_owned(), Reading::Percent)].into(), ..OpenOptions::default() }
}

#[test]
fn a_percent_sign_on_every_value_is_read() {
    for text in [
        "y,risk\n1,85.5%\n0,12.25%\n1,99%\n",
        "y,risk\n1,85.5 %\n0,12.25 %\n1,99 %\n",
        "y,risk\n1,\"85,5 %\"\n0,\"12,25 %\"\n1,99 %\n",
        "y;risk\n1;85,5%\n0;12,25%\n1;99%\n",
        "y;risk;age\n1;85,5 %;1,5\n0;12,25 %;2,5\n1;99,0 %;3,5\n",
        "y\trisk\n1\t85.5%\n0\t12.25%\n1\t99%\n",
        "1,85.5%\n0,12.25%\n1,99%\n",
    ] {
        assert_eq!(
            shares(text, &OpenOptions::default()),
            (vec![0.855, 0.1225, 0.99], Some(Reading::Percent)),
            "{text}"
        );
    }
    let (_, summary) = open("y,risk\n1,85.5%\n0,12.25%\n1,99%\n");
    assert_eq!(summary.columns[1].preview, ["85.5%", "12.25%", "99%"]);
    let told = summary.warnings.iter().find(|w| w.code == "read_as_percent");
    assert_eq!(told.map(|w| w.message.as_str()), Some("Values were read as percentages (12.5 as 0.125): `risk`."));
    // Every class of several, and a missing value that is named.
    let (predictions, _) = open("y,p_0,p_1\n1,25%,75%\n0,50%,50%\n1,12.5%,87.5%\n");
    assert_eq!(row(&predictions, 2), [0.125, 0.875]);
    assert_eq!(failure("y,risk\n1,85.5%\n0,\n1,99%\n").1, "Data row 2, column `risk`: the value is missing.");
}

#[test]
fn percent_without_a_sign_is_offered_and_read_when_a_person_says_so() {
    for (text, column) in [
        ("y,prob\n1,85.5\n0,12.25\n1,99\n", "prob"),
        ("y;prob\n1;85,5\n0;12,25\n1;99\n", "prob"),
        ("died,risk\nyes,85.5\nno,12.25\nyes,99\n", "risk"),
    ] {
        let file = read("a.csv", text.as_bytes(), &mut |_| {}).unwrap();
        let error = open_with(&[("a.csv", text.as_bytes())], &OpenOptions::default()).unwrap_err();
        assert_eq!(error.code(), "probability_out_of_range", "{error}");
        assert_eq!(error.to_string(), format!("Data row 1, column `{column}`: 85.5 is not between 0 and 1."));
        assert!(error.hint().contains("reading percent"), "{}", error.hint());
        let summary = recognize(&[file], &OpenOptions::default()).unwrap();
        assert_eq!(summary.columns[1].offer, Some(Reading::Percent));
        assert_eq!(summary.columns[1].role, Role::Probability);
        assert_eq!(
            summary.missing.as_deref(),
            Some(
                format!("These look like percentages, not probabilities: `{column}`. Confirm, or choose another role.")
                    .as_str()
            )
        );
        let wanted = (vec![0.855, 0.1225, 0.99], Some(Reading::Percent));
        assert_eq!(shares(text, &reading(column)), wanted);
        assert_eq!(shares(text, &roles(&[(column, Role::Percent)])), wanted);
    }
    // Whole numbers, and a few values with a sign among others.
    let whole = "y,risk\n1,85\n0,12\n1,99\n0,40\n";
    assert_eq!(failure(whole).0, "probability_out_of_range");
    assert_eq!(shares(whole, &reading("risk")).0, [0.85, 0.12, 0.99, 0.4]);
    let mixed = "y,risk\n1,85%\n0,12\n1,99%\n0,40\n";
    let error = open_with(&[("a.csv", mixed.as_bytes())], &OpenOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "Data row 1, column `risk`: `85%` is not a number.");
    assert!(error.hint().contains("reading percent"), "{}", error.hint());
    assert_eq!(shares(mixed, &reading("a.csv:risk")).0, [0.85, 0.12, 0.99, 0.4]);
    // Where there is another score, that one is used.
    let beside = "y,prob,lp\n1,85.5,1.5\n0,12.25,-2\n1,99,3\n";
    assert_eq!(roles_of(&open(beside).1), "y label, prob ignore, lp logit");
    assert_eq!(
        failure_with(whole, &reading("age")),
        ("unknown_column".into(), "readings: no column or array has the name `age`.".into())
    );
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
    assert!(summary.columns.iter().all(|c| c.sure && !c.reason.is_empty()));
    assert_eq!(summary.columns[1].preview, ["0.5", "1.5", "2.5", "3.5", "4.5"]);
}

#[test]
fn features_called_x_and_y_stay_features() {
    let (_, summary) =
        open("x,y,label,p\n0.5,0.25,1,0.5\n0.25,0.125,0,0.25\n0.75,0.5,1,0.75\n0.1,0.2,0,0.3\n0.6,0.7,1,0.4\n");
    assert_eq!(roles_of(&summary), "x feature, y feature, label label, p probability");
    let (_, summary) = open("x1,x2,label,p\n0.5,1,1,0.5\n0.25,2,2,0.25\n0.75,3,1,0.75\n");
    assert_eq!(roles_of(&summary), "x1 feature, x2 feature, label label, p probability");
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
    let options =
        roles(&[("a", Role::Label), ("a.csv:b", Role::Probability), ("c", Role::Feature), ("d", Role::Group)]);
    let (_, summary) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
    assert_eq!(roles_of(&summary), "a label, b probability, c feature, d group");
    assert_eq!(summary.columns[0].reason, "chosen");
    assert_eq!(
        failure_with(text, &roles(&[("e", Role::Label)])),
        ("unknown_column".into(), "roles: no column or array has the name `e`.".into())
    );
    assert_eq!(
        failure_with(text, &roles(&[("a", Role::Label), ("c", Role::Label), ("b", Role::Probability)])).0,
        "columns_ambiguous"
    );
    assert_eq!(failure_with(text, &roles(&[("c", Role::Logit), ("b", Role::Probability)])).0, "columns_ambiguous");
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
    let archive = zip(&[("probs.npy", &probabilities), ("logits.npy", &logits), ("labels.npy", &labels)], 8);
    let (_, summary) = open_with(&[("a.npz", &archive)], &roles(&[])).unwrap();
    assert_eq!(roles_of(&summary), "probs probabilities, logits ignore, labels label");
    let options = roles(&[("logits", Role::Logits)]);
    let (_, summary) = open_with(&[("a.npz", &archive)], &options).unwrap();
    assert_eq!(roles_of(&summary), "probs ignore, logits logits, labels label");
}

#[test]
fn percent_arrays_are_not_used_silently() {
    let probabilities = floats("(3, 2)", &[25.0, 75.0, 50.0, 50.0, 87.5, 12.5]);
    let labels = integers("(3,)", &[1, 0, 1]);
    let entries = [("probs.npy", &probabilities[..]), ("labels.npy", &labels)];
    let archive = zip(&entries, 8);
    let error = open_with(&[("a.npz", &archive)], &OpenOptions::default()).unwrap_err();
    assert_eq!(error.code(), "probability_out_of_range");
    assert_eq!(error.to_string(), "Data row 1, column 1 of `probs`: 25 is not between 0 and 1.");
    let (predictions, summary) = open_with(&[("a.npz", &archive)], &reading("probs")).unwrap();
    assert_eq!(row(&predictions, 2), [0.875, 0.125]);
    assert_eq!(summary.columns[0].reading, Some(Reading::Percent));
}

#[test]
fn columns_that_no_label_names_are_refused_not_reordered() {
    let (code, message) = failure("truth,prob_cat,prob_dog\n0,0.75,0.25\n1,0.5,0.5\n1,0.25,0.75\n");
    assert_eq!(code, "label_out_of_range");
    assert_eq!(message, "The score columns are of `cat`, `dog`, the outcome is `0`, `1`.");
}

#[test]
fn a_class_that_no_label_holds_keeps_its_column() {
    // Twelve classes, and no row is of c7.
    let names: Vec<String> = (0..12).map(|k| format!("c{k}")).collect();
    for (prefix, sure) in [("p_", 0.45), ("logit_", 3.0)] {
        let mut text = format!("label,{prefix}{}\n", names.join(&format!(",{prefix}")));
        for i in 0..48 {
            let class = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11][i % 11];
            text.push_str(&names[class]);
            for k in 0..12 {
                text.push_str(if k == class { "," } else { ",0.05" });
                if k == class {
                    text.push_str(&sure.to_string());
                }
            }
            text.push('\n');
        }
        let (predictions, summary) = open(&text);
        assert_eq!(summary.labels, names, "{}", roles_of(&summary));
        assert_eq!(row(&predictions, 0).len(), 12);
        assert!(predictions.correct.unwrap().iter().all(|&a| a == 1));
    }
    // Words: the column that the others need to sum to 1, under a prefix and without one.
    for prefix in ["prob_", ""] {
        let mut text = format!("species,{prefix}setosa,{prefix}virginica,{prefix}versicolor,x\n");
        for i in 0..8 {
            let class = ["setosa", "virginica"][i % 2];
            text.push_str(&format!("{class},0.5,0.25,0.25,{i}.5\n"));
        }
        let (_, summary) = open(&text);
        assert_eq!(summary.labels, ["setosa", "virginica", "versicolor"]);
    }
    // A logit has no sum to tell it.
    let (_, summary) = open("y,logit_a,logit_b,logit_c\na,1.5,0,-1\nb,0.5,2,1\na,2,0,1\nb,0,1,-1\n");
    assert_eq!(summary.labels, ["a", "b", "c"]);
}

#[test]
fn soft_labels_are_no_outcomes() {
    for text in ["y,p\n0.1,0.2\n0.9,0.7\n0.9,0.8\n0.1,0.3\n", "y,p\n0.1,0.2\n0.9,0.7\nsick,0.8\n0.1,0.3\n"] {
        let (code, message) = failure(text);
        assert_eq!(code, "label_out_of_range");
        assert_eq!(message, "Data row 1, column `y`: 0.1 is a proportion, not an outcome.");
    }
    let given = roles(&[("truth", Role::Label)]);
    assert_eq!(failure_with("truth,p\n0,0.2\n1,0.7\n0.5,0.8\n1,0.3\n", &given).0, "label_out_of_range");
    // An outcome beside them is the label.
    let (_, summary) = open("y_true,y,p\n0.1,0,0.2\n0.9,1,0.7\n0.9,1,0.8\n0.1,0,0.3\n");
    assert_eq!(roles_of(&summary), "y_true feature, y label, p probability");
    // Classes between whole numbers are no shares.
    let (_, summary) = open("y,p_1.5,p_2.5\n1.5,0.5,0.5\n2.5,0.25,0.75\n");
    assert_eq!(summary.labels, ["1.5", "2.5"]);
}

#[test]
fn messages_stay_short_whatever_the_columns_are_called() {
    let long = |k: usize| format!("{}{k}", "measured in the year ".repeat(120));
    let names: Vec<String> = (0..9).map(long).collect();
    let mut text = format!("{}\n", names.join(","));
    for i in 0..4 {
        text.push_str(&format!("{}\n", vec![format!("text {i}"); 9].join(",")));
    }
    let (code, message) = failure(&text);
    assert_eq!(code, "roles_unclear");
    assert!(message.chars().count() < 700, "{message}");
    assert!(message.contains("among 9 columns: `measured in the year"));
    assert!(message.contains(" and 1 more"), "{message}");
    // A value and a name, wherever they stand.
    let text = format!("y,p{0}\n1,{0}\n0,0.5\n1,0.25\n0,0.75\n", "x".repeat(5_000));
    let options = roles(&[(&format!("p{}", "x".repeat(5_000)), Role::Probability)]);
    let (_, message) = failure_with(&text, &options);
    assert!(message.chars().count() < 300, "{message}");
    let label = format!("y,p\n{0},0.5\nb,0.25\nc,0.75\n", "a".repeat(5_000));
    let error = open_with(&[("a.csv", label.as_bytes())], &OpenOptions::default()).unwrap_err();
    assert!(error.to_string().chars().count() < 900);
}

#[test]
fn two_score_columns_are_two_models() {
    let rows = "1,0.9,0.8,1.5\n0,0.2,0.4,2.5\n1,0.7,0.6,3.5\n0,0.3,0.1,4.5\n";
    for head in ["y,p_a,p_b,age", "y,risk_old,risk_new,age", "y,prob1,prob2,age", "y,model_a,model_b,age"] {
        let text = format!("{head}\n{rows}");
        let names: Vec<&str> = head.split(',').collect();
        let (predictions, summary) = open(&text);
        assert_eq!(summary.models, names[1..3], "{}", roles_of(&summary));
        assert_eq!(p(&predictions), [0.9, 0.2, 0.7, 0.3]);
        assert!(codes(&summary).contains(&"models_of_one_cohort"));
        let options = OpenOptions { model: Some(names[2].into()), ..OpenOptions::default() };
        let (predictions, summary) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
        assert_eq!(summary.models, [names[2], names[1]], "{head}");
        assert_eq!(predictions.model.as_deref(), Some(names[2]));
        assert_eq!(p(&predictions), [0.8, 0.4, 0.6, 0.1], "{head}");
        assert_eq!(y(&predictions), [1, 0, 1, 0]);
        assert_eq!(summary.columns[3].role, Role::Feature);
    }
    // A family of columns each, and an array each.
    let text = "y,a_p0,a_p1,a_p2,b_p0,b_p1,b_p2\n0,0.5,0.25,0.25,0.75,0.125,0.125\n2,0.25,0.25,0.5,0,0,1\n1,0.25,0.5,0.25,0,1,0\n";
    let (_, summary) = open(text);
    assert_eq!(summary.models, ["a_p", "b_p"], "{}", roles_of(&summary));
    let options = OpenOptions { model: Some("b_p".into()), ..OpenOptions::default() };
    let (predictions, _) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
    assert_eq!(row(&predictions, 0), [0.75, 0.125, 0.125]);
    let (_, summary) = open_npz(&[
        ("probs_a", floats("(2, 2)", &[0.25, 0.75, 0.5, 0.5])),
        ("probs_b", floats("(2, 2)", &[0.125, 0.875, 0.25, 0.75])),
        ("labels", integers("(2,)", &[1, 0])),
    ]);
    assert_eq!(summary.models, ["probs_a", "probs_b"]);
    // Not two models: the same scores in two forms.
    let (_, summary) = open("y,prob,logit\n1,0.9,2.2\n0,0.2,-1.4\n1,0.7,0.8\n");
    assert!(summary.models.is_empty());
    let unknown = OpenOptions { model: Some("p_c".into()), ..OpenOptions::default() };
    assert_eq!(
        failure_with(&format!("y,p_a,p_b,age\n{rows}"), &unknown),
        ("invalid_option".into(), "model: `p_c` is not one of the models.".into())
    );
}

#[test]
fn what_is_missing_is_said_with_the_control_that_supplies_it() {
    let (_, summary) = open("y,p\n1,0.9\n0,0.2\n1,0.4\n");
    assert_eq!((summary.missing, summary.unsure), (None, false));
    for (text, says) in [
        ("decile_score,y\n1,0\n9,1\n4,0\n7,1\n", "it is read as (score − 0.5) / 10: `decile_score`."),
        ("p,y\n'0.35,1\n'0.15,0\n'0.85,1\n", "`p` is text, because `'0.35` in data row 1 is not a number."),
        ("label,age\n1,30.5\n0,40\n1,50\n", "No prediction column. Assign “Probability”"),
        ("prob\n0.5\n0.25\n0.75\n", "No outcome column. Assign “Outcome”"),
        ("label,confidence\n0,0.5\n1,0.75\n2,0.9\n", "No predicted class"),
    ] {
        let (_, summary) = open(text);
        let missing = summary.missing.unwrap_or_default();
        assert!(missing.contains(says), "{missing}");
        assert!(summary.unsure);
    }
}

#[test]
fn ids_that_repeat_are_no_features() {
    let mut text = String::from("y,p,user_id\n");
    for i in 0..200 {
        text.push_str(&format!("{},0.5,{}\n", i % 2, i % 50));
    }
    assert_eq!(roles_of(&open(&text).1), "y label, p probability, user_id ignore");
}

#[test]
fn weights_are_recognized_and_the_summary_says_what_they_do() {
    let csv = "y,p,sample_weight\n1,0.8,2\n0,0.3,1\n1,0.6,0\n0,0.1,1\n";
    let (predictions, summary) = open(csv);
    let column = summary.columns.iter().find(|column| column.name == "sample_weight").expect("it is there");
    assert_eq!(column.role, Role::Weight);
    let told = summary.warnings.iter().find(|warning| warning.code == "weights_used").expect("said");
    assert_eq!(
        told.message,
        "Rows are weighted by `sample_weight`, divided by its mean; only the ratios of weights matter. The \
         effective sample size (Σ w)² / Σ w² is 2.7; 1 row of weight 0 is ignored."
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
    let told = summary.warnings.iter().find(|w| w.code == "score_in_tenths").unwrap();
    assert_eq!(told.message, "Whole numbers 1 to 10 were read as the probabilities (score − 0.5) / 10: `risk_score`.");
    let eleven = csv.replace("10", "11");
    assert!(open_with(&[("a.csv", eleven.as_bytes())], &options).is_err());
}

/// `fraud` and `legit` are known as an event and its absence: nothing is left to ask. Of two such columns one is a guess.
#[test]
fn the_only_column_with_an_event_and_its_absence_is_the_label() {
    let rows = "0.2,legit,DE\n0.9,fraud,FR\n0.1,legit,US\n0.4,legit,FR\n".repeat(6);
    let (predictions, summary) = open(&format!("score,fraud,country\n{rows}"));
    assert_eq!(roles_of(&summary), "score probability, fraud label, country group");
    assert!(!summary.unsure && summary.warnings.is_empty(), "{:?}", summary.warnings);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1; 24]);
    let members = rows.replace("DE", "no").replace("FR", "yes").replace("US", "no");
    assert!(open(&format!("score,status,member\n{members}")).1.unsure);
}

#[test]
fn a_column_named_by_an_event_is_the_label() {
    let rows = "f,0.2,nein\nm,0.9,ja\nf,0.7,ja\nm,0.4,nein\n".repeat(6);
    let (_, summary) = open(&format!("sex,risk,verstorben\n{rows}"));
    assert_eq!(roles_of(&summary), "sex group, risk probability, verstorben label");
    assert!(!summary.unsure);
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

#[test]
fn the_reason_of_a_score_says_where_its_values_lie_in_the_file() {
    let reason = |values: [&str; 4]| {
        let [a, b, c, d] = values;
        let (_, summary) = open(&format!("y,risk\n1,{a}\n0,{b}\n1,{c}\n0,{d}\n"));
        summary.columns.iter().find(|column| column.name == "risk").unwrap().reason.clone()
    };
    assert_eq!(reason(["0.9", "0.25", "0.75", "0.1"]), "name, values in [0, 1]");
    assert_eq!(reason(["90%", "25%", "75%", "10%"]), "name, values from 0% to 100%");
}

#[test]
fn ways_to_divide_the_rows_begin_alike() {
    let (_, summary) = open("y,risk\n1,0.9\n0,0.25\n1,0.75\n0,0.1\n");
    let labels: Vec<&str> = summary.ways.iter().map(|way| way.label.as_str()).collect();
    assert!(labels.iter().all(|label| !label.starts_with(|c: char| c.is_ascii_lowercase())), "{labels:?}");
}

/// Rows of 0/1 columns and of a score, 40 of each file; `{o}` an outcome, `{t}` the score above 0.5, `{c}` a column of its own,
/// `{p}` and `{q}` the score and 1 − score, `{k}` the confidence of the predicted class.
fn generated(header: &str, row: &str) -> String {
    let mut text = format!("{header}\n");
    for i in 0..40_u32 {
        let p = f64::from(i * 17 % 40 + 1) / 64.0 + 0.125;
        let outcome = u32::from(i * 7 % 10 < i * 17 % 40 / 4);
        let fields = [
            ("{i}", i.to_string()),
            ("{o}", outcome.to_string()),
            ("{y}", ["no", "yes"][outcome as usize].to_owned()),
            ("{d}", ["alive", "dead"][outcome as usize].to_owned()),
            ("{t}", u32::from(p > 0.5).to_string()),
            ("{c}", (i % 2).to_string()),
            ("{p}", p.to_string()),
            ("{q}", (1.0 - p).to_string()),
            ("{k}", p.max(1.0 - p).to_string()),
        ];
        let line = fields.iter().fold(row.to_owned(), |line, (key, value)| line.replace(key, value));
        text.push_str(&line);
        text.push('\n');
    }
    text
}

#[test]
fn an_illness_beside_the_outcome_is_not_taken_for_it_without_a_question() {
    let outcome = |header: &str, row: &str| {
        let (_, summary) = open(&generated(header, row));
        let label = summary.columns.iter().find(|column| column.role == Role::Label).unwrap().clone();
        (label.name, label.sure)
    };
    let found = |header: &str, row: &str, name: &str, sure: bool| {
        assert_eq!(outcome(header, row), (name.to_owned(), sure), "{header}");
    };
    // the name in that of the score
    found("stroke,hypertension,p_stroke", "{o},{c},{p}", "stroke", true);
    found("sepsis,icu,ventilated,sepsis_score", "{o},{c},{c},{p}", "sepsis", true);
    // illnesses are no evidence, what is past is none either
    found("hypertension,heart_disease,stroke,prob", "{c},{c},{o},{p}", "stroke", false);
    found("aki,family_history_of_death,prob", "{o},{c},{p}", "aki", false);
    found("stroke,previous_event,prob", "{o},{c},{p}", "stroke", false);
    found("los_gt_7,icu_readmission,prob", "{c},{o},{p}", "icu_readmission", false);
    // nothing else could be it
    found("sex,hospital_death,prob", "{c},{o},{p}", "hospital_death", true);
}

#[test]
fn the_predicted_class_is_not_taken_for_the_outcome() {
    for (header, row, wanted) in [
        (
            "income,Scored Labels,Scored Probabilities",
            "{o},{t},{p}",
            "income label, Scored Labels predicted, Scored Probabilities probability",
        ),
        ("income,pred_income,prob", "{o},{t},{p}", "income label, pred_income predicted, prob probability"),
        (
            "loan_status,loan_status_pred,loan_status_prob",
            "{o},{t},{p}",
            "loan_status label, loan_status_pred predicted, loan_status_prob probability",
        ),
        (
            "BAD,P_BAD1,P_BAD0,I_BAD",
            "{o},{p},{q},{t}",
            "BAD label, P_BAD1 probability, P_BAD0 probability, I_BAD predicted",
        ),
        ("bought,decision,prob", "{o},{t},{p}", "bought label, decision predicted, prob probability"),
        (
            "Purchase,prediction_label,prediction_score",
            "{o},{t},{k}",
            "Purchase label, prediction_label predicted, prediction_score confidence",
        ),
        ("Purchase,Label,Score", "{o},{t},{k}", "Purchase label, Label predicted, Score confidence"),
        ("y_true,y_pred,probability", "{o},{t},{k}", "y_true label, y_pred predicted, probability confidence"),
    ] {
        let (_, summary) = open(&generated(header, row));
        assert_eq!(roles_of(&summary), wanted);
    }
}

#[test]
fn columns_that_sum_to_1_are_classes_wherever_their_names_say_so() {
    for (header, row, event) in [
        ("label,confidence(no),confidence(yes)", "{y},{q},{p}", "yes"),
        ("label,confidence(yes),confidence(no)", "{y},{p},{q}", "yes"),
        ("y,P(0),P(1)", "{o},{q},{p}", "1"),
        ("y,P[0],P[1]", "{o},{q},{p}", "1"),
        ("Churn,P (Churn=0),P (Churn=1)", "{o},{q},{p}", "1"),
        ("y,LogReg (0),LogReg (1)", "{o},{q},{p}", "1"),
        ("y,0_prob,1_prob", "{o},{q},{p}", "1"),
        ("y,y_0_PREDICTION,y_1_PREDICTION", "{o},{q},{p}", "1"),
        ("label,no_prob,yes_prob", "{y},{q},{p}", "yes"),
        ("y,prob_neg,prob_pos", "{o},{q},{p}", "1"),
        ("died,p_alive,p_dead", "{o},{q},{p}", "1"),
        ("status,P(alive),P(dead)", "{d},{q},{p}", "dead"),
    ] {
        let text = generated(header, row);
        let (predictions, summary) = open(&text);
        assert!(summary.models.is_empty(), "{header}");
        let Some(Scores::Probabilities(matrix)) = &predictions.scores else { panic!("{header}") };
        let of_event = summary.labels.iter().position(|label| label == event).unwrap();
        let first = matrix.value(0, of_event);
        assert!((first - (1.0 / 64.0 + 0.125)).abs() < 1e-9, "{header}: {first}");
    }
    // what the names do not tell is asked
    let (_, summary) = open(&generated("y,probability,complement_probability", "{o},{p},{q}"));
    assert!(summary.models.is_empty() && summary.unsure, "{}", roles_of(&summary));
}

#[test]
fn an_array_with_as_many_columns_as_classes_comes_after_a_score_with_a_name() {
    for name in ["umap", "location", "xy"] {
        let rows = |i: u32| format!("{{\"died\":{},\"risk\":{},\"{name}\":[{i},-{i}.5]}}", i % 2, f64::from(i) / 16.0);
        let text = (1..16).map(rows).collect::<Vec<_>>().join("\n");
        let files: [(&str, &[u8]); 1] = [("a.jsonl", text.as_bytes())];
        let (_, summary) = open_with(&files, &OpenOptions::default()).unwrap();
        assert_eq!(roles_of(&summary), format!("died label, risk probability, {name} features"));
    }
}

#[test]
fn weights_and_numbers_of_rows() {
    for name in ["survey_weight", "sampling_weight", "iptw", "pweight"] {
        let (_, summary) = open(&generated(&format!("y,prob,{name}"), "{o},{p},{k}"));
        assert_eq!(roles_of(&summary), format!("y label, prob probability, {name} weight"));
    }
    let (_, summary) = open(&generated("y,prob,body_weight", "{o},{p},7{c}.5"));
    assert_eq!(roles_of(&summary), "y label, prob probability, body_weight feature");
    // df.groupby(["p", "y"]).size()
    let (_, summary) = open("p,y,n\n0.1,0,30\n0.1,1,4\n0.5,0,20\n0.5,1,18\n0.9,1,12\n0.9,0,2\n");
    assert_eq!(roles_of(&summary), "p probability, y label, n weight");
    assert!(summary.unsure && codes(&summary).contains(&"rows_are_counts"));
    // pd.crosstab and table() write combinations without rows, too
    let (_, summary) = open("p,y,n\n0.1,0,30\n0.1,1,4\n0.5,0,20\n0.5,1,18\n0.9,1,12\n0.9,0,0\n");
    assert_eq!(roles_of(&summary), "p probability, y label, n weight");
    assert!(codes(&summary).contains(&"rows_are_counts"));
    assert_eq!(summary.rows, 84);
    // with a group, and more distinct scores than a profile counts
    let mut text = "p,y,ward,n\n".to_owned();
    for cell in 0..400 {
        text += &format!("0.{:03},{},{},{}\n", cell / 4 + 100, cell % 2, ["A", "B"][cell / 2 % 2], 1 + cell % 7);
    }
    let (_, summary) = open(&text);
    assert_eq!(roles_of(&summary), "p probability, y label, ward group, n weight");
    assert!(summary.unsure && codes(&summary).contains(&"rows_are_counts"));
    let twice = "p,y,n\n0.1,0,30\n0.1,0,4\n0.5,0,20\n0.5,1,18\n0.9,1,12\n0.9,0,2\n";
    let (_, summary) = open(twice);
    assert_eq!(roles_of(&summary), "p probability, y label, n feature");
    assert!(codes(&summary).contains(&"rows_may_be_counts"));
    let said = OpenOptions { roles: [("n".to_owned(), Role::Weight)].into(), ..OpenOptions::default() };
    let (_, summary) = open_with(&[("a.csv", twice.as_bytes())], &said).unwrap();
    assert_eq!(summary.rows, 86);
}

/// The name of the score says what it predicts, whatever other outcomes there are.
#[test]
fn the_outcome_is_the_one_that_the_score_is_named_after() {
    for (score, outcome, other) in [
        ("aki_prob", "aki", "died"),
        ("p_aki", "aki", "died"),
        ("stroke_risk", "stroke", "death"),
        ("sepsis_score", "sepsis", "outcome"),
    ] {
        let (_, summary) = open(&generated(&format!("{score},{outcome},{other}"), "{p},{o},{c}"));
        assert!(roles_of(&summary).contains(&format!("{outcome} label")), "{}", roles_of(&summary));
        assert!(summary.unsure, "a person is asked");
    }
    // names that mean any outcome are not passed over
    let (_, summary) = open(&generated("stroke_risk,stroke,y", "{p},{c},{o}"));
    assert!(roles_of(&summary).contains("y label"), "{}", roles_of(&summary));
}

/// `np.savez(f, p, y)` names its arrays `arr_0` and `arr_1`.
#[test]
fn a_zero_at_the_end_of_a_name_is_a_class_behind_a_probability_only() {
    for (name, positive) in [
        ("prob_neg", "0"),
        ("negative_probability", "0"),
        ("p_nonevent", "0"),
        ("risk_0", "1"),
        ("score_0", "1"),
        ("prob_v0", "1"),
        ("prob_0", "0"),
        ("p0", "0"),
        ("P(0)", "0"),
    ] {
        let (_, summary) = open(&generated(&format!("{name},y"), "{p},{o}"));
        assert_eq!(summary.positive.as_deref(), Some(positive), "{name}");
    }
}

#[test]
fn sample_weights_may_have_two_values() {
    let rows: String = (0..40)
        .map(|i| format!("{:.3},{},{}\n", 0.1 + 0.02 * f64::from(i), i % 2, [1, 10][i as usize / 2 % 2]))
        .collect();
    let (_, summary) = open(&format!("p,y,sample_weight\n{rows}"));
    assert_eq!(roles_of(&summary), "p probability, y label, sample_weight weight");
    // a mark of rows is none
    let (_, summary) = open(&format!("p,y,sample_weight\n{}", rows.replace(",10\n", ",0\n")));
    assert!(!roles_of(&summary).contains("sample_weight weight"), "{}", roles_of(&summary));
}

#[test]
fn a_class_that_a_threshold_makes_is_not_the_outcome_beside_one_of_another_name() {
    let row = |i: i32| {
        let score = f64::from(i * 37 % 100) / 100.0 + 0.003;
        format!("{},{},{score:.3}\n", i32::from(score > 0.5), i32::from((i * 53 % 97) < i * 37 % 100))
    };
    let rows: String = (0..200).map(row).collect();
    let (_, summary) = open(&format!("label,gold,score\n{rows}"));
    assert_eq!(roles_of(&summary), "label predicted, gold label, score probability");
}

#[test]
fn logarithms_of_probabilities_are_no_log_odds() {
    let rows: String = (1..60).map(|i| format!("{:.4},{}\n", (f64::from(i) / 61.0).ln(), i % 2)).collect();
    let (_, summary) = open(&format!("log_prob,y\n{rows}"));
    assert_eq!(roles_of(&summary), "log_prob ignore, y label");
    assert!(codes(&summary).contains(&"score_not_probability"));
}
