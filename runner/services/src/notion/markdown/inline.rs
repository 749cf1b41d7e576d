//! The text of one block: from Markdown to rich text.

use pulldown_cmark::{Event, Options, Parser, Tag as Mark, TagEnd};

use super::tags::Tag;
use super::{Names, merged};
use crate::notion::accept::rich::{MAX_TEXT, is_date};
use crate::notion::rich::{Color, Date, Mention, Rich, Run, Style, What};

/// What keeps a text from being taken for a heading, list or tag: an escaped
/// full stop. It leaves the meaning of the marks after it alone.
const GUARD: &str = "\\.";

/// The rich text that a line of Markdown means.
pub(crate) fn inline(source: &str, names: &dyn Names) -> Rich {
    let source = source.trim();
    if source.is_empty() {
        return Rich::new();
    }
    let guarded = format!("{GUARD}{}", source.replace(['\n', '\r'], " "));
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
    let mut reader = Reader {
        names,
        rich: Rich::new(),
        style: Style::default(),
        link: None,
        quiet: false,
        open: Vec::new(),
        label: None,
    };
    for event in Parser::new_ext(&guarded, options) {
        reader.take(event);
    }
    reader.end();
    let mut rich = reader.rich;
    if let Some(Run {
        what: What::Text(text),
        ..
    }) = rich.first_mut()
        && let Some(rest) = text.strip_prefix('.')
    {
        *text = rest.to_owned();
    }
    split(linked(merged(&rich)))
}

/// A run that autolinking leaves alone: from here until it is split off.
const QUIET: char = '\u{f8ff}';

/// What has been opened and not yet closed, with what held before.
struct Opened {
    name: String,
    style: Style,
    link: Option<String>,
    quiet: bool,
}

struct Reader<'n> {
    names: &'n dyn Names,
    rich: Rich,
    style: Style,
    link: Option<String>,
    /// Whether addresses in the text stay text.
    quiet: bool,
    open: Vec<Opened>,
    /// The mention whose label is being read, with the label.
    label: Option<(Option<Mention>, &'static str, String)>,
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                let style = Style {
                    code: true,
                    ..self.style
                };
                self.push(What::Text(text.into_string()), style);
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.push(What::Equation(text.into_string()), self.style);
            }
            Event::InlineHtml(tag) | Event::Html(tag) => self.tag(&tag),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            Event::Start(Mark::Strong) => self.open("**", |style| style.bold = true),
            Event::End(TagEnd::Strong) => self.close("**"),
            Event::Start(Mark::Emphasis) => self.open("*", |style| style.italic = true),
            Event::End(TagEnd::Emphasis) => self.close("*"),
            Event::Start(Mark::Strikethrough) => {
                self.open("~~", |style| style.strikethrough = true);
            }
            Event::End(TagEnd::Strikethrough) => self.close("~~"),
            Event::Start(Mark::Link { dest_url, .. } | Mark::Image { dest_url, .. }) => {
                self.open("[", |_| {});
                self.link = Some(dest_url.into_string());
            }
            Event::End(TagEnd::Link | TagEnd::Image) => self.close("["),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, _, label)) = &mut self.label {
            label.push_str(text);
        } else if self.quiet && text.contains("http") {
            self.push(
                What::Text(text.replace("http", &format!("{QUIET}http"))),
                self.style,
            );
        } else {
            self.push(What::Text(text.to_owned()), self.style);
        }
    }

    fn push(&mut self, what: What, style: Style) {
        self.rich.push(Run {
            what,
            style,
            link: self.link.clone(),
        });
    }

    fn open(&mut self, name: &str, change: impl FnOnce(&mut Style)) {
        self.open.push(Opened {
            name: name.to_owned(),
            style: self.style,
            link: self.link.clone(),
            quiet: self.quiet,
        });
        change(&mut self.style);
    }

    fn close(&mut self, name: &str) {
        let Some(at) = self.open.iter().rposition(|opened| opened.name == name) else {
            return;
        };
        if let Some(opened) = self.open.drain(at..).next() {
            self.style = opened.style;
            self.link = opened.link;
            self.quiet = opened.quiet;
        }
    }

    fn tag(&mut self, html: &str) {
        if let Some(name) = html.strip_prefix("</") {
            let name = name.trim_end_matches('>').trim();
            match self.label.take() {
                Some((mention, known, label)) if known == name => self.mention(mention, label),
                Some(other) => self.label = Some(other),
                None if self.open.iter().any(|opened| opened.name == name) => self.close(name),
                None => self.text(html),
            }
            return;
        }
        let Some((tag, _)) = Tag::parse(html) else {
            self.text(html);
            return;
        };
        match tag.name {
            "br" => self.text("\n"),
            "span" => {
                let color = tag.get("color").and_then(Color::of_markdown);
                let is_bare = tag.is_bare();
                self.open("span", |style| {
                    style.underline |= tag.is("underline");
                    style.color = color.unwrap_or(style.color);
                });
                self.quiet |= is_bare;
            }
            "u" => self.open("u", |style| style.underline = true),
            "b" | "strong" => self.open(tag.name, |style| style.bold = true),
            "i" | "em" => self.open(tag.name, |style| style.italic = true),
            "s" | "del" => self.open(tag.name, |style| style.strikethrough = true),
            "code" => self.open("code", |style| style.code = true),
            "equation" if tag.is_closed => {
                let expression = tag.get("expression").unwrap_or_default();
                self.push(What::Equation(expression.to_owned()), self.style);
            }
            _ => match mention_of(&tag, self.names) {
                Some((mention, _)) if tag.is_closed => {
                    let label = tag.get("url").or(tag.get("start")).unwrap_or_default();
                    self.mention(mention, label.to_owned());
                }
                Some((mention, name)) => self.label = Some((mention, name, String::new())),
                None => self.text(html),
            },
        }
    }

    /// A mention; of what is not there only the label is left.
    fn mention(&mut self, mention: Option<Mention>, label: String) {
        match mention {
            Some(mention) => self.push(What::Mention(mention), self.style),
            None => self.push(What::Text(label), self.style),
        }
    }

    fn end(&mut self) {
        if let Some((mention, _, label)) = self.label.take() {
            self.mention(mention, label);
        }
    }
}

