//! Rows of files of any size, counted one after the other: none is kept. Text in one pass, Parquet by row groups side by side.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use localcal::data::counting::Counting;
use localcal::error::{Error, Result};
use localcal::read::cells::Builder;
use localcal::read::streamed::{HEAD, Sink, stream, unknown_column};
use localcal::read::tally::{Field, MOST_COLUMNS, Tally};
use localcal::read::zstd::{Frames, is_zstd};
use localcal::read::{MOST_BYTES, hundredths};
use localcal::table::{Column, MISSING, NamedColumn, Values};
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
/// Bytes that are read ahead.
const AHEAD: usize = 1 << 20;

/// The rows of a file, counted, and what is to be known about its reading.
type Counted = (Tally, Vec<String>);

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
        return Ok((parquet(path, nothing, tell)?, Vec::new()));
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
    let start = from.fill_buf().map_err(|error| damaged_text(name, &error))?;
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

fn lines(from: impl Read, name: &str, nothing: Tally) -> Result<Counted> {
    let mut counting = Counting::new(nothing);
    let asked = counting.tally.clone();
    let warnings = stream(from, name, &asked.columns(), HEAD, &mut counting)?;
    Ok((counting.tally, warnings.into_iter().map(|warning| warning.message).collect()))
}

fn damaged_text(name: &str, why: &std::io::Error) -> Error {
    let what = format!("The rows of file {} cannot be read: {}.", quoted(name), why.to_string().trim_end_matches('.'));
    Error::new("table_unreadable", what, "Check that the file is whole.")
}

/// Counts the rows of a Parquet file, of which only the columns that are needed are read. The first row groups show how texts are
/// written.
fn parquet(path: &Path, nothing: &Tally, tell: &(dyn Fn(f64) + Sync)) -> Result<Tally> {
    let _reading = Reading::of(|why| damaged(Kind::Parquet, why));
    let mut counting = Counting::new(nothing.clone());
    let first = Opened::of(path, nothing).map_err(|error| of_file(error, path))?;
    let mut undecided: Vec<usize> = (0..first.leaves.len()).collect();
    let mut written = vec![Written::default(); first.leaves.len()];
    for group in 0..first.file.num_row_groups() {
        if undecided.is_empty() {
            break;
        }
        let mut left = Vec::new();
        for place in undecided {
            let column = first.column(group, place).map_err(|error| of_file(error, path))?;
            let Some(how) = Written::of(&column) else {
                left.push(place);
                continue;
            };
            counting.decided(place, &column).map_err(|error| of_file(error, path))?;
            if let Some(to) = written.get_mut(place) {
                *to = how;
            }
        }
        undecided = left;
    }
    let done = AtomicU64::new(0);
    let parts = (0..PARTS).into_par_iter().map(|part| {
        part_of(path, part, counting.clone(), &written, &|rows, all| {
            let before = done.fetch_add(rows, Ordering::Relaxed);
            tell((before + rows) as f64 / all.max(1) as f64);
        })
    });
    let parts: Vec<Tally> = parts.collect::<Result<_>>()?;
    let mut whole = nothing.clone();
    parts.iter().for_each(|part| whole.merge(part));
    Ok(whole)
}

fn of_file(error: Error, path: &Path) -> Error {
    error.at(format!(" (file {}).", quoted(&path.display().to_string())))
}

/// How a column of a Parquet file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Written {
    #[default]
    AsItIs,
    /// texts, each with a percent sign
    Percent,
}

impl Written {
    /// `None` where there is no value.
    fn of(column: &NamedColumn) -> Option<Self> {
        match &column.values {
            Values::Numbers(values) => values.iter().any(|x| !x.is_nan()).then_some(Self::AsItIs),
            Values::Text { levels, .. } if levels.is_empty() => None,
            Values::Text { levels, .. } => match levels.iter().all(|text| hundredths(text).is_some()) {
                true => Some(Self::Percent),
                false => Some(Self::AsItIs),
            },
            Values::Matrix(_) => Some(Self::AsItIs),
        }
    }

    fn field<'a>(self, values: &'a Values, row: usize, name: &str) -> Result<Field<'a>> {
        match (self, field_of(values, row)) {
            (Self::Percent, Field::Text(text)) => hundredths(text).map(Field::Number).ok_or_else(|| {
                let what = format!("A value of column {} is no percentage: {}.", quoted(name), quoted(text));
                Error::new(
                    "table_unreadable",
                    what,
                    "Its first values are percentages with their sign; write all of them so.",
                )
            }),
            (_, field) => Ok(field),
        }
    }
}

