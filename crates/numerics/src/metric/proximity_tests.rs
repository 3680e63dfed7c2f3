//! Metrics of proximity: the piece-wise error and the bias index, by hand, on the heart file and by property.

#![allow(clippy::unwrap_used)]
use proptest::prelude::*;

use super::bias_index::{MatchedPairs, Replacement, bias_index, fair_p, matched_pairs, pairs_between};
use super::binning::{BinOptions, BinScheme, Binning};
use super::ece::ece;
use super::piece::{piece, piece_cells, piece_of};
use super::reliability::{reliability_bins, reliability_table};
use crate::fixtures::{apart, close, f8_top, near};
use crate::proximity::measure::Form;
use crate::proximity::tests::{F8_X, exp};
use crate::reference_files::{heart_proximity, own_log_proximity};

#[test]
fn f8_piece() {
    let (s, t) = f8_top();
    let ln_d = own_log_proximity(&F8_X, 2, 2, Form::Paper);
    // Three rows of one proximity in each half: the reference cuts them as they stand, here they share a cell.
    let cells = piece_cells(&s, &apart(&ln_d), Form::Paper, (2, 2)).unwrap();
    close(piece_of(&cells, &s, &t).ok(), 0.225);
    let cells = piece_cells(&s, &ln_d, Form::Paper, (2, 2)).unwrap();
    assert_eq!(cells, [3, 3, 3, 0, 0, 0, 1, 2]);
    close(piece_of(&cells, &s, &t).ok(), 0.2);
    let halves = BinOptions::equal_width(2).with_scheme(BinScheme::EqualMassRank);
    close(ece(&reliability_table(&s, &t, &halves).unwrap()), 0.1875);
    let cells = piece_cells(&s, &ln_d, Form::Code, (5, 2)).unwrap();
    close(piece_of(&cells, &s, &t).ok(), 0.35);
    let five = BinOptions::equal_width(5);
    close(ece(&reliability_table(&s, &t, &five).unwrap()), 0.3375);
    let d = exp(&ln_d);
    let halves = BinOptions::equal_width(2).with_scheme(BinScheme::EqualMassQuantile);
    near(Some(halves.bin_edges(&d).unwrap().edges[1]), 0.396_889_15, 6e-9);
}

#[test]
fn no_gap_by_confidence_may_hide_one_by_proximity() {
    // Half the rows at D = .2 are right half of the time, half at D = .8 nine times of ten; all say .7.
    let (mut t, mut d) = (Vec::new(), Vec::new());
    for i in 0..40 {
        let far = i % 2 == 0;
        let right = if far { i % 4 == 0 } else { i != 1 && i != 3 };
        t.push(u8::from(right));
        d.push(if far { 0.2f64 } else { 0.8 });
    }
    let s = vec![0.7; 40];
    close(ece(&reliability_table(&s, &t, &BinOptions::default()).unwrap()).map(|e| e + 1.0), 1.0);
    close(piece(&s, &t, &d, Form::Code).ok(), 0.2);
    let cells = piece_cells(&s, &d, Form::Paper, (1, 2)).unwrap();
    close(piece_of(&cells, &s, &t).ok(), 0.2);
}

/// The one row that stands for a side in each pair.
fn members(pairs: &MatchedPairs, side: usize) -> Vec<u32> {
    let each = pairs.members(side).map(|rows| match rows {
        [row] => *row,
        rows => panic!("tied: {rows:?}"),
    });
    each.collect()
}

#[test]
fn tied_rows_of_a_side_count_alike() {
    // High: .7 (right), .5 (wrong); low: .5 (right), .5 (wrong), and .7 written as 1 − .3.
    let s = [0.7, 0.5, 0.5, 0.5, 1.0 - 0.3];
    let t = [1, 0, 1, 0, 0];
    let found =
        |s: &[f64], t: &[u8], low: &[u32]| bias_index(&pairs_between(s, &[0, 1], low, Replacement::With, 0), s, t);
    let one = found(&s, &t, &[2, 3, 4]);
    // high: .7, .5 and back .5, .5, .7; low: .7, ½ of the tie at .5, and back ½, ½, .7
    close(Some(one.rate[0]), 2.0 / 5.0);
    close(Some(one.rate[1]), 1.5 / 5.0);
    assert_eq!(one, found(&s, &t, &[4, 3, 2]));
    let other_order = found(&s, &[1, 0, 0, 1, 0], &[2, 3, 4]);
    assert_eq!(one, other_order);
}

