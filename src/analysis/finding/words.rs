//! Sentences, tables and charts: each says what its numbers say, and no more.

use super::overall::{Overall, told};
use super::rest::{ELSEWHERE_RIGHT, NOBODY_BEYOND};
use super::{Advised, Estimate, FindingOutcome, FindingRequest, LEAST, Part, PartName, Rank, Rest, Whom};
use crate::analysis::entry::fields;
use crate::data::{Predictions, View};
use crate::plot::chart::{Chart, Room};
use crate::plot::forest::{ForestChart, ForestRow};
use crate::report::RunOutcome;
use crate::report::gap::gap_words;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable, Tone};
use crate::report::verdict::{LEVEL, Verdict};
use crate::report::view::Fact;
use crate::scan::{MOST_VALUES, PAIRED_COLUMNS, PAIRED_VALUES, Scanned, arrays_not_looked_at, columns_looked_at, holm};
use crate::words::number::{count, interval, percent, points_size, significant};

/// Of the diagram.
const DIAGRAM: Room = Room::UpTo { usual: 520.0, most: 560.0 };
/// Of the forest plot.
const FOREST: Room = Room::UpTo { usual: 560.0, most: 900.0 };
/// z beyond which 1 of 20 lies where there is nothing.
const Z_95: f64 = 1.959_963_984_540_054;
/// Slices that a sentence names beside the first.
const BESIDE: usize = 2;

/// What may be said of all rows together and of the slices.
struct Finding<'a> {
    overall: &'a Overall,
    scanned: Option<&'a Scanned>,
    /// all rows together are off by more than chance
    off: bool,
    /// and who is named does not account for it: gaps are told beyond what the score alone could mend
    beyond: bool,
    /// slices were looked at, and the rows that are in none of those found are off, too
    everywhere: bool,
    /// nobody stands out beside `whom`
    nobody_else: bool,
    /// slices of fewer rows were not looked at
    least: usize,
    /// arrays that no slice was made of: "embeddings, an array of 64 columns"
    unlooked: Vec<String>,
    whom: Vec<Whom>,
    rest: Option<Rest>,
    /// chance of what was found, the smaller of both questions
    p: f64,
    /// the same of all rows together
    overall_p: f64,
    /// of the rows that no named slice has
    elsewhere: Option<f64>,
}

pub(super) fn outcome(
    data: &Predictions,
    run: &RunOutcome,
    request: &FindingRequest,
    overall: &Overall,
    scanned: Option<&Scanned>,
    advised: Option<&Advised>,
) -> FindingOutcome {
    let finding = Finding::new(data, overall, scanned, request);
    let wanted = |part: PartName| request.parts.as_ref().is_none_or(|parts| parts.contains(&part));
    let mut parts = Vec::new();
    if wanted(PartName::Overall) {
        parts.push(Part {
            id: PartName::Overall,
            heading: finding.overall_sentence(),
            blocks: overall_blocks(overall),
        });
    }
    if wanted(PartName::Whom) && scanned.is_some() {
        parts.push(Part { id: PartName::Whom, heading: finding.whom_sentence(), blocks: finding.whom_blocks() });
    }
    parts.extend(advised.map(|advised| advised.part.clone()));
    let blocks = parts.iter().flat_map(|part| part.blocks.iter().cloned()).collect();
    FindingOutcome {
        clusters: overall.clusters.clone(),
        sentence: finding.sentence(),
        chance: !finding.off && finding.whom.is_empty(),
        overall: overall.numbers.clone(),
        verdict: finding.verdict(),
        rest: finding.rest.clone().unwrap_or_default(),
        whom: finding.whom,
        advice: advised.map(|advised| advised.advice.clone()),
        parts,
        sheet: Sheet { fields: fields(data, run, &request.with_columns(data)), blocks },
    }
}

