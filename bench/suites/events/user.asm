; Ways from ring 3 to ring 0 and back. The handlers do what kernels do against speculation: nothing,
; another page table, VERW, or IBRS.
%include "bench/suites/events/events.inc"

%define MSR_SPEC_CTRL 0x48

UNIT events_syscall
    syscall
ENDUNIT

; SYSEXIT continues at rdx, with the stack pointer rcx.
UNIT events_sysenter
    lea rdx, [rel %$next]
    mov rcx, rsp
    sysenter
%$next:
ENDUNIT

UNIT events_endless
.again:
    jmp .again
ENDUNIT

; SYSCALL keeps ring 3's RIP in rcx and its flags in r11.
%macro KEEP_SYSCALL 0
    mov rdi, rcx
%endmacro
%macro PUT_BACK_SYSCALL 0
    mov rcx, rdi
%endmacro
%macro RETURN_SYSCALL 0
    o64 sysret
%endmacro

%macro KEEP_SYSENTER 0
    mov rdi, rcx
    mov r11, rdx
%endmacro
%macro PUT_BACK_SYSENTER 0
    mov rcx, rdi
    mov rdx, r11
%endmacro
%macro RETURN_SYSENTER 0
    o64 sysexit
%endmacro

%macro KEEP_INT 0
%endmacro
%macro PUT_BACK_INT 0
%endmacro
%macro RETURN_INT 0
    iretq
%endmacro

; r8: the kernel's page table, r9: ring 3's. Of IBRS: r9:r10 and r9:r8 are SPEC_CTRL in ring 0 and
; in ring 3.
%macro ENTRIES 2 ; name, the same in the macros' names
HANDLER entry_%1
    COUNT
    RETURN_%2
ENDUNIT
HANDLER entry_%1_cr3
    mov cr3, r8
    COUNT
    mov cr3, r9
    RETURN_%2
ENDUNIT
HANDLER entry_%1_verw
    COUNT
    verw [rsi + ROOM_SS]        ; of a data segment; rsi is the room
    RETURN_%2
ENDUNIT
HANDLER entry_%1_ibrs
    KEEP_%2
    mov ecx, MSR_SPEC_CTRL
    mov eax, r10d
    mov edx, r9d
    wrmsr
    COUNT
    mov eax, r8d
    wrmsr
    PUT_BACK_%2
    RETURN_%2
ENDUNIT
%endmacro
ENTRIES syscall, SYSCALL
ENTRIES sysenter, SYSENTER
ENTRIES int, INT
