//! What the benchmarks of the core share. Each is a target of its own, so that tests compile none of them.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// Uniform draws from [0, 1), the same in every run.
pub fn uniform() -> impl Iterator<Item = f64> {
    let mut rng = Pcg64::new(11, 12);
    std::iter::repeat_with(move || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64)
}
