//! Rich text: runs of text, mentions and equations with their style.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Value, json};

use super::id::Id;
use super::store::Notion;

/// Text as Notion keeps it.
pub(crate) type Rich = Vec<Run>;

/// A stretch of one style.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) what: What,
    #[serde(default, skip_serializing_if = "Style::is_plain")]
    pub(crate) style: Style,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<String>,
}

/// What a run consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    Text(String),
    Equation(String),
    Mention(Mention),
}

/// What a run mentions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mention {
    User(Id),
    Page(Id),
    Database(Id),
    Date(Date),
}

/// A day or moment, or a span of them, as ISO 8601 writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Date {
    pub(crate) start: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) time_zone: Option<String>,
}

/// How a run looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent switches, as the API has them"
)]
pub(crate) struct Style {
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) strikethrough: bool,
    pub(crate) underline: bool,
    pub(crate) code: bool,
    pub(crate) color: Color,
}

/// A colour of text or of its background.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Color(u8);

/// Colours of text in the order of the reference; each but the first comes as a
/// background, too.
pub(crate) const COLORS: [&str; 20] = [
    "default",
    "gray",
    "brown",
    "orange",
    "yellow",
    "green",
    "blue",
    "purple",
    "pink",
    "red",
    "default_background",
    "gray_background",
    "brown_background",
    "orange_background",
    "yellow_background",
    "green_background",
    "blue_background",
    "purple_background",
    "pink_background",
    "red_background",
];

impl Color {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let at = COLORS.iter().position(|known| *known == name)?;
        u8::try_from(at).ok().map(Self)
    }

    /// By the name that Markdown has for it: `blue_bg` for `blue_background`.
    pub(crate) fn of_markdown(name: &str) -> Option<Self> {
        match name.strip_suffix("_bg") {
            Some(color) => Self::parse(&format!("{color}_background")),
            None => Self::parse(name),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        COLORS
            .get(usize::from(self.0))
            .copied()
            .unwrap_or("default")
    }

    pub(crate) fn markdown(self) -> String {
        self.name().replace("_background", "_bg")
    }

    pub(crate) fn is_default(self) -> bool {
        self.0 == 0
    }
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::parse(&name).ok_or_else(|| de::Error::custom("expected a colour"))
    }
}

impl Style {
    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde calls it with a reference"
    )]
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    fn json(self) -> Value {
        json!({
            "bold": self.bold,
            "italic": self.italic,
            "strikethrough": self.strikethrough,
            "underline": self.underline,
            "code": self.code,
            "color": self.color.name(),
        })
    }
}

impl Run {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self {
            what: What::Text(text.into()),
            style: Style::default(),
            link: None,
        }
    }
}

/// Unstyled text; no run for no text.
pub(crate) fn plain(text: &str) -> Rich {
    if text.is_empty() {
        Rich::new()
    } else {
        vec![Run::text(text)]
    }
}

impl Date {
    pub(crate) fn json(&self) -> Value {
        json!({"start": self.start, "end": self.end, "time_zone": self.time_zone})
    }

    pub(crate) fn text(&self) -> String {
        match &self.end {
            Some(end) => format!("{} \u{2192} {end}", self.start),
            None => self.start.clone(),
        }
    }
}

impl Notion {
    /// The text without style; mentions by what they are called now.
    pub(crate) fn plain(&self, rich: &[Run]) -> String {
        rich.iter().map(|run| self.plain_run(run)).collect()
    }

    fn plain_run(&self, run: &Run) -> String {
        match &run.what {
            What::Text(text) | What::Equation(text) => text.clone(),
            What::Mention(Mention::User(id)) => {
                let name = self.user(*id).map_or("Anonymous", |user| &user.name);
                format!("@{name}")
            }
            What::Mention(Mention::Page(id) | Mention::Database(id)) => {
                let title = self.title(*id).unwrap_or_default();
                if title.is_empty() {
                    "Untitled".to_owned()
                } else {
                    title
                }
            }
            What::Mention(Mention::Date(date)) => date.text(),
        }
    }

    /// Rich text as the API serves it.
    pub(crate) fn rich_json(&self, rich: &[Run]) -> Value {
        rich.iter().map(|run| self.run_json(run)).collect()
    }

    fn run_json(&self, run: &Run) -> Value {
        let mut href = run.link.clone();
        let (kind, inner) = match &run.what {
            What::Text(text) => {
                let link = run.link.as_ref().map(|url| json!({"url": url}));
                ("text", json!({"content": text, "link": link}))
            }
            What::Equation(expression) => ("equation", json!({"expression": expression})),
            What::Mention(mention) => {
                let inner = match mention {
                    Mention::User(id) => {
                        json!({"type": "user", "user": {"object": "user", "id": id}})
                    }
                    Mention::Page(id) => {
                        href = href.or_else(|| Some(self.url(*id)));
                        json!({"type": "page", "page": {"id": id}})
                    }
                    Mention::Database(id) => {
                        href = href.or_else(|| Some(self.url(*id)));
                        json!({"type": "database", "database": {"id": id}})
                    }
                    Mention::Date(date) => json!({"type": "date", "date": date.json()}),
                };
                ("mention", inner)
            }
        };
        let mut value = json!({"type": kind});
        value[kind] = inner;
        value["annotations"] = run.style.json();
        value["plain_text"] = self.plain_run(run).into();
        value["href"] = href.into();
        value
    }
}
