#ifndef CSQLITEDEFENCE_H
#define CSQLITEDEFENCE_H

#include "CSQLiteContains.h"
#include "CSQLiteFiles.h"
#include "CSQLiteSearch.h"

struct sqlite3;

/// Takes from the schema of a database file what it could do harm with: its
/// triggers, views, indexes and generated columns call no function and use no
/// virtual table that is not marked as innocuous; shadow tables and the schema
/// are not written to by statements; no tokenizer is installed by SQL and no
/// extension loaded. Answers a result code of SQLite.
///
/// With `uses_spatial_indexes` the triggers reach R-trees too, which not every
/// version of SQLite marks as innocuous: then any module but those of R-trees
/// and JSON is taken away instead.
///
/// In C, because `sqlite3_db_config` takes a list of arguments that Swift
/// cannot make.
int csqlite_defend(struct sqlite3 *connection, int uses_spatial_indexes);

/// Keeps triggers and views from using a virtual table. To be called when the
/// table is connected. Answers a result code of SQLite.
///
/// In C, as `sqlite3_vtab_config` takes a list of arguments too.
int csqlite_vtab_directonly(struct sqlite3 *connection);

#endif
