//! Variances of score statistics if rows of a cluster are dependent.

use super::dependence::Dependence;
use super::input::ScanInput;
use super::joint::Layout;
use super::score::{Rows, Scored};

/// Cluster-robust variance V = (1 − ρ) Σ Eᵢ² + ρ Σ_c (Σ_{i∈c} Eᵢ)² of every candidate, E = w √v (M − hᵀ z).
///
/// With S_c = Σ_{i∈c} w √v M and Z_c = Σ_{i∈c} w √v z the second sum is Σ_c (S_c − hᵀ Z_c)²; S_c is taken from the cells of the
/// table that the rows of c lie in.
///
/// # Cost
/// O(n) a candidate that a row is in, and O(d) a candidate that a cluster is in.
pub(super) fn clustered_variances(
    input: &ScanInput,
    rows: &Rows,
    layout: &Layout,
    scored: &[Scored],
    dependence: &Dependence,
) -> Vec<f64> {
    let d = rows.d();
    let of_cell = candidates_of_cells(layout.len(), scored);
    let by_cluster = in_order_of_clusters(dependence);
    // Σ_c S_c², and Σ_c S_c Z_c, of each candidate
    let (mut squares, mut cross) = (vec![0.0; scored.len()], vec![0.0; scored.len() * d]);
    // Σ_c Z_c Z_cᵀ
    let mut known = vec![0.0; d * d];
    let (mut z, mut of_cluster) = (vec![0.0; d], vec![0.0; d]);
    let mut sums = vec![0.0; scored.len()];
    let mut touched: Vec<usize> = Vec::new();
    let cluster = |i: &u32| dependence.of.get(*i as usize);
    for members in by_cluster.chunk_by(|a, b| cluster(a) == cluster(b)) {
        of_cluster.fill(0.0);
        for &i in members {
            let i = i as usize;
            let e = input.weight(i) * (rows.p[i] * (1.0 - rows.p[i])).sqrt();
            rows.design.fill(i, &mut z);
            of_cluster.iter_mut().zip(&z).for_each(|(sum, z)| *sum += e * z);
            let mut add = |cell: usize, m: f64| {
                for &candidate in of_cell.get(cell).map_or(&[][..], Vec::as_slice) {
                    if sums[candidate] == 0.0 {
                        touched.push(candidate);
                    }
                    sums[candidate] += e * m;
                }
            };
            layout.cells_of(input, i).chain(layout.rings_of(input, i)).for_each(|cell| add(cell, 1.0));
            layout.trends.iter().for_each(|(time, cell)| add(*cell, f64::from(input.times[*time].1[i])));
        }
        for candidate in touched.drain(..) {
            let sum = std::mem::take(&mut sums[candidate]);
            squares[candidate] += sum * sum;
            let cross = &mut cross[candidate * d..(candidate + 1) * d];
            cross.iter_mut().zip(&of_cluster).for_each(|(to, z)| *to += sum * z);
        }
        for (row, a) in known.chunks_exact_mut(d).zip(&of_cluster) {
            row.iter_mut().zip(&of_cluster).for_each(|(to, b)| *to += a * b);
        }
    }
    let of_candidate = |(k, scored): (usize, &Scored)| {
        let h = &scored.h;
        let with = |values: &[f64]| -> f64 { h.iter().zip(values).map(|(h, x)| h * x).sum() };
        let known: f64 = known.chunks_exact(d).zip(h).map(|(row, h)| h * with(row)).sum();
        let together = squares[k] - 2.0 * with(&cross[k * d..(k + 1) * d]) + known;
        (1.0 - dependence.correlation) * scored.variance + dependence.correlation * together.max(0.0)
    };
    scored.iter().enumerate().map(of_candidate).collect()
}

/// Which candidates a cell of the table belongs to.
fn candidates_of_cells(cells: usize, scored: &[Scored]) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); cells];
    for (k, scored) in scored.iter().enumerate() {
        for &cell in &scored.cells {
            if let Some(of) = found.get_mut(cell as usize) {
                of.push(k);
            }
        }
    }
    found
}

/// Row indices, ordered by cluster.
fn in_order_of_clusters(dependence: &Dependence) -> Vec<u32> {
    let mut starts = vec![0_usize; dependence.count + 1];
    dependence.of.iter().for_each(|cluster| starts[*cluster as usize + 1] += 1);
    (0..dependence.count).for_each(|c| starts[c + 1] += starts[c]);
    let mut rows = vec![0; dependence.of.len()];
    for (i, cluster) in (0..).zip(dependence.of) {
        let place = &mut starts[*cluster as usize];
        rows[*place] = i;
        *place += 1;
    }
    rows
}
