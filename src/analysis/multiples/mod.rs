//! Reliability diagrams as small multiples, one per method, class or group.

mod plan;
mod request;

pub use plan::CompareDiagrams;
pub use request::MultiplesRequest;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::analysis::entry::Described;
use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::grouping::{QUANTILES, group_columns, grouping};
use crate::data::{ClusterIds, Predictions, View};
use crate::error::{Error, Result};
use crate::evaluation::method::title;
use crate::evaluation::vectors::Vectors;
use crate::metric::binning::BinOptions;
use crate::metric::ece::ece;
use crate::metric::reliability::{ReliabilityBin, weighted_reliability_table};
use crate::num::cluster::{ClusteredDraws, RowClusters};
use crate::num::moments::mean_and_sd;
use crate::num::order;
use crate::num::outcome_correlation::outcome_correlation;
use crate::num::rng::{Lanes, bernoulli_threshold};
use crate::num::weight::{RowWeights, weight, weighted_mean, weighted_share};
use crate::plot::chart::{Chart, ChartWidth, Screen};
use crate::report::disclosure::{Basis, sides};
use crate::report::sheet::{Block, Field, FieldKind, Sheet};
use crate::report::small_cells::ColumnCounts;
use crate::report::verdict::{Evidence, Finding, Verdict};
use crate::report::view::method_rows;
use crate::report::view::reliability::{DiagramScores, diagrams};
use crate::report::view::request::ReliabilityRequest;
use crate::report::{MethodRows, RunOutcome};
use crate::words::number::{p_value, points, significant};
use crate::words::text::counted;

/// Diagrams that are shown before someone asks for all.
const AT_FIRST: usize = 12;

/// What there is a diagram of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MultiplesBy {
    /// each method of the run
    #[default]
    Method,
    /// each class: its probability against whether it was observed
    Class,
    /// each group of `columns`
    Group,
}

/// Reliability diagrams, and the subject of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MultiplesOutcome {
    /// in the order of the diagrams
    pub of: Vec<Multiple>,
    /// verdict on the diagram with the smallest p-value
    pub verdict: Verdict,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type MultiplesWithoutCharts = WithoutCharts<MultiplesOutcome>;
/// The step that draws its charts.
pub type ShowMultiples = Show<MultiplesOutcome>;

impl HasCharts for MultiplesOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// What one diagram is of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Multiple {
    /// method, class or group
    pub name: String,
    /// rows
    pub n: usize,
    /// expected calibration error in the bins of the run
    pub ece: Option<f64>,
    /// mean score − observed share of events
    pub gap: f64,
    /// proportion of simulated data sets, with outcomes drawn from the scores, that have such an ECE in any of the
    /// diagrams; null without a test
    pub p: Option<f64>,
}

/// Pairs (s, t) with a name and their reliability table.
struct RowSet {
    name: String,
    score: Vec<f64>,
    target: Vec<u8>,
    /// empty if all rows have weight 1
    weight: Vec<f64>,
    bins: Vec<ReliabilityBin>,
    /// clusters of the rows
    clusters: ClusterIds,
}

impl RowSet {
    fn weights(&self) -> RowWeights<'_> {
        (!self.weight.is_empty()).then_some(&self.weight)
    }

    fn basis(&self) -> Basis {
        Basis::share(self.target.len(), self.target.iter().filter(|target| **target == 1).count())
    }
}

