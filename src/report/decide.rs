//! What the confidence is worth when a person can be asked: thresholds, costs, and what each method saves.

use serde::Serialize;
use tsify::Tsify;

use super::sheet::{Block, Cell, Field, Sheet, SheetTable, Tone};
use super::{MethodRows, RunOutcome};
use crate::data::{Predictions, View};
use crate::decision::net_benefit::net_benefit;
use crate::decision::rejection::rejection_curve;
use crate::decision::unsure::{Costs, Reward};
use crate::error::{Error, Result};
use crate::evaluation::pair::confidence_of_predicted;
use crate::job::request::DecideRequest;
use crate::local::NORMAL_975;
use crate::metric::prr::{RejectionArea, prr};
use crate::plot::curves::{Curve, CurveChart, curves};
use crate::plot::figure::{Dash, Figure};
use crate::plot::format::{count, fixed, percent, plain, significant};
use crate::plot::palette::Ink;

/// Cost ratios of the curve, equally spaced in the logarithm.
const RATIOS: usize = 30;
/// The largest of them.
const LARGEST: f64 = 100.0;
/// Points of a rejection or decision curve.
const POINTS: usize = 200;

/// What answering and asking cost under every method.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
pub struct DecideOutcome {
    /// τ = 1 − u/w
    pub threshold: f64,
    /// in the order of the run
    pub methods: Vec<MethodReward>,
    /// w/u of the curves
    pub ratios: Vec<f64>,
    /// how it is shown
    pub sheet: Sheet,
}

/// One method's decisions.
#[derive(Debug, Clone, PartialEq, Serialize, Tsify)]
pub struct MethodReward {
    /// name of the method
    pub name: String,
    /// rows scored
    pub n: usize,
    /// −u · #unsure − w · #(answered and wrong)
    pub total: f64,
    /// rows that are asked about
    pub unsure: usize,
    /// rows that are answered, and wrongly
    pub wrong: usize,
    /// reward per row over that of `none`, on the same rows
    pub gain: Option<f64>,
    /// ends of its 95 % interval over rows
    pub gain_interval: Option<[f64; 2]>,
    /// mean and standard deviation of the gain per row over the folds, where there are folds
    pub gain_over_folds: Option<[f64; 2]>,
    /// the threshold that would have cost least on these rows
    pub hindsight: f64,
    /// reward at that threshold
    pub hindsight_total: f64,
    /// prediction rejection ratio
    pub prr: Option<f64>,
    /// reward per row at each of the ratios, u = 1
    pub curve: Vec<f64>,
}

/// The confidences and hits of one method.
struct Answers<'a> {
    rows: &'a MethodRows,
    c: Vec<f64>,
    correct: Vec<u8>,
}

/// Rewards of every method of the run with a third answer, “unsure”.
///
/// # Errors
/// `invalid_option` for costs that are not positive; `unknown_method`; `score_missing`, `label_missing`.
///
/// # Cost
/// O(n log n + 30 n) a method.
pub fn decide(
    data: &Predictions,
    run: &RunOutcome,
    request: &DecideRequest,
) -> Result<DecideOutcome> {
    let costs = Costs::new(request.wrong.unwrap_or(10.0), request.unsure.unwrap_or(1.0))?;
    let wanted = |rows: &&MethodRows| {
        let names = request.methods.as_ref();
        names.is_none_or(|names| names.contains(&rows.method.name))
    };
    let mut answers = Vec::new();
    for rows in run.rows.iter().filter(wanted) {
        let (c, correct) = confidence_of_predicted(data, &rows.rows, &rows.score, &rows.target);
        answers.push(Answers { rows, c, correct });
    }
    if answers.is_empty() {
        return Err(Error::new(
            "unknown_method",
            "None of these methods was run.",
            "Run them first, or leave “methods” out.",
        ));
    }
    let base = answers
        .iter()
        .position(|one| one.rows.method.kind.id() == "none");
    let ratios: Vec<f64> = (0..RATIOS)
        .map(|i| LARGEST.powf(i as f64 / (RATIOS - 1) as f64))
        .collect();
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
        methods: methods?,
        ratios,
        sheet: Sheet::default(),
    };
    let width = request.width.map_or(520.0, |width| width.min(560.0));
    let mut figures = vec![
        gains(&outcome, base, costs, width),
        rejections(&answers, width)?,
    ];
    if data.view == View::Positive {
        figures.push(benefits(&answers, width)?);
    }
    outcome.sheet = Sheet {
        fields: vec![
            Field::number("wrong", "A wrong answer costs", costs.wrong, 0.0),
            Field::number("unsure", "Asking a person costs", costs.unsure, 0.0),
        ],
        blocks: vec![
            Block::Reading(reading(&outcome, base, costs)),
            Block::Text(beside(&outcome, base, costs)),
            Block::Table(table(&outcome, costs)),
            Block::Figures(figures),
            Block::Note(format!(
                "An answer is given where the confidence of the predicted class reaches τ = 1 − u/w = {}; a tie is answered. \
                 For a calibrated model no other threshold costs less on average. “Cheapest in hindsight” was chosen on the \
                 rows that it is judged by, so it flatters; how far it lies from τ shows what miscalibration costs. Which \
                 class is predicted is never changed.",
                percent(outcome.threshold)
            )),
        ],
    };
    Ok(outcome)
}

