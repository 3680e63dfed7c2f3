//! The description of a metric: words, value, requirements, and the source of its replicates.
//!
//! An entry of [`Metric`] is beside its equation in `metric/<name>.rs` and states its particular properties; the
//! others are those of an ordinary error, [`Metric::PLAIN`]. Lists of ids, costs, the catalogue, the table of metrics
//! and the table in `docs/metrics.md` are generated from the [`registry`](super::registry).

use serde::{Deserialize, Serialize};

use super::group::GroupErrors;
use super::reason::Reason;
use super::rows::{ArrangedOutcomes, Pair, Prediction, ProbabilityRows, RowSums, ScoredRows};
use crate::error::Result;
use crate::hypothesis::{KlceTestOutcome, Null};
use crate::local::{Interval as MeanInterval, LocalSummary, NoiseFloor};

/// The value of an entry that states none, which fails a test.
pub(super) fn unstated(_: &ScoredRows) -> Result<Value> {
    Ok(Err(Reason::undefined("the metric states no value")))
}

/// A value, or the reason why there is none.
pub type Value = std::result::Result<f64, Reason>;

/// A metric except its equation.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// id in requests and reports
    pub id: &'static str,
    /// usual name
    pub name: &'static str,
    /// description in plain words
    pub plain: &'static str,
    /// definition, as text
    pub definition: &'static str,
    /// definition, as a formula in the symbols of `docs/metrics.md`
    pub formula: &'static str,
    /// reference; empty if none is needed
    pub source: &'static str,
    /// which direction is better
    pub better: Better,
    /// range of values; corrected values and interval limits are clipped to it
    pub range: Range,
    /// unit: `share`, `nats`, `log-odds`, `z` …
    pub unit: &'static str,
    /// format of a value in comparisons of models
    pub written: Written,
    /// input and computation of the value
    pub value: ValueOf,
    /// rows about which it discloses information, for disclosure control
    pub discloses: Discloses,
    /// whether it can also be computed from counts of rows by cells of the score, with the accuracy stated in
    /// `docs/counts.md`; not if it needs the order of rows within a cell, quantiles, or single rows
    pub from_counts: bool,
    /// for a maximum over rows or cells of any size, the variant that is restricted to those with enough rows.
    /// Headlines use only this variant
    pub supported: Option<&'static Metric>,
    /// form with sample weights
    pub weights: Weights,
    /// source of the replicates
    pub replicates: Replicates,
    /// method of the interval
    pub interval: Interval,
    /// whether it is 0 for every calibrated model, up to noise: the interval then starts at 0 if the value is within
    /// the range of a calibrated model
    pub zero_if_calibrated: bool,
    /// whether the value expected under calibration is informative: not for measures of discrimination (accuracy,
    /// AUROC and similar ones), which calibration does not determine
    pub floor: bool,
    /// whether it depends on the order of the scores alone: a recalibration that keeps the order changes nothing
    pub order_only: bool,
    /// which logarithms are clipped at scores of 0 and 1
    pub cut: Cut,
    /// computed and displayed by default
    pub scorecard: bool,
    /// the number of bins that is displayed with its name in the table of metrics
    pub bins: BinsInName,
    /// whether value, interval and null range are drawn on an axis from 0
    pub bar: bool,
    /// position among the first rows of the scorecard of the probability of an event, which are those of a validation study
    pub validates: Option<u8>,
    /// position among the first columns of the table of methods
    pub decides: Option<u8>,
    /// position among the metrics that can select the best method
    pub chooses: Option<u8>,
}

