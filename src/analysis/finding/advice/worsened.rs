//! Subgroups whose error a recalibration makes larger.

use super::RecalibratedSubgroup;
use super::evaluated_rows::{EvaluatedRows, EvaluationInput};
use super::gaps::{RowCounts, Sums, together};
use crate::data::subgroup::{Among, Subgroup};
use crate::data::{ClusterIds, PresentClusters};
use crate::error::Result;
use crate::metric::gap::Gap;
use crate::num::weight::Sampling;
use crate::report::view::method_rows;
use crate::scan::{DetectedSubgroup, ScanInput, Sought};

/// Subgroups that are listed, the worst first.
const MOST: usize = 5;
/// One that was off beyond the threshold before is worse where its error grows by this much at least.
pub(super) const WORSE: f64 = 0.02;

/// What a row counts, its scores without and with the recalibration, its outcome, and its cluster.
struct Row {
    counts: RowCounts,
    before: f64,
    after: f64,
    t: u8,
    cluster: Option<u32>,
}

/// Subgroups that are significantly miscalibrated with the recalibration, and were not without it, or less; the worst first.
///
/// Two kinds are looked at: every subgroup of one column, against the largest |z| of all subgroups by chance (c*); and those
/// around the named ones, where the interval of one condition is replaced by another that adjoins it or is part of it,
/// against chance in all of these (Bonferroni), since a shift of a whole subgroup errs most at its ends.
///
/// # Errors
/// `unknown_column`.
///
/// # Cost
/// O(n) a column, and a subgroup around a named one.
pub(super) fn worsened(
    asked: &EvaluationInput,
    evaluated: &EvaluatedRows,
    after: &[f64],
) -> Result<Vec<RecalibratedSubgroup>> {
    let critical = asked.scanned.critical;
    if asked.scanned.looked_at == 0 || !critical.is_finite() || evaluated.before == after {
        return Ok(Vec::new());
    }
    let own;
    let input = match method_rows(asked.run, None)?.rows.as_slice() == evaluated.rows {
        true => asked.input,
        false => {
            let values =
                (evaluated.rows.as_slice(), evaluated.before.as_slice(), evaluated.target.as_slice(), evaluated.w());
            let sought = Sought { columns: asked.columns, similarity: &[], least: asked.least };
            own = ScanInput::new(asked.data, values, sought, asked.seed)?;
            &own
        }
    };
    let of_rows = input.order(asked.seed).into_iter().map(|i| {
        let i = i as usize;
        Row {
            counts: evaluated.counts(i),
            before: evaluated.before[i],
            after: after[i],
            t: evaluated.target[i],
            cluster: evaluated.cluster.get(i).copied(),
        }
    });
    let rows: Vec<Row> = of_rows.collect();
    let mut known: Vec<String> = asked.scanned.named.iter().map(DetectedSubgroup::description).collect();
    let mut found: Vec<(f64, RecalibratedSubgroup)> = Vec::new();
    let around: Vec<Vec<(usize, usize)>> =
        asked.scanned.named.iter().flat_map(|named| around(input, &named.subgroup)).collect();
    let threshold = together(around.len()).min(critical);
    let beside = around.into_iter().map(|singles| (singles, threshold));
    let alone = input.cuts.iter().enumerate().flat_map(|(column, cut)| {
        let mut cells = vec![Sums::default(); cut.cells];
        for (&cell, row) in input.codes(column).iter().zip(&rows) {
            cells[usize::from(cell)].take(row.counts, row.before, row.after, row.t);
        }
        let large = move |place: &usize| {
            let mut sums = Sums::default();
            cut.singles[*place].cells.iter().for_each(|&cell| sums.add(&cells[usize::from(cell)]));
            sums.z()[1].abs() > critical
        };
        (0..cut.singles.len()).filter(large).map(move |place| (vec![(column, place)], critical))
    });
    for (singles, threshold) in beside.chain(alone) {
        let description = input.subgroup(&singles).description();
        if known.contains(&description) {
            continue;
        }
        if let Some((size, one)) = worse(input, &singles, &rows, (asked.least, threshold), &description) {
            found.push((size, one));
            known.push(description);
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(found.into_iter().take(MOST).map(|(_, one)| one).collect())
}

/// A subgroup that is beyond the threshold and was not, or is further off than it was by [`WORSE`], with its |z|. The interval
/// of its error is that of every mean error, at the level of the threshold.
fn worse(
    input: &ScanInput,
    singles: &[(usize, usize)],
    rows: &[Row],
    (least, threshold): (usize, f64),
    description: &str,
) -> Option<(f64, RecalibratedSubgroup)> {
    let inside = input.inside(singles);
    let own: Vec<&Row> = rows.iter().zip(&inside).filter(|(_, inside)| **inside).map(|(row, _)| row).collect();
    let mut sums = Sums::default();
    own.iter().for_each(|row| sums.take(row.counts, row.before, row.after, row.t));
    let [without, with] = sums.z().map(f64::abs);
    let [before, after] = sums.gaps().map(f64::abs);
    let was_off = without > threshold && after - before < WORSE;
    if sums.rows < least || with <= threshold || with <= without || was_off {
        return None;
    }
    let gap = gap_after(&own);
    let [low, high] = gap.within(threshold);
    let (description, before) = (description.to_owned(), sums.gaps()[0]);
    let one = RecalibratedSubgroup {
        description,
        rows: sums.rows,
        before,
        after: gap.gap(),
        low,
        high,
        mostly_remains: false,
    };
    one.is_significant().then_some((with, one))
}

/// The mean error of some rows with the recalibration. O(rows + clusters).
fn gap_after(rows: &[&Row]) -> Gap {
    let of: Vec<u32> = rows.iter().filter_map(|row| row.cluster).collect();
    let count = of.iter().max().map_or(0, |last| *last as usize + 1);
    let clusters = ClusterIds { of: of.into(), count }.present();
    let counted = rows.first().is_some_and(|row| row.counts.counted);
    let sampling = Sampling { clusters: clusters.as_ref().map(PresentClusters::rows), counted };
    let (after, t): (Vec<f64>, Vec<u8>) = rows.iter().map(|row| (row.after, row.t)).unzip();
    let w: Vec<f64> = rows.iter().map(|row| row.counts.weight).collect();
    Gap::of_rows(&after, &t, Some(&w), sampling)
}

/// Around a named subgroup: one interval of it replaced by one that adjoins it, or by a part of it, other conditions being
/// equal. Empty for a subgroup that is not made of the cells of the input.
fn around(input: &ScanInput, named: &Subgroup) -> Vec<Vec<(usize, usize)>> {
    let single = |condition: &crate::data::subgroup::Condition| {
        let column = input.cuts.iter().position(|cut| cut.column == condition.column)?;
        let place = input.cuts[column].singles.iter().position(|single| single.is == condition.is)?;
        Some((column, place))
    };
    let Some(own) = named.conditions.iter().map(single).collect::<Option<Vec<(usize, usize)>>>() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (k, &(column, place)) in own.iter().enumerate() {
        let cut = &input.cuts[column];
        // A missing value lies beside no number.
        let ends = |place: usize| {
            let single = cut.singles.get(place).filter(|single| cut.ordered && single.is != Among::Missing)?;
            Some((*single.cells.first()?, *single.cells.last()?))
        };
        let Some((first, last)) = ends(place) else { continue };
        for other in (0..cut.singles.len()).filter(|other| *other != place) {
            let Some((from, to)) = ends(other) else { continue };
            let beside = to.checked_add(1) == Some(first) || last.checked_add(1) == Some(from);
            if beside || (first <= from && to <= last) {
                let mut singles = own.clone();
                singles[k] = (column, other);
                found.push(singles);
            }
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::{OpenOptions, Predictions, assemble};

    /// SciPy: binomtest(7, 200).proportion_ci(1 - 0.05 / 8, method="exact")
    const SEVEN: [f64; 2] = [0.009_427_485_087_939, 0.086_989_386_787_5];

    /// 2,400 rows of two wards and ages 0 to 119.
    fn file() -> Predictions {
        let row = |i: usize| format!("0.{},{},{},{}\n", 3 + i % 5, ["ICU", "ED"][i % 2], i / 20, i / 2 % 2);
        let text: String = std::iter::once("p,ward,age,y\n".to_owned()).chain((0..2400).map(row)).collect();
        let file = crate::read::read("rows.csv", text.as_bytes(), &mut |_| ()).unwrap();
        let roles = r#"{ "p": "probability", "ward": "group", "age": "feature", "y": "label" }"#;
        let options = OpenOptions { roles: serde_json::from_str(roles).unwrap(), ..OpenOptions::default() };
        assemble(&[file], &options).unwrap().0
    }

    #[test]
    fn what_adjoins_a_range_and_its_parts_are_looked_at() {
        let data = file();
        let rows: Vec<u32> = (0..2400).collect();
        let (score, target) = (vec![0.5; 2400], vec![0; 2400]);
        let columns = ["ward".to_owned(), "age".to_owned()];
        let sought = Sought { columns: &columns, similarity: &[], least: 30 };
        let input = ScanInput::new(&data, (&rows, &score, &target, None), sought, 0).unwrap();
        let subgroup = |written: &str| -> Subgroup { serde_json::from_str(written).unwrap() };
        let named =
            subgroup(r#"{"conditions":[{"column":"ward","values":["ICU"]},{"column":"age","from":60,"below":100}]}"#);
        let singles = around(&input, &named);
        let who: Vec<String> = singles.iter().map(|one| input.subgroup(one).description()).collect();
        for wanted in ["≥ 100", " 40 to 59", " < 60", " 80 to 99", " 60 to 79", " 30 to 59"] {
            assert!(who.iter().any(|one| one.ends_with(wanted)), "{wanted}: {who:?}");
        }
        assert!(who.iter().all(|one| one.starts_with("ward = ICU") && !one.ends_with("≥ 60")), "{who:?}");
        assert!(around(&input, &subgroup(r#"{"conditions":[{"column":"age","from":61,"below":62}]}"#)).is_empty());
        // The older ones of that ward: 200 rows, said 50 %, of whom 62 % are right. A shift of all by a little is worse for them.
        let old = singles.iter().find(|one| input.subgroup(one).description().ends_with("≥ 100")).unwrap();
        let inside = input.inside(old);
        let said = |before: f64, after: f64, per_cluster: Option<u32>, observed: &dyn Fn(usize) -> bool| {
            let row = |i: usize| Row {
                counts: RowCounts::new(1.0, false),
                before,
                after,
                t: u8::from(observed(i)),
                cluster: per_cluster.map(|rows| i as u32 / rows),
            };
            let rows: Vec<Row> = (0..2400).map(row).collect();
            worse(&input, old, &rows, (30, together(8)), "older").map(|(_, one)| one)
        };
        let often = |i: usize| if inside[i] { i % 100 < 62 } else { i.is_multiple_of(2) };
        let found = said(0.5, 0.47, None, &often).unwrap();
        assert!(found.before < -0.1 && found.after < found.before && found.is_significant(), "{found:?}");
        assert!(said(0.5, 0.5, None, &often).is_none(), "who is not moved is not made worse");
        assert!(said(0.5, 0.49, None, &often).is_none(), "nor is who was off before and is moved by little");
        assert!(said(0.5, 0.53, None, &often).is_none(), "nor is who is moved towards what happened");
        assert!(said(0.5, 0.47, Some(400), &often).is_none(), "nor is one cluster, of whose spread nothing is known");
        // 7 of 200 where one is predicted: exact limits exclude it, as P(X ≥ 7) is below 0.003, but m ± 2.7 √(v/n) would not
        let seven = |i: usize| inside[i] && (2_000..2_014).contains(&i);
        let found = said(0.03, 0.005, None, &seven).unwrap();
        assert!((found.after + 0.03).abs() < 1e-12 && found.high < 0.0, "{found:?}");
        assert!(
            (0.005 - found.high - SEVEN[0]).abs() < 1e-9 && (0.005 - found.low - SEVEN[1]).abs() < 1e-9,
            "{found:?}"
        );
        assert!(said(0.03, 0.02, None, &seven).is_none());
    }
}