#[test]
fn worked_bias_index() {
    let s = [0.91, 0.82, 0.73, 0.64, 0.99, 0.90, 0.80, 0.70, 0.60, 0.40];
    let t = [1, 1, 1, 1, 1, 0, 1, 0, 0, 0];
    let (high, low) = ([0, 1, 2, 3, 4], [5, 6, 7, 8, 9]);
    let pairs = pairs_between(&s, &high, &low, Replacement::With, 0);
    assert_eq!(pairs.len(), 8);
    let found = bias_index(&pairs, &s, &t);
    close(found.index, 0.75);
    close(found.z, 3.0);
    near(found.p, 0.002_699_796_1, 5e-11);
    near(found.z_plain, 2.520_504_151_2, 1e-10);
    near(found.p_plain, 0.011_718_685_6, 5e-11);
    close(Some(found.score[0]), 0.775);
    close(Some(found.score[1]), 0.75);
    let once = pairs_between(&s, &high, &low, Replacement::Without, 0);
    assert_eq!(members(&once, 0), [0, 1, 2, 3]);
    assert_eq!(members(&once, 1), [5, 6, 7, 8]);
    let swapped = bias_index(&pairs_between(&s, &low, &high, Replacement::With, 0), &s, &t);
    assert_eq!((swapped.index, swapped.z), (Some(-0.75), Some(-3.0)));
}

#[test]
fn nothing_to_compare() {
    let empty = bias_index(&MatchedPairs::default(), &[], &[]);
    assert_eq!((empty.index, empty.z, empty.pairs), (None, None, 0));
    // One outcome only: no difference, and nothing to test.
    let (s, nearness) = ([0.5; 10], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let pairs = matched_pairs(&s, &nearness, Replacement::With, 0).unwrap();
    let same = bias_index(&pairs, &s, &[1; 10]);
    assert_eq!((same.index, same.z, same.p, same.z_plain), (Some(0.0), None, None, None));
    // Scores that do not overlap in the outer two of five groups do in those of three.
    let s = [0.1, 0.2, 0.3, 0.9, 0.4, 0.5, 0.2, 0.8, 0.85, 0.95];
    assert_eq!(matched_pairs(&s, &nearness, Replacement::With, 0).unwrap().groups, 3);
    let error = matched_pairs(&s, &nearness[1..], Replacement::With, 0).unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), ("length_mismatch", "10 scores against 9 targets"));
}

#[test]
fn scores_at_the_edge_of_the_caliper_are_paired() {
    let s = [0.55, 0.5, 0.4, 0.451];
    let pairs = pairs_between(&s, &[0, 2], &[1, 3], Replacement::With, 0);
    assert_eq!((members(&pairs, 0), members(&pairs, 1)), (vec![0, 0], vec![1, 1]));
}

#[test]
fn of_many_rows_ten_thousand_are_drawn() {
    let n = 60_000;
    let nearness: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % n)).collect();
    let s: Vec<f64> = (0..n).map(|i| f64::from(i * 31 % 997) / 996.0).collect();
    let pairs = matched_pairs(&s, &nearness, Replacement::With, 5).unwrap();
    assert_eq!(pairs.len(), 20_000);
    assert!(pairs.members(0).flatten().all(|&row| nearness[row as usize] >= 48_000.0));
    assert_eq!(pairs, matched_pairs(&s, &nearness, Replacement::With, 5).unwrap());
    assert_ne!(pairs, matched_pairs(&s, &nearness, Replacement::With, 6).unwrap());
}

#[test]
fn heart_reference_numbers() {
    let Some((c, a, ln_d)) = heart_proximity() else {
        return;
    };
    let d = exp(&ln_d);
    for (got, expected) in d.iter().zip([0.500_841_850_8, 0.339_851_201_7, 0.282_472_379_2]) {
        near(Some(*got), expected, 6e-11);
    }
    near(Some(d.iter().sum::<f64>() / 918.0), 0.435_817_906_2, 6e-11);
    // The reference cuts ties as they stand in the file.
    let cells = piece_cells(&apart(&c), &apart(&ln_d), Form::Paper, (15, 10)).unwrap();
    near(piece_of(&cells, &c, &a).ok(), 0.142_399_191_297_694, 1e-9);
    near(piece(&c, &a, &ln_d, Form::Paper).ok(), 0.141_885_023_514_495_56, 1e-9);
    near(piece(&c, &a, &ln_d, Form::Code).ok(), 0.110_115_405_448_936_43, 1e-9);
}

