//! Which candidate is recommended.

use super::evaluate::{Change, Evaluated, Performance};
use crate::num::special::normal_above;

/// Share of the excess events removed by the best method that a simpler one may leave.
const NEARLY: f64 = 0.1;

/// The choice among candidates, the first of which is to leave the scores alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Choice {
    /// place of the one that is recommended
    pub(super) place: usize,
    /// whose loss is within one standard error of the smallest
    pub(super) among_best: Vec<bool>,
    /// among them is one that leaves no named subgroup off and breaks no other
    pub(super) recalibrates: bool,
    /// why one is not recommended, whatever its loss; none: it may be
    pub(super) why_not: Vec<Option<String>>,
}

/// The choice, where something is significant:
///
/// 1. Candidates are those whose loss is within one standard error of the smallest (paired, row by row). Not recommended are one that
///    learns more than a number from ten events ([`EVENTS_PER_PARAMETER`](crate::analysis::finding::EVENTS_PER_PARAMETER)), one that
///    makes probabilities certain, and one whose loss is not smaller than the original where that of another is significantly.
/// 2. Of them the simplest that leaves neither the mean of all rows nor a named subgroup off and breaks neither another nor the rest.
///    One that leaves every row outside the named subgroups where it is comes before simpler ones that move them, unless those rows
///    are off, too.
/// 3. Where there is none, the one with the fewest excess or missing events, or the simplest that removes nine tenths as many
///    ([`NEARLY`]), if it leaves fewer than the original scores, its loss is significantly smaller, and it does not add to a
///    significant error of all rows. Where the other rows are off, too, events are not compared with those of the original scores:
///    scores that are too extreme are right on average, and their excess and missing events cancel.
///
/// Where nothing is significant, only a candidate whose loss is significantly smaller than that of the scores, adjusted
/// for the number of candidates, is recommended; if the one with the smallest loss is none of them, the scores are left
/// unchanged.
///
/// * `evaluated`: the simplest first, the original scores at the head
/// * `chance`: nothing was found off beyond chance
/// * `rest_off`: the rows outside the listed subgroups are off, too
pub(super) fn choose(evaluated: &[&Evaluated], chance: bool, rest_off: bool) -> Choice {
    let why_not: Vec<Option<String>> = evaluated.iter().map(|one| one.why_not()).collect();
    let may = |place: usize| why_not.get(place).is_none_or(Option::is_none);
    let each = evaluated.iter().enumerate();
    let found: Vec<Option<&Performance>> = each.map(|(k, one)| one.found.as_ref().ok().filter(|_| may(k))).collect();
    let of = |place: usize| found.get(place).copied().flatten();
    let places = || (0..found.len()).filter(|&place| of(place).is_some());
    let loss = |place: usize| of(place).map_or(f64::INFINITY, |one| one.nll);
    let among_best = vec![false; evaluated.len()];
    let mut choice = Choice { among_best, why_not: why_not.clone(), ..Choice::default() };
    let Some(best) = places().min_by(|&a, &b| loss(a).total_cmp(&loss(b))) else { return choice };
    for place in places() {
        if let (Some(one), Some(best)) = (of(place), of(best)) {
            let more = difference(one, best);
            choice.among_best[place] = more.mean <= more.standard_error;
        }
    }
    // an overall error that the finding states has to be corrected, too
    let off = !chance && of(0).is_some_and(Performance::is_off_on_average);
    let leaves_errors = |one: &Performance| one.leaves_miscalibrated() || off && one.is_off_on_average();
    let recalibrates = |place: &usize| of(*place).is_some_and(|one| !leaves_errors(one));
    let z = normal_above(0.025 / places().count().saturating_sub(1).max(1) as f64);
    let is_gain = |place: usize| {
        let gain = of(place).map(Performance::nll_less).unwrap_or_default();
        gain.mean + z * gain.standard_error < 0.0
    };
    let any_better = places().any(|place| place > 0 && of(place).is_some_and(Performance::is_better));
    let gains = |place: usize| of(place).is_some_and(|one| one.nll_less().mean < 0.0);
    let may_gain = |place: &usize| match chance {
        true => !is_gain(best) || is_gain(*place),
        false => *place == 0 || !any_better || gains(*place),
    };
    let among: Vec<usize> = places().filter(|&place| choice.among_best[place]).filter(may_gain).collect();
    choice.recalibrates = among.iter().any(recalibrates);
    if chance && !is_gain(best) {
        return Choice { place: 0, ..choice };
    }
    let events = |place: usize| of(place).map_or(f64::INFINITY, Performance::excess_events);
    // What leaves errors, or makes others, must at least be better beyond chance, and not add to an overall error that is stated.
    let mean_error = |place: usize| of(place).map_or(0.0, |one| one.error.mean.abs());
    let better = |place: &usize| {
        let adds = off && mean_error(*place) > mean_error(0);
        *place == 0 || !adds && of(*place).is_some_and(Performance::is_better)
    };
    let better: Vec<usize> = among.iter().copied().filter(better).collect();
    // the original scores, where no other leaves fewer; what is wrong with the other rows shows in the loss
    let original = Some(0).filter(|_| !rest_off || better.is_empty());
    let least = original.iter().chain(&better).copied().reduce(|a, b| if events(b) < events(a) { b } else { a });
    let simplest = |least: usize| {
        let most = events(least) + NEARLY * (events(0) - events(least)).max(0.0);
        better.iter().copied().find(|place| events(*place) <= most).unwrap_or(least)
    };
    // original scores that leave the fewest are kept
    let least = least.map(|least| if least == 0 { least } else { simplest(least) });
    // Where no subgroup was named, all rows are the rest: only doing nothing leaves it alone.
    let keeps =
        |place: &usize| !rest_off && recalibrates(place) && of(*place).is_some_and(Performance::leaves_the_rest);
    let alone = among.iter().copied().find(keeps);
    choice.place = alone.or(among.iter().copied().find(recalibrates)).or(least).unwrap_or(0);
    choice
}

/// The loss of `one` less that of `other`, row by row.
fn difference(one: &Performance, other: &Performance) -> Change {
    let both = one.nll_change.iter().zip(other.nll_change.iter());
    let differences: Vec<f64> = both.map(|(a, b)| a - b).collect();
    one.mean_of(&differences)
}
