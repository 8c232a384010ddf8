/*
 * Runs a function of a relocatable object: tests lib/object with the output of a compiler.
 *     object FILE FUNCTION ADDRESS [shared]
 * places `uint64_t FUNCTION(void)` and everything that it needs three times: at ADDRESS
 * (hexadecimal), and 16 and 32 bytes after it. Calls it each time, and prints the results.
 * `shared`: its calls go through a PLT. A refusal is printed on stderr, with status 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "lib/object/elf_place.h"
#include "lib/text/sink.h"

#define ROOM (1u << 20) /* for code, and as much after it for data */

static uint8_t bytes[1u << 20];
static struct elf_set set;

static size_t up(size_t at, size_t align)
{
    return (at + align - 1) / align * align;
}

static size_t stand(uint8_t **to, uint64_t *address, uint8_t *base, size_t at, size_t size)
{
    *to = base + at;
    *address = (uint64_t)*to;
    return at + size;
}

/* Sections are moved by multiples of 16; those with a larger alignment stay aligned. */
static void lay_out(uint8_t *code, size_t moved)
{
    size_t at[2] = {moved, 0};

    for (uint32_t i = 0; i < set.parts; i++) {
        struct elf_part *p = &set.part[i];
        unsigned data = p->kind == ELF_DATA;
        at[data] = stand(&p->to, &p->address, code + data * ROOM, up(at[data], p->align), p->size);
    }
    at[0] = stand(&set.stubs.to, &set.stubs.address, code, up(at[0], 16),
                  set.stubs.count * ELF_STUB_BYTES);
    at[0] =
        stand(&set.plt.to, &set.plt.address, code, up(at[0], 16), set.plt.count * ELF_PLT_BYTES);
    at[0] = stand(&set.slots.to, &set.slots.address, code, up(at[0], 16),
                  set.slots.count * ELF_SLOT_BYTES);
    if (at[0] > ROOM || at[1] > ROOM) {
        fprintf(stderr, "it does not fit 1 MiB\n");
        exit(1);
    }
}

static bool run(uint8_t *code, size_t moved, const struct elf_entry *entry, struct sink *err)
{
    uint64_t (*function)(void);

    lay_out(code, moved);
    if (mprotect(code, ROOM, PROT_READ | PROT_WRITE) != 0)
        abort();
    for (unsigned kind = 0; kind < ELF_KINDS; kind++)
        if (!elf_link(&set, (enum elf_kind)kind, err))
            return false;
    if (mprotect(code, ROOM, PROT_READ | PROT_EXEC) != 0)
        abort();
    uint64_t address = elf_address(&set, entry);
    memcpy(&function, &address, sizeof function);
    printf("%llu\n", (unsigned long long)function());
    return true;
}

int main(int argc, char **argv)
{
    const struct elf_given given[] = {{"memcpy", (uint64_t)memcpy},
                                      {"memmove", (uint64_t)memmove},
                                      {"memset", (uint64_t)memset},
                                      {"memcmp", (uint64_t)memcmp},
                                      {NULL, 0}};
    bool shared = argc == 5 && strcmp(argv[4], "shared") == 0;
    FILE *f = argc == 4 || shared ? fopen(argv[1], "rb") : NULL;

    if (!f) {
        fprintf(stderr, "usage: object FILE FUNCTION ADDRESS [shared]\n");
        return 2;
    }
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);

    void *base = (void *)strtoull(argv[3], NULL, 16);
    uint8_t *code = mmap(base, 2 * ROOM, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (code != base) {
        perror("object: mmap");
        return 2;
    }
    char text[256];
    struct sink_buf said;
    struct elf e;
    struct elf_spot spot;
    struct elf_entry entry;
    sink_buf_init(&said, text, sizeof text);
    bool ok = elf_open(&e, "object", bytes, size, &said.sink);
    elf_set_init(&set, &e, given);
    set.shared = shared;
    ok = ok && elf_find(&e, argv[2], &spot, &said.sink) && elf_add(&set, spot, &entry, &said.sink);
    for (size_t moved = 0; ok && moved < 48; moved += 16)
        ok = run(code, moved, &entry, &said.sink);
    if (!ok)
        fprintf(stderr, "%s\n", text);
    return ok ? 0 : 1;
}
