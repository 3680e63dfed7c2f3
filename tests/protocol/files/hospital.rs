//! A hospital's export, as it is dropped: nothing is asked, and what is told of it is what its owner knows.

use crate::support::bytes::{Opened, open, open_with, roles_of};
use localcal::data::subgroup::{Among, Condition};
use localcal::data::{OpenOptions, Reading, Role, RowPolicy};

fn export(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/corpus/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn opened(name: &str, only: Vec<Condition>) -> localcal::Result<Opened> {
    open_with(&[(name, &export(name))], &OpenOptions { only: Some(only), ..OpenOptions::default() })
}

fn of(column: &str, is: Among) -> Condition {
    Condition { column: column.into(), is }
}

#[test]
fn it_opens_by_itself_and_tells_what_it_read() {
    let (data, summary) = opened("hospital.csv", Vec::new()).unwrap();
    assert_eq!(
        roles_of(&summary),
        "patient_id id, date date, age feature, sex group, ward group, bmi feature, risk probability, died label"
    );
    assert!(!summary.unsure && summary.missing.is_none());
    assert_eq!(summary.columns[6].reading, Some(Reading::Percent));
    assert_eq!(summary.positive.as_deref(), Some("Y"));
    let codes: Vec<&str> = summary.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["read_as_percent", "feature_incomplete"]);
    let told: Vec<&str> = summary.told.iter().map(|part| part.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "2,500 rows",
            "risk in percent",
            "died = Y is the event, 12.6%",
            "date 2023-01 to 2024-06",
            "bmi empty in 18.1%"
        ]
    );
    let event = summary.event.unwrap();
    assert_eq!((event.label.as_str(), event.column.as_deref(), event.rows), ("Y", Some("died"), 316));
    assert_eq!(event.share, 316.0 / 2500.0);
    assert_eq!((summary.dates[0].from.as_str(), summary.dates[0].to.as_str()), ("2023-01-02", "2024-06-29"));
    assert_eq!(summary.preview.len(), 5);
    assert_eq!(summary.preview[0], ["P104000", "2023-01-02", "60", "f", "Neurology", "", "5.3%", "N"]);
    // the other way to write the same numbers
    let (other, again) = opened("hospital_decimal_comma.csv", Vec::new()).unwrap();
    assert_eq!((other.scores, other.y), (data.scores, data.y));
    assert_eq!(again.told, summary.told);
    assert_eq!(again.preview[1][5..7], ["31.8", "41,6%"]);
}

#[test]
fn only_some_rows_are_open_and_the_others_are_counted() {
    let icu = of("ward", Among::Values(vec!["ICU".into()]));
    let (data, summary) = opened("hospital.csv", vec![icu.clone()]).unwrap();
    assert_eq!((data.rows, summary.rows), (257, 257));
    let cohort = summary.only.unwrap();
    assert_eq!((cohort.description.as_str(), cohort.of, cohort.left_out), ("ward = ICU", 2500, 2243));
    assert_eq!(summary.told[0].text, "257 of 2,500 rows: ward = ICU");
    assert_eq!(summary.event.unwrap().rows, 107);
    // a column keeps its role where the rows that are left have one value of it
    assert_eq!(summary.columns[4].role, Role::Group);
    assert_eq!(data.row_numbers[0] as usize, 1 + position(&export("hospital.csv"), "ICU"));
    let of_bmi = summary.columns[5].missing;
    assert!((30..60).contains(&of_bmi), "{of_bmi}");
    let (known, _) =
        opened("hospital.csv", vec![of("bmi", Among::Between { from: None, below: None, whole: false })]).unwrap();
    assert_eq!(known.rows, 2500 - 453);
    let span = |from: Option<&str>, before: Option<&str>| {
        of("date", Among::Dates { from: from.map(str::to_owned), before: before.map(str::to_owned) })
    };
    let (early, _) = opened("hospital.csv", vec![span(None, Some("2024-01-01"))]).unwrap();
    let (late, summary) = opened("hospital.csv", vec![span(Some("2024-01-01"), None)]).unwrap();
    assert_eq!(early.rows + late.rows, 2500);
    assert_eq!(summary.dates[0].from, "2024-01-01");
    let (both, _) = opened("hospital.csv", vec![span(Some("2024-01-01"), None), icu.clone()]).unwrap();
    assert!(both.rows > 20 && both.rows < 257);
    // dates as a person here writes them
    let (same, _) = opened("hospital.csv", vec![span(Some("01.01.2024"), None)]).unwrap();
    assert_eq!(same.rows, late.rows);
    for (condition, code) in [
        (of("ward", Among::Values(vec!["Nowhere".into()])), "empty"),
        (of("nothing", Among::Missing), "unknown_column"),
        (span(Some("soon"), None), "invalid_option"),
        (of("ward", Among::Dates { from: Some("2024".into()), before: None }), "invalid_option"),
        (of("ward", Among::Between { from: Some(1.0), below: None, whole: false }), "invalid_option"),
    ] {
        assert_eq!(opened("hospital.csv", vec![condition]).unwrap_err().code(), code);
    }
}

