//! Inference tasks in words and numbers.

use super::{Estimand, InferenceEstimate, MOST_GROUPS};
use crate::analysis::entry::Described;
use crate::analysis::inference::InferenceRequest;
use crate::data::Predictions;
use crate::evaluation::method::title;
use crate::feature::covariates;
use crate::feature::groups::{group_columns, groups};
use crate::num::proportion::too_few_to_resample;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::intervals::{Counted, IntervalChart, IntervalRow};
use crate::report::RunOutcome;
use crate::report::disclosure::Basis;
use crate::report::interval::TOO_FEW;
use crate::report::sheet::{Block, Cell, Field, FieldKind, Sheet, SheetTable, Tone};
use crate::report::verdict::{Evidence, LEVEL, Verdict};
use crate::words::number::{count, interval, p_value, points, points_interval, significant};
use crate::words::text::counted;

fn formatted(estimate: &InferenceEstimate, value: f64) -> String {
    if estimate.task == "gap" { points(value) } else { significant(value) }
}

fn excludes_zero(estimate: &InferenceEstimate) -> bool {
    matches!((estimate.low, estimate.high), (Some(low), Some(high)) if low > 0.0 || high < 0.0)
}

/// Whether neither drawing other rows nor drawing the outcomes from the scores explains the error. Outcomes of
/// clustered rows are not drawn; their interval, which draws whole clusters, decides, where there is one: of few events
/// resamples hold some of the same few.
fn sure(estimate: &InferenceEstimate) -> bool {
    excludes_zero(estimate) && estimate.p.is_none_or(|p| p <= LEVEL)
}

/// "not significant", and why where the interval beside it excludes zero.
fn not_significant(estimate: &InferenceEstimate) -> String {
    match estimate.p.filter(|_| excludes_zero(estimate)) {
        Some(p) => format!("not significant, since calibrated scores would show as large an error ({})", p_value(p)),
        None => "not significant".to_owned(),
    }
}

/// About the first estimate: by the larger of the two doubts.
pub(super) fn verdict(first: Option<&InferenceEstimate>, asked: &[Estimand]) -> Verdict {
    let Some(first) = first else {
        return Verdict::untested("", None, "Nothing was requested");
    };
    let no_test = asked.first().and_then(|one| one.no_test.clone());
    match (no_test, first.error, first.low, first.high) {
        (Some(why), ..) => Verdict::untested(&*first.of, first.error, why),
        (None, None, ..) => {
            let why = format!("{}: no rows to average over", first.of);
            Verdict::untested(&*first.of, None, why)
        }
        (None, Some(error), Some(low), Some(high)) if sure(first) => {
            Verdict::new(&*first.of, Some(error), Evidence::Interval([low, high]))
        }
        (None, Some(error), Some(_), Some(_)) => {
            // What the interval leaves out, drawn outcomes may still explain, and the other way round.
            let p = first.p.unwrap_or(1.0).max(2.0 * LEVEL);
            Verdict::new(&*first.of, Some(error), Evidence::P(p))
        }
        (None, Some(error), ..) => {
            let end = if too_few_to_resample((first.n, first.events)) { TOO_FEW } else { "no interval was computed" };
            let why = sentence(first, end).unwrap_or_default();
            let why = why.trim_end_matches('.').to_owned();
            Verdict::untested(&*first.of, Some(error), why)
        }
    }
}

/// "Mean age among rows with the event: 56.1 from outcomes, 53.2 from the original scores; error −2.9 (95% CI −3.4 to −2.4),
/// significant (n = 27,033, 7,841 events)."
fn sentence(first: &InferenceEstimate, end: &str) -> Option<String> {
    let (truth, estimate) = (first.truth?, first.estimate?);
    let what = if first.task == "gap" {
        format!("Difference in event rate ({})", first.of)
    } else {
        format!("Mean {} among rows with the event", first.of)
    };
    Some(format!(
        "{what}: {} from outcomes, {} from the original scores; {end} (n = {}, {}).",
        formatted(first, truth),
        formatted(first, estimate),
        count(first.n as u64),
        counted(first.events, "event")
    ))
}

