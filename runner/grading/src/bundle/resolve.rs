//! Whether a citation points at something that is in the bundle.

use proctor_types::Citation;
use proctor_types::bundle::{BLOBS_DIR, FIXTURES_DIR, JOURNAL, PROBES, TRANSCRIPT, WORKSPACE_DIR};
use proctor_types::citation::Moment;
use proctor_types::world::github;

use super::documents::world_file;
use super::objects::{TYPED, file_at};
use super::{Bundle, EvidenceError};
use crate::text::name;

impl Bundle {
    /// Says why `citation` points at nothing in this bundle, or nothing where
    /// it does point at something. The error means that the bundle itself is
    /// not what its manifest says.
    pub fn unresolved(&self, citation: &Citation) -> Result<Option<String>, EvidenceError> {
        match citation {
            Citation::Journal(n) => Ok(numbered(
                *n,
                self.journal_lines()?.map(|lines| lines.count),
                JOURNAL,
            )),
            Citation::Transcript(n) => Ok(numbered(
                *n,
                self.transcript_lines()?.map(|lines| lines.count),
                TRANSCRIPT,
            )),
            Citation::Workspace { path, line } => self.file_line(WORKSPACE_DIR, path, *line),
            Citation::Fixture { path, line } => self.file_line(FIXTURES_DIR, path, *line),
            Citation::Object { moment, kind, id } => self.object(*moment, kind, id),
            Citation::Probe { name, line } => self.probe(name, *line),
        }
    }

    fn probe(&self, probe: &str, line: Option<u64>) -> Result<Option<String>, EvidenceError> {
        let Some(lines) = self.probe_lines()? else {
            return Ok(Some(format!("the bundle has no {PROBES}")));
        };
        let Some(count) = lines.get(probe) else {
            return Ok(Some(format!("{PROBES} has no probe {}", name(probe))));
        };
        Ok(line
            .filter(|line| line > count)
            .map(|_| format!("the output of probe {} has {count} lines", name(probe))))
    }

    fn file_line(
        &self,
        directory: &str,
        path: &str,
        line: Option<u64>,
    ) -> Result<Option<String>, EvidenceError> {
        let file = format!("{directory}/{path}");
        let Some(line) = line else {
            let known = self.stat(&file).is_some();
            return Ok((!known).then(|| format!("the bundle has no file {}", name(&file))));
        };
        if self.stat(&file).is_none() {
            // `a:1` may be a line of `a` or a file of that very name.
            let whole = format!("{file}:{line}");
            let known = self.stat(&whole).is_some();
            return Ok((!known).then(|| format!("the bundle has no file {}", name(&file))));
        }
        let lines = self.line_count(&file)?;
        Ok((line > lines).then(|| format!("{} has {lines} lines", name(&file))))
    }

    /// Number of lines of a listed file; a last line without line feed counts.
    fn line_count(&self, file: &str) -> Result<u64, EvidenceError> {
        if let Some(count) = self.contents().lines.get(file) {
            return Ok(*count);
        }
        let Some(listed) = self.stat(file) else {
            return Ok(0);
        };
        let (mut feeds, mut last) = (0_u64, b'\n');
        let mut count = |_: u64, chunk: &[u8]| {
            feeds += chunk.split(|byte| *byte == b'\n').count() as u64 - 1;
            last = chunk.last().copied().unwrap_or(last);
        };
        if listed.bytes <= self.0.limits.file_bytes {
            if let Some(content) = self.read(file)? {
                count(0, &content);
            }
        } else {
            self.scan(file, listed, &mut count)?;
        }
        let lines = feeds + u64::from(last != b'\n');
        // Keyed by listed paths only, so the manifest's limit bounds it.
        self.contents().lines.insert(file.to_owned(), lines);
        Ok(lines)
    }

    fn object(
        &self,
        moment: Moment,
        kind: &str,
        id: &str,
    ) -> Result<Option<String>, EvidenceError> {
        if kind == github::FILE {
            return self.repository_file(moment, id);
        }
        let objects = self.objects(moment)?;
        let service = kind.split('.').next().unwrap_or(kind);
        let key = if TYPED.contains(&service) {
            kind
        } else {
            service
        };
        if objects.contains(&(key.to_owned(), id.to_owned())) {
            return Ok(None);
        }
        let file = world_file(moment);
        Ok(Some(format!(
            "{file} has no {} with the id {}",
            name(kind),
            name(id)
        )))
    }

    fn repository_file(&self, moment: Moment, id: &str) -> Result<Option<String>, EvidenceError> {
        let file = world_file(moment);
        let found = self.github(moment)?.and_then(|github| file_at(github, id));
        let Some((entry, line)) = found else {
            return Ok(Some(format!(
                "{file} has no file {}: expected `OWNER/NAME@REF:PATH` or `...:PATH:LINE`",
                name(id)
            )));
        };
        let Some(line) = line else { return Ok(None) };
        let lines = match &entry.sha256 {
            Some(sha256) => self.line_count(&format!("{BLOBS_DIR}/{sha256}"))?,
            None => 0,
        };
        Ok((line == 0 || line > lines).then(|| format!("{} has {lines} lines", name(id))))
    }
}

fn numbered(n: u64, count: Option<u64>, file: &str) -> Option<String> {
    match count {
        None => Some(format!("the bundle has no {file}")),
        Some(count) if n == 0 || n > count => Some(format!("{file} has {count} lines")),
        Some(_) => None,
    }
}
