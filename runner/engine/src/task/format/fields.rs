//! Reading a mapping key by key: the type of every value is checked with the
//! key's full name and line at hand, and what nobody asked for is left over.

use serde_json::Value as Json;

use super::yaml::{Entry, Node, Value};
use super::{At, FormatError, Place, Problem};
use crate::task::warning::{Warning, WarningKind, nearest};

/// A mapping being read.
pub(super) struct Fields<'a> {
    file: &'a str,
    /// Keys above this mapping: `proctor.limits`; empty at the top.
    above: String,
    line: u64,
    entries: &'a [Entry],
    asked: Vec<&'static str>,
}

/// One value with its name and line.
pub(super) struct Field<'a> {
    file: &'a str,
    name: String,
    line: u64,
    value: &'a Value,
}

impl<'a> Fields<'a> {
    /// The mapping at the top of a front matter.
    pub(super) fn top(file: &'a str, root: &'a Node) -> Result<Self, FormatError> {
        let field = Field {
            file,
            name: "front matter".to_owned(),
            line: root.line,
            value: &root.value,
        };
        let mut fields = field.mapping("`key: value` lines")?;
        fields.above.clear();
        Ok(fields)
    }

    /// The value of `key`, where it has one. `key:` without a value is as good
    /// as no key.
    pub(super) fn optional(&mut self, key: &'static str) -> Option<Field<'a>> {
        self.asked.push(key);
        self.entries
            .iter()
            .find(|entry| entry.key == key && entry.node.value != Value::Null)
            .map(|entry| self.field(entry))
    }

    /// The value of `key`.
    pub(super) fn required(
        &mut self,
        key: &'static str,
        expected: &str,
    ) -> Result<Field<'a>, FormatError> {
        self.optional(key).ok_or_else(|| FormatError {
            place: self.place(self.line),
            problem: Problem::MissingKey {
                key: self.full(key),
                expected: expected.to_owned(),
            },
        })
    }

    /// Warns about every key that nobody asked for, and returns those keys.
    pub(super) fn rest(self, warnings: &mut Vec<Warning>) -> Vec<(String, Json)> {
        let mut rest = Vec::new();
        for entry in self.entries {
            if self.asked.contains(&entry.key.as_str()) {
                continue;
            }
            let nearest = nearest(&entry.key, self.asked.iter().copied()).map(|key| self.full(key));
            warnings.push(Warning {
                place: self.place(entry.line),
                kind: WarningKind::UnknownKey {
                    key: self.full(super::excerpt(&entry.key).as_ref()),
                    nearest,
                    more: 0,
                },
            });
            rest.push((entry.key.clone(), entry.node.value.to_json()));
        }
        rest
    }

    fn full(&self, key: &str) -> String {
        if self.above.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.above)
        }
    }

    fn place(&self, line: u64) -> Place {
        Place {
            file: self.file.to_owned(),
            line: Some(line),
        }
    }

    fn field(&self, entry: &'a Entry) -> Field<'a> {
        Field {
            file: self.file,
            name: self.full(&entry.key),
            line: entry.line,
            value: &entry.node.value,
        }
    }
}

impl<'a> Field<'a> {
    /// Line of the key, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The full name of the key.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The value together with its line.
    pub(super) fn at<T>(&self, value: T) -> At<T> {
        At {
            value,
            line: self.line,
        }
    }

    /// An error about this value: not what was `expected`.
    pub(super) fn not(&self, expected: impl Into<String>) -> FormatError {
        self.error(Problem::Value {
            key: self.name.clone(),
            found: self.value.describe(),
            expected: expected.into(),
        })
    }

    /// An error at this value.
    pub(super) fn error(&self, problem: Problem) -> FormatError {
        FormatError {
            place: Place {
                file: self.file.to_owned(),
                line: Some(self.line),
            },
            problem,
        }
    }

    /// A warning at this value.
    pub(super) fn warning(&self, kind: WarningKind) -> Warning {
        Warning {
            place: Place {
                file: self.file.to_owned(),
                line: Some(self.line),
            },
            kind,
        }
    }

    /// Text. Numbers and booleans are refused: YAML has already lost how they
    /// were written.
    pub(super) fn text(&self, expected: &str) -> Result<&'a str, FormatError> {
        match self.value {
            Value::Text(text) => Ok(text),
            Value::Bool(_) | Value::Whole(_) | Value::Number(_) => {
                Err(self.not(format!("{expected} (put it in quotes to make it text)")))
            }
            _ => Err(self.not(expected)),
        }
    }

    /// Text, if it is text at all.
    pub(super) fn bare_text(&self) -> Option<&'a str> {
        match self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Text that is one line and not blank.
    pub(super) fn line_of_text(&self, expected: &str) -> Result<&'a str, FormatError> {
        let text = self.text(expected)?.trim();
        if text.is_empty() || text.contains(char::is_control) || text.len() > 1_000 {
            return Err(self.not(expected));
        }
        Ok(text)
    }

    /// A whole number within bounds. `300.0` counts as 300.
    pub(super) fn whole(&self, min: u64, max: u64, expected: &str) -> Result<u64, FormatError> {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "guarded: whole, not negative, and below 2^53"
        )]
        let number = match self.value {
            Value::Whole(number) => u64::try_from(*number).ok(),
            Value::Number(number) if number.fract() == 0.0 && (0.0..9e15).contains(number) => {
                Some(*number as u64)
            }
            _ => None,
        };
        number
            .filter(|number| (min..=max).contains(number))
            .ok_or_else(|| self.not(format!("{expected}, {min} to {max}")))
    }

    /// A finite number that is not negative.
    pub(super) fn number(&self, expected: &str) -> Result<f64, FormatError> {
        #[allow(clippy::cast_precision_loss, reason = "points and weights are small")]
        let number = match self.value {
            Value::Whole(number) => *number as f64,
            Value::Number(number) => *number,
            _ => return Err(self.not(expected)),
        };
        if number.is_finite() && number >= 0.0 {
            Ok(number)
        } else {
            Err(self.not(expected))
        }
    }

    /// `true` or `false`.
    pub(super) fn boolean(&self) -> Result<bool, FormatError> {
        match self.value {
            Value::Bool(value) => Ok(*value),
            _ => Err(self.not("`true` or `false`")),
        }
    }

    /// The items of a list, at most `max`. Items are named by their number,
    /// from 1: `probes[2]`.
    pub(super) fn list(&self, max: usize, expected: &str) -> Result<Vec<Field<'a>>, FormatError> {
        let Value::List(items) = self.value else {
            return Err(self.not(expected));
        };
        if items.len() > max {
            return Err(self.not(format!("at most {max} entries")));
        }
        Ok(items
            .iter()
            .enumerate()
            .map(|(index, item)| Field {
                file: self.file,
                name: format!("{}[{}]", self.name, index + 1),
                line: item.line,
                value: &item.value,
            })
            .collect())
    }

    /// A mapping.
    pub(super) fn mapping(&self, expected: &str) -> Result<Fields<'a>, FormatError> {
        let Value::Map(entries) = self.value else {
            return Err(self.not(expected));
        };
        Ok(Fields {
            file: self.file,
            above: self.name.clone(),
            line: self.line,
            entries,
            asked: Vec::new(),
        })
    }
}
