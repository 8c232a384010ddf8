/* Objects of any bytes: what opens can be gone through, and linked within the memory given. */
#include <stdlib.h>
#include <string.h>
#include "lib/object/elf_place.h"
#include "lib/text/fmt.h"
#include "tests/unit/fuzz.h"
#include "tests/unit/made_object.h"

#define ROOM 65536

size_t fuzz_seed(size_t index, uint8_t *out, size_t room)
{
    static struct made m;
    static const uint32_t types[] = {ELF_R_PLT32, ELF_R_64,   ELF_R_32,       ELF_R_32S,
                                     ELF_R_PC64,  ELF_R_NONE, ELF_R_GOTPCREL, ELF_R_GOTPCRELX};
    if (index >= sizeof types / sizeof *types)
        return 0;
    made_program(&m);
    uint8_t *relas = m.bytes + m.size - m.sections * 64 + (m.at_end + 1) * 64;
    put_le(m.bytes + le64(relas + 24) + 8, types[index], 4);
    if (m.size > room)
        return 0;
    memcpy(out, m.bytes, m.size);
    return m.size;
}

/* Every part has memory of exactly its size. */
static bool give_memory(struct elf_set *s, uint64_t base)
{
    for (uint32_t i = 0; i < s->parts; i++) {
        struct elf_part *p = &s->part[i];
        FUZZ_CHECK(p->align && !(p->align & (p->align - 1)) && p->align <= 4096);
        if (p->size > ROOM)
            return false;
        p->to = malloc(p->size ? p->size : 1);
        FUZZ_CHECK(p->to);
        p->address = base + (uint64_t)i * 2 * ROOM;
    }
    s->slots.to = malloc(s->slots.count * ELF_SLOT_BYTES + 1);
    s->stubs.to = malloc(s->stubs.count * ELF_STUB_BYTES + 1);
    s->plt.to = malloc(s->plt.count * ELF_PLT_BYTES + 1);
    FUZZ_CHECK(s->slots.to && s->stubs.to && s->plt.to);
    s->slots.address = base - ROOM;
    s->stubs.address = base - 2 * ROOM;
    s->plt.address = base - 3 * ROOM;
    return true;
}

static void link_all(struct elf_set *s, uint64_t base)
{
    char text[256];
    struct sink_buf said;
    if (give_memory(s, base))
        for (unsigned kind = 0; kind < ELF_KINDS; kind++) {
            sink_buf_init(&said, text, sizeof text);
            bool ok = elf_link(s, (enum elf_kind)kind, &said.sink);
            FUZZ_CHECK(ok == (said.used == 0));
        }
    for (uint32_t i = 0; i < s->parts; i++) {
        uint64_t behind;
        const char *name = elf_name_at(s, s->part[i].address, &behind);
        FUZZ_CHECK(!name || *name);
        free(s->part[i].to);
        s->part[i].to = NULL;
    }
    free(s->slots.to);
    free(s->stubs.to);
    free(s->plt.to);
    s->slots.to = s->stubs.to = s->plt.to = NULL;
}

static void go_through(const struct elf *e, bool shared)
{
    static const struct elf_given givens[] = {{"memcpy", 0x1234567890}, {NULL, 0}};
    static struct elf_set set;
    char text[256];
    struct sink_buf said;
    for (uint32_t i = 1; i < e->symbols && i < 64; i++) {
        struct elf_symbol symbol = elf_symbol(e, i);
        struct elf_spot spot, to;
        struct elf_entry at;
        sink_buf_init(&said, text, sizeof text);
        elf_set_init(&set, e, givens);
        set.shared = shared;
        if (!elf_find(e, symbol.name, &spot, &said.sink) ||
            !elf_pointer(e, spot, &to, &said.sink) ||
            !elf_add(&set, to.section ? to : spot, &at, &said.sink)) {
            FUZZ_CHECK(said.used > 0);
            continue;
        }
        FUZZ_CHECK(at.part < set.parts && at.offset <= set.part[at.part].size);
        link_all(&set, 0x100000000000);
        link_all(&set, 0x100000);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[256];
    struct sink_buf said;
    struct elf e;
    sink_buf_init(&said, text, sizeof text);
    if (elf_open(&e, "fuzz.o", data, size, &said.sink)) {
        FUZZ_CHECK(said.used == 0);
        go_through(&e, false);
        go_through(&e, true);
    } else {
        FUZZ_CHECK(said.used > 0);
    }
    return 0;
}
