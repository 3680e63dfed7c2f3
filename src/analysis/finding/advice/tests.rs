//! The choice by hand.

use super::RecalibratedSubgroup;
use super::candidate::{Known, Learns};
use super::choose::choose;
use super::evaluate::{Change, Evaluated, Performance};
use crate::evaluation::method::MethodSpec;

fn one(after: f64, half: f64) -> RecalibratedSubgroup {
    let description = "ward = ICU".to_owned();
    let (low, high) = (after - half, after + half);
    RecalibratedSubgroup { description, rows: 100, before: -0.2, after, low, high, mostly_remains: false }
}

fn known(numbers: usize) -> Known {
    let learns = Learns { numbers, of_classes: false };
    Known { method: MethodSpec::Id("x".to_owned()), title: "x".to_owned(), learns }
}

/// A candidate whose loss is 0.5 + `change`, give or take, and that leaves the ward off by `left` ± 0.05.
fn evaluated(change: f64, left: f64) -> Evaluated {
    let nll_change: Vec<f64> = (0..100).map(|i| change + if i % 2 == 0 { 0.01 } else { -0.01 }).collect();
    let found = Performance {
        nll: 0.5 + change,
        nll_change: nll_change.into(),
        subgroups: vec![one(left, 0.05)],
        events: 100,
        rest: [900, 900],
        ..Performance::default()
    };
    Evaluated { known: known(1), found: Ok(found) }
}

fn place(of: &[Evaluated], chance: bool) -> usize {
    choose(&of.iter().collect::<Vec<_>>(), chance, false).place
}

#[test]
fn the_simplest_that_mends() {
    let as_it_is = evaluated(0.0, -0.2);
    // Both correct it at the same loss: the first. One that does not is passed by.
    assert_eq!(
        place(&[as_it_is.clone(), evaluated(-0.1, -0.12), evaluated(-0.1, 0.01), evaluated(-0.1, 0.0)], false),
        2
    );
    // A simpler one whose loss is larger row by row is not within a standard error.
    assert_eq!(place(&[as_it_is.clone(), evaluated(-0.09, 0.0), evaluated(-0.1, 0.0)], false), 2);
    // None corrects: the fewest excess events among the best, and who stays wrong is known.
    let some = [as_it_is.clone(), evaluated(-0.1, -0.12), evaluated(-0.1, -0.08), evaluated(-0.05, -0.06)];
    assert_eq!(place(&some, false), 2);
    assert_eq!(choose(&some.iter().collect::<Vec<_>>(), false, false).among_best, [false, true, true, false]);
    // A simpler one does that removes nine tenths of the excess events that the best one removes, not one that removes less.
    let nearly = |simple: f64| [as_it_is.clone(), evaluated(-0.1, simple), evaluated(-0.1, -0.08)];
    assert_eq!([-0.091, -0.093].map(|simple| place(&nearly(simple), false)), [1, 2]);
    // None leaves fewer excess events than the original scores, however small its loss.
    assert_eq!(place(&[as_it_is.clone(), evaluated(-0.1, -0.3)], false), 0);
    // Unless the other rows are off, too: what is wrong with them cancels in events, and shows in the loss.
    let both = [as_it_is.clone(), evaluated(-0.1, -0.3)];
    assert_eq!(choose(&both.iter().collect::<Vec<_>>(), false, true).place, 1);
    let original = [as_it_is.clone(), evaluated(0.1, -0.3)];
    assert_eq!(choose(&original.iter().collect::<Vec<_>>(), false, true).place, 0);
    // What breaks another one is passed by, however small its loss.
    let mut breaks = evaluated(-0.1, 0.0);
    if let Ok(found) = &mut breaks.found {
        found.broken.push(one(0.3, 0.1));
    }
    assert_eq!(place(&[as_it_is.clone(), breaks, evaluated(-0.1, 0.0)], false), 2);
    // So is what makes the rows outside the named subgroups wrong.
    let change = |mean: f64| Change { mean, standard_error: 0.005 };
    let mut rest = evaluated(-0.1, 0.0);
    if let Ok(found) = &mut rest.found {
        found.rest_error = Some([change(0.004), change(-0.03)]);
        assert_eq!(found.broken_rest(), Some(-0.03));
        // they were wrong before, and hardly more so
        found.rest_error = Some([change(0.02), change(-0.03)]);
        assert_eq!(found.broken_rest(), None);
        found.rest_error = Some([change(0.004), change(-0.03)]);
    }
    assert_eq!(place(&[as_it_is, rest, evaluated(-0.1, 0.0)], false), 2);
}

