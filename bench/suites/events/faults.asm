; Events of ring 0. The handlers of an event: for the round trip, and with a reading of the TSC
; after the delivery or before the return, between fences as in recipe lfence.
%include "bench/suites/events/events.inc"


%macro READING 0
    lfence
    rdtsc
    mov [rsi + ROOM_READING], eax
    mov [rsi + ROOM_READING + 4], edx
%endmacro

; The kernel's handler of NMIs, with the stack as at the NMI.
%macro TO_KERNEL 0
    push qword [rsi + ROOM_NMI]
    mov rsi, [rsp + 8]
    ret 8
%endmacro
%macro EXPECTED 0
    EXPECTED_OR TO_KERNEL
%endmacro

%macro PAST_UD2 0
    add qword [rsp], UD2_BYTES
%endmacro
%macro PAST_MOVE 0
    add rsp, 8                  ; the error code
    add qword [rsp], MOVE_BYTES
%endmacro
%macro TO_RDI 0
    add rsp, 8
    mov [rsp], rdi
%endmacro

; %2 comes first, %3 prepares the stack for IRETQ.
%macro HANDLERS 3
HANDLER %1
    %2
    COUNT
    %3
    iretq
ENDUNIT
HANDLER %1_delivery
    %2
    READING
    COUNT
    %3
    iretq
ENDUNIT
HANDLER %1_return
    %2
    COUNT
    %3
    READING
    lfence
    iretq
ENDUNIT
%endmacro
HANDLERS trap, NOTHING, NOTHING
HANDLERS undefined, NOTHING, PAST_UD2
HANDLERS access, NOTHING, PAST_MOVE
HANDLERS fetch, NOTHING, TO_RDI
HANDLERS nmi, EXPECTED, NOTHING

UNIT events_int
    int VECTOR_INT
ENDUNIT

; Two INT3 would be the end of a window (window.c).
UNIT events_int3
    int3
    nop
ENDUNIT

UNIT events_ud2
    ud2
ENDUNIT

; Accesses to the address in r8, 3 bytes each.
UNIT events_read
    mov al, [r8]
ENDUNIT

UNIT events_write
    mov [r8], al
ENDUNIT

UNIT events_execute
    lea rdi, [rel %$next]
    jmp r8
%$next:
ENDUNIT

; --- NMIs --------------------------------------------------------------------------------------

; Most times that the arrival is looked for: a millisecond or more.
%define LOOKS 1000000
%define APIC_ICR      0x300
%define APIC_ICR_HIGH 0x310
%define X2APIC_ICR    0x830
%define ICR_NMI       0x4400    ; and level assert

%macro WAIT 0
    mov edi, LOOKS
%%look:
    cmp dword [rsi + ROOM_EXPECTED], 0
    je %%came
    dec edi
    jnz %%look
%%came:
%endmacro

; r8: the APIC's registers, r9: the destination.
UNIT events_nmi_xapic
    mov dword [rsi + ROOM_EXPECTED], 1
    mov [r8 + APIC_ICR_HIGH], r9d
    mov dword [r8 + APIC_ICR], ICR_NMI
    WAIT
ENDUNIT

UNIT events_nmi_x2apic
    mov dword [rsi + ROOM_EXPECTED], 1
    mov ecx, X2APIC_ICR
    mov edx, r9d
    mov eax, ICR_NMI
    wrmsr
    WAIT
ENDUNIT
