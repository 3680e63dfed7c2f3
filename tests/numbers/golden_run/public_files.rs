//! Reference numbers on public data sets.

use serde_json::json;

use crate::support::pipeline::{Opened, near, open};
use crate::support::public_columns::columns;

/// p = (decile − 0.5)/10, y, age / 10, priors, race, sex of the first `rows` rows, as CSV.
fn compas(rows: usize) -> Option<String> {
    let table = columns(
        "compas-scores-two-years.csv",
        &["decile_score", "two_year_recid", "age", "priors_count", "race", "sex"],
    )?;
    assert_eq!(table.len(), 7214);
    let mut text = String::from("p,y,age,priors_count,race,sex\n");
    for row in table.iter().take(rows) {
        let number = |k: usize| row[k].parse::<f64>().unwrap();
        let (p, age) = ((number(0) - 0.5) / 10.0, number(2) / 10.0);
        text += &format!("{p},{},{age},{},{},{}\n", row[1], row[3], row[4], row[5]);
    }
    Some(text)
}

const PLACES: [&str; 2] = ["age", "priors_count"];

fn all(data: &Opened, bins: usize) -> crate::support::pipeline::Ran {
    data.run(json!({ "evaluate_on": "all", "bins": bins, "resamples": 0 }))
}

#[test]
fn compas_in_both_views() {
    let Some(text) = compas(usize::MAX) else {
        return;
    };
    let data = open(&text, json!({}));
    let ran = all(&data, 10);
    for (id, expected) in [
        ("brier", 0.231_934_433_046_853_32),
        ("nll", 0.688_934_176_110_421_3),
        ("ece", 0.108_871_638_480_731_89),
        ("mce", 0.177_154_046_997_389_13),
        ("auroc", 0.702_166_254_401_972_4),
        ("accuracy", 0.657_748_821_735_514_3),
    ] {
        near(ran.value("none", id), expected, 1e-13);
    }
    let rows = ran.rows("none");
    let rate = rows.target.iter().map(|&t| f64::from(t)).sum::<f64>() / rows.target.len() as f64;
    near(rate, 0.450_651_510_950_928_76, 1e-15);

    let top = open(&text, json!({ "view": "top_label" }));
    let (fifteen, five) = (all(&top, 15), all(&top, 5));
    near(fifteen.value("none", "accuracy"), 0.657_748_821_735_514_3, 1e-13);
    near(fifteen.value("none", "ece"), 0.107_360_687_551_982_16, 1e-13);
    near(fifteen.value("none", "mce"), 0.166_675_809_105_869_32, 1e-13);
    near(five.value("none", "ece"), 0.107_360_687_551_982_25, 1e-13);
    near(five.value("none", "mce"), 0.162_744_498_777_506_07, 1e-13);
}

#[test]
fn compas_locally() {
    let Some(text) = compas(2000) else { return };
    let data = open(&text, json!({ "view": "top_label" }));
    for (gamma, mlce, mean, tolerance) in [
        (0.2, 0.905_000_501_379_450_1, 0.139_144_109_327_677_57, 1e-12),
        (0.4, 0.705_500_247_8, 0.118_448_497_9, 6e-11),
        (2.0, 0.412_696_422_9, 0.108_271_882_568, 6e-11),
        (1e9, 0.160_725_893_9, 0.104_2, 2e-9),
    ] {
        let local = json!({ "features": PLACES, "gamma": gamma });
        let ran = data.run(json!({ "evaluate_on": "all", "bins": 5, "resamples": 0, "local": local }));
        near(ran.value("none", "mlce"), mlce, tolerance);
        near(ran.value("none", "mean_lce"), mean, tolerance);
    }
}

