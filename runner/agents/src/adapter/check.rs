//! From TOML to an [`Adapter`].

use std::collections::BTreeMap;
use std::ops::Range;

use proctor_transcripts::Format;
use toml::Spanned;

use super::error::{AdapterError, AdapterProblem};
use super::files::{Contents, FileTemplate, Node, NodeError};
use super::paths::is_plain;
use super::raw::{
    RawAdapter, RawArgument, RawFailure, RawFile, RawInstall, RawModel, RawProgram, RawTranscript,
};
use super::template::{Argument, Template, UnknownPlaceholder};
use super::{
    Adapter, FailureRule, MAX_ADAPTER_BYTES, ModelWay, Package, Program, TranscriptWay, Version,
};
use crate::spec::nearest;

/// Longest name of an agent, in bytes: it is part of file names.
const MAX_NAME_BYTES: usize = 64;
/// Most patterns of session files.
const MAX_PATTERNS: usize = 256;

/// A problem and the bytes that it is about.
type Problem = (AdapterProblem, Option<Range<usize>>);
type Checked<T> = Result<T, Problem>;

/// Reads a file; where it is called after its agent, `expected` is the name that
/// it has to say.
pub(super) fn parse(
    file: &str,
    expected: Option<&str>,
    bytes: &[u8],
) -> Result<Adapter, AdapterError> {
    let fail = |(problem, span): Problem| AdapterError {
        file: file.to_owned(),
        line: span.map(|span| line_of(bytes, span.start)),
        problem,
    };
    if bytes.len() > MAX_ADAPTER_BYTES {
        return Err(fail((AdapterProblem::TooLarge, None)));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        fail((AdapterProblem::NotUtf8, Some(at..at)))
    })?;
    let raw: RawAdapter = toml::from_str(text).map_err(|error| fail(shape(&error)))?;
    checked(raw, expected).map_err(fail)
}

/// The number of the line that the byte `at` is in, from 1.
fn line_of(bytes: &[u8], at: usize) -> u64 {
    let before = &bytes[..at.min(bytes.len())];
    before.split(|byte| *byte == b'\n').count() as u64
}

/// What the parser says, with a hint where a key is unknown.
fn shape(error: &toml::de::Error) -> Problem {
    let message = error.message();
    let span = error.span();
    // serde's words: unknown field `x`, expected one of `a`, `b`
    if let Some(rest) = message.strip_prefix("unknown field `") {
        let mut quoted = rest.split('`').step_by(2).map(str::to_owned);
        let key = quoted.next().unwrap_or_default();
        let known: Vec<String> = quoted.filter(|word| !word.is_empty()).collect();
        let names: Vec<&str> = known.iter().map(String::as_str).collect();
        let nearest = nearest(&key, &names);
        return (
            AdapterProblem::UnknownKey {
                key,
                nearest,
                known,
            },
            span,
        );
    }
    (AdapterProblem::Toml(message.replace('\n', " ")), span)
}

fn wrong<T>(key: &'static str, span: Range<usize>, problem: impl Into<String>) -> Checked<T> {
    let problem = problem.into();
    Err((AdapterProblem::Value { key, problem }, Some(span)))
}

fn checked(raw: RawAdapter, expected: Option<&str>) -> Checked<Adapter> {
    let name = name(raw.name, expected)?;
    let title = match raw.title {
        Some(title) if printable(title.get_ref()) => title.into_inner(),
        Some(title) => return wrong("title", title.span(), "expected some printable text"),
        None => name.clone(),
    };
    let env = raw
        .env
        .into_iter()
        .map(|(name, text)| variable(name, &text));
    let adapter = Adapter {
        spec: name.clone(),
        name,
        title,
        program: program(raw.program)?,
        package: raw.install.map(package).transpose()?,
        models: raw.model.into_iter().map(model).collect::<Checked<_>>()?,
        args: arguments(raw.args)?,
        stdin: raw.stdin.as_ref().map(template).transpose()?,
        env: env.collect::<Checked<_>>()?,
        files: files(raw.file)?,
        transcript: transcript(raw.transcript)?,
        failures: raw.failure.into_iter().map(rule).collect::<Checked<_>>()?,
    };
    if !adapter.uses("prompt") && !adapter.uses("prompt_file") {
        return Err((AdapterProblem::NoPrompt, None));
    }
    Ok(adapter)
}

fn printable(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= 200 && !text.chars().any(char::is_control)
}

fn name(name: Spanned<String>, expected: Option<&str>) -> Checked<String> {
    let span = name.span();
    let text = name.into_inner();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || text.len() > MAX_NAME_BYTES || !text.chars().all(plain) {
        let problem = format!("expected 1 to {MAX_NAME_BYTES} letters, digits, `-` and `_`");
        return wrong("name", span, problem);
    }
    // Trials and reports are called after the file.
    if let Some(expected) = expected
        && text != expected
    {
        let problem = format!("expected the file's name, \"{expected}\", and this is \"{text}\"");
        return wrong("name", span, problem);
    }
    Ok(text)
}

fn template(text: &Spanned<String>) -> Checked<Template> {
    parsed(text.get_ref(), text.span())
}

fn parsed(text: &str, span: Range<usize>) -> Checked<Template> {
    // No argument, variable or path can hold it.
    if text.contains('\0') {
        return Err((
            AdapterProblem::Toml("a text has a NUL character".to_owned()),
            Some(span),
        ));
    }
    Template::parse(text).map_err(|error| unknown(&error, span))
}

fn unknown(error: &UnknownPlaceholder, span: Range<usize>) -> Problem {
    (AdapterProblem::Placeholder(error.to_string()), Some(span))
}

fn arguments(raw: Vec<Spanned<RawArgument>>) -> Checked<Vec<Argument>> {
    let each = raw.into_iter().map(|element| {
        let span = element.span();
        let texts = match element.into_inner() {
            RawArgument::One(text) => vec![text],
            RawArgument::Group(texts) if texts.is_empty() => {
                return wrong("args", span, "a group without arguments");
            }
            RawArgument::Group(texts) => texts,
        };
        let parts = texts.iter().map(|text| parsed(text, span.clone()));
        Ok(Argument(parts.collect::<Checked<_>>()?))
    });
    each.collect()
}

fn variable(name: Spanned<String>, text: &Spanned<String>) -> Checked<(String, Template)> {
    let span = name.span();
    let name = name.into_inner();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return wrong("env", span, format!("{name:?} is no name of a variable"));
    }
    // They decide what a program is before it says a word.
    if name.starts_with("LD_") || name == "PATH" || name == "HOME" {
        return wrong("env", span, format!("`{name}` is the room's own"));
    }
    Ok((name, template(text)?))
}

fn program(raw: RawProgram) -> Checked<Program> {
    let plain = |name: &Spanned<String>| {
        let is_name = is_plain(name.get_ref()) && !name.get_ref().contains('/');
        if is_name {
            Ok(name.get_ref().clone())
        } else {
            wrong(
                "names",
                name.span(),
                "expected a program's name, without a path",
            )
        }
    };
    let below = |path: &Spanned<String>| {
        let text = machine(path.get_ref());
        if is_plain(&text) && !text.contains(['{', '}']) {
            Ok(text)
        } else {
            let problem = "expected a path below the installation, without `.` and `..`; there \
                           are the placeholders {arch} (x64, arm64) and {machine} (x86_64, aarch64)";
            wrong("paths", path.span(), problem)
        }
    };
    let names = raw.names.iter().map(plain).collect::<Checked<Vec<_>>>()?;
    let paths = raw.paths.iter().map(below).collect::<Checked<Vec<_>>>()?;
    if names.is_empty() && paths.is_empty() {
        return Err((AdapterProblem::NoProgram, None));
    }
    let node = match raw.node {
        None => None,
        Some(text) => match Version::parse(text.get_ref()) {
            Some(version) => Some(version),
            None => return wrong("node", text.span(), "expected a version like \"20.6\""),
        },
    };
    Ok(Program {
        names,
        paths,
        node,
        version_args: raw.version.unwrap_or_else(|| vec!["--version".to_owned()]),
        own: raw.own,
    })
}

