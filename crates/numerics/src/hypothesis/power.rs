//! Power of the KLCE calibration test against a bias of all scores, or of those in a cell of similar rows.

use serde::{Deserialize, Serialize};

use super::nearby::BLOCK;
use super::pairs::blocked;
use super::{KlceSample, Search, SimulatedPower};
use crate::kernel::decay_lanes;
use crate::num::order;
use crate::num::quantile::median;
use crate::num::special::normal_tail;

/// Target power.
pub(super) const TARGET_POWER: f64 = 0.8;
/// Number of halvings of the rows: a local bias concerns one of eight cells.
const HALVINGS: u32 = 3;
/// Maximum number of kernel values that are computed.
const PAIRS: usize = 1_500_000;

/// Smallest biases that the test at this level detects with 80% power.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KlcePower {
    /// significance level of the test
    pub alpha: f64,
    /// bias |P(y = 1) − p| common to all rows; null if 80% power is not reached below 1
    pub everywhere: Option<f64>,
    /// bias limited to one of eight cells of similar rows: the median over the cells; null as above
    pub locally: Option<f64>,
    /// the same, estimated by simulation; null if none was requested
    pub simulated: Option<SimulatedPower>,
}

/// Change of T if outcomes of some rows are more frequent by δ: δ² a on average, and a normal term with standard
/// deviation 2δ √b in addition to the variation under the null.
struct Bias {
    a: f64,
    b: f64,
}

impl Bias {
    /// Mean over draws of the probability that T is beyond `critical`.
    fn power(&self, delta: f64, draws: &[f64], critical: f64) -> f64 {
        let (shift, spread) = (delta * delta * self.a, 2.0 * delta * self.b.sqrt());
        let beyond = |draw: &f64| {
            let short = critical - draw - shift;
            if spread > 0.0 { normal_tail(short / spread) } else { f64::from(u8::from(short <= 0.0)) }
        };
        draws.iter().map(beyond).sum::<f64>() / draws.len() as f64
    }

