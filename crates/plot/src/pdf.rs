//! A figure as a PDF page for papers: vector shapes, text as text, nothing fetched, the same bytes every time.
//!
//! The page holds the drawing alone. Title and caption are words of the paper; they are in the document's metadata. Text is
//! in the standard fonts, which are not embedded: Helvetica, Symbol for Greek letters and further signs, ZapfDingbats.
//! Words with a letter that these lack are drawn as outlines, where the caller has fonts ([`pdf_with`]).
//!
//! # Source
//! ISO 32000-1:2008; PDF 1.4 suffices.

mod letters;

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::figure::{Anchor, Dash, Figure, Rect};
use super::label::Label;
use super::palette::{Ink, PRINT};
use super::shape::{Shape, shapes};
use super::svg::{LARGEST, POINTS_PER_MM, number, on_paper};
use super::text;
use crate::error::{Error, Result};

/// Paper around the drawing in CSS pixels, so that lines at its edge keep their width.
const EDGE: f64 = 4.0;
/// Points of a printer to a CSS pixel.
const POINTS_PER_PX: f64 = 0.75;
/// Distance of the control points of a quarter of a circle, in radii.
const QUARTER: f64 = 0.552_285;

/// `figure` as a PDF document of one page, black on white with tints strong enough for paper.
///
/// * `width_mm`: width of the page in millimetres, of a figure that was drawn as wide as
///   [`print_width`](super::svg::print_width) says; a page is narrower where its smallest letters would be above 9 points.
///   Without it a CSS pixel is 0.75 points.
///
/// # Errors
/// `not_drawn` for a letter that the standard fonts lack: it names the letter.
///
/// # Cost
/// Proportional to the number of shapes and pixels.
pub fn pdf(figure: &Figure, width_mm: Option<f64>) -> Result<Vec<u8>> {
    pdf_with(figure, width_mm, &|_| None)
}

/// A piece of the outline of words: places in CSS pixels from the anchor of the words and the line they stand on, x
/// along the line, y toward the feet of the letters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Segment {
    /// to the start of the next line
    Move([f64; 2]),
    /// a straight line
    Line([f64; 2]),
    /// a cubic curve: two control points, then its end
    Curve([[f64; 2]; 3]),
    /// back to the start
    Close,
}

/// The outlines of words that the standard fonts cannot write, which are filled by their winding; none where a letter
/// has none.
pub type Outlines<'a> = &'a dyn Fn(&Label) -> Option<Vec<Segment>>;

/// [`pdf`], with outlines of words that have a letter which the standard fonts lack.
///
/// # Errors
/// `not_drawn` for a letter that has no outline either.
///
/// # Cost
/// That of [`pdf`], and of the outlines.
pub fn pdf_with(figure: &Figure, width_mm: Option<f64>, outlines: Outlines) -> Result<Vec<u8>> {
    let figure = &on_paper(figure);
    let (width, height) = (figure.width + 2.0 * EDGE, figure.height + 2.0 * EDGE);
    let scale = width_mm.map_or(POINTS_PER_PX, |mm| (mm * POINTS_PER_MM / width).min(LARGEST / text::SMALL));
    let mut page = Page { height, ..Page::default() };
    let _ = writeln!(page.content, "{scale:.5} 0 0 {scale:.5} 0 0 cm\n1 j");
    for shape in shapes(figure) {
        page.shape(shape, outlines)?;
    }
    Ok(page.document(figure, [width * scale, height * scale]))
}

/// The standard fonts in use, as they are numbered in the resources of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Font {
    Regular,
    Bold,
    Symbol,
    Dingbats,
    /// Helvetica with letters that WinAnsi lacks
    Latin,
    LatinBold,
}

impl Font {
    /// The dictionary of the font.
    fn dictionary(self) -> String {
        let name = match self {
            Self::Regular | Self::Latin => "Helvetica",
            Self::Bold | Self::LatinBold => "Helvetica-Bold",
            Self::Symbol => "Symbol",
            Self::Dingbats => "ZapfDingbats",
        };
        let encoding = match self {
            Self::Regular | Self::Bold => " /Encoding /WinAnsiEncoding".to_owned(),
            Self::Symbol | Self::Dingbats => String::new(),
            Self::Latin | Self::LatinBold => {
                let names = letters::LATIN.map(|(_, name, ..)| format!("/{name}")).join(" ");
                format!(" /Encoding << /Type /Encoding /Differences [{FIRST_LATIN} {names}] >>")
            }
        };
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name}{encoding} >>")
    }
}

