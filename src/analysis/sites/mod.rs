//! Calibration by site: estimates for each site, pooled estimates, heterogeneity between sites, and sites that differ
//! from the others.
//!
//! Measures are those of external validation of prediction models, each on the scale on which it is close to normal: log O:E,
//! calibration in the large, calibration slope, log-odds of the AUROC. Sources: Debray et al. (2017); Snell et al. (2018).

mod measure;
mod plan;
mod request;
mod words;

pub use measure::SiteMeasure;
pub use plan::PoolSites;
pub use request::SitesRequest;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use self::measure::{EstimateOrReason, Measured, measured, pool_cluster_errors};
use crate::analysis::groups::{Dependent, events_p, no_test};
use crate::analysis::show::{HasCharts, Show, WithoutCharts};
use crate::data::Predictions;
use crate::data::grouping::{PREDICTED, QUANTILES, group_columns, grouping};
use crate::error::{Error, Result, phrases};
use crate::hypothesis::multiplicity::holm;
use crate::hypothesis::random_effects::{outlying, random_effects};
use crate::metric::gap::Gap;
use crate::num::order::sort_short;
use crate::num::special::PROB_CLIP;
use crate::plot::chart::Screen;
use crate::report::disclosure::Basis;
use crate::report::sheet::Sheet;
use crate::report::small_cells::ColumnCounts;
use crate::report::verdict::{Evidence, Verdict};
use crate::report::view::method_rows;
use crate::report::{MethodRows, RunOutcome};
use crate::words::number::count;

/// Default minimum of expected events and of expected non-events of a site that is pooled.
pub const LEAST: f64 = 10.0;
/// Why sites of merged counts have no AUROC: rows of one cell count as tied, which makes it lower, the more so the fewer cells there
/// are, so that sites would differ by their size.
const MERGED: &str = "cells were merged";
/// Why a site is not pooled that has fewer.
const TOO_FEW_EXPECTED: &str = "too few expected";
/// More sites are not compared: each is held against all others.
const MOST: usize = 1000;

/// Response of `data.analyse("sites")`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SitesOutcome {
    /// the column
    pub title: String,
    /// name of the method
    pub method: String,
    /// expected events and expected other rows that a site needs to be pooled; the slope needs twice, the AUROC three times as many
    pub least: f64,
    /// by number of rows, largest first
    pub sites: Vec<SiteEstimate>,
    /// of every measure, in the order of `values` of a site
    pub pooled: Vec<PooledMeasure>,
    /// rows without a site
    pub missing: usize,
    /// whether scores of 0 or 1 are clipped in calibration in the large and slope
    #[serde(default)]
    pub clipped: bool,
    /// verdict on the measure with the most significant heterogeneity, adjusted for the measures (Holm)
    pub verdict: Verdict,
    /// every number of every site
    pub csv: String,
    /// the panel, as displayed
    pub sheet: Sheet,
}

/// The response before its charts are drawn.
pub type SitesWithoutCharts = WithoutCharts<SitesOutcome>;
/// The step that draws its charts.
pub type ShowSites = Show<SitesOutcome>;

impl HasCharts for SitesOutcome {
    fn draw(&mut self, screen: &Screen) {
        self.sheet.draw(screen);
    }
}

/// One site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SiteEstimate {
    /// its value in the column
    pub name: String,
    /// rows
    pub n: usize,
    /// of them with the outcome (or predicted right)
    pub events: usize,
    /// n times the mean score
    pub expected: f64,
    /// O:E, calibration in the large, calibration slope, AUROC
    pub values: Vec<SiteValue>,
    /// of a site whose O:E is not pooled, two-sided p-value of its number of events under its scores (exact)
    #[serde(default)]
    pub p_events: Option<f64>,
    /// `p_events` adjusted for four tests of each site (Bonferroni)
    #[serde(default)]
    pub p_events_adjusted: Option<f64>,
}