/// The diagrams, worst first except for methods, twelve unless `all` is asked for.
///
/// # Errors
/// `unknown_method`; `classes_missing` for classes of a file without a probability for each; those of [`grouping`].
///
/// # Cost
/// O(n) a diagram; for classes O(n m).
pub fn multiples(data: &Predictions, run: &RunOutcome, request: &MultiplesRequest) -> Result<MultiplesOutcome> {
    let rows = method_rows(run, request.method.as_deref())?;
    let mut parts = match request.by {
        MultiplesBy::Method => of_methods(run),
        MultiplesBy::Class => of_classes(data, run, rows)?,
        MultiplesBy::Group => of_groups(data, run, rows, request)?,
    };
    if request.by != MultiplesBy::Method {
        order::sort(&mut parts, &|a, b| error(b).total_cmp(&error(a)));
    }
    let view = match request.by {
        MultiplesBy::Class => View::Positive,
        _ => data.view,
    };
    let many = parts.len();
    let shown = if request.all { many } else { many.min(AT_FIRST) };
    let charts = charts(view, request, run, &parts[..shown])?;
    let (p, why) = match no_test(data, request, &parts) {
        Some(why) => (vec![None; parts.len()], why),
        None if too_many(&parts) => {
            (vec![None; parts.len()], "There are too many rows to test every diagram".to_owned())
        }
        None => (
            against_chance(&parts, dependence(rows, request), &run.report.settings.bins)?,
            "No score lies between 0 and 1, so no outcome can be simulated".to_owned(),
        ),
    };
    let of: Vec<Multiple> = parts
        .iter()
        .zip(p)
        .map(|(part, p)| Multiple {
            name: part.name.clone(),
            n: part.score.len(),
            ece: ece(&part.bins),
            gap: gap(part),
            p,
        })
        .collect();
    let least = of.iter().filter(|one| one.p.is_some());
    let least = least.reduce(|a, b| if b.p < a.p { b } else { a });
    let verdict = match least {
        Some(one) => Verdict::by_p(&*one.name, one.gap, one.p, ""),
        None => Verdict::untested("", None, why),
    };
    let how = format!(
        "Each panel: reliability diagram and score distribution. ECE: expected calibration error ({} bins), biased \
         upward in small samples.{}",
        run.report.settings.bins.count,
        match verdict.finding {
            Finding::Untested => String::new(),
            // the headline says what is to be run, and of the diagram of one file nothing
            _ if many == 1 => String::new(),
            _ => format!(
                " The headline compares each with {DRAWS} outcome sets simulated from its scores{}, adjusted for the number of \
                 diagrams.",
                if rows.clusters.of.is_empty() { "" } else { ", as dependent within clusters as the outcomes" }
            ),
        }
    );
    let blocks = vec![
        Block::Reading(reading(&request.by, &of, &verdict)).of(basis(data, run, request, &parts)?),
        // their bins and curves end in few rows
        Block::Charts(charts).of(Basis::Unknown),
        Block::Note(how).of(Basis::Setting),
    ];
    Ok(MultiplesOutcome { of, verdict, sheet: Sheet::new(fields(data, run, request, many), blocks) })
}

fn error(part: &RowSet) -> f64 {
    ece(&part.bins).unwrap_or(0.0)
}

/// A small diagram of each.
fn charts(view: View, request: &MultiplesRequest, run: &RunOutcome, parts: &[RowSet]) -> Result<Vec<Chart>> {
    let drawn: Vec<DiagramScores> = parts
        .iter()
        .map(|part| DiagramScores {
            name: called(&request.by, &part.name),
            score: &part.score,
            target: &part.target,
            weight: part.weights(),
            counted: false,
            clusters: Some(&part.clusters),
            bins: &part.bins,
            binning: run.report.settings.bins,
        })
        .collect();
    let charts =
        diagrams(view, &drawn, &ReliabilityRequest::default())?.into_iter().zip(parts).map(|(mut chart, part)| {
            chart.small = true;
            chart.title = format!(
                "{}: ECE {}, {}",
                called(&request.by, &part.name),
                significant(error(part)),
                counted(part.score.len(), "row")
            );
            Chart::new(chart, ChartWidth::Tile)
        });
    Ok(charts.collect())
}

/// The rows of the headline, which may name any of the diagrams.
fn basis(data: &Predictions, run: &RunOutcome, request: &MultiplesRequest, parts: &[RowSet]) -> Result<Basis> {
    let rows = match request.by {
        MultiplesBy::Method => Basis::AllRows,
        MultiplesBy::Class => Basis::all_of(parts.iter().map(RowSet::basis)),
        MultiplesBy::Group => {
            let by = grouping(data, &of_columns(data, request), QUANTILES)?;
            let of = ColumnCounts::of(run, &by);
            let places = (0..by.names.len()).filter(|place| parts.iter().any(|part| part.name == by.names[*place]));
            Basis::all_of([Basis::Values { places: places.collect(), of }])
        }
    };
    // an ECE and a mean error tell of the bins on either side
    Ok(Basis::all_of(std::iter::once(rows).chain(parts.iter().map(|part| sides(&part.bins)))))
}

fn gap(part: &RowSet) -> f64 {
    let w = part.weights();
    weighted_mean(&part.score, w) - weighted_share(&part.target, w)
}

