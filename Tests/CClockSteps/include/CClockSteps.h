#ifndef CCLOCKSTEPS_H
#define CCLOCKSTEPS_H

// A process that has this library loaded before all others (LD_PRELOAD) has a clock on the wall that tests set: the file that
// CLOCK_STEPS in its environment names has how many nanoseconds it is ahead, in 8 bytes.

#endif
