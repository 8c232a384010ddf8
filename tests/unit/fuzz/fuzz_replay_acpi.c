/*
 * Each table's decoder as `replay` uses it, including the JSON. The first byte says which table the
 * rest is, and whether its length and checksum are corrected. The bytes are at the end of a heap
 * block of exactly their size, so that ASan sees any read past them.
 */
#include <stdlib.h>
#include <string.h>
#include "hosted/replay/replay.h"
#include "tests/unit/fuzz/fuzz.h"
#include "tests/unit/image.h"
#include "tests/unit/read_file.h"

/* Seeds: tests/replay/acpi/FILE.bin. A file begins with the signature of its table. */
static const char *const files[] = {
    "APIC-576166feec", "SPCR-78c8dfa69a", "DBG2-ea8763037c", "HPET-018c6ff308", "FACP-026e357bc2",
    "SRAT-902213de1a", "APIC-6bfc03c8fe", "DBG2-73b72e81c4", "FACP-1c90c6b052", "SRAT-79abd82f1a"};
#define KINDS    (sizeof files / sizeof files[0])
#define REPAIRED 0x80

size_t fuzz_seed(size_t index, uint8_t *out, size_t room)
{
    if (index >= 2 * KINDS)
        return 0;
    char path[64];
    size_t n;
    snprintf(path, sizeof path, "tests/replay/acpi/%s.bin", files[index % KINDS]);
    uint8_t *bytes = read_file(path, &n);
    FUZZ_CHECK(n < room);
    out[0] = (uint8_t)(index % KINDS | (index < KINDS ? REPAIRED : 0));
    memcpy(out + 1, bytes, n);
    free(bytes);
    return 1 + n;
}

static void repair(uint8_t *bytes, size_t n, const char *signature)
{
    if (n < 36)
        return;
    memcpy(bytes, signature, 4);
    put_le(bytes + 4, n, 4);
    fix_sum(bytes, (uint32_t)n, 9);
}

struct line {
    struct sink sink;
    int depth; /* of brackets outside of strings */
    bool quoted, escaped, ended;
};

static void look(struct line *l, char c)
{
    FUZZ_CHECK(!l->ended && (uint8_t)c >= (l->quoted ? ' ' : '\n'));
    if (l->escaped) {
        l->escaped = false;
    } else if (l->quoted) {
        l->escaped = c == '\\';
        l->quoted = c != '"';
    } else {
        l->quoted = c == '"';
        l->depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        l->ended = c == '\n';
    }
}

static void look_at(struct sink *self, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        look((struct line *)self, bytes[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    size_t n = size - 1, kind = (data[0] & ~(unsigned)REPAIRED) % KINDS;
    struct line line = {.sink.write = look_at};
    struct json j;
    uint8_t *bytes = malloc(n > 0 ? n : 1);
    memcpy(bytes, data + 1, n);
    if (data[0] & REPAIRED)
        repair(bytes, n, files[kind]);
    json_line_begin(&j, &line.sink);
    json_str(&j, "file", "-");
    replay_acpi(&j, files[kind], bytes, n);
    json_line_end(&j);
    FUZZ_CHECK(line.ended && line.depth == 0 && !line.quoted);
    free(bytes);
    return 0;
}
