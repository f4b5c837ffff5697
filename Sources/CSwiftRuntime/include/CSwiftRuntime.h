#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

#include "CDeclaredClasses.h"
#include "CTracking.h"

/// Retains `object` unless its deinitialisation has begun, in which case it
/// answers NULL. Exported by every Swift runtime library; the identity map
/// uses it to hold objects weakly without a side table per object.
void *swift_tryRetain(void *object);

/// Counts `count` references of an object at once. Exported by every Swift
/// runtime library, as `swift_release_n`.
void *swift_retain_n(void *object, unsigned int count);

/// Gives back `count` references of an object at once.
void swift_release_n(void *object, unsigned int count);

/// For which entity a thread is making an object from a row, and whether an object has claimed it.
struct coredata_instantiation {
    const void *entity;
    _Bool is_claimed;
    /// Whether the object has left its reference of the model's entity to the
    /// thread's context.
    _Bool has_left_reference;
};

/// What this thread is making; without an entity while it makes no object from a row.
extern _Thread_local struct coredata_instantiation coredata_current_instantiation COREDATA_NEAR_VARIABLE;

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

/// Notes that an object has left its reference of the model's entity to the thread's context.
static inline void coredata_leave_reference(void) { coredata_current_instantiation.has_left_reference = 1; }

/// Begins to make an object of an entity; returns what is to be restored by `coredata_end_instantiating`.
static inline struct coredata_instantiation coredata_begin_instantiating(const void *entity) {
    struct coredata_instantiation outer = coredata_current_instantiation;
    coredata_current_instantiation.entity = entity;
    coredata_current_instantiation.is_claimed = 0;
    coredata_current_instantiation.has_left_reference = 0;
    return outer;
}

/// Restores what the thread was making before; returns whether an object has left its reference of the model's entity.
static inline _Bool coredata_end_instantiating(struct coredata_instantiation outer) {
    _Bool has_left_reference = coredata_current_instantiation.has_left_reference;
    coredata_current_instantiation = outer;
    return has_left_reference;
}

/// What `coredata_releasing` answers on this thread.
extern _Thread_local void *coredata_release_queue COREDATA_NEAR_VARIABLE;

/// Where this thread keeps what it lets go of, one after the other; NULL while it lets go of nothing.
static inline void *coredata_releasing(void) { return coredata_release_queue; }

/// Sets what `coredata_releasing` answers on this thread.
static inline void coredata_set_releasing(void *queue) { coredata_release_queue = queue; }

/// Has memory brought near that will be read soon. Any address will do.
static inline void coredata_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
