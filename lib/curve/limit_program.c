#include "lib/curve/limit_program.h"
#include "lib/text/mem.h"

/* Encodings: SDM vol. 2. */

#define BYTES(...)                                                                                 \
    (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[])                                        \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* Registers of the generated code:
 *   rbp the arguments   rdi iterations left   r15 first reading   rax, rbx the chains a and b
 *   r10 their `line`    r11 zero, or of FILL_WAIT_*: zero once a load has returned
 *   r8 position in the table of r13 bytes or addresses at r12
 * Fillers write the registers of `rotated`, or xmm0 to xmm7, or k1 to k4, in turn. */
static const uint8_t rotated[] = {1, 2, 6, 8, 9, 12, 13, 14};
enum { ROTATED = 8, MASKS = 4, RAX = 0, RBX = 3, NEED_REX = 8 };
enum { FUNCTION_APART = 16, TARGET_APART = 16, JMP_SHORT = 2, JMP_NEAR = 5 };
enum { LOOP_END = 9, LOOP_END_INSTRUCTIONS = 2 };

static void put(struct limits_code *to, const uint8_t *bytes, size_t n)
{
    to->full = to->full || n > to->size - to->used;
    if (to->full)
        return;
    memcpy(to->at + to->used, bytes, n);
    to->used += n;
}

/* Writes an instruction that an iteration executes once. */
static void put_one(struct limits_code *to, const uint8_t *bytes, size_t n)
{
    put(to, bytes, n);
    to->instructions++;
}

static void put_rel32(struct limits_code *to, size_t target)
{
    uint32_t rel = (uint32_t)(target - (to->used + 4));

    put(to, (const uint8_t *)&rel, sizeof rel);
}

static void put_nop(struct limits_code *to)
{
    put_one(to, BYTES(0x0f, 0x1f, 0x40, 0x00));
}

static void pad(struct limits_code *to, size_t apart, uint8_t with)
{
    while (!to->full && to->used % apart)
        put(to, &with, 1);
}

/* --- the frame -------------------------------------------------------------------------------- */

/* The TSC in rax. */
static void put_reading(struct limits_code *to)
{
    put(to, BYTES(0x0f, 0xae, 0xe8));       /* lfence */
    put(to, BYTES(0x0f, 0x31));             /* rdtsc */
    put(to, BYTES(0x0f, 0xae, 0xe8));       /* lfence */
    put(to, BYTES(0x48, 0xc1, 0xe2, 0x20)); /* shl rdx, 32 */
    put(to, BYTES(0x48, 0x09, 0xd0));       /* or rax, rdx */
}

static void put_entry(struct limits_code *to)
{
    put(to, BYTES(0x53, 0x55));                                     /* push rbx, rbp, */
    put(to, BYTES(0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57)); /* r12, r13, r14, r15 */
    put(to, BYTES(0x48, 0x89, 0xfd));                               /* mov rbp, rdi */
    put(to, BYTES(0x48, 0x8b, 0x7d, offsetof(struct limits_run, iterations)));
    put(to, BYTES(0x4c, 0x8b, 0x55, offsetof(struct limits_run, line)));
    put(to, BYTES(0x45, 0x31, 0xdb)); /* xor r11d, r11d */
    put_reading(to);
    put(to, BYTES(0x49, 0x89, 0xc7)); /* mov r15, rax */
    put(to, BYTES(0x48, 0x8b, 0x45, offsetof(struct limits_run, a)));
    put(to, BYTES(0x48, 0x8b, 0x5d, offsetof(struct limits_run, b)));
    put(to, BYTES(0x4c, 0x8b, 0x65, offsetof(struct limits_run, table)));
    put(to, BYTES(0x4c, 0x8b, 0x6d, offsetof(struct limits_run, count)));
    put(to, BYTES(0x45, 0x31, 0xc0)); /* xor r8d, r8d */
    pad(to, LIMITS_ALIGN, 0x90);
}

static void put_loop_end(struct limits_code *to, size_t loop)
{
    put_one(to, BYTES(0x48, 0xff, 0xcf)); /* dec rdi */
    put_one(to, BYTES(0x0f, 0x85));       /* jnz */
    put_rel32(to, loop);
}

static void put_exit(struct limits_code *to)
{
    put(to, BYTES(0x49, 0x89, 0xc6)); /* mov r14, rax */
    put_reading(to);
    put(to, BYTES(0x4c, 0x29, 0xf8)); /* sub rax, r15 */
    put(to, BYTES(0x4c, 0x89, 0x75, offsetof(struct limits_run, a)));
    put(to, BYTES(0x48, 0x89, 0x5d, offsetof(struct limits_run, b)));
    put(to, BYTES(0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c)); /* pop r15, r14, r13, r12, */
    put(to, BYTES(0x5d, 0x5b, 0xc3));                               /* rbp, rbx; ret */
}

/* --- fillers ---------------------------------------------------------------------------------- */

/* Writes an instruction with the k-th rotated register in ModRM.reg and the memory operand or
 * address [base + r11], base being r10, rax or rbx. */
