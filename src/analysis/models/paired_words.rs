//! Models of the same rows in words, charts and tables.

use super::describe::{GroupGap, diagram};
use super::measures::{Best, measures};
use super::paired::{ModelDifference, ModelVerdict, PairedMetric, PairedModels, PairedValue};
use super::{Cohort, OfCohort};
use crate::data::grouping::{QUANTILES, grouping};
use crate::data::{Predictions, View};
use crate::error::Result;
use crate::metric::accuracy::ACCURACY;
use crate::metric::binning::BinOptions;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::decision_curve::{decision_curves, line};
use crate::plot::intervals::{Counted, IntervalChart, IntervalRow};
use crate::plot::palette::Ink;
use crate::report::disclosure::{Basis, Stated};
use crate::report::gap::{direction, gap_words};
use crate::report::interval::bands;
use crate::report::sheet::{Block, Cell, SheetTable, Tone, rows_count_once};
use crate::report::small_cells::ColumnCounts;
use crate::report::verdict::{Evidence, LEVEL};
use crate::words::number::p_value;
use crate::words::number::{count, fixed, fixed_hundredfold, percent, points, significant};
use crate::words::text::{alternatives, counted, listed};

/// Of the diagram.
const DIAGRAM: ChartWidth = ChartWidth::UpTo { usual: 480.0, most: 520.0 };
/// Of the other charts.
const ROOM: ChartWidth = ChartWidth::UpTo { usual: 560.0, most: 720.0 };
/// Models of which a sentence tells.
const IN_SENTENCES: usize = 3;
/// Rows of the chart of groups.
const DRAWN: usize = 24;
/// Bands of decision curves that are drawn at most.
const BANDS: usize = 2;

/// Whether a measure is a share.
fn is_share(id: &str) -> bool {
    id == ACCURACY.id
}

fn formatted(id: &str, value: f64) -> String {
    if is_share(id) { percent(value) } else { significant(tidy(value)) }
}

/// What only rounding keeps from 0 is 0.
fn tidy(value: f64) -> f64 {
    if value.abs() < 5e-7 { 0.0 } else { value }
}

/// "+0.012", "−1.3 points".
fn signed(id: &str, value: f64) -> String {
    let plus = if tidy(value) > 0.0 { "+" } else { "" };
    if is_share(id) { points(value) } else { format!("{plus}{}", significant(tidy(value))) }
}

/// "+0.012 (0.004 to 0.020)".
fn difference(id: &str, found: &ModelDifference) -> String {
    let end = |v: f64| if is_share(id) { fixed_hundredfold(v, 1) } else { significant(tidy(v)) };
    let corrected = found.corrected.map_or_else(String::new, |v| format!(", bias-corrected\u{a0}{}", signed(id, v)));
    format!("{}{corrected} ({} to {})", signed(id, found.value), end(found.low), end(found.high))
}

/// "difference +0.012, 95% CI 0.004 to 0.020".
fn difference_in_words(id: &str, found: &ModelDifference) -> String {
    let end = |v: f64| if is_share(id) { points(v) } else { significant(tidy(v)) };
    let corrected = found.corrected.map_or_else(String::new, |v| format!(", bias-corrected {}", signed(id, v)));
    let value = signed(id, found.value);
    format!("difference {value}{corrected}, 95% CI {} to {}", end(found.low), end(found.high))
}

/// Measures in which a model, or any, is compared with the open one: some have no value.
fn compared(found: &PairedModels, model: Option<&String>) -> usize {
    let has = |metric: &&PairedMetric| {
        let of = |value: &&PairedValue| model.is_none_or(|model| value.model == *model);
        metric.values.iter().filter(of).any(|value| value.difference.is_some())
    };
    found.metrics.iter().filter(has).count()
}

