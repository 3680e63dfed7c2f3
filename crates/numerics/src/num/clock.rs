//! What time it is: how long a fit takes is asked of the machine, and of nothing else.

use std::sync::OnceLock;

static CLOCK: OnceLock<fn() -> f64> = OnceLock::new();

/// Seconds since some moment that stays the same. Where the core runs without an operating system, whoever embeds it hands
/// a clock in; the first that is handed in stays.
pub fn use_clock(clock: fn() -> f64) {
    // a second one would not fit the times of the first
    let _ = CLOCK.set(clock);
}

#[cfg(target_arch = "wasm32")]
fn usual() -> Option<f64> {
    None
}

#[cfg(not(target_arch = "wasm32"))]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
fn usual() -> Option<f64> {
    use std::time::Instant;
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    Some(BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// Seconds since some moment; `None` where there is no clock.
pub fn seconds_now() -> Option<f64> {
    CLOCK.get().map(|clock| clock()).or_else(usual)
}
