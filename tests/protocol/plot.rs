//! Golden pictures of every chart. Run with `LOCALCAL_RECORD=1` to write them anew, then look at them.

use std::path::PathBuf;

use localcal::plot::cdf::{CdfChart, CdfSeries, cdf, steps};
use localcal::plot::collisions::collisions;
use localcal::plot::extent::Extent;
use localcal::plot::figure::{Dash, Figure};
use localcal::plot::forest::{ForestChart, ForestRow, forest};
use localcal::plot::histogram::{BinPicker, PickBin, histogram};
use localcal::plot::map::{MapChart, map, square};
use localcal::plot::palette::{DARK, Ink, LIGHT, Theme};
use localcal::plot::pdf::pdf;
use localcal::plot::raster::{Dots, Field, Raster, rasterise};
use localcal::plot::reliability::{BinMark, FULL, Histogram, ReliabilityChart, ReliabilitySeries, reliability};
use localcal::plot::shape::{Shape, shapes};
use localcal::plot::svg::svg;
use localcal::plot::sweep::{SweepChart, SweepSeries, sweep};
use localcal::plot::table::TextTable;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::support::pdf::content;

fn uniform(rng: &mut Pcg64) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Scores piled up near 1, as modern networks give them, and outcomes by `truth`.
fn predictions(n: usize, spread: f64, truth: impl Fn(f64) -> f64) -> Vec<(f64, bool)> {
    let mut rng = Pcg64::seed_from_u64(7);
    (0..n)
        .map(|_| {
            let score = 1.0 - 0.93 * uniform(&mut rng).powf(spread);
            (score, uniform(&mut rng) < truth(score))
        })
        .collect()
}

fn wilson(share: f64, n: f64) -> (f64, f64) {
    let z = 1.959_964;
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    (middle - half, middle + half)
}

fn series(name: &str, rows: &[(f64, bool)], truth: impl Fn(f64) -> f64) -> ReliabilitySeries {
    let bins = (0..15)
        .map(|k| {
            let (low, high) = (f64::from(k) / 15.0, f64::from(k + 1) / 15.0);
            let inside: Vec<_> = rows.iter().filter(|r| r.0 > low && r.0 <= high).collect();
            let n = inside.len().max(1) as f64;
            let score = inside.iter().map(|r| r.0).sum::<f64>() / n;
            let events = inside.iter().filter(|r| r.1).count();
            let target = events as f64 / n;
            let (wilson_low, wilson_high) = wilson(target, n);
            BinMark {
                low,
                high,
                n: inside.len() as u32,
                events: events as u32,
                weight: None,
                score,
                target,
                gap: score - target,
                wilson_low,
                wilson_high,
                inside_band: (score - target).abs() < 1.96 * (score * (1.0 - score) / n).sqrt() + 0.3 / n,
            }
        })
        .collect();
    let least = rows.iter().map(|r| r.0).fold(1.0, f64::min);
    let most = rows.iter().map(|r| r.0).fold(0.0, f64::max);
    // A staircase, as isotonic regression gives.
    let mut curve: Vec<(f64, f64)> = Vec::new();
    for i in 0..24 {
        let at = |i: i32| least + (most - least) * f64::from(i) / 24.0;
        let level = truth((at(i) + at(i + 1)) / 2.0);
        curve.extend([(at(i), level), (at(i + 1), level)]);
    }
    let band = curve.iter().map(|&(s, y)| (s, (y - 0.05).max(0.0), (y + 0.05).min(1.0))).collect();
    ReliabilitySeries { name: name.into(), bins, curve, band }
}

