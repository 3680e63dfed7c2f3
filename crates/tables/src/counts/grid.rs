//! The cells of the score.
//!
//! With G cells (960 unless chosen otherwise) and T = G/60:
//!
//! - Inside, T/G ≤ p ≤ 1 − T/G, let r = ⌊G p + ½⌋. The cell is 2r if |p − r/G| < 2⁻⁴⁴, else 2r − 1 below r/G and 2r + 1 above.
//!   An edge r/G is a cell of its own: bins that are closed on the left and bins that are closed on the right are both
//!   unions of cells, and the rounding of G p moves no row into another bin.
//! - Below T/G the grid continues in levels, each reaching four times closer to 0: at level j = 1 … 20, with v = 4ʲ G p in
//!   [T, 4T), the cell is ⌊v⌋ + T − 3Tj. A score nearer to 0 than level 20 has the cell −58T − 1, and p = 0 the cell −58T − 2.
//! - Above 1 − T/G the cell is 2G − (the cell of 1 − p).
//!
//! Cells ascend with p. G is a multiple of 60, so that the edges of 10, 12, 15 and 20 equally wide bins are edges of cells; for
//! 16 bins G has to be a multiple of 240.

/// Levels of the grid toward 0 and toward 1.
pub const LEVELS: i32 = 20;

/// A score counts as an edge of the grid if it is nearer to it than this: scores that the metrics do not distinguish.
pub const EDGE: f64 = 1.0 / 17_592_186_044_416.0;

/// A grid of the score with G cells of equal width between its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    cells: i32,
}

/// G of the grids on offer, the finest first.
pub const SIZES: [u32; 5] = [960, 480, 240, 120, 60];

impl Default for Grid {
    fn default() -> Self {
        Self { cells: 960 }
    }
}

impl Grid {
    /// The grid with so many cells, if it is one of [`SIZES`].
    pub fn of(cells: u32) -> Option<Self> {
        SIZES.contains(&cells).then_some(Self { cells: i32::try_from(cells).ok()? })
    }

    /// G.
    pub fn cells(self) -> i32 {
        self.cells
    }

    /// T: inside, a score is at least T/G away from 0 and 1.
    pub fn tail(self) -> i32 {
        self.cells / 60
    }

    /// The cell of p = 0, the first of all.
    pub fn first(self) -> i32 {
        -58 * self.tail() - 2
    }

    /// The cell of p = 1, the last of all.
    pub fn last(self) -> i32 {
        2 * self.cells - self.first()
    }

    /// The cell of a score in [0, 1]; `None` for anything else.
    pub fn cell(self, p: f64) -> Option<i32> {
        if !(0.0..=1.0).contains(&p) {
            return None;
        }
        let (cells, tail) = (self.cells, self.tail());
        let g = f64::from(cells);
        let r = (p * g + 0.5).floor();
        let edge = r / g;
        let r = r as i32;
        let half = match () {
            () if p + EDGE > edge && p - EDGE < edge => 2 * r,
            () if p < edge => 2 * r - 1,
            () => 2 * r + 1,
        };
        Some(match half {
            half if half < 2 * tail => self.toward_end(p * g),
            half if half > 2 * cells - 2 * tail => 2 * cells - self.toward_end((1.0 - p) * g),
            half => half,
        })
    }

    /// The cell of a score at distance v/G from 0.
    fn toward_end(self, v: f64) -> i32 {
        if v == 0.0 {
            return self.first();
        }
        let tail = self.tail();
        let at = |level: i32| v * 4_f64.powi(level);
        let level = (1..=LEVELS).find(|&level| at(level) >= f64::from(tail));
        level.map_or(self.first() + 1, |level| at(level).floor() as i32 + tail - 3 * tail * level)
    }

