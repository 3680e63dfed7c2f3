//! The whole state of a screen, and from where to where each handle goes.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, message};
use crate::plot::chart::Screen;
use crate::request::bounds::{DPR, FIGURE, Field, real, whole};

/// Which rows a row is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Neighbors {
    /// those with a stated probability in the same bin
    #[default]
    Bin,
    /// all
    All,
}

/// The worlds of screen 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scenario {
    /// over-confident everywhere: T = 1.8
    #[default]
    Over,
    /// two regions whose errors cancel
    Regions,
    /// both
    Both,
    /// nothing is wrong
    Calibrated,
}

/// A method of screen 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LabMethod {
    /// original predictions
    None,
    /// one factor of all log-odds
    Temperature,
    /// a factor and a shift of all log-odds
    Platt,
    /// a rising step function of the score
    Isotonic,
    /// the observed proportion of each bin
    Histogram,
    /// local recalibration
    Lore,
    /// ridge-penalized local log-odds on Platt
    Ridge,
}

/// What a screen of the lab is asked to show. What is left out has its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LabRequest {
    /// the screen, 1 to 10
    pub screen: u8,
    /// rows, 10 to 5,000
    pub n: u32,
    /// confidence factor T: stated log-odds are T·f
    #[serde(rename = "T")]
    pub factor: f64,
    /// shift of stated log-odds
    pub s: f64,
    /// intercept of the true log-odds
    pub a: f64,
    /// slope of the true log-odds in x₁
    pub b: f64,
    /// at most four regions: center, radius, depth in percentage points (above 0: overestimated)
    pub region: Vec<[f64; 4]>,
    /// group B: its share, base (log-odds), gap in percentage points (above 0: overestimated)
    pub group: [f64; 3],
    /// stated log-odds of group B are moved by this much
    #[serde(rename = "move")]
    pub moved: f64,
    /// label noise ε: q becomes q + ε (1 − 2q)
    pub noise: f64,
    /// bins of equal width
    pub bins: u32,
    /// bandwidth γ of the Laplacian kernel
    pub gamma: f64,
    /// seed of the rows
    pub seed: u32,
    /// number of the draw of outcomes
    pub draw: u32,
    /// which rows a row is compared with
    pub neighbors: Neighbors,
    /// classes of screen 3: 2 to 4
    pub classes: u32,
    /// the world of screen 8
    pub world: Scenario,
    /// the method of screen 8 whose diagram and map are shown; none: the best one
    pub method: Option<LabMethod>,
    /// cost of a false negative over that of a false positive
    pub cost: u32,
    /// number of the lesson
    pub lesson: u32,
    /// number of the student
    pub k: u32,
    /// level of the line-up: 0 to 5
    pub level: u32,
    /// the panel of the line-up that was tapped; without it nothing is told of the real one
    pub tap: Option<u32>,
    /// codes of a class, for the tally of screen 1 or of the line-up
    pub codes: Vec<String>,
    /// stated confidences of screen 1, in percent
    pub stated: Vec<f64>,
    /// whether each answer was right: 0 or 1
    pub right: Vec<u32>,
    /// also return what is shown only after the prediction
    pub answered: bool,
    /// also return the rows as the text of a CSV file
    pub csv: bool,
    /// width of the page in CSS pixels
    pub width: Option<f64>,
    /// device pixels per CSS pixel
    pub dpr: Option<f64>,
    /// colors of pictures for a dark page
    pub dark: bool,
}

impl Default for LabRequest {
    fn default() -> Self {
        Self {
            screen: 1,
            n: 1_000,
            factor: 1.0,
            s: 0.0,
            a: 0.0,
            b: 1.0,
            region: Vec::new(),
            group: [0.0; 3],
            moved: 0.0,
            noise: 0.0,
            bins: 15,
            gamma: 0.4,
            seed: 7,
            draw: 1,
            neighbors: Neighbors::Bin,
            classes: 2,
            method: None,
            world: Scenario::Over,
            cost: 1,
            lesson: 1,
            k: 1,
            level: 2,
            tap: None,
            codes: Vec::new(),
            stated: Vec::new(),
            right: Vec::new(),
            answered: true,
            csv: false,
            width: None,
            dpr: None,
            dark: false,
        }
    }
}