/// All are too confident by 12 points outside the ward, too. What halves that, and leaves three other subgroups too low, is
/// better than nothing: their errors were counted of it alone, and of the original scores none outside the ward.
#[test]
fn errors_outside_the_listed_subgroups_count_before_as_after() {
    let change = |mean: f64| Change { mean, standard_error: 0.01 };
    let of = |mut one: Evaluated, rest: [f64; 2], broken: &[(f64, f64)]| {
        if let Ok(found) = &mut one.found {
            found.rest_error = Some(rest.map(change));
            found.broken = broken
                .iter()
                .map(|&(before, after)| RecalibratedSubgroup { before, ..self::one(after, 0.05) })
                .collect();
        }
        one
    };
    let as_it_is = of(evaluated(0.0, -0.2), [0.12, 0.12], &[]);
    let events = |one: &Evaluated| one.found.as_ref().unwrap().excess_events();
    assert!((events(&as_it_is) - (0.2 * 100.0 + 0.12 * 900.0)).abs() < 1e-9);
    let halves = of(evaluated(-0.1, -0.1), [0.12, -0.06], &[(0.1, -0.2), (0.08, -0.2), (0.1, -0.15)]);
    assert!((events(&halves) - (0.1 * 100.0 + 0.06 * 900.0)).abs() < 1e-9);
    assert_eq!(place(&[as_it_is.clone(), halves], false), 1);
    // what it adds within the others counts where they are right on the whole
    let adds = of(evaluated(-0.1, -0.1), [0.0, 0.0], &[(0.1, -0.9), (0.0, 0.8)]);
    assert!((events(&adds) - (0.1 * 100.0 + 0.8 * 100.0 + 0.8 * 100.0)).abs() < 1e-9);
    assert_eq!(place(&[as_it_is, adds], false), 0);
}

/// Listed, and after correction for selection its interval includes 0: untouched it stays listed, and shifted it does not.
#[test]
fn a_subgroup_of_uncertain_size_is_not_repaired_by_leaving_it() {
    let of = |change: f64, after: f64, mostly_remains: bool| {
        let mut one = evaluated(change, 0.0);
        if let Ok(found) = &mut one.found {
            let (before, low, high) = (-0.05, after - 0.06, after + 0.06);
            found.subgroups =
                vec![RecalibratedSubgroup { before, after, low, high, mostly_remains, ..self::one(0.0, 0.0) }];
        }
        one
    };
    let (as_it_is, elsewhere, shifted) = (of(0.0, -0.05, true), of(-0.1, -0.05, true), of(-0.1, 0.03, false));
    assert!(as_it_is.found.as_ref().unwrap().leaves_miscalibrated());
    assert_eq!(place(&[as_it_is, elsewhere, shifted], false), 2);
}

/// A ward of 100 rows is off by 20 points, and 900 others are right within chance. What takes two points from the ward and
/// moves the others by as many gains 2 events and loses 9, whether or not these are significant.
#[test]
fn rows_that_were_right_do_not_pay_for_a_subgroup_that_stays_wrong() {
    let change = |mean: f64| Change { mean, standard_error: 0.01 };
    let of = |mut one: Evaluated, rest: [f64; 2]| {
        if let Ok(found) = &mut one.found {
            found.rest_error = Some(rest.map(change));
        }
        one
    };
    let (as_it_is, moves) = (of(evaluated(0.0, -0.2), [0.005, 0.005]), of(evaluated(-0.1, -0.18), [0.005, -0.015]));
    let events = |one: &Evaluated| one.found.as_ref().unwrap().excess_events();
    assert!((events(&as_it_is) - 20.0).abs() < 1e-9 && (events(&moves) - (18.0 + 9.0)).abs() < 1e-9);
    assert_eq!(place(&[as_it_is.clone(), moves], false), 0);
    assert_eq!(place(&[as_it_is, of(evaluated(-0.1, -0.18), [0.005, -0.004])], false), 1);
}

#[test]
fn nothing_is_done_for_nothing() {
    let refused = Evaluated { known: known(1), found: Err("it cannot be fitted".to_owned()) };
    let right = |change: f64| evaluated(change, 0.0);
    // A gain of one standard error of none of the rows.
    let mut noisy = right(-0.001);
    if let Ok(found) = &mut noisy.found {
        found.nll_change = (0..100).map(|i| if i % 2 == 0 { 0.1 } else { -0.102 }).collect();
    }
    assert_eq!(place(&[right(0.0), noisy, refused.clone()], true), 0);
    assert_eq!(place(&[right(0.0), right(-0.1)], true), 1, "chance cannot have done it");
    // A simpler one within one standard error of the best, whose own gain may be chance, is passed by.
    let varying = |change: f64, half: f64| {
        let mut one = right(change);
        if let Ok(found) = &mut one.found {
            found.nll_change = (0..100).map(|i| change + if i % 2 == 0 { half } else { -half }).collect();
        }
        one
    };
    let both = [right(0.0), varying(-0.0025, 0.02), varying(-0.003, 0.01)];
    assert_eq!((place(&both, true), place(&both, false)), (2, 1));
    assert_eq!(place(&[right(0.0), right(0.0)], false), 0);
    assert_eq!(place(&[refused.clone(), refused], false), 0);
    assert_eq!(place(&[], true), 0);
}