/// Code of the first of [`letters::LATIN`].
const FIRST_LATIN: u8 = 33;

/// A letter in a font.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Glyph {
    font: Font,
    code: u8,
    /// of its em
    width: f64,
    /// of the size of the text
    size: f64,
    /// of the size of the text
    rise: f64,
}

/// From the middle of a line of text to its base, of its size.
const BASE: f64 = 0.35;
/// Size of raised and lowered digits: as wide as the digits of Helvetica that are raised in the font itself.
const RAISED: f64 = 0.6;

/// The glyph of a letter; `None` where the standard fonts have none.
fn glyph(c: char, bold: bool) -> Option<Glyph> {
    let whole =
        |font, code: u8, width: u16| Glyph { font, code, width: f64::from(width) / 1000.0, size: 1.0, rise: 0.0 };
    let ansi = |code: u8| {
        let (font, widths) = if bold { (Font::Bold, &letters::BOLD) } else { (Font::Regular, &letters::REGULAR) };
        let width = widths.get(usize::from(code).checked_sub(32)?)?;
        Some(whole(font, code, *width))
    };
    let moved = |digit: u32, rise: f64| {
        let like = char::from_digit(digit, 10).and_then(|c| glyph(c, bold))?;
        Some(Glyph { size: RAISED, rise, ..like })
    };
    match c {
        '\t' | '\n' | '\r' | '\u{2000}'..='\u{200a}' | '\u{202f}' => ansi(b' '),
        ' '..='~' | '\u{a0}'..='\u{ff}' => u8::try_from(u32::from(c)).ok().and_then(ansi),
        '\u{2010}' | '\u{2011}' => ansi(b'-'),
        '⁰' | '\u{2074}'..='\u{2079}' => moved(u32::from(c) - 0x2070, 0.33),
        '⁻' => glyph('\u{2212}', bold).map(|minus| Glyph { size: RAISED, rise: 0.33, ..minus }),
        '\u{2080}'..='\u{2089}' => moved(u32::from(c) - 0x2080, -0.12),
        _ => {
            let listed = |list: &[(char, u8, u16)], font| {
                list.iter().find(|(known, ..)| *known == c).map(|(_, code, width)| whole(font, *code, *width))
            };
            let code = letters::WIN_ANSI.iter().find(|(known, _)| *known == c).map(|(_, code)| *code);
            let latin = || {
                let place = letters::LATIN.iter().position(|(known, ..)| *known == c)?;
                let (_, _, regular, heavy) = letters::LATIN.get(place)?;
                let (font, width) = if bold { (Font::LatinBold, heavy) } else { (Font::Latin, regular) };
                Some(whole(font, FIRST_LATIN + u8::try_from(place).ok()?, *width))
            };
            code.and_then(ansi)
                .or_else(|| listed(&letters::SYMBOL, Font::Symbol))
                .or_else(|| listed(&letters::DINGBATS, Font::Dingbats))
                .or_else(latin)
        }
    }
}

/// The glyphs of `text`; what is a control character is left out.
///
/// # Errors
/// `not_drawn` for a letter without a glyph.
fn glyphs(text: &str, bold: bool) -> Result<Vec<Glyph>> {
    let missing = |c: char| {
        Error::new(
            "not_drawn",
            format!("The standard fonts of a PDF have no letter “{c}”, which is in “{text}”."),
            "Save the chart as SVG, or give what it shows a name in Latin letters.",
        )
    };
    let seen = |c: &char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    text.chars().filter(seen).map(|c| glyph(c, bold).ok_or_else(|| missing(c))).collect()
}

/// What is written on the page, in CSS pixels from the lower left corner.
#[derive(Default)]
struct Page<'a> {
    content: String,
    height: f64,
    fonts: Vec<Font>,
    /// in thousandths
    opacities: Vec<u32>,
    pictures: Vec<(&'a [u8], u32, u32)>,
}

impl<'a> Page<'a> {
    fn x(&self, x: f64) -> String {
        finite(x + EDGE)
    }

