//! Serves a world with one mail on a plain port until it is killed, for
//! measuring requests per second:
//!
//! ```text
//! cargo run --release -p proctor-services --example serve_fixed -- 127.0.0.1:8080
//! ```
//!
//! Prints the URL of the mail, which any bearer token may read.

#![allow(clippy::print_stdout, reason = "the URL is what the program is for")]

use std::error::Error;
use std::net::TcpListener;

use cap_std::ambient_authority;
use proctor_services::{Gateway, GatewayConfig, JournalCaps, SeedOptions, World, WorldHandle};

const WORLD: &str = "\
clock: 2026-03-02T09:00:00Z
account: {email: sam@example.com, name: Sam Ode}
";
const MAIL: &str = "\
From: Ada <ada@example.com>\r
To: Sam Ode <sam@example.com>\r
Subject: The numbers of February\r
Date: Mon, 02 Mar 2026 08:30:00 +0000\r
Message-ID: <february@example.com>\r
\r
Dear Sam,\r
\r
the numbers of February are in, and they are better than those of January.\r
Could you put them into the quarterly overview by Thursday?\r
\r
Ada\r
";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let seed = cap_tempfile::tempdir(ambient_authority())?;
    seed.create_dir_all("google/mail")?;
    seed.write("world.yaml", WORLD)?;
    seed.write("google/mail/february.eml", MAIL)?;
    let world = World::seed(
        &seed,
        &SeedOptions {
            services: vec!["google".to_owned()],
            ..SeedOptions::default()
        },
    )?;
    let config = GatewayConfig::new(world.services());
    let handle = WorldHandle::new(world, JournalCaps::rolling());
    let gateway = Gateway::new(handle.clone(), config)?;
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    gateway.spawn_plain(listener)?;
    let mails = handle
        .snapshot()
        .gmail
        .map(|gmail| gmail.messages)
        .unwrap_or_default();
    let mail = mails.first().ok_or("the mail is not in the mailbox")?;
    println!("http://{address}/gmail/v1/users/me/messages/{}", mail.id);
    std::future::pending().await
}
