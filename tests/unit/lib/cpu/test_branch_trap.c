/* IA32_DEBUGCTL.BTF: cleared and set again, on a machine that faults or swallows. */
#include "lib/cpu/stepping.h"
#include "tests/unit/lib/cpu/fake_msr_file.h"
#include "tests/unit/cmocka_unit.h"

#define LBR 1u /* bit 0: last branches are recorded, which is not ours to change */

static struct fake_msr_file file;
static struct msr_access access;
static struct branch_trap b;

static void machine(uint64_t debugctl)
{
    file = (struct fake_msr_file){0};
    fake_msr_file_add(&file, MSR_DEBUGCTL, debugctl);
    access = fake_msr_file_access(&file);
    b = (struct branch_trap){0};
}

static void expect(uint64_t debugctl, unsigned writes)
{
    assert_int_equal(*fake_msr_file_at(&file, MSR_DEBUGCTL), debugctl);
    assert_int_equal(file.writes, writes);
}

TEST(the_bit_is_cleared_alone_and_set_again)
{
    machine(DEBUGCTL_BTF | LBR);
    branch_trap_clear(&b, &access);
    expect(LBR, 1);
    branch_trap_restore(&b, &access);
    expect(DEBUGCTL_BTF | LBR, 2);
    branch_trap_restore(&b, &access); /* a call that is left may do it twice */
    expect(DEBUGCTL_BTF | LBR, 2);
}

TEST(a_debug_bit_that_the_body_cleared_stays_clear)
{
    machine(LBR);
    branch_trap_clear(&b, &access);
    *fake_msr_file_at(&file, MSR_DEBUGCTL) = 0; /* by the body: not restored */
    branch_trap_restore(&b, &access);
    expect(0, 0);
}

TEST(without_de_cfg_no_msr_is_written)
{
    machine(0);
    file.n = 0;
    b.cleared = true; /* from another window */
    branch_trap_clear(&b, &access);
    branch_trap_restore(&b, &access);
    assert_int_equal(file.writes, 0);
}

TEST(a_register_that_resists_is_left)
{
    machine(DEBUGCTL_BTF);
    file.of[0].is = FAKE_MSR_FAULTS;
    branch_trap_clear(&b, &access);
    branch_trap_restore(&b, &access);
    expect(DEBUGCTL_BTF, 0);
    file.of[0].is = FAKE_MSR_SWALLOWS;
    branch_trap_clear(&b, &access);
    branch_trap_restore(&b, &access);
    expect(DEBUGCTL_BTF, 1); /* read back as it was: nothing to write the second time */
}
