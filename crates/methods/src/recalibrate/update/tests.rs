use serde_json::Value;

use super::*;
use crate::fixtures::near;
use proptest::prelude::*;

/// The golden rows: scores, outcomes, weights, the ward of each, and whether it is old.
struct Golden {
    p: Vec<f64>,
    t: Vec<u8>,
    w: Vec<f64>,
    ward: Vec<u32>,
    old: Vec<bool>,
    fits: Vec<Value>,
}

fn numbers(of: &Value) -> Vec<f64> {
    of.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
}

impl Golden {
    fn read() -> Self {
        let of: Value = serde_json::from_str(include_str!("../../../../../tests/golden/updates.json")).expect("JSON");
        Self {
            p: numbers(&of["p"]),
            t: numbers(&of["y"]).iter().map(|&y| y as u8).collect(),
            w: numbers(&of["w"]),
            ward: numbers(&of["ward"]).iter().map(|&code| code as u32).collect(),
            old: numbers(&of["old"]).iter().map(|&old| old == 1.0).collect(),
            fits: of["fits"].as_array().expect("fits").clone(),
        }
    }

    fn rows(&self) -> Vec<u32> {
        (0..self.p.len() as u32).collect()
    }

    /// The six wards, or four subgroups that overlap.
    fn belonging(&self, groups: &str) -> Belonging {
        if groups == "wards" {
            return Belonging::of_codes(&self.ward, 6);
        }
        let third: Vec<bool> = self.ward.iter().map(|&code| code == 2).collect();
        let both = third.iter().zip(&self.old).map(|(a, b)| *a && *b).collect();
        let first = self.ward.iter().map(|&code| code <= 1).collect();
        Belonging::of_masks(&[third, self.old.clone(), both, first], &self.rows())
    }
}

#[test]
fn agrees_with_statsmodels_and_numpy() {
    let golden = Golden::read();
    assert_eq!(golden.fits.len(), 12);
    for case in &golden.fits {
        let of = golden.belonging(case["groups"].as_str().expect("a name"));
        let slope: Slope = serde_json::from_value(case["slope"].clone()).expect("a slope");
        let w = (case["weighted"] == true).then_some(golden.w.as_slice());
        for (key, spread, close) in [("given", Some(0.5), 1e-9), ("likeliest", None, 1e-6)] {
            let found = fit(&golden.p, &golden.t, w, &of, &UpdateOptions { slope, spread }).expect("valid");
            assert!(found.warnings.is_empty() && found.at_bound.is_none(), "{found:?}");
            let (found, expected) = (found.parameters, &case[key]);
            for (ours, theirs) in [(found.a, "a"), (found.b, "b"), (found.spread, "spread")] {
                near(Some(ours), expected[theirs].as_f64().expect("a number"), close);
            }
            for (ours, theirs) in found.shifts.iter().zip(numbers(&expected["shifts"])) {
                near(Some(*ours), theirs, close);
            }
        }
    }
}

#[test]
fn groups_apart_are_the_same_as_masks() {
    let golden = Golden::read();
    let (p, t, options) = (&golden.p, &golden.t, UpdateOptions::default());
    let apart = fit(p, t, None, &golden.belonging("wards"), &options).expect("valid").parameters;
    let mut masks: Vec<Vec<bool>> = (0..6).map(|k| golden.ward.iter().map(|&code| code == k).collect()).collect();
    // A subgroup without rows has no shift, and changes nothing but the form.
    masks.push(vec![false; p.len()]);
    let alone = fit(p, t, None, &Belonging::of_masks(&masks, &golden.rows()), &options).expect("valid").parameters;
    near(Some(alone.shifts[6]), 0.0, 1e-12);
    // One row of a ward in another subgroup as well: the curvature is no diagonal any more.
    masks[6][0] = true;
    let fixed = UpdateOptions { spread: Some(apart.spread), ..options };
    let overlap = fit(p, t, None, &Belonging::of_masks(&masks, &golden.rows()), &fixed).expect("valid").parameters;
    for (k, shift) in apart.shifts.iter().enumerate() {
        near(Some(alone.shifts[k]), *shift, 0.05);
        near(Some(overlap.shifts[k]), *shift, 0.05);
    }
    // The same subgroup twice shares its shift: a curvature that only the spread keeps from being singular.
    let twice = [masks[2].clone(), masks[2].clone()];
    let twice = fit(p, t, None, &Belonging::of_masks(&twice, &golden.rows()), &options).expect("valid").parameters;
    near(Some(twice.shifts[0]), twice.shifts[1], 1e-9);
    assert!(twice.shifts[0] > 0.2, "{twice:?}");
}