    fn y(&self, y: f64) -> String {
        finite(self.height - EDGE - y)
    }

    fn shape(&mut self, shape: Shape<'a>, outlines: Outlines) -> Result<()> {
        match shape {
            Shape::Stroke { points, ink, width, dash } => {
                self.stroke(ink, width);
                self.dash(dash);
                self.path(&points);
                self.content.push_str("S\n");
                if dash != Dash::Solid {
                    self.content.push_str("[] 0 d\n");
                }
            }
            Shape::Fill { points, ink, opacity, rim } => {
                self.translucent(opacity);
                self.fill(ink);
                if let Some((ink, width)) = rim {
                    self.stroke(ink, width);
                }
                self.path(&points);
                self.content.push_str(if rim.is_some() { "b\n" } else { "f\n" });
                self.opaque(opacity);
            }
            Shape::Block { rect, ink, opacity } => {
                self.translucent(opacity);
                self.fill(ink);
                let (x, y) = (self.x(rect.x), self.y(rect.bottom()));
                let _ = writeln!(self.content, "{x} {y} {} {} re f", finite(rect.width), finite(rect.height));
                self.opaque(opacity);
            }
            Shape::Disc { x, y, radius, ink, rim: (rim, width) } => {
                self.fill(ink);
                self.stroke(rim, width);
                self.circle(x, y, radius);
                self.content.push_str("b\n");
            }
            Shape::Label(label) => self.label(&label, outlines)?,
            Shape::Picture { rect, rgba, width, height } => self.picture(&rect, rgba, width, height),
        }
        Ok(())
    }

    fn stroke(&mut self, ink: Ink, width: f64) {
        let _ = writeln!(self.content, "{} RG {} w", color(ink), number(width));
    }

    fn fill(&mut self, ink: Ink) {
        let _ = writeln!(self.content, "{} rg", color(ink));
    }

    fn dash(&mut self, dash: Dash) {
        if let Some((on, off)) = dash.lengths() {
            let _ = writeln!(self.content, "[{} {}] 0 d", number(on), number(off));
        }
    }

    fn translucent(&mut self, opacity: f64) {
        if opacity >= 1.0 {
            return;
        }
        let thousandths = (opacity.max(0.0) * 1000.0).round() as u32;
        let place = self.opacities.iter().position(|known| *known == thousandths).unwrap_or_else(|| {
            self.opacities.push(thousandths);
            self.opacities.len() - 1
        });
        let _ = writeln!(self.content, "q /G{place} gs");
    }

    fn opaque(&mut self, opacity: f64) {
        if opacity < 1.0 {
            self.content.push_str("Q\n");
        }
    }

    fn path(&mut self, points: &[(f64, f64)]) {
        for (i, (x, y)) in points.iter().enumerate() {
            let (x, y) = (self.x(*x), self.y(*y));
            let _ = writeln!(self.content, "{x} {y} {}", if i == 0 { "m" } else { "l" });
        }
    }

    fn circle(&mut self, x: f64, y: f64, r: f64) {
        let k = QUARTER * r;
        let at = |dx: f64, dy: f64| format!("{} {}", self.x(x + dx), self.y(y + dy));
        let mut path = format!("{} m\n", at(r, 0.0));
        for [a, b, to] in [
            [(r, k), (k, r), (0.0, r)],
            [(-k, r), (-r, k), (-r, 0.0)],
            [(-r, -k), (-k, -r), (0.0, -r)],
            [(k, -r), (r, -k), (r, 0.0)],
        ] {
            let _ = writeln!(path, "{} {} {} c", at(a.0, a.1), at(b.0, b.1), at(to.0, to.1));
        }
        self.content.push_str(&path);
    }

    fn picture(&mut self, rect: &Rect, rgba: &'a [u8], width: u32, height: u32) {
        let (x, y) = (self.x(rect.x), self.y(rect.bottom()));
        let place = self.pictures.len();
        let _ =
            writeln!(self.content, "q {} 0 0 {} {x} {y} cm /P{place} Do Q", finite(rect.width), finite(rect.height));
        self.pictures.push((rgba, width, height));
    }

