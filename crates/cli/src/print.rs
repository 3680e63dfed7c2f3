//! Words, facts and tables as lines of a terminal.
//!
//! Colors are written always; the stream that prints them takes them off where nobody would see them, or where
//! `NO_COLOR` asks for it.

use std::borrow::Cow;

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The finding.
pub const STRONG: Style = Style::new().bold();
/// What stands back.
pub const MUTED: Style = Style::new().dimmed();
/// Scores are too high; more than chance.
pub const OVER: Style = AnsiColor::Red.on_default();
/// Scores are too low.
pub const UNDER: Style = AnsiColor::Blue.on_default();
/// The best of its column.
pub const BEST: Style = AnsiColor::Green.on_default();
/// Nothing.
pub const PLAIN: Style = Style::new();

/// Columns of a table are this far apart.
const GAP: usize = 2;
/// Words are not wrapped into less.
const NARROWEST: usize = 14;
/// And longer words are broken.
const LONGEST_WORD: usize = 28;

/// Lines of at most `width` columns.
pub struct Page {
    width: usize,
    text: String,
}

/// A table before it has a width.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// title, and whether numbers stand in it
    pub heads: Vec<(String, bool)>,
    /// each as long as `heads`
    pub rows: Vec<Vec<Cell>>,
}

/// A cell.
#[derive(Debug, Clone)]
pub struct Cell {
    /// what it shows
    pub text: String,
    /// how
    pub style: Style,
}

impl Cell {
    /// With a style.
    pub fn new(text: impl AsRef<str>, style: Style) -> Self {
        Self { text: plain(text.as_ref()).into_owned(), style }
    }

    /// With a second line.
    pub fn of_lines(first: &str, second: &str, style: Style) -> Self {
        Self { text: format!("{}\n{}", plain(first), plain(second)), style }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text, PLAIN)
    }
}

impl Table {
    /// Without rows; titles that begin with `#` are of numbers, the `#` is not shown.
    pub fn new(titles: &[&str]) -> Self {
        let head = |title: &&str| match title.strip_prefix('#') {
            Some(title) => (title.to_owned(), true),
            None => ((*title).to_owned(), false),
        };
        Self { heads: titles.iter().map(head).collect(), rows: Vec::new() }
    }

    /// Takes the last column away.
    pub fn drop_last_column(&mut self) {
        self.heads.pop();
        let width = self.heads.len();
        self.rows.iter_mut().for_each(|row| row.truncate(width));
    }

    /// Without the columns that hold nothing.
    pub fn without_empty_columns(mut self) -> Self {
        let held = |c: usize| self.rows.iter().any(|row| row.get(c).is_some_and(|cell| !cell.text.is_empty()));
        let kept: Vec<bool> = (0..self.heads.len()).map(|c| c == 0 || held(c)).collect();
        let mut keep = kept.iter();
        self.heads.retain(|_| *keep.next().unwrap_or(&true));
        for row in &mut self.rows {
            let mut keep = kept.iter();
            row.retain(|_| *keep.next().unwrap_or(&true));
        }
        self
    }
}

impl Table {
    /// How wide columns are where there is room enough.
    fn widths(&self) -> Vec<usize> {
        let line = |text: &str| text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
        let column = |(c, (title, _)): (usize, &(String, bool))| {
            let cells = self.rows.iter().filter_map(|row| row.get(c)).map(|cell| line(&cell.text));
            cells.max().unwrap_or(0).max(line(title))
        };
        self.heads.iter().enumerate().map(column).collect()
    }

    /// How far columns can be narrowed before the table is parted: words to the longest of them, numbers not at all, their
    /// titles as far as need be.
    fn narrowest(&self) -> Vec<usize> {
        let (line, word) = (
            |text: &str| text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0),
            |text: &str| text.split([' ', '\n']).map(UnicodeWidthStr::width).max().unwrap_or(0),
        );
        let column = |(c, (title, number)): (usize, &(String, bool))| {
            let cells = self.rows.iter().filter_map(|row| row.get(c));
            if *number {
                cells.map(|cell| line(&cell.text)).max().unwrap_or(0).max(word(title))
            } else {
                cells.map(|cell| word(&cell.text)).max().unwrap_or(0).max(word(title)).clamp(NARROWEST, LONGEST_WORD)
            }
        };
        self.heads.iter().enumerate().map(column).zip(self.widths()).map(|(least, width)| least.min(width)).collect()
    }

    /// The first column with some of the others.
    fn part(&self, columns: &[usize]) -> Self {
        let chosen = |c: &usize| *c == 0 || columns.contains(c);
        let places: Vec<usize> = (0..self.heads.len()).filter(chosen).collect();
        Self {
            heads: places.iter().filter_map(|&c| self.heads.get(c).cloned()).collect(),
            rows: self.rows.iter().map(|row| places.iter().filter_map(|&c| row.get(c).cloned()).collect()).collect(),
        }
    }
}

