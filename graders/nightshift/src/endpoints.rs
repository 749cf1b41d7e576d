//! The endpoints of `routes.py`, and what a page says about them.

use std::collections::{BTreeMap, BTreeSet};

use proctor_grader::python::Python;
use proctor_grader::types::world::notion::Block;

const METHODS: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
/// Words that a line with an endpoint may begin with.
const LABELS: [&str; 7] = [
    "endpoint", "route", "url", "method", "path", "request", "http",
];
/// Titles of the column of a table that names fields.
const FIELDS: [&str; 5] = ["field", "name", "parameter", "property", "key"];
/// Lines of a page that are read.
const LINES: usize = 20_000;

/// An endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) method: String,
    pub(crate) path: String,
    /// Fields of the request's body.
    pub(crate) request: Vec<String>,
    /// Fields of the response's body.
    pub(crate) response: Vec<String>,
    /// Fields of the objects in them, at any depth. Several endpoints share
    /// these, so that a page may describe them once.
    pub(crate) nested: Vec<String>,
}

impl Endpoint {
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    fn is(&self, method: &str, path: &str) -> bool {
        self.method == method && same_path(&self.path, path)
    }
}

/// Endpoints by the decorators `@route("METHOD", "/path", request=Type)` and the
/// annotations of the functions below them.
pub(crate) fn endpoints(routes: &str) -> Vec<Endpoint> {
    let python = Python::parse(routes);
    let found = python.functions().filter_map(|function| {
        let decorator = function.decorators.iter().find(|one| one.calls("route"))?;
        let mut quoted = decorator.code.split(['"', '\'']).skip(1).step_by(2);
        let (method, path) = (quoted.next()?, quoted.next()?);
        let request = decorator.code.split("request=").nth(1).map(first_word);
        let response = function.head.code.split("->").nth(1).map(first_word);
        let fields = |class: Option<&str>| class.map_or(Vec::new(), |class| fields(&python, class));
        let (request, response) = (fields(request), fields(response));
        let mut nested = BTreeSet::new();
        for (_, kind) in request.iter().chain(&response) {
            collect_nested(&python, kind, &mut nested, 0);
        }
        let names = |fields: Vec<(String, String)>| fields.into_iter().map(|(name, _)| name);
        Some(Endpoint {
            method: method.to_owned(),
            path: path.to_owned(),
            request: names(request).collect(),
            response: names(response).collect(),
            nested: nested.into_iter().collect(),
        })
    });
    found.collect()
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start();
    let end = text.find(|char: char| !(char.is_alphanumeric() || char == '_'));
    &text[..end.unwrap_or(text.len())]
}

/// Fields of a dataclass, with their types.
fn fields(python: &Python, class: &str) -> Vec<(String, String)> {
    let Some(class) = python.class(class) else {
        return Vec::new();
    };
    let depth = class.body.first().map_or(0, |first| first.indent);
    let own = class.body.iter().filter(|one| one.indent == depth);
    own.filter_map(|one| {
        let (name, kind) = one.code.split_once(':')?;
        let is_name = !name.is_empty() && first_word(name) == name;
        is_name.then(|| (name.to_owned(), kind.to_owned()))
    })
    .collect()
}

fn collect_nested(python: &Python, kind: &str, nested: &mut BTreeSet<String>, depth: u8) {
    if depth > 4 {
        return;
    }
    for word in kind.split(|char: char| !(char.is_alphanumeric() || char == '_')) {
        for (name, kind) in fields(python, word) {
            nested.insert(name);
            collect_nested(python, &kind, nested, depth + 1);
        }
    }
}

/// What a page says about endpoints.
pub(crate) struct Reference {
    /// Words of what stands below each endpoint, by its number.
    words: BTreeMap<usize, BTreeSet<String>>,
    /// Words of the whole page.
    all: BTreeSet<String>,
    /// Endpoints that do not exist.
    pub(crate) invented: Vec<String>,
    /// Fields that do not exist.
    pub(crate) made_up: Vec<String>,
}

/// A line of a page, with the endpoint that it is about.
struct Line {
    text: String,
    is_heading: bool,
    is_row: bool,
}

impl Reference {
    pub(crate) fn of(blocks: &[Block], endpoints: &[Endpoint], routes: &str) -> Self {
        let lines: Vec<Line> = blocks.iter().flat_map(lines_of).take(LINES).collect();
        let mut reference = Self {
            words: BTreeMap::new(),
            all: BTreeSet::new(),
            invented: Vec::new(),
            made_up: made_up(&lines, &identifiers(routes)),
        };
        let mut current = None;
        for (index, line) in lines.iter().enumerate() {
            if let Some((method, path)) = defined(line, lines.get(index + 1)) {
                current = endpoints.iter().position(|one| one.is(&method, &path));
                if current.is_none() {
                    let name = format!("{method} {path}");
                    if !reference.invented.contains(&name) {
                        reference.invented.push(name);
                    }
                }
            }
            let words = identifiers(&line.text);
            if let Some(number) = current {
                let below = reference.words.entry(number).or_default();
                below.extend(words.clone());
            }
            reference.all.extend(words);
            // A row of a table says nothing about what follows the table.
            if line.is_row && lines.get(index + 1).is_none_or(|next| !next.is_row) && {
                let pair = defined(line, None);
                pair.is_some()
            } {
                current = None;
            }
        }
        reference
    }

