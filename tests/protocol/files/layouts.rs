//! Layouts that other tools write.

use crate::support::bytes::*;
use localcal::data::{OpenOptions, Scores, View};

#[test]
fn y_true_and_y_prob() {
    let (predictions, summary) = open("y_true,y_prob\n1,0.9\n0,0.2\n1,0.4\n");
    assert_eq!(roles_of(&summary), "y_true label, y_prob probability");
    assert_eq!(summary.view, View::Positive);
    assert_eq!(summary.views, [View::Positive, View::TopLabel]);
    assert_eq!(summary.positive.as_deref(), Some("1"));
    assert_eq!(summary.labels, ["0", "1"]);
    assert_eq!(predictions.predicted.unwrap().to_vec(), [1, 0, 0]);
    assert_eq!(predictions.confidence.unwrap().to_vec(), [0.9, 0.8, 0.6]);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 1, 0]);
    assert_eq!(summary.split, "5-fold cross-fitting");
    assert_eq!(codes(&summary), ["few_rows"]);
}

#[test]
fn other_score_names() {
    for name in
        ["y_pred_proba", "y_score", "prob", "p", "score", "proba", "probability", "risk", "P(y=1)", "p1", "prediction"]
    {
        let (predictions, summary) = open(&format!("label,{name}\n1,0.9\n0,0.2\n1,0.4\n"));
        assert_eq!(p(&predictions), [0.9, 0.2, 0.4], "{name}: {}", roles_of(&summary));
    }
}

#[test]
fn class_columns_belong_to_the_class_that_their_name_names() {
    // p10 after p9, shuffled, and a label.
    let names = ["p3", "p10", "p0", "p1", "p2", "p9", "p4", "p5", "p6", "p7", "p8"];
    let mut text = format!("{},label\n", names.join(","));
    for true_class in 0..11 {
        for name in names {
            let k: usize = name[1..].parse().unwrap();
            text.push_str(if k == true_class { "0.5," } else { "0.05," });
        }
        text.push_str(&format!("{true_class}\n"));
    }
    let (predictions, summary) = open(&text);
    assert_eq!(summary.classes, 11);
    assert_eq!(summary.labels[10], "10");
    assert!(predictions.correct.unwrap().iter().all(|&a| a == 1));
    assert_eq!(summary.view, View::TopLabel);
}

#[test]
fn headers_that_are_class_names() {
    let (predictions, summary) = open("dog,truth,cat\n0.25,cat,0.75\n0.5,dog,0.5\n0.625,dog,0.375\n");
    assert_eq!(roles_of(&summary), "dog probability, truth label, cat probability");
    assert_eq!(summary.labels, ["dog", "cat"]);
    assert_eq!(y(&predictions), [1, 0, 0]);
    assert_eq!(row(&predictions, 0), [0.25, 0.75]);
    assert_eq!(predictions.predicted.unwrap().to_vec(), [1, 0, 0], "ties go to the lowest index");
    assert_eq!(summary.views, [View::TopLabel, View::Positive]);
}

#[test]
fn numbers_as_headers() {
    let (predictions, summary) = open("2,0,1,y\n0.5,0.25,0.25,2\n0.125,0.75,0.125,0\n");
    assert_eq!(summary.labels, ["0", "1", "2"]);
    assert_eq!(row(&predictions, 0), [0.25, 0.25, 0.5]);
    assert_eq!(y(&predictions), [2, 0]);
}

#[test]
fn prob_class_0_with_label_class_0() {
    let (predictions, summary) = open("prob_class_1,prob_class_0,label\n0.25,0.75,class_0\n0.5,0.5,class_1\n");
    assert_eq!(summary.labels, ["class_1", "class_0"]);
    assert_eq!(y(&predictions), [1, 0]);
}

