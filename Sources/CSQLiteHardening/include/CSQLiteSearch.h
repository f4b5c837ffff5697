#ifndef CSQLITESEARCH_H
#define CSQLITESEARCH_H

struct sqlite3;

/// How often a document has a phrase.
struct csqlite_occurrences {
    long long key;
    long long count;
};

/// Gives a connection two functions for searches by FTS5, whose `bm25` reads a row for each document that it ranks:
///
/// - `occurrences(table)`: how often the document has each phrase of the query, as a blob of `int`s.
/// - `all_occurrences(table)`: all documents with the first phrase of the query, as a blob of `csqlite_occurrences` in ascending order of
///   their keys, without a step of the statement for each.
///
/// Answers a result code of SQLite.
int csqlite_search_install(struct sqlite3 *connection);

#endif
