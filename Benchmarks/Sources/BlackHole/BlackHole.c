#include "BlackHole.h"

void blackHole(void) { __asm__ volatile("" ::: "memory"); }
