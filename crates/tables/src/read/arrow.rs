//! Arrow IPC, files, which pandas and polars call Feather, and streams: columns of record batches.
//!
//! A stream is a row of messages: the schema, then dictionaries and batches. A message is a flatbuffer, which states
//! of a batch the lengths of its columns and the places of their buffers, and the buffers behind it, perhaps packed by
//! LZ4 or zstd. A file ends in a footer, a flatbuffer with the schema and the places of such messages. No length is
//! believed before the bytes are there, or, of nulls, before they are known to fit into memory.
//!
//! Source: Apache Arrow, "Columnar format" and the schemas `File.fbs`, `Message.fbs`, `Schema.fbs`.

mod flatbuffer;
mod lz4;

use std::borrow::Cow;
use std::collections::HashMap;

use super::cells::{Builder, Cell, not_read, written};
use super::half::half;
use super::zstd;
use super::{Contents, Format, ReadFile, Source, distinct_names, too_large};
use crate::error::{Error, Phrase, Result};
use crate::table::NamedColumn;
use flatbuffer::Table;

const MAGIC: &[u8] = b"ARROW1";
/// Stands before every message, and at the start of a stream.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// May stand at the end of a stream: a message of no bytes.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
const TO_CSV: Phrase =
    Phrase::same("In Python: `import pandas as pd; pd.read_feather(path).to_csv(\"predictions.csv\", index=False)`.");
/// Bytes of a number of a column that was read.
const NUMBER: u64 = 8;
/// Bytes of a cell while its column is read: a column of nulls, which has no bytes in the file, takes them, too.
const CELL: u64 = size_of::<Cell>() as u64;
/// How deep types may lie within each other.
const DEEPEST: usize = 16;
/// Bytes of a type in a schema, at least.
const TYPE: usize = 16;

pub(super) const FORMAT: Format = Format {
    endings: &["arrow", "feather", "ipc", "arrows"],
    recognizes: |source| source.bytes.starts_with(MAGIC) || source.bytes.starts_with(&CONTINUATION),
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
    let parts = if source.bytes.starts_with(MAGIC) { of_file(source.bytes) } else { of_stream(source.bytes) };
    let (schema, messages) = parts.ok_or_else(cut_off)?;
    if schema.i16(0).unwrap_or(0) != 0 {
        return Err(broken("its numbers are big-endian"));
    }
    let fields = schema.tables(1).ok_or_else(cut_off)?;
    let mut types = source.bytes.len() / TYPE;
    let fields = fields.iter().map(|field| Field::of(field, 0, &mut types)).collect::<Result<Vec<Field>>>()?;
    // of columns that are left out, none
    let mut builders: Vec<Option<Builder>> =
        fields.iter().map(|field| field.unsupported().is_none().then(Builder::default)).collect();
    let columns = builders.iter().flatten().count() as u64;
    if columns == 0 && !fields.is_empty() {
        let types: Vec<String> = fields.iter().filter_map(Field::unsupported).collect();
        let message =
            format!("No column of this Arrow or Feather file has a type that is supported: {}.", types.join(", "));
        return Err(Error::new("file_unknown", message, TO_CSV));
    }
    let mut file = File { most: source.options.most(), unpacked: 0, dictionaries: HashMap::new() };
    let mut rows = 0_u64;
    for (done, message) in messages.iter().enumerate() {
        let mut batch = message.batch()?;
        if batch.dictionary.is_some() {
            file.read_dictionary(batch, &fields)?;
            continue;
        }
        rows = rows.saturating_add(batch.rows);
        let size = rows.saturating_mul(columns).saturating_mul(NUMBER);
        if size > file.most {
            return Err(too_large("The columns have", size as f64, file.most));
        }
        for (field, builder) in fields.iter().zip(&mut builders) {
            let Some(builder) = builder else {
                batch.pass_over(field)?;
                continue;
            };
            let cells = file.cells(&mut batch, field)?;
            if cells.len() as u64 != batch.rows {
                return Err(broken(&format!("column `{}` has another number of rows than its batch", field.name)));
            }
            cells.into_iter().for_each(|cell| builder.add(cell));
        }
        // a union written before Arrow 1.0 has a buffer more: what follows it was not read right
        if columns < fields.len() as u64 && batch.buffers.next().is_some() {
            return Err(broken("a batch has other buffers than its schema states"));
        }
        progress((done + 1) as f64 / messages.len() as f64);
    }
    let names = distinct_names(fields.iter().map(|field| field.name.clone()).collect());
    let unsupported = |(field, name): (&Field, &String)| Some(not_read(name, "Arrow", &field.unsupported()?));
    let warnings = fields.iter().zip(&names).filter_map(unsupported).collect();
    let column = |(name, builder): (String, Option<Builder>)| {
        Some(NamedColumn { file: source.name.to_owned(), name, values: builder?.done() })
    };
    let columns = names.into_iter().zip(builders).filter_map(column).collect();
    Ok(Contents::Columns(ReadFile { name: source.name.to_owned(), columns, warnings, ..ReadFile::default() }))
}

