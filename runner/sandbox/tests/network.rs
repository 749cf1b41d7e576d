//! The captive network: every address leads to the sockets that the runner
//! holds, and nothing inside can take their place.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::io::{IoSlice, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::AsRawFd;

use common::{PATIENCE, config, python, room, said, text};
use nix::sys::socket::{
    ControlMessage, ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg, sendmsg,
};
use proctor_sandbox::{CaptiveSockets, ExecRequest, NAME_SERVER, Sandbox};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};

/// Accepts one connection and says which address it was meant for.
fn accept(listener: TcpListener) -> tokio::task::JoinHandle<(SocketAddr, TcpStream)> {
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        // Accepted sockets of a listener without delay have none either.
        assert!(stream.nodelay().unwrap());
        (stream.local_addr().unwrap(), stream)
    })
}

#[tokio::test]
async fn every_address_leads_to_the_gateway_and_says_which_it_was() {
    let mut config = config();
    config.ports = vec![8443, 22];
    let (room, sockets) = Sandbox::start(config).await.unwrap();
    let CaptiveSockets {
        https,
        http,
        dns_tcp,
        extra,
        ..
    } = sockets;
    let mut listeners = vec![(443, https), (80, http), (53, dns_tcp)];
    listeners.extend(extra);
    assert_eq!(
        listeners.iter().map(|(port, _)| *port).collect::<Vec<_>>(),
        [443, 80, 53, 8443, 22]
    );
    for (number, (port, listener)) in (0_u8..).zip(listeners) {
        let address = Ipv4Addr::new([8, 127, 10, 169, 203][usize::from(number)], 8, number, 1);
        let accepted = accept(listener);
        let program = format!(
            "s = socket.create_connection(('{address}', {port}), 5); s.send(b'hello'); print(s.getpeername()[0])"
        );
        assert_eq!(python(&room, &program).await, address.to_string());
        let (local, mut stream) = accepted.await.unwrap();
        assert_eq!(local, SocketAddr::new(IpAddr::V4(address), port));
        let mut hello = [0; 5];
        stream.read_exact(&mut hello).await.unwrap();
        assert_eq!(&hello, b"hello");
    }
}

#[tokio::test]
async fn other_ports_refuse_at_once() {
    let (room, _sockets) = room().await;
    let program = "
for port in (22, 25, 5432, 8443):
    print(attempt(lambda: socket.create_connection(('93.184.216.34', port), 30)))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('93.184.216.34', 4433)); s.send(b'x'); s.settimeout(30)
print(attempt(lambda: s.recv(1)))
print(attempt(lambda: socket.create_connection(('2606:4700::1111', 443), 30)))
";
    let refused =
        "ECONNREFUSED\nECONNREFUSED\nECONNREFUSED\nECONNREFUSED\nECONNREFUSED\nENETUNREACH";
    assert_eq!(python(&room, program).await, refused);
}

/// Answers one question with `address`, from the address that was asked.
async fn answer_one(socket: &UdpSocket, address: Ipv4Addr) -> Ipv4Addr {
    loop {
        socket.readable().await.unwrap();
        let answered = socket.try_io(tokio::io::Interest::READABLE, || answer(socket, address));
        match answered {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            other => return other.unwrap(),
        }
    }
}

