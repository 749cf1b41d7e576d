//! Files made to break the parser.

use std::fmt::Write as _;
use std::fs;

use super::parse_bytes;
use crate::task::testing::{CHECKS, parse_error, real_task, task_text};

#[test]
fn yaml_bombs_are_refused_quickly() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..9 {
        let below = format!("*a{}, ", level - 1).repeat(9);
        writeln!(laughs, "a{level}: &a{level} [{below}]").unwrap();
    }
    let doubling: String = std::iter::once("b0: &b0 [x, x]\n".to_owned())
        .chain((1..16).map(|n| format!("b{n}: &b{n} [*b{0}, *b{0}]\n", n - 1)))
        .collect();
    for bomb in [
        laughs,
        doubling,
        format!("deep: {}{}", "[".repeat(5_000), "]".repeat(5_000)),
        (1..1_000).fold("deep:\n".to_owned(), |text, n| {
            text + &" ".repeat(n) + "a:\n"
        }),
        format!("wide: [{}]", "x, ".repeat(50_000)),
        (0..20_000).fold("keys: {".to_owned(), |text, n| text + &format!("k{n}: x, ")) + "}",
        "a: &a [*a]".to_owned(),
        format!("x: 1\n{}", "...\ny: 1\n".repeat(1_000)),
    ] {
        let error = parse_error(&task_text("a", &bomb));
        let expected = ["is not valid YAML", "`## Prompt` is missing"];
        assert!(expected.iter().any(|text| error.contains(text)), "{error}");
        assert!(
            error.len() < 1_000,
            "a message, not a copy of the file: {}",
            error.len()
        );
    }
}

/// Whatever the bytes: an answer, and a place in it when it is an error.
fn survives(bytes: &[u8]) {
    if let Err(error) = parse_bytes(bytes) {
        let lines = 1 + bytes.iter().filter(|b| matches!(b, b'\n' | b'\r')).count() as u64;
        let line = error.place.line.unwrap_or(1);
        assert!((1..=lines + 1).contains(&line), "{error} in {lines} lines");
        assert!(error.to_string().len() < 2_000);
    }
}

#[test]
fn no_bytes_make_the_parser_panic() {
    let real = fs::read(real_task().join("task.md")).unwrap();
    for end in 0..real.len() {
        if end % 7 == 0 || end < 700 {
            survives(&real[..end]);
        }
    }
    // A fixed sequence: the same mutations in every run.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below.max(1) as u64).unwrap()
    };
    let pieces: [&[u8]; 24] = [
        b"---",
        b"\n",
        b"\r",
        b"```",
        b"~~~",
        b"## ",
        b"### Criterion 1: x (Weight: 9%)",
        b"Score 0.5:",
        b"\t",
        b"- ",
        b": ",
        b"[",
        b"{",
        b"&a ",
        b"*a",
        b"!!binary ",
        b"|\n",
        b"\xff",
        b"\0",
        b"\xef\xbb\xbf",
        b"<!--",
        b"> ",
        b"\"",
        b"\xc3\xa9",
    ];
    for _ in 0..1_500 {
        let mut bytes = real.clone();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = u8::try_from(random(256)).unwrap(),
                1 => drop(bytes.splice(at..at, pieces[random(pieces.len())].iter().copied())),
                2 => drop(bytes.drain(at..(at + random(200)).min(bytes.len()))),
                _ => {
                    let end = (at + random(400)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let to = random(bytes.len());
                    drop(bytes.splice(to..to, copy));
                }
            }
        }
        survives(&bytes);
    }
}

#[test]
fn long_repetitions_take_no_long_time() {
    let unit = 1 << 16;
    for piece in [
        "## a\n",
        "> ",
        "- ",
        "* a\n",
        "```\n",
        "[",
        "<a ",
        "*",
        "_a",
        "`",
        "1. ",
        "Score 1.0: ",
        "• x\n",
        "| a ",
        "&amp;",
        "\\",
        "![",
        "<!--",
        "    ",
    ] {
        let body = piece.repeat(unit / piece.len());
        for section in ["Prompt", "Grading Criteria", "LLM Judge Rubric"] {
            let kind = if section == "LLM Judge Rubric" {
                "llm_judge"
            } else {
                "automated"
            };
            let head = format!("---\nid: a\ngrading_type: {kind}\ntimeout_seconds: 60\n---\n");
            let rubric = "### Criterion 1: A (Weight: 100%)\n";
            survives(
                format!("{head}## Prompt2\nx\n\n## {section}\n\n{rubric}{body}\n\n{CHECKS}")
                    .as_bytes(),
            );
        }
    }
}
