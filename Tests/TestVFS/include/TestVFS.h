#ifndef TESTVFS_H
#define TESTVFS_H

#include <stddef.h>
#include <stdint.h>

/// A recorder of all that a process does with the files below one folder: SQLite's calls, through a VFS around its own,
/// and, on Linux, the calls of the C library that everything else makes.
///
/// It counts the calls, makes a chosen one fail, or lets nothing happen from a chosen one on, as if the process had
/// died there. It keeps an image of what was synced, and each later change, so that it can make the folder that a
/// power cut leaves: what was synced, and any part of what was not.
///
/// Where an executable links this module, the C library's calls in it are replaced. All functions may be called from
/// any thread.

/// The kinds of calls. Those from `TESTVFS_FILE_OPEN` on are not SQLite's.
enum testvfs_call {
    TESTVFS_OPEN = 1,
    TESTVFS_READ,
    TESTVFS_WRITE,
    TESTVFS_TRUNCATE,
    TESTVFS_SYNC,
    TESTVFS_DELETE,
    TESTVFS_ACCESS,
    TESTVFS_SIZE,
    TESTVFS_LOCK,
    TESTVFS_UNLOCK,
    TESTVFS_RESERVED,
    TESTVFS_SHM_MAP,
    TESTVFS_SHM_LOCK,
    TESTVFS_SHM_UNMAP,
    TESTVFS_FILE_OPEN,
    TESTVFS_FILE_MAKE,
    TESTVFS_FILE_READ,
    TESTVFS_FILE_WRITE,
    TESTVFS_FILE_TRUNCATE,
    TESTVFS_FILE_SYNC,
    TESTVFS_FILE_MODE,
    TESTVFS_FILE_OWNER,
    TESTVFS_FILE_LOCK,
    TESTVFS_FOLDER_OPEN,
    TESTVFS_FOLDER_SYNC,
    TESTVFS_FOLDER_MAKE,
    TESTVFS_FOLDER_REMOVE,
    TESTVFS_LINK,
    TESTVFS_RENAME,
    TESTVFS_UNLINK,
};

/// What happens at the chosen call.
enum testvfs_fault {
    TESTVFS_NONE = 0,
    /// Neither this call nor a later one does anything.
    TESTVFS_DEATH,
    TESTVFS_IO_ERROR,
    TESTVFS_FULL,
    TESTVFS_CANNOT_OPEN,
    TESTVFS_NO_MEMORY,
};

/// Which part of the changes that were not synced a power cut leaves.
enum testvfs_remains {
    TESTVFS_NOTHING_UNSYNCED = 0,
    /// Any sectors of what was written, and the first changes of names in each folder.
    TESTVFS_SECTORS,
    /// Any sectors of what was written, and any changes of names.
    TESTVFS_SECTORS_AND_NAMES,
    /// All changes of names, and nothing of what was written.
    TESTVFS_NAMES_ONLY,
};

/// Makes the VFS SQLite's default, and wraps `unix-none`. Returns a result code of SQLite.
int testvfs_install(void);

/// Begins to record the calls for the files below a folder (an absolute path without symbolic links), which is taken for synced.
///
/// `call` is the number, from 1, of the call at which `fault` happens; with `persists` all later calls that can meet it
/// meet it too.
void testvfs_begin(const char *folder, long call, int fault, int persists);

/// Lets calls pass again; what was recorded stays. After a death, the dead calls are to be over.
void testvfs_end(void);

/// How many calls were recorded.
long testvfs_count(void);
/// The kind of a recorded call, from 1.
int testvfs_kind(long call);
/// The path of a recorded call below the folder; valid until recording begins again.
const char *testvfs_path(long call);
const char *testvfs_name(int kind);
/// Whether a call of a kind can meet a fault.
int testvfs_can_meet(int kind, int fault);
/// Whether the chosen call came.
int testvfs_was_hit(void);

/// Makes the folder that a power cut at this moment leaves. Returns 0, or an error number.
int testvfs_power_cut(const char *target, uint64_t seed, int remains);

/// Copies a folder with its files' modes. Returns 0, or an error number.
int testvfs_copy_folder(const char *source, const char *target);

/// The path of a file that is not as the recorded calls say, which a call that was not seen has changed; null when all are.
const char *testvfs_unseen_change(void);

uint64_t testvfs_hash(const void *bytes, size_t length);
/// A number that is the same for folders with the same files, whatever is in the index of a log.
uint64_t testvfs_folder_hash(const char *folder);

/// Names what runs now: a trap, or a run that takes longer than some seconds, writes that name to the standard error.
void testvfs_watch(const char *name, unsigned seconds);

#endif
