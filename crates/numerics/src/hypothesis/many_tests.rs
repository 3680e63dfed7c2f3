//! Many outcomes at once say what each says alone.

use super::null_tests::random_sample;
use super::{Draws, Factor, KlceSample, ManyOutcomes, Null, null_comparison, product_draws};
use crate::num::moments::mean_and_sd;
use crate::num::rng::Lanes;

/// Outcomes of the rows as they were given, one a seed.
fn outcomes(sample: &KlceSample, count: u64) -> Vec<Vec<u32>> {
    let n = sample.n();
    let own: Vec<u32> = {
        let mut given = vec![0; n];
        for (&row, &plane) in sample.order().iter().zip(sample.observed()) {
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
            null_comparison(null, &drawn, t, 0.0, 0.0).p.ok()
        };
        let nulls = [Null::PermuteCentred, Null::Permute, Null::Bootstrap];
        let shuffled = many.shuffled(&outcomes[0], &nulls, 199, 7, None);
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
    let p = |factor: Option<&Factor>, of: &[u32]| {
        ManyOutcomes::new(&sample, factor, true).shuffled(of, &nulls, 199, 3, None)
    };
    for one in &outcomes {
        for (low, full) in p(Some(&factor), one).into_iter().zip(p(None, one)) {
            let (low, full) = (low.expect("a p-value"), full.expect("a p-value"));
            assert!((low - full).abs() <= 0.025, "{low} {full}");
        }
    }
}

#[test]
fn permutations_have_the_mean_that_is_computed() {
    let sample = random_sample(60, 5, 0.1, 0.5);
    let many = ManyOutcomes::new(&sample, None, true);
    let drawn = product_draws(&sample, Draws::Permuted, 1, 4000, 0..4000, true);
    let (mean, sd) = mean_and_sd(&drawn);
    let expected = many.mean_of_permutations(&sample.residuals());
    assert!((mean - expected).abs() < 4.0 * sd / 4000_f64.sqrt(), "{mean} {expected} {sd}");
}

#[test]
fn stopping_early_changes_no_decision() {
    let nulls = [Null::PermuteCentred, Null::Permute, Null::Bootstrap];
    let decided = |p: &Option<f64>| p.map(|p| p <= 0.05);
    let (mut fired, mut stopped) = (0, 0);
    for seed in 0..60 {
        // few rows pair by pair, more through a low rank; right scores, and shifted ones
        let n = if seed % 6 == 0 { 600 } else { 90 };
        let sample = random_sample(n, seed, if seed % 3 == 0 { 0.1 } else { 0.0 }, 0.02);
        let factor = if n == 600 { Factor::find(&sample, 300) } else { None };
        let many = ManyOutcomes::new(&sample, factor.as_ref(), true);
        let own = outcomes(&sample, 1).swap_remove(0);
        let whole = many.shuffled(&own, &nulls, 99, seed, None);
        let early = many.shuffled(&own, &nulls, 99, seed, Some(0.05));
        for (null, (whole, early)) in nulls.iter().zip(whole.iter().zip(&early)) {
            assert_eq!(decided(early), decided(whole), "{null:?}, {seed}: {early:?} {whole:?}");
            fired += usize::from(decided(whole) == Some(true));
            stopped += usize::from(early != whole);
        }
    }
    assert!(fired > 5 && stopped > 50, "{fired} fired, {stopped} stopped");
}
