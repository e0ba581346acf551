#include "CMeasurement.h"

#if defined(__linux__)

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int instruction_counter_open(void) {
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof(struct perf_event_attr),
        .config = PERF_COUNT_HW_INSTRUCTIONS,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    long counter = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    return counter < 0 ? -errno : (int)counter;
}

uint64_t instruction_counter_read(int counter) {
    uint64_t value;
    return read(counter, &value, sizeof(value)) == sizeof(value) ? value : UINT64_MAX;
}

#else

int instruction_counter_open(void) { return -1; }
uint64_t instruction_counter_read(int counter) { return UINT64_MAX; }

#endif
