//! The file as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAdapter {
    pub(super) name: Spanned<String>,
    pub(super) title: Option<Spanned<String>>,
    pub(super) args: Vec<Spanned<RawArgument>>,
    pub(super) stdin: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) env: BTreeMap<Spanned<String>, Spanned<String>>,
    #[serde(default)]
    pub(super) file: Vec<RawFile>,
    pub(super) program: RawProgram,
    pub(super) install: Option<RawInstall>,
    #[serde(default)]
    pub(super) model: Vec<RawModel>,
    pub(super) transcript: Spanned<RawTranscript>,
    #[serde(default)]
    pub(super) failure: Vec<Spanned<RawFailure>>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected an argument, or a list of arguments that are left out together"
)]
pub(super) enum RawArgument {
    One(String),
    Group(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawProgram {
    #[serde(default)]
    pub(super) names: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) paths: Vec<Spanned<String>>,
    pub(super) node: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) version: Option<Vec<String>>,
    #[serde(default)]
    pub(super) own: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawInstall {
    pub(super) npm: Spanned<String>,
    pub(super) version: Spanned<String>,
    #[serde(default)]
    pub(super) with: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) remove: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawModel {
    pub(super) api: Spanned<String>,
    #[serde(default)]
    pub(super) path: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) word: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFile {
    pub(super) path: Spanned<String>,
    pub(super) text: Option<Spanned<String>>,
    pub(super) json: Option<Spanned<toml::Table>>,
    pub(super) toml: Option<Spanned<toml::Table>>,
    #[serde(default)]
    pub(super) apis: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTranscript {
    pub(super) format: Spanned<String>,
    #[serde(default)]
    pub(super) stdout: bool,
    #[serde(default)]
    pub(super) files: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFailure {
    pub(super) kind: proctor_types::manifest::FailureKind,
    pub(super) exit: Option<i32>,
    #[serde(default)]
    pub(super) says: Vec<String>,
}
