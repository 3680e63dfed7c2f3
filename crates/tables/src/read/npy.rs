//! NPY: one NumPy array, format versions 1 to 3.

use super::half::half;
use super::levels::Levels;
use super::{Contents, Format, ReadFile, Source, stem, thousands};
use crate::error::{Error, Result, Text};
use crate::table::values::EXACT_INTEGERS;
use crate::table::{Column, Matrix, NamedColumn, Reals, Values, Warning};
use crate::words::text::quoted;

pub(super) const FORMAT: Format =
    Format { endings: &["npy"], recognizes: |source| source.bytes.starts_with(b"\x93NUMPY"), read: array };

/// The one column of the file, which has its name.
fn array(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let values = values(source.bytes)?.ok_or_else(|| {
        let shape = shape_of(source.bytes);
        let (what, hint) = match shape.as_slice() {
            [] => (
                "The array is a single value.".to_owned(),
                "Save an array with one row per prediction: `np.save(\"scores.npy\", scores)`.",
            ),
            shape => (format!("The array has the shape {}, not one row per prediction.", shape_text(shape)), MEMBERS),
        };
        Error::new("array_unreadable", what, hint)
    })?;
    progress(1.0);
    Ok(Contents::Columns(ReadFile {
        name: source.name.to_owned(),
        columns: vec![NamedColumn { file: source.name.to_owned(), name: stem(source.name).to_owned(), values }],
        ..ReadFile::default()
    }))
}

fn unreadable(message: impl Into<Text>) -> Error {
    Error::new(
        "array_unreadable",
        message,
        "Save it again with NumPy, one row per prediction: `np.save(\"scores.npy\", np.asarray(scores, dtype=\"float64\"))`.",
    )
}

/// What to do with an array of three dimensions: probabilities of the members of an ensemble, say.
const MEMBERS: &str = "Average the probabilities over the members, or save those of each member as an array of their own, with one \
                       row per prediction.";

/// The shape that the array's header states; empty of a single value, and where there is none.
pub(super) fn shape_of(bytes: &[u8]) -> Vec<usize> {
    parts(bytes).and_then(|(header, _)| shape(header)).unwrap_or_default()
}

/// That an array without rows of one or two dimensions was ignored, and what to save in its place.
pub(super) fn passed_over(name: String, shape: &[usize]) -> Warning {
    let message = match shape {
        [] => format!("An array that is a single value was ignored: {}.", quoted(&name)),
        shape => format!(
            "{} was ignored: it has the shape {}, and an array has one row per prediction. {MEMBERS}",
            quoted(&name),
            shape_text(shape)
        ),
    };
    Warning { code: "array_passed_over".into(), message, row: None, column: Some(name) }
}

/// Element type: kind letter, bytes of one element, byte order.
#[derive(Debug, Clone, Copy)]
struct Element {
    kind: u8,
    size: usize,
    big_endian: bool,
}

/// The array's values: a column for shape (n,) or (n, 1), a matrix for (n, d); `None` for single values and
/// three or more dimensions.
///
/// # Errors
/// `array_pickled` for Python objects; `array_unreadable` when the header is damaged, the element type is not
/// known, or the shape promises more than the bytes hold (checked before anything is allocated).
pub(super) fn values(bytes: &[u8]) -> Result<Option<Values>> {
    let (header, body) = parts(bytes).ok_or_else(|| unreadable("The array's header is damaged or truncated."))?;
    let element = element(header)?;
    let fortran = after(header, "fortran_order").is_some_and(|text| text.starts_with("True"));
    let shape = shape(header).ok_or_else(|| unreadable("The array's header has no shape."))?;
    let count = shape.iter().try_fold(1usize, |product, &axis| product.checked_mul(axis));
    if element.kind == b'O' {
        return if shape.is_empty() {
            Ok(None)
        } else {
            Err(Error::new(
                "array_pickled",
                "The array contains Python objects, which run code when read and are never opened.",
                "Save plain numbers or strings: `np.asarray(labels, dtype=\"int64\")`, or `.astype(str)` for names.",
            ))
        };
    }
    let promised = count.and_then(|count| count.checked_mul(element.size));
    let Some(data) = promised.and_then(|length| body.get(..length)) else {
        return Err(unreadable(format!(
            "The array's shape {} needs {} bytes, but {} are present.",
            shape_text(&shape),
            promised.map_or("more than 2⁶⁴".to_owned(), thousands),
            thousands(body.len())
        )));
    };
    shaped(data, element, &shape, fortran)
}

/// The values of an array of another format, row-major and little-endian: of floats (`f`), whole numbers (`i`, `u`) or truths
/// (`b`), each of `size` bytes, as many as the shape says.
pub(super) fn of_bytes(data: &[u8], kind: u8, size: usize, shape: &[usize]) -> Result<Option<Values>> {
    shaped(data, Element { kind, size, big_endian: false }, shape, false)
}

