//! How long it takes from nothing to the first program in a room, and back:
//! `cargo bench -p proctor-sandbox --bench start --profile dev`.

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::{Duration, Instant};

use proctor_sandbox::{ExecRequest, Sandbox, SandboxConfig};

const ROUNDS: usize = 200;

fn main() -> Result<(), proctor_sandbox::SandboxError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime can be built");
    let (mut open, mut first, mut closed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        runtime.block_on(async {
            let began = Instant::now();
            let config = SandboxConfig::new(env!("CARGO_BIN_EXE_proctor-init"), "");
            let (room, _sockets) = Sandbox::start(config).await?;
            open.push(began.elapsed());
            let running = room.stream(ExecRequest::new(["/usr/bin/true"])).await?;
            first.push(began.elapsed());
            assert!(running.finish().await?.status.success());
            let stopping = Instant::now();
            room.stop().await?;
            closed.push(stopping.elapsed());
            Ok::<_, proctor_sandbox::SandboxError>(())
        })?;
    }
    for (what, times) in [("start", open), ("first exec", first), ("stop", closed)] {
        let (p50, p95) = quantiles(times);
        println!("{what:>10}: p50 {p50:?}, p95 {p95:?}");
    }
    Ok(())
}

fn quantiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 95 / 100])
}
