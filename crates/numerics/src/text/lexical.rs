//! Lexical dimensions: texts that share words are near each other.
//!
//! They say nothing about meaning: two questions about the same matter in other words are far from each other.

use nalgebra::DMatrix;

use super::sparse::{Sparse, row_times};
use super::terms::{BUCKETS, hashed_terms};
use crate::num::order::sort_short;
use crate::num::rng::Lanes;

/// Dimensions of a space.
pub const DIMENSIONS: usize = 24;
/// Directions of the search, sixteen beyond those that are kept.
const WIDTH: usize = DIMENSIONS + 16;
/// Multiplications by A Aᵀ.
const PASSES: usize = 6;
/// Texts from which terms and directions are learned at most; the others are placed by them.
pub const MOST_FITTED: usize = 6_000;
/// And bytes of these texts: of longer ones fewer.
const MOST_BYTES: usize = 16 << 20;
/// Singular values below this part of the largest are those of a matrix of lower rank.
const RANK: f64 = 1e-7;

/// A linear map from the terms of a text to a few dimensions.
///
/// Terms are words and pairs of words, hashed; those of a single text are left out. A text is its vector of
/// tf · idf of length 1, idf = ln((1 + n)/(1 + df)) + 1. The dimensions are the right singular vectors of the n × m matrix of
/// the texts with the largest singular values (latent semantic analysis).
#[derive(Debug, Clone)]
pub struct LexicalSpace {
    /// column and weight of each bucket; [`NONE`] of one that is in fewer than two texts
    place: Vec<u32>,
    idf: Vec<f64>,
    /// of every column its part in each dimension
    directions: Vec<[f64; WIDTH]>,
    /// of each dimension, the largest first
    pub singular_values: Vec<f64>,
    /// part of the squared length of all fitted vectors that the dimensions keep: 0 to 1
    pub kept: f64,
    /// terms that are in two texts at least
    pub terms: usize,
    /// texts from which it was learned
    pub fitted: usize,
}

const NONE: u32 = u32::MAX;

impl LexicalSpace {
    /// The space of some texts, of [`DIMENSIONS`] dimensions or as many as there are; none where they share fewer than two. Of
    /// more than [`MOST_FITTED`] texts, or of longer texts than 16 MB in all, evenly spaced ones are fitted.
    ///
    /// The start of the subspace iteration is fixed by `seed`: the same texts and seed give the same space.
    ///
    /// # Cost
    /// O(words), and O(T (24 + 16) · 13) for T different terms in all texts together.
    ///
    /// # Source
    /// Deerwester et al. (1990), Indexing by latent semantic analysis; Halko, Martinsson and Tropp (2011), Finding structure
    /// with randomness, algorithm 4.4. Terms and weights are those of scikit-learn's `HashingVectorizer` and
    /// `TfidfTransformer`.
    pub fn fit(texts: &[&str], seed: u64) -> Option<Self> {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let every = texts.len().div_ceil(MOST_FITTED).max(bytes.div_ceil(MOST_BYTES)).max(1);
        let mut space = Self {
            place: Vec::new(),
            idf: Vec::new(),
            directions: Vec::new(),
            singular_values: Vec::new(),
            kept: 0.0,
            terms: 0,
            fitted: 0,
        };
        let matrix = space.learned(texts.iter().copied().step_by(every));
        space.fitted = matrix.rows();
        space.search(&matrix, seed);
        (space.singular_values.len() > 1).then_some(space)
    }

    /// Number of dimensions.
    pub fn d(&self) -> usize {
        self.singular_values.len()
    }

    /// The place of a text, length d: 0 where it has no term of the space. O(words · d).
    pub fn place(&self, text: &str) -> Vec<f64> {
        let mut columns = Vec::new();
        hashed_terms(text, &mut columns);
        let mut row = Vec::new();
        self.weighted(&columns, &mut row);
        row_times(&row, &self.directions).into_iter().take(self.d()).collect()
    }

