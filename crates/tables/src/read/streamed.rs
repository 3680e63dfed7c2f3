//! Rows of a text of any size, one after the other: none is kept. How they are written is decided by the reader of whole tables
//! from the first of them, and a row that contradicts it is refused, never read in another way.

use std::borrow::Cow;
use std::io::Read;

use super::cells::number as as_text;
use super::decimal::{missing_number, missing_text, number};
use super::delimited::{rows, rows_within, rows_within_a_cell, within};
use super::dialect::{self, Dialect};
use super::drawn::undrawn;
use super::edges::{header_line, header_repeated, last_row, without_lines};
use super::listing::unlisted;
use super::notation::{Mark, Notation};
use super::scan::{End, Scanner};
use super::tally::{Field, MOST_COLUMNS, Want};
use super::text::Decoder;
use super::{ReadFile, ReadOptions, distinct_names, refused};
use crate::counts::statement::TOTALS;
use crate::error::{Error, Result, Text, message};
use crate::table::{NamedColumn, Values, Warning};
use crate::words::text::{counted, quoted, thousands};

/// Bytes of a text that show how it is written, and that are decoded at once.
pub const HEAD: usize = 1 << 20;
/// Bytes that one row may have.
const MOST_ROW: usize = 1 << 26;

/// What is done with the rows.
pub trait Sink {
    /// The first values of a column that is asked for, when its notation is decided; `place` among those asked for.
    ///
    /// # Errors
    /// Where they are not what is wanted.
    fn decided(&mut self, place: usize, column: &NamedColumn) -> Result<()>;

    /// A row, in the order of what is asked for.
    ///
    /// # Errors
    /// Where a value is not what is wanted; the sentence is without the row.
    fn row(&mut self, fields: &[Field]) -> Result<()>;
}

/// A column that is asked for.
struct SoughtColumn {
    name: String,
    /// among the columns of the file
    at: usize,
    want: Want,
    /// decimal mark of the table
    mark: u8,
    /// `None` as long as no row has a value
    notation: Option<Notation>,
    /// every cell so far is the same text read as a number or as a text
    unchanged: bool,
}

/// Hands over all rows of a text; what is to be known about its reading.
///
/// * `asked`: names of columns, and what each is wanted for; [`MOST_COLUMNS`] at most
/// * `head`: bytes that show how it is written, and that are read at once ([`HEAD`])
///
/// # Errors
/// `unknown_column`, and those of [`read`](super::read), with the row where it is one.
pub fn stream(
    from: impl Read,
    name: &str,
    asked: &[(&str, Want)],
    head: usize,
    sink: &mut dyn Sink,
) -> Result<Vec<Warning>> {
    let of_file = |error: Error| error.at(format!(" (file {}).", quoted(name)));
    let mut decoder = Decoder::new(from);
    let mut text = String::new();
    decoder.more(head, &mut text, |bytes| refused::plain_text(bytes, name)).map_err(of_file)?;
    let mut file = ReadFile { name: name.to_owned(), ..ReadFile::default() };
    let header = header_line(&text, dialect::dialect(&text, None).delimiter).map(str::to_owned);
    let mut repeated = without_header(&mut text, header.as_deref(), true);
    let (start, mut dialect) = table_in(&text, decoder.is_over(), &mut file).map_err(of_file)?;
    text.drain(..start);
    let mut asked = places(asked, &dialect).map_err(of_file)?;
    let mut row = 0_u64;
    // a column with rows within its cells, and how many
    let mut swallowed: Option<(usize, usize)> = None;
    loop {
        let end = decoder.is_over() && decoder.broken().is_none();
        let whole = if end { text.len() } else { whole_rows(&text, dialect.delimiter) };
        let block = text.get(..whole).unwrap_or_default();
        if end {
            check_last(block, &dialect).map_err(of_file)?;
        }
        let at_row = |error: Error, row: u64| error.at(format!(" (data row {}, file {}).", row + 1, quoted(name)));
        if asked.iter().any(|asked| asked.notation.is_none()) {
            check_rows(block, &dialect).map_err(|(error, before)| at_row(error, row + before))?;
            decide(block, &dialect, &mut asked, sink, &mut file).map_err(of_file)?;
        }
        count(block, &mut dialect, &mut asked, sink, (&mut row, &mut swallowed)).map_err(|error| at_row(error, row))?;
        text.drain(..whole);
        if let Some(broken) = decoder.broken() {
            return Err(at_row(broken.clone(), row));
        }
        if end {
            break;
        }
        if text.len() > MOST_ROW {
            return Err(at_row(open_quote(), row));
        }
        decoder.more(head, &mut text, |_| Ok(())).map_err(of_file)?;
        repeated += without_header(&mut text, header.as_deref(), false);
    }
    if row == 0 {
        return Err(of_file(Error::new("empty", "The table has a header and no rows.", "Name a file with rows.")));
    }
    let mut warnings = decoder.warnings;
    warnings.append(&mut file.warnings);
    let about =
        |warning: &Warning| warning.column.as_ref().is_none_or(|of| asked.iter().any(|asked| asked.name == *of));
    warnings.retain(about);
    warnings.extend((repeated > 0).then(|| header_repeated(repeated)));
    warnings.extend(
        swallowed
            .map(|(column, lines)| rows_within_a_cell(dialect.names.get(column).map_or("", String::as_str), lines)),
    );
    Ok(warnings)
}

