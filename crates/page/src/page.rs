//! What the page's own instance does: draw figures, and say what is under the pointer.

use js_sys::Array as JsArray;
use plotters_canvas::CanvasBackend;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use crate::canvas::paint;
use crate::convert::{columns_in, js_error, message_in, message_plain};
use localcal::error::Error;
use localcal::plot::figure::Figure;
use localcal::plot::hit::{cursor_order, hit};
use localcal::plot::image::Bitmap;
use localcal::plot::palette::{DARK, LIGHT, Theme};
use localcal::plot::pdf::pdf;
use localcal::plot::svg::{print, print_width, svg};
use localcal::report::line_order::{self as report, LineKey};

/// A figure that was sent to the page, kept where it can be drawn and pointed at.
#[wasm_bindgen]
pub struct Drawing {
    figure: Figure,
}

#[wasm_bindgen]
impl Drawing {
    /// Takes a figure, as the text of JSON, and the columns that came with its message.
    ///
    /// # Errors
    /// `invalid_option` if it is not a figure.
    #[wasm_bindgen(constructor)]
    pub fn new(figure: &str, columns: &JsArray) -> Result<Drawing, JsValue> {
        Ok(Drawing { figure: message_in(figure, columns_in(columns))? })
    }

    /// Paints on a canvas whose pixels are `dpr` to a CSS pixel; sets the size of the canvas.
    ///
    /// * `forced`: colors that the system forces, as [`Theme::forced`] takes them; of a file none
    ///
    /// # Errors
    /// `not_drawn` if the canvas refuses.
    pub fn draw(
        &self,
        canvas: &HtmlCanvasElement,
        dark: bool,
        dpr: f64,
        forced: Option<Vec<u8>>,
    ) -> Result<(), JsValue> {
        canvas.set_width((self.figure.width * dpr).round() as u32);
        canvas.set_height((self.figure.height * dpr).round() as u32);
        let refused =
            || js_error(&Error::new("not_drawn", "The canvas cannot be drawn on.", "Use the table below the chart."));
        let context = canvas.get_context("2d")?.ok_or_else(refused)?;
        let context: CanvasRenderingContext2d = context.dyn_into().map_err(|_| refused())?;
        let mut backend = CanvasBackend::with_canvas_object(canvas.clone()).ok_or_else(refused)?;
        let mut blit = |bitmap: &Bitmap| {
            let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&bitmap.rgba), bitmap.width, bitmap.height);
            if let Ok(image) = image {
                // What lies outside the canvas is cut off by it; there is nothing else that can fail.
                let _ = context.put_image_data(&image, f64::from(bitmap.x), f64::from(bitmap.y));
            }
        };
        let forced = forced.and_then(|colors| theme(dark).forced(&colors));
        let theme = forced.as_ref().unwrap_or(theme(dark));
        paint(&self.figure, theme, dpr, &mut backend, &mut blit).map_err(|error| js_error(&error))
    }

    /// The figure as a standalone SVG document.
    pub fn svg(&self, dark: bool) -> String {
        svg(&self.figure, theme(dark))
    }

    /// The figure as a standalone SVG document for print, so many millimetres wide.
    pub fn print(&self, width_mm: f64) -> String {
        print(&self.figure, width_mm)
    }

    /// The figure as a PDF document of one page; `width_mm`: so many millimetres wide.
    ///
    /// # Errors
    /// `not_drawn` for a letter that the standard fonts of PDF lack.
    pub fn pdf(&self, width_mm: Option<f64>) -> Result<Vec<u8>, JsValue> {
        pdf(&self.figure, width_mm).map_err(|error| js_error(&error))
    }

    /// Width in CSS pixels of a figure that is to be printed so many millimetres wide.
    pub fn print_width(width_mm: f64) -> f64 {
        print_width(width_mm)
    }

    /// The mark under a place given in CSS pixels of the figure, or nothing.
    ///
    /// # Errors
    /// None that a figure can cause.
    #[wasm_bindgen(unchecked_return_type = "Hit | undefined")]
    pub fn at(&self, x: f64, y: f64) -> Result<JsValue, JsValue> {
        hit(&self.figure, x, y).map_or(Ok(JsValue::UNDEFINED), |found| message_plain(&found))
    }

    /// The place under a pixel in the units of the first panel, or nothing outside it.
    pub fn value(&self, x: f64, y: f64) -> Option<Vec<f64>> {
        let panel = self.figure.panels.first().filter(|panel| panel.rect.contains(x, y))?;
        let across = (x - panel.rect.x) / panel.rect.width;
        let up = (panel.rect.bottom() - y) / panel.rect.height;
        Some(vec![panel.x.scale.value(across), panel.y.scale.value(up)])
    }

    /// The pixel of a place given in the units of the first panel.
    pub fn place(&self, x: f64, y: f64) -> Option<Vec<f64>> {
        let (x, y) = self.figure.panels.first()?.place(x, y);
        Some(vec![x, y])
    }

    /// Every mark in the order of the arrow keys.
    ///
    /// # Errors
    /// None that a figure can cause.
    #[wasm_bindgen(unchecked_return_type = "Hit[]")]
    pub fn marks(&self) -> Result<JsValue, JsValue> {
        message_plain(&cursor_order(&self.figure))
    }
}

/// Places of the lines of a table in the order of one column: `lines` is the text of JSON, a list of `{ number, text, stays }`.
///
/// # Errors
/// `invalid_option` if it is not.
#[wasm_bindgen]
pub fn line_order(lines: &str, falling: bool) -> Result<Vec<u32>, JsValue> {
    let lines: Vec<LineKey> = message_in(lines, Vec::new())?;
    Ok(report::line_order(&lines, falling))
}

fn theme(dark: bool) -> &'static Theme {
    if dark { &DARK } else { &LIGHT }
}