#[test]
fn compas_recalibrated_locally() {
    let Some(text) = compas(4000) else { return };
    let data = open(&text, json!({ "view": "top_label", "split": { "first": 2000 } }));
    let ran = data.run(json!({
        "bins": 5, "resamples": 0, "methods": ["none", "lore"], "local": { "features": PLACES, "gamma": 0.4 },
    }));
    assert_eq!(ran.outcome().report.data.calibration_rows, 2000);
    assert_eq!(ran.outcome().report.data.evaluation_rows, 2000);
    let score = &ran.rows("lore").score;
    near(score.iter().sum::<f64>() / 2000.0, 0.668_412_153_693_755_1, 1e-13);
    for (ours, theirs) in score.iter().zip([0.526_558_291_8, 0.667_347_203_7, 0.740_832_625_7]) {
        near(*ours, theirs, 6e-11);
    }
    near(ran.value("none", "ece"), 0.113_649_999_999_999_89, 1e-12);
    near(ran.value("lore", "ece"), 0.021_881_984_096_786_49, 1e-12);
    near(ran.value("none", "brier_top"), 0.234_56, 1e-12);
    near(ran.value("lore", "brier_top"), 0.217_439_888_685_366_62, 1e-12);
    near(ran.value("lore", "accuracy"), ran.value("none", "accuracy"), 0.0);
}

#[test]
fn heart() {
    let Some(table) = columns("heart.csv", &["Age", "ExerciseAngina", "Oldpeak", "HeartDisease"]) else {
        return;
    };
    let p: Vec<f64> = table
        .iter()
        .map(|row| {
            let number = |k: usize| row[k].parse::<f64>().unwrap();
            let u = 0.05 * (number(0) - 54.0) + 1.2 * f64::from(u8::from(row[1] == "Y")) + number(2) - 0.6;
            (1e12 / (1.0 + (-u).exp())).round() / 1e12
        })
        .collect();
    let mut text = String::from("p,y\n");
    let mut top = String::from("confidence,correct\n");
    for (p, row) in p.iter().zip(&table) {
        text += &format!("{p},{}\n", row[3]);
        let c = (p.max(1.0 - p) * 1e12).round() / 1e12;
        top += &format!("{c},{}\n", u8::from((*p > 0.5) == (row[3] == "1")));
    }
    let data = open(&text, json!({}));
    let ran = all(&data, 10);
    near(ran.value("none", "brier"), 0.177_319_413_823_075_06, 1e-12);
    near(ran.value("none", "nll"), 0.534_917_287_880_844_2, 1e-12);
    near(ran.value("none", "ece"), 0.066_912_461_442_767_81, 1e-12);
    near(ran.value("none", "mce"), 0.607_228_882_126_882_3, 1e-12);
    near(all(&data, 15).value("none", "ece"), 0.067_340_718_272_977_22, 1e-12);
    let rank = json!({ "count": 15, "scheme": "equal_mass_rank" });
    let ranked =
        |data: &Opened| data.run(json!({ "evaluate_on": "all", "bins": rank, "resamples": 0 })).value("none", "ece");
    // with the mean outcome of tied scores; 0.063242288 where they are cut in the order of the file
    near(ranked(&data), 0.064_059_281_750_929_23, 1e-9);

    // The temperature fitted on every row, as exported, and the NLL that it reaches.
    let fits = data.calibrators(&data.run(json!({ "methods": ["temperature"], "resamples": 0 })));
    let t = fits["temperature"]["temperature"].as_f64().unwrap();
    near(t, 1.195_488_182_581_694, 1e-9);
    let after: String = p.iter().zip(&table).fold("p,y\n".to_owned(), |text, (p, row)| {
        text + &format!("{},{}\n", 1.0 / (1.0 + (-(p / (1.0 - p)).ln() / t).exp()), row[3])
    });
    near(all(&open(&after, json!({})), 15).value("none", "nll"), 0.531_297_895_240_215_1, 1e-12);

    let top = open(&top, json!({}));
    let ran = all(&top, 15);
    near(ran.value("none", "accuracy"), 0.742_919_389_978_213_5, 1e-12);
    near(ran.value("none", "ece"), 0.038_449_311_647_499_05, 1e-12);
    near(ran.value("none", "auroc"), 0.679_379_566_578_855_9, 1e-12);
    // likewise; 0.041829508 with ties cut
    near(ranked(&top), 0.044_299_380_698_028_13, 1e-9);
}
