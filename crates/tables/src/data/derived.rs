//! Logits of a model whose file holds probabilities alone: a place for every row where nothing else describes it.

use std::sync::OnceLock;

use super::predictions::{Predictions, Scores};
use crate::metric::log_loss::LOG_LOSS_CLIP;
use crate::table::column::Column;
use crate::table::values::Reals;
use crate::table::{Matrix, NamedColumn, Values};

/// Their name; a column of the file that is called so stands before them.
pub const LOGITS: &str = "logits";

/// What was computed of a data set; a copy computes it anew, and two data sets are the same whether they have it or not.
#[derive(Debug, Default)]
pub struct Derived(OnceLock<NamedColumn>);

impl Clone for Derived {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Derived {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Predictions {
    /// Whether [`derived_logits`](Self::derived_logits) can be had. O(1).
    pub fn has_derived_logits(&self) -> bool {
        matches!(self.scores, Some(Scores::Probabilities(_)))
    }

    /// z = ln p − mean over the classes of ln p, p clipped at 1e-15: the logits up to a constant a row, which a softmax does
    /// not see. Shape (rows, classes); none where the file does not hold a probability for each of several classes.
    /// Computed once; O(n m).
    ///
    /// ```
    /// use localcal_tables::data::{OpenOptions, assemble};
    /// use localcal_tables::read::read;
    /// use localcal_ground::table::{Reals, Values};
    ///
    /// let file = read("rows.csv", b"prob_a,prob_b,prob_c,y\n0.5,0.25,0.25,a\n0.25,0.5,0.25,b\n0.25,0.25,0.5,c\n", &mut |_| ())?;
    /// let (data, _) = assemble(&[file], &OpenOptions::default())?;
    /// let Some(Values::Matrix(z)) = data.derived_logits().map(|column| &column.values) else { panic!("no logits") };
    /// let Reals::F64(z) = &z.values else { panic!("doubles") };
    /// // ln .5 − (ln .5 + 2 ln .25) / 3 = ⅔ ln 2, and −⅓ ln 2
    /// let third = f64::ln(2.0) / 3.0;
    /// assert!((z[0] - 2.0 * third).abs() < 1e-12 && (z[1] + third).abs() < 1e-12);
    /// # Ok::<(), localcal_tables::Error>(())
    /// ```
    pub fn derived_logits(&self) -> Option<&NamedColumn> {
        let Some(Scores::Probabilities(p)) = &self.scores else { return None };
        Some(self.derived.0.get_or_init(|| {
            let mut values = Vec::with_capacity(self.rows * p.width);
            let mut row = vec![0.0; p.width];
            for i in 0..self.rows {
                p.row_into(i, &mut row);
                row.iter_mut().for_each(|p| *p = p.max(LOG_LOSS_CLIP).ln());
                let mean = row.iter().sum::<f64>() / p.width.max(1) as f64;
                values.extend(row.iter().map(|z| z - mean));
            }
            let values = Values::Matrix(Matrix { width: p.width, values: Reals::F64(Column::from(values)) });
            NamedColumn { file: String::new(), name: LOGITS.to_owned(), values }
        }))
    }
}
