#!/usr/bin/env bash
# Builds each hostile grader that is a crate into the module beside it. They are
# graders like others: only what they do is hostile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

cargo build --quiet --locked --manifest-path ../../../Cargo.toml -p proctor-cli
for manifest in */Cargo.toml; do
    crate=${manifest%/Cargo.toml}
    case $crate in
        # Graders in Rust have no use for WASI, and `proctor` builds none that
        # imports it.
        wasi-*)
            cargo run --quiet --locked --manifest-path ../../../Cargo.toml -p proctor-grading \
                --example build_grader -- "$crate" -o "$crate.wasm" \
                --target-dir ../../../target/graders --unchecked
            ;;
        *)
            ../../../target/debug/proctor grader build "$crate" -o "$crate.wasm" \
                --target-dir ../../../target/graders
            # How it was built is of interest where somebody locks it.
            rm -f "$crate.build.toml"
            ;;
    esac
done
