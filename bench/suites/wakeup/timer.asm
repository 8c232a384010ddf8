; A core waits for its timer. Interrupts are let through only while it waits: STI lets none through
; before the next instruction has ended, so none comes between the test and the wait.
%include "bench/suites/wakeup/wakeup.inc"

%define SPINS 100000000         ; most turns of a wait that does not sleep: a second or more

%macro ARM_ONESHOT 0
    inc dword [rsi + ROOM_EXPECTED]
    TSC
    mov r10, rax
    APIC_WRITE APIC_INITIAL, r9d
    add r10, [rsi + ROOM_TICKS]
    mov [rsi + ROOM_DUE], r10
%endmacro

%macro ARM_DEADLINE 0
    inc dword [rsi + ROOM_EXPECTED]
    TSC
    add rax, [rsi + ROOM_TICKS]
    mov [rsi + ROOM_DUE], rax
    mov rdx, rax
    shr rdx, 32
    mov ecx, MSR_TSC_DEADLINE
    wrmsr
%endmacro

%macro SPIN 0
    mov edi, SPINS
    sti
%%again:
    cmp dword [rsi + ROOM_EXPECTED], 0
    je %%came
    dec edi
    jnz %%again
%%came:
    cli
%endmacro

; An NMI or an SMI also ends these waits: then the core waits again.
%macro HALT 0
%%again:
    sti
    hlt
    cli
    cmp dword [rsi + ROOM_EXPECTED], 0
    jne %%again
%endmacro

; The hint is the row's `arg`.
%macro MWAIT_LINE 0
%%again:
    lea rax, [rsi + ROOM_LINE]
    xor ecx, ecx
    xor edx, edx
    monitor
    db 0xb8                     ; mov eax, imm32
    FIXUP FIXUP_ARG
    sti
    mwait
    cli
    cmp dword [rsi + ROOM_EXPECTED], 0
    jne %%again
%endmacro

; The state is the row's `arg`, the instruction's own deadline never.
%macro UMWAIT_LINE 0
    lea rdi, [rsi + ROOM_LINE]
%%again:
    db 0xf3, 0x0f, 0xae, 0xf7   ; umonitor rdi
    db 0xb9                     ; mov ecx, imm32
    FIXUP FIXUP_ARG
    mov eax, -1
    mov edx, eax
    sti
    db 0xf2, 0x0f, 0xae, 0xf1   ; umwait ecx
    cli
    cmp dword [rsi + ROOM_EXPECTED], 0
    jne %%again
%endmacro

%macro WAITS 2 ; name, macro
UNIT wakeup_%1_oneshot
    ARM_ONESHOT
    %2
ENDUNIT
UNIT wakeup_%1_deadline
    ARM_DEADLINE
    %2
ENDUNIT
%endmacro
WAITS spin, SPIN
WAITS hlt, HALT
WAITS mwait, MWAIT_LINE
WAITS umwait, UMWAIT_LINE

; The deadline of UMWAIT itself, which needs no interrupt; its end is the window's.
UNIT wakeup_umwait_own
    inc qword [OBJECT + OBJECT_COUNTER]
    lea rdi, [rsi + ROOM_LINE]
    db 0xf3, 0x0f, 0xae, 0xf7   ; umonitor rdi
    TSC
    add rax, [rsi + ROOM_TICKS]
    mov [rsi + ROOM_DUE], rax
%$again:
    db 0xb9                     ; mov ecx, imm32
    FIXUP FIXUP_ARG
    mov rdx, [rsi + ROOM_DUE]
    mov eax, edx
    shr rdx, 32
    db 0xf2, 0x0f, 0xae, 0xf1   ; umwait ecx
    TSC
    cmp rax, [rsi + ROOM_DUE]
    jb %$again
ENDUNIT