impl Page {
    /// An empty page.
    pub fn new(width: usize) -> Self {
        Self { width, text: String::new() }
    }

    /// All that was written. A line that would begin with `::`, after a break anywhere in a value, would be a command to the
    /// runner of a workflow, which reads the output: it begins with an invisible character.
    pub fn into_text(self) -> String {
        let is_command = |line: &str| anstream::adapter::strip_str(line).to_string().trim_start().starts_with("::");
        if !self.text.contains("::") {
            return self.text;
        }
        let line = |line: &str| if is_command(line) { format!("{WORD_JOINER}{line}") } else { line.to_owned() };
        self.text.split_inclusive('\n').map(line).collect()
    }

    /// An empty line, where anything stands above.
    pub fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A wrapped paragraph.
    pub fn paragraph(&mut self, text: &str, style: Style) {
        self.hanging("", text, style);
    }

    /// A wrapped paragraph after `first`, its later lines as far in.
    pub fn hanging(&mut self, first: &str, text: &str, style: Style) {
        let (first, text) = (plain(first), plain(text));
        let indent = first.width();
        for (i, line) in wrapped(&text, self.width.saturating_sub(indent)).into_iter().enumerate() {
            match i {
                0 => self.text.push_str(&first),
                _ => self.text.push_str(&" ".repeat(indent)),
            }
            self.text.push_str(&styled(&line, style));
            self.text.push('\n');
        }
    }

    /// A line that says what follows.
    pub fn heading(&mut self, text: &str) {
        self.blank();
        self.paragraph(text, STRONG);
    }

    /// Names and values, the values below each other.
    pub fn facts<'a>(&mut self, facts: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let facts: Vec<(&str, &str)> = facts.into_iter().collect();
        let width = facts.iter().map(|(name, _)| name.width()).max().unwrap_or(0).min(self.width / 2);
        for (name, value) in facts {
            self.hanging(&format!("{name}{}  ", " ".repeat(width.saturating_sub(name.width()))), value, PLAIN);
        }
    }

    /// A table; columns of words are wrapped where all would be too wide, and what is too wide nevertheless stands in parts
    /// below each other, each with the first column.
    pub fn table(&mut self, table: &Table) {
        for (i, columns) in self.parts(table).iter().enumerate() {
            if i > 0 {
                self.text.push('\n');
            }
            let part = table.part(columns);
            let heads: Vec<Cell> = part.heads.iter().map(|(title, _)| Cell::new(title, MUTED)).collect();
            self.lines(&part, std::iter::once(&heads).chain(&part.rows));
        }
    }

    /// The columns of each part, without the first: as many as stand beside each other.
    fn parts(&self, table: &Table) -> Vec<Vec<usize>> {
        let narrowest = table.narrowest();
        let first = narrowest.first().copied().unwrap_or(0);
        let mut parts = vec![Vec::new()];
        let mut used = first;
        for (c, width) in narrowest.iter().enumerate().skip(1) {
            used += GAP + width;
            match parts.last_mut() {
                Some(part) if used <= self.width || part.is_empty() => part.push(c),
                _ => {
                    parts.push(vec![c]);
                    used = first + GAP + width;
                }
            }
        }
        parts
    }

    /// The rows of a table without its heads.
    pub fn rows(&mut self, table: &Table) {
        self.lines(table, table.rows.iter());
    }

    fn lines<'a>(&mut self, table: &Table, rows: impl Iterator<Item = &'a Vec<Cell>>) {
        let widths = self.widths(table);
        for row in rows {
            let cells: Vec<Vec<String>> =
                row.iter().zip(&widths).map(|(cell, &width)| wrapped(&cell.text, width)).collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for i in 0..height {
                let mut line = String::new();
                let mut at = 0;
                let columns = cells.iter().zip(row).zip(&widths).zip(&table.heads);
                for (c, (((lines, cell), &width), (_, number))) in columns.enumerate() {
                    let from: usize = widths.iter().take(c).map(|width| width + GAP).sum();
                    let text = lines.get(i).map_or("", String::as_str);
                    if text.is_empty() {
                        continue;
                    }
                    let start = if *number { from + width.saturating_sub(text.width()) } else { from };
                    let shown = text.trim_end();
                    line.push_str(&" ".repeat(start.saturating_sub(at)));
                    line.push_str(&styled(shown, cell.style));
                    at = start.max(at) + shown.width();
                }
                self.text.push_str(line.trim_end());
                self.text.push('\n');
            }
        }
    }

    /// Whether a table stands on the page without a wrapped cell.
    pub fn fits(&self, table: &Table) -> bool {
        table.widths().iter().sum::<usize>() <= self.room(table)
    }

    /// Columns of text beside the gaps.
    fn room(&self, table: &Table) -> usize {
        self.width.saturating_sub(GAP * table.heads.len().saturating_sub(1))
    }

    /// How wide columns are: as their cells; where there is no room words less, then the titles of numbers.
    fn widths(&self, table: &Table) -> Vec<usize> {
        let mut widths = table.widths();
        let narrowest = table.narrowest();
        let room = self.room(table);
        for numbers in [false, true] {
            while widths.iter().sum::<usize>() > room {
                let columns = widths.iter_mut().zip(&narrowest).zip(&table.heads);
                let wide = columns.filter(|((width, least), head)| head.1 == numbers && **width > **least);
                match wide.map(|((width, _), _)| width).max_by_key(|width| **width) {
                    Some(widest) => *widest -= 1,
                    None => break,
                }
            }
        }
        widths
    }
}

