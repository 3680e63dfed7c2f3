//! The trust test of several methods side by side, as a sheet.

use serde::Serialize;
use tsify::Tsify;

use super::RunOutcome;
use super::ground::features_field;
use super::sheet::{Block, Cell, Field, FieldKind, Sheet, SheetTable, Tone};
use super::view::{Fact, method_rows};
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::features::name_of;
use crate::evaluation::trust::{DRAWS, GammaChoice, TrustForm, TrustSettings, form};
use crate::hypothesis::{
    Null, NullFound, SIMULATED, SimulatedBias, SimulatedPower, TrustEngine, TrustFound, TrustPower,
    WIDTH_P, acceptance_bound,
};
use crate::plot::format::{count, percent, points_size, significant};
use crate::plot::null_histogram::{NullChart, null_histogram};

/// Histograms that are drawn.
const DRAWN: usize = 4;
/// Level where none is asked for.
pub const ALPHA: f64 = 0.05;

/// What `data.analyse("klce")` resolves to.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
pub struct KlceOutcome {
    /// one entry per method
    pub methods: Vec<KlceMethod>,
    /// what the page shows
    pub sheet: Sheet,
}

/// The trust test of one method; what is undefined is null.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
pub struct KlceMethod {
    /// name of the method
    pub method: String,
    /// rows tested
    pub rows: usize,
    /// γ, as given or as found
    pub gamma: f64,
    /// w_p
    pub width_p: f64,
    /// T / [((n − 1)/n) Σ K]
    pub klce2_normalised: Option<f64>,
    /// T / (n(n − 1))
    pub klce2_unbiased: Option<f64>,
    /// T / Σ_{i≠j} K
    pub debiased_ratio: Option<f64>,
    /// (1 + #{T_b ≥ T}) / (N + 1), outcomes drawn from the scores
    pub p_bernoulli: Option<f64>,
    /// by centred permutations
    pub p_code: Option<f64>,
    /// every null that was asked for, in units of `klce2_normalised`
    pub nulls: Vec<KlceNull>,
    /// what the test would have caught; null for whole vectors, or without the Bernoulli null
    pub power: Option<TrustPower>,
    /// `klce2_unbiased` stays below this with probability 1 − α whatever the data (Corollary 3.7); very loose
    pub corollary_bound: f64,
    /// median of K over pairs of rows
    pub median_kernel: f64,
    /// what is wrong with the kernel
    pub warning: Option<String>,
}

/// One null of one method.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
pub struct KlceNull {
    /// which
    pub null: Null,
    /// p-value
    pub p: Option<f64>,
    /// why there is none
    pub reason: Option<String>,
    /// draws
    pub draws: usize,
    /// mean of the draws
    pub mean: f64,
    /// their standard deviation
    pub sd: f64,
    /// at 2.5, 25, 50, 75, 95 and 97.5 % of the draws
    pub quantiles: [f64; 6],
    /// how they were computed
    pub engine: TrustEngine,
    /// |T by that engine − T exactly| in standard deviations of the draws
    pub engine_error: f64,
    /// tr(R)/n where a low rank was used; at most about 0.001
    pub trace: Option<f64>,
}

/// What is asked about.
pub struct KlceQuestion<'a> {
    /// kernel and nulls
    pub settings: &'a TrustSettings,
    /// names of the methods
    pub methods: &'a [String],
    /// level of the test
    pub alpha: f64,
    /// whether biases were simulated
    pub simulate: bool,
    /// of the figures in CSS pixels
    pub width: Option<f64>,
}

/// The outcome, from the test of every method.
///
/// # Errors
/// `unknown_method`.
pub fn klce(
    data: &Predictions,
    run: &RunOutcome,
    question: &KlceQuestion,
    found: &[&TrustFound],
) -> Result<KlceOutcome> {
    let named = question.methods.iter().zip(found);
    let methods: Vec<KlceMethod> = named
        .clone()
        .map(|(name, found)| method(name, found, question.alpha))
        .collect();
    let mut blocks = Vec::new();
    if let (Some(first), Some((name, _))) = (methods.first(), named.clone().next()) {
        let scored = method_rows(run, Some(name))?.rows.len();
        blocks.push(Block::Reading(verdict(first, question)));
        blocks.extend(first.warning.clone().map(Block::Note));
        blocks.extend(what_was_tested(data, first, scored).map(Block::Note));
        if let Some(rule) = how_gamma(first, &question.settings.gamma) {
            blocks.push(Block::Note(rule));
        }
    }
    blocks.push(Block::Table(side_by_side(run, &methods, question.alpha)));
    let figures = named
        .clone()
        .take(DRAWN)
        .filter_map(|(name, found)| figure(name, found, question));
    blocks.push(Block::Figures(figures.collect()));
    if let Some(first) = methods.first() {
        blocks.push(Block::Heading("What each null sees".to_owned()));
        blocks.push(Block::Table(nulls_table(first)));
        blocks.extend(power_note(first).map(Block::Note));
        blocks.push(Block::Facts(facts(first, question)));
        blocks.extend(engine_notes(first).into_iter().map(Block::Note));
    }
    Ok(KlceOutcome {
        sheet: Sheet {
            fields: fields(data, run, question),
            blocks,
        },
        methods,
    })
}

