//! A run as a typed graph of small steps, which workers do in parts: from what is asked to the steps that answer it.

pub mod graph;
pub mod plan;
pub mod step;
