#!/bin/sh
# Says what is missing for building, before anything fails half-way.
python=$1
cargo=$2
if ! command -v "$python" >/dev/null || ! "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))'; then
    echo "Plimsoll needs Python 3.11 or newer with venv (Debian: apt install python3 python3-venv), or PYTHON=python3.x" >&2
    exit 1
fi
if ! command -v "$cargo" >/dev/null; then
    echo "Plimsoll needs Rust (cargo) to build its core: see rustup.rs, or your distribution's package" >&2
    exit 1
fi
