//! Calibration by group: the gap of every group with its interval and p-value, and every method within every group.

mod error;
mod plan;
mod request;
mod table;

pub(in crate::analysis) use error::{Dependent, error_at, events_p};
use error::{GroupRows, Within};
pub use plan::CompareGroups;
pub use request::GroupsRequest;
pub use table::GroupMetric;

use serde::{Deserialize, Serialize};

use crate::analysis::entry::{Described, number_field};
use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::grouping::{Grouping, QUANTILES, group_columns, grouping};
use crate::data::leakage::Leakage;
use crate::data::{Predictions, View};
use crate::error::{Error, Result, phrases};
use crate::evaluation::method::whose_scores;
use crate::hypothesis::clustered_events::is_smallest;
use crate::hypothesis::multiplicity::{benjamini_hochberg, holm};
use crate::metric::binning::BinOptions;
use crate::metric::brier::brier_pair;
use crate::metric::ece::{ece, mce};
use crate::metric::gap::{Gap, NORMAL_FROM};
use crate::metric::log_loss::{LOG_LOSS_CLIP, log_loss_pair};
use crate::metric::reliability::ReliabilityBin;
use crate::metric::rows::Pair;
use crate::metric::simultaneous::{Cells, Expected, critical, redraws};
use crate::num::order::sort_short;
use crate::num::proportion::detectable_shares;
use crate::num::special::{NORMAL_80, NORMAL_975, normal_above};
use crate::num::weight::weighted_mean;
use crate::plot::chart::{Chart, ChartWidth, Screen};
use crate::plot::intervals::{Counted, IntervalChart, IntervalRow};
use crate::report::disclosure::{Audit, Basis, Stated};
use crate::report::gap::{direction, gap_words};
use crate::report::sheet::{Block, Field, FieldKind, Sheet};
use crate::report::small_cells::ColumnCounts;
use crate::report::verdict::{Finding, LEVEL, Verdict};
use crate::report::view::method_rows;
use crate::report::{MethodRows, RunOutcome};
use crate::table::MISSING;
use crate::words::number::{count, p_at_most, p_value, percentage_points};
use crate::words::text::counted;

/// Default minimum size of exported groups.
pub const LEAST: usize = 10;
/// Of the chart.
const ROOM: ChartWidth = ChartWidth::UpTo { usual: 560.0, most: 720.0 };
/// Rows of the chart.
const DRAWN: usize = 24;
/// Lines of the table; the file that can be saved has all.
const LISTED: usize = 100;
/// Of detectable gaps.
const POWER: f64 = 0.8;
/// Maximum number of groups in the table of methods.
const ACROSS: usize = 20;

/// Calibration of every group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupsOutcome {
    /// column or columns that define the groups
    pub title: String,
    /// groups by excess or missing events, n × |gap|, largest first
    pub groups: Vec<GroupEstimate>,
    /// every method of the run within every group
    pub methods: Vec<MethodByGroup>,
    /// number of rows without a group
    pub missing: usize,
    /// verdict on the group with the smallest p-value
    pub verdict: Verdict,
    /// the table of groups as CSV; cells of small groups are empty
    pub csv: String,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type GroupsWithoutCharts = WithoutCharts<GroupsOutcome>;
/// The step that draws its charts.
pub type ShowGroups = Show<GroupsOutcome>;

impl HasCharts for GroupsOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// Calibration of one group under one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupEstimate {
    /// value or values that define the group
    pub name: String,
    /// number of rows
    pub n: usize,
    /// number of events (or of correct predictions)
    pub events: usize,
    /// mean predicted probability
    pub score: f64,
    /// observed proportion of events
    #[serde(rename = "happened")]
    pub observed: f64,
    /// predicted − observed; positive: overestimated
    pub gap: f64,
    /// pointwise 95% CI of `gap`
    pub interval: [f64; 2],
    /// simultaneous 95% CI of `gap` over all groups
    pub interval_simultaneous: [f64; 2],
    /// expected calibration error within the group
    pub ece: f64,
    /// maximum calibration error over bins within the group
    pub mce: f64,
    /// excess or missing events: n × |gap|
    #[serde(rename = "harm")]
    pub excess_events: f64,
    /// two-sided p-value of a gap at least this large if calibrated, unadjusted; NaN if the outcome defines the groups
    pub p: f64,
    /// p-value adjusted for the number of groups (Holm)
    pub p_holm: f64,
    /// p-value adjusted for the false discovery rate (Benjamini–Hochberg)
    pub p_bh: f64,
    /// smallest gap detectable with 80% power in this many rows, at level 0.05 over all groups: in both directions, or in the only one
    /// that is detectable; NaN without a test
    pub detectable: f64,
    /// the directions in which no gap is detectable, however large: overestimated, underestimated
    #[serde(skip)]
    pub(super) undetectable: [bool; 2],
}

