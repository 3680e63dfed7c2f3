//! Screen 5: a line-up is a hypothesis test, and its power grows with the number of rows.

use super::answer::{PANEL, ROOM};
use super::diagram::{Scores, diagram};
use super::tally::{PANELS, code, real_panel, tally};
use super::{LabAnswer, LabRequest, LabTallyLevel, World};
use crate::error::Result;
use crate::plot::curves::{Curve, CurveChart};
use crate::plot::figure::Dash;
use crate::plot::palette::Ink;
use crate::plot::reliability::ReliabilityChart;
use crate::words::number::{count, fixed_hundredfold};

/// Rows by level.
pub const LEVELS: [u32; 6] = [50, 100, 200, 500, 1_000, 5_000];
/// Share of line-ups in which the real panel has the largest likelihood ratio, by level: 2,000 simulated line-ups, standard
/// error at most .011.
pub const IDEAL_OBSERVER: [f64; 6] = [0.34, 0.52, 0.76, 0.97, 1.0, 1.0];
/// The same of the largest ECE over ten bins.
pub const LARGEST_ECE: [f64; 6] = [0.21, 0.27, 0.42, 0.79, 0.97, 1.0];
/// Confidence factor of the real panel.
const FACTOR: f64 = 1.4;
/// Bins of every panel.
const BINS: usize = 10;

/// The world of a student's line-up, and the outcomes of every panel.
fn panels(request: &LabRequest) -> (World, Vec<Vec<u8>>) {
    let level = LEVELS.get(request.level as usize).copied().unwrap_or(LEVELS[2]);
    let world = World::new(&LabRequest {
        n: level,
        factor: FACTOR,
        seed: 1_000 * request.lesson + request.k,
        draw: request.level + 1,
        ..LabRequest::default()
    });
    let real = real_panel(request.lesson, request.k, request.level);
    let outcomes = |panel: u32| match panel == real {
        true => world.y.clone(),
        false => world.calibrated_outcomes(request.level + 1, panel.into()),
    };
    let all = (0..PANELS).map(outcomes).collect();
    (world, all)
}

/// The panel with the largest Σ y w, w = logit q − logit p: whose outcomes are likeliest to be the real ones. O(20 n).
pub fn ideal_observer_choice(request: &LabRequest) -> u32 {
    let (world, panels) = panels(request);
    let weight = |(q, p): (&f64, &f64)| (q / (1.0 - q)).ln() - (p / (1.0 - p)).ln();
    let weights: Vec<f64> = world.q.iter().zip(&world.p).map(weight).collect();
    let ratio = |y: &[u8]| -> f64 { y.iter().zip(&weights).map(|(&y, w)| f64::from(y) * w).sum() };
    let ratios = (0u32..).zip(panels.iter().map(|y| ratio(y)));
    ratios.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(panel, _)| panel)
}

/// A share of 2,000 simulations: no more digits than their standard error of up to one percentage point allows.
fn simulated(share: f64) -> String {
    if share > 0.99 { ">99%".to_owned() } else { format!("{}%", fixed_hundredfold(share, 0)) }
}

/// Without band, intervals, key and colors: nothing but the shape tells the panels apart.
fn bare(mut chart: ReliabilityChart) -> ReliabilityChart {
    chart.small = true;
    chart.consistency.clear();
    chart.pointwise.clear();
    for bin in chart.series.iter_mut().flat_map(|series| &mut series.bins) {
        bin.inside_band = true;
        (bin.wilson_low, bin.wilson_high) = (bin.target, bin.target);
    }
    chart
}

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    let (world, panels) = panels(request);
    let (n, level) = (world.y.len(), request.level as usize);
    let mut found = LabAnswer::of(request);
    for (k, y) in panels.iter().enumerate() {
        let chart = bare(diagram(&[Scores { name: "model", p: &world.p, y }], BINS)?);
        found.draw(request, &format!("panel-{k}"), chart, PANEL);
    }
    let power = IDEAL_OBSERVER.get(level).copied().unwrap_or(f64::NAN);
    let rows = count(n as u64);
    if let Some(tap) = request.tap {
        let real = real_panel(request.lesson, request.k, request.level);
        found.right = Some(real.to_string());
        found.code = code(request.lesson, request.k, request.level, tap);
        found.say(match tap == real {
            true => format!("You found it: panel {} is the miscalibrated model (T = 1.4).", real + 1),
            false => format!("Panel {} is the miscalibrated model (T = 1.4), not panel {}.", real + 1, tap + 1),
        });
        found.say(format!(
            "By guessing, 1 in 20 finds it. An ideal observer finds it in {} of line-ups at n = {rows}.",
            simulated(power)
        ));
        found.say("The other panels show a calibrated model: what looks like an error there is chance.");
    }
    let mut class = Vec::new();
    if !request.codes.is_empty() {
        let counted = tally(request.lesson, &request.codes);
        let share = |level: &LabTallyLevel| level.hits as f64 / level.counted as f64;
        class = counted.levels.iter().map(|level| (f64::from(level.n), share(level))).collect();
        if counted.counted > 0 {
            found.sentences.extend(counted.sentences.iter().cloned());
            let rate = counted.hits as f64 / counted.counted as f64;
            found.number("class", "Share of the class that found it", rate);
        }
        found.tally = Some(counted);
    }
    found.number_as("power", "Ideal observer finds it", power, simulated(power), "");
    if request.tap.is_some() || !class.is_empty() {
        let at = |values: [f64; 6]| LEVELS.map(f64::from).into_iter().zip(values).collect();
        let mut curves = vec![
            Curve::line("ideal observer", at(IDEAL_OBSERVER), Ink::Before, Dash::Solid),
            Curve::line("largest ECE", at(LARGEST_ECE), Ink::After, Dash::Dashed),
            Curve::line("guessing", at([1.0 / 20.0; 6]), Ink::Axis, Dash::Dashed),
        ];
        if class.len() > 1 {
            curves.push(Curve::line("class", class, Ink::Category(1), Dash::Solid));
        }
        let chart = CurveChart {
            curves,
            log_x: true,
            y_range: Some((0.0, 1.05)),
            x_name: "rows n".to_owned(),
            y_name: "share of line-ups".to_owned(),
            marked: Some((n as f64, format!("n = {rows}"))),
            title: String::new(),
            caption: "Proportion of line-ups in which the panel is found; 2,000 simulations per level.".to_owned(),
        };
        found.draw(request, "power", chart, ROOM);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::collisions::crossings;

    #[test]
    fn a_simulated_share_has_no_more_digits_than_it_is_known_to() {
        assert_eq!([0.76, 0.974, 1.0].map(simulated), ["76%", "97%", ">99%"]);
    }

    /// The line of guessing is where names of upright rules usually are.
    #[test]
    fn no_line_crosses_the_number_of_rows() {
        for level in 0..LEVELS.len() as u32 {
            for width in [280.0, 320.0, 440.0, 620.0] {
                let request =
                    LabRequest { screen: 5, tap: Some(0), level, width: Some(width), ..LabRequest::default() };
                let found = answer(&request).unwrap();
                let chart = found.charts.iter().find(|chart| chart.id == "power").unwrap();
                assert_eq!(crossings(&chart.figure), Vec::<String>::new(), "level {level} at {width}");
            }
        }
    }
}
