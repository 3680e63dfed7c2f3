//! Rows of a fit and rows to score, with everything that a recalibrator may read of them.

use std::borrow::Cow;

use super::fit::Fit;
use super::in_common::InCommon;
use super::memory::Memory;
use super::method_request::invalid;
use super::recalibrator::{FitOutcome, LogitMap, Scores, warning};
use crate::data::Predictions;
use crate::data::pair::{self, VectorLogits};
use crate::error::{Error, Result, phrases};
use crate::feature::groups::{Groups, groups};
use crate::feature::proximity::ProximityOptions;
use crate::feature::{
    FeatureChoice, Features, Within, absent, features, features_by_name, find, kept_without_place, moved_without_place,
    no_row_has_a_place,
};

/// The rows that a method is fitted on, and what it may ask of them.
#[derive(Clone, Copy)]
pub struct CalibrationRows<'a> {
    /// the open file
    pub data: &'a Predictions,
    /// rows of the data, ascending
    pub rows: &'a [u32],
    /// scores that the method before gave to `rows`; none: those of the file
    pub before: Option<&'a [f64]>,
    /// ln D of every data row with respect to `rows`, where it is known
    pub log_proximity: Option<&'a [f64]>,
    /// whether the fit is for other data too: it then remembers where rows lie even if here it is not asked
    pub leaves: bool,
}

/// Some of the rows that a method is fitted on.
pub struct FitRows {
    /// rows of the data, ascending
    pub rows: Vec<u32>,
    /// scores that the method before gave to them
    before: Option<Vec<f64>>,
}

fn picked<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|&row| values[row as usize]).collect()
}

/// ln D of some rows; not a number where it is not known.
pub fn of_rows(log_proximity: &[f64], rows: &[u32]) -> Vec<f64> {
    rows.iter().map(|row| log_proximity.get(*row as usize).copied().unwrap_or(f64::NAN)).collect()
}

impl<'a> CalibrationRows<'a> {
    /// s and t of the view.
    ///
    /// # Errors
    /// `score_missing`, `label_missing`.
    pub fn pairs(&self) -> Result<(Vec<f64>, Vec<u8>)> {
        let s = match self.before {
            Some(s) => s.to_vec(),
            None => picked(&pair::scores(self.data)?, self.rows),
        };
        Ok((s, picked(&pair::targets(self.data)?, self.rows)))
    }

