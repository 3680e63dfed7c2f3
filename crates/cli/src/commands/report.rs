//! The report as JSON, text or a document with its figures.

use std::path::Path;

use localcal::markup::latex::with_figures_named;
use localcal::markup::sha256;
use localcal::plot::Figure;
use serde_json::{Value, json};

use super::Done;
use super::opening::{ran, title};
use super::output::{ends_in, options_in, page, result, text, withholding, write};
use crate::args::{OpenArgs, OutputArgs, Report};
use crate::chart;
use crate::failure::{Failure, fault};
use crate::options::StepOptions;
use crate::screen;
use crate::session::{Options, Session};

pub(super) fn report(asked: &Report) -> Done {
    ends_as_a_report(asked)?;
    let mut given = StepOptions::of_run(&asked.open, &asked.run)?;
    let session = ran(&asked.open, &asked.run, &asked.output, &mut given)?;
    let ends = |ending: &str| asked.out.as_deref().is_some_and(|path| ends_in(path, ending));
    let document = DOCUMENTS.iter().find(|(ending, _)| ends(ending)).map(|(_, format)| format);
    let written = if asked.output.json || ends("json") {
        session.export("report", withholding(&asked.output))?
    } else if let Some(format) = document {
        let (written, figures) = document_of(&session, &asked.open, &asked.output, format)?;
        match &asked.out {
            Some(path) if ends("tex") => {
                let name = figures_name(path);
                beside(path, &name, &figures, &asked.output)?;
                with_figures_named(&String::from_utf8_lossy(&written), &name).into_bytes()
            }
            _ => written,
        }
    } else {
        let mut page = page(&asked.output);
        screen::report(&mut page, &title(&asked.open), session.summary()?, session.last_run()?);
        if asked.out.is_none() {
            return text(page);
        }
        anstream::adapter::strip_str(&page.into_text()).to_string().into_bytes()
    };
    match &asked.out {
        Some(path) => write(path, &written, &asked.output),
        None => result(&written),
    }
}

/// Refuses a file whose ending names no form of the report, such as `x.pdf`, before anything is computed.
fn ends_as_a_report(asked: &Report) -> Done {
    let Some(ending) = asked.out.as_deref().and_then(Path::extension) else { return Ok(()) };
    let known = DOCUMENTS.iter().map(|(known, _)| *known).chain(["json", "txt"]);
    if asked.output.json || known.into_iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    Err(Failure::usage("--out takes a name that ends in .html, .tex, .md, .json or .txt"))
}

/// Endings of files that hold the report as a document, and how it is written.
const DOCUMENTS: [(&str, &str); 4] = [("html", "html"), ("htm", "html"), ("tex", "latex"), ("md", "markdown")];

/// The report as a document, with the checksums of the files that were opened.
/// With the figures that an article includes.
fn document_of(
    session: &Session,
    open: &OpenArgs,
    output: &OutputArgs,
    format: &str,
) -> Result<(Vec<u8>, Vec<Figure>), Failure> {
    let files: Vec<Value> = (open.files.iter())
        .filter_map(|path| {
            let bytes = std::fs::read(path).ok()?;
            let sum: String = sha256(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            Some(json!({ "name": name, "bytes": bytes.len(), "sha256": sum }))
        })
        .collect();
    let mut options = Options::new();
    options.insert("format".to_owned(), format.into());
    options.insert("files".to_owned(), files.into());
    options.extend(options_in(withholding(output)));
    let answer = session.analyse("document", options, &[])?;
    let written = answer.file().map(<[u8]>::to_vec).ok_or_else(|| fault("a document is no file"))?;
    Ok((written, answer.figures()))
}

/// Width in mm at which an article includes its figures: a column.
const COLUMN: f64 = 85.0;

/// Pixels to a CSS pixel of a picture for print.
const PRINT_SCALE: f32 = 4.0;

/// What the figures of an article are named after: the article, in letters that LaTeX reads in names of files.
fn figures_name(article: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') { c } else { '-' };
    article.file_stem().unwrap_or_default().to_string_lossy().chars().map(plain).collect()
}

/// Writes the figures of an article where it looks for them: `<name>-figure-1.pdf` in its folder, so that two articles in one
/// folder have their own; as PNG what PDF's fonts lack letters for.
fn beside(article: &Path, name: &str, figures: &[Figure], output: &OutputArgs) -> Done {
    for (number, figure) in (1..).zip(figures) {
        match chart::pdf(figure, Some(COLUMN)) {
            Ok(page) => write(&article.with_file_name(format!("{name}-figure-{number}.pdf")), &page, output)?,
            Err(_) => {
                let picture = chart::png(&chart::print(figure, COLUMN), PRINT_SCALE)?;
                write(&article.with_file_name(format!("{name}-figure-{number}.png")), &picture, output)?;
            }
        }
    }
    Ok(())
}
