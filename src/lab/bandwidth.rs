//! Screen 7: bandwidth trades noise against blur, and the best one shrinks as rows are added.

use super::answer::ROOM;
use super::local_map::{cells, field_map, kernel};
use super::planted::{is_plain, sentence};
use super::recalibration::ONLY_NOISE;
use super::{LabAnswer, LabRequest, World};
use crate::error::Result;
use crate::kernel::{Kernel, Part, Points};
use crate::local::{LocalQueries, LocalSample, gamma_grid, signed_local_error};
use crate::metric::BinOptions;
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::palette::Ink;
use crate::recalibrate::lore::lore;
use crate::words::number::{count, fixed, significant};

/// Rows that no fit sees, behind those of the calibration.
const UNUSED: u32 = 1_000;
/// Bandwidths along the axis.
const STEPS: usize = 25;
const LOW: f64 = 0.01;
const HIGH: f64 = 10.0;
/// The limits: nearest neighbor, and the whole bin.
const NEAREST: f64 = 0.001;
const WHOLE_BIN: f64 = 1_000.0;
/// A pin is right where its error is within 10 % of the smallest.
const WITHIN: f64 = 1.1;

/// Calibration rows and their bins.
struct Fitted<'a> {
    world: &'a World,
    bin: Vec<u32>,
    bins: BinOptions,
}

impl Fitted<'_> {
    /// LoRe at other places: p′(x) = Σ y k / Σ k over the calibration rows of the same bin.
    fn at(&self, p: &[f64], places: &[f64], kernel: Kernel) -> Result<Vec<f64>> {
        let world = self.world;
        let sample = LocalSample::new(&world.p, &world.y, &self.bin, Points::row_major(2, &world.x)?)?;
        let bin = self.bins.bin_edges(&world.p)?.assignment(p);
        Ok(lore(&sample, &bin, p, Points::row_major(2, places)?, kernel, Part::WHOLE, &mut |_| ())?.score)
    }
}

/// Errors of the fits by bandwidth, on rows that no fit sees.
struct Measured {
    /// at the bandwidth of the handle
    now: f64,
    /// of the original predictions
    none: f64,
    /// bandwidths of the axis with their errors
    points: Vec<(f64, f64)>,
    /// the bandwidth with the smallest error, and that error
    best: f64,
    least: f64,
    /// the limits γ → 0 and γ → ∞
    nearest: f64,
    whole: f64,
    /// median number of effective neighbors at the bandwidth of the handle
    neighbors: f64,
}

impl Measured {
    fn new(request: &LabRequest, fitted: &Fitted) -> Result<Self> {
        let world = fitted.world;
        let unused = World::of_rows(request, request.n..request.n + UNUSED);
        let error = |gamma: f64| -> Result<f64> {
            Ok(unused.error_of(&fitted.at(&unused.p, &unused.x, Kernel::Laplacian { gamma })?))
        };
        let points: Vec<(f64, f64)> =
            gamma_grid(LOW, HIGH, STEPS).into_iter().map(|gamma| Ok((gamma, error(gamma)?))).collect::<Result<_>>()?;
        let (best, least) = points.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((f64::NAN, f64::NAN));
        let own = LocalQueries::At {
            bin: &fitted.bins.bin_edges(&world.p)?.assignment(&unused.p),
            features: Points::row_major(2, &unused.x)?,
        };
        let sample = LocalSample::new(&world.p, &world.y, &fitted.bin, Points::row_major(2, &world.x)?)?;
        let mut neighbors = signed_local_error(&sample, &own, kernel(request), Part::WHOLE)?.n_eff;
        neighbors.retain(|n| n.is_finite());
        Ok(Self {
            now: error(request.gamma)?,
            none: unused.error_of(&unused.p),
            points,
            best,
            least,
            nearest: error(NEAREST)?,
            whole: error(WHOLE_BIN)?,
            neighbors: crate::num::quantile::median(&mut neighbors).unwrap_or(f64::NAN),
        })
    }

    fn numbers(&self, request: &LabRequest, found: &mut LabAnswer) {
        found.decimal("rmse", &format!("RMSE of LoRe at γ = {}", significant(request.gamma)), self.now, "");
        found.decimal("uncalibrated", "RMSE of the original predictions", self.none, "");
        found.number("best_gamma", "Best bandwidth γ", self.best);
        found.decimal("best", "RMSE at the best bandwidth", self.least, "");
        found.decimal("nearest", "RMSE, nearest neighbor (γ → 0)", self.nearest, "");
        found.decimal("histogram", "RMSE, histogram binning (γ → ∞)", self.whole, "");
        found.number("neighbors", "Median number of effective neighbors", self.neighbors);
    }

