//! What every fit hands back beside its parameters.

use serde::{Deserialize, Serialize};

/// Parameters found on calibration rows, and how the search went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fit<P> {
    /// what [the method] needs to be applied to new rows
    ///
    /// [the method]: crate::recalibrate
    pub parameters: P,
    /// the objective on the calibration rows before: at the identity
    pub objective_before: f64,
    /// the objective on the calibration rows with the parameters found
    pub objective_after: f64,
    /// a bound that stopped the search, in words: "temperature 0.01 (lower bound)"
    pub at_bound: Option<String>,
    /// what a person should know, one sentence each
    pub warnings: Vec<String>,
}

impl<P> Fit<P> {
    /// A fit that met no bound and has nothing to warn of.
    pub fn plain(parameters: P, objective_before: f64, objective_after: f64) -> Self {
        Self { parameters, objective_before, objective_after, at_bound: None, warnings: Vec::new() }
    }

    /// The same fit with its parameters wrapped in another type.
    pub fn map<Q>(self, wrap: impl FnOnce(P) -> Q) -> Fit<Q> {
        Fit {
            parameters: wrap(self.parameters),
            objective_before: self.objective_before,
            objective_after: self.objective_after,
            at_bound: self.at_bound,
            warnings: self.warnings,
        }
    }
}
