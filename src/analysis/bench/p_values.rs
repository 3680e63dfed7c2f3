//! p-values of every test on simulated outcomes.
//!
//! Null draws that depend only on scores and coordinates are made once for [`CHUNK`] data sets; all others are made for
//! each data set, as in the analyses of the page.

use std::ops::Range;

use super::tests_of::Work;
use super::world::{Drawn, KlceInput, ProximityInput, WITNESS, WitnessPlaces, World};
use crate::error::Result;
use crate::hypothesis::multiplicity::holm;
use crate::hypothesis::poisson_binomial::two_sided;
use crate::hypothesis::{ManyOutcomes, Null, SHUFFLES};
use crate::kernel::Points;
use crate::local::{LocalQueries, LocalSample, ManyPlaces, anywhere_of_many};
use crate::metric::classical::{hosmer_lemeshow, spiegelhalter_z};
use crate::metric::gap::Gap;
use crate::num::rng::Lanes;
use crate::scan::{Round, ScanInput, ScoreTests, scan_part};

/// Number of data sets that share the draws of a null distribution that does not depend on outcomes.
pub const CHUNK: usize = 50;
/// Number of such draws for the KLCE calibration test: 999, which with the observed value are 1,000.
pub const DRAWN: usize = 999;
/// Number of such draws for the local bias, as on the page.
pub const WITNESS_DRAWS: usize = 199;
/// Number of outcome sets redrawn for the map: 39, which with the observed value are 40, of which 2 are 5%; the page uses at least
/// 40.
pub const MAP_REDRAWS: usize = 39;
/// Number of draws with which a level of `alpha` can be reached: `least`, or more if that is too small.
pub fn draws_at(alpha: f64, least: usize) -> usize {
    least.max((2.0 / alpha).ceil() as usize - 1)
}

/// Groups of the Hosmer–Lemeshow test.
const GROUPS: usize = 10;

/// A separate seed for one data set and purpose.
fn seed_of(seed: u64, work: Work, file: usize) -> u64 {
    let [a, b, ..] = Lanes::seeded(seed, (work as u64 + 1) << 40 | file as u64).next();
    u64::from(a) << 32 | u64::from(b)
}