impl<'a> Finding<'a> {
    fn new(data: &Predictions, overall: &'a Overall, scanned: Option<&'a Scanned>, request: &FindingRequest) -> Self {
        let overall_p = scanned.map_or_else(|| holm(overall.test.p, 1.0), |scanned| scanned.overall_p);
        let off = overall_p <= LEVEL;
        let elsewhere = scanned.and_then(|scanned| scanned.elsewhere);
        let beyond = scanned.map_or(off, |scanned| scanned.beyond);
        let named = scanned.map_or(&[][..], |scanned| &scanned.named);
        let mut whom: Vec<Whom> = named.iter().map(Whom::of).collect();
        let size = |one: &Whom| match request.rank.unwrap_or_default() {
            Rank::Harm => one.harm,
            Rank::Gap => one.told_gap().abs(),
        };
        whom.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let least =
            whom.iter().map(|one| one.p).chain(scanned.and_then(|scanned| scanned.p_of_rest)).fold(1.0, f64::min);
        let looked = scanned.is_some_and(|scanned| scanned.looked_at > 0);
        Self {
            overall,
            scanned,
            off,
            beyond,
            everywhere: beyond && looked && (whom.is_empty() || elsewhere.is_some_and(|p| p <= LEVEL)),
            nobody_else: scanned.is_some_and(Scanned::nobody_else),
            least: request.least.unwrap_or(LEAST),
            unlooked: arrays_not_looked_at(data, request.features.as_deref()),
            rest: scanned.map(|scanned| Rest::of(scanned, overall)),
            p: least.min(overall_p),
            overall_p,
            elsewhere,
            whom,
        }
    }

    /// What the sentence stands on.
    fn verdict(&self) -> Verdict {
        match self.whom.first() {
            Some(one) if !self.beyond => Verdict::by_p(one.description.clone(), one.told_gap(), Some(one.p), ""),
            _ if self.off => Verdict::by_p("", self.gap(), Some(self.overall_p), ""),
            _ => Verdict::by_p("", self.gap(), Some(self.p), ""),
        }
    }

    fn gap(&self) -> f64 {
        self.overall.says - self.overall.happened
    }

    /// The finding in one sentence or two.
    fn sentence(&self) -> String {
        match (self.whom.first(), self.beyond) {
            (None, false) => {
                let seen = self.rest.as_ref().and_then(Rest::seen).map_or_else(String::new, |seen| format!(" {seen}"));
                format!("{}{seen}", self.overall_sentence())
            }
            (None, true) => {
                let nobody = if self.nobody_else { format!(" {NOBODY_BEYOND}") } else { String::new() };
                format!("{}{nobody}", self.overall_sentence())
            }
            (Some(one), true) => {
                format!(
                    "{} Most of all for {}: even after that is mended {} by {} ({} rows).",
                    self.overall_sentence(),
                    one.description,
                    self.side(one.told_gap()).to_lowercase(),
                    points_size(one.told_gap()),
                    count(one.rows as u64)
                )
            }
            (Some(_), false) => self.whom_sentence(),
        }
    }

    /// "Too low for ward = ICU: says 24.1 %, happens 44.0 % (412 rows). Elsewhere right within chance."
    fn whom_sentence(&self) -> String {
        let Some(one) = self.whom.first() else {
            return match (self.scanned, &self.rest) {
                // the first sentence says what would have been seen
                (Some(scanned), Some(rest)) if !self.beyond => rest.looked(scanned, self.overall.view),
                (_, rest) => rest.as_ref().map_or_else(String::new, |rest| rest.sentence.clone()),
            };
        };
        let side = self.side(one.told_gap());
        let (says, happens) = match self.overall.view {
            View::Positive => ("says", "happens"),
            View::TopLabel => ("says", "is right"),
        };
        let numbers = match one.mended {
            Some(mended) => {
                format!(
                    "says {}, {} once mended overall, {happens} {}",
                    percent(one.says),
                    percent(mended),
                    percent(one.happened)
                )
            }
            None => format!("{says} {}, {happens} {}", percent(one.says), percent(one.happened)),
        };
        let elsewhere = match self.elsewhere {
            Some(p) if p > LEVEL && self.nobody_else => format!(" {ELSEWHERE_RIGHT}"),
            _ => String::new(),
        };
        format!(
            "{side} for {}: {numbers} ({} rows).{}{elsewhere}",
            one.description,
            count(one.rows as u64),
            self.beside()
        )
    }

    /// " Also too high for age ≥ 70, by 5.1 points."
    fn beside(&self) -> String {
        let others = self.whom.get(1..).unwrap_or_default();
        let mut told: Vec<String> = others
            .iter()
            .take(BESIDE)
            .map(|one| {
                let gap = one.told_gap();
                format!("{} for {} by {}", self.side(gap).to_lowercase(), one.description, points_size(gap))
            })
            .collect();
        if others.len() > BESIDE {
            told.push(format!("{} more", others.len() - BESIDE));
        }
        match told.split_last() {
            None => String::new(),
            Some((last, [])) => format!(" Also {last}."),
            Some((last, before)) => format!(" Also {} and {last}.", before.join(", ")),
        }
    }

