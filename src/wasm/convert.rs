//! Messages and columns, in and out of JavaScript.
//!
//! What JavaScript looks into crosses as JSON values, what it only passes on as bytes: code that reads and writes each
//! type is large, so most types have one form only. A number that JSON does not have becomes null; whole columns,
//! which may hold them, travel beside the message.

use js_sys::{
    Array as JsArray, Float32Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsError, JsValue};

use crate::data::Array;
use crate::data::column::{with_cargo_in, with_cargo_out};
use crate::error::Error;
use crate::job::message::read;
use crate::job::packed::{pack, unpack};
use crate::job::told::told;
use crate::job::{Job, Outcome};

/// A typed message from JavaScript, with the columns that travel beside it.
pub(super) fn message_in<T: DeserializeOwned>(
    message: JsValue,
    columns: Vec<Array>,
) -> Result<T, JsValue> {
    let value = json(message)?;
    with_cargo_in(columns, || read(value)).map_err(|error| not_understood(&error))
}

fn json(message: JsValue) -> Result<serde_json::Value, JsValue> {
    serde_wasm_bindgen::from_value(message).map_err(|error| not_understood(&error))
}

/// `{ outcome, packed, columns }` for JavaScript: what the page reads, and for outcomes that another worker may need,
/// the same as bytes.
pub(super) fn outcome_out(outcome: &Outcome) -> Result<JsValue, JsValue> {
    let (forms, columns) = with_cargo_out(|| -> Result<_, JsValue> {
        let told = told(outcome).map_err(JsError::from)?;
        let packed = outcome.is_shared().then(|| pack(outcome)).transpose();
        Ok((plain(&told)?, packed.map_err(JsError::from)?))
    });
    let (told, packed) = forms?;
    let out = Object::new();
    Reflect::set(&out, &"outcome".into(), &told)?;
    if let Some(packed) = packed {
        Reflect::set(
            &out,
            &"packed".into(),
            &Uint8Array::from(packed.as_slice()).into(),
        )?;
    }
    Reflect::set(&out, &"columns".into(), &columns_out(columns))?;
    Ok(out.into())
}

/// An outcome from another worker.
pub(super) fn outcome_in(packed: &[u8], columns: Vec<Array>) -> Result<Outcome, JsValue> {
    with_cargo_in(columns, || unpack(packed)).map_err(|error| not_understood(&error))
}

/// A job from JavaScript: of a plan, as bytes, or a call of the page. The options of a call are read as JSON, where an
/// option that nobody knows is an error; what is undefined or null counts as left out.
pub(super) fn job_in(message: &JsValue) -> Result<Job, JsValue> {
    if let Some(packed) = message.dyn_ref::<Uint8Array>() {
        return unpack(&packed.to_vec()).map_err(|error| not_understood(&error));
    }
    let mut value = json(outside(message)?)?;
    if let Some(call) = value
        .as_object_mut()
        .and_then(|outside| outside.values_mut().next())
    {
        without_nulls(call);
        if let Some(fields) = call.as_object_mut() {
            fields.remove("kind");
            fields.get_mut("request").map(chart_outside);
        }
    }
    read(value)
        .map(Job::Call)
        .map_err(|error| not_understood(&error))
}

/// The name of a chart stands among its fields in JavaScript, too.
fn chart_outside(request: &mut serde_json::Value) {
    let chart = request.as_object_mut().and_then(|o| o.remove("chart"));
    if let Some(serde_json::Value::String(chart)) = chart {
        let mut outside = serde_json::Map::new();
        outside.insert(chart, request.take());
        *request = outside.into();
    }
}

fn without_nulls(value: &mut serde_json::Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, field| !field.is_null());
        fields.values_mut().for_each(without_nulls);
    }
}

/// "invalid_option" because all that a script can get wrong here is the form of what it asks.
fn not_understood(error: &dyn std::fmt::Display) -> JsValue {
    js_error(&Error::new(
        "invalid_option",
        format!("This cannot be understood: {error}."),
        "Compare with the typed interface.",
    ))
}

/// The `kind` of a call goes outside, as serde expects it.
fn outside(message: &JsValue) -> Result<JsValue, JsValue> {
    let kind = Reflect::get(message, &"kind".into())?;
    let outside = Object::new();
    Reflect::set(&outside, &kind, message)?;
    Ok(outside.into())
}

/// A message, without the columns it may leave in the cargo.
pub(super) fn message_plain<T: Serialize>(message: &T) -> Result<JsValue, JsValue> {
    plain(&serde_json::to_value(message).map_err(JsError::from)?)
}

fn plain(value: &serde_json::Value) -> Result<JsValue, JsValue> {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(|error| JsError::from(error).into())
}

/// Typed arrays to columns; anything else is skipped.
pub(super) fn columns_in(columns: &JsArray) -> Vec<Array> {
    columns
        .iter()
        .filter_map(|column| {
            if let Some(values) = column.dyn_ref::<Float64Array>() {
                Some(Array::F64(values.to_vec().into()))
            } else if let Some(values) = column.dyn_ref::<Float32Array>() {
                Some(Array::F32(values.to_vec().into()))
            } else if let Some(values) = column.dyn_ref::<Uint32Array>() {
                Some(Array::U32(values.to_vec().into()))
            } else {
                column
                    .dyn_ref::<Uint8Array>()
                    .map(|values| Array::U8(values.to_vec().into()))
            }
        })
        .collect()
}

fn columns_out(columns: Vec<Array>) -> JsArray {
    columns
        .into_iter()
        .map(|column| match column {
            Array::F64(values) => JsValue::from(Float64Array::from(values.as_slice())),
            Array::F32(values) => JsValue::from(Float32Array::from(values.as_slice())),
            Array::U32(values) => JsValue::from(Uint32Array::from(values.as_slice())),
            Array::U8(values) => JsValue::from(Uint8Array::from(values.as_slice())),
        })
        .collect()
}

/// `{ kind: "embedding", x, y }`, and `z` where there is one.
pub(super) fn picture((d, places): (usize, Vec<f32>)) -> JsValue {
    let out = Object::new();
    // Setting a property on a fresh object cannot fail.
    let _ = Reflect::set(&out, &"kind".into(), &"embedding".into());
    for (c, name) in ["x", "y", "z"].into_iter().enumerate().take(d) {
        let axis: Vec<f32> = places.iter().skip(c).step_by(d).copied().collect();
        let _ = Reflect::set(
            &out,
            &name.into(),
            &Float32Array::from(axis.as_slice()).into(),
        );
    }
    out.into()
}

/// `{ code, message, hint, page: { message, hint } }`, the page's own words last: a plain object, because structured clone
/// drops an Error's own properties.
pub(super) fn js_error(error: &Error) -> JsValue {
    let object = |texts: &[(&str, &str)]| {
        let out = Object::new();
        for (key, value) in texts {
            // Setting a property on a fresh object cannot fail.
            let _ = Reflect::set(&out, &(*key).into(), &(*value).into());
        }
        out
    };
    let (message, hint) = error.on_page();
    let out = object(&[
        ("code", error.code()),
        ("message", &error.to_string()),
        ("hint", error.hint()),
    ]);
    let page = object(&[("message", &message), ("hint", &hint)]);
    let _ = Reflect::set(&out, &"page".into(), &page);
    out.into()
}
