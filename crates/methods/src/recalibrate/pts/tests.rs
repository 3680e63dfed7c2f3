use super::*;
use crate::fixtures::{f8, f8_logits, matrix, near};
use crate::num::special::argmax;

/// Rows whose right temperature depends on their largest logit.
fn uneven(n: usize) -> (Matrix, Vec<u32>) {
    let mut lanes = Lanes::seeded(9, 0);
    let (mut z, mut y) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let g = lanes.normal();
        let scale = if g[3] > 0.0 { 4.0 } else { 1.0 };
        let row = [g[0] * 2.0, g[1] * 2.0, g[2] * 2.0];
        let mut p = row;
        softmax_in_place(&mut p);
        let u = lanes.uniform()[0];
        y.push(if u < p[0] {
            0
        } else if u < p[0] + p[1] {
            1
        } else {
            2
        });
        z.extend(row.map(|v| v * scale));
    }
    (matrix(3, z), y)
}

#[test]
fn starts_at_temperature_scaling_and_does_not_get_worse() {
    let (z, (_, y)) = (f8_logits(), f8());
    let none = PtsOptions { epochs: 0, ..PtsOptions::default() };
    let at_start = fit_matrix(&z, &y, None, &none, &mut |_| ()).expect("valid");
    near(Some(at_start.objective_after), 0.158_189_20, 6e-9);
    for t in at_start.parameters.temperatures(&z, None) {
        near(Some(t), 1.198_725_04, 1e-7);
    }
    let trained =
        fit_matrix(&z, &y, None, &PtsOptions { epochs: 50, ..PtsOptions::default() }, &mut |_| ()).expect("valid");
    assert!(trained.objective_after <= at_start.objective_after);
}

#[test]
fn training_finds_uneven_temperatures_and_keeps_the_argmax() {
    let (z, y) = uneven(600);
    let options = PtsOptions { epochs: 150, batch: 200, ..PtsOptions::default() };
    let found = fit_matrix(&z, &y, None, &options, &mut |_| ()).expect("valid");
    let flat = fit_matrix(&z, &y, None, &PtsOptions { epochs: 0, ..options }, &mut |_| ()).expect("valid");
    assert!(found.objective_after < flat.objective_after - 1e-3, "{} {}", found.objective_after, flat.objective_after);
    let p = found.parameters.apply(&z, None);
    let (mut a, mut b) = (vec![0.0; 3], vec![0.0; 3]);
    for i in 0..y.len() {
        z.row_into(i, &mut a);
        p.row_into(i, &mut b);
        assert_eq!(argmax(&a), argmax(&b));
    }
    assert_eq!(fit_matrix(&z, &y, None, &options, &mut |_| ()).expect("valid"), found);
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    let (z, y) = uneven(20);
    let extra = neighbor_proximities(&matrix(1, (0..20).map(|i| f64::from(i) / 9.0).collect()), 5);
    let options = PtsOptions { start_at_temperature: false, ..PtsOptions::with_neighbors() };
    let mut pts = Pts { top: 3, extra: 5, network: start(8, 1.0, &options) };
    let x = inputs(&z, Some(&extra), 3);
    let mut training = Training::new(pts.network.len());
    let all: Vec<u32> = (0..20).collect();
    training.step(&mut pts.clone(), &z, &y, &x, &all, 0.0);
    for j in 0..pts.network.len() {
        let at = pts.network[j];
        pts.network[j] = at + 1e-6;
        let high = pts.loss(&z, &y, &x);
        pts.network[j] = at - 1e-6;
        let low = pts.loss(&z, &y, &x);
        pts.network[j] = at;
        near(Some(training.gradient[j]), (high - low) / 2e-6, 1e-6);
    }
}

#[test]
fn extra_columns_must_fit() {
    let (z, (_, y)) = (f8_logits(), f8());
    let short = matrix(5, vec![0.5; 10]);
    assert_eq!(
        fit_matrix(&z, &y, Some(&short), &PtsOptions::with_neighbors(), &mut |_| ()).expect_err("2 rows").code(),
        "length_mismatch"
    );
    let padded = neighbor_proximities(&matrix(2, vec![0.0, 1.0]), 4);
    near(Some(padded.value(0, 3)), (-1.0_f64).exp(), 1e-15);
}

#[test]
fn a_row_alone_is_recalibrated_as_in_the_matrix_and_its_score_tells_its_temperature() {
    let (z, y) = uneven(60);
    let options = PtsOptions { epochs: 5, batch: 20, ..PtsOptions::default() };
    let found = fit_matrix(&z, &y, None, &options, &mut |_| ()).expect("valid").parameters;
    let all = found.apply(&z, None);
    let (mut row, mut again, mut whole) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    for i in 0..60 {
        z.row_into(i, &mut row);
        z.row_into(i, &mut again);
        all.row_into(i, &mut whole);
        found.apply_row(&mut row);
        assert_eq!(row, whole);
        let class = argmax(&again);
        temper_to(&mut again, class, whole[class]);
        for k in 0..3 {
            assert!((again[k] - whole[k]).abs() < 1e-9, "{again:?} {whole:?}");
        }
    }
}