fn reward_of(
    one: &Answers,
    base: Option<&Answers>,
    costs: Costs,
    ratios: &[f64],
) -> Result<MethodReward> {
    let (c, correct) = (&one.c, &one.correct);
    let n = c.len();
    let Reward {
        total,
        unsure,
        wrong,
    } = costs.reward(c, correct, costs.threshold())?;
    let (hindsight, best) = costs.best_in_hindsight(c, correct)?;
    let mut curve = Vec::with_capacity(ratios.len());
    for &ratio in ratios {
        let costs = Costs::new(ratio, 1.0)?;
        curve.push(costs.reward(c, correct, costs.threshold())?.total / n as f64);
    }
    let gains: Option<Vec<f64>> = base
        .filter(|base| base.rows.rows == one.rows.rows)
        .map(|base| {
            let mine = c.iter().zip(correct).map(|(c, a)| costs.of_row(*c, *a));
            let before = base.c.iter().zip(&base.correct);
            mine.zip(before)
                .map(|(mine, (c, a))| mine - costs.of_row(*c, *a))
                .collect()
        });
    let spread = gains.as_deref().map(mean_and_sd);
    Ok(MethodReward {
        name: one.rows.method.name.clone(),
        n,
        total,
        unsure,
        wrong,
        gain: spread.map(|[mean, _]| mean),
        gain_interval: spread.map(|[mean, sd]| {
            let half = NORMAL_975 * sd / (n as f64).sqrt();
            [mean - half, mean + half]
        }),
        gain_over_folds: gains
            .as_deref()
            .and_then(|gains| over_folds(gains, &one.rows.fold)),
        hindsight,
        hindsight_total: best.total,
        prr: prr(c, correct, RejectionArea::Trapezoid)?,
        curve,
    })
}

/// Mean and standard deviation (divisor n − 1).
fn mean_and_sd(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    [mean, (square / (n - 1.0).max(1.0)).sqrt()]
}

fn over_folds(gains: &[f64], fold: &[u8]) -> Option<[f64; 2]> {
    let mut sums = std::collections::BTreeMap::<u8, [f64; 2]>::new();
    for (gain, fold) in gains.iter().zip(fold) {
        let sum = sums.entry(*fold).or_default();
        sum[0] += gain;
        sum[1] += 1.0;
    }
    let means: Vec<f64> = sums.values().map(|[sum, n]| sum / n).collect();
    (means.len() > 1).then(|| mean_and_sd(&means))
}

/// "524" of 1,000 rows.
fn per_thousand(value: f64, n: usize) -> String {
    let value = 1000.0 * value / n as f64;
    fixed(value, usize::from(value.abs() < 10.0))
}

fn reading(outcome: &DecideOutcome, base: Option<usize>, costs: Costs) -> String {
    let Some(one) = outcome.methods.get(base.unwrap_or(0)) else {
        return String::new();
    };
    if outcome.threshold <= 0.0 {
        return "Asking costs no less than being wrong: always answer.".to_owned();
    }
    format!(
        "Answer from {} confidence on, ask below: of 1,000 cases {} are asked about and {} are answered wrongly, which \
         costs {}; always answering costs {}.",
        percent(outcome.threshold),
        per_thousand(one.unsure as f64, one.n),
        per_thousand(one.wrong as f64, one.n),
        per_thousand(-one.total, one.n),
        per_thousand(costs.wrong * always_wrong(one), one.n),
    )
}

/// Rows that are wrong when every one is answered: the first point of the curve, w = u = 1, asks nobody.
fn always_wrong(one: &MethodReward) -> f64 {
    -one.curve.first().copied().unwrap_or(0.0) * one.n as f64
}

