//! Looks for inputs that the core does not survive: damaged files, random requests over awkward data, altered
//! calibrators, altered messages.
//!
//! Every case is drawn from a seed and is a [`Case`], which can be written as JSON and played again; one that found
//! something stands in `tests/fuzz/found/`. `./build.sh test` plays those and a fixed number of new ones;
//! `./build.sh fuzz MINUTES [SEED]` goes on with other seeds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod case;
mod checks;
mod damage;
mod draw;
mod play;
mod relations;
#[path = "../support/mod.rs"]
mod support;
mod watch;

use std::alloc::System;

use cap::Cap;
use case::Case;
use rand_pcg::Pcg64;

/// Refuses what is beyond the limit of a case, which ends the process.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Where a family of cases comes from.
type Draw = fn(&mut Pcg64) -> Case;

/// Draws and plays so many cases; which ones, `LOCALCAL_FUZZ_SEED` says.
fn family(name: &str, cases: u64, draw: Draw) {
    let first = std::env::var("LOCALCAL_FUZZ_SEED").map_or(Ok(0), |text| text.parse::<u64>());
    let first = first.expect("LOCALCAL_FUZZ_SEED is a whole number");
    let mut counts = play::Counts::default();
    let mut failures = Vec::new();
    for seed in 0..cases {
        let case = draw(&mut Pcg64::new(u128::from(first) << 64 | u128::from(seed), 0x10ca1));
        let place = format!("{name}-{first}-{seed}");
        if let Err(fault) = watch::guarded(&place, &case, &mut counts) {
            println!("{place}: {fault}");
            failures.push(place);
        }
    }
    println!("fuzz {name}, seed {first}: {cases} cases, {counts}, {} failed", failures.len());
    assert!(
        failures.is_empty(),
        "{} of {cases} cases failed: {failures:?}; each stands in {}",
        failures.len(),
        watch::folder().display()
    );
}

#[test]
fn damaged_files() {
    family("files", 4_000, damage::file);
}

#[test]
fn random_requests() {
    family("requests", 4_000, draw::request);
}

#[test]
fn altered_calibrators() {
    family("calibrators", 2_000, damage::calibrator);
}

#[test]
fn altered_messages() {
    family("messages", 400, damage::messages);
}

/// What was found once stays corrected.
#[test]
fn found_before() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/found");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    let mut counts = play::Counts::default();
    let mut failures = Vec::new();
    for path in &paths {
        let case: Case = serde_json::from_slice(&std::fs::read(path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_stem().unwrap().to_string_lossy();
        if let Err(fault) = watch::guarded(&format!("found-{name}"), &case, &mut counts) {
            failures.push(format!("{name} ({}): {fault}", case.why));
        }
    }
    assert!(!paths.is_empty(), "no case in {folder}");
    assert!(failures.is_empty(), "{failures:#?}");
    println!("fuzz: {} found before: {counts}", paths.len());
}
