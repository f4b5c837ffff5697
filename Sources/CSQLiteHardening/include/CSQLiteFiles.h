#ifndef CSQLITEFILES_H
#define CSQLITEFILES_H

/// A file that is open for reading, through SQLite's own layer of files.
///
/// POSIX drops all locks of a process on a file when the process closes *any*
/// descriptor of it. SQLite's layer knows the connections of this process by
/// the inode, so by links too, and postpones closing while one of them has a
/// lock. A file that may be the database of an open connection is therefore
/// read by these functions, and never by `open` and `close`.
struct csqlite_file;

/// Opens a regular file. Answers a result code of SQLite; with one other than
/// `SQLITE_OK`, `error` has the system's error number, or zero.
///
/// With `follows_links` the path may be a symbolic link; else that is refused.
int csqlite_file_open(const char *path, int follows_links, struct csqlite_file **file, int *error);

/// Finds how many bytes a file has now. Answers a result code of SQLite.
int csqlite_file_size(struct csqlite_file *file, long long *size);

/// Reads `count` bytes. Answers a result code of SQLite:
/// `SQLITE_IOERR_SHORT_READ` when the file ends before them.
int csqlite_file_read(struct csqlite_file *file, void *bytes, int count, long long offset);

void csqlite_file_close(struct csqlite_file *file);

/// Writes the path that SQLite has for a database into `path`, a buffer of
/// `size` bytes: absolute, and without symbolic links. The names of its journal
/// and log are made of it. Answers a result code of SQLite.
int csqlite_full_path(const char *name, char *path, int size);

/// The name of a layer of files that takes no locks, and neither changes nor
/// makes a file; null when it cannot be registered. Its files are those of the
/// default layer, so that closing one drops no lock of another connection: this
/// is what SQLite's own `unix-none` does.
const char *csqlite_reading_vfs(void);

#endif
