//! Bytes to columns: what kind of file it is, and its tables and arrays.
//!
//! Reading says nothing about what a column means (that is [`crate::data`]'s work), executes nothing that a
//! file holds, and believes no size before it has seen the bytes.

mod archive;
mod arrow;
pub mod cells;
mod classes;
mod columnar;
mod counted;
mod decimal;
mod delimited;
mod dialect;
mod drawn;
mod edges;
mod escapes;
mod format;
mod frame;
mod grades;
mod gzip;
mod half;
mod header_rows;
mod json;
mod levels;
mod listing;
mod log;
mod notation;
mod npy;
mod refused;
mod safetensors;
mod scan;
pub mod streamed;
pub mod tally;
mod text;
mod weka;
mod worded;
pub mod zstd;

pub use archive::{Member, members};
pub use counted::{ABOVE_1, CountColumn, Counts, check_scale};
pub(crate) use counted::{agree, twice};
pub use decimal::{decimal, hundredths};
pub(crate) use edges::says_total;
pub use format::{Contents, FORMATS, Format, Source};
pub(crate) use log::{CONFIDENCE_UNREADABLE, JUDGMENT_UNREADABLE, check_ratings, task, with_questions};
pub use log::{Log, Meaning, Status, Unscored};
pub use notation::{Ambiguous, Mark};
pub(crate) use worded::{WordsFound, in_words};

use std::collections::{HashMap, HashSet};

use crate::error::{Error, Result, message, phrases};
use crate::table::{NamedColumn, Warning};
use crate::words::text::{quoted, thousands};

/// Bytes of one file that are read, packed or unpacked: with the columns made of them they fit the memory of a browser's
/// worker, 4 GiB.
pub const MOST_BYTES: usize = 1 << 31;

/// What is refused before it is read: `what` ("The file has"), how many bytes that are, and how many are read.
pub fn too_large(what: &str, bytes: f64, most: u64) -> Error {
    Error::new(
        "too_large",
        format!("{what} {} bytes; at most {} are supported.", thousands(bytes as u64), thousands(most)),
        "Remove rows or columns not needed.",
    )
}

/// Columns and arrays of one file, as they stand in it.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct ReadFile {
    /// name of the file
    pub name: String,
    /// columns of a table (equally long) or arrays of an archive (perhaps not), in file order
    pub columns: Vec<NamedColumn>,
    /// what a person should know about the reading
    pub warnings: Vec<Warning>,
    /// of a text table: whether its first row holds names
    pub header: Option<bool>,
    /// of a text table whose last row looks like totals of the others: whether it was left out
    #[serde(default)]
    pub totals: Option<bool>,
    /// columns whose mark may be a decimal mark or one of thousands
    #[serde(default)]
    pub ambiguous: Vec<Ambiguous>,
    /// what an evaluation log of a language model says of itself and its columns
    #[serde(default)]
    pub log: Option<Box<Log>>,
    /// why it has no columns, where it belongs to an evaluation and none of its answers can be scored
    #[serde(default)]
    pub unscored: Option<Box<Unscored>>,
    /// what a result of a counting statement says of itself and its columns
    #[serde(default)]
    pub counts: Option<Counts>,
}

/// What a person says about how a file is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct ReadOptions {
    /// whether the first row of a text table holds names; default: as it looks
    pub header: Option<bool>,
    /// whether the last row of a text table holds totals of the others and is left out; default: as it looks
    pub totals: Option<bool>,
    /// bytes that one file may have, packed, unpacked and as numbers; default: [`MOST_BYTES`], which is also the most where
    /// addresses have 32 bits
    pub most: Option<u64>,
}

impl ReadOptions {
    /// Bytes that one file may have.
    pub fn most(&self) -> u64 {
        let most = self.most.unwrap_or(MOST_BYTES as u64);
        if usize::BITS > 32 { most } else { most.min(MOST_BYTES as u64) }
    }
}

/// Columns and arrays of a file in one of the [`FORMATS`], also compressed by gzip or zstd.
///
/// The kind is taken from the content, never from the name's ending. `progress` is called with 0 … 1.
///
/// # Errors
/// `empty`, `file_unknown`, `table_unreadable`, `array_unreadable`, `array_pickled`, `archive_unreadable`, `too_large`;
/// the name of the file stands at the end of the message.
///
/// # Cost
/// O(bytes) time; one pass, and a second one where a column turns out to be text half-way.
pub fn read(file_name: &str, bytes: &[u8], progress: &mut dyn FnMut(f64)) -> Result<ReadFile> {
    read_with(file_name, bytes, ReadOptions::default(), progress)
}

