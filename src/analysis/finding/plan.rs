//! All rows together, then rounds of looking at every subgroup, then what to do, then words, then figures.

use serde::{Deserialize, Serialize};

use super::overall::{Overall, overall};
use super::{Advised, FindingRequest, FindingWithoutCharts, LEAST, PartName, advice, place, words};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::default_choice;
use crate::feature::searched::sources;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::view::method_rows;
use crate::request::bounds::{FIGURE, Field, ROWS, SEED};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::cost::parts;
use crate::scan::{
    EXACT_ROWS, MOST_DETECTED, REDRAWS, Round, ScanInput, ScanStatistics, Scanned, Sought, TOGETHER, expected_families,
    scan_part, scanned_columns, scanned_dates,
};

/// Milliseconds a row, family and sixteen redraws.
const REDRAW_MS: f64 = 1.2e-6;
/// Milliseconds of sixteen redraws of a count.
const COUNT_MS: f64 = 8e-4;
/// Milliseconds a row and family of sums.
const SUM_MS: f64 = 4e-6;
/// Milliseconds a family of the sums of blocks.
const BLOCKS_MS: f64 = 1.0;

impl Analysis for FindingRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("least", ROWS), ("seed", SEED), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let wanted = |part: PartName| self.parts.as_ref().is_none_or(|parts| parts.contains(&part));
        let n = method_rows(of.run, None)?.rows.len() as f64;
        let step = TestOverall { data: DATA, run: REPORT, seed: self.seed };
        let overall = plan.push(step, n * 1e-3, "overall calibration");
        let scanned = match wanted(PartName::Subgroups) || wanted(PartName::Advice) {
            true => Some(self.plan_scan(of, &mut plan, overall, n)?),
            false => None,
        };
        let advised = match scanned.filter(|_| wanted(PartName::Advice)) {
            Some((input, scanned)) => advice::plan(&mut plan, of, self, (input, scanned))?,
            None => None,
        };
        let request = Self { width: None, ..self.clone() };
        let scanned = scanned.map(|(_, scanned)| scanned);
        let step = WriteFinding { data: DATA, run: REPORT, overall, scanned, advised, request };
        let found = plan.push(step, 1.0, "summarizing");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

impl FindingRequest {
    /// Columns and arrays that define similarity: those of the local metrics, else the usual ones; of a map of two principal
    /// components of an embedding the embedding, whose other components distinguish topics as well.
    fn similarity(&self, of: &LastRun) -> Vec<String> {
        if of.data.is_counted() {
            // no row has a place among others
            return Vec::new();
        }
        let chosen = of.run.report.settings.local.as_ref().and_then(|local| local.features.clone());
        let choice = chosen.or_else(|| default_choice(of.data));
        choice.map_or_else(Vec::new, |choice| sources(of.data, &choice))
    }

    /// As many rounds as subgroups may be named, each cut into parts: of redraws, or of families of subgroups where blocks of rows get
    /// signs. A round after the last finds nothing to do.
    fn plan_scan(
        &self,
        of: &LastRun,
        plan: &mut Plan,
        overall: Handle<Overall>,
        n: f64,
    ) -> Result<(Handle<ScanInput>, Handle<Scanned>)> {
        let mut columns = scanned_columns(of.data, self.groups.as_deref(), self.features.as_deref())?;
        let dates = scanned_dates(of.data).into_iter().filter(|name| !columns.contains(name));
        columns.extend(dates.collect::<Vec<_>>());
        let similarity = self.similarity(of);
        let count = columns.len() as f64;
        // regions are looked at where no column describes the rows
        let families = expected_families(columns.len());
        let families = if similarity.is_empty() { families } else { families.max(1.0) };
        let (several, each) = match n > EXACT_ROWS as f64 && !of.data.is_counted() {
            true => (families as usize, BLOCKS_MS + n * SUM_MS),
            false => {
                let each = if of.data.is_counted() { COUNT_MS } else { 0.0 };
                let batches = if families > 0.0 { REDRAWS.div_ceil(TOGETHER) } else { 0 };
                (batches, n * ((families + 20.0) * REDRAW_MS + each))
            }
        };
        let (cut, cost) = match parts(several, each) {
            (0, _) => (1, 0.1),
            // two workers
            (1, cost) if cost > 20.0 => (2, cost / 2.0),
            several => several,
        };
        let least = self.least.unwrap_or(LEAST);
        let step = PrepareScan { data: DATA, run: REPORT, columns, similarity, least, seed: self.seed };
        let input = plan.push(step, n * (count + 2.0) * 2e-5, "preparing subgroups");
        let mut round = plan.push(Begin { input }, n * 1e-4, "modeling the score");
        for _ in 0..MOST_DETECTED {
            let looked = (0..cut)
                .map(|part| {
                    let step = ScanPart { input, round, part, parts: cut, seed: self.seed };
                    plan.push(step, cost, "testing subgroups")
                })
                .collect();
            round = plan.push(Name { input, overall, round, looked }, n * 1e-4, "selecting subgroups");
        }
        Ok((input, {
            let step = Scan { data: DATA, run: REPORT, input, overall, round, seed: self.seed };
            plan.push(step, n * 1e-4, "testing the remaining rows")
        }))
    }
}