fn reliability_chart(n: usize, width: f64, two: bool) -> Figure {
    let truth = |s: f64| (0.62 * s + 0.1 * s * s + 0.04 + 0.12 * (-(s - 0.2).powi(2) * 60.0).exp()).min(1.0);
    let rows = predictions(n, 1.9, truth);
    let mut all = vec![series("as predicted", &rows, truth)];
    if two {
        let better = |s: f64| s + 0.03 * (s * 9.0).sin() * s * (1.0 - s);
        let rows = predictions(n, 1.1, better);
        all.push(series("after LoRe", &rows, better));
    }
    let band = (0..=50)
        .map(|i| {
            let s = 0.07 + 0.93 * f64::from(i) / 50.0;
            let half = 1.96 * (s * (1.0 - s) / (n as f64 / 40.0)).sqrt();
            (s, (s - half).max(0.0), (s + half).min(1.0))
        })
        .collect();
    let mut counts = Histogram {
        edges: (0..=100).map(|i| f64::from(i) / 100.0).collect(),
        events: vec![0; 100],
        others: vec![0; 100],
    };
    for (score, event) in &rows {
        let k = ((score * 100.0) as usize).min(99);
        if *event {
            counts.events[k] += 1;
        } else {
            counts.others[k] += 1;
        }
    }
    reliability(
        &ReliabilityChart {
            series: all,
            consistency: if two { Vec::new() } else { band },
            pointwise: Vec::new(),
            axes: FULL,
            logit: false,
            beyond: Default::default(),
            band_words: String::new(),
            histogram: counts,
            score_name: "confidence".into(),
            target_name: "accuracy".into(),
            events_name: "right".into(),
            others_name: "wrong".into(),
            curve_name: "isotonic curve".into(),
            n: n as u64,
            small: false,
            square_root_heights: n > 1000,
            title: "Overconfident by 15.1 percentage points: mean confidence 67.8%, accuracy 52.7%".into(),
            caption: String::new(),
        },
        width,
    )
}

fn cdf_chart(width: f64, two: bool) -> Figure {
    let mut rng = Pcg64::seed_from_u64(3);
    let mut errors = |scale: f64| -> Vec<f64> { (0..800).map(|_| scale * -(1.0 - uniform(&mut rng)).ln()).collect() };
    let mut one = |name: &str, scale: f64, gap: f64| {
        let values = errors(scale);
        CdfSeries {
            name: name.into(),
            steps: steps(&values, 400),
            mean: values.iter().sum::<f64>() / values.len() as f64,
            gap,
            n: values.len() as u64,
        }
    };
    let mut series = vec![one("before", 0.06, 0.031)];
    if two {
        series.push(one("after", 0.02, 0.004));
    }
    cdf(
        &CdfChart {
            series,
            value_name: "local error".into(),
            rows_of: "the rows of bin 0.80–0.87".into(),
            title: "Six in ten rows are further off than their bin admits".into(),
            caption: String::new(),
        },
        width,
    )
}

/// All rows, with the best and the worst bin.
fn cdf_of_bins(width: f64) -> Figure {
    let mut rng = Pcg64::seed_from_u64(3);
    let mut one = |name: &str, n: usize, scale: f64, gap: f64| {
        let draw = |_| gap * 0.7 - scale * (1.0 - uniform(&mut rng)).ln();
        let values: Vec<f64> = (0..n).map(draw).collect();
        CdfSeries {
            name: name.into(),
            steps: steps(&values, 400),
            mean: values.iter().sum::<f64>() / n as f64,
            gap,
            n: n as u64,
        }
    };
    cdf(
        &CdfChart {
            series: vec![
                one("all rows", 4_000, 0.05, 0.012),
                one("best bin 0.33–0.40", 260, 0.04, 0.0006),
                one("worst bin 0.93–1.00", 700, 0.03, 0.075),
            ],
            value_name: "local error".into(),
            rows_of: "the rows shown".into(),
            title: String::new(),
            caption: String::new(),
        },
        width,
    )
}

