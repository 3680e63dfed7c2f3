//! How a JSON file opens: the names in its first records, by which a log is recognized without reading the file.

use super::super::json::{text_length, without_mark};

/// Bytes that are looked at, and names that are kept.
const MOST_BYTES: usize = 1 << 22;
const MOST_NAMES: usize = 200;
/// Records among which one with the names of an answer is looked for: the first may be about the run, or an error.
const MOST_RECORDS: usize = 20;

/// The names in one of the first objects of a file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Opening {
    /// whether the file is a list of records
    pub list: bool,
    /// names of the record, or of the only object
    pub outer: Vec<String>,
    /// names of the first object within it
    pub inner: Vec<String>,
}

impl Opening {
    /// The names as far as the first record goes. O(bytes of the first record), at most 4 MiB of it.
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_one_that(bytes, |_| true)
    }

    /// The names in the first of some records that passes; in the first of all where none does. O(bytes of these records), at most
    /// 4 MiB of them.
    pub fn of_one_that(bytes: &[u8], passes: impl Fn(&Self) -> bool) -> Self {
        let bytes = without_mark(bytes).trim_ascii_start();
        let (list, mut rest) = match bytes.strip_prefix(b"[") {
            Some(rest) => (true, rest.trim_ascii_start()),
            None => (false, bytes),
        };
        rest = rest.get(..MOST_BYTES).unwrap_or(rest);
        let mut first = None;
        for _ in 0..MOST_RECORDS {
            let (opening, after) = Self::of_record(list, rest);
            if passes(&opening) {
                return opening;
            }
            first.get_or_insert(opening);
            rest = after.trim_ascii_start();
            rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
            if !rest.starts_with(b"{") {
                break;
            }
        }
        first.unwrap_or_default()
    }

    /// The names in the record that begins here, and what comes after it.
    fn of_record(list: bool, bytes: &[u8]) -> (Self, &[u8]) {
        let (mut opening, mut rest) = (Self { list, ..Self::default() }, bytes);
        if !rest.starts_with(b"{") {
            return (opening, rest);
        }
        let (mut depth, mut inner_is_over) = (0usize, false);
        while let Some(byte) = rest.first() {
            let mut length = 1;
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    inner_is_over |= depth == 1 && !opening.inner.is_empty();
                }
                b'"' => {
                    length = text_length(rest);
                    let (text, after) = rest.split_at_checked(length).unwrap_or((rest, b""));
                    let name = text.get(1..length.saturating_sub(1)).and_then(|text| std::str::from_utf8(text).ok());
                    if let (Some(name), true) = (name, after.trim_ascii_start().starts_with(b":")) {
                        opening.keep(depth, inner_is_over, name);
                    }
                }
                _ => (),
            }
            rest = rest.get(length..).unwrap_or_default();
            if depth == 0 {
                break;
            }
        }
        (opening, rest)
    }

    fn keep(&mut self, depth: usize, inner_is_over: bool, name: &str) {
        let names = match depth {
            1 => &mut self.outer,
            2 if !inner_is_over => &mut self.inner,
            _ => return,
        };
        if names.len() < MOST_NAMES {
            names.push(name.to_owned());
        }
    }

    /// Whether the record has all of these names.
    pub fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.outer.iter().any(|known| known == name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_first_record_are_found_whatever_follows() {
        let of = |text: &str| {
            let opening = Opening::of(text.as_bytes());
            (opening.list, opening.outer.join(" "), opening.inner.join(" "))
        };
        let wanted = |list, outer: &str, inner: &str| (list, outer.to_owned(), inner.to_owned());
        assert_eq!(of("{\"a\": \"x: {\", \"b\": {\"c\": 1}, \"d\": {\"e\": 2}}\n{\"f\""), wanted(false, "a b d", "c"));
        assert_eq!(of(" [ {\"a\": [[\"b\"]], \"c\\\"\": NaN}, {\"d\": 1}]"), wanted(true, "a c\\\"", ""));
        assert_eq!(
            of("\u{feff}{\"q1\": {\"model\": \"m\", \"response\": \"cut"),
            wanted(false, "q1", "model response")
        );
        for text in ["", "[", "[1, 2]", "p,y\n0.1,1", "{", "{\"a\"", "{\"a", "}"] {
            assert_eq!(of(text).1, "", "{text}");
        }
    }

    #[test]
    fn names_are_those_of_the_first_record_that_passes() {
        let of = |text: &str| {
            let opening = Opening::of_one_that(text.as_bytes(), |opening| opening.has(&["p"]));
            (opening.list, opening.outer.join(" "))
        };
        assert_eq!(of("{\"run\": {\"p\": 1}}\n{\"id\": \"}\", \"p\": 1}\n{\"p\": 2}"), (false, "id p".to_owned()));
        assert_eq!(of("[{\"run\": 1} , {\"q\": [1, 2]},\n{\"q\": 1, \"p\": 2}]"), (true, "q p".to_owned()));
        assert_eq!(of(&"{\"run\": 1}\n".repeat(30)), (false, "run".to_owned()));
        let late = "{\"run\": 1}\n".repeat(20) + "{\"p\": 1}";
        assert_eq!(of(&late), (false, "run".to_owned()));
    }
}
