//! Named feature maps: scaled columns, principal components, t-SNE; computed once, used by name.

use serde::{Deserialize, Serialize};

use super::gaps::placed_among;
use crate::data::folds::Split;
use crate::data::{ColumnRole, Predictions, Projection, Role};
use crate::error::{Error, Result};
use crate::feature::{FeatureChoice, Places, feature_columns, left_out, width_of};
use crate::kernel::Points;
use crate::num::{Chosen, Rows};
use crate::project::tsne::{DIMENSIONS, ITERATIONS};
use crate::project::{Pca, Scaled, Scaling, Tsne, median_distance, starting_gamma};
use crate::table::{Column, Matrix, NamedColumn, Reals, Values};
use crate::words::text::{counted, plain, thousands};

/// Up to this many coordinates a scale alone is told as a linear map.
const MOST_SCALED: usize = 100;

/// A feature map to compute: columns, scaled, then principal components, then t-SNE; each step is optional.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ProjectionRequest {
    /// name of the map in `features`; default: its description, such as `pca 50 of embeddings`
    pub name: Option<String>,
    /// columns or arrays, by name; text becomes one coordinate per value; default: every column with a feature role
    pub of: Option<Vec<String>>,
    /// how they are scaled first
    pub scale: Scaling,
    /// number of principal components
    pub pca: Option<usize>,
    /// a picture in two or three coordinates
    pub tsne: Option<TsneRequest>,
}

/// Settings of t-SNE.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TsneRequest {
    /// 2 (default) or 3
    pub dimensions: Option<usize>,
    /// effective number of neighbors, from 1 to (n − 1)/3; default 30, or less with few rows
    pub perplexity: Option<f64>,
    /// seed of the small random shift of the start
    pub seed: u64,
    /// steps; default 1,000
    pub iterations: Option<usize>,
}

/// A feature map of every row, with a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coordinates {
    /// by which `features` can mean it
    pub name: String,
    /// q: how many coordinates
    pub coordinates: usize,
    /// one name per coordinate
    pub names: Vec<String>,
    /// what it was made from and how, in words
    pub text: String,
    /// median of ‖Δ‖₁/q over pairs of rows: what a bandwidth γ is to be held against; absent with one row
    pub median_distance: Option<f64>,
    /// bandwidth γ to start with: a fifth of that distance
    pub gamma: f64,
    /// share of the variance that the principal components keep, where there are any
    pub variance_share: Option<f64>,
    /// n × q, row-major
    pub values: Column<f64>,
    /// from columns to coordinates, where that is linear
    pub projection: Option<Projection>,
}

/// How many coordinates a place has, and the present places of every row, row-major.
pub type Picture<'a> = (usize, &'a [f32]);

impl ProjectionRequest {
    /// The columns that it is made from.
    pub fn columns(&self, data: &Predictions) -> Vec<String> {
        self.of.clone().unwrap_or_else(|| feature_columns(data))
    }

    /// A name that says what it is, and that nothing else has: ` (2)`, ` (3)`, … is added where it must be.
    pub fn default_name(&self, data: &Predictions) -> String {
        let what = self.subject(data);
        let short = match (&self.tsne, self.pca) {
            (Some(tsne), _) if tsne.dimensions == Some(3) => format!("t-SNE 3 of {what}"),
            (Some(_), _) => format!("t-SNE of {what}"),
            (None, Some(q)) => format!("pca {q} of {what}"),
            (None, None) => what,
        };
        let mut name = short.clone();
        let mut count = 1;
        while taken(data, &name) {
            count += 1;
            name = format!("{short} ({count})");
        }
        name
    }

    /// The columns in words, with how they are scaled.
    fn subject(&self, data: &Predictions) -> String {
        let columns = self.columns(data);
        let what = match columns.as_slice() {
            [one] => one.clone(),
            [one, two] => format!("{one} and {two}"),
            more => format!("{} columns", more.len()),
        };
        match self.scale {
            Scaling::None => what,
            Scaling::Standardise => format!("standardized {what}"),
            Scaling::MedianL1 => format!("scaled {what}"),
        }
    }

