//! Sentences, tables and charts: each says what its numbers say, and no more.

use super::classes::{ClassError, class_error};
use super::few::{TooFew, detectable_overall, too_few};
use super::overall::{Overall, ScoreEnd, reported_metrics};
use super::ranking::reversed;
use super::rest::{NOT_EXAMINED, OUTSIDE_ALL};
use super::{
    Advised, CORRECTED_ERROR, Estimate, FindingOutcome, FindingPart, FindingRequest, LEAST, OverTime, PartName,
    ReportedSubgroup, Rest, advice, error_name, of_subgroups, p_of_overall,
};
use crate::analysis::entry::fields;
use crate::data::{AttemptCounts, Predictions, Role, View};
use crate::metric::auroc::AUROC;
use crate::metric::registry;
use crate::num::special::{NORMAL_975, normal_two_sided};
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::forest::{ForestChart, ForestRow, StatedError};
use crate::report::RunOutcome;
use crate::report::disclosure::Basis;
use crate::report::gap::{gap_words, predicate, side};
use crate::report::scorecard::depends_on_clipping;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable, Tone};
use crate::report::verdict::{LEVEL, Verdict};
use crate::report::view::{Fact, method_rows};
use crate::scan::{MOST_VALUES, PAIRED_COLUMNS, PAIRED_VALUES, REDRAWS, Scanned, scanned_columns};
use crate::words::number::{
    bare_points, count, interval, p_value, percent, percentage_points, signed_percentage_points, significant,
};
use crate::words::text::{capitalized, counted, enumerated, first_of, uncapitalized};

/// Of the diagram.
const DIAGRAM: ChartWidth = ChartWidth::UpTo { usual: 520.0, most: 560.0 };
/// Of the forest plot.
const FOREST: ChartWidth = ChartWidth::UpTo { usual: 560.0, most: 900.0 };
/// The 99.5% quantile of the standard normal distribution.
const NORMAL_995: f64 = 2.575_829_303_548_901;
/// Subgroups that a sentence names beside the first.
const FURTHER: usize = 2;
/// Columns that are listed by name.
const LISTED: usize = 6;
/// A correction for selection by less is not worth words beside predicted and observed.
const WORTH_WORDS: f64 = 0.005;

/// What may be said of all rows together and of the subgroups.
struct Finding<'a> {
    overall: &'a Overall,
    /// attempts of an evaluation log, where some have no confidence or no judgment
    attempts: Option<&'a AttemptCounts>,
    /// bins of the metrics that are computed over bins
    bins: usize,
    scanned: Option<&'a Scanned>,
    /// all rows together are off by more than chance
    off: bool,
    /// and the reported subgroups do not account for it: errors are those beyond what the score alone could correct
    beyond: bool,
    /// subgroups were looked at, and the rows that are in none of those found are off, too
    everywhere: bool,
    /// subgroups of fewer rows were not looked at
    least: usize,
    /// features that do not define similarity, for they have missing values
    gaps: Vec<String>,
    /// columns that may be known only after the outcome
    in_question: Vec<String>,
    subgroups: Vec<ReportedSubgroup>,
    rest: Option<Rest>,
    time: Option<OverTime>,
    /// chance of what was found, the smallest of all questions
    p: f64,
    /// the same of all rows together
    overall_p: f64,
}

pub(super) fn outcome(
    data: &Predictions,
    run: &RunOutcome,
    request: &FindingRequest,
    overall: &Overall,
    scanned: Option<&Scanned>,
    advised: Option<&Advised>,
) -> FindingOutcome {
    let mut finding = Finding::new(data, (overall, run.report.settings.bins.count), scanned, request);
    let reversed = reversed(data, overall, finding.off);
    if reversed.is_some() {
        finding.leave_out_subgroups();
    }
    let unsettled = match (&reversed, finding.in_question.as_slice(), data.weights_by_outcome()) {
        (Some(_), ..) => Some(Unsettled::Reversed),
        (None, [], _) if overall.is_separated() => Some(Unsettled::Separated),
        (None, _, Some(column)) => Some(Unsettled::Weights(&column.name)),
        (None, [], None) => None,
        (None, columns, None) => Some(Unsettled::InQuestion(columns)),
    };
    let withheld = unsettled.zip(advised).map(|(why, advised)| advised.withheld(why.words()));
    let advised = withheld.as_ref().or(advised);
    let wanted = |part: PartName| request.parts.as_ref().is_none_or(|parts| parts.contains(&part));
    let rows = method_rows(run, None).ok();
    let few = rows.and_then(|rows| too_few(overall, rows, scanned));
    let class_error = rows.filter(|_| reversed.is_none()).and_then(|rows| class_error(data, rows));
    let sentence = reversed.as_ref().map_or_else(|| finding.headline(few.as_ref()), |one| one.sentence.clone());
    let sentence = match &class_error {
        None => sentence,
        // beside it, that nothing is significant would be read as a verdict on the classes, too
        Some(one) if few.is_none() && !finding.off && finding.subgroups.is_empty() => {
            format!("{} {sentence}", one.sentence)
        }
        Some(one) => format!("{sentence} {}", one.sentence),
    };
    let sentence = sentence + &without_outcome(data);
    let basis_of_subgroups = of_subgroups(&finding.subgroups, data, run);
    let basis_of_subgroups = basis_of_subgroups.unwrap_or_else(|_| vec![Basis::Unknown; finding.subgroups.len()]);
    let of_rest =
        finding.rest.as_ref().and_then(Rest::basis).into_iter().chain(class_error.as_ref().map(ClassError::basis));
    let all = Basis::all_of(std::iter::once(Basis::AllRows).chain(basis_of_subgroups.iter().cloned()).chain(of_rest));
    let mut basis = Vec::new();
    let mut parts = Vec::new();
    if wanted(PartName::Overall) {
        basis.extend(finding.basis_of_overall(run));
        parts.push(FindingPart::new(PartName::Overall, finding.overall_sentence(), finding.overall_blocks()));
    }
    if wanted(PartName::Subgroups) && scanned.is_some() {
        let blocks = finding.subgroup_blocks(&sentence);
        basis.extend(blocks.iter().map(|block| match block {
            Block::Charts(_) | Block::Table(_) => Basis::Lines(basis_of_subgroups.clone()),
            _ => all.clone(),
        }));
        parts.push(FindingPart::new(PartName::Subgroups, finding.subgroup_sentence(), blocks));
    }
    if let Some(advised) = advised {
        // before and after in the named subgroups; rows that a method moves across a threshold may be few
        let of_subgroups = advised.part.blocks.len().saturating_sub(advice::OF_METHODS);
        basis.resize(basis.len() + of_subgroups, all);
        basis.resize(basis.len() + advised.part.blocks.len() - of_subgroups, Basis::Unknown);
        parts.push(advised.part.clone());
    }
    let blocks = parts.iter().flat_map(|part| part.blocks.iter().cloned());
    let blocks = blocks.zip(basis).map(|(block, basis)| block.of(basis)).collect();
    let parts = parts.into_iter().map(|part| part.beside(&sentence)).collect();
    FindingOutcome {
        sentence,
        reversed,
        few,
        chance: !finding.off && finding.subgroups.is_empty() && class_error.is_none(),
        overall: overall.numbers.clone(),
        clusters: overall.clusters.clone(),
        time: finding.time.clone(),
        verdict: finding.verdict(class_error.as_ref()),
        rest: finding.rest.clone().unwrap_or_default(),
        class_error,
        subgroups: finding.subgroups,
        advice: advised.map(|advised| advised.advice.clone()),
        parts,
        sheet: Sheet::new(fields(data, run, &request.with_columns(data)), blocks),
    }
}

