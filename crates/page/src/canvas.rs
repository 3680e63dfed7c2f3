//! A figure painted through plotters, on any of its drawing back-ends.
//!
//! A canvas knows device pixels only, so every length is multiplied by the pixel ratio here. Upright and level
//! lines are filled rectangles on whole pixels, and broken lines are cut into dashes here, because back-ends
//! blur the first and do not know the second. Text is never measured: that would ask the page to lay itself out.

use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, FontStyle, FontTransform, IntoFont, RGBAColor, ShapeStyle, TextStyle};

use localcal::plot::figure::{Anchor, Dash, Figure, Rect};
use localcal::plot::image::{self, Bitmap};
use localcal::plot::label::Label;
use localcal::plot::palette::{Ink, Theme};
use localcal::plot::shape::{Shape, shapes};
use localcal::plot::text;
use localcal::{Error, Result};

/// Paints `figure` on `backend`, whose pixels are `dpr` to a CSS pixel; title and caption belong to the page.
///
/// * `dpr`: device pixels per CSS pixel, at least 1; the canvas is `figure.width · dpr` wide
/// * `blit`: puts an opaque picture at its place (a canvas can do so in one call, plotters only pixel by pixel)
///
/// # Errors
/// `not_drawn` if the back-end refuses.
pub fn paint<B: DrawingBackend>(
    figure: &Figure,
    theme: &Theme,
    dpr: f64,
    backend: &mut B,
    blit: &mut dyn FnMut(&Bitmap),
) -> Result<()> {
    let dpr = if dpr.is_finite() { dpr.max(0.25) } else { 1.0 };
    let mut painter = Painter { backend, theme, dpr };
    let whole = Rect::new(0.0, 0.0, figure.width, figure.height);
    painter.block(&whole, Ink::Paper, 1.0)?;
    for shape in shapes(figure) {
        painter.shape(&shape, blit)?;
    }
    painter.backend.present().map_err(refused)
}

struct Painter<'a, B: DrawingBackend> {
    backend: &'a mut B,
    theme: &'a Theme,
    dpr: f64,
}

fn refused(reason: impl std::fmt::Display) -> Error {
    Error::new(
        "not_drawn",
        format!("the chart could not be drawn: {reason}"),
        "The table below the chart holds the same numbers.",
    )
}

