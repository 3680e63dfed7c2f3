//! The verdict of the trust test, and what stands beneath it, in sentences.

use super::{KlceMethod, KlceQuestion};
use crate::data::Predictions;
use crate::evaluation::method::whose_scores;
use crate::evaluation::trust::{DRAWS, GammaChoice, TrustForm, form};
use crate::hypothesis::{Null, SIMULATED, SimulatedBias, SimulatedPower, TrustEngine};
use crate::report::reading::capital;
use crate::report::verdict::{Evidence, Verdict};
use crate::words::number::{count, percent, points_size, significant};

/// "0.001", "0.34"; p-values carry no more than two digits.
pub(super) fn p_words(p: f64) -> String {
    format!("{p:.*}", if p < 0.1 { 3 } else { 2 })
}

/// About the scores of the first method, at the level that was asked for.
pub(super) fn verdict(first: Option<&KlceMethod>, question: &KlceQuestion, no_test: Option<String>) -> Verdict {
    let Some(first) = first else {
        return Verdict::untested("", None, "No method was tested");
    };
    let (name, size) = (first.method.as_str(), first.klce2_normalised);
    if let Some(why) = no_test {
        return Verdict::untested(name, size, why);
    }
    match first.p_bernoulli {
        Some(p) => Verdict::new(name, size, Evidence::P(p)).at(question.alpha),
        None => {
            let bernoulli = first.nulls.iter().find(|one| one.null == Null::Bernoulli);
            let why = match bernoulli.and_then(|one| one.reason.as_deref()) {
                Some("every_draw_is_alike") => "every score is certain, so there is nothing to draw",
                _ if first.rows < 2 => "there are fewer than two rows",
                _ => "no draws of the Bernoulli null were asked for",
            };
            let why = format!("There is no verdict on {}: {why}", whose_scores(name));
            Verdict::untested(name, size, why)
        }
    }
}

pub(super) fn reading(first: &KlceMethod, verdict: &Verdict) -> String {
    let (whose, n) = (whose_scores(&first.method), count(first.rows as u64));
    let p = p_words(first.p_bernoulli.unwrap_or(f64::NAN));
    let claim = || {
        format!(
            "{} are wrong somewhere: if they were right, errors as alike as these would come up with \
             probability {p} ({n} rows, trust test). It does not say where.",
            capital(&whose)
        )
    };
    verdict.headline(claim, || nothing_was_found(first, &n, &p))
}

fn nothing_was_found(first: &KlceMethod, n: &str, p: &str) -> String {
    let name = &first.method;
    if let Some(simulated) = first.power.and_then(|power| power.simulated) {
        return format!("{}{}", nothing_found(name, n, p), simulated_words(&simulated, n));
    }
    let caught = match first.power.map(|power| (power.everywhere, power.locally)) {
        Some((Some(all), Some(some))) => format!(
            " Four times out of five these {n} rows would have given away a bias of {} everywhere, or of {} in an eighth \
             of the rows that are alike; smaller errors may well be there.",
            points_size(all),
            points_size(some)
        ),
        Some((Some(all), None)) => format!(
            " Four times out of five these {n} rows would have given away a bias of {} everywhere; no bias in just an \
             eighth of the rows would have been caught.",
            points_size(all)
        ),
        Some((None, _)) => {
            format!(" But {n} rows with this kernel are too few: not even the largest bias would have been caught.")
        }
        None => " That is no proof that there is nothing.".to_owned(),
    };
    nothing_found(name, n, p) + &caught
}

pub(super) fn nothing_found(name: &str, n: &str, p: &str) -> String {
    format!(
        "Nothing was found against {}: if they were right, errors as alike as these would come up with probability {p} \
         ({n} rows, trust test).",
        whose_scores(name)
    )
}