/// The schema, and the messages with dictionaries and batches in their order; `None` where the bytes end before them.
type Parts<'a> = Option<(Table<'a>, Vec<Message<'a>>)>;

/// Bytes of the place of a message: offset, and the lengths of its two parts, which it states itself.
const BLOCK: usize = 24;

fn of_file(bytes: &[u8]) -> Parts<'_> {
    let footer = footer(bytes)?;
    let message = |block: &[u8]| {
        let start = i64::from_le_bytes(*block.first_chunk::<8>()?);
        Message::first(bytes.get(usize::try_from(start).ok()?..)?).map(|(message, _)| message)
    };
    let blocks = [2, 3].into_iter().flat_map(|place| footer.structs(place, BLOCK).unwrap_or_default());
    Some((footer.table(1)?, blocks.map(message).collect::<Option<_>>()?))
}

fn footer(bytes: &[u8]) -> Option<Table<'_>> {
    let (before, _) = bytes.split_at_checked(bytes.len().checked_sub(MAGIC.len())?)?;
    bytes.ends_with(MAGIC).then_some(())?;
    let (before, length) = before.split_last_chunk::<4>()?;
    let start = before.len().checked_sub(usize::try_from(i32::from_le_bytes(*length)).ok()?)?;
    Table::root(before.get(start..)?)
}

fn of_stream(bytes: &[u8]) -> Parts<'_> {
    let (first, mut rest) = Message::first(bytes)?;
    let mut messages = Vec::new();
    while !rest.is_empty() && !rest.starts_with(&END) {
        let (message, behind) = Message::first(rest)?;
        messages.push(message);
        rest = behind;
    }
    Some((first.schema()?, messages))
}

/// A column: its name, its type, and those within it.
#[derive(Debug, Clone, PartialEq)]
struct Field {
    name: String,
    kind: Kind,
    /// what Arrow calls its type
    type_name: &'static str,
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
    /// something else, in so many buffers beside those within it
    Other(usize),
}

/// The types of `Schema.fbs` in their order, as pyarrow calls them.
const TYPES: [&str; 27] = [
    "none",
    "null",
    "int",
    "float",
    "binary",
    "string",
    "bool",
    "decimal",
    "date",
    "time",
    "timestamp",
    "interval",
    "list",
    "struct",
    "union",
    "fixed_size_binary",
    "fixed_size_list",
    "map",
    "duration",
    "large_binary",
    "large_string",
    "large_list",
    "run_end_encoded",
    "binary_view",
    "string_view",
    "list_view",
    "large_list_view",
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Milliseconds(i64),
    PerMillisecond(i64),
}

