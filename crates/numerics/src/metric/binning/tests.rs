use super::*;
use crate::fixtures::{F8_C, f8_top};
use proptest::prelude::*;

fn bins(options: BinOptions) -> Vec<u32> {
    options.binning(&F8_C).expect("valid").assignment
}

#[test]
fn worked_assignments() {
    let five = BinOptions::equal_width(5);
    assert_eq!(bins(five), [4, 4, 4, 2, 2, 3, 2, 4]);
    let rank = BinOptions::equal_width(4).with_scheme(BinScheme::EqualMassRank);
    assert_eq!(bins(rank), [3, 2, 2, 1, 0, 1, 0, 3]);
    let quantile = BinOptions::equal_width(4).with_scheme(BinScheme::EqualMassQuantile);
    assert_eq!(bins(quantile), [3, 2, 2, 1, 0, 1, 0, 3]);
    let edges = quantile.bin_edges(&f8_top().0).expect("valid").edges;
    for (edge, expected) in edges.iter().zip([0.4, 0.525, 0.7, 0.8625, 0.95]) {
        assert!((edge - expected).abs() < 1e-12);
    }
}

#[test]
fn numpy_edges_move_a_score_on_an_edge() {
    let exact = BinOptions::equal_width(5);
    let numpy = BinOptions { edges: Edges::Numpy, ..exact };
    assert_eq!(exact.bin_edges(&[]).expect("valid").bin_of(0.6), 3);
    assert_eq!(numpy.bin_edges(&[]).expect("valid").bin_of(0.6), 2);
    for (count, above) in [(5, vec![3]), (10, vec![3, 6, 7]), (15, vec![]), (20, vec![3, 6, 7, 12, 14, 17, 19])] {
        let at = |edges| BinOptions { edges, ..BinOptions::equal_width(count) }.bin_edges(&[]).expect("valid").edges;
        let (exact, numpy) = (at(Edges::Exact), at(Edges::Numpy));
        let differ: Vec<usize> = (0..=count).filter(|&i| exact[i] != numpy[i]).collect();
        assert_eq!(differ, above);
    }
}

