//! LoRe as a recalibrator.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::lore;
use super::validated::{LoreSetting, LoreSpace, cross_validated};
use crate::data::Predictions;
use crate::error::Result;
use crate::feature::{FeatureChoice, width_of};
use crate::kernel::{Kernel, Part, Points, cheapest};
use crate::local::LocalSample;
use crate::metric::binning::BinOptions;
use crate::recalibrate::in_common::{self, InCommon, Parted, cut, width};
use crate::recalibrate::inner::{FEWEST, FOLDS, InnerValidation, inner_folds};
use crate::recalibrate::memory::{Memory, Remembers};
use crate::recalibrate::parameter::{CHOOSE, FEATURES, OrChosen, WITHIN, bounded, choice};
use crate::recalibrate::recalibrator::*;
use crate::recalibrate::snippet::snippet;
use crate::recalibrate::validity::Validity;
use crate::request::bounds::{BINS, WIDTH};
use crate::request::message::read;
use crate::words::text::counted;

/// The kernel-weighted mean outcome of near rows in the same bin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lore {
    /// which rows are near each other; several to choose from
    pub spaces: Vec<FeatureChoice>,
    /// how near
    pub kernel: Kernel,
    /// confidence bins
    pub bins: BinOptions,
    /// which rows can be neighbors; none: all
    pub within: Option<String>,
    /// whether the bandwidth is chosen on inner folds
    pub chooses_gamma: bool,
    /// whether the number of bins is
    pub chooses_bins: bool,
    /// seed of the inner folds
    pub seed: u64,
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
    /// what neighbors have in common; none: nothing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<InCommon>,
    /// what the inner folds said; none where everything was given
    #[serde(default)]
    pub inner: Option<InnerValidation<LoreSetting>>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct RawSettings {
    features: Option<FeatureChoice>,
    choose: Option<Vec<FeatureChoice>>,
    gamma: Option<OrChosen<f64>>,
    kernel: Option<String>,
    bins: Option<OrChosen<BinOptions>>,
    within: Option<String>,
}

impl Recalibrator for Lore {
    type Learned = LocalOutcome;

    const ENTRY: Entry = Entry {
        id: "lore",
        title: "LoRe (local recalibration)",
        plain: "the event rate of similar rows in the same bin",
        definition: "Σ k(x, xᵢ) tᵢ / Σ k(x, xᵢ) over calibration rows in the bin of s",
        minimises: "none: a kernel mean",
        source: "Luo et al. (2022)",
        parameters: &[
            FEATURES,
            CHOOSE,
            bounded("gamma", WIDTH, "", "bandwidth of the kernel; `\"chosen\"`: tuned on inner folds"),
            choice("kernel", &["laplacian", "gaussian", "rbf", "group", "constant"], "", "kernel"),
            bounded(
                "bins",
                BINS,
                "",
                "bins of the score; `\"chosen\"`: tuned on inner folds; default: those of the run",
            ),
            WITHIN,
        ],
        input: Input::Score(snippet!("lore", [search, projected], [search, projected])),
        alone: None,
        needs: MethodRequirement::Features,
        weighted: false,
        from_counts: false,
        fitted_to: FittedTo::SomeRows,
        place: Place::Anywhere,
        candidacy: Candidacy::ON_REQUEST,
        grid: GridPlace::Second(1),
        offers: &[Offered { id: "lore", title: "LoRe (local recalibration)", usual: true, rank: 6 }],
        read_out: &[("gamma", "γ = ")],
    };

    fn checked(asked: MethodRequest) -> Result<Self> {
        let (data, run) = (asked.data, asked.run);
        let given: RawSettings = asked.read()?;
        let (gamma, chooses_gamma) = OrChosen::resolve(given.gamma, run.gamma);
        let (bins, chooses_bins) = OrChosen::resolve(given.bins, run.local_bins);
        let kernel = Kernel::parsed(given.kernel.as_deref().unwrap_or(&run.kernel), gamma)?;
        if chooses_gamma && kernel.gamma().is_none() {
            return Err(invalid(
                format!("The kernel {} has no bandwidth.", kernel.name()),
                "Omit gamma, or use laplacian, gaussian or rbf.",
            ));
        }
        let spaces = spaces(given.features, given.choose, run.features.as_ref())?;
        let within = in_common::restriction(data, given.within, run.within.as_ref())?;
        Ok(Self { spaces, kernel, bins: bins.validated()?, within, chooses_gamma, chooses_bins, seed: run.seed })
    }

