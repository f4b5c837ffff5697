#ifndef CSQLITECONTAINS_H
#define CSQLITECONTAINS_H

struct sqlite3;

/// Gives a connection a function `f(text, part)`: whether a string has the bytes of another one; NULL where one of them is NULL.
///
/// It is in C because a search calls it for each row, and the way there takes longer than the search in a title. What is known of the
/// part is kept with the statement from row to row.
///
/// - `rarest`: answers the position in a part, which has bytes, of the one that texts have least often.
///
/// Answers a result code of SQLite.
int csqlite_contains_install(
    struct sqlite3 *connection, const char *name, int (*rarest)(const unsigned char *part, int count));

#endif
