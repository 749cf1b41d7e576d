//! DNS: every name has an address, and every address leads here.

use std::collections::HashMap;
use std::io::{IoSlice, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::AsRawFd as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hickory_proto::op::{Edns, Message, MessageType, Metadata, OpCode, ResponseCode};
use hickory_proto::rr::rdata::A;
use hickory_proto::rr::{DNSClass, RData, Record, RecordType};
use nix::sys::socket::{
    ControlMessage, ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg, sendmsg,
};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, Interest};
use tokio::net::{TcpStream, UdpSocket};

use super::Shared;

/// Addresses are of this /16. An ordinary public network: agents' guards
/// against request forgery refuse loopback, private and documentation ranges.
/// Nothing leaves the namespace, so it does not matter whose it is outside.
const NETWORK: [u8; 2] = [142, 250];
/// Names that can be told again from their address.
const KNOWN_NAMES: usize = 4096;
/// Seconds for which clients may keep an answer.
const TTL: u32 = 60;
/// Longest query taken over UDP; EDNS clients announce up to 4096.
const UDP_BYTES: usize = 4096;
/// Time for the next query on a TCP connection.
const TCP_IDLE: Duration = Duration::from_secs(10);
/// Queries on one TCP connection.
const TCP_QUERIES: usize = 256;

/// Which name an address was given out for. It is how the journal can name
/// the host of a connection that never says it.
#[derive(Debug, Default)]
pub(super) struct Names {
    given: Mutex<HashMap<Ipv4Addr, String>>,
}

impl Names {
    /// The address of a name: the same in every world and whatever was asked
    /// before, so that it does not differ between runs.
    fn address_of(&self, name: &str) -> Ipv4Addr {
        if name == "localhost" || name.ends_with(".localhost") {
            return Ipv4Addr::LOCALHOST; // RFC 6761, section 6.3
        }
        let [a, b, ..] = <[u8; 32]>::from(Sha256::digest(name.as_bytes()));
        // Not .0 and not .255, which some take for a network's own.
        let address = Ipv4Addr::new(NETWORK[0], NETWORK[1], a, b % 254 + 1);
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        if given.len() < KNOWN_NAMES {
            given.entry(address).or_insert_with(|| name.to_owned());
        }
        address
    }

    /// The name that an address was given out for, else the address itself.
    pub(super) fn name_of(&self, address: IpAddr) -> String {
        let address = address.to_canonical();
        if let IpAddr::V4(v4) = address {
            let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(name) = given.get(&v4) {
                return name.clone();
            }
        }
        address.to_string()
    }
}

/// The answer to a query; `None` for what is no query.
fn answer(names: &Names, query: &[u8]) -> Option<Vec<u8>> {
    let query = Message::from_vec(query).ok()?;
    let metadata = query.metadata;
    let [question] = query.queries.as_slice() else {
        return None;
    };
    if metadata.message_type != MessageType::Query {
        return None;
    }
    let mut reply = Message::response(metadata.id, metadata.op_code);
    reply.metadata = Metadata::response_from_request(&metadata);
    reply.metadata.recursion_available = true;
    reply.add_query(question.clone());
    if query.edns.is_some() {
        let mut edns = Edns::new();
        edns.set_max_payload(1232);
        reply.set_edns(edns);
    }
    if metadata.op_code != OpCode::Query {
        reply.metadata.response_code = ResponseCode::NotImp;
    } else if question.query_class() == DNSClass::IN
        && matches!(question.query_type(), RecordType::A | RecordType::ANY)
    {
        let name = question.name().to_lowercase().to_ascii();
        let address = names.address_of(name.trim_end_matches('.'));
        let record = Record::from_rdata(question.name().clone(), TTL, RData::A(A(address)));
        reply.add_answer(record);
    }
    // Any other type: NOERROR without records, "there is such a name, but not
    // this of it". Clients then go by the A record.
    reply.to_vec().ok()
}

