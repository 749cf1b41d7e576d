//! `proctor-mcp`: the Model Context Protocol over standard input and output, for
//! clients that start their servers as programs. Every line goes to the world's
//! server of tools as it is, and the answer comes back as a line.
//!
//! `PROCTOR_MCP_URL` is the server's address ([`DEFAULT_URL`] where it is not
//! set); `http_proxy` leads there in a room without a network of its own.

mod forward;
mod message;

use std::env;
use std::process::ExitCode;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use forward::Server;
use message::Sent;

/// Where the server is in every world.
const DEFAULT_URL: &str = "http://mcp.proctor.test/mcp";
/// Longest line, in bytes: what the server takes, and a bit.
const MAX_LINE: u64 = 17 << 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            let text = format!("proctor-mcp: {problem}\n");
            // Nobody is left to tell when standard error is gone too.
            let _ = tokio::io::stderr().write_all(text.as_bytes()).await;
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let url = env::var("PROCTOR_MCP_URL").unwrap_or_else(|_| DEFAULT_URL.to_owned());
    let proxy = ["http_proxy", "HTTP_PROXY"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    let mut server = Server::new(&url, proxy.as_deref())?;
    let mut input = BufReader::new(tokio::io::stdin());
    let mut output = tokio::io::stdout();
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut bounded = (&mut input).take(MAX_LINE);
        if bounded.read_until(b'\n', &mut line).await? == 0 {
            return Ok(());
        }
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            return Err(format!("a line of more than {MAX_LINE} bytes is no message").into());
        }
        let message = line.trim_ascii();
        if message.is_empty() {
            continue;
        }
        let sent = Sent::read(message);
        if let Some(mut answer) = server.ask(&sent, message).await {
            answer.push(b'\n');
            output.write_all(&answer).await?;
            output.flush().await?;
        }
    }
}
