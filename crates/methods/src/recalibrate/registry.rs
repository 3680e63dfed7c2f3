//! The list of recalibrators, one line each. Requests, fits, stored calibrators, offers of the page and code in other
//! languages use this list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::memory::Memory;
use super::recalibrator::*;
use crate::data::Predictions;
use crate::error::Result;

/// A fit and the rows that it looks at again, checked.
fn read_back<L: Learned>(parameters: &Map<String, Value>, m: usize) -> std::result::Result<(L, Memory), String> {
    let mut memory = Memory::read(parameters, L::REMEMBERS)?;
    let learned = L::from_parameters(parameters)?;
    learned.check(m)?;
    learned.check_memory(&mut memory, parameters)?;
    Ok((learned, memory))
}

macro_rules! recalibrators {
    ($($name:ident: $method:ty,)*) => {
        /// A recalibrator with checked settings.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum AnyRecalibrator {
            $(#[doc = stringify!($name)] $name($method),)*
        }

        /// What one of them learned.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub enum AnyLearned {
            $(#[doc = stringify!($name)] $name(<$method as Recalibrator>::Learned),)*
        }

        /// What each says of itself, in the order in which they are listed.
        pub const ENTRIES: &[&Entry] = &[$(&<$method as Recalibrator>::ENTRY,)*];

        impl AnyRecalibrator {
            /// The method `id` with checked settings; `None` for an unknown one.
            ///
            /// # Errors
            /// `invalid_option`, `unknown_column`.
            pub fn checked(id: &str, asked: MethodRequest) -> Result<Option<Self>> {
                Ok(match id {
                    $(_ if id == <$method as Recalibrator>::ENTRY.id => {
                        Some(Self::$name(<$method as Recalibrator>::checked(asked)?))
                    })*
                    _ => None,
                })
            }

            /// What it says of itself.
            pub fn entry(&self) -> &'static Entry {
                match self {
                    $(Self::$name(_) => const { &<$method as Recalibrator>::ENTRY },)*
                }
            }

            /// What it needs, as far as it is named.
            pub fn requirement_state(&self) -> RequirementState<'_> {
                match self {
                    $(Self::$name(method) => method.requirement_state(),)*
                }
            }

            /// Expected milliseconds of a fit and of scoring the rows of one fold.
            pub fn cost(&self, data: &Predictions) -> f64 {
                match self {
                    $(Self::$name(method) => method.cost(data),)*
                }
            }

            /// Learns from calibration rows.
            ///
            /// # Errors
            /// Those of the method.
            pub fn fit(&self, on: &CalibrationRows, progress: Progress) -> Result<FitOutcome<AnyLearned>> {
                Ok(match self {
                    $(Self::$name(method) => {
                        let FitOutcome { learned, memory, warnings, coordinates } = method.fit(on, progress)?;
                        FitOutcome { learned: AnyLearned::$name(learned), memory, warnings, coordinates }
                    })*
                })
            }
        }

        impl AnyLearned {
            /// What the method that learned it says of itself.
            pub fn entry(&self) -> &'static Entry {
                match self {
                    $(Self::$name(_) => const { &<$method as Recalibrator>::ENTRY },)*
                }
            }

            /// From the parameters of a stored calibrator of `m` classes, with the rows that it looks at again; `None`
            /// for an unknown method.
            ///
            /// # Errors
            /// What is not as it should be.
            pub fn read_back(
                id: &str,
                parameters: &Map<String, Value>,
                m: usize,
            ) -> std::result::Result<Option<(Self, Memory)>, String> {
                Ok(match id {
                    $(_ if id == <$method as Recalibrator>::ENTRY.id => {
                        let (learned, memory) = read_back(parameters, m)?;
                        Some((Self::$name(learned), memory))
                    })*
                    _ => None,
                })
            }

            /// Scores of the view for new rows.
            ///
            /// # Errors
            /// Those of what is looked at.
            pub fn scores(&self, memory: &Memory, to: &RowsToScore, progress: Progress) -> Result<Scores> {
                match self {
                    $(Self::$name(fit) => fit.scores(memory, to, progress),)*
                }
            }

            /// Scores of rows that have a gap in a feature.
            pub fn far_from_all(&self, s: &[f64]) -> Vec<f64> {
                match self {
                    $(Self::$name(fit) => fit.far_from_all(s),)*
                }
            }

            /// What becomes of the probabilities of every class.
            pub fn of_vectors(&self) -> OfVectors<'_> {
                match self {
                    $(Self::$name(fit) => fit.of_vectors(),)*
                }
            }

            /// The parameters as reports and stored calibrators write them.
            pub fn parameters(&self) -> Value {
                match self {
                    $(Self::$name(fit) => fit.parameters(),)*
                }
            }

            /// What stands beside the remembered rows in a stored calibrator.
            ///
            /// # Errors
            /// As what is derived from them.
            pub fn beside_memory(&self, memory: &Memory) -> Result<Map<String, Value>> {
                match self {
                    $(Self::$name(fit) => fit.beside_memory(memory),)*
                }
            }
        }
    };
}