fn method(name: &str, found: &TrustFound, alpha: f64) -> KlceMethod {
    // What turns T into the normalised form; 1 where there are no pairs.
    let n = found.n as f64;
    let unit = if found.n > 1 {
        (n - 1.0) / n * (found.mass + n)
    } else {
        1.0
    };
    let null = |one: &NullFound| KlceNull {
        null: one.null,
        p: one.p,
        reason: one.reason.clone(),
        draws: one.draws.len(),
        mean: one.mean / unit,
        sd: one.sd / unit,
        quantiles: one.quantiles.map(|q| q / unit),
        engine: one.engine,
        engine_error: one.error,
        trace: one.trace,
    };
    let p = |null: Null| found.under(null).and_then(|one| one.p);
    KlceMethod {
        method: name.to_owned(),
        rows: found.n,
        gamma: found.kernel.gamma,
        width_p: found.kernel.width_p,
        klce2_normalised: found.normalised,
        klce2_unbiased: found.unbiased,
        debiased_ratio: found.debiased_ratio,
        p_bernoulli: p(Null::Bernoulli),
        p_code: p(Null::PermuteCentred),
        nulls: found.nulls.iter().map(null).collect(),
        power: found.power,
        corollary_bound: acceptance_bound(found.n, alpha),
        median_kernel: found.spread.median,
        warning: found.spread.warning(),
    }
}

/// "0.001", "0.34"; p-values carry no more than two digits.
fn p_words(p: f64) -> String {
    format!("{p:.*}", if p < 0.1 { 3 } else { 2 })
}

fn verdict(first: &KlceMethod, question: &KlceQuestion) -> String {
    let (name, n) = (&first.method, count(first.rows as u64));
    let Some(p) = first.p_bernoulli else {
        let bernoulli = first.nulls.iter().find(|one| one.null == Null::Bernoulli);
        let why = match bernoulli.and_then(|one| one.reason.as_deref()) {
            Some("every_draw_is_alike") => "every score is certain, so there is nothing to draw",
            _ if first.rows < 2 => "there are fewer than two rows",
            _ => "no draws of the Bernoulli null were asked for",
        };
        return format!("There is no verdict on `{name}`: {why}.");
    };
    let p = (p, p_words(p));
    if p.0 <= question.alpha {
        return format!(
            "The scores of `{name}` are wrong somewhere: if they were right, errors as alike as these would come up with \
             probability {} ({n} rows, trust test). It does not say where.",
            p.1
        );
    }
    if let Some(simulated) = first.power.and_then(|power| power.simulated) {
        return format!(
            "{}{}",
            nothing_found(name, &n, &p.1),
            simulated_words(&simulated, &n)
        );
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
        Some((None, _)) => format!(
            " But {n} rows with this kernel are too few: not even the largest bias would have been caught."
        ),
        None => " That is no proof that there is nothing.".to_owned(),
    };
    nothing_found(name, &n, &p.1) + &caught
}

fn nothing_found(name: &str, n: &str, p: &str) -> String {
    format!(
        "Nothing was found against the scores of `{name}`: if they were right, errors as alike as these would come up with \
         probability {p} ({n} rows, trust test)."
    )
}

/// What simulation says the test would have caught.
fn simulated_words(simulated: &SimulatedPower, n: &str) -> String {
    let Some(all) = simulated.everywhere else {
        return format!(
            " But {n} rows with this kernel are too few: in simulations not even the largest bias was caught four times out \
             of five."
        );
    };
    let of = |bias: &SimulatedBias| format!("{} of {}", bias.caught, bias.draws);
    let locally = simulated.locally.as_ref().map_or(
        "no bias in just an eighth of the rows was caught four times out of five".to_owned(),
        |some| {
            format!(
                "one of {} in an eighth of the rows that are alike in {}",
                points_size(some.bias),
                of(some)
            )
        },
    );
    format!(
        " In simulations these {n} rows gave away a bias of {} everywhere in {} drawn outcomes, and {locally}; smaller errors \
         may well be there.",
        points_size(all.bias),
        of(&all)
    )
}

