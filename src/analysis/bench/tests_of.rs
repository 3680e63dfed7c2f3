//! Which tests there are, which work they share, and what each is called.

use serde::{Deserialize, Serialize};

use crate::hypothesis::Null;

/// A test whose rejection rate is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BenchTest {
    /// the summary of the page: any significant result, overall or in a subgroup
    Finding,
    /// Poisson-binomial test of the groups of a column, adjusted by Holm's method
    Groups,
    /// the neighborhood of the map with the smallest p-value
    Neighbourhoods,
    /// largest standardized local bias
    Witness,
    /// KLCE calibration test, outcomes drawn from the predicted probabilities
    KlceBernoulli,
    /// KLCE calibration test, permuted residuals, centered: the p-values of the paper
    KlcePermuteCentred,
    /// KLCE calibration test, permuted residuals
    KlcePermute,
    /// KLCE calibration test, residuals drawn with replacement: the algorithm of the paper
    KlceBootstrap,
    /// Spiegelhalter's z test
    Spiegelhalter,
    /// Hosmer–Lemeshow test, ten groups and ten degrees of freedom, as for external validation
    HosmerLemeshow,
}

/// What is done for some tests at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// [`BenchTest::Finding`]
    Finding,
    /// [`BenchTest::Groups`]
    Groups,
    /// [`BenchTest::Neighbourhoods`]
    Neighbourhoods,
    /// [`BenchTest::Witness`]
    Witness,
    /// [`BenchTest::KlceBernoulli`]
    Drawn,
    /// both nulls that permute
    Permuted,
    /// [`BenchTest::KlceBootstrap`]
    Repeated,
    /// [`BenchTest::Spiegelhalter`] and [`BenchTest::HosmerLemeshow`]
    Classical,
}

impl Work {
    /// In the order in which tests are told.
    pub const ALL: [Self; 8] = [
        Self::Finding,
        Self::Groups,
        Self::Neighbourhoods,
        Self::Witness,
        Self::Drawn,
        Self::Permuted,
        Self::Repeated,
        Self::Classical,
    ];

    /// The tests that it answers.
    pub fn tests(self) -> &'static [BenchTest] {
        match self {
            Self::Finding => &[BenchTest::Finding],
            Self::Groups => &[BenchTest::Groups],
            Self::Neighbourhoods => &[BenchTest::Neighbourhoods],
            Self::Witness => &[BenchTest::Witness],
            Self::Drawn => &[BenchTest::KlceBernoulli],
            Self::Permuted => &[BenchTest::KlcePermuteCentred, BenchTest::KlcePermute],
            Self::Repeated => &[BenchTest::KlceBootstrap],
            Self::Classical => &[BenchTest::Spiegelhalter, BenchTest::HosmerLemeshow],
        }
    }
}

impl BenchTest {
    /// Every test, in the order in which they are told.
    pub const ALL: [Self; 10] = [
        Self::Finding,
        Self::Groups,
        Self::Neighbourhoods,
        Self::Witness,
        Self::KlceBernoulli,
        Self::KlcePermuteCentred,
        Self::KlcePermute,
        Self::KlceBootstrap,
        Self::Spiegelhalter,
        Self::HosmerLemeshow,
    ];

    /// As scripts write it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Finding => "finding",
            Self::Groups => "groups",
            Self::Neighbourhoods => "neighbourhoods",
            Self::Witness => "witness",
            Self::KlceBernoulli => "klce_bernoulli",
            Self::KlcePermuteCentred => "klce_permute_centred",
            Self::KlcePermute => "klce_permute",
            Self::KlceBootstrap => "klce_bootstrap",
            Self::Spiegelhalter => "spiegelhalter",
            Self::HosmerLemeshow => "hosmer_lemeshow",
        }
    }

    /// At the beginning of a line.
    pub fn title(self) -> &'static str {
        match self {
            Self::Finding => "The finding",
            Self::Groups => "Groups",
            Self::Neighbourhoods => "Neighborhoods",
            Self::Witness => "Local bias",
            Self::KlceBernoulli => "KLCE test",
            Self::KlcePermuteCentred => "KLCE test, permuted, centered",
            Self::KlcePermute => "KLCE test, permuted",
            Self::KlceBootstrap => "KLCE test, bootstrap",
            Self::Spiegelhalter => "Spiegelhalter's z",
            Self::HosmerLemeshow => "Hosmer–Lemeshow",
        }
    }

    /// Within a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Finding => "the finding",
            Self::Groups => "the test of groups",
            Self::Neighbourhoods => "the worst neighborhood",
            Self::Witness => "the local bias",
            Self::KlceBernoulli => "the KLCE test",
            Self::KlcePermuteCentred => "the KLCE test with centered permutations",
            Self::KlcePermute => "the KLCE test with permutations",
            Self::KlceBootstrap => "the KLCE test with the bootstrap",
            Self::Spiegelhalter => "Spiegelhalter's z",
            Self::HosmerLemeshow => "Hosmer–Lemeshow",
        }
    }

    /// When it fires.
    pub fn fires(self) -> &'static str {
        match self {
            Self::Finding => "any significant result, overall or in a subgroup",
            Self::Groups => "any significant group, adjusted for all of them (Holm)",
            Self::Neighbourhoods => "the worst place on the map, adjusted for all places",
            Self::Witness => "the most extreme location, adjusted for all locations",
            Self::KlceBernoulli => "p-value with outcomes drawn from the scores",
            Self::KlcePermuteCentred => "p-value of the paper's package; reported only",
            Self::KlcePermute => "reported only; no power against an error that is the same everywhere",
            Self::KlceBootstrap => {
                "the paper's algorithm; reported only, no power against an error that is the same everywhere"
            }
            Self::Spiegelhalter => "a metric beside others; p of the normal distribution",
            Self::HosmerLemeshow => "a metric beside others; p of χ² with ten degrees of freedom",
        }
    }

    /// Whether the page states something by it; else it stands beside what is stated.
    pub fn stated(self) -> bool {
        matches!(self, Self::Finding | Self::Groups | Self::Neighbourhoods | Self::Witness | Self::KlceBernoulli)
    }

    /// Why it may fire more often than it promises, where that is known.
    pub fn known_fault(self) -> Option<&'static str> {
        match self {
            Self::KlcePermuteCentred | Self::KlcePermute => Some(
                "permutations assume equal variance in all rows, but outcomes vary most at scores near one half: \
                 with a small score bandwidth, the level is exceeded for calibrated scores",
            ),
            Self::HosmerLemeshow => {
                Some("the χ² distribution requires several expected events and non-events in every group")
            }
            Self::Spiegelhalter => Some("the normal distribution requires many events and non-events"),
            _ => None,
        }
    }

    /// Its null where it is one of the KLCE test.
    pub fn null(self) -> Option<Null> {
        match self {
            Self::KlceBernoulli => Some(Null::Bernoulli),
            Self::KlcePermuteCentred => Some(Null::PermuteCentred),
            Self::KlcePermute => Some(Null::Permute),
            Self::KlceBootstrap => Some(Null::Bootstrap),
            _ => None,
        }
    }
}
