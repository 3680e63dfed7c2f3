//! Random numbers in eight lanes: the same bits natively and in WebAssembly, at any vector width.

use std::hint::black_box;

use wide::{i16x8, i32x8, u8x16, u32x8};

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
    state: [u32x8; 4],
}

/// How far the last word of the state is turned, left and right.
///
/// Told so that the compiler cannot know that it is a rotation: WebAssembly has none for vectors, and it would turn lane by
/// lane.
type Turn = [u32; 2];

#[inline(always)]
fn turn() -> Turn {
    black_box([11, 21])
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
    ///
    /// ```
    /// use localcal_numerics::num::rng::Lanes;
    ///
    /// // the same seed and stream give the same numbers, another stream others
    /// assert_eq!(Lanes::seeded(1, 0).uniform(), Lanes::seeded(1, 0).uniform());
    /// assert_ne!(Lanes::seeded(1, 0).uniform(), Lanes::seeded(1, 1).uniform());
    /// ```
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
        Self { state: state.map(u32x8::new) }
    }

    /// Eight uniform 32-bit integers.
    #[inline(always)]
    #[allow(clippy::should_implement_trait)] // endless: an `Option` would say otherwise
    pub fn next(&mut self) -> [u32; LANES] {
        self.step(turn()).to_array()
    }

    #[inline(always)]
    fn step(&mut self, [left, right]: Turn) -> u32x8 {
        let [a, b, c, d] = self.state;
        let (out, shifted) = (a + d, b << 9_u32);
        let (c, d) = (c ^ a, d ^ b);
        let (b, a) = (b ^ c, a ^ d);
        self.state = [a, b, c ^ shifted, (d << left) | (d >> right)];
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
        let (turn, mut lanes) = (turn(), self.clone());
        let (blocks, rest) = weights.as_chunks_mut();
        for block in blocks {
            *block = lanes.poisson(turn);
        }
        if !rest.is_empty() {
            rest.copy_from_slice(&lanes.poisson(turn)[..rest.len()]);
        }
        *self = lanes;
    }

    /// Sixteen draws from eight numbers: their lower halves, then their upper ones.
    ///
    /// In vectors by name: left to itself, the compiler counts each draw's thresholds in a register of its own, six times
    /// as slowly.
    #[inline(always)]
    fn poisson(&mut self, turn: Turn) -> [u8; 2 * LANES] {
        // in signed order
        let u = self.step(turn) ^ u32x8::splat(0x8000_8000);
        let halves = [(u << 16_u32).cast_signed(), u.cast_signed()];
        let halves = halves.map(|u| i16x8::from_i32x8_saturate(u >> 16_u32));
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
    /// Probabilities 0 and 1 are exact, others to 2⁻³². Slices of unequal length are filled as far as both reach; those
    /// whose lengths are multiples of 8 continue one stream. O(n).
    #[inline(never)]
    pub fn fill_bernoulli(&mut self, thresholds: &[i32], labels: &mut [u8]) {
        let n = thresholds.len().min(labels.len());
        let (turn, mut lanes) = (turn(), self.clone());
        let (blocks, rest) = labels[..n].as_chunks_mut::<{ 2 * LANES }>();
        let (at, last) = thresholds[..n].as_chunks::<LANES>();
        for (labels, at) in blocks.iter_mut().zip(at.chunks_exact(2)) {
            let half = |at: &[i32; LANES]| i16x8::from_i32x8_saturate(-lanes.event_mask(at, turn));
            let [low, high] = [&at[0], &at[1]].map(half);
            *labels = u8x16::narrow_i16x8(low, high).to_array();
        }
        let mut fill = |labels: &mut [u8], at: &[i32; LANES]| {
            let happened = lanes.event_mask(at, turn).to_array();
            (labels.iter_mut().zip(happened)).for_each(|(to, y)| *to = u8::from(y != 0));
        };
        let (eight, rest) = rest.split_at_mut(rest.len() & LANES);
        if let (false, Some(at)) = (eight.is_empty(), at.last()) {
            fill(eight, at);
        }
        if !rest.is_empty() {
            fill(rest, &padded(last));
        }
        *self = lanes;
    }

    /// The same, eight draws a byte, the first in its lowest bit; `take` is told the place of each byte. O(n).
    #[inline(never)]
    pub fn bernoulli_bits(&mut self, thresholds: &[i32], take: &mut dyn FnMut(usize, u8)) {
        let (turn, mut lanes) = (turn(), self.clone());
        let (whole, last) = thresholds.as_chunks::<LANES>();
        for (place, at) in whole.iter().enumerate() {
            take(place, lanes.event_mask(at, turn).to_bitmask() as u8);
        }
        if !last.is_empty() {
            take(whole.len(), lanes.event_mask(&padded(last), turn).to_bitmask() as u8);
        }
        *self = lanes;
    }

    /// −1 with the probability of the threshold, else 0.
    ///
    /// Numbers move from unsigned to signed order: neither SSE2 nor WebAssembly's fast path compares unsigned lanes. The
    /// one that could miss a probability of 1 is moved down by one, so that 1 always happens.
    #[inline(always)]
    fn event_mask(&mut self, thresholds: &[i32; LANES], turn: Turn) -> i32x8 {
        let u = (self.step(turn) ^ u32x8::splat(0x8000_0000)).cast_signed();
        let u = u + u.simd_eq(i32x8::splat(i32::MAX)); // −1 where it is
        i32x8::new(*thresholds).simd_gt(u)
    }
}

