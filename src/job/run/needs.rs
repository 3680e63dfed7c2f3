//! What a job needs, by its place among the needs.

use crate::data::{ColumnRole, Matrix, NamedColumn, Predictions, Reals, Role, Summary, Values};
use crate::error::{Error, Result};
use crate::evaluation::comparison::Drawn;
use crate::evaluation::local::LocalRows;
use crate::evaluation::proximity::Proximities;
use crate::evaluation::scored::Scored;
use crate::evaluation::split::Split;
use crate::job::Outcome;
use crate::read::ReadFile;
use crate::report::RunOutcome;
use crate::report::neighbourhoods::Looked;
use crate::report::view::ViewOutcome;
use crate::report::witness::{BiasPart, WitnessGround};

/// The data set with feature maps as further columns.
pub(super) fn with_maps(data: &Predictions, maps: &[&Outcome]) -> Outcome {
    let mut data = data.clone();
    for map in maps {
        let Outcome::Coordinates(map) = map else {
            continue;
        };
        // A map of another data set, which an analysis looks at beside this one.
        if map.values.len() != data.rows * map.coordinates {
            continue;
        }
        data.table.columns.push(NamedColumn {
            file: String::new(),
            name: map.name.clone(),
            values: Values::Matrix(Matrix { width: map.coordinates, values: Reals::F64(map.values.clone()) }),
        });
        data.roles.push(ColumnRole {
            file: String::new(),
            name: map.name.clone(),
            role: Role::Features,
            reason: map.text.clone(),
            shape: vec![data.rows, map.coordinates],
            sure: true,
            preview: Vec::new(),
            reading: None,
            offer: None,
        });
        data.projections.push((map.name.clone(), map.projection.clone()));
    }
    Outcome::Data { summary: Summary::default(), suggestion: None, offer: Box::default(), predictions: Box::new(data) }
}

pub(super) fn wrong(expected: &str) -> Error {
    Error::new(
        "invalid_option",
        format!("The job did not get what it needs: {expected}."),
        "This is a fault in the program.",
    )
}

pub(super) fn files<'a>(needs: &[&'a Outcome]) -> Result<Vec<&'a ReadFile>> {
    let file = |outcome: &&'a Outcome| match outcome {
        Outcome::File { file } => Ok(file),
        _ => Err(wrong("files")),
    };
    needs.iter().map(file).collect()
}

pub(super) fn predictions<'a>(needs: &[&'a Outcome]) -> Result<&'a Predictions> {
    match needs.first() {
        Some(Outcome::Data { predictions, .. }) => Ok(predictions),
        _ => Err(wrong("a data set")),
    }
}

/// Data sets beside the one that an analysis is of.
pub(super) fn other_data<'a>(needs: &[&'a Outcome]) -> Vec<&'a Predictions> {
    let others = needs.iter().skip(2).filter_map(|need| match need {
        Outcome::Data { predictions, .. } => Some(&**predictions),
        _ => None,
    });
    others.collect()
}

pub(super) fn split<'a>(needs: &[&'a Outcome], place: usize) -> Result<&'a Split> {
    match needs.get(place) {
        Some(Outcome::Split { split }) => Ok(split),
        _ => Err(wrong("a split")),
    }
}

/// The parts of proximity among the needs, put together; `None` without any.
pub(super) fn proximities(split: &Split, needs: &[&Outcome]) -> Result<Option<Proximities>> {
    let parts = needs.iter().filter_map(|need| match need {
        Outcome::Proximity { values } => Some(values.as_slice()),
        _ => None,
    });
    let parts: Vec<&[f64]> = parts.collect();
    if parts.is_empty() {
        return Ok(None);
    }
    let mut found = Proximities::gathered(split, &parts, 1)?;
    Ok(found.pop())
}

/// All parts of proximity among the needs: search by search, for each of `numbers` numbers of neighbours.
pub(super) fn proximities_at(split: &Split, needs: &[&Outcome], numbers: usize) -> Result<Vec<Proximities>> {
    let parts = needs.iter().filter_map(|need| match need {
        Outcome::Proximity { values } => Some(values.as_slice()),
        _ => None,
    });
    Proximities::gathered(split, &parts.collect::<Vec<&[f64]>>(), numbers)
}

pub(super) fn scored<'a>(needs: &[&'a Outcome], place: usize) -> Result<&'a Scored> {
    match needs.get(place) {
        Some(Outcome::Scored { scored }) => Ok(scored),
        _ => Err(wrong("scores")),
    }
}

/// The parts of a local error, put together.
pub(super) fn local_rows(parts: &[&Outcome]) -> Result<LocalRows> {
    let mut found = LocalRows::default();
    for part in parts {
        let Outcome::Local { place, slce, mass, n_eff, engine } = part else {
            return Err(wrong("local errors"));
        };
        found.extend(&LocalRows {
            place: place.to_vec(),
            slce: slce.to_vec(),
            mass: mass.to_vec(),
            n_eff: n_eff.to_vec(),
            engine: *engine,
        });
    }
    Ok(found.merged())
}

/// What every method had in every repeat.
pub(super) fn drawn_parts<'a>(needs: &[&'a Outcome]) -> Result<Vec<&'a Drawn>> {
    let part = |outcome: &&'a Outcome| match outcome {
        Outcome::Drawn { drawn } => Ok(&**drawn),
        _ => Err(wrong("replicates of a comparison")),
    };
    needs.iter().skip(2).map(part).collect()
}

pub(super) fn view_of<'a>(needs: &[&'a Outcome]) -> Result<&'a ViewOutcome> {
    match needs.get(2) {
        Some(Outcome::View(view)) => Ok(view),
        _ => Err(wrong("a map")),
    }
}

pub(super) fn looked<'a>(needs: &[&'a Outcome], place: usize) -> Result<&'a Looked> {
    match needs.get(place) {
        Some(Outcome::Looked { looked }) => Ok(looked),
        _ => Err(wrong("places")),
    }
}

pub(super) fn bias_parts<'a>(needs: &[&'a Outcome]) -> Vec<&'a BiasPart> {
    let part = |outcome: &&'a Outcome| match outcome {
        Outcome::Bias { part } => Some(part),
        _ => None,
    };
    needs.iter().filter_map(part).collect()
}

pub(super) fn witness_ground<'a>(needs: &[&'a Outcome], place: usize) -> Result<&'a WitnessGround> {
    match needs.get(place) {
        Some(Outcome::WitnessGround { ground }) => Ok(ground),
        _ => Err(wrong("rows and kernel of the witness")),
    }
}

pub(super) fn run_of<'a>(needs: &[&'a Outcome]) -> Result<&'a RunOutcome> {
    match needs.get(1) {
        Some(Outcome::Report(run)) => Ok(run),
        _ => Err(Error::new("invalid_option", "Nothing was run on this data yet.", "Call run first.")),
    }
}
