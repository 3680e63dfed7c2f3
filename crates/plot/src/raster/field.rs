//! The smooth background: a coarse grid of colors, enlarged linearly both ways.

use super::{FIELD_STRENGTH, Field, Inks, Raster, Support};

/// Every so many CSS pixels, counted along the diagonal, a line of the hatching.
const HATCH: f64 = 7.0;

/// Fills every pixel; cells without support stay transparent and fade at their borders; where most of the weight is on
/// cells whose error could be chance, the color is hatched.
pub(super) fn paint(pixels: &mut [[u8; 4]], field: Field<'_>, raster: &Raster, ink: &Inks) {
    let side = field.side;
    let cells = side * side;
    if side < 2 || field.value.len() < cells || field.support.len() < cells || pixels.is_empty() {
        return;
    }
    // Premultiplied, so that a transparent neighbor lends no color.
    let nodes: Vec<[f32; 4]> = field
        .value
        .iter()
        .zip(field.support)
        .take(cells)
        .map(|(&value, &support)| match Support::of(support) {
            Support::None => [0.0; 4],
            Support::Few => premultiplied(ink.gray),
            Support::Enough if value.is_nan() => premultiplied(ink.gray),
            Support::Enough | Support::Chance => premultiplied(ink.of(value)),
        })
        .collect();
    let chance: Vec<f32> =
        field.support.iter().take(cells).map(|&support| f32::from(Support::of(support) == Support::Chance)).collect();
    let step = (HATCH * raster.ratio()).round() as usize;
    let stroke = (raster.ratio() * 1.5).round() as usize;
    let (width, height) = (raster.width as usize, raster.height as usize);
    let across: Vec<(usize, f32)> = (0..width).map(|i| between(i, width, side)).collect();
    let mut line = vec![[0.0_f32; 4]; side];
    let mut doubt = vec![0.0_f32; side];
    for (j, row) in pixels.chunks_exact_mut(width).enumerate() {
        let (k, t) = between(height - 1 - j, height, side);
        let below = nodes.get(k * side..(k + 1) * side).unwrap_or(&[]);
        let above = nodes.get((k + 1) * side..(k + 2) * side).unwrap_or(&[]);
        for (node, (a, b)) in line.iter_mut().zip(below.iter().zip(above)) {
            *node = mixed(a, b, t);
        }
        let below = chance.get(k * side..(k + 1) * side).unwrap_or(&[]);
        let above = chance.get((k + 1) * side..(k + 2) * side).unwrap_or(&[]);
        for (node, (a, b)) in doubt.iter_mut().zip(below.iter().zip(above)) {
            *node = a + t * (b - a);
        }
        for (i, (pixel, &(c, s))) in row.iter_mut().zip(&across).enumerate() {
            if let (Some([a, b]), Some([p, q])) = (line.get(c..c + 2), doubt.get(c..c + 2)) {
                let hatched = p + s * (q - p) > 0.5 && (i + j) % step >= stroke;
                let left = if hatched { 0.35 } else { 1.0 };
                *pixel = mixed(a, b, s).map(|v| (v * left + 0.5) as u8);
            }
        }
    }
}

fn premultiplied(rgb: [u8; 3]) -> [f32; 4] {
    let [r, g, b] = rgb.map(|c| f32::from(c) * FIELD_STRENGTH);
    [r, g, b, 255.0 * FIELD_STRENGTH]
}

/// The node to the left of pixel `i`'s center and how far it is to the next, nodes being at cell centers.
fn between(i: usize, pixels: usize, side: usize) -> (usize, f32) {
    let at = (i as f32 + 0.5) / pixels as f32 * side as f32 - 0.5;
    let at = at.clamp(0.0, (side - 1) as f32);
    let left = (at as usize).min(side - 2);
    (left, at - left as f32)
}

#[inline]
fn mixed(a: &[f32; 4], b: &[f32; 4], t: f32) -> [f32; 4] {
    let mut out = [0.0; 4];
    for c in 0..4 {
        out[c] = a[c] + t * (b[c] - a[c]);
    }
    out
}
