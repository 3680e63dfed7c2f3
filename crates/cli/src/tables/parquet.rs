//! Parquet: columns of row groups, by the crate `parquet`, which is built without Arrow. What it does not say is bounded here: how
//! large the columns become.

use std::sync::Arc;

use bytes::Bytes;
use localcal::error::{Error, Result};
use localcal::read::cells::{Builder, Cell, Nested, not_read, number, written};
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{DataType, Decimal};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::types::{ColumnDescriptor, Type};
use serde_json::{Value, json};

use super::columns::{of_columns, of_json};
use super::pages::Group;
use super::{Kind, damaged, too_large};

/// Bytes of a row's cell of a column, at least.
const BYTES: u64 = 8;
/// Rows that are read at a time.
const BATCH: usize = 65_536;

/// The container of the columns of a file.
///
/// * `most`: bytes that the columns may come to
pub fn parquet(bytes: Vec<u8>, most: u64) -> Result<Vec<u8>> {
    let broken = |error: ParquetError| damaged(Kind::Parquet, &plain(&error));
    let bytes = Arc::new(Bytes::from(bytes));
    let file = SerializedFileReader::new(Bytes::clone(&bytes)).map_err(broken)?;
    let metadata = file.metadata();
    check_places(metadata)?;
    let roots = metadata.file_metadata().schema_descr().root_schema().get_fields();
    check_size(metadata, roots.len(), most)?;
    check_codecs(metadata)?;
    let left_out: Vec<Option<ConvertedType>> = roots.iter().map(|root| unsupported(root)).collect();
    let mut columns: Vec<Builder> = roots.iter().map(|_| Builder::default()).collect();
    for place in 0..file.num_row_groups() {
        let group = Group { inner: file.get_row_group(place).map_err(broken)?, source: Arc::clone(&bytes), most };
        let mut leaf = 0;
        for ((root, column), left_out) in roots.iter().zip(&mut columns).zip(&left_out) {
            match root.as_ref() {
                _ if left_out.is_some() => {}
                root if is_cell(root) => flat(&group, leaf, column).map_err(broken)?,
                _ => nested(&group, root, column).map_err(broken)?,
            }
            leaf += leaves(root);
        }
    }
    let unsupported = |(root, kind): (&Arc<Type>, &Option<ConvertedType>)| {
        kind.map(|kind| json!(not_read(root.name(), "Parquet", &kind.to_string())))
    };
    let warnings = roots.iter().zip(&left_out).filter_map(unsupported);
    let read = roots.iter().zip(columns).zip(&left_out).filter(|(_, left_out)| left_out.is_none());
    let read = read.map(|((root, column), _)| (root.name().to_owned(), column.done()));
    Ok(of_columns(read, warnings.collect()))
}

/// The type of a field, or of one within it, whose values are not read.
fn unsupported(field: &Type) -> Option<ConvertedType> {
    let kind = field.get_basic_info().converted_type();
    if matches!(kind, ConvertedType::BSON | ConvertedType::INTERVAL) {
        return Some(kind);
    }
    let within: &[Arc<Type>] = if field.is_primitive() { &[] } else { field.get_fields() };
    within.iter().find_map(|field| unsupported(field))
}

/// The crate's sentence without its kind.
pub(super) fn plain(error: &ParquetError) -> String {
    let text = error.to_string();
    text.split_once(": ").map_or(text.as_str(), |(_, what)| what).to_owned()
}

/// Numbers of rows, and places in the file, must be what they can be.
pub(super) fn check_places(metadata: &ParquetMetaData) -> Result<()> {
    let rows = metadata.file_metadata().num_rows();
    let of_groups = metadata.row_groups().iter().map(|group| group.num_rows());
    if rows < 0 || of_groups.clone().any(|rows| rows < 0) || of_groups.sum::<i64>() != rows {
        return Err(damaged(Kind::Parquet, "its row groups have another number of rows than the file"));
    }
    // the crate takes them for places in the file
    let mut columns_of_groups = metadata.row_groups().iter().flat_map(|group| group.columns());
    if columns_of_groups.any(|column| {
        let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
        start < 0 || column.compressed_size() < 0
    }) {
        return Err(damaged(Kind::Parquet, "a column begins or ends before the file"));
    }
    Ok(())
}

