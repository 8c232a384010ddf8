#include "lib/cpu/stepping.h"
#include "tests/unit/cmocka_unit.h"
#include "tests/unit/lib/cpu/fake_msr_file.h"

/* Instructions counted from traps (lib/cpu/stepping.h): code as bytes, and the RIPs at which a CPU
 * would stop, one list for each way in which it may. */

#define MOST 1000
#define BACK 0x1000 /* no code of ours */

static uint8_t code[64];
static uint64_t stack[2];
static struct stepping s;

static void begin(const void *bytes, size_t n)
{
    memset(code, 0x90, sizeof code);
    memcpy(code, bytes, n);
    s = (struct stepping){.most = MOST, .back = BACK};
    s.code[0].from = (uint64_t)code;
    s.code[0].size = sizeof code;
    stepping_begin(&s);
}
#define BEGIN(text) begin(text, sizeof(text) - 1)

static bool trap(unsigned at, uint64_t rcx)
{
    return stepping_trap(&s, (uint64_t)code + at, rcx, (uint64_t)stack);
}

/* Traps at these offsets, separated by blanks, and the last one after the code. "4:9-7": three at
 * 4, with RCX 9, 8 and 7; it is 0 elsewhere. */
static void run(const char *traps)
{
    for (char *at = (char *)(uintptr_t)traps; *at;) {
        unsigned offset = (unsigned)strtoul(at, &at, 10);
        uint64_t from = *at == ':' ? strtoull(at + 1, &at, 0) : 0;
        uint64_t to = *at == '-' ? strtoull(at + 1, &at, 0) : from;
        for (uint64_t rcx = from;; rcx--) {
            assert_true(trap(offset, rcx));
            if (rcx == to)
                break;
        }
    }
    assert_false(stepping_trap(&s, BACK, 0, (uint64_t)stack));
    assert_int_equal(s.end, STEPPING_BACK);
}

TEST(traps_give_the_number_of_instructions)
{
#define CODE(text) text, sizeof text - 1
    static const struct {
        const char *bytes;
        size_t size;
        const char *traps;
        unsigned instructions, iterations, repeats, repeated, lost;
    } cases[] = {
        {CODE("\x90\x90\xc3"), "0 1 2", 3, 0, 0, 0, 0}, /* nop; nop; ret */
        /* rep stosb; ret: the 64th iteration and the end are one trap. */
        {CODE("\xf3\xaa\xc3"), "0:64-1 2", 2, 64, 63, 1, 0},
        /* rep stosq; ret: QEMU looks at RCX once more after the last iteration. */
        {CODE("\xf3\x48\xab\xc3"), "0:64-0 3", 2, 64, 64, 1, 0},
        {CODE("\xf2\xae\xc3"), "0 2", 2, 0, 0, 1, 0}, /* repne scasb, of nothing; ret */
        {CODE("\xf3\xa4\xf3\xa4\xc3"), "0:2-1 2 4", 3, 2, 1, 2, 0}, /* rep movsb, twice; ret */
        /* rep cmpsb, addresses of 32 bits; ret: ECX counts, the upper half is cleared. */
        {CODE("\x67\xf3\xa6\xc3"), "0:0xffffffff00000002 0:1 3", 2, 2, 1, 1, 0},
        {CODE("\xe2\xfe\xc3"), "0 0 0 2", 4, 0, 0, 0, 0},   /* loop $; ret */
        {CODE("\xf3\xeb\xfd\xc3"), "0 0 3", 3, 0, 0, 0, 0}, /* jmp $ with an ignored prefix */
        /* mov ss, ax; nop; ret: silicon and Bochs lose the trap at 2, QEMU does not. */
        {CODE("\x8e\xd0\x90\xc3"), "0 3", 3, 0, 0, 0, 1},
        {CODE("\x8e\xd0\x90\xc3"), "0 2 3", 3, 0, 0, 0, 0},
        /* cpuid; cpuid; nop; ret, of whose traps some are lost. */
        {CODE("\x0f\xa2\x0f\xa2\x90\xc3"), "0 2 4 5", 4, 0, 0, 0, 0},
        {CODE("\x0f\xa2\x0f\xa2\x90\xc3"), "0 4 5", 4, 0, 0, 0, 1},
        {CODE("\x0f\xa2\x0f\xa2\x90\xc3"), "0 2 5", 4, 0, 0, 0, 1},
        {CODE("\x0f\xa2\x0f\xa2\x90\xc3"), "0 5", 4, 0, 0, 0, 2},
        /* cpuid; jmp +1; int3; ret: the next trap is at the jump's target. */
        {CODE("\x0f\xa2\xeb\x01\xcc\xc3"), "0 5", 3, 0, 0, 0, 1},
    };

    EACH_CASE (c, cases) {
        begin(c->bytes, c->size);
        run(c->traps);
        assert_int_equal(s.instructions, c->instructions);
        assert_int_equal(s.traps, c->instructions + c->repeats - c->lost + 1);
        assert_int_equal(s.iterations, c->iterations);
        assert_int_equal(s.repeats, c->repeats);
        assert_int_equal(s.repeated, c->repeated);
        assert_int_equal(s.lost, c->lost);
    }
}

