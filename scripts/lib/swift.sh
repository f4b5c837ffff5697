# shellcheck shell=bash
# What every build needs. To be sourced, after say.sh and packages.sh.

# Ends unless there is a toolchain that is new enough.
check_swift() {
    local how="Get it from https://www.swift.org/install/"
    has_command swift || fail "There is no Swift on the PATH. $how"
    local version
    version="$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p')"
    [ -n "$version" ] || fail "swift --version does not say which version it is. $how"
    if [ "${version%%.*}" -lt 6 ] || { [ "${version%%.*}" = 6 ] && [ "${version#*.}" -lt 3 ]; }; then
        fail "This is Swift $version; OpenCoreData needs 6.3 or newer. $how"
    fi
}

# Notes which libraries are missing.
need_libraries() {
    [ "$(uname)" = Linux ] || return 0
    need libsqlite3-dev has_header sqlite3.h
    need zlib1g-dev has_header zlib.h
}
