//! Reference numbers on public data sets, read from the folder named by `LOCALCAL_DATA`.

use crate::fixtures::{apart, near};
use crate::metric::auroc;
use crate::metric::binning::{BinOptions, BinScheme};
use crate::metric::brier::brier_pair;
use crate::metric::ece::{ece, mce};
use crate::metric::group::group_errors;
use crate::metric::log_loss::{LOG_LOSS_CLIP, log_loss_pair};
use crate::metric::pair::mean_target;
use crate::metric::reliability::reliability_table;
use crate::num::special::{PROB_CLIP, sigmoid};
use crate::recalibrate::logits::binary_logits;
use crate::recalibrate::temperature;

/// Named columns of a CSV file, if it is there.
pub(crate) fn columns(file: &str, names: &[&str]) -> Option<Vec<Vec<String>>> {
    let text = String::from_utf8(crate::public_files::public(file)?).expect("text");
    let mut rows = text.lines().map(fields);
    let header = rows.next().expect("a header");
    let places: Vec<usize> =
        names.iter().map(|name| header.iter().position(|h| h == name).expect("the column")).collect();
    let mut columns = vec![Vec::new(); names.len()];
    for row in rows.filter(|row| row.len() == header.len()) {
        for (column, &place) in columns.iter_mut().zip(&places) {
            column.push(row[place].clone());
        }
    }
    Some(columns)
}

fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("one field").push(c),
        }
    }
    fields
}

pub(crate) fn numbers(column: &[String]) -> Vec<f64> {
    column.iter().map(|v| v.parse().expect("a number")).collect()
}

/// Confidence and correctness of "1 iff p > 0.5".
pub(crate) fn top_label(p: &[f64], y: &[u8]) -> (Vec<f64>, Vec<u8>) {
    let c = p.iter().map(|&p| p.max(1.0 - p)).collect();
    let a = p.iter().zip(y).map(|(&p, &y)| u8::from((p > 0.5) == (y == 1))).collect();
    (c, a)
}

/// (p, y, race code) of the two-year recidivism file.
pub(crate) fn compas() -> Option<(Vec<f64>, Vec<u8>, Vec<u32>)> {
    let columns = columns("compas-scores-two-years.csv", &["decile_score", "two_year_recid", "race"])?;
    let p: Vec<f64> = numbers(&columns[0]).iter().map(|d| (d - 0.5) / 10.0).collect();
    let y: Vec<u8> = numbers(&columns[1]).iter().map(|&y| y as u8).collect();
    let mut races: Vec<&String> = columns[2].iter().collect();
    races.sort();
    races.dedup();
    let race = columns[2].iter().map(|r| races.binary_search(&r).expect("listed") as u32).collect();
    assert_eq!(p.len(), 7214);
    Some((p, y, race))
}

/// (p, y) of the heart file with the fixed score, rounded to 12 decimals.
pub(crate) fn heart() -> Option<(Vec<f64>, Vec<u8>)> {
    let columns = columns("heart.csv", &["Age", "ExerciseAngina", "Oldpeak", "HeartDisease"])?;
    let (age, oldpeak) = (numbers(&columns[0]), numbers(&columns[2]));
    let p: Vec<f64> = (0..age.len())
        .map(|i| {
            let angina = f64::from(u8::from(columns[1][i] == "Y"));
            let p = sigmoid(0.05 * (age[i] - 54.0) + 1.2 * angina + oldpeak[i] - 0.6);
            (p * 1e12).round() / 1e12
        })
        .collect();
    assert_eq!(p.len(), 918);
    Some((p, numbers(&columns[3]).iter().map(|&y| y as u8).collect()))
}

fn errors(s: &[f64], t: &[u8], bins: BinOptions) -> (Option<f64>, Option<f64>) {
    let table = reliability_table(s, t, &bins).expect("valid");
    (ece(&table), mce(&table, 1))
}

