/* Which counter can interrupt on real machines, and one that is set, overflows and is restored, on
 * machines that have it, withhold it or use it themselves. */
#include "tests/unit/cmocka_unit.h"
#include "lib/cpu/overflow.h"
#include "tests/unit/lib/cpu/fake_msr_file.h"
#include "tests/unit/made_cpu.h"

static struct overflow_plan of_file(const char *name)
{
    struct dump_cpu boot = {fixture(name), 0};
    struct overflow_plan p;

    overflow_decode(&p, cpuid_dump_get, &boot);
    return p;
}

TEST(real_machines_have_their_counters)
{
    static const struct {
        const char *name;
        struct overflow_plan plan;
    } machines[] = {
        {"GenuineIntel00506E3_Skylake", {OVERFLOW_FIXED2, 48, true, 0, false, false, false}},
        {"GenuineIntel0090672_AlderLake_01_LC_BC",
         {OVERFLOW_FIXED2, 48, true, 0, false, false, false}},
        {"GenuineIntel00A06A4_MeteorLake_10", {OVERFLOW_FIXED2, 48, true, 0, false, false, false}},
        {"GenuineIntel0030673_Silvermont3", {OVERFLOW_FIXED2, 40, true, 0, false, false, false}},
        /* Their fixed counters: as many as they say. */
        {"GenuineIntel00006F6_Conroe", {OVERFLOW_PMC0, 40, true, 0, false, false, false}},
        {"AuthenticAMD0000F51_K8_Sledgehammer", {OVERFLOW_AMD, 48, false, 4, false, false, false}},
        {"AuthenticAMD0600F12_Interlagos", {OVERFLOW_AMD, 48, false, 6, true, false, false}},
        {"AuthenticAMD0B40F40_K20_GraniteRidge_02",
         {OVERFLOW_AMD, 48, false, 6, true, true, false}},
        /* No architectural counters: a Pentium 4, and another maker's. */
        {"GenuineIntel0000F66_P4_Tulsa", {.kind = OVERFLOW_NONE}},
        {"CentaurHauls0040672_CNS_04", {.kind = OVERFLOW_NONE}},
    };

    EACH_CASE (c, machines) {
        const struct overflow_plan *want = &c->plan;
        struct overflow_plan p = of_file(c->name);
        print_message("%s\n", c->name);
        assert_int_equal(p.kind, want->kind);
        assert_int_equal(p.bits, want->bits);
        assert_int_equal(p.pdcm, want->pdcm);
        assert_int_equal(p.count, want->count);
        assert_int_equal(p.extended, want->extended);
        assert_int_equal(p.global, want->global);
        assert_true(!overflow_absent(&p) == (want->kind != OVERFLOW_NONE));
    }
}

/* --- a machine -------------------------------------------------------------------------------- */

static struct fake_msr_file msrs;
static struct {
    uint32_t count, full, control, enable, status, clear;
    uint64_t counts, bit; /* of control, of enable and status */
    unsigned bits;
} has;

/* The effect of a write in addition to storing the value. */
static bool write(void *ctx, uint32_t msr, uint64_t v)
{
    if (msr == has.clear && has.clear) {
        *fake_msr_file_at(&msrs, has.status) &= ~v;
        return true;
    }
    if (msr == has.count && has.full) /* the narrow one of two */
        v = (uint64_t)(int64_t)(int32_t)v & ((1ull << has.bits) - 1);
    return fake_msr_file_write(ctx, msr == has.full && msr ? has.count : msr, v);
}

static bool read(void *ctx, uint32_t msr, uint64_t *v)
{
    return fake_msr_file_read(ctx, msr == has.full && msr ? has.count : msr, v);
}

static const struct msr_access access = {&msrs, read, write};

static void add(uint32_t msr, uint64_t v)
{
    if (msr)
        fake_msr_file_add(&msrs, msr, v);
}

/* Advances the active counters by n. */
static void pass(uint64_t n)
{
    uint64_t *count = fake_msr_file_at(&msrs, has.count), mask = (1ull << has.bits) - 1;

    if (!(*fake_msr_file_at(&msrs, has.control) & has.counts))
        return;
    if (has.enable && !(*fake_msr_file_at(&msrs, has.enable) & has.bit))
        return;
    if (*count + n > mask && has.status)
        *fake_msr_file_at(&msrs, has.status) |= has.bit;
    *count = (*count + n) & mask;
}

