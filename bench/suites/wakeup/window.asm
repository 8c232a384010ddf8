; The state around a window of suite `wakeup`: the core's IDT, its priority, and its timer.
%include "bench/suites/wakeup/wakeup.inc"

%define ONLY_HIGHEST 14         ; CR8: classes above it are let through

; The timer is left alone unless the row waits for it. The mode first: it decides how the timer
; takes its count.
%macro ON 0
    mov rsi, [OBJECT + OBJECT_ROOM]
    mov rax, FUNCTION
    mov rdi, [rsi + ROOM_GATE]
    POINT_GATE
    xor eax, eax
    mov [rsi + ROOM_READING], rax
    mov [rsi + ROOM_DUE], rax
    mov [rsi + ROOM_EXPECTED], eax
    lidt [rsi + ROOM_IDT]
    mov r8, [rsi]
    cmp qword [rsi + ROOM_TICKS], 0
    je %%no_timer
    APIC_WRITE APIC_LVT_TIMER, [rsi + ROOM_MODE]
    APIC_WRITE APIC_DIVIDE, [rsi + ROOM_DIVIDE]
    mfence                      ; no WRMSR passes the store: SDM vol. 3A section 11.5.4.1
%%no_timer:
    mov rax, cr8
    mov [rsi + ROOM_PRIORITY], rax
    mov eax, ONLY_HIGHEST
    mov cr8, rax
    LOAD_REGISTERS
%endmacro

UNIT wakeup_on
    ON
ENDUNIT

UNIT wakeup_open
    ON
    sti
ENDUNIT

; Returns in edx:eax the second reading, that of the handler if it has one. An interrupt that is
; pending is taken first.
UNIT wakeup_off
    mov rsi, [OBJECT + OBJECT_ROOM]
    mov r8, [rsi]
    sti
    nop
    cli
    mov r10, rax
    mov r11, rdx
    cmp qword [rsi + ROOM_TICKS], 0
    je %$no_timer
    APIC_WRITE APIC_LVT_TIMER, [rsi + ROOM_MODE_BEFORE]
    APIC_WRITE APIC_DIVIDE, [rsi + ROOM_DIVIDE_BEFORE]
    APIC_WRITE APIC_INITIAL, [rsi + ROOM_INITIAL_BEFORE]
%$no_timer:
    mov rax, [rsi + ROOM_PRIORITY]
    mov cr8, rax
    lidt [rsi + ROOM_IDT_BEFORE]
    mov rax, [rsi + ROOM_DUE]
    test rax, rax
    jz %$first_is_right
    mov rcx, FRAME_VA
    mov [rcx + FRAME_START], rax
%$first_is_right:
    mov rax, [rsi + ROOM_READING]
    test rax, rax
    jz %$second_is_right
    mov r10d, eax
    shr rax, 32
    mov r11, rax
%$second_is_right:
    mov rax, r10
    mov rdx, r11
ENDUNIT
