//! Power of the KLCE calibration test by simulation: outcomes are drawn from biased scores, and rejections are counted.

use serde::{Deserialize, Serialize};

use super::nearby::BLOCK;
use super::power::{KlcePower, TARGET_POWER, cells};
use super::work::{DrawTask, KlceShare, KlceWork, add_draws, totals};
use super::{Draws, KlceSample, KlceTestOutcome};
use crate::kernel::Part;
use crate::num::proportion::wilson_interval;

/// Number of simulated data sets for each bias.
pub const SIMULATED: usize = 200;
/// Number of biases that are tried, one after another.
pub const STEPS: usize = 6;
/// Ratio of two of them until the one that is looked for lies between.
const STRIDE: f64 = 1.25;
/// Seed of these draws, apart from those of the null.
const APART: u64 = u64::from_le_bytes(*b"simulate");

/// Smallest simulated biases that the test detected with 80% power.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulatedPower {
    /// bias common to all rows; null if the largest simulated one was not detected with that power
    pub everywhere: Option<SimulatedBias>,
    /// bias limited to the cell of similar rows that has the median approximate bias; null as above
    pub locally: Option<SimulatedBias>,
}

/// A simulated bias and the power to detect it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulatedBias {
    /// |P(y = 1) − p| before truncation of P to [0, 1]
    pub bias: f64,
    /// mean of P(y = 1) − p over the biased rows after truncation; negative if their mean predicted probability is above
    /// ½
    pub realised: f64,
    /// number of simulations in which the bias was detected
    pub caught: usize,
    /// number of simulations
    pub draws: usize,
    /// lower limit of the 95% CI of the power (Wilson)
    pub low: f64,
    /// upper limit of that interval
    pub high: f64,
}

