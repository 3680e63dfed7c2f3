//! The document as a LaTeX article with `booktabs`: paragraphs, lists and tables; where a chart stands, what it shows, and
//! the chart itself where its file lies beside the article.

use std::fmt::Write as _;

use super::{Document, Piece, ReportPart, Section, caption_and_content};
use crate::plot::figure::Figure;
use crate::plot::table::Align;
use crate::report::sheet::{Cell, SheetTable};
use crate::words::latex::{SIZES, escaped, label, math};

/// What stands before the text. `\chart` takes in `figure-1.pdf` (or `.png`) where there is one, and gives it a number and a
/// label; `\beyond` is a sign that pdfLaTeX has no font for, and that the others print as it is.
const PREAMBLE: &str = r"\documentclass[10pt,a4paper]{article}
\usepackage{iftex}
\ifPDFTeX
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\newcommand{\beyond}[1]{?}
\else
\usepackage{fontspec}
\newcommand{\beyond}[1]{#1}
\fi
\usepackage[margin=22mm]{geometry}
\usepackage{textcomp,booktabs,longtable,array,graphicx}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}\setlength{\LTleft}{0pt}\setlength{\LTcapwidth}{\linewidth}
\setlength{\emergencystretch}{3em}
\setcounter{secnumdepth}{0}
\newcommand{\chart}[3]{\par\IfFileExists{figure-#1.pdf}{\includegraphics[width=85mm]{figure-#1.pdf}\par}{%
\IfFileExists{figure-#1.png}{\includegraphics[width=85mm]{figure-#1.png}\par}{}}%
\refstepcounter{figure}\label{#2}{\small Figure~\thefigure: #3\par}}
";

/// An article that includes `<name>-figure-1.pdf` in the place of `figure-1.pdf`. Text of an article has no bare `#`, so the
/// names of files in `\chart` are not mistaken for it.
pub fn with_figures_named(article: &str, name: &str) -> String {
    article.replace("{figure-#1.", &format!("{{{name}-figure-#1."))
}

/// The whole article. It compiles with `pdflatex`, `xelatex` and `lualatex`, twice for the widths of tables, and needs no
/// packages but those that every distribution brings.
pub fn article(document: &Document) -> String {
    let mut writer = Writer { out: PREAMBLE.to_owned(), figures: 0, part: ReportPart::Summary, labels: Vec::new() };
    let _ = writeln!(
        writer.out,
        "\\title{{{}}}\n\\author{{{}}}\n\\date{{{}}}\n\\begin{{document}}\n\\maketitle",
        escaped(&document.title),
        escaped(&document.about),
        escaped(document.date.as_deref().unwrap_or_default())
    );
    document.sections.iter().for_each(|section| writer.section(section));
    writer.out.push_str("\\end{document}\n");
    writer.out
}

struct Writer {
    out: String,
    figures: usize,
    /// of the pieces that are written
    part: ReportPart,
    /// that are taken
    labels: Vec<String>,
}

impl Writer {
    /// A label of the part that nothing else has: `tab:groups-2`.
    fn label(&mut self, kind: &str) -> String {
        let stem = label(kind, &[self.part.name()]);
        let number = 1 + self.labels.iter().filter(|known| **known == stem).count();
        let label = format!("{stem}-{number}");
        self.labels.push(stem);
        label
    }

    fn section(&mut self, section: &Section) {
        self.part = section.part;
        let _ = writeln!(self.out, "\n\\section{{{}}}", escaped(&section.heading));
        self.pieces(&section.pieces);
        if let Some(remark) = &section.remark {
            let lines: Vec<String> = remark.lines().map(escaped).collect();
            let _ = writeln!(self.out, "\\begin{{quote}}\n\\textbf{{Remark.}} {}\n\\end{{quote}}", lines.join("\n\n"));
        }
    }

    fn pieces(&mut self, all: &[Piece]) {
        for piece in all {
            let out = &mut self.out;
            let _ = match piece {
                Piece::Lead(text) => writeln!(out, "{{\\large {}\\par}}", escaped(text)),
                Piece::Heading(text) => writeln!(out, "\\subsection{{{}}}", escaped(text)),
                Piece::Text(text) => writeln!(out, "{}\n", escaped(text)),
                Piece::Note(text) => writeln!(out, "{{\\small {}\\par}}", escaped(text)),
                Piece::Facts(facts) => {
                    out.push_str("\\begin{description}\n");
                    for fact in facts {
                        let _ = writeln!(out, "\\item[{{{}}}] {}", escaped(&fact.name), escaped(&fact.value));
                    }
                    writeln!(out, "\\end{{description}}")
                }
                Piece::List(points) => {
                    out.push_str("\\begin{itemize}\n");
                    for point in points {
                        let _ = writeln!(out, "\\item {}", escaped(point));
                    }
                    writeln!(out, "\\end{{itemize}}")
                }
                Piece::Table(found) => {
                    let label = (!found.caption.is_empty()).then(|| self.label("tab"));
                    table(&mut self.out, found, label.as_deref());
                    Ok(())
                }
                Piece::Figures(figures) => {
                    figures.iter().for_each(|figure| self.figure(figure));
                    Ok(())
                }
                Piece::Beside(figure, beside) => {
                    self.figure(figure);
                    self.pieces(beside);
                    Ok(())
                }
                Piece::Lines(names) => {
                    for name in names {
                        let _ = writeln!(out, "\\medskip\n{}: \\underline{{\\hspace{{50mm}}}}\n", escaped(name));
                    }
                    Ok(())
                }
            };
        }
    }

    fn figure(&mut self, figure: &Figure) {
        self.figures += 1;
        let title = match figure.title.as_str() {
            "" => String::new(),
            title => format!("\\textbf{{{}}} ", escaped(title)),
        };
        let words = caption_and_content(figure);
        let label = self.label("fig");
        let _ = writeln!(self.out, "\\chart{{{}}}{{{label}}}{{{title}{}}}", self.figures, escaped(&words));
    }
}

/// Least width of words that break, in letters.
const NARROWEST: usize = 12;
/// Least width of a head, in letters.
const HEAD: usize = 9;

/// A table with a caption has a `label`. Where it fits a line in no size, intervals move beneath their numbers.
fn table(out: &mut String, table: &SheetTable, label: Option<&str>) {
    if !set(out, table, label, false) {
        set(out, &stacked(table), label, true);
    }
}

/// The table with the interval of each number beneath it: a line more for each row, and half as wide.
fn stacked(table: &SheetTable) -> SheetTable {
    let mut table = table.clone();
    for row in &mut table.rows {
        for (cell, column) in row.iter_mut().zip(&table.columns) {
            if column.align != Align::End || !cell.beneath.is_empty() {
                continue;
            }
            if let Some((number, interval)) = cell.text.split_once(" (") {
                cell.beneath = format!("({interval}");
                cell.text = number.to_owned();
            }
        }
    }
    table
}

/// Writes the table in the largest size in which it fits a line, and says whether it did. Where it fits in none, nothing is
/// written, or with `anyway` the smallest size. Numbers are as wide as they are; words share what is left, and break. What is
/// beneath cells is a line of its own.
fn set(out: &mut String, table: &SheetTable, label: Option<&str>, anyway: bool) -> bool {
    let lengths = |place: usize| {
        let cells = table.rows.iter().filter_map(move |row| row.get(place));
        cells.flat_map(|cell| [&cell.text, &cell.beneath]).map(|text| text.chars().count())
    };
    let heads: Vec<Vec<String>> = (table.columns.iter().enumerate())
        .map(|(place, column)| lines(&column.title, lengths(place).max().unwrap_or(0).max(HEAD)))
        .collect();
    let widths: Vec<usize> = (heads.iter().enumerate())
        .map(|(place, head)| head.iter().map(|line| line.chars().count()).chain(lengths(place)).max().unwrap_or(0))
        .collect();
    let gaps = 2 * table.columns.len();
    let of = |align: Align| table.columns.iter().zip(&widths).filter(move |(column, _)| column.align == align);
    let (numbers, words): (usize, usize) =
        (of(Align::End).map(|(_, width)| width).sum(), of(Align::Start).map(|(_, width)| width).sum());
    // short words keep their width, too
    let short: usize = of(Align::Start).map(|(_, width)| *width).filter(|width| *width <= NARROWEST).sum();
    let long = words - short;
    let least = NARROWEST * of(Align::Start).filter(|(_, width)| **width > NARROWEST).count();
    let room = |line: usize| line.saturating_sub(numbers + gaps + short);
    let enough = |line: usize| numbers + gaps + short + long.min(line / 3).max(least.min(long)) <= line;
    let fitting = SIZES.into_iter().find(|(_, line)| enough(*line));
    let Some((size, line)) = fitting.or(anyway.then_some(SIZES[2])) else { return false };
    let left = room(line).max(least);
    let columns: Vec<String> = table
        .columns
        .iter()
        .zip(&widths)
        .map(|(column, width)| match column.align {
            Align::End => "r".to_owned(),
            Align::Start if long <= left || *width <= NARROWEST => "l".to_owned(),
            Align::Start => {
                let share = (left * width / long.max(1)).max(NARROWEST) as f64 / line as f64;
                format!(">{{\\raggedright\\arraybackslash}}p{{{share:.2}\\linewidth}}")
            }
        })
        .collect();
    let _ = writeln!(
        out,
        "{{\\{size}\\setlength{{\\tabcolsep}}{{.4em}}\n\\begin{{longtable}}{{@{{}}{}@{{}}}}",
        columns.concat()
    );
    let mut head = "\\toprule\n".to_owned();
    let height = heads.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..height {
        // heads of one line stand above the rule
        let cell = |head: &Vec<String>| {
            let above = height - head.len();
            line.checked_sub(above).and_then(|line| head.get(line)).map_or_else(String::new, |text| escaped(text))
        };
        let _ = writeln!(head, "{} \\\\", heads.iter().map(cell).collect::<Vec<_>>().join(" & "));
    }
    head.push_str("\\midrule\n");
    match label {
        // the caption stands above the first of its pages alone
        Some(label) => {
            let caption = escaped(&table.caption);
            let _ =
                writeln!(out, "\\caption{{{caption}}}\\label{{{label}}}\\\\\n{head}\\endfirsthead\n{head}\\endhead");
        }
        None => {
            let _ = writeln!(out, "{head}\\endhead");
        }
    }
    for row in &table.rows {
        let cells = |text: &dyn Fn(&Cell) -> String| row.iter().map(text).collect::<Vec<_>>().join(" & ");
        let first = cells(&|cell| math(&cell.text, false));
        if row.iter().all(|cell| cell.beneath.is_empty()) {
            let _ = writeln!(out, "{first} \\\\");
            continue;
        }
        let second = cells(&|cell| match cell.beneath.as_str() {
            "" => String::new(),
            // a size smaller where the table itself is not
            beneath if size == "small" => format!("{{\\footnotesize {}}}", escaped(beneath)),
            beneath => math(beneath, false),
        });
        let _ = writeln!(out, "{first} \\\\*\n{second} \\\\");
    }
    out.push_str("\\bottomrule\n\\end{longtable}");
    // without a caption it has no number
    out.push_str(if label.is_some() { "}\n" } else { "\\addtocounter{table}{-1}}\n" });
    true
}

/// `text` in lines of at most `most` letters, broken at spaces.
fn lines(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_with_a_bracket_is_no_argument() {
        assert_eq!(escaped("[18, 40)"), "{[}18, 40)");
        assert_eq!(escaped("\t*"), " {*}");
        assert_eq!(escaped("age [18, 40) *"), "age [18, 40) *");
        let mut found = SheetTable::new("", &["[a]", "*"]);
        found.rows.push(vec![Cell::from("[18, 40)"), Cell::from("1")]);
        found.rows.push(vec![Cell::from("*"), Cell::from("[2]")]);
        let mut out = String::new();
        table(&mut out, &found, None);
        let mut writer = Writer { out, figures: 0, part: ReportPart::Summary, labels: Vec::new() };
        writer.pieces(&[Piece::List(vec!["[one]".to_owned()])]);
        let out = writer.out;
        let starts = |line: &str| line.starts_with(['[', '*']) || line.starts_with("\\item [");
        assert!(out.lines().all(|line| !starts(line)), "{out}");
    }
}
