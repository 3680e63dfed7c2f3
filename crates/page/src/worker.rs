//! What a worker can be told: keep an outcome, forget it, run a job.

use std::cell::RefCell;
use std::collections::HashMap;

use js_sys::{Array as JsArray, Function};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::convert::{columns_in, file_in, job_in, js_error, outcome_in, outcome_out, picture};
use localcal::error::Error;
use localcal::job::{JobInputs, Outcome, Progress, run as run_job};

thread_local! {
    static STORE: RefCell<HashMap<u32, Outcome>> = RefCell::new(HashMap::new());
}

/// Panics say where they happened before the instance dies.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
    localcal::num::clock::use_clock(|| now() / 1000.0);
}

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the worker began.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// Makes an outcome that another worker packed resident under `key`.
///
/// # Errors
/// `invalid_option` if it has not the form of an outcome.
#[wasm_bindgen]
pub fn keep(key: u32, packed: &[u8], columns: &JsArray) -> Result<(), JsValue> {
    let outcome = outcome_in(packed, columns_in(columns))?;
    STORE.with_borrow_mut(|store| store.insert(key, outcome));
    Ok(())
}

/// Frees the outcome under `key`.
#[wasm_bindgen]
pub fn forget(key: u32) {
    STORE.with_borrow_mut(|store| store.remove(&key));
}

/// Runs a job on resident outcomes, or reads `file`, a Blob or bytes, and keeps its outcome under `key`; returns
/// `{ outcome, packed, columns }`: what the page reads of it, and what `keep` takes. `held` are the keys of what the job
/// needs, in the order in which it names it; the last of them, as many as `extras` says, are feature maps of the data
/// set, which go with every job of it. `progress` is called with the share done and, from an embedding, `{ kind: "embedding", x, y }` (and `z`) as `Float32Array`s.
///
/// # Errors
/// `{ code, message, hint }`.
#[wasm_bindgen]
pub fn run(
    job: JsValue,
    held: &[u32],
    extras: usize,
    file: Option<JsValue>,
    key: u32,
    progress: &Function,
) -> Result<JsValue, JsValue> {
    let job = job_in(&job)?;
    let columns = match file {
        Some(file) => vec![file_in(&file)?],
        None => Vec::new(),
    };
    let outcome = STORE.with_borrow(|store| {
        let resident = |key: &u32| {
            let missing =
                || Error::internal(format!("`{}` needs outcome {key}, which the worker does not hold.", job.name()));
            store.get(key).ok_or_else(missing)
        };
        let held = held.iter().map(resident).collect::<Result<Vec<&Outcome>, Error>>()?;
        let (needs, maps) = held.split_at(held.len().saturating_sub(extras));
        let mut report = |told: Progress| {
            let picture = told.places.map_or(JsValue::UNDEFINED, picture);
            // A page that went away cannot be told.
            let _ = progress.call2(&JsValue::NULL, &told.share.into(), &picture);
        };
        run_job(&job, JobInputs { needs, maps }, columns, &mut report)
    });
    let outcome = outcome.map_err(|error: Error| js_error(&error))?;
    let message = outcome_out(&outcome)?;
    STORE.with_borrow_mut(|store| store.insert(key, outcome));
    Ok(message)
}