/// Removes the lines that repeat the header, which a text may begin with (`first`); their number.
fn without_header(text: &mut String, header: Option<&str>, first: bool) -> usize {
    let Some(header) = header else { return 0 };
    let from = if first { header.len() } else { 0 };
    let Some((rest, repeated)) = text.get(from..).and_then(|rest| without_lines(rest, header)) else { return 0 };
    text.truncate(from);
    text.push_str(&rest);
    repeated
}

/// Where the columns that are asked for stand among those of a file.
fn places(asked: &[(&str, Want)], dialect: &Dialect) -> Result<Vec<SoughtColumn>> {
    let names = distinct_names(dialect.names.clone());
    let place = |(wanted, want): &(&str, Want)| {
        let at = names.iter().position(|name| name == wanted).ok_or_else(|| unknown_column(wanted, &names))?;
        Ok(SoughtColumn {
            name: (*wanted).to_owned(),
            at,
            want: *want,
            mark: dialect.mark,
            notation: None,
            unchanged: true,
        })
    };
    asked.iter().map(place).collect()
}

/// Where the table begins in the first part of a text, and how it is written.
fn table_in(text: &str, whole: bool, file: &mut ReadFile) -> Result<(usize, Dialect)> {
    let end = if whole { text.len() } else { text.rfind('\n').map_or(text.len(), |end| end + 1) };
    let head = text.get(..end).unwrap_or(text);
    let is_drawn = matches!(unlisted(head)?, Cow::Owned(_)) || matches!(undrawn(head), Cow::Owned(_));
    if is_drawn {
        return Err(Error::new(
            "table_unreadable",
            "The rows are aligned or drawn as a listing, not written with a delimiter.",
            "Write the table as CSV.",
        ));
    }
    let (table, dialect) = within(head, ReadOptions::default(), file);
    Ok((table.as_ptr().addr() - text.as_ptr().addr(), dialect))
}

/// Bytes of the whole rows at the start of a text, of which more follows.
fn whole_rows(text: &str, delimiter: u8) -> usize {
    let mut scanner = Scanner::new(text, delimiter);
    loop {
        let start = scanner.at;
        if !scanner.next_row() {
            return start;
        }
        let mut end = End::Cell;
        while end == End::Cell {
            let Ok((_, after)) = scanner.cell() else { return start };
            end = after;
        }
        // the row may go on, or its line end may have a second byte
        if scanner.at >= text.len() {
            return start;
        }
    }
}

/// Refuses a last row that may add up the others: whether it does, only the whole table shows.
fn check_last(block: &str, dialect: &Dialect) -> Result<()> {
    let Some(last) = last_row(block, dialect.delimiter, false) else { return Ok(()) };
    let mut scanner = Scanner::new(last.before, dialect.delimiter);
    while scanner.next_row() {
        let Ok(cells) = scanner.row() else { break };
        if cells.first().is_some_and(|first| first.eq_ignore_ascii_case(&last.name)) {
            return Ok(());
        }
    }
    Err(Error::new(
        "table_unreadable",
        format!("The last row, {}, may contain totals of the rows above.", quoted(&last.name)),
        "Remove this row.",
    ))
}

