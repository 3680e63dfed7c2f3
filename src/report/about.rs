//! What files that can be saved say about single rows, told before they are saved.

use serde::Serialize;

use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::words::number::count;
use crate::words::text::{listed, quoted};

/// What an export discloses about single rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileAbout {
    /// it holds a line or a number for every row
    pub about_rows: bool,
    /// columns in it that name the rows; `identifiers: false` leaves them out
    pub identifiers: Vec<String>,
    /// the same as a sentence, shown before saving
    pub sentence: String,
}

/// Files that hold a line a row.
const OF_ROWS: [&str; 4] = ["predictions", "coordinates", "applied", "region_rows"];
/// Those of them that contain the text of the rows, where there is one.
const OF_TEXTS: [&str; 2] = ["predictions", "region_rows"];
/// Files that hold none, and what they hold.
const OF_GROUPS: [(&str, &str); 7] = [
    (
        "report",
        "Values about all rows. JSON also contains a local error for each row, and fitted parameters that can \
         concern few rows; both are removed where small counts are suppressed.",
    ),
    ("document", "Values about all rows and about groups, including small groups unless small counts are suppressed."),
    (
        "calibrator",
        "Fitted parameters: those of binning methods are proportions of the rows in each bin; those of group \
         methods concern every group, even one of a single row.",
    ),
    (
        "session",
        "Values about all rows and about groups of 30 or more; within a column, groups of fewer than ten cannot be \
         derived from the others. Not protected: combinations of several nearly identical columns, groups with few \
         events, classes of few rows, and fitted parameters of binning or subgroup methods (isotonic regression, histogram binning), \
         which can concern few rows. Run without those methods to save none of them.",
    ),
    (
        "snippet",
        "Fitted parameters: those of binning methods are proportions of the rows in each bin; those of group \
         methods concern every group, even one of a single row.",
    ),
    ("table", "Values about all rows."),
    ("chart", "The values displayed in the chart; for a map, one point per row."),
];

/// What `data.export(export)` would say about single rows.
///
/// # Errors
/// `invalid_option` where nothing is exported under this name.
pub fn about(data: &Predictions, export: &str) -> Result<FileAbout> {
    if let Some((_, sentence)) = OF_GROUPS.iter().find(|(known, _)| *known == export) {
        return Ok(FileAbout { about_rows: false, identifiers: Vec::new(), sentence: (*sentence).to_owned() });
    }
    if !OF_ROWS.contains(&export) {
        let known: Vec<&str> = OF_ROWS.into_iter().chain(OF_GROUPS.map(|(known, _)| known)).collect();
        return Err(Error::new(
            "invalid_option",
            format!("Unknown export: {}.", quoted(export)),
            format!("Available: {}.", known.join(", ")),
        ));
    }
    let texts = data.text_column().filter(|_| OF_TEXTS.contains(&export));
    let identifiers: Vec<&str> = data.naming_columns().map(|column| column.name.as_str()).collect();
    let of_texts = texts.iter().map(|column| column.name.as_str());
    let rows = match export {
        "region_rows" => "One line for each row of the region".to_owned(),
        _ => format!("One line for each of {} rows", count(data.rows as u64)),
    };
    let text = texts.map_or_else(String::new, |column| format!(" and the text of {}", quoted(&column.name)));
    let sentence = match identifiers.as_slice() {
        [] if text.is_empty() => {
            format!("{rows}, identified by its number in the file; no column identifies the rows.")
        }
        [] => format!("{rows}, with its number in the file{text}. Anyone who has this file can identify the rows."),
        ids => {
            let noun = if ids.len() == 1 { "identifier" } else { "identifiers" };
            format!("{rows}, with {noun} {}{text}. Anyone who has this file can identify the rows.", listed(ids))
        }
    };
    let identifiers = identifiers.iter().copied().chain(of_texts).map(str::to_owned).collect();
    Ok(FileAbout { about_rows: true, identifiers, sentence })
}
