#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use crate::palette::diverging;
use crate::palette::tests::contrast;

const EXTENT: Extent = Extent { x0: 0.0, x1: 10.0, y0: 0.0, y1: 10.0 };

fn raster(side: u32) -> Raster {
    Raster { extent: EXTENT, width: side, height: side, dpr: 1.0, limit: 0.2, dark: false }
}

fn pixel(picture: &Picture, x: u32, y: u32) -> [u8; 4] {
    let at = ((y * picture.width + x) * 4) as usize;
    [0, 1, 2, 3].map(|c| picture.rgba[at + c])
}

fn solid([r, g, b]: Rgb) -> [u8; 4] {
    [r, g, b, 255]
}

#[test]
fn a_point_has_its_color_at_its_place() {
    let dots = Dots { x: &[2.5, 7.5, 5.0], y: &[7.5, 2.5, 5.0], value: &[0.2, -0.1, 0.0], support: &[2, 2, 0] };
    let picture = rasterise(dots, Field::default(), &raster(100));
    // Up is up: y = 7.5 lies a quarter from the top.
    assert_eq!(pixel(&picture, 25, 25), solid(diverging(1.0, false)));
    assert_eq!(pixel(&picture, 75, 75), solid(diverging(-0.5, false)));
    assert_eq!(pixel(&picture, 50, 50), [0; 4], "no support, no ink");
    assert_eq!(pixel(&picture, 75, 25), [0; 4]);
}

#[test]
fn a_point_of_an_error_near_0_is_told_from_paper() {
    for dark in [false, true] {
        let theme = if dark { &DARK } else { &LIGHT };
        for (value, support) in [(0.0, 2), (0.025, 2), (-0.025, 2), (0.0, 3), (0.2, 3), (-0.2, 3), (0.2, 2), (-0.2, 2)]
        {
            let dots = Dots { x: &[5.0], y: &[5.0], value: &[value], support: &[support] };
            // so large that some pixels lie within the outline as a whole
            let picture = rasterise(dots, Field::default(), &Raster { dark, dpr: 4.0, ..raster(100) });
            let outline = match (support, value) {
                (2, v) if v > 0.0 => theme.over,
                (2, v) if v < 0.0 => theme.under,
                _ => theme.axis,
            };
            assert!(contrast(outline, theme.paper) >= 3.0);
            assert!((0..50).any(|x| pixel(&picture, x, 50) == solid(outline)), "{value} {support} {dark}");
            // its color stays in the middle
            let middle = pixel(&picture, 50, 50);
            assert!(support == 3 || middle == solid(diverging(value / 0.2, dark)), "{value} {support} {dark}");
        }
    }
}

#[test]
fn outlines_fade_where_points_are_too_many_to_be_told_apart() {
    let strength = |n: usize, side: f64| outline_strength(n, radius(n, side * side), side * side);
    assert_eq!((strength(1, 500.0), strength(6_000, 500.0)), (1.0, 1.0));
    let small = strength(6_000, 180.0);
    assert!(small > 0.2 && small < 0.4, "{small}");
}

#[test]
fn points_without_enough_neighbors_are_gray_and_below() {
    let dots = Dots { x: &[5.0, 5.0, 8.0], y: &[5.0, 5.0, 8.0], value: &[0.2, 0.2, f64::NAN], support: &[2, 1, 2] };
    let picture = rasterise(dots, Field::default(), &raster(100));
    assert_eq!(pixel(&picture, 50, 50), solid(diverging(1.0, false)));
    assert_eq!(pixel(&picture, 80, 20), solid(LIGHT.not_enough));
}

#[test]
fn field_fades_where_support_ends() {
    let mut support = vec![2u8; 16];
    // The upper two rows of cells have none.
    support[8..].fill(0);
    let field = Field { side: 4, value: &[0.2; 16], support: &support };
    let picture = rasterise(Dots::default(), field, &raster(100));
    let below = pixel(&picture, 50, 95);
    assert_eq!(below[3], (255.0 * FIELD_STRENGTH + 0.5) as u8);
    let full = diverging(1.0, false);
    for c in 0..3 {
        assert!(below[c].abs_diff(full[c]) <= 1, "{below:?} {full:?}");
    }
    assert_eq!(pixel(&picture, 50, 5), [0; 4]);
    let edge = pixel(&picture, 50, 50)[3];
    assert!(edge > 40 && edge < 100, "{edge}");
}

#[test]
fn a_crowd_shows_its_mean_and_a_lone_point_is_fainter() {
    let n = 40_000;
    let mut x = vec![5.05; n];
    let mut y = vec![5.05; n];
    let mut value: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 0.2 } else { 0.0 }).collect();
    x[0] = 1.05;
    y[0] = 1.05;
    value[1] = 0.1;
    let support = vec![2u8; n];
    let dots = Dots { x: &x, y: &y, value: &value, support: &support };
    let picture = rasterise(dots, Field::default(), &raster(100));
    let crowd = pixel(&picture, 50, 49);
    let mean = diverging(0.5, false);
    for c in 0..3 {
        assert!(crowd[c].abs_diff(mean[c]) <= 1, "{crowd:?} {mean:?}");
    }
    assert_eq!(crowd[3], 255);
    let lone = pixel(&picture, 10, 89);
    assert!(lone[3] > 120 && lone[3] < 200, "{lone:?}");
    // The window is as wide as the disc of radius 1 would be: nothing further away.
    assert_eq!(pixel(&picture, 55, 49), [0; 4]);
}

