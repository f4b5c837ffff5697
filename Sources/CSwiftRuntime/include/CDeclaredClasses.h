#ifndef CDECLAREDCLASSES_H
#define CDECLAREDCLASSES_H

#include <stddef.h>

/// How many records of types the program and its loaded libraries have, in bytes. It grows when a library is loaded.
/// 0 where the runtime does not list them.
size_t coredata_declared_types_size(void);

/// Calls `body` for each class without type parameters that the program and its loaded libraries declare, private and
/// nested ones included.
///
/// `name` is the class's own name, without module and outer types; `descriptor` is for `coredata_declared_class`.
void coredata_visit_declared_classes(
    void (*body)(const char *name, const void *descriptor, void *context), void *context);

/// The class of a descriptor, as a metatype.
const void *coredata_declared_class(const void *descriptor);

#endif
