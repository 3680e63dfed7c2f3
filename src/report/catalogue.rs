//! Every metric's id, name, definition and source.

mod further;

pub use further::FURTHER;

use serde::Serialize;

use crate::error::{Error, Result};

/// How the 95 % interval of a metric with value v is made from its bootstrap replicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    /// the 2.5 % and 97.5 % quantiles; it belongs to v
    Percentile,
    /// noise pushes v upwards, and resampling once more: [2v − q₉₇.₅, 2v − q₂.₅] belongs to `corrected`, 2v − their mean
    Basic(Range),
    /// v has had its bias taken off, its replicates have not: the spread about their mean m, [v + m − q₉₇.₅, v + m − q₂.₅]
    Centred(Range),
    /// none: a maximum over noisy cells has no useful interval
    Maximum,
    /// none: the value is, or belongs to, a test
    Tested,
}

/// Where a corrected value and the ends of its interval are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// [0, 1]
    Share,
    /// [0, ∞)
    Positive,
    /// [−1, 1], as a difference of two shares
    Signed,
    /// anywhere
    Any,
}

impl Range {
    /// The nearest number that lies within.
    pub fn cut(self, v: f64) -> f64 {
        match self {
            Self::Share => v.clamp(0.0, 1.0),
            Self::Positive => v.max(0.0),
            Self::Signed => v.clamp(-1.0, 1.0),
            Self::Any => v,
        }
    }

    /// Where a difference of two such numbers lies.
    pub fn of_difference(self) -> Self {
        match self {
            Self::Share => Self::Signed,
            Self::Positive | Self::Signed | Self::Any => Self::Any,
        }
    }
}

/// Where the replicates of a metric come from: every metric says so, nothing is looked up in lists beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resampling {
    /// sums over weighted rows, of their scores, targets and losses
    Rows,
    /// the same over every class, where there is a probability for each
    Classes,
    /// whole samples, repeated and redrawn
    Samples,
    /// sums over neighbourhoods, where they are asked for
    Neighbourhoods,
    /// the draws of a test: a floor, no interval
    Test,
    /// none
    Never,
}

/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// smaller is better
    Lower,
    /// larger is better
    Higher,
    /// nearer to zero is better
    Zero,
}

/// What a metric is.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// id in requests and reports
    pub id: &'static str,
    /// the field's name
    pub name: &'static str,
    /// in plain words
    pub plain: &'static str,
    /// definition, as text
    pub definition: &'static str,
    /// who defined it
    pub source: &'static str,
    /// which way is better
    pub better: Better,
    /// how its interval is made
    pub interval: Interval,
    /// where its replicates come from
    pub resampling: Resampling,
    /// computed on neighbourhoods
    pub local: bool,
}

