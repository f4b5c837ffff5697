#include "Recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The image: what is on the disk for sure, and each change since. A file's bytes are there for sure when it was synced;
// a name when its folder was.

enum { SECTOR = 512, DESCRIPTORS = 65536 };

struct bytes {
    unsigned char *data;
    size_t length, capacity;
};

/// A change of a file that was not synced yet; without bytes, of its length.
struct change {
    struct change *next;
    unsigned char *bytes;
    off_t offset;
    size_t length;
};

struct node {
    struct node *next_made;
    int is_folder;
    mode_t mode, synced_mode;
    struct bytes live, synced;
    struct change *changes, **last_change;
};

struct name {
    char *path;
    struct node *node;
};

struct names {
    struct name *items;
    size_t count, capacity;
};

/// A change of names that was not made durable yet: `to` leads to the node, or `from` to nothing, or both at once.
struct rename {
    struct rename *next;
    char *from, *to;
    struct node *node;
};

struct descriptor {
    struct node *node;
    char *path;
};

static char root[RECORDER_PATH_SIZE];
static struct node *all_nodes;
static struct names live, durable;
static struct rename *renames, **last_rename = &renames;
static struct descriptor descriptors[DESCRIPTORS];

static void *checked(void *memory) {
    if (!memory) abort();
    return memory;
}

// Bytes.

static void provide(struct bytes *bytes, size_t length) {
    if (length > bytes->capacity) {
        size_t capacity = bytes->capacity ? bytes->capacity : 4096;
        while (capacity < length) capacity *= 2;
        bytes->data = checked(realloc(bytes->data, capacity));
        bytes->capacity = capacity;
    }
    if (length > bytes->length) memset(bytes->data + bytes->length, 0, length - bytes->length);
}

static void set_length(struct bytes *bytes, size_t length) {
    provide(bytes, length);
    bytes->length = length;
}

static void put(struct bytes *bytes, size_t offset, const unsigned char *data, size_t length) {
    if (offset + length > bytes->length) set_length(bytes, offset + length);
    if (length) memcpy(bytes->data + offset, data, length);
}

static void copy_bytes(struct bytes *to, const struct bytes *from) {
    to->length = 0;
    set_length(to, from->length);
    if (from->length) memcpy(to->data, from->data, from->length);
}

// Nodes.

static struct node *new_node(int is_folder, mode_t mode) {
    struct node *node = checked(calloc(1, sizeof *node));
    node->is_folder = is_folder;
    node->mode = node->synced_mode = mode & 07777;
    node->last_change = &node->changes;
    node->next_made = all_nodes;
    all_nodes = node;
    return node;
}

static void drop_changes(struct node *node) {
    while (node->changes) {
        struct change *change = node->changes;
        node->changes = change->next;
        free(change->bytes);
        free(change);
    }
    node->last_change = &node->changes;
}

static void add_change(struct node *node, off_t offset, const void *bytes, size_t length) {
    struct change *change = checked(calloc(1, sizeof *change));
    change->offset = offset;
    change->length = length;
    if (bytes) {
        change->bytes = checked(malloc(length ? length : 1));
        memcpy(change->bytes, bytes, length);
        put(&node->live, (size_t)offset, bytes, length);
    } else {
        set_length(&node->live, (size_t)offset);
    }
    *node->last_change = change;
    node->last_change = &change->next;
}

// Names.

static struct name *find(struct names *names, const char *path) {
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->items[i].path, path)) return &names->items[i];
    return NULL;
}

static void remove_name(struct names *names, const char *path) {
    struct name *name = find(names, path);
    if (!name) return;
    free(name->path);
    *name = names->items[--names->count];
}

static void set_name(struct names *names, const char *path, struct node *node) {
    struct name *name = find(names, path);
    if (name) {
        name->node = node;
        return;
    }
    if (names->count == names->capacity) {
        names->capacity = names->capacity ? names->capacity * 2 : 16;
        names->items = checked(realloc(names->items, names->capacity * sizeof *names->items));
    }
    names->items[names->count].path = checked(strdup(path));
    names->items[names->count++].node = node;
}