impl Field {
    /// * `left`: how many types the schema has room for; a flatbuffer may refer to a table, and to a name, any
    ///   number of times
    fn of(table: &Table<'_>, depth: usize, left: &mut usize) -> Result<Self> {
        let name = table.text(0).unwrap_or_default().to_owned();
        if depth > DEEPEST {
            return Err(broken("its types lie too deep within each other"));
        }
        *left = left
            .checked_sub(1 + name.len() / TYPE)
            .ok_or_else(|| broken("its schema states more types than it has room for"))?;
        let type_name = table.u8(2).and_then(|number| TYPES.get(usize::from(number)).copied());
        let (Some(kind), Some(type_name)) = (Kind::of(table), type_name) else {
            return Err(Error::new(
                "file_unknown",
                format!("Column `{name}` of this Arrow or Feather file has a type that is not supported."),
                TO_CSV,
            ));
        };
        // the others are read
        let type_name = if (type_name, kind) == ("decimal", Kind::Other(2)) { "decimal256" } else { type_name };
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
        let children = children.iter().map(|child| Self::of(child, depth + 1, left)).collect::<Result<Vec<Self>>>()?;
        Ok(Self { name, kind, type_name, dictionary, children })
    }

    /// The name of its type, where columns of it are left out: anything but numbers, texts, dates and lists of numbers.
    fn unsupported(&self) -> Option<String> {
        let item = match self.kind {
            Kind::Other(_) => return Some(self.type_name.to_owned()),
            Kind::List(_) | Kind::FixedList(_) => self.children.first()?,
            _ => return None,
        };
        let is_number = matches!(item.kind, Kind::Null | Kind::Whole(_) | Kind::Float(_) | Kind::Decimal(..));
        let name = if item.dictionary.is_some() { "dictionary" } else { item.type_name };
        (!is_number || item.dictionary.is_some()).then(|| format!("{}<{name}>", self.type_name))
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
    /// `None` of types that Arrow did not have when this was written.
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
                match [32, 64, 128].contains(&bits) {
                    true => Self::Decimal(bits as usize / 8, format!("1e{}", i32_at(1, 0)).parse().ok()?),
                    false => Self::Other(2),
                }
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
            11 => Self::Other(2),
            12 => Self::List(4),
            13 => Self::Other(1),
            // a dense one has places beside its kinds
            14 => Self::Other(if i16_at(0, 0) == 1 { 2 } else { 1 }),
            15 => Self::Fixed(usize::try_from(i32_at(0, 0)).ok()?),
            16 => Self::FixedList(usize::try_from(i32_at(0, 0)).ok()?),
            17 => Self::Other(2),
            18 => Self::Whole(Whole { bytes: 8, signed: true }),
            19 | 20 => Self::Text(8),
            21 => Self::List(8),
            22 => Self::Other(0),
            23 | 24 => Self::View,
            25 | 26 => Self::Other(3),
            _ => return None,
        })
    }

    /// Buffers of a column, beside those of columns within it and the further ones of views.
    fn buffers(self) -> usize {
        match self {
            Self::Null => 0,
            Self::FixedList(_) => 1,
            Self::Text(_) => 3,
            Self::Other(buffers) => buffers,
            _ => 2,
        }
    }
}

/// What is known of a file while it is read.
struct File {
    /// bytes that it may unpack to
    most: u64,
    unpacked: u64,
    dictionaries: HashMap<i64, Vec<Cell>>,
}

/// A message: a flatbuffer, and the buffers that it describes.
struct Message<'a> {
    head: Table<'a>,
    body: &'a [u8],
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

impl<'a> Message<'a> {
    /// The message at the start of the bytes, and what is behind it; `None` where they end before it does.
    fn first(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (length, rest) = bytes.strip_prefix(&CONTINUATION).unwrap_or(bytes).split_first_chunk::<4>()?;
        let (head, rest) = rest.split_at_checked(usize::try_from(i32::from_le_bytes(*length)).ok()?)?;
        let head = Table::root(head)?;
        let (body, rest) = rest.split_at_checked(usize::try_from(head.i64(3).unwrap_or(0)).ok()?)?;
        Some((Self { head, body }, rest))
    }

