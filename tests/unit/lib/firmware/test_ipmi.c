#include "lib/firmware/ipmi.h"
#include "tests/unit/cmocka_unit.h"

/* A BMC as far as section 9 of IPMI 2.0 describes its interface, and what it can do wrong. */

enum { OBF = 1, IBF = 2, IDLE = 0x00, READING = 0x40, WRITING = 0x80, ERROR = 0xc0 };

static struct {
    uint8_t status, data, request[8], answer[16];
    unsigned n, sent, bytes; /* of request; of answer: sent, in all */
    unsigned busy;           /* reads of the status until a byte is taken */
    bool ending, absent, stuck, confused, terse;
    unsigned reads;
} bmc;

static void begin_answer(void)
{
    bmc.status = READING | OBF;
    bmc.sent = 0;
    bmc.data = bmc.answer[bmc.sent++];
}

static uint8_t read_it(void *ctx, unsigned reg)
{
    assert_ptr_equal(ctx, &bmc);
    bmc.reads++;
    if (bmc.absent)
        return 0xff;
    if (reg == KCS_STATUS) {
        bool busy = bmc.stuck || (bmc.busy && bmc.reads % bmc.busy);
        return bmc.status | (busy ? IBF : 0);
    }
    bmc.status &= (uint8_t)~OBF;
    return bmc.data;
}

static void write_it(void *ctx, unsigned reg, uint8_t v)
{
    if (reg == KCS_STATUS) {
        if (v == 0x61)
            bmc.n = 0;
        bmc.ending = v == 0x62;
        bmc.status = bmc.confused ? ERROR : WRITING | OBF; /* with an old byte */
    } else if ((bmc.status & 0xc0) == WRITING) {
        assert_in_range(bmc.n, 0, 7);
        bmc.request[bmc.n++] = v;
        if (bmc.ending)
            begin_answer();
    } else {
        assert_int_equal(v, 0x68);
        assert_int_equal(bmc.status, READING); /* the byte before it was taken */
        bmc.status = bmc.sent < bmc.bytes ? READING | OBF : IDLE | (bmc.terse ? 0 : OBF);
        bmc.data = bmc.sent < bmc.bytes ? bmc.answer[bmc.sent++] : 0;
    }
}

static const struct kcs kcs = {&bmc, read_it, write_it};

/* A watchdog of 600 s, of which 500 are left, that resets the machine. */
static void good(void)
{
    static const uint8_t answer[] = {0x1c, 0x25, 0, 0x44, 1, 0, 0, 0x70, 0x17, 0x88, 0x13};

    memset(&bmc, 0, sizeof bmc);
    memcpy(bmc.answer, answer, sizeof answer);
    bmc.bytes = sizeof answer;
}

BEFORE_EACH(good);

static struct ipmi_watchdog w;

TEST(the_state_of_the_watchdog_is_read)
{
    for (unsigned busy = 0; busy < 5; busy++) {
        good();
        bmc.busy = busy;
        bmc.status = busy % 2 ? ERROR : IDLE | OBF; /* as an earlier command left it */
        assert_null(ipmi_watchdog_get(&w, &kcs));
        assert_true(bmc.n == 2 && bmc.request[0] == 6 << 2 && bmc.request[1] == 0x25);
        assert_true(w.runs && w.action == 1 && w.tenths == 6000 && w.present == 5000);
        assert_int_equal(bmc.status & ~OBF, IDLE); /* ready for the next command */
    }
    bmc.answer[3] = 0x04;
    assert_null(ipmi_watchdog_get(&w, &kcs));
    assert_false(w.runs);
    bmc.answer[3] = 0x44, bmc.answer[4] = 0x10; /* it only interrupts */
    assert_null(ipmi_watchdog_get(&w, &kcs));
    assert_false(w.runs);
}

/* Linux, ipmi_kcs_sm.c: "some broken hardware does not write the final dummy byte". */
TEST(a_bmc_need_not_write_the_last_byte)
{
    for (unsigned i = 0; i < 4; i++) {
        bmc.terse = i % 2 == 0; /* what is left of one command does not disturb the next */
        assert_null(ipmi_watchdog_get(&w, &kcs));
        assert_true(w.runs && w.present == 5000);
    }
}

TEST(the_watchdog_is_fed)
{
    bmc.answer[1] = 0x22;
    bmc.bytes = 3;
    assert_null(ipmi_watchdog_feed(&kcs));
    assert_true(bmc.n == 2 && bmc.request[1] == 0x22);
    bmc.answer[2] = 0x80; /* it was never set: section 27.5 */
    assert_string_equal(ipmi_watchdog_feed(&kcs), "the BMC refuses the command");
}

TEST(each_wait_is_bounded)
{
    bmc.stuck = true;
    assert_string_equal(ipmi_watchdog_get(&w, &kcs), "the BMC does not answer in time");
    assert_in_range(bmc.reads, 1, KCS_READS + 10);
    good();
    bmc.absent = true;
    assert_string_equal(ipmi_watchdog_get(&w, &kcs), "no device answers");
    good();
    bmc.confused = true;
    assert_string_equal(ipmi_watchdog_get(&w, &kcs),
                        "the BMC's interface is in an unexpected state");
    good();
    bmc.answer[1] = 0x24;
    assert_string_equal(ipmi_watchdog_get(&w, &kcs), "the BMC answers something else");
    good();
    bmc.bytes = 9;
    assert_string_equal(ipmi_watchdog_get(&w, &kcs), "the BMC refuses the command");
    assert_false(w.runs);
}
