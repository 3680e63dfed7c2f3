//! Public files, where they are at hand.

use crate::support::bytes::*;
use crate::support::public::public;
use localcal::data::{OpenOptions, Role, Scores};
use localcal::table::Reals;

#[test]
fn cifar10_probabilities() {
    let name = "cifar10-wideresnet-16-4.npz";
    let Some(bytes) = public(name) else { return };
    let (predictions, summary) = open_with(&[(name, &bytes)], &OpenOptions::default()).unwrap();
    assert_eq!(roles_of(&summary), "ground_truth label, predictions probabilities");
    assert_eq!((summary.rows, summary.classes), (10_000, 10));
    let Some(Scores::Probabilities(matrix)) = &predictions.scores else { panic!() };
    assert!(matches!(matrix.values, Reals::F32(_)));
    let right: usize = predictions.correct.unwrap().iter().map(|&a| usize::from(a)).sum();
    assert!((9_000..9_800).contains(&right), "{right} of 10,000 right");
    let mean: f64 = predictions.confidence.unwrap().iter().sum::<f64>() / 10_000.0;
    assert!(mean > 0.9 && mean < 1.0);
}

#[test]
fn public_tables() {
    for (name, label, rows, extra) in [
        ("compas-scores-two-years.csv", "two_year_recid", 7_214, ("race", Role::Group)),
        ("heart.csv", "HeartDisease", 918, ("Age", Role::Feature)),
        ("AHS_2019_Cleaned.csv", "OWNER", 48_660, ("HINCP", Role::Feature)),
    ] {
        let Some(bytes) = public(name) else { continue };
        let options = roles(&[(label, Role::Label), extra]);
        let (predictions, summary) = open_with(&[(name, &bytes)], &options).unwrap();
        assert_eq!((summary.rows, summary.classes), (rows, 2), "{name}");
        assert_eq!(summary.labels, ["0", "1"]);
        assert_eq!(predictions.scores, None, "{name}: {}", roles_of(&summary));
    }
}

#[test]
fn compas_deciles_are_not_taken_for_probabilities() {
    let name = "compas-scores-two-years.csv";
    let Some(bytes) = public(name) else { return };
    let (_, summary) = open_with(&[(name, &bytes)], &OpenOptions::default()).unwrap();
    let of = |name: &str| summary.columns.iter().find(|c| c.name == name).unwrap();
    assert_eq!(of("two_year_recid").role, Role::Label);
    assert_eq!(of("decile_score").role, Role::Ignore);
    assert!(!of("decile_score").sure);
    assert_eq!(of("race").role, Role::Group);
    assert_eq!(of("decile_score (2)").name, "decile_score (2)");
    assert!(codes(&summary).contains(&"score_not_probability"));
}

/// As an auditor opens it: the score is given its role, and is read as the middle of its tenth.
#[test]
fn compas_deciles_can_be_called_probabilities() {
    let name = "compas-scores-two-years.csv";
    let Some(bytes) = public(name) else { return };
    let options = roles(&[("decile_score", Role::Probability)]);
    let (predictions, summary) = open_with(&[(name, &bytes)], &options).unwrap();
    assert!(codes(&summary).contains(&"score_in_tenths"));
    let (Some(Scores::Binary { p, .. }), Some(y)) = (&predictions.scores, &predictions.y) else {
        panic!("{}", roles_of(&summary));
    };
    let pairs = p.iter().zip(y.iter());
    let brier = pairs.map(|(p, &y)| (p - f64::from(y)).powi(2)).sum::<f64>() / p.len() as f64;
    assert!((brier - 0.231_934_433_046_853_32).abs() < 1e-12, "{brier}");
    // the middle of a tenth is no percentage: nothing is left to ask about the score
    assert!(summary.columns.iter().all(|column| column.offer.is_none()));
    // codings of recidivism at any time, and the end of follow-up; nothing that was known when the score was given
    let after: Vec<String> = summary.possible_leakage.clone();
    assert!(
        ["is_recid", "r_charge_degree", "event", "end", "r_jail_in", "is_violent_recid"]
            .iter()
            .all(|name| after.iter().any(|one| one == name)),
        "{after:?}"
    );
    assert!(
        ["age", "sex", "race", "priors_count", "juv_fel_count", "c_jail_out"]
            .iter()
            .all(|name| after.iter().all(|one| one != name))
    );
}