/// Numbers of a seed one at a time, for worlds that are made row by row; [`Lanes`] is what hot loops draw from.
///
/// ```
/// use localcal_numerics::num::rng::Draws;
///
/// let mut draws = Draws::seeded(1, 0);
/// assert!((0.0..1.0).contains(&draws.uniform()) && draws.one_of(3) < 3);
/// ```
#[derive(Debug, Clone)]
pub struct Draws {
    lanes: Lanes,
    /// uniform numbers that were drawn and not handed out yet
    left: Vec<f64>,
}

impl Draws {
    /// Of this seed and stream, as [`Lanes::seeded`].
    pub fn seeded(seed: u64, stream: u64) -> Self {
        Self { lanes: Lanes::seeded(seed, stream), left: Vec::new() }
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        loop {
            if let Some(u) = self.left.pop() {
                return u;
            }
            self.left.extend(self.lanes.uniform());
        }
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        let [first, ..] = self.lanes.normal();
        first
    }

    /// One of `count` places, each as likely; 0 of none.
    pub fn one_of(&mut self, count: usize) -> usize {
        ((self.uniform() * count as f64) as usize).min(count.saturating_sub(1))
    }
}

/// Thresholds of eight draws, the last of which never happen.
fn padded(thresholds: &[i32]) -> [i32; LANES] {
    std::array::from_fn(|lane| thresholds.get(lane).copied().unwrap_or(i32::MIN))
}

/// The threshold of probability `p` for [`Lanes::fill_bernoulli`]: ⌊p·2³²⌉ in signed order.
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
        let mut single: Vec<[u32; 4]> = (0..LANES).map(|i| lanes.state.map(|word| word.to_array()[i])).collect();
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
            terms.map(|(share, k)| share * i32::pow(k, power)).sum::<i32>()
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
        // no number in signed order is below that of 0, and all but the one that moves are below that of 1
        assert_eq!(bernoulli_threshold(0.0), i32::MIN);
        assert_eq!(bernoulli_threshold(1.0), i32::MAX);
        let p = [0.0, 1.0, 0.3];
        let thresholds: Vec<i32> = p.iter().cycle().take(900_001).map(|&p| bernoulli_threshold(p)).collect();
        let mut labels = vec![9_u8; thresholds.len()];
        Lanes::seeded(2, 2).fill_bernoulli(&thresholds, &mut labels);
        let sum = |start: usize| labels[start..].iter().step_by(3).map(|&y| u32::from(y)).sum::<u32>();
        // every path gives the numbers of the stream: chunks, their rests, bits
        let mut lanes = Lanes::seeded(2, 2);
        let numbers: Vec<u32> = (0..thresholds.len().div_ceil(LANES)).flat_map(|_| lanes.next()).collect();
        for n in [900_001, 16, 15, 8, 3] {
            let expected: Vec<u8> = (numbers[..n].iter().zip(&thresholds))
                .map(|(&u, &at)| u8::from((i64::from(u) - (1 << 31)).min(i64::from(i32::MAX) - 1) < i64::from(at)))
                .collect();
            let mut some = vec![9_u8; n];
            Lanes::seeded(2, 2).fill_bernoulli(&thresholds[..n], &mut some);
            assert_eq!(some, expected);
            let mut bits = vec![0_u8; n.div_ceil(LANES)];
            Lanes::seeded(2, 2).bernoulli_bits(&thresholds[..n], &mut |place, byte| bits[place] = byte);
            let of = |i: usize| bits[i / LANES] >> (i % LANES) & 1;
            assert!((0..n).all(|i| of(i) == expected[i]));
        }
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
