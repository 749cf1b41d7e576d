//! One spelling for a JSON document.

use serde::Serialize;

/// Writes a document the way Proctor writes all of its own: fields in the
/// order of the type, two spaces a level, the shortest number that reads back
/// as the same, one line feed at the end. Equal values give equal bytes.
///
/// The error is that of the value's own `Serialize`; the types of
/// `proctor-types` have none.
pub fn to_canonical_json<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}
