/* Reads the user's options: baretick.conf (boot/conf.c), then the load options. */
#include "bench/api/registry.h"
#include "boot/boot.h"
#include "lib/text/fmt.h"
#include "lib/text/mem.h"

#define LOAD_OPTIONS_MAX (64u * 1024) /* bytes; a longer text is not a command line */
#define NAME_MAX         64
#define PATH_NODES_MAX   16 /* a path that does not end is a firmware bug */

/* Gets the name in a FILEPATH node, without the folders before it. */
static void last_component(const uint8_t *node, size_t length, char *name)
{
    size_t used = 0;

    for (size_t at = 4; at + 1 < length; at += 2) {
        uint16_t c = (uint16_t)(node[at] | node[at + 1] << 8);

        if (c == '\\' || c == '/')
            used = 0;
        else if (c != 0 && used < NAME_MAX - 1)
            name[used++] = c < 0x7f ? (char)c : '?';
    }
    name[used] = 0;
}

/* Gets the program's file name, with which load options can begin; empty: not known. */
static void own_name(const struct boot *b, char *name)
{
    const EFI_DEVICE_PATH *node = b->loaded ? b->loaded->FilePath : NULL;

    name[0] = 0;
    for (int i = 0; node && i < PATH_NODES_MAX; i++) {
        const uint8_t *bytes = (const uint8_t *)node;
        size_t length = bytes[2] | (size_t)bytes[3] << 8; /* UEFI 10.3.1 */

        if (length < 4 || node->Type == END_DEVICE_PATH_TYPE)
            return;
        if (node->Type == MEDIA_DEVICE_PATH && node->SubType == MEDIA_FILEPATH_DP)
            last_component(bytes, length, name);
        node = (const void *)(bytes + length);
    }
}

enum load_options boot_load_options(const struct boot *b, struct options *o, char *quote,
                                    size_t quote_size, struct sink *err)
{
    char name[NAME_MAX];

    if (!b->loaded || !b->loaded->LoadOptions || b->loaded->LoadOptionsSize == 0)
        return LOAD_OPTIONS_NONE;
    own_name(b, name);
    return options_parse_load(o, b->loaded->LoadOptions,
                              b->loaded->LoadOptionsSize < LOAD_OPTIONS_MAX
                                  ? b->loaded->LoadOptionsSize
                                  : LOAD_OPTIONS_MAX,
                              name, quote, quote_size, err);
}

static enum load_options load_options(struct boot *b)
{
    struct handoff *h = b->handoff;
    struct options parsed = h->options;
    enum load_options kind =
        boot_load_options(b, &parsed, h->foreign_options, sizeof h->foreign_options, boot_error(b));

    if (kind == LOAD_OPTIONS_OURS)
        h->options = parsed;
    return kind;
}

/* Checks that these options together can measure something on this CPU. False: b->error. */
static bool are_possible(struct boot *b)
{
    const struct options *o = &b->handoff->options;
    struct sink *error = boot_error(b);
    struct cpu cpu;

    options_settle(&b->handoff->options);
    if (!options_check_pairs(o, error))
        return false;
    if (o->upload.kind == UPLOAD_URL && !b->network.from.has_address) {
        fmt(error, "upload=: the program was not loaded from a network over IPv4, so it has no "
                   "address there; allowed: auto, off");
        return false;
    }
    if (o->help || o->list)
        return true;
    if (!registry_check(o, error)) {
        objects_explain(error);
        return false;
    }
    boot_cpu(&cpu);
    return cpu_check_recipe(&cpu, o->recipe, error) && boot_serial_check(b);
}

/* Adds to the name of the configuration, if there is one. */
static void note_load_options(struct handoff *h, bool given)
{
    size_t n = strlen(h->options_from);

    if (given)
        fmt_buf(h->options_from + n, sizeof h->options_from - n, "%sload options", n ? ", " : "");
    else if (n == 0)
        fmt_buf(h->options_from, sizeof h->options_from, "defaults");
}

bool boot_options(struct boot *b)
{
    enum load_options loaded;

    if (!boot_conf(b))
        return false;
    loaded = load_options(b);
    if (loaded == LOAD_OPTIONS_WRONG)
        return false;
    note_load_options(b->handoff, loaded == LOAD_OPTIONS_OURS);
    objects_open();
    if (!b->handoff->options.help)
        boot_objects(b); /* before row names are checked */
    return are_possible(b);
}
