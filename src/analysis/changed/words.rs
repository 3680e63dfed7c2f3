//! The sheet: one finding from one verdict, the numbers then and now, groups, and stored recalibrations.

use super::{Change, ChangedOutcome, Changing, LEAST, NotCompared, StoredRecalibration, WhyNotCompared};
use crate::data::{Predictions, View};
use crate::evaluation::method::title as title_of_method;
use crate::metric::entry::Written;
use crate::metric::registry::metric;
use crate::num::proportion::LEAST_OF_OUTCOME;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::intervals::{Counted, IntervalChart, IntervalRow};
use crate::report::disclosure::Basis;
use crate::report::gap::direction;
use crate::report::interval::TOO_FEW;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable, Tone};
use crate::report::verdict::LEVEL;
use crate::words::number::{count, interval, p_digits, p_value, percent, points, points_interval, significant};
use crate::words::text::{counted, first_of, listed};

/// Groups in the chart.
const DRAWN: usize = 24;
/// Groups named for one reason why they were not compared.
const LISTED: usize = 8;

/// * `session`: what the values of the session were computed from
pub(super) fn sheet(data: &Predictions, outcome: &ChangedOutcome, session: &Basis) -> Sheet {
    let basis_of = |view: View, change: &Change| Basis::all_of([basis_of(view, change), session.clone()]);
    let basis = Basis::Lines(outcome.changes.iter().map(|one| basis_of(data.view, one)).collect());
    // the headline names the change that is least like chance
    let least = outcome.changes.iter().min_by(|a, b| a.p_holm.total_cmp(&b.p_holm).then(a.p.total_cmp(&b.p)));
    let basis_of_headline = least.map_or(Basis::AllRows, |change| basis_of(data.view, change));
    let mut blocks = vec![
        Block::Reading(headline(data.view, outcome)).of(basis_of_headline),
        Block::Table(table(data.view, outcome)).of(basis),
    ];
    if !outcome.missing_columns.is_empty() {
        let columns = listed(outcome.missing_columns.iter());
        let text =
            format!("Columns of the session that this file does not have, and that are not compared: {columns}.");
        blocks.insert(1, Block::Text(text).of(Basis::Setting));
    }
    if let Some(new) = new_in_file(&outcome.not_compared) {
        // of few rows, maybe
        blocks.insert(1, Block::Text(new).of(Basis::Unknown));
    }
    let unknown: Vec<&NotCompared> = outcome.not_compared.iter().filter(|group| group.predicted.is_some()).collect();
    if let Some(found) = &outcome.new_errors {
        blocks.insert(1, Block::Text(found.clone()).of(Basis::Unknown));
    }
    let gaps: Vec<&Change> =
        outcome.changes.iter().filter(|one| matches!(one.of, Changing::Gap | Changing::GroupGap)).collect();
    if !gaps.is_empty() {
        let basis = gaps.iter().take(DRAWN).map(|one| basis_of(data.view, one));
        blocks.push(Block::Charts(vec![chart(&gaps)]).of(Basis::all_of(basis)));
    }
    if !unknown.is_empty() {
        blocks.push(Block::Table(new_groups(data.view, &unknown)).of(Basis::Unknown));
    }
    blocks.push(Block::Heading("Recalibrations of the session on this file".to_owned()).of(Basis::Setting));
    blocks.push(Block::Text(recalibrations_sentence(outcome)).of(Basis::AllRows));
    if !outcome.recalibrations.is_empty() {
        blocks.push(Block::Table(recalibrations(&outcome.recalibrations)).of(Basis::AllRows));
    }
    // it names groups of few rows
    let basis = if outcome.not_compared.is_empty() { session.clone() } else { Basis::Unknown };
    blocks.push(Block::Note(note(outcome)).of(basis));
    Sheet::new(Vec::new(), blocks)
}

/// Groups of which some are left out for want of rows would reveal those by what they leave of all.
fn basis_of(view: View, change: &Change) -> Basis {
    match change.of {
        Changing::Share | Changing::Gap => Basis::AllRows,
        Changing::Metric => Basis::of_metric(&change.name, view),
        Changing::GroupGap => Basis::Unknown,
    }
}