    /// The logits of every row of the file, if it has them and no method comes before.
    pub fn logits(&self) -> Option<VectorLogits<'a>> {
        pair::vector_logits(self.data).filter(|_| self.before.is_none())
    }

    /// The class of each row.
    ///
    /// # Errors
    /// `label_missing`.
    pub fn classes(&self) -> Result<Vec<u32>> {
        let y = self.data.y.as_ref().ok_or_else(|| {
            Error::new("label_missing", "This method needs the class of each row.", phrases::LABEL_NEEDED)
        })?;
        Ok(picked(y, self.rows))
    }

    /// The weights of the rows, if the data has weights.
    pub fn weights(&self) -> Option<Vec<f64>> {
        self.data.weights.as_ref().map(|w| w.of_fit(self.rows))
    }

    /// Coordinates of every row of the data, and the rows of the fit that have a place: the others have a gap in one
    /// of the columns, and tell nothing of near rows.
    ///
    /// # Errors
    /// As [`features`]; `too_few_rows` where no row of the fit has a place.
    pub fn features(&self, choice: &FeatureChoice) -> Result<(Features, FitRows)> {
        let all = features(self.data, choice, self.rows)?;
        let placed = all.placed(self.rows);
        Ok((all, self.picked(&placed)?))
    }

    /// The same for several choices: the rows of the fit that have a place in each of them. Where neighbors have
    /// something in common, it stands behind the coordinates.
    ///
    /// # Errors
    /// As [`features`](Self::features); `features_missing` without a choice.
    pub fn spaces(
        &self,
        choices: &[FeatureChoice],
        within: Option<&str>,
        who: &str,
    ) -> Result<(Vec<Features>, FitRows, Option<InCommon>)> {
        if choices.is_empty() {
            return Err(missing_features(who));
        }
        let cut = Within::new(self.data, within)?;
        let all = choices.iter().map(|choice| {
            let all = features(self.data, choice, self.rows)?;
            match &cut {
                Some(cut) => cut.behind(self.data, all),
                None => Ok(all),
            }
        });
        let all: Result<Vec<Features>> = all.collect();
        let all = all?;
        let everywhere = |row: u32| all.iter().all(|space| space.has_place(row));
        let placed = (0u32..).zip(self.rows).filter(|(_, row)| everywhere(**row)).map(|(i, _)| i);
        let placed: Vec<u32> = placed.collect();
        let rows = self.picked(&placed)?;
        let common = within
            .zip(cut)
            .map(|(of, cut)| InCommon { of: of.to_owned(), coordinates: cut.coordinates(self.data).len() });
        Ok((all, rows, common))
    }

    /// The rows of the fit at these positions among all of them.
    fn picked(&self, positions: &[u32]) -> Result<FitRows> {
        if positions.is_empty() {
            return Err(no_row_has_a_place());
        }
        let before = self.before.map(|s| positions.iter().filter_map(|&i| s.get(i as usize).copied()).collect());
        Ok(FitRows { rows: picked(self.rows, positions), before })
    }

    /// The same, of some of the rows alone.
    pub fn of(self, some: &'a FitRows) -> Self {
        Self { rows: &some.rows, before: some.before.as_deref(), ..self }
    }

    /// Fits a method of scores to (s, t, weights).
    ///
    /// # Errors
    /// `score_missing`, `label_missing`; those of `fit`.
    pub fn fit_pairs<L>(
        &self,
        fit: impl FnOnce(&[f64], &[u8], Option<&[f64]>) -> Result<Fit<L>>,
    ) -> Result<FitOutcome<L>> {
        let (s, t) = self.pairs()?;
        fit(&s, &t, self.weights().as_deref()).map(FitOutcome::from)
    }

    /// Fits a method of logits to (Z of every row of the data, classes of the fitted rows, their weights).
    ///
    /// # Errors
    /// `label_missing`; those of [`required_logits`](Self::required_logits) and of `fit`.
    pub fn fit_logits<L>(
        &self,
        fit: impl FnOnce(&VectorLogits, &[u32], Option<&[f64]>) -> Result<Fit<L>>,
    ) -> Result<FitOutcome<L>> {
        let z = self.required_logits()?;
        fit(&z, &self.classes()?, self.weights().as_deref()).map(FitOutcome::from)
    }

    /// The logits, for a method whose only input they are ([`Input::Logits`](super::entry::Input::Logits)): rows
    /// without logits are refused before it is fitted.
    ///
    /// # Errors
    /// `internal`.
    pub fn required_logits(&self) -> Result<VectorLogits<'a>> {
        self.logits().ok_or_else(|| Error::internal("A method of logits is fitted to rows without logits."))
    }

    /// ln D of the rows of the fit that have a place, and these rows; all of them where none is near to any.
    ///
    /// # Errors
    /// `features_missing` where it is not known.
    pub fn log_proximities<'p>(
        &self,
        proximity: &'p Option<ProximityOptions>,
    ) -> Result<(&'p ProximityOptions, Vec<f64>, FitRows)> {
        let known = proximity.as_ref().zip(self.log_proximity.map(|near| of_rows(near, self.rows)));
        let (proximity, ln_d) = known.ok_or_else(|| {
            Error::new(
                "features_missing",
                "This method uses proximity, which needs feature columns.",
                phrases::FEATURES_OF_PROXIMITY_METHOD,
            )
        })?;
        let some = (0u32..).zip(&ln_d).filter(|(_, ln_d)| !ln_d.is_nan()).map(|(i, _)| i);
        let mut some: Vec<u32> = some.collect();
        if some.is_empty() {
            some = (0..ln_d.len() as u32).collect();
        }
        Ok((proximity, picked(&ln_d, &some), self.picked(&some)?))
    }

    /// Where the rows lie, for proximity to them in other data; nothing where the fit stays.
    ///
    /// # Errors
    /// As [`features`].
    pub fn places(&self, proximity: &ProximityOptions) -> Result<Memory> {
        match proximity.features.as_ref().filter(|_| self.leaves) {
            Some(choice) => {
                let (all, some) = self.features(choice)?;
                Ok(Memory::of_places(&all, &some.rows))
            }
            None => Ok(Memory::default()),
        }
    }
}

