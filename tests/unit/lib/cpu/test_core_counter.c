/* The counters of real machines, and a counter that is set up on machines that resist; in every
 * case all MSRs are restored. */
#include "tests/unit/cmocka_unit.h"
#include "lib/cpu/core_counter.h"
#include "tests/unit/lib/cpu/fake_counters.h"
#include "tests/unit/made_cpu.h"

static struct core_counters of_file(const char *name)
{
    struct dump_cpu boot = {fixture(name), 0};
    struct core_counters c;

    core_counters_decode(&c, cpuid_dump_get, &boot);
    return c;
}

static enum core_counter_kind counter(void)
{
    struct dump_cpu boot;
    struct core_counters c;

    made_cpu(&boot);
    core_counters_decode(&c, cpuid_dump_get, &boot);
    return core_counters_best(&c);
}

TEST(cpuid_selects_the_counter)
{
    static const struct {
        const char *vendor;
        uint32_t family, max, ecx, eax_a, ecx_a, edx_a, ecx_6;
        enum core_counter_kind counter;
    } cases[] = {
        {"GenuineIntel", 6, 0x0a, 0, 4, 0, 3, 1, COUNTER_FIXED1},
        {"GenuineIntel", 6, 0x0a, 0, 2, 0, 0, 1, COUNTER_FIXED1},       /* Core 2 says none */
        {"GenuineIntel", 6, 0x0a, 1u << 31, 2, 0, 0, 1, COUNTER_APERF}, /* a guest lacks them */
        {"GenuineIntel", 6, 0x0a, 0, 3, 0, 1, 1, COUNTER_APERF},        /* fixed 0 alone */
        {"GenuineIntel", 6, 0x0a, 0, 1, 0, 3, 0, COUNTER_NONE},
        {"GenuineIntel", 6, 0x0a, 0, 5, 2, 0, 0, COUNTER_FIXED1}, /* by the mask */
        {"GenuineIntel", 6, 0x0a, 0, 5, 5, 0, 1, COUNTER_APERF},  /* 0 and 2 */
        {"GenuineIntel", 6, 0x0a, 0, 4, 2, 0, 1, COUNTER_APERF},  /* which begins with version 5 */
        {"GenuineIntel", 6, 0x0a, 0, 4, 2, 0, 0, COUNTER_NONE},
        {"GenuineIntel", 6, 0x0a, 0, 6, 7, 3, 1, COUNTER_FIXED1}, /* Lunar Lake */
        {"GenuineIntel", 6, 0x0a, 0, 1, 0, 3, 1, COUNTER_APERF},  /* version 1 knows none */
        {"GenuineIntel", 6, 6, 0, 4, 0, 3, 1, COUNTER_APERF},     /* leaf 0Ah is not there */
        {"AuthenticAMD", 0x0f, 6, 0, 0, 0, 0, 0, COUNTER_AMD_PMC},
        {"AuthenticAMD", 5, 1, 0, 0, 0, 0, 0, COUNTER_NONE},
        {"AuthenticAMD", 0x19, 6, 1u << 31, 0, 0, 0, 1, COUNTER_APERF},
        {"Unheard of..", 6, 6, 0, 0, 0, 0, 1, COUNTER_APERF},
    };
    EACH_CASE (c, cases) {
        made_vendor(c->vendor, c->max);
        made_model(c->family, 0xf, 0, c->ecx, 0);
        made_leaf(6, 0, 0, c->ecx_6, 0);
        made_leaf(0x0a, c->eax_a, 0, c->ecx_a, c->edx_a);
        assert_int_equal(counter(), c->counter);
    }
    made_vendor("AuthenticAMD", 1);
    made_model(0x19, 1, 0, 1u << 31, 0);
    made_leaf(0x80000000, 0x80000001, 0, 0, 0);
    made_leaf(0x80000001, 0, 0, 1u << 23, 0); /* PerfCtrExtCore */
    assert_int_equal(counter(), COUNTER_AMD_PMC);
    made.leaf[1].regs.edx = 0; /* no MSRs */
    assert_int_equal(counter(), COUNTER_NONE);
}

