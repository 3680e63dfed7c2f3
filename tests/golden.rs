//! Our numbers against those of independent software, as recorded in `tests/golden/*.json`.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "golden/record.rs"]
mod record;

#[path = "golden/local.rs"]
mod local;
