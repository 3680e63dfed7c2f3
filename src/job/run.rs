//! Doing one job.

use super::plan;
use super::request::LocalOptions;
use super::{Job, Outcome, Progress};
use crate::data::Array;
use crate::error::Result;
use crate::evaluation::comparison::drawn;
use crate::evaluation::features::features;
use crate::evaluation::further;
use crate::evaluation::local::Neighbourhood;
use crate::evaluation::method::{Fitted, fit};
use crate::evaluation::proximity::log_proximities_of;
use crate::evaluation::resample::replicates;
use crate::evaluation::scored::Scored;
use crate::evaluation::split::Split;
use crate::evaluation::sweep::{ScoredRows, SweepNumbers};
use crate::kernel::Kernel;
use crate::report;
use crate::report::neighbourhoods;
use crate::report::region;
use counting::tell_of_weights;
use needs::{
    drawn_parts, local_rows, looked, predictions, proximities, proximities_at, run_of, scored, split, with_maps, wrong,
};

mod answer;
mod counting;
mod execute;
mod for_whom;
mod needs;
mod of_run;
mod offer;
mod suggest;
mod trust;

pub use execute::{execute, execute_after};
pub use offer::{Offer, OfferedMap, OfferedMethod};
pub use suggest::LocalSuggestion;

/// Runs `job` on the outcomes it needs and the columns that came with it.
///
/// # Errors
/// Whatever the job's chapter returns; `invalid_option` if the needs are not what the job takes.
pub fn run(job: &Job, needs: &[&Outcome], columns: Vec<Array>, progress: &mut dyn FnMut(Progress)) -> Result<Outcome> {
    // Feature maps go with the needs of every job: they become columns of the data.
    let (maps, needs): (Vec<&Outcome>, Vec<&Outcome>) =
        needs.iter().partition(|need| matches!(need, Outcome::Coordinates(_)));
    let mapped;
    let mut needs = needs;
    if let (false, Some(Outcome::Data { predictions, .. })) = (maps.is_empty(), needs.first()) {
        mapped = with_maps(predictions, &maps);
        needs[0] = &mapped;
    }
    let mut outcome = of_job(job, &needs, columns, progress)?;
    tell_of_weights(job, &needs, &mut outcome);
    Ok(outcome)
}

