//! The agent's room: namespaces, init, captive sockets, workspace collection.
