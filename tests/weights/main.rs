//! Rows with sample weights: whole weights are repeated rows, equal weights are none, and independent software agrees.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../golden_run/pipeline.rs"]
mod pipeline;
#[path = "../golden/record.rs"]
#[allow(dead_code)]
mod record;

mod made;

mod fits;
mod golden;
mod same;