    fn schema(&self) -> Option<Table<'a>> {
        self.head.table(2).filter(|_| self.head.u8(1) == Some(1))
    }

    fn batch(&self) -> Result<Batch<'a>> {
        let header = self.head.table(2).ok_or_else(cut_off)?;
        let (record, dictionary) = match self.head.u8(1) {
            Some(3) => (header, None),
            Some(2) => {
                let adds = header.u8(2).unwrap_or(0) != 0;
                (header.table(1).ok_or_else(cut_off)?, Some((header.i64(0).unwrap_or(0), adds)))
            }
            _ => return Err(broken("a batch is of another kind")),
        };
        let listed = |place: usize, size: usize| record.structs(place, size).unwrap_or_default().into_iter();
        let codec = record.table(3).map(|packed| packed.u8(0).unwrap_or(0));
        let rows = record.i64(0).unwrap_or(0);
        Ok(Batch {
            rows: u64::try_from(rows).map_err(|_| broken("a batch has a negative number of rows"))?,
            nodes: listed(1, 16),
            buffers: listed(2, 16),
            views: listed(4, 8),
            body: self.body,
            codec,
            dictionary,
        })
    }
}

impl Batch<'_> {
    /// How many further buffers the next column of views has.
    fn further(&mut self) -> Result<usize> {
        let count = self.views.next().and_then(|count| count.first_chunk::<8>()).ok_or_else(cut_off)?;
        usize::try_from(i64::from_le_bytes(*count)).map_err(|_| cut_off())
    }

    /// Leaves out the next column, with those within it.
    fn pass_over(&mut self, field: &Field) -> Result<()> {
        self.nodes.next().ok_or_else(cut_off)?;
        let (buffers, within) = match (field.dictionary, field.kind) {
            // the values are in the dictionary
            (Some(_), _) => (2, &[][..]),
            (None, Kind::View) => (self.further()?.saturating_add(2), &[][..]),
            (None, kind) => (kind.buffers(), field.children.as_slice()),
        };
        if let Some(before) = buffers.checked_sub(1) {
            self.buffers.nth(before).ok_or_else(cut_off)?;
        }
        within.iter().try_for_each(|field| self.pass_over(field))
    }
}

