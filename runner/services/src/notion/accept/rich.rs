//! Rich text in requests.

use jiff::Timestamp;
use jiff::civil;
use serde_json::{Map, Value};

use super::{
    At, Bad, Checked, few, flag, id, object, optional, required, short, string, url, word,
};
use crate::notion::rich::{COLORS, Color, Date, Mention, Rich, Run, Style, What};

/// Longest text of a run, in UTF-16 units.
pub(crate) const MAX_TEXT: usize = 2000;
/// Most runs of one rich text.
const MAX_RUNS: usize = 100;
/// Longest equation, in UTF-16 units.
const MAX_EQUATION: usize = 1000;

/// The title of a page or database: not longer than one text.
pub(crate) fn title(value: &Value, at: &At<'_>) -> Checked<Rich> {
    let title = rich(value, at)?;
    let length = title_length(&title);
    if length > MAX_TEXT {
        let what = format!("\u{2264} `{MAX_TEXT}`");
        return Err(at.key("length").wrong(&what, Some(&length.into())));
    }
    Ok(title)
}

/// Length of a title, in UTF-16 units.
pub(crate) fn title_length(title: &Rich) -> usize {
    let lengths = title.iter().map(|run| match &run.what {
        What::Text(text) | What::Equation(text) => text.encode_utf16().count(),
        What::Mention(_) => 0,
    });
    lengths.sum()
}

/// A rich text.
pub(crate) fn rich(value: &Value, at: &At<'_>) -> Checked<Rich> {
    few(value, MAX_RUNS, at)?
        .iter()
        .enumerate()
        .map(|(n, value)| run(value, &at.item(n)))
        .collect()
}

fn run(value: &Value, at: &At<'_>) -> Checked<Run> {
    let map = object(value, at)?;
    let kinds = ["text", "mention", "equation"];
    if let Some(kind) = map.get("type") {
        let kind = word(kind, &kinds, &at.key("type"))?;
        required(map, kind, at)?;
    }
    let style = match optional(map, "annotations") {
        Some(value) => style(value, &at.key("annotations"))?,
        None => Style::default(),
    };
    let mut link = None;
    let what = if let Some(text) = map.get("text") {
        let at = at.key("text");
        let text = object(text, &at)?;
        let content = required(text, "content", &at)?;
        let content = short(content, MAX_TEXT, &at.key("content"))?;
        if let Some(value) = optional(text, "link") {
            let at = at.key("link");
            let address = required(object(value, &at)?, "url", &at)?;
            link = Some(url(address, &at.key("url"))?.to_owned());
        }
        What::Text(content.to_owned())
    } else if let Some(value) = map.get("mention") {
        What::Mention(mention(value, &at.key("mention"))?)
    } else if let Some(value) = map.get("equation") {
        let at = at.key("equation");
        let expression = required(object(value, &at)?, "expression", &at)?;
        What::Equation(short(expression, MAX_EQUATION, &at.key("expression"))?.to_owned())
    } else {
        return Err(Bad::either(kinds.map(|kind| at.key(kind).missing())));
    };
    Ok(Run { what, style, link })
}

fn style(value: &Value, at: &At<'_>) -> Checked<Style> {
    let map = object(value, at)?;
    let is = |name| flag(map, name, at).map(|flag| flag == Some(true));
    Ok(Style {
        bold: is("bold")?,
        italic: is("italic")?,
        strikethrough: is("strikethrough")?,
        underline: is("underline")?,
        code: is("code")?,
        color: color(map, at)?.unwrap_or_default(),
    })
}

/// The colour that an object says, where it says one.
pub(crate) fn color(map: &Map<String, Value>, at: &At<'_>) -> Checked<Option<Color>> {
    let Some(value) = optional(map, "color") else {
        return Ok(None);
    };
    word(value, &COLORS, &at.key("color")).map(Color::parse)
}

fn mention(value: &Value, at: &At<'_>) -> Checked<Mention> {
    let map = object(value, at)?;
    let of = |name| {
        let value = optional(map, name)?;
        let at = at.key(name);
        let inner = object(value, &at).and_then(|inner| {
            let value = required(inner, "id", &at)?;
            id(value, &at.key("id"))
        });
        Some(inner)
    };
    if let Some(id) = of("user") {
        return id.map(Mention::User);
    }
    if let Some(id) = of("page") {
        return id.map(Mention::Page);
    }
    if let Some(id) = of("database").or_else(|| of("data_source")) {
        return id.map(Mention::Database);
    }
    if let Some(value) = optional(map, "date") {
        return date(value, &at.key("date")).map(Mention::Date);
    }
    let kinds = ["user", "page", "database", "date"];
    Err(Bad::either(kinds.map(|kind| at.key(kind).missing())))
}

/// A date: `start`, `end`, `time_zone`.
pub(crate) fn date(value: &Value, at: &At<'_>) -> Checked<Date> {
    let map = object(value, at)?;
    let moment = |key| -> Checked<Option<String>> {
        let Some(value) = optional(map, key) else {
            return Ok(None);
        };
        let at = at.key(key);
        let text = string(value, &at)?;
        if is_date(text) {
            return Ok(Some(text.to_owned()));
        }
        Err(at.wrong("a valid ISO 8601 date string", Some(value)))
    };
    let start = moment("start")?.ok_or_else(|| at.key("start").missing())?;
    let time_zone = optional(map, "time_zone");
    let zone_at = at.key("time_zone");
    let time_zone = time_zone.map(|value| {
        let name = string(value, &zone_at)?;
        match jiff::tz::TimeZone::get(name) {
            Ok(_) => Ok(name.to_owned()),
            Err(_) => Err(zone_at.wrong("a valid IANA time zone", Some(value))),
        }
    });
    Ok(Date {
        start,
        end: moment("end")?,
        time_zone: time_zone.transpose()?,
    })
}

/// Whether a text is a day or a moment as ISO 8601 writes it.
pub(crate) fn is_date(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && (text.parse::<Timestamp>().is_ok() || text.parse::<civil::DateTime>().is_ok())
}
