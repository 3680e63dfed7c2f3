//! Random numbers in eight lanes: the same bits natively and in WebAssembly, at any vector width.

use wide::{i16x8, u8x16};

/// Number of generators that run side by side.
pub const LANES: usize = 8;

/// Eight independent xoshiro128+ generators, advanced together.
///
/// Integer arithmetic only, so that a seed gives the same numbers on every machine. The lowest bit of
/// xoshiro128+ is of lesser quality; comparing with a threshold, as all uses here do, does not see it.
///
/// Source: Blackman and Vigna (2021), "Scrambled linear pseudorandom number generators"; states are
/// filled by SplitMix64 (Steele, Lea and Flood, 2014).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    state: [[u32; LANES]; 4],
}

/// One step of SplitMix64: a bijection of the counter with good avalanche.
fn splitmix(counter: &mut u64) -> u64 {
    *counter = counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *counter;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Lanes {
    /// The generator of this seed and stream; streams of one seed (parts, replicates) are independent.
    pub fn seeded(seed: u64, stream: u64) -> Self {
        // The stream is hashed before it meets the seed: (seed, stream + 1) must not be (seed + 1, stream).
        let mut hash = stream;
        let mut counter = seed ^ splitmix(&mut hash).rotate_left(17);
        let mut state = [[0_u32; LANES]; 4];
        let [s0, s1, s2, s3] = &mut state;
        for lane in 0..LANES {
            let (a, b) = (splitmix(&mut counter), splitmix(&mut counter));
            (s0[lane], s1[lane]) = (a as u32, (a >> 32) as u32);
            // An all-zero state would stay zero for ever.
            s2[lane] = b as u32 | u32::from(a == 0 && b == 0);
            s3[lane] = (b >> 32) as u32;
        }
        Self { state }
    }

    /// Eight uniform 32-bit integers.
    #[inline(always)]
    #[allow(clippy::should_implement_trait)] // endless: an `Option` would say otherwise
    pub fn next(&mut self) -> [u32; LANES] {
        let [a, b, c, d] = &mut self.state;
        let mut out = [0_u32; LANES];
        for i in 0..LANES {
            out[i] = a[i].wrapping_add(d[i]);
            let shifted = b[i] << 9;
            c[i] ^= a[i];
            d[i] ^= b[i];
            b[i] ^= c[i];
            a[i] ^= d[i];
            c[i] ^= shifted;
            d[i] = d[i].rotate_left(11);
        }
        out
    }

    /// Four uniform numbers in [0, 1) with 53 random bits each.
    pub fn uniform(&mut self) -> [f64; 4] {
        let u = self.next();
        std::array::from_fn(|i| {
            let bits = (u64::from(u[2 * i]) << 32 | u64::from(u[2 * i + 1])) >> 11;
            bits as f64 * (1.0 / (1_u64 << 53) as f64)
        })
    }

    /// Four independent standard normal numbers (Box and Muller, 1958).
    pub fn normal(&mut self) -> [f64; 4] {
        let [a, b, c, d] = self.uniform();
        let polar = |u: f64, v: f64| {
            let radius = (-2.0 * (1.0 - u).ln()).sqrt();
            let (sin, cos) = (std::f64::consts::TAU * v).sin_cos();
            (radius * cos, radius * sin)
        };
        let ((x, y), (z, w)) = (polar(a, b), polar(c, d));
        [x, y, z, w]
    }

    /// Fills `weights` with independent Poisson(1) draws, the streamed form of a bootstrap sample.
    ///
    /// Inversion: the draw is the number of cumulative probabilities that a uniform 16-bit number reaches, 8 at most; mean
    /// and variance are exactly 1. Slices whose lengths are multiples of 16 continue one stream. O(n).
    #[inline(never)]
    pub fn fill_poisson(&mut self, weights: &mut [u8]) {
        let (blocks, rest) = weights.as_chunks_mut();
        for block in blocks {
            *block = self.poisson();
        }
        if !rest.is_empty() {
            rest.copy_from_slice(&self.poisson()[..rest.len()]);
        }
    }

    /// Sixteen draws from eight numbers: their lower halves, then their upper ones.
    ///
    /// In vectors by name: left to itself, the compiler counts each draw's thresholds in a register of its own, six times
    /// as slowly.
    #[inline(always)]
    fn poisson(&mut self) -> [u8; 2 * LANES] {
        let u = self.next();
        let half = |shift: u32| i16x8::new(u.map(|u| ((u >> shift) as u16 ^ 0x8000) as i16));
        let halves = [half(0), half(16)];
        let mut counts = [i16x8::ZERO; 2];
        for threshold in POISSON.map(i16x8::splat) {
            for (count, half) in counts.iter_mut().zip(halves) {
                *count -= half.simd_gt(threshold); // −1 where it is
            }
        }
        u8x16::narrow_i16x8(counts[0], counts[1]).to_array()
    }

    /// Fills `labels` with independent draws, 1 with the probability of its [`bernoulli_threshold`].
    ///
    /// Probabilities 0 and 1 are exact, others to 2⁻³². Slices of unequal length are filled as far as both
    /// reach. O(n).
    #[inline(never)]
    pub fn fill_bernoulli(&mut self, thresholds: &[i32], labels: &mut [u8]) {
        let n = thresholds.len().min(labels.len());
        let (thresholds, labels) = (&thresholds[..n], &mut labels[..n]);
        let whole = n - n % LANES;
        for (to, at) in labels[..whole]
            .chunks_exact_mut(LANES)
            .zip(thresholds[..whole].chunks_exact(LANES))
        {
            let u = signed(self.next());
            for i in 0..LANES {
                to[i] = u8::from(below(u[i], at[i]));
            }
        }
        if whole < n {
            let u = signed(self.next());
            for (i, (to, &at)) in labels[whole..]
                .iter_mut()
                .zip(&thresholds[whole..])
                .enumerate()
            {
                *to = u8::from(below(u[i], at));
            }
        }
    }
}

/// Shifts unsigned to signed order: neither SSE2 nor WebAssembly's fast path compares unsigned lanes.
#[inline(always)]
pub fn signed(u: [u32; LANES]) -> [i32; LANES] {
    u.map(|x| (x ^ 0x8000_0000) as i32)
}

/// True with the probability of the threshold; `u` from [`signed`].
///
/// The one value that could miss a probability of 1 is moved down by one, so that 1 always happens.
#[inline(always)]
pub fn below(u: i32, threshold: i32) -> bool {
    u - i32::from(u == i32::MAX) < threshold
}

/// The threshold of probability `p` for [`Lanes::fill_bernoulli`] and [`below`]: ⌊p·2³²⌉ in signed order.
pub fn bernoulli_threshold(p: f64) -> i32 {
    // The cast saturates: p = 1 becomes 2³² − 1.
    ((p * 4_294_967_296.0 + 0.5) as u32 ^ 0x8000_0000) as i32
}

/// 2¹⁶ P(X = k) of Poisson(1), k = 0..=8, moved by less than 4 so that sum, mean and variance are those of Poisson(1);
/// the third and fourth moment are within 0.1 % of theirs.
const POISSON_SHARES: [i32; 9] = [24107, 24113, 12055, 4017, 1004, 201, 33, 5, 1];

/// Cumulative shares less one, in signed order.
const POISSON: [i16; 8] = {
    let mut thresholds = [0; 8];
    let (mut sum, mut k) = (0, 0);
    while k < 8 {
        sum += POISSON_SHARES[k];
        thresholds[k] = ((sum - 1) ^ 0x8000) as u16 as i16;
        k += 1;
    }
    thresholds
};

#[cfg(test)]
mod tests {
    use super::*;

    /// xoshiro128+ as its authors print it, one lane.
    fn reference(s: &mut [u32; 4]) -> u32 {
        let result = s[0].wrapping_add(s[3]);
        let t = s[1] << 9;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(11);
        result
    }

    #[test]
    fn each_lane_is_the_published_generator() {
        let mut lanes = Lanes::seeded(7, 3);
        let mut single: Vec<[u32; 4]> = (0..LANES)
            .map(|i| std::array::from_fn(|j| lanes.state[j][i]))
            .collect();
        for _ in 0..100 {
            let got = lanes.next();
            for (i, s) in single.iter_mut().enumerate() {
                assert_eq!(got[i], reference(s));
            }
        }
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, stream| Lanes::seeded(seed, stream).next();
        assert_ne!(first(0, 0), first(0, 1));
        assert_ne!(first(0, 1), first(1, 0));
        assert_eq!(first(5, 9), first(5, 9));
    }

    #[test]
    fn poisson_has_the_right_probabilities() {
        let mut weights = vec![0_u8; 2_000_003];
        Lanes::seeded(1, 0).fill_poisson(&mut weights);
        let n = weights.len() as f64;
        let mut p = 1.0 / std::f64::consts::E;
        for k in 0..8_u8 {
            let share = weights.iter().filter(|&&w| w == k).count() as f64 / n;
            let sd = (p * (1.0 - p) / n).sqrt();
            assert!((share - p).abs() < 5.0 * sd, "{k}: {share} against {p}");
            p /= f64::from(k + 1);
        }
        assert!(weights.iter().any(|&w| w >= 8));
        // Chunks continue the stream.
        let mut lanes = Lanes::seeded(1, 0);
        let mut chunks = vec![0; weights.len()];
        for chunk in chunks.chunks_mut(48) {
            lanes.fill_poisson(chunk);
        }
        assert_eq!(chunks, weights);
    }

    #[test]
    fn shares_have_the_moments_of_poisson() {
        let moment = |power: u32| {
            let terms = POISSON_SHARES.iter().zip(0..);
            terms
                .map(|(share, k)| share * i32::pow(k, power))
                .sum::<i32>()
        };
        assert_eq!([0, 1, 2].map(moment), [1 << 16, 1 << 16, 2 << 16]);
        for (power, value) in [(3, 5.0), (4, 15.0)] {
            assert!((f64::from(moment(power)) / 65536.0 / value - 1.0).abs() < 1e-3);
        }
        // The smallest number gives 0, the largest 8.
        let drawn = |u: u16| POISSON.iter().filter(|&&t| (u ^ 0x8000) as i16 > t).count();
        assert_eq!([0, 24106, 24107, 65534, 65535].map(drawn), [0, 0, 1, 7, 8]);
    }

    #[test]
    fn bernoulli_is_exact_at_the_ends() {
        assert!(!below(i32::MIN, bernoulli_threshold(0.0)));
        assert!(below(i32::MAX, bernoulli_threshold(1.0)));
        let p = [0.0, 1.0, 0.3];
        let thresholds: Vec<i32> = p
            .iter()
            .cycle()
            .take(900_001)
            .map(|&p| bernoulli_threshold(p))
            .collect();
        let mut labels = vec![9_u8; thresholds.len()];
        Lanes::seeded(2, 2).fill_bernoulli(&thresholds, &mut labels);
        let sum = |start: usize| {
            labels[start..]
                .iter()
                .step_by(3)
                .map(|&y| u32::from(y))
                .sum::<u32>()
        };
        assert_eq!(sum(0), 0);
        assert_eq!(sum(1), 300_000);
        assert!((f64::from(sum(2)) / 300_000.0 - 0.3).abs() < 0.005);
    }

    #[test]
    fn normal_has_unit_variance() {
        let mut lanes = Lanes::seeded(3, 0);
        let draws: Vec<f64> = (0..50_000).flat_map(|_| lanes.normal()).collect();
        let n = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / n;
        let square = draws.iter().map(|x| x * x).sum::<f64>() / n;
        assert!(mean.abs() < 0.012, "{mean}");
        assert!((square - 1.0).abs() < 0.016, "{square}");
    }
}
