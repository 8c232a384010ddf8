/*
 * The interface of a fuzzer. Built with clang's -fsanitize=fuzzer it is libFuzzer's; otherwise with
 * fuzz_main.c, which mutates its input, in the same way in every run.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies the index-th seed to out (cut to `room`), returns its size; 0: there are no more. */
size_t fuzz_seed(size_t index, uint8_t *out, size_t room);

/* Seeds that are texts, which may hold NUL: texts[] = {FUZZ_TEXT("..."), ...}; FUZZ_TEXTS(texts)
 * then is fuzz_seed(). */
struct fuzz_text {
    const char *bytes;
    size_t n;
};
/* clang-format off */
#define FUZZ_TEXT(text) {text, sizeof text - 1}
/* clang-format on */
#define FUZZ_TEXTS(texts)                                                                          \
    size_t fuzz_seed(size_t index, uint8_t *out, size_t room)                                      \
    {                                                                                              \
        if (index >= sizeof texts / sizeof texts[0] || texts[index].n > room)                      \
            return 0;                                                                              \
        memcpy(out, texts[index].bytes, texts[index].n);                                           \
        return texts[index].n;                                                                     \
    }

/* A property that must hold for every input; a signal, so that both fuzzers report the input. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

#endif
