/* MSRs changed and restored, on a machine that faults or swallows. */
#include "lib/cpu/register_bits.h"
#include "tests/unit/lib/cpu/fake_msr_file.h"
#include "tests/unit/cmocka_unit.h"

TEST(a_changed_msr_is_restored)
{
    struct fake_msr_file f = {0};
    struct msr_access a = fake_msr_file_access(&f);
    struct msr_kept k;

    fake_msr_file_add(&f, 0x1a0, 0x850089);
    assert_true(msr_keep(&k, &a, 0x1a0));
    assert_true(msr_change(&k, &a, 0xf0, 0x50));
    assert_int_equal(*fake_msr_file_at(&f, 0x1a0), 0x850059);
    assert_true(msr_change(&k, &a, 0xf, 0x3)); /* from the kept value, not the current one */
    assert_int_equal(*fake_msr_file_at(&f, 0x1a0), 0x850083);
    assert_true(msr_put_back(&k, &a));
    assert_int_equal(*fake_msr_file_at(&f, 0x1a0), 0x850089);
    unsigned writes = f.writes;
    assert_true(msr_put_back(&k, &a)); /* nothing to do, nothing written */
    assert_int_equal(f.writes, writes);
}

TEST(an_msr_that_resists_is_not_kept)
{
    struct fake_msr_file f = {0};
    struct msr_access a = fake_msr_file_access(&f);
    struct msr_kept k = {7, 9};

    assert_false(msr_keep(&k, &a, 0x1a0));
    assert_int_equal(k.msr, 7);
    fake_msr_file_add(&f, 0x1a0, 1);
    assert_true(msr_keep(&k, &a, 0x1a0));
    f.of[0].is = FAKE_MSR_SWALLOWS;
    assert_false(msr_change(&k, &a, 1, 0));
    f.of[0].is = FAKE_MSR_FAULTS;
    assert_false(msr_change(&k, &a, 1, 0));
    f.of[0].is = FAKE_MSR_GOOD;
    assert_true(msr_change(&k, &a, 1, 0));
    f.of[0].is = FAKE_MSR_SWALLOWS;
    assert_false(msr_put_back(&k, &a));
}
