#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

/// Retains `object` unless its deinitialisation has begun, in which case it
/// answers NULL. Exported by every Swift runtime library; the identity map
/// uses it to hold objects weakly without a side table per object.
void *swift_tryRetain(void *object);

#endif
