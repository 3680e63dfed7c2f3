//! What every recalibration of the whole vector promises, whatever the logits.

use proptest::prelude::*;

use crate::fixtures::matrix;
use crate::num::special::{argmax, softmax_in_place};
use crate::recalibrate::affine::{Affine, AffineMap, Dirichlet, Full, Shape, Vector};
use crate::recalibrate::beta::Beta;
use crate::recalibrate::ets::{self, Ets};
use crate::recalibrate::platt::Platt;
use crate::recalibrate::recalibrator::LogitMap;
use crate::recalibrate::temperature::{Loss, Temperature};
use crate::table::Matrix;

/// Logits, some of them equal, of 2 to 5 classes, and classes.
fn logits() -> impl Strategy<Value = (Matrix, Vec<u32>)> {
    let value = prop_oneof![-6.0..6.0_f64, (-3..4_i32).prop_map(f64::from)];
    (2..6_usize, 2..25_usize).prop_flat_map(move |(m, n)| {
        let z = proptest::collection::vec(value.clone(), n * m);
        let y = proptest::collection::vec(0..m as u32, n);
        (z.prop_map(move |z| matrix(m, z)), y)
    })
}

fn row(z: &Matrix, i: usize) -> Vec<f64> {
    let mut row = vec![0.0; z.width];
    z.row_into(i, &mut row);
    row
}

/// A row under a fit.
fn under(fit: &dyn LogitMap, mut row: Vec<f64>) -> Vec<f64> {
    fit.apply_logits(&mut row);
    row
}

/// The largest entry stays one of the largest: equal logits stay equal.
fn keeps_the_top(z: &[f64], p: &[f64]) -> bool {
    p.iter().all(|v| *v <= p[argmax(z)] + 1e-15)
}

proptest! {
    #[test]
    fn identities_change_nothing((z, _) in logits()) {
        let m = z.width;
        let identities: [(&str, &dyn LogitMap); 5] = [
            ("temperature", &Temperature { temperature: 1.0 }),
            ("ets", &Ets { temperature: 3.0, weights: [0.0, 1.0, 0.0] }),
            ("vector", &AffineMap::<Vector>::from(Affine::identity(m, Shape::Vector))),
            ("matrix", &AffineMap::<Full>::from(Affine::identity(m, Shape::Matrix))),
            ("dirichlet", &AffineMap::<Dirichlet>::from(Affine::identity(m, Shape::Matrix))),
        ];
        for i in 0..z.rows() {
            let mut p = row(&z, i);
            softmax_in_place(&mut p);
            for (id, fit) in identities {
                for (a, b) in under(fit, row(&z, i)).iter().zip(&p) {
                    prop_assert!((a - b).abs() < 1e-14, "{}", id);
                }
            }
            for same in [Platt::IDENTITY.apply(&p), Beta::IDENTITY.apply(&p)] {
                prop_assert!(same.iter().zip(&p).all(|(a, b)| (a - b).abs() < 1e-14));
            }
        }
    }

    #[test]
    fn one_temperature_is_a_mixture_and_keeps_the_top((z, y) in logits(), t in 0.05..5.0_f64, shift in -20.0..20.0_f64) {
        let alone = Temperature { temperature: t };
        let mixed = Ets { temperature: t, weights: [1.0, 0.0, 0.0] };
        let uniform = Ets { temperature: t, weights: [0.0, 0.0, 1.0] };
        let fitted = ets::weighted_fit(&z, &y, None, Loss::Mse).expect("fits").parameters;
        for i in 0..z.rows() {
            let z = row(&z, i);
            let p = under(&alone, z.clone());
            prop_assert!(keeps_the_top(&z, &p) && keeps_the_top(&z, &under(&fitted, z.clone())));
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let others = under(&mixed, z.clone());
            let moved = under(&alone, z.iter().map(|v| v + shift).collect());
            for ((a, b), c) in p.iter().zip(&others).zip(&moved) {
                prop_assert!((a - b).abs() < 1e-14 && (a - c).abs() < 1e-12);
            }
            let flat = under(&uniform, z.clone());
            prop_assert!(flat.iter().all(|v| (v - 1.0 / z.len() as f64).abs() < 1e-15));
        }
    }
}