TEST(real_machines_have_their_counters)
{
    struct core_counters c = of_file("GenuineIntel00506E3_Skylake");

    assert_int_equal(c.pmc, COUNTER_FIXED1);
    assert_int_equal(c.bits, 48);
    assert_true(c.aperf);
    assert_string_equal(core_counter_names[core_counters_best(&c)], "fixed1");

    c = of_file("GenuineIntel0090672_AlderLake_01_LC_BC");
    assert_int_equal(c.pmc, COUNTER_FIXED1);
    assert_int_equal(c.bits, 48);

    c = of_file("AuthenticAMD0000F51_K8_Sledgehammer");
    assert_int_equal(c.pmc, COUNTER_AMD_PMC);
    assert_int_equal(c.count, 4);
    assert_int_equal(c.bits, 48);
    assert_false(c.extended || c.global || c.aperf);
    assert_string_equal(core_counter_names[core_counters_best(&c)], "amd_pmc");

    c = of_file("AuthenticAMD0B40F40_K20_GraniteRidge_02");
    assert_int_equal(c.pmc, COUNTER_AMD_PMC);
    assert_int_equal(c.count, 6);
    assert_true(c.extended && c.global && c.aperf);

    c = of_file("CentaurHauls0040672_CNS_04"); /* no Intel CPU, and the same leaf */
    assert_int_equal(c.pmc, COUNTER_FIXED1);
    assert_false(c.aperf);
}

static const struct core_counters fixed = {.pmc = COUNTER_FIXED1, .bits = 48};
static const struct core_counters amd4 = {.pmc = COUNTER_AMD_PMC, .bits = 48, .count = 4};
static const struct core_counters amd6 = {
    .pmc = COUNTER_AMD_PMC, .bits = 48, .count = 6, .extended = true, .global = true};

static void intel(struct fake_counters *f, uint64_t control, uint64_t global)
{
    fake_counters_init(f);
    fake_counter_add(f, 0x309, 0xfffffffffff0); /* about to wrap */
    fake_counter_add(f, 0x30a, 0xfffffffffff0);
    fake_counter_add(f, 0x38d, control);
    fake_counter_add(f, 0x38f, global);
}

static void amd(struct fake_counters *f, const struct core_counters *has)
{
    fake_counters_init(f);
    f->amd = true;
    f->extended = has->extended;
    f->global = has->global;
    for (unsigned i = 0; i < has->count; i++) {
        fake_counter_add(f, has->extended ? 0xc0010200 + 2 * i : 0xc0010000 + i, 0);
        fake_counter_add(f, has->extended ? 0xc0010201 + 2 * i : 0xc0010004 + i, 0x1234 + i);
    }
    if (has->global)
        fake_counter_add(f, 0xc0000301, 0);
}

/* Starts; where that succeeds, sees 12,345 cycles counted; stops. All MSRs are then as before. */
static const char *use(struct fake_counters *f, const struct core_counters *has,
                       struct core_counter *c)
{
    struct fake_counters before = *f, alone = *f;
    uint64_t from, to;

    fake_counters_pass(&alone, 1000);
    const char *why =
        core_counter_start(c, has, f->retired ? COUNT_INSTRUCTIONS : COUNT_CYCLES, &f->access);
    if (!why) {
        assert_true(core_counter_read(c, &f->access, &from));
        fake_counters_pass(f, 12345);
        assert_true(core_counter_read(c, &f->access, &to));
        /* Without the 100 cycles that the reading itself takes. */
        assert_int_equal((to - from) & ((1ull << c->bits) - 1), 12345 + 100);
        assert_true(core_counter_stop(c, &f->access));
    }
    assert_int_equal(c->steps, 0);
    for (unsigned i = 0; i < f->n; i++)
        if (alone.of[i].v == before.of[i].v) /* it does not count alone */
            assert_int_equal(f->of[i].v, before.of[i].v);
    return why;
}

static struct fake_counters f;
static struct core_counter c;

TEST(other_counters_in_use_do_not_matter)
{
    intel(&f, 0xb0b, 0x7000000ff); /* counters 0 and 2 in use, counter 1 enabled but not set */
    assert_null(use(&f, &fixed, &c));
    assert_int_equal(c.index, 1u << 30 | 1);
    intel(&f, 0x0f0, 0); /* set, but not enabled: it does not count */
    assert_null(use(&f, &fixed, &c));
}

