//! Methods against each other: paired differences with intervals that know that divisions share rows.

use serde::{Deserialize, Serialize};

use super::outline::{Column, Settings, Variant};
use crate::hypothesis::multiplicity::{holm, holm_levels};
use crate::hypothesis::paired_t::{PairedT, detectable, resampled_t};
use crate::hypothesis::signed_rank::{sign_test, signed_rank};
use crate::metric::entry::Better;
use crate::report::verdict::LEVEL;

/// A difference between two methods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MethodComparison"))]
pub struct Comparison {
    /// data set, if there are several; null: paired over all of them, one value each
    pub data: Option<String>,
    /// metric id
    pub metric: String,
    /// space that defines similarity for the metric
    pub space: Option<String>,
    /// settings of the space
    pub metric_at: Settings,
    /// the method
    pub method: String,
    /// its settings
    pub at: Settings,
    /// the reference method
    pub to: String,
    /// settings of the reference method
    pub to_at: Settings,
    /// why these two are compared
    pub against: Against,
    /// what the pairs are
    pub over: Over,
    /// number of pairs
    pub n: usize,
    /// mean of method − reference; for a metric with an ideal value, of the distances from it; null without a pair
    pub difference: Option<f64>,
    /// lower confidence limit. The interval excludes 0 exactly if `p` is below 0.05. If all methods of a column are
    /// equal, at most 5% of experiments contain an interval that excludes 0
    pub low: Option<f64>,
    /// upper confidence limit
    pub high: Option<f64>,
    /// true difference detectable with 80% power at the adjusted level, given the observed spread; null if the difference
    /// is significant or untested
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
    /// two-sided p-value adjusted for all comparisons of the column (Holm): all pairs of methods, or the planned ones
    pub p: Option<f64>,
    /// unadjusted p-value
    pub p_alone: Option<f64>,
    /// p-value of Wilcoxon's signed-rank test over data sets, adjusted (Holm); null over divisions
    pub p_signed_rank: Option<f64>,
    /// p-value of the sign test over data sets, adjusted (Holm); null over divisions
    pub p_sign: Option<f64>,
    /// better, worse, or not significantly different; null if untested
    #[serde(rename = "says")]
    pub verdict: Option<DifferenceVerdict>,
    /// why there is no interval; null if there is one
    pub reason: Option<String>,
}

/// What a method is compared against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Against {
    /// the scores as they came
    None,
    /// the method with the best mean; over data sets, with the best mean rank
    Best,
    /// the control, where that is not the scores as they came, or the other one of a planned pair
    Planned,
}

/// What differences are paired over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// divisions of the same rows, which share them
    Divisions,
    /// data sets, which are independent
    DataSets,
}

/// The verdict on a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DifferenceVerdict {
    /// better than the other one
    Better,
    /// worse
    Worse,
    /// its interval holds zero, or the two are the same everywhere
    #[serde(rename = "not_told")]
    NotSignificant,
}

/// Two methods of a column.
#[derive(Debug, Clone, PartialEq, Default)]
struct Pair {
    differences: Vec<f64>,
    test: Option<PairedT>,
    level: f64,
    p: Option<f64>,
    p_signed_rank: Option<f64>,
    p_sign: Option<f64>,
    detectable: Option<f64>,
    /// it is not among those that are compared
    left_out: bool,
}

/// Power at which detectable differences are stated.
const POWER: f64 = 0.8;

/// The pairs of methods of a column that are compared, tested and corrected together: all of them unless fewer were planned.
///
/// The best of a column is known only after all are looked at, and it is held against each: so the correction counts every
/// pair of methods, and whatever is said of two of them, the chance that anything is said where all are equal is at most 5 %.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs<'a> {
    column: &'a Column,
    over: Over,
    /// of i < j at j (j − 1) / 2 + i: j less i
    pairs: Vec<Pair>,
}

impl<'a> Pairs<'a> {
    /// Of a column; differences over divisions share rows, those over data sets do not. O(methods² · divisions).
    pub fn of(column: &'a Column, over: Over) -> Self {
        let shared = match over {
            Over::Divisions => column.shared,
            Over::DataSets => 0.0,
        };
        let planned = column.planned();
        let mut pairs: Vec<Pair> = Vec::new();
        for (j, series) in column.series.iter().enumerate() {
            for (i, other) in column.series.iter().take(j).enumerate() {
                let left_out = planned.as_ref().is_some_and(|all| !all.contains(&(i, j)) && !all.contains(&(j, i)));
                let size = |v: f64| column.measure.size(v);
                let both = series.values.iter().zip(&other.values);
                let differences: Vec<f64> =
                    both.filter_map(|(a, b)| Some(size((*a)?) - size((*b)?))).filter(|d| d.is_finite()).collect();
                let test = resampled_t(&differences, shared).filter(|_| !left_out);
                let (p_signed_rank, p_sign) = match over {
                    _ if left_out => (None, None),
                    Over::Divisions => (None, None),
                    Over::DataSets => (signed_rank(&differences), sign_test(&differences)),
                };
                let pair = Pair { differences, test, level: LEVEL, p_signed_rank, p_sign, left_out, ..Pair::default() };
                pairs.push(pair);
            }
        }
        let alone: Vec<f64> = pairs.iter().map(|pair| pair.test.map_or(f64::NAN, |test| test.p)).collect();
        let corrected = |alone: Vec<f64>| holm(&alone).into_iter().map(|p| Some(p).filter(|p| !p.is_nan()));
        let rank = corrected(pairs.iter().map(|pair| pair.p_signed_rank.unwrap_or(f64::NAN)).collect());
        let sign = corrected(pairs.iter().map(|pair| pair.p_sign.unwrap_or(f64::NAN)).collect());
        let found: Vec<_> = holm_levels(&alone, LEVEL).into_iter().zip(corrected(alone)).zip(rank.zip(sign)).collect();
        for (pair, ((level, p), (p_signed_rank, p_sign))) in pairs.iter_mut().zip(found) {
            *pair = Pair { level, p, p_signed_rank, p_sign, ..std::mem::take(pair) };
        }
        // What is not found shares a level and mostly its degrees of freedom: each is worked out once.
        let mut known: Vec<((f64, f64), Option<f64>)> = Vec::new();
        for pair in &mut pairs {
            let Some(test) = pair.test.filter(|_| pair.p.is_some_and(|p| p >= LEVEL)) else { continue };
            let key = (test.freedom, pair.level);
            let errors = match known.iter().find(|(of, _)| *of == key) {
                Some((_, errors)) => *errors,
                None => {
                    let errors = detectable(test.freedom, pair.level, POWER);
                    known.push((key, errors));
                    errors
                }
            };
            pair.detectable = errors.map(|errors| errors * test.error);
        }
        Self { column, over, pairs }
    }

