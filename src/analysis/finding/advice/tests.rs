//! The choice by hand.

use super::Mended;
use super::candidate::Known;
use super::choose::choose;
use super::judge::{Judged, Verdicts};
use crate::evaluation::method::MethodSpec;

fn one(after: f64, half: f64) -> Mended {
    let description = "ward = ICU".to_owned();
    Mended { description, rows: 100, before: -0.2, after, low: after - half, high: after + half }
}

/// A candidate whose loss is 0.5 + `change`, give or take, and that leaves the ward off by `left` ± 0.05.
fn judged(change: f64, left: f64) -> Judged {
    let nll_change: Vec<f64> = (0..100).map(|i| change + if i % 2 == 0 { 0.01 } else { -0.01 }).collect();
    let found = Verdicts {
        nll: 0.5 + change,
        nll_change: nll_change.into(),
        whom: vec![one(left, 0.05)],
        ..Verdicts::default()
    };
    let known = Known { method: MethodSpec::Id("x".to_owned()), title: "x".to_owned() };
    Judged { known, found: Ok(found) }
}

fn place(of: &[Judged], chance: bool) -> usize {
    choose(&of.iter().collect::<Vec<_>>(), chance).place
}

#[test]
fn the_simplest_that_mends() {
    let as_it_is = judged(0.0, -0.2);
    // Both mend at the same loss: the first. One that does not is passed by.
    assert_eq!(place(&[as_it_is.clone(), judged(-0.1, -0.12), judged(-0.1, 0.01), judged(-0.1, 0.0)], false), 2);
    // A simpler one whose loss is larger row by row is not within a standard error.
    assert_eq!(place(&[as_it_is.clone(), judged(-0.09, 0.0), judged(-0.1, 0.0)], false), 2);
    // None mends: the least harm among the best, and who stays wrong is known.
    let some = [as_it_is.clone(), judged(-0.1, -0.12), judged(-0.1, -0.08), judged(-0.05, -0.06)];
    assert_eq!(place(&some, false), 2);
    assert_eq!(choose(&some.iter().collect::<Vec<_>>(), false).among_best, [false, true, true, false]);
    // What breaks another one is passed by, however small its loss.
    let mut breaks = judged(-0.1, 0.0);
    if let Ok(found) = &mut breaks.found {
        found.broken.push(one(0.3, 0.1));
    }
    assert_eq!(place(&[as_it_is, breaks, judged(-0.1, 0.0)], false), 2);
}

#[test]
fn nothing_is_done_for_nothing() {
    let none = Known { method: MethodSpec::Id("x".to_owned()), title: "x".to_owned() };
    let refused = Judged { known: none, found: Err("it cannot be fitted".to_owned()) };
    let right = |change: f64| judged(change, 0.0);
    // A gain of one standard error of none of the rows.
    let mut noisy = right(-0.001);
    if let Ok(found) = &mut noisy.found {
        found.nll_change = (0..100).map(|i| if i % 2 == 0 { 0.1 } else { -0.102 }).collect();
    }
    assert_eq!(place(&[right(0.0), noisy, refused.clone()], true), 0);
    assert_eq!(place(&[right(0.0), right(-0.1)], true), 1, "chance cannot have done it");
    assert_eq!(place(&[right(0.0), right(0.0)], false), 0);
    assert_eq!(place(&[refused.clone(), refused], false), 0);
    assert_eq!(place(&[], true), 0);
}

#[test]
fn a_candidate_travels_as_it_is() {
    let mut of = judged(-0.1, 0.0);
    of.known.method = serde_json::from_str(
        r#"{"id":"slice_intercept","name":"Shift of ward = ICU","parameters":{"slices":[{"conditions":[{"column":"ward","values":["ICU"]}]}],"slope":"fixed"}}"#,
    )
    .unwrap();
    let bytes = crate::packed::pack(&of).unwrap();
    assert_eq!(crate::packed::unpack::<Judged>(&bytes).unwrap(), of);
}
