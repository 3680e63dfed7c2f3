//! Sums of a Gaussian kernel on [0, 1], reflected at both ends so that no mass is lost.

/// For every point tₖ = k/(points − 1): (Σᵢ K(tₖ, sᵢ)·vᵢ, Σᵢ K(tₖ, sᵢ)), up to one common factor.
///
/// K(t, s) = Σⱼ [N(t − s − 2j) + N(t + s − 2j)] with N the Gaussian of width `sigma`. Scores are in [0, 1].
///
/// # Cost
/// Up to 512 rows are summed as they stand. More are first shared out over a grid of step σ/40 or less, each row
/// between its two neighbours: O(n + points·16σ/step), with a relative error near (step/σ)²/8 = 10⁻⁴.
pub fn reflected_sums(s: &[f64], v: &[f64], sigma: f64, points: usize) -> Vec<(f64, f64)> {
    let points = points.max(2);
    if s.len() <= 512 {
        direct(s, v, sigma, points)
    } else {
        gridded(s, v, sigma, points)
    }
}

/// Beyond this many widths a Gaussian is below 10⁻¹⁵ of its top.
const REACH: f64 = 8.4;

fn direct(s: &[f64], v: &[f64], sigma: f64, points: usize) -> Vec<(f64, f64)> {
    let images = ((REACH * sigma + 1.0) / 2.0).ceil() as i64;
    let scale = -0.5 / (sigma * sigma);
    (0..points)
        .map(|k| {
            let t = k as f64 / (points - 1) as f64;
            let (mut weighted, mut mass) = (0.0, 0.0);
            for (&s, &v) in s.iter().zip(v) {
                let mut kernel = 0.0;
                for j in -images..=images {
                    let shift = 2.0 * j as f64;
                    kernel += ((t - s - shift).powi(2) * scale).exp()
                        + ((t + s - shift).powi(2) * scale).exp();
                }
                weighted += kernel * v;
                mass += kernel;
            }
            (weighted, mass)
        })
        .collect()
}

fn gridded(s: &[f64], v: &[f64], sigma: f64, points: usize) -> Vec<(f64, f64)> {
    let per_point = (40.0 / (sigma * (points - 1) as f64)).ceil().max(1.0) as usize;
    let cells = per_point * (points - 1);
    let mut grid = vec![(0.0_f64, 0.0_f64); cells + 1];
    for (&s, &v) in s.iter().zip(v) {
        let at = s.clamp(0.0, 1.0) * cells as f64;
        let low = (at as usize).min(cells - 1);
        let share = at - low as f64;
        grid[low].0 += (1.0 - share) * v;
        grid[low].1 += 1.0 - share;
        grid[low + 1].0 += share * v;
        grid[low + 1].1 += share;
    }
    let reach = (REACH * sigma * cells as f64).ceil() as usize;
    let kernel: Vec<f64> = (0..=reach)
        .map(|d| (-0.5 * (d as f64 / (cells as f64 * sigma)).powi(2)).exp())
        .collect();
    // The grid with its mirror images on both sides; a row on an end meets its own image there.
    let mirrored: Vec<(f64, f64)> = (0..cells + 1 + 2 * reach)
        .map(|i| {
            let folded = (i as i64 - reach as i64).rem_euclid(2 * cells as i64) as usize;
            let place = folded.min(2 * cells - folded);
            let twice = if place == 0 || place == cells {
                2.0
            } else {
                1.0
            };
            (grid[place].0 * twice, grid[place].1 * twice)
        })
        .collect();
    (0..points)
        .map(|k| {
            let centre = k * per_point + reach;
            let (mut weighted, mut mass) = (mirrored[centre].0, mirrored[centre].1);
            for (d, weight) in kernel.iter().enumerate().skip(1) {
                let (left, right) = (mirrored[centre - d], mirrored[centre + d]);
                weighted += weight * (left.0 + right.0);
                mass += weight * (left.1 + right.1);
            }
            (weighted, mass)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_grid_agrees_with_the_sum(
            rows in proptest::collection::vec((prop_oneof![0.0..=1.0_f64, Just(0.0), Just(1.0)], -1.0..1.0_f64), 1..40),
            sigma in prop_oneof![Just(1.0), 0.02..0.5_f64],
        ) {
            let (s, v): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
            let (a, b) = (direct(&s, &v, sigma, 101), gridded(&s, &v, sigma, 101));
            let top = a.iter().fold(0.0_f64, |m, x| m.max(x.1));
            for (a, b) in a.iter().zip(&b) {
                prop_assert!((a.0 - b.0).abs() < 1e-3 * top && (a.1 - b.1).abs() < 1e-3 * top);
            }
        }
    }
}
