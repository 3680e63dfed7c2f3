//! Few events: what a sample cannot show, said before what it shows.
//!
//! Two rules. *Events*: fewer than ten of the rarer outcome per parameter of the overall model (the columns of the basis of the
//! score, four as a rule) fit that model badly. *Power*: a gap in half of the rows, the easiest subgroup to test, that is
//! as large as the rate of the rarer outcome, or 20 percentage points, would be found in less than four of five samples. The
//! error of all rows that may go undetected is that of the test that is made, clusters and weights included.

use serde::{Deserialize, Serialize};

use super::Overall;
use super::rest::Detectable;
use crate::data::{View, effective_rows};
use crate::report::MethodRows;
use crate::scan::Scanned;
use crate::words::number::{count, fixed_hundredfold, percent};
use crate::words::text::counted;

/// Events of the rarer outcome that a fitted parameter takes (Peduzzi and others, 1996; Harrell, 2015, section 4.4).
pub const EVENTS_PER_PARAMETER: usize = 10;
/// A gap of this size matters in any file; where the rarer outcome is rarer than this, one as large as its rate does.
const MATTERS: f64 = 0.2;
/// Level of each of the two questions where they are corrected for each other.
const OVERALL_LEVEL: f64 = 0.025;

/// A sample that is too small to detect relevant miscalibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TooFew {
    /// scored rows
    pub rows: usize,
    /// rows with the rarer outcome
    pub events: usize,
    /// Kish's effective number of rows, where sample weights make it smaller than their number
    pub effective_rows: Option<f64>,
    /// parameters of the overall model
    pub parameters: usize,
    /// detected with 80% power in all rows together; null without events
    pub overall: Option<f64>,
    /// detected with 80% power in a subgroup of half of the rows; null where no subgroup was scanned or no gap can be
    pub half: Option<Detectable>,
    /// "Small sample (300 rows, 150 events)"
    pub size: String,
    /// this information as a sentence, with the errors that may go undetected
    pub sentence: String,
}

/// What stands before every other sentence where the sample is too small for what would matter; none where it is not.
///
/// * `rows`: the scored rows of `overall`
/// * `scanned`: of the same rows; none where no subgroup was asked for
///
/// O(n).
pub(super) fn too_few(overall: &Overall, rows: &MethodRows, scanned: Option<&Scanned>) -> Option<TooFew> {
    let overall_gap = detectable_overall(overall);
    let effective = rows.weights().filter(|_| !rows.counted).map(effective_rows);
    of(overall.view, (overall.observed, overall.test.freedom), (rows.tally(), effective), overall_gap, scanned)
}

/// Mean error of all rows that is found with 80% power; NaN without a test. O(1).
pub(super) fn detectable_overall(overall: &Overall) -> f64 {
    overall.test.detectable(OVERALL_LEVEL) * overall.standard_error
}

/// * `share`: with the outcome; `parameters`: of the overall model
/// * `rows`, `observed`: how many there are, and with the outcome; `effective`: of weighted rows
/// * `overall_gap`: mean error of all rows that is found with 80 % power
fn of(
    view: View,
    (share, parameters): (f64, usize),
    ((rows, observed), effective): ((usize, usize), Option<f64>),
    overall_gap: f64,
    scanned: Option<&Scanned>,
) -> Option<TooFew> {
    let events = observed.min(rows - observed);
    let rate = share.min(1.0 - share);
    let few = events < EVENTS_PER_PARAMETER * parameters.max(1);
    let half = scanned.filter(|scanned| scanned.looked_at > 0 && scanned.critical.is_finite()).map(|scanned| {
        let half = rows.div_ceil(2);
        Detectable { rows: half, gap: scanned.detectable(half, rows, share) }
    });
    let matters = MATTERS.min(rate);
    let weak = half.is_some_and(|half| half.gap > matters);
    if rows == 0 || (!few && !weak) {
        return None;
    }
    // Beyond the range of a probability there is no gap to be found.
    let possible = |gap: f64| gap < share.max(1.0 - share);
    let mut found = TooFew {
        rows,
        events,
        effective_rows: effective.filter(|n| *n < rows as f64),
        parameters,
        overall: Some(overall_gap).filter(|gap| events > 0 && possible(*gap)),
        half: half.filter(|half| possible(half.gap)),
        size: String::new(),
        sentence: String::new(),
    };
    let outcome = found.outcome(view, observed == events);
    found.size = found.in_words(outcome, few);
    found.sentence = found.limits(outcome);
    Some(found)
}