    /// Learns which terms count, and how much: the vectors of the texts.
    fn learned<'a>(&mut self, texts: impl Iterator<Item = &'a str>) -> Sparse {
        let (mut columns, mut ends) = (Vec::new(), Vec::new());
        let mut terms: Vec<u32> = Vec::new();
        let mut df = vec![0_u32; BUCKETS as usize];
        for text in texts {
            hashed_terms(text, &mut columns);
            for same in columns.chunk_by(|a, b| a == b) {
                if let Some(df) = same.first().and_then(|bucket| df.get_mut(*bucket as usize)) {
                    *df += 1;
                }
            }
            terms.extend(&columns);
            ends.push(terms.len());
        }
        let n = ends.len() as f64;
        self.place = vec![NONE; df.len()];
        for (df, place) in df.iter().zip(&mut self.place).filter(|(df, _)| **df > 1) {
            *place = self.idf.len() as u32;
            self.idf.push(((1.0 + n) / (1.0 + f64::from(*df))).ln() + 1.0);
        }
        self.terms = self.idf.len();
        let mut matrix = Sparse { columns: self.terms, ..Sparse::default() };
        let (mut row, mut start) = (Vec::new(), 0);
        for end in ends {
            self.weighted(terms.get(start..end).unwrap_or(&[]), &mut row);
            matrix.entries.extend(&row);
            matrix.ends.push(matrix.entries.len());
            start = end;
        }
        matrix
    }

    /// tf · idf of the terms of a text, ascending, of length 1.
    fn weighted(&self, terms: &[u32], row: &mut Vec<(u32, f64)>) {
        row.clear();
        for same in terms.chunk_by(|a, b| a == b) {
            let place = same.first().and_then(|bucket| self.place.get(*bucket as usize)).copied();
            let Some(place) = place.filter(|place| *place != NONE) else { continue };
            let idf = self.idf.get(place as usize).copied().unwrap_or_default();
            row.push((place, same.len() as f64 * idf));
        }
        let length = row.iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|(_, x)| *x /= length);
        }
    }

    /// The leading right singular vectors of A by subspace iteration with A Aᵀ.
    fn search(&mut self, a: &Sparse, seed: u64) {
        let mut lanes = Lanes::seeded(seed, 0x1e81);
        let mut draws = std::iter::repeat_with(|| lanes.uniform()).flatten();
        let mut start = || -> [f64; WIDTH] { std::array::from_fn(|_| draws.next().unwrap_or(0.5) - 0.5) };
        let start: Vec<[f64; WIDTH]> = (0..a.columns).map(|_| start()).collect();
        let mut basis = orthonormal(&a.times(&start));
        for _ in 1..PASSES {
            basis = orthonormal(&a.times(&a.transposed_times(&basis)));
        }
        // Within the subspace: Aᵀ Q = V Σ Wᵀ.
        let onto = a.transposed_times(&basis);
        let (rotation, squares) = eigen(&gram(&onto));
        let most = squares.iter().copied().fold(0.0, f64::max);
        let singular: Vec<f64> = squares.iter().take(DIMENSIONS).map(|square| square.max(0.0).sqrt()).collect();
        self.singular_values = singular.into_iter().take_while(|s| *s > RANK * most.sqrt()).collect();
        self.directions = turned(&onto, &rotation);
        for (k, singular) in self.singular_values.iter().enumerate() {
            let column = || self.directions.iter().filter_map(|row| row.get(k));
            let largest = column().fold(0.0, |most: f64, x| if x.abs() > most.abs() { *x } else { most });
            let factor = if largest < 0.0 { -1.0 / singular } else { 1.0 / singular };
            self.directions.iter_mut().filter_map(|row| row.get_mut(k)).for_each(|x| *x *= factor);
        }
        let all: f64 = a.entries.iter().map(|(_, x)| x * x).sum();
        let kept: f64 = self.singular_values.iter().map(|s| s * s).sum();
        self.kept = if all > 0.0 { kept / all } else { 0.0 };
    }
}

/// Xᵀ X, W × W.
fn gram(x: &[[f64; WIDTH]]) -> DMatrix<f64> {
    let mut sum = [[0.0; WIDTH]; WIDTH];
    for row in x {
        for (sum, a) in sum.iter_mut().zip(row) {
            sum.iter_mut().zip(row).for_each(|(sum, b)| *sum += a * b);
        }
    }
    DMatrix::from_iterator(WIDTH, WIDTH, sum.into_iter().flatten())
}

/// Eigenvectors of a symmetric matrix as columns and their values, the largest first.
fn eigen(symmetric: &DMatrix<f64>) -> (DMatrix<f64>, Vec<f64>) {
    let found = symmetric.clone().symmetric_eigen();
    let mut order: Vec<usize> = (0..found.eigenvalues.len()).collect();
    let value = |i: usize| found.eigenvalues.get(i).copied().unwrap_or_default();
    sort_short(&mut order, |a, b| value(*a) > value(*b));
    let values = order.iter().map(|i| value(*i)).collect();
    (found.eigenvectors.select_columns(&order), values)
}

