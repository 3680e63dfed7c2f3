//! Random requests over small and awkward data.

use localcal::evaluation::method::{after_another, alone};
use localcal::metric::registry::METRICS;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;
use serde_json::{Map, Value, json};

use crate::case::{Case, File};

/// Draws from a stream of random bits.
pub trait Draws {
    /// in [0, 1)
    fn uniform(&mut self) -> f64;
    /// one of `0..n`
    fn below(&mut self, n: usize) -> usize;
    /// once in `n` times
    fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
    /// one of some values
    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
    /// standard normal
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

impl Draws for Pcg64 {
    fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n as u64) as usize
    }
}

/// Numbers that a person may write for any option.
const NUMBERS: [f64; 16] =
    [0.0, -1.0, 1.0, 2.0, 3.0, 7.0, 20.0, 0.5, 0.1, 1e-3, 1e9, 1e300, 5e-324, 1.7e308, -0.5, 1e-12];

/// A data set with what was decided about its columns.
struct Data {
    columns: Vec<(String, Vec<String>)>,
    features: Vec<String>,
    groups: Vec<String>,
    roles: Map<String, Value>,
}

impl Data {
    fn push(&mut self, name: &str, role: &str, values: Vec<String>) {
        self.roles.insert(name.to_owned(), role.into());
        self.columns.push((name.to_owned(), values));
    }

    fn csv(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let rows = self.columns.first().map_or(0, |(_, values)| values.len());
        let mut text = names.join(",") + "\n";
        for i in 0..rows {
            let cells: Vec<&str> = self.columns.iter().map(|(_, values)| values[i].as_str()).collect();
            text += &(cells.join(",") + "\n");
        }
        text
    }
}

/// One score in the style of its file.
fn score(rng: &mut Pcg64, style: usize) -> f64 {
    match style {
        0 => rng.uniform(),
        1 => rng.below(11) as f64 / 10.0,
        2 => 0.5,
        3 => rng.below(2) as f64,
        4 => rng.one(&[0.0, 1.0, 5e-324, 1e-300, 1e-17, 1.0 - 1e-16, 0.5]),
        5 => {
            let p = rng.one(&[0.82, 0.6, 0.9, 0.55]);
            if rng.once_in(2) { p } else { 1.0 - p }
        }
        6 => 1.0 / (1.0 + (-4.0 * rng.normal()).exp()),
        _ => (rng.uniform() * 100.0).round() / 100.0,
    }
}

fn written(values: impl Iterator<Item = f64>) -> Vec<String> {
    values.map(|value| value.to_string()).collect()
}

/// Scores and outcomes of 1 to 60 rows: ties, constants, separated, one class absent, and columns that go with them.
fn data(rng: &mut Pcg64) -> Data {
    let rows = rng.one(&[1, 2, 3, 4, 6, 9, 14, 20, 30, 45, 60]);
    let style = rng.below(8);
    let outcome = rng.below(6);
    // 0: as the scores say; 1: never; 2: always; 3: separated; 4: a coin; 5: wrong
    let observed = |rng: &mut Pcg64, p: f64| match outcome {
        1 => false,
        2 => true,
        3 => p > 0.5,
        4 => rng.once_in(2),
        5 => rng.uniform() > p,
        _ => rng.uniform() < p,
    };
    let mut data = Data { columns: Vec::new(), features: Vec::new(), groups: Vec::new(), roles: Map::new() };
    match rng.below(4) {
        0 => {
            let p: Vec<f64> = (0..rows).map(|_| score(rng, style)).collect();
            let y = p.iter().map(|&p| f64::from(u8::from(observed(rng, p))));
            let y: Vec<f64> = y.collect();
            data.push("p", "probability", written(p.into_iter()));
            data.push("y", "label", written(y.into_iter()));
        }
        1 => {
            let c: Vec<f64> = (0..rows).map(|_| score(rng, style)).collect();
            let a: Vec<f64> = c.iter().map(|&c| f64::from(u8::from(observed(rng, c)))).collect();
            data.push("confidence", "confidence", written(c.into_iter()));
            data.push("correct", "correct", written(a.into_iter()));
        }
        kind => {
            let m = 2 + rng.below(4);
            let mut vectors = Vec::with_capacity(rows);
            let mut labels = Vec::with_capacity(rows);
            for _ in 0..rows {
                let mut vector: Vec<f64> = (0..m).map(|_| score(rng, style)).collect();
                let sum: f64 = vector.iter().sum();
                match sum > 0.0 {
                    true => vector.iter_mut().for_each(|p| *p /= sum),
                    false => vector.fill(1.0 / m as f64),
                }
                let mut left = rng.uniform();
                let drawn = vector.iter().position(|p| {
                    left -= p;
                    left < 0.0
                });
                let label = match outcome {
                    1 => 0,
                    2 => m - 1,
                    3 => (0..m).fold(0, |best, k| if vector[k] > vector[best] { k } else { best }),
                    4 => rng.below(m - 1),
                    _ => drawn.unwrap_or(0),
                };
                labels.push(label.to_string());
                vectors.push(vector);
            }
            for k in 0..m {
                let column = vectors.iter().map(|vector| vector[k]);
                match kind {
                    2 => data.push(&format!("prob_{k}"), "probabilities", written(column)),
                    _ => {
                        let scale = if style == 4 { 300.0 } else { 3.0 };
                        let logits = column.map(|p| scale * (p - 0.3));
                        data.push(&format!("logit_{k}"), "logits", written(logits));
                    }
                }
            }
            data.push("label", "label", labels);
        }
    }
    beside(rng, rows, &mut data);
    data
}

