//! Density ratio: how much more often such a score and such a proximity are seen among right rows than among all.

use serde::{Deserialize, Serialize};

use super::fit::Fit;
use crate::error::{Error, Result};
use crate::kernel::decay_lanes;
use crate::metric::pair::check_lengths;
use crate::num::special::log_sum_exp;

/// Power of n in the bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exponent {
    /// n^(−1/6), the rule for two coordinates, as the published code runs it
    #[default]
    Code,
    /// n^(−1/5), as the paper prints it
    Paper,
}

/// Settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DensityRatioOptions {
    /// power of n in the bandwidth
    pub exponent: Exponent,
    /// divide by 1e-10 at least, as the published code does: far from every calibration row the answer is then near 0
    pub floor: bool,
}

/// What was learned, without the rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DensityRatio {
    /// h of score and proximity among rows where it happened; empty where scores stay as they are
    pub bandwidth_happened: Vec<f64>,
    /// h of score and proximity among the others
    pub bandwidth_missed: Vec<f64>,
    /// r = n₋/n₊
    pub ratio: f64,
    /// settings
    pub options: DensityRatioOptions,
}

/// The two densities: each a cloud of calibration rows, smoothed.
#[derive(Debug, Clone, PartialEq)]
pub struct Densities {
    happened: Cloud,
    missed: Cloud,
    floor: bool,
}

/// Rows of one outcome in units of their bandwidths.
#[derive(Debug, Clone, PartialEq)]
struct Cloud {
    h: [f64; 2],
    u: Vec<f64>,
    v: Vec<f64>,
}

/// Recalibrated scores, and how many stayed because no density reaches them.
#[derive(Debug, Clone, PartialEq)]
pub struct RatioScores {
    /// c′
    pub score: Vec<f64>,
    /// rows far from all calibration rows
    pub kept: usize,
}

/// Kernel density estimates of (c, D) among rows where it happened, f₊, and among the others, f₋.
///
/// Gaussian product kernels with h_j = 1.06 σ_j n^(−1/6) for each coordinate and outcome (population σ), and
/// c′ = f₊ / (f₊ + r f₋) with r = n₋/n₊. The objective is the mean squared error, on the calibration rows.
///
/// `None` instead of densities, and a warning, where an outcome occurs less than twice or a coordinate does not vary
/// among its rows: scores then stay as they are.
///
/// # Errors
/// `empty`, `length_mismatch`.
///
/// # Cost
/// O(n) to fit; the objective and every application O(queries × n), some 2 ns a pair.
///
/// # Source
/// Xiong et al. (2023), section 4.1.
pub fn fit(
    c: &[f64],
    d: &[f64],
    t: &[u8],
    options: DensityRatioOptions,
) -> Result<Fit<(DensityRatio, Option<Densities>)>> {
    check_lengths(c.len(), t.len())?;
    check_lengths(d.len(), t.len())?;
    let mut learned = DensityRatio {
        options,
        ..DensityRatio::default()
    };
    let before = squared_error(c, t);
    let clouds = [1, 0].map(|outcome| Cloud::new(c, d, t, outcome, options.exponent));
    let [happened, missed] = match clouds {
        [Ok(happened), Ok(missed)] => [happened, missed],
        [Err(why), _] | [_, Err(why)] => {
            let mut fit = Fit::plain((learned, None), before, before);
            fit.warnings
                .push(format!("Scores stay as they are: {why}."));
            return Ok(fit);
        }
    };
    learned.bandwidth_happened = happened.h.to_vec();
    learned.bandwidth_missed = missed.h.to_vec();
    learned.ratio = missed.u.len() as f64 / happened.u.len() as f64;
    let densities = Densities {
        happened,
        missed,
        floor: options.floor,
    };
    Ok(Fit::plain((learned, Some(densities)), before, f64::NAN))
}

fn squared_error(c: &[f64], t: &[u8]) -> f64 {
    let errors = c.iter().zip(t).map(|(c, &t)| (c - f64::from(t)).powi(2));
    errors.sum::<f64>() / c.len() as f64
}

