//! Deciding with a third answer: “unsure, ask a person”.

use crate::error::{Error, Result};
use crate::num::check_lengths;
use crate::num::order::ascending;
use crate::num::ties::{at_or_above, tie_blocks};

/// What an answer may cost.
const COSTS: std::ops::RangeInclusive<f64> = 1e-12..=1e12;

/// What answers cost: u for “unsure”, w for a wrong one, nothing for a right one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// w, of a wrong answer
    pub wrong: f64,
    /// u, of asking
    pub unsure: f64,
}

/// What a threshold brings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reward {
    /// −u · #unsure − w · #(answered and wrong)
    pub total: f64,
    /// rows that are asked about
    pub unsure: usize,
    /// rows that are answered, and wrongly
    pub wrong: usize,
}

impl Costs {
    /// Checked costs.
    ///
    /// # Errors
    /// `invalid_option` unless both lie between 1e-12 and 1e12: sums of what is beyond could not be told any more.
    pub fn new(wrong: f64, unsure: f64) -> Result<Self> {
        let usable = |cost: f64| COSTS.contains(&cost);
        if usable(wrong) && usable(unsure) {
            return Ok(Self { wrong, unsure });
        }
        Err(Error::new(
            "invalid_option",
            format!("The error cost {wrong} or the deferral cost {unsure} is invalid."),
            "Use two numbers from 1e-12 to 1e12; only their ratio matters.",
        ))
    }

    /// τ = 1 − u/w: the confidence from which on a calibrated model should answer; 0 where asking costs no less.
    pub fn threshold(&self) -> f64 {
        (1.0 - self.unsure / self.wrong).max(0.0)
    }

    /// The reward of answering from confidence `threshold` on, a tie included.
    ///
    /// * `c`: confidences, n; `correct`: 1 where the prediction is right, n
    ///
    /// Errors: `empty`, `length_mismatch`. O(n). Source: Luo et al. (2022), section 5.3.
    ///
    /// ```
    /// use localcal_numerics::decision::unsure::Costs;
    ///
    /// let costs = Costs::new(5.0, 1.0)?;
    /// assert_eq!(costs.threshold(), 0.8);
    /// // 0.6 is asked about, 0.9 is answered wrongly: −1 − 5
    /// let found = costs.reward(&[0.9, 0.6, 0.95], &[0, 1, 1], costs.threshold())?;
    /// assert_eq!((found.unsure, found.wrong, found.total), (1, 1, -6.0));
    /// # Ok::<(), localcal_numerics::Error>(())
    /// ```
    pub fn reward(&self, c: &[f64], correct: &[u8], threshold: f64) -> Result<Reward> {
        check_lengths(c.len(), correct.len())?;
        let mut found = Reward::default();
        for (&c, &a) in c.iter().zip(correct) {
            if !at_or_above(c, threshold) {
                found.unsure += 1;
            } else if a == 0 {
                found.wrong += 1;
            }
        }
        found.total = -self.unsure * found.unsure as f64 - self.wrong * found.wrong as f64;
        Ok(found)
    }

    /// What each row brings under the threshold τ: 0, −u or −w.
    pub fn of_row(&self, c: f64, correct: u8) -> f64 {
        if !at_or_above(c, self.threshold()) {
            -self.unsure
        } else if correct == 0 {
            -self.wrong
        } else {
            0.0
        }
    }

