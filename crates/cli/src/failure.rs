//! What ends a command, and how it is told.

use std::cell::RefCell;
use std::io::{ErrorKind, Write};
use std::panic::PanicHookInfo;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use localcal::error::Error;

use crate::print::{MUTED, STRONG, plain, styled};

/// The input was refused.
pub const REFUSED: u8 = 1;
/// The command line was not understood.
pub const USAGE: u8 = 2;
/// A condition of `--fail-if` holds.
pub const GATE: u8 = 3;
/// A fault in the program.
pub const FAULT: u8 = 70;

const ALARM: Style = AnsiColor::Red.on_default().bold();

/// A condition of `--fail-if` after the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// as it was written
    pub condition: String,
    /// it holds: the gate is shut
    pub failed: bool,
    /// the number or the sentence by which it does or does not
    pub found: String,
}

/// A fault of the program, which no file and no option should be able to cause.
pub fn fault(what: &str) -> Error {
    Error::new("panic", format!("This is a bug in the program: {what}."), "Please report it with the command used.")
}

/// Why a command ends without its result.
#[derive(Debug)]
pub enum Failure {
    /// the core's sentence and hint
    Refused(Error),
    /// what of the command line was not understood
    Usage(String),
    /// everything was done, and these conditions of a gate hold
    Gate(Vec<Checked>),
    /// whoever read the output went away
    Unread,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::Unread,
            _ => Error::new(
                "file_unknown",
                format!("The output cannot be written: {error}."),
                "Choose another location.",
            )
            .into(),
        }
    }
}

impl Failure {
    /// What of the command line was not understood.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::Usage(what.into())
    }

    /// A file that cannot be read.
    pub fn unreadable(name: &str, error: &std::io::Error) -> Self {
        let why = match error.kind() {
            ErrorKind::NotFound => "file not found".to_owned(),
            ErrorKind::PermissionDenied => "permission denied".to_owned(),
            ErrorKind::IsADirectory => "it is a folder".to_owned(),
            ErrorKind::InvalidData => "it is not text".to_owned(),
            _ => error.to_string(),
        };
        let hint = match error.kind() {
            ErrorKind::IsADirectory => format!("Name its files: {}", Path::new(name).join("*").display()),
            _ => "Check the name and folder.".to_owned(),
        };
        Error::new("file_unknown", format!("The file cannot be read ({why}): {name}"), hint).into()
    }

    /// A file that cannot be written.
    pub fn unwritable(name: &str, error: &std::io::Error) -> Self {
        Error::new("file_unknown", format!("The file cannot be written ({error}): {name}"), "Choose another location.")
            .into()
    }

    /// Tells it on standard error; the exit status that belongs to it.
    pub fn print(&self, json: bool) -> ExitCode {
        let mut err = anstream::stderr().lock();
        // An error of writing to the error output has no place to be written.
        let _ = match self {
            Self::Unread => return ExitCode::SUCCESS,
            Self::Usage(what) if json => {
                writeln!(err, "{}", serde_json::json!({ "code": "usage", "message": what, "hint": "Try --help." }))
            }
            Self::Usage(what) => {
                // lines of their own are a list of what can be said, which is not of a file
                let lines: Vec<_> = what.lines().map(plain).collect();
                let what = lines.join("\n");
                writeln!(err, "{} {what}\n\nFor more information, try '--help'.", styled("error:", ALARM))
            }
            Self::Gate(failed) if json => {
                let one = |one: &Checked| serde_json::json!({ "condition": one.condition, "found": one.found });
                writeln!(err, "{}", serde_json::json!({ "failed": failed.iter().map(one).collect::<Vec<_>>() }))
            }
            Self::Gate(failed) => {
                let line = |one: &Checked| {
                    let said = format!("{}: {}", one.condition, one.found);
                    format!("{} {}\n", styled("failed:", ALARM), plain(&said))
                };
                write!(err, "{}", failed.iter().map(line).collect::<String>())
            }
            Self::Refused(error) if json => {
                let (message, hint) = error.in_terminal();
                writeln!(err, "{}", serde_json::json!({ "code": error.code(), "message": message, "hint": hint }))
            }
            Self::Refused(error) => {
                let (message, hint) = error.in_terminal();
                let (message, hint) = (plain(&message), plain(&hint));
                let code = styled(&format!("({})", error.code()), MUTED);
                writeln!(err, "{} {message} {code}\n{} {hint}", styled("error:", ALARM), styled("hint:", STRONG))
            }
        };
        ExitCode::from(self.status())
    }

    /// The exit status that belongs to it.
    pub fn status(&self) -> u8 {
        match self {
            Self::Unread => 0,
            Self::Usage(_) => USAGE,
            Self::Gate(_) => GATE,
            Self::Refused(error) if matches!(error.code(), "panic" | "internal") => FAULT,
            Self::Refused(_) => REFUSED,
        }
    }
}

