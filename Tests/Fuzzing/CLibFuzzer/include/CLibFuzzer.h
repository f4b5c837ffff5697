#ifndef C_LIB_FUZZER_H
#define C_LIB_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer, whose library comes with the compiler: tries inputs until a limit among the arguments is reached or
/// one is a finding.
///
/// - Parameters:
///   - count: the number of arguments.
///   - arguments: the arguments of the program.
///   - body: tries an input; returns 0.
/// - Returns: the state that the program ends with.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*body)(const uint8_t *bytes, size_t length));

#endif
