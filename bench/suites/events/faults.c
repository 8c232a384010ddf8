/*
 * Events of ring 0. Each has four rows: the round trip; the delivery, up to the handler's reading
 * of the TSC; the return, from that reading on; and the round trip by FRED instead of the IDT.
 * Vectors and error codes: SDM vol. 3A section 6.15. By the IDT, #DB and NMI switch the stack
 * (IST), as in most kernels.
 */
#include "bench/suites/events/events.h"

#define NOWHERE (1ull << 62) /* not canonical: SDM vol. 1 section 3.3.7.1 */
/* DR7: SDM vol. 3B section 18.2.4, breakpoint 0: enabled (G0), 1 byte, on writes. */
#define DR7_WRITES  (1ull << 1 | 1ull << 16)
#define XAPIC_ID    0x20 /* and the destination in ICR: SDM vol. 3A sections 11.4.6, 11.6.1 */
#define XAPIC_ID_AT 24
#define X2APIC_ID   0x802 /* SDM vol. 3A section 11.12.1.2 */

extern const struct unit unit_events_int, unit_events_int3, unit_events_ud2, unit_events_read,
    unit_events_write, unit_events_execute, unit_events_nmi_xapic, unit_events_nmi_x2apic;

/* Lets r8 point to the room's page, and removes these rights of it. */
static void page_without(struct object *o, uint64_t rights)
{
    uint64_t page = (uint64_t)(uintptr_t)events_page(o);

    events_ring0(o);
    uint64_t *entry = tables_entry(&events_room(o)->tables, page, 0);
    if (entry)
        *entry &= ~rights;
    privileged_registers(o)->r8 = page;
}

static void absent(struct object *o)
{
    page_without(o, TABLES_PRESENT);
}

static void read_only(struct object *o)
{
    page_without(o, TABLES_WRITABLE);
}

/* No data is executable. */
static void data(struct object *o)
{
    page_without(o, 0);
}

static void nowhere(struct object *o)
{
    events_ring0(o);
    privileged_registers(o)->r8 = NOWHERE;
}

static void watched(struct object *o)
{
    uint64_t page = (uint64_t)(uintptr_t)events_page(o);

    events_ring0(o);
    privileged_registers(o)->r8 = page;
    events_room(o)->dr0.during = page;
    events_room(o)->dr7.during |= DR7_WRITES;
}

static void xapic(struct object *o)
{
    uint64_t registers = privileged_apic();
    uint32_t id = *(volatile uint32_t *)(uintptr_t)(registers + XAPIC_ID) >> XAPIC_ID_AT;

    events_ring0(o);
    privileged_registers(o)->r8 = registers;
    privileged_registers(o)->r9 = id << XAPIC_ID_AT;
}

static void x2apic(struct object *o)
{
    events_ring0(o);
    privileged_registers(o)->r9 = (uint32_t)privileged_rdmsr(X2APIC_ID);
}

static const struct bench_family parts = {{"round trip", "delivery", "return", "by FRED"}};
enum { ROUND_TRIP, DELIVERY, RETURN, BY_FRED };

/* The handler's reading is that of this recipe. */
#define SPLIT .window.not_doubled = true, .window.own_recipe = true, .window.recipe = RECIPE_LFENCE

#define PART(name_, instructions_, what_, part_, line_, ops_, ...)                                 \
    EVENTS_ROW(name_, instructions_, what_, .shown.family = &parts, .shown.line = line_,           \
               .shown.column = part_, .ops = ops_, __VA_ARGS__)

#define BY_IDT(handler_, after_)                                                                   \
    .window.callee = &unit_events_##handler_, .window.history = &unit_events_on,                   \
    .window.after = &unit_events_##after_

/* `before_` and `from_` are the instructions of the delivery and of the return, `fred_` those of
 * the round trip by FRED. A fault's own instruction is not executed, so it may be that no
 * instruction comes before the handler. */
