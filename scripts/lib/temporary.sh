# shellcheck shell=bash
# A temporary folder for one run, which is removed with it. To be sourced, after say.sh.

# Makes the folder, and names it by TMPDIR, so that all programs that it starts have their temporary files there. It is removed with the run.
begin_temporary() {
    ordinary_temporary="${TMPDIR:-}"
    temporary="$(mktemp -d)"
    trap 'rm -rf "$temporary"' EXIT
    mkdir "$temporary/t"
    # Tests continue as a user without permissions, in folders of that user below.
    chmod 755 "$temporary" "$temporary/t"
    export TMPDIR="$temporary/t"
}

# as_before COMMAND…: a command whose temporary files are where they would be without this. SwiftPM has its locks there, by which
# two builds of the same folder wait for each other.
as_before() {
    if [ -n "$ordinary_temporary" ]; then TMPDIR="$ordinary_temporary" "$@"; else env -u TMPDIR "$@"; fi
}

# None of our files may remain; `left_over` names those that do. Leftovers of SwiftPM, compilers and linkers that tests have started do not count.
nothing_is_left() {
    local left
    # shellcheck disable=SC2010
    left="$(ls -A "$TMPDIR" | grep -vE '^(TemporaryDirectory\.|swift-|clang-|org\.llvm|lto-llvm|_.*\.lock$)')" || true
    [ -z "$left" ] || {
        left_over="Left in the temporary folder: $(wc -l <<<"$left") ($(head -n 5 <<<"$left" | tr '\n' ' '))"
        say "$left_over"
        return 1
    }
}
