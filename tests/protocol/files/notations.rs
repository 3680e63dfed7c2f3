//! Numbers in other notations, remarks, totals, vectors as text, values that stand for missing ones, scores in percent.

use crate::support::bytes::{codes, failure_with, integers, npy, open, open_with, p, roles_of, row, zip};
use localcal::data::options::SplitOption;
use localcal::data::roles::{ColumnRole, Reading, Role};
use localcal::data::sentinels::MissingCode;
use localcal::data::subgroup::{Among, Condition};
use localcal::data::{About, OpenOptions, Summary, View, assemble};
use localcal::read::{ReadOptions, read_with};
use localcal::table::Values;

/// So many rows of `y,p` and what `more` writes behind them, beneath a header.
fn table(header: &str, rows: usize, more: impl Fn(usize) -> String) -> String {
    let row = |i: usize| format!("{},0.{},{}\n", i % 2, 10 + (i * 37) % 80, more(i));
    format!("{header}\n{}", (0..rows).map(row).collect::<String>())
}

fn column<'a>(summary: &'a Summary, name: &str) -> &'a ColumnRole {
    summary.columns.iter().find(|column| column.name == name).unwrap()
}

fn told(summary: &Summary, about: About) -> Vec<&str> {
    summary.told.iter().filter(|part| part.about == about).map(|part| part.text.as_str()).collect()
}

fn numbers(data: &localcal::data::Predictions, name: &str) -> Vec<f64> {
    match &data.table.columns.iter().find(|column| column.name == name).unwrap().values {
        Values::Numbers(values) => values.to_vec(),
        other => panic!("numbers expected, {other:?}"),
    }
}

fn reading(name: &str, reading: Reading) -> OpenOptions {
    OpenOptions { readings: [(name.to_owned(), reading)].into(), ..OpenOptions::default() }
}

#[test]
fn quoted_thousands_are_numbers_and_can_be_decimals() {
    let text = table("y,p,cost", 40, |i| format!("\"{},{:03}\"", 4 + i, (i * 61) % 1_000));
    let (data, summary) = open(&text);
    assert_eq!(numbers(&data, "cost")[..2], [4_000.0, 5_061.0]);
    assert_eq!(roles_of(&summary), "y label, p probability, cost feature");
    assert_eq!(told(&summary, About::Marks), ["cost: 4,000 is read as thousands"]);
    assert_eq!(column(&summary, "cost").offer, Some(Reading::Decimal));
    let (data, summary) = open_with(&[("a.csv", text.as_bytes())], &reading("cost", Reading::Decimal)).unwrap();
    assert_eq!(numbers(&data, "cost")[..2], [4.0, 5.061]);
    assert_eq!(told(&summary, About::Marks), ["cost: 4,000 is read as a decimal"]);
    assert_eq!(column(&summary, "cost").offer, Some(Reading::Thousands));
}

#[test]
fn points_before_three_digits_are_decimals_and_can_be_thousands() {
    let text = table("y,p,cost", 40, |i| format!("{}.{:03}", 4 + i, (i * 61) % 1_000));
    let (data, summary) = open(&text);
    assert_eq!(numbers(&data, "cost")[1], 5.061);
    assert_eq!(told(&summary, About::Marks), ["cost: 4.000 is read as a decimal"]);
    let (data, _) = open_with(&[("a.csv", text.as_bytes())], &reading("cost", Reading::Thousands)).unwrap();
    assert_eq!(numbers(&data, "cost")[..2], [4_000.0, 5_061.0]);
    // two digits behind the mark leave no doubt, and then there is nothing to choose
    let (code, message) =
        failure_with(&table("y,p,cost", 40, |i| format!("{i}.25")), &reading("cost", Reading::Thousands));
    assert_eq!(code, "invalid_option");
    assert_eq!(message, "readings: the numbers of `cost` have one reading only, not `thousands`.");
}

