use super::*;
use proptest::prelude::*;

fn folds(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i % FOLDS) as u8).collect()
}

#[test]
fn the_basis_is_natural() {
    let basis = Basis::new(vec![-2.0, -1.0, 0.5, 2.0]);
    let mut at = [0.0; 4];
    // left of all knots a straight line, right of them too: second differences are 0
    for x in [-9.0, 7.0] {
        let second = [x - 1.0, x, x + 1.0].map(|x| {
            basis.at(x, &mut at);
            at
        });
        for (j, middle) in second[1].iter().enumerate() {
            assert!((second[0][j] - 2.0 * middle + second[2][j]).abs() < 1e-9, "{j} at {x}");
        }
    }
    for (knots, functions) in [(vec![], 2), (vec![0.0], 2), (vec![0.0, 1.0], 2), (vec![0.0, 1.0, 2.0], 3)] {
        assert_eq!(Basis::new(knots).len(), functions);
    }
}

#[test]
fn few_rows_and_one_kind_of_outcome_stay_near_the_diagonal() {
    for (s, t) in [(vec![0.5; 3], vec![0, 1, 1]), (vec![0.2, 0.8], vec![1, 1]), (vec![0.0, 1.0, 0.3], vec![0, 1, 0])] {
        let found = fit(&s, &t, None, &folds(s.len())).expect("valid");
        let q = found.parameters.apply(&[0.0, 0.2, 0.5, 0.8, 1.0]);
        assert!(q.iter().all(|q| (0.0..=1.0).contains(q)), "{q:?}");
        // three rows of outcomes against twenty on the diagonal
        assert!(q[1] < 0.5 && (q[2] - 0.5).abs() < 0.2 && q[3] > 0.5, "{q:?}");
    }
    assert_eq!(fit(&[], &[], None, &[]).map_err(|error| error.code()).err(), Some("empty"));
}

#[test]
fn a_bend_that_no_line_has_is_found() {
    // σ⁻¹ p′ = z for z < 0, z/2 above
    let n = 4000;
    let s: Vec<f64> = (0..n).map(|i| sigmoid(-3.0 + 6.0 * (i as f64 + 0.5) / n as f64)).collect();
    let truth = |s: f64| sigmoid(if s < 0.5 { logit(s, CLIP) } else { 0.5 * logit(s, CLIP) });
    let t: Vec<u8> =
        s.iter().enumerate().map(|(i, &s)| u8::from((i as f64 * 0.618_033_988_749).fract() < truth(s))).collect();
    let found = fit(&s, &t, None, &folds(n)).expect("valid");
    assert!(found.objective_after < found.objective_before);
    for s in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let q = found.parameters.apply(&[s])[0];
        assert!((q - truth(s)).abs() < 0.03, "{s}: {q} {}", truth(s));
    }
}

proptest! {
    #[test]
    fn rows_of_weight_two_are_two_rows_but_for_the_number_of_terms(
        rows in proptest::collection::vec((0.01..0.99_f64, 0..2_u8), 3..40),
    ) {
        let (s, t): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
        let z = log_odds(&s);
        let weighed = fit_at(&s, &t, Some(&vec![2.0; s.len()]), &knots(&z), 0.1).expect("valid");
        let (s2, t2): (Vec<f64>, Vec<u8>) = s.iter().zip(&t).flat_map(|(&s, &t)| [(s, t), (s, t)]).unzip();
        // the penalty is beside a mean over terms: more of them, less of it
        let terms = |n: usize| (n + prior().len()) as f64;
        let doubled = fit_at(&s2, &t2, None, &knots(&z), 0.1 * terms(s.len()) / terms(s2.len())).expect("valid");
        for (a, b) in weighed.apply(&s).iter().zip(doubled.apply(&s)) {
            prop_assert!((a - b).abs() < 1e-6, "{} {}", a, b);
        }
    }
}
