use super::*;
use crate::fixtures::{b12, close, f8, f8_logits, matrix, near};
use crate::num::special::{PROB_CLIP, argmax, logit};
use crate::recalibrate::logits::{binary_logits, log_probabilities};
use crate::reference_files::heart;
use proptest::prelude::*;

fn nll() -> TemperatureOptions {
    TemperatureOptions::default()
}

#[test]
fn worked_values() {
    let (z, (_, y)) = (f8_logits(), f8());
    let found = weighted_fit(&z, &y, None, &nll()).expect("valid");
    // scipy.optimize.brentq on the derivative
    near(Some(found.parameters.temperature), 1.316_242_247_607_551_5, 1e-12);
    near(Some(found.objective_after), 0.825_779_445_4, 5e-11);
    close(Some(found.objective_before), 0.842_248_398_532_475_4);
    let p = found.parameters.apply(z.to_array().view());
    for (k, expected) in [0.820_256_15, 0.117_839_16, 0.061_904_68].into_iter().enumerate() {
        near(Some(p[[0, k]]), expected, 2e-8);
    }
    let found = weighted_fit(&z, &y, None, &TemperatureOptions::mse()).expect("valid");
    near(Some(found.parameters.temperature), 1.198_725_041_5, 5e-8);
    near(Some(found.objective_after), 0.158_189_20, 2e-8);
    let (p, t) = b12();
    let found = fit_binary(&binary_logits(&p, PROB_CLIP), &t, &nll()).expect("valid");
    near(Some(found.parameters.temperature), 1.355_955_07, 2e-8);
    near(Some(found.objective_after), 0.579_269_734_9, 5e-11);
}

#[test]
fn two_columns_are_the_binary_case() {
    let (p, t) = b12();
    let z: Vec<f64> = p.iter().flat_map(|&p| [3.0, 3.0 + logit(p, PROB_CLIP)]).collect();
    let y: Vec<u32> = t.iter().map(|&t| u32::from(t)).collect();
    let wide = weighted_fit(&matrix(2, z), &y, None, &nll()).expect("valid");
    let narrow = fit_binary(&binary_logits(&p, PROB_CLIP), &t, &nll()).expect("valid");
    close(Some(wide.parameters.temperature), narrow.parameters.temperature);
    close(Some(wide.objective_after), narrow.objective_after);
}

#[test]
fn bounds_are_flagged() {
    let right = fit_binary(&[2.0, -1.0, 0.5], &[1, 0, 1], &nll()).expect("valid");
    assert_eq!(right.parameters.temperature, 0.01);
    assert!(right.at_bound.expect("a bound").contains("lower"));
    let wrong = fit_binary(&[2.0, -1.0, 0.5], &[0, 1, 0], &nll()).expect("valid");
    assert_eq!(wrong.parameters.temperature, 100.0);
    assert!(wrong.at_bound.expect("a bound").contains("upper"));
    assert!(wrong.warnings[0].contains("uninformative or reversed"), "{:?}", wrong.warnings);
    for (size, options) in [(60.0, nll()), (20.0, TemperatureOptions::mse())] {
        let pair = |i: usize| (if i.is_multiple_of(3) { -size } else { size }, u8::from(!i.is_multiple_of(7)));
        let (z, y): (Vec<f64>, Vec<u8>) = (0..30).map(pair).unzip();
        let large = fit_binary(&z, &y, &options).expect("valid");
        assert!(large.warnings[0].contains("large scale"), "{:?}", large.warnings);
    }
    let flat = weighted_fit(&matrix(2, vec![3.0, 3.0, -1.0, -1.0]), &[0, 1], None, &nll()).expect("valid");
    assert_eq!(flat.parameters.temperature, 1.0);
    assert_eq!(flat.warnings.len(), 1);
    let lowest = weighted_fit(&matrix(3, vec![1.0, 2.0, 3.0]), &[0], None, &TemperatureOptions::mse()).expect("valid");
    assert_eq!(lowest.parameters.temperature, 5.0);
    assert!(lowest.at_bound.is_some());
}

#[test]
fn certain_forecasts_that_fail_stay_finite() {
    let z = binary_logits(&[0.0, 1.0, 1.0, 0.0, 0.7], PROB_CLIP);
    let found = fit_binary(&z, &[0, 1, 0, 1, 1], &nll()).expect("valid");
    assert!(found.objective_after.is_finite() && found.objective_after <= found.objective_before);
}

fn logits() -> impl Strategy<Value = (usize, Vec<f64>, Vec<u32>)> {
    (2..5_usize, 2..40_usize).prop_flat_map(|(m, n)| {
        (Just(m), proptest::collection::vec(-4.0..4.0_f64, n * m), proptest::collection::vec(0..m as u32, n))
    })
}

proptest! {
    #[test]
    fn a_fit_never_hurts_and_is_stable((m, z, y) in logits(), scale in 0.5..2.0_f64) {
        let z = matrix(m, z);
        let found = weighted_fit(&z, &y, None, &nll()).expect("valid");
        prop_assert!(found.objective_after <= found.objective_before + 1e-9);
        prop_assume!(found.at_bound.is_none());
        let t = found.parameters.temperature;
        prop_assume!((0.05..20.0).contains(&t));
        let p = found.parameters.apply(z.to_array().view());
        let (mut before, mut after) = (vec![0.0; m], vec![0.0; m]);
        for i in 0..y.len() {
            z.row_into(i, &mut before);
            after.copy_from_slice(&p.row(i).to_vec());
            prop_assert_eq!(argmax(&before), argmax(&after));
        }
        let again = weighted_fit(&log_probabilities(&p.view().into(), 1e-300), &y, None, &nll()).expect("valid");
        prop_assert!((again.parameters.temperature - 1.0).abs() < 1e-6, "{}", again.parameters.temperature);
        let stretched = mapped_rows(z.to_array().view(), |i, row| {
            row.iter_mut().for_each(|v| *v = *v * scale + i as f64);
        });
        let scaled = fit(stretched.view(), &y, &nll()).expect("valid");
        prop_assert!((scaled.parameters.temperature - scale * t).abs() < 1e-6 * t);
    }

    #[test]
    fn temperature_one_is_the_identity((m, z, _) in logits()) {
        let z = matrix(m, z);
        let mut row = vec![0.0; m];
        let p = Temperature { temperature: 1.0 }.apply(z.to_array().view());
        for i in 0..z.rows() {
            z.row_into(i, &mut row);
            softmax_in_place(&mut row);
            for (k, v) in row.iter().enumerate() {
                prop_assert!((p[[i, k]] - v).abs() < 1e-15);
            }
        }
    }
}

/// A public file with a fixed score, rounded to 12 decimals.
#[test]
fn heart_reference_numbers() {
    let Some((p, y)) = heart() else { return };
    let fit = fit_binary(&binary_logits(&p, PROB_CLIP), &y, &Default::default()).expect("valid");
    near(Some(fit.parameters.temperature), 1.195_488_208_5, 5e-8);
    near(Some(fit.objective_after), 0.531_297_895_240_215_1, 1e-9);
}
