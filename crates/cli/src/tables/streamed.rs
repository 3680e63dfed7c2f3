//! Rows of files of any size, counted one after the other: none is kept. Text in one pass, Parquet by row groups side by side.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use csv::{ReaderBuilder, StringRecord};
use flate2::read::MultiGzDecoder;
use localcal::error::{Error, Result};
use localcal::read::cells::Builder;
use localcal::read::tally::{Field, Tally};
use localcal::read::zstd::{Frames, is_zstd};
use localcal::read::{MOST_BYTES, header_of_several_rows};
use localcal::table::{MISSING, Values};
use localcal::words::text::quoted;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use rayon::prelude::*;

use super::pages::Group;
use super::parquet::{check_codecs, check_places, flat, leaf_of, plain};
use super::{Kind, damaged};
use crate::failure::{Failure, Reading};

/// Parts of a Parquet file that are counted apart and added in their order: as many on every machine, so that sums do not
/// depend on its threads.
const PARTS: usize = 16;
/// Columns that a row is counted by, at most: score, outcome, four groups, a month, two quantized columns.
const MOST_COLUMNS: usize = 9;
/// Bytes that are read ahead.
const AHEAD: usize = 1 << 20;
/// Lines at the start of a text that show whether its header has several rows.
const START: usize = 64;

/// The rows of a file, counted, and what is said of its header.
type Counted = (Tally, Option<String>);

/// Counts the rows of a file: CSV or TSV, plain or packed by gzip or zstd, or Parquet. `-` is text on standard input.
///
/// * `nothing`: a tally without rows, of what is asked
/// * `tell`: hears the share of the file that was read
pub fn counted(path: &Path, nothing: &Tally, tell: &(dyn Fn(f64) + Sync)) -> std::result::Result<Counted, Failure> {
    let name = path.display().to_string();
    if path.as_os_str() == "-" {
        return Ok(text(std::io::stdin().lock(), "standard input", nothing.clone())?);
    }
    let unreadable = |error: std::io::Error| Failure::unreadable(&name, &error);
    let mut file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let mut magic = [0; 4];
    let is_parquet = file.read_exact(&mut magic).is_ok() && &magic == b"PAR1";
    if is_parquet {
        let tally = parquet(path, nothing, tell).map_err(|error| error.at(format!(" (file `{name}`).")))?;
        return Ok((tally, None));
    }
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let heard = Heard { of: file, size, read: 0, tell };
    Ok(text(heard, &name, nothing.clone())?)
}

/// A file that tells how far it was read.
struct Heard<'a> {
    of: File,
    size: u64,
    read: u64,
    tell: &'a (dyn Fn(f64) + Sync),
}

impl Read for Heard<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.of.read(to)?;
        self.read += bytes as u64;
        (self.tell)(self.read as f64 / self.size.max(1) as f64);
        Ok(bytes)
    }
}

/// Counts the lines of a text, unpacked where it is packed.
fn text(from: impl Read, name: &str, tally: Tally) -> Result<Counted> {
    let mut from = BufReader::with_capacity(AHEAD, from);
    let start = from.fill_buf().map_err(|error| unread(name, &error))?;
    match start {
        [0x1f, 0x8b, ..] => lines(MultiGzDecoder::new(from), name, tally),
        start if is_zstd(start) => lines(Frames::new(from), name, tally),
        [b'P', b'K', 3, 4, ..] | [b'A', b'R', b'R', b'O', b'W', ..] | [0x93, b'N', b'U', b'M', ..] => Err(Error::new(
            "file_unknown",
            format!("Rows are counted in CSV, TSV and Parquet files; this is another kind (file {}).", quoted(name)),
            "Write the table as CSV or Parquet, or open the file without counting it.",
        )),
        _ => lines(from, name, tally),
    }
}

fn lines(from: impl Read, name: &str, mut tally: Tally) -> Result<Counted> {
    let mut from = BufReader::with_capacity(AHEAD, from);
    let start = start(&mut from).map_err(|error| unread(name, &error))?;
    let first = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let many = |mark: &u8| first.iter().filter(|byte| *byte == mark).count();
    let delimiter = b",;\t|".iter().copied().rev().max_by_key(many).unwrap_or(b',');
    let text = std::str::from_utf8(&start).unwrap_or_default();
    let header = header_of_several_rows(text.trim_start_matches('\u{feff}'), delimiter);
    let said = header.as_ref().map(|header| header.warning.message.clone());
    let below = header.as_ref().map_or(0, |header| text.len() - header.rest.len());
    let rows = Cursor::new(start.get(below..).unwrap_or_default()).chain(from);
    let mut reader = ReaderBuilder::new().delimiter(delimiter).has_headers(header.is_none()).from_reader(rows);
    let places = match &header {
        Some(header) => places_of(&tally, &header.names.iter().map(String::as_str).collect::<Vec<_>>(), name)?,
        None => {
            let names = reader.headers().map_err(|error| unread(name, &error))?;
            let names: Vec<&str> = names.iter().map(str::trim).collect();
            places_of(&tally, &names, name)?
        }
    };
    let mut record = StringRecord::new();
    let mut row = 0_u64;
    while reader.read_record(&mut record).map_err(|error| unread(name, &error))? {
        row += 1;
        let mut fields = [Field::Missing; MOST_COLUMNS];
        for (field, place) in fields.iter_mut().zip(&places) {
            *field = match record.get(*place) {
                None | Some("") => Field::Missing,
                Some(text) => Field::Text(text),
            };
        }
        tally.add(&fields).map_err(|error| error.at(format!(" (data row {row}, file `{name}`).")))?;
    }
    Ok((tally, said))
}

