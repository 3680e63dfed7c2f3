//! Properties that hold for any scores and targets.

use ndarray::Array2;
use proptest::prelude::*;

use crate::fixtures::matrix;
use crate::metric::auroc;
use crate::metric::binning::{BinOptions, BinScheme};
use crate::metric::brier::{brier_decomposition, brier_pair, brier_sum};
use crate::metric::classwise::{ClasswiseOptions, classwise_ece};
use crate::metric::corp::corp;
use crate::metric::ece::{ece, ece_lp, ece_unweighted, mce, mce_weighted};
use crate::metric::group::group_errors;
use crate::metric::kce::kce_pair;
use crate::metric::ks::ks;
use crate::metric::log_loss::{LOG_LOSS_CLIP, log_loss, log_loss_pair};
use crate::metric::mean_gap::mean_gap;
use crate::metric::mmce::mmce;
use crate::metric::prr::{RejectionArea, prr};
use crate::metric::reliability::{reliability_bins, reliability_table};
use crate::metric::smooth_ece::smooth_ece_at;

/// Scores on and between bin edges, with targets and groups.
pub(crate) fn rows() -> impl Strategy<Value = Vec<(f64, u8, u32)>> {
    let score = prop_oneof![
        0.0..=1.0_f64,
        (0..=100_u32).prop_map(|k| f64::from(k) / 100.0),
        (0..=15_u32).prop_map(|k| f64::from(k) / 15.0),
        Just(0.0),
        Just(0.5),
        Just(1.0),
    ];
    proptest::collection::vec((score, 0..2_u8, 0..4_u32), 1..200)
}

pub(crate) fn split(rows: &[(f64, u8, u32)]) -> (Vec<f64>, Vec<u8>, Vec<u32>) {
    (rows.iter().map(|r| r.0).collect(), rows.iter().map(|r| r.1).collect(), rows.iter().map(|r| r.2).collect())
}

fn two_columns(p: &[f64]) -> Array2<f64> {
    matrix(2, p.iter().flat_map(|&p| [1.0 - p, p]).collect()).to_array()
}

/// Every metric that looks at rows as a set.
fn everything(s: &[f64], t: &[u8], g: &[u32]) -> Vec<Option<f64>> {
    let mut all = Vec::new();
    for bins in [BinOptions::default(), BinOptions::equal_width(7).with_scheme(BinScheme::EqualMassQuantile)] {
        let table = reliability_table(s, t, &bins).expect("valid");
        all.extend([
            ece(&table),
            ece_lp(&table, 2.0),
            ece_lp(&table, 3.0),
            ece_unweighted(&table),
            mce(&table, 1),
            mce_weighted(&table),
        ]);
    }
    let by_group = group_errors(s, t, g, &BinOptions::default()).expect("valid");
    all.extend([by_group.ece_mean, by_group.ece_weighted, by_group.mce_max]);
    let (p, y): (Array2<f64>, Vec<u32>) = (two_columns(s), t.iter().map(|&t| u32::from(t)).collect());
    let classes = classwise_ece(p.view(), &y, &BinOptions::default(), &ClasswiseOptions::default()).expect("valid");
    all.extend([classes.mean, brier_sum(p.view(), &y).ok(), log_loss(p.view(), &y, LOG_LOSS_CLIP).ok()]);
    all.extend([
        brier_pair(s, t).ok(),
        log_loss_pair(s, t, LOG_LOSS_CLIP).ok(),
        mean_gap(s, t).ok(),
        auroc(s, t).expect("valid"),
    ]);
    all
}

