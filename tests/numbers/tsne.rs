//! t-SNE against scikit-learn (golden file made by tests/golden/make_tsne.py), and on awkward rows.

use localcal::kernel::Points;
use localcal::project::tsne::{Affinities, Tsne};
use localcal::proximity::{Metric, Search};
use localcal::read::read;
use localcal::table::Values;
use ndarray::Array2;
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/tsne.json")).unwrap()
}

/// As in make_tsne.py, in whole numbers.
fn blobs(n: usize, d: usize, clusters: usize) -> Vec<f64> {
    let mut state: u64 = 12345;
    let mut uniform = || {
        state = (state * 1_103_515_245 + 12345) % (1 << 31);
        state as f64 / (1u64 << 31) as f64
    };
    let centers: Vec<f64> = (0..clusters * d).map(|_| 6.0 * uniform()).collect();
    (0..n * d)
        .map(|at| {
            let (i, b) = (at / d, at % d);
            let sum: f64 = (0..4).map(|_| uniform()).sum();
            centers[i % clusters * d + b] + sum - 2.0
        })
        .collect()
}

fn settings(n: usize, dimensions: usize) -> Tsne {
    Tsne { dimensions, perplexity: Tsne::default_perplexity(n), seed: 0, iterations: 1000 }
}

fn embedded(points: &Points, settings: Tsne) -> Array2<f64> {
    settings.embed(points, &mut |_, _| ()).unwrap()
}

fn affinities(points: &Points, perplexity: f64) -> Affinities {
    let k = (points.n() - 1).min((3.0 * perplexity) as usize + 1);
    let search = Search::new(points, Metric::Euclidean).unwrap();
    let near = search.nearest(None, 0..points.n(), k, &mut |_| ()).unwrap();
    Affinities::new(&near, perplexity)
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// Σ p ln(p/q) over the pairs that have a p.
fn divergence(p: &Affinities, y: &Points) -> f64 {
    let n = y.n();
    let near = |i: usize, j: usize| 1.0 / (1.0 + square(y.row(i), y.row(j)));
    let mass: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| 2.0 * near(i, j)).sum();
    let of_row = |i: usize| p.of(i).map(move |(j, p)| 2.0 * p * (p * mass / near(i, j)).ln());
    (0..n).flat_map(of_row).sum()
}

/// Venna and Kaski (2001): 1 less a penalty for neighbors in the picture that are none in the data.
fn trustworthiness(x: &Points, y: &Points, k: usize) -> f64 {
    let n = x.n();
    let order = |of: &Points, i: usize| {
        let mut all: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        let away: Vec<f64> = (0..n).map(|j| square(of.row(i), of.row(j))).collect();
        all.sort_by(|&a, &b| away[a].total_cmp(&away[b]));
        all
    };
    let mut penalty = 0.0;
    for i in 0..n {
        let mut rank = vec![0usize; n];
        for (place, j) in order(x, i).into_iter().enumerate() {
            rank[j] = place + 1;
        }
        for j in order(y, i).into_iter().take(k) {
            penalty += rank[j].saturating_sub(k) as f64;
        }
    }
    let (n, k) = (n as f64, k as f64);
    1.0 - penalty * 2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0))
}

fn agrees(points: &Points, expected: &Value, dimensions: usize) {
    let perplexity = expected["perplexity"].as_f64().unwrap();
    let p = affinities(points, perplexity);
    let n = points.n();
    let mut rows: Vec<Vec<f64>> = vec![vec![]; n];
    for i in 0..n {
        for (j, p) in p.of(i) {
            rows[i].push(p);
            rows[j].push(p);
        }
    }
    for record in expected["affinities"].as_array().unwrap() {
        let row = &mut rows[record["row"].as_u64().unwrap() as usize];
        row.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(row.len() as u64, record["stored"].as_u64().unwrap());
        // scikit-learn stops its search at 1e-5 of the entropy.
        let sum = record["sum"].as_f64().unwrap();
        assert!((row.iter().sum::<f64>() / sum - 1.0).abs() < 1e-4);
        for (found, expected) in row.iter().zip(record["largest"].as_array().unwrap()) {
            let expected = expected.as_f64().unwrap();
            assert!((found - expected).abs() < 1e-6 / n as f64 + 1e-4 * expected, "{found} {expected}");
        }
    }
    let y = embedded(points, settings(n, dimensions));
    let y = Points::new(y.view()).unwrap();
    let trust = trustworthiness(points, &y, 10);
    let theirs = expected[format!("trustworthiness_{dimensions}")].as_f64().unwrap();
    println!("trustworthiness {trust}, scikit-learn {theirs}");
    assert!(trust >= theirs - 0.01, "{trust} {theirs}");
    if dimensions == 2 {
        let (found, theirs) = (divergence(&p, &y), expected["divergence"].as_f64().unwrap());
        println!("divergence {found}, scikit-learn {theirs}");
        assert!(found <= theirs * 1.03, "{found} {theirs}");
    }
}