/// The first lines of a text.
fn start(from: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut from = from.take(AHEAD as u64);
    for _ in 0..START {
        if from.read_until(b'\n', &mut start)? == 0 {
            break;
        }
    }
    Ok(start)
}

fn unread(name: &str, why: &dyn std::fmt::Display) -> Error {
    Error::new(
        "table_unreadable",
        format!("The rows of file {} cannot be read: {}.", quoted(name), why.to_string().trim_end_matches('.')),
        "Counted are tables in UTF-8 with names of columns above the rows and equally many fields in every row.",
    )
}

/// Where the columns that are counted stand among those of a file.
fn places_of(tally: &Tally, names: &[&str], file: &str) -> Result<Vec<usize>> {
    let place = |wanted: &&str| {
        names.iter().position(|name| name == wanted).ok_or_else(|| {
            let known = names.iter().take(40).copied().collect::<Vec<_>>().join(", ");
            Error::new(
                "unknown_column",
                format!("There is no column {} in file {}.", quoted(wanted), quoted(file)),
                format!("Its columns are: {known}."),
            )
        })
    };
    tally.columns().iter().map(place).collect()
}

/// Counts the rows of a Parquet file, of which only the columns that are needed are read.
fn parquet(path: &Path, nothing: &Tally, tell: &(dyn Fn(f64) + Sync)) -> Result<Tally> {
    let done = AtomicU64::new(0);
    let parts = (0..PARTS).into_par_iter().map(|part| {
        part_of(path, part, nothing, &|rows, all| {
            let before = done.fetch_add(rows, Ordering::Relaxed);
            tell((before + rows) as f64 / all.max(1) as f64);
        })
    });
    let parts: Vec<Tally> = parts.collect::<Result<_>>()?;
    let mut whole = nothing.clone();
    parts.iter().for_each(|part| whole.merge(part));
    Ok(whole)
}

/// Every sixteenth row group. Each part has a file of its own, since readers of one share its place.
fn part_of(path: &Path, part: usize, nothing: &Tally, tell: &dyn Fn(u64, u64)) -> Result<Tally> {
    let _reading = Reading::of(|why| damaged(Kind::Parquet, why));
    let broken = |error: parquet::errors::ParquetError| damaged(Kind::Parquet, &plain(&error));
    let open = || File::open(path).map_err(|error| damaged(Kind::Parquet, &error.to_string()));
    let source = Arc::new(open()?);
    let file = SerializedFileReader::new(open()?).map_err(broken)?;
    let metadata = file.metadata();
    check_places(metadata)?;
    check_codecs(metadata)?;
    let roots = metadata.file_metadata().schema_descr().root_schema().get_fields();
    let names: Vec<&str> = roots.iter().map(|root| root.name()).collect();
    let places = places_of(nothing, &names, &path.display().to_string())?;
    let all = metadata.file_metadata().num_rows().max(0) as u64;
    let leaves = places.iter().map(|place| {
        leaf_of(roots, *place).ok_or_else(|| {
            let name = names.get(*place).copied().unwrap_or_default();
            damaged(
                Kind::Parquet,
                &format!("column {} holds lists or structures, which cannot be counted", quoted(name)),
            )
        })
    });
    let leaves: Vec<usize> = leaves.collect::<Result<_>>()?;
    let mut tally = nothing.clone();
    for place in (part..file.num_row_groups()).step_by(PARTS) {
        let group = Group {
            inner: file.get_row_group(place).map_err(broken)?,
            source: Arc::clone(&source),
            most: MOST_BYTES as u64,
        };
        let columns = leaves.iter().map(|leaf| {
            let mut column = Builder::default();
            flat(&group, *leaf, &mut column).map(|()| column.done())
        });
        let columns: Vec<Values> = columns.collect::<std::result::Result<_, _>>().map_err(broken)?;
        let rows = usize::try_from(group.inner.metadata().num_rows()).unwrap_or(0);
        for row in 0..rows {
            let mut fields = [Field::Missing; MOST_COLUMNS];
            for (field, values) in fields.iter_mut().zip(&columns) {
                *field = field_of(values, row);
            }
            tally.add(&fields)?;
        }
        tell(rows as u64, all);
    }
    Ok(tally)
}

fn field_of(values: &Values, row: usize) -> Field<'_> {
    match values {
        Values::Numbers(numbers) => match numbers.get(row) {
            Some(value) if !value.is_nan() => Field::Number(*value),
            _ => Field::Missing,
        },
        Values::Text { codes, levels } => match codes.get(row) {
            Some(code) if *code != MISSING => Field::Text(levels.text(*code)),
            _ => Field::Missing,
        },
        Values::Matrix(_) => Field::Missing,
    }
}
