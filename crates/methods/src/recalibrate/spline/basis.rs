//! The basis of natural cubic splines of truncated powers.

/// 1, x, and d_k(x) − d_{K−1}(x) for every knot but the last two of K, with
/// d_k(x) = ((x − ξ_k)₊³ − (x − ξ_K)₊³) / (ξ_K − ξ_k).
///
/// Source: Hastie, Tibshirani and Friedman (2009), equations 5.4 and 5.5.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis {
    /// ξ, ascending; fewer than three leave a straight line
    pub knots: Vec<f64>,
}

impl Basis {
    /// At knots that ascend.
    pub fn new(knots: Vec<f64>) -> Self {
        Self { knots }
    }

    /// Functions: as many as knots, at least two.
    pub fn len(&self) -> usize {
        self.knots.len().max(2)
    }

    /// Never: there are the constant and x.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Every function at x, into `out` of their number.
    pub fn at(&self, x: f64, out: &mut [f64]) {
        let mut values = [1.0, x].into_iter().chain(self.bends(x));
        out.iter_mut().for_each(|out| *out = values.next().unwrap_or(0.0));
    }

    /// Σ βⱼ of function j at x.
    pub fn value(&self, coefficients: &[f64], x: f64) -> f64 {
        coefficients.iter().zip([1.0, x].into_iter().chain(self.bends(x))).map(|(b, value)| b * value).sum()
    }

    fn bends(&self, x: f64) -> impl Iterator<Item = f64> {
        let cube = |v: f64| v.max(0.0).powi(3);
        let (inner, last) = match self.knots.as_slice() {
            [inner @ .., last] => (inner, *last),
            [] => (&[][..], 0.0),
        };
        let beyond = cube(x - last);
        let d = move |knot: f64| (cube(x - knot) - beyond) / (last - knot);
        let (before, next_to_last) = match inner {
            [before @ .., next] => (before, d(*next)),
            [] => (&[][..], 0.0),
        };
        before.iter().map(move |&knot| d(knot) - next_to_last)
    }
}