/// Bounds of every number; both ends belong to it. Parts of a region and of the group have bounds of their own below.
pub const BOUNDS: &[(&str, Field)] = &[
    ("screen", whole(1, 10)),
    ("n", whole(10, 5_000)),
    ("T", real(0.3, 3.0)),
    ("s", real(-2.0, 2.0)),
    ("a", real(-3.0, 3.0)),
    ("b", real(0.0, 2.0)),
    ("move", real(-2.0, 2.0)),
    ("noise", real(0.0, 0.3)),
    ("bins", whole(2, 100)),
    ("gamma", real(0.001, 1_000.0)),
    ("seed", whole(1, u32::MAX as u64)),
    ("draw", whole(1, u32::MAX as u64)),
    ("classes", whole(2, 4)),
    ("cost", whole(1, 9)),
    ("lesson", whole(1, 22)),
    ("k", whole(1, 100)),
    ("level", whole(0, 5)),
    ("tap", whole(0, 19)),
    ("stated", real(50.0, 100.0)),
    ("right", whole(0, 1)),
    ("width", FIGURE),
    ("dpr", DPR),
];
const REGION: [(&str, Field); 4] = [
    ("region[0]", real(-3.0, 3.0)),
    ("region[1]", real(-3.0, 3.0)),
    ("region[2]", real(0.2, 2.0)),
    ("region[3]", real(-30.0, 30.0)),
];
const GROUP: [(&str, Field); 3] =
    [("group[0]", real(0.0, 0.5)), ("group[1]", real(-2.0, 2.0)), ("group[2]", real(-20.0, 20.0))];
/// Regions at most.
const MOST_REGIONS: usize = 4;
/// Codes of a class and questions of a set at most.
const MOST_CODES: usize = 2_000;
const MOST_QUESTIONS: usize = 100;

impl LabRequest {
    /// Refuses a handle out of its bounds.
    ///
    /// # Errors
    /// `invalid_option` with its name, its value and its bounds.
    pub fn check(&self) -> Result<()> {
        let numbers = [
            ("screen", f64::from(self.screen)),
            ("n", self.n.into()),
            ("T", self.factor),
            ("s", self.s),
            ("a", self.a),
            ("b", self.b),
            ("move", self.moved),
            ("noise", self.noise),
            ("bins", self.bins.into()),
            ("gamma", self.gamma),
            ("seed", self.seed.into()),
            ("draw", self.draw.into()),
            ("classes", self.classes.into()),
            ("cost", self.cost.into()),
            ("lesson", self.lesson.into()),
            ("k", self.k.into()),
            ("level", self.level.into()),
        ];
        let optional = [("tap", self.tap.map(f64::from)), ("width", self.width), ("dpr", self.dpr)];
        let given = optional.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let lists =
            (self.stated.iter().map(|&x| ("stated", x))).chain(self.right.iter().map(|&x| ("right", f64::from(x))));
        numbers.into_iter().chain(given).chain(lists).try_for_each(|(name, x)| {
            let bounds = BOUNDS.iter().find(|(known, _)| *known == name);
            bounds.map_or(Ok(()), |bounds| within(bounds, x))
        })?;
        self.region.iter().try_for_each(|region| REGION.iter().zip(region).try_for_each(|(at, &x)| within(at, x)))?;
        GROUP.iter().zip(self.group).try_for_each(|(at, x)| within(at, x))?;
        most("region", self.region.len(), MOST_REGIONS)?;
        most("codes", self.codes.len(), MOST_CODES)?;
        most("stated", self.stated.len(), MOST_QUESTIONS)
    }

    /// Where charts are drawn.
    pub(super) fn page(&self) -> Screen {
        Screen { width: self.width, dpr: self.dpr, dark: self.dark }
    }
}

fn within((name, field): &(&str, Field), x: f64) -> Result<()> {
    match field {
        Field::Number(bounds) => bounds.check(name, x),
        _ => Ok(()),
    }
}

fn most(name: &str, count: usize, most: usize) -> Result<()> {
    if count <= most {
        return Ok(());
    }
    let message = message![format!("`{name}` has {count} entries; at most {most} are allowed.")];
    Err(Error::new("invalid_option", message, "Remove some."))
}
