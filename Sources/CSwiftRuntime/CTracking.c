#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CTracking.h"

#include <stdint.h>
#include <string.h>

_Thread_local void *const *coredata_tracking_variable = 0;

/// What a thread reads where the variable is unknown.
static int anything;
static void *const unknown = &anything;

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))

#include <link.h>

// The loader's interface, which compilers call for variables of threads.
struct tls_index {
    unsigned long module;
    unsigned long offset;
};
extern void *__tls_get_addr(struct tls_index *);

/// The variables of a thread that a module has.
struct module_search {
    uintptr_t address;
    size_t module;
    size_t size;
};

static int visit_module(struct dl_phdr_info *info, size_t size, void *context) {
    struct module_search *search = context;
    if (size < offsetof(struct dl_phdr_info, dlpi_tls_modid) + sizeof info->dlpi_tls_modid) return 1;
    size_t variables = 0;
    int has_address = 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        if (header->p_type == PT_TLS) variables = header->p_memsz;
        if (header->p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (search->address >= start && search->address - start < header->p_memsz) has_address = 1;
    }
    if (!has_address) return 0;
    search->module = info->dlpi_tls_modid;
    search->size = variables;
    return 1;
}

void coredata_copy_thread_words(const void *address, struct coredata_thread_words *copy) {
    struct module_search search = {(uintptr_t)address, 0, 0};
    dl_iterate_phdr(visit_module, &search);
    copy->module = 0;
    copy->frame = __builtin_frame_address(0);
    copy->count = search.size / sizeof(void *);
    if (!search.module || !copy->count) return;
    if (copy->count > COREDATA_TRACKING_WORDS) copy->count = COREDATA_TRACKING_WORDS;
    struct tls_index index = {search.module, 0};
    const char *start = __tls_get_addr(&index);
    if ((uintptr_t)start % sizeof(void *)) return;
    memcpy(copy->words, start, copy->count * sizeof(void *));
    copy->module = search.module;
}

struct coredata_tracking_location coredata_find_tracking(const struct coredata_thread_words copies[5]) {
    struct coredata_tracking_location found = {0, 0};
    for (int index = 0; index < 5; index++) {
        if (!copies[index].module || copies[index].module != copies[0].module) return found;
        if (copies[index].count != copies[0].count) return found;
    }
    uintptr_t low = (uintptr_t)copies[2].frame;
    // What a caller of both has between the two.
    uintptr_t high = (uintptr_t)copies[0].frame + 4096;
    int matches = 0;
    for (size_t word = 0; word < copies[0].count; word++) {
        uintptr_t outer = (uintptr_t)copies[1].words[word];
        uintptr_t inner = (uintptr_t)copies[2].words[word];
        if (copies[0].words[word] || copies[4].words[word]) continue;
        if ((uintptr_t)copies[3].words[word] != outer || inner >= outer) continue;
        if (inner < low || outer >= high) continue;
        matches++;
        found.module = copies[0].module;
        found.offset = word * sizeof(void *);
    }
    if (matches != 1) found.module = 0;
    return found;
}

void coredata_use_tracking(struct coredata_tracking_location location) {
    coredata_tracking_variable = &unknown;
    if (!location.module) return;
    struct tls_index index = {location.module, 0};
    coredata_tracking_variable = (void *const *)((const char *)__tls_get_addr(&index) + location.offset);
}

#else

void coredata_copy_thread_words(const void *address, struct coredata_thread_words *copy) {
    copy->module = 0;
    copy->frame = 0;
    copy->count = 0;
}

struct coredata_tracking_location coredata_find_tracking(const struct coredata_thread_words copies[5]) {
    struct coredata_tracking_location found = {0, 0};
    return found;
}

void coredata_use_tracking(struct coredata_tracking_location location) { coredata_tracking_variable = &unknown; }

#endif
