//! Many outcomes at once say what each says alone.

use super::null_tests::random_sample;
use super::{Draws, Factor, ManyOutcomes, Null, TrustSample, product_draws, standing};
use crate::num::rng::Lanes;

/// Outcomes of the rows as they were given, one a seed.
fn outcomes(sample: &TrustSample, count: u64) -> Vec<Vec<u32>> {
    let n = sample.n();
    let own: Vec<u32> = {
        let mut given = vec![0; n];
        for (&row, &plane) in sample.order().iter().zip(sample.happened()) {
            given[row as usize] = plane;
        }
        given
    };
    let others = (1..count).map(|k| {
        let mut lanes = Lanes::seeded(k, 5);
        std::iter::repeat_with(|| lanes.uniform()).flatten().map(|u| u32::from(u < 0.5)).take(n).collect()
    });
    std::iter::once(own).chain(others).collect()
}

#[test]
fn what_was_observed_has_the_p_value_that_it_has_alone() {
    for n in [90, 700] {
        let sample = random_sample(n, 4, 0.0, 0.5);
        let outcomes = outcomes(&sample, 5);
        let many = ManyOutcomes::new(&sample, None, true);
        let together = many.drawn(&outcomes, 199, 7);
        assert_eq!(together.len(), 5);
        // Company does not matter.
        for (one, p) in outcomes.iter().zip(&together) {
            assert_eq!(many.drawn(std::slice::from_ref(one), 199, 7), [*p], "{n}");
        }
        let alone = |null: Null, kind: Draws| {
            let mut drawn = product_draws(&sample, kind, 7, 199, 0..200, true);
            let t = drawn.pop().expect("what was observed");
            standing(null, &drawn, t, 0.0, 0.0).p.ok()
        };
        let nulls = [Null::PermuteCentred, Null::Permute, Null::Bootstrap];
        let shuffled = many.shuffled(&outcomes[0], &nulls, 199, 7);
        let kinds = [Draws::Permuted, Draws::Permuted, Draws::Repeated];
        for ((null, kind), p) in nulls.into_iter().zip(kinds).zip(shuffled) {
            assert_eq!(p, alone(null, kind), "{null:?} of {n}");
        }
        let p = together[0].expect("a p-value");
        let exact = alone(Null::Bernoulli, Draws::Labels).expect("a p-value");
        assert!((p - exact).abs() < 0.011, "{p} {exact}");
    }
}

#[test]
fn a_low_rank_says_the_same() {
    let sample = random_sample(700, 4, 0.0, 0.02);
    let factor = Factor::find(&sample, 300).expect("a low rank");
    let outcomes = outcomes(&sample, 3);
    let nulls = [Null::Permute, Null::Bootstrap];
    let p = |factor: Option<&Factor>, of: &[u32]| ManyOutcomes::new(&sample, factor, true).shuffled(of, &nulls, 199, 3);
    for one in &outcomes {
        for (low, full) in p(Some(&factor), one).into_iter().zip(p(None, one)) {
            let (low, full) = (low.expect("a p-value"), full.expect("a p-value"));
            assert!((low - full).abs() <= 0.025, "{low} {full}");
        }
    }
}
