/* The proof that a row leaves a core as it found it, with registers and MSRs that are variables. */
#include "tests/unit/fake_msr.h"
#include "tests/unit/text.h"
#include "kernel/cpu/row_state.h"

static uint64_t registers[ROW_REGISTERS];
static enum row_register written[ROW_REGISTERS + 1];
static unsigned writes;

/* The file of the real table also has instructions that only ring 0 may execute. */
static char names[ROW_REGISTERS][8];
#define FAKE(id, ...)                                                                              \
    static uint64_t read_##id(void)                                                                \
    {                                                                                              \
        return registers[ROW_##id];                                                                \
    }                                                                                              \
    static void write_##id(uint64_t v)                                                             \
    {                                                                                              \
        registers[ROW_##id] = v;                                                                   \
        written[writes++] = ROW_##id;                                                              \
    }
ROW_REGISTER_LIST(FAKE)

const struct row_register_kind row_register_kinds[ROW_REGISTERS] = {
#define KIND(id, ...)                                                                              \
    [ROW_##id] = {.name = names[ROW_##id], .read = read_##id, .write = write_##id},
    ROW_REGISTER_LIST(KIND)
#undef KIND
};

#define TOUCHED    0x48
#define WRITE_ONLY 0x49 /* not among the fake MSRs: a read fails */
static const uint32_t touches[] = {WRITE_ONLY, TOUCHED, 0};

static struct row_state state;

static void begun(void)
{
    for (unsigned r = 0; r < ROW_REGISTERS; r++) {
        registers[r] = 0x1000 + r;
        (void)snprintf(names[r], sizeof names[r], "r%u.", r);
    }
    fake_msr_reset();
    fake_msr_add(TOUCHED, 0x4800);
    writes = 0;
    row_state_keep(&state);
    row_state_keep_msrs(&state, touches);
}

BEFORE_EACH(begun);

static const char *told(void)
{
    return row_state_tell(&state, text_sink()) ? text : NULL;
}

TEST(unchanged_state_is_not_reported)
{
    assert_false(row_state_put_back(&state, false));
    assert_null(told());
    assert_int_equal(writes, 0);
    assert_int_equal(fake_msr.writes, 0);
}

TEST(each_planted_difference_is_named_and_restored)
{
    for (unsigned r = 0; r < ROW_REGISTERS; r++) {
        begun();
        registers[r] ^= 1;
        /* DR6 tells what a #DB was for: it is not a reason to execute an instruction again. */
        assert_int_equal(row_state_put_back(&state, false), r != ROW_DR6);
        assert_int_equal(registers[r], 0x1000 + r);
        assert_string_equal(told(), names[r]);
        assert_false(row_state_put_back(&state, false));
        assert_null(told());
    }
}

TEST(a_handler_has_its_own_code_and_stack_segments)
{
    registers[ROW_CS] = registers[ROW_SS] = 0;
    assert_false(row_state_put_back(&state, true));
    assert_null(told());
    registers[ROW_DS] = 0;
    assert_true(row_state_put_back(&state, true));
    assert_string_equal(told(), names[ROW_DS]);
}

TEST(several_differences_are_restored_in_order)
{
    registers[ROW_GS_BASE] = registers[ROW_CR4] = registers[ROW_GS] = 0;
    assert_true(row_state_put_back(&state, false));
    assert_int_equal(writes, 3);
    assert_true(written[0] == ROW_CR4 && written[1] == ROW_GS && written[2] == ROW_GS_BASE);
}

TEST(a_touched_msr_is_reported_by_number_and_restored)
{
    (void)msr_write(TOUCHED, 1);
    assert_true(row_state_put_back(&state, false));
    assert_int_equal(fake_msr_value(TOUCHED), 0x4800);
    assert_string_equal(told(), "MSR 48h");
    assert_null(told());
}

TEST(an_msr_that_keeps_its_value_does_not_repeat_a_fault)
{
    (void)msr_write(TOUCHED, 1);
    fake_msr.of[0].stuck = true;
    assert_false(row_state_put_back(&state, false));
    assert_string_equal(told(), "MSR 48h");
}

TEST(untouched_msrs_are_not_compared)
{
    row_state_keep(&state);
    (void)msr_write(TOUCHED, 1);
    assert_false(row_state_put_back(&state, false));
    assert_null(told());
}

TEST(nothing_is_compared_between_rows)
{
    state.kept = false;
    registers[ROW_CR0] = 0;
    assert_false(row_state_put_back(&state, false));
    assert_int_equal(registers[ROW_CR0], 0);
}
