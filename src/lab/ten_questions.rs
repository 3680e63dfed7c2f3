//! Screen 1: your confidence is a forecast, and ten answers cannot settle its calibration.

use super::answer::ROOM;
use super::diagram::{Scores, diagram};
use super::tally::{TenAnswers, code_of_ten, pooled};
use super::{LabAnswer, LabRequest};
use crate::error::{Error, Result};
use crate::metric::brier::brier_pair;
use crate::num::proportion::wilson_interval;
use crate::words::number::{fixed, percent};

/// Bins of which each holds one of the confidences 50, 60, … 100 %.
const BINS: usize = 11;

/// Questions of a set that has a code.
const TEN: usize = 10;

/// What the code carries. The salt is of the student's number and of which answers were given how.
fn ten_answers(request: &LabRequest, right: u32) -> TenAnswers {
    let percent = |c: f64| c.round() as u32;
    let each = request.stated.iter().zip(&request.right).zip(1..);
    let mixed: u32 = each.map(|((&c, &right), place)| place * (percent(c) / 10 + right)).sum();
    let stated = request.stated.iter().map(|&c| percent(c)).sum();
    TenAnswers { right, stated, salt: (request.k + mixed) % 21 }
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let (n, right) = (request.stated.len(), request.right.len());
    if n != right {
        let message = format!("{n} confidences and {right} answers");
        return Err(Error::new("length_mismatch", message, "Give every answer its confidence."));
    }
    let mut found = LabAnswer::of(request);
    if !request.codes.is_empty() {
        found.pooled = Some(pooled(request.lesson, &request.codes));
    }
    if n == 0 {
        return Ok(found);
    }
    let stated: Vec<f64> = request.stated.iter().map(|c| c / 100.0).collect();
    let correct: Vec<u8> = request.right.iter().map(|&right| right as u8).collect();
    let k: u32 = request.right.iter().sum();
    let mean = stated.iter().sum::<f64>() / n as f64;
    let (low, high) = wilson_interval(f64::from(k), n as f64);
    let brier = brier_pair(&stated, &correct)?;
    found.number_as("right", "Right", f64::from(k), format!("{k} of {n}"), "");
    found.number_as("stated", "Stated confidence, mean", mean, percent(mean), "");
    let interval = format!("95% CI {} to {}", percent(low), percent(high));
    found.number_as("share", "Share right", f64::from(k) / n as f64, percent(f64::from(k) / n as f64), &interval);
    found.decimal("brier", "Brier score", brier, "0.250 by always stating 50%");
    let held = if (low..=high).contains(&mean) { "consistent with" } else { "evidence against" };
    found.say(format!("You stated {} on average and were right {k} times out of {n} ({interval}).", percent(mean)));
    found.say(format!("{n} answers are {held} calibration on average."));
    found.say(format!("Your Brier score is {}; always stating 50% gives 0.250.", fixed(brier, 3)));
    found.say("To distinguish 70% stated from 60% right with 80% power takes 194 questions.");
    if n == TEN {
        found.code = code_of_ten(request.lesson, &ten_answers(request, k));
    }
    let mut chart = diagram(&[Scores { name: "you", p: &stated, y: &correct }], BINS)?;
    "stated confidence".clone_into(&mut chart.score_name);
    "share right".clone_into(&mut chart.target_name);
    "right".clone_into(&mut chart.events_name);
    "wrong".clone_into(&mut chart.others_name);
    found.draw(request, "diagram", chart, ROOM);
    Ok(found)
}