/// Metrics of one method within the groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MethodByGroup {
    /// name of the method
    pub method: String,
    /// by group, in the order of `groups`: ECE, MCE, Brier score and log loss of (score, target), accuracy; null for a group
    /// without rows among those of the method
    pub values: Vec<Option<[f64; 5]>>,
    /// largest MCE over the groups (maximum group-wise MCE)
    pub mce_max: f64,
    /// largest ECE over the groups
    pub ece_max: f64,
}

/// The rows of a group.
#[derive(Debug, Clone, Default)]
struct Part {
    /// among the rows of the method
    positions: Vec<u32>,
    s: Vec<f64>,
    t: Vec<u8>,
    /// how many rows each represents, if rows were counted beforehand; else empty
    counts: Vec<f64>,
}

impl Part {
    fn counts(&self) -> Option<&[f64]> {
        (!self.counts.is_empty()).then_some(&self.counts)
    }

    /// Number of rows.
    fn n(&self) -> usize {
        self.counts().map_or(self.s.len(), |counts| counts.iter().sum::<f64>().round() as usize)
    }

    /// The reliability table of the group.
    fn table(&self, bins: &BinOptions) -> Result<Vec<ReliabilityBin>> {
        let pair = Pair::new(&self.s, &self.t, self.counts(), bins).counting(self.counts().is_some());
        Ok(pair.table()?.to_vec())
    }

    /// Σ x / n over its rows.
    fn mean(&self, of: impl Fn(f64, u8) -> f64) -> f64 {
        let each: Vec<f64> = self.s.iter().zip(&self.t).map(|(&s, &t)| of(s, t)).collect();
        weighted_mean(&each, self.counts())
    }
}

/// The rows of every group, by code.
fn by_group(groups: &Grouping, rows: &MethodRows) -> Vec<Part> {
    let counts = rows.weights().filter(|_| rows.counted);
    groups
        .positions(&rows.rows)
        .into_iter()
        .map(|positions| {
            let places = || positions.iter().map(|&i| i as usize);
            Part {
                s: places().filter_map(|i| rows.score.get(i).copied()).collect(),
                t: places().filter_map(|i| rows.target.get(i).copied()).collect(),
                counts: counts
                    .map_or_else(Vec::new, |counts| places().filter_map(|i| counts.get(i).copied()).collect()),
                positions,
            }
        })
        .collect()
}

