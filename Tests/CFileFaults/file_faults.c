#define _GNU_SOURCE
// The functions with 64 in their names are defined here as well.
#undef _FILE_OFFSET_BITS
#include "CFileFaults.h"

// Only glibc has all of these functions, and lets a program replace them.
#if defined(__linux__) && defined(__GLIBC__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { most_files = 4096, most_descriptors = 4096, longest_name = 512 };

// One lock for everything, held also during the calls, so that the history has their order.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char directory[longest_name];
static size_t directory_length;
static int history = -1;
static int syncs_count = 1;
static uint64_t calls, failing_call;
static int failing_error;
// The names of the existing files, by number; empty for deleted ones.
static char names[most_files][longest_name];
static uint32_t files;
// The number of the file that each descriptor is open at, plus 1; 1 for the directory; 0 for all others.
static _Atomic uint32_t descriptors[most_descriptors];

// The original function of a name, without this library. Looked up by the first call of each; two concurrent threads
// find the same.
static void *find(_Atomic(void *) *kept, const char *name) {
    void *found = atomic_load_explicit(kept, memory_order_relaxed);
    if (!found) atomic_store_explicit(kept, found = dlsym(RTLD_NEXT, name), memory_order_relaxed);
    return found;
}

#define ORIGINAL(type, name) \
    static _Atomic(void *) kept; \
    type original; \
    *(void **)&original = find(&kept, name)

static ssize_t plain_write(int descriptor, const void *bytes, size_t count) {
    ORIGINAL(__typeof__(&write), "write");
    return original(descriptor, bytes, count);
}

static void write_all(const void *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = plain_write(history, bytes, count);
        if (written < 0) abort();
        bytes = (const char *)bytes + written;
        count -= (size_t)written;
    }
}

static void note(uint32_t operation, uint32_t file, uint64_t offset, const void *data, uint64_t length) {
    if (history < 0) return;
    struct file_faults_record record = {operation, file, offset, length};
    write_all(&record, sizeof record);
    if (length > 0) write_all(data, length);
}

// The name of a file of the directory; NULL for others. The shared memory of SQLite is not on the disk.
static const char *name_of(const char *path) {
    if (directory_length == 0 || strncmp(path, directory, directory_length) != 0) return NULL;
    if (path[directory_length] != '/') return NULL;
    const char *name = path + directory_length + 1;
    size_t length = strlen(name);
    if (length == 0 || length >= longest_name || strchr(name, '/')) return NULL;
    if (length > 4 && strcmp(name + length - 4, "-shm") == 0) return NULL;
    return name;
}

static uint32_t number_of(const char *name) {
    for (uint32_t number = files; number > 0; number--)
        if (strcmp(names[number - 1], name) == 0) return number;
    return 0;
}

// Whether this call has to fail. Called with the lock held.
static int fails(void) {
    calls += 1;
    if (calls != failing_call) return 0;
    // A call that does half of its work reports no error.
    errno = failing_error == -1 ? EINTR : failing_error;
    return 1;
}

static uint32_t file_of(int descriptor) {
    return descriptor >= 0 && descriptor < most_descriptors ? descriptors[descriptor] : 0;
}

