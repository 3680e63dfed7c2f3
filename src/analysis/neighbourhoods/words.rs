//! The list as a sheet: what may be told of places whose centers are rows.

use std::collections::BTreeMap;

use super::{MapSearch, ReportedNeighbourhood};
use crate::data::View;
use crate::local::Neighborhood;
use crate::report::disclosure::{Basis, Stated};
use crate::report::gap::gap_words;
use crate::report::sheet::{Block, Cell, Sheet, SheetTable, Tone};
use crate::report::small_cells::Overlaps;
use crate::report::verdict::{Finding, LEVEL, Verdict};
use crate::words::number::{count, p_digits, percent, points, significant};

/// Values of a coordinate that can be counted in its mean: no more distinct ones.
const FEW: usize = 5;

/// A neighborhood in every form: as it was found, as it is reported, and what distinguishes its rows.
pub(super) struct Listed<'a> {
    pub(super) found: &'a Neighborhood,
    pub(super) reported: &'a ReportedNeighbourhood,
    pub(super) who: &'a Stated<String>,
}

/// The neighborhoods in a table, each named by the mean coordinates of the rows nearest its center; what distinguishes
/// those rows is in the last column.
///
/// A line tells the number of its rows and of those with the outcome, so it is withheld where these are few, or where
/// what they leave of another line is ([`Overlaps`]). Its error is a statistic of as many rows as it has effective
/// neighbors, or more.
///
/// * `about`: the headline, and what it is about
pub(super) fn sheet(
    view: View,
    looked: &MapSearch,
    listed: &[Listed],
    about: (&str, &Verdict),
    notes: &[String],
) -> Sheet {
    let inside = |one: &Listed| {
        let mut inside = vec![false; looked.rows.len()];
        for i in &one.found.heart {
            if let Some(inside) = inside.get_mut(*i as usize) {
                *inside = true;
            }
        }
        inside
    };
    let of = Overlaps::of(&listed.iter().map(inside).collect::<Vec<_>>(), &looked.target, None);
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    for (place, one) in listed.iter().enumerate() {
        let means = means(looked, &one.found.heart);
        let n_eff = looked.places.n_eff.get(one.found.place).copied().unwrap_or_default();
        lines.push(Basis::all_of([
            Basis::Picked { of: of.clone(), place },
            Basis::Statistic(n_eff as u64),
            means.basis,
        ]));
        rows.push(line(looked, one, means.what, n_eff));
    }
    let (predicted, observed) = view.columns();
    let events = match view {
        View::TopLabel => "#Correct",
        View::Positive => "#Events",
    };
    let mut table = SheetTable::new(
        "Neighborhoods with the largest errors relative to their standard errors",
        &[
            "Mean of the rows nearest the center",
            "#Error (simultaneous 95% CI)",
            predicted,
            observed,
            "#Rows nearest the center",
            events,
            "#Effective neighbors",
            "#Adjusted p",
            "#Adjusted p, same confidence elsewhere",
            "Distinguished by",
        ],
    );
    table.rows = rows;
    let described = Basis::all_of(listed.iter().map(|one| one.who.basis.clone()));
    let mut columns = vec![Basis::Setting; table.columns.len().saturating_sub(2)];
    columns.push(described.clone());
    // claimed or not, the place with the smallest p-value is named; why there is no test names none
    let (reading, verdict) = about;
    let of_reading = match verdict.finding {
        Finding::Untested => Basis::AllRows,
        Finding::Beyond | Finding::Chance => Basis::all_of(lines.iter().cloned().chain([described])),
    };
    let mut blocks = vec![Block::Reading(reading.to_owned()).of(of_reading)];
    if !listed.is_empty() {
        blocks.push(Block::Table(table).of(Basis::Grid { lines, columns }));
    }
    let with_outcome = looked.target.iter().filter(|target| **target == 1).count();
    let (all, events) = looked.scored;
    let without_place = Basis::share(all.saturating_sub(looked.rows.len()), events.saturating_sub(with_outcome));
    blocks.extend(notes.iter().map(|note| {
        let counts = looked.left_out.as_ref() == Some(note);
        Block::Note(note.clone()).of(if counts { without_place.clone() } else { Basis::AllRows })
    }));
    Sheet::new(Vec::new(), blocks)
}

fn line(looked: &MapSearch, one: &Listed, means: String, n_eff: f64) -> Vec<Cell> {
    let Listed { found, reported, who } = one;
    let gap = reported.gap;
    let score = looked.places.score.get(found.place).copied().unwrap_or(f64::NAN);
    let interval = reported.interval.map(|end| end.unwrap_or(f64::NAN));
    let error = if interval.iter().any(|end| end.is_nan()) { points(gap) } else { gap_words(gap, interval) };
    let of_heart = |i: &&u32| looked.target.get(**i as usize) == Some(&1);
    let events = found.heart.iter().filter(of_heart).count();
    let p = |p: f64| if p.is_nan() { Cell::from("not tested") } else { Cell::number(p_digits(p), p) };
    let tone = Tone::of_error(gap, reported.p <= LEVEL);
    vec![
        Cell::from(means),
        Cell::number(error, gap).toned(tone),
        Cell::number(percent(score), score),
        Cell::number(percent(score - gap), score - gap),
        Cell::number(count(found.heart.len() as u64), found.heart.len() as f64),
        Cell::number(count(events as u64), events as f64),
        Cell::number(significant(n_eff), n_eff),
        p(reported.p),
        p(reported.p_local),
        Cell::from(who.what.clone()),
    ]
}

/// "age 27.3 and priors 3.2": mean drawn coordinates of some rows; of a coordinate of few distinct values, the rows of
/// each could be counted from its mean.
fn means(looked: &MapSearch, heart: &[u32]) -> Stated<String> {
    let axes = if looked.names[0] == looked.names[1] { 1 } else { 2 };
    let n = heart.len().max(1) as f64;
    let mut bases = vec![Basis::Statistic(heart.len() as u64)];
    let mut words = Vec::new();
    for (axis, name) in looked.names.iter().enumerate().take(axes) {
        let at = |i: usize| looked.drawn.get(2 * i + axis).copied().unwrap_or(f64::NAN);
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        for i in 0..looked.rows.len() {
            counts.entry(at(i).to_bits()).or_default();
            if counts.len() > FEW {
                break;
            }
        }
        if counts.len() <= FEW {
            for i in heart {
                *counts.entry(at(*i as usize).to_bits()).or_default() += 1;
            }
            bases.extend(counts.values().map(|count| Basis::share(heart.len(), *count)));
        }
        let mean = heart.iter().map(|i| at(*i as usize)).sum::<f64>() / n;
        words.push(format!("{name} {}", significant(mean)));
    }
    Stated::new(words.join(" and "), Basis::all_of(bases))
}
