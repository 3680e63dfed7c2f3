//! Numbers and values as a person writes them in a sentence.

use super::number::count;

/// A whole number with commas between thousands. Rows that were counted elsewhere can be more than a `usize` of the page holds.
pub fn thousands(n: impl TryInto<u64>) -> String {
    count(n.try_into().unwrap_or(u64::MAX))
}

/// A text as it begins a sentence or a heading: its first letter a capital.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A sentence as it goes on after a colon: its first letter small.
pub fn uncapitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// `1 row`, `1,204 rows`.
pub fn counted(n: impl TryInto<u64>, one: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {one}{plural}", thousands(n))
}

/// Characters of a name that a sentence shows.
const LONGEST: usize = 60;

/// A name in back quotes; of a long one, the beginning and the end.
pub fn quoted(name: &str) -> String {
    let length = name.chars().count();
    if length <= LONGEST {
        return format!("`{name}`");
    }
    let part = LONGEST / 2 - 1;
    let head: String = name.chars().take(part).collect();
    let tail: String = name.chars().skip(length - part).collect();
    format!("`{head}…{tail}`")
}

/// Characters of a whole message that a person is shown.
const MOST: usize = 800;

/// A message of bounded length, whatever a file put into it: its beginning and its end.
pub fn bounded(message: String) -> String {
    let length = message.chars().count();
    if length <= MOST {
        return message;
    }
    let head: String = message.chars().take(MOST * 3 / 4).collect();
    let tail: String = message.chars().skip(length - MOST / 4 + 1).collect();
    format!("{head}…{tail}")
}

/// A text of any length as one line: runs of white space become one space, and of a long one the beginning is followed by an
/// ellipsis.
pub fn shortened(text: &str, most: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let gap = usize::from(length > 0);
        let letters = word.chars().count();
        if length + gap + letters > most {
            let room = most.saturating_sub(length + gap + 1);
            // the beginning of a word tells something only where the line is nothing else
            if length == 0 {
                line.extend(word.chars().take(room));
            }
            line.push('…');
            return line;
        }
        if gap > 0 {
            line.push(' ');
        }
        line.push_str(word);
        length += gap + letters;
    }
    line
}

/// Names in back quotes, at most eight of them, and how many more there are.
pub fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| quoted(name.as_ref())).collect();
    match names.get(..8) {
        Some(first) if names.len() > 8 => {
            format!("{} and {} more", first.join(", "), thousands(names.len() - first.len()))
        }
        _ => names.join(", "),
    }
}

/// "notes, comment and 3 more": at most `most` of the names, not quoted.
pub fn first_of<S: AsRef<str>>(names: &[S], most: usize) -> String {
    let first = names.iter().take(most).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(most) {
        0 => first,
        more => format!("{first} and {} more", thousands(more)),
    }
}

/// "a", "a and b", "a, b and c"; nothing of none.
pub fn enumerated<S: AsRef<str>>(parts: impl IntoIterator<Item = S>) -> String {
    series(parts, "and")
}

/// "a", "a or b", "a, b or c"; nothing of none.
pub fn alternatives<S: AsRef<str>>(parts: impl IntoIterator<Item = S>) -> String {
    series(parts, "or")
}

fn series<S: AsRef<str>>(parts: impl IntoIterator<Item = S>, conjunction: &str) -> String {
    let parts: Vec<S> = parts.into_iter().collect();
    let words: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} {conjunction} {last}", before.join(", ")),
    }
}

/// A name with its runs of digits as a single 9: `c07` → `c9`.
pub fn shape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('9') {
            out.push('9');
        }
    }
    out
}

/// A number as short as it can be written exactly; labels read from floats lose their `.0`.
pub fn plain(x: f64) -> String {
    if x == 0.0 { "0".into() } else { x.to_string() }
}

/// What a spreadsheet runs as a formula begins with one of these.
pub const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A CSV cell that no spreadsheet runs as a formula, quoted where it must be.
pub fn guarded(text: &str) -> String {
    let risky = text.starts_with(FORMULA) && text.parse::<f64>().is_err();
    let text = if risky { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(enumerated(Vec::<String>::new()) + &enumerated(["a"]), "a");
        assert_eq!(enumerated(["a", "b"]), "a and b");
        assert_eq!(alternatives(["a", "b", "c"]), "a, b or c");
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_204), "1,204");
        assert_eq!(thousands(1_000_000), "1,000,000");
        assert_eq!(capitalized("élan of Rows"), "Élan of Rows");
        assert_eq!((capitalized(""), uncapitalized("No row")), (String::new(), "no row".to_owned()));
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(1_204, "row"), "1,204 rows");
        assert_eq!(listed(["a", "b"]), "`a`, `b`");
        assert!(listed((0..9).map(|i| i.to_string())).ends_with("`6`, `7` and 1 more"));
        assert_eq!(quoted("risk"), "`risk`");
        assert_eq!(quoted(&"é".repeat(60)).chars().count(), 62);
        let long = quoted(&format!("start {} end", "x".repeat(500)));
        assert!(long.starts_with("`start x") && long.ends_with("x end`"));
        assert!(long.chars().count() <= 62, "{long}");
        assert_eq!(bounded("as it is".into()), "as it is");
        let whole = bounded(format!("begin {} end.", "é".repeat(20_000)));
        assert!(whole.starts_with("begin ") && whole.ends_with(" end."));
        assert_eq!(whole.chars().count(), 800);
        assert_eq!(shape("c07_x1"), "c9_x9");
        assert_eq!(shortened(" What is\n\tthis? ", 13), "What is this?");
        assert_eq!(shortened("What is this?", 12), "What is…");
        assert_eq!((shortened("", 5), shortened("  ", 5)), (String::new(), String::new()));
        assert_eq!(shortened(&"水".repeat(200), 160).chars().count(), 160);
        assert_eq!(plain(1.0), "1");
        assert_eq!(plain(-0.0), "0");
        assert_eq!(plain(0.25), "0.25");
    }
}