/// Whether the scores err to the same side at both ends, before and after recalibration in the large, as no slope makes them.
fn is_curved([low, high]: [ScoreEnd; 2]) -> bool {
    let same = |z: fn(&ScoreEnd) -> f64| z(&low) * z(&high) > 0.0 && z(&low).abs().min(z(&high).abs()) > NORMAL_975;
    same(|end| end.z) && same(|end| end.recalibrated_z)
}

/// What has to be settled before a recalibration can be recommended.
enum Unsettled<'a> {
    /// discrimination is reversed
    Reversed,
    /// columns that may be known only after the outcome
    InQuestion(&'a [String]),
    /// a column that may contain the weights of a case-control sample
    Weights(&'a str),
    /// every event has a higher score than every other row
    Separated,
}

impl Unsettled<'_> {
    fn words(&self) -> String {
        match self {
            Self::Reversed => "No recalibration is recommended while the ranking is reversed.".to_owned(),
            Self::InQuestion(columns) => format!(
                "No recalibration is recommended before it is clear whether {} {} known when the prediction is made.",
                first_of(columns, LISTED),
                if columns.len() == 1 { "is" } else { "are" }
            ),
            Self::Weights(column) => {
                format!("No recalibration is recommended before it is clear whether {column} contains sample weights.")
            }
            Self::Separated => "No recalibration is recommended where the scores separate the outcomes completely \
                                (AUROC 1): check for leakage."
                .to_owned(),
        }
    }
}

/// " 1,706 of 4,000 rows (42.7%) are excluded because their outcome is missing." where they are many.
fn without_outcome(data: &Predictions) -> String {
    let Some(missing) = data.many_without_outcome() else { return String::new() };
    let all = data.rows + data.dropped;
    format!(
        " {} of {} ({}) {} excluded because {} outcome is missing.",
        count(missing as u64),
        counted(all, "row"),
        percent(missing as f64 / all as f64),
        if missing == 1 { "is" } else { "are" },
        if missing == 1 { "its" } else { "their" }
    )
}