impl File {
    fn read_dictionary(&mut self, mut batch: Batch<'_>, fields: &[Field]) -> Result<()> {
        let Some((id, adds)) = batch.dictionary else { return Err(broken("a dictionary is none")) };
        let is_its = |field: &&Field| field.dictionary.is_some_and(|(known, _)| known == id);
        let Some(field) = fields.iter().find(is_its).filter(|field| field.unsupported().is_none()) else {
            // of a column that is left out, or of something within one
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
    fn buffer<'a>(&mut self, batch: &mut Batch<'a>) -> Result<Cow<'a, [u8]>> {
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
    fn cells<'a>(&mut self, batch: &mut Batch<'a>, field: &Field) -> Result<Vec<Cell>> {
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
            // nulls are done, and columns of the others are left out
            Kind::Null | Kind::Other(_) => Ok(Vec::new()),
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
                let more = (0..batch.further()?).map(|_| self.buffer(batch)).collect::<Result<Vec<_>>>()?;
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
    fn numbers(&mut self, batch: &mut Batch<'_>, field: &Field) -> Result<Vec<f64>> {
        let cells = self.cells(batch, field.item()?)?;
        let number = |cell: &Cell| match cell {
            Cell::Number(value) => Some(*value),
            Cell::Empty => Some(f64::NAN),
            // an integer that a double does not hold exactly
            Cell::Text(text) => text.parse().ok(),
            Cell::List(_) => None,
        };
        let numbers = cells.iter().map(number).collect::<Option<Vec<f64>>>();
        numbers.ok_or_else(|| broken("the items of a list are no numbers"))
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
    use serde_json::{Value, json};

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
            ("pyarrow_lz4.arrows", 9),
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
        for name in ["small.arrow", "small.arrows"] {
            let file = opened(name, &bytes(name), 1 << 20).unwrap();
            let found: Vec<String> = file.columns.iter().map(|c| Value::from(cells(&c.values)).to_string()).collect();
            assert_eq!(
                found,
                [
                    "[0.25,0.5,null,0.75]",
                    "[1.0,0.0,1.0,0.0]",
                    r#"["x",null,"a longer text","x"]"#,
                    "[[1.0,2.0],[1.0,2.0],[1.0,2.0],[1.0,2.0]]"
                ],
                "{name}"
            );
        }
    }

    #[test]
    fn a_stream_may_add_to_a_dictionary_and_replace_it() {
        let file = opened("dictionaries.arrows", &bytes("dictionaries.arrows"), 1 << 20).unwrap();
        assert_eq!(json!(cells(&file.columns[0].values)), json!(["a", "b", "c", "a", "d", null]));
    }

    #[test]
    fn a_stream_may_lack_the_mark_of_its_end() {
        let whole = bytes("small.arrows");
        let unmarked = opened("a.arrows", whole.strip_suffix(&END).unwrap(), 1 << 20).unwrap();
        assert_eq!(json!(cells(&unmarked.columns[1].values)), json!([1.0, 0.0, 1.0, 0.0]));
        let schema = opened("a.arrows", &[&CONTINUATION[..], &[16, 0, 0, 0], &[0; 16]].concat(), 1 << 20).unwrap_err();
        assert_eq!(schema.code(), "table_unreadable", "{schema}");
    }

    #[test]
    fn columns_of_unsupported_types_are_left_out_with_a_sentence() {
        let file = opened("left_out.arrow", &bytes("left_out.arrow"), 1 << 20).unwrap();
        let found: Vec<Value> = file.columns.iter().map(|c| json!([c.name, cells(&c.values)])).collect();
        let vectors = vec![[2_f64.powi(60), 1.0]; 3];
        let kept = [json!(["p", [0.25, null, 0.75]]), json!(["y", [1.0, 0.0, 1.0]]), json!(["vector", vectors])];
        assert_eq!(found, kept);
        let left_out = [
            ("stay", "interval"),
            ("person", "struct"),
            ("scores", "map"),
            ("drugs", "list<string>"),
            ("wards", "list<dictionary>"),
            ("views", "list<string_view>"),
            ("either", "union"),
            ("or", "union"),
            ("runs", "run_end_encoded"),
            ("wide", "decimal256"),
            ("list", "list_view"),
        ];
        assert_eq!(file.warnings, left_out.map(|(name, kind)| not_read(name, "Arrow", kind)));
        let first = "`stay` has values of the Arrow type interval, which is not supported, and was left out.";
        assert_eq!(file.warnings[0].message, first);
    }

    /// Types within types, each level 50 times the same: without a bound 50^16 types of 3 kB.
    #[test]
    fn a_schema_that_refers_to_its_types_again_and_again_is_an_error() {
        const TIMES: u32 = 50;
        // where the table begins, and the places of its fields: a type at 4, types within it at 8
        let mut bytes = [&20_u32.to_le_bytes()[..], &[16, 0, 12, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 0]].concat();
        for level in 0..=DEEPEST {
            let times = if level < DEEPEST { TIMES } else { 0 };
            let back = bytes.len() as u32 - 4;
            bytes.extend([back, 13, 4, times].iter().flat_map(|number| number.to_le_bytes()));
            bytes.extend((0..times).flat_map(|place| (4 * (times - place)).to_le_bytes()));
        }
        let types = Table::root(&bytes).unwrap();
        let error = Field::of(&types, 0, &mut (bytes.len() / TYPE)).unwrap_err();
        assert!(error.to_string().contains("more types than it has room for"), "{error}");
    }

    #[test]
    fn a_damaged_file_is_an_error_wherever_it_is_damaged() {
        for name in [
            "pyarrow_none.arrow",
            "pyarrow_lz4.arrow",
            "pyarrow_zstd.arrow",
            "polars.arrow",
            "pyarrow_lz4.arrows",
            "left_out.arrow",
        ] {
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
        for name in ["pyarrow_zstd.arrow", "pyarrow_none.arrow", "pyarrow_lz4.arrows"] {
            let error = opened(name, &bytes(name), 9_000).unwrap_err();
            assert_eq!(error.code(), "too_large", "{error}");
        }
    }

    #[test]
    fn numbers_of_every_size() {
        let whole = |bytes, signed, of: &[u8]| Whole { bytes, signed }.value(of);
        assert_eq!((whole(1, true, &[0xff]), whole(1, false, &[0xff])), (Some(-1), Some(255)));
        assert_eq!((whole(8, true, &[0xff; 8]), whole(4, true, &[0])), (Some(-1), None));
        assert_eq!((signed(&[0xfe, 0xff]), signed(&[]), signed(&[0, 1])), (-2, 0, 256));
    }
}