fn shaped(data: &[u8], element: Element, shape: &[usize], fortran: bool) -> Result<Option<Values>> {
    let Some((&rows, others)) = shape.split_first() else { return Ok(None) };
    let wide: Vec<usize> = others.iter().copied().filter(|&axis| axis != 1).collect();
    match wide.as_slice() {
        [] => column(data, element, rows).map(Some),
        [width] if matches!(element.kind, b'U' | b'S') => {
            let _ = width;
            Err(unreadable(format!(
                "The array has {} columns of text; only single text columns are supported.",
                thousands(*width)
            )))
        }
        [width] => matrix(data, element, rows, *width, fortran).map(Some),
        _ => Ok(None),
    }
}

/// Bytes that the values of an array will take in memory; 0 for what is no array, which [`values`] refuses.
pub(super) fn memory(bytes: &[u8]) -> u64 {
    let needed = || {
        let (header, _) = parts(bytes)?;
        let element = element(header).ok()?;
        let shape = shape(header)?;
        let count = shape.iter().try_fold(1u64, |product, &axis| product.checked_mul(axis as u64));
        let wide = shape.iter().filter(|axis| **axis != 1).count() > 1;
        // Single floats of several columns stay what they are; everything else becomes doubles.
        let each = if wide && element.kind == b'f' && element.size <= 4 { 4 } else { element.size.max(8) as u64 };
        // An array that promises more than its bytes hold is refused as such.
        count.filter(|count| count.saturating_mul(element.size as u64) <= bytes.len() as u64)?.checked_mul(each)
    };
    needed().unwrap_or(0)
}

fn shape_text(shape: &[usize]) -> String {
    let axes: Vec<String> = shape.iter().map(|&axis| thousands(axis)).collect();
    format!("({})", axes.join(" × "))
}

/// Header text and the bytes after it.
fn parts(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let rest = bytes.strip_prefix(b"\x93NUMPY")?;
    let (version, rest) = rest.split_first_chunk::<2>()?;
    let (length, rest) = match version[0] {
        1 => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk::<4>()?;
            (usize::try_from(u32::from_le_bytes(*length)).ok()?, rest)
        }
        _ => return None,
    };
    let (header, body) = rest.split_at_checked(length)?;
    Some((std::str::from_utf8(header).ok()?, body))
}

/// What follows `'key':` in the header's dictionary.
fn after<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = [format!("'{key}'"), format!("\"{key}\"")]
        .iter()
        .find_map(|quoted| header.find(quoted.as_str()).map(|at| at + quoted.len()))?;
    header.get(at..)?.trim_start().strip_prefix(':').map(str::trim_start)
}

fn shape(header: &str) -> Option<Vec<usize>> {
    let inside = after(header, "shape")?.strip_prefix('(')?;
    let inside = inside.get(..inside.find(')')?)?;
    inside
        .split(',')
        .map(|axis| axis.trim().trim_end_matches('L'))
        .filter(|axis| !axis.is_empty())
        .map(|axis| axis.parse().ok())
        .collect()
}

fn element(header: &str) -> Result<Element> {
    let descr = after(header, "descr").unwrap_or("");
    if descr.starts_with('[') {
        return Err(Error::new(
            "array_unreadable",
            "The array is a structured array (a record of fields in each row).",
            "Save each field as its own array: `np.savez(\"predictions.npz\", **{k: a[k] for k in a.dtype.names})`.",
        ));
    }
    let code = descr.strip_prefix(['\'', '"']).and_then(|text| text.split(['\'', '"']).next()).unwrap_or("");
    let (order, rest) = match code.as_bytes().first() {
        Some(b'<' | b'>' | b'|' | b'=') => code.split_at(1),
        _ => ("<", code),
    };
    let kind = rest.as_bytes().first().copied().unwrap_or(b'?');
    let size: usize = rest.get(1..).and_then(|size| size.parse().ok()).unwrap_or(0);
    let known = match kind {
        b'f' => matches!(size, 2 | 4 | 8),
        b'i' | b'u' => matches!(size, 1 | 2 | 4 | 8),
        b'b' => size == 1,
        b'U' | b'S' => size < 1 << 24,
        b'O' => true,
        _ => false,
    };
    if !known {
        return Err(unreadable(format!("The array's element type `{code}` is not supported.")));
    }
    Ok(Element { kind, size: if kind == b'U' { size * 4 } else { size }, big_endian: order == ">" })
}