/// The gap of every group under one method, and every method within every group.
///
/// The p-value of a group is that of its number of events under the scores themselves (Poisson-binomial), and at least that of no
/// error on average, so that the interval of a significant error excludes 0. Groups that depend on the outcome have none: see [`leakage`](crate::data::leakage). The detectable gap is (z₁₋α + z.₈) times the standard error, √(Σ s(1 − s)) / n or that of the interval where it is
/// larger, with α = 2.5 % divided by the number of groups; where an outcome is rare, it is that of the exact test (see
/// [`Detectable`]).
///
/// `suppress`: the smallest count that may be told. Groups that are withheld are then left out before anything is computed for
/// several groups: an adjusted p-value, a simultaneous interval or a largest value would otherwise depend on them.
///
/// # Errors
/// `groups_missing` where no column can be groups; those of [`grouping`]; `unknown_method`.
///
/// # Cost
/// O(n) per method, and O(n²) within groups of up to 1,000 rows for the exact p-value.
pub fn groups(
    data: &Predictions,
    run: &RunOutcome,
    request: &GroupsRequest,
    suppress: Option<u64>,
) -> Result<GroupsOutcome> {
    let columns = match &request.columns {
        Some(columns) => columns.clone(),
        None => group_columns(data).into_iter().take(1).collect(),
    };
    if columns.is_empty() {
        return Err(Error::new("groups_missing", "No group column.", phrases::GROUP_NEEDED));
    }
    let rows = method_rows(run, request.method.as_deref())?;
    let by = grouping(data, &columns, request.quantiles.unwrap_or(QUANTILES))?;
    let no_test = no_test(data, &columns, &by).or_else(|| within_clusters(data, &columns));
    let bins = &run.report.settings.bins;
    let parts = by_group(&by, rows);
    let counts = ColumnCounts::of(run, &by);
    let out = suppress.map_or_else(Vec::new, |least| counts.left_out(least));
    let (withheld, kept): (Vec<usize>, Vec<usize>) =
        (0..parts.len()).filter(|&g| !parts[g].s.is_empty()).partition(|&g| out.get(g) == Some(&true));
    let found = estimates(&by, rows, (&parts, &kept), bins, no_test.as_deref())?;
    let mut order: Vec<usize> = (0..found.len()).collect();
    sort_short(&mut order, |&a, &b| found[a].excess_events > found[b].excess_events);
    let found: Vec<GroupEstimate> = order.iter().map(|&i| found[i].clone()).collect();
    let kept: Vec<usize> = order.iter().map(|&i| kept[i]).collect();
    let mut methods = Vec::with_capacity(run.rows.len());
    for rows in run.compared() {
        let parts = by_group(&by, rows);
        let values: Result<Vec<Option<[f64; 5]>>> = kept.iter().map(|&g| values(data.view, &parts[g], bins)).collect();
        let values = values?;
        let most = |j: usize| values.iter().flatten().map(|v| v[j]).fold(f64::NAN, f64::max);
        methods.push(MethodByGroup { method: rows.method.name.clone(), ece_max: most(0), mce_max: most(1), values });
    }
    let named: usize = parts.iter().map(Part::n).sum();
    let mut outcome = GroupsOutcome {
        verdict: verdict(&by.title, &found, no_test.as_deref()),
        title: by.title,
        groups: found,
        methods,
        missing: rows.tally().0.saturating_sub(named),
        csv: String::new(),
        sheet: Sheet::default(),
    };
    outcome.csv = table::csv(&outcome, request.least.unwrap_or(LEAST));
    let lines = GroupLines { of: counts, places: kept };
    let mut shown = match outcome.groups.is_empty() && !withheld.is_empty() {
        true => Vec::new(),
        false => blocks(data, &outcome, &lines, rows, request, withheld.len()),
    };
    if let (Some(least), false) = (suppress, withheld.is_empty()) {
        shown.push(about_withheld(&withheld, &lines, least));
    }
    outcome.sheet = Sheet::new(fields(data, run, request, &columns), shown);
    Ok(outcome)
}

/// Calibration of the groups `kept`, in their order, under one method, with p-values adjusted for all of them.
///
/// * `no_test`: why they have no p-values, where they have none
fn estimates(
    by: &Grouping,
    rows: &MethodRows,
    (parts, kept): (&[Part], &[usize]),
    bins: &BinOptions,
    no_test: Option<&str>,
) -> Result<Vec<GroupEstimate>> {
    let dependent = Dependent::of(rows);
    let mut cell_of = vec![MISSING; parts.len()];
    for (cell, &g) in (0..).zip(kept) {
        cell_of[g] = cell;
    }
    let cell = |row: &u32| cell_of.get(by.code[*row as usize] as usize).copied().unwrap_or(MISSING);
    let codes: Vec<u32> = rows.rows.iter().map(cell).collect();
    let cells = Cells::of_codes(&codes, kept.len());
    let draws = redraws(rows.score.len());
    let expected = match rows.weights().filter(|_| rows.counted) {
        Some(counts) => Expected::of_counts(&rows.score, counts, &cells, draws),
        None => Expected::new(&rows.score, None, None, &cells, draws),
    };
    let together = critical([&expected]).max(NORMAL_975);
    let mut found = Vec::with_capacity(kept.len());
    for &g in kept {
        let part = &parts[g];
        let within = dependent.as_ref().map(|dependent| dependent.at(&part.positions));
        let group = GroupRows { s: &part.s, t: &part.t, counts: part.counts(), within: within.as_ref() };
        let gap = group.gap();
        let table = part.table(bins)?;
        let detectable = match no_test {
            None => Detectable::of(&gap, within.as_ref().map_or(1.0, Within::design_effect), kept.len()),
            Some(_) => Detectable { gap: f64::NAN, none: [false; 2] },
        };
        found.push(GroupEstimate {
            name: by.names[g].clone(),
            n: part.n(),
            events: gap.events as usize,
            score: gap.score,
            observed: gap.observed,
            gap: gap.gap(),
            interval: gap.interval(),
            interval_simultaneous: gap.within(together),
            ece: ece(&table).unwrap_or(f64::NAN),
            mce: mce(&table, 1).unwrap_or(f64::NAN),
            excess_events: gap.n * gap.gap().abs(),
            p: match no_test {
                None => group.p(&gap),
                Some(_) => f64::NAN,
            },
            p_holm: f64::NAN,
            p_bh: f64::NAN,
            detectable: detectable.gap,
            undetectable: detectable.none,
        });
    }
    let p: Vec<f64> = found.iter().map(|group| group.p).collect();
    for ((group, holm), bh) in found.iter_mut().zip(holm(&p)).zip(benjamini_hochberg(&p)) {
        (group.p_holm, group.p_bh) = (holm, bh);
    }
    Ok(found)
}