static void clear(struct names *names) {
    for (size_t i = 0; i < names->count; i++) free(names->items[i].path);
    names->count = 0;
}

/// Makes a change of names. What is below a folder goes with it.
static void apply(struct names *names, const char *from, const char *to, struct node *node) {
    if (from && to && node->is_folder) {
        size_t length = strlen(from);
        for (size_t i = 0; i < names->count; i++) {
            char *path = names->items[i].path;
            if (strncmp(path, from, length) || path[length] != '/') continue;
            size_t size = strlen(to) + strlen(path + length) + 1;
            char *moved = checked(malloc(size));
            snprintf(moved, size, "%s%s", to, path + length);
            free(path);
            names->items[i].path = moved;
        }
    }
    if (from) remove_name(names, from);
    if (to) set_name(names, to, node);
}

static void add_rename(const char *from, const char *to, struct node *node) {
    struct rename *rename = checked(calloc(1, sizeof *rename));
    rename->from = from ? checked(strdup(from)) : NULL;
    rename->to = to ? checked(strdup(to)) : NULL;
    rename->node = node;
    *last_rename = rename;
    last_rename = &rename->next;
    apply(&live, from, to, node);
}

static void free_rename(struct rename *rename) {
    free(rename->from);
    free(rename->to);
    free(rename);
}

/// Whether a path is directly in a folder.
static int is_in(const char *path, const char *folder) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    return strlen(folder) == length && !strncmp(path, folder, length);
}

static int concerns(const struct rename *rename, const char *folder) {
    return is_in(rename->to ? rename->to : rename->from, folder);
}

static void sync_folder(const char *folder) {
    struct rename **link = &renames;
    while (*link) {
        struct rename *rename = *link;
        if (!concerns(rename, folder)) {
            link = &rename->next;
            continue;
        }
        apply(&durable, rename->from, rename->to, rename->node);
        *link = rename->next;
        free_rename(rename);
    }
    last_rename = link;
}

// Beginning.

static void scan(const char *path) {
    char full[RECORDER_PATH_SIZE];
    snprintf(full, sizeof full, "%s%s%s", root, *path ? "/" : "", path);
    struct stat status;
    if (lstat(full, &status) != 0) return;
    struct node *node = new_node(S_ISDIR(status.st_mode), status.st_mode);
    set_name(&live, path, node);
    set_name(&durable, path, node);
    if (S_ISREG(status.st_mode)) {
        FILE *file = fopen(full, "rb");
        if (!file) return;
        set_length(&node->live, (size_t)status.st_size);
        node->live.length = fread(node->live.data, 1, (size_t)status.st_size, file);
        fclose(file);
        copy_bytes(&node->synced, &node->live);
    } else if (S_ISDIR(status.st_mode)) {
        DIR *folder = opendir(full);
        if (!folder) return;
        for (struct dirent *entry; (entry = readdir(folder));) {
            if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
            char inner[RECORDER_PATH_SIZE];
            int length = snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "/" : "", entry->d_name);
            if (length > 0 && (size_t)length < sizeof inner) scan(inner);
        }
        closedir(folder);
    }
}

void disk_begin(const char *folder) {
    while (all_nodes) {
        struct node *node = all_nodes;
        all_nodes = node->next_made;
        drop_changes(node);
        free(node->live.data);
        free(node->synced.data);
        free(node);
    }
    clear(&live);
    clear(&durable);
    while (renames) {
        struct rename *rename = renames;
        renames = rename->next;
        free_rename(rename);
    }
    last_rename = &renames;
    for (int i = 0; i < DESCRIPTORS; i++) disk_closed(i);
    strncpy(root, folder, sizeof root - 1);
    scan("");
}

// Calls that were made.

static struct descriptor *descriptor_of(int number) {
    if (number < 0 || number >= DESCRIPTORS || !descriptors[number].node) return NULL;
    return &descriptors[number];
}

const char *disk_path(int number) {
    struct descriptor *descriptor = descriptor_of(number);
    return descriptor ? descriptor->path : NULL;
}

