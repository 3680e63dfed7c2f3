//! Uniform numbers that are the same everywhere.

/// By the multiplicative generator of Park and Miller (1993), multiplier 48271, from a seed below 2³¹ − 1.
pub fn park_miller(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state * 48_271 % 2_147_483_647;
        state as f64 / 2_147_483_647.0
    }
}

/// The upper 53 bits of Knuth's linear congruential generator on 64 bits, from any seed.
pub fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}
