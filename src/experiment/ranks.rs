//! Ranks of methods over data sets, and whether they differ beyond chance.

use serde::{Deserialize, Serialize};

use super::comparisons::{Comparison, Over, Pairs};
use super::outline::{Column, Outline, Series, Settings, Variant};
use crate::hypothesis::friedman::{friedman, mean_ranks};
use crate::hypothesis::studentized_range::critical_difference;
use crate::metric::entry::Better;
use crate::report::verdict::LEVEL;

/// Mean ranks of methods by one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MeanRanks"))]
pub struct Ranks {
    /// metric id
    pub metric: String,
    /// space that defines similarity for the metric
    pub space: Option<String>,
    /// settings of the space
    pub at: Settings,
    /// what the ranks are computed over
    pub over: Over,
    /// number of data sets or divisions in which every ranked method has a value
    pub n: usize,
    /// by rank
    pub methods: Vec<Ranked>,
    /// methods without any value, and data sets or divisions with a missing value
    pub left_out: Vec<String>,
    /// Friedman's test over data sets; null where there is none
    pub friedman: Option<RankTest>,
    /// Nemenyi's critical difference of mean ranks at .05; null without a test
    pub critical_difference: Option<f64>,
    /// at .10
    pub critical_difference_10: Option<f64>,
    /// why there is no test
    pub reason: Option<String>,
}

/// Friedman's test of equal ranks of all methods.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankTest {
    /// χ²_F, corrected for ties
    pub chi2: f64,
    /// degrees of freedom of χ²_F
    pub freedom: f64,
    /// p-value of χ²_F
    pub p: f64,
    /// Iman–Davenport F; null if infinite, when all data sets rank the methods identically
    pub f: Option<f64>,
    /// degrees of freedom of F: numerator, denominator
    pub f_freedom: [f64; 2],
    /// p-value of F, by which significance is decided
    pub p_f: f64,
}

/// The mean rank of a method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MeanRank"))]
pub struct Ranked {
    /// its name
    pub method: String,
    /// its settings
    pub at: Settings,
    /// 1 the best
    pub rank: f64,
}

impl Ranked {
    /// Whose rank.
    pub fn variant(&self) -> Variant {
        Variant { method: self.method.clone(), at: self.at.clone() }
    }
}

impl Ranks {
    /// Whether the test tells that methods differ at all.
    pub fn differ(&self) -> bool {
        self.friedman.is_some_and(|test| test.p_f < LEVEL)
    }

    /// Methods that are not significantly different from each other, as long runs of `methods` that are no part of a longer one: closer than
    /// the critical difference; all of them where the test does not tell that methods differ. Places from, to, both included.
    pub fn together(&self) -> Vec<(usize, usize)> {
        let last = self.methods.len().saturating_sub(1);
        let Some(critical) = self.critical_difference else { return Vec::new() };
        if !self.differ() {
            return vec![(0, last)];
        }
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (from, first) in self.methods.iter().enumerate() {
            let near = self.methods.iter().rposition(|other| other.rank - first.rank < critical);
            let to = near.unwrap_or(from);
            if to > from && found.last().is_none_or(|before| to > before.1) {
                found.push((from, to));
            }
        }
        found
    }
}

/// What ranks say, and comparisons over data sets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// one a quantity and space
    pub ranks: Vec<Ranks>,
    /// means over data sets against each other
    pub comparisons: Vec<Comparison>,
}

/// Ranks of every quantity: over data sets where there are several, else over the divisions of the one there is.
pub fn ranking(outline: &Outline) -> Ranking {
    let mut out = Ranking::default();
    let several = outline.data.len() > 1;
    let mut done: Vec<&Column> = Vec::new();
    for column in &outline.columns {
        if !several {
            out.ranks.extend(ranks(column, Over::Divisions, false));
            continue;
        }
        let same_quantity =
            |other: &&Column| other.measure == column.measure && other.space == column.space && other.at == column.at;
        if done.iter().any(same_quantity) {
            continue;
        }
        done.push(column);
        let columns: Vec<&Column> = outline.columns.iter().filter(same_quantity).collect();
        let all = over_data_sets(column, &columns);
        let ranks = ranks(&all, Over::DataSets, outline.same_rows);
        let best = ranks.as_ref().and_then(|ranks| {
            let first = ranks.methods.first()?.variant();
            all.series.iter().position(|series| series.variant == first)
        });
        if !outline.same_rows {
            out.comparisons.extend(Pairs::of(&all, Over::DataSets).all(best));
        }
        out.ranks.extend(ranks);
    }
    out
}