/// What a change is of, at the beginning of a line.
fn title(view: View, change: &Change) -> String {
    match (change.of, view) {
        (Changing::Share, View::Positive) => "event rate".to_owned(),
        (Changing::Share, View::TopLabel) => "accuracy".to_owned(),
        (Changing::Gap, _) => gap_name(view).to_owned(),
        (Changing::Metric, _) => metric(&change.name).map_or_else(|| change.name.clone(), |m| m.name.to_owned()),
        (Changing::GroupGap, _) => change.name.clone(),
    }
}

fn gap_name(view: View) -> &'static str {
    match view {
        View::Positive => "predicted − observed",
        View::TopLabel => "confidence − accuracy",
    }
}

fn written(change: &Change, value: f64) -> String {
    let metric = metric(&change.name).filter(|_| change.of == Changing::Metric);
    match (change.of, metric.map(|metric| metric.written)) {
        (Changing::Share, _) | (_, Some(Written::Percent)) => percent(value),
        (Changing::Gap | Changing::GroupGap, _) | (_, Some(Written::Points)) => points(value),
        _ => significant(value),
    }
}

/// A difference of two values.
fn written_change(change: &Change, value: f64) -> String {
    match change.of {
        Changing::Metric => {
            let text = significant(value);
            if value > 0.0 { format!("+{text}") } else { text }
        }
        _ => points(value),
    }
}

fn headline(view: View, outcome: &ChangedOutcome) -> String {
    let proven: Vec<&Change> = outcome.changes.iter().filter(|change| change.p_holm <= LEVEL).collect();
    let looked = outcome.changes.len();
    outcome.verdict.headline(
        || {
            let least = outcome.changes.iter().min_by(|a, b| a.p_holm.total_cmp(&b.p_holm).then(a.p.total_cmp(&b.p)));
            let Some(change) = least else { return String::new() };
            let more = match proven.len() {
                0 | 1 => String::new(),
                n => format!(" {} of {looked} values changed significantly.", count(n as u64)),
            };
            let name = match change.of {
                Changing::GroupGap => format!("{}: {}", change.name, gap_name(view)),
                _ => title(view, change),
            };
            let what =
                format!("{name} changed from {} to {}", written(change, change.last), written(change, change.now));
            format!("Significant change: {what}{}.{more}", outcome.verdict.adjusted_p_in_brackets())
        },
        || {
            format!(
                "No significant change in {looked} values; smallest adjusted p: {}{}.",
                outcome.verdict.subject,
                outcome.verdict.p_in_brackets()
            )
        },
    )
}

fn table(view: View, outcome: &ChangedOutcome) -> SheetTable {
    let mut table = SheetTable::new(
        "Session and this file",
        &["Value", "#n, session", "#n, this file", "#Session", "#This file", "#Change", "#95% CI", "#Adjusted p"],
    );
    for change in &outcome.changes {
        let of_error = matches!(change.of, Changing::Gap | Changing::GroupGap);
        let tone = Tone::of_error(change.change, of_error && change.p_holm <= LEVEL);
        table.rows.push(vec![
            title(view, change).into(),
            Cell::number(count(change.rows[0] as u64), change.rows[0] as f64),
            Cell::number(count(change.rows[1] as u64), change.rows[1] as f64),
            Cell::number(written(change, change.last), change.last),
            Cell::number(written(change, change.now), change.now),
            Cell::number(written_change(change, change.change), change.change).toned(tone),
            format!("{} to {}", written_change(change, change.low), written_change(change, change.high)).into(),
            Cell::number(p_digits(change.p_holm), change.p_holm),
        ]);
    }
    table
}