    /// What method `a` less method `b` says; `None` where they are one, or no methods of the column.
    pub fn comparison(&self, a: usize, b: usize, against: Against) -> Option<Comparison> {
        let pair = self.pairs.get(a.max(b) * a.max(b).checked_sub(1)? / 2 + a.min(b)).filter(|_| a != b)?;
        let (ours, theirs) = (self.column.series.get(a)?, self.column.series.get(b)?);
        let sign = if a > b { 1.0 } else { -1.0 };
        let n = pair.differences.len();
        let difference = (n > 0).then(|| sign * pair.differences.iter().sum::<f64>() / n as f64);
        let interval = pair.test.and_then(|test| test.interval(pair.level));
        let ends = interval.map(|(low, high)| if sign > 0.0 { (low, high) } else { (-high, -low) });
        let same = pair.differences.first().filter(|first| pair.differences.iter().all(|d| d == *first));
        let one = match self.over {
            Over::Divisions => "split",
            Over::DataSets => "data set",
        };
        let reason = match (n, ends, same) {
            (_, Some(_), _) => None,
            _ if pair.left_out => Some("not among the planned comparisons".to_owned()),
            (0, ..) => Some(
                ours.reason.clone().or_else(|| theirs.reason.clone()).unwrap_or_else(|| format!("no {one} has both")),
            ),
            (1, ..) => Some(format!("only one {one} has both, so there is no variance")),
            (_, _, Some(0.0)) => Some(format!("the same in every {one}")),
            (_, _, Some(_)) => Some(format!("the difference is the same in every {one}, so it has no variance")),
            _ => Some("the differences are not finite".to_owned()),
        };
        let told = ends.and(pair.p).is_some_and(|p| p < LEVEL);
        let better = match self.column.measure.better {
            Better::Higher => difference.is_some_and(|d| d > 0.0),
            Better::Neither => false,
            Better::Lower | Better::Zero | Better::One => difference.is_some_and(|d| d < 0.0),
        };
        let verdict = match (ends, same) {
            _ if pair.left_out || self.column.measure.better == Better::Neither => None,
            (Some(_), _) if told && better => Some(DifferenceVerdict::Better),
            (Some(_), _) if told => Some(DifferenceVerdict::Worse),
            (Some(_), _) => Some(DifferenceVerdict::NotSignificant),
            (None, Some(d)) if *d == 0.0 && n > 1 => Some(DifferenceVerdict::NotSignificant),
            (None, _) => None,
        };
        Some(Comparison {
            data: self.column.data.clone(),
            metric: self.column.measure.id.to_owned(),
            space: self.column.space.clone(),
            metric_at: self.column.at.clone(),
            method: ours.variant.method.clone(),
            at: ours.variant.at.clone(),
            to: theirs.variant.method.clone(),
            to_at: theirs.variant.at.clone(),
            against,
            over: self.over,
            n,
            difference,
            low: ends.map(|ends| ends.0),
            high: ends.map(|ends| ends.1),
            detectable: ends.and(pair.detectable),
            p: ends.and(pair.p),
            p_alone: ends.and(pair.test).map(|test| test.p),
            p_signed_rank: pair.p_signed_rank,
            p_sign: pair.p_sign,
            verdict,
            reason,
        })
    }

    /// How many comparisons p-values are corrected for.
    pub fn corrected_for(&self) -> usize {
        self.pairs.iter().filter(|pair| !pair.left_out).count()
    }

    /// Every method against the scores as they came, then against the best; or what was planned.
    pub fn all(&self, best: Option<usize>) -> Vec<Comparison> {
        if let Some(planned) = self.column.planned() {
            let one = |(a, b): (usize, usize)| {
                let to_none = self.column.none() == Some(b);
                self.comparison(a, b, if to_none { Against::None } else { Against::Planned })
            };
            return planned.into_iter().filter_map(one).collect();
        }
        let to = |other: Option<usize>, against| {
            let places = 0..self.column.series.len();
            let pairs = other.into_iter().flat_map(move |other| places.clone().map(move |place| (place, other)));
            pairs.filter_map(move |(place, other)| self.comparison(place, other, against))
        };
        to(self.column.none(), Against::None).chain(to(best, Against::Best)).collect()
    }
}

impl Comparison {
    /// Whose difference it is.
    pub fn variant(&self) -> Variant {
        Variant { method: self.method.clone(), at: self.at.clone() }
    }

    /// The method that is compared against.
    pub fn other(&self) -> Variant {
        Variant { method: self.to.clone(), at: self.to_at.clone() }
    }
}
