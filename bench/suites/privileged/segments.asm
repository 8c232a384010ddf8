; Flags, segments, descriptor tables and far transfers.
%include "bench/suites/privileged/privileged.inc"

%define MSR_FS_BASE 0xc0000100
%define MSR_GS_BASE 0xc0000101
%define FLAG_IF 0x200
%define TSS_BUSY 0xfd           ; all bits but the one which says that the TSS is in use

UNIT privileged_cli
    cli
ENDUNIT

UNIT privileged_sti_cli
    sti
    cli
ENDUNIT

UNIT privileged_pushf_popf
    pushfq
    popfq
ENDUNIT

; The first POPFQ sets IF, the second clears it.
UNIT privileged_popf_if
    pushfq
    pushfq
    or dword [rsp], FLAG_IF
    popfq
    popfq
ENDUNIT

UNIT privileged_stac_clac
    stac
    clac
ENDUNIT

UNIT privileged_swapgs
    swapgs
    swapgs
ENDUNIT

; Table registers: the memory has the value that SGDT or SIDT stored.
UNIT privileged_lgdt
    lgdt [rsi + PRIVILEGED_MEMORY]
ENDUNIT

UNIT privileged_lidt
    lidt [rsi + PRIVILEGED_MEMORY]
ENDUNIT

UNIT privileged_lldt
    lldt r8w
ENDUNIT

; r8: the selector of the TSS, r9: its descriptor. LTR accepts no TSS that is in use.
UNIT privileged_ltr
    and byte [r9 + 5], TSS_BUSY
    ltr r8w
ENDUNIT

UNIT privileged_sgdt
    sgdt [rsi + PRIVILEGED_MEMORY]
ENDUNIT

UNIT privileged_str
    str eax
ENDUNIT

; The selector is in r8.
UNIT privileged_verr
    verr r8w
ENDUNIT

UNIT privileged_verw
    verw r8w
ENDUNIT

; With a memory operand VERW also overwrites buffers where CPUID reports MD_CLEAR.
UNIT privileged_verw_memory
    verw [rsi]
ENDUNIT

UNIT privileged_load_ds
    mov ds, r8d
ENDUNIT

UNIT privileged_load_es
    mov es, r8d
ENDUNIT

UNIT privileged_load_ss
    mov ss, r8d
ENDUNIT

; These change the base too. r9: the selector as found, r11:r10: its base.
%macro LOADS_WITH_BASE 2 ; register, MSR
UNIT privileged_load_%1
    mov %1, r8d
ENDUNIT
UNIT privileged_restore_%1
    mov rdi, rax
    mov rsi, rdx
    mov %1, r9d
    mov ecx, %2
    mov eax, r10d
    mov edx, r11d
    wrmsr
    mov rax, rdi
    mov rdx, rsi
ENDUNIT
%endmacro
LOADS_WITH_BASE fs, MSR_FS_BASE
LOADS_WITH_BASE gs, MSR_GS_BASE

; r8: CS. The return goes to the next instruction.
UNIT privileged_far_return
    push r8
    lea rax, [rel %$next]
    push rax
    retfq
%$next:
ENDUNIT

; r13 is the address of the callee, which returns far. The pointer has an offset of 64 bits and a
; selector, which is in r8.
UNIT privileged_far_pointer
    mov rsi, [OBJECT + OBJECT_ROOM]
    mov r8, [rsi]
    mov [rsi + PRIVILEGED_MEMORY], FUNCTION
    mov [rsi + PRIVILEGED_MEMORY + 8], r8w
ENDUNIT

UNIT privileged_far_call
    db 0x48, 0xff, 0x5e, PRIVILEGED_MEMORY ; call far, m16:64, at [rsi + PRIVILEGED_MEMORY]
ENDUNIT

UNIT privileged_far_callee
    retfq
ENDUNIT
