/*
 * The common part of the plugins for QEMU's TCG: the interface, a window's tag, out=FILE.
 *
 * No distribution packages QEMU's plugin header, so the few functions used are declared here after
 * its documentation ("QEMU TCG Plugins"). PLUGIN_API is the version that the QEMU in use accepts.
 */
#ifndef TESTS_BOOT_PLUGIN_H
#define TESTS_BOOT_PLUGIN_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLUGIN_API
#define PLUGIN_API 1
#endif

/* The code buffer: PLATFORM_CODE_VA and PLATFORM_CODE_SIZE of bench/api/platform.h. */
#define CODE_START 0x400000000000ull
#define CODE_END   (CODE_START + (1u << 20))
#define RESULTS    4096

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
enum { QEMU_PLUGIN_CB_NO_REGS = 0 };
enum { QEMU_PLUGIN_MEM_RW = 3 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
#if PLUGIN_API >= 3 /* copied since version 3 */
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t n);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*cb)(unsigned, void *),
                                          int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                            void (*cb)(unsigned, void *), int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      void (*cb)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *),
                                      int flags, int rw, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t, void *),
                                    void *data);

__attribute__((visibility("default"))) int qemu_plugin_version = PLUGIN_API;
__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

static char *out_path;

/* Returns the instruction's bytes; 0: it has more than an instruction can have. */
static inline size_t bytes_of(const struct qemu_plugin_insn *insn, uint8_t b[static 16])
{
    size_t size = qemu_plugin_insn_size(insn);

    if (size > 16) {
        return 0;
    }
#if PLUGIN_API >= 3
    qemu_plugin_insn_data(insn, b, size);
#else
    memcpy(b, qemu_plugin_insn_data(insn), size);
#endif
    return size;
}

/* Returns the tag of a window, nop dword [rax + disp32], or 0. Compilers pad with the same NOP,
 * with displacement 0. */
static inline uintptr_t tag_of(const uint8_t *b, size_t size)
{
    bool is = size == 7 && b[0] == 0x0f && b[1] == 0x1f && b[2] == 0x80;

    return is ? b[3] | b[4] << 8 | b[5] << 16 | (uintptr_t)b[6] << 24 : 0;
}

static inline bool in_code(const struct qemu_plugin_insn *insn)
{
    uint64_t at = qemu_plugin_insn_vaddr(insn);

    return at >= CODE_START && at < CODE_END;
}

/* Return values of qemu_plugin_install(). */
static inline int install(const char *name, qemu_plugin_id_t id, int argc, char **argv,
                          void (*on_translation)(qemu_plugin_id_t, struct qemu_plugin_tb *),
                          void (*at_end)(qemu_plugin_id_t, void *))
{
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "out=", 4)) {
            out_path = strdup(argv[i] + 4);
        }
    }
    if (!out_path) {
        fprintf(stderr, "%s: out=FILE is missing\n", name);
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, at_end, NULL);
    return 0;
}

#endif
