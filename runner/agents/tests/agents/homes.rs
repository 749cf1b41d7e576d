//! A room of real processes with a home and a workspace of its own.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use proctor_agents::adapter::Adapter;
use proctor_agents::install::{Installation, Origin};
use proctor_agents::{CliAgent, CliSetup, ExecOutput, ExecRequest, Shell, ShellError};

use crate::rooms::Host;

/// The room.
pub(crate) struct Home {
    pub(crate) dir: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("home")).unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self { dir }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// An installation that consists of the shell script `text`.
    pub(crate) fn script(&self, text: &str) -> Installation {
        let path = self.at("program");
        std::fs::write(&path, format!("#!/bin/bash\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        Installation {
            origin: Origin::Given,
            host_program: path.clone(),
            binds: Vec::new(),
            guest_dir: self.dir.path().to_string_lossy().into_owned(),
            command: vec!["/bin/bash".to_owned(), path.to_string_lossy().into_owned()],
            host_command: vec![path],
            version: None,
        }
    }

    /// An agent of `adapter` that is the shell script `script`.
    pub(crate) fn agent(&self, adapter: &str, script: &str) -> CliAgent {
        let adapter = Adapter::parse("test.toml", adapter.as_bytes()).unwrap();
        let setup = CliSetup {
            installation: self.script(script),
            model: None,
            mcp_url: None,
            turns: None,
        };
        CliAgent::new(Arc::new(adapter), setup).unwrap()
    }
}

#[async_trait]
impl Shell for Home {
    async fn exec(&self, mut request: ExecRequest) -> Result<ExecOutput, ShellError> {
        let home = self.at("home").to_string_lossy().into_owned();
        request.env.push(("HOME".to_owned(), home));
        let work = self.at("work").to_string_lossy().into_owned();
        request.cwd.get_or_insert(work);
        Host.exec(request).await
    }

    fn capture_program(&self) -> Option<&str> {
        None
    }
}
