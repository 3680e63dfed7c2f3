//! The advice in words, tables and a chart.

use super::candidate::Known;
use super::choose::{Choice, choose};
use super::ended::{has_ended, last_day};
use super::evaluate::{CalibrationMeans, Evaluated, Performance};
use super::worsened::WORSE;
use super::{Advice, Advised, Considered, Moves, RecalibratedSubgroup, Statement, Topic, recommended};
use crate::analysis::finding::{CORRECTED_ERROR, EVENTS_PER_PARAMETER, Estimate, FindingPart, PartName};
use crate::data::{Division, Predictions, View};
use crate::metric::entry::IntervalKind;
use crate::plot::chart::{Chart, ChartWidth};
use crate::plot::forest::{ForestChart, ForestRow, StatedError};
use crate::report::RunOutcome;
use crate::report::gap::{direction, gap_words};
use crate::report::interval::NO_INTERVAL;
use crate::report::sheet::{Block, Cell, SheetTable, Tone};
use crate::report::verdict::LEVEL;
use crate::scan::Scanned;
use crate::words::number::{
    bare_points, count, fixed, interval, p_value, percent, points, signed_percentage_points, significant,
};
use crate::words::text::{capitalized, counted, enumerated};

/// Of the chart.
const FOREST: ChartWidth = ChartWidth::UpTo { usual: 560.0, most: 900.0 };
/// Last blocks of the part, which are about methods: a table and how it was made.
pub const OF_METHODS: usize = 2;
/// What is recommended where no method is.
pub const UNCHANGED: &str = "No recalibration";
/// Subgroups that a sentence names.
const IN_SENTENCES: usize = 2;

pub(super) fn advised(data: &Predictions, run: &RunOutcome, scanned: &Scanned, evaluated: &[&Evaluated]) -> Advised {
    let chance = scanned.named.is_empty() && scanned.overall_p > LEVEL;
    let rest_off = scanned.beyond || scanned.p_outside().is_some_and(|p| p <= LEVEL);
    let choice = choose(evaluated, chance, rest_off);
    let told = AdviceBasis { data, scanned, evaluated, choice: &choice, chance };
    let (known, found) = told.chosen();
    let statements = told.statements();
    let rest = statements.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
    let recommends = found.is_some() && choice.place > 0;
    let sentence = match recommends {
        true => recommended(&known.title, &rest),
        false => rest.clone(),
    };
    let advice = Advice {
        method: known.method.clone(),
        title: known.title.clone(),
        short: if recommends { known.title.clone() } else { UNCHANGED.to_owned() },
        rest,
        statements,
        sentence: sentence.clone(),
        moves: found.map_or_else(Moves::default, |found| found.moves),
        subgroups: found.map_or_else(Vec::new, |found| found.subgroups.clone()),
        candidates: evaluated.iter().enumerate().map(|(place, one)| considered(one, place, &choice)).collect(),
        stays_wrong: found.map_or_else(Vec::new, |found| found.miscalibrated().cloned().collect()),
    };
    let mut blocks = Vec::new();
    if let Some(found) = found.filter(|found| !found.subgroups.is_empty() && choice.place > 0) {
        // errors after recalibration overall are those of the chart of the subgroups: between the original predictions and those
        // of this method they would be nowhere to be seen
        if !told.is_beyond() {
            blocks.push(Block::Charts(vec![Chart::new(told.forest(found), FOREST)]));
        }
        blocks.push(Block::Table(told.before_and_after(found)));
    }
    blocks.push(Block::Table(told.table(&advice.candidates)));
    blocks.push(Block::Note(told.method(run)));
    Advised { advice, part: FindingPart::new(PartName::Advice, sentence, blocks) }
}