impl TooFew {
    /// The rarer outcome, in the number that it occurs; `positive`: it is the event.
    fn outcome(&self, view: View, positive: bool) -> &'static str {
        let one = self.events == 1;
        match (view, positive, one) {
            (View::Positive, true, false) => "events",
            (View::Positive, true, true) => "event",
            (View::Positive, false, false) => "non-events",
            (View::Positive, false, true) => "non-event",
            (View::TopLabel, true, false) => "correct predictions",
            (View::TopLabel, true, true) => "correct prediction",
            (View::TopLabel, false, false) => "errors",
            (View::TopLabel, false, true) => "error",
        }
    }

    /// `few`: there are fewer than the parameters of the overall model take.
    fn in_words(&self, outcome: &str, few: bool) -> String {
        let (rows, events) = (counted(self.rows, "row"), count(self.events as u64));
        let effective = self.effective_rows.map(|n| format!("effective sample size {}", count(n.round() as u64)));
        match (self.events, few) {
            (0, _) => format!("No {outcome} in {rows}"),
            (_, true) => {
                let weighted = effective.map_or_else(String::new, |n| format!(" ({n})"));
                format!("Only {events} {outcome} in {rows}{weighted}")
            }
            (_, false) => {
                let weighted = effective.map_or_else(String::new, |n| format!(", {n}"));
                format!("Small sample ({rows}, {events} {outcome}{weighted})")
            }
        }
    }

    fn limits(&self, outcome: &str) -> String {
        let begins = &self.size;
        if self.events == 0 {
            // P(none of n) = .025
            let most = percent(1.0 - 0.025_f64.powf(1.0 / self.rows as f64));
            return format!(
                "{begins}: calibration cannot be assessed (95% CI for the rate of {outcome} 0% to {most})."
            );
        }
        let size = |gap: f64| format!("{} percentage points", fixed_hundredfold(gap, 1));
        match (self.overall, self.half) {
            (Some(overall), Some(half)) => format!(
                "{begins}: errors below {} overall, or below {} in half of the rows, may go undetected (80% power).",
                size(overall),
                size(half.gap)
            ),
            (Some(overall), None) => {
                format!("{begins}: errors below {} overall may go undetected (80% power).", size(overall))
            }
            (None, _) => format!("{begins}: not even a large calibration error would be detected with 80% power."),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// `events` of `rows`; a scan whose threshold is 3.6.
    fn too_few(view: View, rows: usize, events: usize, scanned: bool) -> Option<TooFew> {
        let share = events as f64 / rows as f64;
        let target: Vec<u8> = (0..rows).map(|i| u8::from(i < events)).collect();
        let score: Vec<f64> = (0..rows).map(|i| (share * (0.5 + (i % 11) as f64 / 10.0)).clamp(0.01, 0.99)).collect();
        let test = crate::scan::score_test(&score, &target, None, None, 0, 0);
        let spread = score.iter().map(|s| s * (1.0 - s)).sum::<f64>().sqrt() / rows as f64;
        let scan = Scanned { looked_at: 40, critical: 3.6, row_variance: share * (1.0 - share), ..Scanned::default() };
        let observed = target.iter().filter(|t| **t == 1).count();
        let overall_gap = test.detectable(OVERALL_LEVEL) * spread;
        of(view, (share, test.freedom), ((target.len(), observed), None), overall_gap, scanned.then_some(&scan))
    }

    #[test]
    fn weights_state_the_effective_sample_size() {
        let scan = Scanned { looked_at: 40, critical: 3.6, row_variance: 0.21, ..Scanned::default() };
        let size = |rows: (usize, usize), effective: f64| {
            of(View::Positive, (0.3, 4), (rows, Some(effective)), 0.08, Some(&scan)).unwrap().size
        };
        let small = "Small sample (260 rows, 78 events, effective sample size 61)";
        assert_eq!(size((260, 78), 61.4), small);
        assert_eq!(size((26_005, 12), 812.0), "Only 12 events in 26,005 rows (effective sample size 812)");
        assert_eq!(size((26_005, 12), 26_005.0), "Only 12 events in 26,005 rows");
    }

    #[test]
    fn few_events_are_said_first() {
        let found = too_few(View::Positive, 300, 12, true).unwrap();
        assert_eq!((found.rows, found.events, found.parameters), (300, 12, 4));
        // √(14.064 · s(1 − s) / 300), the mean over rows about .04 · .96; half of the rows: more than the rate of 4 %
        assert!((found.overall.unwrap() / (14.064_f64 * 0.0384 / 300.0).sqrt() - 1.0).abs() < 0.03, "{found:?}");
        assert!(found.half.unwrap().gap > 0.09 && found.half.unwrap().rows == 150, "{found:?}");
        let begins = "Only 12 events in 300 rows: errors below 4.2 percentage points overall, or below ";
        assert!(found.sentence.starts_with(begins), "{}", found.sentence);
        // without a scan, of all rows alone
        let alone = too_few(View::Positive, 300, 12, false).unwrap();
        assert!(
            alone.half.is_none() && alone.sentence.ends_with("overall may go undetected (80% power)."),
            "{alone:?}"
        );
        // the other outcome can be the rarer one
        assert!(
            too_few(View::Positive, 300, 288, true).unwrap().sentence.starts_with("Only 12 non-events in 300 rows")
                && too_few(View::Positive, 1, 1, false).unwrap().sentence.starts_with("No non-events in 1 row:")
        );
        assert!(too_few(View::TopLabel, 900, 873, true).unwrap().sentence.starts_with("Only 27 errors in 900 rows"));
        assert!(too_few(View::Positive, 300, 1, true).unwrap().sentence.starts_with("Only 1 event in 300 rows"));
    }

    #[test]
    fn a_sample_that_cannot_find_what_matters() {
        // 10 events a parameter, and still no power for 20 points in half of the rows
        let found = too_few(View::Positive, 300, 150, true).unwrap();
        assert!(found.sentence.starts_with("Small sample (300 rows, 150 events)"), "{}", found.sentence);
        assert!(found.half.unwrap().gap > 0.2);
        // as rare as 2 %, a gap of 2 points in half of 3,000 rows is not found; of 20,000 it is
        assert!(too_few(View::Positive, 3000, 60, true).is_some());
        assert!(too_few(View::Positive, 20_000, 400, true).is_none());
        assert!(too_few(View::Positive, 4000, 1200, true).is_none());
        assert!(too_few(View::Positive, 4000, 1200, false).is_none());
    }

    #[test]
    fn no_event_at_all() {
        let found = too_few(View::Positive, 300, 0, true).unwrap();
        // 1 − .025^(1/300)
        let said = "No events in 300 rows: calibration cannot be assessed (95% CI for the rate of events 0% to 1.2%).";
        assert_eq!(found.sentence, said);
        assert!(found.overall.is_none() && found.half.is_none());
        assert_eq!(too_few(View::Positive, 3, 3, true).unwrap().events, 0);
    }
}
