//! Arrow IPC files, which pandas and polars call Feather: columns of record batches.
//!
//! A file ends in a footer, a flatbuffer with the schema and the places of its batches. A batch is a flatbuffer, which states the
//! lengths of its columns and the places of their buffers, and the buffers behind it, perhaps packed by LZ4 or zstd. No length is
//! believed before the bytes are there, or, of nulls, before they are known to fit into memory.
//!
//! Source: Apache Arrow, "Columnar format" and the schemas `File.fbs`, `Message.fbs`, `Schema.fbs`.

mod flatbuffer;
mod lz4;

use std::borrow::Cow;
use std::collections::HashMap;

use super::cells::{Builder, Cell, written};
use super::zstd;
use super::{Contents, Format, ReadFile, Source, distinct_names, too_large};
use crate::error::{Error, Phrase, Result};
use crate::table::NamedColumn;
use flatbuffer::Table;

const MAGIC: &[u8] = b"ARROW1";
const TO_CSV: Phrase =
    Phrase::same("In Python: `import pandas as pd; pd.read_feather(path).to_csv(\"predictions.csv\", index=False)`.");
/// Bytes of a number of a column that was read.
const NUMBER: u64 = 8;
/// Bytes of a cell while its column is read: a column of nulls, which has no bytes in the file, takes them, too.
const CELL: u64 = size_of::<Cell>() as u64;
/// How deep types may lie within each other.
const DEEPEST: usize = 16;

pub(super) const FORMAT: Format = Format {
    name: "Arrow or Feather",
    endings: &["arrow", "feather", "ipc"],
    recognises: |source| source.bytes.starts_with(MAGIC),
    read,
};

fn broken(why: &str) -> Error {
    Error::new(
        "table_unreadable",
        format!("This Arrow or Feather file cannot be read: {why}."),
        "It may be damaged or cut off. Write it again, or write the table as CSV.",
    )
}

/// Something that a file states and does not hold.
fn cut_off() -> Error {
    broken("it ends before the data that it states")
}

fn read(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let footer = footer(source.bytes).ok_or_else(cut_off)?;
    let schema = footer.table(1).ok_or_else(cut_off)?;
    if schema.i16(0).unwrap_or(0) != 0 {
        return Err(broken("its numbers are big-endian"));
    }
    let fields = schema.tables(1).ok_or_else(cut_off)?;
    let fields = fields.iter().map(|field| Field::of(field, 0)).collect::<Result<Vec<Field>>>()?;
    let mut file = File { bytes: source.bytes, most: source.options.most(), unpacked: 0, dictionaries: HashMap::new() };
    for block in footer.structs(2, BLOCK).unwrap_or_default() {
        file.read_dictionary(block, &fields)?;
    }
    let blocks = footer.structs(3, BLOCK).unwrap_or_default();
    let mut builders: Vec<Builder> = fields.iter().map(|_| Builder::default()).collect();
    let mut rows = 0_u64;
    for (done, block) in blocks.iter().enumerate() {
        let mut batch = file.batch(block)?.ok_or_else(cut_off)?;
        rows = rows.saturating_add(batch.rows);
        let size = rows.saturating_mul(fields.len() as u64).saturating_mul(NUMBER);
        if size > file.most {
            return Err(too_large("The columns have", size as f64, file.most));
        }
        for (field, builder) in fields.iter().zip(&mut builders) {
            let cells = file.cells(&mut batch, field)?;
            if cells.len() as u64 != batch.rows {
                return Err(broken(&format!("column `{}` has another number of rows than its batch", field.name)));
            }
            cells.into_iter().for_each(|cell| builder.add(cell));
        }
        progress((done + 1) as f64 / blocks.len() as f64);
    }
    let names = distinct_names(fields.into_iter().map(|field| field.name).collect());
    let columns = names.into_iter().zip(builders).map(|(name, builder)| NamedColumn {
        file: source.name.to_owned(),
        name,
        values: builder.done(),
    });
    Ok(Contents::Columns(ReadFile { name: source.name.to_owned(), columns: columns.collect(), ..ReadFile::default() }))
}

/// Bytes of the place of a batch: offset, length of its flatbuffer, length of its buffers.
const BLOCK: usize = 24;

fn footer(bytes: &[u8]) -> Option<Table<'_>> {
    let (before, _) = bytes.split_at_checked(bytes.len().checked_sub(MAGIC.len())?)?;
    bytes.ends_with(MAGIC).then_some(())?;
    let (before, length) = before.split_last_chunk::<4>()?;
    let start = before.len().checked_sub(usize::try_from(i32::from_le_bytes(*length)).ok()?)?;
    Table::root(before.get(start..)?)
}

