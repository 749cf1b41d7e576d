//! A value that fits a JSON Schema, made without imagination.

use serde_json::{Map, Value, json};

/// Levels of a schema that are followed.
const DEPTH: u32 = 12;

/// A value of a schema. Keywords that need thought (`pattern`, `not`, ...) are
/// not minded.
pub(super) fn of(schema: &Value) -> Value {
    inner(schema, schema, DEPTH)
}

/// Whether a schema says that a value is of a type; Google writes types in
/// upper case, and JSON Schema has lists of them.
pub(super) fn is_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind.eq_ignore_ascii_case(name),
        Some(Value::Array(kinds)) => kinds
            .iter()
            .filter_map(Value::as_str)
            .any(|kind| kind.eq_ignore_ascii_case(name)),
        _ => false,
    }
}

fn inner(root: &Value, schema: &Value, depth: u32) -> Value {
    let Some(depth) = depth.checked_sub(1) else {
        return Value::Null;
    };
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(value) = schema.pointer("/enum/0") {
        return value.clone();
    }
    let reference = schema.get("$ref").and_then(Value::as_str);
    if let Some(target) = reference.and_then(|it| root.pointer(it.strip_prefix('#')?)) {
        return inner(root, target, depth);
    }
    for name in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema.get(name).and_then(|it| it.get(0)) {
            return inner(root, first, depth);
        }
    }
    if is_type(schema, "object") || schema.get("properties").is_some() {
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields = properties.into_iter().flatten();
        let fields = fields.map(|(name, of)| (name.clone(), inner(root, of, depth)));
        return Value::Object(fields.collect::<Map<_, _>>());
    }
    if is_type(schema, "array") {
        let fewest = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let item = schema.get("items").unwrap_or(&Value::Null);
        let item = inner(root, item, depth);
        return Value::Array((0..fewest.min(16)).map(|_| item.clone()).collect());
    }
    if is_type(schema, "boolean") {
        return json!(false);
    }
    if is_type(schema, "integer") || is_type(schema, "number") {
        return schema.get("minimum").cloned().unwrap_or(json!(1));
    }
    if is_type(schema, "null") && !is_type(schema, "string") {
        return Value::Null;
    }
    json!("scripted")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_fit() {
        let schema = json!({
            "type": "object",
            "properties": {
                "level": {"type": "integer", "minimum": 2},
                "kind": {"enum": ["a", "b"]},
                "why": {"type": ["string", "null"]},
                "list": {"type": "ARRAY", "minItems": 2, "items": {"$ref": "#/$defs/flag"}},
            },
            "$defs": {"flag": {"type": "boolean"}},
        });
        assert_eq!(
            of(&schema),
            json!({"level": 2, "kind": "a", "why": "scripted", "list": [false, false]})
        );
    }

    #[test]
    fn a_schema_that_holds_itself_comes_to_an_end() {
        let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        assert!(of(&schema).is_object());
    }
}
