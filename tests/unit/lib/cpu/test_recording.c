/* A CPU recorded as text, from recordings of real machines: the text that comes out is the one that
 * went in, as far as the program reads it. */
#include "lib/cpu/recording.h"
#include "hosted/replay/replay.h"
#include "tests/unit/read_file.h"
#include "tests/unit/cmocka_unit.h"

static struct cpuid_dump in, out;
static struct recorded_leaves zero, one;
static char text[200000], wrong[200];
static unsigned asked;

static void parse(struct cpuid_dump *d, const char *bytes, size_t n)
{
    assert_true(cpuid_dump_parse(d, (const uint8_t *)bytes, n, wrong, sizeof wrong));
}

static void load(const char *name)
{
    char path[200];
    size_t n;

    snprintf(path, sizeof path, "tests/replay/cpuid/%s.txt", name);
    uint8_t *bytes = read_file(path, &n);
    parse(&in, (const char *)bytes, n);
    free(bytes);
}

static void after(void)
{
    cpuid_dump_free(&in);
    cpuid_dump_free(&out);
}

AFTER_EACH(after);

static bool count_and_read(void *cpu, uint32_t address, uint64_t *value)
{
    asked++;
    return cpuid_dump_rdmsr(cpu, address, value);
}

/* Records CPU 0 and CPU `other` of the loaded machine, and parses the text. */
static void record(uint32_t other)
{
    struct dump_cpu first = {&in, 0}, second = {&in, other};
    struct sink_buf buf;
    struct cpu c;

    sink_buf_init(&buf, text, sizeof text);
    recording_leaves(&zero, cpuid_dump_get, &first);
    recording_cpuid(&buf.sink, 0, &zero, NULL);
    recording_leaves(&one, cpuid_dump_get, &second);
    recording_cpuid(&buf.sink, other, &one, &zero);
    cpu_decode(&c, cpuid_dump_get, &first);
    asked = 0;
    recording_msrs(&buf.sink, &c, cpuid_dump_get, &first, count_and_read, &first);
    assert_false(buf.cut);
    parse(&out, text, buf.used);
}

static bool same(struct cpuid_regs a, struct cpuid_regs b)
{
    return a.eax == b.eax && a.ebx == b.ebx && a.ecx == b.ecx && a.edx == b.edx;
}

/* Of an old and a new CPU of both makers, a hybrid one, a guest, and one with leaves C000_0000. */
static const char *const machines[] = {
    "AuthenticAMD0000F51_K8_Sledgehammer",     "GenuineIntel0000F66_P4_Tulsa",
    "AuthenticAMD0B40F40_K20_GraniteRidge_02", "GenuineIntel0090672_AlderLake_01_LC_BC",
    "AuthenticAMD0A10F11_KVM_guest",           "CentaurHauls0040672_CNS_04",
    "GenuineIntel00A06A4_MeteorLake_10",
};

/* Nothing that a decoder may ask for is lost: every recorded leaf answers as before, on both
 * CPUs. */
TEST(a_recording_of_a_recording_has_the_same_leaves)
{
    EACH_CASE (name, machines) {
        load(*name);
        uint32_t other = in.cpu[in.cpus - 1];
        record(other);
        for (uint32_t cpu = 0; cpu <= other; cpu += other > 0 ? other : 1) {
            struct dump_cpu before = {&in, cpu}, now = {&out, cpu};
            for (size_t i = 0; i < in.leaves; i++) {
                const struct dump_leaf *l = &in.leaf[i];
                if (l->cpu != cpu ||
                    l->leaf >= 0x8fffffff) /* the easter egg: after every maximum */
                    continue;
                if (same(cpuid_dump_get(&before, l->leaf, l->subleaf), (struct cpuid_regs){0}))
                    continue;
                if (!same(cpuid_dump_get(&before, l->leaf, l->subleaf),
                          cpuid_dump_get(&now, l->leaf, l->subleaf)))
                    fail_msg("%s: CPU %u, leaf %x, subleaf %x", *name, cpu, l->leaf, l->subleaf);
            }
        }
        after();
    }
}

/* The decoders find in the new text whatever they found in the old one. */
TEST(every_msr_that_a_decoder_reads_is_recorded)
{
    EACH_CASE (name, machines) {
        load(*name);
        record(0);
        struct dump_cpu before = {&in, 0}, now = {&out, 0};
        struct cpu c;
        cpu_decode(&c, cpuid_dump_get, &before);
        struct tsc_rate was =
                            tsc_rate_decode(&c, cpuid_dump_get, &before, cpuid_dump_rdmsr, &before),
                        is = tsc_rate_decode(&c, cpuid_dump_get, &now, cpuid_dump_rdmsr, &now);
        assert_int_equal(was.hz, is.hz);
        assert_int_equal(was.source, is.source);
        assert_true(out.msrs > 0 && asked >= out.msrs); /* each is recorded once */
        after();
    }
}

static struct cpuid_regs without_msrs(void *cpu, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r = cpuid_dump_get(cpu, leaf, subleaf);

    r.edx &= leaf == 1 ? ~(1u << 5) : ~0u;
    return r;
}

TEST(a_cpu_without_msrs_is_asked_for_none)
{
    load(machines[0]);
    struct dump_cpu first = {&in, 0};
    struct sink_buf buf;
    struct cpu c;

    sink_buf_init(&buf, text, sizeof text);
    cpu_decode(&c, without_msrs, &first);
    asked = 0;
    recording_msrs(&buf.sink, &c, without_msrs, &first, count_and_read, &first);
    assert_int_equal(asked + buf.used, 0);
}

/* Maxima and counts that a hypervisor made up. */
static struct cpuid_regs all_ones(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    (void)ctx, (void)leaf, (void)subleaf;
    return (struct cpuid_regs){~0u, ~0u, ~0u, ~0u};
}

static struct cpuid_regs endless(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    (void)ctx, (void)subleaf;
    return (struct cpuid_regs){leaf | 0xffff, ~0u, ~0u, ~0u};
}

TEST(leaves_without_an_end_fill_the_room_and_no_more)
{
    recording_leaves(&zero, all_ones, NULL);
    assert_in_range(zero.n, 1, RECORDING_LEAVES);
    recording_leaves(&zero, endless, NULL);
    assert_int_equal(zero.n, RECORDING_LEAVES);
}

TEST(a_leaf_that_a_cpu_lacks_is_recorded_as_zeros)
{
    struct sink_buf buf;

    zero = (struct recorded_leaves){2, {{0, 0, {1, 2, 3, 4}}, {0x1a, 0, {5, 6, 7, 8}}}};
    one = (struct recorded_leaves){1, {{0, 0, {1, 2, 3, 4}}}};
    sink_buf_init(&buf, text, sizeof text);
    recording_cpuid(&buf.sink, 3, &one, &zero);
    assert_string_equal(text, "cpuid 3 0000001a 00000000 00000000 00000000 00000000 00000000\n");
}