/// Why there is no test, if the groups depend on the outcome.
fn no_test(data: &Predictions, request: &MultiplesRequest, parts: &[RowSet]) -> Option<String> {
    if request.by != MultiplesBy::Group || parts.is_empty() {
        return None;
    }
    let first = group_columns(data).into_iter().take(1).collect();
    let why = data.no_test_by(request.columns.as_ref().unwrap_or(&first))?;
    Some(format!("{why}. Use columns known before the outcome"))
}

/// Draws of the outcomes.
const DRAWS: usize = 199;
/// Rows times draws at most.
const MOST_DRAWN: usize = 60_000_000;
/// Random stream of these draws.
const CHANCE_STREAM: u64 = 6 << 40;

/// Whether the draws of all diagrams would take too long.
fn too_many(parts: &[RowSet]) -> bool {
    // the product with the draws can exceed a 32-bit number
    parts.iter().map(|part| part.score.len()).sum::<usize>() > MOST_DRAWN / DRAWS
}

/// The correlation of outcomes within clusters beyond the scores of all rows, which groups share; none where each diagram is of
/// all rows and has its own.
fn dependence(rows: &MethodRows, request: &MultiplesRequest) -> Option<f64> {
    let present = rows.clusters.present().filter(|_| request.by == MultiplesBy::Group)?;
    let RowClusters { of, count } = present.rows();
    Some(outcome_correlation(&rows.score, &rows.target, of, count))
}

/// By diagram: the share of outcomes drawn from the scores in which the ECE of any diagram lies as far above its usual one.
///
/// With m and σ the mean and the standard deviation of a diagram's ECE over the draws, z = (ECE − m) / σ is held against
/// the largest z of all diagrams in each draw (Westfall and Young, 1993). The bins are those of the scores: draws do not
/// move them. Outcomes of one cluster are drawn with the correlation that they have beyond the scores ([`ClusteredDraws`]).
/// None where nothing varies, as with scores of 0 and 1. O(draws · rows).
///
/// * `dependence`: this correlation, where it is not that of each diagram alone
fn against_chance(parts: &[RowSet], dependence: Option<f64>, bins: &BinOptions) -> Result<Vec<Option<f64>>> {
    let mut drawn = Vec::with_capacity(parts.len());
    for (k, part) in parts.iter().enumerate() {
        let bin = bins.binning(&part.score)?.assignment;
        let width = bin.iter().max().map_or(0, |most| *most as usize + 1);
        let w = part.weights();
        let total: f64 = (0..bin.len()).map(|i| weight(w, i)).sum();
        let error = |observed: &mut dyn FnMut(usize) -> f64| {
            let mut sums = vec![0.0_f64; width];
            for (i, b) in bin.iter().enumerate() {
                sums[*b as usize] += weight(w, i) * (part.score[i] - observed(i));
            }
            sums.iter().map(|sum| sum.abs()).sum::<f64>() / total
        };
        let mut lanes = Lanes::seeded(0, CHANCE_STREAM + k as u64);
        let mut values = vec![error(&mut |i| f64::from(part.target[i]))];
        if let Some(present) = part.clusters.present() {
            let RowClusters { of, count } = present.rows();
            let rho = dependence.unwrap_or_else(|| outcome_correlation(&part.score, &part.target, of, count));
            let draws = ClusteredDraws::new(rho, &part.score, of, count);
            let thresholds: Vec<i32> = part.score.iter().map(|&s| bernoulli_threshold(s)).collect();
            let mut target = vec![0; thresholds.len()];
            for _ in 0..DRAWS {
                draws.fill(&mut lanes, &thresholds, &mut target);
                values.push(error(&mut |i| f64::from(target[i])));
            }
        } else {
            let mut uniforms = std::iter::repeat_with(|| lanes.uniform()).flatten();
            for _ in 0..DRAWS {
                values.push(error(&mut |i| {
                    let below = uniforms.next().is_some_and(|u| u < part.score[i]);
                    f64::from(u8::from(below))
                }));
            }
        }
        // the observed value is one of the draws, which makes p exact
        let (mean, sd) = mean_and_sd(&values);
        let z: Vec<f64> = values.iter().map(|v| (v - mean) / sd).collect();
        drawn.push(if sd > 1e-12 { z } else { Vec::new() });
    }
    let largest: Vec<f64> = (0..=DRAWS)
        .map(|r| {
            let at = drawn.iter().filter_map(|z| z.get(r));
            at.copied().fold(f64::NEG_INFINITY, f64::max)
        })
        .collect();
    let p = |z: &Vec<f64>| {
        let own = z.first()? - 1e-9;
        let as_large = largest.iter().skip(1).filter(|most| **most >= own).count();
        Some((1 + as_large) as f64 / (DRAWS + 1) as f64)
    };
    Ok(drawn.iter().map(p).collect())
}

