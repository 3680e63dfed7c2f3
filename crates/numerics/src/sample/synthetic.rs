//! A data set whose truth is known: well calibrated on the whole, wrong in two places.

use std::fmt::Write as _;

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Number of rows of the built-in example.
pub const DEFAULT_ROWS: usize = 4_000;

/// Both covariates lie in [−`HALF_WIDTH`, `HALF_WIDTH`].
pub const HALF_WIDTH: f64 = 3.0;

/// Where in the plane (x1, x2) the model promises too much.
pub const OVER_CONFIDENT: [f64; 2] = [0.6, 1.5];

/// Where it promises too little: the mirror image in x2.
pub const UNDER_CONFIDENT: [f64; 2] = [0.6, -1.5];

/// Slope of the model's log-odds in x1.
const SLOPE: f64 = 1.2;

/// Standard deviation of the two bumps.
const BUMP_WIDTH: f64 = 0.8;

/// Largest error as a share of min(p, 1 − p); below 1 the truth stays inside (0, 1).
const AMPLITUDE: f64 = 0.9;

/// Rows of the synthetic example, one vector per column.
///
/// * `x1`, `x2`: covariates, independent and uniform on [−3, 3], four decimals
/// * `p`: the model's P(y = 1) = σ(1.2·x1), five decimals
/// * `y`: outcome, 0 or 1, drawn with probability `truth`
/// * `truth`: P(y = 1 | x1, x2), never written to the file
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    /// first covariate, the one that the model uses
    pub x1: Vec<f64>,
    /// second covariate, the one that the model ignores
    pub x2: Vec<f64>,
    /// the model's probability of y = 1
    pub p: Vec<f64>,
    /// outcome, 0 or 1
    pub y: Vec<u8>,
    /// true probability of y = 1
    pub truth: Vec<f64>,
}

/// Draws `rows` independent rows; the same seed gives the same rows on every machine.
///
/// q(x) = p − 0.9·min(p, 1 − p)·[b(x − o) − b(x − u)] with b(v) = exp(−|v|²/(2·0.8²)), center o of the
/// over-confident region and its mirror image u in x2. As x2 is symmetric and p does not depend on it,
/// E[q | p] = p: the model is calibrated in every confidence bin and wrong in two places, which only a
/// local measure can show. Both places lie where p > ½, so that P(y = 1) and the confidence of the
/// predicted label are off in the same direction.
///
/// * returns: columns of length `rows`
///
/// # Cost
/// O(rows).
pub fn synthetic(rows: usize, seed: u64) -> Synthetic {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut data = Synthetic {
        x1: Vec::with_capacity(rows),
        x2: Vec::with_capacity(rows),
        p: Vec::with_capacity(rows),
        y: Vec::with_capacity(rows),
        truth: Vec::with_capacity(rows),
    };
    for _ in 0..rows {
        // Rounded first: what is written to a file is what the outcome was drawn from, and the last bit of
        // `exp`, which differs between platforms, is out of play.
        let x1 = rounded(HALF_WIDTH * (2.0 * uniform(&mut rng) - 1.0), 1e4);
        let x2 = rounded(HALF_WIDTH * (2.0 * uniform(&mut rng) - 1.0), 1e4);
        let p = rounded(1.0 / (1.0 + (-SLOPE * x1).exp()), 1e5);
        let truth = p - excess(x1, x2, p);
        data.x1.push(x1);
        data.x2.push(x2);
        data.p.push(p);
        data.y.push(u8::from(uniform(&mut rng) < truth));
        data.truth.push(truth);
    }
    data
}

impl Synthetic {
    /// The example as a CSV file with the columns `x1,x2,p,y`; the truth stays out.
    pub fn to_csv(&self) -> String {
        let mut text = String::with_capacity(28 * self.y.len() + 16);
        text.push_str("x1,x2,p,y\n");
        let rows = self.x1.iter().zip(&self.x2).zip(&self.p).zip(&self.y);
        for (((x1, x2), p), y) in rows {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{x1:.4},{x2:.4},{p:.5},{y}");
        }
        text
    }
}

/// By how much the model's `p` exceeds the truth at (x1, x2).
fn excess(x1: f64, x2: f64, p: f64) -> f64 {
    let bump = |[c1, c2]: [f64; 2]| {
        let squared = (x1 - c1).powi(2) + (x2 - c2).powi(2);
        (-squared / (2.0 * BUMP_WIDTH * BUMP_WIDTH)).exp()
    };
    AMPLITUDE * p.min(1.0 - p) * (bump(OVER_CONFIDENT) - bump(UNDER_CONFIDENT))
}

