//! Screen 2: a probability is a statement about many similar cases.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::answer::ROOM;
use super::diagram::{Scores, diagram};
use super::{LabAnswer, LabRequest, World};
use crate::error::{Error, Result};
use crate::words::number::{count, percent};

/// Forecasts: 10, 20, … 90 %.
const FORECASTS: u32 = 9;
/// The one that is asked about: 70 %.
const CHOSEN_FORECAST: usize = 6;

pub(super) fn answer(request: &LabRequest) -> Result<LabAnswer> {
    // a row a day, so that outcomes come from the same random numbers as everywhere
    let n = request.n.min(1_000);
    let mut days = World::of_rows(request, 0..FORECASTS * n);
    let forecast = |row: usize| (row as u32 / n + 1) as f64 / 10.0;
    days.p = (0..days.q.len()).map(forecast).collect();
    days.q.clone_from(&days.p);
    days.y = days.outcomes(request.draw);
    let rained: &[u8] = days.y.chunks(n as usize).nth(CHOSEN_FORECAST).unwrap_or_default();
    let k = rained.iter().map(|&y| u64::from(y)).sum::<u64>();

    let fault = |_| Error::internal("A binomial distribution has no such probability.");
    let perfect = Binomial::new(0.7, u64::from(n)).map_err(fault)?;
    let (low, high) = (perfect.inverse_cdf(0.025), perfect.inverse_cdf(0.975));
    let mut found = LabAnswer::of(request);
    let share = k as f64 / f64::from(n);
    found.number_as("rained", "Rain at a forecast of 70%", share, percent(share), &format!("{k} of {n} days"));
    found.number_as("low", "Lower end for a perfect forecaster", low as f64, count(low), "");
    found.number_as("high", "Upper end for a perfect forecaster", high as f64, count(high), "");
    let standard_error = (0.7 * 0.3 / f64::from(n)).sqrt();
    found.decimal("standard_error", "Standard error of the share", standard_error, "");
    let five = perfect.cdf(u64::from(n) / 2);
    found.number("half_or_less", "P(half of the days or fewer) at 70%", five);
    found.say(format!("Of {n} days at 70% it rained on {k} ({}).", percent(share)));
    found.say(format!("A perfect forecaster stays between {low} and {high} of {n} days in at least 95% of cases."));
    found.say("As a share of the days, this range narrows in proportion to 1/√n.");
    found.outcomes = rained.to_vec();
    let scores = Scores { name: "forecasts", p: &days.p, y: &days.y };
    // one bin a forecast: edges at 5, 15, … 95 %
    let mut chart = diagram(&[scores], 10)?;
    "forecast".clone_into(&mut chart.score_name);
    "share of days with rain".clone_into(&mut chart.target_name);
    "rain".clone_into(&mut chart.events_name);
    "dry".clone_into(&mut chart.others_name);
    found.draw(request, "diagram", chart, ROOM);
    Ok(found)
}
