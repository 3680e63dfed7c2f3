//! Parameterised temperature scaling: a small network gives every row its own temperature.

mod entry;
mod neighbors;

pub use entry::ParameterisedTemperature;
pub use neighbors::{NEIGHBORS, NeighborNetwork, NeighborTemperature};

use serde::{Deserialize, Serialize};

mod training;

use training::Training;

use ndarray::ArrayView2;

use crate::error::{Error, Result};
use crate::metric::labels::check_classes;
use crate::num::rng::Lanes;
use crate::num::special::softmax_in_place;
use crate::num::{check_lengths, order};
use crate::recalibrate::fit::Fit;
use crate::recalibrate::logits::map_rows;
use crate::recalibrate::temperature::{self, TemperatureOptions};
use crate::table::{Matrix, Reals};

/// Nodes of each of the two hidden layers.
const NODES: usize = 5;
/// Logits are clipped to ± this.
const CLIP: f64 = 100.0;
/// Bounds of |h|.
const LEAST: f64 = 1e-12;
const MOST: f64 = 1e12;

/// T = |h(x)| with h a network of two hidden layers of five rectified nodes; P′ = softmax(z/T).
///
/// x holds the `top` largest logits in descending order, then any extra columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pts {
    /// number of sorted logits the network sees
    pub top: usize,
    /// number of extra columns (neighbor proximities)
    pub extra: usize,
    /// weights and biases, layer after layer, row-major: inputs × 5 + 5, 5 × 5 + 5, 5 + 1
    pub network: Vec<f64>,
}

/// How the network starts and is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PtsOptions {
    /// largest number of sorted logits
    pub top: usize,
    /// start as temperature scaling (output weights 0); else PyTorch's uniform start
    pub start_at_temperature: bool,
    /// Adam's step
    pub learning_rate: f64,
    /// most passes over the rows
    pub epochs: usize,
    /// rows a step
    pub batch: usize,
    /// passes without improvement before it stops; 0: never
    pub patience: usize,
    /// seed of the start and of the row order
    pub seed: u64,
}

impl Default for PtsOptions {
    fn default() -> Self {
        Self {
            top: 10,
            start_at_temperature: true,
            learning_rate: 1e-2,
            epochs: 500,
            batch: 1000,
            patience: 20,
            seed: 0,
        }
    }
}

impl PtsOptions {
    /// The training of the published comparison: random start, step 5·10⁻⁵, 100 passes; far from converged.
    pub fn published() -> Self {
        Self { start_at_temperature: false, learning_rate: 5e-5, epochs: 100, patience: 0, ..Self::default() }
    }

    /// Five logits, to go with five neighbor proximities.
    pub fn with_neighbors() -> Self {
        Self { top: 5, ..Self::default() }
    }
}

/// First `count` neighbor proximities exp(−distance²) of every row, nearest first; the last one is repeated when
/// there are fewer. `distances` holds one row a case, ascending.
pub fn neighbor_proximities(distances: &Matrix, count: usize) -> Matrix {
    let mut values = Vec::with_capacity(distances.rows() * count);
    for i in 0..distances.rows() {
        for j in 0..count {
            let d = distances.value(i, j.min(distances.width - 1));
            values.push((-d * d).exp());
        }
    }
    Matrix { width: count, values: crate::table::Reals::F64(values.into()) }
}

