//! The two requests to rtnetlink that rooms need.

use std::io;

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage,
    NetlinkPayload,
};
use netlink_packet_route::link::{LinkFlags, LinkMessage};
use netlink_packet_route::route::{
    RouteAttribute, RouteHeader, RouteMessage, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};

/// The kernel's table of local addresses.
const LOCAL_TABLE: u8 = 255;
/// The loopback interface is the first of every network namespace.
const LOOPBACK: u32 = 1;

/// `ip route replace local 0.0.0.0/0 dev lo`: every IPv4 address is one of
/// this machine's own, so a socket bound to 0.0.0.0 accepts what is sent to
/// any address (the kernel's "`AnyIP`").
pub(super) fn route_everything_here() -> io::Result<()> {
    let mut route = RouteMessage::default();
    route.header = RouteHeader {
        address_family: AddressFamily::Inet,
        destination_prefix_length: 0,
        table: LOCAL_TABLE,
        protocol: RouteProtocol::Static,
        scope: RouteScope::Host,
        kind: RouteType::Local,
        ..RouteHeader::default()
    };
    route.attributes.push(RouteAttribute::Oif(LOOPBACK));
    request(
        RouteNetlinkMessage::NewRoute(route),
        NLM_F_CREATE | NLM_F_REPLACE,
    )
}

/// `ip link set lo up`.
pub(super) fn raise_loopback() -> io::Result<()> {
    let mut link = LinkMessage::default();
    link.header.index = LOOPBACK;
    link.header.flags = LinkFlags::Up;
    link.header.change_mask = LinkFlags::Up;
    request(RouteNetlinkMessage::SetLink(link), 0)
}

fn request(what: RouteNetlinkMessage, flags: u16) -> io::Result<()> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_ACK | flags;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(what));
    message.finalize();
    let mut packet = vec![0; message.buffer_len()];
    message.serialize(&mut packet);

    let socket = Socket::new(NETLINK_ROUTE)?;
    socket.connect(&SocketAddr::new(0, 0))?;
    socket.send(&packet, 0)?;
    let (answer, _) = socket.recv_from_full()?;
    let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
    match answer.payload {
        NetlinkPayload::Error(answer) if answer.code.is_none() => Ok(()),
        NetlinkPayload::Error(answer) => Err(answer.to_io()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "no answer from rtnetlink",
        )),
    }
}
