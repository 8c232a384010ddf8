/*
 * A QEMU TCG plugin that counts the instructions of a window independently of the code under test.
 *
 * Every measuring window begins with a tag, nop dword [rax + disp32], outside its timed part, and
 * then reads the time stamp counter twice; both are in the code buffer. Writes one line at exit for
 * each (tag, count) that occurred. The count is that of the instructions executed after the first
 * reading through the second, inclusive:
 *     tag, 8 hex digits   count   occurrences
 * The last line is "stray N": readings in the code buffer that belong to no tagged window.
 *
 *     -plugin icount_plugin.so,out=FILE
 */
#include "plugin.h"

static struct result {
    uint32_t tag;
    uint64_t count, occurrences;
} results[RESULTS];
static unsigned result_count, last_result;
static bool results_full;

static uint64_t executed; /* instructions, including the whole block that is running */
static uint64_t first_read, stray_reads;
static uint32_t tag;
static enum { IDLE, TAGGED, READ_ONCE } state;

static void record(uint64_t count)
{
    for (unsigned k = 0; k < result_count; k++) {
        struct result *r = &results[(last_result + k) % result_count];
        if (r->tag == tag && r->count == count) {
            r->occurrences++;
            last_result = (unsigned)(r - results);
            return;
        }
    }
    if (result_count == RESULTS) {
        results_full = true;
        return;
    }
    results[result_count++] = (struct result){tag, count, 1};
}

static void on_block(unsigned cpu, void *data)
{
    (void)cpu;
    executed += (uintptr_t)data;
}

static void on_tag(unsigned cpu, void *data)
{
    (void)cpu;
    tag = (uint32_t)(uintptr_t)data;
    state = TAGGED;
}

/* `data`: number of the block's instructions after this one. */
static void on_read(unsigned cpu, void *data)
{
    (void)cpu;
    uint64_t now = executed - (uintptr_t)data;
    if (state == TAGGED) {
        first_read = now;
        state = READ_ONCE;
    } else if (state == READ_ONCE) {
        record(now - first_read);
        state = IDLE;
    } else {
        stray_reads++;
    }
}

static void look_at(struct qemu_plugin_insn *insn, size_t remaining)
{
    uint8_t b[16] = {0};
    size_t size = bytes_of(insn, b);
    uintptr_t window = tag_of(b, size);

    if (window) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_tag, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)window);
    } else if ((size == 2 && b[0] == 0x0f && b[1] == 0x31) ||
               (size == 3 && b[0] == 0x0f && b[1] == 0x01 && b[2] == 0xf9)) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, on_read, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)remaining);
    }
}

/* Counts whole blocks, which is cheap; the position of a reading in its block makes the count
 * exact. */
static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, (void *)n);
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        if (in_code(insn)) {
            look_at(insn, n - 1 - i);
        }
    }
}

static void at_end(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    FILE *f = fopen(out_path, "w");
    if (!f) {
        perror(out_path);
        return;
    }
    for (unsigned i = 0; i < result_count; i++) {
        fprintf(f, "%08" PRIx32 " %" PRIu64 " %" PRIu64 "\n", results[i].tag, results[i].count,
                results[i].occurrences);
    }
    if (results_full) {
        fprintf(f, "full: more than %d different results\n", RESULTS);
    }
    fprintf(f, "stray %" PRIu64 "\n", stray_reads);
    fclose(f);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
    (void)info;
    return install("icount_plugin", id, argc, argv, on_translation, at_end);
}