    fn side(&self, gap: f64) -> &'static str {
        side(self.overall.view, gap)
    }

    /// All rows together.
    fn overall_sentence(&self) -> String {
        let overall = self.overall;
        let times = format!("of {} times", count(overall.rows as u64));
        let (says, happened) = (percent(overall.says), percent(overall.happened));
        let both = match overall.view {
            View::Positive => format!("it says {says} and it happens {happened} {times}"),
            View::TopLabel => format!("it says {says} and is right {happened} {times}"),
        };
        if !self.off {
            return format!("No miscalibration beyond chance: {both}.");
        }
        if !self.beyond {
            let who = match self.whom.as_slice() {
                [one] => one.description.clone(),
                several => format!("the {} slices that are off", several.len()),
            };
            return format!("All rows together: {both}, hardly by chance; right within chance without {who}.");
        }
        let mean = (overall.mean_z.abs() > Z_95).then(|| self.side(self.gap()));
        let slope = match (overall.slope.value, overall.slope.low, overall.slope.high) {
            (Some(value), _, Some(high)) if high < 1.0 => Some((value, "too far apart")),
            (Some(value), Some(low), _) if low > 1.0 => Some((value, "too close together")),
            _ => None,
        };
        let slope_words = |value: f64| format!("slope {}, 1 if right", significant(value));
        let scores = match overall.view {
            View::Positive => "its risks are",
            View::TopLabel => "its confidences are",
        };
        let everywhere = if self.everywhere { " everywhere" } else { "" };
        match (mean, slope) {
            // a curve that is too flat or too steep crosses the diagonal
            (Some(side), Some((value, how))) => {
                format!("{side} on average: {both}; {scores} {how} ({}).", slope_words(value))
            }
            (Some(side), None) => format!("{side}{everywhere}: {both}."),
            (None, Some((value, how))) => {
                let name = match (overall.view, value < 1.0) {
                    (View::Positive, true) => "Over-confident",
                    (View::Positive, false) => "Under-confident",
                    (View::TopLabel, _) => "Right on average, not at every confidence",
                };
                let everywhere = if overall.view == View::Positive { everywhere } else { "" };
                format!("{name}{everywhere}: {scores} {how} ({}).", slope_words(value))
            }
            (None, None) => format!("Right on average, not at every score: {both}, but the curve bends."),
        }
    }

    fn whom_blocks(&self) -> Vec<Block> {
        if self.whom.is_empty() {
            return vec![Block::Note(self.method())];
        }
        let rest = self.rest.as_ref().map_or_else(String::new, |rest| rest.sentence.clone());
        vec![
            Block::Charts(vec![Chart::new(self.forest(), FOREST)]),
            Block::Table(self.table()),
            Block::Text(rest),
            Block::Note(self.method()),
        ]
    }

    fn forest(&self) -> ForestChart {
        let row = |one: &Whom| ForestRow {
            description: one.description.clone(),
            says: one.says,
            happened: one.happened,
            low: (one.says - one.high).max(0.0),
            high: (one.says - one.low).min(1.0),
            rows: one.rows as u64,
            mended: one.mended,
            more: vec![format!("gap {}", gap_words(one.gap, [one.low, one.high]))],
        };
        let (happened, axis) = match self.overall.view {
            View::Positive => ("happened", "mean probability and share that happened"),
            View::TopLabel => ("right", "mean confidence and share that was right"),
        };
        ForestChart {
            rows: self.whom.iter().map(row).collect(),
            says_name: "says".to_owned(),
            happened_name: happened.to_owned(),
            mended_name: "says once mended overall".to_owned(),
            rows_name: "rows".to_owned(),
            axis_name: axis.to_owned(),
            title: String::new(),
            caption:
                "With 95\u{a0}% intervals of what happened, each for this slice alone; who is named is corrected for \
                      all that was looked at."
                    .to_owned(),
        }
    }

    fn table(&self) -> SheetTable {
        let happened = match self.overall.view {
            View::Positive => "#happened",
            View::TopLabel => "#right",
        };
        let mut heads = vec!["who", "#rows", "#says"];
        let mended = self.whom.iter().any(|one| one.mended.is_some());
        heads.extend(mended.then_some("#says once mended overall"));
        heads.extend([happened, "#gap"]);
        heads.extend(mended.then_some("#gap once mended overall"));
        heads.extend(["#harm, rows", "#p"]);
        let mut table = SheetTable::new("For whom, by more than chance", &heads);
        table.rows = self.whom.iter().map(|one| line(one, mended)).collect();
        table
    }

    /// How it was done.
    fn method(&self) -> String {
        let beyond = match (self.whom.iter().any(|one| one.mended.is_some()), self.off) {
            (true, _) => {
                " Who is told once mended overall is off beyond what a repair that sees only the score could mend: harm is that of \
                 the mended scores."
            }
            (false, true) if self.beyond => {
                " All scores are off: who would be named is off beyond what a repair that sees only the score could mend."
            }
            _ => "",
        };
        let unlooked = match self.unlooked.as_slice() {
            [] => String::new(),
            arrays => format!(
                " Not looked at: {}; the numbers of an array do not say who a row is. What rows have in common there is \
                 looked at by the map and the worst neighbourhoods.",
                arrays.join(", ")
            ),
        };
        format!(
            "Every group (of a column the {MOST_VALUES} most frequent), every stretch of sixths of a number, and missing values are \
             looked at once; so are, of the first {PAIRED_COLUMNS} columns, pairs of groups (of each column {PAIRED_VALUES}), of \
             quarters of numbers, and of both. Slices of fewer than {} rows are left out.{unlooked} p is corrected for all of these, and for \
             the question about all rows together.{beyond} What is told is not told again in other words.",
            count(self.least as u64)
        )
    }
}