fn reading(by: &MultiplesBy, of: &[Multiple], verdict: &Verdict) -> String {
    let what = match by {
        MultiplesBy::Method => "method",
        MultiplesBy::Class => "class",
        MultiplesBy::Group => "group",
    };
    let only = match (by, of) {
        (MultiplesBy::Method, [_]) => "Original predictions only. Run recalibration methods to compare them.",
        _ => "",
    };
    if !only.is_empty() {
        return only.to_owned();
    }
    let ece = |one: &Multiple| one.ece.map_or_else(|| "–".to_owned(), significant);
    let found = |one: &&Multiple| one.name == verdict.subject;
    let claim = || match of.iter().find(found) {
        Some(one) => format!(
            "Strongest evidence of miscalibration: {}, ECE {}{}; mean error {}, not tested.",
            subject(by, &one.name),
            ece(one),
            verdict.adjusted_p_in_brackets(),
            points(one.gap)
        ),
        None => String::new(),
    };
    let quiet = || {
        let largest = of.iter().reduce(|a, b| if b.ece > a.ece { b } else { a });
        let largest = largest.map_or_else(String::new, |one| {
            let p = one.p.map_or_else(String::new, |p| format!(", adjusted {}", p_value(p)));
            format!("; largest ECE {} for {}{p}", ece(one), subject(by, &one.name))
        });
        format!(
            "No {what} has an ECE significantly above the range expected if calibrated ({} tested{largest}).",
            of.len()
        )
    };
    if let Evidence::Untested(why) = &verdict.evidence {
        let known = || of.iter().filter(|one| one.ece.is_some());
        let ends = [
            known().reduce(|a, b| if b.ece > a.ece { b } else { a }),
            known().reduce(|a, b| if b.ece < a.ece { b } else { a }),
        ];
        let named = |one: &Multiple| format!("{} ({})", ece(one), called(by, &one.name));
        return match ends {
            [Some(most), Some(least)] => format!("ECE from {} to {}. {why}.", named(least), named(most)),
            _ => format!("{why}."),
        };
    }
    verdict.headline(claim, quiet)
}

/// "original predictions", "Platt scaling", "ICU".
fn subject(by: &MultiplesBy, name: &str) -> String {
    match (by, name) {
        (MultiplesBy::Method, "none") => "original predictions".to_owned(),
        _ => called(by, name).into_owned(),
    }
}

/// What a part is called: methods have titles, classes and groups are called as the file calls them.
fn called<'a>(by: &MultiplesBy, name: &'a str) -> Cow<'a, str> {
    if *by == MultiplesBy::Method { title(name) } else { Cow::Borrowed(name) }
}

fn of_methods(run: &RunOutcome) -> Vec<RowSet> {
    let part = |rows: &MethodRows| RowSet {
        name: rows.method.name.clone(),
        score: rows.score.to_vec(),
        target: rows.target.to_vec(),
        weight: rows.weight.to_vec(),
        bins: rows.bins.clone(),
        clusters: rows.clusters.clone(),
    };
    run.compared().map(part).collect()
}

fn of_classes(data: &Predictions, run: &RunOutcome, rows: &MethodRows) -> Result<Vec<RowSet>> {
    let missing = || {
        Error::new(
            "classes_missing",
            "The file does not contain a probability for every class.",
            "Choose diagrams by method or by group.",
        )
    };
    let vectors = Vectors::new(data, &rows.calibrators)?.ok_or_else(missing)?;
    let y = data.y.as_ref().ok_or_else(missing)?;
    let m = vectors.width();
    let mut parts: Vec<RowSet> = (0..m)
        .map(|class| RowSet {
            name: data.labels.get(class).map_or_else(|| class.to_string(), Clone::clone),
            score: Vec::with_capacity(rows.rows.len()),
            target: Vec::with_capacity(rows.rows.len()),
            weight: rows.weight.to_vec(),
            bins: Vec::new(),
            clusters: rows.clusters.clone(),
        })
        .collect();
    let mut vector = vec![0.0; m];
    for ((&row, &fold), &score) in rows.rows.iter().zip(rows.fold.iter()).zip(rows.score.iter()) {
        vectors.vector_into(row as usize, fold, score, &mut vector);
        for (class, (part, p)) in parts.iter_mut().zip(&vector).enumerate() {
            part.score.push(*p);
            part.target.push(u8::from(y[row as usize] as usize == class));
        }
    }
    binned(parts, run)
}