/// X R.
fn turned(x: &[[f64; WIDTH]], rotation: &DMatrix<f64>) -> Vec<[f64; WIDTH]> {
    let row = |k: usize| -> [f64; WIDTH] { std::array::from_fn(|j| rotation.get((k, j)).copied().unwrap_or_default()) };
    let rotation: Vec<[f64; WIDTH]> = (0..WIDTH).map(row).collect();
    let turn = |row: &[f64; WIDTH]| {
        let mut out = [0.0; WIDTH];
        for (x, r) in row.iter().zip(&rotation) {
            out.iter_mut().zip(r).for_each(|(out, r)| *out += x * r);
        }
        out
    };
    x.iter().map(turn).collect()
}

/// Orthonormal columns that span those of X; 0 in place of those beyond its rank. Twice by the eigenvectors of Xᵀ X, since
/// once leaves the square of its condition.
fn orthonormal(x: &[[f64; WIDTH]]) -> Vec<[f64; WIDTH]> {
    let once = |x: &[[f64; WIDTH]]| {
        let (mut rotation, squares) = eigen(&gram(x));
        let most = squares.iter().copied().fold(0.0, f64::max);
        for (mut column, square) in rotation.column_iter_mut().zip(&squares) {
            column *= if *square > RANK * RANK * most { 1.0 / square.sqrt() } else { 0.0 };
        }
        turned(x, &rotation)
    };
    once(&once(x))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXTS: [&str; 6] = [
        "which acid reacts with the base",
        "which acid dissolves in water",
        "which base reacts with water",
        "who wrote the novel about the war",
        "who wrote the play about the king",
        "who won the war of the king",
    ];

    fn near(a: &[f64], b: &[f64]) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    #[test]
    fn texts_of_the_same_words_are_near() {
        let space = LexicalSpace::fit(&TEXTS, 0).unwrap();
        let places: Vec<Vec<f64>> = TEXTS.iter().map(|text| space.place(text)).collect();
        assert!(space.d() <= 6 && space.d() > 1 && space.fitted == 6);
        assert!(near(&places[0], &places[1]) > near(&places[0], &places[3]) + 0.2, "{places:?}");
        assert!(near(&places[3], &places[4]) > near(&places[2], &places[4]) + 0.2);
        // All dimensions of few texts keep everything: places are as far from each other as the vectors.
        assert!((space.kept - 1.0).abs() < 1e-9, "{}", space.kept);
        let own: f64 = places[0].iter().map(|x| x * x).sum();
        assert!((own - 1.0).abs() < 1e-9);
        // The same bits again; of other words, the origin.
        let again = LexicalSpace::fit(&TEXTS, 0).unwrap();
        assert_eq!(TEXTS.map(|text| again.place(text)).to_vec(), places);
        assert!(space.place("zygote").iter().all(|x| *x == 0.0) && space.place("").iter().all(|x| *x == 0.0));
    }

    #[test]
    fn texts_that_share_nothing_have_no_space() {
        for texts in [&[][..], &["one text"][..], &["alpha beta", "gamma delta"][..], &["", " ", "?!"][..]] {
            assert!(LexicalSpace::fit(texts, 0).is_none(), "{texts:?}");
        }
    }

    #[test]
    fn singular_values_are_those_of_the_whole_matrix() {
        // Sums of squares: over all dimensions the squared length of the vectors, each 1.
        let texts: Vec<String> = (0..20).map(|i| format!("word{} word{} word{}", i % 5, i % 3, i % 2)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let space = LexicalSpace::fit(&texts, 3).unwrap();
        let sum: f64 = space.singular_values.iter().map(|s| s * s).sum();
        assert!((sum - 20.0).abs() < 1e-9, "{sum}");
        // Directions are orthonormal.
        let gram = gram(&space.directions);
        for (i, j) in (0..space.d()).flat_map(|i| (0..space.d()).map(move |j| (i, j))) {
            let expected = if i == j { 1.0 } else { 0.0 };
            assert!((gram[(i, j)] - expected).abs() < 1e-9, "{i} {j}: {}", gram[(i, j)]);
        }
    }
}
