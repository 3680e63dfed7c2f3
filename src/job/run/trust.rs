//! The three jobs of a trust test: its rows, a share of its work, what all shares say.

use super::needs::{predictions, run_of, scored, split, wrong};
use crate::error::Result;
use crate::evaluation::features::features;
use crate::evaluation::trust::{TrustRows, TrustSettings, trust_work};
use crate::hypothesis::{TrustFound, TrustShare, TrustWork};
use crate::job::Outcome;
use crate::job::request::KlceRequest;
use crate::kernel::Part;
use crate::report::ground::fit_rows;
use crate::report::klce::{ALPHA, KlceQuestion, klce};
use crate::report::view::method_rows;

pub(super) fn work(needs: &[&Outcome], settings: &TrustSettings, method: Option<&str>) -> Result<Outcome> {
    let data = predictions(needs)?;
    let (rows, fit) = match needs.get(1) {
        Some(Outcome::Report(_)) => {
            let run = run_of(needs)?;
            let rows = method_rows(run, method)?;
            let fit = fit_rows(data, run, rows, &settings.features)?;
            let rows = TrustRows {
                rows: &rows.rows,
                fold: &rows.fold,
                score: &rows.score,
                target: &rows.target,
                calibrators: &rows.calibrators,
            };
            (rows, fit)
        }
        _ => {
            let (split, scored) = (split(needs, 1)?, scored(needs, 2)?);
            let calibration = split.all_calibration_rows();
            let rows = TrustRows {
                rows: &scored.rows,
                fold: &scored.fold,
                score: &scored.score,
                target: &scored.target,
                calibrators: &scored.calibrators,
            };
            let fit = if calibration.is_empty() { scored.rows.to_vec() } else { calibration };
            (rows, fit)
        }
    };
    let places = features(data, &settings.features, &fit)?;
    let work = trust_work(data, &rows, (places.d, &places.values), settings)?;
    Ok(Outcome::TrustWork { work: Box::new(work) })
}

pub(super) fn share(needs: &[&Outcome], index: usize, of: usize) -> Result<Outcome> {
    Ok(Outcome::TrustShare { share: Box::new(work_of(needs)?.share(Part { index, of })) })
}

pub(super) fn found(needs: &[&Outcome], alpha: Option<f64>) -> Result<Outcome> {
    let (work, shares) = (work_of(needs)?, shares_of(needs, 1)?);
    let found = match alpha {
        Some(alpha) => work.found_with_power(&shares, alpha),
        None => work.found(&shares),
    };
    Ok(Outcome::TrustFound { found: Box::new(tested(work, found)) })
}

/// What was found, without p-values where rows are alike in the outcome.
fn tested(work: &TrustWork, found: TrustFound) -> TrustFound {
    if work.no_test { found.without_test() } else { found }
}

pub(super) fn simulate(needs: &[&Outcome], index: usize, of: usize) -> Result<Outcome> {
    let (work, found) = (work_of(needs)?, found_of(needs.get(1))?);
    Ok(Outcome::TrustShare { share: Box::new(work.simulated_share(found, Part { index, of })) })
}

pub(super) fn simulated(needs: &[&Outcome]) -> Result<Outcome> {
    let (work, found) = (work_of(needs)?, found_of(needs.get(1))?);
    Ok(Outcome::TrustFound { found: Box::new(tested(work, work.simulated(found, &shares_of(needs, 2)?))) })
}

pub(super) fn report(needs: &[&Outcome], request: &KlceRequest, settings: &TrustSettings) -> Result<Outcome> {
    let found = needs.iter().skip(2).map(|outcome| found_of(Some(outcome)));
    let found: Vec<&TrustFound> = found.collect::<Result<_>>()?;
    let question = KlceQuestion {
        settings,
        methods: request.methods.as_deref().unwrap_or_default(),
        alpha: request.alpha.unwrap_or(ALPHA),
        simulate: request.simulate,
        width: request.width,
    };
    let outcome = klce(predictions(needs)?, run_of(needs)?, &question, &found)?;
    Ok(Outcome::Klce(Box::new(outcome)))
}

/// The shares among `needs` from `first` on.
fn shares_of<'a>(needs: &[&'a Outcome], first: usize) -> Result<Vec<&'a TrustShare>> {
    let share = |outcome: &&'a Outcome| match outcome {
        Outcome::TrustShare { share } => Ok(&**share),
        _ => Err(wrong("a share of a trust test")),
    };
    needs.iter().skip(first).map(share).collect()
}

fn found_of<'a>(outcome: Option<&&'a Outcome>) -> Result<&'a TrustFound> {
    match outcome {
        Some(Outcome::TrustFound { found }) => Ok(found),
        _ => Err(wrong("a trust test")),
    }
}

fn work_of<'a>(needs: &[&'a Outcome]) -> Result<&'a TrustWork> {
    match needs.first() {
        Some(Outcome::TrustWork { work }) => Ok(work),
        _ => Err(wrong("the work of a trust test")),
    }
}