#[test]
fn compas_reference_numbers() {
    let Some((p, y, race)) = compas() else { return };
    let at = |got: Option<f64>, expected| near(got, expected, 1e-13);
    at(mean_target(&y).ok(), 0.450_651_510_950_928_76);
    at(brier_pair(&p, &y).ok(), 0.231_934_433_046_853_32);
    at(log_loss_pair(&p, &y, LOG_LOSS_CLIP).ok(), 0.688_934_176_110_421_3);
    let (e, m) = errors(&p, &y, BinOptions::equal_width(10));
    at(e, 0.108_871_638_480_731_89);
    at(m, 0.177_154_046_997_389_13);
    at(auroc(&p, &y).expect("valid"), 0.702_166_254_401_972_4);
    let (c, a) = top_label(&p, &y);
    at(mean_target(&a).ok(), 0.657_748_821_735_514_3);
    let (e, m) = errors(&c, &a, BinOptions::default());
    at(e, 0.107_360_687_551_982_16);
    at(m, 0.166_675_809_105_869_32);
    let five = BinOptions::equal_width(5);
    let (e, m) = errors(&c, &a, five);
    at(e, 0.107_360_687_551_982_25);
    at(m, 0.162_744_498_777_506_07);
    let by_race = group_errors(&c, &a, &race, &five).expect("valid");
    let expected = [
        (3696, 0.104_383_12, 0.157_755_66),
        (32, 0.046_875, 0.1125),
        (2454, 0.100_285_25, 0.164_368_77),
        (637, 0.142_935_64, 0.197_714_29),
        (18, 0.022_222_22, 0.05),
        (377, 0.144_694_96, 0.155_172_41),
    ];
    for (group, (n, e, m)) in by_race.groups.iter().zip(expected) {
        assert_eq!(group.n, n);
        near(Some(group.ece), e, 6e-9);
        near(Some(group.mce), m, 6e-9);
    }
    near(by_race.mce_max, 0.197_714_29, 6e-9);
}

#[test]
fn heart_reference_numbers() {
    let Some((p, y)) = heart() else { return };
    for (got, expected) in p.iter().zip([0.214_165_017, 0.537_429_845_3, 0.190_001_566]) {
        near(Some(*got), expected, 6e-10);
    }
    let at = |got: Option<f64>, expected| near(got, expected, 1e-9);
    let rank = |count| BinOptions::equal_width(count).with_scheme(BinScheme::EqualMassRank);
    at(brier_pair(&p, &y).ok(), 0.177_319_413_823_075_06);
    at(log_loss_pair(&p, &y, LOG_LOSS_CLIP).ok(), 0.534_917_287_880_844_2);
    let (e, m) = errors(&p, &y, BinOptions::equal_width(10));
    at(e, 0.066_912_461_442_746_8);
    at(m, 0.607_228_882_126_882_3);
    at(errors(&p, &y, BinOptions::default()).0, 0.067_340_718_272_967_22);
    // The reference cuts ties as they stand in the file.
    at(errors(&apart(&p), &y, rank(15)).0, 0.063_242_288_286_844_49);
    at(errors(&p, &y, rank(15)).0, 0.064_059_281_750_929_23);
    let (c, a) = top_label(&p, &y);
    at(mean_target(&a).ok(), 0.742_919_389_978_213_5);
    at(errors(&c, &a, BinOptions::default()).0, 0.038_449_311_647_499_05);
    at(errors(&apart(&c), &a, rank(15)).0, 0.041_829_507_935_460_794);
    at(auroc(&c, &a).expect("valid"), 0.679_379_566_578_855_9);
    let fit = temperature::fit_binary(&binary_logits(&p, PROB_CLIP), &y, &Default::default()).expect("valid");
    near(Some(fit.parameters.temperature), 1.195_488_208_5, 5e-8);
    at(Some(fit.objective_after), 0.531_297_895_240_215_1);
}
