//! Agreement with NumPy, SciPy, scikit-learn and statsmodels on seeded data (`tests/golden/make_catalogue.py`).

use ndarray::Array2;
use serde_json::Value;

use crate::fixtures::{matrix, near};
use crate::metric::binning::{BinOptions, Closed, Edges};
use crate::metric::reliability::reliability_table;
use crate::metric::{auroc, brier, classical, clinical, corp, ece, ici, kce, ks, log_loss, mmce};
use crate::num::special::PROB_CLIP;
use crate::recalibrate::affine::{self, Penalty, Shape};
use crate::recalibrate::isotonic::Interpolation;
use crate::recalibrate::logits::binary_logits;
use crate::recalibrate::platt::{PlattInput, PlattOptions};
use crate::recalibrate::temperature::{Loss, Temperature, TemperatureOptions};
use crate::recalibrate::{beta, ets, isotonic, mir, platt, temperature, venn_abers};

struct Golden(Value);

impl Golden {
    fn section(name: &str) -> Self {
        let all: Value = serde_json::from_str(include_str!("../../../../tests/golden/catalogue.json")).expect("JSON");
        Self(all[name].clone())
    }

    fn number(&self, key: &str) -> f64 {
        self.0[key].as_f64().unwrap_or_else(|| panic!("no number {key}"))
    }

    fn numbers(&self, key: &str) -> Vec<f64> {
        let list = self.0[key].as_array().unwrap_or_else(|| panic!("no list {key}"));
        list.iter().map(|v| v.as_f64().expect("a number")).collect()
    }

    #[track_caller]
    fn check(&self, key: &str, got: Option<f64>, tolerance: f64) {
        near(got, self.number(key), tolerance);
    }

    #[track_caller]
    fn check_all(&self, key: &str, got: &[f64], tolerance: f64) {
        let expected = self.numbers(key);
        assert_eq!(got.len(), expected.len(), "{key}");
        for (got, expected) in got.iter().zip(expected) {
            near(Some(*got), expected, tolerance);
        }
    }
}

fn binary() -> (Golden, Vec<f64>, Vec<u8>) {
    let golden = Golden::section("binary");
    let (p, y) = (golden.numbers("p"), golden.numbers("y").iter().map(|&y| y as u8).collect());
    (golden, p, y)
}

fn three() -> (Golden, Array2<f64>, Vec<u32>) {
    let golden = Golden::section("three");
    let (z, y) = (golden.numbers("z"), golden.numbers("y").iter().map(|&y| y as u32).collect());
    (golden, matrix(3, z).to_array(), y)
}

#[test]
fn binary_metrics() {
    let (golden, p, y) = binary();
    golden.check("brier", brier::brier_pair(&p, &y).ok(), 1e-14);
    golden.check("nll", log_loss::log_loss_pair(&p, &y, log_loss::LOG_LOSS_CLIP).ok(), 1e-13);
    golden.check("auroc", auroc(&p, &y).expect("valid"), 1e-14);
    golden.check("ece15", ece::ece(&reliability_table(&p, &y, &BinOptions::default()).expect("valid")), 1e-13);
    golden.check("ace15", ece::ace(&p, &y, 15).expect("valid"), 1e-13);
    let like_sklearn = BinOptions { closed: Closed::Right, edges: Edges::Numpy, ..BinOptions::equal_width(10) };
    let curve = reliability_table(&p, &y, &like_sklearn).expect("valid");
    let column = |f: fn(&crate::metric::ReliabilityBin) -> f64| curve.iter().map(f).collect::<Vec<_>>();
    golden.check_all("curve10_true_right_closed_numpy", &column(|b| b.mean_target), 1e-14);
    golden.check_all("curve10_pred_right_closed_numpy", &column(|b| b.mean_score), 1e-13);
    golden.check("ks", ks::ks(&p, &y).ok(), 1e-13);
    golden.check("mmce_squared", mmce::mmce(&p, &y).ok().map(|m| m.squared), 1e-13);
    let split = corp::corp(&p, &y).expect("valid");
    golden.check("miscalibration", Some(split.miscalibration), 1e-13);
    golden.check("discrimination", Some(split.discrimination), 1e-13);
    let fit = clinical::intercept_slope(&p, &y).expect("valid");
    for (key, estimate) in
        [("intercept_large", fit.intercept_large), ("intercept_joint", fit.intercept_joint), ("slope", fit.slope)]
    {
        let estimate = estimate.expect("a maximum");
        // its robust standard error stands in tests/golden/intervals.json
        near(Some(estimate.value), golden.numbers(key)[0], 1e-9);
    }
    let index = ici::calibration_index(&p, &y).expect("valid");
    golden.check_all("ici_e50_e90_emax", &[index.ici, index.e50, index.e90, index.emax], 1e-6);
    let z = classical::spiegelhalter_z(&p, &y).expect("valid").map(|z| z.statistic);
    golden.check("spiegelhalter_z", z, 1e-12);
}

