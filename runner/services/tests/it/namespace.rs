//! A whole captive network: unmodified clients in a network namespace of their
//! own, on the real ports, behind the real resolver.

use std::io::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::process::Command;

use proctor_services::{
    CaptiveListeners, Gateway, GatewayConfig, JournalCaps, WorldHandle, trust_env,
};
use proctor_types::journal::EntryKind;

use crate::notes;
use crate::rig::{Output, run, world};

/// Names this test's inner half to itself.
const INSIDE: &str = "PROCTOR_TEST_INSIDE_NAMESPACE";

#[test]
fn unmodified_clients_live_in_a_captive_network() {
    if std::env::var_os(INSIDE).is_some() {
        inside();
        println!("the captive network holds");
        return;
    }
    // Everything leads to lo, and lo to us; names are resolved by 127.0.0.1.
    let resolver = tempfile::NamedTempFile::new().unwrap();
    writeln!(
        &resolver,
        "nameserver 127.0.0.1\noptions timeout:2 attempts:2"
    )
    .unwrap();
    let script = format!(
        "set -e; ip link set lo up; ip route add local 0.0.0.0/0 dev lo; \
         mount --bind {} /etc/resolv.conf; exec \"$0\" \"$@\"",
        resolver.path().display()
    );
    let output = Command::new("unshare")
        .args(["--map-root-user", "--net", "--mount", "sh", "-c", &script])
        .arg(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "namespace::unmodified_clients_live_in_a_captive_network",
            "--nocapture",
        ])
        .env(INSIDE, "1")
        .output()
        .expect("`unshare` of util-linux");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    assert!(
        said.contains("the captive network holds"),
        "{said}\n{complained}"
    );
}

fn inside() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let handle = WorldHandle::new(world(), JournalCaps::default());
        let gateway = Gateway::new(handle.clone(), GatewayConfig::new(notes::services())).unwrap();
        let dns_udp = UdpSocket::bind("0.0.0.0:53").unwrap();
        nix::sys::socket::setsockopt(&dns_udp, nix::sys::socket::sockopt::Ipv4PacketInfo, &true)
            .unwrap();
        let tcp = |port: u16| TcpListener::bind(("0.0.0.0", port)).unwrap();
        gateway
            .spawn_captive(CaptiveListeners {
                https: tcp(443),
                http: tcp(80),
                dns_tcp: tcp(53),
                dns_udp,
                extra: vec![tcp(22)],
            })
            .unwrap();
        let ca = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(ca.path(), gateway.ca_pem()).unwrap();
        let env = trust_env(ca.path().to_str().unwrap());
        let clients = Clients { env, handle };
        clients.names_are_resolved_from_any_server().await;
        clients.everyday_clients_reach_the_service().await;
        clients.everything_else_is_refused_and_named().await;
        gateway.shutdown().await;
    });
}

struct Clients {
    env: Vec<(String, String)>,
    handle: WorldHandle,
}

impl Clients {
    async fn run(&self, program: &str, args: &[&str]) -> Output {
        run(program, args, &self.env).await
    }

    async fn names_are_resolved_from_any_server(&self) {
        // A connected socket takes answers only from where it asked.
        let script = "
import socket
q = bytes.fromhex('1234010000010000000000000161016200') + b'\\0\\1\\0\\1'
for server in ('127.0.0.1', '8.8.8.8', '192.168.7.7'):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(10); s.connect((server, 53)); s.send(q)
    assert s.recv(512)[:2] == b'\\x12\\x34', server
import ipaddress
a = {i[4][0] for i in socket.getaddrinfo('notes.example', 443)}
b = {i[4][0] for i in socket.getaddrinfo('evil.example', 443)}
assert len(a) == 1 and len(b) == 1 and a != b, (a, b)
assert all(ipaddress.ip_address(x).is_global for x in a | b), (a, b)
print('resolved')";
        let done = self.run("python3", &["-c", script]).await;
        assert_eq!(done.stdout, "resolved\n", "{}", done.stderr);
    }

    async fn everyday_clients_reach_the_service(&self) {
        let node = "fetch('https://notes.example/people', {method: 'POST', body: '\"Node\"'})
            .then(r => r.text()).then(t => console.log(t))";
        let done = self.run("node", &["-e", node]).await;
        assert!(
            done.ok && done.stdout.contains("@notes.example"),
            "{}",
            done.stderr
        );
        let python = "import urllib.request as u; \
            print(u.urlopen('https://notes.example/people').read().decode())";
        let done = self.run("python3", &["-c", python]).await;
        assert!(
            done.ok && done.stdout.contains("Node"),
            "{}{}",
            done.stdout,
            done.stderr
        );
        let curl = [
            "-sS",
            "-w",
            "%{http_version}",
            "https://notes.example/people",
        ];
        let done = self.run("curl", &curl).await;
        assert!(
            done.ok && done.stdout.ends_with("]2"),
            "{}{}",
            done.stdout,
            done.stderr
        );
        let journal = self.handle.journal();
        assert_eq!(journal.len(), 3, "{journal:?}");
        assert!(journal.iter().all(proctor_types::JournalEntry::ok));
    }

    async fn everything_else_is_refused_and_named(&self) {
        let seen = self.handle.journal().len();
        let git = ["ls-remote", "https://code.example/a/b.git"];
        let done = self.run("git", &git).await;
        assert!(!done.ok && done.stderr.contains("403"), "{}", done.stderr);
        let done = self.run("curl", &["-sS", "https://1.2.3.4/x"]).await;
        assert!(
            done.stdout.contains("1.2.3.4 cannot be reached"),
            "{}{}",
            done.stdout,
            done.stderr
        );
        let ssh = "import socket; s = socket.create_connection(('shell.example', 22), 10); \
            s.sendall(b'SSH-2.0-x\\r\\n'); print(s.recv(10))";
        let done = self.run("python3", &["-c", ssh]).await;
        assert_eq!(done.stdout, "b''\n", "{}", done.stderr);
        let attempts = self.handle.journal().split_off(seen);
        let hosts: Vec<(&str, u16, &str)> = attempts
            .iter()
            .map(|entry| (entry.host.as_str(), entry.port, entry.service.as_str()))
            .collect();
        let expected = [
            ("code.example", 443, "https"),
            ("1.2.3.4", 443, "https"),
            ("shell.example", 22, "tcp"),
        ];
        assert_eq!(
            hosts, expected,
            "told from the address where nothing names it"
        );
        assert!(attempts.iter().all(|entry| entry.kind == EntryKind::Egress));
    }
}
