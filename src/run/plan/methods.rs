//! The methods of a request, with checked settings: the original predictions first, about which the headline is.

use super::DEFAULT_GAMMA;
use crate::data::Predictions;
use crate::error::Result;
use crate::evaluation::method::{self, Method, MethodKind};
use crate::evaluation::request::RunRequest;
use crate::recalibrate::recalibrator::RunSettings;

/// The methods of a request with checked settings; LoRe's defaults come from the local settings.
///
/// # Errors
/// `unknown_method`, `invalid_option`, `unknown_column`.
pub(crate) fn methods(data: &Predictions, request: &RunRequest) -> Result<Vec<Method>> {
    let local = request.local.clone().unwrap_or_default();
    let run = RunSettings {
        bins: request.bins,
        seed: request.seed,
        features: local.features,
        kernel: local.kernel.unwrap_or_else(|| "laplacian".to_owned()),
        gamma: local.gamma.unwrap_or(DEFAULT_GAMMA),
        within: local.within,
        local_bins: local.bins.unwrap_or(request.bins),
        proximity: request.proximity.clone().unwrap_or_default(),
    };
    let mut methods = method::checked(request.methods.clone().unwrap_or_default(), data, &run)?;
    methods.sort_by_key(|method| method.kind != MethodKind::NONE);
    Ok(methods)
}
