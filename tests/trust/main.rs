//! For whom predictions go wrong: methods by group, the witness, multicalibration, bias plots, inference tasks.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../golden_run/pipeline.rs"]
mod pipeline;

mod ahs;
mod by_group;
mod groups_and_studies;
mod made;
mod multicalibration;
mod witness;
