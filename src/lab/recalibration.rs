//! Screen 8: a method can correct only what it can see, and only with enough rows.

use super::answer::ROOM;
use super::diagram::{Scores, diagram};
use super::local_map::{cells, field_map};
use super::planted::{is_plain, sentence};
use super::{LabAnswer, LabMethod, LabRequest, Scenario, World};
use crate::error::Result;
use crate::kernel::{Kernel, Part, Points};
use crate::local::LocalSample;
use crate::metric::BinOptions;
use crate::num::special::{PROB_CLIP, logit};
use crate::plot::bars::BarChart;
use crate::plot::palette::Ink;
use crate::recalibrate::histogram::{self, EmptyBin};
use crate::recalibrate::isotonic::{self, Interpolation};
use crate::recalibrate::lore::lore;
use crate::recalibrate::lore_ridge::{self, Base, RidgeRows};
use crate::recalibrate::platt::{self, PlattOptions};
use crate::recalibrate::temperature::{self, TemperatureOptions};
use crate::words::number::{count, fixed};

/// Rows that no fit sees, behind those of the calibration.
const UNUSED: u32 = 500;
/// Ridge of the local intercept.
const KAPPA: f64 = 10.0;
/// Draws of the calibration outcomes that are averaged: fewer of many rows.
const DRAWS: u32 = 8;
const DRAWS_OF_MANY: u32 = 2;
const MANY: u32 = 2_000;
/// Confidence factor of the over-confident world, and depth of the two regions in percentage points.
const FACTOR: f64 = 1.8;
const DEPTH: f64 = 20.0;
/// Methods closer to the truth than this are as close.
const CLOSE: f64 = 0.0005;

/// Why no fit is closer where there is nothing to correct.
pub(super) const ONLY_NOISE: &str = "If predictions are calibrated, every fit only adds noise.";

const METHODS: [(LabMethod, &str, &str); 7] = [
    (LabMethod::None, "none", "Original predictions"),
    (LabMethod::Temperature, "temperature", "Temperature"),
    (LabMethod::Platt, "platt", "Platt"),
    (LabMethod::Isotonic, "isotonic", "Isotonic"),
    (LabMethod::Histogram, "histogram", "Histogram binning"),
    (LabMethod::Lore, "lore", "LoRe"),
    (LabMethod::Ridge, "ridge", "Ridge LoRe"),
];
/// Those that are shown beside the ones that the question names.
const BESIDE: [LabMethod; 2] = [LabMethod::Platt, LabMethod::Histogram];

/// Handles of the chosen world.
fn handles(request: &LabRequest) -> LabRequest {
    let factor = if matches!(request.world, Scenario::Over | Scenario::Both) { FACTOR } else { 1.0 };
    let region = match request.world {
        Scenario::Regions | Scenario::Both => vec![[0.0, 1.5, 1.0, DEPTH], [0.0, -1.5, 1.0, -DEPTH]],
        Scenario::Over | Scenario::Calibrated => Vec::new(),
    };
    LabRequest { factor, region, ..request.clone() }
}

/// Scores of rows that the fit has not seen.
fn recalibrated(method: LabMethod, request: &LabRequest, fit: &World, y: &[u8], on: &World) -> Result<Vec<f64>> {
    let log_odds = |p: &[f64]| -> Vec<f64> { p.iter().map(|&p| logit(p, PROB_CLIP)).collect() };
    Ok(match method {
        LabMethod::None => on.p.clone(),
        LabMethod::Temperature => {
            let fitted = temperature::fit_binary(&log_odds(&fit.p), y, &TemperatureOptions::default())?;
            fitted.parameters.apply_binary(&log_odds(&on.p))
        }
        LabMethod::Platt => platt::fit(&fit.p, y, &PlattOptions::default())?.parameters.apply(&on.p),
        LabMethod::Histogram => {
            let bins = BinOptions::equal_width(request.bins as usize);
            histogram::fit(&fit.p, y, &bins, EmptyBin::Keep)?.parameters.apply(&on.p)
        }
        LabMethod::Isotonic => isotonic::fit(&fit.p, y, Interpolation::Linear)?.parameters.apply(&on.p),
        LabMethod::Lore => {
            let edges = BinOptions::equal_width(request.bins as usize).bin_edges(&fit.p)?;
            let bin = edges.assignment(&fit.p);
            let sample = LocalSample::new(&fit.p, y, &bin, Points::row_major(2, &fit.x)?)?;
            let kernel = Kernel::Laplacian { gamma: request.gamma };
            let at = Points::row_major(2, &on.x)?;
            lore(&sample, &edges.assignment(&on.p), &on.p, at, kernel, Part::WHOLE, &mut |_| ())?.score
        }
        LabMethod::Ridge => {
            let base = Base::Platt.fit(&fit.p, y)?;
            let rows = RidgeRows { score: &fit.p, target: y, at: Points::row_major(2, &fit.x)?, base };
            lore_ridge::recalibrated(&rows, &on.p, Points::row_major(2, &on.x)?, request.gamma, KAPPA)?
        }
    })
}

