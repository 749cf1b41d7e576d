#!/usr/bin/env bash
# Formatting, lints and documentation, with warnings as errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for manifest in Cargo.toml graders/Cargo.toml; do
    cargo fmt --all --check --manifest-path "$manifest"
    cargo clippy --manifest-path "$manifest" --workspace --all-targets --locked -- -D warnings
done
RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked --quiet

if command -v shellcheck >/dev/null; then
    shellcheck tools/*.sh tests/bench/*.sh .ci/run
fi
