# shellcheck shell=bash
# Steps that are timed and counted, with a summary. To be sourced, after say.sh.

summary=()
failures=0
notes=()

# step NAME COMMAND…: runs a command; what went wrong is counted, and the next step may follow.
step() {
    local name="$1" begin="$SECONDS" state=passed
    shift
    say ""
    say "==> $name"
    if ! "$@"; then
        state=FAILED
        failures=$((failures + 1))
    fi
    summary+=("$(printf '%-24s %-8s %4d s' "$name" "$state" $((SECONDS - begin)))")
    [ "$state" = passed ]
}

# note_second_tries FILE: the summary names the tests in a file, if there is one, as those that passed on the second try.
note_second_tries() {
    local name
    [ -f "$1" ] || return 0
    while read -r name; do notes+=("passed on the second try: $name"); done <"$1"
}

# Prints what passed and what did not; fails if anything failed.
summarize() {
    say ""
    printf '%s\n' "${summary[@]}"
    [ "${#notes[@]}" = 0 ] || printf '%s\n' "${notes[@]}"
    printf '%-24s %-8s %4d s\n' "all" "$([ "$failures" = 0 ] && echo passed || echo FAILED)" "$SECONDS"
    [ "$failures" = 0 ]
}
