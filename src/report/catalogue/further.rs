//! Metrics that are computed when they are asked for by name.

use super::Better::{Higher, Lower, Zero};
use super::Interval::{Basic, Maximum, Percentile};
use super::{Better, Interval, Metric};

const fn metric(
    id: &'static str,
    name: &'static str,
    plain: &'static str,
    (better, interval): (Better, Interval),
    definition: &'static str,
    source: &'static str,
) -> Metric {
    Metric { id, name, plain, definition, source, better, interval, local: false }
}

/// Beyond the scorecard, in the order in which they are shown.
pub const FURTHER: &[Metric] = &[
    metric("ece_rms", "ECE (root mean square)", "how far off, large gaps counting more", (Lower, Basic), "√ of the mean squared gap over bins, weighted by rows.", "Kumar, Liang and Ma 2019"),
    metric("ece_unweighted", "ECE (unweighted)", "the mean gap of the bins, each counting alike", (Lower, Basic), "Mean absolute gap over non-empty bins, whatever their size.", ""),
    metric("mce_weighted", "MCE (weighted)", "the largest share of the ECE", (Lower, Maximum), "The largest (rows of the bin / rows) × |gap|.", ""),
    metric("classwise_ace", "Class-wise ACE", "how far off, class by class, in bins of equal size", (Lower, Basic), "Mean over classes of the ECE over bins of equal mass.", "Nixon et al. 2019"),
    metric("brier_mean", "Brier (mean over classes)", "squared error, averaged over classes", (Lower, Percentile), "The Brier score summed over classes, divided by the number of classes.", "Brier 1950"),
    metric("smece", "smECE", "how far off, smoothed instead of binned", (Lower, Basic), "Kernel-smoothed calibration error at the bandwidth that equals it.", "Błasiok and Nakkiran 2024"),
    metric("debiased_ece_l1", "Debiased ECE (L1)", "how far off, less what chance adds", (Lower, Basic), "ECE over 15 bins of equal mass, minus its expected excess.", "Kumar, Liang and Ma 2019"),
    metric("debiased_ece_l2", "Debiased ECE (L2)", "squared gaps, less what chance adds", (Lower, Basic), "√ of the debiased mean squared gap over 15 bins of equal mass; 0 where that is negative.", "Kumar, Liang and Ma 2019"),
    metric("ks", "KS calibration error", "the largest running excess", (Lower, Basic), "Largest |running mean of (score − outcome)| in order of the score, at the ends of ties.", "Gupta et al. 2021"),
    metric("mmce", "MMCE", "how far off, by a kernel on scores", (Lower, Basic), "√ of the mean over pairs of residual products times a Laplacian kernel of width 0.4 on the scores.", "Kumar, Sarawagi and Jain 2018"),
    metric("mmce_w", "MMCE (weighted)", "the same, right and wrong rows apart", (Lower, Basic), "The weighted form of the MMCE.", "Kumar, Sarawagi and Jain 2018"),
    metric("kce_biased", "Kernel calibration error (biased)", "how far off, as whole vectors", (Lower, Basic), "Squared kernel calibration error of whole probability vectors, pairs with themselves included; exponential kernel, median bandwidth.", "Widmann, Lindsten and Zachariah 2019"),
    metric("kce_unbiased", "Kernel calibration error (unbiased)", "the same without bias", (Lower, Percentile), "Without pairs of a row with itself; may be negative.", "Widmann, Lindsten and Zachariah 2019"),
    metric("kce_block", "Kernel calibration error (blocks)", "the same in linear time", (Lower, Percentile), "Mean of the unbiased estimate over consecutive pairs of rows.", "Widmann, Lindsten and Zachariah 2019"),
    metric("miscalibration", "Miscalibration (Brier)", "the part of the Brier score that repair can remove", (Lower, Basic), "Brier score minus that of the isotonically recalibrated scores, in-sample.", "Dimitriadis, Gneiting and Jordan 2021"),
    metric("discrimination", "Discrimination (Brier)", "what the scores know", (Higher, Percentile), "Brier score of the mean outcome minus that of the isotonically recalibrated scores.", "Dimitriadis, Gneiting and Jordan 2021"),
    metric("uncertainty", "Uncertainty (Brier)", "what there is to know", (Zero, Percentile), "Brier score of the mean outcome.", "Dimitriadis, Gneiting and Jordan 2021"),
    metric("intercept_large", "Calibration in the large", "too low or too high overall, on the log-odds scale", (Zero, Percentile), "α of logit P = α + logit s; ideally 0.", "Cox 1958; Van Calster et al. 2019"),
    metric("intercept_joint", "Calibration intercept", "the same beside a slope", (Zero, Percentile), "α of logit P = α + β logit s; ideally 0.", "Cox 1958"),
    metric("slope", "Calibration slope", "below 1: too extreme", (Zero, Percentile), "β of logit P = α + β logit s; ideally 1.", "Cox 1958"),
    metric("ici", "ICI", "mean distance from a smooth curve", (Lower, Basic), "Mean |score − lowess estimate of the outcome rate|.", "Austin and Steyerberg 2019"),
    metric("e50", "E50", "the median distance from a smooth curve", (Lower, Basic), "Median of |score − lowess estimate|.", "Austin and Steyerberg 2019"),
    metric("e90", "E90", "what nine of ten rows stay below", (Lower, Basic), "90 % quantile of |score − lowess estimate|.", "Austin and Steyerberg 2019"),
    metric("emax", "Emax", "the largest distance from a smooth curve", (Lower, Maximum), "Maximum of |score − lowess estimate|.", "Harrell 2015"),
    metric("spiegelhalter_z", "Spiegelhalter's z", "an old test: beyond ±2 is unlikely by chance", (Zero, Percentile), "z of the Brier score against its expectation under calibration.", "Spiegelhalter 1986"),
    metric("hosmer_lemeshow", "Hosmer–Lemeshow", "an old test that hangs on its groups", (Lower, Percentile), "χ² over ten quantile groups.", "Hosmer and Lemeshow 1980"),
    metric("prr", "PRR", "how well confidence tells which to reject", (Higher, Percentile), "Area gained by rejecting the least confident first, as a share of what an oracle gains; ties averaged.", "Malinin et al. 2021"),
];
