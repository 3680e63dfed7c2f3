//! Functions of probabilities and log-odds that neither overflow nor cancel.

/// Clip of probabilities before a logarithm or logit: the machine epsilon of f64.
pub const PROB_CLIP: f64 = f64::EPSILON;

/// σ(x) = 1/(1 + e⁻ˣ).
#[inline]
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// ln σ(x) = −ln(1 + e⁻ˣ), finite for every finite x.
#[inline]
pub fn ln_sigmoid(x: f64) -> f64 {
    x.min(0.0) - (-x.abs()).exp().ln_1p()
}

/// ln(p/(1 − p)) with p clipped to [clip, 1 − clip].
#[inline]
pub fn logit(p: f64, clip: f64) -> f64 {
    let p = p.clamp(clip, 1.0 - clip);
    (p / (1.0 - p)).ln()
}

/// ln Σ exp(xᵢ), shifted by the largest; −∞ for no terms.
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let top = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + x.iter().map(|&v| (v - top).exp()).sum::<f64>().ln()
}

/// Replaces logits by exp(zₖ)/Σⱼ exp(zⱼ), shifted by the largest.
pub fn softmax_in_place(z: &mut [f64]) {
    let top = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for v in z.iter_mut() {
        *v = (*v - top).exp();
        sum += *v;
    }
    let scale = 1.0 / sum;
    for v in z.iter_mut() {
        *v *= scale;
    }
}

/// Position of the largest value; ties to the lowest index, 0 for an empty slice.
pub fn argmax(x: &[f64]) -> usize {
    let mut best = 0;
    for (i, &v) in x.iter().enumerate() {
        if v > x[best] {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigmoid_and_logit_are_inverse() {
        for p in [1e-12, 0.1, 0.5, 0.9, 1.0 - 1e-9] {
            assert!((sigmoid(logit(p, PROB_CLIP)) - p).abs() < 1e-15);
        }
        assert_eq!(sigmoid(-1e4), 0.0);
        assert_eq!(sigmoid(1e4), 1.0);
        assert!(logit(0.0, PROB_CLIP) < -36.0 && logit(1.0, PROB_CLIP) > 36.0);
    }

    #[test]
    fn ln_sigmoid_does_not_cancel() {
        assert_eq!(ln_sigmoid(-1e4), -1e4);
        assert!((ln_sigmoid(40.0) + (-40.0_f64).exp()).abs() < 1e-30);
        assert!((ln_sigmoid(0.3) - sigmoid(0.3).ln()).abs() < 1e-15);
    }

    #[test]
    fn softmax_ignores_a_shift() {
        let (mut a, mut b) = ([1.0, 2.0, 0.5], [1001.0, 1002.0, 1000.5]);
        softmax_in_place(&mut a);
        softmax_in_place(&mut b);
        for (x, y) in a.iter().zip(&b) {
            assert!((x - y).abs() < 1e-13);
        }
        assert!((log_sum_exp(&[1e3, 1e3]) - 1e3 - 2_f64.ln()).abs() < 1e-12);
        assert_eq!(argmax(&[0.3, 0.4, 0.4]), 1);
    }
}
