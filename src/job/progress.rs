//! How far a job is.

/// What a running job tells: how far it is, and what can be shown already.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// share done, 0 … 1
    pub share: f64,
    /// present places of an embedding: how many coordinates each has, and all of them, row-major
    pub places: Option<(usize, Vec<f32>)>,
}

impl From<f64> for Progress {
    fn from(share: f64) -> Self {
        Progress { share, places: None }
    }
}