/// Uniform on [0, 1): the upper 53 bits of a draw.
fn uniform(rng: &mut Pcg64) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// `value` as a whole multiple of 1/`units`, without a negative zero.
fn rounded(value: f64, units: f64) -> f64 {
    (value * units).round() / units + 0.0
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Mean of score − target over the rows that `keep` selects, and their number.
    fn mean_gap(s: &[f64], t: &[f64], keep: impl Fn(usize) -> bool) -> (f64, usize) {
        let rows: Vec<usize> = (0..s.len()).filter(|&i| keep(i)).collect();
        let sum: f64 = rows.iter().map(|&i| s[i] - t[i]).sum();
        (sum / rows.len() as f64, rows.len())
    }

    /// ECE over `count` equal-width bins, straight from its definition.
    fn ece(s: &[f64], t: &[f64], count: usize) -> f64 {
        (0..count)
            .map(|b| {
                let (low, high) = (b as f64 / count as f64, (b + 1) as f64 / count as f64);
                let (gap, n) = mean_gap(s, t, |i| low <= s[i] && s[i] < high);
                if n == 0 { 0.0 } else { gap.abs() * n as f64 / s.len() as f64 }
            })
            .sum()
    }

    fn lies_near(data: &Synthetic, center: [f64; 2]) -> impl Fn(usize) -> bool {
        move |i| (data.x1[i] - center[0]).abs() < 0.8 && (data.x2[i] - center[1]).abs() < 0.8
    }

    fn outcomes(data: &Synthetic) -> Vec<f64> {
        data.y.iter().map(|&y| f64::from(y)).collect()
    }

    #[test]
    fn bins_see_nothing_and_regions_see_the_error() {
        let data = synthetic(DEFAULT_ROWS, 0);
        let y = outcomes(&data);
        let whole = ece(&data.p, &y, 15);
        let (over, n_over) = mean_gap(&data.p, &y, lies_near(&data, OVER_CONFIDENT));
        let (under, n_under) = mean_gap(&data.p, &y, lies_near(&data, UNDER_CONFIDENT));
        println!("ECE {whole:.4}, over {over:.4} ({n_over}), under {under:.4} ({n_under})");
        assert!(whole < 0.02, "ECE {whole}");
        assert!(n_over > 200 && over > 0.1, "{n_over} rows, gap {over}");
        assert!(n_under > 200 && under < -0.1, "{n_under} rows, gap {under}");
    }

    #[test]
    fn confidence_of_the_predicted_label_is_off_in_the_same_direction() {
        let data = synthetic(DEFAULT_ROWS, 0);
        let c: Vec<f64> = data.p.iter().map(|p| p.max(1.0 - p)).collect();
        let a: Vec<f64> =
            (data.p.iter().zip(&data.y)).map(|(&p, &y)| f64::from(u8::from((p > 0.5) == (y == 1)))).collect();
        assert!(mean_gap(&c, &a, lies_near(&data, OVER_CONFIDENT)).0 > 0.1);
        assert!(mean_gap(&c, &a, lies_near(&data, UNDER_CONFIDENT)).0 < -0.1);
    }

    #[test]
    fn truth_averages_out_in_every_bin_and_nowhere_leaves_the_unit_interval() {
        let data = synthetic(200_000, 1);
        assert!(data.truth.iter().all(|q| (0.0..=1.0).contains(q)));
        // No noise of outcomes here, only of where rows fall.
        let error = ece(&data.p, &data.truth, 15);
        assert!(error < 0.004, "{error}");
        let drawn = mean_gap(&data.truth, &outcomes(&data), |_| true).0;
        assert!(drawn.abs() < 0.004, "outcomes do not follow the truth: {drawn}");
        let far = |i: usize| data.x1[i] < -2.0;
        assert!(mean_gap(&data.p, &data.truth, far).0.abs() < 1e-3);
    }

    #[test]
    fn seed_decides() {
        assert_eq!(synthetic(50, 3), synthetic(50, 3));
        assert_ne!(synthetic(50, 3), synthetic(50, 4));
        assert_eq!(synthetic(50, 3).p[..20], synthetic(20, 3).p[..]);
    }

    #[test]
    fn csv_holds_what_was_drawn_and_not_the_truth() {
        let data = synthetic(300, 2);
        let text = data.to_csv();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("x1,x2,p,y"));
        for i in 0..300 {
            let cells: Vec<f64> = lines.next().unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
            assert_eq!(cells, [data.x1[i], data.x2[i], data.p[i], f64::from(data.y[i])]);
        }
        assert_eq!(lines.next(), None);
        assert!(!text.contains("-0.0000"));
        assert_eq!(synthetic(0, 0).to_csv(), "x1,x2,p,y\n");
    }
}
