#include "CMeasurement.h"

#if defined(MEASURE_WITH_JEMALLOC)

#include <dlfcn.h>
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// The allocation functions of the whole process are defined here, including those of C++, because parts of the Swift
// runtime are written in C++. They count while counting is enabled, and call jemalloc by its own names.
//
// jemalloc could count by itself, but its statistics (mallctl "stats.*.nmalloc") count what filled the caches of
// threads, not what the program took from them; and the hooks of "experimental.hooks.install" count exactly, but in
// version 5.3 the process occasionally crashes when a thread begins or ends while they are installed.

// Timed operations are not counted, and take the path of a program with plain jemalloc: to its `malloc` and `free`,
// which are shorter than its functions with flags. Null until the program begins, and the others are called until then.

static void *(*jemalloc_malloc)(size_t);
static void (*jemalloc_free)(void *);

__attribute__((constructor)) static void find_jemalloc(void) {
    // The library by its name: the next `malloc` in the search order could be that of libc.
    void *library = dlopen("libjemalloc.so.2", RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) return;
    jemalloc_malloc = (void *(*)(size_t))dlsym(library, "malloc");
    jemalloc_free = (void (*)(void *))dlsym(library, "free");
}

static atomic_bool is_counting;
static atomic_uint_fast64_t allocations, allocated_bytes, releases, released_bytes;

static void count_allocation(void *block) {
    if (!atomic_load_explicit(&is_counting, memory_order_relaxed) || block == NULL) return;
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&allocated_bytes, sallocx(block, 0), memory_order_relaxed);
}

static void count_release(void *block) {
    if (!atomic_load_explicit(&is_counting, memory_order_relaxed)) return;
    atomic_fetch_add_explicit(&releases, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&released_bytes, sallocx(block, 0), memory_order_relaxed);
}

static void *allocate(size_t size, int flags) {
    if (flags == 0 && jemalloc_malloc != NULL && !atomic_load_explicit(&is_counting, memory_order_relaxed)) {
        return jemalloc_malloc(size);
    }
    void *block = mallocx(size > 0 ? size : 1, flags);
    if (block == NULL) errno = ENOMEM;
    count_allocation(block);
    return block;
}

void *malloc(size_t size) { return allocate(size, 0); }

void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate(bytes, MALLOCX_ZERO);
}

void *aligned_alloc(size_t alignment, size_t size) { return allocate(size, MALLOCX_ALIGN(alignment)); }

void *memalign(size_t alignment, size_t size) { return allocate(size, MALLOCX_ALIGN(alignment)); }

void *valloc(size_t size) { return allocate(size, MALLOCX_ALIGN(4096)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    int before = errno;
    void *block = allocate(size, MALLOCX_ALIGN(alignment));
    errno = before;
    if (block == NULL) return ENOMEM;
    *result = block;
    return 0;
}

void free(void *block) {
    if (block == NULL) return;
    if (jemalloc_free != NULL && !atomic_load_explicit(&is_counting, memory_order_relaxed)) {
        jemalloc_free(block);
        return;
    }
    count_release(block);
    dallocx(block, 0);
}

void *realloc(void *block, size_t size) {
    if (block == NULL) return malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    size_t before = sallocx(block, 0);
    void *moved = rallocx(block, size, 0);
    if (moved == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    if (!atomic_load_explicit(&is_counting, memory_order_relaxed)) return moved;
    size_t after = sallocx(moved, 0);
    if (moved == block) {
        // It grew or shrank in place: no allocation, but its bytes count.
        if (after > before) atomic_fetch_add_explicit(&allocated_bytes, after - before, memory_order_relaxed);
        if (after < before) atomic_fetch_add_explicit(&released_bytes, before - after, memory_order_relaxed);
    } else {
        atomic_fetch_add_explicit(&releases, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&released_bytes, before, memory_order_relaxed);
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&allocated_bytes, after, memory_order_relaxed);
    }
    return moved;
}

void *reallocarray(void *block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

// The operators new and delete of C++, by their names in its ABI: m is size_t, Pv void *, St11align_val_t the
// alignment, RKSt9nothrow_t the variant that returns null. The others would throw, which C cannot.

static void *allocate_or_abort(size_t size, int flags) {
    void *block = allocate(size, flags);
    if (block == NULL) abort();
    return block;
}

void *_Znwm(size_t size) { return allocate_or_abort(size, 0); }
void *_Znam(size_t size) { return allocate_or_abort(size, 0); }
void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag) { return allocate(size, 0); }
void *_ZnamRKSt9nothrow_t(size_t size, const void *tag) { return allocate(size, 0); }
void *_ZnwmSt11align_val_t(size_t size, size_t alignment) { return allocate_or_abort(size, MALLOCX_ALIGN(alignment)); }
void *_ZnamSt11align_val_t(size_t size, size_t alignment) { return allocate_or_abort(size, MALLOCX_ALIGN(alignment)); }
void _ZdlPv(void *block) { free(block); }
void _ZdaPv(void *block) { free(block); }
void _ZdlPvm(void *block, size_t size) { free(block); }
void _ZdaPvm(void *block, size_t size) { free(block); }
void _ZdlPvSt11align_val_t(void *block, size_t alignment) { free(block); }
void _ZdaPvSt11align_val_t(void *block, size_t alignment) { free(block); }
void _ZdlPvmSt11align_val_t(void *block, size_t size, size_t alignment) { free(block); }
void _ZdaPvmSt11align_val_t(void *block, size_t size, size_t alignment) { free(block); }

bool allocation_counting_begin(void) {
    atomic_store(&is_counting, true);
    return true;
}

void allocation_counting_end(void) { atomic_store(&is_counting, false); }

struct allocation_counts allocation_counts_now(void) {
    return (struct allocation_counts){allocations, allocated_bytes, releases, released_bytes};
}

uint64_t allocator_resident_bytes(void) {
    // Statistics are those of the last epoch.
    uint64_t epoch = 1;
    mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch));
    size_t resident = 0, size = sizeof(resident);
    return mallctl("stats.resident", &resident, &size, NULL, 0) == 0 ? resident : UINT64_MAX;
}

#else

bool allocation_counting_begin(void) { return false; }
void allocation_counting_end(void) {}
struct allocation_counts allocation_counts_now(void) { return (struct allocation_counts){0, 0, 0, 0}; }
uint64_t allocator_resident_bytes(void) { return UINT64_MAX; }

#endif
