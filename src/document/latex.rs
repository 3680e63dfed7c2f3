//! The document as a LaTeX article with `booktabs`: paragraphs, lists and tables; where a chart stands, what it shows.

use std::fmt::Write as _;

use super::{Document, Piece, Section};
use crate::plot::table::Align;
use crate::report::sheet::{Cell, SheetTable};

/// The whole article. It compiles with `pdflatex`, `xelatex` and `lualatex` and needs `booktabs` and `longtable` alone.
pub fn article(document: &Document) -> String {
    let mut out = String::from(
        "\\documentclass[10pt,a4paper]{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n\
         \\usepackage[margin=22mm]{geometry}\n\\usepackage{textcomp,booktabs,longtable,array}\n\
         \\setlength{\\parindent}{0pt}\\setlength{\\parskip}{4pt}\n\\setcounter{secnumdepth}{0}\n",
    );
    let _ = writeln!(
        out,
        "\\title{{{}}}\n\\author{{{}}}\n\\date{{{}}}\n\\begin{{document}}\n\\maketitle",
        escaped(&document.title),
        escaped(&document.about),
        escaped(document.date.as_deref().unwrap_or_default())
    );
    for section in &document.sections {
        part(&mut out, section);
    }
    out.push_str("\\end{document}\n");
    out
}

fn part(out: &mut String, section: &Section) {
    let _ = writeln!(out, "\n\\section{{{}}}", escaped(&section.heading));
    pieces(out, &section.pieces);
    if let Some(remark) = &section.remark {
        let lines: Vec<String> = remark.lines().map(escaped).collect();
        let _ = writeln!(out, "\\begin{{quote}}\n\\textbf{{Remark.}} {}\n\\end{{quote}}", lines.join("\n\n"));
    }
}

fn pieces(out: &mut String, all: &[Piece]) {
    for piece in all {
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
                table(out, found);
                Ok(())
            }
            Piece::Figures(figures) => {
                for figure in figures {
                    let _ = writeln!(out, "{{\\small [Figure] {}\\par}}", escaped(words(figure)));
                }
                Ok(())
            }
            Piece::Beside(figure, beside) => {
                let _ = writeln!(out, "{{\\small [Figure] {}\\par}}", escaped(words(figure)));
                pieces(out, beside);
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

/// What a chart says, for those who do not see it.
pub(super) fn words(figure: &crate::plot::figure::Figure) -> &str {
    match figure.alt.as_str() {
        "" if figure.title.is_empty() => &figure.caption,
        "" => &figure.title,
        alt => alt,
    }
}

/// Of words, wide columns break their lines.
const WIDE: usize = 34;

fn table(out: &mut String, table: &SheetTable) {
    let longest = |place: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(place)).map(|cell| cell.text.chars().count());
        cells.max().unwrap_or(0)
    };
    let wide = (0..table.columns.len()).filter(|&place| longest(place) > WIDE).count().max(1);
    let columns: String = table
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| match column.align {
            Align::End => "r".to_owned(),
            Align::Start if longest(place) > WIDE => {
                format!(">{{\\raggedright\\arraybackslash}}p{{{:.2}\\linewidth}}", 0.7 / wide as f64)
            }
            Align::Start => "l".to_owned(),
        })
        .collect();
    if !table.caption.is_empty() {
        let _ = writeln!(out, "\\textbf{{{}}}", escaped(&table.caption));
    }
    let titles: Vec<String> = table.columns.iter().map(|column| escaped(&column.title)).collect();
    let _ = writeln!(
        out,
        "{{\\small\n\\begin{{longtable}}{{@{{}}{columns}@{{}}}}\n\\toprule\n{} \\\\\n\\midrule\n\\endhead",
        titles.join(" & ")
    );
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(cell_text).collect();
        let _ = writeln!(out, "{} \\\\", cells.join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{longtable}}\n");
}

fn cell_text(cell: &Cell) -> String {
    match cell.beneath.as_str() {
        "" => escaped(&cell.text),
        beneath => format!("{} ({})", escaped(&cell.text), escaped(beneath)),
    }
}

/// `text` so that LaTeX reads it as words: commands become letters, signs that text fonts lack become commands; what no
/// engine can set becomes a question mark. A star or a bracket at the beginning would be an argument of the command before
/// it (`\\`, `\item`, `\toprule`), so it stands in braces.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '[' | '*' if out.trim_start_matches(' ').is_empty() => out.extend(['{', c, '}']),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => out.extend(['\\', c]),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            '`' => out.push_str("\\textasciigrave{}"),
            // `--` and `''` would become other signs
            '-' | '\'' if out.ends_with(c) => out.extend(['{', c, '}']),
            '-' | '\'' => out.push(c),
            '\u{2212}' => out.push_str("$-$"),
            '\u{a0}' | '\u{202f}' | '\u{2009}' => out.push('~'),
            '…' => out.push_str("\\ldots{}"),
            '–' => out.push_str("--"),
            '—' => out.push_str("---"),
            '“' => out.push_str("``"),
            '”' => out.push_str("''"),
            '‘' => out.push('`'),
            '’' => out.push('\''),
            '≤' => out.push_str("$\\le$"),
            '≥' => out.push_str("$\\ge$"),
            '≠' => out.push_str("$\\ne$"),
            '×' => out.push_str("$\\times$"),
            '±' => out.push_str("$\\pm$"),
            '·' => out.push_str("$\\cdot$"),
            '→' => out.push_str("$\\to$"),
            '∞' => out.push_str("$\\infty$"),
            '√' => out.push_str("$\\surd$"),
            'γ' => out.push_str("$\\gamma$"),
            'τ' => out.push_str("$\\tau$"),
            'σ' => out.push_str("$\\sigma$"),
            'Σ' => out.push_str("$\\Sigma$"),
            'χ' => out.push_str("$\\chi$"),
            '²' => out.push_str("$^2$"),
            '₂' => out.push_str("$_2$"),
            '₁' => out.push_str("$_1$"),
            '▲' => out.push_str("$\\triangle$"),
            '▼' => out.push_str("$\\nabla$"),
            '\t' | '\n' | '\r' => out.push(' '),
            c if c.is_control() => {}
            // what T1 fonts have: the letters of western and central Europe
            '\u{0}'..='\u{17f}' => out.push(c),
            _ => out.push('?'),
        }
    }
    out
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
        table(&mut out, &found);
        pieces(&mut out, &[Piece::List(vec!["[one]".to_owned()])]);
        let starts = |line: &str| line.starts_with(['[', '*']) || line.starts_with("\\item [");
        assert!(out.lines().all(|line| !starts(line)), "{out}");
    }
}
