//! Excel workbooks (.xlsx): the sheet that was chosen, else the first with data, by the crate `calamine`, as plain text, which the core reads like
//! any other: headers, dates, percent signs and missing values are found in it as they are in a CSV file.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use calamine::{DataRef, Dimensions, Reader, SheetVisible, Xlsx, XlsxError};
use localcal::error::{Error, Result};
use localcal::read::cells::number;
use serde_json::{Value, json};

use super::columns::of_text;
use super::{Kind, damaged, too_large};

/// Cells of a sheet beyond which it is refused, as in the page.
const MOST_CELLS: u64 = 20_000_000;

/// The container of a sheet with a table.
///
/// * `most`: bytes that the files of the archive may come to
/// * `sheet`: which one, counted from 1 among those that hold a table; default: the first with data
pub fn workbook(bytes: &[u8], most: u64, sheet: Option<u64>) -> Result<Vec<u8>> {
    let broken = |error: XlsxError| damaged(Kind::Workbook, &error.to_string());
    check_size(bytes, most)?;
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(broken)?;
    let mut holding = Vec::new();
    for name in book.sheet_names() {
        if holds_table(&mut book, &name) {
            holding.push(name);
        }
    }
    if holding.is_empty() {
        return Err(Error::new(
            "file_unknown",
            "No sheet of this workbook contains a table.",
            "A table has a row of names and a row for each case.",
        ));
    }
    let place = match sheet {
        Some(sheet) => usize::try_from(sheet).ok().and_then(|sheet| sheet.checked_sub(1)),
        None => Some(with_data(&mut book, &holding)),
    };
    let Some(read) = place.and_then(|place| holding.get(place)) else {
        let names: Vec<String> = (1..).zip(&holding).map(|(place, name)| format!("{place} “{name}”")).collect();
        return Err(Error::new(
            "invalid_option",
            format!(
                "--sheet {}: this workbook has {}.",
                sheet.unwrap_or(1),
                counted(holding.len(), "sheet with a table", "sheets with tables")
            ),
            format!("Choose one of: {}.", names.join(", ")),
        ));
    };
    let others: Vec<String> = holding.iter().filter(|name| *name != read).map(|name| format!("“{name}”")).collect();
    let mut warnings = Vec::new();
    if !others.is_empty() {
        warnings.push(other_sheets(read, &others));
    }
    let (text, repeated) = text_of_sheet(&mut book, read)?;
    if repeated > 0 {
        warnings.push(merged_cells(repeated));
    }
    let place = book.sheets_metadata().iter().position(|sheet| sheet.name == *read);
    if let Some(hidden @ 1..) = place.and_then(|place| hidden_rows(bytes, place)) {
        warnings.push(rows_hidden(hidden));
    }
    Ok(of_text(&text, warnings))
}

fn counted(number: usize, one: &str, several: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {several}") }
}

fn other_sheets(read: &str, others: &[String]) -> Value {
    json!({
        "code": "other_sheets",
        "message": format!(
            "The sheet “{read}” was read. Not read: {}. Choose the sheet with --sheet.",
            others.join(", ")
        ),
    })
}

/// What the page says, too.
fn merged_cells(repeated: usize) -> Value {
    let message = match repeated {
        1 => "1 cell of the sheet is merged over several rows: each of them has its value.".to_owned(),
        _ => format!("{repeated} cells of the sheet are merged over several rows: each of these rows has the value."),
    };
    json!({ "code": "merged_cells", "message": message })
}

/// What the page says, too.
fn rows_hidden(hidden: usize) -> Value {
    let rows = counted(hidden, "row of the sheet is hidden, and was", "rows of the sheet are hidden, and were");
    let message =
        format!("{rows} read, too: by a filter, or by hand. To leave them out, delete them in a copy of the workbook.");
    json!({ "code": "rows_hidden", "message": message })
}

/// Rows of a sheet that a filter or a person hides, which the crate does not tell; `None` where the sheet is not found.
///
/// * `place`: of the sheet among all of the workbook
fn hidden_rows(workbook: &[u8], place: usize) -> Option<usize> {
    let mut archive = zip::ZipArchive::new(Cursor::new(workbook)).ok()?;
    let mut text = |path: &str| {
        let mut text = Vec::new();
        archive.by_name(path).ok()?.read_to_end(&mut text).ok()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    let book = text("xl/workbook.xml")?;
    let id = attribute(elements(&book, "sheet").nth(place)?, ":id")?;
    let relations = text("xl/_rels/workbook.xml.rels")?;
    let of_sheet = elements(&relations, "Relationship").find(|one| attribute(one, " Id") == Some(id))?;
    let target = attribute(of_sheet, " Target")?;
    let path = target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned);
    let hidden = |row: &&str| matches!(attribute(row, " hidden"), Some("1" | "true"));
    Some(elements(&text(&path)?, "row").filter(hidden).count())
}

