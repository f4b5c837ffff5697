#ifndef RECORDER_H
#define RECORDER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include "TestVFS.h"

#define RECORDER_PATH_SIZE 4096

/// Guards all that the recorder knows; may be taken again by the thread that has it.
void recorder_lock(void);
void recorder_unlock(void);

/// How many methods of the VFS the thread is in: calls of the C library are then SQLite's own.
extern _Thread_local int recorder_depth;

int recorder_is_armed(void);
int recorder_is_dead(void);

/// The part of an absolute path below the folder ("" for the folder itself), or null for one elsewhere. `buffer` has
/// RECORDER_PATH_SIZE bytes.
const char *recorder_relative(const char *path, char *buffer);

/// Counts a call, and returns the fault that it meets: TESTVFS_NONE when it is to be made.
int recorder_call(int kind, const char *relative);

// The image of the folder. All paths are relative to it. The lock is held.

void disk_begin(const char *folder);
void disk_opened(int descriptor, const char *path, int flags);
void disk_closed(int descriptor);
/// The path of what a descriptor has open; null when it is not below the folder.
const char *disk_path(int descriptor);
int disk_is_folder(int descriptor);
int disk_has(const char *path);
void disk_written(int descriptor, off_t offset, const void *bytes, size_t length);
void disk_truncated(int descriptor, off_t length);
void disk_synced(int descriptor);
void disk_mode_changed(const char *path, int descriptor, mode_t mode);
void disk_folder_made(const char *path, mode_t mode);
void disk_removed(const char *path);
void disk_linked(const char *from, const char *to);
void disk_renamed(const char *from, const char *to);

#endif
