//! Blocks as models give them: a text with a kind, or a whole block of Notion's.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::mcp::arguments::{listed, nearest, shown};
use crate::mcp::tool::Problem;

/// Longest run of a text, in UTF-16 code units, as Notion counts.
const RUN: usize = 2000;

/// Kinds of blocks that are a text.
const TEXTS: &[&str] = &[
    "paragraph",
    "heading_1",
    "heading_2",
    "heading_3",
    "bulleted_list_item",
    "numbered_list_item",
    "to_do",
    "toggle",
    "quote",
    "callout",
    "code",
];
/// What a short block may say.
const SHORT: &[&str] = &[
    "content",
    "block_property",
    "bold",
    "italic",
    "strikethrough",
    "underline",
    "code",
    "link",
    "checked",
    "language",
];

/// Short, as `{"content": "Fixed.", "block_property": "bulleted_list_item"}`, or
/// whole as in Notion's interface. Kinds of short ones: `paragraph`, `heading_1` to
/// `heading_3`, `bulleted_list_item`, `numbered_list_item`, `to_do` (with
/// `checked`), `toggle`, `quote`, `callout`, `code` (with `language`); all of the
/// text can have `bold`, `italic`, `strikethrough`, `underline`, `code` and a
/// `link`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Block(Map<String, Value>);

/// Blocks as Notion takes them. `argument` is where they came from, `usual` the
/// kind of short ones that name none.
pub(super) fn blocks(
    argument: &str,
    blocks: Vec<Block>,
    usual: &'static str,
) -> Result<Vec<Value>, Problem> {
    if blocks.is_empty() {
        return Err(Problem::new(format!(
            "`{argument}` is empty: give at least one block."
        )));
    }
    let all = blocks.into_iter().enumerate();
    all.map(|(index, block)| {
        notion(block.0, usual)
            .map_err(|text| Problem::new(format!("`{argument}[{index}]`: {text}")))
    })
    .collect()
}

fn notion(mut block: Map<String, Value>, usual: &str) -> Result<Value, String> {
    // Some clients wrap every block.
    if block.len() == 1
        && let Some(Value::Object(inner)) = block.get_mut("content_block")
    {
        block = std::mem::take(inner);
    }
    if block.contains_key("type") || !block.contains_key("content") {
        return whole(block);
    }
    if let Some(name) = block.keys().find(|name| !SHORT.contains(&name.as_str())) {
        let like = nearest(name, SHORT.iter().copied());
        let like = like.map_or_else(String::new, |like| format!(" Did you mean `{like}`?"));
        return Err(format!(
            "a short block has no `{}`.{like} It takes {}.",
            shown(name),
            listed(SHORT)
        ));
    }
    let kind = text_in(&block, "block_property")?.unwrap_or(usual);
    if !TEXTS.contains(&kind) {
        return Err(format!(
            "`block_property` is `{}`, and must be {}; other blocks are given whole, with `type`.",
            shown(kind),
            listed(TEXTS)
        ));
    }
    let content = text_in(&block, "content")?.unwrap_or_default();
    let mut annotations = Map::new();
    for name in ["bold", "italic", "strikethrough", "underline", "code"] {
        if let Some(is) = flag_in(&block, name)? {
            annotations.insert(name.to_owned(), is.into());
        }
    }
    let link = text_in(&block, "link")?;
    let mut inner = json!({"rich_text": rich_text(content, link, &annotations)});
    if let Some(checked) = flag_in(&block, "checked")?.or((kind == "to_do").then_some(false)) {
        inner["checked"] = checked.into();
    }
    if kind == "code" {
        let language = text_in(&block, "language")?;
        inner["language"] = language.unwrap_or("plain text").into();
    }
    Ok(json!({"object": "block", "type": kind, kind: inner}))
}

/// A block of Notion's own, with its type filled in where only its content says
/// it.
fn whole(mut block: Map<String, Value>) -> Result<Value, String> {
    if !block.contains_key("type") {
        let kind = block.keys().find(|name| *name != "object").cloned();
        let Some(kind) = kind.filter(|kind| block.get(kind).is_some_and(Value::is_object)) else {
            return Err(
                "give `content` (a text), or a whole block with `type` and its content under \
                 that name."
                    .to_owned(),
            );
        };
        block.insert("type".to_owned(), kind.into());
    }
    block.insert("object".to_owned(), "block".into());
    Ok(Value::Object(block))
}

fn text_in<'b>(block: &'b Map<String, Value>, name: &str) -> Result<Option<&'b str>, String> {
    match block.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` must be a text.")),
    }
}

fn flag_in(block: &Map<String, Value>, name: &str) -> Result<Option<bool>, String> {
    match block.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(is)) => Ok(Some(*is)),
        Some(_) => Err(format!("`{name}` must be true or false.")),
    }
}

/// A text as Notion's rich text, in runs that are short enough.
pub(super) fn rich_text(text: &str, link: Option<&str>, annotations: &Map<String, Value>) -> Value {
    let runs = runs(text).into_iter().map(|run| {
        let mut rich = json!({"type": "text", "text": {"content": run}});
        if let Some(link) = link {
            rich["text"]["link"] = json!({"url": link});
        }
        if !annotations.is_empty() {
            rich["annotations"] = Value::Object(annotations.clone());
        }
        rich
    });
    Value::Array(runs.collect())
}

fn runs(text: &str) -> Vec<&str> {
    let (mut runs, mut start, mut units) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        if units + c.len_utf16() > RUN {
            runs.extend(text.get(start..at));
            (start, units) = (at, 0);
        }
        units += c.len_utf16();
    }
    runs.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: Value) -> Result<Value, String> {
        notion(serde_json::from_value(value).unwrap(), "paragraph")
    }

    #[test]
    fn a_short_block_becomes_a_whole_one() {
        let block = of(json!({"content": "Done", "block_property": "to_do", "checked": true}));
        assert_eq!(
            block.unwrap(),
            json!({"object": "block", "type": "to_do", "to_do": {
                "rich_text": [{"type": "text", "text": {"content": "Done"}}], "checked": true,
            }})
        );
        let wrapped = of(json!({"content_block": {"content": "x", "bold": true}})).unwrap();
        assert_eq!(
            wrapped["paragraph"]["rich_text"][0]["annotations"]["bold"],
            true
        );
    }

    #[test]
    fn a_whole_block_stays_and_may_leave_out_its_type() {
        let block = of(json!({"divider": {}})).unwrap();
        assert_eq!(
            block,
            json!({"divider": {}, "type": "divider", "object": "block"})
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (block, words) in [
            (
                json!({"content": "x", "block_propert": "quote"}),
                "Did you mean `block_property`?",
            ),
            (
                json!({"content": "x", "block_property": "table"}),
                "given whole",
            ),
            (
                json!({"content": "x", "bold": "yes"}),
                "`bold` must be true or false",
            ),
            (json!({"content": 5}), "`content` must be a text"),
            (json!({}), "give `content`"),
            (json!({"paragraph": "x"}), "give `content`"),
        ] {
            let problem = of(block.clone()).unwrap_err();
            assert!(problem.contains(words), "{block}: {problem}");
        }
    }

    #[test]
    fn long_texts_are_runs_that_notion_takes() {
        let text = "ü𝄞".repeat(2000);
        let runs = runs(&text);
        assert!(runs.iter().all(|run| run.encode_utf16().count() <= RUN));
        assert_eq!(runs.concat(), text);
        assert_eq!(runs.len(), 4);
        assert!(super::runs("").is_empty());
    }
}
