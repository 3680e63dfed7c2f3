//! Parquet files and Excel workbooks, read by crates of the terminal as libraries of the page read them there: into the container
//! that the core's `read/columnar.rs` takes. Everything behind it is the same in both.
//!
//! `tests/tables/files/expected.json` is what pandas reads of the same files; the page and the terminal are held to it, cell by
//! cell.

mod columns;
mod pages;
mod parquet;
pub mod streamed;
#[cfg(test)]
mod tests;
mod workbook;

use localcal::error::{Error, Result};
use localcal::read::{MOST_BYTES, members};

use crate::failure;

/// Bytes with a name, which says what they are where they do not.
#[derive(Debug, Clone)]
pub struct Source {
    /// of the file, without its folder
    pub name: String,
    /// what it holds
    pub bytes: Vec<u8>,
}

/// How much of the end of a ZIP archive is searched for the names of its files.
const TAIL: usize = 65_536;

/// A kind that is read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parquet,
    Workbook,
}

impl Kind {
    /// By the first and last bytes, never by the name.
    fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"PAR1") {
            return Some(Self::Parquet);
        }
        let name = b"xl/workbook.xml";
        let tail = bytes.get(bytes.len().saturating_sub(TAIL)..).unwrap_or(bytes);
        let is_book = bytes.starts_with(b"PK\x03\x04") && tail.windows(name.len()).any(|part| part == name);
        is_book.then_some(Self::Workbook)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Parquet => "Parquet file",
            Self::Workbook => "Excel workbook",
        }
    }
}

/// Whether a file has sheets.
pub fn is_workbook(source: &Source) -> bool {
    Kind::of(&source.bytes) == Some(Kind::Workbook)
}

/// The files of an archive of several, which are opened as if each had been given by itself; every other file as it is.
///
/// * `most`: bytes that they may have together
///
/// # Errors
/// `archive_unreadable`, `too_large`.
pub fn unpacked(source: Source, most: Option<u64>) -> Result<Vec<Source>> {
    if Kind::of(&source.bytes).is_some() {
        return Ok(vec![source]);
    }
    Ok(match members(&source.name, &source.bytes, most)? {
        Some(files) => files.into_iter().map(|file| Source { name: file.name, bytes: file.bytes.to_vec() }).collect(),
        None => vec![source],
    })
}

/// The file as the core reads it: itself, or what a crate made of it under the same name.
///
/// * `most`: bytes that its columns may come to
/// * `sheet`: which sheet of a workbook, counted from 1 among those that hold a table; default: the first with data
///
/// # Errors
/// `table_unreadable` for damaged files, `file_unknown` for what is not supported, `too_large`.
pub fn readable(source: Source, most: Option<u64>, sheet: Option<u64>) -> Result<Source> {
    let Some(kind) = Kind::of(&source.bytes) else { return Ok(source) };
    let Source { name, bytes } = source;
    let most = most.unwrap_or(MOST_BYTES as u64);
    let place = format!(" (file `{name}`).");
    // a crate may stop at bytes that it did not expect
    let at = place.clone();
    let _reading = failure::Reading::of(move |why| damaged(kind, why).at(at.clone()));
    let read = match kind {
        Kind::Parquet => parquet::parquet(bytes, most),
        Kind::Workbook => workbook::workbook(&bytes, most, sheet),
    };
    read.map(|bytes| Source { name, bytes }).map_err(|error| error.at(place))
}

/// What is told of bytes that are not what they should be.
fn damaged(kind: Kind, why: &str) -> Error {
    Error::new(
        "table_unreadable",
        format!("This {} cannot be read: {}.", kind.name(), why.trim_end_matches('.')),
        "It may be damaged or cut off. Write it again, or write the table as CSV.",
    )
}

/// `what` ends with a colon: what there is.
fn too_large(what: &str, bytes: u64, most: u64) -> Error {
    let megabytes = |bytes: u64| format!("{} MB", localcal::words::number::count((bytes as f64 / 1e6).round() as u64));
    Error::new(
        "too_large",
        format!("{what} some {} as numbers; up to {} are read.", megabytes(bytes), megabytes(most)),
        "Keep only the rows and columns that are needed, or raise --max-memory.",
    )
}
