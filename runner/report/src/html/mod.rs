//! `report.html`: one file that shows a job, from a disk and without a network.
//!
//! What the job says is in inert elements, gzip in base64: nothing of it is
//! markup, and no browser looks at it before the page's own script asks. That
//! script and the style are the only ones that the page's policy lets run, by
//! their digests.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::ReportError;
use crate::limits;
use crate::parallel::in_parallel;
use crate::read::Job;
use crate::view::{self, overview::Overview};

/// The script, in the order in which its parts stand.
const SCRIPT: [&str; 10] = [
    include_str!("dom.js"),
    include_str!("words.js"),
    include_str!("data.js"),
    include_str!("charts.js"),
    include_str!("overview.js"),
    include_str!("matrix.js"),
    include_str!("objects.js"),
    include_str!("timeline.js"),
    include_str!("trial.js"),
    include_str!("main.js"),
];
const STYLE: [&str; 3] = [
    include_str!("base.css"),
    include_str!("parts.css"),
    include_str!("trial.css"),
];
/// Most trials that wait to be written at a time.
const WAITING: usize = 128;

/// Writes the page for `job`.
///
/// # Errors
/// Only what `out` says: everything that is wrong with the job is in the page.
pub fn write_html(job: &Job, out: &mut impl Write) -> Result<(), ReportError> {
    let script = format!("\"use strict\";(() => {{\n{}\n}})();", SCRIPT.concat());
    let style = STYLE.concat();
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'",
        digest(&script),
        digest(&style),
    );
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Proctor report</title>\n<style>{style}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the report</a>\n<div id=\"app\"></div>\n\
         <noscript><p>This page is made by its script, which is not run here. The same figures \
         are in summary.md, summary.json and criteria.csv beside it.</p></noscript>\n"
    )?;
    element(out, "overview", &packed(&Overview::of(job))?)?;
    // The overview is on the screen before a browser has read all trials.
    writeln!(out, "<script>{script}</script>")?;
    trials(job, out)?;
    out.write_all(b"</body>\n</html>\n")?;
    Ok(())
}

/// Every trial's details, in order, made on all processors.
fn trials(job: &Job, out: &mut impl Write) -> Result<(), ReportError> {
    let all = job.trials();
    let bytes = limits::per_trial(all.len());
    for (chunk, trials) in all.chunks(WAITING).enumerate() {
        let packed = in_parallel(trials, |trial| packed(&view::details(job, trial, bytes)));
        for (index, data) in packed.into_iter().enumerate() {
            element(out, &format!("t{}", chunk * WAITING + index), &data?)?;
        }
    }
    Ok(())
}

fn element(out: &mut impl Write, id: &str, data: &str) -> io::Result<()> {
    writeln!(
        out,
        "<script type=\"application/octet-stream\" id=\"{id}\">{data}</script>"
    )
}

/// JSON, gzip, base64.
fn packed(value: &impl Serialize) -> io::Result<String> {
    // The header has no time in it: the same job gives the same page.
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(3));
    serde_json::to_writer(io::BufWriter::with_capacity(64 << 10, &mut gzip), value)?;
    Ok(STANDARD.encode(gzip.finish()?))
}

fn digest(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_our_own_files_ends_its_element_or_makes_markup_of_text() {
        let script = SCRIPT.concat();
        for word in [
            "</script",
            "<!--",
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "new Function",
            "setAttribute(\"style\"",
            "setAttribute(\"on",
            "javascript:",
            "fetch(",
            "XMLHttpRequest",
            "http://",
            "https://cdn",
        ] {
            assert!(!script.contains(word), "{word}");
        }
        let style = STYLE.concat();
        for word in ["</style", "url(", "@import", "<!--"] {
            assert!(!style.contains(word), "{word}");
        }
    }
}
