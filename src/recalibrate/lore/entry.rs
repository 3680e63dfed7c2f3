//! LoRe as a recalibrator.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::lore;
use crate::data::Predictions;
use crate::error::{Error, Result};
use crate::feature::{FeatureChoice, width_of};
use crate::kernel::{Kernel, Part, Points, cheapest};
use crate::local::LocalSample;
use crate::metric::binning::BinOptions;
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::{BINS, FEATURES, bounded, choice};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::sound::Sound;
use crate::request::bounds::WIDTH;
use crate::request::message::read;
use crate::words::text::counted;

/// The kernel-weighted mean outcome of near rows in the same bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lore {
    /// which rows are near each other
    pub features: Option<FeatureChoice>,
    /// how near
    pub kernel: Kernel,
    /// confidence bins
    pub bins: BinOptions,
}

/// Kernel-weighted mean outcome in the score's bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalOutcome {
    /// kernel and bandwidth
    pub kernel: Kernel,
    /// confidence bins
    pub bins: BinOptions,
    /// coordinates
    pub features: FeatureChoice,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Given {
    features: Option<FeatureChoice>,
    gamma: Option<f64>,
    kernel: Option<String>,
    bins: Option<BinOptions>,
}

impl Recalibrator for Lore {
    type Learned = LocalOutcome;

    const ENTRY: Entry = Entry {
        id: "lore",
        title: "LoRe (local recalibration)",
        plain: "the outcome rate among similar rows of the same bin",
        definition: "Σ k(x, xᵢ) tᵢ / Σ k(x, xᵢ) over calibration rows in the bin of s",
        minimises: "nothing: a kernel mean",
        source: "Luo et al. (2022)",
        parameters: &[
            FEATURES,
            bounded("gamma", WIDTH, "", "bandwidth of the kernel"),
            choice("kernel", &["laplacian", "gaussian", "rbf", "group", "constant"], "", "how nearness counts"),
            BINS,
        ],
        input: Input::Score(snippet!("lore", [search, projected], [search, projected])),
        alone: None,
        needs: Need::Features,
        weighted: false,
        place: Place::Anywhere,
        offers: &[Offered { id: "lore", title: "LoRe (local recalibration)", usual: true, rank: 6 }],
        read_out: &[("gamma", "γ = ")],
    };

    fn checked(asked: Asked) -> Result<Self> {
        let run = asked.run;
        let given: Given = asked.read()?;
        let kernel = Kernel::parsed(given.kernel.as_deref().unwrap_or(&run.kernel), given.gamma.unwrap_or(run.gamma))?;
        let bins = given.bins.unwrap_or(run.local_bins).validated()?;
        Ok(Self { features: given.features.or_else(|| run.features.clone()), kernel, bins })
    }

    fn needed(&self) -> Needed<'_> {
        Needed::Columns { named: self.features.is_some() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        let n = data.rows as f64;
        let d = self.features.as_ref().map_or(2, |choice| width_of(data, choice));
        let (bins, calibrate) = (self.bins.count.max(1) as f64, 0.8);
        let rows = |share: f64| (n * share / bins).ceil() as usize;
        let (new, known) = (rows(1.0 - calibrate), rows(calibrate));
        bins * cheapest(self.kernel, new, known, d, false).1
    }

    fn fit(&self, on: &CalibrationRows, _progress: Progress) -> Result<Found<LocalOutcome>> {
        let choice = self.features.clone().ok_or_else(|| {
            Error::new(
                "features_missing",
                "LoRe needs features: it asks what happened to near rows.",
                "Name them in parameters.features or in local.features.",
            )
        })?;
        let (all, placed) = on.features(&choice)?;
        let (s, t) = on.of(&placed).pairs()?;
        let memory = Memory::of_places(&all, &placed.rows).with_outcomes(s, t);
        let learned = LocalOutcome { kernel: self.kernel, bins: self.bins, features: choice };
        Ok(Found { learned, memory, warnings: Vec::new(), coordinates: Some(all) })
    }
}

impl Learned for LocalOutcome {
    const REMEMBERS: Remembers = Remembers::Outcomes;

    fn scores(&self, memory: &Memory, to: &RowsToScore, progress: Progress) -> Result<Scores> {
        let s = to.scores()?;
        let bins = self.bins.binning(&memory.score)?;
        let at = Points::row_major(memory.d, &memory.x)?;
        let sample = LocalSample::new(&memory.score, &memory.target, &bins.assignment, at)?;
        let (new, x) = (bins.edges.assignment(&s), to.places(memory)?);
        let found = lore(&sample, &new, &s, Points::row_major(memory.d, &x)?, self.kernel, Part::WHOLE, progress)?;
        let kept = (found.kept > 0).then(|| {
            let (rows, its) = (counted(found.kept, "row"), if found.kept == 1 { "its" } else { "their" });
            warning("empty_bin", format!("{rows} kept {its} score: no calibration row shares {its} bin."))
        });
        Ok(Scores { score: found.score, warnings: kept.into_iter().collect() })
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    // Kernel and bins are checked as they are read.
    fn check(&self, _m: usize) -> Sound {
        Ok(())
    }

    fn parameters(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("kernel".to_owned(), self.kernel.name().into());
            fields.extend(self.kernel.gamma().map(|gamma| ("gamma".to_owned(), gamma.into())));
        }
        value
    }

    fn from_parameters(parameters: &Map<String, Value>) -> std::result::Result<Self, String> {
        let field = |name: &str| parameters.get(name).cloned().unwrap_or_default();
        let name = parameters.get("kernel").and_then(Value::as_str);
        let gamma = parameters.get("gamma").and_then(Value::as_f64);
        let kernel = name
            .and_then(|name| Kernel::named(name, gamma.unwrap_or(1.0)))
            .filter(|kernel| kernel.check().is_ok())
            .ok_or("kernel and gamma name no kernel")?;
        Ok(Self {
            kernel,
            bins: read(field("bins")).map_err(|error| format!("bins: {error}"))?,
            features: read(field("features")).map_err(|error| format!("features: {error}"))?,
        })
    }

    fn beside_memory(&self, memory: &Memory) -> Result<Map<String, Value>> {
        let bins = self.bins.binning(&memory.score)?;
        let mut beside = Map::new();
        beside.insert("edges".into(), json!(bins.edges.edges));
        beside.insert("closed".into(), json!(bins.edges.closed));
        beside.insert("bin".into(), json!(bins.assignment));
        Ok(beside)
    }
}
