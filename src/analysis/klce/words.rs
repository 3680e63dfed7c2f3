//! The verdict of the KLCE test, and what stands beneath it, in sentences.

use super::{KlceMethod, KlceNull, KlceQuestion};
use crate::data::Predictions;
use crate::evaluation::klce::{DRAWS, GammaChoice, KlceForm, form};
use crate::evaluation::method::whose_scores;
use crate::hypothesis::{KlceEngine, Null, SIMULATED, SimulatedBias, SimulatedPower};
use crate::report::verdict::{Evidence, Verdict};
use crate::words::number::{count, p_value, percent, percentage_points, significant};

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
                Some("every_draw_is_alike") => "every score is 0 or 1, so that outcomes cannot be simulated",
                _ if first.rows < 2 => "there are fewer than two rows",
                _ => "no draws of the Bernoulli null were requested",
            };
            let why = format!("Calibration of {} was not tested: {why}", whose_scores(name));
            Verdict::untested(name, size, why)
        }
    }
}

pub(super) fn reading(first: &KlceMethod, verdict: &Verdict) -> String {
    let (whose, n) = (whose_scores(&first.method), count(first.rows as u64));
    let p = p_value(first.p_bernoulli.unwrap_or(f64::NAN));
    let claim = || {
        format!("Calibration of {whose} is rejected (KLCE test, {p}, n = {n}). The test does not locate the error.",)
    };
    verdict.headline(claim, || not_rejected_with_power(first, &n, &p))
}

fn not_rejected_with_power(first: &KlceMethod, n: &str, p: &str) -> String {
    let name = &first.method;
    if let Some(simulated) = first.power.and_then(|power| power.simulated) {
        return format!("{}{}", not_rejected(name, n, p), simulated_words(&simulated));
    }
    let power = match first.power.map(|power| (power.everywhere, power.locally)) {
        Some((Some(all), Some(some))) => format!(
            " Power was 80% for a bias of {} in every score, or of {} in one eighth of the rows.",
            percentage_points(all),
            percentage_points(some)
        ),
        Some((Some(all), None)) => format!(
            " Power was 80% for a bias of {} in every score, and below 80% for any bias in one eighth of the rows.",
            percentage_points(all)
        ),
        Some((None, _)) => {
            " With so few rows and this kernel, power was below 80% for even the largest bias.".to_owned()
        }
        None => " Failure to reject is not evidence of calibration.".to_owned(),
    };
    not_rejected(name, n, p) + &power
}

pub(super) fn not_rejected(name: &str, n: &str, p: &str) -> String {
    format!("Calibration of {} is not rejected (KLCE test, {p}, n = {n}).", whose_scores(name))
}

/// What simulation says the test would have caught.
pub(super) fn simulated_words(simulated: &SimulatedPower) -> String {
    let Some(all) = simulated.everywhere else {
        return " With so few rows and this kernel, simulated power was below 80% for even the largest bias."
            .to_owned();
    };
    let of = |bias: &SimulatedBias| format!("{} of {}", bias.caught, bias.draws);
    let locally =
        simulated.locally.as_ref().map_or("no bias in one eighth of the rows had 80% power".to_owned(), |some| {
            format!("a bias of {} in one eighth of the rows in {}", percentage_points(some.bias), of(some))
        });
    format!(
        " In simulations, a bias of {} in every score was detected in {} data sets, and {locally}; smaller errors may go \
         undetected.",
        percentage_points(all.bias),
        of(&all)
    )
}

pub(super) fn what_was_tested(data: &Predictions, first: &KlceMethod, scored: usize) -> Option<String> {
    let mut words = match form(data) {
        KlceForm::Pair => String::new(),
        KlceForm::Vectors => "The test uses the probabilities of all classes, not the confidence alone. ".to_owned(),
        KlceForm::TopLabel => "Confidence is tested against correctness; the paper tests P(y = 1). ".to_owned(),
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
            "γ = {} was tuned on one half of the rows, for the largest ratio of statistic to null standard \
             deviation; the other half, {} rows, was tested.",
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
            bias.map_or("power is below 80% for any bias".to_owned(), |bias| {
                format!(
                    "a bias of {} is detected in {} (95% CI {} to {}); clipped to [0, 1] it is {} on average",
                    percentage_points(bias.bias),
                    percent(bias.caught as f64 / bias.draws as f64),
                    percent(bias.low),
                    percent(bias.high),
                    percentage_points(bias.realised.abs()),
                )
            })
        };
        return Some(format!(
            "At level {} with {} rows, from {SIMULATED} simulated sets of outcomes per bias. In every score: {}. In \
             one eighth of the rows that are similar (median of eight such regions): {}.",
            percent(power.alpha),
            count(first.rows as u64),
            words(simulated.everywhere),
            words(simulated.locally),
        ));
    }
    let size = |bias: Option<f64>| bias.map_or("more than 100 percentage points".to_owned(), percentage_points);
    Some(format!(
        "At level {} with {} rows, power is 80% for a bias of {} in every score, or of {} in one eighth of the rows \
         that are similar (median of eight such regions). Approximated from the draws above, without clipping to \
         [0, 1].",
        percent(power.alpha),
        count(first.rows as u64),
        size(power.everywhere),
        size(power.locally),
    ))
}

/// How far off draws are, in standard deviations of the draws.
fn deviation(error: f64) -> String {
    if error < 1e-6 {
        return "error below one millionth of the standard deviation of the draws".to_owned();
    }
    format!("error {} null standard deviations", significant(error))
}

/// How the statistic and its draws were computed: once for all null distributions, with the largest error among them.
pub(super) fn engine_notes(first: &KlceMethod) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let how = |one: &KlceNull| match one.engine {
        KlceEngine::Exact => "pair by pair in double precision".to_owned(),
        KlceEngine::SubsetSums | KlceEngine::Products => {
            format!("over all pairs in single precision; {}", deviation(one.engine_error))
        }
        KlceEngine::LowRank => format!(
            "from a low-rank kernel that omits {} of the trace; {}",
            percent(one.trace.unwrap_or(0.0)),
            deviation(one.engine_error)
        ),
    };
    if let Some(one) = first.nulls.iter().max_by(|a, b| a.engine_error.total_cmp(&b.engine_error)) {
        notes.push(format!("Statistic: exact, over all pairs of rows. Draws: {}.", how(one)));
    }
    for one in &first.nulls {
        if one.draws > 0 && one.draws < DRAWS {
            let note = format!(
                "{} draws: the smallest possible p-value is {}.",
                one.draws,
                significant(1.0 / (one.draws + 1) as f64)
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}
