# shellcheck shell=bash
# Finds the packages that are missing on this machine, and installs them if that is allowed. To be sourced, after say.sh.

# The packages that are missing, by the names that Debian and Ubuntu give them.
missing=()

# Whether the C compiler of the toolchain finds a header.
has_header() {
    local compiler
    compiler="$(dirname "$(readlink -f "$(command -v swift)")")/clang"
    [ -x "$compiler" ] || compiler=clang
    printf '#include <%s>\n' "$1" | "$compiler" -fsyntax-only -x c - 2>/dev/null
}

has_command() { command -v "$1" >/dev/null; }

# need PACKAGE CHECK…: PACKAGE is missing if the command CHECK fails.
need() {
    local package="$1"
    shift
    "$@" || missing+=("$package")
}

# Whether apt knows a package that installs something. On Ubuntu some packages only lead to a snap.
apt_has() {
    has_command apt-cache || return 1
    local candidate
    candidate="$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')"
    [ -n "$candidate" ] && [ "$candidate" != "(none)" ] && [[ "$candidate" != *snap* ]]
}

# Runs a command as root, if that needs no password.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    has_command apt-get || return 1
    [ "$(id -u)" = 0 ] || { has_command sudo && sudo -n true 2>/dev/null; }
}

# apt's lists of packages, which a fresh machine may not have.
refresh_packages() {
    may_install || return 0
    as_root apt-get update -q >&2 || say "The lists of packages could not be loaded; trying with those that are there."
}

# Installs the packages that `need` found missing; otherwise lists them and how to install them.
install_missing() {
    [ "${#missing[@]}" -gt 0 ] || return 0
    say "Missing: ${missing[*]}"
    if may_install; then
        refresh_packages
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >&2 \
            || fail "They could not be installed."
    elif has_command apt-get; then
        fail "Get it with: sudo apt-get install ${missing[*]}"
    else
        fail "These are the names that Debian gives the packages; install what your system calls them, and try again."
    fi
    missing=()
}
