#include "hosted/tools/insn_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the feature ------------------------------------------------------------------------------ */

/* Zydis' names of ISA sets, without the length of vectors: most are those of the features. */
static const struct {
    const char *set;
    enum insn_feature feature;
} features[] = {{"ADOX_ADCX", INSN_ADX},
                {"AMD_INVLPGB", INSN_INVLPGB},
                {"AVX2GATHER", INSN_AVX2},
                {"AVX512_GFNI", INSN_GFNI},
                {"AVX512_VAES", INSN_VAES},
                {"AVX512_VPCLMULQDQ", INSN_VPCLMULQDQ},
                {"AVXAES", INSN_AES},
                {"AVX_GFNI", INSN_GFNI},
                {"CET", INSN_CET_SS},
                {"CLFSH", INSN_CLFLUSH},
                {"CMPXCHG16B", INSN_CX16},
                {"KEYLOCKER_WIDE", INSN_KEYLOCKER},
                {"MOVDIR", INSN_MOVDIRI},
                {"PADLOCK_ACE", INSN_PADLOCK},
                {"PADLOCK_PHE", INSN_PADLOCK},
                {"PADLOCK_PMM", INSN_PADLOCK},
                {"PADLOCK_RNG", INSN_PADLOCK},
                {"PKU", INSN_OSPKE},
                {"RDWRFSGS", INSN_FSGSBASE},
                {"SGX_ENCLV", INSN_SGX},
                {"SSE3X87", INSN_SSE3},
                {"SSE4", INSN_SSE41},
                {"SSSE3MMX", INSN_SSSE3},
                {"TDX", INSN_VMX},
                {"TSX_LDTRK", INSN_TSXLDTRK},
                {"VMFUNC", INSN_VMX},
                {"VTX", INSN_VMX},
                {"XOP", INSN_XOP_FEATURE},
#define NAMED(id, ...) {#id, INSN_##id},
                INSN_FEATURE(NAMED)};

static const char *const base_sets[] = {
    "CMOV",        "FAT_NOP",       "FCMOV",        "FXSAVE",       "FXSAVE64",
    "I186",        "I286PROTECTED", "I286REAL",     "I386",         "I486",
    "I486REAL",    "I86",           "LONGMODE",     "PAUSE",        "PENTIUMMMX",
    "PENTIUMREAL", "PPRO",          "PREFETCH_NOP", "RDPMC",        "SSE",
    "SSE2",        "SSE2MMX",       "SSEMXCSR",     "SSE_PREFETCH", "X87"};

/* Returns whether the set is this one, with vectors of any length. */
static bool is_set(const char *set, const char *name)
{
    static const char *const endings[] = {"", "_128", "_128N", "_256", "_512", "_KOP", "_SCALAR"};
    size_t n = strlen(name);

    if (strncmp(set, name, n) != 0)
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(set + n, endings[i]) == 0)
            return true;
    return false;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Returns INSN_FEATURES for an unknown set. */
static enum insn_feature feature_of(const char *set)
{
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
        if (is_set(set, features[i].set))
            return features[i].feature;
    for (size_t i = 0; i < sizeof base_sets / sizeof base_sets[0]; i++)
        if (is_set(set, base_sets[i]))
            return INSN_BASE;
    return INSN_FEATURES;
}

static void take_feature(struct described *d)
{
    const char *set = ZydisISASetGetString(d->in.meta.isa_set);
    enum insn_feature feature = feature_of(set);

    if (feature == INSN_FEATURES) {
        fprintf(stderr, "insn_table: %s: no feature of CPUID is known for the ISA set %s\n",
                ZydisMnemonicGetString(d->in.mnemonic), set);
        exit(1);
    }
    d->form.feature = (uint8_t)feature;
    if (d->in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX &&
        (ends_with(set, "_128") || ends_with(set, "_256")))
        d->form.properties |= INSN_VL;
    if (d->in.mnemonic == ZYDIS_MNEMONIC_MOVDIR64B)
        d->form.feature = INSN_MOVDIR64B;
}

/* --- why it is not run ------------------------------------------------------------------------ */

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

