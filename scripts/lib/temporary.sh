# shellcheck shell=bash
# A temporary folder of a run's own, which goes with the run. To be sourced, after say.sh.

# Makes the folder, and names it by TMPDIR, so that all that is started has its temporary files there. It goes with the run.
begin_temporary() {
    ordinary_temporary="${TMPDIR:-}"
    temporary="$(mktemp -d)"
    trap 'rm -rf "$temporary"' EXIT
    mkdir "$temporary/t"
    # Tests go on as a user who may do nothing, in folders of theirs below.
    chmod 755 "$temporary" "$temporary/t"
    export TMPDIR="$temporary/t"
}

# as_before COMMAND…: a command whose temporary files are where they would be without this. SwiftPM has its locks there, by which
# two builds of the same folder wait for each other.
as_before() {
    if [ -n "$ordinary_temporary" ]; then TMPDIR="$ordinary_temporary" "$@"; else env -u TMPDIR "$@"; fi
}

# Nothing of ours is left; what is, `left_over` names. What SwiftPM, compilers and linkers leave that tests have started is theirs.
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
