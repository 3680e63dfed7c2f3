//! Bandwidth, bins and coordinates of LoRe chosen on inner folds of the calibration rows.

use serde::{Deserialize, Serialize};

use super::entry::Lore;
use super::lore;
use crate::error::Result;
use crate::feature::within::strata;
use crate::feature::{FeatureChoice, Features};
use crate::kernel::{Kernel, Part, Points};
use crate::local::LocalSample;
use crate::metric::binning::BinOptions;
use crate::num::moments::mean_and_sd;
use crate::recalibrate::in_common::Parted;
use crate::recalibrate::inner::{FOLDS, InnerValidation, loss_of};

/// Bandwidths that are tried, the smoothest first: times the mean standard deviation of the coordinates.
const GAMMAS: [f64; 5] = [1.6, 0.8, 0.4, 0.2, 0.1];
/// Numbers of bins that are tried, the smoothest first.
const BINS: [usize; 4] = [5, 10, 15, 20];

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoreSetting {
    /// γ in mean standard deviations of the coordinates, where it is chosen
    pub gamma: Option<f64>,
    /// number of bins, where it is chosen
    pub bins: Option<usize>,
    /// coordinates, where there is a choice of them
    pub features: Option<FeatureChoice>,
}

/// Places of the calibration rows in coordinates that may be chosen.
pub(super) struct LoreSpace {
    d: usize,
    x: Vec<f64>,
    /// what neighbors have in common, a code each; empty where all can be neighbors
    codes: Vec<u32>,
    /// mean of the standard deviations of the coordinates; 1 where none varies
    scale: f64,
}

impl LoreSpace {
    /// Some rows in these coordinates, of which the last `width` say what neighbors have in common.
    pub(super) fn of(features: &Features, rows: &[u32], width: usize) -> Self {
        let parted = Parted::of(&features.select(rows), features.d, width);
        let codes = parted.own_codes();
        let Parted { d, x, .. } = parted;
        let sd = |axis: usize| {
            let values: Vec<f64> = x.iter().skip(axis).step_by(d).copied().collect();
            Some(mean_and_sd(&values).1).filter(|sd| sd.is_finite()).unwrap_or(0.0)
        };
        let mean = (0..d).map(sd).sum::<f64>() / d.max(1) as f64;
        Self { d, scale: if mean > 0.0 { mean } else { 1.0 }, x, codes }
    }
}

/// A setting and the place of its coordinates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LoreTried {
    space: usize,
    setting: LoreSetting,
}

impl Lore {
    /// Every combination of what is to be chosen, the smoothest first: by γ, then fewer bins, then the order of the spaces.
    pub(super) fn settings(&self) -> Vec<LoreTried> {
        let gammas = if self.chooses_gamma { GAMMAS.map(Some).to_vec() } else { vec![None] };
        let bins = if self.chooses_bins { BINS.map(Some).to_vec() } else { vec![None] };
        let several = self.spaces.len() > 1;
        let mut tried = Vec::new();
        for &gamma in &gammas {
            for &bins in &bins {
                for (space, choice) in self.spaces.iter().enumerate() {
                    let features = several.then(|| choice.clone());
                    tried.push(LoreTried { space, setting: LoreSetting { gamma, bins, features } });
                }
            }
        }
        tried
    }

    /// The kernel of a setting in a space.
    pub(super) fn kernel_of(&self, setting: &LoreSetting, space: Option<&LoreSpace>) -> Kernel {
        let (Some(gamma), Some(space)) = (setting.gamma, space) else { return self.kernel };
        let width = gamma * space.scale;
        // the parameter of this one is an inverse squared width
        let inverse = matches!(self.kernel, Kernel::Rbf { .. });
        self.kernel.with_gamma(if inverse { 0.5 / (width * width) } else { width })
    }

    /// The bins of a setting.
    pub(super) fn bins_of(&self, setting: &LoreSetting) -> BinOptions {
        BinOptions { count: setting.bins.unwrap_or(self.bins.count), ..self.bins }
    }
}

/// Every setting on inner folds: LoRe fitted on the other folds scores each row, and the smoothest setting is chosen whose
/// NLL is the smallest up to one paired standard error.
///
/// # Errors
/// As [`lore`]; those of bins.
///
/// # Cost
/// A fit and scores of every row, a setting.
pub(super) fn cross_validated(
    s: &[f64],
    t: &[u8],
    spaces: &[LoreSpace],
    fold: &[u8],
    (method, tried): (&Lore, Vec<LoreTried>),
    progress: &mut dyn FnMut(f64),
) -> Result<Option<InnerValidation<LoreSetting>>> {
    let mut losses = Vec::with_capacity(tried.len());
    for (place, LoreTried { space, setting }) in tried.iter().enumerate() {
        let mut own = vec![f64::NAN; s.len()];
        let Some(space) = spaces.get(*space) else { continue };
        let at = Points::row_major(space.d, &space.x)?;
        let kernel = method.kernel_of(setting, Some(space));
        for held in 0..FOLDS {
            let (rows, out): (Vec<u32>, Vec<u32>) =
                (0..s.len() as u32).partition(|&row| usize::from(fold[row as usize]) != held);
            let of = |rows: &[u32]| -> Vec<f64> { rows.iter().map(|&row| s[row as usize]).collect() };
            let (score, new) = (of(&rows), of(&out));
            let target: Vec<u8> = rows.iter().map(|&row| t[row as usize]).collect();
            let (known, places) = (at.gather(&rows), at.gather(&out));
            let bins = method.bins_of(setting).binning(&score)?;
            let known = Points::row_major(space.d, &known)?;
            let bin = strata(&space.codes, bins.assignment, &rows);
            let sample = LocalSample::new(&score, &target, &bin, known)?;
            let new_bins = strata(&space.codes, bins.edges.assignment(&new), &out);
            let places = Points::row_major(space.d, &places)?;
            let found = lore(&sample, &new_bins, &new, places, kernel, Part::WHOLE, &mut |_| ())?;
            for (&row, score) in out.iter().zip(found.score) {
                own[row as usize] = loss_of(score, t[row as usize]);
            }
            progress((place * FOLDS + held + 1) as f64 / (tried.len() * FOLDS) as f64);
        }
        losses.push(own);
    }
    let settings = tried.into_iter().map(|one| one.setting).collect();
    Ok(InnerValidation::smoothest(settings, &losses))
}
