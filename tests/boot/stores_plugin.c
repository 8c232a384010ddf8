/*
 * A QEMU TCG plugin that counts the loads and stores of calls of C bodies, independently of the
 * code under test.
 *
 * A measuring window begins with a tag, nop dword [rax + disp32], and calls its body with
 * `call r13`; the next instruction is `mov [rel frame], eax` (call_function of
 * bench/engine/frame.asm). All are in the code buffer. Counts the accesses between the two,
 * without the call's own push. Writes one line at exit for each (tag, counts) that occurred:
 *     tag, 8 hex digits   occurrences   loads of 1, 2, 4, 8 bytes   stores of 1, 2, 4, 8 bytes
 * An access of more than 8 bytes counts as several of 8, because only some QEMUs split it. The last
 * line is `end`, or `full` if there were more results than fit, or `lost N` if N calls did not
 * return to the expected instruction: then this plugin does not know the window's code.
 *
 *     -plugin stores_plugin.so,out=FILE
 *
 * Values are not read: the interface passes them only from version 4 on.
 */
#include "plugin.h"

#define SIZES      4 /* 1, 2, 4, 8 bytes */
#define CALL_BYTES 3

static struct result {
    uint32_t tag;
    uint64_t of[2 * SIZES]; /* loads, then stores, by size */
    uint64_t occurrences;
} results[RESULTS], now;
static unsigned result_count;
static bool results_full;
static uint64_t lost; /* windows that ended while their call was being counted */

static enum { IDLE, TAGGED, CALLING, COUNTING } state;
static uint64_t back_at; /* return address of the call that is counted */

static void on_tag(unsigned cpu, void *data)
{
    (void)cpu;
    lost += state == COUNTING;
    now = (struct result){.tag = (uint32_t)(uintptr_t)data};
    state = TAGGED;
}

static void on_call(unsigned cpu, void *at)
{
    (void)cpu;
    if (state != TAGGED) {
        return;
    }
    state = CALLING;
    back_at = (uintptr_t)at + CALL_BYTES;
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)cpu, (void)address, (void)data;
    if (state == CALLING) { /* its push: this runs after on_call() */
        state = COUNTING;
        return;
    }
    if (state != COUNTING) {
        return;
    }
    unsigned shift = qemu_plugin_mem_size_shift(info);
    unsigned size = shift < SIZES ? shift : SIZES - 1;
    now.of[size + (qemu_plugin_mem_is_store(info) ? SIZES : 0)] += 1u << (shift - size);
}

static void on_back(unsigned cpu, void *at)
{
    (void)cpu;
    if (state != COUNTING || (uintptr_t)at != back_at) {
        return;
    }
    state = IDLE;
    for (unsigned i = 0; i < result_count; i++) {
        if (results[i].tag == now.tag && !memcmp(results[i].of, now.of, sizeof now.of)) {
            results[i].occurrences++;
            return;
        }
    }
    results_full = results_full || result_count == RESULTS;
    if (!results_full) {
        now.occurrences = 1;
        results[result_count++] = now;
    }
}

static void look_at(struct qemu_plugin_insn *insn)
{
    uintptr_t at = qemu_plugin_insn_vaddr(insn);
    uint8_t b[16] = {0};
    size_t size = bytes_of(insn, b);
    uintptr_t tag = tag_of(b, size);
    void (*cb)(unsigned, void *) = NULL;

    if (tag) {
        cb = on_tag;
    } else if (size == CALL_BYTES && b[0] == 0x41 && b[1] == 0xff && b[2] == 0xd5) {
        cb = on_call;
    } else if (size == 6 && b[0] == 0x89 && b[1] == 0x05) {
        cb = on_back;
    }
    if (cb) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(cb == on_tag ? tag : at));
    }
    qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     NULL);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        if (in_code(insn)) {
            look_at(insn);
        }
    }
}

static void at_end(qemu_plugin_id_t id, void *data)
{
    (void)id, (void)data;
    FILE *f = fopen(out_path, "w");
    if (!f) {
        perror(out_path);
        return;
    }
    for (unsigned i = 0; i < result_count; i++) {
        fprintf(f, "%08" PRIx32 " %" PRIu64, results[i].tag, results[i].occurrences);
        for (unsigned k = 0; k < 2 * SIZES; k++) {
            fprintf(f, " %" PRIu64, results[i].of[k]);
        }
        fputc('\n', f);
    }
    if (lost || state == COUNTING) {
        fprintf(f, "lost %" PRIu64 "\n", lost + (state == COUNTING));
    } else {
        fprintf(f, "%s\n", results_full ? "full" : "end");
    }
    fclose(f);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    (void)info;
    return install("stores_plugin", id, argc, argv, on_translation, at_end);
}