/// One value a data set: the mean over its divisions. What is measured is said by `first`.
fn over_data_sets(first: &Column, columns: &[&Column]) -> Column {
    let mut variants: Vec<(&Variant, &Settings)> = Vec::new();
    for series in columns.iter().flat_map(|column| &column.series) {
        if !variants.iter().any(|(variant, _)| **variant == series.variant) {
            variants.push((&series.variant, &series.at));
        }
    }
    let series = variants.into_iter().map(|(variant, at)| {
        let of = |column: &&Column| column.series.iter().find(|series| series.variant == *variant).cloned();
        let values: Vec<Option<f64>> =
            columns.iter().map(|column| of(column).and_then(|series| series.mean())).collect();
        let reason = columns.iter().filter_map(of).find_map(|series| series.reason);
        let reason = reason.filter(|_| values.contains(&None));
        let none =
            columns.iter().flat_map(|column| &column.series).any(|series| series.variant == *variant && series.none);
        Series { variant: variant.clone(), none, at: at.clone(), values, reason }
    });
    let series: Vec<Series> = series.collect();
    let names = columns.iter().map(|column| column.data.clone().unwrap_or_default());
    let divisions: Vec<String> = names.collect();
    Column { data: None, divisions, shared: 0.0, series, ..first.clone() }
}

/// Ranks in a column; none where fewer than two methods have values, no division has all of them, or no value is better.
fn ranks(column: &Column, over: Over, same_rows: bool) -> Option<Ranks> {
    let (kept, without): (Vec<&Series>, Vec<&Series>) = column.series.iter().partition(|series| series.count() > 0);
    let mut left_out: Vec<String> = without.iter().map(|series| series.variant.label()).collect();
    if kept.len() < 2 || column.measure.better == Better::Neither {
        return None;
    }
    let mut blocks: Vec<Vec<f64>> = Vec::new();
    for (place, name) in column.divisions.iter().enumerate() {
        let bad = |series: &&Series| series.values.get(place).copied().flatten().map(|v| column.measure.badness(v));
        match kept.iter().map(bad).collect::<Option<Vec<f64>>>() {
            Some(block) => blocks.push(block),
            None => left_out.push(name.clone()),
        }
    }
    if blocks.is_empty() {
        return None;
    }
    let means = mean_ranks(&blocks);
    let mut methods: Vec<Ranked> = kept
        .iter()
        .zip(means)
        .map(|(series, rank)| Ranked { method: series.variant.method.clone(), at: series.variant.at.clone(), rank })
        .collect();
    crate::num::order::sort(&mut methods, &|a, b| a.rank.total_cmp(&b.rank));
    let (n, k) = (blocks.len(), kept.len());
    let test = match over {
        Over::Divisions => None,
        Over::DataSets if same_rows => None,
        Over::DataSets => friedman(&blocks),
    };
    let reason = match (over, &test) {
        (_, Some(_)) => None,
        (Over::Divisions, None) => Some(
            "Splits of one data set share rows, so tests of ranks are invalid; the \
             paired differences are tested instead."
                .to_owned(),
        ),
        (Over::DataSets, None) if same_rows => Some(
            "The data sets have the same outcomes, so they are predictions \
            for the same rows and cannot be tested as independent."
                .to_owned(),
        ),
        (Over::DataSets, None) if k < 3 => {
            Some("Two methods: their difference is tested by the signed-rank test.".to_owned())
        }
        (Over::DataSets, None) if n < 2 => {
            Some("Only one data set has a value for every method, so there are no ranks.".to_owned())
        }
        (Over::DataSets, None) => Some("All methods are equal on every data set.".to_owned()),
    };
    let critical = |alpha: f64| test.as_ref().map(|_| critical_difference(alpha, k, n)).filter(|cd| cd.is_finite());
    Some(Ranks {
        metric: column.measure.id.to_owned(),
        space: column.space.clone(),
        at: column.at.clone(),
        over,
        n,
        methods,
        left_out,
        critical_difference: critical(LEVEL),
        critical_difference_10: critical(0.1),
        friedman: test.map(|test| RankTest {
            chi2: test.chi2,
            freedom: test.freedom,
            p: test.p,
            f: Some(test.f).filter(|f| f.is_finite()),
            f_freedom: [test.freedom, test.freedom * (n as f64 - 1.0)],
            p_f: test.p_f,
        }),
        reason,
    })
}
