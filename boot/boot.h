/*
 * The UEFI phase: its steps, in the order of boot/main.c, and shared functions. The firmware is
 * alive throughout; boot/main.c ends the phase. Compiled for general registers only, since
 * firmware may start the program with SSE off. Source of every call: UEFI specification 2.10.
 */
#ifndef BOOT_BOOT_H
#define BOOT_BOOT_H

#include <efi.h>
#include <efilib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/objects/objects.h"
#include "kernel/machine/machine.h"
#include "lib/cpu/cpu.h"
#include "lib/firmware/acpi.h"
#include "lib/firmware/boot_source.h"
#include "lib/text/url.h"
#include "lib/text/sink.h"

struct boot;

/* --- firmware.c: the console ------------------------------------------------------------------ */

/* The firmware's text console as a sink: UTF-8 in, UCS-2 out in pieces, a bare "\n" becomes "\r\n".
 * Characters outside UCS-2 and invalid UTF-8 become '?'. Without a console the text is dropped. */
#define CONOUT_PIECE 128

struct conout {
    struct sink sink;
    SIMPLE_TEXT_OUTPUT_INTERFACE *to; /* NULL: no console */
    CHAR16 piece[CONOUT_PIECE + 1];
    unsigned used;
    uint32_t code;   /* the incomplete character */
    unsigned wanted; /* bytes missing from it */
    bool after_cr;
};

/* --- memory.c --------------------------------------------------------------------------------- */

/* The firmware's memory map, read while boot services are alive. Entries have the firmware's
 * descriptor size, which may differ from our header's. Source: UEFI 2.10 section 7.2.3. */
struct memmap {
    EFI_BOOT_SERVICES *bs;
    uint8_t *bytes;   /* NULL: not allocated */
    UINTN room, size; /* bytes of the buffer; bytes of the map in it */
    UINTN key;        /* the key for ExitBootServices */
    UINTN descriptor_size;
    struct memory_region *region; /* room for each entry that the buffer can hold */
};

/* Allocates the buffer, with room for the map to grow, and reads the map. */
EFI_STATUS memmap_open(struct memmap *m, EFI_BOOT_SERVICES *bs);
/* Reads the map again into the same buffer; allocates nothing. */
static inline EFI_STATUS memmap_refresh(struct memmap *m)
{
    UINT32 version;

    m->size = m->room;
    return m->bs->GetMemoryMap(&m->size, (EFI_MEMORY_DESCRIPTOR *)(void *)m->bytes, &m->key,
                               &m->descriptor_size, &version);
}
void memmap_close(struct memmap *m);

/* Fills the regions; the handoff points to them. Makes no firmware call. */
void memmap_hand_over(const struct memmap *m, struct handoff *h);

/*
 * --- network.c ---
 * The network that the program was loaded from, through the firmware's drivers, and files on its
 * servers. PXE's own calls are not used for files: in EDK II, an answer to a file that is written
 * makes them use an uninitialised pointer (PxeBcMtftp4WriteFile). Source of every call: UEFI 2.10
 * section 24.3 (PXE base code).
 */

#define NETWORK_MAC_TEXT 18 /* "52-54-00-12-34-56" */

/* Where the program came from. */
struct network {
    EFI_DEVICE_PATH *path;      /* of the program; NULL: unknown */
    struct boot_path from;      /* its parts, and the addresses that PXE has */
    char mac[NETWORK_MAC_TEXT]; /* empty: unknown, so not from a network */
    char folder[URL_MOST];      /* URL of the program's folder; empty: unknown */
    bool from_loader;           /* a loader such as iPXE started it, with a volume */
};

/* A file on a server: its URL, of scheme http, https or tftp, and "user:password" or "". */
struct network_file {
    const char *url, *login;
};

