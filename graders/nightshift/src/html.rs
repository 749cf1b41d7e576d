//! The text of a mail's HTML, line by line as a reader sees it.

/// Elements that a line of their own begins and ends.
const BLOCKS: &[&str] = &[
    "p", "div", "br", "tr", "ul", "ol", "table", "pre", "section", "hr",
];
/// Elements whose content nobody sees.
const UNSEEN: &[&str] = &["script", "style", "head", "title"];
/// Elements that have no end.
const VOID: &[&str] = &["br", "hr", "img", "input", "meta", "link", "wbr", "col"];

/// The text without what it quotes and what its style hides, with `- ` before the items of lists, `#` before headings and the
/// addresses of links behind their texts.
pub(crate) fn text_of(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    let mut link = String::new();
    while let Some(at) = rest.find('<') {
        push_text(&mut text, &rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.find("-->").map_or("", |end| &after[end + 3..]);
            continue;
        }
        let Some(end) = rest.find('>') else {
            return text;
        };
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        let closes = tag.starts_with('/');
        let name = tag.trim_start_matches('/');
        let name = name
            .split(|char: char| !char.is_ascii_alphanumeric())
            .next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        if !closes && (is_quote(&name, tag) || is_hidden(tag)) && !VOID.contains(&name.as_str()) {
            rest = behind(&name, rest);
            new_line(&mut text);
        } else if UNSEEN.contains(&name.as_str()) && !closes {
            let close = format!("</{name}");
            let lower = rest.to_ascii_lowercase();
            rest = lower.find(&close).map_or("", |end| &rest[end..]);
        } else if name == "li" && !closes {
            new_line(&mut text);
            text.push_str("- ");
        } else if is_heading(&name) {
            new_line(&mut text);
            text.push_str(if closes { "\n" } else { "# " });
        } else if name == "a" {
            if closes && !link.is_empty() {
                text.push_str(" (");
                text.push_str(&std::mem::take(&mut link));
                text.push(')');
            } else {
                link = address(tag);
            }
        } else if BLOCKS.contains(&name.as_str()) || name == "li" {
            new_line(&mut text);
            if name == "p" {
                text.push('\n');
            }
        } else if name == "td" || name == "th" {
            text.push(' ');
        }
    }
    push_text(&mut text, rest);
    text.trim().to_owned()
}

/// Whether an element quotes another mail, or a text.
fn is_quote(name: &str, tag: &str) -> bool {
    name == "blockquote" || tag.contains("gmail_quote")
}

/// Whether nobody sees what is in an element.
fn is_hidden(tag: &str) -> bool {
    let plain: String = tag
        .split_whitespace()
        .collect::<String>()
        .to_ascii_lowercase();
    let styles = [
        "display:none",
        "visibility:hidden",
        "font-size:0;",
        "font-size:0\"",
        "font-size:0px",
    ];
    let attribute = tag.split_whitespace().skip(1).any(|word| word == "hidden");
    attribute || styles.iter().any(|style| plain.contains(style))
}

/// What follows the end of an element, others of its name inside it included.
fn behind<'h>(name: &str, html: &'h str) -> &'h str {
    let mut depth = 1_usize;
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let tag = &rest[at + 1..];
        let closes = tag.starts_with('/');
        let inner = tag.trim_start_matches('/');
        let end = inner.find(|char: char| !char.is_ascii_alphanumeric());
        let is = inner[..end.unwrap_or(inner.len())].eq_ignore_ascii_case(name);
        rest = tag.find('>').map_or("", |end| &tag[end + 1..]);
        match (is, closes) {
            (true, true) => depth -= 1,
            (true, false) => depth += 1,
            _ => {}
        }
        if depth == 0 {
            return rest;
        }
    }
    ""
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

fn new_line(text: &mut String) {
    while text.ends_with(' ') && !text.ends_with("- ") {
        text.pop();
    }
    if !text.is_empty() && !text.ends_with('\n') && !text.ends_with("- ") {
        text.push('\n');
    }
}

/// Where a link goes, with its characters as they are.
fn address(tag: &str) -> String {
    let at = tag.find("href=").map_or(tag.len(), |at| at + 5);
    let value = &tag[at..];
    let quote = value
        .chars()
        .next()
        .filter(|char| matches!(char, '"' | '\''));
    let value = match quote {
        Some(quote) => value[1..].split(quote).next(),
        None => value.split_whitespace().next(),
    };
    let mut address = String::new();
    push_text(&mut address, value.unwrap_or_default());
    address
}

/// Text outside of tags: white space is one blank, entities are characters.
fn push_text(text: &mut String, mut raw: &str) {
    while let Some(char) = raw.chars().next() {
        let (char, length) = match raw.find(';').filter(|end| char == '&' && *end < 10) {
            Some(end) => entity(&raw[1..end]).map_or((char, 1), |char| (char, end + 1)),
            None => (char, char.len_utf8()),
        };
        raw = &raw[length..];
        if !char.is_whitespace() {
            text.push(char);
        } else if !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
    }
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']);
        let code = match hex {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" | "rsquo" | "lsquo" => '\'',
        "nbsp" => ' ',
        "mdash" | "ndash" => '—',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::text_of;

    #[test]
    fn what_is_seen_is_text() {
        for (html, text) in [
            (
                "<p>Alex,</p><ul><li>a &amp; b<li>c</ul><p>Sam",
                "Alex,\n\n- a & b\n- c\n\nSam",
            ),
            ("<h2>Status</h2>fine", "# Status\n\nfine"),
            ("a<br>b<br/>c &lt;d&gt;&#39;&#x41;", "a\nb\nc <d>'A"),
            (
                "see <a class=x href=\"https://a.example/?x=1&amp;y\">this</a>.",
                "see this (https://a.example/?x=1&y).",
            ),
            ("<style>p { }</style><!-- no --><b>yes</b><script>no", "yes"),
            (
                "<p>You asked:</p><blockquote>a<blockquote>b</blockquote></blockquote><p>Yes</p>",
                "You asked:\n\n\nYes",
            ),
            (
                "a<div class=\"gmail_quote\">On Monday <div>b</div></div>",
                "a",
            ),
            (
                "a<p style=\"display: none\">b</p><span hidden>c</span>d",
                "a\nd",
            ),
            ("a < b", "a "),
            ("", ""),
        ] {
            assert_eq!(text_of(html).trim(), text.trim(), "{html}");
        }
    }
}