fn considered(one: &Evaluated, place: usize, choice: &Choice) -> Considered {
    let found = one.found.as_ref().ok();
    let estimate = |mean: f64, ends: Option<[f64; 2]>| Estimate {
        value: Some(mean),
        low: ends.map(|[low, _]| low),
        high: ends.map(|[_, high]| high),
        corrected: None,
        interval: ends.map(|_| IntervalKind::BootstrapPercentile),
    };
    let nll_change = found.map(|found| estimate(found.nll_less().mean, found.nll_interval));
    let brier_change = found.map(|found| estimate(found.brier_change, found.brier_interval));
    Considered {
        method: one.known.method.clone(),
        title: one.known.title.clone(),
        reason: one.found.as_ref().err().cloned(),
        nll: found.map(|found| found.nll),
        nll_change: nll_change.filter(|_| place > 0).unwrap_or_default(),
        brier: found.map(|found| found.brier),
        brier_change: brier_change.filter(|_| place > 0).unwrap_or_default(),
        moves: found.map(|found| found.moves),
        too_few_events: one.too_few_events(),
        certain: one.certain(),
        subgroups: found.map_or_else(Vec::new, |found| found.subgroups.clone()),
        broken: found.map_or_else(Vec::new, |found| found.broken.clone()),
        among_best: choice.among_best.get(place).copied().unwrap_or(false),
        recommended: place == choice.place,
    }
}

/// What is told of.
struct AdviceBasis<'a> {
    data: &'a Predictions,
    scanned: &'a Scanned,
    evaluated: &'a [&'a Evaluated],
    choice: &'a Choice,
    /// nothing was found off beyond chance
    chance: bool,
}

