# shellcheck shell=bash
# Words on the terminal. To be sourced.

# Says what happens; output that others may read stays clean.
say() { printf '%s\n' "$*" >&2; }

# Says why nothing more happens, and ends.
fail() {
    say "$*"
    exit 1
}
