//! Screen 3: a model can be accurate and still over-confident.

use super::answer::ROOM;
use super::classes::Classes;
use super::diagram::{Scores, diagram, with_truth};
use super::planted::{is_plain, sentence};
use super::{LabAnswer, LabRequest, World};
use crate::error::Result;
use crate::metric::BinOptions;
use crate::metric::accuracy::accuracy;
use crate::metric::brier::{brier_pair, brier_sum};
use crate::metric::ece::ece;
use crate::metric::log_loss::{LOG_LOSS_CLIP, log_loss, log_loss_pair};
use crate::metric::reliability::reliability_table;
use crate::num::special::{PROB_CLIP, logit, sigmoid};
use crate::words::number::{fixed, percent, plain as written, significant};

/// Of one set of scores.
struct Measured {
    accuracy: f64,
    ece: f64,
    brier: f64,
    log_loss: f64,
}

fn measured(p: &[f64], y: &[u8], bins: &BinOptions) -> Result<Measured> {
    let right: Vec<u8> = p.iter().zip(y).map(|(&p, &y)| u8::from((p > 0.5) == (y == 1))).collect();
    Ok(Measured {
        accuracy: accuracy(&right, None),
        ece: ece(&reliability_table(p, y, bins)?).unwrap_or(0.0),
        brier: brier_pair(p, y)?,
        log_loss: log_loss_pair(p, y, LOG_LOSS_CLIP)?,
    })
}

