/* Objects of any bytes: those that open can be iterated, and linked within the given memory. */
#include <string.h>
#include "lib/object/elf_place.h"
#include "tests/unit/fuzz/fuzz.h"
#include "tests/unit/fuzz/fuzz_link.h"
#include "tests/unit/made_object.h"

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
        fuzz_link(&set, 0x100000000000);
        fuzz_link(&set, 0x100000);
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