/// What may be said of every model against the open one.
pub(super) fn sentence(found: &PairedModels) -> String {
    let rows = count(found.rows as u64);
    let Some((open, others)) = found.models.split_first().filter(|(_, others)| !others.is_empty()) else {
        return format!("No other model scored the same rows, so no comparison is paired: {}.", left_out(found));
    };
    if found.comparisons == 0 {
        let why = match &found.verdict.evidence {
            Evidence::Untested(why) => why,
            Evidence::P(_) | Evidence::Interval(_) => "No difference was tested",
        };
        return format!("{why} ({} models, {rows} rows).", found.models.len());
    }
    let whole = format!("adjusted for {} comparisons", found.comparisons);
    let mut claims = Vec::new();
    let mut unclear = Vec::new();
    for model in others {
        let of = |standing: ModelVerdict| -> Vec<String> {
            let each = found.metrics.iter().filter_map(|metric| {
                let value = metric.values.iter().find(|value| value.model == *model)?;
                let difference = value.difference.as_ref().filter(|found| found.standing == standing)?;
                Some(claim(metric, value, difference))
            });
            each.collect()
        };
        let (better, worse, differs) = (of(ModelVerdict::Better), of(ModelVerdict::Worse), of(ModelVerdict::Differs));
        if better.is_empty() && worse.is_empty() && differs.is_empty() {
            unclear.push(model.clone());
            continue;
        }
        // of more, the table has the numbers
        let compared = compared(found, Some(model));
        let few = better.len() + worse.len() + differs.len() <= IN_SENTENCES;
        let of = |claims: &[String]| match few {
            true => claims.join(", "),
            false => format!("{} of {compared} measures", claims.len()),
        };
        let mut words = Vec::new();
        if !better.is_empty() {
            words.push(format!("better than {open} in {}", of(&better)));
        }
        if !worse.is_empty() {
            let than = if better.is_empty() { format!("worse than {open}") } else { "worse".to_owned() };
            words.push(format!("{than} in {}", of(&worse)));
        }
        let mut claim = match words.is_empty() {
            true => model.clone(),
            false => format!("{model} is {}", words.join(", and ")),
        };
        if !differs.is_empty() {
            let join = if words.is_empty() { "" } else { ", and" };
            claim.push_str(&format!(
                "{join} differs significantly from {open} in {}, where neither is significantly closer to the \
                 ideal value",
                of(&differs)
            ));
        }
        claims.push(claim);
    }
    if claims.is_empty() {
        let nearest = nearest(found).map_or_else(String::new, |words| format!("; smallest adjusted p: {words}"));
        return format!(
            "On the same {rows} rows, there is no significant difference between {open} and {} in any of {} measures \
             ({whole}{nearest}).",
            alternatives(&unclear),
            compared(found, None)
        );
    }
    let more = claims.len().saturating_sub(IN_SENTENCES);
    let mut text = format!(
        "On the same {rows} rows, {}",
        claims.iter().take(IN_SENTENCES).cloned().collect::<Vec<_>>().join("; ")
    );
    if more > 0 {
        text.push_str(&format!("; {more} more differ significantly"));
    }
    text.push_str(&format!(" ({whole})."));
    if !unclear.is_empty() {
        text.push_str(&format!(" No significant difference between {open} and {}.", alternatives(&unclear)));
    }
    text
}

fn claim(metric: &PairedMetric, value: &PairedValue, found: &ModelDifference) -> String {
    let base = metric.values.first().and_then(|open| open.value);
    match (value.value, base) {
        (Some(ours), Some(theirs)) => format!(
            "{}: {} against {} ({})",
            metric.name,
            formatted(&metric.id, ours),
            formatted(&metric.id, theirs),
            difference_in_words(&metric.id, found)
        ),
        _ => metric.name.clone(),
    }
}

/// The difference that is least like chance.
fn nearest(found: &PairedModels) -> Option<String> {
    let all = found.metrics.iter().flat_map(|metric| {
        metric.values.iter().filter_map(move |value| Some((metric, value, value.difference.as_ref()?)))
    });
    let least = all.reduce(|a, b| if b.2.p < a.2.p { b } else { a });
    least.map(|(metric, value, d)| {
        format!("{} of {}, {} ({})", metric.name, value.model, difference_in_words(&metric.id, d), p_value(d.p_holm))
    })
}

fn left_out(found: &PairedModels) -> String {
    let each: Vec<String> = found.left_out.iter().map(|one| format!("{} ({})", one.model, one.reason)).collect();
    listed(&each)
}