fn what_was_tested(data: &Predictions, first: &KlceMethod, scored: usize) -> Option<String> {
    let mut words = match form(data) {
        TrustForm::Pair => String::new(),
        TrustForm::Vectors => {
            "The whole probability vectors are tested, not the confidence alone. ".to_owned()
        }
        TrustForm::TopLabel => {
            "Confidence is tested against correctness: the positive view is the paper's own. "
                .to_owned()
        }
    };
    if first.rows < scored {
        words += &format!(
            "Tested on {} of {} rows.",
            count(first.rows as u64),
            count(scored as u64)
        );
    }
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

fn how_gamma(first: &KlceMethod, gamma: &GammaChoice) -> Option<String> {
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

/// Figure 4 of Vashistha and Farahi as a table.
fn side_by_side(run: &RunOutcome, methods: &[KlceMethod], alpha: f64) -> SheetTable {
    let titles = ["method", "#Brier", "#ECE", "#MCE", "#KLCE²", "#p"];
    let mut table = SheetTable::new("Usual measures beside the trust test", &titles);
    let definitions = [
        "",
        "squared error of the scores",
        "mean gap of the bins",
        "largest gap of the bins",
        "squared kernel local calibration error, normalised; may be negative",
        "share of right scores that would look as bad",
    ];
    for (column, definition) in table.columns.iter_mut().zip(definitions) {
        column.definition = definition.to_owned();
    }
    for method in methods {
        let report = run
            .report
            .methods
            .iter()
            .find(|report| report.name == method.method);
        let metric = |id: &str| {
            let value = report.and_then(|report| report.metrics.get(id)?.value);
            cell(value, significant)
        };
        let p = cell(method.p_bernoulli, p_words);
        table.rows.push(vec![
            method.method.as_str().into(),
            metric("brier"),
            metric("ece"),
            metric("mce"),
            cell(method.klce2_normalised, significant),
            match method.p_bernoulli {
                Some(p_value) if p_value <= alpha => p.with_beneath("wrong somewhere"),
                Some(_) => p.with_beneath("nothing found").toned(Tone::Muted),
                None => p,
            },
        ]);
    }
    table
}

fn cell(value: Option<f64>, words: impl Fn(f64) -> String) -> Cell {
    value.map_or_else(
        || Cell::from("–"),
        |value| Cell::number(words(value), value),
    )
}

fn null_words(null: Null) -> (&'static str, &'static str) {
    match null {
        Null::Bernoulli => (
            "outcomes drawn from the scores",
            "everything: scores that are wrong on average as well as those wrong here and there; the one to go by",
        ),
        Null::PermuteCentred => (
            "residuals shuffled, centred (published p-values)",
            "both kinds, but calls right scores wrong in about one of ten cases instead of one of twenty where rows differ \
             in how noisy they are",
        ),
        Null::Permute => (
            "residuals shuffled",
            "only errors that differ from place to place; blind to scores that are too high everywhere",
        ),
        Null::Bootstrap => (
            "residuals drawn with replacement",
            "only errors that differ from place to place, and those late; blind to scores that are too high everywhere",
        ),
    }
}

fn nulls_table(first: &KlceMethod) -> SheetTable {
    let titles = [
        "null",
        "what it sees",
        "#p",
        "#draws",
        "#middle 95 % of draws",
    ];
    let caption = format!(
        "KLCE² of `{}` by chance, in four ways of drawing",
        first.method
    );
    let mut table = SheetTable::new(caption, &titles);
    for one in &first.nulls {
        let (name, sees) = null_words(one.null);
        let p = match (one.p, one.reason.as_deref()) {
            (None, Some(reason)) => Cell::from("–").with_beneath(reason.replace('_', " ")),
            (p, _) => cell(p, p_words),
        };
        let [low, .., high] = one.quantiles;
        table.rows.push(vec![
            name.into(),
            sees.into(),
            p,
            Cell::number(count(one.draws as u64), one.draws as f64),
            format!("{} … {}", significant(low), significant(high)).into(),
        ]);
    }
    table
}

fn power_note(first: &KlceMethod) -> Option<String> {
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

fn facts(first: &KlceMethod, question: &KlceQuestion) -> Vec<Fact> {
    let fact = |name: &str, value: String| Fact {
        name: name.to_owned(),
        value,
    };
    let or_dash = |value: Option<f64>| value.map_or("–".to_owned(), significant);
    let bound = significant(first.corollary_bound);
    vec![
        fact("covariates", name_of(&question.settings.features)),
        fact("width of the kernel on scores", significant(first.width_p)),
        fact("γ of the kernel on covariates", significant(first.gamma)),
        fact(
            "kernel value of a typical pair",
            significant(first.median_kernel),
        ),
        fact("KLCE², normalised", or_dash(first.klce2_normalised)),
        fact("KLCE², unbiased", or_dash(first.klce2_unbiased)),
        fact("KLCE², over alike pairs", or_dash(first.debiased_ratio)),
        fact(
            "bound that holds for any data",
            format!("{bound} on the unbiased form (Corollary 3.7): very loose, only to report"),
        ),
    ]
}

fn engine_notes(first: &KlceMethod) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for one in &first.nulls {
        let how = match (one.engine, one.trace) {
            (TrustEngine::Exact, _) => "pair by pair in double precision".to_owned(),
            (TrustEngine::SubsetSums, _) => format!(
                "over all pairs in single precision; off by {} null standard deviations",
                significant(one.engine_error)
            ),
            (TrustEngine::Products, _) => format!(
                "over all pairs in single precision; off by {} null standard deviations",
                significant(one.engine_error)
            ),
            (TrustEngine::LowRank, trace) => format!(
                "through a low-rank kernel that leaves out {} of its trace; off by {} null standard deviations",
                percent(trace.unwrap_or(0.0)),
                significant(one.engine_error)
            ),
        };
        let note = format!("Statistic: exact, over every pair of rows. Draws: {how}.");
        if !notes.contains(&note) {
            notes.push(note);
        }
        if one.draws > 0 && one.draws < DRAWS {
            let note = format!(
                "{} draws: no p-value is below {}.",
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

fn figure(name: &str, found: &TrustFound, question: &KlceQuestion) -> Option<crate::plot::Figure> {
    let null = found
        .under(Null::Bernoulli)
        .or_else(|| found.nulls.first())?;
    let n = found.n as f64;
    let unit = (n - 1.0) / n * (found.mass + n);
    let shift = if null.null == Null::PermuteCentred {
        null.mean
    } else {
        0.0
    };
    let draws: Vec<f64> = null.draws.iter().map(|t| (t - shift) / unit).collect();
    if draws.is_empty() {
        return None;
    }
    let mut sorted = draws.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let critical = crate::num::quantile::quantile_sorted(&sorted, 1.0 - question.alpha)?;
    Some(null_histogram(&NullChart {
        draws: &draws,
        observed: found.normalised?,
        critical,
        value_name: "KLCE², normalised",
        title: match null.p {
            Some(p) => format!("{name}: p\u{a0}=\u{a0}{}", p_words(p)),
            None => name.to_owned(),
        },
        caption: format!(
            "{} draws, {}; dotted: where the last {} begin.",
            count(draws.len() as u64),
            null_words(null.null).0,
            percent(question.alpha)
        ),
        width: question.width.unwrap_or(420.0),
    }))
}

fn fields(data: &Predictions, run: &RunOutcome, question: &KlceQuestion) -> Vec<Field> {
    let settings = question.settings;
    let (gamma, number) = match &settings.gamma {
        GammaChoice::Rule(rule) => (rule.clone(), None),
        GammaChoice::Number(gamma) => (String::new(), Some(*gamma)),
    };
    let field = |option, label: &str, kind| Field {
        option,
        label: label.to_owned(),
        kind,
    };
    let several = |value: &[String], choices: Vec<String>| FieldKind::Several {
        value: value.to_vec(),
        choices,
    };
    let at_least = |value: f64, least: f64| FieldKind::Number {
        value: Some(value),
        least: Some(least),
    };
    let mut rules: Vec<(String, String)> = [
        ("default", "one over the number of covariates"),
        ("median", "by the median distance"),
        ("power", "chosen on half of the rows, tested on the other"),
    ]
    .map(|(rule, words)| (rule.to_owned(), words.to_owned()))
    .to_vec();
    if let Some(gamma) = number {
        rules.push((String::new(), format!("{} (by hand)", significant(gamma))));
    }
    let methods = run
        .rows
        .iter()
        .map(|rows| rows.method.name.clone())
        .collect();
    vec![
        features_field(data, &settings.features, "rows are alike in"),
        field(
            "gamma",
            "width on covariates",
            FieldKind::Choice {
                value: gamma,
                choices: rules,
            },
        ),
        field(
            "width_p",
            "width on scores",
            at_least(settings.width_p, WIDTH_P / 100.0),
        ),
        field("resamples", "draws", at_least(settings.draws as f64, 20.0)),
        field("methods", "methods", several(question.methods, methods)),
        Field::check(
            "simulate",
            "simulate what could have been caught (takes longer)",
            question.simulate,
        ),
    ]
}
