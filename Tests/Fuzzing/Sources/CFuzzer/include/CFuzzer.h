#ifndef C_FUZZER_H
#define C_FUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Fuzzes: calls back with one input after the other. (libFuzzer, "Using libFuzzer as a library".)
int LLVMFuzzerRunDriver(int *argumentCount, char ***arguments, int (*callback)(const uint8_t *data, size_t size));

#endif
