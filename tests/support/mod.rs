//! What tests share: files made in memory, requests played to their reports, golden numbers, public files.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod bytes;
pub mod calibrated;
pub mod clustered;
pub mod draws;
pub mod kinds;
pub mod latex;
pub mod pdf;
pub mod pipeline;
pub mod public;
pub mod public_columns;
pub mod record;
pub mod sheet;
pub mod source;
pub mod workers;
