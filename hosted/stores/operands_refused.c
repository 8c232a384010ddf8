#include "hosted/stores/operands.h"

static const char *refused_by_name(ZydisMnemonic mnemonic)
{
    switch (mnemonic) {
    case ZYDIS_MNEMONIC_SYSCALL:
    case ZYDIS_MNEMONIC_SYSENTER:
    case ZYDIS_MNEMONIC_SYSRET:
    case ZYDIS_MNEMONIC_SYSEXIT:
    case ZYDIS_MNEMONIC_INT:
    case ZYDIS_MNEMONIC_INT1:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_IRET:
    case ZYDIS_MNEMONIC_IRETD:
    case ZYDIS_MNEMONIC_IRETQ:
        return "it leaves the code for the kernel";
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XEND:
    case ZYDIS_MNEMONIC_XABORT:
        return "a transaction does not survive single steps";
    case ZYDIS_MNEMONIC_LSS:
        return "the instruction after it would not be traced";
    case ZYDIS_MNEMONIC_LFS:
    case ZYDIS_MNEMONIC_LGS:
    case ZYDIS_MNEMONIC_WRFSBASE:
    case ZYDIS_MNEMONIC_WRGSBASE:
    case ZYDIS_MNEMONIC_WRPKRU:
        return "it changes what this tool itself needs";
    case ZYDIS_MNEMONIC_FXSAVE:
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_XSAVE:
    case ZYDIS_MNEMONIC_XSAVE64:
    case ZYDIS_MNEMONIC_XSAVEC:
    case ZYDIS_MNEMONIC_XSAVEC64:
    case ZYDIS_MNEMONIC_XSAVEOPT:
    case ZYDIS_MNEMONIC_XSAVEOPT64:
    case ZYDIS_MNEMONIC_XSAVES:
    case ZYDIS_MNEMONIC_XSAVES64:
    case ZYDIS_MNEMONIC_XRSTOR:
    case ZYDIS_MNEMONIC_XRSTOR64:
    case ZYDIS_MNEMONIC_XRSTORS:
    case ZYDIS_MNEMONIC_XRSTORS64:
        return "which bytes it touches depends on what state is in use";
    case ZYDIS_MNEMONIC_SGDT:
    case ZYDIS_MNEMONIC_SIDT:
    case ZYDIS_MNEMONIC_SLDT:
    case ZYDIS_MNEMONIC_STR:
    case ZYDIS_MNEMONIC_SMSW:
        return "the kernel may do it in the processor's place"; /* UMIP */
    case ZYDIS_MNEMONIC_MASKMOVQ:                               /* its mask is an MMX register */
    case ZYDIS_MNEMONIC_ENQCMD:
    case ZYDIS_MNEMONIC_ENQCMDS:
    case ZYDIS_MNEMONIC_LDTILECFG:
    case ZYDIS_MNEMONIC_STTILECFG:
    case ZYDIS_MNEMONIC_TILELOADD:
    case ZYDIS_MNEMONIC_TILELOADDT1:
    case ZYDIS_MNEMONIC_TILESTORED:
        return "its operands in memory are not known here";
    default:
        return NULL;
    }
}

const char *operands_refused(const struct decoded *d)
{
    const ZydisDecodedInstruction *in = &d->instruction;
    const ZydisDecodedOperand *o = d->operand;
    const char *why = refused_by_name(in->mnemonic);

    if (why)
        return why;
    if (in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return "it changes the code segment";
    if (in->mnemonic == ZYDIS_MNEMONIC_ENTER && o[1].imm.value.u)
        return "its operands in memory are not known here";
    if ((in->mnemonic == ZYDIS_MNEMONIC_MOV || in->mnemonic == ZYDIS_MNEMONIC_POP) &&
        o[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
        if (o[0].reg.value == ZYDIS_REGISTER_SS)
            return "the instruction after it would not be traced";
        if (o[0].reg.value == ZYDIS_REGISTER_FS || o[0].reg.value == ZYDIS_REGISTER_GS)
            return "it changes what this tool itself needs";
    }
    for (unsigned i = 0; i < in->operand_count; i++)
        if (o[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            (o[i].mem.type == ZYDIS_MEMOP_TYPE_MIB || o[i].size > 8 * TOUCH_BYTES))
            return "its operands in memory are not known here";
    return NULL;
}