#[test]
fn the_rest_is_left_alone_unless_it_is_off() {
    // A simpler one that corrects but moves all rows, and one that moves the ward alone.
    let mut alone = evaluated(-0.1, 0.0);
    if let Ok(found) = &mut alone.found {
        found.rest = [900, 0];
    }
    let of = [evaluated(0.0, -0.2), evaluated(-0.1, 0.0), alone, evaluated(-0.1, 0.0)];
    let of: Vec<&Evaluated> = of.iter().collect();
    assert_eq!(choose(&of, false, false).place, 2);
    assert_eq!(choose(&of, false, true).place, 1, "the others are off, too");
}

#[test]
fn more_than_a_number_from_ten_events_is_not_recommended() {
    let mut many = evaluated(-0.1, 0.0);
    many.known = known(11);
    let of = [evaluated(0.0, -0.2), many.clone(), evaluated(-0.05, 0.0)];
    assert_eq!(place(&of, false), 2, "nor does its loss count");
    assert_eq!(many.too_few_events().as_deref(), Some("11 parameters, fitted to 100 rows of the rarer outcome"));
    many.known.learns = Learns { numbers: 2, of_classes: true };
    assert_eq!(many.too_few_events(), None);
}

/// An overall error is corrected, too, by the simplest that does; where none does, as before.
#[test]
fn an_overall_error_is_corrected() {
    let with_mean = |change: f64, mean: f64| {
        let mut one = evaluated(change, 0.0);
        if let Ok(found) = &mut one.found {
            (found.predicted, found.error) = (0.02, Change { mean, standard_error: 0.002 });
        }
        one
    };
    let original = with_mean(0.0, -0.016);
    assert_eq!(place(&[original.clone(), with_mean(-0.1, -0.015), with_mean(-0.1, 0.001)], false), 2);
    // a tenth of the rarer outcome matters, less does not
    assert_eq!(place(&[original.clone(), with_mean(-0.1, -0.002), with_mean(-0.1, 0.001)], false), 1);
    // what was right on average before is not asked for
    assert_eq!(place(&[with_mean(0.0, 0.0), with_mean(-0.1, -0.015), with_mean(-0.1, 0.001)], false), 1);
}

/// What leaves the ward wrong and may owe its smaller loss to chance is not recommended, however few excess events it leaves;
/// what corrects the ward may be.
#[test]
fn what_leaves_errors_has_a_significantly_smaller_loss() {
    let uncertain = |left: f64| {
        let mut one = evaluated(-0.01, left);
        if let Ok(found) = &mut one.found {
            found.nll_change = (0..100).map(|i| if i % 2 == 0 { 0.05 } else { -0.07 }).collect();
        }
        one
    };
    let as_it_is = evaluated(0.0, -0.2);
    assert_eq!(place(&[as_it_is.clone(), uncertain(-0.1)], false), 0);
    let both = [as_it_is.clone(), uncertain(-0.1)];
    assert_eq!(choose(&both.iter().collect::<Vec<_>>(), false, true).place, 0, "the others are off, too");
    assert_eq!(place(&[as_it_is, uncertain(0.0)], false), 1);
}

#[test]
fn rows_of_a_cluster_are_one_observation() {
    // Eight rows a cluster that change alike: the standard error is that of 25 observations, not of 200.
    let change: Vec<f64> = (0..200).map(|i| if (i / 8) % 2 == 0 { 0.1 } else { -0.1 }).collect();
    let cluster: Vec<u32> = (0..200).map(|i| i / 8).collect();
    let (rows, clusters) = (Change::of(&change, (None, false), &[]), Change::of(&change, (None, false), &cluster));
    let ratio = clusters.standard_error / rows.standard_error;
    assert!((ratio - (8.0_f64 * 25.0 / 24.0).sqrt()).abs() < 1e-9 && rows.mean == clusters.mean, "{ratio}");
}

#[test]
fn a_candidate_travels_as_it_is() {
    let mut of = evaluated(-0.1, 0.0);
    of.known.method = serde_json::from_str(
        r#"{"id":"slice_intercept","name":"Shift of ward = ICU","parameters":{"slices":[{"conditions":[{"column":"ward","values":["ICU"]}]}],"slope":"fixed"}}"#,
    )
    .unwrap();
    let bytes = crate::packed::pack(&of).unwrap();
    assert_eq!(crate::packed::unpack::<Evaluated>(&bytes).unwrap(), of);
}
