//! Colors by meaning, two themes, and the diverging map of signed errors.
//!
//! Over-confident is warm and under-confident is cool, always, and always with a second cue.

use serde::{Deserialize, Serialize};

/// Red, green and blue, 0..=255, sRGB.
pub type Rgb = [u8; 3];

/// Meaning of a color; a [`Theme`] defines its appearance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ink {
    /// text and main lines
    Ink,
    /// axis titles, tick labels, notes
    Muted,
    /// axis lines and reference lines
    Axis,
    /// grid lines
    Grid,
    /// the selection
    Accent,
    /// overconfidence: predicted above observed
    Over,
    /// underconfidence: predicted below observed
    Under,
    /// null range of a calibrated model
    Band,
    /// original predictions
    Before,
    /// recalibrated predictions
    After,
    /// background of the chart
    Paper,
    /// insufficient data
    NotEnough,
    /// the k-th of eight categorical colors, which repeat
    Category(u8),
    /// signed error on the diverging scale, from −1 (underconfident) to 1 (overconfident)
    Diverging(f64),
}

/// The colors of one appearance; every text color keeps a contrast of 4.5 : 1 against `paper`.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// dark paper, light ink
    pub dark: bool,
    /// see [`Ink::Paper`]
    pub paper: Rgb,
    /// see [`Ink::Ink`]
    pub ink: Rgb,
    /// see [`Ink::Muted`]
    pub muted: Rgb,
    /// see [`Ink::Axis`]
    pub axis: Rgb,
    /// see [`Ink::Grid`]
    pub grid: Rgb,
    /// see [`Ink::Accent`]
    pub accent: Rgb,
    /// see [`Ink::Over`]
    pub over: Rgb,
    /// see [`Ink::Under`]
    pub under: Rgb,
    /// see [`Ink::Band`]
    pub band: Rgb,
    /// see [`Ink::Before`]
    pub before: Rgb,
    /// see [`Ink::After`]
    pub after: Rgb,
    /// see [`Ink::NotEnough`]
    pub not_enough: Rgb,
    /// see [`Ink::Category`]
    pub categories: [Rgb; 8],
}

/// The theme for white paper.
pub const LIGHT: Theme = Theme {
    dark: false,
    paper: [255, 255, 255],
    ink: [27, 31, 36],
    muted: [87, 96, 106],
    axis: [140, 149, 159],
    grid: [234, 237, 240],
    accent: [9, 105, 218],
    over: [179, 71, 8],
    under: [20, 104, 168],
    band: [228, 232, 236],
    before: [66, 74, 83],
    after: [0, 122, 89],
    not_enough: [188, 193, 199],
    categories: OKABE_ITO,
};

/// The theme for figures in print: black on white, nothing so pale that paper swallows it.
pub const PRINT: Theme = Theme {
    dark: false,
    paper: [255, 255, 255],
    ink: [0, 0, 0],
    muted: [38, 38, 38],
    axis: [90, 90, 90],
    grid: [214, 214, 214],
    accent: [0, 62, 160],
    over: [160, 56, 0],
    under: [0, 82, 150],
    band: [206, 206, 206],
    before: [0, 0, 0],
    after: [0, 104, 74],
    not_enough: [166, 166, 166],
    categories: OKABE_ITO,
};

/// The theme for dark paper.
pub const DARK: Theme = Theme {
    dark: true,
    paper: [22, 25, 29],
    ink: [232, 236, 240],
    muted: [158, 167, 177],
    axis: [101, 110, 120],
    grid: [42, 47, 53],
    accent: [88, 166, 255],
    over: [240, 146, 80],
    under: [98, 176, 236],
    band: [50, 56, 63],
    before: [194, 201, 208],
    after: [45, 190, 145],
    not_enough: [84, 91, 99],
    categories: OKABE_ITO_DARK,
};