/// Trains the network by Adam on the mean squared error over all entries; the best state seen is kept, so that the
/// loss never exceeds that of the start.
///
/// `extra` appends columns to the input (PTS with neighbors). Sources: Tomani, Cremers and Buettner (2022), section
/// 3; with neighbors, Xiong et al. (2023).
///
/// # Errors
/// `empty`, `length_mismatch`, `label_out_of_range`, `invalid_option`.
///
/// # Cost
/// Two passes of O(nm) an epoch.
pub fn fit(
    z: ArrayView2<f64>,
    y: &[u32],
    extra: Option<ArrayView2<f64>>,
    options: &PtsOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<Fit<Pts>> {
    fit_matrix(&z.into(), y, extra.map(Matrix::from).as_ref(), options, progress)
}

/// [`fit`] to matrices as files hold them. Errors and cost as there.
pub fn fit_matrix(
    z: &Matrix,
    y: &[u32],
    extra: Option<&Matrix>,
    options: &PtsOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<Fit<Pts>> {
    check_classes(z, y)?;
    if let Some(extra) = extra {
        check_lengths(extra.rows(), y.len())?;
    }
    if options.top == 0 || options.batch == 0 || options.learning_rate.is_nan() || options.learning_rate <= 0.0 {
        return Err(Error::new(
            "invalid_option",
            format!(
                "top {}, batch {}, learning rate {}: all must be positive",
                options.top, options.batch, options.learning_rate
            ),
            "Omit them for the defaults.",
        ));
    }
    let top = options.top.min(z.width);
    let width = extra.map_or(0, |e| e.width);
    // In an order that the rows themselves give, so that theirs in the file changes not even the last digit of a sum: it
    // would grow in training.
    let sorted = by_content(&inputs(z, extra, top), top + width, z, y);
    let (z, extra) = (&in_order(z, &sorted), extra.map(|e| in_order(e, &sorted)));
    let (y, extra) = (&picked(y, &sorted)[..], extra.as_ref());
    let mse = TemperatureOptions::mse();
    let t = temperature::weighted_fit(z, y, None, &mse)?.parameters.temperature;
    let mut pts = Pts { top, extra: width, network: start(top + width, t, options) };
    let inputs = inputs(z, extra, top);
    let mut training = Training::new(pts.network.len());
    let before = temperature::mse(z, y, None, 1.0);
    let mut best = (pts.loss(z, y, &inputs), pts.network.clone());
    let mut order: Vec<u32> = (0..y.len() as u32).collect();
    let mut lanes = Lanes::seeded(options.seed, 1);
    let mut waiting = 0;
    for epoch in 0..options.epochs {
        progress(epoch as f64 / options.epochs as f64);
        shuffle(&mut order, &mut lanes);
        for batch in order.chunks(options.batch) {
            training.step(&mut pts, z, y, &inputs, batch, options.learning_rate);
        }
        let loss = pts.loss(z, y, &inputs);
        waiting = if loss < best.0 - 1e-9 { 0 } else { waiting + 1 };
        if loss < best.0 {
            best = (loss, pts.network.clone());
        }
        if waiting >= options.patience && options.patience > 0 {
            break;
        }
    }
    pts.network = best.1;
    let collapsed = inputs.chunks(top + width).filter(|x| pts.forward(x).0.abs() < 1e-6).count();
    let mut fit = Fit::plain(pts, before, best.0);
    if collapsed > 0 {
        fit.warnings
            .push(format!("{collapsed} calibration rows have a temperature near 0, so their probabilities are 0 or 1"));
    }
    Ok(fit)
}

fn shuffle(order: &mut [u32], lanes: &mut Lanes) {
    let mut i = order.len();
    while i > 1 {
        for u in lanes.next() {
            if i <= 1 {
                break;
            }
            order.swap(i - 1, ((u64::from(u) * i as u64) >> 32) as usize);
            i -= 1;
        }
    }
}

fn start(inputs: usize, temperature: f64, options: &PtsOptions) -> Vec<f64> {
    let mut lanes = Lanes::seeded(options.seed, 0);
    let mut draws = [0.0; 4];
    let (mut left, mut network) = (0, Vec::new());
    for (from, to) in [(inputs, NODES), (NODES, NODES), (NODES, 1)] {
        let reach = 1.0 / (from as f64).sqrt();
        for _ in 0..(from + 1) * to {
            if left == 0 {
                (left, draws) = (4, lanes.uniform());
            }
            network.push(reach * (2.0 * draws[4 - left] - 1.0));
            left -= 1;
        }
    }
    if options.start_at_temperature {
        let last = network.len() - 1;
        network[last - NODES..last].fill(0.0);
        network[last] = temperature;
    }
    network
}

/// The values of some rows.
fn picked<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().filter_map(|&i| values.get(i as usize).copied()).collect()
}

/// The rows of a matrix in another order.
fn in_order(matrix: &Matrix, rows: &[u32]) -> Matrix {
    let mut values = vec![0.0; rows.len() * matrix.width];
    for (row, &i) in values.chunks_exact_mut(matrix.width.max(1)).zip(rows) {
        matrix.row_into(i as usize, row);
    }
    Matrix { width: matrix.width, values: Reals::F64(values.into()) }
}

/// Rows in order of what the network sees of them, then of the logit of their class.
fn by_content(inputs: &[f64], width: usize, z: &Matrix, y: &[u32]) -> Vec<u32> {
    let seen = |i: usize| inputs.get(i * width..(i + 1) * width).unwrap_or(&[]);
    let own: Vec<f64> = y.iter().enumerate().map(|(i, &class)| z.value(i, class as usize)).collect();
    let row = |i: u32| seen(i as usize).iter().chain(own.get(i as usize));
    let mut order: Vec<u32> = (0..y.len() as u32).collect();
    order::sort(&mut order, &|&i, &j| {
        row(i).zip(row(j)).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    order
}

/// Network inputs of every row.
fn inputs(z: &Matrix, extra: Option<&Matrix>, top: usize) -> Vec<f64> {
    let mut row = vec![0.0; z.width];
    let mut out = Vec::with_capacity(z.rows() * (top + extra.map_or(0, |e| e.width)));
    for i in 0..z.rows() {
        z.row_into(i, &mut row);
        out.extend(largest(&row, top));
        if let Some(extra) = extra {
            out.extend((0..extra.width).map(|j| extra.value(i, j)));
        }
    }
    out
}

/// The `top` largest of a row of logits, clipped, in descending order.
fn largest(row: &[f64], top: usize) -> Vec<f64> {
    let mut found: Vec<f64> = Vec::with_capacity(top + 1);
    for v in row.iter().map(|v| v.clamp(-CLIP, CLIP)) {
        let mut place = found.len();
        while place > 0 && found[place - 1] < v {
            place -= 1;
        }
        if place < top {
            found.insert(place, v);
            found.truncate(top);
        }
    }
    found
}

/// softmax(z/T) in place, with the temperature at which class `class`, a largest one, has probability `score`.
///
/// Newton's method in 1/T; ln P rises with 1/T and bends down.
pub fn temper_to(row: &mut [f64], class: usize, score: f64) {
    row.iter_mut().for_each(|v| *v = v.clamp(-CLIP, CLIP));
    let own = row.get(class).copied().unwrap_or(0.0);
    let (mut low, mut high, mut beta) = (1.0 / MOST, 1.0 / LEAST, 1.0);
    for _ in 0..60 {
        let (mut sum, mut weighted) = (0.0, 0.0);
        for z in row.iter() {
            let e = (beta * (z - own)).exp();
            sum += e;
            weighted += e * (z - own);
        }
        let (gap, slope) = (-sum.ln() - score.ln(), -weighted / sum);
        if gap > 0.0 {
            high = beta;
        } else {
            low = beta;
        }
        let next = beta - gap / slope;
        let next = if next > low && next < high { next } else { (low * high).sqrt() };
        if (next - beta).abs() <= 1e-14 * beta {
            break;
        }
        beta = next;
    }
    tempered(row, 1.0 / beta);
}

impl Pts {
    /// Whether there are as many weights as its layers need.
    pub fn is_whole(&self) -> bool {
        let weights = (self.inputs() + 1) * NODES + (NODES + 1) * NODES + NODES + 1;
        self.top > 0 && self.network.len() == weights
    }

    fn inputs(&self) -> usize {
        self.top + self.extra
    }

    /// h(x) and the two hidden layers.
    fn forward(&self, x: &[f64]) -> (f64, [f64; NODES], [f64; NODES]) {
        let (first, rest) = self.network.split_at((x.len() + 1) * NODES);
        let (second, last) = rest.split_at((NODES + 1) * NODES);
        let (mut one, mut two, mut h) = ([0.0; NODES], [0.0; NODES], [0.0]);
        layer(first, x, &mut one);
        one.iter_mut().for_each(|v| *v = v.max(0.0));
        layer(second, &one, &mut two);
        two.iter_mut().for_each(|v| *v = v.max(0.0));
        layer(last, &two, &mut h);
        (h[0], one, two)
    }

    fn temperature_of(h: f64) -> f64 {
        h.abs().clamp(LEAST, MOST)
    }

    fn loss(&self, z: &Matrix, y: &[u32], inputs: &[f64]) -> f64 {
        let mut row = vec![0.0; z.width];
        let mut sum = 0.0;
        for ((i, x), &label) in inputs.chunks(self.inputs()).enumerate().zip(y) {
            z.row_into(i, &mut row);
            tempered(&mut row, Self::temperature_of(self.forward(x).0));
            row[label as usize] -= 1.0;
            sum += row.iter().map(|r| r * r).sum::<f64>();
        }
        sum / (y.len() * z.width) as f64
    }

    /// The temperature of every row.
    pub fn temperatures(&self, z: &Matrix, extra: Option<&Matrix>) -> Vec<f64> {
        inputs(z, extra, self.top.min(z.width))
            .chunks(self.inputs())
            .map(|x| Self::temperature_of(self.forward(x).0))
            .collect()
    }

    /// softmax(z/T) of one row of m logits, in place, with its own T; for a network without extra columns.
    pub fn apply_row(&self, row: &mut [f64]) {
        let x = largest(row, self.top);
        tempered(row, Self::temperature_of(self.forward(&x).0));
    }

    /// softmax(Z/T) with every row's own T: probabilities, n × m.
    ///
    /// * `z`: logits, n × m, clipped to ±100
    /// * `extra`: further inputs of the network, n × k; none if it was fitted without
    ///
    /// # Cost
    /// O(n (m + weights of the network)).
    pub fn apply(&self, z: &Matrix, extra: Option<&Matrix>) -> Matrix {
        let temperatures = self.temperatures(z, extra);
        map_rows(z, |i, row| tempered(row, temperatures[i]))
    }
}

/// W x + b of one layer; `weights` holds W by rows, then b. One function for every layer, for the size of the core.
#[inline(never)]
fn layer(weights: &[f64], x: &[f64], out: &mut [f64]) {
    let (rows, bias) = weights.split_at(x.len() * out.len());
    for ((out, row), bias) in out.iter_mut().zip(rows.chunks_exact(x.len())).zip(bias) {
        *out = row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + bias;
    }
}

fn tempered(row: &mut [f64], temperature: f64) {
    row.iter_mut().for_each(|v| *v = v.clamp(-CLIP, CLIP) / temperature);
    softmax_in_place(row);
}

#[cfg(test)]
mod tests;
