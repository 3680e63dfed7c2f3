//! Doing one job.

use super::plan::{self, MethodInputs};
use super::request::{LocalOptions, RunRequest};
use super::{Job, Outcome, Progress};
use crate::data::Array;
use crate::error::Result;
use crate::evaluation::comparison::{Drawn, drawn};
use crate::evaluation::features::features;
use crate::evaluation::further;
use crate::evaluation::local::{LocalRows, Neighbourhood};
use crate::evaluation::method::{Fitted, fit};
use crate::evaluation::projection::{Picture, project};
use crate::evaluation::proximity::log_proximities_of;
use crate::evaluation::resample::replicates;
use crate::evaluation::scored::Scored;
use crate::evaluation::split::Split;
use crate::evaluation::sweep::{ScoredRows, SweepNumbers};
use crate::kernel::Kernel;
use crate::report::methods_table::methods_table;
use crate::report::neighbourhoods;
use crate::report::of_run::MethodFound;
use crate::report::region;
use crate::report::{RunOutcome, calibrator, export};
use crate::{data, read, report, sample};
use counting::tell_of_weights;
use needs::{
    files, looked, predictions, proximities, proximities_at, run_of, scored, split, view_of,
    with_maps, wrong,
};
use suggest::suggest;

mod counting;
mod execute;
mod for_whom;
mod needs;
mod suggest;
mod trust;

pub use execute::{execute, execute_after};
pub use suggest::LocalSuggestion;

