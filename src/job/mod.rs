//! TEMPORARY stand-in for the protocol: reads a plain CSV, scores accuracy in parts. To be overwritten.

use serde_json::{Value, json};

use crate::data::Array;
use crate::error::{Error, Result};

/// Outcome with its columns.
pub type Held = (Value, Vec<Array>);

/// Runs one job.
pub fn run(
    job: &Value,
    needs: &[&Held],
    columns: &[Array],
    progress: &mut dyn FnMut(f64),
) -> Result<Held> {
    match job["kind"].as_str().unwrap_or("") {
        "read" => read(job["name"].as_str().unwrap_or(""), columns),
        "assemble" => assemble(job, needs),
        "plan" => Ok((plan(&job["request"])?, vec![])),
        "part" => Ok((part(job, needs, progress), vec![])),
        "merge" => merge(job, needs),
        "synthetic" => Ok((json!({"kind": "bytes"}), vec![Array::U8(synthetic())])),
        "export_report" | "export_predictions" | "export_calibrator" => Ok((
            json!({"kind": "bytes"}),
            vec![Array::U8(
                needs
                    .last()
                    .map_or(String::new(), |n| n.0.to_string())
                    .into_bytes(),
            )],
        )),
        "figure" => Ok((figure(), vec![])),
        other => Err(Error::new(
            "invalid_option",
            format!("no job of kind {other}"),
            "Use one of the documented calls.",
        )),
    }
}

fn read(name: &str, columns: &[Array]) -> Result<Held> {
    let Some(Array::U8(bytes)) = columns.first() else {
        return Err(Error::new("empty", "no bytes", "Choose another file."));
    };
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().filter(|l| !l.is_empty());
    let Some(head) = lines.next() else {
        return Err(Error::new(
            "empty",
            format!("0 bytes of text: the file holds nothing: {name}"),
            "Choose another file.",
        ));
    };
    let names: Vec<&str> = head.split(',').collect();
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    let mut preview: Vec<Vec<&str>> = vec![Vec::new(); names.len()];
    let mut rows = 0;
    for (i, line) in lines.enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != names.len() {
            return Err(Error::new(
                "table_unreadable",
                format!(
                    "Row {} has {} cells, the header has {}: {name}",
                    i + 2,
                    cells.len(),
                    names.len()
                ),
                "Check the delimiter.",
            ));
        }
        for (j, cell) in cells.iter().enumerate() {
            if i < 5 {
                preview[j].push(cell);
            }
            values[j].push(cell.parse().unwrap_or(f64::NAN));
        }
        rows = i + 1;
    }
    let columns = values.into_iter().map(Array::F64).collect();
    Ok((
        json!({"kind": "file", "name": name, "names": names, "rows": rows, "preview": preview}),
        columns,
    ))
}

fn assemble(job: &Value, needs: &[&Held]) -> Result<Held> {
    if let Some(extra) = job["options"].as_object().and_then(|o| {
        o.keys().find(|k| {
            !["view", "roles", "positive", "split", "rows", "renormalise"].contains(&k.as_str())
        })
    }) {
        return Err(Error::new(
            "invalid_option",
            format!("there is no option {extra}"),
            "Use view, roles, positive, split, rows or renormalise.",
        ));
    }
    let Some((file, columns)) = needs.first() else {
        return Err(Error::new("empty", "no file", "Choose a file."));
    };
    let roles: Vec<Value> = file["names"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(j, name)| {
            let text = name.as_str().unwrap_or("");
            let given = &job["options"]["roles"][text];
            let (role, reason, sure) = if given.is_string() {
                (given.as_str().unwrap_or(""), "you said so", true)
            } else {
                match text {
                    "label" | "y" | "diagnosis" => ("label", "its name; 0 and 1", true),
                    "p" | "risk" | "prob_benign" | "p_malignant" => {
                        ("probability", "values in [0, 1]", true)
                    }
                    "x1" | "x2" | "mean_radius" | "mean_texture" | "mean_smoothness"
                    | "mean_compactness" | "age" => ("feature", "a number", true),
                    "site" | "size" => ("group", "few distinct values", true),
                    "id" => ("id", "its name", true),
                    _ => ("ignore", "no known name", false),
                }
            };
            json!({"file": file["name"], "name": name, "role": role, "reason": reason,
                "shape": [file["rows"]], "sure": sure, "preview": file["preview"][j]})
        })
        .collect();
    if !roles
        .iter()
        .any(|r| r["role"] == "label" || r["role"] == "probability")
    {
        return Err(Error::new(
            "roles_unclear",
            format!(
                "{} columns, neither a label nor a score among them",
                roles.len()
            ),
            "Say which column holds the outcome and which the probability.",
        ));
    }
    let summary = json!({"rows": file["rows"], "classes": 2, "labels": ["0", "1"], "view": "positive",
        "positive": "1", "columns": roles, "dropped": [], "warnings": [{"code": "example",
        "message": "Row 3: an example of a warning", "row": 3}],
        "split": "5-fold cross-fitting", "views": ["positive", "top_label"]});
    Ok((json!({"kind": "data", "summary": summary}), columns.clone()))
}

