//! The sheet: one finding from one verdict, the numbers then and now, groups, and stored recalibrations.

use super::{
    Change, ChangedOutcome, Changing, Earlier, LEAST, NotCompared, StoredRecalibration, WhyNotCompared, leading_change,
    most_significant,
};
use crate::data::{Predictions, Scores, View};
use crate::evaluation::method::title as title_of_method;
use crate::metric::clinical::INTERCEPT_LARGE;
use crate::metric::entry::Written;
use crate::metric::registry::metric;
use crate::num::proportion::LEAST_OF_OUTCOME;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::intervals::{Counted, IntervalChart, IntervalRow};
use crate::report::disclosure::Basis;
use crate::report::gap::{direction, predicate, side};
use crate::report::interval::TOO_FEW;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable, Tone};
use crate::report::verdict::LEVEL;
use crate::words::number::{
    bare_points, count, interval, p_digits, p_value, percent, percentage_points, points, points_interval,
    signed_percentage_points, significant,
};
use crate::words::text::{capitalized, counted, first_of, listed, uncapitalized};

/// Groups in the chart.
const DRAWN: usize = 24;
/// Groups named for one reason why they were not compared.
const LISTED: usize = 8;
/// Changes of calibration that the headline names.
const NAMED: usize = 3;
/// What a comparison without numbers of the classes misses.
const ONLY_PREDICTED_CLASS: &str = "Only the confidence in the predicted class and metrics of all rows were compared: a \
    class that has become more or less frequent at equal probabilities may go unnoticed.";

/// * `session`: what the values of the session were computed from
pub(super) fn sheet(data: &Predictions, outcome: &ChangedOutcome, earlier: Earlier, session: &Basis) -> Sheet {
    let basis_of = |view: View, change: &Change| Basis::all_of([basis_of(view, change), session.clone()]);
    let basis = Basis::Lines(outcome.changes.iter().map(|one| basis_of(data.view, one)).collect());
    let basis_of_headline = Basis::all_of(named(data.view, outcome).map(|change| basis_of(data.view, change)));
    let mut blocks = vec![
        Block::Reading(headline(data, outcome)).of(basis_of_headline),
        Block::Table(table(data.view, outcome, earlier)).of(basis),
    ];
    if !outcome.missing_columns.is_empty() {
        let columns = listed(outcome.missing_columns.iter());
        let text = format!(
            "Columns of the {} that this file does not have, and that are not compared: {columns}.",
            earlier.noun()
        );
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
    let gaps: Vec<&Change> = outcome.changes.iter().filter(|one| one.of.is_error()).collect();
    if !gaps.is_empty() {
        let basis = gaps.iter().take(DRAWN).map(|one| basis_of(data.view, one));
        blocks.push(Block::Charts(vec![chart(&gaps, earlier)]).of(Basis::all_of(basis)));
    }
    if !unknown.is_empty() {
        blocks.push(Block::Table(new_groups(data.view, earlier, &unknown)).of(Basis::Unknown));
    }
    let heading = format!("Recalibrations of the {} on this file", earlier.noun());
    blocks.push(Block::Heading(heading).of(Basis::Setting));
    blocks.push(Block::Text(recalibrations_sentence(data.view, outcome, earlier)).of(Basis::AllRows));
    if !outcome.recalibrations.is_empty() {
        blocks.push(Block::Table(recalibrations(&outcome.recalibrations)).of(Basis::AllRows));
    }
    // it names groups of few rows
    let basis = if outcome.not_compared.is_empty() { session.clone() } else { Basis::Unknown };
    blocks.push(Block::Note(note(data, outcome, earlier)).of(basis));
    Sheet::new(Vec::new(), blocks)
}

/// Groups of which some are left out for want of rows would reveal those by what they leave of all.
fn basis_of(view: View, change: &Change) -> Basis {
    match change.of {
        Changing::Share | Changing::Gap => Basis::AllRows,
        Changing::Metric => Basis::of_metric(&change.name, view),
        Changing::GroupGap | Changing::ClassGap => Basis::Unknown,
    }
}

/// What the observed share of events is called.
pub(super) fn share(view: View) -> &'static str {
    match view {
        View::Positive => "event rate",
        View::TopLabel => "accuracy",
    }
}