/// The mention that a tag is, with the name of the tag.
fn mention_of(tag: &Tag<'_>, names: &dyn Names) -> Option<(Option<Mention>, &'static str)> {
    let url = tag.get("url").unwrap_or_default();
    Some(match tag.name {
        "mention-user" => (names.user(url).map(Mention::User), "mention-user"),
        "mention-page" => (page(names, url), "mention-page"),
        "mention-database" => (page(names, url), "mention-database"),
        "mention-data-source" => (page(names, url), "mention-data-source"),
        "mention-date" => (date(tag).map(Mention::Date), "mention-date"),
        _ => return None,
    })
}

fn page(names: &dyn Names, url: &str) -> Option<Mention> {
    let id = names.page(url)?;
    Some(if names.is_database(id) {
        Mention::Database(id)
    } else {
        Mention::Page(id)
    })
}

fn date(tag: &Tag<'_>) -> Option<Date> {
    let moment = |day: &str, time: &str| {
        let day = tag.get(day)?;
        let text = match tag.get(time) {
            Some(time) => format!("{day}T{time}:00"),
            None => day.to_owned(),
        };
        is_date(&text).then_some(text)
    };
    Some(Date {
        start: moment("start", "startTime")?,
        end: moment("end", "endTime"),
        time_zone: tag.get("timeZone").map(str::to_owned),
    })
}

/// Addresses in a text become links.
fn linked(rich: Rich) -> Rich {
    let mut linked = Rich::new();
    for run in rich {
        let is_candidate = run.link.is_none() && !run.style.code;
        match &run.what {
            What::Text(text) if is_candidate && text.contains("http") => {
                link_text(&run, text, &mut linked);
            }
            _ => linked.push(run),
        }
    }
    linked
}

fn link_text(run: &Run, text: &str, linked: &mut Rich) {
    let mut push = |text: &str, link: Option<&str>| {
        let text = text.replace(&format!("{QUIET}http"), "http");
        if !text.is_empty() {
            linked.push(Run {
                what: What::Text(text),
                style: run.style,
                link: link.map(str::to_owned),
            });
        }
    };
    let mut done = 0;
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("http")) {
        let at = from + at;
        from = at + 4;
        let before = text.get(..at).and_then(|it| it.chars().next_back());
        if before.is_some_and(|c| c.is_alphanumeric() || c == QUIET) {
            continue;
        }
        let Some(length) = text.get(at..).and_then(url_length) else {
            continue;
        };
        let (Some(plain), Some(url)) = (text.get(done..at), text.get(at..at + length)) else {
            continue;
        };
        push(plain, None);
        push(url, Some(url));
        done = at + length;
        from = done;
    }
    push(text.get(done..).unwrap_or_default(), None);
}

/// Length of the address that a text begins with, in bytes.
fn url_length(text: &str) -> Option<usize> {
    let prefix = ["https://", "http://"]
        .into_iter()
        .find(|prefix| text.starts_with(prefix))?;
    let ends = |c: char| c.is_whitespace() || c.is_control() || "<>\"`".contains(c);
    let mut url = text.get(..text.find(ends).unwrap_or(text.len()))?;
    loop {
        let last = url.chars().next_back()?;
        let is_open = last == ')' && url.matches(')').count() > url.matches('(').count();
        if is_open || ".,;:!?'*_".contains(last) {
            url = url.get(..url.len() - 1)?;
        } else {
            break;
        }
    }
    (url.len() > prefix.len()).then_some(url.len())
}

/// Runs as long as the API takes them.
fn split(rich: Rich) -> Rich {
    let mut parts = Rich::new();
    for run in rich {
        match &run.what {
            What::Text(text) if text.len() > MAX_TEXT => {
                for part in chunks(text) {
                    parts.push(Run {
                        what: What::Text(part),
                        ..run.clone()
                    });
                }
            }
            _ => parts.push(run),
        }
    }
    parts
}

/// A text in parts of at most [`MAX_TEXT`] UTF-16 units.
pub(super) fn chunks(text: &str) -> Vec<String> {
    let mut chunks = Vec::new();
    let (mut chunk, mut units) = (String::new(), 0);
    for c in text.chars() {
        if units + c.len_utf16() > MAX_TEXT {
            chunks.push(std::mem::take(&mut chunk));
            units = 0;
        }
        chunk.push(c);
        units += c.len_utf16();
    }
    if !chunk.is_empty() {
        chunks.push(chunk);
    }
    chunks
}
