//! Calibration error within groups: metrics of a method's scored rows.

use std::collections::BTreeSet;

use super::groups::group_columns;
use super::scored::{Scored, Value};
use crate::data::grouping::{QUANTILES, grouping};
use crate::data::{MISSING, Predictions};
use crate::error::Result;
use crate::metric::binning::BinOptions;
use crate::metric::group::group_errors;
use crate::metric::weight::NOT_WITH_WEIGHTS;

/// Ids that need to know which group every scored row belongs to.
pub const OF_GROUPS: &[&str] = &["group_ece_max", "group_ece_mean", "group_mce_max"];

/// The columns whose values are the groups of a run: those that are named, else the first with the role group that can
/// be groups. None where no metric of groups is asked for.
///
/// # Errors
/// Those of [`grouping`], for columns that are named.
pub fn columns_of(data: &Predictions, named: Option<&[String]>, metrics: &[String]) -> Result<Vec<String>> {
    if !metrics.iter().any(|id| OF_GROUPS.contains(&id.as_str())) {
        return Ok(Vec::new());
    }
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        grouping(data, named, QUANTILES)?;
        return Ok(named.to_vec());
    }
    let mut known = group_columns(data).into_iter().map(|name| vec![name]);
    let usable = known.find(|name| grouping(data, name, QUANTILES).is_ok());
    Ok(usable.unwrap_or_default())
}

impl Scored {
    /// Takes in the groups of the rows, and computes the metrics of them that are asked for. Rows without a group are
    /// left out of these.
    ///
    /// # Errors
    /// Those of [`grouping`].
    ///
    /// # Cost
    /// O(n) with bins of equal width, O(n log n) else.
    pub fn with_groups(
        mut self,
        data: &Predictions,
        columns: &[String],
        bins: &BinOptions,
        metrics: &BTreeSet<String>,
    ) -> Result<Self> {
        if !OF_GROUPS.iter().any(|id| metrics.contains(*id)) {
            return Ok(self);
        }
        if !columns.is_empty() {
            let by = grouping(data, columns, QUANTILES)?;
            let code = |row: &u32| by.code.get(*row as usize).copied().unwrap_or(MISSING);
            self.groups = self.rows.iter().map(code).collect();
        }
        let found = values(&self, bins, metrics)?;
        self.values.extend(found);
        Ok(self)
    }
}

fn values(scored: &Scored, bins: &BinOptions, ids: &BTreeSet<String>) -> Result<Vec<(String, Value)>> {
    let reason = if scored.weights().is_some() {
        Some(NOT_WITH_WEIGHTS)
    } else {
        scored.groups.is_empty().then_some("groups_missing")
    };
    if let Some(reason) = reason {
        let asked = OF_GROUPS.iter().filter(|id| ids.contains(**id));
        let missing = |id: &&str| ((*id).to_owned(), Err(reason.to_owned()));
        return Ok(asked.map(missing).collect());
    }
    let found = of_groups(&scored.score, &scored.target, &scored.groups, bins, ids)?;
    let value = |(id, value): (&str, Option<f64>)| {
        let value = value.ok_or_else(|| "no row has a group".to_owned());
        (id.to_owned(), value)
    };
    Ok(found.into_iter().map(value).collect())
}

/// max_g ECE_g, the unweighted mean over groups of ECE_g, and max_g MCE_g = max_g max_b |gap_{g,b}|, as far as they are
/// asked for. Every group is binned in the same way; a small group can make the maxima large by chance alone.
///
/// * `groups`: a code a row, [`MISSING`] for none
///
/// # Errors
/// `empty`, `length_mismatch`, `invalid_option`.
///
/// # Source
/// Luo et al. (2022), Local Calibration: Metrics and Recalibration, table 1 (maximum group-wise MCE).
pub fn of_groups(
    s: &[f64],
    t: &[u8],
    groups: &[u32],
    bins: &BinOptions,
    ids: &BTreeSet<String>,
) -> Result<Vec<(&'static str, Option<f64>)>> {
    let found = group_errors(s, t, groups, bins)?;
    let values = [found.ece_max, found.ece_mean, found.mce_max];
    let each = OF_GROUPS.iter().copied().zip(values);
    Ok(each.filter(|(id, _)| ids.contains(*id)).collect())
}
