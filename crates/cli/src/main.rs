//! `localcal`: the command-line interface.
//!
//! `args` defines the arguments, `options` converts them into requests of the scripted interface, `session` runs requests,
//! `commands` contains the subcommands, `tables` reads Parquet and Excel files, `screen` and `sheet` write text, `chart`
//! draws charts, `gate` sets the exit code by thresholds.

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
