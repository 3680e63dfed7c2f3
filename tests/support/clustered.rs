//! Calibrated files whose rows belong together: outcomes have exactly the probability that is said, and go together within
//! patients by a Gaussian copula.

use std::fmt::Write as _;

use localcal::num::rng::Draws;
use localcal::num::special::sigmoid;
use statrs::distribution::{ContinuousCDF, Normal};

/// `patients` with `rows` each, in no order: patient_id, risk, died, and two measurements x1, x2 that are a patient's own.
///
/// * `together`: correlation of the normal numbers behind the outcomes of one patient
pub fn file(patients: usize, rows: usize, together: f64, seed: u64) -> String {
    let mut draws = Draws::seeded(seed, 0x636c_7573);
    let normal = Normal::standard();
    let own: Vec<[f64; 4]> = (0..patients).map(|_| std::array::from_fn(|_| draws.normal())).collect();
    let mut text = "patient_id,risk,died,x1,x2\n".to_owned();
    for _ in 0..rows {
        for (patient, [level, effect, x1, x2]) in own.iter().enumerate() {
            let risk = sigmoid(-1.0 + 0.8 * level + 0.6 * draws.normal());
            let hidden = together.sqrt() * effect + (1.0 - together).sqrt() * draws.normal();
            let died = u8::from(normal.cdf(hidden) < risk);
            writeln!(text, "P{patient:04},{risk:.9},{died},{x1:.6},{x2:.6}").unwrap();
        }
    }
    text
}

/// What the Brier score and the AUROC of such files are, by many independent rows.
pub fn truth() -> [f64; 2] {
    let mut draws = Draws::seeded(5, 0x7472_7574);
    let mut rows: Vec<f64> =
        (0..400_000).map(|_| sigmoid(-1.0 + 0.8 * draws.normal() + 0.6 * draws.normal())).collect();
    rows.sort_unstable_by(f64::total_cmp);
    let brier = rows.iter().map(|p| p * (1.0 - p)).sum::<f64>() / rows.len() as f64;
    // P(event has the higher risk): events of weight p, others of weight 1 − p
    let (mut others, mut wins, mut events) = (0.0, 0.0, 0.0);
    for p in &rows {
        wins += p * (others + 0.5 * (1.0 - p));
        others += 1.0 - p;
        events += p;
    }
    [brier, wins / (events * others)]
}
