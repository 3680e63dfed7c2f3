//! The bias plot in words and numbers.

use super::{Chosen, LEAST_ROWS, PlottedGroup};
use crate::analysis::bias_plot::BiasPlotRequest;
use crate::analysis::entry::Described;
use crate::analysis::witness::WitnessInput;
use crate::data::Predictions;
use crate::data::grouping::{QUANTILES, grouping};
use crate::feature::covariates;
use crate::feature::groups::{Groups, group_columns};
use crate::hypothesis::multiplicity::holm;
use crate::hypothesis::poisson_binomial::two_sided;
use crate::hypothesis::witness::GAMMA_CONCATENATED;
use crate::metric::gap::Gap;
use crate::plot::chart::Chart;
use crate::report::RunOutcome;
use crate::report::disclosure::Basis;
use crate::report::gap::direction;
use crate::report::sheet::{Block, Cell, Field, FieldKind, Sheet, SheetTable, Tone};
use crate::report::small_cells::ColumnCounts;
use crate::report::verdict::{Finding, LEVEL, Verdict};
use crate::report::view::method_rows;
use crate::words::number::{count, points, points_interval, points_size, significant};
use crate::words::text::counted;

/// What the sheet is written about.
pub(super) struct Plotted<'a> {
    /// score − outcome of every row
    pub(super) error: &'a [f64],
    /// score and outcome of every row
    pub(super) pairs: &'a [(f64, u8)],
    /// rows and kernel
    pub(super) input: &'a WitnessInput,
    /// which values are not plotted, and not tested, in sentences
    pub(super) left_out: &'a [String],
}

/// Of groups that are lines of a table of the same columns, too: each is shown where its line is. None where some of the scored
/// rows (`rows`: how many are plotted) are left out, or numbers are divided otherwise.
fn of_values(
    data: &Predictions,
    run: &RunOutcome,
    request: &BiasPlotRequest,
    chosen: &Chosen,
    (shown, rows): (&[&PlottedGroup], usize),
) -> Option<Basis> {
    let columns: Vec<String> = chosen.by.iter().chain(&chosen.color).map(|groups| groups.name.clone()).collect();
    if method_rows(run, request.method.as_deref()).ok()?.rows.len() != rows {
        return None;
    }
    let by = grouping(data, &columns, QUANTILES).ok()?;
    let place = |group: &&PlottedGroup| {
        let name = match (&chosen.by, &chosen.color) {
            (Some(_), Some(_)) => format!("{}, {}", group.by, group.color),
            (None, _) => group.color.clone(),
            (_, None) => group.by.clone(),
        };
        by.names.iter().position(|known| *known == name)
    };
    let places: Option<Vec<usize>> = shown.iter().map(place).collect();
    Some(Basis::Values { places: places?, of: ColumnCounts::of(run, &by) })
}

fn name(chosen: &Chosen, group: &PlottedGroup) -> String {
    match (&chosen.by, &chosen.color) {
        (Some(_), Some(_)) => format!("{} and {}", group.by, group.color),
        (None, _) => group.color.clone(),
        (_, None) => group.by.clone(),
    }
}

fn gap(pairs: &[(f64, u8)], group: &PlottedGroup) -> Gap {
    Gap::of(group.rows.iter().map(|&i| pairs[i]))
}

/// A line for each group that has rows; of those that are `proven` to be miscalibrated on average, the local error has the
/// color of its direction where that is the same.
fn table(
    chosen: &Chosen,
    (shown, proven): (&[&PlottedGroup], &[&PlottedGroup]),
    error: &[f64],
    pairs: &[(f64, u8)],
) -> SheetTable {
    let mean = |group: &PlottedGroup| group.rows.iter().map(|&i| error[i]).sum::<f64>() / group.rows.len() as f64;
    let mut table = SheetTable::new(
        "Local error by group",
        &["Group", "#Rows", "#Mean local error", "#Predicted − observed", "#Range"],
    );
    for group in shown {
        let (bias, own) = (mean(group), gap(pairs, group).gap());
        let of = || group.rows.iter().map(|&i| error[i]);
        let (low, high) = (of().fold(1.0, f64::min), of().fold(-1.0, f64::max));
        let n = group.rows.len();
        let marked = bias * own > 0.0 && proven.iter().any(|one| std::ptr::eq(*one, *group));
        let tone = if n < LEAST_ROWS { Tone::Muted } else { Tone::of_error(bias, marked) };
        table.rows.push(vec![
            name(chosen, group).into(),
            Cell::number(count(n as u64), n as f64),
            Cell::number(points(bias), bias).toned(tone),
            Cell::number(points(own), own),
            Cell::number(points_interval(low, high), high - low)
                .with_beneath(format!("width {}", points_size(high - low))),
        ]);
    }
    table
}

/// What the numbers of each line of the table are computed from.
fn basis_of_lines(
    data: &Predictions,
    run: &RunOutcome,
    request: &BiasPlotRequest,
    chosen: &Chosen,
    (shown, pairs): (&[&PlottedGroup], &[(f64, u8)]),
) -> Vec<Basis> {
    if let Some(values) = of_values(data, run, request, chosen, (shown, pairs.len())) {
        return vec![values];
    }
    let parts = shown.iter().map(|group| (group.rows.len(), gap(pairs, group).events as usize));
    let all = method_rows(run, request.method.as_deref()).map_or_else(|_| (0, 0), |rows| rows.tally());
    match Basis::of_parts(parts, all) {
        Basis::Lines(lines) => lines,
        one => vec![one],
    }
}