fn plan(request: &Value) -> Result<Value> {
    if let Some(unknown) = request["metrics"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|m| *m != "accuracy" && *m != "brier")
    {
        return Err(Error::new(
            "unknown_metric",
            format!("no metric has the id {unknown}"),
            "Use accuracy or brier.",
        ));
    }
    let mut nodes: Vec<Value> = (0..6)
        .map(|i| {
            json!({"job": {"kind": "part", "part": i, "resamples": request["resamples"]},
            "needs": [0], "cost": 1, "label": format!("Part {} of 6", i + 1)})
        })
        .collect();
    nodes.push(json!({"job": {"kind": "merge", "request": request},
        "needs": [0, 1, 2, 3, 4, 5, 6], "cost": 0.1, "label": "Report"}));
    Ok(json!({"kind": "plan", "nodes": nodes}))
}

fn part(job: &Value, needs: &[&Held], progress: &mut dyn FnMut(f64)) -> Value {
    let part = job["part"].as_u64().unwrap_or(0) as usize;
    let repeats = job["resamples"].as_u64().unwrap_or(100);
    let mut sum = 0.0;
    let mut n = 0_usize;
    for step in 0..20 {
        for repeat in 0..=repeats / 20 {
            sum = 0.0;
            n = 0;
            if let Some(Array::F64(values)) = needs.first().and_then(|d| d.1.last()) {
                for v in values.iter().skip(part).step_by(6) {
                    sum += (v + repeat as f64 * 1e-300).abs().sqrt();
                    n += 1;
                }
            }
        }
        progress(f64::from(step + 1) / 20.0);
    }
    json!({"kind": "part", "sum": sum, "n": n})
}

fn merge(job: &Value, needs: &[&Held]) -> Result<Held> {
    let rows = needs[0].0["summary"]["rows"].as_u64().unwrap_or(0) as usize;
    let total: f64 = needs[1..]
        .iter()
        .map(|p| p.0["sum"].as_f64().unwrap_or(0.0))
        .sum();
    let metric = |v: f64| {
        json!({"value": v, "low": null, "high": null, "floor_mean": null,
        "floor_low": null, "floor_high": null, "resamples": null, "reason": "stand-in"})
    };
    let report = json!({"schema": "localcal-report/1",
        "data": {"rows": rows, "classes": 2, "view": "positive", "positive": "1",
            "split": "5-fold cross-fitting", "calibration_rows": rows, "evaluation_rows": rows},
        "settings": job["request"],
        "methods": [{"id": "none", "name": "none", "parameters": {}, "warnings": [],
            "metrics": {"accuracy": metric(total / rows.max(1) as f64)}}],
        "local": {"settings": {}, "slce": 0, "mass": 1, "n_eff": 2}});
    let mut slce = vec![0.25; rows];
    if let Some(first) = slce.first_mut() {
        *first = f64::NAN;
    }
    Ok((
        json!({"kind": "report", "report": report}),
        vec![
            Array::F64(slce),
            Array::F64(vec![1.0; rows]),
            Array::F64(vec![30.0; rows]),
        ],
    ))
}

fn synthetic() -> Vec<u8> {
    let mut text = String::from("label,p,x1,x2\n");
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    for _ in 0..2000 {
        let (p, x1, x2) = (next(), next(), next());
        let y = u8::from(next() < p);
        text.push_str(&format!("{y},{p:.6},{x1:.6},{x2:.6}\n"));
    }
    text.into_bytes()
}

fn figure() -> Value {
    let bins: Vec<Value> = (0..10)
        .map(|i| json!([f64::from(i) / 10.0 + 0.05, f64::from(i * i) / 100.0 + 0.05]))
        .collect();
    json!({"kind": "figure", "figure": {"title": "Over-confident by 6.5 points",
        "caption": "Reliability diagram, 10 bins of equal width.", "width": 480, "height": 480, "points": bins}})
}
