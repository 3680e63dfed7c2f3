//! What goes in and out: files, requests, messages between workers, charts, stored calibrators, sentences.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod calibrators;
mod degenerate;
mod disclosure;
mod document;
mod experiments;
mod files;
mod gaps;
mod honesty;
mod latex;
mod limits;
mod messages;
mod months;
mod plain_words;
mod plot;
mod rooms;
mod snippets;
mod style;
mod width;