fn position(text: &[u8], word: &str) -> usize {
    std::str::from_utf8(text).unwrap().lines().skip(1).position(|line| line.contains(word)).unwrap()
}

#[test]
fn faults_of_rows_that_are_not_asked_for_are_none() {
    let text = "p,y,ward\n0.5,1,A\n2.5,0,B\n0.25,0,A\n,1,B\n0.75,1,A\n";
    let only = |ward: &str, rows| OpenOptions {
        only: Some(vec![of("ward", Among::Values(vec![ward.into()]))]),
        rows,
        ..OpenOptions::default()
    };
    let roles = |options: OpenOptions| OpenOptions {
        roles: [("p".to_owned(), Role::Probability), ("y".to_owned(), Role::Label)].into(),
        ..options
    };
    let open = |options| open_with(&[("a.csv", text.as_bytes())], &roles(options));
    let (data, _) = open(only("A", RowPolicy::Error)).unwrap();
    assert_eq!(data.row_numbers.as_slice(), [1, 3, 5]);
    assert_eq!(open(only("B", RowPolicy::Error)).unwrap_err().code(), "probability_out_of_range");
    assert_eq!(open(only("B", RowPolicy::Drop)).unwrap_err().code(), "empty");
    let (data, summary) = open(OpenOptions { rows: RowPolicy::Drop, ..OpenOptions::default() }).unwrap();
    assert_eq!((data.rows, summary.dropped.len()), (3, 2));
}

#[test]
fn rows_by_their_predicted_class() {
    let text = "prob_a,prob_b,prob_c,y\n0.5,0.3,0.2,a\n0.2,0.5,0.3,b\n0.1,0.2,0.7,c\n0.6,0.2,0.2,b\n";
    let only = vec![of("predicted class", Among::Values(vec!["a".into()]))];
    let (data, summary) =
        open_with(&[("a.csv", text.as_bytes())], &OpenOptions { only: Some(only), ..OpenOptions::default() }).unwrap();
    assert_eq!(data.row_numbers.as_slice(), [1, 4]);
    assert_eq!(summary.classes, 3, "classes that the others have are classes still");
}

#[test]
fn who_has_no_value_is_in_no_group() {
    use localcal::data::grouping::grouping;
    use localcal::table::MISSING as NONE;
    let text = "p,y,ward,age\n0.5,1,A,50\n0.25,0,,60\n0.25,0,B,\n0.5,1,A,50\n";
    let (data, summary) = open_with(&[("a.csv", text.as_bytes())], &OpenOptions::default()).unwrap();
    let by = |name: &str| grouping(&data, &[name.to_owned()], 4).unwrap();
    assert_eq!((by("ward").names, by("ward").code), (vec!["A".into(), "B".into()], vec![0, NONE, 1, 0]));
    assert_eq!(by("age").names, ["50", "60"]);
    assert_eq!((summary.columns[2].missing, summary.columns[3].missing), (1, 1));
}

#[test]
fn what_would_have_wrong_footed_a_person() {
    let wards: Vec<String> = (0..30).map(|k| format!("ward {k}")).collect();
    let mut text = String::from("id,born,seen,ward,lab,zip,sex,risk,died_30d\n");
    for i in 0..900 {
        let lab = if i % 90 == 7 { "unknown".to_owned() } else { format!("{}.5", i % 150) };
        text.push_str(&format!(
            "{i},{:02}/{:02}/19{},{}.{}.2024,{},{lab},{:05},{},0.{:02},{}\n",
            1 + i % 28,
            1 + i % 12,
            40 + i % 50,
            1 + i % 28,
            1 + i / 100,
            wards[i % 30],
            100 + i % 700,
            ["f", "m"][i % 2],
            1 + i % 98,
            ["no", "yes"][usize::from(i % 7 == 0)],
        ));
    }
    let (data, summary) = open(&text);
    assert_eq!(
        roles_of(&summary),
        "id id, born date, seen date, ward group, lab feature, zip ignore, sex group, risk probability, died_30d label"
    );
    assert_eq!(summary.dates.iter().map(|range| range.column.as_str()).collect::<Vec<_>>(), ["seen", "born"]);
    assert_eq!(summary.columns[4].missing, 10);
    let warning = summary.warnings.iter().find(|warning| warning.code == "texts_among_numbers").unwrap();
    assert_eq!(warning.message, "Texts among the numbers of `lab` are treated as missing: `unknown`.");
    assert!(matches!(&data.table.columns[4].values, localcal::table::Values::Numbers(_)));
    let wished = OpenOptions { roles: [("ward".to_owned(), Role::Date)].into(), ..OpenOptions::default() };
    let error = open_with(&[("a.csv", text.as_bytes())], &wished).unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("invalid_option", "The values of `ward` are not dates, or do not tell day and month apart.")
    );
}
