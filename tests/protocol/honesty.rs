//! Intervals and floors against theory, and proof that no row is scored by a fit that saw it.

mod finding;
mod headline;
mod panels;
mod sentences;
use crate::support::pipeline::{Opened, csv, near, open};
use localcal::evaluation::method::Method;
use localcal::evaluation::resample::Replicates;
use localcal::job::{Job, Outcome, run};
use localcal::metric::Reason;
use localcal::num::quantile::quantile_sorted;
use localcal::report::sheet::{Block, Sheet};
use localcal::report::verdict::{Finding, Verdict};
use localcal::run::graph::{DATA, Handle};
use localcal::run::step::{Divide, Fit};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

struct Draws(Pcg64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// p uniform, y drawn from p + `shift`, and two places.
fn made(n: usize, shift: f64, seed: u64) -> Vec<(&'static str, Vec<f64>)> {
    let mut draws = Draws(Pcg64::seed_from_u64(seed));
    let p: Vec<f64> = (0..n).map(|_| draws.uniform()).collect();
    let y = p.iter().map(|p| f64::from(u8::from(draws.uniform() < p + shift))).collect();
    let x1 = (0..n).map(|_| 6.0 * draws.uniform() - 3.0).collect();
    let x2 = (0..n).map(|_| 6.0 * draws.uniform() - 3.0).collect();
    vec![("p", p), ("y", y), ("x1", x1), ("x2", x2)]
}

/// Every replicate of every method, in the order of the plan.
fn replicates(data: &Opened, request: Value) -> Vec<Replicates> {
    let methods = request["methods"].as_array().map_or(1, Vec::len);
    let nodes = data.plan(request).unwrap();
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut found: Vec<(usize, Replicates)> = Vec::new();
    for node in &nodes {
        let needs: Vec<&Outcome> =
            node.needs.iter().map(|&need| if need == 0 { &data.0 } else { &outcomes[need - 1] }).collect();
        let outcome = run(&node.job, &needs, vec![], &mut |_| ()).unwrap();
        if let Outcome::Replicates(replicates) = &outcome {
            match found.iter_mut().find(|(scored, _)| Some(scored) == node.needs.last()) {
                Some((_, all)) => all.extend(replicates),
                None => found.push((node.needs[node.needs.len() - 1], replicates.clone())),
            }
        }
        outcomes.push(outcome);
    }
    assert_eq!(found.len(), methods);
    found.into_iter().map(|(_, all)| all).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn sd(values: &[f64]) -> f64 {
    let center = mean(values);
    (values.iter().map(|v| (v - center).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt()
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

#[test]
fn floors_follow_the_scores() {
    let columns = made(3000, 0.0, 1);
    let p = columns[0].1.clone();
    let n = p.len() as f64;
    let data = open(&csv(&columns), json!({}));
    let request = json!({ "evaluate_on": "all", "bins": 10, "resamples": 2000 });
    let floor = &replicates(&data, request)[0].floor;
    // |normal with variance V| has mean √(2V/π); V of a bin's sum is Σ p (1 − p).
    let mut variance = [0.0; 10];
    for p in &p {
        variance[((p * 10.0) as usize).min(9)] += p * (1.0 - p);
    }
    let expected = variance.iter().map(|v| (2.0 * v / std::f64::consts::PI).sqrt()).sum::<f64>() / n;
    near(mean(&floor["ece"]) / expected, 1.0, 0.05);
    // Means of independent terms, exactly: within four standard errors.
    let entropy = |p: f64| -(p * p.ln() + (1.0 - p) * (1.0 - p).ln());
    let spread = |term: &dyn Fn(f64) -> f64| p.iter().map(|&p| term(p)).sum::<f64>().sqrt() / n;
    for (id, center, spread) in [
        (
            "brier",
            p.iter().map(|p| p * (1.0 - p)).sum::<f64>() / n,
            spread(&|p| p * (1.0 - p) * (1.0 - 2.0 * p).powi(2)),
        ),
        (
            "nll",
            p.iter().map(|&p| entropy(p)).sum::<f64>() / n,
            spread(&|p| p * (1.0 - p) * (p / (1.0 - p)).ln().powi(2)),
        ),
        ("mean_gap", 0.0, spread(&|p| p * (1.0 - p))),
        ("accuracy", p.iter().map(|p| p.max(1.0 - p)).sum::<f64>() / n, spread(&|p| p * (1.0 - p))),
    ] {
        let draws = &floor[id];
        near(mean(draws), center, 4.0 * spread / (draws.len() as f64).sqrt());
        near(sd(draws) / spread, 1.0, 0.07);
    }
}

#[test]
fn the_bootstrap_spreads_as_theory_says() {
    let columns = made(2000, 0.1, 2);
    let data = open(&csv(&columns), json!({}));
    let drawn = replicates(&data, json!({ "evaluate_on": "all", "resamples": 2000 }));
    let (p, y) = (&columns[0].1, &columns[1].1);
    let n = p.len() as f64;
    let theory = |values: Vec<f64>| sd(&values) / n.sqrt();
    let gap = theory(p.iter().zip(y).map(|(p, y)| p - y).collect());
    near(sd(&drawn[0].bootstrap["mean_gap"]) / gap, 1.0, 0.07);
    let brier = theory(p.iter().zip(y).map(|(p, y)| (p - y).powi(2)).collect());
    near(sd(&drawn[0].bootstrap["brier"]) / brier, 1.0, 0.07);
    // Rank statistic: DeLong's variance by the placement values of events and others.
    type Pairs = Vec<(f64, f64)>;
    let (events, others): (Pairs, Pairs) = p.iter().copied().zip(y.iter().copied()).partition(|r| r.1 == 1.0);
    let share =
        |s: f64, of: &[(f64, f64)]| of.iter().map(|o| if s > o.0 { 1.0 } else { 0.0 }).sum::<f64>() / of.len() as f64;
    let v10: Vec<f64> = events.iter().map(|e| share(e.0, &others)).collect();
    let v01: Vec<f64> = others.iter().map(|o| 1.0 - share(o.0, &events)).collect();
    let delong = (sd(&v10).powi(2) / v10.len() as f64 + sd(&v01).powi(2) / v01.len() as f64).sqrt();
    near(sd(&drawn[0].bootstrap["auroc"]) / delong, 1.0, 0.07);
}

/// With one row, the class-wise error of a draw tells which class was drawn: (2/m)(1 − P of it).
#[test]
fn drawn_classes_follow_the_vector() {
    let p = [0.5, 0.07, 0.25, 0.18];
    let data = open("prob_0,prob_1,prob_2,prob_3,label\n.5,.07,.25,.18,1\n", json!({}));
    let resamples = 20_000.0;
    let drawn = replicates(&data, json!({ "evaluate_on": "all", "resamples": resamples as usize }));
    let values = &drawn[0].floor["classwise_ece"];
    let mut chi_square = 0.0;
    let mut counted = 0.0;
    for p in p {
        let of_class = 2.0 / 4.0 * (1.0 - p);
        let seen = values.iter().filter(|v| (*v - of_class).abs() < 1e-6).count() as f64;
        chi_square += (seen - resamples * p).powi(2) / (resamples * p);
        counted += seen;
    }
    assert_eq!(counted, resamples);
    assert!(chi_square < 16.3, "χ² on 3 degrees of freedom: {chi_square}");
    near(mean(&drawn[0].floor["nll"]), -p.iter().map(|p| p * p.ln()).sum::<f64>(), 0.02);
    near(mean(&drawn[0].floor["brier"]), 1.0 - p.iter().map(|p| p * p).sum::<f64>(), 0.01);
}

#[test]
fn intervals_are_what_the_replicates_say() {
    let data = open(&csv(&made(500, 0.15, 3)), json!({}));
    let request = json!({ "methods": ["none", "temperature", "isotonic"], "resamples": 200, "seed": 5 });
    let (ran, drawn) = (data.run(request.clone()), replicates(&data, request));
    let ends = |draws: &[f64]| {
        let draws = sorted(draws);
        (quantile_sorted(&draws, 0.025).unwrap(), quantile_sorted(&draws, 0.975).unwrap())
    };
    for (method, drawn) in ["none", "temperature", "isotonic"].iter().zip(&drawn) {
        for id in ["accuracy", "nll", "brier", "brier_top"] {
            let metric = ran.metric(method, id);
            let (low, high) = ends(&drawn.bootstrap[id]);
            assert_eq!((metric.low, metric.high), (Some(low), Some(high)), "{method} {id}");
        }
        for id in ["ece", "ace", "classwise_ece"] {
            let metric = ran.metric(method, id);
            let (low, high) = ends(&drawn.bootstrap[id]);
            let value = metric.value.unwrap();
            let cut = |v: f64| Some(v.clamp(0.0, 1.0));
            assert_eq!((metric.low, metric.high), (cut(2.0 * value - high), cut(2.0 * value - low)), "{method} {id}");
            let corrected = 2.0 * value - mean(&drawn.bootstrap[id]);
            near(metric.corrected.unwrap(), corrected.clamp(0.0, 1.0), 1e-12);
        }
        for id in ["ece", "mce", "nll", "auroc"] {
            let (low, high) = ends(&drawn.floor[id]);
            let metric = ran.metric(method, id);
            assert_eq!((metric.floor_low, metric.floor_high), (Some(low), Some(high)));
            near(metric.floor_mean.unwrap(), mean(&drawn.floor[id]), 1e-12);
            assert_eq!(metric.resamples, 200);
        }
        let mce = ran.metric(method, "mce");
        assert_eq!(
            (mce.low, mce.high, mce.reason.as_ref().map(Reason::text).as_deref()),
            (None, None, Some("maximum"))
        );
    }
    // Differences are paired: replicate by replicate on the same weights.
    for id in ["nll", "brier", "mean_gap"] {
        let paired: Vec<f64> =
            drawn[1].bootstrap[id].iter().zip(drawn[0].bootstrap[id].iter()).map(|(a, b)| a - b).collect();
        let (low, high) = ends(&paired);
        let difference = &ran.method("temperature").differences[id];
        assert_eq!((difference.low, difference.high), (Some(low), Some(high)), "{id}");
        let apart = (sd(&drawn[0].bootstrap[id]).powi(2) + sd(&drawn[1].bootstrap[id]).powi(2)).sqrt();
        assert!(sd(&paired) < 0.9 * apart, "{id}: pairing takes away what both share");
    }
    assert!(ran.method("temperature").differences["accuracy"].value == Some(0.0));
}

#[test]
fn intervals_cover_the_truth_and_floors_hold_a_calibrated_model() {
    let (mut covered, mut inside) = (0, 0);
    for seed in 0..40 {
        let data = open(&csv(&made(600, 0.0, 100 + seed)), json!({}));
        let ran = data.run(json!({ "evaluate_on": "all", "resamples": 200, "seed": seed }));
        let gap = ran.metric("none", "mean_gap");
        covered += u32::from(gap.low.unwrap() <= 0.0 && gap.high.unwrap() >= 0.0);
        let ece = ran.metric("none", "ece");
        inside += u32::from(ece.value.unwrap() <= ece.floor_high.unwrap());
    }
    // Expected 38 and 39; fewer than 34 happens with probability below 1 in 40.
    assert!(covered >= 34 && inside >= 35, "{covered} and {inside} of 40");
}

const METHODS: [&str; 5] = ["temperature", "platt", "isotonic", "histogram", "lore"];

/// The methods with checked settings, as the plan writes them.
fn planned(data: &Opened) -> Vec<Method> {
    let request =
        json!({ "methods": METHODS, "local": { "features": { "pca": 2, "of": ["x1", "x2"] }, "gamma": 0.5 } });
    let nodes = data.plan(request).unwrap();
    let mut methods: Vec<Method> = Vec::new();
    for node in nodes {
        if let Job::Fit(Fit { method, fold: 0, .. }) = node.job {
            methods.push(method);
        }
    }
    methods
}

/// Turns the labels of some rows round: what was fitted without these rows must not move by a single bit.
#[test]
fn no_row_is_scored_by_a_fit_that_saw_it() {
    let columns = made(300, 0.1, 4);
    for (view, split) in [
        ("positive", json!({ "folds": 5 })),
        ("top_label", json!({ "folds": 4 })),
        ("positive", json!({ "half": true })),
        ("top_label", json!({ "first": 120 })),
    ] {
        let options = json!({ "view": view, "split": split });
        let data = open(&csv(&columns), options.clone());
        let job = Divide { data: DATA, seed: 9, everything: false }.into();
        let divided = run(&job, &[&data.0], vec![], &mut |_| ()).unwrap();
        let Outcome::Split(split) = &divided else { panic!() };
        let methods = planned(&data);
        assert_eq!(methods.len(), METHODS.len());
        for fold in 0..split.folds {
            let (seen, scored) = (split.calibration_rows(fold), split.scored_rows(fold));
            assert!(seen.iter().all(|row| !scored.contains(row)), "disjoint");
            // Labels of the scored rows, or of the rows fitted on, are turned round.
            let turned = |rows: &[u32]| {
                let mut columns = columns.clone();
                rows.iter().for_each(|&row| columns[1].1[row as usize] = 1.0 - columns[1].1[row as usize]);
                open(&csv(&columns), options.clone())
            };
            let (other, used) = (turned(&scored), turned(&seen));
            for method in &methods {
                let split = Handle::numbered(1);
                let job = Fit { data: DATA, split, near: Vec::new(), method: method.clone(), fold }.into();
                let fit = |data: &Opened| {
                    let Outcome::Fitted(fitted) = run(&job, &[&data.0, &divided], vec![], &mut |_| ()).unwrap() else {
                        panic!()
                    };
                    fitted
                };
                let (before, after) = (fit(&data), fit(&other));
                assert_eq!(before.score, after.score, "{view}, fold {fold}, {}", method.name);
                assert_eq!(before.calibrator, after.calibrator);
                assert_ne!(before.score, fit(&used).score, "{}: the calibration rows matter", method.name);
            }
        }
    }
}

/// Components are fitted on calibration rows: moving one scored row far away moves no other row's score.
#[test]
fn scored_rows_do_not_shape_the_components() {
    let mut columns = made(300, 0.1, 5);
    let options = json!({ "split": { "first": 200 } });
    let request = json!({
        "methods": ["none", "lore"], "resamples": 0,
        "local": { "features": { "pca": 1, "of": ["x1", "x2"] }, "gamma": 0.5 },
    });
    let before = open(&csv(&columns), options.clone()).run(request.clone());
    columns[2].1[250] = 1e4;
    let after = open(&csv(&columns), options).run(request);
    let (before, after) = (before.rows("lore"), after.rows("lore"));
    for (k, (a, b)) in before.score.iter().zip(after.score.iter()).enumerate() {
        assert!(a == b || before.rows[k] == 250, "row {}", before.rows[k]);
    }
}

#[test]
fn divisions_are_stratified_and_cover_every_row() {
    let columns = made(503, -0.3, 6);
    let y = &columns[1].1;
    let rate = mean(y);
    for (option, sets) in [(json!({ "folds": 5 }), 5), (json!({ "folds": 7 }), 7), (json!({ "half": true }), 2)] {
        let data = open(&csv(&columns), json!({ "split": option }));
        let divide = |seed| Job::from(Divide { data: DATA, seed, everything: false });
        let at = |seed| match run(&divide(seed), &[&data.0], vec![], &mut |_| ()).unwrap() {
            Outcome::Split(split) => split.fold,
            other => panic!("{other:?}"),
        };
        let fold = at(0);
        assert_ne!(fold, at(1), "the seed matters");
        assert_eq!(fold, at(0));
        let mut names: Vec<u8> = fold.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), sets);
        for name in names {
            let rows: Vec<usize> = (0..503).filter(|&i| fold[i] == name).collect();
            assert!(rows.len().abs_diff(503 / sets) <= 1);
            let events = rows.iter().map(|&i| y[i]).sum::<f64>();
            assert!((events - rate * rows.len() as f64).abs() <= 1.5, "{events} of {}", rows.len());
        }
    }
}

#[test]
fn evaluate_on_all_scores_none_everywhere_and_recalibrations_where_they_may() {
    let columns = made(400, 0.1, 7);
    let data = open(&csv(&columns), json!({ "split": { "first": 150 } }));
    let request = |on| json!({ "evaluate_on": on, "methods": ["none", "temperature", "histogram"], "resamples": 20 });
    let (all, held) = (data.run(request("all")), data.run(request("evaluation")));
    assert_eq!(all.rows("none").rows.len(), 400);
    assert_eq!(all.outcome().report.data.evaluation_rows, 400);
    assert_eq!(held.rows("none").rows.as_slice(), (150..400).collect::<Vec<u32>>());
    for name in ["temperature", "histogram"] {
        assert_eq!(all.rows(name), held.rows(name), "{name}");
        assert_eq!(all.method(name).metrics, held.method(name).metrics);
        // Not the same rows as those of `none`: differences are those on the rows that both score.
        assert_eq!(all.method(name).differences, held.method(name).differences);
        assert!(!held.method(name).differences.is_empty());
    }
    let whole: f64 = columns[0].1.iter().zip(&columns[1].1).map(|(p, y)| (p - y).powi(2)).sum::<f64>() / 400.0;
    near(all.value("none", "brier"), whole, 1e-13);
}

/// Scores that are right by the way they are made: outcomes are drawn from them.
#[derive(Clone, Copy)]
struct Noise {
    rows: usize,
    classes: usize,
    features: usize,
    groups: bool,
    /// logits are multiplied by this: large for scores that are nearly sure
    steep: f64,
}

/// Of two, three and ten classes, of few rows and of many, with one feature, with many, with groups and without.
const NOISE: [Noise; 7] = [
    noise(200, 2, 2, true, 1.0),
    noise(30, 2, 1, true, 1.0),
    noise(60, 2, 8, true, 1.0),
    noise(60, 3, 2, false, 1.0),
    noise(240, 3, 2, true, 1.0),
    noise(300, 10, 2, true, 1.0),
    noise(200, 2, 2, true, 3.0),
];

const fn noise(rows: usize, classes: usize, features: usize, groups: bool, steep: f64) -> Noise {
    Noise { rows, classes, features, groups, steep }
}

impl Noise {
    /// A file; in every fourth row, those of the group `south` and the lowest quarter of x1, the score of the first
    /// class is `fault` higher than it should be.
    fn file(self, seed: u64, fault: f64) -> String {
        let mut draws = Draws(Pcg64::seed_from_u64(seed));
        let (m, d) = (self.classes, self.features);
        let mut text: Vec<String> = match m {
            2 => vec!["p".to_owned()],
            _ => (0..m).map(|k| format!("prob_{k}")).collect(),
        };
        text.push("y".to_owned());
        text.extend((1..=d).map(|j| format!("x{j}")));
        if self.groups {
            text.extend(["region".to_owned(), "sex".to_owned()]);
        }
        let mut text = text.join(",") + "\n";
        for _ in 0..self.rows {
            let x: Vec<f64> = (0..d).map(|_| 4.0 * draws.uniform() - 2.0).collect();
            let logit: Vec<f64> = (0..m)
                .map(|k| {
                    let noise = 3.0 * draws.uniform() - 1.5;
                    self.steep * (noise + x[k % d] * if k % 2 == 0 { 0.7 } else { -0.7 })
                })
                .collect();
            let total: f64 = logit.iter().map(|z| z.exp()).sum();
            let mut p: Vec<f64> = logit.iter().map(|z| z.exp() / total).collect();
            let u = draws.uniform();
            let mut class = m - 1;
            let mut below = 0.0;
            for (k, p) in p.iter().enumerate() {
                below += p;
                if u < below {
                    class = k;
                    break;
                }
            }
            let south = x[0] < -1.0;
            if south && fault > 0.0 {
                let more = fault * (1.0 - p[0]);
                p[0] += more;
                let rest: f64 = p[1..].iter().sum();
                p[1..].iter_mut().for_each(|p| *p *= (rest - more) / rest);
            }
            let region = if south { "south" } else { ["north", "west", "east"][(9.0 * draws.uniform()) as usize % 3] };
            let sex = if draws.uniform() < 0.5 { "women" } else { "men" };
            let cells: Vec<String> = match m {
                // P(y = 1) is that of the first class, which is labeled 1
                2 => vec![p[0].to_string(), u8::from(class == 0).to_string()],
                _ => p.iter().map(f64::to_string).chain([class.to_string()]).collect(),
            };
            text += &cells.join(",");
            x.iter().for_each(|x| text += &format!(",{x}"));
            if self.groups {
                text += &format!(",{region},{sex}");
            }
            text += "\n";
        }
        text
    }

    fn open(self, seed: u64, fault: f64) -> Opened {
        let features = (1..=self.features).map(|j| (format!("x{j}"), json!("feature")));
        let groups = ["region", "sex"].map(|name| (name.to_owned(), json!("group")));
        let groups = groups.into_iter().filter(|_| self.groups);
        let roles: serde_json::Map<String, Value> = features.chain(groups).collect();
        open(&self.file(seed, fault), json!({ "roles": roles, "split": { "folds": 3 } }))
    }

    /// Every question that ends in a headline.
    fn questions(self) -> Vec<(&'static str, Value)> {
        let quarter: Vec<usize> = (0..self.rows / 4).collect();
        let mut asked = vec![
            ("worst neighbourhoods", json!({ "neighbourhoods": {} })),
            ("worst neighbourhoods, one bin", json!({ "neighbourhoods": { "bin": "all" } })),
            ("region", json!({ "region": { "rows": quarter } })),
            ("KLCE test", json!({ "klce": { "resamples": 199, "nulls": ["bernoulli"] } })),
            ("witness", json!({ "witness": {} })),
            ("bias plot", json!({ "bias_plot": {} })),
            ("proximity", json!({ "proximity": {} })),
            ("proximity by K", json!({ "proximity_sweep": {} })),
            ("compare", json!({ "compare": {} })),
            ("decide", json!({ "decide": {} })),
            ("diagrams by method", json!({ "multiples": {} })),
        ];
        if self.groups || self.classes > 2 {
            asked.push(("groups", json!({ "groups": {} })));
        }
        if self.groups {
            asked.push(("groups of two columns", json!({ "groups": { "columns": ["region", "sex"] } })));
            asked.push(("diagrams by group", json!({ "multiples": { "by": "group" } })));
        }
        if self.classes > 2 {
            asked.push(("diagrams by class", json!({ "multiples": { "by": "class" } })));
        } else {
            asked.push(("inference", json!({ "inference": {} })));
        }
        asked
    }
}

/// What an analysis concludes, and the headline that it makes of it.
fn concluded(outcome: Outcome) -> (Verdict, String) {
    let first = |sheet: &Sheet| match sheet.blocks.first() {
        Some(Block::Reading(words)) => words.clone(),
        other => panic!("not a headline: {other:?}"),
    };
    match outcome {
        Outcome::Neighbourhoods(found) => (found.verdict.clone(), found.reading.clone()),
        Outcome::Region(found) => (found.verdict.clone(), found.reading.clone()),
        Outcome::Klce(found) => (found.verdict.clone(), first(&found.sheet)),
        Outcome::Witness(found) => (found.verdict.clone(), first(&found.sheet)),
        Outcome::BiasPlot(found) => (found.verdict.clone(), first(&found.sheet)),
        Outcome::ProximitySheet(found) => (found.verdict.clone(), first(&found.sheet)),
        Outcome::ProximitySweepSheet(found) => (found.verdict.clone(), first(&found.sheet)),
        Outcome::Compared(found) => (found.verdict.clone(), first(&found.sheet)),
        Outcome::Multiples(found) => (found.verdict.clone(), first(&found.sheet)),
        Outcome::Groups(found) => (found.verdict.clone(), first(&found.sheet)),
        Outcome::Inference(found) => (found.verdict.clone(), first(&found.sheet)),
        // The verdict is of deferring: its headline, the last one, says what that costs; whether a method saves anything
        // stands beneath.
        Outcome::Decide(found) => {
            let headline = found.sheet.blocks.iter().rposition(|block| matches!(block, Block::Reading(_)));
            match headline.and_then(|at| found.sheet.blocks.get(at + 1)) {
                Some(Block::Text(words)) => (found.verdict.clone(), words.clone()),
                other => panic!("{other:?}"),
            }
        }
        other => panic!("no headline: {other:?}"),
    }
}

const FILES: u64 = 14;

/// Calibrated files of many kinds through every analysis: a headline claims something in about 5 of 100 at most.
#[test]
fn calibrated_files_have_no_headlines() {
    let mut claims = std::collections::BTreeMap::<&str, (u32, u32, Vec<String>)>::new();
    for (kind, noise) in NOISE.into_iter().enumerate() {
        for file in 0..FILES {
            let data = noise.open(1000 * kind as u64 + file, 0.0);
            let ran = data.run(json!({
                "methods": ["none", "temperature", "platt"], "resamples": 200, "seed": file,
                "local": { "gamma": 0.5 },
            }));
            for (name, question) in noise.questions() {
                let outcome = data.try_analyse(&ran, question);
                let outcome = outcome.unwrap_or_else(|e| panic!("{name}, {kind}: {} {e}", e.code()));
                let (verdict, words) = concluded(outcome);
                let entry = claims.entry(name).or_default();
                entry.0 += 1;
                match verdict.finding {
                    Finding::Beyond => {
                        entry.1 += 1;
                        entry.2.push(format!("{kind}.{file}: {words}"));
                    }
                    Finding::Chance => assert!(
                        ["No ", "not significant", "not differ significantly", "is not rejected", "is identical",]
                            .iter()
                            .any(|quiet| words.contains(quiet)),
                        "{name}: {words}"
                    ),
                    Finding::Untested => {
                        assert!(!words.contains("rejected") && !words.contains("significant"), "{name}: {words}")
                    }
                }
            }
        }
    }
    for (name, (files, claimed, words)) in &claims {
        println!("{name:32} {claimed:3} of {files}");
        // three standard deviations above 5 in 100: exceeded with probability below 1 in 100
        let expected = 0.05 * f64::from(*files);
        let bound = (expected + 3.0 * (0.95 * expected).sqrt()).ceil() as u32;
        assert!(*claimed <= bound, "{name}: {claimed} of {files}\n{}", words.join("\n"));
    }
    let (files, claimed) = claims.values().fold((0, 0), |(a, b), c| (a + c.0, b + c.1));
    println!("{claimed} of {files} headlines");
    assert!(f64::from(claimed) <= 0.05 * f64::from(files), "{claimed} of {files}");
}

/// Where scores are 40 % of the way too high among the rows of one region, every analysis that looks there says so.
#[test]
fn a_planted_fault_is_named() {
    for classes in [2, 3] {
        let noise = Noise { rows: 900, classes, ..NOISE[0] };
        let data = noise.open(5, 0.6);
        let ran = data.run(json!({
            "methods": ["none", "isotonic"], "resamples": 200, "local": { "gamma": 0.5 },
        }));
        for (name, question) in noise.questions() {
            let (verdict, words) = concluded(data.try_analyse(&ran, question).unwrap());
            println!("{classes} {name}: {words}");
            let looks_there =
                !["region", "proximity", "proximity by K", "decide", "inference", "compare"].contains(&name);
            assert!(!looks_there || verdict.is_supported(), "{name}: {words}");
            if name.starts_with("groups") || name == "bias plot" {
                assert!(verdict.subject.contains("south"), "{words}");
                assert!(verdict.size.unwrap() > 0.0, "{words}");
            }
            if name == "worst neighbourhoods" || name == "witness" {
                assert!(words.contains("south") || words.contains("x1"), "{words}");
                assert!(words.contains("overestimated") || words.contains("mean local error +"), "{words}");
            }
        }
    }
}
