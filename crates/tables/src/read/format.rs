//! The formats that are read, each with its file: how its bytes are told, and how they are read.

use super::{ReadFile, ReadOptions, archive, arrow, columnar, delimited, gzip, json, log, npy, safetensors, zstd};
use crate::error::Result;

/// A format: one of the lines of [`FORMATS`].
#[derive(Debug)]
pub struct Format {
    /// usual endings of file names, in lower case: by them a file is found in an archive
    pub endings: &'static [&'static str],
    /// whether a file is of this format, by its content; where it is of none, the last format says why not
    pub recognizes: fn(&Source<'_>) -> bool,
    /// its columns, or what is packed in it
    pub read: fn(&Source<'_>, &mut dyn FnMut(f64)) -> Result<Contents>,
}

/// A file that is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// name of the file, for messages and to name columns
    pub name: &'a str,
    /// its content
    pub bytes: &'a [u8],
    /// what a person said about it
    pub options: ReadOptions,
}

/// What a file holds.
#[derive(Debug)]
pub enum Contents {
    /// columns or arrays
    Columns(ReadFile),
    /// the bytes of one other file, which are read in its place
    Packed(Vec<u8>),
}

/// Every format, in the order in which they are tried; plain text, the last, is what nothing else is.
pub const FORMATS: &[&Format] = &[
    &npy::FORMAT,
    &safetensors::FORMAT,
    &columnar::FORMAT,
    &arrow::FORMAT,
    &archive::FORMAT,
    &gzip::FORMAT,
    &zstd::FORMAT,
    &log::HARNESS,
    &log::HARNESS_SUMMARY,
    &log::HELM,
    &log::HELM_BESIDE,
    &log::INSPECT,
    &log::JUDGED,
    &log::SIMPLE_EVALS,
    &log::PLAIN,
    &json::FORMAT,
    &delimited::FORMAT,
];
