//! Reading `manifest.json` without believing it.

use std::collections::HashSet;
use std::fmt;

use proctor_types::bundle::MANIFEST;
use proctor_types::manifest::{Manifest, SCHEMA};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::{EvidenceError, EvidenceProblem};

/// Longest path that a manifest may list, in bytes.
const PATH_BYTES: usize = 4096;

/// Parses and checks a manifest.
pub(super) fn parse(text: &[u8], max_files: usize) -> Result<Manifest, EvidenceError> {
    let malformed = |what: String| EvidenceError::malformed(MANIFEST, what);
    // The schema first: a newer major version may look quite different.
    let schema: SchemaOnly =
        serde_json::from_slice(text).map_err(|error| malformed(error.to_string()))?;
    check_schema(MANIFEST, &schema.schema, SCHEMA)?;
    // Parsers differ in which of two equal keys they believe, so a document
    // with such keys would say one thing here and another elsewhere.
    serde_json::from_slice::<UniqueKeys>(text).map_err(|error| malformed(error.to_string()))?;
    let manifest: Manifest =
        serde_json::from_slice(text).map_err(|error| malformed(error.to_string()))?;
    if manifest.files.len() > max_files {
        let found = manifest.files.len();
        return Err(malformed(format!(
            "it lists {found} files; the limit is {max_files}"
        )));
    }
    for (path, file) in &manifest.files {
        check_path(path).map_err(|problem| {
            EvidenceError::new(
                MANIFEST,
                EvidenceProblem::Path {
                    path: path.clone(),
                    problem,
                },
            )
        })?;
        if !is_sha256(&file.sha256) {
            let what = "is listed with a digest that is not 64 lower-case hex digits";
            return Err(EvidenceError::malformed(path, what));
        }
    }
    Ok(manifest)
}

/// The rules for paths: relative, no way up or out, one spelling for each
/// file. The answer continues "a path, which ...".
pub(super) fn check_path(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("is empty");
    }
    if path.len() > PATH_BYTES {
        return Err("is longer than 4096 bytes");
    }
    if path.starts_with('/') {
        return Err("is absolute");
    }
    if path.contains('\0') {
        return Err("contains a zero byte");
    }
    if path == MANIFEST {
        return Err("is the manifest itself");
    }
    for part in path.split('/') {
        match part {
            "" => return Err("has an empty component"),
            "." | ".." => return Err("has a component `.` or `..`"),
            _ if part.len() > 255 => return Err("has a component longer than 255 bytes"),
            _ => {}
        }
    }
    Ok(())
}

/// Accepts the very version that is expected; versions are `proctor.NAME/MAJOR`.
pub(super) fn check_schema(
    file: &str,
    found: &str,
    expected: &'static str,
) -> Result<(), EvidenceError> {
    if found == expected {
        return Ok(());
    }
    Err(EvidenceError::new(
        file,
        EvidenceProblem::Schema {
            expected,
            found: found.to_owned(),
        },
    ))
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Any document that says what it is.
#[derive(Deserialize)]
pub(super) struct SchemaOnly {
    pub(super) schema: String,
}

/// Any JSON value in which no object has a key twice.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueKeysVisitor)
    }
}

struct UniqueKeysVisitor;

impl<'de> Visitor<'de> for UniqueKeysVisitor {
    type Value = UniqueKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UniqueKeys, A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            map.next_value::<UniqueKeys>()?;
            if !seen.insert(key.clone()) {
                let name = crate::text::name(&key);
                return Err(A::Error::custom(format_args!(
                    "the key {name} stands twice in one object"
                )));
            }
        }
        Ok(UniqueKeys)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<UniqueKeys, A::Error> {
        while seq.next_element::<UniqueKeys>()?.is_some() {}
        Ok(UniqueKeys)
    }

    fn visit_bool<E>(self, _: bool) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_i64<E>(self, _: i64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_u64<E>(self, _: u64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_f64<E>(self, _: f64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_str<E>(self, _: &str) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_unit<E>(self) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }
}

/// Checks that a text is one JSON object, whatever is in it.
pub(super) fn check_object(text: &str) -> Result<(), String> {
    starts_object(text)?;
    serde_json::from_str::<IgnoredAny>(text)
        .map(drop)
        .map_err(|error| error.to_string())
}

/// Checks that a text can only be an object: the structs that read it would
/// take an array for one as well.
pub(super) fn starts_object(text: &str) -> Result<(), String> {
    if text.trim_start().starts_with('{') {
        Ok(())
    } else {
        Err("it is not a JSON object".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_spelling_and_stay_inside() {
        for good in [
            "a",
            "a/b.md",
            "workspace/..hidden",
            "workspace/line\nfeed",
            "a b/ü",
        ] {
            assert_eq!(check_path(good), Ok(()), "{good}");
        }
        let long = "x/".repeat(2100);
        let wide = "x".repeat(256);
        for bad in [
            "",
            "/etc/passwd",
            "../a",
            "a/../b",
            "a/..",
            ".",
            "a/./b",
            "a//b",
            "a/",
            "a\0b",
            "manifest.json",
            &long,
            &wide,
        ] {
            assert!(check_path(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn equal_keys_are_found_at_any_depth() {
        let nested = br#"{"a": [1, {"b": 1, "b": 2}]}"#;
        let error = serde_json::from_slice::<UniqueKeys>(nested)
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("`b` stands twice"), "{error}");
        let escaped = br#"{"\u0061": null, "a": true}"#;
        assert!(serde_json::from_slice::<UniqueKeys>(escaped).is_err());
        let fine = br#"{"a": {"a": [1.5, -1, "x", false, {}]}}"#;
        assert!(serde_json::from_slice::<UniqueKeys>(fine).is_ok());
    }
}