#[test]
fn decimal_commas_between_commas_and_german_amounts() {
    let (data, summary) = open("y,p,age\n0,\"0,71\",66\n1,\"0,115\",76\n0,\"0,25\",21\n");
    assert_eq!(p(&data), [0.71, 0.115, 0.25]);
    assert!(codes(&summary).contains(&"numbers_in_other_notation"), "{:?}", summary.warnings);
    let (data, summary) = open("y;p;income\nnein;0,71;11.197,50\nja;0,115;4.872,50\nja;0,25;803\n");
    assert_eq!(numbers(&data, "income"), [11_197.5, 4_872.5, 803.0]);
    assert!(told(&summary, About::Marks).is_empty());
    // where commas are decimal marks, a point groups thousands
    let (data, _) = open("y,p,income\n0,\"0,71\",\"11.197\"\n1,\"0,115\",\"4.872\"\n1,\"0,25\",\"803\"\n");
    assert_eq!(numbers(&data, "income").len(), 3);
}

#[test]
fn r_writes_row_names_without_a_name() {
    let text = "\"obs\" \"No\" \"Yes\" \"age\"\n\"1\" \"No\" 0.25 0.75 66\n\"2\" \"Yes\" 0.5 0.5 76\n\"3\" \"No\" 0.875 0.125 21\n";
    let (data, summary) = open(text);
    assert!(roles_of(&summary).starts_with("row id, obs label, No probability, Yes probability"));
    assert_eq!(row(&data, 0), [0.25, 0.75]);
}

#[test]
fn remarks_before_the_table_are_passed_over_and_told() {
    let (data, summary) = open("# exported by job 7\n#\ny,p,site,\n0,0.25,C,\n1,0.75,B,\n");
    assert_eq!(p(&data), [0.25, 0.75]);
    let told = summary.warnings.iter().find(|warning| warning.code == "remarks_passed_over").unwrap();
    assert_eq!(told.message, "Lines before the table that begin with # were ignored: `exported by job 7`.");
    // NumPy writes names as a remark
    let (data, summary) = open("# y,p\n0,0.25\n1,0.75\n");
    assert_eq!(p(&data), [0.25, 0.75]);
    assert_eq!(roles_of(&summary), "y label, p probability");
}

#[test]
fn vectors_in_brackets_are_probabilities_of_the_classes() {
    let text = "label,age,probability,prediction\n0.0,66,\"[0.25,0.75]\",1.0\n1.0,76,\"[0.5,0.5]\",0.0\n0.0,21,\"[0.875,0.125]\",0.0\n";
    let (data, summary) = open(text);
    assert_eq!(row(&data, 2), [0.875, 0.125]);
    assert_eq!(summary.classes, 2);
}

#[test]
fn days_with_short_years_are_dates() {
    let text = table("y,p,seen", 12, |i| format!("{}-Dec-{}", 10 + i, 22 + i % 2));
    let (_, summary) = open(&text);
    assert_eq!(column(&summary, "seen").role, Role::Date);
    assert_eq!((summary.dates[0].from.as_str(), summary.dates[0].to.as_str()), ("2022-12-10", "2023-12-21"));
}

#[test]
fn a_last_row_of_totals_is_left_out_and_can_be_kept() {
    let rows = "id,y,p,n\n1,0,0.25,5\n2,1,0.75,7\n3,1,0.5,9\n";
    for last in ["Total,,,21\n", "Gesamt:,2,1.5,21\n", "mean,0.67,0.5,7\n", "\"Sum\",,,\n\n"] {
        let (data, summary) = open(&format!("{rows}{last}"));
        assert_eq!((data.rows, summary.totals), (3, Some(true)), "{last}");
        assert!(codes(&summary).contains(&"totals_left_out"), "{last}");
        assert_eq!(told(&summary, About::Totals).len(), 1);
    }
    let read = |text: &str, totals| {
        let options = ReadOptions { totals, ..ReadOptions::default() };
        read_with("a.csv", text.as_bytes(), options, &mut |_| ()).unwrap()
    };
    let rows_of = |file: &localcal::read::ReadFile| file.columns[0].values.shape()[0];
    let kept = read(&format!("{rows}Total,,,21\n"), Some(false));
    assert_eq!((rows_of(&kept), kept.totals), (4, Some(false)));
    // a sum that is none, and a row like others
    assert_eq!(rows_of(&read(&format!("{rows}Total,1,0.9,3\n"), None)), 4);
    assert_eq!(rows_of(&read("kind,y,p\ntotal,0,0.5\npart,1,0.25\ntotal,1,0.75\n", None)), 3);
    assert_eq!(rows_of(&read(&format!("{rows}4,0,0.5,2\n"), Some(true))), 3);
}