static void put_indexed(struct limits_code *to, uint8_t opcode, unsigned reg, unsigned base)
{
    uint8_t rex = (uint8_t)(0x42 | (reg >= NEED_REX) << 2 | (base >= NEED_REX));

    put_one(to, BYTES(rex, opcode, (uint8_t)((reg & 7) << 3 | 4), (uint8_t)(3 << 3 | (base & 7))));
}

/* Writes pshufd xmm(k), xmm8, 0. */
static void put_pshufd(struct limits_code *to, unsigned k)
{
    put_one(to, BYTES(0x66, 0x41, 0x0f, 0x70, (uint8_t)(0xc0 | k % ROTATED << 3), 0));
}

/* Writes the k-th filler. from: the register that the load before it writes. */
static void put_filler(struct limits_code *to, enum limits_filler filler, unsigned k, unsigned from)
{
    static const enum limits_filler mix[] = {FILL_CMP, FILL_LEA, FILL_PSHUFD, FILL_LOAD};
    const unsigned mixed = sizeof mix / sizeof mix[0];
    unsigned reg = rotated[k % ROTATED];

    switch (filler) {
    case FILL_NOP:
        put_nop(to);
        break;
    case FILL_XOR: /* of a register with itself */
        put_one(to, BYTES((uint8_t)(0x40 | (reg >= NEED_REX) * 5), 0x31,
                          (uint8_t)(0xc0 | (reg & 7) << 3 | (reg & 7))));
        break;
    case FILL_MIX:
        put_filler(to, mix[k % mixed], k, from);
        break;
    case FILL_LEA:
        put_indexed(to, 0x8d, reg, 10);
        break;
    case FILL_WAIT_LEA:
        put_indexed(to, 0x8d, reg, from);
        break;
    case FILL_PSHUFD:
    case FILL_WAIT_PSHUFD:
        put_pshufd(to, k);
        break;
    case FILL_KOR: /* korw k(1 + k mod 4), k6, k7 */
        put_one(to, BYTES(0xc5, 0xcc, 0x45, (uint8_t)(0xc7 | (1 + k % MASKS) << 3)));
        break;
    case FILL_CMP: /* cmp r10d, r11d */
        put_one(to, BYTES(0x45, 0x39, 0xda));
        break;
    case FILL_LOAD:
    case FILL_WAIT_LOAD:
        put_indexed(to, 0x8b, reg, 10);
        break;
    case FILL_STORE: /* of r10d */
    case FILL_WAIT_STORE:
        put_indexed(to, 0x89, 10, 10);
        break;
    case FILL_NOP_1:
        put_one(to, BYTES(0x90));
        break;
    case FILL_XOR_2: /* xor eax, eax */
        put_one(to, BYTES(0x31, 0xc0));
        break;
    case FILL_TEST_16: /* test ax, 0x7f7f */
        put_one(to, BYTES(0x66, 0xa9, 0x7f, 0x7f));
        break;
    }
}

/* Writes what makes fillers wait for the load before them: xmm8, or r11, which is zero again. */
static void put_wait(struct limits_code *to, enum limits_filler filler, unsigned from)
{
    if (filler == FILL_WAIT_PSHUFD)
        put_one(to, BYTES(0x66, 0x44, 0x0f, 0x6e, (uint8_t)(0xc0 | from)));
    if (filler != FILL_WAIT_LOAD && filler != FILL_WAIT_STORE)
        return;
    put_one(to, BYTES(0x49, 0x89, (uint8_t)(0xc3 | from << 3))); /* mov r11, rax or rbx */
    put_one(to, BYTES(0x41, 0x83, 0xe3, 0x00));                  /* and r11d, 0 */
}

/* --- iterations ------------------------------------------------------------------------------- */

static void put_width(struct limits_code *to, enum limits_filler filler, uint32_t count)
{
    uint32_t fillers = count - LIMITS_CHAIN - LOOP_END_INSTRUCTIONS, done = 0;

    for (uint32_t i = 1; i <= LIMITS_CHAIN; i++) {
        put_one(to, BYTES(0x48, 0x01, 0xd8)); /* add rax, rbx */
        for (; done < (uint64_t)fillers * i / LIMITS_CHAIN; done++)
            put_filler(to, filler, done, RBX);
    }
}

static void put_window(struct limits_code *to, enum limits_filler filler, uint32_t count)
{
    static const uint8_t load[2][3] = {{0x48, 0x8b, 0x00}, {0x48, 0x8b, 0x1b}}; /* mov a, [a] */

    for (unsigned chain = 0; chain < 2; chain++) {
        unsigned from = chain ? RBX : RAX;
        put_one(to, load[chain], sizeof load[chain]);
        put_wait(to, filler, from);
        for (uint32_t i = 0; i < count; i++)
            put_filler(to, filler, i, from);
    }
}

