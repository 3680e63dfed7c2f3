//! Quotation marks that a backslash escapes, as Spark and MySQL write them, in place of two marks (RFC 4180).

use std::borrow::Cow;

use memchr::memmem;

use super::scan::Scanner;

const ESCAPED: &str = "\\\"";

/// Delimiters of texts whose cells are quoted.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Lines looked at: the first ones with an escaped mark. A cell of several lines tells nothing.
const LINES: usize = 20;

/// A text whose marks are doubled, where backslashes escape them: where a line has as many cells as the first one only then.
/// A folder that ends in a backslash, `"C:\data\"`, stays as it is. O(bytes) to find a backslash before a mark; a copy where
/// they escape.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    let first = text.lines().next().unwrap_or_default();
    let mut places = memmem::find_iter(text.as_bytes(), ESCAPED).take(LINES);
    let escapes = |place: usize| {
        let start = text.get(..place).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let doubled = doubled(line);
        DELIMITERS.iter().any(|&delimiter| {
            let cells = |line: &str| Scanner::new(line, delimiter).row().map_or(0, |cells| cells.len());
            let wanted = cells(first);
            wanted > 1 && cells(line) != wanted && cells(&doubled) == wanted
        })
    };
    match places.any(escapes) {
        true => Cow::Owned(doubled(text)),
        false => Cow::Borrowed(text),
    }
}

/// `\"` as `""`, and `\\` as one backslash.
fn doubled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        match after.strip_prefix('"') {
            Some(behind) => {
                out.push_str("\"\"");
                rest = behind;
            }
            None => {
                out.push('\\');
                rest = after.strip_prefix('\\').unwrap_or(after);
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_behind_backslashes() {
        let of_spark = "p,y,note\n0.5,1,\"said \\\"ill\\\", twice\"\n0.2,0,\"ends in \\\\\"\n";
        assert_eq!(unescaped(of_spark), "p,y,note\n0.5,1,\"said \"\"ill\"\", twice\"\n0.2,0,\"ends in \\\"\n");
        for as_written in
            ["p,path\n0.5,\"C:\\data\\\"\n0.2,\"D:\\\"\n", "p,note\n0.5,a \\\"b\\\" c\n", "p\n\"\\\"\n", ""]
        {
            assert!(matches!(unescaped(as_written), Cow::Borrowed(_)), "{as_written}");
        }
    }
}