/// One measure at one site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SiteValue {
    /// the measure
    pub measure: SiteMeasure,
    /// estimate; null if it cannot be estimated
    pub value: Option<f64>,
    /// its 95% CI; of an O:E that is not pooled, exact where one outcome is rare
    pub interval: Option<[f64; 2]>,
    /// standard error on the scale of pooling
    pub standard_error: Option<f64>,
    /// relative weight in the pooled estimate; 0: not pooled
    pub weight: f64,
    /// why it is not pooled; empty if it is
    pub why: String,
    /// two-sided p-value of no difference from the mean of the other sites
    pub p: Option<f64>,
    /// `p` adjusted for all sites and measures, and for the events of sites that are not pooled (Holm)
    pub p_holm: Option<f64>,
    /// two-sided p-value under the predictive distribution of the other sites, which includes heterogeneity; null for
    /// fewer than four sites
    pub p_outlying: Option<f64>,
    /// `p_outlying` adjusted for all sites and measures (Holm)
    pub p_outlying_holm: Option<f64>,
}

/// One measure over all sites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PooledMeasure {
    /// the measure
    pub measure: SiteMeasure,
    /// sites that are pooled
    pub sites: usize,
    /// estimate from all rows as a single site; null if it cannot be estimated
    pub together: Option<f64>,
    /// by random effects; null for fewer than two sites
    pub pooled: Option<PooledEstimate>,
}

/// A pooled measure, on its original scale except τ².
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PooledEstimate {
    /// mean over sites
    pub value: f64,
    /// its 95% CI (Hartung–Knapp, modified)
    pub interval: [f64; 2],
    /// standard error on the scale of pooling
    pub standard_error: f64,
    /// 95% prediction interval for the value at a new site; null for two sites
    pub prediction: Option<[f64; 2]>,
    /// τ², between-site variance on the scale of pooling (REML)
    pub tau2: f64,
    /// 95% CI of τ² (Q profile); both limits 0 if sites differ less than expected by sampling error
    pub tau2_interval: [f64; 2],
    /// I², proportion of the variance due to heterogeneity between sites
    pub i2: f64,
    /// Cochran's Q
    pub q: f64,
    /// p-value of Q, with one degree of freedom fewer than sites
    pub p: f64,
    /// `p` adjusted for the number of measures (Holm)
    pub p_holm: f64,
}