    fn label(&mut self, label: &Label, outlines: Outlines) -> Result<()> {
        let glyphs = match glyphs(&label.text, label.bold) {
            Ok(glyphs) => glyphs,
            Err(missing) => {
                self.outline(label, &outlines(label).ok_or(missing)?);
                return Ok(());
            }
        };
        if glyphs.is_empty() {
            return Ok(());
        }
        let length: f64 = glyphs.iter().map(|glyph| glyph.width * glyph.size * label.size).sum();
        let before = match label.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5 * length,
            Anchor::End => length,
        };
        let base = BASE * label.size;
        let place = match label.upward {
            true => format!("0 1 -1 0 {} {} Tm", self.x(label.x + base), self.y(label.y + before)),
            false => format!("1 0 0 1 {} {} Tm", self.x(label.x - before), self.y(label.y + base)),
        };
        let mut words = String::new();
        for run in glyphs.chunk_by(|a, b| (a.font, a.size, a.rise) == (b.font, b.size, b.rise)) {
            let Some(first) = run.first() else { continue };
            let font = self.fonts.iter().position(|font| *font == first.font).unwrap_or_else(|| {
                self.fonts.push(first.font);
                self.fonts.len() - 1
            });
            let size = number(first.size * label.size);
            let _ = write!(words, "/F{font} {size} Tf {} Ts (", number(first.rise * label.size));
            for glyph in run {
                match glyph.code {
                    b'(' | b')' | b'\\' => words.extend(['\\', char::from(glyph.code)]),
                    b' '..=b'~' => words.push(char::from(glyph.code)),
                    code => {
                        let _ = write!(words, "\\{code:03o}");
                    }
                }
            }
            words.push_str(") Tj\n");
        }
        if label.halo {
            let _ = writeln!(self.content, "q {} RG 3 w 1 Tr BT\n{place}\n{words}ET Q", color(Ink::Paper));
        }
        let _ = writeln!(self.content, "{} rg BT\n{place}\n{words}ET", color(label.ink));
        Ok(())
    }

    /// Words as the outlines of their letters.
    fn outline(&mut self, label: &Label, segments: &[Segment]) {
        let base = BASE * label.size;
        let at = |[along, down]: [f64; 2]| match label.upward {
            true => format!("{} {}", self.x(label.x + base + down), self.y(label.y - along)),
            false => format!("{} {}", self.x(label.x + along), self.y(label.y + base + down)),
        };
        let mut path = String::new();
        for segment in segments {
            let _ = match segment {
                Segment::Move(to) => writeln!(path, "{} m", at(*to)),
                Segment::Line(to) => writeln!(path, "{} l", at(*to)),
                Segment::Curve([a, b, to]) => writeln!(path, "{} {} {} c", at(*a), at(*b), at(*to)),
                Segment::Close => writeln!(path, "h"),
            };
        }
        if label.halo {
            let _ = writeln!(self.content, "q {} RG 3 w\n{path}S Q", color(Ink::Paper));
        }
        let _ = writeln!(self.content, "{} rg\n{path}f", color(label.ink));
    }

    /// The file: catalog, pages, page, content, metadata; then fonts and pictures.
    fn document(&self, figure: &Figure, size: [f64; 2]) -> Vec<u8> {
        let mut file = File { bytes: b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec(), offsets: Vec::new() };
        let first_font = 6;
        let first_picture = first_font + self.fonts.len();
        let mut resources = String::new();
        let mut entries = |kind: &str, all: Vec<String>| {
            if !all.is_empty() {
                let _ = write!(resources, " /{kind} << {} >>", all.join(" "));
            }
        };
        let numbered = |list: usize, of: &dyn Fn(usize) -> String| (0..list).map(of).collect::<Vec<_>>();
        entries("Font", numbered(self.fonts.len(), &|i| format!("/F{i} {} 0 R", first_font + i)));
        let states = self.opacities.iter().enumerate();
        let states = states.map(|(i, ca)| format!("/G{i} << /ca {} >>", f64::from(*ca) / 1000.0));
        entries("ExtGState", states.collect());
        entries("XObject", numbered(self.pictures.len(), &|i| format!("/P{i} {} 0 R", first_picture + 2 * i)));
        let [width, height] = size.map(number);
        file.object("<< /Type /Catalog /Pages 2 0 R >>");
        file.object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
        file.object(&format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R /Resources <<{resources} >> >>"
        ));
        file.stream("", self.content.as_bytes());
        let title = if figure.title.is_empty() { &figure.alt } else { &figure.title };
        file.object(&format!("<< /Title {} /Subject {} /Creator (LoCal) >>", utf_16(title), utf_16(&figure.caption)));
        for font in &self.fonts {
            file.object(&font.dictionary());
        }
        for (i, (rgba, width, height)) in self.pictures.iter().enumerate() {
            let pixels = || rgba.chunks_exact(4);
            let rgb: Vec<u8> = pixels().flat_map(|pixel| pixel.iter().take(3).copied()).collect();
            let alpha: Vec<u8> = pixels().filter_map(|pixel| pixel.last().copied()).collect();
            let image = format!("/Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 8");
            let mask = first_picture + 2 * i + 1;
            file.stream(&format!("{image} /ColorSpace /DeviceRGB /SMask {mask} 0 R "), &rgb);
            file.stream(&format!("{image} /ColorSpace /DeviceGray "), &alpha);
        }
        file.finished()
    }
}

