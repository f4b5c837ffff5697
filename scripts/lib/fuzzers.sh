# shellcheck shell=bash
# The fuzzers that are guided by coverage. To be sourced, after say.sh, in the folder of the package.

fuzz_path="${FUZZ_PATH:-.build-fuzz}"
# What is cached for good would count as a leak.
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

# fuzz_one SUBJECT PROGRAM SECONDS: runs one subject; what it says goes into a file, and its figures into `summary`.
fuzz_one() {
    local name="$1" program="$2" seconds="$3" log inputs seeds options=() folders=() state=0 figures
    log="$fuzz_path/$name.log"
    inputs="$fuzz_path/inputs/$name"
    mkdir -p "$inputs" "$fuzz_path/findings"
    [ ! -f "Tests/Fuzzing/Dictionaries/$name" ] || options+=("-dict=Tests/Fuzzing/Dictionaries/$name")
    for seeds in "Tests/Fuzzing/Seeds/$name" "$fuzz_path/seeds/$name"; do
        [ ! -d "$seeds" ] || folders+=("$seeds")
    done
    FUZZ_SUBJECT="$name" "$program" "${options[@]}" -max_total_time="$seconds" -use_value_profile=1 -print_final_stats=1 \
        -artifact_prefix="$fuzz_path/findings/$name-" "$inputs" "${folders[@]}" >"$log" 2>&1 || state=$?
    # The last line of progress: #123 DONE cov: 456 ft: 789 corp: …
    figures="$(grep -aE '^#[0-9]+.* cov: [0-9]+' "$log" | tail -n 1 | sed -nE 's/^#([0-9]+).* cov: ([0-9]+) .*/\1 \2/p')"
    printf -v figures '%-20s %10s inputs %7s edges' "$name" ${figures:-0 0}
    if [ "$state" != 0 ]; then
        figures+="  FINDING: $(grep -aE '^SUMMARY:|Fatal error' "$log" | head -n 1), see $log"
        findings=$((findings + 1))
    fi
    say "$figures"
    summary+=("$figures")
}

# fuzz_all SECONDS [SUBJECT…]: runs the subjects, or those that are named, and says what came of each.
fuzz_all() {
    local seconds="$1" name program list=() summary=() findings=0 inputs
    shift
    while read -r name program; do
        [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
        list+=("$name $program")
    done < <(fuzz_subjects)
    [ "${#list[@]}" -gt 0 ] || fail "There is no such subject; there are: $(fuzz_subjects | cut -d ' ' -f 1 | xargs)"
    fuzz_scratch
    for name in "${list[@]}"; do
        fuzz_one "${name% *}" "${name#* }" $((seconds / ${#list[@]}))
    done
    inputs="$(printf '%s\n' "${summary[@]}" | awk '{ sum += $2 } END { print sum }')"
    say ""
    printf '%s\n' "${summary[@]}"
    printf '%-20s %10s inputs, %s findings\n' "all" "$inputs" "$findings"
    [ "$findings" = 0 ]
}

# read_again SUBJECT FILE: reads one input once more.
read_again() {
    local program
    program="$(fuzz_subjects | awk -v name="$1" '$1 == name { print $2 }')"
    [ -n "$program" ] || fail "There is no subject '$1'."
    fuzz_scratch
    FUZZ_SUBJECT="$1" "$program" "$2"
}
