#include "tests/unit/text.h"
#include "lib/cpu/controls.h"
#include "tests/unit/lib/cpu/fake_msr_file.h"
#include "tests/unit/made_cpu.h"
#include "tests/unit/cmocka_unit.h"

/* The controls of real machines, with the MSRs that were recorded on them, and their changes; in
 * every case all MSRs are restored afterwards. */

#define TURBO_OFF (1ull << 38)

static struct machine {
    struct cpuid_dump *dump;
    struct dump_cpu boot;
    struct cpu cpu;
    struct fake_msr_file file, before;
    struct msr_access access;
    struct options options;
    struct controls q;
} m;

static const uint32_t used[] = {
    0x199, 0x1a0,      0x1a4,      0xce,       0x1ad,      0x1fc,      0x770,      0x771,
    0x774, 0xc0010015, 0xc0010061, 0xc0010062, 0xc00102b0, 0xc00102b1, 0xc00102b3, 0xc0000108};

static void settle(void)
{
    m.access = fake_msr_file_access(&m.file);
    m.before = m.file;
    controls_plan(&m.q, &m.options, &m.cpu, cpuid_dump_get, &m.boot, &m.access);
}

static void settle_and_apply(void)
{
    settle();
    controls_apply(&m.q, &m.access);
}

/* A recording, with all off and the clock at its base. */
static void recorded(const char *name)
{
    memset(&m, 0, sizeof m);
    m.dump = fixture(name);
    m.boot = (struct dump_cpu){m.dump, 0};
    cpu_decode(&m.cpu, cpuid_dump_get, &m.boot);
    for (size_t i = 0; i < m.dump->msrs; i++)
        EACH_CASE (c, used)
            if (m.dump->msr[i].address == *c && !m.dump->msr[i].fault &&
                !fake_msr_file_at(&m.file, *c))
                fake_msr_file_add(&m.file, *c, m.dump->msr[i].value);
    m.options = (struct options){.turbo = SETTING_OFF, .prefetch = SETTING_OFF, .freq = FREQ_BASE};
    settle();
}

static uint64_t value(uint32_t msr)
{
    const uint64_t *at = fake_msr_file_at(&m.file, msr);

    assert_non_null(at);
    return *at;
}

static const char *text_of(const struct control *s, uint64_t v)
{
    control_text(s, v, text_sink());
    return text;
}

static const char *now(enum control_id id)
{
    return text_of(&m.q.of[id], m.q.of[id].now);
}

static void in_force(enum control_id id, const char *found, const char *wanted)
{
    const struct control *s = &m.q.of[id];

    if (s->why_not)
        fail_msg("%s: %s", control_names[id], s->why_not);
    assert_true(s->asked && s->in_force);
    assert_string_equal(text_of(s, s->found), found);
    assert_string_equal(now(id), wanted);
}

static void lacks(enum control_id id, const char *why)
{
    const struct control *s = &m.q.of[id];

    assert_null(s->control);
    assert_non_null(s->why_not);
    assert_non_null(strstr(s->why_not, why));
    assert_false(s->in_force);
}

static void restored(void)
{
    assert_true(controls_restore(&m.q, &m.access));
    for (unsigned i = 0; i < m.file.n; i++)
        assert_int_equal(m.file.of[i].v, m.before.of[i].v);
    unsigned writes = m.file.writes;
    assert_true(controls_restore(&m.q, &m.access));
    assert_int_equal(m.file.writes, writes);
}

TEST(skylake_has_its_controls)
{
    recorded("GenuineIntel00506E3_Skylake"); /* its owner had switched turbo off */
    controls_apply(&m.q, &m.access);
    in_force(CONTROL_TURBO, "off", "off");
    in_force(CONTROL_PREFETCH, "on", "off");
    assert_int_equal(value(0x1a4), 0xf);
    in_force(CONTROL_FREQ, "ratio 22", "ratio 22");
    restored();

    recorded("GenuineIntel00506E3_Skylake");
    m.options.freq = FREQ_MAX; /* turbo is off, so there is no more than the base */
    settle_and_apply();
    in_force(CONTROL_FREQ, "ratio 22", "ratio 22");
    m.options.turbo = SETTING_KEEP;
    settle_and_apply();
    in_force(CONTROL_FREQ, "ratio 22", "ratio 28");
    assert_false(m.q.of[CONTROL_TURBO].asked);
    assert_int_equal(value(0x199), 0x1c00);
    assert_true(controls_restore(&m.q, &m.access));
    assert_int_equal(value(0x199), 0x1600);

    *fake_msr_file_at(&m.file, 0x1a0) &= ~(1ull << 16);
    settle();
    lacks(CONTROL_FREQ, "SpeedStep off");
}