/// What the test of a group detects with 80 % power.
struct Detectable {
    /// smallest gap in both directions, or in the only one in which there is any; at most 1
    gap: f64,
    /// no gap is detected where the group is overestimated, underestimated
    none: [bool; 2],
}

impl Detectable {
    /// * `effect`: rows that tell as much as one independent row; `groups`: how many are tested
    ///
    /// Where an outcome is rare, by the exact binomial test of the mean error ([`Gap::p`](crate::metric::gap::Gap::p)): the variance
    /// of more events than expected is larger, and with few expected, none at all can be no sign of an error.
    fn of(gap: &Gap, effect: f64, groups: usize) -> Self {
        let rows = gap.n / effect;
        // scores that are all 0 or 1 leave nothing to chance
        if rows * gap.score.min(1.0 - gap.score) >= NORMAL_FROM || gap.promised <= 0.0 {
            let alone = NORMAL_975.max(normal_above(0.025 / groups as f64));
            let error = (gap.promised * effect / gap.n).sqrt().max(gap.standard_error());
            return Self { gap: ((alone + NORMAL_80) * error).min(1.0), none: [false; 2] };
        }
        let shares = detectable_shares(rows, gap.score, LEVEL / groups as f64, POWER);
        let most = shares.iter().flatten().map(|share| (share - gap.score).abs()).reduce(f64::max);
        Self { gap: most.unwrap_or(1.0), none: shares.map(|share| share.is_none()) }
    }
}

/// ECE, MCE, Brier score, log-loss and accuracy of some rows.
///
/// None of a group without rows among those of a method: a value that occurs only among the rows for calibration.
fn values(view: View, part: &Part, bins: &BinOptions) -> Result<Option<[f64; 5]>> {
    if part.s.is_empty() {
        return Ok(None);
    }
    let table = part.table(bins)?;
    let right = |s: f64, t: u8| match view {
        View::TopLabel => f64::from(t),
        View::Positive => f64::from(u8::from((s > 0.5) == (t == 1))),
    };
    let (s, t) = (&part.s, &part.t);
    let [brier, nll] = match part.counts() {
        Some(_) => [
            part.mean(|s, t| (s - f64::from(t)).powi(2)),
            part.mean(|s, t| -if t == 1 { s } else { 1.0 - s }.max(LOG_LOSS_CLIP).ln()),
        ],
        None => [brier_pair(s, t)?, log_loss_pair(s, t, LOG_LOSS_CLIP)?],
    };
    Ok(Some([ece(&table).unwrap_or(f64::NAN), mce(&table, 1).unwrap_or(f64::NAN), brier, nll, part.mean(right)]))
}

/// Why these groups have no p-values, where they have none.
pub(in crate::analysis) fn no_test(data: &Predictions, columns: &[String], by: &Grouping) -> Option<String> {
    let why = data.no_test_by(columns).or_else(|| {
        let told = columns.len() > 1 && data.groups_determine(&by.code);
        told.then(|| Leakage::Values.sentence(&by.title))
    })?;
    let instead = if data.labels.len() > 2 && data.predicted.is_some() {
        ". Use the predicted class instead"
    } else {
        ". Use a column known before the outcome"
    };
    Some(format!("{why}{instead}"))
}

