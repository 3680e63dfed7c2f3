//! Several models as a sheet.

use std::fmt::Write;

use super::{ModelPoint, ModelsOutcome, Scorings};
use crate::analysis::ModelsRequest;
use crate::analysis::entry::Described;
use crate::data::grouping::group_columns;
use crate::data::{Predictions, View};
use crate::evaluation::method::title;
use crate::metric::bias_index::BIAS_INDEX;
use crate::metric::entry::{Better, Interval, Metric, Written};
use crate::metric::registry::{self, metric};
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::palette::Ink;
use crate::plot::scatter::{ScatterAxis, ScatterChart, ScatterPoint, ScatterSeries};
use crate::report::RunOutcome;
use crate::report::csv::guarded;
use crate::report::disclosure::{Basis, Stated};
use crate::report::sheet::{Block, Cell, Field, FieldKind, Sheet, SheetTable, Tone};
use crate::report::verdict::{Evidence, LEVEL, Verdict};
use crate::words::number::{count, p_digits, percent, points, significant};

/// The proximity bias that is least like chance among the models without recalibration, corrected for their number;
/// other numbers have no test here.
pub(super) fn verdict(inputs: &Scorings, outcome: &ModelsOutcome) -> Verdict {
    let tested = untouched(inputs, outcome).into_iter().filter_map(|point| Some((point, point.p_rows_bonferroni?)));
    match tested.reduce(|a, b| if b.1 < a.1 { b } else { a }) {
        Some((point, p)) => Verdict::new(&*point.model, point.y, Evidence::P(p)),
        None => Verdict::untested("", None, "Differences between models are not tested here"),
    }
}

/// * `together`: what is shown of the models of the same rows; it comes first
pub(super) fn sheet(
    data: &Predictions,
    run: &RunOutcome,
    inputs: &Scorings,
    outcome: &ModelsOutcome,
    together: Vec<Stated<Block>>,
) -> Sheet {
    let settings = &outcome.settings;
    let ids = [&settings.x, &settings.y].map(|id| id.as_deref().unwrap_or_default());
    let [Some(x), Some(y)] = ids.map(metric) else {
        return Sheet::default();
    };
    let reading = reading(y, inputs, outcome);
    // of the fewest rows of a model
    let fewest = Basis::Statistic(outcome.points.iter().map(|point| point.rows as u64).min().unwrap_or(0));
    let of = |metric: &Metric| Basis::of_metric(metric.id, data.view);
    let both = Basis::all_of([fewest, of(x), of(y)]);
    let mut blocks = together;
    let alone = blocks.is_empty();
    if alone {
        blocks.push(Block::Reading(reading).of(both.clone()));
    } else {
        blocks.push(Block::Heading("All models and methods".to_owned()).of(Basis::Setting));
        blocks.push(Block::Text(reading).of(both.clone()));
    }
    let drawn = |point: &ModelPoint| point.x.is_some() && point.y.is_some();
    if outcome.points.iter().any(drawn) {
        blocks.push(Block::Charts(vec![chart([x, y], inputs, outcome)]).of(both.clone()));
    }
    // with models of other rows alone, this is all that is said of pairs
    let paired = outcome.paired.as_ref().filter(|_| alone);
    blocks.extend(paired.map(|paired| Block::Text(paired.sentence.clone()).of(Basis::Unknown)));
    blocks.push(Block::Table(table([x, y], outcome)).of(both));
    blocks.push(Block::Note(note(data.view, inputs, is_tested(outcome))).of(Basis::Setting));
    blocks.push(Block::Download { name: "models.csv".to_owned(), text: csv(ids, outcome) }.of(Basis::Unknown));
    let fields = fields(data, run, ids, settings);
    Sheet::new(fields, blocks)
}

/// The models without recalibration.
fn untouched<'a>(inputs: &Scorings, outcome: &'a ModelsOutcome) -> Vec<&'a ModelPoint> {
    let each = outcome.points.iter().step_by(inputs.methods.len().max(1));
    each.collect()
}

