use super::*;
use crate::num::lbfgs::lbfgs;

#[test]
fn convex_minimum_inside_and_at_the_ends() {
    let f = |target: f64| move |x: f64| (2.0 * (x - target), 2.0);
    let inside = convex_minimum(f(0.7), 0.01, 100.0, 1.0);
    assert!((inside.x - 0.7).abs() < 1e-14 && !inside.at_low && !inside.at_high);
    assert!(convex_minimum(f(-3.0), 0.01, 100.0, 1.0).at_low);
    let high = convex_minimum(f(300.0), 0.01, 100.0, 1.0);
    assert_eq!((high.x, high.at_high), (100.0, true));
    // Newton alone diverges from 1 on ln cosh(x − 5)
    let hard = convex_minimum(
        |x| {
            let t = (x - 5.0_f64).tanh();
            (t, 1.0 - t * t)
        },
        0.01,
        100.0,
        1.0,
    );
    assert!((hard.x - 5.0).abs() < 1e-12);
}

#[test]
fn brent_and_grid_find_the_minimum() {
    let (x, _) = brent_minimum(|x| (x - 0.3).powi(2) + 1.0, -2.0, 5.0, 1e-10);
    assert!((x - 0.3).abs() < 1e-7);
    let (x, _) = grid_minimum(|x| (3.0 * x).sin() + 0.1 * x, -6.0, 0.0, 40, 1e-10);
    let slope = 3.0 * (3.0 * x).cos() + 0.1;
    assert!(slope.abs() < 1e-6 && (3.0 * x).sin() + 0.1 * x < -1.4);
}

fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
    let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
    g[0] = -2.0 * a - 400.0 * x[0] * b;
    g[1] = 200.0 * b;
    a * a + 100.0 * b * b
}

#[test]
fn lbfgs_and_newton_solve_rosenbrock() {
    let found = lbfgs(rosenbrock, &[-1.2, 1.0], 1e-9, 0.0, 500);
    assert!(found.converged && (found.x[0] - 1.0).abs() < 1e-7 && (found.x[1] - 1.0).abs() < 1e-7);
    let found = newton(
        |x, g, h| {
            h.copy_from_slice(&[2.0 - 400.0 * (x[1] - 3.0 * x[0] * x[0]), -400.0 * x[0], -400.0 * x[0], 200.0]);
            rosenbrock(x, g)
        },
        &[-1.2, 1.0],
        100,
    );
    assert!(found.converged && (found.x[0] - 1.0).abs() < 1e-10, "{found:?}");
}
