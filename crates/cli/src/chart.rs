//! Figures as SVG, PDF and PNG files.

use std::cell::OnceCell;
use std::sync::Arc;

use localcal::error::{Error, Result};
use localcal::plot::figure::Anchor;
use localcal::plot::label::Label;
use localcal::plot::palette::{DARK, LIGHT};
use localcal::plot::pdf::Segment;
use localcal::plot::{Figure, pdf as pages, svg as writer};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::tiny_skia_path::{PathSegment, Point};
use resvg::usvg::{Group, Node, Options, Tree};
use serde_json::{Value, json};

/// Fonts that suit the widths that figures are laid out with, best first.
const FAMILIES: [&str; 9] = [
    "Segoe UI",
    "Helvetica Neue",
    "Helvetica",
    "Arial",
    "Liberation Sans",
    "Inter",
    "Roboto",
    "Noto Sans",
    "DejaVu Sans",
];
/// The family that is built in, for machines without any of them.
const BUILT_IN: &str = "Ubuntu";
/// Most pixels of a picture.
const MOST_PIXELS: f32 = 1e8;

/// As an SVG document.
pub fn svg(figure: &Figure, dark: bool) -> String {
    writer::svg(figure, if dark { &DARK } else { &LIGHT })
}

/// As an SVG document for print, so many millimetres wide.
pub fn print(figure: &Figure, width_mm: f64) -> String {
    writer::print(figure, width_mm)
}

/// As a PDF document of one page; `width_mm`: so many millimetres wide. Words with a letter that the standard fonts of
/// PDF lack are drawn as outlines from the machine's fonts.
///
/// # Errors
/// `not_drawn` for a letter that these lack, too.
pub fn pdf(figure: &Figure, width_mm: Option<f64>) -> Result<Vec<u8>> {
    let known = OnceCell::new();
    pages::pdf_with(figure, width_mm, &|label| outlines(label, known.get_or_init(|| Arc::new(fonts()))))
}

/// The outlines of words, shaped and put in order by their scripts; none where a letter has no outline.
fn outlines(label: &Label, fonts: &Arc<Database>) -> Option<Vec<Segment>> {
    let anchor = match label.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let (size, weight) = (label.size, if label.bold { 600 } else { 400 });
    let words = label.text.replace('&', "&amp;").replace('<', "&lt;");
    let document = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"><text font-family=\"sans-serif\" \
         font-size=\"{size}\" font-weight=\"{weight}\" text-anchor=\"{anchor}\">{words}</text></svg>"
    );
    let options = Options { fontdb: Arc::clone(fonts), ..Options::default() };
    let mut found = Vec::new();
    outlines_of(Tree::from_str(&document, &options).ok()?.root(), &mut found)?;
    Some(found).filter(|found| !found.is_empty())
}

/// Adds the outlines of a group; none where a letter is in no font, or is a picture.
fn outlines_of(group: &Group, found: &mut Vec<Segment>) -> Option<()> {
    for node in group.children() {
        match node {
            Node::Group(group) => outlines_of(group, found)?,
            Node::Text(text) => {
                let mut letters = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
                // the first glyph of a font stands for those that it lacks
                if letters.any(|glyph| glyph.id.0 == 0) {
                    return None;
                }
                outlines_of(text.flattened(), found)?;
            }
            Node::Path(path) => {
                let path = path.data().clone().transform(path.abs_transform())?;
                let at = |point: Point| [f64::from(point.x), f64::from(point.y)];
                let mut last = Point::zero();
                for segment in path.segments() {
                    found.push(match segment {
                        PathSegment::MoveTo(to) => Segment::Move(at(to)),
                        PathSegment::LineTo(to) => Segment::Line(at(to)),
                        // the same curve with two control points
                        PathSegment::QuadTo(by, to) => {
                            let toward = |end: Point| {
                                let part = |from: f32, to: f32| f64::from(from) + 2.0 / 3.0 * f64::from(to - from);
                                [part(end.x, by.x), part(end.y, by.y)]
                            };
                            Segment::Curve([toward(last), toward(to), at(to)])
                        }
                        PathSegment::CubicTo(a, b, to) => Segment::Curve([at(a), at(b), at(to)]),
                        PathSegment::Close => Segment::Close,
                    });
                    if let PathSegment::MoveTo(to)
                    | PathSegment::LineTo(to)
                    | PathSegment::QuadTo(_, to)
                    | PathSegment::CubicTo(_, _, to) = segment
                    {
                        last = to;
                    }
                }
            }
            Node::Image(_) => return None,
        }
    }
    Some(())
}

/// Width in CSS pixels of a figure that is to be printed so many millimetres wide.
pub fn print_width(width_mm: f64) -> f64 {
    writer::print_width(width_mm)
}

/// What stands in the figure, in words and numbers.
pub fn twin(figure: &Figure) -> Value {
    json!({ "title": figure.title, "caption": figure.caption, "alt": figure.alt, "table": figure.table })
}

/// An SVG document as a PNG file, with `scale` pixels to a CSS pixel.
///
/// # Errors
/// `not_drawn` for a scale that gives no picture.
pub fn png(document: &str, scale: f32) -> Result<Vec<u8>> {
    let failed = |why: String| {
        Error::new("not_drawn", format!("The chart cannot be drawn: {why}."), "Use SVG, or another --scale.")
    };
    let options = Options { fontdb: Arc::new(fonts()), ..Options::default() };
    let tree = Tree::from_str(document, &options).map_err(|error| failed(error.to_string()))?;
    let size = tree.size();
    let (width, height) = ((size.width() * scale).ceil(), (size.height() * scale).ceil());
    if !(width >= 1.0 && height >= 1.0 && width * height <= MOST_PIXELS) {
        return Err(failed(format!("a picture of {width} × {height} pixels")));
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(|| failed("no memory".to_owned()))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| failed(error.to_string()))
}

/// The machine's fonts, and the built-in one where they hold none that suits.
fn fonts() -> Database {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    let there = |fonts: &Database, name: &str| {
        fonts.faces().any(|face| face.families.iter().any(|(family, _)| family.eq_ignore_ascii_case(name)))
    };
    let family = FAMILIES.into_iter().find(|name| there(&fonts, name));
    if family.is_none() {
        fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    }
    fonts.set_sans_serif_family(family.unwrap_or(BUILT_IN));
    fonts
}