macro_rules! each {
    ($data:expr, $big:expr, $type:ty, $size:literal, $convert:expr) => {{
        let (chunks, _) = $data.as_chunks::<$size>();
        let convert = $convert;
        if $big {
            chunks.iter().map(|chunk| convert(<$type>::from_be_bytes(*chunk))).collect()
        } else {
            chunks.iter().map(|chunk| convert(<$type>::from_le_bytes(*chunk))).collect()
        }
    }};
}

fn reals(data: &[u8], element: Element) -> Vec<f64> {
    let big = element.big_endian;
    match (element.kind, element.size) {
        (b'f', 2) => each!(data, big, u16, 2, half),
        (b'f', 4) => each!(data, big, f32, 4, f64::from),
        (b'f', _) => each!(data, big, f64, 8, |v| v),
        (b'i', 1) => each!(data, big, i8, 1, f64::from),
        (b'i', 2) => each!(data, big, i16, 2, f64::from),
        (b'i', 4) => each!(data, big, i32, 4, f64::from),
        (b'i', _) => each!(data, big, i64, 8, |v: i64| v as f64),
        (b'u', 2) => each!(data, big, u16, 2, f64::from),
        (b'u', 4) => each!(data, big, u32, 4, f64::from),
        (b'u', 8) => each!(data, big, u64, 8, |v: u64| v as f64),
        _ => each!(data, big, u8, 1, f64::from),
    }
}

/// Whole numbers too large for a float, as text.
fn exact_text(data: &[u8], element: Element) -> Option<Values> {
    let signed = element.kind == b'i';
    if element.size != 8 || !(signed || element.kind == b'u') {
        return None;
    }
    let words: Vec<u64> = each!(data, element.big_endian, u64, 8, |v| v);
    let magnitude = |&v: &u64| if signed { (v as i64).unsigned_abs() } else { v };
    if words.iter().map(magnitude).max().unwrap_or(0) <= EXACT_INTEGERS {
        return None;
    }
    let mut levels = Levels::default();
    for word in words {
        levels.push(&if signed { (word as i64).to_string() } else { word.to_string() });
    }
    Some(levels.into_values())
}

fn column(data: &[u8], element: Element, rows: usize) -> Result<Values> {
    match element.kind {
        b'b' => {
            let mut levels = Levels::default();
            data.iter().for_each(|&v| levels.push(if v == 0 { "false" } else { "true" }));
            Ok(levels.into_values())
        }
        b'U' | b'S' => text(data, element, rows),
        _ => Ok(exact_text(data, element).unwrap_or_else(|| Values::Numbers(Column::from(reals(data, element))))),
    }
}

fn text(data: &[u8], element: Element, rows: usize) -> Result<Values> {
    let mut levels = Levels::default();
    if element.size == 0 {
        // An array of empty strings takes no bytes: its rows must not be believed beyond reason.
        if rows > 1 << 24 {
            return Err(unreadable("The array declares rows of text without any bytes."));
        }
        (0..rows).for_each(|_| levels.push_missing());
        return Ok(levels.into_values());
    }
    let mut cell = String::new();
    for item in data.chunks_exact(element.size) {
        cell.clear();
        if element.kind == b'S' {
            cell.push_str(&String::from_utf8_lossy(item));
        } else {
            for unit in item.as_chunks::<4>().0 {
                let code = if element.big_endian { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
                cell.push(char::from_u32(code).unwrap_or('\u{fffd}'));
            }
        }
        let trimmed = cell.trim_end_matches('\0').trim();
        if trimmed.is_empty() {
            levels.push_missing();
        } else {
            levels.push(trimmed);
        }
    }
    Ok(levels.into_values())
}

fn matrix(data: &[u8], element: Element, rows: usize, width: usize, fortran: bool) -> Result<Values> {
    if width == 0 {
        return Err(Error::new(
            "empty",
            format!("The array has {} rows and no columns.", thousands(rows)),
            "Save scores with one column per class.",
        ));
    }
    let big = element.big_endian;
    let values = match (element.kind, element.size) {
        (b'f', 4) => Reals::F32(Column::from(row_major(each!(data, big, f32, 4, |v| v), rows, width, fortran))),
        (b'f', 2) => {
            Reals::F32(Column::from(row_major(each!(data, big, u16, 2, |v| half(v) as f32), rows, width, fortran)))
        }
        _ => Reals::F64(Column::from(row_major(reals(data, element), rows, width, fortran))),
    };
    Ok(Values::Matrix(Matrix { width, values }))
}

fn row_major<T: Copy>(values: Vec<T>, rows: usize, width: usize, fortran: bool) -> Vec<T> {
    if !fortran || rows == 0 {
        return values;
    }
    let columns: Vec<&[T]> = values.chunks_exact(rows).collect();
    let mut out = Vec::with_capacity(values.len());
    for i in 0..rows {
        out.extend(columns.iter().take(width).filter_map(|column| column.get(i)));
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
