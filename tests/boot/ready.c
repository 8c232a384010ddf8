/*
 * A UEFI application that waits with the firmware started, and then starts another program.
 *
 * QEMU's -kernel starts it, with -append "wait". It prints "ready" on COM1, and machine.py saves
 * the machine. A QEMU that continues from there has the same machine, but another -kernel and
 * -append: as soon as the words differ from "wait", that program is started with them, as OVMF
 * starts a -kernel. If they are "firmware", this program returns, and the firmware continues as
 * after the end of a -kernel: it connects all devices again, and boots from a disk or starts its
 * shell. The disk drivers were disconnected before, so the firmware remembers nothing of the
 * earlier disk. So several boots share the two seconds that the firmware takes to start.
 *
 * fw_cfg: QEMU docs/specs/fw_cfg.txt; its keys: include/standard-headers/linux/qemu_fw_cfg.h.
 */
#include <efi.h>

#define COM1         0x3f8
#define FW_CFG_DMA   0x514
#define DMA_ERROR    1u
#define DMA_READ     2u
#define DMA_SELECT   8u
#define SETUP_SIZE   0x17
#define SETUP_DATA   0x18
#define KERNEL_SIZE  0x08
#define KERNEL_DATA  0x11
#define CMDLINE_SIZE 0x14
#define CMDLINE_DATA 0x15
#define WORDS_MAX    4096
#define POLL_US      1000

struct dma {
    UINT32 control, length;
    UINT64 address;
} __attribute__((packed));

static EFI_GUID image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static EFI_BOOT_SERVICES *bs;
static struct dma dma __attribute__((aligned(16)));
static char words[WORDS_MAX];
static CHAR16 options[WORDS_MAX];

static void out32(UINT16 port, UINT32 v)
{
    __asm__ volatile("outl %0, %1" : : "a"(v), "Nd"(port) : "memory");
}

static void say(const char *s)
{
    for (; *s; s++) {
        __asm__ volatile("outb %0, %1" : : "a"(*s), "Nd"((UINT16)COM1));
    }
}

static void __attribute__((noreturn)) end(const char *why)
{
    say("\r\nready: ");
    say(why);
    say("\r\n");
    for (;;) {
        __asm__ volatile("hlt");
    }
}

/* Reads an item's first bytes. The device copies them while the port is written. */
static void item(UINT16 key, void *to, UINT32 size)
{
    dma.address = __builtin_bswap64((UINT64)to);
    dma.length = __builtin_bswap32(size);
    dma.control = __builtin_bswap32((UINT32)key << 16 | DMA_SELECT | DMA_READ);
    out32(FW_CFG_DMA, __builtin_bswap32((UINT32)((UINT64)&dma >> 32)));
    out32(FW_CFG_DMA + 4, __builtin_bswap32((UINT32)(UINT64)&dma));
    UINT32 left;
    do {
        left = __builtin_bswap32(*(volatile UINT32 *)&dma.control);
        if (left & DMA_ERROR) {
            end("fw_cfg cannot be read");
        }
    } while (left);
}

static UINT32 number(UINT16 key)
{
    UINT32 n = 0;

    item(key, &n, sizeof n);
    return n;
}

/* Tests whether all of -append is this one word. */
static BOOLEAN only_word(const char *word)
{
    UINT32 i = 0;

    do {
        if (words[i] != word[i]) {
            return FALSE;
        }
    } while (word[i++]);
    return TRUE;
}

/* Reads -append, which may have changed. Returns its length including the final zero. */
static UINT32 read_words(void)
{
    UINT32 length = number(CMDLINE_SIZE);

    if (length > WORDS_MAX) {
        end("too many words");
    }
    item(CMDLINE_DATA, words, length);
    return length;
}

static void let_go_of_disks(void)
{
    static EFI_GUID block_guid = EFI_BLOCK_IO_PROTOCOL_GUID;
    EFI_HANDLE *handles;
    UINTN n = 0;

    if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, &block_guid, NULL, &n, &handles))) {
        return; /* not present */
    }
    for (UINTN i = 0; i < n; i++) {
        bs->DisconnectController(handles[i], NULL, NULL); /* and so its partitions */
    }
}

/* Starts the program of -kernel with the words of -append; `self` is the device that it reports. */
static EFI_HANDLE load_kernel(EFI_HANDLE image, EFI_LOADED_IMAGE *self, UINT32 length)
{
    UINT32 setup = number(SETUP_SIZE), rest = number(KERNEL_SIZE);
    UINT8 *program;
    EFI_HANDLE loaded;
    EFI_LOADED_IMAGE *child;

    if (EFI_ERROR(bs->AllocatePool(EfiLoaderData, setup + rest, (void **)&program))) {
        end("no memory for the program");
    }
    item(SETUP_DATA, program, setup);
    item(KERNEL_DATA, program + setup, rest);
    if (EFI_ERROR(bs->LoadImage(FALSE, image, self->FilePath, program, setup + rest, &loaded)) ||
        EFI_ERROR(bs->HandleProtocol(loaded, &image_guid, (void **)&child))) {
        end("the program cannot be loaded");
    }
    bs->FreePool(program);
    for (UINT32 i = 0; i < length; i++) {
        options[i] = (UINT8)words[i];
    }
    child->DeviceHandle = self->DeviceHandle;
    child->LoadOptions = options;
    child->LoadOptionsSize = length * sizeof options[0];
    return loaded;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
    EFI_LOADED_IMAGE *self;

    bs = table->BootServices;
    if (EFI_ERROR(bs->HandleProtocol(image, &image_guid, (void **)&self))) {
        end("who am I?");
    }
    let_go_of_disks();
    say("\r\nready\r\n");
    do {
        bs->Stall(POLL_US);
        (void)read_words();
    } while (only_word("wait"));
    /* The machine may have been saved between reading the length of the words and the words. */
    UINT32 length = read_words();
    if (only_word("firmware")) {
        return EFI_SUCCESS;
    }
    return bs->StartImage(load_kernel(image, self, length), NULL, NULL);
}