/// What a change is of, at the beginning of a line.
fn title(view: View, change: &Change) -> String {
    match (change.of, view) {
        (Changing::Share, view) => share(view).to_owned(),
        (Changing::Gap, _) => gap_name(view).to_owned(),
        (Changing::Metric, _) => metric(&change.name).map_or_else(|| change.name.clone(), |m| m.name.to_owned()),
        (Changing::GroupGap, _) => change.name.clone(),
        (Changing::ClassGap, _) => class_name(&change.name),
    }
}

/// A class, where its probability is compared.
pub(super) fn class_name(class: &str) -> String {
    format!("class {class}")
}

impl Changing {
    /// Whether it is predicted − observed.
    fn is_error(self) -> bool {
        matches!(self, Self::Gap | Self::GroupGap | Self::ClassGap)
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
        (Changing::Gap | Changing::GroupGap | Changing::ClassGap, _) | (_, Some(Written::Points)) => points(value),
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

/// The changes that the headline may name or state to be insignificant.
fn named(view: View, outcome: &ChangedOutcome) -> impl Iterator<Item = &Change> {
    let calibration = outcome.changes.iter().filter(move |change| change.is_calibration(view));
    leading_change(view, &outcome.changes).into_iter().chain(calibration).chain(group_of_headline(outcome))
}

/// The most significant change in a group; none if there is no significant one.
fn group_of_headline(outcome: &ChangedOutcome) -> Option<&Change> {
    let groups = outcome.changes.iter().filter(|change| change.of == Changing::GroupGap && change.p_holm <= LEVEL);
    most_significant(groups)
}

/// "calibration slope changed from 1.02 to 0.61 (adjusted p < 0.001)"
fn changed_from(view: View, change: &Change) -> String {
    let title = title(view, change);
    let (name, scale) = match change.of {
        Changing::GroupGap => (format!("{title}: {}", gap_name(view)), ""),
        Changing::ClassGap => (format!("{title}: {}", gap_name(View::Positive)), ""),
        Changing::Metric if change.name == INTERCEPT_LARGE.id => (uncapitalized(&title), "log-odds, "),
        Changing::Metric if change.is_calibration(view) => (uncapitalized(&title), ""),
        _ => (title, ""),
    };
    format!(
        "{name} changed from {} to {} ({scale}adjusted {})",
        written(change, change.last),
        written(change, change.now),
        p_value(change.p_holm)
    )
}

/// What is compared of the calibration of all rows, as the subject of a sentence; none if nothing is.
fn calibration_compared(view: View, outcome: &ChangedOutcome) -> Option<String> {
    let compared: Vec<&Change> = outcome.changes.iter().filter(|change| change.is_calibration(view)).collect();
    let classes = compared.iter().filter(|change| change.of == Changing::ClassGap).count();
    let others = compared.iter().filter(|change| change.of != Changing::ClassGap);
    let mut names: Vec<String> = others.map(|change| uncapitalized(&title(view, change))).collect();
    if classes > 0 {
        names.push(match classes {
            1 => "the error of 1 class".to_owned(),
            n => format!("the errors of {} classes", count(n as u64)),
        });
    }
    (!names.is_empty()).then(|| capitalized(&names.join(" and ")))
}

/// "Significant change: calibration slope changed from 1.02 to 0.61 (…). Most significant among groups: …", of a change that is one of
/// calibration.
fn calibration_claim(view: View, outcome: &ChangedOutcome, lead: &Change) -> String {
    let others = outcome
        .changes
        .iter()
        .filter(|change| change.p_holm <= LEVEL && change.is_calibration(view) && *change != lead);
    let all: Vec<String> =
        std::iter::once(lead).chain(others.take(NAMED - 1)).map(|change| changed_from(view, change)).collect();
    let group = group_of_headline(outcome)
        .map_or_else(String::new, |change| format!(" Most significant among groups: {}.", changed_from(view, change)));
    format!("Significant change: {}.{group}", all.join("; "))
}

/// "Calibration in the large and calibration slope did not change significantly; Brier score changed from …, which a change in case mix
/// alone can cause.", of a change that can have another cause than calibration.
fn other_claim(view: View, outcome: &ChangedOutcome, lead: &Change) -> String {
    let what = changed_from(view, lead);
    let other_cause = match lead.of.is_error() {
        true => "to which case mix may contribute",
        false => "which a change in case mix alone can cause",
    };
    let of = if lead.of == Changing::GroupGap { " of all rows" } else { "" };
    match calibration_compared(view, outcome) {
        Some(compared) => format!("{compared}{of} did not change significantly; {what}, {other_cause}."),
        None => format!("Significant change: {what}, {other_cause}."),
    }
}

fn headline(data: &Predictions, outcome: &ChangedOutcome) -> String {
    let view = data.view;
    let looked = outcome.changes.len();
    let claim = || {
        let Some(lead) = leading_change(view, &outcome.changes) else { return String::new() };
        let said = match lead.is_calibration(view) {
            true => calibration_claim(view, outcome, lead),
            false => other_claim(view, outcome, lead),
        };
        match outcome.changes.iter().filter(|change| change.p_holm <= LEVEL).count() {
            0 | 1 => said,
            n => format!("{said} {} of {looked} values changed significantly.", count(n as u64)),
        }
    };
    let quiet = || {
        let (subject, p) = (&outcome.verdict.subject, outcome.verdict.p_in_brackets());
        format!("No significant change in {looked} values; smallest adjusted p: {subject}{p}.")
    };
    let said = outcome.verdict.headline(claim, quiet);
    match only_predicted_class(data, outcome) {
        true => format!("{said} {ONLY_PREDICTED_CLASS}"),
        false => said,
    }
}

/// Whether the file has class probabilities, of which only that of the predicted class was compared.
fn only_predicted_class(data: &Predictions, outcome: &ChangedOutcome) -> bool {
    let known = !matches!(data.scores, None | Some(Scores::Confidence));
    let of_class = |change: &Change| change.of == Changing::ClassGap;
    data.view == View::TopLabel && known && !outcome.changes.iter().any(of_class)
}

fn table(view: View, outcome: &ChangedOutcome, earlier: Earlier) -> SheetTable {
    let noun = capitalized(earlier.noun());
    let (rows, value) = (format!("#n, {}", earlier.noun()), format!("#{noun}"));
    let mut table = SheetTable::new(
        format!("{noun} and this file"),
        &["Value", &rows, "#n, this file", &value, "#This file", "#Change", "#95% CI", "#Adjusted p"],
    );
    for change in &outcome.changes {
        let tone = Tone::of_error(change.change, change.of.is_error() && change.p_holm <= LEVEL);
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
pub(super) fn errors_of_new(view: View, earlier: Earlier, groups: &[NotCompared]) -> Option<String> {
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
    let noun = earlier.noun();
    (!each.is_empty()).then(|| format!("Significant error in {groups} without numbers in the {noun}: {named}{more}."))
}

/// Groups of enough rows in this file of which the session has no numbers.
fn new_groups(view: View, earlier: Earlier, groups: &[&NotCompared]) -> SheetTable {
    let (predicted, observed) = view.columns();
    let noun = earlier.noun();
    let in_it = format!("In the {noun}");
    let titles = ["Group", &in_it, "#n", predicted, observed, "#Error", "#Adjusted p"];
    let mut table = SheetTable::new(format!("Groups without numbers in the {noun}"), &titles);
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

fn chart(gaps: &[&Change], earlier: Earlier) -> Chart {
    let row = |change: &&Change| IntervalRow {
        name: match change.of {
            Changing::ClassGap => class_name(&change.name),
            _ if change.name.is_empty() => "all rows".to_owned(),
            _ => change.name.clone(),
        },
        value: change.change,
        low: change.low,
        high: change.high,
        together: None,
        faint: change.p_holm > LEVEL,
        more: vec![format!(
            "{} rows in the {}, {} in this file",
            count(change.rows[0] as u64),
            earlier.noun(),
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

fn recalibrations_sentence(view: View, outcome: &ChangedOutcome, earlier: Earlier) -> String {
    if let Some(why) = &outcome.no_recalibrations {
        return format!("None can be evaluated: {}.", why.trim_end_matches('.'));
    }
    let ci = interval_name(&outcome.recalibrations);
    let said = |recalibration: &StoredRecalibration| {
        let title = title_of_method(&recalibration.method);
        let difference = significant(recalibration.difference);
        let Some([low, high]) = recalibration.interval else {
            return format!(" {title} (difference in the Brier score {difference}), {TOO_FEW}.");
        };
        // the session does not store what it gained there
        let what = match [low, high] {
            [_, high] if high < 0.0 => "lowers the Brier score",
            [low, _] if low > 0.0 => "raises the Brier score",
            _ => "does not change the Brier score significantly",
        };
        let remaining = match remaining_error(view, recalibration, ci) {
            Some(error) => format!(", {} {error}", if high < 0.0 { "but" } else { "and" }),
            None => String::new(),
        };
        format!(" {title} {what} (difference {difference}, {ci} {}){remaining}.", interval(low, high))
    };
    let all: String = outcome.recalibrations.iter().map(said).collect();
    format!("Fitted in the {}, evaluated on all scored rows of this file.{all}", earlier.noun())
}

/// What the intervals of several recalibrations are.
fn interval_name(recalibrations: &[StoredRecalibration]) -> &'static str {
    if recalibrations.len() > 1 { "simultaneous 95% CI" } else { "95% CI" }
}

/// "probabilities remain overestimated by 11.8 percentage points (95% CI 10.2 to 13.5; before recalibration 12.6); refit the recalibration";
/// none if the error is not significant.
fn remaining_error(view: View, of: &StoredRecalibration, ci: &str) -> Option<String> {
    let [low, high] = of.gap_after_simultaneous;
    if !(low > 0.0 || high < 0.0) {
        return None;
    }
    let subject = uncapitalized(view.subject());
    if of.gap_before * of.gap_after < 0.0 {
        return Some(format!(
            "the mean error changes its sign, from {} to {} ({ci} {} to {}): {subject} {}; refit the recalibration",
            bare_points(of.gap_before),
            signed_percentage_points(of.gap_after),
            bare_points(low),
            bare_points(high),
            predicate(view, "then ", of.gap_after)
        ));
    }
    let what = match (of.gap_after.abs() > of.gap_before.abs(), view) {
        (true, _) => predicate(view, "then ", of.gap_after),
        (false, View::Positive) => format!("remain {}", side(of.gap_after)),
        (false, View::TopLabel) => format!("remains {}", side(of.gap_after)),
    };
    // sizes, the smaller first
    let size = |gap: f64| bare_points(gap.abs()).trim_start_matches('+').to_owned();
    let [from, to] = if of.gap_after < 0.0 { [high, low] } else { [low, high] };
    Some(format!(
        "{subject} {what} by {} ({ci} {} to {}; before recalibration {}); refit the recalibration",
        percentage_points(of.gap_after),
        size(from),
        size(to),
        size(of.gap_before)
    ))
}

fn recalibrations(recalibrations: &[StoredRecalibration]) -> SheetTable {
    let of_difference = format!("#{}", interval_name(recalibrations));
    let mut table = SheetTable::new(
        "Stored recalibrations on this file",
        &[
            "Method",
            "#Error before",
            "#Error after (95% CI)",
            "#Brier before",
            "#Brier after",
            "#Difference",
            &of_difference,
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
fn not_compared(groups: &[NotCompared], earlier: Earlier) -> String {
    let noun = earlier.noun();
    let reasons = [
        (
            WhyNotCompared::FewEvents,
            format!("fewer than {LEAST_OF_OUTCOME} rows of one outcome in the {noun} or in this file"),
        ),
        (WhyNotCompared::FewRows, format!("fewer than {LEAST} rows in the {noun} or in this file")),
        (
            WhyNotCompared::NotInSession,
            format!(
                "no numbers in the {noun}: new, fewer than {LEAST} rows there, or left out to protect small groups"
            ),
        ),
        (WhyNotCompared::Absent, "not in this file".to_owned()),
    ];
    let each = reasons.into_iter().filter_map(|(reason, words)| {
        let names: Vec<&str> =
            groups.iter().filter(|group| group.reason == reason).map(|group| group.name.as_str()).collect();
        (!names.is_empty()).then(|| format!(" Not compared, {words}: {}.", first_of(&names, LISTED)))
    });
    each.collect()
}

fn note(data: &Predictions, outcome: &ChangedOutcome, earlier: Earlier) -> String {
    let noun = earlier.noun();
    let or_clusters = data.clusters.as_ref();
    let or_clusters = or_clusters.map_or_else(String::new, |clusters| format!(", or the same {},", clusters.column));
    let unknown = outcome.not_compared.iter().filter(|group| group.p_holm.is_some()).count();
    let errors = match unknown {
        0 => String::new(),
        n => format!(", {n} of them errors of groups without numbers in the {noun}"),
    };
    let case_mix = match data.view {
        View::Positive => {
            "Event rate, AUROC, Brier score and errors in percentage points also change with case mix; so does \
             calibration in the large where the slope is not 1."
        }
        View::TopLabel => "All of these values also change with case mix.",
    };
    format!(
        "The two files are treated as independent samples, {} rows in the {noun} and {} in this file; if the same rows{or_clusters} are \
         in both, intervals are too wide. p-values are adjusted for all {} values (Holm){errors}. {case_mix}{}",
        count(outcome.rows[0] as u64),
        count(outcome.rows[1] as u64),
        outcome.changes.len() + unknown,
        not_compared(&outcome.not_compared, earlier)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::verdict::Verdict;

    /// Errors before and after, and the intervals of the latter and of the Brier score.
    type Evaluated = ([f64; 2], [f64; 2], Option<[f64; 2]>);

    fn said(of: &[Evaluated]) -> String {
        let stored = |(gaps, after, interval): &Evaluated| StoredRecalibration {
            method: "platt".to_owned(),
            gap_before: gaps[0],
            gap_after: gaps[1],
            gap_after_interval: *after,
            gap_after_simultaneous: *after,
            brier_before: 0.05,
            brier_after: 0.048,
            difference: -0.002,
            interval: *interval,
        };
        let outcome = ChangedOutcome {
            rows: [200, 200],
            changes: Vec::new(),
            not_compared: Vec::new(),
            missing_columns: Vec::new(),
            new_errors: None,
            recalibrations: of.iter().map(stored).collect(),
            no_recalibrations: None,
            verdict: Verdict::untested("", None, ""),
            sheet: Sheet::default(),
        };
        recalibrations_sentence(View::Positive, &outcome, Earlier::Session)
    }

    /// With 9 events a lower Brier score is their luck.
    #[test]
    fn a_stored_recalibration_without_enough_events_is_not_called_better() {
        let of = |interval| said(&[([0.02, 0.01], [-0.01, 0.03], interval)]);
        let lower = of(Some([-0.003, -0.001]));
        assert!(lower.contains("lowers the Brier score") && !lower.contains("still"), "{lower}");
        assert!(!lower.contains("refit"), "{lower}");
        let few = of(None);
        assert!(few.contains("not tested: fewer than 10 rows") && !few.contains("lowers"), "{few}");
    }

    /// A lower Brier score hides neither an error that remains nor one to the other side.
    #[test]
    fn the_error_that_a_stored_recalibration_leaves_is_stated() {
        let better = Some([-0.003, -0.001]);
        let remains = said(&[([0.126, 0.118], [0.102, 0.135], better)]);
        assert_eq!(
            remains,
            "Fitted in the session, evaluated on all scored rows of this file. Platt scaling lowers the Brier score \
             (difference −0.00200, 95% CI −0.00300 to −0.00100), but probabilities remain overestimated by 11.8 percentage \
             points (95% CI 10.2 to 13.5; before recalibration 12.6); refit the recalibration."
        );
        let under = said(&[([-0.126, -0.118], [-0.135, -0.102], Some([0.001, 0.003]))]);
        assert!(
            under.contains("raises") && under.contains("and probabilities remain underestimated by 11.8"),
            "{under}"
        );
        assert!(under.contains("(95% CI 10.2 to 13.5; before"), "{under}");
        let turned = said(&[([0.034, -0.037], [-0.05, -0.02], Some([-0.001, 0.001])), ([0.1, 0.0], [-0.1, 0.1], None)]);
        assert!(
            turned.contains(
                "the mean error changes its sign, from +3.4 to −3.7 percentage points (simultaneous 95% CI −5.0 to −2.0): \
                 probabilities are then underestimated; refit the recalibration"
            ),
            "{turned}"
        );
    }
}
