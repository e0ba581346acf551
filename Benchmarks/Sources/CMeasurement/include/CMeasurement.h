#ifndef C_MEASUREMENT_H
#define C_MEASUREMENT_H

#include <stdbool.h>
#include <stdint.h>

/// Does nothing, in a way that the optimiser cannot see through. Called between two operations, it keeps the optimiser
/// from merging them, which it does with awaited calls on an actor, and which makes them look five times cheaper.
void measurement_barrier(void);

/// Takes a pointer to a value that must be computed although nobody uses it.
void measurement_consume(const void *value);

/// Tells the processor that the thread waits in a loop.
void measurement_relax(void);

/// What all threads of the process have allocated since counting began.
struct allocation_counts {
    uint64_t allocations;
    uint64_t allocated_bytes;
    uint64_t releases;
    uint64_t released_bytes;
};

/// Begins to count each allocation of each thread.
///
/// Returns false if the process was built without jemalloc, and cannot count.
bool allocation_counting_begin(void);

/// Ends what allocation_counting_begin began.
void allocation_counting_end(void);

/// The counts so far.
struct allocation_counts allocation_counts_now(void);

/// How many bytes of memory the allocator occupies, or UINT64_MAX if it does not tell.
uint64_t allocator_resident_bytes(void);

/// Opens a counter of the instructions that this process executes in user mode on all threads begun from now on.
///
/// Returns a file descriptor, or the negative number of an error where the machine offers no such counter.
int instruction_counter_open(void);

/// The counter's value, or UINT64_MAX if it cannot be read.
uint64_t instruction_counter_read(int counter);

#endif
