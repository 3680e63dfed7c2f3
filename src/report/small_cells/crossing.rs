//! The combinations of the values of two columns: which of them are left out, so that nothing can be worked out from
//! their table and the tables of either column.
//!
//! One column is divided as a whole: of each of its values either every combination is shown, or none. So all that can
//! be worked out about the combinations that are left out are their sums by the values that the table of either column
//! shows, and these sums are protected as the totals of a table are. Each small count could be any of at least `least`
//! others that give the same sums.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Line, completed, is_small, left_out};
use crate::data::grouping::Grouping;
use crate::table::MISSING;

/// The rows of every combination of the values of two columns, those without a value of either among them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Crossing {
    /// the combinations that occur
    cells: Vec<Cell>,
    /// numbers of values of the column that is divided, and of the other
    values: [usize; 2],
    /// of every line of the table of the combinations, by its place, the value of the column that is divided; none of a
    /// line that is more or less than one combination, as lines of few rows are together
    of: Vec<Option<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Cell {
    /// place among the values of the column that is divided, and of the other; of the rows without one the place behind
    /// the last
    at: [usize; 2],
    /// as those of [`ColumnCounts`](super::ColumnCounts)
    counts: Vec<u64>,
}

impl Crossing {
    /// The column of more values is divided, whichever comes first: with one of its values the fewest rows go.
    ///
    /// * `by`: the combinations
    /// * `counts`: of the number of cells, and of the cell of every row, the counts of every cell
    ///
    /// O(n log cells).
    pub fn of([a, b]: &[Grouping; 2], by: &Grouping, counts: impl FnOnce(usize, &[u32]) -> Vec<Vec<u64>>) -> Self {
        let before = |a: &Grouping, b: &Grouping| (b.names.len(), &a.title) < (a.names.len(), &b.title);
        let [divided, other] = if before(b, a) { [b, a] } else { [a, b] };
        let place = |by: &Grouping, code: u32| (code as usize).min(by.names.len());
        let mut known = BTreeMap::<[usize; 2], u32>::new();
        let codes = divided.code.iter().zip(&other.code).map(|(line, value)| {
            let next = known.len() as u32;
            *known.entry([place(divided, *line), place(other, *value)]).or_insert(next)
        });
        let codes: Vec<u32> = codes.collect();
        // a line is a cell where it holds no other one, and the cell is in no other line
        let pairs: BTreeSet<(u32, u32)> = codes.iter().copied().zip(by.code.iter().copied()).collect();
        let mut cells_in = vec![0; by.names.len()];
        for (_, line) in &pairs {
            if let Some(cells) = cells_in.get_mut(*line as usize) {
                *cells += 1;
            }
        }
        let mut of = vec![None; by.names.len()];
        for (at, cell) in &known {
            let mut lines = pairs.range((*cell, 0)..=(*cell, MISSING)).map(|(_, line)| *line as usize);
            if let (Some(line), None) = (lines.next(), lines.next())
                && cells_in.get(line) == Some(&1)
                && let Some(of) = of.get_mut(line)
            {
                *of = Some(at[0]);
            }
        }
        let counts = counts(known.len(), &codes);
        let cell =
            |(at, cell): (&[usize; 2], &u32)| Some(Cell { at: *at, counts: counts.get(*cell as usize)?.clone() });
        Self { cells: known.iter().filter_map(cell).collect(), values: [divided.names.len(), other.names.len()], of }
    }

    /// The same cells with other counts.
    pub fn with_counts(&self, of: impl Fn(&Vec<u64>) -> Vec<u64>) -> Self {
        let cell = |cell: &Cell| Cell { at: cell.at, counts: of(&cell.counts) };
        Self { cells: self.cells.iter().map(cell).collect(), ..self.clone() }
    }

    /// Which lines of the table of the combinations are left out, and last whether the rows without a value of either
    /// column are; none where all are. O(cells · counts).
    pub fn left_out(&self, least: u64) -> Option<Vec<bool>> {
        let [lines, other] = self.values_left_out(least)?;
        let shown = |line: usize| lines.get(line) == Some(&false);
        // the rows without a value of either column are those of a line and those of a value of the other column
        let missing = shown(self.values[0]) && other.last() == Some(&false);
        Some(self.of.iter().map(|line| !line.is_some_and(shown)).chain([!missing]).collect())
    }

