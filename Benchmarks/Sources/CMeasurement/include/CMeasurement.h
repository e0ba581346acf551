#ifndef C_MEASUREMENT_H
#define C_MEASUREMENT_H

#include <stdbool.h>
#include <stdint.h>

/// Does nothing, opaquely to the optimiser. A call between two operations keeps the optimiser from merging them. It
/// merges awaited calls on an actor, which then seem five times cheaper.
void measurement_barrier(void);

/// Takes a pointer to a value that must be computed although it is unused.
void measurement_consume(const void *value);

/// Tells the processor that the thread waits in a loop.
void measurement_relax(void);

/// The allocations of all threads of the process since counting began.
struct allocation_counts {
    uint64_t allocations;
    uint64_t allocated_bytes;
    uint64_t releases;
    uint64_t released_bytes;
};

/// Starts counting each allocation of each thread.
///
/// Returns false if the process was built without jemalloc, and cannot count.
bool allocation_counting_begin(void);

/// Ends what allocation_counting_begin began.
void allocation_counting_end(void);

/// The counts so far.
struct allocation_counts allocation_counts_now(void);

/// The bytes of memory occupied by the allocator, or UINT64_MAX if it does not report them.
uint64_t allocator_resident_bytes(void);

/// Opens a counter of the instructions that this process executes in user mode on all threads begun from now on.
///
/// Returns a file descriptor, or the negative number of an error where the machine offers no such counter.
int instruction_counter_open(void);

/// The counter's value, or UINT64_MAX if it cannot be read.
uint64_t instruction_counter_read(int counter);

#endif
