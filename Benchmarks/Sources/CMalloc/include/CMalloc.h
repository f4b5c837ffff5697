#ifndef CMALLOC_H
#define CMALLOC_H

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

/// The bytes that the allocator has given out and not got back; -1 where it
/// does not say.
static inline long long allocated_bytes(void) {
#if defined(__GLIBC__)
    struct mallinfo2 info = mallinfo2();
    return (long long)(info.uordblks + info.hblkhd);
#else
    return -1;
#endif
}

/// Gives free memory back to the system, where that can be asked for.
static inline void release_free_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

#endif
