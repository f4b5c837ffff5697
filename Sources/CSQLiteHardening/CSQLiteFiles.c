#include "CSQLiteHardening.h"
#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

// Reading.

struct csqlite_file {
    // The file of the layer refers to its name as long as it is open.
    sqlite3_filename name;
    sqlite3_file *file;
};

int csqlite_full_path(const char *name, char *path, int size) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    if (!vfs) return SQLITE_ERROR;
    memset(path, 0, (size_t)size);
    int code = vfs->xFullPathname(vfs, name, size, path);
    // That the path had a link in it.
    return (code & 0xff) == SQLITE_OK ? SQLITE_OK : code;
}

int csqlite_file_open(const char *path, int follows_links, struct csqlite_file **file, int *error) {
    *file = 0;
    *error = 0;
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    if (!vfs) return SQLITE_ERROR;
    struct stat status;
    if ((follows_links ? stat : lstat)(path, &status) != 0) {
        *error = errno;
        return SQLITE_CANTOPEN;
    }
    // Opening a pipe would wait for a writer; a device may do anything.
    if (!S_ISREG(status.st_mode)) {
        *error = S_ISLNK(status.st_mode) ? ELOOP : EINVAL;
        return SQLITE_CANTOPEN;
    }
    struct csqlite_file *made = sqlite3_malloc(sizeof *made);
    if (!made) return SQLITE_NOMEM;
    memset(made, 0, sizeof *made);
    char full[4096];
    int code = follows_links ? csqlite_full_path(path, full, sizeof full) : SQLITE_OK;
    if (code == SQLITE_OK) {
        made->name = sqlite3_create_filename(follows_links ? full : path, "", "", 0, 0);
        made->file = sqlite3_malloc(vfs->szOsFile);
        if (!made->name || !made->file) code = SQLITE_NOMEM;
    }
    if (code == SQLITE_OK) {
        memset(made->file, 0, (size_t)vfs->szOsFile);
        // As the main file of a database: others are not looked up by the inode.
        code = vfs->xOpen(vfs, made->name, made->file, SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READONLY, 0);
        if (code != SQLITE_OK && vfs->xGetLastError) *error = vfs->xGetLastError(vfs, 0, 0);
    }
    if (code != SQLITE_OK) {
        csqlite_file_close(made);
        return code;
    }
    *file = made;
    return SQLITE_OK;
}

int csqlite_file_size(struct csqlite_file *file, long long *size) {
    sqlite3_int64 found = 0;
    int code = file->file->pMethods->xFileSize(file->file, &found);
    *size = found;
    return code;
}

int csqlite_file_read(struct csqlite_file *file, void *bytes, int count, long long offset) {
    return file->file->pMethods->xRead(file->file, bytes, count, offset);
}

void csqlite_file_close(struct csqlite_file *file) {
    if (!file) return;
    if (file->file && file->file->pMethods) file->file->pMethods->xClose(file->file);
    sqlite3_free(file->file);
    if (file->name) sqlite3_free_filename(file->name);
    sqlite3_free(file);
}

// The layer without locks. Each of its files holds one of the default layer, which is looked up anew
// each time: it may be another one than when this one was registered.

struct reading_file {
    sqlite3_file base;
    sqlite3_file *real;
};

static sqlite3_file *real(sqlite3_file *file) { return ((struct reading_file *)file)->real; }

static int reading_close(sqlite3_file *file) {
    struct reading_file *reading = (struct reading_file *)file;
    int code = SQLITE_OK;
    if (reading->real && reading->real->pMethods) code = reading->real->pMethods->xClose(reading->real);
    sqlite3_free(reading->real);
    reading->real = 0;
    return code;
}

static int reading_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int reading_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}

static int reading_truncate(sqlite3_file *file, sqlite3_int64 size) {
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int reading_sync(sqlite3_file *file, int flags) { return real(file)->pMethods->xSync(real(file), flags); }

static int kept_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    return SQLITE_READONLY;
}

static int kept_truncate(sqlite3_file *file, sqlite3_int64 size) { return SQLITE_READONLY; }

static int kept_sync(sqlite3_file *file, int flags) { return SQLITE_OK; }

static int reading_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int reading_lock(sqlite3_file *file, int lock) { return SQLITE_OK; }

