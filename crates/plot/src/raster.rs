//! Many colored points and a smooth field as one transparent picture.
//!
//! Up to [`DISC_LIMIT`] points are discs with a rim of paper; above, the color of a pixel is the mean over the
//! points near it and its strength grows with their number, so that no point hides another.

use serde::{Deserialize, Serialize};

use super::extent::Extent;
use super::palette::{DARK, LIGHT, Rgb, Theme, diverging_table};
use localcal_ground::table::Column;

/// More points than this are drawn by their local mean.
pub const DISC_LIMIT: usize = 20_000;

/// Per cent of color left where an error could be chance.
const PALE: u32 = 30;

/// Strength of the field under the points.
const FIELD_STRENGTH: f32 = 0.55;

/// How well a value is supported by the rows around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Support {
    /// no rows near: nothing is drawn (kernel mass below 1e-3)
    None = 0,
    /// too few to say: gray (fewer than 20 effective neighbors)
    Few = 1,
    /// drawn in the color of its value
    Enough = 2,
    /// enough neighbors, and an interval that covers 0: pale, and hatched in the field
    Chance = 3,
}

impl Support {
    /// From a byte of a column: 0, 1, 3, anything else.
    pub fn of(byte: u8) -> Self {
        match byte {
            0 => Self::None,
            1 => Self::Few,
            3 => Self::Chance,
            _ => Self::Enough,
        }
    }
}

/// Points on the map, columns of equal length (the shortest decides).
#[derive(Debug, Clone, Copy, Default)]
pub struct Dots<'a> {
    /// first feature
    pub x: &'a [f64],
    /// second feature
    pub y: &'a [f64],
    /// signed local error
    pub value: &'a [f64],
    /// [`Support`] as bytes
    pub support: &'a [u8],
}

/// Values at the centers of a grid of `side` × `side` equal cells over the extent, row by row from the bottom.
#[derive(Debug, Clone, Copy, Default)]
pub struct Field<'a> {
    /// cells per row
    pub side: usize,
    /// signed local error
    pub value: &'a [f64],
    /// [`Support`] as bytes
    pub support: &'a [u8],
}

/// How a picture is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Raster {
    /// ranges that the picture covers
    pub extent: Extent,
    /// pixels per row
    pub width: u32,
    /// rows
    pub height: u32,
    /// pixels per CSS pixel: 2 on most screens
    pub dpr: f64,
    /// error that takes the full color
    pub limit: f64,
    /// for dark paper
    pub dark: bool,
}

/// A finished picture of points and field; see [`rasterise`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// red, green, blue, alpha
    pub rgba: Column<u8>,
    /// pixels per row
    pub width: u32,
    /// rows
    pub height: u32,
}

/// Sides of pictures are cut at this.
const LARGEST: u32 = 8192;

/// Draws `field` (if its side is at least 2) and `dots` above it on a transparent ground.
///
/// Cost: O(pixels + points); the mean over near points is a running sum, whatever the radius.
pub fn rasterise(dots: Dots<'_>, field: Field<'_>, raster: &Raster) -> Picture {
    let (width, height) = (raster.width.min(LARGEST), raster.height.min(LARGEST));
    let raster = Raster { width, height, ..*raster };
    let ink = Inks::new(&raster);
    // Premultiplied red, green, blue and alpha, 0 to 255.
    let mut pixels = vec![[0u8; 4]; width as usize * height as usize];
    field::paint(&mut pixels, field, &raster, &ink);
    let visible = Visible::of(dots, &raster);
    let (dots, n) = (visible.dots(), visible.x.len());
    if n <= DISC_LIMIT {
        disc::paint(&mut pixels, dots, n, &raster, &ink);
    } else {
        density::paint(&mut pixels, dots, n, &raster, &ink);
    }
    Picture { rgba: straight(&pixels).into(), width, height }
}

/// The points within the extent, or so near that their discs reach into it: their number, not that of all points,
/// says how large they are and whether each is a disc.
struct Visible {
    x: Vec<f64>,
    y: Vec<f64>,
    value: Vec<f64>,
    support: Vec<u8>,
}

impl Visible {
    fn of(dots: Dots<'_>, raster: &Raster) -> Self {
        let Extent { x0, x1, y0, y1 } = raster.extent;
        let room = |low: f64, high: f64| 0.02 * (high - low);
        let (across, up) = (room(x0, x1), room(y0, y1));
        let places = dots.x.iter().zip(dots.y);
        let inside: Vec<usize> = (places.enumerate())
            .filter(|&(_, (&x, &y))| x >= x0 - across && x <= x1 + across && y >= y0 - up && y <= y1 + up)
            .map(|(i, _)| i)
            .take_while(|&i| i < dots.value.len() && i < dots.support.len())
            .collect();
        let of = |values: &[f64]| inside.iter().map(|&i| values[i]).collect();
        Self {
            x: of(dots.x),
            y: of(dots.y),
            value: of(dots.value),
            support: inside.iter().map(|&i| dots.support[i]).collect(),
        }
    }

