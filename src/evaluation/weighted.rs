//! Which metrics have a form for rows with weights.

use crate::error::{Error, Result};
use crate::metric::binning::{BinOptions, BinScheme};
use crate::metric::weight::NOT_WITH_WEIGHTS;

/// Ids without one: their definitions count rows (quantiles, equal mass, nearest rows), look for pairs of them, or ask how
/// likely a value is by chance.
const COUNTING: &[&str] = &[
    "ace",
    "classwise_ace",
    "debiased_ece_l1",
    "debiased_ece_l2",
    "ici",
    "e50",
    "e90",
    "emax",
    "spiegelhalter_z",
    "hosmer_lemeshow",
    "kce_biased",
    "kce_unbiased",
    "kce_block",
    "prr",
    "group_ece_max",
    "group_ece_mean",
    "group_mce_max",
    "reward_2",
    "reward_5",
    "reward_10",
    "piece",
    "piece_code",
    "bias_index",
    "bias_z",
];

/// Whether the metric `id` is defined for rows with weights.
pub fn has_weighted_form(id: &str) -> bool {
    !COUNTING.contains(&id)
}

/// Bins must have edges that do not depend on a count of rows.
///
/// # Errors
/// `invalid_option` for bins of equal mass.
pub fn check_bins(bins: &BinOptions) -> Result<()> {
    if bins.scheme == BinScheme::EqualWidth {
        return Ok(());
    }
    Err(Error::new(
        "invalid_option",
        format!("Bins of equal mass are {NOT_WITH_WEIGHTS}."),
        "Use bins of equal width, or give the weight column the role ignore.",
    ))
}
