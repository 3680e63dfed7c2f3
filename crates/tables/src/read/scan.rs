//! Cells of delimited text, one after the other, with quotes (RFC 4180) and any line end.
//!
//! Written by hand because a library would give other answers: blanks before a quote are passed over, a quote that is
//! never closed is an error that names its row, and numbers are read where they stand, without a copy.

use std::borrow::Cow;

use memchr::{memchr, memchr3};

/// What ended a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// another cell follows in the row
    Cell,
    /// the row is over
    Row,
}

/// A place in delimited text.
#[derive(Debug, Clone)]
pub(super) struct Scanner<'a> {
    pub text: &'a str,
    pub at: usize,
    pub delimiter: u8,
}

/// A quote was opened and never closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenQuote;

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str, delimiter: u8) -> Self {
        Scanner { text, at: 0, delimiter }
    }

    fn blank(&self, byte: u8) -> bool {
        matches!(byte, b' ' | b'\t') && byte != self.delimiter
    }

    /// Passes over empty lines; false at the end of the text.
    pub fn next_row(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while let Some(&byte) = bytes.get(at) {
            if matches!(byte, b'\n' | b'\r') {
                self.at = at + 1;
            } else if !self.blank(byte) {
                return true;
            }
            at += 1;
        }
        self.at = at;
        false
    }

    /// Passes over spaces before a cell.
    #[inline]
    pub fn skip_blanks(&mut self) {
        while self.text.as_bytes().get(self.at).is_some_and(|&byte| self.blank(byte)) {
            self.at += 1;
        }
    }

    /// If a cell ends at byte `at`, moves behind that end.
    #[inline]
    pub fn end_at(&mut self, at: usize) -> Option<End> {
        match self.text.as_bytes().get(at) {
            Some(&byte) if byte == self.delimiter => {
                self.at = at + 1;
                Some(End::Cell)
            }
            Some(b'\n') => {
                self.at = at + 1;
                Some(End::Row)
            }
            Some(b'\r') => {
                self.at = at + 1 + usize::from(self.text.as_bytes().get(at + 1) == Some(&b'\n'));
                Some(End::Row)
            }
            None => {
                self.at = at;
                Some(End::Row)
            }
            Some(_) => None,
        }
    }

    /// The cell at this place, without the blanks around it and without what protects it from spreadsheets, and what ended it.
    pub fn cell(&mut self) -> Result<(Cow<'a, str>, End), OpenQuote> {
        let (cell, end) = self.written()?;
        let cell = match cell {
            Cow::Borrowed(text) => Cow::Borrowed(unprotected(text)),
            Cow::Owned(text) if unprotected(&text).len() < text.len() => Cow::Owned(unprotected(&text).to_owned()),
            owned => owned,
        };
        Ok((cell, end))
    }

    fn written(&mut self) -> Result<(Cow<'a, str>, End), OpenQuote> {
        self.skip_blanks();
        if self.text.as_bytes().get(self.at) == Some(&b'"') {
            return self.quoted();
        }
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).unwrap_or(&[]);
        let stop = start + memchr3(self.delimiter, b'\n', b'\r', rest).unwrap_or(rest.len());
        let cell = self.text.get(start..stop).unwrap_or("");
        let end = self.end_at(stop).unwrap_or(End::Row);
        Ok((Cow::Borrowed(cell.trim_end_matches([' ', '\t'])), end))
    }

    fn quoted(&mut self) -> Result<(Cow<'a, str>, End), OpenQuote> {
        let bytes = self.text.as_bytes();
        let mut start = self.at + 1;
        let mut cell: Cow<'a, str> = Cow::Borrowed("");
        loop {
            let rest = bytes.get(start..).unwrap_or(&[]);
            let quote = start + memchr(b'"', rest).ok_or(OpenQuote)?;
            let part = self.text.get(start..quote).unwrap_or("");
            if cell.is_empty() {
                cell = Cow::Borrowed(part);
            } else {
                cell.to_mut().push_str(part);
            }
            if bytes.get(quote + 1) == Some(&b'"') {
                cell.to_mut().push('"');
                start = quote + 2;
                continue;
            }
            self.at = quote + 1;
            self.skip_blanks();
            if let Some(end) = self.end_at(self.at) {
                return Ok((cell, end));
            }
            // Text after the closing quote: kept, as most programs do.
            let rest = bytes.get(self.at..).unwrap_or(&[]);
            let stop = self.at + memchr3(self.delimiter, b'\n', b'\r', rest).unwrap_or(rest.len());
            cell.to_mut().push_str(self.text.get(quote + 1..stop).unwrap_or("").trim_end());
            let end = self.end_at(stop).unwrap_or(End::Row);
            return Ok((cell, end));
        }
    }

    /// The cells of the row that starts here.
    pub fn row(&mut self) -> Result<Vec<String>, OpenQuote> {
        let mut cells = Vec::new();
        loop {
            let (cell, end) = self.cell()?;
            cells.push(cell.into_owned());
            if end == End::Row {
                return Ok(cells);
            }
        }
    }
}

/// The text of a cell that is written as a formula of one text, `="0012"`, so that spreadsheets leave it as it is.
fn unprotected(cell: &str) -> &str {
    cell.strip_prefix("=\"").and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;

    fn rows(text: &str, delimiter: u8) -> Vec<Vec<String>> {
        let mut scanner = Scanner::new(text, delimiter);
        let mut rows = Vec::new();
        while scanner.next_row() {
            rows.push(scanner.row().unwrap());
        }
        rows
    }

    #[test]
    fn quotes_blanks_and_line_ends() {
        assert_eq!(
            rows("a, b ,\"c, \"\"d\"\"\"\r\n1,,\"x\ny\"\r\r  \n2,3,", b','),
            [vec!["a", "b", "c, \"d\""], vec!["1", "", "x\ny"], vec!["2", "3", ""]]
        );
        assert_eq!(rows("a\t\tb\n \t1\t2", b'\t'), [["a", "", "b"], ["", "1", "2"]]);
        assert_eq!(rows("\"\"\"\",\"ab\"c ,d", b','), [["\"", "abc", "d"]]);
        assert_eq!(rows("=\"0.12\",\"=\"\"0,5\"\"\",=\"", b','), [["0.12", "0,5", "=\""]]);
    }

    #[test]
    fn an_open_quote_is_noticed() {
        assert_eq!(Scanner::new("a,\"b\n1,2", b',').row(), Err(OpenQuote));
    }
}