/// Refuses a row with another number of cells, with how many rows are before it.
fn check_rows(block: &str, dialect: &Dialect) -> std::result::Result<(), (Error, u64)> {
    let mut scanner = Scanner::new(block, dialect.delimiter);
    if dialect.header && scanner.next_row() {
        scanner.row().map_err(|_| (open_quote(), 0))?;
    }
    let mut row = 0;
    while scanner.next_row() {
        let (mut width, mut end) = (0, End::Cell);
        while end == End::Cell {
            (_, end) = scanner.cell().map_err(|_| (open_quote(), row))?;
            width += 1;
        }
        if width != dialect.width {
            return Err((ragged(width, dialect.width), row));
        }
        row += 1;
    }
    Ok(())
}

/// Decides how the columns are written of which these rows are the first with a value.
fn decide(
    block: &str,
    dialect: &Dialect,
    asked: &mut [SoughtColumn],
    sink: &mut dyn Sink,
    file: &mut ReadFile,
) -> Result<()> {
    let mut found = ReadFile { name: file.name.clone(), ..ReadFile::default() };
    let mut scanner = Scanner::new(block, dialect.delimiter);
    let has_rows = scanner.next_row() && (!dialect.header || (scanner.row().is_ok() && scanner.next_row()));
    if !has_rows {
        return Ok(());
    }
    let notations = rows(block, dialect.clone(), None, &mut found, &mut |_| {})?;
    for (place, one) in asked.iter_mut().enumerate().filter(|(_, one)| one.notation.is_none()) {
        let known = found.columns.iter().zip(&notations).find(|(column, _)| column.name == one.name);
        let Some((column, notation)) = known.filter(|(column, _)| has_values(&column.values)) else { continue };
        one.notation = Some(*notation);
        sink.decided(place, column)?;
        file.warnings.extend(found.warnings.iter().filter(|of| of.column.as_ref() == Some(&one.name)).cloned());
        let ambiguous = found.ambiguous.iter().filter(|of| of.column == one.name && one.want == Want::Number);
        file.warnings.extend(ambiguous.map(|of| Warning {
            code: "numbers_in_other_notation".into(),
            message: format!(
                "{} was read as numbers: the mark in {} was taken for {}.",
                quoted(&of.column),
                of.example,
                match of.mark {
                    Mark::Decimal => "a decimal mark",
                    Mark::Thousands => "one that groups thousands",
                }
            ),
            row: None,
            column: Some(of.column.clone()),
        }));
    }
    Ok(())
}

fn has_values(values: &Values) -> bool {
    match values {
        Values::Numbers(values) => values.iter().any(|x| !x.is_nan()),
        Values::Text { levels, .. } => !levels.is_empty(),
        Values::Matrix(_) => true,
    }
}

/// Hands over the rows of a block.
fn count(
    block: &str,
    dialect: &mut Dialect,
    asked: &mut [SoughtColumn],
    sink: &mut dyn Sink,
    (row, swallowed): (&mut u64, &mut Option<(usize, usize)>),
) -> Result<()> {
    let mut scanner = Scanner::new(block, dialect.delimiter);
    if dialect.header && scanner.next_row() {
        scanner.row().map_err(|_| open_quote())?;
        dialect.header = false;
    }
    let mut wanted: Vec<Vec<usize>> = vec![Vec::new(); dialect.width];
    for (place, one) in asked.iter().enumerate() {
        if let Some(places) = wanted.get_mut(one.at) {
            places.push(place);
        }
    }
    let mut cells: [Cow<str>; MOST_COLUMNS] = Default::default();
    while scanner.next_row() {
        let (mut width, mut end) = (0, End::Cell);
        while end == End::Cell {
            let cell;
            (cell, end) = scanner.cell().map_err(|_| open_quote())?;
            // shorter cells hold no row
            if cell.len() > 2 * dialect.width && cell.contains('\n') {
                let lines = rows_within(&cell, dialect.delimiter, dialect.width);
                if lines > 0 {
                    swallowed.get_or_insert((width, 0)).1 += lines;
                }
            }
            for place in wanted.get(width).into_iter().flatten() {
                if let Some(to) = cells.get_mut(*place) {
                    to.clone_from(&cell);
                }
            }
            width += 1;
        }
        if width != dialect.width {
            return Err(ragged(width, dialect.width));
        }
        let mut fields = [Field::Missing; MOST_COLUMNS];
        for ((field, one), cell) in fields.iter_mut().zip(&mut *asked).zip(&cells) {
            *field = one.field(cell)?;
        }
        let fields = fields.get(..asked.len()).unwrap_or(&fields);
        sink.row(fields)?;
        *row += 1;
    }
    Ok(())
}

