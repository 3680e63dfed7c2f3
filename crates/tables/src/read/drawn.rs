//! Tables that are drawn with lines of characters: Markdown, and what `psql`, `mysql` and `tabulate` print.

use std::borrow::Cow;

/// Lines at the start among which the first line under or above the names is looked for.
const LOOKED_AT: usize = 12;

/// The rows of a drawn table with `|` between their cells, without its lines; any other text as it is. O(bytes).
pub(super) fn undrawn(text: &str) -> Cow<'_, str> {
    let first: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(LOOKED_AT).collect();
    let names = first.windows(2).find_map(|pair| match pair {
        [above, below] if is_rule(below) && above.contains('|') && !is_rule(above) => Some(above),
        [above, below] if is_rule(above) && below.trim_start().starts_with('|') => Some(below),
        _ => None,
    });
    let Some(names) = names else { return Cow::Borrowed(text) };
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
    fn other_texts_are_not_touched() {
        for text in ["y|p\n1|.3\n", "y|p\n-|-\n1|.3\n", "a-b,c\n---,---\n1,2\n", "---\ntitle: a\n---\n| a |\n"] {
            assert!(matches!(undrawn(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
