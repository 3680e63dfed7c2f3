//! How a JSON file opens: the names in its first record, by which a log is recognized without reading the file.

use super::super::json::{text_length, without_mark};

/// Bytes that are looked at, and names that are kept.
const MOST_BYTES: usize = 1 << 22;
const MOST_NAMES: usize = 200;

/// The names in the first object of a file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Opening {
    /// whether the file is a list of records
    pub list: bool,
    /// names of the first record, or of the only object
    pub outer: Vec<String>,
    /// names of the first object within it
    pub inner: Vec<String>,
}

impl Opening {
    /// The names as far as the first record goes. O(bytes of the first record), at most 4 MiB of it.
    pub fn of(bytes: &[u8]) -> Self {
        let bytes = without_mark(bytes).trim_ascii_start();
        let mut opening = Self { list: bytes.starts_with(b"["), ..Self::default() };
        let (mut rest, records) = match bytes.strip_prefix(b"[") {
            Some(rest) => (rest.trim_ascii_start(), true),
            None => (bytes, false),
        };
        if !rest.starts_with(b"{") || (records != opening.list) {
            return opening;
        }
        rest = rest.get(..MOST_BYTES).unwrap_or(rest);
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
            if depth == 0 {
                break;
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        opening
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

    /// Whether the first record has all of these names.
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
}
