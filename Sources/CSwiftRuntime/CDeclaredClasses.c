#include "CDeclaredClasses.h"

#include <stdbool.h>
#include <stdint.h>

// The records that the compiler writes for each type. Their form is part of Swift's stable ABI.

/// A part of an image that the runtime knows.
typedef struct {
    uintptr_t start;
    size_t length;
} Range;

/// What the runtime knows of an image; the beginning of its `MetadataSections`.
typedef struct {
    uintptr_t version;
    const void *baseAddress;
    const void *unused[2];
    Range protocols;
    Range protocolConformances;
    Range typeMetadata;
} Sections;

/// The beginning of a type's context descriptor.
typedef struct {
    uint32_t flags;
    int32_t parent;
    int32_t name;
    int32_t accessFunction;
} TypeDescriptor;

/// What a metadata access function returns, in two registers.
typedef struct {
    const void *metadata;
    size_t state;
} MetadataResponse;

enum { kindMask = 0x1f, classKind = 16, genericFlag = 0x80 };

#if defined(__APPLE__)
static void enumerate_sections(bool (*body)(const Sections *, void *), void *context) {
    (void)body;
    (void)context;
}
#else
extern void swift_enumerateAllMetadataSections(
    bool (*body)(const Sections *sections, void *context), void *context);
static void enumerate_sections(bool (*body)(const Sections *, void *), void *context) {
    swift_enumerateAllMetadataSections(body, context);
}
#endif

static const void *relative(const int32_t *field) { return (const char *)field + *field; }

static bool add_size(const Sections *sections, void *context) {
    *(size_t *)context += sections->typeMetadata.length;
    return true;
}

size_t coredata_declared_types_size(void) {
    size_t size = 0;
    enumerate_sections(add_size, &size);
    return size;
}

typedef struct {
    void (*body)(const char *name, const void *descriptor, void *context);
    void *context;
} Visit;

static bool visit_section(const Sections *sections, void *context) {
    const Visit *visit = context;
    const int32_t *record = (const int32_t *)sections->typeMetadata.start;
    const int32_t *end = record + sections->typeMetadata.length / sizeof(int32_t);
    for (; record < end; record++) {
        if (*record == 0) continue;
        // The lowest two bits say how the descriptor is referred to.
        const char *target = (const char *)record + (*record & ~3);
        const TypeDescriptor *type;
        switch (*record & 3) {
        case 0: type = (const TypeDescriptor *)target; break;
        case 1: type = *(const TypeDescriptor *const *)target; break;
        default: continue;
        }
        if (!type || (type->flags & kindMask) != classKind || (type->flags & genericFlag)) continue;
        visit->body(relative(&type->name), type, visit->context);
    }
    return true;
}

void coredata_visit_declared_classes(
    void (*body)(const char *name, const void *descriptor, void *context), void *context
) {
    Visit visit = {body, context};
    enumerate_sections(visit_section, &visit);
}

const void *coredata_declared_class(const void *descriptor) {
    const TypeDescriptor *type = descriptor;
    if (!type->accessFunction) return 0;
    __attribute__((swiftcall)) MetadataResponse (*access)(size_t) =
        (__attribute__((swiftcall)) MetadataResponse (*)(size_t))(uintptr_t)relative(&type->accessFunction);
    return access(0).metadata;
}
