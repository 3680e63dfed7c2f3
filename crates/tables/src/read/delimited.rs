//! Delimited text (CSV, TSV and their kin) to columns: numbers straight from the bytes, text as codes.

use super::counted;
use super::decimal::{decimal, hundredths, missing_number, missing_text, number};
use super::dialect::{Dialect, dialect};
use super::drawn::undrawn;
use super::edges;
use super::escapes::unescaped;
use super::frame::framed;
use super::header_rows::header_rows;
use super::levels::Levels;
use super::listing::unlisted;
use super::notation::{self, Ambiguous, Mark, Notation, Numbers};
use super::scan::{End, OpenQuote, Scanner};
use super::{
    Contents, Format, ReadFile, ReadOptions, Source, distinct_names, refused, text, thousands, too_large, weka,
};
use crate::error::{Error, Result, message, phrases};
use crate::table::{Column, NamedColumn, Values, Warning};
use crate::words::number::about;
use crate::words::text::{counted, listed, plain, quoted};

pub(super) const FORMAT: Format = Format {
    endings: &["csv", "tsv", "txt", "dat"],
    recognizes: |source| refused::plain_text(source.bytes, source.name).is_ok(),
    read: table,
};

/// The columns of a table in plain text.
fn table(source: &Source<'_>, progress: &mut dyn FnMut(f64)) -> Result<Contents> {
    refused::plain_text(source.bytes, source.name)?;
    let mut file = ReadFile { name: source.name.to_owned(), ..ReadFile::default() };
    let decoded = text::decoded(source.bytes, &mut file.warnings)?;
    if decoded.len() as u64 > source.options.most() {
        return Err(too_large("The table has", decoded.len() as f64, source.options.most()));
    }
    columns(&decoded, source.options, &mut file, progress)?;
    weka::translate(&mut file.columns);
    progress(1.0);
    Ok(Contents::Columns(file))
}

/// Rows between two reports of progress.
const PART: usize = 1 << 15;

/// Bytes that a text and its numbers may take together: a worker's memory, less what is made of them.
const MOST_TABLE: f64 = 2.5e9;

/// A column while it is read.
enum Building {
    /// every cell so far was a number or missing
    Numbers(Vec<f64>),
    /// text from the first row on
    Text(Levels),
    /// numbers first, then a text: the cells are read again
    Again,
}

/// Adds the columns of a text table to `file`.
///
/// * `options`: what a person said of its first and its last row
///
/// A column holds numbers if every cell of the whole file that is not missing is one. Lines before the table that begin with
/// `#` are passed over, and so are titles above it, footnotes below it and a last row of totals. Listings are divided into cells,
/// and a header of several rows becomes one.
///
/// # Errors
/// `empty` without rows; `table_unreadable` for a row with too few or too many cells, or a quote that is never
/// closed; `too_large` for more cells than there is memory for.
pub(super) fn columns(
    text: &str,
    options: ReadOptions,
    file: &mut ReadFile,
    progress: &mut dyn FnMut(f64),
) -> Result<()> {
    let marked = unescaped(text);
    let divided = unlisted(&marked)?;
    let text = &*undrawn(&divided);
    let once = with_one_header(text, options, file);
    let (text, dialect) = within(once.as_deref().unwrap_or(text), options, file);
    let last = edges::last_row(text, dialect.delimiter, options.totals == Some(true));
    let Some(last) = last else { return rows(text, dialect, options.most, file, progress).map(drop) };
    if options.totals != Some(false) {
        let mut without = ReadFile { name: file.name.clone(), ..ReadFile::default() };
        rows(last.before, dialect.clone(), options.most, &mut without, progress)?;
        if options.totals == Some(true) || last.adds_up(&without.columns, dialect.mark) {
            file.warnings.push(Warning {
                code: "totals_left_out".into(),
                message: format!(
                    "The last row, {}, contains totals of the rows above and was excluded.",
                    quoted(&last.name)
                ),
                row: None,
                column: None,
            });
            file.totals = Some(true);
            file.columns = without.columns;
            file.ambiguous = without.ambiguous;
            file.warnings.extend(without.warnings);
            return Ok(());
        }
    } else {
        file.totals = Some(false);
    }
    rows(text, dialect, options.most, file, progress).map(drop)
}

