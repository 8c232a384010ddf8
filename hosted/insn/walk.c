#include "hosted/insn/walk.h"
#include <stdbool.h>
#include <string.h>

/* The bytes after ModRM: an immediate or a displacement that every form accepts. */
enum { FILLER = 0x02 };

struct walker {
    void (*look)(void *ctx, const uint8_t *bytes);
    void *ctx;
    uint8_t bytes[WALK_BYTES];
};

static void look_at(struct walker *w, unsigned n, uint8_t modrm, uint8_t next)
{
    memset(w->bytes + n, FILLER, WALK_BYTES - n);
    w->bytes[n] = modrm;
    w->bytes[n + 1] = next;
    w->look(w->ctx, w->bytes);
}

/* Tries every ModRM byte of registers, and memory at [rdi], [rdi + rcx] or [rdi + vector 1]. Those
 * with rm 0 come first: the first of a form is kept, and manuals give 0 for an unused rm. */
static void every_modrm(struct walker *w, unsigned n)
{
    enum { REGISTERS = 0xc0, BASE_RDI = 7, SIB = 4, RDI_RCX = 0x0f };

    for (unsigned reg = 0; reg < 8; reg++) {
        look_at(w, n, (uint8_t)(REGISTERS | reg << 3), FILLER);
        look_at(w, n, (uint8_t)(reg << 3 | BASE_RDI), FILLER);
        look_at(w, n, (uint8_t)(reg << 3 | SIB), RDI_RCX);
    }
    for (unsigned rm = 1; rm < 8; rm++)
        for (unsigned reg = 0; reg < 8; reg++)
            look_at(w, n, (uint8_t)(REGISTERS | reg << 3 | rm), FILLER);
}

/* Skips those that `skip` selects. */
static void opcodes(struct walker *w, unsigned n, bool (*skip)(uint8_t))
{
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        w->bytes[n] = (uint8_t)opcode;
        if (!skip || !skip((uint8_t)opcode))
            every_modrm(w, n + 1);
    }
}

/* Returns whether a byte in the place of an opcode is a prefix, or the first byte of VEX or
 * EVEX. */
static bool is_prefix(uint8_t byte)
{
    static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67,
                                       0xf0, 0xf2, 0xf3, 0x0f, 0x62, 0xc4, 0xc5};

    return (byte & 0xf0) == 0x40 || memchr(prefixes, byte, sizeof prefixes);
}

static void walk_legacy(struct walker *w)
{
    static const uint8_t prefixes[][2] = {{0},    {0x66},       {0xf2},       {0xf3},
                                          {0xf0}, {0x66, 0xf2}, {0x66, 0xf3}, {0x66, 0xf0}};
    static const uint8_t rex[] = {0, 0x48, 0x40};
    static const uint8_t maps[][2] = {{0}, {0x0f}, {0x0f, 0x38}, {0x0f, 0x3a}};

    for (unsigned p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++)
        for (unsigned r = 0; r < sizeof rex; r++)
            for (unsigned m = 0; m < sizeof maps / sizeof maps[0]; m++) {
                unsigned n = 0;
                for (unsigned i = 0; i < 2 && prefixes[p][i]; i++)
                    w->bytes[n++] = prefixes[p][i];
                if (rex[r])
                    w->bytes[n++] = rex[r];
                for (unsigned i = 0; i < 2 && maps[m][i]; i++)
                    w->bytes[n++] = maps[m][i];
                opcodes(w, n, m == 0 ? is_prefix : NULL);
            }
}

/* vvvv, inverted: no register, or register 4. */
static const uint8_t vvvv[] = {0xf, 0xb};

static void walk_vex(struct walker *w, uint8_t escape, unsigned first_map, unsigned last_map)
{
    for (unsigned map = first_map; map <= last_map; map++)
        for (unsigned low = 0; low < 8; low++) /* L and pp */
            for (unsigned wide = 0; wide < 2; wide++)
                for (unsigned v = 0; v < sizeof vvvv; v++) {
                    w->bytes[0] = escape;
                    w->bytes[1] = (uint8_t)(0xe0 | map);
                    w->bytes[2] = (uint8_t)(wide << 7 | vvvv[v] << 3 | low);
                    opcodes(w, 3, NULL);
                }
}

/* Sets z, L'L, b, V' and aaa for one length, with or without broadcast. */
static void walk_evex_masks(struct walker *w, unsigned length, unsigned b)
{
    static const uint8_t masks[] = {0x00, 0x01, 0x81};

    for (unsigned m = 0; m < sizeof masks; m++) {
        w->bytes[3] = (uint8_t)(masks[m] | length << 5 | b << 4 | 0x08);
        opcodes(w, 4, NULL);
    }
}

static void walk_evex(struct walker *w)
{
    w->bytes[0] = 0x62;
    for (unsigned map = 1; map < 8; map++)
        for (unsigned pp = 0; pp < 4; pp++)
            for (unsigned wide = 0; wide < 2; wide++)
                for (unsigned v = 0; v < sizeof vvvv; v++) {
                    w->bytes[1] = (uint8_t)(0xf0 | map);
                    w->bytes[2] = (uint8_t)(wide << 7 | vvvv[v] << 3 | 4 | pp);
                    for (unsigned length = 0; length < 4; length++)
                        for (unsigned b = 0; b < 2; b++)
                            walk_evex_masks(w, length, b);
                }
}

void walk(void (*look)(void *ctx, const uint8_t *bytes), void *ctx)
{
    struct walker w = {.look = look, .ctx = ctx};

    walk_legacy(&w);
    walk_vex(&w, 0xc4, 1, 3);
    walk_vex(&w, 0x8f, 8, 10);
    walk_evex(&w);
}
