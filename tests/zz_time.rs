#![allow(missing_docs, clippy::unwrap_used)]
use localcal::kernel::{Kernel, Part, Points};
use localcal::local::*;
use std::time::Instant;
#[test]
fn time() {
    let mut s = 1u64;
    let mut u = move || {
        s = s
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (s >> 33) as f64 / (1u64 << 31) as f64
    };
    for (n, d, m) in [
        (4_000, 2, 4096),
        (50_000, 2, 4096),
        (25_000, 3, 4096),
        (5_000, 50, 1024),
        (25_000, 50, 1024),
        (400_000, 2, 4096),
    ] {
        let f: Vec<f64> = (0..n * d).map(|_| u()).collect();
        let p: Vec<f64> = (0..n).map(|_| u()).collect();
        let y: Vec<u8> = p.iter().map(|p| u8::from(u() < *p)).collect();
        let bin = vec![0; n];
        let conf: Vec<u32> = p.iter().map(|p| (p * 15.0) as u32).collect();
        let sample = LocalSample::new(&p, &y, &bin, Points::new(d, &f).unwrap()).unwrap();
        let kernel = Kernel::Laplacian { gamma: 0.05 };
        let t = Instant::now();
        let places = Places::look(&sample, strata(&conf), kernel, m).unwrap();
        let look = t.elapsed().as_secs_f64() * 1e3;
        let t = Instant::now();
        let _ = places.maxima(0, 0..16).unwrap();
        let pass = t.elapsed().as_secs_f64() * 500.0;
        let own = LocalQueries::Sample {
            leave_one_out: false,
        };
        let (mut err, mut se) = (0.0, 0.0);
        if d < 4 {
            let t = Instant::now();
            let e = signed_local_error(&sample, &own, kernel, Part::WHOLE).unwrap();
            err = t.elapsed().as_secs_f64() * 1e3;
            let t = Instant::now();
            let _ = standard_error(&sample, &own, kernel, &e.slce, &e.n_eff).unwrap();
            se = t.elapsed().as_secs_f64() * 1e3;
        }
        println!(
            "n {n} d {d}: look {look:.0} ms, pass {pass:.0} ms, slce {err:.0}, se {se:.0}, places {}",
            places.row.len()
        );
    }
}
