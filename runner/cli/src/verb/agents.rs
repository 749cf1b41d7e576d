//! `proctor agents`: which agents there are, what they can do, and which of them
//! are installed.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use proctor_agents::adapter::{Adapter, BUILTIN_NAMES, builtin};
use proctor_agents::install::{FindError, Installation, Search, find, probe_version};
use proctor_agents::{AgentSpec, SpecError};
use proctor_engine::EngineError;
use serde_json::json;

use super::host::AgentPlaces;
use crate::exit::Exit;
use crate::output;
use crate::reporter::Format;

/// Arguments of `proctor agents`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Adapters of your own to list too, as files that end in .toml
    /// (docs/agents.md)
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// What to print on standard output
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// An agent and whether it can be run.
struct Row {
    adapter: Adapter,
    found: Result<Installation, FindError>,
    version: Option<String>,
}

/// Lists the agents.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let places = super::host::agent_places()?;
    let mut adapters: Vec<Adapter> = BUILTIN_NAMES
        .iter()
        .filter_map(|name| builtin(name))
        .collect();
    for file in &arguments.files {
        adapters.push(own(file)?);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let rows = runtime.block_on(rows(adapters, &places))?;
    match arguments.format {
        Format::Json => {
            let list: Vec<_> = rows.iter().map(object).collect();
            output::exact(&serde_json::to_string(&list)?);
        }
        Format::Text => print(&rows),
    }
    Ok(Exit::Done)
}

/// The adapter in one of the operator's files.
fn own(file: &str) -> anyhow::Result<Adapter> {
    let adapter = file
        .parse::<AgentSpec>()
        .and_then(|spec| spec.adapter())
        .map_err(|error| unusable(&error))?;
    let adapter = adapter.ok_or_else(|| EngineError::Usage {
        message: format!("`{file}` is no adapter's file"),
        hint: Some("the agents that Proctor knows are listed without being named".to_owned()),
    })?;
    Ok(adapter)
}

/// An error in what the operator wrote.
pub(super) fn unusable(error: &SpecError) -> EngineError {
    EngineError::Agent(error.to_string())
}

async fn rows(adapters: Vec<Adapter>, places: &AgentPlaces) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for adapter in adapters {
        let found = find(&adapter, places.search(None));
        let version = match &found {
            Ok(installation) => {
                // Programs write into their home as soon as they start.
                let home = tempfile::tempdir().context("cannot create a temporary directory")?;
                probe_version(&adapter, installation, home.path().to_owned()).await
            }
            Err(_) => None,
        };
        rows.push(Row {
            adapter,
            found,
            version,
        });
    }
    Ok(rows)
}

fn object(row: &Row) -> serde_json::Value {
    let supports = row.adapter.supports();
    let apis: Vec<&str> = supports.apis.iter().map(|api| api.name()).collect();
    let package = row.adapter.package();
    let found = row.found.as_ref();
    json!({
        "name": row.adapter.name(),
        "title": row.adapter.title(),
        "installed": found.is_ok(),
        "version": row.version,
        "origin": found.ok().map(|it| it.origin.name()),
        "path": found.ok().map(|it| &it.host_program),
        "problem": found.err().map(ToString::to_string),
        "hint": found.err().and_then(FindError::hint),
        "package": package.map(|it| format!("{}@{}", it.npm, it.version)),
        "supports": {
            "apis": apis,
            "system_prompt": supports.system_prompt.name(),
            "mcp": supports.mcp,
            "turns": supports.turns,
            "transcript": supports.transcript.name(),
            "session": supports.session,
        },
    })
}

fn print(rows: &[Row]) {
    let yes = |flag| if flag { "yes" } else { "-" };
    let mut table = vec![
        [
            "agent",
            "installed",
            "model APIs",
            "system prompt",
            "MCP",
            "turns",
            "transcript",
        ]
        .map(str::to_owned),
    ];
    for row in rows {
        let supports = row.adapter.supports();
        let apis: Vec<&str> = supports.apis.iter().map(|api| api.name()).collect();
        let installed = match &row.found {
            Ok(it) => {
                let version = row.version.as_deref().unwrap_or("yes");
                format!("{version} ({})", it.origin.name())
            }
            Err(error) if is_absent(error) => "-".to_owned(),
            Err(_) => "unusable".to_owned(),
        };
        table.push([
            row.adapter.name().to_owned(),
            installed,
            apis.join(", "),
            supports.system_prompt.name().to_owned(),
            yes(supports.mcp).to_owned(),
            yes(supports.turns).to_owned(),
            supports.transcript.name().to_owned(),
        ]);
    }
    for line in aligned(&table) {
        output::out(&line);
    }
    for row in rows {
        let Err(error) = &row.found else { continue };
        if is_absent(error) {
            continue;
        }
        output::err(&format!("{}: {error}", row.adapter.name()));
        if let Some(hint) = error.hint() {
            output::err(&format!("  hint: {hint}"));
        }
    }
}

/// Whether there is nothing of the agent, and so nothing wrong with it.
fn is_absent(error: &FindError) -> bool {
    matches!(
        error,
        FindError::Missing { .. } | FindError::OwnMissing { .. }
    )
}

/// The cells below each other.
fn aligned<const N: usize>(table: &[[String; N]]) -> Vec<String> {
    let width = |column: usize| {
        let cells = table.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    table.iter().map(line).collect()
}

impl AgentPlaces {
    /// Where to look for an agent; `given` is what the operator named.
    pub(crate) fn search<'a>(&'a self, given: Option<&'a PathBuf>) -> Search<'a> {
        Search {
            given: given.map(PathBuf::as_path),
            cache: &self.cache,
            path: &self.path,
            own: self.own.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let table = [["a", "bbb", "c"], ["aaa", "é", ""]].map(|row| row.map(str::to_owned));
        assert_eq!(aligned(&table), ["a    bbb  c", "aaa  é"]);
    }

    #[test]
    fn every_agent_says_what_it_supports_whether_it_is_installed_or_not() {
        let nowhere = AgentPlaces {
            cache: "/nowhere".into(),
            path: Vec::new(),
            own: None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let adapters: Vec<_> = BUILTIN_NAMES
            .iter()
            .filter_map(|name| builtin(name))
            .collect();
        let rows = runtime.block_on(rows(adapters, &nowhere)).unwrap();
        assert_eq!(rows.len(), BUILTIN_NAMES.len());
        for (row, name) in rows.iter().zip(BUILTIN_NAMES) {
            let object = object(row);
            assert_eq!(object["name"], *name);
            assert_eq!(object["installed"], false);
            assert!(object["version"].is_null());
            assert!(!object["supports"]["apis"].as_array().unwrap().is_empty());
            assert!(
                object["problem"]
                    .as_str()
                    .unwrap()
                    .contains("is not installed"),
                "{object}"
            );
        }
    }
}