/// What simulation says the test would have caught.
pub(super) fn simulated_words(simulated: &SimulatedPower, n: &str) -> String {
    let Some(all) = simulated.everywhere else {
        return format!(
            " But {n} rows with this kernel are too few: in simulations not even the largest bias was caught four times out \
             of five."
        );
    };
    let of = |bias: &SimulatedBias| format!("{} of {}", bias.caught, bias.draws);
    let locally = simulated
        .locally
        .as_ref()
        .map_or("no bias in just an eighth of the rows was caught four times out of five".to_owned(), |some| {
            format!("one of {} in an eighth of the rows that are alike in {}", points_size(some.bias), of(some))
        });
    format!(
        " In simulations these {n} rows gave away a bias of {} everywhere in {} drawn outcomes, and {locally}; smaller errors \
         may well be there.",
        points_size(all.bias),
        of(&all)
    )
}

pub(super) fn what_was_tested(data: &Predictions, first: &KlceMethod, scored: usize) -> Option<String> {
    let mut words = match form(data) {
        TrustForm::Pair => String::new(),
        TrustForm::Vectors => "The whole probability vectors are tested, not the confidence alone. ".to_owned(),
        TrustForm::TopLabel => {
            "Confidence is tested against correctness: the positive view is the paper's own. ".to_owned()
        }
    };
    if first.rows < scored {
        words += &format!("Tested on {} of {} rows.", count(first.rows as u64), count(scored as u64));
    }
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

pub(super) fn how_gamma(first: &KlceMethod, gamma: &GammaChoice) -> Option<String> {
    match gamma {
        GammaChoice::Rule(rule) if rule == "power" => Some(format!(
            "γ = {} was chosen on one half of the rows, by the largest ratio of statistic to null spread; the test is on \
             the other half, {} rows.",
            significant(first.gamma),
            count(first.rows as u64)
        )),
        _ => None,
    }
}

pub(super) fn power_note(first: &KlceMethod) -> Option<String> {
    let power = first.power?;
    if let Some(simulated) = power.simulated {
        let words = |bias: Option<SimulatedBias>| {
            bias.map_or("none is caught four times out of five".to_owned(), |bias| {
                format!(
                    "{} is caught in {} (95\u{a0}% interval {} to {}); cut to [0, 1] it is {} on average",
                    points_size(bias.bias),
                    percent(bias.caught as f64 / bias.draws as f64),
                    percent(bias.low),
                    percent(bias.high),
                    points_size(bias.realised.abs()),
                )
            })
        };
        return Some(format!(
            "At level {} with {} rows, by {SIMULATED} outcomes drawn for each bias. In every score: {}. In an eighth of the rows \
             that are alike (the middle one of eight such places): {}.",
            percent(power.alpha),
            count(first.rows as u64),
            words(simulated.everywhere),
            words(simulated.locally),
        ));
    }
    let size = |bias: Option<f64>| bias.map_or("more than 100 points".to_owned(), points_size);
    Some(format!(
        "At level {} with {} rows: a bias of {} in every score is caught four times out of five; one in an eighth of the \
         rows that are alike from {} on (median of eight such places). From the draws above, biases beyond 0 and 1 not cut.",
        percent(power.alpha),
        count(first.rows as u64),
        size(power.everywhere),
        size(power.locally),
    ))
}

/// How far off draws are, in standard deviations of the draws.
fn off_by(error: f64) -> String {
    if error < 1e-6 {
        return "off by less than a millionth of the spread of the draws".to_owned();
    }
    format!("off by {} null standard deviations", significant(error))
}

pub(super) fn engine_notes(first: &KlceMethod) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for one in &first.nulls {
        let how = match (one.engine, one.trace) {
            (TrustEngine::Exact, _) => "pair by pair in double precision".to_owned(),
            (TrustEngine::SubsetSums | TrustEngine::Products, _) => {
                format!("over all pairs in single precision; {}", off_by(one.engine_error))
            }
            (TrustEngine::LowRank, trace) => format!(
                "through a low-rank kernel that leaves out {} of its trace; {}",
                percent(trace.unwrap_or(0.0)),
                off_by(one.engine_error)
            ),
        };
        let note = format!("Statistic: exact, over every pair of rows. Draws: {how}.");
        if !notes.contains(&note) {
            notes.push(note);
        }
        if one.draws > 0 && one.draws < DRAWS {
            let note =
                format!("{} draws: no p-value is below {}.", one.draws, significant(1.0 / (one.draws + 1) as f64));
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}
