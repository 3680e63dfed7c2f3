//! The worlds of figures 3 and 5 of the I-trustworthy paper: how often its test is wrong where the truth is known.
//!
//! Source: Vashistha and Farahi (2025), section 4 and supplement A.2.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::hypothesis::{KlceKernel, KlceSample, ManyOutcomes, Null, SHUFFLES};
use crate::kernel::Points;
use crate::num::rng::Lanes;
use crate::num::special::sigmoid;

/// Which worlds outcomes are drawn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Study {
    /// that of the open file
    #[default]
    OpenFile,
    /// x ~ N(0, 1), p = σ(x/2 − 1), y ~ Bernoulli(p), 50 rows, kernel on p alone, its width from 0.01 to 0.99
    #[serde(rename = "type_1_width")]
    Type1Width,
    /// the same at a width of 0.2, from 20 to 100 rows
    #[serde(rename = "type_1_size")]
    Type1Size,
    /// x ~ N(0, I_d), y ~ Bernoulli(σ(Σ x)), the audited model leaves the last coordinate out; d from 10 to 50, 100, 500 and
    /// 1,000 rows
    #[serde(rename = "type_2")]
    Type2,
}

/// Nulls that are held beside each other: that of the paper's simulations, and that of the verdict.
pub const NULLS: [Null; 2] = [Null::Permute, Null::Bernoulli];
/// Draws of the null of the verdict.
const DRAWS: usize = 199;

/// One setting of a study.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudySetting {
    /// rows of each file
    pub rows: usize,
    /// covariates
    pub d: usize,
    /// w_p
    pub width_p: f64,
    /// value on the axis: width, rows or d
    pub x: f64,
    /// value published in the paper; null if it gives no number
    pub published: Option<f64>,
}

/// Type-II rates by d = 10, 20, 30, 40, 50.
const MISSED: [(usize, [f64; 5]); 3] = [
    (1000, [0.0, 0.001, 0.012, 0.051, 0.150]),
    (500, [0.006, 0.069, 0.242, 0.426, 0.534]),
    (100, [0.595, 0.770, 0.851, 0.877, 0.896]),
];

impl Study {
    /// Its settings, in the order in which they are told; none for the open file.
    pub fn settings(self) -> Vec<StudySetting> {
        let one = |rows, width_p, x| StudySetting { rows, d: 1, width_p, x, published: None };
        match self {
            Self::OpenFile => Vec::new(),
            Self::Type1Width => (0..11).map(|step| 0.01 + 0.098 * f64::from(step)).map(|w| one(50, w, w)).collect(),
            Self::Type1Size => (1..=5).map(|step| one(20 * step, 0.2, 20.0 * step as f64)).collect(),
            Self::Type2 => MISSED
                .iter()
                .flat_map(|(rows, rates)| {
                    (1..).zip(rates).map(|(step, rate)| StudySetting {
                        rows: *rows,
                        d: 10 * step,
                        width_p: 5.0,
                        x: 10.0 * step as f64,
                        published: Some(*rate),
                    })
                })
                .collect(),
        }
    }

    /// Whether the audited model is wrong.
    pub fn miscalibrated(self) -> bool {
        self == Self::Type2
    }

    /// Expected milliseconds of one file.
    pub fn cost(self, setting: &StudySetting) -> f64 {
        let pairs = (setting.rows * setting.rows) as f64 / 2.0;
        0.05 + pairs * (SHUFFLES as f64 * 1.2e-7 + DRAWS as f64 * 1.2e-8 + 1e-5)
    }

    /// p-values of the files `range` of one setting under `NULLS`; where p > `alpha`, of as many shuffles as show that.
    ///
    /// # Errors
    /// As [`KlceSample::pairs`].
    pub fn p_values(
        self,
        setting: &StudySetting,
        (seed, alpha): (u64, f64),
        range: Range<usize>,
    ) -> Result<[Vec<f64>; 2]> {
        let mut found = NULLS.map(|_| Vec::with_capacity(range.len()));
        for file in range {
            let (sample, outcome) = self.file(setting, seed, file)?;
            let many = ManyOutcomes::new(&sample, None, true);
            // Apart from the stream of the file.
            let [a, b, ..] = Lanes::seeded(seed, 1 << 45 | file as u64).next();
            let own = u64::from(a) << 32 | u64::from(b);
            let shuffled = many.shuffled(&outcome, &NULLS[..1], SHUFFLES, own, Some(alpha));
            let drawn = many.drawn(std::slice::from_ref(&outcome), DRAWS, own);
            for (all, p) in found.iter_mut().zip([shuffled, drawn]) {
                all.push(p.first().copied().flatten().unwrap_or(f64::NAN));
            }
        }
        Ok(found)
    }

    /// One file: the audited scores with their places, and the outcomes.
    fn file(self, setting: &StudySetting, seed: u64, file: usize) -> Result<(KlceSample, Vec<u32>)> {
        let StudySetting { rows: n, d, width_p, .. } = *setting;
        let stream = (self as u64) << 60 | (d as u64) << 48 | (n as u64) << 32 | file as u64;
        let mut lanes = Lanes::seeded(seed, stream);
        let x: Vec<f64> = std::iter::repeat_with(|| lanes.normal()).flatten().take(n * d).collect();
        let share = |row: &[f64]| match self {
            Self::Type2 => sigmoid(row.iter().sum()),
            _ => sigmoid(row.iter().sum::<f64>() / 2.0 - 1.0),
        };
        let truth: Vec<f64> = x.chunks_exact(d).map(share).collect();
        let u = std::iter::repeat_with(|| lanes.uniform()).flatten();
        let target: Vec<u8> = truth.iter().zip(u).map(|(p, u)| u8::from(u < *p)).collect();
        let said = match self {
            Self::Type2 => x.chunks_exact(d).map(|row| share(&row[..d - 1])).collect(),
            _ => truth,
        };
        let gamma = if self.miscalibrated() { 1.0 / (width_p * width_p) } else { 0.0 };
        let sample = KlceSample::pairs(&said, &target, Points::row_major(d, &x)?, KlceKernel { width_p, gamma })?;
        Ok((sample, target.iter().map(|&t| u32::from(t == 0)).collect()))
    }
}
