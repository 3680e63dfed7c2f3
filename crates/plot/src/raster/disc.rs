//! Points as smooth discs with a rim of paper, from stencils at sixteen places within a pixel. Outlines tell points from
//! paper whose own color is near it.

use super::{Dots, Inks, Raster, Support, outline_strength, over};

/// Coverage of one disc: rim, disc and what an outline leaves of it, 0..=255, over a square of `side` pixels.
struct Stencil {
    side: i64,
    cover: Vec<[u8; 3]>,
}

/// Width of an outline in CSS pixels.
const OUTLINE: f64 = 0.8;

/// Places within a pixel, each way.
const PHASES: usize = 4;

/// Draws gray points first, then what could be chance, then the others in the order of the rows.
pub(super) fn paint(pixels: &mut [[u8; 4]], dots: Dots<'_>, n: usize, raster: &Raster, ink: &Inks) {
    let r = raster.radius(n);
    let rim = 0.2 * r;
    let stencils: Vec<Stencil> = (0..PHASES * PHASES)
        .map(|k| {
            let phase = |p: usize| (p as f64 + 0.5) / PHASES as f64;
            stencil([r + rim, r, r - OUTLINE * raster.ratio()], phase(k % PHASES), phase(k / PHASES))
        })
        .collect();
    let area = f64::from(raster.width) * f64::from(raster.height);
    let strength = (255.0 * outline_strength(n, r, area)).round() as u32;
    let place = raster.place();
    let (width, height) = (i64::from(raster.width), i64::from(raster.height));
    for wanted in [Support::Few, Support::Chance, Support::Enough] {
        for i in 0..n {
            let (Some(&x), Some(&y), Some(&value), Some(&support)) =
                (dots.x.get(i), dots.y.get(i), dots.value.get(i), dots.support.get(i))
            else {
                break;
            };
            if Support::of(support) != wanted {
                continue;
            }
            let (px, py) = place(x, y);
            let near = px > -2.0 * r - 2.0 && py > -2.0 * r - 2.0;
            if !(near && px < width as f64 + 2.0 * r + 2.0 && py < height as f64 + 2.0 * r + 2.0) {
                continue;
            }
            let color = if wanted == Support::Few || value.is_nan() {
                ink.gray
            } else if wanted == Support::Chance {
                ink.pale(value)
            } else {
                ink.of(value)
            };
            let outline = ink.outline(value, wanted);
            let phase = |v: f64| ((v - v.floor()) * PHASES as f64) as usize;
            let k = phase(py).min(PHASES - 1) * PHASES + phase(px).min(PHASES - 1);
            let Some(stencil) = stencils.get(k) else {
                continue;
            };
            let half = stencil.side / 2;
            let (left, top) = (px.floor() as i64 - half, py.floor() as i64 - half);
            for (j, line) in stencil.cover.chunks_exact(stencil.side as usize).enumerate() {
                let row = top + j as i64;
                if row < 0 || row >= height {
                    continue;
                }
                for (c, &[rim, disc, inside]) in line.iter().enumerate() {
                    let column = left + c as i64;
                    if rim == 0 || column < 0 || column >= width {
                        continue;
                    }
                    if let Some(pixel) = pixels.get_mut((row * width + column) as usize) {
                        if disc < 255 {
                            over(pixel, ink.paper, u32::from(rim));
                        }
                        over(pixel, color, u32::from(disc));
                        if let Some(outline) = outline {
                            over(pixel, outline, u32::from(disc - inside) * strength / 255);
                        }
                    }
                }
            }
        }
    }
}

/// * `radii`: of the rim, of the disc and of what an outline leaves of it
fn stencil(radii: [f64; 3], dx: f64, dy: f64) -> Stencil {
    let [outer, r, inner] = radii;
    let half = (outer + 1.0).ceil() as i64;
    let side = 2 * half + 1;
    let cover = (0..side * side)
        .map(|k| {
            // Distance of the pixel's middle from the center, which lies (dx, dy) inside the middle pixel.
            let x = (k % side - half) as f64 + 0.5 - dx;
            let y = (k / side - half) as f64 + 0.5 - dy;
            let far = x.hypot(y);
            let within = |edge: f64| ((edge - far + 0.5).clamp(0.0, 1.0) * 255.0).round() as u8;
            // The rim is translucent: a cloud of points must not turn to paper.
            let rim = (f64::from(within(outer)) * 0.8).round() as u8;
            [rim, within(r), within(inner)]
        })
        .collect();
    Stencil { side, cover }
}
