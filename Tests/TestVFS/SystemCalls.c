#include "Recorder.h"

// The calls of the C library that change files, in place of its own: an executable's definitions come before those of
// the libraries that it uses. On other systems a library's calls are bound to the library that it was linked with.
#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/// The path below the recorded folder of what a call names; null when it is elsewhere. With the lock.
static const char *relative(int folder, const char *path, char *buffer) {
    char joined[RECORDER_PATH_SIZE];
    if (!path) return NULL;
    if (path[0] == '/') return recorder_relative(path, buffer);
    const char *base = folder == AT_FDCWD ? NULL : disk_path(folder);
    if (!base) return NULL;
    if (snprintf(joined, sizeof joined, "%s%s%s", base, *base ? "/" : "", path) >= (int)sizeof joined) return NULL;
    strcpy(buffer, joined);
    return buffer;
}

/// Whether a call meets a fault; its error number is then set. Calls inside of SQLite's were counted as those.
static int is_refused(int kind, const char *path) {
    if (!path || recorder_depth) return 0;
    int fault = recorder_call(kind, path);
    switch (fault) {
    case TESTVFS_NONE: return 0;
    case TESTVFS_FULL: errno = ENOSPC; break;
    case TESTVFS_CANNOT_OPEN: errno = EMFILE; break;
    case TESTVFS_NO_MEMORY: errno = ENOMEM; break;
    default: errno = EIO;
    }
    return 1;
}

/// Releases the lock without touching the error number.
static void unlock(void) {
    int number = errno;
    recorder_unlock();
    errno = number;
}

static int is_recorded(int descriptor) { return recorder_is_armed() && disk_path(descriptor); }

// Opening and closing.

static int opening(int folder, const char *path, int flags, mode_t mode) {
    char buffer[RECORDER_PATH_SIZE];
    if (!recorder_is_armed()) {
        int descriptor = (int)syscall(SYS_openat, folder, path, flags, mode);
        return descriptor;
    }
    recorder_lock();
    const char *name = relative(folder, path, buffer);
    int kind = flags & O_DIRECTORY ? TESTVFS_FOLDER_OPEN : TESTVFS_FILE_OPEN;
    if (name && (flags & O_CREAT) && !disk_has(name)) kind = TESTVFS_FILE_MAKE;
    int result = -1;
    if (!is_refused(kind, name)) {
        result = (int)syscall(SYS_openat, folder, path, flags, mode);
        if (result >= 0 && name) {
            int number = errno;
            disk_opened(result, name, flags);
            errno = number;
        }
    }
    unlock();
    return result;
}

static mode_t mode_argument(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; }

#define OPEN_BODY(folder) \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = mode_argument(flags, list); \
    va_end(list); \
    return opening(folder, path, flags, mode)