fn beside(outcome: &DecideOutcome, base: Option<usize>, costs: Costs) -> String {
    let Some(one) = base.and_then(|base| outcome.methods.get(base)) else {
        return "Run the method “none” as well to see what repairs save.".to_owned();
    };
    let saves = |m: &&MethodReward| m.gain_interval.is_some_and(|[low, _]| low > 0.0);
    let best = outcome
        .methods
        .iter()
        .filter(saves)
        .max_by(|a, b| a.gain.unwrap_or(0.0).total_cmp(&b.gain.unwrap_or(0.0)));
    match best {
        Some(best) => {
            let [low, high] = best.gain_interval.unwrap_or_default();
            format!(
                "With “{}” the same rule saves {} per 1,000 cases ({} … {}), counted in the units of the two costs.",
                best.name,
                per_thousand(best.gain.unwrap_or(0.0), 1),
                per_thousand(low, 1),
                per_thousand(high, 1)
            )
        }
        None if outcome.methods.len() > 1 => format!(
            "No repair saves more than chance would on these {} rows.",
            count(one.n as u64)
        ),
        None => {
            let lost = one.hindsight_total - one.total;
            format!(
                "In hindsight a threshold of {} would have cost {} less per 1,000 cases. Repair the predictions to see what \
                 they save at a wrong answer of {} and a question of {}.",
                percent(one.hindsight.min(1.0)),
                per_thousand(lost, one.n),
                plain(costs.wrong),
                plain(costs.unsure)
            )
        }
    }
}

fn table(outcome: &DecideOutcome, costs: Costs) -> SheetTable {
    let mut table = SheetTable::new(
        format!(
            "Per 1,000 cases, a wrong answer at {} and a question at {}",
            plain(costs.wrong),
            plain(costs.unsure)
        ),
        &[
            "predictions",
            "#asked",
            "#answered wrongly",
            "#cost",
            "#saved",
            "#cheapest in hindsight",
            "#PRR",
        ],
    );
    let definitions = [
        (
            4,
            "Cost of “none” minus this cost on the same rows, with its 95 % interval.",
        ),
        (
            5,
            "The threshold that would have cost least on these rows, and its cost.",
        ),
        (
            6,
            "Prediction rejection ratio: 1 if the errors are those of least confidence, 0 if confidence says nothing about them.",
        ),
    ];
    for (place, text) in definitions {
        if let Some(column) = table.columns.get_mut(place) {
            text.clone_into(&mut column.definition);
        }
    }
    let best = outcome
        .methods
        .iter()
        .filter_map(|m| m.gain_interval.filter(|i| i[0] > 0.0).and(m.gain))
        .fold(f64::INFINITY.min(0.0), f64::max);
    for one in &outcome.methods {
        let cell = |value: f64| Cell::number(per_thousand(value, one.n), value);
        let saved = match (one.gain, one.gain_interval) {
            (Some(gain), Some([low, high])) => {
                let text = format!(
                    "{} ({} … {})",
                    per_thousand(gain, 1),
                    per_thousand(low, 1),
                    per_thousand(high, 1)
                );
                let cell = Cell::number(text, gain);
                let cell = match one.gain_over_folds {
                    Some([_, sd]) => {
                        cell.with_beneath(format!("sd over folds {}", per_thousand(sd, 1)))
                    }
                    None => cell,
                };
                if low > 0.0 && gain >= best {
                    cell.toned(Tone::Best)
                } else {
                    cell
                }
            }
            _ => Cell::from("–"),
        };
        let hindsight = if one.hindsight > 1.0 {
            "ask about all".to_owned()
        } else {
            percent(one.hindsight)
        };
        table.rows.push(vec![
            Cell::from(one.name.clone()),
            cell(one.unsure as f64),
            cell(one.wrong as f64),
            cell(-one.total),
            saved,
            Cell::number(hindsight, one.hindsight).with_beneath(format!(
                "cost {}",
                per_thousand(-one.hindsight_total, one.n)
            )),
            one.prr.map_or_else(
                || Cell::from("–"),
                |value| Cell::number(significant(value), value),
            ),
        ]);
    }
    table
}

fn ink(i: usize) -> Ink {
    Ink::Category(i as u8)
}

