//! Many points: the mean value and the number of the points near each pixel.

use super::{Dots, Inks, Raster, Support, over};

/// Sum of values, points with a value, those of them whose value could be chance, gray points.
#[derive(Clone, Copy, Default)]
struct PixelSums {
    sum: f32,
    count: f32,
    chance: f32,
    gray: f32,
}

/// A pixel with one point in reach is drawn at this strength; each further point takes the same share of the rest.
const STRENGTH: f32 = 0.62;

/// Draws the mean of the points within a square window of about two radii.
pub(super) fn paint(pixels: &mut [[u8; 4]], dots: Dots<'_>, n: usize, raster: &Raster, ink: &Inks) {
    let (width, height) = (raster.width as usize, raster.height as usize);
    if width == 0 || height == 0 {
        return;
    }
    let mut cells = vec![PixelSums::default(); width * height];
    let reach = (raster.radius(n) - 0.5).round().max(0.0) as usize;
    // Few points write their whole window; many are counted once and spread by running sums.
    let window = (2 * reach + 1).pow(2);
    let few = n.saturating_mul(window) < 4 * cells.len();
    let near = if few { reach } else { 0 };
    let place = raster.place();
    let columns = dots.x.iter().zip(dots.y);
    let rows = columns.zip(dots.value.iter().zip(dots.support)).take(n);
    for ((&x, &y), (&value, &support)) in rows {
        let (px, py) = place(x, y);
        if !(px >= 0.0 && py >= 0.0 && px < width as f64 && py < height as f64) {
            continue;
        }
        let point = match Support::of(support) {
            Support::None => continue,
            support @ (Support::Enough | Support::Chance) if !value.is_nan() => {
                PixelSums { sum: value as f32, count: 1.0, chance: f32::from(support == Support::Chance), gray: 0.0 }
            }
            _ => PixelSums { gray: 1.0, ..PixelSums::default() },
        };
        let (column, row) = (px as usize, py as usize);
        let left = column.saturating_sub(near);
        let right = (column + near + 1).min(width);
        for row in row.saturating_sub(near)..(row + near + 1).min(height) {
            let line = cells.get_mut(row * width + left..row * width + right);
            for cell in line.unwrap_or(&mut []) {
                add(cell, &point, 1.0);
            }
        }
    }
    if reach > 0 && !few {
        spread(&mut cells, width, height, reach);
    }
    // Strength by number of points, looked up: 1 − (1 − s)^count.
    let strength: Vec<u32> = (0..64).map(|k| ((1.0 - (1.0 - STRENGTH).powi(k)) * 255.0).round() as u32).collect();
    for (pixel, cell) in pixels.iter_mut().zip(&cells) {
        let of = |count: f32| strength.get(count as usize).copied().unwrap_or(255);
        // The running sums leave traces far below one half.
        if cell.count > 0.5 {
            let mean = f64::from(cell.sum / cell.count);
            let pale = cell.chance > 0.5 * cell.count;
            let color = if pale { ink.pale(mean) } else { ink.of(mean) };
            over(pixel, color, of(cell.count + cell.gray + 0.5));
        } else if cell.gray > 0.5 {
            over(pixel, ink.gray, of(cell.gray + 0.5));
        }
    }
}

/// Replaces each cell by the sum over the square of `reach` cells around it, by running sums along rows and columns.
fn spread(cells: &mut [PixelSums], width: usize, height: usize, reach: usize) {
    let mut along = vec![PixelSums::default(); cells.len()];
    for (row, out) in (cells.chunks_exact(width)).zip(along.chunks_exact_mut(width)) {
        let mut sum = PixelSums::default();
        for cell in row.iter().take(reach) {
            add(&mut sum, cell, 1.0);
        }
        for (i, cell) in out.iter_mut().enumerate() {
            if let Some(next) = row.get(i + reach) {
                add(&mut sum, next, 1.0);
            }
            if let Some(last) = i.checked_sub(reach + 1).and_then(|k| row.get(k)) {
                add(&mut sum, last, -1.0);
            }
            *cell = sum;
        }
    }
    // Down the columns, a whole row at a time: memory is read in order.
    let row_of = |j: usize| along.get(j * width..(j + 1) * width);
    let mut sums = vec![PixelSums::default(); width];
    let apply = |sums: &mut [PixelSums], row: Option<&[PixelSums]>, sign: f32| {
        for (sum, cell) in sums.iter_mut().zip(row.unwrap_or(&[])) {
            add(sum, cell, sign);
        }
    };
    for j in 0..reach.min(height) {
        apply(&mut sums, row_of(j), 1.0);
    }
    for (j, row) in cells.chunks_exact_mut(width).enumerate() {
        apply(&mut sums, row_of(j + reach), 1.0);
        apply(&mut sums, j.checked_sub(reach + 1).and_then(row_of), -1.0);
        row.copy_from_slice(&sums);
    }
}

#[inline]
fn add(sum: &mut PixelSums, cell: &PixelSums, sign: f32) {
    sum.sum += sign * cell.sum;
    sum.count += sign * cell.count;
    sum.chance += sign * cell.chance;
    sum.gray += sign * cell.gray;
}
