//! What a metric is: its words, its value, what it needs, and where its replicates come from.
//!
//! An entry of [`Metric`] stands beside its equation in `metric/<name>.rs` and states what is special about it; the rest is
//! that of an ordinary error, [`Metric::PLAIN`]. Lists of ids, costs, the catalogue, the scorecard and the table in
//! `docs/metrics.md` are made from the [`registry`](super::registry).

use serde::{Deserialize, Serialize};

use super::group::GroupErrors;
use super::rows::{ArrangedOutcomes, Pair, Prediction, ProbabilityRows, RowSums, ScoredRows};
use crate::error::Result;
use crate::hypothesis::{Null, TrustOutcome};
use crate::local::{Interval as MeanInterval, LocalSummary, NoiseFloor};

/// Why a value is missing whose definition counts rows, or pairs of rows, or asks how likely it is by chance.
pub const NOT_WITH_WEIGHTS: &str = "not defined with sample weights";

/// Why a metric has no value where rows were counted elsewhere.
pub const NOT_FROM_COUNTS: &str = "needs the rows; counts by cells of the score do not contain it";

/// The value of an entry that states none, which a test finds.
pub(super) fn unstated(_: &ScoredRows) -> Result<Value> {
    Ok(Err("the metric states no value".into()))
}

/// A value, or the reason why there is none.
pub type Value = std::result::Result<f64, String>;

/// All of a metric but its equation.
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
    /// definition, as a formula in the symbols of `docs/metrics.md`
    pub formula: &'static str,
    /// who defined it; empty where nobody needs to be named
    pub source: &'static str,
    /// which way is better
    pub better: Better,
    /// where values lie; corrected values and the ends of intervals are cut to it
    pub range: Range,
    /// what it counts: `share`, `nats`, `log-odds`, `z` …
    pub unit: &'static str,
    /// how a value is written where models stand beside each other
    pub written: Written,
    /// what it is computed from, and how
    pub value: ValueOf,
    /// which rows it tells of: what disclosure control goes by
    pub tells_of: TellsOf,
    /// whether it is computed from counts of rows by cells of the score, too, as exactly as `docs/counts.md` states; not
    /// where it needs the order of rows within a cell, quantiles, or single rows
    pub from_counts: bool,
    /// of a maximum over rows or cells however few stand behind them, the one over those that can be judged: no headline is
    /// made of the first, which the place with the fewest rows decides
    pub supported: Option<&'static Metric>,
    /// its form for rows with weights
    pub weights: Weights,
    /// where its replicates come from, and how
    pub replicates: Replicates,
    /// how its interval is made
    pub interval: Interval,
    /// whether it is 0 for every calibrated model, up to noise: its interval then begins at 0 where the value is one that a
    /// calibrated model shows, too
    pub zero_if_calibrated: bool,
    /// whether what a calibrated model would show says something beside the value: not where the value says how much the
    /// scores know (accuracy, AUROC and their kin), which a calibrated model need not know better
    pub floor: bool,
    /// which logarithms are cut at scores of 0 and 1
    pub cut: Cut,
    /// computed and shown where nobody asks for particular metrics
    pub scorecard: bool,
    /// which number of bins stands beside the name on the scorecard
    pub bins: BinsInName,
    /// whether value, interval and floor are drawn on an axis from 0
    pub bar: bool,
    /// place among the first columns of the table of methods
    pub decides: Option<u8>,
    /// place among the metrics by which the best method may be chosen
    pub chooses: Option<u8>,
}

impl Metric {
    /// An error as a share of 1, the smaller the better, that is shown beside what a calibrated model would have, is not on
    /// the scorecard and has no form with weights. What it is and how it is computed (`id` to `source`, `value`, `tells_of`,
    /// `replicates`, `interval`) every entry states itself: a test asks for it.
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
        tells_of: TellsOf::Unstated,
        from_counts: false,
        supported: None,
        weights: Weights::Undefined,
        replicates: Replicates::Never,
        interval: Interval::None,
        zero_if_calibrated: false,
        floor: true,
        cut: Cut::None,
        scorecard: false,
        bins: BinsInName::None,
        bar: true,
        decides: None,
        chooses: None,
    };
}

/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// smaller is better
    Lower,
    /// larger is better
    Higher,
    /// nearer to zero is better
    Zero,
    /// nearer to one is better
    One,
    /// no direction is better
    Neither,
}

impl Better {
    /// What a value would ideally be, where it can be too small and too large.
    pub fn ideal(self) -> Option<f64> {
        match self {
            Self::Zero => Some(0.0),
            Self::One => Some(1.0),
            Self::Lower | Self::Higher | Self::Neither => None,
        }
    }

    /// What differences are taken of: the distance from the ideal where there is one, otherwise the value.
    pub fn distance(self, value: f64) -> f64 {
        self.ideal().map_or(value, |ideal| (value - ideal).abs())
    }

    /// How bad a value is: smaller is better, whatever the metric.
    pub fn badness(self, value: f64) -> f64 {
        if self == Self::Higher { -value } else { self.distance(value) }
    }
}

/// Which rows a value tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TellsOf {
    /// nobody has stated it: withheld where small counts are suppressed
    Unstated,
    /// all of them together
    All,
    /// all of them, and those that are classified wrongly can be counted from it
    Countable,
    /// an extreme or a mean over bins, groups or neighborhoods, which may hold few
    Few,
}

/// Where a value lies.
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
    /// anywhere
    Any,
}

impl Range {
    /// The nearest number that lies within.
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

    /// Where a difference of two such numbers lies.
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

/// How a value is written for people where models are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// three significant digits
    Digits,
    /// `87.2 %`
    Percent,
    /// `+1.2 points`
    Points,
}

/// What a value is computed from, and how. What several metrics of one ground share is computed once
/// ([`Shared`](super::rows::Shared)).
#[derive(Debug, Clone, Copy)]
pub enum ValueOf {
    /// the scored rows and their losses: computed for every method, whatever is asked for
    Rows(fn(&ScoredRows) -> Result<Value>),
    /// the same, where there is a probability for every class
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
    TrustTest(fn(&TrustOutcome, Null) -> Value),
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
            Self::TrustTest(_) => MetricRequirement::Covariates,
        }
    }

    /// Whether it is computed with the scores only where it is asked for.
    pub fn on_request(&self) -> bool {
        match self {
            Self::Pair(_) | Self::Prediction(_) | Self::Vectors(_) | Self::Proximity(_) | Self::Groups(_) => true,
            Self::Rows(_) | Self::Classes(_) | Self::Neighbourhoods { .. } | Self::TrustTest(_) => false,
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
    /// features, and a kernel that says which rows are alike
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
    /// sums over neighbourhoods, where they are asked for
    Neighbourhoods {
        /// of reweighted rows
        bootstrap: Option<fn(&MeanInterval) -> &[f64]>,
        /// of redrawn targets
        floor: fn(&NoiseFloor) -> &[f64],
    },
    /// the draws of a test: a floor, no interval
    Test(Option<fn(&TrustOutcome) -> Vec<f64>>),
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

    /// Computed on neighbourhoods.
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
