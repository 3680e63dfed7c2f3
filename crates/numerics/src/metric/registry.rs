//! Every metric, one line each; what lists, checks, offers and tables of metrics are made from.

use super::bias_index::FAIR_P;
use super::entry::{Better, Interval, Metric, MetricRequirement, ValueOf, Weights};
use super::{
    accuracy, auroc, bias_index, brier, classical, classwise, clinical, corp, debiased_ece, ece, group, ici, kce, klce,
    ks, local_error, log_loss, mean_gap, mmce, piece, prr, reward, risk_coverage, scaled_brier, smooth_ece,
};
use crate::error::{Error, Result};
use crate::num::order::sort_short;

/// In the order in which they are shown: the scorecard first.
pub static METRICS: &[&Metric] = &[
    &accuracy::ACCURACY,
    &mean_gap::MEAN_GAP,
    &ece::ECE,
    &ece::MCE,
    &ece::ACE,
    &classwise::CLASSWISE_ECE,
    &local_error::MEAN_LCE,
    &local_error::MLCE,
    &local_error::MLCE_SUPPORTED,
    &log_loss::NLL,
    &brier::BRIER,
    &brier::BRIER_TOP,
    &auroc::AUROC,
    &ece::ECE_RMS,
    &ece::ECE_UNWEIGHTED,
    &ece::MCE_WEIGHTED,
    &classwise::CLASSWISE_ACE,
    &brier::BRIER_MEAN,
    &scaled_brier::SCALED_BRIER,
    &smooth_ece::SMECE,
    &debiased_ece::DEBIASED_ECE_L1,
    &debiased_ece::DEBIASED_ECE_L2,
    &ks::KS,
    &mmce::MMCE,
    &mmce::MMCE_W,
    &kce::KCE_BIASED,
    &kce::KCE_UNBIASED,
    &kce::KCE_BLOCK,
    &corp::MISCALIBRATION,
    &corp::DISCRIMINATION,
    &corp::UNCERTAINTY,
    &clinical::INTERCEPT_LARGE,
    &clinical::INTERCEPT_JOINT,
    &clinical::SLOPE,
    &ici::ICI,
    &ici::E50,
    &ici::E90,
    &ici::EMAX,
    &classical::SPIEGELHALTER_Z,
    &classical::HOSMER_LEMESHOW,
    &prr::PRR,
    &risk_coverage::AURC,
    &risk_coverage::E_AURC,
    &risk_coverage::AUGRC,
    &reward::REWARD_2,
    &reward::REWARD_5,
    &reward::REWARD_10,
    &klce::KLCE2_NORMALIZED,
    &klce::KLCE2_UNBIASED,
    &klce::P_BERNOULLI,
    &klce::P_CODE,
    &piece::PIECE,
    &piece::PIECE_CODE,
    &bias_index::BIAS_INDEX,
    &bias_index::BIAS_Z,
    &group::GROUP_ECE_MEAN,
    &group::GROUP_ECE_MAX,
    &group::GROUP_MCE_MAX,
    &group::GROUP_MCE_MAX_SUPPORTED,
];

/// Values that stand beside a metric in a study and are not offered by themselves.
static BESIDE: &[&Metric] = &[&FAIR_P];

/// Every metric.
pub fn all() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().copied()
}

/// Those of the scorecard.
pub fn scorecard() -> impl Iterator<Item = &'static Metric> {
    all().filter(|metric| metric.scorecard)
}

/// [`Metric::supported`] of the metric with this id.
pub fn supported(id: &str) -> Option<&'static Metric> {
    metric(id)?.supported
}

/// The metric with this id.
pub fn metric(id: &str) -> Option<&'static Metric> {
    all().find(|metric| metric.id == id)
}

