use super::*;

#[test]
fn steps_are_the_empirical_distribution() {
    let all = steps(&[0.3, -0.1, 0.2, 0.2, f64::NAN], 100);
    assert_eq!(all, [(0.1, 0.25), (0.2, 0.75), (0.3, 1.0)]);
    let many: Vec<f64> = (1..=1000).map(f64::from).collect();
    let few = steps(&many, 50);
    assert!(few.len() <= 51);
    assert_eq!(few.last(), Some(&(1000.0, 1.0)));
    // Thinned steps still lie on the true function.
    assert!(few.iter().all(|&(v, s)| (v / 1000.0 - s).abs() < 1e-12));
    assert!(steps(&[], 10).is_empty());
}

#[test]
fn quantiles_and_shares_agree() {
    let series =
        CdfSeries { name: "before".into(), steps: steps(&[0.01, 0.02, 0.03, 0.04], 10), mean: 0.025, gap: 0.02, n: 4 };
    assert_eq!(share_at(&series, 0.02), 0.5);
    assert_eq!(quantile(&series, 0.5), 0.02);
    assert_eq!(quantile(&series, 0.51), 0.03);
    assert_eq!(share_at(&series, 0.001), 0.0);
}
