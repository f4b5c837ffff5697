#include "Recorder.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// The VFS: each method counts its call and then makes it, if no fault says otherwise.

struct file {
    sqlite3_file base;
    /// The path as SQLite keeps it for as long as the file is open; null for one that is not recorded.
    const char *path;
    sqlite3_file *real;
};

static sqlite3_file *real(sqlite3_file *file) { return ((struct file *)file)->real; }

static int is_dead(sqlite3_file *file) { return ((struct file *)file)->path && recorder_is_dead(); }

/// The result code that a fault gives at a call.
static int code(int fault, int kind) {
    switch (fault) {
    case TESTVFS_NONE: return SQLITE_OK;
    case TESTVFS_FULL: return SQLITE_FULL;
    case TESTVFS_CANNOT_OPEN: return SQLITE_CANTOPEN;
    case TESTVFS_NO_MEMORY: return kind == TESTVFS_OPEN ? SQLITE_NOMEM : SQLITE_IOERR_NOMEM;
    }
    switch (kind) {
    case TESTVFS_OPEN: return SQLITE_IOERR;
    case TESTVFS_READ: return SQLITE_IOERR_READ;
    case TESTVFS_WRITE: return SQLITE_IOERR_WRITE;
    case TESTVFS_TRUNCATE: return SQLITE_IOERR_TRUNCATE;
    case TESTVFS_SYNC: return SQLITE_IOERR_FSYNC;
    case TESTVFS_DELETE: return SQLITE_IOERR_DELETE;
    case TESTVFS_ACCESS: return SQLITE_IOERR_ACCESS;
    case TESTVFS_SIZE: return SQLITE_IOERR_FSTAT;
    case TESTVFS_LOCK: return SQLITE_IOERR_LOCK;
    case TESTVFS_UNLOCK: return SQLITE_IOERR_UNLOCK;
    case TESTVFS_RESERVED: return SQLITE_IOERR_CHECKRESERVEDLOCK;
    case TESTVFS_SHM_MAP: return SQLITE_IOERR_SHMMAP;
    case TESTVFS_SHM_LOCK: return SQLITE_IOERR_SHMLOCK;
    }
    return SQLITE_IOERR;
}

/// Counts a call for a path. The fault stays in `fault`.
static int check_path(const char *path, int kind, int *fault) {
    char buffer[RECORDER_PATH_SIZE];
    *fault = TESTVFS_NONE;
    if (!path || !recorder_is_armed()) return SQLITE_OK;
    recorder_lock();
    const char *relative = recorder_relative(path, buffer);
    if (relative) *fault = recorder_call(kind, relative);
    recorder_unlock();
    return code(*fault, kind);
}

static int check(sqlite3_file *file, int kind) {
    int fault;
    return check_path(((struct file *)file)->path, kind, &fault);
}

#define PASS(call) (recorder_depth++, result = (call), recorder_depth--, result)

static int file_close(sqlite3_file *file) {
    int result;
    PASS(real(file)->pMethods->xClose(real(file)));
    return result;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int result = check(file, TESTVFS_READ);
    if (result != SQLITE_OK) return result;
    return PASS(real(file)->pMethods->xRead(real(file), bytes, count, offset));
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int fault, result;
    int refusal = check_path(((struct file *)file)->path, TESTVFS_WRITE, &fault);
    if (refusal != SQLITE_OK) {
        // A disk that fails has often written the beginning.
        if (fault != TESTVFS_DEATH && fault != TESTVFS_NO_MEMORY && count > 1)
            PASS(real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset));
        return refusal;
    }
    return PASS(real(file)->pMethods->xWrite(real(file), bytes, count, offset));
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int result = check(file, TESTVFS_TRUNCATE);
    if (result != SQLITE_OK) return result;
    return PASS(real(file)->pMethods->xTruncate(real(file), size));
}

static int file_sync(sqlite3_file *file, int flags) {
    int result = check(file, TESTVFS_SYNC);
    if (result != SQLITE_OK) return result;
    return PASS(real(file)->pMethods->xSync(real(file), flags));
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    int result = check(file, TESTVFS_SIZE);
    if (result != SQLITE_OK) return result;
    return PASS(real(file)->pMethods->xFileSize(real(file), size));
}

static int file_lock(sqlite3_file *file, int level) {
    int result = check(file, TESTVFS_LOCK);
    if (result != SQLITE_OK) return result;
    return PASS(real(file)->pMethods->xLock(real(file), level));
}

