//! The catalogue: a folder for each service.

mod github;
mod gmail;
mod notion;

use super::arguments::{nearest, shown};
use super::tool::{self, Problem, Tool};
use crate::world::World;

/// Every tool.
pub(super) fn all() -> impl Iterator<Item = &'static Tool> {
    gmail::TOOLS
        .iter()
        .chain(&github::TOOLS)
        .chain(&notion::TOOLS)
}

/// The tool of a world with this name.
pub(super) fn find(world: &World, slug: &str) -> Result<&'static Tool, Problem> {
    if let Some(tool) = tool::offered(world).find(|tool| tool.slug == slug) {
        return Ok(tool);
    }
    if all().any(|tool| tool.slug == slug) {
        return Err(Problem::new(format!(
            "{slug} cannot be used here: this workspace is not connected to that service."
        )));
    }
    let upper = slug.to_ascii_uppercase();
    let like = nearest(&upper, tool::offered(world).map(|tool| tool.slug));
    let like = like.map_or_else(
        || "List the tools to see what there is.".to_owned(),
        |like| format!("Did you mean {like}?"),
    );
    Err(Problem::new(format!(
        "There is no tool `{}`. {like}",
        shown(slug)
    )))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_tool_can_be_understood_by_a_model() {
        let mut slugs = HashSet::new();
        for tool in all() {
            assert!(slugs.insert(tool.slug), "{} twice", tool.slug);
            let prefix = format!("{}_", tool.toolkit.slug().to_uppercase());
            assert!(tool.slug.starts_with(&prefix), "{}", tool.slug);
            assert!(tool.description().len() > 20, "{}", tool.slug);
            let schema = tool.schema();
            assert_eq!(schema["type"], "object", "{}", tool.slug);
            let Some(properties) = schema.get("properties") else {
                continue;
            };
            for (name, property) in properties.as_object().unwrap() {
                let text = property["description"].as_str().unwrap_or_default();
                assert!(text.len() > 10, "{} of {}: {property}", name, tool.slug);
                assert!(!text.contains('\n'), "{} of {}", name, tool.slug);
            }
            // Schemas stand alone: models get no document that `$ref` is in.
            let text = Value::Object(schema.as_ref().clone()).to_string();
            assert!(!text.contains("$ref"), "{}", tool.slug);
        }
        assert_eq!(slugs.len(), 43);
    }
}