/// The metrics of the scorecard, in the order in which they are shown.
pub const METRICS: &[Metric] = &[
    Metric {
        id: "accuracy",
        name: "Accuracy",
        plain: "how often it is right",
        definition: "Share of rows whose predicted class is the class that happened. Recalibration leaves the predicted class alone, so it never changes this.",
        source: "",
        better: Better::Higher,
        interval: Interval::Percentile,
        resampling: Resampling::Rows,
        local: false,
    },
    Metric {
        id: "mean_gap",
        name: "Mean gap",
        plain: "how far off on average",
        definition: "Mean score minus mean outcome. Positive: over-confident. It can be 0 while every region is wrong.",
        source: "",
        better: Better::Zero,
        interval: Interval::Percentile,
        resampling: Resampling::Rows,
        local: false,
    },
    Metric {
        id: "ece",
        name: "ECE",
        plain: "how far off, bin by bin",
        definition: "Expected calibration error: over bins of the score, the mean of |mean score − share that happened|, weighted by rows. Default: 15 bins of equal width, closed on the left.",
        source: "Naeini, Cooper and Hauskrecht 2015; Guo et al. 2017",
        better: Better::Lower,
        interval: Interval::Basic(Range::Share),
        resampling: Resampling::Rows,
        local: false,
    },
    Metric {
        id: "mce",
        name: "MCE",
        plain: "how far off in the worst bin",
        definition: "Maximum calibration error: the largest |mean score − share that happened| over non-empty bins, whatever their size. Small bins dominate it: compare with the floor.",
        source: "Naeini, Cooper and Hauskrecht 2015",
        better: Better::Lower,
        interval: Interval::Maximum,
        resampling: Resampling::Rows,
        local: false,
    },
    Metric {
        id: "ace",
        name: "ACE",
        plain: "how far off, in bins of equal size",
        definition: "ECE over 15 quantile bins of the score. Intervals keep the bin edges of the sample.",
        source: "Nixon et al. 2019; Nguyen and O'Connor 2015",
        better: Better::Lower,
        interval: Interval::Basic(Range::Share),
        resampling: Resampling::Rows,
        local: false,
    },
    Metric {
        id: "classwise_ece",
        name: "Class-wise ECE",
        plain: "how far off, class by class",
        definition: "Mean over classes of the ECE of (P of the class, whether it happened). Needs a probability for every class.",
        source: "Kull et al. 2019",
        better: Better::Lower,
        interval: Interval::Basic(Range::Share),
        resampling: Resampling::Classes,
        local: false,
    },
    Metric {
        id: "mean_lce",
        name: "Mean LCE",
        plain: "how far off among similar rows",
        definition: "Mean over rows of |Σ (s − t) k / Σ k|, the sums over rows of the same score bin, weighted by the kernel k of their distance in feature space.",
        source: "Luo et al. 2022, local calibration error",
        better: Better::Lower,
        interval: Interval::Basic(Range::Share),
        resampling: Resampling::Neighbourhoods,
        local: true,
    },
    Metric {
        id: "mlce",
        name: "MLCE",
        plain: "how far off where it is worst",
        definition: "The largest local calibration error over rows. Few effective neighbours make it large by chance: compare with the floor.",
        source: "Luo et al. 2022, maximum local calibration error",
        better: Better::Lower,
        interval: Interval::Maximum,
        resampling: Resampling::Neighbourhoods,
        local: true,
    },
    Metric {
        id: "nll",
        name: "NLL",
        plain: "surprise, in nats",
        definition: "Mean of −ln(probability given to what happened), cut at 1e-15. On the whole vector in the top-label view, on P(y = 1) in the positive view.",
        source: "Good 1952",
        better: Better::Lower,
        interval: Interval::Percentile,
        resampling: Resampling::Rows,
        local: false,
    },
    Metric {
        id: "brier",
        name: "Brier",
        plain: "squared error",
        definition: "Positive view: mean (p − y)², from 0 to 1. Top-label view: squared error summed over classes, from 0 to 2.",
        source: "Brier 1950",
        better: Better::Lower,
        interval: Interval::Percentile,
        resampling: Resampling::Rows,
        local: false,
    },
    Metric {
        id: "brier_top",
        name: "Brier (predicted class)",
        plain: "squared error of the confidence",
        definition: "Mean (c − a)²: confidence of the predicted class against whether it was right.",
        source: "Brier 1950",
        better: Better::Lower,
        interval: Interval::Percentile,
        resampling: Resampling::Rows,
        local: false,
    },
    Metric {
        id: "auroc",
        name: "AUROC",
        plain: "how well it ranks",
        definition: "Probability that a row where it happened has a higher score than one where it did not; ties count half. Positive view: p against y. Top-label view: confidence against correctness.",
        source: "Hanley and McNeil 1982",
        better: Better::Higher,
        interval: Interval::Percentile,
        resampling: Resampling::Rows,
        local: false,
    },
];

impl Metric {
    /// Whether what a calibrated model would show says something beside the value: not where the value says how much the
    /// scores know (accuracy, AUROC and their kin), which a calibrated model need not know better.
    pub fn shows_floor(&self) -> bool {
        self.better != Better::Higher && self.id != "uncertainty"
    }

    /// The definition, with what is done about bias and who defined it.
    pub fn words(&self) -> String {
        let corrected = match self.interval {
            Interval::Basic(_) => {
                " Noise pushes it upwards: corrected is twice the value less the mean over resampled rows, and the \
                 interval belongs to that."
            }
            _ => "",
        };
        let source = match self.source {
            "" => String::new(),
            source => format!(" Source: {source}."),
        };
        format!("{}{corrected}{source}", self.definition)
    }
}

/// Every metric.
pub fn all() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().chain(FURTHER)
}

/// The metric with this id.
pub fn metric(id: &str) -> Option<&'static Metric> {
    all().find(|metric| metric.id == id)
}

/// The ids asked for, or those of the scorecard; `["all"]` are all but those of the trust test, which take long.
///
/// # Errors
/// `unknown_metric` for an id that is neither in [`METRICS`] nor in [`FURTHER`].
pub fn requested(ids: Option<&[String]>) -> Result<Vec<String>> {
    let Some(ids) = ids else {
        return Ok(METRICS.iter().map(|metric| metric.id.to_owned()).collect());
    };
    if ids == ["all"] {
        let quick = all().filter(|metric| metric.interval != Interval::Tested);
        return Ok(quick.map(|metric| metric.id.to_owned()).collect());
    }
    for id in ids {
        if metric(id).is_none() {
            let known: Vec<&str> = all().map(|metric| metric.id).collect();
            return Err(Error::new(
                "unknown_metric",
                format!("No metric has the id `{id}`."),
                format!("Known: {}.", known.join(", ")),
            ));
        }
    }
    Ok(ids.to_vec())
}
