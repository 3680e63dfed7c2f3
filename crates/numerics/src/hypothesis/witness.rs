//! The witness: the mean difference of outcome and score over rows with similar covariates and similar scores.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, message, phrases};
use crate::kernel::{Kernel, Part, Points};
use crate::local::{LocalQueries, LocalSample, standard_error_of, within_bins};
use crate::num::order;
use crate::num::rng::Lanes;
use crate::words::number::significant;

/// How the kernels on scores and on covariates are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WitnessForm {
    /// exp(−(p − p′)²/w²) · exp(−γ‖x − x′‖²)
    #[default]
    Product,
    /// the score as a further covariate: exp(−γ‖(x, p) − (x′, p′)‖²); distinguishes scores only weakly
    Concatenated,
}

/// The kernel of the witness.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WitnessKernel {
    /// how p and x are put together
    pub form: WitnessForm,
    /// w: width in the score; infinite: scores do not matter; not used by the concatenated form
    pub width_p: f64,
    /// γ ≥ 0: inverse squared width in the covariates; 0: covariates do not matter
    pub gamma: f64,
}

/// γ of the concatenated form where none is asked for.
pub const GAMMA_CONCATENATED: f64 = 0.5;

/// Medians of the kernel over pairs beyond which the default γ is replaced.
const TOO_NARROW: f64 = 1e-6;
const TOO_WIDE: f64 = 0.999;

/// Squares of scaled coordinates must stay numbers.
const LARGEST_SCALE: f64 = 1e150;

/// On coordinates that are scaled by their widths every form is this one kernel.
pub const SCALED: Kernel = Kernel::Rbf { gamma: 1.0 };

impl WitnessKernel {
    /// Refuses widths that are none.
    ///
    /// # Errors
    /// `invalid_option`.
    pub fn check(&self) -> Result<()> {
        if self.width_p > 0.0 && self.gamma >= 0.0 && self.gamma.is_finite() {
            return Ok(());
        }
        Err(Error::new(
            "invalid_option",
            message![
                phrases::WIDTH_P,
                format!(
                    " is {} and γ is {}; the first must be positive, the second at least 0.",
                    self.width_p, self.gamma
                )
            ],
            message!["The paper uses ", phrases::WIDTH_P, " = 0.1 and γ = 0.5 or 25."],
        ))
    }

    /// The kernel of a width in the score and a γ; without a γ, 1/d (0.5 for the concatenated form), or 1 over the
    /// median squared distance where that would give all pairs a weight of 0, or of 1; and what a person should know
    /// about it.
    ///
    /// # Errors
    /// As [`WitnessKernel::check`].
    ///
    /// * `x`: covariates, shape (n, d); `p`: scores, length n
    ///
    /// # Cost
    /// That of [`median_pair`].
    pub fn chosen(
        form: WitnessForm,
        (width_p, gamma): (f64, Option<f64>),
        x: Points,
        p: &[f64],
    ) -> Result<(Self, Option<String>)> {
        let usual = match form {
            WitnessForm::Product => 1.0 / x.d() as f64,
            WitnessForm::Concatenated => GAMMA_CONCATENATED,
        };
        let mut kernel = Self { form, width_p, gamma: gamma.unwrap_or(usual) };
        kernel.check()?;
        let Some(PairMedians { kernel: median, squared_distance: square }) = median_pair(&kernel, x, p) else {
            return Ok((kernel, None));
        };
        let compared = if median < TOO_NARROW {
            "almost no rows"
        } else if median > TOO_WIDE {
            "all rows equally"
        } else {
            return Ok((kernel, None));
        };
        // of the concatenated form γ is also the width in the score: it stays as published
        if gamma.is_none() && square > 0.0 && form == WitnessForm::Product {
            kernel.gamma = 1.0 / square;
            let note = format!(
                "The default γ = {} would compare {compared}; γ = {} is used instead, 1 over the median squared \
                 distance between rows.",
                significant(usual),
                significant(kernel.gamma)
            );
            return Ok((kernel, Some(note)));
        }
        let note = format!(
            "With γ = {} the kernel compares {compared} (median over pairs {}).",
            significant(kernel.gamma),
            significant(median)
        );
        Ok((kernel, Some(note)))
    }

    /// Factors on each covariate and on the score.
    pub fn scales(&self) -> (f64, f64) {
        let x = self.gamma.sqrt().min(LARGEST_SCALE);
        let p = match self.form {
            WitnessForm::Product => (1.0 / self.width_p).min(LARGEST_SCALE),
            WitnessForm::Concatenated => x,
        };
        (x, p)
    }

    /// Coordinates under which the kernel is [`SCALED`], shape (n, d + 1): of every row d covariates, then the score.
    ///
    /// * `x`: covariates, shape (n, d); `p`: scores, length n
    ///
    /// # Errors
    /// `length_mismatch` unless there is one row of covariates per score.
    pub fn places(&self, x: Points, p: &[f64]) -> Result<Array2<f64>> {
        if x.n() != p.len() {
            return Err(Error::new(
                "length_mismatch",
                format!("{} rows of covariates for {} scores", x.n(), p.len()),
                "every score needs its row of covariates",
            ));
        }
        let (of_x, of_p) = self.scales();
        let mut places = Array2::zeros((p.len(), x.d() + 1));
        for (i, (mut place, p)) in places.rows_mut().into_iter().zip(p).enumerate() {
            let coordinates = x.row(i).iter().map(|x| x * of_x).chain([p * of_p]);
            place.iter_mut().zip(coordinates).for_each(|(to, coordinate)| *to = coordinate);
        }
        Ok(places)
    }
}