static const struct {
    ZydisInstructionCategory category;
    enum insn_why why;
} categories[] = {
    {ZYDIS_CATEGORY_IO, INSN_PRIVILEGED},
    {ZYDIS_CATEGORY_IOSTRINGOP, INSN_PRIVILEGED},
    {ZYDIS_CATEGORY_SMAP, INSN_PRIVILEGED},
    {ZYDIS_CATEGORY_VTX, INSN_KERNEL},
    {ZYDIS_CATEGORY_LEGACY, INSN_KERNEL}, /* TDX */
    {ZYDIS_CATEGORY_SYSCALL, INSN_KERNEL},
    {ZYDIS_CATEGORY_SYSRET, INSN_KERNEL},
    {ZYDIS_CATEGORY_SGX, INSN_KERNEL},
    {ZYDIS_CATEGORY_ENQCMD, INSN_KERNEL},
    {ZYDIS_CATEGORY_PCONFIG, INSN_PRIVILEGED},
    {ZYDIS_CATEGORY_HRESET, INSN_PRIVILEGED},
    {ZYDIS_CATEGORY_PT, INSN_PRIVILEGED},
    {ZYDIS_CATEGORY_INTERRUPT, INSN_RAISES},
    {ZYDIS_CATEGORY_CALL, INSN_JUMPS},
    {ZYDIS_CATEGORY_RET, INSN_JUMPS},
    {ZYDIS_CATEGORY_SEGOP, INSN_LOSES_STATE},
    {ZYDIS_CATEGORY_CET, INSN_LOSES_STATE},
    {ZYDIS_CATEGORY_UINTR, INSN_LOSES_STATE},
    {ZYDIS_CATEGORY_KEYLOCKER, INSN_NEEDS_IMAGE},
    {ZYDIS_CATEGORY_KEYLOCKER_WIDE, INSN_NEEDS_IMAGE},
    {ZYDIS_CATEGORY_AMX_TILE, INSN_NEEDS_TILES},
    {ZYDIS_CATEGORY_WAITPKG, INSN_WAITS},
    {ZYDIS_CATEGORY_TSX_LDTRK, INSN_TRANSACTION},
    {ZYDIS_CATEGORY_PADLOCK, INSN_NOT_MODELLED},
    {ZYDIS_CATEGORY_MPX, INSN_NOT_MODELLED},
    {ZYDIS_CATEGORY_XSAVE, INSN_NEEDS_IMAGE},
    {ZYDIS_CATEGORY_XSAVEOPT, INSN_NEEDS_IMAGE},
};

static const char *const raises[] = {"ud0", "ud1", "ud2", "int", "int3", "int1", NULL};
static const char *const kernel[] = {"vmmcall",   "getsec",    "skinit",    "vmrun", "invlpga",
                                     "vmload",    "vmsave",    "clgi",      "stgi",  "psmash",
                                     "pvalidate", "rmpadjust", "rmpupdate", NULL};
static const char *const privileged[] = {
    "hlt",     "invd",  "wbinvd", "wbnoinvd", "invlpg",    "invlpgb",   "tlbsync",
    "invpcid", "clts",  "lgdt",   "lidt",     "lldt",      "lmsw",      "ltr",
    "rdmsr",   "wrmsr", "swapgs", "rdpmc",    "mcommit",   "rsm",       "monitor",
    "mwait",   "cli",   "sti",    "xsetbv",   "rdmsrlist", "wrmsrlist", NULL};
static const char *const waits[] = {"mwaitx", "monitorx", NULL};
static const char *const loses[] = {"std",   "wrfsbase", "wrgsbase", "wrpkru", "iret",   "iretd",
                                    "iretq", "llwpcb",   "slwpcb",   "lwpins", "lwpval", NULL};
static const char *const image[] = {"ldmxcsr", "vldmxcsr", "fxrstor", "fxrstor64",
                                    "fldcw",   "fldenv",   "frstor",  "popf",
                                    "popfd",   "popfq",    "fnsave",  NULL};
static const char *const transaction[] = {"xbegin", "xend", "xabort", "xtest", NULL};
static const char *const moves_rsp[] = {"enter", "leave", NULL};
static const char *const x87_stack[] = {"fincstp", "fdecstp", "fxtract", "fsincos",
                                        "fptan",   "fpatan",  "fyl2x",   "fyl2xp1",
                                        "fstpnce", "ffreep",  NULL};
/* UMIP: Intel SDM vol. 3A section 2.5. */
static const char *const umip[] = {"sgdt", "sidt", "sldt", "smsw", "str", NULL};
/* Their time depends on values. */
static const char *const by_value[] = {"div",    "idiv",  "fdiv",   "fdivr",  "fidiv", "fidivr",
                                       "fsqrt",  "fprem", "fprem1", "f2xm1",  "fsin",  "fcos",
                                       "fscale", "loop",  "loope",  "loopne", "cpuid", NULL};
static const char *const serial[] = {"cpuid",  "serialize", "mfence", "lfence",
                                     "sfence", "rdtscp",    NULL};

static bool is_x87_move(const struct described *d)
{
    const char *m = d->mnemonic;

    if (d->in.meta.category != ZYDIS_CATEGORY_X87_ALU || is_one_of(m, image))
        return false;
    if (strncmp(m, "fld", 3) == 0 || strcmp(m, "fild") == 0 || strcmp(m, "fbld") == 0)
        return true;
    return is_one_of(m, x87_stack) ||
           (ends_with(m, "p") && strcmp(m, "fnop") != 0 && !ends_with(m, "_nop"));
}

