//! One method on one fold.

use serde::{Deserialize, Serialize};

use super::proximity::nearness;
use crate::data::Predictions;
use crate::data::folds::Split;
use crate::error::Result;
use crate::evaluation::method::{Fitted, Method, fit};
use crate::evaluation::proximity::LogProximities;
use crate::run::graph::{Handle, Outcomes, Step};

/// Fits one method on one fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// the data set
    pub data: Handle<Predictions>,
    /// its division
    pub split: Handle<Split>,
    /// for a method that looks at them, how near rows are, part by part
    pub near: Vec<Handle<LogProximities>>,
    /// the method
    pub method: Method,
    /// which fold
    pub fold: usize,
}

impl Step for Fit {
    type Output = Fitted;

    fn run(&self, at: &Outcomes, progress: &mut dyn FnMut(f64)) -> Result<Fitted> {
        let split = at.the(&self.split)?;
        let (fit_rows, score_rows) = split.rows_of(self.fold)?;
        let near = nearness(split, &at.each(&self.near)?)?.map(|near| near.of_fold(self.fold));
        let data = split.seen(at.the(&self.data)?, self.fold);
        fit(&data, &self.method.kind, &fit_rows, &score_rows, near.as_deref(), progress)
    }
}
