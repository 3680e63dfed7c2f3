//! Feature maps: the coordinates in which places are near or far.

pub mod pca;
pub mod scale;
pub mod tsne;

pub use pca::Pca;
pub use scale::{DEFAULT_GAMMA, Scale, Scaled, Scaling, median_distance, starting_gamma};
pub use tsne::Tsne;
