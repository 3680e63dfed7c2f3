//! The document as one HTML file: no script, nothing fetched, a policy that allows neither; and its tables alone.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::{Document, Piece, ReportPart, Section, sha256};
use crate::plot::figure::Figure;
use crate::plot::svg::{escaped, inline_svg};
use crate::plot::table::Align;
use crate::report::sheet::{Cell, SheetTable, Tone};

/// The only style of a document. The policy of a page that shows documents names its hash.
const STYLE: &str = include_str!("report.css");

/// Lines of a table that are kept on one page.
const KEPT_TOGETHER: usize = 7;
/// Letters of a word that is broken rather than widen a table.
const LONG_WORD: usize = 24;

/// The whole file. Everything but the marks of this writer is escaped; the style has its hash in the policy, and nothing
/// else may be loaded or run.
pub fn page(document: &Document) -> String {
    let hash = BASE64_STANDARD.encode(sha256(STYLE.as_bytes()));
    let title = escaped(&document.title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{hash}'; \
         img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"LoCal {}\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<article>\n",
        env!("CARGO_PKG_VERSION")
    );
    let byline: Vec<String> = [Some(document.about.as_str()), document.date.as_deref()]
        .into_iter()
        .flatten()
        .filter(|words| !words.is_empty())
        .map(escaped)
        .collect();
    let _ = writeln!(
        out,
        "<header>\n<p class=\"kind\">Calibration report</p>\n<h1>{title}</h1>\n<p class=\"byline\">{}</p>\n</header>",
        byline.join(" · ")
    );
    let mut writer = Writer { out, figures: 0, tables: 0 };
    // what stands behind the findings is set in two columns
    let mut behind = false;
    for (place, section) in document.sections.iter().enumerate() {
        if behind != is_behind(section.part) {
            behind = !behind;
            writer.out.push_str(if behind { "<div class=\"behind\">\n" } else { "</div>\n" });
        }
        writer.section(section, place);
    }
    if behind {
        writer.out.push_str("</div>\n");
    }
    writer.out.push_str("</article>\n</body>\n</html>\n");
    writer.out
}

/// Parts that tell what the findings rest on, and who signs.
fn is_behind(part: ReportPart) -> bool {
    use ReportPart::{Checklist, Data, Limits, Methods, Provenance, References, Signature};
    matches!(part, Data | Methods | Limits | Checklist | References | Provenance | Signature)
}

/// The tables alone, with what stands above each, as a fragment that word processors take from the clipboard: borders
/// are attributes, no style is needed.
pub fn tables(document: &Document) -> String {
    let mut out = String::new();
    for section in &document.sections {
        let mut found = Vec::new();
        all_tables(&section.pieces, &mut found);
        for table in found {
            let caption = if table.caption.is_empty() { &section.heading } else { &table.caption };
            let _ = writeln!(
                out,
                "<p><b>{}</b></p>\n<table border=\"1\" cellspacing=\"0\" cellpadding=\"4\">",
                escaped(caption)
            );
            rows(&mut out, table, " align=\"right\"", false);
            out.push_str("</table>\n");
        }
    }
    out
}

fn all_tables<'a>(pieces: &'a [Piece], found: &mut Vec<&'a SheetTable>) {
    for piece in pieces {
        match piece {
            Piece::Table(table) => found.push(table),
            Piece::Beside(_, pieces) => all_tables(pieces, found),
            _ => (),
        }
    }
}

struct Writer {
    out: String,
    figures: usize,
    tables: usize,
}

impl Writer {
    fn section(&mut self, section: &Section, place: usize) {
        let id = format!("{}-{place}", section.part.name());
        let _ = writeln!(
            self.out,
            "<section class=\"{}\" aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>",
            section.part.name(),
            escaped(&section.heading)
        );
        self.pieces(&section.pieces);
        if let Some(remark) = &section.remark {
            let _ = writeln!(self.out, "<div class=\"remark\"><b>Remark</b>{}</div>", lines_escaped(remark));
        }
        self.out.push_str("</section>\n");
    }

