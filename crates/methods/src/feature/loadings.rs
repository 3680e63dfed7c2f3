//! Loadings of principal components: the columns that correlate most with each.

use super::columns::Places;
use crate::num::Rows as _;
use crate::project::pca::Pca;
use crate::words::number::{ordinal, percent};

/// Rows from which the spread of a column is taken at most.
const ROWS: usize = 2_000;
/// Weakest correlation with a component that a column is named for.
const LEAST: f64 = 0.4;
/// The same, as a part of the strongest.
const PART: f64 = 0.7;
/// Columns that are named at most.
const MOST: usize = 2;

/// The largest loadings of a principal component.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loadings {
    /// columns that correlate most with it, the strongest first, with that correlation; none where no column does. Entries
    /// of an array are left out: their numbers say nothing to anybody
    pub columns: Vec<(String, f64)>,
    /// its share of the spread (total variance) of all columns
    pub share: f64,
    /// the columns are lexical dimensions
    pub lexical: bool,
}

/// The largest loadings of every component; `lexical`: the columns are lexical dimensions.
///
/// corr(zₖ, x_c) = v_kc √λₖ / sd(x_c), v the direction and λ the variance of the component (Jolliffe 2002, section 2.3).
/// O(d (q + 2,000)).
pub(super) fn loadings(fit: &Pca, of: &Places, lexical: bool) -> Vec<Loadings> {
    let sd = spread(of);
    let each = fit.components.rows().into_iter().zip(&fit.variance);
    each.map(|(direction, variance)| {
        let columns = direction.iter().zip(&sd).zip(of.names.iter().zip(&of.is_entry));
        let loading = columns.filter(|((_, sd), (_, is_entry))| **sd > 0.0 && !**is_entry);
        let mut loadings: Vec<(String, f64)> =
            loading.map(|((v, sd), (name, _))| (name.clone(), v * variance.sqrt() / sd)).collect();
        loadings.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let strongest = loadings.first().map_or(0.0, |first| first.1.abs());
        loadings.retain(|(_, r)| r.abs() >= LEAST && r.abs() >= PART * strongest);
        loadings.truncate(MOST);
        let share = if fit.total_variance > 0.0 { variance / fit.total_variance } else { 0.0 };
        Loadings { columns: loadings, share, lexical }
    })
    .collect()
}

/// Standard deviation of every column over evenly spaced rows.
fn spread(of: &Places) -> Vec<f64> {
    let (n, d) = (of.n(), of.d());
    let (mut row, mut sum, mut square) = (vec![0.0; d], vec![0.0; d], vec![0.0; d]);
    let mut first: Vec<f64> = Vec::new();
    let every = n.div_ceil(ROWS).max(1);
    let mut count = 0.0;
    for i in (0..n).step_by(every) {
        of.read(i, &mut row);
        if row.iter().any(|value| !value.is_finite()) {
            continue;
        }
        count += 1.0;
        if first.is_empty() {
            first.clone_from(&row);
        }
        for (c, value) in row.iter().enumerate() {
            let far = value - first[c];
            sum[c] += far;
            square[c] += far * far;
        }
    }
    let count = f64::max(count, 1.0);
    let variance = sum.iter().zip(&square).map(|(sum, square)| (square - sum * sum / count) / (count - 1.0).max(1.0));
    variance.map(|v| v.max(0.0).sqrt()).collect()
}

/// "along priors_count and against age (component 1)"; the first column named gives the direction. Where no column says where
/// it runs: "1st principal axis (62 % of the spread)".
pub(super) fn name(k: usize, of: &Loadings) -> String {
    if of.columns.is_empty() {
        let kind = if of.lexical { "lexical" } else { "principal" };
        return format!("{} {kind} axis ({} of the variance)", ordinal(k + 1), percent(of.share));
    }
    let mut name = String::new();
    let mut before = "";
    for (place, (column, r)) in of.columns.iter().enumerate() {
        let word = if *r > 0.0 { "along" } else { "against" };
        name += if place == 0 { "" } else { " and " };
        if word != before {
            name += word;
            name += " ";
        }
        name += column;
        before = word;
    }
    name + &format!(" (component {})", k + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_named_by_its_columns() {
        let name = |k: usize, columns: &[(&str, f64)]| {
            let columns = columns.iter().map(|(name, r)| ((*name).to_owned(), *r)).collect();
            name(k, &Loadings { columns, share: 0.623, lexical: false })
        };
        assert_eq!(name(0, &[]), "1st principal axis (62.3% of the variance)");
        assert_eq!(name(1, &[]), "2nd principal axis (62.3% of the variance)");
        assert_eq!(name(0, &[("age", 0.9)]), "along age (component 1)");
        let lexical = Loadings { columns: Vec::new(), share: 0.05, lexical: true };
        assert_eq!(super::name(0, &lexical), "1st lexical axis (5.0% of the variance)");
        let two = [("priors_count", 0.9), ("age", -0.7)];
        assert_eq!(name(1, &two), "along priors_count and against age (component 2)");
        assert_eq!(name(1, &[("a", 0.9), ("b", 0.7)]), "along a and b (component 2)");
    }
}
