//! What may leave of an experiment while small counts are withheld.

use std::borrow::Cow;

use super::cell::Cell;
use super::spec::Spec;
use crate::data::View;
use crate::report::disclosure::Basis;
use crate::report::small_cells::is_small;

/// An experiment without the metrics by which few rows could be told or counted, and without values of fewer than `least`
/// rows, or rows with or without the outcome; with no smallest count, as it is.
pub fn may_leave<'a>(spec: &'a Spec, cells: &'a [Cell], least: Option<u64>) -> (Cow<'a, Spec>, Cow<'a, [Cell]>) {
    let Some(least) = least else { return (Cow::Borrowed(spec), Cow::Borrowed(cells)) };
    let may_leave = |metric: &str| Basis::of_metric(metric, View::Positive).may_leave(least);
    let mut spec = spec.clone();
    spec.metrics.retain(|metric| may_leave(metric));
    let enough = |cell: &Cell| {
        let counts = cell.events.map(|events| [events, cell.rows.saturating_sub(events)]);
        cell.rows as u64 >= least
            && counts.is_some_and(|counts| counts.iter().all(|count| !is_small(*count as u64, least)))
    };
    let kept = cells.iter().filter(|cell| may_leave(&cell.metric) && enough(cell));
    // a reason for a missing value may count rows
    let kept = kept.map(|cell| Cell { reason: None, ..cell.clone() });
    (Cow::Owned(spec), Cow::Owned(kept.collect()))
}
