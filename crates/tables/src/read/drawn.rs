//! Tables that are drawn with lines of characters or aligned by spaces: Markdown, what `psql`, `mysql` and `tabulate`
//! print, and what R, pandas, SQL Server and NumPy do.

use std::borrow::Cow;

use super::decimal::number;
use super::dialect::{DELIMITERS, head};

/// Lines at the start among which the first line under or above the names is looked for.
const LOOKED_AT: usize = 12;
/// Rows at the start that must be aligned.
const ALIGNED: usize = 60;

/// The rows of a drawn or aligned table with `|` between their cells, without its lines; any other text as it is.
/// O(bytes).
pub(super) fn undrawn(text: &str) -> Cow<'_, str> {
    let first: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(LOOKED_AT).collect();
    let names = first.windows(2).find_map(|pair| match pair {
        [above, below] if is_rule(below) && above.contains('|') && !is_rule(above) => Some(above),
        [above, below] if is_rule(above) && below.trim_start().starts_with('|') => Some(below),
        _ => None,
    });
    let Some(names) = names else { return unaligned(text) };
    // Markdown may draw lines at both ends of a row, too.
    let fenced = names.trim_start().starts_with('|');
    let mut rows = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !is_rule(line)) {
        let inner = line.trim().strip_prefix('|').filter(|_| fenced);
        let row = inner.map(|inner| inner.strip_suffix('|').unwrap_or(inner));
        rows.push_str(row.unwrap_or(line));
        rows.push('\n');
    }
    Cow::Owned(rows)
}

/// The rows of a table whose cells are apart by any number of spaces: as many words in every row as in the others (the
/// names may lack that of the row names), a column of them numbers, and no delimiter of other tables. Remarks and what
/// is in brackets below the rows are not changed.
fn unaligned(text: &str) -> Cow<'_, str> {
    let is_row = |line: &&str| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with(['#', '(']) && !is_underline(line)
    };
    let first: Vec<&str> = head(text).lines().filter(is_row).take(ALIGNED).collect();
    let words: Vec<Vec<&str>> = first.iter().map(|line| line.split_whitespace().collect()).collect();
    let Some((names, rows)) = words.split_first() else { return Cow::Borrowed(text) };
    let width = rows.first().map_or(0, Vec::len);
    let regular = rows.len() > 1
        && width > 1
        && rows.iter().all(|row| row.len() == width)
        && (names.len() == width || names.len() + 1 == width);
    let spaces = first.iter().any(|line| line.trim().contains("  "));
    let delimited = first.iter().any(|line| line.bytes().any(|byte| DELIMITERS.contains(&byte)));
    let is_number = |j: usize| rows.iter().all(|row| row.get(j).is_some_and(|cell| number(cell, b'.').is_some()));
    if !regular || !spaces || delimited || !(0..width).any(is_number) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !is_underline(line)) {
        if is_row(&line) {
            for (k, word) in line.split_whitespace().enumerate() {
                out.push_str(if k > 0 { "|" } else { "" });
                out.push_str(word);
            }
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    Cow::Owned(out)
}

/// A line of dashes below each name.
fn is_underline(line: &str) -> bool {
    let line = line.trim();
    line.contains("--") && line.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

/// A line of dashes with `|` or `+` where cells meet: `|---|:--|`, `+-----+---+`, `---+---`.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let part = |part: &str| part.len() > 2 && part.bytes().all(|byte| matches!(byte, b'-' | b'=' | b':'));
    let parts = line.trim_matches(['|', '+']).split(['|', '+']);
    line.contains(['|', '+']) && parts.map(str::trim).all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_freed_of_their_lines() {
        for text in [
            "| y | p |\n|---|---|\n| 1 | .3 |\n| 0 | |\n",
            "y | p\n:--|--:\n1 | .3\n0 |\n",
            "+---+----+\n| y | p  |\n+===+====+\n| 1 | .3 |\n+---+----+\n| 0 |    |\n+---+----+\n",
            " y | p \n---+---\n 1 | .3\n 0 | \n",
        ] {
            let rows: Vec<Vec<String>> =
                undrawn(text).lines().map(|row| row.split('|').map(|cell| cell.trim().to_owned()).collect()).collect();
            assert_eq!(rows, [["y", "p"], ["1", ".3"], ["0", ""]], "{text}");
        }
    }

    #[test]
    fn aligned_rows_are_divided() {
        for (text, rows) in [
            ("  y    p\n  1  0.3\n 10  0.5\n", "y|p\n1|0.3\n10|0.5\n"),
            ("    y   p\n1   1 0.3\n10 10 0.5\n", "y|p\n1|1|0.3\n10|10|0.5\n"),
            ("y   p\n--- ---\nA   .3\nB   .5\n\n(2 rows affected)\n", "y|p\nA|.3\nB|.5\n\n(2 rows affected)\n"),
        ] {
            assert_eq!(undrawn(text), rows);
        }
    }

    #[test]
    fn other_texts_are_not_touched() {
        for text in [
            "y p\n1 .3\n0 .5\n",
            "y  p\n1,2  .3\n0  .5\n",
            "one  text\ntwo  words\nlike  these\n",
            "y  p\n1  .3 a\n0  .5\n",
            "y|p\n1|.3\n",
            "y|p\n-|-\n1|.3\n",
            "a-b,c\n---,---\n1,2\n",
            "---\ntitle: a\n---\n| a |\n",
        ] {
            assert!(matches!(undrawn(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
