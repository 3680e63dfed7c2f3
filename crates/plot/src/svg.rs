//! A figure as a standalone SVG file: no scripts, no fonts, nothing fetched.

use std::fmt::Write as _;

use super::figure::{Anchor, Figure, Mark, Rect};
use super::image;
use super::label::Label;
use super::palette::{Ink, PRINT, Rgb, Theme};
use super::shape::{Shape, shapes};
use super::text;

const MARGIN: f64 = 16.0;

/// `figure` as an SVG document on the paper of `theme`, with its title above and its caption below.
///
/// Strings are escaped; pictures are embedded as PNG. Cost: proportional to the number of shapes and pixels.
pub fn svg(figure: &Figure, theme: &Theme) -> String {
    document(figure, theme, None)
}

/// Points of a printer in a millimetre.
pub(super) const POINTS_PER_MM: f64 = 72.0 / 25.4;
/// Height of the smallest letters in print, in points.
const SMALLEST: f64 = 7.0;

/// Width in CSS pixels of the figure whose smallest letters are 7 points high in a column of `width_mm` millimetres: 381 for
/// 85 mm, 842 for 180 mm.
pub fn print_width(width_mm: f64) -> f64 {
    (width_mm * POINTS_PER_MM * text::SMALL / SMALLEST - 2.0 * MARGIN).floor().max(280.0)
}

/// Height of the smallest letters of a figure that is narrower than the column, in points: it is not blown up further.
pub(super) const LARGEST: f64 = 9.0;

/// `figure`, drawn at most [`print_width`] wide, as an SVG document for print, `width_mm` millimetres wide: black on white,
/// tints strong enough for paper, the smallest letters between 7 and 9 points. What has no more to show than fills a part of
/// the column takes that part.
pub fn print(figure: &Figure, width_mm: f64) -> String {
    let of_letters = (figure.width + 2.0 * MARGIN) * LARGEST / text::SMALL / POINTS_PER_MM;
    let width_mm = width_mm.min(of_letters);
    document(&on_paper(figure), &PRINT, Some(width_mm))
}

/// Opacity below which an area is one of many over each other.
const FAINT: f64 = 0.1;

/// The figure with tints that paper does not swallow.
pub(super) fn on_paper(figure: &Figure) -> Figure {
    let mut figure = figure.clone();
    for mark in figure.panels.iter_mut().flat_map(|panel| &mut panel.marks) {
        if let Mark::Area { opacity, .. } = mark {
            // one of many bands over each other stays paler than one by itself
            *opacity = if *opacity < FAINT { 1.7 * *opacity } else { opacity.max(0.3) };
        }
    }
    figure
}

fn document(figure: &Figure, theme: &Theme, width_mm: Option<f64>) -> String {
    let width = figure.width + 2.0 * MARGIN;
    let title = text::wrap_bold(&figure.title, text::TITLE, figure.width);
    let caption = text::wrap(&figure.caption, text::SMALL, figure.width);
    let above = MARGIN + lines_height(&title, text::TITLE, 10.0);
    let below = MARGIN + lines_height(&caption, text::SMALL, 10.0);
    let height = above + figure.height + below;

    let (wide, high) = match width_mm {
        None => (number(width), number(height)),
        Some(mm) => (format!("{}mm", number(mm)), format!("{}mm", number(mm * height / width))),
    };
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {w} {h}\" \
         role=\"img\" aria-labelledby=\"title desc\" font-family=\"{f}\" style=\"font-variant-numeric:tabular-nums\">\n\
         <title id=\"title\">{t}</title>\n<desc id=\"desc\">{d}</desc>\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"{p}\"/>\n",
        w = number(width),
        h = number(height),
        f = escaped(text::FAMILY),
        t = escaped(if figure.title.is_empty() { &figure.alt } else { &figure.title }),
        d = escaped(&figure.alt),
        p = hex(theme.paper),
    );
    let mut y = MARGIN;
    for line in &title {
        heading(&mut out, line, y, text::TITLE, true, theme.ink);
        y += text::TITLE * 1.35;
    }
    let _ = writeln!(out, "<g transform=\"translate({},{})\">", number(MARGIN), number(above.round()));
    for shape in shapes(figure) {
        write_shape(&mut out, &shape, theme);
    }
    out.push_str("</g>\n");
    let mut y = above + figure.height + 10.0;
    for line in &caption {
        heading(&mut out, line, y, text::SMALL, false, theme.muted);
        y += text::SMALL * 1.35;
    }
    out.push_str("</svg>\n");
    out
}

