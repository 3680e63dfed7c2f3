//! A map before its picture is made: rows, and the field behind them.

use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::map::{MapChart, map, square};
use super::map_line::{LinePlace, map_line};
use super::raster::{Dots, Field, Raster, rasterise};
use localcal_ground::table::Column;

/// A map whose picture is still to be made: rows, and the field behind them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Landscape {
    /// everything but the picture
    pub chart: MapChart,
    /// first feature of each row
    pub x: Column<f64>,
    /// second feature of each row
    pub y: Column<f64>,
    /// signed local error of each row
    pub value: Column<f64>,
    /// [`Support`](super::raster::Support) of each row as bytes
    pub support: Column<u8>,
    /// the field: cells per row
    pub side: usize,
    /// signed local error of each cell
    pub behind: Column<f64>,
    /// support of each cell
    pub behind_support: Column<u8>,
    /// the error over the feature, where there is but one: drawn instead of the square
    pub line: Vec<LinePlace>,
}

impl Landscape {
    /// The map as a figure of `width` CSS pixels, its picture of `dpr` (default 1) pixels for each of
    /// them. O(rows + pixels).
    pub fn figure(&self, width: f64, dpr: Option<f64>, dark: bool) -> Figure {
        if !self.line.is_empty() {
            return map_line(&self.chart, &self.line, &self.x, width);
        }
        let dpr = dpr.unwrap_or(1.0).clamp(0.5, 4.0);
        let (extent, limit) = (self.chart.extent, self.chart.color_limit);
        let side = (square(&extent, &self.chart.y_name, width).width * dpr) as u32;
        let dots = Dots { x: &self.x, y: &self.y, value: &self.value, support: &self.support };
        let field = Field { side: self.side, value: &self.behind, support: &self.behind_support };
        let picture = rasterise(dots, field, &Raster { extent, width: side, height: side, dpr, limit, dark });
        map(&MapChart { picture: Some(picture), ..self.chart.clone() }, width)
    }

    /// The same with other rows, or with none.
    pub fn with_rows(&self, [x, y, value]: [Column<f64>; 3], support: Column<u8>) -> Self {
        Self {
            x,
            y,
            value,
            support,
            chart: self.chart.clone(),
            side: self.side,
            behind: self.behind.clone(),
            behind_support: self.behind_support.clone(),
            line: self.line.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collisions::collisions;
    use crate::extent::Extent;
    use crate::figure::Mark;

    #[test]
    fn wide_numbers_and_long_titles_have_room_and_the_picture_fills_the_square() {
        for (y_name, high) in
            [("exposure (component 2)", 0.4), ("along exposure (component 2)", 4e5), ("word ".repeat(30).trim(), 9e8)]
        {
            let extent = Extent { x0: 0.0, x1: 1.0, y0: 0.1 * high, y1: high };
            let landscape = Landscape {
                chart: MapChart {
                    extent,
                    x_name: "age".into(),
                    y_name: y_name.to_owned(),
                    color_limit: 0.2,
                    value_name: "signed local error".into(),
                    ..MapChart::default()
                },
                x: Vec::new().into(),
                y: Vec::new().into(),
                value: Vec::new().into(),
                support: Vec::new().into(),
                side: 1,
                behind: vec![0.0].into(),
                behind_support: vec![0].into(),
                line: Vec::new(),
            };
            for width in [280.0, 360.0, 560.0] {
                let figure = landscape.figure(width, Some(2.0), false);
                assert_eq!(collisions(&figure), Vec::<String>::new(), "{y_name} at {width}");
                let panel = &figure.panels[0];
                let Some(Mark::Image { width: across, height: up, .. }) = panel.marks.first() else {
                    panic!("no picture")
                };
                assert_eq!((*across, *up), ((2.0 * panel.rect.width) as u32, (2.0 * panel.rect.height) as u32));
                assert_eq!(panel.rect, square(&extent, y_name, width));
            }
        }
    }
}
