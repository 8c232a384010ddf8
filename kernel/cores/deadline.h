/*
 * Deadlines: each core that runs a row has one, and an NMI ends a row that runs past it
 * (kernel/trap/traps.h). The NMI comes from the first of these sources that works and is free:
 *
 *   another core     one that sleeps; its APIC timer wakes it. It executes nothing until
 *                    then. Not if the machine is borrowed: the firmware uses these timers.
 *   its own counter  the overflow sends the NMI (own_timers.c); one per core.
 *   HPET, PIT        send it to the boot core (nmi_timer.c), which forwards it.
 *
 * A source is set for the deadline, or for its longest interval and then again. It is off while no
 * row runs. Each source was tested at boot.
 */
#ifndef KERNEL_CORES_DEADLINE_H
#define KERNEL_CORES_DEADLINE_H

#include "kernel/cores/smp.h"
#include "lib/firmware/acpi_tables.h"

/*
 * --- nmi_timer.c ---
 * A timer that sends one NMI to one core after a given time: a comparator of the HPET, or channel 0
 * of the PIT. It uses an IO-APIC entry that delivers NMI; all other interrupts stay masked.
 * Sources: IA-PC HPET specification 1.0a section 2.3, Intel 8254 data sheet (mode 0), 82093AA data
 * sheet section 3.2.4.
 */

struct nmi_timer {
    const char *why_not; /* why it is not available; NULL: it can be tested */
    uint64_t (*start)(const struct nmi_timer *t, uint64_t us);
    uint64_t us_most; /* longest time in microseconds; longer ones are cut to it */

    volatile uint8_t *ioapic;
    uint32_t index;                 /* register of the IO-APIC entry's first word */
    uint32_t was, was_to;           /* the entry's two words as found; masked */
    bool low;                       /* the pin is active low */
    uint32_t to;                    /* APIC id of the core that gets the NMI */
    volatile uint8_t *hpet;         /* the HPET's registers; NULL: the PIT */
    unsigned comparator;            /* index of the comparator */
    bool wide;                      /* counter and comparator have 64 bits */
    uint32_t config_was, timer_was; /* as found */
    uint32_t period;                /* of the HPET, in femtoseconds */
};

/* Finds a comparator of the HPET. `to`: APIC id of the core that gets the NMI. madt, hpet: NULL if
 * missing. `other`: the timer that was found before, whose comparator and pin are taken; or NULL.
 * */
void nmi_timer_hpet(struct nmi_timer *t, struct paging *p, const struct madt *madt,
                    const struct hpet_table *hpet, uint32_t to, const struct nmi_timer *other);
/* Finds the PIT. The firmware's count cannot be read or restored, so a `borrowed` machine does not
 * use the PIT. */
void nmi_timer_pit(struct nmi_timer *t, struct paging *p, const struct madt *madt, bool borrowed,
                   uint32_t to);

/* Requests an NMI after this many microseconds. A second call replaces the first. Returns the
 * actual number of microseconds: it can be smaller, or slightly larger for short times. */
uint64_t nmi_timer_start(const struct nmi_timer *t, uint64_t us);
/* The same for a comparator of the HPET that was started before. Accesses only its registers, so
 * that another core may use the IO-APIC meanwhile. */
uint64_t nmi_timer_later(const struct nmi_timer *t, uint64_t us);
/* Stops the timer: no NMI comes any more. */
void nmi_timer_stop(const struct nmi_timer *t);
/* Restores everything except the PIT's count. Does nothing if the timer was not available. */
void nmi_timer_close(const struct nmi_timer *t);

/* --- deadline.c --- */

enum { DEADLINE_CORE, DEADLINE_COUNTER, DEADLINE_HPET, DEADLINE_PIT, DEADLINE_SOURCES };

struct deadline_source {
    const char *name;    /* "core", "counter", "hpet", "pit" */
    const char *why_not; /* why it does not work; NULL: it was tested and works */
};

struct deadlines {
    struct cores *cores; /* NULL: not open */
    uint64_t row;        /* ticks of the TSC that a row may take */
    struct overflow_plan counter;
    struct nmi_timer timer[2];
    struct deadline_source source[DEADLINE_SOURCES];
    unsigned
        first; /* the source that is used first; its successors follow, and then DEADLINE_CORE */
    uint64_t apic_hz; /* of the APIC timers as set up, or a lower bound of it */

    volatile uint32_t state;  /* FREE, CLAIMED, or SET + source (deadline.c) */
    volatile uint64_t due[2]; /* TSC before which the timer does not fire; 0: it is not set */
    volatile uint32_t looked; /* how often a woken core checked the deadlines */
};