/// Why groups that each lie within one cluster have no p-values: their error and that of the cluster are one.
fn within_clusters(data: &Predictions, columns: &[String]) -> Option<String> {
    let clusters = data.clusters.as_ref().filter(|clusters| columns.contains(&clusters.column))?;
    Some(format!(
        "Each group is within one cluster ({}), whose rows are dependent, so that its error may be that of the cluster",
        clusters.column
    ))
}

/// About the group whose error is least like chance; among equals the one with most excess or missing events.
fn verdict(title: &str, found: &[GroupEstimate], no_test: Option<&str>) -> Verdict {
    let tested = found.iter().filter(|group| !group.p_holm.is_nan());
    let least = tested.reduce(|a, b| if b.p_holm < a.p_holm { b } else { a });
    match (least, no_test) {
        (_, Some(why)) => Verdict::untested("", None, why),
        (Some(group), _) => Verdict::by_p(subject(title, group), group.gap, Some(group.p_holm), ""),
        (None, None) => Verdict::untested("", None, "No row belongs to a group"),
    }
}

/// The rows of every value of the column, and which of the values the groups are, in their order.
struct GroupLines {
    of: ColumnCounts,
    places: Vec<usize>,
}

impl GroupLines {
    /// Of what is about some of the groups, by their places among them: each may be told of where its line is shown.
    fn basis(&self, groups: impl IntoIterator<Item = usize>) -> Basis {
        let places = groups.into_iter().filter_map(|group| self.places.get(group).copied()).collect();
        Basis::Values { of: self.of.clone(), places }
    }

    /// Of what is about the rows without a group.
    fn missing(&self) -> Basis {
        Basis::Values { of: self.of.clone(), places: vec![self.of.missing()] }
    }
}

/// The headline is about the groups that are off beyond chance, or about all of them together; then it names the one with the
/// smallest p-value.
fn basis_of_reading(outcome: &GroupsOutcome, lines: &GroupLines) -> Basis {
    let groups = || outcome.groups.iter().enumerate();
    let mut named: Vec<usize> = groups().filter(|(_, group)| group.p_holm <= LEVEL).map(|(place, _)| place).collect();
    if named.is_empty() {
        let subject = |group: &GroupEstimate| outcome.verdict.subject == subject(&outcome.title, group);
        named.extend(groups().filter(|(_, group)| subject(group)).map(|(place, _)| place));
    }
    match named.is_empty() {
        true => Basis::AllRows,
        false => Basis::all_of([Basis::AllRows, lines.basis(named)]),
    }
}

/// "ward = ICU"
fn subject(title: &str, group: &GroupEstimate) -> String {
    format!("{title} = {}", group.name)
}

/// `withheld`: groups that are not told of.
fn reading(data: &Predictions, outcome: &GroupsOutcome, withheld: usize) -> String {
    let proven = |group: &&GroupEstimate| group.p_holm <= LEVEL;
    let claim = || {
        // of the significantly miscalibrated groups, the one with most excess or missing events is first
        let Some(group) = outcome.groups.iter().find(proven) else {
            return String::new();
        };
        let others = outcome.groups.iter().filter(proven).count() - 1;
        let more = match others {
            0 => String::new(),
            1 => " One other group is also significant.".to_owned(),
            _ => format!(" {others} other groups are also significant."),
        };
        format!(
            "{} {} for {} = {} (n = {}, adjusted {}).{more}",
            match data.view {
                View::TopLabel => "Confidence is",
                View::Positive => "Probabilities are",
            },
            direction(group.gap),
            outcome.title,
            group.name,
            count(group.n as u64),
            if is_smallest(group.p, group.n) { p_at_most(group.p_holm) } else { p_value(group.p_holm) }
        )
    };
    let quiet = || {
        let shown = outcome.groups.len();
        if let Some(group) = outcome.groups.iter().find(|group| is_smallest(group.p, group.n)) {
            return format!(
                "Undecided for {} = {}, {} ({}): {} are too many for the number of simulations.",
                outcome.title,
                group.name,
                direction(group.gap),
                p_at_most(group.p_holm),
                counted(shown, "group")
            );
        }
        outcome.verdict.no_error(&match withheld {
            0 => format!("{} of {}", counted(shown, "group"), outcome.title),
            // nothing is known of the others
            _ => format!(
                "the groups of {} that are shown ({shown} of {})",
                outcome.title,
                count((shown + withheld) as u64)
            ),
        })
    };
    outcome.verdict.headline(claim, quiet)
}

