#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

#include "CDeclaredClasses.h"

/// Retains `object` unless its deinitialisation has begun, in which case it
/// answers NULL. Exported by every Swift runtime library; the identity map
/// uses it to hold objects weakly without a side table per object.
void *swift_tryRetain(void *object);

/// What `coredata_instantiating` answers on this thread.
extern _Thread_local const void *coredata_instantiating_entity;

/// The entity for which this thread is making an object from a row; NULL while
/// it is not. Swift has no variables of threads, and those of pthreads cost as
/// much as the rest of making an object.
static inline const void *coredata_instantiating(void) { return coredata_instantiating_entity; }

/// Sets what `coredata_instantiating` answers on this thread.
static inline void coredata_set_instantiating(const void *entity) { coredata_instantiating_entity = entity; }

/// What `coredata_releasing` answers on this thread.
extern _Thread_local void *coredata_release_queue;

/// Where this thread keeps what it lets go of, one after the other; NULL while it lets go of nothing.
static inline void *coredata_releasing(void) { return coredata_release_queue; }

/// Sets what `coredata_releasing` answers on this thread.
static inline void coredata_set_releasing(void *queue) { coredata_release_queue = queue; }

#endif
