//! Messages and columns, in and out of JavaScript.
//!
//! What JavaScript looks into crosses as the text of JSON, which browsers read and write many times as fast as an object
//! is made field by field; what it only passes on crosses as bytes. A number that JSON does not have becomes null; whole
//! columns, which may hold them, travel beside the message.

use js_sys::{
    Array as JsArray, ArrayBuffer, Float32Array, Float64Array, JSON, Object, Reflect, Uint8Array, Uint32Array,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsError, JsValue};
use web_sys::{Blob, FileReaderSync};

use localcal::error::Error;
use localcal::job::reply::reply;
use localcal::job::{Call, Job, Outcome};
use localcal::packed::{pack, unpack};
use localcal::read::{MOST_BYTES, too_large};
use localcal::request::bounds::{DEEPEST, too_deep};
use localcal::request::message::read;
use localcal::table::Array;
use localcal::table::column::{with_columns_in, with_columns_out};

/// A typed message from JavaScript as the text of JSON, with the columns that travel beside it.
pub(crate) fn message_in<T: DeserializeOwned>(text: &str, columns: Vec<Array>) -> Result<T, JsValue> {
    let value = serde_json::from_str(text).map_err(|error| not_understood(&error))?;
    with_columns_in(columns, || read(value)).map_err(|error| not_understood(&error))
}

/// `{ outcome, packed, columns }` for JavaScript: what the page reads as the text of JSON, and for outcomes that another
/// worker may need, the whole of it as bytes.
pub(crate) fn outcome_out(outcome: &Outcome) -> Result<JsValue, JsValue> {
    let (forms, columns) = with_columns_out(|| -> Result<_, JsValue> {
        let reply = reply(outcome).map_err(JsError::from)?;
        let packed = outcome.is_shared().then(|| pack(outcome)).transpose();
        Ok((reply.to_string(), packed.map_err(JsError::from)?))
    });
    let (reply, packed) = forms?;
    let out = Object::new();
    Reflect::set(&out, &"outcome".into(), &reply.into())?;
    if let Some(packed) = packed {
        Reflect::set(&out, &"packed".into(), &Uint8Array::from(packed.as_slice()).into())?;
    }
    Reflect::set(&out, &"columns".into(), &columns_out(columns))?;
    Ok(out.into())
}

/// An outcome from another worker.
pub(crate) fn outcome_in(packed: &[u8], columns: Vec<Array>) -> Result<Outcome, JsValue> {
    with_columns_in(columns, || unpack(packed)).map_err(|error| not_understood(&error))
}

/// A job from JavaScript: of a plan, as bytes, or a call of the page. The options of a call are read as JSON, where an
/// unknown option is an error; what is undefined or null counts as left out.
pub(crate) fn job_in(message: &JsValue) -> Result<Job, JsValue> {
    if let Some(packed) = message.dyn_ref::<Uint8Array>() {
        return unpack(&packed.to_vec()).map_err(|error| not_understood(&error));
    }
    check_depth(message)?;
    without_undefined(message)?;
    let value = serde_wasm_bindgen::from_value(outside(message)?).map_err(|error| not_understood(&error))?;
    Call::written(value).map(Job::Call).map_err(|error| js_error(&error))
}