/// Runs `job` on the outcomes it needs and the columns that came with it.
///
/// # Errors
/// Whatever the job's chapter returns; `invalid_option` if the needs are not what the job takes.
pub fn run(
    job: &Job,
    needs: &[&Outcome],
    columns: Vec<Array>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome> {
    // Feature maps go with the needs of every job: they become columns of the data.
    let (maps, needs): (Vec<&Outcome>, Vec<&Outcome>) = needs
        .iter()
        .partition(|need| matches!(need, Outcome::Coordinates(_)));
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

fn of_job(
    job: &Job,
    needs: &[&Outcome],
    columns: Vec<Array>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome> {
    Ok(match job {
        Job::Read { name } => {
            let Some(Array::U8(bytes)) = columns.into_iter().next() else {
                return Err(wrong("bytes"));
            };
            Outcome::File {
                file: read::read(name, &bytes, &mut |share| progress(share.into()))?,
            }
        }
        Job::Example { name } => Outcome::Bytes {
            bytes: sample::example(name)?.into_bytes().into(),
        },
        Job::Assemble { options } => {
            let (predictions, summary) = data::assemble::assemble(&files(needs)?, options)?;
            let suggestion = suggest(&predictions);
            Outcome::Data {
                summary,
                suggestion,
                predictions: Box::new(predictions),
            }
        }
        Job::Recognise { options } => Outcome::Recognised {
            summary: data::assemble::recognise(&files(needs)?, options)?,
        },
        Job::Plan { request } => Outcome::Plan {
            nodes: plan::plan(predictions(needs)?, request)?,
        },
        Job::PlanAnalysis { request } => Outcome::Plan {
            nodes: plan::analysis::plan(predictions(needs)?, run_of(needs)?, request)?,
        },
        Job::Project { projection } => {
            let mut tell = |share: f64, places: Option<Picture>| {
                let places = places.map(|(d, places)| (d, places.to_vec()));
                progress(Progress { share, places });
            };
            let found = project(predictions(needs)?, projection, &mut tell)?;
            Outcome::Coordinates(Box::new(found))
        }
        Job::Split { seed, everything } => {
            let data = predictions(needs)?;
            let split = if *everything {
                Split::everything(data.rows).counted(data)
            } else {
                Split::new(data, *seed)?
            };
            Outcome::Split { split }
        }
        Job::Proximity {
            proximity,
            neighbours,
            first,
            last,
        } => {
            let mut tell = |share: f64| progress(share.into());
            let (data, split) = (predictions(needs)?, split(needs, 1)?);
            let rows = *first..*last;
            let found = log_proximities_of(data, split, proximity, neighbours, rows, &mut tell)?;
            Outcome::Proximity {
                values: found.into(),
            }
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
        Job::Score { bins, metrics } => {
            let fits: Vec<&Fitted> = needs
                .iter()
                .filter_map(|outcome| {
                    if let Outcome::Fitted { fitted } = outcome {
                        Some(fitted)
                    } else {
                        None
                    }
                })
                .collect();
            let split = split(needs, 1)?;
            let near = proximities(split, needs)?;
            let scored = Scored::new(predictions(needs)?, split, &fits, bins, metrics)?
                .with_proximity(near.as_ref(), metrics)?;
            Outcome::Scored {
                scored: Box::new(scored),
            }
        }
        Job::Resample {
            bins,
            seed,
            first,
            last,
        } => {
            let (data, place) = match needs {
                [_] => (None, 0),
                _ => (Some(predictions(needs)?), 1),
            };
            let mut tell = |share: f64| progress(share.into());
            let part = *first..*last;
            Outcome::Replicates {
                replicates: replicates(data, scored(needs, place)?, bins, *seed, part, &mut tell)?,
            }
        }
        Job::ResampleFurther {
            bins,
            metrics,
            seed,
            first,
            last,
        } => Outcome::Replicates {
            replicates: further::replicates(
                scored(needs, 0)?,
                bins,
                metrics,
                *seed,
                *first..*last,
            )?,
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
        Job::LocalResample {
            local,
            seed,
            first,
            last,
        } => {
            let (near, kernel) = neighbourhood(needs, local)?;
            Outcome::Replicates {
                replicates: near.replicates(kernel, local.leave_one_out, *seed, *first..*last)?,
            }
        }
        Job::TrustWork { settings, method } => trust::work(needs, settings, method.as_deref())?,
        Job::TrustShare { part, parts } => trust::share(needs, *part, *parts)?,
        Job::TrustFound { alpha } => trust::found(needs, *alpha)?,
        Job::KlceReport { request, settings } => trust::report(needs, request, settings)?,
        Job::Places { features: choice } => {
            let (data, split) = (predictions(needs)?, split(needs, 1)?);
            let calibration = split.all_calibration_rows();
            let fit_rows = if calibration.is_empty() {
                split.evaluation_rows()
            } else {
                calibration
            };
            let found = features(data, choice, &fit_rows)?;
            Outcome::Places {
                d: found.d,
                values: found.values.into(),
            }
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
            Outcome::SweepPart {
                values: found.flat().into(),
            }
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
        Job::Report { request, inputs } => {
            Outcome::Report(Box::new(report_of(needs, request, inputs)?))
        }
        Job::View { request } => {
            let before = view_of(needs).ok().and_then(|view| view.map.as_ref());
            let view = report::view::view(predictions(needs)?, run_of(needs)?, request, before)?;
            Outcome::View(Box::new(view))
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
        Job::Region { request, ids: true } => Outcome::Bytes {
            bytes: region::region_rows_csv(predictions(needs)?, run_of(needs)?, request)?.into(),
        },
        Job::Region { request, .. } => Outcome::Region(Box::new(region::region(
            predictions(needs)?,
            run_of(needs)?,
            request,
        )?)),
        Job::Look { request } => {
            let looked = neighbourhoods::look(predictions(needs)?, run_of(needs)?, request)?;
            Outcome::Looked {
                looked: Box::new(looked),
            }
        }
        Job::Permute { seed, first, last } => Outcome::Maxima {
            maxima: looked(needs, 0)?.maxima(*seed, *first..*last)?.into(),
        },
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
        Job::SplitOfRepeat {
            column,
            repeat,
            seed,
        } => Outcome::Split {
            split: Split::of_repeat(predictions(needs)?, column, *repeat, *seed)?,
        },
        Job::Draw {
            bins,
            metrics,
            seed,
            first,
            last,
        } => {
            let found = drawn(
                predictions(needs)?,
                split(needs, 1)?,
                scored(needs, 2)?,
                (bins, metrics),
                *seed,
                *first..*last,
                &mut |share| progress(share.into()),
            )?;
            Outcome::Drawn {
                drawn: Box::new(found),
            }
        }
        Job::Compare { request, inputs } => {
            let parts = needs.iter().skip(2).map(|outcome| match outcome {
                Outcome::Drawn { drawn } => Ok(&**drawn),
                _ => Err(wrong("replicates of a comparison")),
            });
            let parts: Vec<&Drawn> = parts.collect::<Result<_>>()?;
            let found = report::compare::compare(run_of(needs)?, request, inputs, &parts)?;
            Outcome::Compared(Box::new(found))
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
            let found = report::proximity::sweep::sweep(run, request, &near)?;
            Outcome::ProximitySweepSheet(Box::new(found))
        }
        Job::Locate { x, y } => {
            let (lines, at) = match &view_of(needs)?.map {
                Some(map) => report::view::map::locate(predictions(needs)?, map, *x, *y),
                None => (Vec::new(), None),
            };
            Outcome::Card { lines, at }
        }
        Job::ExportPredictions {} => Outcome::Bytes {
            bytes: export::predictions_csv(predictions(needs)?, run_of(needs).ok())?.into(),
        },
        Job::ExportCalibrator {} => Outcome::Bytes {
            bytes: calibrator::calibrator_json(predictions(needs)?, run_of(needs)?)?.into(),
        },
        Job::ExportApplied {
            calibrator,
            method,
            classes,
        } => {
            let mut stored = calibrator::Stored::read(calibrator)?;
            if let Some(name) = method {
                stored = stored.only(name)?;
            }
            Outcome::Bytes {
                bytes: calibrator::applied_csv(predictions(needs)?, &stored, *classes)?.into(),
            }
        }
        Job::ExportSnippet { method, language } => {
            let (data, run) = (predictions(needs)?, run_of(needs)?);
            let text = calibrator::snippet(data, run, method.as_deref(), *language)?;
            Outcome::Bytes {
                bytes: text.into_bytes().into(),
            }
        }
        Job::ExportCoordinates { name } => Outcome::Bytes {
            bytes: export::coordinates_csv(predictions(needs)?, name)?.into(),
        },
        Job::ExportTable(request) => Outcome::Bytes {
            bytes: methods_table(&run_of(needs)?.report, *request)
                .into_bytes()
                .into(),
        },
        Job::ExportReport {} => Outcome::Bytes {
            bytes: export::report_json(&run_of(needs)?.report)?.into(),
        },
    })
}

/// Scored rows with bins and places, and the kernel, as local settings say.
fn neighbourhood(needs: &[&Outcome], local: &LocalOptions) -> Result<(Neighbourhood, Kernel)> {
    let bins = local.bins.unwrap_or_default();
    let near = Neighbourhood::new(
        predictions(needs)?,
        split(needs, 1)?,
        scored(needs, 2)?,
        local.features.as_ref(),
        &bins,
    )?;
    Ok((near, plan::kernel(local)?))
}

fn report_of(
    needs: &[&Outcome],
    request: &RunRequest,
    inputs: &[MethodInputs],
) -> Result<RunOutcome> {
    let mut rest = needs.iter().skip(3);
    let mut found = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut method = MethodFound {
            method: input.method.clone(),
            reason: input.reason.clone(),
            ..MethodFound::default()
        };
        if input.reason.is_none() {
            let Some(Outcome::Scored { scored }) = rest.next() else {
                return Err(wrong("scores"));
            };
            method.scored = Some(scored);
            for _ in 0..input.resample {
                let Some(Outcome::Replicates { replicates }) = rest.next() else {
                    return Err(wrong("replicates"));
                };
                method.replicates.extend(replicates);
            }
            for _ in 0..input.local {
                let Some(Outcome::Local {
                    place,
                    slce,
                    mass,
                    n_eff,
                    engine,
                }) = rest.next()
                else {
                    return Err(wrong("local errors"));
                };
                method.local.extend(&LocalRows {
                    place: place.to_vec(),
                    slce: slce.to_vec(),
                    mass: mass.to_vec(),
                    n_eff: n_eff.to_vec(),
                    engine: *engine,
                });
            }
            method.local = std::mem::take(&mut method.local).merged();
            for _ in 0..input.local_resample {
                let Some(Outcome::Replicates { replicates }) = rest.next() else {
                    return Err(wrong("replicates"));
                };
                method.replicates.extend(replicates);
            }
            if input.trust {
                let Some(Outcome::TrustFound { found }) = rest.next() else {
                    return Err(wrong("a trust test"));
                };
                method.trust = Some(found);
            }
        }
        found.push(method);
    }
    report::of_run::report(predictions(needs)?, split(needs, 1)?, request, &found)
}

fn scored_rows<'a>(
    rows: &'a [u32],
    fold: &'a [u8],
    score: &'a [f64],
    target: &'a [u8],
) -> ScoredRows<'a> {
    ScoredRows {
        rows,
        fold,
        score,
        target,
    }
}