/// Features, groups, weights, a split and ids, each now and then.
fn beside(rng: &mut Pcg64, rows: usize, data: &mut Data) {
    for k in 0..rng.one(&[0, 1, 2, 2, 2, 3]) {
        let style = rng.below(6);
        let name = format!("x{k}");
        let values = (0..rows).map(|_| match style {
            0 => rng.normal(),
            1 => rng.below(4) as f64,
            2 => 3.0,
            3 => rng.one(&[0.0, 1e300, -1e300, 1.0]),
            4 => 1e-300 * rng.normal(),
            _ => 1000.0 * rng.uniform(),
        });
        let values: Vec<f64> = values.collect();
        data.push(&name, "feature", written(values.into_iter()));
        data.features.push(name);
    }
    if rng.once_in(2) {
        let levels = rng.one(&[1, 2, 3, 60]);
        let values = (0..rows).map(|_| format!("g{}", rng.below(levels))).collect();
        data.push("group", "group", values);
        data.groups.push("group".to_owned());
    }
    if rng.once_in(4) {
        let style = rng.below(5);
        let values = (0..rows).map(|_| match style {
            0 => 1.0,
            1 => 1.0 + rng.below(3) as f64,
            2 => rng.below(2) as f64,
            3 => rng.one(&[1.0, 1e-170, 1e170, 0.0]),
            _ => rng.uniform(),
        });
        let values: Vec<f64> = values.collect();
        data.push("weight", "weight", written(values.into_iter()));
    }
    if rng.once_in(4) {
        let set = ["calibration", "test", "test", "train"];
        let values = (0..rows).map(|_| rng.one(&set).to_owned()).collect();
        data.push("split", "split", values);
    }
    if rng.once_in(6) {
        data.push("id", "id", (0..rows).map(|i| format!("r{i}")).collect());
    }
}

fn open_options(rng: &mut Pcg64, data: &Data) -> Value {
    let mut options = Map::new();
    if rng.once_in(2) {
        options.insert("roles".into(), data.roles.clone().into());
    }
    if rng.once_in(6) {
        options.insert("view".into(), rng.one(&["positive", "top_label"]).into());
    }
    if rng.once_in(2) {
        let split = match rng.below(6) {
            0 => json!({ "half": true }),
            1 | 2 => json!({ "first": 1 + rng.below(30) }),
            3 => json!({ "folds": rng.one(&[2, 3, 5]) }),
            4 if data.columns.iter().any(|(name, _)| name == "split") => {
                json!({ "column": "split" })
            }
            4 => json!({ "folds": rng.one(&NUMBERS) }),
            _ => json!("auto"),
        };
        options.insert("split".into(), split);
    }
    if rng.once_in(6) {
        options.insert("rows".into(), "drop".into());
    }
    options.into()
}