/// Whether failures are told as JSON, for a panic, which no command can tell.
static AS_JSON: AtomicBool = AtomicBool::new(false);

/// From now on a panic is told as JSON, or in words.
pub fn tell_as_json(json: bool) {
    AS_JSON.store(json, Ordering::Relaxed);
}

type OfBytes = Box<dyn Fn(&str) -> Error>;

thread_local! {
    /// What is said of the file that a crate reads on this thread, should the crate stop at its bytes.
    static READING: RefCell<Option<OfBytes>> = const { RefCell::new(None) };
}

/// As long as it lives, a panic of this thread is one of a crate at the bytes of a file: the file is refused, and the program has
/// no fault.
pub struct Reading;

impl Reading {
    /// * `refusal`: what is told, given the words of the crate
    pub fn of(refusal: impl Fn(&str) -> Error + 'static) -> Self {
        READING.set(Some(Box::new(refusal)));
        Self
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        READING.set(None);
    }
}

/// Tells a panic as a fault of the program.
fn tell_fault(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
    let told = format!("A bug in the program{place}: {}", panic.payload_as_str().unwrap_or("no message"));
    let hint = "Please report it with the command used.";
    let mut err = anstream::stderr().lock();
    // An error of writing to the error output has no place to be written.
    let _ = match AS_JSON.load(Ordering::Relaxed) {
        true => writeln!(err, "{}", serde_json::json!({ "code": "panic", "message": told, "hint": hint })),
        false => writeln!(err, "{} {}\n{} {hint}", styled("error:", ALARM), plain(&told), styled("hint:", STRONG)),
    };
}

/// From now on a panic, on whatever thread, is told as a fault of the program and ends it with its own status.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        if let Some(refusal) = READING.take() {
            Failure::from(refusal(panic.payload_as_str().unwrap_or("no message")))
                .print(AS_JSON.load(Ordering::Relaxed));
            std::process::exit(i32::from(REFUSED));
        }
        tell_fault(panic);
        std::process::exit(i32::from(FAULT));
    }));
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::{Command, Output};

    use super::*;

    /// What a process prints that runs the ignored test of this name.
    fn ended(name: &str) -> Output {
        let name = format!("failure::tests::{name}");
        let itself = std::env::current_exe().unwrap();
        Command::new(itself).args([&name, "--exact", "--ignored", "--nocapture"]).output().unwrap()
    }

    #[test]
    #[ignore = "ends the process; another test runs it"]
    fn panics() {
        report_panics();
        tell_as_json(true);
        panic!("an example");
    }

    #[test]
    #[ignore = "ends the process; another test runs it"]
    fn panics_at_a_file() {
        report_panics();
        tell_as_json(true);
        let _reading = Reading::of(|why| Error::new("table_unreadable", why.to_owned(), "Write it again."));
        panic!("an example");
    }

    #[test]
    fn a_panic_is_told_as_json_where_that_was_asked_for() {
        for (name, code, status) in [("panics", "panic", FAULT), ("panics_at_a_file", "table_unreadable", REFUSED)] {
            let output = ended(name);
            let told: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
            assert_eq!((told["code"].as_str(), output.status.code()), (Some(code), Some(i32::from(status))));
            assert!(told["message"].as_str().unwrap().contains("an example"), "{told}");
        }
    }
}
