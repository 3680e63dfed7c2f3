//! Subgroups that were detected, before and after the recommended recalibration.

use crate::evaluation::method::MethodSpec;

use super::{DocumentInput, NARROW, StatedPiece};
use crate::analysis::finding::{
    Advice, ClassError, FindingOutcome, PartName, RecalibratedSubgroup, error_name, of_subgroups, p_of_scan,
};
use crate::analysis::show::HasCharts;
use crate::data::subgroup::Subgroup;
use crate::error::Result;
use crate::markup::Piece;
use crate::plot::chart::Screen;
use crate::plot::figure::Figure;
use crate::plot::intervals::{Counted, IntervalChart, IntervalRow, intervals, names_fit};
use crate::plot::row_labels::common_column;
use crate::report::disclosure::{Basis, Stated};
use crate::report::sheet::{Block, Cell, SheetTable, Tone};
use crate::report::small_cells::is_small;
use crate::scan::REDRAWS;
use crate::words::number::{count, fixed_hundredfold, percent};
use crate::words::text::{capitalized, enumerated};

/// What the sentences of the finding are computed from: from all rows, from those of every subgroup that was named, and, where
/// they are many, from those without an outcome.
pub(super) fn basis(shown: &DocumentInput) -> Result<Basis> {
    let of_rest = shown.finding.and_then(|found| found.rest.basis());
    let of_class = shown.finding.and_then(|found| found.class_error.as_ref()).map(ClassError::basis);
    let missing = shown.data.many_without_outcome().map(|rows| Basis::Count(rows as u64));
    let of_all = std::iter::once(Basis::AllRows).chain(missing);
    Ok(Basis::all_of(of_all.chain(subgroup_bases(shown)?).chain(of_rest).chain(of_class)))
}

/// What the numbers of every named subgroup are computed from; subgroups may overlap, and what one leaves of the rows counts, too.
fn subgroup_bases(shown: &DocumentInput) -> Result<Vec<Basis>> {
    let (Some(found), Some(_)) = (shown.finding, shown.least()) else {
        return Ok(vec![Basis::AllRows; shown.finding.map_or(0, |found| found.subgroups.len())]);
    };
    of_subgroups(&found.subgroups, shown.data, shown.run)
}

/// The recommendation; without the numbers of rows that it moves where these, those that stay, or those outside the named
/// subgroups are few.
pub(super) fn recommendation(shown: &DocumentInput, found: &FindingOutcome) -> Result<Option<String>> {
    let (Some(advice), Some(least)) = (&found.advice, shown.least()) else {
        return Ok(found.advice.as_ref().map(|advice| advice.sentence.clone()));
    };
    let listed = |description: &String| found.subgroups.iter().any(|subgroup| subgroup.description == *description);
    if !advice.stays_wrong.iter().all(|one| listed(&one.description)) {
        // it names subgroups whose rows are not stated
        return Ok(Some(format!("Recommended: {}.", advice.title)));
    }
    let rows = &shown.base()?.rows;
    let mut outside = vec![true; shown.data.rows];
    for subgroup in &found.subgroups {
        outside.iter_mut().zip(subgroup.inside(shown.data)?).for_each(|(outside, inside)| *outside &= !inside);
    }
    let outside = rows.iter().filter(|row| outside.get(**row as usize) == Some(&true)).count();
    let (up, down) = (advice.moves.up, advice.moves.down);
    let stay = rows.len().saturating_sub(up + down);
    let few = [up, down, stay, outside].into_iter().any(|rows| is_small(rows as u64, least));
    Ok(Some(if few { advice.without_moves() } else { advice.sentence.clone() }))
}

