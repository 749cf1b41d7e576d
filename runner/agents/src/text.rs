//! Output of commands as text.

use proctor_types::transcript::Details;

use crate::room::ExecOutput;

/// Bytes of each output stream that a tool result shows.
const SHOWN_BYTES: usize = 64 << 10;

/// The answer of a command as an agent would get it: standard output, then
/// standard error, then what has to be known about it.
///
/// Bytes that are no UTF-8 become U+FFFD; control characters stay as they are.
pub(crate) fn tool_result(output: &ExecOutput) -> (String, Details) {
    let mut text = String::new();
    let mut cut = 0;
    let streams = [
        (&output.stdout, output.stdout_cut_bytes, "standard output"),
        (&output.stderr, output.stderr_cut_bytes, "standard error"),
    ];
    for (bytes, beyond_cap, name) in streams {
        cut += show(&mut text, bytes, beyond_cap, SHOWN_BYTES, name);
    }
    if output.timed_out {
        mark(&mut text, "killed: the command's time was up");
    }
    if text.is_empty() {
        text.push_str("(no output)");
    }
    let details = Details {
        exit_code: Some(output.exit_code),
        duration_ms: Some(u64::try_from(output.duration.as_millis()).unwrap_or(u64::MAX)),
        timed_out: output.timed_out,
        truncated_bytes: (cut > 0).then_some(cut),
    };
    (text, details)
}

/// Appends the first `limit` bytes of the stream `name`, of which the room has
/// cut `beyond_cap` bytes already. Gives how many bytes are missing in all, and
/// says so in the text.
pub(crate) fn show(
    text: &mut String,
    bytes: &[u8],
    beyond_cap: u64,
    limit: usize,
    name: &str,
) -> u64 {
    let shown = head(bytes, limit);
    if !shown.is_empty() {
        end_line(text);
        text.push_str(&String::from_utf8_lossy(shown));
    }
    let cut = beyond_cap + (bytes.len() - shown.len()) as u64;
    if cut > 0 {
        mark(text, &format!("{cut} more bytes of {name} were cut"));
    }
    cut
}

/// The first `limit` bytes, without half a character at the end.
fn head(bytes: &[u8], limit: usize) -> &[u8] {
    if bytes.len() <= limit {
        return bytes;
    }
    // A character has at most three continuation bytes.
    let boundary = (limit.saturating_sub(3)..=limit)
        .rev()
        .find(|&at| bytes[at] & 0xC0 != 0x80);
    &bytes[..boundary.unwrap_or(limit)]
}

/// The last line that says something, for a reason: control characters
/// escaped, at most 300 characters.
pub(crate) fn last_line(bytes: &[u8]) -> Option<String> {
    let tail = &bytes[bytes.len().saturating_sub(4096)..];
    let text = String::from_utf8_lossy(tail);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(plain(line, 300))
}

/// The last `count` lines that say something, joined by ` / `.
pub(crate) fn last_lines(bytes: &[u8], count: usize) -> Option<String> {
    let tail = &bytes[bytes.len().saturating_sub(16 << 10)..];
    let text = String::from_utf8_lossy(tail);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut last: Vec<String> = lines
        .rev()
        .take(count)
        .map(|line| plain(line, 300))
        .collect();
    last.reverse();
    (!last.is_empty()).then(|| last.join(" / "))
}

/// `text` without control characters, at most `limit` characters of it.
pub(crate) fn plain(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for (index, char) in text.chars().enumerate() {
        if index == limit {
            out.push('…');
            break;
        }
        if char.is_control() {
            out.extend(char.escape_default());
        } else {
            out.push(char);
        }
    }
    out
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

fn mark(text: &mut String, what: &str) {
    end_line(text);
    text.extend(["[", what, "]\n"]);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn output(stdout: &[u8], stderr: &[u8]) -> ExecOutput {
        ExecOutput {
            stdout: stdout.to_vec(),
            stderr: stderr.to_vec(),
            ..ExecOutput::default()
        }
    }

    #[test]
    fn standard_error_follows_standard_output_on_a_line_of_its_own() {
        assert_eq!(tool_result(&output(b"out", b"err\n")).0, "out\nerr\n");
        assert_eq!(tool_result(&output(b"out\n", b"err")).0, "out\nerr");
        assert_eq!(tool_result(&output(b"", b"err")).0, "err");
        assert_eq!(tool_result(&output(b"", b"")).0, "(no output)");
    }

    #[test]
    fn a_cut_never_halves_a_character_and_is_counted_with_the_room_s_own() {
        let mut bytes = vec![b'a'; SHOWN_BYTES - 1];
        bytes.extend("€€".as_bytes());
        let mut output = output(&bytes, b"");
        output.stdout_cut_bytes = 1000;
        output.duration = Duration::from_millis(7);
        let (text, details) = tool_result(&output);
        assert!(!text.contains('\u{FFFD}'));
        assert!(
            text.ends_with("a\n[1006 more bytes of standard output were cut]\n"),
            "{}",
            &text[text.len() - 80..]
        );
        assert_eq!(details.truncated_bytes, Some(1006));
        assert_eq!(details.duration_ms, Some(7));
    }

    #[test]
    fn bytes_that_only_continue_are_cut_at_the_limit() {
        assert_eq!(head(&[0x80; 10], 5), &[0x80; 5]);
        assert_eq!(head(&[0x80; 2], 1), &[0x80; 1]);
        assert_eq!(head(b"abc", 0), b"");
    }

    #[test]
    fn a_reason_is_one_plain_line() {
        assert_eq!(
            last_line(b"first\n\x1b[31mred\x1b[0m\n\n").unwrap(),
            "\\u{1b}[31mred\\u{1b}[0m"
        );
        assert_eq!(last_line(b" \n\n"), None);
        assert_eq!(last_line(&[b'x'; 10_000]).unwrap().chars().count(), 301);
    }
}
