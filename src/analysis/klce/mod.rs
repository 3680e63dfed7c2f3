//! KLCE calibration test of several methods, as a panel.

mod plan;
mod request;

pub use plan::WriteKlce;
use request::GAMMA_RULES;
pub use request::KlceRequest;

use serde::{Deserialize, Serialize};

use crate::analysis::entry::{Described, number_field};
use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::klce::{GammaChoice, KlceSettings};
use crate::feature::{left_out, no_independent_test};
use crate::hypothesis::{KlceEngine, KlcePower, KlceTestOutcome, Null, NullOutcome, acceptance_bound};
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::disclosure::{Basis, Stated};
use crate::report::mapped_rows::features_field;
use crate::report::sheet::{Block, Field, FieldKind, Sheet, only_first};
use crate::report::verdict::Verdict;
use crate::report::view::method_rows;
use crate::words::number::significant;

mod tables;
mod words;

use tables::{chart, facts, nulls_table, side_by_side};
use words::{engine_notes, how_gamma, power_note, reading, verdict, what_was_tested};

/// Maximum number of histograms.
const DRAWN: usize = 4;

/// Response of `data.analyse("klce")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KlceOutcome {
    /// one entry per method
    pub methods: Vec<KlceMethod>,
    /// verdict on the first method
    pub verdict: Verdict,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type KlceWithoutCharts = WithoutCharts<KlceOutcome>;
/// The step that draws its charts.
pub type ShowKlce = Show<KlceOutcome>;

impl HasCharts for KlceOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// KLCE calibration test of one method; undefined values are null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KlceMethod {
    /// name of the method
    pub method: String,
    /// number of rows tested
    pub rows: usize,
    /// γ, as specified or selected
    pub gamma: f64,
    /// kernel width on scores
    pub width_p: f64,
    /// T / [((n − 1)/n) Σ K]
    pub klce2_normalised: Option<f64>,
    /// T / (n(n − 1))
    pub klce2_unbiased: Option<f64>,
    /// T / Σ_{i≠j} K
    pub debiased_ratio: Option<f64>,
    /// (1 + #{T_b ≥ T}) / (N + 1), outcomes drawn from the scores
    pub p_bernoulli: Option<f64>,
    /// p-value from permuted residuals, centered
    pub p_code: Option<f64>,
    /// all requested null distributions, in units of `klce2_normalised`
    pub nulls: Vec<KlceNull>,
    /// power of the test; null for probability vectors, or without the Bernoulli null
    pub power: Option<KlcePower>,
    /// bound that `klce2_unbiased` does not exceed with probability 1 − α, for any distribution (Corollary 3.7); very
    /// conservative
    pub corollary_bound: f64,
    /// median kernel value over pairs of rows
    pub median_kernel: f64,
    /// warning about the kernel; null if there is none
    pub warning: Option<String>,
}

/// One null of one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KlceNull {
    /// the null distribution
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
    pub engine: KlceEngine,
    /// |T by that engine − T exactly| in standard deviations of the draws
    pub engine_error: f64,
    /// tr(R)/n where a low rank was used; at most about 0.001
    pub trace: Option<f64>,
}

/// What is asked about.
pub struct KlceQuestion<'a> {
    /// kernel and nulls
    pub settings: &'a KlceSettings,
    /// names of the methods
    pub methods: &'a [String],
    /// level of the test
    pub alpha: f64,
    /// whether biases were simulated
    pub simulate: bool,
}

/// The outcome, from the test of every method.
///
/// # Errors
/// `unknown_method`.
pub fn klce(
    data: &Predictions,
    run: &RunOutcome,
    question: &KlceQuestion,
    found: &[&KlceTestOutcome],
) -> Result<KlceOutcome> {
    let named = question.methods.iter().zip(found);
    let methods: Vec<KlceMethod> = named.clone().map(|(name, found)| method(name, found, question.alpha)).collect();
    let mut blocks = Vec::new();
    let tested = Basis::Statistic(methods.iter().map(|method| method.rows as u64).min().unwrap_or(0));
    let no_test = no_independent_test(data, &question.settings.features);
    let verdict = verdict(methods.first(), question, no_test);
    if let (Some(first), Some((name, _))) = (methods.first(), named.clone().next()) {
        let scored = method_rows(run, Some(name))?.rows.len();
        blocks.push(Block::Reading(reading(first, &verdict)).of(tested.clone()));
        blocks.extend(first.warning.clone().map(|words| Block::Note(words).of(Basis::Unknown)));
        let left_out = left_out(data, &question.settings.features, None, &method_rows(run, Some(name))?.rows);
        blocks.extend(left_out.map(|words| Block::Note(words).of(Basis::Unknown)));
        blocks.extend(what_was_tested(data, first, scored).map(|words| Block::Note(words).of(tested.clone())));
        if let Some(rule) = how_gamma(first, &question.settings.gamma) {
            blocks.push(Block::Note(rule).of(tested.clone()));
        }
    }
    let Stated { what, basis } = side_by_side(run, &methods, question.alpha);
    blocks.push(Block::Table(what).of(basis));
    let charts = named.clone().take(DRAWN).filter_map(|(name, found)| chart(name, found, question));
    blocks.push(Block::Charts(charts.collect()).of(tested.clone()));
    blocks.extend(only_first(DRAWN, methods.len(), "methods").map(|words| Block::Note(words).of(Basis::Setting)));
    if let Some(first) = methods.first() {
        if !first.nulls.is_empty() {
            blocks.push(Block::Heading("Null distributions and their alternatives".to_owned()).of(Basis::Setting));
            blocks.push(Block::Table(nulls_table(first)).of(tested.clone()));
        }
        blocks.extend(power_note(first).map(|words| Block::Note(words).of(tested.clone())));
        blocks.push(Block::Facts(facts(data, first, question)).of(tested.clone()));
        blocks.extend(engine_notes(first).into_iter().map(|words| Block::Note(words).of(tested.clone())));
    }
    Ok(KlceOutcome { sheet: Sheet::new(fields(data, run, question), blocks), verdict, methods })
}

fn method(name: &str, found: &KlceTestOutcome, alpha: f64) -> KlceMethod {
    // What turns T into the normalized form; 1 where there are no pairs.
    let n = found.n as f64;
    let unit = if found.n > 1 { (n - 1.0) / n * (found.mass + n) } else { 1.0 };
    let null = |one: &NullOutcome| KlceNull {
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
        klce2_normalised: found.normalized,
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

fn fields(data: &Predictions, run: &RunOutcome, question: &KlceQuestion) -> Vec<Field> {
    let settings = question.settings;
    let (gamma, number) = match &settings.gamma {
        GammaChoice::Rule(rule) => (rule.clone(), None),
        GammaChoice::Number(gamma) => (String::new(), Some(*gamma)),
    };
    let field = KlceRequest::field;
    let mut rules: Vec<(String, String)> =
        GAMMA_RULES.iter().map(|(rule, words)| ((*rule).to_owned(), (*words).to_owned())).collect();
    if let Some(gamma) = number {
        rules.push((String::new(), format!("{} (set manually)", significant(gamma))));
    }
    vec![
        field("features", features_field(data, &settings.features)),
        field("gamma", FieldKind::Choice { value: gamma, choices: rules }),
        number_field::<KlceRequest>("width_p", settings.width_p),
        number_field::<KlceRequest>("resamples", settings.draws as f64),
        field("methods", FieldKind::Several { value: question.methods.to_vec(), choices: run.method_choices() }),
        field("simulate", FieldKind::Check { value: question.simulate }),
    ]
}
