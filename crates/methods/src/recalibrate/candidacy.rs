//! How a recalibrator takes part in the recommendation.

/// A recalibrator as a candidate of the recommendation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidacy {
    /// position among the methods that are evaluated by default, from simple to complex, different for each; `None`: evaluated on
    /// request only
    pub order: Option<u8>,
    /// the largest number of rows at which it is evaluated by default
    pub most_rows: usize,
    /// what it is fitted with
    pub uses: AdviceInput,
    /// how many numbers it fits
    pub learns: FittedNumbers,
}

impl Candidacy {
    /// Evaluated on request only, with the settings of the run.
    pub const ON_REQUEST: Self =
        Self { order: None, most_rows: usize::MAX, uses: AdviceInput::RunSettings, learns: FittedNumbers::FLEXIBLE };
}

/// What the recommendation supplies to a recalibrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdviceInput {
    /// nothing: it is fitted to all rows, with the settings of the run
    RunSettings,
    /// the listed subgroups, as `slices`, once with each `slope`
    Subgroups,
    /// the column that defines the first listed subgroup, as `groups`
    Column,
    /// the columns that define the listed subgroups, as `groups`
    Columns,
    /// coordinates, as `features`, if the run has none
    Coordinates,
}

/// How many numbers a recalibrator fits. The recommendation compares it with the number of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FittedNumbers {
    /// this many
    Fixed(usize),
    /// this many for each group
    PerGroup(usize),
    /// this many for each class, fitted to the rows of that class
    PerClass(usize),
    /// a row of a matrix and an intercept for each class, fitted to the rows of that class
    MatrixRows,
}

impl FittedNumbers {
    /// Steps, bins and locations: how many numbers they amount to depends on the rows.
    pub const FLEXIBLE: Self = Self::Fixed(10);
    /// The same for each group.
    pub const FLEXIBLE_PER_GROUP: Self = Self::PerGroup(10);
}