/* Why a transfer failed. */
struct network_failure {
    const char *what;  /* "the server refused it", ... */
    const char *hint;  /* what the user can change; NULL: unknown */
    EFI_STATUS status; /* of the firmware; 0: not from the firmware */
    unsigned code;     /* the server's, of HTTP or TFTP; 0: none */
    bool missing;      /* the server has no such file */
};

/* Fills b->network, once b->loaded is set. */
void network_open(struct boot *b);
/* Reads a file of at most `room` bytes; *size is the number read. Bounded. */
bool network_get(struct boot *b, const struct network_file *file, void *bytes, size_t room,
                 size_t *size, struct network_failure *f);
/* Writes a file. True: the server has acknowledged all of it. Bounded. */
bool network_put(struct boot *b, const struct network_file *file, const void *bytes, size_t size,
                 struct network_failure *f);
/* Writes why a transfer failed. */
void network_explain(struct sink *out, const struct network_failure *f);

/* --- firmware.c: the phase's state, and what all steps share ---------------------------------- */

struct boot {
    EFI_HANDLE image;
    EFI_SYSTEM_TABLE *st;
    EFI_BOOT_SERVICES *bs;
    EFI_LOADED_IMAGE *loaded; /* NULL: the firmware does not provide it */
    struct network network;
    struct conout conout;
    struct memmap map;
    struct handoff *handoff;
    struct borrowed_traps *traps;  /* NULL: the firmware's IDT is loaded */
    EFI_EVENT lent_done;           /* signalled when the firmware's other cores are back */
    uint8_t *object[OBJECTS_MOST]; /* the objects' bytes */
    unsigned objects;
    bool encrypted;   /* addresses in the firmware's page tables are not plain ones */
    bool keep_memory; /* a core that did not come back may still use the kernel's memory */
    uint32_t once;    /* of the word once=, if such an entry started the program (boot/once.c) */
    char report[32];  /* the file with the records on the volume; empty: not written */
    char error[2048]; /* why nothing is measured, or why files are missing; empty: no error */
    struct sink_buf error_sink;
};

/* Clears b->error and returns the sink that writes to it. */
struct sink *boot_error(struct boot *b);

/* Fills `b` with what every step needs. False: it failed, which ConOut reports. */
bool boot_open(struct boot *b, EFI_HANDLE image, EFI_SYSTEM_TABLE *st);
/* Frees what boot_open and the steps have allocated. */
void boot_close(struct boot *b);

/* Returns a protocol of a handle, or NULL. Needs no closing (UEFI 7.3.9, GET_PROTOCOL). */
void *boot_protocol(const struct boot *b, EFI_HANDLE handle, const EFI_GUID *guid);
/* Returns the bytes of a node of a device path (UEFI 10.3.1); 0: they are invalid. */
#define PATH_NODES_MAX 64 /* a path that does not end is a firmware bug */
size_t boot_path_node(const EFI_DEVICE_PATH *node);
/* Allocates pool memory of LoaderData. NULL: no memory left. */
void *boot_alloc(const struct boot *b, size_t size);
void boot_free(const struct boot *b, void *at);
/* Writes a status in words: "device error (EFI status 0x8000000000000007)". */
void boot_status(struct sink *out, EFI_STATUS status);
/* Writes what failed, and its status in words. */
void boot_explain(char *text, size_t size, const char *what, EFI_STATUS status);

/* The valid ACPI tables. Must not move: acpi points to memory. */
struct boot_acpi {
    struct physmem memory;
    struct acpi acpi;
};
void boot_acpi(const struct boot *b, struct boot_acpi *a);

/*
 * --- the steps ---
 * Each is in the file of its name, except boot_objects() in volume.c, boot_arena() and
 * boot_map_read() in memory.c, boot_leave() and boot_end_machine() in main.c, boot_stuck() in
 * answer.c, and boot_guest() in facts.c.
 */

/* Collects what only the firmware knows of the machine. */
void boot_facts(struct boot *b);
/* If an entry of `scripts/baretick once` started the program, deletes that entry, and begins the
 * variable for the result. Never fails: the report names what did not work. */