    /// What the page lacks of an endpoint; nothing where it has all of it.
    pub(crate) fn lacks(&self, number: usize, endpoint: &Endpoint) -> Option<String> {
        let Some(words) = self.words.get(&number) else {
            return Some(format!("{} is not on it", endpoint.name()));
        };
        for (kind, fields) in [
            ("request", &endpoint.request),
            ("response", &endpoint.response),
        ] {
            let missing = fields.iter().find(|field| !words.contains(*field));
            if let Some(field) = missing {
                return Some(format!("{} has no {kind} field `{field}`", endpoint.name()));
            }
        }
        let missing = endpoint
            .nested
            .iter()
            .find(|field| !self.all.contains(*field));
        missing.map(|field| format!("{} has no field `{field}` of its objects", endpoint.name()))
    }
}

/// Names that a page gives as those of fields and that are not in the source: in
/// the first column of a table of fields, or at the beginning of an item.
fn made_up(lines: &[Line], known: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_fields = false;
    let mut was_row = false;
    for line in lines {
        let first = line.text.split(" | ").next().unwrap_or_default();
        if line.is_row && !was_row {
            let title = first.trim_matches(['`', '*', ' ']).to_ascii_lowercase();
            in_fields = FIELDS.contains(&title.as_str());
        } else if !line.is_heading {
            let name = if line.is_row {
                Some(first).filter(|_| in_fields)
            } else {
                let end = first.find([':', '(', ' ']).unwrap_or(first.len());
                Some(&first[..end]).filter(|name| name.contains('_'))
            };
            let name = name.map_or("", |name| name.trim_matches(['`', '*', ' ', ':']));
            let is_name =
                |char: char| char.is_ascii_lowercase() || char == '_' || char.is_ascii_digit();
            if !name.is_empty()
                && name.chars().all(is_name)
                && !known.contains(name)
                && found.len() < 20
            {
                found.push(name.to_owned());
            }
        }
        was_row = line.is_row;
    }
    found
}

fn lines_of(block: &Block) -> Vec<Line> {
    let is_heading = block.kind.starts_with("heading_");
    if block.kind == "table_row" {
        return vec![Line {
            text: block.cells.join(" | "),
            is_heading,
            is_row: true,
        }];
    }
    let lines = block.text.lines();
    lines
        .map(|line| Line {
            text: line.to_owned(),
            is_heading,
            is_row: false,
        })
        .collect()
}

fn identifiers(text: &str) -> BTreeSet<String> {
    text.split(|char: char| !(char.is_alphanumeric() || char == '_'))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The endpoint that a line introduces: in a heading, at its beginning, behind
/// a label, or in cells of its own. What is only referred to in passing is not
/// introduced. Method and path may stand on two lines.
fn defined(line: &Line, next: Option<&Line>) -> Option<(String, String)> {
    let text = line.text.as_str();
    let plain = text.trim_start_matches(|char: char| !char.is_alphabetic() && char != '/');
    let begins = plain.starts_with('/')
        || METHODS.iter().any(|method| begins_with(plain, method))
        || LABELS
            .iter()
            .any(|label| begins_with(&plain.to_ascii_lowercase(), label));
    if line.is_row {
        let cells: Vec<&str> = text
            .split(" | ")
            .map(|cell| cell.trim_matches(['`', '*', ' ']))
            .collect();
        let method = cells.iter().find(|cell| METHODS.contains(cell));
        let path = cells
            .iter()
            .find(|cell| cell.starts_with('/') && !cell.contains(' '));
        if let (Some(method), Some(path)) = (method, path) {
            return Some(((*method).to_owned(), (*path).to_owned()));
        }
    }
    if line.is_heading || begins {
        if let Some(pair) = pair(text) {
            return Some(pair);
        }
        let next = next.map_or("", |next| next.text.as_str());
        let short = |text: &str| text.split_whitespace().count() <= 4;
        if short(text) && short(next) && (method(text).is_some() != method(next).is_some()) {
            let method = method(text).or_else(|| method(next))?;
            let path = path(text).or_else(|| path(next))?;
            return Some((method, path));
        }
    }
    None
}

fn begins_with(text: &str, word: &str) -> bool {
    let rest = text.strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(|char: char| char.is_alphanumeric()))
}

/// The only method and the only path of a line, in either order.
fn pair(text: &str) -> Option<(String, String)> {
    Some((method(text)?, path(text)?))
}

fn method(text: &str) -> Option<String> {
    let words = text.split(|char: char| !char.is_alphanumeric());
    let mut methods = words.filter(|word| METHODS.contains(word));
    methods.next().map(str::to_owned)
}

