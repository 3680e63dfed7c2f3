//! What cannot be known from the file, and what the numbers do not carry.

use std::collections::HashSet;

use super::{Shown, Told};
use crate::data::{Division, Role, View};
use crate::document::Piece;
use crate::error::Result;
use crate::report::disclosure::Basis;
use crate::report::export::row_id;
use crate::words::number::count;

/// Fewer rows with or without the outcome than this make curves and slopes unsteady.
const FEW: usize = 100;

pub(super) fn pieces(shown: &Shown) -> Result<Vec<Told>> {
    let rows = shown.base()?;
    let n = rows.target.len();
    let events = rows.target.iter().filter(|target| **target == 1).count();
    let mut limits = vec![
        "How rows came into the file, how outcomes were determined, and what the model was built on cannot be known \
         from it: \
         the numbers hold for rows like these."
            .to_owned(),
    ];
    let fewer = events.min(n - events);
    if fewer < FEW {
        let what = match (shown.data.view, events <= n - events) {
            (View::Positive, true) => "with the outcome",
            (View::Positive, false) => "without the outcome",
            (View::TopLabel, true) => "in which the predicted class is right",
            (View::TopLabel, false) => "in which it is wrong",
        };
        limits.push(format!(
            "Small numbers: only {} rows {what}. Below about {FEW} curve and slope are unsteady; the intervals say \
             how much.",
            crate::report::small_cells::shown(fewer as u64, shown.least())
        ));
    }
    match &shown.data.division {
        Division::Folds { .. } | Division::Half if shown.repairs().next().is_some() => limits.push(
            "Repairs were fitted and judged on the same cohort: how they do at another place or time was not tested."
                .to_owned(),
        ),
        _ => (),
    }
    let mut basis = vec![Basis::AllRows; limits.len()];
    if let Some(why) = &shown.request.without_finding {
        limits.push(format!("For whom scores are off was not looked at: {why}"));
        // the reason may be a message that counts rows
        basis.push(Basis::Unknown);
    }
    if let Some(words) = repeated(shown) {
        limits.push(words);
    }
    if shown.data.weights.is_some() {
        limits.push("Rows are weighted; what counts every row once says so.".to_owned());
    }
    limits.push(
        "What chance explains is not told as a finding; what was not found may still be there where rows are few."
            .to_owned(),
    );
    basis.resize(limits.len(), Basis::AllRows);
    Ok(vec![Told::new(Piece::List(limits), Basis::Lines(basis))])
}

/// Rows of the same id are no independent rows.
fn repeated(shown: &Shown) -> Option<String> {
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
        "{} repeats: {} rows of {} ids. Intervals and tests take rows for independent; here they are too sure.",
        column.name,
        count(shown.data.rows as u64),
        count(ids.len() as u64)
    ))
}
