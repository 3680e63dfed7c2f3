//! Histogram binning as a recalibrator.

use serde::{Deserialize, Serialize};

use super::{EmptyBin, Histogram, weighted_fit};
use crate::data::Predictions;
use crate::error::Result;
use crate::metric::binning::{BinOptions, BinScheme};
use crate::recalibrate::parameter::BINS;
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::{UNIT, Validity, each, enclose, together};

/// The mean outcome of each bin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HistogramBinning {
    /// the bins
    pub bins: BinOptions,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawSettings {
    bins: Option<BinOptions>,
}

impl Recalibrator for HistogramBinning {
    type Learned = Histogram;

    const ENTRY: Entry = Entry {
        id: "histogram",
        title: "Histogram binning",
        plain: "the event rate of each bin",
        definition: "mean of t in the bin of s; an empty bin keeps s",
        minimises: "squared error in each bin",
        source: "Zadrozny and Elkan (2001)",
        parameters: &[BINS],
        input: Input::Score(snippet!("histogram", [search], [search])),
        alone: None,
        needs: MethodRequirement::Nothing,
        weighted: true,
        from_counts: true,
        fitted_to: FittedTo::SomeRows,
        place: Place::Anywhere,
        candidacy: Candidacy { order: Some(100), ..Candidacy::ON_REQUEST },
        grid: GridPlace::Base(6),
        offers: &[Offered { id: "histogram", title: "Histogram binning", usual: false, rank: 11 }],
        read_out: &[],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let (data, run) = (asked.data, asked.run.bins);
        let bins = asked.read::<RawSettings>()?.bins.unwrap_or(run).validated()?;
        if bins.scheme != BinScheme::EqualWidth {
            data.with_rows("Histogram binning with bins of equal mass")?;
        }
        Ok(Self { bins })
    }

    fn cost(&self, data: &Predictions) -> f64 {
        data.rows as f64 * 3e-4
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<FitOutcome<Histogram>> {
        on.fit_pairs(|s, t, w| {
            let mut fit = weighted_fit(s, t, w, &self.bins, EmptyBin::Keep)?;
            if let Some(rows) = w.filter(|_| on.data.is_counted()) {
                fit.parameters.counts = fit.parameters.rows_in_bins(s, rows);
            }
            Ok(fit)
        })
    }
}

impl Histogram {
    /// Whether edges and values go together.
    pub(crate) fn is_whole(&self) -> bool {
        enclose(&self.edges, self.values.len()) && self.values.iter().flatten().all(|v| v.is_finite())
    }

    /// Refuses values that no share has.
    pub(crate) fn check_values(&self) -> Validity {
        let values: Vec<f64> = self.values.iter().flatten().copied().collect();
        each("values", &values, &UNIT)
    }
}

impl ScoreMap for Histogram {
    fn recalibrated(&self, s: &[f64]) -> Vec<f64> {
        self.apply(s)
    }

    fn check_map(&self, m: usize) -> Validity {
        together(self.is_whole(), m)?;
        self.check_values()
    }
}
