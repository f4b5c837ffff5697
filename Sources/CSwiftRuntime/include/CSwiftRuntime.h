#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

#include "CDeclaredClasses.h"
#include "CTracking.h"

/// Retains `object` unless its deinitialisation has begun, in which case it
/// answers NULL. Exported by every Swift runtime library; the identity map
/// uses it to hold objects weakly without a side table per object.
void *swift_tryRetain(void *object);

/// For which entity a thread is making an object from a row, and whether an object has claimed it.
struct coredata_instantiation {
    const void *entity;
    _Bool is_claimed;
};

/// What this thread is making; without an entity while it makes no object from a row.
extern _Thread_local struct coredata_instantiation coredata_current_instantiation;

/// The entity for which this thread is making an object from a row; NULL while
/// it is not. Swift has no variables of threads, and those of pthreads cost as
/// much as the rest of making an object.
static inline const void *coredata_instantiating(void) { return coredata_current_instantiation.entity; }

/// Notes that an object has claimed the entity; returns whether another one had.
static inline _Bool coredata_claim_instantiating(void) {
    _Bool was_claimed = coredata_current_instantiation.is_claimed;
    coredata_current_instantiation.is_claimed = 1;
    return was_claimed;
}

/// Begins to make an object of an entity; returns what is to be restored by `coredata_end_instantiating`.
static inline struct coredata_instantiation coredata_begin_instantiating(const void *entity) {
    struct coredata_instantiation outer = coredata_current_instantiation;
    coredata_current_instantiation.entity = entity;
    coredata_current_instantiation.is_claimed = 0;
    return outer;
}

/// Restores what the thread was making before.
static inline void coredata_end_instantiating(struct coredata_instantiation outer) {
    coredata_current_instantiation = outer;
}

/// What `coredata_releasing` answers on this thread.
extern _Thread_local void *coredata_release_queue;

/// Where this thread keeps what it lets go of, one after the other; NULL while it lets go of nothing.
static inline void *coredata_releasing(void) { return coredata_release_queue; }

/// Sets what `coredata_releasing` answers on this thread.
static inline void coredata_set_releasing(void *queue) { coredata_release_queue = queue; }

/// Has memory brought near that will be read soon. Any address will do.
static inline void coredata_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
