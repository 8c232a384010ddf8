/*
 * Suite `events`: what it costs to deliver an event and to return from it, and to leave ring 3 and
 * come back (docs/events.md). In each window of such a row the core has separate descriptor tables
 * and page tables, in the object's room. `history` loads them before the first reading, `after`
 * restores those of the kernel after the second. The row's handler counts its calls, which the
 * row's check compares with the operations.
 */
#ifndef BENCH_SUITES_EVENTS_EVENTS_H
#define BENCH_SUITES_EVENTS_EVENTS_H

#include "bench/api/counted.h"
#include "bench/suites/privileged/idt.h"
#include "bench/suites/privileged/privileged.h"
#include "bench/suites/privileged/tables.h"

/* Vectors: SDM vol. 3A table 6-1. INT n has a free one; the other leaves ring 3 at the end of a
 * window (events.inc). */
enum {
    VECTOR_DB = 1,
    VECTOR_NMI = 2,
    VECTOR_BP = 3,
    VECTOR_UD = 6,
    VECTOR_GP = 13,
    VECTOR_PF = 14,
    VECTOR_INT = 0x80,
    VECTOR_LEAVE = 0x81
};

/* Selectors of ring 3 in the room's GDT (room.c). */
enum { EVENTS_USER_SS = 0x98 | 3, EVENTS_USER_CS = 0xa0 | 3 };

/* A register's value during a window, and before it. */
struct events_value {
    uint64_t during, before;
};

struct events_msr {
    uint64_t number; /* 0 ends the list */
    struct events_value value;
};
#define EVENTS_MSRS 6 /* the most that a row needs, and a 0 */

/*
 * The room's first page. events.inc has the same offsets. `history` stores the handler's address
 * in the gate and in the first MSR.
 */
struct events_room {
    struct privileged_registers registers; /* for the bodies and handlers */
    uint64_t reading;                      /* of the TSC in a handler; 0: none */
    uint64_t gate;                         /* address of the IDT's entry for the row's event */
    struct events_value cr3, cr4, dr0, dr7;
    uint64_t dr6; /* before the window */
    struct events_msr msr[EVENTS_MSRS];
    uint32_t ds, es, ss; /* before the window */
    uint32_t expected;   /* number of NMIs that the row has sent and that have not come yet */
    uint64_t nmi;        /* the kernel's handler for other NMIs */
    struct descriptor_table gdt, gdt_before, idt, idt_before;
    uint64_t cs;               /* before the window */
    struct tables_copy tables; /* page tables of the window */
};

static inline struct events_room *events_room(struct object *o)
{
    return o->room;
}

/* The address of a page of the room that a row may use; its rights may be changed. */
void *events_page(struct object *o);

/*
 * Setups. The row's `arg` is the vector that its handler takes. The entries of some addresses may
 * still be changed in the room's page tables.
 */
void events_ring0(struct object *o);
/* The same for a window in ring 3: the code buffer and the room are accessible there. */
void events_ring3(struct object *o);

/* After one of these: FRED delivers all events to `handler`, which the setup copies. The row's
 * `history` is unit_events_fred_on or unit_events_fred_user_on. */
void events_fred(struct object *o, const struct unit *handler);

/* Adds an MSR to those of the window. */
void events_msr(struct object *o, uint32_t msr, uint64_t during);

/* MSRs of FRED, which rows with events_fred() touch: Intel 346446. */
#define MSR_FRED_RSP0    0x1cc
#define MSR_FRED_STKLVLS 0x1d0
#define MSR_FRED_CONFIG  0x1d4

/* Units of `history` and `after`: in ring 0, and around a window in ring 3. The last two make the
 * handler's reading of the TSC the window's second or first one. */
extern const struct unit unit_events_on, unit_events_off, unit_events_user_on, unit_events_user_off,
    unit_events_delivered, unit_events_returned, unit_events_fred_on, unit_events_fred_user_on;

#define EVENTS_NOT_STEPPED "the CPU clears the trap flag when it delivers an event"

#define EVENTS_ROW(name_, instructions_, what_, ...)                                               \
    BENCH(events, name_, .what = what_, .window.form = FORM_STRAIGHT, .on_request = true,          \
          .needs.platform = NEED_RING0, .needs.may_be_refused = true,                              \
          .proof.not_stepped = EVENTS_NOT_STEPPED, .proof.least_instructions = instructions_,      \
          .check = check_counted, __VA_ARGS__)

#endif
