/*
 * What a fuzzer here gives. Built with clang's -fsanitize=fuzzer it is libFuzzer's; otherwise with
 * fuzz_main.c, which feeds it its own mutations, the same in every run.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies the index-th seed to out (cut to `room`), returns its size; 0: there are no more. */
size_t fuzz_seed(size_t index, uint8_t *out, size_t room);

/* A property that must hold for every input; a signal, so that both fuzzers report the input. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

#endif
