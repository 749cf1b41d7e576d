#!/usr/bin/env bash
# Builds every grader from source into the task pack of the same name, and
# records the new digests in proctor.lock.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo build --workspace --bins --locked

for crate in graders/*/; do
    name=$(basename "$crate")
    [[ -f $crate/Cargo.toml ]] || continue
    [[ -d tasks/$name ]] || { printf 'graders: no task pack for %s\n' "$crate" >&2; exit 1; }
    target/debug/proctor grader build "graders/$name" --output "tasks/$name/grader.wasm"
done
target/debug/proctor lock tasks
