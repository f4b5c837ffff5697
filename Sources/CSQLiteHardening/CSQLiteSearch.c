#include "CSQLiteSearch.h"
#include <sqlite3.h>

/// Counts a phrase in the document at which a search is.
static int count_phrase(const Fts5ExtensionApi *api, Fts5Context *search, int phrase, int *count) {
    Fts5PhraseIter iterator;
    int column = -1;
    int offset = -1;
    *count = 0;
    int code = api->xPhraseFirst(search, phrase, &iterator, &column, &offset);
    if (code != SQLITE_OK) return code;
    for (; column >= 0; api->xPhraseNext(search, &iterator, &column, &offset)) ++*count;
    return SQLITE_OK;
}

static void occurrences(
    const Fts5ExtensionApi *api, Fts5Context *search, sqlite3_context *context, int count, sqlite3_value **values) {
    int phrases = api->xPhraseCount(search);
    int *counts = sqlite3_malloc64(sizeof *counts * (sqlite3_uint64)(phrases > 0 ? phrases : 1));
    if (!counts) {
        sqlite3_result_error_nomem(context);
        return;
    }
    for (int phrase = 0; phrase < phrases; ++phrase) {
        int code = count_phrase(api, search, phrase, &counts[phrase]);
        if (code != SQLITE_OK) {
            sqlite3_free(counts);
            sqlite3_result_error_code(context, code);
            return;
        }
    }
    sqlite3_result_blob64(context, counts, sizeof *counts * (sqlite3_uint64)phrases, sqlite3_free);
}

struct list {
    struct csqlite_occurrences *items;
    sqlite3_uint64 count;
    sqlite3_uint64 capacity;
};

/// Adds the document at which the search for a phrase is.
static int add(const Fts5ExtensionApi *api, Fts5Context *search, void *data) {
    struct list *list = data;
    if (list->count == list->capacity) {
        sqlite3_uint64 capacity = list->capacity ? list->capacity * 2 : 1024;
        struct csqlite_occurrences *items = sqlite3_realloc64(list->items, capacity * sizeof *items);
        if (!items) return SQLITE_NOMEM;
        list->items = items;
        list->capacity = capacity;
    }
    int found = 0;
    int code = count_phrase(api, search, 0, &found);
    if (code != SQLITE_OK) return code;
    list->items[list->count].key = api->xRowid(search);
    list->items[list->count].count = found;
    ++list->count;
    return SQLITE_OK;
}

static void all_occurrences(
    const Fts5ExtensionApi *api, Fts5Context *search, sqlite3_context *context, int count, sqlite3_value **values) {
    struct list list = {0, 0, 0};
    int code = api->xQueryPhrase(search, 0, &list, add);
    if (code != SQLITE_OK) {
        sqlite3_free(list.items);
        sqlite3_result_error_code(context, code);
        return;
    }
    sqlite3_result_blob64(context, list.items, list.count * sizeof *list.items, sqlite3_free);
}

int csqlite_search_install(sqlite3 *connection) {
    fts5_api *api = 0;
    sqlite3_stmt *statement = 0;
    int code = sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, 0);
    if (code != SQLITE_OK) return code;
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", 0);
    sqlite3_step(statement);
    code = sqlite3_finalize(statement);
    if (code != SQLITE_OK) return code;
    if (!api) return SQLITE_ERROR;
    code = api->xCreateFunction(api, "occurrences", 0, occurrences, 0);
    if (code == SQLITE_OK) code = api->xCreateFunction(api, "all_occurrences", 0, all_occurrences, 0);
    return code;
}
