#include "CEmbeddedModels.h"

#include <stdatomic.h>
#include <stdlib.h>

struct announcement {
    struct announcement *next;
    opencoredata_registration registration;
};

/// The announcements whose registrations did not run yet, the last one first.
static _Atomic(struct announcement *) pending;

void opencoredata_announce_model(opencoredata_registration registration) {
    struct announcement *announcement = malloc(sizeof *announcement);
    if (!announcement) abort();
    announcement->registration = registration;
    announcement->next = atomic_load(&pending);
    while (!atomic_compare_exchange_weak(&pending, &announcement->next, announcement)) {
    }
}

void opencoredata_register_models(void) {
    struct announcement *last = atomic_exchange(&pending, (struct announcement *)0);
    struct announcement *first = 0;
    while (last) {
        struct announcement *next = last->next;
        last->next = first;
        first = last;
        last = next;
    }
    while (first) {
        struct announcement *next = first->next;
        first->registration();
        free(first);
        first = next;
    }
}