/// Looks at all rows together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestOverall {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    seed: u64,
}

impl Step for TestOverall {
    type Output = Overall;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Overall> {
        overall(at.the(&self.data)?, at.the(&self.run)?, self.seed)
    }
}

/// Cuts columns into cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrepareScan {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    columns: Vec<String>,
    similarity: Vec<String>,
    least: usize,
    seed: u64,
}

impl Step for PrepareScan {
    type Output = ScanInput;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<ScanInput> {
        let rows = method_rows(at.the(&self.run)?, None)?;
        let values = (rows.rows.as_slice(), rows.score.as_slice(), rows.target.as_slice(), rows.weights());
        let sought = Sought { columns: &self.columns, similarity: &self.similarity, least: self.least };
        ScanInput::new(at.the(&self.data)?, values, sought, self.seed)
    }
}

/// Fits what the score alone could correct.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    input: Handle<ScanInput>,
}

impl Step for Begin {
    type Output = Round;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Round> {
        Ok(Round::first(at.the(&self.input)?))
    }
}

/// Looks at some subgroups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScanPart {
    input: Handle<ScanInput>,
    round: Handle<Round>,
    part: usize,
    parts: usize,
    seed: u64,
}

impl Step for ScanPart {
    type Output = ScanStatistics;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<ScanStatistics> {
        let (input, round) = (at.the(&self.input)?, at.the(&self.round)?);
        if round.over {
            return Ok(ScanStatistics::default());
        }
        Ok(scan_part(input, &round.fit, (self.part, self.parts), round.number, self.seed))
    }
}

/// Names the subgroup that stands out most, and begins another round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Name {
    input: Handle<ScanInput>,
    overall: Handle<Overall>,
    round: Handle<Round>,
    looked: Vec<Handle<ScanStatistics>>,
}

impl Step for Name {
    type Output = Round;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Round> {
        let overall_p = at.the(&self.overall)?.test.p;
        Ok(at.the(&self.round)?.next(at.the(&self.input)?, &at.each(&self.looked)?, overall_p))
    }
}

/// What was found, and whether everybody else is right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scan {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    input: Handle<ScanInput>,
    overall: Handle<Overall>,
    round: Handle<Round>,
    seed: u64,
}

impl Step for Scan {
    type Output = Scanned;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Scanned> {
        let overall_p = at.the(&self.overall)?.test.p;
        let mut scanned = at.the(&self.round)?.scanned(at.the(&self.input)?, overall_p, self.seed);
        let (data, rows) = (at.the(&self.data)?, method_rows(at.the(&self.run)?, None)?);
        for place in scanned.named.iter_mut().filter_map(|named| named.place.as_mut()) {
            place.description = place::described(data, &rows.rows, place);
            place.outline = place::outline(data, place);
        }
        Ok(scanned)
    }
}

/// What may be said, with its numbers and charts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteFinding {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    overall: Handle<Overall>,
    scanned: Option<Handle<Scanned>>,
    advised: Option<Handle<Advised>>,
    request: FindingRequest,
}

impl Step for WriteFinding {
    type Output = FindingWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<FindingWithoutCharts> {
        let overall = at.the(&self.overall)?;
        let scanned = self.scanned.as_ref().map(|need| at.the(need)).transpose()?;
        let advised = self.advised.as_ref().map(|need| at.the(need)).transpose()?;
        let (data, run) = (at.the(&self.data)?, at.the(&self.run)?);
        Ok(WithoutCharts(words::outcome(data, run, &self.request, overall, scanned, advised)))
    }
}
