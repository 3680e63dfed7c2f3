//! Class-wise calibration error: each class's probability against whether that class happened.

use ndarray::ArrayView2;

use super::binning::{BinEdges, BinOptions, BinScheme};
use super::ece::ece;
use super::entry::{BinsInName, Discloses, Interval, Metric, Replicates, ValueOf, Weights};
use super::labels::check_labels;
use super::reason::Reason;
use super::reliability::reliability_table;
use crate::error::Result;

/// What is left out of a class-wise error.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClasswiseOptions {
    /// probabilities below this are not looked at (0: all are)
    pub threshold: f64,
    /// classes that never happen do not count
    pub skip_absent: bool,
}

/// Class-wise calibration error.
#[derive(Debug, Clone, PartialEq)]
pub struct Classwise {
    /// ECE of (P[:, k], 1[y = k]) for every class; `None` where a class was left out
    pub per_class: Vec<Option<f64>>,
    /// mean over the classes that were not left out
    pub mean: Option<f64>,
}

/// (1/m) Σ_k ECE(P[:, k], 1[y = k]): static with equal-width bins, adaptive with equal-mass bins.
///
/// * `p`: probabilities, n × m; `y`: classes 0..m, n
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`, `invalid_option`.
///
/// # Cost
/// O(nm), with equal mass m sorts of n scores.
///
/// # Source
/// Nixon et al. (2019), equations 4 (static) and 5 (adaptive).
///
/// ```
/// use localcal_numerics::metric::binning::BinOptions;
/// use localcal_numerics::metric::classwise::{ClasswiseOptions, classwise_ece};
/// use ndarray::array;
///
/// // each class gets 0.75 where it happens and 0.25 where it does not
/// let p = array![[0.75, 0.25], [0.25, 0.75]];
/// let error = classwise_ece(p.view(), &[0, 1], &BinOptions::default(), &ClasswiseOptions::default())?;
/// assert_eq!(error.mean, Some(0.25));
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn classwise_ece(
    p: ArrayView2<f64>,
    y: &[u32],
    bins: &BinOptions,
    options: &ClasswiseOptions,
) -> Result<Classwise> {
    check_labels(p.dim(), y)?;
    let mut present = vec![false; p.ncols()];
    y.iter().for_each(|&k| present[k as usize] = true);
    let mut per_class = if bins.scheme == BinScheme::EqualWidth {
        let mut sums = ClasswiseSums::new(p.ncols(), bins, options.threshold)?;
        let mut row = vec![0.0; p.ncols()];
        for (of, &class) in p.rows().into_iter().zip(y) {
            row.iter_mut().zip(of).for_each(|(value, of)| *value = *of);
            sums.add(&row, class as usize);
        }
        sums.per_class()
    } else {
        equal_mass(p, y, bins, options.threshold)?
    };
    if options.skip_absent {
        per_class.iter_mut().zip(&present).filter(|(_, present)| !**present).for_each(|(error, _)| *error = None);
    }
    let kept: Vec<f64> = per_class.iter().flatten().copied().collect();
    let mean = (!kept.is_empty()).then(|| kept.iter().sum::<f64>() / kept.len() as f64);
    Ok(Classwise { per_class, mean })
}

/// Class-wise sums over equal-width bins, row by row: no matrix needs to be kept.
#[derive(Debug, Clone)]
pub struct ClasswiseSums {
    edges: BinEdges,
    threshold: f64,
    /// per class and bin: Σ w, and Σ w (score − target)
    cells: Vec<(f64, f64)>,
}

impl ClasswiseSums {
    /// Sums for `m` classes; probabilities below `threshold` are not looked at.
    ///
    /// # Errors
    /// `invalid_option` for a number of bins that is not allowed.
    pub fn new(m: usize, bins: &BinOptions, threshold: f64) -> Result<Self> {
        let edges = bins.with_scheme(BinScheme::EqualWidth).bin_edges(&[])?;
        let cells = vec![(0.0, 0.0); m * edges.count()];
        Ok(Self { edges, threshold, cells })
    }

    /// Adds a row: its probabilities and the class that happened.
    pub fn add(&mut self, row: &[f64], class: usize) {
        self.add_weighted(row, class, 1.0);
    }

    /// Adds a row of weight `w`.
    pub fn add_weighted(&mut self, row: &[f64], class: usize, w: f64) {
        let count = self.edges.count();
        for (k, &score) in row.iter().enumerate() {
            if score >= self.threshold {
                let cell = &mut self.cells[k * count + self.edges.bin_of(score)];
                cell.0 += w;
                cell.1 += w * (score - if k == class { 1.0 } else { 0.0 });
            }
        }
    }

    /// ECE of every class; `None` for a class whose probabilities were all below the threshold.
    pub fn per_class(&self) -> Vec<Option<f64>> {
        let error = |class: &[(f64, f64)]| {
            let n: f64 = class.iter().map(|cell| cell.0).sum();
            (n > 0.0).then(|| class.iter().map(|cell| cell.1.abs()).sum::<f64>() / n)
        };
        self.cells.chunks(self.edges.count().max(1)).map(error).collect()
    }

