/* How much suite insn measures on recorded CPUs: by CPUID alone, so no such CPU is
 * needed. The system is taken to enable all state that the CPU has. */
#include "tests/unit/cmocka_unit.h"
#include "bench/output/kinds_show.h"
#include "bench/output/insn_groups.h"
#include "bench/kinds/forms.h"
#include "tests/unit/made_cpu.h"

#define AVX512_FORMS 5000
#define AVX512_PAIRS 6000
#define OTHER_FORMS  1500 /* of x87, MMX and SSE2, which each CPU with long mode has */

static const char *const with_avx512[] = {"AuthenticAMD0A10F11_KVM_guest",
                                          "AuthenticAMD0B40F40_K20_GraniteRidge_02",
                                          "CentaurHauls0040672_CNS_04"};
static const char *const others[] = {
    "AuthenticAMD0000F51_K8_Sledgehammer", "AuthenticAMD0100FA0_K10_Thuban",
    "AuthenticAMD0600F12_Interlagos",      "AuthenticAMD0800F11_K17_Zen2",
    "GenuineIntel00006F6_Conroe",          "GenuineIntel0000F66_P4_Tulsa",
    "GenuineIntel00106A2_Nehalem-EP",      "GenuineIntel00106C2_DiamondvilleDC",
    "GenuineIntel0030673_Silvermont3",     "GenuineIntel00506C9_Goldmont",
    "GenuineIntel00506E3_Skylake"};
static const char *const hybrid[] = {"GenuineIntel0090672_AlderLake_01_LC_BC",
                                     "GenuineIntel00A06A4_MeteorLake_10"};
#define SERIAL_BYTES (45 * 115200 / 10) /* of a datasheet at 115200 baud */
#define ZEN_4_BYTES  324650

struct measured {
    unsigned forms, pairs;
    uint64_t bytes, again; /* of their records, as estimated; of another core's */
};

/* Bytes of the other records of a datasheet. */
static uint64_t curves(unsigned cores, unsigned sizes)
{
    const struct curve_bytes of = {.rows = {[SIZE_CURVE] = 31,
                                            [SIZE_LIMIT] = 23,
                                            [SIZE_MAP] = 1,
                                            [SIZE_SHARED] = 11,
                                            [SIZE_MATRIX] = 1},
                                   .pairs = 24 * 23 / 2,
                                   .cores = cores,
                                   .sizes = sizes};

    return curve_bytes(&of);
}

static struct measured with(const struct insn_support *s)
{
    struct insn_links links;
    struct options o;

    options_default(&o);
    assert_null(insn_links_find(&links));
    void *memory = malloc(insn_table_bytes(&o));
    assert_non_null(memory);
    const struct insn_table *t = insn_table_make(memory, &o, s, &links, false);
    struct measured m = {t->run, t->pairs, insn_record_bytes(t), insn_record_bytes_again(t)};
    free(memory);
    return m;
}

/* What is measured on one CPU of a recording. */
static struct measured on(struct dump_cpu *cpu)
{
    struct insn_support s;
    struct cpuid_regs xcr0 = cpuid_dump_get(cpu, 0xd, 0); /* all that XCR0 can have */

    insn_support(&s, cpuid_dump_get, cpu, xcr0.eax);
    return with(&s);
}

TEST(a_cpu_with_avx512_has_5000_forms_and_6000_pairs)
{
    for (size_t i = 0; i < COUNT_OF(with_avx512); i++) {
        struct measured m = on(&(struct dump_cpu){fixture(with_avx512[i]), 0});
        assert_in_range(m.forms, AVX512_FORMS, 20000);
        assert_in_range(m.pairs, AVX512_PAIRS, 60000);
        assert_in_range(m.bytes + curves(1, 7), 1, SERIAL_BYTES);
    }
}

TEST(every_cpu_has_the_forms_of_long_mode)
{
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct measured m = on(&(struct dump_cpu){fixture(others[i]), 0});
        assert_in_range(m.forms, OTHER_FORMS, AVX512_FORMS);
        assert_in_range(m.pairs, m.forms, AVX512_PAIRS * 3);
    }
}

TEST(both_types_of_cores_of_a_hybrid_cpu_have_the_same_forms)
{
    for (size_t i = 0; i < COUNT_OF(hybrid); i++) {
        struct cpuid_dump *d = fixture(hybrid[i]);
        struct measured first = on(&(struct dump_cpu){d, d->cpu[0]}),
                        last = on(&(struct dump_cpu){d, d->cpu[d->cpus - 1]});
        assert_in_range(first.forms, OTHER_FORMS, AVX512_FORMS);
        assert_int_equal(first.forms, last.forms);
        assert_int_equal(first.pairs, last.pairs);
        assert_in_range(first.bytes + curves(1, 6), 1, SERIAL_BYTES);
        assert_in_range(first.bytes + last.again + curves(2, 6), 1, SERIAL_BYTES);
    }
}

/* A report of such a CPU, of a process on a busy machine: its records `insn` and `insn_left`. */
TEST(the_estimate_of_a_zen_4_is_at_most_a_tenth_above_its_report)
{
    const uint64_t reported = ZEN_4_BYTES;

    struct measured m = on(&(struct dump_cpu){fixture("AuthenticAMD0A10F11_KVM_guest"), 0});
    assert_in_range(m.bytes, reported, reported + reported / 10);
}

/* On one core. No CPU has FP16, VP2INTERSECT, TBM and FMA4. */
TEST(not_even_a_cpu_that_has_everything_takes_45_seconds_of_serial_line)
{
    struct insn_support s = {.avx_on = true, .avx512_on = true};

    for (unsigned i = 0; i < INSN_FEATURES; i++)
        s.has[i] = true;
    assert_in_range(with(&s).bytes + curves(1, 7), 1, SERIAL_BYTES);
}
