//! The report's outputs over job directories made by code.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bounds;
mod browser;
mod builder;
mod formats;
mod hostile;
mod page;
mod states;

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// What an element of the page carries.
fn element(html: &str, id: &str) -> Value {
    let begin = format!("<script type=\"application/octet-stream\" id=\"{id}\">");
    let from = html
        .find(&begin)
        .unwrap_or_else(|| panic!("no element {id}"))
        + begin.len();
    let end = from + html[from..].find("</script>").unwrap();
    let packed = STANDARD.decode(&html[from..end]).unwrap();
    let mut json = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice())
        .read_to_end(&mut json)
        .unwrap();
    serde_json::from_slice(&json).unwrap()
}