TEST(alder_lake_has_its_controls)
{
    recorded("GenuineIntel0090672_AlderLake_01_LC_BC");
    controls_apply(&m.q, &m.access);
    in_force(CONTROL_FREQ, "level 2 to 255", "level 41 to 41");
    assert_string_equal(m.q.of[CONTROL_FREQ].control, "IA32_HWP_REQUEST");
    assert_int_equal(value(0x774), 0x0000019e00292929); /* the window of 41:32 is as found */
    restored();

    recorded("GenuineIntel0090672_AlderLake_01_LC_BC");
    m.options = (struct options){.freq = FREQ_MAX};
    settle_and_apply();
    in_force(CONTROL_FREQ, "level 2 to 255", "level 65 to 65");
    assert_int_equal(m.q.keeps, 1);
    *fake_msr_file_at(&m.file, 0x770) = 0; /* there, and not on: it is not switched on */
    settle();
    assert_string_equal(m.q.of[CONTROL_FREQ].control, "IA32_PERF_CTL");
    *fake_msr_file_at(&m.file, 0x770) = 1;
    *fake_msr_file_at(&m.file, 0x771) = 0;
    settle_and_apply();
    assert_non_null(strstr(m.q.of[CONTROL_FREQ].why_not, "no such level"));
    assert_false(m.q.of[CONTROL_FREQ].in_force);
}

TEST(older_intel_has_its_controls)
{
    recorded("GenuineIntel00006F6_Conroe");
    controls_apply(&m.q, &m.access);
    in_force(CONTROL_PREFETCH, "on", "off");
    assert_int_equal(value(0x1a0), 0x4060972489ull | 1 << 9 | 1 << 19 | 1ull << 37 | 1ull << 39);
    lacks(CONTROL_FREQ, "not known for this model");
    restored();

    recorded("GenuineIntel00106A2_Nehalem-EP");
    controls_apply(&m.q, &m.access);
    in_force(CONTROL_TURBO, "on", "off");
    in_force(CONTROL_PREFETCH, "on", "off");
    assert_int_equal(value(0x1a0), 0x850089 | TURBO_OFF);
    assert_int_equal(value(0x1a4), 0x7cf); /* other bits there are unchanged */
    in_force(CONTROL_FREQ, "ratio 21", "ratio 20");
    assert_int_equal(value(0x199), 20); /* bits 7:0 */
    restored();
    *fake_msr_file_at(&m.file, 0x199) = 0;
    settle();
    controls_apply(&m.q, &m.access);
    in_force(CONTROL_FREQ, "ratio 0", "ratio 20");

    recorded("GenuineIntel00506C9_Goldmont");
    controls_apply(&m.q, &m.access);
    in_force(CONTROL_PREFETCH, "on", "off");
    assert_int_equal(value(0x1a4), 5);
    restored();

    recorded("GenuineIntel0030673_Silvermont3");
    lacks(CONTROL_PREFETCH, "not known for this model");

    recorded("GenuineIntel0000F66_P4_Tulsa");
    for (unsigned i = 0; i < CONTROL_IDS; i++)
        assert_null(m.q.of[i].control);
}

/* The recorded ones' firmware had switched the boost off, which CPUID shows. */
static void granite_ridge(void)
{
    recorded("AuthenticAMD0B40F40_K20_GraniteRidge_02");
    lacks(CONTROL_TURBO, "8000_0007 EDX[9]");
    for (size_t i = 0; i < m.dump->leaves; i++)
        if (m.dump->leaf[i].leaf == 0x80000007)
            m.dump->leaf[i].regs.edx |= 1u << 9;
    settle();
}

