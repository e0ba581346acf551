#define _GNU_SOURCE
#include "CClockSteps.h"

#ifdef __linux__

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t *offset;

__attribute__((constructor)) static void begin_if_asked(void) {
    const char *path = getenv("CLOCK_STEPS");
    if (!path) return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) offset = memory;
    close(file);
}

static int64_t current_offset(void) { return offset ? atomic_load(offset) : 0; }

static void add(struct timespec *time, int64_t nanoseconds) {
    int64_t rest = time->tv_nsec + nanoseconds % 1000000000;
    time->tv_sec += (time_t)(nanoseconds / 1000000000);
    if (rest < 0) {
        rest += 1000000000;
        time->tv_sec -= 1;
    } else if (rest >= 1000000000) {
        rest -= 1000000000;
        time->tv_sec += 1;
    }
    time->tv_nsec = (long)rest;
}

#define ORIGINAL(name) \
    static _Atomic(__typeof__(&name)) original; \
    if (!atomic_load(&original)) atomic_store(&original, (__typeof__(&name))dlsym(RTLD_NEXT, #name))

int clock_gettime(clockid_t clock, struct timespec *time) {
    ORIGINAL(clock_gettime);
    int result = atomic_load(&original)(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) add(time, current_offset());
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    if (result == 0) {
        time->tv_sec = now.tv_sec;
        time->tv_usec = now.tv_nsec / 1000;
    }
    return result;
}

time_t time(time_t *result) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

// Waits until a time use the stepped clock. The system has the other one. Times of a clock that counts from the start
// of the machine are small.
static struct timespec of_the_system(const struct timespec *time) {
    struct timespec result = *time;
    if (result.tv_sec > 1000000000) add(&result, -current_offset());
    if (result.tv_sec < 0) result.tv_sec = 0;
    return result;
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict end
) {
    ORIGINAL(pthread_cond_timedwait);
    struct timespec time = of_the_system(end);
    return atomic_load(&original)(condition, mutex, &time);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict end) {
    ORIGINAL(sem_timedwait);
    struct timespec time = of_the_system(end);
    return atomic_load(&original)(semaphore, &time);
}

#endif
