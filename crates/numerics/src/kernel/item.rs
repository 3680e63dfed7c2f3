//! What the divide-and-sweep recursion moves about: one record per place.

/// The record gives weight to others.
pub(super) const SOURCE: u32 = 1;
/// The record wants an answer.
pub(super) const QUERY: u32 = 2;
/// In the bipartite problem of three dimensions: left of the outer split.
pub(super) const LEFT: u32 = 4;

/// A place with its weights and what it has received so far. Whole records move, so memory is streamed.
#[derive(Clone, Copy)]
pub(super) struct Item<const D: usize, const C: usize, A> {
    /// Coordinates; lists are kept in the order of the last one.
    pub(super) at: [f64; D],
    /// Rank by the first and by the second coordinate, ties broken by position.
    pub(super) rank: [u32; 2],
    /// Which answer this record belongs to.
    pub(super) id: u32,
    /// [`SOURCE`], [`QUERY`], [`LEFT`].
    pub(super) role: u32,
    /// Right-hand sides; zero for a record that is no source.
    pub(super) weight: [f64; C],
    /// Sums received so far.
    pub(super) sum: A,
}

/// Scratch arrays of one node.
#[derive(Default)]
pub(super) struct Scratch {
    /// Scaled distance from the split plane(s).
    pub(super) away: Vec<f64>,
    /// Scaled gap to the record before; one longer than the node.
    pub(super) gap: Vec<f64>,
    /// Which running sum the record feeds: `2 * group + side`; it reads from `code ^ 1`.
    pub(super) code: Vec<f64>,
    /// `away` as a factor, masked by code.
    pub(super) factor: [Vec<f64>; 4],
}

impl Scratch {
    pub(super) fn resize(&mut self, n: usize, groups: usize) {
        self.away.resize(n, 0.0);
        self.gap.resize(n + 1, 0.0);
        self.code.resize(n, 0.0);
        for factor in self.factor.iter_mut().take(2 * groups) {
            factor.resize(n, 0.0);
        }
    }
}

/// How sums are held: as plain numbers, or with a logarithmic offset for queries far from everything.
pub(super) trait Sum<const C: usize>: Copy + Default {
    /// What a record receives from itself (kernel value 1).
    fn of_itself(weight: &[f64; C]) -> Self;
    /// Adds what another part of the recursion received.
    fn merge(&mut self, other: &Self);
    /// All pairs on a line: one sweep up, one down, the running sum decayed over each gap.
    fn line<const D: usize>(items: &mut [Item<D, C, Self>], scratch: &mut Scratch);
    /// Pairs on opposite sides of a split plane, in `G` independent groups.
    fn cross<const D: usize, const G: usize>(items: &mut [Item<D, C, Self>], scratch: &mut Scratch);
    /// A handful of records pair by pair. `BIPARTITE`: only pairs on opposite sides, first coordinates
    /// being distances from the outer split.
    fn pairs<const D: usize, const BIPARTITE: bool>(items: &mut [Item<D, C, Self>], inverse: f64);
}