/// A column: its name, its type, and those within it.
#[derive(Debug, Clone, PartialEq)]
struct Field {
    name: String,
    kind: Kind,
    /// id of its dictionary, whose values have the type `kind`, and the type of its codes
    dictionary: Option<(i64, Whole)>,
    children: Vec<Field>,
}

/// Integers of so many bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Whole {
    bytes: usize,
    signed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Null,
    Whole(Whole),
    /// of so many bytes
    Float(usize),
    /// texts or bytes, whose ends have so many bytes
    Text(usize),
    /// texts or bytes, short ones in place
    View,
    /// bytes, so many each
    Fixed(usize),
    Bool,
    /// an integer of so many bytes, to be divided by this power of ten
    Decimal(usize, f64),
    /// so many bytes; a unit has so many milliseconds, or a millisecond so many units
    Moment(usize, Unit),
    /// lists whose ends have so many bytes
    List(usize),
    /// lists of so many items
    FixedList(usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Milliseconds(i64),
    PerMillisecond(i64),
}

impl Field {
    fn of(table: &Table<'_>, depth: usize) -> Result<Self> {
        let name = table.text(0).unwrap_or_default().to_owned();
        if depth > DEEPEST {
            return Err(broken("its types lie too deep within each other"));
        }
        let kind = Kind::of(table).ok_or_else(|| {
            Error::new(
                "file_unknown",
                format!("Column `{name}` of this Arrow or Feather file has a type that is not supported."),
                TO_CSV,
            )
        })?;
        let dictionary = match table.table(4) {
            Some(dictionary) => {
                let codes = dictionary.table(1).map_or(Some(Whole { bytes: 4, signed: true }), |of| Whole::of(&of));
                Some((
                    dictionary.i64(0).unwrap_or(0),
                    codes.ok_or_else(|| broken("codes of a dictionary have no type"))?,
                ))
            }
            None => None,
        };
        let children = table.tables(5).unwrap_or_default();
        let children = children.iter().map(|child| Self::of(child, depth + 1)).collect::<Result<Vec<Self>>>()?;
        Ok(Self { name, kind, dictionary, children })
    }

    /// The only type within a list.
    fn item(&self) -> Result<&Field> {
        self.children.first().ok_or_else(|| broken("a list has no type of items"))
    }
}

impl Whole {
    fn of(table: &Table<'_>) -> Option<Self> {
        let bits = table.i32(0).unwrap_or(0);
        [8, 16, 32, 64]
            .contains(&bits)
            .then(|| Self { bytes: bits as usize / 8, signed: table.u8(1).unwrap_or(0) != 0 })
    }

    fn value(self, bytes: &[u8]) -> Option<i128> {
        let mut whole = [0; 8];
        whole.get_mut(..self.bytes)?.copy_from_slice(bytes.get(..self.bytes)?);
        let value = u64::from_le_bytes(whole);
        let unused = 64 - 8 * self.bytes as u32;
        Some(if self.signed { i128::from((value << unused) as i64 >> unused) } else { i128::from(value) })
    }
}

impl Kind {
    /// `None` of types that make no column of numbers or texts: structures, unions, maps, intervals.
    fn of(field: &Table<'_>) -> Option<Self> {
        let of = field.table(3);
        let i16_at = |place: usize, usual: i16| of.as_ref().and_then(|of| of.i16(place)).unwrap_or(usual);
        let i32_at = |place: usize, usual: i32| of.as_ref().and_then(|of| of.i32(place)).unwrap_or(usual);
        Some(match field.u8(2)? {
            1 => Self::Null,
            2 => Self::Whole(Whole::of(of.as_ref()?)?),
            3 => Self::Float(*[2, 4, 8].get(usize::try_from(i16_at(0, 0)).ok()?)?),
            4 | 5 => Self::Text(4),
            6 => Self::Bool,
            7 => {
                let bits = i32_at(2, 128);
                let bytes = [32, 64, 128].contains(&bits).then_some(bits as usize / 8)?;
                Self::Decimal(bytes, format!("1e{}", i32_at(1, 0)).parse().ok()?)
            }
            8 if i16_at(0, 1) == 0 => Self::Moment(4, Unit::Milliseconds(86_400_000)),
            8 => Self::Moment(8, Unit::Milliseconds(1)),
            // a time of day is its number
            9 => Self::Whole(Whole { bytes: if i32_at(1, 32) == 64 { 8 } else { 4 }, signed: true }),
            10 => Self::Moment(
                8,
                match i16_at(0, 0) {
                    0 => Unit::Milliseconds(1000),
                    1 => Unit::Milliseconds(1),
                    2 => Unit::PerMillisecond(1000),
                    3 => Unit::PerMillisecond(1_000_000),
                    _ => return None,
                },
            ),
            12 => Self::List(4),
            15 => Self::Fixed(usize::try_from(i32_at(0, 0)).ok()?),
            16 => Self::FixedList(usize::try_from(i32_at(0, 0)).ok()?),
            18 => Self::Whole(Whole { bytes: 8, signed: true }),
            19 | 20 => Self::Text(8),
            21 => Self::List(8),
            23 | 24 => Self::View,
            _ => return None,
        })
    }
}