/// Errors of the methods on rows that no fit sees.
struct Measured {
    fit: World,
    unused: World,
    /// draws of the calibration outcomes
    draws: u32,
    /// mean error of every method over the draws
    errors: [f64; METHODS.len()],
    /// scores of every method after the first draw
    scores: Vec<Vec<f64>>,
    /// methods by ascending error
    order: Vec<usize>,
}

impl Measured {
    fn new(request: &LabRequest) -> Result<Self> {
        let handles = handles(request);
        let fit = World::new(&handles);
        let unused = World::of_rows(&handles, request.n..request.n + UNUSED);
        let draws = if request.n > MANY { DRAWS_OF_MANY } else { DRAWS };
        let mut errors = [0.0; METHODS.len()];
        let mut scores = Vec::new();
        for k in 0..draws {
            let y = if k == 0 { fit.y.clone() } else { fit.outcomes(request.draw.wrapping_add(k).max(1)) };
            for ((method, ..), error) in METHODS.iter().zip(&mut errors) {
                let after = recalibrated(*method, request, &fit, &y, &unused)?;
                *error += unused.error_of(&after) / f64::from(draws);
                if k == 0 {
                    scores.push(after);
                }
            }
        }
        let mut order: Vec<usize> = (0..METHODS.len()).collect();
        order.sort_by(|&i, &j| errors[i].total_cmp(&errors[j]));
        Ok(Self { fit, unused, draws, errors, scores, order })
    }

    fn numbers(&self, found: &mut LabAnswer) {
        for &i in &self.order {
            let (_, id, name) = METHODS[i];
            found.decimal(id, name, self.errors[i], "");
        }
    }

    /// The right answer of the question and why it is right; whether there is one.
    fn explained(&self, request: &LabRequest, found: &mut LabAnswer) -> bool {
        let Self { errors, order, .. } = self;
        // the question names five of them
        let asked = || order.iter().copied().filter(|&i| !BESIDE.contains(&METHODS[i].0));
        let least = asked().next().map_or(f64::INFINITY, |i| errors[i]);
        // of methods that are as close, the simplest
        let Some(first) = asked().filter(|&i| errors[i] - least < CLOSE).min() else { return false };
        let closer = if errors[first] > least { "noticeably closer" } else { "closer" };
        let (method, id, name) = METHODS[first];
        found.right = Some(id.to_owned());
        let rows = count(request.n.into());
        found.say(match method {
            LabMethod::None => format!(
                "With {rows} calibration rows no method of the question is {closer} to the truth than the original predictions (RMSE {}).",
                fixed(errors[0], 3)
            ),
            // the list begins with one that is closer by less than a draw would show
            _ if errors[first] > least => format!(
                "Of the methods in the question, {name} is the simplest of those closest to the truth (RMSE {}, within {CLOSE} of the smallest; original predictions {}).",
                fixed(errors[first], 3),
                fixed(errors[0], 3)
            ),
            _ => format!(
                "Of the methods in the question, {name} is closest to the truth (RMSE {}; original predictions {}).",
                fixed(errors[first], 3),
                fixed(errors[0], 3)
            ),
        });
        if let Some(&closest) = order.first().filter(|&&closest| errors[first] - errors[closest] >= CLOSE) {
            found.say(format!(
                "{} is not in the question and is closer (RMSE {}).",
                METHODS[closest].2,
                fixed(errors[closest], 3)
            ));
        }
        // regions and T are those of the world
        let others = LabRequest { region: Vec::new(), factor: 1.0, ..request.clone() };
        found.say(match request.world {
            // a factor changes nothing where all probabilities are one half
            _ if errors[0] == 0.0 => ONLY_NOISE.to_owned(),
            _ if !is_plain(&others) => sentence(&others),
            Scenario::Over if method == LabMethod::None => {
                format!("One number is enough to undo a factor, but its estimate from {rows} rows is too noisy.")
            }
            Scenario::Over => {
                "One number is enough to undo a factor: a flexible method adds more noise than that.".to_owned()
            }
            Scenario::Calibrated => ONLY_NOISE.to_owned(),
            Scenario::Regions | Scenario::Both => {
                "Temperature sees only the score. It cannot remove an error that depends on location.".to_owned()
            }
        });
        true
    }

