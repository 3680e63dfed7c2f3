//! A region of the map: its rows, their calibration error, and the columns that distinguish them from the other rows.

pub(in crate::analysis) mod plan;
mod request;

pub use plan::LookAtRegion;
pub use request::RegionRequest;

use serde::Serialize;

use crate::analysis::groups::{Dependent, error_at};
use crate::data::ClusterIds;
use crate::data::{Predictions, View};
use crate::error::{Error, Result, phrases};
use crate::feature::no_test;
use crate::metric::gap::Gap;
use crate::num::order::sort;
use crate::plot::table::{Align, TextTable};
use crate::report::RunOutcome;
use crate::report::disclosure::{Basis, Stated};
use crate::report::export::rows_csv;
use crate::report::gap::{direction, gap_words};
use crate::report::mapped_rows::{MappedRows, feature_choice};
use crate::report::row_names::Names;
use crate::report::sheet::{Block, Sheet, SheetTable};
use crate::report::verdict::Verdict;
use crate::report::view::Fact;
use crate::report::view::method_rows;
use crate::report::view::request::MapRequest;
use crate::table::Column;
use crate::text::DistinctiveWord;
use crate::words::number::{count, percent, significant};
use crate::words::text::shortened;

mod difference;
mod texts;

pub use difference::{Difference, UNTOLD, differences, headline};
pub use texts::Texts;

/// Minimum number of texts that contain a word named in a headline.
pub const FEWEST_TEXTS: u32 = 3;
/// Characters of a text that a list shows.
const SHOWN: usize = 160;
/// Texts that are listed.
const LISTED: usize = 20;

/// What is known about a region.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegionOutcome {
    /// description of its rows in one line: "age 23 to 31 and race = African-American"
    pub headline: String,
    /// about its gap
    pub verdict: Verdict,
    /// statement on its calibration error
    pub reading: String,
    /// rows, shares, gap with interval
    pub facts: Vec<Fact>,
    /// columns whose distribution differs most from the other rows
    pub distinguished_by: TextTable,
    /// words that are more frequent in the texts of its rows than in the others, by their log-odds ratios with a Dirichlet prior;
    /// a description, not a test. None without a column of text
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<TextTable>,
    /// the texts of its rows, those most in error in the direction of its gap first, twenty at most; none without a column of
    /// text, and where identifiers are excluded
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<TextTable>,
    /// rows in the region
    pub n: usize,
    /// mean score − observed share of events
    pub gap: f64,
    /// ends of its 95 % interval
    pub interval: [f64; 2],
    /// rows of the data, from 0, ascending
    pub rows: Column<u32>,
    /// the same for a document, with what every value was computed from: without the texts, which are of single rows
    #[serde(skip_serializing_if = "Sheet::is_left_out")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub sheet: Sheet,
}

/// The region that was asked for, against the rest of the rows shown.
///
/// Its gap is the mean residual of its rows with the interval of [`Gap::interval`].
///
/// # Errors
/// Those of the map; `invalid_option` unless one of box, polygon and rows is given; `too_few_rows` for an empty region.
pub fn region(data: &Predictions, run: &RunOutcome, request: &RegionRequest) -> Result<RegionOutcome> {
    let mapped = MappedRows::new(data, run, &map_request(request))?;
    let inside = inside(&mapped, request)?;
    let ids = ClusterIds::of_rows(data, &mapped.rows);
    let dependent = Dependent::of_pairs(&mapped.score, &mapped.target, &ids);
    let [(here, p), (rest, _)] = [true, false].map(|wanted| {
        error_at((&mapped.score, &mapped.target), &positions(&inside, wanted), dependent.as_ref(), wanted)
    });
    let n = here.n as usize;
    if n == 0 {
        return Err(Error::new("too_few_rows", "No row is in this region.", phrases::AROUND_POINTS));
    }
    let found = differences(data, &mapped.rows, &inside);
    let interval = here.interval();
    let (predicted, observed) = data.view.terms();
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let shown = mapped.rows.len();
    let mut facts = vec![
        fact("rows", format!("{} ({} of those displayed)", count(n as u64), percent(n as f64 / shown as f64))),
        fact(predicted, percent(here.score)),
        fact(observed, percent(here.observed)),
        fact("error (95% CI)", gap_words(here.gap(), interval)),
    ];
    if rest.n > 0.0 {
        facts.push(fact("error elsewhere (95% CI)", gap_words(rest.gap(), rest.interval())));
    }
    facts.extend(mapped.left_out.as_ref().map(|said| fact("rows not on the map", said.clone())));
    let weights = data.weights.as_ref();
    facts.extend(weights.map(|weights| fact("rows", format!("unweighted; {} is not used", weights.column))));
    let mut columns = TextTable::new(&["Column", "Here", "Elsewhere", "#Difference"]);
    columns.rows = found.iter().map(Difference::cells).collect();
    let texts = Texts::of_rows(data, &mapped.rows);
    let rows = mapped.rows.iter().zip(&inside).filter(|(_, inside)| **inside);
    let choice = feature_choice(data, run, request.features.as_ref())?;
    let verdict = match no_test(data, &choice) {
        Some(why) => Verdict::untested("", Some(here.gap()), why),
        None => Verdict::by_p("", here.gap(), Some(p), "The region is empty"),
    };
    let who = if rest.n == 0.0 {
        Stated::setting("all displayed rows".to_owned())
    } else {
        match headline(data, &mapped.rows, &inside, &found) {
            who if who.what == UNTOLD => {
                let named = texts.as_ref().and_then(|texts| texts.named(&inside, FEWEST_TEXTS));
                // a word can be a name
                named.map_or(who, |(_, words)| Stated::new(words, Basis::Identifier))
            }
            who => who,
        }
    };
    let reading = reading(data.view, &verdict);
    let words = texts.map(|texts| words_table(&texts.distinctive(&inside)));
    let of_rows = basis(method_rows(run, request.method.as_deref())?.tally(), &[&here, &rest]);
    let report = RegionReport { reading: &reading, who: &who, facts: &facts, columns: &columns, words: words.as_ref() };
    Ok(RegionOutcome {
        sheet: sheet(&report, &found, &of_rows),
        reading,
        verdict,
        headline: who.what,
        words,
        texts: match Names::requested(request.identifiers) {
            Names::With => texts_table(data, &mapped, &inside, here.gap()),
            Names::Without => None,
        },
        facts,
        distinguished_by: columns,
        n,
        gap: here.gap(),
        interval,
        rows: rows.map(|(row, _)| *row).collect(),
    })
}