    fn dots(&self) -> Dots<'_> {
        Dots { x: &self.x, y: &self.y, value: &self.value, support: &self.support }
    }
}

/// Radius in CSS pixels of `n` points on an area of `area` square CSS pixels.
///
/// Discs together cover at most a third of the area unless that made them smaller than a person can see: 3 for a
/// few points, 1.4 for many discs, and on to a pixel in diameter for a million.
pub fn radius(n: usize, area: f64) -> f64 {
    let room = (COVERED * area.max(1.0) / (std::f64::consts::PI * n.max(1) as f64)).sqrt();
    let least = if n <= DISC_LIMIT { 1.4 } else { 1.0 };
    room.clamp(least, 3.0)
}

/// Strength of outlines of `n` points of radius `r` on an area, both in pixels: 1 where discs have the room of [`radius`], less
/// where they are too many to be distinguished, so that the colors of some remain visible among the outlines of many.
fn outline_strength(n: usize, r: f64, area: f64) -> f64 {
    let covered = std::f64::consts::PI * r * r * n as f64 / area.max(1.0);
    (COVERED / covered.max(COVERED)).clamp(0.0, 1.0)
}

/// Part of the area that discs cover together where they have room.
const COVERED: f64 = 1.0 / 3.0;

/// Colors by value, looked up.
struct Inks {
    table: Vec<Rgb>,
    scale: f64,
    gray: Rgb,
    paper: Rgb,
    /// of points: of errors to either side, and between them of those that could be chance
    outlines: [Rgb; 3],
}

impl Inks {
    fn new(raster: &Raster) -> Self {
        let theme: &Theme = if raster.dark { &DARK } else { &LIGHT };
        let limit = if raster.limit.is_finite() && raster.limit > 0.0 { raster.limit } else { 1.0 };
        Self {
            table: diverging_table(513, raster.dark),
            scale: 256.0 / limit,
            gray: theme.not_enough,
            paper: theme.paper,
            outlines: [theme.under, theme.axis, theme.over],
        }
    }

    fn of(&self, value: f64) -> Rgb {
        let place = (value * self.scale).round().clamp(-256.0, 256.0) as i32 + 256;
        self.table.get(place as usize).copied().unwrap_or(self.gray)
    }

    /// The outline of a point, which is distinguished from paper where its color is not.
    fn outline(&self, value: f64, support: Support) -> Option<Rgb> {
        let [under, none, over] = self.outlines;
        match support {
            Support::None | Support::Few => None,
            Support::Enough if value > 0.0 => Some(over),
            Support::Enough if value < 0.0 => Some(under),
            Support::Enough | Support::Chance => Some(none),
        }
    }

    /// The color of a value that could be chance: most of the way to paper.
    fn pale(&self, value: f64) -> Rgb {
        let color = self.of(value);
        std::array::from_fn(|c| {
            let (color, paper) = (u32::from(color[c]), u32::from(self.paper[c]));
            ((color * PALE + paper * (100 - PALE)) / 100) as u8
        })
    }
}

impl Raster {
    /// Pixels per CSS pixel, within reason.
    fn ratio(&self) -> f64 {
        if self.dpr.is_finite() { self.dpr.clamp(0.5, 8.0) } else { 1.0 }
    }

    /// Radius of a point in pixels.
    fn radius(&self, n: usize) -> f64 {
        let area = f64::from(self.width) * f64::from(self.height) / self.ratio().powi(2);
        radius(n, area) * self.ratio()
    }

    /// Position in pixels; y runs downwards.
    fn place(&self) -> impl Fn(f64, f64) -> (f64, f64) + use<> {
        let Extent { x0, x1, y0, y1 } = self.extent;
        let (sx, sy) = (f64::from(self.width) / (x1 - x0), f64::from(self.height) / (y1 - y0));
        move |x, y| ((x - x0) * sx, (y1 - y) * sy)
    }
}

/// `color` at strength `alpha` (0..=255) over a premultiplied pixel.
fn over(pixel: &mut [u8; 4], color: Rgb, alpha: u32) {
    let rest = 255 - alpha;
    let mix = |old: u8, new: u32| ((new * alpha + u32::from(old) * rest + 127) / 255) as u8;
    let [r, g, b] = color.map(u32::from);
    *pixel = [mix(pixel[0], r), mix(pixel[1], g), mix(pixel[2], b), mix(pixel[3], 255)];
}

/// From premultiplied to straight alpha, with the 255 reciprocals looked up.
fn straight(pixels: &[[u8; 4]]) -> Vec<u8> {
    let shares: [u32; 256] = std::array::from_fn(|a| (255 << 16) / (a.max(1) as u32));
    let mut out = vec![0; pixels.len() * 4];
    for (target, &[r, g, b, a]) in out.chunks_exact_mut(4).zip(pixels) {
        let share = shares[usize::from(a)];
        let part = |c: u8| ((u32::from(c) * share + (1 << 15)) >> 16).min(255) as u8;
        target.copy_from_slice(&[part(r), part(g), part(b), a]);
    }
    out
}

mod density;
mod disc;
mod field;

#[cfg(test)]
mod tests;
