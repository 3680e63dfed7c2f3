//! Feature maps: the coordinates in which places are near or far.

pub mod pca;
pub mod scale;
pub mod tsne;

pub use pca::Pca;
pub use scale::{Scale, Scaled, Scaling, median_distance};
pub use tsne::Tsne;