/* MOV SS from memory, with a prefix, and instructions that may exit to a hypervisor: the length is
 * what tells where the trap is due. */
TEST(instructions_whose_trap_may_be_lost_are_recognised)
{
    static const struct {
        const char *bytes;
        uint8_t length;
    } cases[] = {
        {"\x8e\xd0", 2},                             /* mov ss, eax */
        {"\x48\x8e\xd1", 3},                         /* mov ss, rcx */
        {"\x8e\x10", 2},                             /* mov ss, [rax] */
        {"\x41\x8e\x50\x10", 4},                     /* mov ss, [r8 + 16] */
        {"\x8e\x54\x24\x08", 4},                     /* mov ss, [rsp + 8] */
        {"\x8e\x14\x25\x00\x10\x00\x00", 7},         /* mov ss, [0x1000] */
        {"\x8e\x15\x00\x10\x00\x00", 6},             /* mov ss, [rip + 0x1000] */
        {"\x8e\x94\x88\x00\x10\x00\x00", 7},         /* mov ss, [rax + rcx * 4 + 0x1000] */
        {"\x64\x66\x8e\x93\x00\x10\x00\x00", 8},     /* mov ss, fs:[rbx + 0x1000] */
        {"\x8e\x14\x24", 3},                         /* mov ss, [rsp] */
        {"\x67\x42\x8e\x14\x95\x00\x10\x00\x00", 9}, /* mov ss, [r10d * 4 + 0x1000] */
        {"\x0f\xa2", 2},                             /* cpuid */
        {"\x48\x0f\xa2", 3},                         /* with REX */
        {"\x0f\x31", 2},                             /* rdtsc */
        {"\x0f\x01\xf9", 3},                         /* rdtscp */
        {"\x0f\x32", 2},                             /* rdmsr */
        {"\x0f\x30", 2},                             /* wrmsr */
        {"\x0f\x33", 2},                             /* rdpmc */
        {"\x0f\x01\x7d\x08", 4},                     /* invlpg [rbp + 8] */
        {"\x0f\x20\xc0", 3},                         /* mov rax, cr0 */
        {"\x0f\x23\xf8", 3},                         /* mov dr7, rax */
        {"\xf3\x90", 2},                             /* pause */
        {"\xe4\x60", 2},                             /* in al, 60h */
        {"\xec", 1},                                 /* in al, dx */
        {"\x66\xef", 2},                             /* out dx, ax */
        {"\x0f\x05", 2},                             /* syscall */
        {"\xcd\x80", 2},                             /* int 80h */
        {"\x0f\xc7\xf0", 3},                         /* rdrand eax */
        {"\xf4", 1},                                 /* hlt */
        {"\xfb", 1},                     /* sti: QEMU delays the trap, as after MOV SS */
        {"\x66\x0f\x38\x82\x46\x40", 6}, /* invpcid rax, [rsi + 64] */
        {"\x66\x0f\xae\xf1", 4},         /* tpause ecx */
    };

    EACH_CASE (c, cases) {
        struct stepping_instruction got = stepping_read((const uint8_t *)c->bytes, c->length);
        assert_int_equal(got.kind, STEPPING_LOSES);
        assert_int_equal(got.length, c->length);
        /* MOV SS that is cut off is not guessed at. */
        for (size_t n = 0; n + 5 < c->length && strchr(c->bytes, '\x8e'); n++)
            assert_int_equal(stepping_read((const uint8_t *)c->bytes, n).kind, STEPPING_PLAIN);
    }
    assert_int_equal(stepping_read((const uint8_t *)"\x90", 1).kind, STEPPING_PLAIN);
    assert_int_equal(stepping_read((const uint8_t *)"\x8e\xd8", 2).kind, STEPPING_PLAIN); /* ds */
}

