# shellcheck shell=bash
# Words on the terminal. To be sourced.

# Prints progress, separately from output that other programs may read.
say() { printf '%s\n' "$*" >&2; }

# Prints the reason, and exits.
fail() {
    say "$*"
    exit 1
}