/// The same of classes: accuracy and ECE of the predicted class, Brier score and log loss over all.
fn measured_classes(of: &Classes, bins: &BinOptions) -> Result<Measured> {
    Ok(Measured {
        accuracy: accuracy(&of.correct, None),
        ece: ece(&reliability_table(&of.confidence, &of.correct, bins)?).unwrap_or(0.0),
        brier: brier_sum(of.stated.view(), &of.label)?,
        log_loss: log_loss(of.stated.view(), &of.label, LOG_LOSS_CLIP)?,
    })
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let world = World::new(request);
    let bins = BinOptions::equal_width(request.bins as usize);
    let plain = LabRequest { factor: 1.0, ..request.clone() };
    let two = request.classes == 2;
    let classes = (!two).then(|| Classes::new(request, &world));
    let (now, before) = match &classes {
        None => (measured(&world.p, &world.y, &bins)?, measured(&World::new(&plain).p, &world.y, &bins)?),
        Some(of) => (measured_classes(of, &bins)?, measured_classes(&Classes::new(&plain, &world), &bins)?),
    };

    let mut found = LabAnswer::of(request);
    let moved = request.factor != 1.0;
    let beside = |text: String| if moved { format!("{text} at T = 1") } else { String::new() };
    found.number_as("accuracy", "Accuracy", now.accuracy, percent(now.accuracy), &beside(percent(before.accuracy)));
    found.decimal("ece", "ECE", now.ece, &beside(fixed(before.ece, 3)));
    let brier = if two { "Brier score" } else { "Brier score, summed over classes" };
    found.decimal("brier", brier, now.brier, &beside(fixed(before.brier, 3)));
    found.decimal("log_loss", "Log loss", now.log_loss, &beside(fixed(before.log_loss, 3)));

    let (t, accuracy) = (written(request.factor), percent(now.accuracy));
    if request.s == 0.0 && request.moved == 0.0 || !two {
        let side = match two {
            true => "because every prediction stays on its side of 50%",
            false => "because the most probable class of every row stays the same",
        };
        found.say(if now.accuracy == before.accuracy {
            format!("Accuracy stays at {accuracy}, {side}.")
        } else {
            format!("Accuracy is {accuracy}; it was {} at T = 1.", percent(before.accuracy))
        });
    } else {
        found.say(format!("Accuracy is {accuracy}; a shift moves predictions across 50%."));
    }
    let change = now.accuracy.total_cmp(&before.accuracy);
    found.right = Some(
        if change.is_lt() {
            "falls"
        } else if change.is_gt() {
            "rises"
        } else {
            "same"
        }
        .to_owned(),
    );
    // several classes have no error but that of T
    let holds = !two || is_plain(request);
    // log-odds of 0 are 0 times any factor
    let [share, base, _] = request.group;
    let one_log_odds = request.b == 0.0 && (share == 0.0 || base == 0.0);
    let idle = one_log_odds && (request.a == 0.0 || !two);
    if moved && idle {
        found.say("T has no effect here: the log-odds of all rows are 0.");
    } else if moved {
        let way = if now.ece >= before.ece { "rises" } else { "falls" };
        found.say(format!("The ECE {way} from {} to {}.", fixed(before.ece, 3), fixed(now.ece, 3)));
        let kind = if request.factor > 1.0 { "extreme" } else { "moderate" };
        let slope = significant(1.0 / request.factor);
        let of_two = format!("the true calibration slope is 1/T = {slope}");
        let why = if two && !one_log_odds { of_two } else { "their log-odds are T times the true ones".to_owned() };
        if holds {
            found.say(format!("At T = {t}, predictions are too {kind}: {why}."));
        }
    } else if holds {
        found.say("At T = 1, every stated probability is true. What remains of the ECE is chance.");
    }
    if !holds {
        found.say(sentence(request));
    }
    if let Some(of) = &classes {
        let mut chart = diagram(&[Scores { name: "model", p: &of.confidence, y: &of.correct }], request.bins as usize)?;
        "confidence: probability of the predicted class".clone_into(&mut chart.score_name);
        "accuracy".clone_into(&mut chart.target_name);
        "right".clone_into(&mut chart.events_name);
        "wrong".clone_into(&mut chart.others_name);
        found.draw(request, "diagram", chart, ROOM);
        return Ok(found);
    }
    let true_at = |p: f64| sigmoid((logit(p, PROB_CLIP) - request.s) / request.factor);
    let noise = |q: f64| q + request.noise * (1.0 - 2.0 * q);
    let scores = Scores { name: "model", p: &world.p, y: &world.y };
    let mut chart = diagram(&[scores], request.bins as usize)?;
    // with regions or a gap, no single curve is true
    if request.region.is_empty() && request.group == [0.0; 3] {
        chart = with_truth(chart, |p| noise(true_at(p)));
    }
    found.draw(request, "diagram", chart, ROOM);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_called_true_only_where_they_are() {
        let found = |request: LabRequest| answer(&LabRequest { screen: 3, ..request }).unwrap();
        let said = |request: LabRequest| found(request).sentences.join(" ");
        let plain = LabRequest::default();
        assert!(said(plain.clone()).contains("every stated probability is true"));
        assert!(said(LabRequest { factor: 2.0, ..plain.clone() }).contains("slope is 1/T = 0.5"));
        for other in [
            LabRequest { noise: 0.2, ..plain.clone() },
            LabRequest { s: 0.5, region: vec![[0.0, 1.5, 1.0, 30.0]], ..plain.clone() },
            LabRequest { group: [0.25, 0.0, 10.0], ..plain.clone() },
        ] {
            for factor in [1.0, 2.0] {
                let said = said(LabRequest { factor, ..other.clone() });
                assert!(!said.contains("is true") && !said.contains("1/T"), "{said}");
                assert!(said.contains("Errors set in this state: "), "{said}");
            }
        }
        let flat = said(LabRequest { b: 0.0, factor: 2.0, ..plain.clone() });
        assert!(flat.contains("T has no effect") && !flat.contains("too extreme") && !flat.contains("rises"), "{flat}");
        let one = said(LabRequest { b: 0.0, a: 1.0, factor: 2.0, ..plain.clone() });
        assert!(one.contains("too extreme") && !one.contains("slope"), "{one}");
        // these handles change no probability of several classes
        assert!(said(LabRequest { noise: 0.2, classes: 3, ..plain.clone() }).contains("is true"));
        // a shift moves predictions across 50%, and a factor moves them back
        let change = |s| found(LabRequest { s, factor: 2.0, ..plain.clone() }).right.unwrap();
        assert_eq!((change(0.0).as_str(), change(1.0).as_str()), ("same", "rises"));
    }
}
