/* A set of an object's sections, linked into memory that ends where each part ends. */
#ifndef TESTS_FUZZ_LINK_H
#define TESTS_FUZZ_LINK_H

#include <stdlib.h>
#include "lib/object/elf_place.h"
#include "lib/text/sink.h"
#include "tests/unit/fuzz/fuzz.h"

#define FUZZ_ROOM 65536 /* bytes; sets with a larger part are not linked */

/* Every part has memory of exactly its size. */
static inline bool fuzz_give_memory(struct elf_set *s, uint64_t base)
{
    for (uint32_t i = 0; i < s->parts; i++) {
        struct elf_part *p = &s->part[i];
        FUZZ_CHECK(p->align && !(p->align & (p->align - 1)) && p->align <= 4096);
        if (p->size > FUZZ_ROOM)
            return false;
        p->to = malloc(p->size ? p->size : 1);
        FUZZ_CHECK(p->to);
        p->address = base + (uint64_t)i * 2 * FUZZ_ROOM;
    }
    s->slots.to = malloc(s->slots.count * ELF_SLOT_BYTES + 1);
    s->stubs.to = malloc(s->stubs.count * ELF_STUB_BYTES + 1);
    s->plt.to = malloc(s->plt.count * ELF_PLT_BYTES + 1);
    FUZZ_CHECK(s->slots.to && s->stubs.to && s->plt.to);
    s->slots.address = base - FUZZ_ROOM;
    s->stubs.address = base - 2 * FUZZ_ROOM;
    s->plt.address = base - 3 * FUZZ_ROOM;
    return true;
}

static inline void fuzz_link(struct elf_set *s, uint64_t base)
{
    char text[256];
    struct sink_buf said;

    if (fuzz_give_memory(s, base))
        for (unsigned kind = 0; kind < ELF_KINDS; kind++) {
            sink_buf_init(&said, text, sizeof text);
            bool ok = elf_link(s, (enum elf_kind)kind, &said.sink);
            FUZZ_CHECK(ok == (said.used == 0));
        }
    for (uint32_t i = 0; i < s->parts; i++) {
        uint64_t offset;
        const char *name = elf_name_at(s, s->part[i].address, &offset);
        FUZZ_CHECK(!name || *name);
        free(s->part[i].to);
        s->part[i].to = NULL;
    }
    free(s->slots.to);
    free(s->stubs.to);
    free(s->plt.to);
    s->slots.to = s->stubs.to = s->plt.to = NULL;
}

#endif