int disk_is_folder(int number) {
    struct descriptor *descriptor = descriptor_of(number);
    return descriptor && descriptor->node->is_folder;
}

int disk_has(const char *path) { return find(&live, path) != NULL; }

void disk_opened(int number, const char *path, int flags) {
    if (number < 0 || number >= DESCRIPTORS) return;
    disk_closed(number);
    struct name *name = find(&live, path);
    if (!name) {
        struct stat status;
        if (fstat(number, &status) != 0) return;
        add_rename(NULL, path, new_node(S_ISDIR(status.st_mode), status.st_mode));
        name = find(&live, path);
    }
    struct node *node = name->node;
    if ((flags & O_TRUNC) && node->live.length) add_change(node, 0, NULL, 0);
    descriptors[number].node = node;
    descriptors[number].path = checked(strdup(path));
}

void disk_closed(int number) {
    if (number < 0 || number >= DESCRIPTORS) return;
    free(descriptors[number].path);
    descriptors[number].path = NULL;
    descriptors[number].node = NULL;
}

void disk_written(int number, off_t offset, const void *bytes, size_t length) {
    struct descriptor *descriptor = descriptor_of(number);
    if (descriptor && length) add_change(descriptor->node, offset, bytes, length);
}

void disk_truncated(int number, off_t length) {
    struct descriptor *descriptor = descriptor_of(number);
    if (descriptor && (size_t)length != descriptor->node->live.length)
        add_change(descriptor->node, length, NULL, 0);
}

void disk_synced(int number) {
    struct descriptor *descriptor = descriptor_of(number);
    if (!descriptor) return;
    struct node *node = descriptor->node;
    node->synced_mode = node->mode;
    if (node->is_folder) return sync_folder(descriptor->path);
    copy_bytes(&node->synced, &node->live);
    drop_changes(node);
}

void disk_mode_changed(const char *path, int number, mode_t mode) {
    struct descriptor *descriptor = path ? NULL : descriptor_of(number);
    struct name *name = path ? find(&live, path) : NULL;
    struct node *node = descriptor ? descriptor->node : name ? name->node : NULL;
    if (node) node->mode = mode & 07777;
}

void disk_folder_made(const char *path, mode_t mode) { add_rename(NULL, path, new_node(1, mode)); }

void disk_removed(const char *path) {
    struct name *name = find(&live, path);
    if (name) add_rename(path, NULL, name->node);
}

void disk_linked(const char *from, const char *to) {
    struct name *name = find(&live, from);
    if (name) add_rename(NULL, to, name->node);
}

void disk_renamed(const char *from, const char *to) {
    struct name *name = find(&live, from);
    if (!name) return;
    struct name *old = find(&live, to);
    // Between two names of one file nothing happens.
    if (old && old->node == name->node) return;
    add_rename(from, to, name->node);
}

// What a power cut leaves.

static uint64_t random_state;

