#ifndef CCLOCKSTEPS_H
#define CCLOCKSTEPS_H

// A process with this library loaded before all others (LD_PRELOAD) has a wall clock set by tests: the file named by
// CLOCK_STEPS in its environment has the nanoseconds that it is ahead, in 8 bytes.

#endif
