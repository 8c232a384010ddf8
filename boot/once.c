/*
 * A start by the boot entry of `scripts/baretick once` (scripts/once/prepare.py): deletes the entry
 * before anything is measured, and leaves the result in a variable, a second witness next to the
 * report. Nothing is touched unless the word once= is in the load options and the entry that the
 * firmware names as the current one has our description and these load options. Source of every
 * call: UEFI 2.10 sections 3.3 and 8.2.
 */
#include "boot/boot.h"
#include "lib/firmware/boot_source.h"
#include "lib/text/fmt.h"

#define DESCRIPTION  "baretick once"
#define WITNESS      L"BaretickOnce"
#define VARIABLE_MAX 4096 /* bytes of a boot entry, or of BootOrder */
#define WITNESS_MAX  1024 /* bytes, with a NUL that is not stored */
#define KEPT                                                                                       \
    (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)

static EFI_GUID global = EFI_GLOBAL_VARIABLE; /* GNU-EFI's prototypes take no const */
static EFI_GUID own = {
    0x6d8f2f0b, 0x5a0e, 0x4c53, {0x9d, 0x0c, 0x7c, 0x0f, 0xf1, 0xd5, 0xb2, 0xa6}};

struct entry_name {
    CHAR16 at[9]; /* "Boot0000" */
};

static struct entry_name entry_name_of(uint16_t number)
{
    struct entry_name name = {L"Boot0000"};

    for (unsigned i = 0; i < 4; i++)
        name.at[4 + i] = (CHAR16) "0123456789ABCDEF"[number >> (12 - 4 * i) & 15];
    return name;
}

static bool get_variable(const struct boot *b, CHAR16 *name, void *to, UINTN *size,
                         UINT32 *attributes)
{
    return !EFI_ERROR(b->st->RuntimeServices->GetVariable(name, &global, attributes, size, to));
}

static EFI_STATUS set_variable(const struct boot *b, CHAR16 *name, UINT32 attributes,
                               const void *value, UINTN size)
{
    return b->st->RuntimeServices->SetVariable(name, &global, attributes, size, (void *)value);
}

/* Gets BootCurrent or BootNext. False: the variable does not exist. */
static bool get_number(const struct boot *b, CHAR16 *name, uint16_t *number)
{
    UINTN size = sizeof *number;

    return get_variable(b, name, number, &size, NULL) && size == sizeof *number;
}

static bool is_own_entry(const struct boot *b, uint16_t number)
{
    uint8_t bytes[VARIABLE_MAX];
    UINTN size = sizeof bytes;

    return get_variable(b, entry_name_of(number).at, bytes, &size, NULL) &&
           boot_entry_started(bytes, size, DESCRIPTION, b->loaded->LoadOptions,
                              b->loaded->LoadOptionsSize);
}

/* Firmware deletes BootNext before it starts the entry; some does not. */
static EFI_STATUS delete_next(const struct boot *b, uint16_t number)
{
    uint16_t next;

    return get_number(b, L"BootNext", &next) && next == number
               ? set_variable(b, L"BootNext", 0, NULL, 0)
               : EFI_SUCCESS;
}

static EFI_STATUS leave_order(const struct boot *b, uint16_t number)
{
    uint8_t order[VARIABLE_MAX];
    UINTN size = sizeof order, left;
    UINT32 attributes;

    if (!get_variable(b, L"BootOrder", order, &size, &attributes))
        return EFI_SUCCESS;
    left = boot_order_remove(order, size, number);
    return left == size ? EFI_SUCCESS : set_variable(b, L"BootOrder", attributes, order, left);
}

/* The entry is last: after a power cut Linux finds it, and removes what is left. */
static EFI_STATUS delete_entry(const struct boot *b, uint16_t number)
{
    EFI_STATUS status = delete_next(b, number);

    if (!EFI_ERROR(status))
        status = leave_order(b, number);
    if (!EFI_ERROR(status))
        status = set_variable(b, entry_name_of(number).at, 0, NULL, 0);
    return status;
}

/* Leaves what is known so far in the variable. `status` NULL: the run has not ended. */
static void leave_result(struct boot *b, const enum status *status)
{
    char bytes[WITNESS_MAX];
    struct sink_buf text;
    EFI_STATUS written;

    sink_buf_init(&text, bytes, sizeof bytes);
    fmt(&text.sink, "once=%u\n", b->once);
    if (status)
        fmt(&text.sink, "verdict=%s\nstatus=%u\n",
            *status == STATUS_SUCCESS || *status == STATUS_NO_REPORT ? "pass" : "fail", *status);
    if (b->report[0])
        fmt(&text.sink, "file=\\%s\n", b->report);
    if (b->error[0])
        fmt(&text.sink, "error=%s\n", b->error);
    written = b->st->RuntimeServices->SetVariable(WITNESS, &own, KEPT, text.used, text.at);
    if (EFI_ERROR(written)) {
        fmt(&b->conout.sink, "baretick: the variable BaretickOnce cannot be written: ");
        boot_status(&b->conout.sink, written);
        fmt(&b->conout.sink, "\n");
    }
}

static void begin_result(struct boot *b, uint16_t number)
{
    EFI_STATUS status = delete_entry(b, number);
    struct sink_buf warning;

    if (EFI_ERROR(status)) {
        sink_buf_init(&warning, b->handoff->once_warning, sizeof b->handoff->once_warning);
        fmt(&warning.sink, "once=: Boot%04X cannot be deleted: ", number);
        boot_status(&warning.sink, status);
    }
    leave_result(b, NULL);
}

void boot_once(struct boot *b)
{
    char ignored[2];
    struct sink_buf err;
    struct options given;
    uint16_t number;

    options_default(&given);
    sink_buf_init(&err, ignored, sizeof ignored);
    (void)boot_load_options(b, &given, ignored, sizeof ignored, &err.sink);
    if (given.once == 0)
        return;
    if (!get_number(b, L"BootCurrent", &number) || !is_own_entry(b, number)) {
        fmt_buf(b->handoff->once_warning, sizeof b->handoff->once_warning,
                "once=: not started by an entry of `baretick once`: no variable is changed");
        return;
    }
    b->once = given.once;
    begin_result(b, number);
}

void boot_once_end(struct boot *b, const enum status *status)
{
    if (b->once)
        leave_result(b, status);
}
