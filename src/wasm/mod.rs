//! TEMPORARY stand-in: the protocol's exports, enough for the pool and the page. To be overwritten.

use std::cell::RefCell;
use std::collections::HashMap;

use js_sys::{
    Array as JsArray, Float32Array, Float64Array, Function, Object, Reflect, Uint8Array,
    Uint32Array,
};
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::data::Array;
use crate::error::Error;
use crate::job::{self, Held};

thread_local! {
    static HELD: RefCell<HashMap<u32, Held>> = RefCell::new(HashMap::new());
}

/// Makes an outcome resident.
#[wasm_bindgen]
pub fn keep(key: u32, outcome: JsValue, columns: JsArray) -> Result<(), JsValue> {
    let value = value(outcome)?;
    HELD.with_borrow_mut(|held| held.insert(key, (value, arrays(&columns))));
    Ok(())
}

/// Frees a resident outcome.
#[wasm_bindgen]
pub fn forget(key: u32) {
    HELD.with_borrow_mut(|held| held.remove(&key));
}

/// Runs a job over resident outcomes.
#[wasm_bindgen]
pub fn run(
    job: JsValue,
    needs: Vec<u32>,
    columns: JsArray,
    progress: Function,
) -> Result<Object, JsValue> {
    console_error_panic_hook::set_once();
    let job = value(job)?;
    let columns = arrays(&columns);
    HELD.with_borrow(|held| {
        let needs: Vec<&Held> = needs.iter().filter_map(|key| held.get(key)).collect();
        let mut report = |f: f64| {
            let _ = progress.call1(&JsValue::NULL, &f.into());
        };
        let (outcome, columns) =
            job::run(&job, &needs, &columns, &mut report).map_err(|e| thrown(&e))?;
        let answer = Object::new();
        Reflect::set(&answer, &"outcome".into(), &object(&outcome)?)?;
        Reflect::set(
            &answer,
            &"columns".into(),
            &columns.into_iter().map(typed).collect::<JsArray>(),
        )?;
        Ok(answer)
    })
}

/// Draws a figure.
#[wasm_bindgen]
pub fn draw(
    canvas: web_sys::HtmlCanvasElement,
    figure: JsValue,
    theme: JsValue,
    dpr: f64,
) -> Result<(), JsValue> {
    let figure = value(figure)?;
    let theme = value(theme)?;
    let context: web_sys::CanvasRenderingContext2d =
        canvas.get_context("2d")?.ok_or("no canvas")?.dyn_into()?;
    let (w, h) = (f64::from(canvas.width()), f64::from(canvas.height()));
    context.clear_rect(0.0, 0.0, w, h);
    context.set_fill_style_str(theme["accent"].as_str().unwrap_or("#888"));
    for point in figure["points"].as_array().into_iter().flatten() {
        let (x, y) = (
            point[0].as_f64().unwrap_or(0.0),
            point[1].as_f64().unwrap_or(0.0),
        );
        context.fill_rect(
            x * w - 4.0 * dpr,
            (1.0 - y) * h - 4.0 * dpr,
            8.0 * dpr,
            8.0 * dpr,
        );
    }
    Ok(())
}

/// SVG text of a figure.
#[wasm_bindgen]
pub fn svg(figure: JsValue, theme: JsValue) -> Result<String, JsValue> {
    let (figure, theme) = (value(figure)?, value(theme)?);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" color=\"{}\"><title>{}</title></svg>",
        theme["ink"].as_str().unwrap_or(""),
        figure["title"].as_str().unwrap_or("")
    ))
}

/// Text twin of a figure: `{ columns, rows }`.
#[wasm_bindgen(unchecked_return_type = "{ columns: string[], rows: string[][] }")]
pub fn table(figure: JsValue) -> Result<JsValue, JsValue> {
    let figure = value(figure)?;
    let rows: Vec<[String; 2]> = figure["points"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|p| [p[0].to_string(), p[1].to_string()])
        .collect();
    object(&serde_json::json!({"columns": ["confidence", "accuracy"], "rows": rows}))
}

/// The mark with this index: `{ index, x, y, lines }`, or undefined.
#[wasm_bindgen(
    unchecked_return_type = "{ index: number, x: number, y: number, lines: string[] } | undefined"
)]
pub fn mark(figure: JsValue, width: f64, height: f64, index: i32) -> Result<JsValue, JsValue> {
    let figure = value(figure)?;
    let Some(point) = usize::try_from(index)
        .ok()
        .and_then(|i| figure["points"].get(i))
    else {
        return Ok(JsValue::UNDEFINED);
    };
    let (x, y) = (
        point[0].as_f64().unwrap_or(0.0),
        point[1].as_f64().unwrap_or(0.0),
    );
    object(
        &serde_json::json!({"index": index, "x": x * width, "y": (1.0 - y) * height,
        "lines": [format!("confidence {x:.2}"), format!("accuracy {y:.2}")]}),
    )
}

/// The mark under a point of the canvas, in CSS pixels.
#[wasm_bindgen(
    unchecked_return_type = "{ index: number, x: number, y: number, lines: string[] } | undefined"
)]
pub fn mark_at(
    figure: JsValue,
    width: f64,
    height: f64,
    x: f64,
    y: f64,
) -> Result<JsValue, JsValue> {
    let _ = y;
    mark(figure, width, height, (x / width * 10.0) as i32)
}

fn value(js: JsValue) -> Result<Value, JsValue> {
    serde_wasm_bindgen::from_value(js).map_err(|e| {
        thrown(&Error::new(
            "invalid_option",
            format!("the message cannot be read: {e}"),
            "Check the options.",
        ))
    })
}

fn object(value: &Value) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?)
}

fn thrown(error: &Error) -> JsValue {
    let thrown = js_sys::Error::new(&error.to_string());
    let _ = Reflect::set(&thrown, &"code".into(), &error.code().into());
    let _ = Reflect::set(&thrown, &"hint".into(), &error.hint().into());
    thrown.into()
}

fn arrays(columns: &JsArray) -> Vec<Array> {
    columns
        .iter()
        .filter_map(|column| {
            if let Some(c) = column.dyn_ref::<Float64Array>() {
                Some(Array::F64(c.to_vec()))
            } else if let Some(c) = column.dyn_ref::<Float32Array>() {
                Some(Array::F32(c.to_vec()))
            } else if let Some(c) = column.dyn_ref::<Uint32Array>() {
                Some(Array::U32(c.to_vec()))
            } else {
                column
                    .dyn_ref::<Uint8Array>()
                    .map(|c| Array::U8(c.to_vec()))
            }
        })
        .collect()
}

fn typed(array: Array) -> JsValue {
    match array {
        Array::F64(v) => Float64Array::from(&v[..]).into(),
        Array::F32(v) => Float32Array::from(&v[..]).into(),
        Array::U32(v) => Uint32Array::from(&v[..]).into(),
        Array::U8(v) => Uint8Array::from(&v[..]).into(),
    }
}
