//! Steps that need each other's outcomes, on several threads.
//!
//! A step begins when the last of what it needs is there, and an outcome is dropped when the last that needs it is done.
//! What the steps are does not depend on the number of threads, so one thread and sixteen give the same bits; of several
//! failures the one that a single thread would meet is told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use localcal::error::{Error, Result};
use localcal::job::Outcome;
use rayon::{ScopeFifo, ThreadPool, ThreadPoolBuilder};

use crate::failure::fault;
use crate::progress::Progress;

/// Stack of a thread: files may nest deeper than the usual two megabytes hold.
const STACK: usize = 16 << 20;

/// Threads, and who is told how far they are.
pub struct Executor {
    pool: ThreadPool,
    progress: Progress,
}

/// One step of a plan.
pub struct Step<'a> {
    /// earlier steps whose outcomes it needs
    pub needs: Vec<usize>,
    /// expected milliseconds
    pub cost: f64,
    /// what it does, for people
    pub label: &'a str,
}

/// A step that is under way.
pub struct Running<'a> {
    progress: &'a Progress,
    cost: f64,
    label: &'a str,
    told: Mutex<f64>,
}

impl Running<'_> {
    /// The share that is done, 0 … 1.
    pub fn progress(&self, share: f64) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if share > *told {
            self.progress.advance((share - *told) * self.cost, self.label);
            *told = share;
        }
    }
}

/// The outcomes that a step needs, by the places of their steps.
pub struct StepInputs(Vec<(usize, Arc<Outcome>)>);

impl StepInputs {
    /// The outcome of the step at `place`, if this one said that it needs it.
    pub fn at(&self, place: usize) -> Option<&Outcome> {
        self.0.iter().find(|(of, _)| *of == place).map(|(_, outcome)| &**outcome)
    }
}

type Kept = Mutex<Option<Arc<Outcome>>>;

/// What is known of a plan under way.
struct Board<'a, F> {
    steps: &'a [Step<'a>],
    executor: &'a Executor,
    work: F,
    /// hears every outcome as it comes
    hears: &'a (dyn Fn(usize, &Outcome) + Sync),
    kept: Vec<Kept>,
    /// how many outcomes each step still waits for
    waiting: Vec<AtomicUsize>,
    /// the steps that need each step, once for each time
    followers: Vec<Vec<usize>>,
    /// how many of them are not done
    users: Vec<AtomicUsize>,
    /// the first step in the order of the plan that failed
    failed: Mutex<Option<(usize, Error)>>,
}