    fn requirement_state(&self) -> RequirementState<'_> {
        RequirementState::Columns { named: !self.spaces.is_empty() }
    }

    fn cost(&self, data: &Predictions) -> f64 {
        let n = data.rows as f64;
        let d = self.spaces.iter().map(|choice| width_of(data, choice)).max().unwrap_or(2);
        let (bins, calibrate) = (self.bins.count.max(1) as f64, 0.8);
        let rows = |share: f64| (n * share / bins).ceil() as usize;
        let (new, known) = (rows(1.0 - calibrate), rows(calibrate));
        let tried = self.settings().len();
        let fits = if tried > 1 { 1 + FOLDS * tried } else { 1 };
        fits as f64 * bins * cheapest(self.kernel, new, known, d, false).1
    }

    fn fit(&self, on: &CalibrationRows, progress: Progress) -> Result<FitOutcome<LocalOutcome>> {
        let (all, placed, within) = on.spaces(&self.spaces, self.within.as_deref(), "LoRe")?;
        let (s, t) = on.of(&placed).pairs()?;
        let places: Vec<LoreSpace> =
            all.iter().map(|space| LoreSpace::of(space, &placed.rows, width(within.as_ref()))).collect();
        let tried = self.settings();
        let (mut inner, mut warnings) = (None, Vec::new());
        if tried.len() > 1 && s.len() >= FEWEST {
            let fold = inner_folds(on.data, &placed.rows, self.seed);
            inner = cross_validated(&s, &t, &places, &fold, (self, tried), progress)?;
        } else if tried.len() > 1 {
            let rows = s.len();
            let words = format!("Too few calibration rows ({rows}) for tuning; the settings of the run are used.");
            warnings.push(warning("fit", words));
        }
        let given = LoreSetting { gamma: None, bins: None, features: None };
        let setting = inner.as_ref().and_then(InnerValidation::setting).unwrap_or(&given);
        let place = self.spaces.iter().position(|choice| setting.features.as_ref() == Some(choice)).unwrap_or(0);
        let chosen = all.into_iter().nth(place).zip(self.spaces.get(place));
        let (features, choice) = chosen.ok_or_else(|| missing_features("LoRe"))?;
        let memory = Memory::of_places(&features, &placed.rows).with_outcomes(s, t);
        let (kernel, bins) = (self.kernel_of(setting, places.get(place)), self.bins_of(setting));
        let learned = LocalOutcome { kernel, bins, features: choice.clone(), within, inner };
        Ok(FitOutcome { learned, memory, warnings, coordinates: Some(features) })
    }
}

impl Learned for LocalOutcome {
    const REMEMBERS: Remembers = Remembers::Outcomes;

    fn scores(&self, memory: &Memory, to: &RowsToScore, progress: Progress) -> Result<Scores> {
        let s = to.scores()?;
        let bins = self.bins.binning(&memory.score)?;
        let last = width(self.within.as_ref());
        let (known, new) = (Parted::of(&memory.x, memory.d, last), Parted::of(&to.places(memory)?, memory.d, last));
        let [known_codes, new_codes] = known.codes(&new);
        let new_bin = cut(&new_codes, bins.edges.assignment(&s));
        let bin = cut(&known_codes, bins.assignment);
        let at = Points::row_major(known.d, &known.x)?;
        let sample = LocalSample::new(&memory.score, &memory.target, &bin, at)?;
        let new = Points::row_major(new.d, &new.x)?;
        let found = lore(&sample, &new_bin, &s, new, self.kernel, Part::WHOLE, progress)?;
        let kept = (found.kept > 0).then(|| {
            let (rows, its) = (counted(found.kept, "row"), if found.kept == 1 { "its" } else { "their" });
            let and = self.within.as_ref().map_or("", |_| " and neighborhood");
            warning("empty_bin", format!("{rows} kept {its} score: no calibration row shares {its} bin{and}."))
        });
        Ok(Scores { score: found.score, warnings: kept.into_iter().collect(), without_place: Vec::new() })
    }

    fn of_vectors(&self) -> OfVectors<'_> {
        OfVectors::Lifted
    }

    // Kernel and bins are checked as they are read.
    fn check(&self, _m: usize) -> Validity {
        Ok(())
    }

    fn check_memory(&self, memory: &mut Memory, _parameters: &Map<String, Value>) -> Validity {
        InCommon::check(self.within.as_ref(), memory.d)
    }

    fn parameters(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("kernel".to_owned(), self.kernel.name().into());
            fields.extend(self.kernel.gamma().map(|gamma| ("gamma".to_owned(), gamma.into())));
            if self.inner.is_none() {
                fields.remove("inner");
            }
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
            within: read(field("within")).map_err(|error| format!("within: {error}"))?,
            inner: read(field("inner")).map_err(|error| format!("inner: {error}"))?,
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