pub(super) fn pieces(shown: &DocumentInput) -> Result<Vec<StatedPiece>> {
    let Some(found) = shown.finding else { return Ok(Vec::new()) };
    let subgroup_bases = subgroup_bases(shown)?;
    let all = basis(shown)?;
    // the summary has said it where there is one
    let summary =
        shown.request.sections.as_ref().is_none_or(|parts| parts.contains(&crate::markup::ReportPart::Summary));
    let mut told = Vec::new();
    let heading = part(found, PartName::Subgroups).map(|part| part.heading.clone()).filter(|_| !summary);
    told.extend(heading.clone().map(|heading| StatedPiece::new(Piece::Text(heading), all.clone())));
    if !found.subgroups.is_empty() {
        let recalibrated = recalibrated_subgroups(found);
        let table =
            StatedPiece::new(Piece::Table(table(shown, found, &recalibrated)), Basis::Lines(subgroup_bases.clone()));
        told.push(StatedPiece::Beside(
            Box::new(Stated::new(gaps(found, &recalibrated), Basis::Lines(subgroup_bases))),
            vec![table],
        ));
    }
    if !summary {
        let said = heading.as_ref() == Some(&found.rest.sentence) || found.rest.sentence.is_empty();
        told.extend((!said).then(|| StatedPiece::new(Piece::Note(found.rest.sentence.clone()), all.clone())));
        if let Some(advice) = recommendation(shown, found)?.filter(|sentence| !sentence.is_empty()) {
            told.push(StatedPiece::setting(Piece::Heading("Recommendation".to_owned())));
            told.push(StatedPiece::new(Piece::Text(advice), all));
        }
    }
    Ok(told)
}

fn part(found: &FindingOutcome, name: PartName) -> Option<&crate::analysis::finding::FindingPart> {
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

/// The recommended recalibration, unless the original predictions are recommended.
pub(super) fn advised(found: &FindingOutcome) -> Option<&Advice> {
    found.advice.as_ref().filter(|advice| advice.method != MethodSpec::Id("none".to_owned()))
}

/// The detected subgroups after the recommended recalibration.
fn recalibrated_subgroups(found: &FindingOutcome) -> Vec<&RecalibratedSubgroup> {
    let recalibrated = advised(found).map(|advice| advice.subgroups.as_slice()).unwrap_or_default();
    (found.subgroups.iter())
        .filter_map(|subgroup| recalibrated.iter().find(|after| after.description == subgroup.description))
        .collect()
}

/// How the subgroups are called in the chart beside their table, where no name is cut off.
enum Called<'a> {
    /// the only one is named by the table
    Alone,
    /// by their names, or, where all are values of one column, by these values
    Names(Vec<&'a str>),
    /// by the numbers of their lines in the table
    Numbers,
}

impl<'a> Called<'a> {
    fn of(found: &'a FindingOutcome) -> Self {
        let whole: Vec<&str> = found.subgroups.iter().map(|subgroup| subgroup.description.as_str()).collect();
        let fit = |names: &[&str]| names_fit(names.iter().copied(), NARROW);
        let values = common_column(&whole).map(|(_, values)| values);
        match values {
            _ if whole.len() == 1 => Self::Alone,
            _ if fit(&whole) => Self::Names(whole),
            Some(values) if fit(&values) => Self::Names(values),
            _ => Self::Numbers,
        }
    }

    fn name(&self, place: usize) -> String {
        match self {
            Self::Alone => "original".to_owned(),
            Self::Names(names) => names.get(place).map_or_else(String::new, |name| (*name).to_owned()),
            Self::Numbers => format!("Subgroup {}", place + 1),
        }
    }

    /// The same in a list of several: "1".
    fn reference(&self, place: usize) -> String {
        if matches!(self, Self::Numbers) { (place + 1).to_string() } else { self.name(place) }
    }

    fn in_caption(&self) -> &'static str {
        if matches!(self, Self::Numbers) { " Numbers are those of the subgroups in the table." } else { "" }
    }
}

/// The gap of every detected subgroup with its interval, and beneath it that after recalibration.
fn gaps(found: &FindingOutcome, recalibrated: &[&RecalibratedSubgroup]) -> Figure {
    let row = |name: String, value: f64, low: f64, high: f64| IntervalRow {
        name,
        value,
        low,
        high,
        together: None,
        faint: low <= 0.0 && high >= 0.0,
        more: Vec::new(),
    };
    let called = Called::of(found);
    let mut rows = Vec::new();
    for (place, subgroup) in found.subgroups.iter().enumerate() {
        let [error, low, high] = subgroup.error();
        rows.push(row(called.name(place), error, low, high));
        let after = recalibrated.iter().find(|after| after.description == subgroup.description);
        rows.extend(after.map(|after| row("recalibrated".to_owned(), after.after, after.low, after.high)));
    }
    let hollow = rows.iter().any(|row| row.faint);
    let chart = IntervalChart {
        rows,
        value_name: "error".to_owned(),
        counted: Counted::Points,
        signed: true,
        compares: false,
        title: String::new(),
        caption: format!(
            "{}, 95% CI{}{}",
            capitalized(error_name(&found.subgroups)),
            if hollow { "; hollow: the interval includes 0." } else { "." },
            called.in_caption()
        ),
    };
    intervals(&chart, NARROW)
}