static uint64_t random_number(void) {
    uint64_t mixed = random_state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

/// Chooses by the seed how likely it is that a change stays: of some power cuts most of them, of some few.
static int is_kept(unsigned likelihood) { return random_number() % 8 < likelihood; }

static int write_file(const char *path, const struct bytes *bytes, mode_t mode) {
    FILE *file = fopen(path, "wb");
    if (!file) return errno;
    size_t written = bytes->length ? fwrite(bytes->data, 1, bytes->length, file) : 0;
    if (fclose(file) != 0 || written != bytes->length) return EIO;
    return chmod(path, mode) == 0 ? 0 : errno;
}

static void remaining_bytes(struct bytes *bytes, const struct node *node, int remains, unsigned likelihood) {
    copy_bytes(bytes, &node->synced);
    if (remains == TESTVFS_NOTHING_UNSYNCED || remains == TESTVFS_NAMES_ONLY) return;
    for (struct change *change = node->changes; change; change = change->next) {
        if (!change->bytes) {
            if (is_kept(likelihood)) set_length(bytes, (size_t)change->offset);
            continue;
        }
        size_t done = 0;
        while (done < change->length) {
            size_t start = (size_t)change->offset + done;
            size_t count = SECTOR - start % SECTOR;
            if (count > change->length - done) count = change->length - done;
            if (is_kept(likelihood)) put(bytes, start, change->bytes + done, count);
            done += count;
        }
    }
}

static int compare_paths(const void *one, const void *other) {
    return strcmp(((const struct name *)one)->path, ((const struct name *)other)->path);
}

static void remaining_names(struct names *names, int remains, unsigned likelihood) {
    for (size_t i = 0; i < durable.count; i++) set_name(names, durable.items[i].path, durable.items[i].node);
    if (remains == TESTVFS_NOTHING_UNSYNCED) return;
    struct names ended = {0};
    for (struct rename *rename = renames; rename; rename = rename->next) {
        const char *path = rename->to ? rename->to : rename->from;
        if (remains != TESTVFS_NAMES_ONLY) {
            char folder[RECORDER_PATH_SIZE];
            const char *slash = strrchr(path, '/');
            snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 0, path);
            if (find(&ended, folder)) continue;
            if (!is_kept(likelihood)) {
                if (remains == TESTVFS_SECTORS) set_name(&ended, folder, rename->node);
                continue;
            }
        }
        // A name of a folder that is not there cannot change.
        if (rename->to && strchr(rename->to, '/')) {
            char folder[RECORDER_PATH_SIZE];
            snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(rename->to, '/') - rename->to), rename->to);
            if (!find(names, folder)) continue;
        }
        apply(names, rename->from, rename->to, rename->node);
    }
    clear(&ended);
    free(ended.items);
}

int testvfs_power_cut(const char *target, uint64_t seed, int remains) {
    recorder_lock();
    random_state = seed;
    static const unsigned likelihoods[] = {1, 4, 4, 7};
    unsigned likelihood = likelihoods[random_number() % 4];
    struct names names = {0};
    remaining_names(&names, remains, likelihood);
    qsort(names.items, names.count, sizeof *names.items, compare_paths);
    int failure = 0;
    struct bytes bytes = {0};
    char path[RECORDER_PATH_SIZE];
    // A folder comes before what is in it.
    for (size_t i = 0; i < names.count && !failure; i++) {
        const struct name *name = &names.items[i];
        int length = snprintf(path, sizeof path, "%s%s%s", target, *name->path ? "/" : "", name->path);
        if (length < 0 || (size_t)length >= sizeof path) failure = ENAMETOOLONG;
        else if (name->node->is_folder) {
            // A folder below one whose removal stayed is gone with it.
            if (mkdir(path, 0700) != 0 && errno != EEXIST && errno != ENOENT) failure = errno;
        } else {
            size_t end = strlen(name->path);
            // The index of a write-ahead log is memory.
            if (end >= 4 && !strcmp(name->path + end - 4, "-shm")) continue;
            int has_mode = remains == TESTVFS_NOTHING_UNSYNCED || !is_kept(likelihood);
            remaining_bytes(&bytes, name->node, remains, likelihood);
            // The folder may be one that was removed, and its removal kept without that of what was in it.
            failure = write_file(path, &bytes, has_mode ? name->node->synced_mode : name->node->mode);
            if (failure == ENOENT || failure == ENOTDIR) failure = 0;
        }
    }
    for (size_t i = names.count; i-- > 0 && !failure;) {
        if (!names.items[i].node->is_folder) continue;
        snprintf(path, sizeof path, "%s%s%s", target, *names.items[i].path ? "/" : "", names.items[i].path);
        chmod(path, names.items[i].node->mode);
    }
    free(bytes.data);
    clear(&names);
    free(names.items);
    recorder_unlock();
    return failure;
}

// Folders as they are.

