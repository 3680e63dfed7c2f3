use super::*;
use crate::fixtures::{f8_top, near};
use crate::kernel::{Part, Points};
use ndarray::{Array2, aview2};

/// φ of F8.
const F8_X: [f64; 16] = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 2.0, 0.5, 0.5, 3.0, 3.0];

pub(super) fn sample(p: &[f64], y: &[u8], x: &[f64], d: usize, kernel: KlceKernel) -> KlceSample {
    KlceSample::pairs(p, y, Points::row_major(d, x).expect("places"), kernel).expect("a sample")
}

fn kernel(gamma: f64, gamma_p: f64) -> KlceKernel {
    KlceKernel { width_p: 1.0 / gamma_p.sqrt(), gamma }
}

pub(super) fn f8(gamma: f64, gamma_p: f64) -> KlceSample {
    let (c, a) = f8_top();
    sample(&c, &a, &F8_X, 2, kernel(gamma, gamma_p))
}

pub(super) fn squared_residuals(sample: &KlceSample) -> f64 {
    sample.residuals().iter().map(|e| e * e).sum()
}

pub(super) fn klce(sample: &KlceSample) -> (PairSums, Klce) {
    let sums = pair_sums(sample, Part::WHOLE);
    (sums, Klce::new(sample.n(), &sums, squared_residuals(sample)))
}

/// Table of the specification, 4.1, to its printed digits.
#[test]
fn eight_rows_worked_by_hand() {
    for (gamma, gamma_p, t, paper, code, v) in [
        (0.5, 100.0, -0.325_955_048_808_116_43, -0.005_820_625_871_573_508, -0.032_449_031_424_198_42, 0.026_156_95),
        (0.5, 0.0, -0.977_982_009_368_912, -0.017_463_964_453_016_286, -0.048_791_339_145_868_16, 0.015_969_03),
        (0.0, 100.0, -0.156_313_035_869_338_3, -0.002_791_304_211_952_47, -0.009_548_435_609_739_8, 0.028_807_61),
        (0.0, 0.0, -1.75, -0.031_25, -0.031_25, 0.003_906_25),
    ] {
        let (sums, found) = klce(&f8(gamma, gamma_p));
        near(Some(sums.statistic), t, 1e-14);
        near(found.unbiased, paper, 1e-16);
        near(found.normalized, code, 1e-15);
        near(Some(found.biased), v, 5e-9);
    }
    near(Some(klce(&f8(0.5, 100.0)).0.mass), 3.480_159_481_829_794_3, 1e-14);
}

pub(super) fn tiny() -> KlceSample {
    let p = [0.2, 0.4, 0.6, 0.8];
    sample(&p, &[0, 1, 0, 1], &[0.0, 1.0, 0.0, 1.0], 1, kernel(1.0, 4.0))
}

/// The tiny exact case of the specification, 4.2.
#[test]
fn four_rows_worked_by_hand() {
    let (sums, found) = klce(&tiny());
    near(Some(sums.statistic), -0.130_055_921_635_421_68, 1e-15);
    near(found.unbiased, -0.010_837_993_469_618_473, 1e-16);
    near(found.normalized, -0.021_239_492_835_936_13, 1e-15);
}

#[test]
fn a_single_row_has_no_pairs() {
    let (sums, found) = klce(&sample(&[0.3], &[1], &[5.0], 1, kernel(1.0, 4.0)));
    assert_eq!(sums, PairSums::default());
    assert_eq!((found.unbiased, found.normalized), (None, None));
    assert_eq!(found.debiased_ratio, None);
    near(Some(found.biased), 0.49, 1e-15);
}

#[test]
fn out_of_reach_is_zero_and_nothing_is_not_a_number() {
    for far in [1e3, 1e150, 1e300] {
        let x = [0.0, far, -far, 0.0];
        let (sums, found) = klce(&sample(&[0.2, 0.4, 0.6, 0.2], &[0, 1, 0, 1], &x, 1, kernel(1e9, 4.0)));
        // Only the first row and the last are equal.
        near(Some(sums.mass), 2.0, 1e-12);
        near(Some(sums.statistic), 2.0 * -0.2 * 0.8, 1e-12);
        assert!(found.normalized.is_some_and(f64::is_finite));
    }
}