    /// Whether the pin is right, and why.
    fn explained(&self, request: &LabRequest, found: &mut LabAnswer) {
        let most = self.points.iter().fold(0.0, |most: f64, point| most.max(point.1));
        // where no bandwidth is far, none is to be found
        let differ = most > WITHIN * self.least;
        let others = LabRequest { region: Vec::new(), ..request.clone() };
        let judged = request.factor == 1.0 && is_plain(&others);
        if differ && judged {
            found.right = Some(if self.now <= WITHIN * self.least { "close" } else { "far" }.to_owned());
        }
        let neighbors = match self.neighbors {
            ..1.0 => "fewer than one effective neighbor".to_owned(),
            about => format!("about {} effective neighbors", fixed(about, usize::from(about < 10.0))),
        };
        found.say(format!("At γ = {} a row has {neighbors}.", significant(request.gamma)));
        // that may be due to few rows or to nothing that could be corrected: the errors do not state which
        if !differ {
            found.say("All bandwidths are about as far from the truth.");
        }
        if !judged {
            found.say(sentence(&others));
        }
        found.say("Too few neighbors show noise; too many show the average of the bin.");
        if self.none == 0.0 {
            found.say(ONLY_NOISE);
            return;
        }
        found.say(format!(
            "LoRe is closest to the truth at γ = {} (RMSE {}); the original predictions have {}.",
            significant(self.best),
            fixed(self.least, 3),
            fixed(self.none, 3)
        ));
        if self.least >= self.none {
            found.say("At no bandwidth is LoRe closer to the truth than the original predictions.");
        }
    }

    fn chart(&self, request: &LabRequest) -> CurveChart {
        let flat = |value: f64| vec![(LOW, value), (HIGH, value)];
        let curves = vec![
            Curve::line("LoRe", self.points.clone(), Ink::Before, Dash::Solid),
            Curve::line("original predictions", flat(self.none), Ink::Axis, Dash::Dashed),
            Curve::line("nearest neighbor", flat(self.nearest), Ink::Category(1), Dash::Dashed),
            Curve::line("histogram binning", flat(self.whole), Ink::After, Dash::Dashed),
        ];
        CurveChart {
            curves,
            log_x: true,
            y_range: None,
            x_name: "bandwidth γ".to_owned(),
            y_name: "RMSE to the true probability".to_owned(),
            marked: Some((request.gamma, format!("γ = {}", significant(request.gamma)))),
            title: String::new(),
            caption: format!("On {} rows not used for fitting.", count(UNUSED.into())),
        }
    }
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let world = World::new(request);
    let bins = BinOptions::equal_width(request.bins as usize);
    let fitted = Fitted { bin: bins.bin_edges(&world.p)?.assignment(&world.p), world: &world, bins };
    let mut found = LabAnswer::of(request);
    // before the answer the chart shows what γ does; the error itself would be looked for with the handle
    if request.answered {
        let measured = Measured::new(request, &fitted)?;
        measured.numbers(request, &mut found);
        measured.explained(request, &mut found);
        found.draw(request, "sweep", measured.chart(request), ROOM);
    }
    draw_maps(request, &fitted, &mut found)?;
    Ok(found)
}

/// The error that LoRe estimates at every place, and once the question is answered the true one.
fn draw_maps(request: &LabRequest, fitted: &Fitted, found: &mut LabAnswer) -> Result<()> {
    let truth = &fitted.world.truth;
    let places = cells();
    let (each, _) = places.as_chunks::<2>();
    let stated: Vec<f64> = each.iter().map(|&x| truth.stated(x, false)).collect();
    let corrected = fitted.at(&stated, &places, kernel(request))?;
    let estimate = stated.iter().zip(&corrected).map(|(p, corrected)| p - corrected).collect();
    let caption = format!("The error estimated by LoRe from {} rows, which it subtracts.", count(request.n.into()));
    let name = format!("estimated error at γ = {}", significant(request.gamma));
    found.draw(request, "map", field_map(estimate, &name, caption), ROOM);
    if request.answered {
        let error = each.iter().zip(&stated).map(|(&x, p)| p - truth.probability(x, false)).collect();
        let caption = "The true error, for comparison with the estimate.".to_owned();
        found.draw(request, "truth", field_map(error, "true error: predicted − true probability", caption), ROOM);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_judged_where_bandwidths_differ_and_regions_are_all_that_is_wrong() {
        let region = vec![[0.0, 1.5, 1.0, 20.0], [0.0, -1.5, 1.0, -20.0]];
        let of = LabRequest { screen: 7, answered: true, n: 300, region, ..LabRequest::default() };
        assert!(answer(&of).unwrap().right.is_some());
        let shifted = answer(&LabRequest { s: 2.0, ..of.clone() }).unwrap();
        assert_eq!(shifted.right, None);
        assert!(shifted.sentences.contains(&"Errors set in this state: shift s = 2.".to_owned()));
        let few = answer(&LabRequest { n: 10, ..of }).unwrap();
        assert!(!few.sentences[0].contains("about 0"), "{}", few.sentences[0]);
    }

    #[test]
    fn calibrated_predictions_are_the_cause_and_not_the_number_of_rows() {
        let of = LabRequest { screen: 7, answered: true, n: 5_000, ..LabRequest::default() };
        let calibrated = answer(&of).unwrap();
        assert_eq!(calibrated.value("uncalibrated"), 0.0);
        assert_eq!(calibrated.sentences.last().unwrap(), ONLY_NOISE);
        let all = calibrated.sentences.join(" ");
        assert!(!all.contains("few rows") && !all.contains("closest"), "{all}");
        // an error too small for what the fits add
        let nearly = answer(&LabRequest { s: 0.001, n: 100, ..of }).unwrap();
        let last = nearly.sentences.last().unwrap();
        assert_eq!(last, "At no bandwidth is LoRe closer to the truth than the original predictions.");
    }
}