/// The error of a method of similar rows without coordinates of similarity.
pub fn missing_features(who: &str) -> Error {
    Error::new(
        "features_missing",
        format!("{who} needs feature columns, which define similarity."),
        phrases::FEATURES_OF_METHOD,
    )
}

/// The coordinates that are asked for: one choice, or several to choose from; else those of the run.
///
/// # Errors
/// `invalid_option` where both are asked for, or a choice from none.
pub fn spaces(
    features: Option<FeatureChoice>,
    choose: Option<Vec<FeatureChoice>>,
    run: Option<&FeatureChoice>,
) -> Result<Vec<FeatureChoice>> {
    match (features, choose) {
        (Some(_), Some(_)) => {
            Err(invalid("Features and a list of candidates both define similarity.", "Specify one of them."))
        }
        (None, Some(choose)) if choose.is_empty() => Err(invalid(
            "The list of candidates is empty.",
            "Name candidates, each written as features are, or omit it.",
        )),
        (None, Some(choose)) => Ok(choose),
        (given, None) => Ok(given.or_else(|| run.cloned()).into_iter().collect()),
    }
}

/// Code of what is said of rows with a gap in a feature.
pub const WITHOUT_PLACE: &str = "rows_without_place";

/// New rows, and what a fit may ask of them.
#[derive(Clone, Copy)]
pub struct RowsToScore<'a> {
    /// the open file
    pub data: &'a Predictions,
    /// rows of the data
    pub rows: &'a [u32],
    /// scores that the method before gave to `rows`; none: those of the file
    pub before: Option<&'a [f64]>,
    /// whether the fit looks at the logits of every class
    pub of_logits: bool,
    /// the rows of the fit, ascending, where they are rows of this data: none is its own neighbor
    pub fitted_on: Option<&'a [u32]>,
    /// ln D of every data row, where it is known
    pub log_proximity: Option<&'a [f64]>,
    /// coordinates of every row, where they are known
    pub coordinates: Option<&'a Features>,
}

impl<'a> RowsToScore<'a> {
    /// Rows of a file that the fit has not seen.
    pub fn of_other_data(data: &'a Predictions, rows: &'a [u32]) -> Self {
        Self { data, rows, before: None, of_logits: false, fitted_on: None, log_proximity: None, coordinates: None }
    }

