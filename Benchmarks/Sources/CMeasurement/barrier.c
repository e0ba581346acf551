#include "CMeasurement.h"

void measurement_barrier(void) { __asm__ volatile("" ::: "memory"); }

void measurement_consume(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }

void measurement_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