/// Millimetres of paper to a CSS pixel of a figure within a document: its smallest letters are 7.5 points high, as are the
/// notes beside it.
pub const MM_PER_PX: f64 = 7.5 / text::SMALL / POINTS_PER_MM;

/// `figure` as an `<svg>` element within a document on paper that says title and caption itself, [`MM_PER_PX`] wide.
///
/// * `id`: begins the ids of its name and description; no other figure of the document has it
///
/// It holds no style attributes, which a strict policy of the document would forbid.
pub fn inline_svg(figure: &Figure, id: &str) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{mw}mm\" height=\"{mh}mm\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
         aria-labelledby=\"{id}-name {id}-text\" font-family=\"{f}\">\n\
         <title id=\"{id}-name\">{t}</title>\n<desc id=\"{id}-text\">{d}</desc>\n",
        mw = number(figure.width * MM_PER_PX),
        mh = number(figure.height * MM_PER_PX),
        w = number(figure.width),
        h = number(figure.height),
        f = escaped(text::FAMILY),
        t = escaped(if figure.title.is_empty() { &figure.alt } else { &figure.title }),
        d = escaped(&figure.alt),
    );
    let figure = on_paper(figure);
    for shape in shapes(&figure) {
        write_shape(&mut out, &shape, &PRINT);
    }
    out.push_str("</svg>\n");
    out
}

fn lines_height(lines: &[String], size: f64, gap: f64) -> f64 {
    if lines.is_empty() { 0.0 } else { (lines.len() as f64 * size * 1.35 + gap).round() }
}

fn heading(out: &mut String, line: &str, top: f64, size: f64, bold: bool, ink: Rgb) {
    let weight = if bold { " font-weight=\"600\"" } else { "" };
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{weight} fill=\"{}\">{}</text>",
        number(MARGIN),
        number(top + size),
        number(size),
        hex(ink),
        escaped(line)
    );
}

fn write_shape(out: &mut String, shape: &Shape<'_>, theme: &Theme) {
    let color = |ink: &Ink| hex(theme.rgb(*ink));
    let _ = match shape {
        Shape::Stroke { points, ink, width, dash } => {
            let broken = dash.lengths().map_or(String::new(), |(on, off)| format!(" stroke-dasharray=\"{on} {off}\""));
            writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{broken} stroke-linejoin=\"round\"/>",
                corners(&crisp(points, *width)),
                color(ink),
                number(*width)
            )
        }
        Shape::Fill { points, ink, opacity, rim } => writeln!(
            out,
            "<polygon points=\"{}\" fill=\"{}\"{}{}/>",
            corners(points),
            color(ink),
            fill_opacity(*opacity),
            rim.as_ref().map_or(String::new(), |(ink, width)| format!(
                " stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
                color(ink),
                number(*width)
            ))
        ),
        Shape::Block { rect, ink, opacity } => writeln!(
            out,
            "<rect {} fill=\"{}\"{} shape-rendering=\"crispEdges\"/>",
            sides(rect),
            color(ink),
            fill_opacity(*opacity)
        ),
        Shape::Disc { x, y, radius, ink, rim: (rim, width) } => writeln!(
            out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>",
            number(*x),
            number(*y),
            number(*radius),
            color(ink),
            color(rim),
            number(*width)
        ),
        Shape::Label(label) => {
            write_label(out, label, theme);
            Ok(())
        }
        Shape::Picture { rect, rgba, width, height } => match image::data_uri(rgba, *width, *height) {
            Some(uri) => writeln!(out, "<image {} preserveAspectRatio=\"none\" href=\"{uri}\"/>", sides(rect)),
            None => Ok(()),
        },
    };
}

fn write_label(out: &mut String, label: &Label, theme: &Theme) {
    let anchor = match label.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let bold = if label.bold { " font-weight=\"600\"" } else { "" };
    let halo = if label.halo {
        format!(" paint-order=\"stroke\" stroke=\"{}\" stroke-width=\"3\" stroke-linejoin=\"round\"", hex(theme.paper))
    } else {
        String::new()
    };
    let (x, y) = (number(label.x), number(label.y));
    let turn = if label.upward { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
    // The middle of the line: viewers disagree on dominant-baseline, so the baseline is set by hand.
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{}\" font-size=\"{}\"{bold}{anchor}{halo}{turn} fill=\"{}\">{}</text>",
        number(label.y + 0.35 * label.size),
        number(label.size),
        hex(theme.rgb(label.ink)),
        escaped(&label.text)
    );
}