/// Diagram, scorecard, groups and decision curves; nothing where no two models scored the same rows.
///
/// # Errors
/// Those of the diagram.
pub(super) fn blocks(
    data: &Predictions,
    of: &OfCohort,
    found: &PairedModels,
    bins: &BinOptions,
) -> Result<Vec<Stated<Block>>> {
    if found.models.len() < 2 || found.rows == 0 {
        return Ok(Vec::new());
    }
    let measures = Basis::Lines(found.metrics.iter().map(|metric| basis(&metric.id, of.cohort)).collect());
    let mut blocks = vec![Block::Reading(found.sentence.clone()).of(measures.clone())];
    let open = found.models.first().map_or("", String::as_str);
    if let Some(mut chart) = diagram(of.cohort, &of.looks, bins)? {
        chart.title = "Calibration by model".to_owned();
        chart.caption = format!(
            "{} rows scored by all models; one {} per model, over the range of its scores. {}{} Histogram: {open}.",
            count(chart.n),
            chart.curve_name,
            if found.models.len() > BANDS { format!("Band: {open}. ") } else { String::new() },
            chart.band_words
        );
        // curves end in few rows
        blocks.push(Block::Charts(vec![Chart::new(chart, DIAGRAM)]).of(Basis::Unknown));
    }
    if !found.left_out.is_empty() {
        let words = format!("Excluded from paired comparisons because their rows differ: {}.", left_out(found));
        // a reason counts rows
        blocks.push(Block::Text(words).of(Basis::Unknown));
    }
    if of.cohort.unscored > 0 {
        let words = format!(
            "Excluded, as another model has no score for them: {} scored by {open}.",
            counted(of.cohort.unscored, "row")
        );
        blocks.push(Block::Note(words).of(Basis::Count(of.cohort.unscored as u64)));
    }
    blocks.push(Block::Table(scorecard(of.cohort.view, found)).of(measures));
    blocks.push(Block::Note(how(data, found, open)).of(Basis::Setting));
    if !found.groups.is_empty() {
        blocks.extend(groups(data, of, found));
    }
    if let Some(chart) = decision(found, of) {
        blocks.push(Block::Heading("Net benefit by model".to_owned()).of(Basis::Setting));
        blocks.push(Block::Charts(vec![chart]).of(Basis::Unknown));
        blocks.extend(rows_count_once(data).map(|words| Block::Note(words).of(Basis::Setting)));
    }
    Ok(blocks)
}

/// What a measure of all models is computed from: the rows that they share. The same measure of all rows of the open
/// model tells what they leave.
fn basis(id: &str, cohort: &Cohort) -> Basis {
    match Basis::of_metric(id, cohort.view) {
        Basis::AllRows => {
            Basis::all_of([Basis::Statistic(cohort.rows.len() as u64), Basis::Count(cohort.unscored as u64)])
        }
        other => other,
    }
}

fn scorecard(view: View, found: &PairedModels) -> SheetTable {
    let open = found.models.first().map_or("", String::as_str);
    let heads: Vec<String> = found.models.iter().map(|name| format!("#{name}")).collect();
    let heads: Vec<&str> = std::iter::once("Measure").chain(heads.iter().map(String::as_str)).collect();
    let caption = format!(
        "All models on the same {} rows; below each value, the 95% CI of {open}, and for other models the \
         difference from it",
        count(found.rows as u64)
    );
    let mut table = SheetTable::new(caption, &heads);
    let best = measures(view);
    for metric in &found.metrics {
        let measure = best.iter().find(|measure| measure.id == metric.id);
        let goal = match measure.map(|measure| measure.best) {
            Some(Best::Low) => "lower is better".to_owned(),
            Some(Best::High) => "higher is better".to_owned(),
            Some(Best::Near(ideal)) => format!("ideal: {}", fixed(ideal, 0)),
            None => String::new(),
        };
        let mut row = vec![Cell::from(metric.name.as_str()).with_beneath(goal)];
        for value in &metric.values {
            let Some(v) = value.value else {
                row.push(Cell::from("–").with_beneath("not defined").toned(Tone::Muted));
                continue;
            };
            let (beneath, tone) = match (&value.difference, value.low.zip(value.high)) {
                (Some(d), _) => match d.standing {
                    ModelVerdict::Better => (format!("{}: better", difference(&metric.id, d)), Tone::Best),
                    ModelVerdict::Worse => (format!("{}: worse", difference(&metric.id, d)), Tone::Plain),
                    ModelVerdict::Differs => (format!("{}: differs", difference(&metric.id, d)), Tone::Plain),
                    ModelVerdict::Unclear => (difference(&metric.id, d), Tone::Plain),
                },
                (None, Some((low, high))) => {
                    let corrected = value
                        .corrected
                        .map_or_else(String::new, |v| format!("bias-corrected\u{a0}{}, ", formatted(&metric.id, v)));
                    (
                        format!("{corrected}{} to {}", formatted(&metric.id, low), formatted(&metric.id, high)),
                        Tone::Plain,
                    )
                }
                _ => (String::new(), Tone::Plain),
            };
            row.push(Cell::number(formatted(&metric.id, v), v).with_beneath(beneath).toned(tone));
        }
        table.rows.push(row);
    }
    table
}

