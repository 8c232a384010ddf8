/* The ways to reset a machine, on one that none of them resets: what each writes, and that the next
 * one is reached. */
#include "tests/unit/kernel/fake_cpu.h"
#include "tests/unit/cmocka_unit.h"
#include "kernel/devices/reset.h"
#include <signal.h>

static char log_of[256];
static uint64_t now;
static uint8_t keyboard, cf9;
static unsigned reads;
static volatile sig_atomic_t trapped;
static struct fadt fadt;
static bool mapped;

uint64_t rdtsc(void)
{
    return now += 1u << 20;
}

static void note(const char *format, uint64_t at, uint64_t v)
{
    size_t n = strlen(log_of);

    snprintf(log_of + n, sizeof log_of - n, format, (unsigned long)at, (unsigned long)v);
}

uint8_t in8(uint16_t port)
{
    reads++;
    return port == 0x64 ? keyboard : cf9;
}

void out8(uint16_t port, uint8_t v)
{
    note("%lx=%02lx ", port, v);
}

uint16_t in16(uint16_t port)
{
    (void)port;
    return 0x3c01; /* SLP_EN, another type, SCI_EN */
}

void out16(uint16_t port, uint16_t v)
{
    note("%lx=%04lx ", port, v);
}

void out32(uint16_t port, uint32_t v)
{
    note("%lx=%08lx ", port, v);
}

void mmio_write(uint64_t at, unsigned width, uint32_t v)
{
    assert_int_equal(width, 1);
    note("[%lx]=%02lx ", at, v);
}

void write_idtr(struct table_register r)
{
    assert_int_equal(r.limit, 0);
    note("idt ", 0, 0);
}

static volatile void *map(void *ctx, uint64_t address, uint64_t size)
{
    assert_ptr_equal(ctx, &mapped);
    assert_int_equal(size, 1);
    return mapped ? (volatile void *)(uintptr_t)address : NULL;
}

static void tell(void *ctx, const char *way)
{
    assert_ptr_equal(ctx, log_of);
    assert_memory_equal(way, "trying ", 7);
    note("! ", 0, 0);
}

static void on_trap(int signal)
{
    (void)signal;
    trapped = 1;
}

static const char *try(unsigned way)
{
    const struct reset r = {fadt.has_reset ? &fadt : NULL, map, &mapped, tell, log_of};

    log_of[0] = 0;
    reset_try(&r, way);
    return log_of;
}

static void fresh(void)
{
    fadt = (struct fadt){.has_reset = true, .reset_value = 0x0f};
    keyboard = 0x1c, cf9 = 0x50;
    reads = 0, mapped = true, now = 0;
}

BEFORE_EACH(fresh);

TEST(the_register_of_the_fadt_is_written_in_its_space)
{
    static const struct {
        struct acpi_gas gas;
        const char *written;
    } cases[] = {
        {{ACPI_IO, 8, 1, 0xcf9}, "! cf9=0f "},
        {{ACPI_MEMORY, 8, 1, 0xfed80071}, "! [fed80071]=0f "},
        /* Device 1Fh, function 3, offset 46h. */
        {{ACPI_PCI_CONFIG, 8, 1, 0x001f00030046}, "! cf8=8000fb44 cfe=0f "},
    };

    EACH_CASE (c, cases) {
        fadt.reset = c->gas;
        assert_string_equal(try(0), c->written);
        assert_true(now > 1ull << 32); /* it waited for the reset */
    }
}

TEST(without_a_register_nothing_is_written)
{
    fadt.reset = (struct acpi_gas){ACPI_MEMORY, 8, 1, 0xfed80071};
    mapped = false;
    assert_string_equal(try(0), "");
    fadt.has_reset = false;
    assert_string_equal(try(0), "");
}

TEST(port_cf9_keeps_its_other_bits)
{
    assert_string_equal(try(1), "! cf9=5a cf9=5e ");
    cf9 = 0xff;
    assert_string_equal(try(1), "! cf9=fb cf9=ff ");
}

TEST(a_keyboard_controller_that_never_answers_is_awaited_for_a_bounded_time)
{
    assert_string_equal(try(2), "! 64=fe ");
    assert_int_equal(reads, 1);
    keyboard = 0xff;
    assert_string_equal(try(2), "! 64=fe ");
    assert_in_range(reads, 1000, 100000);
}

TEST(the_last_way_is_an_exception_without_an_idt)
{
    signal(SIGTRAP, on_trap);
    assert_string_equal(try(RESET_WAYS - 1), "! idt ");
    assert_true(trapped);
    signal(SIGTRAP, SIG_DFL);
}

/* The events first, then the type, then SLP_EN in both; other bits stay. */
TEST(both_halves_of_pm1_enter_s5)
{
    static const struct {
        uint16_t a, b;
        const char *written;
    } cases[] = {
        {0x404, 0, "400=c731 404=1401 404=3401 "},
        {0x404, 0x504, "400=c731 500=c731 404=1401 504=1c01 404=3401 504=3c01 "},
        {0, 0x504, ""},
    };

    EACH_CASE (c, cases) {
        fadt = (struct fadt){.pm1a_cnt = c->a, .pm1b_cnt = c->b};
        fadt.pm1_sts[0] = 0x400, fadt.pm1_sts[1] = c->b ? 0x500 : 0;
        log_of[0] = 0, now = 0;
        power_off(&fadt, (struct acpi_s5){5, 7});
        assert_string_equal(log_of, c->written);
        assert_true(now > 1ull << 32 || !c->a);
    }
}