#[test]
fn blobs_as_scikit_learn() {
    let (record, values) = (&golden()["blobs"], blobs(600, 10, 6));
    for (found, expected) in values.iter().zip(record["first"].as_array().unwrap()) {
        assert!((found - expected.as_f64().unwrap()).abs() < 1e-12);
    }
    let points = Points::row_major(10, &values).unwrap();
    agrees(&points, record, 2);
    agrees(&points, record, 3);
}

#[test]
fn digits_as_scikit_learn() {
    let bytes = include_bytes!("../../www/sample/digits.npz");
    let file = read("digits.npz", bytes, &mut |_| ()).unwrap();
    let column = file.columns.iter().find(|column| column.name == "features").unwrap();
    let Values::Matrix(matrix) = &column.values else { panic!("features are an array") };
    let mut values = vec![0.0; matrix.rows() * 3];
    for (i, row) in values.chunks_exact_mut(3).enumerate() {
        matrix.row_into(i, row);
    }
    agrees(&Points::row_major(3, &values).unwrap(), &golden()["digits"], 2);
}

#[test]
fn blobs_stay_apart_and_bits_stay_the_same() {
    let values = blobs(200, 5, 2);
    let points = Points::row_major(5, &values).unwrap();
    for dimensions in [2, 3] {
        let y = embedded(&points, settings(200, dimensions));
        assert_eq!(y, embedded(&points, settings(200, dimensions)));
        let y = Points::new(y.view()).unwrap();
        for i in 0..200 {
            let nearest = (0..200)
                .filter(|&j| j != i)
                .min_by(|&a, &b| square(y.row(i), y.row(a)).total_cmp(&square(y.row(i), y.row(b))));
            assert_eq!(nearest.unwrap() % 2, i % 2);
        }
    }
    let other = Tsne { seed: 1, ..settings(200, 2) };
    assert_ne!(embedded(&points, other), embedded(&points, settings(200, 2)));
}

#[test]
fn progress_shows_the_picture() {
    let values = blobs(100, 4, 3);
    let points = Points::row_major(4, &values).unwrap();
    let (mut shares, mut pictures) = (vec![], vec![]);
    let y = settings(100, 2)
        .embed(&points, &mut |share, picture| {
            shares.push(share);
            pictures.extend(picture.map(<[f32]>::to_vec));
        })
        .unwrap();
    assert!(shares.is_sorted() && shares.last() == Some(&1.0));
    assert!(pictures.len() >= 20);
    assert!(pictures.iter().all(|picture| picture.len() == 200));
    assert_ne!(pictures[0], pictures[10]);
    // The answer is the last picture, centered.
    let last = pictures.last().unwrap();
    let mean = last.iter().step_by(2).map(|&x| f64::from(x)).sum::<f64>() / 100.0;
    assert!((f64::from(last[0]) - mean - y[[0, 0]]).abs() < 1e-9);
}

#[test]
fn awkward_rows() {
    let finite = |values: &[f64], d: usize, dimensions: usize| {
        let points = Points::row_major(d, values).unwrap();
        let y = embedded(&points, settings(points.n(), dimensions));
        assert!(y.len() == points.n() * dimensions && y.iter().all(|y| y.is_finite()));
        y
    };
    assert!(finite(&[7.0; 30], 3, 2).iter().all(|y| *y == 0.0));
    finite(&[1.0, 2.0, 3.0, 4.0], 1, 2);
    finite(&(0..50).map(f64::from).collect::<Vec<_>>(), 1, 3);
    // Two places only, 60 rows each: far from each other in the picture.
    let two: Vec<f64> = (0..120).map(|i| f64::from(i % 2)).collect();
    let y = finite(&two, 1, 2);
    let rows = Points::new(y.view()).unwrap();
    let center = |k: usize| {
        let of: Vec<usize> = (k..120).step_by(2).collect();
        [0, 1].map(|c| of.iter().map(|&i| rows.row(i)[c]).sum::<f64>() / 60.0)
    };
    let gap = square(&center(0), &center(1)).sqrt();
    assert!((0..120).all(|i| square(rows.row(i), &center(i % 2)).sqrt() < gap));
    // Any size of the features.
    for size in [1e-30, 1e30] {
        let values: Vec<f64> = blobs(60, 2, 2).iter().map(|x| x * size).collect();
        finite(&values, 2, 2);
    }
}

#[test]
fn what_cannot_be_asked() {
    let refused = |n: usize, settings: Tsne| {
        let values = blobs(n, 2, 2);
        let points = Points::row_major(2, &values).unwrap();
        settings.embed(&points, &mut |_, _| ()).unwrap_err().code()
    };
    assert_eq!(refused(3, settings(3, 2)), "too_few_rows");
    for faulty in [
        Tsne { perplexity: 7.0, ..settings(20, 2) },
        Tsne { perplexity: 0.5, ..settings(20, 2) },
        Tsne { dimensions: 4, ..settings(20, 2) },
        Tsne { iterations: 0, ..settings(20, 2) },
    ] {
        assert_eq!(refused(20, faulty), "invalid_option");
    }
}