TEST(the_trap_flag_is_not_pushed)
{
    BEGIN("\x9c\x9d\xc3"); /* pushf; popf; ret */
    stack[0] = 0x346;
    assert_true(trap(0, 0));
    assert_true(trap(1, 0));
    assert_int_equal(stack[0], 0x246);
    stack[0] = 0x346; /* no other instruction's is touched */
    assert_true(trap(2, 0));
    assert_int_equal(stack[0], 0x346);
    assert_false(stepping_trap(&s, BACK, 0, 0));
    assert_int_equal(s.instructions, 3);
}

/* mov ss, eax; pushf; ret: the trap after MOV SS comes after PUSHF. */
TEST(the_trap_flag_is_not_pushed_after_a_lost_trap)
{
    BEGIN("\x8e\xd0\x9c\xc3");
    stack[0] = 0x302;
    assert_true(trap(0, 0));
    assert_true(trap(3, 0));
    assert_int_equal(stack[0], 0x202);
    assert_int_equal(s.instructions, 2);
}

TEST(a_transaction_ends_stepping_before_it_begins)
{
    BEGIN("\x90\xc7\xf8\x00\x00\x00\x00\xc3"); /* nop; xbegin; ret */
    assert_true(trap(0, 0));
    assert_false(trap(1, 0));
    assert_int_equal(s.end, STEPPING_TRANSACTION);
    BEGIN("\xc7\xc0\x00\x00\x00\x00\xc3"); /* mov eax, 0: the same opcode */
    assert_true(trap(0, 0));
}

TEST(stepping_is_bounded)
{
    BEGIN("\xeb\xfe"); /* jmp $ */
    for (unsigned i = 1; i < MOST; i++)
        assert_true(trap(0, 0));
    assert_false(trap(0, 0));
    assert_int_equal(s.end, STEPPING_MOST);
    assert_int_equal(s.traps, MOST);
}

/* SYSCALL into a kernel that clears the flag, or IRET: no trap comes any more. */
TEST(stepping_without_a_seen_end_is_still_running)
{
    BEGIN("\x90\xcf");
    assert_true(trap(0, 0));
    assert_true(trap(1, 0));
    assert_int_equal(s.end, STEPPING_RUNNING);
    assert_int_equal(s.at, (uint64_t)code + 1);
}

/* Nothing is read where that is not allowed: address 8 would fault. */
TEST(unknown_code_is_counted_without_reading_it)
{
    BEGIN("\xc3");
    assert_true(stepping_trap(&s, 8, 5, 0));
    assert_true(stepping_trap(&s, 8, 4, 0));
    assert_false(stepping_trap(&s, BACK, 0, 0));
    assert_int_equal(s.instructions, 2);
    assert_int_equal(s.iterations, 0);
}

/* At the end of what may be read, no byte beyond it is: AddressSanitizer would tell. */
TEST(no_byte_after_the_code_is_read)
{
    BEGIN("");
    code[sizeof code - 1] = 0x0f;
    assert_true(trap(sizeof code - 1, 0));
    code[sizeof code - 1] = 0xf3;
    assert_true(trap(sizeof code - 1, 0));
    code[sizeof code - 1] = 0x8e;
    assert_true(trap(sizeof code - 1, 0));
    assert_int_equal(s.instructions, 2);
}

/* So that the code after the counted part needs no trap at its first instruction. */
TEST(a_lost_trap_may_be_the_last_one)
{
    BEGIN("\x90\x0f\x31\x90\x90"); /* nop; rdtsc; nop; nop */
    s.back = (uint64_t)code + 3;
    assert_true(trap(0, 0));
    assert_true(trap(1, 0));
    assert_false(trap(4, 0)); /* that of RDTSC did not come */
    assert_int_equal(s.end, STEPPING_BACK);
    assert_int_equal(s.instructions, 2);
    assert_int_equal(s.lost, 1);
    BEGIN("\x90\x0f\x31\x90\x90");
    s.back = (uint64_t)code + 3;
    assert_true(trap(0, 0));
    assert_true(trap(1, 0));
    assert_false(trap(3, 0));
    assert_int_equal(s.instructions, 2);
    assert_int_equal(s.lost, 0);
}

/* IA32_DEBUGCTL.BTF: cleared and set again, on a machine that faults or swallows. */

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