/// The first path of a line, without host and query.
fn path(text: &str) -> Option<String> {
    let ends = |char: char| char.is_whitespace() || "`|\"')*?,;".contains(char);
    for token in text.split(ends) {
        let token = token.trim_start_matches(['(', '[', '*', '_']);
        let local = match token.split_once("://") {
            Some((_, rest)) => rest.find('/').map(|at| &rest[at..]),
            None => token.starts_with('/').then_some(token),
        };
        let Some(local) = local else { continue };
        let path = local.trim_end_matches(['.', ':', ']']);
        if path.len() > 1 && path.chars().nth(1).is_some_and(char::is_alphanumeric) {
            return Some(path.trim_end_matches('/').to_owned());
        }
    }
    None
}

/// Whether a path is that of a template: a parameter is any segment.
fn same_path(template: &str, path: &str) -> bool {
    let (mut wanted, mut found) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), found.next()) {
            (None, None) => return true,
            (Some(wanted), Some(found)) => {
                let parameter = wanted.starts_with('{') && !found.is_empty();
                if wanted != found && !parameter {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proctor_grader::testing;

    const ROUTES: &str = "@dataclass\nclass Item:\n    name: str\n\n@dataclass\nclass In:\n    \"\"\"Doc: string.\"\"\"\n    items: list[Item]\n    limit: int = 3\n\n@dataclass\nclass Out:\n    total: int\n\n@route(\"POST\", \"/v1/things\", request=In, status=202)\ndef things(context, body: In) -> Out:\n    pass\n\n@route(\"GET\", \"/v1/things/{id}\")\ndef thing(context, id: str) -> Out:\n    pass\n";

    fn lacks(markdown: &str) -> (Vec<Option<String>>, Vec<String>) {
        let endpoints = endpoints(ROUTES);
        let page = testing::page("p", &["P"], markdown);
        let reference = Reference::of(&page.blocks, &endpoints, ROUTES);
        let lacks = (0..)
            .zip(&endpoints)
            .map(|(number, one)| reference.lacks(number, one));
        (lacks.collect(), reference.invented)
    }

    #[test]
    fn routes_are_read_with_their_fields() {
        let found = endpoints(ROUTES);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].name(), "POST /v1/things");
        assert_eq!(found[0].request, ["items", "limit"]);
        assert_eq!(
            (found[0].response.join(","), found[0].nested.join(",")),
            ("total".into(), "name".into())
        );
        assert!(found[1].request.is_empty());
    }

    #[test]
    fn a_page_is_read_however_it_is_laid_out() {
        for text in [
            "# POST /v1/things\nitems (each with name), limit\ntotal\n# GET `/v1/things/{id}`\nAnswers total, as POST /v1/things does.\n",
            "| Method | Path | Request | Response |\n| --- | --- | --- | --- |\n| POST | /v1/things | items, limit | total |\n| GET | /v1/things/:id | none | total |\nAn item has a name.\n",
            "# Submit\nMethod: POST\nPath: /v1/things\nitems, limit\ntotal\nname\n# Ask\n- `GET https://hydra.example/v1/things/<id>`: total\n",
            "1. **POST** `/v1/things`: items (name), limit; total\n2. **GET** `/v1/things/{id}`: total\n",
        ] {
            let (found, invented) = lacks(text);
            assert_eq!(found, [None, None], "{text}");
            assert!(invented.is_empty(), "{invented:?}");
        }
    }

    #[test]
    fn what_is_missing_or_made_up_is_named() {
        let (found, _) = lacks("# POST /v1/things\nlimit name total\n");
        assert_eq!(
            found[0].as_deref(),
            Some("POST /v1/things has no request field `items`")
        );
        assert_eq!(
            found[1].as_deref(),
            Some("GET /v1/things/{id} is not on it")
        );
        // Fields of one endpoint are not those of another.
        let (found, _) =
            lacks("# POST /v1/things\nitems name\n# GET /v1/things/{id}\nlimit total\n");
        assert!(found[0].is_some() && found[1].is_none());
        let (_, invented) = lacks("# POST /v1/predict\n# GET /v1/things\n");
        assert_eq!(invented, ["POST /v1/predict", "GET /v1/things"]);
        let (found, _) = lacks("");
        assert!(found.iter().all(Option::is_some));
    }

    #[test]
    fn fields_that_do_not_exist_are_named() {
        let page = testing::page(
            "p",
            &["P"],
            "| Field | Type |\n| --- | --- |\n| `items` | list |\n| `trace` | string |\n\n- `user_name`: who asks\n- total (integer)\n- note: no field\n\n| Code | Meaning |\n| --- | --- |\n| conflict | taken |\n",
        );
        let reference = Reference::of(&page.blocks, &endpoints(ROUTES), ROUTES);
        assert_eq!(reference.made_up, ["trace", "user_name"]);
    }
}
