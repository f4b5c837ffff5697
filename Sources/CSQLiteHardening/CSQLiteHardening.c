#include "CSQLiteHardening.h"
#include <sqlite3.h>

int csqlite_defend(struct sqlite3 *connection, int uses_spatial_indexes) {
    const struct { int option, value; } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, uses_spatial_indexes},
        {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
    };
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++) {
        int code = sqlite3_db_config(connection, settings[i].option, settings[i].value, (int *)0);
        if (code != SQLITE_OK) return code;
    }
    if (!uses_spatial_indexes) return SQLITE_OK;
    // The last one has the rows of a save, and no schema can use it.
    const char *kept[] = {"rtree", "rtree_i32", "json_each", "json_tree", "OpenCoreDataNewRows", 0};
    return sqlite3_drop_modules(connection, kept);
}

int csqlite_vtab_directonly(struct sqlite3 *connection) {
    return sqlite3_vtab_config(connection, SQLITE_VTAB_DIRECTONLY);
}