/// A field with a warm and a cool hill, and points drawn from two clouds.
fn map_chart(width: f64, n: usize, dark: bool, dpr: f64) -> Figure {
    let mut rng = Pcg64::seed_from_u64(5);
    let mut normal = || {
        let (u, v) = (1.0 - uniform(&mut rng), uniform(&mut rng));
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for i in 0..n {
        let center = if i % 3 == 0 { (2.0, 1.5) } else { (-1.0, -0.5) };
        x.push(54.0 + 9.0 * (center.0 + normal()));
        y.push(27.0 + 4.0 * (center.1 + 0.8 * normal()));
    }
    let truth = |x: f64, y: f64| {
        let (u, v) = ((x - 54.0) / 9.0, (y - 27.0) / 4.0);
        0.2 * (-((u - 2.0).powi(2) + (v - 1.5).powi(2)) / 2.0).exp()
            - 0.14 * (-((u + 1.6).powi(2) + (v + 0.6).powi(2)) / 1.5).exp()
    };
    let depth = |x: f64, y: f64| {
        let (u, v) = ((x - 54.0) / 9.0, (y - 27.0) / 4.0);
        ((u - 2.0).hypot((v - 1.5) / 0.8)).min((u + 1.0).hypot((v + 0.5) / 0.8))
    };
    let support = |x: f64, y: f64| match depth(x, y) {
        d if d < 2.4 => 2u8,
        d if d < 3.0 => 1,
        _ => 0,
    };
    let extent = Extent::around(&x, &y);
    let value: Vec<f64> = x.iter().zip(&y).map(|(&x, &y)| truth(x, y)).collect();
    let supports: Vec<u8> = x.iter().zip(&y).map(|(&x, &y)| support(x, y).max(1)).collect();
    let side = 64;
    let center = |i: usize, low: f64, high: f64| low + (high - low) * (i as f64 + 0.5) / side as f64;
    let cells: Vec<(f64, f64)> = (0..side * side)
        .map(|k| (center(k % side, extent.x0, extent.x1), center(k / side, extent.y0, extent.y1)))
        .collect();
    let field_value: Vec<f64> = cells.iter().map(|c| truth(c.0, c.1)).collect();
    let field_support: Vec<u8> = cells.iter().map(|c| support(c.0, c.1)).collect();
    let rect = square(&extent, "body mass index, kg/m²", width);
    let picture = rasterise(
        Dots { x: &x, y: &y, value: &value, support: &supports },
        Field { side, value: &field_value, support: &field_support },
        &Raster { extent, width: (rect.width * dpr) as u32, height: (rect.height * dpr) as u32, dpr, limit: 0.2, dark },
    );
    map(&MapChart {
        extent,
        x_name: "age, years".into(),
        y_name: "body mass index, kg/m²".into(),
        picture: Some(picture),
        color_limit: 0.2,
        error_range: None,
        value_name: "confidence − accuracy near each row".into(),
        n: n as u64,
        n_grey: supports.iter().filter(|&&s| s < 2).count() as u64,
        selection: Some(Extent { x0: 66.0, x1: 80.0, y0: 30.0, y1: 36.0 }),
        cursor: None,
        title: "Over-confident for older patients with a high index, under-confident for younger ones".into(),
        caption:
            "Signed local error at γ = 0.1 in bin 0.80–0.87; where fewer than 20 rows carry weight nothing is claimed."
                .into(),
        alt: String::new(),
        table: TextTable::new(&["region", "#rows", "#local error"]),
    }, width)
}

fn sweep_chart(width: f64) -> Figure {
    let line = |height: f64, fall: f64, floor: f64| -> Vec<(f64, f64)> {
        (0..25)
            .map(|i| {
                let gamma = 0.01 * 1000f64.powf(f64::from(i) / 24.0);
                (gamma, floor + height / (1.0 + (gamma / fall).powf(1.1)))
            })
            .collect()
    };
    let one = |name: &str, ink, dash, height: f64, fall, floor: f64| SweepSeries {
        name: name.into(),
        ink,
        dash,
        values: line(height, fall, floor),
        at_zero: Some(height + floor + 0.02),
        at_infinity: Some(floor),
        band: Vec::new(),
        floor: Vec::new(),
        first_mark: None,
    };
    sweep(
        &SweepChart {
            series: vec![
                one("before", Ink::Before, Dash::Solid, 0.31, 0.3, 0.09),
                one("after LoRe", Ink::After, Dash::Dashed, 0.18, 0.12, 0.01),
            ],
            gamma: Some(0.2),
            suggested: None,
            value_name: "MLCE, points".into(),
            in_points: true,
            title: "The repair holds at every bandwidth".into(),
            caption: String::new(),
            height: Some(140.0),
        },
        width,
    )
}

/// Curves as `data.analyse("sweep")` draws them: many methods with a floor, or two with bands.
fn sweep_of(names: &[&str], bands: bool, width: f64) -> Figure {
    let gamma = |i: u32| 0.01 * 10f64.powf(f64::from(i) / 6.0);
    let series = names.iter().enumerate().map(|(k, name)| {
        let (top, low) = (0.44 - 0.01 * k as f64, 0.12 / (1.0 + k as f64));
        let middle = 0.15 + 0.03 * k as f64;
        let fall = |g: f64| low + (top - low) / (1.0 + (g / middle).powf(1.3));
        let around = |part: f64| {
            (0..25)
                .map(|i| (gamma(i), fall(gamma(i)) * (part - 0.1), fall(gamma(i)) * (part + 0.1)))
                .collect::<Vec<_>>()
        };
        SweepSeries {
            name: (*name).into(),
            ink: Ink::Category(k as u8),
            dash: if k < 4 { Dash::Solid } else { Dash::Dashed },
            values: (0..25).map(|i| (gamma(i), fall(gamma(i)))).collect(),
            at_zero: Some(top),
            at_infinity: Some(low),
            band: if bands { around(1.0) } else { Vec::new() },
            floor: if k == 0 && !bands { around(0.8) } else { Vec::new() },
            first_mark: Some(25 * k as u32),
        }
    });
    sweep(
        &SweepChart {
            series: series.collect(),
            gamma: Some(0.4),
            suggested: Some(0.15),
            value_name: "mean LCE, points".into(),
            in_points: true,
            title: String::new(),
            caption: String::new(),
            height: None,
        },
        width,
    )
}

fn picker_chart(width: f64) -> Figure {
    let bins = (0..15).map(|k| {
        let (low, high) = (f64::from(k) / 15.0, f64::from(k + 1) / 15.0);
        PickBin {
            low,
            high,
            n: if k < 2 { 0 } else { (k * k * k) as u32 + 5 },
            gap: 0.02 * (f64::from(k) - 6.0),
            inside_band: (5..8).contains(&k),
        }
    });
    histogram(
        &BinPicker {
            bins: bins.collect(),
            selected: Some(12),
            score_name: "confidence".into(),
            square_root_heights: true,
            title: String::new(),
        },
        width,
    )
}

/// Groups that an analysis found, the first recalibrated, as a hospital's file gives them.
fn forest_chart(width: f64, lines: usize) -> Figure {
    let rows: [(&str, f64, f64, u64, Option<f64>); 6] = [
        ("ward = ICU", 0.121, 0.3179, 412, Some(0.302)),
        ("age ≥ 80 and sex = female", 0.284, 0.171, 233, Some(0.19)),
        ("bmi missing", 0.094, 0.151, 377, None),
        ("referred_from = St. Elsewhere Community Hospital", 0.105, 0.173, 96, None),
        ("age 60–70", 0.131, 0.108, 1_204, None),
        ("ward = surgery", 0.075, 0.091, 12_340, None),
    ];
    let row = |(who, predicted, observed, rows, recalibrated): &(&str, f64, f64, u64, Option<f64>)| {
        let (low, high) = wilson(*observed, *rows as f64);
        ForestRow {
            description: (*who).into(),
            predicted: *predicted,
            observed: *observed,
            low,
            high,
            rows: *rows,
            recalibrated: *recalibrated,
            ..ForestRow::default()
        }
    };
    forest(
        &ForestChart {
            recalibrated_name: "recalibrated".to_owned(),
            rows: rows.iter().take(lines).map(row).collect(),
            predicted_name: "predicted".into(),
            observed_name: "observed".into(),
            rows_name: "patients".into(),
            axis_name: "predicted probability and observed proportion".into(),
            title: "Ward ICU (n = 412): underestimated by 19.7 percentage points".into(),
            caption: "Bars are 95% CI of the observed proportion.".into(),
            ..ForestChart::default()
        },
        width,
    )
}

/// The page for papers of the same chart: whole, the same again, and its words are words.
fn page(name: &str, figure: &Figure) {
    let bytes = pdf(figure, None).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(bytes, pdf(figure, None).unwrap(), "{name}");
    let drawn = content(&bytes);
    let labels = shapes(figure).into_iter().filter_map(|shape| match shape {
        Shape::Label(label) if label.text.is_ascii() && !label.text.is_empty() => Some(label.text),
        _ => None,
    });
    let mut met = 0;
    for label in labels {
        met += 1;
        let escaped = label.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        assert!(drawn.contains(&format!("({escaped}) Tj")), "{name}: {label}");
    }
    assert!(met > 2, "{name} has words");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).expect("a folder for pages");
    std::fs::write(folder.join(format!("{name}.pdf")), bytes).expect("a page written");
}