#[test]
fn parts_add_up() {
    let n = 333;
    let p: Vec<f64> = (0..n).map(|i| f64::from((i * 37) % 101) / 100.0).collect();
    let y: Vec<u8> = (0..n).map(|i| u8::from((i * 7) % 3 == 0)).collect();
    let x: Vec<f64> = (0..2 * n).map(|i| f64::from((i * 53) % 17)).collect();
    let sample = sample(&p, &y, &x, 2, kernel(0.5, 100.0));
    let whole = pair_sums(&sample, Part::WHOLE);
    for of in [2, 5, 40] {
        let mut sums = PairSums::default();
        (0..of).for_each(|index| sums.add(&pair_sums(&sample, Part { index, of })));
        assert!((sums.statistic - whole.statistic).abs() < 1e-10);
        assert!((sums.mass - whole.mass).abs() < 1e-8);
    }
}

#[test]
fn faults_say_what_is_wrong() {
    let x = [0.0, 1.0];
    let places = Points::row_major(1, &x).expect("places");
    let ok = KlceKernel::usual(1);
    let says = |error: crate::Error| (error.code(), error.to_string());
    let (code, text) = says(KlceSample::pairs(&[0.5], &[1], places, ok).expect_err("short"));
    assert_eq!((code, text.as_str()), ("length_mismatch", "2 rows with covariates where 1 are needed."));
    let (code, text) = says(KlceSample::pairs(&[0.5, 1.5], &[1, 0], places, ok).expect_err("p"));
    assert_eq!((code, text.as_str()), ("probability_out_of_range", "Row 2 has a probability of 1.5."));
    let (code, text) = says(KlceSample::vectors(aview2(&[[0.5; 2]; 2]), &[0, 2], places, ok).expect_err("y"));
    assert_eq!((code, text.as_str()), ("label_out_of_range", "Row 2 has class 2 of 2."));
    let none = Points::row_major(1, &[]).expect("places");
    let (code, text) = says(KlceSample::pairs(&[], &[], none, ok).expect_err("empty"));
    assert_eq!((code, text.as_str()), ("empty", "There are no rows to test."));
    for (kernel, text) in [
        (KlceKernel { width_p: 0.0, gamma: 1.0 }, "width_p is 0; it must be positive."),
        (KlceKernel { width_p: 0.1, gamma: -1.0 }, "gamma is -1; it must be a number from 0 upwards."),
        (KlceKernel { width_p: 0.1, gamma: f64::NAN }, "gamma is NaN; it must be a number from 0 upwards."),
    ] {
        let (code, said) = says(KlceSample::pairs(&[0.5, 0.5], &[1, 0], places, kernel).expect_err("kernel"));
        assert_eq!((code, said.as_str()), ("invalid_option", text));
    }
}