impl Executor {
    /// As many threads as asked for; 0: as many as the machine runs at once.
    ///
    /// # Errors
    /// Where the machine gives no threads.
    pub fn new(threads: usize, progress: Progress) -> Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
        let pool = pool.map_err(|error| fault(&format!("no threads: {error}")))?;
        Ok(Self { pool, progress })
    }

    /// Runs `work` on the threads.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Work of `total` expected milliseconds begins.
    pub fn begin(&self, total: f64) {
        self.progress.begin(total);
    }

    /// It is done.
    pub fn end(&self) {
        self.progress.end();
    }

    /// A step that tells how far it is.
    pub fn step<'a>(&'a self, cost: f64, label: &'a str) -> Running<'a> {
        Running { progress: &self.progress, cost, label, told: Mutex::new(0.0) }
    }

    /// Runs every step and returns the outcome of the last. `work` gets the place of a step, the outcomes of the earlier
    /// steps that it needs, and the callback for the share that is done. `hears` is told every outcome as it comes, with
    /// the place of its step.
    ///
    /// # Errors
    /// The failure of the first step, in the order of the plan, that fails.
    pub fn outcome<F>(&self, steps: &[Step<'_>], work: F, hears: &(dyn Fn(usize, &Outcome) + Sync)) -> Result<Outcome>
    where
        F: Fn(usize, &StepInputs, &(dyn Fn(f64) + Sync)) -> Result<Outcome> + Sync,
    {
        let mut followers = vec![Vec::new(); steps.len()];
        for (place, step) in steps.iter().enumerate() {
            for &need in &step.needs {
                match followers.get_mut(need) {
                    Some(of_need) if need < place => of_need.push(place),
                    _ => return Err(fault(&format!("`{}` needs a step that is not before it", step.label))),
                }
            }
        }
        // The last outcome is the answer: it has one user more.
        let users = followers.iter().enumerate().map(|(place, of)| of.len() + usize::from(place + 1 == steps.len()));
        let board = Board {
            kept: steps.iter().map(|_| Mutex::new(None)).collect(),
            waiting: steps.iter().map(|step| AtomicUsize::new(step.needs.len())).collect(),
            users: users.map(AtomicUsize::new).collect(),
            failed: Mutex::new(None),
            steps,
            executor: self,
            work,
            hears,
            followers,
        };
        self.begin(steps.iter().map(|step| step.cost).sum());
        let ready = (0..steps.len()).filter(|&place| steps.get(place).is_some_and(|step| step.needs.is_empty()));
        let board_ref = &board;
        self.pool.in_place_scope_fifo(|scope| {
            for place in ready {
                scope.spawn_fifo(move |scope| board_ref.run(place, scope));
            }
        });
        self.end();
        if let Some((_, error)) = board.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let last = board.kept.into_iter().next_back();
        let last = last.and_then(|kept| kept.into_inner().unwrap_or_else(PoisonError::into_inner));
        last.and_then(Arc::into_inner).ok_or_else(|| fault("a plan without an answer"))
    }
}

impl<F> Board<'_, F>
where
    F: Fn(usize, &StepInputs, &(dyn Fn(f64) + Sync)) -> Result<Outcome> + Sync,
{
    fn run<'scope>(&'scope self, place: usize, scope: &ScopeFifo<'scope>) {
        if self.failed_before(place) {
            return;
        }
        match self.outcome(place) {
            Ok(outcome) => {
                (self.hears)(place, &outcome);
                if let Some(kept) = self.kept.get(place) {
                    *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(outcome));
                }
                self.release(place);
                for &follower in self.followers.get(place).into_iter().flatten() {
                    let waiting = self.waiting.get(follower).map(|waiting| waiting.fetch_sub(1, Ordering::AcqRel));
                    if waiting == Some(1) {
                        scope.spawn_fifo(move |scope| self.run(follower, scope));
                    }
                }
            }
            Err(error) => {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(before, _)| place < *before) {
                    *failed = Some((place, error));
                }
            }
        }
    }

    /// Whether a step that stands before this one failed: what comes after it is not told.
    fn failed_before(&self, place: usize) -> bool {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.as_ref().is_some_and(|(before, _)| *before < place)
    }

    fn outcome(&self, place: usize) -> Result<Outcome> {
        let step = self.steps.get(place).ok_or_else(|| fault("a step of no plan"))?;
        let mut given = StepInputs(Vec::with_capacity(step.needs.len()));
        for &need in &step.needs {
            let kept = self.kept.get(need).and_then(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner).clone());
            given.0.push((need, kept.ok_or_else(|| fault(&format!("`{}` began too early", step.label)))?));
        }
        let running = self.executor.step(step.cost, step.label);
        let outcome = (self.work)(place, &given, &|share| running.progress(share))?;
        running.progress(1.0);
        Ok(outcome)
    }

    /// Drops the outcomes that this step was the last to need.
    fn release(&self, place: usize) {
        for &need in self.steps.get(place).iter().flat_map(|step| &step.needs) {
            let left = self.users.get(need).map(|users| users.fetch_sub(1, Ordering::AcqRel));
            if let (Some(1), Some(kept)) = (left, self.kept.get(need)) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).take();
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn bytes(values: &[u8]) -> Outcome {
        localcal::report::export::Bytes::from(values.to_vec()).into()
    }

    fn sum(given: &StepInputs) -> u8 {
        let of = |outcome: &Outcome| match outcome {
            Outcome::Bytes(localcal::report::export::Bytes { bytes, .. }) => bytes.iter().sum::<u8>(),
            _ => 0,
        };
        given.0.iter().map(|(_, outcome)| of(outcome)).sum()
    }

    fn step(needs: &[usize]) -> Step<'static> {
        Step { needs: needs.to_vec(), cost: 1.0, label: "a step" }
    }

    #[test]
    fn every_step_sees_what_it_needs() {
        let steps = [step(&[]), step(&[0]), step(&[0, 0]), step(&[1, 2]), step(&[3, 0])];
        for threads in [1, 2, 5] {
            let executor = Executor::new(threads, Progress::silent()).unwrap();
            let found =
                executor.outcome(&steps, |place, given, _| Ok(bytes(&[sum(given), u8::from(place == 0)])), &|_, _| ());
            // 1, 1, 2, 3, 4
            assert_eq!(found.unwrap(), bytes(&[4, 0]));
        }
    }

    #[test]
    fn the_first_failure_in_the_order_of_the_plan_is_told() {
        let steps = [step(&[]), step(&[]), step(&[]), step(&[0, 1, 2])];
        for threads in [1, 4] {
            let executor = Executor::new(threads, Progress::silent()).unwrap();
            let found = executor.outcome(
                &steps,
                |place, _, _| match place {
                    1 => {
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        Err(Error::new("empty", "one", ""))
                    }
                    2 => Err(Error::new("empty", "two", "")),
                    _ => Ok(bytes(&[])),
                },
                &|_, _| (),
            );
            assert_eq!(found.unwrap_err().to_string(), "one");
        }
    }

    #[test]
    fn a_need_that_is_not_before_is_a_fault() {
        let executor = Executor::new(1, Progress::silent()).unwrap();
        let found = executor.outcome(&[step(&[1]), step(&[])], |_, _, _| Ok(bytes(&[])), &|_, _| ());
        assert_eq!(found.unwrap_err().code(), "panic");
    }
}
