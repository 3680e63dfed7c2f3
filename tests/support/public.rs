//! Public files, which not every machine holds.

use std::io::Write;
use std::path::Path;

/// A public file's bytes, or nothing and a line that says so.
pub fn public(name: &str) -> Option<Vec<u8>> {
    let folder = std::env::var_os("LOCALCAL_DATA").unwrap_or_default();
    let found = std::fs::read(Path::new(&folder).join(name)).ok();
    if found.is_none() {
        skipped(&format!("{name} not found (set LOCALCAL_DATA)"));
    }
    found
}

/// Says why the rest of a test is not done, in a line of its own that the summary of all tests counts: straight to the
/// terminal, because what a passing test prints is not shown.
pub fn skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // a test does not fail because nobody listens
    let _ = writeln!(std::io::stderr().lock(), "skipped: {test}: {why}");
}