/// The measures of every site under one method, pooled by random effects
/// ([`random_effects`]), which sites differ from the mean of the others, and which from what the others predict
/// ([`outlying`]).
///
/// A site is pooled if it has at least `least` expected events and as many expected non-events; for the slope twice, for the
/// AUROC three times as many. These numbers do not depend on outcomes, so that the selection of sites does not bias the pooled
/// estimate. If a measure of such a site cannot be estimated, as O:E without events, the site is left out with a note.
///
/// # Errors
/// `groups_missing` where no column can be sites; `invalid_option` for more than 1,000 sites; those of [`grouping`];
/// `unknown_method`.
///
/// # Cost
/// O(n log n), and O(sites²).
pub fn sites(
    data: &Predictions,
    run: &RunOutcome,
    request: &SitesRequest,
    suppress: Option<u64>,
) -> Result<SitesOutcome> {
    let column = request.column.clone().or_else(|| usual_column(data));
    let column = column.ok_or_else(|| Error::new("groups_missing", "No group column.", phrases::GROUP_NEEDED))?;
    let rows = method_rows(run, request.method.as_deref())?;
    let by = grouping(data, std::slice::from_ref(&column), QUANTILES)?;
    let positions = by.positions(&rows.rows);
    let there = positions.iter().filter(|positions| !positions.is_empty()).count();
    if there > MOST {
        return Err(Error::new(
            "invalid_option",
            format!("“{column}” has {} sites; at most {} are compared.", count(there as u64), count(MOST as u64)),
            "Choose a column with fewer values.",
        ));
    }
    let least = request.least.unwrap_or(LEAST);
    let mut by_value: Vec<(usize, String, Measured)> = Vec::new();
    for (place, (name, positions)) in by.names.iter().zip(&positions).enumerate() {
        if !positions.is_empty() {
            by_value.push((place, name.clone(), known(data, &rows.at(positions))?));
        }
    }
    sort_short(&mut by_value, |a, b| a.2.n > b.2.n);
    let counts = ColumnCounts::of(run, &by);
    let out = suppress.map_or_else(Vec::new, |least| counts.left_out(least));
    let places: Vec<usize> = by_value.iter().map(|site| site.0).collect();
    let withheld = places.iter().map(|place| out.get(*place) == Some(&true)).collect();
    let lines = SiteLines { of: counts, places, withheld, suppressed: suppress.is_some() };
    let mut found: Vec<(String, Measured)> = by_value.into_iter().map(|(_, name, of)| (name, of)).collect();
    pool_cluster_errors(&mut found.iter_mut().map(|(_, of)| of).collect::<Vec<_>>(), least);
    let no_test = no_test(data, std::slice::from_ref(&column), &by);
    let mut sites: Vec<SiteEstimate> = found.iter().map(|(name, of)| estimate(name, of, least)).collect();
    let dependent = Dependent::of(rows);
    for (site, place) in sites.iter_mut().zip(&lines.places) {
        let Some(positions) = positions.get(*place).filter(|_| !site.is_pooled(SiteMeasure::ObservedExpected)) else {
            continue;
        };
        let of = rows.at(positions);
        site.state_exactly(&of.gap());
        let p = no_test.is_none().then(|| events_p(&of, positions, dependent.as_ref()));
        site.p_events = p.filter(|p| p.is_finite());
    }
    let all = known(data, rows)?;
    let mut pooled: Vec<PooledMeasure> = Vec::new();
    for (place, measure) in SiteMeasure::ALL.into_iter().enumerate() {
        pooled.push(pool(measure, (&found, &mut sites), all.values.get(place), no_test.is_none()));
    }
    adjust(&mut sites, &mut pooled);
    let named: usize = sites.iter().map(|site| site.n).sum();
    let mut outcome = SitesOutcome {
        verdict: verdict(
            &pooled,
            no_test,
            &format!("Fewer than two sites of “{column}” are large enough to be pooled"),
        ),
        title: column,
        method: rows.method.name.clone(),
        least,
        sites,
        pooled,
        missing: all.n.saturating_sub(named),
        clipped: rows.score.iter().any(|s| *s <= PROB_CLIP || *s >= 1.0 - PROB_CLIP),
        csv: String::new(),
        sheet: Sheet::default(),
    };
    outcome.csv = words::csv(&outcome);
    outcome.sheet = words::sheet(data, run, request, &outcome, &lines);
    Ok(outcome)
}

/// Events, and other rows, from which on the slope and the AUROC of a site that is not pooled are stated.
const LEAST_OF_KIND: usize = 10;

/// Words of a column's name that say that its values are sites.
const SITE_WORDS: &[&str] =
    &["site", "sites", "hospital", "center", "centre", "clinic", "facility", "institution", "trust", "country", "file"];

/// Fewest values of a column that is taken for sites whatever its name.
const FEWEST: usize = 3;

/// The first group column whose name says that it holds sites, else the first of several values that is not the predicted class.
fn usual_column(data: &Predictions) -> Option<String> {
    let columns = group_columns(data);
    let named = |name: &&String| {
        let words = name.to_lowercase();
        words.split(|c: char| !c.is_alphanumeric()).any(|word| SITE_WORDS.contains(&word))
    };
    let several = |name: &&String| {
        let values = || grouping(data, std::slice::from_ref(*name), QUANTILES).map_or(0, |by| by.names.len());
        name.as_str() != PREDICTED && values() >= FEWEST
    };
    columns.iter().find(named).or_else(|| columns.iter().find(several)).cloned()
}

/// The measures that the data allow.
fn known(data: &Predictions, rows: &MethodRows) -> Result<Measured> {
    let mut measured = measured(rows, data.view)?;
    if data.weights.as_ref().is_some_and(|weights| weights.merged)
        && let Some(auroc) = measured.values.get_mut(SiteMeasure::Auroc as usize)
    {
        *auroc = Err(MERGED);
    }
    Ok(measured)
}

