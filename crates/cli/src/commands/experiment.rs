//! Experiments, saved while they run.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use localcal::error::Error;
use localcal::experiment::{Begun, Cell, SCHEMA, Spec};
use localcal::plot::Figure;
use serde_json::{Value, json};

use super::Done;
use super::analyse::{Style, numbered};
use super::opening::{executor, opened, sources};
use super::output::{ends_in, options_in, page, result, text, write};
use crate::args::{Experiment, OutputArgs};
use crate::failure::Failure;
use crate::options::{StepOptions, object};
use crate::session::{Answer, Session};
use crate::sheet;

/// Seconds after which what is done of an experiment is saved.
const SAVE_SECONDS: u64 = 20;
/// Pixels of a PNG file to a CSS pixel.
const SCALE: f32 = 2.0;

pub(super) fn experiment(asked: &Experiment) -> Done {
    let given = StepOptions::of_opening(&asked.open, None)?;
    let written = match asked.spec.trim_start().starts_with('{') {
        true => asked.spec.clone(),
        false => read_text(Path::new(&asked.spec))?,
    };
    let mut spec = options_in(object(&written, "SPEC")?);
    // a saved experiment holds its spec beside its cells
    if let Some(inner @ Value::Object(_)) = spec.remove("spec") {
        spec = options_in(inner);
    }
    let begun = match &asked.resume {
        Some(path) => saved(&read_text(path)?, path)?,
        None => Begun::default(),
    };
    let mut session = opened(&asked.open, &asked.output, &given)?;
    let mut others = Vec::with_capacity(asked.other.len());
    for other in &asked.other {
        others.push(Session::open(
            sources(std::slice::from_ref(other))?,
            given.open.clone(),
            executor(&asked.output)?,
        )?);
    }
    let ending = |ending: &str| asked.out.as_deref().is_some_and(|path| ends_in(path, ending));
    let saved = Mutex::new(Instant::now());
    let save = |spec: &Spec, cells: &[Cell]| {
        let whole = ending("json") && asked.output.suppress.is_none();
        let Some(path) = asked.out.as_deref().filter(|_| whole) else { return };
        let mut saved = saved.lock().unwrap_or_else(PoisonError::into_inner);
        if saved.elapsed().as_secs() >= SAVE_SECONDS {
            *saved = Instant::now();
            let held = json!({ "schema": SCHEMA, "spec": spec, "cells": cells });
            // beside it and then in its place, so that what was saved is never half of it; the whole is written at the end,
            // and what goes wrong there is told
            let beside = path.with_extension("json.part");
            let _ = std::fs::write(&beside, held.to_string()).and_then(|()| std::fs::rename(&beside, path));
        }
    };
    let (spec, cells) = session.experiment(spec, begun, &others, &save)?;
    let format = [("csv", "csv"), ("tex", "latex"), ("md", "markdown")].into_iter().find(|(end, _)| ending(end));
    match &asked.out {
        Some(path) if ["svg", "pdf", "png"].into_iter().any(ending) => {
            draw(&session.concluded(&spec, &cells, asked.output.suppress)?, path, &asked.output)
        }
        Some(path) => {
            let format = format.map_or("json", |(_, format)| format);
            write(path, &session.written_experiment(&spec, &cells, format, asked.output.suppress)?, &asked.output)
        }
        None if asked.output.json => {
            result(&session.written_experiment(&spec, &cells, "json", asked.output.suppress)?)
        }
        None => {
            let mut page = page(&asked.output);
            sheet::answer(&mut page, "experiment", &session.concluded(&spec, &cells, asked.output.suppress)?);
            text(page)
        }
    }
}

/// Draws the charts of an experiment, each in a file of its own.
fn draw(concluded: &Answer, path: &Path, output: &OutputArgs) -> Done {
    let figures: Vec<Figure> = concluded.figures().into_iter().filter(|figure| !figure.panels.is_empty()).collect();
    if figures.is_empty() {
        let what = "This experiment has no chart that can be drawn.";
        return Err(Error::new("invalid_option", what, "Write .csv, .tex, .md or .json for its results.").into());
    }
    let style = Style { dark: false, print: None, scale: SCALE };
    for (i, figure) in figures.iter().enumerate() {
        write(&numbered(path, i), &style.picture(figure, path)?, output)?;
    }
    Ok(())
}

/// A saved experiment, with what else the file holds left out.
fn saved(text: &str, path: &Path) -> Result<Begun, Failure> {
    let mut held = options_in(object(text, "--resume")?);
    held.retain(|name, _| name == "spec" || name == "cells");
    serde_json::from_value(held.into()).map_err(|error| {
        let told = format!("Invalid saved experiment {}: {error}.", path.display());
        Error::new("invalid_option", told, "Use a file written by `experiment --out FILE.json`.").into()
    })
}

fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::unreadable(&path.display().to_string(), &error))
}
