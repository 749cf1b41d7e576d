//! Getting an agent's session files out of its room.
//!
//! A small script in the room prints each file as a line of base64: nothing that
//! a file holds, or is called, can be taken for the end of it. Links are not
//! followed, and what is no regular file is passed over.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use proctor_transcripts::{NativeFile, ReadLimits};

use super::OWN_TIME_LIMIT;
use crate::adapter::{TranscriptWay, pattern_matches};
use crate::agent::AgentError;
use crate::room::{BASH, ExecRequest, Shell};
use crate::text;

/// Bytes of all session files that are read.
const SESSION_BYTES: usize = 32 << 20;
/// Session files that are read.
const SESSION_FILES: usize = 60;

/// `$1` is the home, `$2` how many bytes and `$3` how many files there may be;
/// the rest are patterns. Prints `PATH CONTENTS SIZE` for each file, the first
/// two as base64.
const SCRIPT: &str = r#"
cd -- "$1" || exit 3
bytes=$2 files=$3
shift 3
shopt -s nullglob
IFS=
for pattern in "$@"; do
  for file in $pattern; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    size=$(stat -c %s -- "$file") || continue
    [ "$size" -gt 0 ] || continue
    [ "$bytes" -gt 0 ] && [ "$files" -gt 0 ] || exit 4
    printf %s "$file" | base64 -w 0
    printf ' '
    head -c "$bytes" -- "$file" | base64 -w 0
    printf ' %s\n' "$size"
    bytes=$((bytes - size)) files=$((files - 1))
  done
done
"#;

/// The files that match the adapter's patterns, in their order.
pub(super) async fn collect(
    room: &dyn Shell,
    way: &TranscriptWay,
    home: &str,
    warnings: &mut Vec<String>,
) -> Result<Vec<NativeFile>, AgentError> {
    if way.files.is_empty() {
        return Ok(Vec::new());
    }
    let fixed = [
        BASH,
        "-c",
        SCRIPT,
        "collect",
        home,
        &SESSION_BYTES.to_string(),
        &SESSION_FILES.to_string(),
    ];
    let argv = fixed
        .iter()
        .map(ToString::to_string)
        .chain(way.files.iter().cloned());
    let output = room
        .exec(ExecRequest {
            argv: argv.collect(),
            env: Vec::new(),
            cwd: Some("/".to_owned()),
            stdin: None,
            timeout: OWN_TIME_LIMIT,
            // Base64 takes four bytes for three; names and sizes are short.
            output_cap_bytes: SESSION_BYTES / 3 * 4 + (1 << 20),
        })
        .await?;
    let files = parse(&output.stdout, &way.files, warnings);
    if output.stdout_cut_bytes > 0 {
        warnings.push(format!(
            "session files could not all be read: the room sent {} bytes too many",
            output.stdout_cut_bytes
        ));
    }
    if output.exit_code == 4 {
        warnings.push(format!(
            "only the first {SESSION_FILES} session files and {SESSION_BYTES} bytes of them were read"
        ));
    } else if output.timed_out || output.exit_code != 0 {
        let reason = text::last_line(&output.stderr)
            .unwrap_or_else(|| format!("exit code {}", output.exit_code));
        warnings.push(format!("session files could not all be read: {reason}"));
    }
    Ok(files)
}

/// The files in what the script printed. Whatever it is, it came from the room.
fn parse(printed: &[u8], patterns: &[String], warnings: &mut Vec<String>) -> Vec<NativeFile> {
    let mut files = Vec::new();
    let mut garbled = 0_usize;
    for line in printed.split(|byte| *byte == b'\n').take(SESSION_FILES) {
        if line.is_empty() {
            continue;
        }
        let Some((name, bytes, size)) = decode(line) else {
            garbled += 1;
            continue;
        };
        if !patterns
            .iter()
            .any(|pattern| pattern_matches(pattern, &name))
        {
            continue;
        }
        if size.is_none_or(|size| size > bytes.len() as u64) {
            warnings.push(format!(
                "{}: not all of it was read",
                text::plain(&name, 200)
            ));
        }
        if !files.iter().any(|file: &NativeFile| file.name == name) {
            files.push(NativeFile::new(name, bytes));
        }
    }
    if garbled > 0 {
        warnings.push(format!(
            "session files could not all be read: {garbled} came garbled out of the room"
        ));
    }
    files
}

