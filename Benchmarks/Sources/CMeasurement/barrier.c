#include "CMeasurement.h"

void measurement_barrier(void) { __asm__ volatile("" ::: "memory"); }

void measurement_consume(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }
