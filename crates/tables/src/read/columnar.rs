//! Columns that a library of the page has read of a Parquet file or a workbook, in the container that `www/tables/columns.ts`
//! writes: a magic line, the length of the head (32 bits, little-endian), the head as JSON, and the values of each column in the
//! order of the head, each at a multiple of eight bytes. In place of columns it may hold a table in plain text.

use serde::Deserialize;

use super::{Contents, Format, ReadFile, Source, delimited, distinct_names};
use crate::error::{Error, Result};
use crate::table::{Column, Dictionary, MISSING, Matrix, NamedColumn, Reals, Values, Warning};

const MAGIC: &[u8] = b"LOCALCAL COLUMNS 1\n";

pub(super) const FORMAT: Format =
    Format { endings: &[], recognizes: |source| source.bytes.starts_with(MAGIC), read: columns };

#[derive(Deserialize)]
struct Head {
    warnings: Vec<Warning>,
    /// what follows is a table in plain text
    text: bool,
    columns: Vec<Described>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Described {
    Numbers { name: String, rows: usize },
    Matrix { name: String, rows: usize, width: usize },
    Text { name: String, rows: usize, levels: Vec<String> },
}

fn columns(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    let (head, body) = parts(source.bytes).ok_or_else(cut_off)?;
    if head.text {
        let mut contents = (delimited::FORMAT.read)(&Source { bytes: body, ..*source }, progress)?;
        if let Contents::Columns(file) = &mut contents {
            file.warnings.extend(head.warnings);
        }
        return Ok(contents);
    }
    let mut rest = body;
    let columns = head.columns.into_iter().map(|described| column(described, source.name, &mut rest));
    let mut columns = columns.collect::<Option<Vec<NamedColumn>>>().ok_or_else(cut_off)?;
    let names = distinct_names(columns.iter_mut().map(|column| std::mem::take(&mut column.name)).collect());
    columns.iter_mut().zip(names).for_each(|(column, name)| column.name = name);
    progress(1.0);
    Ok(Contents::Columns(ReadFile {
        name: source.name.to_owned(),
        columns,
        warnings: head.warnings,
        ..ReadFile::default()
    }))
}

fn cut_off() -> Error {
    Error::new(
        "table_unreadable",
        "The columns that were read of the file do not reach the end that their head states.",
        "Drop the file itself again.",
    )
}

/// The head, and what follows at the next multiple of eight bytes.
fn parts(bytes: &[u8]) -> Option<(Head, &[u8])> {
    let (length, after) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
    let (json, _) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let start = (MAGIC.len() + length.len() + json.len()).next_multiple_of(8);
    Some((serde_json::from_slice(json).ok()?, bytes.get(start..)?))
}

fn column(described: Described, file: &str, rest: &mut &[u8]) -> Option<NamedColumn> {
    let (name, values) = match described {
        Described::Numbers { name, rows } => (name, Values::Numbers(doubles(rest, rows)?)),
        Described::Matrix { name, rows, width } => {
            let values = Reals::F64(doubles(rest, rows.checked_mul(width)?)?);
            (name, Values::Matrix(Matrix { width, values }))
        }
        Described::Text { name, rows, levels } => {
            let bytes = taken(rest, rows.checked_mul(4)?)?;
            let known = |code: u32| if (code as usize) < levels.len() { code } else { MISSING };
            let codes: Vec<u32> = bytes.as_chunks().0.iter().map(|bytes| known(u32::from_le_bytes(*bytes))).collect();
            let mut texts = Dictionary::default();
            levels.iter().for_each(|level| {
                texts.push(level);
            });
            (name, Values::Text { codes: codes.into(), levels: texts })
        }
    };
    Some(NamedColumn { file: file.to_owned(), name, values })
}

fn doubles(rest: &mut &[u8], count: usize) -> Option<Column<f64>> {
    let bytes = taken(rest, count.checked_mul(8)?)?;
    let values: Vec<f64> = bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    Some(values.into())
}

/// The next `length` bytes; those that fill the last eight are passed over.
fn taken<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after.get(length.next_multiple_of(8) - length..).unwrap_or_default();
    Some(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::read;
    use super::*;

    fn container(head: &str, body: &[u8]) -> Vec<u8> {
        let mut bytes = [MAGIC, &(head.len() as u32).to_le_bytes(), head.as_bytes()].concat();
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.extend_from_slice(body);
        bytes
    }

    const HEAD: &str = r#"{"warnings":[],"text":false,"columns":[
        {"kind":"text","name":"ward","rows":3,"levels":["A","B"]},
        {"kind":"numbers","name":"p","rows":3},
        {"kind":"matrix","name":"x","rows":3,"width":2}]}"#;

    fn body() -> Vec<u8> {
        let mut body: Vec<u8> = [1u32, MISSING, 0, 0].iter().flat_map(|code| code.to_le_bytes()).collect();
        let numbers = [0.1, f64::NAN, 0.3, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        body.extend(numbers.iter().flat_map(|number: &f64| number.to_le_bytes()));
        body
    }

    #[test]
    fn columns_are_what_the_page_wrote() {
        let file = read("a.parquet", &container(HEAD, &body()), &mut |_| ()).unwrap();
        let names: Vec<&str> = file.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["ward", "p", "x"]);
        let Values::Text { codes, levels } = &file.columns[0].values else { panic!("{file:?}") };
        assert_eq!((codes.to_vec(), levels.text(1)), (vec![1, MISSING, 0], "B"));
        let Values::Numbers(p) = &file.columns[1].values else { panic!("{file:?}") };
        assert!(p[0] == 0.1 && p[1].is_nan() && p[2] == 0.3);
        let Values::Matrix(Matrix { width: 2, values: Reals::F64(x) }) = &file.columns[2].values else {
            panic!("{file:?}")
        };
        assert_eq!(x.to_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn a_container_that_is_cut_off_anywhere_is_an_error() {
        let whole = container(HEAD, &body());
        for length in MAGIC.len()..whole.len() {
            let error = read("a.parquet", &whole[..length], &mut |_| ()).unwrap_err();
            assert_eq!(error.code(), "table_unreadable", "{length}: {error}");
        }
        for rows in ["18446744073709551615", "2305843009213693952"] {
            let large = HEAD.replace("\"rows\":3", &format!("\"rows\":{rows}"));
            assert!(read("a.parquet", &container(&large, &body()), &mut |_| ()).is_err());
        }
    }

    #[test]
    fn a_table_in_plain_text_is_read_as_such() {
        let head =
            r#"{"warnings":[{"code":"other_sheets","message":"The sheet “A” was read."}],"text":true,"columns":[]}"#;
        let file = read("a.xlsx", &container(head, b"p,y\n0.2,0\n0.7,1\n"), &mut |_| ()).unwrap();
        assert_eq!((file.columns.len(), file.header), (2, Some(true)));
        assert_eq!(file.warnings[0].code, "other_sheets");
    }
}
