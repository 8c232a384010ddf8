#include "lib/firmware/boot_entry.h"

#include "lib/text/bytes.h"

#define HEAD 6 /* attributes, length of the device path */

bool boot_entry_decode(struct boot_entry *entry, const uint8_t *bytes, size_t n)
{
    size_t at = HEAD, path;

    if (n < HEAD)
        return false;
    while (at + 2 <= n && le16(bytes + at) != 0)
        at += 2;
    if (at + 2 > n)
        return false;
    path = le16(bytes + 4);
    entry->description = bytes + HEAD;
    entry->characters = (at - HEAD) / 2;
    at += 2;
    if (path > n - at)
        return false;
    entry->data = bytes + at + path;
    entry->size = n - at - path;
    return true;
}

bool boot_entry_is(const struct boot_entry *entry, const char *description)
{
    for (size_t i = 0; i < entry->characters; i++)
        if (description[i] == '\0' || le16(entry->description + 2 * i) != (uint8_t)description[i])
            return false;
    return description[entry->characters] == '\0';
}

void boot_entry_drop_path(struct boot_entry *entry)
{
    size_t at = 0;

    if (entry->size < 2 || le16(entry->data) != '\\')
        return;
    while (at + 2 <= entry->size && le16(entry->data + at) != ' ')
        at += 2;
    if (at + 2 > entry->size)
        return;
    entry->data += at + 2;
    entry->size -= at + 2;
}

size_t boot_order_remove(uint8_t *order, size_t n, uint16_t number)
{
    size_t left = 0;

    for (size_t at = 0; at + 2 <= n; at += 2)
        if (le16(order + at) != number) {
            order[left] = order[at];
            order[left + 1] = order[at + 1];
            left += 2;
        }
    return left;
}
