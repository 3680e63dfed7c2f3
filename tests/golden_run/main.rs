//! The numbers of the whole way from a file's bytes to the report, against independent software and worked examples.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../files/make.rs"]
#[allow(dead_code)]
mod make;
#[path = "../golden/record.rs"]
mod record;

mod pipeline;

mod exports;
mod public_files;
mod records;
mod worked;