pub(super) fn sheet(
    data: &Predictions,
    run: &RunOutcome,
    request: &BiasPlotRequest,
    chosen: &Chosen,
    plotted: &[PlottedGroup],
    charts: Vec<Chart>,
    of: &Plotted,
) -> (Sheet, Verdict) {
    let Plotted { error, pairs, input, left_out } = *of;
    let name = |group: &PlottedGroup| name(chosen, group);
    let gap = |group: &PlottedGroup| gap(pairs, group);
    let enough: Vec<&PlottedGroup> = (plotted.iter()).filter(|group| group.rows.len() >= LEAST_ROWS).collect();
    // The events of each group under its own scores (Poisson-binomial), corrected for the groups.
    let p = enough.iter().map(|group| {
        let scores: Vec<f64> = group.rows.iter().map(|&i| pairs[i].0).collect();
        let gap = gap(group);
        gap.p_at_least(two_sided(&scores, gap.events as usize))
    });
    let p = holm(&p.collect::<Vec<f64>>());
    let worst = (0..enough.len()).min_by(|&a, &b| p[a].total_cmp(&p[b]));
    let verdict = match (worst, &input.no_test) {
        (_, Some(why)) => Verdict::untested("", None, why.clone()),
        (Some(k), None) => Verdict::by_p(name(enough[k]), gap(enough[k]).gap(), Some(p[k]), ""),
        (None, _) => Verdict::untested("", None, format!("No group has {LEAST_ROWS} rows, so none was tested")),
    };
    let reading = verdict.headline(
        || {
            let Some(worst) = worst.map(|k| enough[k]) else {
                return String::new();
            };
            format!(
                "Strongest evidence of miscalibration: {} (n = {}), {} on average{}.",
                name(worst),
                count(worst.rows.len() as u64),
                direction(gap(worst).gap()),
                verdict.adjusted_p_in_brackets()
            )
        },
        || {
            let groups = counted(enough.len(), "group");
            verdict.no_error(&groups)
        },
    );
    let shown: Vec<&PlottedGroup> = plotted.iter().filter(|group| !group.rows.is_empty()).collect();
    let tested = enough.iter().zip(&p).filter(|(_, p)| input.no_test.is_none() && **p <= LEVEL);
    let proven: Vec<&PlottedGroup> = tested.map(|(group, _)| *group).collect();
    let table = table(chosen, (&shown, &proven), error, pairs);
    let lines = basis_of_lines(data, run, request, chosen, (&shown, pairs));
    // it names a group where there is a test
    let of_reading = match verdict.finding {
        Finding::Untested => Basis::AllRows,
        _ => Basis::All(lines.clone()),
    };
    // the lowest and the highest are those of single rows
    let columns = [Basis::Setting, Basis::Setting, Basis::Setting, Basis::Unknown].to_vec();
    let headline = match verdict.finding {
        Finding::Untested => String::new(),
        _ => format!(
            "The headline tests the number of {} in each group against its own scores (Poisson-binomial, Holm-adjusted). ",
            data.view.events()
        ),
    };
    let mut blocks = vec![
        Block::Reading([&[reading][..], left_out].concat().join(" ")).of(of_reading),
        Block::Charts(charts).of(Basis::Unknown),
        Block::Table(table).of(Basis::Grid { lines, columns }),
        Block::Note(format!(
            "Local error: score minus outcome, averaged over rows similar in covariate, groups and, weakly, score \
             (weights exp(−{}·‖Δ‖²)); positive: overestimated. {headline}Rows of other groups can be neighbors, \
             so curves of small groups are pulled toward those of large groups.",
            significant(request.gamma.unwrap_or(GAMMA_CONCATENATED))
        ))
        .of(Basis::Setting),
    ];
    blocks.extend(input.notes.iter().map(|words| Block::Note(words.clone()).of(Basis::Unknown)));
    (Sheet::new(fields(data, run, request, chosen), blocks), verdict)
}

fn fields(data: &Predictions, run: &RunOutcome, request: &BiasPlotRequest, chosen: &Chosen) -> Vec<Field> {
    let same = |value: &str, names: Vec<String>, none: bool| FieldKind::Choice {
        value: value.to_owned(),
        choices: (names.into_iter())
            .map(|name| (name.clone(), name))
            .chain(none.then(|| (String::new(), "none".to_owned())))
            .collect(),
    };
    let field = BiasPlotRequest::field;
    let of = |groups: &Option<Groups>| groups.as_ref().map_or(String::new(), |g| g.name.clone());
    let method = request.method.clone().unwrap_or_else(|| "none".to_owned());
    vec![
        field("method", FieldKind::Choice { value: method, choices: run.method_choices() }),
        field("covariate", same(&chosen.covariate, covariates(data), false)),
        field("by", same(&of(&chosen.by), group_columns(data), true)),
        field("colour", same(&of(&chosen.color), group_columns(data), true)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_significant_group_has_a_direction() {
        let pairs: Vec<(f64, u8)> = (0..60).map(|row| (0.5, u8::from(row % 2 == 0))).collect();
        let error = vec![0.02; 60];
        let group =
            |from: usize| PlottedGroup { by: "a".to_owned(), color: String::new(), rows: (from..from + 29).collect() };
        let (one, other) = (group(0), group(31));
        let chosen = Chosen { covariate: "age".to_owned(), by: None, color: None };
        let tones = |proven: &[&PlottedGroup]| -> Vec<Tone> {
            let table = table(&chosen, (&[&one, &other], proven), &error, &pairs);
            table.rows.iter().filter_map(|row| row.get(2)).map(|cell| cell.tone).collect()
        };
        assert_eq!(tones(&[]), [Tone::Plain, Tone::Plain]);
        // of 29 rows from an even one on 15 have the event: the local error is positive, the error of the group is not
        assert_eq!(tones(&[&one]), [Tone::Plain, Tone::Plain]);
        assert_eq!(tones(&[&other]), [Tone::Plain, Tone::Over]);
    }
}