TEST(a_fixed_counter_in_use_is_read_or_refused)
{
    intel(&f, 0x020, 1ull << 33); /* user mode alone */
    assert_non_null(strstr(use(&f, &fixed, &c), "in use by the firmware"));
    intel(&f, 0x070, 1ull << 33); /* both threads of the core */
    assert_non_null(strstr(use(&f, &fixed, &c), "in use by the firmware"));

    /* It counts this core at ring 0: it is read without a single write. */
    uint64_t now;
    intel(&f, 0x0b0, 1ull << 33);
    assert_null(core_counter_start(&c, &fixed, COUNT_CYCLES, &f.access));
    assert_int_equal(c.steps, 0);
    assert_true(core_counter_read(&c, &f.access, &now));
    assert_true(core_counter_stop(&c, &f.access));
    assert_int_equal(*fake_counter_at(&f, 0x38d), 0x0b0);
    assert_int_equal(*fake_counter_at(&f, 0x38f), 1ull << 33);
}

TEST(counters_that_a_hypervisor_withholds_are_refused)
{
    fake_counters_init(&f);
    assert_non_null(strstr(use(&f, &fixed, &c), "faults"));
    f.amd = true;
    assert_non_null(strstr(use(&f, &amd4, &c), "faults"));

    intel(&f, 0, 0);
    fake_counter_swallow(&f, 0x38d);
    assert_non_null(strstr(use(&f, &fixed, &c), "cannot be written"));
    intel(&f, 0, 0);
    fake_counter_swallow(&f, 0x38f);
    assert_non_null(strstr(use(&f, &fixed, &c), "cannot be written"));
    amd(&f, &amd6);
    fake_counter_swallow(&f, 0xc0010200);
    assert_non_null(strstr(use(&f, &amd6, &c), "cannot be written"));
    amd(&f, &amd6);
    fake_counter_swallow(&f, 0xc0000301);
    assert_non_null(strstr(use(&f, &amd6, &c), "cannot be written"));

    intel(&f, 0, 0);
    f.rdpmc_faults = true;
    assert_non_null(strstr(use(&f, &fixed, &c), "RDPMC faults"));

    /* All MSRs are there, and nothing counts. */
    amd(&f, &amd4);
    f.global = true;
    assert_non_null(strstr(use(&f, &amd4, &c), "does not count"));
    /* It counts something else. */
    intel(&f, 0, 0);
    f.per_add = 0.6;
    assert_non_null(strstr(use(&f, &fixed, &c), "not core cycles"));
    f.per_add = 1.4;
    assert_non_null(strstr(use(&f, &fixed, &c), "not core cycles"));

    /* The way back is barred. */
    amd(&f, &amd4);
    assert_null(core_counter_start(&c, &amd4, COUNT_CYCLES, &f.access));
    fake_counter_swallow(&f, 0xc0010000);
    assert_false(core_counter_stop(&c, &f.access));
}

static void blames(const struct core_counters *has, bool hypervisor)
{
    const char *why = use(&f, has, &c);

    assert_non_null(why);
    assert_int_equal(strstr(why, "hypervisor") != NULL, hypervisor);
}

/* By recorded CPUIDs: with the bit of leaf 1 and without it. */
TEST(only_a_hypervisor_that_cpuid_names_is_blamed)
{
    static const char *const files[] = {"GenuineIntel00506E3_Skylake",
                                        "AuthenticAMD0800F11_K17_Zen2",
                                        "AuthenticAMD0A10F11_KVM_guest"};
    const uint64_t still[COUNTER_PROOF_TRIES] = {0};
    struct aperf p;

    EACH_CASE (file, files) {
        bool guest = file == &files[2];
        struct core_counters has = of_file(*file), one = {.guest = has.guest, .aperf = true};
        assert_int_equal(has.guest, guest);
        one.bits = 48;
        one.count = 4;
        for (one.pmc = COUNTER_FIXED1; one.pmc <= COUNTER_AMD_PMC; one.pmc++) {
            fake_counters_init(&f);
            f.amd = one.pmc == COUNTER_AMD_PMC;
            blames(&one, guest); /* its MSRs fault */
        }
        assert_int_equal(strstr(aperf_start(&p, &one, &f.access), "hypervisor") != NULL, guest);
        assert_int_equal(strstr(core_counter_prove(has.guest, still), "hypervisor") != NULL, guest);
    }
}

