//! Simulated rows whose miscalibration is known.

use localcal::num::rng::Lanes;

/// p, y, a covariate x in (−2, 2), group columns `site` (A, B, C) and `sex` (F, M); rows at site A are too high by
/// 0.15, those at B too low by 0.15, and everyone by 0.1 x.
pub fn rows(n: usize, seed: u64) -> String {
    let mut text = String::from("p,y,x,site,sex\n");
    let mut lanes = Lanes::seeded(seed, 0);
    for i in 0..n {
        let [a, b, c, d] = lanes.uniform();
        let (p, x) = (0.2 + 0.6 * a, 4.0 * b - 2.0);
        let site = ["A", "B", "C"][(c * 3.0) as usize];
        let off = [-0.15, 0.15, 0.0][(c * 3.0) as usize] - 0.05 * x;
        let y = u8::from(d < p + off);
        let sex = if i % 2 == 0 { "F" } else { "M" };
        text += &format!("{p},{y},{x},{site},{sex}\n");
    }
    text
}