fn blocks(
    data: &Predictions,
    outcome: &GroupsOutcome,
    lines: &GroupLines,
    rows: &MethodRows,
    request: &GroupsRequest,
    withheld: usize,
) -> Vec<Stated<Block>> {
    let least = request.least.unwrap_or(LEAST);
    let listed = |most: usize| Basis::Lines(vec![lines.basis(0..outcome.groups.len().min(most))]);
    let table = table::of_groups(outcome, data.view, least, vec![lines.basis(0..outcome.groups.len().min(LISTED))]);
    let mut blocks = vec![
        Block::Reading(reading(data, outcome, withheld)).of(basis_of_reading(outcome, lines)),
        Block::Charts(vec![Chart::new(chart(outcome, rows, data.view, (least, withheld)), ROOM)]).of(listed(DRAWN)),
        Block::Table(table.what).of(table.basis),
    ];
    if outcome.groups.len() > LISTED {
        let listed = top(LISTED, outcome, data.view, "listed");
        blocks
            .push(Block::Note(format!("{} The file groups.csv contains all.", listed.trim_start())).of(Basis::Setting));
    }
    if let Some((group, unseen)) = unseen(outcome, data.view) {
        blocks.push(Block::Text(unseen).of(lines.basis([group])));
    }
    if outcome.missing > 0 {
        let missing = format!("Excluded: {} without a value of {}.", counted(outcome.missing, "row"), outcome.title);
        blocks.push(Block::Note(missing).of(Basis::all_of([Basis::Count(outcome.missing as u64), lines.missing()])));
    }
    blocks.push(Block::Note(method_note(data, outcome, least)).of(Basis::Setting));
    // files to save are no part of a document
    blocks.push(Block::Download { name: "groups.csv".to_owned(), text: outcome.csv.clone() }.of(Basis::Unknown));
    if outcome.methods.len() > 1 {
        blocks.push(Block::Heading("All methods by group".to_owned()).of(Basis::Setting));
        if outcome.groups.len() > ACROSS {
            let across = top(ACROSS, outcome, data.view, "listed; the largest or smallest value is over all groups");
            blocks.push(Block::Note(across.trim_start().to_owned()).of(Basis::Setting));
        }
        let Stated { what, basis } =
            table::of_methods(outcome, lines, data.view, request.metric.unwrap_or_default(), least);
        blocks.push(Block::Table(what).of(basis));
    }
    blocks
}

/// How many groups are not told of, and that nothing depends on them.
fn about_withheld(withheld: &[usize], lines: &GroupLines, least: u64) -> Stated<Block> {
    let note = format!(
        "{} withheld: few rows ({least} are needed, with and without the outcome), or their numbers would reveal those of others. \
         Of groups with the same scores, those in which fewer outcomes occurred are withheld sooner: the groups shown look \
         underestimated on average, and a large overestimation may be among those withheld. p-values and simultaneous intervals \
         are adjusted for the groups that are shown.",
        counted(withheld.len(), "group")
    );
    let protecting = withheld.iter().filter(|place| !lines.of.is_small(**place, least)).count() as u64;
    let values = |groups: u64| groups * table::NUMBERS;
    let audit = Audit { values: values(withheld.len() as u64), complementary: values(protecting), ..Audit::default() };
    Block::Note(note).of(Basis::Thinned(audit))
}

/// The calibration error of the groups that are drawn; `least`: a smaller group is hollow; `withheld`: how many groups are not among
/// them.
fn chart(outcome: &GroupsOutcome, rows: &MethodRows, view: View, (least, withheld): (usize, usize)) -> IntervalChart {
    let row = |group: &GroupEstimate| IntervalRow {
        name: group.name.clone(),
        value: group.gap,
        low: group.interval[0],
        high: group.interval[1],
        together: Some(group.interval_simultaneous),
        // a group without a p-value stands out as little as one by chance
        faint: group.p_holm.is_nan() || group.p_holm > LEVEL || group.n < least,
        more: vec![counted(group.n, "row")],
    };
    IntervalChart {
        rows: outcome.groups.iter().take(DRAWN).map(row).collect(),
        value_name: "error".to_owned(),
        counted: Counted::Points,
        signed: true,
        compares: false,
        title: String::new(),
        caption: format!(
            "Calibration error of each group in {}: mean score minus observed proportion. Bars: 95% \
             intervals simultaneous over {}; thin lines: pointwise 95% intervals. ▲ warm: overestimated; ▼ cool: \
             underestimated; {}.{}{}",
            whose_scores(&rows.method.name),
            counted(outcome.groups.len(), "group"),
            match outcome.verdict.finding {
                Finding::Untested => "all hollow, as no test is possible",
                _ => "hollow: adjusted p above 0.05, a test that can detect more than the simultaneous intervals",
            },
            top(DRAWN, outcome, view, "drawn"),
            if withheld > 0 { format!(" ({} withheld)", counted(withheld, "group")) } else { String::new() }
        ),
    }
}

