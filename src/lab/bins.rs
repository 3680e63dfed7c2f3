//! Screen 4: a perfect model has an ECE above zero, and more with more bins.

use super::answer::ROOM;
use super::chance::{Chance, ece_by_chance};
use super::diagram::{Scores, diagram};
use super::{LabAnswer, LabRequest, World};
use crate::error::Result;
use crate::metric::BinOptions;
use crate::metric::debiased_ece::{DiscreteBins, debiased_ece};
use crate::metric::ece::ece;
use crate::metric::reliability::reliability_bins;
use crate::metric::smooth_ece::smooth_ece;
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::palette::Ink;
use crate::words::number::{about, fixed};

/// Numbers of bins along the axis.
const STEPS: [usize; 8] = [2, 5, 10, 15, 20, 30, 50, 100];

/// ECE of the rows over so many bins, and what chance makes of it.
struct Point {
    bins: usize,
    ece: f64,
    chance: Chance,
}

fn point(world: &World, bins: usize) -> Result<Point> {
    let binning = BinOptions::equal_width(bins).binning(&world.p)?;
    let ece = ece(&reliability_bins(&world.p, &world.y, &binning)?).unwrap_or(0.0);
    Ok(Point { bins, ece, chance: ece_by_chance(&world.p, &binning)? })
}

/// The number of bins that the second question asks about: 100, or the usual 15 where there are 100.
const OTHER: [usize; 2] = [100, 15];

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let world = World::new(request);
    let chosen = request.bins as usize;
    let now = point(&world, chosen)?;
    let smooth = smooth_ece(&world.p, &world.y)?.value;
    let debiased = debiased_ece(&world.p, &world.y, chosen, DiscreteBins::Never)?.l2;

    let mut found = LabAnswer::of(request);
    let band = format!("{} to {} by chance alone (95%)", fixed(now.chance.low, 3), fixed(now.chance.high, 3));
    found.decimal("ece", &format!("ECE, {chosen} bins"), now.ece, &band);
    found.decimal("null_mean", "Mean ECE of a perfect model", now.chance.mean, "");
    let other = OTHER.into_iter().find(|&bins| bins != chosen).unwrap_or(chosen);
    let name = format!("Mean ECE of a perfect model, {other} bins");
    found.decimal("null_mean_other", &name, point(&world, other)?.chance.mean, "");
    found.decimal("smooth_ece", "Smooth ECE, no bins", smooth, "");
    found.decimal("debiased", "Debiased ECE (L2, equal-mass bins)", debiased, "");
    found.decimal("null_low", "Lower end of the null band", now.chance.low, "");
    found.decimal("null_high", "Upper end of the null band", now.chance.high, "");

    let of_rows = match request.n as usize / chosen {
        0 => format!(", more than the {} rows", request.n),
        _ => format!(" of about {} rows", about((f64::from(request.n) / chosen as f64).round() as u64, false)),
    };
    found.say("The model did not change.");
    found.say(format!(
        "With {chosen} bins{of_rows}, chance alone gives a perfect model an ECE of {} on average (95% band {} to {}).",
        fixed(now.chance.mean, 3),
        fixed(now.chance.low, 3),
        fixed(now.chance.high, 3),
    ));
    let inside = (now.chance.low..=now.chance.high).contains(&now.ece);
    found.say(format!(
        "The observed ECE, {}, is {} this band.",
        fixed(now.ece, 3),
        if inside {
            "inside"
        } else if now.ece > now.chance.high {
            "above"
        } else {
            "below"
        }
    ));
    found.draw(request, "diagram", diagram(&[Scores { name: "model", p: &world.p, y: &world.y }], chosen)?, ROOM);

    let mut steps = STEPS.to_vec();
    if !steps.contains(&chosen) {
        steps.push(chosen);
        steps.sort_unstable();
    }
    let points: Vec<Point> = steps.into_iter().map(|bins| point(&world, bins)).collect::<Result<_>>()?;
    let at = |value: &dyn Fn(&Point) -> f64| -> Vec<(f64, f64)> {
        points.iter().map(|point| (point.bins as f64, value(point))).collect()
    };
    let by_chance = Curve {
        band: points.iter().map(|point| (point.bins as f64, point.chance.low, point.chance.high)).collect(),
        ..Curve::line("perfect model", at(&|point| point.chance.mean), Ink::Axis, Dash::Dashed)
    };
    let curves = vec![
        by_chance,
        Curve::line("this model", at(&|point| point.ece), Ink::Before, Dash::Solid),
        Curve::line("smooth ECE", at(&|_| smooth), Ink::After, Dash::Dashed),
    ];
    let chart = CurveChart {
        curves,
        log_x: true,
        y_range: None,
        x_name: "bins".to_owned(),
        y_name: "ECE".to_owned(),
        marked: Some((chosen as f64, format!("{chosen} bins"))),
        title: String::new(),
        caption: "The same rows in an increasing number of bins. Band: 95% of the draws of a perfect model.".to_owned(),
    };
    found.draw(request, "bins", chart, ROOM);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of the band are listed, written beside the ECE, and named in the sentence.
    #[test]
    fn one_number_has_one_number_of_decimals() {
        let found = answer(&LabRequest { screen: 4, ..LabRequest::default() }).unwrap();
        let text = |id: &str| &found.numbers.iter().find(|number| number.id == id).unwrap().text;
        let ece = found.numbers.iter().find(|number| number.id == "ece").unwrap();
        assert_eq!(ece.beside, format!("{} to {} by chance alone (95%)", text("null_low"), text("null_high")));
        assert!(found.sentences[1].contains(&format!("(95% band {} to {})", text("null_low"), text("null_high"))));
    }

    #[test]
    fn no_bin_is_said_to_hold_no_row() {
        let found = answer(&LabRequest { screen: 4, n: 10, bins: 100, ..LabRequest::default() }).unwrap();
        assert!(found.sentences[1].starts_with("With 100 bins, more than the 10 rows, chance"));
    }

    #[test]
    fn both_questions_have_an_answer_in_every_state() {
        let means = |request: LabRequest| {
            let found = answer(&LabRequest { screen: 4, ..request }).unwrap();
            (found.value("null_mean"), found.value("null_mean_other"))
        };
        let plain = LabRequest::default();
        let (few, many) = means(plain.clone());
        assert!((few - 0.038).abs() < 0.004 && (many - 0.094).abs() < 0.004);
        assert_eq!(means(LabRequest { bins: 100, ..plain.clone() }), (many, few));
        // more rows: less chance
        assert!((means(LabRequest { n: 4_000, ..plain.clone() }).0 - 0.018).abs() < 0.003);
        // all predictions are in one bin
        let (one, same) = means(LabRequest { b: 0.0, ..plain });
        assert_eq!(one, same);
    }
}
