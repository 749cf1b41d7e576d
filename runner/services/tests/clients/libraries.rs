//! Libraries that call GitHub's REST interface.

use std::net::TcpListener;
use std::path::Path;

use crate::hydra::Bench;
use crate::kit::tool;

fn script(name: &str) -> String {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/scripts");
    scripts.join(name).to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn octokit_works_unmodified() {
    let bench = Bench::new();
    let modules = tool("npm/node_modules");
    // Node.js 20 knows no proxy: the plain port, as GitHub Enterprise is addressed.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    bench.gateway.spawn_plain(listener).unwrap();
    let line = format!(
        "cp {} play.mjs && ln -s {} node_modules && \
         GITHUB_API_URL=http://{address}/api/v3 node play.mjs",
        script("octokit.mjs"),
        modules.display(),
    );
    bench.says("", &line, &["octokit: done"]).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pygithub_works_unmodified() {
    let bench = Bench::new();
    let python = tool("venv/bin/python");
    let line = format!("{} {}", python.display(), script("github_api.py"));
    bench.says("", &line, &["pygithub: done"]).await;
    bench.close().await;
}
