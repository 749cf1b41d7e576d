//! Verdicts as they lie in a guest's memory, by the component model's
//! canonical ABI: what an honest compiler would write, and whatever a hostile
//! one could.

/// A verdict with nothing checked.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawVerdict {
    pub(crate) criteria: Vec<RawCriterion>,
    pub(crate) adjustments: Vec<RawAdjustment>,
    pub(crate) notes: Vec<String>,
    /// Pass and borderline.
    pub(crate) thresholds: Option<(f64, Option<f64>)>,
}

#[derive(Debug, Clone)]
pub(crate) struct RawAdjustment {
    pub(crate) id: String,
    pub(crate) title: String,
    /// 0 cap, 1 penalty; anything else breaks the convention.
    pub(crate) kind: u8,
    pub(crate) points: f64,
    pub(crate) reason: String,
    pub(crate) citations: Vec<String>,
}

impl Default for RawAdjustment {
    fn default() -> Self {
        Self {
            id: "fell_for_it".to_owned(),
            title: "Fell for the distractor".to_owned(),
            kind: 1,
            points: 0.5,
            reason: "found".to_owned(),
            citations: Vec::new(),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct RawCriterion {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) category: String,
    /// 0 graded, 1 open, 2 error; anything else breaks the convention.
    pub(crate) status: u8,
    pub(crate) points: Option<f64>,
    pub(crate) max: f64,
    pub(crate) reason: String,
    pub(crate) citations: Vec<String>,
    pub(crate) question: Option<RawQuestion>,
}

#[derive(Debug, Clone)]
pub(crate) struct RawQuestion {
    pub(crate) text: String,
    pub(crate) levels: Vec<(f64, String)>,
    /// Title, citation, text.
    pub(crate) exhibits: Vec<(String, String, String)>,
}

impl Default for RawCriterion {
    fn default() -> Self {
        Self {
            id: "listed_tasks".to_owned(),
            title: "Listed the tasks".to_owned(),
            category: "automated".to_owned(),
            status: 0,
            points: Some(1.0),
            max: 1.0,
            reason: "found".to_owned(),
            citations: Vec::new(),
            question: None,
        }
    }
}

impl Default for RawQuestion {
    fn default() -> Self {
        Self {
            text: "Which?".to_owned(),
            levels: vec![(1.0, "good".to_owned()), (0.0, "bad".to_owned())],
            exhibits: Vec::new(),
        }
    }
}

/// A piece of memory that starts at `base`.
pub(crate) struct Memory {
    pub(crate) base: usize,
    pub(crate) bytes: Vec<u8>,
}

impl Memory {
    pub(crate) fn new(base: usize) -> Self {
        Self {
            base,
            bytes: Vec::new(),
        }
    }

    fn reserve(&mut self, size: usize) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = self.bytes.len();
        self.bytes.resize(at + size, 0);
        self.base + at
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        let at = at - self.base;
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn u32(&mut self, at: usize, value: usize) {
        self.put(at, &u32::try_from(value).unwrap().to_le_bytes());
    }

    /// A pointer and a length.
    fn slice(&mut self, at: usize, pointer: usize, length: usize) {
        self.u32(at, pointer);
        self.u32(at + 4, length);
    }

    pub(crate) fn text(&mut self, text: &str) -> (usize, usize) {
        let pointer = self.reserve(text.len());
        self.put(pointer, text.as_bytes());
        (pointer, text.len())
    }

    fn string(&mut self, at: usize, text: &str) {
        let (pointer, length) = self.text(text);
        self.slice(at, pointer, length);
    }

    fn list<T>(
        &mut self,
        at: usize,
        items: &[T],
        size: usize,
        write: impl Fn(&mut Self, usize, &T),
    ) {
        let pointer = self.reserve(items.len() * size);
        for (n, item) in items.iter().enumerate() {
            write(self, pointer + n * size, item);
        }
        self.slice(at, pointer, items.len());
    }

    /// `ok(verdict)` of the result of `grade`.
    pub(crate) fn verdict(&mut self, verdict: &RawVerdict) -> usize {
        let result = self.reserve(64);
        self.list(result + 8, &verdict.criteria, 104, Self::criterion);
        self.list(result + 16, &verdict.adjustments, 48, Self::adjustment);
        self.list(result + 24, &verdict.notes, 8, |memory, at, note| {
            memory.string(at, note);
        });
        if let Some((pass, borderline)) = verdict.thresholds {
            self.put(result + 32, &[1]);
            self.put(result + 40, &pass.to_le_bytes());
            if let Some(borderline) = borderline {
                self.put(result + 48, &[1]);
                self.put(result + 56, &borderline.to_le_bytes());
            }
        }
        result
    }

    fn adjustment(&mut self, at: usize, adjustment: &RawAdjustment) {
        self.string(at, &adjustment.id);
        self.string(at + 8, &adjustment.title);
        self.put(at + 16, &[adjustment.kind]);
        self.put(at + 24, &adjustment.points.to_le_bytes());
        self.string(at + 32, &adjustment.reason);
        self.list(at + 40, &adjustment.citations, 8, |memory, at, text| {
            memory.string(at, text);
        });
    }

    fn criterion(&mut self, at: usize, criterion: &RawCriterion) {
        self.string(at, &criterion.id);
        self.string(at + 8, &criterion.title);
        self.string(at + 16, &criterion.category);
        self.put(at + 24, &[criterion.status]);
        if let Some(points) = criterion.points {
            self.put(at + 32, &[1]);
            self.put(at + 40, &points.to_le_bytes());
        }
        self.put(at + 48, &criterion.max.to_le_bytes());
        self.string(at + 56, &criterion.reason);
        self.list(at + 64, &criterion.citations, 8, |memory, at, text| {
            memory.string(at, text);
        });
        if let Some(question) = &criterion.question {
            self.put(at + 72, &[1]);
            self.question(at + 76, question);
        }
    }

    fn question(&mut self, at: usize, question: &RawQuestion) {
        self.string(at, &question.text);
        self.list(at + 8, &question.levels, 16, |memory, at, (score, text)| {
            memory.put(at, &score.to_le_bytes());
            memory.string(at + 8, text);
        });
        self.list(
            at + 16,
            &question.exhibits,
            24,
            |memory, at, (title, citation, text)| {
                memory.string(at, title);
                memory.string(at + 8, citation);
                memory.string(at + 16, text);
            },
        );
    }

    /// The bytes as they are written in WebAssembly text.
    pub(crate) fn escaped(&self) -> String {
        use std::fmt::Write;
        self.bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "\\{byte:02x}").unwrap();
            text
        })
    }
}