    fn pieces(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            self.piece(piece);
        }
    }

    fn piece(&mut self, piece: &Piece) {
        let _ = match piece {
            Piece::Lead(text) => writeln!(self.out, "<p class=\"lead\">{}</p>", escaped(text)),
            Piece::Heading(text) => writeln!(self.out, "<h3>{}</h3>", escaped(text)),
            Piece::Text(text) => writeln!(self.out, "<p>{}</p>", escaped(text)),
            Piece::Note(text) => writeln!(self.out, "<p class=\"note\">{}</p>", escaped(text)),
            Piece::Facts(facts) => {
                self.out.push_str("<dl>\n");
                for fact in facts {
                    let _ = writeln!(self.out, "<dt>{}</dt><dd>{}</dd>", escaped(&fact.name), escaped(&fact.value));
                }
                writeln!(self.out, "</dl>")
            }
            Piece::List(points) => {
                self.out.push_str("<ul>\n");
                for point in points {
                    let _ = writeln!(self.out, "<li>{}</li>", escaped(point));
                }
                writeln!(self.out, "</ul>")
            }
            Piece::Table(table) => {
                self.table(table);
                Ok(())
            }
            Piece::Figures(figures) => {
                let one = if figures.len() == 1 { " one" } else { "" };
                let _ = writeln!(self.out, "<div class=\"figures{one}\">");
                figures.iter().for_each(|figure| self.figure(figure));
                writeln!(self.out, "</div>")
            }
            Piece::Beside(figure, pieces) => {
                self.out.push_str("<div class=\"beside\">\n");
                self.figure(figure);
                self.out.push_str("<div>\n");
                self.pieces(pieces);
                writeln!(self.out, "</div>\n</div>")
            }
            Piece::Lines(names) => {
                self.out.push_str("<div class=\"lines\">");
                for name in names {
                    let _ = write!(self.out, "<span>{}</span>", escaped(name));
                }
                writeln!(self.out, "</div>")
            }
        };
    }

    fn figure(&mut self, figure: &Figure) {
        self.figures += 1;
        let _ = write!(self.out, "<figure>\n{}", inline_svg(figure, &format!("figure-{}", self.figures)));
        if !(figure.title.is_empty() && figure.caption.is_empty()) {
            let title = match figure.title.as_str() {
                "" => String::new(),
                title => format!("<b>{}</b> ", escaped(title)),
            };
            let _ = writeln!(self.out, "<figcaption>{title}{}</figcaption>", escaped(&figure.caption));
        }
        self.out.push_str("</figure>\n");
    }

    fn table(&mut self, table: &SheetTable) {
        let keep = if table.rows.len() <= KEPT_TOGETHER { " keep" } else { "" };
        self.tables += 1;
        // what scrolls on a narrow screen is reached by keyboard, and has a name
        let id = format!("table-{}", self.tables);
        let (label, caption) = match table.caption.as_str() {
            "" => ("aria-label=\"Table\"".to_owned(), String::new()),
            caption => {
                (format!("aria-labelledby=\"{id}\""), format!("<caption id=\"{id}\">{}</caption>\n", escaped(caption)))
            }
        };
        let _ =
            write!(self.out, "<div class=\"scroll{keep}\" tabindex=\"0\" role=\"group\" {label}>\n<table>\n{caption}");
        rows(&mut self.out, table, " class=\"end\"", true);
        self.out.push_str("</table>\n</div>\n");
    }
}

/// Head and body of a table; `end`: the attribute of cells whose text stands at the end.
fn rows(out: &mut String, table: &SheetTable, end: &str, tones: bool) {
    let at_end = |place: usize| table.columns.get(place).is_some_and(|column| column.align == Align::End);
    out.push_str("<thead><tr>");
    for (place, column) in table.columns.iter().enumerate() {
        let end = if at_end(place) { end } else { "" };
        let _ = write!(out, "<th scope=\"col\"{end}>{}</th>", escaped(&column.title));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (place, cell) in row.iter().enumerate() {
            let end = if at_end(place) { end } else { "" };
            let text = cell_text(cell, tones);
            let long = cell.text.split_whitespace().any(|word| word.chars().count() > LONG_WORD);
            let _ = match place {
                0 if tones && long => write!(out, "<th scope=\"row\" class=\"long\">{text}</th>"),
                0 => write!(out, "<th scope=\"row\"{end}>{text}</th>"),
                _ => write!(out, "<td{end}>{text}</td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n");
}

fn cell_text(cell: &Cell, tones: bool) -> String {
    let tone = match cell.tone {
        Tone::Over => "over",
        Tone::Under => "under",
        Tone::Best => "best",
        Tone::Muted => "muted",
        Tone::Plain => "",
    };
    let text = escaped(&cell.text);
    let text = if tones && !tone.is_empty() { format!("<span class=\"{tone}\">{text}</span>") } else { text };
    match (cell.beneath.as_str(), tones) {
        ("", _) => text,
        (beneath, true) => format!("{text}<span class=\"beneath\">{}</span>", escaped(beneath)),
        (beneath, false) => format!("{text}<br>{}", escaped(beneath)),
    }
}

/// Text with its own line breaks.
fn lines_escaped(text: &str) -> String {
    text.lines().map(escaped).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_word_may_be_broken_on_paper() {
        let mut table = SheetTable::new("", &["Subgroup", "#n"]);
        table.rows = vec![vec!["age ≥ 72".into(), "9".into()], vec!["x".repeat(LONG_WORD + 1).into(), "9".into()]];
        let written = |tones| {
            let mut out = String::new();
            rows(&mut out, &table, " class=\"end\"", tones);
            out
        };
        assert_eq!(written(true).matches("class=\"long\"").count(), 1);
        // a word processor breaks words itself
        assert_eq!(written(false).matches("class=\"long\"").count(), 0);
    }
}