/// "Significant error in 1 group without numbers in the session: segment = BNPL is underestimated (predicted 5.2%, …)."
pub(super) fn errors_of_new(view: View, groups: &[NotCompared]) -> Option<String> {
    let (predicted, observed) = view.terms();
    let proven = |group: &&NotCompared| group.p_holm.is_some_and(|p| p <= LEVEL);
    let each: Vec<String> = (groups.iter().filter(proven))
        .map(|group| {
            let [score, share] = [group.predicted, group.observed].map(|value| value.unwrap_or(f64::NAN));
            format!(
                "{} is {} ({predicted} {}, {observed} {}, n = {}, adjusted {})",
                group.name,
                direction(score - share),
                percent(score),
                percent(share),
                count(group.n as u64),
                p_value(group.p_holm.unwrap_or(f64::NAN))
            )
        })
        .collect();
    let named = each.get(..each.len().min(LISTED))?.join("; ");
    let more = match each.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("; {more} more in the table"),
    };
    let groups = counted(each.len(), "group");
    (!each.is_empty()).then(|| format!("Significant error in {groups} without numbers in the session: {named}{more}."))
}

/// Groups of enough rows in this file of which the session has no numbers.
fn new_groups(view: View, groups: &[&NotCompared]) -> SheetTable {
    let (predicted, observed) = view.columns();
    let titles = ["Group", "In the session", "#n", predicted, observed, "#Error", "#Adjusted p"];
    let mut table = SheetTable::new("Groups without numbers in the session", &titles);
    for group in groups {
        let [score, share] = [group.predicted, group.observed].map(|value| value.unwrap_or(f64::NAN));
        let tone = Tone::of_error(score - share, group.p_holm.is_some_and(|p| p <= LEVEL));
        table.rows.push(vec![
            group.name.clone().into(),
            if group.reason == WhyNotCompared::New { "no (new)" } else { "not known" }.into(),
            Cell::number(count(group.n as u64), group.n as f64),
            Cell::number(percent(score), score),
            Cell::number(percent(share), share),
            Cell::number(points(score - share), score - share).toned(tone),
            group.p_holm.map_or_else(|| Cell::from("–"), |p| Cell::number(p_digits(p), p)),
        ]);
    }
    table
}

fn chart(gaps: &[&Change]) -> Chart {
    let row = |change: &&Change| IntervalRow {
        name: if change.name.is_empty() { "all rows".to_owned() } else { change.name.clone() },
        value: change.change,
        low: change.low,
        high: change.high,
        together: None,
        faint: change.p_holm > LEVEL,
        more: vec![format!(
            "{} rows in the session, {} in this file",
            count(change.rows[0] as u64),
            count(change.rows[1] as u64)
        )],
    };
    let shown = IntervalChart {
        rows: gaps.iter().take(DRAWN).map(row).collect(),
        value_name: "change in predicted − observed".to_owned(),
        counted: Counted::Points,
        signed: true,
        compares: false,
        title: "Change in calibration error".to_owned(),
        caption: "Pointwise 95% intervals; hollow: not significant after adjustment for all values.".to_owned(),
    };
    Chart::new(shown, ChartWidth::UpTo { usual: 640.0, most: 760.0 })
}

fn recalibrations_sentence(outcome: &ChangedOutcome) -> String {
    if let Some(why) = &outcome.no_recalibrations {
        return format!("None can be evaluated: {}.", why.trim_end_matches('.'));
    }
    let said = |recalibration: &StoredRecalibration| {
        let title = title_of_method(&recalibration.method);
        let difference = significant(recalibration.difference);
        let Some([low, high]) = recalibration.interval else {
            return format!("{title} (difference in the Brier score {difference}), {TOO_FEW}");
        };
        let what = match [low, high] {
            [_, high] if high < 0.0 => "still lowers the Brier score",
            [low, _] if low > 0.0 => "raises the Brier score",
            _ => "does not change the Brier score significantly",
        };
        format!("{title} {what} (difference {difference}, 95% CI {})", interval(low, high))
    };
    let all: Vec<String> = outcome.recalibrations.iter().map(said).collect();
    format!("Fitted in the session, evaluated on all scored rows of this file: {}.", all.join("; "))
}