    /// Mean over the classes that have an error.
    pub fn ece(&self) -> Option<f64> {
        let errors: Vec<f64> = self.per_class().into_iter().flatten().collect();
        (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
    }
}

fn equal_mass(p: ArrayView2<f64>, y: &[u32], bins: &BinOptions, threshold: f64) -> Result<Vec<Option<f64>>> {
    (p.columns().into_iter().enumerate())
        .map(|(k, column)| {
            let (s, t): (Vec<f64>, Vec<u8>) = y
                .iter()
                .zip(column)
                .map(|(&label, &p)| (p, u8::from(label as usize == k)))
                .filter(|(s, _)| *s >= threshold)
                .unzip();
            if s.is_empty() {
                return Ok(None);
            }
            Ok(ece(&reliability_table(&s, &t, bins)?))
        })
        .collect()
}

/// Class-wise ECE: how far off, class by class.
pub static CLASSWISE_ECE: Metric = Metric {
    id: "classwise_ece",
    name: "Class-wise ECE",
    plain: "average gap across bins and classes",
    definition: "Mean over classes of the ECE of the class probability. Needs a probability for every class.",
    formula: "(1/m) Σ_k Σ_b (n_kb/n) |P̄_kb − ȳ_kb|",
    source: "Kull et al. 2019",
    value: ValueOf::Classes(|rows| Ok(rows.classwise_ece.clone())),
    weights: Weights::Form("means of each bin weighted, n_b/n its share of the weight"),
    replicates: Replicates::Classes(|sums| sums.classwise_ece),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    scorecard: true,
    bins: BinsInName::OfRun,
    decides: Some(6),
    chooses: Some(5),
    discloses: Discloses::Sides,
    from_counts: true,
    ..Metric::PLAIN
};

/// Class-wise ACE: how far off, class by class, in bins of equal size.
pub static CLASSWISE_ACE: Metric = Metric {
    id: "classwise_ace",
    name: "Class-wise ACE",
    plain: "average gap across classes and bins of equal size",
    definition: "Mean over classes of the ECE over bins of equal mass.",
    formula: "(1/m) Σ_k Σ_b (n_kb/n) |P̄_kb − ȳ_kb| over bins of equal mass",
    source: "Nixon et al. 2019",
    value: ValueOf::Vectors(|rows| {
        let adaptive =
            BinOptions { count: rows.bins.count, ..BinOptions::default() }.with_scheme(BinScheme::EqualMassRank);
        let error = classwise_ece(rows.p, rows.y, &adaptive, &ClasswiseOptions::default())?;
        Ok(error.mean.ok_or(Reason::undefined("there is no class")))
    }),
    replicates: Replicates::Never,
    interval: Interval::None,
    discloses: Discloses::Sides,
    ..Metric::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{apart, close, f8, matrix, near};

    #[test]
    fn worked_values() {
        let (p, y) = f8();
        let p = p.to_array();
        let fixed =
            classwise_ece(p.view(), &y, &BinOptions::equal_width(5), &ClasswiseOptions::default()).expect("valid");
        for (got, expected) in fixed.per_class.iter().zip([0.196_25, 0.2, 0.321_25]) {
            close(*got, expected);
        }
        close(fixed.mean, 0.239_166_666_666_666_67);
        let rank = BinOptions::equal_width(4).with_scheme(BinScheme::EqualMassRank);
        let adaptive = classwise_ece(p.view(), &y, &rank, &ClasswiseOptions::default()).expect("valid");
        // Rows 2 and 3 say .05 of class 2, and the first edge lies between them: both count with the mean of their outcomes.
        for (got, expected) in adaptive.per_class.iter().zip([0.121_25, 0.15, 0.183_75]) {
            close(*got, expected);
        }
        close(adaptive.mean, 0.151_666_666_666_666_67);
        // With the tie cut as the rows stand, as the reference number has it.
        let cut: Vec<f64> = p.iter().copied().collect();
        let adaptive = classwise_ece(matrix(3, apart(&cut)).to_array().view(), &y, &rank, &ClasswiseOptions::default())
            .expect("valid");
        near(adaptive.mean, 0.158_333_333_333_333_33, 1e-11);
    }

    #[test]
    fn absent_classes_and_small_probabilities_can_be_left_out() {
        let p = f8().0.to_array();
        let y = [0, 0, 1, 1, 1, 1, 0, 0];
        let bins = BinOptions::equal_width(5);
        let skipped =
            classwise_ece(p.view(), &y, &bins, &ClasswiseOptions { skip_absent: true, threshold: 0.0 }).expect("valid");
        assert_eq!(skipped.per_class[2], None);
        let high = ClasswiseOptions { threshold: 0.9, skip_absent: false };
        let high = classwise_ece(p.view(), &y, &bins, &high).expect("valid");
        assert_eq!(high.per_class[1], None);
        close(high.per_class[0], 0.1);
        assert_eq!(
            classwise_ece(p.view(), &[3; 8], &bins, &ClasswiseOptions::default()).expect_err("class 3").code(),
            "label_out_of_range"
        );
    }
}
