#include "hosted/tools/insn_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASHES = 1 << 16 };

const uint8_t collected_decorations[COMBINATIONS] = {
    INSN_PLAIN,
    INSN_MERGE,
    INSN_ZERO,
    INSN_BROADCAST,
    INSN_BROADCAST | INSN_MERGE,
    INSN_BROADCAST | INSN_ZERO,
    INSN_ROUND,
    INSN_ROUND | INSN_MERGE,
    INSN_ROUND | INSN_ZERO,
    INSN_SAE,
    INSN_SAE | INSN_MERGE,
    INSN_SAE | INSN_ZERO,
};

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);

    if (!p) {
        perror("insn_table");
        exit(1);
    }
    return p;
}

static unsigned hash_of(const struct described *d)
{
    uint64_t h = 14695981039346656037u;

    for (const char *c = d->mnemonic; *c; c++)
        h = (h ^ (uint8_t)*c) * 1099511628211u;
    for (unsigned i = 0; i < d->operands && !(d->operand[i].access & INSN_HIDDEN); i++)
        h = (h ^ (d->operand[i].kind << 8 | d->operand[i].class)) * 1099511628211u;
    return (unsigned)(h % HASHES);
}

/* Returns its form; adds a new one if no other is the same. */
static struct collected_form *form_of(struct collected *all, const struct described *d)
{
    unsigned at = hash_of(d);

    for (; all->hashed[at]; at = (at + 1) % HASHES) {
        struct collected_form *f = &all->form[all->hashed[at] - 1];
        if (described_same(&f->d, d))
            return f;
    }
    if (all->forms == COLLECTED_MOST) {
        fprintf(stderr, "insn_table: more than %d forms\n", COLLECTED_MOST);
        exit(1);
    }
    all->form[all->forms].d = *d;
    all->hashed[at] = ++all->forms;
    return &all->form[all->forms - 1];
}

static void take(struct collected *all, const uint8_t *bytes)
{
    struct described d;

    if (!describe(&d, bytes))
        return;
    all->instructions++;
    struct collected_form *f = form_of(all, &d);
    f->d.form.decorations |= d.decoration;
    for (unsigned i = 0; i < COMBINATIONS; i++)
        if ((d.decoration & ALL_DECORATIONS) == collected_decorations[i])
            f->seen |= 1u << i;
}

/* --- the space of encodings ------------------------------------------------------------------- */

/* The bytes after ModRM: an immediate or a displacement that every form accepts. */
enum { FILLER = 0x02 };

struct walker {
    struct collected *all;
    uint8_t bytes[WALK_BYTES];
};

static void look_at(struct walker *w, unsigned n, uint8_t modrm, uint8_t next)
{
    memset(w->bytes + n, FILLER, WALK_BYTES - n);
    w->bytes[n] = modrm;
    w->bytes[n + 1] = next;
    take(w->all, w->bytes);
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

void collect(struct collected *all)
{
    struct walker w = {.all = all};

    all->form = room(COLLECTED_MOST, sizeof *all->form);
    all->hashed = room(HASHES, sizeof *all->hashed);
    walk_legacy(&w);
    walk_vex(&w, 0xc4, 1, 3);
    walk_vex(&w, 0x8f, 8, 10);
    walk_evex(&w);
}