impl Cloud {
    /// Rows with this outcome; or why they have no density.
    fn new(
        c: &[f64],
        d: &[f64],
        t: &[u8],
        outcome: u8,
        exponent: Exponent,
    ) -> std::result::Result<Self, String> {
        let of = |values: &[f64]| -> Vec<f64> {
            let rows = values.iter().zip(t).filter(|(_, t)| **t == outcome);
            rows.map(|(value, _)| *value).collect()
        };
        let (mut u, mut v) = (of(c), of(d));
        let n = u.len();
        let which = if outcome == 1 { "1" } else { "0" };
        if n < 2 {
            return Err(format!("{n} calibration rows have outcome {which}"));
        }
        let power = match exponent {
            Exponent::Code => -1.0 / 6.0,
            Exponent::Paper => -1.0 / 5.0,
        };
        let mut h = [0.0; 2];
        for (h, (values, name)) in h.iter_mut().zip([(&mut u, "score"), (&mut v, "proximity")]) {
            if values.iter().all(|value| *value == values[0]) {
                return Err(format!(
                    "all rows with outcome {which} have the same {name}"
                ));
            }
            let mean = values.iter().sum::<f64>() / n as f64;
            let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
            *h = 1.06 * variance.sqrt() * (n as f64).powf(power);
            if !(*h > 0.0 && h.is_finite()) {
                return Err(format!(
                    "the {name} of rows with outcome {which} hardly varies"
                ));
            }
            values.iter_mut().for_each(|value| *value /= *h);
        }
        Ok(Self { h, u, v })
    }

    /// Σ exp(−½ ((u − u_i)² + (v − v_i)²)) / (n h_c h_D 2π).
    fn density(&self, c: f64, d: f64) -> f64 {
        let (u, v) = (c / self.h[0], d / self.h[1]);
        let mut sum = 0.0;
        // Browsers compile a function well only once it has been called often.
        for (us, vs) in self.u.chunks(CHUNK).zip(self.v.chunks(CHUNK)) {
            sum += kernels(us, vs, u, v);
        }
        sum / self.mass()
    }

    /// The logarithm of the same, where the density itself would be lost.
    fn log_density(&self, c: f64, d: f64) -> f64 {
        let (u, v) = (c / self.h[0], d / self.h[1]);
        let rows = self.u.iter().zip(&self.v);
        let exponents: Vec<f64> = rows
            .map(|(ui, vi)| -0.5 * ((u - ui).powi(2) + (v - vi).powi(2)))
            .collect();
        log_sum_exp(&exponents) - self.mass().ln()
    }

    fn mass(&self) -> f64 {
        self.u.len() as f64 * self.h[0] * self.h[1] * std::f64::consts::TAU
    }
}

/// Rows whose kernels are summed in one call.
const CHUNK: usize = 1024;
/// Sums below this are taken again as logarithms.
const LOST: f64 = 1e-250;
const LANES: usize = 8;

