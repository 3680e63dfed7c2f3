//! Layouts that other tools write.

use crate::support::bytes::*;
use localcal::data::{OpenOptions, Role, Scores, View};

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
    for name in [
        "y_pred_proba",
        "y_score",
        "prob",
        "p",
        "score",
        "proba",
        "probability",
        "risk",
        "P(y=1)",
        "p1",
        "prediction",
        "PRE_1",
        ".fitted",
    ] {
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

/// Rows under a header, each made of a score that repeats nowhere and an outcome that it predicts with errors.
fn sixty(header: &str, row: impl Fn(f64, usize) -> String) -> String {
    let score = |i: usize| (1 + i * 37 % 97) as f64 / 100.0;
    let outcome = |i: usize| usize::from(score(i) > 0.2 + (i * 7 % 10) as f64 / 15.0);
    format!("{header}\n{}", (0..60).map(|i| row(score(i), outcome(i)) + "\n").collect::<String>())
}

const NO_YES: [&str; 2] = ["No", "Yes"];

#[test]
fn spss_modeler_calls_probabilities_lp() {
    let (predictions, summary) = open(&sixty("$L-Churn,$LP-Churn,$LP-No,$LP-Yes,Churn", |p, y| {
        format!("{},{:.2},{:.2},{p:.2},{}", NO_YES[usize::from(p > 0.5)], p.max(1.0 - p), 1.0 - p, NO_YES[y])
    }));
    assert_eq!(
        roles_of(&summary),
        "$L-Churn predicted, $LP-Churn ignore, $LP-No probability, $LP-Yes probability, Churn label"
    );
    assert!(matches!(predictions.scores, Some(Scores::Probabilities(_))));
}

#[test]
fn the_class_with_the_largest_of_several_scores_is_no_outcome() {
    let (_, summary) = open(&sixty("cD#diagnosis,mD#Model,mC#Model (No),mC#Model (Yes)", |p, y| {
        format!("{},{},{:.2},{p:.2}", NO_YES[y], NO_YES[usize::from(p > 0.5)], 1.0 - p)
    }));
    assert_eq!(
        roles_of(&summary),
        "cD#diagnosis label, mD#Model predicted, mC#Model (No) probability, mC#Model (Yes) probability"
    );
}

#[test]
fn scores_of_folds_are_no_models_beside_their_mean_and_no_classes() {
    let (_, summary) = open(&sixty("fold1_p,fold2_p,p_mean,y", |p, y| format!("{p},{:.4},{p},{y}", 0.9 * p)));
    assert_eq!(roles_of(&summary), "fold1_p ignore, fold2_p ignore, p_mean probability, y label");
    assert!(summary.models.is_empty());
    let (_, summary) = open(&sixty("pred_fold0,pred_fold1,y", |p, y| format!("{p},{:.4},{y}", 0.9 * p)));
    assert_eq!((summary.models.len(), summary.positive.as_deref()), (2, Some("1")), "{}", roles_of(&summary));
}

#[test]
fn columns_of_classes_under_names_of_programs() {
    let row = |p: f64, y: usize| format!("{y},{},{:.2},{p:.2}", usize::from(p > 0.5), 1.0 - p);
    for (header, roles) in [
        ("F_bad,I_bad,P_bad0,P_bad1", "F_bad label, I_bad predicted, P_bad0 probability, P_bad1 probability"),
        ("_FROM_,_INTO_,IP_0,IP_1", "_FROM_ label, _INTO_ predicted, IP_0 probability, IP_1 probability"),
        ("truth,response,prob.0,prob.1", "truth label, response predicted, prob.0 probability, prob.1 probability"),
        ("y,y_pred,X0,X1", "y label, y_pred predicted, X0 probability, X1 probability"),
        ("y,y_pred,V1,V2", "y label, y_pred predicted, V1 probability, V2 probability"),
    ] {
        let (predictions, summary) = open(&sixty(header, row));
        assert_eq!(roles_of(&summary), roles);
        assert_eq!((&self::row(&predictions, 0)[..], y(&predictions)[0]), (&[0.99, 0.01][..], 0), "{header}");
    }
    let words = |p: f64, y: usize| format!("{},{},{:.2},{p:.2}", NO_YES[y], NO_YES[usize::from(p > 0.5)], 1.0 - p);
    for header in [
        "income_orig,income_predicted,No_predicted_proba,Yes_predicted_proba",
        "species,answer,species_No_scores,species_Yes_scores",
        "y,y_pred,V1,V2",
    ] {
        let (predictions, summary) = open(&sixty(header, words));
        assert_eq!(summary.labels, NO_YES, "{header}: {}", roles_of(&summary));
        assert_eq!((&self::row(&predictions, 0)[..], y(&predictions)[0]), (&[0.99, 0.01][..], 0), "{header}");
    }
}

#[test]
fn one_score_under_names_of_programs() {
    for (header, role) in [
        ("mean,mean_se,y", Role::Probability),
        ("0,age,y_true", Role::Probability),
        ("RawFormulaVal,DocId,Label", Role::Logit),
    ] {
        let (_, summary) = open(&sixty(header, |p, y| match role {
            Role::Logit => format!("{:.4},{},{y}", (p / (1.0 - p)).ln(), 100.0 * p),
            _ => format!("{p:.2},{},{y}", 41 + y),
        }));
        assert_eq!((summary.columns[0].role, summary.positive.as_deref()), (role, Some("1")), "{header}");
    }
    let file = |header: &str, of: &dyn Fn(usize) -> String| {
        format!("\"\",\"{header}\"\n{}", (1..30).map(|i| format!("\"{i}\",{}\n", of(i))).collect::<String>())
    };
    let (truth, vector) = (file("y", &|i| (i % 2).to_string()), file("x", &|i| format!("0.{}", 10 + i)));
    let files = [("truth.csv", truth.as_bytes()), ("p.csv", vector.as_bytes())];
    let (predictions, summary) = open_with(&files, &OpenOptions::default()).unwrap();
    assert_eq!(p(&predictions)[0], 0.11, "{}", roles_of(&summary));
    let (_, summary) = open(&sixty("risk,seen", |p, y| format!("{p:.2},{}", ["✗", "✓"][y])));
    assert_eq!(summary.positive.as_deref(), Some("✓"));
    // the boxes of a question in REDCap
    let (predictions, summary) =
        open(&sixty("pred_prob,outcome___1,outcome___0", |p, y| format!("{p:.2},{y},{}", 1 - y)));
    assert_eq!(roles_of(&summary), "pred_prob probability, outcome___1 label, outcome___0 label");
    assert_eq!((p(&predictions)[0], y(&predictions)[0], summary.positive.as_deref()), (0.01, 0, Some("1")));
}

#[test]
fn outcomes_under_names_of_programs() {
    for (header, roles) in [
        (
            "fold,row_id,prediction,correct,confidence.0,confidence.1",
            "prediction predicted, correct label, confidence.0 probability, confidence.1 probability",
        ),
        ("low,smoke,race,age,pr,pr_2", "low label, smoke group"),
    ] {
        let (_, summary) = open(&sixty(header, |p, y| match header.starts_with("fold") {
            true => format!("1,{:.0},{},{y},{:.2},{p:.2}", 1e4 * p, usize::from(p > 0.5), 1.0 - p),
            false => format!("{y},{},{},{:.1},{p:.2},7", (p * 37.0) as u32 % 2, (p * 53.0) as u32 % 3, 20.0 + 9.0 * p),
        }));
        assert!(roles_of(&summary).contains(roles), "{}", roles_of(&summary));
    }
    let (predictions, summary) = open(&sixty("Churn,$L-Churn,$LP-Churn,$LRP-Churn", |p, y| {
        format!("{},{},{:.2},{p:.2}", NO_YES[y], NO_YES[usize::from(p > 0.5)], p.max(1.0 - p))
    }));
    assert_eq!((p(&predictions)[0], summary.positive.as_deref()), (0.01, Some("Yes")), "{}", roles_of(&summary));
}

#[test]
fn listings_and_headers_of_several_rows_are_predictions() {
    let rows = |row: &dyn Fn(f64, usize) -> String| sixty("", row);
    let weka = "=== Predictions on test data ===\n\n inst#  actual  predicted error prediction";
    let list = rows(&|p, y| format!("1 {0}:{1} {0}:{1} {2:.2}", y + 1, NO_YES[y], 0.5 + p / 2.0));
    let (_, summary) = open(&format!("{weka}{list}\n=== Summary ===\n"));
    let roles = roles_of(&summary);
    assert!(roles.contains("actual label, predicted predicted") && roles.contains("prediction confidence"), "{roles}");
    let (predictions, summary) =
        open(&format!("risk,age,died\n(%),(years),{}", rows(&|p, y| format!("{:.1},{},{y}", 100.0 * p, 40 + y))));
    assert_eq!(p(&predictions)[0], 0.01, "{}", roles_of(&summary));
    assert!(codes(&summary).contains(&"header_of_several_rows"));
    let (_, summary) =
        open(&format!("prob,prob,truth\nNo,Yes,y{}", rows(&|p, y| format!("{:.2},{p:.2},{}", 1.0 - p, NO_YES[y]))));
    assert_eq!(roles_of(&summary), "prob_No probability, prob_Yes probability, truth_y label");
}

#[test]
fn sas_names_the_level_that_it_modeled() {
    let (predictions, summary) = open(&sixty("DEATH,_LEVEL_,phat", |p, y| format!("{y},0,{:.2}", 1.0 - p)));
    assert_eq!((summary.positive.as_deref(), p(&predictions)[0]), (Some("0"), 0.99));
    assert_eq!(codes(&summary), [""; 0]);
}

#[test]
fn scores_against_the_outcome_are_warned_of() {
    let text = sixty("outcome,p", |p, y| format!("{},{p:.2}", 2 - y));
    let (_, summary) = open(&text);
    assert!(codes(&summary).contains(&"scores_against_outcome"), "{:?}", summary.warnings);
    let said = OpenOptions { positive: Some("1".into()), ..OpenOptions::default() };
    let (_, summary) = open_with(&[("a.csv", text.as_bytes())], &said).unwrap();
    assert_eq!(codes(&summary), [""; 0]);
    // columns of two classes that are exchanged
    let (_, summary) = open(&sixty("y,prob_0,prob_1", |p, y| format!("{y},{p:.2},{:.2}", 1.0 - p)));
    assert_eq!(codes(&summary), ["scores_against_outcome"]);
}

#[test]
fn points_and_percents_of_rare_events_are_no_log_odds() {
    for row in [|p: f64| 90.0 * p - 4.25, |p: f64| 1.8 * p + 0.005] {
        let (predictions, summary) = open(&sixty("died,risk_score", |p, y| format!("{y},{:.3}", row(p))));
        assert_eq!(roles_of(&summary), "died label, risk_score ignore");
        assert!(predictions.scores.is_none() && codes(&summary).contains(&"score_not_probability"));
    }
    let (_, summary) = open(&sixty("died,score", |p, y| format!("{y},{:.3}", (p / (1.0 - p)).ln())));
    assert_eq!(roles_of(&summary), "died label, score logit");
}

#[test]
fn what_follows_from_the_score_is_no_feature_and_no_other_model() {
    let (_, summary) = open(&sixty("died,risk,risk_lower,risk_upper,_XBETA_,PGR_1", |p, y| {
        let z = (p / (1.0 - p)).ln();
        format!("{y},{p:.2},{:.3},{:.3},{z:.4},{}", 0.8 * p, (1.2 * p).min(1.0), usize::from(p > 0.5))
    }));
    assert_eq!(
        roles_of(&summary),
        "died label, risk probability, risk_lower ignore, risk_upper ignore, _XBETA_ ignore, PGR_1 predicted"
    );
    assert!(summary.models.is_empty());
}

#[test]
fn rows_of_several_resamples_are_clusters() {
    let row = |i: usize| {
        let (row, p) = (i % 60, 0.05 + (i * 37 % 90) as f64 / 100.0);
        format!("Repeat{},{},{p:.2},{}\n", 1 + i / 60, row + 1, NO_YES[row % 3 % 2])
    };
    let (_, summary) = open(&format!("id,.row,.pred_Yes,Class\n{}", (0..120).map(row).collect::<String>()));
    assert_eq!(summary.clusters.map(|clusters| (clusters.column, clusters.count)), Some((".row".to_owned(), 60)));
}

#[test]
fn classes_are_named_beside_their_scores() {
    let (vertex, bigquery) = (
        r#"{"instance": {"died": "1"}, "prediction": {"classes": ["1", "0"], "scores": [0.75, 0.25]}}
           {"instance": {"died": "0"}, "prediction": {"classes": ["1", "0"], "scores": [0.25, 0.75]}}"#,
        r#"{"died": "1", "predicted_died": "1", "probs": [{"label": "1", "prob": 0.75}, {"label": "0", "prob": 0.25}]}
           {"died": "0", "predicted_died": "0", "probs": [{"label": "0", "prob": 0.75}, {"label": "1", "prob": 0.25}]}"#,
    );
    for text in [vertex, bigquery] {
        let (predictions, summary) = open_with(&[("a.jsonl", text.as_bytes())], &OpenOptions::default()).unwrap();
        assert_eq!(
            (&summary.labels[..], row(&predictions, 0)),
            (&["0".to_owned(), "1".to_owned()][..], vec![0.25, 0.75])
        );
        assert_eq!((row(&predictions, 1), y(&predictions)), (vec![0.75, 0.25], vec![1, 0]), "{}", roles_of(&summary));
    }
}

#[test]
fn an_outcome_and_a_score_of_the_same_time_belong_together() {
    let (_, summary) = open(&sixty("death_30d,death_1y,risk_30d", |p, y| {
        format!("{y},{},{p:.2}", usize::from(y == 1 || ((100.0 * p) as usize).is_multiple_of(7)))
    }));
    assert_eq!(roles_of(&summary), "death_30d label, death_1y group, risk_30d probability");
}

#[test]
fn an_event_with_a_follow_up_time_is_told() {
    let told = |header: &str, outcomes: [&str; 2]| {
        let (_, summary) = open(&sixty(header, |p, y| format!("{},{:.1},{p:.2}", outcomes[y], 9.0 + 50.0 * p)));
        codes(&summary).contains(&"follow_up")
    };
    assert!(told("status,time,risk", ["0", "1"]) && told("outcome,age,risk", ["censored", "event"]));
    assert!(!told("outcome,time,risk", ["0", "1"]) && !told("status,age,risk", ["0", "1"]));
}

#[test]
fn names_with_a_p_that_are_no_probabilities() {
    let (_, summary) = open(&sixty("pH,p_value,died,risk_se,mymodel_risk,z_score", |p, y| {
        format!("{:.2},{:.3},{y},{:.3},{p:.2},{:.3}", 7.1 + p / 2.0, (p * 31.7).fract(), p / 9.0, 5.0 * p * p - 1.0)
    }));
    assert_eq!(
        roles_of(&summary),
        "pH feature, p_value feature, died label, risk_se ignore, mymodel_risk probability, z_score feature"
    );
    assert!(summary.models.is_empty());
}

#[test]
fn percents_under_a_german_name_are_scores() {
    let (predictions, summary) = open(&sixty("Alter;Risiko in %;Verstorben", |p, y| {
        let percent = format!("{:.2}", 100.0 * p).replace('.', ",");
        format!("{};{percent};{}", 40 + (p * 40.0) as usize, ["Nein", "Ja"][y])
    }));
    assert_eq!(roles_of(&summary), "Alter feature, Risiko in % probability, Verstorben label");
    assert_eq!((p(&predictions)[0], summary.positive.as_deref()), (0.01, Some("Ja")));
}

#[test]
fn formulas_without_results_are_told() {
    let text = sixty("lp,p,died", |p, y| format!("{p:.2},,{y}"));
    let told = |file: &str| {
        let (_, summary) = open_with(&[(file, text.as_bytes())], &OpenOptions::default()).unwrap();
        codes(&summary).contains(&"formulas_without_results")
    };
    assert!(told("a.xlsx") && !told("a.csv"));
}

/// A table of features, outcomes in words, and a column of probabilities for each of these: no name says label or score.
#[test]
fn columns_named_after_the_values_of_the_outcome() {
    let rows: String = (0..30)
        .map(|i| {
            let p = f64::from(i % 9 + 1) / 10.0;
            let is = if i % 3 == 0 { "malignant" } else { "benign" };
            format!("{}.5,{}.25,{is},{p},{}\n", 10 + i % 7, 20 + i % 11, 1.0 - p)
        })
        .collect();
    let (_, summary) = open(&format!("mean radius,mean texture,diagnosis,malignant,benign\n{rows}"));
    assert_eq!(
        roles_of(&summary),
        "mean radius feature, mean texture feature, diagnosis label, malignant probability, benign probability"
    );
    assert_eq!(summary.labels, ["malignant", "benign"]);
}

/// `train_test_split` keeps the numbers of the rows that it draws, and `to_csv` writes them without a name.
#[test]
fn the_index_of_a_test_set_is_no_feature() {
    let rows: String = (0..40).map(|i| format!("{},{}.5,{},0.{}\n", i * 37 % 101, i % 7, i % 2, i % 9 + 1)).collect();
    let (_, summary) = open(&format!(",age,y,p\n{rows}"));
    assert_eq!(roles_of(&summary), "column 1 id, age feature, y label, p probability");
}

/// Seven classes by number, and a second column of 0 and 1 behind the one that has all of them.
#[test]
fn the_outcome_of_several_classes_has_all_of_them() {
    let rows: String = (0..60)
        .map(|i| format!("0.4,0.3,0.2,0.1,{},{}.5,{}\n", i * 7 % 11 % 4, 20 + i % 30, u8::from(i % 5 < 2)))
        .collect();
    let (_, summary) = open(&format!("p0,p1,p2,p3,PID,age,vote\n{rows}"));
    let label = summary.columns.iter().find(|column| column.role == Role::Label).map(|column| column.name.as_str());
    assert_eq!(label, Some("PID"), "{}", roles_of(&summary));
}
