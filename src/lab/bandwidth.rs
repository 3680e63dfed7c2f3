//! Screen 7: bandwidth trades noise against blur, and the best one shrinks as rows are added.

use super::answer::ROOM;
use super::local_map::{cells, field_map, kernel};
use super::planted::{is_plain, sentence};
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

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let world = World::new(request);
    let unused = World::of_rows(request, request.n..request.n + UNUSED);
    let bins = BinOptions::equal_width(request.bins as usize);
    let fitted = Fitted { bin: bins.bin_edges(&world.p)?.assignment(&world.p), world: &world, bins };
    let error = |gamma: f64| -> Result<f64> {
        Ok(unused.error_of(&fitted.at(&unused.p, &unused.x, Kernel::Laplacian { gamma })?))
    };
    let none = unused.error_of(&unused.p);
    let now = error(request.gamma)?;
    let mut found = LabAnswer::of(request);
    // before the answer the chart shows what γ does; the error itself would be looked for with the handle
    if request.answered {
        found.decimal("rmse", &format!("RMSE of LoRe at γ = {}", significant(request.gamma)), now, "");
        found.decimal("uncalibrated", "RMSE of the original predictions", none, "");
        let gammas = gamma_grid(LOW, HIGH, STEPS);
        let errors: Vec<f64> = gammas.iter().map(|&gamma| error(gamma)).collect::<Result<_>>()?;
        let points: Vec<(f64, f64)> = gammas.iter().copied().zip(errors).collect();
        let (best, least) = points.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((f64::NAN, f64::NAN));
        let (nearest, whole) = (error(NEAREST)?, error(WHOLE_BIN)?);
        found.number("best_gamma", "Best bandwidth γ", best);
        found.decimal("best", "RMSE at the best bandwidth", least, "");
        found.decimal("nearest", "RMSE, nearest neighbor (γ → 0)", nearest, "");
        found.decimal("histogram", "RMSE, histogram binning (γ → ∞)", whole, "");
        let own = LocalQueries::At {
            bin: &fitted.bins.bin_edges(&world.p)?.assignment(&unused.p),
            features: Points::row_major(2, &unused.x)?,
        };
        let sample = LocalSample::new(&world.p, &world.y, &fitted.bin, Points::row_major(2, &world.x)?)?;
        let mut neighbors = signed_local_error(&sample, &own, kernel(request), Part::WHOLE)?.n_eff;
        neighbors.retain(|n| n.is_finite());
        let middle = crate::num::quantile::median(&mut neighbors).unwrap_or(f64::NAN);
        found.number("neighbors", "Median number of effective neighbors", middle);
        let most = points.iter().fold(0.0, |most: f64, point| most.max(point.1));
        // where no bandwidth is far, none is to be found
        let differ = most > WITHIN * least;
        let others = LabRequest { region: Vec::new(), ..request.clone() };
        let judged = request.factor == 1.0 && is_plain(&others);
        if differ && judged {
            found.right = Some(if now <= WITHIN * least { "close" } else { "far" }.to_owned());
        }
        let neighbors = match middle {
            ..1.0 => "fewer than one effective neighbor".to_owned(),
            _ => format!("about {} effective neighbors", fixed(middle, usize::from(middle < 10.0))),
        };
        found.say(format!("At γ = {} a row has {neighbors}.", significant(request.gamma)));
        if !differ {
            found.say("With so few rows, all bandwidths are about as far from the truth.");
        }
        if !judged {
            found.say(sentence(&others));
        }
        found.say("Too few neighbors show noise; too many show the average of the bin.");
        found.say(format!(
            "LoRe is closest to the truth at γ = {} (RMSE {}); the original predictions have {}.",
            significant(best),
            fixed(least, 3),
            fixed(none, 3)
        ));
        if least >= none {
            found.say("With so few rows, LoRe is at no bandwidth closer to the truth than the original predictions.");
        }
        let flat = |value: f64| vec![(LOW, value), (HIGH, value)];
        let curves = vec![
            Curve::line("LoRe", points, Ink::Before, Dash::Solid),
            Curve::line("original predictions", flat(none), Ink::Axis, Dash::Dashed),
            Curve::line("nearest neighbor", flat(nearest), Ink::Category(1), Dash::Dashed),
            Curve::line("histogram binning", flat(whole), Ink::After, Dash::Dashed),
        ];
        let chart = CurveChart {
            curves,
            log_x: true,
            y_range: None,
            x_name: "bandwidth γ".to_owned(),
            y_name: "RMSE to the true probability".to_owned(),
            marked: Some((request.gamma, format!("γ = {}", significant(request.gamma)))),
            title: String::new(),
            caption: format!("On {} rows not used for fitting.", count(UNUSED.into())),
        };
        found.draw(request, "sweep", chart, ROOM);
    }
    let places = cells();
    let (each, _) = places.as_chunks::<2>();
    let stated: Vec<f64> = each.iter().map(|&x| world.truth.stated(x, false)).collect();
    let corrected = fitted.at(&stated, &places, kernel(request))?;
    let estimate = stated.iter().zip(&corrected).map(|(p, corrected)| p - corrected).collect();
    let caption = format!("The error estimated by LoRe from {} rows, which it subtracts.", count(request.n.into()));
    let name = format!("estimated error at γ = {}", significant(request.gamma));
    found.draw(request, "map", field_map(estimate, &name, caption), ROOM);
    if request.answered {
        let truth = each.iter().zip(&stated).map(|(&x, p)| p - world.truth.probability(x, false)).collect();
        let caption = "The true error, for comparison with the estimate.".to_owned();
        found.draw(request, "truth", field_map(truth, "true error: predicted − true probability", caption), ROOM);
    }
    Ok(found)
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
}