/* Checks for segment, control, debug and bound registers, and far pointers. */
static enum insn_why why_by_operands(const struct described *d)
{
    for (unsigned i = 0; i < d->operands; i++) {
        const struct insn_operand *o = &d->operand[i];
        if (o->kind != INSN_REGISTER)
            continue;
        if (o->class == INSN_CR || o->class == INSN_DR)
            return INSN_PRIVILEGED;
        if (o->class == INSN_SEG && o->access & INSN_WRITE)
            return INSN_LOSES_STATE;
        if (o->class == INSN_TMM)
            return INSN_NEEDS_TILES;
        if (o->class == INSN_BND || o->class == INSN_OTHER)
            return INSN_NOT_MODELLED;
    }
    return INSN_RUNS;
}

static enum insn_why why_not(const struct described *d)
{
    static const struct {
        const char *const *names;
        enum insn_why why;
    } lists[] = {
        {raises, INSN_RAISES},           {kernel, INSN_KERNEL},
        {privileged, INSN_PRIVILEGED},   {waits, INSN_WAITS},
        {loses, INSN_LOSES_STATE},       {image, INSN_NEEDS_IMAGE},
        {transaction, INSN_TRANSACTION}, {moves_rsp, INSN_MOVES_RSP},
    };
    const char *name = ZydisMnemonicGetString(d->in.mnemonic);

    /* These write nothing, or are no-operations if shadow stacks are off. */
    if (strncmp(name, "endbr", 5) == 0 || strncmp(name, "rdssp", 5) == 0 ||
        strcmp(name, "xgetbv") == 0)
        return INSN_RUNS;
    if (strncmp(name, "rdfsbase", 8) == 0 || strncmp(name, "rdgsbase", 8) == 0)
        return INSN_RUNS;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (is_one_of(name, lists[i].names))
            return lists[i].why;
    if (is_x87_move(d))
        return INSN_MOVES_X87;
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++)
        if (d->in.meta.category == categories[i].category)
            return categories[i].why;
    if (d->in.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE &&
        !(d->in.attributes & ZYDIS_ATTRIB_IS_RELATIVE))
        return INSN_JUMPS;
    if (d->in.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
        return INSN_PRIVILEGED;
    return why_by_operands(d);
}

/* --- the rest --------------------------------------------------------------------------------- */

/* Returns whether the operand-size prefix shortens the immediate to two bytes (Intel Optimization
 * Reference Manual, "length-changing prefixes"). */
static bool has_lcp(const struct described *d)
{
    bool has_66 = d->in.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE;

    return d->form.encoding == INSN_LEGACY && has_66 && d->in.raw.imm[0].size == 16;
}

static void take_properties(struct described *d)
{
    const char *name = ZydisMnemonicGetString(d->in.mnemonic);
    ZydisInstructionAttributes a = d->in.attributes;
    unsigned p = d->form.properties;
    bool repeats = a & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);

    p |= has_lcp(d) ? INSN_LCP : 0u;
    p |= a & ZYDIS_ATTRIB_HAS_LOCK ? INSN_LOCK : 0u;
    p |= repeats ? INSN_REP : 0u;
    p |= d->in.meta.category == ZYDIS_CATEGORY_STRINGOP ? INSN_STRING : 0u;
    p |= d->in.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE ? INSN_BRANCH : 0u;
    p |= d->in.meta.category == ZYDIS_CATEGORY_PUSH || d->in.meta.category == ZYDIS_CATEGORY_POP
             ? INSN_STACK
             : 0u;
    p |= repeats || is_one_of(name, by_value) || strstr(name, "sqrt") || strstr(name, "divp") ||
                 strstr(name, "divs")
             ? INSN_VALUE
             : 0u;
    p |= is_one_of(name, serial) ? INSN_SERIAL : 0u;
    p |= d->in.meta.category == ZYDIS_CATEGORY_AMX_TILE && strncmp(name, "tile", 4) == 0 &&
                 d->operands > 1
             ? INSN_NEEDS_SIB
             : 0u;
    p |= is_one_of(name, umip) ? INSN_UMIP : 0u;
    p |= d->in.meta.category == ZYDIS_CATEGORY_AVX2GATHER || strstr(name, "vpgather") ||
                 strstr(name, "vgather") || strstr(name, "scatter")
             ? INSN_CLEARS_MASK
             : 0u;
    d->form.properties = (uint16_t)p;
}

static void take_mnemonic(struct described *d)
{
    static const struct {
        ZydisInstructionAttributes attribute;
        const char *prefix;
    } prefixes[] = {
        {ZYDIS_ATTRIB_HAS_LOCK, "lock"},
        {ZYDIS_ATTRIB_HAS_REP, "rep"},
        {ZYDIS_ATTRIB_HAS_REPE, "repe"},
        {ZYDIS_ATTRIB_HAS_REPNE, "repne"},
    };
    const char *name = ZydisMnemonicGetString(d->in.mnemonic);

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (d->in.attributes & prefixes[i].attribute) {
            snprintf(d->mnemonic, sizeof d->mnemonic, "%s %s", prefixes[i].prefix, name);
            return;
        }
    snprintf(d->mnemonic, sizeof d->mnemonic, "%s", name);
}

void judge(struct described *d)
{
    take_mnemonic(d);
    take_feature(d);
    take_properties(d);
    d->form.why = (uint8_t)why_not(d);
}