#define EVENT(name_, instructions_, before_, from_, fred_, what_, handler_, vector_, unit_,        \
              setup_, feature_, ...)                                                               \
    extern const struct unit unit_events_##handler_, unit_events_##handler_##_delivery,            \
        unit_events_##handler_##_return, unit_events_fred_##name_;                                 \
    static void name_##_by_fred(struct object *o)                                                  \
    {                                                                                              \
        setup_(o);                                                                                 \
        events_fred(o, &unit_events_fred_##name_);                                                 \
    }                                                                                              \
    PART(name_, instructions_, what_ ", and the return", ROUND_TRIP, #name_, PRIVILEGED_OPS,       \
         BY_IDT(handler_, off), .arg = vector_, .window.unit = &unit_events_##unit_,               \
         .setup = setup_, .needs.features = {feature_}, __VA_ARGS__);                              \
    PART(name_##_delivery, before_, what_ ", up to the handler", DELIVERY, #name_, 1,              \
         BY_IDT(handler_##_delivery, delivered), SPLIT, .arg = vector_,                            \
         .proof.may_be_elided = (before_) == 0, .window.unit = &unit_events_##unit_,               \
         .setup = setup_, .needs.features = {feature_}, __VA_ARGS__);                              \
    PART(name_##_return, from_, what_ ", from the handler on", RETURN, #name_, 1,                  \
         BY_IDT(handler_##_return, returned), SPLIT, .arg = vector_,                               \
         .window.unit = &unit_events_##unit_, .setup = setup_, .needs.features = {feature_},       \
         __VA_ARGS__);                                                                             \
    PART(name_##_fred, fred_, what_ ", and the return, by FRED", BY_FRED, #name_, PRIVILEGED_OPS,  \
         .window.history = &unit_events_fred_on, .window.after = &unit_events_off, .arg = vector_, \
         .window.unit = &unit_events_##unit_, .setup = name_##_by_fred,                            \
         .needs.touches = {MSR_FRED_CONFIG, MSR_FRED_STKLVLS, MSR_FRED_RSP0},                      \
         .needs.features = {FEATURE_FRED, feature_}, __VA_ARGS__)

EVENT(int, 3, 1, 1, 5, "int n", trap, VECTOR_INT, int, events_ring0, FEATURE_NONE);
EVENT(bp, 4, 1, 2, 6, "#BP by int3, and a nop", trap, VECTOR_BP, int3, events_ring0, FEATURE_NONE);
EVENT(ud, 3, 0, 1, 5, "#UD by ud2", undefined, VECTOR_UD, ud2, events_ring0, FEATURE_NONE);
EVENT(gp, 4, 0, 1, 5, "#GP by a read of a non-canonical address", access, VECTOR_GP, read, nowhere,
      FEATURE_NONE);
EVENT(pf_absent, 4, 0, 1, 5, "#PF by a read of a page that is not present", access, VECTOR_PF, read,
      absent, FEATURE_NONE);
EVENT(pf_write, 4, 0, 1, 5, "#PF by a write to a read-only page", access, VECTOR_PF, write,
      read_only, FEATURE_NONE);
EVENT(pf_execute, 6, 2, 1, 7, "#PF by a jump to a no-execute page", fetch, VECTOR_PF, execute, data,
      FEATURE_NX);
EVENT(db, 3, 1, 1, 5, "#DB by a write to a watched address", trap, VECTOR_DB, write, watched,
      FEATURE_NONE);
EVENT(nmi, 13, 8, 4, 15, "NMI from the local APIC to itself (xAPIC)", nmi, VECTOR_NMI, nmi_xapic,
      xapic, FEATURE_NONE, .needs.lacks = privileged_lacks_xapic);
EVENT(nmi_x2apic, 15, 10, 4, 17, "NMI from the local APIC to itself (x2APIC)", nmi, VECTOR_NMI,
      nmi_x2apic, x2apic, FEATURE_NONE, .needs.lacks = privileged_lacks_x2apic);