/// A text without the repetitions of its header, where it has one.
fn with_one_header(text: &str, options: ReadOptions, file: &mut ReadFile) -> Option<String> {
    let found = edges::without_repeated_header(text, dialect(text, options.header).delimiter);
    let (once, repeated) = found.filter(|(once, _)| dialect(once, options.header).header)?;
    file.warnings.push(edges::header_repeated(repeated));
    Some(once)
}

/// The table in a text, and how it is written: without what surrounds it, and without a header of several rows.
pub(super) fn within<'a>(text: &'a str, options: ReadOptions, file: &mut ReadFile) -> (&'a str, Dialect) {
    let mut remarks = edges::remarks(text);
    let frame = framed(remarks.rest, options.header);
    file.warnings.extend(frame.warning());
    let last = remarks.last.len().saturating_sub(frame.behind);
    (remarks.rest, remarks.last) = (frame.table, remarks.last.get(..last).unwrap_or(remarks.last));
    let (mut text, mut dialect) = beneath(&remarks, options.header, file);
    file.header = Some(dialect.header);
    if let Some(header) = header_rows(text, &dialect).filter(|_| options.header != Some(false)) {
        file.header = Some(true);
        file.warnings.push(header.warning);
        text = header.rest;
        dialect = Dialect { header: false, names: header.names, ..dialect };
    } else if !dialect.header && options.header.is_none() {
        file.warnings.push(Warning {
            code: "header_missing".into(),
            message: "The first row looks like data, so the columns were named `column 1`, `column 2`, ….".into(),
            row: None,
            column: None,
        });
    }
    (text, dialect)
}

/// The text beneath the remarks, and how it is written; the last remark may hold the names of the columns.
fn beneath<'a>(remarks: &edges::Remarks<'a>, header: Option<bool>, file: &mut ReadFile) -> (&'a str, Dialect) {
    let below = dialect(remarks.rest, header);
    let mut lines = remarks.lines.as_slice();
    let mut found = (remarks.rest, below);
    if let Some((last, before)) = lines.split_last()
        && header != Some(false)
        && !found.1.header
    {
        let named = dialect(remarks.last, Some(true));
        let words = named.width > 1 || !last.contains(char::is_whitespace);
        if named.delimiter == found.1.delimiter && named.width == found.1.width && words && !last.is_empty() {
            (lines, found) = (before, (remarks.last, named));
        }
    }
    let said: Vec<&str> = lines.iter().copied().filter(|line| !line.is_empty()).collect();
    if !said.is_empty() {
        file.warnings.push(Warning {
            code: "remarks_passed_over".into(),
            message: format!("Lines before the table that begin with # were ignored: {}.", listed(&said)),
            row: None,
            column: None,
        });
    }
    found
}

