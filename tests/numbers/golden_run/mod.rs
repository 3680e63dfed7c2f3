//! The numbers of the whole way from a file's bytes to the report, against independent software and worked examples.

mod exports;
mod public_files;
mod records;
mod worked;