impl<'a> Finding<'a> {
    fn new(
        data: &'a Predictions,
        (overall, bins): (&'a Overall, usize),
        scanned: Option<&'a Scanned>,
        request: &FindingRequest,
    ) -> Self {
        // what was not looked at counts as a question, too
        let overall_p = scanned.map_or((2.0 * overall.test.p).min(1.0), |scanned| scanned.overall_p);
        let off = overall_p <= LEVEL;
        let beyond = scanned.map_or(off, |scanned| scanned.beyond);
        let named = scanned.map_or(&[][..], |scanned| &scanned.named);
        let subgroups: Vec<ReportedSubgroup> =
            request.rank.unwrap_or_default().ranked(named).into_iter().map(ReportedSubgroup::of).collect();
        let of_subgroups = subgroups.iter().map(|one| one.p).chain(scanned.and_then(|scanned| scanned.p_of_rest));
        let smallest_p = of_subgroups.fold(overall_p, f64::min);
        let least = request.least.unwrap_or(LEAST);
        let outside = scanned.filter(|scanned| scanned.looked_at > 0).and_then(Scanned::p_outside);
        Self {
            overall,
            attempts: data.attempts.as_ref(),
            bins,
            scanned,
            off,
            beyond,
            everywhere: beyond && !subgroups.is_empty() && outside.is_some_and(|p| p <= LEVEL),
            least,
            gaps: scanned.map_or_else(Vec::new, |scanned| features_with_gaps(data, scanned)),
            in_question: data.possible_leakage().into_iter().map(|one| one.column).collect(),
            rest: scanned.map(|scanned| Rest::of(scanned, overall, not_examined(data, scanned), least)),
            time: scanned.and_then(|scanned| scanned.time.as_ref()).map(OverTime::of),
            p: smallest_p,
            overall_p,
            subgroups,
        }
    }

    /// Which subgroups and periods are miscalibrated depends on the event: before it is clear which is meant, none is listed.
    fn leave_out_subgroups(&mut self) {
        if self.rest.as_ref().is_some_and(|rest| rest.looked_at > 0) {
            self.rest = Some(Rest::left_out(self.time.is_some()));
        }
        self.subgroups.clear();
        self.time = None;
        (self.beyond, self.everywhere) = (self.off, false);
    }

    /// What the sentence stands on.
    fn verdict(&self, class_error: Option<&ClassError>) -> Verdict {
        if let Some(one) = class_error.filter(|_| !self.off && self.subgroups.is_empty()) {
            return Verdict::by_p(format!("class {}", one.class), one.predicted - one.observed, Some(one.p), "");
        }
        match self.subgroups.first() {
            Some(one) if !self.beyond => Verdict::by_p(one.description.clone(), one.error()[0], Some(one.p), ""),
            _ if self.off => Verdict::by_p("", self.gap(), Some(self.overall_p), ""),
            _ => Verdict::by_p("", self.gap(), Some(self.p), ""),
        }
    }

    fn gap(&self) -> f64 {
        self.overall.predicted - self.overall.observed
    }

    /// The finding in at most two sentences.
    fn headline(&self, few: Option<&TooFew>) -> String {
        let Some(few) = few else { return self.sentence() };
        if self.off || !self.subgroups.is_empty() {
            return format!("{}: {}", few.size, uncapitalized(&self.sentence()));
        }
        // what a sample of this size would not show comes first, and is the only statement of power; of one that would show
        // nothing, not to be significant says nothing
        if few.overall.is_none() {
            return format!("{} {}", few.sentence, self.proportions());
        }
        let overall = self.overall_sentence();
        let tested = match &self.rest {
            None => format!("{}; {}", NOT_EXAMINED.trim_end_matches('.'), uncapitalized(&overall)),
            Some(rest) if rest.nothing_found() => {
                format!("{} or in any of {}.", overall.trim_end_matches('.'), rest.scope)
            }
            Some(_) => overall,
        };
        format!("{} {tested}", few.sentence)
    }

    /// The same for a sample that is large enough.
    fn sentence(&self) -> String {
        let Some(rest) = &self.rest else {
            let overall = self.overall_sentence();
            // what has not been examined is said before anything that could reassure
            return if self.off { format!("{overall} {NOT_EXAMINED}") } else { format!("{NOT_EXAMINED} {overall}") };
        };
        match (self.subgroups.first(), self.beyond) {
            (Some(one), _) if one.columns.iter().any(|column| self.in_question.contains(column)) => {
                let columns = first_of(&self.in_question, 1);
                let is = if self.in_question.len() == 1 { "is" } else { "are" };
                format!(
                    "{} What the subgroups listed below mean depends on whether {columns} {is} known when the prediction is made.",
                    self.overall_sentence()
                )
            }
            (None, false) => {
                let overall = self.overall_sentence();
                match (rest.nothing_found(), rest.power()) {
                    (true, power) => {
                        let overall = overall.trim_end_matches('.');
                        let power = power.map_or_else(String::new, |power| format!(" {power}{}", self.overall_power()));
                        format!("{overall} or in any of {}.{power}", rest.scope)
                    }
                    (false, _) => format!("{overall} {}", rest.looked),
                }
            }
            (None, true) if rest.nothing_found() => {
                format!(
                    "{} No subgroup is significantly miscalibrated beyond this ({} tested).",
                    self.overall_sentence(),
                    rest.scope
                )
            }
            (None, true) => format!("{} {}", self.overall_sentence(), rest.looked),
            (Some(one), true) => {
                let still = if one.observed_gap() * self.gap() > 0.0 { "still " } else { "" };
                let way = way(self.overall.view, still, one);
                format!(
                    "{} After recalibration overall, {} {way} for {} by {} (n = {}).{}",
                    self.overall_sentence(),
                    self.overall.view.subject().to_lowercase(),
                    one.description,
                    size_words(one),
                    count(one.rows as u64),
                    listed_besides(&self.subgroups) + &self.remainders(rest)
                )
            }
            (Some(_), false) => self.subgroup_sentence(),
        }
    }

    /// " Overall it was 80% for a mean error of 2.1 percentage points." behind the power for subgroups.
    fn overall_power(&self) -> String {
        let gap = detectable_overall(self.overall);
        match gap < self.overall.observed.max(1.0 - self.overall.observed) {
            true => format!(" Overall it was 80% for a mean error of {}.", percentage_points(gap)),
            false => String::new(),
        }
    }

    /// "Probabilities are underestimated for ward = ICU: predicted 24.1%, observed 44.0% (n = 412). No other subgroup is
    /// significant (480 subgroups tested)." Predicted and observed are facts of the file; where the error is estimated to be
    /// smaller than their difference, it follows.
    fn subgroup_sentence(&self) -> String {
        let Some(rest) = &self.rest else { return String::new() };
        let Some(one) = self.subgroups.first() else {
            return match self.beyond {
                // the first sentence says what would have been found
                false => rest.looked.clone(),
                true => rest.sentence.clone(),
            };
        };
        let (predicted, observed) = self.overall.view.terms();
        let further = self.further() + &self.remainders(rest);
        let others = match (&rest.outside, rest.nothing_else()) {
            (Some(_), true) => format!("{further} {}", rest.looked),
            (Some(outside), false) => format!("{further} {outside}."),
            (None, true) if further.is_empty() => format!(" {}", rest.looked),
            (None, _) => further,
        };
        let who = self.overall.view.subject();
        // the direction is that of the reported error, which can be the one after recalibration overall
        let (who, score) = match one.recalibrated {
            None => (who.to_owned(), percent(one.predicted)),
            Some(recalibrated) => (
                format!("After recalibration overall, {}", who.to_lowercase()),
                format!("{} ({} before)", percent(recalibrated), percent(one.predicted)),
            ),
        };
        format!(
            "{who} {} for {}: {predicted} {score}, {observed} {} (n = {}){}.{others}",
            way(self.overall.view, "", one),
            one.description,
            percent(one.observed),
            count(one.rows as u64),
            correction(self.overall.view, one)
        )
    }

    /// " Probabilities are overestimated for ward = ICU outside all other significant subgroups: predicted 28.5%, observed 14.2%
    /// (n = 295)."
    fn remainders(&self, rest: &Rest) -> String {
        let (view, (predicted, observed)) = (self.overall.view, self.overall.view.terms());
        let each = rest.remainders.iter().map(|one| {
            let score = match one.recalibrated {
                None => percent(one.predicted),
                Some(recalibrated) => {
                    format!("{} after recalibration overall ({} before)", percent(recalibrated), percent(one.predicted))
                }
            };
            format!(
                " {} {} for {} outside all other significant subgroups: {predicted} {score}, {observed} {} (n = {}).",
                view.subject(),
                predicate(view, "", one.gap()),
                one.description,
                percent(one.observed),
                count(one.rows as u64)
            )
        });
        each.collect()
    }

    /// " Also overestimated for age ≥ 70 by 5.1 percentage points."
    fn further(&self) -> String {
        let others = self.subgroups.get(1..).unwrap_or_default();
        let plain = self.subgroups.first().is_some_and(|first| first.recalibrated.is_none());
        let mut named: Vec<String> = others
            .iter()
            .take(FURTHER)
            .map(|one| {
                let way = side(one.observed_gap());
                let after = if plain && one.recalibrated.is_some() { " after recalibration overall" } else { "" };
                let (size, (predicted, observed)) = (size_words(one), self.overall.view.terms());
                // without a size the facts say what there is
                let facts = match one.is_of_uncertain_size() {
                    true => format!(
                        " ({predicted} {}, {observed} {}, n = {})",
                        percent(one.recalibrated.unwrap_or(one.predicted)),
                        percent(one.observed),
                        count(one.rows as u64)
                    ),
                    false if (one.observed_gap() - one.error()[0]).abs() < WORTH_WORDS => String::new(),
                    false => " corrected for selection".to_owned(),
                };
                format!("{way} for {} by {size}{after}{facts}", one.description)
            })
            .collect();
        let more = others.len().saturating_sub(FURTHER);
        if more > 0 {
            named.push(format!("{more} more {} listed below", if more == 1 { "is" } else { "are" }));
        }
        match named.is_empty() {
            true => String::new(),
            false => format!(" Also {}.", enumerated(named)),
        }
    }

    /// "Predicted 40.0%, observed 100.0% (n = 2)."
    fn proportions(&self) -> String {
        let overall = self.overall;
        let (predicted, observed) = overall.view.terms();
        format!(
            "{} {}, {observed} {} (n = {}).",
            capitalized(predicted),
            percent(overall.predicted),
            percent(overall.observed),
            count(overall.rows as u64)
        )
    }

    /// All rows together.
    fn overall_sentence(&self) -> String {
        let overall = self.overall;
        let (predicted, observed) = overall.view.terms();
        let both = format!(
            "{}{predicted} {}, {observed} {}, n = {}",
            if overall.weighted { "weighted: " } else { "" },
            percent(overall.predicted),
            percent(overall.observed),
            count(overall.rows as u64)
        );
        if !self.off {
            let what = overall.view.miscalibration();
            // significant by itself, as its interval beside the sentence shows, and not once all questions are counted
            let alone = [
                ("mean error", Some(normal_two_sided(overall.mean_z))),
                ("calibration slope", overall.slope.wald_p(1.0)),
            ];
            let alone = alone.into_iter().filter_map(|(name, p)| {
                let p = p.filter(|p| *p <= LEVEL)?;
                Some(format!("{name} alone {}", p_value(p)))
            });
            let alone: Vec<String> = alone.collect();
            return match alone.is_empty() {
                true => format!("No significant {what} ({both})."),
                false => {
                    format!("No significant {what} after adjustment for all tests ({both}; {}).", alone.join(", "))
                }
            };
        }
        if !self.beyond {
            let (p, outside) = (p_of_overall(self.overall_p), self.outside());
            return format!("The overall error is significant ({both}, adjusted {p}), but not in the {outside}.");
        }
        let mean = (overall.mean_z.abs() > NORMAL_975).then(|| {
            let slightly = if is_slight(overall.predicted, overall.observed) { "slightly " } else { "" };
            predicate(overall.view, slightly, self.gap())
        });
        let slope = self.slope();
        let also = if self.everywhere { self.others() } else { String::new() };
        let who = overall.view.subject();
        match (mean, slope) {
            (Some(way), Some(slope)) => format!("{who} {way} on average ({both}); {slope}."),
            (Some(way), None) => format!("{who} {way} on average ({both}){also}."),
            (None, Some(slope)) => format!("{}; no significant error on average ({both}).", capitalized(&slope)),
            (None, None) => {
                format!(
                    "No significant error on average ({both}), but the calibration curve differs significantly from the \
                     diagonal{also}."
                )
            }
        }
    }

    /// "; rows outside the 2 subgroups listed are also underestimated (predicted 12.0%, observed 15.1%)": what is wrong with them.
    fn others(&self) -> String {
        let rows = self.outside();
        let Some(outside) = self.scanned.and_then(|scanned| scanned.outside) else {
            return format!("; {rows} are also significantly miscalibrated");
        };
        let (predicted, observed) = self.overall.view.terms();
        let both = format!("{predicted} {}, {observed} {}", percent(outside.predicted), percent(outside.observed));
        match outside.mean_z.abs() > NORMAL_975 {
            true => {
                let gap = outside.predicted - outside.observed;
                let same = self.subgroups.iter().all(|one| one.observed_gap() * gap > 0.0);
                let way = predicate(self.overall.view, if same { "also " } else { "" }, gap);
                let rows = match self.overall.view {
                    View::Positive => rows,
                    View::TopLabel => format!("confidence in {rows}"),
                };
                format!("; {rows} {way} ({both})")
            }
            false => {
                format!("; the calibration curve of {rows} also differs significantly from the diagonal ({both})")
            }
        }
    }

    fn outside(&self) -> String {
        rows_outside(&self.subgroups, self.scanned.is_some_and(|scanned| !scanned.not_reported.is_empty()))
    }

    /// "predictions are too extreme (calibration slope 0.612)", where the slope differs from 1 at the level of 1%: the overall
    /// test is significant, and the slope was not tested for itself. A slope says nothing of a curve that departs from the diagonal
    /// to the same side at both ends.
    fn slope(&self) -> Option<String> {
        let overall = self.overall;
        if let Some([low, high]) = overall.ends.filter(|ends| is_curved(*ends)) {
            let (view, (predicted, observed)) = (overall.view, overall.view.terms());
            let facts =
                |end: ScoreEnd| format!("{predicted} {}, {observed} {}", percent(end.predicted), percent(end.observed));
            return Some(format!(
                "{} {} both in the lowest fifth ({}) and in the highest ({})",
                view.subject().to_lowercase(),
                predicate(view, "", -low.z),
                facts(low),
                facts(high)
            ));
        }
        let Estimate { value, low, high, .. } = overall.slope;
        let (value, low, high) = (value?, low?, high?);
        let wider = |end: f64| value + (end - value) * NORMAL_995 / NORMAL_975;
        let what = match overall.view {
            View::Positive => "predictions are",
            View::TopLabel => "confidence is",
        };
        let how = match overall.view {
            _ if wider(low) > 1.0 => format!("{what} too moderate"),
            _ if wider(high) >= 1.0 => return None,
            // the slope is that of the rows between 0% and 100%; all of them may rank well
            _ if low > 0.0 || self.ranks() => format!("{what} too extreme"),
            View::Positive if high < 0.0 => "events are less frequent where predictions are higher".to_owned(),
            View::TopLabel if high < 0.0 => "errors are more frequent where confidence is higher".to_owned(),
            View::Positive => "predictions show no significant association with the outcome".to_owned(),
            View::TopLabel => "confidence shows no significant association with correctness".to_owned(),
        };
        let without = match overall.sure {
            0 => String::new(),
            sure => format!(" without the {} at 0% or 100%", counted(sure, "row")),
        };
        Some(format!("{how} (calibration slope {}{without})", significant(value)))
    }

    /// Whether the scores of all rows rank their outcomes better than chance: the interval of the AUROC is above ½.
    fn ranks(&self) -> bool {
        self.overall.numbers.get(AUROC.id).and_then(|found| found.low).is_some_and(|low| low > 0.5)
    }

    fn overall_blocks(&self) -> Vec<Block> {
        let overall = self.overall;
        let facts = reported_metrics(overall.view)
            .into_iter()
            .map(|(id, name)| fact(&named(id, name, self.bins), overall.numbers.get(id)));
        let mut blocks =
            vec![Block::Charts(vec![Chart::new(overall.chart.clone(), DIAGRAM)]), Block::Facts(facts.collect())];
        if overall.sure > 0 && overall.view == View::Positive {
            blocks.push(Block::Text(depends_on_clipping()));
        }
        blocks.extend(self.attempts.map(|counts| Block::Text(format!("{}.", counts.summary()))));
        blocks.extend(self.time.iter().map(|time| Block::Text(time.sentence.clone())));
        blocks.extend(overall.clusters.iter().map(|clusters| Block::Text(clusters.sentence.clone())));
        blocks
    }

    /// What each block of [`Self::overall_blocks`] is computed from: of the diagram and of sentences about time and clusters
    /// nobody has stated it.
    fn basis_of_overall(&self, run: &RunOutcome) -> Vec<Basis> {
        let view = self.overall.view;
        let of_facts = reported_metrics(view).into_iter().map(|(id, _)| Basis::of_metric_of(id, run));
        let mut basis = vec![Basis::Unknown, Basis::Lines(of_facts.collect())];
        basis.extend(self.attempts.map(|counts| Basis::Count(counts.smallest() as u64)));
        basis.resize(self.overall_blocks().len(), Basis::Unknown);
        basis
    }

    /// * `said`: the sentence of the finding
    fn subgroup_blocks(&self, said: &str) -> Vec<Block> {
        let mut blocks = Vec::new();
        if !self.subgroups.is_empty() {
            blocks.push(Block::Charts(vec![Chart::new(self.forest(), FOREST)]));
            blocks.push(Block::Table(self.table()));
        }
        // what the sentence above has said is not said again
        let rest = self.rest.as_ref().map_or_else(String::new, |rest| rest.beside(said));
        let method = self.method();
        blocks.extend((!rest.is_empty()).then_some(Block::Text(rest)));
        blocks.extend((!method.is_empty()).then_some(Block::Note(method)));
        blocks
    }

    fn forest(&self) -> ForestChart {
        let row = |one: &ReportedSubgroup| {
            let [error, low, high] = one.error();
            let of = one.recalibrated.unwrap_or(one.predicted);
            ForestRow {
                description: one.description.clone(),
                predicted: one.predicted,
                observed: one.observed,
                low: (of - high).max(0.0),
                high: (of - low).min(1.0),
                rows: one.rows as u64,
                recalibrated: one.recalibrated,
                error: Some(StatedError {
                    value: error,
                    gap: one.observed_gap(),
                    certain: !one.is_of_uncertain_size(),
                }),
                more: vec![format!("{CORRECTED_ERROR} {}", gap_words(error, [low, high]))],
            }
        };
        let (observed, axis) = match self.overall.view {
            View::Positive => ("observed", "Mean predicted probability and observed proportion"),
            View::TopLabel => ("accuracy", "Mean confidence and accuracy"),
        };
        ForestChart {
            rows: self.subgroups.iter().map(row).collect(),
            predicted_name: self.overall.view.terms().0.to_owned(),
            observed_name: observed.to_owned(),
            recalibrated_name: "recalibrated overall".to_owned(),
            error_name: error_name(&self.subgroups).to_owned(),
            rows_name: "n".to_owned(),
            axis_name: axis.to_owned(),
            title: String::new(),
            caption:
                "Proportions as observed. Errors and 95% intervals are corrected for the selection of the subgroups."
                    .to_owned(),
        }
    }

    fn table(&self) -> SheetTable {
        let (predicted, observed) = self.overall.view.columns();
        let mut heads = vec!["Subgroup", "#n", predicted];
        let recalibrated = self.subgroups.iter().any(|one| one.recalibrated.is_some());
        heads.extend(recalibrated.then_some("#Recalibrated overall"));
        let error = format!("#{} (95% CI)", capitalized(error_name(&self.subgroups)));
        let excess = format!("#Excess or missing {} (uncorrected)", self.overall.view.events());
        heads.extend([observed, &error, &excess, "#Adjusted p"]);
        let mut table = SheetTable::new("Significantly miscalibrated subgroups", &heads);
        table.rows = self.subgroups.iter().map(|one| line(one, recalibrated)).collect();
        table
    }

    /// How it was done.
    fn method(&self) -> String {
        let beyond = match (self.subgroups.iter().any(|one| one.recalibrated.is_some()), self.off) {
            (true, _) => {
                " Where a recalibrated value is given, the error beyond what a recalibration of the score alone would remove is \
                 tested and counted."
            }
            (false, true) if self.beyond => {
                " The overall error is significant, so subgroups are tested for error beyond what a recalibration of the score \
                 alone would remove."
            }
            _ => "",
        };
        let kinds = self.scanned.map(|scanned| scanned.kinds).unwrap_or_default();
        let periods = if kinds.periods > 0 { ", every period between sixths of the dates, a linear drift" } else { "" };
        let gaps = first_of(&self.gaps, LISTED);
        let has = if self.gaps.len() == 1 { "has" } else { "have" };
        let places = match (kinds.places, self.gaps.is_empty()) {
            (0, true) => String::new(),
            (0, false) => format!("; not regions of similar rows: {gaps} {has} missing values"),
            (_, complete) => {
                let without = format!(" (without {gaps}, which {has} missing values)");
                format!(
                    ", and the nearest neighbors of up to 150 rows by the features that define similarity{}, in regions of 40 rows \
                     and more",
                    if complete { "" } else { &without }
                )
            }
        };
        let examined = self
            .rest
            .as_ref()
            .filter(|rest| !rest.not_examined.is_empty())
            .map_or_else(String::new, |rest| format!(" Not examined: {}.", first_of(&rest.not_examined, LISTED)));
        let selected = match self.subgroups.is_empty() {
            true => "",
            false => {
                " Errors and their intervals are corrected for selection: they are those given that the error was large enough to \
                 be listed. An interval that includes 0 says that the subgroup is significant and the size of its error unknown. \
                 Errors of regions, whose borders were fitted, remain overstated."
            }
        };
        if self.rest.as_ref().is_some_and(|rest| rest.looked_at == 0) {
            return examined.trim_start().to_owned();
        }
        format!(
            "Tested: every category (the {MOST_VALUES} most frequent of a column), every range between sixths of a number{periods}, \
             and missing values; in the first {PAIRED_COLUMNS} columns also pairs ({PAIRED_VALUES} categories of a column; \
             quarters){places}. Subgroups below {} rows and combinations of three columns are not tested. p-values are adjusted for \
             all of these{}; before this adjustment {REDRAWS} simulations allow none below 0.003, so that values up to {} may be \
             upper bounds.{beyond}{selected}{examined}",
            count(self.least as u64),
            if self.time.is_some() {
                ", the overall test and the test of change over time"
            } else {
                " and the overall test"
            },
            if self.time.is_some() { "0.009" } else { "0.006" },
        )
    }
}

/// " 2 more subgroups are listed below, one of them with a larger error: underestimated for ward = ICU by 22.9 percentage points."
/// Behind the first subgroup, which has the most excess events, or the largest error.
fn listed_besides(subgroups: &[ReportedSubgroup]) -> String {
    let Some((first, others)) = subgroups.split_first().filter(|(_, others)| !others.is_empty()) else {
        return String::new();
    };
    let size = |one: &ReportedSubgroup| if one.is_of_uncertain_size() { 0.0 } else { one.error()[0].abs() };
    let larger: Vec<&ReportedSubgroup> = others.iter().filter(|one| size(one) > size(first)).collect();
    let among = match (larger.len(), others.len()) {
        (1, 1) => "with a larger error".to_owned(),
        (1, _) => "one of them with a larger error".to_owned(),
        (2, 2) => "both with larger errors, the largest".to_owned(),
        (some, all) if some == all => "all with larger errors, the largest".to_owned(),
        (some, _) => format!("{some} of them with larger errors, the largest"),
    };
    let larger = larger.iter().max_by(|a, b| size(a).total_cmp(&size(b))).map_or_else(String::new, |largest| {
        format!(
            ", {among}: {} for {} by {}",
            side(largest.observed_gap()),
            largest.description,
            percentage_points(size(largest))
        )
    });
    let are = if others.len() == 1 { "is" } else { "are" };
    format!(" {} {are} listed below{larger}.", counted(others.len(), "more subgroup"))
}

/// The rows in no significant subgroup, which are tested together; `unlisted`: whether there are significant subgroups that are not listed.
fn rows_outside(listed: &[ReportedSubgroup], unlisted: bool) -> String {
    match listed {
        _ if unlisted => OUTSIDE_ALL.to_owned(),
        [one] => format!("rows outside {}", one.description),
        several => format!("rows outside the {} subgroups listed", several.len()),
    }
}

/// "are still underestimated"; "are miscalibrated" where chance that the subgroup was listed for leaves the direction open.
fn way(view: View, how: &str, one: &ReportedSubgroup) -> String {
    match (one.is_of_uncertain_direction(), view) {
        (false, _) => predicate(view, how, one.observed_gap()),
        (true, View::Positive) => "are miscalibrated".to_owned(),
        (true, View::TopLabel) => "is miscalibrated".to_owned(),
    }
}

/// "10.8 percentage points", of the error corrected for selection; without a number where that interval includes 0.
fn size_words(one: &ReportedSubgroup) -> String {
    match one.is_of_uncertain_size() {
        true => "an uncertain amount".to_owned(),
        false => percentage_points(one.error()[0]),
    }
}

/// What stands after predicted and observed where the error is estimated to be another than their difference.
fn correction(view: View, one: &ReportedSubgroup) -> String {
    let [error, low, high] = one.error();
    if one.is_of_uncertain_direction() {
        return format!(
            "; size and direction of the error are uncertain ({} corrected for selection {}, 95% CI {} to {})",
            view.difference(),
            signed_percentage_points(error),
            bare_points(low),
            bare_points(high)
        );
    }
    // in the direction of the sentence
    let (size, low, high) = if one.observed_gap() < 0.0 { (-error, -high, -low) } else { (error, low, high) };
    if one.is_of_uncertain_size() {
        return format!(
            "; the size of the error is uncertain ({} corrected for selection, 95% CI {} to {})",
            percentage_points(size),
            bare_points(low),
            bare_points(high)
        );
    }
    match (one.observed_gap() - error).abs() < WORTH_WORDS {
        true => String::new(),
        false => format!("; corrected for selection, the error is {}", percentage_points(error)),
    }
}

/// Whether the mean error is small, however significant: the O:E ratios of events and of non-events are 0.98 to 1.02.
fn is_slight(predicted: f64, observed: f64) -> bool {
    let near = |ratio: f64| (0.98..=1.02).contains(&ratio);
    near(observed / predicted) && near((1.0 - observed) / (1.0 - predicted))
}

/// Columns that no candidate was made of: texts and identifiers that were not recognized as groups, and arrays that do not define
/// similarity.
fn not_examined(data: &Predictions, scanned: &Scanned) -> Vec<String> {
    let left = |role: Role| matches!(role, Role::Group | Role::Feature | Role::Features | Role::Date | Role::Ignore);
    let of_file = data.columns_of_files();
    let columns = data.roles.iter().take(of_file).filter(|role| left(role.role));
    let clusters = data.clusters.as_ref().map(|clusters| clusters.column.as_str());
    let looked = |name: &String| {
        scanned.columns.contains(name) || scanned.similarity.contains(name) || clusters == Some(name.as_str())
    };
    columns.filter(|role| !looked(&role.name)).map(|role| role.name.clone()).collect()
}

/// Features that do not define similarity, for they have missing values.
fn features_with_gaps(data: &Predictions, scanned: &Scanned) -> Vec<String> {
    let of_rows = data.roles.iter().filter(|_| !data.is_counted());
    let gaps = of_rows.filter(|role| role.role == Role::Feature && role.missing > 0);
    gaps.map(|role| role.name.clone()).filter(|name| !scanned.similarity.contains(name)).collect()
}

impl FindingRequest {
    /// With the columns that are looked at where none are named.
    fn with_columns(&self, data: &Predictions) -> Self {
        let usual =
            |groups: Option<&[String]>, features: Option<&[String]>| scanned_columns(data, groups, features).ok();
        Self {
            groups: self.groups.clone().or_else(|| usual(None, Some(&[]))),
            features: self.features.clone().or_else(|| usual(Some(&[]), None)),
            ..self.clone()
        }
    }
}

/// Of the table; `recalibrated`: it has columns for what is told once recalibrated overall.
fn line(one: &ReportedSubgroup, recalibrated: bool) -> Vec<Cell> {
    let share = |share: f64| Cell::number(percent(share), share);
    let none = || Cell::from("–");
    let mut line = vec![
        Cell::from(one.description.clone()),
        Cell::number(count(one.rows as u64), one.rows as f64),
        share(one.predicted),
    ];
    line.extend(recalibrated.then(|| one.recalibrated.map_or_else(none, share)));
    let [error, low, high] = one.error();
    let tone = Tone::of_error(error, !one.is_of_uncertain_size());
    line.extend([share(one.observed), Cell::number(gap_words(error, [low, high]), error).toned(tone)]);
    line.extend([
        Cell::number(significant(one.excess_events), one.excess_events),
        Cell::number(if one.p < 0.001 { "<0.001".to_owned() } else { format!("{:.3}", one.p) }, one.p),
    ]);
    line
}

/// The name of a metric with the number of its bins, where it has any.
fn named(id: &str, name: &str, bins: usize) -> String {
    registry::metric(id).map_or_else(|| name.to_owned(), |metric| metric.with_bins(name, bins))
}

fn fact(name: &str, found: Option<&Estimate>) -> Fact {
    let found = found.copied().unwrap_or_default();
    let value = match (found.value, found.low, found.high) {
        (Some(value), Some(low), Some(high)) => {
            let corrected =
                found.corrected.map_or_else(String::new, |v| format!(", corrected\u{a0}{}", significant(v)));
            format!("{}{corrected} ({})", significant(value), interval(low, high))
        }
        (Some(value), ..) => significant(value),
        (None, ..) => "–".to_owned(),
    };
    Fact { name: name.to_owned(), value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::ece::ECE;
    use crate::metric::log_loss::NLL;
    use crate::scan::DetectedSubgroup;

    #[test]
    fn a_listed_subgroup_is_marked_where_its_interval_excludes_0_and_rows_outside_are_in_no_significant_one() {
        let detected = DetectedSubgroup {
            subgroup: Default::default(),
            place: None,
            rows: 200,
            share: 0.0,
            predicted: 0.2,
            observed: 0.4,
            low: -0.27,
            high: -0.13,
            recalibrated: 0.2,
            z: 6.0,
            p: 0.003,
            critical: 3.8,
            beyond: false,
        };
        let region = ReportedSubgroup::of(&detected);
        assert!(line(&region, false).iter().any(|cell| cell.tone == Tone::Under));
        // just above the critical value: of the size nothing is known
        let at_threshold = ReportedSubgroup::of(&DetectedSubgroup { z: 3.81, low: -0.303, high: -0.097, ..detected });
        assert!(at_threshold.is_of_uncertain_size());
        assert!(line(&at_threshold, false).iter().all(|cell| cell.tone == Tone::Plain));
        let two = [region.clone(), region];
        assert_eq!(rows_outside(&two, false), "rows outside the 2 subgroups listed");
        // one that borders on a listed one was left out of the test, too
        assert_eq!(rows_outside(&two, true), "rows outside all significant subgroups");
        assert_eq!(rows_outside(&two[..1], true), "rows outside all significant subgroups");
    }

    /// Underestimated, and corrected for selection a little on the other side: the number has the sign of its interval.
    #[test]
    fn an_uncertain_size_has_the_direction_of_its_interval() {
        let detected = DetectedSubgroup {
            subgroup: Default::default(),
            place: None,
            rows: 200,
            share: 0.0,
            predicted: 0.2,
            observed: 0.4,
            low: -0.303,
            high: -0.097,
            recalibrated: 0.2,
            z: 3.81,
            p: 0.04,
            critical: 3.8,
            beyond: false,
        };
        let corrected =
            Estimate { value: Some(0.0007), low: Some(-0.15), high: Some(0.12), corrected: None, interval: None };
        let words = correction(View::Positive, &ReportedSubgroup { corrected, ..ReportedSubgroup::of(&detected) });
        let says = "size and direction of the error are uncertain (predicted − observed corrected for selection +0.07 \
                    percentage points, 95% CI −15.0 to +12.0)";
        assert!(words.contains(says), "{words}");
    }

    #[test]
    fn every_further_subgroup_with_a_larger_error_is_counted() {
        let of = |observed: f64| {
            ReportedSubgroup::of(&DetectedSubgroup {
                subgroup: Default::default(),
                place: None,
                rows: 200,
                share: 0.0,
                predicted: 0.2,
                observed,
                low: 0.18 - observed,
                high: 0.22 - observed,
                recalibrated: 0.2,
                z: 40.0,
                p: 0.003,
                critical: 3.8,
                beyond: true,
            })
        };
        let said = |observed: &[f64]| {
            let all: Vec<ReportedSubgroup> = observed.iter().map(|observed| of(*observed)).collect();
            listed_besides(&all)
        };
        assert_eq!(said(&[0.3]), "");
        assert_eq!(said(&[0.3, 0.25, 0.26]), " 2 more subgroups are listed below.");
        for (observed, among) in [
            (vec![0.3, 0.5], " 1 more subgroup is listed below, with a larger error: "),
            (vec![0.3, 0.25, 0.5], " 2 more subgroups are listed below, one of them with a larger error: "),
            (vec![0.3, 0.5, 0.4], " 2 more subgroups are listed below, both with larger errors, the largest: "),
            (vec![0.3, 0.4, 0.45, 0.5], " 3 more subgroups are listed below, all with larger errors, the largest: "),
            (
                vec![0.3, 0.4, 0.5, 0.25],
                " 3 more subgroups are listed below, 2 of them with larger errors, the largest: ",
            ),
        ] {
            let said = said(&observed);
            assert!(said.starts_with(&format!("{among}underestimated for ")), "{said}");
            assert!(said.ends_with("by 30.0 percentage points."), "{said}");
        }
    }

    #[test]
    fn a_significant_error_may_be_slight() {
        assert!(is_slight(0.5, 0.505) && !is_slight(0.5, 0.52));
        // of rare events, and of rare errors, less is much
        assert!(!is_slight(0.006, 0.01) && !is_slight(0.975, 0.96));
    }

    #[test]
    fn an_ece_is_named_with_its_bins() {
        let name = |id, name, bins| named(id, name, bins);
        assert_eq!(name(ECE.id, ECE.name, 30), "ECE (30)");
        assert_eq!(name(ECE.id, ECE.name, 15), "ECE (15)");
        assert_eq!(name(NLL.id, NLL.name, 30), NLL.name);
    }
}
