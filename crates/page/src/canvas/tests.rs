#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use localcal::plot::figure::{At, Axis, Mark, Panel, Point, Symbol, Text};
use localcal::plot::palette::{DARK, LIGHT};
use localcal::plot::scale::{Scale, Tick};
use localcal::plot::table::TextTable;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};

/// Writes down what it is asked to draw.
#[derive(Default)]
struct Recorder {
    calls: Vec<String>,
    refuses: bool,
}

type Answer = std::result::Result<(), DrawingErrorKind<std::io::Error>>;

impl Recorder {
    fn note(&mut self, call: String) -> Answer {
        if self.refuses {
            return Err(DrawingErrorKind::DrawingError(std::io::Error::other("no")));
        }
        self.calls.push(call);
        Ok(())
    }

    fn with(&self, start: &str) -> Vec<&str> {
        let calls = self.calls.iter().map(String::as_str);
        calls.filter(|call| call.starts_with(start)).collect()
    }
}

fn of(style: &impl BackendStyle) -> String {
    let (r, g, b) = style.color().rgb;
    format!("{:?}/{}", [r, g, b], style.stroke_width())
}

impl DrawingBackend for Recorder {
    type ErrorType = std::io::Error;

    fn get_size(&self) -> (u32, u32) {
        (400, 400)
    }
    fn ensure_prepared(&mut self) -> Answer {
        Ok(())
    }
    fn present(&mut self) -> Answer {
        self.note("present".into())
    }
    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Answer {
        self.note("pixel".into())
    }
    fn draw_rect<S: BackendStyle>(&mut self, a: BackendCoord, b: BackendCoord, style: &S, fill: bool) -> Answer {
        self.note(format!("rect {a:?} {b:?} {} {fill}", of(style)))
    }
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Answer {
        let path: Vec<_> = path.into_iter().collect();
        self.note(format!("path {path:?} {}", of(style)))
    }
    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, fill: bool) -> Answer {
        self.note(format!("circle {center:?} {radius} {} {fill}", of(style)))
    }
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Answer {
        let path: Vec<_> = path.into_iter().collect();
        self.note(format!("polygon {path:?} {}", of(style)))
    }
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Answer {
        let turn = match style.transform() {
            FontTransform::None => "",
            _ => " turned",
        };
        let (r, g, b) = style.color().rgb;
        let size = style.size();
        self.note(format!("text {text:?} {at:?} {size} {:?}{turn}", [r, g, b]))
    }
    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        _: &str,
        _: &S,
    ) -> std::result::Result<(u32, u32), DrawingErrorKind<std::io::Error>> {
        panic!("text must not be measured: on a page that forces a layout")
    }
}

fn figure(marks: Vec<Mark>) -> Figure {
    Figure {
        width: 120.0,
        height: 120.0,
        title: "finding".into(),
        caption: "method".into(),
        alt: String::new(),
        panels: vec![Panel {
            rect: Rect::new(10.0, 10.0, 100.0, 100.0),
            x: Axis::bare(Scale::UNIT),
            y: Axis::bare(Scale::UNIT),
            marks,
        }],
        table: TextTable::default(),
    }
}

fn painted(figure: &Figure, dpr: f64) -> (Recorder, Vec<Bitmap>) {
    let mut recorder = Recorder::default();
    let mut pictures = Vec::new();
    let mut blit = |b: &Bitmap| pictures.push(b.clone());
    paint(figure, &LIGHT, dpr, &mut recorder, &mut blit).expect("painted");
    (recorder, pictures)
}

#[test]
fn every_length_is_multiplied_by_the_pixel_ratio() {
    let point = Point {
        x: 0.5,
        y: 0.25,
        radius: 4.0,
        symbol: Symbol::Circle,
        ink: Ink::Over,
        filled: true,
        index: 0,
        hover: Vec::new(),
    };
    let marks = vec![Mark::Points { points: vec![point] }, Mark::Text(Text::new(0.0, 1.0, "label"))];
    let (one, _) = painted(&figure(marks.clone()), 1.0);
    let (two, _) = painted(&figure(marks), 2.0);
    assert_eq!(one.with("rect")[0], "rect (0, 0) (120, 120) [255, 255, 255]/1 true");
    assert_eq!(two.with("rect")[0], "rect (0, 0) (240, 240) [255, 255, 255]/1 true");
    assert_eq!(one.with("circle")[0], "circle (60, 85) 4 [179, 71, 8]/1 true");
    assert_eq!(two.with("circle")[0], "circle (120, 170) 8 [179, 71, 8]/1 true");
    assert_eq!(two.with("circle")[1], "circle (120, 170) 8 [255, 255, 255]/2 false");
    assert_eq!(two.with("text"), ["text \"label\" (20, 20) 24 [87, 96, 106]"]);
    assert_eq!(two.calls.last().map(String::as_str), Some("present"));
}