#[test]
fn binary_recalibrators() {
    let (golden, p, y) = binary();
    let t = temperature::fit_binary(&binary_logits(&p, PROB_CLIP), &y, &TemperatureOptions::default()).expect("valid");
    golden.check("temperature", Some(t.parameters.temperature), 1e-11);
    golden.check("temperature_nll", Some(t.objective_after), 1e-13);
    let ml = PlattOptions { smoothing: false, ..PlattOptions::default() };
    let fitted = platt::fit(&p, &y, &ml).expect("valid").parameters;
    golden.check_all("platt_ml", &[fitted.a, fitted.b], 1e-9);
    let raw = PlattOptions { input: PlattInput::RawProb, ridge: 1.0, ..ml };
    let fitted = platt::fit(&p, &y, &raw).expect("valid").parameters;
    golden.check_all("platt_raw_ridge", &[fitted.a, fitted.b], 1e-6);
    let fitted = beta::fit(&p, &y).expect("valid").parameters;
    golden.check_all("beta", &[fitted.a, fitted.b, fitted.c], 1e-9);
    let queries = golden.numbers("queries");
    let curve = isotonic::fit(&p, &y, Interpolation::Linear).expect("valid").parameters;
    golden.check_all("isotonic", &curve.apply(&queries), 1e-12);
    let va = venn_abers::fit(&p, &y).expect("valid").parameters;
    let (p0, p1): (Vec<f64>, Vec<f64>) = queries.iter().map(|&s| va.interval(s)).unzip();
    golden.check_all("venn_abers_p0", &p0, 1e-12);
    golden.check_all("venn_abers_p1", &p1, 1e-12);
}

#[test]
fn three_classes() {
    let (golden, z, y) = three();
    let p = Temperature { temperature: 1.0 }.apply(z.view());
    golden.check("nll", log_loss::log_loss(p.view(), &y, 0.0).ok(), 1e-13);
    golden.check("brier_sum", brier::brier_sum(p.view(), &y).ok(), 1e-13);
    let t = temperature::fit(z.view(), &y, &TemperatureOptions::default()).expect("valid");
    golden.check("temperature", Some(t.parameters.temperature), 1e-11);
    golden.check("temperature_nll", Some(t.objective_after), 1e-13);
    let t = temperature::fit(z.view(), &y, &TemperatureOptions::mse()).expect("valid");
    golden.check("temperature_mse", Some(t.parameters.temperature), 1e-8);
    golden.check("mse", Some(t.objective_after), 1e-13);
    let mixture = ets::fit(z.view(), &y, Loss::Mse).expect("valid");
    golden.check("ets_mse", Some(mixture.objective_after), 1e-12);
    golden.check_all("ets_weights", &mixture.parameters.weights, 1e-5);
    let vector = affine::fit(z.view(), &y, Shape::Vector, Penalty::None).expect("valid");
    golden.check("vector_nll", Some(vector.objective_after), 1e-9);
    let full = affine::fit(z.view(), &y, Shape::Matrix, Penalty::None).expect("valid");
    golden.check("matrix_nll", Some(full.objective_after), 1e-9);
    let curve = mir::fit(p.view(), &y).expect("valid").parameters;
    let fitted: Vec<f64> = (0..60).map(|i| curve.value(p[[i / 3, i % 3]])).collect();
    golden.check_all("mir", &fitted, 1e-9);
    let error = kce::kce(p.view(), &y, kce::VectorKernel::Exponential { width: 1.0 }).expect("valid");
    golden.check("kce_biased", Some(error.biased), 1e-13);
    golden.check("kce_unbiased", error.unbiased, 1e-13);
    golden.check("median_distance", Some(kce::median_distance(p.view())), 1e-12);
}
