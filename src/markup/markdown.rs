//! The document as Markdown: headings, paragraphs, tables with bars; where a chart stands, what it shows.

use std::fmt::Write as _;

use super::{Document, Piece, caption_and_content};
use crate::plot::figure::Figure;
use crate::plot::table::Align;
use crate::report::sheet::{Cell, SheetTable};

/// The whole text.
pub fn text(document: &Document) -> String {
    let mut out = format!("# {}\n\n", escaped(&document.title));
    let byline: Vec<String> = [Some(document.about.as_str()), document.date.as_deref()]
        .into_iter()
        .flatten()
        .filter(|words| !words.is_empty())
        .map(escaped)
        .collect();
    if !byline.is_empty() {
        let _ = writeln!(out, "{}\n", byline.join(" · "));
    }
    for section in &document.sections {
        let _ = writeln!(out, "## {}\n", escaped(&section.heading));
        pieces(&mut out, &section.pieces);
        if let Some(remark) = &section.remark {
            for line in remark.lines() {
                let _ = writeln!(out, "> {}", escaped(line));
            }
            out.push('\n');
        }
    }
    out
}

fn pieces(out: &mut String, all: &[Piece]) {
    for piece in all {
        let _ = match piece {
            Piece::Lead(text) => writeln!(out, "**{}**\n", escaped(text)),
            Piece::Heading(text) => writeln!(out, "### {}\n", escaped(text)),
            Piece::Text(text) | Piece::Note(text) => writeln!(out, "{}\n", escaped(text)),
            Piece::Facts(facts) => {
                for fact in facts {
                    let _ = writeln!(out, "- {}: {}", escaped(&fact.name), escaped(&fact.value));
                }
                writeln!(out)
            }
            Piece::List(points) => {
                for point in points {
                    let _ = writeln!(out, "- {}", escaped(point));
                }
                writeln!(out)
            }
            Piece::Table(found) => {
                table(out, found);
                Ok(())
            }
            Piece::Figures(figures) => {
                for figure in figures {
                    let _ = writeln!(out, "*{}*\n", words(figure));
                }
                Ok(())
            }
            Piece::Beside(figure, beside) => {
                let _ = writeln!(out, "*{}*\n", words(figure));
                pieces(out, beside);
                Ok(())
            }
            Piece::Lines(names) => {
                for name in names {
                    let _ = writeln!(out, "{}: ________________\n", escaped(name));
                }
                Ok(())
            }
        };
    }
}

/// What a chart is called, its caption, and what it shows.
fn words(figure: &Figure) -> String {
    let title = if figure.title.is_empty() { "Figure." } else { &figure.title };
    escaped(&format!("{title}{} {}", if title.ends_with('.') { "" } else { "." }, caption_and_content(figure)))
}

fn table(out: &mut String, table: &SheetTable) {
    if !table.caption.is_empty() {
        let _ = writeln!(out, "{}\n", escaped(&table.caption));
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    *out += &line(table.columns.iter().map(|column| escaped(&column.title)).collect());
    let rule = |column: &crate::report::sheet::SheetColumn| if column.align == Align::End { "---:" } else { "---" };
    *out += &line(table.columns.iter().map(|column| rule(column).to_owned()).collect());
    for row in &table.rows {
        *out += &line(row.iter().map(cell_text).collect());
    }
    out.push('\n');
}

fn cell_text(cell: &Cell) -> String {
    match cell.beneath.as_str() {
        "" => escaped(&cell.text),
        beneath => format!("{} ({})", escaped(&cell.text), escaped(beneath)),
    }
}

/// `text` so that Markdown reads it as words: no marks, no HTML, no links, one line.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut first = true;
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => out.extend(['\\', c]),
            '#' | '>' | '+' | '-' if first => out.extend(['\\', c]),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() => {}
            _ => out.push(c),
        }
        first = false;
    }
    out
}