    /// The lowest and the highest score of a cell, up to the width of an edge; `None` for a number that is no cell.
    pub fn range(self, cell: i32) -> Option<[f64; 2]> {
        let (cells, tail, g) = (self.cells, self.tail(), f64::from(self.cells));
        if cell < self.first() || cell > self.last() {
            return None;
        }
        if cell > 2 * cells - 2 * tail {
            return self.range(2 * cells - cell).map(|[low, high]| [1.0 - high, 1.0 - low]);
        }
        if cell >= 2 * tail {
            let low = f64::from(cell.div_euclid(2)) / g;
            let high = f64::from((cell + 1).div_euclid(2)) / g;
            return Some([(low - EDGE).max(0.0), high + EDGE]);
        }
        if cell == self.first() {
            return Some([0.0, 0.0]);
        }
        let scaled = |level: i32, v: i32| f64::from(v) / 4_f64.powi(level) / g;
        if cell == self.first() + 1 {
            return Some([0.0, scaled(LEVELS, tail)]);
        }
        // ⌊v⌋ = cell − T + 3Tj is in [T, 4T) for one level alone
        let level = (1..=LEVELS).find(|level| (tail..4 * tail).contains(&(cell - tail + 3 * tail * level)))?;
        let v = cell - tail + 3 * tail * level;
        Some([scaled(level, v), scaled(level, v + 1)])
    }

    /// The mean score of some rows of a cell, moved inside of it by what rounding of sums put outside; `None` for a mean that
    /// the cell cannot have. Bins then count the rows as they would count each of them.
    pub fn within(self, cell: i32, mean: f64) -> Option<f64> {
        let [low, high] = self.range(cell)?;
        // the rounding of a sum of a billion scores
        let slack = 1e-9 * high.max(1e-6);
        if !(low - slack..=high + slack).contains(&mean) {
            return None;
        }
        let (g, tail) = (f64::from(self.cells), self.tail());
        let inside = (2 * tail..=2 * self.cells - 2 * tail).contains(&cell);
        Some(match inside {
            true if cell % 2 == 0 => f64::from(cell / 2) / g,
            true => mean.clamp(f64::from(cell / 2) / g + 2.0 * EDGE, f64::from(cell / 2 + 1) / g - 2.0 * EDGE),
            false if cell < 2 * tail => mean.clamp(low, high.min(f64::from(tail) / g - 2.0 * EDGE)),
            false => mean.clamp(low.max(1.0 - f64::from(tail) / g + 2.0 * EDGE), high),
        })
    }

    /// Whether the edges of `bins` equally wide bins are edges of cells, so that sums over bins are exact.
    #[cfg(test)]
    fn holds_bins(self, bins: usize) -> bool {
        // an edge in the ends of the grid is none of its own
        (1..=60).contains(&bins) && (self.cells as usize).is_multiple_of(bins)
    }