#[inline(never)]
fn kernels(us: &[f64], vs: &[f64], u: f64, v: f64) -> f64 {
    let (u_lanes, u_rest) = us.as_chunks::<LANES>();
    let (v_lanes, v_rest) = vs.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (us, vs) in u_lanes.iter().zip(v_lanes) {
        let mut t = [0.0; LANES];
        for l in 0..LANES {
            let (du, dv) = (u - us[l], v - vs[l]);
            t[l] = 0.5 * (du * du + dv * dv);
        }
        let k = decay_lanes(&t);
        for l in 0..LANES {
            sums[l] += k[l];
        }
    }
    let rest = u_rest.iter().zip(v_rest);
    let rest = rest.map(|(ui, vi)| decay_lanes(&[0.5 * ((u - ui).powi(2) + (v - vi).powi(2))])[0]);
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

impl Densities {
    /// f₊ and f₋ at a score and a proximity.
    pub fn at(&self, c: f64, d: f64) -> [f64; 2] {
        [self.happened.density(c, d), self.missed.density(c, d)]
    }

    /// c′ = f₊ / (f₊ + r f₋) of new rows; where both densities vanish even as logarithms the score stays.
    ///
    /// `progress` hears the share done.
    ///
    /// # Errors
    /// `length_mismatch`.
    pub fn apply(
        &self,
        c: &[f64],
        d: &[f64],
        progress: &mut dyn FnMut(f64),
    ) -> Result<RatioScores> {
        if c.len() != d.len() {
            return Err(Error::new(
                "length_mismatch",
                format!("{} scores against {} proximities", c.len(), d.len()),
                "Give one proximity for every score.",
            ));
        }
        let ratio = self.missed.u.len() as f64 / self.happened.u.len() as f64;
        let mut found = RatioScores {
            score: Vec::with_capacity(c.len()),
            kept: 0,
        };
        for (i, (&c, &d)) in c.iter().zip(d).enumerate() {
            let [happened, missed] = self.at(c, d);
            let all = happened + ratio * missed;
            found.score.push(if self.floor {
                (happened / all.max(1e-10)).clamp(0.0, 1.0)
            } else if happened.max(missed) > LOST {
                (happened / all).clamp(0.0, 1.0)
            } else {
                let odds =
                    self.happened.log_density(c, d) - self.missed.log_density(c, d) - ratio.ln();
                if odds.is_finite() {
                    crate::num::special::sigmoid(odds)
                } else {
                    found.kept += 1;
                    c
                }
            });
            if i % 512 == 0 {
                progress(i as f64 / found.score.capacity() as f64);
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::metric::fixtures::{dr10, near};
    use crate::proximity::tests::heart_proximity;
    use proptest::prelude::*;

    fn fitted(
        c: &[f64],
        d: &[f64],
        t: &[u8],
        options: DensityRatioOptions,
    ) -> (DensityRatio, Densities) {
        let (learned, densities) = fit(c, d, t, options).unwrap().parameters;
        (learned, densities.unwrap())
    }

    fn applied(densities: &Densities, c: &[f64], d: &[f64]) -> Vec<f64> {
        densities.apply(c, d, &mut |_| ()).unwrap().score
    }

    #[test]
    fn worked_values() {
        let (c, d, t) = dr10();
        let (learned, densities) = fitted(&c, &d, &t, DensityRatioOptions::default());
        let h = [&learned.bandwidth_happened[..], &learned.bandwidth_missed].concat();
        for (got, expected) in
            h.iter()
                .zip([0.067_147_12, 0.110_625_48, 0.120_367_21, 0.047_031_36])
        {
            near(Some(*got), expected, 6e-9);
        }
        near(Some(learned.ratio), 0.666_666_67, 4e-9);
        let queries = [(0.8, 0.3), (0.8, 0.8), (0.6, 0.5), (0.1, 0.1)];
        let expected = [
            (0.713_962_61, 6.742_961_68, 0.137_056_16),
            (4.029_288_26, 0.0, 1.0),
            (1.387_027_25, 0.011_764_21, 0.994_377_39),
            (0.0, 0.000_040_24, 0.0),
        ];
        for ((c, d), (happened, missed, score)) in queries.into_iter().zip(expected) {
            let [f1, f0] = densities.at(c, d);
            near(Some(f1), happened, 6e-9);
            near(Some(f0), missed, 6e-9);
            near(Some(applied(&densities, &[c], &[d])[0]), score, 6e-9);
        }
        let paper = DensityRatioOptions {
            exponent: Exponent::Paper,
            ..Default::default()
        };
        let (wider, _) = fitted(&c, &d, &t, paper);
        let shrunk = 6f64.powf(-1.0 / 30.0);
        near(
            Some(wider.bandwidth_happened[0]),
            learned.bandwidth_happened[0] * shrunk,
            1e-15,
        );
    }

    #[test]
    fn far_from_every_row_the_ratio_is_still_one() {
        let (c, d, t) = dr10();
        let (_, densities) = fitted(&c, &d, &t, DensityRatioOptions::default());
        let far = densities
            .apply(&[0.5, 0.5], &[40.0, f64::MAX], &mut |_| ())
            .unwrap();
        assert_eq!(densities.at(0.5, 40.0), [0.0, 0.0]);
        assert_eq!((far.score[0], far.score[1], far.kept), (1.0, 0.5, 1));
        let floor = DensityRatioOptions {
            floor: true,
            ..Default::default()
        };
        let (_, densities) = fitted(&c, &d, &t, floor);
        assert_eq!(applied(&densities, &[0.5], &[40.0]), [0.0]);
    }

    #[test]
    fn too_little_to_go_by_leaves_scores_alone() {
        let warned = |c: &[f64], d: &[f64], t: &[u8]| {
            let fit = fit(c, d, t, DensityRatioOptions::default()).unwrap();
            assert!(fit.parameters.1.is_none());
            fit.warnings[0].clone()
        };
        let (c, d) = ([0.5, 0.6, 0.7], [0.1, 0.2, 0.3]);
        assert_eq!(
            warned(&c, &d, &[1, 1, 0]),
            "Scores stay as they are: 1 calibration rows have outcome 0."
        );
        assert_eq!(
            warned(&c, &d, &[0, 0, 0]),
            "Scores stay as they are: 0 calibration rows have outcome 1."
        );
        let (c, d) = ([0.1, 0.1, 0.1, 0.5], [0.1, 0.2, 0.3, 0.4]);
        assert_eq!(
            warned(&c, &d, &[1, 1, 0, 0]),
            "Scores stay as they are: all rows with outcome 1 have the same score."
        );
        let error = fit(&c, &d[1..], &[1, 1, 0, 0], DensityRatioOptions::default()).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("length_mismatch", "3 scores against 4 targets")
        );
        let (c, d, t) = dr10();
        let (_, densities) = fitted(&c, &d, &t, DensityRatioOptions::default());
        let error = densities.apply(&c, &d[1..], &mut |_| ()).unwrap_err();
        assert_eq!(error.to_string(), "10 scores against 9 proximities");
    }

    #[test]
    fn heart_reference_numbers() {
        let Some((c, a, ln_d)) = heart_proximity() else {
            return;
        };
        let d: Vec<f64> = ln_d.iter().map(|v| v.exp()).collect();
        let (_, densities) = fitted(&c, &d, &a, DensityRatioOptions::default());
        let score = applied(&densities, &c, &d);
        for (got, expected) in score
            .iter()
            .zip([0.774_153_687_1, 0.488_497_474_3, 0.701_927_755])
        {
            near(Some(*got), expected, 6e-10);
        }
        near(
            Some(score.iter().sum::<f64>() / 918.0),
            0.741_967_173,
            6e-10,
        );
        near(Some(squared_error(&c, &a)), 0.177_319_413_8, 6e-11);
        near(Some(squared_error(&score, &a)), 0.165_831_652_9, 6e-11);
    }

    proptest! {
        #[test]
        fn scores_stay_in_the_unit_interval_and_only_differences_of_proximity_count(
            rows in proptest::collection::vec((0.0..=1.0_f64, 0.0..1.0_f64, any::<bool>()), 4..60), shift in -4.0..4.0_f64,
        ) {
            let c: Vec<f64> = rows.iter().map(|r| r.0).collect();
            let d: Vec<f64> = rows.iter().map(|r| r.1).collect();
            let t: Vec<u8> = rows.iter().map(|r| u8::from(r.2)).collect();
            let found = fit(&c, &d, &t, DensityRatioOptions::default()).unwrap();
            if let Some(densities) = found.parameters.1 {
                let score = applied(&densities, &c, &d);
                prop_assert!(score.iter().all(|c| (0.0..=1.0).contains(c)));
                let moved: Vec<f64> = d.iter().map(|d| d + shift).collect();
                let (_, densities) = fitted(&c, &moved, &t, DensityRatioOptions::default());
                for (a, b) in score.iter().zip(applied(&densities, &c, &moved)) {
                    prop_assert!((a - b).abs() < 1e-6);
                }
            }
        }

        #[test]
        fn equal_densities_give_the_base_rate(
            rows in proptest::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 3..40), times in 1..4_usize,
        ) {
            // Each place once where it happened, and once where it did not: f₊ = f₋.
            let c: Vec<f64> = rows.iter().chain(&rows).map(|r| r.0).collect();
            let d: Vec<f64> = rows.iter().chain(&rows).map(|r| r.1).collect();
            let t: Vec<u8> = (0..c.len()).map(|i| u8::from(i < rows.len())).collect();
            let (_, densities) = fitted(&c, &d, &t, DensityRatioOptions::default());
            let queries: Vec<f64> = (0..times).map(|k| k as f64 * 0.4).collect();
            for score in applied(&densities, &queries, &queries) {
                prop_assert!((score - 0.5).abs() < 1e-12);
            }
        }
    }
}