/// A site before it is pooled.
fn estimate(name: &str, of: &Measured, least: f64) -> SiteEstimate {
    // of few rows of one outcome the standard errors of slope and AUROC are too small: with up to three, three intervals in four hold
    // the slope
    let is_known = |measure: SiteMeasure| {
        let needs_both = matches!(measure, SiteMeasure::Slope | SiteMeasure::Auroc);
        !needs_both || of.is_large(measure, least) || of.events.min(of.n - of.events) >= LEAST_OF_KIND
    };
    let value = |(measure, found): (SiteMeasure, &EstimateOrReason)| {
        let stated = found.ok().filter(|_| is_known(measure));
        SiteValue {
            measure,
            value: stated.map(|found| measure.back(found.value)),
            interval: stated.map(|found| found.interval(measure)),
            standard_error: stated.map(|found| found.standard_error),
            weight: 0.0,
            why: match found {
                Err(why) => (*why).to_owned(),
                Ok(_) if !of.is_large(measure, least) => TOO_FEW_EXPECTED.to_owned(),
                Ok(_) => String::new(),
            },
            p: None,
            p_holm: None,
            p_outlying: None,
            p_outlying_holm: None,
        }
    };
    SiteEstimate {
        name: name.to_owned(),
        n: of.n,
        events: of.events,
        expected: of.expected,
        values: SiteMeasure::ALL.into_iter().zip(&of.values).map(value).collect(),
        p_events: None,
        p_events_adjusted: None,
    }
}

/// Pools a measure of the sites that are large enough; what each contributes is written into it.
fn pool(
    measure: SiteMeasure,
    (found, sites): (&[(String, Measured)], &mut [SiteEstimate]),
    together: Option<&EstimateOrReason>,
    tested: bool,
) -> PooledMeasure {
    let place = measure as usize;
    let (mut y, mut v, mut into) = (Vec::new(), Vec::new(), Vec::new());
    for ((_, of), site) in found.iter().zip(sites) {
        let (Some(Ok(estimate)), Some(value)) = (of.values.get(place), site.values.get_mut(place)) else { continue };
        if value.why.is_empty() {
            y.push(estimate.value);
            v.push(estimate.standard_error * estimate.standard_error);
            into.push(value);
        }
    }
    let effects = random_effects(&y, &v);
    let (p, p_outlying) = if tested { (differing(&y, &v), outlying(&y, &v)) } else { (Vec::new(), Vec::new()) };
    for (i, value) in into.into_iter().enumerate() {
        value.weight = effects.as_ref().and_then(|effects| effects.weights.get(i).copied()).unwrap_or(0.0);
        value.p = p.get(i).copied().filter(|p| p.is_finite());
        value.p_outlying = p_outlying.get(i).copied().filter(|p| p.is_finite());
    }
    let ends = |[low, high]: [f64; 2]| [measure.back(low), measure.back(high)];
    PooledMeasure {
        measure,
        sites: y.len(),
        together: together.and_then(|found| found.as_ref().ok()).map(|found| measure.back(found.value)),
        pooled: effects.map(|effects| PooledEstimate {
            value: measure.back(effects.mean),
            interval: ends(effects.interval),
            standard_error: effects.standard_error,
            prediction: effects.prediction.map(ends),
            tau2: effects.tau2,
            tau2_interval: effects.tau2_interval,
            i2: effects.i2,
            q: effects.q,
            p: if tested { effects.p } else { f64::NAN },
            p_holm: f64::NAN,
        }),
    }
}

/// Two-sided p of each estimate against the mean of the others: z = (yᵢ − ȳ₋ᵢ) / (vᵢ + 1 / Σ 1/v₋ᵢ)^½, ȳ₋ᵢ weighted by 1 / v. It is
/// about these sites, however much the others differ among themselves (Rice, Higgins and Lumley, 2018). NaN of one site. O(k).
fn differing(y: &[f64], v: &[f64]) -> Vec<f64> {
    let (total, sum) = y.iter().zip(v).fold((0.0, 0.0), |(total, sum), (y, v)| (total + 1.0 / v, sum + y / v));
    let normal = Normal::standard();
    let of = |(y, v): (&f64, &f64)| {
        let others = total - 1.0 / v;
        let mean = (sum - y / v) / others;
        2.0 * normal.sf(((y - mean) / (v + 1.0 / others).sqrt()).abs())
    };
    if y.len() < 2 { vec![f64::NAN; y.len()] } else { y.iter().zip(v).map(of).collect() }
}