    fn tsne(&self, n: usize) -> Option<Tsne> {
        self.tsne.as_ref().map(|asked| Tsne {
            dimensions: asked.dimensions.unwrap_or(DIMENSIONS),
            perplexity: asked.perplexity.unwrap_or(Tsne::default_perplexity(n)),
            seed: asked.seed,
            iterations: asked.iterations.unwrap_or(ITERATIONS),
        })
    }

    /// Expected milliseconds, for progress: with components fitted to all rows, and every row placed.
    pub fn cost(&self, data: &Predictions) -> f64 {
        let d = width_of(data, &FeatureChoice::Many(self.columns(data)));
        self.costs(data.rows, (data.rows, d)).total()
    }

    /// The work of n × d values, the components fitted to `fitted` of the rows.
    fn costs(&self, fitted: usize, (n, d): (usize, usize)) -> Costs {
        let q = self.pca.map_or(0, |q| q.min(d));
        Costs {
            fitting: Pca::cost(fitted, d, q),
            placing: (n * d * q) as f64 * 1e-6,
            steps: self.tsne(n).map_or(0.0, |tsne| tsne.cost(n, if q > 0 { q } else { d })),
        }
    }

    fn checked_name(&self, data: &Predictions) -> Result<String> {
        let invalid = |what: &str, hint: &str| Err(Error::new("invalid_option", what, hint));
        if self.scale == Scaling::None && self.pca.is_none() && self.tsne.is_none() {
            return invalid(
                "A projection needs scale, pca or tsne.",
                "Specify scale, pca or tsne; or name the columns in features.",
            );
        }
        if self.pca == Some(0) {
            return invalid("0 principal components were requested.", "Request at least 1.");
        }
        match &self.name {
            None => Ok(self.default_name(data)),
            Some(name) if name.trim().is_empty() => {
                invalid("A projection needs a name.", "Omit the name, or specify one.")
            }
            Some(name) if taken(data, name) => Err(Error::new(
                "invalid_option",
                format!("The name `{name}` is already in use."),
                "Choose another name.",
            )),
            Some(name) => Ok(name.clone()),
        }
    }
}

/// Expected milliseconds of components, their coordinates, and t-SNE.
struct Costs {
    fitting: f64,
    placing: f64,
    steps: f64,
}

impl Costs {
    fn total(&self) -> f64 {
        self.fitting + self.placing + self.steps
    }
}

fn taken(data: &Predictions, name: &str) -> bool {
    data.table.columns.iter().any(|column| column.name == name)
}