/// Every metric, and what stands beside one, whose id is `asked` for, in the order in which they are shown.
pub fn computed(asked: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static Metric> {
    all().chain(BESIDE.iter().copied()).filter(move |metric| asked(metric.id))
}

/// Those that need the same, by name.
pub fn requiring(needs: MetricRequirement) -> Vec<&'static Metric> {
    let mut found: Vec<&Metric> = all().filter(|metric| metric.value.needs() == needs).collect();
    sort_short(&mut found, |a, b| a.name < b.name);
    found
}

/// Whether one of the ids needs this.
pub fn any_requires(ids: &[String], needs: MetricRequirement) -> bool {
    ids.iter().filter_map(|id| metric(id)).any(|metric| metric.value.needs() == needs)
}

/// Whether one of the ids counts the effective neighbors of rows.
pub fn any_counts_neighbors(ids: &[String]) -> bool {
    ids.iter()
        .filter_map(|id| metric(id))
        .any(|metric| matches!(metric.value, ValueOf::Neighbourhoods { counts_neighbors: true, .. }))
}

/// Those by which the best method may be chosen, the usual one first.
pub fn choosing() -> Vec<&'static Metric> {
    let mut found: Vec<&Metric> = all().filter(|metric| metric.chooses.is_some()).collect();
    sort_short(&mut found, |a, b| a.chooses < b.chooses);
    found
}

/// The ids asked for, or those of the scorecard; `["all"]` are all but those of the KLCE test, which take long.
///
/// # Errors
/// `unknown_metric` for an id that is not in [`METRICS`].
pub fn requested(ids: Option<&[String]>) -> Result<Vec<String>> {
    let Some(ids) = ids else {
        return Ok(scorecard().map(|metric| metric.id.to_owned()).collect());
    };
    if ids == ["all"] {
        let quick = all().filter(|metric| metric.interval != Interval::Tested);
        return Ok(quick.map(|metric| metric.id.to_owned()).collect());
    }
    for id in ids {
        if metric(id).is_none() {
            let known: Vec<&str> = all().map(|metric| metric.id).collect();
            return Err(Error::new(
                "unknown_metric",
                format!("Unknown metric `{id}`."),
                format!("Available: {}.", known.join(", ")),
            ));
        }
    }
    Ok(ids.to_vec())
}