#[test]
fn one_column_named_after_its_class() {
    let text = "diagnosis_label,prob_benign\nbenign,0.75\nmalignant,0.25\nbenign,0.5\n";
    let (predictions, summary) = open(text);
    assert_eq!(summary.positive.as_deref(), Some("benign"));
    assert_eq!(summary.labels, ["malignant", "benign"]);
    assert_eq!(p(&predictions), [0.75, 0.25, 0.5]);
    assert_eq!(y(&predictions), [1, 0, 1]);
    let options = OpenOptions { positive: Some("malignant".into()), ..OpenOptions::default() };
    let (predictions, summary) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
    assert_eq!(summary.labels, ["benign", "malignant"]);
    assert_eq!(p(&predictions), [0.25, 0.75, 0.5]);
    assert_eq!(y(&predictions), [0, 1, 0]);
    let options = OpenOptions { positive: Some("evil".into()), ..OpenOptions::default() };
    assert_eq!(
        failure_with(text, &options),
        ("invalid_option".into(), "positive: `evil` is not one of the labels `benign`, `malignant`.".into())
    );
}

#[test]
fn tidymodels() {
    let (predictions, summary) = open(
        ".pred_no,.pred_yes,.row,.pred_class,died,.config\n0.25,0.75,1,yes,yes,m1\n0.875,0.125,2,no,yes,m1\n0.5,0.5,3,no,no,m1\n0.25,0.75,4,yes,yes,m1\n",
    );
    assert_eq!(
        roles_of(&summary),
        ".pred_no probability, .pred_yes probability, .row id, .pred_class predicted, died label, .config ignore"
    );
    assert_eq!(summary.labels, ["no", "yes"]);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 0, 1, 1]);
}

#[test]
fn tidymodels_event_only() {
    let (predictions, summary) = open(".pred_yes,died\n0.75,yes\n0.125,no\n0.5,no\n");
    assert_eq!(summary.positive.as_deref(), Some("yes"));
    assert_eq!(p(&predictions), [0.75, 0.125, 0.5]);
}

#[test]
fn yardstick() {
    let (_, summary) = open(
        "truth,Class1,Class2,predicted\nClass2,0.25,0.75,Class2\nClass1,0.75,0.25,Class1\nClass1,0.375,0.625,Class2\n",
    );
    assert_eq!(roles_of(&summary), "truth label, Class1 probability, Class2 probability, predicted predicted");
    assert_eq!(summary.labels, ["Class1", "Class2"]);
}

#[test]
fn calzone_with_and_without_header() {
    let body = "0.25,0.75,A,1\n0.5,0.5,B,0\n0.875,0.125,A,0\n0.25,0.75,B,1\n";
    let (_, summary) = open(&format!("proba_0,proba_1,subgroup_1,label\n{body}"));
    assert_eq!(roles_of(&summary), "proba_0 probability, proba_1 probability, subgroup_1 group, label label");
    let (predictions, summary) = open(body);
    assert_eq!(roles_of(&summary), "column 1 probability, column 2 probability, column 3 group, column 4 label");
    assert_eq!(summary.labels, ["0", "1"]);
    assert_eq!(y(&predictions), [1, 0, 0, 1]);
    assert!(!summary.columns[0].sure);
}

#[test]
fn calibration_explorer() {
    let (predictions, summary) =
        open("id,confidence,correct,split,group\na,0.9,1,cal,x\nb,0.8,0,cal,y\nc,0.7,1,test,x\nd,0.6,1,test,y\n");
    assert_eq!(roles_of(&summary), "id id, confidence confidence, correct correct, split split, group group");
    assert_eq!(summary.classes, 2);
    assert!(summary.labels.is_empty());
    assert_eq!(predictions.scores, Some(Scores::Confidence));
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 0, 1, 1]);
    assert_eq!(predictions.sets.to_vec(), [0, 0, 1, 1]);
    assert_eq!(summary.split, "split column `split`: 2 for calibration, 2 for evaluation");
    assert_eq!(summary.views, [View::TopLabel]);
}