/// What is saved against `none`, over the cost ratio; without it, the cost itself.
fn gains(outcome: &DecideOutcome, base: Option<usize>, costs: Costs, width: f64) -> Figure {
    let compared = base.filter(|_| outcome.methods.len() > 1);
    let before = compared.and_then(|base| outcome.methods.get(base));
    let lines = outcome.methods.iter().enumerate();
    let lines = lines.filter(|(i, _)| compared != Some(*i));
    let curve = |(i, one): (usize, &MethodReward)| Curve {
        name: one.name.clone(),
        points: outcome
            .ratios
            .iter()
            .enumerate()
            .map(|(k, ratio)| {
                let before = before.map_or(0.0, |before| before.curve[k]);
                let sign = if compared.is_some() { 1.0 } else { -1.0 };
                (*ratio, sign * 1000.0 * (one.curve[k] - before))
            })
            .collect(),
        ink: ink(i),
        dash: Dash::Solid,
        name_at: None,
    };
    curves(&CurveChart {
        curves: lines.map(curve).collect(),
        log_x: true,
        y_range: None,
        x_name: "a wrong answer costs as much as so many questions (w/u)".to_owned(),
        y_name: if compared.is_some() {
            "saved per 1,000, in questions".to_owned()
        } else {
            "cost per 1,000, in questions".to_owned()
        },
        marked: Some((
            (costs.wrong / costs.unsure).clamp(1.0, LARGEST),
            "your costs".to_owned(),
        )),
        title: if compared.is_some() {
            "What each repair saves, whatever the costs".to_owned()
        } else {
            "What deciding costs, whatever the costs".to_owned()
        },
        caption: "Every method with the threshold 1 − u/w on the same rows and the same predicted classes; 30 ratios."
            .to_owned(),
        width,
    })
}

/// At most so many points, the last always among them.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let every = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.into_iter().enumerate();
    kept.filter(|(i, _)| i % every == 0 || *i == last)
        .map(|(_, point)| point)
        .collect()
}

fn rejections(answers: &[Answers], width: f64) -> Result<Figure> {
    let mut lines = Vec::new();
    for (i, one) in answers.iter().enumerate() {
        let curve = rejection_curve(&one.c, &one.correct)?;
        lines.push(Curve {
            name: one.rows.method.name.clone(),
            points: thinned(curve)
                .into_iter()
                .map(|(x, y)| (100.0 * x, 100.0 * y))
                .collect(),
            ink: ink(i),
            dash: Dash::Solid,
            name_at: None,
        });
    }
    let error = lines
        .first()
        .and_then(|line| line.points.first())
        .map_or(0.0, |first| first.1);
    let reference = |name: &str, points: Vec<(f64, f64)>, at: (f64, f64)| Curve {
        name: name.to_owned(),
        points,
        ink: Ink::Muted,
        dash: Dash::Dashed,
        name_at: Some(at),
    };
    lines.push(reference(
        "by lot",
        vec![(0.0, error), (100.0, 0.0)],
        (50.0, error / 2.0),
    ));
    lines.push(reference(
        "errors first",
        vec![(0.0, error), (error, 0.0), (100.0, 0.0)],
        (error, 0.0),
    ));
    Ok(curves(&CurveChart {
        curves: lines,
        log_x: false,
        y_range: None,
        x_name: "handed to a person, least confident first, per cent".to_owned(),
        y_name: "still wrong, per cent of all".to_owned(),
        marked: None,
        title: "Errors that are left when the least confident cases are handed over".to_owned(),
        caption: "Rejection curve. The prediction rejection ratio (PRR) says how far a curve lies from chance (0) towards \
                  handing over the errors themselves (1)."
            .to_owned(),
        width,
    }))
}

fn benefits(answers: &[Answers], width: f64) -> Result<Figure> {
    let thresholds: Vec<f64> = (1..99).map(|i| f64::from(i) / 100.0).collect();
    let (mut lines, mut all) = (Vec::new(), Vec::new());
    for (i, one) in answers.iter().enumerate() {
        let found = net_benefit(&one.rows.score, &one.rows.target, &thresholds)?;
        if all.is_empty() {
            all = found.iter().map(|at| (at.threshold, at.all)).collect();
        }
        lines.push(Curve {
            name: one.rows.method.name.clone(),
            points: found.iter().map(|at| (at.threshold, at.model)).collect(),
            ink: ink(i),
            dash: Dash::Solid,
            name_at: None,
        });
    }
    let top = lines
        .iter()
        .flat_map(|line| &line.points)
        .map(|p| p.1)
        .fold(0.01, f64::max);
    all.retain(|(_, value)| *value > -0.25 * top);
    lines.push(Curve {
        name: "act on all".to_owned(),
        name_at: all.last().copied(),
        points: all,
        ink: Ink::Muted,
        dash: Dash::Dashed,
    });
    Ok(curves(&CurveChart {
        curves: lines,
        log_x: false,
        y_range: Some((-0.25 * top, 1.1 * top)),
        x_name: "acts on a probability of at least".to_owned(),
        y_name: "net benefit".to_owned(),
        marked: None,
        title: "What acting on the probability is worth".to_owned(),
        caption: "Decision curve: true positives per case, less false positives weighed by the odds of the threshold; acting \
                  on nobody is worth 0."
            .to_owned(),
        width,
    }))
}
