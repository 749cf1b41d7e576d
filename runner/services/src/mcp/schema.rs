//! Schemas of arguments as models read them best: from the types, with nothing
//! in them that only the types need.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of a tool's arguments. Its description is the tool's.
pub(super) fn of<A: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<A>()
        .to_value();
    tidy(&mut schema);
    let Value::Object(mut schema) = schema else {
        return JsonObject::new();
    };
    schema.shift_remove("title");
    // Clients expect it, also where there is nothing in it.
    schema
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    schema
}

/// Puts descriptions into one line, and takes out what says that an argument
/// may be null: it may be left out, and a null counts as that.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(tidy),
        Value::Object(object) => {
            object.values_mut().for_each(tidy);
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            if let Some(kind) = object.get_mut("type") {
                let kinds = kind.as_array().into_iter().flatten();
                let mut kinds = kinds.filter(|kind| *kind != "null");
                if let (Some(only), None) = (kinds.next(), kinds.next()) {
                    *kind = only.clone();
                }
            }
            if object.get("default") == Some(&Value::Null) {
                object.shift_remove("default");
            }
            if let Some(Value::Array(values)) = object.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if let Some(Value::Array(any)) = object.get_mut("anyOf") {
                let null = json!({"type": "null"});
                any.retain(|one| *one != null);
                if let [Value::Object(only)] = any.as_mut_slice() {
                    let only = std::mem::take(only);
                    object.shift_remove("anyOf");
                    for (name, value) in only {
                        // What is said of the argument goes before what is
                        // said of its type.
                        object.entry(name).or_insert(value);
                    }
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does
    /// something.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct Arguments {
        /// Which one.
        id: String,
        /// How many.
        count: Option<u32>,
        /// In which way.
        way: Option<Way>,
    }

    /// A way.
    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema matters")]
    enum Way {
        This,
        That,
    }

    #[test]
    fn what_only_the_types_need_is_not_there() {
        let schema = Value::Object(of::<Arguments>());
        assert_eq!(schema["description"], "Does something.");
        assert_eq!(schema["required"], json!(["id"]));
        let properties = &schema["properties"];
        assert_eq!(properties["count"]["type"], "integer");
        let way =
            json!({"type": "string", "enum": ["this", "that"], "description": "In which way."});
        assert_eq!(properties["way"], way);
    }
}