#[test]
fn hollance() {
    let (predictions, summary) = open("true_label,pred_label,confidence\n0,0,0.9\n2,1,0.5\n1,1,0.7\n");
    assert_eq!(roles_of(&summary), "true_label label, pred_label predicted, confidence confidence");
    assert_eq!(summary.labels, ["0", "1", "2"]);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 0, 1]);
}

#[test]
fn mcgrad() {
    let (_, summary) = open("prediction,label,country,age\n0.5,1,DE,31.5\n0.25,0,FR,42\n0.75,1,DE,53\n0.5,0,FR,64\n");
    assert_eq!(roles_of(&summary), "prediction probability, label label, country group, age feature");
}

#[test]
fn ohdsi() {
    let (predictions, summary) =
        open("rowId,value,outcomeCount,evaluationType\n1,0.5,1,Test\n2,0.25,0,Test\n3,0.75,1,Train\n4,0.5,0,Train\n");
    assert_eq!(roles_of(&summary), "rowId id, value probability, outcomeCount label, evaluationType split");
    assert_eq!(predictions.rows, 2);
}

#[test]
fn rms_linear_predictor() {
    let (predictions, summary) = open("y,lp\n1,2.5\n0,-1.5\n1,0\n");
    assert_eq!(roles_of(&summary), "y label, lp logit");
    let probabilities = p(&predictions);
    assert!((probabilities[0] - 1.0 / (1.0 + (-2.5f64).exp())).abs() < 1e-15);
    assert_eq!(probabilities[2], 0.5);
    let Some(Scores::Binary { logit: Some(z), .. }) = predictions.scores else { panic!("log-odds expected") };
    assert_eq!(z.to_vec(), [2.5, -1.5, 0.0]);
}

#[test]
fn scores_outside_0_and_1_are_log_odds() {
    let (_, summary) = open("y,score\n1,2.5\n0,-1.5\n1,0.3\n");
    assert_eq!(roles_of(&summary), "y label, score logit");
    assert!(!summary.columns[1].sure);
    let (predictions, summary) = open("y,score_0,score_1,score_2\n1,-2.5,3.5,0\n0,1.5,0.25,-1\n2,0,0.5,4\n");
    assert_eq!(roles_of(&summary), "y label, score_0 logit, score_1 logit, score_2 logit");
    assert!(matches!(predictions.scores, Some(Scores::Logits(_))));
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 1, 1]);
}

#[test]
fn h2o() {
    let (_, summary) = open("predict,p0,p1,y\n1,0.25,0.75,1\n0,0.875,0.125,0\n0,0.75,0.25,1\n1,0.25,0.75,1\n");
    assert_eq!(roles_of(&summary), "predict predicted, p0 probability, p1 probability, y label");
    assert_eq!(summary.view, View::TopLabel);
    let (_, summary) = open("predict,p1,y\n1,0.75,1\n0,0.125,0\n0,0.25,1\n");
    assert_eq!(roles_of(&summary), "predict predicted, p1 probability, y label");
    assert_eq!(summary.view, View::Positive);
    // the standard error of a prediction is no feature
    let (_, summary) = open("predict,p0,p1,StdErr,y\n1,0.25,0.75,0.01,1\n0,0.875,0.125,0.02,0\n0,0.75,0.25,0.03,1\n");
    assert_eq!(roles_of(&summary), "predict predicted, p0 probability, p1 probability, StdErr ignore, y label");
}