TEST(amd_has_its_controls)
{
    granite_ridge();
    controls_apply(&m.q, &m.access);
    in_force(CONTROL_TURBO, "on", "off");
    assert_int_equal(value(0xc0010015), 0x1c9006011 | 1 << 25);
    in_force(CONTROL_FREQ, "P0", "P0"); /* CPPC is there, and not on */
    lacks(CONTROL_PREFETCH, "faults");  /* it is not in the recording */
    restored();

    granite_ridge();
    m.options.turbo = SETTING_KEEP; /* P0 with the boost on is not a base clock */
    fake_msr_file_add(&m.file, 0xc0000108, 0x10);
    settle_and_apply();
    in_force(CONTROL_TURBO, "on", "off");
    in_force(CONTROL_PREFETCH, "on", "off");
    assert_int_equal(value(0xc0000108), 0x3f);
    restored();

    granite_ridge();
    fake_msr_file_add(&m.file, 0xc00102b0, 0xc47a2a12);
    fake_msr_file_add(&m.file, 0xc00102b1, 1);
    fake_msr_file_add(&m.file, 0xc00102b3, 0x800012ff);
    m.options = (struct options){.freq = FREQ_BASE};
    settle_and_apply();
    in_force(CONTROL_FREQ, "level 18 to 255", "level 122 to 122");
    assert_int_equal(value(0xc00102b3), 0x007a7a7a);
    assert_false(m.q.of[CONTROL_TURBO].asked); /* the level itself ends below the boost */
    restored();

    granite_ridge();
    fake_msr_file_add(&m.file, 0xc00102b0, 0xc47a2a12);
    fake_msr_file_add(&m.file, 0xc00102b1, 1);
    fake_msr_file_add(&m.file, 0xc00102b3, 0);
    m.options = (struct options){.freq = FREQ_MAX};
    settle_and_apply();
    in_force(CONTROL_FREQ, "level 0 to 0", "level 196 to 196");
    restored();
}

TEST(thuban_has_its_controls)
{
    recorded("AuthenticAMD0100FA0_K10_Thuban");
    *fake_msr_file_at(&m.file, 0xc0010062) = 3;
    *fake_msr_file_at(&m.file, 0xc0010061) = 0x31; /* P1 is the fastest that is allowed now */
    settle_and_apply();
    in_force(CONTROL_TURBO, "on", "off");
    in_force(CONTROL_FREQ, "P3", "P1");
    lacks(CONTROL_PREFETCH, "8000_0021 EAX[13]");
    restored();
}

TEST(a_control_that_resists_is_reported)
{
    recorded("GenuineIntel00106A2_Nehalem-EP");
    for (unsigned i = 0; i < m.file.n; i++) {
        m.file.of[i].is = m.file.of[i].msr == 0x1a0   ? FAKE_MSR_SWALLOWS
                          : m.file.of[i].msr == 0x1a4 ? FAKE_MSR_FAULTS
                                                      : FAKE_MSR_GOOD;
    }
    controls_apply(&m.q, &m.access);
    for (unsigned i = CONTROL_TURBO; i <= CONTROL_PREFETCH; i++) {
        assert_non_null(m.q.of[i].why_not);
        assert_non_null(strstr(m.q.of[i].why_not, "does not read back"));
        assert_string_equal(now(i), "on");
        assert_false(m.q.of[i].in_force);
    }
    restored();
}

/* With keep nothing is written, and the present state is still reported. */
TEST(with_keep_no_control_is_written)
{
    recorded("GenuineIntel00106A2_Nehalem-EP");
    m.options = (struct options){.freq = FREQ_KEEP};
    settle_and_apply();
    assert_int_equal(m.file.writes, 0);
    assert_string_equal(now(CONTROL_TURBO), "on");
    *fake_msr_file_at(&m.file, 0x1a4) = 4;
    settle();
    assert_string_equal(now(CONTROL_PREFETCH), "partly off");
    restored();
}

/* Prefetchers off for a row, once or more often, next to controls that options ask for. */
TEST(prefetchers_are_off_for_a_row_and_restored)
{
    recorded("GenuineIntel00506E3_Skylake");
    m.options.prefetch = SETTING_KEEP;
    settle_and_apply();
    struct fake_msr_file applied = m.file;
    for (unsigned i = 0; i < 3; i++) {
        assert_null(controls_prefetch_off(&m.q, &m.access));
        assert_int_equal(value(0x1a4), 0xf);
        assert_string_equal(now(CONTROL_PREFETCH), "off");
        assert_true(controls_prefetch_back(&m.q, &m.access));
        assert_string_equal(now(CONTROL_PREFETCH), "on");
        for (unsigned k = 0; k < m.file.n; k++)
            assert_int_equal(m.file.of[k].v, applied.of[k].v);
        assert_true(controls_prefetch_back(&m.q, &m.access)); /* does nothing */
    }
    assert_null(
        controls_prefetch_off(&m.q, &m.access)); /* the row's core faults: all is restored */
    restored();
}