/// Local calibration bias at some places, and how well it is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocalBias {
    /// LCB in [−1, 1]; positive: scores are too low here; `NaN` without any neighbor
    pub lcb: Vec<f64>,
    /// Σ k
    pub mass: Vec<f64>,
    /// (Σ k)² / Σ k²
    pub n_eff: Vec<f64>,
    /// standard error of `lcb`
    pub se: Vec<f64>,
}

/// LCB(x′, p′) = Σ_i (t_i − s_i) k / Σ_i k at every query of this part, in the order of the queries.
///
/// Sums are taken relative to the nearest row, so that no query ends in 0/0: far from everyone the answer is that of
/// the nearest rows. With a constant kernel it is the mean residual.
///
/// * `sample`: rows at [`WitnessKernel::places`]; only rows of the same `bin` meet, give all of them one
///
/// # Errors
/// As the kernel sums.
///
/// # Cost
/// O(n d) per query, twice: for the bias and for its standard error.
///
/// # Source
/// Vashistha and Farahi (2025), I-trustworthy models, the witness function of the KLCE.
///
/// ```
/// use localcal_numerics::hypothesis::witness::{WitnessForm, WitnessKernel, witness};
/// use localcal_numerics::kernel::{Part, Points};
/// use localcal_numerics::local::{LocalQueries, LocalSample};
/// use ndarray::array;
///
/// // kernel e^(−Δx²) at x = 0 and √ln 2, where it is ½; the score is the same, so its width does not matter
/// let (p, y, x) = ([0.5, 0.5], [1, 0], array![[0.0], [f64::ln(2.0).sqrt()]]);
/// let kernel = WitnessKernel { form: WitnessForm::Product, width_p: 0.1, gamma: 1.0 };
/// let places = kernel.places(Points::new(x.view())?, &p)?;
/// let sample = LocalSample::new(&p, &y, &[0, 0], Points::new(places.view())?)?;
/// let found = witness(&sample, &LocalQueries::Sample { leave_one_out: false }, Part::WHOLE)?;
/// // at the first row (1 · ½ + ½ · (−½)) / (1 + ½)
/// assert!((found.lcb[0] - 1.0 / 6.0).abs() < 1e-12 && (found.lcb[1] + 1.0 / 6.0).abs() < 1e-12);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn witness(sample: &LocalSample, queries: &LocalQueries, part: Part) -> Result<LocalBias> {
    let residual: Vec<f64> = (0..sample.n()).map(|row| sample.residual(row)).collect();
    let sums = within_bins(sample, queries, &residual, 1, SCALED, true, part)?;
    let n_eff = sums.n_eff.unwrap_or_default();
    let se = standard_error_of(sample, queries, SCALED, &sums.mean, &n_eff, part)?;
    let mut found = LocalBias::default();
    for i in (0..sums.answered.len()).filter(|&i| sums.answered[i]) {
        found.lcb.push(0.0 - sums.mean[i]);
        found.mass.push(sums.mass[i]);
        found.n_eff.push(n_eff[i]);
        found.se.push(se[i]);
    }
    Ok(found)
}

/// Medians over pairs of different rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairMedians {
    /// of the kernel, in [0, 1]
    pub kernel: f64,
    /// of ‖x − x′‖² over the covariates as they stand, in their squared units
    pub squared_distance: f64,
}

/// Medians over some pairs of different rows: of the kernel, and of ‖x − x′‖² (d coordinates, unscaled).
///
/// If the median of the kernel is near 0, almost no rows are compared; if it is near 1, all rows are. All pairs are
/// used if there are at most 2,000, else 2,000 seeded ones of the rows in order of their coordinates: the order in the
/// file does not matter.
///
/// * `x`: covariates, shape (n, d); `p`: scores, length n
/// * returns: `None` with fewer than two rows, or where scores and rows of covariates differ in number
///
/// # Cost
/// One sort of the rows, and O(d) a pair.
pub fn median_pair(kernel: &WitnessKernel, x: Points, p: &[f64]) -> Option<PairMedians> {
    const PAIRS: usize = 2000;
    let n = p.len();
    if n < 2 || x.n() != n {
        return None;
    }
    let (of_x, of_p) = kernel.scales();
    let mut pairs = Vec::with_capacity(PAIRS);
    if n < PAIRS && n * (n - 1) / 2 <= PAIRS {
        pairs.extend((0..n).flat_map(|i| (0..i).map(move |j| (i, j))));
    } else {
        let mut rows: Vec<u32> = (0..n as u32).collect();
        order::sort(&mut rows, &|a, b| {
            let (a, b) = (*a as usize, *b as usize);
            let coordinates = |i: usize| x.row(i).iter().chain(p.get(i));
            coordinates(a)
                .zip(coordinates(b))
                .map(|(a, b)| a.total_cmp(b))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        let mut lanes = Lanes::seeded(0, 0x6d65_6469);
        while pairs.len() < PAIRS {
            let [a, b, ..] = lanes.uniform();
            let (i, j) = ((a * n as f64) as usize, (b * (n - 1) as f64) as usize);
            let j = j + usize::from(j >= i);
            let (Some(&i), Some(&j)) = (rows.get(i), rows.get(j)) else {
                return None;
            };
            pairs.push((i as usize, j as usize));
        }
    }
    let (mut values, mut squares) = (Vec::with_capacity(pairs.len()), Vec::with_capacity(pairs.len()));
    for (i, j) in pairs {
        let square: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum();
        let of_score = ((p[i] - p[j]) * of_p).powi(2);
        values.push((-(square * of_x * of_x) - of_score).exp());
        squares.push(square);
    }
    let median = |values: &mut Vec<f64>| crate::num::quantile::median(values);
    Some(PairMedians { kernel: median(&mut values)?, squared_distance: median(&mut squares)? })
}

#[cfg(test)]
#[path = "witness_tests.rs"]
mod tests;