/// Objects one after another, and where they begin.
struct File {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl File {
    fn begin(&mut self) {
        self.offsets.push(self.bytes.len());
        self.bytes.extend(format!("{} 0 obj\n", self.offsets.len()).bytes());
    }

    fn object(&mut self, body: &str) {
        self.begin();
        self.bytes.extend(body.bytes());
        self.bytes.extend(b"\nendobj\n");
    }

    /// A compressed stream; `entries` begin its dictionary.
    fn stream(&mut self, entries: &str, raw: &[u8]) {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
        // a vector takes every byte
        let packed = packer.write_all(raw).and_then(|()| packer.finish());
        let (filter, data) = match packed {
            Ok(packed) => (" /Filter /FlateDecode", packed),
            Err(_) => ("", raw.to_vec()),
        };
        self.begin();
        self.bytes.extend(format!("<< {entries}/Length {}{filter} >>\nstream\n", data.len()).bytes());
        self.bytes.extend(data);
        self.bytes.extend(b"\nendstream\nendobj\n");
    }

    /// With the table of the objects at its end.
    fn finished(mut self) -> Vec<u8> {
        let (start, count) = (self.bytes.len(), self.offsets.len() + 1);
        let mut end = format!("xref\n0 {count}\n0000000000 65535 f \n");
        for offset in &self.offsets {
            let _ = writeln!(end, "{offset:010} 00000 n ");
        }
        let _ = write!(end, "trailer\n<< /Size {count} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{start}\n%%EOF\n");
        self.bytes.extend(end.bytes());
        self.bytes
    }
}

/// Red, green and blue from 0 to 1.
fn color(ink: Ink) -> String {
    PRINT.rgb(ink).map(|channel| short(f64::from(channel) / 255.0)).join(" ")
}

/// Three decimals at most.
fn short(v: f64) -> String {
    let text = format!("{v:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A length; what is no number would end the drawing, and is 0.
fn finite(v: f64) -> String {
    number(if v.is_finite() { v } else { 0.0 })
}

/// `text` as a string of metadata, in UTF-16 with its mark.
fn utf_16(text: &str) -> String {
    let units = text.encode_utf16().fold("FEFF".to_owned(), |mut out, unit| {
        let _ = write!(out, "{unit:04X}");
        out
    });
    format!("<{units}>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Mark, Panel, Text};
    use crate::table::TextTable;
    use std::io::Read;

    fn figure(words: &[&str]) -> Figure {
        let texts = words.iter().enumerate();
        let marks = texts.map(|(i, words)| Mark::Text(Text::new(5.0, 10.0 + 15.0 * i as f64, *words))).collect();
        Figure {
            width: 200.0,
            height: 100.0,
            title: "γ and (a)".into(),
            caption: String::new(),
            alt: "alt".into(),
            panels: vec![Panel::overlay(200.0, 100.0, marks)],
            table: TextTable::default(),
        }
    }

    /// What is drawn, unpacked.
    fn content(bytes: &[u8]) -> String {
        let find = |from: usize, what: &[u8]| {
            bytes[from..].windows(what.len()).position(|at| at == what).map(|at| from + at).expect("it is there")
        };
        let start = find(find(0, b"4 0 obj"), b"stream\n") + 7;
        let mut text = String::new();
        flate2::read::ZlibDecoder::new(&bytes[start..find(start, b"\nendstream")])
            .read_to_string(&mut text)
            .expect("text");
        text
    }

    #[test]
    fn text_is_text_in_the_fonts_that_have_its_letters() {
        let bytes =
            pdf(&figure(&["a (b) \\ é – “x”", "γ ≥ −0.5 × 10⁻¹⁵", "Łódź", "▲ up", "χ², R₁"]), None).expect("a page");
        let text = content(&bytes);
        for part in [
            "(a \\(b\\) \\\\ \\351 \\226 \\223x\\224) Tj",
            // γ of Symbol, ≥ and − by the names of their glyphs
            "(g) Tj",
            "(#) Tj",
            "(!) Tj",
            "(0.5 \\327 10) Tj",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let file = String::from_utf8_lossy(&bytes).into_owned();
        for font in ["/Helvetica ", "/Symbol ", "/ZapfDingbats "] {
            assert!(file.contains(&format!("/BaseFont {font}")), "{font}");
        }
        assert!(file.contains("/Lslash /lslash"), "letters by name");
        assert_eq!(
            bytes,
            pdf(&figure(&["a (b) \\ é – “x”", "γ ≥ −0.5 × 10⁻¹⁵", "Łódź", "▲ up", "χ², R₁"]), None).expect("a page")
        );
    }

    #[test]
    fn a_letter_without_a_glyph_is_named_and_nothing_is_written() {
        let error = pdf(&figure(&["site 年"]), None).expect_err("no font has it");
        assert_eq!(error.code(), "not_drawn");
        assert_eq!(error.to_string(), "The standard fonts of a PDF have no letter “年”, which is in “site 年”.");
        assert!(error.hint().starts_with("Save the chart as SVG"), "{}", error.hint());
    }

    #[test]
    fn words_without_glyphs_are_drawn_where_someone_has_outlines() {
        let square = |label: &Label| {
            let size = label.size;
            let corners = [Segment::Line([size, 0.0]), Segment::Curve([[size, 0.0], [size, -size], [0.0, -size]])];
            let begun = [Segment::Move([0.0, 0.0])].into_iter().chain(corners).chain([Segment::Close]);
            label.text.contains('年').then(|| begun.collect())
        };
        let drawn = pdf_with(&figure(&["site 年"]), None, &square).map(|bytes| content(&bytes)).expect("a page");
        assert!(drawn.contains(" m\n") && drawn.contains(" c\nh\nf\n") && !drawn.contains("Tj"), "{drawn}");
        // one that has no outline either is named
        let error = pdf_with(&figure(&["site 月"]), None, &square).expect_err("no font has it");
        assert!(error.to_string().contains("no letter “月”"), "{error}");
    }

    #[test]
    fn words_end_where_they_are_anchored() {
        // three digits of 0.556 em at 12 pixels
        let mut ended = figure(&[]);
        let text = Text { size: 12.0, ..Text::new(100.0, 50.0, "123").anchor(Anchor::End) };
        ended.panels = vec![Panel::overlay(200.0, 100.0, vec![Mark::Text(text)])];
        let drawn = content(&pdf(&ended, None).expect("a page"));
        assert!(drawn.contains("1 0 0 1 83.98 49.8 Tm"), "{drawn}");
    }

    #[test]
    fn a_page_is_as_wide_as_asked_for() {
        let wide = |figure: &Figure, mm| {
            let file = String::from_utf8_lossy(&pdf(figure, mm).expect("a page")).into_owned();
            let size = file.split("/MediaBox [0 0 ").nth(1).and_then(|rest| rest.split(' ').next()).map(str::to_owned);
            size.and_then(|size| size.parse::<f64>().ok()).expect("a width")
        };
        let column = Figure { width: super::super::svg::print_width(85.0), ..figure(&["x"]) };
        assert!((wide(&column, Some(85.0)) - 85.0 * POINTS_PER_MM).abs() < 0.01);
        // what needs no more is not blown up, and without a width a pixel is three quarters of a point
        assert_eq!(wide(&figure(&["x"]), Some(180.0)), 208.0 * LARGEST / text::SMALL);
        assert_eq!(wide(&figure(&["x"]), None), 156.0);
    }
}