/* With prefetch=off they are off already, and stay so. */
TEST(prefetchers_that_are_off_stay_off)
{
    recorded("GenuineIntel00506E3_Skylake");
    controls_apply(&m.q, &m.access);
    unsigned writes = m.file.writes;
    assert_null(controls_prefetch_off(&m.q, &m.access));
    assert_true(controls_prefetch_back(&m.q, &m.access));
    assert_int_equal(m.file.writes, writes);
    assert_int_equal(value(0x1a4), 0xf);
    restored();
}

TEST(prefetchers_that_stay_on_have_the_reason)
{
    for (unsigned i = 0; i < 2; i++) {
        recorded("GenuineIntel00506E3_Skylake");
        m.options.prefetch = SETTING_KEEP;
        settle();
        for (unsigned k = 0; k < m.file.n; k++)
            if (m.file.of[k].msr == 0x1a4)
                m.file.of[k].is = i ? FAKE_MSR_SWALLOWS : FAKE_MSR_FAULTS;
        const char *why = controls_prefetch_off(&m.q, &m.access);
        assert_non_null(why);
        assert_non_null(strstr(why, "does not read back"));
        assert_int_equal(m.q.keeps, 0);
        restored();
    }
    recorded("AuthenticAMD0100FA0_K10_Thuban");
    const char *why = controls_prefetch_off(&m.q, &m.access); /* it has no control of them */
    assert_non_null(why);
    assert_non_null(strstr(why, "8000_0021"));
    restored();
}

TEST(efficiency_cores_and_unknown_models_have_no_control)
{
    static const struct {
        const char *vendor;
        uint32_t model, leaf_1a;
        bool has;
    } cases[] = {{"GenuineIntel", 0x97, 0x40000001, true},
                 {"GenuineIntel", 0x97, 0x20000001, false},
                 {"GenuineIntel", 0xfe, 0x40000001, false},
                 {"  Shanghai  ", 0x97, 0x40000001, false}};
    memset(&m, 0, sizeof m);
    m.options.prefetch = SETTING_OFF;
    EACH_CASE (c, cases) {
        made_vendor(c->vendor, 0x1a);
        made_model(6, c->model, 0, 0, 0);
        made_leaf(0x1a, c->leaf_1a, 0, 0, 0);
        m.cpu = made_cpu(&m.boot);
        m.file.n = 0;
        fake_msr_file_add(&m.file, 0x1a4, 0);
        settle();
        assert_int_equal(m.q.of[CONTROL_PREFETCH].control != NULL, c->has);
    }
}

TEST(c1e_is_read_from_its_msr)
{
    bool known;

    recorded("GenuineIntel00106A2_Nehalem-EP");
    assert_false(controls_c1e(&m.cpu, &m.access, &known));
    assert_true(known);
    *fake_msr_file_at(&m.file, 0x1fc) |= 2;
    assert_true(controls_c1e(&m.cpu, &m.access, &known));
    m.cpu.hypervisor = true;
    assert_false(controls_c1e(&m.cpu, &m.access, &known));
    assert_false(known);
    recorded("AuthenticAMD0100FA0_K10_Thuban");
    assert_false(controls_c1e(&m.cpu, &m.access, &known));
    assert_false(known);
}

/* Advice depends only on what was read. */

static struct advice said[ADVICE_MAX];

static const struct advice *about(size_t n, const char *topic)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(said[i].topic, topic) == 0)
            return &said[i];
    return NULL;
}

TEST(without_facts_there_is_no_advice)
{
    struct advice_facts f = {0};

    assert_int_equal(advice_choose(&f, said), 0);
}

