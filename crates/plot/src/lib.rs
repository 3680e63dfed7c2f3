//! Charts as values: one [`Figure`] (scales, marks, labels) and its writers.
//!
//! A chart (`bias`, `reliability`, `cdf`, `map`, `sweep`, `histogram`) turns plain numbers into a [`Figure`]; until its
//! width is known it is a [`Chart`](chart::Chart).
//! `svg` and `pdf` write it as a file, `table` as a data table, and `hit` finds the mark under the pointer. A front end
//! draws the elements of [`shape::shapes`]. All sizes are in CSS pixels.

#![deny(unsafe_code)]

pub mod bars;
pub mod bias;
pub mod cdf;
pub mod chart;
pub mod clip;
pub mod collisions;
mod course;
pub mod critical_difference;
pub mod curves;
pub mod decision_curve;
pub mod extent;
pub mod figure;
pub mod forest;
pub mod histogram;
pub mod hit;
pub mod image;
pub mod intervals;
pub mod key;
pub mod label;
pub mod landscape;
pub mod map;
pub mod map_line;
pub mod null_histogram;
pub mod over_time;
pub mod palette;
pub mod pdf;
pub mod place;
pub mod raster;
pub mod reliability;
pub mod row_labels;
pub mod scale;
pub mod scatter;
pub mod shape;
pub mod svg;
pub mod sweep;
pub mod table;
pub mod text;

use localcal_ground::{error, words};
use localcal_numerics::num;

pub use figure::{Axis, Figure, Mark, Panel, Rect};
pub use palette::{Ink, Theme};
pub use scale::{Scale, Tick};
pub use table::TextTable;
