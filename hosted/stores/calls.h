/*
 * The calls that a function is in, from what its CALLs and its stack pointer do; and sites: an
 * instruction in one stack of calls, of which the innermost CALLS_DEEP are looked at.
 */
#ifndef HOSTED_STORES_CALLS_H
#define HOSTED_STORES_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLS_DEEP 5

struct site {
    uint32_t who;              /* the instruction's number */
    uint32_t deep;             /* 0 .. CALLS_DEEP */
    uint32_t call[CALLS_DEEP]; /* the numbers of the CALLs, the innermost first; the rest 0 */
};

struct calls_frame;

struct calls {
    struct site *site; /* [site] */
    uint32_t sites;
    uint32_t *number; /* an open table of sites: the site's number plus 1; 0: free */
    size_t room;
    struct calls_frame *frame; /* the outermost first */
    size_t frames, frame_room;
    bool full; /* memory ran out */
};

void calls_open(struct calls *c);
void calls_close(struct calls *c);

/* Instruction `who` has called: its return address is at `stack`. */
void calls_enter(struct calls *c, uint32_t who, uint64_t stack);
/* The stack pointer has risen to `stack`: calls whose return address is below have ended, however
 * they ended. */
void calls_leave(struct calls *c, uint64_t stack);

/* The site of an instruction as the calls are now: a number from 0 on, without gaps. */
uint32_t calls_site(struct calls *c, uint32_t who);

#endif