TEST(each_fact_has_its_advice)
{
    struct advice_facts f;

    const struct {
        enum seen *fact;
        const char *topic;
        enum seen wrong;
        const char *words;
    } cases[] = {
        {&f.virtualised, "virtualised", SEEN_YES, "bare machine"},
        {&f.smi, "smi", SEEN_YES, "USB legacy support"},
        {&f.turbo, "turbo", SEEN_YES, "turbo=off"},
        {&f.lfence, "lfence", SEEN_NO, "recipe=cpuid"},
        {&f.invariant, "tsc", SEEN_NO, "not ns"},
        {&f.smt, "smt", SEEN_YES, "switch it off"},
        {&f.c1e, "c1e", SEEN_YES, "switch it off"},
    };
    EACH_CASE (c, cases)
        for (unsigned seen = SEEN_NO; seen <= SEEN_YES; seen++) {
            memset(&f, 0, sizeof f);
            *c->fact = (enum seen)seen;
            assert_int_equal(advice_choose(&f, said), 1);
            assert_string_equal(said[0].topic, c->topic);
            assert_int_equal(said[0].change, seen == c->wrong);
            assert_int_equal(strstr(said[0].text, c->words) != NULL, said[0].change);
        }
}

TEST(advice_that_asks_for_a_change_comes_first)
{
    struct advice_facts f = {.emulated = SEEN_NO,
                             .virtualised = SEEN_NO,
                             .smi = SEEN_YES,
                             .turbo = SEEN_NO,
                             .lfence = SEEN_YES,
                             .invariant = SEEN_YES,
                             .smt = SEEN_YES,
                             .c1e = SEEN_NO};

    assert_int_equal(advice_choose(&f, said), 7);
    assert_true(said[0].change && said[1].change && !said[2].change);
    assert_string_equal(said[0].topic, "smi");
    assert_string_equal(said[1].topic, "smt");
    assert_false(about(7, "c1e")->change);
}

TEST(an_emulators_settings_are_not_judged)
{
    struct advice_facts f = {.emulated = SEEN_YES, .turbo = SEEN_YES, .smt = SEEN_YES};

    assert_int_equal(advice_choose(&f, said), 1);
    assert_string_equal(said[0].topic, "emulated");
}

/* What freq= asks for, in multiples of MPERF's clock, and the register that shows what it got. */
TEST(the_clock_that_freq_asks_for_and_the_one_it_got)
{
    uint64_t status = 0;

    recorded("GenuineIntel00506E3_Skylake");
    m.options = (struct options){.freq = FREQ_MAX};
    fake_msr_file_add(&m.file, 0x198, 0x1a00);
    settle();
    assert_int_equal(m.q.of[CONTROL_FREQ].ratio, 28);
    assert_int_equal(m.q.of[CONTROL_FREQ].base, 22);
    assert_true(controls_status(&m.q.of[CONTROL_FREQ], &m.cpu, &m.access, &status));
    assert_string_equal(text_of(&m.q.of[CONTROL_FREQ], status), "ratio 26");
    m.cpu.hypervisor = true; /* KVM's is constant */
    assert_false(controls_status(&m.q.of[CONTROL_FREQ], &m.cpu, &m.access, &status));

    recorded("AuthenticAMD0100FA0_K10_Thuban");
    assert_int_equal(m.q.of[CONTROL_FREQ].base, m.q.of[CONTROL_FREQ].wanted == 0);
    assert_int_equal(m.q.of[CONTROL_FREQ].status, 0xc0010063);

    recorded("AuthenticAMD0B40F40_K20_GraniteRidge_02");
    m.options = (struct options){.freq = FREQ_MAX};
    settle();
    assert_int_equal(m.q.of[CONTROL_FREQ].base, 0); /* a boost has no fixed multiple */
}

TEST(only_a_hypervisor_that_cpuid_names_is_blamed_for_a_control)
{
    for (unsigned guest = 0; guest <= 1; guest++) {
        recorded("GenuineIntel00506E3_Skylake");
        m.cpu.hypervisor = guest;
        for (unsigned i = 0; i < m.file.n; i++)
            if (m.file.of[i].msr == 0x1a4)
                m.file.of[i].msr = 0xffff; /* which nothing reads */
        settle();
        lacks(CONTROL_PREFETCH, guest ? "the hypervisor" : "faults");
        assert_int_equal(strstr(m.q.of[CONTROL_PREFETCH].why_not, "hypervisor") != NULL, guest);
    }
}
