//! The text twin of a chart: the same numbers as a table.

use serde::{Deserialize, Serialize};

/// A table of formatted cells.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextTable {
    /// heads
    pub columns: Vec<TextColumn>,
    /// each as long as `columns`
    pub rows: Vec<Vec<String>>,
}

/// Head of one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextColumn {
    /// heading
    pub title: String,
    /// alignment: numbers right, text left
    pub align: Align,
}

/// Alignment of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// words
    Start,
    /// numbers
    End,
}

impl TextTable {
    /// An empty table; heads that begin with `#` are columns of numbers, the `#` is not shown.
    pub fn new(titles: &[&str]) -> Self {
        let columns = titles
            .iter()
            .map(|title| match title.strip_prefix('#') {
                Some(number) => TextColumn { title: number.to_string(), align: Align::End },
                None => TextColumn { title: (*title).to_string(), align: Align::Start },
            })
            .collect();
        Self { columns, rows: Vec::new() }
    }

    /// The table in monospaced lines, columns two spaces apart, no space at line ends.
    pub fn to_text(&self) -> String {
        let length = |s: &str| s.chars().count();
        let widths: Vec<usize> = (self.columns.iter().enumerate())
            .map(|(c, column)| {
                (self.rows.iter().filter_map(|row| row.get(c)))
                    .map(|cell| length(cell))
                    .fold(length(&column.title), usize::max)
            })
            .collect();
        let mut text = String::new();
        let titles: Vec<String> = self.columns.iter().map(|c| c.title.clone()).collect();
        for row in std::iter::once(&titles).chain(&self.rows) {
            let mut line = String::new();
            for ((cell, column), width) in row.iter().zip(&self.columns).zip(&widths) {
                let gap = " ".repeat(width - length(cell));
                if !line.is_empty() {
                    line.push_str("  ");
                }
                match column.align {
                    Align::Start => line.extend([cell.as_str(), &gap]),
                    Align::End => line.extend([gap.as_str(), cell]),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_line_up_at_the_end() {
        let mut table = TextTable::new(&["group", "#rows"]);
        table.rows.push(vec!["women".into(), "4,834".into()]);
        table.rows.push(vec!["a".into(), "7".into()]);
        assert_eq!(table.to_text(), "group   rows\nwomen  4,834\na          7\n");
    }
}
