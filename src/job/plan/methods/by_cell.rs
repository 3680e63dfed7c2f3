//! Settings of multicalibration.

use serde::Deserialize;

use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::evaluation::groups::{group_columns, groups};
use crate::evaluation::method::{CellSettings, MethodKind};
use crate::metric::binning::BinOptions;
use crate::recalibrate::multicalibration::{CellOptions, PublishedOptions};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CellParameters {
    groups: Option<OneOrMany>,
    alpha: Option<f64>,
    eta: Option<f64>,
    rho: Option<f64>,
    bins: Option<BinOptions>,
    min_rows: Option<usize>,
    most_steps: Option<usize>,
    compat: Option<String>,
    gamma: Option<f64>,
    visits: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "groups are the name of a column, or a list of names")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// Share of the outcome rate below which gaps no longer count in proportion.
const RHO: f64 = 0.1;

/// Checked settings of `multicalibration` or `proportional_multicalibration`; groups by every column with that role
/// unless some are named.
///
/// # Errors
/// `unknown_column`; `invalid_option` for settings that do not go together or are out of range.
pub(super) fn kind(id: &str, given: CellParameters, data: &Predictions) -> Result<MethodKind> {
    let columns = match given.groups {
        None => group_columns(data),
        Some(OneOrMany::One(name)) => vec![name],
        Some(OneOrMany::Many(names)) => names,
    };
    columns.iter().try_for_each(|name| groups(data, name).map(|_| ()))?;
    let proportional = id == "proportional_multicalibration";
    let told = |message: &str, hint: &str| Err(Error::new("invalid_option", message, hint));
    if given.rho.is_some() && !proportional {
        return told(
            "`multicalibration` has no rho: gaps count as they are.",
            "Leave rho out, or use proportional_multicalibration.",
        );
    }
    let published = match given.compat.as_deref() {
        None => false,
        Some("pmcboost") => true,
        Some(other) => {
            return told(&format!("No form of `{id}` is called `{other}`."), "Leave compat out, or use \"pmcboost\".");
        }
    };
    if published && (given.bins.is_some() || given.min_rows.is_some() || given.most_steps.is_some()) {
        return told(
            "The form of pmcboost has tenths as bins, and its own least size and end.",
            "Leave bins, min_rows and most_steps out; it takes gamma and visits.",
        );
    }
    if !published && (given.gamma.is_some() || given.visits.is_some()) {
        return told(
            "gamma and visits belong to the form of pmcboost.",
            "Add compat: \"pmcboost\", or use min_rows and most_steps.",
        );
    }
    let usual = CellOptions::default();
    let options = CellOptions {
        bins: given.bins.unwrap_or(usual.bins),
        alpha: given.alpha.unwrap_or(usual.alpha),
        eta: given.eta.unwrap_or(usual.eta),
        rho: proportional.then(|| given.rho.unwrap_or(RHO)),
        min_rows: given.min_rows.unwrap_or(usual.min_rows),
        most_steps: given.most_steps.unwrap_or(usual.most_steps),
    };
    options.check()?;
    let as_published = PublishedOptions::default();
    Ok(MethodKind::Multicalibration(CellSettings {
        groups: columns,
        published: published.then(|| PublishedOptions {
            alpha: options.alpha,
            eta: options.eta,
            rho: options.rho,
            gamma: given.gamma.unwrap_or(as_published.gamma),
            visits: given.visits.unwrap_or(as_published.visits),
        }),
        options,
    }))
}
