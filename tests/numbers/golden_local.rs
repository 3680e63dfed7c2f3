//! Local error and local recalibration against a double loop over the definition.

use localcal::kernel::{Kernel, Part, Points};
use localcal::local::{LocalQueries, LocalSample, signed_local_error, summary};
use localcal::recalibrate::lore::lore;

use crate::support::record::Record;

const GAMMAS: [(f64, &str); 3] = [(0.05, "0.05"), (0.4, "0.4"), (3.0, "3.0")];

/// Left-closed equal-width bin; no score of the record lies on an edge.
fn bins(c: &[f64], count: f64) -> Vec<u32> {
    c.iter().map(|c| (c * count) as u32).collect()
}

#[test]
fn local_error_and_lore_equal_the_double_loop() {
    let record = Record::read("local");
    let count = record.input("bins")[0];
    let (c, x) = (record.input("confidence"), record.input("features"));
    let a: Vec<u8> = record.input("correct").iter().map(|a| *a as u8).collect();
    let bin = bins(&c, count);
    let sample = LocalSample::new(&c, &a, &bin, Points::row_major(2, &x).unwrap()).unwrap();
    let (query_c, query_x) = (record.input("query_confidence"), record.input("query_features"));
    let query_bin = bins(&query_c, count);

    for (gamma, name) in GAMMAS {
        let kernel = Kernel::Laplacian { gamma };
        let all = LocalQueries::Sample { leave_one_out: false };
        let error = signed_local_error(&sample, &all, kernel, Part::WHOLE).unwrap();
        record.check(&format!("slce_{name}"), "", &error.slce);
        record.check(&format!("mass_{name}"), "", &error.mass);
        record.check(&format!("n_eff_{name}"), "", &error.n_eff);
        let of = summary(&error.slce, &error.n_eff);
        record.check(&format!("mlce_{name}"), "", &[of.mlce]);
        record.check(&format!("mean_lce_{name}"), "", &[of.mean_lce]);

        let others = LocalQueries::Sample { leave_one_out: true };
        let error = signed_local_error(&sample, &others, kernel, Part::WHOLE).unwrap();
        record.check(&format!("slce_leave_one_out_{name}"), "", &error.slce);

        let features = Points::row_major(2, &query_x).unwrap();
        let new = lore(&sample, &query_bin, &query_c, features, kernel, Part::WHOLE, &mut |_| ()).unwrap();
        record.check(&format!("lore_{name}"), "", &new.score);
        assert_eq!(new.kept, record.expected("empty_query_bins").len());
    }
}
