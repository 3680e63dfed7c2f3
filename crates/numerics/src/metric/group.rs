//! Calibration error within groups.

use super::binning::BinOptions;
use super::ece::{ece, mce};
use super::entry::{Cost, Discloses, Interval, Metric, Replicates, ValueOf};
use super::reliability::{ReliabilityBin, reliability_table};
use crate::error::Result;
use crate::num::check_lengths;
use crate::table::MISSING;

/// Rows of a cell of a group from which on its gap counts as supported.
pub const FEWEST_ROWS: usize = 20;

/// Calibration of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupError {
    /// code of the group
    pub group: u32,
    /// rows of the group
    pub n: usize,
    /// expected calibration error on its own rows
    pub ece: f64,
    /// maximum calibration error on its own rows
    pub mce: f64,
    /// its bins, with the rows in each
    pub table: Vec<ReliabilityBin>,
}

/// Calibration of every group, and summaries over them.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupErrors {
    /// by group code
    pub groups: Vec<GroupError>,
    /// rows without a group, left out
    pub missing: usize,
    /// mean of the groups' ECE, equally weighted
    pub ece_mean: Option<f64>,
    /// Σ_g (n_g/n) ECE_g
    pub ece_weighted: Option<f64>,
    /// largest ECE of a group
    pub ece_max: Option<f64>,
    /// max_g max_b |gap| (maximum group-wise MCE)
    pub mce_max: Option<f64>,
    /// the same over the cells with [`FEWEST_ROWS`] rows
    pub mce_max_supported: Option<f64>,
}

/// ECE and MCE on the rows of each group, with the same kind of bins in each.
///
/// * `groups`: a code a row, [`MISSING`] for none. Errors: `empty`, `length_mismatch`, `invalid_option`. O(n).
pub fn group_errors(s: &[f64], t: &[u8], groups: &[u32], bins: &BinOptions) -> Result<GroupErrors> {
    check_lengths(s.len(), t.len())?;
    check_lengths(groups.len(), t.len())?;
    let mut rows: std::collections::BTreeMap<u32, (Vec<f64>, Vec<u8>)> = std::collections::BTreeMap::new();
    let mut missing = 0;
    for ((&s, &t), &g) in s.iter().zip(t).zip(groups) {
        if g == MISSING {
            missing += 1;
            continue;
        }
        let group = rows.entry(g).or_default();
        group.0.push(s);
        group.1.push(t);
    }
    let mut found = Vec::with_capacity(rows.len());
    for (group, (s, t)) in rows {
        let table = reliability_table(&s, &t, bins)?;
        found.push(GroupError {
            group,
            n: s.len(),
            ece: ece(&table).unwrap_or(0.0),
            mce: mce(&table, 1).unwrap_or(0.0),
            table,
        });
    }
    let n = (s.len() - missing) as f64;
    let some = !found.is_empty();
    let sum = |f: &dyn Fn(&GroupError) -> f64| some.then(|| found.iter().map(f).sum::<f64>());
    Ok(GroupErrors {
        ece_mean: sum(&|g| g.ece / found.len() as f64),
        ece_weighted: sum(&|g| g.ece * g.n as f64 / n),
        ece_max: found.iter().map(|g| g.ece).reduce(f64::max),
        mce_max: found.iter().map(|g| g.mce).reduce(f64::max),
        mce_max_supported: found.iter().filter_map(|g| mce(&g.table, FEWEST_ROWS)).reduce(f64::max),
        groups: found,
        missing,
    })
}

