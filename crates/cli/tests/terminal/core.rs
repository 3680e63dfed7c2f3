//! The core asked directly, on one thread, the way the page's worker asks it: what the program must give byte for byte.

use localcal::job::{Call, Job, Outcome, execute_after, run};
use localcal::table::Array;
use serde_json::{Value, json};

pub fn report(name: &str, text: &str, open: &Value, request: &Value) -> Vec<u8> {
    let call = |written: Value, needs: &[&Outcome], columns: Vec<Array>| {
        run(&Job::Call(Call::written(written).unwrap()), needs, columns, &mut |_| ()).unwrap()
    };
    let bytes = vec![Array::U8(text.as_bytes().to_vec().into())];
    let file = call(json!({ "read": { "name": name } }), &[], bytes);
    let data = call(json!({ "assemble": { "options": open } }), &[&file], vec![]);
    let Outcome::Plan(plan) = call(json!({ "plan": { "request": request } }), &[&data], vec![]) else {
        panic!("no plan");
    };
    let report = execute_after(&plan.nodes, &[&data][..]).unwrap();
    match call(json!({ "export_report": {} }), &[&data, &report], vec![]) {
        Outcome::Bytes(file) => file.bytes.to_vec(),
        _ => panic!("no file"),
    }
}
