/*
 * Saving and restoring extended state, by component and by use: an instruction of this group may
 * skip a component that is in its initial state. Sources: SDM vol. 1 sections 13.1
 * (components), 13.4 (the area), 13.7 to 13.12 (instructions).
 */
#include "bench/suites/privileged/privileged.h"

/* Bits of XCR0, and combinations. */
enum {
    X87 = 1,
    SSE = 2,
    AVX = 4,
    AVX512 = 0xe0,
    TILES = 0x60000, /* TILECFG and TILEDATA */
    LEGACY = X87 | SSE,
    WITH_AVX = LEGACY | AVX
};

/* Bytes of the area: more than the components that the kernel enables need, AVX-512 included. */
#define AREA_BYTES 4096

extern const struct unit unit_privileged_xsave, unit_privileged_xsaveopt, unit_privileged_xsavec,
    unit_privileged_xsaves, unit_privileged_xrstor, unit_privileged_xrstors,
    unit_privileged_nothing_used, unit_privileged_ymm_used, unit_privileged_zmm_used,
    unit_privileged_tiles_used, unit_privileged_tiles_by_xsave, unit_privileged_tiles_by_xsaves,
    unit_privileged_tiles_off;

static void clear(struct object *o)
{
    uint64_t *area = privileged_memory(o);

    for (unsigned i = 0; i < AREA_BYTES / sizeof *area; i++)
        area[i] = 0;
}