impl<B: DrawingBackend> Painter<'_, B> {
    fn shape(&mut self, shape: &Shape<'_>, blit: &mut dyn FnMut(&Bitmap)) -> Result<()> {
        match shape {
            Shape::Stroke { points, ink, width, dash } => self.stroke(points, *ink, *width, *dash),
            Shape::Fill { points, ink, opacity, rim } => {
                let corners: Vec<_> = points.iter().map(|&p| self.pixel(p)).collect();
                let inside = self.fill(*ink, *opacity);
                self.backend.fill_polygon(corners.iter().copied(), &inside).map_err(refused)?;
                if let Some((ink, width)) = rim {
                    let line = self.line(*ink, *width);
                    // Closed beyond its first corner, or the joint there would stay open.
                    let closed = corners.iter().chain(corners.iter().take(2)).copied();
                    self.backend.draw_path(closed, &line).map_err(refused)?;
                }
                Ok(())
            }
            Shape::Block { rect, ink, opacity } => self.block(rect, *ink, *opacity),
            Shape::Disc { x, y, radius, ink, rim: (rim, width) } => {
                let center = self.pixel((*x, *y));
                let radius = (radius * self.dpr).round().max(1.0) as u32;
                let (inside, line) = (self.fill(*ink, 1.0), self.line(*rim, *width));
                self.backend.draw_circle(center, radius, &inside, true).map_err(refused)?;
                self.backend.draw_circle(center, radius, &line, false).map_err(refused)
            }
            Shape::Label(label) => self.label(label),
            Shape::Picture { rect, rgba, width, height } => {
                let (x, y, w, h) = self.pixels(rect);
                let paper = self.theme.paper;
                blit(&image::on_paper(rgba, (*width, *height), (x, y, w as u32, h as u32), paper));
                Ok(())
            }
        }
    }

    fn stroke(&mut self, points: &[(f64, f64)], ink: Ink, width: f64, dash: Dash) -> Result<()> {
        for piece in dashes(points, dash) {
            match piece[..] {
                [(x0, y0), (x1, y1)] if x0 == x1 || y0 == y1 => {
                    let thick = (width * self.dpr).round().max(1.0) / self.dpr;
                    let (left, top) = (x0.min(x1), y0.min(y1));
                    let (dx, dy) = ((x1 - x0).abs(), (y1 - y0).abs());
                    let rect = if x0 == x1 {
                        Rect::new(left - thick / 2.0, top, thick, dy)
                    } else {
                        Rect::new(left, top - thick / 2.0, dx, thick)
                    };
                    self.block(&rect, ink, 1.0)?;
                }
                _ => {
                    let line = self.line(ink, width);
                    let path: Vec<_> = piece.iter().map(|&p| self.pixel(p)).collect();
                    self.backend.draw_path(path, &line).map_err(refused)?;
                }
            }
        }
        Ok(())
    }

    fn block(&mut self, rect: &Rect, ink: Ink, opacity: f64) -> Result<()> {
        let (x, y, w, h) = self.pixels(rect);
        let style = self.fill(ink, opacity);
        self.backend.draw_rect((x, y), (x + w, y + h), &style, true).map_err(refused)
    }

    fn label(&mut self, label: &Label) -> Result<()> {
        let h_pos = match label.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let weight = if label.bold { FontStyle::Bold } else { FontStyle::Normal };
        let turn = if label.upward { FontTransform::Rotate270 } else { FontTransform::None };
        let font = (FontFamily::Name(text::FAMILY), label.size * self.dpr).into_font().style(weight).transform(turn);
        let colors = (self.color(Ink::Paper, 1.0), self.color(label.ink, 1.0));
        let base = TextStyle::from(font).pos(Pos::new(h_pos, VPos::Center));
        let (paper, ink) = (base.color(&colors.0), base.color(&colors.1));
        let (x, y) = self.pixel((label.x, label.y));
        if label.halo {
            let rim = (1.5 * self.dpr).round() as i32;
            let around = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
            for (dx, dy) in around {
                self.backend.draw_text(&label.text, &paper, (x + dx * rim, y + dy * rim)).map_err(refused)?;
            }
        }
        self.backend.draw_text(&label.text, &ink, (x, y)).map_err(refused)
    }

    fn pixel(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.dpr).round() as i32, (y * self.dpr).round() as i32)
    }

    /// Left, top, width and height in device pixels; at least one pixel each way.
    fn pixels(&self, rect: &Rect) -> (i32, i32, i32, i32) {
        let (x, y) = self.pixel((rect.x, rect.y));
        let (right, bottom) = self.pixel((rect.right(), rect.bottom()));
        (x, y, (right - x).max(1), (bottom - y).max(1))
    }

    fn color(&self, ink: Ink, opacity: f64) -> RGBAColor {
        let [r, g, b] = self.theme.rgb(ink);
        RGBAColor(r, g, b, opacity)
    }

    fn fill(&self, ink: Ink, opacity: f64) -> ShapeStyle {
        self.color(ink, opacity).filled()
    }

    fn line(&self, ink: Ink, width: f64) -> ShapeStyle {
        let thick = (width * self.dpr).round().max(1.0) as u32;
        self.color(ink, 1.0).stroke_width(thick)
    }
}

/// The strokes of a broken line, in order; the pattern runs on round corners.
fn dashes(points: &[(f64, f64)], dash: Dash) -> Vec<Vec<(f64, f64)>> {
    let Some((on, off)) = dash.lengths() else {
        return vec![points.to_vec()];
    };
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let (mut drawing, mut left) = (true, on);
    let mut piece: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let (Some(&a), Some(&b)) = (pair.first(), pair.last()) else {
            continue;
        };
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let t = done / length;
            let at = (a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1));
            if drawing {
                piece.push(at);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![at];
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
        }
        left -= length - done;
        if drawing {
            piece.push(b);
        }
    }
    if drawing && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests;
