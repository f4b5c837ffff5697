#include "Recorder.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
    int kind;
    char *path;
};

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static char root[RECORDER_PATH_SIZE];
static size_t root_length;
static int is_armed, is_dead, was_hit;
static long target;
static int target_fault, target_persists;
static struct record *records;
static long record_count, record_capacity;

_Thread_local int recorder_depth;

static void make_mutex(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void recorder_lock(void) {
    pthread_once(&once, make_mutex);
    pthread_mutex_lock(&mutex);
}

void recorder_unlock(void) { pthread_mutex_unlock(&mutex); }

int recorder_is_armed(void) { return is_armed; }
int recorder_is_dead(void) { return is_dead; }

const char *recorder_relative(const char *path, char *buffer) {
    if (!root_length || !path || path[0] != '/') return NULL;
    // Without doubled slashes, dots and a slash at the end.
    size_t length = 0;
    for (const char *from = path; *from; ) {
        if (from[0] == '/' && from[1] == '/') { from++; continue; }
        if (from[0] == '/' && from[1] == '.' && (from[2] == '/' || !from[2])) { from += 2; continue; }
        if (length + 1 >= RECORDER_PATH_SIZE) return NULL;
        buffer[length++] = *from++;
    }
    while (length > 1 && buffer[length - 1] == '/') length--;
    buffer[length] = 0;
    if (strncmp(buffer, root, root_length) != 0) return NULL;
    if (!buffer[root_length]) return buffer + root_length;
    return buffer[root_length] == '/' ? buffer + root_length + 1 : NULL;
}

void testvfs_begin(const char *folder, long call, int fault, int persists) {
    recorder_lock();
    for (long i = 0; i < record_count; i++) free(records[i].path);
    record_count = 0;
    strncpy(root, folder, sizeof root - 1);
    root_length = strlen(root);
    target = call;
    target_fault = fault;
    target_persists = persists;
    is_dead = was_hit = 0;
    disk_begin(root);
    is_armed = 1;
    recorder_unlock();
}

void testvfs_end(void) {
    recorder_lock();
    is_armed = is_dead = 0;
    recorder_unlock();
}

int recorder_call(int kind, const char *relative) {
    if (!is_armed) return TESTVFS_NONE;
    if (is_dead) return TESTVFS_DEATH;
    if (record_count == record_capacity) {
        long capacity = record_capacity ? record_capacity * 2 : 1024;
        struct record *more = realloc(records, (size_t)capacity * sizeof *more);
        if (!more) abort();
        records = more;
        record_capacity = capacity;
    }
    records[record_count].kind = kind;
    records[record_count].path = strdup(relative);
    record_count++;
    if (record_count == target) {
        was_hit = 1;
        if (target_fault == TESTVFS_DEATH) is_dead = 1;
        return target_fault;
    }
    if (was_hit && target_persists && testvfs_can_meet(kind, target_fault)) return target_fault;
    return TESTVFS_NONE;
}

long testvfs_count(void) { return record_count; }
int testvfs_was_hit(void) { return was_hit; }

int testvfs_kind(long call) { return call >= 1 && call <= record_count ? records[call - 1].kind : 0; }

const char *testvfs_path(long call) {
    return call >= 1 && call <= record_count ? records[call - 1].path : "";
}

const char *testvfs_name(int kind) {
    static const char *const names[] = {
        "none", "open", "read", "write", "truncate", "sync", "delete", "access", "size", "lock", "unlock",
        "reserved", "shm-map", "shm-lock", "shm-unmap", "file-open", "file-make", "file-read", "file-write",
        "file-truncate", "file-sync", "file-mode", "file-owner", "file-lock", "folder-open", "folder-sync",
        "folder-make", "folder-remove", "link", "rename", "unlink",
    };
    return kind > 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : names[0];
}

int testvfs_can_meet(int kind, int fault) {
    switch (fault) {
    case TESTVFS_DEATH:
        return 1;
    case TESTVFS_IO_ERROR:
        // SQLite ignores what is said of these: a lock is released, whatever else fails.
        return kind != TESTVFS_UNLOCK && kind != TESTVFS_SHM_UNMAP;
    case TESTVFS_FULL:
        switch (kind) {
        case TESTVFS_WRITE: case TESTVFS_SHM_MAP: case TESTVFS_SYNC: case TESTVFS_FILE_MAKE:
        case TESTVFS_FILE_WRITE: case TESTVFS_FILE_SYNC: case TESTVFS_FOLDER_MAKE: case TESTVFS_LINK:
        case TESTVFS_RENAME:
            return 1;
        }
        return 0;
    case TESTVFS_CANNOT_OPEN:
        switch (kind) {
        case TESTVFS_OPEN: case TESTVFS_SHM_MAP: case TESTVFS_FILE_OPEN: case TESTVFS_FILE_MAKE:
        case TESTVFS_FOLDER_OPEN:
            return 1;
        }
        return 0;
    case TESTVFS_NO_MEMORY:
        switch (kind) {
        case TESTVFS_OPEN: case TESTVFS_READ: case TESTVFS_WRITE: case TESTVFS_ACCESS: case TESTVFS_SHM_MAP:
        case TESTVFS_FILE_OPEN: case TESTVFS_FILE_MAKE: case TESTVFS_FOLDER_MAKE: case TESTVFS_LINK:
        case TESTVFS_RENAME: case TESTVFS_UNLINK:
            return 1;
        }
        return 0;
    }
    return 0;
}

static char watched[256];

static void report(int signal_number) {
    static const char trap[] = "\nFAILED, trap at ", hang[] = "\nFAILED, no end of ";
    const char *text = signal_number == SIGALRM ? hang : trap;
    size_t length = signal_number == SIGALRM ? sizeof hang - 1 : sizeof trap - 1;
    ssize_t ignored = write(2, text, length);
    ignored = write(2, watched, strlen(watched));
    ignored = write(2, "\n", 1);
    (void)ignored;
    signal(signal_number, SIG_DFL);
    raise(signal_number == SIGALRM ? SIGABRT : signal_number);
}

void testvfs_watch(const char *name, unsigned seconds) {
    static const int traps[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGALRM};
    static int is_ready;
    if (!is_ready)
        for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) signal(traps[i], report);
    is_ready = 1;
    strncpy(watched, name, sizeof watched - 1);
    alarm(seconds);
}
