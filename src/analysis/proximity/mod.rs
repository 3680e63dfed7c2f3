//! Proximity bias: whether calibration differs between rows far from others and rows near others, under every method.

mod plan;
mod request;

pub use plan::CompareByProximity;
pub(super) use request::FORMS;
pub use request::ProximityRequest;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::method::MethodKind;
use crate::evaluation::proximity::Proximities;
use crate::evaluation::request::EvaluateOn;
use crate::feature::proximity::ProximityOptions;
use crate::feature::{FeatureChoice, left_out, no_independent_test};
use crate::metric::accuracy::ACCURACY;
use crate::metric::bias_index::{BiasIndex, Replacement, bias_index, fair_p, matched_pairs};
use crate::metric::piece::{CONFIDENCE_BINS, piece, piece_cells, piece_of};
use crate::plot::chart::Screen;
use crate::proximity::Form;
use crate::report::disclosure::Basis;
use crate::report::sheet::{Block, Sheet};
use crate::report::verdict::Verdict;
use crate::report::view::method_rows;
use crate::report::{MethodRows, RunOutcome};

mod figures;
mod words;

/// Response of `data.analyse("proximity")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProximityOutcome {
    /// the request, with defaults
    pub settings: ProximityRequest,
    /// in the order of the run
    pub methods: Vec<MethodProximity>,
    /// about the first method
    pub verdict: Verdict,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type ProximityWithoutCharts = WithoutCharts<ProximityOutcome>;
/// The step that draws its charts.
pub type ShowProximity = Show<ProximityOutcome>;

impl HasCharts for ProximityOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.settings.width = screen.width;
        self.sheet.draw(screen);
    }
}

/// Proximity bias and PIECE of one method.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodProximity {
    /// name of the method
    pub method: String,
    /// observed proportion of events among rows of high proximity − that among matched rows of low proximity
    pub bias_index: Option<f64>,
    /// rank-sum z, corrected for ties
    pub z: Option<f64>,
    /// two-sided p-value of z
    pub p: Option<f64>,
    /// `p` times the number of methods, at most 1 (Bonferroni)
    pub p_bonferroni: Option<f64>,
    /// p-value of no effect of proximity that counts each row once, however many pairs contain it; the verdict uses this
    /// one. Null if the outcome defines proximity
    pub p_rows: Option<f64>,
    /// `p_rows` times the number of methods, at most 1 (Bonferroni)
    pub p_rows_bonferroni: Option<f64>,
    /// rank-sum z without the correction for ties
    pub z_plain: Option<f64>,
    /// two-sided p-value of `z_plain`
    pub p_plain: Option<f64>,
    /// number of matched pairs
    pub pairs: usize,
    /// number of groups by proximity, of which the first and the last are compared
    pub groups: usize,
    /// mean score of the matched rows, high and low proximity
    pub score: [f64; 2],
    /// observed share of events among them
    #[serde(rename = "happened")]
    pub observed: [f64; 2],
    /// expected calibration error over the score bins of PIECE
    pub ece: f64,
    /// PIECE
    pub piece: f64,
    /// PIECE in the cells of the published numbers
    pub piece_code: f64,
    /// share of right predictions
    pub accuracy: f64,
}

/// A method's rows with their proximity.
pub(super) struct RowsWithProximity<'a> {
    pub(super) rows: Cow<'a, MethodRows>,
    pub(super) ln_d: Vec<f64>,
}

/// The methods that an analysis looks at: those that are asked for, all with scores otherwise. Where the run scored
/// `none` on every row, its rows are not those of the others: it then stands alone, or is left out where others are
/// asked for.
///
/// # Errors
/// `unknown_method`.
pub fn methods<'a>(run: &'a RunOutcome, names: Option<&[String]>) -> Result<(Vec<&'a MethodRows>, bool)> {
    let asked: Vec<&MethodRows> = match names {
        Some(names) if !names.is_empty() => {
            names.iter().map(|name| method_rows(run, Some(name))).collect::<Result<_>>()?
        }
        _ => run.rows.iter().collect(),
    };
    if run.report.settings.evaluate_on != EvaluateOn::All {
        return Ok((asked, false));
    }
    let is_none = |rows: &&&MethodRows| rows.method.kind == MethodKind::NONE;
    let alone: Vec<&MethodRows> = asked.iter().filter(is_none).copied().collect();
    if alone.is_empty() { Ok((asked, false)) } else { Ok((alone, true)) }
}

impl ProximityRequest {
    /// What it says about proximity.
    pub fn proximity(&self) -> ProximityOptions {
        ProximityOptions {
            features: self.features.clone(),
            neighbours: self.neighbours,
            distance: self.distance,
            form: self.form,
            row_normalise: self.row_normalise,
        }
    }

    /// The same request with these settings.
    pub fn with(self, options: ProximityOptions) -> Self {
        Self {
            features: options.features,
            neighbours: options.neighbours,
            distance: options.distance,
            form: options.form,
            row_normalise: options.row_normalise,
            ..self
        }
    }
}

