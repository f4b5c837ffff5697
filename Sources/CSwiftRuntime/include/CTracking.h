#ifndef CTRACKING_H
#define CTRACKING_H

#include <stddef.h>
// Says whether the C library is glibc: the Swift compiler reads this header without any other of the library.
#if defined(__linux__) && defined(__has_include)
#if __has_include(<features.h>)
#include <features.h>
#endif
#endif

/// For a variable of the thread: access calls no function, which would have the caller keep its registers. glibc has room for such
/// variables of libraries that are loaded later.
#if defined(__linux__) && defined(__GLIBC__)
#define COREDATA_NEAR_VARIABLE __attribute__((tls_model("initial-exec")))
#else
#define COREDATA_NEAR_VARIABLE
#endif

// Observation notes in a variable of each thread whether code runs inside of withObservationTracking, and does not export it. Its value is
// NULL while a thread tracks nothing. These functions find it among the thread's variables of the module that Observation is in, by
// what it is outside of tracking and inside; Swift does the tracking. Where it is not found, a thread counts as one that may track.

/// Where a thread reads whether it tracks; NULL until it has been looked up on this thread.
extern _Thread_local void *const *coredata_tracking_variable COREDATA_NEAR_VARIABLE;

/// Whether code of this thread may be tracked; false only where it certainly is not. Two loads.
static inline _Bool coredata_may_be_tracking(void) {
    void *const *variable = coredata_tracking_variable;
    return !variable || *variable;
}

/// Whether this thread knows where to read it, or that it cannot.
static inline _Bool coredata_knows_tracking(void) { return coredata_tracking_variable != 0; }

/// Where the variable is in every thread: the module, by the loader's number, and the offset in its variables.
struct coredata_tracking_location {
    size_t module;
    size_t offset;
};

/// The most words of a module's variables that are compared.
#define COREDATA_TRACKING_WORDS 512

/// A copy of this thread's variables of one module.
struct coredata_thread_words {
    /// 0 where they cannot be read.
    size_t module;
    /// Where the thread's stack was.
    const void *frame;
    size_t count;
    void *words[COREDATA_TRACKING_WORDS];
};

/// Copies the thread's variables of the module that has an address. `address` is of anything that the module defines.
void coredata_copy_thread_words(const void *address, struct coredata_thread_words *copy);

/// Finds the variable by five copies of one thread: outside of tracking, inside, inside of a second one, and back in the first and
/// outside. While it is set, it points to the part of the stack in between.
///
/// Returns the module 0 unless there is exactly one such variable.
struct coredata_tracking_location coredata_find_tracking(const struct coredata_thread_words copies[5]);

/// Lets this thread read the variable from now on; with the module 0, it counts as one that may track.
void coredata_use_tracking(struct coredata_tracking_location location);

#endif
