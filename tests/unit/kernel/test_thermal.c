/* Thermal status: which bits exist, and the result of a row for MSRs that a test sets. */
#include "kernel/cpu/core.h"
#include "lib/text/json.h"
#include "tests/unit/fake_msr.h"
#include "tests/unit/text.h"

static uint32_t leaf6;
static struct cpuid_regs leaf_6(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    return (struct cpuid_regs){.eax = leaf == 6 ? leaf6 : 0};
}

enum { SENSOR = 1, PLN = 1 << 4, PTM = 1 << 6, HWP = 1 << 7 };

static const struct cpu intel = {.vendor = VENDOR_INTEL, .msr = true, .max_leaf = 6};
static struct thermal_state s;
static struct thermal_row row;

static void machine(uint32_t eax, uint64_t core, uint64_t package)
{
    fake_msr_reset();
    fake_msr_add(MSR_THERM_STATUS, core);
    fake_msr_add(MSR_PACKAGE_THERM_STATUS, package);
    leaf6 = eax;
    thermal_init(&s, &intel, leaf_6);
}

static void expect_kept(const uint64_t *kept, const char *table, const char *record)
{
    struct json j;

    thermal_kept.show(kept, text_sink());
    assert_string_equal(text, table);
    json_line_begin(&j, text_sink());
    thermal_kept.record(kept, &j);
    json_line_end(&j);
    assert_string_equal(text, record);
}

static void expect(const char *table, const char *record)
{
    uint64_t kept[THERMAL_SCOPES] = {0};

    thermal_keep(&row, kept);
    expect_kept(kept, table, record);
}

TEST(the_cpu_decides_which_bits_there_are)
{
    struct thermal t;
    const struct cpu others[] = {{.vendor = VENDOR_AMD, .msr = true, .max_leaf = 0x10},
                                 {.vendor = VENDOR_INTEL, .msr = true, .max_leaf = 5},
                                 {.vendor = VENDOR_INTEL, .max_leaf = 6}};

    leaf6 = SENSOR | PLN | PTM | HWP;
    EACH_CASE (c, others) {
        thermal_decode(&t, c, leaf_6, NULL);
        assert_true(t.scope[THERMAL_CORE].causes == 0 && t.scope[THERMAL_PACKAGE].causes == 0);
    }
    thermal_decode(&t, &intel, leaf_6, NULL);
    assert_int_equal(t.scope[THERMAL_CORE].causes, 0x5405);
    assert_int_equal(t.scope[THERMAL_CORE].logs, 0xaaaa);
    assert_int_equal(t.scope[THERMAL_PACKAGE].causes, 0x405);
    assert_int_equal(t.scope[THERMAL_PACKAGE].logs, 0xaaa);
    leaf6 = SENSOR;
    thermal_decode(&t, &intel, leaf_6, NULL);
    assert_int_equal(t.scope[THERMAL_CORE].causes, 5);
    assert_int_equal(t.scope[THERMAL_CORE].logs, 0x2aa);
    assert_int_equal(t.scope[THERMAL_PACKAGE].causes, 0);
}

TEST(for_a_row_that_is_not_throttled_no_msr_is_written)
{
    machine(SENSOR | PTM, 0x88200000, 0x88200000);
    thermal_begin(&s, &row);
    thermal_end(&s, &row);
    assert_int_equal(fake_msr.writes, 0);
    assert_true(!s.was[THERMAL_CORE] && !s.was[THERMAL_PACKAGE]);
    expect("", "{\"throttled\":false}\n");
}

