//! Inference tasks in words and numbers.

use super::{Asked, InferenceEstimate, MOST_GROUPS, covariates};
use crate::data::Predictions;
use crate::evaluation::groups::{group_columns, groups};
use crate::job::request::InferenceRequest;
use crate::plot::bias::{WhiskerChart, whiskers};
use crate::plot::format::{count, points, significant};
use crate::report::RunOutcome;
use crate::report::sheet::{Block, Cell, Field, FieldKind, Sheet, SheetTable, Tone};

fn shown(estimate: &InferenceEstimate, value: f64) -> String {
    if estimate.task == "gap" {
        points(value)
    } else {
        significant(value)
    }
}

fn sure(estimate: &InferenceEstimate) -> bool {
    matches!((estimate.low, estimate.high), (Some(low), Some(high)) if low > 0.0 || high < 0.0)
}

fn reading(estimates: &[InferenceEstimate]) -> String {
    let Some(first) = estimates.first() else {
        return String::new();
    };
    let (Some(truth), Some(estimate)) = (first.truth, first.estimate) else {
        return format!("{}: nobody to average over.", first.of);
    };
    let what = if first.task == "gap" {
        format!("The difference in outcome, {},", first.of)
    } else {
        format!("The mean of {} among those with the outcome", first.of)
    };
    let end = match (sure(first), first.low, first.high) {
        (true, ..) => "more than drawing other rows would explain",
        (false, Some(_), Some(_)) => "no more than drawing other rows could explain",
        _ => "without an interval",
    };
    format!(
        "{what} is {}; the scores as they are say {}, {end} ({} rows).",
        shown(first, truth),
        shown(first, estimate),
        count(first.n as u64)
    )
}

pub(super) fn sheet(
    data: &Predictions,
    run: &RunOutcome,
    request: &InferenceRequest,
    asked: &[Asked],
    estimates: &[InferenceEstimate],
) -> Sheet {
    let mut blocks = vec![Block::Reading(reading(estimates))];
    let width = request.width.unwrap_or(420.0);
    let mut figures = Vec::new();
    for gap in [false, true] {
        if !asked.iter().any(|one| one.gap == gap) {
            continue;
        }
        let of = |e: &&InferenceEstimate| (e.task == "gap") == gap;
        let mine: Vec<&InferenceEstimate> = estimates.iter().filter(of).collect();
        let several = mine.iter().any(|e| e.of != mine[0].of);
        let mut table = SheetTable::new(
            if gap {
                "Differences between groups in how often it happens"
            } else {
                "Mean of a covariate among those with the outcome"
            },
            &[
                "scores",
                "of",
                "#from outcomes",
                "#from scores",
                "#error",
                "95 % interval",
            ],
        );
        let unit = if gap { 100.0 } else { 1.0 };
        let mut bars = Vec::new();
        for one in &mine {
            let cell = |value: Option<f64>| match value {
                Some(value) => Cell::number(shown(one, value), value),
                None => Cell::from("–").toned(Tone::Muted),
            };
            let interval = match (one.low, one.high) {
                (Some(low), Some(high)) => {
                    format!("{} … {}", shown(one, low), shown(one, high))
                }
                _ => "–".to_owned(),
            };
            let error =
                cell(one.error).with_beneath(if sure(one) { "" } else { "could be chance" });
            table.rows.push(vec![
                one.method.clone().into(),
                one.of.clone().into(),
                cell(one.truth),
                cell(one.estimate),
                error,
                interval.into(),
            ]);
            if let Some(error) = one.error {
                let name = match (several, one.of.split_once(": ")) {
                    (true, Some((_, level))) => format!("{} · {level}", one.method),
                    _ => one.method.clone(),
                };
                let [low, high] = [one.low, one.high].map(|v| unit * v.unwrap_or(f64::NAN));
                bars.push((name, unit * error, low, high));
            }
        }
        blocks.push(Block::Table(table));
        figures.push(whiskers(&WhiskerChart {
            bars,
            value_name: if gap {
                "error of the difference, points".to_owned()
            } else {
                format!("error of the mean of {}", asked[0].name)
            },
            title: String::new(),
            caption: "Estimate from scores minus the number from outcomes, with 95 % intervals."
                .to_owned(),
            width,
        }));
    }
    blocks.push(Block::Figures(figures));
    let group = asked.iter().find(|one| one.gap);
    let group = group.and_then(|one| one.name.split(": ").next());
    let values = group.and_then(|name| Some(groups(data, name).ok()?.levels.len()));
    if let (Some(name), Some(values)) = (group, values)
        && values > MOST_GROUPS
    {
        blocks.push(Block::Note(format!(
            "Only the {MOST_GROUPS} largest of {} values of {name} are compared, each with all other rows.",
            count(values as u64)
        )));
    }
    blocks.push(Block::Note(format!(
        "Mean: Σ p I / Σ p in the place of Σ y I / Σ y. Difference: mean score in the place of mean outcome on each side. \
         Intervals: {} draws of rows, the same rows for truth and estimate. Right on average does not make these right: \
         scores must be right for everyone who differs in what is averaged.",
        estimates.first().map_or(0, |e| e.resamples)
    )));
    let names: Vec<String> = run.rows.iter().map(|r| r.method.name.clone()).collect();
    let choice = |value: &str, choices: Vec<String>| FieldKind::Choice {
        value: value.to_owned(),
        choices: (choices.into_iter())
            .map(|name| (name.clone(), name))
            .chain([(String::new(), "none".to_owned())])
            .collect(),
    };
    let of = asked
        .iter()
        .find(|one| !one.gap)
        .map_or("", |one| &one.name);
    let fields = vec![
        Field {
            option: "methods",
            label: "Scores".to_owned(),
            kind: FieldKind::Several {
                value: request.methods.clone().unwrap_or_else(|| names.clone()),
                choices: names,
            },
        },
        Field {
            option: "of",
            label: "Mean of".to_owned(),
            kind: choice(of, covariates(data)),
        },
        Field {
            option: "group",
            label: "Difference between".to_owned(),
            kind: choice(group.unwrap_or_default(), group_columns(data)),
        },
    ];
    Sheet { fields, blocks }
}