/// "error −2.9 (95% CI −3.4 to −2.4), significant".
fn error_in_words(first: &InferenceEstimate, significance: &str) -> String {
    match (first.error, first.low, first.high) {
        (Some(error), Some(low), Some(high)) => {
            let ends = if first.task == "gap" { points_interval(low, high) } else { interval(low, high) };
            format!("error {} (95% CI {ends}), {significance}", formatted(first, error))
        }
        _ => significance.to_owned(),
    }
}

fn reading(estimates: &[InferenceEstimate], verdict: &Verdict) -> String {
    let say = |significance: &str| {
        let words = estimates.first().and_then(|first| sentence(first, &error_in_words(first, significance)));
        words.unwrap_or_default()
    };
    let quiet = estimates.first().map(not_significant).unwrap_or_default();
    verdict.headline(|| say("significant"), || say(&quiet))
}

pub(super) fn sheet(
    data: &Predictions,
    run: &RunOutcome,
    request: &InferenceRequest,
    asked: &[Estimand],
    (estimates, verdict): (&[InferenceEstimate], &Verdict),
) -> Sheet {
    let of_tasks: Vec<Basis> = asked.iter().map(|one| one.basis(data, run)).collect();
    let of_first = of_tasks.first().cloned().unwrap_or_default();
    let mut blocks = vec![Block::Reading(reading(estimates, verdict)).of(of_first)];
    let mut charts = Vec::new();
    for gap in [false, true] {
        if !asked.iter().any(|one| one.gap == gap) {
            continue;
        }
        let of = |e: &&InferenceEstimate| (e.task == "gap") == gap;
        let mine: Vec<&InferenceEstimate> = estimates.iter().filter(of).collect();
        // groups that are compared with all others tell of each other
        let basis = asked.iter().zip(&of_tasks).filter(|(one, _)| one.gap == gap).map(|(_, basis)| basis.clone());
        let untested = |e: &InferenceEstimate| {
            let no_test = asked.iter().any(|one| one.name == e.of && one.no_test.is_some());
            no_test || too_few_to_resample((e.n, e.events))
        };
        blocks.push(Block::Table(table(&mine, gap, untested)).of(Basis::all_of(basis)));
        charts.push(Chart::new(chart(&mine, gap, asked, untested), ChartWidth::all(420.0)));
    }
    blocks.push(Block::Charts(charts).of(Basis::All(of_tasks)));
    let group = asked.iter().find(|one| one.gap);
    let group = group.and_then(|one| one.name.split(": ").next());
    let values = group.and_then(|name| Some(groups(data, name).ok()?.levels.len()));
    if let (Some(name), Some(values)) = (group, values)
        && values > MOST_GROUPS
    {
        blocks.push(
            Block::Note(format!(
                "Only the {MOST_GROUPS} largest of {} values of {name} are compared, each with all other rows.",
                count(values as u64)
            ))
            .of(Basis::Setting),
        );
    }
    blocks.push(
        Block::Note(format!(
            "Mean: Σ p I / Σ p instead of Σ y I / Σ y. Difference: mean score instead of mean outcome on each side. \
         Error: estimate from scores minus estimate from outcomes. Intervals: {} paired bootstrap resamples of \
         {}, each at 95%: of several calibrated estimates, one can be significant by chance.{} \
         Calibration on average is not sufficient: scores must be calibrated at every level of the averaged \
         covariate.",
            count(estimates.first().map_or(0, |e| e.resamples) as u64),
            run.resampled_units(),
            match &data.clusters {
                Some(_) => "",
                None => {
                    " Not significant, too, is an error that outcomes simulated from the scores show in more than 5% of \
                     cases."
                }
            }
        ))
        .of(Basis::Setting),
    );
    Sheet::new(fields(data, run, request, asked, group), blocks)
}