impl Metric {
    /// An error as a share of 1, smaller is better, displayed with its value under calibration, not in the table of
    /// metrics, and without a form for weights. Every entry states its description and computation itself (`id` to
    /// `source`, `value`, `discloses`, `replicates`, `interval`): a test requires it.
    pub const PLAIN: Self = Self {
        id: "",
        name: "",
        plain: "",
        definition: "",
        formula: "",
        source: "",
        better: Better::Lower,
        range: Range::Share,
        unit: "share",
        written: Written::Digits,
        value: ValueOf::Rows(unstated),
        discloses: Discloses::Unstated,
        from_counts: false,
        supported: None,
        weights: Weights::Undefined,
        replicates: Replicates::Never,
        interval: Interval::None,
        zero_if_calibrated: false,
        floor: true,
        order_only: false,
        cut: Cut::None,
        scorecard: false,
        bins: BinsInName::None,
        bar: true,
        validates: None,
        decides: None,
        chooses: None,
    };
}

/// Direction of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// smaller is better
    Lower,
    /// larger is better
    Higher,
    /// closer to zero is better
    Zero,
    /// closer to one is better
    One,
    /// no direction is better
    Neither,
}

impl Better {
    /// The ideal value, if values can be too small and too large.
    pub fn ideal(self) -> Option<f64> {
        match self {
            Self::Zero => Some(0.0),
            Self::One => Some(1.0),
            Self::Lower | Self::Higher | Self::Neither => None,
        }
    }

    /// The quantity of which differences are taken: the distance from the ideal value if there is one, otherwise the
    /// value.
    pub fn distance(self, value: f64) -> f64 {
        self.ideal().map_or(value, |ideal| (value - ideal).abs())
    }

    /// Badness of a value: smaller is better, for every metric.
    pub fn badness(self, value: f64) -> f64 {
        if self == Self::Higher { -value } else { self.distance(value) }
    }
}

/// Rows about which a value discloses information.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discloses {
    /// not stated: withheld if small counts are suppressed
    Unstated,
    /// all rows together
    All,
    /// all rows together, from which the number of misclassified ones can be derived
    Countable,
    /// errors summed over bins of the score: beside the mean error, it discloses the sum over the bins that are overestimated and that
    /// over the bins that are underestimated, which may contain few rows
    Sides,
    /// an extreme, a sum or a mean over bins, groups or neighborhoods, which may contain few rows; or a count of rows
    Few,
}

/// Range of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// [0, 1]
    Share,
    /// [0, 2]
    UpToTwo,
    /// [0, ∞)
    Positive,
    /// (−∞, 0]
    Negative,
    /// (−∞, 1]
    UpToOne,
    /// [−1, 1], as a difference of two shares
    Signed,
    /// unbounded
    Any,
}

impl Range {
    /// The nearest number within the range.
    pub fn cut(self, v: f64) -> f64 {
        match self {
            Self::Share => v.clamp(0.0, 1.0),
            Self::UpToTwo => v.clamp(0.0, 2.0),
            Self::Positive => v.max(0.0),
            Self::Negative => v.min(0.0),
            Self::UpToOne => v.min(1.0),
            Self::Signed => v.clamp(-1.0, 1.0),
            Self::Any => v,
        }
    }

    /// Range of a difference of two such numbers.
    pub fn of_difference(self) -> Self {
        match self {
            Self::Share => Self::Signed,
            Self::UpToTwo | Self::Positive | Self::Negative | Self::UpToOne | Self::Signed | Self::Any => Self::Any,
        }
    }

    /// As an interval: `[0, 1]`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Share => "[0, 1]",
            Self::UpToTwo => "[0, 2]",
            Self::Positive => "[0, ∞)",
            Self::Negative => "(−∞, 0]",
            Self::UpToOne => "(−∞, 1]",
            Self::Signed => "[−1, 1]",
            Self::Any => "(−∞, ∞)",
        }
    }
}

/// Format of a value in comparisons of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// three significant digits
    Digits,
    /// `87.2%`
    Percent,
    /// `+1.2 pp`
    Points,
    /// `0.012`, `<0.001`: no value is better than another
    PValue,
}

