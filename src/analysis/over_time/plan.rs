//! Numbers and words, then the figures.

use serde::{Deserialize, Serialize};

use super::{Dated, DrawnWindows, OverTimeRequest, OverTimeWithoutCharts, dated, over_time};
use crate::analysis::show::{DRAWING_MS, WithoutCharts, show};
use crate::analysis::{Analysis, LastRun};
use crate::data::Predictions;
use crate::drift::draws;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::report::RunOutcome;
use crate::request::bounds::{FIGURE, Field, SEED, whole};
use crate::run::graph::{DATA, Handle, Outcomes, Plan, REPORT, Step};
use crate::run::plan::cost::parts;

/// Milliseconds in which the outcome of one row is drawn, and those of all rows of a count.
const ROW_MS: f64 = 2e-6;
const COUNT_MS: f64 = 5e-5;

impl Analysis for OverTimeRequest {
    const BOUNDS: &'static [(&'static str, Field)] =
        &[("window", whole(2, 1_000_000_000)), ("seed", SEED), ("width", FIGURE)];

    fn plan(&self, of: &LastRun) -> Result<Plan> {
        let mut plan = of.plan();
        let n = of.data.rows;
        let request = Self { width: None, ..self.clone() };
        let step = PutInTime { data: DATA, run: REPORT, request: request.clone() };
        let dated = plan.push(step, n as f64 * 3e-4, "ordering rows by date");
        let each = if of.data.is_counted() { COUNT_MS } else { ROW_MS };
        let (of_all, cost) = parts(draws(n), n as f64 * each);
        let drawn = (0..of_all).map(|part| {
            let step = DrawWindows { dated, part, parts: of_all };
            plan.push(step, cost, "null distribution without drift")
        });
        let drawn = drawn.collect();
        let step = SummarizeOverTime { data: DATA, run: REPORT, dated, drawn, request };
        let found = plan.push(step, n as f64 * 1e-4, "windows over time");
        show(&mut plan, found, Screen::of_width(self.width), DRAWING_MS);
        Ok(plan)
    }
}

/// Puts the scored rows in the order of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PutInTime {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    request: OverTimeRequest,
}

impl Step for PutInTime {
    type Output = Dated;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<Dated> {
        dated(at.the(&self.data)?, at.the(&self.run)?, &self.request)
    }
}

/// Some of the draws of outcomes without drift: how many there are depends on the rows with a date.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawWindows {
    dated: Handle<Dated>,
    part: usize,
    parts: usize,
}

impl Step for DrawWindows {
    type Output = DrawnWindows;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<DrawnWindows> {
        let rows = &at.the(&self.dated)?.rows;
        let (all, parts) = (draws(rows.day.len()), self.parts.max(1));
        Ok(rows.drawn(self.part * all / parts..(self.part + 1) * all / parts))
    }
}

/// Scores against outcomes along the dates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummarizeOverTime {
    data: Handle<Predictions>,
    run: Handle<RunOutcome>,
    dated: Handle<Dated>,
    /// in order
    drawn: Vec<Handle<DrawnWindows>>,
    request: OverTimeRequest,
}

impl Step for SummarizeOverTime {
    type Output = OverTimeWithoutCharts;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<OverTimeWithoutCharts> {
        let data = at.the(&self.data)?;
        let (dated, drawn) = (at.the(&self.dated)?, at.each(&self.drawn)?);
        Ok(WithoutCharts(over_time(data, at.the(&self.run)?, &self.request, dated, &drawn)?))
    }
}
