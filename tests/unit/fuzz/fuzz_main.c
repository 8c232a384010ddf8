/*
 * A deterministic fuzzer for compilers without libFuzzer: seeds first, then mutations of them.
 *     fuzz_X [ROUNDS [SECONDS [SEED]]]
 * ends after ROUNDS inputs or SECONDS, whichever comes first. An input that fails is printed in
 * hexadecimal; a run with the same SEED repeats it.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/unit/fuzz/fuzz.h"

#define INPUT_MAX 4096
#define SEEDS_MAX 64

static uint8_t seeds[SEEDS_MAX][INPUT_MAX], input[INPUT_MAX];
static size_t seed_size[SEEDS_MAX], n_seeds, input_size;
static uint64_t random_state;

static uint64_t next_random(void) /* Marsaglia's xorshift64* */
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1dull;
}

static size_t below(size_t n)
{
    return n > 0 ? (size_t)(next_random() % n) : 0;
}

static void show_input(void)
{
    fprintf(stderr, "input of %zu bytes:", input_size);
    for (size_t i = 0; i < input_size; i++)
        fprintf(stderr, " %02x", input[i]);
    fprintf(stderr, "\n");
}

static void on_signal(int number)
{
    show_input();
    signal(number, SIG_DFL);
    raise(number);
}

/* The sanitizers call this before they end the program. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* Opens or closes a gap of n bytes at `at`. */
static void make_gap(size_t at, size_t n)
{
    if (n > INPUT_MAX - input_size)
        n = INPUT_MAX - input_size;
    memmove(input + at + n, input + at, input_size - at);
    input_size += n;
}

static void close_gap(size_t at, size_t n)
{
    if (n > input_size - at)
        n = input_size - at;
    memmove(input + at, input + at + n, input_size - at - n);
    input_size -= n;
}

static void mutate(void)
{
    static const uint8_t interesting[] = {0,   1,   2,   4,   0x7f, 0x80, 0xff, 0xfe, '\n', '\r',
                                          ' ', '"', '#', '=', ',',  '*',  0xc3, 0xe2, 0xf0, 0xd8};
    size_t at = below(input_size), n = 1 + below(8);

    switch (below(8)) {
    case 0:
        input[at] ^= (uint8_t)(1u << below(8));
        break;
    case 1:
        input[at] = (uint8_t)next_random();
        break;
    case 2:
        input[at] = interesting[below(sizeof interesting)];
        break;
    case 3:
        close_gap(at, n);
        break;
    case 4:
        make_gap(at, n); /* and the bytes there are doubled */
        break;
    case 5:
        input_size = at; /* cut short */
        break;
    case 6: { /* a piece of another seed */
        size_t other = below(n_seeds), from = below(seed_size[other]);
        n = 1 + below(seed_size[other] - from);
        if (n > INPUT_MAX - at)
            n = INPUT_MAX - at;
        memcpy(input + at, seeds[other] + from, n);
        if (at + n > input_size)
            input_size = at + n;
        break;
    }
    default: { /* all ones, zeros or counts in a field of 2, 4 or 8 bytes */
        uint64_t v = below(2) ? below(300) : below(2) ? ~(uint64_t)below(4) : 0;
        for (size_t i = 0, width = (size_t)2 << below(3); i < width && at + i < input_size; i++)
            input[at + i] = (uint8_t)(v >> 8 * i);
    }
    }
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* In memory of exactly its size, so that reads past its end are noticed. */
static void give(void)
{
    uint8_t *copy = malloc(input_size ? input_size : 1);

    if (!copy)
        abort();
    memcpy(copy, input, input_size);
    LLVMFuzzerTestOneInput(copy, input_size);
    free(copy);
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000;
    double limit = argc > 2 ? strtod(argv[2], NULL) : 2, start = seconds();
    unsigned long seed = argc > 3 ? strtoul(argv[3], NULL, 0) : 1;

    random_state = seed * 0x9e3779b97f4a7c15ull + 1; /* never zero for a small seed */

    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(show_input);
    signal(SIGILL, on_signal); /* __builtin_trap */
    signal(SIGTRAP, on_signal);

    while (n_seeds < SEEDS_MAX &&
           (seed_size[n_seeds] = fuzz_seed(n_seeds, seeds[n_seeds], INPUT_MAX)) > 0)
        n_seeds++;
    if (n_seeds == 0) {
        fprintf(stderr, "%s: no seeds\n", argv[0]);
        return 1;
    }

    unsigned long done = 0;
    for (; done < rounds; done++) {
        if (done % 256 == 0 && seconds() - start > limit)
            break;
        size_t from = done < n_seeds ? done : below(n_seeds);
        input_size = seed_size[from];
        memcpy(input, seeds[from], input_size);
        for (size_t n = done < n_seeds ? 0 : 1 + below(6); n > 0 && input_size > 0; n--)
            mutate();
        give();
    }
    printf("%s: %lu inputs from %zu seeds in %.1f s, seed %lu\n", argv[0], done, n_seeds,
           seconds() - start, seed);
    return done > n_seeds ? 0 : 1;
}