fn how(data: &Predictions, found: &PairedModels, open: &str) -> String {
    let of_clusters = data.clusters.as_ref();
    let of_clusters =
        of_clusters.map_or_else(String::new, |clusters| format!(" of whole clusters ({})", clusters.column));
    format!(
        "Differences are from {open}, on the same rows, with pointwise 95% CIs from {} paired bootstrap resamples{of_clusters}. \
         Intervals of a single model are DeLong (AUROC), Wald (calibration in the large, slope, O:E ratio, scaled \
         Brier) or from the same resamples. A difference is called better, worse or different only if its p-value, \
         adjusted for all {} differences (Holm), is at most {LEVEL}. For measures with an ideal value, better means \
         closer to it (O:E ratio on the log scale), which requires that both the difference and the sum of the two \
         distances are significant; otherwise the models differ. Intercept and slope are refitted in each resample \
         by one Newton step.",
        count(found.resamples as u64),
        found.comparisons
    )
}

/// What the lines of the table of groups are computed from. Those of the first column alone are told: what one column
/// hides another may tell; and of models whose right predictions differ the counts would be others for each. Which of
/// them are left out is decided in the order of the column's values, as in its other tables; if the models share not
/// all rows, those tables tell what is left of each group, which may be few.
fn of_groups(data: &Predictions, of: &OfCohort, lines: &[&[GroupGap]]) -> Basis {
    if of.cohort.unscored > 0 {
        return Basis::Unknown;
    }
    let first = lines.iter().find_map(|line| line.first());
    let column = first.map_or("", |first| first.column.as_str());
    let target =
        of.cohort.models.first().filter(|_| of.cohort.view == View::Positive).map(|open| open.target.as_slice());
    let Some(target) = target else { return Basis::Unknown };
    let Ok(by) = grouping(data, &[column.to_owned()], QUANTILES) else { return Basis::Unknown };
    let told = lines.iter().filter_map(|line| line.first()).filter(|group| group.column == column);
    let mut rest = [target.len(), target.iter().filter(|target| **target == 1).count()];
    let (mut counts, mut places) = (vec![[0; 2]; by.names.len() + 1], Vec::new());
    for group in told {
        let Some(place) = by.names.iter().position(|name| *name == group.group) else { return Basis::Unknown };
        let events = (group.observed * group.rows as f64).round() as usize;
        rest = [rest[0].saturating_sub(group.rows), rest[1].saturating_sub(events)];
        counts[place] = [group.rows, events];
        places.push(place);
    }
    counts[by.names.len()] = rest;
    let others = lines.len().saturating_sub(places.len());
    let mut parts = vec![Basis::Values { of: ColumnCounts::of_counts(&counts), places }];
    parts.resize(1 + others, Basis::Unknown);
    Basis::Lines(parts)
}

