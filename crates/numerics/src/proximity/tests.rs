#![allow(clippy::unwrap_used)]
use proptest::prelude::*;

use super::measure::{Form, UnitRows, log_proximities, underflow_share};
use super::neighbors::{Metric, Search};
use crate::fixtures::near;
use crate::kernel::Points;
use crate::num::Rows;
use crate::reference_files::own_log_proximity;

/// φ of F8.
pub(crate) const F8_X: [f64; 16] = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 2.0, 0.5, 0.5, 3.0, 3.0];

pub(crate) fn exp(ln: &[f64]) -> Vec<f64> {
    ln.iter().map(|v| v.exp()).collect()
}

#[test]
fn f8_proximities() {
    let paper = exp(&own_log_proximity(&F8_X, 2, 2, Form::Paper));
    let code = exp(&own_log_proximity(&F8_X, 2, 2, Form::Code));
    let (a, b) = (0.425_898_85, 0.487_205_05);
    let expected = [a, a, a, 0.367_879_44, 0.367_879_44, 0.367_879_44, 0.493_068_69, 0.367_879_44];
    for (got, expected) in paper.iter().zip(expected) {
        near(Some(*got), expected, 6e-9);
    }
    let expected = [b, b, b, 0.367_879_44, 0.367_879_44, 0.367_879_44, 0.606_530_66, 0.367_879_44];
    for (got, expected) in code.iter().zip(expected) {
        near(Some(*got), expected, 6e-9);
    }
}

#[test]
fn rows_of_length_one() {
    let points = Points::row_major(2, &[3.0, 4.0, 0.0, 0.0, 1e200, -1e200]).unwrap();
    let unit = UnitRows { of: &points };
    let mut row = [0.0; 2];
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for (i, expected) in [[0.6, 0.8], [0.0, 0.0], [half, -half]].iter().enumerate() {
        unit.read(i, &mut row);
        assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
    }
    assert_eq!(underflow_share(&[-1.0, -1000.0, -690.0, -691.0]), 0.5);
}

proptest! {
    #[test]
    fn proximity_is_in_the_unit_interval_and_rises_with_every_reference(
        values in proptest::collection::vec(prop_oneof![-3.0..3.0_f64, Just(0.0)], 12..60),
        scale in 1.0..5.0_f64,
    ) {
        let values = &values[..values.len() / 2 * 2];
        let points = Points::row_major(2, values).unwrap();
        let (fewer, query) = (Points::row_major(2, &values[..values.len() - 2]).unwrap(), Points::row_major(2, &[0.3, -0.2]).unwrap());
        let ln_d = |references: &Points, query: &Points, form| {
            let search = Search::new(references, Metric::Euclidean).unwrap();
            let found = search.nearest(Some(query), 0..1, 5, &mut |_| ()).unwrap();
            log_proximities(form, Metric::Euclidean, &found, 1)[0]
        };
        for form in [Form::Paper, Form::Code] {
            let d = ln_d(&points, &query, form);
            prop_assert!(d <= 0.0);
            prop_assert!(d >= ln_d(&fewer, &query, form));
            let wide: Vec<f64> = values.iter().map(|v| v * scale).collect();
            let wide_query = [0.3 * scale, -0.2 * scale];
            let (wide, wide_query) = (Points::row_major(2, &wide).unwrap(), Points::row_major(2, &wide_query).unwrap());
            prop_assert!(ln_d(&wide, &wide_query, form) <= d + 1e-12);
        }
    }
}
