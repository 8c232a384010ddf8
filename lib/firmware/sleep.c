#include "lib/firmware/acpi_tables.h"
#include "lib/text/bytes.h"
#include "lib/text/mem.h"

/* AML, ACPI 6.5 section 20.2: opcodes, and the prefix of a name that begins at the root. */
enum { ZERO = 0x00, ONE = 0x01, NAME = 0x08, BYTE = 0x0a, WORD = 0x0b, DWORD = 0x0c };
enum { PACKAGE = 0x12, ROOT = 0x5c };
#define SLEEP_TYPE_MOST 7 /* 3 bits: section 4.8.3.2.1 */

struct aml {
    const uint8_t *at, *end;
};

/* Takes n bytes as a number, low byte first. False: they are not there. */
static bool take(struct aml *p, unsigned n, uint32_t *v)
{
    *v = 0;
    if ((size_t)(p->end - p->at) < n)
        return false;
    for (unsigned i = 0; i < n; i++)
        *v |= (uint32_t)*p->at++ << 8 * i;
    return true;
}

static bool take_constant(struct aml *p, uint32_t *v)
{
    uint32_t op;

    if (!take(p, 1, &op))
        return false;
    *v = op;
    return op == ZERO || op == ONE || (op == BYTE && take(p, 1, v)) ||
           (op == WORD && take(p, 2, v)) || (op == DWORD && take(p, 4, v));
}

/* Section 20.2.4: the length of a package counts from its own first byte. */
static bool enter_package(struct aml *p)
{
    const uint8_t *begin = p->at;
    uint32_t lead, more = 0, length;

    if (!take(p, 1, &lead) || !take(p, lead >> 6, &more))
        return false;
    length = lead >> 6 ? (lead & 0xf) | more << 4 : lead;
    if (length < (size_t)(p->at - begin) || length > (size_t)(p->end - begin))
        return false;
    p->end = begin + length;
    return true;
}

/* Reads what follows the name. Both types can be in one number. */
static bool read_types(struct aml p, struct acpi_s5 *s)
{
    uint32_t op, elements, a, b;

    if (!take(&p, 1, &op) || op != PACKAGE || !enter_package(&p) || !take(&p, 1, &elements) ||
        !take_constant(&p, &a))
        return false;
    b = a >> 8;
    if (elements == 1)
        a &= 0xff;
    else if (!take_constant(&p, &b))
        return false;
    *s = (struct acpi_s5){(uint8_t)a, (uint8_t)b};
    return a <= SLEEP_TYPE_MOST && b <= SLEEP_TYPE_MOST;
}

bool acpi_s5(const struct acpi_table *dsdt, struct acpi_s5 *s)
{
    const char name[] = {'_', 'S', '5', '_'};

    for (uint32_t i = ACPI_HEADER_SIZE + 2; i + sizeof name <= dsdt->length; i++) {
        const uint8_t *at = dsdt->bytes + i;
        bool named = at[-1] == NAME || (at[-1] == ROOT && at[-2] == NAME);
        if (named && memcmp(at, name, sizeof name) == 0 &&
            read_types((struct aml){at + sizeof name, dsdt->bytes + dsdt->length}, s))
            return true;
    }
    return false;
}
