//! What cannot be known from the file, and what the numbers do not carry.

use std::collections::HashSet;

use super::{DocumentInput, StatedPiece};
use crate::data::possible_leakage::possible_leakage_sentence;
use crate::data::{Division, Role, View};
use crate::error::Result;
use crate::markup::Piece;
use crate::report::disclosure::Basis;
use crate::report::row_names::row_id;
use crate::report::small_cells::count_or_small;
use crate::words::number::count;

/// Fewer rows with or without the outcome than this make curves and slopes unsteady.
const FEW: usize = 100;

pub(super) fn pieces(shown: &DocumentInput) -> Result<Vec<StatedPiece>> {
    let rows = shown.base()?;
    let n = rows.target.len();
    let events = rows.target.iter().filter(|target| **target == 1).count();
    let mut limits = vec![
        "Sampling, outcome ascertainment and the data used for model development cannot be determined from the file. Results \
         apply to similar rows."
            .to_owned(),
    ];
    limits.extend(shown.data.converted_score());
    limits.extend(possible_leakage_sentence(&shown.data.possible_leakage()));
    limits.extend(shown.data.about_weights_by_outcome());
    limits.extend(shown.data.follow_up());
    let fewer = events.min(n - events);
    if fewer < FEW {
        let what = match (shown.data.view, events <= n - events) {
            (View::Positive, true) => "with the outcome",
            (View::Positive, false) => "without the outcome",
            (View::TopLabel, true) => "with a correct prediction",
            (View::TopLabel, false) => "with an incorrect prediction",
        };
        let least = shown.least();
        let rows = match least.is_none() && fewer == 1 {
            true => "row",
            false => "rows",
        };
        limits.push(format!(
            "Small sample: {} {rows} {what}. Below about {FEW}, the calibration curve and slope are imprecise, as their intervals \
             show.",
            count_or_small(fewer as u64, least)
        ));
    }
    match &shown.data.division {
        Division::Folds { .. } | Division::Half if shown.recalibrations().next().is_some() => limits.push(
            "Recalibration methods were fitted and evaluated in the same cohort; performance at other sites or times was not tested."
                .to_owned(),
        ),
        _ => (),
    }
    let mut basis = vec![Basis::AllRows; limits.len()];
    if let Some(why) = &shown.request.without_finding {
        limits.push(format!("Subgroups were not tested: {why}"));
        // the reason may be a message that counts rows
        basis.push(Basis::Unknown);
    }
    if let Some(words) = repeated(shown) {
        limits.push(words);
    }
    if let Some(clusters) = shown.data.clusters.as_ref().filter(|clusters| clusters.are_few()) {
        limits.push(format!(
            "With {} clusters ({}), tests and intervals are approximate.",
            count_or_small(clusters.count as u64, shown.least()),
            clusters.column
        ));
    }
    if shown.data.weights.is_some() {
        limits.push(
            "Metrics, their intervals, recalibrations, the subgroups found and calibration over time use the sample weights; \
             groups that were chosen, maps and other tests count every row once. Net benefit is not defined with weights."
                .to_owned(),
        );
    }
    limits.push(
        "Differences consistent with chance are not reported. Miscalibration of small subgroups may be undetected."
            .to_owned(),
    );
    basis.resize(limits.len(), Basis::AllRows);
    // marks of names, which messages have
    limits.iter_mut().for_each(|words| words.retain(|letter| letter != '`'));
    Ok(vec![StatedPiece::new(Piece::List(limits), Basis::Lines(basis))])
}

/// Rows of the same id are no independent rows: they are treated as such where there are no clusters.
fn repeated(shown: &DocumentInput) -> Option<String> {
    if shown.data.clusters.is_some() {
        return None;
    }
    let column = shown.data.roles.iter().find(|column| column.role == Role::Id)?;
    let mut ids = HashSet::new();
    (0..shown.data.rows).for_each(|row| {
        ids.insert(row_id(shown.data, row));
    });
    if ids.len() == shown.data.rows || shown.least().is_some_and(|least| (shown.data.rows - ids.len()) < least as usize)
    {
        return None;
    }
    Some(format!(
        "{} repeats: {} rows with {} ids. Intervals and tests treat rows as independent; with repeated rows, intervals are too narrow and p-values too small.",
        column.name,
        count(shown.data.rows as u64),
        count(ids.len() as u64)
    ))
}
