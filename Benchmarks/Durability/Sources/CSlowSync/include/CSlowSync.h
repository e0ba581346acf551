#ifndef C_SLOW_SYNC_H
#define C_SLOW_SYNC_H

#include <stdint.h>

/// Makes each `fsync` and `fdatasync` of this process take this time and do nothing else, until the same number of
/// calls of `slow_sync_end`: a disk with an exact and constant speed. Several calls can run concurrently.
///
/// A process started with this library in LD_PRELOAD has syncs of SLOW_SYNC_NANOSECONDS from the beginning.
void slow_sync_begin(uint64_t nanoseconds);

/// Ends what `slow_sync_begin` began.
void slow_sync_end(void);

#endif