fn of_job(job: &Job, needs: &[&Outcome], columns: Vec<Array>, progress: &mut dyn FnMut(Progress)) -> Result<Outcome> {
    Ok(match job {
        Job::Call(call) => answer::answer(call, needs, columns, progress)?,
        Job::Split { seed, everything } => {
            let data = predictions(needs)?;
            let split = if *everything { Split::everything(data.rows).counted(data) } else { Split::new(data, *seed)? };
            Outcome::Split { split }
        }
        Job::Proximity { proximity, neighbours, first, last } => {
            let mut tell = |share: f64| progress(share.into());
            let (data, split) = (predictions(needs)?, split(needs, 1)?);
            let rows = *first..*last;
            let found = log_proximities_of(data, split, proximity, neighbours, rows, &mut tell)?;
            Outcome::Proximity { values: found.into() }
        }
        Job::Fit { method, fold } => {
            let split = split(needs, 1)?;
            let (fit_rows, score_rows) = split.rows_of(*fold)?;
            let near = proximities(split, needs)?.map(|near| near.of_fold(*fold));
            Outcome::Fitted {
                fitted: fit(
                    predictions(needs)?,
                    &method.kind,
                    &fit_rows,
                    &score_rows,
                    near.as_deref(),
                    &mut |share| progress(share.into()),
                )?,
            }
        }
        Job::Score { bins, metrics, groups } => {
            let fits: Vec<&Fitted> = needs
                .iter()
                .filter_map(|outcome| if let Outcome::Fitted { fitted } = outcome { Some(fitted) } else { None })
                .collect();
            let split = split(needs, 1)?;
            let near = proximities(split, needs)?;
            let data = predictions(needs)?;
            let scored = Scored::new(data, split, &fits, bins, metrics)?
                .with_proximity(near.as_ref(), metrics)?
                .with_groups(data, groups, bins, metrics)?;
            Outcome::Scored { scored: Box::new(scored) }
        }
        Job::Resample { bins, seed, first, last } => {
            let (data, place) = match needs {
                [_] => (None, 0),
                _ => (Some(predictions(needs)?), 1),
            };
            let mut tell = |share: f64| progress(share.into());
            let part = *first..*last;
            Outcome::Replicates { replicates: replicates(data, scored(needs, place)?, bins, *seed, part, &mut tell)? }
        }
        Job::ResampleFurther { bins, metrics, seed, first, last } => Outcome::Replicates {
            replicates: further::replicates(scored(needs, 0)?, bins, metrics, *seed, *first..*last)?,
        },
        Job::Local { local, part, parts } => {
            let (near, kernel) = neighbourhood(needs, local)?;
            let rows = near.error(kernel, local.leave_one_out, local.engine, (*part, *parts))?;
            Outcome::Local {
                place: rows.place.into(),
                slce: rows.slce.into(),
                mass: rows.mass.into(),
                n_eff: rows.n_eff.into(),
                engine: rows.engine,
            }
        }
        Job::LocalResample { local, seed, first, last } => {
            let (near, kernel) = neighbourhood(needs, local)?;
            Outcome::Replicates { replicates: near.replicates(kernel, local.leave_one_out, *seed, *first..*last)? }
        }
        Job::TrustWork { settings, method } => trust::work(needs, settings, method.as_deref())?,
        Job::TrustShare { part, parts } => trust::share(needs, *part, *parts)?,
        Job::TrustFound { alpha } => trust::found(needs, *alpha)?,
        Job::TrustSimulate { part, parts } => trust::simulate(needs, *part, *parts)?,
        Job::TrustSimulated {} => trust::simulated(needs)?,
        Job::KlceReport { request, settings } => trust::report(needs, request, settings)?,
        Job::Places { features: choice } => {
            let (data, split) = (predictions(needs)?, split(needs, 1)?);
            let calibration = split.all_calibration_rows();
            let fit_rows = if calibration.is_empty() { split.evaluation_rows() } else { calibration };
            let found = features(data, choice, &fit_rows)?;
            Outcome::Places { d: found.d, values: found.values.into() }
        }
        Job::SweepPart { part } => {
            let Some(Outcome::Places { d, values }) = needs.first() else {
                return Err(wrong("places"));
            };
            let rows = match needs.get(1) {
                Some(Outcome::Report(run)) => {
                    let rows = report::view::method_rows(run, part.method.as_deref())?;
                    scored_rows(&rows.rows, &rows.fold, &rows.score, &rows.target)
                }
                Some(Outcome::Scored { scored }) => {
                    scored_rows(&scored.rows, &scored.fold, &scored.score, &scored.target)
                }
                _ => return Err(wrong("scores")),
            };
            let found = part.run((*d, values), &rows, &mut |share| progress(share.into()))?;
            Outcome::SweepPart { values: found.flat().into() }
        }
        Job::SweepReport { request, curves } => {
            let part = |outcome: &&Outcome| match outcome {
                Outcome::SweepPart { values } => SweepNumbers::from_flat(values),
                _ => None,
            };
            let parts: Option<Vec<SweepNumbers>> = needs.iter().map(part).collect();
            let parts = parts.ok_or_else(|| wrong("parts of a sweep"))?;
            Outcome::Sweep(Box::new(report::sweep::outcome(request, curves, &parts)?))
        }
        Job::Report { request, inputs, known } => {
            Outcome::Report(Box::new(of_run::report(needs, request, inputs, *known)?))
        }
        Job::Libraries { method } => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            let found = report::libraries::libraries(data, run, method.as_deref())?;
            Outcome::Libraries(Box::new(found))
        }
        Job::Decide(request) => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            Outcome::Decide(Box::new(report::decide::decide(data, run, request)?))
        }
        Job::Groups(request) => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            Outcome::Groups(Box::new(report::groups::groups(data, run, request)?))
        }
        Job::Multiples(request) => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            Outcome::Multiples(Box::new(report::multiples::multiples(data, run, request)?))
        }
        Job::Region { request, ids: true } => {
            Outcome::Bytes { bytes: region::region_rows_csv(predictions(needs)?, run_of(needs)?, request)?.into() }
        }
        Job::Region { request, .. } => {
            Outcome::Region(Box::new(region::region(predictions(needs)?, run_of(needs)?, request)?))
        }
        Job::Look { request } => {
            let looked = neighbourhoods::look(predictions(needs)?, run_of(needs)?, request)?;
            Outcome::Looked { looked: Box::new(looked) }
        }
        Job::Permute { seed, first, last } => {
            Outcome::Maxima { maxima: looked(needs, 0)?.maxima(*seed, *first..*last)?.into() }
        }
        Job::Neighbourhoods { usual } => {
            let mut all = Vec::new();
            for outcome in needs.iter().skip(2) {
                let Outcome::Maxima { maxima } = outcome else {
                    return Err(wrong("permutations"));
                };
                all.extend_from_slice(maxima);
            }
            let looked = looked(needs, 1)?;
            let found = neighbourhoods::neighbourhoods(predictions(needs)?, looked, &all, *usual);
            Outcome::Neighbourhoods(Box::new(found))
        }
        Job::WitnessGround { .. }
        | Job::WitnessPart { .. }
        | Job::Witness { .. }
        | Job::BiasGround { .. }
        | Job::BiasPlot { .. }
        | Job::InferencePart { .. }
        | Job::Inference { .. } => for_whom::run(job, needs)?,
        Job::SplitOfRepeat { column, repeat, seed } => {
            Outcome::Split { split: Split::of_repeat(predictions(needs)?, column, *repeat, *seed)? }
        }
        Job::Draw { bins, metrics, seed, first, last } => {
            let mut found = drawn(
                predictions(needs)?,
                split(needs, 1)?,
                scored(needs, 2)?,
                (bins, metrics),
                *seed,
                *first..*last,
                &mut |share| progress(share.into()),
            )?;
            let rows = local_rows(needs.get(3..).unwrap_or_default())?;
            found.take_local(&rows, scored(needs, 2)?.weights(), metrics);
            Outcome::Drawn { drawn: Box::new(found) }
        }
        Job::Compare { request, inputs } => {
            let (run, parts) = (run_of(needs)?, drawn_parts(needs)?);
            let found = report::compare::compare(run, request, inputs, &parts)?;
            Outcome::Compared(Box::new(found))
        }
        Job::Correlate { request, inputs } => {
            let (data, run, parts) = (predictions(needs)?, run_of(needs)?, drawn_parts(needs)?);
            let found = report::correlation::correlation(data, run, request, inputs, &parts)?;
            Outcome::Correlated(Box::new(found))
        }
        Job::Models { request, inputs } => {
            let (data, run, parts) = (predictions(needs)?, run_of(needs)?, drawn_parts(needs)?);
            let found = report::models::models(data.view, run, request, inputs, &parts)?;
            Outcome::Models(Box::new(found))
        }
        Job::ProximitySheet(request) => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            let near = proximities_at(split(needs, 2)?, needs, 1)?;
            let found = report::proximity::proximity(data, run, request, &near)?;
            Outcome::ProximitySheet(Box::new(found))
        }
        Job::ProximitySweepSheet(request) => {
            let run = run_of(needs)?;
            let each = report::proximity::sweep::numbers(request);
            let near = proximities_at(split(needs, 2)?, needs, each.len())?;
            let found = report::proximity::sweep::sweep(predictions(needs)?, run, request, &near)?;
            Outcome::ProximitySweepSheet(Box::new(found))
        }
    })
}

/// Scored rows with bins and places, and the kernel, as local settings say.
fn neighbourhood(needs: &[&Outcome], local: &LocalOptions) -> Result<(Neighbourhood, Kernel)> {
    let bins = local.bins.unwrap_or_default();
    let near =
        Neighbourhood::new(predictions(needs)?, split(needs, 1)?, scored(needs, 2)?, local.features.as_ref(), &bins)?;
    Ok((near, plan::kernel(local)?))
}

fn scored_rows<'a>(rows: &'a [u32], fold: &'a [u8], score: &'a [f64], target: &'a [u8]) -> ScoredRows<'a> {
    ScoredRows { rows, fold, score, target }
}