/// Group ECE (mean): the mean over groups, equally weighted.
pub static GROUP_ECE_MEAN: Metric = Metric {
    id: "group_ece_mean",
    name: "Group ECE (mean)",
    plain: "average ECE within groups, equally weighted",
    definition: "Mean over groups of the ECE on the rows of the group, in the bins of the ECE; rows without a group \
                 are excluded.",
    formula: "(1/G) Σ_g ECE_g",
    source: "Luo et al. 2022",
    value: ValueOf::Groups(|found| found.ece_mean),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Basic,
    zero_if_calibrated: true,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

/// Group ECE (largest): how far off in the worst group.
pub static GROUP_ECE_MAX: Metric = Metric {
    id: "group_ece_max",
    name: "Group ECE (largest)",
    plain: "largest ECE of any group",
    definition: "The largest ECE of a group on its own rows. Dominated by small groups; compare with “expected if \
                 calibrated”.",
    formula: "max_g ECE_g",
    source: "Luo et al. 2022",
    value: ValueOf::Groups(|found| found.ece_max),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Maximum,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

/// Group MCE (largest): how far off in the worst bin of any group.
pub static GROUP_MCE_MAX: Metric = Metric {
    id: "group_mce_max",
    name: "Group MCE (largest)",
    plain: "largest gap of any bin of any group",
    definition: "The largest |mean score − observed proportion| over the bins of all groups, of any size; at least \
                 the MCE if bins are of equal width and every row has a group. Dominated by small groups; compare \
                 with “expected if calibrated”.",
    formula: "max_g max_b |s̄_gb − t̄_gb|",
    source: "Luo et al. 2022, maximum group-wise MCE",
    value: ValueOf::Groups(|found| found.mce_max),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Maximum,
    discloses: Discloses::Few,
    supported: Some(&GROUP_MCE_MAX_SUPPORTED),
    ..Metric::PLAIN
};

/// Group MCE (largest) where cells have rows: how far off in the worst bin of any group that can be judged.
pub static GROUP_MCE_MAX_SUPPORTED: Metric = Metric {
    id: "group_mce_max_supported",
    name: "Group MCE (largest), 20 rows or more",
    plain: "largest gap of any bin of any group with at least 20 rows",
    definition: "The largest |mean score − observed proportion| over the bins of all groups with at least 20 rows.",
    formula: "max over g, b with n_gb ≥ 20 of |s̄_gb − t̄_gb|",
    source: "Luo et al. 2022, over cells of at least 20 rows; maximum group-wise MCE",
    value: ValueOf::Groups(|found| found.mce_max_supported),
    replicates: Replicates::Samples(Cost::PASS),
    interval: Interval::Maximum,
    discloses: Discloses::Few,
    ..Metric::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{F8_G, close, f8, f8_top};

    #[test]
    fn worked_values() {
        let (s, t) = f8_top();
        let five = BinOptions::equal_width(5);
        let by = group_errors(&s, &t, &F8_G, &five).expect("valid");
        let (a, b) = (&by.groups[0], &by.groups[1]);
        close(Some(a.ece), 0.3625);
        close(Some(a.mce), 0.575);
        close(Some(b.ece), 0.4625);
        close(Some(b.mce), 0.6);
        close(by.mce_max, 0.6);
        close(by.ece_max, 0.4625);
        close(by.ece_weighted, 0.4125);
        close(by.ece_mean, 0.4125);
        // groups = true labels
        let by = group_errors(&s, &t, &f8().1, &five).expect("valid");
        for (g, expected) in by.groups.iter().zip([0.3, 0.525, 0.45]) {
            close(Some(g.ece), expected);
        }
        close(by.ece_mean, 0.425);
    }

    #[test]
    fn rows_without_a_group_are_counted() {
        let by = group_errors(&[0.5, 0.5], &[1, 0], &[MISSING, 4], &BinOptions::default()).expect("valid");
        assert_eq!((by.missing, by.groups[0].group, by.groups[0].n), (1, 4, 1));
        let none = group_errors(&[0.5], &[1], &[MISSING], &BinOptions::default()).expect("valid");
        assert_eq!((none.ece_mean, none.mce_max), (None, None));
    }

    /// 20 rows at .3 of which half happen, and one at .9 that does not: the largest supported gap is .2, the largest
    /// of all .9.
    #[test]
    fn cells_of_few_rows_do_not_count_as_supported() {
        let s: Vec<f64> = (0..21).map(|i| if i == 20 { 0.9 } else { 0.3 }).collect();
        let t: Vec<u8> = (0..21).map(|i| u8::from(i < 10)).collect();
        let of = |groups: &[u32]| group_errors(&s, &t, groups, &BinOptions::equal_width(5)).expect("valid");
        let by = of(&[7; 21]);
        close(by.mce_max, 0.9);
        close(by.mce_max_supported, 0.2);
        // the same rows as two groups: no cell holds 20
        let two: Vec<u32> = (0..21).map(|i| i % 2).collect();
        assert_eq!(of(&two).mce_max_supported, None);
    }
}