void boot_once(struct boot *b);
/* Refuses guests with encrypted memory: their page tables have a bit that ours lack, and the
 * firmware's handlers emulate instructions for them (#VC, #VE). False: b->error. */
bool boot_guest(struct boot *b);
/* Reads options from baretick.conf, on the boot volume or the server that the program was loaded
 * from, then from the load options. False: b->error. */
bool boot_options(struct boot *b);
/* Loads objects of \baretick\objects on the boot volume, as objects= says. Never fails: the report
 * names objects that cannot be loaded. */
void boot_objects(struct boot *b);
/* Counts the cores, and allocates pages below 1 MiB for them to start in. Never fails: if the
 * firmware lists no cores, there is one. */
void boot_cores(struct boot *b);
/* Allocates the arena, and then the area for curves over sizes if a row needs it. With too little
 * memory the area is smaller; without an area the rows report that. False: no arena; b->error. */
bool boot_arena(struct boot *b);

/* Reads the current map, into a new buffer if the map has outgrown the old one or could soon: no
 * memory can be allocated once ExitBootServices was called. False: b->error. */
bool boot_map_read(struct boot *b);
/* Ends boot services; interrupts are disabled from then on. False: it failed, and the firmware must
 * not be called any more. Not static: tests stop in it. */
bool boot_leave(struct boot *b);
/* Reports on the serial port that boot services could not be ended, and stops for good. */
_Noreturn void boot_stuck(struct boot *b);

/* Writes the report of a borrowed machine: its log to the next baretick\NNNN.jsonl and .txt on the
 * volume that the program was loaded from, or its records to a server (upload=). Reports the result
 * on the firmware's console. Sets b->error and, on the volume, b->report. True: a file was
 * written. */
bool boot_report(struct boot *b);
/* Returns whether the volume can be written and has room for an ordinary report. */
bool boot_report_fits(struct boot *b);

/* Leaves the result of the run in a variable, for `scripts/baretick once --result`. `status` NULL:
 * nothing was measured, as b->error says. No effect on other starts. */
void boot_once_end(struct boot *b, const enum status *status);
/* Resets the machine, or switches it off: by the firmware, and then without it. ResetSystem may
 * return, or hang. Returns if the machine cannot be switched off. */
void boot_end_machine(struct boot *b, bool reboots);

/* Answers `help`, `list` or b->error instead of measuring, and frees everything. */
EFI_STATUS boot_answer(struct boot *b);

/* Answers `dump`: records the machine for a bug report. Status: STATUS_NO_REPORT if it is neither
 * in a file nor on a serial port. False: b->error. */
bool boot_dump(struct boot *b, enum status *status);

/* --- parts of them: options.c, firmware.c, cores.c -------------------------------------------- */

/* Reads the load options into *o; see options_parse_load(). */
enum load_options boot_load_options(const struct boot *b, struct options *o, char *quote,
                                    size_t quote_size, struct sink *err);

/* Holds the firmware: no event notification and no interrupt until boot_unhold. */
struct boot_hold {
    EFI_TPL tpl;
    uint64_t flags;
};
struct boot_hold boot_hold(const struct boot *b);
void boot_unhold(const struct boot *b, struct boot_hold held);

/* Between these two an NMI is counted; the firmware's handler would stop the machine
 * (kernel/trap/traps.h). */
void boot_guard(struct boot *b);
void boot_unguard(struct boot *b);

/* Calls there(ctx) on each of the firmware's other cores, one after the other, and here(ctx) on
 * this core after each. Repeats a call that times out. Stops at the first core that does not finish
 * in time, or cannot be started, and returns why. */
EFI_STATUS boot_each_core(const struct boot *b, UINTN timeout_us, void (*there)(void *ctx),
                          void (*here)(void *ctx), void *ctx);