const char *testvfs_unseen_change(void) {
    static char answer[RECORDER_PATH_SIZE + 64];
    const char *found = NULL;
    recorder_lock();
    for (size_t i = 0; i < live.count && !found; i++) {
        const struct name *name = &live.items[i];
        size_t end = strlen(name->path);
        if (end >= 4 && !strcmp(name->path + end - 4, "-shm")) continue;
        char path[RECORDER_PATH_SIZE];
        int length = snprintf(path, sizeof path, "%s%s%s", root, *name->path ? "/" : "", name->path);
        if (length < 0 || (size_t)length >= sizeof path) continue;
        struct stat status;
        const char *reason = NULL;
        if (lstat(path, &status) != 0) reason = "is not there";
        else if ((status.st_mode & 07777) != name->node->mode) reason = "has another mode";
        else if (S_ISREG(status.st_mode)) {
            FILE *file = fopen(path, "rb");
            unsigned char *data = checked(malloc(name->node->live.length + 1));
            size_t count = file ? fread(data, 1, name->node->live.length + 1, file) : 0;
            if (file) fclose(file);
            if (count != name->node->live.length) reason = "has another length";
            else if (count && memcmp(data, name->node->live.data, count)) reason = "has other bytes";
            free(data);
        }
        if (!reason) continue;
        snprintf(answer, sizeof answer, "%s %s", name->path, reason);
        found = answer;
    }
    recorder_unlock();
    return found;
}

int testvfs_copy_folder(const char *source, const char *target) {
    struct stat status;
    if (lstat(source, &status) != 0) return errno;
    if (mkdir(target, 0700) != 0 && errno != EEXIST) return errno;
    DIR *folder = opendir(source);
    if (!folder) return errno;
    int failure = 0;
    for (struct dirent *entry; !failure && (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        char from[RECORDER_PATH_SIZE], to[RECORDER_PATH_SIZE];
        if (snprintf(from, sizeof from, "%s/%s", source, entry->d_name) >= (int)sizeof from
            || snprintf(to, sizeof to, "%s/%s", target, entry->d_name) >= (int)sizeof to) {
            failure = ENAMETOOLONG;
            break;
        }
        struct stat inner;
        if (lstat(from, &inner) != 0) failure = errno;
        else if (S_ISDIR(inner.st_mode)) failure = testvfs_copy_folder(from, to);
        else if (S_ISREG(inner.st_mode)) {
            struct bytes bytes = {0};
            FILE *file = fopen(from, "rb");
            if (!file) { failure = errno; break; }
            set_length(&bytes, (size_t)inner.st_size);
            bytes.length = bytes.length ? fread(bytes.data, 1, bytes.length, file) : 0;
            fclose(file);
            failure = write_file(to, &bytes, inner.st_mode & 07777);
            free(bytes.data);
        }
    }
    closedir(folder);
    if (!failure && chmod(target, status.st_mode & 07777) != 0) failure = errno;
    return failure;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t length) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;
    return hash;
}

static uint64_t hash_file(const char *path, const char *name, const struct stat *status) {
    uint64_t hash = hash_bytes(0xCBF29CE484222325u, name, strlen(name) + 1);
    mode_t mode = status->st_mode;
    hash = hash_bytes(hash, &mode, sizeof mode);
    size_t end = strlen(name);
    if (!S_ISREG(mode) || (end >= 4 && !strcmp(name + end - 4, "-shm"))) return hash;
    FILE *file = fopen(path, "rb");
    if (!file) return hash;
    unsigned char buffer[65536];
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, file)) > 0;)
        hash = hash_bytes(hash, buffer, count);
    fclose(file);
    return hash;
}

uint64_t testvfs_hash(const void *bytes, size_t length) {
    return hash_bytes(0xCBF29CE484222325u, bytes, length);
}

uint64_t testvfs_folder_hash(const char *path) {
    uint64_t sum = 1;
    DIR *folder = opendir(path);
    if (!folder) return sum;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        char inner[RECORDER_PATH_SIZE];
        struct stat status;
        int length = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof inner || lstat(inner, &status) != 0) continue;
        uint64_t hash = hash_file(inner, entry->d_name, &status);
        if (S_ISDIR(status.st_mode)) hash = hash * 31 + testvfs_folder_hash(inner);
        // In any order.
        sum += hash ^ (hash >> 29);
    }
    closedir(folder);
    return sum;
}