static void put_jumps(struct limits_code *to, unsigned apart, uint32_t count)
{
    for (uint32_t i = 0; i < count && !to->full; i++) {
        put_one(to, BYTES(0xeb, (uint8_t)(apart - JMP_SHORT)));
        for (unsigned k = JMP_SHORT; k < apart; k++)
            put(to, BYTES(0xcc));
    }
}

/* Moves to the next entry of the table, after the last one to the first. */
static void put_next(struct limits_code *to)
{
    put_one(to, BYTES(0x49, 0xff, 0xc0));       /* inc r8 */
    put_one(to, BYTES(0x4d, 0x39, 0xe8));       /* cmp r8, r13 */
    put_one(to, BYTES(0x4d, 0x0f, 0x43, 0xc3)); /* cmovae r8, r11 */
}

static void put_pattern(struct limits_code *to)
{
    put_one(to, BYTES(0x43, 0x0f, 0xb6, 0x04, 0x04)); /* movzx eax, byte [r12 + r8] */
    put_next(to);
    put_one(to, BYTES(0x85, 0xc0)); /* test eax, eax */
    put_one(to, BYTES(0x75, 0x04)); /* jnz, over the NOP */
    put(to, BYTES(0x0f, 0x1f, 0x40, 0x00));
}

size_t limits_target(uint32_t i)
{
    return (size_t)i * TARGET_APART + i * 11 % (TARGET_APART - JMP_NEAR + 1);
}

static void put_targets(struct limits_code *to, uint32_t count)
{
    put_one(to, BYTES(0x43, 0xff, 0x24, 0xc4)); /* jmp [r12 + 8 * r8] */
    pad(to, TARGET_APART, 0xcc);
    to->targets = to->used;
    size_t after = to->used + (size_t)count * TARGET_APART;
    for (uint32_t i = 0; i < count && !to->full; i++) {
        for (unsigned k = limits_target(i) % TARGET_APART; k > 0; k--)
            put(to, BYTES(0xcc));
        put(to, BYTES(0xe9)); /* jmp */
        put_rel32(to, after);
        pad(to, TARGET_APART, 0xcc);
    }
    to->instructions++; /* of these jumps an iteration executes one */
    put_next(to);
}

/* Writes the call of the first function. put_functions() writes it. */
static void put_call(struct limits_code *to, size_t target)
{
    put_one(to, BYTES(0xe8));
    put_rel32(to, target);
}

static void put_functions(struct limits_code *to, size_t first, uint32_t count)
{
    pad(to, FUNCTION_APART, 0xcc);
    for (uint32_t i = 1; i <= count && !to->full; i++) {
        if (i < count)
            put_call(to, first + (size_t)i * FUNCTION_APART);
        put_one(to, BYTES(0xc3));
        pad(to, FUNCTION_APART, 0xcc);
    }
}

static void put_code(struct limits_code *to, unsigned bytes, uint32_t count)
{
    static const uint8_t nop8[] = {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};

    for (uint32_t at = LOOP_END; at + bytes <= count && !to->full; at += bytes)
        if (bytes == sizeof nop8)
            put_one(to, nop8, sizeof nop8);
        else
            put_nop(to);
}

static void put_ops(struct limits_code *to, enum limits_filler filler, uint32_t count)
{
    for (uint32_t i = 0; i + LOOP_END_INSTRUCTIONS < count && !to->full; i++)
        put_filler(to, filler, i, RBX);
}

bool limits_program(struct limits_code *code, enum limits_kind kind, unsigned param, uint32_t count)
{
    /* From the call to the first function: the call, the loop's end, and the exit. */
    enum { CALL = 5, EXIT = 48 };
    size_t functions;

    code->used = code->instructions = code->targets = 0;
    code->full = false;
    put_entry(code);
    size_t loop = code->used;
    functions =
        (loop + CALL + LOOP_END + EXIT + FUNCTION_APART - 1) / FUNCTION_APART * FUNCTION_APART;
    switch (kind) {
    case LIMITS_WIDTH:
        put_width(code, (enum limits_filler)param, count);
        break;
    case LIMITS_WINDOW:
        put_window(code, (enum limits_filler)param, count);
        break;
    case LIMITS_JUMPS:
        put_jumps(code, param, count);
        break;
    case LIMITS_PATTERN:
        put_pattern(code);
        break;
    case LIMITS_TARGETS:
        put_targets(code, count);
        break;
    case LIMITS_RETURNS:
        put_call(code, functions);
        break;
    case LIMITS_CODE:
        put_code(code, param, count);
        break;
    case LIMITS_OPS:
        put_ops(code, (enum limits_filler)param, count);
        break;
    }
    put_loop_end(code, loop);
    put_exit(code);
    if (kind == LIMITS_RETURNS) {
        while (!code->full && code->used < functions)
            put(code, BYTES(0xcc));
        put_functions(code, functions, count);
    }
    code->operations = kind == LIMITS_JUMPS || kind == LIMITS_RETURNS ? count
                       : kind == LIMITS_CODE || kind == LIMITS_OPS    ? code->instructions
                                                                      : 1;
    return !code->full;
}