/// Rows and columns that the file says it has must fit; and so must its pages, unpacked.
fn check_size(metadata: &ParquetMetaData, columns: usize, most: u64) -> Result<()> {
    let rows = metadata.file_metadata().num_rows();
    let unpacked = metadata.row_groups().iter().flat_map(|group| group.columns());
    let unpacked = unpacked.map(|column| column.uncompressed_size().max(0) as u64).fold(0, u64::saturating_add);
    let size = (rows as u64).saturating_mul(columns as u64).saturating_mul(BYTES).max(unpacked);
    if size > most {
        return Err(too_large(&format!("The file has {rows} rows and {columns} columns:"), size, most));
    }
    Ok(())
}

pub(super) fn check_codecs(metadata: &ParquetMetaData) -> Result<()> {
    let mut columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    let Some(refused) =
        columns.find(|column| matches!(column.compression(), Compression::BROTLI(_) | Compression::LZO))
    else {
        return Ok(());
    };
    let codec = if matches!(refused.compression(), Compression::LZO) { "LZO" } else { "Brotli" };
    Err(Error::new(
        "file_unknown",
        format!("This Parquet file is compressed with {codec}, which is not read."),
        "Write it with compression \"zstd\" or \"snappy\", the default of most tools.",
    ))
}

/// Whether a field has one value a row.
fn is_cell(field: &Type) -> bool {
    field.is_primitive() && field.get_basic_info().repetition() != Repetition::REPEATED
}

/// The primitive column that a field is, by its place; `None` for lists and structures.
pub(super) fn leaf_of(roots: &[Arc<Type>], place: usize) -> Option<usize> {
    let before = roots.get(..place)?.iter().map(|root| leaves(root)).sum();
    roots.get(place).filter(|root| is_cell(root)).map(|_| before)
}

/// Primitive columns of a field.
fn leaves(field: &Type) -> usize {
    if field.is_primitive() { 1 } else { field.get_fields().iter().map(|field| leaves(field)).sum() }
}

/// What the values of a primitive column mean.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    /// as they are
    Value,
    /// unsigned, of so many bits
    Unsigned,
    /// to be divided by this power of ten
    Decimal(f64),
    /// days since 1970
    Day,
    /// so many of them make a millisecond, or milliseconds each
    Time(TimeUnit),
    /// of 16 bits
    Half,
    Json,
    Uuid,
}

fn meaning(column: &ColumnDescriptor) -> std::result::Result<Meaning, ParquetError> {
    let decimal = || format!("1e{}", column.type_scale()).parse().unwrap_or(1.0);
    Ok(match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Decimal(_)), _) | (_, ConvertedType::DECIMAL) => Meaning::Decimal(decimal()),
        (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => Meaning::Day,
        (Some(LogicalType::Timestamp(time)), _) => Meaning::Time(time.unit),
        (_, ConvertedType::TIMESTAMP_MILLIS) => Meaning::Time(TimeUnit::MILLIS),
        (_, ConvertedType::TIMESTAMP_MICROS) => Meaning::Time(TimeUnit::MICROS),
        (Some(LogicalType::Integer(whole)), _) if !whole.is_signed => Meaning::Unsigned,
        (_, ConvertedType::UINT_32 | ConvertedType::UINT_64) => Meaning::Unsigned,
        (Some(LogicalType::Json), _) | (_, ConvertedType::JSON) => Meaning::Json,
        (Some(LogicalType::Uuid), _) => Meaning::Uuid,
        (Some(LogicalType::Float16), _) => Meaning::Half,
        (_, kind @ (ConvertedType::BSON | ConvertedType::INTERVAL)) => {
            return Err(ParquetError::General(format!("column {} has the type {kind}", column.name())));
        }
        _ => Meaning::Value,
    })
}

