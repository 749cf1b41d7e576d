//! Files that an agent finds in its home: its configuration.

use proctor_types::ModelApi;
use serde_json::{Map, Value};

use super::template::{Template, UnknownPlaceholder, Values};

/// A file that is written before the agent starts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FileTemplate {
    pub(super) path: Template,
    pub(super) contents: Contents,
    /// Only with a model of one of these; with any where empty.
    pub(super) apis: Vec<ModelApi>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Contents {
    Text(Template),
    Json(Node),
    Toml(Node),
}

/// A value of a JSON or TOML file.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Text(Template),
    Fixed(Value),
    List(Vec<Node>),
    Table(Vec<(Template, Node)>),
}

/// Why a value cannot be in such a file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum NodeError {
    #[error(transparent)]
    Placeholder(#[from] UnknownPlaceholder),
    #[error("dates and times cannot be values here: write a string")]
    Date,
    #[error("{0} is no number that JSON has")]
    Number(f64),
}

impl Node {
    pub(super) fn table(table: &toml::Table) -> Result<Self, NodeError> {
        let entries = table.iter().map(|(key, value)| {
            let key = Template::parse(key)?;
            Ok((key, Self::of(value)?))
        });
        Ok(Self::Table(entries.collect::<Result<_, NodeError>>()?))
    }

    fn of(value: &toml::Value) -> Result<Self, NodeError> {
        Ok(match value {
            toml::Value::String(text) => Self::Text(Template::parse(text)?),
            toml::Value::Integer(number) => Self::Fixed((*number).into()),
            toml::Value::Float(number) => {
                let number =
                    serde_json::Number::from_f64(*number).ok_or(NodeError::Number(*number))?;
                Self::Fixed(Value::Number(number))
            }
            toml::Value::Boolean(flag) => Self::Fixed((*flag).into()),
            toml::Value::Datetime(_) => return Err(NodeError::Date),
            toml::Value::Array(list) => {
                Self::List(list.iter().map(Self::of).collect::<Result<_, _>>()?)
            }
            toml::Value::Table(table) => Self::table(table)?,
        })
    }

    /// The value; `None` where a placeholder in it has none.
    fn render(&self, values: &Values) -> Option<Value> {
        Some(match self {
            Self::Text(template) => {
                let text = template.render(values)?;
                match text.parse::<u64>() {
                    Ok(number) if template.is_number() => number.into(),
                    _ => Value::String(text),
                }
            }
            Self::Fixed(value) => value.clone(),
            Self::List(list) => Value::Array(
                list.iter()
                    .map(|node| node.render(values))
                    .collect::<Option<_>>()?,
            ),
            Self::Table(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, node)| Some((key.render(values)?, node.render(values)?)));
                Value::Object(entries.collect::<Option<Map<_, _>>>()?)
            }
        })
    }

    fn templates(&self) -> Box<dyn Iterator<Item = &Template> + '_> {
        match self {
            Self::Text(template) => Box::new(std::iter::once(template)),
            Self::Fixed(_) => Box::new(std::iter::empty()),
            Self::List(list) => Box::new(list.iter().flat_map(Self::templates)),
            Self::Table(entries) => Box::new(
                entries
                    .iter()
                    .flat_map(|(key, node)| std::iter::once(key).chain(node.templates())),
            ),
        }
    }
}

/// A file's contents with everything put in.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Made {
    Text(String),
    Json(Value),
    Toml(Value),
}

impl FileTemplate {
    /// Its path and contents; `None` where a placeholder has no value, or the
    /// file is for another API.
    pub(super) fn render(&self, values: &Values, api: Option<ModelApi>) -> Option<(String, Made)> {
        if !self.apis.is_empty() && !api.is_some_and(|api| self.apis.contains(&api)) {
            return None;
        }
        let contents = match &self.contents {
            Contents::Text(template) => Made::Text(template.render(values)?),
            Contents::Json(node) => Made::Json(node.render(values)?),
            Contents::Toml(node) => Made::Toml(node.render(values)?),
        };
        Some((self.path.render(values)?, contents))
    }

    pub(super) fn templates(&self) -> impl Iterator<Item = &Template> {
        let contents: Box<dyn Iterator<Item = &Template>> = match &self.contents {
            Contents::Text(template) => Box::new(std::iter::once(template)),
            Contents::Json(node) | Contents::Toml(node) => node.templates(),
        };
        std::iter::once(&self.path).chain(contents)
    }
}

impl Made {
    /// Adds what another entry says of the same file. Tables are joined, other
    /// values replaced, texts appended.
    pub(super) fn merge(&mut self, other: Self) {
        match (self, other) {
            (Self::Text(text), Self::Text(more)) => text.push_str(&more),
            (Self::Json(value), Self::Json(more)) | (Self::Toml(value), Self::Toml(more)) => {
                join(value, more);
            }
            // The parser has seen to it that one file is of one kind.
            (this, other) => *this = other,
        }
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            Self::Text(text) => Ok(text.clone().into_bytes()),
            Self::Json(value) => {
                serde_json::to_vec_pretty(value).map_err(|error| error.to_string())
            }
            Self::Toml(value) => {
                let text = toml::to_string(value).map_err(|error| error.to_string())?;
                Ok(text.into_bytes())
            }
        }
    }
}

fn join(value: &mut Value, more: Value) {
    match (value, more) {
        (Value::Object(table), Value::Object(more)) => {
            for (key, more) in more {
                match table.get_mut(&key) {
                    Some(value) => join(value, more),
                    None => {
                        table.insert(key, more);
                    }
                }
            }
        }
        (value, more) => *value = more,
    }
}