/// Where the search for both biases stands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// T above this is caught
    pub(super) critical: f64,
    /// cell of the local bias
    cell: usize,
    places: [Place; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Place {
    /// the bias to try now
    next: f64,
    /// the largest that was not caught often enough
    low: f64,
    /// the smallest that was
    found: Option<SimulatedBias>,
}

impl Search {
    /// Begins at the biases of the approximation.
    pub(super) fn new(critical: f64, cell: usize, power: &KlcePower) -> Self {
        let places =
            [power.everywhere, power.locally].map(|bias| Place { next: bias.unwrap_or(1.0), low: 0.0, found: None });
        Self { critical, cell, places }
    }

    /// P(y = 1) of every row under both biases, and their means beyond p over the rows concerned.
    fn truths(&self, sample: &KlceSample) -> [(Vec<f64>, f64); 2] {
        let (p, cell) = (sample.p(), cells(sample.n()));
        let [all, some] = self.places;
        [(all, None), (some, Some(self.cell))].map(|(place, only)| {
            let inside = |i: usize| only.is_none_or(|only| cell[i / BLOCK] == only);
            let rows = (0..p.len()).filter(|&i| inside(i));
            let n = rows.clone().count().max(1) as f64;
            // To the side where there is more room.
            let up = rows.clone().map(|i| p[i]).sum::<f64>() <= 0.5 * n;
            let delta = if up { place.next } else { -place.next };
            let mut truth = p.to_vec();
            let mut moved = 0.0;
            for i in rows {
                truth[i] = (p[i] + delta).clamp(0.0, 1.0);
                moved += truth[i] - p[i];
            }
            (truth, moved / n)
        })
    }
}

impl Place {
    /// Steps of one ratio until one bias is caught and one is not, then halves between them.
    fn learn(&mut self, tried: SimulatedBias) {
        if tried.caught as f64 >= TARGET_POWER * tried.draws as f64 {
            self.found = Some(tried);
        } else {
            self.low = self.low.max(tried.bias);
        }
        self.next = match self.found {
            Some(found) if self.low > 0.0 => (self.low * found.bias).sqrt(),
            Some(found) => found.bias / STRIDE,
            None => (self.low * STRIDE).min(1.0),
        };
    }
}

impl KlceWork {
    /// The draws of a step: everywhere biased and locally biased in turn, by the engine of the null's own.
    fn simulation(&self) -> Option<DrawTask> {
        let labels = self.tasks.iter().find(|task| task.kind == Draws::Labels);
        labels.map(|task| DrawTask { draws: 2 * SIMULATED, ..*task })
    }

    /// A part of the statistics of one step: outcomes of `found`'s next biases, with the same random numbers in every
    /// step. Empty where `found` has no search.
    ///
    /// Cost: that of 400 label draws, over all parts.
    pub fn simulated_share(&self, found: &KlceTestOutcome, part: Part) -> KlceShare {
        let mut share = KlceShare::default();
        if let (Some(task), Some(search)) = (self.simulation(), &found.search) {
            let truths = search.truths(&self.sample).map(|(truth, _)| truth);
            let sample = self.sample.with_truths(&truths);
            let seed = self.seed ^ APART;
            add_draws(&sample, task, self.factor.as_ref(), seed, part, &mut share);
        }
        share
    }

    /// What is known after a step, from its shares in the order of their parts.
    pub fn simulated(&self, found: &KlceTestOutcome, shares: &[&KlceShare]) -> KlceTestOutcome {
        let mut found = found.clone();
        if let (Some(task), Some(search), Some(power)) = (self.simulation(), &mut found.search, &mut found.power) {
            let draws = totals(0, task.engine, shares);
            let truths = search.truths(&self.sample);
            for (which, (place, (_, realised))) in search.places.iter_mut().zip(truths).enumerate() {
                let of = draws.iter().take(task.draws).skip(which).step_by(2);
                let caught = of.filter(|t| **t > search.critical).count();
                let (low, high) = wilson_interval(caught as f64, SIMULATED as f64);
                place.learn(SimulatedBias { bias: place.next, realised, caught, draws: SIMULATED, low, high });
            }
            let [all, some] = search.places;
            power.simulated = Some(SimulatedPower { everywhere: all.found, locally: some.found });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::null_tests::random_sample;
    use super::super::{KlceKernel, Null};
    use super::*;
    use crate::num::rng::Lanes;

    fn tested(sample: &KlceSample, draws: usize) -> (KlceWork, KlceTestOutcome) {
        let kernel = KlceKernel::usual(2);
        let work = KlceWork::new(sample.clone(), kernel, &[Null::Bernoulli], draws, 1);
        let found = work.merged_with_power(&[&work.share(Part::WHOLE)], 0.05);
        (work, found)
    }

    fn step(work: &KlceWork, found: &KlceTestOutcome, of: usize) -> KlceTestOutcome {
        let shares: Vec<KlceShare> = (0..of).map(|index| work.simulated_share(found, Part { index, of })).collect();
        work.simulated(found, &shares.iter().collect::<Vec<_>>())
    }

    fn simulated(work: &KlceWork, mut found: KlceTestOutcome) -> SimulatedPower {
        assert_eq!(found.power.expect("a power").simulated, None);
        for _ in 0..STEPS {
            found = step(work, &found, 1);
        }
        found.power.and_then(|power| power.simulated).expect("simulated")
    }

    /// T over all pairs of outcomes that happen with `truth`, by another generator and another order of sums.
    fn by_hand(sample: &KlceSample, truth: &[f64], draws: usize, seed: u64) -> Vec<f64> {
        let (n, p) = (sample.n(), sample.p());
        let k: Vec<f64> = (0..n * n).map(|at| sample.kernel(at / n, at % n)).collect();
        let mut state = seed;
        let mut next = || {
            state = state * 48_271 % 2_147_483_647;
            state as f64 / 2_147_483_647.0
        };
        let mut one = || {
            let e: Vec<f64> = (0..n).map(|i| f64::from(u8::from(next() < truth[i])) - p[i]).collect();
            let pairs = (0..n * n).filter(|at| at / n != at % n);
            pairs.map(|at| e[at / n] * k[at] * e[at % n]).sum()
        };
        (0..draws).map(|_| one()).collect()
    }

    #[test]
    fn what_it_finds_is_what_direct_simulation_finds() {
        let sample = random_sample(80, 3, 0.0, 0.1);
        let (work, found) = tested(&sample, 1000);
        let start = found.search.expect("a search");
        let power = simulated(&work, found);
        let mut null = by_hand(&sample, sample.p(), 4000, 5);
        null.sort_by(f64::total_cmp);
        let critical = null[3799];
        for (which, bias) in [power.everywhere, power.locally].into_iter().enumerate() {
            let Some(bias) = bias else {
                assert_eq!(which, 1);
                continue;
            };
            let mut search = start;
            search.places[which].next = bias.bias;
            let (truth, realised) = &search.truths(&sample)[which];
            assert_eq!(*realised, bias.realised);
            assert!(realised.abs() <= bias.bias && truth.iter().all(|q| (0.0..=1.0).contains(q)));
            let there = by_hand(&sample, truth, 2000, 7 + which as u64);
            let share = there.iter().filter(|t| **t > critical).count() as f64 / 2000.0;
            let ours = bias.caught as f64 / bias.draws as f64;
            assert!((share - ours).abs() < 0.1, "{which}: {ours} {share}");
            assert!(bias.low < 0.8 && ours >= 0.8 && bias.high > ours, "{bias:?}");
        }
        assert!(power.everywhere.is_some());
    }

    /// The specification, 4.2: a shift of .15 is caught with power .93 at n = 200 (2-d normal X, γ = .5, w_p = .1).
    #[test]
    fn a_shift_of_15_points_is_caught_as_often_as_the_specification_says() {
        let (mut caught, mut more, mut of) = (0_usize, 0_usize, 0_usize);
        for seed in 0..25 {
            let mut lanes = Lanes::seeded(seed, 7);
            let x: Vec<f64> = std::iter::repeat_with(|| lanes.normal()).flatten().take(400).collect();
            let u: Vec<f64> = std::iter::repeat_with(|| lanes.uniform()).flatten().take(200).collect();
            // Scores 15 points below what happens, none below 0.
            let p: Vec<f64> = u.iter().map(|u| (u - 0.15).max(0.0)).collect();
            let kernel = KlceKernel { width_p: 0.1, gamma: 0.5 };
            let sample = super::super::tests::sample(&p, &[0; 200], &x, 2, kernel);
            let (work, mut found) = tested(&sample, 200);
            let task = work.simulation().expect("label draws");
            let critical = found.search.expect("a search").critical;
            let truth: Vec<f64> = sample.order().iter().map(|&i| u[i as usize]).collect();
            let truths = sample.with_truths(&[truth]);
            let mut share = KlceShare::default();
            super::super::work::add_draws(&truths, task, None, 9, Part::WHOLE, &mut share);
            let draws = totals(0, task.engine, &[&share]);
            let beyond = |t: &&f64| **t > critical;
            caught += draws.iter().take(task.draws).filter(beyond).count();
            of += task.draws;
            // Where no score is cut, as in a bias of 15 points of every row, more often.
            found.search.as_mut().expect("a search").places[0].next = 0.15;
            let share = work.simulated_share(&found, Part::WHOLE);
            let draws = totals(0, task.engine, &[&share]);
            let everywhere = draws.iter().take(task.draws).step_by(2);
            more += everywhere.filter(beyond).count();
        }
        let power = caught as f64 / of as f64;
        assert!((0.89..0.96).contains(&power), "{power}");
        let more = 2.0 * more as f64 / of as f64;
        assert!((power..1.0).contains(&more), "{power} {more}");
    }

    /// Pair by pair in double precision, and by subset sums: shares of any number of parts add up to the same.
    #[test]
    fn parts_and_engines_agree() {
        for n in [90, 700] {
            let (work, found) = tested(&random_sample(n, 8, 0.0, 0.1), 100);
            let (one, many) = (step(&work, &found, 1), step(&work, &found, 7));
            assert_eq!(one.power, many.power, "{n}");
        }
    }

    #[test]
    fn where_no_bias_is_caught_none_is_reported() {
        // No rows are similar: no bias adds up.
        let (work, found) = tested(&random_sample(60, 3, 0.0, 1e9), 100);
        let power = simulated(&work, found);
        assert_eq!(power.locally, None);
        // Without a search nothing is done.
        let plain = work.merged(&[&work.share(Part::WHOLE)]);
        assert_eq!(step(&work, &plain, 2), plain);
    }
}