/* Returns what is enabled. Called where the system uses XSAVE. */
static uint32_t xcr0(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

static const char *lacks_avx(const struct cpu *cpu)
{
    (void)cpu;
    return (xcr0() & WITH_AVX) == WITH_AVX ? NULL : "needs AVX in XCR0, which is not enabled";
}

static const char *lacks_avx512(const struct cpu *cpu)
{
    (void)cpu;
    return (xcr0() & AVX512) == AVX512 ? NULL : "needs AVX-512 in XCR0, which is not enabled";
}

/* --- areas to restore from -------------------------------------------------------------------- */

/* XRSTOR loads MXCSR from the area although all components become initial: SDM vol. 1 section
 * 13.8.1; its place and value after a reset: sections 10.5.1.1 and 10.2.3. */
#define MXCSR_AT    24
#define MXCSR_RESET 0x1f80u
/* The bit by which an area is compacted, as XRSTORS requires it: SDM vol. 1 section 13.4.2. */
#define XCOMP_BV_AT 520
#define COMPACTED   (1ull << 63)

static void standard_initial(struct object *o)
{
    clear(o);
    ((uint32_t *)privileged_memory(o))[MXCSR_AT / sizeof(uint32_t)] = MXCSR_RESET;
}

static void compacted_initial(struct object *o)
{
    clear(o);
    ((uint64_t *)privileged_memory(o))[XCOMP_BV_AT / sizeof(uint64_t)] = COMPACTED;
}

static void use_ymm(void)
{
    __asm__ volatile("vxorps %%xmm0, %%xmm0, %%xmm0; vcmpps $0, %%ymm0, %%ymm0, %%ymm0"
                     :
                     :
                     : "xmm0");
}

static void use_zmm(void)
{
    __asm__ volatile("vpternlogd $0xff, %%zmm0, %%zmm0, %%zmm0" : : : "xmm0");
}

/* With the area as it is cleared, XRSTOR would make all components initial: it is saved first. */
#define SAVED(name_, instruction_)                                                                 \
    static void name_(struct object *o)                                                            \
    {                                                                                              \
        clear(o);                                                                                  \
        __asm__ volatile(instruction_ " (%0)"                                                      \
                         :                                                                         \
                         : "r"(privileged_memory(o)), "a"((uint32_t)o->arg), "d"(0)                \
                         : "memory");                                                              \
    }                                                                                              \
    static void name_##_ymm(struct object *o)                                                      \
    {                                                                                              \
        use_ymm();                                                                                 \
        name_(o);                                                                                  \
    }                                                                                              \
    static void name_##_zmm(struct object *o)                                                      \
    {                                                                                              \
        use_zmm();                                                                                 \
        name_(o);                                                                                  \
    }
SAVED(standard, "xsave64")
SAVED(compacted, "xsaves64")

/* --- rows ------------------------------------------------------------------------------------- */

#define STATE(ring_, name_, unit_, what_, arg_, history_, setup_, ...)                             \
    ring_(name_, 3, what_, .ops = PRIVILEGED_OPS, .window.unit = &unit_privileged_##unit_,         \
          .arg = arg_, .window.history = &unit_privileged_##history_, .setup = setup_,             \
          __VA_ARGS__)
#define NEEDS(feature_) .needs.features = {FEATURE_OSXSAVE, feature_}
/* With AVX, whose registers the histories use. */
#define NEEDS_AVX(feature_)                                                                        \
    .needs.features = {FEATURE_OSXSAVE, FEATURE_AVX, feature_}, .needs.lacks = lacks_avx
#define NEEDS_AVX512(feature_)                                                                     \
    .needs.features = {FEATURE_OSXSAVE, FEATURE_AVX512F, feature_}, .needs.lacks = lacks_avx512

#define SAVES(ring_, name_, feature_)                                                              \
    STATE(ring_, name_##_x87, name_, #name_ ", x87", X87, load, clear, NEEDS(feature_));           \
    STATE(ring_, name_##_sse, name_, #name_ ", SSE", SSE, load, clear, NEEDS(feature_));           \
    STATE(ring_, name_##_avx, name_, #name_ ", AVX in use", AVX, ymm_used, clear,                  \
          NEEDS_AVX(feature_));                                                                    \
    STATE(ring_, name_##_all, name_, #name_ ", x87, SSE and AVX in use", WITH_AVX, ymm_used,       \
          clear, NEEDS_AVX(feature_));                                                             \
    STATE(ring_, name_##_unused, name_, #name_ ", x87, SSE and AVX, none in use", WITH_AVX,        \
          nothing_used, clear, NEEDS_AVX(feature_));                                               \
    STATE(ring_, name_##_avx512, name_, #name_ ", AVX-512 in use", WITH_AVX | AVX512, zmm_used,    \
          clear, NEEDS_AVX512(feature_))

SAVES(PRIVILEGED_ANY_RING, xsave, FEATURE_NONE);
SAVES(PRIVILEGED_ANY_RING, xsaveopt, FEATURE_XSAVEOPT);
SAVES(PRIVILEGED_ANY_RING, xsavec, FEATURE_XSAVEC);
SAVES(PRIVILEGED_ROW, xsaves, FEATURE_XSAVES);

#define RESTORES(ring_, name_, area_, feature_)                                                    \
    STATE(ring_, name_##_x87, name_, #name_ ", x87", X87, load, area_, NEEDS(feature_));           \
    STATE(ring_, name_##_sse, name_, #name_ ", SSE", SSE, load, area_, NEEDS(feature_));           \
    STATE(ring_, name_##_avx, name_, #name_ ", AVX in use", AVX, load, area_##_ymm,                \
          NEEDS_AVX(feature_));                                                                    \
    STATE(ring_, name_##_all, name_, #name_ ", x87, SSE and AVX in use", WITH_AVX, load,           \
          area_##_ymm, NEEDS_AVX(feature_));                                                       \
    STATE(ring_, name_##_initial, name_, #name_ ", x87, SSE and AVX, all initial", WITH_AVX, load, \
          area_##_initial, NEEDS_AVX(feature_));                                                   \
    STATE(ring_, name_##_avx512, name_, #name_ ", AVX-512 in use", WITH_AVX | AVX512, load,        \
          area_##_zmm, NEEDS_AVX512(feature_))

RESTORES(PRIVILEGED_ANY_RING, xrstor, standard, FEATURE_NONE);
RESTORES(PRIVILEGED_ROW, xrstors, compacted, FEATURE_XSAVES);

/* --- AMX's tiles ------------------------------------------------------------------------------ */

/* In the room, after the area, of which the tiles need 11 KiB. Eight tiles of 16 rows of 64 bytes:
 * SDM vol. 2A LDTILECFG. */
#define TILES_CONFIG 16384 /* as in xsave.asm */
#define TILES_MOST   8
struct tiles_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

static void tiles(struct object *o)
{
    struct tiles_config *config = (void *)((uint8_t *)o->room + TILES_CONFIG);
    uint64_t *data = (uint64_t *)(void *)(config + 1);

    clear(o);
    privileged_registers(o)->r8 = xcr0();
    *config = (struct tiles_config){.palette = 1};
    for (unsigned i = 0; i < TILES_MOST; i++) {
        config->row_bytes[i] = 64;
        config->rows[i] = 16;
    }
    for (unsigned i = 0; i < 16 * 64 / sizeof *data; i++)
        data[i] = ~0ull;
}

/* XSETBV needs ring 0. */
#define OF_TILES(name_, history_, feature_)                                                        \
    STATE(PRIVILEGED_ROW, name_##_tiles, name_, #name_ ", AMX's tiles in use", TILES, history_,    \
          tiles, .window.after = &unit_privileged_tiles_off,                                       \
          .needs.features = {FEATURE_OSXSAVE, FEATURE_AMX_TILE, feature_})

OF_TILES(xsave, tiles_used, FEATURE_NONE);
OF_TILES(xsaveopt, tiles_used, FEATURE_XSAVEOPT);
OF_TILES(xsavec, tiles_used, FEATURE_XSAVEC);
OF_TILES(xsaves, tiles_used, FEATURE_XSAVES);
OF_TILES(xrstor, tiles_by_xsave, FEATURE_NONE);
OF_TILES(xrstors, tiles_by_xsaves, FEATURE_XSAVES);