/// Numbers, figures and sentences about every method.
///
/// # Errors
/// `unknown_method`, `unknown_column` for the groups.
///
/// # Cost
/// A few sorts a method.
pub fn proximity(
    data: &Predictions,
    run: &RunOutcome,
    request: &ProximityRequest,
    near: &[Proximities],
) -> Result<ProximityOutcome> {
    let (shown, _) = methods(run, request.methods.as_deref())?;
    let said = left_out_of(data, request.features.as_ref(), &shown);
    let rows: Vec<RowsWithProximity> = shown
        .into_iter()
        .map(|rows| match near.first() {
            Some(near) => rows_with_proximity(near, rows),
            None => RowsWithProximity { ln_d: Vec::new(), rows: Cow::Borrowed(rows) },
        })
        .collect();
    let replacement = if request.without_replacement { Replacement::Without } else { Replacement::With };
    let mut found = Vec::with_capacity(rows.len());
    for one in &rows {
        found.push(numbers(run, one, replacement)?);
    }
    let count = found.len() as f64;
    let choice = request.features.as_ref();
    let no_test = choice.and_then(|choice| no_independent_test(data, choice));
    for method in &mut found {
        if no_test.is_some() {
            (method.p, method.p_plain, method.p_rows) = (None, None, None);
        }
        method.p_bonferroni = method.p.map(|p| (p * count).min(1.0));
        method.p_rows_bonferroni = method.p_rows.map(|p| (p * count).min(1.0));
    }
    let tied = match (found.first(), rows.first()) {
        (Some(method), Some(one)) if method.pairs == 0 => {
            !matched_pairs(&one.rows.score, &one.ln_d, Replacement::With, 0)?.has_sides()
        }
        _ => false,
    };
    let no_test = no_test.or_else(|| tied.then(|| words::SAME_PROXIMITY.to_owned()));
    let verdict = words::verdict(data.view, found.first(), no_test);
    let reading = words::reading(data.view, found.first(), &verdict);
    // pairs of rows are compared, and a row is in several
    let fewest = Basis::Statistic(found.iter().map(|method| method.pairs as u64).min().unwrap_or(0));
    let mut blocks = vec![Block::Reading(reading).of(fewest.clone())];
    blocks.push(Block::Facts(words::facts(data, found.first(), &rows, request)).of(fewest.clone()));
    if let Some(first) = rows.first() {
        let both = vec![figures::reliability(data.view, first)?, figures::by_proximity(data.view, &rows)?];
        blocks.push(Block::Charts(both).of(Basis::Unknown));
    }
    if let (Some(column), Some(first)) = (&request.group, rows.first()) {
        blocks.push(Block::Heading(format!("By {column}")).of(Basis::Setting));
        blocks.push(Block::Charts(vec![figures::by_group(data, first, column)?]).of(Basis::Unknown));
    }
    blocks.push(Block::Heading("All methods".to_owned()).of(Basis::Setting));
    blocks.push(Block::Table(words::table(data.view, &found)).of(fewest));
    let mut compared: Vec<_> = figures::plug_ins(&rows, &found).into_iter().collect();
    compared.extend(figures::against_ece(&found));
    if !compared.is_empty() {
        blocks.push(Block::Charts(compared).of(Basis::Unknown));
    }
    // they count rows without a place
    blocks.extend(said.map(|words| Block::Note(words).of(Basis::Unknown)));
    blocks.extend(words::notes(&found, &rows, request).into_iter().map(|block| block.of(Basis::Unknown)));
    Ok(ProximityOutcome {
        settings: request.clone(),
        methods: found,
        verdict,
        sheet: Sheet::new(words::fields(data, run, request), blocks),
    })
}

/// The rows of a method that have coordinates, with ln D of each under its own fold; all of them if none is near
/// another.
pub(super) fn rows_with_proximity<'a>(near: &Proximities, rows: &'a MethodRows) -> RowsWithProximity<'a> {
    let each = rows.rows.iter().zip(rows.fold.iter());
    let ln_d: Vec<f64> = each.map(|(&row, &fold)| near.value(row, fold)).collect();
    let placed: Vec<u32> = (0u32..).zip(&ln_d).filter(|(_, ln_d)| !ln_d.is_nan()).map(|(i, _)| i).collect();
    if placed.is_empty() || placed.len() == ln_d.len() {
        return RowsWithProximity { rows: Cow::Borrowed(rows), ln_d };
    }
    RowsWithProximity { rows: Cow::Owned(rows.at(&placed)), ln_d: placed.iter().map(|&i| ln_d[i as usize]).collect() }
}

/// What is said of rows with a gap in a feature.
pub(super) fn left_out_of(data: &Predictions, choice: Option<&FeatureChoice>, shown: &[&MethodRows]) -> Option<String> {
    left_out(data, choice?, None, &shown.first()?.rows)
}

fn numbers(run: &RunOutcome, one: &RowsWithProximity, replacement: Replacement) -> Result<MethodProximity> {
    let (s, t) = (&one.rows.score, &one.rows.target);
    let pairs = matched_pairs(s, &one.ln_d, replacement, 0)?;
    let BiasIndex { index, z, p, z_plain, p_plain, pairs: count, score, rate } = bias_index(&pairs, s, t);
    // The score bins of PIECE, each one cell.
    let one_a_bin = piece_cells(s, &one.ln_d, Form::Paper, (CONFIDENCE_BINS, 1))?;
    let report = run.report.methods.iter().find(|method| method.name == one.rows.method.name);
    let accuracy = report.and_then(|method| method.metrics.get(ACCURACY.id)).and_then(|metric| metric.value);
    let n = t.len().max(1) as f64;
    let rate_all = t.iter().map(|&t| f64::from(t)).sum::<f64>() / n;
    Ok(MethodProximity {
        method: one.rows.method.name.clone(),
        bias_index: index,
        z,
        p,
        p_bonferroni: None,
        p_rows: fair_p(&pairs, s, t),
        p_rows_bonferroni: None,
        z_plain,
        p_plain,
        pairs: count,
        groups: pairs.groups,
        score,
        observed: rate,
        ece: piece_of(&one_a_bin, s, t)?,
        piece: piece(s, t, &one.ln_d, Form::Paper)?,
        piece_code: piece(s, t, &one.ln_d, Form::Code)?,
        accuracy: accuracy.unwrap_or(rate_all),
    })
}
