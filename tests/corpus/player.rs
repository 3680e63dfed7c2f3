//! Plays JSON requests as a worker does, and gives JSON answers: all of the crate that the corpus touches is here.

use localcal::Result;
use localcal::error::Error;
use localcal::job::reply::reply;
use localcal::job::{Call, Job, JobInputs, Outcome, execute_after, run};
use localcal::plot::figure::Figure;
use localcal::plot::palette::{DARK, LIGHT};
use localcal::plot::svg::svg;
use localcal::report::export::Bytes;
use localcal::request::message::read as message_of_page;
use localcal::table::Array;
use localcal::table::column::{with_columns_in, with_columns_out};
use serde_json::{Value, json};

use crate::terminal_words::not_of_a_terminal;

/// An outcome that stays with the worker.
pub struct Held(Outcome);

/// Bytes to a file, as it lies in the store of a worker.
pub fn read(name: &str, bytes: Vec<u8>, options: &Value) -> Result<Held> {
    let mut call = json!({ "kind": "read", "name": name });
    for (key, value) in options.as_object().into_iter().flatten() {
        call[key] = value.clone();
    }
    let columns = vec![Array::U8(bytes.into())];
    run(&Job::Call(written(call)?), &[] as &[&Outcome], columns, &mut |_| ()).map(Held)
}

/// A call of the page: an object whose `kind` is its name. Feature maps among `needs` go beside them.
pub fn call(call: Value, needs: &[&Held]) -> Result<Held> {
    let all = needs.iter().map(|held| &held.0);
    let (maps, needs): (Vec<&Outcome>, Vec<&Outcome>) = all.partition(|held| matches!(held, Outcome::Coordinates(_)));
    run(&Job::Call(written(call)?), JobInputs { needs: &needs, maps: &maps }, vec![], &mut |_| ()).map(Held)
}

/// What comes of a plan; `maps` go with the needs of every job.
pub fn carried_out(plan: &Held, given: &[&Held], maps: &[&Held]) -> Result<Held> {
    let Outcome::Plan(plan) = &plan.0 else { unreachable!("not a plan") };
    let given: Vec<&Outcome> = given.iter().map(|held| &held.0).collect();
    let maps: Vec<&Outcome> = maps.iter().map(|map| &map.0).collect();
    execute_after(&plan.nodes, JobInputs { needs: &given, maps: &maps }).map(Held)
}

/// What the page reads: `{ told, columns }`, or `{ text }` of an export. Of a plan: words and expected milliseconds of
/// its jobs; the jobs themselves are for workers.
pub fn answer(held: &Held) -> Value {
    let (message, cargo) = with_columns_out(|| reply(&held.0));
    let message = message.expect("a message");
    if message["kind"] == "plan" {
        let nodes = message["nodes"].as_array().into_iter().flatten();
        let each: Vec<Value> = nodes.map(|node| json!([node["label"], node["cost"]])).collect();
        return json!({ "plan": each });
    }
    if let (Outcome::Bytes(Bytes { bytes, .. }), true) = (&held.0, message["kind"] == "bytes") {
        return match std::str::from_utf8(bytes) {
            Ok(text) => json!({ "text": text }),
            Err(_) => column(&Array::U8(bytes.0.clone())),
        };
    }
    let columns: Vec<Value> = cargo.iter().map(column).collect();
    match columns.is_empty() {
        true => json!({ "told": message }),
        false => json!({ "told": message, "columns": columns }),
    }
}

/// The figure at a place of what the page reads, as a picture.
pub fn picture(held: &Held, at: &str, dark: bool) -> String {
    let (message, cargo) = with_columns_out(|| reply(&held.0));
    let message = message.expect("a message");
    let figure = message.pointer(at).unwrap_or_else(|| panic!("nothing stands at {at}")).clone();
    let figure: Figure = with_columns_in(cargo, || message_of_page(figure)).expect("a figure");
    svg(&figure, if dark { &DARK } else { &LIGHT })
}

/// What a script is told of a failure; the page's own words where they differ. What a terminal is told is looked at: it
/// gives flags.
pub fn refusal(error: &Error) -> Value {
    let (message, hint) = error.in_terminal();
    // a name of the scripted interface that is asked for and is none is told with all there are
    if !message.contains("`export_predictions`") {
        for told in [message, hint] {
            assert_eq!(not_of_a_terminal(&told), None, "{}: {told}", error.code());
        }
    }
    let mut told = json!({ "code": error.code(), "message": error.to_string(), "hint": error.hint() });
    let (message, hint) = error.on_page();
    if message != error.to_string() || hint != error.hint() {
        told["page"] = json!({ "message": message, "hint": hint });
    }
    json!({ "error": told })
}

/// Every code of an error, as documented.
pub fn codes() -> Vec<&'static str> {
    localcal::error::CODES.iter().map(|(code, _)| *code).collect()
}

/// As it comes from JavaScript, with its name outside, too.
fn written(call: Value) -> Result<Call> {
    let kind = call["kind"].as_str().expect("a call has a kind").to_owned();
    Call::written(json!({ kind: call }))
}

/// Bit for bit: the shortest digits that read back as the same number. Pictures of more than a few thousand bytes are
/// told by their length and a hash.
fn column(array: &Array) -> Value {
    let number = |value: f64| if value.is_finite() { json!(value) } else { json!(value.to_string()) };
    match array {
        Array::F64(values) => json!({ "f64": values.iter().map(|&v| number(v)).collect::<Vec<_>>() }),
        Array::F32(values) => json!({ "f32": values.iter().map(|&v| number(f64::from(v))).collect::<Vec<_>>() }),
        Array::U32(values) => json!({ "u32": **values }),
        Array::U8(values) if values.len() > 8192 => {
            let hash = values
                .iter()
                .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
            json!({ "u8": values.len(), "fnv1a": format!("{hash:016x}") })
        }
        Array::U8(values) => json!({ "u8": values.iter().map(|byte| format!("{byte:02x}")).collect::<String>() }),
    }
}
