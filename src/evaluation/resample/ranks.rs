//! The area under the ROC curve of reweighted rows, in one pass.

/// Rank sum of positives over negatives while rows come by ascending score; ties count half.
#[derive(Clone, Copy, Default)]
pub(super) struct RankSum {
    pub(super) below: u64,
    pub(super) doubled: u64,
    pub(super) positives: u64,
    pub(super) tied: (u64, u64),
}

impl RankSum {
    /// Appends rows: weights, targets, and all bits set where a tie ends. Without branches: ties come at random.
    pub(super) fn add(&mut self, weight: &[u8], target: &[u8], tie_end: &[u8]) {
        let Self {
            mut below,
            mut doubled,
            mut positives,
            tied: (mut positive, mut negative),
        } = *self;
        for ((&w, &t), &end) in weight.iter().zip(target).zip(tie_end) {
            let end = i64::from(end as i8) as u64;
            positive += u64::from(w * t);
            negative += u64::from(w * (1 - t));
            doubled += (positive * (2 * below + negative)) & end;
            below += negative & end;
            positives += positive & end;
            positive &= !end;
            negative &= !end;
        }
        *self = Self {
            below,
            doubled,
            positives,
            tied: (positive, negative),
        };
    }

    pub(super) fn auroc(&self) -> Option<f64> {
        let pairs = self.positives as f64 * self.below as f64;
        (pairs > 0.0).then(|| self.doubled as f64 / (2.0 * pairs))
    }
}
