//! Which algorithm answers: the one that is expected to take the least time.

use serde::{Deserialize, Serialize};

use super::{Kernel, Points, Queries};

/// An algorithm for kernel sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// divide and sweep: Laplacian kernel, up to three dimensions
    Exact,
    /// blocked pairwise sums, single-precision distances beyond three dimensions
    Blocks,
    /// plain pairwise sums in double precision
    Pairs,
    /// sums over equal places: group and constant kernel
    Cells,
}

/// Expected milliseconds of one pass of `engine` for one bandwidth and one right-hand side; infinite where it
/// cannot answer. `once`: every pair is met once for both of its rows (queries are the sources, own pair included).
///
/// Constants are those of one core in wasm (an EPYC of 2 cores); `benches/engines.rs` prints the native ones beside
/// them.
pub fn cost(engine: Engine, kernel: Kernel, n_queries: usize, n_sources: usize, d: usize, once: bool) -> f64 {
    let (q, s, d) = (n_queries as f64, n_sources as f64, d as f64);
    let pairs = q * s;
    match (engine, kernel) {
        (Engine::Cells, Kernel::Constant | Kernel::Group) => (q + s) * 3e-4,
        (Engine::Exact, Kernel::Laplacian { .. }) if d <= 3.0 => {
            let n = if once { s } else { q + s };
            let sort = n * n.max(2.0).log2() * 3e-6 * d.min(2.0);
            // Nodes without a query stop at once: below the level where each holds one, only paths go on.
            let deep = (n.min(32.0 * q) / 32.0).max(1.0).log2() + 1.0;
            let sweep = match d as usize {
                1 => n * 1.2e-5,
                2 => n * deep * 4e-5,
                _ => n * deep * (deep + 1.0) * 2.1e-5,
            };
            0.01 + sort + sweep
        }
        (Engine::Blocks, Kernel::Laplacian { .. } | Kernel::Gaussian { .. } | Kernel::Rbf { .. }) => {
            let lane = if d > 3.0 { 1.0 } else { 1.85 };
            let pair = lane * (4.2e-6 + 5.3e-8 * d);
            0.004 + (q + s) * (2e-5 + 3e-6 * d) + pairs * if once { pair / 2.0 } else { pair }
        }
        (Engine::Pairs, Kernel::Laplacian { .. } | Kernel::Gaussian { .. } | Kernel::Rbf { .. }) => {
            pairs * (1.24e-5 + 4e-7 * d)
        }
        _ => f64::INFINITY,
    }
}

/// The engine that [`super::sums`] uses: the first of the cheapest. Plain pairs only for a few thousand pairs: beyond
/// them they are the reference.
pub fn engine(queries: &Queries, sources: Points, kernel: Kernel) -> Engine {
    let once = matches!(queries, Queries::Sources { leave_one_out: false });
    let (q, s, d) = (queries.n(sources), sources.n(), sources.d());
    cheapest(kernel, q, s, d, once).0
}

/// The cheapest engine and its expected milliseconds; see [`cost`].
///
/// ```
/// use localcal_numerics::kernel::{Engine, Kernel, cheapest};
///
/// let kernel = Kernel::Laplacian { gamma: 1.0 };
/// assert_eq!(cheapest(kernel, 25_000, 25_000, 2, true).0, Engine::Exact);
/// assert_eq!(cheapest(kernel, 25_000, 25_000, 50, true).0, Engine::Blocks);
/// ```
pub fn cheapest(kernel: Kernel, n_queries: usize, n_sources: usize, d: usize, once: bool) -> (Engine, f64) {
    let expected = |engine| (engine, cost(engine, kernel, n_queries, n_sources, d, once));
    let mut best = expected(Engine::Pairs);
    for engine in [Engine::Cells, Engine::Exact, Engine::Blocks] {
        let other = expected(engine);
        if other.1 < best.1 {
            best = other;
        }
    }
    best
}