fn assert_same(a: &[Option<f64>], b: &[Option<f64>]) -> std::result::Result<(), TestCaseError> {
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        match (a, b) {
            (Some(a), Some(b)) => {
                prop_assert!((a - b).abs() < 1e-11, "metric {}: {} against {}", i, a, b)
            }
            _ => prop_assert_eq!(a, b),
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn row_order_does_not_matter((rows, shuffled) in rows().prop_flat_map(|r| (Just(r.clone()), Just(r).prop_shuffle()))) {
        let (s, t, g) = split(&rows);
        let (s2, t2, g2) = split(&shuffled);
        assert_same(&everything(&s, &t, &g), &everything(&s2, &t2, &g2))?;
    }

    #[test]
    fn duplicated_rows_do_not_matter(rows in rows()) {
        let (s, t, g) = split(&rows);
        let twice: Vec<_> = rows.iter().chain(&rows).copied().collect();
        let (s2, t2, g2) = split(&twice);
        let (once, twice) = (everything(&s, &t, &g), everything(&s2, &t2, &g2));
        // Percentiles between two rows move when rows are doubled: quantile bins (6..12) are not compared.
        assert_same(&once[..6], &twice[..6])?;
        assert_same(&once[12..], &twice[12..])?;
    }

    #[test]
    fn errors_are_ordered(rows in rows(), count in 1..30_usize) {
        let (s, t, _) = split(&rows);
        let table = reliability_table(&s, &t, &BinOptions::equal_width(count)).expect("valid");
        let at = |v: Option<f64>| v.expect("rows");
        let (e, m, w) = (at(ece(&table)), at(mce(&table, 1)), at(mce_weighted(&table)));
        prop_assert!(0.0 <= w && w <= e + 1e-15 && e <= m + 1e-15 && m <= 1.0);
        let absolute: f64 = s.iter().zip(&t).map(|(s, &t)| (s - f64::from(t)).abs()).sum::<f64>() / s.len() as f64;
        prop_assert!(e <= absolute + 1e-12);
        prop_assert!(mean_gap(&s, &t).expect("rows").abs() <= e + 1e-12);
        prop_assert!(e <= at(ece_lp(&table, 2.0)) + 1e-12 && at(ece_lp(&table, 2.0)) <= m + 1e-12);
        if count == 1 {
            prop_assert!((e - mean_gap(&s, &t).expect("rows").abs()).abs() < 1e-12);
        }
    }

    #[test]
    fn finer_partitions_see_more(rows in rows(), count in 1..12_usize) {
        let (s, t, g) = split(&rows);
        let fine = BinOptions::equal_width(2 * count).binning(&s).expect("valid");
        let mut coarse = fine.clone();
        coarse.assignment.iter_mut().for_each(|b| *b /= 2);
        let at = |binning| ece(&reliability_bins(&s, &t, binning).expect("valid")).expect("rows");
        prop_assert!(at(&coarse) <= at(&fine) + 1e-12);
        let bins = BinOptions::equal_width(count);
        let table = reliability_table(&s, &t, &bins).expect("valid");
        let by_group = group_errors(&s, &t, &g, &bins).expect("valid");
        prop_assert!(by_group.ece_weighted.expect("rows") >= ece(&table).expect("rows") - 1e-12);
        prop_assert!(by_group.mce_max.expect("rows") >= mce(&table, 1).expect("rows") - 1e-12);
        let one = group_errors(&s, &t, &vec![3; s.len()], &bins).expect("valid");
        prop_assert_eq!(one.mce_max, mce(&table, 1));
    }

    #[test]
    fn the_brier_score_splits_exactly(rows in rows(), count in 1..20_usize, rank in any::<bool>()) {
        let (s, t, _) = split(&rows);
        let scheme = if rank { BinScheme::EqualMassRank } else { BinScheme::EqualWidth };
        let binning = BinOptions::equal_width(count).with_scheme(scheme).binning(&s).expect("valid");
        let score = brier_pair(&s, &t).expect("rows");
        prop_assert!((brier_decomposition(&s, &t, &binning).expect("rows").score() - score).abs() < 1e-12);
        let y: Vec<u32> = t.iter().map(|&t| u32::from(t)).collect();
        prop_assert!((brier_sum(two_columns(&s).view(), &y).expect("rows") - 2.0 * score).abs() < 1e-12);
    }

    #[test]
    fn errors_without_bins_see_rows_as_a_set((rows, shuffled) in rows().prop_flat_map(|r| (Just(r.clone()), Just(r).prop_shuffle()))) {
        let (s, t, _) = split(&rows);
        let (s2, t2, _) = split(&shuffled);
        let of = |s: &[f64], t: &[u8]| [
            ks(s, t).expect("rows"),
            mmce(s, t).expect("rows").squared,
            mmce(s, t).expect("rows").weighted_squared,
            smooth_ece_at(s, t, 0.1).expect("rows"),
            kce_pair(s, t, 2.5).expect("rows").biased,
            corp(s, t).expect("rows").miscalibration,
            prr(s, t, RejectionArea::Trapezoid).expect("rows").unwrap_or(0.0),
        ];
        let once = of(&s, &t);
        for (a, b) in once.iter().zip(of(&s2, &t2)) {
            prop_assert!((a - b).abs() < 1e-10, "{} {}", a, b);
        }
        // Twice the rows is the same set; an estimate that leaves the diagonal out is another.
        let (s2, t2) = (s.repeat(2), t.repeat(2));
        for (k, (a, b)) in once.iter().zip(of(&s2, &t2)).take(6).enumerate() {
            prop_assert!((a - b).abs() < 1e-10, "{}: {} {}", k, a, b);
        }
        let gap = mean_gap(&s, &t).expect("rows").abs();
        prop_assert!(gap <= once[0] + 1e-12);
        let (few, many) = (kce_pair(&s, &t, 2.5).expect("rows"), kce_pair(&s2, &t2, 2.5).expect("rows"));
        if let (Some(few), Some(many), true) = (few.unbiased, many.unbiased, few.diagonal - few.biased > 1e-6) {
            prop_assert!((few - many).abs() > 0.0);
        }
    }
}
