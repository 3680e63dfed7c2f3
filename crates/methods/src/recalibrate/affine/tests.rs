use super::*;
use crate::fixtures::{f8, f8_logits, matrix, near};
use crate::metric::log_loss::log_loss;
use proptest::prelude::*;

#[test]
fn worked_values() {
    let (z, (_, y)) = (f8_logits(), f8());
    let even = Penalty::TowardsIdentity { diagonal: 0.1, off_diagonal: 0.1, intercept: 0.1 };
    let found = weighted_fit(&z, &y, None, Shape::Vector, even).expect("valid");
    near(Some(found.objective_after), 0.766_770_71, 6e-9);
    for (got, expected) in found.parameters.weights.iter().zip([1.201_551_98, 1.025_739_41, 0.523_636_26]) {
        near(Some(*got), expected, 2e-6);
    }
    for (got, expected) in found.parameters.bias.iter().zip([0.262_739_69, -0.096_748_73, -0.165_990_94]) {
        near(Some(*got), expected, 2e-6);
    }
    let odir = Penalty::Odir { lambda: 0.1, mu: 0.1 };
    let found = weighted_fit(&z, &y, None, Shape::Matrix, odir).expect("valid");
    near(Some(found.objective_after), 0.422_608_94, 2e-8);
    // fewer than 50 rows: that is the default
    let default = weighted_fit(&z, &y, None, Shape::Matrix, Shape::Matrix.default_penalty()).expect("valid");
    near(Some(default.objective_after), found.objective_after, 1e-9);
    assert_eq!(weighted_fit(&z, &y, None, Shape::Matrix, Penalty::None).expect_err("9 weights").code(), "too_few_rows");
}

#[test]
fn cross_validation_is_repeatable() {
    let n = 90;
    let mut lanes = Lanes::seeded(8, 0);
    let z: Vec<f64> = (0..n).flat_map(|_| lanes.normal().into_iter().take(3)).collect();
    let y: Vec<u32> = (0..n as u32).map(|i| i % 3).collect();
    let z = matrix(3, z);
    let one = weighted_fit(&z, &y, None, Shape::Matrix, Penalty::OdirCrossValidated { seed: 3 }).expect("valid");
    let two = weighted_fit(&z, &y, None, Shape::Matrix, Penalty::OdirCrossValidated { seed: 3 }).expect("valid");
    assert_eq!(one, two);
    assert!(one.objective_after <= one.objective_before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn identity_improvement_and_nesting(z in proptest::collection::vec(-3.0..3.0_f64, 60..120)) {
        let n = z.len() / 3;
        let z = matrix(3, z[..3 * n].to_vec());
        let y: Vec<u32> = (0..n as u32).map(|i| (i * i + i / 3) % 3).collect();
        let mut row = vec![0.0; 3];
        for shape in [Shape::Vector, Shape::Matrix] {
            let p = Affine::identity(3, shape).apply(z.to_array().view());
            for i in 0..n {
                z.row_into(i, &mut row);
                softmax_in_place(&mut row);
                for (k, v) in row.iter().enumerate() {
                    prop_assert!((p[[i, k]] - v).abs() < 1e-14);
                }
            }
        }
        let t = temperature::weighted_fit(&z, &y, None, &TemperatureOptions::default()).expect("valid");
        let vector = weighted_fit(&z, &y, None, Shape::Vector, Penalty::None).expect("valid");
        let full = weighted_fit(&z, &y, None, Shape::Matrix, Penalty::None).expect("valid");
        prop_assert!(vector.objective_after <= t.objective_after + 1e-6);
        prop_assert!(full.objective_after <= vector.objective_after + 1e-6);
        let nll = log_loss(vector.parameters.apply(z.to_array().view()).view(), &y, 0.0).expect("rows");
        prop_assert!((nll - vector.objective_after).abs() < 1e-9);
    }
}
