//! All rows together, then rounds of looking at every slice, then what to do, then words, then figures.

use serde::{Deserialize, Serialize};

use super::{Advised, FindingOutcome, FindingRequest, PartName, Rest, UndrawnFinding, Whom, advice};
use crate::analysis::show::{DRAWING_MS, Undrawn, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::report::sheet::Sheet;
use crate::report::verdict::Verdict;
use crate::request::bounds::{FIGURE, Field, ROWS, SEED};
use crate::run::graph::{DATA, Need, Outcomes, Plan, REPORT, Step};
use crate::scan::Scanned;

impl Analysis for FindingRequest {
    const BOUNDS: &'static [(&'static str, Field)] = &[("least", ROWS), ("seed", SEED), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let wanted = |part: PartName| self.parts.as_ref().is_none_or(|parts| parts.contains(&part));
        let overall = plan.push(TestOverall { run: REPORT, seed: self.seed }, 1.0, "all rows together");
        let scanned = (wanted(PartName::Whom) || wanted(PartName::Advice))
            .then(|| plan.push(Scan { data: DATA, run: REPORT }, 1.0, "for whom"));
        let advised = match scanned.filter(|_| wanted(PartName::Advice)) {
            Some(scanned) => advice::plan(&mut plan, of, self, scanned)?,
            None => None,
        };
        let request = Self { width: None, ..self.clone() };
        let step = WriteFinding { data: DATA, run: REPORT, overall, scanned, advised, request };
        let found = plan.push(step, 1.0, "what may be said");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// All rows together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overall {
    /// chance of as much on a calibrated file
    pub p: f64,
}

/// Tests all rows together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestOverall {
    run: Need<RunOutcome>,
    seed: u64,
}

impl Step for TestOverall {
    type Found = Overall;

    fn run(&self, _: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Overall> {
        Ok(Overall { p: 1.0 })
    }
}

/// Looks for whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scan {
    data: Need<Predictions>,
    run: Need<RunOutcome>,
}

impl Step for Scan {
    type Found = Scanned;

    fn run(&self, _: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Scanned> {
        Ok(Scanned::default())
    }
}

/// What may be said, with its numbers and charts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WriteFinding {
    data: Need<Predictions>,
    run: Need<RunOutcome>,
    overall: Need<Overall>,
    scanned: Option<Need<Scanned>>,
    advised: Option<Need<Advised>>,
    request: FindingRequest,
}

impl Step for WriteFinding {
    type Found = UndrawnFinding;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<UndrawnFinding> {
        let scanned = self.scanned.as_ref().map(|need| at.the(need)).transpose()?;
        let advised = self.advised.as_ref().map(|need| at.the(need)).transpose()?;
        let whom = scanned.map_or(&[][..], |scanned| &scanned.named);
        let outcome = FindingOutcome {
            sentence: String::new(),
            chance: true,
            overall: Default::default(),
            whom: whom.iter().map(|named| Whom::of(named, false)).collect(),
            rest: Rest::default(),
            advice: advised.map(|advised| advised.advice.clone()),
            parts: advised.map(|advised| advised.part.clone()).into_iter().collect(),
            sheet: Sheet::default(),
            verdict: Verdict::untested("", None, "Nothing was looked at"),
        };
        Ok(Undrawn(outcome))
    }
}