static struct fake_msr_file before;

static void intel(uint32_t count, uint32_t control, uint64_t counts, uint64_t bit, bool full)
{
    memset(&msrs, 0, sizeof msrs);
    memset(&has, 0, sizeof has);
    has.count = count;
    has.full = count == 0xc1 ? 0x4c1 : 0;
    has.control = control;
    has.enable = 0x38f;
    has.status = 0x38e;
    has.clear = 0x390;
    has.counts = counts;
    has.bit = bit;
    has.bits = 48;
    add(count, 0x123);
    add(control, control == 0x38d ? 0xb0 : 0); /* fixed counter 1 counts: cycle= */
    add(0x38f, 1ull << 33);
    add(0x38e, 0);
    add(0x345, full ? 1ull << 13 : 0);
    before = msrs;
}

static void is_as_found(void)
{
    for (unsigned i = 0; i < msrs.n; i++)
        assert_int_equal(msrs.of[i].v, before.of[i].v);
}

static const struct overflow_plan fixed2 = {OVERFLOW_FIXED2, 48, true, 0, false, false, false};
static const struct overflow_plan pmc0 = {OVERFLOW_PMC0, 48, true, 0, false, false, false};
static const struct overflow_plan amd_v2 = {OVERFLOW_AMD, 48, false, 6, true, true, false};
static const struct overflow_plan amd_k8 = {OVERFLOW_AMD, 48, false, 4, false, false, false};

/* It overflows after this number of counts, once, then again, and is restored. */
static void overflows(const struct overflow_plan *p, uint64_t counts)
{
    struct overflow o;

    assert_null(overflow_start(&o, p, &access, counts));
    for (unsigned i = 0; i < 2; i++) {
        assert_false(overflow_came(&o, &access));
        pass(counts - 1);
        assert_false(overflow_came(&o, &access));
        pass(1);
        assert_true(overflow_came(&o, &access));
        assert_true(overflow_again(&o, &access, counts));
    }
    assert_true(overflow_stop(&o, &access));
    assert_false(overflow_came(&o, &access));
    is_as_found();
    assert_true(overflow_stop(&o, &access)); /* nothing more to restore */
}

#define A_SECOND   3000000000ull
#define NARROWEST  0x7fffffffull /* SDM vol. 3B section 20.2.8 */
#define FIXED2_ON  (1ull << 34)
#define PMC_ENABLE (1ull << 22)

static struct overflow o;

TEST(intel_counters_overflow_after_their_shots)
{
    intel(0x30b, 0x38d, 0x300, FIXED2_ON, true);
    overflows(&fixed2, 60 * A_SECOND);
    intel(0xc1, 0x186, PMC_ENABLE, 1, true);
    overflows(&pmc0, 60 * A_SECOND);
    /* As the SDM has its bits: event 3Ch, both rings, interrupt, enable; each field of four. */
    assert_null(overflow_start(&o, &pmc0, &access, 1));
    assert_int_equal(*fake_msr_file_at(&msrs, 0x186), 0x53003c);
    assert_int_equal(*fake_msr_file_at(&msrs, 0x38f), 1ull << 33 | 1);
    intel(0x30b, 0x38d, 0x300, FIXED2_ON, true);
    assert_null(overflow_start(&o, &fixed2, &access, 1));
    assert_int_equal(*fake_msr_file_at(&msrs, 0x38d), 0xbb0);
    assert_int_equal(*fake_msr_file_at(&msrs, 0x38f), 1ull << 33 | FIXED2_ON);
}

/* Without full-width writes a shot is at most 2^31 counts. */
TEST(older_counters_reach_less_far)
{
    intel(0xc1, 0x186, PMC_ENABLE, 1, false);
    overflows(&pmc0, NARROWEST);
    assert_null(overflow_start(&o, &pmc0, &access, 60 * A_SECOND));
    pass(NARROWEST - 1);
    assert_false(overflow_came(&o, &access));
    pass(1);
    assert_true(overflow_came(&o, &access));
}