impl AdviceBasis<'_> {
    /// Whether the finding states errors beyond what recalibration overall removes, not those of the original predictions.
    fn is_beyond(&self) -> bool {
        self.scanned.named.iter().any(|named| named.beyond)
    }

    fn chosen(&self) -> (Known, Option<&Performance>) {
        let none = Known { title: UNCHANGED.to_owned(), ..Known::default() };
        match self.evaluated.get(self.choice.place) {
            Some(one) => (one.known.clone(), one.found.as_ref().ok()),
            None => (none, None),
        }
    }

    /// What is said beside the recommended method, or of why none is recommended.
    fn statements(&self) -> Vec<Statement> {
        let (_, found) = self.chosen();
        let recalibrations = self.evaluated.iter().skip(1).filter(|one| one.found.is_ok()).count();
        let Some(found) = found else {
            let why = self.evaluated.iter().find_map(|one| one.found.as_ref().err());
            return vec![Topic::Reason.says(match why {
                Some(why) => format!("No method can be evaluated: {}.", why.trim_end_matches('.')),
                None => "No recalibration method was requested.".to_owned(),
            })];
        };
        if recalibrations == 0 {
            let none = "Keep the original predictions: no recalibration method could be evaluated.";
            return vec![Topic::Reason.says(none)];
        }
        let remains = self.remains(found).map(|text| Topic::Overall.says(text));
        let ended = self.ended().map(|text| Topic::Ended.says(text));
        if self.choice.place > 0 {
            let mut said = vec![
                Topic::Loss.says(format!("{}.", capitalized(&self.overall(found)))),
                Topic::Moves.says(self.moves(found)),
            ];
            said.extend(self.subgroups(found));
            said.extend(remains);
            said.extend(self.remaining_slope(found).map(|text| Topic::Overall.says(text)));
            said.extend(ended);
            return said;
        }
        let why = format!("Keep the original predictions: {}.", self.why_none(recalibrations));
        let mut said = vec![Topic::Reason.says(why)];
        if !self.chance {
            said.extend(self.stays(found).map(|text| Topic::Remaining.says(text)));
            said.extend(remains);
            said.extend(ended);
        }
        said
    }

    /// "No row after 2020-10-22 is of ward = ICU (2,010 later rows)."
    fn ended(&self) -> Option<String> {
        let described = self.scanned.named.iter().filter(|one| one.place.is_none());
        let each = described.filter_map(|one| {
            let (day, later) = last_day(self.data, &one.subgroup)?;
            let later = counted(later, "later row");
            Some(format!("No row after {day} is of {} ({later}).", one.subgroup.description()))
        });
        let mut each: Vec<String> = each.collect();
        let mut described = self.scanned.named.iter().filter(|one| one.place.is_none()).peekable();
        if described.peek().is_some() && described.all(|one| has_ended(self.data, &one.subgroup)) {
            let none = "No shift of the listed subgroups was evaluated: their periods have ended, or their values no longer occur, so \
                        that no future row belongs to one.";
            each.push(none.to_owned());
        }
        (!each.is_empty()).then(|| each.join(" "))
    }

    /// Why no recalibration is recommended, of so many that were evaluated. What the intervals beside it show is not
    /// denied.
    fn why_none(&self, recalibrations: usize) -> String {
        // of confidence: rows of the rarer of correct and incorrect, or of the rarest class
        let counted = match self.data.view {
            View::Positive => "events",
            View::TopLabel => "rows",
        };
        let may = |place: usize| self.choice.why_not.get(place).is_none_or(Option::is_none);
        let evaluated = || self.evaluated.iter().enumerate().skip(1).filter(|(_, one)| one.found.is_ok());
        let lower = |one: &Evaluated| {
            let ends = one.found.as_ref().ok().and_then(|found| found.nll_interval);
            ends.is_some_and(|[_, high]| high < 0.0)
        };
        let few = |one: &Evaluated| one.too_few_events().is_some();
        let certain = |one: &Evaluated| !few(one) && one.certain().is_some();
        let titles = |of: &dyn Fn(&Evaluated) -> bool| -> Vec<&str> {
            let those = evaluated().filter(|(_, one)| of(one) && lower(one));
            those.map(|(_, one)| one.known.title.as_str()).collect()
        };
        let eligible = evaluated().filter(|(place, _)| may(*place)).count();
        let any = |of: &dyn Fn(&Evaluated) -> bool| evaluated().any(|(_, one)| of(one));
        let conditions = [
            (any(&few), format!("with enough {counted}")),
            (any(&certain), "without probabilities of 0 or 1".to_owned()),
        ];
        let conditions: Vec<String> = conditions.into_iter().filter(|(any, _)| *any).map(|(_, words)| words).collect();
        let enough = match conditions.is_empty() || eligible == recalibrations {
            true => String::new(),
            false => format!(" {}", enumerated(conditions)),
        };
        let tried = match eligible {
            0 if any(&certain) => return format!("there is no method{enough}"),
            0 => return "too few rows of the rarer outcome to fit any method".to_owned(),
            1 if enough.is_empty() => "the one method evaluated does not reduce".to_owned(),
            1 => format!("the one method{enough} does not reduce"),
            several => format!("none of {several} methods{enough} reduces"),
        };
        let why = match (self.chance, self.choice.recalibrates) {
            (true, _) => match titles(&|one| one.why_not().is_none()) {
                lower if lower.is_empty() => format!("{tried} log loss significantly"),
                lower => format!(
                    "{tried} log loss significantly after adjustment for their number (95% CI of the change below 0 without \
                     it: {})",
                    lower.join(", ")
                ),
            },
            (false, true) => "no method reduces log loss by more than one standard error".to_owned(),
            (false, false) => format!(
                "no method within one standard error of the lowest log loss reduces log loss significantly and leaves fewer \
                 excess or missing {}",
                self.data.view.events()
            ),
        };
        let not_considered = [
            (titles(&few), format!("as fitted to too few {counted}")),
            (titles(&certain), "as they make probabilities 0 or 1".to_owned()),
        ];
        let not_considered = not_considered.into_iter().filter(|(titles, _)| !titles.is_empty());
        // that none helps here says little where most methods could not be fitted
        let why = match self.chance && any(&few) {
            true => format!("{why}; of so few {counted}, this does not show that none is needed"),
            false => why,
        };
        not_considered
            .fold(why, |why, (titles, as_what)| format!("{why}. Not considered, {as_what}: {}", titles.join(", ")))
    }

    /// "An overall error remains (predicted 20.1%, observed 33.6%)." Where the defined calibration rows lack the error of the
    /// evaluated ones, so that no method that is fitted to them can remove it, the sentence says so.
    fn remains(&self, found: &Performance) -> Option<String> {
        if self.scanned.overall_p > LEVEL || !found.is_off_on_average() {
            return None;
        }
        let (score, outcome) = self.data.view.terms();
        let remains = format!(
            "An overall error remains ({score} {}, {outcome} {}).",
            percent(found.predicted),
            percent(found.predicted - found.error.mean)
        );
        let original = self.evaluated.first().and_then(|one| one.found.as_ref().ok()).map(|found| found.error);
        let explain =
            |rows: &CalibrationMeans| original.is_some_and(|original| rows.explain(original, found.error.mean));
        Some(match found.calibration.filter(explain) {
            None => remains,
            Some(CalibrationMeans { predicted, error }) => format!(
                "{remains} In the calibration rows, to which methods are fitted, {score} is {} and {outcome} {}; fit a method to \
                 rows like those evaluated.",
                percent(predicted),
                percent(predicted - error.mean)
            ),
        })
    }

    /// "The calibration slope remains below 1 (p = 0.004)." Where all rows are miscalibrated: the simplest method within one standard
    /// error of the lowest loss can leave it.
    fn remaining_slope(&self, found: &Performance) -> Option<String> {
        let after = found.slope_error;
        if self.scanned.overall_p > LEVEL || found.few || after.p() > LEVEL {
            return None;
        }
        let original = self.evaluated.first().and_then(|one| one.found.as_ref().ok()).map(|found| found.slope_error);
        let is_known = original.is_some_and(|before| before.p() <= LEVEL && before.mean * after.mean > 0.0);
        let verb = if is_known { "remains" } else { "is then" };
        let side = if after.mean > 0.0 { "below" } else { "above" };
        Some(format!("The calibration slope {verb} {side} 1 ({}).", p_value(after.p())))
    }

    /// "log loss decreases from 0.412 to 0.398 (difference −0.0140, 95% CI −0.0180 to −0.0100)"
    fn overall(&self, found: &Performance) -> String {
        let change = found.nll_less();
        let (how, of_change) = match found.nll_interval {
            Some([low, high]) => {
                let how = match (low > 0.0, high < 0.0) {
                    (_, true) => "decreases from",
                    (true, _) => "increases from",
                    _ => "does not change significantly:",
                };
                (how, format!(", 95% CI {}", interval(low, high)))
            }
            None => ("changes from", String::new()),
        };
        let ends = [found.nll - change.mean, found.nll];
        // as many decimals as tell them apart
        let apart = |written: &[String; 2]| written[0] != written[1];
        let longer = || (3..6).map(|places| ends.map(|nll| fixed(nll, places))).find(apart);
        let [from, to] = Some(ends.map(significant)).filter(apart).or_else(longer).unwrap_or(ends.map(significant));
        format!("{} {how} {from} to {to} (difference {}{of_change})", self.loss(found.of_vectors), signed(change.mean))
    }

    /// The log loss that recommends: as in the tables of the report, of every class where the file has their
    /// probabilities; of confidence alone, whether the predicted class is right.
    fn loss(&self, of_vectors: bool) -> &'static str {
        match (self.data.view, of_vectors) {
            (View::Positive, _) => "log loss",
            (View::TopLabel, true) => "log loss of all class probabilities",
            (View::TopLabel, false) => "log loss of correctness",
        }
    }

    /// "Predicted probabilities increase in 412 rows and decrease in 0; the 3,588 rows outside the listed subgroups are unchanged."
    fn moves(&self, found: &Performance) -> String {
        let rows = |n: usize| counted(n, "row");
        let Moves { rest_mean, .. } = found.moves;
        let begins = found.moves.words(self.data.view);
        let [rest, moved] = found.rest;
        let others = match (found.subgroups.is_empty(), rest_mean) {
            (_, None) => return format!("{begins}."),
            (true, Some(mean)) => format!("the mean change is {}", signed_percentage_points(mean)),
            (false, Some(_)) if moved == 0 => {
                let [are, remain] = if rest == 1 { ["is", "remains"] } else { ["are", "remain"] };
                let off = self.scanned.outside.zip(self.scanned.p_outside().filter(|p| *p <= LEVEL));
                let still = off.map_or_else(String::new, |(outside, p)| {
                    let (predicted, observed) = self.data.view.terms();
                    format!(
                        ", and {remain} significantly miscalibrated ({predicted} {}, {observed} {}, {})",
                        percent(outside.predicted),
                        percent(outside.observed),
                        p_value(p)
                    )
                });
                format!("the {} outside the listed subgroups {are} unchanged{still}", rows(rest))
            }
            (false, Some(mean)) => {
                format!(
                    "the mean change in the {} outside the listed subgroups is {}",
                    rows(rest),
                    signed_percentage_points(mean)
                )
            }
        };
        format!("{begins}; {others}.")
    }

    /// What becomes of those who were named, and who stays wrong.
    fn subgroups(&self, found: &Performance) -> Vec<Statement> {
        let mut said = Vec::new();
        let repaired = found.subgroups.iter().zip(&found.says_of).filter(|(one, _)| !one.is_miscalibrated());
        for (one, [before, after, observed]) in repaired.take(IN_SENTENCES) {
            if one.was_of_uncertain_size() {
                let (score, outcome) = self.data.view.terms();
                said.push(Topic::Subgroup.says(format!(
                    "For {}, whose error is of uncertain size, {score} changes from {} to {} ({outcome} {}).",
                    one.description,
                    percent(*before),
                    percent(*after),
                    percent(*observed)
                )));
                continue;
            }
            // the finding states errors after recalibration overall
            let [error, interval] = match self.is_beyond() {
                true => ["the error after recalibration overall, corrected for selection,", "95% CI with this method"],
                false => ["the error corrected for selection", "95% CI after recalibration"],
            };
            said.push(Topic::Subgroup.says(format!(
                "For {}, {error} changes from {} to {} percentage points ({interval} {} to {}) and is no longer \
                 significant.",
                one.description,
                bare_points(one.before),
                bare_points(one.after),
                bare_points(one.low),
                bare_points(one.high)
            )));
        }
        let right = found.subgroups.iter().filter(|one| !one.is_miscalibrated()).count();
        if right > IN_SENTENCES {
            said.push(Topic::Subgroup.says(match right - IN_SENTENCES {
                1 => "One more listed subgroup is no longer significant.".to_owned(),
                more => format!("{} more listed subgroups are no longer significant.", count(more as u64)),
            }));
        }
        let none = match found.subgroups.is_empty() {
            true => "No single-column subgroup becomes significantly miscalibrated.",
            false => "No other single-column subgroup becomes significantly miscalibrated.",
        };
        let looked = self.scanned.looked_at > 0;
        let remaining = self.stays(found).or_else(|| looked.then(|| none.to_owned()));
        said.extend(remaining.map(|text| Topic::Remaining.says(text)));
        said
    }

    /// "Still miscalibrated: ward = ICU (underestimated by 12.0 percentage points)."
    fn stays(&self, found: &Performance) -> Option<String> {
        let listed = |of: &[&RecalibratedSubgroup], begins: &str| -> Option<String> {
            let error = |one: &RecalibratedSubgroup| match (one.was_of_uncertain_size(), one.is_of_uncertain_size()) {
                // corrected for selection, an error of uncertain size may be near 0, or of the other sign
                (true, true) => "error of uncertain size".to_owned(),
                // beside a headline that states the error before
                (was, is) if was || is || one.is_overshot() || one.after.abs() > one.before.abs() => {
                    let [before, after] = match self.is_beyond() {
                        true if self.choice.place == 0 => ["recalibrated overall", "with the original predictions"],
                        true => ["recalibrated overall", "with this method"],
                        false => ["before", "after"],
                    };
                    format!(
                        "corrected error {} {before}, {} percentage points {after}",
                        bare_points(one.before),
                        bare_points(one.after)
                    )
                }
                _ => direction(one.after),
            };
            let each = of.iter().take(IN_SENTENCES).map(|one| format!("{} ({})", one.description, error(one)));
            let mut each: Vec<String> = each.collect();
            if of.len() > IN_SENTENCES {
                each.push(format!("and {} more", of.len() - IN_SENTENCES));
            }
            (!each.is_empty()).then(|| format!("{begins}: {}.", each.join("; ")))
        };
        let still: Vec<&RecalibratedSubgroup> = found.subgroups.iter().filter(|one| one.is_miscalibrated()).collect();
        let is_worse = |one: &&RecalibratedSubgroup| one.after.abs() - one.before.abs() >= WORSE;
        let (worse, significant): (Vec<_>, Vec<_>) = found.broken.iter().partition(is_worse);
        let rest = found.broken_rest().map(|error| {
            format!(
                "The {} outside the listed subgroups become significantly miscalibrated ({}).",
                counted(found.rest[0], "row"),
                direction(error)
            )
        });
        let both: Vec<String> = [
            listed(&still, "Still miscalibrated"),
            listed(&worse, "Made worse"),
            listed(&significant, "Newly significant"),
            rest,
        ]
        .into_iter()
        .flatten()
        .collect();
        (!both.is_empty()).then(|| both.join(" "))
    }

    fn forest(&self, found: &Performance) -> ForestChart {
        let row = |(one, predicted): (&RecalibratedSubgroup, &[f64; 3])| {
            let [before, after, observed] = *predicted;
            ForestRow {
                description: one.description.clone(),
                predicted: before,
                observed,
                low: (after - one.high).max(0.0),
                high: (after - one.low).min(1.0),
                rows: one.rows as u64,
                recalibrated: Some(after),
                error: Some(StatedError {
                    value: one.before,
                    gap: before - observed,
                    certain: !one.was_of_uncertain_size(),
                }),
                more: vec![format!(
                    "{CORRECTED_ERROR} after recalibration {}",
                    gap_words(one.after, [one.low, one.high])
                )],
            }
        };
        let (observed, axis) = match self.data.view {
            View::Positive => ("observed", "Mean predicted probability and observed proportion"),
            View::TopLabel => ("accuracy", "Mean confidence and accuracy"),
        };
        ForestChart {
            rows: found.subgroups.iter().zip(&found.says_of).map(row).collect(),
            predicted_name: self.data.view.terms().0.to_owned(),
            observed_name: observed.to_owned(),
            recalibrated_name: "recalibrated".to_owned(),
            error_name: self.error_name(),
            rows_name: "n".to_owned(),
            axis_name: axis.to_owned(),
            title: String::new(),
            caption: "Proportions as observed. Errors, and intervals that hold simultaneously, are corrected for the selection of \
                      the subgroups."
                .to_owned(),
        }
    }

    /// What the error is called that the subgroups are listed for.
    fn error_name(&self) -> String {
        match self.is_beyond() {
            true => format!("{CORRECTED_ERROR}, recalibrated overall"),
            false => CORRECTED_ERROR.to_owned(),
        }
    }

    fn before_and_after(&self, found: &Performance) -> SheetTable {
        let (predicted, observed) = self.data.view.columns();
        let error = format!("#{}", capitalized(&self.error_name()));
        let after = if self.is_beyond() { "with this method" } else { "recalibrated" };
        let after = format!("#Corrected error, {after} (95% CI)");
        let heads = ["Subgroup", "#n", predicted, "#Recalibrated", observed, &error, &after];
        let mut table = SheetTable::new("Listed subgroups before and after", &heads);
        let share = |share: f64| Cell::number(percent(share), share);
        let line = |(one, predicted): (&RecalibratedSubgroup, &[f64; 3])| {
            let tone = Tone::of_error(one.before, !one.was_of_uncertain_size());
            let left = Tone::of_error(one.after, one.is_miscalibrated());
            vec![
                Cell::from(one.description.clone()),
                Cell::number(count(one.rows as u64), one.rows as f64),
                share(predicted[0]),
                share(predicted[1]),
                share(predicted[2]),
                Cell::number(points(one.before), one.before).toned(tone),
                Cell::number(gap_words(one.after, [one.low, one.high]), one.after).toned(left),
            ]
        };
        table.rows = found.subgroups.iter().zip(&found.says_of).map(line).collect();
        table
    }

    /// Every candidate that was evaluated.
    fn table(&self, candidates: &[Considered]) -> SheetTable {
        let of_vectors = self.evaluated.iter().any(|one| one.found.as_ref().is_ok_and(|found| found.of_vectors));
        let loss = format!("#{}", capitalized(self.loss(of_vectors)));
        let brier = if of_vectors { "#Brier score of all class probabilities" } else { "#Brier score" };
        let few = self.evaluated.iter().any(|one| one.found.as_ref().is_ok_and(|found| found.few));
        let change = if few { "#Change" } else { "#Change (95% CI)" };
        let mut heads = vec!["Method", &loss, change, brier, "#Change in Brier score"];
        heads.extend(["#Rows increased", "#Rows decreased"]);
        let listed = !self.scanned.named.is_empty();
        heads.push(if listed { "#Mean change outside the listed subgroups" } else { "#Mean change of all rows" });
        let looked = self.scanned.looked_at > 0;
        heads.extend(looked.then_some("Listed subgroups still miscalibrated, and others made worse"));
        let mut table = SheetTable::new("Methods, simplest first", &heads);
        let number = |value: Option<f64>| match value {
            Some(value) => Cell::number(significant(value), value),
            None => Cell::from("–"),
        };
        let change = |of: &Estimate| match (of.value, of.low, of.high) {
            (Some(value), Some(low), Some(high)) => {
                Cell::number(signed(value), value).with_beneath(interval(low, high))
            }
            (Some(value), ..) => Cell::number(signed(value), value),
            (None, ..) => Cell::from("–"),
        };
        for one in candidates.iter().filter(|one| one.reason.is_none()) {
            let name = Cell::from(one.title.clone());
            let name = match one.too_few_events.as_ref().or(one.certain.as_ref()) {
                _ if one.recommended => name.with_beneath("recommended").toned(Tone::Best),
                Some(why) => name.with_beneath(format!("not recommended: {why}")),
                None => name,
            };
            let wrong: Vec<&RecalibratedSubgroup> =
                one.subgroups.iter().filter(|one| one.is_miscalibrated()).chain(&one.broken).collect();
            let unchanged = one.moves.is_none_or(|moves| moves.up + moves.down == 0);
            let who = match wrong.as_slice() {
                // nothing can be worse, which does not make it right
                [] if unchanged => "–".to_owned(),
                [] => "None detected".to_owned(),
                some => {
                    let named = |one: &&RecalibratedSubgroup| format!("{} ({})", one.description, points(one.after));
                    let more = if some.len() > IN_SENTENCES {
                        format!(", {} more", some.len() - IN_SENTENCES)
                    } else {
                        String::new()
                    };
                    format!("{}{more}", some.iter().take(IN_SENTENCES).map(named).collect::<Vec<_>>().join(", "))
                }
            };
            let mut line = vec![name, number(one.nll), change(&one.nll_change), number(one.brier)];
            line.push(change(&one.brier_change));
            let rows = |n: usize| Cell::number(count(n as u64), n as f64);
            line.extend(match one.moves {
                Some(Moves { up, down, rest_mean }) => [
                    rows(up),
                    rows(down),
                    rest_mean.map_or_else(|| Cell::from("–"), |mean| Cell::number(points(mean), mean)),
                ],
                None => [Cell::from("–"), Cell::from("–"), Cell::from("–")],
            });
            line.extend(looked.then(|| Cell::from(who)));
            table.rows.push(line);
        }
        table
    }

    /// How it was done.
    fn method(&self, run: &RunOutcome) -> String {
        let rows = self.evaluated.iter().find_map(|one| one.found.as_ref().ok()).map_or(0, |found| found.rows);
        let how = match self.data.division {
            Division::Folds { .. } if self.data.is_counted() => {
                "by cross-fitting, the rows of each cell divided at random"
            }
            Division::Folds { .. } => "by cross-fitting",
            _ => "by fits on the calibration rows",
        };
        let chosen = match self.scanned.named.is_empty() {
            true => "",
            false => {
                " Errors of the listed subgroups, before and after recalibration, are corrected for the selection \
                 of these subgroups on the evaluated rows (conditional on |z| above its critical value); no fit saw \
                 the row it is evaluated on. Subgroups that adjoin a listed interval, or are part of one, are also \
                 tested. A method that leaves all other rows unchanged is preferred unless these are miscalibrated."
            }
        };
        let few = self.evaluated.iter().any(|one| one.found.as_ref().is_ok_and(|found| found.few));
        let of_all = match (run.rows.is_empty(), &self.data.clusters) {
            (true, _) => String::new(),
            _ if few => format!(" {}.", capitalized(NO_INTERVAL)),
            (false, None) => {
                " Intervals of changes are bootstrap intervals, paired by row and not adjusted for method selection."
                    .to_owned()
            }
            (false, Some(clusters)) => {
                format!(
                    " Intervals of changes are bootstrap intervals, paired, clustered by {}, and not adjusted for method selection.",
                    clusters.column
                )
            }
        };
        let certain = match self.evaluated.iter().any(|one| one.certain().is_some()) {
            true => {
                " A method that gives rows a probability of 0 or 1 is not recommended: their first other outcome would make \
                 its log loss infinite."
            }
            false => "",
        };
        let few = match self.evaluated.iter().any(|one| one.too_few_events().is_some()) {
            true => {
                format!(
                    " A method that fits more than one parameter per {EVENTS_PER_PARAMETER} {} is not recommended.",
                    match self.data.view {
                        View::Positive => "events",
                        View::TopLabel => "rows of the rarer outcome (correct or incorrect), or of the rarest class",
                    }
                )
            }
            false => String::new(),
        };
        let target = match self.evaluated.iter().any(|one| one.found.as_ref().is_ok_and(|found| found.of_vectors)) {
            true => " Log loss is computed from the probabilities of all classes, as in the table of methods.",
            false => "",
        };
        let without = self.not_evaluated();
        format!(
            "Evaluated on {} {how}.{of_all} Candidates are within one standard error of the lowest log loss. \
             Recommended is the simplest that leaves no significant mean error and no listed subgroup, and makes no other \
             single-column subgroup, significantly miscalibrated; if none does, of those that reduce log loss significantly, the one with the \
             fewest excess or missing {}, or the simplest that removes at least 90% as many. Pairs of columns are not retested.{target}{few}{certain}{chosen}{without}",
            counted(rows, "row"),
            self.data.view.events()
        )
    }

    /// " Not evaluated (no subgroup is listed): Update by group; Temperature by group." for each reason.
    fn not_evaluated(&self) -> String {
        let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
        for one in self.evaluated {
            let Err(reason) = &one.found else { continue };
            match by_reason.iter_mut().find(|(known, _)| *known == reason.as_str()) {
                Some((_, titles)) => titles.push(&one.known.title),
                None => by_reason.push((reason.as_str(), vec![one.known.title.as_str()])),
            }
        }
        by_reason
            .iter()
            .map(|(reason, titles)| {
                format!(" Not evaluated ({}): {}.", reason.trim_end_matches('.'), titles.join("; "))
            })
            .collect()
    }
}

/// "−0.0140", "+0.00200".
fn signed(value: f64) -> String {
    let text = significant(value);
    if value > 0.0 { format!("+{text}") } else { text }
}
