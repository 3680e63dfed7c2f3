//! For whom: the slices that were named, before and after the repair that is advised.

use crate::evaluation::method::MethodSpec;
use serde::Deserialize;

use super::{PAGE, Shown};
use crate::analysis::finding::{FindingOutcome, PartName};
use crate::analysis::show::HasCharts;
use crate::data::View;
use crate::document::Piece;
use crate::document::suppress::left_out_of_picked;
use crate::error::Result;
use crate::plot::chart::Screen;
use crate::plot::figure::Figure;
use crate::report::sheet::{Block, Cell, SheetTable, Tone};
use crate::report::verdict::p_words;
use crate::words::number::{count, fixed, percent};

/// A slice after the repair, as the advice tells it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Mended {
    description: String,
    after: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

/// What is said where the finding is about few rows.
pub(super) fn left_out_words(shown: &Shown) -> String {
    let least = shown.least().unwrap_or_default();
    format!(
        "The finding is not told here: it is about fewer than {least} rows, or fewer than {least} with or without \
         the outcome."
    )
}

/// Whether a slice that was named, or what it leaves of the rows, is of few rows.
pub(super) fn tells_of_few(shown: &Shown) -> Result<bool> {
    Ok(few(shown)?.contains(&true))
}

/// One flag a named slice.
fn few(shown: &Shown) -> Result<Vec<bool>> {
    let (Some(found), Some(least)) = (shown.finding, shown.least()) else {
        return Ok(vec![false; shown.finding.map_or(0, |found| found.whom.len())]);
    };
    let rows = shown.base()?;
    let mut picked = Vec::new();
    for whom in &found.whom {
        let mask = whom.slice().rows(shown.data)?;
        picked.push(rows.rows.iter().map(|row| mask.get(*row as usize) == Some(&true)).collect());
    }
    Ok(left_out_of_picked(&picked, &rows.target, least))
}

pub(super) fn pieces(shown: &Shown) -> Result<Vec<Piece>> {
    let Some(found) = shown.finding else { return Ok(Vec::new()) };
    let few = few(shown)?;
    let any_few = few.contains(&true);
    let mut pieces = Vec::new();
    // the summary has said it where there is one
    let summary = shown.request.sections.as_ref().is_none_or(|parts| parts.contains(&crate::document::Part::Summary));
    let said = format!("{} {}", found.sentence, found.rest.sentence);
    let heading = part(found, PartName::Whom).map(|part| part.heading.clone());
    if !any_few && let Some(heading) = heading.filter(|heading| !(summary && said.contains(heading.as_str()))) {
        pieces.push(Piece::Text(heading));
    }
    if !found.whom.is_empty() {
        pieces.push(Piece::Table(table(shown, found, &few)));
        if any_few {
            pieces.push(Piece::Note(left_out_words(shown)));
        } else if let Some(figure) = figure(found, PartName::Whom, PAGE) {
            pieces.push(Piece::Figures(vec![figure]));
        }
    }
    if !summary && !found.rest.sentence.is_empty() {
        pieces.push(Piece::Note(found.rest.sentence.clone()));
    }
    if let Some(advice) = found.advice.as_ref().filter(|advice| !summary && !any_few && !advice.sentence.is_empty()) {
        pieces.push(Piece::Heading("What to do".to_owned()));
        pieces.push(Piece::Text(advice.sentence.clone()));
    }
    Ok(pieces)
}

fn part(found: &FindingOutcome, name: PartName) -> Option<&crate::analysis::finding::Part> {
    found.parts.iter().find(|part| part.id == name && !part.heading.is_empty())
}

/// The first chart of a part of the finding, in a column of this width.
pub(super) fn figure(found: &FindingOutcome, name: PartName, width: f64) -> Option<Figure> {
    let mut drawn = found.clone();
    drawn.draw(&Screen::of_width(Some(width)));
    let blocks = drawn.parts.into_iter().find(|part| part.id == name)?.blocks;
    blocks.into_iter().find_map(|block| match block {
        Block::Figures(figures) => figures.into_iter().next(),
        _ => None,
    })
}

fn table(shown: &Shown, found: &FindingOutcome, few: &[bool]) -> SheetTable {
    let advised = found.advice.as_ref().filter(|advice| advice.method != MethodSpec::Id("none".to_owned()));
    let written = advised.and_then(|advice| serde_json::to_value(advice).ok());
    let mended: Vec<Mended> =
        written.and_then(|mut advice| serde_json::from_value(advice.get_mut("whom")?.take()).ok()).unwrap_or_default();
    let happened = match shown.data.view {
        View::Positive => "#Happened",
        View::TopLabel => "#Right",
    };
    let after = advised.map(|advice| format!("#Gap after {}", advice.title));
    let with_mended = found.whom.iter().any(|whom| whom.mended.is_some());
    let mut heads = vec!["Who", "#Rows", "#Says", happened, "#Gap, points", "#p"];
    if with_mended {
        heads.insert(3, "#Says once mended overall");
    }
    if let Some(after) = after.as_deref().filter(|_| !mended.is_empty()) {
        heads.push(after);
    }
    let mut table =
        SheetTable::new("Off beyond chance; gap: what it says less what happened, with 95 % interval", &heads);
    for (whom, few) in found.whom.iter().zip(few) {
        if *few {
            let dash = || Cell { text: "–".to_owned(), tone: Tone::Muted, ..Cell::default() };
            let mut row: Vec<Cell> = heads.iter().map(|_| dash()).collect();
            if let Some(first) = row.first_mut() {
                *first = Cell::from("left out");
            }
            table.rows.push(row);
            continue;
        }
        let points = |v: f64| fixed(100.0 * v, 1);
        let between = |low: f64, high: f64| format!("{} … {}", points(low), points(high));
        let tone = if whom.gap > 0.0 { Tone::Over } else { Tone::Under };
        let side = if whom.gap > 0.0 { "▲ too high" } else { "▼ too low" };
        let mut row = vec![
            Cell::from(whom.description.clone()).with_beneath(side),
            Cell::number(count(whom.rows as u64), whom.rows as f64),
            Cell::number(percent(whom.says), whom.says),
            Cell::number(percent(whom.happened), whom.happened),
            Cell::number(points(whom.gap), whom.gap).toned(tone).with_beneath(between(whom.low, whom.high)),
            Cell::number(p_words(whom.p).trim_start_matches("p\u{a0}=\u{a0}").trim_start_matches("p\u{a0}"), whom.p),
        ];
        if with_mended {
            row.insert(3, whom.mended.map_or_else(Cell::default, |v| Cell::number(percent(v), v)));
        }
        if heads.len() > row.len() {
            let after = mended.iter().find(|after| after.description == whom.description);
            row.push(match after.and_then(|found| Some((found.after?, found.low, found.high))) {
                Some((after, low, high)) => {
                    let ends = low.zip(high).map_or_else(String::new, |(low, high)| between(low, high));
                    Cell::number(points(after), after).with_beneath(ends)
                }
                None => Cell::from("–").toned(Tone::Muted),
            });
        }
        table.rows.push(row);
    }
    table
}