    /// s of the view, or what the method before made of it.
    ///
    /// # Errors
    /// `score_missing`.
    pub fn scores(&self) -> Result<Cow<'a, [f64]>> {
        Ok(match self.before {
            Some(s) => Cow::Borrowed(s),
            None => Cow::Owned(picked(&pair::scores(self.data)?, self.rows)),
        })
    }

    /// The scores that `score` gives to the rows at the positions `placed`, ascending; the others get what `far` makes
    /// of what they had, and that is told.
    ///
    /// # Errors
    /// `score_missing`; those of `score`.
    pub fn where_placed(
        &self,
        placed: &[u32],
        far: impl FnOnce(&[f64]) -> Vec<f64>,
        score: impl FnOnce(&RowsToScore) -> Result<Scores>,
    ) -> Result<Scores> {
        let without = self.rows.len() - placed.len().min(self.rows.len());
        if without == 0 {
            return score(self);
        }
        let kept = self.scores()?;
        let (rows, before) = (picked(self.rows, placed), picked(&kept, placed));
        let before = self.before.map(|_| before.as_slice());
        let found = match placed {
            [] => Scores::default(),
            _ => score(&RowsToScore { rows: &rows, before, ..*self })?,
        };
        let far = far(&kept);
        let told = if far == *kept { kept_without_place(without) } else { moved_without_place(without) };
        let has_place = |place: &u32| placed.binary_search(place).is_ok();
        let nowhere = (0u32..).zip(self.rows).filter(|(place, _)| !has_place(place)).map(|(_, row)| *row);
        let mut scores = Scores { score: far, warnings: found.warnings, without_place: found.without_place }
            .and_without_place(nowhere);
        for (&place, value) in placed.iter().zip(found.score) {
            if let Some(score) = scores.score.get_mut(place as usize) {
                *score = value;
            }
        }
        scores.warnings.push(warning(WITHOUT_PLACE, told));
        Ok(scores)
    }

    /// s by a map of scores.
    ///
    /// # Errors
    /// `score_missing`.
    pub fn mapped(&self, map: impl FnOnce(&[f64]) -> Vec<f64>) -> Result<Scores> {
        Ok(map(&self.scores()?).into())
    }

    /// The logits of every row of the file, if the fit looks at them.
    pub fn logits(&self) -> Option<VectorLogits<'a>> {
        pair::vector_logits(self.data).filter(|_| self.of_logits)
    }

    /// s by a map of logits: of each row the probability of the class whose score it is.
    pub fn by_logits(&self, z: &VectorLogits, mut map: impl FnMut(usize, &mut [f64])) -> Vec<f64> {
        let mut vector = vec![0.0; z.width()];
        let each = self.rows.iter().map(|&row| {
            let row = row as usize;
            z.row_into(row, &mut vector);
            map(row, &mut vector);
            vector.get(pair::scored_class(self.data, row)).copied().unwrap_or(0.0)
        });
        each.collect()
    }

    /// s by a fit that knows logits alone.
    ///
    /// # Errors
    /// `calibrator_mismatch` where there are none.
    pub fn by_logit_map(&self, map: &dyn LogitMap) -> Result<Scores> {
        let z = self.logits().ok_or_else(no_logits)?;
        Ok(self.by_logits(&z, |_, row| map.apply_logits(row)).into())
    }

    /// Coordinates of the rows, found by the names that the fit remembers.
    ///
    /// # Errors
    /// `features_missing` for a column that is not there, `not_a_number`.
    pub fn places(&self, memory: &Memory) -> Result<Vec<f64>> {
        Ok(match self.coordinates {
            Some(known) => known.select(self.rows),
            None => features_by_name(self.data, &memory.names, memory.projection.as_ref())?.select(self.rows),
        })
    }

    /// ln D of the rows among the remembered ones.
    ///
    /// # Errors
    /// As [`places`](Self::places), and those of the search.
    pub fn log_proximities(&self, memory: &Memory, proximity: &ProximityOptions) -> Result<Vec<f64>> {
        match self.log_proximity {
            Some(known) => Ok(of_rows(known, self.rows)),
            None => memory.log_proximities(&self.places(memory)?, proximity),
        }
    }

    /// The groups of a column that the fit looked at; values that it did not know stay.
    ///
    /// # Errors
    /// `features_missing`; `invalid_option` for a column that cannot say groups.
    pub fn groups(&self, name: &str) -> Result<Groups> {
        find(self.data, name).map_err(|_| absent(name))?;
        groups(self.data, name)
    }
}

/// What is said where a stored method needs a score for every class.
pub fn no_logits() -> Error {
    Error::new(
        "calibrator_mismatch",
        "A method of this calibrator needs a score for every class.",
        phrases::OTHER_STORED_METHOD,
    )
}
