//! Multipart bodies (RFC 2046), read without copying.
//!
//! Batches and uploads need the exact bytes of a part, with their own line
//! ends and whatever their transfer encoding says. Crates for multipart either
//! read forms or decode mails, so the few rules of the framing stand here;
//! header fields are read by `httparse`.

use bytes::Bytes;
use memchr::memmem;

/// Most header fields of a part, and of a request inside one.
const MAX_FIELDS: usize = 64;
/// Longest boundary. RFC 2046 allows 70 characters.
const MAX_BOUNDARY: usize = 200;

/// One part.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    fields: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

/// Why a body could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadMultipart {
    #[error("the Content-Type names no boundary")]
    NoBoundary,
    #[error("the boundary is empty or too long")]
    BadBoundary,
    #[error("there are more than {0} parts")]
    TooMany(usize),
    #[error("the header of part {0} cannot be read")]
    BadHeader(usize),
}

impl Part {
    /// A header field of the part.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let found = self
            .fields
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Media type, lower-case, without parameters; empty where there is none.
    pub(crate) fn media_type(&self) -> String {
        media_type(self.field("content-type").unwrap_or_default())
    }
}

/// A media type without its parameters, lower-case.
pub(crate) fn media_type(value: &str) -> String {
    value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// The `boundary` of a `Content-Type`.
fn boundary(content_type: &str) -> Result<&str, BadMultipart> {
    let value = content_type
        .match_indices(';')
        .filter_map(|(at, _)| content_type.get(at + 1..))
        .map(str::trim_start)
        .find(|param| {
            param
                .get(..9)
                .is_some_and(|name| name.eq_ignore_ascii_case("boundary="))
        })
        .and_then(|param| param.get(9..))
        .ok_or(BadMultipart::NoBoundary)?;
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split(';').next().map(str::trim_end),
    };
    match value {
        Some(value) if (1..=MAX_BOUNDARY).contains(&value.len()) => Ok(value),
        _ => Err(BadMultipart::BadBoundary),
    }
}

/// The parts of a body, at most `max` of them.
pub(crate) fn read(
    content_type: &str,
    body: &Bytes,
    max: usize,
) -> Result<Vec<Part>, BadMultipart> {
    let delimiter = format!("--{}", boundary(content_type)?);
    let mut parts = Vec::new();
    let mut open: Option<usize> = None;
    for at in memmem::find_iter(body, &delimiter) {
        let Some(line) = delimiter_line(body, at, delimiter.len()) else {
            continue;
        };
        if let Some(start) = open {
            if parts.len() == max {
                return Err(BadMultipart::TooMany(max));
            }
            parts.push(part(
                body,
                start,
                before_line_end(body, at),
                parts.len() + 1,
            )?);
        }
        open = match line {
            Line::Next(start) => Some(start),
            Line::Last => return Ok(parts),
        };
    }
    // A body that breaks off has its last part all the same.
    if let Some(start) = open.filter(|start| *start < body.len()) {
        if parts.len() == max {
            return Err(BadMultipart::TooMany(max));
        }
        parts.push(part(body, start, body.len(), parts.len() + 1)?);
    }
    Ok(parts)
}

enum Line {
    /// A part follows, from here.
    Next(usize),
    /// The last delimiter.
    Last,
}

/// What the line at `at` is, given that the delimiter stands there.
fn delimiter_line(body: &[u8], at: usize, length: usize) -> Option<Line> {
    let starts_line = at == 0 || body.get(at - 1) == Some(&b'\n');
    let rest = body.get(at + length..).filter(|_| starts_line)?;
    if rest.starts_with(b"--") {
        return Some(Line::Last);
    }
    let padding = rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        .count();
    match rest.get(padding) {
        Some(b'\n') => Some(Line::Next(at + length + padding + 1)),
        _ => None,
    }
}

/// The end of a part's content: the line end before a delimiter belongs to the
/// delimiter.
fn before_line_end(body: &[u8], at: usize) -> usize {
    let end = at.saturating_sub(1);
    if end > 0 && body.get(end - 1) == Some(&b'\r') {
        end - 1
    } else {
        end
    }
}

fn part(body: &Bytes, start: usize, end: usize, number: usize) -> Result<Part, BadMultipart> {
    let content = body.slice(start..end.max(start));
    let (fields, body) = head(&content).ok_or(BadMultipart::BadHeader(number))?;
    Ok(Part { fields, body })
}

