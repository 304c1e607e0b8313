# Says in one sentence what is missing on this machine, and how to get it.
set -eu
fail() {
    echo "gg: $1" >&2
    exit 1
}
case "$(uname -s)" in
Linux) ;;
*) fail "gg confines its workers with Landlock and seccomp, so it needs Linux, and this is $(uname -s)" ;;
esac
command -v "$PYTHON" >/dev/null 2>&1 ||
    fail "Python 3.11 or newer is missing: install it (on Debian: apt-get install python3 python3-venv), or name it with 'make PYTHON=…'"
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$("$PYTHON" --version) is too old: gg needs Python 3.11 or newer (name one with 'make PYTHON=…')"
"$PYTHON" -c 'import venv, ensurepip' >/dev/null 2>&1 ||
    fail "this Python has no venv: install it (on Debian: apt-get install python3-venv)"
command -v cargo >/dev/null 2>&1 ||
    fail "Rust's cargo is missing: install Rust 1.85 or newer with rustup (https://rustup.rs)"
command -v cc >/dev/null 2>&1 ||
    fail "Rust links with a C compiler driver, and 'cc' is missing: install one (on Debian: apt-get install gcc libc6-dev)"