fn groups(data: &Predictions, of: &OfCohort, found: &PairedModels) -> Vec<Stated<Block>> {
    let beyond = |group: &GroupGap| group.p_holm <= LEVEL;
    let events = |group: &GroupGap| group.rows as f64 * group.gap.abs();
    let worst =
        found.groups.iter().filter(|group| beyond(group)).reduce(|a, b| if events(b) > events(a) { b } else { a });
    let tested = found.groups.iter().filter(|group| !group.p.is_nan()).count();
    let number = found.groups.iter().filter(|group| beyond(group)).count();
    let said = match worst {
        None if tested == 0 => "Group membership reveals the outcome, so errors by group were not tested.".to_owned(),
        None => format!("None of {tested} errors by group is significant after adjustment for all of them."),
        Some(group) => format!(
            "{number} of {tested} errors by group {} significant after adjustment for all of them. Most excess or \
             missing {}: {} = {} under {}, {} (n = {}).",
            if number == 1 { "is" } else { "are" },
            data.view.events(),
            group.column,
            group.group,
            group.model,
            direction(group.gap),
            count(group.rows as u64)
        ),
    };
    let row = |group: &GroupGap| IntervalRow {
        name: format!("{}, {}", group.group, group.model),
        value: group.gap,
        low: group.low,
        high: group.high,
        together: None,
        faint: !beyond(group),
        more: vec![counted(group.rows, "row")],
    };
    let chart = IntervalChart {
        rows: found.groups.iter().take(DRAWN).map(row).collect(),
        value_name: "error".to_owned(),
        counted: Counted::Points,
        signed: true,
        compares: false,
        title: String::new(),
        caption: format!(
            "Mean score minus observed proportion by group and model, with pointwise 95% CIs. ▲ warm: \
             overestimated; ▼ cool: underestimated; hollow: not significant.{}",
            if found.groups.len() > DRAWN { format!(" Shown: the first {DRAWN}.") } else { String::new() }
        ),
    };
    let heads: Vec<String> = found.models.iter().map(|name| format!("#{name}")).collect();
    let heads: Vec<&str> = ["Group", "#Rows"].into_iter().chain(heads.iter().map(String::as_str)).collect();
    let mut table = SheetTable::new("Calibration error by group and model (95% CI)", &heads);
    let lines: Vec<&[GroupGap]> = found.groups.chunk_by(|a, b| a.column == b.column && a.group == b.group).collect();
    for of_group in &lines {
        let Some(first) = of_group.first() else { continue };
        let mut row = vec![
            Cell::from(format!("{} = {}", first.column, first.group)),
            Cell::number(count(first.rows as u64), first.rows as f64),
        ];
        row.extend(of_group.iter().map(|group| {
            let tone = Tone::of_error(group.gap, beyond(group));
            let words = match tone {
                Tone::Over => "overestimated",
                Tone::Under => "underestimated",
                _ => "",
            };
            Cell::number(gap_words(group.gap, [group.low, group.high]), group.gap).with_beneath(words).toned(tone)
        }));
        table.rows.push(row);
    }
    let basis = of_groups(data, of, &lines);
    let mut blocks = vec![
        Block::Heading("Subgroups by model".to_owned()).of(Basis::Setting),
        Block::Text(said).of(basis.clone()),
        // a group has a row for every model: withheld whole where one of them is of few rows
        Block::Charts(vec![Chart::new(chart, ROOM)]).of(Basis::all_of([basis.clone()])),
        Block::Table(table).of(basis),
    ];
    blocks.extend(rows_count_once(data).map(|words| Block::Note(words).of(Basis::Setting)));
    blocks
}

/// The decision curves of all models, and of acting on everybody.
fn decision(found: &PairedModels, of: &OfCohort) -> Option<Chart> {
    let target = &of.cohort.models.first()?.target;
    let rate = target.iter().map(|&t| f64::from(t)).sum::<f64>() / target.len().max(1) as f64;
    let banded = found.models.len() <= BANDS;
    let models = found.decision.iter().enumerate();
    let curves: Vec<Curve> =
        models.map(|(k, one)| line(&one.model, &one.curve, Ink::Category(k as u8), banded || k == 0)).collect();
    let thresholds = found.decision.first()?.curve.iter().filter_map(|at| at[0]);
    let bands = bands(&curves, banded);
    let chart = CurveChart {
        caption: format!(
            "Decision curves on the same rows. Net benefit: true positives per 100 rows minus false positives \
             weighted by the odds of the threshold; acting on none is 0. {bands}"
        ),
        ..decision_curves(curves, thresholds, rate)
    };
    Some(Chart::new(chart, ROOM))
}