impl SoughtColumn {
    /// What a cell is in the notation of its column.
    fn field<'a>(&mut self, cell: &'a str) -> Result<Field<'a>> {
        let notation = match self.notation {
            None | Some(Notation::Text) => {
                return match cell {
                    cell if missing_text(cell) => Ok(Field::Missing),
                    // one of the first values is no number, and is the one to name
                    cell if self.want == Want::Number => match number(cell, self.mark) {
                        Some(value) => Ok(Field::Number(value)),
                        None => Err(self.no_number(cell)),
                    },
                    cell => Ok(Field::Text(cell)),
                };
            }
            Some(notation) => notation,
        };
        if let Some(value) = notation.value(cell) {
            if self.want != Want::Group {
                return Ok(Field::Number(value));
            }
            if is_whole(cell) {
                return Ok(Field::Text(cell));
            }
            self.unchanged &= as_text(value) == cell;
            return Ok(Field::Number(value));
        }
        if missing_number(cell) {
            self.unchanged &= missing_text(cell);
            return Ok(Field::Missing);
        }
        // Names of groups, of which the first were numbers: all of them are texts.
        if self.unchanged && matches!(self.want, Want::Group | Want::Outcome) {
            self.notation = Some(Notation::Text);
            return Ok(Field::Text(cell));
        }
        Err(self.no_number(cell))
    }

    fn no_number(&self, cell: &str) -> Error {
        let how = match self.notation {
            Some(Notation::Plain(b',')) => "numbers with a decimal comma",
            Some(Notation::Plain(_)) => "numbers with a decimal point",
            Some(Notation::Grouped(..)) => "numbers whose thousands are grouped by a mark",
            Some(Notation::Percent) => "percentages with their sign",
            None | Some(Notation::Text) => "not all numbers in one notation",
        };
        Error::new(
            "table_unreadable",
            message![
                format!("A value of column {} is not a number: ", quoted(&self.name)),
                Text::value(quoted(cell)),
                "."
            ],
            format!("Its first values are {how}; write all of them as numbers in one notation, without a unit."),
        )
    }
}

/// A whole number as every number is written.
fn is_whole(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    cell == "0"
        || ((1..16).contains(&digits.len()) && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn ragged(width: usize, expected: usize) -> Error {
    let what = format!("A row has {}, expected {}.", counted(width, "cell"), thousands(expected));
    Error::new("table_unreadable", what, "Check delimiters and quotes in that row.")
}

fn open_quote() -> Error {
    Error::new("table_unreadable", "A quotation mark is never closed.", "Close or remove it.")
}

/// A column that a file does not have.
pub fn unknown_column(wanted: &str, names: &[impl AsRef<str>]) -> Error {
    if TOTALS.iter().all(|total| names.iter().any(|name| name.as_ref().eq_ignore_ascii_case(total))) {
        return Error::new(
            "unknown_column",
            format!("There is no column {}: the file contains counts, not rows.", quoted(wanted)),
            "Leave out --score and --outcome: counts state what was counted. --suppress 10 merges cells of few rows.",
        );
    }
    let known = names.iter().take(40).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    Error::new(
        "unknown_column",
        format!("There is no column {}.", quoted(wanted)),
        format!("Its columns are: {known}."),
    )
}
