# shellcheck shell=bash
# The fuzzers that are guided by coverage. To be sourced, after say.sh, in the folder of the package.

fuzz_path="${FUZZ_PATH:-.build-fuzz}"
# Permanent caches would count as leaks.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}"

# Builds the fuzzers, with a look at each edge and each comparison of all our code, AddressSanitizer for all of it, and
# UndefinedBehaviorSanitizer for what is in C. Sets `fuzzers`.
build_fuzzers() {
    local resources libraries product
    resources="$("$(dirname "$(readlink -f "$(command -v swiftc)")")/clang" -print-resource-dir)"
    libraries=("$resources"/lib/linux/libclang_rt.fuzzer_no_main-"$(uname -m)".a)
    [ -f "${libraries[0]}" ] || fail "The compiler has no libFuzzer: ${libraries[0]} is not there."
    fuzzers=()
    for product in ${FUZZ_PRODUCTS:-ParserFuzzer StoreFuzzer RouteFuzzer}; do
        OPENCOREDATA_FUZZING=1 swift build -c release --sanitize=address --scratch-path "$fuzz_path" \
            -Xswiftc -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table \
            -Xcc -fsanitize=undefined -Xcc -fno-sanitize-recover=undefined \
            -Xlinker "${libraries[0]}" -Xlinker -lstdc++ --product "$product" >&2 || fail "The fuzzers were not built."
        fuzzers+=("$fuzz_path/release/$product")
        # First inputs that are not texts are written by the code that reads them; texts are in Tests/Fuzzing/Seeds.
        "$fuzz_path/release/$product" --seeds "$fuzz_path/seeds" >/dev/null \
            || fail "$product could not write its first inputs."
    done
}

# The subjects of all fuzzers, each with its program: `json .build-fuzz/release/ParserFuzzer`.
fuzz_subjects() {
    local program name
    for program in "${fuzzers[@]}"; do
        for name in $("$program"); do printf '%s %s\n' "$name" "$program"; done
    done
}

# Temporary files lie in memory where that is possible, and are removed in the end.
fuzz_scratch() {
    local parent=/dev/shm
    [ -w "$parent" ] || parent="${TMPDIR:-/tmp}"
    TMPDIR="$(mktemp -d "$parent/fuzzing.XXXXXX")"
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
}

# fuzz_one SUBJECT PROGRAM SECONDS: runs one subject; its output and its figures go into files.
fuzz_one() {
    local name="$1" program="$2" seconds="$3" log inputs seeds options=() folders=() state=0 count edges slowest figures
    log="$fuzz_path/$name.log"
    inputs="$fuzz_path/inputs/$name"
    mkdir -p "$inputs" "$fuzz_path/findings"
    [ ! -f "Tests/Fuzzing/Dictionaries/$name" ] || options+=("-dict=Tests/Fuzzing/Dictionaries/$name")
    for seeds in "Tests/Fuzzing/Seeds/$name" "$fuzz_path/seeds/$name"; do
        [ ! -d "$seeds" ] || folders+=("$seeds")
    done
    FUZZ_SUBJECT="$name" FUZZ_SLOWEST="$fuzz_path/findings/$name-slowest" \
        "$program" "${options[@]}" -max_total_time="$seconds" -use_value_profile=1 -print_final_stats=1 -print_funcs=0 \
        -artifact_prefix="$fuzz_path/findings/$name-" "$inputs" "${folders[@]}" >"$log" 2>&1 || state=$?
    # The number of inputs comes last, after a finding too; the last line of progress is `#123 DONE cov: 456 ft: 789 corp: …`.
    count="$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)/\1/p' "$log" | tail -n 1)"
    edges="$(grep -aE '^#[0-9]+.* cov: [0-9]+' "$log" | tail -n 1 | sed -nE 's/^#[0-9]+.* cov: ([0-9]+) .*/\1/p' || true)"
    printf -v figures '%-20s %10s inputs %7s edges' "$name" "${count:-0}" "${edges:-0}"
    slowest="$(sed -nE 's/^the slowest input so far: ([0-9]+ ms), .*/\1/p' "$log" | tail -n 1)"
    [ -z "$slowest" ] || figures+="  at most $slowest"
    if [ "$state" != 0 ]; then
        figures+="  FINDING: $(grep -aE '^SUMMARY:|Fatal error' "$log" | head -n 1 || true), see $log"
    fi
    say "$figures"
    printf '%s\n' "$figures" >"$fuzz_path/figures/$name"
}

# fuzz_all SECONDS [SUBJECT…]: runs all subjects, or the named ones, some at once, and prints the result of each.
fuzz_all() {
    local seconds="$1" name program list=() jobs="${FUZZ_JOBS:-1}"
    shift
    # First of all: a program makes temporary folders even to say what its subjects are.
    fuzz_scratch
    while read -r name program; do
        [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
        list+=("$name $program")
    done < <(fuzz_subjects)
    [ "${#list[@]}" -gt 0 ] || fail "There is no such subject; there are: $(fuzz_subjects | cut -d ' ' -f 1 | xargs)"
    # A time of zero would mean no limit.
    seconds=$((seconds * jobs / ${#list[@]}))
    [ "$seconds" -gt 0 ] || fail "That is less than a second for each of ${#list[@]} subjects."
    rm -rf "$fuzz_path/figures"
    mkdir -p "$fuzz_path/figures"
    for name in "${list[@]}"; do
        while [ "$(jobs -r | wc -l)" -ge "$jobs" ]; do wait -n || true; done
        fuzz_one "${name% *}" "${name#* }" "$seconds" &
    done
    wait
    say ""
    cat "$fuzz_path"/figures/*
    awk '{ sum += $2 } END { printf "%-20s %10d inputs", "all", sum }' "$fuzz_path"/figures/*
    printf ', %s findings\n' "$(grep -l FINDING "$fuzz_path"/figures/* | wc -l)"
    ! grep -q FINDING "$fuzz_path"/figures/*
}

# read_again SUBJECT FILE: reads one input once more.
read_again() {
    local program
    fuzz_scratch
    program="$(fuzz_subjects | awk -v name="$1" '$1 == name { print $2 }')"
    [ -n "$program" ] || fail "There is no subject '$1'."
    FUZZ_SUBJECT="$1" "$program" "$2"
}
