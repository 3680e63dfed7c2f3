//! In which coordinates similar rows are searched, where the map shows fewer.

use super::{columns_of, find, width};
use crate::data::Predictions;
use crate::feature::FeatureChoice;
use crate::kernel::Kernel;
use crate::table::Values;

/// Principal components of an embedding in which similar rows are searched: in two of them several topics overlap
/// (docs/logs.md has the simulations).
pub const SEARCHED: usize = 10;
/// Principal components that a map shows.
const SHOWN: usize = 2;
/// An array of so many entries is an embedding.
const SEARCHED_FROM: usize = 16;
/// The rows of a linear map that is not scaled have length 1, to within this.
const UNIT: f64 = 1e-6;

/// The coordinates in which rows similar to each other are searched: `components` principal components where the choice is
/// two principal components of embeddings, else the choice itself.
pub fn searched(data: &Predictions, choice: &FeatureChoice, components: usize) -> FeatureChoice {
    match shown_of(data, choice) {
        Some(of) => FeatureChoice::Pca { pca: components, of },
        None => choice.clone(),
    }
}

/// The columns and arrays behind a choice: of a map of two principal components of embeddings the embeddings.
pub fn sources(data: &Predictions, choice: &FeatureChoice) -> Vec<String> {
    shown_of(data, choice).unwrap_or_else(|| columns_of(data, choice))
}

/// The kernel whose bandwidth is as large beside the distances of other coordinates.
///
/// * `medians`: of ‖Δ‖₁/q over pairs of rows, in the coordinates of `kernel` and in the others
/// * `widths`: q of both
pub fn rescaled(kernel: Kernel, medians: [f64; 2], widths: [usize; 2]) -> Kernel {
    let ratio = medians[1] / medians[0];
    let euclidean = ratio * (widths[1] as f64 / widths[0].max(1) as f64).sqrt();
    let factor = match kernel {
        Kernel::Laplacian { .. } => ratio,
        Kernel::Gaussian { .. } => euclidean,
        Kernel::Rbf { .. } => euclidean.powi(-2),
        Kernel::Constant | Kernel::Group => 1.0,
    };
    let wider = kernel.gamma().map(|gamma| kernel.with_gamma(gamma * factor));
    wider.filter(|kernel| kernel.check().is_ok()).unwrap_or(kernel)
}

/// The embeddings of which a choice is two principal components, computed with it or as a feature map before; none for any
/// other choice.
fn shown_of(data: &Predictions, choice: &FeatureChoice) -> Option<Vec<String>> {
    let of = match choice {
        FeatureChoice::Pca { pca: SHOWN, .. } => columns_of(data, choice),
        FeatureChoice::Pca { .. } => return None,
        FeatureChoice::One(name) => mapped(data, name)?,
        FeatureChoice::Many(names) => match names.as_slice() {
            [name] => mapped(data, name)?,
            _ => return None,
        },
    };
    let is_embedding = |name: &String| match find(data, name).map(|column| &column.values) {
        Ok(Values::Matrix(array)) => array.width >= SEARCHED_FROM,
        _ => false,
    };
    (!of.is_empty() && of.iter().all(is_embedding)).then_some(of)
}

/// The arrays of which a feature map is two principal components, unscaled. O(width).
fn mapped(data: &Predictions, name: &str) -> Option<Vec<String>> {
    let (_, projection) = data.projections.iter().find(|(known, _)| known == name)?;
    let projection = projection.as_ref()?;
    let entries = projection.of.len();
    let lengths = projection.components.chunks_exact(entries.max(1)).map(|row| row.iter().map(|x| x * x).sum::<f64>());
    let lengths: Vec<f64> = lengths.collect();
    if lengths.len() != SHOWN || lengths.iter().any(|length| (length - 1.0).abs() > UNIT) {
        return None;
    }
    let mut arrays: Vec<String> = Vec::new();
    for entry in &projection.of {
        let (array, _) = entry.rsplit_once('[')?;
        if arrays.last().is_none_or(|last| last != array) {
            arrays.push(array.to_owned());
        }
    }
    let whole: usize = arrays.iter().filter_map(|name| find(data, name).ok()).map(|c| width(&c.values)).sum();
    (whole == entries).then_some(arrays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bandwidth_keeps_its_share_of_the_distances() {
        let of = |kernel: Kernel| rescaled(kernel, [0.5, 1.0], [2, 8]).gamma().unwrap_or(f64::NAN);
        assert_eq!(of(Kernel::Laplacian { gamma: 0.3 }), 0.6);
        assert_eq!(of(Kernel::Gaussian { gamma: 0.3 }), 1.2);
        // exp(−γ d²): d is four times as large
        assert_eq!(of(Kernel::Rbf { gamma: 0.8 }), 0.05);
        let kernel = Kernel::Laplacian { gamma: 0.3 };
        assert_eq!(rescaled(kernel, [0.0, 1.0], [2, 10]), kernel, "without a distance it stays");
        assert_eq!(rescaled(Kernel::Group, [1.0, 2.0], [2, 10]), Kernel::Group);
    }
}