/// Adds the cells of a primitive column of a row group.
pub(super) fn flat(group: &dyn RowGroupReader, leaf: usize, to: &mut Builder) -> std::result::Result<(), ParquetError> {
    let description = group.metadata().schema_descr().column(leaf);
    let meaning = meaning(&description)?;
    let optional = description.max_def_level() > 0;
    let rows = usize::try_from(group.metadata().num_rows())?;
    let each = Each { rows, optional };
    match group.get_column_reader(leaf)? {
        ColumnReader::BoolColumnReader(reader) => each.of(reader, to, |to, value| {
            to.text(if *value { "true" } else { "false" });
            Ok(())
        }),
        ColumnReader::Int32ColumnReader(reader) => each.of(reader, to, |to, value| {
            match meaning {
                Meaning::Decimal(unit) => to.number(f64::from(*value) / unit),
                Meaning::Unsigned => to.number(f64::from(*value as u32)),
                Meaning::Day => to.text(&day(i64::from(*value) * 86_400_000)?),
                _ => to.number(f64::from(*value)),
            }
            Ok(())
        }),
        ColumnReader::Int64ColumnReader(reader) => each.of(reader, to, |to, value| {
            match meaning {
                Meaning::Decimal(unit) => to.number(*value as f64 / unit),
                Meaning::Unsigned => to.add(Cell::of_integer(i128::from(*value as u64))),
                Meaning::Time(unit) => to.text(&day(milliseconds(*value, unit))?),
                _ => to.add(Cell::of_integer(i128::from(*value))),
            }
            Ok(())
        }),
        ColumnReader::Int96ColumnReader(reader) => each.of(reader, to, |to, value| {
            to.text(&day(value.to_millis())?);
            Ok(())
        }),
        ColumnReader::FloatColumnReader(reader) => each.of(reader, to, |to, value| {
            to.number(f64::from(*value));
            Ok(())
        }),
        ColumnReader::DoubleColumnReader(reader) => each.of(reader, to, |to, value| {
            to.number(*value);
            Ok(())
        }),
        ColumnReader::ByteArrayColumnReader(reader) => {
            each.of(reader, to, |to, value| of_bytes(to, value.data(), meaning))
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            each.of(reader, to, |to, value| of_bytes(to, value.data(), meaning))
        }
    }
}

/// How the values of a primitive column become cells.
struct Each {
    rows: usize,
    optional: bool,
}

impl Each {
    fn of<T: DataType>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        to: &mut Builder,
        put: impl Fn(&mut Builder, &T::T) -> std::result::Result<(), ParquetError>,
    ) -> std::result::Result<(), ParquetError> {
        let mut left = self.rows;
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        while left > 0 {
            levels.clear();
            values.clear();
            let levels_of = self.optional.then_some(&mut levels);
            let (rows, ..) = reader.read_records(left.min(BATCH), levels_of, None, &mut values)?;
            if rows == 0 || rows > left {
                return Err(ParquetError::EOF("a column has another number of rows than the file says".to_owned()));
            }
            left -= rows;
            if !self.optional {
                values.iter().try_for_each(|value| put(to, value))?;
                continue;
            }
            let mut present = values.iter();
            for level in &levels {
                match (*level > 0).then(|| present.next()).flatten() {
                    Some(value) => put(to, value)?,
                    None => to.empty(),
                }
            }
        }
        Ok(())
    }
}

fn of_bytes(to: &mut Builder, bytes: &[u8], meaning: Meaning) -> std::result::Result<(), ParquetError> {
    match meaning {
        Meaning::Decimal(unit) => to.number(big_endian(bytes) / unit),
        Meaning::Half => match bytes {
            [low, high] => to.number(f64::from(half::f16::from_le_bytes([*low, *high]))),
            _ => return Err(ParquetError::General("a number of 16 bits has another length".to_owned())),
        },
        Meaning::Uuid => to.text(&uuid(bytes)),
        Meaning::Json => {
            let value: Value = serde_json::from_slice(bytes)
                .map_err(|error| ParquetError::General(format!("a cell is not JSON: {error}")))?;
            to.add(of_json(value).into_cell());
        }
        _ => to.text(&String::from_utf8_lossy(bytes)),
    }
    Ok(())
}

/// A signed integer of any number of bytes, the largest first.
fn big_endian(bytes: &[u8]) -> f64 {
    let negative = bytes.first().is_some_and(|byte| *byte >= 0x80);
    let fill = if negative { 0xff } else { 0 };
    if let (true, Some(padding)) = (bytes.len() <= 16, 16_usize.checked_sub(bytes.len())) {
        let mut whole = [fill; 16];
        whole.iter_mut().skip(padding).zip(bytes).for_each(|(to, byte)| *to = *byte);
        return i128::from_be_bytes(whole) as f64;
    }
    let size = bytes.iter().fold(0.0, |sum, byte| sum * 256.0 + f64::from(byte ^ fill));
    if negative { -size - 1.0 } else { size }
}

fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (place, byte) in bytes.iter().enumerate() {
        if [4, 6, 8, 10].contains(&place) {
            text.push('-');
        }
        text += &format!("{byte:02x}");
    }
    text
}

/// Whole milliseconds, toward zero.
fn milliseconds(value: i64, unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::MILLIS => value,
        TimeUnit::MICROS => value / 1_000,
        TimeUnit::NANOS => value / 1_000_000,
    }
}

