#!/bin/sh
# Runs the compiler for cargo (RUSTC_WRAPPER), with one argument changed.
#
# Cargo identifies a package outside of the workspace, such as an SDK beside the
# graders, by its absolute path, and passes a digest of that to the compiler as
# `-C metadata=...`. The digest ends up in symbol names and orders functions:
# the same sources in another directory would give other bytes. Packages that
# are not from a registry are identified by name and version instead.
#
# PROCTOR_LOCAL_PACKAGES: their directories, each between two colons.
case ":$PROCTOR_LOCAL_PACKAGES:" in
*":$CARGO_MANIFEST_DIR:"*) ;;
*) exec "$@" ;;
esac
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    case $argument in
    metadata=*) argument="metadata=$CARGO_PKG_NAME-$CARGO_PKG_VERSION" ;;
    esac
    set -- "$@" "$argument"
    count=$((count - 1))
done
exec "$@"