fn golden(name: &str, figure: &Figure, theme: &Theme) {
    page(name, figure);
    assert_eq!(collisions(figure), Vec::<String>::new(), "{name}");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/plot");
    for (ending, text) in [("svg", svg(figure, theme)), ("txt", figure.table.to_text())] {
        // The words are the same on any paper.
        if ending == "txt" && theme.dark {
            continue;
        }
        let text = if ending == "txt" { format!("{}\n\n{}", figure.alt, text) } else { text };
        let path = folder.join(format!("{name}.{ending}"));
        if std::env::var_os("LOCALCAL_RECORD").is_some() {
            std::fs::create_dir_all(&folder).expect("a folder for pictures");
            std::fs::write(&path, text).expect("a picture written");
        } else {
            let kept = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(kept == text, "{name}.{ending} has changed; write it with LOCALCAL_RECORD=1 and look at it");
        }
    }
}

#[test]
fn reliability_diagram() {
    golden("reliability", &reliability_chart(4834, 520.0, false), &LIGHT);
    golden("reliability-dark", &reliability_chart(4834, 520.0, false), &DARK);
    golden("reliability-narrow", &reliability_chart(300, 320.0, false), &LIGHT);
    golden("reliability-two", &reliability_chart(4834, 520.0, true), &LIGHT);
    golden("reliability-two-narrow-dark", &reliability_chart(4834, 320.0, true), &DARK);
}