#[test]
fn windows_sum_what_lies_within_reach() {
    let n = 30_000;
    let x: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % 9973) / 997.4).collect();
    let y: Vec<f64> = (0..n).map(|i| f64::from(i * 4729 % 9967) / 996.8).collect();
    let (value, support) = (vec![0.1; n as usize], vec![2u8; n as usize]);
    let dots = Dots { x: &x, y: &y, value: &value, support: &support };
    let mut doubled = raster(120);
    doubled.dpr = 2.0;
    let picture = rasterise(dots, Field::default(), &doubled);
    let reach = (doubled.radius(n as usize) - 0.5).round() as i32;
    assert!(reach >= 1);
    for (px, py) in [(0, 0), (60, 60), (119, 119), (7, 100)] {
        let near = x.iter().zip(&y).any(|(&x, &y)| {
            let (cx, cy) = ((x * 12.0) as i32, ((10.0 - y) * 12.0) as i32);
            (cx - px).abs() <= reach && (cy - py).abs() <= reach
        });
        let drawn = pixel(&picture, px as u32, py as u32)[3] > 0;
        assert_eq!(near, drawn, "{px} {py}");
    }
}

#[test]
fn strange_input_draws_what_it_can() {
    let dots = Dots {
        x: &[f64::NAN, f64::INFINITY, 1e300, 0.0],
        y: &[1.0, 1.0, 1.0],
        value: &[0.1, 0.1, f64::INFINITY, 0.1],
        support: &[2, 2, 2, 2],
    };
    let mut strange = raster(20);
    strange.limit = f64::NAN;
    strange.dpr = f64::NAN;
    let picture = rasterise(dots, Field::default(), &strange);
    assert!(picture.rgba.iter().all(|&v| v == 0));
    let empty = rasterise(dots, Field::default(), &raster(0));
    assert!(empty.rgba.is_empty());
}

#[test]
fn points_shrink_with_the_crowd() {
    let area = 450.0 * 450.0;
    assert_eq!(radius(50, area), 3.0);
    assert_eq!(radius(1_000_000, area), 1.0);
    assert!(radius(4000, area) < 3.0 && radius(4000, area) > radius(10_000, area));
}

#[test]
fn windows_written_and_windows_summed_agree() {
    // At 60 pixels a side the windows are summed, at 660 they are written: the same points on the same corner.
    let n = 30_000;
    let x: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % 9973) / 1100.0).collect();
    let y: Vec<f64> = (0..n).map(|i| f64::from(i * 4729 % 9967) / 1100.0).collect();
    let value: Vec<f64> = (0..n).map(|i| f64::from(i % 41) / 100.0 - 0.2).collect();
    let support: Vec<u8> = (0..n).map(|i| if i % 9 == 0 { 1 } else { 2 }).collect();
    let dots = Dots { x: &x, y: &y, value: &value, support: &support };
    let mut small = raster(60);
    let mut large = raster(660);
    // Points shrink to radius 1 on both; at three pixels a unit the reach is 3.
    (small.dpr, large.dpr) = (3.0, 3.0);
    large.extent = Extent { x0: 0.0, x1: 110.0, y0: -100.0, y1: 10.0 };
    let reach = |r: &Raster| (r.radius(n as usize) - 0.5).round() as usize;
    assert_eq!(reach(&small), reach(&large));
    let windows = n as usize * (2 * reach(&small) + 1).pow(2);
    assert!((4 * 60 * 60..4 * 660 * 660).contains(&windows));
    let (a, b) = (rasterise(dots, Field::default(), &small), rasterise(dots, Field::default(), &large));
    for y in 0..56 {
        for x in 0..56 {
            let (a, b) = (pixel(&a, x, y), pixel(&b, x, y));
            for c in 0..4 {
                assert!(a[c].abs_diff(b[c]) <= 3, "{x} {y}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn what_could_be_chance_is_pale_as_a_point_and_hatched_as_a_field() {
    let dots = Dots { x: &[2.5, 7.5], y: &[5.0, 5.0], value: &[0.2, 0.2], support: &[2, 3] };
    let picture = rasterise(dots, Field::default(), &raster(100));
    let (sure, chance) = (pixel(&picture, 25, 50), pixel(&picture, 75, 50));
    assert_eq!(sure, solid(diverging(1.0, false)));
    let to_paper = |c: usize| LIGHT.paper[c].abs_diff(chance[c]) < LIGHT.paper[c].abs_diff(sure[c]);
    assert!((0..3).any(to_paper) && chance != sure, "{chance:?}");

    let field = Field { side: 2, value: &[0.2; 4], support: &[3; 4] };
    let picture = rasterise(Dots::default(), field, &raster(100));
    let strengths: std::collections::BTreeSet<u8> = (0..100).map(|x| pixel(&picture, x, 50)[3]).collect();
    assert_eq!(strengths.len(), 2, "lines and gaps: {strengths:?}");
}
