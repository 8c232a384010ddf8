#include "lib/cpu.h"
#include "tests/replay/cpuid_dump.h"
#include "tests/replay/replay.h"

static void signature(struct json *j, const struct cpu *c)
{
    json_str(j, "vendor", c->vendor_id);
    json_str(j, "brand", c->brand);
    json_u64(j, "family", c->family);
    json_u64(j, "model", c->model);
    json_u64(j, "stepping", c->stepping);
}

void replay_cpuid(struct json *j, const uint8_t *bytes, size_t n)
{
    struct cpuid_dump d;
    char wrong[200];
    if (cpuid_dump_parse(&d, bytes, n, wrong, sizeof wrong)) {
        struct dump_cpu boot = {&d, 0};
        struct cpu c;
        cpu_decode(&c, cpuid_dump_get, &boot);
        signature(j, &c);
    } else {
        replay_error(j, "%s", wrong);
    }
    cpuid_dump_free(&d);
}
