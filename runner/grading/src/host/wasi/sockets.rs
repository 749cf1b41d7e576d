//! Sockets that nobody gets.
//!
//! The C library below an interpreter imports them whether or not anybody
//! calls them, so they are there: a function that can fail answers "access
//! denied", one that hands out a thing hands out a dead one, and any other
//! ends the grade. No socket can come into being this way, so the functions of
//! sockets are never reached.

use wasmtime::component::types::{ComponentFunc, ComponentInstance, ComponentItem};
use wasmtime::component::{Component, Linker, ResourceDynamic, ResourceType, Type, Val};
use wasmtime::{Result, StoreContextMut};

use super::io::{InputStream, IoError, OutputStream, Pollable};
use crate::host::state::{State, Stop};

/// By name without version.
pub(super) const INTERFACES: &[&str] = &[
    "wasi:sockets/instance-network",
    "wasi:sockets/ip-name-lookup",
    "wasi:sockets/network",
    "wasi:sockets/tcp",
    "wasi:sockets/tcp-create-socket",
    "wasi:sockets/udp",
    "wasi:sockets/udp-create-socket",
];

/// The error that every function gives that has it among its errors.
const DENIED: &str = "access-denied";

/// Gives the component those interfaces of sockets that it imports.
pub(super) fn deny(linker: &mut Linker<State>, component: &Component) -> Result<()> {
    let engine = linker.engine().clone();
    for (name, import) in component.component_type().imports(&engine) {
        let interface = name
            .split_once('@')
            .map_or(name, |(interface, _)| interface);
        if let ComponentItem::ComponentInstance(instance) = import.ty
            && INTERFACES.contains(&interface)
        {
            deny_instance(linker, name, &instance)?;
        }
    }
    Ok(())
}

fn deny_instance(
    linker: &mut Linker<State>,
    interface: &str,
    instance: &ComponentInstance,
) -> Result<()> {
    let engine = linker.engine().clone();
    let mut given = linker.instance(interface)?;
    for (name, export) in instance.exports(&engine) {
        match export.ty {
            ComponentItem::ComponentFunc(_) => given.func_new(name, answer)?,
            ComponentItem::Resource(_) => {
                given.resource(name, resource(name), |_, _| Ok(()))?;
            }
            // Types of values give nothing; anything else does not match and
            // is refused when the component is linked.
            _ => {}
        }
    }
    Ok(())
}

/// Another interface's resource under its own type, ours under one for each
/// name.
fn resource(name: &str) -> ResourceType {
    match name {
        "error" => ResourceType::host::<IoError>(),
        "pollable" => ResourceType::host::<Pollable>(),
        "input-stream" => ResourceType::host::<InputStream>(),
        "output-stream" => ResourceType::host::<OutputStream>(),
        "network" => ResourceType::host_dynamic(NETWORK),
        "tcp-socket" => ResourceType::host_dynamic(1),
        "udp-socket" => ResourceType::host_dynamic(2),
        "incoming-datagram-stream" => ResourceType::host_dynamic(3),
        "outgoing-datagram-stream" => ResourceType::host_dynamic(4),
        "resolve-address-stream" => ResourceType::host_dynamic(5),
        _ => ResourceType::host_dynamic(u32::MAX),
    }
}

const NETWORK: u32 = 0;

#[expect(clippy::needless_pass_by_value, reason = "the engine calls it so")]
fn answer(
    mut store: StoreContextMut<'_, State>,
    function: ComponentFunc,
    _: &[Val],
    results: &mut [Val],
) -> Result<()> {
    store.data_mut().charge(0)?;
    let [result] = results else {
        return Err(Stop::Socket.into());
    };
    *result = match function.results().next() {
        Some(Type::Result(types)) if can_be_denied(types.err()) => {
            Val::Result(Err(Some(Box::new(Val::Enum(DENIED.to_owned())))))
        }
        Some(Type::Own(of)) if of == ResourceType::host_dynamic(NETWORK) => {
            let network = ResourceDynamic::new_own(0, NETWORK);
            Val::Resource(network.try_into_resource_any(&mut store)?)
        }
        _ => return Err(Stop::Socket.into()),
    };
    Ok(())
}

fn can_be_denied(error: Option<Type>) -> bool {
    matches!(error, Some(Type::Enum(codes)) if codes.names().any(|name| name == DENIED))
}