impl FindingRequest {
    /// With the columns that are looked at where none are named.
    fn with_columns(&self, data: &Predictions) -> Self {
        let usual =
            |groups: Option<&[String]>, features: Option<&[String]>| columns_looked_at(data, groups, features).ok();
        Self {
            groups: self.groups.clone().or_else(|| usual(None, Some(&[]))),
            features: self.features.clone().or_else(|| usual(Some(&[]), None)),
            ..self.clone()
        }
    }
}

/// Of the table; `mended`: it has columns for what is told once mended overall.
fn line(one: &Whom, mended: bool) -> Vec<Cell> {
    let share = |share: f64| Cell::number(percent(share), share);
    let gap = |gap: f64, interval: [f64; 2]| {
        let tone = if gap > 0.0 { Tone::Over } else { Tone::Under };
        Cell::number(gap_words(gap, interval), gap).toned(tone)
    };
    let none = || Cell::from("–");
    let mut line = vec![
        Cell::from(one.description.clone()),
        Cell::number(count(one.rows as u64), one.rows as f64),
        share(one.says),
    ];
    line.extend(mended.then(|| one.mended.map_or_else(none, share)));
    line.extend([share(one.happened), gap(one.gap, [one.low, one.high])]);
    line.extend(mended.then(|| match one.mended {
        Some(says) => {
            let moved = says - one.says;
            gap(one.told_gap(), [(one.low + moved).max(-1.0), (one.high + moved).min(1.0)])
        }
        None => none(),
    }));
    line.extend([
        Cell::number(significant(one.harm), one.harm),
        Cell::number(if one.p < 0.001 { "< 0.001".to_owned() } else { format!("{:.3}", one.p) }, one.p),
    ]);
    line
}

impl Whom {
    /// The gap that sentences tell: that of the mended scores where it is told so, else the plain one.
    pub(super) fn told_gap(&self) -> f64 {
        self.mended.unwrap_or(self.says) - self.happened
    }
}

/// "Too high", "Too low"; of confidence "Over-confident", "Under-confident".
fn side(view: View, gap: f64) -> &'static str {
    match (view, gap >= 0.0) {
        (View::Positive, true) => "Too high",
        (View::Positive, false) => "Too low",
        (View::TopLabel, true) => "Over-confident",
        (View::TopLabel, false) => "Under-confident",
    }
}

fn overall_blocks(overall: &Overall) -> Vec<Block> {
    vec![
        Block::Charts(vec![Chart::new(overall.chart.clone(), DIAGRAM)]),
        Block::Facts(told(overall.view).into_iter().map(|(id, name)| fact(name, overall.numbers.get(id))).collect()),
    ]
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
