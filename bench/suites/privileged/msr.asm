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

; r10: the APIC's registers, r11: the timer's entry as found, rdi: one in TSC-deadline mode. MFENCE
; lets no WRMSR pass the store: SDM vol. 3A section 11.5.4.1. Another mode disarms the timer.
%define LVT_TIMER 0x320
UNIT privileged_deadline_on
    LOAD_REGISTERS
    mov [r10 + LVT_TIMER], edi
    mfence
ENDUNIT

UNIT privileged_deadline_off
    mov [r10 + LVT_TIMER], r11d
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
