//! What is told of analyses that count every row once where the data has sample weights.

use crate::job::request::ChartRequest;
use crate::job::{Call, Job, Outcome};
use crate::plot::figure::Figure;
use crate::report::sheet::{Block, Sheet};
use crate::report::view::Fact;

/// Adds to what an analysis shows that it does not use the weights in the data's column, where that is so.
pub(super) fn tell_of_weights(job: &Job, needs: &[&Outcome], outcome: &mut Outcome) {
    let column = needs.iter().find_map(|need| match need {
        Outcome::Data { predictions, .. } => predictions.weights.as_ref(),
        _ => None,
    });
    let Some(column) = column.map(|weights| &weights.column) else {
        return;
    };
    let words = || format!("Every row counts once here: the sample weights in {column} are not used.");
    let sheet: &mut Sheet = match outcome {
        Outcome::Klce(found) => &mut found.sheet,
        Outcome::Libraries(found) => &mut found.sheet,
        Outcome::Decide(found) => &mut found.sheet,
        Outcome::Groups(found) => &mut found.sheet,
        Outcome::Witness(found) => &mut found.sheet,
        Outcome::BiasPlot(found) => &mut found.sheet,
        Outcome::Inference(found) => &mut found.sheet,
        Outcome::ProximitySheet(found) => &mut found.sheet,
        Outcome::ProximitySweepSheet(found) => &mut found.sheet,
        Outcome::Sweep(found) => return found.notes.push(words()),
        Outcome::Neighbourhoods(found) => return found.notes.push(words()),
        Outcome::Region(found) => {
            return found
                .facts
                .push(Fact { name: "rows".to_owned(), value: format!("counted once, {column} is not used") });
        }
        Outcome::View(found) => {
            if let Job::Call(Call::View { request }) = job
                && !matches!(request, ChartRequest::Reliability { .. })
            {
                found.notes.push(words());
                told_beneath(&mut found.figure, &words());
            }
            return;
        }
        _ => return,
    };
    // After the finding: it is about how to read it.
    let place = sheet.blocks.len().min(1);
    sheet.blocks.insert(place, Block::Note(words()));
}

/// A figure travels alone: its caption says it too.
fn told_beneath(figure: &mut Figure, words: &str) {
    let gap = if figure.caption.is_empty() { "" } else { " " };
    figure.caption += &format!("{gap}{words}");
}
