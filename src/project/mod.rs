//! Feature maps: the coordinates in which places are near or far.

pub mod pca;
pub mod scale;

pub use pca::Pca;
pub use scale::{Scale, Scaling, median_distance};