#[test]
fn widths_that_do_not_suit_are_told() {
    let p: Vec<f64> = (0..200).map(|i| f64::from(i) / 199.0).collect();
    let y: Vec<u8> = (0..200).map(|i| (i % 2) as u8).collect();
    let x: Vec<f64> = (0..200).map(f64::from).collect();
    let warning = |gamma, gamma_p| KernelSpread::of(&sample(&p, &y, &x, 1, kernel(gamma, gamma_p))).warning();
    assert!(warning(25.0, 100.0).expect("narrow").starts_with("The kernel is very narrow"));
    assert!(warning(1e-9, 1e-6).expect("wide").starts_with("The kernel is very wide"));
    assert_eq!(warning(1e-4, 4.0), None);
    // most pairs are far apart, and every row has some 17 neighbors
    assert_eq!(warning(0.01, 4.0), None);
    let places = Points::row_major(1, &x).expect("places");
    // |Δ| ≤ 58 for 49.7 % of the pairs of 0 … 199, |Δ| ≤ 59 for 50.4 %.
    near(median_gamma(places), 1.0 / (59.0 * 59.0), 1e-12);
    assert_eq!(median_gamma(Points::row_major(1, &[3.0; 9]).expect("places")), None);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    type Rows = (Vec<f64>, Vec<u8>, Vec<f64>);

    fn rows() -> impl Strategy<Value = Rows> {
        (2..60_usize).prop_flat_map(|n| {
            (
                prop::collection::vec((0..=100_u32).prop_map(|k| f64::from(k) / 100.0), n),
                prop::collection::vec(0..=1_u8, n),
                prop::collection::vec((-40..40_i32).prop_map(|k| f64::from(k) / 10.0), 2 * n),
            )
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// Property 9 of the catalogue.
        #[test]
        fn constant_kernel_looks_at_the_mean_alone((p, y, x) in rows()) {
            let all = sample(&p, &y, &x, 2, kernel(0.0, 0.0));
            let (sums, found) = klce(&all);
            let e: f64 = all.residuals().iter().sum();
            let expected = e * e - squared_residuals(&all);
            prop_assert!((sums.statistic - expected).abs() < 1e-9);
            let n = p.len() as f64;
            prop_assert!((found.biased - (e / n).powi(2)).abs() < 1e-9);
            // K ≡ 1: both normalizations agree.
            prop_assert!((found.unbiased.unwrap_or(f64::NAN) - found.normalized.unwrap_or(f64::NAN)).abs() < 1e-12);
        }

        #[test]
        fn order_of_rows_does_not_matter((p, y, x) in rows(), gamma in 0.0..5.0_f64) {
            let straight = klce(&sample(&p, &y, &x, 2, kernel(gamma, 100.0))).0;
            let p: Vec<f64> = p.iter().rev().copied().collect();
            let y: Vec<u8> = y.iter().rev().copied().collect();
            let x: Vec<f64> = x.chunks(2).rev().flatten().copied().collect();
            let turned = klce(&sample(&p, &y, &x, 2, kernel(gamma, 100.0))).0;
            prop_assert!((straight.statistic - turned.statistic).abs() < 1e-10);
            prop_assert!((straight.mass - turned.mass).abs() < 1e-9);
        }

        #[test]
        fn never_negative_with_the_diagonal((p, y, x) in rows(), gamma in 0.0..5.0_f64) {
            prop_assert!(klce(&sample(&p, &y, &x, 2, kernel(gamma, 100.0))).1.biased >= -1e-12);
        }

        /// Negating e: y ↦ 1 − y, p ↦ 1 − p.
        #[test]
        fn both_directions_count_alike((p, y, x) in rows()) {
            let straight = klce(&sample(&p, &y, &x, 2, kernel(0.5, 100.0))).0;
            let p: Vec<f64> = p.iter().map(|p| 1.0 - p).collect();
            let y: Vec<u8> = y.iter().map(|y| 1 - y).collect();
            let other = klce(&sample(&p, &y, &x, 2, kernel(0.5, 100.0))).0;
            prop_assert!((straight.statistic - other.statistic).abs() < 1e-10);
        }

        /// Identical covariates: the plain kernel calibration error.
        #[test]
        fn equal_covariates_are_none((p, y, x) in rows()) {
            let same = vec![1.5; x.len()];
            let with = klce(&sample(&p, &y, &same, 2, kernel(3.0, 100.0))).0;
            let without = klce(&sample(&p, &y, &x, 2, kernel(0.0, 100.0))).0;
            prop_assert!((with.statistic - without.statistic).abs() < 1e-10);
        }

        /// Two classes as vectors: residual products double, and so does the squared distance of scores.
        #[test]
        fn two_classes_as_vectors_count_twice((p, y, x) in rows()) {
            let vectors = Array2::from_shape_fn((p.len(), 2), |(i, class)| if class == 1 { p[i] } else { 1.0 - p[i] });
            let classes: Vec<u32> = y.iter().map(|&y| u32::from(y)).collect();
            let places = Points::row_major(2, &x).expect("places");
            let wide = KlceKernel { width_p: 0.1 * 2f64.sqrt(), gamma: 0.5 };
            let vectors = KlceSample::vectors(vectors.view(), &classes, places, wide).expect("a sample");
            let twice = pair_sums(&vectors, Part::WHOLE);
            let once = klce(&sample(&p, &y, &x, 2, kernel(0.5, 100.0))).0;
            prop_assert!((twice.statistic - 2.0 * once.statistic).abs() < 1e-9);
            prop_assert!((twice.mass - once.mass).abs() < 1e-8);
        }
    }
}

mod public_data {
    use super::*;
    use crate::reference_files::{columns, compas, heart, numbers};

    fn flag(column: &[String], value: &str) -> Vec<f64> {
        column.iter().map(|v| f64::from(u8::from(v == value))).collect()
    }

    fn side_by_side(columns: &[Vec<f64>]) -> Vec<f64> {
        (0..columns[0].len()).flat_map(|i| columns.iter().map(move |c| c[i])).collect()
    }

    /// The specification, 11.1, two-year recidivism.
    #[test]
    fn compas_reference_numbers() {
        let Some((p, y, _)) = compas() else { return };
        let Some(text) = columns("compas-scores-two-years.csv", &["age", "sex", "race"]) else {
            return;
        };
        let age: Vec<f64> = numbers(&text[0]).iter().map(|age| age / 10.0).collect();
        let x = side_by_side(&[age, flag(&text[1], "Female"), flag(&text[2], "African-American")]);
        let (sums, found) = klce(&sample(&p, &y, &x, 3, kernel(0.5, 100.0)));
        near(found.unbiased, 0.001_265_336_030_020_253_4, 1e-15);
        near(found.normalized, 0.016_615_439_200_402_492, 1e-14);
        near(Some(sums.mass + 7214.0), 3_963_203.063_820_831_5, 1e-5);
    }

    /// The specification, 11.1, heart disease.
    #[test]
    fn heart_reference_numbers() {
        let Some((p, y)) = heart() else { return };
        let Some(text) = columns("heart.csv", &["Age", "Sex"]) else {
            return;
        };
        let x = side_by_side(&[numbers(&text[0]), flag(&text[1], "F")]);
        for (gamma, paper, code) in [
            (0.5, 4.886_533_808_618_128e-5, 0.002_348_213_177_924_395_3),
            (25.0, 6.960_303_550_781_911e-6, 0.000_977_299_712_914_291_2),
        ] {
            let (_, found) = klce(&sample(&p, &y, &x, 2, kernel(gamma, 100.0)));
            near(found.unbiased, paper, 1e-14);
            // The printed numbers were made with unrounded scores: 1e-9 of them is all they can say.
            near(found.normalized, code, 1e-11);
        }
    }

    /// The specification, 11.1, the first 2,000 rows of the housing survey under a constant score.
    #[test]
    fn housing_reference_numbers() {
        let Some(text) = columns("AHS_2019_Cleaned.csv", &["HINCP", "BLACK", "OWNER"]) else {
            return;
        };
        let first = |k: usize| numbers(&text[k][..2000]);
        let y: Vec<u8> = first(2).iter().map(|&y| y as u8).collect();
        let x = side_by_side(&[first(0), first(1)]);
        for (gamma, paper, code) in [
            (0.5, 0.006_177_987_044_516_855, 0.007_887_346_364_266_034),
            (25.0, 0.003_371_725_964_763_492_5, 0.018_727_899_866_745_494),
        ] {
            let (_, found) = klce(&sample(&[0.631_442_663_378_545; 2000], &y, &x, 2, kernel(gamma, 100.0)));
            near(found.unbiased, paper, 1e-14);
            near(found.normalized, code, 1e-13);
        }
    }
}