/// " (1, 2 and 4)": which of the listed subgroups a recalibration shifts, where it does not shift all of them.
fn shifted(advice: &Advice, found: &FindingOutcome, called: &Called) -> String {
    let MethodSpec::Named { parameters, .. } = &advice.method else { return String::new() };
    let slices =
        parameters.get("slices").and_then(|slices| serde_json::from_value::<Vec<Subgroup>>(slices.clone()).ok());
    let Some(slices) = slices else { return String::new() };
    let is_shifted = |description: &str| slices.iter().any(|one| one.description() == description);
    let listed = found.subgroups.iter().enumerate().filter(|(_, one)| is_shifted(&one.description));
    let names: Vec<String> = listed.map(|(place, _)| called.reference(place)).collect();
    match names.len() < found.subgroups.len() && names.len() > 1 {
        true => format!(" ({})", enumerated(names)),
        false => String::new(),
    }
}

/// The mark before an error.
fn side_of(tone: Tone) -> &'static str {
    match tone {
        Tone::Over => "▲\u{a0}",
        Tone::Under => "▼\u{a0}",
        _ => "",
    }
}

fn table(shown: &DocumentInput, found: &FindingOutcome, recalibrated: &[&RecalibratedSubgroup]) -> SheetTable {
    let (predicted, observed) = shown.data.view.columns();
    let with_recalibrated = found.subgroups.iter().any(|subgroup| subgroup.recalibrated.is_some());
    let error = format!("#{} (95% CI), pp", capitalized(error_name(&found.subgroups)));
    let mut heads = vec!["Subgroup", "#n", predicted, observed, &error];
    if with_recalibrated {
        heads.insert(3, "#Recalibrated overall");
    }
    let recommended = advised(found).filter(|_| !recalibrated.is_empty());
    heads.extend(recommended.map(|_| "#Corrected error, recommended method"));
    let called = Called::of(found);
    let of = recommended.map_or_else(String::new, |advice| {
        format!("; recalibration: {}{}", advice.title, shifted(advice, found, &called))
    });
    let caption = format!(
        "Significantly miscalibrated subgroups; ▲ overestimated, ▼ underestimated, neither where the interval includes 0; \
             p-values are adjusted, ≤ where {REDRAWS} simulations allow no smaller one{of}"
    );
    let mut table = SheetTable::new(caption, &heads);
    for (place, subgroup) in found.subgroups.iter().enumerate() {
        let points = |v: f64| fixed_hundredfold(v, 1);
        let between = |low: f64, high: f64| format!("{} to {}", points(low), points(high));
        let [error, low, high] = subgroup.error();
        let tone = Tone::of_error(error, !subgroup.is_of_uncertain_size());
        let who = match called {
            Called::Numbers => format!("{}. {}", called.reference(place), subgroup.description),
            _ => subgroup.description.clone(),
        };
        let mut row = vec![
            Cell::from(who).with_beneath(p_of_scan(subgroup.p)),
            Cell::number(count(subgroup.rows as u64), subgroup.rows as f64),
            Cell::number(percent(subgroup.predicted), subgroup.predicted),
            Cell::number(percent(subgroup.observed), subgroup.observed),
            Cell::number(format!("{}{}", side_of(tone), points(error)), error)
                .toned(tone)
                .with_beneath(between(low, high)),
        ];
        if with_recalibrated {
            row.insert(3, subgroup.recalibrated.map_or_else(Cell::default, |v| Cell::number(percent(v), v)));
        }
        if heads.len() > row.len() {
            let after = recalibrated.iter().find(|after| after.description == subgroup.description);
            row.push(match after {
                Some(one) => {
                    let tone = Tone::of_error(one.after, one.low > 0.0 || one.high < 0.0);
                    let text = format!("{}{}", side_of(tone), points(one.after));
                    Cell::number(text, one.after).toned(tone).with_beneath(between(one.low, one.high))
                }
                None => Cell::from("–").toned(Tone::Muted),
            });
        }
        table.rows.push(row);
    }
    table
}