/// Adds the columns of the rows of a text to `file`; how each of them is written, in their order.
pub(super) fn rows(
    text: &str,
    mut dialect: Dialect,
    most: Option<u64>,
    file: &mut ReadFile,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Notation>> {
    let (mut built, comma) = first_pass(text, &dialect, most, progress)?;
    if comma && dialect.mark == b'.' && dialect.delimiter != b',' {
        // Decimal commas that the first rows did not show.
        let other = Dialect { mark: b',', ..dialect.clone() };
        let (again, _) = first_pass(text, &other, most, progress)?;
        let numbers = |columns: &[Building]| columns.iter().filter(|c| matches!(c, Building::Numbers(_))).count();
        if numbers(&again) > numbers(&built) {
            (built, dialect) = (again, other);
        }
    }
    let groups = counted::group_columns(&dialect.names);
    let texts = second_pass(text, &dialect, &built, (&groups, comma && dialect.mark == b'.'))?;
    let names = distinct_names(dialect.names);
    let (mut found, mut notations) = (Vec::new(), Vec::new());
    for (((name, column), again), is_group) in names.into_iter().zip(built).zip(texts).zip(groups) {
        let (values, cells) = match (column, again) {
            (_, Some(levels)) if is_group => {
                file.columns.push(NamedColumn { file: file.name.clone(), name, values: levels.into_values() });
                notations.push(Notation::Text);
                continue;
            }
            (Building::Numbers(values), cells) => (Values::Numbers(Column::from(values)), cells),
            (_, Some(levels)) | (Building::Text(levels), None) => (levels.into_values(), None),
            (Building::Again, None) => continue,
        };
        let unnamed_and_empty = name.starts_with("column ")
            && dialect.header
            && matches!(&values, Values::Numbers(v) if v.iter().all(|x| x.is_nan()));
        if !unnamed_and_empty {
            found.push((NamedColumn { file: file.name.clone(), name, values }, cells));
        }
    }
    notations.extend(in_other_notations(&mut found, dialect.mark, text.len(), most, file));
    file.columns.extend(found.into_iter().map(|(column, _)| column));
    let within = file.columns.iter().find_map(|column| {
        let lines = lines_within(column, dialect.delimiter, dialect.width);
        (lines > 0).then(|| (column.name.clone(), lines))
    });
    if let Some((name, lines)) = within {
        file.warnings.push(rows_within_a_cell(&name, lines));
    }
    Ok(notations)
}

/// That cells of a column hold lines that are rows, it seems.
pub(super) fn rows_within_a_cell(column: &str, lines: usize) -> Warning {
    let lines = match lines {
        1 => "1 line that looks like a row".to_owned(),
        lines => format!("{} lines that look like rows", thousands(lines)),
    };
    Warning {
        code: "rows_within_a_cell".into(),
        message: format!(
            "Cells of {} contain {lines}: where a cell begins with a quotation mark, it ends at the next one. If the mark is \
             part of the text, save the file with quoting.",
            quoted(column)
        ),
        row: None,
        column: Some(column.to_owned()),
    }
}

/// Lines within the distinct cells of a column that have as many cells as a row of the table.
fn lines_within(column: &NamedColumn, delimiter: u8, width: usize) -> usize {
    let Values::Text { levels, .. } = &column.values else { return 0 };
    levels.iter().map(|cell| rows_within(cell, delimiter, width)).sum()
}

/// Lines within a cell, without its first and last, that have as many cells as a row of the table.
pub(super) fn rows_within(cell: &str, delimiter: u8, width: usize) -> usize {
    let is_row = |line: &&str| width > 1 && line.bytes().filter(|byte| *byte == delimiter).count() + 1 == width;
    let lines = cell.lines().count();
    cell.lines().skip(1).take(lines.saturating_sub(2)).filter(is_row).count()
}

/// Makes numbers of texts that are numbers in another notation than the table's, and arrays of those that are vectors; how each
/// column is written.
///
/// * `found`: columns, those of numbers whose mark may be one of thousands with their cells
/// * `text`: bytes of the table
fn in_other_notations(
    found: &mut [(NamedColumn, Option<Levels>)],
    mark: u8,
    text: usize,
    most: Option<u64>,
    file: &mut ReadFile,
) -> Vec<Notation> {
    let written = |column: &NamedColumn| match &column.values {
        Values::Numbers(_) => Notation::Plain(mark),
        _ => Notation::Text,
    };
    let mut notations: Vec<Notation> = found.iter().map(|(column, _)| written(column)).collect();
    let read = |column: &NamedColumn, commas: bool| match &column.values {
        Values::Text { levels, .. } => notation::numbers(levels, mark, commas),
        _ => None,
    };
    let shows_commas = |numbers: &Numbers| {
        numbers.other.is_none() && numbers.example.contains(',') && (numbers.mark == Mark::Decimal) == (mark == b'.')
    };
    let percent_with_commas = |column: &NamedColumn| match &column.values {
        Values::Text { levels, .. } => {
            levels.iter().any(|text| text.contains(',')) && levels.iter().all(|text| hundredths(text).is_some())
        }
        _ => false,
    };
    let with_commas =
        |column: &NamedColumn| read(column, false).as_ref().is_some_and(shows_commas) || percent_with_commas(column);
    let commas = mark == b',' || found.iter().any(|(column, _)| with_commas(column));
    for ((column, cells), notation) in found.iter_mut().zip(&mut notations) {
        let numbers = match (&column.values, cells.take().map(Levels::into_values)) {
            (Values::Text { codes, levels }, _) => match notation::numbers(levels, mark, commas) {
                None => {
                    if !levels.is_empty() && levels.iter().all(|text| hundredths(text).is_some()) {
                        *notation = Notation::Percent;
                        continue;
                    }
                    let room = |width| room_for(codes.len(), width, text, most).is_ok();
                    if let Some(matrix) = notation::vectors(codes, levels, room) {
                        column.values = matrix;
                    }
                    continue;
                }
                Some(Numbers { values, notation: found, mark, example, other }) => {
                    *notation = found;
                    let other = other.map(|other| notation::spread(codes, &other));
                    (notation::spread(codes, &values), mark, example, other)
                }
            },
            (Values::Numbers(values), Some(Values::Text { codes, levels })) => {
                let points_of_thousands = mark == b'.' && commas;
                let alone = || notation::may_be_thousands(values) && notation::look_like_thousands(values);
                if !points_of_thousands && !alone() {
                    continue;
                }
                let Some((thousands, example)) = notation::as_thousands(&levels, mark) else { continue };
                let thousands = notation::spread(&codes, &thousands);
                if points_of_thousands {
                    *notation = Notation::Grouped('.', b',');
                }
                // Points are decimal marks, unless the other columns have decimal commas.
                match points_of_thousands {
                    true => (thousands, Mark::Thousands, example, Some(values.clone())),
                    false => (values.clone(), Mark::Decimal, example, Some(thousands)),
                }
            }
            _ => continue,
        };
        let (values, meant, example, other) = numbers;
        match other {
            Some(other) => {
                file.ambiguous.push(Ambiguous { column: column.name.clone(), mark: meant, example, other });
            }
            None => file.warnings.push(Warning {
                code: "numbers_in_other_notation".into(),
                message: format!(
                    "{} was read as numbers: {} is {}.",
                    quoted(&column.name),
                    example,
                    plain(values.iter().copied().find(|x| x.fract() != 0.0 || x.abs() >= 1e3).unwrap_or(f64::NAN))
                ),
                row: None,
                column: Some(column.name.clone()),
            }),
        }
        column.values = Values::Numbers(values);
    }
    notations
}

/// Columns, and whether one became text by what is a number with a decimal comma.
fn first_pass(
    text: &str,
    dialect: &Dialect,
    most: Option<u64>,
    progress: &mut dyn FnMut(f64),
) -> Result<(Vec<Building>, bool)> {
    let mut scanner = Scanner::new(text, dialect.delimiter);
    if dialect.header && scanner.next_row() {
        scanner.row().map_err(|_| open_quote(0))?;
    }
    let width = dialect.width;
    let expected = expected_rows(text, &scanner, width);
    room_for(expected, width, text.len(), most)?;
    let mut columns: Vec<Building> = (0..width).map(|_| Building::Numbers(Vec::with_capacity(expected))).collect();
    let mut rows = 0;
    let mut comma = false;
    loop {
        let before = rows;
        rows = part(&mut scanner, &mut columns, before, dialect.mark, &mut comma)?;
        if rows - before < PART {
            break;
        }
        progress(scanner.at as f64 / text.len() as f64);
    }
    if rows == 0 {
        return Err(Error::new(
            "empty",
            "The table has a header and no rows.",
            message![phrases::DROP_AT_FIRST, " a file with at least one row of predictions."],
        ));
    }
    Ok((columns, comma))
}

/// Adds the next rows, [`PART`] at most, to columns that hold `before`; how many they hold then.
///
/// A call of its own: browsers change to a function's optimized form between calls, never within one.
#[inline(never)]
fn part(scanner: &mut Scanner, columns: &mut [Building], before: usize, mark: u8, comma: &mut bool) -> Result<usize> {
    let width = columns.len();
    for row in before..before + PART {
        if !scanner.next_row() {
            return Ok(row);
        }
        let start = scanner.at;
        let mut end = End::Cell;
        for column in &mut *columns {
            if end == End::Row {
                return Err(ragged(scanner, start, row, width));
            }
            end = cell(scanner, column, row, mark, comma).map_err(|_| open_quote(row + 1))?;
        }
        if end == End::Cell {
            return Err(ragged(scanner, start, row, width));
        }
    }
    Ok(before + PART)
}

/// Refuses a table whose text and numbers, 8 bytes a cell, cannot be in memory together.
///
/// # Errors
/// `too_large`, with how many such rows would fit.
fn room_for(rows: usize, width: usize, text: usize, most: Option<u64>) -> Result<()> {
    let (rows, width, text) = (rows as f64, width as f64, text as f64);
    let most = most.map_or(MOST_TABLE, |most| most as f64);
    let needed = text + 8.0 * rows * width;
    if needed <= most {
        return Ok(());
    }
    let fit = (rows * most / needed) as usize / 100_000 * 100_000;
    let megabytes = |bytes: f64| thousands((bytes / 1e6).round() as u64);
    Err(Error::new(
        "too_large",
        format!(
            "The table ({} rows × {} columns, approximately) needs {} MB; {} MB are available (about {} rows).",
            thousands(rows as u64),
            thousands(width as u64),
            megabytes(needed),
            megabytes(most),
            about(fit as u64, false)
        ),
        "Remove rows or columns not needed.",
    ))
}

/// Rows that the rest of the text may hold, from the length of the first ones.
fn expected_rows(text: &str, scanner: &Scanner, width: usize) -> usize {
    let rest = text.as_bytes().get(scanner.at..).unwrap_or(&[]);
    let head = rest.get(..rest.len().min(4096)).unwrap_or(rest);
    let lines = memchr::memchr2_iter(b'\n', b'\r', head).count().max(1);
    let likely = (rest.len() / (head.len() / lines).max(2)) * 17 / 16;
    // A row of `width` cells takes at least as many bytes.
    likely.min(rest.len() / width.max(1)) + 1
}

#[inline]
fn cell(
    scanner: &mut Scanner,
    column: &mut Building,
    row: usize,
    mark: u8,
    comma: &mut bool,
) -> std::result::Result<End, OpenQuote> {
    if let Building::Numbers(values) = column {
        scanner.skip_blanks();
        let at = scanner.at;
        let rest = scanner.text.as_bytes().get(at..).unwrap_or(&[]);
        if let Some((value, length)) = decimal(rest, mark)
            && let Some(end) = scanner.end_at(at + length)
        {
            values.push(value);
            return Ok(end);
        }
    }
    let (cell, end) = scanner.cell()?;
    match column {
        Building::Numbers(values) => {
            if missing_number(&cell) {
                values.push(f64::NAN);
            } else if let Some(value) = number(&cell, mark) {
                values.push(value);
            } else {
                *comma |= number(&cell, b',').is_some();
                *column = if row == 0 {
                    let mut levels = Levels::default();
                    levels.push(&cell);
                    Building::Text(levels)
                } else {
                    Building::Again
                };
            }
        }
        Building::Text(levels) => push_text(levels, &cell),
        Building::Again => {}
    }
    Ok(end)
}

fn push_text(levels: &mut Levels, cell: &str) {
    if missing_text(cell) {
        levels.push_missing();
    } else {
        levels.push(cell);
    }
}

/// Whether the cells of a column are wanted as texts: some are no numbers, or a decimal mark may be one of thousands.
///
/// * `commas`: some cell of the table may have a decimal comma, beside which points are marks of thousands
fn read_again(column: &Building, commas: bool) -> bool {
    match column {
        Building::Again => true,
        Building::Numbers(values) if commas => notation::fit_thousands(values).is_some(),
        Building::Numbers(values) => notation::may_be_thousands(values),
        Building::Text(_) => false,
    }
}

/// Texts of the columns that are to be read again.
///
/// * `groups`: which columns hold texts whatever they look like
/// * `commas`: as in [`read_again`]
fn second_pass(
    text: &str,
    dialect: &Dialect,
    built: &[Building],
    (groups, commas): (&[bool], bool),
) -> Result<Vec<Option<Levels>>> {
    let wanted =
        |(column, is_group): (&Building, &bool)| (*is_group || read_again(column, commas)).then(Levels::default);
    let mut texts: Vec<Option<Levels>> = built.iter().zip(groups).map(wanted).collect();
    if texts.iter().all(Option::is_none) {
        return Ok(texts);
    }
    let mut scanner = Scanner::new(text, dialect.delimiter);
    if dialect.header && scanner.next_row() {
        scanner.row().map_err(|_| open_quote(0))?;
    }
    while scanner.next_row() {
        for (levels, is_group) in texts.iter_mut().zip(groups) {
            let (cell, _) = scanner.cell().map_err(|_| open_quote(0))?;
            match levels {
                Some(levels) if *is_group => levels.push(&cell),
                Some(levels) => push_text(levels, &cell),
                None => {}
            }
        }
    }
    Ok(texts)
}

fn ragged(scanner: &mut Scanner, start: usize, row: usize, width: usize) -> Error {
    scanner.at = start;
    let found = scanner.row().map_or(0, |cells| cells.len());
    Error::new(
        "table_unreadable",
        format!("Data row {} has {}, expected {}.", thousands(row + 1), counted(found, "cell"), thousands(width)),
        message!["Check delimiters and quotes in that row, and ", phrases::DROP_AGAIN, "."],
    )
}

fn open_quote(row: usize) -> Error {
    let place = if row == 0 { "Header".to_owned() } else { format!("Data row {}", thousands(row)) };
    Error::new(
        "table_unreadable",
        format!("{place}: unclosed quotation mark."),
        message!["Close or remove it, and ", phrases::DROP_AGAIN, "."],
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests;
