//! A world behind a gateway, and where its clients keep their files.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Output;

use cap_std::ambient_authority;
use proctor_services::{
    Gateway, GatewayConfig, JournalCaps, SeedOptions, World, WorldHandle, client_env, config_env,
    proxy_env, trust_env,
};
use tokio::process::Command;

pub(crate) struct Bench {
    pub(crate) world: WorldHandle,
    pub(crate) gateway: Gateway,
    pub(crate) folder: tempfile::TempDir,
    /// Leads clients into the world.
    environment: Vec<(String, String)>,
}

impl Bench {
    /// A world with one service, seeded with these files.
    pub(crate) fn new(service: &'static str, files: &[(&str, &str)]) -> Self {
        let seed = cap_tempfile::tempdir(ambient_authority()).unwrap();
        for (path, text) in files {
            if let Some((folder, _)) = path.rsplit_once('/') {
                seed.create_dir_all(folder).unwrap();
            }
            seed.write(path, text).unwrap();
        }
        let services = vec![service.to_owned()];
        let world = World::seed(
            &seed,
            &SeedOptions {
                services,
                ..SeedOptions::default()
            },
        )
        .unwrap();
        let account = client_env(&[service], &world.account);
        let config = GatewayConfig::new(world.services());
        let world = WorldHandle::new(world, JournalCaps::default());
        let gateway = Gateway::new(world.clone(), config).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = listener.local_addr().unwrap();
        gateway.spawn_proxy(listener).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::write(file("ca.pem"), gateway.ca_pem()).unwrap();
        let environment = [
            account,
            config_env(&[service], &file("config")),
            trust_env(&file("ca.pem")),
            proxy_env(proxy),
        ];
        Self {
            environment: environment.concat(),
            world,
            gateway,
            folder,
        }
    }

    /// The path of a file in the clients' folder.
    pub(crate) fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// A program in a folder of the clients', with nothing in its environment
    /// but what leads it into the world.
    pub(crate) fn client(&self, program: impl AsRef<Path>, folder: &str) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .envs(self.environment.iter().cloned())
            .env("HOME", self.folder.path())
            .current_dir(self.folder.path().join(folder))
            .kill_on_drop(true);
        command
    }
}

/// Runs a program to its end.
pub(crate) async fn ended(command: &mut Command) -> Output {
    command.output().await.unwrap()
}

/// A file among the tools of this checkout, or a program on the `PATH`.
///
/// # Panics
/// Where it is not there: a test that is skipped in silence shows nothing.
pub(crate) fn tool(path: &str) -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools");
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let name = Path::new(path).file_name().unwrap();
    let elsewhere = std::env::split_paths(&on_path).map(|folder| folder.join(name));
    std::iter::once(tools.join(path))
        .chain(elsewhere.filter(|_| path.starts_with("bin/")))
        .find(|file| file.exists())
        .unwrap_or_else(|| panic!("{path} is not installed: run tools/setup.sh test"))
}
