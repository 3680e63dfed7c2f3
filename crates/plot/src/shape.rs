//! What both pictorial writers draw: a figure lowered to a few shapes in pixels.
//!
//! Scales, axes, ticks, symbols and cutting at the panel's edge are decided here once, so that the screen and
//! the file cannot differ.

use super::clip;
use super::figure::{Anchor, At, Axis, Dash, Figure, Mark, Panel, Point, Rect, Symbol, TITLE_LINE};
use super::label::Label;
use super::palette::Ink;
use super::text;

/// A drawing instruction in CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape<'a> {
    /// an open line
    Stroke {
        /// corners
        points: Vec<(f64, f64)>,
        /// color
        ink: Ink,
        /// stroke
        width: f64,
        /// solid or broken
        dash: Dash,
    },
    /// a filled polygon, with an outline if `rim` is given
    Fill {
        /// corners
        points: Vec<(f64, f64)>,
        /// color inside
        ink: Ink,
        /// 0 to 1
        opacity: f64,
        /// color and width of the outline
        rim: Option<(Ink, f64)>,
    },
    /// a filled rectangle
    Block {
        /// where
        rect: Rect,
        /// color
        ink: Ink,
        /// 0 to 1
        opacity: f64,
    },
    /// a circle with an outline
    Disc {
        /// center
        x: f64,
        /// center
        y: f64,
        /// to the middle of the outline
        radius: f64,
        /// color inside
        ink: Ink,
        /// color and width of the outline
        rim: (Ink, f64),
    },
    /// words, vertically centered on y
    Label(Label),
    /// a picture
    Picture {
        /// where
        rect: Rect,
        /// RGBA, not premultiplied
        rgba: &'a [u8],
        /// pixels per row
        width: u32,
        /// rows
        height: u32,
    },
}

/// The shapes of `figure` in drawing order.
pub fn shapes(figure: &Figure) -> Vec<Shape<'_>> {
    let mut out = Vec::new();
    for panel in &figure.panels {
        // Pictures go below the grid: a screen may have to paint them without transparency.
        pictures(panel, &mut out);
        grid(panel, &mut out);
        for mark in &panel.marks {
            lower(panel, mark, &mut out);
        }
        x_axis(panel, &panel.x, (figure.width, figure.height), &mut out);
        y_axis(panel, &panel.y, &mut out);
    }
    out
}

fn grid(panel: &Panel, out: &mut Vec<Shape<'_>>) {
    let rect = panel.rect;
    let mut line = |points| {
        out.push(Shape::Stroke { points, ink: Ink::Grid, width: 1.0, dash: Dash::Solid });
    };
    if panel.x.grid {
        for tick in &panel.x.ticks {
            let x = rect.x + panel.x.scale.position(tick.value) * rect.width;
            line(vec![(x, rect.y), (x, rect.bottom())]);
        }
    }
    if panel.y.grid {
        for tick in &panel.y.ticks {
            let y = rect.bottom() - panel.y.scale.position(tick.value) * rect.height;
            line(vec![(rect.x, y), (rect.right(), y)]);
        }
    }
}

fn x_axis(panel: &Panel, axis: &Axis, (width, height): (f64, f64), out: &mut Vec<Shape<'_>>) {
    // Words at an end of the axis are moved in, where they would reach beyond the figure.
    let within = |x: f64, words: &str, size: f64| {
        let half = 0.5 * text::width(words, size);
        x.min(width - half).max(half)
    };
    let rect = panel.rect;
    if axis.line {
        out.push(axis_line(vec![(rect.x, rect.bottom()), (rect.right(), rect.bottom())]));
    }
    for tick in &axis.ticks {
        let x = rect.x + axis.scale.position(tick.value) * rect.width;
        let x = within(x, &tick.label, text::SMALL);
        let label = Label::muted(x, rect.bottom() + 13.0, &tick.label, text::SMALL, Anchor::Middle);
        out.push(Shape::Label(label));
    }
    let two = axis.lines_across(panel, width, 2);
    let room = rect.bottom() + axis.title_below(&two) <= height;
    let lines = if room { two } else { axis.lines_across(panel, width, 1) };
    for (i, line) in lines.iter().enumerate() {
        let x = within(rect.x + rect.width / 2.0, line, text::BODY);
        let y = rect.bottom() + axis.title_at() + TITLE_LINE * i as f64;
        out.push(Shape::Label(Label::muted(x, y, line, text::BODY, Anchor::Middle)));
    }
}

