//! Joint cells of several columns: one table instead of one for each pair of columns.

use std::ops::{AddAssign, Range};

use super::input::{Family, Of, ScanInput};
use super::places::Places;

/// Families, with the position of each in a table of sums.
pub struct Layout {
    /// families that are tested
    pub families: Vec<Family>,
    /// where each begins, and the end of the last
    starts: Vec<usize>,
    /// which rings of balls are tested, and the position of the first
    rings: Option<(Range<usize>, usize)>,
    /// times whose trend is tested, and the position of the sum over M
    pub trends: Vec<(usize, usize)>,
}

impl Layout {
    /// One family after the other.
    pub fn new(input: &ScanInput, families: &[Family]) -> Self {
        let mut starts = vec![0];
        let rings = input.places.as_ref().map_or(0, Places::sizes);
        let (mut balls, mut trends) = (None, Vec::new());
        for family in families {
            let start = starts.last().copied().unwrap_or(0);
            let size = match family.of {
                Of::Column(a) => input.cuts[a].cells,
                Of::Pair(a, b) => width(input, a) * width(input, b),
                Of::Place(center) => {
                    balls.get_or_insert((center * rings, start));
                    rings
                }
                Of::Trend(time) => {
                    trends.push((time, start));
                    1
                }
            };
            starts.push(start + size);
        }
        let ring_count = families.iter().filter(|family| matches!(family.of, Of::Place(_))).count() * rings;
        let rings = balls.map(|(ring, start)| (ring..ring + ring_count, start));
        Self { families: families.to_vec(), starts, rings, trends }
    }

    /// Size of the table.
    pub fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Positions in the table of every candidate of a family.
    pub fn cells(&self, input: &ScanInput, place: usize) -> Vec<Vec<u32>> {
        let (family, start) = (self.families[place], self.starts[place] as u32);
        match family.of {
            Of::Column(a) => {
                let singles = input.cuts[a].singles.iter();
                singles.map(|single| single.cells.iter().map(|&cell| start + u32::from(cell)).collect()).collect()
            }
            Of::Pair(a, b) => {
                let (height, width) = (input.cuts[a].bands.len() as u32, input.cuts[b].bands.len() as u32);
                (0..height).flat_map(|i| (0..width).map(move |j| vec![start + i * (width + 1) + j])).collect()
            }
            Of::Place(_) => (0..family.len as u32).map(|size| (start..=start + size).collect()).collect(),
            Of::Trend(_) => vec![vec![start]],
        }
    }

    /// Positions in the table of the rings that contain a row.
    pub fn rings_of<'a>(&'a self, input: &'a ScanInput, row: usize) -> impl Iterator<Item = usize> + 'a {
        let rings = self.rings.as_ref().zip(input.places.as_ref()).into_iter();
        rings.flat_map(move |((shown, start), places)| {
            let here = places.rings_of(row).iter().map(|ring| *ring as usize).filter(|ring| shown.contains(ring));
            here.map(move |ring| start + ring - shown.start)
        })
    }

    /// Positions in the table of the cells of columns and pairs that contain a row.
    pub fn cells_of<'a>(&'a self, input: &'a ScanInput, row: usize) -> impl Iterator<Item = usize> + 'a {
        self.families.iter().zip(&self.starts).filter_map(move |(family, start)| match family.of {
            Of::Column(a) => Some(start + usize::from(*input.codes(a).get(row)?)),
            Of::Pair(a, b) => {
                let band = |column: usize| -> Option<usize> {
                    let code = usize::from(*input.codes(column).get(row)?);
                    input.cuts.get(column)?.band_of.get(code).map(|band| usize::from(*band))
                };
                Some(start + band(a)? * width(input, b) + band(b)?)
            }
            Of::Place(_) | Of::Trend(_) => None,
        })
    }
}

/// Bands of a column, and what is in none of them.
fn width(input: &ScanInput, column: usize) -> usize {
    input.cuts[column].bands.len() + 1
}

/// Some columns, every combination of whose cells is a joint cell.
pub struct Joint {
    columns: Vec<usize>,
    /// of each column, how far apart its neighboring cells are, and the cell of each of its codes
    steps: Vec<(usize, Vec<u16>)>,
    /// joint cells
    pub cells: usize,
    /// for each family that is counted here, the place in the table of every joint cell
    into: Vec<Vec<u32>>,
}