#[test]
fn every_edge_and_its_neighbors_compare_as_defined() {
    for count in [1, 2, 3, 5, 7, 10, 15, 20, 100, 1000] {
        for edges in [Edges::Exact, Edges::Numpy] {
            for closed in [Closed::Left, Closed::Right] {
                let bins =
                    BinOptions { count, edges, closed, scheme: BinScheme::EqualWidth }.bin_edges(&[]).expect("valid");
                for &edge in &bins.edges {
                    for s in [edge, (edge + 2.0 * SAME).min(1.0), (edge - 2.0 * SAME).max(0.0)] {
                        let inner = &bins.edges[1..count];
                        let expected = match closed {
                            Closed::Left => inner.iter().filter(|&&e| e <= s).count(),
                            Closed::Right => inner.iter().filter(|&&e| e < s).count(),
                        };
                        for s in [s, s.next_up().min(1.0), s.next_down().max(0.0)] {
                            assert_eq!(bins.bin_of(s), expected, "{count} {edges:?} {closed:?} {s}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn options_are_a_number_or_an_object() {
    let read = |text: &str| serde_json::from_str::<BinOptions>(text);
    assert_eq!(read("10").expect("a count"), BinOptions::equal_width(10));
    assert_eq!(read("{}").expect("defaults"), BinOptions::default());
    let full = read(r#"{"count":20,"scheme":"equal_mass_quantile","closed":"right","edges":"numpy"}"#).expect("all");
    assert_eq!((full.count, full.scheme), (20, BinScheme::EqualMassQuantile));
    assert_eq!(read(&serde_json::to_string(&full).expect("serialises")).expect("reads back"), full);
    for wrong in ["0", "1001", "2.5", "-3", r#"{"count":0}"#, r#"{"bins":3}"#, r#""15""#] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    assert_eq!(BinOptions::equal_width(0).bin_edges(&[]).expect_err("0 bins").code(), "invalid_option");
}

#[test]
fn equal_mass_of_few_or_tied_scores() {
    let rank = BinOptions::default().with_scheme(BinScheme::EqualMassRank);
    let quantile = BinOptions::default().with_scheme(BinScheme::EqualMassQuantile);
    assert_eq!(quantile.binning(&[0.5; 9]).expect("ties").assignment, [0; 9]);
    assert_eq!(quantile.binning(&[0.5; 9]).expect("ties").count(), 1);
    assert_eq!(rank.binning(&[0.3, 0.2]).expect("few").assignment, [7, 0]);
    assert_eq!(rank.bin_edges(&[]).expect_err("none").code(), "empty");
    assert!(rank.binning(&[]).expect("no rows").assignment.is_empty());
}

/// Scores that are often tied at an end, or all but there.
fn scores_at_the_ends() -> impl Strategy<Value = Vec<f64>> {
    let ends = prop_oneof![
        Just(0.0),
        Just(5e-324),
        Just(1e-300),
        Just(1e-17),
        Just(SAME),
        Just(0.5),
        Just(1.0 - SAME),
        Just(1.0)
    ];
    proptest::collection::vec(prop_oneof![3 => ends, 1 => 0.0..=1.0_f64], 1..40)
}

#[test]
fn ties_at_nothing_leave_empty_bins_below_them() {
    let rank = BinOptions::equal_width(5).with_scheme(BinScheme::EqualMassRank);
    let found = rank.binning(&[0.0, 0.0, 0.0, 0.5, 0.9]).expect("valid");
    assert_eq!(found.assignment, [1, 1, 1, 3, 4]);
    let below = -2.0 * SAME;
    assert_eq!(found.edges.edges, [below, below, 0.25, 0.25, 0.7, 1.0]);
    // Without empty bins below them they begin at 0.
    assert_eq!(rank.bin_edges(&[0.0, 0.3, 0.5, 0.7, 0.9]).expect("valid").edges[0], 0.0);
}

proptest! {
    /// What is stored of a fit is refused where its edges fall.
    #[test]
    fn edges_ascend(s in scores_at_the_ends(), count in 1..20_usize) {
        for scheme in [BinScheme::EqualWidth, BinScheme::EqualMassRank, BinScheme::EqualMassQuantile] {
            for closed in [Closed::Left, Closed::Right] {
                for edges in [Edges::Exact, Edges::Numpy] {
                    let options = BinOptions { count, scheme, closed, edges };
                    let found = options.binning(&s).expect("valid");
                    prop_assert!(found.edges.edges.is_sorted(), "{:?} {:?}", options, found.edges.edges);
                    prop_assert!(found.edges.edges.iter().all(|edge| edge.is_finite()));
                    prop_assert_eq!(found.edges.edges.len(), found.count() + 1);
                }
            }
        }
    }
}

/// Every k/1000 and the same score as 1 − (1000 − k)/1000.
fn mirrored() -> (Vec<f64>, Vec<f64>) {
    (0..=1000).map(|k| (f64::from(k) / 1000.0, 1.0 - f64::from(1000 - k) / 1000.0)).unzip()
}

#[test]
fn the_same_score_falls_into_the_same_bin_however_it_was_rounded() {
    let (p, q) = mirrored();
    assert_ne!(p, q);
    let both: Vec<f64> = p.iter().chain(&q).copied().collect();
    for count in [1, 2, 3, 5, 7, 10, 13, 15, 20, 50, 100, 200] {
        for scheme in [BinScheme::EqualWidth, BinScheme::EqualMassRank, BinScheme::EqualMassQuantile] {
            for closed in [Closed::Left, Closed::Right] {
                for edges in [Edges::Exact, Edges::Numpy] {
                    let options = BinOptions { count, scheme, closed, edges };
                    let found = options.binning(&both).expect("valid");
                    let (a, b) = found.assignment.split_at(p.len());
                    assert_eq!(a, b, "{options:?}");
                    // The edges alone put every score where it is.
                    assert_eq!(found.edges.assignment(&both), found.assignment, "{options:?}");
                }
            }
        }
    }
    // 1 − .9 stands at the edge .1 of ten bins, as .1 does; numpy's .6000000000000001 keeps .6 below it.
    let ten = BinOptions::equal_width(10).bin_edges(&[]).expect("valid");
    assert!(1.0 - 0.9 < 0.1 && ten.bin_of(1.0 - 0.9) == 1);
    let numpy = BinOptions { edges: Edges::Numpy, ..BinOptions::equal_width(5) };
    let numpy = numpy.bin_edges(&[]).expect("valid");
    assert_eq!([numpy.bin_of(0.6), numpy.bin_of(1.0 - 0.4)], [2, 2]);
}

#[test]
fn tied_rows_count_with_their_mean_where_ranks_cut_them() {
    let s = [0.2, 0.5, 0.5, 0.5, 0.5, 0.9];
    let rank = BinOptions::equal_width(2).with_scheme(BinScheme::EqualMassRank);
    let table = |t: &[u8]| crate::metric::reliability::reliability_table(&s, t, &rank).expect("valid");
    let one = table(&[0, 1, 1, 0, 0, 1]);
    // ranks 0 1 2 | 3 4 5: two of the four tied rows, with a share of ½, on each side
    assert_eq!((one[0].n, one[1].n), (3, 3));
    assert!((one[0].mean_target - 1.0 / 3.0).abs() < 1e-15);
    assert!((one[1].mean_target - 2.0 / 3.0).abs() < 1e-15);
    assert_eq!(one, table(&[0, 0, 0, 1, 1, 1]));
    assert_eq!(one, table(&[0, 0, 1, 0, 1, 1]));
    // A row has one bin: that of the middle rank of its tie.
    assert_eq!(rank.binning(&s).expect("valid").assignment, [0, 0, 0, 0, 0, 1]);
}
