//! Stands beside a case while it is played: a panic is caught; a hang, or more memory than a case may hold, ends the
//! process and leaves the case behind.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

use crate::MEMORY;
use crate::case::Case;
use crate::play::{Counts, play};

/// One case may hold this many bytes at a time: the files have at most some sixty rows.
const MOST_BYTES: usize = 1 << 30;
/// A case that takes longer waits for something that never comes. Cases take milliseconds.
const PATIENCE: Duration = Duration::from_secs(120);

/// One case at a time, so that memory is that of the case.
static TURN: Mutex<()> = Mutex::new(());
static UNDER_WAY: Mutex<Option<(String, Instant)>> = Mutex::new(None);
static WATCHDOG: Once = Once::new();

/// Where cases that failed are written.
pub fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    PathBuf::from(target).join("fuzz")
}

/// Plays a case; what went wrong, with the case in a file named after its place.
pub fn guarded(place: &str, case: &Case, counts: &mut Counts) -> Result<(), String> {
    WATCHDOG.call_once(|| {
        std::thread::spawn(watch);
    });
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // Written before it is played: a stack that overflows takes the process with it.
    let path = folder().join(format!("{place}.json"));
    std::fs::create_dir_all(folder()).expect("a folder for cases");
    std::fs::write(&path, serde_json::to_vec_pretty(case).expect("JSON")).expect("a file");
    *UNDER_WAY.lock().expect("the watch") = Some((place.to_owned(), Instant::now()));
    MEMORY.set_limit(MEMORY.allocated() + MOST_BYTES).expect("a limit above what is held");
    let result = catch_unwind(AssertUnwindSafe(|| play(case, counts)));
    MEMORY.set_limit(usize::MAX).expect("no limit");
    *UNDER_WAY.lock().expect("the watch") = None;
    let result = result.unwrap_or_else(|panic| Err(format!("panic: {}", message(&*panic))));
    if result.is_ok() {
        std::fs::remove_file(&path).expect("the file just written");
    }
    result
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without words").to_owned()
}

fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        if let Some((place, since)) = &*UNDER_WAY.lock().expect("the watch")
            && since.elapsed() > PATIENCE
        {
            eprintln!("{place} hangs; it stands in {}", folder().display());
            std::process::abort();
        }
    }
}