/// `text` for the processor of this machine, in the words of npm's packages and
/// of compilers.
pub(super) fn machine(text: &str) -> String {
    let machine = std::env::consts::ARCH;
    let arch = match machine {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    text.replace("{arch}", arch).replace("{machine}", machine)
}

fn package(raw: RawInstall) -> Checked<Package> {
    let span = raw.npm.span();
    let npm = raw.npm.into_inner();
    if !is_package(&npm) {
        return wrong("npm", span, "expected the name of an npm package");
    }
    let span = raw.version.span();
    let version = raw.version.into_inner();
    if !crate::install::is_version(&version) {
        return wrong(
            "version",
            span,
            "expected a version of the package, as \"1.2.3\"",
        );
    }
    let with = raw.with.iter().map(|package| {
        let text = machine(package.get_ref());
        let fits = text
            .rsplit_once('@')
            .is_some_and(|(name, version)| is_package(name) && crate::install::is_version(version));
        if fits {
            Ok(text)
        } else {
            wrong(
                "with",
                package.span(),
                "expected packages as \"name@1.2.3\"",
            )
        }
    });
    let remove = raw.remove.iter().map(|path| {
        if is_plain(path.get_ref()) {
            Ok(path.get_ref().clone())
        } else {
            let problem = "expected a path below the package, without `.` and `..`";
            wrong("remove", path.span(), problem)
        }
    });
    Ok(Package {
        npm,
        version,
        with: with.collect::<Checked<_>>()?,
        remove: remove.collect::<Checked<_>>()?,
    })
}

/// Whether `name` is one of the registry's, and not a path, a URL or an option.
fn is_package(name: &str) -> bool {
    let plain = |part: &str| {
        let mut chars = part.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphanumeric())
            && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    match name.strip_prefix('@') {
        Some(scoped) => scoped
            .split_once('/')
            .is_some_and(|(a, b)| plain(a) && plain(b)),
        None => plain(name),
    }
}

fn model(raw: RawModel) -> Checked<ModelWay> {
    let span = raw.api.span();
    let api = match raw.api.get_ref().parse() {
        Ok(api) => api,
        Err(error) => return wrong("api", span, format!("{error}")),
    };
    let path = match raw.path {
        None => String::new(),
        Some(path) if path.get_ref().strip_prefix('/').is_some_and(is_plain) => path.into_inner(),
        Some(path) => return wrong("path", path.span(), "expected a path like \"/v1\""),
    };
    let word = raw.word.unwrap_or_else(|| raw.api.into_inner());
    Ok(ModelWay { api, path, word })
}

fn files(raw: Vec<RawFile>) -> Checked<Vec<FileTemplate>> {
    let mut kinds: BTreeMap<String, &'static str> = BTreeMap::new();
    let mut files = Vec::new();
    for file in raw {
        let span = file.path.span();
        let path = file.path.get_ref().clone();
        if !path.strip_prefix("{home}/").is_some_and(is_plain) {
            return wrong(
                "path",
                span,
                "expected a path that begins with {home}/, without `..`",
            );
        }
        let (kind, contents) = match (&file.text, &file.json, &file.toml) {
            (Some(text), None, None) => ("text", Contents::Text(template(text)?)),
            (None, Some(json), None) => ("json", Contents::Json(node(json)?)),
            (None, None, Some(toml)) => ("toml", Contents::Toml(node(toml)?)),
            _ => return wrong("file", span, "expected one of `text`, `json` and `toml`"),
        };
        if *kinds.entry(path).or_insert(kind) != kind {
            return wrong("file", span, "entries of one path are to be of one kind");
        }
        let apis = file.apis.iter().map(|api| match api.get_ref().parse() {
            Ok(api) => Ok(api),
            Err(error) => wrong("apis", api.span(), format!("{error}")),
        });
        files.push(FileTemplate {
            path: template(&file.path)?,
            contents,
            apis: apis.collect::<Checked<_>>()?,
        });
    }
    Ok(files)
}

fn node(table: &Spanned<toml::Table>) -> Checked<Node> {
    Node::table(table.get_ref()).map_err(|error| {
        let problem = match &error {
            NodeError::Placeholder(error) => AdapterProblem::Placeholder(error.to_string()),
            error => AdapterProblem::Toml(error.to_string()),
        };
        (problem, Some(table.span()))
    })
}

fn transcript(raw: Spanned<RawTranscript>) -> Checked<TranscriptWay> {
    let span = raw.span();
    let raw = raw.into_inner();
    let format: Format = match raw.format.get_ref().parse() {
        Ok(format) => format,
        Err(error) => return wrong("format", raw.format.span(), format!("{error}")),
    };
    if !raw.stdout && raw.files.is_empty() {
        return Err((AdapterProblem::NoTranscript, Some(span)));
    }
    if raw.files.len() > MAX_PATTERNS {
        return wrong("files", span, format!("more than {MAX_PATTERNS} patterns"));
    }
    let patterns = raw.files.iter().map(|pattern| {
        // A shell in the room expands them: what is special to it is refused.
        let is_special = |c: char| c.is_whitespace() || "\\[]{}()!^$`'\"~<>|&;#".contains(c);
        if is_plain(pattern.get_ref()) && !pattern.get_ref().contains(is_special) {
            Ok(pattern.get_ref().clone())
        } else {
            let problem = "expected a path below the home, with `*` and `?`, without blanks";
            wrong("files", pattern.span(), problem)
        }
    });
    Ok(TranscriptWay {
        format,
        stdout: raw.stdout,
        files: patterns.collect::<Checked<_>>()?,
    })
}

fn rule(raw: Spanned<RawFailure>) -> Checked<FailureRule> {
    let span = raw.span();
    let RawFailure { kind, exit, says } = raw.into_inner();
    if exit.is_none() && says.is_empty() {
        return wrong("failure", span, "expected `exit`, `says` or both");
    }
    if says.iter().any(|words| words.trim().is_empty()) {
        return wrong("says", span, "words that are in every message");
    }
    let says = says.iter().map(|words| words.to_lowercase()).collect();
    Ok(FailureRule { kind, exit, says })
}