fn day(milliseconds: i64) -> std::result::Result<String, ParquetError> {
    written(milliseconds).ok_or_else(|| ParquetError::General("a date lies outside the years 0 to 9999".to_owned()))
}

/// Adds the cells of a list, a structure or a map of a row group.
fn nested(group: &dyn RowGroupReader, root: &Arc<Type>, to: &mut Builder) -> std::result::Result<(), ParquetError> {
    let name = group.metadata().schema_descr().name().to_owned();
    let projection = Type::group_type_builder(&name).with_fields(vec![Arc::clone(root)]).build()?;
    let mut rows = 0;
    for row in RowIter::from_row_group(Some(projection), group)? {
        match row?.into_columns().into_iter().next() {
            Some((_, field)) => to.add(value(field)?.into_cell()),
            None => to.empty(),
        }
        rows += 1;
    }
    match rows == group.metadata().num_rows() {
        true => Ok(()),
        false => Err(ParquetError::EOF("a column has another number of rows than the file says".to_owned())),
    }
}

/// A value within a cell. Dates within structures are written as JavaScript writes them there.
fn value(field: Field) -> std::result::Result<Nested, ParquetError> {
    let moment = |milliseconds: i64| -> std::result::Result<Nested, ParquetError> {
        let text = day(milliseconds)?;
        let text = if text.contains('T') { text } else { format!("{text}T00:00:00") };
        Ok(Nested::Text(if text.contains('.') { format!("{text}Z") } else { format!("{text}.000Z") }))
    };
    Ok(match field {
        Field::Null => Nested::Null,
        Field::Bool(value) => Nested::Bool(value),
        Field::Byte(value) => Nested::Number(value.into()),
        Field::Short(value) => Nested::Number(value.into()),
        Field::Int(value) | Field::TimeMillis(value) => Nested::Number(value.into()),
        Field::UByte(value) => Nested::Number(value.into()),
        Field::UShort(value) => Nested::Number(value.into()),
        Field::UInt(value) => Nested::Number(value.into()),
        Field::Long(value) | Field::TimeMicros(value) => Nested::Integer(value.into()),
        Field::ULong(value) => Nested::Integer(value.into()),
        Field::Float16(value) => Nested::Number(value.into()),
        Field::Float(value) => Nested::Number(value.into()),
        Field::Double(value) => Nested::Number(value),
        Field::Decimal(value) => Nested::Number(decimal(&value)),
        Field::Str(text) => Nested::Text(text),
        Field::Bytes(bytes) => Nested::Text(String::from_utf8_lossy(bytes.data()).into_owned()),
        Field::Date(days) => moment(i64::from(days) * 86_400_000)?,
        Field::TimestampMillis(value) => moment(value)?,
        Field::TimestampMicros(value) => moment(milliseconds(value, TimeUnit::MICROS))?,
        Field::Group(row) => {
            let fields = row.into_columns().into_iter().map(|(name, field)| Ok((name, value(field)?)));
            Nested::Fields(fields.collect::<std::result::Result<_, ParquetError>>()?)
        }
        Field::ListInternal(list) => {
            let items = list.elements().iter().map(|item| value(item.clone()));
            Nested::List(items.collect::<std::result::Result<_, ParquetError>>()?)
        }
        Field::MapInternal(map) => {
            let fields = map.entries().iter().map(|(key, item)| {
                let key = match value(key.clone())? {
                    Nested::Text(text) => text,
                    other => match other.into_cell() {
                        Cell::Number(value) => number(value),
                        Cell::Text(text) => text,
                        _ => String::new(),
                    },
                };
                Ok((key, value(item.clone())?))
            });
            Nested::Fields(fields.collect::<std::result::Result<_, ParquetError>>()?)
        }
    })
}

fn decimal(value: &Decimal) -> f64 {
    let unit: f64 = format!("1e{}", value.scale()).parse().unwrap_or(1.0);
    big_endian(value.data()) / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_any_length() {
        assert_eq!((big_endian(&[]), big_endian(&[0xff]), big_endian(&[1, 0])), (0.0, -1.0, 256.0));
        assert_eq!(big_endian(&[0xff; 20]), -1.0);
        assert_eq!(milliseconds(-1_500_000, TimeUnit::NANOS), -1);
        assert_eq!(uuid(&[0x12; 16]), "12121212-1212-1212-1212-121212121212");
        assert_eq!(uuid(&(0..=16).collect::<Vec<u8>>()).len(), 38);
    }
}