#[test]
fn forest_of_groups() {
    golden("forest", &forest_chart(760.0, 6), &LIGHT);
    golden("forest-dark", &forest_chart(760.0, 6), &DARK);
    golden("forest-narrow", &forest_chart(340.0, 6), &LIGHT);
    golden("forest-one", &forest_chart(1_000.0, 1), &LIGHT);
}

#[test]
fn error_distribution() {
    golden("cdf", &cdf_chart(420.0, false), &LIGHT);
    golden("cdf-two-dark", &cdf_chart(420.0, true), &DARK);
    golden("cdf-two-narrow", &cdf_chart(320.0, true), &LIGHT);
    golden("cdf-bins", &cdf_of_bins(420.0), &LIGHT);
    golden("cdf-bins-narrow-dark", &cdf_of_bins(320.0), &DARK);
}

#[test]
fn error_map() {
    golden("map", &map_chart(400.0, 900, false, 1.0), &LIGHT);
    golden("map-narrow-dark", &map_chart(320.0, 500, true, 1.0), &DARK);
    golden("map-dense", &map_chart(280.0, 30_000, false, 1.0), &LIGHT);
}

#[test]
fn bandwidth_sweep() {
    golden("sweep", &sweep_chart(520.0), &LIGHT);
    golden("sweep-narrow-dark", &sweep_chart(320.0), &DARK);
}

#[test]
fn sweep_of_many_methods() {
    let names = ["none", "temperature", "platt", "isotonic", "histogram", "lore", "beta", "venn_abers"];
    golden("sweep-methods", &sweep_of(&names, false, 560.0), &LIGHT);
    golden("sweep-methods-narrow-dark", &sweep_of(&names, false, 360.0), &DARK);
    let maps = ["t-SNE", "50 components"];
    golden("sweep-bands", &sweep_of(&maps, true, 560.0), &DARK);
    golden("sweep-bands-narrow", &sweep_of(&maps, true, 360.0), &LIGHT);
}

#[test]
fn bin_picker() {
    golden("picker", &picker_chart(420.0), &LIGHT);
    golden("picker-narrow-dark", &picker_chart(320.0), &DARK);
}