fn reading(y: &Metric, inputs: &Scorings, outcome: &ModelsOutcome) -> String {
    let models = untouched(inputs, outcome);
    let m = models.len();
    if m < 2 {
        return "One model is open. Add prediction files of other models to compare them.".to_owned();
    }
    let (know, unknown): (Vec<&ModelPoint>, Vec<&ModelPoint>) = models.into_iter().partition(|point| point.y.is_some());
    if know.is_empty() {
        let reason = unknown.first().and_then(|point| point.reason.clone());
        return format!("{} is unavailable for all {m} models: {}.", y.name, reason.unwrap_or_default());
    }
    if y.id == BIAS_INDEX.id && is_tested(outcome) {
        let biased: Vec<&str> = know
            .iter()
            .filter(|point| point.p_rows_bonferroni.is_some_and(|p| p <= LEVEL))
            .map(|point| point.model.as_str())
            .collect();
        let subject = match biased.as_slice() {
            [] => {
                return format!(
                    "Before recalibration, none of {m} models has a significant proximity bias (adjusted for {m} \
                     models)."
                );
            }
            some => some.join(", "),
        };
        return format!(
            "Before recalibration, {} of {m} models {} a significant proximity bias (adjusted for {m} models): \
             {subject}.",
            biased.len(),
            if biased.len() == 1 { "has" } else { "have" },
        );
    }
    let rank = |point: &ModelPoint| y.better.badness(point.y.unwrap_or(f64::NAN));
    let by = |a: &&&ModelPoint, b: &&&ModelPoint| rank(a).total_cmp(&rank(b));
    let value = |point: &ModelPoint| point.y.map_or_else(String::new, significant);
    match (know.iter().min_by(by), know.iter().max_by(by)) {
        (Some(best), Some(worst)) => format!(
            "{} of {m} models before recalibration: best {} ({}), worst {} ({}); differences not tested.",
            y.name,
            best.model,
            value(best),
            worst.model,
            value(worst)
        ),
        _ => String::new(),
    }
}

/// A point for each model and method; each model has one label, at its point without recalibration.
fn chart([x, y]: [&Metric; 2], inputs: &Scorings, outcome: &ModelsOutcome) -> Chart {
    let several = inputs.methods.len() > 1;
    let series = inputs.methods.iter().enumerate().map(|(k, method)| {
        let own = outcome.points.iter().filter(|point| point.method == method.name);
        let points = own.filter_map(|point| {
            let p = point.p_bonferroni;
            let p = p.map(|p| format!(", p × models {}", significant(p)));
            Some(ScatterPoint {
                name: if k == 0 { point.model.clone() } else { String::new() },
                x: point.x?,
                y: point.y?,
                note: format!("{}, {}{}", point.model, title(&point.method), p.unwrap_or_default()),
                ..ScatterPoint::default()
            })
        });
        let one = ScatterSeries::new(title(&method.name), k, points.collect());
        if several { one } else { ScatterSeries { ink: Ink::Before, ..one } }
    });
    let axis = |metric: &Metric| ScatterAxis { zero: metric.better != Better::Higher, ..ScatterAxis::new(metric.name) };
    let chart = ScatterChart {
        series: series.collect(),
        x: axis(x),
        y: axis(y),
        title: format!("{} and {}", y.name, x.name),
        caption: "One point per model and method; labeled for the original predictions.".to_owned(),
        ..ScatterChart::default()
    };
    Chart::new(chart, ChartWidth::UpTo { usual: 640.0, most: 640.0 })
}

/// A value in the words of its metric.
fn words(metric: &Metric, value: f64) -> String {
    match metric.written {
        Written::Percent => percent(value),
        Written::Points => points(value),
        Written::PValue => p_digits(value),
        Written::Digits => significant(value),
    }
}

/// Whether the proximity bias of some model has a p-value.
fn is_tested(outcome: &ModelsOutcome) -> bool {
    outcome.points.iter().any(|point| point.p.is_some())
}

