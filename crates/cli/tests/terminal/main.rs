//! The command line as a person and a script use it: files in, text, JSON, pictures and exit statuses out.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod analyse;
mod charts;
mod core;
mod count;
mod experiment;
mod gate;
mod guide;
mod logs;
mod made;
mod recalibrate;
mod refused;
mod score;
mod session;
mod spoken;
mod sql;
#[path = "../../../../tests/support/terminal_words.rs"]
mod terminal_words;
mod withheld;