    /// The threshold that would have cost least on these very rows, and its reward: τ itself for a calibrated model,
    /// up to chance. A threshold above every confidence (ask about all) is 1 + the largest.
    ///
    /// Errors: `empty`, `length_mismatch`. One sort.
    ///
    /// ```
    /// use localcal_numerics::decision::unsure::Costs;
    ///
    /// // answering the two surest is right; asking about the third costs 1 instead of 5
    /// let (threshold, reward) = Costs::new(5.0, 1.0)?.best_in_hindsight(&[0.9, 0.8, 0.6], &[1, 1, 0])?;
    /// assert_eq!((threshold, reward.total, reward.unsure), (0.8, -1.0, 1));
    /// # Ok::<(), localcal_numerics::Error>(())
    /// ```
    pub fn best_in_hindsight(&self, c: &[f64], correct: &[u8]) -> Result<(f64, Reward)> {
        check_lengths(c.len(), correct.len())?;
        let order = ascending(c);
        let wrong = correct.iter().filter(|a| **a == 0).count();
        let cost = |unsure: usize, wrong: usize| self.unsure * unsure as f64 + self.wrong * wrong as f64;
        let (mut asked, mut left) = (0, wrong);
        let mut best = (cost(0, wrong), 0.0, 0, wrong);
        for block in tie_blocks(c, &order) {
            asked += block.len();
            left -= order[block.clone()].iter().filter(|i| correct[**i as usize] == 0).count();
            let threshold = order
                .get(block.end)
                .map_or_else(|| 1.0 + order.last().map_or(0.0, |i| c[*i as usize]), |next| c[*next as usize]);
            if cost(asked, left) < best.0 {
                best = (cost(asked, left), threshold, asked, left);
            }
        }
        Ok((best.1, Reward { total: -best.0, unsure: best.2, wrong: best.3 }))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::fixtures::f8_top;
    use crate::reference_files::{heart, top_label};
    use proptest::prelude::*;

    #[test]
    fn worked_values() {
        let (c, a) = f8_top();
        for (ratio, threshold, unsure, wrong, total) in
            [(1.0, 0.0, 0, 2, -2.0), (2.0, 0.5, 2, 2, -6.0), (5.0, 0.8, 4, 1, -9.0), (10.0, 0.9, 6, 0, -6.0)]
        {
            let costs = Costs::new(ratio, 1.0).unwrap();
            assert!((costs.threshold() - threshold).abs() < 1e-15);
            let found = costs.reward(&c, &a, costs.threshold()).unwrap();
            assert_eq!(found, Reward { total, unsure, wrong }, "{ratio}");
            let rows = c.iter().zip(&a).map(|(c, a)| costs.of_row(*c, *a));
            assert_eq!(rows.sum::<f64>(), total);
        }
    }

    #[test]
    fn heart_reference_numbers() {
        let Some((p, y)) = heart() else { return };
        let (c, a) = top_label(&p, &y);
        let c: Vec<f64> = c.iter().map(|c| (c * 1e12).round() / 1e12).collect();
        for (ratio, total, unsure) in [(2.0, -472.0, 0), (5.0, -836.0, 541), (10.0, -911.0, 721)] {
            let costs = Costs::new(ratio, 1.0).unwrap();
            let found = costs.reward(&c, &a, costs.threshold()).unwrap();
            assert_eq!((found.total, found.unsure), (total, unsure));
        }
    }

    #[test]
    fn costs_that_are_none() {
        for (wrong, unsure) in [(0.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0)] {
            let error = Costs::new(wrong, unsure).unwrap_err();
            assert_eq!(error.code(), "invalid_option");
            assert!(error.to_string().starts_with("The error cost"));
        }
    }

    fn rows() -> impl Strategy<Value = Vec<(f64, u8)>> {
        let c = prop_oneof![0.0f64..1.0, (0..=100u8).prop_map(|k| f64::from(k) / 100.0)];
        prop::collection::vec((c, 0..2u8), 1..200)
    }

    proptest! {
        // methods, property 22, and what the hindsight threshold promises
        #[test]
        fn rewards_are_never_positive(rows in rows(), wrong in 0.1f64..50.0, unsure in 0.1f64..5.0) {
            let (c, a): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
            let costs = Costs::new(wrong, unsure).unwrap();
            let n = c.len();
            let errors = a.iter().filter(|a| **a == 0).count();
            let found = costs.reward(&c, &a, costs.threshold()).unwrap();
            prop_assert!(found.total <= 0.0);
            let sure = costs.reward(&vec![1.0; n], &a, costs.threshold()).unwrap();
            prop_assert!((sure.total + wrong * errors as f64).abs() < 1e-9);
            if wrong > unsure {
                let never = costs.reward(&vec![0.0; n], &a, costs.threshold()).unwrap();
                prop_assert!((never.total + unsure * n as f64).abs() < 1e-9);
            }
            let (threshold, best) = costs.best_in_hindsight(&c, &a).unwrap();
            prop_assert!(best.total >= found.total - 1e-9);
            let again = costs.reward(&c, &a, threshold).unwrap();
            prop_assert!((again.total - best.total).abs() < 1e-9);
        }
    }
}