/// Estimates from outcomes and from scores, and their difference; `gap`: of the task that compares groups.
fn table(estimates: &[&InferenceEstimate], gap: bool, untested: impl Fn(&InferenceEstimate) -> bool) -> SheetTable {
    let mut table = SheetTable::new(
        if gap { "Differences in event rate between groups" } else { "Mean of a covariate among rows with the event" },
        &["Scores", "Of", "#From outcomes", "#From scores", "#Error", "#95% CI"],
    );
    for one in estimates {
        let cell = |value: Option<f64>| match value {
            Some(value) => Cell::number(formatted(one, value), value),
            None => Cell::from("–").toned(Tone::Muted),
        };
        let interval = match (one.low, one.high) {
            (Some(low), Some(high)) => format!("{} to {}", formatted(one, low), formatted(one, high)),
            _ => "–".to_owned(),
        };
        let error = cell(one.error).with_beneath(match (untested(one), sure(one)) {
            (true, _) => "not tested".to_owned(),
            (_, true) => String::new(),
            _ => not_significant(one),
        });
        table.rows.push(vec![
            title(&one.method).as_ref().into(),
            one.of.clone().into(),
            cell(one.truth),
            cell(one.estimate),
            error,
            interval.into(),
        ]);
    }
    table
}

/// The errors with their intervals.
fn chart(
    estimates: &[&InferenceEstimate],
    gap: bool,
    asked: &[Estimand],
    untested: impl Fn(&InferenceEstimate) -> bool,
) -> IntervalChart {
    let several = estimates.iter().any(|e| e.of != estimates[0].of);
    let row = |one: &&InferenceEstimate| {
        let name = match (several, one.of.split_once(": ")) {
            (true, Some((_, level))) => format!("{} · {level}", title(&one.method)),
            _ => title(&one.method).into_owned(),
        };
        let [low, high] = [one.low, one.high].map(|v| v.unwrap_or(f64::NAN));
        let faint = untested(one) || !sure(one);
        Some(IntervalRow { name, value: one.error?, low, high, together: None, faint, more: Vec::new() })
    };
    IntervalChart {
        rows: estimates.iter().filter_map(row).collect(),
        value_name: match gap {
            true => "error of the difference".to_owned(),
            false => format!("error of the mean of {}", asked[0].name),
        },
        counted: match gap {
            true => Counted::Points,
            false => Counted::Against { at: 0.0, name: "no error".to_owned(), ratios: false },
        },
        signed: false,
        compares: false,
        title: String::new(),
        caption: "Estimate from scores minus estimate from outcomes, with 95% CI. Filled: significant.".to_owned(),
    }
}

/// The form of the request; `group`: the column whose values are compared.
fn fields(
    data: &Predictions,
    run: &RunOutcome,
    request: &InferenceRequest,
    asked: &[Estimand],
    group: Option<&str>,
) -> Vec<Field> {
    let names = || run.rows.iter().map(|r| r.method.name.clone()).collect();
    let choice = |value: &str, choices: Vec<String>| FieldKind::Choice {
        value: value.to_owned(),
        choices: (choices.into_iter())
            .map(|name| (name.clone(), name))
            .chain([(String::new(), "none".to_owned())])
            .collect(),
    };
    let of = asked.iter().find(|one| !one.gap).map_or("", |one| &one.name);
    let field = InferenceRequest::field;
    vec![
        field(
            "methods",
            FieldKind::Several { value: request.methods.clone().unwrap_or_else(names), choices: run.method_choices() },
        ),
        field("of", choice(of, covariates(data))),
        field("group", choice(group.unwrap_or_default(), group_columns(data))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_without_zero_beside_no_significance_is_explained() {
        let of = |low: f64, p: Option<f64>| InferenceEstimate {
            method: "none".to_owned(),
            task: "mean".into(),
            of: "age".to_owned(),
            n: 100,
            events: 30,
            truth: Some(60.0),
            estimate: Some(60.5),
            error: Some(0.5),
            low: Some(low),
            high: Some(0.9),
            p,
            resamples: 100,
        };
        let doubted = of(0.1, Some(0.057));
        assert!(!sure(&doubted));
        assert_eq!(
            not_significant(&doubted),
            "not significant, since calibrated scores would show as large an error (p\u{a0}=\u{a0}0.057)"
        );
        assert_eq!(not_significant(&of(-0.1, Some(0.2))), "not significant");
        assert!(sure(&of(0.1, Some(0.01))) && !sure(&of(-0.1, Some(0.01))));
        // of clustered rows there is no other test
        assert!(sure(&of(0.1, None)) && !sure(&of(-0.1, None)));
    }
}
