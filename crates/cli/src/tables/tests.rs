//! What the crates read of files that other tools wrote equals what pandas read of them, cell by cell, as the page's libraries do
//! (`www/tables/tables.test.ts`, same files, same expectation).
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::*;

const MOST: u64 = 1 << 31;

fn bytes(name: &str) -> Vec<u8> {
    fs::read(format!("{}/../../tests/tables/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn read(name: &str, most: u64) -> Result<Vec<u8>> {
    readable(Source { name: name.to_owned(), bytes: bytes(name) }, Some(most), None).map(|source| source.bytes)
}

fn expected() -> BTreeMap<String, Vec<Value>> {
    serde_json::from_slice(&bytes("expected.json")).unwrap()
}

/// The cells of a container, column by column.
fn cells(bytes: &[u8]) -> BTreeMap<String, Vec<Value>> {
    let length = u32::from_le_bytes(bytes[19..23].try_into().unwrap()) as usize;
    let head: Value = serde_json::from_slice(&bytes[23..23 + length]).unwrap();
    let mut at = (23 + length).next_multiple_of(8);
    let mut found = BTreeMap::new();
    for column in head["columns"].as_array().unwrap() {
        let rows = column["rows"].as_u64().unwrap() as usize;
        let width = column["width"].as_u64().unwrap_or(1) as usize;
        let cells: Vec<Value> = match column["kind"] == "text" {
            true => {
                let codes = bytes[at..at + 4 * rows].as_chunks::<4>().0;
                at += (4 * rows).next_multiple_of(8);
                let levels = column["levels"].as_array().unwrap();
                codes.iter().map(|code| levels.get(u32::from_le_bytes(*code) as usize).cloned().into()).collect()
            }
            false => {
                let numbers = bytes[at..at + 8 * rows * width].as_chunks::<8>().0;
                at += 8 * rows * width;
                let numbers: Vec<Value> = numbers.iter().map(|bytes| json!(f64::from_le_bytes(*bytes))).collect();
                match column["kind"] == "matrix" {
                    true => numbers.chunks(width).map(|row| json!(row)).collect(),
                    false => numbers,
                }
            }
        };
        found.insert(column["name"].as_str().unwrap().to_owned(), cells);
    }
    assert_eq!(at, bytes.len());
    found
}

/// Numbers are numbers, however they are written.
fn same(found: &[Value], expected: &[Value], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (row, pair) in found.iter().zip(expected).enumerate() {
        match pair {
            (Value::Number(a), Value::Number(b)) => assert_eq!(a.as_f64(), b.as_f64(), "{what}, row {row}"),
            (Value::Array(a), Value::Array(b)) => same(a, b, what),
            (a, b) => assert_eq!(a, b, "{what}, row {row}"),
        }
    }
}

fn all_same(found: &BTreeMap<String, Vec<Value>>, expected: &BTreeMap<String, Vec<Value>>, what: &str) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{what}");
    for (name, cells) in found {
        same(cells, &expected[name], &format!("{what}, {name}"));
    }
}

#[test]
fn parquet_of_pyarrow_and_polars_is_what_pandas_reads() {
    for codec in ["snappy", "zstd", "gzip", "lz4", "none", "v2_plain"] {
        let name = format!("pyarrow_{codec}.parquet");
        all_same(&cells(&read(&name, MOST).unwrap()), &expected(), &name);
    }
    all_same(&cells(&read("polars.parquet", MOST).unwrap()), &expected(), "polars");
}

#[test]
fn probabilities_in_single_precision() {
    let mut expected = expected();
    expected.remove("embedding");
    let risk = expected.get_mut("risk").unwrap();
    risk.iter_mut().for_each(|risk| *risk = json!(f64::from(risk.as_f64().unwrap() as f32)));
    all_same(&cells(&read("pandas.parquet", MOST).unwrap()), &expected, "pandas");
}

#[test]
fn decimals_booleans_days_times_and_vectors_of_spark() {
    let (found, expected) = (cells(&read("decimals.parquet", MOST).unwrap()), expected());
    same(&found["risk"], &expected["risk"], "decimals");
    same(&found["when"], &expected["admitted"], "days");
    let died: Vec<Value> = expected["died"].iter().map(|died| json!((died == 1).to_string())).collect();
    same(&found["died"], &died, "booleans");
    let hours: Vec<Value> =
        expected["admitted"].iter().map(|day| json!(format!("{}T05:00:00", day.as_str().unwrap()))).collect();
    same(&found["hour"], &hours, "times");
    let found = cells(&read("spark_vector.parquet", MOST).unwrap());
    let vectors: Vec<Value> = expected["risk"].iter().map(|p| json!([1.0 - p.as_f64().unwrap(), p])).collect();
    same(&found["probability"], &vectors, "vectors");
}

/// A workbook of sheets: each its name, whether it is hidden, and its cells.
fn workbook_of(sheets: &[(&str, bool, String)]) -> Vec<u8> {
    use std::io::Write as _;
    let numbered = |one: &dyn Fn(usize) -> String| (0..sheets.len()).map(one).collect::<String>();
    let listed = numbered(&|i| {
        let state = if sheets[i].1 { " state=\"hidden\"" } else { "" };
        format!("<sheet name=\"{}\" sheetId=\"{n}\"{state} r:id=\"rId{n}\"/>", sheets[i].0, n = i + 1)
    });
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let related = numbered(&|i| {
        let n = i + 1;
        format!("<Relationship Id=\"rId{n}\" Type=\"{office}/worksheet\" Target=\"worksheets/sheet{n}.xml\"/>")
    });
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let mut files = vec![
        ("[Content_Types].xml".to_owned(), "<Types/>".to_owned()),
        (
            "_rels/.rels".to_owned(),
            format!(
                "<Relationships xmlns=\"{package}\"><Relationship Id=\"rId1\" Type=\"{office}/officeDocument\" \
                 Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml".to_owned(),
            format!("<workbook xmlns=\"{main}\" xmlns:r=\"{office}\"><sheets>{listed}</sheets></workbook>"),
        ),
        (
            "xl/_rels/workbook.xml.rels".to_owned(),
            format!("<Relationships xmlns=\"{package}\">{related}</Relationships>"),
        ),
    ];
    for (i, (.., content)) in sheets.iter().enumerate() {
        let sheet = format!("<worksheet xmlns=\"{main}\">{content}</worksheet>");
        files.push((format!("xl/worksheets/sheet{}.xml", i + 1), sheet));
    }
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// What a filter hides is read as it is, and said.
#[test]
fn hidden_rows_are_counted() {
    let row = |n: usize| {
        let hidden = if n > 3 { " hidden=\"1\"" } else { "" };
        format!("<row r=\"{n}\"{hidden}><c r=\"A{n}\"><v>{n}</v></c><c r=\"B{n}\"><v>0</v></c></row>")
    };
    let said = |rows: usize| {
        let content = format!("<sheetData>{}</sheetData>", (1..=rows).map(row).collect::<String>());
        let bytes = workbook_of(&[("cover", false, String::new()), ("data", false, content)]);
        String::from_utf8_lossy(&workbook::workbook(&bytes, MOST, None).unwrap()).into_owned()
    };
    assert!(said(9).contains("6 rows of the sheet are hidden, and were read, too"));
    assert!(said(4).contains("1 row of the sheet is hidden, and was read, too"));
    assert!(!said(3).contains("hidden"));
}

/// 2,000 cells that are merged over a million rows: their values are not repeated before the sheet is refused.
#[test]
fn merged_cells_of_a_sheet_that_is_too_large_are_not_repeated() {
    let name = |column: usize| {
        let letter = |i: usize| char::from(b'A' + u8::try_from(i).unwrap());
        [column / 676, column / 26 % 26, column % 26].map(letter).iter().collect::<String>()
    };
    // columns BAA and on
    let names: Vec<String> = (676..2_676).map(name).collect();
    let row = |number: u32| {
        let cell = |name: &String| format!("<c r=\"{name}{number}\"><v>1</v></c>");
        format!("<row r=\"{number}\">{}</row>", names.iter().map(cell).collect::<String>())
    };
    let regions: String = names.iter().map(|name| format!("<mergeCell ref=\"{name}2:{name}1048576\"/>")).collect();
    let last = format!("<row r=\"1048576\"><c r=\"{}1048576\"><v>1</v></c></row>", names[0]);
    let content = format!("<sheetData>{}{}{last}</sheetData><mergeCells>{regions}</mergeCells>", row(1), row(2));
    let bytes = workbook_of(&[("all", false, content)]);
    let error = workbook::workbook(&bytes, MOST, None).unwrap_err();
    assert_eq!(error.code(), "too_large");
    assert!(error.to_string().contains("The sheet “all” has"), "{error}");
}

/// Of sheets without rows of two cells, too, a hidden one is not read where another holds a table.
#[test]
fn a_hidden_sheet_of_one_column_is_not_preferred() {
    let column = |value: u32| {
        let row = |number: u32| format!("<row r=\"{number}\"><c r=\"A{number}\"><v>{value}</v></c></row>");
        format!("<sheetData>{}</sheetData>", (1..5).map(row).collect::<String>())
    };
    let bytes = workbook_of(&[("notes", true, column(7)), ("scores", false, column(8))]);
    let container = String::from_utf8_lossy(&workbook::workbook(&bytes, MOST, None).unwrap()).into_owned();
    assert!(container.contains("The sheet “scores” was read."), "{container}");
}

#[test]
fn a_column_of_an_unsupported_type_is_left_out_with_a_sentence() {
    let container = read("duckdb_interval.parquet", MOST).unwrap();
    let found = cells(&container);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["died", "risk"]);
    same(&found["risk"], &[json!(0.25), json!(0.75)], "interval");
    let head = String::from_utf8_lossy(&container);
    assert!(head.contains("`stay` has values of the Parquet type INTERVAL, which is not supported"), "{head}");
}

#[test]
fn the_first_sheet_with_a_table_is_the_text_that_the_page_reads() {
    let container = read("workbook.xlsx", MOST).unwrap();
    let length = u32::from_le_bytes(container[19..23].try_into().unwrap()) as usize;
    let head: Value = serde_json::from_slice(&container[23..23 + length]).unwrap();
    let message = head["warnings"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("The sheet “Predictions” was read. Not read: “First five”."), "{message}");
    let text = &container[(23 + length).next_multiple_of(8)..];
    assert_eq!(std::str::from_utf8(text).unwrap(), String::from_utf8(bytes("workbook.csv")).unwrap());
}

#[test]
fn a_cover_is_no_table() {
    let container = String::from_utf8_lossy(&read("workbook_with_cover.xlsx", MOST).unwrap()).into_owned();
    assert!(container.contains("The sheet “Data” was read. Not read: “Cover”, “Notes”."), "{container}");
    assert!(container.contains("risk,died\n0.25,1\n"), "{container}");
}

#[test]
fn a_cell_merged_over_rows_is_the_value_of_each() {
    let container = String::from_utf8_lossy(&read("workbook_merged.xlsx", MOST).unwrap()).into_owned();
    assert!(container.contains("2 cells of the sheet are merged over several rows"), "{container}");
    let rows = "site,patient,risk,died\nNorth,1,0.25,1\nNorth,2,0.75,0\nNorth,3,0.25,1\nSouth,1,0.75,0\n";
    assert!(container.contains(rows), "{container}");
}

/// What people see is read, not an older table that was hidden.
#[test]
fn a_hidden_sheet_is_not_read() {
    let container = String::from_utf8_lossy(&read("workbook_hidden.xlsx", MOST).unwrap()).into_owned();
    assert!(container.contains("The sheet “Shown” was read. Not read: “Old”"), "{container}");
    assert!(container.contains("0.125,1"), "{container}");
}

#[test]
fn durations_and_times_of_the_day_are_numbers_of_days() {
    let container = String::from_utf8_lossy(&read("workbook_durations.xlsx", MOST).unwrap()).into_owned();
    let rows = "risk,died,stay,at,admitted\n0.25,1,5.25,0.75,2024-03-05\n0.75,0,0.5,";
    assert!(container.contains(rows) && container.contains(",2024-03-06"), "{container}");
}

#[test]
fn another_sheet_is_read_where_it_is_named() {
    let text = |sheet: u64| {
        let container = workbook::workbook(&bytes("workbook.xlsx"), MOST, Some(sheet)).unwrap();
        String::from_utf8_lossy(&container).lines().count()
    };
    // the magic line, and the head on that of the names
    assert_eq!((text(1), text(2)), (302, 7));
    let missing = workbook::workbook(&bytes("workbook.xlsx"), MOST, Some(9)).map(|_| ()).unwrap_err();
    assert!(missing.to_string().contains("--sheet 9: this workbook has 2 sheets with tables."), "{missing}");
}

#[test]
fn what_is_not_read_says_why_and_what_would_work() {
    for (name, most, code, message) in [
        (
            "pyarrow_brotli.parquet",
            MOST,
            "file_unknown",
            "compressed with Brotli, which is not read (file `pyarrow_brotli",
        ),
        ("pyarrow_none.parquet", 1000, "too_large", "300 rows and 9 columns: some 0 MB as numbers"),
        ("workbook.xlsx", 1000, "too_large", "The workbook unpacks to"),
    ] {
        let error = read(name, most).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(message) && !error.hint().is_empty(), "{error}");
    }
    let plain = Source { name: "a.csv".to_owned(), bytes: b"p,y\n0.5,1\n".to_vec() };
    assert_eq!(readable(plain, None, None).unwrap().bytes, b"p,y\n0.5,1\n");
}

/// Every file with a byte changed, or cut off, somewhere: an error with a sentence, or columns.
#[test]
fn a_damaged_file_is_an_error_wherever_it_is_damaged() {
    for name in [
        "pyarrow_snappy.parquet",
        "pyarrow_zstd.parquet",
        "pyarrow_v2_plain.parquet",
        "spark_vector.parquet",
        "workbook.xlsx",
    ] {
        let whole = bytes(name);
        let kind = if name.ends_with("xlsx") { Kind::Workbook } else { Kind::Parquet };
        let (mut refused, mut stopped) = (0, Vec::new());
        for at in (4..whole.len()).step_by(whole.len() / 500 + 1) {
            let mut changed = whole.clone();
            changed[at] ^= 0x55;
            for bytes in [changed, whole[..at].to_vec()] {
                let attempt = std::panic::catch_unwind(|| match kind {
                    Kind::Parquet => parquet::parquet(bytes, MOST),
                    Kind::Workbook => workbook::workbook(&bytes, MOST, None),
                });
                match attempt {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => {
                        assert!(["table_unreadable", "too_large", "file_unknown"].contains(&error.code()), "{error}");
                        refused += 1;
                    }
                    Err(_) => stopped.push(at),
                }
            }
        }
        assert!(refused > 100, "{name}: {refused}");
        assert!(stopped.is_empty(), "{name}: the crate panics for a changed byte at {stopped:?}");
    }
}