    /// Occupied cells of a continuous score, roughly: those inside, and four levels toward each end.
    pub fn usual(self) -> u64 {
        u64::from((self.cells - 2 * self.tail() + 2 * 4 * 3 * self.tail()).unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::text::enumerated;

    fn grids() -> impl Iterator<Item = Grid> {
        SIZES.into_iter().filter_map(Grid::of)
    }

    #[test]
    fn worked_cells_of_960() {
        let grid = Grid::default();
        let cases = [
            (0.0, -930),
            (5e-324, -929),
            (1e-300, -929),
            (16.0 / 960.0, 32),
            (0.5, 960),
            (0.5 + 1e-12, 961),
            (0.5 - 1e-12, 959),
            (0.5 + 1e-15, 960),
            // v = 15.99 · 4 = 63.96 at level 1
            (15.99 / 960.0, 31),
            (4.0 / 960.0, -16),
            (1.0 - 16.0 / 960.0, 1888),
            (1.0, 2850),
            (1.0 - 2_f64.powi(-53), 2849),
        ];
        for (p, cell) in cases {
            assert_eq!(grid.cell(p), Some(cell), "{p}");
        }
        for none in [-1e-9, 1.0 + 1e-9, f64::NAN, f64::INFINITY] {
            assert_eq!(grid.cell(none), None, "{none}");
        }
        assert_eq!(Grid::of(100), None);
    }

    /// Scores on every edge, a few steps beside it, and toward both ends.
    fn scores(grid: Grid) -> Vec<f64> {
        let g = f64::from(grid.cells());
        let mut all = vec![0.0, 1.0, 5e-324, 1e-300, 1e-15, 1.0 - 2_f64.powi(-53)];
        for r in 0..=grid.cells() {
            let edge = f64::from(r) / g;
            for step in [0.0, 2_f64.powi(-45), 2_f64.powi(-43), 0.3 / g] {
                all.extend([edge + step, edge - step]);
            }
            all.extend([edge.next_up(), edge.next_down(), edge.next_up().next_up()]);
        }
        for level in 0..22 {
            for v in grid.tail()..4 * grid.tail() {
                let p = f64::from(v) / g / 4_f64.powi(level);
                all.extend([p, p.next_up(), p.next_down(), 1.0 - p]);
            }
        }
        all.retain(|p| (0.0..=1.0).contains(p));
        all.sort_by(f64::total_cmp);
        all
    }

    #[test]
    fn cells_ascend_and_contain_their_scores() {
        for grid in grids() {
            let mut before = i32::MIN;
            for p in scores(grid) {
                let cell = grid.cell(p).expect("a score");
                // 1 − p is rounded: toward 1, neighboring scores can be one cell off
                assert!(cell >= before || p > 0.98 && cell >= before - 1, "{p} has {cell} after {before}");
                before = before.max(cell);
                let [low, high] = grid.range(cell).expect("a cell");
                assert!((low - EDGE..=high + EDGE).contains(&p), "{p} is not in cell {cell} from {low} to {high}");
                assert!(high - low <= 1.0 / f64::from(grid.cells()) + 3.0 * EDGE);
            }
            assert_eq!((grid.cell(0.0), grid.cell(1.0)), (Some(grid.first()), Some(grid.last())));
            assert_eq!((grid.range(grid.first() - 1), grid.range(grid.last() + 1)), (None, None));
        }
    }

    #[test]
    fn means_are_held_in_their_cells() {
        let grid = Grid::default();
        assert_eq!(grid.within(960, 0.5 + 1e-13), Some(0.5));
        assert_eq!(grid.within(961, 0.5 - 1e-13), Some(0.5 + 2.0 * EDGE));
        assert_eq!(grid.within(961, 0.5003), Some(0.5003));
        assert_eq!(grid.within(961, 0.7), None);
        assert_eq!(grid.within(grid.first(), 0.0), Some(0.0));
        assert_eq!(grid.within(grid.last(), 1.0), Some(1.0));
        assert_eq!((grid.within(5000, 0.5), grid.within(960, f64::NAN)), (None, None));
        for p in scores(grid) {
            let cell = grid.cell(p).expect("a score");
            let held = grid.within(cell, p).expect("its mean");
            assert!((held - p).abs() < 4.0 * EDGE && (0.0..=1.0).contains(&held), "{p}: {held}");
        }
    }

    /// No cell has scores on both sides of the edge of a bin, whichever side is closed.
    #[test]
    fn bins_are_unions_of_cells() {
        for grid in grids() {
            for bins in (1..=60).filter(|&bins| grid.holds_bins(bins)) {
                for k in 1..bins {
                    let edge = k as f64 / bins as f64;
                    let cells = [edge - 1e-9, edge, edge + 1e-9].map(|p| grid.cell(p).expect("a score"));
                    assert!(cells[0] < cells[1] && cells[1] < cells[2], "{bins} bins, edge {k}: {cells:?}");
                }
            }
            assert!([10, 12, 15, 20].into_iter().all(|bins| grid.holds_bins(bins)));
            assert_eq!(grid.holds_bins(16), grid.cells() % 240 == 0);
        }
    }

    /// What `docs/counts.md` and the form of the page say of the bins.
    #[test]
    fn bins_that_are_not_exact_are_named() {
        let read = |path: &str| {
            let text = std::fs::read_to_string(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))).expect(path);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let (document, page) = (read("docs/counts.md"), read("www/data/counting.tsx"));
        let named = [10, 12, 15, 16, 20, 24, 30, 32, 40, 48, 60];
        for grid in grids() {
            let not: Vec<String> =
                named.into_iter().filter(|&bins| !grid.holds_bins(bins)).map(|bins| bins.to_string()).collect();
            let cells = grid.cells();
            if not.is_empty() {
                let whole = document.contains("all of them with 960 and 480 cells");
                assert!(whole && [960, 480].contains(&cells), "{cells}");
                continue;
            }
            let not = enumerated(not);
            assert!(document.contains(&format!("all but {not} with {cells}")), "{cells}: {not}");
            let label = format!("['{cells}', '{cells} cells");
            let offered = page.split_once(&label).and_then(|(_, rest)| rest.split_once("']"));
            assert!(offered.is_none_or(|(words, _)| words.ends_with(&format!("; {not} bins not exact"))), "{cells}");
        }
    }
}
