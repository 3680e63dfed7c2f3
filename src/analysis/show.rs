//! The last step of an analysis with charts: it draws what the steps before it found, and alone knows the page.
//!
//! Width, pixel ratio and theme stand in no other step, so that a plan for another page differs in its last step only.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::job::{Job, Outcome};
use crate::plot::chart::Screen;
use crate::run::graph::{Found, Need, Outcomes, Plan, Step};

/// What an analysis found, its charts not drawn yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Undrawn<T>(pub T);

/// What has charts that can be drawn.
pub trait HasCharts: Clone {
    /// Draws them all. O(marks); of maps O(rows + pixels).
    fn draw(&mut self, screen: &Screen);
}

/// Draws the charts of what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Show<T> {
    found: Need<Undrawn<T>>,
    screen: Screen,
}

impl<T> Step for Show<T>
where
    T: HasCharts + Found + Into<Outcome>,
    Undrawn<T>: Found,
    Self: Into<Job>,
{
    type Found = T;

    fn run(&self, at: &Outcomes, _: &mut dyn FnMut(f64)) -> Result<T> {
        let Undrawn(mut found) = at.the(&self.found)?.clone();
        found.draw(&self.screen);
        Ok(found)
    }
}

/// Expected milliseconds of drawing some charts.
pub const DRAWING_MS: f64 = 1.0;

/// Pushes the last step; `cost` in expected milliseconds.
pub fn show<T>(plan: &mut Plan, found: Need<Undrawn<T>>, screen: Screen, cost: f64)
where
    Show<T>: Step,
{
    plan.push(Show { found, screen }, cost, "drawing");
}
