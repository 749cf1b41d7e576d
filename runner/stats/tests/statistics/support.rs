//! Inputs that are the same on every run, and the other implementation.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use proctor_stats::{Bounded, Sample};
use serde_json::Value;

/// Numbers by splitmix64, whose every seed is a good one.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.word() % count as u64).unwrap()
    }

    /// From 0 to 1.
    #[allow(clippy::cast_precision_loss)] // 53 bits.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Values that are known, from 0 to 1.
    pub(crate) fn known(&mut self, count: usize) -> Vec<Bounded> {
        (0..count)
            .map(|_| Bounded::exact(self.fraction()).unwrap())
            .collect()
    }

    /// Values from 0 to 1, of which some are open.
    pub(crate) fn open(&mut self, count: usize) -> Vec<Bounded> {
        (0..count)
            .map(|_| {
                let low = self.fraction();
                let width = if self.below(2) == 0 {
                    0.0
                } else {
                    self.fraction()
                };
                Bounded::new(low, low + (1.0 - low) * width).unwrap()
            })
            .collect()
    }

    /// One decision of all that is open.
    pub(crate) fn decide(&mut self, values: &[Bounded]) -> Vec<Bounded> {
        values
            .iter()
            .map(|value| {
                // Often at an end, where extremes are.
                let share = [0.0, 1.0, self.fraction()][self.below(3)];
                let decided = value.low() + value.width() * share;
                Bounded::exact(decided.clamp(value.low(), value.high())).unwrap()
            })
            .collect()
    }

    /// The same in another order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for at in (1..things.len()).rev() {
            things.swap(at, self.below(at + 1));
        }
    }
}

pub(crate) fn sample(values: &[Bounded]) -> Sample {
    values.iter().copied().map(Some).collect()
}

/// As reference.py takes them.
pub(crate) fn pairs_of(values: &[Bounded]) -> Vec<[f64; 2]> {
    values
        .iter()
        .map(|value| [value.low(), value.high()])
        .collect()
}

/// Requests to the other implementation, each with what ours answers.
#[derive(Default)]
pub(crate) struct Checks(Vec<(Value, Vec<f64>)>);

impl Checks {
    pub(crate) fn add(&mut self, request: Value, ours: impl IntoIterator<Item = f64>) {
        self.0.push((request, ours.into_iter().collect()));
    }

    /// Asks the other implementation, and takes numbers for equal that differ by no more
    /// than `tolerance`, absolutely for small ones and relatively for large ones.
    pub(crate) fn compare(self, tolerance: f64) {
        assert!(!self.0.is_empty());
        let requests: Vec<&Value> = self.0.iter().map(|(request, _)| request).collect();
        let answers = reference(&requests);
        assert_eq!(answers.len(), self.0.len());
        for ((request, ours), theirs) in self.0.iter().zip(answers) {
            assert_eq!(ours.len(), theirs.len(), "{request}");
            for (ours_one, theirs_one) in ours.iter().zip(&theirs) {
                let scale = theirs_one.abs().max(1.0);
                assert!(
                    (ours_one - theirs_one).abs() <= tolerance * scale,
                    "{request}\n  ours   {ours:?}\n  theirs {theirs:?}"
                );
            }
        }
    }
}

fn reference(requests: &[&Value]) -> Vec<Vec<f64>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join(".tools/venv/bin/python");
    let script = root.join("tests/statistics/reference.py");
    assert!(
        python.exists(),
        "{} is missing: run 'tools/setup.sh test', which installs what these tests compare with",
        python.display()
    );
    let mut child = Command::new(&python)
        .arg(&script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    // The script reads all of it before it prints, so nobody waits for the other.
    let sent = child
        .stdin
        .take()
        .unwrap()
        .write_all(&serde_json::to_vec(requests).unwrap());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{} failed ({}; the requests were sent: {sent:?}); if a package is missing, run \
         'tools/setup.sh test'.\n{}",
        script.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}
