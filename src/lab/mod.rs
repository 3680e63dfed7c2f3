//! The calibration lab: ten small lessons on data whose truth is known.
//!
//! `world` makes the data from a seed and a few handles; `diagram`, `local_map` and `chance` call the same chapters that
//! a file of a person's own is looked at with, and each screen has a file of its own. A request holds the whole state
//! of a screen, an answer everything that the screen shows: nothing is kept between them.

mod answer;
mod bandwidth;
mod bins;
mod cancel;
mod chance;
mod classes;
mod confidence;
mod diagram;
mod fairness;
mod forecasts;
mod line_up;
mod local_map;
mod planted;
mod recalibration;
mod request;
mod tally;
mod ten_questions;
mod verdict;
mod world;

pub use answer::{LabAnswer, LabChart, LabLight, LabNumber, LabPooled, LabTally, LabTallyLevel};
pub use line_up::{IDEAL_OBSERVER, LARGEST_ECE, LEVELS, ideal_observer_choice};
pub use request::{BOUNDS, LabMethod, LabRequest, Neighbors, Scenario};
pub use tally::{PANELS, TenAnswers, code, code_of_ten, decoded, decoded_ten, hits_by_chance, real_panel};
pub use world::{Region, Truth, World};

use crate::error::{Error, Result};

/// What a screen shows for the handles as they are.
///
/// # Errors
/// `invalid_option` for a handle out of its bounds, `length_mismatch` for confidences without an answer each.
///
/// # Cost
/// A few milliseconds at 1,000 rows; kernel sums of screens 6 to 8 take O(n²/B) at most.
///
/// ```
/// use localcal::lab::{LabRequest, lab};
///
/// // doubling all log-odds changes no decision at one half
/// let accuracy = |factor| lab(&LabRequest { screen: 3, factor, ..LabRequest::default() }).map(|found| found.value("accuracy"));
/// assert_eq!(accuracy(1.0)?, accuracy(2.0)?);
/// # Ok::<(), localcal::Error>(())
/// ```
pub fn lab(request: &LabRequest) -> Result<LabAnswer> {
    request.check()?;
    match request.screen {
        1 => ten_questions::answer(request),
        2 => forecasts::answer(request),
        3 => confidence::answer(request),
        4 => bins::answer(request),
        5 => line_up::answer(request),
        6 => cancel::answer(request),
        7 => bandwidth::answer(request),
        8 => recalibration::answer(request),
        9 => fairness::answer(request),
        10 => verdict::answer(request),
        _ => Err(Error::internal("A screen has passed its bounds and has no answer.")),
    }
}