/// Input and computation of a value. Intermediate results that metrics with the same input share are computed once
/// ([`Shared`](super::rows::Shared)).
#[derive(Debug, Clone, Copy)]
pub enum ValueOf {
    /// the scored rows and their losses: computed for every method and request
    Rows(fn(&ScoredRows) -> Result<Value>),
    /// the same, with a probability for every class
    Classes(fn(&ScoredRows) -> Result<Value>),
    /// scores and targets; `None` where it is not defined for these outcomes
    Pair(fn(&Pair) -> Result<Option<f64>>),
    /// confidence of the predicted class, and whether it was right
    Prediction(fn(&Prediction) -> Result<Value>),
    /// a probability for every class
    Vectors(fn(&ProbabilityRows) -> Result<Value>),
    /// scores, targets and proximities
    Proximity(fn(&ArrangedOutcomes) -> Result<Value>),
    /// scores, targets and groups; `None` where no row has a group
    Groups(fn(&GroupErrors) -> Option<f64>),
    /// the signed local error of every row
    Neighbourhoods {
        /// whether it counts the effective neighbors of each: further sums, made where such a metric is asked for
        counts_neighbors: bool,
        /// from the local error of all rows
        value: fn(&LocalSummary) -> Value,
    },
    /// a test of scores against outcomes and covariates, and the null of its permutations
    KlceTest(fn(&KlceTestOutcome, Null) -> Value),
}

impl ValueOf {
    /// What a file must hold.
    pub fn needs(&self) -> MetricRequirement {
        match self {
            Self::Rows(_) | Self::Pair(_) | Self::Prediction(_) => MetricRequirement::ScoreAndTarget,
            Self::Classes(_) | Self::Vectors(_) => MetricRequirement::EveryClass,
            Self::Proximity(_) => MetricRequirement::Proximity,
            Self::Groups(_) => MetricRequirement::Groups,
            Self::Neighbourhoods { .. } => MetricRequirement::Neighbourhoods,
            Self::KlceTest(_) => MetricRequirement::Covariates,
        }
    }

    /// Whether it is computed with the scores only where it is asked for.
    pub fn on_request(&self) -> bool {
        match self {
            Self::Pair(_) | Self::Prediction(_) | Self::Vectors(_) | Self::Proximity(_) | Self::Groups(_) => true,
            Self::Rows(_) | Self::Classes(_) | Self::Neighbourhoods { .. } | Self::KlceTest(_) => false,
        }
    }
}

/// What a metric requires of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricRequirement {
    /// a score and a target
    ScoreAndTarget,
    /// a probability for every class
    EveryClass,
    /// features, which say how near a row lies to the others
    Proximity,
    /// a column of groups
    Groups,
    /// features, and a kernel that defines similar rows
    Neighbourhoods,
    /// features that the test looks at
    Covariates,
}

impl MetricRequirement {
    /// In a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::ScoreAndTarget => "score and target",
            Self::EveryClass => "a probability for every class",
            Self::Proximity => "features (proximity)",
            Self::Groups => "a group column",
            Self::Neighbourhoods => "features (neighborhoods)",
            Self::Covariates => "features (KLCE test)",
        }
    }
}

/// What becomes of a metric where rows have weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// it has a weighted form: which
    Form(&'static str),
    /// none: its definition counts rows, looks for pairs of them, or asks how likely a value is by chance
    Undefined,
}

impl Weights {
    /// Whether there is a value where rows have weights.
    pub fn is_defined(self) -> bool {
        match self {
            Self::Form(_) => true,
            Self::Undefined => false,
        }
    }
}

/// Expected milliseconds of one replicate: `per_row` for each row and `fixed` beside them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// milliseconds a row
    pub per_row: f64,
    /// milliseconds whatever the rows
    pub fixed: f64,
}

impl Cost {
    /// A pass or two over the rows.
    pub const PASS: Self = Self { per_row: 1.5e-4, fixed: 0.0 };

    /// Milliseconds a row of `n` rows.
    pub fn of_row(self, n: f64) -> f64 {
        self.per_row + self.fixed / n.max(1.0)
    }
}

/// The value of some rows under other targets, and each as often as it is counted (`None`: once).
pub type Reweighted<'a> = Box<dyn Fn(&[u8], Option<&[u8]>) -> f64 + 'a>;

