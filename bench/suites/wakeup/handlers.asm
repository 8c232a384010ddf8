; Handlers of suite `wakeup`. rsi is the room's address, and r8 the APIC's registers, wherever an
; interrupt can come: in the bodies, and in `after`.
%include "bench/suites/wakeup/wakeup.inc"

; Counts an interrupt that the row expects, or another one.
%macro COUNT 0
    cmp dword [rsi + ROOM_EXPECTED], 0
    je %%stray
    dec dword [rsi + ROOM_EXPECTED]
    inc qword [OBJECT + OBJECT_COUNTER]
    jmp %%counted
%%stray:
    inc dword [rsi + ROOM_STRAYS]
%%counted:
%endmacro

%macro KEEP 0
    push rax
    push rcx
    push rdx
%endmacro
%macro RETURN 0
    pop rdx
    pop rcx
    pop rax
    iretq
%endmacro

%macro READING 1
    TSC
    mov [rsi + %1], rax
%endmacro

%macro EOI 0
    xor eax, eax
    APIC_WRITE APIC_EOI, eax
%endmacro

; For the round trip.
UNIT wakeup_plain
    KEEP
    COUNT
    EOI
    RETURN
ENDUNIT

; The handler's first instructions are the window's end.
UNIT wakeup_woken
    KEEP
    READING ROOM_READING
    COUNT
    EOI
    RETURN
ENDUNIT

; The window is the end of interrupt, ...
UNIT wakeup_eoi
    KEEP
    COUNT
    READING ROOM_DUE
    EOI
    READING ROOM_READING
    RETURN
ENDUNIT

; ... or the return.
UNIT wakeup_return
    KEEP
    COUNT
    EOI
    READING ROOM_DUE
    RETURN
ENDUNIT
