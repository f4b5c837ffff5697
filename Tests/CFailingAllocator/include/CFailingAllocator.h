#ifndef CFAILINGALLOCATOR_H
#define CFAILINGALLOCATOR_H

/// Puts an allocator between SQLite and its own that can be made to fail.
/// Before anything else is called of SQLite. Answers a result code of SQLite.
int failing_allocator_install(void);

/// Makes the `n`-th allocation from now on fail, 1 being the next one; with
/// `forever` all that come after it too.
void failing_allocator_arm(long n, int forever);

/// Lets all allocations succeed again; how many have failed.
long failing_allocator_disarm(void);

#endif