/// Refuses objects that lie so deep in each other that reading them would not come back.
fn check_depth(message: &JsValue) -> Result<(), JsValue> {
    let mut open = vec![(message.clone(), 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > DEEPEST {
            return Err(js_error(&too_deep()));
        }
        let items = match value.dyn_ref::<JsArray>() {
            Some(items) => items.clone(),
            // columns hold numbers alone
            None if ArrayBuffer::is_view(&value) => continue,
            None => match value.dyn_ref::<Object>() {
                Some(object) => Object::values(object),
                None => continue,
            },
        };
        open.extend(items.iter().filter(JsValue::is_object).map(|item| (item, depth + 1)));
    }
    Ok(())
}

/// In the words of the core, for JavaScript.
fn not_understood(error: &dyn std::fmt::Display) -> JsValue {
    js_error(&localcal::job::not_understood(error))
}

/// Options that are undefined are left out: as values they would be null, which says something in some.
fn without_undefined(message: &JsValue) -> Result<(), JsValue> {
    let options = Reflect::get(message, &"options".into())?;
    if let Some(options) = options.dyn_ref::<Object>() {
        for name in Object::keys(options).iter() {
            if Reflect::get(options, &name)?.is_undefined() {
                Reflect::delete_property(options, &name)?;
            }
        }
    }
    Ok(())
}

/// The `kind` of a call goes outside, as serde expects it.
fn outside(message: &JsValue) -> Result<JsValue, JsValue> {
    let kind = Reflect::get(message, &"kind".into())?;
    let outside = Object::new();
    Reflect::set(&outside, &kind, message)?;
    Ok(outside.into())
}

/// A message, without the columns it may leave in the cargo.
pub(crate) fn message_plain<T: Serialize>(message: &T) -> Result<JsValue, JsValue> {
    JSON::parse(&serde_json::to_string(message).map_err(JsError::from)?)
}

/// Typed arrays to columns; anything else is skipped.
pub(crate) fn columns_in(columns: &JsArray) -> Vec<Array> {
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
                column.dyn_ref::<Uint8Array>().map(|values| Array::U8(values.to_vec().into()))
            }
        })
        .collect()
}

/// Bytes of a file that are read in one go: what JavaScript holds of it at a time.
const SLICE: usize = 1 << 26;

/// The bytes of a file, read slice by slice so that memory holds them once, or of what a library has read of one.
///
/// # Errors
/// `too_large` beyond what is read; `file_unknown` where the browser cannot read it.
pub(crate) fn file_in(file: &JsValue) -> Result<Array, JsValue> {
    if let Some(bytes) = file.dyn_ref::<Uint8Array>() {
        return Ok(Array::U8(bytes.to_vec().into()));
    }
    let file: &Blob = file.unchecked_ref();
    let size = file.size();
    if size > MOST_BYTES as f64 {
        return Err(js_error(&too_large("The file has", size, MOST_BYTES as u64)));
    }
    let size = size as usize;
    let mut bytes = Vec::with_capacity(size);
    let reader = FileReaderSync::new()?;
    let name = Reflect::get(file, &"name".into())?.as_string();
    for start in (0..size).step_by(SLICE) {
        let end = size.min(start + SLICE);
        let slice = file.slice_with_f64_and_f64(start as f64, end as f64)?;
        let part = reader.read_as_array_buffer(&slice).map_err(|_| {
            js_error(&Error::new(
                "file_unknown",
                format!("The browser could not read the file: {}", name.as_deref().unwrap_or("no name")),
                "Choose a file, not a folder; it must be where it was, and unchanged.",
            ))
        })?;
        let part = Uint8Array::new(&part);
        bytes.resize(start + part.length() as usize, 0);
        if let Some(rest) = bytes.get_mut(start..) {
            part.copy_to(rest);
        }
    }
    Ok(Array::U8(bytes.into()))
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
pub(crate) fn picture((d, places): (usize, Vec<f32>)) -> JsValue {
    let out = Object::new();
    // Setting a property on a fresh object cannot fail.
    let _ = Reflect::set(&out, &"kind".into(), &"embedding".into());
    for (c, name) in ["x", "y", "z"].into_iter().enumerate().take(d) {
        let axis: Vec<f32> = places.iter().skip(c).step_by(d).copied().collect();
        let _ = Reflect::set(&out, &name.into(), &Float32Array::from(axis.as_slice()).into());
    }
    out.into()
}

/// `{ code, message, hint, page: { message, hint } }`, the page's own words last: a plain object, because structured clone
/// drops an Error's own properties.
pub(crate) fn js_error(error: &Error) -> JsValue {
    let object = |texts: &[(&str, &str)]| {
        let out = Object::new();
        for (key, value) in texts {
            // Setting a property on a fresh object cannot fail.
            let _ = Reflect::set(&out, &(*key).into(), &(*value).into());
        }
        out
    };
    let (message, hint) = error.on_page();
    let out = object(&[("code", error.code()), ("message", &error.to_string()), ("hint", &error.hint())]);
    let page = object(&[("message", &message), ("hint", &hint)]);
    let _ = Reflect::set(&out, &"page".into(), &page);
    out.into()
}