/// An invisible character at which no line breaks.
const WORD_JOINER: char = '\u{2060}';

/// `text` as one line without control characters: values and names of a file may contain line breaks, sequences that a terminal
/// obeys, and marks that reverse the order of what is displayed. Breaks and tabs become spaces, the others U+FFFD. Every text
/// for people passes here.
pub fn plain(text: &str) -> Cow<'_, str> {
    let breaks = |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if !text.chars().any(|c| breaks(c) || is_obeyed(c)) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| match c {
        c if breaks(c) => ' ',
        c if is_obeyed(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    Cow::Owned(text.replace("\r\n", "\n").chars().map(shown).collect())
}

/// Whether a terminal obeys a character rather than displaying it: C0 and C1 controls, and marks that override the direction of
/// text.
pub fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` in a style, bare where that is none.
pub fn styled(text: &str, style: Style) -> String {
    if style == PLAIN || text.is_empty() { text.to_owned() } else { format!("{style}{text}{style:#}") }
}

/// Lines of at most `width` columns, broken at spaces, and inside a word only where it is longer than a line.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        if paragraph.width() <= width {
            lines.push(paragraph.to_owned());
            continue;
        }
        let paragraph = paragraph.trim_end();
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let mut word = word.to_owned();
            if !line.is_empty() && line.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut line));
            } else if !line.is_empty() {
                line.push(' ');
            }
            while word.width() > width {
                let (head, tail) = cut(&word, width);
                lines.push(std::mem::take(&mut line) + &head);
                word = tail;
            }
            line.push_str(&word);
        }
        lines.push(line);
    }
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

/// The first columns of a word, one letter at least, and the rest.
fn cut(word: &str, width: usize) -> (String, String) {
    let mut used = 0;
    for (place, letter) in word.char_indices() {
        used += letter.width().unwrap_or(0);
        if used > width && place > 0 {
            let (head, tail) = word.split_at(place);
            return (head.to_owned(), tail.to_owned());
        }
    }
    (word.to_owned(), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_at_spaces() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("数字数字", 5), ["数字", "数字"]);
    }

    #[test]
    fn no_value_breaks_a_line_commands_a_terminal_or_reverses_what_is_shown() {
        assert_eq!(plain("a\r\nb\tc\u{2028}d"), "a b c d");
        assert_eq!(plain("\u{1b}[2J\u{9b}31m \u{202e}x\u{2069}"), "\u{fffd}[2J\u{fffd}31m \u{fffd}x\u{fffd}");
        assert!(matches!(plain("größer als 3 — ok"), Cow::Borrowed(_)));
        let mut page = Page::new(24);
        page.paragraph("ward = \u{1b}[31mA\n::error::x", STRONG);
        page.paragraph("a group of a long name ::error title=y::z", MUTED);
        let mut table = Table::new(&["group", "#rows"]);
        table.rows.push(vec!["::warning::\nb".into(), "7".into()]);
        page.table(&table);
        let text = anstream::adapter::strip_str(&page.into_text()).to_string();
        assert!(text.starts_with("ward = \u{fffd}[31mA"), "{text}");
        assert!(text.contains("::error title=y::z") && text.contains("::warning::"), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
    }

    #[test]
    fn numbers_line_up_and_words_are_wrapped() {
        let mut table = Table::new(&["group", "#rows"]);
        table.rows.push(vec!["women who were there before".into(), "4,834".into()]);
        table.rows.push(vec!["a".into(), "7".into()]);
        let mut page = Page::new(24);
        page.table(&table);
        let text = anstream::adapter::strip_str(&page.into_text()).to_string();
        assert_eq!(
            text,
            "group               rows\nwomen who were     4,834\nthere before\na                      7\n"
        );
    }

    #[test]
    fn what_is_too_wide_stands_in_parts() {
        let mut table = Table::new(&["group", "#first gap", "#second gap"]);
        table.rows.push(vec!["a".into(), "−7.0 (−8.9 to −5.2)".into(), "−6.8 (−9.0 to −4.1)".into()]);
        let mut page = Page::new(30);
        page.table(&table);
        let text = anstream::adapter::strip_str(&page.into_text()).to_string();
        let first = "group            first gap\na      −7.0 (−8.9 to −5.2)\n";
        assert_eq!(
            text,
            format!(
                "{first}\n{}",
                first.replace(" first", "second").replace("−7.0 (−8.9 to −5.2)", "−6.8 (−9.0 to −4.1)")
            )
        );
    }
}
