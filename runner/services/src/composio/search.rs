//! Which tools are for a use case: by the words that both have in common.

use serde_json::{Map, Value, json};

use super::Refusal;
use super::sessions::Session;
use crate::mcp::Tool;
use crate::world::World;

/// Most use cases of one search.
const MOST_QUERIES: usize = 20;
/// Most bytes of one that are looked at.
const MOST_BYTES: usize = 4096;
/// How many tools are given first, and how many as related.
const PRIMARY: usize = 4;
const RELATED: usize = 6;
/// Words that every sentence has.
const COMMON: &[&str] = &[
    "the", "and", "for", "with", "all", "from", "that", "this", "into", "its", "are", "not", "any",
    "has", "have", "where", "which",
];

/// The words of a text that mean something, without endings.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let words = parts.map(str::to_lowercase);
    let words = words.filter(|word| word.len() > 2 && !COMMON.contains(&word.as_str()));
    let stem = |word: String| {
        let shorter = word.strip_suffix("es").or_else(|| word.strip_suffix('s'));
        match shorter.or_else(|| word.strip_suffix("ing")) {
            Some(shorter) if shorter.len() > 2 => shorter.to_owned(),
            _ => word,
        }
    };
    let mut words: Vec<String> = words.map(stem).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The tools that fit best, best first.
pub(super) fn best(tools: &[&'static Tool], use_case: &str) -> Vec<&'static Tool> {
    let end = use_case.floor_char_boundary(MOST_BYTES);
    let wanted = words(use_case.get(..end).unwrap_or_default());
    let mut scored: Vec<(usize, &'static Tool)> = tools
        .iter()
        .map(|tool| {
            let named = words(&format!("{} {}", tool.slug.replace('_', " "), tool.title));
            let told = words(tool.description());
            let score = wanted.iter().map(|word| {
                4 * usize::from(named.contains(word)) + usize::from(told.contains(word))
            });
            (score.sum(), *tool)
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    // Stable: equals stay in the order of the catalogue.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, tool)| tool).collect()
}

/// Answers a search: `{"queries": [{"use_case"}]}`.
pub(super) fn answer(
    world: &World,
    session: &Session,
    id: &str,
    body: &Map<String, Value>,
) -> Result<Value, Refusal> {
    let wrong = || {
        Refusal::body(format!(
            "`queries` must be a list of 1 to {MOST_QUERIES} objects with `use_case`."
        ))
    };
    let queries = body.get("queries").and_then(Value::as_array);
    let queries = queries.filter(|list| (1..=MOST_QUERIES).contains(&list.len()));
    let tools = session.tools(world);
    let mut schemas = Map::new();
    let mut toolkits = Vec::new();
    let mut results = Vec::new();
    for (index, query) in queries.ok_or_else(wrong)?.iter().enumerate() {
        let use_case = query.get("use_case").and_then(Value::as_str);
        let use_case = use_case.ok_or_else(wrong)?;
        let found = best(&tools, use_case);
        let slugs: Vec<&str> = found.iter().map(|tool| tool.slug).collect();
        let mut own = Vec::new();
        for tool in found.iter().take(PRIMARY + RELATED) {
            if !own.contains(&tool.toolkit.slug()) {
                own.push(tool.toolkit.slug());
            }
            if !toolkits.contains(&tool.toolkit) {
                toolkits.push(tool.toolkit);
            }
            schemas.insert(tool.slug.to_owned(), schema(tool));
        }
        let nothing = "Nothing fits; say it in other words, or list the session's tools.";
        results.push(json!({
            "index": index + 1,
            "use_case": use_case,
            "primary_tool_slugs": slugs.iter().take(PRIMARY).collect::<Vec<_>>(),
            "related_tool_slugs": slugs.iter().skip(PRIMARY).take(RELATED).collect::<Vec<_>>(),
            "toolkits": own,
            "error": slugs.is_empty().then_some(nothing),
        }));
    }
    let failed = results.iter().filter(|it| !it["error"].is_null()).count();
    let now = world.clock.now();
    Ok(json!({
        "success": failed == 0,
        "error": (failed > 0).then(|| format!("{failed} of {} searches found nothing", results.len())),
        "results": results,
        "tool_schemas": schemas,
        "toolkit_connection_statuses": toolkits.iter().map(|toolkit| json!({
            "toolkit": toolkit.slug(),
            "description": toolkit.description(),
            "has_active_connection": true,
            "status_message": "Connected: execute the tools.",
        })).collect::<Vec<_>>(),
        "next_steps_guidance": ["Every toolkit is connected: execute the tools that you need."],
        "session": {
            "id": id,
            "generate_id": false,
            "instructions": "Pass this id as `session_id` to further calls, or leave it out.",
        },
        "time_info": {
            "current_time_utc": now.to_string(),
            "current_time_utc_epoch_seconds": now.as_second(),
            "message": format!("The account's time zone is {}.", world.account.time_zone),
        },
    }))
}

/// A tool as a search shows it.
pub(super) fn schema(tool: &Tool) -> Value {
    json!({
        "tool_slug": tool.slug,
        "toolkit": tool.toolkit.slug(),
        "description": tool.description(),
        "hasFullSchema": true,
        "input_schema": Value::Object(tool.schema().as_ref().clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tool::offered;
    use crate::world::SeedOptions;

    #[test]
    fn use_cases_find_their_tools() {
        let options = SeedOptions {
            services: vec!["google".into(), "github".into(), "notion".into()],
            ..SeedOptions::default()
        };
        let start = "2026-03-02T09:00:00Z".parse().unwrap();
        let world = World::unseeded(start, &options).unwrap();
        let tools: Vec<_> = offered(&world).collect();
        for (use_case, slug) in [
            ("send an email to the team", "GMAIL_SEND_EMAIL"),
            ("reply to a thread", "GMAIL_REPLY_TO_THREAD"),
            ("open a pull request", "GITHUB_CREATE_A_PULL_REQUEST"),
            ("commit several files", "GITHUB_COMMIT_MULTIPLE_FILES"),
            (
                "query a Notion database",
                "NOTION_QUERY_DATABASE_WITH_FILTER",
            ),
        ] {
            let found = best(&tools, use_case);
            let first: Vec<_> = found.iter().take(PRIMARY).map(|tool| tool.slug).collect();
            assert!(first.contains(&slug), "{use_case}: {first:?}");
        }
        assert!(best(&tools, "the and").is_empty());
        let long = "ü".repeat(100_000);
        assert!(best(&tools, &long).is_empty());
    }
}
