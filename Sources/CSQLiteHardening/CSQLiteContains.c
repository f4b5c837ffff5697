#define _GNU_SOURCE
#include "CSQLiteContains.h"
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

/// The bytes that a statement looks for.
struct part {
    int count;
    /// The position of the byte that texts have least often, and that of its neighbour.
    int rare;
    int neighbour;
    unsigned char bytes[];
};

/// Whether a text has the bytes: one without the rarest of them is done with at once.
static int is_found(const struct part *part, const unsigned char *text, int count) {
    if (part->count == 0) return 1;
    if (part->count > count) return 0;
    const unsigned char rare = part->bytes[part->rare];
    const unsigned char neighbour = part->bytes[part->neighbour];
    const ptrdiff_t distance = part->neighbour - part->rare;
    // Where the rarest byte may be.
    const unsigned char *next = text + part->rare;
    const unsigned char *const end = text + (count - part->count) + part->rare + 1;
    int rest = 8;
    while (next < end && (next = memchr(next, rare, (size_t)(end - next)))) {
        if (next[distance] == neighbour) {
            const unsigned char *start = next - part->rare;
            if (memcmp(start, part->bytes, (size_t)part->count) == 0) return 1;
            // After some of them, in time that does not grow with both lengths multiplied.
            if (--rest == 0) {
                ++start;
                return memmem(start, (size_t)(text + count - start), part->bytes, (size_t)part->count) != NULL;
            }
        }
        ++next;
    }
    return 0;
}

typedef int (*rarest_function)(const unsigned char *part, int count);

static struct part *make_part(const unsigned char *bytes, int count, rarest_function rarest) {
    struct part *part = sqlite3_malloc64(sizeof *part + (sqlite3_uint64)count);
    if (!part) return NULL;
    part->count = count;
    part->rare = count > 0 ? rarest(bytes, count) : 0;
    part->neighbour = part->rare + 1 < count ? part->rare + 1 : part->rare > 0 ? part->rare - 1 : 0;
    memcpy(part->bytes, bytes, (size_t)count);
    return part;
}

static void contains(sqlite3_context *context, int count, sqlite3_value **values) {
    const unsigned char *text = sqlite3_value_text(values[0]);
    if (!text) return;
    struct part *part = sqlite3_get_auxdata(context, 1);
    if (part) {
        sqlite3_result_int(context, is_found(part, text, sqlite3_value_bytes(values[0])));
        return;
    }
    const unsigned char *bytes = sqlite3_value_text(values[1]);
    if (!bytes) return;
    part = make_part(bytes, sqlite3_value_bytes(values[1]), (rarest_function)sqlite3_user_data(context));
    if (!part) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_int(context, is_found(part, text, sqlite3_value_bytes(values[0])));
    // SQLite keeps it only while the part is a constant, and may release it at once.
    sqlite3_set_auxdata(context, 1, part, sqlite3_free);
}

int csqlite_contains_install(sqlite3 *connection, const char *name, rarest_function rarest) {
    return sqlite3_create_function_v2(
        connection, name, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, (void *)rarest, contains, 0, 0, 0);
}
