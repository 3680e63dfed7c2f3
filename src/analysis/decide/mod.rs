//! Value of the confidence if predictions can be deferred to a person: thresholds, costs, and the gain of each method.

mod act;
mod plan;
mod request;

pub use act::{ActOutcome, MethodBenefit};
pub(in crate::analysis) use act::{round_end, thresholds, upper};
pub use plan::Decide;
pub use request::DecideRequest;

use serde::{Deserialize, Serialize};

use crate::analysis::entry::fields;
use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::pair::confidence_of_predicted;
use crate::data::{Predictions, PresentClusters, View};
use crate::decision::unsure::{Costs, Reward};
use crate::error::{Error, Result, phrases};
use crate::metric::prr::{RejectionArea, prr};
use crate::num::moments::mean_and_sd;
use crate::num::proportion::too_few_to_resample;
use crate::num::special::{NORMAL_975, wald_p};
use crate::num::ties::at_or_above;
use crate::num::weight::{Sampling, error_of_mean, tally};
use crate::plot::chart::Screen;
use crate::report::disclosure::Basis;
use crate::report::sheet::{Block, Sheet};
use crate::report::verdict::Verdict;
use crate::report::{MethodRows, RunOutcome};
use crate::words::number::percent;

mod figures;
mod words;

use figures::{gains, rejections};
use words::{always_incorrect, beside, reading, table};

/// Number of cost ratios of the curve, equally spaced on the log scale.
const RATIOS: usize = 30;
/// Largest cost ratio.
const LARGEST: f64 = 100.0;
/// Points of a rejection or decision curve.
const POINTS: usize = 200;

/// Costs of predictions and deferrals under every method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecideOutcome {
    /// τ = 1 − u/w
    pub threshold: f64,
    /// verdict on the recalibration with the largest gain
    pub verdict: Verdict,
    /// results in the order of the run
    pub methods: Vec<MethodReward>,
    /// w/u of the curves
    pub ratios: Vec<f64>,
    /// net benefit of decisions by the probability; null if scores are not P(y = 1)
    pub act: Option<ActOutcome>,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type DecideWithoutCharts = WithoutCharts<DecideOutcome>;
/// The step that draws its charts.
pub type ShowDecide = Show<DecideOutcome>;

impl HasCharts for DecideOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// Decisions with deferral under one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodReward {
    /// name of the method
    pub name: String,
    /// number of scored rows
    pub n: usize,
    /// total reward: −u · #deferred − w · #(used and wrong)
    pub total: f64,
    /// number of deferred rows
    pub unsure: usize,
    /// number of rows that are used with a wrong prediction
    pub wrong: usize,
    /// reward per row minus that of `none` on the same rows; null for `none`, or if it was not run on the same rows
    pub gain: Option<f64>,
    /// 95% CI of `gain` over rows, or over clusters; its variance is at least that implied by the confidences under `none`
    /// of the rows whose decision differs; null if fewer than 10 rows are correct, or incorrect
    pub gain_interval: Option<[f64; 2]>,
    /// two-sided p-value of `gain`; null with its interval
    pub gain_p: Option<f64>,
    /// mean and standard deviation of the gain per row over the folds; null without folds
    pub gain_over_folds: Option<[f64; 2]>,
    /// optimal threshold in hindsight on these rows
    pub hindsight: f64,
    /// total reward at that threshold
    pub hindsight_total: f64,
    /// prediction rejection ratio; null if undefined
    pub prr: Option<f64>,
    /// reward per row at each of `ratios`, with u = 1
    pub curve: Vec<f64>,
}

/// The confidences and correctness of one method.
struct Answers<'a> {
    rows: &'a MethodRows,
    c: Vec<f64>,
    correct: Vec<u8>,
}