fn answer(socket: &UdpSocket, address: Ipv4Addr) -> std::io::Result<Ipv4Addr> {
    let mut packet = [0; 512];
    let mut space = nix::cmsg_space!(nix::libc::in_pktinfo);
    let (length, peer, asked) = {
        let mut parts = [IoSliceMut::new(&mut packet)];
        let fd = socket.as_raw_fd();
        let got = recvmsg::<SockaddrIn>(fd, &mut parts, Some(&mut space), MsgFlags::empty())?;
        let asked = got.cmsgs().unwrap().find_map(|message| match message {
            ControlMessageOwned::Ipv4PacketInfo(info) => Some(info),
            _ => None,
        });
        (
            got.bytes,
            got.address.unwrap(),
            asked.expect("IP_PKTINFO is on"),
        )
    };
    // The question with the answer bits, and one A record that points at its
    // name.
    let question_end = 12 + packet[12..length].iter().position(|b| *b == 0).unwrap() + 5;
    let mut answer = packet[..question_end].to_vec();
    answer[2..12].copy_from_slice(&[0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
    answer.extend([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
    answer.extend(address.octets());
    let mut from = asked;
    from.ipi_ifindex = 0;
    from.ipi_spec_dst = asked.ipi_addr;
    let control = [ControlMessage::Ipv4PacketInfo(&from)];
    sendmsg(
        socket.as_raw_fd(),
        &[IoSlice::new(&answer)],
        &control,
        MsgFlags::empty(),
        Some(&peer),
    )
    .unwrap();
    Ok(Ipv4Addr::from(u32::from_be(asked.ipi_addr.s_addr)))
}

#[tokio::test]
async fn an_ordinary_client_resolves_and_connects_through_it() {
    let (room, sockets) = room().await;
    let CaptiveSockets { dns_udp, http, .. } = sockets;
    let dns_udp = UdpSocket::from_std(dns_udp).unwrap();
    let resolver = tokio::spawn(async move {
        let address = Ipv4Addr::new(203, 0, 113, 7);
        // One question for each address family.
        [
            answer_one(&dns_udp, address).await,
            answer_one(&dns_udp, address).await,
        ]
    });
    let accepted = accept(http);
    let answering = tokio::spawn(async move {
        let (local, mut stream) = accepted.await.unwrap();
        let mut request = [0; 1024];
        let length = stream.read(&mut request).await.unwrap();
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\nhi\n")
            .await
            .unwrap();
        (local, text(&request[..length]))
    });
    let request = ExecRequest::new([
        "curl",
        "-sS",
        "--max-time",
        "20",
        "http://api.example.com/x",
    ]);
    let output = room.exec(request.timeout(PATIENCE)).await.unwrap();
    assert_eq!(text(&output.stdout), "hi\n", "{}", text(&output.stderr));
    let (local, request) = answering.await.unwrap();
    assert_eq!(local.to_string(), "203.0.113.7:80");
    assert!(request.contains("Host: api.example.com"), "{request}");
    assert_eq!(resolver.await.unwrap(), [NAME_SERVER, NAME_SERVER]);
}

#[tokio::test]
async fn the_gateways_ports_cannot_be_taken_over() {
    let mut config = config();
    config.ports = vec![8443];
    let (room, sockets) = Sandbox::start(config).await.unwrap();
    let program = "
def take(kind, address, port):
    s = socket.socket(socket.AF_INET, kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    def bind():
        s.bind((address, port))
        if kind == socket.SOCK_STREAM:
            s.listen()
    return attempt(bind)
TCP, UDP = socket.SOCK_STREAM, socket.SOCK_DGRAM
for address in ('0.0.0.0', '127.0.0.1', '203.0.113.7'):
    print([take(TCP, address, p) for p in (443, 80, 53, 1, 1023, 8443)], take(UDP, address, 53))
s = socket.socket(socket.AF_INET6)
print(attempt(lambda: s.bind(('::', 443))))
print(take(TCP, '127.0.0.1', 8080), take(UDP, '0.0.0.0', 5353))
";
    let row = "['EACCES', 'EACCES', 'EACCES', 'EACCES', 'EACCES', 'EADDRINUSE'] EACCES";
    assert_eq!(
        python(&room, program).await,
        format!("{row}\n{row}\n{row}\nEACCES\nok ok")
    );
    // Routes and interfaces are fixed as well.
    let program = "
import struct
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
# RTM_DELROUTE of the default, RTM_NEWADDR, RTM_SETLINK: answered with an error each.
for kind, body in ((25, struct.pack('8BI', 2, 0, 0, 0, 255, 4, 254, 2, 0)), (20, struct.pack('4BI', 2, 8, 0, 0, 1)), (19, struct.pack('BxHiII', 0, 0, 1, 0, 1))):
    s.send(struct.pack('IHHII', 16 + len(body), kind, 5, 1, 0) + body)
    print(errno.errorcode[-struct.unpack('i', s.recv(4096)[16:20])[0]])
";
    assert_eq!(python(&room, program).await, "EPERM\nEPERM\nEPERM");
    drop(sockets);
}

#[tokio::test]
async fn there_is_nothing_but_loopback() {
    let (room, _sockets) = room().await;
    assert_eq!(
        said(&room, "ls /proc/sys/net/ipv4/conf").await,
        "all\ndefault\nlo"
    );
    assert_eq!(
        said(&room, "cat /etc/resolv.conf | head -1").await,
        format!("nameserver {NAME_SERVER}")
    );
}

#[tokio::test]
async fn rooms_do_not_reach_each_other() {
    let (one, _one_sockets) = room().await;
    let (other, _other_sockets) = room().await;
    let server = one
        .stream(
            ExecRequest::shell("exec python3 -m http.server 8000 --bind 0.0.0.0").timeout(PATIENCE),
        )
        .await
        .unwrap();
    let program = "print(attempt(lambda: socket.create_connection(('127.0.0.1', 8000), 5)))";
    for _ in 0..600 {
        if python(&one, program).await == "ok" {
            assert_eq!(python(&other, program).await, "ECONNREFUSED");
            drop(server);
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the server does not listen");
}
