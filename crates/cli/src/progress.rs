//! How far long work is: a bar on the terminal's error stream, nothing where nobody looks.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Bars are counted in whole steps: this many to an expected millisecond.
const STEPS: f64 = 100.0;
/// Shorter work shows no bar.
const LEAST_MS: f64 = 300.0;

/// Bytes of a file that are expected to be read in a millisecond.
pub const BYTES_A_MS: f64 = 100_000.0;

/// A bar, or nothing.
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar where standard error is a terminal.
    pub fn on_terminal() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self::silent();
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar:.cyan/blue} {percent:>3} %  {msg:<40!}") {
            bar.set_style(style.progress_chars("━━─"));
        }
        Self { bar: Some(bar) }
    }

    /// Nothing.
    pub fn silent() -> Self {
        Self { bar: None }
    }

    /// Work of `total` expected milliseconds begins.
    pub fn begin(&self, total: f64) {
        if let Some(bar) = &self.bar {
            bar.reset();
            bar.set_length((total * STEPS) as u64);
            if total > LEAST_MS {
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
                bar.enable_steady_tick(Duration::from_millis(200));
            }
        }
    }

    /// `ms` more of it are done, of something called `label`.
    pub fn advance(&self, ms: f64, label: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(label.to_owned());
            bar.inc((ms * STEPS) as u64);
        }
    }

    /// It is done; the bar goes.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.disable_steady_tick();
            bar.finish_and_clear();
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
    }
}