    fn draw(&self, request: &LabRequest, found: &mut LabAnswer) -> Result<()> {
        let Self { fit, unused, draws, errors, scores, order } = self;
        let rows = count(request.n.into());
        let mut compared = vec![Scores { name: "original predictions", p: &unused.p, y: &unused.y }];
        let chosen = request.method.and_then(|method| METHODS.iter().position(|(known, ..)| *known == method));
        let best = chosen.or_else(|| order.iter().copied().find(|&i| i != 0)).unwrap_or(0);
        let (method, _, name) = METHODS[best];
        if let Some(scores) = scores.get(best).filter(|_| method != LabMethod::None) {
            compared.push(Scores { name, p: scores, y: &unused.y });
        }
        let bars = BarChart {
            series: vec![("RMSE".to_owned(), Ink::Before)],
            groups: order.iter().map(|&i| (METHODS[i].2.to_owned(), vec![Some(errors[i])])).collect(),
            value_name: "RMSE to the true probability".to_owned(),
            title: String::new(),
            caption: format!(
                "Fitted to {rows} rows, judged on {UNUSED} others against their true probabilities; mean of {draws} draws."
            ),
        };
        found.draw(request, "methods", bars, ROOM);
        found.draw(request, "diagram", diagram(&compared, 10)?, ROOM);
        // where each is wrong: what depends on location is seen on a map alone
        let places = fit.at(&cells());
        let after = recalibrated(method, request, fit, &fit.y, &places)?;
        let error = |s: &[f64]| s.iter().zip(&places.q).map(|(s, q)| s - q).collect();
        let before = "true error of the original predictions";
        found.draw(request, "before", field_map(error(&places.p), before, "Before recalibration.".to_owned()), ROOM);
        if method != LabMethod::None {
            let caption = format!("After recalibration with {rows} rows.");
            found.draw(request, "after", field_map(error(&after), &format!("true error: {name}"), caption), ROOM);
        }
        Ok(())
    }
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let measured = Measured::new(request)?;
    let mut found = LabAnswer::of(request);
    measured.numbers(&mut found);
    if measured.explained(request, &mut found) {
        measured.draw(request, &mut found)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_is_that_of_the_world_alone() {
        let of = |world| LabRequest { screen: 8, world, n: 100, ..LabRequest::default() };
        let said = |request: LabRequest| answer(&request).unwrap().sentences;
        for (world, explained) in [
            (Scenario::Calibrated, "every fit only adds noise"),
            (Scenario::Over, "a flexible method adds more noise"),
            (Scenario::Regions, "depends on location"),
        ] {
            assert!(said(of(world)).last().unwrap().contains(explained));
            for other in [
                LabRequest { s: 1.0, ..of(world) },
                LabRequest { noise: 0.2, ..of(world) },
                LabRequest { group: [0.5, 0.0, 20.0], ..of(world) },
            ] {
                let said = said(other);
                assert!(said.last().unwrap().starts_with("Errors set in this state: "), "{said:?}");
            }
        }
        // where no method is closer, a factor was not undone; a method that is as close as the first is said to be simpler
        let few = said(LabRequest { n: 10, seed: 3, ..of(Scenario::Over) });
        let none = few[0].contains("no method of the question");
        assert_eq!(none, few.last().unwrap().ends_with("too noisy."), "{few:?}");
        let both = answer(&LabRequest { n: 100, ..of(Scenario::Both) }).unwrap();
        let listed = both.numbers.iter().find(|number| !["platt", "histogram"].contains(&number.id.as_str())).unwrap();
        let first = both.right.as_deref() == Some(&listed.id);
        assert_eq!(first, both.sentences[0].contains(" is closest to the truth"), "{:?}", both.sentences);
        // log-odds of 0 have no factor: there is nothing to undo, from any number of rows
        let half = said(LabRequest { n: 5_000, a: 0.0, b: 0.0, ..of(Scenario::Over) });
        assert_eq!(half.last().unwrap(), ONLY_NOISE, "{half:?}");
        assert!(half[0].contains("no method of the question"), "{half:?}");
        // Platt undoes a shift, and the question does not name it
        let said = said(LabRequest { s: 1.0, ..of(Scenario::Calibrated) });
        assert!(said[0].starts_with("Of the methods in the question, "), "{said:?}");
        assert!(said[1].starts_with("Platt is not in the question and is closer (RMSE "), "{said:?}");
    }
}