/// Content of the sheet of a region, beside the texts of its rows.
struct RegionReport<'a> {
    reading: &'a str,
    who: &'a Stated<String>,
    facts: &'a [Fact],
    columns: &'a TextTable,
    words: Option<&'a TextTable>,
}

/// Basis of the parts of all scored rows, each with its outcomes, and of the rows in none of them, which are not on the
/// map. Since the total is known, each part can be derived from the others; all are judged together.
fn basis(all: (usize, usize), parts: &[&Gap]) -> Basis {
    let counted = |part: &&Gap| (part.n as usize, part.events as usize);
    match Basis::of_parts(parts.iter().map(counted), all) {
        Basis::Lines(parts) => Basis::All(parts),
        basis => basis,
    }
}

/// The report of a region as a sheet; `of_rows`: what its numbers were computed from.
fn sheet(report: &RegionReport, found: &[Difference], of_rows: &Basis) -> Sheet {
    let with = |basis: &Basis| Basis::all_of([of_rows.clone(), basis.clone()]);
    let mut blocks = vec![
        Block::Reading(report.reading.to_owned()).of(of_rows.clone()),
        Block::Text(format!("Rows of the region: {}.", report.who.what)).of(with(&report.who.basis)),
        Block::Facts(report.facts.to_vec()).of(of_rows.clone()),
    ];
    if !found.is_empty() {
        let lines = found.iter().map(|one| with(&one.basis)).collect();
        let caption = "Columns that differ most from the other rows on the map";
        blocks.push(Block::Table(as_sheet_table(caption, report.columns)).of(Basis::Lines(lines)));
    }
    if let Some(words) = report.words.filter(|words| !words.rows.is_empty()) {
        let caption = "Distinctive words (a description, not a test)";
        blocks.push(Block::Table(as_sheet_table(caption, words)).of(Basis::Identifier));
    }
    Sheet::new(Vec::new(), blocks)
}

fn as_sheet_table(caption: &str, table: &TextTable) -> SheetTable {
    let number = |align: Align| if align == Align::End { "#" } else { "" };
    let titles: Vec<String> =
        table.columns.iter().map(|column| format!("{}{}", number(column.align), column.title)).collect();
    let mut written = SheetTable::new(caption, &titles.iter().map(String::as_str).collect::<Vec<_>>());
    written.rows = table.rows.iter().map(|row| row.iter().map(|text| text.as_str().into()).collect()).collect();
    written
}

/// Words with the shares of texts that contain them, and z.
fn words_table(found: &[DistinctiveWord]) -> TextTable {
    let mut words = TextTable::new(&["Word", "#Here", "#Elsewhere", "#z"]);
    let line =
        |one: &DistinctiveWord| vec![one.word.clone(), percent(one.here), percent(one.elsewhere), significant(one.z)];
    words.rows = found.iter().map(line).collect();
    words
}

