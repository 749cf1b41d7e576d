//! Values of a manifest in YAML, by the keys that lead to them.
//!
//! As much of YAML as manifests are written in: block mappings and lists by
//! indentation, flow mappings on one line, comments, quoted scalars.

/// A value of a manifest.
pub(crate) struct Value {
    /// Without quotation marks.
    pub(crate) text: String,
    /// Whether it is a text whatever it looks like: `"5"`.
    pub(crate) quoted: bool,
    /// From 1.
    pub(crate) line: u64,
    /// Keys that lead to it.
    pub(crate) depth: usize,
}

/// Values at paths that end with these keys, in order. Lists do not count as
/// part of a path.
pub(crate) fn values(text: &str, path: &[&str]) -> Vec<Value> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = without_comment(line);
        if line.trim() == "---" {
            open.clear();
        }
        let (indent, entry) = entry(line);
        let Some((key, value)) = entry.split_once(':') else {
            continue;
        };
        let key = unquoted(key.trim());
        if !(value.is_empty() || value.starts_with([' ', '\t'])) {
            continue;
        }
        while open.last().is_some_and(|(outer, _)| *outer >= indent) {
            open.pop();
        }
        open.push((indent, key));
        let value = value.trim();
        let keys: Vec<&str> = open.iter().map(|(_, key)| *key).collect();
        if let Some(inner) = value.strip_prefix('{') {
            flow(inner.trim_end_matches('}'), &keys, path, number, &mut found);
        } else if !value.is_empty() && keys.ends_with(path) {
            found.push(made(value, &keys, number));
        }
    }
    found
}

fn made(value: &str, keys: &[&str], line: u64) -> Value {
    let text = unquoted(value);
    Value {
        text: text.to_owned(),
        quoted: text.len() < value.len(),
        line,
        depth: keys.len(),
    }
}

/// Whether a key stands anywhere, with its line.
pub(crate) fn key(text: &str, wanted: &str) -> Option<u64> {
    let has = |line: &str| {
        let (_, entry) = entry(without_comment(line));
        entry
            .split(['{', ','])
            .filter_map(|part| Some(part.split_once(':')?.0))
            .any(|key| unquoted(key.trim()) == wanted)
    };
    let found = (1..).zip(text.lines()).find(|(_, line)| has(line));
    found.map(|(number, _)| number)
}

fn flow(inner: &str, outer: &[&str], path: &[&str], line: u64, found: &mut Vec<Value>) {
    for part in inner.split(',') {
        if let Some((key, value)) = part.split_once(':') {
            let keys: Vec<&str> = outer
                .iter()
                .copied()
                .chain([unquoted(key.trim())])
                .collect();
            if keys.ends_with(path) {
                found.push(made(value.trim(), &keys, line));
            }
        }
    }
}

/// Indentation of a line's key, and the line from there. What follows the
/// hyphen of a list is deeper than the hyphen.
fn entry(line: &str) -> (usize, &str) {
    let mut rest = line;
    let mut indent = 0;
    loop {
        let trimmed = rest.trim_start_matches(' ');
        indent += rest.len() - trimmed.len();
        match trimmed.strip_prefix("- ") {
            Some(after) => {
                indent += 2;
                rest = after;
            }
            None => return (indent, trimmed),
        }
    }
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, char) in line.char_indices() {
        match (quote, char) {
            (None, '#') if before.is_whitespace() => return &line[..at],
            (None, '"' | '\'') => quote = Some(char),
            (Some(open), char) if open == char => quote = None,
            _ => {}
        }
        before = char;
    }
    line
}

fn unquoted(value: &str) -> &str {
    let inner = |mark| value.strip_prefix(mark)?.strip_suffix(mark);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, path: &[&str]) -> Vec<String> {
        values(text, path)
            .into_iter()
            .map(|value| value.text)
            .collect()
    }

    #[test]
    fn values_are_found_by_their_path() {
        let text = "spec:\n  replicas: 5 # five\n  template:\n    spec:\n      containers:\n        - name: a\n          resources:\n            requests:\n              memory: 1Gi\n            limits:\n              memory: '4Gi'\n        - resources: {limits: {}}\n          replicas: 9\n#  replicas: 3\n";
        assert_eq!(texts(text, &["spec", "replicas"]), ["5"]);
        assert_eq!(texts(text, &["limits", "memory"]), ["4Gi"]);
        assert_eq!(values(text, &["limits", "memory"])[0].line, 11);
        assert_eq!(
            texts(
                "limits: {cpu: \"2\", memory: \"4Gi\"}",
                &["limits", "memory"]
            ),
            ["4Gi"]
        );
        assert!(values(text, &["limits", "memory"])[0].quoted);
        let initial = "initContainers:\n- resources:\n    limits: {memory: 1Gi}\ncontainers:\n- resources:\n    limits:\n      memory: 4Gi\n";
        let running = ["containers", "resources", "limits", "memory"];
        assert_eq!(texts(initial, &running), ["4Gi"]);
        assert_eq!(texts("a: 'x # y'", &["a"]), ["x # y"]);
        assert_eq!(
            texts("a:b\n- \n:\n\u{e9}: 1\n", &["a"]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn keys_are_found_wherever_they_stand() {
        assert_eq!(key("a:\n  securityContext:\n", "securityContext"), Some(2));
        assert_eq!(key("a: {securityContext: {}}", "securityContext"), Some(1));
        assert_eq!(key("# securityContext: no\n", "securityContext"), None);
    }
}