/// Answers queries over UDP, each from the address that was asked: a resolver
/// that asked 8.8.8.8 drops an answer from anywhere else.
pub(super) async fn serve_udp(shared: Arc<Shared>, socket: UdpSocket) {
    let mut buffer = vec![0; UDP_BYTES];
    loop {
        let received = socket
            .async_io(Interest::READABLE, || receive(&socket, &mut buffer))
            .await;
        let (length, peer, asked) = match received {
            Ok((length, Some(peer), asked)) => (length, peer, asked),
            Ok((_, None, _)) => continue,
            Err(error) => {
                tracing::debug!(%error, "DNS over UDP");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let query = buffer.get(..length).unwrap_or_default();
        let Some(reply) = answer(&shared.names, query) else {
            continue;
        };
        // A full send buffer loses the answer, as UDP may; clients ask again.
        let sent = socket.try_io(Interest::WRITABLE, || send(&socket, &reply, &peer, asked));
        if let Err(error) = sent {
            tracing::debug!(%error, "DNS over UDP");
        }
    }
}

type Received = (usize, Option<SockaddrIn>, Option<nix::libc::in_pktinfo>);

fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> std::io::Result<Received> {
    let mut parts = [IoSliceMut::new(buffer)];
    let mut space = nix::cmsg_space!(nix::libc::in_pktinfo);
    let flags = MsgFlags::MSG_DONTWAIT;
    let message = recvmsg::<SockaddrIn>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    let asked = message.cmsgs()?.find_map(|control| match control {
        ControlMessageOwned::Ipv4PacketInfo(info) => Some(info),
        _ => None,
    });
    Ok((message.bytes, message.address, asked))
}

fn send(
    socket: &UdpSocket,
    reply: &[u8],
    peer: &SockaddrIn,
    asked: Option<nix::libc::in_pktinfo>,
) -> std::io::Result<()> {
    let source = asked.map(|mut info| {
        info.ipi_spec_dst = info.ipi_addr;
        info.ipi_ifindex = 0;
        info
    });
    let control = source.as_ref().map(ControlMessage::Ipv4PacketInfo);
    let parts = [IoSlice::new(reply)];
    sendmsg(
        socket.as_raw_fd(),
        &parts,
        control.as_slice(),
        MsgFlags::MSG_DONTWAIT,
        Some(peer),
    )?;
    Ok(())
}

/// Answers queries over TCP: each message after its length (RFC 1035, section
/// 4.2.2).
pub(super) async fn serve_tcp(shared: Arc<Shared>, mut stream: TcpStream) {
    for _ in 0..TCP_QUERIES {
        let exchange = tokio::time::timeout(TCP_IDLE, exchange(&shared.names, &mut stream));
        let next = tokio::select! {
            () = shared.drain.cancelled() => return,
            next = exchange => next,
        };
        if !matches!(next, Ok(Ok(()))) {
            return;
        }
    }
}

async fn exchange(names: &Names, stream: &mut TcpStream) -> std::io::Result<()> {
    let length = stream.read_u16().await?;
    let mut query = vec![0; usize::from(length)];
    stream.read_exact(&mut query).await?;
    let reply = answer(names, &query).ok_or(std::io::ErrorKind::InvalidData)?;
    let length = u16::try_from(reply.len()).map_err(|_| std::io::ErrorKind::InvalidData)?;
    let mut message = length.to_be_bytes().to_vec();
    message.extend(reply);
    stream.write_all(&message).await
}

#[cfg(test)]
mod tests {
    use std::str::FromStr as _;

    use hickory_proto::op::Query;
    use hickory_proto::rr::Name;

    use super::*;

    fn ask(names: &Names, name: &str, kind: RecordType) -> Message {
        let mut query = Message::new(7, MessageType::Query, OpCode::Query);
        query.metadata.recursion_desired = true;
        query.add_query(Query::query(Name::from_str(name).unwrap(), kind));
        let reply = answer(names, &query.to_vec().unwrap()).unwrap();
        Message::from_vec(&reply).unwrap()
    }

    fn address(reply: &Message) -> Ipv4Addr {
        match reply.answers.as_slice() {
            [
                Record {
                    data: RData::A(A(address)),
                    ..
                },
            ] => *address,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_name_has_an_ordinary_address_of_its_own() {
        let names = Names::default();
        let reply = ask(&names, "GMail.googleapis.com.", RecordType::A);
        assert_eq!(reply.metadata.id, 7);
        assert!(reply.metadata.recursion_desired && reply.metadata.recursion_available);
        assert_eq!(reply.metadata.response_code, ResponseCode::NoError);
        let one = address(&reply);
        let special = one.is_private() || one.is_loopback() || one.is_documentation();
        assert!(!special && !one.is_link_local() && !one.is_multicast());
        assert_eq!(
            one,
            address(&ask(
                &Names::default(),
                "gmail.googleapis.com.",
                RecordType::A
            ))
        );
        assert_ne!(one, address(&ask(&names, "example.com.", RecordType::A)));
        assert_eq!(names.name_of(one.into()), "gmail.googleapis.com");
        assert_eq!(
            names.name_of(one.to_ipv6_mapped().into()),
            "gmail.googleapis.com"
        );
        assert_eq!(names.name_of([8, 8, 8, 8].into()), "8.8.8.8");
        let local = address(&ask(&names, "localhost.", RecordType::A));
        assert_eq!(local, Ipv4Addr::LOCALHOST);
    }

    #[test]
    fn other_types_are_empty_and_no_error() {
        for kind in [
            RecordType::AAAA,
            RecordType::TXT,
            RecordType::MX,
            RecordType::HTTPS,
        ] {
            let reply = ask(&Names::default(), "example.com.", kind);
            assert_eq!(reply.metadata.response_code, ResponseCode::NoError);
            assert!(reply.answers.is_empty(), "{kind}");
        }
    }

    #[test]
    fn what_is_no_query_gets_no_answer() {
        let names = Names::default();
        let mut response = Message::response(1, OpCode::Query);
        response.add_query(Query::query(Name::root(), RecordType::A));
        let no_question = Message::new(1, MessageType::Query, OpCode::Query);
        // A name that is a pointer to itself.
        let looped = b"\0\x01\x01\0\0\x01\0\0\0\0\0\0\xc0\x0c\0\x01\0\x01".to_vec();
        let cut = b"\0\x01\x01\0\0\x01\0\0\0\0\0\0\x3fabc".to_vec();
        for bytes in [
            Vec::new(),
            vec![0xff; 4096],
            looped,
            cut,
            response.to_vec().unwrap(),
            no_question.to_vec().unwrap(),
        ] {
            assert_eq!(answer(&names, &bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn any_bytes_are_survived() {
        let names = Names::default();
        let mut query = Message::new(7, MessageType::Query, OpCode::Query);
        query.add_query(Query::query(
            Name::from_str("a.b.example.").unwrap(),
            RecordType::A,
        ));
        query.set_edns(Edns::new());
        let query = query.to_vec().unwrap();
        let mut answered = 0;
        for place in 0..query.len() {
            for byte in 0..=u8::MAX {
                let mut bytes = query.clone();
                bytes[place] = byte;
                answered += usize::from(answer(&names, &bytes).is_some());
            }
            assert_eq!(answer(&names, &query[..place]), None, "cut at {place}");
        }
        assert!(answered > query.len(), "most changes leave a query");
    }

    #[test]
    fn names_that_are_remembered_are_bounded() {
        let names = Names::default();
        for n in 0..KNOWN_NAMES * 4 {
            names.address_of(&format!("host-{n}.example"));
        }
        assert!(names.given.lock().unwrap().len() <= KNOWN_NAMES);
    }
}