    /// Of which values of the column that is divided all combinations are left out, and which values of the other its
    /// own table leaves out.
    fn values_left_out(&self, least: u64) -> Option<[Vec<bool>; 2]> {
        // a value that its own table leaves out could be added up from its combinations
        let (mut out, other) = (left_out(&self.alone(0), least)?, left_out(&self.alone(1), least)?);
        let mut lines: Vec<Line> = vec![Line::new(); out.len()];
        for Cell { at: [line, value], counts } in &self.cells {
            // of the values that the table of the other column leaves out only what they have together is known
            let total = if other.get(*value) == Some(&false) { value + 1 } else { 0 };
            if let (Some(out), Some(line)) = (out.get_mut(*line), lines.get_mut(*line)) {
                *out |= counts.iter().any(|count| is_small(*count, least));
                line.extend(counts.iter().enumerate().map(|(i, count)| (total * counts.len() + i, *count)));
            }
        }
        Some([completed(&lines, out, least)?, other])
    }

    /// The counts of a column alone, of every value and last of the rows without one.
    fn alone(&self, column: usize) -> Vec<Vec<u64>> {
        let mut lines = vec![Vec::new(); self.values[column] + 1];
        for cell in &self.cells {
            if let Some(line) = lines.get_mut(cell.at[column]) {
                line.resize(cell.counts.len(), 0);
                line.iter_mut().zip(&cell.counts).for_each(|(sum, count)| *sum += count);
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::rng::Draws;
    use crate::report::small_cells::counted;

    /// Rows with and without the outcome, by line and value; last in either those without one.
    type Table = Vec<Vec<[u64; 2]>>;

    /// A column `a` of the lines and a column `b` of the values, in either order, their combinations, and the outcome
    /// of every row.
    fn groups(table: &Table, swapped: bool) -> ([Grouping; 2], Grouping, Vec<u8>) {
        let values = [table.len() - 1, table[0].len() - 1];
        let rows = table.iter().enumerate().flat_map(|(i, line)| {
            line.iter().enumerate().flat_map(move |(j, [with, without])| {
                let (with, without) = (*with as usize, *without as usize);
                std::iter::repeat_n(([i, j], 1), with).chain(std::iter::repeat_n(([i, j], 0), without))
            })
        });
        let (at, target): (Vec<[usize; 2]>, Vec<u8>) = rows.unzip();
        let order = if swapped { [1, 0] } else { [0, 1] };
        let columns = order.map(|column| Grouping {
            title: ["a", "b"][column].to_owned(),
            names: (0..values[column]).map(|value| format!("{}{value}", ["a", "b"][column])).collect(),
            code: at.iter().map(|at| if at[column] < values[column] { at[column] as u32 } else { MISSING }).collect(),
            of_columns: None,
        });
        let pairs = columns[0].code.iter().copied().zip(columns[1].code.iter().copied());
        let known = |(a, b): &(u32, u32)| *a != MISSING && *b != MISSING;
        let occur: BTreeSet<(u32, u32)> = pairs.clone().filter(known).collect();
        let name = |(a, b): &(u32, u32)| [&*columns[0].names[*a as usize], &*columns[1].names[*b as usize]].concat();
        let code = |pair| occur.iter().position(|known| *known == pair).map_or(MISSING, |place| place as u32);
        let by = Grouping {
            title: String::new(),
            names: occur.iter().map(name).collect(),
            code: pairs.map(code).collect(),
            of_columns: None,
        };
        (columns, by, target)
    }

    fn crossing(columns: &[Grouping; 2], by: &Grouping, target: &[u8]) -> Crossing {
        Crossing::of(columns, by, |cells, codes| {
            counted(cells, codes.iter().copied(), target, None).into_iter().map(Vec::from).collect()
        })
    }

    fn crossing_of(table: &Table) -> Crossing {
        let (columns, by, target) = groups(table, false);
        crossing(&columns, &by, &target)
    }

    #[test]
    fn a_combination_cannot_be_subtracted_from_a_value() {
        // the second line has 4 rows of the second value, and the third protects it; the table of either column shows
        // all
        let table: Table = vec![
            vec![[40, 60], [50, 70], [0, 0]],
            vec![[30, 60], [2, 2], [0, 0]],
            vec![[30, 20], [30, 20], [0, 0]],
            vec![[20, 20], [20, 20], [0, 0]],
            vec![[0, 0]; 3],
        ];
        let (columns, by, target) = groups(&table, false);
        let found = crossing(&columns, &by, &target);
        assert_eq!(by.names, ["a0b0", "a0b1", "a1b0", "a1b1", "a2b0", "a2b1", "a3b0", "a3b1"]);
        let out = [false, false, true, true, true, true, false, false, false];
        assert_eq!(found.left_out(10).as_deref(), Some(out.as_slice()));
        assert_eq!(
            [0, 1].map(|column| left_out(&found.alone(column), 10)),
            [Some(vec![false; 5]), Some(vec![false; 3])]
        );
        // the same combinations in the other order
        let (columns, by, target) = groups(&table, true);
        let found = crossing(&columns, &by, &target);
        assert_eq!(by.names, ["b0a0", "b0a1", "b0a2", "b0a3", "b1a0", "b1a1", "b1a2", "b1a3"]);
        let out = [false, true, true, false, false, true, true, false, false];
        assert_eq!(found.left_out(10).as_deref(), Some(out.as_slice()));
    }

    #[test]
    fn a_value_that_its_own_table_leaves_out_has_no_combination() {
        // of the first line there are 7 rows, which the second protects; 4 rows have no value of the other column
        let mut table: Table = vec![
            vec![[3, 0], [2, 2], [0, 0]],
            vec![[40, 40], [40, 40], [0, 0]],
            vec![[50, 30], [30, 50], [0, 0]],
            vec![[60, 30], [30, 60], [0, 0]],
            vec![[0, 0]; 3],
        ];
        let out = crossing_of(&table).left_out(10).unwrap_or_default();
        assert_eq!(out, [true, true, true, true, false, false, false, false, false]);
        table[3][2] = [2, 2];
        let out = crossing_of(&table).left_out(10).unwrap_or_default();
        assert_eq!(out, [true, true, true, true, false, false, true, true, true]);
    }

    #[test]
    fn lines_that_are_several_combinations_are_left_out() {
        let table: Table = vec![vec![[30, 30]; 3], vec![[40, 40]; 3], vec![[0, 0]; 3]];
        let (columns, mut by, target) = groups(&table, false);
        assert_eq!(crossing(&columns, &by, &target).of, [Some(0), Some(0), Some(1), Some(1)]);
        by.code.iter_mut().filter(|code| **code == 3).for_each(|code| *code = 1);
        let found = crossing(&columns, &by, &target);
        assert_eq!(found.of, [Some(0), None, Some(1), None]);
        assert_eq!(found.left_out(10).unwrap_or_default(), [false, true, false, true, false]);
    }

    /// By the bounds of a cell of a table of which the sums of lines and of values are known.
    #[test]
    fn what_is_left_out_could_be_many_other_counts() {
        let (mut draws, mut checked, mut shown) = (Draws::seeded(5, 0), [0, 0], 0);
        for round in 0..600_usize {
            let least = [3, 5, 10][round % 3];
            let (lines, values) = (3 + round % 4, 2 + round / 6 % 2);
            let count = |draws: &mut Draws| match draws.one_of(10) {
                0 => 0,
                1 => 1 + draws.one_of(9) as u64,
                _ => 10 + draws.one_of(60) as u64,
            };
            let mut table: Table =
                (0..lines).map(|_| (0..values).map(|_| [count(&mut draws), count(&mut draws)]).collect()).collect();
            if round % 2 == 0 {
                table[lines - 1] = vec![[0, 0]; values];
                table.iter_mut().for_each(|line| line[values - 1] = [0, 0]);
            }
            let found = crossing_of(&table);
            let own = [0, 1].map(|column| left_out(&found.alone(column), least));
            let (Some([out, _]), [Some(own_lines), Some(own_values)]) = (found.values_left_out(least), own) else {
                continue;
            };
            let of = |i: usize, j: usize, k: usize| [table[i][j][0], table[i][j][1], table[i][j].iter().sum()][k];
            let sum = |lines: &[usize], values: &[usize], k: usize| -> u64 {
                lines.iter().flat_map(|i| values.iter().map(move |j| of(*i, *j, k))).sum()
            };
            // values that their own table leaves out are known together alone
            let known = |own: &[bool], place: usize| match own[place] {
                true => (0..own.len()).filter(|place| own[*place]).collect(),
                false => vec![place],
            };
            let left: Vec<usize> = (0..lines).filter(|line| out[*line]).collect();
            let all: Vec<usize> = (0..values).collect();
            shown += lines - left.len();
            for (i, j, k) in (0..lines).flat_map(|i| (0..values).flat_map(move |j| (0..3).map(move |k| (i, j, k)))) {
                if own_lines[i] {
                    assert!(out[i], "{least} {table:?}");
                }
                if !is_small(of(i, j, k), least) {
                    continue;
                }
                assert!(out[i], "{least} {table:?}");
                let (line, value): (Vec<usize>, Vec<usize>) = (known(&own_lines, i), known(&own_values, j));
                let (of_line, of_value) = (sum(&line, &all, k), sum(&left, &value, k));
                let alone = line.len() == 1 && value.len() == 1;
                let low = if alone { (of_line + of_value).saturating_sub(sum(&left, &all, k)) } else { 0 };
                assert!(of_line.min(of_value) >= low + least, "{least} {table:?}: {i} {j}");
                checked[usize::from(alone)] += 1;
            }
        }
        assert!(checked.iter().all(|checked| *checked > 50) && shown > 50, "{checked:?} {shown}");
    }
}
