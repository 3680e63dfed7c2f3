//! Small files with and without a column of weights.

use serde_json::{Value, json};

pub use crate::support::draws::uniform;
use crate::support::pipeline::{Opened, Ran, open};

/// One row: cells, and how often or how much it counts.
pub type Row = (String, f64);

pub const BINARY: &str = "p,y,x1,x2,site";
pub const MANY: &str = "prob_0,prob_1,prob_2,label,x1,x2";

/// Two classes, scores too extreme and often tied; weights 0, 1, 2 or 3.
pub fn binary(n: usize, seed: u64) -> Vec<Row> {
    let mut u = uniform(seed);
    (0..n)
        .map(|_| {
            let p = (100.0 * u()).floor() / 100.0;
            let y = u8::from(u() < 0.2 + 0.5 * p);
            let site = if u() < 0.4 { "north" } else { "south" };
            let (x1, x2) = (2.0 * u(), u() - p);
            (format!("{p},{y},{x1},{x2},{site}"), (4.0 * u()).floor())
        })
        .collect()
}

/// Three classes.
pub fn many(n: usize, seed: u64) -> Vec<Row> {
    let mut u = uniform(seed);
    (0..n)
        .map(|_| {
            let a = (1.0 + 94.0 * u()).floor();
            let b = (1.0 + (98.0 - a) * u()).floor();
            let p = [a, b, 100.0 - a - b].map(|k| k / 100.0);
            let draw = u();
            let drawn = usize::from(draw > p[0]) + usize::from(draw > p[0] + p[1]);
            let label = if u() < 0.3 { (drawn + 1) % 3 } else { drawn.min(2) };
            let (x1, x2) = (2.0 * u(), u());
            let cells = format!("{},{},{},{label},{x1},{x2}", p[0], p[1], p[2]);
            (cells, (4.0 * u()).floor())
        })
        .collect()
}

/// The rows with a column `sample_weight`.
pub fn weighted(header: &str, rows: &[Row], options: Value) -> Opened {
    let mut text = format!("{header},sample_weight\n");
    for (cells, w) in rows {
        text += &format!("{cells},{w}\n");
    }
    open(&text, options)
}

/// Every row as often as its weight says, each with its set in the column `set`.
pub fn repeated(header: &str, rows: &[Row], options: Value) -> Opened {
    let mut text = format!("{header}\n");
    for (cells, w) in rows {
        text += &format!("{cells}\n").repeat(*w as usize);
    }
    open(&text, options)
}

/// Every row once.
pub fn plain(header: &str, rows: &[Row], options: Value) -> Opened {
    let once: Vec<Row> = rows.iter().map(|(cells, _)| (cells.clone(), 1.0)).collect();
    repeated(header, &once, options)
}

/// A run of the original predictions, on every row.
pub fn all_metrics(opened: &Opened, resamples: usize) -> Ran {
    let request = json!({ "evaluate_on": "all", "metrics": ["all"], "resamples": resamples });
    opened.run(request)
}
