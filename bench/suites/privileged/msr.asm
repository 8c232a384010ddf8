; RDMSR and WRMSR. The MSR is the row's `arg`.
%include "bench/suites/privileged/privileged.inc"

UNIT privileged_load
    LOAD_REGISTERS
ENDUNIT

%macro MSR_NUMBER 0
    db 0xb9                     ; mov ecx, imm32
    FIXUP FIXUP_ARG
%endmacro

UNIT privileged_rdmsr
    MSR_NUMBER
    rdmsr
ENDUNIT

; The value in r9:r8.
UNIT privileged_wrmsr
    MSR_NUMBER
    mov eax, r8d
    mov edx, r9d
    wrmsr
ENDUNIT

; r10: the APIC's registers, or 0 in x2APIC mode; r11: the timer's entry as found, rdi: one in
; TSC-deadline mode. MFENCE lets no WRMSR pass the store, and a deadline of 0 disarms the timer: SDM
; vol. 3A section 11.5.4.1.
%define LVT_TIMER        0x320
%define X2APIC_LVT_TIMER 0x832
%define MSR_TSC_DEADLINE 0x6e0
; Writes %1 to the timer's entry. Changes rax, rcx, rdx.
%macro WRITE_ENTRY 1
    test r10, r10
    jz %%by_msr
    mov [r10 + LVT_TIMER], %1
    jmp %%written
%%by_msr:
    mov ecx, X2APIC_LVT_TIMER
    mov eax, %1
    xor edx, edx
    wrmsr
%%written:
%endmacro

UNIT privileged_deadline_on
    LOAD_REGISTERS
    WRITE_ENTRY edi
    mfence
ENDUNIT

UNIT privileged_deadline_off
    mov rdi, rax
    mov rsi, rdx
    mov ecx, MSR_TSC_DEADLINE
    xor eax, eax
    xor edx, edx
    wrmsr
    WRITE_ENTRY r11d
    mov rax, rdi
    mov rdx, rsi
ENDUNIT

; r9:r10, in which a bit is toggled, and then r9:r8.
UNIT privileged_wrmsr_twice
    MSR_NUMBER
    mov eax, r10d
    mov edx, r9d
    wrmsr
    mov eax, r8d
    wrmsr
ENDUNIT
