#include "CFailingAllocator.h"
#include <sqlite3.h>
#include <stdatomic.h>

static sqlite3_mem_methods own;
static atomic_long left;
static atomic_long failed;
static atomic_int goes_on;

static int fails(void) {
    long n = atomic_load(&left);
    if (n == 0) return 0;
    if (n > 1) {
        // Another thread may have been the n-th meanwhile: it does not matter which one is.
        n = atomic_fetch_sub(&left, 1);
        if (n != 1) return 0;
    }
    if (!atomic_load(&goes_on)) atomic_store(&left, 0);
    else atomic_store(&left, 1);
    atomic_fetch_add(&failed, 1);
    return 1;
}

static void *allocate(int size) { return fails() ? 0 : own.xMalloc(size); }

static void *reallocate(void *memory, int size) { return fails() ? 0 : own.xRealloc(memory, size); }

int failing_allocator_install(void) {
    int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &own);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods methods = own;
    methods.xMalloc = allocate;
    methods.xRealloc = reallocate;
    code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    // Memory that connections set aside would make most allocations invisible.
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    return code;
}

void failing_allocator_arm(long n, int forever) {
    atomic_store(&failed, 0);
    atomic_store(&goes_on, forever);
    atomic_store(&left, n);
}

long failing_allocator_disarm(void) {
    atomic_store(&left, 0);
    return atomic_load(&failed);
}