/// Rewards of every method of the run with deferral as a third option.
///
/// # Errors
/// `invalid_option` for costs that are not positive; `unknown_method`; `score_missing`, `label_missing`.
///
/// # Cost
/// O(n log n + 30 n) a method.
pub fn decide(data: &Predictions, run: &RunOutcome, request: &DecideRequest) -> Result<DecideOutcome> {
    let costs = Costs::new(request.wrong.unwrap_or(10.0), request.unsure.unwrap_or(1.0))?;
    let wanted = |rows: &&MethodRows| {
        let names = request.methods.as_ref();
        names.is_none_or(|names| names.contains(&rows.method.name))
    };
    let mut answers = Vec::new();
    let several = run.rows.iter().filter(wanted).count() > 1;
    for rows in run.rows.iter().filter(wanted) {
        let rows = if several { run.beside_others(rows) } else { rows };
        let (c, correct) = confidence_of_predicted(data, &rows.rows, &rows.score, &rows.target);
        answers.push(Answers { rows, c, correct });
    }
    if answers.is_empty() {
        return Err(Error::new("unknown_method", "None of these methods was run.", phrases::RUN_THEM_FIRST));
    }
    let base = answers.iter().position(|one| one.rows.method.kind.id() == "none");
    let ratios: Vec<f64> = (0..RATIOS).map(|i| LARGEST.powf(i as f64 / (RATIOS - 1) as f64)).collect();
    let methods: Result<Vec<MethodReward>> = answers
        .iter()
        .enumerate()
        .map(|(i, one)| {
            let base = base.filter(|base| *base != i).map(|base| &answers[base]);
            reward_of(one, base, costs, &ratios)
        })
        .collect();
    let mut outcome = DecideOutcome {
        threshold: costs.threshold(),
        verdict: Verdict::untested("", None, ""),
        methods: methods?,
        ratios,
        act: None,
        sheet: Sheet::default(),
    };
    outcome.verdict = words::verdict(&outcome);
    let charts = vec![gains(&outcome, base, costs), rejections(&answers)?];
    let mut blocks = Vec::new();
    let acts = data.view == View::Positive;
    if acts {
        let (act, shown) = act::act(&answers, base, request)?;
        outcome.act = Some(act);
        blocks = shown;
        blocks.push(Block::Heading("Deferral".to_owned()).of(Basis::Setting));
    }
    let of_acting = ["threshold", "miss", "false_alarm", "from", "to"];
    let fields = fields(data, run, request).into_iter();
    let fields = fields.filter(|field| acts || !of_acting.contains(&&*field.option)).collect();
    let of_base = outcome.methods.get(base.unwrap_or(0)).map_or(Basis::Unknown, |one| {
        let answered = one.n.saturating_sub(one.unsure);
        let incorrect = always_incorrect(one).round() as usize;
        let counts = [one.unsure, one.wrong, answered, answered.saturating_sub(one.wrong), incorrect];
        Basis::all_of(counts.map(|rows| Basis::Count(rows as u64)))
    });
    blocks.extend([
        Block::Reading(reading(&outcome, base, costs)).of(of_base),
        // the optimal threshold in hindsight is the score of a row
        Block::Text(beside(&outcome, base, costs)).of(Basis::Unknown),
        Block::Table(table(&outcome, costs)).of(Basis::Unknown),
        Block::Charts(charts).of(Basis::Unknown),
        Block::Note(format!(
            "A prediction is used if its confidence is at least τ = 1 − u/w = {}, and deferred otherwise. For a \
                 calibrated model no other threshold has a lower expected cost. The optimal threshold in hindsight \
                 is selected on the evaluated rows and is therefore optimistic; its distance from τ reflects \
                 miscalibration. The predicted class never changes.",
            percent(outcome.threshold)
        ))
        .of(Basis::Setting),
    ]);
    outcome.sheet = Sheet::new(fields, blocks);
    Ok(outcome)
}

fn reward_of(one: &Answers, base: Option<&Answers>, costs: Costs, ratios: &[f64]) -> Result<MethodReward> {
    let (c, correct) = (&one.c, &one.correct);
    let n = c.len();
    let Reward { total, unsure, wrong } = costs.reward(c, correct, costs.threshold())?;
    let (hindsight, best) = costs.best_in_hindsight(c, correct)?;
    let mut curve = Vec::with_capacity(ratios.len());
    for &ratio in ratios {
        let costs = Costs::new(ratio, 1.0)?;
        curve.push(costs.reward(c, correct, costs.threshold())?.total / n as f64);
    }
    let gains: Option<Vec<f64>> = base.filter(|base| base.rows.rows == one.rows.rows).map(|base| {
        let mine = c.iter().zip(correct).map(|(c, a)| costs.of_row(*c, *a));
        let before = base.c.iter().zip(&base.correct);
        mine.zip(before).map(|(mine, (c, a))| mine - costs.of_row(*c, *a)).collect()
    });
    // a few changed rows with equal outcomes would give a variance of zero
    let promised = base.map_or(0.0, |base| {
        let answered = |c: f64| at_or_above(c, costs.threshold());
        let changed = base.c.iter().zip(c).filter(|(before, after)| answered(**before) != answered(**after));
        let variance = changed.map(|(before, _)| costs.wrong * costs.wrong * before * (1.0 - before));
        variance.sum::<f64>() / n as f64
    });
    let present = one.rows.clusters.present();
    let clusters = present.as_ref().map(PresentClusters::rows);
    let mean = gains.as_deref().map(|gains| mean_and_sd(gains).0);
    let few = too_few_to_resample(tally(correct, None));
    let standard_error = gains.as_deref().zip(mean).filter(|_| !few).map(|(gains, mean)| {
        let alone = mean_and_sd(gains).1.max(promised.sqrt()) / (n as f64).sqrt();
        let off = |i: usize| gains.get(i).map_or(0.0, |gain| gain - mean);
        clusters.map_or(alone, |_| error_of_mean(n, None, Sampling::of(clusters), off).max(alone))
    });
    Ok(MethodReward {
        name: one.rows.method.name.clone(),
        n,
        total,
        unsure,
        wrong,
        gain: mean,
        gain_interval: mean.zip(standard_error).map(|(mean, error)| [-1.0, 1.0].map(|z| mean + z * NORMAL_975 * error)),
        gain_p: mean.zip(standard_error).map(|(mean, error)| wald_p(mean, error)),
        gain_over_folds: gains.as_deref().and_then(|gains| over_folds(gains, &one.rows.fold)),
        hindsight,
        hindsight_total: best.total,
        prr: prr(c, correct, RejectionArea::Trapezoid)?,
        curve,
    })
}

fn over_folds(gains: &[f64], fold: &[u8]) -> Option<[f64; 2]> {
    let mut sums = std::collections::BTreeMap::<u8, [f64; 2]>::new();
    for (gain, fold) in gains.iter().zip(fold) {
        let sum = sums.entry(*fold).or_default();
        sum[0] += gain;
        sum[1] += 1.0;
    }
    let means: Vec<f64> = sums.values().map(|[sum, n]| sum / n).collect();
    (means.len() > 1).then(|| mean_and_sd(&means).into())
}