/* Starts a procedure on the firmware's other cores in which they wait for the kernel. Waits,
 * bounded, until they run it. Sets handoff.lent or handoff.lent_refused. */
void boot_lend(struct boot *b);
/* Waits, bounded, until all of them have returned to the firmware; reports those that have not. */
void boot_lend_end(struct boot *b);
/* Returns a device's registers at a physical address, if the firmware maps them. NULL: it does not,
 * or they are RAM. For serial_open() and counters_init(). */
volatile void *boot_map(void *boot, uint64_t address, uint64_t size);
/* Opens the serial port, which the firmware's console may use too. */
struct serial boot_serial(struct boot *b);
/* Checks that the address of serial=mmio: can be a device's. False: b->error. */
bool boot_serial_check(struct boot *b);
/* Waits for a key, bounded, if the screen is cleared when the program returns. A shell does not
 * clear it. */
void boot_let_read(struct boot *b);

/*
 * --- volume.c ---
 * The volume that the program was loaded from: it has baretick.conf in its root, and gets the
 * reports. Source of every call: UEFI 2.10 sections 13.4 and 13.5.
 */

/* The result of a file's GetInfo, with room for the name of up to 255 characters after it (UEFI
 * 13.5.16). */
union file_info {
    EFI_FILE_INFO info;
    uint8_t room[sizeof(EFI_FILE_INFO) + 256 * sizeof(CHAR16)];
};

/* Opens the root folder. If the firmware names no such volume, *root is NULL, which is not an
 * error. */
EFI_STATUS volume_open(const struct boot *b, EFI_FILE_HANDLE *root);
static inline EFI_STATUS file_info(EFI_FILE_HANDLE file, union file_info *info)
{
    EFI_GUID id = EFI_FILE_INFO_ID;
    UINTN size = sizeof *info;

    return file->GetInfo(file, &id, &size, info);
}
/* Returns the bytes of a file of at most `most` bytes in pool memory, for the caller to free. NULL:
 * `why` gets the reason. */
uint8_t *file_bytes(const struct boot *b, EFI_FILE_HANDLE file, size_t most, size_t *size,
                    struct sink *why);

/*
 * --- http.c, and parts of network.c ---
 * Files on servers, by the protocol of their URL, through the firmware's drivers: http.c and
 * network.c. Both protocols use a driver in the same way: a child of it, and bounded waits. Source
 * of every call: UEFI 2.10 sections 7.1 (events) and 11.6 (service binding).
 */

/* A transfer of a whole file, from the server or to it. */
struct transfer {
    const struct network_file *file;
    bool put;
    void *bytes;
    size_t size; /* to get it: the room, and then the file's size */
    struct network_failure *failure;
};

/* GET and PUT by HTTP or HTTPS, with basic authentication. Redirections are not followed. Source:
 * UEFI 2.10 section 29.6, RFC 9110. */
bool http_transfer(struct boot *b, const struct url *url, struct transfer *t);
/* Sets why the transfer failed, unless that is set already. Returns false. */
static inline bool transfer_fails(struct transfer *t, const char *what)
{
    if (!t->failure->what)
        t->failure->what = what;
    return false;
}

struct service {
    struct boot *b;
    EFI_SERVICE_BINDING *binding;
    EFI_HANDLE child;
    void *protocol;
    EFI_EVENT done, timer; /* done: for the driver's token; timer: the end of all waits */
};

/* Creates a child of the driver on the program's network device, which `protocol` then is of. All
 * its waits together take at most `seconds`. False: the transfer fails; nothing is open. */
bool service_open(struct service *s, struct boot *b, const EFI_GUID *binding,
                  const EFI_GUID *protocol, unsigned seconds, struct transfer *t);
void service_close(struct service *s);

/* A driver's Poll(). */
typedef EFI_STATUS(EFIAPI *service_poll)(void *protocol);
/* Waits until `done` is signalled. False: the time is up; the driver still has its token. */
bool service_wait(struct service *s, service_poll poll);

#endif
