//! Numbers: against independent software, worked examples and definitions, and what must hold of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod advice;
mod bench;
mod best;
mod clusters;
mod compare;
mod composition;
mod correlation;
mod counts;
mod decide;
mod finding;
mod golden_local;
mod golden_run;
mod groups;
mod intervals;
mod klce;
mod lab;
mod libraries;
mod local_compas;
mod local_recalibration;
mod methods;
mod models;
mod over_time;
mod papers;
mod projection;
mod properties;
mod proximity;
mod proximity_analysis;
mod questions;
mod risk_coverage;
mod sample_size;
mod simultaneous;
mod sites;
mod sweep;
mod ties;
mod trust;
mod truth;
mod tsne;
mod weights;
mod within;