int open(const char *path, int flags, ...) { OPEN_BODY(AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPEN_BODY(AT_FDCWD); }
int openat(int folder, const char *path, int flags, ...) { OPEN_BODY(folder); }
int openat64(int folder, const char *path, int flags, ...) { OPEN_BODY(folder); }
int __open_2(const char *path, int flags) { return opening(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return opening(AT_FDCWD, path, flags, 0); }
int creat(const char *path, mode_t mode) { return opening(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int descriptor) {
    recorder_lock();
    disk_closed(descriptor);
    int result = (int)syscall(SYS_close, descriptor);
    unlock();
    return result;
}

// Reading, which changes nothing but can fail.

static int cannot_read(int descriptor) {
    if (!is_recorded(descriptor)) return 0;
    recorder_lock();
    int answer = is_refused(TESTVFS_FILE_READ, disk_path(descriptor));
    unlock();
    return answer;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    if (cannot_read(descriptor)) return -1;
    return syscall(SYS_read, descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    if (cannot_read(descriptor)) return -1;
    return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    return pread(descriptor, bytes, count, offset);
}

// Writing.

/// How much of a write is made: all of it, or, when it meets a fault of the disk, often the beginning.
static size_t writable(int descriptor, size_t count, int *refused) {
    *refused = is_refused(TESTVFS_FILE_WRITE, disk_path(descriptor));
    if (!*refused) return count;
    return recorder_is_dead() || errno == ENOMEM ? 0 : count / 2;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (!is_recorded(descriptor)) return syscall(SYS_write, descriptor, bytes, count);
    recorder_lock();
    int refused;
    size_t part = writable(descriptor, count, &refused);
    int number = errno;
    ssize_t result = part || !refused ? syscall(SYS_write, descriptor, bytes, part) : 0;
    if (result > 0) disk_written(descriptor, lseek(descriptor, 0, SEEK_CUR) - result, bytes, (size_t)result);
    if (refused) {
        errno = number;
        result = -1;
    }
    unlock();
    return result;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (!is_recorded(descriptor)) return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    recorder_lock();
    int refused;
    size_t part = writable(descriptor, count, &refused);
    int number = errno;
    ssize_t result = part || !refused ? syscall(SYS_pwrite64, descriptor, bytes, part, offset) : 0;
    if (result > 0) disk_written(descriptor, offset, bytes, (size_t)result);
    if (refused) {
        errno = number;
        result = -1;
    }
    unlock();
    return result;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (!is_recorded(descriptor)) return syscall(SYS_writev, descriptor, parts, count);
    ssize_t sum = 0;
    for (int i = 0; i < count; i++) {
        ssize_t written = write(descriptor, parts[i].iov_base, parts[i].iov_len);
        if (written < 0) return sum ? sum : -1;
        sum += written;
        if ((size_t)written < parts[i].iov_len) break;
    }
    return sum;
}

/// Records what the kernel copied into a file.
static void record_copied(int descriptor, off_t end, ssize_t count) {
    if (count <= 0) return;
    void *bytes = malloc((size_t)count);
    if (!bytes) abort();
    // The descriptor may be one that only writes.
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int reader = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    ssize_t got = reader < 0 ? -1 : syscall(SYS_pread64, reader, bytes, count, end - count);
    if (reader >= 0) syscall(SYS_close, reader);
    if (got == count) disk_written(descriptor, end - count, bytes, (size_t)count);
    free(bytes);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t count) {
    if (!is_recorded(out)) return syscall(SYS_sendfile, out, in, offset, count);
    recorder_lock();
    ssize_t result = -1;
    if (!is_refused(TESTVFS_FILE_WRITE, disk_path(out))) {
        result = syscall(SYS_sendfile, out, in, offset, count);
        record_copied(out, lseek(out, 0, SEEK_CUR), result);
    }
    unlock();
    return result;
}

ssize_t sendfile64(int out, int in, off64_t *offset, size_t count) { return sendfile(out, in, offset, count); }

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t count, unsigned flags) {
    if (!is_recorded(out)) return syscall(SYS_copy_file_range, in, from, out, to, count, flags);
    recorder_lock();
    ssize_t result = -1;
    if (!is_refused(TESTVFS_FILE_WRITE, disk_path(out))) {
        result = syscall(SYS_copy_file_range, in, from, out, to, count, flags);
        record_copied(out, to ? *to : lseek(out, 0, SEEK_CUR), result);
    }
    unlock();
    return result;
}

int ftruncate(int descriptor, off_t length) {
    if (!is_recorded(descriptor)) return (int)syscall(SYS_ftruncate, descriptor, length);
    recorder_lock();
    int result = -1;
    if (!is_refused(TESTVFS_FILE_TRUNCATE, disk_path(descriptor))) {
        result = (int)syscall(SYS_ftruncate, descriptor, length);
        if (result == 0) disk_truncated(descriptor, length);
    }
    unlock();
    return result;
}

int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }

// Syncing.

static int syncing(int descriptor, long call) {
    if (!is_recorded(descriptor)) return (int)syscall(call, descriptor);
    recorder_lock();
    int result = -1;
    int kind = disk_is_folder(descriptor) ? TESTVFS_FOLDER_SYNC : TESTVFS_FILE_SYNC;
    if (!is_refused(kind, disk_path(descriptor))) {
        // The image is what counts; a real sync would take the time of a disk.
        disk_synced(descriptor);
        result = 0;
    }
    unlock();
    return result;
}

int fsync(int descriptor) { return syncing(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return syncing(descriptor, SYS_fdatasync); }

// Modes, owners, locks.

int fchmod(int descriptor, mode_t mode) {
    if (!is_recorded(descriptor)) return (int)syscall(SYS_fchmod, descriptor, mode);
    recorder_lock();
    int result = -1;
    if (!is_refused(TESTVFS_FILE_MODE, disk_path(descriptor))) {
        result = (int)syscall(SYS_fchmod, descriptor, mode);
        if (result == 0) disk_mode_changed(NULL, descriptor, mode);
    }
    unlock();
    return result;
}

int fchmodat(int folder, const char *path, mode_t mode, int flags) {
    char buffer[RECORDER_PATH_SIZE];
    recorder_lock();
    const char *name = recorder_is_armed() ? relative(folder, path, buffer) : NULL;
    int result = -1;
    if (!is_refused(TESTVFS_FILE_MODE, name)) {
        result = (int)syscall(SYS_fchmodat, folder, path, mode, flags);
        if (result == 0 && name) disk_mode_changed(name, -1, mode);
    }
    unlock();
    return result;
}

int chmod(const char *path, mode_t mode) { return fchmodat(AT_FDCWD, path, mode, 0); }

int fchown(int descriptor, uid_t owner, gid_t group) {
    if (is_recorded(descriptor)) {
        recorder_lock();
        int refused = is_refused(TESTVFS_FILE_OWNER, disk_path(descriptor));
        unlock();
        if (refused) return -1;
    }
    return (int)syscall(SYS_fchown, descriptor, owner, group);
}

int fchownat(int folder, const char *path, uid_t owner, gid_t group, int flags) {
    char buffer[RECORDER_PATH_SIZE];
    recorder_lock();
    const char *name = recorder_is_armed() ? relative(folder, path, buffer) : NULL;
    int refused = is_refused(TESTVFS_FILE_OWNER, name);
    unlock();
    return refused ? -1 : (int)syscall(SYS_fchownat, folder, path, owner, group, flags);
}

int chown(const char *path, uid_t owner, gid_t group) { return fchownat(AT_FDCWD, path, owner, group, 0); }
int lchown(const char *path, uid_t owner, gid_t group) {
    return fchownat(AT_FDCWD, path, owner, group, AT_SYMLINK_NOFOLLOW);
}

int flock(int descriptor, int operation) {
    if (is_recorded(descriptor) && !(operation & LOCK_UN)) {
        recorder_lock();
        int refused = is_refused(TESTVFS_FILE_LOCK, disk_path(descriptor));
        unlock();
        if (refused) return -1;
    }
    return (int)syscall(SYS_flock, descriptor, operation);
}

// Names.

int mkdirat(int folder, const char *path, mode_t mode) {
    char buffer[RECORDER_PATH_SIZE];
    recorder_lock();
    const char *name = recorder_is_armed() ? relative(folder, path, buffer) : NULL;
    int result = -1;
    if (!is_refused(TESTVFS_FOLDER_MAKE, name)) {
        result = (int)syscall(SYS_mkdirat, folder, path, mode);
        struct stat status;
        if (result == 0 && name && fstatat(folder, path, &status, 0) == 0) disk_folder_made(name, status.st_mode);
    }
    unlock();
    return result;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int folder, const char *path, int flags) {
    char buffer[RECORDER_PATH_SIZE];
    recorder_lock();
    const char *name = recorder_is_armed() ? relative(folder, path, buffer) : NULL;
    int result = -1;
    if (!is_refused(flags & AT_REMOVEDIR ? TESTVFS_FOLDER_REMOVE : TESTVFS_UNLINK, name)) {
        result = (int)syscall(SYS_unlinkat, folder, path, flags);
        if (result == 0 && name) disk_removed(name);
    }
    unlock();
    return result;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char *path) {
    struct stat status;
    int is_folder = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
    return is_folder ? rmdir(path) : unlink(path);
}

int linkat(int from, const char *path, int to, const char *target, int flags) {
    char buffer[RECORDER_PATH_SIZE], other[RECORDER_PATH_SIZE];
    recorder_lock();
    const char *old = recorder_is_armed() ? relative(from, path, buffer) : NULL;
    const char *name = recorder_is_armed() ? relative(to, target, other) : NULL;
    int result = -1;
    if (!is_refused(TESTVFS_LINK, name)) {
        result = (int)syscall(SYS_linkat, from, path, to, target, flags);
        if (result == 0 && old && name) disk_linked(old, name);
    }
    unlock();
    return result;
}

int link(const char *path, const char *target) { return linkat(AT_FDCWD, path, AT_FDCWD, target, 0); }

int renameat2(int from, const char *path, int to, const char *target, unsigned flags) {
    char buffer[RECORDER_PATH_SIZE], other[RECORDER_PATH_SIZE];
    recorder_lock();
    const char *old = recorder_is_armed() ? relative(from, path, buffer) : NULL;
    const char *name = recorder_is_armed() ? relative(to, target, other) : NULL;
    int result = -1;
    if (!is_refused(TESTVFS_RENAME, name ? name : old)) {
        result = (int)syscall(SYS_renameat2, from, path, to, target, flags);
        if (result == 0 && old && name) disk_renamed(old, name);
        else if (result == 0 && old) disk_removed(old);
    }
    unlock();
    return result;
}

int renameat(int from, const char *path, int to, const char *target) { return renameat2(from, path, to, target, 0); }
int rename(const char *path, const char *target) { return renameat2(AT_FDCWD, path, AT_FDCWD, target, 0); }

#endif