#[test]
fn a_value_that_may_be_missing_is_told_and_counted_as_missing_when_said_so() {
    let text = table("y,p,age", 100, |i| if i % 20 == 3 { "999".to_owned() } else { (18 + i % 70).to_string() });
    let (_, summary) = open(&text);
    let [said] = told(&summary, About::Missing)[..] else { panic!("one part expected") };
    assert!(said.starts_with("age is 999 in 5") && said.ends_with(": missing?"), "{said}");
    let warning = summary.warnings.iter().find(|warning| warning.code == "value_may_be_missing").unwrap();
    assert_eq!(
        warning.message,
        "`age` is 999 in 5 rows; its other values are 18 to 87. If 999 codes a missing value, mark it as missing."
    );
    let options: OpenOptions = serde_json::from_str(r#"{"missing":{"age":[999]}}"#).unwrap();
    assert_eq!(options.missing["age"], [MissingCode::Number(999.0)]);
    let (data, summary) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
    assert_eq!(column(&summary, "age").missing, 5);
    assert_eq!(numbers(&data, "age").iter().filter(|x| x.is_nan()).count(), 5);
    assert!(told(&summary, About::Missing)[0].starts_with("age 999 is treated as missing"));
    assert!(!codes(&summary).contains(&"value_may_be_missing"));
    let options: OpenOptions = serde_json::from_str(r#"{"missing":{"aeg":[999]}}"#).unwrap();
    assert_eq!(failure_with(&text, &options).1, "missing: no column or array has the name `aeg`.");
}

#[test]
fn days_that_stand_for_no_day() {
    let text = table("y,p,seen", 60, |i| match i % 15 {
        3 => "1900-01-01".to_owned(),
        _ => format!("2023-0{}-1{}", 1 + i % 9, i % 10),
    });
    let (_, summary) = open(&text);
    let [one] = column(&summary, "seen").sentinels.as_slice() else { panic!("one expected") };
    assert_eq!((&one.value, one.rows), (&MissingCode::Text("1900-01-01".into()), 4));
    let options: OpenOptions = serde_json::from_str(r#"{"missing":{"seen":["1900-01-01"]}}"#).unwrap();
    let (_, summary) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
    assert!(summary.dates[0].from.starts_with("2023"));
}

#[test]
fn scores_named_percent_open_without_a_question() {
    for name in ["score_percent", "risk_percent", "risk_pct", "Risk %"] {
        let text = format!("y,{name},age\n0,12.5,40\n1,85,50\n1,60,60\n0,7,70\n");
        let (data, summary) = open(&text);
        assert_eq!(p(&data), [0.125, 0.85, 0.6, 0.07], "{name}");
        assert!(!summary.unsure, "{name}: {:?}", summary.columns);
        assert_eq!(column(&summary, name).reading, Some(Reading::Percent));
    }
    let (_, summary) = open("y,score_percent,risk_percent\n0,12.5,40\n1,85,50\n1,60,60.5\n0,7,7\n");
    assert_eq!(summary.models.len(), 2, "{:?}", summary.columns);
    assert!(!summary.unsure);
}

#[test]
fn a_score_named_after_its_outcome_opens_without_a_question() {
    let named =
        [("died", "risk_of_death"), ("defaulted", "PD"), ("defaulted", "default_risk"), ("churned", "churn_score")];
    for (outcome, name) in named {
        let text = format!("{outcome},{name},age\n0,0.125,40\n1,0.85,50\n1,0.6,60\n0,0.07,70\n");
        let (_, summary) = open(&text);
        assert_eq!(column(&summary, name).role, Role::Probability, "{name}");
        assert!(!summary.unsure, "{name}: {:?}", summary.columns);
    }
    // what neither names an outcome nor is a known name may be any share
    for name in ["frailty_score", "p_value"] {
        let text = format!("died,{name},age\n0,0.125,40\n1,0.85,50\n1,0.6,60\n0,0.07,70\n");
        let (_, summary) = open(&text);
        assert!(summary.unsure, "{name}: {:?}", summary.columns);
    }
    // nor does a word that every column has say whose score it is; that another model's score has it does not matter
    let (_, summary) = open("visit_outcome,visit_score,visit_age\n0,0.125,40\n1,0.85,50\n1,0.6,60\n0,0.07,70\n");
    assert!(summary.unsure, "{:?}", summary.columns);
    let text = "defaulted,default_risk,default_risk_b\n0,0.125,0.4\n1,0.85,0.5\n1,0.6,0.6\n0,0.07,0.7\n";
    assert!(!open(text).1.unsure, "{:?}", open(text).1.columns);
}

#[test]
fn of_two_models_in_percent_both_are_offered_and_both_are_models() {
    let text = "y,score,score_b\n0,12.5,40\n1,85,50\n1,60,60.5\n0,7,7.5\n";
    let files = [read_with("a.csv", text.as_bytes(), ReadOptions::default(), &mut |_| ()).unwrap()];
    let summary = localcal::data::assemble::recognize(&files, &OpenOptions::default()).unwrap();
    let offered: Vec<&str> = summary
        .columns
        .iter()
        .filter(|column| column.offer == Some(Reading::Percent))
        .map(|column| column.name.as_str())
        .collect();
    assert_eq!(offered, ["score", "score_b"]);
    let readings = offered.iter().map(|name| ((*name).to_owned(), Reading::Percent)).collect();
    let (_, summary) = assemble(&files, &OpenOptions { readings, ..OpenOptions::default() }).unwrap();
    assert_eq!(summary.models, ["score", "score_b"]);
    assert!(!summary.unsure, "{:?}", summary.columns);
}

#[test]
fn patients_are_known_in_german() {
    let text = table("y,p,Patienten-Nr", 40, |i| (1_000 + i / 2).to_string());
    let (_, summary) = open(&text);
    assert_eq!(summary.clusters.map(|clusters| clusters.column).as_deref(), Some("Patienten-Nr"));
}

#[test]
fn rows_that_are_not_of_a_ward() {
    let text = table("y,p,ward", 40, |i| ["ICU", "ED", "A", ""][i % 4].to_owned());
    let only: Condition = serde_json::from_str(r#"{"column":"ward","not":["ICU"]}"#).unwrap();
    assert_eq!(only, Condition { column: "ward".into(), is: Among::Not(vec!["ICU".into()]) });
    assert_eq!(serde_json::to_string(&only).unwrap(), r#"{"column":"ward","not":["ICU"]}"#);
    let options = OpenOptions { only: Some(vec![only]), ..OpenOptions::default() };
    let (data, summary) = open_with(&[("a.csv", text.as_bytes())], &options).unwrap();
    // a row without a ward may be of any
    assert_eq!(data.rows, 20);
    assert_eq!(summary.only.unwrap().description, "ward not ICU");
    let both = serde_json::from_str::<Condition>(r#"{"column":"ward","not":["ICU"],"values":["ED"]}"#);
    assert!(both.is_err());
}

#[test]
fn rows_before_a_date_calibrate() {
    let text = table("y,p,seen", 40, |i| format!("2023-{:02}-01", 1 + i % 12));
    let split = |before: &str| OpenOptions {
        split: Some(SplitOption::Column {
            column: "seen".into(),
            calibration: Vec::new(),
            before: Some(before.into()),
        }),
        ..OpenOptions::default()
    };
    let (_, summary) = open_with(&[("a.csv", text.as_bytes())], &split("2023-04")).unwrap();
    assert!(
        summary.split.contains("12 for calibration, 28 for evaluation (rows before `2023-04` calibrate)"),
        "{}",
        summary.split
    );
    assert_eq!(failure_with(&text, &split("soon")), ("invalid_option".into(), "split: `soon` is not a date.".into()));
    assert_eq!(failure_with(&text, &split("2030-01-01")).0, "split_empty");
}

#[test]
fn arrays_are_bounded_together_and_before_they_are_unpacked() {
    let array = |n: usize| integers(&format!("({n},)"), &vec![1; n]);
    let bytes = zip(&[("a.npy", &array(1_000)), ("b.npy", &array(1_000))], 8);
    let read = |most| {
        let options = ReadOptions { most: Some(most), ..ReadOptions::default() };
        read_with("a.npz", &bytes, options, &mut |_| ()).map(|file| file.columns.len())
    };
    assert_eq!(read(1 << 20).unwrap(), 2);
    let error = read(10_000).unwrap_err();
    assert_eq!(error.code(), "too_large");
    let said = error.to_string();
    assert!(
        said.starts_with("The archive's 2 arrays unpack to 16,") && said.contains("at most 10,000 are supported"),
        "{said}"
    );
    // each fits and so does their sum, but not what becomes of bytes as numbers
    let small = npy("|i1", "(4000,)", &vec![1; 4_000]);
    let bytes = zip(&[("a.npy", &small), ("b.npy", &small)], 8);
    let options = ReadOptions { most: Some(40_000), ..ReadOptions::default() };
    let error = read_with("a.npz", &bytes, options, &mut |_| ()).unwrap_err();
    assert_eq!(error.code(), "too_large");
    assert!(error.to_string().starts_with("As numbers, the archive's arrays up to `b` take 64,000 bytes"), "{error}");
}

#[test]
fn numbers_too_large_for_distances_are_told_and_not_taken() {
    let text = table("y,p,x,age", 40, |i| format!("{},{}", if i == 2 { "1e308" } else { "0.5" }, i));
    let (data, summary) = open(&text);
    let warning = summary.warnings.iter().find(|warning| warning.code == "feature_too_large").unwrap();
    assert!(warning.message.contains("`x`"), "{}", warning.message);
    assert_eq!(localcal::feature::feature_columns(&data), ["age"]);
    let choice = localcal::feature::FeatureChoice::One("x".into());
    let error = localcal::feature::features(&data, &choice, &[]).err().unwrap();
    assert_eq!(error.code(), "invalid_option");
    assert_eq!(error.to_string(), "Column `x` is 1e308 in row 3, which is too large for distances.");
}

#[test]
fn confidences_from_0_to_100_beside_correctness_are_in_percent() {
    let text = |header: &str| {
        let row = |i: usize| format!("{},{}\n", [70, 85, 90, 100, 35][i % 5], ["True", "False"][i * 3 % 7 % 2]);
        format!("{header}\n{}", (0..60).map(row).collect::<String>())
    };
    let (data, summary) = open(&text("confidence,correct"));
    assert_eq!((data.view, column(&summary, "confidence").reading), (View::TopLabel, Some(Reading::Percent)));
    assert_eq!(data.confidence.as_ref().map(|all| all[0]), Some(0.7));
    // said by a person, whatever the values
    let options = OpenOptions { roles: [("confidence".to_owned(), Role::Percent)].into(), ..OpenOptions::default() };
    let (_, summary) = open_with(&[("a.csv", text("confidence,correct").as_bytes())], &options).unwrap();
    assert_eq!(column(&summary, "confidence").role, Role::Confidence);
}
