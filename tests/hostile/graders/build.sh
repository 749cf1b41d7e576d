#!/usr/bin/env bash
# Builds each hostile grader into the module beside its crate.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

build() {
    cargo run --quiet --manifest-path ../../../Cargo.toml -p proctor-grading \
        --example build_grader -- "$@"
}

for manifest in */Cargo.toml; do
    crate=${manifest%/Cargo.toml}
    printf '%s\n' "$crate" >&2
    case $crate in
        core-module) build "$crate" -o "$crate.wasm" --module ;;
        imports-wasi | wrong-abi) build "$crate" -o "$crate.wasm" --unchecked ;;
        *) build "$crate" -o "$crate.wasm" ;;
    esac
done
