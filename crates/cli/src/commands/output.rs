//! What is written: results on standard output, files, and notes on standard error.

use std::io::{IsTerminal, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::Done;
use crate::args::OutputArgs;
use crate::failure::Failure;
use crate::print::{MUTED, Page, STRONG, plain, styled};
use crate::session::{Options, Session};

/// Lines are no longer than this, however wide the terminal is.
const WIDEST: u16 = 120;

/// Width of text that goes into a pipe or a file.
const IN_A_PIPE: u16 = 80;

/// Says something that is not the result.
pub(super) fn note(output: &OutputArgs, text: &str) {
    say(output, &plain(text));
}

/// The same behind a label, such as `warning:`.
pub(super) fn labeled(output: &OutputArgs, label: &str, text: &str) {
    say(output, &format!("{} {}", styled(label, STRONG), plain(text)));
}

/// A line on standard error, with its styles.
fn say(output: &OutputArgs, line: &str) {
    if !output.quiet {
        // An error of writing to the error output has no place to be written.
        let _ = writeln!(anstream::stderr().lock(), "{line}");
    }
}

pub(super) fn page(output: &OutputArgs) -> Page {
    let terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0.min(WIDEST));
    Page::new(usize::from(output.text_width.or_else(terminal).unwrap_or(IN_A_PIPE)))
}

/// Text for people on standard output.
pub(super) fn text(page: Page) -> Done {
    let mut out = anstream::stdout().lock();
    out.write_all(page.into_text().as_bytes())?;
    Ok(out.flush()?)
}

/// A file on standard output, byte for byte; on a terminal its last line ends.
pub(super) fn result(bytes: &[u8]) -> Done {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    if out.is_terminal() && !bytes.ends_with(b"\n") {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

pub(super) fn write(path: &Path, bytes: &[u8], output: &OutputArgs) -> Done {
    std::fs::write(path, bytes).map_err(|error| Failure::unwritable(&path.display().to_string(), &error))?;
    say(output, &styled(&plain(&format!("wrote {}", path.display())), MUTED));
    Ok(())
}

/// A file that leaves, after what a person should know of it.
pub(super) fn export_noted(
    session: &Session,
    what: &str,
    options: Value,
    output: &OutputArgs,
) -> Result<Vec<u8>, Failure> {
    let (bytes, notes) = session.export_with_notes(what, options)?;
    for text in notes {
        labeled(output, "note:", &text);
    }
    Ok(bytes)
}

/// The smallest count that may leave, as an export takes it.
pub(super) fn withholding(output: &OutputArgs) -> Value {
    output.suppress.map_or_else(|| json!({}), |least| json!({ "suppress": least }))
}

pub(super) fn options_in(value: Value) -> Options {
    match value {
        Value::Object(options) => options,
        _ => Options::new(),
    }
}

pub(super) fn ends_in(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}