/// As [`read`], where a person has said how.
///
/// # Errors
/// Those of [`read`].
pub fn read_with(
    file_name: &str,
    bytes: &[u8],
    options: ReadOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<ReadFile> {
    columns(&Source { name: file_name, bytes, options }, progress)
        .and_then(counted::opened)
        .map_err(|error| error.at(format!(" (file {}).", quoted(file_name))))
}

/// The counts in the result of a counting statement, as [`read_with`] recognizes it; none where a file contains anything else.
///
/// # Errors
/// Those of [`read`].
pub fn read_counts(
    file_name: &str,
    bytes: &[u8],
    options: ReadOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<Option<tally::Tally>> {
    columns(&Source { name: file_name, bytes, options }, progress)
        .and_then(|file| tally::Tally::of_counts(&file))
        .map_err(|error| error.at(format!(" (file {}).", quoted(file_name))))
}

/// The columns of a file with what they hold: nested predictions, classes in the order of the file.
fn finished(file: ReadFile, source: &Source<'_>) -> ReadFile {
    let file = json::with_fields_opened(file, source.options.most());
    grades::spelled_out(classes::in_listed_order(classes::in_order_of_rows(file)))
}

/// Columns of a file, or of the one file that is packed in it.
fn columns(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<ReadFile> {
    let inner = match contents(source, progress)? {
        Contents::Columns(file) => return Ok(finished(file, source)),
        Contents::Packed(inner) => inner,
    };
    match contents(&Source { bytes: &inner, ..*source }, progress)? {
        Contents::Columns(file) => Ok(finished(file, source)),
        Contents::Packed(_) => Err(nested()),
    }
}

fn contents(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let utf8 = text::json_of_utf16(source.bytes).filter(|text| json::is_json(text.as_bytes()));
    let source = &Source { bytes: utf8.as_ref().map_or(source.bytes, |text| text.as_bytes()), ..*source };
    let format = FORMATS.iter().find(|format| (format.recognizes)(source));
    (format.unwrap_or(&&delimited::FORMAT).read)(source, progress)
}

fn nested() -> Error {
    Error::new(
        "file_unknown",
        "A compressed file is inside another compressed file.",
        message!["Unpack it once and ", phrases::DROP, " the contents."],
    )
}

/// The file's name without folder and ending.
pub(crate) fn stem(file_name: &str) -> &str {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    match base.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => base,
    }
}

/// Gives duplicates the suffixes ` (2)`, ` (3)`, …, and nameless columns their number. O(names).
fn distinct_names(names: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    // of each name that came again, the last suffix that it had
    let mut last: HashMap<String, usize> = HashMap::new();
    let distinct = |(j, name): (usize, String)| {
        let base = if name.is_empty() { format!("column {}", j + 1) } else { name };
        if seen.insert(base.clone()) {
            return base;
        }
        let count = last.entry(base.clone()).or_insert(1);
        loop {
            *count += 1;
            let unique = format!("{base} ({count})");
            if seen.insert(unique.clone()) {
                return unique;
            }
        }
    };
    names.into_iter().enumerate().map(distinct).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_and_empty_names_are_told_apart() {
        let names = ["a", "", "a", "a", "a (2)"].map(str::to_owned).to_vec();
        assert_eq!(distinct_names(names), ["a", "column 2", "a (2)", "a (3)", "a (2) (2)"]);
    }

    #[test]
    fn json_in_utf16_is_read_as_json() {
        let text = "{\"p\": 0.1, \"y\": 0, \"ward\": \"Süd\"}\r\n{\"p\": 0.9, \"y\": 1, \"ward\": \"Ost\"}\r\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let large: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let plain = read("rows.jsonl", text.as_bytes(), &mut |_| ()).ok();
        assert!(plain.as_ref().is_some_and(|file| file.columns.len() == 3));
        for bytes in [[&[0xff, 0xfe], &little[..]].concat(), [&[0xfe, 0xff], &large[..]].concat(), little, large] {
            assert_eq!(read("rows.jsonl", &bytes, &mut |_| ()).ok(), plain);
        }
        let list = "[[0.1, 0], [0.9, 1]]".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        assert!(read("rows.json", &list, &mut |_| ()).is_ok_and(|file| file.columns.len() == 2));
    }

    #[test]
    fn stems_lose_folder_and_ending() {
        assert_eq!(stem("a/b/test_labels.npy"), "test_labels");
        assert_eq!(stem(".npy"), ".npy");
        assert_eq!(stem("plain"), "plain");
    }
}