TEST(throttling_at_any_time_of_a_row_is_reported)
{
    machine(SENSOR | PLN | PTM, 0, 0);
    thermal_begin(&s, &row);
    fake_msr.of[0].value = 2;     /* it was, and is over */
    fake_msr.of[1].value = 0xc00; /* it is */
    thermal_end(&s, &row);
    expect("  ^ throttled by core_thermal package_power_limit\r\n",
           "{\"throttled\":true,\"throttled_by\":[\"core_thermal\",\"package_power_limit\"]}\n");

    machine(SENSOR, 4, 0); /* PROCHOT when it begins, not when it ends */
    thermal_begin(&s, &row);
    fake_msr.of[0].value = 0;
    thermal_end(&s, &row);
    expect("  ^ throttled by core_prochot\r\n",
           "{\"throttled\":true,\"throttled_by\":[\"core_prochot\"]}\n");

    machine(SENSOR | PTM, 0, 0); /* a threshold and a critical temperature hold nothing back */
    thermal_begin(&s, &row);
    fake_msr.of[0].value = 0xff0 & ~0x400;
    thermal_end(&s, &row);
    expect("", "{\"throttled\":false}\n");
}

/* In one of a row's rounds; and a status that could not be read in one of them. */
TEST(throttling_in_one_round_counts_for_the_row)
{
    uint64_t kept[THERMAL_SCOPES] = {0};

    machine(SENSOR | PLN | PTM, 0, 0);
    for (unsigned round = 0; round < 3; round++) {
        fake_msr.of[0].value = fake_msr.of[1].value = 0;
        thermal_begin(&s, &row);
        fake_msr.of[0].value = round == 1 ? 2 : 0;
        thermal_end(&s, &row);
        thermal_keep(&row, kept);
    }
    expect("", "{\"throttled\":false}\n");
    expect_kept(kept, "  ^ throttled by core_thermal\r\n",
                "{\"throttled\":true,\"throttled_by\":[\"core_thermal\"]}\n");
    row = (struct thermal_row){0};
    thermal_keep(&row, kept);
    expect_kept(kept, "", "{}\n");
}

/* A log from before: cleared, the logs of other events left, and seen as the machine's past. */
TEST(an_old_log_is_cleared_and_is_the_machines_past)
{
    machine(SENSOR, 0x88200000 | 0x2 | 0x80, 0);
    assert_true(s.was[THERMAL_CORE]);
    thermal_begin(&s, &row);
    assert_int_equal(fake_msr.writes, 1);
    assert_int_equal(fake_msr_value(MSR_THERM_STATUS), 0x2a0); /* all but ours written as 1 */
    thermal_end(&s, &row);
    expect("", "{\"throttled\":false}\n");

    machine(SENSOR, 2, 0); /* one that cannot be cleared tells nothing; the status does */
    fake_msr.of[0].stuck = true;
    thermal_begin(&s, &row);
    thermal_end(&s, &row);
    expect("", "{\"throttled\":false}\n");
    thermal_begin(&s, &row);
    fake_msr.of[0].value = 3;
    thermal_end(&s, &row);
    expect("  ^ throttled by core_thermal\r\n",
           "{\"throttled\":true,\"throttled_by\":[\"core_thermal\"]}\n");
}

TEST(a_status_that_cannot_be_read_is_left_out)
{
    machine(0, 3, 3);
    thermal_begin(&s, &row);
    thermal_end(&s, &row);
    expect("", "{}\n");
    fake_msr_reset(); /* promised by CPUID, and both fault */
    leaf6 = SENSOR | PTM;
    thermal_init(&s, &intel, leaf_6);
    thermal_begin(&s, &row);
    thermal_end(&s, &row);
    expect("", "{}\n");
    machine(SENSOR, 0, 0);
    thermal_begin(&s, &row); /* a fault ends the row before its end: nothing is claimed */
    expect("", "{}\n");
}

TEST(the_head_has_the_past_status)
{
    machine(SENSOR | PTM, 2, 0);
    thermal_show(&s, text_sink());
    assert_string_equal(text, "thermal   core status (throttled since reset), package status\r\n");
    machine(0, 0, 0);
    thermal_show(&s, text_sink());
    assert_non_null(strstr(text, "no status known"));
}