static int file_unlock(sqlite3_file *file, int level) {
    int result;
    // The locks of a dead process go too.
    check(file, TESTVFS_UNLOCK);
    return PASS(real(file)->pMethods->xUnlock(real(file), level));
}

static int file_check_reserved(sqlite3_file *file, int *answer) {
    int result = check(file, TESTVFS_RESERVED);
    if (result != SQLITE_OK) return result;
    return PASS(real(file)->pMethods->xCheckReservedLock(real(file), answer));
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    int result;
    if (is_dead(file)) return SQLITE_NOTFOUND;
    return PASS(real(file)->pMethods->xFileControl(real(file), operation, argument));
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int shm_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
    int result = check(file, TESTVFS_SHM_MAP);
    if (result != SQLITE_OK) return result;
    return PASS(real(file)->pMethods->xShmMap(real(file), page, size, extends, memory));
}

static int shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    int result;
    if (flags & SQLITE_SHM_UNLOCK) return PASS(real(file)->pMethods->xShmLock(real(file), offset, count, flags));
    result = check(file, TESTVFS_SHM_LOCK);
    if (result != SQLITE_OK) return result;
    return PASS(real(file)->pMethods->xShmLock(real(file), offset, count, flags));
}

static void shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int shm_unmap(sqlite3_file *file, int deletes) {
    int result = check(file, TESTVFS_SHM_UNMAP);
    // The dead let go of the memory, and remove nothing.
    return PASS(real(file)->pMethods->xShmUnmap(real(file), result == SQLITE_OK && deletes));
}

#define FILE_METHODS \
    file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock, \
        file_check_reserved, file_control, file_sector_size, file_characteristics

static const sqlite3_io_methods plain_methods = {1, FILE_METHODS, 0, 0, 0, 0, 0, 0};
static const sqlite3_io_methods shared_methods = {
    2, FILE_METHODS, shm_map, shm_lock, shm_barrier, shm_unmap, 0, 0};

static sqlite3_vfs *base(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *out, int flags, int *out_flags) {
    struct file *file = (struct file *)out;
    char buffer[RECORDER_PATH_SIZE];
    int fault;
    out->pMethods = NULL;
    int result = check_path(path, TESTVFS_OPEN, &fault);
    if (result != SQLITE_OK) return result;
    file->real = (sqlite3_file *)(file + 1);
    memset(file->real, 0, (size_t)base(vfs)->szOsFile);
    recorder_lock();
    file->path = path && recorder_relative(path, buffer) ? path : NULL;
    recorder_unlock();
    PASS(base(vfs)->xOpen(base(vfs), path, file->real, flags, out_flags));
    if (file->real->pMethods) {
        int is_shared = file->real->pMethods->iVersion >= 2 && file->real->pMethods->xShmMap;
        out->pMethods = is_shared ? &shared_methods : &plain_methods;
    }
    return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    int fault, result;
    result = check_path(path, TESTVFS_DELETE, &fault);
    if (result != SQLITE_OK) return result;
    return PASS(base(vfs)->xDelete(base(vfs), path, syncs_folder));
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *answer) {
    int fault, result;
    result = check_path(path, TESTVFS_ACCESS, &fault);
    if (result != SQLITE_OK) return result;
    return PASS(base(vfs)->xAccess(base(vfs), path, flags, answer));
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int count, char *out) {
    int result;
    return PASS(base(vfs)->xFullPathname(base(vfs), path, count, out));
}

/// Registers a VFS around the one of a name.
static int wrap(const char *existing, const char *name, int is_default) {
    sqlite3_vfs *original = sqlite3_vfs_find(existing);
    if (!original) return SQLITE_ERROR;
    // It stays registered as long as the process runs.
    sqlite3_vfs *vfs = malloc(sizeof *vfs);
    if (!vfs) return SQLITE_NOMEM;
    *vfs = *original;
    vfs->pNext = NULL;
    vfs->zName = name;
    vfs->pAppData = original;
    vfs->szOsFile = (int)sizeof(struct file) + original->szOsFile;
    vfs->xOpen = vfs_open;
    vfs->xDelete = vfs_delete;
    vfs->xAccess = vfs_access;
    vfs->xFullPathname = vfs_full_path;
    return sqlite3_vfs_register(vfs, is_default);
}

int testvfs_install(void) {
    static int result = -1;
    recorder_lock();
    if (result < 0) {
        result = sqlite3_initialize();
        // Before the default changes: those that are asked for by name keep it.
        if (result == SQLITE_OK) result = wrap("unix-none", "unix-none", 0);
        if (result == SQLITE_OK) result = wrap("unix", "test", 1);
    }
    recorder_unlock();
    return result;
}