/// Where the replicates of a metric come from.
#[derive(Debug, Clone, Copy)]
pub enum Replicates {
    /// sums over weighted rows, of their scores, targets and losses, which all such metrics share; `None` where the
    /// value is not defined
    Sums(fn(&RowSums) -> Option<f64>),
    /// the same over every class, where there is a probability for each
    Classes(fn(&RowSums) -> Option<f64>),
    /// whole samples, repeated and redrawn: the value itself, of other rows
    Samples(Cost),
    /// the same scores under other weights and targets: what scores share is made once, and answers every replicate
    Reweighted(for<'a> fn(&'a Pair<'a>) -> Reweighted<'a>, Cost),
    /// sums over neighborhoods, where they are asked for
    Neighbourhoods {
        /// of reweighted rows
        bootstrap: Option<fn(&MeanInterval) -> &[f64]>,
        /// of redrawn targets
        floor: fn(&NoiseFloor) -> &[f64],
    },
    /// the draws of a test: a floor, no interval
    Test(Option<fn(&KlceTestOutcome) -> Vec<f64>>),
    /// none
    Never,
}

impl Replicates {
    /// Milliseconds a row of one replicate of a whole sample; `None` where replicates are no whole samples.
    pub fn sample_cost(&self) -> Option<Cost> {
        match self {
            Self::Samples(cost) | Self::Reweighted(_, cost) => Some(*cost),
            Self::Sums(_) | Self::Classes(_) | Self::Neighbourhoods { .. } | Self::Test(_) | Self::Never => None,
        }
    }

    /// How the value follows from sums over the rows, where it does.
    pub fn of_sums(&self) -> Option<fn(&RowSums) -> Option<f64>> {
        match self {
            Self::Sums(value) | Self::Classes(value) => Some(*value),
            Self::Samples(_) | Self::Reweighted(..) | Self::Neighbourhoods { .. } | Self::Test(_) | Self::Never => None,
        }
    }

    /// In a table.
    pub fn words(&self) -> &'static str {
        match self {
            Self::Sums(_) => "sums",
            Self::Classes(_) => "sums by class",
            Self::Samples(_) | Self::Reweighted(..) => "samples",
            Self::Neighbourhoods { .. } => "neighbourhoods",
            Self::Test(_) => "draws of the test",
            Self::Never => "none",
        }
    }
}

/// Method of a 95% CI, as named in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IntervalKind {
    /// estimate ± 1.96 standard errors; of a ratio, on the log scale
    Wald,
    /// estimate ± 1.96 standard errors of DeLong, DeLong and Clarke-Pearson (1988)
    Delong,
    /// percentiles of the bootstrap replicates
    BootstrapPercentile,
    /// percentiles of the bootstrap replicates, reflected at the estimate
    BootstrapBasic,
    /// Wilson score interval of a proportion
    Wilson,
    /// from the exact distribution
    Exact,
    /// Clopper and Pearson if fewer than 20 rows of an outcome are observed or expected, else estimate ± 1.96 standard errors
    ExactOrWald,
}

/// Ends of an analytic interval from scores and targets, with the order of ascending scores at hand; `None` where there is none.
pub type Ends = fn(&Pair, &[u32]) -> Result<Option<[f64; 2]>>;

/// How the 95 % interval of a metric with value v is made: from its bootstrap replicates, unless it says otherwise.
#[derive(Debug, Clone, Copy)]
pub enum Interval {
    /// from the rows themselves: it needs no replicates, and is the same wherever it is shown
    Analytic(IntervalKind, Ends),
    /// the 2.5 % and 97.5 % quantiles; it belongs to v
    Percentile,
    /// noise pushes v upwards, and resampling once more: [2v − q₉₇.₅, 2v − q₂.₅] belongs to `corrected`, 2v − their mean
    Basic,
    /// v has had its bias taken off, its replicates have not: the spread about their mean m, [v + m − q₉₇.₅, v + m − q₂.₅]
    Centred,
    /// none: a maximum over noisy cells has no useful interval
    Maximum,
    /// none: the value is, or belongs to, a test
    Tested,
    /// none: there are no replicates
    None,
}