#[test]
fn upright_and_level_lines_fill_whole_pixels() {
    let rule = |at| Mark::Rule { at, ink: Ink::Grid, width: 1.0, dash: Dash::Solid };
    let (at_one, _) = painted(&figure(vec![rule(At::X(0.5)), rule(At::Y(0.5))]), 1.0);
    for call in &at_one.with("rect")[1..] {
        assert!(call.contains("[234, 237, 240]"), "{call}");
    }
    assert_eq!(at_one.with("rect")[1], "rect (60, 10) (61, 110) [234, 237, 240]/1 true");
    let (at_two, _) = painted(&figure(vec![rule(At::X(0.5))]), 2.0);
    assert_eq!(at_two.with("rect")[1], "rect (119, 20) (121, 220) [234, 237, 240]/1 true");
    assert!(at_two.with("path").is_empty());
}

#[test]
fn broken_lines_are_cut_into_dashes() {
    let slope = Mark::Line { points: vec![(0.0, 0.0), (1.0, 1.0)], ink: Ink::Axis, width: 1.0, dash: Dash::Dashed };
    let (recorder, _) = painted(&figure(vec![slope]), 1.0);
    // 141.4 px at 6 on, 4 off: fourteen whole periods and a stub.
    assert_eq!(recorder.with("path").len(), 15);
    let pieces = dashes(&[(0.0, 0.0), (8.0, 0.0), (8.0, 8.0)], Dash::Dashed);
    assert_eq!(
        pieces,
        [
            vec![(0.0, 0.0), (6.0, 0.0)],
            // The second dash begins 10 along: two below the corner.
            vec![(8.0, 2.0), (8.0, 8.0)],
        ]
    );
}

#[test]
fn pictures_are_handed_over_opaque_at_device_size() {
    let picture = Mark::Image {
        rgba: vec![0, 0, 255, 255, 0, 0, 0, 0].into(),
        width: 2,
        height: 1,
        x: (0.0, 1.0),
        y: (0.0, 0.5),
    };
    let (_, pictures) = painted(&figure(vec![picture]), 2.0);
    let [bitmap] = &pictures[..] else { panic!("{} pictures", pictures.len()) };
    assert_eq!((bitmap.x, bitmap.y, bitmap.width, bitmap.height), (20, 120, 200, 100));
    assert_eq!(bitmap.rgba[..4], [0, 0, 255, 255]);
    assert_eq!(bitmap.rgba[199 * 4..200 * 4], [255; 4]);
}

#[test]
fn titles_of_upright_axes_are_turned_and_halos_come_first() {
    let mut figure = figure(vec![Mark::Text(Text::new(0.5, 0.5, "name").with_halo())]);
    figure.panels[0].y = Axis::titled(Scale::UNIT, "accuracy", vec![Tick::new(0.0, "0")]);
    let (recorder, _) = painted(&figure, 1.0);
    assert!(recorder.with("text \"accuracy\"")[0].ends_with("turned"));
    let names = recorder.with("text \"name\"");
    assert_eq!(names.len(), 9);
    assert!(names[..8].iter().all(|call| call.contains("[255, 255, 255]")));
    assert!(names[8].contains("[87, 96, 106]"));
    assert!(recorder.with("text \"finding\"").is_empty(), "titles belong to the page");
}

#[test]
fn a_refusing_canvas_is_an_error_not_a_panic() {
    let mut recorder = Recorder { refuses: true, ..Recorder::default() };
    let error = paint(&figure(Vec::new()), &DARK, 1.0, &mut recorder, &mut |_| {});
    assert_eq!(error.expect_err("refused").code(), "not_drawn");
}