/// A Parquet file, and the places of the columns that are counted.
struct Opened {
    source: Arc<File>,
    file: SerializedFileReader<File>,
    names: Vec<String>,
    leaves: Vec<usize>,
}

impl Opened {
    fn of(path: &Path, tally: &Tally) -> Result<Self> {
        let open = || File::open(path).map_err(|error| damaged(Kind::Parquet, &error.to_string()));
        let source = Arc::new(open()?);
        let file = SerializedFileReader::new(open()?).map_err(|error| damaged(Kind::Parquet, &plain(&error)))?;
        let metadata = file.metadata();
        check_places(metadata)?;
        check_codecs(metadata)?;
        let roots = metadata.file_metadata().schema_descr().root_schema().get_fields();
        let all: Vec<&str> = roots.iter().map(|root| root.name()).collect();
        let names: Vec<String> = tally.columns().iter().map(|(name, _)| (*name).to_owned()).collect();
        let leaf = |name: &String| {
            let place = all.iter().position(|known| known == name).ok_or_else(|| unknown_column(name, &all))?;
            leaf_of(roots, place).ok_or_else(|| {
                let what = format!("column {} holds lists or structures, which cannot be counted", quoted(name));
                damaged(Kind::Parquet, &what)
            })
        };
        let leaves: Vec<usize> = names.iter().map(leaf).collect::<Result<_>>()?;
        Ok(Self { source, file, names, leaves })
    }

    fn group(&self, place: usize) -> Result<Group<'_, File>> {
        Ok(Group {
            inner: self.file.get_row_group(place).map_err(|error| damaged(Kind::Parquet, &plain(&error)))?,
            source: Arc::clone(&self.source),
            most: MOST_BYTES as u64,
        })
    }

    fn values(&self, group: usize, place: usize) -> Result<Values> {
        let Some(leaf) = self.leaves.get(place) else { return Ok(Values::Numbers(Column::default())) };
        let mut column = Builder::default();
        flat(&self.group(group)?, *leaf, &mut column).map_err(|error| damaged(Kind::Parquet, &plain(&error)))?;
        Ok(column.done())
    }

    fn column(&self, group: usize, place: usize) -> Result<NamedColumn> {
        let name = self.names.get(place).cloned().unwrap_or_default();
        Ok(NamedColumn { file: String::new(), name, values: self.values(group, place)? })
    }
}

/// Every sixteenth row group. Each part has a file of its own, since readers of one share its place.
fn part_of(
    path: &Path,
    part: usize,
    mut counting: Counting,
    written: &[Written],
    tell: &dyn Fn(u64, u64),
) -> Result<Tally> {
    let _reading = Reading::of(|why| damaged(Kind::Parquet, why));
    let of_file = |error| of_file(error, path);
    let opened = Opened::of(path, &counting.tally).map_err(of_file)?;
    let metadata = opened.file.metadata();
    let all = metadata.file_metadata().num_rows().max(0) as u64;
    for place in (part..opened.file.num_row_groups()).step_by(PARTS) {
        let columns = (0..opened.leaves.len()).map(|column| opened.values(place, column));
        let columns: Vec<Values> = columns.collect::<Result<_>>().map_err(of_file)?;
        let rows = usize::try_from(metadata.row_group(place).num_rows()).unwrap_or(0);
        let before: i64 = (0..place).map(|group| metadata.row_group(group).num_rows()).sum();
        for row in 0..rows {
            let at_row = |error: Error| {
                let row = before.max(0) as u64 + row as u64 + 1;
                error.at(format!(" (data row {row}, file {}).", quoted(&path.display().to_string())))
            };
            let mut fields = [Field::Missing; MOST_COLUMNS];
            for (((field, values), how), name) in fields.iter_mut().zip(&columns).zip(written).zip(&opened.names) {
                *field = how.field(values, row, name).map_err(at_row)?;
            }
            counting.row(fields.get(..columns.len()).unwrap_or(&fields)).map_err(at_row)?;
        }
        tell(rows as u64, all);
    }
    Ok(counting.tally)
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