/// Upright and level lines of odd width moved to the middle of a pixel, so that they are not blurred.
fn crisp(points: &[(f64, f64)], width: f64) -> Vec<(f64, f64)> {
    let straight = |get: fn(&(f64, f64)) -> f64| {
        (points.iter().map(get)).all(|v| points.first().is_some_and(|first| v == get(first)))
    };
    let half = if width.round() as i64 % 2 == 1 { 0.5 } else { 0.0 };
    let snapped = |v: f64| (v - half).round() + half;
    let (upright, level) = (straight(|p| p.0), straight(|p| p.1));
    points.iter().map(|&(x, y)| (if upright { snapped(x) } else { x }, if level { snapped(y) } else { y })).collect()
}

fn corners(points: &[(f64, f64)]) -> String {
    let mut text = String::with_capacity(points.len() * 12);
    for (i, (x, y)) in points.iter().enumerate() {
        let space = if i == 0 { "" } else { " " };
        let _ = write!(text, "{space}{},{}", number(*x), number(*y));
    }
    text
}

fn sides(rect: &Rect) -> String {
    format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        number(rect.x),
        number(rect.y),
        number(rect.width),
        number(rect.height)
    )
}

fn fill_opacity(opacity: f64) -> String {
    if opacity >= 1.0 { String::new() } else { format!(" fill-opacity=\"{}\"", number(opacity)) }
}

/// Two decimals at most, none that say nothing.
pub(super) fn number(v: f64) -> String {
    let text = format!("{v:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_string()
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// `text` as XML character data or attribute value; characters that XML forbids are left out.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Panel, Text};
    use crate::palette::LIGHT;
    use crate::table::TextTable;

    fn figure(marks: Vec<Mark>) -> Figure {
        Figure {
            width: 100.0,
            height: 50.0,
            title: "a < b & \"c\"".into(),
            caption: String::new(),
            alt: "</desc><script>alert(1)</script>".into(),
            panels: vec![Panel::overlay(100.0, 50.0, marks)],
            table: TextTable::default(),
        }
    }

    #[test]
    fn names_from_files_cannot_become_markup() {
        let name = "<img src=x onerror='alert(1)'>\u{0}&";
        let document = svg(&figure(vec![Mark::Text(Text::new(1.0, 1.0, name))]), &LIGHT);
        assert!(!document.contains("<script") && !document.contains("<img"));
        assert!(document.contains("&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;<"));
        assert!(document.contains("<title id=\"title\">a &lt; b &amp; &quot;c&quot;</title>"));
        assert!(!document.contains('\u{0}'));
    }

    #[test]
    fn in_print_no_letters_are_smaller_than_seven_points_and_nothing_is_fetched() {
        for (mm, px) in [(85.0, 381.0), (180.0, 842.0)] {
            assert_eq!(print_width(mm), px);
            let figure = Figure { width: px, ..figure(vec![Mark::Text(Text::new(1.0, 1.0, "word"))]) };
            let document = print(&figure, mm);
            assert!(document.contains(&format!("width=\"{mm}mm\"")));
            let points_per_px = mm * POINTS_PER_MM / (px + 2.0 * MARGIN);
            let sizes =
                document.split("font-size=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse::<f64>().ok());
            let smallest = sizes.fold(f64::INFINITY, f64::min);
            assert!(smallest.is_finite() && smallest * points_per_px >= SMALLEST, "{smallest}");
            let links = document.replace("http://www.w3.org/2000/svg", "");
            assert!(!links.contains("http") && !links.contains("href"));
        }
    }

    #[test]
    fn thin_lines_stand_in_the_middle_of_a_pixel() {
        let line = [(3.2, 0.0), (3.2, 9.0)];
        assert_eq!(crisp(&line, 1.0), vec![(3.5, 0.0), (3.5, 9.0)]);
        assert_eq!(crisp(&line, 2.0), vec![(3.0, 0.0), (3.0, 9.0)]);
        let slope = [(3.2, 0.1), (4.2, 9.0)];
        assert_eq!(crisp(&slope, 1.0), slope.to_vec());
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(1.0), "1");
        assert_eq!(number(-0.001), "0");
        assert_eq!(number(2.346), "2.35");
        assert_eq!(number(120.0), "120");
    }
}
