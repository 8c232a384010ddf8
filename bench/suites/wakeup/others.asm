; How side 1 waits, and its handler (others.h).
%include "bench/suites/wakeup/wakeup.inc"

; Offsets in struct others.
%define OTHERS_LINE    0
%define OTHERS_WOKE    256
%define OTHERS_ENDED   264
%define OTHERS_APIC    272
%define OTHERS_PENDING 280
%define OTHERS_TAKEN   284
%define OTHERS_WANTED  288

section .text

; In: rdi struct others, r8 its `apic`; the functions below set r8.
global wakeup_handler:function hidden
wakeup_handler:
    push rax
    push rcx
    push rdx
    TSC
    mov [rdi + OTHERS_WOKE], rax
    mov dword [rdi + OTHERS_PENDING], 0
    inc dword [rdi + OTHERS_TAKEN]
    xor eax, eax
    APIC_WRITE APIC_EOI, eax
    TSC
    mov [rdi + OTHERS_ENDED], rax
    pop rdx
    pop rcx
    pop rax
    iretq

global wakeup_wait_spin:function hidden
wakeup_wait_spin:
    mov r8, [rdi + OTHERS_APIC]
    sti
.again:
    pause
    cmp dword [rdi + OTHERS_PENDING], 0
    jne .again
    cli
    ret

; Interrupts are let through only in the wait. STI lets none through before the next instruction has
; ended, so none comes between the test and the wait.
%macro UNTIL_INTERRUPT 2 ; name, the wait
global wakeup_wait_%1:function hidden
wakeup_wait_%1:
    mov r8, [rdi + OTHERS_APIC]
.again:
    %2
    cmp dword [rdi + OTHERS_PENDING], 0
    jne .again
    ret
%endmacro

%macro HALT 0
    sti
    hlt
    cli
%endmacro
%macro MONITOR_LINE 0
    lea rax, [rdi + OTHERS_LINE]
    xor ecx, ecx
    xor edx, edx
    monitor
%endmacro
%macro MWAIT_OPEN 0
    MONITOR_LINE
    mov eax, esi
    sti
    mwait
    nop                         ; QEMU lets none through before CLI where MWAIT does not wait
    cli
%endmacro
%macro UMONITOR_LINE 0
    lea r9, [rdi + OTHERS_LINE]
    db 0xf3, 0x41, 0x0f, 0xae, 0xf1 ; umonitor r9
%endmacro
%macro UMWAIT 0
    mov eax, -1                 ; its own deadline never comes
    mov edx, eax
    db 0xf2, 0x0f, 0xae, 0xf6   ; umwait esi
%endmacro
%macro UMWAIT_OPEN 0
    UMONITOR_LINE
    sti
    UMWAIT
    cli
%endmacro
UNTIL_INTERRUPT hlt, HALT
UNTIL_INTERRUPT mwait, MWAIT_OPEN
UNTIL_INTERRUPT umwait, UMWAIT_OPEN

%macro UNTIL_STORE 3 ; name, what arms the wait, the wait
global wakeup_watch_%1:function hidden
wakeup_watch_%1:
    mov r8, [rdi + OTHERS_WANTED]
.again:
    %2
    cmp [rdi + OTHERS_LINE], r8
    jae .came
    %3
    jmp .again
.came:
    TSC
    mov [rdi + OTHERS_WOKE], rax
    mov [rdi + OTHERS_ENDED], rax
    ret
%endmacro

%macro MWAIT 0
    mov eax, esi
    mwait
%endmacro
UNTIL_STORE mwait, MONITOR_LINE, MWAIT
UNTIL_STORE umwait, UMONITOR_LINE, UMWAIT