/// The table of every metric in `docs/metrics.md`.
///
/// # Cost
/// One line a metric.
pub fn table() -> String {
    let mut text = String::from(
        "| id | name: description | formula | values | needs | with weights | resamples, interval | source \
         |\n|---|---|---|---|---|---|---|---|\n",
    );
    for metric in all() {
        let better = match metric.better {
            Better::Lower => "lower is better",
            Better::Higher => "higher is better",
            Better::Zero => "ideal: 0",
            Better::One => "ideal: 1",
            Better::Neither => "not a measure of quality",
        };
        let weights = match metric.weights {
            Weights::Form(form) => form,
            Weights::Undefined => "–",
        };
        let cells = [
            format!("`{}`", metric.id),
            format!("{}: {}", metric.name, metric.plain),
            metric.formula.to_owned(),
            format!("{} in {}, {better}", metric.unit, metric.range.words()),
            metric.value.needs().words().to_owned(),
            weights.to_owned(),
            format!("{}, {}", metric.replicates.words(), metric.interval.words()),
            metric.source.to_owned(),
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::entry::{Discloses, Replicates, Value, unstated};
    use crate::metric::rows::ScoredRows;
    use std::collections::BTreeSet;

    /// The type of a value of rows.
    type Plain = fn(&ScoredRows) -> Result<Value>;

    #[test]
    fn every_id_stands_once() {
        let ids: BTreeSet<&str> = all().chain(BESIDE.iter().copied()).map(|metric| metric.id).collect();
        assert_eq!(ids.len(), METRICS.len() + BESIDE.len());
    }

    /// What says where replicates come from fits what the value is computed from.
    #[test]
    fn entries_do_not_contradict_themselves() {
        for metric in all() {
            let fits = match metric.replicates {
                Replicates::Sums(_) => matches!(metric.value, ValueOf::Rows(_)),
                Replicates::Classes(_) => matches!(metric.value, ValueOf::Classes(_)),
                Replicates::Samples(_) => {
                    matches!(metric.value, ValueOf::Pair(_) | ValueOf::Proximity(_) | ValueOf::Groups(_))
                }
                Replicates::Reweighted(..) => matches!(metric.value, ValueOf::Pair(_)),
                Replicates::Neighbourhoods { .. } => matches!(metric.value, ValueOf::Neighbourhoods { .. }),
                Replicates::Test(_) => matches!(metric.value, ValueOf::KlceTest(_)),
                Replicates::Never => true,
            };
            assert!(fits, "{}", metric.id);
            let of_draws = matches!(metric.interval, Interval::Percentile | Interval::Basic | Interval::Centred);
            let drawn = !matches!(metric.replicates, Replicates::Never);
            assert!(drawn || !of_draws, "{}: an interval of replicates that there are none of", metric.id);
            let tested = matches!(metric.value, ValueOf::KlceTest(_));
            assert_eq!(tested, metric.interval == Interval::Tested, "{}", metric.id);
            assert!(!metric.bar || metric.better == Better::Lower, "{}", metric.id);
            assert!(!metric.floor || metric.better != Better::Higher, "{}", metric.id);
            let ideally = metric.definition.split("ideally ").nth(1).and_then(|rest| rest.chars().next());
            let ideal = metric.better.ideal().and_then(|ideal| format!("{ideal}").chars().next());
            assert!(ideally.is_none() || ideally == ideal, "{}: {}", metric.id, metric.definition);
            // A method is chosen by what every method has, whatever was asked for.
            let always = matches!(metric.value, ValueOf::Rows(_) | ValueOf::Classes(_));
            assert!(metric.chooses.is_none() || always, "{}", metric.id);
            let words = [metric.name, metric.plain, metric.definition, metric.formula, metric.unit];
            assert!(words.iter().all(|words| !words.is_empty()), "{}", metric.id);
            let unstated =
                matches!(metric.value, ValueOf::Rows(value) if std::ptr::fn_addr_eq(value, unstated as Plain));
            assert!(!unstated, "{}: no value", metric.id);
            assert_ne!(metric.discloses, Discloses::Unstated, "{}: which rows it tells of", metric.id);
            // a maximum over parts of the rows may be one over few of them
            let of_parts = matches!(metric.value, ValueOf::Groups(_));
            assert!(!of_parts || metric.discloses == Discloses::Few, "{}", metric.id);
            // counts are rows with whole weights
            assert!(!metric.from_counts || metric.weights.is_defined(), "{}: no form with weights", metric.id);
        }
    }

    #[test]
    fn places_are_given_once() {
        for place in
            [|metric: &Metric| metric.chooses, |metric: &Metric| metric.decides, |metric: &Metric| metric.validates]
        {
            let mut places: Vec<u8> = all().filter_map(place).collect();
            places.sort_unstable();
            assert!(places.iter().copied().eq(0..places.len() as u8), "{places:?}");
        }
    }

    /// `LOCALCAL_RECORD=1` writes the table anew.
    #[test]
    fn the_documented_table_is_the_registry() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/metrics.md");
        let text = std::fs::read_to_string(path).expect("docs/metrics.md");
        let (begin, end) = ("<!-- every metric -->\n\n", "\n<!-- end of every metric -->");
        let (head, rest) = text.split_once(begin).expect("where the table begins");
        let (written, tail) = rest.split_once(end).expect("where it ends");
        if std::env::var_os("LOCALCAL_RECORD").is_some() {
            std::fs::write(path, format!("{head}{begin}{}{end}{tail}", table())).expect("written");
        } else {
            assert!(written == table(), "docs/metrics.md is not the registry: run with LOCALCAL_RECORD=1");
        }
    }
}
