#define _GNU_SOURCE
#include "CSlowSync.h"

#include <errno.h>
#include <stdatomic.h>

static atomic_int users;
static atomic_ullong time_of_sync;

void slow_sync_begin(uint64_t nanoseconds) {
    atomic_store(&time_of_sync, nanoseconds);
    atomic_fetch_add(&users, 1);
}

void slow_sync_end(void) { atomic_fetch_sub(&users, 1); }

#ifdef __linux__

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__attribute__((constructor)) static void begin_if_asked(void) {
    const char *text = getenv("SLOW_SYNC_NANOSECONDS");
    if (text) slow_sync_begin(strtoull(text, NULL, 10));
}

// With clock_nanosleep, because it needs no arithmetic after an interruption: servers have timers.
static int sleep_as_long_as_a_sync(void) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    uint64_t nanoseconds = (uint64_t)end.tv_nsec + atomic_load(&time_of_sync);
    end.tv_sec += (time_t)(nanoseconds / 1000000000);
    end.tv_nsec = (long)(nanoseconds % 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {}
    return 0;
}

// The program's own definition precedes that of the C library, also for the calls of other libraries.
#define SLOW(name) \
    int name(int descriptor) { \
        static _Atomic(int (*)(int)) original; \
        if (atomic_load(&users) > 0) return sleep_as_long_as_a_sync(); \
        if (!atomic_load(&original)) atomic_store(&original, (int (*)(int))dlsym(RTLD_NEXT, #name)); \
        return atomic_load(&original)(descriptor); \
    }

SLOW(fsync)
SLOW(fdatasync)

#endif