static int reading_check_lock(sqlite3_file *file, int *is_reserved) {
    *is_reserved = 0;
    return SQLITE_OK;
}

static int reading_control(sqlite3_file *file, int what, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), what, argument);
}

static int reading_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int reading_device(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

// What a query needs for itself, such as a sorter.
static const sqlite3_io_methods temporary_methods = {
    1, reading_close, reading_read, reading_write, reading_truncate, reading_sync, reading_size,
    reading_lock, reading_lock, reading_check_lock, reading_control, reading_sector_size, reading_device,
};

// The database, its log and its journal. Without methods for shared memory: the index of the log is
// made in this connection's own memory.
static const sqlite3_io_methods kept_methods = {
    1, reading_close, reading_read, kept_write, kept_truncate, kept_sync, reading_size,
    reading_lock, reading_lock, reading_check_lock, reading_control, reading_sector_size, reading_device,
};

static int vfs_open(sqlite3_vfs *own, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
    struct reading_file *reading = (struct reading_file *)file;
    memset(reading, 0, sizeof *reading);
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    if (!vfs) return SQLITE_ERROR;
    const int temporary = SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL |
        SQLITE_OPEN_SUBJOURNAL;
    int is_kept = !(flags & temporary);
    if (is_kept) {
        flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE);
        flags |= SQLITE_OPEN_READONLY;
    }
    reading->real = sqlite3_malloc(vfs->szOsFile);
    if (!reading->real) return SQLITE_NOMEM;
    memset(reading->real, 0, (size_t)vfs->szOsFile);
    int result = flags;
    int code = vfs->xOpen(vfs, name, reading->real, flags, &result);
    if (code != SQLITE_OK) {
        if (reading->real->pMethods) reading->real->pMethods->xClose(reading->real);
        sqlite3_free(reading->real);
        reading->real = 0;
        return code;
    }
    if (out) *out = result;
    file->pMethods = is_kept ? &kept_methods : &temporary_methods;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *own, const char *name, int syncs) { return SQLITE_READONLY; }

static int vfs_access(sqlite3_vfs *own, const char *name, int flags, int *result) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    return vfs ? vfs->xAccess(vfs, name, flags, result) : SQLITE_ERROR;
}

static int vfs_full_path(sqlite3_vfs *own, const char *name, int size, char *path) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    return vfs ? vfs->xFullPathname(vfs, name, size, path) : SQLITE_ERROR;
}

static void *vfs_dl_open(sqlite3_vfs *own, const char *name) { return 0; }

static void vfs_dl_error(sqlite3_vfs *own, int size, char *message) {
    sqlite3_snprintf(size, message, "%s", "no extensions are loaded");
}

static void (*vfs_dl_symbol(sqlite3_vfs *own, void *handle, const char *name))(void) { return 0; }

static void vfs_dl_close(sqlite3_vfs *own, void *handle) {}

static int vfs_randomness(sqlite3_vfs *own, int count, char *bytes) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    return vfs ? vfs->xRandomness(vfs, count, bytes) : 0;
}

static int vfs_sleep(sqlite3_vfs *own, int microseconds) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    return vfs ? vfs->xSleep(vfs, microseconds) : 0;
}

static int vfs_time(sqlite3_vfs *own, double *time) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    return vfs ? vfs->xCurrentTime(vfs, time) : SQLITE_ERROR;
}

static int vfs_last_error(sqlite3_vfs *own, int size, char *message) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(0);
    return vfs && vfs->xGetLastError ? vfs->xGetLastError(vfs, size, message) : 0;
}

static sqlite3_vfs reading_vfs = {
    .iVersion = 1,
    .szOsFile = sizeof(struct reading_file),
    .mxPathname = 512,
    .zName = "opencoredata-reading",
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_path,
    .xDlOpen = vfs_dl_open,
    .xDlError = vfs_dl_error,
    .xDlSym = vfs_dl_symbol,
    .xDlClose = vfs_dl_close,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_time,
    .xGetLastError = vfs_last_error,
};

const char *csqlite_reading_vfs(void) {
    // Registering it again changes nothing.
    return sqlite3_vfs_register(&reading_vfs, 0) == SQLITE_OK ? reading_vfs.zName : 0;
}