/// A file that is being read.
struct File<'a> {
    bytes: &'a [u8],
    /// bytes that it may unpack to
    most: u64,
    unpacked: u64,
    dictionaries: HashMap<i64, Vec<Cell>>,
}

/// A batch: what is left of its columns and buffers.
struct Batch<'a> {
    rows: u64,
    nodes: std::vec::IntoIter<&'a [u8]>,
    buffers: std::vec::IntoIter<&'a [u8]>,
    views: std::vec::IntoIter<&'a [u8]>,
    body: &'a [u8],
    /// 0: LZ4, 1: zstd
    codec: Option<u8>,
    /// of a dictionary, its id, and whether it adds to what is there
    dictionary: Option<(i64, bool)>,
}

fn two_of(pair: &[u8]) -> Option<(i64, i64)> {
    let (first, rest) = pair.split_first_chunk::<8>()?;
    Some((i64::from_le_bytes(*first), i64::from_le_bytes(*rest.first_chunk::<8>()?)))
}

impl<'a> File<'a> {
    /// The batch at a place; `None` where the file does not reach it.
    fn batch(&self, block: &[u8]) -> Result<Option<Batch<'a>>> {
        let bytes = self.bytes;
        let message = || -> Option<(Table<'a>, &'a [u8])> {
            let (offset, length) = two_of(block)?;
            // the second is half as long, and padded
            let length = i64::from(length as i32);
            let body_length = i64::from_le_bytes(*block.last_chunk::<8>()?);
            let start = usize::try_from(offset).ok()?;
            let end = start.checked_add(usize::try_from(length).ok()?)?;
            let message = bytes.get(start..end)?;
            let message = message.strip_prefix(&[0xff; 4]).unwrap_or(message).get(4..)?;
            let body = bytes.get(end..)?.get(..usize::try_from(body_length).ok()?)?;
            Some((Table::root(message)?, body))
        };
        let Some((message, body)) = message() else { return Ok(None) };
        let Some(header) = message.table(2) else { return Ok(None) };
        let (record, dictionary) = match message.u8(1) {
            Some(3) => (header, None),
            Some(2) => {
                let Some(record) = header.table(1) else { return Ok(None) };
                (record, Some((header.i64(0).unwrap_or(0), header.u8(2).unwrap_or(0) != 0)))
            }
            _ => return Err(broken("a batch is of another kind")),
        };
        let listed = |place: usize, size: usize| record.structs(place, size).unwrap_or_default().into_iter();
        let codec = record.table(3).map(|packed| packed.u8(0).unwrap_or(0));
        let rows = record.i64(0).unwrap_or(0);
        Ok(Some(Batch {
            rows: u64::try_from(rows).map_err(|_| broken("a batch has a negative number of rows"))?,
            nodes: listed(1, 16),
            buffers: listed(2, 16),
            views: listed(4, 8),
            body,
            codec,
            dictionary,
        }))
    }

    fn read_dictionary(&mut self, block: &[u8], fields: &[Field]) -> Result<()> {
        let mut batch = self.batch(block)?.ok_or_else(cut_off)?;
        let Some((id, adds)) = batch.dictionary else { return Err(broken("a dictionary is none")) };
        let Some(field) = fields.iter().find(|field| field.dictionary.is_some_and(|(known, _)| known == id)) else {
            // of something within a column that is not read
            return Ok(());
        };
        let values = self.cells(&mut batch, &Field { dictionary: None, ..field.clone() })?;
        let known = self.dictionaries.entry(id).or_default();
        if !adds {
            known.clear();
        }
        known.extend(values);
        Ok(())
    }

    /// The next buffer of a batch, unpacked.
    fn buffer(&mut self, batch: &mut Batch<'a>) -> Result<Cow<'a, [u8]>> {
        let part = |buffer: &[u8]| {
            let (offset, length) = two_of(buffer)?;
            batch.body.get(usize::try_from(offset).ok()?..)?.get(..usize::try_from(length).ok()?)
        };
        let bytes = batch.buffers.next().and_then(part).ok_or_else(cut_off)?;
        let (Some(codec), false) = (batch.codec, bytes.is_empty()) else { return Ok(Cow::Borrowed(bytes)) };
        let (length, packed) = bytes.split_first_chunk::<8>().ok_or_else(cut_off)?;
        let length = match i64::from_le_bytes(*length) {
            // too little would be gained
            -1 => return Ok(Cow::Borrowed(packed)),
            length => u64::try_from(length).map_err(|_| broken("a buffer states a negative length"))?,
        };
        self.unpacked = self.unpacked.saturating_add(length);
        if self.unpacked > self.most {
            return Err(too_large("The Arrow or Feather file unpacks to more than", self.unpacked as f64, self.most));
        }
        let plain = match codec {
            0 => lz4::unpacked(packed, length as usize),
            1 => zstd::unpacked(packed, length).ok(),
            _ => None,
        };
        match plain.filter(|plain| plain.len() as u64 == length) {
            Some(plain) => Ok(Cow::Owned(plain)),
            None => Err(broken("a buffer does not unpack to the length that it states")),
        }
    }

    /// The cells of the next column of a batch.
    fn cells(&mut self, batch: &mut Batch<'a>, field: &Field) -> Result<Vec<Cell>> {
        let rows = batch.nodes.next().and_then(two_of).ok_or_else(cut_off)?.0;
        let rows = usize::try_from(rows).map_err(|_| broken("a column has a negative number of rows"))?;
        let wide = |rows: usize| (rows as u64).saturating_mul(CELL);
        if wide(rows) > self.most {
            return Err(too_large("A column has", wide(rows) as f64, self.most));
        }
        if field.kind == Kind::Null && field.dictionary.is_none() {
            return Ok(vec![Cell::Empty; rows]);
        }
        let valid = self.buffer(batch)?;
        let is_valid = |row: usize| valid.is_empty() || bit(&valid, row);
        if !valid.is_empty() && valid.len() < rows.div_ceil(8) {
            return Err(cut_off());
        }
        let each = |cell: &mut dyn FnMut(usize) -> Option<Cell>| -> Result<Vec<Cell>> {
            let cell = |row: usize| if is_valid(row) { cell(row).ok_or_else(cut_off) } else { Ok(Cell::Empty) };
            (0..rows).map(cell).collect()
        };
        let fixed = |values: &Cow<'a, [u8]>, size: usize| match values.len() / size.max(1) >= rows || rows == 0 {
            true => Ok(()),
            false => Err(cut_off()),
        };
        if let Some((id, codes)) = field.dictionary {
            let values = self.buffer(batch)?;
            fixed(&values, codes.bytes)?;
            let known = self.dictionaries.get(&id).ok_or_else(|| broken("a dictionary is missing"))?;
            return each(&mut |row| {
                let code = codes.value(values.get(row * codes.bytes..)?)?;
                known.get(usize::try_from(code).ok()?).cloned()
            });
        }
        match field.kind {
            Kind::Null => Ok(Vec::new()),
            Kind::Bool => {
                let values = self.buffer(batch)?;
                if values.len() < rows.div_ceil(8) {
                    return Err(cut_off());
                }
                each(&mut |row| Some(Cell::Text(bit(&values, row).to_string())))
            }
            Kind::Whole(whole) => {
                let values = self.buffer(batch)?;
                fixed(&values, whole.bytes)?;
                each(&mut |row| Some(Cell::of_integer(whole.value(values.get(row * whole.bytes..)?)?)))
            }
            Kind::Float(size) => {
                let values = self.buffer(batch)?;
                fixed(&values, size)?;
                each(&mut |row| float(values.get(row * size..)?.get(..size)?).map(Cell::Number))
            }
            Kind::Decimal(size, unit) => {
                let values = self.buffer(batch)?;
                fixed(&values, size)?;
                each(&mut |row| Some(Cell::Number(signed(values.get(row * size..)?.get(..size)?) as f64 / unit)))
            }
            Kind::Moment(size, unit) => {
                let values = self.buffer(batch)?;
                fixed(&values, size)?;
                each(&mut |row| {
                    let value = signed(values.get(row * size..)?.get(..size)?) as i64;
                    let milliseconds = match unit {
                        Unit::Milliseconds(of) => value.checked_mul(of)?,
                        Unit::PerMillisecond(of) => value / of,
                    };
                    written(milliseconds).map(Cell::Text)
                })
            }
            Kind::Fixed(size) => {
                let values = self.buffer(batch)?;
                fixed(&values, size)?;
                each(&mut |row| Some(text(values.get(row * size..)?.get(..size)?)))
            }
            Kind::Text(size) => {
                let ends = self.buffer(batch)?;
                let values = self.buffer(batch)?;
                each(&mut |row| Some(text(values.get(between(&ends, size, row)?)?)))
            }
            Kind::View => {
                let views = self.buffer(batch)?;
                let more = batch.views.next().and_then(|count| count.first_chunk::<8>()).ok_or_else(cut_off)?;
                let more = usize::try_from(i64::from_le_bytes(*more)).map_err(|_| cut_off())?;
                let more = (0..more).map(|_| self.buffer(batch)).collect::<Result<Vec<_>>>()?;
                each(&mut |row| {
                    let (length, rest) = views.get(row * 16..)?.get(..16)?.split_first_chunk::<4>()?;
                    let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
                    if length <= 12 {
                        return Some(text(rest.get(..length)?));
                    }
                    let number = |at: usize| Some(u32::from_le_bytes(*rest.get(at..)?.first_chunk::<4>()?) as usize);
                    Some(text(more.get(number(4)?)?.get(number(8)?..)?.get(..length)?))
                })
            }
            Kind::List(size) => {
                let ends = self.buffer(batch)?;
                let items = self.numbers(batch, field)?;
                each(&mut |row| Some(Cell::List(items.get(between(&ends, size, row)?)?.to_vec())))
            }
            Kind::FixedList(width) => {
                let items = self.numbers(batch, field)?;
                let from = |row: usize| row.checked_mul(width);
                each(&mut |row| Some(Cell::List(items.get(from(row)?..)?.get(..width)?.to_vec())))
            }
        }
    }

    /// The items of the lists of a column, which are numbers.
    fn numbers(&mut self, batch: &mut Batch<'a>, field: &Field) -> Result<Vec<f64>> {
        let cells = self.cells(batch, field.item()?)?;
        let number = |cell: &Cell| match cell {
            Cell::Number(value) => Some(*value),
            Cell::Empty => Some(f64::NAN),
            Cell::Text(_) | Cell::List(_) => None,
        };
        cells.iter().map(number).collect::<Option<Vec<f64>>>().ok_or_else(|| {
            Error::new(
                "file_unknown",
                format!(
                    "Column `{}` of this Arrow or Feather file has lists of something other than numbers.",
                    field.name
                ),
                TO_CSV,
            )
        })
    }
}