/// The columns that define the groups.
fn of_columns(data: &Predictions, request: &MultiplesRequest) -> Vec<String> {
    let first = || group_columns(data).into_iter().next().into_iter().collect();
    request.columns.clone().unwrap_or_else(first)
}

fn of_groups(
    data: &Predictions,
    run: &RunOutcome,
    rows: &MethodRows,
    request: &MultiplesRequest,
) -> Result<Vec<RowSet>> {
    let groups = grouping(data, &of_columns(data, request), QUANTILES)?;
    let mut parts: Vec<RowSet> = groups
        .names
        .into_iter()
        .map(|name| RowSet {
            name,
            score: Vec::new(),
            target: Vec::new(),
            weight: Vec::new(),
            bins: Vec::new(),
            clusters: ClusterIds::default(),
        })
        .collect();
    let mut positions = vec![Vec::new(); parts.len()];
    let scored = rows.score.iter().zip(rows.target.iter());
    for (k, (&row, (&s, &t))) in rows.rows.iter().zip(scored).enumerate() {
        let code = groups.code[row as usize];
        if let Some(part) = parts.get_mut(code as usize) {
            part.score.push(s);
            part.target.push(t);
            part.weight.extend(rows.weight.get(k));
        }
        if let Some(of_part) = positions.get_mut(code as usize) {
            of_part.push(k as u32);
        }
    }
    for (part, positions) in parts.iter_mut().zip(&positions) {
        part.clusters = rows.clusters.at(positions);
    }
    parts.retain(|part| !part.score.is_empty());
    binned(parts, run)
}

fn binned(mut parts: Vec<RowSet>, run: &RunOutcome) -> Result<Vec<RowSet>> {
    for part in &mut parts {
        let bins = &run.report.settings.bins;
        part.bins = weighted_reliability_table(&part.score, &part.target, part.weights(), bins)?;
        part.bins.retain(|bin| bin.n > 0);
    }
    Ok(parts)
}

fn fields(data: &Predictions, run: &RunOutcome, request: &MultiplesRequest, many: usize) -> Vec<Field> {
    let columns = group_columns(data);
    let mut choices = vec![("method", "each method")];
    if data.labels.len() > 2 {
        choices.push(("class", "each class"));
    }
    if !columns.is_empty() {
        choices.push(("group", "each group"));
    }
    let now = match request.by {
        MultiplesBy::Method => "method",
        MultiplesBy::Class => "class",
        MultiplesBy::Group => "group",
    };
    let mut fields = vec![MultiplesRequest::field("by", FieldKind::choice(now, choices))];
    if request.by != MultiplesBy::Method && run.rows.len() > 1 {
        let value = request.method.clone().unwrap_or_else(|| "none".to_owned());
        let kind = FieldKind::Choice { value, choices: run.method_choices() };
        fields.push(MultiplesRequest::field("method", kind));
    }
    if request.by == MultiplesBy::Group {
        let first = columns.first().into_iter().cloned().collect();
        let kind = FieldKind::several_named(request.columns.clone().unwrap_or(first), columns);
        fields.push(MultiplesRequest::field("columns", kind));
    }
    if many > AT_FIRST {
        let all = MultiplesRequest::field("all", FieldKind::Check { value: request.all });
        fields.push(Field { label: format!("{} {many}", all.label), ..all });
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test is of the ECE: scores that are too extreme may be right on average.
    #[test]
    fn the_headline_claims_no_direction_that_was_not_tested() {
        let one = Multiple { name: "ICU".to_owned(), n: 200, ece: Some(0.12), gap: 0.0007, p: Some(0.01) };
        let verdict = Verdict::by_p(&*one.name, one.gap, one.p, "");
        assert_eq!(
            reading(&MultiplesBy::Group, &[one], &verdict),
            "Strongest evidence of miscalibration: ICU, ECE 0.120 (adjusted p\u{a0}=\u{a0}0.010); mean error +0.07\u{a0}pp, \
             not tested."
        );
    }
}