recalibrators! {
    Identity: super::identity::Identity,
    Temperature: super::temperature::TemperatureScaling,
    Platt: super::platt::PlattScaling,
    Isotonic: super::isotonic::IsotonicRegression,
    Histogram: super::histogram::HistogramBinning,
    RidgeLocal: super::lore_ridge::RidgeLocal,
    Lore: super::lore::Lore,
    Intercept: super::intercept::Intercept,
    Beta: super::beta::BetaCalibration,
    Quadratic: super::quadratic::QuadraticScaling,
    Spline: super::spline::SmoothingSpline,
    CenteredIsotonic: super::centered_isotonic::CenteredIsotonic,
    VennAbers: super::venn_abers::VennAbersPrediction,
    Bbq: super::bbq::BayesianBinning,
    Ets: super::ets::EnsembleTemperature,
    Pts: super::pts::ParameterisedTemperature,
    Ptsk: super::pts::NeighborTemperature,
    Mir: super::mir::MulticlassIsotonic,
    MmceTemperature: super::mmce_temperature::MmceTemperature,
    Vector: super::affine::AffineScaling<super::affine::Vector>,
    Matrix: super::affine::AffineScaling<super::affine::Full>,
    Dirichlet: super::affine::AffineScaling<super::affine::Dirichlet>,
    StructuredVector: super::structured::StructuredScaling<super::structured::StructuredVector>,
    StructuredMatrix: super::structured::StructuredScaling<super::structured::StructuredMatrix>,
    GroupTemperature: super::grouped::GroupTemperature,
    Multicalibration: super::multicalibration::ByCells<false>,
    ProportionalMulticalibration: super::multicalibration::ByCells<true>,
    Lcb: super::local_bias::WitnessCorrection,
    GroupHistogram: super::grouped::GroupHistogram,
    GroupIntercept: super::update::GroupIntercept,
    SubgroupIntercept: super::update::SubgroupIntercept,
    DensityRatio: super::density_ratio::RatioOfDensities,
    BinMeanShift: super::bin_mean_shift::ShiftOfCells,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_whole() {
        for (place, entry) in ENTRIES.iter().enumerate() {
            assert!(ENTRIES[..place].iter().all(|other| other.id != entry.id), "{} stands twice", entry.id);
            let lines = [entry.input.snippet(false), entry.input.snippet(true)];
            let written = |s: &super::super::snippet::Snippet| !s.python.is_empty() && !s.javascript.is_empty();
            assert!(lines.iter().flatten().count() > 0 && lines.iter().flatten().all(written), "{}", entry.id);
            for (place, parameter) in entry.parameters.iter().enumerate() {
                let default: Option<Value> = serde_json::from_str(parameter.default).ok();
                assert!(parameter.default.is_empty() || default.is_some(), "{} {}", entry.id, parameter.name);
                let before = &entry.parameters[..place];
                assert!(before.iter().all(|other| other.name != parameter.name), "{} {}", entry.id, parameter.name);
            }
            let named = |id: &str| id.split('+').any(|part| part == entry.id);
            assert!(entry.offers.iter().all(|offered| named(offered.id)), "{}", entry.id);
            let free = |other: &&Entry| other.grid == GridPlace::None || other.grid != entry.grid;
            assert!(ENTRIES[..place].iter().all(free), "{}: {:?} stands twice", entry.id, entry.grid);
            let second = matches!(entry.place, Place::Anywhere | Place::After { .. });
            assert!(second || !matches!(entry.grid, GridPlace::Second(_)), "{} cannot be second", entry.id);
            assert!(!entry.comes_after() || !matches!(entry.grid, GridPlace::Base(_)), "{} cannot be first", entry.id);
        }
    }
}
