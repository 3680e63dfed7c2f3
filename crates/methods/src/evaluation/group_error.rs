//! Calibration error within groups: metrics of a method's scored rows.

use std::collections::BTreeSet;

use super::on_request;
use super::scored::Scored;
use crate::data::Predictions;
use crate::data::grouping::{QUANTILES, grouping};
use crate::error::Result;
use crate::feature::groups::group_columns;
use crate::metric::binning::BinOptions;
use crate::metric::entry::MetricRequirement;
use crate::metric::registry;
use crate::table::MISSING;

/// The columns whose values are the groups of a run: those that are named, else the first with the role group that can
/// be groups. None where no metric of groups is asked for.
///
/// # Errors
/// Those of [`grouping`], for columns that are named.
pub fn columns_of(data: &Predictions, named: Option<&[String]>, metrics: &[String]) -> Result<Vec<String>> {
    if !registry::any_requires(metrics, MetricRequirement::Groups) {
        return Ok(Vec::new());
    }
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        grouping(data, named, QUANTILES)?;
        return Ok(named.to_vec());
    }
    let mut columns = group_columns(data).into_iter().map(|name| vec![name]);
    let usable = columns.find(|name| grouping(data, name, QUANTILES).is_ok());
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
        if !registry::requiring(MetricRequirement::Groups).iter().any(|metric| metrics.contains(metric.id)) {
            return Ok(self);
        }
        if !columns.is_empty() {
            let by = grouping(data, columns, QUANTILES)?;
            let code = |row: &u32| by.code.get(*row as usize).copied().unwrap_or(MISSING);
            self.groups = self.rows.iter().map(code).collect();
        }
        let values = on_request::group_values(&self, bins, metrics)?;
        self.values.extend(values);
        Ok(self)
    }
}
