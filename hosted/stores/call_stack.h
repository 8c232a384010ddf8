/*
 * The stack of calls that a function is in, from its CALLs and its stack pointer; and sites: an
 * instruction together with its innermost CALLS_DEEP calls.
 */
#ifndef HOSTED_STORES_CALL_STACK_H
#define HOSTED_STORES_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLS_DEEP 5

struct site {
    uint32_t who;              /* the instruction's number */
    uint32_t deep;             /* 0 .. CALLS_DEEP */
    uint32_t call[CALLS_DEEP]; /* numbers of the CALLs, the innermost first; the rest is 0 */
};

struct calls_frame;

struct calls {
    struct site *site; /* [site] */
    uint32_t sites;
    uint32_t *number; /* open-addressed table of sites: the site's number plus 1; 0: free */
    size_t room;
    struct calls_frame *frame; /* outermost first */
    size_t frames, frame_room;
    bool full; /* out of memory */
};

void calls_open(struct calls *c);
void calls_close(struct calls *c);

/* Adds a call by instruction `who`; its return address is at `stack`. */
void calls_enter(struct calls *c, uint32_t who, uint64_t stack);
/* Removes the calls whose return address is below `stack`, the raised stack pointer, however they
 * ended. */
void calls_leave(struct calls *c, uint64_t stack);

/* Returns the site of an instruction in the current calls: a number from 0, without gaps. */
uint32_t calls_site(struct calls *c, uint32_t who);

#endif