fn y_axis(panel: &Panel, axis: &Axis, out: &mut Vec<Shape<'_>>) {
    let rect = panel.rect;
    if axis.line {
        out.push(axis_line(vec![(rect.x, rect.y), (rect.x, rect.bottom())]));
    }
    for tick in &axis.ticks {
        let y = rect.bottom() - axis.scale.position(tick.value) * rect.height;
        let label = Label::muted(rect.x - 7.0, y, &tick.label, text::SMALL, Anchor::End);
        out.push(Shape::Label(label));
    }
    // the line next to the numbers
    let last = rect.x - axis.numbers() - 20.0;
    let two = axis.lines_up(rect.height, 2);
    let room = last - TITLE_LINE * two.len().saturating_sub(1) as f64 >= 0.5 * text::BODY;
    let lines = if room { two } else { axis.lines_up(rect.height, 1) };
    for (i, line) in lines.iter().rev().enumerate() {
        let x = (last - TITLE_LINE * i as f64).max(0.5 * text::BODY);
        let y = rect.y + rect.height / 2.0;
        let label = Label::muted(x, y, line, text::BODY, Anchor::Middle);
        out.push(Shape::Label(Label { upward: true, ..label }));
    }
}

fn axis_line<'a>(points: Vec<(f64, f64)>) -> Shape<'a> {
    Shape::Stroke { points, ink: Ink::Axis, width: 1.0, dash: Dash::Solid }
}

fn pictures<'a>(panel: &'a Panel, out: &mut Vec<Shape<'a>>) {
    for mark in &panel.marks {
        if let Mark::Image { rgba, width, height, x, y } = mark {
            let (left, top) = panel.place(x.0, y.1);
            let (right, bottom) = panel.place(x.1, y.0);
            let whole = (*width as usize * *height as usize * 4) == rgba.len();
            if whole && *width > 0 && *height > 0 && right > left && bottom > top {
                out.push(Shape::Picture {
                    rect: Rect::new(left, top, right - left, bottom - top),
                    rgba,
                    width: *width,
                    height: *height,
                });
            }
        }
    }
}

fn lower(panel: &Panel, mark: &Mark, out: &mut Vec<Shape<'_>>) {
    let place = |&(x, y): &(f64, f64)| panel.place(x, y);
    match mark {
        Mark::Line { points, ink, width, dash } => {
            for points in clip::line(points.iter().map(place), &panel.rect) {
                out.push(Shape::Stroke { points, ink: *ink, width: *width, dash: *dash });
            }
        }
        Mark::Area { points, ink, opacity } => {
            let points = clip::polygon(points.iter().map(place).collect(), &panel.rect);
            if points.len() > 2 {
                out.push(Shape::Fill { points, ink: *ink, opacity: *opacity, rim: None });
            }
        }
        Mark::Bars { bars } => {
            for bar in bars {
                let (x0, y0) = cut(panel.place(bar.x0, bar.y0), &panel.rect);
                let (x1, y1) = cut(panel.place(bar.x1, bar.y1), &panel.rect);
                let rect = Rect::new(x0.min(x1), y0.min(y1), (x1 - x0).abs(), (y1 - y0).abs());
                if rect.width > 0.0 && rect.height > 0.0 {
                    out.push(Shape::Block { rect, ink: bar.ink, opacity: bar.opacity });
                }
            }
        }
        Mark::Points { points } => {
            for point in points {
                let (x, y) = panel.place(point.x, point.y);
                // Without a radius it is only there to be pointed at.
                let seen = point.radius > 0.0 && x.is_finite() && y.is_finite();
                if seen && grown(&panel.rect, 0.5).contains(x, y) {
                    out.push(symbol(point, x, y));
                }
            }
        }
        Mark::Errorbars { bars, ink } => {
            for &(x, low, high) in bars {
                let ends = [panel.place(x, low), panel.place(x, high)];
                for points in clip::line(ends.into_iter(), &panel.rect) {
                    out.push(Shape::Stroke { points, ink: *ink, width: 1.0, dash: Dash::Solid });
                }
            }
        }
        Mark::Text(words) => {
            let (x, y) = panel.place(words.x, words.y);
            out.push(Shape::Label(Label {
                x: x + words.dx,
                y: y + words.dy,
                text: words.text.clone(),
                size: words.size,
                bold: words.bold,
                ink: words.ink,
                anchor: words.anchor,
                upward: false,
                halo: words.halo,
            }));
        }
        Mark::Image { .. } => {}
        Mark::Rule { at, ink, width, dash } => {
            let rect = panel.rect;
            let ends = match *at {
                At::X(v) => {
                    let x = rect.x + panel.x.scale.position(v) * rect.width;
                    [(x, rect.bottom()), (x, rect.y)]
                }
                At::Y(v) => {
                    let y = rect.bottom() - panel.y.scale.position(v) * rect.height;
                    [(rect.x, y), (rect.right(), y)]
                }
            };
            for points in clip::line(ends.into_iter(), &rect) {
                out.push(Shape::Stroke { points, ink: *ink, width: *width, dash: *dash });
            }
        }
    }
}