static void amd(const struct overflow_plan *p, unsigned busy)
{
    unsigned mine = p->count - 1;

    memset(&msrs, 0, sizeof msrs);
    memset(&has, 0, sizeof has);
    while (busy >> mine & 1)
        mine--;
    for (unsigned i = 0; i < p->count; i++) {
        add(p->extended ? 0xc0010200 + 2 * i : 0xc0010000 + i, busy >> i & 1 ? 0x430076 : 0);
        add(p->extended ? 0xc0010201 + 2 * i : 0xc0010004 + i, 77);
    }
    has.control = p->extended ? 0xc0010200 + 2 * mine : 0xc0010000 + mine;
    has.count = p->extended ? 0xc0010201 + 2 * mine : 0xc0010004 + mine;
    has.counts = PMC_ENABLE;
    has.bit = 1ull << mine;
    has.bits = 48;
    if (p->global) {
        has.enable = 0xc0000301;
        has.status = 0xc0000300;
        has.clear = 0xc0000302;
        add(has.enable, busy);
        add(has.status, 0);
    }
    before = msrs;
}

TEST(amd_counters_overflow_after_their_shots)
{
    amd(&amd_v2, 1);
    overflows(&amd_v2, 60 * A_SECOND);
    amd(&amd_v2, 0x30); /* two of the firmware's */
    overflows(&amd_v2, 60 * A_SECOND);
    amd(&amd_k8, 1);
    overflows(&amd_k8, 60 * A_SECOND);
    amd(&amd_k8, 1);
    assert_null(overflow_start(&o, &amd_k8, &access, 1));
    assert_int_equal(*fake_msr_file_at(&msrs, 0xc0010003), 0x530076);
}

TEST(a_counter_that_is_in_use_is_left_alone)
{
    intel(0x30b, 0x38d, 0x300, FIXED2_ON, true);
    *fake_msr_file_at(&msrs, 0x38d) = before.of[1].v = 0x100;
    assert_non_null(overflow_start(&o, &fixed2, &access, 1));
    is_as_found();
    intel(0xc1, 0x186, PMC_ENABLE, 1, true);
    *fake_msr_file_at(&msrs, 0x186) = before.of[1].v = PMC_ENABLE | 0xc0;
    assert_non_null(overflow_start(&o, &pmc0, &access, 1));
    is_as_found();
    amd(&amd_k8, 1);
    for (unsigned i = 0; i < 4; i++)
        *fake_msr_file_at(&msrs, 0xc0010000 + i) = PMC_ENABLE;
    assert_non_null(overflow_start(&o, &amd_k8, &access, 1));
    assert_int_equal(msrs.writes, 0);
    assert_false(o.set);
}

/* Each register in turn faults, or swallows what is written. */
TEST(an_nmi_counter_that_is_withheld_is_not_used)
{
    static const uint32_t registers[] = {0x38d, 0x38f, 0x30b};

    for (size_t i = 0; i < 2; i++) {
        intel(0x30b, 0x38d, 0x300, FIXED2_ON, true);
        for (unsigned k = 0; k < msrs.n; k++)
            if (msrs.of[k].msr == registers[i])
                msrs.of[k].is = FAKE_MSR_SWALLOWS;
        assert_non_null(overflow_start(&o, &fixed2, &access, 1));
        assert_false(o.set);
        is_as_found();
    }
    for (size_t i = 0; i < 3; i++) {
        intel(0x30b, 0x38d, 0x300, FIXED2_ON, true);
        for (unsigned k = 0; k < msrs.n; k++)
            if (msrs.of[k].msr == registers[i])
                msrs.of[k].msr = 0xffff;
        assert_non_null(overflow_start(&o, &fixed2, &access, 1));
        is_as_found();
    }
    assert_non_null(overflow_start(&o, &(struct overflow_plan){.kind = OVERFLOW_NONE}, &access, 1));
    assert_non_null(overflow_start(&o, &(struct overflow_plan){OVERFLOW_PMC0, 31, true, 0, 0, 0, 0},
                                   &access, 1));
}

TEST(an_nmi_counter_blames_only_a_hypervisor_that_cpuid_names)
{
    struct overflow_plan guest = fixed2;

    guest.guest = true;
    intel(0x30b, 0xffff, 0, 0, true);
    assert_null(strstr(overflow_start(&o, &fixed2, &access, 1), "hypervisor"));
    assert_non_null(strstr(overflow_start(&o, &guest, &access, 1), "hypervisor"));
    for (unsigned i = 0; i < 2; i++) {
        struct dump_cpu boot = {
            fixture(i ? "AuthenticAMD0A10F11_KVM_guest" : "GenuineIntel00506E3_Skylake"), 0};
        overflow_decode(&guest, cpuid_dump_get, &boot);
        assert_int_equal(guest.guest, i);
    }
}
