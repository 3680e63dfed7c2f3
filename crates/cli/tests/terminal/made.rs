//! Folders with files, and the program run in them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A folder of its own, which goes when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        let name = format!("localcal-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// With `patients.csv`, and the same rows without outcomes as `new.csv`.
    pub fn with_patients() -> Self {
        let folder = Self::new();
        folder.put("patients.csv", &patients(true));
        folder.put("new.csv", &patients(false));
        folder
    }

    pub fn put(&self, name: &str, text: &str) {
        self.put_bytes(name, text.as_bytes());
    }

    pub fn put_bytes(&self, name: &str, bytes: &[u8]) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// Runs the program with words between spaces as arguments.
    pub fn run(&self, arguments: &str) -> Ended {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        self.run_with(&words, "")
    }

    /// Exit status and standard error of the program if its standard output is closed.
    pub fn run_unread(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_localcal"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    pub fn run_with(&self, arguments: &[&str], input: &str) -> Ended {
        let mut command = Command::new(env!("CARGO_BIN_EXE_localcal"));
        command.args(arguments).current_dir(&self.0).env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read its input has closed it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Ended {
            status: output.status.code(),
            out: output.stdout,
            err: String::from_utf8(output.stderr).unwrap(),
            asked: arguments.join(" "),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a program that ended left.
pub struct Ended {
    pub status: Option<i32>,
    pub out: Vec<u8>,
    pub err: String,
    asked: String,
}

impl Ended {
    /// The same, if it ended well.
    pub fn done(self) -> Self {
        assert_eq!(self.status, Some(0), "localcal {}: {}", self.asked, self.err);
        self
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.out).unwrap()
    }
}

/// 240 rows, over-confident, with a number and a word that define similarity.
pub fn patients(with_outcome: bool) -> String {
    let mut text = format!("id,p_ill,{}age,site\n", if with_outcome { "outcome," } else { "" });
    let mut state = 7_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for i in 0..240 {
        let (p, age) = (uniform(), 20.0 + 60.0 * uniform());
        let truth = 0.5 + 0.6 * (p - 0.5) + if age > 60.0 { 0.15 } else { 0.0 };
        let outcome = if uniform() < truth { "ill" } else { "well" };
        let outcome = if with_outcome { format!("{outcome},") } else { String::new() };
        let _ = writeln!(text, "{i},{p:.6},{outcome}{age:.2},{}", ["north", "south", "west"][i % 3]);
    }
    text
}
