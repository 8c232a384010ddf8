/*
 * Records which function calls which below one function, in a program that is compiled with
 * -finstrument-functions: for `scripts/checks/climbs`. WALK_FROM is the address of that function,
 * in hex, WALK_TO the file that gets a line "CALLER CALLED", addresses in hex, for each call. A
 * call of the same two functions is recorded once. At its return the walk ends. With WALK_AT, the
 * address of another function, the walk ends at the first call of that one, and the lines are the
 * calls that led to it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DEEPEST 256
#define CALLS   4096

void __cyg_profile_func_enter(void *called, void *site);
void __cyg_profile_func_exit(void *called, void *site);

static struct {
    uintptr_t from; /* 0: no walk, or it has ended */
    uintptr_t at;   /* 0: the walk ends where it began */
    uintptr_t stack[DEEPEST];
    unsigned depth;
    struct {
        uintptr_t caller, called;
    } call[CALLS];
    unsigned calls;
} walk;

#define SILENT __attribute__((no_instrument_function))

SILENT static uintptr_t address(const char *variable)
{
    const char *given = getenv(variable);

    return given ? strtoull(given, NULL, 16) : 0;
}

SILENT static void __attribute__((constructor)) begin(void)
{
    walk.from = address("WALK_FROM");
    walk.at = address("WALK_AT");
}

SILENT static void end(void)
{
    const char *to = getenv("WALK_TO");
    FILE *f = to ? fopen(to, "w") : NULL;

    walk.from = 0;
    if (f == NULL) {
        perror(to ? to : "WALK_TO");
        exit(1);
    }
    for (unsigned i = 0; i < walk.calls; i++)
        fprintf(f, "%lx %lx\n", (unsigned long)walk.call[i].caller,
                (unsigned long)walk.call[i].called);
    if (fclose(f) != 0) {
        perror(to);
        exit(1);
    }
}

SILENT static void record(uintptr_t caller, uintptr_t called)
{
    for (unsigned i = 0; i < walk.calls; i++)
        if (walk.call[i].caller == caller && walk.call[i].called == called)
            return;
    if (walk.calls == CALLS)
        return;
    walk.call[walk.calls].caller = caller;
    walk.call[walk.calls++].called = called;
}

SILENT void __cyg_profile_func_enter(void *called, void *site)
{
    uintptr_t at = (uintptr_t)called;

    (void)site;
    if (walk.from == 0 || (walk.depth == 0 && at != walk.from))
        return;
    if (walk.depth == DEEPEST) {
        fprintf(stderr, "walk: more than %u calls deep\n", DEEPEST);
        exit(1);
    }
    if (walk.depth > 0)
        record(walk.stack[walk.depth - 1], at);
    walk.stack[walk.depth++] = at;
    if (at != walk.at)
        return;
    walk.calls = 0;
    for (unsigned i = 1; i < walk.depth; i++)
        record(walk.stack[i - 1], walk.stack[i]);
    end();
}

/* A function that was left without a return, as in an aborted window, has left its callees too. */
SILENT void __cyg_profile_func_exit(void *called, void *site)
{
    unsigned depth = walk.depth;

    (void)site;
    if (walk.from == 0)
        return;
    while (depth > 0 && walk.stack[depth - 1] != (uintptr_t)called)
        depth--;
    if (depth == 0)
        return;
    walk.depth = depth - 1;
    if (walk.depth == 0)
        end();
}
