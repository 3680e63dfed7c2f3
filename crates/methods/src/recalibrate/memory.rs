//! The calibration rows that a fit looks at again when it is applied.

use serde_json::{Map, Value, json};

use super::validity::{UNIT, each, numbers};
use crate::data::Projection;
use crate::error::Result;
use crate::feature::Features;
use crate::feature::proximity::ProximityOptions;
use crate::kernel::Points;
use crate::num::Rows;
use crate::proximity::Search;
use crate::proximity::measure::{UnitRows, log_proximities};
use crate::request::message::read;

/// What of the calibration rows is looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remembers {
    /// nothing
    Nothing,
    /// where they lie
    Places,
    /// where they lie, their scores and outcomes
    Outcomes,
}

/// Calibration rows that a fit looks at again; empty for most.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// number of coordinates
    pub d: usize,
    /// one name per coordinate
    pub names: Vec<String>,
    /// the map from columns to coordinates, where there is one
    pub projection: Option<Projection>,
    /// coordinates, row-major
    pub x: Vec<f64>,
    /// scores; empty where only places count
    pub score: Vec<f64>,
    /// outcomes; empty where only places count
    pub target: Vec<u8>,
    /// D; empty but for the density ratio
    pub proximity: Vec<f64>,
}

impl Memory {
    /// Where some rows lie.
    pub fn of_places(features: &Features, rows: &[u32]) -> Self {
        Self {
            d: features.d,
            names: features.names.clone(),
            projection: features.projection.clone(),
            x: features.select(rows),
            ..Self::default()
        }
    }

    /// With scores and outcomes of the rows.
    pub fn with_outcomes(self, score: Vec<f64>, target: Vec<u8>) -> Self {
        Self { score, target, ..self }
    }

    /// ln D of new rows, at `x`, among the remembered ones.
    ///
    /// # Errors
    /// `length_mismatch`; those of the search.
    ///
    /// # Cost
    /// O(new rows × remembered rows × d).
    pub fn log_proximities(&self, x: &[f64], proximity: &ProximityOptions) -> Result<Vec<f64>> {
        let (there, new) = (Points::row_major(self.d, &self.x)?, Points::row_major(self.d, x)?);
        let n = new.n();
        let (unit_there, unit_new) = (UnitRows { of: &there }, UnitRows { of: &new });
        let (there, new): (&dyn Rows, &dyn Rows) = match proximity.row_normalise {
            Some(true) => (&unit_there, &unit_new),
            _ => (&there, &new),
        };
        let search = Search::new(there, proximity.metric())?;
        let found = search.nearest(Some(new), 0..n, proximity.k(), &mut |_| ())?;
        let form = proximity.form.unwrap_or_default();
        Ok(log_proximities(form, proximity.metric(), &found, n))
    }

    /// As a stored calibrator has it, beside the parameters of the fit.
    pub fn write_into(&self, map: &mut Map<String, Value>) {
        if self.names.is_empty() {
            return;
        }
        map.insert("dimension".into(), json!(self.d));
        map.insert("coordinates".into(), json!(self.names));
        if let Some(projection) = &self.projection {
            let (mean, components) = (&*projection.mean, &*projection.components);
            map.insert("projection".into(), json!({ "of": projection.of, "mean": mean, "components": components }));
        }
        map.insert("x".into(), json!(self.x));
        if !self.score.is_empty() {
            map.insert("score".into(), json!(self.score));
            map.insert("target".into(), json!(self.target));
        }
        if !self.proximity.is_empty() {
            map.insert("proximity".into(), json!(self.proximity));
        }
    }

    /// From a stored calibrator: rows of one length, every number finite.
    ///
    /// # Errors
    /// What is not as it should be.
    pub fn read(parameters: &Map<String, Value>, remembers: Remembers) -> std::result::Result<Self, String> {
        if remembers == Remembers::Nothing {
            return Ok(Self::default());
        }
        let names: Vec<String> = read(parameters.get("coordinates").cloned().unwrap_or_default())
            .map_err(|error| format!("coordinates: {error}"))?;
        let d = names.len();
        let x = numbers(parameters.get("x"), "x")?;
        if d == 0 || x.is_empty() || x.len() % d != 0 {
            return Err(format!("x holds {} numbers for {d} coordinates", x.len()));
        }
        let n = x.len() / d;
        let (mut score, mut target) = (Vec::new(), Vec::new());
        if remembers == Remembers::Outcomes {
            score = numbers(parameters.get("score"), "score")?;
            let outcomes = numbers(parameters.get("target"), "target")?;
            if score.len() != n || outcomes.len() != n {
                return Err(format!("score and target must hold {n} numbers, as many as x has rows"));
            }
            each("score", &score, &UNIT)?;
            if let Some(place) = outcomes.iter().position(|t| *t != 0.0 && *t != 1.0) {
                return Err(format!("target, at place {}, is neither 0 nor 1", place + 1));
            }
            target = outcomes.into_iter().map(|t| t as u8).collect();
        }
        let projection = match parameters.get("projection") {
            None | Some(Value::Null) => None,
            Some(map) => Some(projection(map, d)?),
        };
        Ok(Self { d, names, projection, x, score, target, proximity: Vec::new() })
    }

    /// Refuses numbers that are not as many as the rows.
    ///
    /// # Errors
    /// That they are not.
    pub fn as_many(&self, count: usize, name: &str) -> std::result::Result<(), String> {
        match self.score.len() {
            n if n == count => Ok(()),
            n => Err(format!("{name} must hold {n} numbers, as many as x has rows")),
        }
    }
}

fn projection(map: &Value, d: usize) -> std::result::Result<Projection, String> {
    let of: Vec<String> =
        read(map.get("of").cloned().unwrap_or_default()).map_err(|error| format!("projection.of: {error}"))?;
    let mean = numbers(map.get("mean"), "projection.mean")?;
    let components = numbers(map.get("components"), "projection.components")?;
    if of.is_empty() || mean.len() != of.len() || components.len() != d * of.len() {
        return Err(format!(
            "the projection holds {} means and {} components for {} columns and {d} coordinates",
            mean.len(),
            components.len(),
            of.len()
        ));
    }
    Ok(Projection { of, mean: mean.into(), components: components.into() })
}
