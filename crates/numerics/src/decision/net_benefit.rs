//! The decision curve: what acting on a probability is worth, in true positives.

use crate::error::Result;
use crate::num::check_lengths;
use crate::num::order::ascending;
use crate::num::ties::at_or_above;

/// Net benefit at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetBenefit {
    /// t: act on whoever has a probability of at least t
    pub threshold: f64,
    /// TP/n − FP/n · t/(1 − t) of the model
    pub model: f64,
    /// the same if everybody is acted on
    pub all: f64,
}

/// Net benefit of acting from each threshold on; acting on no row is worth 0.
///
/// * `p`: probabilities, n; `y`: 1 where it happened, n; `thresholds`: in [0, 1)
///
/// Errors: `empty`, `length_mismatch`. One sort, then O(log n) a threshold.
/// Source: Vickers and Elkin (2006), "Decision curve analysis".
///
/// ```
/// use localcal_numerics::decision::net_benefit::net_benefit;
///
/// // three of four are acted on, two of them rightly: 2/4 − 1/4 · 0.2/0.8
/// let found = net_benefit(&[0.1, 0.3, 0.6, 0.8], &[0, 1, 0, 1], &[0.2])?;
/// assert!((found[0].model - 0.4375).abs() < 1e-12);
/// # Ok::<(), localcal_numerics::Error>(())
/// ```
pub fn net_benefit(p: &[f64], y: &[u8], thresholds: &[f64]) -> Result<Vec<NetBenefit>> {
    check_lengths(p.len(), y.len())?;
    let order = ascending(p);
    let n = p.len() as f64;
    // events among the rows from place i on
    let mut events = vec![0.0; p.len() + 1];
    for (place, &i) in order.iter().enumerate().rev() {
        events[place] = events[place + 1] + f64::from(y[i as usize]);
    }
    let rate = events[0] / n;
    let at = |&threshold: &f64| {
        let odds = threshold / (1.0 - threshold);
        let first = order.partition_point(|i| !at_or_above(p[*i as usize], threshold));
        let (acted, hit) = ((p.len() - first) as f64, events[first]);
        NetBenefit { threshold, model: (hit - (acted - hit) * odds) / n, all: rate - (1.0 - rate) * odds }
    };
    Ok(thresholds.iter().map(at).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn by_hand() {
        let (p, y) = ([0.1, 0.3, 0.6, 0.8], [0, 1, 0, 1]);
        let found = net_benefit(&p, &y, &[0.0, 0.2, 0.6, 0.9]).unwrap();
        assert_eq!((found[0].model, found[0].all), (0.5, 0.5));
        // three are acted on, two rightly: 2/4 − 1/4 · .25
        assert!((found[1].model - 0.4375).abs() < 1e-15 && (found[1].all - 0.375).abs() < 1e-15);
        // .6 itself is acted on: 1/4 − 1/4 · 1.5
        assert!((found[2].model + 0.125).abs() < 1e-15);
        assert_eq!(found[3].model, 0.0);
    }
}
