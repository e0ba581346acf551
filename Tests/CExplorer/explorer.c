#define _GNU_SOURCE
#include "CExplorer.h"
#include <dlfcn.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__) && defined(__GLIBC__)

static __thread int keeps_memory;

// Only threads that retain memory use these, and one of those runs at a time.
static void **kept;
static size_t kept_count, kept_capacity;

void explorer_keep_memory(void) { keeps_memory = 1; }
void explorer_free_memory(void) { keeps_memory = 0; }

// The sanitizers have their own `free`, which must stay in place; stores are not delayed there.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

extern void __libc_free(void *);
extern void *__libc_realloc(void *, size_t);

// A value that no word of the engine ever has.
enum { FREED_BYTE = 0xDF };
static const uint64_t freed_word = 0xDFDFDFDFDFDFDFDF;

void free(void *pointer) {
    if (!keeps_memory || pointer == NULL) {
        __libc_free(pointer);
        return;
    }
    if (kept_count == kept_capacity) {
        size_t capacity = kept_capacity == 0 ? 4096 : 2 * kept_capacity;
        void **grown = __libc_realloc(kept, capacity * sizeof(void *));
        if (grown == NULL) return;
        kept = grown;
        kept_capacity = capacity;
    }
    kept[kept_count++] = pointer;
    memset(pointer, FREED_BYTE, malloc_usable_size(pointer));
}

int explorer_is_freed(const void *address) {
    uint64_t word;
    memcpy(&word, (const void *)((uintptr_t)address & ~(uintptr_t)7), sizeof word);
    return word == freed_word;
}

void explorer_release_memory(void) {
    for (size_t index = 0; index < kept_count; index++) __libc_free(kept[index]);
    kept_count = 0;
}

#else
void explorer_release_memory(void) {}
int explorer_is_freed(const void *address) { return 0; }
#endif

static const char *volatile text_for_crash;
static struct sigaction previous[NSIG];

static void print_text(int number) {
    const char *text = text_for_crash;
    if (text != NULL && write(STDERR_FILENO, text, strlen(text)) < 0) {}
    // The instruction is executed again, under the previous handler.
    sigaction(number, &previous[number], NULL);
}

void explorer_print_on_crash(const char *text) {
    static int is_installed;
    text_for_crash = text;
    if (is_installed) return;
    is_installed = 1;
    struct sigaction action = {0};
    action.sa_handler = print_text;
    const int numbers[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE};
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++)
        sigaction(numbers[index], &action, &previous[numbers[index]]);
}

void explorer_forget_text(const char *text) {
    if (text_for_crash == text) text_for_crash = NULL;
}

static __thread int cancellations;

int explorer_is_cancelling(void) { return cancellations > 0; }

// Calls a function of the runtime that runs cancellation handlers while it holds the lock of a task's status.
static void cancel(const char *function, void *object) {
    __attribute__((swiftcall)) void (*original)(void *);
    *(void **)&original = dlsym(RTLD_DEFAULT, function);
    cancellations++;
    original(object);
    cancellations--;
}

// In place of `Task.cancel()` and of `TaskGroup.cancelAll()`.
__attribute__((swiftcall)) void explorer_cancel_task(void *task) __asm__("$sScT6cancelyyF");
__attribute__((swiftcall)) void explorer_cancel_task(void *task) { cancel("swift_task_cancel", task); }

__attribute__((swiftcall)) void explorer_cancel_group(void *group) __asm__("$sScG9cancelAllyyF");
__attribute__((swiftcall)) void explorer_cancel_group(void *group) { cancel("swift_taskGroup_cancelAll", group); }

void explorer_stay_on_core(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

int explorer_current_core(void) { return sched_getcpu(); }

#else

void explorer_keep_memory(void) {}
void explorer_free_memory(void) {}
void explorer_release_memory(void) {}
int explorer_is_freed(const void *address) { return 0; }
void explorer_print_on_crash(const char *text) {}
void explorer_forget_text(const char *text) {}
int explorer_is_cancelling(void) { return 0; }
void explorer_stay_on_core(int core) {}
int explorer_current_core(void) { return 0; }

#endif