fn features(rng: &mut Pcg64, data: &Data) -> Value {
    match rng.below(20) {
        0 => "x0".into(),
        1 => json!(["x0", "x1"]),
        2..6 => json!({ "pca": 1 + rng.below(3), "of": data.features }),
        6 => json!(data.groups),
        _ => json!(data.features),
    }
}

fn gamma(rng: &mut Pcg64) -> f64 {
    if rng.once_in(3) { rng.one(&NUMBERS) } else { rng.one(&[0.05, 0.4, 2.0]) }
}

fn bins(rng: &mut Pcg64) -> Value {
    match rng.below(4) {
        0 if rng.once_in(4) => json!(rng.one(&NUMBERS)),
        0 | 1 => json!(1 + rng.below(20)),
        2 => json!({ "count": 5, "scheme": rng.one(&["equal_mass_rank", "equal_mass_quantile"]) }),
        _ => {
            json!({ "count": 10, "closed": rng.one(&["left", "right"]), "edges": rng.one(&["exact", "numpy"]) })
        }
    }
}

fn ids(of: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    of.collect()
}

/// A method, alone or after another, sometimes with a setting.
fn method(rng: &mut Pcg64) -> Value {
    let alone = ids(alone().map(|entry| entry.id));
    let after = ids(after_another().map(|entry| entry.id));
    // What can come second looks at one score a row.
    let of_a_score =
        ["platt", "intercept", "beta", "isotonic", "histogram", "bbq", "venn_abers", "lore", "lore_ridge", "lcb"];
    let mut id = rng.one(&alone).to_owned();
    while rng.once_in(4) {
        let second = match rng.below(5) {
            0 => rng.one(&alone),
            1 | 2 => rng.one(&of_a_score),
            _ => rng.one(&after),
        };
        id = format!("{id}+{second}");
    }
    if !rng.once_in(6) {
        return id.into();
    }
    let names = [
        "bins",
        "gamma",
        "kappa",
        "ridge",
        "width_p",
        "prob_clip",
        "folds",
        "min_group",
        "alpha",
        "lambda",
        "neighbours",
        "range",
        "most_steps",
        "rho",
        "iterations",
    ];
    let name = rng.one(&names);
    let value = if name == "bins" { bins(rng) } else { json!(rng.one(&NUMBERS)) };
    json!({ "id": id, "name": format!("m{}", rng.below(1000)), "parameters": { name: value } })
}

fn metric_ids() -> Vec<&'static str> {
    ids(METRICS.iter().map(|metric| metric.id))
}

fn run_options(rng: &mut Pcg64, data: &Data) -> Value {
    let mut options = Map::new();
    let mut methods: Vec<Value> = vec!["none".into()];
    for _ in 0..rng.below(4) {
        methods.push(method(rng));
    }
    options.insert("methods".into(), methods.into());
    if rng.once_in(2) {
        let all = metric_ids();
        let some: Vec<&str> = (0..1 + rng.below(12)).map(|_| rng.one(&all)).collect();
        options.insert("metrics".into(), json!(some));
    }
    if rng.once_in(3) {
        options.insert("bins".into(), bins(rng));
    }
    if rng.once_in(2) {
        options.insert(
            "local".into(),
            json!({
                "features": features(rng, data), "gamma": gamma(rng),
                "kernel": rng.one(&["laplacian", "gaussian", "rbf", "group", "constant"]),
                "leave_one_out": rng.once_in(3), "resamples": rng.one(&[0, 0, 1, 30]),
            }),
        );
    }
    if rng.once_in(3) {
        options.insert("klce".into(), json!({ "features": features(rng, data), "resamples": 20 }));
    }
    if rng.once_in(3) {
        options.insert("proximity".into(), json!({ "neighbours": 1 + rng.below(12) }));
    }
    if rng.once_in(8) {
        options.insert("evaluate_on".into(), "all".into());
    }
    options.insert("resamples".into(), json!(rng.one(&[0, 1, 20, 40, 40])));
    options.insert("seed".into(), json!(rng.below(5)));
    options.into()
}