fn recalibrations(recalibrations: &[StoredRecalibration]) -> SheetTable {
    let mut table = SheetTable::new(
        "Stored recalibrations on this file",
        &[
            "Method",
            "#Error before",
            "#Error after (95% CI)",
            "#Brier before",
            "#Brier after",
            "#Difference",
            "#95% CI",
        ],
    );
    for one in recalibrations {
        table.rows.push(vec![
            title_of_method(&one.method).as_ref().into(),
            Cell::number(points(one.gap_before), one.gap_before),
            Cell::number(points(one.gap_after), one.gap_after)
                .with_beneath(points_interval(one.gap_after_interval[0], one.gap_after_interval[1])),
            Cell::number(significant(one.brier_before), one.brier_before),
            Cell::number(significant(one.brier_after), one.brier_after),
            Cell::number(significant(one.difference), one.difference),
            one.interval.map_or_else(|| "–".to_owned(), |[low, high]| interval(low, high)).into(),
        ]);
    }
    table
}

/// "New in this file, and not compared: site = K (n = 23)."
fn new_in_file(groups: &[NotCompared]) -> Option<String> {
    let new: Vec<&NotCompared> = groups.iter().filter(|group| group.reason == WhyNotCompared::New).collect();
    let named: Vec<String> =
        new.iter().map(|group| format!("{} (n = {})", group.name, count(group.n as u64))).collect();
    (!new.is_empty()).then(|| format!("New in this file, and not compared: {}.", first_of(&named, LISTED)))
}

/// Which groups were not compared, reason by reason; new ones are in [`new_in_file`].
fn not_compared(groups: &[NotCompared]) -> String {
    let reasons = [
        (
            WhyNotCompared::FewEvents,
            format!("fewer than {LEAST_OF_OUTCOME} rows of one outcome in the session or in this file"),
        ),
        (WhyNotCompared::FewRows, format!("fewer than {LEAST} rows in the session or in this file")),
        (
            WhyNotCompared::NotInSession,
            format!(
                "no numbers in the session: new, fewer than {LEAST} rows there, or left out to protect small groups"
            ),
        ),
        (WhyNotCompared::Absent, "not among the groups of this file".to_owned()),
    ];
    let each = reasons.into_iter().filter_map(|(reason, words)| {
        let names: Vec<&str> =
            groups.iter().filter(|group| group.reason == reason).map(|group| group.name.as_str()).collect();
        (!names.is_empty()).then(|| format!(" Not compared, {words}: {}.", first_of(&names, LISTED)))
    });
    each.collect()
}

fn note(outcome: &ChangedOutcome) -> String {
    let unknown = outcome.not_compared.iter().filter(|group| group.p_holm.is_some()).count();
    let errors = match unknown {
        0 => String::new(),
        n => format!(", {n} of them errors of groups without numbers in the session"),
    };
    format!(
        "The two files are treated as independent samples, {} rows in the session and {} in this file; if rows are \
         in both, intervals are too wide. p-values are adjusted for all {} values (Holm){errors}. Brier score and AUROC \
         also change with case mix.{}",
        count(outcome.rows[0] as u64),
        count(outcome.rows[1] as u64),
        outcome.changes.len() + unknown,
        not_compared(&outcome.not_compared)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::verdict::Verdict;

    /// With 9 events a lower Brier score is their luck.
    #[test]
    fn a_stored_recalibration_without_enough_events_is_not_called_better() {
        let said = |interval: Option<[f64; 2]>| {
            let recalibration = StoredRecalibration {
                method: "platt".to_owned(),
                gap_before: 0.02,
                gap_after: 0.01,
                gap_after_interval: [-0.01, 0.03],
                brier_before: 0.05,
                brier_after: 0.048,
                difference: -0.002,
                interval,
            };
            recalibrations_sentence(&ChangedOutcome {
                rows: [200, 200],
                changes: Vec::new(),
                not_compared: Vec::new(),
                missing_columns: Vec::new(),
                new_errors: None,
                recalibrations: vec![recalibration],
                no_recalibrations: None,
                verdict: Verdict::untested("", None, ""),
                sheet: Sheet::default(),
            })
        };
        assert!(said(Some([-0.003, -0.001])).contains("still lowers the Brier score"));
        let few = said(None);
        assert!(few.contains("not tested: fewer than 10 rows") && !few.contains("lowers"), "{few}");
    }
}