    /// The smallest δ with the target power, by bisection.
    fn caught(&self, draws: &[f64], critical: f64) -> Option<f64> {
        if self.power(1.0, draws, critical) < TARGET_POWER {
            return None;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..30 {
            let middle = (low + high) / 2.0;
            if self.power(middle, draws, critical) < TARGET_POWER {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(high)
    }
}

/// From the draws of the Bernoulli null: outcomes that happen with p + δ instead of p add δ s to the residuals, so T gains
/// δ² sᵀK₀s and 2δ eᵀK₀s, whose variance is 4δ² Σ v_i (K₀s)_i². The row sums K₀s are taken at evenly spaced rows.
///
/// Beside it where a search by simulation begins.
///
/// `None` for whole vectors, where a bias has no single direction, and without draws. Biases beyond 0 and 1 are not cut.
///
/// Cost: up to 1.5·10⁶ kernel values.
pub(super) fn approximate(sample: &KlceSample, draws: &[f64], alpha: f64) -> Option<(KlcePower, Search)> {
    let n = sample.n();
    let mut sorted = draws.to_vec();
    order::sort(&mut sorted, &|a, b| b.total_cmp(a));
    // p = (1 + #{T_b ≥ T}) / (N + 1) ≤ α
    let above = (alpha * (draws.len() + 1) as f64).floor() as usize;
    let critical = *sorted.get(above.checked_sub(1)?)?;
    if sample.planes() != 1 || n < 2 {
        return None;
    }
    let cell = cells(n);
    let count = 1 + cell.iter().copied().max().unwrap_or(0);
    let taken = (PAIRS / n).clamp(1, n);
    let weight = n as f64 / taken as f64;
    let mut biases: Vec<Bias> = (0..=count).map(|_| Bias { a: 0.0, b: 0.0 }).collect();
    let blocks = blocked(sample.z(), n, sample.d());
    for k in 0..taken {
        let i = k * n / taken;
        let sums = sums_of(sample, &blocks, i, &cell, count);
        let p = sample.p()[i];
        let v = weight * p * (1.0 - p);
        let whole: f64 = sums.iter().sum();
        biases[count].a += weight * whole;
        biases[count].b += v * whole * whole;
        biases[cell[i / BLOCK]].a += weight * sums[cell[i / BLOCK]];
        for (bias, sum) in biases.iter_mut().zip(&sums) {
            bias.b += v * sum * sum;
        }
    }
    let everywhere = biases.pop()?.caught(draws, critical);
    let local: Vec<f64> = biases.iter().map(|bias| bias.caught(draws, critical).unwrap_or(2.0)).collect();
    let middle = median(&mut local.clone())?;
    // The cell nearest to the median.
    let mut cell = 0;
    for (k, delta) in local.iter().enumerate() {
        if (delta - middle).abs() < (local[cell] - middle).abs() {
            cell = k;
        }
    }
    let power = KlcePower { alpha, everywhere, locally: Some(middle).filter(|delta| *delta <= 1.0), simulated: None };
    Some((power, Search::new(critical, cell, &power)))
}

/// Σ K_ij over the other rows j of each cell.
#[inline(never)]
fn sums_of(sample: &KlceSample, blocks: &[[f64; BLOCK]], i: usize, cell: &[usize], count: usize) -> Vec<f64> {
    let (n, d) = (sample.n(), sample.d());
    let own = &sample.z()[i * d..(i + 1) * d];
    let mut sums = vec![0.0; count];
    for (block, (rows, &cell)) in blocks.chunks_exact(d).zip(cell).enumerate() {
        let mut squares = [0.0; BLOCK];
        for (z, lanes) in own.iter().zip(rows) {
            for l in 0..BLOCK {
                squares[l] += (lanes[l] - z) * (lanes[l] - z);
            }
        }
        let mut k = decay_lanes(&squares);
        k[n.saturating_sub(block * BLOCK).min(BLOCK)..].fill(0.0);
        if block == i / BLOCK {
            k[i % BLOCK] = 0.0;
        }
        sums[cell] += k.iter().sum::<f64>();
    }
    sums
}

/// The cell of every block of rows: the same halvings that made their order.
pub(super) fn cells(n: usize) -> Vec<usize> {
    let mut ends = vec![n];
    for _ in 0..HALVINGS {
        let mut finer = Vec::with_capacity(2 * ends.len());
        let mut start = 0;
        for end in ends {
            let middle = start + ((end - start) / 2).next_multiple_of(BLOCK);
            if middle < end {
                finer.push(middle);
            }
            finer.push(end);
            start = end;
        }
        ends = finer;
    }
    let of = |block: usize| ends.iter().take_while(|end| **end <= block * BLOCK).count();
    (0..n.div_ceil(BLOCK)).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::null_tests::random_sample;
    use super::super::{KlceKernel, KlceWork, Null};
    use super::*;

    #[test]
    fn cells_are_eighths() {
        let cell = cells(800);
        assert_eq!(cell.len(), 100);
        for k in 0..8 {
            let size = cell.iter().filter(|cell| **cell == k).count();
            assert!((11..=14).contains(&size), "{size}");
        }
        assert_eq!(cells(5), [0]);
    }

    /// The specification, 4.2: a shift of .15 is caught with power .93 at n = 200; so the bias caught with power .8 is smaller.
    #[test]
    fn says_what_simulation_says() {
        let sample = random_sample(200, 3, 0.0, 0.5);
        let kernel = KlceKernel::usual(3);
        let found = KlceWork::new(sample.clone(), kernel, &[Null::Bernoulli], 400, 1).run();
        let (caught, _) = approximate(&sample, &found.nulls[0].draws, 0.05).expect("a power");
        let everywhere = caught.everywhere.expect("a bias");
        assert!((0.09..0.15).contains(&everywhere), "{caught:?}");
        assert!(caught.locally.is_none_or(|local| local > everywhere), "{caught:?}");
        // That bias, simulated: caught about four times out of five.
        let caught = (0..60)
            .filter(|seed| {
                let biased = random_sample(200, 500 + seed, -everywhere, 0.5);
                let found = KlceWork::new(biased, kernel, &[Null::Bernoulli], 200, *seed).run();
                found.nulls[0].p.expect("a p-value") <= 0.05
            })
            .count();
        assert!((36..=58).contains(&caught), "{caught} of 60");
    }

    #[test]
    fn few_draws_and_vectors_have_none() {
        let sample = random_sample(30, 3, 0.0, 0.5);
        assert_eq!(approximate(&sample, &[1.0; 10], 0.05), None);
        assert_eq!(approximate(&sample, &[], 0.05), None);
    }
}