/// Computes a feature map. Scale and components are fitted on calibration rows (under folds: on all rows, with a half:
/// on that of seed 0); t-SNE takes all rows together. No label is looked at.
///
/// `progress` hears the share done and, from t-SNE, how many coordinates a place has and the present places.
///
/// # Errors
/// `invalid_option` for settings that make no sense and a name that is taken; `features_missing`, `unknown_column`,
/// `too_few_rows`.
///
/// # Cost
/// See [`Pca::fit`] and [`Tsne::embed`]; memory for one chunk of rows beside the answer.
///
/// ```
/// use localcal_methods::data::{OpenOptions, assemble};
/// use localcal_methods::read::read;
/// use localcal_methods::feature::projection::{ProjectionRequest, project};
/// use localcal_methods::project::Scaling;
///
/// let file = read("rows.csv", b"p,y,x\n0.9,1,1\n0.8,0,3\n0.3,0,1\n0.2,1,3\n", &mut |_| ())?;
/// let (data, _) = assemble(&[file], &OpenOptions::default())?;
/// let request = ProjectionRequest { of: Some(vec!["x".into()]), scale: Scaling::Standardise, ..Default::default() };
/// // mean 2, standard deviation 1
/// assert_eq!(*project(&data, &request, &mut |_, _| ())?.values, [-1.0, 1.0, -1.0, 1.0]);
/// # Ok::<(), localcal_methods::Error>(())
/// ```
pub fn project(
    data: &Predictions,
    request: &ProjectionRequest,
    progress: &mut dyn FnMut(f64, Option<Picture>),
) -> Result<Coordinates> {
    let name = request.checked_name(data)?;
    let raw = Places::new(data, &request.columns(data))?;
    let (n, d) = (raw.n(), raw.d());
    let tsne = request.tsne(raw.placed.len());
    if let Some(tsne) = &tsne {
        tsne.check(raw.placed.len())?;
    }
    let mut fit_rows = Split::new(data, 0).map(|split| split.all_calibration_rows()).unwrap_or_default();
    if fit_rows.is_empty() {
        fit_rows = (0..n as u32).collect();
    }
    let fit_rows = placed_among(&raw.placed, &fit_rows, n);
    let chosen = Chosen { of: &raw, rows: &fit_rows };
    let scale = request.scale.fit(&chosen, 0);
    let scaled = Scaled { of: &raw, scale: &scale };

    let q = request.pca.map_or(0, |q| q.min(d));
    let costs = request.costs(fit_rows.len(), (n, d));
    let Costs { fitting, placing, steps } = costs;
    let total = costs.total();

    let mut fit = None;
    let mut values = Vec::new();
    if q > 0 {
        let rows = Chosen { of: &scaled, rows: &fit_rows };
        let found = Pca::fit(&rows, q, 0, &mut |done| {
            progress(done * fitting / total, None);
        })?;
        let along = found.transform(&scaled, &mut |done| {
            progress((fitting + done * placing) / total, None);
        })?;
        values = along.into_raw_vec_and_offset().0;
        fit = Some(found);
    } else if tsne.is_none() {
        values = vec![0.0; n * d];
        for (i, row) in values.chunks_exact_mut(d.max(1)).enumerate() {
            scaled.read(i, row);
        }
    }
    let mut width = fit.as_ref().map_or(d, Pca::q);
    let components = fit.as_ref().map(|fit| {
        let kept = fit.variance.iter().sum::<f64>();
        let share = if fit.total_variance > 0.0 { kept / fit.total_variance } else { 1.0 };
        (fit.q(), share)
    });
    let text = words(request, data, d, &components, (fit_rows.len(), raw.placed.len()), tsne);
    let placed = raw.placed.clone();
    let mut projection = None;
    if let Some(tsne) = tsne {
        let (places, chosen);
        let rows: &dyn Rows = if components.is_some() {
            values = gathered(&values, width, &raw.placed);
            places = Points::row_major(width, &values)?;
            &places
        } else {
            chosen = Chosen { of: &scaled, rows: &raw.placed };
            &chosen
        };
        let before = fitting + placing;
        let picture = tsne.embed(rows, &mut |done, places| {
            let places = places.map(|places| (tsne.dimensions, places));
            progress((before + done * steps) / total, places);
        })?;
        let drawn = picture.into_raw_vec_and_offset().0;
        width = tsne.dimensions;
        values = vec![f64::NAN; n * width];
        for (&row, place) in raw.placed.iter().zip(drawn.chunks_exact(width.max(1))) {
            let from = row as usize * width;
            values[from..from + width].copy_from_slice(place);
        }
    } else if let Some(fit) = fit {
        projection = Some(composed(raw.names, &scale.shift, &scale.factor, &fit));
    } else if d <= MOST_SCALED {
        let mut components = vec![0.0; d * d];
        for (c, factor) in scale.factor.iter().enumerate() {
            components[c * d + c] = *factor;
        }
        projection = Some(Projection { of: raw.names, mean: scale.shift.into(), components: components.into() });
    }
    let here = gathered(&values, width, &placed);
    let median = median_distance(&Points::row_major(width, &here)?, 0);
    Ok(Coordinates {
        names: (1..=width).map(|k| format!("{name}[{k}]")).collect(),
        name,
        coordinates: width,
        text,
        median_distance: median.is_finite().then_some(median),
        gamma: starting_gamma(median),
        variance_share: components.map(|(_, share)| share),
        values: values.into(),
        projection,
    })
}

