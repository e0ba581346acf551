#ifndef C_SLOW_SYNC_H
#define C_SLOW_SYNC_H

#include <stdint.h>

/// Has each `fsync` and `fdatasync` of this process take this time and do nothing else, until the same number of calls of
/// `slow_sync_end`: a disk that is as fast as it is said to be, and always. Several can be under way at the same time.
///
/// A process that is started with this library in LD_PRELOAD has its syncs take SLOW_SYNC_NANOSECONDS from the beginning.
void slow_sync_begin(uint64_t nanoseconds);

/// Ends what `slow_sync_begin` began.
void slow_sync_end(void);

#endif
