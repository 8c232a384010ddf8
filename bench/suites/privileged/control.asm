; Control and debug registers, and the TLB.
%include "bench/suites/privileged/privileged.inc"

; Reads and writes of one register; the value is in r8.
%macro MOVES 1
UNIT privileged_from_%1
    mov rax, %1
ENDUNIT
UNIT privileged_to_%1
    mov %1, r8
ENDUNIT
%endmacro
MOVES cr0
MOVES cr2
MOVES cr3
MOVES cr4
MOVES cr8
MOVES dr0
MOVES dr6
MOVES dr7

; Another value, in r9, and back.
%macro TOGGLES 1
UNIT privileged_toggle_%1
    mov %1, r9
    mov %1, r8
ENDUNIT
%endmacro
TOGGLES cr0
TOGGLES cr3
TOGGLES cr4

UNIT privileged_clts
    clts
ENDUNIT

; CR0.TS is set in r9.
UNIT privileged_set_clts
    mov cr0, r9
    clts
ENDUNIT

UNIT privileged_lmsw
    lmsw r8w
ENDUNIT

UNIT privileged_smsw
    smsw eax
ENDUNIT

; CR4 as found is in r11, CR3 as found, with PCID 0, in rdi. Setting CR4.PCIDE requires PCID 0, and
; clearing it flushes the TLB: SDM vol. 3A section 4.10.1.
%define CR4_PCIDE 17
UNIT privileged_pcid_on
    LOAD_REGISTERS
    mov r10, r11
    bts r10, CR4_PCIDE
    mov cr4, r10
ENDUNIT

UNIT privileged_pcid_off
    mov cr3, rdi
    mov cr4, r11
ENDUNIT

UNIT privileged_invlpg
    invlpg [rsi]
ENDUNIT

; The type is the row's `arg`.
UNIT privileged_invpcid
    db 0xb8                     ; mov eax, imm32
    FIXUP FIXUP_ARG
    invpcid rax, [rsi + PRIVILEGED_MEMORY]
ENDUNIT

; APM vol. 3, INVLPGB: rax has the page and a bit which says that it is valid, ecx the number of
; further pages. TLBSYNC waits until all processors have done it.
UNIT privileged_invlpgb
    lea rax, [rsi + 1]
    xor ecx, ecx
    xor edx, edx
    db 0x0f, 0x01, 0xfe         ; invlpgb
    db 0x0f, 0x01, 0xff         ; tlbsync
ENDUNIT