fn rows() -> impl Strategy<Value = Vec<(f64, bool, f64)>> {
    let score = prop_oneof![0.0..1.0_f64, (0..=100_u32).prop_map(|k| f64::from(k) / 100.0)];
    let ln_d = prop_oneof![-9.0..0.0_f64, (0..6_u32).prop_map(|k| -f64::from(k))];
    proptest::collection::vec((score, any::<bool>(), ln_d), 1..160)
}

proptest! {
    #[test]
    fn piece_lies_between_ece_and_the_mean_gap(rows in rows()) {
        let s: Vec<f64> = rows.iter().map(|r| r.0).collect();
        let t: Vec<u8> = rows.iter().map(|r| u8::from(r.1)).collect();
        let ln_d: Vec<f64> = rows.iter().map(|r| r.2).collect();
        let most = s.iter().zip(&t).map(|(s, &t)| (s - f64::from(t)).abs()).sum::<f64>() / s.len() as f64;
        for (form, scheme) in [(Form::Paper, BinScheme::EqualMassRank), (Form::Code, BinScheme::EqualWidth)] {
            // Of tied scores, the bin that they share.
            let bins = BinOptions::default().with_scheme(scheme).binning(&s).unwrap();
            let bins = Binning { ranked: None, ..bins };
            let ece = ece(&reliability_bins(&s, &t, &bins).unwrap()).unwrap();
            let found = piece(&s, &t, &ln_d, form).unwrap();
            prop_assert!(ece <= found + 1e-12 && found <= most + 1e-12);
            let one = piece_cells(&s, &ln_d, form, (15, 1)).unwrap();
            prop_assert!((piece_of(&one, &s, &t).unwrap() - ece).abs() < 1e-12);
            // Only the order of proximities counts, where the order survives.
            let d: Vec<f64> = ln_d.iter().map(|v| v.exp()).collect();
            prop_assert_eq!(piece(&s, &t, &d, form).unwrap(), found);
        }
    }

    #[test]
    fn swapping_the_sides_changes_the_sign(rows in proptest::collection::vec((0.0..1.0_f64, any::<bool>()), 1..24)) {
        let rows: Vec<_> = rows.iter().cycle().take(rows.len() * 5).collect();
        let s: Vec<f64> = rows.iter().map(|r| r.0).collect();
        let t: Vec<u8> = rows.iter().map(|r| u8::from(r.1)).collect();
        let near: Vec<f64> = (0..s.len()).map(|i| ((i * 37) % 1009) as f64).collect();
        let far: Vec<f64> = near.iter().map(|v| -v).collect();
        for replacement in [Replacement::With, Replacement::Without] {
            let one = matched_pairs(&s, &near, replacement, 1).unwrap();
            let two = matched_pairs(&s, &far, replacement, 1).unwrap();
            let (one, two) = (bias_index(&one, &s, &t), bias_index(&two, &s, &t));
            prop_assert_eq!(one.index.map(|v| v + 0.0), two.index.map(|v| 0.0 - v));
            prop_assert_eq!(one.z.map(|v| v + 0.0), two.z.map(|v| 0.0 - v));
            prop_assert!((one.score[0] - one.score[1]).abs() <= 0.05 + 1e-9);
        }
    }
}

/// A row that stands in five pairs is one row: the rank-sum test takes it for five.
#[test]
fn a_row_counts_once_however_many_pairs_it_stands_in() {
    let s = vec![0.5; 25];
    let mut t = vec![1; 20];
    t.extend([0; 5]);
    let (high, low): (Vec<u32>, Vec<u32>) = ((0..20).collect(), (20..25).collect());
    let pairs = pairs_between(&s, &high, &low, Replacement::With, 0);
    assert_eq!(pairs.len(), 25);
    let fair = fair_p(&pairs, &s, &t).unwrap();
    let naive = bias_index(&pairs, &s, &t).p.unwrap();
    assert!(naive < 1e-10 && fair > 1e-4 && fair < 0.01, "{naive} {fair}");
    assert_eq!(fair_p(&MatchedPairs::default(), &s, &t), None);
    // the same error on both sides is no proximity bias
    let alike: Vec<u8> = (0..25).map(|k| u8::from(k % 5 == 0)).collect();
    assert!(fair_p(&pairs, &[0.95; 25], &alike).unwrap() > 0.5);
}