/// Name, contents and size of the file on a line; the size where it is one.
fn decode(line: &[u8]) -> Option<(String, Vec<u8>, Option<u64>)> {
    let mut fields = line.split(|byte| *byte == b' ');
    let (name, contents, size) = (fields.next()?, fields.next()?, fields.next()?);
    if fields.next().is_some() {
        return None;
    }
    let name = String::from_utf8(BASE64.decode(name).ok()?).ok()?;
    let bytes = BASE64.decode(contents).ok()?;
    let size = std::str::from_utf8(size).ok();
    Some((name, bytes, size.and_then(|size| size.parse().ok())))
}

/// What a reading may take: what is collected, and standard output.
pub(super) fn limits() -> ReadLimits {
    ReadLimits {
        files: SESSION_FILES + 1,
        bytes: (SESSION_BYTES + super::OUTPUT_CAP_BYTES) as u64,
        ..ReadLimits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, contents: &[u8], size: &str) -> String {
        format!(
            "{} {} {size}\n",
            BASE64.encode(name),
            BASE64.encode(contents)
        )
    }

    #[test]
    fn only_what_was_asked_for_is_taken_and_nothing_can_pose_as_another_file() {
        let patterns = [".x/*.jsonl".to_owned()];
        let mut printed = line(".x/a.jsonl", b"{}\n.x/b.jsonl", "13");
        printed += &line("../../etc/passwd", b"x", "1");
        printed += &line(".x/../y.jsonl", b"x", "1");
        printed += &line(".x/a.jsonl", b"again", "5");
        printed += "!! ?? 3\nonly two\n\n";
        printed += &line(".x/c.jsonl", b"cut", "1000");
        printed += &line(".x/d.jsonl", b"", "nonsense")[..10];
        let mut warnings = Vec::new();
        let files = parse(printed.as_bytes(), &patterns, &mut warnings);
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, [".x/a.jsonl", ".x/c.jsonl"]);
        assert_eq!(files[0].bytes, b"{}\n.x/b.jsonl");
        assert_eq!(
            warnings,
            [
                ".x/c.jsonl: not all of it was read",
                "session files could not all be read: 3 came garbled out of the room"
            ]
        );
    }

    /// A room that prints what it likes.
    struct Printing(crate::room::ExecOutput);

    #[async_trait::async_trait]
    impl Shell for Printing {
        async fn exec(
            &self,
            _request: ExecRequest,
        ) -> Result<crate::room::ExecOutput, crate::room::ShellError> {
            Ok(self.0.clone())
        }

        fn capture_program(&self) -> Option<&str> {
            None
        }
    }

    #[tokio::test]
    async fn what_the_room_sends_too_much_of_is_told() {
        let room = Printing(crate::room::ExecOutput {
            stdout: line(".x/a.jsonl", b"{}", "2").into_bytes(),
            stdout_cut_bytes: 7,
            ..Default::default()
        });
        let way = TranscriptWay {
            format: proctor_transcripts::Format::Canonical,
            stdout: false,
            files: vec![".x/*.jsonl".to_owned()],
        };
        let mut warnings = Vec::new();
        let files = collect(&room, &way, "/home/agent", &mut warnings).await;
        assert_eq!(files.unwrap().len(), 1);
        assert_eq!(
            warnings,
            ["session files could not all be read: the room sent 7 bytes too many"]
        );
    }

    #[test]
    fn a_flood_of_files_is_cut() {
        let printed: String = (0..1000)
            .map(|n| line(&format!(".x/{n}.jsonl"), b"x", "1"))
            .collect();
        let files = parse(
            printed.as_bytes(),
            &[".x/*.jsonl".to_owned()],
            &mut Vec::new(),
        );
        assert_eq!(files.len(), SESSION_FILES);
    }
}