fn bit(bytes: &[u8], place: usize) -> bool {
    bytes.get(place / 8).is_some_and(|byte| byte >> (place % 8) & 1 == 1)
}

/// A signed integer of up to 16 bytes, the smallest first.
fn signed(bytes: &[u8]) -> i128 {
    let fill = if bytes.last().is_some_and(|byte| *byte >= 0x80) { 0xff } else { 0 };
    let mut whole = [fill; 16];
    whole.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
    i128::from_le_bytes(whole)
}

fn float(bytes: &[u8]) -> Option<f64> {
    Some(match bytes.len() {
        8 => f64::from_le_bytes(*bytes.first_chunk()?),
        4 => f64::from(f32::from_le_bytes(*bytes.first_chunk()?)),
        _ => half(u16::from_le_bytes(*bytes.first_chunk()?)),
    })
}

/// A number of 16 bits.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2_f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    }
}

fn text(bytes: &[u8]) -> Cell {
    Cell::Text(String::from_utf8_lossy(bytes).into_owned())
}

/// Where an item of a row begins and ends.
fn between(ends: &[u8], size: usize, row: usize) -> Option<std::ops::Range<usize>> {
    let at = |row: usize| {
        let bytes = ends.get(row.checked_mul(size)?..)?.get(..size)?;
        usize::try_from(signed(bytes)).ok()
    };
    Some(at(row)?..at(row + 1)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{ReadOptions, read_with};
    use super::*;
    use crate::table::{MISSING, Matrix, Reals, Values};
    use serde_json::Value;

    fn bytes(name: &str) -> Vec<u8> {
        std::fs::read(format!("{}/../../tests/tables/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn opened(name: &str, bytes: &[u8], most: u64) -> Result<ReadFile> {
        read_with(name, bytes, ReadOptions { most: Some(most), ..ReadOptions::default() }, &mut |_| ())
    }

    /// The cells of a column as JSON has them.
    fn cells(values: &Values) -> Vec<Value> {
        match values {
            Values::Numbers(values) => values.iter().map(|value| Value::from(*value)).collect(),
            Values::Text { codes, levels } => {
                let text = |code: &u32| if *code == MISSING { Value::Null } else { levels.text(*code).into() };
                codes.iter().map(text).collect()
            }
            Values::Matrix(Matrix { width, values: Reals::F64(values) }) => {
                values.chunks(*width).map(|row| row.to_vec().into()).collect()
            }
            Values::Matrix(_) => panic!("vectors are doubles here"),
        }
    }

    /// tests/tables/make_tables.py: what pandas reads of the same table.
    #[test]
    fn files_of_other_tools_are_what_pandas_reads() {
        let expected: Value = serde_json::from_slice(&bytes("expected.json")).unwrap();
        for (name, columns) in [
            ("pyarrow_none.arrow", 9),
            ("pyarrow_lz4.arrow", 9),
            ("pyarrow_zstd.arrow", 9),
            ("pandas.feather", 8),
            ("polars.arrow", 8),
        ] {
            let file = opened(name, &bytes(name), 1 << 31).unwrap();
            assert_eq!(file.columns.len(), columns, "{name}");
            for column in &file.columns {
                let expected = expected[&column.name].as_array().unwrap();
                let found = cells(&column.values);
                assert_eq!(found.len(), expected.len(), "{name} {}", column.name);
                for (row, (a, b)) in found.iter().zip(expected).enumerate() {
                    let same = a == b || (a.is_number() && a.as_f64() == b.as_f64());
                    assert!(same, "{name} {} {row}: {a} against {b}", column.name);
                }
            }
        }
    }

    #[test]
    fn missing_cells_texts_and_vectors() {
        let file = opened("small.arrow", &bytes("small.arrow"), 1 << 20).unwrap();
        let found: Vec<String> = file.columns.iter().map(|c| Value::from(cells(&c.values)).to_string()).collect();
        assert_eq!(
            found,
            [
                "[0.25,0.5,null,0.75]",
                "[1.0,0.0,1.0,0.0]",
                r#"["x",null,"a longer text","x"]"#,
                "[[1.0,2.0],[1.0,2.0],[1.0,2.0],[1.0,2.0]]"
            ]
        );
    }

    #[test]
    fn a_damaged_file_is_an_error_wherever_it_is_damaged() {
        for name in ["pyarrow_none.arrow", "pyarrow_lz4.arrow", "pyarrow_zstd.arrow", "polars.arrow"] {
            let whole = bytes(name);
            let mut refused = 0;
            for at in (6..whole.len()).step_by(37) {
                let mut changed = whole.clone();
                changed[at] ^= 0x55;
                for bytes in [&changed, &whole[..at]] {
                    if let Err(error) = opened(name, bytes, 1 << 24) {
                        let codes = ["table_unreadable", "too_large", "file_unknown"];
                        assert!(codes.contains(&error.code()), "{at}: {error}");
                        refused += 1;
                    }
                }
            }
            assert!(refused > 100, "{name}: {refused}");
        }
    }

    #[test]
    fn what_a_file_states_of_its_size_is_bounded() {
        for name in ["pyarrow_zstd.arrow", "pyarrow_none.arrow"] {
            let error = opened(name, &bytes(name), 9_000).unwrap_err();
            assert_eq!(error.code(), "too_large", "{error}");
        }
    }

    #[test]
    fn numbers_of_every_size() {
        assert_eq!([0x3c00, 0xc000, 1, 0x7c00].map(half), [1.0, -2.0, 2_f64.powi(-24), f64::INFINITY]);
        let whole = |bytes, signed, of: &[u8]| Whole { bytes, signed }.value(of);
        assert_eq!((whole(1, true, &[0xff]), whole(1, false, &[0xff])), (Some(-1), Some(255)));
        assert_eq!((whole(8, true, &[0xff; 8]), whole(4, true, &[0])), (Some(-1), None));
        assert_eq!((signed(&[0xfe, 0xff]), signed(&[]), signed(&[0, 1])), (-2, 0, 256));
    }
}