/// The start tags of the elements of a name, whatever its namespace is called.
fn elements<'a>(xml: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    xml.split('<').skip(1).filter_map(move |part| {
        let tag = part.split_once('>').map_or(part, |(tag, _)| tag);
        let (whole, _) = tag.split_once(char::is_whitespace)?;
        (whole.rsplit(':').next() == Some(name)).then_some(tag)
    })
}

/// Value of an attribute; `name` with the space or the colon before it.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = tag.split_once(&format!("{name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// What the files of the archive come to, whatever its directory says of their sizes.
fn check_size(bytes: &[u8], most: u64) -> Result<()> {
    let broken = |error: &dyn std::fmt::Display| damaged(Kind::Workbook, &error.to_string());
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    let mut size = 0;
    for place in 0..archive.len() {
        let entry = archive.by_index(place).map_err(|error| broken(&error))?;
        let left = (most - size).saturating_add(1);
        size += std::io::copy(&mut entry.take(left), &mut std::io::sink()).map_err(|error| broken(&error))?;
        if size > most {
            return Err(too_large("The workbook unpacks to", size, most));
        }
    }
    Ok(())
}

/// Whether a sheet has a row behind its first; one of a chart has no cells.
fn holds_table<R: Read + std::io::Seek>(book: &mut Xlsx<R>, name: &str) -> bool {
    let Ok(mut reader) = book.worksheet_cells_reader(name) else { return false };
    while let Ok(Some(cell)) = reader.next_cell() {
        if cell.get_position().0 > 0 && text_of(cell.get_value()).is_some() {
            return true;
        }
    }
    false
}

/// Place of the first sheet with at least a quarter as many rows of two cells or more as the longest has: before it stand
/// covers and notes. Of hidden ones only where no other has a table.
fn with_data<R: Read + std::io::Seek>(book: &mut Xlsx<R>, holding: &[String]) -> usize {
    if holding.len() < 2 {
        return 0;
    }
    let hidden = |name: &String| {
        let mut sheets = book.sheets_metadata().iter();
        sheets.any(|sheet| sheet.name == *name && sheet.visible != SheetVisible::Visible)
    };
    let hidden: Vec<bool> = holding.iter().map(hidden).collect();
    let all_hidden = hidden.iter().all(|hidden| *hidden);
    let shown = (0..).zip(holding).zip(hidden).filter(|(_, hidden)| all_hidden || !hidden);
    let rows: Vec<(usize, usize)> = shown.map(|((place, name), _)| (place, rows_of_cells(book, name))).collect();
    let most = rows.iter().map(|(_, rows)| *rows).max().unwrap_or(0);
    rows.iter().find(|(_, rows)| 4 * rows >= most).map_or(0, |(place, _)| *place)
}

/// Rows in which two cells or more hold something.
fn rows_of_cells<R: Read + std::io::Seek>(book: &mut Xlsx<R>, name: &str) -> usize {
    let Ok(mut reader) = book.worksheet_cells_reader(name) else { return 0 };
    let mut cells: BTreeMap<u32, usize> = BTreeMap::new();
    while let Ok(Some(cell)) = reader.next_cell() {
        if text_of(cell.get_value()).is_some() {
            *cells.entry(cell.get_position().0).or_default() += 1;
        }
    }
    cells.values().filter(|cells| **cells > 1).count()
}