/// p-values of the tests of `work` on the data sets `range`, whose outcomes are drawn from `truth`: one list per test;
/// `NaN` if there is none. If p > α by permutation, it is that of the number of permutations that establish this. The
/// p-values of a data set do not depend on the range.
///
/// # Errors
/// As the kernel sums.
pub fn p_values(
    world: &World,
    work: Work,
    truth: &[f64],
    (seed, alpha): (u64, f64),
    range: Range<usize>,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Vec<f64>>> {
    let mut found = vec![Vec::with_capacity(range.len()); work.tests().len()];
    let asked = FileTest::new(world, work);
    let mut next = range.start;
    while next < range.end {
        let chunk = next / CHUNK;
        let last = ((chunk + 1) * CHUNK).min(range.end);
        let drawn: Vec<Drawn> = (next..last).map(|file| world.drawn(truth, seed, file)).collect();
        let ahead = (last - next) as f64 / range.len() as f64;
        let before = (next - range.start) as f64 / range.len() as f64;
        let chunk = Chunk { drawn: &drawn, first: next, number: chunk, seed, alpha };
        let of_chunk = asked.p_values(chunk, &mut |done| progress(before + ahead * done))?;
        for (all, some) in found.iter_mut().zip(of_chunk) {
            all.extend(some);
        }
        next = last;
    }
    Ok(found)
}

/// A test of every simulated file, with what does not change from one to the other.
enum FileTest<'a> {
    Drawn(&'a KlceInput, ManyOutcomes<'a>),
    Shuffled(&'a KlceInput, ManyOutcomes<'a>, Work),
    Groups(Vec<(Vec<u32>, Vec<f64>)>),
    Near(&'a ProximityInput, Vec<f64>),
    Witness(&'a WitnessPlaces, Vec<f64>),
    Finding(&'a ScanInput),
    Classical(&'a [f64]),
    Nothing(usize),
}

impl<'a> FileTest<'a> {
    fn new(world: &'a World, work: Work) -> Self {
        let scores = |placed: &[u32]| placed.iter().map(|&i| world.score[i as usize]).collect::<Vec<f64>>();
        let none = || Self::Nothing(work.tests().len());
        match work {
            Work::Drawn => world
                .klce
                .as_ref()
                .map_or_else(none, |klce| Self::Drawn(klce, ManyOutcomes::new(&klce.sample, None, false))),
            Work::Permuted | Work::Repeated => world.klce.as_ref().map_or_else(none, |klce| {
                Self::Shuffled(klce, ManyOutcomes::new(&klce.sample, klce.factor.as_ref(), true), work)
            }),
            Work::Groups => world.groups.as_ref().map_or_else(none, |groups| {
                Self::Groups(groups.rows.iter().map(|rows| (rows.to_vec(), scores(rows))).collect())
            }),
            Work::Neighbourhoods => {
                world.near.as_ref().map_or_else(none, |near| Self::Near(near, scores(&near.placed)))
            }
            Work::Witness => world.witness.as_ref().map_or_else(none, |at| Self::Witness(at, scores(&at.placed))),
            Work::Finding => world.scan.as_ref().map_or_else(none, Self::Finding),
            Work::Classical => Self::Classical(&world.score),
        }
    }

    /// p-values of some files of one chunk.
    fn p_values(&self, of: Chunk, progress: &mut dyn FnMut(f64)) -> Result<Vec<Vec<f64>>> {
        Ok(match self {
            Self::Nothing(tests) => vec![vec![f64::NAN; of.drawn.len()]; *tests],
            Self::Drawn(klce, many) => vec![drawn(klce, many, of)],
            Self::Shuffled(klce, many, work) => shuffled(klce, many, *work, of, progress)?,
            Self::Groups(groups) => vec![groups_differ(groups, of)],
            Self::Near(near, score) => vec![neighbourhoods(near, score, of, progress)?],
            Self::Witness(at, score) => vec![witness(at, score, of)?],
            Self::Finding(input) => vec![any_subgroup(input, of, progress)?],
            Self::Classical(score) => classical(score, of)?,
        })
    }
}

/// Some of the data sets that share the draws of a null distribution.
#[derive(Clone, Copy)]
struct Chunk<'a> {
    drawn: &'a [Drawn],
    /// number of the first of them among all data sets
    first: usize,
    /// number of the chunk
    number: usize,
    seed: u64,
    alpha: f64,
}

impl Chunk<'_> {
    /// The seed of what all data sets of the chunk share.
    fn seed_of(&self, work: Work) -> u64 {
        seed_of(self.seed, work, self.number)
    }

    /// What comes of each data set with a seed of its own.
    fn each<T>(
        &self,
        work: Work,
        progress: &mut dyn FnMut(f64),
        mut of: impl FnMut(&Drawn, u64) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::with_capacity(self.drawn.len());
        for (file, drawn) in (self.first..).zip(self.drawn) {
            all.push(of(drawn, seed_of(self.seed, work, file))?);
            progress(all.len() as f64 / self.drawn.len().max(1) as f64);
        }
        Ok(all)
    }
}

fn number(p: Option<f64>) -> f64 {
    p.unwrap_or(f64::NAN)
}

/// The KLCE calibration test against outcomes drawn from the scores, which all data sets share.
fn drawn(klce: &KlceInput, many: &ManyOutcomes, of: Chunk) -> Vec<f64> {
    let outcomes: Vec<Vec<u32>> = of.drawn.iter().map(|drawn| klce.observed(drawn)).collect();
    let p = many.drawn(&outcomes, draws_at(of.alpha, DRAWN), of.seed_of(Work::Drawn));
    p.into_iter().map(number).collect()
}

/// The same against shuffled residuals: by permutation, centered and not, or by bootstrap.
fn shuffled(
    klce: &KlceInput,
    many: &ManyOutcomes,
    work: Work,
    of: Chunk,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Vec<f64>>> {
    let nulls: &[Null] = match work {
        Work::Permuted => &[Null::PermuteCentred, Null::Permute],
        _ => &[Null::Bootstrap],
    };
    let draws = draws_at(of.alpha, SHUFFLES);
    let mut found = vec![Vec::with_capacity(of.drawn.len()); nulls.len()];
    of.each(work, progress, |drawn, seed| {
        let p = many.shuffled(&klce.observed(drawn), nulls, draws, seed, Some(of.alpha));
        found.iter_mut().zip(p).for_each(|(all, p)| all.push(number(p)));
        Ok(())
    })?;
    Ok(found)
}

/// Tests of groups, adjusted by Holm. The exact test of a group depends on its number of events alone.
fn groups_differ(groups: &[(Vec<u32>, Vec<f64>)], of: Chunk) -> Vec<f64> {
    let mut known: Vec<Vec<Option<f64>>> = groups.iter().map(|(rows, _)| vec![None; rows.len() + 1]).collect();
    let p = of.drawn.iter().map(|drawn| {
        let of_groups = groups.iter().zip(&mut known).map(|((rows, score), known)| {
            let target = rows.iter().map(|&i| drawn.target[i as usize]);
            let gap = Gap::of(score.iter().copied().zip(target));
            let events = gap.events as usize;
            match known.get_mut(events) {
                Some(known) => gap.p_at_least(*known.get_or_insert_with(|| two_sided(score, events))),
                None => f64::NAN,
            }
        });
        holm(&of_groups.collect::<Vec<f64>>()).into_iter().fold(f64::NAN, f64::min)
    });
    p.collect()
}

/// The test of every place of the map.
fn neighbourhoods(near: &ProximityInput, score: &[f64], of: Chunk, progress: &mut dyn FnMut(f64)) -> Result<Vec<f64>> {
    let none = vec![0; score.len()];
    let sample = LocalSample::new(score, &none, &near.bin, Points::row_major(near.d, &near.places)?)?;
    let at_most = crate::analysis::neighbourhoods::most_places(near.d);
    let places = ManyPlaces::new(sample, &near.strata, near.kernel, at_most)?;
    of.each(Work::Neighbourhoods, progress, |drawn, seed| {
        let target = picked(&drawn.target, &near.placed);
        Ok(number(places.least_p(&target, draws_at(of.alpha, MAP_REDRAWS), seed, Some(of.alpha))?))
    })
}

/// The test of local calibration bias anywhere, with draws that all data sets share.
fn witness(at: &WitnessPlaces, score: &[f64], of: Chunk) -> Result<Vec<f64>> {
    let points = Points::row_major(at.d, &at.places)?;
    let places = points.gather(&at.looked);
    let zero = vec![0; score.len()];
    let none = vec![0; score.len()];
    let sample = LocalSample::new(score, &none, &zero, points)?;
    let queries = LocalQueries::At { bin: &zero[..at.looked.len()], features: Points::row_major(at.d, &places)? };
    let outcomes: Vec<Vec<u8>> = of.drawn.iter().map(|drawn| picked(&drawn.target, &at.placed)).collect();
    let draws = draws_at(of.alpha, WITNESS_DRAWS);
    let p = anywhere_of_many(&sample, &queries, WITNESS, &outcomes, draws, of.seed_of(Work::Witness))?;
    Ok(p.into_iter().map(number).collect())
}

/// The first round of the subgroup scan, together with the test of overall calibration.
fn any_subgroup(input: &ScanInput, of: Chunk, progress: &mut dyn FnMut(f64)) -> Result<Vec<f64>> {
    let overall = ScoreTests::new(&input.score, None, of.seed_of(Work::Finding), 0);
    of.each(Work::Finding, progress, |drawn, seed| {
        let input = ScanInput { target: drawn.target.clone().into(), ..input.clone() };
        let overall_p = overall.test(&drawn.target).p;
        let mut round = Round::first(&input);
        if !round.over {
            round = round.next(&input, &[&scan_part(&input, &round.fit, (0, 1), 0, seed)], overall_p);
        }
        Ok(round.p_of_any(overall_p))
    })
}

/// Spiegelhalter's z and the Hosmer–Lemeshow test.
fn classical(score: &[f64], of: Chunk) -> Result<Vec<Vec<f64>>> {
    let (mut z, mut chi) = (Vec::with_capacity(of.drawn.len()), Vec::with_capacity(of.drawn.len()));
    for drawn in of.drawn {
        z.push(number(spiegelhalter_z(score, &drawn.target)?.map(|test| test.p_value)));
        chi.push(number(hosmer_lemeshow(score, &drawn.target, GROUPS)?.map(|test| test.p_external)));
    }
    Ok(vec![z, chi])
}

fn picked(target: &[u8], placed: &[u32]) -> Vec<u8> {
    placed.iter().map(|&i| target.get(i as usize).copied().unwrap_or_default()).collect()
}

impl KlceInput {
    /// The observed class of each row with coordinates.
    fn observed(&self, drawn: &Drawn) -> Vec<u32> {
        let of = |&i: &u32| match self.sample.planes() {
            1 => u32::from(drawn.target.get(i as usize) != Some(&1)),
            _ => drawn.class.get(i as usize).copied().unwrap_or_default(),
        };
        self.placed.iter().map(of).collect()
    }
}