fn symbol<'a>(point: &Point, x: f64, y: f64) -> Shape<'a> {
    let r = point.radius;
    // A filled symbol wears a thin rim of paper, so that neighbors stay apart.
    let (ink, rim) = if point.filled { (point.ink, (Ink::Paper, 1.0)) } else { (Ink::Paper, (point.ink, 1.5)) };
    let corners: &[(f64, f64)] = match point.symbol {
        Symbol::Circle => {
            return Shape::Disc { x, y, radius: r, ink, rim };
        }
        // Scaled so that every symbol covers about the area of the circle.
        Symbol::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
        Symbol::TriangleUp => &[(0.0, -1.4), (1.3, 0.9), (-1.3, 0.9)],
        Symbol::TriangleDown => &[(0.0, 1.4), (1.3, -0.9), (-1.3, -0.9)],
    };
    Shape::Fill {
        points: corners.iter().map(|(dx, dy)| (x + dx * r, y + dy * r)).collect(),
        ink,
        opacity: 1.0,
        rim: Some(rim),
    }
}

fn grown(rect: &Rect, by: f64) -> Rect {
    Rect::new(rect.x - by, rect.y - by, rect.width + 2.0 * by, rect.height + 2.0 * by)
}

fn cut((x, y): (f64, f64), rect: &Rect) -> (f64, f64) {
    (x.clamp(rect.x, rect.right()), y.clamp(rect.y, rect.bottom()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::collisions;
    use crate::scale::Scale;

    fn figure(width: f64, height: f64) -> Figure {
        let axis = |title: &str, scale: Scale| Axis::titled(scale, title, scale.ticks_across(200.0));
        let y = axis("difference in net benefit per 100 rows", Scale::linear(0.0, 400_000.0));
        let left = y.room_left(150.0, 60.0);
        let x = axis("coverage: answered, most confident first", Scale::linear(0.0, 0.7));
        let panel = Panel { rect: Rect::new(left, 10.0, width - left - 16.0, 150.0), x, y, marks: Vec::new() };
        Figure { width, height, panels: vec![panel], ..Figure::default() }
    }

    /// Level and upright words that are no numbers.
    fn titles(figure: &Figure) -> [Vec<String>; 2] {
        let label = |shape: Shape<'_>| if let Shape::Label(label) = shape { Some(label) } else { None };
        let labels: Vec<Label> = shapes(figure).into_iter().filter_map(label).collect();
        [false, true].map(|upward| {
            let words = labels.iter().filter(|label| label.upward == upward && label.size == text::BODY);
            words.map(|label| label.text.clone()).collect()
        })
    }

    #[test]
    fn long_titles_have_two_lines() {
        let figure = figure(280.0, 206.0).with_whole_titles();
        let [across, mut up] = titles(&figure);
        assert_eq!(across, ["coverage: answered,", "most confident first"]);
        up.reverse();
        assert_eq!(up, ["difference in net", "benefit per 100 rows"]);
        assert_eq!(collisions(&figure), Vec::<String>::new());
    }

    #[test]
    fn titles_without_room_for_two_lines_end_with_a_word() {
        let mut figure = figure(280.0, 206.0);
        figure.panels[0].rect.x = 50.0;
        assert_eq!(titles(&figure), [["coverage: answered, most…"], ["difference in net…"]]);
        // and where there is room nothing changes
        figure.width = 600.0;
        figure.panels[0].rect.width = 500.0;
        assert_eq!(titles(&figure)[0], ["coverage: answered, most confident first"]);
    }
}
