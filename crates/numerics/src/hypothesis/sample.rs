//! Rows of the KLCE test: places, scores, outcomes.

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::KlceKernel;
use super::nearby::proximity_order;
use crate::error::{Error, Result};
use crate::kernel::Points;
use crate::table::Column;

/// n rows in an order in which neighbors stand together.
///
/// Both factors of the kernel are Gaussian, so their product is one Gaussian of joint coordinates
/// z = (p / w_p, √γ X): K_ij = exp(−‖z_i − z_j‖²).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KlceSample {
    n: usize,
    /// coordinates of a row; those that do not count are left out
    d: usize,
    /// 1 for (score, target) pairs; the number of classes for whole vectors
    planes: usize,
    /// row-major n × d, centered
    z: Column<f64>,
    /// probabilities of each plane, row-major n × planes
    p: Column<f64>,
    /// the plane that happened; `planes` where none did (target 0 of a pair)
    happened: Column<u32>,
    /// places of the rows as they were given
    order: Column<u32>,
    /// chances that outcomes are drawn with, one after another by draw; none: those of `p`
    truths: Vec<Column<f64>>,
}

impl KlceSample {
    /// Pairs (p, y) of a binary score with covariates, e = y − p.
    ///
    /// * `p` in [0, 1], `y` 0 or 1, one each per place
    ///
    /// # Errors
    /// `empty` without rows, `length_mismatch`, `probability_out_of_range`, `invalid_option` for a width.
    ///
    /// # Cost
    /// O(n d log n): rows are put in an order in which neighbors stand together.
    pub fn pairs(p: &[f64], y: &[u8], places: Points, kernel: KlceKernel) -> Result<Self> {
        if y.len() != p.len() {
            return Err(mismatch(p.len(), y.len(), "outcomes"));
        }
        let happened = y.iter().map(|&y| u32::from(y == 0)).collect();
        Self::new(p, 1, happened, places, kernel)
    }

    /// Whole probability vectors with covariates: the kernel on scores looks at the vector, and e_i e_j becomes
    /// (onehot(y_i) − P_i)ᵀ(onehot(y_j) − P_j).
    ///
    /// * `p`: probabilities, shape (n, m); `y`: class of each row, below m
    ///
    /// # Errors
    /// As [`KlceSample::pairs`]; `label_out_of_range` for a class that has no probability.
    pub fn vectors(p: ArrayView2<f64>, y: &[u32], places: Points, kernel: KlceKernel) -> Result<Self> {
        let (n, m) = p.dim();
        if m == 0 || n != y.len() {
            return Err(mismatch(p.len(), y.len() * m, "probabilities for the classes"));
        }
        if let Some(row) = y.iter().position(|&y| y as usize >= m) {
            return Err(Error::new(
                "label_out_of_range",
                format!("Row {} has class {} of {m}.", row + 1, y[row]),
                "Every class needs a probability.",
            ));
        }
        let p: Vec<f64> = p.iter().copied().collect();
        Self::new(&p, m, y.to_vec(), places, kernel)
    }

    fn new(p: &[f64], planes: usize, happened: Vec<u32>, places: Points, kernel: KlceKernel) -> Result<Self> {
        kernel.check()?;
        let n = happened.len();
        if n == 0 {
            return Err(Error::new("empty", "There are no rows to test.", "Choose rows with a score and an outcome."));
        }
        if places.n() != n {
            return Err(mismatch(places.n(), n, "rows with covariates"));
        }
        if let Some(bad) = p.iter().position(|p| !(0.0..=1.0).contains(p)) {
            return Err(Error::new(
                "probability_out_of_range",
                format!("Row {} has a probability of {}.", bad / planes + 1, p[bad]),
                "Probabilities must lie between 0 and 1.",
            ));
        }
        let on_scores = 1.0 / kernel.width_p;
        let on_places = kernel.gamma.sqrt();
        let scores = if on_scores > 0.0 { planes } else { 0 };
        let covariates = if on_places > 0.0 { places.d() } else { 0 };
        let d = scores + covariates;
        let mut z = Vec::with_capacity(n * d);
        for i in 0..n {
            let own = &p[i * planes..i * planes + scores];
            z.extend(own.iter().map(|p| p * on_scores));
            z.extend(places.row(i).iter().take(covariates).map(|x| x * on_places));
        }
        center(&mut z, d);
        let order = proximity_order(&z, d, n);
        let gathered = |from: &[f64], width: usize| -> Column<f64> {
            let row = |&row: &u32| &from[row as usize * width..(row as usize + 1) * width];
            order.iter().flat_map(row).copied().collect()
        };
        Ok(Self {
            n,
            d,
            planes,
            z: gathered(&z, d),
            p: gathered(p, planes),
            happened: order.iter().map(|&row| happened[row as usize]).collect(),
            order: order.into(),
            truths: Vec::new(),
        })
    }

    /// n.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Coordinates of a row, score included.
    pub fn d(&self) -> usize {
        self.d
    }

    /// Residuals of a row: 1, or the number of classes.
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// Place of each row among the rows as they were given.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The same rows with outcomes drawn from other chances than p, one entry per row of a pair: draw b from `truths[b mod
    /// their number]`.
    pub(super) fn with_truths(&self, truths: &[Vec<f64>]) -> Self {
        Self { truths: truths.iter().map(|truth| truth.clone().into()).collect(), ..self.clone() }
    }

    /// What outcomes are drawn from.
    pub(super) fn truths(&self) -> &[Column<f64>] {
        if self.truths.is_empty() { std::slice::from_ref(&self.p) } else { &self.truths }
    }

    pub(super) fn z(&self) -> &[f64] {
        &self.z
    }

    /// p, row-major n × planes.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// The plane that happened in each row; as many as there are planes where none did.
    pub fn observed(&self) -> &[u32] {
        &self.happened
    }

    /// e = outcome − p, row-major n × planes.
    ///
    /// * returns: numbers in [−1, 1], in this sample's order
    pub fn residuals(&self) -> Vec<f64> {
        self.residuals_of(&self.happened)
    }

    /// The same of any outcomes, in this sample's order.
    pub(super) fn residuals_of(&self, happened: &[u32]) -> Vec<f64> {
        let mut e: Vec<f64> = self.p.iter().map(|p| -p).collect();
        for (row, &plane) in e.chunks_exact_mut(self.planes).zip(happened) {
            if let Some(e) = row.get_mut(plane as usize) {
                *e += 1.0;
            }
        }
        e
    }

    /// K of rows `i` and `j`, places in this sample's order.
    pub fn kernel(&self, i: usize, j: usize) -> f64 {
        let at = |i: usize| self.z.get(i * self.d..(i + 1) * self.d).unwrap_or(&[]);
        let square = |(a, b): (&f64, &f64)| (a - b) * (a - b);
        let exponent: f64 = at(i).iter().zip(at(j)).map(square).sum();
        (-exponent).exp()
    }
}

/// Moves the means to 0: differences stay exact enough where columns have large offsets.
fn center(z: &mut [f64], d: usize) {
    let n = z.len() / d.max(1);
    for c in 0..d {
        let mean = z.iter().skip(c).step_by(d).map(|v| v / n as f64).sum::<f64>();
        if mean.is_finite() {
            z.iter_mut().skip(c).step_by(d).for_each(|v| *v -= mean);
        }
    }
}

fn mismatch(found: usize, expected: usize, what: &str) -> Error {
    Error::new(
        "length_mismatch",
        format!("{found} {what} where {expected} are needed."),
        "Every row needs a score, an outcome and covariates.",
    )
}