/// The texts of the rows inside with their scores and outcomes.
fn texts_table(data: &Predictions, mapped: &MappedRows, inside: &[bool], gap: f64) -> Option<TextTable> {
    let column = data.text_column()?;
    let (score, outcome) = match data.view {
        View::TopLabel => ("#Confidence", "Correct"),
        View::Positive => ("#Predicted", "Observed"),
    };
    let sign = if gap < 0.0 { -1.0 } else { 1.0 };
    let row = |i: u32| -> Option<(u32, f64, u8)> {
        let i = i as usize;
        Some((*mapped.rows.get(i)?, *mapped.score.get(i)?, *mapped.target.get(i)?))
    };
    let mut rows: Vec<(u32, f64, u8)> = positions(inside, true).into_iter().filter_map(row).collect();
    let error = |(_, score, target): &(u32, f64, u8)| sign * (score - f64::from(*target));
    sort(&mut rows, &|a, b| error(b).total_cmp(&error(a)).then(a.0.cmp(&b.0)));
    let mut table = TextTable::new(&[&column.name, score, outcome]);
    let line = |(row, score, target): (u32, f64, u8)| {
        let text = shortened(data.text_of(row as usize)?, SHOWN);
        let outcome = match (data.view, target) {
            (View::TopLabel, 1) => "yes",
            (View::TopLabel, _) => "no",
            (View::Positive, 1) => "1",
            (View::Positive, _) => "0",
        };
        Some(vec![text, percent(score), outcome.to_owned()])
    };
    table.rows = rows.into_iter().filter_map(line).take(LISTED).collect();
    Some(table)
}

/// Places of the rows that lie inside, or of the others.
fn positions(inside: &[bool], wanted: bool) -> Vec<u32> {
    (0u32..).zip(inside).filter(|(_, inside)| **inside == wanted).map(|(i, _)| i).collect()
}

/// What may be said of a region. Whoever draws it where the colors are strong has looked already, and so has whatever handed
/// over a place that it found: neither p nor the interval allows for that choice.
fn reading(view: View, verdict: &Verdict) -> String {
    let scores_are = match view {
        View::TopLabel => "Confidence is",
        View::Positive => "Probabilities are",
    };
    let off = direction(verdict.size.unwrap_or(0.0));
    let p = verdict.p_in_brackets();
    verdict.headline(
        || {
            format!(
                "{scores_are} {off} here{p}. The p-value and interval are not adjusted for a region selected from the map \
                 or the finding; they are valid only for a region specified beforehand."
            )
        },
        || {
            format!(
                "{scores_are} {off} here, which is not significant{p}, even without adjustment for the selection of \
                    the region."
            )
        },
    )
}

/// The rows of a region as CSV, with the scores of the method: see [`rows_csv`].
///
/// # Errors
/// As [`region`].
pub fn region_rows_csv(data: &Predictions, run: &RunOutcome, request: &RegionRequest) -> Result<Vec<u8>> {
    let mapped = MappedRows::new(data, run, &map_request(request))?;
    let inside = inside(&mapped, request)?;
    let rows = mapped.rows.iter().zip(&mapped.score).zip(&inside).filter(|(_, inside)| **inside);
    Ok(rows_csv(data, rows.map(|((row, score), _)| (*row, *score)), Names::requested(request.identifiers)))
}

fn map_request(request: &RegionRequest) -> MapRequest {
    MapRequest {
        method: request.method.clone(),
        features: request.features.clone(),
        axes: request.axes,
        bin: request.bin.clone(),
        ..MapRequest::default()
    }
}

/// Which rows shown lie in the region.
fn inside(mapped: &MappedRows, request: &RegionRequest) -> Result<Vec<bool>> {
    let all = 0..mapped.rows.len();
    // Over a single feature the map is a curve, and what is drawn round a part of it means its range.
    let one = mapped.features.d == 1;
    match (&request.rectangle, &request.polygon, &request.rows) {
        (Some([x0, x1, y0, y1]), None, None) => {
            let within = |v: f64, a: f64, b: f64| a.min(b) <= v && v <= a.max(b);
            let place = all.map(|i| mapped.place_on_map(i));
            Ok(place.map(|[x, y]| within(x, *x0, *x1) && (one || within(y, *y0, *y1))).collect())
        }
        (None, Some(corners), None) if one => {
            let (low, high) = corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), corner| {
                (low.min(corner[0]), high.max(corner[0]))
            });
            Ok(all.map(|i| (low..=high).contains(&mapped.place_on_map(i)[0])).collect())
        }
        (None, Some(corners), None) => Ok(all.map(|i| encloses(corners, mapped.place_on_map(i))).collect()),
        (None, None, Some(rows)) => {
            let mut rows = rows.clone();
            rows.sort_unstable();
            let asked = |row: &u32| rows.binary_search(row).is_ok();
            Ok(mapped.rows.iter().map(asked).collect())
        }
        _ => Err(Error::new(
            "invalid_option",
            "A region is exactly one of: a box, a polygon, a list of rows.",
            phrases::REGION_GIVEN,
        )),
    }
}

/// Whether a closed polygon goes around a place: an odd number of its edges lies to the right.
fn encloses(corners: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let mut odd = false;
    let before = corners.iter().cycle().skip(corners.len().max(1) - 1);
    for (a, b) in before.zip(corners) {
        let crosses = (a[1] > y) != (b[1] > y);
        if crosses && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) {
            odd = !odd;
        }
    }
    odd
}

#[cfg(test)]
mod tests;
