//! `localcal`: the core over files, in a terminal.
//!
//! `args` says what can be typed, `options` turns it into what a script would write, `session` asks the core, `commands`
//! puts the steps together, `tables` reads files that the core does not, `screen` and `sheet` write what a person reads, `chart` makes pictures, `gate` decides.

mod args;
mod catalogue;
mod chart;
mod commands;
mod executor;
mod failure;
mod gate;
mod options;
mod print;
mod progress;
mod screen;
mod session;
mod shape;
mod sheet;
mod tables;

use std::process::ExitCode;

fn main() -> ExitCode {
    failure::report_panics();
    let matches = args::command().get_matches();
    let asked = args::parsed(&matches).unwrap_or_else(|error| error.exit());
    let json = commands::json(&asked);
    match commands::carry_out(asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.print(json),
    }
}
