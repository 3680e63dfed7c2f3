//! A plan carried out as a pool does it: in another order, everything sent as messages.

use localcal::error::Result;
use localcal::job::reply::reply;
use localcal::job::run;
use localcal::job::{Job, Node, Outcome};
use localcal::packed::{pack, unpack};
use localcal::table::column::{with_columns_in, with_columns_out};

/// A copy as it arrives in another worker: written as message and columns, and read again.
pub fn sent(outcome: &Outcome) -> Outcome {
    if !outcome.is_shared() {
        return outcome.clone();
    }
    let (bytes, cargo) = with_columns_out(|| pack(outcome).expect("a message"));
    with_columns_in(cargo, || unpack(&bytes).expect("the same message"))
}

/// A job of a plan as it arrives in a worker.
fn passed_on(job: &Job) -> Job {
    let (bytes, cargo) = with_columns_out(|| pack(job).expect("bytes"));
    assert!(cargo.is_empty(), "the page passes on the bytes alone");
    let back: Job = unpack(&bytes).expect("the same job");
    assert_eq!(&back, job);
    back
}

/// What the page reads, what workers read, and columns as text: equal texts are equal bits.
pub fn written(outcome: &Outcome) -> String {
    let (forms, cargo) = with_columns_out(|| {
        let packed = outcome.is_shared().then(|| pack(outcome).expect("bytes"));
        (reply(outcome).map_err(|error| error.to_string()), packed)
    });
    format!("{forms:?}\n{cargo:?}")
}

/// What comes of a plan in a pool of `workers`: each node on the worker whose turn it is, the last ready node first, every
/// outcome sent afresh.
pub fn pooled(nodes: &[Node], given: &[&Outcome], workers: usize) -> Result<Outcome> {
    let mut done: Vec<Option<Outcome>> = vec![None; nodes.len()];
    let mut turn = 0;
    while done.iter().any(Option::is_none) {
        let there = |need: &usize| *need < given.len() || done[need - given.len()].is_some();
        let ready = |i: &usize| done[*i].is_none() && nodes[*i].needs.iter().all(there);
        let ready: Vec<usize> = (0..nodes.len()).filter(ready).collect();
        assert!(!ready.is_empty(), "a plan goes round in a circle");
        for &i in ready.iter().rev().take(workers) {
            let need = |need: &usize| match given.get(*need) {
                Some(given) => sent(given),
                None => sent(done[need - given.len()].as_ref().expect("ready")),
            };
            let needs: Vec<Outcome> = nodes[i].needs.iter().map(need).collect();
            let needs: Vec<&Outcome> = needs.iter().collect();
            // Not sent until something needs it: what only the page reads does not come back.
            done[i] = Some(run(&passed_on(&nodes[i].job), &needs, vec![], &mut |_| ())?);
            turn += 1;
        }
    }
    assert_eq!(turn, nodes.len());
    Ok(done.pop().flatten().expect("a plan with a node"))
}

/// Where two outcomes begin to differ, if they do.
pub fn apart(here: &Outcome, there: &Outcome) -> Option<String> {
    let (here, there) = (written(here), written(there));
    if here == there {
        return None;
    }
    let place = here.bytes().zip(there.bytes()).position(|(a, b)| a != b).unwrap_or(here.len().min(there.len()));
    let around = |text: &str| {
        let text = String::from_utf8_lossy(&text.as_bytes()[place.saturating_sub(60)..]).into_owned();
        text.chars().take(120).collect::<String>()
    };
    Some(format!("{} / {}", around(&here), around(&there)))
}
