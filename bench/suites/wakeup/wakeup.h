/*
 * Suite `wakeup`: how late a core runs the handler of its timer, or of another core's interrupt, by
 * the state in which it waits, and what an interrupt between cores costs (docs/wakeup.md). In each
 * window of such a row the core has a separate IDT, in the object's room, interrupts of the highest
 * class are let through, and the timer has the row's mode. `history` sets this before the first
 * reading, `after` restores it after the second. The row's handler counts the interrupts, which the
 * row's check compares with the operations.
 */
#ifndef BENCH_SUITES_WAKEUP_WAKEUP_H
#define BENCH_SUITES_WAKEUP_WAKEUP_H

#include "bench/api/counted.h"
#include "bench/suites/privileged/idt.h"
#include "bench/suites/privileged/privileged.h"

#define MSR_TSC_DEADLINE 0x6e0

/* The timer's LVT entry and its divisor: SDM vol. 3A figures 11-8, 11-10. */
#define LVT_MASKED       (1u << 16)
#define LVT_TSC_DEADLINE (2u << 17)
#define DIVIDE_BY_1      0xbu

/* Registers of the local APIC: SDM vol. 3A table 11-1. In x2APIC mode each is the MSR 800h + offset
 * / 16: section 11.12.1.2. */
enum {
    APIC_ID = 0x20,
    APIC_EOI = 0xb0,
    APIC_SERVED = 0x100, /* 256 bits, 32 in each register */
    APIC_REQUESTED = 0x200,
    APIC_ICR = 0x300,
    APIC_ICR_HIGH = 0x310,
    APIC_LVT_TIMER = 0x320,
    APIC_INITIAL = 0x380,
    APIC_CURRENT = 0x390,
    APIC_DIVIDE = 0x3e0
};

/* ECX of UMWAIT and TPAUSE: SDM vol. 2B, UMWAIT. */
enum { C0_2, C0_1 };

/*
 * The hints of MWAIT that have rows: the hint, its C-state, that state's field of CPUID leaf 5 EDX,
 * the sub-state, `long_` of the setup, what else the state needs, and the most windows (0: any
 * number). The C-states are those of leaf 5, not those of the vendor's manuals. Of the sub-states
 * these are the ones that Linux' drivers/idle/intel_idle.c uses. A CPU may take a shallower state.
 */
#define WAKEUP_FEW 256
#define WAKEUP_HINTS(X)                                                                            \
    X(00, "C1", "7:4", 0, , FEATURE_NONE, 0)                                                       \
    X(01, "C1", "7:4", 1, , FEATURE_NONE, 0)                                                       \
    X(10, "C2", "11:8", 0, _long, FEATURE_ARAT, WAKEUP_FEW)                                        \
    X(20, "C3", "15:12", 0, _long, FEATURE_ARAT, WAKEUP_FEW)                                       \
    X(21, "C3", "15:12", 1, _long, FEATURE_ARAT, WAKEUP_FEW)                                       \
    X(30, "C4", "19:16", 0, _long, FEATURE_ARAT, WAKEUP_FEW)                                       \
    X(31, "C4", "19:16", 1, _long, FEATURE_ARAT, WAKEUP_FEW)                                       \
    X(32, "C4", "19:16", 2, _long, FEATURE_ARAT, WAKEUP_FEW)                                       \
    X(33, "C4", "19:16", 3, _long, FEATURE_ARAT, WAKEUP_FEW)                                       \
    X(40, "C5", "23:20", 0, _long, FEATURE_ARAT, WAKEUP_FEW)                                       \
    X(50, "C6", "27:24", 0, _long, FEATURE_ARAT, WAKEUP_FEW)                                       \
    X(60, "C7", "31:28", 0, _long, FEATURE_ARAT, WAKEUP_FEW)
#define WAKEUP_UMWAITS(X) X(c01, "C0.1", C0_1) X(c02, "C0.2", C0_2)

/*
 * The room's first page; wakeup.inc has the same offsets. The registers are r8: the address of the
 * APIC's registers, 0 in x2APIC mode; r9: the timer's count. The IDT is the second page.
 */
struct wakeup_room {
    struct privileged_registers registers;
    uint64_t reading;           /* by the handler, for the window's second reading; 0: none */
    uint64_t due;               /* in place of the window's first reading; 0: none */
    uint32_t expected;          /* number of interrupts that are to come */
    uint32_t strays;            /* others that came */
    uint8_t line[64];           /* that MONITOR and UMONITOR watch */
    uint64_t gate;              /* address of the IDT's entry for the row's interrupt */
    uint64_t ticks;             /* of the TSC until the timer is due; 0: the row leaves it alone */
    uint64_t priority;          /* CR8 as found */
    uint32_t mode, mode_before; /* the timer's LVT entry */
    uint32_t divide, divide_before;
    uint32_t initial_before;
    struct descriptor_table idt, idt_before;
};

static inline struct wakeup_room *wakeup_room(struct object *o)
{
    return o->room;
}

uint32_t wakeup_read(uint64_t apic, uint32_t offset);
void wakeup_write(uint64_t apic, uint32_t offset, uint32_t v);
/* Returns the address of the APIC's registers; 0: it is in x2APIC mode. */
uint64_t wakeup_apic(void);

/* Setups: without the timer; with it in one-shot or TSC-deadline mode. The timer is due after a
 * short time, or after a long one, in which a core reaches a deep state. */
void wakeup_plain(struct object *o);
void wakeup_oneshot(struct object *o);
void wakeup_oneshot_long(struct object *o);
void wakeup_deadline(struct object *o);
void wakeup_deadline_long(struct object *o);
/* Of UMWAIT's own deadline: the timer stays as it is. */
void wakeup_own(struct object *o);

/* For checks: NULL if the interrupts of the operations came, and no others. */
const char *wakeup_counted(const struct object *o, uint64_t operations);

/* --- lacks.c: what a core lacks; NULL: nothing ------------------------------------------------ */

/* The local APIC's timer, tried in one-shot mode. */
const char *wakeup_lacks_timer(const struct cpu *cpu);
/* The same, an MWAIT that waits, tried with the timer, and the state that CPUID leaf 5 names. */
#define WAKEUP_LACKS(hint_, ...) const char *wakeup_lacks_mwait_##hint_(const struct cpu *cpu);
WAKEUP_HINTS(WAKEUP_LACKS)
#undef WAKEUP_LACKS

/* Units of `history` and `after`; wakeup_open also lets interrupts through. */
extern const struct unit unit_wakeup_on, unit_wakeup_open, unit_wakeup_off;

#define WAKEUP_NOT_STEPPED "the CPU clears the trap flag when it delivers an interrupt"

#define WAKEUP_ROW(name_, what_, ...)                                                              \
    BENCH(wakeup, name_, .what = what_, .window.form = FORM_STRAIGHT, .on_request = true,          \
          .needs.platform = NEED_RING0, .needs.may_be_refused = true,                              \
          .proof.not_stepped = WAKEUP_NOT_STEPPED, .check = wakeup_counted,                        \
          .window.after = &unit_wakeup_off, __VA_ARGS__)

#endif