/// Two of the same making; which rows they look at is no part of it.
impl PartialEq for Interval {
    fn eq(&self, other: &Self) -> bool {
        let discriminant = std::mem::discriminant::<Self>;
        discriminant(self) == discriminant(other) && self.kind() == other.kind()
    }
}

impl Interval {
    /// As reports name it; `None` where there is no interval.
    pub fn kind(self) -> Option<IntervalKind> {
        match self {
            Self::Analytic(kind, _) => Some(kind),
            Self::Percentile => Some(IntervalKind::BootstrapPercentile),
            Self::Basic | Self::Centred => Some(IntervalKind::BootstrapBasic),
            Self::Maximum | Self::Tested | Self::None => None,
        }
    }

    /// That of a difference of two values on the same rows: what is analytic for one value is a paired percentile interval.
    pub fn of_difference(self) -> Self {
        match self {
            Self::Analytic(..) => Self::Percentile,
            other => other,
        }
    }

    /// In a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::Analytic(IntervalKind::Delong, _) => "DeLong",
            Self::Analytic(IntervalKind::Wilson, _) => "Wilson",
            Self::Analytic(IntervalKind::Exact, _) => "exact",
            Self::Analytic(IntervalKind::ExactOrWald, _) => "Clopper–Pearson or Wald",
            Self::Analytic(..) => "Wald",
            Self::Percentile => "percentile",
            Self::Basic => "basic, bias-corrected",
            Self::Centred => "centred",
            Self::Maximum => "none (maximum)",
            Self::Tested => "none (test)",
            Self::None => "none",
        }
    }
}

/// Which logarithms are cut where a score is 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// there is none
    None,
    /// of the probability of the observed outcome
    LogLoss,
    /// of the odds of the score
    LogOdds,
}

/// Which number of bins stands beside a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinsInName {
    /// none
    None,
    /// that of the run
    OfRun,
    /// always this one
    Always(usize),
}

impl Metric {
    /// `name` with the number of bins on which the value depends: "ECE (15)".
    ///
    /// * `of_run`: bins of the run
    pub fn with_bins(&self, name: &str, of_run: usize) -> String {
        match self.bins {
            BinsInName::OfRun => format!("{name} ({of_run})"),
            BinsInName::Always(count) => format!("{name} ({count})"),
            BinsInName::None => name.to_owned(),
        }
    }

    /// The ends of its interval, where they follow from the rows themselves.
    ///
    /// # Errors
    /// Those of the metric.
    pub fn ends(&self, pair: &Pair, order: &[u32]) -> Result<Option<[f64; 2]>> {
        let found = match self.interval {
            Interval::Analytic(_, ends) => ends(pair, order)?,
            Interval::Percentile
            | Interval::Basic
            | Interval::Centred
            | Interval::Maximum
            | Interval::Tested
            | Interval::None => None,
        };
        Ok(found.filter(|ends| ends.iter().all(|end| end.is_finite())).map(|ends| ends.map(|end| self.range.cut(end))))
    }

    /// Computed on neighborhoods.
    pub fn is_local(&self) -> bool {
        self.value.needs() == MetricRequirement::Neighbourhoods
    }

    /// The definition, with what is done about bias and who defined it.
    pub fn words(&self) -> String {
        let corrected = match self.interval {
            Interval::Basic => {
                " Biased upward by noise: the bias-corrected value is twice the value minus the mean over \
                 resamples, and the interval is around it."
            }
            Interval::Analytic(..)
            | Interval::Percentile
            | Interval::Centred
            | Interval::Maximum
            | Interval::Tested
            | Interval::None => "",
        };
        let source = match self.source {
            "" => String::new(),
            source => format!(" Source: {source}."),
        };
        format!("{}{corrected}{source}", self.definition)
    }
}
