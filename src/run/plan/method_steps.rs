//! The steps of one method of a run: its fits, scores and replicates, its local error and its KLCE test.

use super::klce;
use super::proximity::Searches;
use super::{cost, local_error, ranges};
use crate::data::folds::Split;
use crate::data::{Predictions, pair};
use crate::evaluation::klce::KlceSettings;
use crate::evaluation::method::{Method, MethodKind, title, whose_scores};
use crate::evaluation::on_request;
use crate::evaluation::request::{LocalOptions, RunRequest};
use crate::evaluation::resample::{Replicates, needs_vectors};
use crate::evaluation::scored::Scored;
use crate::feature::proximity::ProximityOptions;
use crate::run::graph::{DATA, Handle, Plan};
use crate::run::step::{KlceOf, LocalResample, MethodHandles, Resample, ResampleOnRequest, Score};

/// What the methods of a run share.
pub(super) struct MethodSteps<'a> {
    pub(super) data: &'a Predictions,
    /// with every default filled in
    pub(super) request: &'a RunRequest,
    /// the division of the rows
    pub(super) split: Handle<Split>,
    /// the one under which the original predictions are evaluated
    pub(super) all: Handle<Split>,
    pub(super) folds: usize,
    pub(super) resamples: usize,
    /// metrics beyond the scorecard
    pub(super) on_request: &'a [String],
    /// those of them that have replicates on whole samples
    pub(super) resampled: &'a [String],
    /// columns of the metrics of groups
    pub(super) groups: &'a [String],
    /// how the metrics look for near rows
    pub(super) near: Option<&'a ProximityOptions>,
    /// settings of the local error, and its parts with the cost of each
    pub(super) local: Option<(&'a LocalOptions, (usize, f64))>,
    pub(super) tested: Option<&'a KlceSettings>,
}

impl MethodSteps<'_> {
    /// Pushes them; of a method that this file cannot have, the reason alone.
    ///
    /// * `common`: the original predictions once more, on the rows that all methods have, without a KLCE test
    pub(super) fn push(
        &self,
        nodes: &mut Plan,
        searches: &mut Searches,
        method: Method,
        common: bool,
    ) -> MethodHandles {
        let mut found = MethodHandles { method, ..MethodHandles::default() };
        if let Some(reason) = found.method.kind.missing() {
            found.reason = Some(reason);
            return found;
        }
        let is_none = found.method.kind == MethodKind::NONE;
        let by = if is_none && !common { self.all } else { self.split };
        let whose = whose_scores(&found.method.name);
        let scored = self.scored(nodes, searches, &found.method, by, &whose);
        found.scored = Some(scored);
        found.replicates = self.replicates(nodes, scored, &whose);
        if let Some((local, (parts, cost))) = self.local {
            // the report shows the effective neighbors of every row
            found.local = local_error(nodes, (local, true), (parts, cost), (DATA, by, scored), &whose);
            let (replicate_parts, cost) = cost::parts(local.resamples, cost * parts as f64 / 4.0);
            for (first, last) in ranges(local.resamples, replicate_parts) {
                let (local, metrics) = (local.clone(), self.request.metrics.clone().unwrap_or_default());
                let seed = self.request.seed;
                let step = LocalResample { data: DATA, split: by, scored, local, metrics, seed, first, last };
                found.replicates.push(nodes.push(step, cost, &format!("null range of the local error of {whose}")));
            }
        }
        if let Some(settings) = self.tested.filter(|_| !common) {
            let rows = klce::rows_scored(self.data, self.request, is_none);
            let of = KlceOf::Scores { split: by, scored };
            found.klce = Some(klce::push(nodes, self.data, settings, of, rows, None));
        }
        found
    }

    /// Its scores and metrics, from one fit per fold.
    fn scored(
        &self,
        nodes: &mut Plan,
        searches: &mut Searches,
        method: &Method,
        by: Handle<Split>,
        whose: &str,
    ) -> Handle<Scored> {
        let data = self.data;
        let fits = match method.kind == MethodKind::NONE {
            true => Vec::new(),
            false => searches.fits(nodes, (DATA, data), self.split, method, self.folds, &title(&method.name)),
        };
        let near = self.near.map(|near| searches.nodes(nodes, (DATA, data), by, near)).unwrap_or_default();
        let score = Score {
            data: DATA,
            split: by,
            fits,
            near,
            bins: self.request.bins,
            metrics: self.on_request.iter().cloned().collect(),
            groups: self.groups.to_vec(),
        };
        let of_vector = if pair::has_vector(data) { pair::classes(data) as f64 * 1e-5 } else { 0.0 };
        nodes.push(score, data.rows as f64 * (2e-4 + of_vector), &format!("metrics of {whose}"))
    }

    /// Replicates of the scorecard, then of the metrics beyond it that are resampled.
    fn replicates(&self, nodes: &mut Plan, scored: Handle<Scored>, whose: &str) -> Vec<Handle<Replicates>> {
        let (data, bins, seed) = (self.data, self.request.bins, self.request.seed);
        let n = data.rows;
        let (per_replicate, of) = if needs_vectors(data) {
            (n as f64 * (1.6e-5 + 1.5e-6 * pair::classes(data) as f64), Some(DATA))
        } else {
            // Copying the data to another worker takes as long as several replicates.
            (n as f64 * 9e-6, None)
        };
        let mut replicates = Vec::new();
        let (parts, cost) = cost::resample_parts(self.resamples, per_replicate);
        for (first, last) in ranges(self.resamples, parts) {
            let step = Resample { data: of, scored, bins, seed, first, last };
            replicates.push(nodes.push(step, cost, &format!("intervals and null ranges of {whose}")));
        }
        for (metrics, range) in on_request::ranges(self.resampled, n, self.resamples) {
            let (parts, cost) = cost::parts(range.len(), on_request::replicate_cost(metrics.iter(), n));
            for (first, last) in ranges(range.len(), parts) {
                let [first, last] = [first, last].map(|place| range.start + place);
                let step = ResampleOnRequest { scored, bins, metrics: metrics.clone(), seed, first, last };
                replicates.push(nodes.push(step, cost, &format!("further intervals of {whose}")));
            }
        }
        replicates
    }
}
