# shellcheck shell=bash
# A temporary folder of a run's own, in which nothing may be left. To be sourced, after say.sh.

# Makes the folder, and names it by TMPDIR, so that all that is started has its temporary files there. It goes with the run.
# What compilers leave has a folder beside it: see for_compilers.
begin_temporary() {
    temporary="$(mktemp -d)"
    trap 'rm -rf "$temporary"' EXIT
    mkdir "$temporary/t" "$temporary/compilers"
    export TMPDIR="$temporary/t"
}

# for_compilers COMMAND…: a command whose temporary files are not looked for.
for_compilers() { TMPDIR="$temporary/compilers" "$@"; }

# Fails with the names of what is left, and removes it. Files that a compiler or linker leaves which a test has started are theirs.
nothing_is_left() {
    local left
    left="$(find "$TMPDIR" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vE '^(TemporaryDirectory\.|swift-|clang-|org\.llvm|lto-llvm)' | sort)" || true
    find "$TMPDIR" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
    [ -n "$left" ] || return 0
    say "Left in the temporary folder:"
    say "$left"
    return 1
}