/// Coordinates of some rows, ascending, in their order.
fn gathered(values: &[f64], d: usize, rows: &[u32]) -> Vec<f64> {
    if rows.len() * d == values.len() {
        return values.to_vec();
    }
    let place = |row: &u32| values.get(*row as usize * d..(*row as usize + 1) * d).unwrap_or(&[]).iter().copied();
    rows.iter().flat_map(place).collect()
}

/// Components of scaled rows as a map of the rows before: c · ((x − shift) f − mean) = (c f) · (x − shift − mean/f).
fn composed(of: Vec<String>, shift: &[f64], factor: &[f64], fit: &Pca) -> Projection {
    let mean = shift.iter().zip(factor).zip(&fit.mean).map(
        |((shift, factor), mean)| {
            if *factor == 0.0 { *shift } else { shift + mean / factor }
        },
    );
    let components = fit.components.iter().zip(factor.iter().cycle());
    Projection { of, mean: mean.collect(), components: components.map(|(c, factor)| c * factor).collect() }
}

/// What it was made from and how.
fn words(
    request: &ProjectionRequest,
    data: &Predictions,
    d: usize,
    components: &Option<(usize, f64)>,
    (fitted, placed): (usize, usize),
    tsne: Option<Tsne>,
) -> String {
    let mut what = request.subject(data);
    if d > 1 && request.columns(data).len() == 1 {
        what = format!("{what} ({} columns)", thousands(d));
    }
    let mut more = String::new();
    if let Some((q, share)) = components {
        let on = if fitted < placed {
            format!("fitted on {} calibration rows", thousands(fitted))
        } else {
            format!("fitted on all {} rows", thousands(fitted))
        };
        what = format!("{} of {what}", counted(*q, "principal component"));
        more = format!(", {on}, {:.1}% of the variance", 100.0 * share);
    }
    let text = match tsne {
        Some(tsne) => format!(
            "t-SNE of {what}{more}; perplexity {}, seed {}, {} iterations, all {} rows together",
            plain((tsne.perplexity * 100.0).round() / 100.0),
            tsne.seed,
            thousands(tsne.iterations),
            thousands(placed)
        ),
        None => format!("{what}{more}"),
    };
    let all: Vec<u32> = (0..data.rows as u32).collect();
    match left_out(data, &FeatureChoice::Many(request.columns(data)), None, &all) {
        Some(said) => format!("{text}; {}", said.trim_end_matches('.')),
        None => text,
    }
}

/// Adds a feature map to the columns of its data set; one of another data set, which an analysis looks at beside this one,
/// is passed over.
pub fn with_map(predictions: &mut Predictions, map: &Coordinates) {
    if map.values.len() != predictions.rows * map.coordinates {
        return;
    }
    predictions.table.columns.push(NamedColumn {
        file: String::new(),
        name: map.name.clone(),
        values: Values::Matrix(Matrix { width: map.coordinates, values: Reals::F64(map.values.clone()) }),
    });
    predictions.roles.push(ColumnRole {
        file: String::new(),
        name: map.name.clone(),
        role: Role::Features,
        reason: map.text.clone(),
        shape: vec![predictions.rows, map.coordinates],
        sure: true,
        text: false,
        preview: Vec::new(),
        missing: 0,
        reading: None,
        offer: None,
        written: None,
        sentinels: Vec::new(),
        cell_width: None,
    });
    predictions.projections.push((map.name.clone(), map.projection.clone()));
}