impl Joint {
    /// Joints that count every family once, each of no more than `most` cells unless one family alone has more: singles by
    /// their cells, pairs by their bands, a column being added wherever most pairs that are not counted yet come with it.
    pub fn all(input: &ScanInput, layout: &Layout, most: usize) -> Vec<Joint> {
        let mut found = Vec::new();
        let place_of = |a: usize| layout.families.iter().position(|family| family.of == Of::Column(a));
        let column = |family: &Family| if let Of::Column(a) = family.of { Some(a) } else { None };
        let pair = |k: usize| match layout.families.get(k).map(|family| family.of) {
            Some(Of::Pair(a, b)) => Some((a, b)),
            _ => None,
        };
        let mut singles: Vec<usize> = layout.families.iter().filter_map(column).collect();
        while let Some(first) = singles.first().copied() {
            let mut size = 1;
            let mut columns = Vec::new();
            singles.retain(|&column| {
                let with = size * input.cuts[column].cells;
                let taken = column == first || with <= most;
                if taken {
                    size = with;
                    columns.push(column);
                }
                !taken
            });
            let families = columns.iter().filter_map(|&column| place_of(column)).collect();
            found.push(Joint::new(input, layout, columns, families, false));
        }
        let mut left: Vec<usize> = (0..layout.families.len()).filter(|&k| pair(k).is_some()).collect();
        while let Some((a, b)) = left.first().and_then(|&k| pair(k)) {
            let mut columns = vec![a, b];
            let mut size = width(input, a) * width(input, b);
            loop {
                let gain = |column: usize| {
                    let with = |&&k: &&usize| {
                        let other = |one: usize| columns.contains(&one);
                        pair(k).is_some_and(|(a, b)| (a == column && other(b)) || (b == column && other(a)))
                    };
                    left.iter().filter(with).count()
                };
                let fits = |column: &usize| !columns.contains(column) && size * width(input, *column) <= most;
                let best = (0..input.paired).filter(fits).map(|column| (gain(column), column));
                let best =
                    best.filter(|(gain, _)| *gain > 0).reduce(|best, one| if one.0 > best.0 { one } else { best });
                let Some((_, column)) = best else { break };
                size *= width(input, column);
                columns.push(column);
            }
            let here = |&k: &usize| pair(k).is_some_and(|(a, b)| columns.contains(&a) && columns.contains(&b));
            let families: Vec<usize> = left.iter().copied().filter(here).collect();
            left.retain(|k| !families.contains(k));
            found.push(Joint::new(input, layout, columns, families, true));
        }
        found
    }

    fn new(input: &ScanInput, layout: &Layout, columns: Vec<usize>, families: Vec<usize>, banded: bool) -> Self {
        let count = |column: usize| if banded { width(input, column) } else { input.cuts[column].cells };
        let mut cells = 1;
        let mut steps = Vec::with_capacity(columns.len());
        for &column in &columns {
            let cell = |code: usize| match banded {
                true => usize::from(input.cuts[column].band_of[code]),
                false => code,
            };
            steps.push((cells, (0..input.cuts[column].cells).map(|code| (cell(code) * cells) as u16).collect()));
            cells *= count(column);
        }
        let of = |joint: usize, column: usize| {
            let place = columns.iter().position(|own| *own == column).unwrap_or_default();
            joint / steps[place].0 % count(column)
        };
        let into = families.iter().map(|&k| {
            let (family, start) = (layout.families[k], layout.starts[k]);
            let place = |joint: usize| match family.of {
                Of::Pair(a, b) => start + of(joint, a) * count(b) + of(joint, b),
                Of::Column(a) => start + of(joint, a),
                // counted by row
                Of::Place(_) | Of::Trend(_) => start,
            };
            (0..cells).map(|joint| place(joint) as u32).collect()
        });
        let into = into.collect();
        Self { columns, steps, cells, into }
    }

    /// The joint cell of each of some rows.
    pub fn read(&self, input: &ScanInput, rows: Range<usize>, places: &mut Vec<u16>) {
        places.clear();
        places.resize(rows.len(), 0);
        for (&column, (_, cell)) in self.columns.iter().zip(&self.steps) {
            for (to, &code) in places.iter_mut().zip(&input.codes(column)[rows.clone()]) {
                *to += cell[usize::from(code)];
            }
        }
    }

    /// Adds the sums of joint cells, `stride` numbers each, to the table of the families.
    pub fn spread<T: Copy + AddAssign>(&self, joint: &[T], stride: usize, table: &mut [T]) {
        for into in &self.into {
            for (&place, from) in into.iter().zip(joint.chunks_exact(stride)) {
                let at = place as usize * stride;
                for (to, x) in table[at..at + stride].iter_mut().zip(from) {
                    *to += *x;
                }
            }
        }
    }
}