/* Returns the i-th source in the order of use. */
static inline const struct deadline_source *deadline_source_of(const struct deadlines *d,
                                                               unsigned i)
{
    return &d->source[(d->first + i) % DEADLINE_SOURCES];
}

/* Finds HPET and PIT. To be called before the last page is mapped, once for the whole machine; `d`
 * must stay valid. */
void deadline_open(struct deadlines *d, struct cores *c, struct paging *p, const struct madt *madt,
                   const struct hpet_table *hpet);
/*
 * With counted instructions the TSC's seconds are virtual and pass faster than real ones: each
 * second of deadline= takes this many of them. QEMU also runs the cores one after the other there,
 * and does not run a woken core while another only spins. So another core is the last source there.
 */
#define DEADLINE_VIRTUAL 3
static inline void deadline_count_virtual(struct deadlines *d)
{
    d->row *= DEADLINE_VIRTUAL;
    d->first = DEADLINE_COUNTER;
}

/* Tests each source, once the cores are up; takes some milliseconds. */
void deadline_try(struct deadlines *d);
/* Restores counters and timers as they were found. */
void deadline_close(struct deadlines *d);
/* The other cores execute nothing any more: none of their timers fires. */
void deadline_alone(void);

/* Returns whether the TSC has reached this value. 0: it never does. */
static inline bool is_past(uint64_t tsc)
{
    return tsc && (int64_t)(rdtsc() - tsc) >= 0;
}

/* Begin and end a row, on the core that runs it. `ran`: ticks that the row has already taken. */
void deadline_begin(struct core *c, uint64_t ran);
void deadline_end(struct core *c);
/* Between these two: moves the deadline this many ticks later. A source that is set fires too early
 * then, and is set again. */
static inline void deadline_later(struct core *c, uint64_t ticks)
{
    if (c->deadline)
        __atomic_store_n(&c->deadline, c->deadline + ticks, __ATOMIC_SEQ_CST);
}
/* To be called when a core was woken to run something: if it watched deadlines in its sleep,
 * another source takes over. */
void deadline_awake(struct core *c);
/*
 * To be called on the boot core before each sleep in which it waits for a rendezvous, with *p zero
 * at first. Sets its APIC timer, so that it wakes at least once per deadline=, until
 * deadline_awake(). False: no core of the rendezvous has begun or ended a row for
 * DEADLINE_PATIENCE times deadline=, although none may run one any more.
 */
#define DEADLINE_PATIENCE 10
struct deadline_patience {
    uint64_t since, seen;
};
bool deadline_may_sleep(struct core *c, struct deadline_patience *p);
/* Returns whether the core's row is past its deadline. */
static inline bool deadline_passed(const struct core *c)
{
    return is_past(c->deadline);
}

/* The hooks of kernel/trap/traps.h. */
bool deadline_nmi(struct core *c, struct trap_frame *f);
void deadline_interrupt(struct core *c, unsigned vector);

/*
 * --- own_timers.c ---
 * The running core's APIC timer in one-shot mode (SDM vol. 3A section 11.5.4), which delivers an
 * interrupt, never an NMI.
 */

/* Returns the timer's frequency in Hz, or less: with too low a value the timer fires early, never
 * late. Measures the running core's timer and leaves it off; all cores' timers are alike. */
uint64_t apic_timer_measure(const struct lapic *l, uint64_t tsc_hz);
/* Starts the timer for this many microseconds, or for its longest interval, at least some seconds.
 * hz: as measured. */
void apic_timer_start(const struct lapic *l, unsigned vector, uint64_t hz, uint64_t us);
void apic_timer_stop(const struct lapic *l, unsigned vector);

/*
 * The overflow of the running core's performance counter, which sends it an NMI
 * (lib/cpu/overflow.h) through the local APIC's LVT entry for counters. Usable once the core's
 * traps are loaded. counter_nmi_stop() restores everything that counter_nmi_start() changed.
 */

/* Finds the counter. Returns NULL, or why it cannot be used. */
const char *counter_nmi_find(struct overflow_plan *p, const struct lapic *l);
/* Sends the NMI after about this many ticks. It may come earlier or later: the counter counts only
 * while the core executes, at a different rate, and may have a shorter range. Returns NULL, or why
 * it could not be started. */
const char *counter_nmi_start(struct core *c, const struct overflow_plan *p, const struct lapic *l,
                              uint64_t ticks);
/* In the NMI handler: returns whether this counter sent the NMI. */
bool counter_nmi_came(const struct core *c);
/* Starts the interval again from now. */
void counter_nmi_again(struct core *c, const struct lapic *l, uint64_t ticks);
/* Does nothing if the counter is not set. */
void counter_nmi_stop(struct core *c, const struct lapic *l);

#endif
