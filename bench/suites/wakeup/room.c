#include "bench/suites/wakeup/wakeup.h"
#include "bench/api/tsc.h"
#include <stddef.h>

#define IDT_AT 4096
_Static_assert(sizeof(struct wakeup_room) <= IDT_AT, "the IDT follows it");
/* wakeup.inc */
_Static_assert(offsetof(struct wakeup_room, line) == 64 &&
                   offsetof(struct wakeup_room, ticks) == 136 &&
                   offsetof(struct wakeup_room, mode) == 152 &&
                   offsetof(struct wakeup_room, idt) == 172,
               "offsets");

#define MSR_APIC_BASE 0x1b
#define BASE_X2APIC   (1u << 10) /* SDM vol. 3A figure 11-26 */
#define MSR_X2APIC    0x800

/* Ticks of the TSC until the timer is due: 16 to 66 us at 1 to 4 GHz. The long ones, 0.3 to 1 ms,
 * are more than cores take to enter a deep state and to leave it. */
#define DUE_TICKS      (1u << 16)
#define DUE_TICKS_LONG (1u << 20)

/* Counts by which the timer's rate is found, a millisecond at 100 MHz. */
#define RATE_COUNTS (1u << 17)
#define COUNT_MOST  0xffffffffu
#define RATE_LOOKS  100000000u

uint64_t wakeup_apic(void)
{
    return privileged_rdmsr(MSR_APIC_BASE) & BASE_X2APIC ? 0 : privileged_apic();
}

uint32_t wakeup_read(uint64_t apic, uint32_t offset)
{
    return apic ? *(volatile uint32_t *)(uintptr_t)(apic + offset)
                : (uint32_t)privileged_rdmsr(MSR_X2APIC + offset / 16);
}

void wakeup_write(uint64_t apic, uint32_t offset, uint32_t v)
{
    if (apic)
        *(volatile uint32_t *)(uintptr_t)(apic + offset) = v;
    else
        __asm__ volatile("wrmsr" : : "a"(v), "d"(0), "c"(MSR_X2APIC + offset / 16) : "memory");
}

void wakeup_plain(struct object *o)
{
    struct wakeup_room *r = wakeup_room(o);
    struct idt_gate *idt = (struct idt_gate *)(void *)((uint8_t *)o->room + IDT_AT);
    uint64_t apic = wakeup_apic();
    uint32_t mode = wakeup_read(apic, APIC_LVT_TIMER), divide = wakeup_read(apic, APIC_DIVIDE);

    *r = (struct wakeup_room){
        .registers = {.r8 = apic},
        .gate = (uint64_t)(uintptr_t)&idt[PLATFORM_ROW_VECTOR],
        .mode = mode | LVT_MASKED,
        .mode_before = mode,
        .divide = divide,
        .divide_before = divide,
        .initial_before = wakeup_read(apic, APIC_INITIAL),
    };
    idt_copy(idt, &r->idt_before, &r->idt);
}

/* Reads the timer's count, and then the TSC. */
static uint64_t count_at(uint64_t apic, uint32_t *count)
{
    *count = wakeup_read(apic, APIC_CURRENT);
    return tsc_now();
}

/* Finds the timer's count for this many ticks of the TSC, and sets `ticks` to that of the count. */
static void rate(struct wakeup_room *r, uint64_t ticks)
{
    uint64_t apic = r->registers.r8;
    uint32_t first, last;

    wakeup_write(apic, APIC_LVT_TIMER, LVT_MASKED | PLATFORM_ROW_VECTOR);
    wakeup_write(apic, APIC_DIVIDE, DIVIDE_BY_1);
    wakeup_write(apic, APIC_INITIAL, COUNT_MOST);
    uint64_t began = count_at(apic, &first), ended;
    unsigned looks = 0;
    do
        ended = count_at(apic, &last);
    while (++looks < RATE_LOOKS && first - last < RATE_COUNTS);
    wakeup_write(apic, APIC_LVT_TIMER, r->mode_before);
    wakeup_write(apic, APIC_DIVIDE, r->divide_before);
    wakeup_write(apic, APIC_INITIAL, r->initial_before);
    uint64_t counts = first - last, passed = ended - began;
    r->registers.r9 = ticks * counts / passed;
    r->ticks = counts ? r->registers.r9 * passed / counts : 0;
}

static void oneshot(struct object *o, uint64_t ticks)
{
    struct wakeup_room *r = wakeup_room(o);

    wakeup_plain(o);
    r->mode = PLATFORM_ROW_VECTOR;
    r->divide = DIVIDE_BY_1;
    rate(r, ticks);
}

static void deadline(struct object *o, uint64_t ticks)
{
    wakeup_plain(o);
    wakeup_room(o)->mode = LVT_TSC_DEADLINE | PLATFORM_ROW_VECTOR;
    wakeup_room(o)->ticks = ticks;
}

void wakeup_oneshot(struct object *o)
{
    oneshot(o, DUE_TICKS);
}

void wakeup_oneshot_long(struct object *o)
{
    oneshot(o, DUE_TICKS_LONG);
}

void wakeup_deadline(struct object *o)
{
    deadline(o, DUE_TICKS);
}

void wakeup_deadline_long(struct object *o)
{
    deadline(o, DUE_TICKS_LONG);
}

void wakeup_own(struct object *o)
{
    wakeup_plain(o);
    wakeup_room(o)->ticks = DUE_TICKS;
}

const char *wakeup_counted(const struct object *o, uint64_t operations)
{
    const struct wakeup_room *r = o->room;

    if (r->strays)
        return "an interrupt came that the row did not expect";
    return check_counted(o, operations);
}