#[test]
fn pipelines_of_hugging_face() {
    let classes = ["POSITIVE", "NEGATIVE"];
    let records = |truth: bool| {
        let record = |k: usize| {
            let more = if truth { format!(", \"truth\": \"{}\"", classes[k / 6]) } else { String::new() };
            format!("{{\"label\": \"{}\", \"score\": 0.{}{more}}}", classes[k % 2], 55 + k)
        };
        format!("[{}]", (0..12).map(record).collect::<Vec<_>>().join(", "))
    };
    let (predictions, summary) = open(&records(false));
    assert_eq!(roles_of(&summary), "label predicted, score confidence");
    assert!(predictions.y.is_none() && codes(&summary).contains(&"outcome_not_in_pipeline"));
    let (predictions, summary) = open(&records(true));
    assert_eq!(roles_of(&summary), "label predicted, score confidence, truth label");
    assert_eq!(predictions.correct.unwrap()[..2], [1, 0]);
    assert!(!codes(&summary).contains(&"outcome_not_in_pipeline"));
    // a test that is positive, beside its probability
    let (_, summary) = open("label,score\nPOSITIVE,0.75\nNEGATIVE,0.25\nPOSITIVE,0.5\n");
    assert_eq!(roles_of(&summary), "label label, score probability");
}

#[test]
fn row_numbers_are_no_feature() {
    for name in ["Unnamed: 0", "index", "row_number", "X"] {
        let (_, summary) = open(&format!("{name},p,y\n1,0.25,0\n2,0.75,1\n3,0.5,1\n"));
        assert_eq!(roles_of(&summary), format!("{name} id, p probability, y label"));
    }
    let (_, summary) = open("X,p,y\n10,0.25,0\n20,0.75,1\n35,0.5,1\n");
    assert_eq!(roles_of(&summary), "X feature, p probability, y label");
}

#[test]
fn weka() {
    let (predictions, summary) = open(
        "inst#,actual,predicted,error,distribution\n1,1:no,1:no,,*0.75,0.25\n2,2:yes,1:no,+,*0.625,0.375\n3,2:yes,2:yes,,0.125,*0.875\n",
    );
    assert_eq!(
        roles_of(&summary),
        "inst# id, actual label, predicted predicted, error ignore, distribution_no probability, distribution_yes probability"
    );
    assert_eq!(summary.labels, ["no", "yes"]);
    assert_eq!(row(&predictions, 2), [0.125, 0.875]);
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 0, 1]);
    let (predictions, summary) = open(
        "inst#,actual,predicted,error,prediction\n1,1:no,1:no,,0.75\n2,2:yes,1:no,+,0.625\n3,2:yes,2:yes,,0.875\n",
    );
    assert!(roles_of(&summary).contains("prediction confidence"));
    assert_eq!(predictions.correct.unwrap().to_vec(), [1, 0, 1]);
}

#[test]
fn own_export_comes_back() {
    let (predictions, summary) = open(
        "row,set,fold,label,predicted,confidence,confidence_temperature,confidence_lore\n1,evaluation,0,1,1,0.9,0.8,0.7\n2,evaluation,1,0,1,0.6,0.55,0.5\n3,evaluation,2,2,2,0.8,0.7,0.65\n4,evaluation,3,0,0,0.7,0.6,0.55\n",
    );
    assert_eq!(
        roles_of(&summary),
        "row id, set ignore, fold ignore, label label, predicted predicted, confidence confidence, confidence_temperature ignore, confidence_lore ignore"
    );
    assert_eq!(predictions.confidence.unwrap().to_vec(), [0.9, 0.6, 0.8, 0.7]);
    let (predictions, summary) = open(
        "row,set,fold,label,predicted,confidence,confidence_platt,p,p_platt\n1,calibration,0,1,1,0.9,0.8,0.9,0.8\n2,evaluation,1,0,0,0.6,0.55,0.4,0.45\n3,evaluation,2,0,1,0.8,0.7,0.8,0.7\n",
    );
    assert_eq!(
        roles_of(&summary),
        "row id, set split, fold ignore, label label, predicted predicted, confidence ignore, confidence_platt ignore, p probability, p_platt ignore"
    );
    assert_eq!(p(&predictions), [0.9, 0.4, 0.8]);
    assert_eq!(summary.view, View::Positive);
}