static int open_noting(int (*open_file)(const char *, int, ...), const char *path, int flags, mode_t mode) {
    const char *name = name_of(path);
    int is_directory = directory_length > 0 && strcmp(path, directory) == 0;
    if (!name && !is_directory) return open_file(path, flags, mode);
    pthread_mutex_lock(&lock);
    int descriptor = -1;
    if (!fails()) {
        descriptor = open_file(path, flags, mode);
        if (descriptor >= 0 && descriptor < most_descriptors) {
            uint32_t number = name ? number_of(name) : 0;
            if (name && number == 0 && files < most_files) {
                number = ++files;
                strcpy(names[number - 1], name);
                note(file_faults_created, number, 0, name, strlen(name));
            }
            if (name && (flags & O_TRUNC)) note(file_faults_truncated, number, 0, NULL, 0);
            descriptors[descriptor] = number + 1;
        }
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return descriptor;
}

int open(const char *path, int flags, ...) {
    ORIGINAL(__typeof__(&open), "open");
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(arguments, int) : 0;
    va_end(arguments);
    return open_noting(original, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    ORIGINAL(__typeof__(&open64), "open64");
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? (mode_t)va_arg(arguments, int) : 0;
    va_end(arguments);
    return open_noting(original, path, flags, mode);
}

int close(int descriptor) {
    ORIGINAL(__typeof__(&close), "close");
    if (file_of(descriptor) == 0) return original(descriptor);
    pthread_mutex_lock(&lock);
    descriptors[descriptor] = 0;
    int result = original(descriptor);
    pthread_mutex_unlock(&lock);
    return result;
}

// Writes at an offset, or at the end of the file for -1.
static ssize_t write_noting(int descriptor, const void *bytes, size_t count, off64_t offset) {
    ORIGINAL(__typeof__(ssize_t (*)(int, const void *, size_t, off64_t)), "pwrite64");
    uint32_t file = file_of(descriptor);
    if (file < 2) return offset < 0 ? plain_write(descriptor, bytes, count) : original(descriptor, bytes, count, offset);
    pthread_mutex_lock(&lock);
    ssize_t written = -1;
    int isFailing = fails();
    if (isFailing && failing_error == -1 && count > 1) {
        count /= 2;
        isFailing = 0;
    }
    if (!isFailing) {
        if (offset < 0) offset = lseek64(descriptor, 0, SEEK_CUR);
        written = original(descriptor, bytes, count, offset);
        if (written > 0) {
            note(file_faults_written, file - 1, (uint64_t)offset, bytes, (uint64_t)written);
            lseek64(descriptor, offset + written, SEEK_SET);
        }
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return written;
}

ssize_t write(int descriptor, const void *bytes, size_t count) { return write_noting(descriptor, bytes, count, -1); }

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_noting(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return write_noting(descriptor, bytes, count, offset);
}

static ssize_t read_failing(int descriptor, void *bytes, size_t count, off64_t offset) {
    ORIGINAL(__typeof__(ssize_t (*)(int, void *, size_t, off64_t)), "pread64");
    if (file_of(descriptor) >= 2) {
        pthread_mutex_lock(&lock);
        int isFailing = fails();
        int error = errno;
        pthread_mutex_unlock(&lock);
        if (isFailing) {
            if (failing_error == -1) return original(descriptor, bytes, count / 2, offset);
            errno = error;
            return -1;
        }
    }
    return original(descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    return read_failing(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    return read_failing(descriptor, bytes, count, offset);
}

static int sync_noting(int (*sync_file)(int), int descriptor) {
    uint32_t file = file_of(descriptor);
    if (file == 0) return sync_file(descriptor);
    pthread_mutex_lock(&lock);
    int result = fails() ? -1 : 0;
    if (result == 0 && syncs_count) {
        // Nothing is lost by the file system below.
        note(file_faults_synced, file - 1, 0, NULL, 0);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int fsync(int descriptor) {
    ORIGINAL(__typeof__(&fsync), "fsync");
    return sync_noting(original, descriptor);
}

int fdatasync(int descriptor) {
    ORIGINAL(__typeof__(&fdatasync), "fdatasync");
    return sync_noting(original, descriptor);
}

static int truncate_noting(int descriptor, off64_t length) {
    ORIGINAL(__typeof__(int (*)(int, off64_t)), "ftruncate64");
    uint32_t file = file_of(descriptor);
    if (file < 2) return original(descriptor, length);
    pthread_mutex_lock(&lock);
    int result = fails() ? -1 : original(descriptor, length);
    if (result == 0) note(file_faults_truncated, file - 1, (uint64_t)length, NULL, 0);
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int ftruncate(int descriptor, off_t length) { return truncate_noting(descriptor, length); }

int ftruncate64(int descriptor, off64_t length) { return truncate_noting(descriptor, length); }

int unlink(const char *path) {
    ORIGINAL(__typeof__(&unlink), "unlink");
    const char *name = name_of(path);
    if (!name) return original(path);
    pthread_mutex_lock(&lock);
    int result = fails() ? -1 : original(path);
    uint32_t number = number_of(name);
    if (result == 0 && number > 0) {
        names[number - 1][0] = 0;
        note(file_faults_deleted, number, 0, NULL, 0);
    }
    int error = errno;
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

static void begin(const char *path) {
    directory_length = strlen(path);
    if (directory_length >= longest_name) abort();
    memcpy(directory, path, directory_length + 1);
}

void file_faults_note(const char *path, const char *history_path, int syncs) {
    pthread_mutex_lock(&lock);
    int (*open_file)(const char *, int, ...);
    *(void **)&open_file = dlsym(RTLD_NEXT, "open64");
    history = open_file(history_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (history < 0) abort();
    syncs_count = syncs;
    begin(path);
    pthread_mutex_unlock(&lock);
}

void file_faults_mark(const char *text) {
    pthread_mutex_lock(&lock);
    note(file_faults_marked, 0, 0, text, strlen(text));
    pthread_mutex_unlock(&lock);
}

void file_faults_fail(const char *path, uint64_t call, int error) {
    pthread_mutex_lock(&lock);
    calls = 0;
    failing_call = call;
    failing_error = error;
    begin(path);
    pthread_mutex_unlock(&lock);
}

uint64_t file_faults_calls(void) {
    pthread_mutex_lock(&lock);
    uint64_t count = calls;
    pthread_mutex_unlock(&lock);
    return count;
}

#endif