/// Header fields, and what follows them. Content that ends with its last
/// field has no body.
pub(crate) fn head(content: &Bytes) -> Option<(Vec<(String, String)>, Bytes)> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    match httparse::parse_headers(content, &mut fields).ok()? {
        httparse::Status::Complete((length, fields)) => {
            Some((owned(fields), content.slice(length..)))
        }
        httparse::Status::Partial => {
            let padded = [content, b"\r\n\r\n".as_slice()].concat();
            let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
            match httparse::parse_headers(&padded, &mut fields).ok()? {
                httparse::Status::Complete((_, fields)) => Some((owned(fields), Bytes::new())),
                httparse::Status::Partial => None,
            }
        }
    }
}

fn owned(fields: &[httparse::Header<'_>]) -> Vec<(String, String)> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    fields
        .iter()
        .map(|field| (field.name.to_owned(), text(field.value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/mixed; boundary=\"=b=\"";

    fn bodies(content_type: &str, body: &str) -> Result<Vec<String>, BadMultipart> {
        let body = Bytes::from(body.to_owned());
        let parts = read(content_type, &body, 3)?;
        Ok(parts
            .iter()
            .map(|part| String::from_utf8_lossy(&part.body).into_owned())
            .collect())
    }

    #[test]
    fn parts_keep_their_bytes() {
        let body = "preamble\r\n--=b=\r\nContent-Type: Text/Plain; x=y\r\nContent-ID: <1>\r\n\r\n\
                    one\r\n\r\n--=b= \t\r\n\r\n two --=b=\r\n--=b=x\r\n--=b=--\r\nepilogue --=b=\r\n";
        let bytes = Bytes::from(body);
        let parts = read(TYPE, &bytes, 3).unwrap();
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0].body, "one\r\n");
        assert_eq!(parts[0].media_type(), "text/plain");
        assert_eq!(parts[0].field("content-id"), Some("<1>"));
        assert_eq!(parts[1].body, " two --=b=\r\n--=b=x");
        // As google-api-python-client writes them: no carriage returns at all.
        assert_eq!(
            bodies(TYPE, "--=b=\nA: 1\n\nx\ny\n--=b=\nB: 2\n\n--=b=--"),
            Ok(vec!["x\ny".to_owned(), String::new()])
        );
        assert_eq!(
            bodies(TYPE, "--=b=\n\nbroken off"),
            Ok(vec!["broken off".to_owned()])
        );
        assert_eq!(bodies(TYPE, ""), Ok(vec![]));
        assert_eq!(bodies(TYPE, "--=b=--"), Ok(vec![]));
    }

    #[test]
    fn binary_content_is_left_alone() {
        let mut body = b"--b\r\n\r\n".to_vec();
        let content: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        body.extend(&content);
        body.extend(b"\r\n--b--");
        let parts = read("multipart/related;boundary=b", &body.into(), 2).unwrap();
        assert_eq!(parts[0].body, content);
    }

    #[test]
    fn boundaries_are_found_where_they_are() {
        assert_eq!(
            boundary("multipart/mixed; boundary=abc; charset=x"),
            Ok("abc")
        );
        assert_eq!(
            boundary("multipart/mixed;type=\"a/b\";BOUNDARY=\"a b;c\""),
            Ok("a b;c")
        );
        assert_eq!(boundary("multipart/mixed; boundary===1=="), Ok("==1=="));
        assert_eq!(boundary("multipart/mixed"), Err(BadMultipart::NoBoundary));
        assert_eq!(
            boundary("multipart/mixed; myboundary=a"),
            Err(BadMultipart::NoBoundary)
        );
        assert_eq!(
            boundary("multipart/mixed; boundary="),
            Err(BadMultipart::BadBoundary)
        );
        let long = format!("multipart/mixed; boundary={}", "b".repeat(201));
        assert_eq!(boundary(&long), Err(BadMultipart::BadBoundary));
        assert_eq!(boundary("é;é;boundary=\u{e9}"), Ok("\u{e9}"));
    }

    #[test]
    fn hostile_bodies_end_early() {
        let many = "--b\n\nx\n".repeat(10_000);
        assert_eq!(
            bodies("a/b; boundary=b", &many),
            Err(BadMultipart::TooMany(3))
        );
        let fields = format!("--b\n{}\nx\n--b--", "A: b\n".repeat(100));
        assert_eq!(
            bodies("a/b; boundary=b", &fields),
            Err(BadMultipart::BadHeader(1))
        );
        assert_eq!(
            bodies("a/b; boundary=b", "--b\nno header"),
            Err(BadMultipart::BadHeader(1))
        );
        assert_eq!(
            bodies("a/b; boundary=b", "--b\n--b--"),
            Ok(vec![String::new()])
        );
        let dashes = "-".repeat(1_000_000);
        assert_eq!(bodies("a/b; boundary=---", &dashes), Ok(vec![]));
    }
}
