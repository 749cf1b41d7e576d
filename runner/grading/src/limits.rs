//! What a grader may use. Every limit has a default that is generous for an
//! honest grader and survivable with a hostile one.

use std::time::Duration;

/// Limits of one grade.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Fuel, about one unit an instruction. The same module burns the same
    /// fuel on the same bundle everywhere, so this is the limit that decides;
    /// the clock is only there for what fuel does not count. Default
    /// 2,000,000,000, one to three seconds.
    pub fuel: u64,
    /// Wall-clock time. Default 60 s.
    pub time: Duration,
    /// Linear memory over all memories of the grader, in bytes. Default
    /// 256 MiB.
    pub memory_bytes: usize,
    /// Elements over all tables of the grader. Default 200,000.
    pub table_elements: usize,
    /// Core instances. Default 128 (a component of one Rust module has about
    /// five).
    pub instances: usize,
    /// Tables. Default 64.
    pub tables: usize,
    /// Linear memories. Default 8.
    pub memories: usize,
    /// What the grader may hand to the host at once: the verdict, or the
    /// arguments of one call. Counted in bytes of host memory, so a string of
    /// `n` bytes counts `n` and a list of records some tens of bytes each.
    /// Default 8 MiB.
    pub output_bytes: usize,
    /// Bytes that pass between grader and host over all calls, 64 for each
    /// call included: work that fuel does not count. Default 1 GiB.
    pub hostcall_bytes: u64,
    /// What a grader with WASI may keep in its scratch directory, in bytes.
    /// Default 64 MiB.
    pub scratch_bytes: u64,
    /// Log output in bytes. Beyond it the grade ends. Default 16 MiB.
    pub log_bytes: u64,
    /// How much of the log is kept, in bytes; the rest is counted. Default
    /// 256 KiB.
    pub log_kept_bytes: usize,
    /// What a verdict may look like.
    pub verdict: VerdictLimits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 2_000_000_000,
            time: Duration::from_mins(1),
            memory_bytes: 256 << 20,
            table_elements: 200_000,
            instances: 128,
            tables: 64,
            memories: 8,
            output_bytes: 8 << 20,
            hostcall_bytes: 1 << 30,
            scratch_bytes: 64 << 20,
            log_bytes: 16 << 20,
            log_kept_bytes: 256 << 10,
            verdict: VerdictLimits::default(),
        }
    }
}

impl Limits {
    /// Limits of a grader in Python: an interpreter takes some fifty
    /// instructions where compiled code takes one, and has itself to keep in
    /// memory. Fuel is 20,000,000,000, some 20 seconds; time 120 s; memory
    /// 512 MiB.
    pub fn python() -> Self {
        Self {
            fuel: 20_000_000_000,
            time: Duration::from_mins(2),
            memory_bytes: 512 << 20,
            ..Self::default()
        }
    }
}

/// Limits of a verdict. Text is measured in bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictLimits {
    /// Criteria. Default 200.
    pub criteria: usize,
    /// Adjustments. Default 50.
    pub adjustments: usize,
    /// Maximum of one criterion or adjustment, in points. Default 1,000,000.
    pub points: f64,
    /// Titles, categories, titles of exhibits. Default 300.
    pub title_bytes: usize,
    /// Reasons, notes, questions, texts of levels. Default 16 KiB.
    pub text_bytes: usize,
    /// Notes of a verdict. Default 100.
    pub notes: usize,
    /// Citations of one criterion or adjustment. Default 200.
    pub citations: usize,
    /// Levels of one question. Default 20.
    pub levels: usize,
    /// Exhibits of one question. Default 50.
    pub exhibits: usize,
    /// Text of one exhibit. Default 512 KiB.
    pub exhibit_bytes: usize,
}

impl Default for VerdictLimits {
    fn default() -> Self {
        Self {
            criteria: 200,
            adjustments: 50,
            points: 1e6,
            title_bytes: 300,
            text_bytes: 16 << 10,
            notes: 100,
            citations: 200,
            levels: 20,
            exhibits: 50,
            exhibit_bytes: 512 << 10,
        }
    }
}

/// Limits of a module, checked before it is compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleLimits {
    /// The whole component in bytes. Default 64 MiB.
    pub bytes: usize,
    /// Functions over all core modules. Default 60,000: a whole Python has
    /// about 20,000.
    pub functions: usize,
    /// Longest function body in bytes. The compiler's time and memory grow
    /// faster than the function. Default 1 MiB.
    pub function_bytes: usize,
    /// Core modules and nested components. Default 256.
    pub modules: usize,
    /// Instances of nested components, those inside of others counted as often
    /// as they are made. Default 1,000.
    pub instances: usize,
    /// Types of functions and values. Default 50,000.
    pub types: usize,
    /// Elements that all tables begin with. Default 200,000.
    pub table_elements: usize,
}

impl Default for ModuleLimits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            functions: 60_000,
            function_bytes: 1 << 20,
            modules: 256,
            instances: 1000,
            types: 50_000,
            table_elements: 200_000,
        }
    }
}

/// Limits of the process that compiles a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileLimits {
    /// Address space in bytes. Default 3 GiB.
    pub memory_bytes: u64,
    /// Processor time in whole seconds. Default 60.
    pub cpu_seconds: u64,
    /// Wall-clock time. Default 120 s.
    pub time: Duration,
    /// Longest compiled module in bytes. Default 256 MiB: loading one takes
    /// twice that for a moment.
    pub output_bytes: u64,
    /// How many times longer than the module the compiled module may be, above
    /// the first 16 MiB. Default 16; a small module usually becomes 8 times as
    /// long, a whole Python twice.
    pub output_ratio: u64,
}

impl CompileLimits {
    /// Longest compiled module that comes of a module of `wasm_bytes`.
    pub(crate) fn output_bytes_of(&self, wasm_bytes: usize) -> u64 {
        const ALWAYS: u64 = 16 << 20;
        let in_proportion = self.output_ratio.saturating_mul(wasm_bytes as u64);
        self.output_bytes.min(ALWAYS.saturating_add(in_proportion))
    }
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self {
            memory_bytes: 3 << 30,
            cpu_seconds: 60,
            time: Duration::from_mins(2),
            output_bytes: 256 << 20,
            output_ratio: 16,
        }
    }
}