/// Okabe & Ito (2008), black first. Orange, sky blue and yellow are too pale for lines on white: they are darkened to a contrast
/// of 3 : 1 and more, apart from each other in lightness for readers who do not tell red from green.
const OKABE_ITO: [Rgb; 8] =
    [[0, 0, 0], [0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [154, 84, 0], [0, 139, 255], [63, 77, 0]];

/// The same hues on dark paper: black becomes light gray and the blue is lifted.
const OKABE_ITO_DARK: [Rgb; 8] = [
    [221, 225, 230],
    [51, 150, 214],
    [230, 120, 40],
    [0, 170, 124],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [240, 228, 66],
];

impl Theme {
    /// This theme with the colors that a system forces on every page; lines and neutral areas are mixed of the first
    /// two, and colors with a meaning stay.
    ///
    /// * `colors`: red, green and blue of the background, of text and of the selection
    /// * returns: none of another number of bytes
    pub fn forced(&self, colors: &[u8]) -> Option<Self> {
        let (&[paper, ink, accent], []) = colors.as_chunks::<3>() else { return None };
        let mixed = |share: f64| {
            std::array::from_fn(|k| {
                let (from, to) = (f64::from(paper[k]), f64::from(ink[k]));
                (from + share * (to - from)).round() as u8
            })
        };
        let (grid, band, not_enough) = (mixed(0.12), mixed(0.18), mixed(0.4));
        let lines = Self { muted: ink, axis: ink, before: ink, grid, band, not_enough, ..self.clone() };
        Some(Self { paper, ink, accent, ..lines })
    }

    /// The color that stands for `ink`.
    pub fn rgb(&self, ink: Ink) -> Rgb {
        match ink {
            Ink::Ink => self.ink,
            Ink::Muted => self.muted,
            Ink::Axis => self.axis,
            Ink::Grid => self.grid,
            Ink::Accent => self.accent,
            Ink::Over => self.over,
            Ink::Under => self.under,
            Ink::Band => self.band,
            Ink::Before => self.before,
            Ink::After => self.after,
            Ink::Paper => self.paper,
            Ink::NotEnough => self.not_enough,
            Ink::Category(k) => self.categories[usize::from(k % 8)],
            Ink::Diverging(v) => diverging(v, self.dark),
        }
    }
}

/// Color of a signed error: lightness and chroma in OKLab change in proportion to |`v`|.
///
/// * `v`: −1 (under-confident, cool) to 1 (over-confident, warm); clamped; not-a-number is the midpoint
/// * `dark`: for dark paper, where large errors are light instead of dark
/// * returns: sRGB; `diverging(0)` is near the paper, and |v| alone decides the lightness
///
/// # Source
/// Ottosson (2020), OKLab.
pub fn diverging(v: f64, dark: bool) -> Rgb {
    let v = if v.is_nan() { 0.0 } else { v.clamp(-1.0, 1.0) };
    let t = v.abs();
    let (middle, end) = if dark { (0.30, 0.78) } else { (0.965, 0.49) };
    let (hue, chroma): (f64, f64) = match (v < 0.0, dark) {
        (false, false) => (45.0, 0.138),
        (true, false) => (248.0, 0.128),
        (false, true) => (55.0, 0.128),
        (true, true) => (240.0, 0.112),
    };
    let hue = hue.to_radians();
    let chroma = chroma * t;
    rgb_of_oklab([middle + (end - middle) * t, chroma * hue.cos(), chroma * hue.sin()])
}

/// The diverging map at `steps` equal steps from −1 to 1, for inner loops.
pub fn diverging_table(steps: usize, dark: bool) -> Vec<Rgb> {
    let last = steps.saturating_sub(1).max(1) as f64;
    (0..steps).map(|i| diverging(2.0 * i as f64 / last - 1.0, dark)).collect()
}

fn rgb_of_oklab(lab: [f64; 3]) -> Rgb {
    linear_of_oklab(lab).map(|c| {
        let c = c.clamp(0.0, 1.0);
        let s = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (s * 255.0).round() as u8
    })
}

fn linear_of_oklab([l, a, b]: [f64; 3]) -> [f64; 3] {
    let long = (l + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let middle = (l - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let short = (l - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * long - 3.307_711_591_3 * middle + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * middle - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * middle + 1.707_614_701_0 * short,
    ]
}

#[cfg(test)]
pub(crate) mod tests;
