//! Analyses and their figures.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use localcal::error::Error;
use localcal::plot::Figure;
use serde_json::Value;

use super::Done;
use super::opening::{carry_run, executor, opened, sources, usual_methods};
use super::output::{note, options_in, page, result, text, withholding, write};
use crate::args::{Analyse, Chart, OutputArgs, Own};
use crate::catalogue;
use crate::chart;
use crate::failure::Failure;
use crate::options::StepOptions;
use crate::session::{Answer, Session};
use crate::sheet;

pub(super) fn analyse(kind: &str, asked: &Analyse, own: &Own) -> Done {
    let mut given = StepOptions::of_question(&asked.open, &asked.run, own, "analyse")?;
    let mut session = opened(&asked.open, &asked.output, &given)?;
    if catalogue::is_between_methods(kind) {
        usual_methods(&mut session, &mut given)?;
    }
    carry_run(&mut session, &asked.run, &mut given)?;
    let answer = answer_of(&session, kind, &asked.other, &asked.output, &given)?;
    match answer.file() {
        Some(file) => result(file),
        None if asked.output.json => result(&answer.json()),
        None => {
            let mut page = page(&asked.output);
            sheet::answer(&mut page, kind, &answer);
            text(page)
        }
    }
}

pub(super) fn draw(kind: &str, asked: &Chart, own: &Own) -> Done {
    let mut given = StepOptions::of_question(&asked.open, &asked.run, own, "chart")?;
    if asked.dark && own.known.iter().any(|field| field.name == "dark") {
        given.own.insert("dark".to_owned(), true.into());
    }
    if let Some(mm) = asked.print {
        if !(20.0..=500.0).contains(&mm) {
            return Err(Failure::usage("--print takes 20 to 500 millimeters"));
        }
        if own.known.iter().any(|field| field.name == "width") {
            given.own.insert("width".to_owned(), chart::print_width(mm).into());
        }
    }
    let mut session = opened(&asked.open, &asked.output, &given)?;
    if catalogue::is_between_methods(kind) {
        usual_methods(&mut session, &mut given)?;
    }
    carry_run(&mut session, &asked.run, &mut given)?;
    let figures = if catalogue::charts().iter().any(|chart| chart.name == kind) {
        given.own.extend(options_in(withholding(&asked.output)));
        vec![session.chart(kind, given.own.clone())?.figure]
    } else {
        answer_of(&session, kind, &asked.other, &asked.output, &given)?.figures()
    };
    let (withheld, shown): (Vec<_>, Vec<_>) =
        (0..).zip(&figures).partition(|(_, figure)| figure.panels.is_empty() && asked.output.suppress.is_some());
    if let (Some((_, figure)), true) = (withheld.first(), shown.is_empty()) {
        return Err(Error::new("too_few_rows", figure.title.clone(), "Draw another figure, or omit --suppress.").into());
    }
    for (i, figure) in &withheld {
        note(&asked.output, &format!("Figure {} of {}: {}", i + 1, figures.len(), figure.title));
    }
    let Some((_, first)) = shown.first() else {
        let what = format!("`{kind}` has no chart.");
        return Err(
            Error::new("invalid_option", what, format!("Use `localcal analyse {kind}` for its results.")).into()
        );
    };
    if asked.output.json {
        let twins: Vec<Value> = shown.iter().map(|(_, figure)| chart::twin(figure)).collect();
        return result(&serde_json::to_vec_pretty(&twins).unwrap_or_default());
    }
    let style = Style { dark: asked.dark, print: asked.print, scale: asked.scale };
    let Some(path) = &asked.out else {
        return result(style.svg(first).as_bytes());
    };
    for (i, figure) in shown {
        write(&numbered(path, i), &style.picture(figure, path)?, &asked.output)?;
    }
    Ok(())
}

/// How figures are drawn in files.
pub(super) struct Style {
    /// in the colors of a dark page
    pub dark: bool,
    /// for print, so many millimeters wide
    pub print: Option<f64>,
    /// pixels of a PNG file to a CSS pixel
    pub scale: f32,
}

impl Style {
    fn svg(&self, figure: &Figure) -> String {
        match self.print {
            Some(mm) => chart::print(figure, mm),
            None => chart::svg(figure, self.dark),
        }
    }

    /// The figure in the format that the ending of `path` names.
    pub fn picture(&self, figure: &Figure, path: &Path) -> Result<Vec<u8>, Failure> {
        Ok(match path.extension().and_then(OsStr::to_str) {
            Some("svg") => self.svg(figure).into_bytes(),
            Some("png") => chart::png(&self.svg(figure), self.scale)?,
            Some("pdf") if self.dark => {
                return Err(Failure::usage("PDF does not support --dark. Omit it, or write .svg or .png"));
            }
            Some("pdf") => chart::pdf(figure, self.print)?,
            _ => return Err(Failure::usage("--out takes a name that ends in .svg, .pdf or .png")),
        })
    }
}

fn answer_of(
    session: &Session,
    kind: &str,
    others: &[PathBuf],
    output: &OutputArgs,
    given: &StepOptions,
) -> Result<Answer, Failure> {
    let mut open = Vec::with_capacity(others.len());
    for other in others {
        let sources = sources(std::slice::from_ref(other))?;
        open.push(Session::open(sources, given.open.clone(), executor(output)?)?);
    }
    let mut own = given.own.clone();
    match output.suppress {
        // a document withholds by itself
        Some(_) if kind == "document" => own.extend(options_in(withholding(output))),
        Some(least) => return Ok(session.analyse_withheld(kind, own, &open, least)?),
        None => {}
    }
    Ok(session.analyse(kind, own, &open)?)
}

/// The file of the (i + 1)-th picture.
pub(super) fn numbered(path: &Path, i: usize) -> PathBuf {
    let (stem, ending) = (path.file_stem().unwrap_or_default(), path.extension().unwrap_or_default());
    match i {
        0 => path.to_owned(),
        _ => path.with_file_name(format!("{}-{}.{}", stem.to_string_lossy(), i + 1, ending.to_string_lossy())),
    }
}