#[test]
fn a_small_group_is_drawn_to_the_others() {
    // Of 1,000 rows at one half 3 of 4 happen in every group; of the last 8 none.
    let t: Vec<u8> = (0..1008).map(|i| u8::from(i < 1000 && i % 4 != 0)).collect();
    let codes: Vec<u32> = (0..1008).map(|i| i / 100).collect();
    let of = Belonging::of_codes(&codes, 11);
    let options = UpdateOptions { slope: Slope::Fixed, spread: Some(0.3) };
    let found = fit(&[0.5; 1008], &t, None, &of, &options).expect("valid").parameters;
    assert!(found.shifts[10] < -0.2 && found.shifts[10] > -1.0, "{found:?}");
    // Groups that all are as all are do not differ: no shift at all.
    let options = UpdateOptions { slope: Slope::Fixed, spread: None };
    let of = Belonging::of_codes(&codes[..1000], 10);
    let found = fit(&[0.5; 1000], &t[..1000], None, &of, &options).expect("valid").parameters;
    assert!(found.spread == 0.0 && found.shifts.iter().all(|shift| *shift == 0.0), "{found:?}");
    near(Some(found.b), 3.0_f64.ln(), 1e-9);
    near(Some(found.apply(&[0.5], std::iter::once(0.0))[0]), 0.75, 1e-9);
}

#[test]
fn what_has_no_maximum_stays_finite() {
    let of = Belonging::of_codes(&[0, 0, 1, 1], 2);
    for (p, t) in [([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]), ([0.1, 0.5, 0.9, 1.0], [1; 4]), ([0.3; 4], [0, 1, 1, 1])] {
        for slope in [Slope::Identity, Slope::Fixed, Slope::Free] {
            for spread in [None, Some(2.0)] {
                let found = fit(&p, &t, None, &of, &UpdateOptions { slope, spread }).expect("valid").parameters;
                let all = [found.a, found.b, found.spread].into_iter().chain(found.shifts.clone());
                assert!(all.into_iter().all(f64::is_finite), "{slope:?} {found:?}");
            }
        }
    }
    assert_eq!(fit(&[], &[], None, &of, &UpdateOptions::default()).map_err(|e| e.code()).err(), Some("empty"));
    let short = fit(&[0.5; 3], &[0, 1, 1], None, &of, &UpdateOptions::default());
    assert_eq!(short.map_err(|e| e.code()).err(), Some("length_mismatch"));
}

#[test]
fn rows_of_no_group_stay_as_they_are() {
    let golden = Golden::read();
    let third: Vec<bool> = golden.ward.iter().map(|&code| code == 2).collect();
    let of = Belonging::of_masks(std::slice::from_ref(&third), &golden.rows());
    let options = UpdateOptions { slope: Slope::Identity, spread: None };
    let found = fit(&golden.p, &golden.t, None, &of, &options).expect("valid");
    assert!(found.objective_after < found.objective_before, "{found:?}");
    let update = found.parameters;
    assert!((update.a, update.b) == (1.0, 0.0) && update.shifts[0] > 0.5, "{update:?}");
    let shift = third.iter().map(|inside| if *inside { update.shifts[0] } else { 0.0 });
    for ((after, before), inside) in update.apply(&golden.p, shift).iter().zip(&golden.p).zip(&third) {
        // bit for bit, not to rounding
        assert!(if *inside { after > before } else { after == before }, "{before} {after}");
    }
}

proptest! {
    /// The equations of the penalized fit: Σ (t − p′) = 0, and in each group Σ (t − p′) = δ / τ².
    #[test]
    fn the_penalised_equations_hold(
        rows in proptest::collection::vec((0.01..0.99_f64, 0..2_u8, 0..5_u32, proptest::bool::ANY), 12..120),
        free: bool,
        given in proptest::option::of(0.05..2.0_f64),
    ) {
        let p: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let t: Vec<u8> = rows.iter().map(|row| row.1).collect();
        let every: Vec<u32> = (0..rows.len() as u32).collect();
        let mut masks: Vec<Vec<bool>> = (0..5).map(|k| rows.iter().map(|row| row.2 == k).collect()).collect();
        masks.push(rows.iter().map(|row| row.3).collect());
        let of = Belonging::of_masks(&masks, &every);
        let slope = if free { Slope::Free } else { Slope::Fixed };
        let fitted = fit(&p, &t, None, &of, &UpdateOptions { slope, spread: given }).unwrap();
        prop_assume!(fitted.at_bound.is_none() && t.contains(&0) && t.contains(&1));
        prop_assert!(fitted.warnings.iter().all(|w| w.contains("negative")), "{:?}", fitted.warnings);
        prop_assert!(fitted.objective_after <= fitted.objective_before + 1e-9);
        let found = &fitted.parameters;
        let shift = |i: usize| -> f64 { masks.iter().zip(&found.shifts).map(|(m, s)| if m[i] { *s } else { 0.0 }).sum() };
        let q = found.apply(&p, (0..p.len()).map(shift));
        let rest: Vec<f64> = q.iter().zip(&t).map(|(q, &t)| f64::from(t) - q).collect();
        prop_assert!(rest.iter().sum::<f64>().abs() < 1e-6);
        for (mask, shift) in masks.iter().zip(&found.shifts) {
            let own: f64 = mask.iter().zip(&rest).filter(|(m, _)| **m).map(|(_, r)| r).sum();
            match found.spread == 0.0 {
                true => prop_assert_eq!(*shift, 0.0),
                false => prop_assert!((own - shift / found.spread.powi(2)).abs() < 1e-6, "{} {}", own, shift),
            }
        }
    }
}
