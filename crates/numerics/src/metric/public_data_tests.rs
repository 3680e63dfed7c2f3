//! Reference numbers on public data sets, read from the folder named by `LOCALCAL_DATA`.

use crate::fixtures::{apart, near};
use crate::metric::auroc;
use crate::metric::binning::{BinOptions, BinScheme};
use crate::metric::brier::brier_pair;
use crate::metric::ece::{ece, mce};
use crate::metric::group::group_errors;
use crate::metric::log_loss::{LOG_LOSS_CLIP, log_loss_pair};
use crate::metric::reliability::reliability_table;
use crate::num::weight::weighted_share;
use crate::reference_files::{compas, heart, top_label};

fn errors(s: &[f64], t: &[u8], bins: BinOptions) -> (Option<f64>, Option<f64>) {
    let table = reliability_table(s, t, &bins).expect("valid");
    (ece(&table), mce(&table, 1))
}

#[test]
fn compas_reference_numbers() {
    let Some((p, y, race)) = compas() else { return };
    let at = |got: Option<f64>, expected| near(got, expected, 1e-13);
    at(Some(weighted_share(&y, None)), 0.450_651_510_950_928_76);
    at(brier_pair(&p, &y).ok(), 0.231_934_433_046_853_32);
    at(log_loss_pair(&p, &y, LOG_LOSS_CLIP).ok(), 0.688_934_176_110_421_3);
    let (e, m) = errors(&p, &y, BinOptions::equal_width(10));
    at(e, 0.108_871_638_480_731_89);
    at(m, 0.177_154_046_997_389_13);
    at(auroc(&p, &y).expect("valid"), 0.702_166_254_401_972_4);
    let (c, a) = top_label(&p, &y);
    at(Some(weighted_share(&a, None)), 0.657_748_821_735_514_3);
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
    at(Some(weighted_share(&a, None)), 0.742_919_389_978_213_5);
    at(errors(&c, &a, BinOptions::default()).0, 0.038_449_311_647_499_05);
    at(errors(&apart(&c), &a, rank(15)).0, 0.041_829_507_935_460_794);
    at(auroc(&c, &a).expect("valid"), 0.679_379_566_578_855_9);
}