/// p of sites over all sites and measures (Holm), p of measures over the measures (Holm). Those of the events of sites that are not
/// pooled by four tests of each site (Bonferroni): while small counts are suppressed, no p-value that is shown is a function of a site
/// that is withheld.
fn adjust(sites: &mut [SiteEstimate], pooled: &mut [PooledMeasure]) {
    let tests = (SiteMeasure::ALL.len() * sites.len()) as f64;
    let adjusted = |each: Vec<Option<f64>>| {
        let mut found = holm(&each.iter().copied().flatten().collect::<Vec<f64>>()).into_iter();
        each.into_iter().map(move |p| p.and_then(|_| found.next())).collect::<Vec<_>>()
    };
    let values = || sites.iter().flat_map(|site| &site.values);
    let mut p = adjusted(values().map(|value| value.p).collect()).into_iter();
    let mut p_outlying = adjusted(values().map(|value| value.p_outlying).collect()).into_iter();
    for value in sites.iter_mut().flat_map(|site| &mut site.values) {
        (value.p_holm, value.p_outlying_holm) = (p.next().flatten(), p_outlying.next().flatten());
    }
    for site in sites.iter_mut() {
        site.p_events_adjusted = site.p_events.map(|p| (tests * p).min(1.0));
    }
    let tested: Vec<f64> = pooled.iter().filter_map(|one| one.pooled.as_ref()).map(|one| one.p).collect();
    let measures = pooled.iter_mut().filter_map(|one| one.pooled.as_mut());
    for (measure, p) in measures.zip(holm(&tested)) {
        measure.p_holm = p;
    }
}

/// About the measure in which sites differ most clearly; `few`: why there is none.
fn verdict(pooled: &[PooledMeasure], no_test: Option<String>, few: &str) -> Verdict {
    let tested = pooled.iter().filter_map(|one| Some((one.measure, one.pooled.as_ref()?)));
    let least = tested.reduce(|a, b| if b.1.p_holm < a.1.p_holm { b } else { a });
    match (least, no_test) {
        (_, Some(why)) => Verdict::untested("", None, why),
        (None, None) => Verdict::untested("", None, few),
        (Some((measure, found)), None) => Verdict::new(measure.words(), None, Evidence::P(found.p_holm)),
    }
}

impl SiteEstimate {
    /// O:E with the exact interval of few events, also where there are none.
    fn state_exactly(&mut self, gap: &Gap) {
        let Some(ratio) = self.values.get_mut(SiteMeasure::ObservedExpected as usize) else { return };
        if gap.is_rare() && gap.score > 0.0 {
            ratio.value = Some(gap.observed / gap.score);
            ratio.interval = Some({
                let [low, high] = gap.interval();
                [high, low].map(|error| (1.0 - error / gap.score).max(0.0))
            });
        }
    }

    /// Whether a measure of it is pooled.
    fn is_pooled(&self, measure: SiteMeasure) -> bool {
        self.values.iter().any(|value| value.measure == measure && value.why.is_empty())
    }
}

/// The rows of every value of the column, and which of the values the sites are, in their order.
struct SiteLines {
    of: ColumnCounts,
    places: Vec<usize>,
    /// whether nothing may be told of a site
    withheld: Vec<bool>,
    /// whether small counts are suppressed
    suppressed: bool,
}

impl SiteLines {
    /// Of some sites, one after the other.
    fn basis(&self, places: Vec<usize>) -> Basis {
        Basis::Values { of: self.of.clone(), places }
    }

    /// Of the first sites, one after the other.
    fn first(&self, most: usize) -> Basis {
        self.basis(self.places.iter().take(most).copied().collect())
    }

    /// Of the rows without a site.
    fn missing(&self) -> Basis {
        self.basis(vec![self.of.missing()])
    }

    /// Of what is pooled or compared over the sites: from it and the sites that are shown, one that is withheld, for its own rows
    /// or to protect another, could be worked out.
    fn pooled(&self, outcome: &SitesOutcome, measure: SiteMeasure) -> Basis {
        let sites = outcome.sites.iter().zip(&self.places).filter(|(site, _)| site.is_pooled(measure));
        self.basis(sites.map(|(_, place)| *place).collect())
    }
}