/// Any analysis, with a few of its settings.
fn analysis(rng: &mut Pcg64, data: &Data) -> Value {
    let number = |rng: &mut Pcg64| json!(rng.one(&NUMBERS));
    let all = metric_ids();
    let (kind, options) = match rng.below(17) {
        0 => ("region", json!({ "box": [rng.normal(), rng.normal(), -3.0, 3.0] })),
        1 => ("region_rows", json!({ "rows": [0, 1, rng.below(80)] })),
        2 => (
            "neighbourhoods",
            json!({ "gamma": gamma(rng), "resamples": 20, "bin": rng.one(&["all", "each", "worst"]) }),
        ),
        3 => ("libraries", json!({})),
        4 => ("multiples", json!({ "by": rng.one(&["method", "class", "group"]) })),
        5 => ("decide", json!({ "wrong": number(rng), "unsure": number(rng) })),
        6 => ("groups", json!({ "quantiles": number(rng), "least": number(rng) })),
        7 => (
            "sweep",
            json!({
                "gammas": { "low": number(rng), "high": number(rng), "count": 1 + rng.below(5) },
                "floor": rng.below(5), "features": [features(rng, data)],
            }),
        ),
        8 => (
            "klce",
            json!({
                "features": features(rng, data), "resamples": 20, "gamma": gamma(rng),
                "width_p": gamma(rng), "simulate": rng.once_in(8),
            }),
        ),
        9 => ("witness", json!({ "features": features(rng, data), "gamma": gamma(rng), "width_p": gamma(rng) })),
        10 => ("bias_plot", json!({ "width": number(rng), "gamma": gamma(rng) })),
        11 => ("inference", json!({ "resamples": 20 })),
        12 => ("compare", json!({ "metrics": [rng.one(&all), rng.one(&all)], "resamples": 20 })),
        13 => ("correlation", json!({ "repeats": 2 + rng.below(2), "metrics": [rng.one(&all)] })),
        14 => ("proximity", json!({ "neighbours": 1 + rng.below(12), "width": number(rng) })),
        15 => ("proximity_sweep", json!({ "neighbours": [1, 3, rng.below(60)] })),
        _ => ("groups", json!({ "columns": ["x0"] })),
    };
    let mut options = options;
    // Now and then with defaults alone: what the page asks.
    if rng.once_in(3) {
        options = json!({});
    }
    if kind == "klce" || kind == "neighbourhoods" || kind == "inference" {
        options["resamples"] = json!(20);
    }
    if kind == "correlation" {
        options["repeats"] = json!(2);
    }
    json!({ kind: options })
}

fn chart(rng: &mut Pcg64, data: &Data) -> Value {
    let width = if rng.once_in(3) { rng.one(&NUMBERS) } else { 420.0 };
    match rng.below(3) {
        0 => json!({ "reliability": { "smooth": rng.once_in(2), "width": width } }),
        kind => {
            let name = if kind == 1 { "map" } else { "cdf" };
            json!({ name: {
                "features": features(rng, data), "gamma": gamma(rng), "width": width,
                "bin": rng.one(&["all", "worst", "best"]), "dpr": 1, "dark": rng.once_in(2),
            } })
        }
    }
}

fn project(rng: &mut Pcg64) -> Value {
    let scale = rng.one(&["none", "standardise"]);
    match rng.below(3) {
        0 => json!({ "scale": scale, "pca": 1 + rng.below(3) }),
        1 => json!({ "scale": scale, "tsne": { "iterations": 30 } }),
        _ => json!({ "scale": scale, "pca": rng.one(&NUMBERS) }),
    }
}

/// Random data, a random run of it, and what can be asked afterwards.
pub fn request(rng: &mut Pcg64) -> Case {
    let data = data(rng);
    let project = if rng.once_in(8) { project(rng) } else { Value::Null };
    Case {
        files: vec![File::new("a.csv", data.csv().as_bytes())],
        open: open_options(rng, &data),
        project,
        run: run_options(rng, &data),
        analyses: (0..rng.below(3)).map(|_| analysis(rng, &data)).collect(),
        charts: (0..rng.below(2)).map(|_| chart(rng, &data)).collect(),
        pool: rng.once_in(6),
        ..Case::default()
    }
}

/// Random data and a run that only fits methods.
pub fn fitted(rng: &mut Pcg64) -> Case {
    let case = request(rng);
    let methods: Vec<Value> = (0..1 + rng.below(3)).map(|_| method(rng)).collect();
    let run = json!({ "methods": methods, "resamples": 0, "local": case.run.get("local") });
    Case { run, project: Value::Null, analyses: Vec::new(), charts: Vec::new(), ..case }
}