/// A sheet as comma-separated text, from its first row and column to the last that hold something, and how many of its cells
/// are merged over several rows.
fn text_of_sheet<R: Read + std::io::Seek>(book: &mut Xlsx<R>, name: &str) -> Result<(String, usize)> {
    let broken = |error: XlsxError| damaged(Kind::Workbook, &error.to_string());
    let mut cells: BTreeMap<(u32, u32), String> = BTreeMap::new();
    let mut dates: BTreeMap<u32, Vec<(u32, f64)>> = BTreeMap::new();
    let (mut first_row, mut first_column) = (u32::MAX, u32::MAX);
    let (mut last_row, mut last_column) = (0, 0);
    let mut reader = book.worksheet_cells_reader(name).map_err(broken)?;
    while let Some(cell) = reader.next_cell().map_err(broken)? {
        let Some(text) = text_of(cell.get_value()) else { continue };
        let (row, column) = cell.get_position();
        first_row = first_row.min(row);
        first_column = first_column.min(column);
        last_row = last_row.max(row);
        last_column = last_column.max(column);
        cells.insert((row, column), text);
        if let DataRef::DateTime(serial) = cell.get_value() {
            dates.entry(column).or_default().push((row, serial.as_f64()));
        }
    }
    for ((row, column), days) in durations(&dates) {
        cells.insert((row, column), number(days));
    }
    let (first_row, first_column) = (first_row.min(last_row), first_column.min(last_column));
    drop(reader);
    let (rows, columns) = (last_row - first_row + 1, last_column - first_column + 1);
    let size = u64::from(rows) * u64::from(columns);
    if size > MOST_CELLS {
        return Err(too_large(&format!("The sheet “{name}” has {size} cells:"), size * 8, MOST_CELLS * 8));
    }
    // a few merged regions over all rows hold more cells than memory: their values are repeated only within a sheet that is read
    let merged = book.merge_cells_by_sheet_name(name).map_err(broken)?;
    let repeated = repeat_merged(&mut cells, merged, first_row, last_row);
    let mut lines = vec![vec![""; columns as usize]; rows as usize];
    for ((row, column), text) in &cells {
        let (row, column) = ((row - first_row) as usize, (column - first_column) as usize);
        if let Some(cell) = lines.get_mut(row).and_then(|line| line.get_mut(column)) {
            *cell = text;
        }
    }
    let line = |cells: &Vec<&str>| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",");
    Ok((lines.iter().map(line).collect::<Vec<_>>().join("\n"), repeated))
}

/// Days of the cells of columns of durations or times of the day, which are stored as dates: all of theirs lie before 1901.
fn durations(dates: &BTreeMap<u32, Vec<(u32, f64)>>) -> impl Iterator<Item = ((u32, u32), f64)> {
    let columns = dates.iter().filter(|(_, cells)| cells.iter().all(|(_, days)| *days < FIRST_DATE));
    // to the millisecond, as the page knows them
    let days = |days: f64| (days * 864e5).round() / 864e5;
    columns.flat_map(move |(column, cells)| cells.iter().map(move |(row, of)| ((*row, *column), days(*of))))
}

/// 1901-01-01 in days of a workbook.
const FIRST_DATE: f64 = 367.0;

/// Gives the value of each cell that is merged over several rows to all of them, in its first column, as pandas writes an
/// index of several levels; how many there are. A header that is merged over its rows is none of them.
fn repeat_merged(
    cells: &mut BTreeMap<(u32, u32), String>,
    mut merged: Vec<Dimensions>,
    header: u32,
    last_row: u32,
) -> usize {
    merged.sort_by_key(|region| region.start.0);
    let mut last_of_column: BTreeMap<u32, u32> = BTreeMap::new();
    let mut repeated = 0;
    for Dimensions { start: (top, column), end: (bottom, _) } in merged {
        let Some(value) = cells.get(&(top, column)).filter(|_| bottom > top && top > header).cloned() else { continue };
        repeated += 1;
        let last = last_of_column.entry(column).or_insert(top);
        for row in top.max(*last) + 1..=bottom.min(last_row) {
            cells.entry((row, column)).or_insert_with(|| value.clone());
        }
        *last = bottom.max(*last);
    }
    repeated
}

/// A cell as CSV writes it.
fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\r', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// What a cell shows, in plain text; `None` of an empty one.
fn text_of(cell: &DataRef<'_>) -> Option<String> {
    match cell {
        DataRef::Empty => None,
        DataRef::Int(value) => Some(value.to_string()),
        DataRef::Float(value) => Some(number(*value)),
        DataRef::String(text) => trimmed(text),
        DataRef::SharedString(text) => trimmed(text),
        DataRef::Bool(value) => Some(value.to_string()),
        DataRef::DateTime(serial) => {
            let (year, month, day, hour, minute, second, thousandths) = serial.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            Some(match (hour, minute, second, thousandths) {
                (0, 0, 0, 0) => date,
                (_, _, _, 0) => format!("{date}T{hour:02}:{minute:02}:{second:02}"),
                _ => format!("{date}T{hour:02}:{minute:02}:{second:02}.{thousandths:03}"),
            })
        }
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Some(text.clone()),
        DataRef::Error(error) => Some(error.to_string()),
    }
}

fn trimmed(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}