fn table([x, y]: [&Metric; 2], outcome: &ModelsOutcome) -> SheetTable {
    let tested = is_tested(outcome);
    let (across, up) = (format!("#{}", x.name), format!("#{}", y.name));
    let mut titles = vec!["Model", "Method", "#Rows", &across, &up];
    if tested {
        titles.extend(["#p, rank sum", "#p, rows once, × models"]);
    }
    let mut table = SheetTable::new("Values by model and method", &titles);
    for (column, metric) in table.columns.iter_mut().skip(3).zip([x, y]) {
        column.definition = metric.definition.to_owned();
    }
    for point in &outcome.points {
        let cell = |metric: &Metric, value: Option<f64>| match value {
            Some(value) => Cell::number(words(metric, value), value),
            None => Cell::from("–").with_beneath(point.reason.clone().unwrap_or_default()).toned(Tone::Muted),
        };
        let mut row = vec![
            Cell::from(point.model.as_str()),
            Cell::from(title(&point.method).as_ref()),
            Cell::number(count(point.rows as u64), point.rows as f64),
            cell(x, point.x),
            cell(y, point.y),
        ];
        if tested {
            let index = if y.id == BIAS_INDEX.id { point.y } else { point.x };
            let biased = point.p_rows_bonferroni.is_some_and(|p| p <= LEVEL);
            let tone = index.map_or(Tone::Plain, |index| Tone::of_error(index, biased));
            let beneath = match tone {
                Tone::Over => "isolated rows overestimated",
                Tone::Under => "isolated rows underestimated",
                _ => "",
            };
            let number = |p: Option<f64>| match p {
                Some(p) => Cell::number(p_digits(p), p),
                None => Cell::from("–"),
            };
            row.push(number(point.p));
            let fair = number(point.p_rows_bonferroni);
            row.push(fair.toned(tone).with_beneath(beneath));
        }
        table.rows.push(row);
    }
    table
}

fn note(view: View, inputs: &Scorings, tested: bool) -> String {
    let m = inputs.models.len();
    let what = match view {
        View::TopLabel => "the confidence of the predicted class",
        View::Positive => "the predicted probability",
    };
    let mut text = format!(
        "Each file is split, recalibrated and evaluated on its own rows with the settings of the last run, for \
         {what}. Features, groups and kernels are matched by column name; a feature map created here applies to its \
         file only, others use their feature columns. "
    );
    if tested {
        let _ = write!(
            text,
            "p, rank sum: the published test, corrected for ties, which counts a row once per pair. Rows once: each \
             row counts once; statements use this. × models: multiplied by {m} (Bonferroni). No adjustment for the \
             methods of a model, which share its rows."
        );
    }
    text
}

fn csv([x, y]: [&str; 2], outcome: &ModelsOutcome) -> String {
    let mut text = format!("model,method,rows,{x},{y},p,p_bonferroni\n");
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for point in &outcome.points {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{}",
            guarded(&point.model),
            guarded(&point.method),
            point.rows,
            number(point.x),
            number(point.y),
            number(point.p),
            number(point.p_bonferroni)
        );
    }
    text
}

fn fields(data: &Predictions, run: &RunOutcome, [x, y]: [&str; 2], settings: &ModelsRequest) -> Vec<Field> {
    let methods = settings.methods.as_deref().unwrap_or_default();
    let local = run.report.settings.local.is_some();
    let known = || {
        let kept =
            registry::all().filter(|metric| metric.interval != Interval::Tested && (local || !metric.is_local()));
        kept.map(|metric| (metric.id, metric.name))
    };
    let mut fields = vec![
        ModelsRequest::field("x", FieldKind::choice(x, known())),
        ModelsRequest::field("y", FieldKind::choice(y, known())),
        ModelsRequest::field("methods", FieldKind::Several { value: methods.to_vec(), choices: run.method_choices() }),
    ];
    let columns = group_columns(data);
    if let Some(groups) = settings.groups.clone().filter(|_| !columns.is_empty()) {
        fields.push(ModelsRequest::field("groups", FieldKind::several_named(groups, columns)));
    }
    fields
}
