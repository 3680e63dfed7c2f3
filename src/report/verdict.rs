//! Verdicts: the finding of an analysis, its evidence, and the headline that the evidence permits.
//!
//! No sentence claims more than its numbers: a headline states a finding only if its test is significant, and says so if
//! it is not or if there is no test.

use serde::{Deserialize, Serialize};

use super::gap::direction;
use crate::words::number::p_value;

/// At most this share of calibrated data sets is reported as miscalibrated by one analysis.
pub use crate::hypothesis::LEVEL;

/// Evidence for a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// p-value adjusted for all tests
    P(f64),
    /// 95% CI of the effect, simultaneous over all comparisons
    Interval([f64; 2]),
    /// not tested, with the reason
    Untested(String),
}

/// Whether a finding is significant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// significant
    Beyond,
    /// not significant
    Chance,
    /// not tested
    Untested,
}

/// The most significant result of an analysis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// [`Evidence`] at [`LEVEL`]
    pub finding: Finding,
    /// evidence for the finding
    pub evidence: Evidence,
    /// size of the effect: predicted − observed where these are compared; null if there is none
    pub size: Option<f64>,
    /// group, location or quantity concerned; empty for all rows
    pub subject: String,
}

impl Verdict {
    /// By a p-value that is adjusted for all tests; without one the verdict is *not tested*, because of `why`.
    pub fn by_p(subject: impl Into<String>, size: f64, p: Option<f64>, why: &str) -> Self {
        let evidence = match p.filter(|p| !p.is_nan()) {
            Some(p) => Evidence::P(p),
            None => Evidence::Untested(why.to_owned()),
        };
        Self::new(subject, Some(size), evidence)
    }

    /// From any evidence.
    pub fn new(subject: impl Into<String>, size: Option<f64>, evidence: Evidence) -> Self {
        let finding = match &evidence {
            Evidence::P(p) if *p <= LEVEL => Finding::Beyond,
            Evidence::Interval([low, high]) if *low > 0.0 || *high < 0.0 => Finding::Beyond,
            Evidence::P(_) | Evidence::Interval(_) => Finding::Chance,
            Evidence::Untested(_) => Finding::Untested,
        };
        Self { finding, evidence, size: size.filter(|size| size.is_finite()), subject: subject.into() }
    }

    /// The same at another level than [`LEVEL`].
    pub fn at(self, level: f64) -> Self {
        let finding = match self.evidence {
            Evidence::P(p) if p <= level => Finding::Beyond,
            Evidence::P(_) => Finding::Chance,
            _ => self.finding,
        };
        Self { finding, ..self }
    }

    /// Without a test, because of `why` (a sentence without its full stop).
    pub fn untested(subject: impl Into<String>, size: Option<f64>, why: impl Into<String>) -> Self {
        Self::new(subject, size, Evidence::Untested(why.into()))
    }

    /// Whether the evidence supports the claim.
    pub fn is_supported(&self) -> bool {
        self.finding == Finding::Beyond
    }

    /// The headline: `claim` if it is significant, `quiet` if it is not, else why there is no test.
    pub fn headline(&self, claim: impl FnOnce() -> String, quiet: impl FnOnce() -> String) -> String {
        match &self.evidence {
            Evidence::Untested(why) => format!("{why}."),
            _ if self.is_supported() => claim(),
            _ => quiet(),
        }
    }

    /// "No significant error in 3 groups of sex; smallest adjusted p: men, underestimated by 2.0 percentage points
    /// (p = 0.31)."
    ///
    /// * `scope`: all that was tested
    pub fn no_error(&self, scope: &str) -> String {
        let smallest = match (self.subject.is_empty(), self.size) {
            (false, Some(size)) => {
                format!("; smallest adjusted p: {}, {}{}", self.subject, direction(size), self.p_in_brackets())
            }
            _ => String::new(),
        };
        format!("No significant error in {scope}{smallest}.")
    }

    /// " (p = 0.31)", or nothing without a p-value.
    pub fn p_in_brackets(&self) -> String {
        match self.evidence {
            Evidence::P(p) => format!(" ({})", p_value(p)),
            _ => String::new(),
        }
    }

    /// " (adjusted p = 0.031)", or nothing without a p-value.
    pub fn adjusted_p_in_brackets(&self) -> String {
        match self.evidence {
            Evidence::P(p) => format!(" (adjusted {})", p_value(p)),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_says_no_more_than_its_evidence() {
        let say =
            |verdict: &Verdict| verdict.headline(|| "It is off.".to_owned(), || verdict.no_error("2 groups of sex"));
        let by = |p: f64| Verdict::by_p("men", -0.02, Some(p), "");
        assert_eq!(say(&by(0.05)), "It is off.");
        assert_eq!(
            say(&by(0.31)),
            "No significant error in 2 groups of sex; smallest adjusted p: men, underestimated by 2.0 percentage points \
             (p\u{a0}=\u{a0}0.31)."
        );
        let none = Verdict::by_p("men", 0.02, Some(f64::NAN), "“sex” is the outcome itself");
        assert_eq!(none.finding, Finding::Untested);
        assert_eq!(say(&none), "“sex” is the outcome itself.");
        let between = |low, high| Verdict::new("", None, Evidence::Interval([low, high]));
        assert!(between(0.01, 0.2).is_supported() && between(-0.2, -0.01).is_supported());
        assert!(!between(-0.1, 0.2).is_supported() && !between(f64::NAN, f64::NAN).is_supported());
        assert_eq!(say(&between(-0.1, 0.2)), "No significant error in 2 groups of sex.");
    }
}