/// How the groups are sorted and tested; `least`: smaller ones are gray.
fn method_note(data: &Predictions, outcome: &GroupsOutcome, least: usize) -> String {
    let events = data.view.events();
    let small = format!("Groups of fewer than {least} rows are gray here and empty in the exported table.");
    if outcome.verdict.finding == Finding::Untested {
        return format!("Sorted by excess or missing {events}: n × error. {small}");
    }
    format!(
        "Sorted by excess or missing {events}: n × error. p: two-sided probability of the number of {events} \
         if the scores are calibrated ({}), and at least that of no error on average, which the 95% CI inverts; \
         adjusted for {} (Holm), and as a false discovery rate (Benjamini and Hochberg). {small}",
        match &data.clusters {
            None => "Poisson-binomial: exact up to 1,000 rows, a saddlepoint approximation beyond".to_owned(),
            Some(clusters) => format!("outcomes simulated as dependent within {}", clusters.column),
        },
        counted(outcome.groups.len(), "group")
    )
}

/// " Only the 24 of 5,000 groups with the most excess or missing events are drawn." where there are more; else nothing.
fn top(most: usize, outcome: &GroupsOutcome, view: View, done: &str) -> String {
    match outcome.groups.len() {
        all if all > most => format!(
            " Only the {most} of {} groups with the most excess or missing {} are {done}.",
            count(all as u64),
            view.events()
        ),
        _ => String::new(),
    }
}

/// What the groups are too small to show, and of which of them that is said.
fn unseen(outcome: &GroupsOutcome, view: View) -> Option<(usize, String)> {
    let quiet = outcome.groups.iter().enumerate().filter(|(_, group)| group.p_holm > LEVEL);
    let worst = quiet.max_by(|a, b| a.1.detectable.total_cmp(&b.1.detectable));
    // where every score is 0 or 1, any error is detected
    let (place, worst) = worst.filter(|(_, worst)| worst.detectable > 0.0)?;
    let (size, events) = (percentage_points(worst.detectable), view.events());
    let reached = match worst.undetectable {
        [false, false] => format!("it reaches 80% for gaps of {size} or more."),
        [true, false] => format!(
            "it reaches 80% where they are underestimated by {size} or more. No overestimation is detectable there: even 0 {events} \
             would not be significant."
        ),
        [false, true] => format!(
            "it reaches 80% where they are overestimated by {size} or more. No underestimation is detectable there: even {events} in \
             all rows would not be significant."
        ),
        [true, true] => format!("no number of {events} would be significant."),
    };
    let words = format!(
        "Of the groups without a significant error, power is lowest in “{}” ({}): {reached}",
        worst.name,
        counted(worst.n, "row"),
    );
    Some((place, words))
}

fn fields(data: &Predictions, run: &RunOutcome, request: &GroupsRequest, columns: &[String]) -> Vec<Field> {
    let field = GroupsRequest::field;
    let several = FieldKind::several_named(columns.to_vec(), group_columns(data));
    let mut fields = vec![field("columns", several)];
    if run.rows.len() > 1 {
        let value = request.method.clone().unwrap_or_else(|| "none".to_owned());
        fields.push(field("method", FieldKind::Choice { value, choices: run.method_choices() }));
        let metrics = table::GroupMetric::ALL.map(|metric| (metric.id(), metric.title()));
        fields.push(field("metric", FieldKind::choice(request.metric.unwrap_or_default().id(), metrics)));
    }
    fields.push(number_field::<GroupsRequest>("quantiles", request.quantiles.unwrap_or(QUANTILES) as f64));
    fields.push(number_field::<GroupsRequest>("least", request.least.unwrap_or(LEAST) as f64));
    fields
}

/// "+12.0 pp (+3.1 to +20.9)" of a group.
fn gap_cell(group: &GroupEstimate) -> String {
    gap_words(group.gap, group.interval)
}
