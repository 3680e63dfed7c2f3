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

use failure::Failure;

fn main() -> ExitCode {
    failure::report_panics();
    let asked = args::command().try_get_matches().and_then(|matches| args::parsed(&matches));
    let asked = match asked {
        Ok(asked) => asked,
        // help and version are no errors
        Err(error) if error.use_stderr() && std::env::args_os().any(|one| one == "--json") => {
            return Failure::usage(error.render().to_string().trim_start_matches("error: ").trim_end()).print(true);
        }
        Err(error) => error.exit(),
    };
    let (json, suppresses) = (commands::json(&asked), commands::suppresses(&asked));
    failure::tell_as_json(json);
    match commands::carry_out(asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Refused(error)) if suppresses => Failure::Refused(error.without_values()).print(json),
        Err(failure) => failure.print(json),
    }
}