TEST(a_free_amd_counter_is_used)
{
    amd(&f, &amd4);
    assert_null(use(&f, &amd4, &c));
    assert_int_equal(c.index, 0);
    amd(&f, &amd6);
    *fake_counter_at(&f, 0xc0010200) = 0x4300c0; /* in use, whatever it counts */
    *fake_counter_at(&f, 0xc0010202) = 0x430076;
    *fake_counter_at(&f, 0xc0010204) = 0x0300c0; /* set, not enabled */
    *fake_counter_at(&f, 0xc0000301) = 3;
    assert_null(use(&f, &amd6, &c));
    assert_int_equal(c.index, 2);
    amd(&f, &amd6);
    for (unsigned i = 0; i < 6; i++)
        *fake_counter_at(&f, 0xc0010200 + 2 * i) = 1u << 22;
    assert_non_null(strstr(use(&f, &amd6, &c), "in use by the firmware"));
}

/* Fixed counter 0, or event C0h: in addition to the counter of core cycles, which it leaves
 * alone. */
TEST(retired_instructions_have_a_separate_counter)
{
    intel(&f, 0x0b0, 1ull << 33); /* counter 1 is in use */
    f.retired = true;
    assert_null(use(&f, &fixed, &c));
    assert_int_equal(c.index, 1u << 30);
    intel(&f, 0x002, 1ull << 32);
    f.retired = true;
    assert_non_null(strstr(use(&f, &fixed, &c), "in use by the firmware"));
    amd(&f, &amd6);
    f.retired = true;
    *fake_counter_at(&f, 0xc0010200) = 0x430076;
    assert_null(use(&f, &amd6, &c));
    assert_int_equal(c.index, 1);
    fake_counters_init(&f);
    f.retired = true;
    assert_non_null(strstr(use(&f, &fixed, &c), "faults"));
}

/* There is no proof that it counts; cycles do not move it. */
TEST(smis_are_counted_on_amd)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct core_counters *has = i == 0 ? &amd4 : &amd6;
        struct fake_counters f, before;
        uint64_t from, to;
        amd(&f, has);
        *fake_counter_at(&f, has->extended ? 0xc0010200 : 0xc0010000) = 0x4300d0; /* in use */
        before = f;
        assert_null(core_counter_start(&c, has, COUNT_SMIS, &f.access));
        assert_int_equal(c.index, 1);
        f.smis = true;
        assert_true(core_counter_read(&c, &f.access, &from));
        fake_counters_pass(&f, 3);
        assert_true(core_counter_read(&c, &f.access, &to));
        assert_true(to - from >= 3);
        f.smis = false;
        assert_true(core_counter_read(&c, &f.access, &from));
        fake_counters_pass(&f, 1000);
        assert_true(core_counter_read(&c, &f.access, &to));
        assert_int_equal(to, from);
        assert_true(core_counter_stop(&c, &f.access));
        for (unsigned m = 0; m < f.n; m++)
            assert_int_equal(f.of[m].v, before.of[m].v);
    }
    intel(&f, 0, 0);
    assert_non_null(strstr(core_counter_start(&c, &fixed, COUNT_SMIS, &f.access), "counts SMIs"));
    amd(&f, &amd4);
    fake_counter_swallow(&f, 0xc0010000);
    assert_non_null(strstr(core_counter_start(&c, &amd4, COUNT_SMIS, &f.access), "written"));
}

TEST(a_cpu_without_counters_has_no_source)
{
    static const struct core_counters no = {.pmc = COUNTER_NONE};
    static const struct core_counters narrow = {.pmc = COUNTER_FIXED1, .bits = 0};

    intel(&f, 0, 0);
    assert_non_null(strstr(use(&f, &no, &c), "CPUID 0Ah"));
    assert_string_equal(core_counter_names[core_counters_best(&no)], "none");
    assert_non_null(strstr(use(&f, &narrow, &c), "width"));
}
